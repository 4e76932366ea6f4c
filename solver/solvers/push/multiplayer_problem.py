"""The problem of three or more players who race to a target, each maximizing its own chance to win.

``multiplayer_solver`` solves it; ``multiplayer_sweep`` explains the algorithm and the proof of the error bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.seats import MOST_SEATS
from ...games.push_rules import SPECIALS
from ...play.playable_game import Choice
from ...play.push import Play, PushPosition
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.errors import InputError, SolveError
from ..anderson import HISTORY
from ..cost_estimates import CHECKPOINT_SECONDS, SolveCost
from ..model import Ints
from ..problem import ArraySpec, MixedAction, Progress, ValueTable, rotate_to_seats
from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE
from ..rounding_bounds import turn_rounding_bound
from ..turn_lanes import TurnLanes, join_lanes
from .last_round import LastRound, MultiplayerLastRound, Standing
from .lost_scores import MAX_CYCLING_LINES
from .model import RaceModel
from .multiplayer_kernel import has_kernel
from .multiplayer_solver import MultiplayerSolution, solve_multiplayer_race
from .multiplayer_sweep import CHOICES_PER_LINE_BESIDE, SECONDS_PER_CHOICE, choices_per_line, mean_gain
from .problem import PushProblem
from .states import MAX_LISTED_TARGET

if TYPE_CHECKING:
    from ..cluster import Cluster

MAX_MIXED_ACTIONS = 4096  # lines with one that a value table can store
MAX_CACHED_LAST_TURNS = 128  # tables of last turns kept for answers
STAGES = 24  # of either pass of a long solve, each stored in the checkpoint as it is done
MAX_CYCLING_BOUND = 1e-4  # error bound that is accepted if best responses may cycle through lost scores

# For the estimate of the cost
DOUBLE_BYTES = 8
VALUE_TABLES = 2  # the value table, and the bounds of best responses
CERTAIN_STOP_TABLES = 2  # one for each of these
MODE_SET_BYTES = 2  # of a mode and total in certain stops, for turns of up to 16 modes
LAYER_DOUBLES = 4  # by row and seat: the lists of cycles and lines, with copies of values
ANDERSON_VECTORS = 4  # by step of the history: result, residual, and the changes of both
REFERENCE_SLOWDOWN = 10.0  # time of the reference solver over that of the kernel
SWEEPS_WITH_LOSSES = 30  # about so many solves of all layers if scores can be lost, best responses included


class _RaceSize(NamedTuple):
    """The size of a race, from which its cost is estimated.

    Attributes:
        player_states: the number of states of one player.
        rows: the number of combinations of the opponents' states.
        lines: the number of combinations of all players' states.
        states_per_line: a line, and the same with each takeover offer.
        end_total: the total at which the tables of turns end.
        past_totals: the number of totals from the target to ``end_total``.
        gain: the average number of turn points for which a turn has choices.
    """

    player_states: float
    rows: float
    lines: float
    states_per_line: int
    end_total: int
    past_totals: int
    gain: float


class _SolutionBounds(NamedTuple):
    """Bounds of a solution.

    Attributes:
        error_bound: no stored value differs by more from the value of the stored policies.
        regret: no seat gains more by leaving the stored policies.
    """

    error_bound: float
    regret: float


class PushMultiplayerWinProblem(PushProblem):
    """The chance to win of every seat in a race of three or more players."""

    player_range = (3, MOST_SEATS)
    is_resumable = True

    def __init__(self, table: Play) -> None:
        """Set up the equations of the race.

        Args:
            table: the game as it is played, with its number of players.

        Raises:
            InputError: the rules have features that are solved for two players only, or a race might never end.
        """
        super().__init__(table)
        rules = self.states.rules
        if rules.take_over != "none" and rules.finish == "last_round":
            raise InputError(
                f"{self.game.id} with the objective win is solved for 2 players where turns are taken over and there is"
                f" a last round: players must be 2, not {self.players}"
            )
        self.states.refuse_dead_scores("a race from there could last for ever")
        self.model = RaceModel(self.states, self.players)
        # Workers know the kernel's turns only, and cannot be told what an earlier sweep has found.
        self.is_distributable = has_kernel(self.states) and not self.states.has_losses
        self._mixed: tuple[ValueTable, dict[int, MixedAction]] | None = None  # of the table that was read last

    # --- estimated cost

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate memory and time of a solve, from the number of lines and the points that a turn can bring.

        Args:
            threads: that share the work.
        """
        size = self._race_size()
        table_bytes = VALUE_TABLES * DOUBLE_BYTES * self.players * size.lines * size.states_per_line
        if self._has_last_round:
            table_bytes += DOUBLE_BYTES * size.rows * size.past_totals * (self.players - 1)
        stop_bytes_per_row = MODE_SET_BYTES * (size.end_total + 2) + DOUBLE_BYTES  # by total; and a bust value
        stop_bytes = CERTAIN_STOP_TABLES * size.rows * stop_bytes_per_row
        layer_bytes = DOUBLE_BYTES * LAYER_DOUBLES * self.players * size.rows
        if self.states.has_losses:
            # The unknowns of the fixed point are the values at the early lines, of which each row has about one.
            layer_bytes += DOUBLE_BYTES * ANDERSON_VECTORS * HISTORY * self.players * size.rows
        seconds = self._estimate_seconds(size) / threads
        return SolveCost(table_bytes + stop_bytes + layer_bytes, seconds, table_bytes)

    def _estimate_seconds(self, size: _RaceSize) -> float:
        """Return the estimated time of a solve on one processor."""
        choices = choices_per_line(self.states, size.gain, self.players)
        seconds = SECONDS_PER_CHOICE * size.lines * choices
        if self._has_last_round:
            # One turn holds the last turns from all scores of its mover. So there is one for each total and for each
            # combination of the states of the later players, rows / player_states.
            choice_count = self.states.rules.turn.choice_count
            seconds += (
                SECONDS_PER_CHOICE * size.rows / size.player_states * size.past_totals * size.end_total * choice_count
            )
        if not has_kernel(self.states):
            seconds_beside = SECONDS_PER_CHOICE * CHOICES_PER_LINE_BESIDE * (size.lines * size.states_per_line)
            seconds = REFERENCE_SLOWDOWN * (seconds + seconds_beside)
        if self.states.has_losses:
            seconds *= SWEEPS_WITH_LOSSES
        return seconds

    def _race_size(self) -> _RaceSize:
        """Return the size of the race; it is estimated for targets so high that listing the scores would take long."""
        states, model = self.states, self.model
        span = states.target - states.lowest_score
        if states.target <= MAX_LISTED_TARGET:
            player_states = float(len(states))
            end_total = model.end_total
            gain = mean_gain(model)
        else:
            # As if every score could occur, a last round went to twice the target, and turns began halfway.
            player_states = float(span * states.bust_count_limit)
            end_total = 2 * states.target if self._has_last_round else model.end_total
            gain = end_total - states.target / 2
        return _RaceSize(
            player_states=player_states,
            rows=player_states ** (self.players - 1),
            lines=player_states**self.players,
            states_per_line=1 + span * model.dice,  # offers of 1, 2, .. points up to a span, with 1, 2, .. dice
            end_total=end_total,
            past_totals=end_total - states.target + 1,
            gain=gain,
        )

    @property
    def _has_last_round(self) -> bool:
        """True if the others have one more turn once a player has reached the target."""
        return self.states.rules.finish == "last_round"

    # --- solving

    def solve(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Solve every line of states; a long solve stores its stages in the checkpoint.

        Args:
            threads: of this process.
            progress: called with the fraction that is done.
            checkpoint: finished stages are read from it.
            cluster: solves the larger layers.

        Returns:
            A value table with these arrays. A player's state is a score, and the busts in a row if they count.

            - ``scores`` (states,): in points;
            - ``win`` (states, .., states, seats): what every seat gets, by the players' states from the mover on;
            - ``taken`` (points - 1, dice - 1, states, .., states, seats): the same with a takeover offer, if there are
              any;
            - ``mixed`` (MAX_MIXED_ACTIONS, 4): lines with their ``MixedAction``, filled up with -1;
            - ``regret`` (1,);
            - ``circles`` (MAX_CYCLING_LINES,): the lines at which best responses cycle, filled up with -1, if scores
              can be lost.

        Raises:
            SolveError: no useful error bound can be stated.
        """
        stages = 1
        if self.estimate_cost(1).seconds > CHECKPOINT_SECONDS:
            stages = STAGES
        solution = solve_multiplayer_race(
            self.states,
            self.players,
            threads=threads,
            progress=progress,
            stages=stages,
            checkpoint=checkpoint if stages > 1 else None,
            cluster=cluster,
            zeros=checkpoint.new_table if checkpoint else np.zeros,
        )
        win_of_lines, win_with_offers = np.split(np.asarray(solution.win), [self.model.lines])
        tables = {"win": win_of_lines}
        if self.model.dice:
            tables["taken"] = win_with_offers
        bounds = self._bounds(solution, tables)
        if len(solution.mixed) > MAX_MIXED_ACTIONS:
            raise SolveError(f"best replies go round in circles at more than {MAX_MIXED_ACTIONS:,} positions")
        specs = self.array_specs()
        arrays: dict[str, NDArray[Any]] = {"scores": self.scores}
        for name, table in tables.items():
            arrays[name] = table.reshape(specs[name].shape)
        arrays["mixed"] = _mixed_array(solution.mixed)
        arrays["regret"] = np.array([bounds.regret])
        if self.states.has_losses:
            cycling_lines = np.full(MAX_CYCLING_LINES, -1.0)
            cycling_lines[: len(solution.cycling_lines)] = solution.cycling_lines
            arrays["circles"] = cycling_lines
        return ValueTable(arrays, bounds.error_bound)

    solve_with_checkpoint = solve

    def _bounds(self, solution: MultiplayerSolution, tables: Mapping[str, Doubles]) -> _SolutionBounds:
        """Compute the error bound and the regret of a solution from the largest gain by a best response.

        Let V_k be the stored value of seat k, and W_k the true value of the stored policies. Let U_k be the bound of a
        best response, and g the gain, the largest U_k - V_k. With n seats, the W_k of a state add up to 1, and the V_k
        to at most 1 + excess. A best response is no worse than the stored policy. So W_k <= U_k <= V_k + g, and

            W_k  =  1 - sum of the other W  >=  1 - sum of the other (V + g)  >=  V_k - (n - 1) g - excess.

        Hence V_k and W_k differ by at most (n - 1) g + excess. Seat k gains at most U_k - W_k <= n g + excess.

        Args:
            solution: the values with their gain.
            tables: (.., seats) V, the parts of the value table by name.

        Raises:
            SolveError: the error bound is too large to be useful.
        """
        gain = max(0.0, solution.gain)
        largest_sum = 1.0
        for table in tables.values():
            for rows in np.array_split(table, self.model.count):  # in parts, which take little memory
                largest_sum = max(largest_sum, float(rows.sum(axis=-1).max()))
        excess = largest_sum - 1
        # The error bound is also stated for values inside a turn, which is solved once more with these payoffs.
        rounding_inside = turn_rounding_bound(self.model.turn, self.model.max_cap)
        error_bound = (self.players - 1) * gain + excess + rounding_inside
        regret = self.players * gain + excess
        max_bound = MAX_CYCLING_BOUND if self.states.has_losses else MAX_ERROR_BOUND
        if error_bound > max_bound:
            if len(solution.cycling_lines):
                raise SolveError(self._cycling_message(solution.cycling_lines[0]))
            raise SolveError(NO_BOUND_MESSAGE)
        return _SolutionBounds(error_bound, regret)

    def _cycling_message(self, line: int) -> str:
        """Return why there is no useful bound, if best responses at a line cycle through lost scores."""
        player_states = np.unravel_index(line, self._line_shape)
        points = self.states.score[list(player_states)] * self.states.rules.grain
        scores = ", ".join(str(score) for score in points.tolist())
        return f"at the scores {scores} best replies go round in circles through lost scores, and no mixture is found"

    @property
    def _line_shape(self) -> tuple[int, ...]:
        """The number of states of each player, from the mover on."""
        return (self.model.count,) * self.players

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the specifications of the arrays that ``solve`` documents."""
        model = self.model
        win_shape = (*self._line_shape, self.players)
        specs = {
            "scores": ArraySpec.fixed(self.scores),
            "win": ArraySpec(win_shape, seat_axis=-1),
            "mixed": ArraySpec((MAX_MIXED_ACTIONS, 4), lower=-1, upper=model.lines),
            "regret": ArraySpec((1,)),
        }
        if self.states.has_losses:
            specs["circles"] = ArraySpec((MAX_CYCLING_LINES,), lower=-1, upper=model.lines)
        if model.dice:
            specs["taken"] = ArraySpec((model.offers, model.dice, *win_shape), seat_axis=-1)
        return specs

    # --- results beside values

    def extra_results(self, solved: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Return what is reported besides values, by its JSON key; the position makes no difference.

        Returns:
            The ``regret``, the number of ``mixed`` actions, and if scores can be lost as ``circles`` the scores of all
            players at each line where best responses cycle.
        """
        is_mixed = [action.is_mixed for action in self._mixed_actions(solved).values()]
        results: dict[str, Any] = {"regret": float(solved.arrays["regret"][0]), "mixed": sum(is_mixed)}
        if self.states.has_losses:
            stored_lines = solved.arrays["circles"]
            cycling_lines = stored_lines[stored_lines >= 0].astype(np.int64)
            player_states = np.column_stack(np.unravel_index(cycling_lines, self._line_shape))
            points = self.states.score * self.rules.grain
            results["circles"] = points[player_states].tolist()
        return results

    def stopping_points(self, solved: ValueTable, start: PushPosition) -> int:
        """Return the points at which the table of a turn ends.

        These are the fewest that win or, with an exact finish, one more than the player may hold.
        """
        return self._cap(start) * self.rules.grain

    def max_stopping_points(self, solved: ValueTable) -> int:
        """Return the points at which the longest table of a turn ends, which starts from the lowest score."""
        return self.model.max_cap * self.rules.grain

    def turn_error_bound(self, solved: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns, whose tables may be longer in a last round."""
        if not self.model.last_round:
            return solved.error_bound
        rounding = turn_rounding_bound(self.states.rules.turn, lanes.cap)
        error_of_longer_table = rounding + self.model.last_round_error(self._last_total)
        return solved.error_bound + error_of_longer_table

    def seat_shares(self, values: Doubles) -> Doubles:
        """Return the values of the seats, which are all channels but the first: that one only decides the choices."""
        return values[1:]

    # --- mixed actions

    def _mixed_actions(self, solved: ValueTable) -> dict[int, MixedAction]:
        """Return the mixed actions of a value table, by line; those of the table that was read last are cached."""
        if self._mixed is None or self._mixed[0] is not solved:
            self._mixed = solved, stored_mixed_actions(solved)
        _, actions = self._mixed
        return actions

    def mixed_action(self, solved: ValueTable, position: PushPosition) -> MixedAction | None:
        """Return the mixed action of the turn that contains a position; None if the values imply the turn."""
        start = self.playable.begun(position)
        if self._is_last(start):
            return None
        return self._mixed_actions(solved).get(int(self.number(start)))

    def with_drawn_actions(self, solved: ValueTable, second: bool) -> ValueTable:
        """Return the same values, with every mixed action replaced by one of its two turns.

        Args:
            solved: the value table.
            second: whether it is the second turn rather than the first.
        """
        mixed = solved.arrays["mixed"].copy()
        probabilities = mixed[:, 1]  # of the second turn, by stored line
        is_mixed = (probabilities > 0) & (probabilities < 1)
        probabilities[is_mixed] = float(second)
        return ValueTable({**solved.arrays, "mixed": mixed}, solved.error_bound)

    def decision_values(
        self,
        solved: ValueTable,
        position: PushPosition,
        continuations: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Return the values by which choices in a drawn turn are made: those for the turn's stored zero value.

        Args:
            solved: a table of ``with_drawn_actions``.
            position: a position of the turn.
            continuations: the rolls and the endings to which the choices lead.
        """
        start = self.playable.begun(position)
        max_points = max(self._turn_points(continuation) for continuation in continuations)
        lanes = self.lanes(solved, [start], max_points)
        return self._continuation_payoffs(lanes, continuations)[0, :, 0]

    # --- positions and states

    def number(self, position: PushPosition) -> Ints:
        """Return the line of a position."""
        return np.array(self.model.line_number(self._state_numbers(position)))

    def _state_numbers(self, position: PushPosition) -> list[int]:
        """Return the states of the players from the mover on."""
        busts = position.busts or (0,) * self.players
        seats = [(position.seat + distance) % self.players for distance in range(self.players)]
        return [self.states.number(position.scores[seat], busts[seat]) for seat in seats]

    def _scores_from_mover(self, position: PushPosition) -> list[int]:
        """Return the scores of the players from the mover on, in units."""
        return [score // self.rules.grain for score in (position.score, *position.opponents)]

    def start_values(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Return what every seat gets where a turn begins, with or without an offer to take over; seat 0 first."""
        state = self.number(position)
        if position.offered:
            points, dice = position.offered
            state = self.model.offer_states(state, np.array(points // self.rules.grain), dice)
        from_mover_on = self._read_values(solved, state).tolist()
        return rotate_to_seats(position.seat, from_mover_on)

    def _read_values(self, solved: ValueTable, states: Ints) -> Doubles:
        """Return what the seats get in states, from the mover on: (.., seats).

        States below ``model.lines`` are lines. Those above have a takeover offer and stand in an array of their own.
        """
        lines = self.model.lines
        values: Doubles = solved.arrays["win"].reshape(-1, self.players)[states % lines]
        if self.model.dice:
            values_with_offers = solved.arrays["taken"].reshape(-1, self.players)
            with_offers = values_with_offers[np.maximum(states - lines, 0)]
            values = np.where((states >= lines)[..., None], with_offers, values)
        return values

    # --- turns and what their endings pay

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions.

        Channel 0 decides the choices; the others are the shares of the seats from the mover on. A mixed action is two
        lanes with their probabilities.

        Args:
            solved: the value table.
            starts: where the turns begin.
            min_points: turn points, in units, that the tables have to include.
        """
        lanes = list[TurnLanes]()
        first_lanes = list[int]()
        probabilities = list[float]()
        for start in starts:
            first_lanes.append(len(lanes))
            action = self.mixed_action(solved, start)
            if action is None:
                lanes += self._turn_lanes(solved, start, [None], min_points)
                probabilities.append(1.0)
            else:
                zero_values = [action.lower_zero_value, action.upper_zero_value]
                lanes += self._turn_lanes(solved, start, zero_values, min_points)
                probabilities += [1 - action.share, action.share]
        return join_lanes(lanes)._replace(first_lanes=first_lanes, shares=np.array(probabilities))

    def _turn_lanes(
        self, solved: ValueTable, start: PushPosition, zero_values: Sequence[float | None], min_points: int
    ) -> list[TurnLanes]:
        """Return a turn once for each of some zero values.

        Args:
            solved: the value table.
            start: where the turn begins.
            zero_values: by which the choices of the turn are decided; None for the one in the table.
            min_points: turn points, in units, that the table of the turn has to include.
        """
        cap = self._cap(start, min_points)
        if self._is_last(start):
            payoffs = self._last_turn_payoffs(start, cap)
        else:
            payoffs = self._turn_payoffs(solved, start, cap)
        own_shares = payoffs.shares[:1]
        lanes = []
        for zero_value in zero_values:
            channels = np.concatenate([own_shares, payoffs.shares])
            payoff = np.ascontiguousarray(channels[:, :, None])
            if zero_value is not None:
                payoff[0, payoffs.is_zero] = zero_value
            lanes.append(self.model.make_lanes(payoff, np.array([cap], dtype=np.int32)))
        return lanes

    def _cap(self, start: PushPosition, min_points: int = 0) -> int:
        """Return the turn points, in units, at which the table of a turn ends that has come to ``min_points``.

        In a last round it ends so far beyond the highest total that hardly any turn gets there.

        Args:
            start: where the turn begins.
            min_points: turn points, in units, that the table has to include.
        """
        score, *opponents = self._scores_from_mover(start)
        highest_total = max(score + min_points, *opponents)
        last = self.model.last_round
        if last is None or highest_total < self.states.target:
            return self._solved_cap(score)
        return highest_total + last.max_added_points - score

    def _solved_cap(self, score: int) -> int:
        """Return the cap of turns from a score, in units, in the solve."""
        return int(self.model.caps_by_score[score - self.states.lowest_score])

    @property
    def _last_total(self) -> int:
        """The total that hardly any last turn reaches."""
        last = self.model.last_round
        return self.states.target + (last.max_added_points if last else 0)

    def _turn_payoffs(self, solved: ValueTable, start: PushPosition, cap: int) -> _TurnPayoffs:
        """Return the payoffs of a turn that is not a last turn, from the value table.

        Args:
            solved: the value table.
            start: where the turn begins.
            cap: the largest bank, in units.
        """
        score, _, *later_opponents = self._scores_from_mover(start)
        model = self.model
        line = self.number(start)[None]
        past = None
        if model.last_round:
            end = model.end_total if cap == self._solved_cap(score) else self._last_total
            past = _past_table(model.last_round, tuple(later_opponents), end)
        next_player_state = np.array(self._state_numbers(start)[1:2])
        transitions = model.transitions(line, cap)
        shares = model.seat_payoffs(partial(self._read_values, solved), line, transitions, past, next_player_state)
        is_zero = transitions.state == model.after_zero_turn(line)
        return _TurnPayoffs(shares[:, :, 0], is_zero[:, 0])

    def _last_turn_payoffs(self, start: PushPosition, cap: int) -> _TurnPayoffs:
        """Return the payoffs of a last turn, which follows once an opponent has reached the target.

        A lost score counts as a bust, and no ending is a zero turn.

        Args:
            start: where the turn begins.
            cap: the largest bank, in units.
        """
        last = self.model.last_round
        assert last is not None
        score, *opponents = self._scores_from_mover(start)
        # The opponents before the first one with the target still have a turn; those from there on have had theirs.
        with_turn = next(place for place, total in enumerate(opponents) if total >= self.states.target)
        later_scores = tuple(opponents[:with_turn])
        finished_totals = np.array(opponents[with_turn:])
        best_total = max(opponents)
        turns = MultiplayerLastRound(last, self.players, self._last_total)
        standing = Standing(
            later_tables=_tables_after(last, self.players, later_scores, turns.end),
            holders=opponents.count(best_total),
            line=np.zeros(1, dtype=np.int64),
            top_total=np.array([best_total]),
        )
        banks = turns.bank_shares(score, last.min_bank(score), cap, standing)
        is_holder = finished_totals == best_total
        shares_of_finished = np.outer(is_holder, banks.each_holder[:, 0])
        bank_shares = np.concatenate([banks.with_turn[:, :, 0], shares_of_finished])
        bust = bank_shares[:, :1]
        win = np.eye(self.players)[:, :1]  # 1 to the mover, 0 to the others
        wipe = bust
        shares = np.hstack([bust, win, wipe, bank_shares])
        return _TurnPayoffs(shares, np.zeros(SPECIALS + cap + 1, dtype=bool))


class _TurnPayoffs(NamedTuple):
    """What the endings of one turn pay.

    Attributes:
        shares: (seats, endings) to the seats from the mover on.
        is_zero: (endings,) whether an ending is a zero turn.
    """

    shares: Doubles
    is_zero: NDArray[np.bool_]


@lru_cache(maxsize=MAX_CACHED_LAST_TURNS)
def _past_table(last: LastRound, later_scores: tuple[int, ...], end: int) -> Doubles:
    """Return the shares of the others in their last turns if the mover banks a total from the target up to ``end``.

    Args:
        last: the last round of two players under these rules.
        later_scores: of all players after the next one, in units.
        end: the largest total.

    Returns:
        (states, totals, seats - 1), by the state of the next player.
    """
    seats = len(later_scores) + 2
    turns = MultiplayerLastRound(last, seats, end)
    (past,) = turns.with_earlier_mover(last.states.score, _tables_after(last, seats, later_scores, end))
    return past


@lru_cache(maxsize=MAX_CACHED_LAST_TURNS)
def _tables_after(last: LastRound, seats: int, scores: tuple[int, ...], end: int) -> list[Doubles]:
    """Return the tables G of ``MultiplayerLastRound`` for players with these scores, who have a last turn each.

    Args:
        last: the last round of two players under these rules.
        seats: the number of all players.
        scores: of the players with a turn, in their order.
        end: the largest total.
    """
    turns = MultiplayerLastRound(last, seats, end)
    if not scores:
        return turns.empty_tables()
    first_score = np.array(scores[:1])
    return turns.with_earlier_mover(first_score, _tables_after(last, seats, scores[1:], end))


def _mixed_array(actions: Mapping[int, MixedAction]) -> Doubles:
    """Return the array ``mixed`` of a value table: a line and its mixed action in each row, filled up with -1."""
    array = np.full((MAX_MIXED_ACTIONS, 4), -1.0)
    for number, (line, action) in enumerate(sorted(actions.items())):
        array[number] = (line, *action)
    return array


def stored_mixed_actions(solved: ValueTable) -> dict[int, MixedAction]:
    """Return the mixed actions of a value table, by line; among them pure turns that the values alone do not imply."""
    array = solved.arrays.get("mixed", np.empty((0, 4)))
    is_stored = array[:, 0] >= 0
    return {int(line): MixedAction(*action) for line, *action in array[is_stored].tolist()}
