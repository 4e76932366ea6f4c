"""Any small game that never comes back to where it was: its positions are listed as it is played, and solved.

Whoever adds a game need not write equations for it (``docs/design.md``): its rules and how it is played are enough.

Listed are the positions in which dice are thrown, a turn begins with a choice, two choices follow each other, or the
game is over. Each is worth the mean, over what may fall, of the best that the mover can do then. With u = 2^-53 and M
the most that anybody gets or loses, a mean of k parts adds at most (k + 2) u M to the error of what it is made of, and
a turn that is counted u M.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..errors import InputError
from ..play.walk import open_choices
from .contract import Listing, Match, Progress, Range, Solved, Worth
from .costs import Cost

Position = TypeVar("Position", bound=Hashable)

MOST_POSITIONS = 1_000_000
SECONDS, BYTES = 1e-4, 2000.0  # a position
ROUND = 2.0**-53


class Part(NamedTuple):
    """What falls so often: who chooses then, and between which places; whether each ends a turn that counts."""

    weight: int
    mover: int
    leads: tuple[int, ...]
    ends: tuple[bool, ...]


class Listed(Match[Position]):
    """The value of every position that can follow from the start."""

    quick = True

    def __init__(self, table: Any) -> None:
        super().__init__(table)
        self._places: dict[Position, int] = {}  # each after those that it leads to
        self._parts: list[list[Part]] = []  # none where the game is over
        self._sign = -1 if table.fewer_is_better else 1

    @cached_property
    def _stored(self) -> list[Position]:
        """The positions that can follow from the start, which tables hold: they are listed first, once asked for."""
        self._walk(self.table.start())
        return [*self._places]

    def _walk(self, start: Position) -> None:
        """List what can follow a position, and it."""
        begun: dict[Position, dict[tuple[int, tuple[Position, ...]], int]] = {}
        todo = [start]
        while todo:
            position = todo[-1]
            if position in self._places:
                todo.pop()
            elif position in begun:
                falls = begun.pop(todo.pop())
                self._parts.append([self._part(weight, mover, after) for (mover, after), weight in falls.items()])
                self._places[position] = len(self._places)
            else:
                begun[position] = self._falls(position)
                more = {one for _, after in begun[position] for one in after if one not in self._places}
                if not more.isdisjoint(begun):
                    raise InputError(
                        f"{self.game.id} can come back to where it was: listing positions does not solve it"
                    )
                todo += more
            if len(todo) + len(self._places) > MOST_POSITIONS:
                raise InputError(f"{self.game.id} has more than {MOST_POSITIONS:,} positions: too many to be listed")

    def _falls(self, position: Position) -> dict[tuple[int, tuple[Position, ...]], int]:
        """What may fall: who chooses then between which positions, and how often."""
        table, stage = self.table, self.table.stage(position)
        if stage == "over":
            return {}
        found: dict[tuple[int, tuple[Position, ...]], int] = {}
        for weight, fallen in [(1, position)] if stage == "choose" else table.throws(position):
            inside = table.stage(fallen) == "choose" and (fallen == position or not table.turn_begins(fallen))
            after = tuple(dict.fromkeys(one.after for one in open_choices(table, fallen))) if inside else (fallen,)
            key = table.mover(fallen), after
            found[key] = found.get(key, 0) + weight
        return found

    def _part(self, weight: int, mover: int, after: Sequence[Position]) -> Part:
        table, turns = self.table, self.objective == "turns"
        ends = tuple(turns and (table.turn_begins(one) or table.stage(one) == "over") for one in after)
        return Part(weight, mover, tuple(self._places[one] for one in after), ends)

    def _gains(self, known: list[tuple[list[float], float]]) -> list[tuple[list[float], float]]:
        """What every seat gets, and how far that may be off, from the place on where what is known ends."""
        positions, seats = [*self._places], range(self.players)
        for position, parts in list(zip(positions, self._parts, strict=True))[len(known) :]:
            if not parts:
                over = [0.0] * self.players if self.objective == "turns" else self.table.outcome(position)
                known.append(([float(one) for one in over], 0.0))
                continue
            best, off, most = [], 0.0, 0.0
            for _, mover, leads, ends in parts:
                reached = [[one - end for one in known[lead][0]] for lead, end in zip(leads, ends, strict=True)]
                best.append(max(reached, key=itemgetter(mover)))
                off = max(off, *(known[lead][1] for lead in leads))
                most = max(most, *(abs(one) for gets in reached for one in gets))
            total = sum(part.weight for part in parts)
            mean = [
                sum(part.weight * gets[seat] for part, gets in zip(parts, best, strict=True)) / total for seat in seats
            ]
            known.append((mean, off + (len(parts) + 3) * ROUND * most))
        return known

    def solve(self, threads: int, progress: Progress) -> Solved:
        """Every position, each after those that it leads to."""
        stored = len(self._stored)
        known = self._gains([])[:stored]
        return Solved({"worth": np.array([gets for gets, _ in known]) * self._sign}, max(off for _, off in known))

    def cost(self, threads: int) -> Cost:
        """By the number of positions."""
        return Cost(BYTES * len(self._stored), SECONDS * len(self._stored))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """By position and seat."""
        return {"worth": (len(self._stored), self.players)}

    def ranges(self) -> dict[str, Range]:
        """What the ends of the game are worth, or how many turns a game can have."""
        if self.objective == "turns":
            return {"worth": (0.0, float(len(self._stored)))}
        over = [here for place, here in enumerate(self._stored) if not self._parts[place]]
        worth = sorted(self._sign * float(one) for here in over for one in self.table.outcome(here))
        return {"worth": (worth[0], worth[-1])}

    def worth(self, solved: Solved, positions: Sequence[Position]) -> Worth:
        """As listed; positions that cannot follow from the start are listed first."""
        for position in (self._stored[-1], *positions):  # what can follow from the start comes first
            self._walk(position)
        stored = (solved.arrays["worth"] * self._sign).tolist()
        known = self._gains([(gets, solved.error_bound) for gets in stored])
        found = [known[self._places[position]] for position in positions]
        by_seat = np.array([gets for gets, _ in found]).reshape(len(found), self.players) * self._sign
        return Worth(by_seat, np.array([off for _, off in found]))

    def positions(self, told: Mapping[str, Any]) -> Listing[Position]:
        """Those between turns, the start first."""
        found = [one for one in reversed(self._stored) if self.table.turn_begins(one)]
        return Listing(len(found), found)


class Alone(Listed[Position]):
    """Of one player."""


class Two(Listed[Position]):
    """Of two who share what there is; of more it would matter to the others how a mover's ties are broken."""

    seats = (2, 2)
