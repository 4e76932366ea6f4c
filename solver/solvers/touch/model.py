"""Turns of a touch game for any number of players: the equations, side by side for many scores.

Let A be the value of the board without a piece that was taken safely, B of the same board if the piece tripped the bar.
Both are vectors over players, as the next player finds them. Let z be a size, f a feel and p the passes in a row:

    take[z, f] = (1 - trip[z, f]) A[z] + trip[z, f] B
    V[limit]   = best over z of  sum over f of  chance[z, f] take[z, f]
    V[p]       = best over z of  sum over f of  chance[z, f] best(take[z, f], V[p + 1] of the next player)

The mover's own share decides what is best. Of equal choices the first listed is made. Passes end in a take, and takes
leave fewer pieces, so all is solved by retrograde analysis.

A *lane* is one line of scores. ``BoardTable`` says where the values of boards are stored; ``TouchTurns`` solves turns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...games.booby_trap import TouchRules
from ...play.touch import Left, TouchPosition

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]  # scores (.., players) from the mover on (alone: the trips), or lanes
TerminalPayoffs = Callable[[Ints], Floats]  # from scores at the end, the payoffs of their players

Number = TypeVar("Number", np.float64, np.int64)

SIZES = 3
TRIPPED = -1  # the index, beside the sizes, of what a piece brings that trips


class OddsArrays(NamedTuple):
    """Probabilities by size and feel: of the feel, that such a piece trips the bar, and that the bar holds."""

    chance: Floats
    trip: Floats
    hold: Floats

    @classmethod
    def from_fractions(
        cls, chance: tuple[tuple[Fraction, ...], ...], trip: tuple[tuple[Fraction, ...], ...]
    ) -> OddsArrays:
        """Return exact odds, each rounded once."""
        return cls(_to_floats(chance), _to_floats(trip), _to_floats([[1 - odds for odds in row] for row in trip]))


class BoardTable(ABC):
    """Table of values for all boards that can follow from some pieces.

    Args:
        rules: the rules of the game.
        left: the pieces left at the start, by size.
        terminal_payoffs: payoffs of the scores at the end.
        odds: the odds; those of the rules by default.

    Attributes:
        gains: by size, the points of a piece; at ``TRIPPED``, those of a piece that trips. Alone: the trips.
        step: the largest of them in size.
        feel_chance, trip_chance, hold_chance: the arrays of ``OddsArrays``.
    """

    def __init__(
        self, rules: TouchRules, left: Left, terminal_payoffs: TerminalPayoffs, odds: OddsArrays | None = None
    ) -> None:
        self.rules, self.left, self.terminal_payoffs = rules, left, terminal_payoffs
        self.gains = np.array([0, 0, 0, 1] if rules.players == 1 else [*rules.points, -rules.penalty])
        self.step = int(abs(self.gains).max())
        self.feel_chance, self.trip_chance, self.hold_chance = odds or OddsArrays.from_fractions(
            rules.odds.chance, rules.odds.trip
        )

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of the table."""

    @abstractmethod
    def solve(self, threads: int, progress: Callable[[float], None]) -> Floats:
        """Return the table: the values of turns on every board before any pass."""

    def has_board(self, left: Left, score_range: int) -> bool:
        """Return whether the table has a board with scores that lie so far apart."""
        return True

    @abstractmethod
    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """Return the lanes of scores (.., players) on boards of so many pieces."""

    @abstractmethod
    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """Return the values of every player, from the mover on, for lanes on the boards ``left`` (.., sizes)."""

    def sizes(self, left: Sequence[int]) -> list[int]:
        """Return the sizes that may be touched, large ones first."""
        remaining = [size for size, count in enumerate(left) if count]
        return remaining[-1:] if self.rules.in_order else remaining

    def next_lanes(self, scores: Ints, pieces: int | Ints) -> list[Ints]:
        """Return the next player's lanes after a piece of each size was taken, and (at ``TRIPPED``) after one tripped.

        Args:
            scores: (.., players) scores from the mover on.
            pieces: the pieces on the boards.
        """
        is_mover = np.arange(scores.shape[-1]) == 0
        return [self.lanes(np.roll(scores + gain * is_mover, -1, axis=-1), pieces - 1) for gain in self.gains.tolist()]

    def turns(
        self, table: Floats, left: Ints, sizes: Iterable[int], next_lanes: Sequence[Ints], lane_after_pass: Ints
    ) -> TouchTurns:
        """Return the turns on boards ``left`` (.., sizes) on which the given sizes may be touched.

        Args:
            table: the values of boards with fewer pieces.
            left: the pieces of one board, or of one board per lane.
            sizes: the sizes that may be touched.
            next_lanes: as ``next_lanes`` returns them.
            lane_after_pass: the lane of the next player if nothing is taken.
        """
        take = {}
        for size in sizes:
            fewer = left - (np.arange(SIZES) == size)
            safe, tripped = (
                np.roll(self.read(table, fewer, next_lanes[result]), 1, axis=-1) for result in (size, TRIPPED)
            )
            odds = zip(self.hold_chance[size], self.trip_chance[size], strict=True)
            take[size] = np.array([hold * safe + trip * tripped for hold, trip in odds])
        return TouchTurns(self.feel_chance, self.rules.limit, take, lane_after_pass)

    def position_values(self, table: Floats, positions: Sequence[TouchPosition]) -> Floats:
        """Return the values of positions for every seat.

        They are read from the table if a turn begins without passes. Other turns are solved together for all boards on
        which the same sizes may be touched.
        """
        scores_by_seat = np.array([position.scores or (position.trips,) for position in positions], dtype=np.int64)
        seats = np.array([position.seat for position in positions])
        left = np.array([position.left for position in positions])
        scores = rotate_rows(scores_by_seat, seats)
        values = self.read(table, left, self.lanes(scores, left.sum(axis=1)))
        for sizes, groups in self._inside_turns(positions).items():
            first = [indices[0] for indices in groups]
            inner = TurnValues(self._turns_of_all_seats(table, left[first], sizes, scores[first]))
            for group, indices in enumerate(groups):
                for index in indices:
                    values[index] = inner.of(positions[index])[group * scores.shape[1]]
        return rotate_rows(values, -seats)

    def _inside_turns(self, positions: Sequence[TouchPosition]) -> dict[tuple[int, ...], list[list[int]]]:
        """Return the indices of positions inside turns, by the sizes that may be touched and then by turn."""
        by_turn: dict[tuple[Left, tuple[int, ...], int, int], list[int]] = {}
        for index, position in enumerate(positions):
            if position.passes or position.size is not None:
                turn = position.left, position.scores, position.trips, position.seat
                by_turn.setdefault(turn, []).append(index)
        by_sizes: dict[tuple[int, ...], list[list[int]]] = {}
        for (left, *_), indices in by_turn.items():
            by_sizes.setdefault(tuple(self.sizes(left)), []).append(indices)
        return by_sizes

    def _turns_of_all_seats(self, table: Floats, left: Ints, sizes: Iterable[int], scores: Ints) -> TouchTurns:
        """Return turns on boards ``left`` with ``scores`` (turns, players): one lane for each player in succession."""
        players, lanes = scores.shape[1], np.arange(scores.size)
        rotated = np.stack([np.roll(scores, -seat, axis=1) for seat in range(players)], axis=1).reshape(-1, players)
        boards = left.repeat(players, axis=0)
        lane_after_pass = lanes - lanes % players + (lanes + 1) % players
        return self.turns(table, boards, sizes, self.next_lanes(rotated, boards.sum(axis=1)), lane_after_pass)


