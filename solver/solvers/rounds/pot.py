"""Games of one turn each for a pot: each player in turn, the best total wins, ties play again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, TypeVar

import numpy as np

from ...play.pot import PotPosition, PotTable
from ...play.seats import playing
from ...play.showdown import Play, ShowdownPosition
from ..problem import ArraySpec, Found, PositionListing, Progress, ValueTable
from .playoff import MOST_PLAYERS, Showdown, Standing
from .problem import Floats, RoundMatch

Place = TypeVar("Place", bound=PotPosition)


class Pot(RoundMatch[Place]):
    """The chance to win the pot. Values: ``states0`` .. by players who have played, see ``playoff``."""

    player_range = (2, MOST_PLAYERS)
    playable: PotTable[Place]
    place: ClassVar[type[PotPosition]]

    def score_of(self, total: int) -> int:
        """The score of the compiled turn that stands for a total."""
        return total

    def total_of(self, score: int) -> int:
        """The total that a score of the compiled turn stands for."""
        return score

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every best total and number of players who hold it."""
        showdown = Showdown(self.rules, self.players, self.playable.share)
        arrays = {f"states{played}": table for played, table in enumerate(showdown.table)}
        return ValueTable(arrays, showdown.error)

    def array_specs(self) -> dict[str, ArraySpec]:
        """The states, by how many have played."""
        shapes = ((self.rules.most + 1, played + 1, self.players) for played in range(self.players + 1))
        return {f"states{played}": ArraySpec(shape, seat_axis=-1) for played, shape in enumerate(shapes)}

    @cached_property
    def _smaller(self) -> Showdown:
        """Playoffs of fewer than all players."""
        return Showdown(self.rules, self.players - 1)

    def _table(self, solved: ValueTable, standing: Standing) -> Sequence[Floats]:
        """The states of a playoff of so many, or of the whole game."""
        size = len(standing.seats)
        if size < self.players:
            return self._smaller.of(size).table
        return [solved.arrays[f"states{played}"] for played in range(self.players + 1)]

    def _standing(self, position: Place) -> Standing:
        seats = playing(position.playoff, self.players)
        best = self.score_of(position.beat) if position.holders else 0
        return Standing(seats, seats.index(position.seat), best, position.holders)

    def state_values(self, solved: ValueTable, positions: Sequence[Place]) -> Found:
        """Chances of those who hold the best total and of those still to come."""
        standings = [self._standing(position) for position in positions]
        found = [one.chances(self._table(solved, one), self.players) for one in standings]
        return np.array(found), solved.error_bound

    def lanes(self, solved: ValueTable, starts: Sequence[Place]) -> Floats:
        """What each total of the mover is worth."""
        standings = [self._standing(start) for start in starts]
        return np.stack([one.worth(self._table(solved, one), self.players) for one in standings], axis=2)

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[Place]:
        """Every total to beat, whoever plays; which seats hold it changes no choice, so the first ones do."""
        listed = list(self._listed())
        return PositionListing(len(listed), listed)

    def _listed(self) -> Iterator[Any]:
        for size in range(self.players, self.players - 1 if self.playable.share else 1, -1):
            for seats in combinations(range(self.players), size):
                playoff = seats if size < self.players else ()
                yield self.place(seats[0], playoff=playoff)
                for played in range(1, size):
                    for beat in self.rules.scores:
                        for tied in range(played if beat == self.rules.scores[0] else 1, played + 1):
                            yield self.place(seats[played], self.total_of(beat), seats[:tied], playoff)

    def roles(self, position: Place) -> list[str]:
        """Who is who, from the player to move on."""
        roles = dict.fromkeys(range(self.players), "who is out")
        for number, seat in enumerate(position.holders, 1):
            only = position.tied == 1
            roles[seat] = f"who holds {position.beat}" if only else f"holder {number} of {position.beat}, in order"
        later = [seat for seat in playing(position.playoff, self.players) if seat >= position.seat]
        for number, seat in enumerate(later):
            roles[seat] = f"player {number} after you" if number else "you"
        return [roles[seat] for seat in self.playable.seats_from(position.seat)]


class Win(Pot[ShowdownPosition]):
    """Going to Boston and Multiplication for a pot."""

    playable: Play
    place = ShowdownPosition

    def extra_results(self, solved: ValueTable, position: ShowdownPosition) -> Mapping[str, Any]:
        """The pot, what the mover's share of it is worth, and for three and more who is who."""
        pot = int(str(self.game.rules["pot"]))
        told = {"pot": pot, "equity": pot * self._chance(solved, position)}
        if self.players == 2:
            return told
        return {**super().extra_results(solved, position), **told, "roles": self.roles(position)}

    def _chance(self, solved: ValueTable, position: ShowdownPosition) -> float:
        here = [position]
        if self.playable.stage(position) == "choose":
            here = [choice.after for choice in self.playable.choices(position)]
        return float(self.seat_values(solved, here).values[:, position.seat].max())
