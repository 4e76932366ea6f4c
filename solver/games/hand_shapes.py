"""The choices after a roll of dice that may all be different, tabulated once for all hands.

What may be set aside depends on the faces of the roll only, and not on the weights of the dice. So the choices are
listed by *position*: die 0, die 1, and so on. A set of dice is a mask, in which bit i is die i. Rolls that offer the
same sets for the same points form a *position class*. Six dice of six faces have 46,656 ordered rolls, but only some
4,000 position classes. A hand merely weighs these classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..util import multiset

Ints = NDArray[np.int64]

MAX_TABLE_SIZE = 1 << 24  # ordered rolls times masks
MAX_WEIGHT = 1 << 62  # the weights of all ordered rolls must add up to less

Counts = tuple[int, ...]  # how often each face shows
CodedSets = Sequence[tuple[Counts, int]]  # face counts of a set, and the code of what it offers
PositionChoices = tuple[tuple[int, int], ...]  # (mask, code)


def can_tabulate(total_weights: Sequence[int], faces: int) -> bool:
    """Return whether a table of rolls serves a hand: it is small enough, and its weights are exact.

    Args:
        total_weights: by die, the number of equally likely sides.
        faces: the number of different faces.
    """
    return _has_small_table(len(total_weights), faces) and math.prod(total_weights) < MAX_WEIGHT


def _has_small_table(dice: int, faces: int) -> bool:
    return dice >= 1 and (2 * faces) ** dice <= MAX_TABLE_SIZE


class RollShapes(NamedTuple):
    """All ordered rolls of some dice, and the choices that each of them offers.

    Attributes:
        rolls: (rolls, dice), the face of each die, in lexicographic order.
        class_of_roll: (rolls,), the position class of each roll.
        choices: the choices of each class: sets of fewer dice first, and among those, sets with the earlier dice. A
            class without choices is a bust. The mask 0 stands for a roll that counts as a whole.
    """

    rolls: NDArray[np.uint8]
    class_of_roll: NDArray[np.int32]
    choices: tuple[PositionChoices, ...]


def tabulate_rolls(
    dice: int,
    faces: int,
    coded_sets: Callable[[Counts], CodedSets],
    points_of: Callable[[int], int] = lambda code: 0,
) -> RollShapes:
    """List all ordered rolls of ``dice`` dice, and group those that offer the same choices.

    Args:
        dice: the number of dice.
        faces: the number of faces of each die.
        coded_sets: returns the sets that may be taken from a roll, given by its face counts. A code is a
            positive number that stands for what follows, such as the points. The set of no dice is the whole roll.
        points_of: returns the points of a code. The choices of a class with the most points come first.

    Raises:
        ValueError: the table would be too large.
    """
    if not _has_small_table(dice, faces):
        raise ValueError(f"{dice} dice with {faces} faces have too many rolls to tabulate")
    rolls = np.indices((faces,) * dice, dtype=np.uint8).reshape(dice, -1).T
    order = np.argsort(rolls, axis=1, kind="stable").astype(np.uint8)  # sorted die j of a roll is die order[roll, j]
    face_counts = (rolls[:, :, None] == np.arange(faces, dtype=np.uint8)).sum(axis=1, dtype=np.uint8)
    shape_of_roll = multiset.multiset_indices(face_counts)
    codes_of_shapes, shape_class = _distinct_rows(_codes_by_shape(dice, faces, coded_sets))
    orders, order_of_roll = _distinct_rows(order)
    # Rolls with equal codes by sorted mask and the same order of their dice have equal codes by mask.
    pairs, pair_of_roll = np.unique(shape_class[shape_of_roll] * len(orders) + order_of_roll, return_inverse=True)
    shape_of_pair, order_of_pair = np.divmod(pairs, len(orders))
    is_taken = np.arange(1 << dice)[:, None] >> np.arange(dice) & 1  # (masks, dice)
    sorted_masks = (is_taken[:, orders] << np.arange(dice)).sum(axis=2).T  # (orders, masks)
    codes = codes_of_shapes[shape_of_pair[:, None], sorted_masks[order_of_pair]]  # by pair and mask
    distinct_codes, class_of_pair = _distinct_rows(codes)
    class_of_roll = class_of_pair[pair_of_roll.ravel()]
    preferred_masks = sorted(range(1 << dice), key=lambda mask: (mask.bit_count(), _reversed_bits(mask, dice)))
    points = np.array([points_of(code) for code in range(int(codes.max(initial=0)) + 1)], dtype=np.int64)
    choices = _ordered_choices(distinct_codes, np.array(preferred_masks), points)
    return RollShapes(rolls, class_of_roll.astype(np.int32), choices)


def _distinct_rows(table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct rows of a table in the order of their bytes, and the number of each row among them."""
    table = np.ascontiguousarray(table)
    row_type = np.dtype((np.void, table.strides[0]))
    _, first_rows, number_of_row = np.unique(table.view(row_type).ravel(), return_index=True, return_inverse=True)
    return table[first_rows], number_of_row.ravel()