class TouchTurns:
    """Turns on some lanes.

    Args:
        chance: (sizes, feels) the probabilities of feels.
        limit: the passes in a row after which a piece must be taken.
        take: by size, (feels, lanes, players) the values of taking a piece, from the mover on.
        lane_after_pass: (lanes,) the lane of the next player if nothing is taken.
    """

    def __init__(self, chance: Floats, limit: int, take: Mapping[int, Floats], lane_after_pass: Ints) -> None:
        self.chance, self.limit, self.take, self.lane_after_pass = chance, limit, take, lane_after_pass

    def solve(self) -> dict[int, Floats]:
        """Return the values (lanes, players) of turns by passes in a row, the most passes first."""
        values: dict[int, Floats] = {}
        for passes in range(self.limit, -1, -1):
            pass_value = self.pass_value(values, passes)
            best, *others = (self.touch_value(size, pass_value) for size in self.take)
            for value in others:
                best = np.where(value[:, :1] > best[:, :1], value, best)
            values[passes] = best
        return values

    def pass_value(self, values: Mapping[int, Floats], passes: int) -> Floats | None:
        """Return the values of passing after some passes; None if a piece must be taken."""
        return np.roll(values[passes + 1][self.lane_after_pass], 1, axis=1) if passes < self.limit else None

    def touch_value(self, size: int, pass_value: Floats | None) -> Floats:
        """Return the values of touching a piece of a size, which may be passed or (None) must be taken."""
        value = np.zeros(self.take[size].shape[1:])
        for chance, take in zip(self.chance[size].tolist(), self.take[size], strict=True):
            value += chance * (
                take if pass_value is None else np.where(take[:, :1] > pass_value[:, :1], take, pass_value)
            )
        return value


class TurnValues:
    """Values of positions inside turns that are solved together."""

    def __init__(self, turns: TouchTurns) -> None:
        self.turns, self._by_passes = turns, turns.solve()
        self._touched: dict[tuple[int, int], Floats] = {}

    def of(self, position: TouchPosition) -> Floats:
        """Return the values (lanes, players) of a position in the turn of each lane."""
        size, passes = position.size, position.passes
        if size is None:
            return self._by_passes[passes]
        if position.taking:
            values: Floats = self.turns.take[size][position.feel or 0]
            return values
        if (size, passes) not in self._touched:
            pass_value = self.turns.pass_value(self._by_passes, passes)
            self._touched[size, passes] = self.turns.touch_value(size, pass_value)
        return self._touched[size, passes]


def rotate_rows(rows: NDArray[Number], first: Ints) -> NDArray[Number]:
    """Return rows (positions, players) that begin with the entry ``first`` of each row."""
    return np.take_along_axis(rows, (np.arange(rows.shape[1]) + first[:, None]) % rows.shape[1], axis=1)


def rounding_bound(rules: TouchRules) -> float:
    """Return a bound of the rounding errors in a game, for payoffs up to 1.

    A touch sums one product for each of f feels, of rounded chances, after a take of two products: f + 6 roundings at
    most. The bound counts 2 f + 8, a third more: n roundings compound to less than 4/3 n u as long as n u < 1/2. A
    piece is touched at most once more than the passes allow before it is taken.
    """
    touches = (sum(rules.board) - rules.last) * (rules.limit + 1)
    return touches * (2 * len(rules.odds.feels) + 8) * 2.0**-53


def _to_floats(rows: Sequence[Sequence[Fraction]]) -> Floats:
    """Return fractions by size and feel as an array."""
    return np.array([[float(odds) for odds in row] for row in rows])
