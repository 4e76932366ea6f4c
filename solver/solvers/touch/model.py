"""Turns of a touch game for any number of players: the equations, side by side for many scores.

A *board* is the number of pieces left of each size. A player touches a piece, feels how tight it sits (its *feel*), and
takes or passes it. A piece that is taken may *trip* the bar.

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...games.booby_trap import TouchRules
from ...play.touch import PiecesLeft, TouchPosition
from ...util.progress_reporting import ProgressCallback
from ..rounding_bounds import UNIT_ROUNDOFF

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]  # scores (.., players) from the mover on (alone: the trips), or lanes
TerminalPayoffs = Callable[[Ints], Floats]  # from scores at the end, the payoffs of their players

Number = TypeVar("Number", np.float64, np.int64)

SIZES = 3  # large, medium and small pieces
TRIPPED = -1  # the index, beside the sizes, of what a piece brings that trips


class OddsArrays(NamedTuple):
    """The odds of a game as arrays (sizes, feels).

    Attributes:
        feel_chance: the probability of each feel, if a piece of a size is touched; every row adds up to 1.
        trip_chance: the probability that a piece of that size and feel trips the bar if it is taken.
        hold_chance: 1 - ``trip_chance``, the probability that the bar holds.
    """

    feel_chance: Floats
    trip_chance: Floats
    hold_chance: Floats

    @classmethod
    def from_fractions(
        cls, feel_chance: tuple[tuple[Fraction, ...], ...], trip_chance: tuple[tuple[Fraction, ...], ...]
    ) -> OddsArrays:
        """Convert exact odds to floats, so that each of them is rounded once.

        Args:
            feel_chance: the probability of each feel, by size and feel.
            trip_chance: the probability that a piece trips the bar, by size and feel.
        """
        hold_chance = [[1 - odds for odds in row] for row in trip_chance]  # subtracted exactly, before it is rounded
        return cls(_to_floats(feel_chance), _to_floats(trip_chance), _to_floats(hold_chance))


class BoardTable(ABC):
    """Table of values for all boards that can follow from some pieces.

    Args:
        rules: the rules of the game.
        left: the pieces left at the start, by size.
        terminal_payoffs: payoffs of the scores at the end.
        odds: the odds; those of the rules by default.

    Attributes:
        score_changes: (large, medium, small, tripped) by what a take adds to the mover's score: the points of each
            size, or minus the penalty. Alone: what it adds to the trips.
        step: the largest of them in absolute value, so the furthest that one take can move a score.
        feel_chance, trip_chance, hold_chance: the arrays of ``OddsArrays``.
    """

    def __init__(
        self, rules: TouchRules, left: PiecesLeft, terminal_payoffs: TerminalPayoffs, odds: OddsArrays | None = None
    ) -> None:
        """Store the rules, and what a take does to the scores.

        Args:
            rules: the rules of the game.
            left: the pieces left at the start, by size.
            terminal_payoffs: computes payoffs (.., players) from the scores (.., players) at the end.
            odds: the probabilities of feels and trips by size and feel; None for those of the rules.
        """
        self.rules = rules
        self.left = left
        self.terminal_payoffs = terminal_payoffs
        # What a take adds to the mover's score: for a large, a medium and a small piece, and if the bar is tripped.
        if rules.players == 1:
            self.score_changes = np.array([0, 0, 0, 1])  # a solitaire has no score; its trips are counted instead
        else:
            self.score_changes = np.array([*rules.points, -rules.penalty])
        self.step = int(abs(self.score_changes).max())  # no take moves a score further
        if odds is None:
            odds = OddsArrays.from_fractions(rules.odds.feel_chances, rules.odds.trip_chances)
        # Arrays (sizes, feels). ``hold_chance`` is 1 - ``trip_chance``, the probability that the bar does not spring.
        self.feel_chance = odds.feel_chance
        self.trip_chance = odds.trip_chance
        self.hold_chance = odds.hold_chance

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of the table."""

    @abstractmethod
    def solve(self, threads: int, progress: ProgressCallback) -> Floats:
        """Compute the table: the values of turns on every board before any pass.

        Args:
            threads: number of threads. The result has the same bits for every number.
            progress: called with the fraction that is done.
        """

    def has_board(self, left: PiecesLeft, score_range: int) -> bool:
        """Return whether the table has a board with scores of a given range.

        Here it is True for every position: a table of one or two players begins with all pieces.

        Args:
            left: the pieces left, by size.
            score_range: the largest score minus the smallest.
        """
        return True

    @abstractmethod
    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """Return the lanes in which values are stored: indices of the table's last axes.

        Args:
            scores: (.., players) scores from the mover on (alone: the trips).
            pieces: the number of pieces on the boards.
        """

    @abstractmethod
    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """Read values from the table.

        Args:
            table: the values, as ``solve`` returns them.
            left: (.., sizes) the pieces left; (sizes,) if all lanes have the same board.
            lanes: (..,) the lanes, as ``lanes`` returns them.

        Returns:
            (.., players) the values of all players, from the mover on.
        """

    def sizes(self, left: Sequence[int]) -> list[int]:
        """Return the sizes that may be touched on a board, large ones first."""
        remaining = [size for size, count in enumerate(left) if count]
        return remaining[-1:] if self.rules.is_in_order else remaining

    def lanes_after_take(self, scores: Ints, pieces: int | Ints) -> list[Ints]:
        """Return where the values of the next player's turn are stored, after each result of a take.

        A lane is an index of the table's last axes, for the scores from the player to move on.

        Args:
            scores: (.., players) scores from the mover on.
            pieces: the number of pieces on the boards before the take.

        Returns:
            Four arrays of lanes (..,): after a large, a medium and a small piece was taken safely, and, at the index
            ``TRIPPED``, after a piece tripped the bar.
        """
        is_mover = np.arange(scores.shape[-1]) == 0  # (players,)
        lanes_by_result = []
        for score_change in self.score_changes.tolist():  # of the mover: by size, and if the bar is tripped
            scores_after = scores + score_change * is_mover
            from_next_player = np.roll(scores_after, -1, axis=-1)
            lanes_by_result.append(self.lanes(from_next_player, pieces - 1))
        return lanes_by_result

    def turns(
        self, table: Floats, left: Ints, sizes: Iterable[int], lanes_after_take: Sequence[Ints], lane_after_pass: Ints
    ) -> TouchTurns:
        """Return the turns on boards, one in each lane, with the values of taking a piece of each size and feel.

        A take leads to the board with one piece fewer. Its value is the mean of the values if the bar holds and if it
        trips.

        Args:
            table: the values of boards with fewer pieces.
            left: (sizes,) the pieces of one board, or (lanes, sizes) of one board per lane.
            sizes: the sizes that may be touched on all of these boards.
            lanes_after_take: four arrays (lanes,), where the next player's values stand in the table: by the size of a
                piece that was taken safely, and at ``TRIPPED`` if the bar was tripped.
            lane_after_pass: (lanes,) the lane of these turns that is the next player's if nothing is taken.
        """
        take_values = {}  # by size, (feels, lanes, players)
        for size in sizes:
            left_after = left - (np.arange(SIZES) == size)
            # Values are read from the next player on. Rolled by one place they begin with the mover of this turn.
            if_held = np.roll(self.read(table, left_after, lanes_after_take[size]), 1, axis=-1)  # (lanes, players)
            if_tripped = np.roll(self.read(table, left_after, lanes_after_take[TRIPPED]), 1, axis=-1)
            odds_by_feel = zip(self.hold_chance[size], self.trip_chance[size], strict=True)
            take_values[size] = np.array([hold * if_held + trip * if_tripped for hold, trip in odds_by_feel])
        return TouchTurns(self.feel_chance, self.rules.max_passes, take_values, lane_after_pass)

    def position_values(self, table: Floats, positions: Sequence[TouchPosition]) -> Floats:
        """Compute the values of positions for every seat: (positions, seats).

        The value of a turn that begins without passes is read from the table. Other turns are solved together for all
        boards on which the same sizes may be touched.

        Args:
            table: the values, as ``solve`` returns them.
            positions: positions in which the game goes on.
        """
        scores_by_seat = np.array([_scores_or_trips(position) for position in positions], dtype=np.int64)
        movers = np.array([position.seat for position in positions])
        left = np.array([position.left for position in positions])  # (positions, sizes)
        scores = rotate_rows(scores_by_seat, movers)  # (positions, players) from the mover on
        # First read the values of the turns before any pass, from the mover on: (positions, players). A table has a
        # lane for each combination of scores that is possible with so many pieces left.
        pieces_left = left.sum(axis=1)
        values = self.read(table, left, self.lanes(scores, pieces_left))
        # The values of positions inside turns are not in the table, so these rows are overwritten.
        for sizes, turns in self._group_inside_turns(positions).items():
            for indices, mover_values in self._values_inside_turns(table, positions, left, scores, sizes, turns):
                values[indices] = mover_values
        return rotate_rows(values, -movers)  # by seat

    def _values_inside_turns(
        self,
        table: Floats,
        positions: Sequence[TouchPosition],
        left: Ints,
        scores: Ints,
        sizes: Iterable[int],
        turns: Sequence[list[int]],
    ) -> Iterator[tuple[list[int], Floats]]:
        """Solve turns together, and yield for each the indices of its positions with their values, from the mover on.

        Args:
            table: the values of boards with fewer pieces.
            positions: all positions.
            left: (positions, sizes) the pieces left.
            scores: (positions, players) the scores, from the mover on.
            sizes: the sizes that may be touched on the boards of all these turns.
            turns: for each turn the indices of its positions, which have the same board and scores.
        """
        players = scores.shape[1]
        first_indices = [indices[0] for indices in turns]
        solved = TurnValues(self._turns_of_all_seats(table, left[first_indices], sizes, scores[first_indices]))
        for turn, indices in enumerate(turns):
            mover_lane = turn * players  # the lanes of a turn begin with the mover of its positions
            values_by_position = [solved.values_of(positions[index])[mover_lane] for index in indices]
            yield indices, np.array(values_by_position)  # (positions of the turn, players)

    def _group_inside_turns(self, positions: Sequence[TouchPosition]) -> dict[tuple[int, ...], list[list[int]]]:
        """Group the positions inside turns, or after passes: those whose values are not in the table.

        Returns:
            By the sizes that may be touched, a list of turns; for each turn the indices of its positions.
        """
        indices_by_turn: dict[tuple[PiecesLeft, tuple[int, ...], int, int], list[int]] = {}
        for index, position in enumerate(positions):
            begins_without_passes = position.size is None and position.passes == 0
            if not begins_without_passes:
                turn = (position.left, position.scores, position.trips, position.seat)
                indices_by_turn.setdefault(turn, []).append(index)
        turns_by_sizes: dict[tuple[int, ...], list[list[int]]] = {}
        for (left, *_), indices in indices_by_turn.items():
            sizes = tuple(self.sizes(left))
            turns_by_sizes.setdefault(sizes, []).append(indices)
        return turns_by_sizes

    def _turns_of_all_seats(self, table: Floats, left: Ints, sizes: Iterable[int], scores: Ints) -> TouchTurns:
        """Return turns together with those that passes lead to, in which other players face the same board.

        A player who passes leaves the board and the scores as they are to the next player. So each given turn becomes
        as many lanes as there are players: in lane turn * players + k, the player k seats after the mover is to move.

        Args:
            table: the values of boards with fewer pieces.
            left: (turns, sizes) the pieces left.
            sizes: the sizes that may be touched on all of these boards.
            scores: (turns, players) the scores, from the mover on.
        """
        players = scores.shape[1]
        scores_from_player = [np.roll(scores, -player, axis=1) for player in range(players)]  # (turns, players) each
        lane_scores = np.stack(scores_from_player, axis=1).reshape(-1, players)  # (lanes, players)
        lane_boards = left.repeat(players, axis=0)  # (lanes, sizes)
        # A pass leads to the next lane of the same turn, and from its last lane to its first.
        lanes = np.arange(len(lane_scores))
        first_lane_of_turn = lanes - lanes % players
        lane_after_pass = first_lane_of_turn + (lanes + 1) % players
        # Where the table holds the next player's values after a take, by its result.
        lanes_after_take = self.lanes_after_take(lane_scores, lane_boards.sum(axis=1))
        return self.turns(table, lane_boards, sizes, lanes_after_take, lane_after_pass)


