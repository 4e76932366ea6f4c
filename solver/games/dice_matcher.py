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
        all_alike: all dice alike meet ``groups`` too. They are of one colour, because colours belong to faces.
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

    def matches(self, face_counts: Ints) -> NDArray[np.bool_]:
        """Return which rolls meet the conditions.

        Args:
            face_counts: array (rolls, faces), how many dice of each roll show each face.
        """
        matches = self._match_groups(face_counts)
        if self.straights:
            columns_by_run = [[face - 1 for face in run] for run in self.straights]
            matches &= np.any([(face_counts[:, columns] > 0).all(axis=1) for columns in columns_by_run], axis=0)
        if self.shows:
            matches &= (face_counts >= self.shows).all(axis=1)
        if self.only:
            is_other_face = [face not in self.only for face in range(1, face_counts.shape[1] + 1)]
            matches &= ~face_counts[:, is_other_face].any(axis=1)
        if self.at_least or self.at_most is not None:
            total = self.total(face_counts)
            matches &= (total >= self.at_least) & (total <= (total if self.at_most is None else self.at_most))
        return matches

    def total(self, face_counts: Ints) -> Ints:
        """Return the sum of all spots of each roll."""
        spots = np.array(self.spots or range(1, face_counts.shape[1] + 1))
        return np.asarray((face_counts * spots).sum(axis=1))

    def group_spots(self, face_counts: Ints) -> Ints:
        """Return the most spots that the dice of the groups show in each roll; below 0 if there are no such groups."""
        spots = np.max([self._max_group_spots(part) for part in self._split_by_colour(face_counts)], axis=0)
        return np.asarray(
            np.where(_are_all_alike(face_counts), self.total(face_counts), spots) if self.all_alike else spots
        )

    def _match_groups(self, face_counts: Ints) -> NDArray[np.bool_]:
        """Return which rolls meet the conditions on groups and colours.

        With groups, the largest counts of a roll must reach the group sizes, within one colour if faces have colours.
        All dice alike are enough if ``all_alike`` is set. Without groups, all dice must be of one colour.

        Args:
            face_counts: array (rolls, faces), how many dice of each roll show each face.
        """
        counts_by_colour = self._split_by_colour(face_counts)
        if not self.groups:  # only the colour matters; without colours every roll matches
            is_one_colour = [(counts == face_counts).all(axis=1) for counts in counts_by_colour]
            return np.asarray(np.any(is_one_colour, axis=0))
        matches = []
        for counts in counts_by_colour:
            descending_counts = np.sort(counts)[:, ::-1]
            # Both are in descending order, so the largest group is compared with the largest count.
            matches.append((descending_counts[:, : len(self.groups)] >= self.groups).all(axis=1))
        if self.all_alike:  # all dice show one face, so they are of one colour in any case
            matches.append(_are_all_alike(face_counts))
        return np.asarray(np.any(matches, axis=0))

    def _split_by_colour(self, face_counts: Ints) -> list[Ints]:
        """Return an array of face counts for each colour, with 0 for faces of other colours.

        If faces have no colours, the only array is ``face_counts``.
        """
        if not self.colours:
            return [face_counts]
        return [face_counts * [own == colour for own in self.colours] for colour in sorted({*self.colours})]

    def _max_group_spots(self, face_counts: Ints) -> Ints:
        """Return the most spots that the groups, each of another face, can show.

        Dynamic programming over the faces: ``best`` maps the groups that are still missing to the most spots so far, -1
        if that is impossible.
        """
        best = {self.groups: np.zeros(len(face_counts), dtype=np.int64)}
        for face in range(face_counts.shape[1]):
            for missing, spots in [*best.items()]:
                for place, size in enumerate(missing):
                    if size in missing[:place]:  # equal groups are interchangeable
                        continue
                    still_missing = missing[:place] + missing[place + 1 :]
                    is_possible = (spots >= 0) & (face_counts[:, face] >= size)
                    new_spots = np.where(is_possible, spots + size * (face + 1), -1)
                    best[still_missing] = np.maximum(best.get(still_missing, -1), new_spots)
        return best.get((), np.full(len(face_counts), -1))


def _are_all_alike(face_counts: Ints) -> NDArray[np.bool_]:
    """Return which rolls show a single face."""
    return np.asarray(face_counts.max(axis=1) == face_counts.sum(axis=1))
