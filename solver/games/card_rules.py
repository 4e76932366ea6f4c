"""Cards of categories: what Yahtzee, Yacht and Double Cameroon have in common, as data.

A turn is a number of throws, dice kept freely between them. The final throw is entered in an open category, or its dice
are split into equal parts and each part entered in a category of its own (``boxes`` of them). The card ends when every
category is filled; zeros may be entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations
from operator import or_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..turns.keep_turn import KeepLattice, KeepTurn
from ..util import multiset
from .dice_matcher import Shown

Ints = NDArray[np.int64]

FREE, FORCED, NONE = "free", "forced", "none"
ANY = Shown()


@dataclass(frozen=True)
class Category:
    """What one box counts: the ``points`` for dice that show what it ``asks`` for.

    ``points`` is a fixed number, "sum" for all spots, or "groups" for the spots of the groups' dice alone; ``plus`` is
    added to them. A category of a ``face`` counts the spots of the dice that show it, and ``table`` tells the points of
    every throw (in the order of ``multisets``); they ask for nothing. All of it counts ``factor`` times.

    Entered after the first throw of a turn it scores ``first``, where that is not 0, and where it ``wins`` the game.
    """

    name: str
    points: int | str = "sum"
    asks: Shown = ANY
    face: int = 0
    plus: int = 0
    table: tuple[int, ...] = ()
    factor: int = 1
    first: int = 0
    wins: bool = False

    def score(self, rows: Ints) -> Ints:
        """Points of dice given as counts of the faces 1, 2, ..., a row for each throw."""
        if self.table:
            return self.factor * np.array(self.table)[multiset.multiset_indices(rows.astype(np.uint8))]
        if self.face:
            return self.factor * self.face * rows[:, self.face - 1]
        return self.factor * np.where(self.asks.fit(rows), self._worth(rows), 0)

    def served(self, rows: Ints) -> Ints:
        """Points of dice that are entered after the first throw."""
        return replace(self, points=self.first, plus=0, first=0).score(rows) if self.first else self.score(rows)

    def _worth(self, rows: Ints) -> Ints:
        if isinstance(self.points, int):
            return np.full(len(rows), self.plus + self.points)
        return self.plus + (self.asks.of_groups(rows) if self.points == "groups" else self.asks.total(rows))

    def in_full(self, rows: Ints) -> Ints:
        """What a joker scores: fixed points and all spots in full, else no more than what the dice show."""
        return self.score(rows) if self.face or self.table or self.points == "groups" else self._worth(rows)


def one_throw(scored: Callable[[Ints], Ints], counts: Sequence[int]) -> int:
    """What a category makes of one throw: ``one_throw(category.score, counts)``."""
    return int(scored(np.array([counts]))[0])


class Entry(NamedTuple):
    """One way to enter final throws: offered when all of ``open`` is open and all of ``used`` is used (masks of
    categories) and, where ``flag`` is not None, the Yahtzee box holds its points (1) or does not (0).

    It is for dice entered after the first throw of a turn (``served``), where that makes a difference, or for others.
    ``column`` scores it; ``fills`` are the categories that it fills; ``sets`` whether it makes the Yahtzee box hold its
    points; ``first``, ``last`` bound the full throws that it is for.
    """

    column: int
    fills: int
    open: int
    used: int
    flag: int | None
    sets: bool
    first: int
    last: int
    served: bool = False


@dataclass(frozen=True)
class Card:
    """A card's rules. ``upper`` names the categories whose points count towards a bonus: ``steps`` are totals of theirs
    and the bonus from there on, both rising. Each column (see ``columns``) has a bonus of its own.

    ``before``: by category the one that must be used before it is open, -1 where there is none; nothing: all are open.
    It goes with neither ``again`` nor two boxes.

    ``again``: the category of all dice alike, "" where there is none; a later throw of all alike scores
    ``again_bonus`` more if that box holds points, and ``joker`` says where it may be entered (free, forced, none).

    ``saved``: the most throws that can be saved; those that a turn does not take are saved for later turns.
    ``forced_zeros``: a throw that scores in some open category may not be entered for nothing.

    ``ranges``: what the card is played for where the total itself is not: rising totals, and the points from there on.
    """

    dice: int
    faces: int
    weights: tuple[int, ...]
    throws: int
    categories: tuple[Category, ...]
    boxes: int = 1
    upper: tuple[str, ...] = ()
    steps: tuple[tuple[int, int], ...] = ()
    before: tuple[int, ...] = ()
    again: str = ""
    again_bonus: int = 0
    joker: str = NONE
    ranges: tuple[tuple[int, int], ...] = ()
    saved: int = 0
    forced_zeros: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the categories."""
        return tuple(category.name for category in self.categories)

    @cached_property
    def lattice(self) -> KeepLattice:
        """The partial throws."""
        return KeepLattice(self.dice, self.weights)

    @property
    def full(self) -> int:
        """The mask of all categories."""
        return (1 << len(self.categories)) - 1

    def needs(self, number: int) -> int:
        """What must be used before a category is open, as a mask."""
        before = self.before[number] if self.before else -1
        return 1 << before if before >= 0 else 0

    @property
    def chains(self) -> list[list[int]]:
        """The categories in rows that are filled in order, most often rows of one."""
        chains: dict[int, list[int]] = {}
        for number in range(len(self.categories)):
            before = self.before[number] if self.before else -1
            chains[number] = [*chains.pop(before, []), number]
        return list(chains.values())

    def sets(self, used: int = 0) -> Ints:
        """The sets of used categories that can occur once these are used, as masks in rising order."""
        sets = np.zeros(1, dtype=np.int64)
        for chain in self.chains:
            filled = np.cumsum([0, *(1 << number for number in chain)])
            sets = (sets[None] | filled[filled & used == filled[-1] & used][:, None]).ravel()
        return np.sort(sets)

    def mask(self, names: Sequence[str]) -> int:
        """Return the mask of categories given by name."""
        return sum(1 << self.names.index(name) for name in names)

    @property
    def unsolved(self) -> Mapping[str, str]:
        """What others are asked and this card is not, and why."""
        kept = {
            "saves throws": self.saved,
            "has a bonus for each of several columns": len(self.columns) > 1,
            "has an upper bonus": self.upper,
            "scores more for later throws of all dice alike": self.again,
            "scores its total by ranges": self.ranges,
        }
        why = next((words for words, so in kept.items() if so), "")
        found = {"win": f"no card is solved for two that {why}"} if why else {}
        if self.saved or len(self.columns) > 1:
            found["reach"] = f"no goal is solved of a card that {why}"
        return found

    @cached_property
    def upper_mask(self) -> int:
        """The upper categories as a mask; 0 where there is no bonus."""
        return self.mask(self.upper) if self.steps else 0

    @cached_property
    def factors(self) -> tuple[int, ...]:
        """By column how often its points count, its bonus too; of one column they are told as they count."""
        found = tuple(dict.fromkeys(self.categories[self.names.index(name)].factor for name in self.upper))
        return found if len(found) > 1 else (1,)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The upper categories of each column, as masks. A column counts its upper total before it is multiplied, and
        where there are several columns the total of all is told by a number, that of the first as its last digit, of
        ``base`` digits.
        """
        if len(self.factors) == 1:
            return (self.upper_mask,)
        of = [one.factor for one in self.categories]
        return tuple(
            sum(1 << number for number, one in enumerate(of) if one == factor) & self.upper_mask
            for factor in self.factors
        )

    @property
    def base(self) -> int:
        """How many upper totals a column tells apart."""
        return self.bonus_at + 1

    def by_column(self, upper: int) -> list[int]:
        """The upper total of each column."""
        return [upper // self.base**place % self.base for place in range(len(self.columns))]

    def raised(self, upper: int, number: int, points: int) -> int:
        """The upper total once a category holds so many points."""
        for place, (mask, have) in enumerate(zip(self.columns, self.by_column(upper), strict=True)):
            if mask >> number & 1:
                now = min(have + points // self.factors[place], self.bonus_at)
                upper += (now - have) * self.base**place
        return upper

    def bonus(self, upper: int) -> int:
        """The bonuses of all columns."""
        each = zip(self.factors, self.by_column(upper), strict=True)
        return sum(factor * int(self.bonuses[total]) for factor, total in each)

    @cached_property
    def bonuses(self) -> Ints:
        """The bonus of a column by upper total, up to the total from which it grows no more."""
        bonus = np.zeros(self.steps[-1][0] + 1 if self.steps else 1, dtype=np.int64)
        for at, points in self.steps:
            bonus[at:] = points
        return bonus

    @property
    def bonus_at(self) -> int:
        """The upper total from which the bonus grows no more, where upper totals stop being counted; 0 without one."""
        return len(self.bonuses) - 1

    @cached_property
    def flags(self) -> int:
        """2 where it matters whether the Yahtzee box holds points, else 1."""
        return 2 if self.again and self.again_bonus else 1

    @cached_property
    def served(self) -> bool:
        """Whether dice entered after the first throw of a turn are worth something else than later."""
        return any(category.first or category.wins for category in self.categories)

    @property
    def by_throw(self) -> bool:
        """Whether it matters after how many throws dice are entered."""
        return self.served or self.saved > 0

    def most_saved(self, filled: int) -> int:
        """The most throws that can have been saved once so many categories are filled."""
        return min(self.saved, (self.throws - 1) * filled)

    @cached_property
    def part_scores(self) -> Ints:
        """(categories, multisets of dice / boxes) points of each part of a throw."""
        return self._by_part(Category.score)

    @cached_property
    def served_scores(self) -> Ints:
        """The same of dice entered after the first throw."""
        return self._by_part(Category.served)

    def _by_part(self, scored: Callable[[Category, Ints], Ints]) -> Ints:
        parts = multiset.list_multisets(self.dice // self.boxes, self.faces).astype(np.int64)
        alike = [replace(category, name="") for category in self.categories]  # boxes of one kind are scored once
        scores = {kind: scored(kind, parts) for kind in dict.fromkeys(alike)}
        return np.array([scores[kind] for kind in alike])

    @cached_property
    def splits(self) -> tuple[Ints, Ints, Ints]:
        """For two boxes: pairs of parts (first, second) and the full throw they make, sorted by full throw."""
        parts = multiset.list_multisets(self.dice // 2, self.faces)
        first, second = np.divmod(np.arange(len(parts) ** 2), len(parts))
        whole = multiset.multiset_indices(parts[first] + parts[second])
        order = np.argsort(whole, kind="stable")
        return first[order], second[order], whole[order]

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of categories that two parts may go to, in order."""
        return tuple(combinations(range(len(self.categories)), 2))

    @cached_property
    def _alike(self) -> tuple[int, ...]:
        """The full throws that show one face only, by face."""
        return tuple(
            int(multiset.multiset_indices(row[None])[0]) for row in (np.eye(self.faces, dtype=np.uint8) * self.dice)
        )

    @cached_property
    def _in_full(self) -> Ints:
        """(categories, faces) what a joker scores."""
        dice = np.eye(self.faces, dtype=np.int64) * self.dice
        return np.array([category.in_full(dice) for category in self.categories])

    @cached_property
    def scores(self) -> Ints:
        """(columns, full throws) points by column, -1 where a column is not for a throw; see ``entries``."""
        if self.boxes == 2:
            first, second, whole = self.splits
            begins = np.flatnonzero(np.diff(whole, prepend=-1))
            points = self.part_scores
            best = [np.maximum.reduceat(points[a][first] + points[b][second], begins) for a, b in self.pairs]
            return np.array(best)
        plain = self.part_scores
        if not self._special:
            return np.concatenate((plain, self.served_scores)) if self.served else plain
        alike = np.array(self._alike)
        without, ordinary, joker = plain.copy(), np.full_like(plain, -1), np.full_like(plain, -1)
        without[:, alike] = -1
        ordinary[:, alike] = plain[:, alike]
        joker[:, alike] = self._in_full
        bonus = [np.where(table >= 0, table + self.again_bonus, -1) for table in (ordinary, joker)]
        return np.concatenate((plain, without, ordinary, joker, *bonus))

    @property
    def _special(self) -> bool:
        return bool(self.again) and (self.again_bonus > 0 or self.joker != NONE)

    def entries(self) -> Iterator[Entry]:
        """List the ways to enter a final throw, in the order of the categories."""
        throws = len(self.lattice.weight)
        if self.boxes == 2:
            for column, (a, b) in enumerate(self.pairs):
                both = 1 << a | 1 << b
                yield Entry(column, both, both, 0, None, False, 0, throws)
            return
        count = len(self.categories)
        again = self.mask([self.again]) if self._special else 0
        for number in range(count):
            here = 1 << number
            if not again:
                for column in range(number, (1 + self.served) * count, count):
                    yield Entry(column, here, here, self.needs(number), None, False, 0, throws, column >= count)
            elif here == again and self.flags == 2:  # the box will hold points, or not
                yield Entry(count + number, here, here, 0, None, False, 0, throws)
                for alike in self._alike:
                    yield Entry(2 * count + number, here, here, 0, None, True, alike, alike + 1)
            elif here == again:
                yield Entry(number, here, here, 0, None, False, 0, throws)
            else:
                yield Entry(number, here, here | again, 0, None, False, 0, throws)
                yield Entry(count + number, here, here, again, None, False, 0, throws)
                yield from self._later(number, again)

    def options(self, used: int, served: bool) -> Iterator[tuple[Entry, int, int]]:
        """List what may be entered in a card without a Yahtzee box that matters once these are used: the entry, and the
        full throws, from the first to before the last, that it may be entered for.
        """
        open_ = self.opened(used, served)
        if not self.forced_zeros:
            yield from ((entry, entry.first, entry.last) for entry in open_)
            return
        for number, first, last in self.runs(open_).T.tolist():
            yield open_[number], first, last

    def opened(self, used: int, served: bool) -> list[Entry]:
        """The entries of boxes that are open once these are used."""
        return [
            entry
            for entry in self._entries
            if entry.served == served and used & entry.open == 0 and used & entry.used == entry.used
        ]

    def runs(self, open_: Sequence[Entry]) -> NDArray[np.int64]:
        """With forced zeros, the throws that open entries are for: columns of (place among them, first, last)."""
        scores = self.scores[[entry.column for entry in open_]] > 0
        ends = np.diff(scores | ~scores.any(axis=0), axis=1, prepend=False, append=False)
        place, at = np.nonzero(ends)  # each run of throws begins and ends
        return np.stack((place[::2], at[::2], at[1::2]))

    @cached_property
    def _entries(self) -> tuple[Entry, ...]:
        return tuple(self.entries())

    def _later(self, number: int, again: int) -> Iterator[Entry]:
        """Entering later throws of all alike in a category, once the box for them is used."""
        here, count = 1 << number, len(self.categories)
        faces = {category.face: 1 << i for i, category in enumerate(self.categories) if category.face}
        matching = sum(faces.values())
        for flag in range(self.flags):
            ordinary, joker = ((4, 5) if flag else (2, 3)) if self.again_bonus else (2, 3)
            asked = flag if self.flags == 2 else None
            for face, alike in enumerate(self._alike, 1):
                own = faces.get(face, 0)

                def entry(kind: int, used: int, open_: int = 0, alike: int = alike, flag: int | None = asked) -> Entry:
                    return Entry(kind * count + number, here, here | open_, again | used, flag, False, alike, alike + 1)

                if self.joker == NONE or here == own:
                    yield entry(ordinary, 0)
                elif self.joker == FREE:
                    if own:
                        yield entry(ordinary, 0, own)
                    yield entry(joker, own)
                elif here & matching:  # a zero in another face: only once nothing else is left
                    yield entry(ordinary, own | (self.full & ~matching))
                else:
                    yield entry(joker, own)

    @cached_property
    def shifts(self) -> Ints:
        """(columns, full throws) upper points by column; 0 for columns of lower categories."""
        return self._moves(0)

    def _moves(self, place: int) -> Ints:
        """The same of one column of the card."""
        shift = np.zeros_like(self.scores)
        count = len(self.categories)
        for column in range(len(shift)):
            if self.columns[place] >> column % count & 1:
                bonus = self.again_bonus if column >= 4 * count else 0  # it is no part of the box
                shift[column] = np.maximum(self.scores[column] - bonus, 0) // self.factors[place]
        return shift

    @cached_property
    def hops(self) -> Ints | None:
        """(columns, full throws) where there are several columns: what those after the first are raised by, as a number
        of ``hop_base`` digits, so many that no sum carries.
        """
        moves = [np.minimum(self._moves(place), self.bonus_at) for place in range(1, len(self.columns))]
        digits = [move * self.hop_base**place for place, move in enumerate(moves)]
        return np.sum(digits, axis=0) if digits else None

    @cached_property
    def hop_base(self) -> int:
        """See ``hops``."""
        return self.base + min(self.bonus_at, max(int(self._moves(place).max()) for place in range(len(self.columns))))

    @cached_property
    def turns(self) -> tuple[KeepTurn, ...]:
        """The turns for points, by the throws saved for them: gains are points, and the axis is the upper total."""
        shifts = self.shifts.astype(np.int32)
        hops = None if self.hops is None else self.hops.astype(np.int32)
        count = range(self.saved + 1)
        return tuple(KeepTurn(self.lattice, self.throws + saved, self.gains, shifts, hops) for saved in count)

    @property
    def turn(self) -> KeepTurn:
        """The turn for points with no throws saved."""
        return self.turns[0]

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """The scores as the kernel reads them."""
        return np.where(self.scores >= 0, self.scores, -np.inf).astype(np.float64)

    @cached_property
    def uppers(self) -> Mapping[int, Ints]:
        """By upper categories used (a mask), the upper totals that can occur, capped at the bonus: of each column."""
        columns = range(len(self.columns))
        return {used: totals for place in columns for used, totals in self.uppers_from(0, 0, place).items()}

    def occurring(self, used: int) -> Ints:
        """The upper totals that can occur, of all columns together."""
        found = np.zeros(1, dtype=np.int64)
        for place, mask in enumerate(self.columns):
            found = (self.uppers[used & mask] * self.base**place + found[:, None]).ravel()
        return found

    def uppers_from(self, used: int, upper: int, place: int = 0) -> dict[int, Ints]:
        """The same for what can follow from these upper categories of a column and their total."""
        totals = {used: np.full(1, upper)}
        for number in range(len(self.categories)):
            if (self.columns[place] & ~used) >> number & 1:
                add = np.array(sorted(self.held(number, self.full))) // self.factors[place]
                for before, reached in list(totals.items()):
                    sums = np.minimum(reached[:, None] + add, self.bonus_at)
                    totals[before | 1 << number] = np.flatnonzero(np.bincount(sums.ravel()))
        return totals

    def sure(self, used: int, total: Ints, place: int = 0) -> NDArray[np.bool_]:
        """Whether upper totals of a column get one bonus whatever is thrown, once these categories are used."""
        open_ = self.columns[place] & ~used
        more = sum(max(self.held(number, self.full)) for number in range(len(self.names)) if open_ >> number & 1)
        now, most = (self.bonuses[np.minimum(total + add, self.bonus_at)] for add in (0, more // self.factors[place]))
        certain: NDArray[np.bool_] = now == most
        return certain

    def most(self, used: int) -> int:
        """The most points that these categories can hold, bonuses included."""
        filled = [number for number in range(len(self.categories)) if used >> number & 1]
        total = sum(max(self.held(number, used)) for number in filled)
        if self.again_bonus and used & self.mask([self.again]):
            total += self.again_bonus * (len(filled) - 1)
        full = (factor for factor, mask in zip(self.factors, self.columns, strict=True) if used & mask == mask)
        return total + int(self.bonuses[-1]) * sum(full)

    def points_of(self, total: int) -> int:
        """What a whole card is worth that holds so much in the end, the upper bonus included."""
        return next((points for at, points in reversed(self.ranges) if total >= at), total)

    def can_hold(self, total: int, used: int, flag: bool, upper: int, told: Mapping[int, int]) -> bool:
        """Return whether these categories can hold ``total`` together, without the upper bonus.

        Args:
            used: the categories, as a mask; told: the points that some of them hold.
            flag: whether the box for all alike holds its points.
            upper: the upper totals of the columns as one number (see ``columns``).
        """
        possible = self.sums(used & ~self.upper_mask, used, told)
        if flag:
            for _ in range(used.bit_count() - 1):
                possible |= possible << self.again_bonus
        for mask, factor, held in zip(self.columns, self.factors, self.by_column(upper), strict=True):
            sums, least = self.sums(used & mask, used, told), factor * held
            most = sums.bit_length() if held == self.bonus_at else least + 1  # upper totals are counted up to bonus_at
            possible = reduce(or_, (possible << points for points in range(least, most) if sums >> points & 1), 0)
        return total >= 0 and bool(possible >> total & 1)

    def sums(self, some: int, used: int, told: Mapping[int, int]) -> int:
        """The sums of what some of the categories used can hold, as a bit set; ``told``: what some of all hold."""
        possible = 1
        for number in range(len(self.categories)):
            if some >> number & 1:
                held = {told[number]} if number in told else self.held(number, used)
                possible = reduce(or_, (possible << points for points in held))
        return possible

    def held(self, number: int, used: int) -> set[int]:
        """What a category can hold, bonuses aside, when these are used: after the box for all alike also a joker."""
        held = set(self.part_scores[number].tolist())
        if self.served:
            held.update(self.served_scores[number].tolist())
        if self.joker != NONE and self.again and used & self.mask([self.again]):
            held.update(self._in_full[number].tolist())
        return held
