"""Boards of three and more players, by how far every player is behind the best score, from the mover on.

Only what can follow a position is solved: with at most the pieces left there, and scores no further apart than one more
gain per removed piece can bring them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np

from ...games.booby_trap import TouchRules
from ...play.touch import PiecesLeft
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from ..score_leads import deficit_count, deficit_indices, list_deficits
from .model import BoardTable, Floats, Ints, TerminalPayoffs


class MultiplayerBoards(BoardTable):
    """All boards that can follow from some pieces and scores.

    The table (lanes, players) holds the values of every player, from the mover on. Boards with fewer pieces come first.
    The lanes of one board are the vectors of deficits that the players can have there (see ``score_leads``).

    Args:
        rules: the rules of the game.
        terminal_payoffs: payoffs of the scores at the end.
        left: the pieces left at the start, by size.
        score_range: the largest difference of scores at the start.

    Attributes:
        layers: the boards by their number of pieces, fewest first.
        starts: (large + 1, medium + 1, small + 1) the first lane of each board; -1 if the board cannot occur.
        count: the number of lanes of all boards.
        shape: (lanes, players), that of the table.
    """

    def __init__(
        self, rules: TouchRules, terminal_payoffs: TerminalPayoffs, left: PiecesLeft, score_range: int
    ) -> None:
        """List the boards that can follow, and assign lanes of the table to each: one for each vector of deficits.

        A deficit is how many points a player is behind the best score.

        Args:
            rules: the rules of the game.
            terminal_payoffs: computes payoffs (.., players) from the scores (.., players) at the end.
            left: the pieces left at the start: large, medium, small.
            score_range: the largest difference of scores at the start.
        """
        super().__init__(rules, left, terminal_payoffs)
        self.score_range = score_range
        self.layers: dict[int, list[PiecesLeft]] = {}  # by number of pieces, its boards
        self.starts = np.full([count + 1 for count in left], -1)  # by board, its first lane; -1 for none
        self.count = 0  # of lanes
        large, medium, small = (range(count + 1) for count in left)
        for board in sorted(product(large, medium, small), key=sum):
            if rules.can_occur(board, left):
                pieces = sum(board)
                self.layers.setdefault(pieces, []).append(board)
                self.starts[board] = self.count
                self.count += deficit_count(rules.players, int(self.max_range(pieces)))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the table: (lanes, players)."""
        return self.count, self.rules.players

    def max_range(self, pieces: int | Ints) -> int | Ints:
        """Return the largest possible difference of scores on boards of so many pieces.

        Every piece that is gone can have widened the range at the start by ``step``, the most that one take changes a
        score by.
        """
        removed = sum(self.left) - pieces
        return self.score_range + self.step * removed

    def has_board(self, left: PiecesLeft, score_range: int) -> bool:
        """Return whether the table has a board and, on it, scores with this range.

        Args:
            left: the pieces left, by size.
            score_range: the largest score minus the smallest.
        """
        is_contained = all(count <= count_at_start for count, count_at_start in zip(left, self.left, strict=True))
        if not is_contained:
            return False
        can_occur = self.starts[left] >= 0  # -1 stands for a board that cannot occur
        return bool(can_occur and score_range <= self.max_range(sum(left)))

    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """Return the lanes (..,) of scores, counted from the first lane of their boards.

        Args:
            scores: (.., players) scores from the mover on.
            pieces: the number of pieces on the boards.
        """
        deficits = scores.max(axis=-1, keepdims=True) - scores
        return deficit_indices(deficits, self.max_range(pieces))

    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """Return the values (.., players) of all players, from the mover on.

        Args:
            table: (lanes of all boards, players) the values.
            left: (.., sizes) the pieces left; (sizes,) if all lanes have the same board.
            lanes: (..,) the lanes, counted from the first lane of their boards.
        """
        large, medium, small = np.moveaxis(left, -1, 0)
        first_lanes = self.starts[large, medium, small]
        values: Floats = table[first_lanes + lanes]
        return values

    def solve(self, threads: int, progress: ProgressCallback) -> Floats:
        """Compute the table by retrograde analysis, from the fewest pieces to the most.

        Args:
            threads: number of threads, which share the boards with equally many pieces.
            progress: called with the fraction that is done.
        """
        table = np.empty(self.shape)
        solved_lanes = 0
        with ThreadPool(threads) as pool:
            for pieces, boards in self.layers.items():  # boards by their number of pieces, rising
                # All these boards have the same lanes: one for each vector of deficits behind the best score.
                deficits = list_deficits(self.rules.players, int(self.max_range(pieces)))
                scores = -deficits.astype(np.int64)  # (lanes, players), the best score counts as 0
                if pieces <= self.rules.last_pieces:  # the game is over
                    payoffs = self.terminal_payoffs(scores)
                    for board in boards:
                        values_of_board = self._board_values(table, board, len(scores))  # a view of the table
                        values_of_board[:] = payoffs
                else:
                    # Takes and passes lead to the same lanes from all these boards, so they are computed once.
                    lanes_after_take = self.lanes_after_take(scores, pieces)
                    lane_after_pass = self.lanes(np.roll(scores, -1, axis=1), pieces)
                    solve_board = partial(self._solve_board, table, lanes_after_take, lane_after_pass)
                    list(pool.map(solve_board, boards))  # the list waits for all of them
                solved_lanes += len(boards) * len(scores)
                progress(solved_lanes / self.count)
        return table

    def _board_values(self, table: Floats, left: PiecesLeft, lane_count: int) -> Floats:
        """Return the values (lanes, players) of one board, as a view: writing to it fills the table.

        Args:
            table: (lanes of all boards, players) the values.
            left: the pieces left, by size.
            lane_count: the number of lanes of the board.
        """
        first_lane = self.starts[left]
        return table[first_lane : first_lane + lane_count]

    def _solve_board(
        self, table: Floats, lanes_after_take: Sequence[Ints], lane_after_pass: Ints, left: PiecesLeft
    ) -> None:
        """Write the values of turns on one board, before any pass, to the table.

        Lanes are counted from the first lane of their board.

        Args:
            table: (lanes of all boards, players) the values; those of boards with fewer pieces are solved already.
            lanes_after_take: four arrays (lanes,), the next player's lanes on the board with one piece fewer: by the
                size of a piece that was taken safely, and at ``TRIPPED`` if the bar was tripped.
            lane_after_pass: (lanes,) the next player's lanes on the same board.
            left: the pieces left, by size.
        """
        turns = self.turns(table, np.array(left), self.sizes(left), lanes_after_take, lane_after_pass)
        values_by_passes = turns.solve()
        self._board_values(table, left, len(lane_after_pass))[:] = values_by_passes[0]
