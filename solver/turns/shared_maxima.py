"""Maxima over the choices of roll classes, computed from each other.

After a roll the best of its choices counts. Different rolls often offer the same choices and a few more. So the maximum
of a class is found from *terms*: choices, and classes whose maxima are known already.

Start reading at ``SharedMaxima``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple

import numpy as np

from ..core.race import LANES
from .push_turn import RollClass, TurnChoice

DiceCounts = tuple[int, ...]  # how many dice of each kind

MIN_COVERED = 2  # a class is a term of a larger one only if it replaces at least so many choices


class SharedMaxima:
    """The terms of the maxima of all modes, as the arrays that the kernels read (``csrc/monotone_turn.h``).

    Attributes:
        choice_start, choice_offset: the choices of each mode, each once, and where they lead in the kernel's table.
        run_start, run: where the runs of each mode begin, and (runs, 5) a ``MaximaRun`` as a row for each.
        weight: the weights of the classes of all runs.
        term: the terms of these classes, as places among the choices and maxima of the mode, in doubles: a place holds
            ``LANES`` of them.
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
        runs = list[MaximaRun]()
        choice_start, run_start = [0], [0]
        self.max_count = 0
        for classes in classes_of_modes:
            maxima = share_maxima(classes, dice_left)
            choice_offsets += map(offset, maxima.choices)
            choice_start.append(len(choice_offsets))
            for classes_of_run in maxima.runs():
                first_class = classes_of_run.start
                run = MaximaRun(
                    class_count=len(classes_of_run),
                    term_count=len(maxima.terms[first_class]),
                    step=LANES if maxima.is_kept(first_class) else 0,
                    first_weight=len(weights),
                    first_term=len(terms),
                )
                runs.append(run)
                for number in classes_of_run:
                    weights.append(float(maxima.weights[number]))
                    terms += maxima.terms[number]
            run_start.append(len(runs))
            # All maxima that are not kept share the last place.
            self.max_count = max(self.max_count, len(maxima.choices) + maxima.kept_count + 1)
        self.choice_start = np.array(choice_start, dtype=np.int32)
        self.choice_offset = np.array(choice_offsets, dtype=np.int32)
        self.run_start = np.array(run_start, dtype=np.int32)
        self.run = np.array(runs, dtype=np.int32)
        self.weight = np.array(weights)
        self.term = LANES * np.array(terms, dtype=np.int32)


class MaximaRun(NamedTuple):
    """Roll classes of one mode with equally many terms, which the kernels evaluate in one loop.

    Attributes:
        class_count: the number of classes.
        term_count: the number of terms of each class.
        step: how many doubles further the maximum of the next class is kept; 0 if these maxima are no terms. Then they
            need not be kept, and overwrite each other.
        first_weight, first_term: where the weights of the classes, and the terms of the first class, begin.
    """

    class_count: int
    term_count: int
    step: int
    first_weight: int
    first_term: int


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

    def is_kept(self, class_index: int) -> bool:
        """Return whether the maximum of a class is a term of another class."""
        return class_index < self.kept_count  # these classes come first

    def runs(self) -> Iterator[range]:
        """Yield the runs: adjacent classes, by index, with equally many terms, whose maxima are all kept or all not."""

        def run_key(class_index: int) -> tuple[int, bool]:
            return len(self.terms[class_index]), self.is_kept(class_index)

        for _, indices in groupby(range(len(self.terms)), run_key):
            first, *others = indices
            yield range(first, first + 1 + len(others))


def share_maxima(classes: Sequence[RollClass], dice_left: Sequence[DiceCounts]) -> ClassMaxima:
    """Find terms for the maxima of all roll classes.

    A set of choices is a bit set. If the choices of a class are also offered by a larger class, the maximum of the
    smaller one can be a term of the larger one. Such a class is looked for by leaving out the choices that take the
    most dice of some kind. The choices that no such class covers are terms themselves.

    Args:
        classes: the roll classes, each with at least one choice.
        dice_left: by mode, the dice that are rolled in it.
    """
    choices = list(dict.fromkeys(choice for offered, _ in classes for choice in offered))
    bit_of_choice = {choice: 1 << number for number, choice in enumerate(choices)}
    kinds = range(len(dice_left[0]))
    choices_by_dice_left = [_choices_by_dice_left(choices, dice_left, kind) for kind in kinds]
    by_size = sorted(classes, key=lambda roll_class: len(roll_class[0]))  # a class comes after its subsets
    class_numbers = dict[int, int]()  # by set of choices, in the order of ``by_size``
    class_terms, choice_terms = list[list[int]](), list[list[int]]()  # by class
    for number, (offered, _) in enumerate(by_size):
        choice_set = sum(bit_of_choice[choice] for choice in offered)
        subsets = [_without_fewest_left(choice_set, of_kind) for of_kind in choices_by_dice_left]
        cover, uncovered = _cover(choice_set, [subset for subset in subsets if subset in class_numbers])
        class_terms.append([class_numbers[subset] for subset in cover])
        choice_terms.append(_members(uncovered))
        class_numbers[choice_set] = number
    return _sorted_maxima(choices, [weight for _, weight in by_size], class_terms, choice_terms)


