"""Any small game that never comes back to where it was: its positions are listed as it is played, and solved.

Whoever adds a game need not write equations for it (``docs/design.md``): its rules and how it is played are enough.

Listed are the positions in which dice are thrown, a turn begins with a choice, two choices follow each other, or the
game is over. Each is worth the mean, over what may fall, of the best that the mover can do then. Of two players only
what the first gets is worked out, as the other gets the rest: the second chooses the least of it. With u = 2^-53 and M
the most that is reached, a mean of k parts adds at most (k + 2) u M to the error of what it is made of, a turn that is
counted u M, and an end that no float tells u M.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from ..play.table import Choice
from ..play.walk import counts_as_turn, open_choices
from ..util import progress_reporting
from ..util.errors import InputError
from ..util.progress_reporting import OpenEndedProgress
from .cost_estimates import SolveCost, judge
from .distribution import Distribution
from .problem import ArraySpec, Floats, PositionListing, Problem, Progress, SeatValues, ValueTable

Position = TypeVar("Position", bound=Hashable)
Falls: TypeAlias = dict[tuple[int, tuple[Position, ...]], int]  # who chooses between what, and how often

MOST_POSITIONS = 1_000_000
SOME = 1_000  # positions that a turn has, roughly
LISTING, SOLVING, BYTES = 3e-4, 2e-5, 2000.0  # seconds and bytes of a position
ROUND = 2.0**-53


class Part(NamedTuple):
    """What falls so often: who chooses then, and between which places; whether each ends a turn that counts."""

    weight: int
    mover: int
    leads: tuple[int, ...]
    ends: tuple[bool, ...]


class Listed(Problem[Position]):
    """The value of every position that can follow from the start."""

    is_quick = True

    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self._places: dict[Position, int] = {}  # each after those that it leads to
        self._parts: list[list[Part]] = []  # none where the game is over
        self._seen: dict[Position, Falls[Position]] = {}  # what may fall, where it was asked before
        self._sign = -1 if table.fewer_is_better else 1

    @cached_property
    def _stored(self) -> list[Position]:
        """The positions that can follow from the start, which tables hold: they are listed first, once asked for."""
        what = f"listing the positions of {self.game.title}"
        with progress_reporting.start_progress(f"{what}, a turn") as progress:
            about = self._about(OpenEndedProgress(progress, SOME))
        judge(what, SolveCost(BYTES * about, LISTING * about), anyway=True)
        with progress_reporting.start_progress(what) as progress:
            self._walk(self.playable.start(), lambda listed: progress(min(0.99, listed / about)))
        return [*self._places]

    def _about(self, looked: OpenEndedProgress) -> int:
        """Roughly how many positions there are: those of the first turn, and as many for each way to hand it on."""
        handed, todo = set[Position](), [self.playable.start()]
        while todo:
            position = todo.pop()
            looked()
            self._seen[position] = self._falls(position)
            new = {one for _, after in self._seen[position] for one in after} - self._seen.keys() - handed
            handed |= {one for one in new if self.playable.turn_begins(one)}
            todo += new - handed
            if len(self._seen) + len(todo) > MOST_POSITIONS:
                break  # the walk refuses
        return len(self._seen) * (1 + len(handed))

    def _walk(self, start: Position, progress: Progress = lambda listed: None) -> None:
        """List what can follow a position, and it; ``progress`` is told how many are."""
        begun: dict[Position, Falls[Position]] = {}
        todo = [start]
        while todo:
            position = todo[-1]
            if position in self._places:
                todo.pop()
            elif position in begun:
                falls = begun.pop(todo.pop())
                self._parts.append([self._part(weight, mover, after) for (mover, after), weight in falls.items()])
                self._places[position] = len(self._places)
                progress(len(self._places))
            else:
                begun[position] = self._seen.pop(position) if position in self._seen else self._falls(position)
                more = {one for _, after in begun[position] for one in after if one not in self._places}
                if not more.isdisjoint(begun):
                    raise InputError(
                        f"{self.game.id} can come back to where it was: listing positions does not solve it"
                    )
                todo += more
            if len(todo) + len(self._places) > MOST_POSITIONS:
                raise InputError(f"{self.game.id} has more than {MOST_POSITIONS:,} positions: too many to be listed")

    def _falls(self, position: Position) -> Falls[Position]:
        """What may fall: who chooses then between which positions, and how often."""
        table, stage = self.playable, self.playable.stage(position)
        if stage == "over":
            return {}
        found: Falls[Position] = {}
        for weight, fallen in self._fallen(position):
            inside = table.stage(fallen) == "choose" and (fallen == position or not table.turn_begins(fallen))
            after = tuple(dict.fromkeys(one.after for one in open_choices(table, fallen))) if inside else (fallen,)
            key = table.mover(fallen), after
            found[key] = found.get(key, 0) + weight
        return found

    def _part(self, weight: int, mover: int, after: Sequence[Position]) -> Part:
        ends = tuple(counts_as_turn(self.playable, one) for one in after)
        return Part(weight, mover, tuple(self._places[one] for one in after), ends)

    def _gains(self, known: list[tuple[float, float]]) -> list[tuple[float, float]]:
        """What the first seat gets, and how far that may be off, from the place on where what is known ends."""
        for position, parts in islice(zip(self._places, self._parts, strict=True), len(known), None):
            if not parts:
                over = 0 if self.objective == "turns" else self.playable.outcome(position)[0]
                known.append((float(over), ROUND * abs(float(over)) * (float(over) != over)))
                continue
            total, off, most = 0.0, 0.0, 0.0
            for weight, mover, leads, ends in parts:
                reached = [known[lead][0] - end for lead, end in zip(leads, ends, strict=True)]
                total += weight * (min(reached) if mover else max(reached))
                off = max(off, *(known[lead][1] for lead in leads))
                most = max(most, *map(abs, reached))
            known.append((total / sum(part.weight for part in parts), off + (len(parts) + 3) * ROUND * most))
        return known

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Every position, each after those that it leads to."""
        stored = len(self._stored)
        known = self._gains([])[:stored]
        return ValueTable({"worth": np.array([gets for gets, _ in known]) * self._sign}, max(off for _, off in known))

    def followed(self, solved: ValueTable, choose: Callable[[Position], Choice[Position]]) -> list[tuple[float, float]]:
        """What the first seat gets where one seat chooses so and the other by the table, seat by seat, and how far that
        may be off.
        """
        best = dict(zip(self._stored, (solved.arrays["worth"] * self._sign).tolist(), strict=True))
        known: dict[Position, list[tuple[float, float]]] = {}
        seats = range(self.playable.players)
        for position in self._stored:
            if self.playable.stage(position) == "over":
                over = float(self.playable.outcome(position)[0])
                known[position] = [(over, ROUND * abs(over)) for _ in seats]
                continue
            parts = [
                (weight, self._chosen(fallen, position, choose, best)) for weight, fallen in self._fallen(position)
            ]
            whole, known[position] = sum(weight for weight, _ in parts), []
            for seat in seats:
                reached = [(weight, *known[after[seat]][seat]) for weight, after in parts]
                most = max(abs(worth) for _, worth, _ in reached)
                off = max(within for _, _, within in reached) + (len(parts) + 3) * ROUND * most
                known[position].append((sum(weight * worth for weight, worth, _ in reached) / whole, off))
        return known[self.playable.start()]

    def _fallen(self, position: Position) -> list[tuple[int, Position]]:
        return [(1, position)] if self.playable.stage(position) == "choose" else list(self.playable.throws(position))

    def _chosen(
        self,
        fallen: Position,
        before: Position,
        choose: Callable[[Position], Choice[Position]],
        best: dict[Position, float],
    ) -> list[Position]:
        """Where what has fallen leads, by the seat that chooses so."""
        table = self.playable
        if table.stage(fallen) != "choose" or (fallen != before and table.turn_begins(fallen)):
            return [fallen] * table.players
        mover = table.mover(fallen)
        found = [choose(fallen).after] * table.players
        if table.players > 1:
            pick = min if mover else max
            found[1 - mover] = pick((one.after for one in open_choices(table, fallen)), key=best.__getitem__)
        return found

    def estimate_cost(self, threads: int) -> SolveCost:
        """By the number of positions, which are listed first."""
        return SolveCost(BYTES * len(self._stored), SOLVING * len(self._stored))

    @cached_property
    def _ends(self) -> list[tuple[Fraction, ...]]:
        """How the game can end."""
        return [self.playable.outcome(one) for one, parts in zip(self._stored, self._parts, strict=False) if not parts]

    def array_specs(self) -> dict[str, ArraySpec]:
        """By position, from the least to the most that ends of the game are worth to the first seat, or turns."""
        shape = (len(self._stored),)
        if self.objective == "turns":
            return {"worth": ArraySpec(shape, 0.0, float(len(self._stored)))}
        worth = sorted(self._sign * float(one[0]) for one in self._ends)
        return {"worth": ArraySpec(shape, worth[0], worth[-1])}

    def seat_values(self, solved: ValueTable, positions: Sequence[Position]) -> SeatValues:
        """As listed; positions that cannot follow from the start are listed first."""
        known = self._known(solved, positions)
        found = [known[self._places[position]] for position in positions]
        first, off = (np.array(column) for column in zip(*found, strict=True)) if found else (np.empty(0),) * 2
        return self._by_seat(first * self._sign, off)

    def _known(self, solved: ValueTable, positions: Sequence[Position]) -> list[tuple[float, float]]:
        """What the first seat gets by place, once these positions are listed."""
        for position in (self._stored[-1], *positions):  # what can follow from the start comes first
            self._walk(position)
        stored = (solved.arrays["worth"] * self._sign).tolist()
        return self._gains([(gets, solved.error_bound) for gets in stored])

    @abstractmethod
    def _by_seat(self, first: Floats, off: Floats) -> SeatValues:
        """What every seat gets, where the first gets so much, to so much."""

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[Position]:
        """Those between turns, the start first."""
        found = [one for one in reversed(self._stored) if self.playable.turn_begins(one)]
        return PositionListing(len(found), found)


