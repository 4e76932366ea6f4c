"""Games by the round for one player: a round's points, the chance to reach a total, the rounds that it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Advice, Choice, PositionValue, rank
from ..distribution import Distribution
from ..errors import InputError
from ..games import Game
from ..games.rounddice import pick_number
from ..games.rounds import Inside, RoundTurn
from ..turns.exact import exact_turn
from . import Solved, lone_player, no_parameters
from .roundchoices import best, choices, solve_lanes, turn_rounding

MOST_TOTAL = 20_000
NO_CHOICE = "There is no choice here."

Position = tuple[int, Inside | None]  # score before the round, and where in the round


def read_inside(rules: RoundTurn, **inside: object) -> Inside | None:
    """Read the position inside a turn; the game says what belongs to it."""
    known = rules.read.__kwdefaults__ or {}
    given = {key: value for key, value in inside.items() if value is not None}
    for key in given:
        if key not in known:
            raise InputError(f"a turn of this game has no {key}; it has {', '.join(known)}")
    return rules.read(**given)


def show_inside(inside: Inside | None) -> dict[str, Any]:
    """The position inside a turn as JSON."""
    return {} if inside is None else dict(inside.shown)


def advice(objective: str, found: list[Choice], inside: Inside | None, bound: float, sign: int = 1) -> Advice:
    """Rank the choices, with what the game notes on them."""
    note = inside.note if inside else ""
    if inside and len(found) == 1:
        note = NO_CHOICE
    return Advice(objective, rank(found, bound, sign), note)


def read_total(rules: RoundTurn, rounds: int | None, score: object, whose: str) -> int:
    """Return a total that so many rounds can give (any number if None)."""
    total = pick_number(score, whose)
    if total > MOST_TOTAL:
        raise InputError(f"{whose} {total} is more than any match brings: at most {MOST_TOTAL:,}")
    if rounds is not None and total > rounds * rules.most:
        raise InputError(f"{whose} {total} is more than the rounds played can give: {rounds * rules.most}")
    steps = rules.scores if 0 in rules.scores else (0, *rules.scores)
    reached = 1
    for _ in range(min(rounds if rounds is not None else total + 1, total + 1)):
        reached = _or(reached << step for step in steps)
        if rounds is None and reached >> total & 1:
            break
    if not reached >> total & 1:
        raise InputError(f"{whose} {total} cannot be: no rounds add up to it")
    return total


def _or(masks: Any) -> int:
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


class Points:
    """Greatest expected points of a round (for a pot game: of a turn), with the exact fraction."""

    objective = "points"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        self.rules: RoundTurn = game.data

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve the round: ``points`` (1,)."""
        value = solve_lanes(self.rules, self._worth[None, :, None])
        return Solved({"points": value[0]}, turn_rounding(self.rules) * self.rules.most)

    @property
    def _worth(self) -> NDArray[np.float64]:
        return np.arange(self.rules.most + 1, dtype=float)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"points": (1,)}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(self, *, cast: object = None, throw: object = None, kept: object = None, roll: object = None) -> Position:
        """Check a position inside the round."""
        return 0, read_inside(self.rules, cast=cast, throw=throw, kept=kept, roll=roll)

    def show(self, position: Position) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return show_inside(position[1])

    def value(self, solved: Solved, position: Position) -> PositionValue:
        """Expected points; at the start of the round with the exact fraction."""
        if position[1] is None:
            exact, _ = exact_turn(self.rules.turn, range(self.rules.most + 1))
            return PositionValue(float(solved.arrays["points"][0]), extra={"fraction": str(exact)})
        return PositionValue(best(choices(self.rules, self._worth, position[1])))

    def advise(self, solved: Solved, position: Position) -> Advice:
        """Rank the options by expected points."""
        return advice(self.objective, choices(self.rules, self._worth, position[1]), position[1], solved.error_bound)

    def distribution(
        self, solved: Solved, position: Position, progress: Callable[[float], None] = lambda done: None
    ) -> Distribution:
        """The round's points in exact fractions, played for the most expected."""
        if position[1] is not None:
            raise InputError("a distribution is asked for before the first throw; leave the roll out")
        return Distribution.of(exact_turn(self.rules.turn, range(self.rules.most + 1))[1])


