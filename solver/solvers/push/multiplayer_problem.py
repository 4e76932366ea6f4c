"""The problem of three or more players who race to a target, each maximizing its own chance to win.

``multiplayer_solver`` solves it; ``multiplayer_sweep`` explains the algorithm and the proof of the error bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.push import LANES
from ...core.seats import MOST_SEATS
from ...play.playable_game import Choice
from ...play.push import PushGame, PushPosition
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...turns.single_choice_turn import SingleChoiceTurn
from ...util.errors import InputError, SolveError
from ...util.progress_reporting import ProgressCallback
from ..anderson import HISTORY
from ..model import Ints
from ..problem import ArraySpec, MixedAction, ValueTable, rotate_to_seats
from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import CHECKPOINT_SECONDS, SolveCost
from ..turn_lanes import TurnLanes, join_lanes
from .last_round import LastTurnRivals, LastTurns, MultiplayerLastTurns
from .lost_scores import MAX_CYCLING_LINES
from .model import RaceModel
from .multiplayer_kernel import has_kernel
from .multiplayer_solver import MultiplayerSolution, solve_multiplayer_race
from .multiplayer_sweep import (
    CHOICES_PER_LINE_BESIDE,
    MIN_CYCLES_FOR_THREADS,
    SECONDS_PER_CHOICE,
    choices_per_line,
    mean_point_count,
)
from .problem import PushProblem
from .states import MAX_LISTED_TARGET

if TYPE_CHECKING:
    from ..cluster import Cluster

MAX_MIXED_ACTIONS = 4096  # lines with one that a value table can store
MAX_CACHED_LAST_TURNS = 128  # arrays of shares in last turns kept for answers
STAGES = 24  # of either pass of a long solve, each stored in the checkpoint as it is done
MAX_CYCLING_BOUND = 1e-4  # error bound that is accepted if best responses may cycle through lost scores

# For the estimate of the cost
VALUE_BYTES = 8  # of one double
VALUE_TABLES = 2  # the value table, and the bounds of best responses
CERTAIN_STOP_TABLES = 2  # one for each of these
MODE_SET_BYTES = 2  # of a mode and total in certain stops, for turns of up to 16 modes
LAYER_DOUBLES = 4  # by row and seat: the lists of cycles and lines, with copies of values
ANDERSON_VECTORS = 4  # by step of the history: result, residual, and the changes of both
REFERENCE_SLOWDOWN = 10.0  # empirical: time of the reference solver over that of the kernel, for the same choices
SWEEPS_WITH_LOSSES = 30  # empirical: solves of all layers if scores can be lost, bounds of best responses included

# For turns of thousands of modes. A table entry is one choice at one number of turn points in one channel.
SECONDS_PER_TABLE_ENTRY = 8e-10  # measured: in the kernel of turns, whose tables are larger than a processor's cache
INNER_VALUES_SLOWDOWN = 2.0  # measured: if the values before every roll are copied, as in last turns
PASSES_PER_LINE = 5  # measured: turns solved for the shares of all seats: best responses, and the policy once more
NEWTON_PASSES_PER_LINE = 2  # measured: turns solved for bounds, for the mover's share only
WINDOW_ROWS = 24  # rows of all channels in the kernel's table, at most, for each thread


class _RaceSize(NamedTuple):
    """The size of a race, from which its cost is estimated.

    Attributes:
        player_states: the number of states of one player.
        rows: the number of combinations of the opponents' states.
        lines: the number of combinations of all players' states.
        states_per_line: a line, and the same with each takeover offer.
        end_total: the total at which the tables of turns end.
        past_totals: the number of totals from the target to ``end_total``.
        point_count: at how many numbers of turn points a turn has choices, on average.
    """

    player_states: float
    rows: float
    lines: float
    states_per_line: int
    end_total: int
    past_totals: int
    point_count: float


class _SolutionBounds(NamedTuple):
    """Bounds of a solution.

    Attributes:
        error_bound: no stored value differs by more from the value of the stored policies.
        regret: no seat gains more by leaving the stored policies.
    """

    error_bound: float
    regret: float


class PushMultiplayerWinProblem(PushProblem):
    """The chance to win of every seat in a race of three or more players.

    Attributes:
        playable: the game as it is played.
        players: the number of players.
        rules: the rules of the turn and of the race.
        states: the states of one player.
        scores: (scores,), those below the target, in points.
        model: the equations of the race. They number the lines first, then the lines with a takeover offer.
        is_distributable: whether a cluster can solve the layers.
    """

    player_range = (3, MOST_SEATS)
    is_resumable = True

    def __init__(self, playable: PushGame) -> None:
        """Set up the equations of the race.

        Args:
            playable: the game as it is played, with its number of players.

        Raises:
            InputError: the rules have features that are solved for two players only, or a race might never end.
        """
        super().__init__(playable)
        rules = self.states.rules
        if rules.take_over != "none" and rules.finish == "last_round":
            raise InputError(
                f"the objective win of {self.game.id} requires 2 players if take_over and finish=last_round are"
                f" combined, not {self.players}"
            )
        self.states.refuse_dead_scores(consequence="a race from there could last forever")
        self.model = RaceModel(self.states, self.players)
        # The workers of a cluster solve turns with the kernel only. If scores can be lost, the layers are swept several
        # times, and a sweep reads values of the sweep before. Workers do not get these values.
        self.is_distributable = has_kernel(self.states) and not self.states.has_losses
        self._mixed: tuple[ValueTable, dict[int, MixedAction]] | None = None  # of the table that was read last

    # --- estimated cost

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate memory and time of a solve.

        They follow from the numbers of lines and of rows, and from the number of turn points for which a turn has
        choices. A line is a combination of all players' states, and a row one of the opponents' states.

        Args:
            threads: the number of threads that share the work.
        """
        size = self._estimate_race_size()
        # One double for each seat in each state between turns.
        table_bytes = VALUE_TABLES * VALUE_BYTES * self.players * size.lines * size.states_per_line
        if self._has_last_round:
            # One double for each opponent, by row and by the total of the player who has reached the target.
            table_bytes += VALUE_BYTES * size.rows * size.past_totals * (self.players - 1)
        # Certain stops of a row: a set of modes for each total 0, ..., end_total + 1, and one bust value.
        stop_bytes_per_row = MODE_SET_BYTES * (size.end_total + 2) + VALUE_BYTES
        stop_bytes = CERTAIN_STOP_TABLES * size.rows * stop_bytes_per_row
        layer_bytes = VALUE_BYTES * LAYER_DOUBLES * self.players * size.rows
        if self.states.has_losses:
            # The unknowns of the fixed point are the values at the early lines, of which each row has about one.
            layer_bytes += VALUE_BYTES * ANDERSON_VECTORS * HISTORY * self.players * size.rows
        turn = self.states.rules.turn
        if isinstance(turn, SingleChoiceTurn):  # the reference solver solves it, without certain stops
            turn_bytes = self._estimate_large_turn_bytes(turn, size, threads)
            seconds = self._estimate_large_turn_seconds(turn, size, threads)
            return SolveCost(bytes=table_bytes + layer_bytes + turn_bytes, seconds=seconds, table_bytes=table_bytes)
        seconds = self._estimate_seconds(size) / threads
        return SolveCost(bytes=table_bytes + stop_bytes + layer_bytes, seconds=seconds, table_bytes=table_bytes)

    def _estimate_large_turn_bytes(self, turn: SingleChoiceTurn, size: _RaceSize, threads: int) -> float:
        """Estimate the memory of the tables of turns that have thousands of modes.

        Args:
            turn: the turn model.
            size: the size of the race.
            threads: the number of threads, each of which has a table.
        """
        row_bytes = float(VALUE_BYTES) * LANES * len(turn.modes)  # of one channel
        channels = self.players + 2  # the shares of the seats, what decides, and the probability of a zero turn
        turn_bytes = row_bytes * channels * WINDOW_ROWS * threads
        if not self._has_last_round:
            return turn_bytes
        # The values inside a last turn, for each player who has one, at all numbers of turn points.
        return turn_bytes + row_bytes * (self.players - 1) * (size.end_total + 1)

    def _estimate_large_turn_seconds(self, turn: SingleChoiceTurn, size: _RaceSize, threads: int) -> float:
        """Estimate the time of a solve whose turns have thousands of modes: the table entries, times their seconds.

        Nearly all the time goes to the kernel of turns. It weighs all choices at all numbers of turn points up to the
        cap, for each channel. Last turns are not shared between threads, and small layers are not either.

        Args:
            turn: the turn model.
            size: the size of the race.
            threads: the number of threads that share large layers.
        """
        seats = self.players
        mean_score = (self.states.target - 1) / 2
        point_count = size.end_total - mean_score  # numbers of turn points in the table of a turn from there
        # A pass solves the turn of a line in some channels.
        channels_of_pass = 2 + seats  # what decides, the zero probability and all seats' shares
        channels_of_newton_pass = 2  # for bounds of best responses: the mover's share and the zero probability
        channels_per_line = PASSES_PER_LINE * channels_of_pass + NEWTON_PASSES_PER_LINE * channels_of_newton_pass
        layer_count = seats * (size.player_states - 1) + 1  # the sums that the states of all seats can have
        cycles_per_layer = size.lines / (seats * layer_count)
        used_threads = threads if cycles_per_layer >= MIN_CYCLES_FOR_THREADS else 1
        sweep_entries = size.lines * channels_per_line * point_count * turn.choice_count / used_threads
        last_entries = self._count_last_turn_entries(size) * turn.choice_count if self._has_last_round else 0.0
        return SECONDS_PER_TABLE_ENTRY * (sweep_entries + INNER_VALUES_SLOWDOWN * last_entries)

    def _count_last_turn_entries(self, size: _RaceSize) -> float:
        """Return the number of table entries of all last turns: turn points times channels, added over the turns.

        The work is this number times the choices of a turn, because the kernel compares the choices for each entry.
        The turns of a player before k others are solved for each number of holders, each combination of the k players'
        states and each total. Their channels are the shares of these 1 + k players. One turn serves all scores of the
        mover.

        Args:
            size: the size of the race.
        """
        channels_of_all_turns = 0.0
        for later_players in range(self.players - 1):  # k
            earlier_players = self.players - 1 - later_players
            holder_counts = earlier_players  # 1, 2, ... or all of the earlier players hold the best total
            combinations = size.player_states**later_players
            turn_count = holder_counts * combinations * size.past_totals
            channels_per_turn = 1 + later_players
            channels_of_all_turns += turn_count * channels_per_turn
        point_counts = size.end_total + 1  # 0, 1, ... turn points
        return channels_of_all_turns * point_counts

    def _estimate_seconds(self, size: _RaceSize) -> float:
        """Estimate the time of a solve on one processor: the choices that are weighed, times the seconds of one.

        There is one turn for each line, and a turn costs as much as ``choices_per_line`` choices. Last turns, the
        slower reference solver, and repeated sweeps if scores can be lost come on top.

        Args:
            size: the size of the race.
        """
        choices = choices_per_line(self.states, size.point_count, self.players)
        seconds = SECONDS_PER_CHOICE * size.lines * choices
        if self._has_last_round:
            # The next player's last turns are solved for each total to beat and each combination of the states of the
            # players after. One solved turn serves all scores of the next player. A row has the states of all
            # opponents, so dividing by ``player_states`` leaves the next player out. Each turn weighs all choices of
            # the turn model at each number of turn points up to ``end_total``.
            states_of_later_players = size.rows / size.player_states
            last_turn_count = states_of_later_players * size.past_totals
            seconds += SECONDS_PER_CHOICE * last_turn_count * size.end_total * self.states.rules.turn.choice_count
        if not has_kernel(self.states):
            # The reference solver also does its other work, such as filling in payoffs, for each takeover offer.
            seconds_beside = SECONDS_PER_CHOICE * CHOICES_PER_LINE_BESIDE * (size.lines * size.states_per_line)
            seconds = REFERENCE_SLOWDOWN * (seconds + seconds_beside)
        if self.states.has_losses:
            seconds *= SWEEPS_WITH_LOSSES
        return seconds

    def _estimate_race_size(self) -> _RaceSize:
        """Return the size of the race; it is estimated for targets so high that listing the scores would take long."""
        states = self.states  # of one player
        model = self.model
        span = states.target - states.lowest_score  # the number of scores below the target, in units
        if states.target <= MAX_LISTED_TARGET:
            player_states = float(len(states))
            end_total = model.end_total
            point_count = mean_point_count(model)
        else:
            # Assume that every score can occur, that a last round goes on to twice the target, and that turns begin
            # halfway to the target on average.
            player_states = float(span * states.bust_count_limit)
            end_total = 2 * states.target if self._has_last_round else model.end_total
            point_count = end_total - states.target / 2
        return _RaceSize(
            player_states=player_states,
            rows=player_states ** (self.players - 1),
            lines=player_states**self.players,
            # The line itself, and one state for each offer of 1, ..., span points with 1, ..., model.dice dice. Without
            # take-over model.dice is 0.
            states_per_line=1 + span * model.dice,
            end_total=end_total,
            past_totals=end_total - states.target + 1,
            point_count=point_count,
        )

    @property
    def _has_last_round(self) -> bool:
        """True if the others have one more turn once a player has reached the target."""
        return self.states.rules.finish == "last_round"

    # --- solving

    def solve(
        self,
        threads: int,
        progress: ProgressCallback,
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
    ) -> ValueTable:
        """Compute every seat's probability of winning in all states; a long solve stores its stages in the checkpoint.

        Args:
            threads: the number of threads of this process.
            progress: called with the fraction that is done.
            checkpoint: finished stages are read from it.
            cluster: solves the larger layers.

        Returns:
            A value table with these arrays. A player's state is a score, and the busts in a row if they count.

            - ``scores`` (scores,): in points;
            - ``win`` (states, .., states, seats): every seat's probability of winning, by the players' states from the
              mover on;
            - ``taken`` (points, dice, states, .., states, seats): if dice can be taken over, the probabilities with an
              offer; entry [t - 1, d - 1] is for t points and d dice;
            - ``mixed`` (MAX_MIXED_ACTIONS, 4): lines with their ``MixedAction``, filled up with -1;
            - ``regret`` (1,): the most that a seat can gain by leaving the stored policies;
            - ``circles`` (MAX_CYCLING_LINES,): if scores can be lost, the lines at which best responses cycle, filled
              up with -1.

        Raises:
            SolveError: no useful error bound can be stated.
        """
        is_long = self.estimate_cost(1).seconds > CHECKPOINT_SECONDS  # a short solve stores no stages
        stages = STAGES if is_long else 1
        # Large tables may be in files even if the solve is short: the checkpoint knows whether they are.
        new_table = checkpoint.new_table if checkpoint else np.zeros
        solution = solve_multiplayer_race(
            self.states,
            self.players,
            threads=threads,
            progress=progress,
            stages=stages,
            checkpoint=checkpoint if is_long else None,
            cluster=cluster,
            zeros=new_table,
        )
        # (states, seats) chances to win: first the lines, then the states with a takeover offer.
        win_of_lines, win_with_offers = np.split(np.asarray(solution.win), [self.model.lines])
        tables = {"win": win_of_lines}
        if self.model.dice:
            tables["taken"] = win_with_offers
        bounds = self._compute_bounds(solution, tables)
        if len(solution.mixed) > MAX_MIXED_ACTIONS:
            raise SolveError(
                f"best responses cycle in more than {MAX_MIXED_ACTIONS:,} positions, so no equilibrium can be stored"
            )
        return ValueTable(self._make_arrays(solution, tables, bounds.regret), bounds.error_bound)

    solve_with_checkpoint = solve

    def _make_arrays(
        self, solution: MultiplayerSolution, tables: Mapping[str, Doubles], regret: float
    ) -> dict[str, NDArray[Any]]:
        """Return the arrays of a value table by name; ``solve`` says what they hold.

        Args:
            solution: the solution, for its mixed actions and for the lines where best responses cycle.
            tables: by name, the chances to win of lines and of states with a takeover offer: (states, seats).
            regret: the most that a seat can gain by leaving the stored policies.
        """
        specs = self.array_specs()
        arrays: dict[str, NDArray[Any]] = {"scores": self.scores}
        for name, table in tables.items():
            arrays[name] = table.reshape(specs[name].shape)
        arrays["mixed"] = _mixed_array(solution.mixed)
        arrays["regret"] = np.array([regret])
        if self.states.has_losses:
            cycling_lines = np.full(MAX_CYCLING_LINES, -1.0)  # -1: no line
            cycling_lines[: len(solution.cycling_lines)] = solution.cycling_lines
            arrays["circles"] = cycling_lines
        return arrays

    def _compute_bounds(self, solution: MultiplayerSolution, tables: Mapping[str, Doubles]) -> _SolutionBounds:
        """Compute the error bound and the regret of a solution from the largest gain by a best response.

        Let V_k be the stored value of seat k, and W_k the true value of the stored policies. Let U_k be an upper bound
        of what seat k gets by a best response, and g the gain, the largest U_k - V_k. With n seats, the W_k of a state
        add up to 1, and the V_k to at most 1 + excess, because of rounding. A best response is no worse than the stored
        policy. So W_k <= U_k <= V_k + g, and

            W_k  =  1 - sum of the other W  >=  1 - sum of the other (V + g)  >=  V_k - (n - 1) g - excess.

        Hence V_k and W_k differ by at most (n - 1) g + excess. Seat k gains at most U_k - W_k <= n g + excess.

        Args:
            solution: the solution, from which only the gain and the lines where best responses cycle are read.
            tables: V, by name of its part: lines, and states with a takeover offer. Each part is (states, seats).

        Raises:
            SolveError: the error bound is too large to be useful.
        """
        gain = max(0.0, solution.gain)
        largest_sum = 1.0
        part_count = len(self.states)  # parts of each table, because sums of the whole one take memory
        for table in tables.values():
            for some_states in np.array_split(table, part_count):
                sums_over_seats = some_states.sum(axis=-1)
                largest_sum = max(largest_sum, float(sums_over_seats.max()))
        excess = largest_sum - 1
        # The error bound is also stated for values inside a turn, which is solved once more with these payoffs.
        rounding_inside = turn_rounding_bound(self.model.turn, self.model.max_cap)
        error_bound = (self.players - 1) * gain + excess + rounding_inside
        regret = self.players * gain + excess
        # With scores that can be lost, repeated best responses may cycle, so that values settle less closely.
        max_bound = MAX_CYCLING_BOUND if self.states.has_losses else MAX_ERROR_BOUND
        if error_bound > max_bound:
            if len(solution.cycling_lines):
                raise SolveError(self._cycling_message(solution.cycling_lines[0]))
            raise SolveError(NO_BOUND_MESSAGE)
        return _SolutionBounds(error_bound, regret)

    def _cycling_message(self, line: int) -> str:
        """Return why there is no useful bound, if best responses at a line cycle through lost scores.

        Args:
            line: the players' states from the mover on, as digits of one number.
        """
        player_states = np.unravel_index(line, self._line_shape)  # the digits
        points = self.states.score[list(player_states)] * self.states.rules.grain  # scores are in units of the grain
        scores = ", ".join(str(score) for score in points.tolist())
        return f"at the scores {scores} best responses cycle through lost scores, and no mixed equilibrium was found"

    @property
    def _line_shape(self) -> tuple[int, ...]:
        """The shape of an array by the states of all players, from the mover on."""
        return (self.model.count,) * self.players

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the arrays of a value table; ``solve`` says what they hold."""
        model = self.model
        win_shape = (*self._line_shape, self.players)
        # A line, the probability of its upper turn, and the zero values for which its two turns are best.
        mixed_columns = 4
        empty = -1  # fills up the arrays that hold numbers of lines
        specs = {
            "scores": ArraySpec.fixed(self.scores),
            "win": ArraySpec(win_shape, seat_axis=-1),
            "mixed": ArraySpec((MAX_MIXED_ACTIONS, mixed_columns), lower=empty, upper=model.lines),
            "regret": ArraySpec((1,)),
        }
        if self.states.has_losses:  # the lines at which best responses cycle
            specs["circles"] = ArraySpec((MAX_CYCLING_LINES,), lower=empty, upper=model.lines)
        if model.dice:
            specs["taken"] = ArraySpec((model.offers, model.dice, *win_shape), seat_axis=-1)
        return specs

    # --- results beside values

    def extra_results(self, value_table: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Return what is reported besides values, by its JSON key.

        Args:
            value_table: the value table.
            position: not needed; the results are the same for all positions.

        Returns:
            The ``regret``; as ``mixed`` the number of mixed actions; and if scores can be lost, as ``circles`` the
            scores of all players, in points, at each line where best responses cycle.
        """
        is_mixed = [action.is_mixed for action in self._mixed_actions(value_table).values()]
        results: dict[str, Any] = {"regret": float(value_table.arrays["regret"][0]), "mixed": sum(is_mixed)}
        if self.states.has_losses:
            stored_lines = value_table.arrays["circles"]  # filled up with -1
            cycling_lines = stored_lines[stored_lines >= 0].astype(np.int64)
            # The digits of a line are the players' own states, from the mover on: (lines, players).
            player_states = np.column_stack(np.unravel_index(cycling_lines, self._line_shape))
            points_by_state = self.states.score * self.rules.grain
            results["circles"] = points_by_state[player_states].tolist()
        return results

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int:
        """Return the turn points, in points, at which the table of a turn ends.

        These are the fewest that win or, with an exact finish, one more than the player may hold. With a last round
        these are so many that more hardly matter.
        """
        return self._cap(start) * self.rules.grain

    def max_stopping_points(self, value_table: ValueTable) -> int:
        """Return the turn points, in points, at which the longest table of a turn ends."""
        return self.model.max_cap * self.rules.grain

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns.

        Without a last round it is that of the value table. With one the table of a turn may be longer than in the
        solve. Then the turn rounds more, and its payoffs come from last turns up to a higher total, with their own
        error.

        Args:
            value_table: the value table with its error bound.
            lanes: the turns, of which only the cap is read.
        """
        if not self.model.last_round:
            return value_table.error_bound
        rounding = turn_rounding_bound(self.states.rules.turn, lanes.cap)
        error_of_longer_table = rounding + self.model.last_round_error(self._max_last_total)
        return value_table.error_bound + error_of_longer_table

    def seat_shares(self, values: Doubles) -> Doubles:
        """Return the values of the seats, which are all channels but the first: that one only decides the choices."""
        return values[1:]

    # --- mixed actions

    def _mixed_actions(self, value_table: ValueTable) -> dict[int, MixedAction]:
        """Return the mixed actions of a value table, by line; those of the table that was read last are cached."""
        if self._mixed is None or self._mixed[0] is not value_table:
            self._mixed = value_table, stored_mixed_actions(value_table)
        _, actions = self._mixed
        return actions

    def mixed_action(self, value_table: ValueTable, position: PushPosition) -> MixedAction | None:
        """Return the mixed action of the turn that contains a position; None if the values imply the turn."""
        start = self.playable.turn_start_of(position)
        if self._is_last(start):
            return None
        return self._mixed_actions(value_table).get(int(self.number(start)))

    def with_pure_actions(self, value_table: ValueTable, upper: bool) -> ValueTable:
        """Return the table with every mixed action replaced by one of its two turns, for answers about that turn.

        The values stay those of the mixed actions.

        Args:
            value_table: the value table.
            upper: True for the upper turn of every mixed action, False for the lower one.
        """
        # Columns: a line, the probability of its upper turn, and the zero values for which the two turns are best.
        mixed = value_table.arrays["mixed"].copy()
        probabilities = mixed[:, 1]  # a view, so that writing it changes ``mixed``
        is_mixed = (probabilities > 0) & (probabilities < 1)
        probabilities[is_mixed] = float(upper)  # the upper turn with probability 1 or 0
        return ValueTable({**value_table.arrays, "mixed": mixed}, value_table.error_bound)

    def decision_values(
        self,
        value_table: ValueTable,
        position: PushPosition,
        continuations: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Return the values by which choices in a turn are made, after mixed actions have been drawn.

        A drawn turn is one of the two turns of a mixed action. It is the best one for its own zero value, which the
        table stores with it; ``lanes`` puts that value into channel 0.

        Args:
            value_table: a table of ``with_pure_actions``, in which no turn is a mixture any more.
            position: a position of the turn.
            continuations: where the choices lead: a roll, as the position before it, or an ending, as the choice made.

        Returns:
            (continuations,) values.
        """
        start = self.playable.turn_start_of(position)
        max_points = max(self._turn_points(continuation) for continuation in continuations)
        lanes = self.lanes(value_table, [start], min_points=max_points)
        values = self._continuation_values(lanes, continuations)  # (channels, continuations, turns)
        return values[0, :, 0]  # channel 0 decides, and there is one turn

    # --- positions and states

    def number(self, position: PushPosition) -> Ints:
        """Return the number of the line of a position, without its takeover offer, as an array ()."""
        return np.array(self.model.line_number(self._state_numbers(position)))

    def _state_numbers(self, position: PushPosition) -> list[int]:
        """Return the own states of all players from the mover on: each one's score and busts in a row, as a number."""
        busts = position.busts or (0,) * self.players  # by seat; empty in the position if they do not count
        seats = [(position.seat + distance) % self.players for distance in range(self.players)]
        return [self.states.number(position.scores[seat], busts[seat]) for seat in seats]

    def _scores_from_mover(self, position: PushPosition) -> list[int]:
        """Return the scores of the players from the mover on, in units."""
        return [score // self.rules.grain for score in (position.score, *position.opponents)]

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return every seat's chance to win at a position where a turn begins, seat 0 first.

        If the position has a takeover offer, the mover takes it or begins a new turn, whichever is better.
        """
        state = self.number(position)
        if position.offered:
            points, dice = position.offered
            state = self.model.offer_states(state, np.array(points // self.rules.grain), dice)
        from_mover_on = self._read_values(value_table, state).tolist()
        return rotate_to_seats(position.seat, from_mover_on)

    def _read_values(self, value_table: ValueTable, states: Ints) -> Doubles:
        """Return the seats' chances to win in states, from the mover on.

        States below ``model.lines`` are lines, whose values are the array ``win``. Those from there on have a takeover
        offer, and their values are the array ``taken``.

        Args:
            value_table: the value table.
            states: the numbers of states, an array of any shape.

        Returns:
            (shape of ``states``, seats).
        """
        line_count = self.model.lines
        values_of_lines = value_table.arrays["win"].reshape(-1, self.players)  # (lines, seats)
        values: Doubles = values_of_lines[states % line_count]  # states with an offer get theirs below
        if self.model.dice:
            values_with_offers = value_table.arrays["taken"].reshape(-1, self.players)  # (states with an offer, seats)
            with_offers = values_with_offers[np.maximum(states - line_count, 0)]
            has_offer = states >= line_count
            values = np.where(has_offer[..., None], with_offers, values)
        return values

    # --- turns and what their endings pay

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions.

        Channel 0 decides the choices; the others are the shares of the seats from the mover on. A mixed action is two
        lanes with their probabilities.

        Args:
            value_table: the value table.
            starts: positions at which the turns begin.
            min_points: turn points, in units, that the tables have to include.

        Returns:
            All lanes side by side, with the first lane of each turn and the probability of each lane.
        """
        lanes = list[TurnLanes]()  # of one lane each
        first_lanes = list[int]()  # by turn
        probabilities = list[float]()  # by lane
        for start in starts:
            first_lanes.append(len(lanes))
            action = self.mixed_action(value_table, start)
            if action is None:
                lanes += self._turn_lanes(value_table, start, [None], min_points)
                probabilities.append(1.0)
            else:
                zero_values = [action.lower_zero_value, action.upper_zero_value]
                lanes += self._turn_lanes(value_table, start, zero_values, min_points)
                probabilities += [1 - action.upper_probability, action.upper_probability]
        return join_lanes(lanes)._replace(first_lanes=first_lanes, lane_probabilities=np.array(probabilities))

    def _turn_lanes(
        self, value_table: ValueTable, start: PushPosition, zero_values: Sequence[float | None], min_points: int
    ) -> list[TurnLanes]:
        """Return one lane of a turn for each of some zero values, by which the lane's choices are decided.

        Channel 0 decides the choices; the others are the shares of the seats from the mover on.

        Args:
            value_table: the value table.
            start: the position at which the turn begins.
            zero_values: what a zero turn is worth to the mover when choices are compared; None: as in the table.
            min_points: turn points, in units, that the table of the turn has to include.
        """
        cap = self._cap(start, min_points)
        if self._is_last(start):
            payoffs = self._compute_last_turn_payoffs(start, cap)
        else:
            payoffs = self._compute_turn_payoffs(value_table, start, cap)
        own_shares = payoffs.shares[:1]  # (1, endings) of the mover
        lanes = []
        for zero_value in zero_values:
            channels = np.concatenate([own_shares, payoffs.shares])  # (1 + seats, endings): channel 0 decides
            payoff = np.ascontiguousarray(channels[:, :, None])  # (1 + seats, endings, 1 lane)
            if zero_value is not None:
                payoff[0, payoffs.is_zero] = zero_value
            lanes.append(self.model.make_lanes(payoff, np.array([cap], dtype=np.int32)))
        return lanes

    def _cap(self, start: PushPosition, min_points: int = 0) -> int:
        """Return the turn points, in units, at which the table of a turn ends.

        With a last round, the table is longer than in the solve once a total has reached the target. It ends
        ``negligible_points`` beyond the highest total: a turn adds so many with a probability of at most 2**-52.

        Args:
            start: the position at which the turn begins.
            min_points: turn points, in units, to which the turn may have come already.
        """
        score, *opponent_scores = self._scores_from_mover(start)
        highest_total = max(score + min_points, *opponent_scores)
        last_round = self.model.last_round  # None if the rules have none
        if last_round is None or highest_total < self.states.target:
            # The total is below the target, or a bank that reaches the target wins. So turn points beyond the cap of
            # the solve change no value.
            return self._cap_in_solve(score)
        end_total = highest_total + last_round.negligible_points
        return end_total - score

    def _cap_in_solve(self, score: int) -> int:
        """Return the cap of turns from a score, in units, in the solve."""
        return int(self.model.caps_by_score[score - self.states.lowest_score])

    @property
    def _max_last_total(self) -> int:
        """The total, in units, that last turns from below the target reach with a probability of at most 2**-52."""
        last_round = self.model.last_round
        return self.states.target + (last_round.negligible_points if last_round else 0)

    def _compute_turn_payoffs(self, value_table: ValueTable, start: PushPosition, cap: int) -> _TurnPayoffs:
        """Return the payoffs of a turn that is not a last turn, from the value table.

        With a last round, banks that reach the target are not in the value table. They pay what the last turns of the
        opponents leave.

        Args:
            value_table: the value table.
            start: the position at which the turn begins.
            cap: the largest bank, in units.
        """
        model = self.model
        line = self.number(start)[None]  # (1,): one lane
        transitions = model.transitions(line, cap)  # (endings, 1 lane)
        shares_past_target = self._solve_shares_past_target(start, cap)
        # The scores of the players after the next one are fixed in these shares. So a row of them, the states of all
        # opponents, is given by the state of the next player.
        _, next_state, *_ = self._state_numbers(start)  # from the mover on
        row_past_target = np.array([next_state])  # (1,): one lane
        shares = model.seat_payoffs(
            partial(self._read_values, value_table), line, transitions, shares_past_target, row_past_target
        )  # (seats, endings, 1 lane)
        is_zero = transitions.state == model.after_zero_turn(line)
        return _TurnPayoffs(shares[:, :, 0], is_zero[:, 0])

    def _solve_shares_past_target(self, start: PushPosition, cap: int) -> Doubles | None:
        """Return the opponents' chances to win once the mover has banked a total from the target on.

        Args:
            start: the position at which the mover's turn begins.
            cap: the largest bank, in units.

        Returns:
            (states of the next player, totals from the target on, opponents), where the players after the next one have
            the scores of the position; None without a last round.
        """
        last_round = self.model.last_round
        if last_round is None:
            return None
        score, _, *later_scores = self._scores_from_mover(start)  # without the next player's
        # The largest total told apart. A turn with the cap of the solve gets the payoffs of the solve, so that values
        # agree bit for bit. A longer turn has totals up to one that is reached with a probability of at most 2**-52.
        is_as_in_solve = cap == self._cap_in_solve(score)
        max_total = self.model.end_total if is_as_in_solve else self._max_last_total
        return _shares_past_target(last_round, tuple(later_scores), max_total)

    def _compute_last_turn_payoffs(self, start: PushPosition, cap: int) -> _TurnPayoffs:
        """Return the payoffs of a last turn, which a player has once an opponent has reached the target.

        A wipe pays what a bust does, because both leave the mover behind. No ending is a zero turn.

        Args:
            start: the position at which the turn begins.
            cap: the largest bank, in units.
        """
        bank_shares = self._compute_last_bank_shares(start, cap)
        bust = bank_shares[:, :1]  # as a bank of 0 points
        wins_all = np.eye(self.players)[:, :1]  # 1 to the mover, 0 to the others
        wipe = bust
        # (seats, endings), in the order of all turns: bust, win, wipe, then the banks.
        shares = np.hstack([bust, wins_all, wipe, bank_shares])
        no_zero_turn = np.zeros(shares.shape[1], dtype=bool)
        return _TurnPayoffs(shares, no_zero_turn)

    def _compute_last_bank_shares(self, start: PushPosition, cap: int) -> Doubles:
        """Return what banks of 0, 1, ..., ``cap`` points pay the seats in a last turn, mover first: (seats, banks).

        Args:
            start: the position at which the turn begins.
            cap: the largest bank, in units.
        """
        last_round = self.model.last_round
        assert last_round is not None
        score, *opponent_scores = self._scores_from_mover(start)
        # In turn order, the first opponent with the target began the last round. Opponents before that one still have
        # a last turn; that one and those after it have finished.
        has_target = [opponent_score >= self.states.target for opponent_score in opponent_scores]
        first_finished = has_target.index(True)
        later_scores = tuple(opponent_scores[:first_finished])
        finished_totals = np.array(opponent_scores[first_finished:])
        best_total = max(opponent_scores)
        last_turns = MultiplayerLastTurns(last_round, self.players, self._max_last_total)
        # One lane: the opponents' scores are known. So ``later_shares`` has a single combination of scores, number 0.
        rivals = LastTurnRivals(
            later_shares=_shares_in_last_turns(last_round, self.players, later_scores, last_turns.max_total),
            holders=opponent_scores.count(best_total),
            combination=np.array([0]),
            top_total=np.array([best_total]),
        )
        banks = last_turns.bank_shares(score, last_round.min_bank(score), cap, rivals)
        shares_with_turn = banks.with_turn[:, :, 0]  # (the mover and those who move later, banks) in the only lane
        share_of_holder = banks.each_holder[:, 0]  # (banks,) of each player who has the best total
        is_holder = finished_totals == best_total
        shares_of_finished = np.outer(is_holder, share_of_holder)  # (finished players, banks)
        return np.concatenate([shares_with_turn, shares_of_finished])


class _TurnPayoffs(NamedTuple):
    """The payoffs of the endings of one turn.

    Attributes:
        shares: (seats, endings) to the seats from the mover on.
        is_zero: (endings,) whether an ending is a zero turn.
    """

    shares: Doubles
    is_zero: NDArray[np.bool_]


@lru_cache(maxsize=MAX_CACHED_LAST_TURNS)
def _shares_past_target(last_round: LastTurns, later_scores: tuple[int, ...], max_total: int) -> Doubles:
    """Return the opponents' chances to win once the mover has banked a total from the target on.

    All opponents have a last turn. A tie is shared equally.

    Args:
        last_round: the last round of two players under these rules.
        later_scores: the scores of all players after the next one, in units.
        max_total: the largest of the mover's totals, in units.

    Returns:
        (states, totals, opponents), by the state of the next player and by the mover's total, the target first.
    """
    seats = len(later_scores) + 2
    last_turns = MultiplayerLastTurns(last_round, seats, max_total)
    later_shares = _shares_in_last_turns(last_round, seats, later_scores, max_total)
    next_player_scores = last_round.states.score  # by state
    # ``later_shares`` holds the shares in the last turns of the players after the next one. The next player's last turn
    # is put before these. The result is a list by the number of holders of the highest total. It has one entry: all
    # opponents still have a turn, so the mover alone is the holder.
    (shares,) = last_turns.with_earlier_mover(next_player_scores, later_shares)
    return shares


@lru_cache(maxsize=MAX_CACHED_LAST_TURNS)
def _shares_in_last_turns(last_round: LastTurns, seats: int, scores: tuple[int, ...], max_total: int) -> list[Doubles]:
    """Return the chances to win of players with these scores, who have their last turns one after the other.

    The chances depend on the highest total so far, and on the number of players who hold it (holders).

    Args:
        last_round: the last round of two players, which has the rules of a last turn.
        seats: the number of all players.
        scores: the scores of the players who still have a last turn, in turn order and in units.
        max_total: the largest total of a holder, in units.

    Returns:
        A list with an array for 1, 2, ... holders. Each is (1, totals, players with a turn). The first axis is the
        score of the player who moves first, of which there is only one. Totals are the highest so far, from the target
        on.
    """
    last_turns = MultiplayerLastTurns(last_round, seats, max_total)
    if not scores:
        return last_turns.shares_without_turns()
    first_mover_scores = np.array(scores[:1])  # the only score that this player may have
    later_shares = _shares_in_last_turns(last_round, seats, scores[1:], max_total)
    return last_turns.with_earlier_mover(first_mover_scores, later_shares)


def _mixed_array(actions: Mapping[int, MixedAction]) -> Doubles:
    """Return mixed actions as the array ``mixed`` of a value table.

    Args:
        actions: mixed actions by line.

    Returns:
        (MAX_MIXED_ACTIONS, 4): entries with a line and the three fields of its action, in ascending order of lines.
        Entries that are not needed hold -1.
    """
    array = np.full((MAX_MIXED_ACTIONS, 4), -1.0)
    for number, (line, action) in enumerate(sorted(actions.items())):
        array[number] = (line, *action)
    return array


def stored_mixed_actions(value_table: ValueTable) -> dict[int, MixedAction]:
    """Return the mixed actions of a value table, by line.

    An action with a probability of 0 or 1 is a pure turn, stored because the values alone do not imply it.
    """
    array = value_table.arrays.get("mixed", np.empty((0, 4)))
    is_stored = array[:, 0] >= 0
    return {int(line): MixedAction(*action) for line, *action in array[is_stored].tolist()}
