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
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..output.exports.models import make_model
from ..solvers import Problem
from ..solvers.push.points import PushPointsProblem
from ..storage.files import write_atomically
from ..util.errors import InputError, SolveError
from .game_descriptions import state_name
from .transition_prover import LOWER, UPPER
from .whole_turn import ceil_divide

if TYPE_CHECKING:
    from ..output.exports.process import Action, Process
    from ..solving.solved_problem import SolvedProblem
    from . import Certificate

EXTRA_BITS = 40  # by which units inside turns are finer than those of the certificate
NO_RANK = "inf"

Bounds = tuple[int, int]  # lower and upper bound, in units


def check_storm(problem: Problem[Any]) -> None:
    """Raise InputError if Storm cannot certify the model of a problem."""
    is_alone = problem.players == 1
    is_objective_possible = problem.objective in ("points", "turns", "reach")
    has_scorecard = bool(problem.playable.boxes(problem.playable.start(), seat=0))  # without a scorecard: no boxes
    if not is_alone or not is_objective_possible or has_scorecard:
        raise InputError(
            f"{problem.game.id}: a certificate for Storm requires one player, the objective points, turns or"
            " reach, and a game without a scorecard"
        )


def write_storm(solution: SolvedProblem, certificate: Certificate, path: str | os.PathLike[str]) -> None:
    """Write the bounds of all states of a solved problem's model, as the model checker Storm reads them.

    States of the model in which turns begin have the bounds of the certificate. Bounds of states inside turns are
    computed from them.

    Args:
        solution: the solved problem.
        certificate: its certificate.
        path: the file to write.

    Raises:
        InputError: the problem has no such model, or the file cannot be written.
        SolveError: the bounds do not hold in the model.
    """
    problem = solution.problem
    check_storm(problem)
    process = make_model(solution)
    names = map(tuple, certificate.states.tolist())
    bounds_of_name = dict(zip(names, certificate.bounds.scaled.T.tolist(), strict=True))
    start_name = tuple(certificate.header["begins"])
    turn_bounds: dict[int, Bounds] = {}  # by number of a state of the model in which a turn begins
    is_single_turn = isinstance(problem, PushPointsProblem)  # whose model has no other turn than the first
    for number, position in process.turn_starts.items():
        name = start_name if is_single_turn else state_name(problem.playable, position)
        lower, upper = bounds_of_name[name]
        if process.aim == "min":
            # The model counts a cost c, and the certificate bounds the value -c: L <= -c <= U means -U <= c <= -L.
            lower, upper = -upper, -lower
        turn_bounds[number] = lower << EXTRA_BITS, upper << EXTRA_BITS  # in finer units, without rounding
    storm_bounds = _StormBounds(process, turn_bounds, certificate.bounds.bits + EXTRA_BITS)
    text = "".join(_format(storm_bounds))
    with write_atomically(path) as file:
        file.write(text.encode())


