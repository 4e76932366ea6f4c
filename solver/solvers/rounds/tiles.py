"""Shut the Box for three and more players: one turn each, and tied players share the win.

What a turn pays depends only on its points, so the turn is compiled once, and ``PlayoffSolver`` solves all totals to
beat. Two players and one are solved by ``solvers.enumerated``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...games.round_rules import Move, RoundTurn, Situation
from ...games.shut_the_box import Tiles
from ...play.playable_game import replace_fields
from ...play.tiles import ROLLS, TilesGame, TilesPosition
from ...util.progress_reporting import ProgressCallback
from ..enumerated import EnumeratedTwoPlayerProblem
from ..problem import ArraySpec, PositionListing, ValuesAndBounds, ValueTable
from .playoff import MAX_PLAYERS, PlayoffSolver, PlayoffState
from .problem import Floats, RoundProblem

UNDECIDED = 0  # the number of dice while the player still chooses it


class CompiledTilesTurn:
    """The turn of Shut the Box, compiled.

    A *score* is the index of the points left, from the most to the fewest: larger scores are better. A situation is
    (number of dice, tiles that stand), with ``UNDECIDED`` dice before the player chooses them.

    Attributes:
        points: the points with which a turn can end, by score.
        score_of_points: by the points with which a turn ends, their score.
        turn: the compiled turn.
        rules: the rules of the game.
    """

    def __init__(self, playable: TilesGame) -> None:
        """Compile the turn of the game as it is played."""
        self.rules = playable.rules
        self.points = self.rules.final_points[::-1]
        self.score_of_points = {points: score for score, points in enumerate(self.points)}
        self.turn = RoundTurn(self._situation(playable.tiles), self._list_rolls, has_choices=True)

    def _situation(self, up: Tiles) -> Situation:
        """Return the situation in which the tiles ``up`` stand: (dice, tiles), before a choice of one or two dice.

        If the rules do not allow that choice, two dice are rolled.
        """
        dice = UNDECIDED if self.rules.can_choose_dice(up) else 2
        return dice, *up

    def _list_rolls(self, situation: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        """Yield the weight of every roll in a situation, and the moves after it.

        A move is the next situation, or the score with which the turn ends. The choice of the number of dice is a roll
        of weight 1 with two moves.
        """
        dice, *standing = situation
        up = tuple(standing)
        if dice == UNDECIDED:
            two_dice, one_die = (2, *up), (1, *up)
            yield 1, (two_dice, one_die)
            return
        for roll, weight in ROLLS[dice].items():
            yield weight, self._moves(up, sum(roll))

    def _moves(self, up: Tiles, total: int) -> tuple[Move, ...]:
        """Return where a total of the dice leads: to situations, or to the score with which the turn ends.

        Args:
            up: the tiles that stand.
            total: the sum of the dice.

        Returns:
            One move for each set of tiles that may be shut. If there is none, the turn ends with the points left.
        """
        shuttable_sets = list(self.rules.shuttable_sets(up, total))
        if not shuttable_sets:
            return (self.score_of_points[self.rules.points_left(up)],)
        moves = list[Move]()
        for tiles in shuttable_sets:
            remaining = tuple(tile for tile in up if tile not in tiles)
            # If all tiles are shut, the turn ends with 0 points left.
            moves.append(self._situation(remaining) if remaining else self.score_of_points[0])
        return tuple(moves)


class TilesTwoPlayerProblem(EnumeratedTwoPlayerProblem[TilesPosition]):
    """Probability to win Shut the Box for two players, by enumeration of all positions."""


class TilesWinProblem(RoundProblem[TilesPosition]):
    """Probability to win Shut the Box for three and more players.

    Scores and situations are those of ``CompiledTilesTurn``.

    The value table holds the arrays ``states0``, ``states1``, ... of ``PlayoffSolver``, by the number of players who
    have played.

    Attributes:
        playable: the game as people play it.
        _points: the points with which a turn can end, by score: the worst first.
    """

    player_range = (3, MAX_PLAYERS)
    playable: TilesGame

    def compile_turn(self) -> RoundTurn:
        """Return the turn of Shut the Box."""
        compiled = CompiledTilesTurn(self.playable)
        self._points, self._score_of_points = compiled.points, compiled.score_of_points
        return compiled.turn

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve all states: the number of players who have played, the fewest points so far, and how many hold them."""
        playoff = PlayoffSolver(self.rules, self.players, shares_ties=True)
        arrays = {f"states{seats_played}": table for seats_played, table in enumerate(playoff.tables)}
        return ValueTable(arrays, playoff.error_bound)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the specs of the arrays ``states0``, ``states1``, ..., by the number of players who have played.

        Each holds probabilities, (best scores, numbers of holders, players), as ``PlayoffSolver.tables`` describes.
        """
        score_count = self.rules.max_score + 1
        return {
            f"states{seats_played}": ArraySpec((score_count, seats_played + 1, self.players), seat_axis=-1)
            for seats_played in range(self.players + 1)
        }

    def _tables(self, value_table: ValueTable) -> list[Floats]:
        """Return the arrays of a value table by the number of players who have played."""
        return [value_table.arrays[f"states{seats_played}"] for seats_played in range(self.players + 1)]

    def _state(self, position: TilesPosition) -> PlayoffState:
        """Return the state before the turn that contains a position; nobody holds a score before the first turn."""
        scores = [self._score_of_points[points] for points in position.left]
        best = max(scores, default=0)
        holders = tuple(seat for seat, score in enumerate(scores) if score == best)
        return PlayoffState(tuple(range(self.players)), position.seat, best, holders)

    def state_values(self, value_table: ValueTable, positions: Sequence[TilesPosition]) -> ValuesAndBounds:
        """Return the probabilities to win of all seats, (positions, seats), and one error bound for all."""
        tables = self._tables(value_table)
        values = [self._state(position).seat_values(tables, self.players) for position in positions]
        return np.array(values), value_table.error_bound

    def score_payoffs(self, value_table: ValueTable, starts: Sequence[TilesPosition]) -> Floats:
        """Return the probabilities to win of all seats after each score of the mover: (seats, scores, starts)."""
        tables = self._tables(value_table)
        return np.stack([self._state(start).score_values(tables, self.players) for start in starts], axis=2)

    def situation(self, position: TilesPosition) -> Situation:
        """Return the situation of the compiled turn before a roll or before the choice of the dice."""
        return position.dice, *position.up

    def turn_start(self, position: TilesPosition) -> TilesPosition:
        """Return the position in which the turn of a position began."""
        start = self.playable.start()
        return replace_fields(start, seat=position.seat, left=position.left)

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[TilesPosition]:
        """List the turns by the points to beat and the number of players who have them.

        The first players are listed with these points. Who has them, and how far behind the others are, changes no
        choice.

        Args:
            fields: not used; all positions are listed.
        """
        positions = list(self._starts())
        return PositionListing(len(positions), positions)

    def _starts(self) -> Iterator[TilesPosition]:
        """Yield the positions between turns, by seat to play, then points to beat, then number of holders.

        Only these three numbers matter. So one position stands for all that agree in them: the one in which the first
        seats hold the best result, and the others have the worst.
        """
        start = self.playable.start()
        worst = self._points[0]  # the most points with which a turn can end
        yield start
        for seats_played in range(1, self.players):
            for points in self._points:
                # If the worst result is the best so far, all who have played hold it.
                min_holders = seats_played if points == worst else 1
                for holder_count in range(min_holders, seats_played + 1):
                    left = (points,) * holder_count + (worst,) * (seats_played - holder_count)  # by seat
                    yield replace_fields(start, seat=seats_played, left=left)


__all__ = ["CompiledTilesTurn", "TilesTwoPlayerProblem", "TilesWinProblem"]
