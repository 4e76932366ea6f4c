"""Games for a pot: each player has one turn, the best total wins, and ties play again or share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, TypeVar

import numpy as np

from ...play.position_fields import LATER_PLAYER
from ...play.pot import PotGame, PotPosition
from ...play.seats import active_seats
from ...play.three_dice import ThreeDiceGame, ThreeDicePosition
from ...util.progress_reporting import ProgressCallback
from ..problem import ArraySpec, PositionListing, ValuesAndBounds, ValueTable
from .playoff import MAX_PLAYERS, PlayoffSolver, PlayoffState
from .problem import Floats, RoundProblem

Position = TypeVar("Position", bound=PotPosition)


class PotProblem(RoundProblem[Position]):
    """Probability to win the pot.

    A *total* is the points of a turn as people count them, a *score* is the number that stands for it in the compiled
    turn. Larger scores are better.

    The value table holds the arrays ``states0``, ``states1``, ... by the number of players who have played: the tables
    of ``PlayoffSolver``.

    Attributes:
        rules, playable, players: the compiled turn, the game as people play it, and the number of players.
        position_class: the class of the game's positions.
        _smaller_playoff: the solved playoffs of fewer than all players, by ``with_players``.
    """

    player_range = (2, MAX_PLAYERS)
    playable: PotGame[Position]
    position_class: ClassVar[type[PotPosition]]

    def score_of(self, total: int) -> int:
        """Return the score of the compiled turn that stands for a total."""
        return total

    def total_of(self, score: int) -> int:
        """Return the total that a score of the compiled turn stands for."""
        return score

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve all states: the number of players who have played, the best total so far, and how many hold it."""
        playoff = PlayoffSolver(self.rules, self.players, self.playable.share)
        arrays = {f"states{seats_played}": table for seats_played, table in enumerate(playoff.tables)}
        return ValueTable(arrays, playoff.error_bound)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the specs of the arrays ``states0``, ``states1``, ..., by the number of players who have played.

        Each holds probabilities, (best scores, numbers of holders, players), as ``PlayoffSolver.tables`` describes.
        """
        best_count = self.rules.max_score + 1
        return {
            f"states{seats_played}": ArraySpec((best_count, seats_played + 1, self.players), seat_axis=-1)
            for seats_played in range(self.players + 1)
        }

    @cached_property
    def _smaller_playoff(self) -> PlayoffSolver:
        """The solved playoff of all players but one, which includes those of fewer."""
        return PlayoffSolver(self.rules, self.players - 1)

    def _tables(self, value_table: ValueTable, state: PlayoffState) -> Sequence[Floats]:
        """Return the tables that hold the value of a state (see ``PlayoffSolver.tables``).

        The value table has those of the whole game. Playoffs of some of the players are solved here.

        Args:
            value_table: the value table.
            state: the state of the game, or of a playoff of some of the players.
        """
        player_count = len(state.seats)
        if player_count < self.players:
            return self._smaller_playoff.with_players(player_count).tables
        return [value_table.arrays[f"states{seats_played}"] for seats_played in range(self.players + 1)]

    def _state(self, position: Position) -> PlayoffState:
        """Return the state of a position between turns, or of the turn that contains the position."""
        seats = active_seats(position.playoff, self.players)
        seats_played = seats.index(position.seat)
        best = self.score_of(position.beat) if position.holders else 0
        return PlayoffState(seats, seats_played, best, position.holders)

    def state_values(self, value_table: ValueTable, positions: Sequence[Position]) -> ValuesAndBounds:
        """Return the probabilities to win of all seats, and their error bound.

        Returns:
            (positions, seats) the probabilities, and one error bound for all.
        """
        states = [self._state(position) for position in positions]
        values = [state.seat_values(self._tables(value_table, state), self.players) for state in states]
        return np.array(values), value_table.error_bound

    def score_payoffs(self, value_table: ValueTable, starts: Sequence[Position]) -> Floats:
        """Return the probabilities to win of all seats after each score of the mover: (seats, scores, starts)."""
        states = [self._state(start) for start in starts]
        payoffs = [state.score_values(self._tables(value_table, state), self.players) for state in states]
        return np.stack(payoffs, axis=2)

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[Position]:
        """List the positions between turns: each mover with each best total and number of holders.

        Choices do not depend on which seats hold the best total. So it is always held by the first ones.

        Args:
            fields: not used; all positions are listed.
        """
        positions = list(self._positions())
        return PositionListing(len(positions), positions)

    def _positions(self) -> Iterator[Any]:
        """Yield the positions of the whole game, then those of playoffs of fewer and fewer players."""
        min_size = self.players if self.playable.share else 2
        for size in range(self.players, min_size - 1, -1):
            for seats in combinations(range(self.players), size):
                yield from self._playoff_positions(seats)

    def _playoff_positions(self, seats: tuple[int, ...]) -> Iterator[Any]:
        """Yield the positions between turns if some seats play for the pot: the whole game, or a playoff.

        Args:
            seats: the seats in the order of play; all seats stand for the game itself.
        """
        playoff = seats if len(seats) < self.players else ()
        yield self.position_class(seats[0], playoff=playoff)
        worst_score = self.rules.scores[0]
        for seats_played in range(1, len(seats)):
            for score in self.rules.scores:
                # If the worst score is the best so far, all who have played hold it.
                min_holders = seats_played if score == worst_score else 1
                for holder_count in range(min_holders, seats_played + 1):
                    holders = seats[:holder_count]  # only their number matters, so the first seats stand for any
                    yield self.position_class(seats[seats_played], self.total_of(score), holders, playoff)

    def describe_roles(self, position: Position) -> list[str]:
        """Return who each player is, in words such as "player 2 after you", from the mover on.

        A holder is a player with the best result so far, which the later players have to beat. The mover is "you".
        """
        roles = dict.fromkeys(range(self.players), "a player who is out")  # by seat
        if len(position.holders) == 1:
            (holder,) = position.holders
            roles[holder] = f"the holder of {position.beat}"
        else:
            for number, holder in enumerate(position.holders, 1):
                roles[holder] = f"holder {number} of {position.beat}, in order"
        roles[position.seat] = "you"
        later = [seat for seat in active_seats(position.playoff, self.players) if seat > position.seat]
        for number, seat in enumerate(later, 1):
            roles[seat] = LATER_PLAYER.format(number)
        return [roles[seat] for seat in self.playable.seats_from(position.seat)]


class PotWinProblem(PotProblem[ThreeDicePosition]):
    """Going to Boston and Multiplication for a pot.

    Attributes:
        playable: the game as people play it.
    """

    playable: ThreeDiceGame
    position_class = ThreeDicePosition

    def extra_results(self, value_table: ValueTable, position: ThreeDicePosition) -> Mapping[str, Any]:
        """Return the pot and the mover's expected part of it; for three and more players also the regret and roles."""
        pot = int(str(self.game.rules["pot"]))
        results = {"pot": pot, "equity": pot * self._mover_value(value_table, position)}
        if self.players == 2:
            return results
        return {**super().extra_results(value_table, position), **results, "roles": self.describe_roles(position)}

    def _mover_value(self, value_table: ValueTable, position: ThreeDicePosition) -> float:
        """Return the mover's probability to win; in a decision position that after the best choice."""
        if self.playable.stage(position) == "choose":
            next_positions = [choice.after for choice in self.playable.choices(position)]
        else:
            next_positions = [position]
        seat_values = self.seat_values(value_table, next_positions).values
        return float(seat_values[:, position.seat].max())
