"""Problems of two-player races and of a single player on the way to a goal.

The equations are those of ``model``. Two solvers share them: the race kernel by retrograde analysis (``race_solver``),
if the turn points only grow until the turn ends, and otherwise the reference solver (``reference_solver``).

Start reading at ``PushWinProblem.solve``.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from ...core.push import LANES
from ...games.push_rules import SPECIAL_ENDING_COUNT
from ...play.push import PushGame, PushPosition
from ...turns.monotone_turn import is_monotone
from ...turns.push_turn import Caps, Doubles
from ...turns.single_choice_turn import SingleChoiceTurn
from ...util.errors import SolveError
from ...util.progress_reporting import ProgressCallback
from ..model import Ints, Transitions
from ..problem import ArraySpec, ValueTable, rotate_to_seats
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import SolveCost
from ..turn_lanes import TurnLanes
from .last_round import TRUNCATION, LastTurns, chance_to_add, is_deficit_only
from .model import RaceModel, SoloModel
from .problem import PushProblem
from .states import MAX_LISTED_TARGET

# Estimated times. All are empirical: fitted to measured times of solves. The kernels weigh the choices of a turn once
# for each number of turn points, so times are seconds for such a choice. "In choices" is a time as a multiple of that.
CHOICE_SECONDS = 6e-10  # race kernel: a choice at one number of turn points, all passes over a turn included
POINTS_PAST_CAP_SECONDS = 1.5e-8  # race kernel: a number of turn points past the cap that a roll may lead to
PAYOFF_CHOICES = 60  # race kernel: filling in the payoffs for one number of turn points, in choices
# Race kernel: a visit of value iteration to a forced mode, at one number of turn points past the cap, in choices.
CHOICES_PER_FORCED_VISIT = 4
LAST_ROUND_FACTOR = 1.5  # how much longer a race with a last round takes
TAKEOVER_FACTOR = 2.5  # how much longer a race takes in which turns can be taken over
LOSS_FACTOR = 1.5  # how much longer a race takes in which scores can fall
REFERENCE_FACTOR = 7.0  # reference solver: the time of a choice, relative to the race kernel
REFERENCE_PAYOFF_CHOICES = 210  # reference solver: filling in the payoffs for one number of turn points, in choices
SOLO_CHOICE_SECONDS = 2.4e-9  # expected turns: a choice at one number of turn points
SOLO_POINTS_SECONDS = 2e-8  # expected turns: a number of turn points past the cap
REACH_POINTS_SECONDS = POINTS_PAST_CAP_SECONDS / 6  # the chance to reach a goal: a number of turn points past the cap
SOLO_PAYOFF_CHOICES = 10  # one player: filling in the payoffs for one number of turn points, in choices
SOLO_LOSS_FACTOR = 4  # expected turns: how much longer they take if scores can fall

# Estimated memory.
VALUE_BYTES = 8  # of one double
BOUNDS_BYTES = 16.0  # of the two numbers that a race keeps of each value: an upper bound and a gap
LANES_PER_STATE = 2  # lanes of the largest layer of a race, for each state of one player
LAYER_ARRAYS = 6  # arrays with a double for each ending and lane of a layer: payoffs, transitions and temporary ones
LAST_ROUND_ARRAYS = 2  # tables with the chances of last turns
LAST_ROUND_SPANS = 4.0  # length of both axes of these tables, as a multiple of the scores from the lowest to the target
TAKEOVER_TURN_TABLES = 6  # tables of a turn in the kernel if turns can be taken over, instead of one
SCORE_CASES = 2  # in a last turn offers are told apart by whether the mover has a score
SOLO_TABLES_PER_MODE = 2  # one player: doubles for each mode, turn points and lane: the kernel's table and a copy
SOLO_EXTRA_COLUMNS = 6  # one player: further doubles for each number of turn points and lane: payoffs and transitions
SOLO_SPARE_TABLES = 2  # one player: arrays of all states besides one for each number of turns left

SAMPLED_POINTS = 25  # points of a turn of thousands of modes, from which its longest table is estimated
LAST_ROUND_SPARE_SPANS = 2  # spans past the negligible points in the tables of last turns
LARGE_TURN_SECONDS = 5e-8  # empirical: a choice at one number of turn points, all passes and both bounds included
LARGE_TURN_WINDOW_ROWS = 24  # rows of two channels in the kernel's window, for each thread
LARGE_TURN_CHOICE_BYTES = 250  # of one choice in the arrays of a turn, while they are compiled

MAX_TURNS_BOUND = 1e-3  # expected turns; a solve with a larger error bound is refused


class _TableSize(NamedTuple):
    """The numbers that time and memory of a race depend on; floats, because targets can be huge.

    Attributes:
        states: states of one player.
        caps: the cap of a turn from each score.
        span: scores from the lowest one up to the target, in units.
        past_totals: how many totals past the target have states, because of a last round.
        takeover_dice: the largest number of dice that can be taken over; 0 if nothing can.
    """

    states: float
    caps: Doubles
    span: float
    past_totals: float
    takeover_dice: int

    @property
    def max_cap(self) -> float:
        """The largest cap."""
        return float(self.caps.max())

    @property
    def points_beyond_cap(self) -> float:
        """By how many turn points the table of a turn goes on beyond its cap, for points taken over in a last round."""
        return self.past_totals if self.takeover_dice else 0.0


class _SoloSize(NamedTuple):
    """The numbers that time and memory of a single player's problem depend on.

    The table of a turn has a row for each number of turn points. In the rows up to the cap choices are compared. Rows
    past the cap are only filled; there are as many as one choice can add points.

    Attributes:
        states: the player's own states.
        compared_rows: rows up to the cap, in an average turn.
        filled_rows: rows past the cap.
        most_rows: rows of the longest table.
        choices_per_row: the time of a row, in choices.
    """

    states: float
    compared_rows: float
    filled_rows: int
    most_rows: float
    choices_per_row: float


class PushTableProblem(PushProblem):
    """A problem with a value for every state of a transition model with one or two players.

    Attributes:
        rules: the rules of the turn.
        states: the states of one player.
        parameters: the numbers that the objective needs, by name.
        model: the transition model.
    """

    def __init__(self, playable: PushGame) -> None:
        """Set up the problem, and refuse rules with scores from which no player can ever reach the target.

        With the parameter ``goal``, which may be below the target, such scores are allowed.

        Args:
            playable: the game as it is played, with its number of players.

        Raises:
            InputError: there is such a score.
        """
        super().__init__(playable)
        if self.parameters.get("goal") is None:
            self.states.refuse_dead_scores(
                "a race from there could last forever" if self.players > 1 else "no number of turns would be enough"
            )

    @property
    @abstractmethod
    def model(self) -> SoloModel | RaceModel:
        """The transition model."""

    @abstractmethod
    def read(self, value_table: ValueTable, numbers: Ints) -> Doubles:
        """Return V, the mover's value, of the states with these numbers, from the value table; any shape."""

    @abstractmethod
    def state_number(self, position: PushPosition) -> int:
        """Return the number that the transition model gives to a position at the start of a turn."""

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int:
        """Return the turn points at which the table of a turn ends, in points.

        These are the fewest that win or, with an exact finish, one more than the player may hold.
        """
        return self.lanes(value_table, [start]).cap * self.rules.grain

    def solve_by_reference(self, threads: int, progress: ProgressCallback) -> tuple[Doubles, float]:
        """Solve all states by the reference solver, for turns of any kind.

        If scores can fall, the first guess is the values of the same game in which they cannot. Its only cycles are
        zero turns, so it is quick to solve. In a race with a last round, the values of last turns may be in a table.
        Then the first guess has these values, and 1/2 elsewhere.

        Args:
            threads: the number of threads.
            progress: called with the fraction of the work that is done.

        Returns:
            V by number of the state, and its error bound.
        """
        from ..reference_solver import ReferenceSolver  # answers from a table need no solver

        model = self.model
        first_guess = None  # the solver makes its own
        if model.has_cyclic_components:
            lossless_model, matching_states = model.lossless()
            with suppress(SolveError):  # then the solver makes its own guess
                first_guess = ReferenceSolver(lossless_model, threads).solve()[matching_states]
        elif isinstance(model, RaceModel) and model.has_tabled_last_turns:
            first_guess = model.tabled_values()
        solver = ReferenceSolver(model, threads, progress)
        values = solver.solve(first_guess)
        return values, solver.error_bound(values)

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the values of all seats at a position where a turn begins, seat 0 first, from the value table."""
        states = np.array([self.state_number(position)])
        mover_values = self.read(value_table, states)[None]  # (1 channel, 1 lane)
        values_from_mover_on = self.seat_shares(mover_values)[:, 0].tolist()
        return rotate_to_seats(position.seat, values_from_mover_on)

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions, one lane for each.

        Args:
            value_table: the value table that the payoffs are read from.
            starts: positions at the start of a turn.
            min_points: not needed: the tables go on to the goal, and no turn needs more.
        """
        model = self.model
        states = np.array([self.state_number(start) for start in starts])
        payoff = model.payoffs(partial(self.read, value_table), model.transitions(states))[None]  # 1 channel
        bank_count = payoff.shape[1] - SPECIAL_ENDING_COUNT
        return TurnLanes(model.turn, payoff, model.caps(states), bank_count)

    def estimate_sizes(self) -> tuple[float, Doubles]:
        """Estimate the number of one player's states and the cap of a turn from each score, quickly for any target.

        Returns:
            The number of states; and (scores,) the turn points at which the tables of turns end, in units.
        """
        states = self.states
        caps = states.caps_by_score.astype(float)  # by score, as if every score could occur
        if states.target <= MAX_LISTED_TARGET:  # listing the scores that can occur is quick
            caps = caps[states.scores - states.lowest_score]
        return float(len(caps) * states.bust_count_limit), caps


