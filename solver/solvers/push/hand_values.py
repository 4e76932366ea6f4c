"""The most expected points of a turn, for many hands of dice at once.

All hands of a game share the tables of rolls by position (``games.hand_shapes``), and differ in the weights of the
faces. So a kernel solves several hands side by side, without a turn model for each of them. The equations and the
reason why few modes matter at many turn points stand in ``csrc/hands_kernel.h``. So does the reason why few rows of
turn points give an upper bound, which excludes most hands from a ranking.

Start reading at ``HandSolver.solve``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.hands import LANES, MAX_DICE, HandsKernel
from ...games.hand_shapes import PositionChoices, can_tabulate
from ...games.push_rules import PushRules, RollTables, SetOffer
from ..rounding_bounds import UNIT_ROUNDOFF

Ints = NDArray[np.int32]
Doubles = NDArray[np.float64]
_Key = TypeVar("_Key")

MAX_EXACT_PRODUCT = 1 << 53  # whole numbers below it are exact in float64
MAX_ROWS = 200_000  # turn points that are tabulated, in units; hands that hardly ever bust need more
SUM_PART = 64  # classes that the kernel adds up by themselves
OTHER_ROUNDINGS = 6  # of a roll besides its sum: a product, a quotient, 3 of a bound's interpolation; 1 is spare
FIRST_STEP = 4  # units between the first turn points of a bound that are not all tabulated
STEP_GROWTH = 4  # each step between turn points is longer than the one before by this part of it
KERNEL_SET_ASIDE = ("free", "all", "all-or-none")  # ways of setting dice aside that depend on the roll only
LN_2 = 0.6931471805599454  # rounded up
BANK = -1  # the mask of an offer that ends the turn


class _Rolls(NamedTuple):
    """The rolls of some number of dice, as the kernel reads them (``csrc/hands_kernel.h``).

    Attributes:
        class_of_roll: (faces ** dice,), the roll class of each roll; -1 for a bust. The faces of the dice are the
            digits of a roll's number, the first die's face first.
        best_points: (classes,), the most points, in units, that a choice of the class adds.
    """

    class_of_roll: Ints
    best_points: Ints


class _Choices(NamedTuple):
    """The choices of the rolls of some number of dice, if fewer than a least number of dice are never rolled.

    Roll classes that then offer the same are merged. An offer is dice that are set aside, and the points they add.

    Attributes:
        merged: (classes of the rolls,), the number of the merged class.
        offer_mask: (offers,), the dice that are set aside, as bits; BANK if the turn ends.
        offer_points: (offers,), the points that are added, in units.
        choice_start: (merged classes + 1,), where the offers of each merged class begin in ``choice``, and its length.
        choice: the offers of all merged classes, one class after the other.
    """

    merged: Ints
    offer_mask: Ints
    offer_points: Ints
    choice_start: Ints
    choice: Ints


class _Lap(NamedTuple):
    """The turn points that some number of dice can be rolled with before no dice are left for the first time.

    Attributes:
        points: (rows,), the turn points in units, ascending.
        next_row: (rows * offers,), by row and offer of the dice, the row of the dice that are left; -1 if none are.
    """

    points: Ints
    next_row: Ints


class _Blocks(NamedTuple):
    """Hands in blocks of LANES, which the kernel solves together. All hands of a block have the same pattern.

    Attributes:
        hand_of_lane: (blocks, LANES), the number of each hand; a block that is not full repeats its last hand.
        weights: (blocks, dice, faces, LANES), how many sides of each die show a face.
        is_alike: (blocks, dice), the pattern of the hands.
        points: (blocks, LANES), the expected points or bounds of them, in units; the kernel writes them.
        bust_chances: (blocks, LANES), the smallest probability of a bust of any dice that are rolled; the kernel
            writes it.
        rows: (blocks,), the rows of the table of turns of each block; the kernel writes them.
    """

    hand_of_lane: NDArray[np.int64]
    weights: Doubles
    is_alike: NDArray[np.uint8]
    points: Doubles
    bust_chances: Doubles
    rows: NDArray[np.int64]

    def by_hand(self, values: Doubles) -> Doubles:
        """Return the values of hands, (hands,), from those of lanes, (blocks, LANES)."""
        by_hand = np.empty(self.hand_of_lane.max(initial=-1) + 1)
        by_hand[self.hand_of_lane] = values  # lanes that repeat a hand have the same values as the lane of that hand
        return by_hand


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
    """Return whether a turn only sets aside sets that add points, without any further rules.

    The kernel for many hands solves no other turns.
    """
    has_plain_turns = (
        rules.set_aside in KERNEL_SET_ASIDE  # the ways of setting dice aside that the kernel knows
        and rules.then_set == "roll"
        and rules.then_all == "roll"
        and rules.then_dice == "all"
        and rules.best == "highest"
        and not (rules.specials or rules.bust_costs or rules.bust_above or rules.has_confirmations)
    )
    return has_plain_turns and all(pattern.points > 0 for pattern in rules.patterns)


class HandSolver:
    """Solves many hands of dice at once under the rules of one game: the most expected points of a turn with each.

    A hand is a list of dice, which differ in how their sides are loaded. Points are in units of the rules' grain
    where it says so.

    Attributes:
        rules: the rules.
        kinds: (kinds of dice, faces), how many equally likely sides show each face.
        size: the number of dice of a hand.
        max_classes: the largest number of roll classes of some number of dice.
        max_points: the most points, in units, that one choice adds.
        kernel: the compiled solver, with the tables of rolls and choices.
        rolls: by number of dice from 1 on, their rolls.
        choices: by number of dice from 1 on, the choices of a player who rolls again with any number of dice.
        lap_kernels: by the faces that some hands can show, as indices, a kernel for bounds of one lap of these hands.
    """

    def __init__(self, rules: PushRules, kinds: Sequence[Sequence[int]], size: int) -> None:
        """Tabulate the rolls of 1, 2, ..., ``size`` dice and what they offer, and hand the tables to the kernel.

        Args:
            rules: rules of dice that are alike, for which ``can_solve`` is true.
            kinds: by kind of die, how many equally likely sides show each face.
            size: the number of dice of a hand.
        """
        self.rules = rules
        self.kinds = np.array(kinds, dtype=np.float64)
        self.size = size
        self.rolls: list[_Rolls] = []
        choices: list[list[_Choices]] = []
        self.max_classes = 0
        self.max_points = 0
        for dice in range(1, size + 1):
            rolls_of_dice, sets_of_class = _tabulate_rolls(rules, dice)
            self.rolls.append(rolls_of_dice)
            # A player may demand that at least ``min_dice`` dice are rolled again, and end the turn with fewer. The
            # kernel has a list of choices for each such number.
            choices.append([_list_choices(sets_of_class, dice, min_dice) for min_dice in range(1, size + 1)])
            self.max_classes = max(self.max_classes, len(sets_of_class))
            best_points = rolls_of_dice.best_points.tolist()  # empty if no roll of these dice scores
            self.max_points = max([self.max_points, *best_points])
        self.kernel = HandsKernel(len(rules.faces), self.rolls, choices, [])
        self.choices = [by_min_dice[0] for by_min_dice in choices]
        self.lap_kernels: dict[tuple[int, ...], HandsKernel] = {}

    @staticmethod
    def can_solve(rules: PushRules, kinds: Sequence[Sequence[int]], size: int) -> bool:
        """Return whether this class can solve all hands: with plain turns, small tables, and weights exact in float64.

        Args:
            rules: the rules of dice that are alike.
            kinds: by kind of die, how many equally likely sides show each face.
            size: the number of dice of a hand.
        """
        most_sides = max(map(sum, kinds))  # of a die
        return (
            size <= MAX_DICE
            and is_plain(rules)
            and can_tabulate([most_sides] * size, len(rules.faces))
            and most_sides**size < MAX_EXACT_PRODUCT
        )

    def solve(self, hands: NDArray[np.integer], min_bank: int, goal: float = math.inf) -> HandValues:
        """Compute the most expected points of one turn for each of some hands.

        Args:
            hands: (hands, size), the kinds of the dice of each hand.
            min_bank: the fewest points, in units, of a bank that counts.
            goal: the most points that a bank is worth, not in units; infinite without a limit.
        """
        blocks = self._lay_out_blocks(hands)
        self.kernel.solve(
            weights=blocks.weights,
            is_alike=blocks.is_alike,
            min_bank=min_bank,
            goal=goal / self.rules.grain,
            max_rows=MAX_ROWS,
            values=blocks.points,
            bust_chances=blocks.bust_chances,
            rows=blocks.rows,
        )
        points = blocks.points * self.rules.grain
        error_bounds = self._error_bounds(points, blocks.bust_chances, blocks.rows[:, None])
        return HandValues(points=blocks.by_hand(points), error_bounds=blocks.by_hand(error_bounds))

    def bound(self, hands: NDArray[np.integer], min_bank: int) -> Doubles:
        """Return upper bounds of the points that ``solve`` computes without a goal, (hands,).

        The bounds take a fraction of the time, because few rows of turn points are tabulated. They are infinite for
        hands that ``solve`` may not solve. No computed points exceed them, whatever the rounding.

        Args:
            hands: (hands, size), the kinds of the dice of each hand.
            min_bank: the fewest points, in units, of a bank that counts.
        """
        blocks = self._lay_out_blocks(hands)
        self.kernel.bound(
            weights=blocks.weights,
            is_alike=blocks.is_alike,
            min_bank=min_bank,
            grid=_list_rows(min_bank),
            max_rows=MAX_ROWS,
            bounds=blocks.points,
            bust_chances=blocks.bust_chances,
            rows=blocks.rows,
        )
        has_bound = np.isfinite(blocks.points)
        points = np.where(has_bound, blocks.points, 0.0) * self.rules.grain
        # In one row there may be a roll with each number of dice.
        error_bounds = self._error_bounds(points, blocks.bust_chances, blocks.rows[:, None] * self.size)
        # Once for the bound, and twice for the points x that ``solve`` computes. They are fewer, but more rolls may
        # matter: with e = log2(B / x) of ``_count_rolls``, x e is at most x (e + 1), which rises with x up to B / 2.
        return blocks.by_hand(np.where(has_bound, points + 3 * error_bounds, math.inf))

    def bound_by_lap(self, hands: NDArray[np.integer], min_bank: int, goal: float, cutoff: float) -> Doubles:
        """Return numbers of hands, (hands,); those below ``cutoff`` are upper bounds of the points of ``solve``.

        The other numbers bound nothing. So this excludes hands that are worth less than a cutoff, with or without a
        goal, in a fraction of the time of a solve. Until no dice are left for the first time, the turn is solved
        exactly. A turn that goes on with t turn points is then taken to be worth t + ``cutoff``, at most the goal.
        ``csrc/hands_kernel.h`` proves that this is enough, although the hand could be worth more after that.

        Proof in short: let W(t) be the value of a turn that begins with t points and is worth
        M(t) = min(t + cutoff, goal) when no dice are left. Nobody gains more than d from d further turn points, so
        W(0) <= cutoff implies W <= M. Then M bounds the value after each number of such laps, and hence that of the
        turn. A minimum of points to bank is ignored, which raises the value.

        Args:
            hands: (hands, size), the kinds of the dice of each hand.
            min_bank: the fewest points, in units, of a bank that counts.
            goal: the most points that a bank is worth, not in units; infinite without a limit.
            cutoff: points, for example those of a good hand.
        """
        # The faces that a die of these hands can show. Without the others there are fewer rolls.
        shown_faces = np.flatnonzero(self.kinds[np.unique(hands)].any(axis=0))
        kernel = self._lap_kernel(tuple(shown_faces.tolist()))
        blocks = self._lay_out_blocks(hands)
        kernel.lap_bound(
            weights=np.ascontiguousarray(blocks.weights[:, :, shown_faces]),
            is_alike=blocks.is_alike,
            min_bank=min_bank,
            goal=goal / self.rules.grain,
            max_rows=MAX_ROWS,
            excess=cutoff / self.rules.grain,
            bounds=blocks.points,
            rows=blocks.rows,
        )
        # A turn has no more rolls than rows, and a lap no more than dice. Each roll has an error of ``_error_of_roll``,
        # twice for terms of second order. So the factor covers the points of ``solve``, W, and the sums of M.
        rolls = np.maximum(blocks.rows, 1)[:, None] + self.size
        relative_error = 2 * rolls * self._error_of_roll()
        return blocks.by_hand(blocks.points * self.rules.grain * (1 + 3 * relative_error))

    def list_shown_faces(self, hands: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return whether some die of each hand can show each face, (hands, faces).

        Args:
            hands: (hands, size), the kinds of the dice of each hand.
        """
        return np.asarray((self.kinds > 0)[hands].any(axis=1))

    def _lap_kernel(self, shown_faces: tuple[int, ...]) -> HandsKernel:
        """Return the kernel for bounds of one lap, with tables of the rolls that show no other faces."""
        kernel = self.lap_kernels.get(shown_faces)
        if kernel is None:
            tables = [
                _restrict_rolls(rolls, choices, dice, len(self.rules.faces), shown_faces)
                for dice, (rolls, choices) in enumerate(zip(self.rolls, self.choices, strict=True), 1)
            ]
            kernel = HandsKernel(
                len(shown_faces),
                [rolls for rolls, _ in tables],
                [[choices] for _, choices in tables],
                _list_laps(self.choices),
            )
            self.lap_kernels[shown_faces] = kernel
        return kernel

    def cut_into_blocks(self, hands: NDArray[np.integer]) -> list[NDArray[np.int64]]:
        """Return the numbers of the hands that the kernel solves together, for each block.

        The last bits of computed points depend on the other hands of a block. A call of ``solve`` with the hands of one
        block gives the same bits as a call with all hands.

        Args:
            hands: (hands, size), the kinds of the dice of each hand.
        """
        return [np.array([*dict.fromkeys(block)]) for block in _cut_into_blocks(_find_patterns(hands)).tolist()]

    def _lay_out_blocks(self, hands: NDArray[np.integer]) -> _Blocks:
        """Return hands in the form that the kernel reads, with room for its results.

        Args:
            hands: (hands, size), the kinds of the dice of each hand.
        """
        patterns = _find_patterns(hands)
        hand_of_lane = _cut_into_blocks(patterns)
        return _Blocks(
            hand_of_lane=hand_of_lane,
            # From (blocks, LANES, dice, faces) to (blocks, dice, faces, LANES).
            weights=np.ascontiguousarray(self.kinds[hands[hand_of_lane]].transpose(0, 2, 3, 1)),
            is_alike=np.ascontiguousarray(patterns[hand_of_lane[:, 0]]),  # that of the first hand
            points=np.empty(hand_of_lane.shape),
            bust_chances=np.empty(hand_of_lane.shape),
            rows=np.empty(len(hand_of_lane), dtype=np.int64),
        )

    def _error_bounds(self, points: Doubles, bust_chances: Doubles, rows: NDArray[np.int64]) -> Doubles:
        """Return bounds of the rounding errors of the expected points of hands, in points.

        Let V be the expected points of a turn, and r the relative rounding error of one roll. Each roll of the turn
        adds an error of r times what the turn is then worth on average, which is at most V. So the error is at most
        r V times the number of rolls that matter (``_count_rolls``).

        Args:
            points: V; any shape.
            bust_chances: the smallest probability of a bust of any dice that are rolled.
            rows: how many turn points, in units, were tabulated.
        """
        error = points * self._count_rolls(points, bust_chances, rows) * self._error_of_roll()
        return np.asarray(error * 2)  # twice: for terms of second order, and for the rounding of this bound

    def _error_of_roll(self) -> float:
        """Return r, the relative rounding error of one roll."""
        # The kernel adds up the roll classes in parts, then the sums of the parts. Each addition rounds once.
        parts = self.max_classes / SUM_PART
        return (parts + SUM_PART + OTHER_ROUNDINGS) * UNIT_ROUNDOFF

    def _count_rolls(self, points: Doubles, bust_chances: Doubles, rows: NDArray[np.int64]) -> Doubles:
        """Return by hand a bound of the number of rolls of a turn that matter to its rounding error.

        A turn has no more rolls than rows, because each roll adds a unit of points or ends it.

        Often fewer rolls matter. A roll makes an error in proportion to what the turn is worth after it, on average.
        The error counts relative to V, what the whole turn is worth. So a roll matters by the first divided by V, and
        never as more than one roll.

        Let q be the largest probability that a roll does not bust, and B the most turn points. After i rolls a turn is
        worth at most B q^i on average. Let k be so large that B q^k <= V. Then all rolls after the first k matter as
        much as V (1 + q + q^2 + ...) / V = 1 / (1 - q) rolls. So k + 1 / (1 - q) rolls matter.

        Args:
            points: V, the expected points of a turn; any shape.
            bust_chances: 1 - q, the smallest probability of a bust of any dice that are rolled.
            rows: how many turn points, in units, were tabulated.
        """
        max_points = (rows + float(self.max_points)) * self.rules.grain  # B: those tabulated, and one choice more
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # B q^k <= V if k >= ln(B / V) / -ln q. Logarithms are avoided, because their bits depend on the processor.
            # Instead ln(B / V) <= e ln 2, where 2^e is the next power of 2 above B / V; and -ln q >= 1 - q.
            _, exponents = np.frexp(np.maximum(max_points / points, 1))  # e
            rolls_until_negligible = np.ceil(exponents * LN_2 / bust_chances)  # k
            rolls_that_matter = rolls_until_negligible + 1 / bust_chances
            # If some dice never bust, this number is infinite or NaN, and only ``rows`` is a limit. If V is 0 or NaN,
            # so is its error, whatever the number of rolls.
            return np.asarray(np.fmin(rows, rolls_that_matter))


