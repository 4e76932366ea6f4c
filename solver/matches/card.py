"""A card filled alone: for the most expected points, or for the greatest chance of a total."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Advice, PositionValue, rank
from ..core.keep import LANES
from ..distribution import Distribution
from ..errors import InputError
from ..games import Game
from ..games.cardposition import CardPosition, read_card, show_position
from ..games.cards import Card
from ..turns.keep import Doubles, KeepTurn
from . import Solved, lone_player, no_parameters
from .cardchoices import choices, turn_value
from .cardstates import CardStates

Longs = NDArray[np.int64]


class Points:
    """Greatest expected points still to come. Values: ``points`` (states, width), by upper total where it counts."""

    objective = "points"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        self.card: Card = game.data

    @cached_property
    def states(self) -> CardStates:
        """The states between turns."""
        return CardStates(self.card)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every state, those with fewer turns left first."""
        card, states = self.card, self.states
        (shape,) = self.shapes().values()
        worth = np.zeros((1, *shape))
        if card.upper_mask:
            worth[0, states.sets == card.full, card.bonus_at :] = card.bonus
        problems = states.problems
        with ThreadPoolExecutor(threads) as pool:
            for layer in states.layers():
                state, lane = states.blocks(layer)
                value = card.turn.solve(worth, problems, state, lane, pool=pool, threads=threads).value[:, 0]
                worth[0, state[:, None], lane[:, None] + np.arange(LANES)] = value
                if card.upper_mask:  # reading goes on past the total from which the bonus is sure
                    worth[0, layer, card.bonus_at :] = worth[0, layer, card.bonus_at, None]
                progress(1 - int(states.sizes[layer[0]]) / len(card.categories))
        turns = len(card.categories) // card.boxes
        return Solved({"points": worth[0]}, turns * card.turn.rounding * (card.most(card.full) + 1))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        width = self.card.bonus_at + 1 + LANES if self.card.upper_mask else LANES
        return {"points": (len(self.states.sets), width)}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(
        self,
        *,
        used: object = (),
        throw: object = None,
        roll: object = None,
        upper: object = None,
        score: object = None,
    ) -> CardPosition:
        """Check a position."""
        return read_card(self.card, used, throw, roll, upper, False, score)

    def show(self, position: CardPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return show_position(self.card, position)

    def value(self, solved: Solved, position: CardPosition) -> PositionValue:
        """Expected points still to come, an upper bonus included."""
        if position.roll is None:
            row = self.states.number(position.used, position.flag)
            return PositionValue(float(solved.arrays["points"][row, position.upper]))
        return PositionValue(turn_value(self._choices(solved, position)))

    def advise(self, solved: Solved, position: CardPosition) -> Advice:
        """Rank every legal choice by the points still to come."""
        return Advice(self.objective, rank(self._choices(solved, position), solved.error_bound))

    def distribution(
        self, solved: Solved, position: CardPosition, progress: Callable[[float], None] = lambda done: None
    ) -> Distribution:
        """The points still to come, every chance of them, when they are played for the most expected."""
        from .carddistribution import total_distribution

        if position.roll is not None:
            raise InputError("a distribution is asked for between turns; leave the roll out")
        return total_distribution(self.card, solved.arrays["points"], self.states, position, progress)

    def _choices(self, solved: Solved, position: CardPosition) -> Any:
        state = self.states.number(position.used, position.flag)
        after = solved.arrays["points"]
        return choices(self.card, self.card.turn, after, self.states.problems, state, position.upper, position)


@dataclass(frozen=True)
class ReachLayer:
    """The chances of the states of one size: ``rows`` (rows, width) by points still needed, and which row a place
    (state times the upper totals, plus the upper total) stands for.
    """

    rows: Doubles
    place: Longs


class Reach:
    """Greatest chance of a total of at least ``goal``.

    What can follow a position is solved when the position is asked about; nothing is stored, for a card with an upper
    bonus would need gigabytes.
    """

    objective = "reach"

    def __init__(
        self, game: Game, players: int | None = None, *, goal: int | None = None, turns: int | None = None
    ) -> None:
        lone_player(self.objective, players)
        self.card: Card = game.data
        if turns is not None:
            raise InputError(f"{game.id} has as many turns as its card: reach takes a goal, and no turns")
        if goal is None:
            raise InputError("reach needs the total to reach: goal must be given")
        if not 1 <= goal <= self.card.most(self.card.full):
            raise InputError(f"goal={goal} must lie between 1 and {self.card.most(self.card.full)}, the most there is")
        self.game = game
        self.players = 1
        self.parameters = {"goal": goal}

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Nothing is solved before a position is asked about."""
        return self.without_table()

    def without_table(self) -> Solved:
        """No arrays, and the bound."""
        turns = len(self.card.categories) // self.card.boxes
        return Solved({}, turns * self._turn.rounding)

    def solve_from(self, position: CardPosition, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve what can follow a position, down to one turn after it."""
        states = self._states(position)
        need = self.parameters["goal"] - position.score
        layer = self._end(states, need, position)
        layers = list(states.layers())
        share = [float(len(one)) for one in layers]
        with ThreadPoolExecutor(threads) as pool:
            for number, one in enumerate(layers[:-1]):
                layer = self._solve_layer(pool, threads, states, one, layer, need, position)
                progress(sum(share[: number + 1]) / sum(share))
        return Solved({"rows": layer.rows, "place": layer.place}, self.without_table().error_bound)

    def _states(self, position: CardPosition) -> CardStates:
        return CardStates(self.card, position.used, position.flag)

    @property
    def _uppers(self) -> int:
        """Places for the upper totals of a state, those that a throw passes the bonus by included."""
        return self.card.bonus_at + 1 + int(self._hops.max()) if self.card.upper_mask else 1

    @cached_property
    def _hops(self) -> NDArray[np.int32]:
        return self.card.shifts.astype(np.int32)

    @cached_property
    def _turn(self) -> KeepTurn:
        gain = np.where(self.card.scores >= 0, 0.0, -np.inf)
        shift = -np.maximum(self.card.scores, 0).astype(np.int32)
        return KeepTurn(self.card.lattice, self.card.throws, gain, shift, self._hops)

    def _end(self, states: CardStates, need: int, position: CardPosition) -> ReachLayer:
        """The chances once every category is used: certain, by the points still needed and the upper total."""
        bonus = np.zeros(self._uppers, dtype=np.int64)
        if self.card.upper_mask:
            bonus[self.card.bonus_at :] = self.card.bonus
        needed = np.arange(max(need, 1) + LANES) - LANES + 1
        rows = (needed[None] <= bonus[:, None]).astype(float)
        place = np.full(len(states.sets) * self._uppers, -1, dtype=np.int64)
        for state in np.flatnonzero(states.sets == self.card.full):
            place[state * self._uppers : (state + 1) * self._uppers] = np.arange(self._uppers)
        return ReachLayer(_wide(rows), place)

    def _solve_layer(
        self,
        pool: ThreadPoolExecutor,
        threads: int,
        states: CardStates,
        layer: Longs,
        after: ReachLayer,
        need: int,
        position: CardPosition,
    ) -> ReachLayer:
        card, uppers = self.card, self._uppers
        by_set = card.uppers_from(position.used & card.upper_mask, position.upper)
        place = np.full(len(states.sets) * uppers, -1, dtype=np.int64)
        state_of, first = [], 0
        for state in layer.tolist():
            totals = by_set[int(states.sets[state]) & card.upper_mask]
            place[state * uppers + totals] = first + np.arange(len(totals))
            if card.upper_mask and totals[-1] == card.bonus_at:
                place[state * uppers + card.bonus_at : (state + 1) * uppers] = first + len(totals) - 1
            state_of.append(state * uppers + totals)
            first += len(totals)
        places = np.concatenate(state_of)  # by row
        width = after.rows.shape[1]
        rows = np.ones((first, width))
        lanes = np.arange(LANES, width - LANES + 1, LANES)
        problems = self._problems(states, uppers, places)
        per_call = max(1, 100_000 // len(lanes))
        for begin in range(0, first, per_call):
            end = min(first, begin + per_call)
            row = np.repeat(np.arange(begin, end), len(lanes))
            lane = np.tile(lanes, end - begin)
            solved = self._turn.solve(
                after.rows[None], problems, row, lane, place=after.place, pool=pool, threads=threads
            )
            rows[begin:end, LANES:] = solved.value.reshape(end - begin, -1)
        return ReachLayer(rows, place)

    def _problems(self, states: CardStates, uppers: int, places: Longs) -> Any:
        """The options of the rows: those of their states, leading to places that start from the row's upper total."""
        from ..turns.keep import Problems

        of, state, upper = states.problems, places // uppers, places % uppers
        count = of.start[state + 1] - of.start[state]
        start = np.concatenate(([0], np.cumsum(count)))
        option = np.repeat(of.start[state] - start[:-1], count) + np.arange(start[-1])
        row = of.row[option] * uppers + np.repeat(upper, count)
        return Problems(start, of.column[option], row, of.first[option], of.last[option])

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(
        self,
        *,
        used: object = (),
        throw: object = None,
        roll: object = None,
        upper: object = None,
        score: object = None,
    ) -> CardPosition:
        """Check a position; the score is the total of the used categories, without the upper bonus."""
        return read_card(self.card, used, throw, roll, upper, True, score)

    def show(self, position: CardPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return {"score": position.score, **show_position(self.card, position)}

    def value(self, solved: Solved, position: CardPosition) -> PositionValue:
        """Chance to reach the goal."""
        return PositionValue(turn_value(self._choices(solved, position)))

    def advise(self, solved: Solved, position: CardPosition) -> Advice:
        """Rank every legal choice by the chance to reach the goal."""
        return Advice(self.objective, rank(self._choices(solved, position), solved.error_bound))

    def _choices(self, solved: Solved, position: CardPosition) -> Any:
        states = self._states(position)
        here = states.number(position.used, position.flag)
        problems = self._problems(states, self._uppers, np.array([here * self._uppers + position.upper]))
        need = self.parameters["goal"] - position.score
        rows, place = solved.arrays["rows"], solved.arrays["place"]
        lane = max(need, 0) + LANES - 1
        return choices(self.card, self._turn, rows, problems, 0, lane, position, place)


def _wide(rows: Doubles) -> Doubles:
    """Rows made a whole number of blocks wide, with one more: reading begins at any place."""
    short = -rows.shape[1] % LANES + LANES
    return np.ascontiguousarray(np.concatenate((rows, np.zeros((len(rows), short))), axis=1))