class Reach:
    """Greatest chance of a total of at least ``goal`` within ``turns`` rounds."""

    objective = "reach"

    def __init__(
        self, game: Game, players: int | None = None, *, goal: int | None = None, turns: int | None = None
    ) -> None:
        lone_player(self.objective, players)
        self.rules: RoundTurn = game.data
        goal = int(game.rules["target"]) if goal is None else goal
        turns = int(game.rules["rounds"]) if turns is None else turns
        if not 1 <= turns <= 1000:
            raise InputError(f"turns={turns} must lie between 1 and 1000")
        if not 1 <= goal <= turns * self.rules.most:
            raise InputError(
                f"goal={goal} must lie between 1 and {turns * self.rules.most}, what {turns} rounds can give"
            )
        self.game = game
        self.players = 1
        self.parameters = {"goal": goal, "turns": turns}

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every number of rounds left and of points needed: ``reach`` (turns + 1, goal + 1)."""
        goal, turns, most = self.parameters["goal"], self.parameters["turns"], self.rules.most
        reach = np.zeros((turns + 1, goal + 1))
        reach[:, 0] = 1
        for left in range(1, turns + 1):
            need = np.arange(goal + 1)[None] - np.arange(most + 1)[:, None]
            reach[left, 1:] = solve_lanes(self.rules, reach[left - 1][np.maximum(need, 0)][None])[0, 1:]
        return Solved({"reach": reach}, turns * turn_rounding(self.rules))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"reach": (self.parameters["turns"] + 1, self.parameters["goal"] + 1)}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(self, *, score: object = 0, cast: object = None, kept: object = None, roll: object = None) -> Position:
        """Check a position; the goal and the rounds left are the question's own."""
        total = read_total(self.rules, None, score, "score")
        if total >= self.parameters["goal"]:
            raise InputError(f"score {total} has already reached the goal of {self.parameters['goal']}")
        return total, read_inside(self.rules, cast=cast, kept=kept, roll=roll)

    def show(self, position: Position) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return {"score": position[0], **show_inside(position[1])}

    def value(self, solved: Solved, position: Position) -> PositionValue:
        """Chance to reach the goal with this round and the others left."""
        if position[1] is None:
            return PositionValue(float(solved.arrays["reach"][-1, self.parameters["goal"] - position[0]]))
        return PositionValue(best(self._choices(solved, position)))

    def advise(self, solved: Solved, position: Position) -> Advice:
        """Rank the options by the chance to reach the goal."""
        return advice(self.objective, self._choices(solved, position), position[1], solved.error_bound)

    def _choices(self, solved: Solved, position: Position) -> list[Choice]:
        need = self.parameters["goal"] - position[0] - np.arange(self.rules.most + 1)
        return choices(self.rules, solved.arrays["reach"][-2][np.maximum(need, 0)], position[1])


class Turns:
    """Fewest expected rounds to reach the target alone."""

    objective = "turns"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        self.rules: RoundTurn = game.data
        self.target = int(game.rules["target"])

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every number of points needed: ``turns`` (target + 1,).

        A round that scores nothing comes back to itself. Its chance is the same however the round is played (a trio
        scores at least two), so it is divided out: E = (1 + sum over other scores) / (1 - chance of nothing).
        """
        nothing = np.zeros((1, self.rules.most + 1, 1))
        nothing[0, 0] = 1
        none = float(solve_lanes(self.rules, nothing)[0, 0])
        turns = np.zeros(self.target + 1)
        for need in range(1, self.target + 1):
            worth = -turns[np.maximum(need - np.arange(self.rules.most + 1), 0)]
            worth[0] = 0
            turns[need] = (1 - float(solve_lanes(self.rules, worth[None, :, None])[0, 0])) / (1 - none)
        most = float(turns.max())
        return Solved({"turns": turns}, (most + 1) ** 2 * 2 * turn_rounding(self.rules))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"turns": (self.target + 1,)}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(self, *, score: object = 0, cast: object = None, kept: object = None, roll: object = None) -> Position:
        """Check a position."""
        total = read_total(self.rules, None, score, "score")
        if total >= self.target:
            raise InputError(f"score {total} has already reached the target of {self.target}")
        return total, read_inside(self.rules, cast=cast, kept=kept, roll=roll)

    def show(self, position: Position) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return {"score": position[0], **show_inside(position[1])}

    def value(self, solved: Solved, position: Position) -> PositionValue:
        """Expected rounds, this one included."""
        if position[1] is None:
            return PositionValue(float(solved.arrays["turns"][self.target - position[0]]))
        return PositionValue(-best(self._choices(solved, position)))

    def advise(self, solved: Solved, position: Position) -> Advice:
        """Rank the options by expected rounds, this one included."""
        found = [
            Choice(one.action, one.keep, one.points, one.dice_left, one.then, -one.value)
            for one in self._choices(solved, position)
        ]
        return advice(self.objective, found, position[1], solved.error_bound, -1)

    def _choices(self, solved: Solved, position: Position) -> list[Choice]:
        need = self.target - position[0] - np.arange(self.rules.most + 1)
        worth = -1 - solved.arrays["turns"][np.maximum(need, 0)]
        return choices(self.rules, worth, position[1])
