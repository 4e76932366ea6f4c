"""Boards of three and more players, by how far every player is behind the best score, from the mover on.

Only what can follow a position is solved: with at most the pieces left there, and scores no further apart than one more
gain per removed piece can bring them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from ...games.booby_trap import TouchRules
from ...play.touch import Left
from ...util.threads import ThreadPool
from ..score_leads import deficit_count, deficit_indices, list_deficits
from .model import BoardTable, Floats, Ints, TerminalPayoffs


class MultiplayerBoards(BoardTable):
    """All boards that can follow from some pieces and scores.

    The table (lanes, players) holds the values of every player, from the mover on. Boards with fewer pieces come first.

    Args:
        rules: the rules of the game.
        terminal_payoffs: payoffs of the scores at the end.
        left: the pieces left at the start, by size.
        score_range: the largest difference of scores at the start.
    """

    def __init__(self, rules: TouchRules, terminal_payoffs: TerminalPayoffs, left: Left, score_range: int) -> None:
        super().__init__(rules, left, terminal_payoffs)
        self.score_range = score_range
        self.starts, self.count = np.full([count + 1 for count in left], -1), 0  # the first lane of each board
        self.layers: dict[int, list[Left]] = {}  # boards by number of pieces
        large, medium, small = (range(count + 1) for count in left)
        for board in sorted(product(large, medium, small), key=sum):
            if rules.can_be(board, left):
                self.layers.setdefault(sum(board), []).append(board)
                self.starts[board] = self.count
                self.count += deficit_count(rules.players, int(self.max_range(sum(board))))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the table: (lanes, players)."""
        return self.count, self.rules.players

    def max_range(self, pieces: int | Ints) -> int | Ints:
        """Return the largest possible difference of scores on boards of so many pieces."""
        return self.score_range + self.step * (sum(self.left) - pieces)

    def has_board(self, left: Left, score_range: int) -> bool:
        """Return whether the table has a board, and scores on it can lie so far apart."""
        is_contained = all(count <= start for count, start in zip(left, self.left, strict=True))
        return bool(is_contained and self.starts[left] >= 0 and score_range <= self.max_range(sum(left)))

    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """Return the lanes of scores within their boards."""
        return deficit_indices(scores.max(axis=-1, keepdims=True) - scores, self.max_range(pieces))

    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """Return the values of every player, from the mover on."""
        values: Floats = table[self.starts[tuple(left.T)] + lanes]
        return values

    def solve(self, threads: int, progress: Callable[[float], None]) -> Floats:
        """Return the table, solved from the fewest pieces to the most; threads share boards of as many pieces."""
        table, done = np.empty(self.shape), 0
        with ThreadPool(threads) as pool:
            for pieces, boards in self.layers.items():
                scores = -list_deficits(self.rules.players, int(self.max_range(pieces))).astype(np.int64)
                list(pool.map(self._board_solver(table, pieces, scores), boards))
                done += len(boards) * len(scores)
                progress(done / self.count)
        return table

    def _board_solver(self, table: Floats, pieces: int, scores: Ints) -> Callable[[Left], None]:
        """Return a function that writes the values of one board of so many pieces to the table."""
        is_over = pieces <= self.rules.last
        next_lanes = [] if is_over else self.next_lanes(scores, pieces)
        lane_after_pass = self.lanes(np.roll(scores, -1, axis=1), pieces)

        def solve(left: Left) -> None:
            start = self.starts[left]
            values = table[start : start + len(scores)]
            if is_over:
                values[:] = self.terminal_payoffs(scores)
            else:
                turns = self.turns(table, np.array(left), self.sizes(left), next_lanes, lane_after_pass)
                values[:] = turns.solve()[0]

        return solve