def _cover(choice_set: int, subsets: Sequence[int]) -> tuple[list[int], int]:
    """Cover most of a set of choices by subsets, of which the one that covers the most further choices is next.

    Subsets may overlap: a choice that counts twice does not change a maximum.

    Args:
        choice_set: the set.
        subsets: subsets of it to select from.

    Returns:
        The selected subsets, each of which covers at least ``MIN_COVERED`` further choices; and the set of the choices
        that none of them covers.
    """
    cover = list[int]()
    uncovered = choice_set
    while subsets:
        further_choices = [(subset & uncovered).bit_count() for subset in subsets]
        most = max(further_choices)
        if most < MIN_COVERED:
            break
        selected = subsets[further_choices.index(most)]
        cover.append(selected)
        uncovered &= ~selected
    return cover, uncovered


def _members(bits: int) -> list[int]:
    """Return the numbers of the bits that are set."""
    members = list[int]()
    while bits:
        lowest_bit = bits & -bits
        members.append(lowest_bit.bit_length() - 1)
        bits ^= lowest_bit
    return members


def _sorted_maxima(
    choices: list[TurnChoice],
    weights: Sequence[int],
    class_terms: Sequence[Sequence[int]],
    choice_terms: Sequence[Sequence[int]],
) -> ClassMaxima:
    """Return the classes in the order of ``ClassMaxima``.

    The level of a class is one more than the highest level of its terms. So classes of one level are not terms of each
    other, and may be sorted by their number of terms.

    Args:
        choices: all choices of the classes.
        weights: by class, its weight.
        class_terms: by class, the numbers of earlier classes that are its terms.
        choice_terms: by class, the indices of the choices that are its terms.
    """
    levels = list[int]()
    for terms in class_terms:
        levels.append(1 + max((levels[term] for term in terms), default=0))
    term_counts = [len(terms) + len(indices) for terms, indices in zip(class_terms, choice_terms, strict=True)]
    terms_of_any_class = set(chain.from_iterable(class_terms))
    kept_classes = sorted(terms_of_any_class)
    kept_classes.sort(key=lambda number: (levels[number], term_counts[number]))
    # All terms of the other classes are among the kept classes, so their levels do not matter.
    other_classes = [number for number in range(len(weights)) if number not in terms_of_any_class]
    other_classes.sort(key=lambda number: term_counts[number])
    order = kept_classes + other_classes
    new_numbers = {number: len(choices) + index for index, number in enumerate(order)}  # after those of the choices
    terms_in_order = list[list[int]]()
    for number in order:
        earlier_classes = [new_numbers[term] for term in class_terms[number]]
        terms_in_order.append([*earlier_classes, *choice_terms[number]])
    return ClassMaxima(choices, [weights[number] for number in order], terms_in_order, len(kept_classes))


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
        rolled_next = dice_left[choice.next_mode]
        left = 0 if rolled_next == all_dice else rolled_next[kind]
        for count in range(left + 1):
            sets[count] |= 1 << number
    return sets


def _without_fewest_left(choice_set: int, choices_by_dice_left: Sequence[int]) -> int:
    """Return a set of choices without those that leave the fewest dice of a kind; 0 if all leave equally many.

    Args:
        choice_set: the set.
        choices_by_dice_left: by n from 0 on, the set of choices that leave at least n dice of the kind.
    """
    for choices in choices_by_dice_left:  # let k be the fewest dice left: all choices leave at least 0, ..., k dice
        remaining_choices = choice_set & choices
        if remaining_choices != choice_set:  # n = k + 1
            return remaining_choices
    return 0
