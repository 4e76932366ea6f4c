"""Races of three and more players in which points or whole scores can be lost: sweeps repeated to a fixed point.

A roll that loses the score leads to the line (opponents, 0), in a layer that is solved later; a bust that costs points
to one with a lower score; a stop with nothing to one with fewer busts in a row. These lines are *read early*. A sweep
takes a guess W of their values and computes their new values W'. Sweeps repeat until W' equals W down to rounding, with
guesses by Anderson mixing. Each sweep starts from the table of the one before: where a cycle has several equilibria, it
finds the same one again.

The table holds W where it belongs: a sweep reads an early line before it solves and overwrites it. So the last sweep
leaves W' in the table, and all stored policies are implied by W'.

For a mover with nothing to lose such a roll is a zero turn, and part of its cycle. So the value of rolling on is
another function than at scores above 0, where it depends on W alone. Certain stops are therefore shared among lines
above 0 only. The mover with nothing is solved last in a row, and searches anew.

**Cycling best responses.** W' need not settle at W: best responses may cycle through lost scores. At such a line the
mover is all but indifferent between two turns. While W hardly moves, the mover switches its best response, and what the
opponents get jumps, though nothing in higher layers does. The remedy is a mixed action. The mover must randomize
between the two turns of the nearest breakpoint (``mixed_equilibria``), and the probability becomes one more unknown of
the fixed point: the mover's zero value has to equal the breakpoint.

The unknowns are a vector: the values W, then one number for each *forced mixer*, its probability times the jump of W
that its switch causes. So all unknowns have the unit of values. First, the distance from the breakpoint always moves a
probability, which is clipped to its limits. If that does not settle, a mover for whom one pure turn is best stays at
that turn. If best responses still cycle, the best guess stands and the lines are reported. What that costs is part
of the regret, which is bounded for the policies as stored (docs/design.md, "Lost scores").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...storage.checkpoints import Checkpoint, load_or_compute
from ...turns.push_turn import Doubles
from ...util.errors import SolveError, TableError
from ..anderson import LATE_PATIENCE, PATIENCE, AndersonMixing, iterate_to_fixed_point
from ..model import Ints
from ..reference_solver import INITIAL_GAP_SLACK, MAX_SWEEPS, NO_BOUND_MESSAGE
from .multiplayer_sweep import LayerSweep

MAX_CYCLING_LINES = 16  # lines with cycling best responses that are reported
MAX_FORCED_MIXERS = MAX_CYCLING_LINES
MAX_TOTAL_SWEEPS = 2000  # after which no more mixers are added
JUMP_HALVINGS = 16  # of the way between two guesses, to locate a jump
MIN_GUESS_DISTANCE = 2.0**-50  # guesses closer than this count as equal
JUMP_RATIO = 8.0  # see ``_LostScoreSolver._switched_lines``


def solve_with_losses(sweep: LayerSweep, stages: int, checkpoint: Checkpoint | None, spare: Doubles) -> list[int]:
    """Repeat sweeps until the values that are read early settle; the last sweep writes the values.

    Args:
        sweep: over the layers.
        stages: of the last sweep, as for ``LayerSweep.solve_values``.
        checkpoint: of a long solve. It keeps the result of every sweep (``wiped0``, ..) and the last table, from which
            the next sweep starts.
        spare: room for another table.

    Returns:
        The lines at which best responses still cycle; empty if the values settled.
    """
    solver = _LostScoreSolver(sweep, checkpoint, spare.reshape(sweep.win.shape))
    tolerance = sweep.race.tolerances[1]
    settled = solver.solve(_Unknowns(np.full(solver.value_count, 1 / sweep.race.seats)))
    attempts, cycling_lines, patience = [settled], list[int](), PATIENCE
    while settled.residual > tolerance and solver.sweeps < MAX_TOTAL_SWEEPS:
        responses, last_step = solver.iterate_best_responses(settled.unknowns)
        if last_step < settled.residual / 2:  # the mixed guesses had met a jump; plain iteration comes closer
            settled = solver.solve(responses[-1].unknowns)
            attempts.append(settled)
            continue
        jump = solver.locate_jump(responses)
        mixers = settled.unknowns.mixers
        cycling_lines = [*mixers, *jump.lines][:MAX_CYCLING_LINES]
        if not cycling_lines and patience < LATE_PATIENCE:  # no jump: a loss may only show its effect late
            patience = LATE_PATIENCE
            settled = solver.solve(responses[-1].unknowns, patience)
            attempts.append(settled)
            continue
        if not jump.lines or not jump.size or len(mixers) + len(jump.lines) > MAX_FORCED_MIXERS:
            break
        settled = solver.solve(settled.unknowns.with_mixers(jump))
        attempts.append(settled)
    best = min(attempts, key=lambda attempt: attempt.residual)
    solver.start_sweep(best.unknowns)
    sweep.solve_values(stages, checkpoint, best.unknowns.shares())
    return cycling_lines if best.residual > tolerance else []


class _Jump(NamedTuple):
    """A jump of the values between two close guesses: the lines whose movers switch turns, and its size."""

    lines: list[int]
    size: float


@dataclass(frozen=True)
class _Unknowns:
    """The unknowns of the fixed point.

    Attributes:
        values: of the early lines, flat; behind them the share of each forced mixer times its scale.
        mixers: lines whose movers must mix.
        scales: by mixer, how far values jumped when the mover switched turns.
    """

    values: Doubles
    mixers: tuple[int, ...] = ()
    scales: Doubles = field(default_factory=lambda: np.zeros(0))

    @property
    def value_count(self) -> int:
        """Length of ``values`` without the shares."""
        return len(self.values) - len(self.mixers)

    @property
    def upper(self) -> Doubles:
        """The largest possible ``values``."""
        return np.append(np.ones(self.value_count), self.scales)

    def shares(self) -> dict[int, float]:
        """Return the shares of the forced mixers, by line."""
        return dict(zip(self.mixers, (self.values[self.value_count :] / self.scales).tolist(), strict=True))

    def replace(self, values: Doubles) -> _Unknowns:
        """Return other values with the same mixers."""
        return _Unknowns(values, self.mixers, self.scales)

    def with_mixers(self, jump: _Jump) -> _Unknowns:
        """Return the unknowns with the movers of a jump as further mixers, with a share of one half each."""
        count = len(jump.lines)
        return _Unknowns(
            np.append(self.values, np.full(count, jump.size / 2)),
            (*self.mixers, *jump.lines),
            np.append(self.scales, np.full(count, jump.size)),
        )


class _Settled(NamedTuple):
    """The best unknowns of an iteration, and how far a sweep moves them."""

    unknowns: _Unknowns
    residual: float


class _SweepResult(NamedTuple):
    """A sweep: the unknowns that it started from and its result.

    ``result`` holds new values of the early lines, and behind them the distance of each mixer from its breakpoint.
    """

    unknowns: _Unknowns
    result: Doubles


class _SweepCheckpoint:
    """The sweeps of a long solve in its checkpoint, if there is one.

    Attributes:
        is_table_behind: whether results were loaded, so that the table is older than the last of them.
    """

    def __init__(self, sweep: LayerSweep, checkpoint: Checkpoint | None) -> None:
        self.sweep, self.checkpoint, self.is_table_behind = sweep, checkpoint, False

    def load(self, number: int, size: int) -> Doubles | None:
        """Return the result of a sweep of an earlier run; None if there is none."""
        if not self.checkpoint:
            return None
        upper = float(max(2, self.sweep.equations.lines))
        result = self.checkpoint.load_layer(f"wiped{number}", (size,), -1.0, upper)
        if result is not None:
            self.is_table_behind = True
            self.checkpoint.remove_layer(f"table{number - 1}")
        return result

    def save(self, number: int, result: Doubles) -> None:
        """Store the result of a sweep and the table that it left."""
        if self.checkpoint:
            self.checkpoint.save_layer(f"table{number}", self.sweep.win)
            self.checkpoint.save_layer(f"wiped{number}", result)
            self.checkpoint.remove_layer(f"table{number - 1}")

    def restore_table(self, number: int) -> None:
        """Read the table that an earlier run left before a sweep, if results were loaded."""
        if not self.is_table_behind or not self.checkpoint:
            return
        name = f"table{number - 1}"
        table = self.checkpoint.load_layer(name, self.sweep.win.shape, 0.0, 1.0)
        if table is None:
            raise TableError(f"{self.checkpoint.layer_path(name)} is missing: remove the other parts")
        self.sweep.win[:] = table
        self.sweep.solver.start_from_table()
        self.is_table_behind = False


class _LostScoreSolver:
    """Sweeps from guesses of the unknowns.

    Attributes:
        sweeps: done so far, loaded ones included.
        value_count: numbers that describe the values of the early lines.
    """

    def __init__(self, sweep: LayerSweep, checkpoint: Checkpoint | None, spare: Doubles) -> None:
        self.sweep, self._checkpoint = sweep, _SweepCheckpoint(sweep, checkpoint)
        self._early_lines: Ints = sweep.equations.lines_read_early
        self.value_count = self._early_lines.size * sweep.race.seats
        self.sweeps = 0
        self._previous_table, self._previous_values = spare, np.zeros(0)

    # --- one sweep

    def run_sweep(self, unknowns: _Unknowns) -> Doubles:
        """Return the result of a sweep (see ``_SweepResult``)."""
        return self._run_sweep(unknowns, locate_switches=False)[0]

    def _run_sweep(self, unknowns: _Unknowns, locate_switches: bool) -> tuple[Doubles, list[int]]:
        """Return the result of a sweep, and if wanted the lines whose movers switched turns since the sweep before."""
        size = len(unknowns.values)
        stored = self._checkpoint.load(self.sweeps, size + MAX_CYCLING_LINES)
        if stored is None:
            self._checkpoint.restore_table(self.sweeps)
            stored = self._compute_sweep(unknowns, locate_switches)
            self._checkpoint.save(self.sweeps, stored)
        result, lines = np.split(stored, [size])
        self.sweeps, self._previous_values = self.sweeps + 1, unknowns.values
        return result, lines[lines >= 0].astype(np.int64).tolist()

    def _compute_sweep(self, unknowns: _Unknowns, locate_switches: bool) -> Doubles:
        """Sweep from the table of the last sweep; return the result and behind it the lines, filled up with -1."""
        if locate_switches:
            self._previous_table[:] = self.sweep.win
        self._write_early_values(self.sweep.win, unknowns.values)
        distances = self.sweep.solve_values(fixed_shares=unknowns.shares())
        self.sweep.solver.start_from_table()
        result = np.append(self.sweep.win[self._early_lines].ravel(), [distances[line] for line in unknowns.mixers])
        lines = np.full(MAX_CYCLING_LINES, -1.0)
        if locate_switches:
            switched = self._switched_lines(unknowns, result)
            lines[: len(switched)] = switched
        return np.append(result, lines)

    def start_sweep(self, unknowns: _Unknowns) -> None:
        """Write the values of the early lines to where the next sweep reads them."""
        self._checkpoint.restore_table(self.sweeps)
        self._write_early_values(self.sweep.win, unknowns.values)

    def _write_early_values(self, table: Doubles, values: Doubles) -> None:
        table[self._early_lines] = values[: self.value_count].reshape(-1, self.sweep.race.seats)

    # --- the fixed point

    def solve(self, unknowns: _Unknowns, patience: int = PATIENCE) -> _Settled:
        """Iterate with Anderson mixing, for the given mixers; see ``solve_with_losses`` for both attempts."""
        tolerance, patience = self.sweep.race.tolerances[1], patience * (1 + len(unknowns.mixers))
        upper = unknowns.upper
        iterate = partial(self._next_values, unknowns, False)
        values, residual = iterate_to_fixed_point(iterate, unknowns.values, tolerance, 0.0, upper, patience)
        if residual > tolerance and unknowns.mixers:
            iterate = partial(self._next_values, unknowns, True)
            pure_values, pure_residual = iterate_to_fixed_point(
                iterate, unknowns.values, tolerance, 0.0, upper, patience
            )
            if pure_residual < residual:
                values, residual = pure_values, pure_residual
        return _Settled(unknowns.replace(values), residual)

    def _next_values(self, unknowns: _Unknowns, allows_pure: bool, values: Doubles) -> Doubles:
        """Map values of the unknowns to the next ones: a share moves by the mover's distance from the breakpoint.

        With ``allows_pure``, a share of 0 or 1 stays if that pure turn is better.
        """
        result = self.run_sweep(unknowns.replace(values))
        count = self.value_count
        shares, distances = values[count:], result[count:]
        is_pure = (shares <= 0) & (distances < 0) | (shares >= unknowns.scales) & (distances > 0)
        return np.append(result[:count], np.where(allows_pure & is_pure, shares, shares + distances))

    def iterate_best_responses(self, unknowns: _Unknowns) -> tuple[list[_SweepResult], float]:
        """Sweep PATIENCE times without mixing, where mixers too play pure best responses.

        Returns:
            The sweeps, and how far the last one moved the unknowns.
        """
        count, sweeps = self.value_count, list[_SweepResult]()
        previous = unknowns
        for _ in range(PATIENCE):
            result = self.run_sweep(unknowns)
            sweeps.append(_SweepResult(unknowns, result))
            pure_shares = np.where(result[count:] > 0, unknowns.scales, 0.0)
            previous, unknowns = unknowns, unknowns.replace(np.append(result[:count], pure_shares))
        return sweeps, _distance(unknowns.values, previous.values)

    # --- jumps

    def locate_jump(self, sweeps: Sequence[_SweepResult]) -> _Jump:
        """Return the largest jump between consecutive sweeps, by bisection of the way between their guesses."""
        below, above = max(pairwise(sweeps), key=lambda pair: _steepness(*pair))
        for _ in range(JUMP_HALVINGS):
            guess = below.unknowns.replace((below.unknowns.values + above.unknowns.values) / 2)
            middle = _SweepResult(guess, self.run_sweep(guess))
            if _distance(middle.result, below.result) > _distance(above.result, middle.result):
                above = middle
            else:
                below = middle
        self.run_sweep(below.unknowns)
        _, lines = self._run_sweep(above.unknowns, locate_switches=True)
        return _Jump(lines, _distance(above.result, below.result))

    def _switched_lines(self, unknowns: _Unknowns, result: Doubles) -> list[int]:
        """Return the lines whose movers switched turns between the previous table and this one.

        For fixed choices, values are averages of the guesses and cannot move further than they did. Lines where some
        value moved JUMP_RATIO times as far are examined. Those of the highest layer with a switch are returned.
        """
        sweep, count = self.sweep, self.value_count
        states_per_seat, win = sweep.equations.count, sweep.win
        guess_distance = _distance(unknowns.values[:count], self._previous_values[:count])
        moved_lines = []
        for first in range(0, sweep.equations.lines, states_per_seat):  # in parts, which take little memory
            part = slice(first, first + states_per_seat)
            has_moved = (np.abs(win[part] - self._previous_table[part]) > JUMP_RATIO * guess_distance).any(axis=1)
            moved_lines.append(first + np.flatnonzero(has_moved))
        lines = np.concatenate(moved_lines)
        seat_states = np.column_stack(np.unravel_index(lines, (states_per_seat,) * sweep.race.seats))
        totals = sweep.equations.sort_keys[seat_states].sum(axis=1)
        after_zero_turn = sweep.equations.after_zero_turn(lines)
        zero_values = np.column_stack([self._previous_table[after_zero_turn, -1], win[after_zero_turn, -1]])
        # The turns of both sweeps were chosen for their guesses, so the tables hold these for the comparison.
        self._write_early_values(self._previous_table, self._previous_values)
        self._write_early_values(win, unknowns.values)
        switched, highest_total = list[int](), 0
        for place in np.argsort(-totals, kind="stable").tolist():
            line = int(lines[place])
            if switched and totals[place] < highest_total:
                break
            if line not in unknowns.mixers and self._has_switched(line, zero_values[place]):
                switched.append(line)
                highest_total = totals[place]
        self._write_early_values(win, result)
        return switched[:MAX_CYCLING_LINES]

    def _has_switched(self, line: int, zero_values: Doubles) -> bool:
        """Return True if the mover's best turns by the previous and the current table differ, for two zero values."""
        reference, win = self.sweep.reference, self.sweep.win
        (previous,) = reference.best_response([line], self._previous_table, win)(0, zero_values[:1])
        (current,) = reference.best_response([line], win, win)(0, zero_values[1:])
        return not previous.is_same_turn(current)


