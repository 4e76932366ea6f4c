"""What the push-your-luck matches share: what positions inside a turn are worth, from one kernel call for many turns.

A match supplies *lanes*: what every ending of turns is worth. The rest is the turn's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS, WIN, WIPE, Next, PushRules
from ...play.push import WIPED, Play, PushPosition
from ...play.table import Choice
from ...turns.push import BUST, Caps, Doubles, PushTurn, TurnValue
from ..contract import Listing, Match, Solved, Worth, by_seat
from .states import States

MOST_LANES = 512  # turns solved in one call with everything inside them
ENDS = "a turn's rows end one step past the points from which stopping is best; the last of them stand for more"


@dataclass(frozen=True)
class Lanes:
    """Turns and what their endings pay: ``payoff`` (channels, endings, lanes), whose first channel decides, and where
    their tables end. Banks stand in blocks of so many. Where ``shares`` are told each turn is made of the lanes from
    its number in ``begins`` to the next, so often each.
    """

    turn: PushTurn
    payoff: Doubles
    caps: Caps
    block: int
    begins: Sequence[int] = ()
    shares: Doubles = field(default_factory=lambda: np.zeros(0))

    @property
    def banks(self) -> Doubles:
        """What the first turn's banks pay."""
        found: Doubles = self.payoff[0, SPECIALS : SPECIALS + self.block, 0]
        return found

    @property
    def cap(self) -> int:
        """Where the longest table ends."""
        return int(self.caps.max())

    def solve(self) -> TurnValue:
        """Solve the turns, with everything inside them."""
        if len(self.caps) > 1:
            return self.turn.solve(self.payoff, self.caps, inner=True)
        return _solve(self.turn, self.payoff.shape[:2], self.payoff.tobytes(), self.cap)


def together(lanes: Sequence[Lanes]) -> Lanes:
    """Lanes of one turn each, side by side: those that end earlier stay as they end."""
    size = max(one.payoff.shape[1] for one in lanes)
    payoff = [np.pad(one.payoff, ((0, 0), (0, size - one.payoff.shape[1]), (0, 0)), "edge") for one in lanes]
    caps = np.concatenate([one.caps for one in lanes])
    return Lanes(lanes[0].turn, np.concatenate(payoff, axis=2), caps, max(one.block for one in lanes))


@lru_cache(maxsize=2)
def _solve(turn: PushTurn, shape: tuple[int, int], payoff: bytes, cap: int) -> TurnValue:
    """The same turn is often asked about more than once in a row."""
    return turn.solve(np.frombuffer(payoff).reshape(*shape, 1), np.array([cap], dtype=np.int32), inner=True)