class TouchTurns:
    """Turns side by side, one in each lane, and the equations that solve them.

    Args:
        feel_chance: (sizes, feels) the probabilities of feels.
        max_passes: the passes in a row after which a piece must be taken.
        take_values: by size, (feels, lanes, players) the values of taking a piece, from the mover on.
        lane_after_pass: (lanes,) the lane of the next player if nothing is taken.
    """

    def __init__(
        self, feel_chance: Floats, max_passes: int, take_values: Mapping[int, Floats], lane_after_pass: Ints
    ) -> None:
        """Store the odds of feels, the limit of passes, and the values of takes; nothing is solved yet.

        Args:
            feel_chance: (sizes, feels) the probability of each feel if a piece of a size is touched.
            max_passes: the passes in a row after which a piece must be taken.
            take_values: by size, (feels, lanes, players) the values of taking a piece, from the mover on.
            lane_after_pass: (lanes,) the lane of the next player if nothing is taken.
        """
        self.feel_chance = feel_chance
        self.max_passes = max_passes
        self.take_values = take_values
        self.lane_after_pass = lane_after_pass

    def solve(self) -> dict[int, Floats]:
        """Solve the turns for every number of passes in a row, by retrograde analysis from the most passes down.

        A pass leads to the turn of the next player with one pass more. Of several sizes the mover touches the best.

        Returns:
            By passes in a row, the values (lanes, players) before a piece is touched, from the mover on.
        """
        values: dict[int, Floats] = {}
        touchable_sizes = self.take_values.keys()
        for passes in reversed(range(self.max_passes + 1)):
            pass_value = self.pass_value(values, passes)
            value_by_size = [self.touch_value(size, pass_value) for size in touchable_sizes]  # (lanes, players) each
            best = value_by_size[0]
            for value in value_by_size[1:]:
                is_better = value[:, :1] > best[:, :1]  # by the mover's value, which stands first: (lanes, 1)
                best = np.where(is_better, value, best)
            values[passes] = best
        return values

    def pass_value(self, values: Mapping[int, Floats], passes: int) -> Floats | None:
        """Return the values of passing a piece: those of the next player's turn, seen from the mover on.

        Args:
            values: the values of turns with more passes in a row.
            passes: the passes in a row before this one.

        Returns:
            (lanes, players); None if a piece must be taken.
        """
        if passes == self.max_passes:  # so many passes in a row are allowed, and no more
            return None
        # The next player has a lane of their own, whose values begin with theirs. Rolled, they begin with the mover's.
        from_next_player = values[passes + 1][self.lane_after_pass]
        return np.roll(from_next_player, 1, axis=1)

    def touch_value(self, size: int, pass_value: Floats | None) -> Floats:
        """Compute the values of touching a piece, before it is felt: (lanes, players), from the mover on.

        By each feel the mover does what is better for them: take the piece, or pass. The values are the mean over the
        feels.

        Args:
            size: the size of the piece.
            pass_value: (lanes, players) the values of passing it; None if it must be taken.
        """
        take_values = self.take_values[size]  # (feels, lanes, players)
        value = np.zeros(take_values.shape[1:])
        for feel_chance, take_value in zip(self.feel_chance[size].tolist(), take_values, strict=True):
            if pass_value is None:
                best = take_value
            else:
                is_take_better = take_value[:, :1] > pass_value[:, :1]  # by the mover's value: (lanes, 1)
                best = np.where(is_take_better, take_value, pass_value)
            value += feel_chance * best
        return value


