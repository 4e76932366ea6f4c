"""Turns with thousands of modes in which nothing but stopping is chosen, as arrays.

Each mode offers a stop and one roll, and each roll class has one choice, which keeps the turn points. Dice drawn from a
cup make such turns. The arrays replace the objects of ``PushTurn``, which are made one by one when they are asked for.
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
    """The roll classes of all modes, mode by mode.

    Attributes:
        start: (modes + 1,) where the classes of each mode begin, and where those of the last one end.
        next_mode: (classes,) the mode that a class leads to, or a negative number for a special ending.
        added_points: (classes,) the points that it adds.
        weight: (classes,) its weight, as int64 or as objects if the weights are too large for that.
    """

    start: Ints
    next_mode: Ints
    added_points: Ints
    weight: NDArray[Any]


class _Modes(Sequence[Mode]):
    """The modes of a turn as objects, each made when it is asked for."""

    def __init__(self, classes: SingleChoiceClasses, name_of_mode: Callable[[int], str]) -> None:
        """Keep the arrays, and a function that names a mode."""
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
        number = range(len(self))[index]
        roll = Roll(tuple(self.roll_classes(number)))
        return Mode(self._name_of_mode(number), bank_ending=0, min_bank=1, rolls=(roll,))

    def roll_classes(self, mode: int) -> Iterator[RollClass]:
        """Yield the roll classes of a mode."""
        start, next_mode, added_points, weight = self._classes
        part = slice(int(start[mode]), int(start[mode + 1]))
        columns = (next_mode[part].tolist(), added_points[part].tolist(), weight[part].tolist())
        for leads_to, points, class_weight in zip(*columns, strict=True):
            yield (TurnChoice(leads_to, points),), class_weight


class SingleChoiceTurn(PushTurn):
    """A push-your-luck turn in which only stopping is chosen, with arrays instead of objects.

    Attributes:
        classes: the roll classes.
        total_weight: (modes,) the weight of the roll of each mode, rounded.
        order: the modes in solving order. They are one group.
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
            order: the modes in solving order. A choice without points leads to a mode that stands earlier.
            start: the mode in which a turn begins, with no turn points.
            special_count: number of special endings, including the bust.
            name_of_mode: returns the name of a mode.

        Raises:
            ValueError: the order does not hold every mode once, or a turn could go in a circle.
        """
        self.classes = classes
        self.order = order
        self.start = start
        self.special_count = special_count
        self.forbids_overshoot = False
        self.modes = _Modes(classes, name_of_mode)  # type: ignore[assignment]  # a sequence that makes its entries
        mode_count = len(self.modes)
        self.groups = (tuple(order.tolist()),)
        self._validate()
        self.forced_probability = 0.0
        self.forced_passes = 1
        self.class_count = self.choice_count = len(classes.next_mode)
        self.max_added_points = int(classes.added_points.max())
        self.is_nondecreasing = True
        max_decisions = np.zeros(mode_count + self.class_count, dtype=np.int16)
        max_decisions[:mode_count] = 1  # a stop or the roll
        self._max_decisions = max_decisions[:, None]
        self.roll_start = np.arange(mode_count + 1, dtype=np.int32)
        self.class_start = classes.start.astype(np.int32)
        self.total_weight: Doubles = np.add.reduceat(classes.weight, classes.start[:-1]).astype(np.float64)
        self.arrays = self._kernel_arrays()
        self._kernel = PushKernel(
            specials=special_count, start=start, forbid=False, forced_passes=self.forced_passes, **self.arrays
        )

    def _kernel_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the turn as the arrays of the kernel, by their names there."""
        classes, mode_count = self.classes, len(self.modes)
        special_endings = mode_count - 1 - classes.next_mode  # -1 is the first of them; they follow the modes
        destinations = np.where(classes.next_mode >= 0, classes.next_mode, special_endings)
        return {
            "group_start": np.array([0, mode_count], dtype=np.int32),
            "order": self.order.astype(np.int32),
            "bank": np.full(mode_count, self.special_count, dtype=np.int32),
            "bank_from": np.ones(mode_count, dtype=np.int32),
            "most": np.full(mode_count, UNLIMITED_POINTS, dtype=np.int32),
            "throw_start": self.roll_start,
            "class_start": self.class_start,
            "total": self.total_weight,
            "weight": classes.weight.astype(np.float64),
            "choice_start": np.arange(self.class_count + 1, dtype=np.int32),
            "next": destinations.astype(np.int32),
            "add": classes.added_points.astype(np.int32),
            "keeps": np.ones(self.class_count, dtype=np.int32),
        }

    @cached_property
    def class_choices(self) -> tuple[tuple[TurnChoice, ...], ...]:  # type: ignore[override]  # made when asked for
        """The choices of every roll class, in the order of modes and classes."""
        pairs = zip(self.classes.next_mode.tolist(), self.classes.added_points.tolist(), strict=True)
        return tuple((TurnChoice(next_mode, points),) for next_mode, points in pairs)

    @cached_property
    def modes_of_classes(self) -> Ints:
        """The mode of each roll class."""
        return np.repeat(np.arange(len(self.modes)), np.diff(self.classes.start))

    def sum_by_mode(self, by_class: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of a quantity over the roll classes of each mode."""
        return np.asarray(np.add.reduceat(by_class, self.classes.start[:-1]))

    def _validate(self) -> None:
        """Raise ValueError unless every mode is solved once, has a roll, and no turn can go in a circle."""
        start, next_mode, added_points, weight = self.classes
        mode_count = len(self.modes)
        if not np.array_equal(np.sort(self.order), np.arange(mode_count)):
            raise ValueError("the groups must contain every mode once")
        if (np.diff(start) <= 0).any() or (weight <= 0).any():
            raise ValueError("a roll class requires a choice and a positive whole weight")
        place = np.empty(mode_count, dtype=np.int64)  # in solving order
        place[self.order] = np.arange(mode_count)
        goes_on = next_mode >= 0
        is_earlier = place[np.maximum(next_mode, 0)] < place[self.modes_of_classes]
        is_solved = (added_points > 0) | ((added_points == 0) & is_earlier)
        if not is_solved[goes_on].all():
            raise ValueError("choices that add no points could form a cycle")
        if (np.add.reduceat(weight, start[:-1]) >= MAX_ROLL_WEIGHT).any():
            raise ValueError("the weights of a roll add up to more than 10**30")

    @property
    def has_point_limits(self) -> bool:
        """Return False: no mode limits the turn points."""
        return False

    @property
    def last_bank_ending(self) -> int:
        """Return 0: a bank of no points is the same ending in all modes."""
        return 0

    @property
    def forced_mode_count(self) -> int:
        """Return 0: every mode offers a stop."""
        return 0

    @cached_property
    def rolls_per_point(self) -> int:
        """One more than the most choices without points that can follow each other."""
        classes = self.classes
        adds_nothing = (classes.added_points == 0) & (classes.next_mode >= 0)
        modes, followers = self.modes_of_classes[adds_nothing], classes.next_mode[adds_nothing]
        longest = np.zeros(len(self.modes), dtype=np.int64)  # by mode, the most such choices in a row from there on
        while True:
            longer = longest.copy()
            np.maximum.at(longer, modes, longest[followers] + 1)
            if np.array_equal(longer, longest):
                return 1 + int(longest.max())
            longest = longer

    @cached_property
    def riskless_modes(self) -> frozenset[int]:
        """The modes in which every roll goes on, so that nothing can be lost."""
        endings = self.sum_by_mode((self.classes.next_mode < 0).astype(np.int64))
        return frozenset(np.flatnonzero(endings == 0).tolist())

    @property
    def modes_without_stop(self) -> frozenset[int]:
        """The modes in which nobody stops, because nothing can be lost."""
        return self.riskless_modes

    @cached_property
    def stopping_level(self) -> int:
        """The turn points from which stopping is best in every mode that can lose them, if a bust is worth 0.

        A roll that gains g points on average and ends the turn with probability p makes up for the risk below g / p
        turn points. Both are sums over weights here.
        """
        weight = self.classes.weight
        gains = self.sum_by_mode(weight * self.classes.added_points).tolist()
        losses = self.sum_by_mode(weight * (self.classes.next_mode < 0)).tolist()
        return max((-(-gain // loss) for gain, loss in zip(gains, losses, strict=True) if loss), default=0)

    def _next_modes(self, mode: int) -> set[int]:
        """Return the modes that one roll can lead to."""
        start = self.classes.start
        next_modes = self.classes.next_mode[start[mode] : start[mode + 1]]
        return set(next_modes[next_modes >= 0].tolist())
