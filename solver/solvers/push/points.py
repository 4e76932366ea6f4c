"""The greatest expected points of one turn, and of turns on average in the long run.

- ``points``: the payoff of a bank of t points is t if the bank counts, otherwise 0. Points have no bound, but from some
  level on stopping is optimal (``stopping_level``). The table of the turn ends a few rolls beyond that level.
- ``rate``: the average points of a turn if busts in a row cost points. This is an average-reward Markov decision
  process. Let h_k be the relative value of a turn that begins after k busts in a row, with h_0 = 0, and g the rate:

      g + h_k = f(h_next(k) - cost_k),  f(z) the value of a turn for points with a bust worth z.

  A bust can be worth more than nothing if the next ones cost less. The stopping level rises with z;
  ``PushRateProblem.max_bust_value`` bounds z in advance. f is a maximum of linear functions whose slope is the
  probability of a bust. The solver is policy iteration. For any h the rate lies between the minimum and the maximum
  over k of f(...) - h_k (Odoni 1969), which gives the error bound.

Start reading at ``PushPointsProblem.solve``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...core.push import LANES
from ...games.push_rules import WIPE
from ...play.push import PushGame, PushPosition
from ...turns.exact_turn import solve_turn_exactly
from ...turns.push_turn import BUST, Doubles, PushTurn, Roll, TurnValue
from ...turns.push_turn import TurnChoice as TurnChoice
from ...turns.single_choice_turn import SingleChoiceTurn
from ...util.errors import InputError, SolveError, argument
from ...util.progress_reporting import ProgressCallback
from ..distribution import Distribution
from ..problem import ArraySpec, ValueTable
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import SolveCost
from ..turn_lanes import TurnLanes, join_lanes
from .last_round import chance_to_add
from .problem import PushProblem

MAX_POLICIES = 200  # of policy iteration
MAX_GAIN_STEPS = 10_000  # of value iteration, for the points of rolls that cannot bust
TYPICAL_POLICIES = 8  # of policy iteration for the rate, its bound included, to estimate its time
FORCED_ROLLS = 40  # the fewest rolls in a row that a table has room for, in modes that nobody stops in
LOG2_TRUNCATED = 40  # such rolls have room until a further one has a probability of at most 2**-40
SPARE_ROLLS = 3  # rolls beyond the stopping level that the table of any turn has room for, as a margin
CHOICE_SECONDS = 1.5e-9  # empirical: a choice at one number of turn points, all passes included
POINTS_SECONDS = 7e-7  # empirical: a number of turn points in a turn's table, besides its choices
CLASS_SECONDS = 6e-7  # empirical: a roll class at one number of turn points, if a roll can win at once
TABLES_BY_MODE = 2  # doubles for each mode, turn points and lane: the kernel's table, and the copy that it returns
EXTRA_COLUMNS = 3  # further doubles for each number of turn points and lane: the payoffs of banks, and copies of them
TURN_KINDS = 2  # a turn before the player's first bank, and one after it
VALUE_BYTES = 8  # of one double
MIN_PROGRESS = 2.0**-40  # least probability that a turn changes anything, for doubles to resolve it
FIRST_ADDED_POINTS = 64  # points in the first table that is tried, of a truncated turn
MAX_TRUNCATION = 2.0**-40  # most points that the truncation of such a turn may cost
SPARE_BUST_POINTS = 1e-6  # points added to the value of a bust, to bound the probability of a bust
HARDLY_ENDS = (
    "a roll that cannot bust is almost always followed by another one, so a turn hardly ever ends; make more rolls bust"
)
MAX_STAY_CHANCE = Fraction(99, 100)  # probability that a roll that cannot bust leads to another such roll
ENDLESS_TURN = "a player may roll on without end, and only turns that end by the rules have a distribution"
MAX_EXACT_COMPARISONS = 1_000_000  # choices at all turn points, of a turn that is solved in fractions: ten seconds
MAX_EXACT_ABOVE = 200  # the most turn points of such a turn, in units, if they are bounded: it is solved by recursion
FORBIDDEN_BANK = -(10**12)  # worth less than any ending that is allowed
GAIN_TOLERANCE = 1e-9  # relative change from which value iteration for the gains of safe rolls has settled
GAIN_MARGIN = 1.01  # factor that makes a settled iterate an upper bound; it is checked


class _WinningClass(NamedTuple):
    """A roll class with the rolls in it that would win at once.

    Attributes:
        weight: the weight of the class.
        wins: the weight of the winning rolls in it.
        choices: the choices that go on with the turn.
    """

    weight: int
    wins: int
    choices: list[TurnChoice]


class _WinningRolls(NamedTuple):
    """The contribution of the rolls of one mode to the probability of a roll that wins at once.

    Attributes:
        classes: the roll classes in which a roll wins or the turn goes on.
        void_wins: the weight of winning rolls that otherwise count for nothing. Such a *void* roll is made again, so it
            is in no roll class.
        total_weight: the weight of all roll classes and of ``void_wins``.
    """

    classes: list[_WinningClass]
    void_wins: int
    total_weight: int


class _TurnsAfterBusts(NamedTuple):
    """Turns that begin after 0, 1, ... busts in a row.

    Attributes:
        values: the expected points, what a bust is worth included.
        bust_chances: the probability of a bust.
    """

    values: Doubles
    bust_chances: Doubles


class PushPointsProblem(PushProblem):
    """The greatest expected points of one turn, before the first bank and after it; no target and no opponents.

    A roll that wins at once scores as ordinary dice here. Its probability is a separate result.

    From the *stopping level* on, in turn points, stopping is optimal in every mode where it is allowed. A *run* is the
    modes of one group in which no player stops, because no stop is offered or nothing can be lost.

    Attributes:
        playable: the game as it is played.
        rules: the rules of the turn; ``rules.turn`` is the turn model.
        states: the states of one player.
        wins: the rolls that win at once.
        bust_count_limit: how many numbers of busts in a row are told apart, 0 included; 1 if busts cost nothing.
        max_bust_value: the greatest possible value of a bust, in points.
    """

    has_distribution = True
    value_span = " a turn"

    def __init__(self, playable: PushGame) -> None:
        """Take from the rules the rolls that win at once, and how many busts in a row are counted.

        Args:
            playable: the game as it is played.
        """
        super().__init__(playable)
        self.wins = [special for special in playable.game.data.specials if special.effect == "win"]
        costs_by_count = self.rules.bust_costs  # by busts in a row; empty if busts cost nothing
        self.bust_count_limit = len(costs_by_count) or 1

    def value_span_at(self, position: PushPosition) -> str:
        """Return ``value_span``; it says if the first bank, which needs more points, is still to come."""
        span = super().value_span_at(position)
        is_first_bank_higher = self.rules.opening > self.rules.minimum and position.score == 0
        return f"{span} before the first bank" if span and is_first_bank_higher else span

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory of a solve from the cap of a turn, which is high if rolls hardly ever bust.

        A turn compares all its choices at each number of turn points in its table: those up to the cap, and as many
        past it as one roll can add.

        Args:
            threads: not used, because there are only a few turns.
        """
        turn = self.rules.turn
        point_counts = float(self._longest_cap)
        point_counts += turn.max_added_points
        seconds = point_counts * (TURN_KINDS * CHOICE_SECONDS * turn.choice_count + POINTS_SECONDS)
        seconds *= self.states.large_turn_factor
        if self.wins:  # the probability of such a roll is computed in Python, by roll class
            turn_count = TURN_KINDS * self.bust_count_limit
            seconds += turn_count * CLASS_SECONDS * point_counts * turn.class_count
        doubles_per_points = TABLES_BY_MODE * len(turn.modes) + EXTRA_COLUMNS
        return SolveCost(bytes=VALUE_BYTES * LANES * point_counts * doubles_per_points, seconds=seconds)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the most expected points of a turn, before the player's first bank and after it.

        Args:
            threads: not used, because there are only a few turns.
            progress: called with the fraction of the work that is done.

        Returns:
            A value table with the array ``points``, (2,) or (2, busts in a row): before the first bank (index 0) and
            after it (index 1). If a roll can win at once, ``wins_at_once`` of the same shape is the probability that a
            turn makes such a roll.
        """
        shape = self.array_specs()["points"].shape
        bust_counts = range(self.bust_count_limit)  # busts in a row before a turn
        lanes = [
            self.make_lane(has_banked, min_points=0, bust_count=bust_count)
            for has_banked in (False, True)
            for bust_count in bust_counts
        ]
        solved_turns = [lane.solve() for lane in lanes]
        start_values = np.array([solved.value[0, 0] for solved in solved_turns])  # channel 0, lane 0
        points = self.seat_shares(start_values)  # what is maximized, converted to points
        arrays = {"points": points.reshape(shape)}
        if self.wins:
            chances = []
            for number, (lane, solved) in enumerate(zip(lanes, solved_turns, strict=True)):
                turn_progress = _part_progress(progress, number, len(lanes))
                chances.append(self._compute_win_chance(lane, solved, turn_progress))
            arrays["wins_at_once"] = np.array(chances).reshape(shape)
        return ValueTable(arrays, max(self._bound_rounding(lane) for lane in lanes))

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns, in points: of rounding, and of the end of the table."""
        return self._bound_rounding(lanes)

    @cached_property
    def max_bust_value(self) -> float:
        """The greatest possible value of a bust, in points: 0, because a bust brings no points."""
        return 0.0

    def _bound_rounding(self, lane: TurnLanes) -> float:
        """Return the error bound of values from a lane, in points: of rounding, and of the end of the table.

        Rounding grows with the largest points in the lane.
        """
        largest_bank = float(lane.bank_payoffs[-1])  # the bank of the most points
        largest_loss = -float(lane.payoff[0, 0].min())  # ending 0 is the bust
        max_points = max(largest_bank, largest_loss)
        return max_points * turn_rounding_bound(self.rules.turn, lane.cap) + self._bound_truncation()

    def _bound_truncation(self) -> float:
        """Return a bound of the expected points that a turn gains beyond the end of its table."""
        if self._is_truncated:  # the table ends where a turn hardly ever gets
            chances = self._chances_to_add
            chance_of_end = float(chances[-1])
            return chance_of_end * self._max_later_gain(chances) * self.rules.grain
        return self._bound_points_of_long_runs()

    def _bound_points_of_long_runs(self) -> float:
        """Return a bound of the expected points of the rolls for which a table that is not truncated has no room.

        A run is a set of modes in which nobody stops. Let there be r runs, and let q be the greatest probability that a
        roll of a run leads to the same run. Let the table have room for n rolls in each run. A turn passes its end only
        if some run takes more than n rolls. Each run does so with probability at most q^n. From there on every run
        takes at most 1 / (1 - q) rolls on average. So at most r^2 q^n / (1 - q) rolls are left out.
        """
        q = self._max_stay_chance
        if not q:
            return 0.0
        max_points_of_roll = self.rules.turn.max_added_points * self.rules.grain
        run_count = len(self._runs)
        rolls_left_out = run_count**2 * q**self._rolls_per_run / (1 - q)
        return float(max_points_of_roll * rolls_left_out)

    @property
    def _is_truncated(self) -> bool:
        """True if the table of a turn is cut at points that turns hardly reach, since the stopping level is far above.

        That is done for turns with thousands of modes.
        """
        return isinstance(self.rules.turn, SingleChoiceTurn)

    @cached_property
    def _chances_to_add(self) -> Doubles:
        """A(0), ..., A(s), where A(k) is the greatest chance, in any mode, that a turn ever adds k or more units.

        s is where a truncated table ends: the least number of units at which the end costs at most MAX_TRUNCATION. The
        cost is A(s) times the gain that follows. ``_max_later_gain`` bounds this gain by at least M + 1, and only if
        (M - 1) A(s) is small. It is for every s that passes.
        """
        size = FIRST_ADDED_POINTS
        while True:
            chances = chance_to_add(self.rules.turn, size)  # A(0), ..., A(size - 1), falling
            # What tables that end at 0, 1, ... units lose. The gain for the longest of them bounds that for the others.
            losses = chances * self._max_later_gain(chances)
            is_negligible = losses <= MAX_TRUNCATION
            if is_negligible[-1]:
                s = int(is_negligible.argmax())  # the first that is
                return chances[: s + 1]
            size += size // 2

    def _max_later_gain(self, chances: Doubles) -> float:
        """Return a bound of the mean points, in units, that a turn gains after it has reached the end of its table.

        A(k) is the greatest chance that a turn ever adds k or more points. Let a roll add at most M points, and let S
        be A(0) + ... + A(s).

        - From any mode on a turn adds at most the sum of A(k) over all k > 0 on average.
        - A turn that adds s + M - 1 + k points first adds at least s and at most s + M - 1 of them. Hence
          A(s + M - 1 + k) <= A(s) A(k), and the sum of all A is at most that of the first s + M - 1 of them, divided by
          1 - A(s).
        - These are S and M - 2 more, each at most A(s), so at most S + 1/8. Divided by 1 - A(s) it is less than 2 S.

        The end of the table counts up to M - 1 points too few, which are added.

        Args:
            chances: A(0), ..., A(s), falling from A(0) = 1. Neither A(s) nor (M - 1) A(s) may exceed 1/8.
        """
        return 2 * float(chances.sum()) + self.rules.turn.max_added_points - 1

    @cached_property
    def _runs(self) -> list[frozenset[int]]:
        """The *runs*: of each group the modes in which nobody stops, if it has any.

        Nobody stops where no stop is offered or nothing can be lost. A turn that leaves a group never returns to it, so
        it passes through every run at most once.
        """
        turn = self.rules.turn
        if self.rules.bust_above:
            return []  # turn points have a limit, and no table has to be truncated
        modes_by_group = [turn.modes_without_stop & set(group) for group in turn.groups]
        return [modes for modes in modes_by_group if modes]

    @cached_property
    def _max_stay_chance(self) -> Fraction:
        """The greatest probability that a roll in a run leads to a mode of the same run; 0 if there are no runs.

        A run is a set of modes in which nobody stops (``_runs``).

        Raises:
            InputError: it is so large that turns hardly ever end.
        """
        chances = [chance for run in self._runs for chance in self._chances_to_stay(run)]
        greatest = max(chances, default=Fraction(0))
        if greatest > MAX_STAY_CHANCE:
            raise InputError(HARDLY_ENDS)
        return greatest

    def _chances_to_stay(self, run: frozenset[int]) -> list[Fraction]:
        """Return, for each roll of the modes in ``run``, the probability that it offers a choice that stays in ``run``.

        Args:
            run: numbers of modes.

        Returns:
            The probabilities, in no particular order.
        """
        chances = []
        for mode in run:
            for roll in self.rules.turn.modes[mode].rolls:
                staying_weight = 0
                total_weight = 0
                for choices, weight in roll.classes:
                    total_weight += weight
                    if any(choice.next_mode in run for choice in choices):
                        staying_weight += weight
                chances.append(Fraction(staying_weight, total_weight))
        return chances

    @cached_property
    def _rolls_per_run(self) -> int:
        """The number of rolls in each run that the table of a turn has room for, beyond the stopping level.

        A run is a set of modes in which nobody stops. Let q be the greatest probability that a roll stays in one
        (``_max_stay_chance``). The number is the least n with q^n <= 2^-LOG2_TRUNCATED, and at least FORCED_ROLLS. It
        is 0 if q is 0.
        """
        q = float(self._max_stay_chance)
        if not q:
            return 0
        return max(FORCED_ROLLS, math.ceil(LOG2_TRUNCATED * math.log(2) / -math.log(q)))

    # --- Rolls that win at once

    def _compute_win_chance(self, lane: TurnLanes, solved: TurnValue, progress: ProgressCallback) -> float:
        """Compute the probability that a turn, played for points, rolls a combination that wins at once.

        The choices are those of the solved turn. Let w[m, t] be the probability from mode m on with t turn points. Let
        W be the weight of all rolls of m, W_c that of roll class c, and wins_c that of the winning rolls in c. If the
        player stops, w is 0. Otherwise backward induction over t gives

            w[m, t] = ( void wins + sum_c  wins_c + (W_c - wins_c) w[after the best choice of c] ) / W.

        Void wins are winning rolls that belong to no class, because they otherwise count for nothing.

        Args:
            lane: the payoffs of the turn.
            solved: the solved turn, with inner values.
            progress: called with the fraction of the work that is done.
        """
        assert solved.inner is not None
        rules, turn = self.rules, self.rules.turn
        winning_rolls = self._list_winning_rolls()
        # Lists are faster than arrays to read single numbers from.
        values = solved.inner[0, :, :, 0].tolist()  # by mode and turn points
        bank_payoffs = lane.bank_payoffs.tolist()  # by turn points
        rows = turn.row_count(lane.cap)
        chances = [[0.0] * rows for _ in turn.modes]  # w, by mode and turn points; 0 from the cap on
        for points in range(lane.cap - 1, -1, -1):
            progress(1 - points / lane.cap)
            for number, mode in enumerate(turn.modes):
                may_stop = mode.bank_ending is not None and points >= mode.min_bank
                stops = may_stop and bank_payoffs[points] >= values[number][points]
                if mode.rolls and not stops:
                    chances[number][points] = _average_win_chance(winning_rolls[number], points, values, chances)
        if not rules.chooses_dice:
            return chances[turn.start][0]
        first_mode = rules.hand_mode(self._choose_first_dice(lane, solved))
        return _average_win_chance(winning_rolls[first_mode], 0, values, chances)

    def _choose_first_dice(self, lane: TurnLanes, solved: TurnValue) -> int:
        """Return how many dice are best rolled first, if the player chooses that.

        Args:
            lane: the payoffs of the turn.
            solved: the solved turn, with inner values.
        """
        no_points = np.zeros(1, dtype=np.int64)
        # (rolls, 1 channel, 1 number of turn points, 1 lane): roll 0 of that mode rolls one die, roll 1 two dice, ...
        roll_values = self.rules.turn.roll_values(solved, lane.payoff, self.rules.dice_choice_mode, no_points)
        value_by_roll = roll_values[:, 0, 0, 0]
        return int(value_by_roll.argmax()) + 1

    def _list_winning_rolls(self) -> list[_WinningRolls]:
        """Return by mode the rolls that matter to the probability of a win at once: those that win or go on."""
        turn = self.rules.turn
        void_wins = self._weigh_void_wins()
        wins_by_class = self._weigh_wins_by_class()
        winning_rolls = []
        for number, mode in enumerate(turn.modes):
            # The only mode with several rolls is that in which the number of dice is chosen. It is not needed, because
            # each of its rolls is the roll of another mode, too.
            roll_classes = mode.rolls[0].classes if mode.rolls else ()
            classes = []
            for choices, weight in roll_classes:
                wins = wins_by_class.get((number, choices), 0)
                continuing_choices = [choice for choice in choices if choice.next_mode >= 0]
                classes.append(_WinningClass(weight=weight, wins=wins, choices=continuing_choices))
            # Void rolls count for nothing and are made again, unless they win. So they are in no roll class, and the
            # weight of those that win is added here.
            total_weight = sum(roll_class.weight for roll_class in classes) + void_wins[number]
            relevant_classes = [roll_class for roll_class in classes if roll_class.wins or roll_class.choices]
            winning_rolls.append(
                _WinningRolls(classes=relevant_classes, void_wins=void_wins[number], total_weight=total_weight)
            )
        return winning_rolls

    def _weigh_void_wins(self) -> list[int]:
        """Return by mode the weight of the *void* rolls that win the race at once.

        A void roll counts for nothing and is made again, so compiled turns leave it out of their roll classes. One that
        wins is not made again, so its weight has to be added back. There are such rolls only in games of one die
        (``PushRules.specials_of_one_turn``). With one die there are no sets, whose faces might be rolled again to
        confirm them. So ``rules.rolls``, which does not know of confirmation, lists all rolls as they stand.
        """
        rules = self.rules
        winning_rolls = {special.throw for special in self.wins}  # as face counts
        void_wins = [0] * len(rules.turn.modes)
        for next_roll in rules.rolls_with_mode:
            rolls = rules.rolls(next_roll.dice)
            void_rolls = [(roll, weight) for roll, weight in rolls if rules.special_effect(roll) == "void"]
            winning_weights = [weight for roll, weight in void_rolls if rules.face_counts(roll) in winning_rolls]
            void_wins[rules.mode_of(next_roll)] = sum(winning_weights)
        return void_wins

    def _weigh_wins_by_class(self) -> dict[tuple[int, tuple[TurnChoice, ...]], int]:
        """Return the weight of the rolls that win at once, by their mode and the choices of their roll class.

        Rolls of a mode that offer the same choices form a roll class, so mode and choices name the class.
        """
        rules = self.rules
        winning_rolls = {special.throw for special in self.wins}  # as face counts
        wins_by_class: dict[tuple[int, tuple[TurnChoice, ...]], int] = {}
        for next_roll in rules.rolls_with_mode:
            mode = rules.mode_of(next_roll)
            for roll, weight in rules.standing_rolls(next_roll):  # without rolls that are made again
                is_win = rules.face_counts(roll) in winning_rolls  # the faces decide, not which die shows them
                if is_win:
                    roll_class = (mode, rules.turn_choices(next_roll.dice, roll))
                    wins_by_class[roll_class] = wins_by_class.get(roll_class, 0) + weight
        return wins_by_class

    # --- The distribution of the points

    def require_distribution(self) -> None:
        """Raise InputError if a turn can go on without end, or has too many numbers of turn points."""
        super().require_distribution()
        if not self.ends_by_rule:
            raise InputError(f"{self.game.id} has no distribution for the objective points: {ENDLESS_TURN}")
        if self.rules.bust_above > MAX_EXACT_ABOVE * self.rules.grain:
            raise InputError(
                f"a distribution in exact fractions would take too long: a turn may hold up to"
                f" {self.rules.bust_above:,} points, and up to {MAX_EXACT_ABOVE * self.rules.grain:,} are allowed"
            )
        comparisons = self.states.comparison_count(self._most_points)
        if comparisons > MAX_EXACT_COMPARISONS:
            raise InputError(
                f"a distribution in exact fractions would take too long: it compares {comparisons:,} choices, and"
                f" up to {MAX_EXACT_COMPARISONS:,} are allowed"
            )

    @property
    def _most_points(self) -> int:
        """A bound of the turn points, in units, of a turn that the rules end after finitely many rolls."""
        if self.rules.bust_above:
            return self.rules.bust_above // self.rules.grain
        max_rolls = len(self.rules.turn.modes)  # dice are used up, so no mode comes twice
        return max(0, self.rules.turn.max_added_points) * max_rolls

    def distribution(
        self, value_table: ValueTable, position: PushPosition, progress: ProgressCallback = lambda fraction: None
    ) -> Distribution:
        """Return the exact distribution of the points of a turn under the policy with the best mean.

        Args:
            value_table: not needed; the turn is solved in fractions.
            position: the beginning of the turn.
            progress: not called.

        Raises:
            InputError: the position lies inside the turn.
        """
        if not self.playable.is_turn_start(position):
            raise InputError(f"a distribution requires a position before the first roll; leave out {argument('roll')}")
        grain = self.rules.grain
        min_bank = self.states.min_bank(position.score)  # in units; of the score it matters only whether it is 0
        small_bank = 0 if self.rules.can_end_with_nothing else FORBIDDEN_BANK  # worth less than any other ending
        # By turn points in units, what a bank is worth in points.
        banks = [units * grain if units >= min_bank else small_bank for units in range(self._most_points + 1)]
        bust = -self.rules.bust_costs[position.bust_count] if self.rules.bust_costs else 0
        special_endings = (bust, 0, 0)  # bust, win, wipe
        _, probabilities = solve_turn_exactly(self.rules.turn, banks, ending_values=special_endings)
        probability_by_points = dict[int, Fraction]()
        for ending, probability in probabilities.items():
            # An ending is the turn points of a bank, in units, or -1, -2, -3 for a special one.
            value = banks[ending] if ending >= 0 else special_endings[-1 - ending]
            # A value is what is maximized. These are not the points if the fewest points are best.
            points = int(self.seat_shares(np.array(value)))  # converts values to points
            probability_by_points[points] = probability_by_points.get(points, Fraction(0)) + probability
        return Distribution.from_probabilities(probability_by_points)

    # --- The problem

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the arrays of a value table; ``solve`` says what they hold."""
        bank_states = 2  # before the first bank, and after it
        shape = (bank_states, self.bust_count_limit) if self.rules.bust_costs else (bank_states,)
        min_points = -float(max(self.rules.bust_costs, default=0))  # costs are in points
        max_points = float(self._longest_cap * self.rules.grain)  # a cap is in units of the grain
        specs = {"points": ArraySpec(shape, min_points, max_points)}
        if self.wins:
            specs["wins_at_once"] = ArraySpec(shape, lower=0.0, upper=1.0)  # probabilities
        return specs

    def seat_shares(self, values: Doubles) -> Doubles:
        """Convert values of turns, which are maximized, to points.

        If the most points are best, the values are the points. If the fewest are best, a value counts for each die by
        how much it scores less than ``rules.max_points_per_die``, the most that a die can score. Then the points are
        those of a turn in which every die scores that much, minus the value.
        """
        if self.rules.best == "highest":
            return values
        return self.rules.max_points_per_die * self.rules.dice - values

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the expected points of a turn at its start, from the value table: for the only seat."""
        return [float(value_table.arrays["points"][self._table_index(position)])]

    def _table_index(self, position: PushPosition) -> tuple[int, ...]:
        """Return the index of a turn in the arrays of the value table: has banked, and busts in a row if they count."""
        has_banked = int(position.score > 0)
        return (has_banked, position.bust_count) if self.rules.bust_costs else (has_banked,)

    def extra_results(self, value_table: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Return, as ``wins_at_once``, the probability that the turn makes a roll that wins at once.

        It is empty if the rules have no such roll, or inside a turn.
        """
        if not self.wins or not self.playable.is_turn_start(position):
            return {}
        return {"wins_at_once": float(value_table.arrays["wins_at_once"][self._table_index(position)])}

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int:
        """Return the turn points, in points, from which on stopping is better than rolling.

        It is one unit more than the level from which stopping is optimal; at that level rolling can be as good.
        """
        bust_value = self.lanes(value_table, [start]).payoff[0, 0, 0]  # channel 0, ending 0 (the bust), lane 0
        return (self._find_level(has_banked=start.score > 0, bust_value=bust_value) + 1) * self.rules.grain

    def max_stopping_points(self, value_table: ValueTable) -> int:
        """Return the turn points, in points, from which on every turn of the game stops.

        A turn before the first bank goes on longest. It stops one unit past the level from which stopping is optimal,
        because at that level rolling can be as good. If a turn may have to roll again, or some rolls cannot bust, the
        result is the cap, where the table of the turn ends. But if more than ``bust_above`` points are a bust, nobody
        can go on for ever without a risk.
        """
        may_roll_beyond_level = self.playable.reachable_states.can_be_forced or self.rules.turn.riskless_modes
        if may_roll_beyond_level and not self.rules.bust_above:
            units = self._cap(has_banked=False, min_points=0, bust_value=self.max_bust_value)
        else:
            units = self._find_level(has_banked=False, bust_value=self.max_bust_value) + 1
        return units * self.rules.grain

    def listed_scores(self) -> list[int]:
        """Return the scores, in units, for which positions are listed: one before the first bank, and one after it.

        Turns from other scores are alike. If the first bank need not bring more points, one score is enough.
        """
        scores: list[int] = self.states.scores[self.states.scores >= 0].tolist()
        has_opening = self.states.min_bank(0) != self.states.min_bank(1)
        return scores[:2] if has_opening else scores[:1]

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions, one lane for each.

        Args:
            value_table: not needed, because the payoffs follow from the rules.
            starts: positions at the start of a turn.
            min_points: turn points, in units, that the tables of the turns have to include.
        """
        return join_lanes(
            [
                self.make_lane(has_banked=start.score > 0, min_points=min_points, bust_count=start.bust_count)
                for start in starts
            ]
        )

    def make_lane(self, has_banked: bool, min_points: int, bust_count: int = 0) -> TurnLanes:
        """Return one turn with the payoffs of its endings.

        Args:
            has_banked: whether the player has banked before; the first bank may have to bring more points.
            min_points: turn points, in units, that the table has to include.
            bust_count: busts in a row before the turn.
        """
        bust_value = -float(self.rules.bust_costs[bust_count]) if self.rules.bust_costs else 0.0
        return self._make_lane_for(bust_value, has_banked, min_points)

    def _make_lane_for(self, bust_value: float, has_banked: bool, min_points: int) -> TurnLanes:
        """Return one turn with the payoffs of its endings.

        Args:
            bust_value: what a bust is worth, in points.
            has_banked: whether the player has banked before; the first bank may have to bring more points.
            min_points: turn points, in units, that the table has to include.
        """
        rules = self.rules
        min_bank = self._min_bank(has_banked)
        cap = self._cap(has_banked, min_points, bust_value)
        banked_units = np.arange(cap + 1)
        # A bank that is too small scores nothing, or is not allowed.
        payoff_of_small_bank = 0.0 if rules.can_end_with_nothing else -np.inf
        banks = np.where(banked_units >= min_bank, rules.bank_values(banked_units), payoff_of_small_bank)
        special_endings = [bust_value, 0.0, 0.0]  # bust, win, wipe
        payoff = np.append(special_endings, banks)[None, :, None]  # (1 channel, endings, 1 lane)
        bank_count = cap + 1
        return TurnLanes(rules.turn, payoff, np.array([cap], dtype=np.int32), bank_count)

    def _min_bank(self, has_banked: bool) -> int:
        """Return the fewest points, in units, of a bank that counts: before the first bank, or after it."""
        score = 1 if has_banked else 0  # 1 stands for every score above 0
        return self.states.min_bank(score)

    def _find_level(self, has_banked: bool, bust_value: float) -> int:
        """Return the stopping level, in units: with more turn points than that, stopping is optimal wherever allowed.

        If turn points above a limit are a bust (``bust_above``), the level is one unit less than the limit. Beyond it
        are only the points of the limit itself, with which every point more is a bust. If turn points have a known
        maximum, the level is that.

        Args:
            has_banked: whether the player has banked before.
            bust_value: what a bust is worth, in points. The level rises by as much as a bust is worth more than 0.
        """
        if self.rules.max_turn_units:
            return self.rules.max_turn_units
        if self.rules.bust_above:
            return self.rules.bust_above // self.rules.grain - 1
        # Only rounding, and policies that are not the best ones yet, can value a bust higher than ``max_bust_value``.
        bust_points = min(max(0.0, bust_value), self.max_bust_value)
        bust_units = math.ceil(bust_points / self.rules.grain)
        return max(self._stopping_level + bust_units, self._min_bank(has_banked))

    @cached_property
    def _stopping_level(self) -> int:
        """Turn points, in units, from which stopping is optimal in every mode, if a bust is worth 0."""
        return stopping_level(self.rules.turn)

    @property
    def _longest_cap(self) -> int:
        """The turn points, in units, at which the longest table of a turn ends."""
        return max(self._cap(has_banked, 0, self.max_bust_value) for has_banked in (False, True))

    def _cap(self, has_banked: bool, min_points: int, bust_value: float) -> int:
        """Return the turn points, in units, at which the table of a turn ends.

        If the rules limit turn points, the end is one more than the limit. No turn has more, so ``min_points`` is less.
        For turns with thousands of modes it is ``min_points`` plus points that hardly any turn adds. Otherwise it is

            max(stopping level, min_points) + rolls beyond it * most points of a roll.

        So a turn hardly ever passes the end. If nobody may stop, the smallest bank that counts replaces the level.

        Args:
            has_banked: whether the player has banked before.
            min_points: turn points, in units, that the table has to include.
            bust_value: what a bust is worth, in points.
        """
        if self.rules.max_turn_units:
            return self.rules.max_turn_units + 1
        if self.rules.bust_above:
            limit = self._find_level(has_banked, bust_value) + 1
            return limit + 1
        if self._is_truncated:
            return min_points + len(self._chances_to_add) - 1  # the number of points that hardly any turn adds
        level = self._min_bank(has_banked) if self.rules.never_stops else self._find_level(has_banked, bust_value)
        return max(level, min_points) + self._rolls_beyond_level() * self.rules.turn.max_added_points

    def _rolls_beyond_level(self) -> int:
        """Return for how many rolls beyond the stopping level the table of a turn has room.

        They are those of each run, and some others. If nobody may stop, every roll sets at least one die aside until
        the dice are used up, so there are at most as many others as dice. Otherwise they are a few between and after
        the runs.
        """
        rolls_in_runs = len(self._runs) * self._rolls_per_run
        if self.rules.never_stops:
            return rolls_in_runs + self.rules.dice
        rolls_between_runs = max(0, len(self._runs) - 1)
        return rolls_in_runs + SPARE_ROLLS + rolls_between_runs


class PushRateProblem(PushPointsProblem):
    """The greatest average points of a turn in the long run, if busts in a row cost points.

    The *relative value* h_k says how many more points a player with k busts in a row can expect in the long run than
    one with none, so h_0 = 0. A bust after k busts in a row costs cost_k points, and leads to next(k) busts in a row.

    Attributes:
        rules: the rules of the turn, with the points that busts cost by busts in a row.
        bust_count_limit: how many numbers of busts in a row are told apart, 0 included.
    """

    has_distribution = False
    value_span = " a turn in the long run"

    @cached_property
    def max_bust_value(self) -> float:
        """An upper bound of what a bust can be worth, in points: of h_next(k) - cost_k for all k, for the optimal h."""
        greatest = 0.0
        for count, cost in enumerate(self.rules.bust_costs):
            max_relative_value = self._bound_relative_value(self._count_after_bust(count))
            greatest = max(greatest, max_relative_value - cost)
        return greatest

    def _bound_relative_value(self, count: int) -> float:
        """Return an upper bound of the optimal relative value of a turn that begins after some busts in a row.

        A player with no busts in a row can copy one who has some, roll by roll and choice by choice. Both score the
        same points, and after the first turn without a bust both have the same count. Until then they bust together,
        and the copy pays other costs. So the relative value is at most the most that the copy can have paid more than
        the original. ``len(costs)`` busts show all its values. If counts stay at the last one, both pay the same from
        then on. If they begin again, both have paid every cost once by then, so the sum is 0 again.

        Args:
            count: the number of busts in a row.
        """
        costs = self.rules.bust_costs
        original_count = count
        copy_count = 0
        extra_cost = 0.0  # what the copy has paid more than the original so far
        max_extra_cost = 0.0
        for _ in costs:
            extra_cost += costs[copy_count] - costs[original_count]
            max_extra_cost = max(max_extra_cost, extra_cost)
            original_count = self._count_after_bust(original_count)
            copy_count = self._count_after_bust(copy_count)
        return max_extra_cost

    def _count_after_bust(self, count: int) -> int:
        """Return the number of busts in a row after a bust that follows ``count`` busts."""
        any_score = 0  # the count does not depend on it
        _, next_count = self.rules.after_bust(any_score, count)
        return next_count

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory of a solve: a turn for each number of busts in a row, in every policy iteration."""
        one_turn = super().estimate_cost(threads)
        return SolveCost(bytes=one_turn.bytes, seconds=one_turn.seconds * self.bust_count_limit * TYPICAL_POLICIES)

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the greatest average points of a turn in the long run (the rate) by policy iteration.

        Args:
            threads: not used, because there are only a few turns.
            progress: not called.

        Returns:
            A value table with the array ``rate``, (busts in a row,): the rate plus the relative value h of a turn that
            begins after this number of busts. Entry 0 is the rate, because h is 0 there.
        """
        relative_values = self._iterate_policies()
        # The rate lies between the least and the greatest value of a turn less h (Odoni).
        gains = self._solve_turns(relative_values).values - relative_values
        bound = self._bound_error(relative_values, gains)
        rate = float(gains.min() + gains.max()) / 2
        return ValueTable({"rate": rate + relative_values}, bound)

    def _iterate_policies(self) -> Doubles:
        """Return the relative values h of the best policy: (busts in a row,), 0 for none.

        Each step plays the turns that are best for h, and computes the rate and the next h of these turns. It stops
        when the rate no longer grows.

        Raises:
            SolveError: the rate still grew after MAX_POLICIES policies.
        """
        relative_values = np.zeros(self.bust_count_limit)
        best_rate = -math.inf
        for _ in range(MAX_POLICIES):
            turns = self._solve_turns(relative_values)
            bust_points = turns.bust_chances * self._bust_values(relative_values)  # what busts contribute on average
            banked_points = turns.values - bust_points
            rate, next_relative_values = self._evaluate(banked_points, turns.bust_chances)
            if rate <= best_rate:
                return relative_values
            best_rate = rate
            relative_values = next_relative_values
        raise SolveError("the long-run average did not converge")

    def _bound_error(self, relative_values: Doubles, gains: Doubles) -> float:
        """Return a bound of the error of every number rate + h_k, where h_k is a relative value.

        The rate is between the least and the greatest gain, so it is off by no more than their difference, the spread.
        A relative value h_k is off by at most the spread for each turn until a turn without a bust. If a bust has at
        most the probability p, these are 1 / (1 - p) turns on average.

        Args:
            relative_values: h, by busts in a row.
            gains: by busts in a row, the value of a turn whose bust is worth what h says, minus h.

        Raises:
            SolveError: busts follow each other so often that the bound would be useless.
        """
        turns = [self._make_lane_after_busts(relative_values, count, min_points=0) for count in range(len(gains))]
        rounding = max(self._bound_rounding(turn) for turn in turns)
        spread = float(gains.max() - gains.min()) + 2 * rounding
        max_bust_chance = self._bound_bust_chance(relative_values, spread)
        error_of_rate = spread
        error_of_relative_values = spread / (1 - max_bust_chance)
        return rounding + error_of_rate + error_of_relative_values

    def _bound_bust_chance(self, relative_values: Doubles, spread: float) -> float:
        """Return a bound p of the probability of a bust, if the choices are best for h or for the optimal h.

        The more points a bust is worth, the likelier it is under the best choices. For p, busts are worth x0 points
        (SPARE_BUST_POINTS) more than h says. So p is such a bound if the optimal h is nowhere larger than this h by
        more than x0.

        To show that, let d be the most by which it is larger. Let G(x) be the most by which the value of a turn grows
        if busts are worth x points more.

        - h_k is the value of a turn minus its gain. The optimal h_k is the value of a turn minus the rate, which lies
          among the gains. The two values differ by at most G(d), so d <= G(d) + spread.
        - The slope of G is a probability of a bust, so it is at most 1. Hence x - G(x) never falls.
        - Up to x0 this slope is at most p, so x0 - G(x0) >= (1 - p) x0. It is checked that (1 - p) x0 >= spread.

        So x - G(x) is at most the spread for x = d, and at least the spread for x = x0. Hence d <= x0.

        Args:
            relative_values: h, by busts in a row.
            spread: the greatest minus the least gain (value of a turn minus h) in points, rounding included.

        Raises:
            SolveError: busts follow each other so often that the bound would be useless.
        """
        turns_at_raised_value = self._solve_turns(relative_values, extra_bust_value=SPARE_BUST_POINTS)
        max_bust_chance = float(turns_at_raised_value.bust_chances.max())
        has_too_many_busts = not max_bust_chance < 1 - MIN_PROGRESS  # also if it is not a number
        # (1 - p) x0 >= spread is checked by division, unless 1 - p is too small to divide by.
        if has_too_many_busts or spread / (1 - max_bust_chance) > SPARE_BUST_POINTS:
            raise SolveError(
                "a bust is almost always followed by another one, so the long-run average cannot be computed"
            )
        return max_bust_chance

    def _bust_values(self, relative_values: Doubles) -> Doubles:
        """Return the value of a bust, in points, by busts in a row before it: h_next(k) - cost_k after k busts.

        Args:
            relative_values: h, by busts in a row. After k busts and one more there are next(k) in a row.
        """
        next_counts = [self._count_after_bust(count) for count in range(self.bust_count_limit)]
        return np.array(relative_values[next_counts] - np.array(self.rules.bust_costs, dtype=float))

    def _make_lane_after_busts(self, relative_values: Doubles, count: int, min_points: int) -> TurnLanes:
        """Return a turn with the payoffs of its endings, in which a bust is worth what the relative values say.

        Args:
            relative_values: h, by busts in a row.
            count: busts in a row before the turn.
            min_points: turn points, in units, that the table has to include.
        """
        bust_value = float(self._bust_values(relative_values)[count])
        return self._make_lane_for(bust_value, has_banked=True, min_points=min_points)

    def _solve_turns(self, relative_values: Doubles, extra_bust_value: float = 0.0) -> _TurnsAfterBusts:
        """Solve the turns after 0, 1, ... busts in a row.

        Args:
            relative_values: h, by busts in a row.
            extra_bust_value: points by which a bust is worth more than h says.
        """
        turns = _TurnsAfterBusts(values=np.empty(self.bust_count_limit), bust_chances=np.empty(self.bust_count_limit))
        for count in range(self.bust_count_limit):
            lane = self._make_lane_after_busts(relative_values, count, min_points=0)
            payoff = np.concatenate([lane.payoff, np.zeros_like(lane.payoff)])  # (2 channels, endings, 1 lane)
            payoff[0, 0] += extra_bust_value  # ending 0 is the bust
            payoff[1, 0] = 1.0  # channel 1 counts busts
            solved = self.rules.turn.solve(payoff, lane.caps)
            turns.values[count], turns.bust_chances[count] = solved.value[:, 0]
        return turns

    def _evaluate(self, banked_points: Doubles, bust_chances: Doubles) -> tuple[float, Doubles]:
        """Compute the rate (average points of a turn in the long run) and the relative values h of a policy.

        Let b_k be the banked points, and p_k the probability of a bust, after k busts in a row. The equations are

            rate + h_k = b_k + p_k (h_next(k) - cost_k),   h_0 = 0.

        Backward substitution from the last count writes them as h_k = constant_k - slope_k * rate. After the last
        count a bust leads to h_0 = 0, or back to the last count itself. Then h_0 = 0 gives the rate.

        Args:
            banked_points: the average points of a turn that are not those of a bust, by busts in a row.
            bust_chances: the probability of a bust, by busts in a row.

        Returns:
            The rate; and (busts in a row,) h.
        """
        costs = self.rules.bust_costs
        last_count = self.bust_count_limit - 1
        constant = np.zeros(self.bust_count_limit)
        slope = np.zeros(self.bust_count_limit)
        for count in range(last_count, -1, -1):
            constant[count] = banked_points[count] - bust_chances[count] * costs[count]
            slope[count] = 1.0
            if count < last_count:
                constant[count] += bust_chances[count] * constant[count + 1]
                slope[count] += bust_chances[count] * slope[count + 1]
            elif self.rules.bust_count == "stays" and last_count > 0:
                # A bust leads back to the last count. (If 0 is the only count, it leads to h_0 = 0.)
                constant[count] /= 1 - bust_chances[count]
                slope[count] /= 1 - bust_chances[count]
        rate = float(constant[0] / slope[0])
        return rate, np.append(0.0, constant[1:] - slope[1:] * rate)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the only array of a value table; ``solve`` says what it holds."""
        return {"rate": ArraySpec((self.bust_count_limit,), -math.inf, float(self._longest_cap * self.rules.grain))}

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the rate plus the relative value of a turn at its start, from the value table: for the only seat."""
        return [float(value_table.arrays["rate"][position.bust_count])]

    def terminal_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the points of a turn that is over plus the relative value of the busts in a row after it."""
        points = float(position.ended[0])
        rates = value_table.arrays["rate"]  # the rate plus the relative value, by busts in a row
        relative_value = float(rates[position.bust_count] - rates[0])
        return [points + relative_value]

    def extra_results(self, value_table: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """Return an empty mapping: nothing is reported besides the value."""
        return {}

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns: that of the value table, plus the rounding of these turns."""
        return value_table.error_bound + self._bound_rounding(lanes)

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions, one lane for each.

        Args:
            value_table: holds the relative values, which say what a bust is worth.
            starts: positions at the start of a turn.
            min_points: turn points, in units, that the tables of the turns have to include.
        """
        rates = value_table.arrays["rate"]  # the rate plus h_k, by busts in a row
        relative_values = rates - rates[0]  # h_k, because h_0 is 0
        return join_lanes(
            [self._make_lane_after_busts(relative_values, start.bust_count, min_points) for start in starts]
        )


def _average_win_chance(
    rolls: _WinningRolls, points: int, values: Sequence[Sequence[float]], chances: Sequence[Sequence[float]]
) -> float:
    """Return the probability that the roll of a mode, or a later roll of the turn, wins at once.

    Args:
        rolls: the rolls of the mode.
        points: the turn points before the roll, in units.
        values: by mode and turn points, the values of the turn, by which the best choice of a roll is found.
        chances: by mode and turn points, the probability that a roll from there on wins at once.
    """
    wins = float(rolls.void_wins)  # weight of winning rolls that are in no class
    for class_weight, class_wins, choices in rolls.classes:
        wins += class_wins
        if choices and class_weight > class_wins:  # the other rolls of the class go on
            best = choices[0]
            if len(choices) > 1:
                best = max(choices, key=lambda choice: values[choice.next_mode][choice.points_after(points)])
            wins += (class_weight - class_wins) * chances[best.next_mode][best.points_after(points)]
    return wins / rolls.total_weight


def _part_progress(progress: ProgressCallback, part: int, part_count: int) -> ProgressCallback:
    """Return a function that takes the fraction of one part that is done, and reports that of the whole.

    Args:
        progress: called with the fraction of the whole.
        part: the number of the part, from 0 on.
        part_count: the number of parts, all of which take about as long.
    """

    def report(fraction: float) -> None:
        """Report the fraction of the whole, given that of the part."""
        progress((part + fraction) / part_count)

    return report


def stopping_level(turn: PushTurn) -> int:
    """Return the turn points, in units, from which stopping is optimal in every mode, if a bust is worth 0.

    Let a roll gain g points on average, and bust with probability p. With t turn points it loses p t on average. So
    from the largest g / p on no roll is worth making (docs/exactness.md, "Points without bound"). If a bust is worth
    z > 0, that holds from z points more on.

    In *riskless* modes no roll can bust. There F bounds the average points of all rolls up to the first one that can
    bust. So g includes F of the next mode, which is 0 if that mode is not riskless.
    """
    safe_gains = _bound_safe_gains(turn)  # F by riskless mode; refuses turns without end
    if isinstance(turn, SingleChoiceTurn) and not turn.riskless_modes:
        return turn.stopping_level  # the same number, from arrays instead of thousands of modes
    level = 0
    for number, mode in enumerate(turn.modes):
        if number in turn.riskless_modes:
            continue
        for roll in mode.rolls:
            # The weight of rolls whose only choice is to lose the turn points.
            bust_weight = sum(weight for choices, weight in roll.classes if choices in ((BUST,), (WIPE,)))
            if not bust_weight:
                # A roll without a bust is offered here only beside others, to choose how many dice to roll. Only a
                # player without turn points may choose, so this roll says nothing about stopping with points.
                continue
            weighted_gain = _sum_weighted_gains(roll, safe_gains, gain_of_risky_modes=0)
            # g and p are these sums over the total weight, which their quotient does not need. Points are whole
            # numbers, but F of riskless modes is a float.
            level = max(level, _ceil_quotient(weighted_gain, bust_weight, is_whole=not turn.riskless_modes))
    return level


def _ceil_quotient(gain: float, weight: int, is_whole: bool) -> int:
    """Return ``gain / weight`` rounded up.

    Args:
        gain: a whole number, which may be too large for a float, or a float.
        weight: the divisor.
        is_whole: whether ``gain`` is a whole number; then the quotient is exact.
    """
    if is_whole:
        quotient, remainder = divmod(int(gain), weight)
        return quotient + 1 if remainder else quotient
    return math.ceil(gain / weight)


def _sum_weighted_gains(roll: Roll, safe_gains: Mapping[int, float], gain_of_risky_modes: float) -> float:
    """Return the sum over roll classes of their weight times the most points that a choice can bring.

    Divided by the total weight, it is the average gain of the roll. A choice brings the points that it adds, and F of
    its next mode. F bounds the points that follow on average while no roll can bust.

    Args:
        roll: the roll.
        safe_gains: F by riskless mode.
        gain_of_risky_modes: F of all other modes, which is 0. The whole number 0 keeps a sum of whole points exact,
            however large it is; 0.0 makes it a sum of floats.
    """
    different_choices = {choice for choices, _ in roll.classes for choice in choices}  # many classes share a choice
    gains = {
        choice: max(0, choice.added_points) + safe_gains.get(choice.next_mode, gain_of_risky_modes)
        for choice in different_choices
    }
    return sum(weight * max(gains[choice] for choice in choices) for choices, weight in roll.classes)


def _bound_safe_gains(turn: PushTurn) -> dict[int, float]:
    """Return by riskless mode an upper bound of F, in units. F is the average points of all rolls until one can bust.

    Value iteration finds F approximately, from 0 upward. Gains that one more step does not raise are an upper bound of
    F. So the settled gains are made a little larger, and it is checked that a step does not raise them.

    Raises:
        InputError: a turn can go on for ever, or almost.
    """
    if turn.endless_modes:
        raise InputError("the rolls of a turn can score forever, so there is no best number of points to stop at")
    gains = dict.fromkeys(turn.riskless_modes, 0.0)
    for _ in range(MAX_GAIN_STEPS):
        previous_gains = gains
        gains = {mode: _best_average_gain(turn, mode, previous_gains) for mode in turn.riskless_modes}
        has_settled = all(gains[mode] <= previous_gains[mode] * (1 + GAIN_TOLERANCE) for mode in gains)
        if has_settled:
            gains = {mode: GAIN_MARGIN * gain for mode, gain in gains.items()}
            is_upper_bound = all(_best_average_gain(turn, mode, gains) <= gains[mode] for mode in gains)
            if is_upper_bound:
                return gains
            # Otherwise iterate from the larger gains. If they settle again, they are made still larger.
    raise InputError(HARDLY_ENDS)


def _best_average_gain(turn: PushTurn, mode: int, safe_gains: Mapping[int, float]) -> float:
    """Return the average points, in units, that the best roll of a mode and the riskless rolls after it bring.

    Args:
        turn: the turn model.
        mode: the number of the mode, whose choices of a roll are compared.
        safe_gains: F by riskless mode: the average points that follow until a roll can bust. It is 0 in other modes.
    """
    averages = []
    for roll in turn.modes[mode].rolls:
        total_weight = sum(weight for _, weight in roll.classes)
        averages.append(_sum_weighted_gains(roll, safe_gains, gain_of_risky_modes=0.0) / total_weight)
    return max(averages)
