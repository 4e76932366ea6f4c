"""The text that the certificate fork of Storm reads (arXiv 2501.11467), for one player: every state of the model that
``keepwise export`` writes as DRN, by its number there, with a lower and an upper number of what can be had from it.

Where turns begin these are our lines, which are strict; inside turns they are worked out from them, rounded outward in
units so much finer that the lines still hold. Ranks, which our own proof does without: of a chance, how many steps
choices that are best for the lower number need to get to ``done``; of a reward, how many some throw needs whatever is
chosen, or for the fewest turns what is best for the upper one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..exports.models import make_model
from ..solvers import Problem
from ..solvers.push.points import Points
from ..storage.files import write_atomically
from ..util.errors import InputError, SolveError
from .game_descriptions import state_of

if TYPE_CHECKING:
    from ..exports.process import Action, Process
    from ..solving.solved_problem import SolvedProblem
    from . import Certificate

FINER = 40  # bits
NO_RANK = "inf"


def check_storm(match: Problem[Any]) -> None:
    """Raise InputError for a question whose model has no such certificate."""
    if (
        match.players > 1
        or match.objective not in ("points", "turns", "reach")
        or match.playable.boxes(match.playable.start(), 0)
    ):
        raise InputError(
            f"{match.game.id}: Storm's certificates are of points, turns and reach, alone, and not of cards"
        )


def write_storm(solution: SolvedProblem, certificate: Certificate, path: str | os.PathLike[str]) -> None:
    """Write the certificate of a question's model.

    Raises:
        InputError: there is no such model, or the place cannot be written.
        SolveError: the lines do not hold in the model.
    """
    match = solution.problem
    check_storm(match)
    process = make_model(match, solution.value_table)
    lines = dict(zip(map(tuple, certificate.states.tolist()), certificate.lines.ends.T.tolist(), strict=True))
    start, sign = tuple(certificate.head["begins"]), -1 if process.aim == "min" else 1
    begun: dict[int, tuple[int, int]] = {}
    for number, position in process.begins.items():
        ends = lines[start if isinstance(match, Points) else state_of(match.playable, position)]
        low, high = (one << FINER for one in ends[::sign])
        begun[number] = sign * low, sign * high
    text = "".join(_text(process, _Sides(process, begun, certificate.lines.bits + FINER)))
    with write_atomically(path) as file:
        file.write(text.encode())


class _Sides:
    """Lower and upper numbers of all states, in units."""

    def __init__(self, process: Process, begun: dict[int, tuple[int, int]], bits: int) -> None:
        self.process, self.bits = process, bits
        self.best = max if process.aim == "max" else min
        self.found = dict(begun)
        over = 0 if process.reward else 1 << bits
        for number, actions in enumerate(process.actions):
            if [branch for action in actions for branch in action.branches] == [(1, number)]:  # done, and lost
                self.found[number] = (over, over) if number == process.goal else (0, 0)
        todo = [*range(len(process.names))]
        while todo:
            number = todo[-1]
            ahead = [to for one in process.actions[number] for _, to in one.branches if to not in self.found]
            if number in self.found or not ahead:
                todo.pop()
            else:
                todo += ahead
            if number not in self.found and not ahead:
                self.found[number] = self.made(number)
        for number, line in begun.items():
            low, high = self.made(number)
            if low < line[0] or high > line[1]:
                raise SolveError(f"the lines do not hold in the model: {process.names[number]}")

    def value(self, action: Action, side: int) -> int:
        """What an action is worth, rounded outward."""
        total, paid = action.total, action.reward * (1 << self.bits)
        worth = sum(weight * self.found[to][side] for weight, to in action.branches) * paid.denominator
        whole, of = worth + paid.numerator * total, total * paid.denominator
        return -(-whole // of) if side else whole // of

    def made(self, number: int) -> tuple[int, int]:
        """What a state is worth by what it leads to."""
        low, high = (self.best(self.value(one, side) for one in self.process.actions[number]) for side in (0, 1))
        return low, high

    def ranks(self) -> list[int | None]:
        """By state, the rank; None for none."""
        process, side = self.process, int(bool(self.process.reward))
        every = bool(process.reward) and process.aim == "max"
        allowed = []
        for actions in process.actions:
            values = [self.value(one, side) for one in actions]
            both = zip(actions, values, strict=True)
            allowed.append([one for one, worth in both if every or worth == self.best(values)])
        ranks: list[int | None] = [None] * len(process.names)
        ranks[process.goal], last, found = 0, 0, {process.goal}
        back: dict[int, set[int]] = {}
        for number, some in enumerate(allowed):
            for one in some:
                for _, to in one.branches:
                    back.setdefault(to, set()).add(number)
        need = all if every else any
        while found:
            last += 1
            near = {one for to in found for one in back.get(to, ()) if ranks[one] is None}
            found = {
                number
                for number in near
                if need(any(ranks[to] is not None for _, to in one.branches) for one in allowed[number])
            }
            for number in found:
                ranks[number] = last
        return ranks


def _text(process: Process, sides: _Sides) -> Iterator[str]:
    asked, kind = (f"R{{{process.reward}}}", "reachrew") if process.reward else ("P", "reach")
    yield f"# Certificate for '{asked}{process.aim}=? [F (done)]'\n{kind} {process.aim}\n{len(process.names)}\n"
    yield f" {process.goal}\nvectors\n"
    for number, rank in enumerate(sides.ranks()):
        low, high = (Fraction(one, 1 << sides.bits) for one in sides.found[number])
        told = NO_RANK if rank is None else str(rank)
        yield f"{number} {low} {NO_RANK} {high} {told}\n" if process.reward else f"{number} {low} {told} {high}\n"