def _tabulate_rolls(rules: PushRules, dice: int) -> tuple[_Rolls, list[PositionChoices]]:
    """Return the roll class of each roll of some dice, and what the rolls of each class offer.

    Args:
        rules: the rules.
        dice: the number of dice that are rolled.

    Returns:
        The classes and their best points; and by class the sets that may be set aside, (mask of the dice, points in
        units) each. Only rolls that score have a class.
    """
    tables = rules.roll_tables
    table = tables.by_size(dice)
    sets_of_all_classes = [_convert_to_units(sets, tables, rules.grain) for sets in table.choices]
    scoring_classes = [number for number, sets in enumerate(sets_of_all_classes) if sets]  # a bust offers no set
    # The kernel numbers scoring classes only, and all busts as -1.
    kernel_numbers = np.full(len(sets_of_all_classes), -1, dtype=np.int32)  # by class, busts included
    kernel_numbers[scoring_classes] = np.arange(len(scoring_classes))
    sets_of_class = [sets_of_all_classes[number] for number in scoring_classes]
    best_points = np.array([max(points for _, points in sets) for sets in sets_of_class], dtype=np.int32)
    return _Rolls(class_of_roll=kernel_numbers[table.class_of_roll], best_points=best_points), sets_of_class


def _convert_to_units(sets: PositionChoices, tables: RollTables, grain: int) -> PositionChoices:
    """Return the sets that a roll offers as (mask of dice, points in units), from (mask, code).

    Args:
        sets: (mask, code) of each set; a code is an index in ``tables.offers``.
        tables: tell what a code offers.
        grain: the points of one unit.
    """
    offers: Sequence[SetOffer] = tables.offers
    return tuple((mask, offers[code].points // grain) for mask, code in sets)


def _list_choices(sets_of_class: Sequence[PositionChoices], dice: int, min_dice: int) -> _Choices:
    """Return the choices of the rolls of some dice, for a player who rolls again with ``min_dice`` dice or more only.

    A set that leaves fewer dice ends the turn. Of such sets only the one with the most points matters. So more roll
    classes offer the same than if all sets counted, and these classes are merged.

    Args:
        sets_of_class: by roll class, the sets that may be set aside: (mask of the dice, points in units).
        dice: the number of dice that are rolled.
        min_dice: the fewest dice that are rolled again. If no dice are left, all dice are.
    """
    # By class, its offers: (mask of the dice, points). The mask of an offer that ends the turn is BANK.
    offers_of_class = [_list_offers(sets, dice, min_dice) for sets in sets_of_class]
    # Classes with the same offers are merged. Both dictionaries list their keys in the order of the numbers.
    merged_class_of_offers = _numbers_by_key(offers_of_class)
    offers_in_order = [offer for offers in merged_class_of_offers for offer in offers]  # of one class after the other
    number_of_offer = _numbers_by_key(offers_in_order)
    return _Choices(
        merged=np.array([merged_class_of_offers[offers] for offers in offers_of_class], dtype=np.int32),
        offer_mask=np.array([mask for mask, _ in number_of_offer], dtype=np.int32),
        offer_points=np.array([points for _, points in number_of_offer], dtype=np.int32),
        choice_start=np.cumsum([0, *map(len, merged_class_of_offers)], dtype=np.int32),
        choice=np.array([number_of_offer[offer] for offer in offers_in_order], dtype=np.int32),
    )


def _numbers_by_key(keys: Iterable[_Key]) -> dict[_Key, int]:
    """Return the number of each different key: 0, 1, ... in the order in which keys first occur.

    Args:
        keys: some keys, which may repeat. The result has each of them once, in the order of the numbers.
    """
    return {key: number for number, key in enumerate(dict.fromkeys(keys))}


def _list_offers(sets: PositionChoices, dice: int, min_dice: int) -> PositionChoices:
    """Return what a roll offers to a player who rolls again with ``min_dice`` dice or more only: (mask, points) each.

    Args:
        sets: the sets that may be set aside: (mask of the dice, points in units).
        dice: the number of dice of the roll.
        min_dice: the fewest dice that are rolled again. If no dice are left, all dice are.

    Returns:
        The sets after which the player rolls again; then (BANK, points) for the best of those that end the turn.
    """
    offers = list[tuple[int, int]]()
    best_bank = 0
    for mask, points in sets:
        remaining = dice - mask.bit_count()
        if remaining == 0 or remaining >= min_dice:
            offers.append((mask, points))
        else:
            best_bank = max(best_bank, points)
    if best_bank:
        offers.append((BANK, best_bank))
    return tuple(offers)


def _restrict_rolls(
    rolls: _Rolls, choices: _Choices, dice: int, faces: int, shown_faces: Sequence[int]
) -> tuple[_Rolls, _Choices]:
    """Return the rolls that show only some faces, and their choices; the offers keep their numbers.

    Args:
        rolls: all rolls of some dice.
        choices: their choices.
        dice: the number of dice.
        faces: the number of faces of a die.
        shown_faces: the indices of the faces that are kept.
    """
    rolls_by_faces = rolls.class_of_roll.reshape((faces,) * dice)
    kept_rolls = rolls_by_faces[np.ix_(*[shown_faces] * dice)].ravel()
    kept_classes = np.unique(kept_rolls[kept_rolls >= 0])
    new_number = np.full(len(rolls.best_points) + 1, -1, dtype=np.int32)  # the last one is read for a bust, by -1
    new_number[kept_classes] = np.arange(len(kept_classes))
    kept_merged, merged = np.unique(choices.merged[kept_classes], return_inverse=True)
    starts, ends = choices.choice_start[kept_merged], choices.choice_start[kept_merged + 1]
    parts = [choices.choice[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return (
        _Rolls(class_of_roll=new_number[kept_rolls], best_points=rolls.best_points[kept_classes]),
        choices._replace(
            merged=merged.astype(np.int32),
            choice_start=np.cumsum([0, *map(len, parts)], dtype=np.int32),
            choice=np.concatenate(parts) if parts else choices.choice[:0],
        ),
    )


def _list_laps(choices: Sequence[_Choices]) -> list[_Lap]:
    """Return the turn points that 1, 2, ... dice can be rolled with before no dice are left for the first time.

    Args:
        choices: by number of dice from 1 on, the choices of a player who rolls again with any number of dice.
    """
    size = len(choices)
    points_of_dice: list[set[int]] = [set() for _ in range(size)] + [{0}]  # by number of dice
    offers_of_dice = [
        [(dice - mask.bit_count(), points) for mask, points in zip(*_as_lists(of_dice), strict=True)]
        for dice, of_dice in enumerate(choices, 1)
    ]  # by number of dice from 1 on: the dice that are left, and the points that are added
    for dice in range(size, 0, -1):
        for remaining, added in offers_of_dice[dice - 1]:
            points_of_dice[remaining] |= {points + added for points in points_of_dice[dice]}
    rows_of_dice = [{points: row for row, points in enumerate(sorted(of_dice))} for of_dice in points_of_dice]
    return [
        _Lap(
            points=np.array([*rows_of_dice[dice]], dtype=np.int32),
            next_row=np.array(
                [
                    rows_of_dice[remaining][points + added] if remaining else -1
                    for points in rows_of_dice[dice]
                    for remaining, added in offers_of_dice[dice - 1]
                ],
                dtype=np.int32,
            ),
        )
        for dice in range(1, size + 1)
    ]


def _as_lists(choices: _Choices) -> tuple[list[int], list[int]]:
    """Return the masks and the points of all offers."""
    return choices.offer_mask.tolist(), choices.offer_points.tolist()


def _list_rows(min_bank: int) -> Ints:
    """Return the turn points that are tabulated for a bound, in ascending order.

    All up to the fewest that may be banked, as the kernel requires; then fewer and fewer, because the expected points
    bend less and less.

    Args:
        min_bank: the fewest points of a bank that counts; at least 1.
    """
    rows = [*range(min(min_bank, MAX_ROWS) + 1)]
    step = FIRST_STEP
    while rows[-1] < MAX_ROWS:
        rows.append(rows[-1] + step)
        step += step // STEP_GROWTH
    return np.array(rows, dtype=np.int32)


def _find_patterns(hands: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Return the pattern of each hand, (hands, size): 1 if the die is of the same kind as the die before."""
    patterns = np.zeros(hands.shape, dtype=np.uint8)
    patterns[:, 1:] = hands[:, 1:] == hands[:, :-1]
    return patterns


def _cut_into_blocks(patterns: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Group hands with equal patterns, and cut each group into blocks of LANES hands: (blocks, LANES) their numbers.

    The last block of a group may have fewer hands. Then it repeats its last one.

    Args:
        patterns: (hands, size) the pattern of each hand, in which 1 marks a die that is like the die before.
    """
    order = np.lexsort(patterns.T[::-1])  # reversed, because numpy sorts by the last key first: here the first die
    sorted_patterns = patterns[order]
    differs_from_next = (sorted_patterns[:-1] != sorted_patterns[1:]).any(axis=1)
    group_starts = np.flatnonzero(differs_from_next) + 1  # of all groups but the first
    groups = np.split(order, group_starts)
    blocks = [_pad_block(group[first : first + LANES]) for group in groups for first in range(0, len(group), LANES)]
    return np.array(blocks, dtype=np.int64).reshape(-1, LANES)


def _pad_block(hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the hands of a block, (LANES,); lanes without a hand repeat the last one."""
    return np.pad(hands, (0, LANES - len(hands)), mode="edge")
