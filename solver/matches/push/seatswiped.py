"""Throws that lose the whole score, in a race of three and more players.

Such a throw leads to the position (others, 0), in a layer that is solved later. So a solve of all layers, a *sweep*,
takes a guess of what everybody gets at these positions, W, and brings what then comes out there, W'. Sweeps repeat
until W' is W down to rounding (``wiped``). Each begins from what the sweep before came to: where a cycle has several
equilibria, it comes to the same one again. With nothing to lose such a throw is a zero turn, and part of its cycle.

The table holds W where it belongs: a sweep reads the place of a wiped score before it gets there and writes it anew. So
the last sweep leaves W', by which the play is told from then on, as every turn of the table's.

W' need not come to W. Turns may be best against W that make W' another, for which others are best: circles of best
replies as within a cycle, but through wiped scores. Then the closest guess stands, and what is lost by that is in the
regret, which is proved of the play as stored:

U >= F(U) is asked of a table of the best replies U, F as in ``seatssweep``. A sweep that finds best replies takes a
guess of U at wiped scores, and brings U' >= F(U') wherever U' there is no more than the guess: what it computed is F of
the guess at wiped scores and of U' elsewhere, and F is monotone. So the guess, V and a gap, grows until that holds.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from ...checkpoints import Checkpoint
from ...errors import SolveError
from ...turns.push import Doubles
from .race import NO_BOUND
from .wiped import MOST_SWEEPS, PATIENCE, SPARE, Mixture, settle_wiped

if TYPE_CHECKING:
    from .seatssweep import Sweep


def solve_wiped(sweep: Sweep, pool: ThreadPoolExecutor, stages: int, checkpoint: Checkpoint | None) -> None:
    """Solve every layer, for wiped scores that come out as they went in, or nearly. A long solve keeps every sweep:
    what came out (``wiped0``, ..) and the last table, from which the next begins.
    """
    wiped = sweep.win[:: len(sweep.ladder.scores)]  # a view: the places of wiped scores
    known = _resume(sweep, wiped.shape, checkpoint)
    done = 0

    def once(guess: Doubles) -> Doubles:
        nonlocal done
        number, done = done, done + 1
        if number < len(known):
            return known[number].ravel()
        wiped[:] = guess.reshape(wiped.shape)
        sweep.run(pool, 1, None)
        sweep.kernel.again()
        made = wiped.ravel().copy()
        if checkpoint:
            checkpoint.save(f"wiped{number}", made.reshape(wiped.shape))
            checkpoint.save(f"table{number}", sweep.win)
            checkpoint.drop(f"table{number - 1}")
        return made

    best = settle_wiped(once, np.full(wiped.size, 1 / sweep.layers.seats), sweep.settled)
    wiped[:] = best.reshape(wiped.shape)
    sweep.run(pool, stages, checkpoint)


def _resume(sweep: Sweep, shape: tuple[int, ...], checkpoint: Checkpoint | None) -> list[Doubles]:
    """What came out of the sweeps of an earlier run, with the table as the last of them left it."""
    known: list[Doubles] = []
    while checkpoint and (kept := checkpoint.load(f"wiped{len(known)}", shape, 0.0, 1.0)) is not None:
        known.append(kept)
    while checkpoint and known:
        table = checkpoint.load(f"table{len(known) - 1}", sweep.win.shape, 0.0, 1.0)
        if table is not None:
            checkpoint.drop(f"table{len(known) - 2}")
            sweep.win[:] = table
            sweep.kernel.again()
            break
        known.pop()  # killed before its table was kept
    return known


def judge_wiped(sweep: Sweep, pool: ThreadPoolExecutor, most: Doubles, checkpoint: Checkpoint | None) -> float:
    """Find the best replies to the play that was found; returns the most that one gains. Every sweep is kept, with that
    in a row of its own.
    """
    count, seats = len(sweep.ladder.scores), sweep.layers.seats
    played, bounds = sweep.win[::count], most.reshape(-1, seats)[::count]
    gap, mixture, spare = np.zeros(played.shape), Mixture(), SPARE
    for number in range(MOST_SWEEPS):
        guess, name = played + gap, f"bounds{number}"
        kept = checkpoint.load(name, (len(played) + 1, seats), -1.0, 3.0) if checkpoint else None
        if kept is None:
            bounds[:] = guess
            gained = sweep.judge(pool, most, 1, None)
            kept = np.vstack([bounds, np.full(seats, gained)])
            if checkpoint:
                checkpoint.save(name, kept)
        if (kept[:-1] <= guess).all():
            return float(kept[-1, 0])
        needed = kept[:-1] - played
        mixed = mixture.next(needed.ravel(), (needed - gap).ravel()).reshape(gap.shape)
        # Where games are long rounding tells the mixture nothing: then the gap grows by more and more.
        gap = np.maximum(needed, mixed).clip(0.0, 1.0) * (1 + spare)
        spare *= 2.0 ** ((number + 1) % PATIENCE == 0)
    raise SolveError(NO_BOUND)