class Alone(Listed[Position]):
    """Of one player."""

    def check_distribution(self) -> None:
        """Only points have one."""
        if self.objective != "points":
            super().check_distribution()

    def distribution(
        self, solved: ValueTable, position: Position, progress: Progress = lambda done: None
    ) -> Distribution:
        """The points, in exact fractions, under the best play; among ties the first choice."""
        if self.playable.stage(position) == "choose" and not self.playable.turn_begins(position):
            raise InputError("a distribution is asked for before a throw; leave the roll out")
        gains = [gets for gets, _ in self._known(solved, [position])]
        chances = {self._places[position]: Fraction(1)}
        found: dict[int, Fraction] = {}
        listed = [*self._places]
        for place in range(self._places[position], -1, -1):  # whatever leads to a place stands after it
            if (chance := chances.pop(place, None)) is None:
                continue
            if not self._parts[place]:
                total = int(self._sign * self.playable.outcome(listed[place])[0])
                found[total] = found.get(total, Fraction(0)) + chance
            whole = sum(part.weight for part in self._parts[place])
            for part in self._parts[place]:
                best = max(gains[lead] for lead in part.leads)
                lead = next(one for one in part.leads if best - gains[one] <= 2 * solved.error_bound)
                chances[lead] = chances.get(lead, Fraction(0)) + chance * part.weight / whole
        return Distribution.of(found)

    def _by_seat(self, first: Floats, off: Floats) -> SeatValues:
        return SeatValues(first[:, None], off)


class Two(Listed[Position]):
    """Of two who share what there is; of more it would matter to the others how a mover's ties are broken."""

    player_range = (2, 2)

    def _by_seat(self, first: Floats, off: Floats) -> SeatValues:
        whole = {sum(one) for one in self._ends}
        if len(whole) > 1:
            raise InputError(f"{self.game.id}: what two players get must always add up to the same")
        rest = float(whole.pop()) - first
        return SeatValues(np.stack([first, rest], axis=1), off + ROUND * np.abs(rest))
