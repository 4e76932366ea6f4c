"""The states of one player: a score, and the number of busts in a row.

Scores run from the lowest that busts can lead to, up to the goal. All points in this package are in units of the rules'
grain (5000: 50 points), so that arrays are dense. A turn leads from one state to another:

    a bank                    a higher score, no busts in a row
    a bust                    the same or a lower score, perhaps one more bust in a row
    a roll that wipes         score 0
    a stop that is too small  the same score, no busts in a row

Start reading at ``States.after_banks``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import WIN, WIPE, PushRules, sum_banks
from ...turns.push_turn import Caps, TurnChoice
from ...util.errors import InputError
from ..model import Ints

MAX_LISTED_TARGET = 20_000  # targets above this are estimated as if every score could occur, without listing scores
LARGE_TURN_MODES, LARGE_TURN_FACTOR = 2_000, 15.0  # empirical: Zombie Dice has 14,546 modes
# Instead of a state: an ending that is not allowed, and a total at the goal. WON - k is a total of the goal + k.
FORBIDDEN = -1
WON = -2


class States:
    """The states of a player on the way to a goal, numbered by score and then by busts in a row.

    With a goal of 3 units and two numbers of busts in a row, for example, the states are

        state            0  1  2  3  4  5
        score            0  0  1  1  2  2
        busts in a row   0  1  0  1  0  1

    A *bit set* is a whole number that stands for a set: of points, bit i is set if i is in the set; of scores, bit i
    stands for the score ``lowest_score + i``.

    Attributes:
        rules: the rules of the turn and of the race.
        turn: the turn model of these rules.
        target: the score that ends the race, in units.
        goal: the score that the player has to reach, in units; the target unless another one is asked for.
        lowest_score: the lowest score that busts can lead to, in units; 0 or below.
        is_exact: whether the target must be reached exactly.
        has_losses: whether a bust or a roll can lower the score; False if these states leave losses out.
        bust_count_limit: how many numbers of busts in a row are told apart (0, 1, ...).
        head_starts: scores above 0 that the player may have at the beginning of the game, in units.
        scores: (scores,), those below the goal that can occur, in units, ascending.
        score, busts: (states,), the score in units, and the busts in a row.
        min_banks, caps: (states,), the fewest points of a bank that counts, and the turn points at which the table of
            a turn ends.
        min_banks_by_score, caps_by_score: the same by score minus ``lowest_score``; the first for all scores below the
            target, the second for those below the goal.
        first_state_by_score: by score minus ``lowest_score``, the state with no busts in a row.
        after_bust, after_wipe: (states,), the states that a bust and a roll that wipes the score lead to.
    """

    def __init__(
        self, rules: PushRules, goal: int | None = None, has_losses: bool = True, head_starts: Sequence[int] = ()
    ) -> None:
        """Derive the sizes of the state space from the rules.

        All points are multiples of the rules' grain; one grain is one unit.

        Args:
            rules: the rules of the turn and of the race.
            goal: the goal in points; None for the target of the rules.
            has_losses: if False, busts and rolls that wipe the score cost nothing, whatever the rules say.
            head_starts: scores in points that the player may have at the beginning of the game.
        """
        self.rules = rules
        self.turn = rules.turn
        self.target = _round_up_to_units(rules.target, rules.grain)
        self.goal = self.target if goal is None else _round_up_to_units(goal, rules.grain)
        self.lowest_score = rules.bust_floor // rules.grain
        self.head_starts = sorted({points // rules.grain for points in head_starts if points})
        self.is_exact = rules.finish == "exact"
        bust_costs = rules.bust_costs  # points lost by a bust, by the busts in a row before it; empty if none are lost
        can_lose = bool(bust_costs) or rules.has_effect("wipe")
        self.has_losses = has_losses and can_lose
        self.bust_count_limit = len(bust_costs) if has_losses and bust_costs else 1

    def without_losses(self) -> States:
        """Return the states to the target, with the same head starts, if busts and rolls that wipe cost nothing."""
        head_starts = [units * self.rules.grain for units in self.head_starts]
        return type(self)(self.rules, has_losses=False, head_starts=head_starts)

    def min_bank(self, score: int) -> int:
        """Return the fewest points, in units, of a bank that counts from this score, unless it wins."""
        rules = self.rules
        points = rules.minimum if score > 0 else max(rules.opening, rules.minimum)
        return max(1, _round_up_to_units(points, rules.grain))

    def mean_choice_count(self, cap: int) -> float:
        """Return the average number of choices that a kernel compares for each number of turn points up to a cap.

        In a mode it compares all choices of its rolls once for each number of turn points that can occur there. With a
        very high target or very many modes these would take long to find. Then all are counted as if they could occur.

        Args:
            cap: the turn points at which the table of the turn ends, in units.
        """
        if self.target > MAX_LISTED_TARGET or len(self.turn.modes) >= LARGE_TURN_MODES:
            return float(self.turn.choice_count)
        return self.comparison_count(cap) / cap

    def comparison_count(self, cap: int) -> int:
        """Return how many choices a kernel compares in one turn, in all modes together.

        In a mode it compares all choices of its rolls once for each number of turn points that can occur there.

        Args:
            cap: the turn points at which the table of the turn ends, in units.
        """
        comparisons = 0
        point_sets = self.turn.reachable_points_by_mode(cap)  # bit sets
        for mode, point_set in zip(self.turn.modes, point_sets, strict=True):
            choice_count = sum(len(choices) for roll in mode.rolls for choices, _ in roll.classes)
            comparisons += choice_count * point_set.bit_count()
        return comparisons

    @property
    def large_turn_factor(self) -> float:
        """The factor by which a choice takes longer because the table of the turn does not fit into caches."""
        return LARGE_TURN_FACTOR if len(self.turn.modes) >= LARGE_TURN_MODES else 1.0

    @cached_property
    def min_banks_by_score(self) -> Ints:
        """(scores,): the fewest points, in units, of a bank that counts, by score from the lowest one on.

        Entry i is for the score ``lowest_score + i``; the target has no entry.
        """
        scores = np.arange(self.lowest_score, self.target)
        min_banks = np.where(scores > 0, self.min_bank(1), self.min_bank(0))  # 1 stands for every score above 0
        if not self.rules.minimum_on_win:  # a bank that wins counts, however small it is
            points_to_win = self.target - scores
            min_banks = np.minimum(min_banks, points_to_win)
        return min_banks

    @cached_property
    def caps_by_score(self) -> Ints:
        """(scores,): cap, the turn points at which the table of a turn ends, by score from the lowest one to the goal.

        Entry i is for the score ``lowest_score + i``; the goal has no entry. The cap is the fewest points that reach
        the goal by a bank that counts; if a turn has a known maximum, it is at most one more than that. With an exact
        finish it is one more than the points to the target, whatever the maximum: the last entry of the table is for
        too many points.
        """
        scores: Ints = np.arange(self.lowest_score, self.goal)
        if self.is_exact:
            return self.target - scores + 1
        points_to_goal = self.goal - scores
        min_banks = self.min_banks_by_score[: len(scores)]  # without the scores from the goal to the target
        caps = np.maximum(points_to_goal, min_banks)
        max_turn_units = self.rules.max_turn_units  # 0 if no maximum is known
        return np.minimum(caps, max_turn_units + 1) if max_turn_units else caps

    @cached_property
    def scores(self) -> Ints:
        """Scores below the goal that can occur, in units, ascending; all scores if busts cost points."""
        if self.rules.bust_costs:
            return np.arange(self.lowest_score, self.goal)
        # The lowest score is 0 here. So a bit set of what banks can add up to is one of scores.
        first_min_bank = self.min_bank(0)
        later_min_bank = self.min_bank(1)  # 1 stands for every score above 0
        sums = sum_banks(self._bankable_points, first_min_bank, later_min_bank, self.target)
        for head_start in self.head_starts:  # a score above 0, from which even the first bank is a later one
            points_to_target = self.target - head_start
            sums_after = sum_banks(self._bankable_points, later_min_bank, later_min_bank, points_to_target)
            sums |= sums_after << head_start
        return np.flatnonzero(lowest_bits(sums, self.goal))

    @cached_property
    def score(self) -> Ints:
        """(states,): the score of each state, in units."""
        return np.repeat(self.scores, self.bust_count_limit)

    @cached_property
    def busts(self) -> Ints:
        """(states,): the number of busts in a row of each state."""
        return np.tile(np.arange(self.bust_count_limit), len(self.scores))

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def first_state_by_score(self) -> Ints:
        """State with no busts in a row, by score minus the lowest score, in units; 0 for scores that cannot occur."""
        first = np.zeros(self.goal - self.lowest_score, dtype=np.int64)
        first[self.scores - self.lowest_score] = np.arange(len(self.scores)) * self.bust_count_limit
        return first

    def number(self, score: int, busts: int = 0) -> int:
        """Return the state of a score in points (not units) and a number of busts in a row."""
        return int(self.first_state_by_score[score // self.rules.grain - self.lowest_score]) + busts

    @cached_property
    def min_banks(self) -> Ints:
        """(states,): the fewest points, in units, of a bank that counts."""
        return self.min_banks_by_score[self.score - self.lowest_score]

    @cached_property
    def caps(self) -> Caps:
        """(states,): cap, the turn points in units at which the table of a turn that begins in the state ends."""
        return self.caps_by_score[self.score - self.lowest_score].astype(np.int32)

    @cached_property
    def after_bust(self) -> Ints:
        """(states,): the state that a bust leads to."""
        if not (self.rules.bust_costs and self.has_losses):
            return np.arange(len(self))  # no busts cost points, or these states leave losses out
        points = self.score * self.rules.grain  # the rules count points, not units
        next_states = []
        for score, busts in zip(points.tolist(), self.busts.tolist(), strict=True):
            next_score, next_busts = self.rules.after_bust(score, busts)
            next_states.append(self.number(next_score, next_busts))  # the score in points, as the rules return it
        return np.array(next_states)

    @cached_property
    def after_wipe(self) -> Ints:
        """(states,): the state that a roll that wipes the score leads to: a score of 0 and no busts in a row."""
        if not self.has_losses:
            return np.arange(len(self))  # a wipe changes nothing
        state_of_score_0 = self.first_state_by_score[-self.lowest_score]
        return np.full(len(self), state_of_score_0)

    def states_after_losses(self, successors: Sequence[Ints] | Ints) -> Ints:
        """Return the states that are read before they are solved, ascending: those that some loss leads to.

        States of higher scores, and those with more busts in a row, have higher numbers and are solved earlier. So a
        loss is a successor with a smaller number than the state that it follows.

        Args:
            successors: further states that follow each state, besides those after busts and wipes: arrays (states,), in
                which a negative entry is no state.
        """
        losses = [self.after_bust]
        if self.rules.has_effect("wipe"):
            losses.append(self.after_wipe)
        candidates = np.stack([*losses, *successors])  # (kinds of successor, states)
        is_solved_later = (candidates >= 0) & (candidates < np.arange(len(self)))
        return np.unique(candidates[is_solved_later])

    def after_banks(self, mine: Ints, size: int) -> Ints:
        """Return the mover's states after banks of 0, 1, ... points: (size, lanes).

        A bank that counts leads to the new score with no busts in a row. In place of a state, a total of the goal + k
        is WON - k, and a bank past an exact target is FORBIDDEN. A bank that is too small to count leaves the score if
        the rules let a turn end with nothing; otherwise it is FORBIDDEN, too.

        Args:
            mine: (lanes,), the mover's own states in which the turns begin.
            size: the number of banks; the largest has ``size - 1`` points.
        """
        points = np.arange(size)[:, None]
        score = self.score[mine]
        total = score + points  # (banks, lanes)
        points_past_goal = total - self.goal  # negative below the goal
        # The largest score stands in for totals from the goal on, which have no state.
        total_below_goal = np.minimum(total, self.goal - 1)
        state_below_goal = self.first_state_by_score[total_below_goal - self.lowest_score]
        after_counting_bank = np.where(points_past_goal < 0, state_below_goal, WON - points_past_goal)
        if self.is_exact:
            after_counting_bank[total > self.target] = FORBIDDEN
        if self.rules.can_end_with_nothing:
            after_small_bank = self.first_state_by_score[score - self.lowest_score]  # (lanes,)
        else:
            after_small_bank = np.full(len(mine), FORBIDDEN)
        return np.where(points < self.min_banks[mine], after_small_bank, after_counting_bank)

    @cached_property
    def _reachable_points(self) -> list[int]:
        """Turn points up to the target that can occur, by mode, as bit sets."""
        return self.turn.reachable_points_by_mode(self.target - self.lowest_score)

    @cached_property
    def _bankable_points(self) -> int:
        """Points, in units, that a turn can bank without passing the target, as a bit set."""
        if self.rules.brings_any_points:  # turns can bring every number of points
            max_points = self.target - self.lowest_score
            any_points = (1 << max_points + 1) - 1  # bits 0, 1, ..., max_points
            return _clear_bits_below(any_points, 1)
        banks = 0
        for points, mode in zip(self._reachable_points, self.turn.modes, strict=True):
            if mode.bank_ending is not None:
                banks |= points
        return _clear_bits_below(banks, 1)  # a bank of 0 points changes nothing

    @cached_property
    def dead_scores(self) -> list[int]:
        """Scores, in units, from which the target may be out of reach for ever; only an exact finish has any.

        A score is dead if some number of busts in a row goes with it from which no sequence of turns reaches the
        target.
        """
        if not self.is_exact:
            return []
        always_alive = reduce(and_, self._find_alive_scores())  # with every number of busts in a row
        scores: list[int] = self.scores.tolist()
        return [score for score in scores if not always_alive & self._bit(score)]

    def _bit(self, score: int) -> int:
        """Return the bit set of scores that contains only this one."""
        return 1 << score - self.lowest_score

    def _find_alive_scores(self) -> list[int]:
        """Return the scores from which some sequence of turns reaches an exact target.

        The sets begin with the target alone. Scores from which one turn leads into them are added until none is left.

        Returns:
            By number of busts in a row, a bit set of scores.
        """
        alive = [self._bit(self.target)] * self.bust_count_limit
        descending_scores: list[int] = self.scores.tolist()[::-1]
        next_scores = {score: self._scores_after_turn(score) for score in descending_scores}  # all but after a bust
        previous: list[int] = []
        while alive != previous:
            previous = alive.copy()
            for score in descending_scores:
                for busts in range(self.bust_count_limit):
                    is_alive_without_bust = bool(next_scores[score] & alive[0])  # these turns leave no busts in a row
                    if is_alive_without_bust or self._bust_leads_to(alive, score, busts):
                        alive[busts] |= self._bit(score)
        return alive

    def _bust_leads_to(self, score_sets: Sequence[int], score: int, busts: int) -> bool:
        """Return whether a bust changes the state, and leads to one of some states.

        Args:
            score_sets: the states, by number of busts in a row, as bit sets of scores.
            score: the score before the bust, in units.
            busts: the busts in a row before it.
        """
        if not self.rules.bust_costs:
            return False
        points_after, busts_after = self.rules.after_bust(score * self.rules.grain, busts)
        score_after = points_after // self.rules.grain
        return bool(score_sets[busts_after] & self._bit(score_after))

    def _reachable_within(self, deficit: int) -> list[int]:
        """Return by mode the turn points that can occur, as bit sets, if no more than ``deficit`` units may be held."""
        if not self.turn.is_nondecreasing:
            return self.turn.reachable_points_by_mode(deficit)
        # Turn points only grow, so no turn with more points than these comes back to them.
        up_to_deficit = (1 << deficit + 1) - 1  # the bit set of 0, 1, ..., deficit
        return [point_set & up_to_deficit for point_set in self._reachable_points]

    def _can_reach(self, ending: TurnChoice, reachable: list[int]) -> bool:
        """Return whether a turn can make a roll that offers a special ending.

        Args:
            ending: WIN, to win at once, or WIPE, to lose the score.
            reachable: the turn points that can occur, by mode, as bit sets; 0 for a mode that cannot occur.
        """
        modes_with_ending = self._modes_with[ending]  # those in which some roll offers it
        return any(points and mode in modes_with_ending for mode, points in enumerate(reachable))

    def _scores_after_turn(self, score: int) -> int:
        """Return the scores that a turn can lead to, but for a bust, on the way to an exact target: a bit set.

        These are the scores after a bank, a stop with too few points or a wipe, and the target after a win at once.

        Args:
            score: the score before the turn, in units.
        """
        reachable = self._reachable_within(self.target - score)  # by mode, as bit sets
        banks = 0  # the points with which a turn can stop, as a bit set
        for mode, points in zip(self.turn.modes, reachable, strict=True):
            if mode.bank_ending is not None:
                banks |= _clear_bits_below(points, mode.min_bank)
        index = score - self.lowest_score  # of the score in bit sets and in arrays by score
        min_bank = int(self.min_banks_by_score[index])
        counting_banks = _clear_bits_below(banks, min_bank)
        next_scores = counting_banks << index  # a bank of t points leads to the bit of score + t
        has_small_bank = banks != counting_banks
        if has_small_bank and self.rules.can_end_with_nothing:
            next_scores |= self._bit(score)  # it leaves the score
        if self._can_reach(WIPE, reachable):
            next_scores |= self._bit(0)
        if self._can_reach(WIN, reachable):
            next_scores |= self._bit(self.target)
        return next_scores

    @cached_property
    def _modes_with(self) -> dict[TurnChoice, set[int]]:
        """The modes in which some roll offers a special ending, by ending: WIN at once, or WIPE, loss of the score."""
        modes_with: dict[TurnChoice, set[int]] = {WIN: set(), WIPE: set()}
        for number, mode in enumerate(self.turn.modes):
            for roll in mode.rolls:
                for choices, _ in roll.classes:
                    for ending in modes_with:
                        if ending in choices:
                            modes_with[ending].add(number)
        return modes_with

    def refuse_dead_scores(self, consequence: str) -> None:
        """Raise an InputError if there is a dead score: one from which the target can never be reached.

        Args:
            consequence: a clause for the message, which says why a dead score is a problem.
        """
        if self.dead_scores:
            dead_points = self.dead_scores[0] * self.rules.grain
            target_points = self.target * self.rules.grain
            raise InputError(
                f"from a score of {dead_points} no player can ever reach exactly {target_points} under these rules,"
                f" and {consequence}; use finish=at_least"
            )


def _round_up_to_units(points: int, grain: int) -> int:
    """Return the number of points in units of ``grain`` points, rounded up."""
    units, remainder = divmod(points, grain)
    return units + 1 if remainder else units


def _clear_bits_below(bit_set: int, first_bit: int) -> int:
    """Return a bit set without its bits below ``first_bit``; the other bits keep their numbers."""
    return bit_set >> first_bit << first_bit


def lowest_bits(bit_set: int, size: int) -> NDArray[np.uint8]:
    """Return the ``size`` lowest bits of a bit set, the lowest first: (size,) of 0 and 1."""
    lowest = bit_set & (1 << size) - 1
    byte_count = size // 8 + 1
    packed = np.frombuffer(lowest.to_bytes(byte_count, "little"), dtype=np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little")
