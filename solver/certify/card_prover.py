"""Certified bounds of scorecard games, on the lattice of partial rolls, in integer arithmetic.

The equations of a turn are

    E[k] = mean over the faces of E[k with one die more],    B[m] = max over the dice k kept of m of E[k]

This is the turn of ``turns.keep_turn``, whose lattice and compiled entries are used, but none of its arithmetic
(``csrc/whole_kernel.h``). Boxes are only filled, so retrograde analysis by layers finds all bounds: each is one turn
over bounds already found, rounded outward. Before a layer is proved, entries of it are compared with the game as it is
played.

*Alone*, a state is the boxes used, the upper total and a flag that says if the box of the joker holds points. *For two
players* a state is the boxes used by the mover, those used by the opponent, and the mover's lead. A lead that the
opponent can no longer make up is a win, so only smaller leads are states. The layers are those of
``solvers.cards.two_player_layers``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.whole import LANES
from ..core.whole import WholeKeep as Kernel
from ..games.card_rules import Card
from ..play.playable_game import PlayableGame, replace_fields
from ..play.scorecard import Scorecard
from ..solvers import ValueTable
from ..solvers.cards.model import turn_option_sets
from ..solvers.cards.points import CardPointsProblem
from ..solvers.cards.two_player import CardWinProblem
from ..solvers.cards.two_player_layers import ZERO_VALUE_SHIFT, CardLayer
from ..turns.keep_turn import Doubles, EntryOptions, KeepLattice
from ..util.errors import SolveError
from ..util.progress_reporting import ProgressCallback
from .game_descriptions import State, state_name
from .transition_prover import LOWER, UPPER, CertifiedBounds
from .turn_crosscheck import Comparison, crosscheck
from .whole_turn import BlockWorkers, Ints

COMPARED_STATES = 7  # about so many states of a layer, and rolls of each, are compared with the game as played


class IntegerKeepTurn:
    """A turn of keeping dice in integer arithmetic, with amounts of at least 0.

    Args:
        card: the scorecard and its dice.
        gain: (columns, full rolls) units added by entering a roll in a column; -1 if not allowed.
        shift: (columns, full rolls) by how many lanes an entry moves: the points by which it changes a lead or an upper
            total.
        workers: the threads that solve blocks.
    """

    def __init__(self, card: Card, gain: Ints, shift: NDArray[Any], workers: BlockWorkers) -> None:
        """Make the kernel of a turn.

        Args:
            card: the scorecard and its dice.
            gain: (columns, full rolls) units added by entering a roll in a column; -1 if not allowed.
            shift: (columns, full rolls) by how many lanes an entry moves.
            workers: the threads that solve blocks.
        """
        lattice = card.lattice
        self.workers = workers
        parent_start, parent = _parents_by_node(lattice)
        self._kernel = Kernel(
            throws=card.throws,
            child=lattice.child,
            parent_start=parent_start,
            parent=parent,
            weight=np.array(card.weights, dtype=np.int64),
            gain=np.ascontiguousarray(gain),
            shift=np.ascontiguousarray(shift, dtype=np.int32),
        )

    def solve(
        self,
        after: Ints,
        options: EntryOptions,
        last_option_set: Ints,
        first_column: Ints,
        round_up: int,
        earlier_option_sets: Ints | None = None,
    ) -> Ints:
        """Return a lower or an upper bound of every turn, (blocks, LANES), in units.

        A block is ``LANES`` successive lanes. A lane is an upper total of a card alone, or a lead for two players. An
        entry of a roll leads to a row of ``after``, at the column of its lane moved by ``shift``.

        Args:
            after: (rows, columns) bounds of the states that entries lead to.
            options: the entries that are allowed, by option set.
            last_option_set: (blocks,) the option set of each block after its last roll.
            first_column: (blocks,) the column of ``after`` that belongs to the block's first lane.
            round_up: 1 for an upper bound, 0 for a lower bound.
            earlier_option_sets: (rolls - 1, blocks) the option sets after the rolls before the last; None if dice score
                alike after every roll, because then nothing is gained by entering them earlier.

        Raises:
            SolveError: some roll fits no box.
        """
        block_count = len(last_option_set)
        bounds = np.empty((block_count, LANES), dtype=np.int64)  # written by the kernel
        self.workers.solve_blocks(
            self._kernel.solve,
            block_count,
            after,
            options.option_start,
            options.column,
            options.row,
            options.first_roll,
            options.end_roll,
            last_option_set,
            earlier_option_sets,
            first_column,
            round_up,
            bounds,
        )
        # All amounts are at least 0, so the kernel marks rolls that cannot be entered by a negative one.
        if (bounds < 0).any():
            raise SolveError("no bounds can be proved: some rolls cannot be entered in any box")
        return bounds


class CardPointsProver:
    """Prover of certified bounds of a scorecard that is filled alone, for points.

    A state of the certificate is a state of the card (a set of used boxes, and the flag of the Yahtzee box) with an
    upper total. Bounds are those of the points still to come.

    Attributes:
        bits: a unit is 2 ** -bits of a point.
        bounds: (2, states of the card, upper totals) lower and upper bounds in units; fuller cards are proved first.
        turn: the turn in integer arithmetic. Its lanes are upper totals.
        problem, card: the problem to prove, and the rules of its card.
        progress: called with the share done.
    """

    def __init__(self, problem: CardPointsProblem, workers: BlockWorkers, progress: ProgressCallback) -> None:
        """Choose the unit, and set the bounds of full cards, which are worth their bonus.

        Args:
            problem: the problem to prove.
            workers: the threads that solve turns.
            progress: called with the share done.
        """
        self.problem = problem
        self.card = problem.card
        self.progress = progress
        card = self.card
        max_points = card.max_points(card.full_mask)  # of a whole card
        self.bits = fraction_bits(card, max_points)  # a unit is 2 ** -bits of a point
        # ``scores`` and ``shifts`` are (columns, full rolls). A score of -1 marks a roll that a column does not take,
        # which the kernel also marks by a gain of -1. A shift is what a roll adds to the upper total.
        gain = np.where(card.scores >= 0, card.scores.astype(np.int64) << self.bits, -1)
        self.turn = IntegerKeepTurn(card, gain, card.upper_gains, workers)
        shape = problem.array_specs()["points"].shape  # (sets of used boxes and flags, upper totals)
        self.bounds = np.zeros((2, *shape), dtype=np.int64)  # lower and upper bounds of the points still to come
        # The kernel reads LANES columns at a time, perhaps from the largest upper total on. So the axis goes on beyond
        # it, and every column there counts as the largest upper total.
        upper_totals = np.minimum(np.arange(shape[1]), card.max_upper)
        bonus = card.bonuses[upper_totals].astype(np.int64)  # by upper total
        is_full = problem.states.sets == card.full_mask
        self.bounds[:, is_full] = bonus << self.bits

    def prove(self, value_table: ValueTable) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states, their certified bounds, and the solved values in the same order.

        Here a state of the certificate is a state of the card (a set of used boxes and a flag) with an upper total.

        Args:
            value_table: the solved values, which are only looked up.

        Returns:
            The names (states, 3): used boxes as bits, upper total and flag; the bounds; and the values (states,).

        Raises:
            SolveError: the compiled card differs from the game as it is played.
        """
        states = self.problem.states
        card = self.card
        proved = _ProvedLayers()
        # Layers are states with equally many used boxes, fuller cards first.
        for layer in states.layers():
            totals_of_state = [card.possible_uppers(int(states.sets[state])) for state in layer]
            total_counts = [len(totals) for totals in totals_of_state]
            # One entry for each state of the card and upper total that can occur in it: (states of the certificate,).
            card_states = np.repeat(layer, total_counts)
            uppers = np.concatenate(totals_of_state).astype(np.int64)
            crosscheck("the compiled card", self.problem.playable, self._comparisons(card_states, uppers))
            self._prove_layer(layer)
            names = np.stack([states.sets[card_states], uppers, states.flags[card_states]], axis=1)
            bounds = self.bounds[:, card_states, uppers]  # (2, states of the certificate)
            proved.add(names, bounds, value_table.arrays["points"][card_states, uppers])
            self.progress(1 - int(states.used_counts[layer[0]]) / len(card.categories))
        return proved.join(self.bits)

    def _prove_layer(self, layer: NDArray[np.int64]) -> None:
        """Set the bounds of all upper totals of a layer's states, from the bounds of fuller cards.

        Each block of lanes is one state with LANES successive upper totals. Totals with the same future as another are
        not solved but copied.

        Args:
            layer: the numbers of the states, which are sets of used boxes, each with a flag.
        """
        states = self.problem.states
        rolls_of_turn = self.card.throws  # which is also the number of the last roll
        state_of_block, first_total = states.blocks(layer)  # (blocks,) each
        last_option_set = states.option_sets(state_of_block, rolls_of_turn)
        earlier_option_sets = states.early_option_sets(state_of_block, rolls_of_turn)
        rows = state_of_block[:, None]
        # The blocks of a state do not overlap. Behind the largest upper total the table has room for a block.
        columns = first_total[:, None] + np.arange(LANES)  # (blocks, LANES)
        for side in (LOWER, UPPER):  # 0 and 1: upper bounds are rounded up
            bounds = self.bounds[side]  # (states, upper totals), written for this layer and read for fuller cards
            bounds[rows, columns] = self.turn.solve(
                bounds, states.entry_options, last_option_set, first_total, side, earlier_option_sets
            )
            states.copy_equal_futures(bounds, layer)

    def _comparisons(self, card_states: Ints, uppers: Ints) -> Iterator[Comparison]:
        """Yield comparisons of compiled entries with the game as it is played, for a sample of a layer's states.

        For some rolls all legal entries are compared: the points scored, and the name of the next state.

        Args:
            card_states: (states of the certificate in the layer,) the numbers of the card's states: used boxes and a
                flag.
            uppers: of the same shape, the upper totals.
        """
        card = self.card
        states = self.problem.states
        playable = self.problem.playable
        for index in _sample(len(card_states)):
            number = int(card_states[index])
            used_boxes = int(states.sets[number])
            has_flag = bool(states.flags[number])
            own = Scorecard(used_boxes, score=0, upper=int(uppers[index]), flag=has_flag)
            sample = _entry_positions(playable, card, (own,), seat=0, sample_number=index)
            for roll, rolls_made, position in sample:
                # Outcomes of entries: (points scored, name of the next state). The card begins with 0 points.
                option_set = int(states.option_sets(np.array([number]), rolls_made)[0])
                compiled = set(self._compiled_outcomes(option_set, roll, own.upper))
                played: set[tuple[int, State]] = set()
                for choice in playable.choices(position):
                    played.add((choice.after.own_card.score, state_name(playable, choice.after)))
                yield Comparison(position, compiled, played)

    def _compiled_outcomes(self, option_set: int, roll: int, upper: int) -> Iterator[tuple[int, State]]:
        """Yield the outcomes of the compiled entries of a full roll: the points scored, and the name of the next state.

        Args:
            option_set: the options that apply.
            roll: the number of the full roll.
            upper: the upper total before.
        """
        card = self.card
        states = self.problem.states
        for column, next_number in _entries(states.entry_options, option_set, roll):
            score = int(card.scores[column, roll])
            if score < 0:  # the column does not take this roll
                continue
            upper_after = upper + int(card.upper_gains[column, roll])
            # Upper totals are counted up to ``max_upper``, from where the bonus grows no more.
            next_upper = min(upper_after, card.max_upper) if card.upper_mask else 0
            yield score, (int(states.sets[next_number]), next_upper, int(states.flags[next_number]))


