"""Solve a race of three or more players: the main entry of the multiplayer solvers.

``multiplayer_sweep`` solves the layers and explains the algorithm. ``lost_scores`` repeats sweeps when points or scores
can be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.progress_reporting import ProgressCallback
from ..cluster import Cluster
from ..problem import MixedAction
from .lost_scores import bound_with_losses, solve_with_losses
from .multiplayer_kernel import MultiplayerRace
from .multiplayer_sweep import LayerSweep, Race
from .states import States

LAST_TURNS_SHARE_OF_TIME = 0.05  # measured: of a solve of Zombie Dice for three without the kernel of races
STATES_PER_SUM = 1 << 16  # whose values are added at a time, because sums of a whole table take memory
MAX_EQUILIBRIUM_REGRET = 1e-9  # policies with no more are reported as an equilibrium


@dataclass(frozen=True)
class MultiplayerSolution:
    """A solved race of several players.

    Attributes:
        win: (states, seats) every seat's probability of winning, from the mover on.
        bounds: (states, seats) upper bounds of what each seat gets by a best response. If scores can be lost and the
            solve was resumed after its last pass, they are all 0, and only ``gain`` is known.
        mixed: by line, the mover's mixed action.
        cycling_lines: lines at which best responses through lost scores did not settle.
        gain: the most that a seat gains by a best response: the largest difference of such a bound and ``win``.
        choice_count: the number of choices compared; a choice in a block of lanes is counted once.
        pass_count: the number of passes over a block of lanes.
    """

    win: Doubles
    bounds: Doubles
    mixed: Mapping[int, MixedAction]
    cycling_lines: Sequence[int]
    gain: float
    choice_count: int
    pass_count: int


def solve_multiplayer_race(
    states: States,
    seats: int,
    *,
    threads: int = 1,
    progress: ProgressCallback = lambda share: None,
    stages: int = 1,
    checkpoint: Checkpoint | None = None,
    cluster: Cluster | None = None,
    zeros: Callable[[int], Doubles] = np.zeros,
    use_reference: bool = False,
) -> MultiplayerSolution:
    """Solve every position of a race, and bound what a best response to the stored policies gains.

    The result has the same bits for any number of threads, with and without a cluster, and if a solve is resumed.

    Args:
        states: the states of one player.
        seats: the number of players.
        threads: the number of threads of this process.
        progress: called with the share of the work that is done.
        stages: the number of parts into which a pass over all layers is split, for values and for bounds. Each is
            stored in the checkpoint as it is done.
        checkpoint: finished stages are read from it.
        cluster: solves the larger layers.
        zeros: makes an array of this number of zeros, for the large tables, unless the cluster makes these.
        use_reference: solve without the compiled kernel.

    Raises:
        SolveError: no equilibrium of a cycle was found, its turns hardly ever change a score, or bounds do not settle.
    """
    return solve_race(
        MultiplayerRace(states, seats, use_reference),
        threads=threads,
        progress=progress,
        stages=stages,
        checkpoint=checkpoint,
        cluster=cluster,
        zeros=zeros,
    )


def solve_race(
    race: Race,
    *,
    threads: int = 1,
    progress: ProgressCallback = lambda share: None,
    stages: int = 1,
    checkpoint: Checkpoint | None = None,
    cluster: Cluster | None = None,
    zeros: Callable[[int], Doubles] = np.zeros,
) -> MultiplayerSolution:
    """Solve every position of a race, whose players are alike or have rules of their own.

    Args:
        race: the race.
        threads, progress, stages, checkpoint, cluster, zeros: as for ``solve_multiplayer_race``. There is no cluster
            if players have rules of their own.

    Raises:
        SolveError: no equilibrium of a cycle was found, its turns hardly ever change a score, or bounds do not settle.
    """
    seats = race.seats
    model = race.equations
    if cluster:
        zeros = cluster.shared_zeros
    win = zeros(model.state_count * seats)
    # The kernel solves a race so fast that nobody waits for its last turns.
    last_turns_share = LAST_TURNS_SHARE_OF_TIME if model.last_round and not race.uses_kernel else 0.0
    past = model.last_round_table(zeros, lambda share: progress(last_turns_share * share))
    sweep: LayerSweep[Any] = LayerSweep(
        race,
        win,
        past,
        threads=threads,
        progress=lambda share: progress(last_turns_share + (1 - last_turns_share) * share),
        cluster=cluster,
    )
    cycling_lines: list[int] = []
    with sweep.dispatcher.pool:
        if model.has_cyclic_components:  # never if players have rules of their own
            bounds = zeros(win.size)
            # The solve of values needs room for another table, and gets that of the bounds for the time being.
            cycling_lines = solve_with_losses(sweep, stages, checkpoint, spare=bounds)
            bounds[:] = 0.0
            gain = bound_with_losses(sweep, bounds, checkpoint)
        else:  # one pass for values and one for bounds are enough
            sweep.solve_values(stages, checkpoint)
            bounds = zeros(win.size)
            gain = sweep.bound_best_responses(bounds, stages, checkpoint)
    # The regret of a seat is what its best response brings more than the stored policies do.
    # - The best response brings at most its value plus ``gain``.
    # - No other seat gets more than its value plus ``gain``. The shares of all seats add up to 1, so the stored
    #   policies bring this seat at least its value minus (seats - 1) * gain.
    regret = seats * gain
    if regret <= MAX_EQUILIBRIUM_REGRET:
        cycling_lines = []  # the stored policies are an equilibrium, whether or not best responses settled
    return MultiplayerSolution(
        win=sweep.win,
        bounds=bounds.reshape(sweep.win.shape),
        mixed=sweep.mixed,
        cycling_lines=cycling_lines,
        gain=gain,
        choice_count=sweep.dispatcher.choice_count,
        pass_count=sweep.dispatcher.pass_count,
    )


class SolutionBounds(NamedTuple):
    """Bounds of a solution.

    Attributes:
        error_bound: no stored value differs by more from the value of the stored policies.
        regret: no seat gains more by leaving the stored policies.
    """

    error_bound: float
    regret: float


def bound_solution(gain: float, tables: Iterable[Doubles], rounding_inside: float) -> SolutionBounds:
    """Return the error bound and the regret of a solution, from the largest gain by a best response.

    Let V_k be the stored value of seat k, and W_k the true value of the stored policies. Let U_k be an upper bound of
    what seat k gets by a best response, and g the gain, the largest U_k - V_k. With n seats, the W_k of a state add up
    to 1, and the V_k to at most 1 + excess, because of rounding. A best response is no worse than the stored policy. So
    W_k <= U_k <= V_k + g, and

        W_k  =  1 - sum of the other W  >=  1 - sum of the other (V + g)  >=  V_k - (n - 1) g - excess.

    Hence V_k and W_k differ by at most (n - 1) g + excess. Seat k gains at most U_k - W_k <= n g + excess.

    Args:
        gain: g; a negative one counts as 0.
        tables: V, in parts (states, seats).
        rounding_inside: what values inside a turn round more; the error bound is stated for them too.
    """
    gain = max(0.0, gain)
    largest_sum = 1.0
    for table in tables:
        for first in range(0, len(table), STATES_PER_SUM):
            sums_over_seats = table[first : first + STATES_PER_SUM].sum(axis=-1)
            largest_sum = max(largest_sum, float(sums_over_seats.max()))
        seats = table.shape[-1]
    excess = largest_sum - 1
    return SolutionBounds((seats - 1) * gain + excess + rounding_inside, seats * gain + excess)
