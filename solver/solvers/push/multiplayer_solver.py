"""Solve a race of three or more players by sweeps over its layers (``multiplayer_sweep``).

Sweeps are repeated when a throw can lose the whole score (``lost_scores``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.threads import ThreadPool
from ..cluster import Cluster
from .lost_scores import judge_wiped, solve_wiped
from .multiplayer_kernel import SeatsRace
from .multiplayer_sweep import Sweep
from .states import States

EQUILIBRIUM = 1e-9  # where nobody gains more by leaving the play it is one


def solve_seats(
    states: States,
    seats: int,
    *,
    threads: int = 1,
    progress: Callable[[float], None] = lambda done: None,
    stages: int = 1,
    checkpoint: Checkpoint | None = None,
    cluster: Cluster | None = None,
    zeros: Callable[[int], Doubles] = np.zeros,
    plainly: bool = False,
) -> Sweep:
    """Solve every position of a race of so many players, and find what the best reply to the play brings.

    The result has the same bits for any number of threads, and where a cluster solves the larger layers. ``progress``
    is called with the share done. Each of so many ``stages`` of both passes is kept in the checkpoint as it is done;
    none knows what was certain in the one before, so that a solve that goes on there ends with the same bits. ``zeros``
    makes the two tables, where a cluster has no say in it. ``plainly``: without the kernel, whatever the turns.

    Raises:
        SolveError: best replies in a cycle go round in circles, or turns change next to nothing.
    """
    race = SeatsRace(states, seats, plainly)
    equations = race.equations
    if cluster:
        zeros = cluster.zeros
    win = zeros(equations.state_count * seats)
    sweep = Sweep(race, win, equations.past(zeros), threads, progress, cluster)
    with ThreadPool(threads) as pool:
        if equations.has_cyclic_components:
            most = zeros(win.size)
            sweep.circles = solve_wiped(sweep, pool, stages, checkpoint, most)
            most[:] = 0.0
            sweep.gain = judge_wiped(sweep, pool, most, checkpoint)
        else:
            sweep.run(pool, stages, checkpoint)
            sweep.gain = sweep.judge(pool, zeros(win.size), stages, checkpoint)
    if seats * sweep.gain <= EQUILIBRIUM:
        sweep.circles = []
    return sweep