class TurnValues:
    """Values of positions inside turns that are solved together.

    Args:
        turns: the turns, one in each lane.

    Attributes:
        _by_passes: by passes in a row, the values (lanes, players) before a touch.
        _by_size_and_passes: by size and passes in a row, those after a touch and before the piece is felt, as far as
            known.
    """

    def __init__(self, turns: TouchTurns) -> None:
        self.turns = turns
        self._by_passes = turns.solve()
        self._by_size_and_passes: dict[tuple[int, int], Floats] = {}  # of pieces that are touched, but not yet felt

    def values_of(self, position: TouchPosition) -> Floats:
        """Return the values (lanes, players) of a position's stage of the turn, in every lane.

        The stage is before a touch, after a touch but before the piece is felt, or the taking of a piece.

        Args:
            position: tells the passes in a row, the size that is touched if any, and whether the piece is being taken.
                Its board and scores do not matter: they depend on the lane.
        """
        size = position.size
        passes = position.passes
        if size is None:  # no piece is touched yet
            return self._by_passes[passes]
        if position.taking:
            take_values = self.turns.take_values[size]  # (feels, lanes, players)
            assert position.feel is not None  # a piece is felt before it is taken
            values: Floats = take_values[position.feel]
            return values
        if (size, passes) not in self._by_size_and_passes:
            pass_value = self.turns.pass_value(self._by_passes, passes)
            self._by_size_and_passes[size, passes] = self.turns.touch_value(size, pass_value)
        return self._by_size_and_passes[size, passes]


