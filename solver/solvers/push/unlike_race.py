"""Races of two players who have rules of their own: dice, opening, minimum, target or head start.

The equations are those of any race of two, with a table for each seat. Let V_s(a, b) be the chance to win of seat s,
who is to move and has a points against b, and let o be the other seat. The payoffs of a turn of seat s are

    P[bank t] = 1 - V_o(b, a + t);   P[bust] = 1 - V_o(b, a);   P[bank t] = 1 if a + t reaches the target of seat s.

Scores of each seat are in units of its own rules, because the equations never compare the scores of two seats. A turn
adds to the total a + b, or it is a zero turn. So the race kernel solves layers of equal total, the highest first, as
for players who are alike (``race_solver``, which has the proof). A pair of positions is (a, b) with seat 0 to move and
(b, a) with seat 1 to move; each side has the turn and the tables of its seat.

*Secants.* Rolls of unlike dice have thousands of choices, and most of the time goes into comparing them. So turns with
such dice are solved for their values only, and the two other quantities of ``race_solver`` are bounded. Let f(z) be the
value of a turn as a function of the value z of a bust. Let s be its slope, which is the probability of a zero turn, and
d more than the rounding of f. The computed value at z is, within rounding, that of a policy with slope s. No policy is
worth more than f(z') at another z'. So for every z' > z that was also tried

    s <= (f(z') - f(z) + 2 d) / (z' - z).

Let M be the largest gap w(b, T) of all totals T from the lowest at which the turn stops. What the turn banks then adds
at most (1 - s) M to the gap. So it suffices that

    w(a, b) >= 2 d + M + s max(0, w(b, a) - M),

and a larger s only demands more. These gaps are wider than expected gaps, but not much, because few turns stop early.
Newton's method takes the slopes of secants; they do not enter the proof.

Start reading at ``UnlikeRaceProblem.solve``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.race import HOPELESS, LOOSE, RaceKernel, RaceSide
from ...games.push_rules import SPECIAL_ENDING_COUNT, WIN, WIPE
from ...play.push import PushPosition
from ...play.unlike_seats import SeatGame, UnlikeSeatsGame
from ...turns.monotone_turn import MonotoneTurn
from ...turns.push_turn import Caps, Doubles
from ...util.errors import SolveError
from ...util.progress_reporting import ProgressCallback
from ..model import Ints
from ..problem import ArraySpec, ValueTable, rotate_to_seats
from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE, zero_turn_tolerances
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import SolveCost
from ..turn_lanes import TurnLanes
from .last_round import WIN_ENDING
from .model import group_by_descending_keys
from .problem import PushProblem
from .race_problems import (
    BOUNDS_BYTES,
    CHOICE_SECONDS,
    LAST_ROUND_FACTOR,
    LAST_ROUND_SPANS,
    PAYOFF_CHOICES,
    POINTS_PAST_CAP_SECONDS,
)
from .race_solver import CERTAIN_STOP_LOSS, SUM_ROUNDING, RaceStates, RaceUnits, cut_into_units
from .states import FORBIDDEN, WON, States
from .unlike_last_round import UnlikeLastTurns
from .unlike_seats_problem import UnlikeSeatsProblem, list_seat_states

FIRST_SLOPE = 0.5  # the chance of a zero turn, as long as none is known
SECANTS_SHARE = 0.4  # of the time for comparing all choices, if secants are used and maxima are shared
PARTS = 50  # between two of them, progress is reported


class _SideTables:
    """The race as one seat sees it: what the race kernel reads and writes (``core.race.RaceSide``).

    The kernel reads attributes by name. ``takeover`` and ``last_takeover`` are None, because no turn is taken over.

    Attributes:
        pay: (opponent's states, totals), 1 minus the lower bound of the opponent's chance to win, by the total that the
            player leaves.
        gap: (opponent's states, totals), the upper minus the lower bound of that chance.
        slope: (opponent's states, totals), an estimate of the chance that a turn from the total is a zero turn. It only
            speeds up the search for the value of a zero turn. None without secants.
        always_stop: (totals,), the set of modes, as bits, in which a turn that comes to the total has to stop.
        states: what the kernel reads of each state of the player.
        certain_stops: for stops that are proved best, (opponent's states, totals) sets of modes as bits, and
            (opponent's states,) the value of a bust for which that was proved; written by the kernel.
        max_cap: the largest number of turn points at which the table of a turn ends.
        can_pass: whether a player who may not bank may end the turn.
    """

    takeover: Doubles | None = None
    last_takeover: Doubles | None = None
    stop_tolerance = CERTAIN_STOP_LOSS

    def __init__(self, own: States, opponent: States, turn: MonotoneTurn, by_secants: bool) -> None:
        """Allocate the tables, and fill in the payoffs of totals from the target on.

        Args:
            own: the states of the player.
            opponent: the states of the opponent.
            turn: the player's turn in the form that the kernel reads.
            by_secants: whether zero turns are found with secants.
        """
        opponent_count = len(opponent)
        # Totals 0, 1, ..., target; with an exact finish one more, which is not allowed; with a last round all that the
        # opponent may have to beat.
        last_turns = UnlikeLastTurns(own, opponent) if own.rules.finish == "last_round" else None
        last_totals = np.zeros(opponent_count, dtype=np.int32) if last_turns is None else last_turns.end_totals
        total_count = max(own.target + (2 if own.is_exact else 1), int(last_totals.max()) + 1)
        self.pay = np.ones((opponent_count, total_count))  # 1 at the target, which wins; the rest is to be solved
        self.gap = np.zeros((opponent_count, total_count))
        self.slope = np.full((opponent_count, total_count), FIRST_SLOPE) if by_secants else None
        self.always_stop = np.zeros(total_count, dtype=np.uint64)
        if last_turns is None:
            self.always_stop[own.target :] = turn.bank_modes  # the modes that offer a stop
        else:
            totals = np.arange(own.target, total_count)
            self.pay[:, own.target :] = 1 - last_turns.win_chance(opponent.score[:, None], totals)
        if own.is_exact:
            # The total after the target stands for all that are not allowed. A turn that gets there is over.
            forbidden_total = own.target + 1
            self.pay[:, forbidden_total] = -np.inf
            self.always_stop[forbidden_total] = (1 << turn.modes) - 1  # all modes
        self.states = _make_race_states(own, last_totals)
        self.certain_stops: tuple[NDArray[Any], Doubles] = (
            np.zeros((opponent_count, total_count), dtype=turn.mode_set_dtype),
            np.zeros(opponent_count),
        )
        self.max_cap = max(int(own.caps.max()), int(last_totals.max() - own.score.min()))
        self.constant_error = 0.0 if last_turns is None else last_turns.error
        self.can_pass = own.rules.can_end_with_nothing

    def chances_to_win(self, totals: Ints) -> tuple[Doubles, float]:
        """Return the opponent's chances to win when the player has left some totals, and their largest gap.

        Args:
            totals: the player's totals.

        Returns:
            (opponent's states, totals) the midpoints of the lower and upper bounds, and the largest upper minus lower
            bound.
        """
        gap = self.gap[:, totals]
        lower_bound = 1 - self.pay[:, totals]
        return np.ascontiguousarray(lower_bound + gap / 2), float(gap.max())


def _make_race_states(own: States, last_totals: NDArray[np.int32]) -> RaceStates:
    """Return what the kernel reads of each state of a player. The column of a total is the total itself.

    Args:
        own: the states of the player.
        last_totals: (opponent's states,) the total up to which tables go on at least, because of a last round.
    """
    state_count = len(own)
    zeros = np.zeros(state_count, dtype=np.int32)  # busts in a row do not count, and nothing is taken over
    state_above = np.arange(state_count) + 1  # the state with the next higher score, because states ascend by score
    state_above[-1] = state_count - 1  # there is none above the last state, so the kernel reads that one again
    score = own.score.astype(np.int32)
    return RaceStates(
        total=score,
        column=score,
        bust_column=score,  # a bust changes nothing
        wipe_column=score,  # a wipe cannot occur
        bust_count=zeros,
        min_bank=own.min_banks.astype(np.int32),
        cap=own.caps,
        last_total=last_totals,
        next_state=state_above.astype(np.int32),
        max_takeover=zeros,
        has_score=(score > 0).astype(np.int32),
    )


def _list_units(first: States, second: States) -> RaceUnits:
    """List all pairs of a state of each seat in the order of solving, cut into units that the kernel solves together.

    A layer is all pairs with the same sum of scores. Layers go from the highest sum down.

    Args:
        first: the states of seat 0.
        second: the states of seat 1.
    """
    pairs = np.indices((len(first), len(second))).reshape(2, -1).T  # (pairs, 2)
    totals = first.score[pairs[:, 0]] + second.score[pairs[:, 1]]
    return cut_into_units(pairs, layers=group_by_descending_keys(totals))


def _prefers_secants(states: tuple[States, States]) -> bool:
    """Return whether secants are faster than slopes: if the dice of a hand differ, so that rolls have many choices."""
    return any(own.rules.kinds for own in states)


def solve_unlike_race(
    states: tuple[States, States], *, threads: int = 1, progress: ProgressCallback = lambda share: None
) -> tuple[list[Doubles], float]:
    """Solve a race of two players, each of whom may have other dice, an opening, a minimum or a target of their own.

    Args:
        states: the states of seat 0 and of seat 1.
        threads: the number of threads; it does not change the result.
        progress: called with the fraction of the work that is done.

    Returns:
        For each seat its chances to win when it is to move, (own states, opponent's states); and their error bound.

    Raises:
        SolveError: zero turns of a layer did not settle, or the error bound is too large.
    """
    # ``hands`` has the dice that are rolled in each mode.
    turns = [MonotoneTurn(own.turn, win=WIN, wipe=WIPE, dice_left=own.rules.hands) for own in states]
    by_secants = _prefers_secants(states)  # how the values of zero turns are found
    tables = [
        _SideTables(own, opponent, turn, by_secants)
        for own, opponent, turn in zip(states, states[::-1], turns, strict=True)
    ]
    units = _list_units(*states)
    kernel = RaceKernel(units, *map(RaceSide, turns, tables))
    margin_without_tolerance, tolerance = _start_kernel(kernel, states, tables)
    _solve_all_units(kernel, len(units.ready), threads, progress)
    # The chances of a seat that is to move are in the tables of the other seat, which has just moved. Their last axis
    # is the total of that other seat, so its own scores select the columns.
    chances_0, gap_0 = tables[1].chances_to_win(states[1].score)
    chances_1, gap_1 = tables[0].chances_to_win(states[0].score)
    # Midpoints are off by half a gap at most. Values inside a turn are computed from the table by solving one more
    # turn. The larger margin, which is the sum of the last two terms, exceeds the errors of that.
    error_bound = max(gap_0, gap_1) / 2 + margin_without_tolerance + tolerance
    if not error_bound <= MAX_ERROR_BOUND:
        raise SolveError(NO_BOUND_MESSAGE)
    return [chances_0, chances_1], error_bound


def _start_kernel(
    kernel: RaceKernel, states: tuple[States, States], tables: Sequence[_SideTables]
) -> tuple[float, float]:
    """Give the kernel its tolerances and margins; return the larger margin as two terms.

    A *tolerance* is the change at which the value of a zero turn counts as settled: strict in the first passes, relaxed
    later. A *margin* exceeds all errors of one turn, its tolerance included. Each upper bound is raised by it.

    Args:
        kernel: the kernel, before its first unit.
        states: the states of seat 0 and of seat 1.
        tables: the race as each of them sees it.

    Returns:
        The margin without a tolerance, and the larger tolerance.
    """
    rounding = max(turn_rounding_bound(own.turn, table.max_cap) for own, table in zip(states, tables, strict=True))
    constant_error = max(table.constant_error for table in tables)
    margin_without_tolerance = rounding + CERTAIN_STOP_LOSS + SUM_ROUNDING + constant_error
    strict, relaxed = zero_turn_tolerances(rounding)
    kernel.restart(
        tolerances=(strict, relaxed),
        margins=(margin_without_tolerance + strict, margin_without_tolerance + relaxed),
        no_gaps=False,  # gaps are computed too, for the error bound
        prune_choices=False,  # all choices are compared for the error bound
    )
    return margin_without_tolerance, relaxed


def _solve_all_units(kernel: RaceKernel, unit_count: int, threads: int, progress: ProgressCallback) -> None:
    """Let the kernel solve all units, in PARTS parts; report the progress after each.

    Args:
        kernel: the kernel, which writes the tables of both seats.
        unit_count: the number of units.
        threads: the number of threads.
        progress: called with the fraction of the work that is done.

    Raises:
        SolveError: zero turns of a layer did not settle.
    """
    from ...util.threads import ThreadPool

    with ThreadPool(threads) as pool:
        for part in range(1, PARTS + 1):
            end_unit = unit_count * part // PARTS
            # All threads take units from the kernel until none before ``end_unit`` is left.
            for future in [pool.submit(kernel.solve, end_unit) for _ in range(threads)]:
                future.result()
            if kernel.failed:
                _, status = kernel.failed
                _raise_failure(status)
            progress(part / PARTS)


def estimate_race_cost(states: tuple[States, States], threads: int) -> SolveCost:
    """Estimate the time and memory to solve a race of two players with rules of their own.

    There is a turn of each seat for each pair of states. It compares its choices at each number of turn points up to
    its cap, and some more work is done once for a turn.

    Args:
        states: the states of seat 0 and of seat 1.
        threads: the number of threads that share the work.
    """
    seconds, table_bytes = 0.0, 0.0
    choice_seconds = CHOICE_SECONDS * (SECANTS_SHARE if _prefers_secants(states) else 1)
    for own, opponent in zip(states, states[::-1], strict=True):
        # Filling in the payoffs for one number of turn points takes as long as PAYOFF_CHOICES choices.
        choices_per_points = own.mean_choice_count(int(own.caps.max())) + PAYOFF_CHOICES
        turn_count = float(len(own) * len(opponent))
        choices_per_turn = choices_per_points * float(own.caps.mean()) + own.turn.choice_count
        seconds_per_turn = choice_seconds * choices_per_turn
        # A roll near the cap may lead up to ``max_added_points`` past it.
        seconds += turn_count * (seconds_per_turn + POINTS_PAST_CAP_SECONDS * own.turn.max_added_points)
        # Bounds by the opponent's state and the own total, and as much again for the results.
        table_bytes += 2 * BOUNDS_BYTES * len(opponent) * own.target
        if own.rules.finish == "last_round":  # tables go on beyond the target
            seconds *= LAST_ROUND_FACTOR
            table_bytes *= LAST_ROUND_SPANS
    return SolveCost(bytes=table_bytes, seconds=seconds / threads)


def _raise_failure(status: int) -> None:
    """Raise the SolveError for pairs of states that the kernel could not solve.

    Args:
        status: why it failed. LOOSE: the gaps between bounds are too wide. HOPELESS: zero turns follow each other
            almost always. Otherwise values did not settle.
    """
    if status == LOOSE:
        raise SolveError(NO_BOUND_MESSAGE)
    if status == HOPELESS:
        raise SolveError(
            "two turns under best play change a score with a probability below 1e-12, too small to solve; use rules"
            " under which turns score more often"
        )
    raise SolveError("the zero turns of some scores did not converge")


class SeatProblem(PushProblem):
    """The turns of one seat in a race of two players with rules of their own; it is not solved by itself.

    Attributes:
        seat: the number of the seat.
        states: the states of this seat.
        opponent: the states of the other seat.
    """

    def __init__(self, playable: SeatGame, seat: int, states: tuple[States, States]) -> None:
        """Take the rules and the states of one seat.

        Args:
            playable: the game as this seat plays it.
            seat: the number of the seat, 0 or 1.
            states: the states of seat 0 and of seat 1.
        """
        super().__init__(playable)
        self.seat = seat
        self.states = states[seat]
        self.opponent = states[1 - seat]

    def _is_last(self, position: PushPosition) -> bool:
        """Return True if the opponent holds its own target in a race with a last round."""
        return self.rules.finish == "last_round" and position.opponents[0] >= self.opponent.rules.target

    @cached_property
    def last_turns_of_opponent(self) -> UnlikeLastTurns | None:
        """The last turns of the opponent, once this seat has reached its target; None without a last round."""
        return UnlikeLastTurns(self.states, self.opponent) if self.rules.finish == "last_round" else None

    @cached_property
    def last_turns(self) -> UnlikeLastTurns:
        """The last turns of this seat, in a race with a last round."""
        return UnlikeLastTurns(self.opponent, self.states)

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns; with a last round, tables may be longer than in the solve."""
        longer_table = turn_rounding_bound(self.states.turn, lanes.cap) if self.rules.finish == "last_round" else 0.0
        return value_table.error_bound + longer_table

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the chances of both seats at a position where a turn of this seat begins, seat 0 first."""
        mine = self.states.number(position.score)
        theirs = self.opponent.number(position.opponents[0])
        table_of_seat = value_table.arrays[f"win{self.seat + 1}"]  # users count seats from 1
        own_chance = float(table_of_seat[mine, theirs])
        return rotate_to_seats(position.seat, [own_chance, 1 - own_chance])

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns of this seat that begin at some positions, one lane for each.

        Args:
            value_table: the value table that the payoffs are read from.
            starts: positions at the start of a turn of this seat; last turns may be among them.
            min_points: with a last round, turn points in units that the tables have to include. Other tables go on to
                the target, or as far as a turn can come.
        """
        is_last = np.array([self._is_last(start) for start in starts])
        mine = np.array([self.states.number(start.score) for start in starts])
        opponent_scores = np.array([start.opponents[0] for start in starts]) // self.opponent.rules.grain
        caps: Caps = self.states.caps[mine]
        last_turns = self.last_turns_of_opponent
        if last_turns:
            caps[~is_last] = self._caps_past_target(mine[~is_last], opponent_scores[~is_last], min_points, last_turns)
        if is_last.any():
            scores = self.states.score[mine[is_last]]
            deficits = self.last_turns.deficits(scores, opponent_scores[is_last])
            caps[is_last] = self.last_turns.caps(scores, deficits)
        bank_count = int(caps.max()) + 1  # banks of 0, 1, ... points
        payoff = np.empty((SPECIAL_ENDING_COUNT + bank_count, len(starts)))
        payoff[:, ~is_last] = self._payoffs(value_table, mine[~is_last], opponent_scores[~is_last], bank_count)
        if is_last.any():
            payoff[:, is_last] = self.last_turns.payoffs(scores, deficits, bank_count)
        return TurnLanes(self.states.turn, payoff[None], caps, bank_count)

    def _caps_past_target(
        self, mine: Ints, opponent_scores: Ints, min_points: int, last_turns: UnlikeLastTurns
    ) -> NDArray[np.int64]:
        """Return the turn points at which tables of turns end that may begin the last round: (lanes,).

        Args:
            mine: (lanes,) the states of this seat.
            opponent_scores: (lanes,) the scores of the opponent, in its units.
            min_points: turn points, in units, that the tables have to include.
            last_turns: the last turns of the opponent.
        """
        theirs = self.opponent.first_state_by_score[opponent_scores]
        points_to_end = last_turns.end_totals[theirs] - self.states.score[mine]
        points_beyond = min_points + last_turns.negligible_points if min_points else 0
        return np.asarray(np.maximum(np.maximum(self.states.caps[mine], points_to_end), points_beyond))

    def _payoffs(self, value_table: ValueTable, mine: Ints, opponent_scores: Ints, bank_count: int) -> Doubles:
        """Return the chances of this seat after all endings of turns that are not last turns: (endings, lanes).

        Args:
            value_table: the value table that the payoffs are read from.
            mine: (lanes,) the states of this seat.
            opponent_scores: (lanes,) the scores of the opponent, in its units.
            bank_count: the number of banks; the largest has ``bank_count`` - 1 units.
        """
        theirs = self.opponent.first_state_by_score[opponent_scores]
        after_win = np.full(len(mine), WON)
        specials = np.stack([mine, after_win, mine])  # bust, win, and a wipe, which these rules do not have
        after = np.concatenate([specials, self.states.after_banks(mine, bank_count)])  # (endings, lanes)
        opponent_seat = 1 - self.seat  # which moves next
        # Users count seats from 1. The array is (opponent's states, own states).
        opponent_table = value_table.arrays[f"win{opponent_seat + 1}"]
        payoff = 1 - opponent_table[theirs, np.maximum(after, 0)]
        # Negative numbers are no states: FORBIDDEN (-1), or WON (-2) less the units by which a bank passes the target.
        chance_past_target: Doubles | float = 1.0
        if self.last_turns_of_opponent:
            totals = self.states.target + np.maximum(WON - after, 0)
            chance_past_target = 1 - self.last_turns_of_opponent.win_chance(opponent_scores, totals)
            chance_past_target[WIN_ENDING] = 1.0
        payoff = np.where(after <= WON, chance_past_target, payoff)
        payoff = np.where(after == FORBIDDEN, -np.inf, payoff)
        assert len(payoff) == SPECIAL_ENDING_COUNT + bank_count
        return np.asarray(payoff)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Raise NotImplementedError, because only both seats together are solved."""
        raise NotImplementedError

    def array_specs(self) -> dict[str, ArraySpec]:
        """Raise NotImplementedError, because only both seats together have a value table."""
        raise NotImplementedError


class UnlikeRaceProblem(UnlikeSeatsProblem):
    """The chance to win a race of two players with rules of their own who both play optimally.

    Attributes:
        playable: the game as it is played, with the rules of each seat.
        states: the states of seat 0 and of seat 1.
        seat_problems: by seat, the turns of that seat.
    """

    player_range = (2, 2)
    states: tuple[States, States]
    seat_problems: tuple[SeatProblem, ...]

    def __init__(self, playable: UnlikeSeatsGame) -> None:
        """Derive the states of both seats from their rules.

        Args:
            playable: the game as it is played, with the rules of each seat.

        Raises:
            InputError: the turns of a seat are not monotone, or its target cannot be reached from some of its scores.
        """
        super().__init__(playable)
        first, second = list_seat_states(playable)
        self.states = (first, second)
        self.seat_problems = tuple(
            SeatProblem(game, seat, self.states) for seat, game in enumerate(playable.seat_games)
        )

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the chance of the seat to move for all pairs of states and either seat to move.

        Args:
            threads: the number of threads.
            progress: called with the fraction of the work that is done.

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

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the arrays of a value table; ``solve`` says what they hold."""
        first, second = map(len, self.states)  # the numbers of states
        specs = {f"scores{seat + 1}": ArraySpec.fixed(scores) for seat, scores in enumerate(self._scores_by_seat())}
        return {**specs, "win1": ArraySpec((first, second)), "win2": ArraySpec((second, first))}

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory of a solve: of a turn of each seat for each pair of states."""
        return estimate_race_cost(self.states, threads)
