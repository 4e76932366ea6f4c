"""Lines of cards: the lattice of partial throws in whole numbers, for all states of a layer.

    E[k] = mean over the faces of E[k with one die more],    B[m] = max over the dice k kept of m of E[k]

as in ``turns.keep_turn``, whose lattice and whose compiled entries are read here and whose arithmetic is not
(``csrc/whole_kernel.h``); entries are held against the game as it is played first. Boxes are only filled, so every line
is its turn of lines above, rounded outward.

*Alone* a state is the boxes used, the upper total and whether the box of all alike holds points. *Two players*: the
boxes used by the mover and by the other, and the mover's lead. Who leads by more than the other can still score has
won, so only leads between are states (``solvers.cards.two_player``, whose layers these are).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.whole import LANES
from ..core.whole import WholeKeep as Kernel
from ..games.cards import Card
from ..play.filled import Filled
from ..play.table import changed
from ..solvers import ValueTable
from ..solvers.cards.points import Points
from ..solvers.cards.two_player import Win
from ..solvers.cards.two_player_layers import FAR, Layer
from ..turns.keep_turn import Doubles, EntryOptions
from ..util.errors import SolveError
from .game_descriptions import State, state_of
from .prover import Lines
from .whole_turn import Crew, Ints

OTHERWISE = "the card is compiled otherwise than it is played"
COMPARED = 7  # states of a layer, and throws of each, that are held against the game as it is played


class WholeKeep:
    """A turn of keeping dice over whole numbers, none below 0."""

    def __init__(self, card: Card, gain: Ints, shift: NDArray[Any], crew: Crew) -> None:
        lattice, self.crew = card.lattice, crew
        parents = np.bincount(lattice.child.ravel(), minlength=lattice.nodes)
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
        self, after: Ints, problems: EntryOptions, problem: Ints, lane: Ints, up: int, early: Ints | None = None
    ) -> Ints:
        """What turns are worth, (blocks, LANES): at most that, or with ``up`` 1 at least; as ``KeepTurn.solve``."""
        value = np.empty((len(problem), LANES), dtype=np.int64)
        told = problems.start, problems.column, problems.row, problems.first, problems.last
        self.crew.share(self._kernel.solve, len(problem), after, *told, problem, early, lane, up, value)
        if (value < 0).any():
            raise SolveError("there are dice that no box takes")
        return value


class KeepProver:
    """The lines of a card that is filled alone."""

    def __init__(self, match: Points, crew: Crew, progress: Callable[[float], None]) -> None:
        self.match, self.card, self.progress = match, match.card, progress
        card = self.card
        self.bits = _bits(card, card.most(card.full))
        gain = np.where(card.scores >= 0, card.scores.astype(np.int64) << self.bits, -1)
        self.turn = WholeKeep(card, gain, card.shifts, crew)
        shape = match.array_specs()["points"].shape
        self.lines = np.zeros((2, *shape), dtype=np.int64)
        bonus = card.bonuses[np.minimum(np.arange(shape[1]), card.bonus_at)].astype(np.int64)
        self.lines[:, match.states.sets == card.full] = bonus << self.bits

    def prove(self, solved: ValueTable) -> tuple[Ints, Lines, Any]:
        """What names the states, their lines, and the values that were solved, in the same order."""
        states, names, ends, blocks, values = self.match.states, list[Any](), list[Any](), list[Ints](), list[Any]()
        begun, card = 0, self.card
        for layer in states.layers():
            uppers = [card.occurring(int(states.sets[one])) for one in layer]
            state, upper = np.repeat(layer, [len(some) for some in uppers]), np.concatenate(uppers).astype(np.int64)
            for place in _some(len(state)):
                own = Filled(int(states.sets[state[place]]), 0, int(upper[place]), bool(states.flags[state[place]]))
                self._agree(int(state[place]), own, place)
            block, lane = states.blocks(layer)
            ending, early = states.ends(block, card.throws), states.early(block, card.throws)
            for side, line in enumerate(self.lines):
                line[block[:, None], lane[:, None] + np.arange(LANES)] = self.turn.solve(
                    line, states.problems, ending, lane, side, early
                )
                states.spread(line, layer)
            names.append(np.stack([states.sets[state], upper, states.flags[state]], axis=1))
            ends.append(self.lines[:, state, upper])
            values.append(solved.arrays["points"][state, upper])
            blocks.append(begun + np.arange(len(state)))
            begun += len(state)
            self.progress(1 - int(states.sizes[layer[0]]) / len(card.categories))
        return np.concatenate(names), Lines(np.hstack(ends), self.bits, tuple(blocks)), np.concatenate(values)

    def _agree(self, state: int, own: Filled, place: int) -> None:
        """Hold throws that a turn may end with against the game as it is played."""
        card, states, table = self.card, self.match.states, self.match.playable
        for served, throw in product(range(1 + card.served), _some(len(card.lattice.full_rolls), place % 3)):
            compiled, thrown = set[tuple[int, State]](), 1 if served else card.throws
            number = int(states.ends(np.array([state]), thrown)[0])
            for column, row in _entries(states.problems, number, throw):
                if card.scores[column, throw] >= 0:
                    upper = min(own.upper + int(card.shifts[column, throw]), card.bonus_at) if card.upper_mask else 0
                    after = int(states.sets[row]), upper, int(states.flags[row])
                    compiled.add((int(card.scores[column, throw]), after))
            roll = tuple(card.lattice.full_rolls[throw].tolist())
            lies = changed(table.start(), cards=(own,), throw=thrown, roll=roll, entering=bool(served))
            if compiled != {(one.after.own.score, state_of(table, one.after)) for one in table.choices(lies)}:
                raise SolveError(f"{OTHERWISE}: {table.id(lies)}")


class DuelProver:
    """The lines of a card that two fill in turn; a layer is kept as the match keeps it, as who has just moved sees it,
    by their own lead.
    """

    def __init__(self, match: Win, crew: Crew, progress: Callable[[float], None]) -> None:
        self.match, self.card, self.progress = match, match.card, progress
        self.bits = _bits(self.card, 1)
        gain, wins = np.where(self.card.scores >= 0, 0, -1), match.wins
        gain, shift = np.where(wins, 1 << self.bits, gain), np.where(wins, FAR, self.card.scores)
        self.turn = WholeKeep(self.card, gain, shift, crew)

    def prove(self, solved: ValueTable) -> tuple[Ints, Lines, Any]:
        """What names the states, their lines, and the values that were solved, in the same order; where a table does
        not hold a layer, what is halfway between its lines.
        """
        names, ends, values, blocks = list[Any](), list[Any](), list[Any](), list[Ints]()
        layers, begun, one = self.match.layers(0), 0, 1 << self.bits
        named = np.int32 if self.card.full >> 31 == 0 else np.int64
        work = np.cumsum([int(layer.blocks.sum()) for layer in layers])
        rows = (np.arange(layers[-1].width) > layers[-1].place(0)).astype(np.int64) * one
        rows[layers[-1].place(0)] = one // 2
        after = np.stack([rows, rows])[:, None]
        for played, (layer, following) in reversed(list(enumerate(pairwise(layers)))):
            self._agree(layer, played)
            problem, lead = layer.lanes()
            problems = self.match.problems(layer, following)
            ending, early = self.match.ends(problem, len(layer.blocks))
            lines = np.stack([self.match.certain(layer).astype(np.int64) * one] * 2)
            leads = lead[:, None] + np.arange(LANES)
            needed = leads <= layer.high[problem, None]
            place = (problem[:, None] * layer.width + layer.place(0) - leads)[needed]
            for side in (0, 1):
                turns = self.turn.solve(after[side], problems, ending, lead + following.place(0), side, early)
                lines[1 - side].ravel()[place] = one - np.minimum(turns[needed], one)  # rounded up it may be more
            pair = np.broadcast_to(problem[:, None], needed.shape)[needed]
            mover, other = np.divmod(pair, len(layer.opponent))
            names.append(np.stack([layer.mover[mover], layer.opponent[other], leads[needed]], axis=1).astype(named))
            ends.append(one - lines[::-1].reshape(2, -1)[:, place])
            values.append(self._values(solved, played, place, ends[-1]))
            blocks.append(begun + np.arange(len(place)))
            begun, after = begun + len(place), lines
            self.progress(1 - work[played - 1] / work[-1] if played else 1.0)
        return np.concatenate(names), Lines(np.hstack(ends), self.bits, tuple(blocks)), np.concatenate(values)

    def _values(self, solved: ValueTable, played: int, place: Ints, ends: Ints) -> Doubles:
        """What was solved of these places of a layer."""
        if played == 0:
            worth: Doubles = self.match.seat_values(solved, [self.match.playable.start()]).values[:, 0]
            return worth
        held = solved.arrays.get(f"after{played}")
        if held is None:
            return np.asarray(np.ldexp(ends.sum(axis=0), -self.bits - 1))
        return np.asarray(1 - held.ravel()[place])

    def _agree(self, layer: Layer, played: int) -> None:
        """Hold throws that turns of a layer may end with against the game as it is played."""
        card, table, full = self.card, self.match.playable, self.card.lattice.full_rolls
        for place, served in product(_some(len(layer.mover)), range(1 + card.served)):
            used, other = int(layer.mover[place]), int(layer.opponent[place % len(layer.opponent)])
            seats, seat, thrown = [Filled(other, 0, 0, False)] * 2, played % 2, 1 if served else card.throws
            seats[seat] = Filled(used, 0, 0, False)
            options = list(card.options(used, card.served and thrown == 1))
            for throw in _some(len(full), place % 3):
                compiled = set[tuple[int, ...]]()
                for entry, first, last in options:
                    score = int(card.scores[entry.column, throw])
                    if first <= throw < last and score >= 0:
                        compiled.add((used, 0) if self.match.wins[entry.column, throw] else (used | entry.fills, score))
                at = {"seat": seat, "throw": thrown, "entering": bool(served)}
                lies = changed(table.start(), cards=tuple(seats), roll=tuple(full[throw].tolist()), **at)
                if compiled != {
                    (own.used, own.score) for own in (one.after.cards[seat] for one in table.choices(lies))
                }:
                    raise SolveError(f"{OTHERWISE}: {table.id(lies)}")


def _bits(card: Card, most: int) -> int:
    """Bits behind the point, so that amounts up to so much fit the kernel."""
    return 63 - int(most * card.faces).bit_length() if len({*card.weights}) == 1 else 62 - int(most).bit_length()


def _some(count: int, first: int = 0) -> Iterable[int]:
    """Some of so many."""
    return range(first, count, max(1, count // COMPARED))


def _entries(problems: EntryOptions, number: int, throw: int) -> Iterator[tuple[int, int]]:
    """What may be entered for a throw: the column of scores, and the state that follows."""
    for one in range(problems.start[number], problems.start[number + 1]):
        if problems.first[one] <= throw < problems.last[one]:
            yield int(problems.column[one]), int(problems.row[one])