def _scores_or_trips(position: TouchPosition) -> tuple[int, ...]:
    """Return the scores by seat; in a solitaire a tuple with the number of trips."""
    if position.scores:
        return position.scores
    return (position.trips,)


def rotate_rows(rows: NDArray[Number], first: Ints) -> NDArray[Number]:
    """Rotate each row so that it begins with another of its entries.

    Args:
        rows: (positions, players).
        first: (positions,) the index of the entry that becomes the first; negative indices count from the end.
    """
    players = rows.shape[1]
    columns = (np.arange(players) + first[:, None]) % players
    return np.take_along_axis(rows, columns, axis=1)


def rounding_bound(rules: TouchRules) -> float:
    """Return a bound of the rounding errors in a game, for payoffs up to 1.

    On its way through a touch, a value is rounded at most f + 6 times, with f feels. In the take: its chance, perhaps
    also 1 minus the chance, the product, and the sum of two products. In the touch: the chance of the feel, the
    product, and f sums. The bound counts 2 f + 8, which is at least a third more: n roundings, each of relative size u,
    compound to less than 4/3 n u as long as n u < 1/2.
    """
    takes = sum(rules.board) - rules.last_pieces  # the game ends with so many pieces on the board
    # Before every take, pieces are passed ``max_passes`` times in a row at most.
    touches = takes * (rules.max_passes + 1)
    roundings_per_touch = 2 * len(rules.odds.feels) + 8
    return touches * roundings_per_touch * UNIT_ROUNDOFF


def _to_floats(rows: Sequence[Sequence[Fraction]]) -> Floats:
    """Return fractions by size and feel as an array."""
    return np.array([[float(odds) for odds in row] for row in rows])