class _StormBounds:
    """The lower and upper bound of every state of a model, in units of 2 ** -bits.

    Args:
        process: the model: a Markov decision process, whose states have actions, and whose actions have branches.
        turn_bounds: the bounds of the states in which turns begin.
        bits: the number of bits of the unit.

    Attributes:
        bounds: by number of a state, its lower and upper bound in units.
        best: max or min, by what the model asks for.
        _must_all_advance: whether every action of a state, best or not, has to lead to a lower rank.

    Raises:
        SolveError: the bounds of a turn's beginning do not hold in the model.
    """

    def __init__(self, process: Process, turn_bounds: dict[int, Bounds], bits: int) -> None:
        """Compute the bounds inside turns, and check those of turns.

        Args:
            process: the model.
            turn_bounds: by state in which a turn begins, its bounds.
            bits: the number of bits of the unit.

        Raises:
            SolveError: the bounds of a turn's beginning do not hold in the model.
        """
        self.process = process
        self.bits = bits
        self.best = max if process.aim == "max" else min
        self.bounds = dict(turn_bounds)  # by number of a state
        goal_value = 0 if process.reward else 1 << bits  # the reward still to come, or the probability of the goal
        for number, actions in enumerate(process.actions):
            branches = [branch for action in actions for branch in action.branches]
            is_absorbing = branches == [(1, number)]  # the only branch, of weight 1, leads back to the state
            if is_absorbing:
                value = goal_value if number == process.goal_state else 0
                self.bounds[number] = value, value
        self._fill()
        for number, (lower, upper) in turn_bounds.items():
            turn_lower, turn_upper = self._state_bounds(number)  # what the turn comes to, step by step
            if turn_lower < lower or turn_upper > upper:
                raise SolveError(f"the bounds do not hold in the model: {process.names[number]}")

    def _fill(self) -> None:
        """Compute the bounds of all states inside turns, each after those it leads to (depth-first search).

        It ends because a path inside a turn leads to a state whose bounds are known: another turn, or an absorbing
        state.
        """
        stack = [*range(len(self.process.names))]
        while stack:
            number = stack[-1]
            if number in self.bounds:
                stack.pop()
                continue
            # A state stays on the stack until the bounds of all states that it leads to are known.
            branches = (branch for action in self.process.actions[number] for branch in action.branches)
            unsolved = [successor for _, successor in branches if successor not in self.bounds]
            if unsolved:
                stack += unsolved
            else:
                self.bounds[number] = self._state_bounds(number)
                stack.pop()

    def _action_bound(self, action: Action, side: int) -> int:
        """Return the lower or the upper bound of an action in units, rounded outward.

        With the reward r, the weights w and their sum W it is r + (sum of w times bound) / W. The reward may be a
        fraction, so both parts are brought to one denominator.

        Args:
            action: an action of the model.
            side: LOWER or UPPER.
        """
        total_weight = action.total
        reward = action.reward * (1 << self.bits)  # in units
        weighted_sum = sum(weight * self.bounds[successor][side] for weight, successor in action.branches)
        numerator = weighted_sum * reward.denominator + reward.numerator * total_weight
        denominator = total_weight * reward.denominator
        return ceil_divide(numerator, denominator) if side == UPPER else numerator // denominator

    def _state_bounds(self, number: int) -> Bounds:
        """Return the bounds of a state from those of the states that its actions lead to, if the best action is taken.

        Args:
            number: the number of the state.
        """
        actions = self.process.actions[number]
        lower = self.best(self._action_bound(action, LOWER) for action in actions)
        upper = self.best(self._action_bound(action, UPPER) for action in actions)
        return lower, upper

    @property
    def _must_all_advance(self) -> bool:
        """Whether every action of a state, best or not, has to lead to a lower rank.

        Storm's proof rules ask for that if a reward is maximized.
        """
        return bool(self.process.reward) and self.process.aim == "max"

    def _ranked_actions(self) -> list[list[Action]]:
        """Return by state the actions that count for its rank: those with the best bound.

        They are all actions if every action has to lead to a lower rank (``_must_all_advance``). The bound is the one
        for which Storm's proof rules ask for ranks: the upper bound of a reward, and the lower bound of a probability.
        """
        process = self.process
        if self._must_all_advance:
            return [list(actions) for actions in process.actions]
        side = UPPER if process.reward else LOWER
        ranked_actions: list[list[Action]] = []
        for actions in process.actions:
            bounds = [self._action_bound(action, side) for action in actions]
            best = self.best(bounds)
            best_actions = [action for action, bound in zip(actions, bounds, strict=True) if bound == best]
            ranked_actions.append(best_actions)
        return ranked_actions

    def ranks(self) -> list[int | None]:
        """Return the rank of every state, a number of steps to the goal; None if the state has none.

        The goal has rank 0. States of rank n are found by breadth-first search backwards from those of rank n - 1. A
        state gets rank n if some action with the best bound has a branch to a state of lower rank. If every action has
        to lead to a lower rank (``_must_all_advance``), every action needs such a branch.
        """
        process = self.process
        ranked_actions = self._ranked_actions()
        predecessors: dict[int, set[int]] = {}  # by state, those with a ranked action that has a branch to it
        for number, actions in enumerate(ranked_actions):
            for action in actions:
                for _, successor in action.branches:
                    predecessors.setdefault(successor, set()).add(number)
        rank = 0
        frontier = {process.goal_state}  # the states of this rank
        rank_of_state = {process.goal_state: rank}
        while frontier:
            rank += 1
            before_frontier = set().union(*(predecessors.get(successor, set()) for successor in frontier))
            candidates = before_frontier - rank_of_state.keys()
            frontier = {number for number in candidates if self._gets_rank(ranked_actions[number], rank_of_state)}
            rank_of_state.update(dict.fromkeys(frontier, rank))
        return [rank_of_state.get(number) for number in range(len(process.names))]

    def _gets_rank(self, actions: list[Action], ranked_states: Collection[int]) -> bool:
        """Return whether some action of a state has a branch to a ranked state; if all must advance, every action.

        Args:
            actions: the actions that count for the rank of the state.
            ranked_states: the states that have a rank already.
        """
        has_ranked_branch = [any(successor in ranked_states for _, successor in action.branches) for action in actions]
        return all(has_ranked_branch) if self._must_all_advance else any(has_ranked_branch)


def _format(storm: _StormBounds) -> Iterator[str]:
    """Yield the text of a Storm certificate, in parts: the query, the goal, and a line for every state.

    A line has the number of a state, its lower bound and its upper bound. After a bound stands the state's rank, its
    number of steps to the goal, if Storm's proof rules need one for that bound. A lower bound of a reward needs none,
    as rewards are not negative: it has the word NO_RANK. Upper bounds of probabilities have no place for a rank.
    """
    process = storm.process
    has_reward = bool(process.reward)
    query = f"R{{{process.reward}}}" if has_reward else "P"
    kind = "reachrew" if has_reward else "reach"
    yield f"# Certificate for '{query}{process.aim}=? [F (done)]'\n{kind} {process.aim}\n{len(process.names)}\n"
    yield f" {process.goal_state}\nvectors\n"
    for number, rank in enumerate(storm.ranks()):  # by state
        lower, upper = (Fraction(bound, 1 << storm.bits) for bound in storm.bounds[number])
        rank_text = NO_RANK if rank is None else str(rank)
        if has_reward:
            yield f"{number} {lower} {NO_RANK} {upper} {rank_text}\n"
        else:
            yield f"{number} {lower} {rank_text} {upper}\n"
