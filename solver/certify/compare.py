"""Compare the play of a certificate with the solved one, for three and more players.

A certificate of three and more players states the numbers by which its play decides. The proof is about that play, and
another one would have other values. So the numbers are compared with those of the solved game.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..play.table import Table
from ..solving.solve import solve_problem
from ..storage.files import open_regular
from . import certify
from .played_prover import TIE

# The bounds hold for every choice that is worse by ``TIE`` at most. Numbers that differ by d rank choices differently
# only if these are within 2 d, and the rest of ``TIE`` covers rounding.
TOLERANCE = TIE / 4

Numbers = tuple[float, ...]


def play_difference(
    path: str | os.PathLike[str], table: Table[Any], progress: Callable[[float], None] = lambda done: None
) -> float:
    """Return the largest difference between the numbers by which two plays decide.

    Args:
        path: a certificate that has been checked, with the rules of ``table``.
        table: the game, for three or more players.
        progress: called with the share done.

    Returns:
        The difference to the stored or shipped values, or to those solved now; infinite if a state is not in the file
        or only one of the plays mixes turns there.

    Raises:
        TooMuchError: no values are stored, and solving takes too long.
    """
    from ..solvers import problem_from_question

    certificate = certify(solve_problem(problem_from_question(table.question), progress=progress), progress)
    players, unit = table.players, 2.0**-certificate.lines.bits
    stated = _numbers_of_file(path, players)
    largest = 0.0
    for number in np.concatenate(certificate.lines.blocks).tolist():
        mixture = certificate.lines.mixes.get(number, ())
        solved = [*certificate.lines.ends[2 * players :, number].tolist(), *mixture]
        state = tuple(certificate.states[number].tolist())
        if len(stated.get(state, ())) != len(solved):
            return float("inf")
        pairs = zip(stated[state], solved, strict=True)
        largest = max(largest, *(abs(one - unit * other) for one, other in pairs))
    return largest


def _numbers_of_file(path: str | os.PathLike[str], players: int) -> dict[tuple[int, ...], Numbers]:
    """Return by state the numbers by which the play of a certificate decides, and those of a mixed turn."""
    found: dict[tuple[int, ...], Numbers] = {}
    with open_regular(path) as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        with gzip.open(raw) if packed else nullcontext(raw) as file:
            file.readline()
            unit = 2.0 ** -json.loads(file.readline())["bits"]
            for line in file:
                name, *words = line.decode("ascii").split()
                if words and name != "end":
                    numbers = [word for word in words if word[0] != "r"][2 * players :]
                    found[tuple(map(int, name.split(",")))] = tuple(unit * int(number, 16) for number in numbers)
    return found