class CardWinProver:
    """Prover of certified bounds of a scorecard game of two players, for the win.

    A layer is all states with as many boxes used: pairs of a set of boxes of each player, with a lead. Its bounds are
    stored as (2, pairs, leads), for the player who has just moved and by that player's lead, as in the value table.

    Attributes:
        bits: a unit is 2 ** -bits.
        win: a certain win, in units.
        turn: the turn in integer arithmetic. Its lanes are the mover's leads.
        problem, card: the problem to prove, and the rules of its card.
        progress: called with the share done.
    """

    def __init__(self, problem: CardWinProblem, workers: BlockWorkers, progress: ProgressCallback) -> None:
        """Make the turn in integer arithmetic, and choose the unit.

        A roll that is entered is worth its gain plus the value after it. That value stands in a row of the next layer,
        at the mover's lead shifted by the score. Points themselves gain nothing: only their lead counts.

        Args:
            problem: the problem to prove.
            workers: the threads that solve turns.
            progress: called with the share done.
        """
        self.problem = problem
        self.card = problem.card
        self.progress = progress
        max_value = 1  # a probability
        self.bits = fraction_bits(self.card, max_value)
        self.win = 1 << self.bits  # a certain win, in units of 2 ** -bits
        scores = self.card.scores  # (columns, full rolls); -1 where a column does not take a roll
        # The kernel takes a gain of -1 as "not allowed".
        gain = np.where(scores >= 0, 0, -1)
        shift = scores
        # A roll that wins at once gains the whole win. What follows must add nothing. The shift therefore leads below
        # the least lead of the next row, where the mover has certainly lost and the value is 0.
        wins_at_once = problem.model.winning_rolls  # (columns, full rolls); only rolls that a column takes
        gain = np.where(wins_at_once, self.win, gain)
        shift = np.where(wins_at_once, ZERO_VALUE_SHIFT, shift)
        self.turn = IntegerKeepTurn(self.card, gain, shift, workers)

    def prove(self, value_table: ValueTable) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states, their certified bounds, and the solved values in the same order.

        For a layer that the value table does not hold, the values are the midpoints of the bounds.

        Args:
            value_table: the solved values, which are only looked up.

        Returns:
            The names (states, 3): used boxes of the mover and of the opponent as bits, and the mover's lead; the
            bounds; and the values (states,), the mover's.

        Raises:
            SolveError: the compiled card differs from the game as it is played.
        """
        layers = self.problem.model.layers(0)  # by turns played, from the start of the game on
        # Progress is measured in blocks of lanes: by layer, the number of blocks up to and including the layer.
        blocks_up_to = np.cumsum([int(layer.block_counts.sum()) for layer in layers])
        proved = _ProvedLayers()
        layer_bounds = self._terminal_bounds(layers[-1])  # (2, pairs, leads), of the layer that was proved last
        for turns_played in range(len(layers) - 2, -1, -1):
            layer = layers[turns_played]
            next_layer = layers[turns_played + 1]
            crosscheck("the compiled card", self.problem.playable, self._comparisons(layer, turns_played))
            solved_states = _states_to_solve(layer)
            layer_bounds = self._prove_layer(layer, next_layer, solved_states, layer_bounds)
            # The layer is stored for the player who has just moved. The mover gets the rest of the win, so the mover's
            # lower bound is the win less the other player's upper bound, and the other way round.
            upper_then_lower = layer_bounds[::-1].reshape(2, -1)  # (2, flattened layer)
            bounds = self.win - upper_then_lower[:, solved_states.flat_index]  # (2, states), lower bounds first
            values = self._solved_values(value_table, turns_played, solved_states.flat_index, bounds)
            proved.add(self._state_names(layer, solved_states), bounds, values)
            # Later layers are proved first, so the blocks of all earlier layers are left.
            blocks_left = blocks_up_to[turns_played - 1] if turns_played > 0 else 0
            self.progress(1 - blocks_left / blocks_up_to[-1])
        return proved.join(self.bits)

    def _prove_layer(
        self, layer: CardLayer, next_layer: CardLayer, solved_states: _SolvedStates, bounds_after: Ints
    ) -> Ints:
        """Return the bounds of a layer, (2, pairs, leads), as the player who has just moved sees them.

        Args:
            layer: the layer.
            next_layer: the layer after one turn more.
            solved_states: the states whose turns have to be solved; all others are certain.
            bounds_after: (2, pairs, leads) the bounds of the next layer, for the player who has moved by then: the
                mover of this layer.
        """
        model = self.problem.model
        # (blocks,) each: the number of the pair that a block belongs to, and the lead of its first lane.
        pair_of_block, first_lead = layer.lane_blocks()
        pair_count = len(layer.block_counts)  # ``block_counts`` has an entry for each pair
        options = model.entry_options(layer, next_layer)
        last_option_set, earlier_option_sets = turn_option_sets(self.card, pair_of_block, pair_count)
        # A turn without points leaves the lead as it is. By block, this is the column of ``bounds_after`` to which such
        # a turn leads from the first lane. Columns rise with the lead.
        first_column = next_layer.column_of_lead(0) + first_lead
        # Values that are certain are 0 or 1, and both bounds are exact.
        certain_bounds = model.certain_values(layer).astype(np.int64) * self.win
        layer_bounds = np.stack([certain_bounds, certain_bounds])
        for side in (LOWER, UPPER):  # 0 and 1: upper bounds are rounded up
            # (blocks, LANES), of which ``is_state`` marks the lanes that are states.
            turns = self.turn.solve(
                bounds_after[side], options, last_option_set, first_column, side, earlier_option_sets
            )
            # (states,) each; rounding up can exceed a certain win.
            mover_bounds = np.minimum(turns[solved_states.is_state], self.win)
            # The player who has just moved gets the rest of the win. So from a lower bound of the mover follows an
            # upper bound of that player. ``flat_index`` is where each state stands in the flattened layer.
            other_side = UPPER if side == LOWER else LOWER
            flat_bounds = layer_bounds[other_side].ravel()  # a view, so that this writes to ``layer_bounds``
            flat_bounds[solved_states.flat_index] = self.win - mover_bounds
        return layer_bounds

    def _state_names(self, layer: CardLayer, solved_states: _SolvedStates) -> Ints:
        """Return the names of states, (states, 3): the mover's and the opponent's used boxes as bits, and the lead."""
        mover, opponent = np.divmod(solved_states.pair, len(layer.opponent_sets))
        columns = [layer.mover_sets[mover], layer.opponent_sets[opponent], solved_states.lead]
        fits_32_bits = self.card.full_mask >> 31 == 0
        return np.stack(columns, axis=1).astype(np.int32 if fits_32_bits else np.int64)

    def _terminal_bounds(self, layer: CardLayer) -> Ints:
        """Return the bounds of the end of the game, (2, 1, leads): the win with a lead, half of it in a tie, else 0.

        The axes are the sides, whose bounds are equal here, the only pair of full cards, and the leads.
        """
        tie_column = layer.column_of_lead(0)  # of the lead 0
        row = (np.arange(layer.width) > tie_column).astype(np.int64) * self.win
        row[tie_column] = self.win // 2
        return np.stack([row, row])[:, None]

    def _solved_values(self, value_table: ValueTable, turns_played: int, flat_index: Ints, bounds: Ints) -> Doubles:
        """Return the solved values of states of a layer, for the mover.

        Args:
            value_table: the solved values. It may hold a layer as the array ``after`` with the number of turns played,
                for the player who has just moved.
            turns_played: the number of turns played before the layer.
            flat_index: (states,) the indices of the states in the flattened layer.
            bounds: (2, states) their bounds, whose midpoints stand for a layer that is not stored.
        """
        if turns_played == 0:  # the only state is the start, whose value the table holds by itself
            start = [self.problem.playable.start()]
            first_seat = 0
            values: Doubles = self.problem.seat_values(value_table, start).values[:, first_seat]
            return values
        stored = value_table.arrays.get(f"after{turns_played}")
        if stored is None:
            sum_of_bounds = bounds.sum(axis=0)  # in units of 2 ** -bits; the midpoint is half of it
            return np.asarray(np.ldexp(sum_of_bounds, -self.bits - 1))
        previous_mover_values = stored.ravel()[flat_index]
        return np.asarray(1 - previous_mover_values)

    def _comparisons(self, layer: CardLayer, turns_played: int) -> Iterator[Comparison]:
        """Yield comparisons of compiled entries with the game as it is played, for a sample of a layer's states.

        For some rolls all legal entries are compared: the boxes used after each, and the points scored.

        Args:
            layer: the layer.
            turns_played: the number of turns played before it. Seat 0 moves if it is even, else seat 1.
        """
        card = self.card
        playable = self.problem.playable
        seat = turns_played % 2
        for index in _sample(len(layer.mover_sets)):
            used = int(layer.mover_sets[index])
            opponent_used = int(layer.opponent_sets[index % len(layer.opponent_sets)])  # any set will do
            cards = [Scorecard(opponent_used, score=0, upper=0, flag=False)] * 2
            cards[seat] = Scorecard(used, score=0, upper=0, flag=False)
            for roll, rolls_made, position in _entry_positions(playable, card, cards, seat, sample_number=index):
                # Outcomes of entries: (boxes used after the entry, points scored). The card begins with 0 points.
                early_roll = rolls_made if rolls_made <= card.early_roll_count else 0  # scores differently
                compiled = set(self._compiled_outcomes(used, early_roll, roll))
                cards_after = [choice.after.cards[seat] for choice in playable.choices(position)]
                played = {(own.used, own.score) for own in cards_after}
                yield Comparison(position, compiled, played)

    def _compiled_outcomes(self, used: int, early_roll: int, roll: int) -> Iterator[tuple[int, int]]:
        """Yield the outcomes of the compiled entries of a full roll: the boxes used after it, and the points scored.

        Args:
            used: the boxes that the mover has used before.
            early_roll: the number of the roll in its turn, if it scores differently than the last one; else 0.
            roll: the number of the full roll.
        """
        card = self.card
        for entry, first_roll, end_roll in card.entry_options(used, early_roll):
            score = int(card.scores[entry.column, roll])
            is_allowed = first_roll <= roll < end_roll and score >= 0
            if is_allowed and self.problem.model.winning_rolls[entry.column, roll]:
                yield used, 0  # the game is over, and the card stays as it is
            elif is_allowed:
                yield used | entry.fills, score


class _SolvedStates(NamedTuple):
    """The states of a layer of two players whose turns are solved, in lanes of blocks.

    Attributes:
        is_state: (blocks, LANES) marks the lanes that are states; the last lanes of a pair of sets may not be.
        pair: (states,) the pair of sets of used boxes.
        lead: (states,) the mover's lead.
        flat_index: (states,) the index in the flattened layer, which is stored by the lead of the player who has just
            moved.
    """

    is_state: NDArray[np.bool_]
    pair: Ints
    lead: Ints
    flat_index: Ints


def _states_to_solve(layer: CardLayer) -> _SolvedStates:
    """Return the states of a layer of which neither a win nor a loss is certain.

    A layer is all states after some number of turns. It is solved in blocks of LANES successive leads of the mover,
    each for one pair of sets of used boxes, and stored as an array with a row of ``layer.width`` columns for each pair.
    """
    pair_of_block, first_lead = layer.lane_blocks()
    leads = first_lead[:, None] + np.arange(LANES)  # (blocks, LANES)
    # The last block of a pair goes on beyond the largest lead that has to be solved.
    is_state = leads <= layer.max_leads[pair_of_block, None]
    pairs = np.broadcast_to(pair_of_block[:, None], is_state.shape)
    # A row holds the leads of the player who has just moved, ascending. These are minus the mover's leads.
    column = layer.column_of_lead(0) - leads
    flat_index = pairs * layer.width + column
    return _SolvedStates(is_state, pairs[is_state], leads[is_state], flat_index[is_state])


class _ProvedLayers:
    """Collector of layers whose bounds are proved; each becomes a block of the certificate.

    States are numbered in the order in which they are added.

    Attributes:
        names, bounds, values: by layer, the arrays that ``add`` was given.
        blocks: by layer, (states,) the numbers of its states.
        state_count: the number of states of all layers so far.
    """

    def __init__(self) -> None:
        """Begin with no layers."""
        self.names: list[Any] = []
        self.bounds: list[Any] = []
        self.values: list[Any] = []
        self.blocks: list[Ints] = []
        self.state_count = 0

    def add(self, names: Ints, bounds: Ints, values: Any) -> None:
        """Add a layer.

        Args:
            names: (states, numbers) the names of its states.
            bounds: (2, states) their lower and upper bounds, in units.
            values: (states,) their solved values.
        """
        self.names.append(names)
        self.bounds.append(bounds)
        self.values.append(values)
        self.blocks.append(self.state_count + np.arange(len(names)))
        self.state_count += len(names)

    def join(self, bits: int) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states of all layers, their certified bounds, and their solved values.

        Args:
            bits: the number of bits of the unit.
        """
        bounds = CertifiedBounds(np.hstack(self.bounds), bits, tuple(self.blocks))
        return np.concatenate(self.names), bounds, np.concatenate(self.values)


