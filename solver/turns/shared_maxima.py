"""Maxima over the choices of roll classes, computed from each other.

After a roll the best of its choices counts. Different rolls often offer the same choices and a few more. So the maximum
of a class is found from *terms*: choices, and classes whose maxima are known already.

Start reading at ``SharedMaxima``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, groupby
from typing import NamedTuple

import numpy as np

from ..core.race import LANES
from .push_turn import RollClass, TurnChoice

DiceCounts = tuple[int, ...]  # how many dice of each kind


class SharedMaxima:
    """The terms of the maxima of all modes, as the arrays that the kernels read (``csrc/monotone_turn.h``).

    Attributes:
        choice_start, choice_offset: the choices of each mode, each once, and where they lead in the kernel's table.
        run_start, run: the runs of each mode, one row for each. A run is classes with equally many terms. Its row is:
            the number of classes; the number of terms of a class; by how much the places of their maxima differ, which
            is 0 if these maxima are no terms and need not be kept; and where its weights and its terms begin.
        weight: the weights of the classes of all runs.
        term: the terms of these classes, as places among the choices and maxima of the mode.
        max_count: the largest number of places of a mode.
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
        runs = list[tuple[int, ...]]()
        choice_start, run_start = [0], [0]
        self.max_count = 0
        for classes in classes_of_modes:
            maxima = share_maxima(classes, dice_left)
            choice_offsets += map(offset, maxima.choices)
            choice_start.append(len(choice_offsets))
            first = 0
            for (term_count, is_kept), group in groupby(map(maxima.run_of, range(len(maxima.terms)))):
                end = first + len(list(group))
                runs.append((end - first, term_count, LANES * is_kept, len(weights), len(terms)))
                weights += map(float, maxima.weights[first:end])
                terms += chain.from_iterable(maxima.terms[first:end])
                first = end
            run_start.append(len(runs))
            # All maxima that are not kept share the last place.
            self.max_count = max(self.max_count, len(maxima.choices) + maxima.kept_count + 1)
        self.choice_start = np.array(choice_start, dtype=np.int32)
        self.choice_offset = np.array(choice_offsets, dtype=np.int32)
        self.run_start = np.array(run_start, dtype=np.int32)
        self.run = np.array(runs, dtype=np.int32)
        self.weight = np.array(weights)
        self.term = LANES * np.array(terms, dtype=np.int32)


class ClassMaxima(NamedTuple):
    """The terms of the maxima of the roll classes of one mode.

    Classes whose maxima are terms come first. Apart from that, classes with equally many terms stand together as far as
    possible, because each class comes after its terms.

    Attributes:
        choices: all choices of the classes, each once.
        weights: by class, its weight.
        terms: by class, the numbers of its terms. A choice has its index in ``choices``. Classes are numbered after the
            choices, in their order; terms that are classes stand before the class.
        kept_count: the number of classes that are terms.
    """

    choices: list[TurnChoice]
    weights: list[int]
    terms: list[list[int]]
    kept_count: int

    def run_of(self, number: int) -> tuple[int, bool]:
        """Return the number of terms of a class, and whether its maximum is a term.

        Adjacent classes for which both are equal form a run.

        Args:
            number: the number of the class among the classes.
        """
        return len(self.terms[number]), number < self.kept_count


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
    by_size = sorted(classes, key=lambda roll_class: len(roll_class[0]))
    class_numbers = dict[int, int]()  # by set of choices, in the order of ``by_size``
    class_terms, choice_terms = list[list[int]](), list[list[int]]()  # by class
    for number, (offered, _) in enumerate(by_size):
        choice_set = sum(bit_of_choice[choice] for choice in offered)
        subsets = [
            subset for of_kind in leaving if (subset := _without_most_dice(choice_set, of_kind)) in class_numbers
        ]
        class_terms.append([])
        uncovered = choice_set
        while subsets:
            largest = max(subsets, key=lambda subset: (subset & uncovered).bit_count())
            if (largest & uncovered).bit_count() < 2:
                break
            class_terms[-1].append(class_numbers[largest])
            uncovered &= ~largest
        choice_terms.append(_members(uncovered))
        class_numbers[choice_set] = number
    return _in_runs(choices, [weight for _, weight in by_size], class_terms, choice_terms)


def _members(bits: int) -> list[int]:
    """Return the numbers of the bits that are set."""
    members = list[int]()
    while bits:
        lowest_bit = bits & -bits
        members.append(lowest_bit.bit_length() - 1)
        bits ^= lowest_bit
    return members


def _in_runs(
    choices: list[TurnChoice],
    weights: Sequence[int],
    class_terms: Sequence[Sequence[int]],
    choice_terms: Sequence[Sequence[int]],
) -> ClassMaxima:
    """Return the classes in the order of ``ClassMaxima``.

    The level of a class is one more than the levels of its terms. Classes of one level do not depend on each other.

    Args:
        choices: all choices of the classes.
        weights: by class, its weight.
        class_terms: by class, the numbers of earlier classes that are its terms.
        choice_terms: by class, the indices of the choices that are its terms.
    """
    levels = list[int]()
    for terms in class_terms:
        levels.append(1 + max((levels[term] for term in terms), default=0))
    kept = {term for terms in class_terms for term in terms}
    term_counts = [len(classes) + len(of_class) for classes, of_class in zip(class_terms, choice_terms, strict=True)]

    def sort_key(number: int) -> tuple[bool, int, int]:
        return (number not in kept, levels[number] if number in kept else 0, term_counts[number])

    order = sorted(range(len(weights)), key=sort_key)
    numbers = {number: len(choices) + place for place, number in enumerate(order)}
    return ClassMaxima(
        choices,
        [weights[number] for number in order],
        [[*(numbers[term] for term in class_terms[number]), *choice_terms[number]] for number in order],
        len(kept),
    )


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
