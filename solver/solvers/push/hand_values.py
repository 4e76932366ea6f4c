"""The most expected points of a turn, for many hands of dice at once.

All hands of a game share the tables of rolls by position (``games.hand_shapes``), and differ in the weights of the
faces. So a kernel solves several hands side by side, without a turn model for each of them. The equations and the
reason why few modes matter at many turn points stand in ``csrc/hands_kernel.h``.

Start reading at ``HandSolver.solve``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.hands import LANES, MAX_DICE, HandsKernel
from ...games.hand_shapes import PositionChoices, can_tabulate
from ...games.push_rules import PushRules, RollTables, SetOffer
from ..rounding_bounds import UNIT_ROUNDOFF

Ints = NDArray[np.int32]
Doubles = NDArray[np.float64]

MAX_EXACT_PRODUCT = 1 << 53  # whole numbers below it are exact in float64
MAX_ROWS = 200_000  # turn points that are tabulated, in units; hands that hardly ever bust need more
SUM_PART = 64  # classes that the kernel adds up by themselves
OTHER_ROUNDINGS = 6  # of a roll besides its sum: product and quotient; one more than there are of each, and spare ones
SET_ASIDE = ("free", "all", "all-or-none")  # ways of setting dice aside that depend on the roll only
LN_2 = 0.6931471805599454  # rounded up
BANK = -1  # the mask of an offer that ends the turn


class _Rolls(NamedTuple):
    """The rolls of some dice; ``csrc/hands_kernel.h`` explains the arrays."""

    class_of_roll: Ints
    best_points: Ints


class _Choices(NamedTuple):
    """The choices of these rolls at one level; ``csrc/hands_kernel.h`` explains the arrays."""

    merged: Ints
    offer_mask: Ints
    offer_points: Ints
    choice_start: Ints
    choice: Ints


class HandValues(NamedTuple):
    """The expected points of some hands.

    Attributes:
        points: (hands,) the most expected points of a turn; NaN for a hand that hardly ever busts, which takes a solver
            with larger tables.
        error_bounds: (hands,) the largest possible errors of ``points``.
    """

    points: Doubles
    error_bounds: Doubles


def is_plain(rules: PushRules) -> bool:
    """Return whether turns have nothing but sets that add points, so that the kernel for many hands solves them."""
    has_plain_turns = (
        rules.set_aside in SET_ASIDE
        and rules.then_set == "roll"
        and rules.then_all == "roll"
        and rules.then_dice == "all"
        and rules.best == "highest"
        and not (rules.specials or rules.bust_costs or rules.bust_above or rules.has_confirmations)
    )
    return has_plain_turns and all(pattern.points > 0 for pattern in rules.patterns)


class HandSolver:
    """Solves hands of dice under the rules of one game.

    Attributes:
        rules: the rules.
        kinds: by kind of die, how many equally likely sides show each face.
        size: the number of dice of a hand.
    """

    def __init__(self, rules: PushRules, kinds: Sequence[Sequence[int]], size: int) -> None:
        """Tabulate the rolls.

        Args:
            rules: rules of dice that are alike, for which ``can_solve`` is true.
            kinds: by kind of die, how many equally likely sides show each face.
            size: the number of dice of a hand.
        """
        self.rules = rules
        self.kinds = np.array(kinds, dtype=np.float64)
        self.size = size
        tables = rules.roll_tables
        rolls: list[_Rolls] = []
        choices: list[list[_Choices]] = []
        self._max_classes = 0
        self._max_points = 0
        for dice in range(1, size + 1):
            table = tables.by_size(dice)
            units = [_in_units(sets, tables, rules.grain) for sets in table.choices]
            number_of_class = np.full(len(units), -1, dtype=np.int32)
            scoring = [number for number, sets in enumerate(units) if sets]
            number_of_class[scoring] = np.arange(len(scoring))
            sets_of_class = [units[number] for number in scoring]
            best_points = np.array([max(points for _, points in sets) for sets in sets_of_class], dtype=np.int32)
            rolls.append(_Rolls(number_of_class[table.class_of_roll], best_points))
            choices.append([_choices_at_level(sets_of_class, dice, level) for level in range(1, size + 1)])
            self._max_classes = max(self._max_classes, len(scoring))
            self._max_points = max(self._max_points, *best_points.tolist(), 0)
        self._kernel = HandsKernel(len(rules.faces), rolls, choices)

    @staticmethod
    def can_solve(rules: PushRules, kinds: Sequence[Sequence[int]], size: int) -> bool:
        """Return whether the turns of all hands are plain, small enough to tabulate, and exact in float64."""
        largest = max(map(sum, kinds))
        return (
            size <= MAX_DICE
            and is_plain(rules)
            and can_tabulate([largest] * size, len(rules.faces))
            and largest**size < MAX_EXACT_PRODUCT
        )

    def solve(self, hands: NDArray[np.integer], min_bank: int, goal: float = math.inf) -> HandValues:
        """Solve hands.

        Args:
            hands: (hands, size), the kinds of the dice of each hand. Hands whose equal dice stand at the same places,
                one after another, are solved together.
            min_bank: the fewest points, in units, of a bank that counts.
            goal: a bank is worth at most so many points.
        """
        patterns = np.zeros(hands.shape, dtype=np.uint8)  # whether a die is like the die before it
        patterns[:, 1:] = hands[:, 1:] == hands[:, :-1]
        order = np.lexsort(patterns.T[::-1])
        starts = np.flatnonzero(np.append(True, (patterns[order][1:] != patterns[order][:-1]).any(axis=1)))
        groups = np.split(order, starts[1:])
        blocks = [_padded(group[first : first + LANES]) for group in groups for first in range(0, len(group), LANES)]
        hand_of_lane = np.array(blocks, dtype=np.int64).reshape(-1, LANES)
        weights = np.ascontiguousarray(self.kinds[hands[hand_of_lane]].transpose(0, 2, 3, 1))
        points, bust_chances = np.empty(hand_of_lane.shape), np.empty(hand_of_lane.shape)
        rows = np.empty(len(hand_of_lane), dtype=np.int64)
        is_alike = np.ascontiguousarray(patterns[hand_of_lane[:, 0]])
        grain = self.rules.grain
        self._kernel.solve(weights, is_alike, min_bank, goal / grain, MAX_ROWS, points, bust_chances, rows)
        values = HandValues(np.empty(len(hands)), np.empty(len(hands)))
        values.points[hand_of_lane] = points * grain
        values.error_bounds[hand_of_lane] = self._error_bounds(points * grain, bust_chances, rows[:, None])
        return values

    def _error_bounds(self, points: Doubles, bust_chances: Doubles, rows: NDArray[np.int64]) -> Doubles:
        """Return bounds of the rounding errors of hands.

        A roll of n classes has a relative rounding error of at most r = (n / 64 + 64 + 6) 2^-53. Sums are taken in
        parts of 64. All terms are positive, so its error is at most r V plus the average error of what follows. What
        follows has V on average or less. So k rolls have an error of at most k r V. There are no more rolls than turn
        points. Later rolls matter less: k rolls pass without a bust with probability q^k at most, and then are worth
        B, the most turn points, at most. So

            error <= r min(rows V, k V + B q^k / (1 - q)),  k the least number with B q^k <= V.
        """
        rounding = (self._max_classes / SUM_PART + SUM_PART + OTHER_ROUNDINGS) * UNIT_ROUNDOFF
        max_points = (rows + float(self._max_points)) * self.rules.grain
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # No logarithms, whose bits depend on the processor: B / V < 2^e, and -ln q >= 1 - q, the chance of a bust.
            exponents = np.frexp(np.maximum(max_points / points, 1))[1]  # of 2
            steps = np.ceil(exponents * LN_2 / bust_chances)
            rolls = np.fmin(rows, steps + 1 / bust_chances)  # fmin: a hand without points may leave NaN
        return np.asarray(points * rolls * rounding * 2)  # twice: terms of second order, and the rounding of this bound


def _in_units(sets: PositionChoices, tables: RollTables, grain: int) -> PositionChoices:
    """Return the choices of a class with points, in units, in the place of codes."""
    offers: Sequence[SetOffer] = tables.offers
    return tuple((mask, offers[code].points // grain) for mask, code in sets)


def _choices_at_level(sets_of_class: Sequence[PositionChoices], dice: int, level: int) -> _Choices:
    """Return the choices of some dice if modes of fewer than ``level`` dice stop.

    Args:
        sets_of_class: the choices of each class as (mask, points in units).
        dice: the number of dice.
        level: the fewest dice that are rolled.
    """
    number_by_choices: dict[PositionChoices, int] = {}
    offers: dict[tuple[int, int], int] = {}
    merged = []
    for sets in sets_of_class:
        rolling, best_bank = list[tuple[int, int]](), 0
        for mask, points in sets:
            remaining = dice - mask.bit_count()
            if remaining == 0 or remaining >= level:
                rolling.append((mask, points))
            else:
                best_bank = max(best_bank, points)
        if best_bank:
            rolling.append((BANK, best_bank))
        merged.append(number_by_choices.setdefault(tuple(rolling), len(number_by_choices)))
    choice, start = list[int](), [0]
    for offered in number_by_choices:
        choice += [offers.setdefault(offer, len(offers)) for offer in offered]
        start.append(len(choice))
    masks, points_of_offers = zip(*offers, strict=True) if offers else ((), ())
    arrays = (merged, masks, points_of_offers, start, choice)
    return _Choices(*(np.array(array, dtype=np.int32) for array in arrays))


def _padded(lanes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the hands of a block, the last one repeated for lanes that have none."""
    return np.pad(lanes, (0, LANES - len(lanes)), mode="edge")
