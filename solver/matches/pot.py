"""Going to Boston and Multiplication for a pot: each player in turn, the highest total wins, ties play again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Advice, Choice, PositionValue
from ..errors import InputError
from ..games import Game
from ..games.rounddice import pick_number
from ..games.rounds import Inside, RoundTurn
from . import Solved, no_parameters
from .playoff import MOST_PLAYERS, Showdown, worth_of_scores
from .roundchoices import best, choices
from .rounds import advice, read_inside, show_inside

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PotPosition:
    """A position: players who have played, the best total among them and how many hold it, and where in the turn."""

    seat: int
    beat: int
    tied: int
    inside: Inside | None


class Win:
    """The chance to win the pot. Values: ``states0`` .. by players who have played, see ``playoff``."""

    objective = "win"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        players = 2 if players is None else players
        if not 2 <= players <= MOST_PLAYERS:
            raise InputError(f"players must lie between 2 and {MOST_PLAYERS}, not {players}")
        self.game = game
        self.players = players
        self.parameters: dict[str, int] = {}
        self.rules: RoundTurn = game.data

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every best total and number of players who hold it."""
        showdown = Showdown(self.rules, self.players)
        arrays = {f"states{played}": table for played, table in enumerate(showdown.table)}
        return Solved(arrays, showdown.error)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        players = self.players
        return {f"states{played}": (self.rules.most + 1, played + 1, players) for played in range(players + 1)}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(
        self,
        *,
        seat: object = None,
        beat: object = None,
        tied: object = None,
        throw: object = None,
        kept: object = None,
        roll: object = None,
    ) -> PotPosition:
        """Check a position: players who have played, the total to beat, how many hold it, and the turn."""
        inside = read_inside(self.rules, throw=throw, kept=kept, roll=roll)
        if beat is None:
            if tied is not None:
                raise InputError("tied says how many hold the total to beat: beat must be given too")
            if seat not in (None, 0, "0"):
                raise InputError("once somebody has played, beat must tell the best total so far")
            return PotPosition(0, 0, 0, inside)
        target = pick_number(beat, "beat")
        if target not in self.rules.scores:
            near = sorted(sorted(self.rules.scores, key=lambda one: abs(one - target))[:2])
            raise InputError(f"no dice make the total {target} to beat; nearest: {near[0]} and {near[1]}")
        holding = 1 if tied is None else pick_number(tied, "tied", 1)
        if seat is None:
            if self.players > 2:
                raise InputError(f"of {self.players} players seat must tell how many have played")
            seat = 1
        played = pick_number(seat, "seat")
        if not 1 <= played < self.players:
            seats = "must be 1" if self.players == 2 else f"must lie between 1 and {self.players - 1}"
            raise InputError(f"seat {played} {seats}: how many of {self.players} players have played")
        if holding > played:
            raise InputError(
                f"{holding} players cannot hold the best total when {played} of {self.players} have played"
            )
        return PotPosition(played, target, holding, inside)

    def show(self, position: PotPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        held = {"beat": position.beat, "tied": position.tied} if position.seat else {}
        return {"seat": position.seat, **held, **show_inside(position.inside)}

    def value(self, solved: Solved, position: PotPosition) -> PositionValue:
        """Chances from the mover on: those to come, those who hold the best total (in order), the others."""
        later = self.players - position.seat - 1
        pot = int(self.game.rules["pot"])
        regret = {"regret": 2 * solved.error_bound} if self.players > 2 else {}
        if position.inside is not None:
            mine = best(self._choices(solved, position))
            return PositionValue(mine, extra={**regret, "pot": pot, "equity": pot * mine})
        row = solved.arrays[f"states{position.seat}"][position.beat, position.tied]
        tied = position.tied
        order = [*range(tied, tied + 1 + later), *range(tied)]
        seats = [float(row[one]) for one in order] + [0.0] * (position.seat - tied)
        roles = ["you", *(f"player {one} after you" for one in range(1, later + 1))]
        roles += [
            f"who holds {position.beat}" if tied == 1 else f"holder {one} of {position.beat}, in order"
            for one in range(1, tied + 1)
        ]
        roles += ["who is out"] * (position.seat - tied)
        known = {} if self.players == 2 else {"roles": roles}
        return PositionValue(seats[0], tuple(seats), {**regret, "pot": pot, "equity": pot * seats[0], **known})

    def advise(self, solved: Solved, position: PotPosition) -> Advice:
        """Rank the options by the chance to win."""
        return advice(self.objective, self._choices(solved, position), position.inside, solved.error_bound)

    def _choices(self, solved: Solved, position: PotPosition) -> list[Choice]:
        later = self.players - position.seat - 1
        after = solved.arrays[f"states{position.seat + 1}"]
        worth = worth_of_scores(self.rules.most, after, position.beat, position.tied, later)
        return choices(self.rules, worth[0], position.inside)
