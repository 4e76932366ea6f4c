"""Certified bounds of Booby Trap boards for one or two players.

A state is the pieces left by size, the mover's lead (alone: the trips so far) and the passes in a row:

    take[size, feel]  = ((T - t) after[piece holds] + t after[piece trips]) / T
    V[passes]         = max over sizes of  sum over feels  c max(take, value left by V[passes + 1]) / C

t / T is the probability that the bar trips, c / C that of a feel. A state leads to fewer pieces, or to as many pieces
and one pass more. Retrograde analysis by pieces therefore finds all bounds, for all leads at once in numpy, in integer
arithmetic and rounded outward. A sample of states is compared with the game as it is played.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from ..play.touch import Left, TouchPosition
from ..solvers import ValueTable
from ..solvers.touch.problem import TouchProblem
from ..solvers.touch.score_axis import ScoreAxisBoards
from ..util.errors import SolveError
from .game_descriptions import State, state_name
from .prover import CertifiedBounds
from .turn_crosscheck import Comparison, crosscheck
from .whole_turn import BlockWorkers, Ints

ROUND_UP = np.array([[0], [1]])  # the lower bound is rounded down, the upper bound up
COMPARED_BOARDS = 40

# The size touched, the weight of its feel, whether passing is allowed, the weight of the outcome, and what follows.
TouchOutcome = tuple[int, int, bool, int, State | str]


class _PieceOutcome(NamedTuple):
    """An outcome of taking a piece: its weight, and the change of the mover's lead (alone: of the trips)."""

    weight: int
    change: int


