"""What the push-your-luck matches share: the worth of positions inside a turn, from one kernel call for each turn.

A match supplies the *lane* of a turn: what every ending of it is worth to the mover. The rest is the turn's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from ...core.push import LANES
from ...games.pushluck import SPECIALS, WIN, WIPE, Next, PushRules
from ...play.push import WIPED, Play, PushPosition
from ...play.table import Choice
from ...turns.push import BUST, Caps, Doubles, PushTurn, TurnValue, pad
from ..contract import Listing, Match, Solved, Worth, by_seat
from .ladder import Ladder

MOST_LANES = 512  # turns solved in one call with everything inside them
ENDS = "a turn's rows end one step past the points from which stopping is best; the last of them stand for more"


@dataclass(frozen=True)
class Lane:
    """One turn's endings: worth of stopping with t units in hand, of a bust, of winning at once and of losing the whole
    score, and the cap (see PushTurn.solve).
    """

    banks: Doubles
    cap: int
    bust: float
    win: float
    wipe: float

    @property
    def payoff(self) -> Doubles:
        """The endings as one block of equal lanes: (1, endings, LANES)."""
        endings = np.concatenate(([self.bust, self.win, self.wipe], self.banks))
        return np.repeat(endings[None, :, None], LANES, axis=2)

    @property
    def caps(self) -> Caps:
        """The cap of each lane of that block."""
        return np.full(LANES, self.cap, dtype=np.int32)


class PushMatch(Match[PushPosition]):
    """A push-your-luck game: scores between turns, the turn of its rules in between."""

    table: Play

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules: PushRules = table.rules
        self.ladder = Ladder(table.game.data)

    @property
    def turn(self) -> PushTurn:
        """The turn that the lanes are for."""
        return self.rules.turn

    @abstractmethod
    def lane(self, solved: Solved, position: PushPosition, held: int = 0) -> Lane:
        """The lane of the turn that a position stands in; its table goes on far enough for ``held`` units in hand."""

    @abstractmethod
    def bound(self, solved: Solved, lane: Lane) -> float:
        """The error bound of what is read from a lane."""

    @abstractmethod
    def beginning(self, solved: Solved, position: PushPosition) -> float | None:
        """The value of a turn that begins, if it is tabled."""

    def over(self, solved: Solved, position: PushPosition) -> list[float]:
        """What every seat gets once it is over; no turns are left to take then."""
        if self.objective == "turns":
            return [0.0]
        return [float(-share if self.table.fewer_is_better else share) for share in position.ended]

    def told(self, payoff: Doubles) -> Doubles:
        """The values that payoffs to the mover stand for."""
        return payoff

    def worth(self, solved: Solved, positions: Sequence[PushPosition]) -> Worth:
        """Worth of positions: read from the table where a turn begins, and of throws turn by turn."""
        found = np.empty((len(positions), self.players))
        bounds = np.full(len(positions), solved.error_bound)
        turns: dict[PushPosition, list[int]] = {}
        for number, position in enumerate(positions):
            begins = self.table.begun(position)
            if position.ended:
                found[number] = self.over(solved, position)
            elif position == begins and (known := self.known(solved, position)) is not None:
                found[number] = known
            else:
                turns.setdefault(begins, []).append(number)
        for begins, numbers in turns.items():
            found[numbers], bounds[numbers] = self.within(solved, begins, [positions[number] for number in numbers])
        return Worth(found, bounds)

    def known(self, solved: Solved, position: PushPosition) -> list[float] | None:
        """What every seat gets where a turn begins, if it is tabled."""
        value = self.beginning(solved, position)
        return None if value is None else self._seats(position, value)

    def within(
        self, solved: Solved, begins: PushPosition, positions: Sequence[PushPosition]
    ) -> tuple[Sequence[Sequence[float]] | Doubles, float]:
        """What every seat gets from positions of one turn in which the dice are about to be thrown, and the bound."""
        lane = self.lane(solved, begins, max(self.rules.held(one.turn, one.dice) for one in positions))
        values = self.told(self._throws(lane, positions)).tolist()
        return [self._seats(begins, value) for value in values], self.bound(solved, lane)

    def _seats(self, position: PushPosition, value: float) -> list[float]:
        return [value] if self.players == 1 else by_seat(position.seat, [value, 1 - value])

    def _throws(self, lane: Lane, positions: Sequence[PushPosition]) -> Doubles:
        """Payoff of positions of one turn in which the dice are about to be thrown."""
        rules = self.rules
        solved, payoff = solve_lane(self.turn, lane)
        found = np.empty(len(positions))
        by_mode: dict[tuple[int, int], list[int]] = {}
        for number, position in enumerate(positions):
            by_mode.setdefault(self._mode(position), []).append(number)
        for (mode, throw), numbers in by_mode.items():
            held = [rules.held(positions[number].turn, positions[number].dice) for number in numbers]
            units = np.minimum(held, lane.cap)
            found[numbers] = self.turn.throw_values(solved, payoff, mode, units)[throw, :, 0]
        return found

    def _mode(self, position: PushPosition) -> tuple[int, int]:
        """The mode in which a throw is made, and which of its throws."""
        if self.rules.choose:
            return self.rules.chosen, position.dice - 1
        return self.rules.mode_of(Next(position.dice, position.forced, position.over)), 0

    def inside(
        self,
        solved: Solved,
        starts: Sequence[PushPosition],
        leads: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Worth of whole turns, as many lanes at a time as a block of payoffs holds."""
        found = np.empty((len(starts), len(leads), self.players))
        for first in range(0, len(starts), MOST_LANES):
            part = starts[first : first + MOST_LANES]
            shares = self.shares(solved, part, leads)
            for number, start in enumerate(part):
                found[first + number] = np.roll(shares[:, :, number].T, start.seat, axis=1)
        return found

    def shares(
        self, solved: Solved, starts: Sequence[PushPosition], leads: Sequence[PushPosition | Choice[PushPosition]]
    ) -> Doubles:
        """What the seats from the mover on get from leads: (seats, leads, starts)."""
        held = max(self._held(lead) for lead in leads)
        values = self._movers([self.lane(solved, start, held) for start in starts], leads)
        return np.array([values] if self.players == 1 else [values, 1 - values])

    def _held(self, lead: PushPosition | Choice[PushPosition]) -> int:
        """What the turn counts once a position is to be thrown or a choice has ended it."""
        if isinstance(lead, PushPosition):
            return self.rules.held(lead.turn, lead.dice)
        return self.rules.held(lead.points, 0)

    def _movers(self, lanes: Sequence[Lane], leads: Sequence[PushPosition | Choice[PushPosition]]) -> Doubles:
        """What the mover gets: (leads, lanes)."""
        turn, count = self.turn, len(lanes)
        caps = np.array([lane.cap for lane in lanes], dtype=np.int32)
        caps = np.concatenate([caps, np.repeat(caps[-1:], pad(count) - count)])
        top = int(caps.max())
        payoff = np.zeros((1, SPECIALS + max(len(lane.banks) for lane in lanes), len(caps)))
        for number, lane in enumerate(lanes):
            payoff[0, :SPECIALS, number] = lane.bust, lane.win, lane.wipe
            payoff[0, SPECIALS:, number] = lane.banks[-1]
            payoff[0, SPECIALS : SPECIALS + len(lane.banks), number] = lane.banks
        solved = turn.solve(payoff, caps, inner=True)
        found = np.empty((len(leads), count))
        by_mode: dict[tuple[int, int], dict[int, int]] = {}  # the number of a lead, and points in hand
        for number, lead in enumerate(leads):
            if isinstance(lead, PushPosition):
                by_mode.setdefault(self._mode(lead), {})[number] = min(self._held(lead), top)
            else:
                found[number] = payoff[0, self._ending(lead, top), :count]
        for (mode, throw), held in by_mode.items():
            units = np.array(list(held.values()))
            found[list(held)] = turn.throw_values(solved, payoff, mode, units, count)[throw]
        return self.told(found)

    def _ending(self, choice: Choice[PushPosition], top: int) -> int:
        """The place of a choice that ends the turn in its payoff."""
        if choice.then in ("bank", "stop"):
            return SPECIALS + min(self._held(choice) * (choice.then == "bank"), top)
        special = WIN if choice.then == "win" else WIPE if choice.action == WIPED else BUST
        return -1 - special.next

    def positions(self, told: Mapping[str, Any]) -> Listing[PushPosition]:
        """Every line of scores of the players."""
        scores = [int(score) * self.rules.grain for score in self.listed()]
        counted = list(product(range(len(self.rules.costs)), repeat=self.players)) if self.rules.costs else [()]
        lines = product(product(scores, repeat=self.players), counted)
        starts = (self.table.begin(line, 0, self.table.turns, busts) for line, busts in lines)
        return Listing(len(scores) ** self.players * len(counted), starts, ENDS)

    def listed(self) -> Sequence[int]:
        """The scores, in units, from which turns are listed."""
        found: list[int] = self.ladder.scores.tolist()
        return found


def solve_lane(turn: PushTurn, lane: Lane) -> tuple[TurnValue, Doubles]:
    """Solve one lane (the first of a block of copies) with its inner table; returns it with the payoff."""
    return _solve(turn, (lane.bust, lane.win, lane.wipe), lane.banks.tobytes(), lane.cap)


@lru_cache(maxsize=2)
def _solve(turn: PushTurn, specials: tuple[float, ...], banks: bytes, cap: int) -> tuple[TurnValue, Doubles]:
    """The same turn is often asked about more than once in a row."""
    lane = Lane(np.frombuffer(banks), cap, *specials)
    payoff = lane.payoff
    return turn.solve(payoff, lane.caps, inner=True), payoff
