"""The boards of three and more, by how far every player is behind the best score, from the mover on (``leads``).

What can follow a position is solved when it is asked about: with the pieces left there, and scores no further apart
than a piece more each can bring them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from ...games.booby_trap import TouchRules
from ...play.touch import Left
from ...util.threads import ThreadPool
from ..score_leads import lines, places, size
from .model import End, Floats, Ints, Stand


class Boards(Stand):
    """The boards that can follow from ``left`` pieces and scores up to ``apart``. The table holds what each line of
    scores on each board is worth to every seat from the mover on: (lines, players), those with fewer pieces first.
    """

    def __init__(self, rules: TouchRules, end: End, left: Left, apart: int) -> None:
        super().__init__(rules, left, end)
        self.apart = apart
        self.starts, self.count = np.full([count + 1 for count in left], -1), 0
        self.layers: dict[int, list[Left]] = {}
        large, medium, small = (range(count + 1) for count in left)
        for one in sorted(product(large, medium, small), key=sum):
            if rules.can_be(one, left):
                self.layers.setdefault(sum(one), []).append(one)
                self.starts[one] = self.count
                self.count += size(rules.players, int(self.far(sum(one))))

    @property
    def shape(self) -> tuple[int, ...]:
        """Lines of scores, players."""
        return self.count, self.rules.players

    def far(self, pieces: int | Ints) -> int | Ints:
        """How far scores can lie apart where so many pieces are left."""
        return self.apart + self.step * (sum(self.left) - pieces)

    def tells(self, left: Left, apart: int) -> bool:
        """No further apart than they can be there."""
        fits = all(count <= most for count, most in zip(left, self.left, strict=True)) and self.starts[left] >= 0
        return bool(fits and apart <= self.far(sum(left)))

    def lanes(self, scores: Ints, pieces: int | Ints) -> Ints:
        """By how far everybody is behind."""
        return places(scores.max(axis=-1, keepdims=True) - scores, self.far(pieces))

    def read(self, table: Floats, left: Ints, lanes: Ints) -> Floats:
        """As it stands there."""
        shares: Floats = table[self.starts[tuple(left.T)] + lanes]
        return shares

    def solve(self, threads: int, progress: Callable[[float], None]) -> Floats:
        """Board by board, those with as many pieces at a time."""
        table, done = np.empty(self.shape), 0
        with ThreadPool(threads) as pool:
            for pieces, layer in self.layers.items():
                scores = -lines(self.rules.players, int(self.far(pieces))).astype(np.int64)
                after = self.after(scores, pieces) if pieces > self.rules.last else []
                turned = self.lanes(np.roll(scores, -1, axis=1), pieces)

                def one(left: Left, scores: Ints = scores, after: list[Ints] = after, turned: Ints = turned) -> None:
                    begun = self.starts[left]
                    here = table[begun : begun + len(scores)]
                    if after:
                        here[:] = self.turns(table, np.array(left), self.sizes(left), after, turned).run()[0]
                    else:
                        here[:] = self.end(scores)

                list(pool.map(one, layer))
                done += len(layer) * len(scores)
                progress(done / self.count)
        return table
