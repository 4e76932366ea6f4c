"""All choices of many turns of one card, from one kernel call for the turns with the same open boxes.

The choices to keep dice do not depend on the card, so they are listed once. The choices to enter dice depend on the
open boxes, and are read from the options of the kernel (``EntryOptions``). Lanes are upper totals.

The *pool* is a list of different choices. The same choice can be offered by many decisions, so these hold indices.
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
    """The decision positions of a turn, and the choices to keep dice.

    Attributes:
        decisions: a position for each roll of the turn and each full roll that it may give, as ``_list_decisions``
            sorts them. Those before the last roll of the turn come first.
        begin: (decisions before the last roll + 1,) where the choices of each decision begin, and their number.
        pool_index: (choices,) the index of each choice in the pool.
        roll_index: (choices,) the index of the choice's value on the axis of rolls of ``KeepValue.inner``
            (``_roll_index``).
        node: (choices,) the dice kept, as a node of the keep lattice.
        last_rolls: (full rolls,) the full roll of each decision after the last roll, in the order of ``decisions``.
    """

    decisions: tuple[CardPosition, ...]
    begin: Longs
    pool_index: Longs
    roll_index: Longs
    node: Longs
    last_rolls: Longs


class _Entries(NamedTuple):
    """Choices to enter a full roll in a box, as arrays with one entry for each choice.

    Attributes:
        decision_index: the index of the full roll's decision among those after the last roll.
        box: the number of the box.
        points: the points that are entered.
        shift: by how much the upper total rises.
        row: the row of the value table with the values after the turn; empty until it is known.
        pool_index: the index of the choice in the pool.
    """

    decision_index: Longs
    box: Longs
    points: Longs
    shift: Longs
    row: Longs
    pool_index: Longs


class CardTurnRows:
    """Lists the choices of turns of one card with one entry a turn, whose boxes score alike after every roll.

    The choices to keep dice are the same in every turn. The *pool* is a list of all different choices; a choice that is
    offered by many decisions is stored there once, and named by its index.

    Attributes:
        playable, states, turn: the game as people play it, the states between turns, and the compiled turn.
        _pool: the list of all different choices.
        _keep: the decisions of a turn and the choices to keep dice (see ``_KeepChoices``). Its ``last_rolls`` are the
            full rolls of the decisions after the last roll, in their order.
        _entries: by column, first full roll and end of the full rolls, the choices to enter these (``_Entries``). Their
            field ``row``, the state after the entry, stays empty, because it differs from turn to turn.
        _decision_of_roll: by full roll, the index of its decision among those after the last roll.
    """

    def __init__(self, playable: CardGame, states: CardStates, turn: KeepTurn) -> None:
        """List the decisions of a turn and the choices to keep dice, which all turns share.

        Args:
            playable: the game as people play it.
            states: the states between turns.
            turn: the compiled turn.
        """
        self.playable, self.states, self.turn = playable, states, turn
        self._pool = list[Choice[CardPosition]]()
        self._keep = self._list_keep_choices()  # fills the pool; the choices to enter dice are appended as they are met
        self._pool_index_of_entry = dict[tuple[int, int], int]()  # by box and points, the index in the pool
        self._entries = dict[tuple[int, int, int], _Entries]()
        # By full roll, the index of its decision after the last roll: the inverse of ``last_rolls``.
        self._decision_of_roll = np.argsort(self._keep.last_rolls)

    def _list_keep_choices(self) -> _KeepChoices:
        """List the decisions of a turn, and the choices to keep dice of those before the last roll.

        The pool is filled with these choices.
        """
        lattice = self.turn.lattice
        decisions = self._list_decisions()
        before_last_roll = [decision for decision in decisions if decision.throw < self.turn.roll_count]
        after_last_roll = decisions[len(before_last_roll) :]  # sorted behind the others
        choices_by_decision = [self.playable.choices(decision) for decision in before_last_roll]
        choices = [choice for offered in choices_by_decision for choice in offered]
        choice_counts = [len(offered) for offered in choices_by_decision]
        rolls_made = [  # by choice
            decision.throw
            for decision, count in zip(before_last_roll, choice_counts, strict=True)
            for _ in range(count)
        ]
        # After a choice that keeps all dice, they lie in the position as its roll. Otherwise it has no roll.
        positions_after = [choice.after for choice in choices]
        dice = [after.kept if after.roll is None else after.roll for after in positions_after]  # counts of each face
        roll_index = [
            self._roll_index(roll_number, keeps_all=after.roll is not None)
            for roll_number, after in zip(rolls_made, positions_after, strict=True)
        ]
        # All these decisions have a roll. The empty tuple is for the type, in which a position may have none.
        last_roll_nodes = lattice.node_indices([decision.roll or () for decision in after_last_roll])
        return _KeepChoices(
            decisions=tuple(decisions),
            begin=np.cumsum([0, *choice_counts]),
            pool_index=self._begin_pool(choices),
            roll_index=np.array(roll_index, dtype=np.int64),
            node=lattice.node_indices(dice) if dice else np.empty(0, dtype=np.int64),
            last_rolls=last_roll_nodes - lattice.first_full,  # full rolls are the nodes from ``first_full`` on
        )

    def _roll_index(self, rolls_made: int, keeps_all: bool) -> int:
        """Return the index of the value of kept dice on the axis of rolls of ``KeepValue.inner``.

        Index i holds the values of kept dice before roll i + 1, where rolls are counted from 1.

        - Fewer than all dice, kept after n rolls, are rolled again in roll n + 1. So the index is n.
        - If all dice are kept, they are entered as they are, and no die is rolled any more. That is their value before
          the last roll, at the last index.

        Args:
            rolls_made: the number n of rolls that have been made.
            keeps_all: whether all dice are kept.
        """
        last_index = self.turn.roll_count - 1
        return last_index if keeps_all else rolls_made

    def _list_decisions(self) -> list[CardPosition]:
        """Return a position for each roll of the turn and each full roll that it may give, in the order of listings.

        Listings of a game sort decisions by ``sort_key``, which compares their fields one by one. The number of the
        roll comes first among the fields that differ here. So decisions after the last roll come last.
        """
        start = self.playable.start()
        decisions = [
            replace_fields(start, throw=roll_number, roll=tuple(roll))
            for roll_number in range(1, self.turn.roll_count + 1)
            for roll in self.turn.lattice.full_rolls.tolist()
        ]
        return sorted(decisions, key=lambda decision: sort_key(self.playable, decision))

    def _begin_pool(self, choices: Sequence[Choice[CardPosition]]) -> Longs:
        """Fill the empty pool with the different choices among some, and return the index of each: (choices,).

        The game returns the same object for equal choices, so choices are compared by identity.

        Args:
            choices: all choices to keep dice, equal ones repeated. Choices to enter dice are appended later.
        """
        pool_index_of_object = dict[int, int]()
        for choice in choices:
            if id(choice) not in pool_index_of_object:
                pool_index_of_object[id(choice)] = len(self._pool)
                self._pool.append(choice)
        return np.array([pool_index_of_object[id(choice)] for choice in choices], dtype=np.int64)

    def choices(
        self,
        points: Doubles,
        starts: Sequence[CardPosition],
        error_bounds: Callable[[Sequence[CardPosition]], NDArray[np.float64]],
    ) -> TurnChoices:
        """Return all choices of turns with the same open boxes, with their values: first to keep dice, then to enter.

        Args:
            points: (states, width) the expected points still to come between turns, by state and upper total.
            starts: the positions in which the turns begin; no points have been scored.
            error_bounds: returns the error bounds of values between turns.
        """
        own = starts[0].own_card
        state = self.states.state_index(own.used, own.flag)
        uppers = np.array([start.own_card.upper for start in starts])
        entries = self._entries_of(state)  # sorted by decision
        entry_values = _entry_values(entries, points, uppers)
        keep = self._keep
        # ``keep.begin`` holds where the choices of each decision before the last roll begin, and at last their number.
        # The choices to enter dice after the last roll follow them, in the order of their decisions.
        entry_counts = np.bincount(entries.decision_index, minlength=len(keep.last_rolls))  # by decision
        entry_begin = keep.begin[-1] + np.cumsum(entry_counts)
        max_entry = int(entries.points.max())  # error bounds grow with the points
        return TurnChoices(
            keep.decisions,
            begin=np.concatenate((keep.begin, entry_begin)),
            pool=self._pool,
            pool_index=np.concatenate((keep.pool_index, entries.pool_index)),
            values=np.concatenate((self._keep_values(points, state, uppers), entry_values)),
            error_bounds=self._bounds(starts, max_entry, error_bounds),
        )

    def _keep_values(self, points: Doubles, state: int, uppers: Longs) -> Doubles:
        """Return the values of the choices to keep dice.

        The turn with upper total u is lane u % LANES of the block of turns whose first upper total is u - u % LANES.

        Args:
            points: (states, width) the expected points still to come between turns, by state and upper total.
            state: the state in which all turns begin.
            uppers: (turns,) the upper total at the beginning of each turn.

        Returns:
            (choices, turns) values.
        """
        first_lanes, block_of_turn = np.unique(uppers // LANES * LANES, return_inverse=True)
        solved = self.turn.solve(
            points,
            self.states.entry_options,
            self.states.option_sets(np.full(len(first_lanes), state), self.turn.roll_count),
            first_lanes,
            inner=True,
        )
        assert solved.inner is not None
        keep = self._keep
        # The values inside turns are (blocks, rolls, nodes, LANES).
        by_block = solved.inner[:, keep.roll_index, keep.node]  # (blocks, choices, LANES)
        by_choice = by_block.transpose(1, 0, 2)  # (choices, blocks, LANES)
        lane_of_turn = uppers % LANES
        values: Doubles = by_choice[:, block_of_turn.ravel(), lane_of_turn]
        return values

    def _entries_of(self, state: int) -> _Entries:
        """Return the choices to enter dice after the last roll, in the order in which they are listed.

        They are sorted by decision, then more points before fewer, then by box.

        Args:
            state: the state in which the turn begins.
        """
        options = self.states.entry_options
        option_set = int(self.states.option_sets(np.array([state]), self.turn.roll_count)[0])
        entries_by_option = []
        for option in range(int(options.option_start[option_set]), int(options.option_start[option_set + 1])):
            column_and_rolls = (
                int(options.column[option]),
                int(options.first_roll[option]),
                int(options.end_roll[option]),
            )
            # The same entries lead to another row from each state, so they are stored without it.
            if column_and_rolls not in self._entries:
                self._entries[column_and_rolls] = self._entries_of_column(*column_and_rolls)
            without_row = self._entries[column_and_rolls]
            row = np.full(len(without_row.points), options.row[option])
            entries_by_option.append(without_row._replace(row=row))
        entries = _Entries(*(np.concatenate(arrays) for arrays in zip(*entries_by_option, strict=True)))
        order = np.lexsort((entries.box, -entries.points, entries.decision_index))  # the last key counts most
        return _Entries(*(array[order] for array in entries))

    def _entries_of_column(self, column: int, first_roll: int, end_roll: int) -> _Entries:
        """Return the choices to enter some full rolls in a column, with ``row`` still empty.

        Args:
            column: the column, a way to score full rolls in a category.
            first_roll, end_roll: the full rolls from ``first_roll`` to ``end_roll`` - 1. Those that cannot be entered
                in the column are left out.
        """
        can_enter = self.turn.gain[column, first_roll:end_roll] > -np.inf
        rolls = first_roll + np.flatnonzero(can_enter)
        points = self.turn.gain[column, rolls].astype(np.int64)
        box = column % len(self.playable.card.categories)  # each further way to score adds a column for every category
        pool_index = np.array([self._index_of_entry(box, amount) for amount in points.tolist()], dtype=np.int64)
        return _Entries(
            decision_index=self._decision_of_roll[rolls],
            box=np.full(len(rolls), box),
            points=points,
            shift=self.turn.shift[column, rolls].astype(np.int64),
            row=np.empty(0, dtype=np.int64),
            pool_index=pool_index,
        )

    def _index_of_entry(self, box: int, points: int) -> int:
        """Return the index in the pool of the choice to enter ``points`` in ``box``; append it if it is new."""
        if (box, points) not in self._pool_index_of_entry:
            self._pool_index_of_entry[box, points] = len(self._pool)
            self._pool.append(self.playable.entry_choice(box, points, self.playable.start()))
        return self._pool_index_of_entry[box, points]

    def _bounds(
        self,
        starts: Sequence[CardPosition],
        max_entry: int,
        error_bounds: Callable[[Sequence[CardPosition]], NDArray[np.float64]],
    ) -> Doubles:
        """Return an error bound for each turn, which holds for all of its choices: (turns,).

        Error bounds grow with the points scored, so it is that of the position after the entry with the most points.
        The turns begin without points, so that position has the points of this entry.

        In the last turn of a game only a whole bonus is added to the points entered. So no rounding is counted for that
        sum, and the bound is that of the start.

        Args:
            starts: the positions in which the turns begin, without points.
            max_entry: the most points that can be entered in the turn.
            error_bounds: returns the error bounds of values between turns.
        """
        own = starts[0].own_card
        is_last_turn = own.used.bit_count() + 1 == len(self.playable.card.categories)
        scored = own if is_last_turn else own._replace(score=max_entry)
        bound = float(np.max(error_bounds([replace_fields(starts[0], cards=(scored,))])))
        return np.full(len(starts), bound)


def _entry_values(entries: _Entries, points: Doubles, uppers: Longs) -> Doubles:
    """Return the values of the choices to enter dice: the points entered, and those still to come: (entries, turns).

    Args:
        entries: the choices, all with their ``row``.
        points: (states, width) the expected points still to come between turns, by state and upper total. Its last
            LANES columns are equal, because a block of lanes may begin at the highest upper total.
        uppers: (turns,) the upper total at the beginning of each turn.
    """
    highest_upper = points.shape[1] - LANES  # a total beyond it counts as the highest
    uppers_after = np.minimum(uppers + entries.shift[:, None], highest_upper)  # (entries, turns)
    values: Doubles = entries.points[:, None] + points[entries.row[:, None], uppers_after]
    return values
