"""Hearts Due: no decisions, but scores that are wiped, so every score leads to every other.

Nobody's throws change anybody else's score, so the players' scores are independent chains, and who wins is only a
matter of who is done first. One chain is followed turn by turn until what is left is negligible; the chance to win of
any number of players comes from the chances to be done after n turns. That takes the place of a linear system over the
whole board, and gives the distribution of the length of a game with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Advice, Choice, PositionValue
from ..distribution import Distribution
from ..errors import InputError
from ..games import Game
from ..games.hearts_due import ROLLS, HeartsRules
from ..games.rounddice import pick_number
from . import Solved, lone_player, no_parameters, opponents_scores

Floats = NDArray[np.float64]

LEFT = 2.0**-60  # chance of not being done after which a chain is not followed
MOST_TURNS = 200_000
NO_CHOICE = "There is no choice in this game: throw all six dice."


class Chain:
    """One player's score below the target: ``scores`` that can be, the chances ``step`` of one turn, and of being done.

    The last state of ``step`` is being done.
    """

    def __init__(self, rules: HeartsRules, target: int) -> None:
        reached, front = {0}, [0]
        while front:
            score = front.pop()
            for points in rules.ways:
                if points and score + points < target and score + points not in reached:
                    reached.add(score + points)
                    front.append(score + points)
        self.scores = np.array(sorted(reached))
        places = {score: place for place, score in enumerate(self.scores.tolist())}
        size = len(places)
        self.step: Floats = np.zeros((size + 1, size + 1))
        self.step[size, size] = 1
        for score, place in places.items():
            for points, ways in rules.ways.items():
                self.step[place, places.get(score + points, size)] += ways / ROLLS
            self.step[place, 0] += rules.wiped / ROLLS

    def place(self, score: int) -> int:
        """Return the place of a score; InputError where it cannot be."""
        found = np.flatnonzero(self.scores == score)
        if not len(found):
            near = ", ".join(map(str, self.scores[:5].tolist()))
            raise InputError(f"score {score} cannot be: scores are {near}, ... below the target")
        return int(found[0])

    def expected(self) -> Floats:
        """Expected turns to be done, by place: the linear system (1 - step) E = 1."""
        size = len(self.scores)
        return np.asarray(np.linalg.solve(np.eye(size) - self.step[:size, :size], np.ones(size)), dtype=np.float64)

    def done(self, turns: int) -> Floats:
        """Chance to be done within so many turns, by place."""
        chance = np.zeros(len(self.scores) + 1)
        chance[-1] = 1
        for _ in range(turns):
            chance = self.step @ chance
        return chance

    def not_done(self, places: list[int]) -> Floats:
        """Chance of not being done after 0, 1, ... turns from each of the places (turns, places), until negligible."""
        rows = np.zeros((len(places), len(self.scores) + 1))
        rows[np.arange(len(places)), places] = 1
        found = [np.ones(len(places))]
        while found[-1].max() > LEFT:
            if len(found) > MOST_TURNS:
                raise InputError("the target is so far that games last too long to be followed")
            rows = rows @ self.step
            found.append(rows[:, :-1].sum(axis=1))
        return np.array(found)


class Points:
    """Expected points of one throw; a wiped score counts as nothing."""

    objective = "points"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        self.rules: HeartsRules = game.data

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """One sum."""
        return Solved({"points": np.array([float(self._whole().mean)])}, 1e-14)

    def _whole(self) -> Distribution:
        from fractions import Fraction

        chances = {points: Fraction(ways, ROLLS) for points, ways in self.rules.ways.items()}
        chances[0] = chances.get(0, Fraction(0)) + Fraction(self.rules.wiped, ROLLS)
        return Distribution.of(chances)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"points": (1,)}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(self, *, roll: object = None) -> None:
        """There is only the start of a turn."""
        if roll is not None:
            raise InputError("a throw of Hearts Due is scored as it lies; leave the roll out")

    def show(self, position: None) -> dict[str, Any]:
        """Nothing to show."""
        return {}

    def value(self, solved: Solved, position: None) -> PositionValue:
        """Expected points, with the exact fraction and the chance of a wipe."""
        value = float(solved.arrays["points"][0])
        return PositionValue(value, extra={"fraction": str(self._whole().mean), "wiped": self.rules.wiped / ROLLS})

    def advise(self, solved: Solved, position: None) -> Advice:
        """Say that there is nothing to choose."""
        value = float(solved.arrays["points"][0])
        return Advice(self.objective, (Choice("throw all six dice", (), 0, 6, "roll", value),), NO_CHOICE)

    def distribution(
        self, solved: Solved, position: None, progress: Callable[[float], None] = lambda done: None
    ) -> Distribution:
        """Points of one throw in exact fractions; a wipe is among the 0."""
        return self._whole()


class Turns:
    """Expected turns to reach the target alone."""

    objective = "turns"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        self.chain = Chain(game.data, game.data.target)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every score: ``scores``, ``turns``. The bound is the residual times the expected turns."""
        turns = self.chain.expected()
        size = len(turns)
        residual = np.abs(1 + self.chain.step[:size, :size] @ turns - turns).max() + (size + 2) * 2.0**-52 * turns.max()
        return Solved({"scores": self.chain.scores, "turns": turns}, float(residual * turns.max() * 2))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"scores": (len(self.chain.scores),), "turns": (len(self.chain.scores),)}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {"scores": self.chain.scores}

    def read(self, *, score: object = 0) -> int:
        """Check a score."""
        total = pick_number(score, "score")
        self.chain.place(total)
        return total

    def show(self, position: int) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return {"score": position}

    def value(self, solved: Solved, position: int) -> PositionValue:
        """Expected turns, this one included."""
        return PositionValue(float(solved.arrays["turns"][self.chain.place(position)]))

    def advise(self, solved: Solved, position: int) -> Advice:
        """Say that there is nothing to choose."""
        value = self.value(solved, position).value
        return Advice(self.objective, (Choice("throw all six dice", (), 0, 6, "roll", value),), NO_CHOICE)


