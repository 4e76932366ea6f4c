"""Races of two players who have rules of their own: dice, opening, minimum, target or head start.

The equations are those of any race of two, with a table for each seat. Let V_s(a, b) be the chance to win of seat s,
who is to move and has a points against b, and let o be the other seat. The payoffs of a turn of seat s are

    P[bank t] = 1 - V_o(b, a + t);   P[bust] = 1 - V_o(b, a);   P[bank t] = 1 if a + t reaches the target of seat s.

Scores of each seat are in units of its own rules, because the equations never compare the scores of two seats. A turn
adds to the total a + b, or it is a zero turn. So the race kernel solves layers of equal total, the highest first, as
for players who are alike (``race_solver``, which has the proof). A pair of positions is (a, b) with seat 0 to move and
(b, a) with seat 1 to move; each side has the turn and the tables of its seat.

Start reading at ``UnlikeRaceProblem.solve``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.race import HOPELESS, LANES, LOOSE, RaceKernel, RaceSide
from ...games.push_rules import SPECIAL_ENDING_COUNT, WIN, WIPE
from ...play.playable_game import Choice
from ...play.push import PushPosition
from ...play.unlike_seats import SeatGame, UnlikeSeatsGame
from ...turns.monotone_turn import MonotoneTurn, is_monotone
from ...turns.push_turn import Caps, Doubles
from ...util.errors import InputError, SolveError
from ...util.progress_reporting import ProgressCallback
from ..model import Ints
from ..problem import ArraySpec, PositionListing, Problem, ValuesAndBounds, ValueTable, rotate_to_seats
from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE, zero_turn_tolerances
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import SolveCost
from ..turn_lanes import TurnLanes
from .model import group_by_descending_keys
from .problem import PushProblem
from .race_problems import BOUNDS_BYTES, CHOICE_SECONDS, PAYOFF_CHOICES, ROW_PAST_CAP_SECONDS
from .race_solver import CERTAIN_STOP_LOSS, SUM_ROUNDING, RaceStates, RaceUnits
from .states import FORBIDDEN, WON, States

PARTS = 50  # between two of them, progress is reported


class _SideTables:
    """The race as one seat sees it: what the race kernel reads and writes (``core.race.RaceSide``).

    Attributes:
        pay: (opponent's states, totals), 1 minus the lower bound of the opponent's chance to win, by the total that the
            player leaves.
        gap: with the same axes, the upper minus the lower bound.
    """

    takeover: Doubles | None = None
    last_takeover: Doubles | None = None
    stop_tolerance = CERTAIN_STOP_LOSS

    def __init__(self, own: States, opponent_count: int, turn: MonotoneTurn) -> None:
        """Allocate the tables, with the payoffs of totals from the target on.

        Args:
            own: the states of the player.
            opponent_count: the number of states of the opponent.
            turn: the player's turn.
        """
        total_count = own.target + (2 if own.is_exact else 1)
        self.pay = np.ones((opponent_count, total_count))
        self.gap = np.zeros((opponent_count, total_count))
        self.always_stop = np.zeros(total_count, dtype=np.uint64)
        self.always_stop[own.target :] = turn.bank_modes
        if own.is_exact:  # one point more is not allowed
            self.pay[:, own.target + 1] = -np.inf
            self.always_stop[own.target + 1] = (1 << turn.modes) - 1
        count = len(own)
        zeros = np.zeros(count, dtype=np.int32)
        score = own.score.astype(np.int32)
        self.states = RaceStates(
            total=score,
            column=score,
            bust_column=score,
            wipe_column=score,
            bust_count=zeros,
            min_bank=own.min_banks.astype(np.int32),
            cap=own.caps,
            last_total=np.zeros(opponent_count, dtype=np.int32),  # by the opponent's state
            next_state=np.minimum(np.arange(1, count + 1), count - 1).astype(np.int32),
            max_takeover=zeros,
            has_score=(score > 0).astype(np.int32),
        )
        self.certain_stops: tuple[NDArray[Any], Doubles] = (
            np.zeros((opponent_count, total_count), dtype=turn.mode_set_dtype),
            np.zeros(opponent_count),
        )
        self.max_cap = int(own.caps.max())
        self.can_pass = own.rules.can_end_with_nothing


def _units_of(first: States, second: States) -> RaceUnits:
    """Return all pairs of a state of each seat in the order of solving, cut into units (``race_solver``)."""
    pairs = np.indices((len(first), len(second))).reshape(2, -1).T
    layers = group_by_descending_keys(first.score[pairs[:, 0]] + second.score[pairs[:, 1]])
    starts, ready = [0], list[int]()
    for layer in layers:
        units_before = len(ready)
        first_pair = starts[-1]
        ends = [*range(first_pair + LANES, first_pair + len(layer), LANES), first_pair + len(layer)]
        starts += ends
        ready += [units_before] * len(ends)
    ordered = np.ascontiguousarray(pairs[np.concatenate(layers)].astype(np.int32))
    return RaceUnits(ordered, np.array(starts), np.array(ready))


def solve_unlike_race(
    states: tuple[States, States], *, threads: int = 1, progress: ProgressCallback = lambda share: None
) -> tuple[list[Doubles], float]:
    """Solve a race of two players with rules of their own.

    Args:
        states: the states of both seats.
        threads: the number of threads; it does not change the result.
        progress: called with the fraction of the work that is done.

    Returns:
        For each seat its chances to win when it is to move, (own states, opponent's states); and their error bound.

    Raises:
        SolveError: zero turns of a layer did not settle, or the error bound is too large.
    """
    from ...util.threads import ThreadPool

    tables = list[_SideTables]()
    sides = list[RaceSide]()
    for seat, own in enumerate(states):
        turn = MonotoneTurn(own.turn, WIN, WIPE)
        table = _SideTables(own, len(states[1 - seat]), turn)
        tables.append(table)
        sides.append(RaceSide(turn, table))
    units = _units_of(*states)
    kernel = RaceKernel(units, *sides)
    rounding = max(turn_rounding_bound(own.turn, int(own.caps.max())) for own in states)
    margin = rounding + CERTAIN_STOP_LOSS + SUM_ROUNDING
    strict, relaxed = zero_turn_tolerances(rounding)
    kernel.restart((strict, relaxed), (margin + strict, margin + relaxed), False, False)
    unit_count = len(units.ready)
    with ThreadPool(threads) as pool:
        for part in range(1, PARTS + 1):
            end = unit_count * part // PARTS
            for future in [pool.submit(kernel.solve, end) for _ in range(threads)]:
                future.result()
            if kernel.failed:
                _raise_failure(kernel.failed[1])
            progress(part / PARTS)
    values = list[Doubles]()
    max_gap = 0.0
    for seat in range(2):
        left = tables[1 - seat]  # by what the other seat leaves
        columns = states[1 - seat].score
        gap = left.gap[:, columns]
        max_gap = max(max_gap, float(gap.max()))
        values.append(np.ascontiguousarray(1 - left.pay[:, columns] + gap / 2))
    error_bound = max_gap / 2 + margin + relaxed
    if not error_bound <= MAX_ERROR_BOUND:
        raise SolveError(NO_BOUND_MESSAGE)
    return values, error_bound


def estimate_race_cost(states: tuple[States, States], threads: int) -> SolveCost:
    """Estimate the time and memory of ``solve_unlike_race``: a turn of each seat for each pair of states."""
    seconds, table_bytes = 0.0, 0.0
    for own, opponent in zip(states, states[::-1], strict=True):
        choices = own.choices_per_row(int(own.caps.max())) + PAYOFF_CHOICES
        turns = float(len(own) * len(opponent))
        per_turn = CHOICE_SECONDS * (choices * float(own.caps.mean()) + own.turn.choice_count)
        seconds += turns * (per_turn + ROW_PAST_CAP_SECONDS * own.turn.max_added_points)
        table_bytes += 2 * BOUNDS_BYTES * len(opponent) * own.target
    return SolveCost(table_bytes, seconds / threads)


def _raise_failure(status: int) -> None:
    """Raise the SolveError for a unit that the kernel could not solve."""
    if status == LOOSE:
        raise SolveError(NO_BOUND_MESSAGE)
    if status == HOPELESS:
        raise SolveError("two turns under best play change a score with a probability below 1e-12, too small to solve")
    raise SolveError("the zero turns of some scores did not converge")


class _SeatProblem(PushProblem):
    """The turns of one seat, with payoffs from the tables of both.

    Attributes:
        seat: the number of the seat.
        opponent: the states of the other seat.
    """

    def __init__(self, playable: SeatGame, seat: int, states: tuple[States, States]) -> None:
        super().__init__(playable)
        self.seat = seat
        self.states = states[seat]
        self.opponent = states[1 - seat]

    def _is_last(self, position: PushPosition) -> bool:
        return False

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the values of both seats at the start of a turn, from the value table."""
        mine = self.states.number(position.score)
        theirs = self.opponent.number(position.opponents[0])
        value = float(value_table.arrays[f"win{self.seat + 1}"][mine, theirs])
        return rotate_to_seats(position.seat, [value, 1 - value])

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at ``starts``, with the payoffs of their endings."""
        mine = np.array([self.states.number(start.score) for start in starts])
        theirs = np.array([self.opponent.number(start.opponents[0]) for start in starts])
        caps: Caps = self.states.caps[mine]
        bank_count = int(caps.max()) + 1
        after_win = np.full(len(mine), WON)
        specials = np.stack([mine, after_win, mine])  # bust, win, and a wipe, which these rules do not have
        after = np.concatenate([specials, self.states.after_banks(mine, bank_count)])  # (endings, lanes)
        opponent_table = value_table.arrays[f"win{2 - self.seat}"]  # by the opponent's state, who moves next
        payoff = 1 - opponent_table[theirs, np.maximum(after, 0)]
        payoff = np.where(after <= WON, 1.0, payoff)
        payoff = np.where(after == FORBIDDEN, -np.inf, payoff)
        assert len(payoff) == SPECIAL_ENDING_COUNT + bank_count
        return TurnLanes(self.states.turn, payoff[None], caps, bank_count)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Refuse: only both seats together are solved."""
        raise NotImplementedError

    def array_specs(self) -> dict[str, ArraySpec]:
        """Refuse: only both seats together have a table."""
        raise NotImplementedError


class UnlikeRaceProblem(Problem[PushPosition]):
    """The chance to win a race of two players with rules of their own who both play optimally."""

    player_range = (2, 2)
    playable: UnlikeSeatsGame

    def __init__(self, playable: UnlikeSeatsGame) -> None:
        """Make the states of both seats.

        Raises:
            InputError: the turns of a seat are not monotone, or its target cannot be reached from some of its scores.
        """
        super().__init__(playable)
        first, second = (
            States(game.rules, head_start=head_start)
            for game, head_start in zip(playable.seat_games, playable.head_starts, strict=True)
        )
        self.states = (first, second)
        for seat, states in enumerate(self.states):
            states.refuse_dead_scores("a race from there could last forever")
            if not is_monotone(states.turn):
                raise InputError(
                    f"seat {seat + 1}: rules by seat require that every set adds points, but these rules have sets of"
                    " 0 points or less"
                )
        self.seat_problems = tuple(
            _SeatProblem(game, seat, self.states) for seat, game in enumerate(playable.seat_games)
        )

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve all pairs of states.

        Returns:
            A value table with the arrays
            - ``scores1``, ``scores2``: the scores of each seat in points;
            - ``win1`` (first seat's states, second seat's), ``win2`` (second seat's states, first seat's): the chance
              of the seat when it is to move.

        Raises:
            SolveError: the values did not settle, or their error bound is too large.
        """
        values, error_bound = solve_unlike_race(self.states, threads=threads, progress=progress)
        arrays: dict[str, NDArray[Any]] = {
            f"scores{seat + 1}": scores for seat, scores in enumerate(self._scores_by_seat())
        }
        arrays |= {f"win{seat + 1}": chances for seat, chances in enumerate(values)}
        return ValueTable(arrays, error_bound)

    def _scores_by_seat(self) -> list[Ints]:
        """Return the scores of each seat, in points."""
        return [states.scores * states.rules.grain for states in self.states]

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the arrays of the value table (``solve``)."""
        first, second = map(len, self.states)
        specs = {f"scores{seat + 1}": ArraySpec.fixed(scores) for seat, scores in enumerate(self._scores_by_seat())}
        return {**specs, "win1": ArraySpec((first, second)), "win2": ArraySpec((second, first))}

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory from the turns of both seats: one for each pair of states."""
        return estimate_race_cost(self.states, threads)

    # --- values of positions

    def state_values(self, value_table: ValueTable, positions: Sequence[PushPosition]) -> ValuesAndBounds:
        """Return the values of states from the value table."""
        values = [self.seat_problems[position.seat].start_values(value_table, position) for position in positions]
        return np.array(values), value_table.error_bound

    def has_state(self, value_table: ValueTable, position: PushPosition) -> bool:
        """Return True if a turn begins here."""
        return self.playable.is_turn_start(position)

    def turn_values(self, value_table: ValueTable, positions: Sequence[PushPosition]) -> ValuesAndBounds:
        """Return the values of positions before a roll, seat by seat."""
        values = np.empty((len(positions), 2))
        bounds = np.empty(len(positions))
        for seat, problem in enumerate(self.seat_problems):
            indices = [index for index, position in enumerate(positions) if position.seat == seat]
            if indices:
                values[indices], bounds[indices] = problem.turn_values(
                    value_table, [positions[index] for index in indices]
                )
        return values, bounds

    def continuation_values(
        self,
        value_table: ValueTable,
        starts: Sequence[PushPosition],
        continuations: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Return the values of continuations in many turns of one seat: (starts, continuations, seats)."""
        return self.seat_problems[starts[0].seat].continuation_values(value_table, starts, continuations)

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int | None:
        """Return the fewest points that win; with an exact finish, one more than the player may hold."""
        problem = self.seat_problems[start.seat]
        return int(problem.states.caps[problem.states.number(start.score)]) * problem.rules.grain

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[PushPosition]:
        """List the positions at the start of a turn, for all scores of both seats and either seat to move."""
        first, second = (scores.tolist() for scores in self._scores_by_seat())
        starts = (self.playable.turn_start(scores, seat, 0) for seat in range(2) for scores in product(first, second))
        return PositionListing(2 * len(first) * len(second), starts)
