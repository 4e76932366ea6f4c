"""What can be lost, in a race of three and more players: whole scores by a throw (*wiped*), points by busts.

A throw that loses the score leads to the position (others, 0), in a layer that is solved later; a bust that costs, to
one with a lower score; a stop with nothing, to one with fewer busts in a row. So a solve of all layers, a *sweep*,
takes a guess of what everybody gets at these positions, W, and brings what then comes out there, W'. Sweeps repeat
until W' is W down to rounding (``mixing``). Each begins from what the sweep before came to: where a cycle has several
equilibria, it comes to the same one again.

With nothing to lose such a throw is a zero turn, and part of its cycle. So what throwing on is worth there is another
function than from scores above 0, which take W, the same all through a sweep. Where stopping is certain (``race``) is
shared among those alone: who has nothing asks anew, and is the last of a row to be solved.

The table holds W where it belongs: a sweep reads the place of a wiped score before it gets there and writes it anew. So
the last sweep leaves W', by which the play is told from then on, as every turn of the table's.

W' need not come to W: there are circles of best replies through wiped scores. One begins where somebody is all but
indifferent between two turns: there what the others get jumps, while W hardly moves, and nothing in the layers above
does. That mover is then held to mix the two turns of the knee (``circles.hold``), and how often is one more number that
is guessed, in the unit of worths: it has to come out that a zero turn is worth to the mover what it is at the knee.
First with no regard to bounds, and if that does not settle so that who should make one turn alone does. Where circles
remain the closest guess stands, the positions at which they begin are told, and what is lost by them is in the regret,
which is proved of the play as stored (docs/design.md, "Lost scores").
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...storage.checkpoints import Checkpoint, load_or_compute
from ...turns.push_turn import Doubles
from ...util.errors import SolveError, TableError
from ...util.threads import ThreadPool
from ..anderson import LATE, PATIENCE, Mixture, mix
from ..reference_solver import MOST_SWEEPS, NO_BOUND, SPARE
from .multiplayer_sweep import Sweep

MOST_CIRCLES = 16  # places where circles begin that are told
MOST_HELD = MOST_CIRCLES  # movers who are held to mixing
MOST_IN_ALL = 2000  # sweeps, circles included
HALVES = 16  # of the way between two guesses, so many times
LEAST = 2.0**-50  # guesses that are no further apart are the same
FAR = 8.0  # times as far as guesses moved nothing moves but by somebody's going over to another turn


def solve_wiped(
    sweep: Sweep, pool: ThreadPool, stages: int, checkpoint: Checkpoint | None, spare: Doubles
) -> list[int]:
    """Solve every layer, for wiped scores that come out as they went in, or nearly; ``spare``: room for another table.
    Returns the places at which circles of best replies begin if they could not be settled, by MOST_IN_ALL sweeps or
    those of one guess more. A long solve keeps every sweep: what came out (``wiped0``, ..) and the last table, from
    which the next begins.
    """
    solve = _Wiped(sweep, pool, checkpoint, spare.reshape(sweep.win.shape))
    best, off = solve.settle(np.full(solve.size, 1 / sweep.layers.seats))
    circles, patience = list[int](), PATIENCE
    while off > sweep.settled and solve.done < MOST_IN_ALL:
        met = solve.replies(best)
        if solve.moved < off / 2:  # what was mixed had met a jump; sweeps alone come closer
            best, off = solve.settle(met[-1][0])
            continue
        found = solve.circles(met)
        circles = [*sweep.held, *found][:MOST_CIRCLES]
        if not circles and patience < LATE:  # nothing jumps: what is lost may come round late
            patience = LATE
            best, off = solve.settle(met[-1][0], patience)
            continue
        if not found or not solve.jump or len(sweep.held) + len(found) > MOST_HELD:
            break
        best, off = solve.settle(solve.hold(found, best))
    off = solve.take_best()
    sweep.run(pool, stages, checkpoint)
    return circles if off > sweep.settled else []


class _Kept:
    """The sweeps of a long solve as its checkpoint keeps them, if there is one: what came out of each, with where
    circles begin, and the last table. ``behind``: sweeps were loaded, and the table is older than the last of them.
    """

    def __init__(self, sweep: Sweep, checkpoint: Checkpoint | None) -> None:
        self.sweep, self.checkpoint, self.behind = sweep, checkpoint, False

    def load(self, number: int, size: int) -> Doubles | None:
        """What an earlier run made of a sweep."""
        if not self.checkpoint:
            return None
        made = self.checkpoint.load_layer(f"wiped{number}", (size,), -1.0, float(max(2, self.sweep.count)))
        if made is not None:
            self.behind = True
            self.checkpoint.remove_layer(f"table{number - 1}")
        return made

    def save(self, number: int, made: Doubles) -> None:
        """Keep a sweep."""
        if self.checkpoint:
            self.checkpoint.save_layer(f"table{number}", self.sweep.win)
            self.checkpoint.save_layer(f"wiped{number}", made)
            self.checkpoint.remove_layer(f"table{number - 1}")

    def catch_up(self, number: int) -> None:
        """Take over the table that an earlier run left before a sweep."""
        if not self.behind or not self.checkpoint:
            return
        table = self.checkpoint.load_layer(f"table{number - 1}", self.sweep.win.shape, 0.0, 1.0)
        if table is None:
            raise TableError(f"{self.checkpoint.layer_path(f'table{number - 1}')} is missing: remove the other parts")
        self.sweep.win[:] = table
        self.sweep.kernel.again()
        self.behind = False


class _Wiped:
    """Sweeps from guesses of what wiped scores are worth and, behind it, how often movers who are held mix, each in
    the unit of worths: from 0 to how far wiped scores moved where the mover went over from one turn to the other.
    """

    def __init__(self, sweep: Sweep, pool: ThreadPool, checkpoint: Checkpoint | None, spare: Doubles) -> None:
        self.sweep, self.pool, self.kept, self.spare = sweep, pool, _Kept(sweep, checkpoint), spare
        self.early = sweep.equations.early
        self.size = self.early.size * sweep.layers.seats
        self.units = np.zeros(0)
        self.done = 0  # sweeps
        self.last = np.zeros(0)  # the guess of the last sweep
        self.found: list[int] = []  # where a circle begins, and how far what comes of guesses jumps there
        self.jump = 0.0
        self.bounded, self.moved = False, 0.0
        self.tried: list[tuple[float, Doubles, Doubles]] = []  # how far guesses moved, guesses, units

    def swept(self, guess: Doubles, look: bool = False) -> Doubles:
        """What a sweep makes of wiped scores in a guess, and what the movers who are held miss; ``look``: find out
        where circles begin, into ``found``.
        """
        kept = self.kept.load(self.done, len(guess) + MOST_CIRCLES)
        if kept is None:
            self.kept.catch_up(self.done)
            kept = self._sweep(guess, look)
            self.kept.save(self.done, kept)
        made, circles = np.split(kept, [len(guess)])
        self.found = circles[circles >= 0].astype(np.int64).tolist()
        self.done, self.last = self.done + 1, guess
        return made

    def _sweep(self, guess: Doubles, look: bool) -> Doubles:
        """The same, with the places where circles begin behind it, from the table as the last sweep left it."""
        if look:
            self.spare[:] = self.sweep.win
        self.begin(guess)
        self.sweep.run(self.pool, 1, None)
        self.sweep.kernel.again()
        missed = [self.sweep.missed.get(place, 0.0) for place in self.sweep.held]
        made, circles = np.append(self.sweep.win[self.early].ravel(), missed), np.full(MOST_CIRCLES, -1.0)
        if look:
            found = self._gone_over(guess, made)
            circles[: len(found)] = found
        return np.append(made, circles)

    def begin(self, guess: Doubles) -> None:
        """Write a guess to where the next sweep reads it."""
        self._write(self.sweep.win, guess)
        self.sweep.held.update(zip(self.sweep.held, (guess[self.size :] / self.units).tolist(), strict=True))

    def _write(self, table: Doubles, guess: Doubles) -> None:
        table[self.early] = guess[: self.size].reshape(-1, self.sweep.layers.seats)

    def settle(self, guess: Doubles, patience: int = PATIENCE) -> tuple[Doubles, float]:
        """The guess that comes out as it went in, or nearly, and how far it moves."""
        most, patience = np.append(np.ones(self.size), self.units), patience * (1 + len(self.units))
        self.bounded = False
        best, off = mix(self.next, guess, self.sweep.settled, 0.0, most, patience)
        if off > self.sweep.settled and len(self.units):
            self.bounded = True
            tried = mix(self.next, guess, self.sweep.settled, 0.0, most, patience)
            best, off = min((best, off), tried, key=lambda one: one[1])
        self.tried.append((off, best, self.units))
        return best, off

    def take_best(self) -> float:
        """Begin the last sweep from the best guess of all; returns how far it moves."""
        off, best, self.units = min(self.tried, key=lambda one: one[0])
        self.sweep.held = dict(list(self.sweep.held.items())[: len(self.units)])
        self.kept.catch_up(self.done)
        self.begin(best)
        return off

    def next(self, guess: Doubles) -> Doubles:
        """The guess that a sweep makes of one: shares move by what is missed; ``bounded``, not where one turn alone is
        best.
        """
        size, made = self.size, self.swept(guess)
        shares, missed = guess[size:], made[size:]
        alone = (shares <= 0) & (missed < 0) | (shares >= self.units) & (missed > 0)
        return np.append(made[:size], np.where(self.bounded & alone, shares, shares + missed))

    def circles(self, met: list[tuple[Doubles, Doubles]]) -> list[int]:
        """The places at which a circle begins: the way between two guesses where what comes of them jumps is halved
        until it is plain where.
        """
        (before, made_before), (guess, made) = max(pairwise(met), key=lambda pair: _jump(*pair))
        for _ in range(HALVES):
            middle = (before + guess) / 2
            made_middle = self.swept(middle)
            if _far(made_middle, made_before) > _far(made, made_middle):
                guess, made = middle, made_middle
            else:
                before, made_before = middle, made_middle
        self.swept(before)
        self.swept(guess, look=True)
        self.jump = _far(made, made_before)
        return self.found

    def hold(self, places: Sequence[int], guess: Doubles) -> Doubles:
        """Hold the movers of positions, too, to mixing; returns the guess with their shares, a half each."""
        self.sweep.held.update(dict.fromkeys(places, 0.5))
        self.units = np.append(self.units, np.full(len(places), self.jump))
        return np.append(guess, np.full(len(places), self.jump / 2))

    def replies(self, guess: Doubles) -> list[tuple[Doubles, Doubles]]:
        """Guesses and what they bring, where from one on everybody does what is best, held or not; ``moved``: how far
        the last of them does.
        """
        size, met = self.size, list[tuple[Doubles, Doubles]]()
        for _ in range(PATIENCE):
            made = self.swept(guess)
            met.append((guess, made))
            before, guess = guess, np.append(made[:size], np.where(made[size:] > 0, self.units, 0.0))
        self.moved = _far(guess, before)
        return met

    def _gone_over(self, guess: Doubles, made: Doubles) -> list[int]:
        """Places of movers who went over to another turn between the table before and this one, in the highest layer
        with any, where what others get moved by far more than the guesses did.
        """
        sweep, found, size = self.sweep, list[int](), self.size
        count, moved = sweep.equations.count, _far(guess[:size], self.last[:size])
        rows = range(0, sweep.count, count)  # row by row, or that would take room for two more tables
        parts = ((row, np.abs(sweep.win[row : row + count] - self.spare[row : row + count])) for row in rows)
        places = np.concatenate([row + np.flatnonzero((part > FAR * moved).any(axis=1)) for row, part in parts])
        lines = np.column_stack(np.unravel_index(places, (count,) * sweep.layers.seats))
        after = sweep.equations.turned(places)
        busts = np.column_stack([self.spare[after, -1], sweep.win[after, -1]])
        for table, told in ((self.spare, self.last), (sweep.win, guess)):  # turns are told by the guesses
            self._write(table, told)
        totals, highest = sweep.equations.keys[lines].sum(axis=1), 0
        for one in np.argsort(-totals, kind="stable").tolist():
            if found and totals[one] < highest:
                break
            if places[one] not in sweep.held and self._other_turn(int(places[one]), busts[one]):
                found.append(int(places[one]))
                highest = totals[one]
        self._write(sweep.win, made)
        return found[:MOST_CIRCLES]

    def _other_turn(self, line: int, busts: Doubles) -> bool:
        """Whether the mover of a position makes another turn by this table than by the one before, for these busts."""
        tables = self.spare, self.sweep.win
        one, other = (
            self.sweep.plain.respond([line], table, self.sweep.win)(0, busts[number : number + 1])[0]
            for number, table in enumerate(tables)
        )
        return not one.same(other)


def _far(one: Doubles, other: Doubles) -> float:
    return float(np.abs(one - other).max())


def _jump(one: tuple[Doubles, Doubles], other: tuple[Doubles, Doubles]) -> float:
    """How far what came of two guesses is apart, measured by how far they are."""
    return _far(one[1], other[1]) / max(_far(one[0], other[0]), LEAST)


def judge_wiped(sweep: Sweep, pool: ThreadPool, most: Doubles, checkpoint: Checkpoint | None) -> float:
    """Find the best replies to the play that was found; returns the most that one gains. Every sweep is kept, with that
    in a row of its own.
    """
    early, seats = sweep.equations.early, sweep.layers.seats
    played, bounds = sweep.win[early], most.reshape(-1, seats)
    gap, mixture, spare = np.zeros(played.shape), Mixture(), SPARE
    for number in range(MOST_SWEEPS):
        guess = played + gap

        def judged(guess: Doubles = guess) -> Doubles:
            bounds[early] = guess
            gained = sweep.judge(pool, most, 1, None)
            return np.vstack([bounds[early], np.full(seats, gained)])

        kept = load_or_compute(checkpoint, f"bounds{number}", (len(played) + 1, seats), (-1.0, 3.0), judged)
        if (kept[:-1] <= guess).all():
            return float(kept[-1, 0])
        needed = kept[:-1] - played
        mixed = mixture.next(needed.ravel(), (needed - gap).ravel()).reshape(gap.shape)
        # Where games are long rounding tells the mixture nothing: then the gap grows by more and more.
        gap = np.maximum(needed, mixed).clip(0.0, 1.0) * (1 + spare)
        spare *= 2.0 ** ((number + 1) % PATIENCE == 0)
    raise SolveError(NO_BOUND)
