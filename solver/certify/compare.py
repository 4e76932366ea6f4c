"""Compare the policies of a certificate with the solved ones, for three or more players.

A certificate for three or more players states the decision values by which its policies compare choices. The proof is
about these policies, and others would have other values. The decision values are therefore compared with those of the
solved game.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ..play.playable_game import Table
from ..solving.solve import solve_problem
from . import certify
from .certificate import open_certificate
from .played_prover import TIE

# The bounds hold for every choice whose decision value is at most ``TIE`` below the best. Decision values that differ
# by d rank choices differently only if these are within 2 d. The rest of ``TIE`` covers rounding.
DECISION_TOLERANCE = TIE / 4

StateName = tuple[int, ...]


def max_decision_difference(
    path: str | os.PathLike[str], table: Table[Any], progress: Callable[[float], None] = lambda done: None
) -> float:
    """Return the largest difference between the decision values of a certificate and those of the solved game.

    Args:
        path: a certificate that has been checked, with the rules of ``table``.
        table: the game, for three or more players.
        progress: called with the share done.

    Returns:
        The difference to the stored or shipped values, or to those solved now. It is infinite if a state is not in the
        file, or if only one of the two has a mixed action there.

    Raises:
        TooMuchError: no values are stored, and solving takes too long.
    """
    from ..solvers import problem_from_question

    certificate = certify(solve_problem(problem_from_question(table.question), progress=progress), progress)
    players, unit = table.players, 2.0**-certificate.bounds.bits
    values_in_file = _read_decision_values(path, players)
    largest = 0.0
    for state in np.concatenate(certificate.bounds.blocks).tolist():
        solved = [
            *certificate.bounds.scaled[2 * players :, state].tolist(),
            *certificate.bounds.mixed_actions.get(state, ()),
        ]
        stated = values_in_file.get(tuple(certificate.states[state].tolist()), ())
        if len(stated) != len(solved):
            return float("inf")
        pairs = zip(stated, solved, strict=True)
        largest = max(largest, *(abs(in_file - unit * units) for in_file, units in pairs))
    return largest


def _read_decision_values(path: str | os.PathLike[str], players: int) -> dict[StateName, tuple[float, ...]]:
    """Return the decision values in a certificate by state, followed by the numbers of a mixed action if there is one.

    Ranks, which begin with "r", are skipped.
    """
    values: dict[StateName, tuple[float, ...]] = {}
    with open_certificate(path) as (header, file):
        unit = 2.0 ** -header["bits"]
        for line in file:
            name, *words = line.decode("ascii").split()
            if words and name != "end":
                numbers = [word for word in words if word[0] != "r"][2 * players :]
                values[tuple(map(int, name.split(",")))] = tuple(unit * int(number, 16) for number in numbers)
    return values