class PushMatch(Match[PushPosition]):
    """A push-your-luck game: scores between turns, the turn of its rules in between."""

    table: Play

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules: PushRules = table.rules
        self.states = States(table.game.data, table.goal)

    @property
    def scores(self) -> NDArray[np.int64]:
        """The scores between turns, in points."""
        return self.states.scores * self.rules.grain

    @abstractmethod
    def lanes(self, solved: Solved, starts: Sequence[PushPosition], held: int = 0) -> Lanes:
        """The turns that begin at some positions; their tables go on far enough for ``held`` units in hand."""

    @abstractmethod
    def known(self, solved: Solved, position: PushPosition) -> list[float] | None:
        """What every seat gets where a turn begins, if it is tabled."""

    def bound(self, solved: Solved, lanes: Lanes) -> float:
        """The error bound of what is read from lanes."""
        return solved.error_bound

    def by_seats(self, values: Doubles) -> Doubles:
        """What the seats from the mover on get, by what is paid to the channels: the first axis."""
        if self.players == 2:
            return np.concatenate([values, 1 - values])
        return values

    def over(self, solved: Solved, position: PushPosition) -> list[float]:
        """What every seat gets once it is over; no turns are left to take then."""
        if self.objective == "turns":
            return [0.0]
        return [float(-share if self.table.fewer_is_better else share) for share in position.ended]

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
            elif position == begins and self.table.stage(position) == "choose":  # the best of what it leads to
                led = self.worth(solved, [choice.after for choice in self.table.choices(position)])
                best = led.by_seat[:, position.seat].argmax()
                found[number], bounds[number] = led.by_seat[best], led.error_bound.max()
            else:
                turns.setdefault(begins, []).append(number)
        for begins, numbers in turns.items():
            throws = [positions[number] for number in numbers]
            lanes = self.lanes(solved, [begins], max(self._held(one) for one in throws))
            shares = self.by_seats(self._led(lanes, throws)[:, :, 0]).T
            found[numbers] = [by_seat(begins.seat, one) for one in shares.tolist()]
            bounds[numbers] = self.bound(solved, lanes)
        return Worth(found, bounds)

    def inside(
        self,
        solved: Solved,
        starts: Sequence[PushPosition],
        leads: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Worth of whole turns, as many lanes at a time as a block of payoffs holds."""
        found = np.empty((len(starts), len(leads), self.players))
        held = max(self._held(lead) for lead in leads)
        for first in range(0, len(starts), MOST_LANES):
            part = starts[first : first + MOST_LANES]
            shares = self.by_seats(self._led(self.lanes(solved, part, held), leads))
            for number, start in enumerate(part):
                found[first + number] = np.roll(shares[:, :, number].T, start.seat, axis=1)
        return found

    def _led(self, lanes: Lanes, leads: Sequence[PushPosition | Choice[PushPosition]]) -> Doubles:
        """What leads pay by every channel: (channels, leads, turns)."""
        turn, payoff = lanes.turn, lanes.payoff
        found = np.empty((len(payoff), len(leads), payoff.shape[2]))
        by_mode: dict[tuple[int, int], dict[int, int]] = {}  # the number of a lead, and points in hand
        for number, lead in enumerate(leads):
            if isinstance(lead, PushPosition):
                by_mode.setdefault(self._mode(lead), {})[number] = min(self._held(lead), lanes.cap)
            else:
                found[:, number] = payoff[:, self._ending(lead, lanes)]
        solved = lanes.solve() if by_mode else None
        for (mode, throw), held in by_mode.items():
            assert solved is not None
            thrown, units = turn.modes[mode].throws[throw], np.array(list(held.values()))
            found[:, list(held)] = turn.throw_value(solved, payoff, thrown, units)
        if not len(lanes.shares):
            return found
        return np.asarray(np.add.reduceat(found * lanes.shares, lanes.begins, axis=2))

    def _is_last(self, position: PushPosition) -> bool:
        """Whether an opponent holds the target of a last round already."""
        return max(position.opponents) >= self.rules.target

    def _held(self, lead: PushPosition | Choice[PushPosition]) -> int:
        """What the turn counts once a position is to be thrown or a choice has ended it."""
        if isinstance(lead, PushPosition):
            return self.rules.held(lead.turn, lead.dice)
        return self.rules.held(lead.points, 0)

    def _mode(self, position: PushPosition) -> tuple[int, int]:
        """The mode in which a throw is made, and which of its throws."""
        if self.rules.choose:
            return self.rules.chosen, position.dice - 1
        return self.rules.mode_of(Next(position.dice, position.forced, position.over)), 0

    def _ending(self, choice: Choice[PushPosition], lanes: Lanes) -> int:
        """The place of a choice that ends the turn in its payoff: banks stand by the dice left, if that matters."""
        if choice.then in ("bank", "stop"):
            banks = choice.then == "bank"
            left = choice.after.offered[1] if banks and choice.after.offered else 0
            return SPECIALS + left * lanes.block + min(self._held(choice) * banks, lanes.block - 1)
        special = WIN if choice.then == "win" else WIPE if choice.action == WIPED else BUST
        return -1 - special.next

    def positions(self, told: Mapping[str, Any]) -> Listing[PushPosition]:
        """Every line of scores of the players; what is offered makes too many, so those are told."""
        if "offered" in told:
            return super().positions(told)
        scores = [int(score) * self.rules.grain for score in self.listed()]
        counted = list(product(range(len(self.rules.costs)), repeat=self.players)) if self.rules.costs else [()]
        lines = product(scores, repeat=self.players)
        starts = (self.table.begin(line, 0, self.table.turns, busts) for line in lines for busts in counted)
        return Listing(len(scores) ** self.players * len(counted), starts, ENDS)

    def listed(self) -> Sequence[int]:
        """The scores, in units, from which turns are listed."""
        found: list[int] = self.states.scores.tolist()
        return found
