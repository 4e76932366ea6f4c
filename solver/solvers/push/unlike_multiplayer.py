"""Equations of a race of players who have rules of their own, and what the solvers of three or more have in common.

The equations are those of players who are alike (``multiplayer_sweep``), with a table for each seat to move. Scores of
each seat are in units of its own rules, because the equations never compare the scores of two seats.

A *line* is the seat to move, and the states of all seats from the mover on. The lines of seat 0 are numbered first. The
lines of one mover are numbered by the states as digits, each with as many values as its seat has states. A *row* is all
digits but the mover's. For two states of seat 0, three of seat 1 and one of seat 2, for example:

    seat to move    digits: states of     lines     number of the line with the states 1, 2 and 0 of seats 0, 1 and 2
    0               seats 0, 1, 2         0-5       0 + (1 * 3 + 2) * 1 + 0 = 5
    1               seats 1, 2, 0         6-11      6 + (2 * 1 + 0) * 2 + 1 = 11
    2               seats 2, 0, 1         12-17     12 + (0 * 2 + 1) * 3 + 2 = 17

These three lines are a cycle: zero turns lead from each to the next, and from the last to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod

import numpy as np

from ...core.seats import RaceSeat, SeatsKernel
from ...games.push_rules import WIN, WIPE
from ...turns.monotone_turn import MonotoneTurn
from ...turns.push_turn import Caps, Doubles, TurnValue
from ..model import Ints, TakeoverOffers, Transitions
from ..problem import MixedAction
from ..reference_solver import zero_turn_tolerances
from ..rounding_bounds import turn_rounding_bound
from .cycle_layers import UnlikeLayers
from .cycle_solver import CertainStops, Cycle, Cycles, Rows
from .model import RaceModel, RaceTurns
from .multiplayer_costs import choices_per_line
from .multiplayer_kernel import (
    ADDITION_ERROR,
    KernelSeat,
    allocate_certain_stops,
    describe_seat,
)
from .multiplayer_reference import ReferenceCycleSolver
from .race_solver import CERTAIN_STOP_LOSS
from .states import FORBIDDEN, WON, States


class UnlikeRaceModel:
    """Equations of a race of players who have rules of their own.

    Attributes:
        states: by seat, the states of its player.
        seats: the number of players.
        counts: by seat, the number of its states.
        lines_per_mover: the number of lines in which a seat is to move; it is the same for all seats.
        lines, state_count: the number of all lines. There are no other states.
        last_round: None, because reaching the target wins.
        has_cyclic_components: False, because no score can fall.
        seat_models: by seat, the equations of its turns.
    """

    last_round = None
    has_cyclic_components = False

    def __init__(self, states: Sequence[States]) -> None:
        """Assign numbers to the lines.

        Args:
            states: by seat, the states of its player.
        """
        assert all(own.rules.finish != "last_round" and not own.has_losses for own in states)
        self.states = tuple(states)
        self.seats = len(states)
        self.counts = tuple(map(len, states))
        self.lines_per_mover = prod(self.counts)
        self.lines = self.state_count = self.seats * self.lines_per_mover

    @cached_property
    def seat_models(self) -> tuple[SeatRaceModel, ...]:
        """By seat, the equations of its turns."""
        return tuple(SeatRaceModel(self, seat) for seat in range(self.seats))

    def shape_of_mover(self, seat: int) -> tuple[int, ...]:
        """Return the shape of an array by the states of all seats, from a seat to move on."""
        return self.counts[seat:] + self.counts[:seat]

    def first_line(self, seat: int) -> int:
        """Return the number of the first line in which a seat is to move."""
        return seat * self.lines_per_mover

    def movers(self, lines: Ints) -> Ints:
        """Return by line the seat to move."""
        return np.asarray(lines // self.lines_per_mover)

    def line_number(self, mover: int, states_from_mover_on: Sequence[int]) -> int:
        """Return the number of one line.

        Args:
            mover: the seat to move.
            states_from_mover_on: the states of all seats, from the mover on.
        """
        return self.first_line(mover) + int(np.ravel_multi_index(states_from_mover_on, self.shape_of_mover(mover)))

    def lines_of(self, cycles: Cycles) -> Ints:
        """Return the lines of cycles, by mover: (seats, cycles).

        Args:
            cycles: (cycles, seats) the states of the seats, seat 0 first.
        """
        lines = np.empty(cycles.T.shape, dtype=np.int64)
        for mover in range(self.seats):
            digits = tuple(np.roll(cycles, -mover, axis=1).T)
            lines[mover] = self.first_line(mover) + np.ravel_multi_index(digits, self.shape_of_mover(mover))
        return lines

    def rows_of(self, cycles: Cycles) -> Rows:
        """Return the rows that the movers of cycles face: (cycles, seats).

        Args:
            cycles: (cycles, seats) the states of the seats, seat 0 first.
        """
        rows = np.empty(cycles.shape, dtype=np.int64)
        for mover in range(self.seats):
            digits = tuple(np.roll(cycles, -mover, axis=1).T[1:])
            rows[:, mover] = np.ravel_multi_index(digits, self.shape_of_mover(mover)[1:])
        return rows

    def row_count(self, seat: int) -> int:
        """Return the number of rows that a seat may face."""
        return self.lines_per_mover // self.counts[seat]

    def after_zero_turn(self, lines: Ints) -> Ints:
        """Return the lines after a zero turn: the next seat is to move, and no state changes."""
        next_lines = np.empty_like(lines)
        movers = self.movers(lines)
        for seat, model in enumerate(self.seat_models):
            is_mover = movers == seat
            next_lines[is_mover] = model.after_zero_turn(lines[is_mover])
        return next_lines

    def higher_scores(self, lines: Ints) -> tuple[Ints, Ints]:
        """Return how many higher scores each seat has, and by how much the next one raises the number of the line.

        Args:
            lines: (lines,).

        Returns:
            (lines, seats) each, by seat from the mover on.
        """
        scores_above = np.empty((len(lines), self.seats), dtype=np.int64)
        steps = np.empty_like(scores_above)
        movers = self.movers(lines)
        for seat in range(self.seats):
            is_mover = movers == seat
            shape = self.shape_of_mover(seat)
            digits = np.unravel_index(lines[is_mover] - self.first_line(seat), shape)
            scores_above[is_mover] = np.array(shape) - 1 - np.stack(digits, axis=1)
            steps[is_mover] = [prod(shape[digit + 1 :]) for digit in range(self.seats)]
        return scores_above, steps

    def prepare_turns(
        self, lines: Ints, table: Doubles, evaluated: Doubles, past: Doubles | None = None
    ) -> UnlikeTurns:
        """Return the turns of lines: one table decides the choices, and another one is what they pay.

        Args:
            lines: (lanes,) one turn for each.
            table: (states, seats) what each seat gets, from the player to move on; decides the choices.
            evaluated: (states, seats) the values that are evaluated along these choices, by seat in the same order.
            past: Doubles | None, because there is no last round.
        """
        movers = self.movers(lines)
        turns_by_seat = [
            model.prepare_turns(lines[movers == seat], table, evaluated, past) if (movers == seat).any() else None
            for seat, model in enumerate(self.seat_models)
        ]
        return UnlikeTurns(movers, turns_by_seat)

    def takeover_offers(self, lines: Ints) -> TakeoverOffers | None:
        """Return None, because nothing can be taken over."""
        return None

    def all_offer_states(self, lines: Ints) -> Ints:
        """Return no states, because nothing can be taken over."""
        return np.zeros(0, dtype=np.int64)

    def last_round_table(
        self, zeros: Callable[[int], Doubles], progress: Callable[[float], None] = lambda share: None
    ) -> Doubles | None:
        """Return None, because there is no last round."""
        return None


class SeatRaceModel(RaceModel):
    """The equations of the turns of one seat, in a race of players who have rules of their own.

    States are the lines of ``UnlikeRaceModel``.

    Attributes:
        race: the equations of the race, which number the lines.
        seat: the seat that moves.
    """

    def __init__(self, race: UnlikeRaceModel, seat: int) -> None:
        """Take the states of one seat, and its lines.

        Args:
            race: the equations of the race.
            seat: the seat that moves.
        """
        super().__init__(race.states[seat], race.seats, has_takeover=False)
        self.race = race
        self.seat = seat
        self.rows = race.row_count(seat)
        self.lines = self.state_count = race.lines

    def line_number(self, line: Sequence[int]) -> int:
        """Return the number of one line, given the states of all seats from the mover on."""
        return self.race.line_number(self.seat, line)

    def mover(self, states: Ints) -> Ints:
        """Return by line the state of the mover: the first digit."""
        return np.asarray((states - self.race.first_line(self.seat)) // self.rows)

    @cached_property
    def max_cap(self) -> int:
        """The largest cap of a turn of the seat."""
        return int(self.states.caps.max())

    def caps(self, states: Ints) -> Caps:
        """Return by line the turn points, in units, at which the table of the mover's turn ends."""
        return self.states.caps[self.mover(states)]

    def opponent_score(self, states: Ints) -> Ints:
        """Return the score of the only opponent, in units of the mover, rounded down; 0 for several opponents."""
        if self.seats > 2:
            return np.zeros_like(states)
        opponent = self.race.states[1 - self.seat]
        points = opponent.score[(states - self.race.first_line(self.seat)) % self.rows] * opponent.rules.grain
        return np.asarray(points // self.states.rules.grain)

    def after_zero_turn(self, states: Ints) -> Ints:
        """Return the lines after a zero turn."""
        return self._next_lines(states, self.mover(states))

    def _next_lines(self, states: Ints, after: Ints) -> Ints:
        """Return the lines after a turn: the next seat is to move, and the mover's state is the last digit.

        Args:
            states: (lanes,) the lines in which the turns begin.
            after: (..., lanes) the mover's state after the turn.
        """
        row = (states - self.race.first_line(self.seat)) % self.rows
        next_seat = (self.seat + 1) % self.seats
        return np.asarray(self.race.first_line(next_seat) + row * self.count + after)

    def transitions_to(self, states: Ints, after: Ints) -> Transitions:
        """Return the transitions to lines in which the next seat moves and the mover is last.

        Args:
            states: (lanes,) the lines in which the turns begin.
            after: (endings, lanes) the mover's state after each ending. Negative numbers are no states: FORBIDDEN is an
                ending that is not allowed, and WON or any number below it is a total at the target.
        """
        line = np.where(after >= 0, self._next_lines(states, after), -1)
        chance_if_allowed = np.where(after <= WON, 1.0, 0.0)
        return Transitions(np.where(after == FORBIDDEN, -np.inf, chance_if_allowed), line)


class UnlikeTurns:
    """Turns of several seats side by side, to be solved for different values of a zero turn.

    Attributes:
        movers: (lanes,) the seat that each turn belongs to.
        turns_by_seat: the turns of each seat in the order of their lanes; None for a seat without any.
    """

    def __init__(self, movers: Ints, turns_by_seat: Sequence[RaceTurns | None]) -> None:
        """Put the turns of the seats side by side.

        Args:
            movers: (lanes,) the seat that each turn belongs to.
            turns_by_seat: the turns of each seat in the order of their lanes; None for a seat without any.
        """
        self.movers = movers
        self.turns_by_seat = turns_by_seat

    @property
    def without_shares(self) -> UnlikeTurns:
        """The turns with two channels: the mover's own share, which decides, and the probability of a zero turn."""
        return UnlikeTurns(self.movers, [turns and turns.without_shares for turns in self.turns_by_seat])

    def select(self, lanes: Ints) -> UnlikeTurns:
        """Return the turns of these lanes, which may repeat."""
        movers = self.movers[lanes]
        number_within_seat = np.empty(len(self.movers), dtype=np.int64)
        for seat in range(len(self.turns_by_seat)):
            is_mover = self.movers == seat
            number_within_seat[is_mover] = np.arange(is_mover.sum())
        selected = [
            turns.select(number_within_seat[lanes[movers == seat]]) if turns and (movers == seat).any() else None
            for seat, turns in enumerate(self.turns_by_seat)
        ]
        return UnlikeTurns(movers, selected)

    def solve(self, zero_values: Doubles, inner: bool = False) -> TurnValue:
        """Solve all turns, each for a value of its zero turn.

        Args:
            zero_values: (lanes,) what a zero turn is worth to the mover.
            inner: must be False: values inside turns are read seat by seat.

        Returns:
            Values with the channels of ``RaceTurns.solve``.
        """
        assert not inner
        values = list[Doubles]()
        lanes = list[Ints]()
        for seat, turns in enumerate(self.turns_by_seat):
            if turns is not None:
                lanes_of_seat = np.flatnonzero(self.movers == seat)
                solved = turns.solve(zero_values[lanes_of_seat]).value
                values.append(solved[:, : len(lanes_of_seat)])  # behind these the kernel may add padding
                lanes.append(lanes_of_seat)
        in_order_of_lanes = np.argsort(np.concatenate(lanes))
        return TurnValue(np.concatenate(values, axis=1)[:, in_order_of_lanes], None, None)


class UnlikeMultiplayerRace:
    """A race of three or more players who have rules of their own, and what its solvers have in common.

    Attributes:
        states: by seat, the states of its player.
        seats: the number of players.
        equations: the equations of the race.
        uses_kernel: whether the compiled kernel solves the cycles.
        kernel_turns, kernel_seats: by seat, its turn and rules in the form in which the compiled kernel reads them.
        tolerances: the change at which a zero value counts as settled, in the first passes and in later ones.
        response_margin: by how much each turn's result is raised in bounds of best responses.
    """

    def __init__(self, states: Sequence[States], use_reference: bool = False) -> None:
        """Set up the equations, and the tolerances and margins that allow for rounding.

        Args:
            states: by seat, the states of its player. No score can fall, and nothing can be taken over.
            use_reference: solve without the compiled kernel.
        """
        self.states = tuple(states)
        self.seats = len(states)
        self.equations = UnlikeRaceModel(states)
        self.uses_kernel = not use_reference
        rounding = max(turn_rounding_bound(own.turn, int(own.caps.max())) for own in states)
        self.tolerances = zero_turn_tolerances(rounding)
        # As for players who are alike (``MultiplayerRace``), the margin exceeds the errors of a turn and of its cycle.
        _, late_tolerance = self.tolerances
        self.response_margin = rounding + late_tolerance + CERTAIN_STOP_LOSS + (self.seats + 2) * ADDITION_ERROR

    @cached_property
    def kernel_turns(self) -> list[MonotoneTurn]:
        """By seat, its turn in the form in which the compiled kernel reads it."""
        return [MonotoneTurn(own.turn, win=WIN, wipe=WIPE, dice_left=own.rules.hands) for own in self.states]

    @cached_property
    def kernel_seats(self) -> list[KernelSeat]:
        """By seat, its rules in the form in which the compiled kernel reads them."""
        return [
            describe_seat(own, turn, caps=own.caps, end_total=own.target + own.is_exact, first_stop=own.target)
            for own, turn in zip(self.states, self.kernel_turns, strict=True)
        ]

    def allocate_stops(self, allocate: Callable[[int], Doubles]) -> list[CertainStops]:
        """Return arrays for the certain stops of each seat; none if the kernel is not used.

        Args:
            allocate: returns an array of this number of zeros, which may be in a file.
        """
        if not self.uses_kernel:
            return []
        return [
            allocate_certain_stops(
                self.equations.row_count(seat), len(rules.always_stop), np.dtype(turn.mode_set_dtype), allocate
            )
            for seat, (turn, rules) in enumerate(zip(self.kernel_turns, self.kernel_seats, strict=True))
        ]

    def kernel_solver(self, win: Doubles, past: Doubles | None, certain_stops: Sequence[CertainStops]) -> SeatsKernel:
        """Return the compiled solver on a table.

        Args:
            win: (states x seats,) the value table.
            past: Doubles | None, because there is no last round.
            certain_stops: for each seat, modes and totals in which stopping is proved best, by row; written as they are
                proved.
        """
        race_seats = []
        for seat, stops in enumerate(certain_stops):
            # After a turn of the seat the next seat is to move.
            first_entry = self.equations.first_line((seat + 1) % self.seats) * self.seats
            race_seats.append(RaceSeat(self.kernel_turns[seat], self.kernel_seats[seat], win, stops, first_entry))
        return SeatsKernel(self, race_seats)

    def reference_solver(
        self, win: Doubles, past: Doubles | None, mixed: dict[int, MixedAction]
    ) -> ReferenceCycleSolver:
        """Return the reference solver on a whole table.

        Args:
            win: (states x seats,) the value table.
            past: Doubles | None, because there is no last round.
            mixed: by line, the mixed action of its mover. It may still change: a solve reads it when it is called.
        """
        return ReferenceCycleSolver(self.equations, win, past, mixed, self.tolerances, self.response_margin)

    def rows_of(self, cycles: Cycles) -> Rows:
        """Return the rows that the movers of cycles face: (cycles, seats)."""
        return self.equations.rows_of(cycles)

    def list_layers(self) -> UnlikeLayers:
        """Return the cycles of every layer."""
        return UnlikeLayers([own.score for own in self.states])

    def estimate_cycle_choices(self) -> float:
        """Estimate the time to solve a cycle, as a number of choices that a kernel compares in that time."""
        return sum(choices_per_line(own, float(own.caps_by_score.mean()), self.seats) for own in self.states)

    def points_of(self, cycle: Cycle) -> list[int]:
        """Return the scores of the players of a cycle, seat 0 first, in points."""
        return [int(own.score[state]) * own.rules.grain for own, state in zip(self.states, cycle, strict=True)]
