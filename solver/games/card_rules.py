"""Cards of categories as data: what Yahtzee, Yacht and Double Cameroon have in common.

A turn has a fixed number of rolls, and the player keeps any dice between them. The final roll is entered in an open
category. With two boxes, its dice are split into equal parts, and each part is entered in a category of its own.
The game ends when all categories are used. A category may be entered for 0 points.

Sets of categories are masks: bit ``n`` stands for category ``n``. Start reading at ``Card``. ``Card.entries`` lists the
ways to enter a final roll, and ``Card.scores`` has their points. ``Card.turns`` compiles turn models from both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..turns.keep_turn import KeepLattice, KeepTurn
from ..util import multiset
from .dice_matcher import DiceCondition

Ints = NDArray[np.int64]

FREE, FORCED, NONE = "free", "forced", "none"
ANY = DiceCondition()
NOT_ALLOWED = -1  # in ``Card.scores``: a roll that an entry is not for


@dataclass(frozen=True)
class Category:
    """A box of a card, and the points of dice that are entered in it.

    A category of a single face or with a table has no condition. All points count ``factor`` times.

    Attributes:
        name: its name.
        points: a fixed number, "sum" for all spots, or "groups" for the spots of the groups' dice alone.
        condition: the condition on the dice; otherwise they score 0.
        face: the category counts the spots of the dice that show this face; 0 if it does not.
        plus: points added to the spots.
        table: the points of every roll, in the order of ``multiset.list_multisets``; empty if it has none.
        factor: how many times its points count.
        first: its points if it is entered after the first roll of a turn; 0 if they are the usual ones.
        wins_on_first_roll: if it is entered after the first roll of a turn and meets the condition, the game is won.
    """

    name: str
    points: int | str = "sum"
    condition: DiceCondition = ANY
    face: int = 0
    plus: int = 0
    table: tuple[int, ...] = ()
    factor: int = 1
    first: int = 0
    wins_on_first_roll: bool = False

    @property
    def takes_any_dice(self) -> bool:
        """Whether the category scores the spots of any dice, as chance does."""
        return self.condition == ANY and not self.face and not self.table

    def score(self, rows: Ints) -> Ints:
        """Return the points of rolls; ``rows``: (rolls, faces) counts of faces."""
        if self.table:
            return self.factor * np.array(self.table)[multiset.multiset_indices(rows.astype(np.uint8))]
        if self.face:
            return self.factor * self.face * rows[:, self.face - 1]
        return self.factor * np.where(self.condition.matches(rows), self._points_if_met(rows), 0)

    def first_roll_score(self, rows: Ints) -> Ints:
        """Return the points of rolls that are entered after the first roll of a turn."""
        return replace(self, points=self.first, plus=0, first=0).score(rows) if self.first else self.score(rows)

    def joker_score(self, rows: Ints) -> Ints:
        """Return the points of jokers: fixed points and all spots in full, otherwise what the dice show."""
        if self.face or self.table or self.points == "groups":
            return self.score(rows)
        return self._points_if_met(rows)

    def _points_if_met(self, rows: Ints) -> Ints:
        """Return the points of rolls as if they met the condition."""
        if isinstance(self.points, int):
            return np.full(len(rows), self.plus + self.points)
        return self.plus + (self.condition.group_spots(rows) if self.points == "groups" else self.condition.total(rows))


def score_one_roll(score: Callable[[Ints], Ints], counts: Sequence[int]) -> int:
    """Return the points of a single roll: ``one_throw(category.score, counts)``."""
    return int(score(np.array([counts]))[0])


class ScoreBlock(IntEnum):
    """The blocks of columns in ``Card.scores`` if later rolls of all dice alike are special.

    Each block has a column for every category.
    """

    PLAIN = 0  # any roll
    NOT_ALIKE = 1  # rolls that are not all alike
    ALIKE = 2  # rolls of all dice alike, for what they show
    JOKER = 3  # rolls of all dice alike, in full
    ALIKE_WITH_BONUS = 4
    JOKER_WITH_BONUS = 5


class Entry(NamedTuple):
    """A way to enter final rolls.

    Attributes:
        column: the column of ``Card.scores`` with its points.
        fills: the categories that it uses.
        open_mask: the categories that must be open.
        used_mask: the categories that must be used.
        flag: 1 if the Yahtzee box must hold its points, 0 if it must not, None if it does not matter.
        sets_flag: it makes the Yahtzee box hold its points.
        first_roll: the first roll that it is for, an index of full rolls.
        end_roll: the end of the rolls that it is for; this index is excluded.
        early_roll: the number of the only roll that it is for, counted from 1, if dice score differently after that
            roll than after the last; 0 if it is for all other rolls.
    """

    column: int
    fills: int
    open_mask: int
    used_mask: int
    flag: int | None
    sets_flag: bool
    first_roll: int
    end_roll: int
    early_roll: int = 0


@dataclass(frozen=True)
class Card:
    """The rules of a card.

    Attributes:
        dice: the number of dice.
        faces: the number of faces of a die.
        weights: how many equally likely sides of a die show each face.
        throws: the rolls of a turn.
        categories: all boxes.
        boxes: the boxes that a turn uses: 1 or 2.
        upper_categories: the names of the categories whose points count towards a bonus. Each column (``columns``) has
            its own.
        upper_steps: the upper totals, rising, each with the bonus from there on.
        predecessors: by category the one that must be used before it, -1 if there is none; empty if all are open. It
            cannot be combined with ``again_category`` or two boxes.
        again_category: the category of all dice alike (the "Yahtzee box"); "" if later rolls of all alike are not
            special.
        again_bonus: the bonus of such a later roll if that box holds points.
        again_joker: where it may be entered: "free", "forced" or "none".
        total_ranges: totals, rising, each with what the card is worth from there on; empty if it is worth its total.
        saved_throws: the most rolls that can be saved. Rolls that a turn does not use are saved for later turns.
        has_forced_zeros: a roll that scores in some open category may not be entered for 0 points.
        throw_costs: the points that each roll of a turn after the first costs; empty if rolls cost nothing.
    """

    dice: int
    faces: int
    weights: tuple[int, ...]
    throws: int
    categories: tuple[Category, ...]
    boxes: int = 1
    upper_categories: tuple[str, ...] = ()
    upper_steps: tuple[tuple[int, int], ...] = ()
    predecessors: tuple[int, ...] = ()
    again_category: str = ""
    again_bonus: int = 0
    again_joker: str = NONE
    total_ranges: tuple[tuple[int, int], ...] = ()
    saved_throws: int = 0
    has_forced_zeros: bool = False
    throw_costs: tuple[int, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the categories."""
        return tuple(category.name for category in self.categories)

    @cached_property
    def lattice(self) -> KeepLattice:
        """The keep lattice of the dice."""
        return KeepLattice(self.dice, self.weights)

    @property
    def unsupported_objectives(self) -> Mapping[str, str]:
        """The objectives that other cards have and this one has not, with the reason."""
        features = {
            "saved_throws": self.saved_throws,
            "an upper bonus for each of several columns": len(self.columns) > 1,
            "an upper bonus": self.upper_categories,
            "[again]": self.again_category,
            "[total]": self.total_ranges,
        }
        feature = next((words for words, is_present in features.items() if is_present), "")
        reasons = {"win": f"it is not solved for scorecards with {feature}"} if feature else {}
        if self.saved_throws or len(self.columns) > 1:
            reasons["reach"] = f"it is not solved for scorecards with {feature}"
        obstacles = {
            "saved_throws": self.saved_throws,
            "an upper bonus for each of several columns": len(self.columns) > 1,
            "[total]": self.total_ranges,
            "points that depend on the number of rolls": self.depends_on_roll_number,
        }
        if obstacle := next((words for words, is_present in obstacles.items() if is_present), ""):
            reasons["beat"] = f"it is not solved for scorecards with {obstacle}"
        return reasons

    # Sets of categories

    @property
    def full_mask(self) -> int:
        """The mask of all categories."""
        return (1 << len(self.categories)) - 1

    def mask_of(self, names: Sequence[str]) -> int:
        """Return the mask of categories given by name."""
        return sum(1 << self.names.index(name) for name in names)

    def required_mask(self, number: int) -> int:
        """Return the mask of the categories that must be used before a category."""
        predecessor = self.predecessors[number] if self.predecessors else -1
        return 1 << predecessor if predecessor >= 0 else 0

    @property
    def chains(self) -> list[list[int]]:
        """The categories in sequences that are used in order, mostly of one category each."""
        chain_by_last: dict[int, list[int]] = {}
        for number in range(len(self.categories)):
            predecessor = self.predecessors[number] if self.predecessors else -1
            chain_by_last[number] = [*chain_by_last.pop(predecessor, []), number]
        return list(chain_by_last.values())

    def used_sets(self, used: int = 0) -> Ints:
        """Return the sets of used categories that can occur once those of ``used`` are used, rising."""
        sets = np.zeros(1, dtype=np.int64)
        for chain in self.chains:
            prefixes = np.cumsum([0, *(1 << number for number in chain)])
            chain_mask = prefixes[-1]
            possible = prefixes[prefixes & used == chain_mask & used]
            sets = (sets[None] | possible[:, None]).ravel()
        return np.sort(sets)

    def max_saved(self, used_count: int) -> int:
        """Return the most rolls that can be saved once so many categories are used."""
        return min(self.saved_throws, (self.throws - 1) * used_count)

    # Upper totals and bonuses, by column

    @cached_property
    def upper_mask(self) -> int:
        """The mask of the upper categories; 0 if there is no bonus."""
        return self.mask_of(self.upper_categories) if self.upper_steps else 0

    @cached_property
    def factors(self) -> tuple[int, ...]:
        """By column how often its points and its bonus count; (1,) for one column, whose points include the factor."""
        factors = tuple(dict.fromkeys(self.categories[self.names.index(name)].factor for name in self.upper_categories))
        return factors if len(factors) > 1 else (1,)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """By column the mask of its upper categories.

        The upper total of a column is counted before it is multiplied. The upper totals of several columns are one
        number to the base ``base``, whose last digit is the total of the first column.
        """
        if len(self.factors) == 1:
            return (self.upper_mask,)
        masks = []
        for factor in self.factors:
            same_factor = (number for number, category in enumerate(self.categories) if category.factor == factor)
            masks.append(sum(1 << number for number in same_factor) & self.upper_mask)
        return tuple(masks)

    @property
    def upper_base(self) -> int:
        """The number of upper totals of a column."""
        return self.max_upper + 1

    def upper_by_column(self, upper: int) -> list[int]:
        """Return the upper total of each column: the digits of ``upper``."""
        return [upper // self.upper_base**place % self.upper_base for place in range(len(self.columns))]

    def raise_upper(self, upper: int, number: int, points: int) -> int:
        """Return the upper totals after points are entered in a category."""
        for place, (mask, total) in enumerate(zip(self.columns, self.upper_by_column(upper), strict=True)):
            if mask >> number & 1:
                new_total = min(total + points // self.factors[place], self.max_upper)
                upper += (new_total - total) * self.upper_base**place
        return upper

    def bonus(self, upper: int) -> int:
        """Return the bonuses of all columns."""
        totals = zip(self.factors, self.upper_by_column(upper), strict=True)
        return sum(factor * int(self.bonuses[total]) for factor, total in totals)

    @cached_property
    def bonuses(self) -> Ints:
        """The bonus of a column by upper total, up to ``max_upper``."""
        bonus = np.zeros(self.upper_steps[-1][0] + 1 if self.upper_steps else 1, dtype=np.int64)
        for min_total, points in self.upper_steps:
            bonus[min_total:] = points
        return bonus

    @property
    def max_upper(self) -> int:
        """The upper total of the last bonus, at which counting stops; 0 without a bonus."""
        return len(self.bonuses) - 1

    @cached_property
    def upper_totals(self) -> Mapping[int, Ints]:
        """The upper totals of a column that can occur, capped at ``max_upper``, by mask of its used categories."""
        columns = range(len(self.columns))
        return {used: totals for place in columns for used, totals in self.upper_totals_from(0, 0, place).items()}

    def possible_uppers(self, used: int) -> Ints:
        """Return the upper totals of all columns, as one number, that can occur with a set of used categories."""
        totals = np.zeros(1, dtype=np.int64)
        for place, mask in enumerate(self.columns):
            totals = (self.upper_totals[used & mask] * self.upper_base**place + totals[:, None]).ravel()
        return totals

    def upper_totals_from(self, used: int, upper: int, place: int = 0) -> dict[int, Ints]:
        """Return the upper totals of a column that can follow a position, by mask of its used categories.

        Args:
            used: the used categories of the column.
            upper: their total.
            place: the column.
        """
        totals_by_set = {used: np.full(1, upper)}
        for number in range(len(self.categories)):
            if (self.columns[place] & ~used) >> number & 1:
                points = np.array(sorted(self.possible_points(number, self.full_mask))) // self.factors[place]
                for earlier_set, totals in list(totals_by_set.items()):
                    sums = np.minimum(totals[:, None] + points, self.max_upper)
                    totals_by_set[earlier_set | 1 << number] = np.flatnonzero(np.bincount(sums.ravel()))
        return totals_by_set

    def is_bonus_certain(self, used: int, total: Ints, place: int = 0) -> NDArray[np.bool_]:
        """Return for which upper totals the bonus is certain, whatever is entered in the open categories.

        Args:
            used: the used categories.
            total: upper totals of a column.
            place: the column.
        """
        open_mask = self.columns[place] & ~used
        open_numbers = (number for number in range(len(self.names)) if open_mask >> number & 1)
        max_more = (
            sum(max(self.possible_points(number, self.full_mask)) for number in open_numbers) // self.factors[place]
        )
        min_bonus = self.bonuses[np.minimum(total, self.max_upper)]
        max_bonus = self.bonuses[np.minimum(total + max_more, self.max_upper)]
        is_certain: NDArray[np.bool_] = min_bonus == max_bonus
        return is_certain

    # Points of rolls, by entry

    @cached_property
    def flag_count(self) -> int:
        """2 if it matters whether the Yahtzee box holds points, else 1."""
        return 2 if self.again_category and self.again_bonus else 1

    @cached_property
    def has_first_roll_scores(self) -> bool:
        """True if dice entered after the first roll of a turn can score otherwise than later."""
        return any(category.first or category.wins_on_first_roll for category in self.categories)

    @property
    def early_roll_count(self) -> int:
        """How many rolls of a turn, from the first on, score differently than its last roll."""
        return self.throws - 1 if self.throw_costs else int(self.has_first_roll_scores)

    @property
    def depends_on_roll_number(self) -> bool:
        """Return whether it matters after which roll dice are entered."""
        return self.early_roll_count > 0 or self.saved_throws > 0

    def roll_cost(self, roll_number: int) -> int:
        """Return what a turn has paid for rolls once it has made so many."""
        return sum(self.throw_costs[: roll_number - 1])

    @property
    def max_turn_cost(self) -> int:
        """The most that a turn can pay for rolls."""
        return self.roll_cost(self.throws)

    @property
    def max_card_cost(self) -> int:
        """The most that all turns of a card can pay for rolls."""
        return self.max_turn_cost * (len(self.categories) // self.boxes)

    @cached_property
    def part_scores(self) -> Ints:
        """(categories, multisets of dice / boxes) points of each part of a roll."""
        return self._score_parts(Category.score)

    @cached_property
    def first_roll_part_scores(self) -> Ints:
        """(categories, multisets of dice / boxes) points after the first roll of a turn."""
        return self._score_parts(Category.first_roll_score)

    def _score_parts(self, score: Callable[[Category, Ints], Ints]) -> Ints:
        parts = multiset.list_multisets(self.dice // self.boxes, self.faces).astype(np.int64)
        nameless = [replace(category, name="") for category in self.categories]  # equal boxes are scored once
        scores = {category: score(category, parts) for category in dict.fromkeys(nameless)}
        return np.array([scores[category] for category in nameless])

    @cached_property
    def splits(self) -> tuple[Ints, Ints, Ints]:
        """For two boxes: first part, second part and full roll of each pair of parts, sorted by full roll."""
        parts = multiset.list_multisets(self.dice // 2, self.faces)
        first, second = np.divmod(np.arange(len(parts) ** 2), len(parts))
        full_rolls = multiset.multiset_indices(parts[first] + parts[second])
        order = np.argsort(full_rolls, kind="stable")
        return first[order], second[order], full_rolls[order]

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of categories that two parts may be entered in, in order."""
        return tuple(combinations(range(len(self.categories)), 2))

    @cached_property
    def _alike_rolls(self) -> tuple[int, ...]:
        """By face the index of the full roll in which all dice show it."""
        rows = np.eye(self.faces, dtype=np.uint8) * self.dice
        return tuple(int(multiset.multiset_indices(row[None])[0]) for row in rows)

    @cached_property
    def _joker_scores(self) -> Ints:
        """(categories, faces) points of jokers."""
        rows = np.eye(self.faces, dtype=np.int64) * self.dice
        return np.array([category.joker_score(rows) for category in self.categories])

    @property
    def _has_special_alike(self) -> bool:
        """Return whether later rolls of all dice alike are special."""
        return bool(self.again_category) and (self.again_bonus > 0 or self.again_joker != NONE)

    @cached_property
    def scores(self) -> Ints:
        """(columns, full rolls) points by the column of an ``Entry``; NOT_ALLOWED if it is not for a roll.

        With two boxes, the columns are pairs of categories. If rolls of all dice alike are special, they are the blocks
        of ``ScoreBlock``. Otherwise they are the categories, followed by those after each early roll. What rolls cost
        is not subtracted (``net_scores``).
        """
        if self.boxes == 2:
            return self._pair_scores()
        if self._has_special_alike:
            return self._blocks_of_scores()
        blocks = [self.part_scores] * (1 + self.early_roll_count)
        if self.has_first_roll_scores:
            blocks[1:2] = [self.first_roll_part_scores]
        return np.concatenate(blocks)

    def _pair_scores(self) -> Ints:
        """Return (pairs, full rolls) the points of the best split."""
        first, second, full_rolls = self.splits
        starts = np.flatnonzero(np.diff(full_rolls, prepend=-1))
        points = self.part_scores
        best = [np.maximum.reduceat(points[a][first] + points[b][second], starts) for a, b in self.pairs]
        return np.array(best)

    def _blocks_of_scores(self) -> Ints:
        """Return the blocks of ``ScoreBlock``, one below the other."""
        plain, alike_rolls = self.part_scores, np.array(self._alike_rolls)
        not_alike, all_alike, joker = plain.copy(), np.full_like(plain, NOT_ALLOWED), np.full_like(plain, NOT_ALLOWED)
        not_alike[:, alike_rolls] = NOT_ALLOWED
        all_alike[:, alike_rolls] = plain[:, alike_rolls]
        joker[:, alike_rolls] = self._joker_scores
        with_bonus = [np.where(block >= 0, block + self.again_bonus, NOT_ALLOWED) for block in (all_alike, joker)]
        return np.concatenate((plain, not_alike, all_alike, joker, *with_bonus))

    # Ways to enter a roll

    def entries(self) -> Iterator[Entry]:
        """Yield the ways to enter a final roll, in the order of the categories."""
        if self.boxes == 2:
            for column, (first, second) in enumerate(self.pairs):
                pair_mask = 1 << first | 1 << second
                yield self._entry_of_any_roll(column, pair_mask, pair_mask)
            return
        count = len(self.categories)
        again_mask = self.mask_of([self.again_category]) if self._has_special_alike else 0
        for number in range(count):
            own = 1 << number
            if not again_mask:
                for early_roll in range(1 + self.early_roll_count):
                    column = early_roll * count + number
                    entry = self._entry_of_any_roll(column, own, own, self.required_mask(number))
                    yield entry._replace(early_roll=early_roll)
            elif own == again_mask:
                yield from self._yahtzee_box_entries(number)
            else:
                yield self._entry_of_any_roll(number, own, own | again_mask)
                yield self._entry_of_any_roll(ScoreBlock.NOT_ALIKE * count + number, own, own, again_mask)
                yield from self._later_alike_entries(number, again_mask)

    def _entry_of_any_roll(self, column: int, fills: int, open_mask: int, used: int = 0) -> Entry:
        return Entry(
            column, fills, open_mask, used, flag=None, sets_flag=False, first_roll=0, end_roll=len(self.lattice.weight)
        )

    def _yahtzee_box_entries(self, number: int) -> Iterator[Entry]:
        """Yield the ways to use the Yahtzee box; if its points matter later, those with and without points."""
        own, count = 1 << number, len(self.categories)
        if self.flag_count == 1:
            yield self._entry_of_any_roll(number, own, own)
            return
        yield self._entry_of_any_roll(ScoreBlock.NOT_ALIKE * count + number, own, own)
        for roll in self._alike_rolls:
            column = ScoreBlock.ALIKE * count + number
            yield Entry(column, own, own, used_mask=0, flag=None, sets_flag=True, first_roll=roll, end_roll=roll + 1)

    def _later_alike_entries(self, number: int, again_mask: int) -> Iterator[Entry]:
        """Yield the ways to enter rolls of all dice alike in a category, once the Yahtzee box is used."""
        own, count = 1 << number, len(self.categories)
        box_by_face = {category.face: 1 << index for index, category in enumerate(self.categories) if category.face}
        face_boxes = sum(box_by_face.values())
        other_boxes = self.full_mask & ~face_boxes
        for flag in range(self.flag_count):
            has_bonus = bool(flag and self.again_bonus)
            plain_block = ScoreBlock.ALIKE_WITH_BONUS if has_bonus else ScoreBlock.ALIKE
            joker_block = ScoreBlock.JOKER_WITH_BONUS if has_bonus else ScoreBlock.JOKER
            for face, roll in enumerate(self._alike_rolls, 1):
                face_box = box_by_face.get(face, 0)
                entry = Entry(
                    column=plain_block * count + number,
                    fills=own,
                    open_mask=own,
                    used_mask=again_mask,
                    flag=flag if self.flag_count == 2 else None,
                    sets_flag=False,
                    first_roll=roll,
                    end_roll=roll + 1,
                )
                as_joker = entry._replace(column=joker_block * count + number, used_mask=again_mask | face_box)
                if self.again_joker == NONE or own == face_box:
                    yield entry
                elif self.again_joker == FREE:
                    if face_box:
                        yield entry._replace(open_mask=own | face_box)
                    yield as_joker
                elif own & face_boxes:  # 0 points in the box of another face: only if nothing else is left
                    yield entry._replace(used_mask=again_mask | face_box | other_boxes)
                else:
                    yield as_joker

    @cached_property
    def _all_entries(self) -> tuple[Entry, ...]:
        return tuple(self.entries())

    def entry_options(self, used: int, early_roll: int) -> Iterator[tuple[Entry, int, int]]:
        """Yield what may be entered in a card without a Yahtzee box that matters.

        Args:
            used: the used categories.
            early_roll: the roll that the dice are entered after, if they score differently then; else 0.

        Yields:
            An entry, the first full roll that it may be used for, and the end of these rolls, excluded.
        """
        open_entries = self.open_entries(used, early_roll)
        if not self.has_forced_zeros:
            yield from ((entry, entry.first_roll, entry.end_roll) for entry in open_entries)
            return
        for number, first, end in self.allowed_runs(open_entries).T.tolist():
            yield open_entries[number], first, end

    def open_entries(self, used: int, early_roll: int) -> list[Entry]:
        """Return the entries of open boxes for an early roll (0: the others), once some categories are used."""
        return [
            entry
            for entry in self._all_entries
            if entry.early_roll == early_roll
            and used & entry.open_mask == 0
            and used & entry.used_mask == entry.used_mask
        ]

    def allowed_runs(self, open_: Sequence[Entry]) -> NDArray[np.int64]:
        """Return the runs of rolls that open entries are for under forced zeros.

        A roll may be entered where it scores, or anywhere if it scores nowhere.

        Returns:
            (3, runs): index of the entry, first full roll, and end of the run (excluded).
        """
        is_scoring = self.scores[[entry.column for entry in open_]] > 0
        is_allowed = is_scoring | ~is_scoring.any(axis=0)
        changes = np.diff(is_allowed, axis=1, prepend=False, append=False)
        entry_index, roll = np.nonzero(changes)  # starts and ends of runs alternate
        return np.stack((entry_index[::2], roll[::2], roll[1::2]))

    # Turn models

    @cached_property
    def upper_gains(self) -> Ints:
        """(columns of scores, full rolls) points added to the upper total of the first column of the card."""
        return self._upper_gains(0)

    def _upper_gains(self, place: int) -> Ints:
        """Return (columns of scores, full rolls) the points added to the upper total of a column of the card."""
        gains = np.zeros_like(self.scores)
        count = len(self.categories)
        for column in range(len(gains)):
            if self.columns[place] >> column % count & 1:
                has_bonus = column >= ScoreBlock.ALIKE_WITH_BONUS * count
                bonus = self.again_bonus if has_bonus else 0  # it does not count in the box
                gains[column] = np.maximum(self.scores[column] - bonus, 0) // self.factors[place]
        return gains

    @cached_property
    def later_column_gains(self) -> Ints | None:
        """(columns of scores, full rolls) points added to the upper totals of the columns after the first.

        They are digits of one number to the base ``column_gain_base``, which is so large that no sum carries. None if
        there is only one column.
        """
        gains = [np.minimum(self._upper_gains(place), self.max_upper) for place in range(1, len(self.columns))]
        digits = [gain * self.column_gain_base**place for place, gain in enumerate(gains)]
        return np.sum(digits, axis=0) if digits else None

    @cached_property
    def column_gain_base(self) -> int:
        """The base of ``hops``: no upper total of a column and gain of one roll add up to more digits."""
        max_gain = max(int(self._upper_gains(place).max()) for place in range(len(self.columns)))
        return self.upper_base + min(self.max_upper, max_gain)

    @cached_property
    def turns(self) -> tuple[KeepTurn, ...]:
        """The turn models for points, by the number of saved rolls that the turn may use.

        Gains are points, and the axis is the upper total.
        """
        shifts = self.upper_gains.astype(np.int32)
        hops = None if self.later_column_gains is None else self.later_column_gains.astype(np.int32)
        saved_counts = range(self.saved_throws + 1)
        return tuple(KeepTurn(self.lattice, self.throws + saved, self.gains, shifts, hops) for saved in saved_counts)

    @property
    def turn(self) -> KeepTurn:
        """The turn model for points without saved rolls."""
        return self.turns[0]

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """What entries add to the score, as the kernel reads it: -inf if an entry is not for a roll."""
        return np.where(self.scores >= 0, self.net_scores, -np.inf).astype(np.float64)

    @cached_property
    def net_scores(self) -> Ints:
        """(columns, full rolls) ``scores`` less what the rolls cost; no meaning if an entry is not allowed."""
        if not self.throw_costs:
            return self.scores
        rolls_made = (self.throws, *range(1, self.throws))  # by block of columns; the first is for the last roll
        costs = np.repeat([self.roll_cost(roll_number) for roll_number in rolls_made], len(self.categories))
        net_scores: Ints = self.scores - costs[:, None]
        return net_scores

    # Totals that used categories can hold

    def max_points(self, used: int) -> int:
        """Return the most points that used categories can hold, bonuses included."""
        numbers = [number for number in range(len(self.categories)) if used >> number & 1]
        total = sum(max(self.possible_points(number, used)) for number in numbers)
        if self.again_bonus and used & self.mask_of([self.again_category]):
            total += self.again_bonus * (len(numbers) - 1)
        complete_columns = (
            factor for factor, mask in zip(self.factors, self.columns, strict=True) if used & mask == mask
        )
        return total + int(self.bonuses[-1]) * sum(complete_columns)

    def card_value(self, total: int) -> int:
        """Return what a complete card is worth, from its total with the upper bonus."""
        return next((points for min_total, points in reversed(self.total_ranges) if total >= min_total), total)

    def can_hold(self, total: int, used: int, flag: bool, upper: int, known_points: Mapping[int, int]) -> bool:
        """Return whether used categories can hold ``total`` together, without the upper bonus.

        Args:
            total: their points, with bonuses for later rolls of all dice alike.
            used: the used categories.
            flag: whether the Yahtzee box holds its points.
            upper: the upper totals of the columns, as one number (``columns``).
            known_points: the points of some categories that are known.
        """
        possible_totals = self.possible_sums(used & ~self.upper_mask, used, known_points)
        total += self.max_turn_cost * used.bit_count()  # sums are counted from the lowest possible one on
        if total < 0:
            return False
        if flag:
            max_later_alike = used.bit_count() - 1
            bonuses = (count * self.again_bonus for count in range(max_later_alike + 1))
            possible_totals = _add_to_each(possible_totals, bonuses)
        for place, upper_total in enumerate(self.upper_by_column(upper)):
            points = self._column_points(place, upper_total, used, known_points)
            possible_totals = _add_to_each(possible_totals, points)
        return bool(possible_totals >> total & 1)

    def _column_points(self, place: int, upper_total: int, used: int, known_points: Mapping[int, int]) -> list[int]:
        """Return the points that the used categories of a column can hold with an upper total.

        Upper totals are counted up to ``max_upper``, which therefore stands for all higher ones too.
        """
        sums = self.possible_sums(used & self.columns[place], used, known_points)
        min_points = self.factors[place] * upper_total
        end = sums.bit_length() if upper_total == self.max_upper else min_points + 1
        return [points for points in range(min_points, end) if sums >> points & 1]

    def possible_sums(self, mask: int, used: int, known_points: Mapping[int, int]) -> int:
        """Return the sums that categories can hold together, as a bit set: bit ``s`` is set if they can hold s points.

        If rolls cost points, sums can be negative: bit 0 is the sum in which each category holds ``-max_turn_cost``.

        Args:
            mask: the categories to add up.
            used: all used categories.
            known_points: the points of some categories that are known.
        """
        sums = 1
        for number in range(len(self.categories)):
            if mask >> number & 1:
                points = {known_points[number]} if number in known_points else self.possible_points(number, used)
                sums = _add_to_each(sums, (value + self.max_turn_cost for value in points))
        return sums

    def possible_points(self, number: int, used: int) -> set[int]:
        """Return the points that a category can hold, without bonuses; once the Yahtzee box is used, also a joker's."""
        if self.throw_costs:
            return set(self.net_scores[number :: len(self.categories)].ravel().tolist())
        points = set(self.part_scores[number].tolist())
        if self.has_first_roll_scores:
            points.update(self.first_roll_part_scores[number].tolist())
        if self.again_joker != NONE and self.again_category and used & self.mask_of([self.again_category]):
            points.update(self._joker_scores[number].tolist())
        return points


def _add_to_each(sums: int, points: Iterable[int]) -> int:
    """Return all sums of an element of a bit set and one of some points, as a bit set."""
    result = 0
    for value in points:
        result |= sums << value
    return result
