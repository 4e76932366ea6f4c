"""Booby Trap for the margin, board by board: optimal play with level scores, and values of policies.

For the margin a lead changes nothing but the value that it adds. So turns begin here with level scores, and the value
of taking a piece does not depend on the passes before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product

from ..play.playable_game import Choice
from ..play.touch import PiecesLeft, TouchGame, TouchPosition
from ..solvers import ValueTable
from ..solvers.touch.problem import TouchMarginProblem
from ..util.progress_reporting import ProgressCallback
from .evaluation import Evaluation

SEAT_OF_POLICY, SEAT_OF_OPTIMUM = 0, 1


@dataclass(frozen=True)
class TouchPolicy:
    """A policy for Booby Trap: which size to touch after each number of passes, and which pieces to take.

    Attributes:
        touch: the size to touch by the number of passes in a row. If no piece of this size may be touched, the policy
            touches the next smaller size that may be.
        take: the pieces that are taken rather than passed: (size, feel, passes in a row).
        few: with so many pieces left, or fewer, the policy is ``late``.
        late: the policy for few pieces; None if it is the same for all boards.
    """

    touch: tuple[int, ...]
    take: frozenset[tuple[int, int, int]]
    few: int = 0
    late: TouchPolicy | None = None

    def policy_at(self, left: Sequence[int]) -> TouchPolicy:
        """Return the policy for a number of pieces of each size."""
        return self.late if self.late and sum(left) <= self.few else self

    def observation_key(self, start: TouchPosition) -> tuple[tuple[int, int, int], int]:
        """Return the pieces left and the passes, which tell turns apart already."""
        return start.left, start.passes

    def choose(self, playable: TouchGame, position: TouchPosition) -> Choice[TouchPosition]:
        """Return the choice that the policy makes in a decision position."""
        choices = playable.choices(position)
        policy = self.policy_at(position.left)
        if position.size is None:
            sizes = [choice.after.size or 0 for choice in choices]
            return choices[sizes.index(policy.size(sizes, position.passes))]
        if position.feel is None or policy.takes(position.size, position.feel, position.passes):
            return choices[-1]
        return choices[0]  # passing comes first, if it is allowed

    def explain(self, playable: TouchGame, position: TouchPosition) -> str:
        """Return in words the choice, the piece that decides it, and the passes before."""
        fields = playable.to_dict(position)
        piece = [fields[name] for name in ("touched", "feel") if name in fields]
        passes = f"{position.passes or 'no'} {'passes' if position.passes > 1 else 'pass'} before"
        return f"{self.choose(playable, position).action}: {', '.join((*piece, passes))}"

    def size(self, sizes: Sequence[int], passes: int) -> int:
        """Return the size to touch, of those that may be touched, larger pieces first."""
        return next((size for size in sizes if size >= self.touch[passes]), sizes[-1])

    def takes(self, size: int, feel: int, passes: int) -> bool:
        """Return True if the policy takes a piece rather than pass."""
        return (size, feel, passes) in self.take


@dataclass(frozen=True)
class TouchBoard:
    """Values for the player to move with some pieces left and level scores.

    Attributes:
        left: the pieces left of each size, larger sizes first.
        touch: values of touching, by passes in a row and size.
        take: values of taking a piece, by size and feel.
        leave: values of passing, by the passes before it, as long as it is allowed.
    """

    left: PiecesLeft
    touch: Mapping[tuple[int, int], float]
    take: Mapping[tuple[int, int], float]
    leave: Mapping[int, float]

    @cached_property
    def sizes(self) -> list[int]:
        """The sizes that may be touched."""
        return [size for passes, size in self.touch if not passes]

    @cached_property
    def size(self) -> list[int]:
        """The best size to touch by passes in a row; of equals the largest piece."""
        pass_counts = range(len(self.touch) // len(self.sizes))
        return [max(self.sizes, key=lambda size: self.touch[passes, size]) for passes in pass_counts]

    def takes(self, size: int, feel: int, passes: int) -> bool:
        """Return True if it is better to take a piece, or passing is not allowed."""
        return passes not in self.leave or self.take[size, feel] > self.leave[passes]


@dataclass(frozen=True)
class _BoardPositions:
    """The positions whose values a ``TouchBoard`` holds, by the same keys."""

    touch: dict[tuple[int, int], TouchPosition]
    take: dict[tuple[int, int], TouchPosition]
    leave: dict[int, TouchPosition]

    def positions(self) -> list[TouchPosition]:
        """Return the positions in one list."""
        return [*self.touch.values(), *self.take.values(), *self.leave.values()]


def list_boards(
    problem: TouchMarginProblem, value_table: ValueTable, progress: ProgressCallback = lambda share: None
) -> Iterator[TouchBoard]:
    """Yield every board on which the game goes on, fewer pieces before more.

    The boards with the same number of large pieces are one question to the problem.
    """
    rules = problem.playable.rules
    large, medium, small = (range(count + 1) for count in rules.board)
    lefts = (left for left in product(large, medium, small) if sum(left) > rules.last_pieces)
    for large_pieces, group in groupby(lefts, key=lambda left: left[0]):
        progress(large_pieces / len(large))
        positions_of = {left: _board_positions(problem.playable, left) for left in group}
        positions = [position for board in positions_of.values() for position in board.positions()]
        values = iter(problem.seat_values(value_table, positions).values[:, 0].tolist())
        for left, board in positions_of.items():
            # In the order of ``_BoardPositions.all``.
            touch = {key: next(values) for key in board.touch}
            take = {key: next(values) for key in board.take}
            leave = {key: next(values) for key in board.leave}
            yield TouchBoard(left, touch, take, leave)


def _board_positions(playable: TouchGame, left: PiecesLeft) -> _BoardPositions:
    """Return the positions that a board is valued by, for seat 0, with level scores."""
    pass_counts = range(playable.rules.max_passes + 1)
    start = TouchPosition(left, (0, 0))
    sizes = [choice.after.size or 0 for choice in playable.choices(start)]
    feels = range(len(playable.rules.odds.feels))
    return _BoardPositions(
        {
            (passes, size): TouchPosition(left, (0, 0), passes=passes, size=size)
            for passes in pass_counts
            for size in sizes
        },
        {
            (size, feel): TouchPosition(left, (0, 0), size=size, feel=feel, taking=True)
            for size in sizes
            for feel in feels
        },
        {passes: TouchPosition(left, (0, 0), seat=1, passes=passes + 1) for passes in pass_counts[:-1]},
    )


def evaluate_touches(
    problem: TouchMarginProblem, value_table: ValueTable, best: Iterable[TouchBoard], policy: TouchPolicy
) -> Evaluation:
    """Return the margin of a policy that moves first, against optimal play.

    Args:
        problem: the problem.
        value_table: its value table.
        best: the boards of optimal play, fewer pieces before more.
        policy: the policy of seat 0.
    """
    rules = problem.rules
    # The margin still to come for seat 0, by pieces left, the seat to move, and passes in a row.
    margins: dict[tuple[PiecesLeft, int, int], float] = {}
    feel_chances = [[(feel, float(chance)) for feel, chance in enumerate(row)] for row in rules.odds.feel_chances]
    mean_gains = [
        [float((1 - trip) * points - trip * rules.penalty) for trip in row]
        for row, points in zip(rules.odds.trip_chances, rules.points, strict=True)
    ]
    for board in best:
        large, medium, small = board.left
        left_after_taking = ((large - 1, medium, small), (large, medium - 1, small), (large, medium, small - 1))
        own_policy = policy.policy_at(board.left)
        for passes, seat in product(range(rules.max_passes, -1, -1), (SEAT_OF_POLICY, SEAT_OF_OPTIMUM)):
            is_policy = seat == SEAT_OF_POLICY
            size = own_policy.size(board.sizes, passes) if is_policy else board.size[passes]
            mover = own_policy if is_policy else board
            sign = 1 if is_policy else -1
            # Nothing follows once the game is over, so those boards have no entry.
            margin_after_taking = margins.get((left_after_taking[size], 1 - seat, 0), 0.0)
            margin = 0.0
            for feel, chance in feel_chances[size]:
                if passes == rules.max_passes or mover.takes(size, feel, passes):
                    margin += chance * (sign * mean_gains[size][feel] + margin_after_taking)
                else:
                    margin += chance * margins[board.left, 1 - seat, passes + 1]
            margins[board.left, seat, passes] = margin
    optimum = float(problem.seat_values(value_table, [problem.playable.start()]).values[0, 0])
    value = margins[rules.board, SEAT_OF_POLICY, 0]
    return Evaluation.from_values([value], [optimum], 2 * value_table.error_bound)
