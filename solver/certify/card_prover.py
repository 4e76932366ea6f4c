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

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.whole import LANES
from ..core.whole import WholeKeep as Kernel
from ..games.card_rules import Card
from ..play.playable_game import Table, changed
from ..play.scorecard import Filled
from ..solvers import ValueTable
from ..solvers.cards.model import turn_option_sets
from ..solvers.cards.points import CardPointsProblem
from ..solvers.cards.two_player import CardWinProblem
from ..solvers.cards.two_player_layers import CERTAIN_LOSS_SHIFT, CardLayer
from ..turns.keep_turn import Doubles, EntryOptions
from ..util.errors import SolveError
from .game_descriptions import State, state_name
from .prover import CertifiedBounds
from .turn_crosscheck import Comparison, crosscheck
from .whole_turn import BlockWorkers, Ints

COMPARED_STATES = 7  # about so many states of a layer, and rolls of each, are compared with the game as played


class IntegerKeepTurn:
    """A turn of keeping dice in integer arithmetic, with amounts of at least 0.

    Args:
        card: the scorecard and its dice.
        gain: (columns, rolls) units added by entering a roll in a column; -1 if not allowed.
        shift: (columns, rolls) places by which an entry moves along the axis.
        workers: the threads that solve blocks.
    """

    def __init__(self, card: Card, gain: Ints, shift: NDArray[Any], workers: BlockWorkers) -> None:
        lattice, self.workers = card.lattice, workers
        parents = np.bincount(lattice.child.ravel(), minlength=lattice.node_count)
        order = np.argsort(lattice.child, axis=None, kind="stable")
        self._kernel = Kernel(
            throws=card.throws,
            child=lattice.child,
            parent_start=np.cumsum([0, *parents]).astype(np.int32),
            parent=(order // lattice.faces).astype(np.int32),
            weight=np.array(card.weights, dtype=np.int64),
            gain=np.ascontiguousarray(gain),
            shift=np.ascontiguousarray(shift, dtype=np.int32),
        )

    def solve(
        self, after: Ints, options: EntryOptions, problem: Ints, lane: Ints, round_up: int, early: Ints | None = None
    ) -> Ints:
        """Return a lower or an upper bound of every turn, (blocks, LANES).

        Args:
            after: (rows, places) bounds of the states that entries lead to.
            options: the entries of each problem.
            problem: (blocks,) the problem that each block solves after its last roll.
            lane: (blocks,) the place of the block's first lane on the axis.
            round_up: 1 for an upper bound, 0 for a lower bound.
            early: (rolls - 1, blocks) the problems after the earlier rolls, if a roll may be entered early.

        Raises:
            SolveError: some roll fits no box.
        """
        value = np.empty((len(problem), LANES), dtype=np.int64)
        entries = options.option_start, options.column, options.row, options.first_roll, options.end_roll
        self.workers.solve_blocks(
            self._kernel.solve, len(problem), after, *entries, problem, early, lane, round_up, value
        )
        if (value < 0).any():
            raise SolveError("there are dice that no box takes")
        return value


class CardPointsProver:
    """Prover of certified bounds of a scorecard that is filled alone, for points."""

    def __init__(self, problem: CardPointsProblem, workers: BlockWorkers, progress: Callable[[float], None]) -> None:
        self.problem, self.card, self.progress = problem, problem.card, progress
        card = self.card
        self.bits = _fraction_bits(card, card.most(card.full))
        gain = np.where(card.scores >= 0, card.scores.astype(np.int64) << self.bits, -1)
        self.turn = IntegerKeepTurn(card, gain, card.shifts, workers)
        shape = problem.array_specs()["points"].shape
        self.bounds = np.zeros((2, *shape), dtype=np.int64)
        bonus = card.bonuses[np.minimum(np.arange(shape[1]), card.bonus_at)].astype(np.int64)
        self.bounds[:, problem.states.sets == card.full] = bonus << self.bits

    def prove(self, value_table: ValueTable) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states, their certified bounds, and the solved values in the same order."""
        states, card = self.problem.states, self.card
        names, bounds, blocks, values = list[Any](), list[Any](), list[Ints](), list[Any]()
        state_count = 0
        for layer in states.layers():
            upper_totals = [card.occurring(int(states.sets[number])) for number in layer]
            state = np.repeat(layer, [len(totals) for totals in upper_totals])
            upper = np.concatenate(upper_totals).astype(np.int64)
            crosscheck("the compiled card", self.problem.playable, self._comparisons(state, upper))
            block, lane = states.blocks(layer)
            problem, early = states.option_sets(block, card.throws), states.early_option_sets(block, card.throws)
            for side, side_bounds in enumerate(self.bounds):
                side_bounds[block[:, None], lane[:, None] + np.arange(LANES)] = self.turn.solve(
                    side_bounds, states.entry_options, problem, lane, side, early
                )
                states.copy_equal_futures(side_bounds, layer)
            names.append(np.stack([states.sets[state], upper, states.flags[state]], axis=1))
            bounds.append(self.bounds[:, state, upper])
            values.append(value_table.arrays["points"][state, upper])
            blocks.append(state_count + np.arange(len(state)))
            state_count += len(state)
            self.progress(1 - int(states.used_counts[layer[0]]) / len(card.categories))
        return (
            np.concatenate(names),
            CertifiedBounds(np.hstack(bounds), self.bits, tuple(blocks)),
            np.concatenate(values),
        )

    def _comparisons(self, state: Ints, upper: Ints) -> Iterator[Comparison]:
        """Yield comparisons for a sample of a layer's states: (points scored, next state) of every legal entry."""
        card, states, table = self.card, self.problem.states, self.problem.playable
        for index in _sample(len(state)):
            number = int(state[index])
            own = Filled(int(states.sets[number]), 0, int(upper[index]), bool(states.flags[number]))
            for roll, rolls_made, position in _entry_positions(table, card, (own,), 0, index):
                compiled = set[tuple[int, State]]()
                problem = int(states.option_sets(np.array([number]), rolls_made)[0])
                for column, row in _entries(states.entry_options, problem, roll):
                    score = int(card.scores[column, roll])
                    if score >= 0:
                        total = own.upper + int(card.shifts[column, roll])
                        next_upper = min(total, card.bonus_at) if card.upper_mask else 0
                        compiled.add((score, (int(states.sets[row]), next_upper, int(states.flags[row]))))
                played = {
                    (choice.after.own.score, state_name(table, choice.after)) for choice in table.choices(position)
                }
                yield Comparison(position, compiled, played)


class CardWinProver:
    """Prover of certified bounds of a scorecard game of two players, for the win.

    A layer is stored as the problem stores it: as the player who has just moved sees it, by that player's own lead.
    """

    def __init__(self, problem: CardWinProblem, workers: BlockWorkers, progress: Callable[[float], None]) -> None:
        self.problem, self.card, self.progress = problem, problem.card, progress
        self.bits = _fraction_bits(self.card, 1)
        gain, wins = np.where(self.card.scores >= 0, 0, -1), problem.model.winning_rolls
        gain, shift = np.where(wins, 1 << self.bits, gain), np.where(wins, CERTAIN_LOSS_SHIFT, self.card.scores)
        self.turn = IntegerKeepTurn(self.card, gain, shift, workers)

    def prove(self, value_table: ValueTable) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states, their certified bounds, and the solved values in the same order.

        For a layer that the value table does not hold, the values are the midpoints of the bounds.
        """
        names, bounds, values, blocks = list[Any](), list[Any](), list[Any](), list[Ints]()
        layers, state_count, win = self.problem.model.layers(0), 0, 1 << self.bits
        name_type = np.int32 if self.card.full >> 31 == 0 else np.int64
        work = np.cumsum([int(layer.block_counts.sum()) for layer in layers])
        after = self._terminal_bounds(layers[-1])
        for turns_played, (layer, next_layer) in reversed(list(enumerate(pairwise(layers)))):
            crosscheck("the compiled card", self.problem.playable, self._comparisons(layer, turns_played))
            pair, lead = layer.lane_blocks()
            options = self.problem.model.entry_options(layer, next_layer)
            problem, early = turn_option_sets(self.card, pair, len(layer.block_counts))
            layer_bounds = np.stack([self.problem.model.certain_values(layer).astype(np.int64) * win] * 2)
            leads = lead[:, None] + np.arange(LANES)
            is_state = leads <= layer.max_leads[pair, None]
            place = (pair[:, None] * layer.width + layer.column(0) - leads)[is_state]
            for side in (0, 1):
                turns = self.turn.solve(after[side], options, problem, lead + next_layer.column(0), side, early)
                # Rounding up can exceed 1.
                layer_bounds[1 - side].ravel()[place] = win - np.minimum(turns[is_state], win)
            state_pair = np.broadcast_to(pair[:, None], is_state.shape)[is_state]
            mover, opponent = np.divmod(state_pair, len(layer.opponent_sets))
            columns = [layer.mover_sets[mover], layer.opponent_sets[opponent], leads[is_state]]
            names.append(np.stack(columns, axis=1).astype(name_type))
            bounds.append(win - layer_bounds[::-1].reshape(2, -1)[:, place])
            values.append(self._solved_values(value_table, turns_played, place, bounds[-1]))
            blocks.append(state_count + np.arange(len(place)))
            state_count, after = state_count + len(place), layer_bounds
            self.progress(1 - work[turns_played - 1] / work[-1] if turns_played else 1.0)
        return (
            np.concatenate(names),
            CertifiedBounds(np.hstack(bounds), self.bits, tuple(blocks)),
            np.concatenate(values),
        )

    def _terminal_bounds(self, layer: CardLayer) -> Ints:
        """Return the bounds of the last layer, (2, 1, leads): a win with a lead, half of it without."""
        win, level = 1 << self.bits, layer.column(0)
        row = (np.arange(layer.width) > level).astype(np.int64) * win
        row[level] = win // 2
        return np.stack([row, row])[:, None]

    def _solved_values(self, value_table: ValueTable, turns_played: int, place: Ints, bounds: Ints) -> Doubles:
        """Return the solved values at these places of a layer, for the mover."""
        if turns_played == 0:
            start = [self.problem.playable.start()]
            values: Doubles = self.problem.seat_values(value_table, start).values[:, 0]
            return values
        stored = value_table.arrays.get(f"after{turns_played}")
        if stored is None:
            return np.asarray(np.ldexp(bounds.sum(axis=0), -self.bits - 1))
        return np.asarray(1 - stored.ravel()[place])

    def _comparisons(self, layer: CardLayer, turns_played: int) -> Iterator[Comparison]:
        """Yield comparisons for a sample of a layer's states: (boxes used, points scored) of every legal entry."""
        card, table, seat = self.card, self.problem.playable, turns_played % 2
        for index in _sample(len(layer.mover_sets)):
            used = int(layer.mover_sets[index])
            cards = [Filled(int(layer.opponent_sets[index % len(layer.opponent_sets)]), 0, 0, False)] * 2
            cards[seat] = Filled(used, 0, 0, False)
            for roll, rolls_made, position in _entry_positions(table, card, cards, seat, index):
                compiled = set[tuple[int, int]]()
                for entry, first, last in card.options(used, card.served and rolls_made == 1):
                    score = int(card.scores[entry.column, roll])
                    if first <= roll < last and score >= 0:
                        is_win = self.problem.model.winning_rolls[entry.column, roll]
                        compiled.add((used, 0) if is_win else (used | entry.fills, score))
                after = [choice.after.cards[seat] for choice in table.choices(position)]
                yield Comparison(position, compiled, {(own.used, own.score) for own in after})


def _fraction_bits(card: Card, max_value: int) -> int:
    """Return the number of bits behind the point with which amounts up to ``max_value`` fit the kernel."""
    has_equal_weights = len({*card.weights}) == 1
    return 63 - int(max_value * card.faces).bit_length() if has_equal_weights else 62 - int(max_value).bit_length()


def _sample(count: int, first: int = 0) -> Iterable[int]:
    """Return about COMPARED_STATES evenly spaced numbers below ``count``."""
    return range(first, count, max(1, count // COMPARED_STATES))


def _entry_positions(
    table: Table[Any], card: Card, cards: Sequence[Filled], seat: int, index: int
) -> Iterator[tuple[int, int, Any]]:
    """Yield positions in which a roll is entered: the number of the roll, the rolls made, and the position.

    Args:
        table: the game as played.
        card: the compiled scorecard.
        cards: the scorecards of all seats.
        seat: the seat to move.
        index: the index of the state, which varies the sample of rolls.
    """
    rolls = card.lattice.full_rolls
    for is_served, roll in product(range(1 + card.served), _sample(len(rolls), index % 3)):
        rolls_made = 1 if is_served else card.throws
        fields = {"cards": tuple(cards), "throw": rolls_made, "roll": tuple(rolls[roll].tolist())}
        yield roll, rolls_made, changed(table.start(), seat=seat, entering=bool(is_served), **fields)


def _entries(options: EntryOptions, problem: int, roll: int) -> Iterator[tuple[int, int]]:
    """Yield the entries of a problem that are allowed for a roll: the column of scores and the row that follows."""
    for option in range(options.option_start[problem], options.option_start[problem + 1]):
        if options.first_roll[option] <= roll < options.end_roll[option]:
            yield int(options.column[option]), int(options.row[option])