def _parents_by_node(lattice: KeepLattice) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the parents of the nodes of a keep lattice: the dice with one die less.

    ``lattice.child`` (nodes but the full rolls, faces) has at [k, f] the node of the dice k with one die more, of face
    f. Full rolls, which have no children, are the last nodes.

    Returns:
        ``start`` (nodes + 1,) and ``parents`` (edges,), both 32-bit: the parents of node n are
        ``parents[start[n] : start[n + 1]]``.
    """
    # An edge leads from a parent to a child, and edge number k * faces + f begins at node k. Sorted by child, all edges
    # to one node stand together.
    parent_counts = np.bincount(lattice.child.ravel(), minlength=lattice.node_count)  # by node
    edges_by_child = np.argsort(lattice.child, axis=None, kind="stable")
    parent_of_edge = edges_by_child // lattice.faces
    return np.cumsum([0, *parent_counts]).astype(np.int32), parent_of_edge.astype(np.int32)


def fraction_bits(card: Card, max_value: int) -> int:
    """Return the number of bits of the unit, 2 ** -bits, with which amounts up to ``max_value`` fit the kernel.

    With equal weights the kernel adds up the amounts of all faces of a die, and the sum has to fit 63 bits. With other
    weights it adds up in 128 bits, and single amounts have to fit 62 bits.

    Args:
        card: the rules of the card, with the weights of the faces.
        max_value: the largest value: points, or 1 for a probability.
    """
    has_equal_weights = len({*card.weights}) == 1
    if has_equal_weights:
        largest_sum = int(max_value * card.faces)
        return 63 - largest_sum.bit_length()
    return 62 - int(max_value).bit_length()


def _sample(count: int, first: int = 0) -> Iterable[int]:
    """Return about COMPARED_STATES evenly spaced numbers below ``count``, from ``first`` on; all if they are few."""
    step = max(1, count // COMPARED_STATES)
    return range(first, count, step)


def _entry_positions(
    playable: PlayableGame[Any], card: Card, cards: Sequence[Scorecard], seat: int, sample_number: int
) -> Iterator[tuple[int, int, Any]]:
    """Yield positions in which a full roll has to be entered, for a sample of rolls.

    Items are the number of the full roll, the number of rolls made in the turn, and the position. All rolls of the turn
    are made. If dice of the first roll score differently, positions follow in which the player enters them at once.

    Args:
        playable: the game as played.
        card: the compiled scorecard.
        cards: the scorecards of all seats.
        seat: the seat to move.
        sample_number: which of three samples of rolls to take, modulo 3.
    """
    rolls = card.lattice.full_rolls  # by roll, the counts of the faces
    is_first_roll_cases = (False, True) if card.has_first_roll_scores else (False,)
    first_sampled = sample_number % 3  # so that states do not all compare the same rolls
    for is_first_roll in is_first_roll_cases:
        rolls_made = 1 if is_first_roll else card.throws
        for roll in _sample(len(rolls), first_sampled):
            fields = {"cards": tuple(cards), "throw": rolls_made, "roll": tuple(rolls[roll].tolist())}
            yield roll, rolls_made, replace_fields(playable.start(), seat=seat, entering=is_first_roll, **fields)


def _entries(options: EntryOptions, option_set: int, roll: int) -> Iterator[tuple[int, int]]:
    """Yield the entries that are allowed for a roll: the column of ``Card.scores``, and the state that follows.

    Args:
        options: the entries of all option sets, one after the other; each is allowed for a range of rolls.
        option_set: the option set that applies.
        roll: the number of the full roll.
    """
    for option in range(options.option_start[option_set], options.option_start[option_set + 1]):
        if options.first_roll[option] <= roll < options.end_roll[option]:
            yield int(options.column[option]), int(options.row[option])
