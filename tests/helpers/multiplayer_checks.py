"""Checks and games that several tests of races of three and more players use."""

from __future__ import annotations

import numpy as np

import keepwise as kw
import keepwise.api
from keepwise.games import own_game
from keepwise.solvers.push.multiplayer_solver import solve_multiplayer_race

NO_PURE = kw.game("pig", faces=3, target=14)  # best replies go round in circles even at the start


def check_against_the_plain_path(solution: kw.Solution, regret: float, within: float) -> None:
    """Shares of three add up, nobody gains more by other play, and the plain path says the same: from nothing it comes
    to an equilibrium, and from these values, as there may be others, to these.
    """
    win = solution.value_table.arrays["win"]
    assert np.abs(win.sum(axis=-1) - 1).max() <= 3 * solution.error_bound + 1e-15
    assert solution.position_value().extra["regret"] <= regret
    states = solution.problem.states
    assert 3 * solve_multiplayer_race(states, 3, use_reference=True).gain <= regret
    plain = solve_multiplayer_race(states, 3, use_reference=True, zeros=lambda size: np.resize(win, size))
    assert np.abs(plain.win - win.reshape(-1, 3)).max() <= within


def rare(weight: int, target: int, points: int, aside: int):
    """A game in which the first turn comes to a decision about once in ten thousand times, and mixes it."""
    many = 10**7
    throws = {"dice": 1, "faces": 4, "weights": [many, many + aside, many, weight]}
    return own_game({"name": "rare", **throws, "singles": {"2": 4, "3": 6, "4": points}, "target": target})
