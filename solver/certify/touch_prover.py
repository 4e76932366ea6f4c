"""Certified bounds of Booby Trap boards for one or two players.

A state is the pieces left by size, the mover's lead (alone: the trips so far) and the passes in a row. A player touches
a piece and feels how firmly it holds. Then the player takes it, and it may trip the bar, or passes:

    take[size, feel]  = ((T - t) after[piece holds] + t after[piece trips]) / T
    V[passes]         = max over sizes of  sum over feels  c max(take, value left by V[passes + 1]) / C

t / T is the probability that the bar trips, c / C that of a feel. A state leads to fewer pieces, or to as many pieces
and one pass more. Retrograde analysis by pieces therefore finds all bounds, for all leads at once in numpy, in integer
arithmetic and rounded outward. A sample of states is compared with the game as it is played.

The leads of a board, or alone the numbers of trips, stand on one axis, in ascending order from ``-origin`` on. A part
of it is given as a slice. Bounds are arrays (2, leads): the lower and the upper bound for every lead.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from ..play.choice_kinds import ChoiceKind
from ..play.touch import PiecesLeft, TouchPosition
from ..solvers import ValueTable
from ..solvers.touch.problem import TouchProblem
from ..solvers.touch.score_axis import ScoreAxisBoards
from ..util.errors import SolveError
from ..util.progress_reporting import ProgressCallback
from .game_descriptions import State, state_name
from .transition_prover import CertifiedBounds
from .turn_crosscheck import Comparison, crosscheck
from .whole_turn import BlockWorkers, Ints

COMPARED_BOARDS = 40  # boards of which a state is compared with the game as played


class TouchOutcome(NamedTuple):
    """A possible course of a turn in which the piece is taken, for the cross-check.

    Attributes:
        size: the number of the size touched.
        feel_weight: the weight of how the piece feels.
        may_pass: whether the player might have passed.
        weight: the weight of the outcome of taking the piece: it holds, or it trips the bar.
        next_state: the name of the state after that, or "over".
    """

    size: int
    feel_weight: int
    may_pass: bool
    weight: int
    next_state: State | str


class _ProvedBoard(NamedTuple):
    """The states of a board, ordered by passes in a row and then by lead.

    Attributes:
        names: (states, 5) their names.
        bounds: (2, states) their lower and upper bounds.
        values: (states,) their solved values.
        leads: the leads (alone: trips) that are possible with these pieces.
    """

    names: Ints
    bounds: Ints
    values: Any
    leads: range


class _PieceOutcome(NamedTuple):
    """An outcome of taking a piece: it holds, or it trips the bar.

    Attributes:
        weight: the weight of this outcome.
        change: the change of the mover's lead; alone, of the number of trips.
    """

    weight: int
    change: int


class TouchProver:
    """Prover of certified bounds of a board, for one player or two.

    A state is the pieces left by size, the mover's lead (alone: the trips so far), and the passes in a row. Arrays have
    an *axis* of all leads that are possible in the game; the lead 0 has the index ``board.origin`` on it.

    Attributes:
        board: the table of all boards, from which the solved values come.
        feel_weights: by size and feel, whole weights of the feels.
        bits: a unit is 2 ** -bits.
        stake: what two players get together, in units; the opponent gets the stake less what the mover gets.
        turn_bounds: (2, large + 1, medium + 1, small + 1, leads) lower and upper bounds in units between turns, by the
            pieces left of each size, for the player who has just moved and by that player's lead.
        problem, rules: the problem to prove, and the rules of its game.
        is_alone, is_margin: whether one player plays; whether the objective is ``margin``.
        progress: called with the share done.
    """

    def __init__(self, problem: TouchProblem, workers: BlockWorkers, progress: ProgressCallback) -> None:
        """Convert probabilities to whole weights, and choose the unit.

        Args:
            problem: the problem to prove.
            workers: not used; numpy solves all leads at once.
            progress: called with the share done.

        Raises:
            SolveError: there are three or more players.
        """
        self.problem = problem
        self.rules = problem.rules
        self.progress = progress
        if not isinstance(problem.whole_board, ScoreAxisBoards):
            raise SolveError("bounds of Booby Trap can be proved for one or two players only")
        self.board = problem.whole_board
        self.is_alone = problem.players == 1
        self.is_margin = problem.objective == "margin"
        odds = problem.rules.odds
        # The probability of a feel is weight / total. The total of a size is the common denominator of all its feels.
        feel_totals = [lcm(*(chance.denominator for chance in chances)) for chances in odds.feel_chances]  # by size
        self.feel_weights: list[list[int]] = []  # by size and feel
        for chances, total in zip(odds.feel_chances, feel_totals, strict=True):
            self.feel_weights.append([int(chance * total) for chance in chances])
        # So is the probability of a trip. There the total is the denominator of the probability.
        trip_totals = [probability.denominator for row in odds.trip_chances for probability in row]
        # ``leads_or_trips`` is in ascending order; its last lead is the largest margin. Other values are
        # probabilities.
        max_value = int(self.board.leads_or_trips[-1]) if self.is_margin else 1
        # The unit is 2 ** -bits, so small that a sum of values times weights just fits 62 bits.
        max_sum = int(max_value * max(*feel_totals, *trip_totals))
        self.bits = 62 - max_sum.bit_length()
        self.stake = 0 if self.is_margin else 1 << self.bits  # what two players get together, in units
        # Bounds of boards between turns, for the player who has just moved, by that player's own lead.
        self.turn_bounds = np.zeros((2, *self.board.shape), dtype=np.int64)

    def prove(self, value_table: ValueTable) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states, their certified bounds, and the solved values in the same order.

        The states of a board are ordered by passes in a row, then by lead.

        Args:
            value_table: the solved values, which are only looked up.

        Raises:
            SolveError: the compiled board differs from the game as it is played.
        """
        proved_boards: list[_ProvedBoard] = []
        blocks: list[Ints] = []  # numbers of states, in the order in which a checker may read them
        pieces_at_start = sum(self.board.left)
        # All boards, each as the pieces that remain, by size.
        boards: list[Any] = list(product(*(range(count + 1) for count in self.board.left)))
        rng = random.Random(0)  # a fixed seed, so that the same boards are always compared
        compared_boards = {*rng.sample(boards, min(len(boards), COMPARED_BOARDS))}
        state_count = 0  # of the boards so far; states are numbered in this order
        for piece_count in range(pieces_at_start + 1):  # a take leads to fewer pieces, so these come first
            boards_of_layer = [board for board in boards if sum(board) == piece_count]
            numbers_by_board: list[Ints] = []  # (passes, leads) each: the numbers of the states of a board
            for remaining in boards_of_layer:
                if piece_count <= self.rules.last_pieces:  # the game is over
                    all_leads = slice(None)
                    self._set_turn_bounds(remaining, all_leads, self._terminal_values())
                    continue
                board = self._prove_board(remaining, value_table)
                proved_boards.append(board)
                numbers = state_count + np.arange(len(board.names))
                numbers_by_board.append(numbers.reshape(-1, len(board.leads)))
                state_count += len(board.names)
                if remaining in compared_boards:
                    self._crosscheck_board(remaining, board.leads, rng)
            blocks += _blocks_of_layer(numbers_by_board)
            self.progress(piece_count / pieces_at_start)
        names = np.concatenate([board.names for board in proved_boards])
        bounds = np.hstack([board.bounds for board in proved_boards])
        values = np.concatenate([board.values for board in proved_boards])
        return names, CertifiedBounds(bounds, self.bits, tuple(blocks)), values

    def _crosscheck_board(self, remaining: PiecesLeft, leads: range, rng: random.Random) -> None:
        """Compare the outcomes of a turn from one random state of a board with the game as it is played.

        Args:
            remaining: the pieces left, by size.
            leads: the leads (alone: trips) that are possible with these pieces.
            rng: draws the lead and the passes in a row.

        Raises:
            SolveError: they differ.
        """
        lead = rng.randrange(leads.start, leads.stop)
        passes = rng.randrange(self.rules.max_passes + 1)
        crosscheck("the compiled board", self.problem.playable, [self._compare(remaining, lead, passes)])

    def _prove_board(self, remaining: PiecesLeft, value_table: ValueTable) -> _ProvedBoard:
        """Return the states of a board with their bounds, and store in ``turn_bounds`` those without passes.

        Args:
            remaining: the pieces left, by size.
            value_table: the solved values, which are only looked up.
        """
        lead_slice = self._possible_leads(remaining)  # on the axis of leads
        board_bounds = self._board_bounds(remaining, lead_slice)  # (passes, 2, leads)
        bounds_without_passes = board_bounds[0]  # with these a turn begins after a take
        self._set_turn_bounds(remaining, lead_slice, self._for_opponent(bounds_without_passes))
        leads = self._leads(lead_slice)
        return _ProvedBoard(
            names=self._state_names(remaining, leads),
            bounds=board_bounds.transpose(1, 0, 2).reshape(2, -1),
            values=self._solved_values(value_table, remaining, lead_slice),
            leads=leads,
        )

    def _set_turn_bounds(self, remaining: PiecesLeft, lead_slice: slice, bounds: Ints) -> None:
        """Store the bounds of a board between turns in ``turn_bounds``: (2, pieces left by size, leads on the axis).

        Args:
            remaining: the pieces left, by size.
            lead_slice: the part of the axis of leads that the bounds are for.
            bounds: (2, leads) bounds for the player who has just moved, or (leads,) if both are equal.
        """
        both_sides = slice(None)
        self.turn_bounds[(both_sides, *remaining, lead_slice)] = bounds

    def _leads(self, lead_slice: slice) -> range:
        """Return the leads (alone: trips) that a slice of the axis holds."""
        origin = self.board.origin
        return range(lead_slice.start - origin, lead_slice.stop - origin)

    def _state_names(self, remaining: PiecesLeft, leads: range) -> Ints:
        """Return the names of a board's states, (states, 5): pieces left by size, lead (alone: trips) and passes.

        Args:
            remaining: the pieces left, by size.
            leads: the leads that are possible.
        """
        pass_counts = np.arange(self.rules.max_passes + 1)
        lead_column = np.tile(np.array(leads), len(pass_counts))
        pass_column = np.repeat(pass_counts, len(leads))
        piece_columns = np.broadcast_to(np.array(remaining), (len(lead_column), 3))
        return np.column_stack([piece_columns, lead_column, pass_column]).astype(np.int16)

    def _solved_values(self, value_table: ValueTable, remaining: PiecesLeft, lead_slice: slice) -> Any:
        """Return the solved values of a board's states, as the mover sees them.

        The value table holds the values after no pass, for the player who has just moved. Those after passes are
        solved here.

        Args:
            value_table: the solved values. In its table for the win, a win is 1 and a loss is -1.
            remaining: the pieces left, by size.
            lead_slice: the part of the axis of leads with the states.
        """
        table = value_table.arrays["after"]  # (pieces left by size, leads on the axis)
        leads = np.arange(lead_slice.start, lead_slice.stop) - self.board.origin
        turns = self.board.turns_of_board(table, remaining, leads).solve()  # by passes in a row, (leads, players)
        mover = 0  # players are listed from the mover on
        values = np.array([turns[passes][:, mover] for passes in range(self.rules.max_passes + 1)])  # (passes, leads)
        previous_mover_values = table[(*remaining, lead_slice)]
        # Without passes the opponent has just moved. That player has minus the mover's lead, so the order is reversed,
        # and minus the mover's value.
        values[0] = previous_mover_values if self.is_alone else -previous_mover_values[::-1]
        is_win_of_two = not self.is_alone and not self.is_margin
        if is_win_of_two:
            values = (values + 1) / 2  # from payoffs between -1 and 1 to probabilities
        return values.ravel()

    def _terminal_values(self) -> Ints:
        """Return the values of the end of the game for the player who has just moved, (leads on the axis,) in units.

        For the margin the value is the lead. Alone it is 1, unless too many pieces have tripped the bar. Otherwise it
        is 1, 1/2 or 0 for a win, a tie or a loss.
        """
        leads_or_trips = self.board.leads_or_trips  # along the axis, the lead, or alone the number of trips
        if self.is_margin:
            return leads_or_trips << self.bits
        if self.is_alone:
            return (leads_or_trips <= self.rules.trips).astype(np.int64) << self.bits
        half_win = 1 << self.bits - 1  # in units of 2 ** -bits
        half_wins = np.sign(leads_or_trips) + 1  # 2, 1 or 0 for a win, a tie or a loss
        return half_wins * half_win

    def _for_opponent(self, bounds: Ints) -> Ints:
        """Return the mover's bounds as the opponent sees them, by the opponent's lead; alone, the bounds themselves.

        The opponent gets the rest of the stake. So lower and upper bounds change places, and so do leads and deficits.

        Args:
            bounds: (2, leads) bounds of the mover in units, for all leads from some deficit to the same lead.
        """
        return bounds if self.is_alone else self.stake - bounds[::-1, ::-1]

    def _possible_leads(self, remaining: PiecesLeft) -> slice:
        """Return the slice of the axis with all leads (alone: trips) that are possible with these pieces.

        Every piece that was taken changes the lead by its points or the penalty at most, and the trips by one.
        """
        pieces_taken = sum(self.board.left) - sum(remaining)
        origin = self.board.origin
        if self.is_alone:
            max_trips = min(pieces_taken, self.rules.trips)
            return slice(origin, origin + max_trips + 1)
        max_lead = pieces_taken * max(*self.rules.points, self.rules.penalty)
        return slice(origin - max_lead, origin + max_lead + 1)

    def _board_bounds(self, remaining: PiecesLeft, lead_slice: slice) -> Ints:
        """Return the bounds of a board's states for the mover, (passes, 2, leads).

        They are found from the most passes in a row, after which a piece must be taken, down to none. Passing leads to
        the same board with one pass more, and the opponent to move.

        Args:
            remaining: the pieces left, by size.
            lead_slice: the part of the axis of leads (alone: of trips) with the states.
        """
        takes: dict[int, list[Ints]] = {}  # by size and feel, (2, leads)
        for size in self._allowed_sizes(remaining):
            feels = range(len(self.feel_weights[size]))
            takes[size] = [self._take(remaining, size, feel, lead_slice) for feel in feels]
        bounds = self._touch(takes, pass_bounds=None)  # after the most passes in a row no player may pass
        bounds_by_passes = [bounds]  # from the most passes to none
        for _ in range(self.rules.max_passes):
            # After a pass the opponent faces the bounds found last.
            bounds = self._touch(takes, self._for_opponent(bounds))
            bounds_by_passes.append(bounds)
        return np.stack(bounds_by_passes[::-1])

    def _allowed_sizes(self, remaining: PiecesLeft) -> list[int]:
        """Return the sizes of which a piece may be touched, from large (0) to small (2).

        If pieces have to be taken in order, it is only the smallest size that is left.

        Args:
            remaining: the pieces left, by size.
        """
        sizes = [size for size, count in enumerate(remaining) if count]
        return sizes[-1:] if self.rules.is_in_order else sizes

    def _take(self, remaining: PiecesLeft, size: int, feel: int, lead_slice: slice) -> Ints:
        """Return the bounds of taking a piece of a size that feels in some way, (2, leads) in units.

        They are the mean of both outcomes, rounded outward: the piece holds, or it trips the bar. Either changes the
        mover's lead.

        Args:
            remaining: the pieces left, by size, before.
            size: the number of the size of the piece.
            feel: the number of its feel.
            lead_slice: the part of the axis of leads (alone: of trips) with the states.
        """
        hold, trip = self._piece_outcomes(size, feel)  # each with a weight and a change of the lead
        # The bounds of the board with one piece fewer, (2, leads on the axis). They are for the player who has just
        # moved, who is this mover, by that player's lead.
        both_sides = slice(None)
        board_index: Any = (both_sides, *_without_piece(remaining, size))
        fewer_pieces = self.turn_bounds[board_index]
        # The shifted slices stay on the axis, which holds every lead that is possible in the game.
        bounds_if_held = fewer_pieces[:, _shifted(lead_slice, hold.change)]
        bounds_if_tripped = fewer_pieces[:, _shifted(lead_slice, trip.change)]
        total_weight = hold.weight + trip.weight
        weighted_sum = hold.weight * bounds_if_held + trip.weight * bounds_if_tripped
        return _rounded_outward(weighted_sum, total_weight)

    def _piece_outcomes(self, size: int, feel: int) -> tuple[_PieceOutcome, _PieceOutcome]:
        """Return the two outcomes of taking a piece, in this order: it holds, and it trips the bar.

        Args:
            size: the number of the size of the piece.
            feel: the number of its feel.
        """
        trip_probability: Fraction = self.rules.odds.trip_chances[size][feel]
        trip_weight = trip_probability.numerator
        hold_weight = trip_probability.denominator - trip_weight
        if self.is_alone:  # trips are counted
            return _PieceOutcome(hold_weight, change=0), _PieceOutcome(trip_weight, change=1)
        points = self.rules.points[size]
        return _PieceOutcome(hold_weight, change=points), _PieceOutcome(trip_weight, change=-self.rules.penalty)

    def _touch(self, takes: dict[int, list[Ints]], pass_bounds: Ints | None) -> Ints:
        """Return the bounds of touching a piece of the best size, (2, leads) in units.

        A touch is worth the mean over the feels of the better choice by that feel: take the piece, or pass. The mean is
        rounded outward.

        Args:
            takes: by size and feel, the bounds (2, leads) of taking the piece.
            pass_bounds: (2, leads) the bounds of passing after the touch; None if passing is not allowed.
        """
        best: Ints | None = None
        for size, bounds_by_feel in takes.items():
            weights = self.feel_weights[size]  # the probability of a feel is its weight / total_weight
            total_weight = sum(weights)
            weighted_sum = np.zeros_like(bounds_by_feel[0])
            for weight, take_bounds in zip(weights, bounds_by_feel, strict=True):
                better_choice = take_bounds if pass_bounds is None else np.maximum(take_bounds, pass_bounds)
                weighted_sum += weight * better_choice
            mean = _rounded_outward(weighted_sum, total_weight)
            best = mean if best is None else np.maximum(best, mean)
        assert best is not None
        return best

    # --- cross-check with the game as played

    def _compare(self, remaining: PiecesLeft, lead: int, passes: int) -> Comparison:
        """Return the comparison of a state's outcomes with the game as it is played.

        Args:
            remaining: the pieces left, by size.
            lead: the mover's lead (alone: the trips so far).
            passes: the passes in a row.
        """
        scores = () if self.is_alone else (lead, 0)  # of both players, the mover first; only the lead matters
        trips = lead if self.is_alone else 0
        start = TouchPosition(remaining, scores, trips, passes=passes)
        compiled = set(self._compiled_outcomes(remaining, lead, passes))
        return Comparison(start, compiled, set(self._played_outcomes(start)))

    def _compiled_outcomes(self, remaining: PiecesLeft, lead: int, passes: int) -> Iterator[TouchOutcome]:
        """Yield the outcomes of a turn by the rules of the prover: every touch, feel, and result of taking the piece.

        Args:
            remaining: the pieces left, by size.
            lead: the mover's lead (alone: the trips so far).
            passes: the passes in a row.
        """
        may_pass = passes < self.rules.max_passes
        for size in self._allowed_sizes(remaining):
            for feel, feel_weight in enumerate(self.feel_weights[size]):
                for outcome in self._piece_outcomes(size, feel):  # the piece holds, or it trips the bar
                    is_possible = feel_weight > 0 and outcome.weight > 0
                    if is_possible:
                        next_state = self._next_state(remaining, size, lead + outcome.change)
                        yield TouchOutcome(size, feel_weight, may_pass, outcome.weight, next_state)

    def _next_state(self, remaining: PiecesLeft, size: int, lead: int) -> State | str:
        """Return the name of the state after a piece was taken, or "over".

        A name is the pieces left by size, the next mover's lead (alone: the trips), and the passes in a row, which are
        none after a take.

        Args:
            remaining: the pieces left, by size, before.
            size: the number of the size of the piece.
            lead: the mover's lead (alone: the trips) after it was taken.
        """
        fewer_pieces = _without_piece(remaining, size)
        has_failed = self.is_alone and lead > self.rules.trips
        if has_failed or sum(fewer_pieces) <= self.rules.last_pieces:
            return "over"
        next_lead = lead if self.is_alone else -lead
        return *fewer_pieces, next_lead, 0

    def _played_outcomes(self, start: TouchPosition) -> Iterator[TouchOutcome]:
        """Yield the outcomes of a turn in the game as it is played: every touch, feel, and result of taking the piece.

        Args:
            start: the position in which the turn begins.
        """
        playable = self.problem.playable
        for touch in playable.choices(start):
            size = touch.after.size
            assert size is not None
            for feel_weight, felt in playable.rolls(touch.after):
                position_after = {choice.kind: choice.after for choice in playable.choices(felt)}  # of take and pass
                may_pass = ChoiceKind.PASS in position_after
                taken = position_after[ChoiceKind.TAKE]
                for weight, position_taken in playable.rolls(taken):  # the piece holds, or it trips the bar
                    (only_choice,) = playable.choices(position_taken)  # which ends the turn
                    after_turn = only_choice.after
                    is_over = playable.stage(after_turn) == "over"
                    next_state = "over" if is_over else state_name(playable, after_turn)
                    yield TouchOutcome(size, feel_weight, may_pass, weight, next_state)


