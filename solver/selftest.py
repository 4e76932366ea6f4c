"""Self-test of an installed Keepwise: ``keepwise selftest``. It takes seconds and needs no sources.

Each check returns a sentence on what it compared, or raises KeepwiseError. The two sides of a comparison share no code:

* files against the digests of the manifest,
* kernels against exact fractions of the referee, at every position of small games,
* values of whole games against known numbers.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import tables
from .answers.positions import gain_sign, seat_values_of
from .api import solve
from .core.push import registers as registers
from .games import Game, game, games
from .games.rulefile.card_file import card_game
from .play import playable
from .play.playable_game import Stage
from .play.referee import referee
from .util import multiset
from .util.errors import KeepwiseError

# By game: objective and value at the start. docs/results compares them with published and enumerated numbers.
KNOWN_VALUES = {
    "5000": ("win", 0.5279111542141043),
    "beartrap": ("points", 240.417114037216),
    "farkle": ("points", 446.5714403437279),
    "pig": ("win", 0.5305927252737469),
    "scarney": ("points", 17.14544969333359),
    "battleship": ("win", 0.4989357089173467),
    "boston": ("points", 12.930555555555555),
    "multiplication": ("points", 33.00694444444444),
    "double-cameroon": ("points", 197.73183574058618),
    "hearts-due": ("win", 0.5166724925975957),
    "yahtzee": ("points", 254.58772873449587),
    "booby-trap": ("win", 0.5164097532889256),
    "shut-the-box": ("reach", 956177159 / 9795520512),
}


def check_files() -> str:
    """Compare every file that the manifest of the shipped tables lists with its digest."""
    folder = Path(tables.__path__[0])
    rows = json.loads((folder / "manifest.json").read_bytes())
    for row in rows:
        path = folder / row["file"]
        if not path.is_file():
            raise KeepwiseError(f"{path} is missing")
        if hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
            raise KeepwiseError(f"{path} is not the file that was shipped")
    return f"{len(rows)} shipped files match the manifest"


def _small_card() -> Game:
    """Return a scorecard game of three categories."""

    def score(dice: tuple[int, ...]) -> dict[str, int]:
        return {"ones": dice.count(1), "twos": 2 * dice.count(2), "alike": 9 * (len(set(dice)) == 1)}

    return card_game("small", score, dice=3, faces=3, throws=2)


def check_kernels() -> str:
    """Compare multisets with an enumeration, and the values of each kernel with exact ones in small games."""
    _check_multisets()
    cases = [
        SmallProblem(game("pig", target=12), "turns", 1),  # push
        SmallProblem(game("5000", target=300, opening=200, minimum=100), "win", 2),  # race
        SmallProblem(game("pig", faces=3, target=5), "win", 3),  # seats
        SmallProblem(_small_card(), "points", 1),  # keep
        SmallProblem(game("booby-trap", large=1, medium=1, small=1), "win", 2),  # touch
    ]
    position_count = sum(map(_compare_with_referee, cases))
    return f"kernels agree with exact values at {position_count:,} positions"


def _check_multisets() -> None:
    """Raise KeepwiseError unless the multisets of five dice with four faces, and their weights, are right."""
    dice, faces = 5, 4
    rolls = combinations_with_replacement(range(faces), dice)
    expected_counts = [[roll.count(face) for face in range(faces)] for roll in rolls]
    expected_weights = [factorial(dice) // prod(map(factorial, counts)) for counts in expected_counts]
    multisets = multiset.list_multisets(dice, faces)
    weights = multiset.multiset_weights(multisets, [1] * faces).tolist()
    if sorted(expected_counts) != sorted(multisets.tolist()):
        raise KeepwiseError("the list of multisets of dice is wrong")
    expected = dict(zip(map(tuple, expected_counts), expected_weights, strict=True))
    if expected != dict(zip(map(tuple, multisets.tolist()), weights, strict=True)):
        raise KeepwiseError("the weights of multisets of dice are wrong")


class SmallProblem(NamedTuple):
    """A problem that is small enough for exact fractions."""

    game: Game
    objective: str
    players: int


def _compare_with_referee(case: SmallProblem) -> int:
    """Compare the values of all positions with exact ones; return the number of positions."""
    exact = referee(playable(case.game, case.players, objective=case.objective))
    solution = solve(case.game, case.objective, case.players, fresh=True)
    positions = [position for position in exact.positions if exact.playable.stage(position) is not Stage.TERMINAL]
    worth = seat_values_of(solution.problem, solution.value_table, positions)
    sign = gain_sign(solution.problem)
    for position, values, bound in zip(positions, worth.values.tolist(), worth.error_bounds.tolist(), strict=True):
        for value, exact_value in zip(values, exact.seat_payoffs(position), strict=True):
            expected = sign * exact_value
            if abs(Fraction(value) - expected) > bound:
                position_id = exact.playable.id(position)
                raise KeepwiseError(f"the value of {position_id} is {value}, and should be {float(expected)}")
    return len(positions)


def check_games() -> str:
    """Solve every game that has a known value, and compare the value of its start.

    Raises:
        KeepwiseError: a value differs from the known one by more than the error bound.
    """
    for game_id, (objective, known_value) in KNOWN_VALUES.items():
        solution = solve(game(game_id), objective, fresh=True)
        value = solution.value()
        tolerance = 2 * solution.error_bound + np.spacing(known_value)
        if not abs(value - known_value) <= tolerance:
            raise KeepwiseError(f"the value of {game_id} for {objective} is {value}, and should be {known_value}")
    unknown_ids = sorted({listed_game.id for listed_game in games()} - KNOWN_VALUES.keys())
    unchecked = f"; no known value to compare: {', '.join(unknown_ids)}" if unknown_ids else ""
    return f"{len(KNOWN_VALUES)} games have their known values{unchecked}"


CHECKS = (check_files, check_kernels, check_games)
