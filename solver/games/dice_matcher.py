"""A matcher of rolls: the conditions of special rolls, patterns and the boxes of cards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class DiceCondition:
    """Conditions on dice, all of which must hold; faces are given by number, from 1.

    Attributes:
        groups: the sizes of groups of dice alike, largest first, each group of another face.
        all_alike: all dice alike meet ``groups`` too.
        straights: all faces of one of these runs show, each on one die at least.
        shows: these dice are among them, as counts of faces.
        only: no other faces show.
        at_least: the least sum of all spots.
        at_most: the greatest sum of all spots; None for no limit.
        colours: the colour of each face; the dice of the groups, or all dice without groups, are of one colour. Empty:
            no condition on colours.
        spots: the spots of each face for sums; empty: the number of the face.
    """

    groups: tuple[int, ...] = ()
    all_alike: bool = False
    straights: tuple[tuple[int, ...], ...] = ()
    shows: tuple[int, ...] = ()
    only: tuple[int, ...] = ()
    at_least: int = 0
    at_most: int | None = None
    colours: tuple[str, ...] = ()
    spots: tuple[int, ...] = ()

    def matches(self, rows: Ints) -> NDArray[np.bool_]:
        """Return which rolls meet the conditions; ``rows``: (rolls, faces) counts of faces."""
        matches = self._match_groups(rows)
        if self.straights:
            columns_by_run = [[face - 1 for face in run] for run in self.straights]
            matches &= np.any([(rows[:, columns] > 0).all(axis=1) for columns in columns_by_run], axis=0)
        if self.shows:
            matches &= (rows >= self.shows).all(axis=1)
        if self.only:
            is_other_face = [face not in self.only for face in range(1, rows.shape[1] + 1)]
            matches &= ~rows[:, is_other_face].any(axis=1)
        if self.at_least or self.at_most is not None:
            total = self.total(rows)
            matches &= (total >= self.at_least) & (total <= (total if self.at_most is None else self.at_most))
        return matches

    def total(self, rows: Ints) -> Ints:
        """Return the sum of all spots of each roll."""
        spots = np.array(self.spots or range(1, rows.shape[1] + 1))
        return np.asarray((rows * spots).sum(axis=1))

    def group_spots(self, rows: Ints) -> Ints:
        """Return the most spots that the dice of the groups show in each roll; below 0 if there are no such groups."""
        spots = np.max([self._max_group_spots(part) for part in self._split_by_colour(rows)], axis=0)
        return np.asarray(np.where(_are_all_alike(rows), self.total(rows), spots) if self.all_alike else spots)

    def _match_groups(self, rows: Ints) -> NDArray[np.bool_]:
        """Return whether each roll has the groups, of one colour if that is a condition."""
        parts = self._split_by_colour(rows)
        if not self.groups:  # all dice are of one colour
            return np.asarray(np.any([(part == rows).all(axis=1) for part in parts], axis=0))
        group_count = len(self.groups)
        largest_counts = (np.sort(part)[:, : -group_count - 1 : -1] for part in parts)
        matches = [(counts >= self.groups).all(axis=1) for counts in largest_counts]
        if self.all_alike:
            matches.append(_are_all_alike(rows))
        return np.asarray(np.any(matches, axis=0))

    def _split_by_colour(self, rows: Ints) -> list[Ints]:
        """Return the dice of each colour alone; without colours, all dice."""
        distinct_colours = sorted({*self.colours})
        return [rows * [own == colour for own in self.colours] for colour in distinct_colours] or [rows]

    def _max_group_spots(self, rows: Ints) -> Ints:
        """Return the most spots that the groups, each of another face, can show.

        Dynamic programming over the faces: ``best`` maps the groups that are still missing to the most spots so far, -1
        if that is impossible.
        """
        best = {self.groups: np.zeros(len(rows), dtype=np.int64)}
        for face in range(rows.shape[1]):
            for missing, spots in [*best.items()]:
                for place, size in enumerate(missing):
                    if size in missing[:place]:  # equal groups are interchangeable
                        continue
                    still_missing = missing[:place] + missing[place + 1 :]
                    is_possible = (spots >= 0) & (rows[:, face] >= size)
                    new_spots = np.where(is_possible, spots + size * (face + 1), -1)
                    best[still_missing] = np.maximum(best.get(still_missing, -1), new_spots)
        return best.get((), np.full(len(rows), -1))


def _are_all_alike(rows: Ints) -> NDArray[np.bool_]:
    return np.asarray(rows.max(axis=1) == rows.sum(axis=1))