def _distance(first: Doubles, second: Doubles) -> float:
    """Return the largest absolute difference."""
    return float(np.abs(first - second).max())


def _steepness(first: _SweepResult, second: _SweepResult) -> float:
    """Return how far two results are apart, relative to their guesses."""
    guess_distance = _distance(first.unknowns.values, second.unknowns.values)
    return _distance(first.result, second.result) / max(guess_distance, MIN_GUESS_DISTANCE)


def bound_with_losses(sweep: LayerSweep, bounds: Doubles, checkpoint: Checkpoint | None) -> float:
    """Bound best responses to the stored policies; return the most that a seat gains by one.

    The bounds U need U >= F(U), where F is a pass over all layers. A pass reads a guess of U at the early lines. If its
    result there is no larger than the guess, the guess there and the result elsewhere are such a U, because F is
    monotone. So the guess, V plus a gap, grows until it covers the result. The checkpoint keeps every pass
    (``bounds0``, ..), with the gain in a row of its own.
    """
    early_lines, seats = sweep.equations.lines_read_early, sweep.race.seats
    values, early_bounds = sweep.win[early_lines], bounds.reshape(-1, seats)

    def run_pass(guess: Doubles) -> Doubles:
        early_bounds[early_lines] = guess
        gain = sweep.bound_best_responses(bounds)
        return np.vstack([early_bounds[early_lines], np.full(seats, gain)])

    gap, mixture, slack = np.zeros(values.shape), AndersonMixing(), INITIAL_GAP_SLACK
    for number in range(MAX_SWEEPS):
        guess = values + gap
        shape = (len(values) + 1, seats)
        rows = load_or_compute(checkpoint, f"bounds{number}", shape, (-1.0, 3.0), partial(run_pass, guess))
        result, gain = rows[:-1], float(rows[-1, 0])
        if (result <= guess).all():
            return gain
        needed = result - values
        mixed = mixture.next_guess(needed.ravel(), (needed - gap).ravel()).reshape(gap.shape)
        # In long games rounding hides from the mixture how much is needed: then the slack grows, too.
        gap = np.maximum(needed, mixed).clip(0.0, 1.0) * (1 + slack)
        slack *= 2.0 ** ((number + 1) % PATIENCE == 0)
    raise SolveError(NO_BOUND_MESSAGE)
