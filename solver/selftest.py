"""An installed Keepwise checks itself within seconds, and needs no sources for it: ``keepwise selftest``.

Each check says what it found in a few words, or raises an error. What is compared shares no code: files with the
digests of the manifest, kernels with the referee's fractions at every position of small games, whole games with
known numbers.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from pathlib import Path

import numpy as np

from . import tables
from .answers.positions import sign_of, worth_of
from .api import solve
from .core.push import registers as registers
from .games import Game, game, games
from .games.rulefile.card_file import card_game
from .play import play
from .play.referee import referee
from .util import multiset
from .util.errors import KeepwiseError

# What a game is worth at its start, as docs/results.md compares it with published and enumerated numbers.
KNOWN = {
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
    """Every file that the manifest of the shipped tables lists is there, byte for byte."""
    folder = Path(tables.__path__[0])
    rows = json.loads((folder / "manifest.json").read_bytes())
    for row in rows:
        path = folder / row["file"]
        if not path.is_file():
            raise KeepwiseError(f"{path} is missing")
        if hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
            raise KeepwiseError(f"{path} is not the file that was shipped")
    return f"{len(rows)} shipped files are those of the manifest"


def _small_card() -> Game:
    def score(dice: tuple[int, ...]) -> dict[str, int]:
        return {"ones": dice.count(1), "twos": 2 * dice.count(2), "alike": 9 * (len(set(dice)) == 1)}

    return card_game("small", score, dice=3, faces=3, throws=2)


def check_kernels() -> str:
    """Multisets are those that are listed; each kernel solves small games as the referee does, at every position."""
    listed = [[throw.count(face) for face in range(4)] for throw in combinations_with_replacement(range(4), 5)]
    ways = [factorial(5) // prod(map(factorial, counts)) for counts in listed]
    found = multiset.list_multisets(5, 4)
    if sorted(listed) != sorted(found.tolist()):
        raise KeepwiseError("the multisets of dice are not all there are")
    if dict(zip(map(tuple, listed), ways, strict=True)) != dict(
        zip(map(tuple, found.tolist()), multiset.multiset_weights(found, [1] * 4).tolist(), strict=True)
    ):
        raise KeepwiseError("the weights of throws are not their number of orders")
    small = [
        (game("pig", target=12), "turns", 1),  # push
        (game("5000", target=300, opening=200, minimum=100), "win", 2),  # race
        (game("pig", faces=3, target=5), "win", 3),  # seats
        (_small_card(), "points", 1),  # keep
        (game("booby-trap", large=1, medium=1, small=1), "win", 2),  # touch
    ]
    return f"kernels solve {sum(_compare(*one) for one in small):,} positions as the referee does"


def _compare(small: Game, objective: str, players: int) -> int:
    """How many positions were compared."""
    exact = referee(play(small, players, objective=objective))
    solution = solve(small, objective, players, fresh=True)
    asked = [position for position in exact.positions if exact.table.stage(position) != "over"]
    worth, sign = worth_of(solution.problem, solution.value_table, asked), sign_of(solution.problem)
    for position, values, bound in zip(asked, worth.values.tolist(), worth.error_bounds.tolist(), strict=True):
        for value, truth in zip(values, exact.seats(position), strict=True):
            if abs(Fraction(value) - sign * truth) > bound:
                place, right = exact.table.id(position), float(sign * truth)
                raise KeepwiseError(f"{place} is solved as {value}, and is worth {right}")
    return len(asked)


def check_games() -> str:
    """Solve every game that has a known value, and compare the value of its start.

    Raises:
        KeepwiseError: a value differs from the known one by more than the error bound.
    """
    for game_id, (objective, known) in KNOWN.items():
        solution = solve(game(game_id), objective, fresh=True)
        if not abs(solution.value() - known) <= 2 * solution.error_bound + np.spacing(known):
            raise KeepwiseError(f"{game_id} for {objective} is solved as {solution.value()}, and is worth {known}")
    unknown = sorted({one.id for one in games()} - KNOWN.keys())
    without = f"; no known value to compare: {', '.join(unknown)}" if unknown else ""
    return f"{len(KNOWN)} games are worth what they are known to be{without}"


CHECKS = (check_files, check_kernels, check_games)
