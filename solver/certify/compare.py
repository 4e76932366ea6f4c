"""Compare the policies of a certificate with the solved ones, for three or more players.

A certificate for three or more players states the decision values by which its policies compare choices. The proof is
about these policies, and others would have other values. The decision values are therefore compared with those of the
solved game.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..play.playable_game import PlayableGame
from ..solving.solve import solve_problem
from ..util.progress_reporting import ProgressCallback
from . import certify
from .certificate import open_certificate
from .played_prover import TIE

# The bounds hold for every choice whose decision value is at most ``TIE`` below the best. Decision values that differ
# by d rank choices differently only if these are within 2 d. The rest of ``TIE`` covers rounding.
DECISION_TOLERANCE = TIE / 4

StateName = tuple[int, ...]


def max_decision_difference(
    path: str | os.PathLike[str], playable: PlayableGame[Any], progress: ProgressCallback = lambda share: None
) -> float:
    """Return the largest difference between the decision values of a certificate and those of the solved game.

    Args:
        path: a certificate that has been checked, with the rules of ``playable``.
        playable: the game, for three or more players.
        progress: called with the share done.

    Returns:
        The difference in the unit of the values. The solved game is its stored or shipped table, or is solved now. The
        difference is infinite if a state is not in the file, or if only one of the two has a mixed action there.

    Raises:
        TooMuchError: no values are stored, and solving takes too long.
    """
    from ..solvers import problem_from_key

    problem = problem_from_key(playable.problem_key)
    certificate = certify(solve_problem(problem, progress=progress), progress)
    bounds = certificate.bounds
    unit = 2.0**-bounds.bits
    # Rows of ``scaled`` are a lower and an upper bound of each seat, and then a decision value of each seat.
    first_decision_row = 2 * playable.players
    stated_values = _read_decision_values(path, playable.players)
    largest_difference = 0.0
    for state in np.concatenate(bounds.blocks).tolist():
        decision_values = bounds.scaled[first_decision_row:, state].tolist()
        # In units: the decision value of each seat. A mixed action adds three numbers in the same units: a probability,
        # and the decision values by which its two turns are played.
        solved_units = [*decision_values, *bounds.mixed_actions.get(state, ())]
        name = tuple(certificate.states[state].tolist())
        stated_row = stated_values.get(name, ())
        if len(stated_row) != len(solved_units):  # the state is missing, or one of the two has a mixed action
            return float("inf")
        for stated_value, units in zip(stated_row, solved_units, strict=True):
            largest_difference = max(largest_difference, abs(stated_value - unit * units))
    return largest_difference


def _read_decision_values(path: str | os.PathLike[str], players: int) -> dict[StateName, tuple[float, ...]]:
    """Return the decision values in a certificate by name of a state: one for each seat, from the mover on.

    The three numbers of a mixed action follow, if the state has one.

    Args:
        path: the certificate.
        players: the number of players, three or more.
    """
    values: dict[StateName, tuple[float, ...]] = {}
    with open_certificate(path) as (header, file):
        unit = 2.0 ** -header["bits"]
        for line in file:
            name, *words = line.decode("ascii").split()
            is_state = bool(words) and name != "end"
            if not is_state:
                continue
            numbers = [word for word in words if not word.startswith("r")]  # "r" begins a rank, which orders states
            decision_numbers = numbers[2 * players :]  # after a lower and an upper bound of each seat
            state = tuple(map(int, name.split(",")))
            values[state] = tuple(unit * int(number, 16) for number in decision_numbers)  # hexadecimal, in units
    return values
