"""Certificates in the text format of the certificate fork of Storm (arXiv 2501.11467), for one player.

A file has a lower and an upper bound for every state of a model. The model is the one that ``keepwise export`` writes
as DRN, with its numbers of states. At the beginnings of turns these are our strict bounds. Inside turns they are
computed from those, rounded outward in units so much finer that the bounds still hold.

Storm's proof rules need ranks, which ours do without. The rank of a state is a number of steps to ``done``:

- for a probability, by choices that are best for the lower bound
- for the fewest turns, along some outcome of a choice that is best for the upper bound
- for other rewards, along some outcome of every choice
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..output.exports.models import make_model
from ..solvers import Problem
from ..solvers.push.points import PushPointsProblem
from ..storage.files import write_atomically
from ..util.errors import InputError, SolveError
from .game_descriptions import state_name

if TYPE_CHECKING:
    from ..output.exports.process import Action, Process
    from ..solving.solved_problem import SolvedProblem
    from . import Certificate

EXTRA_BITS = 40  # by which units inside turns are finer than those of the certificate
NO_RANK = "inf"

Bounds = tuple[int, int]


def check_storm(problem: Problem[Any]) -> None:
    """Raise InputError if Storm cannot certify the model of a problem."""
    if (
        problem.players > 1
        or problem.objective not in ("points", "turns", "reach")
        or problem.playable.boxes(problem.playable.start(), 0)
    ):
        raise InputError(
            f"{problem.game.id}: Storm's certificates are of points, turns and reach, alone, and not of cards"
        )


def write_storm(solution: SolvedProblem, certificate: Certificate, path: str | os.PathLike[str]) -> None:
    """Write the Storm certificate of a solved problem's model.

    Raises:
        InputError: the problem has no such model, or the file cannot be written.
        SolveError: the bounds do not hold in the model.
    """
    problem = solution.problem
    check_storm(problem)
    process = make_model(problem, solution.value_table)
    rows = dict(zip(map(tuple, certificate.states.tolist()), certificate.bounds.scaled.T.tolist(), strict=True))
    start, sign = tuple(certificate.header["begins"]), -1 if process.aim == "min" else 1
    turn_bounds: dict[int, Bounds] = {}
    for number, position in process.begins.items():
        row = rows[start if isinstance(problem, PushPointsProblem) else state_name(problem.playable, position)]
        lower, upper = (bound << EXTRA_BITS for bound in row[::sign])
        turn_bounds[number] = sign * lower, sign * upper
    text = "".join(_format(_StormBounds(process, turn_bounds, certificate.bounds.bits + EXTRA_BITS)))
    with write_atomically(path) as file:
        file.write(text.encode())


class _StormBounds:
    """The lower and upper bound of every state of a model, in units of 2 ** -bits.

    Args:
        process: the model.
        turn_bounds: the bounds of the states in which turns begin.
        bits: the number of bits of the unit.

    Raises:
        SolveError: the bounds of a turn's beginning do not hold in the model.
    """

    def __init__(self, process: Process, turn_bounds: dict[int, Bounds], bits: int) -> None:
        self.process, self.bits = process, bits
        self.best = max if process.aim == "max" else min
        self.bounds = dict(turn_bounds)
        goal_value = 0 if process.reward else 1 << bits
        for number, actions in enumerate(process.actions):
            if [branch for action in actions for branch in action.branches] == [(1, number)]:  # absorbing
                self.bounds[number] = (goal_value, goal_value) if number == process.goal else (0, 0)
        self._fill()
        for number, (lower, upper) in turn_bounds.items():
            turn_lower, turn_upper = self._state_bounds(number)
            if turn_lower < lower or turn_upper > upper:
                raise SolveError(f"the bounds do not hold in the model: {process.names[number]}")

    def _fill(self) -> None:
        """Compute the bounds inside turns, each state after those it leads to."""
        stack = [*range(len(self.process.names))]
        while stack:
            number = stack[-1]
            branches = (branch for action in self.process.actions[number] for branch in action.branches)
            unsolved = [successor for _, successor in branches if successor not in self.bounds]
            if number in self.bounds or not unsolved:
                stack.pop()
            else:
                stack += unsolved
            if number not in self.bounds and not unsolved:
                self.bounds[number] = self._state_bounds(number)

    def _action_bound(self, action: Action, side: int) -> int:
        """Return the lower (side 0) or upper (side 1) bound of an action, rounded outward."""
        total, reward = action.total, action.reward * (1 << self.bits)
        next_sum = (
            sum(weight * self.bounds[successor][side] for weight, successor in action.branches) * reward.denominator
        )
        numerator, denominator = next_sum + reward.numerator * total, total * reward.denominator
        return -(-numerator // denominator) if side else numerator // denominator

    def _state_bounds(self, number: int) -> Bounds:
        """Return the bounds of a state from those of the states that it leads to."""
        actions = self.process.actions[number]
        lower, upper = (self.best(self._action_bound(action, side) for action in actions) for side in (0, 1))
        return lower, upper

    def _ranked_actions(self) -> list[list[Action]]:
        """Return by state the actions that count for its rank."""
        process, side = self.process, int(bool(self.process.reward))
        if process.reward and process.aim == "max":
            return [list(actions) for actions in process.actions]
        ranked = []
        for actions in process.actions:
            bounds = [self._action_bound(action, side) for action in actions]
            best = self.best(bounds)
            ranked.append([action for action, bound in zip(actions, bounds, strict=True) if bound == best])
        return ranked

    def ranks(self) -> list[int | None]:
        """Return the rank of every state; None if it has none."""
        process, ranked_actions = self.process, self._ranked_actions()
        predecessors: dict[int, set[int]] = {}
        for number, actions in enumerate(ranked_actions):
            for action in actions:
                for _, successor in action.branches:
                    predecessors.setdefault(successor, set()).add(number)
        ranks: list[int | None] = [None] * len(process.names)
        ranks[process.goal], rank, frontier = 0, 0, {process.goal}
        quantifier = all if process.reward and process.aim == "max" else any
        while frontier:
            rank += 1
            candidates = {
                number for successor in frontier for number in predecessors.get(successor, ()) if ranks[number] is None
            }
            frontier = {
                number
                for number in candidates
                if quantifier(
                    any(ranks[successor] is not None for _, successor in action.branches)
                    for action in ranked_actions[number]
                )
            }
            for number in frontier:
                ranks[number] = rank
        return ranks


def _format(storm: _StormBounds) -> Iterator[str]:
    process = storm.process
    query, kind = (f"R{{{process.reward}}}", "reachrew") if process.reward else ("P", "reach")
    yield f"# Certificate for '{query}{process.aim}=? [F (done)]'\n{kind} {process.aim}\n{len(process.names)}\n"
    yield f" {process.goal}\nvectors\n"
    for number, rank in enumerate(storm.ranks()):
        lower, upper = (Fraction(bound, 1 << storm.bits) for bound in storm.bounds[number])
        rank_text = NO_RANK if rank is None else str(rank)
        if process.reward:
            yield f"{number} {lower} {NO_RANK} {upper} {rank_text}\n"
        else:
            yield f"{number} {lower} {rank_text} {upper}\n"
