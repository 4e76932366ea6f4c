"""The problem of three or more players who race to a target, each maximizing its own chance to win.

``multiplayer_solver`` solves it; ``multiplayer_sweep`` explains the algorithm and the proof of the error bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.push import LANES
from ...core.seats import MOST_SEATS
from ...play.push import PushGame, PushPosition
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...turns.single_choice_turn import SingleChoiceTurn
from ...util.errors import InputError, SolveError
from ...util.progress_reporting import ProgressCallback
from ..anderson import HISTORY
from ..model import Ints
from ..problem import ArraySpec, ValueTable
from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import CHECKPOINT_SECONDS, SolveCost
from .cycle_solver import has_kernel
from .lost_scores import MAX_CYCLING_LINES
from .model import RaceModel
from .multiplayer_costs import CHOICES_PER_LINE_BESIDE, SECONDS_PER_CHOICE, choices_per_line, mean_point_count
from .multiplayer_solver import MultiplayerSolution, SolutionBounds, bound_solution, solve_multiplayer_race
from .multiplayer_sweep import MIN_CYCLES_FOR_THREADS
from .multiplayer_turns import MAX_MIXED_ACTIONS, MultiplayerTurnProblem, mixed_array
from .states import MAX_LISTED_TARGET

if TYPE_CHECKING:
    from ..cluster import Cluster

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


class PushMultiplayerWinProblem(MultiplayerTurnProblem):
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
        self.states_by_seat = (self.states,) * self.players
        rules = self.states.rules
        if rules.take_over != "none" and rules.finish == "last_round":
            raise InputError(
                f"take_over with finish=last_round requires 2 players for the objective win of {self.game.id}, not"
                f" {self.players}"
            )
        self.states.refuse_dead_scores(consequence="a race from there could last forever")
        self.model = RaceModel(self.states, self.players)
        # The workers of a cluster solve turns with the kernel only. If scores can be lost, the layers are swept several
        # times, and a sweep reads values of the sweep before. Workers do not get these values.
        self.is_distributable = has_kernel(self.states) and not self.states.has_losses

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
        arrays["mixed"] = mixed_array(solution.mixed)
        arrays["regret"] = np.array([regret])
        if self.states.has_losses:
            cycling_lines = np.full(MAX_CYCLING_LINES, -1.0)  # -1: no line
            cycling_lines[: len(solution.cycling_lines)] = solution.cycling_lines
            arrays["circles"] = cycling_lines
        return arrays

    def _compute_bounds(self, solution: MultiplayerSolution, tables: Mapping[str, Doubles]) -> SolutionBounds:
        """Compute the error bound and the regret of a solution.

        Args:
            solution: the solution, from which only the gain and the lines where best responses cycle are read.
            tables: the stored values, by name of their part: lines, and states with a takeover offer. Each part is
                (states, seats).

        Raises:
            SolveError: the error bound is too large to be useful.
        """
        # The error bound is also stated for values inside a turn, which is solved once more with these payoffs.
        rounding_inside = turn_rounding_bound(self.model.turn, self.model.max_cap)
        bounds = bound_solution(solution.gain, tables.values(), rounding_inside)
        # With scores that can be lost, repeated best responses may cycle, so that values settle less closely.
        max_bound = MAX_CYCLING_BOUND if self.states.has_losses else MAX_ERROR_BOUND
        if bounds.error_bound > max_bound:
            if len(solution.cycling_lines):
                raise SolveError(self._cycling_message(solution.cycling_lines[0]))
            raise SolveError(NO_BOUND_MESSAGE)
        return bounds

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

    def max_stopping_points(self, value_table: ValueTable) -> int:
        """Return the turn points, in points, at which the longest table of a turn ends."""
        return self.model.max_cap * self.rules.grain

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
