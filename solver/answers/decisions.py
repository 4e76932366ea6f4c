"""What is done at every decision of a turn, and what it is worth, as arrays from one question to the match.

A turn is walked once as it is played: its *decisions* (positions in which somebody chooses), its *throws* and its
*ends*. Turns that offer the same choices in the same words (``Table.turn_key``) share that walk, so the policy of every
pair of scores is a matter of arrays: the worth of all throws and ends of the turn, and over each decision's choices the
best of what they lead to.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..play.playable_game import Choice, Table
from ..play.position_fields import Role
from ..play.walk import counts_as_turn, open_choices
from ..solvers import Problem, ValueTable
from .advice import leeway
from .positions import choices_of, sign_of, worth_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_CELLS = 4_000_000  # of a table of decisions by choices
WALKS_KEPT = 4  # that of a card of ten dice holds half a million choices


@dataclass(frozen=True)
class TurnWalk:
    """The decisions of a turn, and where their choices lead.

    ``begin`` (decisions + 1,): where the choices of each decision begin in ``choices`` and in ``leads`` (choices,), the
    places where they lead: first the ``throws``, then the ends, each told by ``ends``: a decision and a choice of it.
    """

    decisions: tuple[Any, ...]
    begin: Ints
    choices: tuple[Choice[Any], ...]
    leads: Ints
    throws: tuple[Any, ...]
    ends: tuple[tuple[int, int], ...]


def walk_turn(table: Table[Any], start: Any, cut: int | None, before: bool) -> TurnWalk:
    """Walk the turn that begins at ``start``; ``before``: the decisions before a throw, else those after one.

    ``cut``: points in hand from which nobody throws on unless it must be, and then as if no more were held. What is
    told by a field that rows do not list is left out: there nothing is left to decide.
    """
    throws: dict[Any, int] = {}
    decisions: dict[Any, None] = {}
    todo = [start]
    seen = {start}
    while todo:
        position = todo.pop()
        if table.stage(position) == "choose":
            decisions[position] = None
            afters = [choice.after for choice in open_choices(table, position, cut)]
        else:
            throws[position] = len(throws)
            decisions[table.deciding(position) or position] = None
            afters = [after for _, after in table.throws(position)]
        for after in afters:
            if after not in seen and table.stage(after) != "over" and not table.turn_begins(after):
                seen.add(after)
                todo.append(after)
    unlisted = {field.name for field in table.fields if field.inside and not field.listed}
    fallen = {table.roles.get(one) for one in (Role.ROLL, Role.FELT)}
    told = {one: set(table.tell(one)) for one in decisions}
    chosen = [one for one in decisions if fallen.isdisjoint(told[one]) == before and not told[one] & unlisted]
    chosen.sort(key=lambda one: _order(table, one))
    return _leads(table, chosen, throws)


def _leads(table: Table[Any], decisions: Sequence[Any], throws: dict[Any, int]) -> TurnWalk:
    """The choices of decisions, and where they lead; ``throws`` are numbered, others met get the next numbers."""
    begin, choices, leads, ends = [0], list[Choice[Any]](), list[int](), dict[Any, tuple[int, int]]()
    for place, decision in enumerate(decisions):
        for number, choice in enumerate(choices_of(table, decision)):
            choices.append(choice)
            if choice.after in throws:
                leads.append(throws[choice.after])
            elif table.stage(choice.after) == "throw" and not table.turn_begins(choice.after):
                leads.append(throws.setdefault(choice.after, len(throws)))
            else:
                ends.setdefault(choice.after, (place, number))
                leads.append(-1)
        begin.append(len(choices))
    order = {after: len(throws) + place for place, after in enumerate(ends)}
    leads = [order[choice.after] if lead < 0 else lead for choice, lead in zip(choices, leads, strict=True)]
    return TurnWalk(
        tuple(decisions),
        np.array(begin),
        tuple(choices),
        np.array(leads, dtype=np.int64),
        tuple(throws),
        tuple(ends.values()),
    )


def _order(table: Table[Any], decision: Any) -> tuple[Any, ...]:
    """Decisions stand by what tells them, numbers ascending."""
    return tuple((name, value) for name, value in table.tell(decision).items())


@dataclass(frozen=True)
class Decisions:
    """The decisions of one turn. ``values`` (choices,) are the mover's; ``best`` and ``second`` (decisions,) are places
    in the walk's ``choices``, ``second`` -1 where there is one choice only; ``cost`` (decisions,) is what the second
    loses, and ``tie`` whether it is as good within the bound.
    """

    walk: TurnWalk
    values: Floats
    best: Ints
    second: Ints
    cost: Floats
    tie: NDArray[np.bool_]
    error_bound: float


class Decider:
    """Decides turns of one solved question; the last walks are kept. ``only``: the one decision that is asked for."""

    def __init__(self, match: Problem[Any], solved: ValueTable, before: bool, only: Any = None) -> None:
        self.match, self.solved, self.before, self.only = match, solved, before, only
        self._walks: dict[Hashable, TurnWalk] = {}

    def walk(self, start: Any) -> TurnWalk:
        """The walk of the turn that begins at ``start``, or of one like it."""
        cut = self.match.stopping_points(self.solved, start)
        key = (self.match.playable.turn_key(start), cut)
        if key not in self._walks:
            if len(self._walks) >= WALKS_KEPT:
                del self._walks[next(iter(self._walks))]
            if self.only is None:
                self._walks[key] = walk_turn(self.match.playable, start, cut, self.before)
            else:
                self._walks[key] = _leads(self.match.playable, [self.only], {})
        return self._walks[key]

    def decide(self, start: Any) -> Decisions:
        """Decide the turn that begins at ``start``."""
        match, table, walk = self.match, self.match.playable, self.walk(start)
        throws = [table.moved(throw, start) for throw in walk.throws]
        ends = [table.choices(table.moved(walk.decisions[place], start))[number].after for place, number in walk.ends]
        worth = worth_of(match, self.solved, [*throws, *ends])
        reached = worth.values[:, table.mover(start)] + [
            counts_as_turn(match.playable, one) for one in [*throws, *ends]
        ]
        bound = float(worth.error_bounds.max()) if len(worth.error_bounds) else 0.0
        values = reached[walk.leads]
        within, gains = leeway(match.players, bound), sign_of(match) * values
        found = [_rank(walk.begin, gains, bound, within, part) for part in _parts(walk.begin)]
        best, second, cost, tie = (
            (np.concatenate(column) for column in zip(*found, strict=True))
            if found
            else (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=bool))
        )
        return Decisions(walk, values, best, second, cost, tie, bound)


def _parts(begin: Ints) -> Iterator[slice]:
    """Decisions in parts whose table of choices is not too large."""
    widest = int(np.diff(begin).max(initial=1))
    step = max(1, MOST_CELLS // widest)
    for first in range(0, len(begin) - 1, step):
        yield slice(first, min(first + step, len(begin) - 1))


def _rank(
    begin: Ints, gains: Floats, bound: float, within: float, part: slice
) -> tuple[Ints, Ints, Floats, NDArray[np.bool_]]:
    """The best and the second choice of each decision, as ``advice.rank`` orders them."""
    first, count = begin[part], np.diff(begin[part.start : part.stop + 1])
    place = np.arange(int(count.max(initial=1)))
    there = place < count[:, None]
    table = np.where(there, gains[np.where(there, first[:, None] + place, 0)], -np.inf)
    loss = table.max(axis=1, keepdims=True) - table
    key = np.where(loss <= 2 * bound, 0.0, loss)
    rows = np.arange(len(first))
    best = (loss <= within).argmax(axis=1)
    key[rows, best] = np.inf
    second = key.argmin(axis=1)
    alone = count == 1
    cost = np.where(alone, np.nan, loss[rows, second])
    return first + best, np.where(alone, -1, first + second), cost, ~alone & (cost <= 2 * bound)
