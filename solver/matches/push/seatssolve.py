"""A race of three and more players, solved and judged: sweeps over its layers (``seatssweep``), again and again where a
throw can lose the whole score (``seatswiped``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...ground.threads import ThreadPoolExecutor
from ...stores.checkpoints import Checkpoint
from ...turns.push import Doubles
from ..circles import Mix
from ..cluster import Cluster
from .seatskernel import SeatsRace
from .seatssweep import Sweep
from .seatswiped import judge_wiped, solve_wiped
from .states import States

EQUILIBRIUM = 1e-9  # where nobody gains more by leaving the play it is one


@dataclass(frozen=True)
class SeatValues:
    """``win[s]``: what every seat gets from the players' states s, from the mover on; ``taken``: the same by the points
    and dice that may be taken over, if they may; ``mixed``: by place of a position
    whose mover mixes two turns, or makes one that the table alone does not tell, which; ``circles``: places at which
    best replies go round through lost scores without end; ``gain``: the most that a seat gains by a best reply, at
    most. ``weighed`` and ``passes`` count the work as for two players.
    """

    win: Doubles
    taken: Doubles | None
    mixed: Mapping[int, Mix]
    circles: Sequence[int]
    gain: float
    weighed: int
    passes: int


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
) -> SeatValues:
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
    win = zeros(equations.size * seats)
    sweep = Sweep(race, win, equations.past(zeros), threads, progress, cluster)
    circles: list[int] = []
    with ThreadPoolExecutor(threads) as pool:
        if equations.whole:
            most = zeros(win.size)
            circles = solve_wiped(sweep, pool, stages, checkpoint, most)
            most[:] = 0.0
            gain = judge_wiped(sweep, pool, most, checkpoint)
        else:
            sweep.run(pool, stages, checkpoint)
            gain = sweep.judge(pool, zeros(win.size), stages, checkpoint)
    if seats * gain <= EQUILIBRIUM:
        circles = []
    lines = (equations.count,) * seats + (seats,)
    whole, *taken = np.split(np.asarray(win), [equations.lines * seats][: equations.dice])
    offers = [one.reshape(-1, equations.dice, *lines) for one in taken]
    return SeatValues(
        whole.reshape(lines), offers[0] if offers else None, sweep.mixed, circles, gain, sweep.weighed, sweep.passes
    )
