"""What dice must show: one matcher of throws, for special throws, patterns and the boxes of cards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Shown:
    """What dice must show, all of it; faces are told by number, from 1.

    - ``groups``: as many alike as it says, the most first, each group of another face (with ``all_alike`` all dice
      alike will do too);
    - ``runs``: one die at least of every face of one of these;
    - ``shows``: these dice, as counts of faces;
    - ``only``: no other faces;
    - ``least``, ``most``: the bounds of the sum of all spots;
    - ``colours``: by face its colour, where the dice of the groups, without groups all dice, are of one.

    ``spots``: what each face counts, where sums are asked for; nothing: as its number says.
    """

    groups: tuple[int, ...] = ()
    all_alike: bool = False
    runs: tuple[tuple[int, ...], ...] = ()
    shows: tuple[int, ...] = ()
    only: tuple[int, ...] = ()
    least: int = 0
    most: int | None = None
    colours: tuple[str, ...] = ()
    spots: tuple[int, ...] = ()

    def fit(self, rows: Ints) -> NDArray[np.bool_]:
        """Which throws show it; a row of counts of faces for each."""
        made = self._made(rows)
        if self.runs:
            made &= np.any([(rows[:, [face - 1 for face in run]] > 0).all(axis=1) for run in self.runs], axis=0)
        if self.shows:
            made &= (rows >= self.shows).all(axis=1)
        if self.only:
            made &= ~rows[:, [face not in self.only for face in range(1, rows.shape[1] + 1)]].any(axis=1)
        if self.least or self.most is not None:
            total = self.total(rows)
            made &= (total >= self.least) & (total <= (total if self.most is None else self.most))
        return made

    def total(self, rows: Ints) -> Ints:
        """All spots of each throw."""
        return np.asarray((rows * np.array(self.spots or range(1, rows.shape[1] + 1))).sum(axis=1))

    def of_groups(self, rows: Ints) -> Ints:
        """The spots of the groups' dice of each throw, the most that there are; below 0 where there are none."""
        found = np.max([self._most_spots(part) for part in self._of_one(rows)], axis=0)
        return np.asarray(np.where(_alike(rows), self.total(rows), found) if self.all_alike else found)

    def _made(self, rows: Ints) -> NDArray[np.bool_]:
        """Whether the groups, or all dice, are there, of one colour where that is asked for."""
        if not self.groups:
            return np.asarray(np.any([(part == rows).all(axis=1) for part in self._of_one(rows)], axis=0))
        most = (np.sort(part)[:, : -len(self.groups) - 1 : -1] for part in self._of_one(rows))
        made = [(alike >= self.groups).all(axis=1) for alike in most]
        return np.asarray(np.any([*made, _alike(rows)] if self.all_alike else made, axis=0))

    def _of_one(self, rows: Ints) -> list[Ints]:
        """The dice of each colour alone."""
        return [rows * [one == colour for one in self.colours] for colour in sorted({*self.colours})] or [rows]

    def _most_spots(self, rows: Ints) -> Ints:
        """The most spots that groups, each of another face, can show: by what is still to be shown, face by face."""
        best = {self.groups: np.zeros(len(rows), dtype=np.int64)}
        for face in range(rows.shape[1]):
            for wanted, spots in [*best.items()]:
                for place, size in enumerate(wanted):
                    if size in wanted[:place]:
                        continue
                    rest = wanted[:place] + wanted[place + 1 :]
                    there = (spots >= 0) & (rows[:, face] >= size)
                    shown = np.where(there, spots + size * (face + 1), -1)
                    best[rest] = np.maximum(best.get(rest, -1), shown)
        return best.get((), np.full(len(rows), -1))


def _alike(rows: Ints) -> NDArray[np.bool_]:
    return np.asarray(rows.max(axis=1) == rows.sum(axis=1))
