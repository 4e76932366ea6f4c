"""Turns with thousands of modes in which stopping or rolling is the only decision, as arrays.

Each mode offers a stop and one roll, and each roll class has one choice, which keeps the turn points. Dice drawn from a
cup make such turns. Arrays replace the objects of ``PushTurn``: a mode becomes an object only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..core.push import PushKernel
from .push_turn import MAX_ROLL_WEIGHT, UNLIMITED_POINTS, Doubles, Mode, PushTurn, Roll, RollClass, TurnChoice

Ints = NDArray[np.int64]


class SingleChoiceClasses(NamedTuple):
    """The roll classes of all modes, mode by mode. A roll class has one choice.

    Attributes:
        start: (modes + 1,) where the classes of each mode begin, and where those of the last one end.
        next_mode: (classes,) the mode that the choice leads to. A negative number is a special ending: -1 is the bust.
        added_points: (classes,) the turn points that the choice adds, 0 or more.
        weight: (classes,) the weight of the class, as int64, or as Python integers if it does not fit.
    """

    start: Ints
    next_mode: Ints
    added_points: Ints
    weight: NDArray[Any]


class _Modes(Sequence[Mode]):
    """The modes of a turn as a sequence of objects, each made from arrays when it is asked for.

    Attributes:
        _classes: the roll classes of all modes, mode by mode.
        _name_of_mode: returns the name of a mode.
    """

    def __init__(self, classes: SingleChoiceClasses, name_of_mode: Callable[[int], str]) -> None:
        """Keep the roll classes of all modes, and a function that returns the name of a mode."""
        self._classes = classes
        self._name_of_mode = name_of_mode

    def __len__(self) -> int:
        return len(self._classes.start) - 1

    @overload
    def __getitem__(self, index: int) -> Mode: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mode]: ...
    def __getitem__(self, index: int | slice) -> Mode | Sequence[Mode]:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        number = range(len(self))[index]  # a negative index counts from the end; IndexError if there is no such mode
        roll = Roll(tuple(self.roll_classes(number)))
        return Mode(self._name_of_mode(number), bank_ending=0, min_bank=1, rolls=(roll,))

    def roll_classes(self, mode: int) -> Iterator[RollClass]:
        """Yield the roll classes of a mode: the only choice of each, as a tuple, and its weight."""
        start, next_mode, added_points, weight = self._classes
        of_mode = slice(int(start[mode]), int(start[mode + 1]))
        columns = (next_mode[of_mode].tolist(), added_points[of_mode].tolist(), weight[of_mode].tolist())
        for next_mode_of_class, points, class_weight in zip(*columns, strict=True):
            only_choice = TurnChoice(next_mode_of_class, points)
            yield (only_choice,), class_weight


class SingleChoiceTurn(PushTurn):
    """A push-your-luck turn in which every mode offers only a stop and one roll, with arrays instead of objects.

    The attributes of ``PushTurn`` that are not listed here have the same meaning.

    Attributes:
        classes: the roll classes of all modes, as four arrays (see ``SingleChoiceClasses``).
        total_weight: (modes,) the weight of all results of each mode's roll, rounded to a double.
        order: (modes,) the modes in solving order. They are one group.
        modes: the modes as a sequence of objects, which are made when they are asked for.
        start: the mode in which a turn begins, with no turn points.
        special_count: number of special endings, including the bust. In the payoff, the bank endings follow them.
        class_count: the number of roll classes, which is also that of choices.
        roll_start: (modes + 1,) where the rolls of each mode begin, one for each: 0, 1, 2, ...
        class_start: (modes + 1,) where the roll classes of each mode begin, and where those of the last one end.
        modes_of_classes: (roll classes,) the mode that each class belongs to.
        forced_passes: passes of value iteration over modes without a stop; 1, as there are none.
    """

    def __init__(
        self,
        classes: SingleChoiceClasses,
        order: Ints,
        start: int,
        special_count: int,
        name_of_mode: Callable[[int], str] = str,
    ) -> None:
        """Validate and compile a turn.

        Args:
            classes: the roll classes of all modes.
            order: (modes,) the modes in solving order. A choice without points leads to a mode that stands earlier.
            start: the mode in which a turn begins, with no turn points.
            special_count: number of special endings, including the bust.
            name_of_mode: returns the name of a mode, for messages.

        Raises:
            ValueError: the order does not hold every mode once, or a turn could go in a circle.
        """
        self.classes = classes
        self.order = order
        self.start = start
        self.special_count = special_count
        self.forbids_overshoot = False  # turn points beyond the cap count as the cap
        self.modes = _Modes(classes, name_of_mode)  # type: ignore[assignment]  # a sequence that makes its entries
        mode_count = len(self.modes)
        self.groups = (tuple(order.tolist()),)
        self._validate()
        self.forced_probability = 0.0  # every mode offers a stop, so no mode is forced
        self.forced_passes = 1
        self.class_count = self.choice_count = len(classes.next_mode)
        self.max_added_points = int(classes.added_points.max())
        self.is_nondecreasing = True  # no choice takes turn points away
        max_decisions = np.zeros(mode_count + self.class_count, dtype=np.int16)  # in a class 0 is the only choice
        max_decisions[:mode_count] = 1  # in a mode 0 is the stop, and 1 the roll
        self._max_decisions = max_decisions[:, None]
        self.roll_start = np.arange(mode_count + 1, dtype=np.int32)  # one roll for each mode
        self.class_start = classes.start.astype(np.int32)
        self.total_weight: Doubles = np.add.reduceat(classes.weight, classes.start[:-1]).astype(np.float64)
        self.arrays = self._kernel_arrays()
        self._kernel = PushKernel(
            specials=special_count, start=start, forbid=False, forced_passes=self.forced_passes, **self.arrays
        )

    def _kernel_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the turn as the arrays of the kernel, by the names of their arguments there.

        Every mode has one roll, and every roll class one choice. An array ``.._start`` holds where the rolls of each
        mode, the classes of each roll or the choices of each class begin, and their number at the end.
        """
        classes = self.classes
        mode_count = len(self.modes)
        # In ``next_mode`` -1 is the first special ending, -2 the second one. The kernel numbers them after the modes.
        special_ending = -1 - classes.next_mode  # of the classes that end the turn
        destinations = np.where(classes.next_mode >= 0, classes.next_mode, mode_count + special_ending)
        return {
            "group_start": np.array([0, mode_count], dtype=np.int32),  # a single group
            "order": self.order.astype(np.int32),
            "bank": np.full(mode_count, self.special_count, dtype=np.int32),  # of 0 points, after the special endings
            "bank_from": np.ones(mode_count, dtype=np.int32),  # a stop is offered from 1 point on
            "most": np.full(mode_count, UNLIMITED_POINTS, dtype=np.int32),  # the most turn points of each mode
            "throw_start": self.roll_start,
            "class_start": self.class_start,
            "total": self.total_weight,  # by roll, the sum of the weights of its classes
            "weight": classes.weight.astype(np.float64),
            "choice_start": np.arange(self.class_count + 1, dtype=np.int32),
            "next": destinations.astype(np.int32),
            "add": classes.added_points.astype(np.int32),
            "keeps": np.ones(self.class_count, dtype=np.int32),  # 1: the choice keeps the turn points so far
        }

    @cached_property
    def class_choices(self) -> tuple[tuple[TurnChoice, ...], ...]:  # type: ignore[override]  # made when asked for
        """By roll class, in the order of modes and classes, a tuple of its only choice."""
        next_modes = self.classes.next_mode.tolist()
        added_points = self.classes.added_points.tolist()
        choices = [TurnChoice(mode, points) for mode, points in zip(next_modes, added_points, strict=True)]
        return tuple((choice,) for choice in choices)

    @cached_property
    def modes_of_classes(self) -> Ints:
        """The mode that each roll class belongs to: (roll classes,)."""
        classes_per_mode = np.diff(self.classes.start)
        return np.repeat(np.arange(len(self.modes)), classes_per_mode)

    def sum_by_mode(self, by_class: NDArray[Any]) -> NDArray[Any]:
        """Return the sum of a quantity over the roll classes of each mode: (modes,).

        Args:
            by_class: (roll classes,) the quantity.
        """
        return np.asarray(np.add.reduceat(by_class, self.classes.start[:-1]))

    def _validate(self) -> None:
        """Raise ValueError unless the solving order is valid, and every mode has a roll with valid weights.

        The order is valid if it holds every mode once, and no turn can go in a circle: a choice adds points, or leads
        to a mode that is solved before its own.
        """
        start, next_mode, added_points, weight = self.classes  # (modes + 1,), and (roll classes,) each
        mode_count = len(self.modes)
        if not np.array_equal(np.sort(self.order), np.arange(mode_count)):
            raise ValueError("the groups must contain every mode once")
        classes_per_mode = np.diff(start)
        if (classes_per_mode <= 0).any() or (weight <= 0).any():
            raise ValueError("a roll class requires a choice and a positive whole weight")
        rank = np.empty(mode_count, dtype=np.int64)  # by mode, its index in the solving order
        rank[self.order] = np.arange(mode_count)
        goes_on = next_mode >= 0  # (roll classes,); the next arrays are for the classes that go on with the turn
        points = added_points[goes_on]
        is_earlier = rank[next_mode[goes_on]] < rank[self.modes_of_classes[goes_on]]
        is_solved_before = (points > 0) | ((points == 0) & is_earlier)
        if not is_solved_before.all():
            raise ValueError("choices that add no points could form a cycle")
        if (self.sum_by_mode(weight) >= MAX_ROLL_WEIGHT).any():
            raise ValueError("the weights of a roll add up to more than 10**30")

    @property
    def has_point_limits(self) -> bool:
        """False: no mode limits the turn points with which it may be reached."""
        return False

    @property
    def last_bank_ending(self) -> int:
        """0: in all modes a bank of 0 points leads to bank ending 0."""
        return 0

    @property
    def forced_mode_count(self) -> int:
        """0: the number of modes that offer no stop."""
        return 0

    @cached_property
    def rolls_per_point(self) -> int:
        """The most rolls that a turn can make until a choice adds points.

        It is one more than the most choices without points that can follow each other.
        """
        classes = self.classes
        adds_nothing = (classes.added_points == 0) & (classes.next_mode >= 0)
        modes = self.modes_of_classes[adds_nothing]
        followers = classes.next_mode[adds_nothing]
        # By mode, the most choices without points in a row from there on. The numbers begin at 0, and are raised until
        # nothing changes. That ends, because such choices form no cycle.
        longest = np.zeros(len(self.modes), dtype=np.int64)
        while True:
            raised = longest.copy()
            np.maximum.at(raised, modes, longest[followers] + 1)
            if np.array_equal(raised, longest):
                return 1 + int(longest.max())
            longest = raised

    @cached_property
    def riskless_modes(self) -> frozenset[int]:
        """The modes in which no result of the roll ends the turn, so that nothing can be lost."""
        is_ending = self.classes.next_mode < 0
        ending_count = self.sum_by_mode(is_ending.astype(np.int64))
        return frozenset(np.flatnonzero(ending_count == 0).tolist())

    @property
    def modes_without_stop(self) -> frozenset[int]:
        """The modes in which a player never stops, because nothing can be lost."""
        return self.riskless_modes

    @cached_property
    def stopping_level(self) -> int:
        """The turn points from which stopping is best in every mode that can lose them, if a bust is worth 0.

        Let a mode's roll add g points on average, and end the turn with probability p. Every ending counts as a loss of
        the turn points, and adds none. With t turn points one more roll gains g and loses p t on average, so it does
        not pay if t >= g / p. The result is the largest g / p of all modes with p > 0, rounded up.

        If all modes have p > 0, several more rolls do not pay either: the turn points only grow, so no roll among them
        pays. In modes with p = 0 the gain of later rolls counts, which is left out here (see ``riskless_modes``).
        """
        weight = self.classes.weight
        # By mode, g and p times the same number, the total weight of the roll. It cancels out in g / p.
        gains = self.sum_by_mode(weight * self.classes.added_points).tolist()
        losses = self.sum_by_mode(weight * (self.classes.next_mode < 0)).tolist()
        levels = [-(-gain // loss) for gain, loss in zip(gains, losses, strict=True) if loss]  # the quotient rounded up
        return max(levels, default=0)

    def _next_modes(self, mode: int) -> set[int]:
        """Return the modes that one roll of a mode can lead to."""
        start = self.classes.start
        next_modes = self.classes.next_mode[start[mode] : start[mode + 1]]
        return set(next_modes[next_modes >= 0].tolist())
