"""Hands of dice against hands: the chances of every hand against every other, and what is best against an unknown one.

Each pair of hands is a race of two players with dice of their own, played optimally (``solvers.push.unlike_race``).

Start reading at ``solve_matchups``.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .games import Game
from .solvers import make_problem
from .solvers.cost_estimates import SolveCost, announce_cost, refuse_excessive_cost
from .util.errors import InputError
from .util.number_format import format_count
from .util.optional_imports import require_library

Doubles = NDArray[np.float64]

COMPILE_SECONDS = 0.3  # empirical: to compile the turns of a pair, besides the solve
COLUMNS = ("hand", "opponent", "first", "second")


@dataclass(frozen=True)
class Matchups:
    """The chances to win of hands against each other.

    Attributes:
        names: the names of the hands.
        first: (hands, hands) the chance of the row's player, who begins, against the hand of the column.
        error_bound: the largest possible error of a chance.
    """

    names: tuple[str, ...]
    first: Doubles
    error_bound: float

    @property
    def second(self) -> Doubles:
        """The chance of the row's player if the other player begins: (hands, hands)."""
        return np.asarray(1 - self.first.T)

    @property
    def even(self) -> Doubles:
        """The chance of the row's player if a fair coin says who begins: (hands, hands)."""
        return np.asarray((self.first + self.second) / 2)

    def least_chances(self) -> Doubles:
        """Return the chance of each hand against the hand that is worst for it, if a coin says who begins."""
        return np.asarray(self.even.min(axis=1))

    def best_mix(self) -> tuple[Doubles, float]:
        """Return how often to choose each hand if the opponent chooses at the same time, and what that guarantees.

        It is the best mixed action of the matrix game of ``even``, by linear programming. As the game is the same for
        both players, it guarantees one half. The game of rounded chances is solved, so the guarantee has their bound.

        Raises:
            InputError: SciPy is not installed.
        """
        require_library("scipy", "the best mix of hands requires SciPy", "mix")
        from scipy.optimize import linprog

        count = len(self.names)
        # Maximize v subject to v <= sum_i x_i even[i, j] for all j, where x is a distribution.
        result = linprog(
            np.append(np.zeros(count), -1.0),
            A_ub=np.column_stack([-self.even.T, np.ones(count)]),
            b_ub=np.zeros(count),
            A_eq=np.append(np.ones(count), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0, 1)] * (count + 1),
        )
        weights = np.maximum(result.x[:-1], 0)
        weights /= weights.sum()
        return weights, float((weights[:, None] * self.even).sum(axis=0).min())

    def to_csv(self) -> str:
        """Return a table with a row for each hand and each opponent: the chance as first and as second player."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (row, name), (column, opponent) in itertools.product(enumerate(self.names), repeat=2):
            writer.writerow([name, opponent, float(self.first[row, column]), float(self.second[row, column])])
        return text.getvalue()


def solve_matchups(
    game: Game,
    hands: Mapping[str, Mapping[str, Any]],
    *,
    threads: int = 1,
    anyway: bool = False,
    progress: Callable[[float], None] = lambda done: None,
) -> Matchups:
    """Solve the races of every hand against every other.

    Args:
        game: a push-your-luck race for several players.
        hands: by name, the rules of a seat with that hand, such as ``{"die": [...]}``.
        threads: processor threads to use.
        anyway: solve the races even if that takes more than an hour.
        progress: called with the fraction of the races that are solved.

    Raises:
        InputError: there are no hands, or rules that a seat cannot have.
        TooMuchError: it takes more than an hour.
    """
    if not hands:
        raise InputError("hands must contain at least one hand")
    pairs = list(itertools.combinations_with_replacement(range(len(hands)), 2))
    rules = list(hands.values())
    task = f"solving {format_count(len(pairs), 'race')} of hands"
    seconds = _make_race(game, rules[0], rules[-1]).estimate_cost(threads).seconds + COMPILE_SECONDS
    cost = SolveCost(0.0, len(pairs) * seconds)
    refuse_excessive_cost(task, cost, anyway)
    announce_cost(task, cost)
    first = np.empty((len(hands), len(hands)))
    error_bound = 0.0
    for number, (row, column) in enumerate(pairs, 1):
        problem = _make_race(game, rules[row], rules[column])
        table = problem.solve(threads, lambda done: None)
        start = problem.playable.start()
        first[row, column] = problem.seat_values(table, [start]).values[0, 0]
        if row != column:
            other_start = problem.playable.turn_start(start.scores, 1, start.turns_left)
            first[column, row] = problem.seat_values(table, [other_start]).values[0, 1]
        error_bound = max(error_bound, table.error_bound)
        progress(number / len(pairs))
    return Matchups(tuple(hands), first, error_bound)


def _make_race(game: Game, first: Mapping[str, Any], second: Mapping[str, Any]) -> Any:
    """Return the race of two hands, given by the rules of their seats."""
    return make_problem(game.with_rules(**first).with_rules(seat={"2": dict(second)}), "win", 2)
