"""Booby Trap for the margin, board by board: the best with level scores, and what a policy is worth on the whole.

For the margin a lead changes nothing but what it adds, so turns begin here with level scores, and what taking a piece
is worth does not hang on the passes before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product

from ..answers.positions import value as value_of
from ..play.playable_game import Choice
from ..play.touch import Left, Play, TouchPosition
from ..solvers import ValueTable
from ..solvers.touch.problem import TouchMarginProblem
from ..util.progress_reporting import ProgressCallback
from .evaluation import Evaluation


@dataclass(frozen=True)
class Touches:
    """Booby Trap: touch the size ``touch[passes in a row]``, or if none of it may be touched the next smaller one that
    may, and take where ``(size, feel, passes)`` stands in ``take``. With ``few`` pieces left or fewer play ``late``.
    """

    touch: tuple[int, ...]
    take: frozenset[tuple[int, int, int]]
    few: int = 0
    late: Touches | None = None

    def at(self, left: Sequence[int]) -> Touches:
        """The page for so many pieces."""
        return self.late if self.late and sum(left) <= self.few else self

    def observation_key(self, start: TouchPosition) -> tuple[tuple[int, int, int], int]:
        """Pieces left and passes, which tell turns apart already."""
        return start.left, start.passes

    def choose(self, table: Play, position: TouchPosition) -> Choice[TouchPosition]:
        """What is done in a position in which there is something to choose."""
        choices, page = table.choices(position), self.at(position.left)
        if position.size is None:
            sizes = [choice.after.size or 0 for choice in choices]
            return choices[sizes.index(page.size(sizes, position.passes))]
        if position.feel is None or page.takes(position.size, position.feel, position.passes):
            return choices[-1]
        return choices[0]  # passing stands first, where one may

    def explain(self, table: Play, position: TouchPosition) -> str:
        """What decides there: the size to touch, or how a piece sits that is taken or left."""
        told = table.tell(position)
        lies = [told[name] for name in ("touched", "feel") if name in told]
        after = f"{position.passes or 'no'} {'passes' if position.passes > 1 else 'pass'} before"
        return f"{self.choose(table, position).action}: {', '.join((*lies, after))}"

    def size(self, sizes: Sequence[int], passes: int) -> int:
        """The size that is touched, of those that may be."""
        return next((size for size in sizes if size >= self.touch[passes]), sizes[-1])

    def takes(self, size: int, feel: int, passes: int) -> bool:
        """Whether a piece is taken where one may pass."""
        return (size, feel, passes) in self.take


@dataclass(frozen=True)
class Board:
    """What the player to move gets with some pieces ``left``: by touching a size (``touch``, by passes and size), by
    taking a piece (``take``, by size and feel) and by passing (``leave``, by passes before it, where one may).
    """

    left: Left
    touch: Mapping[tuple[int, int], float]
    take: Mapping[tuple[int, int], float]
    leave: Mapping[int, float]

    @cached_property
    def sizes(self) -> list[int]:
        """The sizes that may be touched."""
        return [size for passes, size in self.touch if not passes]

    @cached_property
    def size(self) -> list[int]:
        """The size that is best to touch, the first of those, by passes."""
        runs = range(len(self.touch) // len(self.sizes))
        return [max(self.sizes, key=lambda size: self.touch[passes, size]) for passes in runs]

    def takes(self, size: int, feel: int, passes: int) -> bool:
        """Whether it is better to take a piece."""
        return passes not in self.leave or self.take[size, feel] > self.leave[passes]


def boards(
    match: TouchMarginProblem, solved: ValueTable, progress: ProgressCallback = lambda done: None
) -> Iterator[Board]:
    """Every board on which the game goes on, fewer pieces before more."""
    large, medium, small = (range(count + 1) for count in match.playable.rules.board)
    lefts = (left for left in product(large, medium, small) if sum(left) > match.playable.rules.last)
    for first, row in groupby(lefts, key=lambda left: left[0]):  # one question to the match
        progress(first / len(large))
        asked = {left: _asked(match.playable, left) for left in row}
        positions = [position for parts in asked.values() for part in parts for position in part.values()]
        worth = iter(match.seat_values(solved, positions).values[:, 0].tolist())
        for left, (touch, take, leave) in asked.items():
            touched = {key: next(worth) for key in touch}
            taken = {key: next(worth) for key in take}
            yield Board(left, touched, taken, {key: next(worth) for key in leave})


Touch = dict[tuple[int, int], TouchPosition]


def _asked(table: Play, left: Left) -> tuple[Touch, Touch, dict[int, TouchPosition]]:
    """The positions whose worth to seat 0 a board tells."""
    runs, begin = range(table.rules.limit + 1), TouchPosition(left, (0, 0))
    sizes = [choice.after.size or 0 for choice in table.choices(begin)]
    feels = range(len(table.rules.odds.feels))
    return (
        {(run, size): TouchPosition(left, (0, 0), passes=run, size=size) for run in runs for size in sizes},
        {(s, f): TouchPosition(left, (0, 0), size=s, feel=f, taking=True) for s in sizes for f in feels},
        {run: TouchPosition(left, (0, 0), seat=1, passes=run + 1) for run in runs[:-1]},
    )


def evaluate_touches(
    match: TouchMarginProblem, solved: ValueTable, best: Iterable[Board], policy: Touches
) -> Evaluation:
    """Margin of a player who moves first and follows a policy, against the best, which the match's boards tell."""
    rules, known = match.rules, dict[tuple[Left, int, int], float]()  # seat 0, who follows it, gets so much
    feels = [[(feel, float(chance)) for feel, chance in enumerate(row)] for row in rules.odds.chance]
    gains = [
        [float((1 - trip) * points - trip * rules.penalty) for trip in row]
        for row, points in zip(rules.odds.trip, rules.points, strict=True)
    ]
    for board in best:
        large, medium, small = board.left
        fewer = ((large - 1, medium, small), (large, medium - 1, small), (large, medium, small - 1))
        page = policy.at(board.left)
        for passes, seat in product(range(rules.limit, -1, -1), (0, 1)):
            size = board.size[passes] if seat else page.size(board.sizes, passes)
            after, total = known.get((fewer[size], 1 - seat, 0), 0.0), 0.0  # nothing more once it is over
            for feel, chance in feels[size]:
                if passes == rules.limit or (board if seat else page).takes(size, feel, passes):
                    total += chance * ((-1 if seat else 1) * gains[size][feel] + after)
                else:
                    total += chance * known[board.left, 1 - seat, passes + 1]
            known[board.left, seat, passes] = total
    optimal = value_of(match, solved, match.playable.start()).value
    value = known[rules.board, 0, 0]
    return Evaluation.of([value], [optimal], 2 * solved.error_bound)