class TouchProver:
    """Prover of certified bounds of a board, for one player or two."""

    def __init__(self, problem: TouchProblem, workers: BlockWorkers, progress: Callable[[float], None]) -> None:
        self.problem, self.rules, self.progress = problem, problem.rules, progress
        if not isinstance(problem.whole_board, ScoreAxisBoards):
            raise SolveError("bounds of a board are proved for one or two players")
        self.board = problem.whole_board
        odds, self.is_alone = problem.rules.odds, problem.players == 1
        feel_totals = [lcm(*(chance.denominator for chance in row)) for row in odds.chance]
        self.feel_weights = [
            [int(chance * total) for chance in row] for row, total in zip(odds.chance, feel_totals, strict=True)
        ]
        trip_totals = [probability.denominator for row in odds.trip for probability in row]
        self.is_margin = problem.objective == "margin"
        max_value = int(self.board.places[-1]) if self.is_margin else 1
        self.bits = 62 - int(max_value * max(*feel_totals, *trip_totals)).bit_length()
        self.stake = 0 if self.is_margin else 1 << self.bits
        # Bounds of boards between turns, for the player who has just moved, by that player's own lead.
        self.turn_bounds = np.zeros((2, *self.board.shape), dtype=np.int64)

    def prove(self, value_table: ValueTable) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states, their certified bounds, and the solved values in the same order."""
        names, bounds, values, blocks = list[Any](), list[Any](), list[Any](), list[Ints]()
        boards: list[Any] = list(product(*(range(count + 1) for count in self.board.left)))
        state_count, limit, rng = 0, self.rules.limit, random.Random(0)
        compared = {*rng.sample(boards, min(len(boards), COMPARED_BOARDS))}
        for pieces in range(sum(self.board.left) + 1):
            states_by_passes: list[list[Ints]] = [[] for _ in range(limit + 1)]
            for remaining in (board for board in boards if sum(board) == pieces):
                if pieces <= self.rules.last:
                    self.turn_bounds[(slice(None), *remaining)] = self._terminal_values()
                    continue
                places = self._possible_places(remaining)
                board_bounds = self._board_bounds(remaining, places)
                low, high = places.start - self.board.origin, places.stop - self.board.origin
                self.turn_bounds[(slice(None), *remaining, places)] = self._for_opponent(board_bounds[0])
                for passes in range(limit + 1):
                    states_by_passes[passes].append(state_count + passes * (high - low) + np.arange(high - low))
                names.append(self._state_names(remaining, low, high))
                bounds.append(board_bounds.transpose(1, 0, 2).reshape(2, -1))
                values.append(self._solved_values(value_table, remaining, places))
                state_count += len(names[-1])
                if remaining in compared:
                    comparison = self._compare(remaining, rng.randrange(low, high), rng.randrange(limit + 1))
                    crosscheck("the compiled board", self.problem.playable, [comparison])
            # A state after a pass is led to by the state before it, so the last passes come first.
            blocks += [np.concatenate(states) for states in reversed(states_by_passes) if states]
            self.progress(pieces / sum(self.board.left))
        return (
            np.concatenate(names),
            CertifiedBounds(np.hstack(bounds), self.bits, tuple(blocks)),
            np.concatenate(values),
        )

    def _state_names(self, remaining: Left, low: int, high: int) -> Ints:
        """Return the names of a board's states, passes first: pieces left, lead (alone: trips) and passes."""
        passes = self.rules.limit + 1
        leads = np.tile(np.arange(low, high), passes)
        sizes = np.broadcast_to(np.array(remaining), (len(leads), 3))
        return np.column_stack([sizes, leads, np.repeat(np.arange(passes), high - low)]).astype(np.int16)

    def _solved_values(self, value_table: ValueTable, remaining: Left, places: slice) -> Any:
        """Return the solved values of a board's states, as the mover sees them.

        The value table holds the values after no pass, for the player who has just moved. Those after passes are
        solved here.
        """
        tabled = value_table.arrays["after"]
        leads = np.arange(places.start, places.stop) - self.board.origin
        turns = self.board.turns_of_board(tabled, remaining, leads).solve()
        values = np.array([turns[passes][:, 0] for passes in range(self.rules.limit + 1)])
        after_turn = tabled[(*remaining, places)]
        values[0] = after_turn if self.is_alone else -after_turn[::-1]
        return (values if self.is_alone or self.is_margin else (values + 1) / 2).ravel()

    def _terminal_values(self) -> Ints:
        """Return the values of the end of the game for the player who has just moved, by that player's lead."""
        places = self.board.places
        if self.is_margin:
            return places << self.bits
        if self.is_alone:
            return (places <= self.rules.trips).astype(np.int64) << self.bits
        return np.sign(places) + 1 << self.bits - 1

    def _for_opponent(self, bounds: Ints) -> Ints:
        """Return the mover's bounds (.., 2, leads) as the opponent sees them, by the opponent's lead."""
        return bounds if self.is_alone else self.stake - bounds[..., ::-1, ::-1]

    def _possible_places(self, remaining: Left) -> slice:
        """Return the places on the axis of all leads (alone: trips) that are possible with these pieces."""
        removed, origin = sum(self.board.left) - sum(remaining), self.board.origin
        if self.is_alone:
            return slice(origin, origin + min(removed, self.rules.trips) + 1)
        max_lead = removed * max(*self.rules.points, self.rules.penalty)
        return slice(origin - max_lead, origin + max_lead + 1)

    def _board_bounds(self, remaining: Left, places: slice) -> Ints:
        """Return the bounds of a board's states, (passes, 2, leads)."""
        takes = {
            size: [self._take(remaining, size, feel, places) for feel in range(len(self.feel_weights[size]))]
            for size in self._allowed_sizes(remaining)
        }
        by_passes = [self._touch(takes, None)]
        for _ in range(self.rules.limit):
            by_passes.insert(0, self._touch(takes, self._for_opponent(by_passes[0])))
        return np.stack(by_passes)

    def _allowed_sizes(self, remaining: Left) -> list[int]:
        """Return the sizes of which a piece may be touched."""
        sizes = [size for size in range(3) if remaining[size]]
        return sizes[-1:] if self.rules.in_order else sizes

    def _take(self, remaining: Left, size: int, feel: int, places: slice) -> Ints:
        """Return the bounds of taking a piece, (2, leads)."""
        hold, trip = self._piece_outcomes(size, feel)
        index: Any = (slice(None), *_without_piece(remaining, size))
        fewer = self.turn_bounds[index]
        bounds_if_held, bounds_if_tripped = (
            fewer[:, places.start + outcome.change : places.stop + outcome.change] for outcome in (hold, trip)
        )
        total = hold.weight + trip.weight
        return np.asarray(
            (hold.weight * bounds_if_held + trip.weight * bounds_if_tripped + ROUND_UP * (total - 1)) // total
        )

    def _piece_outcomes(self, size: int, feel: int) -> tuple[_PieceOutcome, _PieceOutcome]:
        """Return the outcomes of taking a piece: it holds, or it trips the bar."""
        probability: Fraction = self.rules.odds.trip[size][feel]
        if self.is_alone:
            hold_change, trip_change = 0, 1
        else:
            hold_change, trip_change = self.rules.points[size], -self.rules.penalty
        hold = _PieceOutcome(probability.denominator - probability.numerator, hold_change)
        return hold, _PieceOutcome(probability.numerator, trip_change)

    def _touch(self, takes: dict[int, list[Ints]], passed: Ints | None) -> Ints:
        """Return the bounds of touching the best size, (2, leads).

        Args:
            takes: by size and feel, the bounds of taking the piece.
            passed: the bounds of passing after the touch; None if passing is not allowed.
        """
        best: Ints | None = None
        for size, take_bounds in takes.items():
            total, total_weight = np.zeros_like(take_bounds[0]), sum(self.feel_weights[size])
            for weight, take in zip(self.feel_weights[size], take_bounds, strict=True):
                total += weight * (take if passed is None else np.maximum(take, passed))
            mean = (total + ROUND_UP * (total_weight - 1)) // total_weight
            best = mean if best is None else np.maximum(best, mean)
        assert best is not None
        return best

    # --- cross-check with the game as played

    def _compare(self, remaining: Left, place: int, passes: int) -> Comparison:
        """Return the comparison of a state's outcomes with the game as it is played."""
        scores = () if self.is_alone else (place, 0)
        start = TouchPosition(remaining, scores, place if self.is_alone else 0, passes=passes)
        compiled = {
            (size, feel_weight, passes < self.rules.limit, outcome.weight, successor)
            for size in self._allowed_sizes(remaining)
            for feel, feel_weight in enumerate(self.feel_weights[size])
            for outcome in self._piece_outcomes(size, feel)
            for successor in [self._next_state(remaining, size, place + outcome.change)]
            if feel_weight and outcome.weight
        }
        return Comparison(start, compiled, set(self._played_outcomes(start)))

    def _next_state(self, remaining: Left, size: int, place: int) -> State | str:
        """Return the name of the state after a piece was taken, or "over"."""
        fewer = _without_piece(remaining, size)
        if sum(fewer) <= self.rules.last or (self.is_alone and place > self.rules.trips):
            return "over"
        return *fewer, place if self.is_alone else -place, 0

    def _played_outcomes(self, start: TouchPosition) -> Iterator[TouchOutcome]:
        """Yield the outcomes of a turn in the game as it is played."""
        table = self.problem.playable
        for touch in table.choices(start):
            size = touch.after.size
            assert size is not None
            for feel_weight, felt in table.throws(touch.after):
                after_choice = {choice.then: choice.after for choice in table.choices(felt)}
                for weight, tested in table.throws(after_choice["take"]):
                    (end,) = table.choices(tested)
                    is_over = table.stage(end.after) == "over"
                    successor = "over" if is_over else state_name(table, end.after)
                    yield size, feel_weight, "pass" in after_choice, weight, successor


def _without_piece(remaining: Left, size: int) -> Left:
    large, medium, small = (count - (number == size) for number, count in enumerate(remaining))
    return large, medium, small