def _codes_by_shape(dice: int, faces: int, coded_sets: Callable[[Counts], CodedSets]) -> NDArray[np.uint16]:
    """Return the code of each mask of a sorted roll, by multiset of faces: (multisets, masks)."""
    shapes = multiset.list_multisets(dice, faces)
    codes = np.zeros((len(shapes), 1 << dice), dtype=np.uint16)
    radix = dice + 1
    for number, counts in enumerate(map(tuple, shapes.tolist())):
        # A set of faces as a number, to which a die adds a power of the radix.
        code_by_set = {_set_number(dice_set, radix): code for dice_set, code in coded_sets(counts)}
        sorted_roll = [face for face, count in enumerate(counts) for _ in range(count)]
        set_numbers = [0]  # by mask
        for face in sorted_roll:
            set_numbers += [set_number + radix**face for set_number in set_numbers]
        codes[number] = [code_by_set.get(set_number, 0) for set_number in set_numbers]
    return codes


def _set_number(counts: Counts, radix: int) -> int:
    return sum(count * radix**face for face, count in enumerate(counts))


def _reversed_bits(mask: int, dice: int) -> int:
    """Return a sort key in which masks with the earlier dice come first."""
    return -sum((mask >> die & 1) << (dice - 1 - die) for die in range(dice))


def _ordered_choices(
    codes: NDArray[np.uint16], masks: NDArray[np.int64], points: NDArray[np.int64]
) -> tuple[PositionChoices, ...]:
    """Return the masks that may be taken, with their codes, for each row of codes: those of most points first.

    Args:
        codes: (rows, masks), the code of each mask; 0 if it may not be taken.
        masks: the masks in order of preference, for equal points.
        points: the points of each code.
    """
    preferred_codes = codes[:, masks]
    _, rank = np.unique(-points, return_inverse=True)  # of codes; 16 bits are sorted fast
    order = np.argsort(rank.ravel().astype(np.uint16)[preferred_codes], axis=1, kind="stable")
    ordered_codes = np.take_along_axis(preferred_codes, order, axis=1)
    rows, places = np.nonzero(ordered_codes)
    choice_numbers = masks[order[rows, places]] * len(points) + ordered_codes[rows, places]
    distinct, number_of_choice = np.unique(choice_numbers, return_inverse=True)
    choice_list = [divmod(number, len(points)) for number in distinct.tolist()]
    choices = [choice_list[number] for number in number_of_choice.ravel().tolist()]
    ends = np.cumsum(np.count_nonzero(ordered_codes, axis=1)).tolist()
    return tuple(tuple(choices[start:end]) for start, end in zip([0, *ends], ends, strict=False))


class WeighedClasses(NamedTuple):
    """The position classes of a hand, in the order of their first rolls.

    Attributes:
        classes: the numbers of the classes.
        weights: how many ordered rolls of sides each class has.
    """

    classes: list[int]
    weights: list[int]


def weigh_classes(shapes: RollShapes, kinds: Sequence[int], weights_by_kind: Sequence[Sequence[int]]) -> WeighedClasses:
    """Weigh the position classes for a hand.

    Of rolls that differ by an exchange of dice of one kind, only the one whose dice ascend is listed, with the weight
    of all.

    Args:
        shapes: the table for as many dice as the hand has.
        kinds: the kind of each die, ascending.
        weights_by_kind: by kind and face, how many equally likely sides show the face.

    Raises:
        ValueError: the weights are too large for exact arithmetic.
    """
    weights_of_dice = np.array([weights_by_kind[kind] for kind in kinds], dtype=np.int64)  # (dice, faces)
    if math.prod(sum(weights_by_kind[kind]) for kind in kinds) >= MAX_WEIGHT:
        raise ValueError("the weights of a hand are too large")
    weights = np.ones(len(shapes.rolls), dtype=np.int64)
    orders = np.ones(len(shapes.rolls), dtype=np.int64)
    is_listed = np.ones(len(shapes.rolls), dtype=bool)
    run = np.ones(len(shapes.rolls), dtype=np.int64)  # neighbours of one kind that show the same face, so far
    for die, kind in enumerate(kinds):
        faces = shapes.rolls[:, die]
        weights *= weights_of_dice[die, faces]
        if not die or kinds[die - 1] != kind:
            run[:] = 1
            continue
        previous_faces = shapes.rolls[:, die - 1]
        is_listed &= previous_faces <= faces
        run = np.where(previous_faces == faces, run + 1, 1)
        place = kinds[: die + 1].count(kind)
        orders = orders * place // run  # a multinomial coefficient: each step has a whole result
    roll_numbers = np.flatnonzero(is_listed & (weights > 0))
    classes, first_place, place_of_roll = np.unique(
        shapes.class_of_roll[roll_numbers], return_index=True, return_inverse=True
    )
    class_weights = np.zeros(len(classes), dtype=np.int64)
    np.add.at(class_weights, place_of_roll, (weights * orders)[roll_numbers])
    order = np.argsort(first_place)
    return WeighedClasses(classes[order].tolist(), class_weights[order].tolist())
