"""All choices of many turns of one card, from one kernel call for the turns with the same boxes.

What is kept of a roll does not depend on the card, so these choices are listed once. What can be entered depends on the
boxes that are open: it is read from the options of the kernel (``EntryOptions``). Lanes are upper totals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...play.card import CardGame, CardPosition
from ...play.playable_game import Choice, replace_fields
from ...play.walk import sort_key
from ...turns.keep_turn import Doubles, KeepTurn, Longs
from ..turn_choices import TurnChoices
from .model import CardStates


class _KeepChoices(NamedTuple):
    """The choices to keep dice, and the decisions of a turn.

    Attributes:
        decisions: all decisions after a roll, in the order of rows.
        begin: (decisions before the last roll + 1,), where their choices begin.
        pool_index: (choices,), the index of each choice in the pool.
        roll_index: (choices,), the index of the roll in ``KeepValue.inner``.
        node: (choices,), the dice kept, as a node of the keep lattice.
        last_rolls: (full rolls,), the full roll of each decision after the last roll, in the order of rows.
    """

    decisions: tuple[CardPosition, ...]
    begin: Longs
    pool_index: Longs
    roll_index: Longs
    node: Longs
    last_rolls: Longs


class _Entries(NamedTuple):
    """Some ways to enter a full roll in a box.

    Attributes:
        place: the place of the full roll among the decisions after the last roll.
        box: the number of the box.
        points: the points that are entered.
        shift: by how much the upper total rises.
        row: the row of the values after the turn.
        pool_index: the index of the choice in the pool.
    """

    place: Longs
    box: Longs
    points: Longs
    shift: Longs
    row: Longs
    pool_index: Longs


class CardTurnRows:
    """Lists the choices of turns of one card with one entry a turn, whose boxes score alike after every roll."""

    def __init__(self, playable: CardGame, states: CardStates, turn: KeepTurn) -> None:
        """Prepare the lists that all turns share.

        Args:
            playable: the game as people play it.
            states: the states between turns.
            turn: the compiled turn.
        """
        self.playable, self.states, self.turn = playable, states, turn
        self._pool = list[Choice[CardPosition]]()
        self._keep = self._list_keep_choices()
        self._entered = dict[tuple[int, int], int]()  # by box and points, the index in the pool
        self._entries = dict[tuple[int, int, int], _Entries]()  # by column, first and last roll; with no row yet
        self._place_of_roll = np.argsort(self._keep.last_rolls)

    def _list_keep_choices(self) -> _KeepChoices:
        """Return the decisions of a turn, and the choices of those before the last roll."""
        playable, lattice = self.playable, self.turn.lattice
        roll_count = self.turn.roll_count
        decisions = [
            replace_fields(playable.start(), throw=number, roll=tuple(roll))
            for number in range(1, roll_count + 1)
            for roll in lattice.full_rolls.tolist()
        ]
        decisions.sort(key=lambda decision: sort_key(playable, decision))
        begin, pool_index, roll_index, dice_counts = [0], list[int](), list[int](), list[tuple[int, ...]]()
        index_of_choice = dict[int, int]()  # by identity: equal dice kept of two rolls are one object
        early = [decision for decision in decisions if decision.throw < roll_count]
        for decision in early:
            for choice in playable.choices(decision):
                if id(choice) not in index_of_choice:
                    index_of_choice[id(choice)] = len(self._pool)
                    self._pool.append(choice)
                pool_index.append(index_of_choice[id(choice)])
                after = choice.after
                # All dice kept have the value of entering them after the last roll.
                roll_index.append(roll_count - 1 if after.roll is not None else decision.throw)
                dice_counts.append(after.kept if after.roll is None else after.roll)
            begin.append(len(pool_index))
        last_rolls = lattice.node_indices([decision.roll or () for decision in decisions[len(early) :]])
        return _KeepChoices(
            tuple(decisions),
            np.array(begin),
            np.array(pool_index, dtype=np.int64),
            np.array(roll_index, dtype=np.int64),
            lattice.node_indices(dice_counts) if dice_counts else np.empty(0, dtype=np.int64),
            last_rolls - lattice.first_full,
        )

    def choices(
        self,
        points: Doubles,
        starts: Sequence[CardPosition],
        error_bounds: Callable[[Sequence[CardPosition]], NDArray[np.float64]],
    ) -> TurnChoices:
        """Return all choices of turns with the same open boxes.

        Args:
            points: (states, width) the values between turns.
            starts: the positions in which the turns begin; no points have been scored.
            error_bounds: returns the error bounds of values between turns.
        """
        own = starts[0].own_card
        state = int(self.states.state_indices(np.array([own.used]), np.array([own.flag]))[0])
        uppers = np.array([start.own_card.upper for start in starts])
        entries = self._entries_of(state)
        last_upper = points.shape[1] - LANES  # totals that are higher count as this one
        uppers_after = np.minimum(uppers + entries.shift[:, None], last_upper)
        entered = entries.points[:, None] + points[entries.row[:, None], uppers_after]
        keep = self._keep
        counts = np.bincount(entries.place, minlength=len(keep.last_rolls))
        return TurnChoices(
            keep.decisions,
            begin=np.concatenate((keep.begin, keep.begin[-1] + np.cumsum(counts))),
            pool=self._pool,
            pool_index=np.concatenate((keep.pool_index, entries.pool_index)),
            values=np.concatenate((self._kept_values(points, state, uppers), entered)),
            error_bounds=self._bounds(starts, int(entries.points.max()), error_bounds),
        )

    def _kept_values(self, points: Doubles, state: int, uppers: Longs) -> Doubles:
        """Return the values of the choices to keep dice: (choices, turns)."""
        first_lanes, block = np.unique(uppers // LANES * LANES, return_inverse=True)
        solved = self.turn.solve(
            points,
            self.states.entry_options,
            self.states.option_sets(np.full(len(first_lanes), state), self.turn.roll_count),
            first_lanes,
            inner=True,
        )
        assert solved.inner is not None
        keep = self._keep
        by_block = solved.inner[:, keep.roll_index, keep.node]  # (blocks, choices, LANES)
        values: Doubles = by_block.transpose(1, 0, 2)[:, block.ravel(), uppers % LANES]
        return values

    def _entries_of(self, state: int) -> _Entries:
        """Return the ways to enter dice after the last roll: by decision, more points before fewer, then by box."""
        options = self.states.entry_options
        option_set = int(self.states.option_sets(np.array([state]), self.turn.roll_count)[0])
        parts = []
        for option in range(*options.option_start[option_set : option_set + 2].tolist()):
            key = int(options.column[option]), int(options.first_roll[option]), int(options.end_roll[option])
            if key not in self._entries:
                self._entries[key] = self._entries_of_column(*key)
            part = self._entries[key]
            parts.append(part._replace(row=np.full(len(part.place), options.row[option])))
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        place, box, points = columns[:3]
        order = np.lexsort((box, -points, place))
        return _Entries(*(column[order] for column in columns))

    def _entries_of_column(self, column: int, first_roll: int, end_roll: int) -> _Entries:
        """Return the ways to enter some full rolls in a column of the kernel; their rows are still to be set."""
        rolls = first_roll + np.flatnonzero(self.turn.gain[column, first_roll:end_roll] > -np.inf)
        points = self.turn.gain[column, rolls].astype(np.int64)
        box = column % len(self.playable.card.categories)
        pool_index = np.array([self._index_of_entry(box, amount) for amount in points.tolist()], dtype=np.int64)
        place = self._place_of_roll[rolls]
        shift = self.turn.shift[column, rolls].astype(np.int64)
        return _Entries(place, np.full(len(rolls), box), points, shift, np.empty(0, dtype=np.int64), pool_index)

    def _index_of_entry(self, box: int, points: int) -> int:
        """Return the index in the pool of entering points in a box."""
        if (box, points) not in self._entered:
            self._entered[box, points] = len(self._pool)
            self._pool.append(self.playable.entry_choice(box, points, self.playable.start()))
        return self._entered[box, points]

    def _bounds(
        self,
        starts: Sequence[CardPosition],
        most_points: int,
        error_bounds: Callable[[Sequence[CardPosition]], NDArray[np.float64]],
    ) -> Doubles:
        """Return the error bound of each turn: that of the position after the entry with the most points.

        Args:
            starts: the positions in which the turns begin.
            most_points: the most points that can be entered.
            error_bounds: returns the error bounds of values between turns.
        """
        own = starts[0].own_card
        is_last_turn = own.used.bit_count() + 1 == len(self.playable.card.categories)
        scored = own if is_last_turn else own._replace(score=most_points)
        bound = float(np.max(error_bounds([replace_fields(starts[0], cards=(scored,))])))
        return np.full(len(starts), bound)
