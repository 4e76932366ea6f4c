"""Lines of a card that is filled alone: the lattice of partial throws in whole numbers, for all states of a layer.

    E[k] = mean over the faces of E[k with one die more],    B[m] = max over the dice k kept of m of E[k]

as in ``turns.keep``, whose compiled entries are read here and whose arithmetic is not; they are held against the game
as it is played first (``agree``). Boxes are only filled, so every line is its turn of lines above, rounded outward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..ground.errors import SolveError
from ..matches.cards.solo import Points
from ..play.card import CardPosition
from ..play.filled import Filled
from ..play.table import changed
from .families import State, state_of
from .lines import MOST_BITS, Lines
from .turn import NEVER, Ints

AT_A_TIME = 1 << 21  # partial throws by lanes that are held at once
COMPARED = 7  # states of a layer, and throws of each, that are held against the game as it is played


class KeepProver:
    """The lines of a card, by the boxes used, the upper total and whether the box of all alike holds points."""

    def __init__(self, match: Points, progress: Callable[[float], None] = lambda done: None) -> None:
        self.match, self.card, self.table, self.progress = match, match.card, match.table, progress
        card, states = self.card, match.states
        self.weights = np.array(card.weights, dtype=np.int64)
        self.bits = MOST_BITS + 1 - int(card.most(card.full)).bit_length() - int(self.weights.sum()).bit_length()
        self.gain: Ints = np.where(card.scores >= 0, card.scores.astype(np.int64) << self.bits, NEVER)
        width = card.bonus_at + 1 if card.upper_mask else 1
        self.lines = np.full((2, len(states), width), NEVER)
        bonus = card.bonuses[np.minimum(np.arange(width), card.bonus_at)].astype(np.int64)
        self.lines[:, states.sets == card.full] = bonus << self.bits

    def prove(self, values: Any) -> tuple[Ints, Lines, Any]:
        """What names the states, their lines, and the values that were solved, in the same order."""
        states, names, ends, blocks, solved = self.match.states, list[Any](), list[Any](), list[Ints](), list[Any]()
        begun = 0
        for layer in states.layers():
            uppers = [self.card.uppers.get(int(states.sets[one] & self.card.upper_mask), (0,)) for one in layer]
            state, upper = np.repeat(layer, [len(some) for some in uppers]), np.concatenate(uppers).astype(np.int64)
            self._agree(state, upper)
            step = max(1, AT_A_TIME // self.card.lattice.nodes)
            for first in range(0, len(state), step):
                part = state[first : first + step], upper[first : first + step]
                for side in (0, 1):
                    self.lines[side][part] = self._turns(*part, side)
            names.append(np.stack([states.sets[state], upper, states.flags[state]], axis=1))
            ends.append(self.lines[:, state, upper])
            solved.append(values[state, upper])
            blocks.append(begun + np.arange(len(state)))
            begun += len(state)
            self.progress(1 - int(states.sizes[layer[0]]) / len(self.card.categories))
        return np.concatenate(names), Lines(np.hstack(ends), self.bits, tuple(blocks)), np.concatenate(solved)

    def _turns(self, state: Ints, upper: Ints, side: int) -> Ints:
        """What turns are worth that begin in these states: at most that, or with ``side`` 1 at least."""
        lattice, worth = self.card.lattice, np.full((self.card.lattice.nodes, len(state)), NEVER)
        begin = np.flatnonzero(np.diff(state, prepend=-1))
        for first, last in zip(begin, [*begin[1:], len(state)], strict=True):
            for column, row, throws in self._options(int(state[first])):
                after = np.minimum(upper[first:last] + self.card.shifts[column, throws, None], self.lines.shape[2] - 1)
                entered = self.gain[column, throws, None] + self.lines[side, row][after]
                here = worth[lattice.first_full :][throws, first:last]
                np.maximum(here, entered, out=here)
        if (worth[lattice.first_full :] < 0).any():
            raise SolveError("there are dice that no box takes")
        for throw in range(self.card.throws, 0, -1):
            for size in range(lattice.dice - 1, -1, -1):
                nodes = slice(lattice.starts[size], lattice.starts[size + 1])
                total = np.zeros_like(worth[nodes])
                for face, weight in enumerate(self.weights.tolist()):
                    total += weight * worth[lattice.child[nodes, face]]
                worth[nodes] = (total + side * (int(self.weights.sum()) - 1)) // int(self.weights.sum())
            for size in range(lattice.dice) if throw > 1 else ():
                nodes = slice(lattice.starts[size], lattice.starts[size + 1])
                for face in range(lattice.faces):
                    more = lattice.child[nodes, face]
                    worth[more] = np.maximum(worth[more], worth[nodes])
        found: Ints = worth[0]
        return found

    def _options(self, state: int) -> Iterator[tuple[int, int, slice]]:
        """What may be entered: the column of scores, the state that follows, and the full throws."""
        problems = self.match.states.problems
        for one in range(problems.start[state], problems.start[state + 1]):
            throws = slice(int(problems.first[one]), int(problems.last[one]))
            yield int(problems.column[one]), int(problems.row[one]), throws

    # --- both readings

    def _agree(self, state: Ints, upper: Ints) -> None:
        """Hold some states of a layer, and throws of each, against the game as it is played."""
        full = self.card.lattice.full
        for place in {*range(0, len(state), max(1, len(state) // COMPARED))}:
            for throw in {*range(place % 3, len(full), max(1, len(full) // COMPARED))}:
                if self._compiled(int(state[place]), int(upper[place]), throw) != self._played(
                    state, upper, place, throw
                ):
                    raise SolveError(f"the card is compiled otherwise than it is played: {state[place]}, throw {throw}")

    def _compiled(self, state: int, upper: int, throw: int) -> set[tuple[int, State]]:
        """What entering a throw brings, and the state that follows, by the columns of scores."""
        card, states, found = self.card, self.match.states, set[tuple[int, State]]()
        for column, row, throws in self._options(state):
            if throws.start <= throw < throws.stop and card.scores[column, throw] >= 0:
                total = min(upper + int(card.shifts[column, throw]), self.lines.shape[2] - 1)
                after = int(states.sets[row]), total if card.upper_mask else 0, int(states.flags[row])
                found.add((int(card.scores[column, throw]), after))
        return found

    def _played(self, state: Ints, upper: Ints, place: int, throw: int) -> set[tuple[int, State]]:
        """The same as it is played."""
        states, number = self.match.states, int(state[place])
        own = Filled(int(states.sets[number]), 0, int(upper[place]), bool(states.flags[number]))
        roll = tuple(self.card.lattice.full[throw].tolist())
        start: CardPosition = changed(self.table.start(), cards=(own,))
        lies = changed(start, throw=self.card.throws, roll=roll)
        return {(one.after.own.score, state_of(self.table, one.after)) for one in self.table.choices(lies)}
