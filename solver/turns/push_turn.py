"""The push-your-luck turn as a decision process, solved by backward induction over turn points for many lanes.

A *mode* is a decision point before a roll: the dice left, and flags. With t turn points the player may stop in mode m,
which ends the turn in the bank ending ``bank_m + t``, or make one of the rolls of m. All results of a roll that offer
the same choices form a *roll class*. A choice leads to a mode and adds points, or it is a special ending, such as the
bust. Let P be the payoff of the endings, w_c the weight of roll class c, and W their sum. Then

    V[m, t] = max( P[bank_m + t],  max over rolls  sum_c w_c / W  max_{j in c} V[next_j, keeps_j t + add_j] ).

The solution is unique, and one pass finds it: every V[m, t] depends only on values that the pass has found before.
Groups of modes are solved in order, and each group from the most turn points down. That suffices for three reasons:

* within a group every choice adds points, or leads to a mode that stands earlier in the group;
* all other choices lead to earlier groups, and only these may take points off (never below 0);
* from the cap on, a player who may stop does.

Channel 0 of the payoff is maximized. All other channels are evaluated along the choices that are best for channel 0.
Lanes are independent problems. Every lane sees the same operations in the same order, so the number of lanes, blocks
or threads never changes a bit.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property, reduce
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.push import LANES, MAX_CHANNELS, PushKernel
from ..util.bitsets import reachable_points
from ..util.errors import InputError

if TYPE_CHECKING:
    from ..util.threads import ThreadPool

Doubles = NDArray[np.float64]
Caps = NDArray[np.int32]
Decisions = NDArray[np.int16]

UNLIMITED_POINTS = 2**31 - 1  # the maximum of turn points in a mode that has none
MAX_EXACT_WEIGHT = 2**53  # weights from here on are rounded to doubles
MAX_ROLL_WEIGHT = 10**30  # the weights of a roll add up to less
MAX_FORCED_PROBABILITY = 0.999  # beyond it, forced rolls take too many passes
LOG2_NEGLIGIBLE = 60  # forced rolls are followed until less than 2**-60 is left
NO_BANK = -1  # the bank ending, in the kernel's arrays, of a mode that offers no stop


class TurnChoice(NamedTuple):
    """A choice after a roll: it goes on with the turn in another mode, or ends the turn in a special ending.

    Attributes:
        next_mode: index of the mode that it leads to. A negative number is a special ending: -1 is ending 0, the bust,
            -2 is ending 1, and so on.
        added_points: added to the turn points; negative if the choice takes points off, but never below 0.
        keeps_points: False if the turn points so far are lost before ``added_points`` are added.
    """

    next_mode: int
    added_points: int = 0
    keeps_points: bool = True

    def points_after(self, points: int) -> int:
        """Return the turn points after this choice is made with ``points`` turn points; never below 0."""
        kept_points = points if self.keeps_points else 0
        return max(0, self.added_points + kept_points)


BUST = TurnChoice(-1)


# All results of a roll that offer the same choices: these choices in order of preference, and the total weight.
RollClass: TypeAlias = tuple[tuple[TurnChoice, ...], int]


class Roll(NamedTuple):
    """A roll that a mode offers, as its roll classes. Of choices with equal values, the first is made."""

    classes: tuple[RollClass, ...]


class Mode(NamedTuple):
    """A decision point before a roll: the player stops, or makes one of some rolls.

    Attributes:
        name: names the mode in messages.
        bank_ending: the ending of a stop with 0 turn points; with t points it is the ending ``bank_ending + t``. It is
            counted from the end of the special endings. None if no stop is offered.
        min_bank: the fewest turn points with which a stop is offered.
        rolls: the rolls to choose from, each with all its results.
        max_points: no choice may lead here with more turn points.
    """

    name: str
    bank_ending: int | None
    min_bank: int
    rolls: tuple[Roll, ...]
    max_points: int = UNLIMITED_POINTS


class TurnValue(NamedTuple):
    """A solved turn, in many lanes. A row stands for one number of turn points, from 0 on.

    * ``value`` (channels, lanes): the value of the turn at its start.
    * ``inner`` (channels, modes, rows, lanes): the value before the roll of each mode; None if not requested.
    * ``decisions`` (rows, modes + roll classes, lanes): the best decisions; None if not requested. The entry of a mode
      is 0 to stop, or the number of the roll from 1 on. The entry of a roll class is the index of the choice, or -1 if
      no choice is allowed. In modes without a stop, the row of the largest cap of a block of lanes holds for all
      points beyond it.
    """

    value: Doubles
    inner: Doubles | None
    decisions: Decisions | None


class PushTurn:
    """A compiled push-your-luck turn, without scores, opponents or objective: those are in the payoff.

    Attributes:
        modes: the decision points.
        groups: the modes in solving order.
        start: the mode in which a turn begins, with no turn points.
        special_count: number of special endings, including the bust. In the payoff, the bank endings follow them.
        forbids_overshoot: whether a choice that passes the cap is not allowed.
        forced_probability: the largest probability that a roll in a mode without a stop leads to another such mode.
        forced_passes: passes of value iteration over modes without a stop, for turn points beyond the cap.
        class_choices: the choices of every roll class, in the order of modes, rolls and classes.
        class_count, choice_count: numbers of roll classes and of choices.
        max_added_points: the most points that a choice adds.
        is_nondecreasing: True if only endings can lose turn points.
        roll_start, class_start: where the rolls of each mode, and the roll classes of each roll, begin and end.
        arrays: the turn as the arrays of the kernel.
        riskless_modes: the set of modes in which every roll offers a choice that goes on.
        last_bank_ending: over all modes, the largest ending of a bank of 0 points. Bank endings are numbered from 0 on,
            without the special endings.
        _rolls, _roll_classes: the rolls of all modes, one after the other, and their classes: (choices, weight).
        _max_decisions: (modes + roll classes, 1) the largest number that stands for a decision there.
    """

    def __init__(
        self,
        modes: Sequence[Mode],
        groups: Sequence[Sequence[int]],
        start: int,
        special_count: int = 1,
        forbids_overshoot: bool = False,
    ) -> None:
        """Validate and compile a turn.

        Args:
            modes: the decision points.
            groups: the modes in solving order, by index. A group may lead to earlier groups, and to itself by choices
                that add points. Within a group, a choice without points may lead to modes that stand earlier.
            start: the mode in which a turn begins, with no turn points.
            special_count: number of special endings, including the bust.
            forbids_overshoot: a choice that passes the cap is not allowed, and a roll without another choice is a bust.
                Otherwise points beyond the cap count as the cap.

        Raises:
            ValueError: the groups do not hold every mode once, or a turn could go in a circle.
            InputError: rolls in modes without a stop follow each other almost always.
        """
        self.modes = tuple(modes)
        self.start = start
        self.special_count = special_count
        self.forbids_overshoot = forbids_overshoot
        self.groups = tuple(tuple(group) for group in groups)
        self._validate()
        self.forced_probability = self._compute_forced_probability()
        self.forced_passes = self._count_forced_passes()
        rolls = self._rolls  # of all modes, one after the other
        roll_classes = self._roll_classes  # of all rolls; each is (choices, weight)
        self.class_choices = tuple(choices for choices, _ in roll_classes)
        all_choices = [choice for choices in self.class_choices for choice in choices]
        self.class_count = len(roll_classes)
        self.choice_count = len(all_choices)
        self.max_added_points = max(choice.added_points for choice in all_choices)
        self.is_nondecreasing = all(choice.keeps_points and choice.added_points >= 0 for choice in all_choices)
        max_of_modes = [len(mode.rolls) for mode in modes]  # 0 is a stop, and 1, 2, ... are the rolls
        max_of_classes = [len(choices) - 1 for choices in self.class_choices]  # a decision is the index of a choice
        self._max_decisions = np.array(max_of_modes + max_of_classes, dtype=np.int16)[:, None]
        self.roll_start = _offsets(len(mode.rolls) for mode in modes)  # where each mode's rolls begin among all
        self.class_start = _offsets(len(roll.classes) for roll in rolls)  # where each roll's classes begin
        self.arrays = self._kernel_arrays()
        self._kernel = PushKernel(
            specials=special_count,
            start=start,
            forbid=forbids_overshoot,
            forced_passes=self.forced_passes,
            **self.arrays,
        )

    @property
    def _rolls(self) -> list[Roll]:
        """The rolls of all modes, mode by mode."""
        return [roll for mode in self.modes for roll in mode.rolls]

    @property
    def _roll_classes(self) -> list[RollClass]:
        """The roll classes of all rolls, roll by roll."""
        return [roll_class for roll in self._rolls for roll_class in roll.classes]

    def _kernel_arrays(self) -> dict[str, Any]:
        """Return the turn as the arrays of the kernel, by the names of their arguments there.

        Rolls are listed mode by mode, roll classes roll by roll, and choices class by class. An array ``.._start``
        holds where the rolls of each mode, the classes of each roll or the choices of each class begin in such a list.
        Its last entry is the length of the list.
        """
        choices = [choice for offered in self.class_choices for choice in offered]
        # By mode, the ending of a bank of 0 points. A bank of t points is t endings later.
        bank_endings = [
            NO_BANK if mode.bank_ending is None else self.special_count + mode.bank_ending for mode in self.modes
        ]
        # In ``next_mode`` -1 is the first special ending, -2 the second one. The kernel numbers them after the modes.
        mode_count = len(self.modes)
        destinations = []
        for choice in choices:
            special_ending = -1 - choice.next_mode
            destinations.append(choice.next_mode if choice.next_mode >= 0 else mode_count + special_ending)
        return {
            "group_start": _offsets(len(group) for group in self.groups),
            "order": _int32(mode for group in self.groups for mode in group),
            "bank": _int32(bank_endings),
            "bank_from": _int32(mode.min_bank for mode in self.modes),
            "most": _int32(mode.max_points for mode in self.modes),
            "throw_start": self.roll_start,
            "class_start": self.class_start,
            "total": np.array([float(_total_weight(roll)) for roll in self._rolls]),
            "weight": np.array([float(weight) for _, weight in self._roll_classes]),
            "choice_start": _offsets(len(offered) for offered in self.class_choices),
            "next": _int32(destinations),
            "add": _int32(choice.added_points for choice in choices),
            "keeps": _int32(choice.keeps_points for choice in choices),
        }

    @cached_property
    def max_points_choices(self) -> Decisions:
        """By roll class (roll classes,), the index of the first choice that adds the most points."""
        indices = []
        for choices in self.class_choices:
            added_points = [choice.added_points for choice in choices]
            indices.append(added_points.index(max(added_points)))
        return np.array(indices, dtype=np.int16)

    def _compute_forced_probability(self) -> float:
        """Return the largest probability that a forced roll can lead to a forced mode of the same group.

        A mode is forced if it offers no stop, and so are its rolls. Groups are modes that are solved together. Modes of
        earlier groups do not count, because they are solved before.

        Raises:
            InputError: it is so close to 1 that following forced rolls would take too many passes.
        """
        forced_modes = {index for index, mode in enumerate(self.modes) if mode.bank_ending is None}
        max_probability = 0.0
        for group in self.groups:
            forced_in_group = forced_modes & set(group)
            for mode in forced_in_group:
                for roll in self.modes[mode].rolls:
                    weight_to_forced = 0
                    for choices, weight in roll.classes:
                        if any(choice.next_mode in forced_in_group for choice in choices):
                            weight_to_forced += weight
                    max_probability = max(max_probability, weight_to_forced / _total_weight(roll))
        # If a choice may not pass the cap, forced rolls end there. Then even the probability 1 takes no extra passes.
        if max_probability > MAX_FORCED_PROBABILITY and not self.forbids_overshoot:
            raise InputError("a forced roll is almost always followed by another one; make more of them end the turn")
        return max_probability

    def _count_forced_passes(self) -> int:
        """Return how many passes of value iteration the kernel makes over the modes without a stop, beyond the cap.

        Beyond the cap the number of turn points no longer matters, so the values of these modes depend on each other. A
        roll leads from one to another with at most the probability q = ``forced_probability``. After n passes the error
        is at most q^n, so the least n with q^n <= 2^-LOG2_NEGLIGIBLE is enough.
        """
        # One pass is enough if these modes do not lead to each other (q = 0), and if no choice may pass the cap, the
        # only case in which q may be 1.
        if not 0 < self.forced_probability < 1:
            return 1
        return math.ceil(LOG2_NEGLIGIBLE * math.log(2) / -math.log(self.forced_probability))

    def _validate(self) -> None:
        """Raise ValueError unless the groups hold every mode once and every choice leads to a value solved before.

        Then no turn can go in a circle. A choice may lead to an earlier group. Within its group it adds points, or
        leads to a mode that is solved before for the same points.
        """
        if sorted(mode for group in self.groups for mode in group) != list(range(len(self.modes))):
            raise ValueError("the groups must contain every mode once")
        earlier_modes: set[int] = set()
        for group in self.groups:
            modes_of_group = frozenset(group)
            solved_modes = set(earlier_modes)  # a choice that adds no points may lead to these only
            for mode in group:
                for roll in self.modes[mode].rolls:
                    self._validate_roll(roll, self.modes[mode].name, modes_of_group, earlier_modes, solved_modes)
                solved_modes.add(mode)
            earlier_modes = solved_modes

    def _validate_roll(
        self,
        roll: Roll,
        mode_name: str,
        group: Collection[int],
        earlier_modes: Collection[int],
        solved_modes: Collection[int],
    ) -> None:
        """Raise ValueError unless the weights and choices of a roll are allowed.

        Args:
            roll: the roll.
            mode_name: the mode that makes the roll, for the message.
            group: the modes of its group, which are solved together.
            earlier_modes: the modes of earlier groups. All choices may lead there.
            solved_modes: ``earlier_modes``, and the modes that stand earlier in the same group. Choices that keep the
                turn points and add none may lead there.
        """
        for choices, weight in roll.classes:
            if not choices or weight <= 0 or weight != int(weight):
                raise ValueError("a roll class requires a choice and a positive whole weight")
            for choice in choices:
                is_ending = choice.next_mode < 0
                if is_ending:
                    continue
                # The turn points before a choice are not known here. So a choice that keeps them may exceed any limit.
                max_points = self.modes[choice.next_mode].max_points
                if max_points != UNLIMITED_POINTS and (choice.keeps_points or choice.added_points > max_points):
                    raise ValueError(
                        f"a choice of {choice.added_points} points leads to more points than the next mode may have"
                    )
                if choice.next_mode not in earlier_modes and not _stays_solvable(choice, group, solved_modes):
                    raise ValueError(f"{mode_name}: choices that add no points could form a cycle")
        if _total_weight(roll) >= MAX_ROLL_WEIGHT:
            raise ValueError("the weights of a roll add up to more than 10**30")

    @cached_property
    def rolls_per_point(self) -> int:
        """The most rolls that a turn can make within a group of modes until a choice adds points.

        It is one more than the most choices without points that can follow each other. Within a group such a choice
        leads to a mode that stands earlier in the group, so the modes of a group are looked at in their order.
        """
        longest = [0] * len(self.modes)  # by mode, the most choices without points in a row from there on
        for group in self.groups:
            earlier_modes = set[int]()  # of this group
            for mode in group:
                followers = {
                    choice.next_mode
                    for roll in self.modes[mode].rolls
                    for choices, _ in roll.classes
                    for choice in choices
                    if choice.added_points == 0 and choice.next_mode in earlier_modes
                }
                longest[mode] = max((1 + longest[follower] for follower in followers), default=0)
                earlier_modes.add(mode)
        return 1 + max(longest)

    @cached_property
    def last_bank_ending(self) -> int:
        """The last ending that a bank of 0 points leads to in any mode, counted from the end of the special endings."""
        return max(mode.bank_ending or 0 for mode in self.modes)

    @cached_property
    def has_point_limits(self) -> bool:
        """True if some mode limits the turn points with which it may be reached."""
        return any(mode.max_points != UNLIMITED_POINTS for mode in self.modes)

    @cached_property
    def forced_mode_count(self) -> int:
        """The number of modes that offer no stop."""
        return sum(mode.bank_ending is None for mode in self.modes)

    def row_count(self, max_cap: int) -> int:
        """Return how many rows the kernel's table needs if the largest cap is ``max_cap``.

        A row holds the values for one number of turn points. The table begins with 0 points and ends with the most
        points that one choice can reach from the cap.
        """
        return max_cap + self.max_added_points + 1

    @cached_property
    def riskless_modes(self) -> frozenset[int]:
        """The modes in which every roll offers a choice that goes on, so that nothing can be lost."""
        return frozenset(
            index for index, mode in enumerate(self.modes) if mode.rolls and all(map(_can_always_go_on, mode.rolls))
        )

    @cached_property
    def endless_modes(self) -> list[int]:
        """The modes, ascending, from which a player can go on for ever, whatever the rolls show.

        It is the largest set of riskless modes that all have a roll of this kind: each of its roll classes offers a
        choice that stays in the set.

        A mode with one roll that is not riskless is none of them, because some results of the roll end the turn. A mode
        with several rolls may be missing, as it is riskless only if all of them are. That does not matter if only the
        first roll of a turn is chosen among several, and each of these is also the only roll of another mode. Then the
        set is empty only if no turn can go on for ever.
        """
        endless_modes = set(self.riskless_modes)
        while True:  # remove modes without such a roll, until none is left to remove
            remaining_modes = set[int]()
            for mode in endless_modes:
                if any(_can_always_reach(roll, endless_modes) for roll in self.modes[mode].rolls):
                    remaining_modes.add(mode)
            if remaining_modes == endless_modes:
                return sorted(endless_modes)
            endless_modes = remaining_modes

    @cached_property
    def modes_without_stop(self) -> frozenset[int]:
        """The modes in which a player never stops, because no stop is offered or nothing can be lost."""
        return self.riskless_modes | {index for index, mode in enumerate(self.modes) if mode.bank_ending is None}

    def can_reenter(self, modes: Iterable[int]) -> bool:
        """Return whether a turn can visit one of some modes twice without visiting any other mode in between.

        Args:
            modes: the indices of the modes. Those that no turn reaches do not count.
        """
        reached_modes = {self.start}
        queue = [self.start]
        while queue:
            new_modes = self._next_modes(queue.pop()) - reached_modes
            queue += new_modes
            reached_modes |= new_modes
        # Remove modes that lead to no mode of the set, again and again. All are removed if and only if no cycle exists.
        remaining_modes = reached_modes & set(modes)
        while True:
            leaves = {mode for mode in remaining_modes if not self._next_modes(mode) & remaining_modes}
            if not leaves:
                return bool(remaining_modes)
            remaining_modes -= leaves

    def _next_modes(self, mode: int) -> set[int]:
        """Return the modes that one roll of a mode, and one choice after it, can lead to."""
        return {
            choice.next_mode
            for roll in self.modes[mode].rolls
            for choices, _ in roll.classes
            for choice in choices
            if choice.next_mode >= 0
        }

    def solve(
        self,
        payoff: Doubles,
        caps: Caps,
        *,
        inner: bool = False,
        decisions: bool = False,
        fixed_decisions: Decisions | None = None,
        sliding_payoff: Doubles | None = None,
        pool: ThreadPool | None = None,
        threads: int = 1,
    ) -> TurnValue:
        """Return the value of the turn in every lane, with the best decisions or with given ones.

        Args:
            payoff: (channels, endings, lanes), the special endings first, then the bank endings. Channel 0 is
                maximized, and the others are evaluated along its choices.
            caps: (lanes,) int32. With that many turn points a player who may stop does. With ``forbids_overshoot`` the
                cap is one more than the largest number of points allowed. Lanes with similar caps should be neighbours,
                because a block of lanes is solved up to its largest cap.
            inner: also return the values before every roll.
            decisions: also return the best decisions; not together with ``fixed_decisions``.
            fixed_decisions: decisions to evaluate instead of the best ones, in the shape of ``TurnValue.decisions``.
            sliding_payoff: (channels, at least bank endings + lanes) the payoff of the bank endings, if lanes are
                neighbouring places on one axis and points move along it: bank ending e pays lane l the entry e + l.
                ``payoff`` then holds the special endings only, and the lanes must fill whole blocks.
            pool: threads that share the blocks; None to use the calling thread only.
            threads: how many of them.

        Raises:
            ValueError: an array has the wrong shape.
        """
        self._validate_solve(payoff, caps, fixed_decisions, sliding_payoff)
        channels, _, lanes = payoff.shape
        rows = self.row_count(int(caps.max()))  # numbers of turn points in the kernel's table
        # The kernel solves whole blocks of LANES lanes, so the last block is filled up with copies of a lane.
        payoff = pad_lanes(payoff)
        caps = pad_lanes(caps)
        padded_lanes = round_up_to_blocks(lanes)
        value = np.empty((channels, padded_lanes))
        inner_values = np.empty((channels, len(self.modes), rows, padded_lanes)) if inner else None
        # Fixed decisions are read by the kernel, and others are written by it, into the same argument.
        is_evaluation = fixed_decisions is not None
        decision_table: Decisions | None = None
        if decisions:
            decision_points = len(self.modes) + self.class_count
            decision_table = np.zeros((rows, decision_points, padded_lanes), dtype=np.int16)
        elif fixed_decisions is not None:
            decision_table = pad_lanes(fixed_decisions)
        # The arguments of ``PushKernel.solve`` by position. It writes the value, and the two tables after it.
        args = (payoff, caps, rows, value, inner_values, decision_table, is_evaluation, sliding_payoff)
        threads = min(threads, padded_lanes // LANES)
        if pool is None or threads < 2:
            self._kernel.solve(*args)
        else:  # of n threads, thread k solves the blocks k, k + n, k + 2 n, ...
            futures = [pool.submit(self._kernel.solve, *args, first_block, threads) for first_block in range(threads)]
            for future in futures:
                future.result()
        if padded_lanes == lanes:
            return TurnValue(value, inner_values, decision_table)
        return TurnValue(  # without the copies
            value[:, :lanes],
            None if inner_values is None else inner_values[..., :lanes],
            None if decision_table is None else decision_table[..., :lanes],
        )

    def _validate_solve(
        self, payoff: Doubles, caps: Caps, fixed_decisions: Decisions | None, sliding_payoff: Doubles | None
    ) -> None:
        """Raise ValueError unless the arrays of ``solve`` fit each other and the turn.

        Args:
            payoff: (channels, endings, lanes), what each ending is worth.
            caps: (lanes,), turn points with which a player who may stop does.
            fixed_decisions: (rows, modes + roll classes, lanes) the decisions to evaluate, or None.
            sliding_payoff: (channels, bank endings + lanes) payoffs of the bank endings, or None. Lane l reads those
                from index l on: bank ending e pays it the entry l + e. So the last entry is not read. With a sliding
                payoff, ``payoff`` has the special endings only, and lanes must fill whole blocks.
        """
        channels, endings, lanes = payoff.shape
        fills_blocks = round_up_to_blocks(lanes) == lanes  # a block is LANES lanes
        # Without a sliding payoff, ``solve`` fills up the last block with copies.
        are_blocks_valid = fills_blocks or sliding_payoff is None
        are_lanes_valid = lanes > 0 and caps.shape == (lanes,) and are_blocks_valid
        if not are_lanes_valid or not 1 <= channels <= MAX_CHANNELS:
            raise ValueError(
                f"payoff {payoff.shape} and cap {caps.shape} do not match each other, or blocks of {LANES} lanes"
            )
        if sliding_payoff is not None:
            if payoff.shape[:2] != (len(sliding_payoff), self.special_count):
                raise ValueError(
                    f"with sliding_payoff {sliding_payoff.shape} the payoff {payoff.shape} must hold the special"
                    " endings only"
                )
            bank_endings = sliding_payoff.shape[1] - lanes  # its second axis is bank endings + lanes
            endings += bank_endings
        self._validate_ending_count(endings, caps)
        if fixed_decisions is not None:
            self._validate_decisions(fixed_decisions, self.row_count(int(caps.max())), lanes)

    def _validate_decisions(self, decisions: Decisions, rows: int, lanes: int) -> None:
        """Raise ValueError unless decisions are an array of the right shape, whose entries the turn has.

        The entry of a mode is 0 to stop, or 1, 2, ... for a roll. The entry of a roll class is the index of a choice,
        or negative if no choice is allowed.

        Args:
            decisions: (rows, modes + roll classes, lanes).
            rows: the number of rows of the table of the turn.
            lanes: the number of lanes.
        """
        mode_count = len(self.modes)
        shape = (rows, mode_count + self.class_count, lanes)
        is_array_valid = decisions.shape == shape and decisions.dtype == np.int16
        if not is_array_valid or (decisions > self._max_decisions).any() or (decisions[:, :mode_count] < 0).any():
            raise ValueError(f"decisions must be int16 of shape {shape}, and each one the number of a choice")

    def reach_probabilities(
        self, decisions: Decisions, caps: Caps, endings: int, *, visits: bool = False
    ) -> tuple[Doubles, Doubles | None]:
        """Return the probabilities of all endings, and of visiting each mode with t turn points, for fixed decisions.

        This is a forward pass over the turn as a Markov chain. Probabilities below 2**-60 are not followed.

        Args:
            decisions: (rows, modes + roll classes, lanes or 1), as in ``TurnValue``. A single lane holds for all lanes.
                Points beyond the last row have the decisions of the last row.
            caps: (lanes,) int32. Points beyond the cap count as the cap. At the cap, a player stops if that is allowed.
            endings: number of endings of the turn's payoff, special endings included.
            visits: also return the probabilities of the visits.

        Returns:
            The probability of each ending (endings, lanes), and the probability of reaching each mode with each number
            of turn points (modes, rows, lanes) or None.

        Raises:
            ValueError: an array has the wrong shape, or a decision is not a choice.
        """
        rows = self.row_count(int(caps.max()))  # numbers of turn points in the table of visits
        lanes = len(caps)
        decision_points = len(self.modes) + self.class_count
        decision_rows, decisions_per_row, decision_lanes = decisions.shape
        has_shape = decision_rows > 0 and decisions_per_row == decision_points and decision_lanes in (1, lanes)
        if not has_shape or decisions.dtype != np.int16:
            raise ValueError(
                f"decisions must be int16 with {decision_points} modes and classes, and 1 or {lanes} lanes"
            )
        self._validate_ending_count(endings, caps)
        ending_probabilities = np.zeros((endings, lanes))
        visit_probabilities = np.zeros((len(self.modes), rows, lanes)) if visits else None
        is_legal = self._kernel.walk(
            np.ascontiguousarray(decisions), caps, rows, ending_probabilities, visit_probabilities
        )
        if not is_legal:
            raise ValueError("decisions must be numbers of choices")
        return ending_probabilities, visit_probabilities

    def _validate_ending_count(self, endings: int, caps: Caps) -> None:
        """Raise ValueError unless every mode has a bank ending for each number of turn points up to the largest cap.

        Args:
            endings: number of endings of the payoff: the special endings, then the bank endings.
            caps: (lanes,), turn points with which a player who may stop does.
        """
        if caps.min() < 0:
            raise ValueError(f"a cap must be 0 or more, not {caps.min()}")
        max_cap = int(caps.max())
        # In a mode the banks of 0, 1, ... points are consecutive endings. With ``forbids_overshoot`` the cap stands for
        # all turn points that are too many, which cannot be banked.
        banks_per_mode = max_cap if self.forbids_overshoot else max_cap + 1
        # Of all modes, the one with ``last_bank_ending`` has the last endings. That number does not count the special
        # endings, which come first.
        endings_needed = self.special_count + self.last_bank_ending + banks_per_mode
        if endings < endings_needed:
            raise ValueError(f"{endings} endings are too few for the cap {max_cap}")

    def roll_values(
        self, solved: TurnValue, payoff: Doubles, mode: int, points: NDArray[np.int64], lanes: int | None = None
    ) -> Doubles:
        """Return the value of every roll of a mode, before the dice are rolled.

        Args:
            solved: a solution with inner values.
            payoff: (channels, endings, lanes), the payoff that it was solved for.
            mode: the index of the mode.
            points: (points,), numbers of turn points before the roll, none beyond the largest cap.
            lanes: number of lanes to evaluate, the first ones; None for all.

        Returns:
            Values (rolls, channels, len(points), lanes). Choices after the roll are those that are best in channel 0.
        """
        rolls = self.modes[mode].rolls
        return np.array([self.roll_value(solved, payoff, roll, points, lanes) for roll in rolls])

    @staticmethod
    def roll_value(
        solved: TurnValue, payoff: Doubles, roll: Roll, points: NDArray[np.int64], lanes: int | None = None
    ) -> Doubles:
        """Return the value of one roll: the weighted mean, over its roll classes, of the best choice of each.

        The operations and their order are those of the kernel, so the result has the same bits.

        Args:
            solved: a solution with inner values.
            payoff: (channels, endings, lanes), the payoff that it was solved for.
            roll: the roll.
            points: turn points before the roll, not beyond the largest cap.
            lanes: number of lanes to evaluate, the first ones; None for all.

        Returns:
            Values (channels, len(points), lanes). Choices after the roll are those that are best in channel 0.
        """
        assert solved.inner is not None
        inner = solved.inner[..., :lanes]  # (channels, modes, turn points, lanes)
        payoff = payoff[..., :lanes]
        bust_payoff = payoff[:, :1]  # ending 0: (channels, 1, lanes)
        value = np.zeros((len(payoff), len(points), payoff.shape[2]))
        # By choice, (channels, points, lanes), or (channels, 1, lanes) if the choice is a special ending: that is worth
        # the same with any turn points. Many roll classes offer the same choice, so it is computed once.
        choice_values: dict[TurnChoice, Doubles] = {}
        for choices, weight in roll.classes:
            for choice in choices:
                if choice not in choice_values:
                    choice_values[choice] = _choice_value(choice, points, inner, payoff)
            best = reduce(_better, (choice_values[choice] for choice in choices))
            is_forbidden = best[:1] == -np.inf  # every choice would pass the cap, so the roll is a bust
            value += weight * np.where(is_forbidden, bust_payoff, best)
        return value / _total_weight(roll)

    @staticmethod
    def ending_probability(roll: Roll, ending: TurnChoice) -> float:
        """Return the probability that the only choice after a roll is one special ending.

        Args:
            roll: the roll.
            ending: the choice that leads to the ending, such as ``BUST``.
        """
        weight = sum(weight for choices, weight in roll.classes if choices == (ending,))
        return float(weight / _total_weight(roll))

    def reachable_points_by_mode(self, max_points: int) -> list[int]:
        """Return, by mode, the bit set of the turn points up to ``max_points`` that are possible before its roll.

        Bit t of an entry is set if t points are possible in the mode. The sets grow until nothing changes, by two kinds
        of choices: those that add to the turn points, and those that replace them by their own points.
        """
        keeping_edges = list[tuple[int, int, int]]()  # (from a mode, to the next one, points added)
        replacing_choices = list[tuple[int, TurnChoice]]()  # with the mode in whose roll each is offered
        for mode, choice in self._choices_going_on():
            if choice.keeps_points:
                keeping_edges.append((mode, choice.next_mode, choice.added_points))
            else:
                replacing_choices.append((mode, choice))
        all_points = (1 << (max_points + 1)) - 1  # the set {0, ..., max_points}
        only_no_points = 1  # the set {0}
        point_sets = dict.fromkeys(range(len(self.modes)), 0)  # by mode, empty sets
        point_sets[self.start] = only_no_points
        while True:
            point_sets = reachable_points(point_sets, keeping_edges, max_points)
            previous_sets = dict(point_sets)
            for mode, choice in replacing_choices:
                is_mode_reached = point_sets[mode] != 0
                if is_mode_reached:
                    point_sets[choice.next_mode] |= (1 << choice.added_points) & all_points
            if point_sets == previous_sets:
                return [point_sets[mode] for mode in range(len(self.modes))]

    def _choices_going_on(self) -> set[tuple[int, TurnChoice]]:
        """Return the different choices that lead to another mode, each with the mode in whose roll it is offered."""
        choices_going_on = set[tuple[int, TurnChoice]]()
        for number in range(len(self.modes)):
            for roll in self.modes[number].rolls:
                for choices, _ in roll.classes:
                    choices_going_on.update((number, choice) for choice in choices if choice.next_mode >= 0)
        return choices_going_on


def _can_always_go_on(roll: Roll) -> bool:
    """Return whether every roll class offers a choice that does not end the turn."""
    return all(any(choice.next_mode >= 0 for choice in choices) for choices, _ in roll.classes)


def _stays_solvable(choice: TurnChoice, group: Collection[int], solved_modes: Collection[int]) -> bool:
    """Return whether a choice stays in its group, and leads there to a value that is solved before.

    A group is solved from the most turn points down. So the choice must lead to more points than before it, or to as
    many in a mode that is solved earlier.

    Args:
        choice: a choice that goes on with the turn.
        group: the modes of the group.
        solved_modes: the modes that are solved, with as many points, before the mode in whose roll it is offered.
    """
    if choice.next_mode not in group or not choice.keeps_points:
        return False
    return choice.added_points > 0 or (choice.added_points == 0 and choice.next_mode in solved_modes)


def _can_always_reach(roll: Roll, modes: Collection[int]) -> bool:
    """Return whether every roll class offers a choice that leads to one of some modes."""
    return all(any(choice.next_mode in modes for choice in choices) for choices, _ in roll.classes)


def _total_weight(roll: Roll) -> int:
    """Return the sum of the weights of all roll classes of a roll."""
    return sum(weight for _, weight in roll.classes)


def _choice_value(choice: TurnChoice, points: NDArray[np.int64], inner: Doubles, payoff: Doubles) -> Doubles:
    """Return the value of a choice after a roll: (channels, points, lanes), or (channels, 1, lanes) of an ending.

    Args:
        choice: the choice.
        points: (points,), numbers of turn points before the roll.
        inner: (channels, modes, turn points, lanes), the values before the roll of each mode.
        payoff: (channels, endings, lanes), the special endings first.
    """
    if choice.next_mode < 0:  # -1 is the first special ending, -2 the second one
        ending = -1 - choice.next_mode
        return payoff[:, ending, None]
    kept_points = points if choice.keeps_points else np.zeros_like(points)
    next_points = np.maximum(choice.added_points + kept_points, 0)
    value: Doubles = inner[:, choice.next_mode, next_points]
    return value


def _better(first: Doubles, second: Doubles) -> Doubles:
    """Return, in every lane, all channels of the choice that is better in channel 0; the first if they are equal.

    Args:
        first, second: (channels, points or 1, lanes) the values of two choices.
    """
    return np.where(second[:1] > first[:1], second, first)


def round_up_to_blocks(lanes: int) -> int:
    """Return the number of lanes in the fewest blocks of LANES lanes that hold so many."""
    block_count = (lanes + LANES - 1) // LANES
    return block_count * LANES


Number = TypeVar("Number", bound=np.generic)


def pad_lanes(array: NDArray[Number]) -> NDArray[Number]:
    """Return a contiguous array whose last axis is filled up to whole blocks with copies of the first lane."""
    missing = round_up_to_blocks(array.shape[-1]) - array.shape[-1]
    if not missing:
        return np.ascontiguousarray(array)
    first_lane = array[..., :1]
    return np.ascontiguousarray(np.concatenate([array, *[first_lane] * missing], axis=-1))


def _int32(numbers: Iterable[int]) -> NDArray[np.int32]:
    return np.array(list(numbers), dtype=np.int32)


def _offsets(sizes: Iterable[int]) -> NDArray[np.int32]:
    """Return where each part of a list begins, given the sizes of the parts, and the length of the list at the end."""
    return _int32(accumulate(sizes, initial=0))