class PushWinProblem(PushTableProblem):
    """The chance to win a race of two players who both play optimally.

    A pair of own states, the mover's and the opponent's, is a state of the transition model. The value table has the
    mover's chances by these two, (states, states).

    Attributes:
        playable: the game as it is played.
        rules: the rules of the turn and of the race.
        states: the states of one player.
        scores: (scores,), those below the target, in points.
        model: the transition model (``RaceModel``). It numbers pairs of own states (lines) first, then pairs with a
            takeover offer, and knows the last round if the rules have one.
    """

    player_range = (2, 2)

    @cached_property
    def model(self) -> RaceModel:
        """The transition model."""
        return RaceModel(self.states, 2)

    # --- Cost

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory of a solve: of a turn for each pair of own states, and of takeover offers.

        Args:
            threads: the number of threads that share the work.
        """
        if isinstance(self.states.turn, SingleChoiceTurn):
            return self._estimate_large_turns(self.states.turn, threads)
        if self.rules.finish != "last_round":
            return self._estimate_cost_for(threads, past_totals=0.0)
        # With a last round, totals past the target have states too: at most about as many as there are scores.
        score_count = float(self.states.target - self.states.lowest_score)
        cost = self._estimate_cost_for(threads, past_totals=score_count)
        # With take-over each of them costs much, so their exact number is worth knowing. The model knows it once it has
        # solved the last turns. That is quick if these depend on the deficit only.
        has_takeover = self.rules.take_over != "none"
        if has_takeover and not cost.is_too_much and is_deficit_only(self.states.turn):
            with suppress(SolveError):  # the solve itself will raise it
                cost = self._estimate_cost_for(threads, float(self.model.past_totals))
        return cost

    def _estimate_large_turns(self, turn: SingleChoiceTurn, threads: int) -> SolveCost:
        """Estimate the cost of a race whose turns have thousands of modes: solving these turns takes nearly all of it.

        With a last round the table of a turn goes on to turn points that a turn hardly ever reaches.

        Args:
            turn: the turn.
            threads: the number of threads that share the work.
        """
        state_count, caps = self.estimate_sizes()
        # Numbers of turn points for which tables have an entry, on average and at most.
        mean_length, max_length = float(caps.mean()), float(caps.max())
        if self.rules.finish == "last_round":
            negligible_points = _estimate_negligible_points(turn)
            # A table may end where the product of both players' chances is negligible. On average each of them then
            # adds half of the points.
            mean_length = max(mean_length, negligible_points / 2)
            spare_points = LAST_ROUND_SPARE_SPANS * float(caps.max())  # by which the tables of last turns are longer
            max_length = negligible_points + spare_points
        seconds = LARGE_TURN_SECONDS * turn.choice_count * mean_length * state_count**2
        window_rows = LARGE_TURN_WINDOW_ROWS * threads
        table_bytes = VALUE_BYTES * LANES * len(turn.modes) * (max_length + window_rows)
        turn_bytes = LARGE_TURN_CHOICE_BYTES * turn.choice_count
        return SolveCost(bytes=table_bytes + turn_bytes, seconds=seconds / threads)

    def _estimate_cost_for(self, threads: int, past_totals: float) -> SolveCost:
        """Estimate the cost of a solve in which a number of totals past the target have states.

        Args:
            threads: the number of threads that share the work.
            past_totals: how many totals past the target have states, because of a last round.
        """
        state_count, caps = self.estimate_sizes()
        span = float(self.states.target - self.states.lowest_score)
        takeover_dice = self.rules.dice if self.rules.take_over != "none" else 0
        size = _TableSize(
            states=state_count, caps=caps, span=span, past_totals=past_totals, takeover_dice=takeover_dice
        )
        seconds = self._estimate_seconds(size)
        # In each of the state_count**2 turns, a roll near the cap may lead up to max_added_points past it.
        seconds += POINTS_PAST_CAP_SECONDS * state_count**2 * self.states.turn.max_added_points
        return SolveCost(
            bytes=self._estimate_table_bytes(size) + self._estimate_working_bytes(size), seconds=seconds / threads
        )

    def _estimate_table_bytes(self, size: _TableSize) -> float:
        """Estimate the memory of the tables of all states, in bytes.

        Args:
            size: the size of the race.
        """
        # Values by the opponent's state and by what the mover leaves (a column): a total, from the lowest score to the
        # end of the longest turn; and a state if busts in a row count, because a total does not tell these.
        columns = size.span + size.max_cap + size.points_beyond_cap
        if self.states.bust_count_limit > 1:
            columns += size.states
        table_bytes = BOUNDS_BYTES * size.states * columns
        # Values of offers: an opponent h above the lowest score can have banked 1, ..., h points in the last turn. For
        # h = 0, ..., span - 1 these are span (span - 1) / 2 offers.
        offers = size.span * (size.span - 1) / 2
        table_bytes += BOUNDS_BYTES * size.states * size.takeover_dice * offers
        if size.past_totals:  # chances of last turns that take over, by SCORE_CASES, lead, points and dice
            leads = 2 * size.span - 1
            max_points = size.span + size.past_totals
            table_bytes += BOUNDS_BYTES * SCORE_CASES * leads * max_points * size.takeover_dice
        return table_bytes

    def _estimate_working_bytes(self, size: _TableSize) -> float:
        """Estimate the memory, in bytes, that is in use only while a layer is solved.

        Args:
            size: the size of the race.
        """
        turn = self.states.turn
        # The table of the longest turn has a row for each number of turn points from 0 on. The last row with a choice
        # is ``most_points``, and one roll from there reaches the last row.
        most_points = size.max_cap + size.points_beyond_cap
        rows = 1 + most_points + turn.max_added_points
        # Payoffs of banks by the dice left, 0 included; the kernel of monotone turns needs no such copies.
        bank_copies = 1 if is_monotone(turn) else size.takeover_dice + 1
        # A layer is the pairs of states with one sum of scores. A state of the mover has few partners in it, and
        # LANES_PER_STATE is a rough number of them.
        lanes_of_largest_layer = LANES_PER_STATE * size.states
        working_bytes = float(VALUE_BYTES) * lanes_of_largest_layer * rows * LAYER_ARRAYS * bank_copies
        if self.rules.finish == "last_round":
            axis_length = LAST_ROUND_SPANS * size.span  # of both axes of the tables of last turns
            working_bytes += VALUE_BYTES * LAST_ROUND_ARRAYS * axis_length**2
        # The kernel's tables of turns: (lanes, modes, rows).
        turn_tables = TAKEOVER_TURN_TABLES if size.takeover_dice else 1
        working_bytes += BOUNDS_BYTES * LANES * len(turn.modes) * rows * turn_tables
        return working_bytes

    def _estimate_seconds(self, size: _TableSize) -> float:
        """Estimate the time, in seconds, that one thread takes for all turns: that of their choices, times factors.

        Args:
            size: the size of the race.
        """
        seconds = CHOICE_SECONDS * self._estimate_choices(size)  # these choices end at the caps
        # In a last round points can be taken over. Then the table of a turn is longer than its cap, and takes as much
        # longer.
        seconds *= 1 + size.points_beyond_cap / size.max_cap
        if self.rules.finish == "last_round":
            seconds *= LAST_ROUND_FACTOR
        seconds *= self._estimate_cache_factor(size)
        rules_factor = TAKEOVER_FACTOR if self.rules.take_over != "none" else 1.0
        if self.states.has_losses:
            rules_factor *= LOSS_FACTOR
        seconds *= rules_factor
        has_race_kernel = is_monotone(self.states.turn)  # otherwise the slower reference solver solves the race
        return seconds if has_race_kernel else seconds * REFERENCE_FACTOR

    def _estimate_cache_factor(self, size: _TableSize) -> float:
        """Estimate how much longer a race takes if the table of a turn is too large for the caches of a processor.

        Args:
            size: the size of the race.
        """
        large_turn_factor = self.states.large_turn_factor
        if large_turn_factor == 1:  # the table fits into caches
            return 1.0
        # In a last round such a table also has rows for the totals past the target.
        mean_cap = float(size.caps.mean())
        return large_turn_factor * (1 + size.past_totals / mean_cap)

    def _estimate_choices(self, size: _TableSize) -> float:
        """Estimate the work in all turns, up to their caps, in comparisons of one choice.

        Args:
            size: the size of the race.
        """
        turn = self.states.turn
        # Caps depend on the mover's score. Each score stands for ``bust_count_limit`` states of the mover, and each of
        # these meets every state of the opponent.
        caps_of_all_turns = size.states * float(size.caps.sum()) * self.states.bust_count_limit
        if not is_monotone(turn):
            # The reference solver takes these turns. It looks at every choice at all turn points, and filling in a
            # payoff costs as much as REFERENCE_PAYOFF_CHOICES choices.
            return (turn.choice_count + REFERENCE_PAYOFF_CHOICES) * caps_of_all_turns
        # The race kernel skips turn points that cannot occur, and has further work that is done once for each turn.
        choices_per_points = self.states.mean_choice_count(int(size.max_cap)) + PAYOFF_CHOICES
        return choices_per_points * caps_of_all_turns + self._estimate_choices_per_turn() * size.states**2

    def _estimate_choices_per_turn(self) -> float:
        """Estimate the work in one turn that does not grow with its cap, in comparisons of one choice.

        The choices of every roll are prepared once. Past the cap, forced modes (those without a stop) are solved by
        value iteration: ``forced_passes`` passes over them, at each of the up to ``max_added_points`` numbers of turn
        points past the cap that a choice can lead to.
        """
        turn = self.states.turn
        if turn.forced_passes <= 1:  # a single pass is part of the usual work past the cap
            return float(turn.choice_count)
        visits = turn.forced_passes * turn.max_added_points * turn.forced_mode_count
        forced_choices = CHOICES_PER_FORCED_VISIT * visits
        return float(turn.choice_count + forced_choices)

    # --- Solution

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the mover's chance to win for all pairs of own states, and for all takeover offers.

        Args:
            threads: the number of threads.
            progress: called with the fraction of the work that is done.

        Returns:
            A value table with the arrays
            - ``scores`` (scores,): the scores in points;
            - ``win`` (states, states): the mover's chance, by the mover's and the opponent's state. A state is a score
              and, if they count, the busts in a row;
            - ``taken`` (states, offers, dice), if turns can be taken over: by the mover's state, the offer
              (``RaceModel.offer_states``), and the dice left less 1.

        Raises:
            SolveError: the values did not settle, or their error bound is too large.
        """
        from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE  # answers from a table need no solver
        from .race_solver import solve_race

        race = self.model
        state_count = len(self.states)
        if is_monotone(self.states.turn):  # the race kernel solves no other turns
            solution = solve_race(race, threads=threads, progress=progress)
            win, offer_values, bound = solution.win, solution.taken, solution.error_bound
        else:
            values, bound = self.solve_by_reference(threads, progress)
            # States without an offer come first, by the mover's and the opponent's state. From ``state_count`` on, the
            # latter is the total of an opponent who has finished. Such last turns are not stored.
            line_values = values[: race.lines].reshape(state_count, race.width)
            win = np.ascontiguousarray(line_values[:, :state_count])
            offer_values = values[race.lines :].reshape(state_count, -1, race.dice) if race.dice else None
        if not bound <= MAX_ERROR_BOUND:  # NaN is refused too
            raise SolveError(NO_BOUND_MESSAGE)
        arrays = {"scores": self.scores, "win": win}
        if offer_values is not None:
            arrays["taken"] = offer_values
        return ValueTable(arrays, bound)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the arrays of a value table; ``solve`` says what they hold."""
        race = self.model
        state_count = len(self.states)
        specs = {"scores": ArraySpec.fixed(self.scores), "win": ArraySpec((state_count, state_count))}
        if race.dice:
            specs["taken"] = ArraySpec((state_count, race.offers, race.dice))
        return specs

    def read(self, value_table: ValueTable, numbers: Ints) -> Doubles:
        """Return the mover's chance to win in the states with these numbers: an array of the shape of ``numbers``.

        The numbers below ``race.lines`` are states without a takeover offer, by the mover's and the opponent's own
        state; those with an offer follow. The value table has no last turns, in which the opponent has finished; their
        chances come from the last round.
        """
        race = self.model
        states = self.states  # of one player
        state_count = len(states)
        # First read every number as a line of two own states. Clipped indices have wrong values, which are replaced.
        lines = np.minimum(numbers, race.lines - 1)
        mine, theirs = np.divmod(lines, race.width)  # the two digits of a line
        values: Doubles = value_table.arrays["win"][mine, np.minimum(theirs, state_count - 1)]
        if race.last_round:
            points_past_target = theirs - state_count  # of an opponent who has finished; negative for an own state
            opponent_totals = states.target + np.maximum(points_past_target, 0)
            chances_in_last_turn = race.last_round.win_chance(states.score[mine], opponent_totals)
            values = np.where(points_past_target >= 0, chances_in_last_turn, values)
        has_offer = numbers >= race.lines
        if has_offer.any():
            values_of_offers = value_table.arrays["taken"].reshape(-1)  # in the order of the states with an offer
            values_if_offer = values_of_offers[np.maximum(numbers - race.lines, 0)]
            values = np.where(has_offer, values_if_offer, values)
        return values

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns.

        Without a last round it is that of the value table. With one the table of a turn may be longer than in the
        solve, and round more.

        Args:
            value_table: the value table with its error bound.
            lanes: the turns, of which only the cap is read.
        """
        rounding_of_longer_table = turn_rounding_bound(self.states.turn, lanes.cap) if self.model.last_round else 0.0
        return value_table.error_bound + rounding_of_longer_table

    # --- Turns

    def max_stopping_points(self, value_table: ValueTable) -> int:
        """Return the turn points, in points, at which the longest table of a turn ends.

        It is that of a turn from the lowest score against the highest one.
        """
        lowest_score = int(self.scores[0])
        highest_score = int(self.scores[-1])
        start = self.playable.turn_start((lowest_score, highest_score), seat=0, turns_left=0)  # no limit of turns
        return self.stopping_points(value_table, start)

    def _opponent_state(self, position: PushPosition) -> int:
        """Return the own state (score and busts in a row) of the opponent of the player to move."""
        busts = position.busts[1 - position.seat] if position.busts else 0
        return self.states.number(position.opponents[0], busts)

    def state_number(self, position: PushPosition) -> int:
        """Return the state of a position at the start of a turn, with or without a takeover offer."""
        own_state = self.states.number(position.score, position.bust_count)
        line = self.model.number(own_state, self._opponent_state(position))
        if not position.offered:
            return int(line)
        points, dice = position.offered
        offered_units = np.array(points // self.rules.grain)
        return int(self.model.offer_states(line, offered_units, dice))

    def turn_caps(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> Caps:
        """Return by start the turn points, in units, at which the table of its turn ends.

        Args:
            value_table: not needed.
            starts: positions at the start of a turn.
            min_points: turn points, in units, that the tables have to include. With a last round they make them longer.
        """
        mine, opponent_scores = self._states_and_opponents(starts)
        return self._caps_by_lane(mine, opponent_scores, min_points)

    def _states_and_opponents(self, starts: Sequence[PushPosition]) -> tuple[Ints, Ints]:
        """Return by start of a turn the mover's own state, and the opponent's score in units."""
        mine = [self.states.number(start.score, start.bust_count) for start in starts]
        opponent_scores = [start.opponents[0] // self.rules.grain for start in starts]
        return np.array(mine), np.array(opponent_scores)

    def _caps_by_lane(self, mine: Ints, opponent_scores: Ints, min_points: int) -> Caps:
        """Return the turn points, in units, at which the tables of turns end: (lanes,).

        Args:
            mine: (lanes,) the movers' own states.
            opponent_scores: (lanes,) the opponents' scores, in units; from the target on, the mover has a last turn.
            min_points: turn points, in units, that the tables have to include. It matters only with a last round: other
                tables go on to the points that end the race, and no turn needs more.
        """
        race = self.model
        states = self.states  # of one player
        caps = states.caps[mine].astype(np.int64)  # the points that reach the target
        if race.last_round:
            is_last = opponent_scores >= states.target
            leads = (states.score[mine] - opponent_scores)[~is_last]
            caps[~is_last] = np.maximum(caps[~is_last], _caps_by_lead(race.last_round, leads, min_points))
            caps[is_last] = race.last_turn_caps(mine[is_last], opponent_scores[is_last])
        # No offer has more points than the largest cap of the solve.
        return race.with_room_for_offers(caps, largest_offer=race.max_cap).astype(np.int32)

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions, one lane for each, with tables up to ``turn_caps``.

        Args:
            value_table: the value table that the payoffs are read from.
            starts: positions at the start of a turn; last turns may be among them.
            min_points: turn points, in units, that the tables of the turns have to include.
        """
        race = self.model
        mine, opponent_scores = self._states_and_opponents(starts)
        caps = self._caps_by_lane(mine, opponent_scores, min_points)
        largest_bank = race.largest_bank(int(caps.max()))
        transitions_by_lane = [self._transitions_of_turn(start, largest_bank) for start in starts]
        joined = Transitions(
            constant=np.concatenate([transitions.constant for transitions in transitions_by_lane], axis=1),
            state=np.concatenate([transitions.state for transitions in transitions_by_lane], axis=1),
        )
        payoff = race.payoffs(partial(self.read, value_table), joined)[None]  # (1 channel, endings, lanes)
        return race.make_lanes(payoff, caps)

    def _transitions_of_turn(self, start: PushPosition, largest_bank: int) -> Transitions:
        """Return where the endings of one turn lead: transitions (endings, 1 lane).

        The endings are special ones, then banks of 0, 1, ..., ``largest_bank`` points that leave no dice, then the same
        banks for each number of dice left that can be taken over.

        Args:
            start: the position at which the turn begins. It is a last turn if the opponent has reached the target.
            largest_bank: the most points of a bank, in units, as ``RaceModel.largest_bank`` returns them.
        """
        race = self.model
        mine, opponent_score = self._states_and_opponents([start])  # (1,) each
        if opponent_score[0] >= self.states.target:
            transitions = race.last_turn_transitions(mine, opponent_score, largest_bank)
        else:
            transitions = race.transitions(race.number(mine, self._opponent_state(start)), largest_bank)
        # The model lists banks at least up to the cap of the solve. So does ``largest_bank`` with take-over. Without
        # take-over there is a single list of banks, whose last ones may have to be cut off.
        ending_count = SPECIAL_ENDING_COUNT + (largest_bank + 1) * (race.dice + 1)
        return Transitions(transitions.constant[:ending_count], transitions.state[:ending_count])


def _estimate_negligible_points(turn: SingleChoiceTurn) -> float:
    """Estimate the points, in units, that a turn adds with a chance of TRUNCATION.

    The chance to add points falls geometrically, so the chance to add the first few tells how fast.

    Args:
        turn: the turn.
    """
    chances = chance_to_add(turn, SAMPLED_POINTS)  # to add 0, 1, ... points
    most_points, smallest_chance = len(chances) - 1, float(chances[-1])
    halvings_per_point = -math.log2(smallest_chance) / most_points  # how often a point halves the chance
    return -math.log2(TRUNCATION) / halvings_per_point


def _caps_by_lead(last_round: LastTurns, leads: Ints, min_points: int) -> Ints:
    """Return the turn points, in units, at which the tables of turns that may begin the last round end: (lanes,).

    A player who goes on past the target makes the last turn of the opponent harder. How far that can pay depends on the
    lead only, so the cap is computed once for each lead.

    Args:
        last_round: the last turns of the race.
        leads: (lanes,) the mover's score minus the opponent's, in units.
        min_points: turn points, in units, that the tables have to include.
    """
    distinct_leads, lead_index = np.unique(leads, return_inverse=True)  # leads == distinct_leads[lead_index]
    caps = [last_round.cap(lead, min_points) for lead in distinct_leads.tolist()]
    return np.array(caps, dtype=np.int64)[lead_index]


class PushSoloProblem(PushTableProblem):
    """A single player: the fewest expected turns to the target, or the best chance to reach a goal in some turns.

    Attributes:
        turns: the number of turns in which the goal has to be reached; 0 for the fewest expected turns.
        objective: ``turns`` or ``reach``; also the name of the array of results in a value table.
        rules: the rules of the turn.
        states: the states of the player.
        scores: (scores,), those below the goal, in points.
        model: the transition model; its states are numbered by turns left, then by the player's own state.
    """

    def __init__(self, playable: PushGame) -> None:
        """Set up the problem of a single player.

        Args:
            playable: the game as it is played; its parameters tell the goal and the turns.

        Raises:
            InputError: from some scores the target can never be reached.
        """
        super().__init__(playable)
        self.turns = self.parameters.get("turns", 0)

    @cached_property
    def model(self) -> SoloModel:
        """The transition model."""
        return SoloModel(self.states, self.turns)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the fewest expected turns, or the best chance to reach the goal, from all states.

        Args:
            threads: the number of threads.
            progress: called with the fraction of the work that is done.

        Returns:
            A value table with the arrays
            - ``scores`` (scores,): the scores in points;
            - ``turns`` (states,): the expected turns; or ``reach`` (turns + 1, states): the chance, by turns left.

        Raises:
            SolveError: the expected turns did not settle, or their error bound is too large.
        """
        values, bound = self.solve_by_reference(threads, progress)
        if not self.turns and bound > MAX_TURNS_BOUND:
            raise SolveError("reaching the target takes too many turns for a useful error bound")
        shape = self.array_specs()[self.objective].shape
        results = self.seat_shares(values.reshape(shape))  # V itself for chances, minus V for expected turns
        return ValueTable({"scores": self.scores, self.objective: results}, bound)

    def read(self, value_table: ValueTable, numbers: Ints) -> Doubles:
        """Return V of the states with these numbers: the chance to reach the goal, or minus the expected turns."""
        results = value_table.arrays[self.objective].reshape(-1)  # by number of the state
        return self.seat_shares(results[numbers])

    def seat_shares(self, values: Doubles) -> Doubles:
        """Convert values V to what is reported, or the reverse: a chance is V itself, expected turns are minus V."""
        return values if self.turns else -values

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the arrays of a value table; ``solve`` says what they hold."""
        state_count = len(self.states)
        chances = ArraySpec((self.turns + 1, state_count))  # from 0 to 1, as always unless a range is given
        expected_turns = ArraySpec((state_count,), lower=1, upper=math.inf)  # at least one turn
        return {
            "scores": ArraySpec.fixed(self.scores),
            self.objective: chances if self.turns else expected_turns,
        }

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory of a solve: of one turn for each state.

        Args:
            threads: not needed; the time is that of one thread.
        """
        own_state_count, caps = self.estimate_sizes()
        turn = self.states.turn
        filled_rows = turn.max_added_points
        # Filling in the payoffs of a row takes the time of some choices. In large turns every choice takes longer.
        choices_per_row = (turn.choice_count + SOLO_PAYOFF_CHOICES) * self.states.large_turn_factor
        size = _SoloSize(
            states=own_state_count,
            compared_rows=float(caps.mean()),
            filled_rows=filled_rows,
            most_rows=float(caps.max()) + filled_rows,
            choices_per_row=choices_per_row,
        )
        seconds, working_bytes = self._estimate_reach(size) if self.turns else self._estimate_expected_turns(size)
        table_bytes = VALUE_BYTES * own_state_count * (self.turns + SOLO_SPARE_TABLES)
        return SolveCost(bytes=table_bytes + working_bytes, seconds=seconds)

    def _estimate_reach(self, size: _SoloSize) -> tuple[float, float]:
        """Estimate the seconds of a solve for the chance to reach a goal, and the bytes besides the value table.

        All states with the same number of turns left are one layer, solved side by side in lanes.

        Args:
            size: the size of the problem.
        """
        lanes = size.states * self.turns  # of all layers
        seconds = CHOICE_SECONDS * size.choices_per_row * lanes * size.compared_rows
        seconds += REACH_POINTS_SECONDS * lanes * size.filled_rows
        # A layer has some arrays with a number for each row and lane: payoffs, transitions and temporary ones.
        layer_bytes = VALUE_BYTES * (LAYER_ARRAYS * size.states * size.most_rows)
        return seconds, layer_bytes

    def _estimate_expected_turns(self, size: _SoloSize) -> tuple[float, float]:
        """Estimate the seconds of a solve for expected turns, and the bytes besides the value table.

        The kernel always works on LANES lanes, but states are solved one by one. So each takes the time of LANES.

        Args:
            size: the size of the problem.
        """
        lanes = LANES * size.states
        seconds = SOLO_CHOICE_SECONDS * size.choices_per_row * lanes * size.compared_rows
        seconds += SOLO_POINTS_SECONDS * lanes * size.filled_rows
        if self.states.has_losses:
            seconds *= SOLO_LOSS_FACTOR
        doubles_per_lane_and_row = SOLO_TABLES_PER_MODE * len(self.states.turn.modes) + SOLO_EXTRA_COLUMNS
        block_bytes = VALUE_BYTES * (LANES * size.most_rows * doubles_per_lane_and_row)
        return seconds, block_bytes

    def state_number(self, position: PushPosition) -> int:
        """Return the state of a position at the start of a turn: the own state, and the turns left if they count."""
        own_state = self.states.number(position.score, position.bust_count)
        if not self.turns:
            return own_state
        return position.turns_left * len(self.states) + own_state

    def max_stopping_points(self, value_table: ValueTable) -> int:
        """Return the turn points, in points, at which the longest table of a turn ends."""
        return int(self.states.caps.max()) * self.rules.grain
