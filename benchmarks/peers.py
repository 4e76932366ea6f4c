"""The same questions put to public libraries: prints the seconds and the value of each as one line of JSON.

Run it by an interpreter that has the libraries: ``pip install quantecon open_spiel cvxpy icepool``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

PIG_TARGET = 100
PIG_TARGET_OF_OPEN_SPIEL = 15  # its states grow with the cube of targets
HOLD = 20
DISCOUNT = 1 - 1e-12  # QuantEcon solves discounted problems; the value moves by less than 1e-9


def quantecon_pig() -> tuple[float, float]:
    """Solve Pig alone for the fewest turns by policy iteration; the arrays are laid out outside the clock."""
    import numpy as np
    from quantecon.markov import DiscreteDP
    from scipy.sparse import csr_matrix

    number = {}
    for score in range(PIG_TARGET):
        for points in range(PIG_TARGET - score):
            number[score, points] = len(number)
    over = len(number)
    pairs, rewards, cells = list[tuple[int, int]](), list[float](), list[tuple[int, int, float]]()
    for (score, points), state in number.items():
        wins = [face for face in range(2, 7) if score + points + face >= PIG_TARGET]
        goes_on = [number[score, points + face] for face in range(2, 7) if face not in wins]
        cells += [(len(pairs), after, 1 / 6) for after in [number[score, 0], *goes_on, *[over] * len(wins)]]
        rewards.append(-(1 + len(wins)) / 6)  # the turn ends by a 1, and by reaching the target
        pairs.append((state, 0))
        if points:
            cells.append((len(pairs), number[score + points, 0], 1.0))
            rewards.append(-1.0)
            pairs.append((state, 1))
    cells.append((len(pairs), over, 1.0))
    rewards.append(0.0)
    pairs.append((over, 0))
    rows, columns, chances = zip(*cells, strict=True)
    moves = csr_matrix((chances, (rows, columns)), shape=(len(pairs), over + 1))
    states, actions = np.array(pairs).T
    process = DiscreteDP(np.array(rewards), moves, DISCOUNT, states, actions)
    process.solve(method="policy_iteration")  # compiles its loops
    begun = time.perf_counter()
    result = process.solve(method="policy_iteration")
    return time.perf_counter() - begun, -float(result.v[number[0, 0]])


def open_spiel_pig() -> tuple[float, float]:
    """Solve Pig for two by value iteration; the value is the probability that the first player wins."""
    import pyspiel
    from open_spiel.python.algorithms.value_iteration import value_iteration

    game = pyspiel.load_game(f"pig(players=2,winscore={PIG_TARGET_OF_OPEN_SPIEL})")
    begun = time.perf_counter()
    values = value_iteration(game, depth_limit=-1, threshold=1e-9, cyclic_game=True)
    seconds = time.perf_counter() - begun
    return seconds, (1 + float(values[str(game.new_initial_state())])) / 2


def icepool_pig() -> tuple[float, float]:
    """Return the mean of one turn of Pig that holds at so many points."""
    from icepool import Die, d6

    def after_roll(points: int) -> Any:
        """Return the points after one more roll; -1 stands for a bust."""
        if not 0 <= points < HOLD:
            return points
        return d6.map(lambda face: -1 if face == 1 else points + face)

    begun = time.perf_counter()
    turn = Die([0]).map(after_roll, repeat="inf").map(lambda points: max(points, 0))
    return time.perf_counter() - begun, float(turn.mean())


PEERS: dict[str, Callable[[], tuple[float, float]]] = {
    "QuantEcon": quantecon_pig,
    "OpenSpiel": open_spiel_pig,
    "icepool": icepool_pig,
}


if __name__ == "__main__":
    try:
        print(json.dumps(PEERS[sys.argv[1]]()))
    except ImportError as error:
        sys.exit(f"{sys.argv[1]} is not installed: {error}")