class Reach:
    """Chance of a score of at least ``goal`` within ``turns`` turns."""

    objective = "reach"

    def __init__(
        self, game: Game, players: int | None = None, *, goal: int | None = None, turns: int | None = None
    ) -> None:
        lone_player(self.objective, players)
        if turns is None:
            raise InputError("reach needs the number of turns left: turns must be given")
        goal = game.data.target if goal is None else goal
        if not 1 <= turns <= 10_000 or not 1 <= goal <= game.data.target:
            raise InputError(f"turns must lie between 1 and 10,000 and goal between 1 and {game.data.target}")
        self.game = game
        self.players = 1
        self.parameters = {"goal": goal, "turns": turns}
        self.chain = Chain(game.data, goal)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Follow every score: ``scores``, ``reach``."""
        reach = self.chain.done(self.parameters["turns"])[:-1]
        bound = self.parameters["turns"] * (len(reach) + 3) * 2.0**-53
        return Solved({"scores": self.chain.scores, "reach": reach}, bound)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"scores": (len(self.chain.scores),), "reach": (len(self.chain.scores),)}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {"scores": self.chain.scores}

    def read(self, *, score: object = 0) -> int:
        """Check a score below the goal."""
        total = pick_number(score, "score")
        self.chain.place(total)
        return total

    def show(self, position: int) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return {"score": position}

    def value(self, solved: Solved, position: int) -> PositionValue:
        """Chance to reach the goal."""
        return PositionValue(float(solved.arrays["reach"][self.chain.place(position)]))

    def advise(self, solved: Solved, position: int) -> Advice:
        """Say that there is nothing to choose."""
        value = self.value(solved, position).value
        return Advice(self.objective, (Choice("throw all six dice", (), 0, 6, "roll", value),), NO_CHOICE)


class Win:
    """The chance of every player to reach the target first, from the chances of not being done after so many turns."""

    objective = "win"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        players = 2 if players is None else players
        if not 2 <= players <= 100:
            raise InputError(f"winning needs opponents: players must lie between 2 and 100, not {players}")
        self.game = game
        self.players = players
        self.parameters: dict[str, int] = {}
        self.chain = Chain(game.data, game.data.target)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Nothing is stored: a position's chains are followed when it is asked about, in milliseconds."""
        return self.without_table()

    def without_table(self) -> Solved:
        """No arrays, and the bound: rounding of every turn followed, and what is left of the chains."""
        turns = len(self.chain.not_done([0]))
        bound = self.players * (turns * (len(self.chain.scores) + 4) * 2.0**-53 + LEFT)
        return Solved({}, bound)

    def solve_from(self, position: tuple[int, ...], threads: int, progress: Callable[[float], None]) -> Solved:
        """Follow the chains of the players' scores."""
        left = self.chain.not_done([self.chain.place(score) for score in position])
        return Solved({"left": left}, self.without_table().error_bound)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(self, *, score: object = 0, opponents: Any = None) -> tuple[int, ...]:
        """Check the scores, from the player to move on."""
        others = opponents_scores(opponents, self.players)
        totals = tuple(pick_number(one, "score") for one in (score, *others))
        for total in totals:
            self.chain.place(total)
        return totals

    def show(self, position: tuple[int, ...]) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return {"score": position[0], "opponents": list(position[1:])}

    def value(self, solved: Solved, position: tuple[int, ...]) -> PositionValue:
        """Chances of all seats: done on turn n, everybody before not done by n, everybody after not by n - 1."""
        left = solved.arrays["left"]
        done = left[:-1] - left[1:]
        seats = []
        for seat in range(self.players):
            before = left[1:, :seat].prod(axis=1)
            after = left[:-1, seat + 1 :].prod(axis=1)
            seats.append(float((done[:, seat] * before * after).sum()))
        return PositionValue(seats[0], tuple(seats), {"regret": 2 * solved.error_bound} if self.players > 2 else {})

    def advise(self, solved: Solved, position: tuple[int, ...]) -> Advice:
        """Say that there is nothing to choose."""
        value = self.value(solved, position).value
        return Advice(self.objective, (Choice("throw all six dice", (), 0, 6, "roll", value),), NO_CHOICE)