def _blocks_of_layer(numbers_by_board: Sequence[Ints]) -> list[Ints]:
    """Return the states of boards with equally many pieces in blocks, by passes in a row, the most passes first.

    A pass leads to one pass more on the same board, so the states after the most passes have to be read first.

    Args:
        numbers_by_board: (passes, leads) for each board, the numbers of its states.
    """
    if not numbers_by_board:  # the game is over on these boards
        return []
    pass_counts = range(len(numbers_by_board[0]))
    return [np.concatenate([numbers[passes] for numbers in numbers_by_board]) for passes in reversed(pass_counts)]


def _rounded_outward(weighted_sums: Ints, total_weight: int) -> Ints:
    """Return means of bounds, (2, leads): lower bounds rounded down, upper bounds rounded up.

    Args:
        weighted_sums: (2, leads) the sums of weight times bound.
        total_weight: the sum of the weights.
    """
    # A division rounds down. With total_weight - 1 added before, it rounds up.
    addend = np.array([[0], [total_weight - 1]])
    return np.asarray((weighted_sums + addend) // total_weight)


def _shifted(lead_slice: slice, change: int) -> slice:
    """Return a slice of the axis of leads in which every lead is changed by as much."""
    return slice(lead_slice.start + change, lead_slice.stop + change)


def _without_piece(remaining: PiecesLeft, size: int) -> PiecesLeft:
    """Return the pieces left, by size, after one of this size was taken."""
    large, medium, small = (count - (number == size) for number, count in enumerate(remaining))
    return large, medium, small
