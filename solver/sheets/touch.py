"""The sheet of Booby Trap: which size to touch, what to take, by feel and passes; judged on the whole board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..games.booby_trap import TouchRules
from ..games.touchodds import SIZES
from ..matches.touch import Margin
from . import Sheet, Table, facts

if TYPE_CHECKING:
    from ..solution import Solution

Left = tuple[int, int, int]
Takes = dict[tuple[int, int, int], bool]  # (size, feel, passes) -> whether to take
MOST_PIECES = 70  # the judgement is a plain loop over the board


def make(solution: Solution, progress: Callable[[float], None]) -> Sheet:
    """Return the sheet, for the margin: there the lead does not matter."""
    match: Any = solution.match
    if not isinstance(match, Margin):
        raise InputError(f"Booby Trap's sheet is made for the margin, not for {match.objective}: --objective margin")
    rules = match.rules
    if sum(rules.board) > MOST_PIECES:
        raise InputError(f"a sheet is judged on boards of at most {MOST_PIECES} pieces")
    best = _Board(rules)
    touch, takes = best.usual()
    value, optimal = best.judge(touch, takes)
    feels = rules.odds.feels
    rows = []
    for size, name in enumerate(SIZES):
        for feel, word in enumerate(feels):
            told = ["take" if takes[size, feel, passes] else "pass" for passes in range(rules.limit)]
            rows.append((name, word, *told, "must take"))
    columns = ("size", "feel", *(f"{passes} passes" for passes in range(rules.limit + 1)))
    tables = (
        Table(
            "Touch",
            tuple(f"{passes} passes" for passes in range(rules.limit + 1)),
            (tuple(SIZES[size] for size in touch),),
            "The size to touch, by passes in a row up to now; if none of it is left, the next smaller one.",
        ),
        Table("Take or pass", columns, tuple(rows)),
    )
    loss = optimal - value
    cost = (
        f"Playing by this sheet, first, against a perfect player: {value:+.3f} points of margin; perfectly"
        f" {optimal:+.3f}. The sheet costs {loss:.3f} points (exactly {loss:.3g}, within 1e-09).",
    )
    lines = ("Passes are those in a row up to now, your own and the other player's.",)
    return Sheet("Booby Trap: a sheet to play by", facts(solution), lines, tables, cost)


class _Board:
    """The margin by pieces left and passes, where the lead does not matter; plain loops, held against the kernel."""

    def __init__(self, rules: TouchRules) -> None:
        self.rules = rules
        self.chance = [[float(one) for one in row] for row in rules.odds.chance]
        self.trip = [[float(one) for one in row] for row in rules.odds.trip]
        large, medium, small = (range(count + 1) for count in rules.board)
        self.places: list[Left] = list(product(large, medium, small))
        self.best: dict[Left, list[float]] = {}
        for left in self.places:
            self.best[left] = self._solve(left)

    def sizes(self, left: Left) -> list[int]:
        there = [size for size in range(3) if left[size]]
        return there[-1:] if self.rules.in_order else there

    def fewer(self, left: Left, size: int) -> Left:
        large, medium, small = (count - (one == size) for one, count in enumerate(left))
        return large, medium, small

    def take(self, size: int, feel: int, after: float) -> float:
        """Margin of taking a piece, where the position after it is worth ``after`` to the other player."""
        trip = self.trip[size][feel]
        return (1 - trip) * self.rules.points[size] - trip * self.rules.penalty - after

    def _solve(self, left: Left) -> list[float]:
        limit = self.rules.limit
        runs = [0.0] * (limit + 1)
        if sum(left) <= self.rules.last:
            return runs
        for passes in range(limit, -1, -1):
            values = []
            for size in self.sizes(left):
                after = self.best[self.fewer(left, size)][0]
                taken = [self.take(size, feel, after) for feel in range(len(self.chance[size]))]
                if passes < limit:
                    taken = [max(one, -runs[passes + 1]) for one in taken]
                values.append(sum(c * one for c, one in zip(self.chance[size], taken, strict=True)))
            runs[passes] = max(values)
        return runs

    def usual(self) -> tuple[list[int], Takes]:
        """What is best on most boards: the size to touch by passes, and whether to take."""
        limit = self.rules.limit
        touches = [Counter[int]() for _ in range(limit + 1)]
        votes: Counter[tuple[int, int, int]] = Counter()
        for left in self.places:
            if sum(left) <= self.rules.last:
                continue
            for passes in range(limit + 1):
                refused = -self.best[left][passes + 1] if passes < limit else 0.0
                values = {}
                for size in self.sizes(left):
                    after = self.best[self.fewer(left, size)][0]
                    taken = [self.take(size, feel, after) for feel in range(len(self.chance[size]))]
                    for feel, one in enumerate(taken):
                        if passes < limit:
                            votes[size, feel, passes] += 1 if one > refused else -1
                    options = [max(one, refused) for one in taken] if passes < limit else taken
                    values[size] = sum(c * one for c, one in zip(self.chance[size], options, strict=True))
                if min(left) > 0:
                    touches[passes][max(values, key=lambda size: values[size])] += 1
        feels = range(len(self.rules.odds.feels))
        takes = {(s, f, p): votes[s, f, p] > 0 for s in range(3) for f in feels for p in range(limit)}
        return [count.most_common(1)[0][0] if count else 2 for count in touches], takes

    def judge(self, touch: list[int], takes: Takes) -> tuple[float, float]:
        """Margin of playing by the sheet, moving first, against the best; and the optimum."""
        limit = self.rules.limit
        ours: dict[Left, list[float]] = {}  # the sheet to move: its margin
        theirs: dict[Left, list[float]] = {}  # the best player to move: the sheet's margin
        for left in self.places:
            mine, other = [0.0] * (limit + 1), [0.0] * (limit + 1)
            ours[left], theirs[left] = mine, other
            if sum(left) <= self.rules.last:
                continue
            for passes in range(limit, -1, -1):
                last = passes == limit
                size = self._touched(left, touch[passes])
                after = theirs[self.fewer(left, size)][0]
                for feel, chance in enumerate(self.chance[size]):
                    taken = self.take(size, feel, 0.0) + after
                    mine[passes] += chance * (taken if last or takes[size, feel, passes] else other[passes + 1])
                refused = 0.0 if last else -self.best[left][passes + 1]
                found = []
                for size in self.sizes(left):
                    fewer = self.fewer(left, size)
                    value = carried = 0.0
                    for feel, chance in enumerate(self.chance[size]):
                        taken = self.take(size, feel, self.best[fewer][0])
                        keeps = last or taken >= refused
                        value += chance * (taken if keeps else refused)
                        told = ours[fewer][0] - self.take(size, feel, 0.0)
                        carried += chance * (told if keeps else mine[passes + 1])
                    found.append((value, carried))
                other[passes] = max(found)[1]
        return ours[self.rules.board][0], self.best[self.rules.board][0]

    def _touched(self, left: Left, size: int) -> int:
        there = self.sizes(left)
        return size if size in there else next((one for one in there if one > size), there[-1])
