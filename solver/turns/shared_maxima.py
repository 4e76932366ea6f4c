"""Maxima over the choices of roll classes, computed from each other.

After a roll the best of its choices counts. Different rolls often offer the same choices and a few more. So the maximum
of a class is found from *terms*: choices, and classes whose maxima are known already.

Start reading at ``SharedMaxima``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .push_turn import RollClass, TurnChoice

DiceCounts = tuple[int, ...]  # how many dice of each kind


class SharedMaxima:
    """The terms of the maxima of all modes, as the arrays that the kernels read (``csrc/monotone_turn.h``).

    The maximum of a roll class is the largest of its *terms*. A term is a number that counts within one mode: first the
    choices of the mode, then its classes. A class as a term stands for its own maximum, which has been found earlier.
    In a mode with 5 choices, the terms 3 and 5 are choice 3 and the first class.

    Attributes:
        choice_start, choice_offset: the choices of each mode, each once, and where they lead in the kernel's table.
        class_start, weight: the roll classes of each mode, and their weights.
        term_start, term: the terms of each class.
        max_count: the largest number of choices and classes of a mode together.
    """

    def __init__(
        self,
        classes_of_modes: Sequence[Sequence[RollClass]],
        dice_left: Sequence[DiceCounts],
        offset: Callable[[TurnChoice], int],
    ) -> None:
        """Find the terms, and build the arrays.

        Args:
            classes_of_modes: by mode, the roll classes that go on with the turn.
            dice_left: by mode, the dice that are rolled in it. A choice may lead to any mode, so the dice of all modes
                are needed for the classes of each.
            offset: returns where a choice leads in the kernel's table.
        """
        choice_offsets, terms = list[int](), list[int]()
        weights = list[float]()
        choice_start, class_start, term_start = [0], [0], [0]
        self.max_count = 0
        for classes in classes_of_modes:
            maxima = share_maxima(classes, dice_left)
            choice_offsets += map(offset, maxima.choices)
            choice_start.append(len(choice_offsets))
            weights += map(float, maxima.weights)
            class_start.append(len(weights))
            for terms_of_class in maxima.terms:
                terms += terms_of_class
                term_start.append(len(terms))
            self.max_count = max(self.max_count, len(maxima.choices) + len(maxima.weights))
        self.choice_start = np.array(choice_start, dtype=np.int32)
        self.choice_offset = np.array(choice_offsets, dtype=np.int32)
        self.class_start = np.array(class_start, dtype=np.int32)
        self.weight = np.array(weights)
        self.term_start = np.array(term_start, dtype=np.int32)
        self.term = np.array(terms, dtype=np.int32)


class ClassMaxima(NamedTuple):
    """The terms of the maxima of the roll classes of one mode.

    Attributes:
        choices: all choices of the classes, each once.
        weights: by class, its weight. Classes with fewer choices come first.
        terms: by class, the numbers of its terms. A choice has its index in ``choices``. Classes are numbered after the
            choices, in their order; terms that are classes stand before the class.
    """

    choices: list[TurnChoice]
    weights: list[int]
    terms: list[list[int]]


def share_maxima(classes: Sequence[RollClass], dice_left: Sequence[DiceCounts]) -> ClassMaxima:
    """Find terms for the maxima of all roll classes.

    A set of choices is a number with one bit for each choice. Of the choices of a class, those that do not take the
    most dice of some kind are often a class too. The largest such classes become terms, as long as each covers at least
    two further choices. The choices that are not covered are terms themselves.

    Args:
        classes: the roll classes, each with at least one choice.
        dice_left: by mode, the dice that are rolled in it.
    """
    choices = list(dict.fromkeys(choice for offered, _ in classes for choice in offered))
    bit_of_choice = {choice: 1 << number for number, choice in enumerate(choices)}
    leaving = [_choices_by_dice_left(choices, dice_left, kind) for kind in range(len(dice_left[0]))]
    maxima = ClassMaxima(choices, [], [])
    class_numbers = dict[int, int]()  # by set of choices
    for offered, weight in sorted(classes, key=lambda roll_class: len(roll_class[0])):
        choice_set = sum(bit_of_choice[choice] for choice in offered)
        subsets = [
            subset for of_kind in leaving if (subset := _without_most_dice(choice_set, of_kind)) in class_numbers
        ]
        terms = list[int]()
        uncovered = choice_set
        while subsets:
            largest = max(subsets, key=lambda subset: (subset & uncovered).bit_count())
            if (largest & uncovered).bit_count() < 2:
                break
            terms.append(class_numbers[largest])
            uncovered &= ~largest
        while uncovered:
            lowest_bit = uncovered & -uncovered
            terms.append(lowest_bit.bit_length() - 1)
            uncovered ^= lowest_bit
        class_numbers[choice_set] = len(choices) + len(maxima.terms)
        maxima.weights.append(weight)
        maxima.terms.append(terms)
    return maxima


def _choices_by_dice_left(choices: Sequence[TurnChoice], dice_left: Sequence[DiceCounts], kind: int) -> list[int]:
    """Return, by n, the set of choices that leave at least n dice of a kind. Those that set aside all dice leave none.

    Args:
        choices: the choices.
        dice_left: by mode, the dice that are rolled in it.
        kind: the kind of dice.
    """
    all_dice = max(dice_left, key=sum)  # they are rolled after all dice have been set aside
    sets = [0] * (all_dice[kind] + 1)
    for number, choice in enumerate(choices):
        left = dice_left[choice.next_mode]
        for count in range((0 if left == all_dice else left[kind]) + 1):
            sets[count] |= 1 << number
    return sets


def _without_most_dice(choice_set: int, leaving: Sequence[int]) -> int:
    """Return a set of choices without those that leave the fewest dice of a kind; 0 if all leave equally many.

    Args:
        choice_set: the set.
        leaving: by n, the set of choices that leave at least n dice of the kind.
    """
    for choices in leaving:
        if choice_set & choices != choice_set:
            return choice_set & choices
    return 0
