"""What the push-your-luck matches share: what positions inside a turn are worth, from one kernel call for many turns.

A match supplies *lanes*: what every ending of turns is worth. The rest is the turn's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...games.pushluck import SPECIALS, WIN, WIPE, Next, PushRules
from ...play.push import WIPED, Play, PushPosition
from ...play.table import Choice
from ...turns.push_turn import BUST, Caps, Doubles
from ..problem import Found, PositionListing, Problem, ValueTable, rotate_to_seats
from ..turn_lanes import Lanes, Throwing
from .states import States

MOST_LANES = 512  # turns solved in one call with everything inside them
ENDS = "a turn's rows end one step past the points from which stopping is best; the last of them stand for more"


class PushMatch(Problem[PushPosition]):
    """A push-your-luck game: scores between turns, the turn of its rules in between."""

    playable: Play

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules: PushRules = table.rules
        self.states = States(table.game.data, table.goal)

    @property
    def scores(self) -> NDArray[np.int64]:
        """The scores between turns, in points."""
        return self.states.scores * self.rules.grain

    @abstractmethod
    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> Lanes:
        """The turns that begin at some positions; their tables go on far enough for ``held`` units in hand."""

    def ends(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> Caps:
        """Where the tables of turns end that begin at some positions."""
        return np.array([self.lanes(solved, [start], held).cap for start in starts], dtype=np.int32)

    @abstractmethod
    def known(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """What every seat gets where a turn begins that is tabled."""

    def bound(self, solved: ValueTable, lanes: Lanes) -> float:
        """The error bound of what is read from lanes."""
        return solved.error_bound

    def by_seats(self, values: Doubles) -> Doubles:
        """What the seats from the mover on get, by what is paid to the channels: the first axis."""
        if self.players == 2:
            return np.concatenate([values, 1 - values])
        return values

    def has_state(self, solved: ValueTable, position: PushPosition) -> bool:
        """Where a turn begins, but for a last one."""
        return super().has_state(solved, position) and not self._is_last(position)

    def state_values(self, solved: ValueTable, positions: Sequence[PushPosition]) -> Found:
        """As they are known."""
        return np.array([self.known(solved, position) for position in positions]), solved.error_bound

    def turn_values(self, solved: ValueTable, positions: Sequence[PushPosition]) -> Found:
        """Worth of throws, turn by turn, and of last turns that begin with a choice: the best of what it leads to."""
        found, bounds = np.empty((len(positions), self.players)), np.empty(len(positions))
        turns: dict[PushPosition, list[int]] = {}
        for number, position in enumerate(positions):
            if self.playable.stage(position) == "choose":
                led = self.seat_values(solved, [choice.after for choice in self.playable.choices(position)])
                best = led.values[:, position.seat].argmax()
                found[number], bounds[number] = led.values[best], led.error_bounds.max()
            else:
                turns.setdefault(self.playable.begun(position), []).append(number)
        for begins, numbers in turns.items():
            throws = [positions[number] for number in numbers]
            lanes = self.lanes(solved, [begins], max(self._held(one) for one in throws))
            shares = self.by_seats(self._led(lanes, throws)[:, :, 0]).T
            found[numbers] = [rotate_to_seats(begins.seat, one) for one in shares.tolist()]
            bounds[numbers] = self.bound(solved, lanes)
        return found, bounds

    def continuation_values(
        self,
        solved: ValueTable,
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
        found = np.empty((len(lanes.payoff), len(leads), lanes.payoff.shape[2]))
        throws = dict[int, Throwing]()  # by the number of a lead
        for number, lead in enumerate(leads):
            if isinstance(lead, PushPosition):
                throws[number] = Throwing(*self._mode(lead), self._held(lead))
            else:
                found[:, number] = lanes.payoff[:, self._ending(lead, lanes)]
        if throws:
            found[:, list(throws)] = lanes.throws(list(throws.values()))
        if not len(lanes.shares):
            return found
        return np.asarray(np.add.reduceat(found * lanes.shares, lanes.begins, axis=2))

    def _is_last(self, position: PushPosition) -> bool:
        """Whether an opponent holds the target of a last round already."""
        return max(position.opponents, default=0) >= self.rules.target

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
        return -1 - special.next_mode

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[PushPosition]:
        """Every line of scores of the players; what is offered makes too many, so those are told."""
        if "offered" in told:
            return super().list_positions(told)
        scores = [int(score) * self.rules.grain for score in self.listed()]
        counted = list(product(range(len(self.rules.costs)), repeat=self.players)) if self.rules.costs else [()]
        lines = product(scores, repeat=self.players)
        starts = (self.playable.begin(line, 0, self.playable.turns, busts) for line in lines for busts in counted)
        return PositionListing(len(scores) ** self.players * len(counted), starts, ENDS)

    def listed(self) -> Sequence[int]:
        """The scores, in units, from which turns are listed."""
        found: list[int] = self.states.scores.tolist()
        return found
