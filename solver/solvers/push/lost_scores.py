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
from .model import group_by_descending_keys
from .multiplayer_kernel import MultiplayerRace
from .multiplayer_sweep import LayerSweep

MAX_CYCLING_LINES = 16  # lines with cycling best responses that are reported
MAX_FORCED_MIXERS = MAX_CYCLING_LINES
MAX_TOTAL_SWEEPS = 2000  # after which no more mixers are added
INITIAL_PROBABILITY = 0.5  # mixing probability with which a mixer is added
BOUNDS_RANGE = (-1.0, 3.0)  # of numbers in a checkpoint of bounds, which gaps and margins may raise above 1
JUMP_HALVINGS = 16  # of the way between two guesses, to locate a jump
MIN_GUESS_DISTANCE = 2.0**-50  # guesses closer than this count as equal
JUMP_RATIO = 8.0  # see ``_LostScoreSolver._lines_with_changed_values``


def solve_with_losses(
    sweep: LayerSweep[MultiplayerRace], stages: int, checkpoint: Checkpoint | None, spare: Doubles
) -> list[int]:
    """Solve a race of three or more players in which scores can be lost: repeat sweeps until the early lines settle.

    An attempt is one fixed-point iteration over sweeps. If it does not settle, PATIENCE plain sweeps follow, each from
    the result of the one before. They tell how to make the next attempt:

    - *Closer*: they come closer than the attempt did. Start from the last of them.
    - *Slow*: no mover switches turns between them, and there are no forced mixers yet. Start from the last of them,
      with more patience. This is tried once.
    - *Jump*: some movers switch turns, and values jump by it. Make these movers forced mixers, who mix two turns.

    In other cases no attempt follows. A last sweep from the best attempt writes the value table.

    Args:
        sweep: over the layers.
        stages: the number of parts in which the last sweep is stored in the checkpoint, each as it is done.
        checkpoint: of a long solve. It keeps the result of every sweep (``wiped0``, ..) and the last table, from which
            the next sweep starts.
        spare: (states x seats,) an array for a copy of the value table; its contents are overwritten.

    Returns:
        The lines at which best responses still cycle; empty if the values settled.
    """
    solver = _LostScoreSolver(sweep, checkpoint, spare.reshape(sweep.win.shape))
    _, tolerance = sweep.race.tolerances  # the relaxed one: values need not settle more closely than zero values do
    equal_chances = np.full(solver.value_count, 1 / sweep.race.seats)
    attempt = solver.solve(_Unknowns(equal_chances))
    attempts = [attempt]
    cycling_lines: list[int] = []  # to be reported if no attempt settles
    was_patient = False
    while attempt.residual > tolerance and solver.sweep_count < MAX_TOTAL_SWEEPS:
        responses, last_step = solver.iterate_best_responses(attempt.unknowns)
        latest_unknowns = responses[-1].unknowns
        if last_step < attempt.residual / 2:
            # Closer: guesses by Anderson mixing had met a jump, which plain sweeps pass.
            attempt = solver.solve(latest_unknowns)
        else:
            jump = solver.locate_jump(responses)  # the lines whose movers switch turns, and how far values jump by it
            mixer_lines = [*attempt.unknowns.mixers, *jump.lines]  # of old forced mixers, and of possible new ones
            cycling_lines = mixer_lines[:MAX_CYCLING_LINES]
            can_mix = jump.lines and jump.size > 0  # if values do not jump, mixing the turns changes nothing
            if not mixer_lines and not was_patient:
                # Slow: a loss may only show its effect after many sweeps.
                was_patient = True
                attempt = solver.solve(latest_unknowns, LATE_PATIENCE)
            elif can_mix and len(mixer_lines) <= MAX_FORCED_MIXERS:  # Jump
                attempt = solver.solve(attempt.unknowns.with_mixers(jump))
            else:
                break  # the best attempt stands
        attempts.append(attempt)
    best = min(attempts, key=lambda attempt: attempt.residual)
    solver.start_sweep(best.unknowns)
    sweep.solve_values(stages, checkpoint, best.unknowns.mixing_probabilities())
    return cycling_lines if best.residual > tolerance else []


class _Jump(NamedTuple):
    """A jump of the values between two close guesses.

    Attributes:
        lines: whose movers switch turns.
        size: how far some value jumps.
    """

    lines: list[int]
    size: float


@dataclass(frozen=True)
class _Unknowns:
    """The unknowns of the fixed point: values of the early lines, and probabilities with which movers mix two turns.

    Attributes:
        values: (unknowns,) the values of the early lines by seat, flat; then one number for each forced mixer: its
            probability of the upper turn (the one that is best above the breakpoint) times its scale.
        mixers: the lines whose movers must mix.
        scales: by mixer, how far values jumped when the mover switched turns. With it all unknowns have the unit of
            values.
    """

    values: Doubles
    mixers: tuple[int, ...] = ()
    scales: Doubles = field(default_factory=lambda: np.zeros(0))

    @property
    def value_count(self) -> int:
        """How many of ``values`` belong to the early lines; the others belong to mixers."""
        return len(self.values) - len(self.mixers)

    @property
    def max_values(self) -> Doubles:
        """(unknowns,) the largest possible ``values``: 1 for early lines, and for mixers their scales."""
        return np.append(np.ones(self.value_count), self.scales)

    def mixing_probabilities(self) -> dict[int, float]:
        """Return by line of a forced mixer the probability of its upper turn (the best one above the breakpoint)."""
        probabilities = self.values[self.value_count :] / self.scales
        return dict(zip(self.mixers, probabilities.tolist(), strict=True))

    def replace(self, values: Doubles) -> _Unknowns:
        """Return unknowns with these values and the same mixers.

        Args:
            values: (unknowns,) as the attribute.
        """
        return _Unknowns(values, self.mixers, self.scales)

    def with_mixers(self, jump: _Jump) -> _Unknowns:
        """Return the unknowns with further mixers, who play each of their two turns with INITIAL_PROBABILITY at first.

        Args:
            jump: the lines of these mixers, and the size that is their scale.
        """
        count = len(jump.lines)
        new_values = np.full(count, jump.size * INITIAL_PROBABILITY)
        new_scales = np.full(count, jump.size)
        return _Unknowns(
            values=np.append(self.values, new_values),
            mixers=(*self.mixers, *jump.lines),
            scales=np.append(self.scales, new_scales),
        )


class _Attempt(NamedTuple):
    """The outcome of a fixed-point iteration.

    Attributes:
        unknowns: the best that were found.
        residual: the largest change that a sweep makes to any of them.
    """

    unknowns: _Unknowns
    residual: float


class _SweepResult(NamedTuple):
    """The guess from which a sweep started, and its result.

    Attributes:
        unknowns: the guess.
        result: (unknowns,) the new values of the early lines by seat, flat; then for each mixer its zero value minus
            the breakpoint.
    """

    unknowns: _Unknowns
    result: Doubles


class _SweepCheckpoint:
    """The sweeps of a long solve in its checkpoint, if there is one.

    Two layers of the checkpoint belong to sweep n: ``wiped{n}``, its result as ``_LostScoreSolver._compute_sweep``
    returns it, and ``table{n}``, the value table that it left.

    Attributes:
        sweep: the layers and the value table that the sweeps work on.
        checkpoint: the checkpoint; None if nothing is stored.
        is_table_behind: whether results were loaded, so that the value table is older than the last of them.
    """

    def __init__(self, sweep: LayerSweep[MultiplayerRace], checkpoint: Checkpoint | None) -> None:
        """Begin with a value table that is up to date.

        Args:
            sweep: whose value table is stored.
            checkpoint: the checkpoint; None if nothing is stored.
        """
        self.sweep = sweep
        self.checkpoint = checkpoint
        self.is_table_behind = False

    def load(self, number: int, size: int) -> Doubles | None:
        """Return the stored result of a sweep of an earlier run; None if there is none.

        Args:
            number: the number of the sweep, from 0 on.
            size: the length of the result.
        """
        if not self.checkpoint:
            return None
        # A result is values, from 0 to 1, then distances, from -1 to 1, then numbers of lines, filled up with -1.
        largest_number = float(max(2, self.sweep.race.equations.lines))  # 2 is larger than every value and distance
        result = self.checkpoint.load_layer(f"wiped{number}", (size,), -1.0, largest_number)
        if result is not None:
            self.is_table_behind = True
            # Only the table of the last stored sweep is needed, to go on from there. So that of the sweep before goes.
            self.checkpoint.remove_layer(f"table{number - 1}")
        return result

    def save(self, number: int, result: Doubles) -> None:
        """Store the result of a sweep and the value table that it left, and remove the table of the sweep before.

        Args:
            number: the number of the sweep, from 0 on.
            result: (numbers,) the new values of the early lines, and what else the sweep has computed.
        """
        if not self.checkpoint:
            return
        # The table comes first, and the old one goes last: a run that stops in between can still be resumed.
        self.checkpoint.save_layer(f"table{number}", self.sweep.win)
        self.checkpoint.save_layer(f"wiped{number}", result)
        self.checkpoint.remove_layer(f"table{number - 1}")

    def restore_table_if_loaded(self, number: int) -> None:
        """Read the value table that the last sweep left, if the result of that sweep was loaded from the checkpoint.

        If that sweep was computed in this run, the table is in memory already, and nothing is read.

        Args:
            number: the number of the sweep that is about to start, from 0 on.

        Raises:
            TableError: the checkpoint does not have the table.
        """
        if not self.is_table_behind or not self.checkpoint:
            return
        name = f"table{number - 1}"
        table = self.checkpoint.load_layer(name, self.sweep.win.shape, 0.0, 1.0)
        if table is None:
            raise TableError(
                f"the checkpoint has no file {self.checkpoint.layer_path(name)}: delete its other files, and"
                " start again"
            )
        self.sweep.win[:] = table
        self.sweep.solver.start_from_table()  # its first guesses, as after any sweep (``_compute_sweep``)
        self.is_table_behind = False


class _LostScoreSolver:
    """Solver of a race with lost scores: maps guesses of the unknowns to new values by sweeps over all layers.

    The unknowns are the values of *early lines*, which are read before they are solved. If no pure turns solve the
    race, some movers are forced to mix two turns, and their probabilities are unknowns too (``_Unknowns``).

    Attributes:
        sweep: the layers and the value table that the sweeps work on.
        checkpoint: keeps the sweeps of a long solve.
        sweep_count: the number of sweeps so far, loaded ones included.
        early_lines: the numbers of the early lines.
        value_count: how many of the unknowns are values of early lines: one for each line and seat.
        previous_table: (states, seats), a copy of the value table. It is made before each sweep that locates movers who
            switch turns, and compared with the table afterwards. Before the first such sweep its contents mean nothing.
        previous_values: (unknowns,), the guess from which the last finished sweep started.
    """

    def __init__(self, sweep: LayerSweep[MultiplayerRace], checkpoint: Checkpoint | None, spare: Doubles) -> None:
        """Prepare the first sweep.

        Args:
            sweep: over the layers.
            checkpoint: keeps the sweeps of a long solve.
            spare: (states, seats) an array for ``previous_table``; its contents are overwritten.
        """
        self.sweep = sweep
        self.checkpoint = _SweepCheckpoint(sweep, checkpoint)
        self.early_lines: Ints = sweep.race.equations.lines_read_early
        self.value_count = self.early_lines.size * sweep.race.seats
        self.sweep_count = 0
        self.previous_table = spare
        self.previous_values = np.zeros(0)  # set by the first sweep; only later ones read it

    # --- one sweep

    def run_sweep(self, unknowns: _Unknowns) -> Doubles:
        """Solve all layers once from a guess; return the new values and the mixers' distances (``_SweepResult``)."""
        result, _ = self._run_sweep(unknowns, locate_switches=False)
        return result

    def _run_sweep(self, unknowns: _Unknowns, locate_switches: bool) -> tuple[Doubles, list[int]]:
        """Solve all layers once from guesses of the early lines' values, or load that sweep from the checkpoint.

        Args:
            unknowns: the guesses, and the probabilities of movers who must mix.
            locate_switches: whether to find the lines whose movers switched turns since the sweep before.

        Returns:
            The result as in ``_SweepResult``: new values of the early lines, then the distance of each mixer's zero
            value from its breakpoint; and the lines that were located, at most MAX_CYCLING_LINES.
        """
        # The checkpoint stores both in one array: the result, then the lines, which are filled up with -1.
        size = len(unknowns.values)
        result_and_lines = self.checkpoint.load(self.sweep_count, size + MAX_CYCLING_LINES)
        if result_and_lines is None:
            self.checkpoint.restore_table_if_loaded(self.sweep_count)
            result_and_lines = self._compute_sweep(unknowns, locate_switches)
            self.checkpoint.save(self.sweep_count, result_and_lines)
        result, padded_lines = np.split(result_and_lines, [size])
        lines = padded_lines[padded_lines >= 0].astype(np.int64)
        self.sweep_count += 1
        self.previous_values = unknowns.values
        return result, lines.tolist()

    def _compute_sweep(self, unknowns: _Unknowns, locate_switches: bool) -> Doubles:
        """Solve all layers once, starting from the table of the last sweep.

        Args:
            unknowns: the guess of the values of the early lines, and the probabilities of movers who must mix.
            locate_switches: whether to find the lines whose movers switch turns.

        Returns:
            One array: new values of the early lines by seat, the distance of each mixer's zero value from its
            breakpoint, and MAX_CYCLING_LINES lines whose movers switched turns, filled up with -1.
        """
        win = self.sweep.win  # (states, seats) the value table
        if locate_switches:
            self.previous_table[:] = win  # the turns before this sweep follow from it
        self._write_early_values(win, unknowns.values)
        distances = self.sweep.solve_values(mixing_probabilities=unknowns.mixing_probabilities())  # by line of a mixer
        self.sweep.solver.start_from_table()  # from now on first guesses are the values of the sweep before
        early_values = win[self.early_lines].ravel()
        mixer_distances = [distances[line] for line in unknowns.mixers]
        result = np.append(early_values, mixer_distances)
        padded_lines = np.full(MAX_CYCLING_LINES, -1.0)
        if locate_switches:
            switched_lines = self._find_switched_lines(unknowns, result)
            padded_lines[: len(switched_lines)] = switched_lines
        return np.append(result, padded_lines)

    def start_sweep(self, unknowns: _Unknowns) -> None:
        """Write the guesses of the early lines' values to the value table, where the next sweep reads them.

        If the last sweep was loaded from the checkpoint, the value table is still that of an earlier sweep. Then the
        table of the last sweep is read first.

        Args:
            unknowns: the guesses.
        """
        self.checkpoint.restore_table_if_loaded(self.sweep_count)
        self._write_early_values(self.sweep.win, unknowns.values)

    def _write_early_values(self, table: Doubles, values: Doubles) -> None:
        """Write the values of the early lines, which come first in ``values``, to a table (states, seats)."""
        early_values = values[: self.value_count]
        table[self.early_lines] = early_values.reshape(-1, self.sweep.race.seats)

    # --- the fixed point

    def solve(self, unknowns: _Unknowns, patience: int = PATIENCE) -> _Attempt:
        """Look for a fixed point of the sweeps by Anderson mixing, for the given mixers.

        If that does not settle and some movers have to mix, a second iteration lets these stay at a pure turn that is
        better than the other.

        Args:
            unknowns: the first guess, and the mixers.
            patience: sweeps in a row that may fail to halve the smallest residual; with m mixers, m + 1 times as many.

        Returns:
            The better of both iterations.
        """
        attempt = self._iterate(unknowns, patience, allows_pure=False)
        _, late_tolerance = self.sweep.race.tolerances
        if attempt.residual > late_tolerance and unknowns.mixers:
            pure_attempt = self._iterate(unknowns, patience, allows_pure=True)
            if pure_attempt.residual < attempt.residual:
                return pure_attempt
        return attempt

    def _iterate(self, unknowns: _Unknowns, patience: int, allows_pure: bool) -> _Attempt:
        """Run one fixed-point iteration over sweeps, with guesses by Anderson mixing.

        Args:
            unknowns: the first guess, and the mixers.
            patience: sweeps in a row that may fail to halve the smallest residual; with m mixers, m + 1 times as many.
            allows_pure: whether forced mixers may stay at a pure turn that is better.

        Returns:
            The best unknowns that were found, and how far a sweep moves them; it need not have settled.
        """
        next_values = partial(self._next_values, unknowns, allows_pure)
        _, late_tolerance = self.sweep.race.tolerances
        values, residual = iterate_to_fixed_point(
            next_values,
            unknowns.values,
            late_tolerance,
            lower=0.0,
            upper=unknowns.max_values,
            patience=patience * (1 + len(unknowns.mixers)),
        )
        return _Attempt(unknowns.replace(values), residual)

    def _next_values(self, unknowns: _Unknowns, allows_pure: bool, values: Doubles) -> Doubles:
        """Map values of the unknowns to the next ones, by a sweep; a fixed point is a solution.

        The unknown of a forced mixer is its probability of the upper turn, times a scale that gives it the unit of
        values. It grows by the mixer's zero value minus the breakpoint, because above the breakpoint the upper turn is
        better. At a fixed point both are equal, so the mixer is indifferent between its two turns.

        Args:
            unknowns: only its mixers and their scales count.
            allows_pure: whether a probability of 0 or 1 stays as it is if that pure turn is the better one.
            values: (unknowns,) the values of the early lines by seat, then one number for each forced mixer.

        Returns:
            The next ``values``.
        """
        result = self.run_sweep(unknowns.replace(values))  # (unknowns,): new early values, then a distance by mixer
        next_early_values, distances = np.split(result, [self.value_count])  # a zero value minus its breakpoint each
        mixer_values = values[self.value_count :]  # from 0 to the scale of each mixer
        next_mixer_values = mixer_values + distances
        if allows_pure:
            stays_at_lower = (mixer_values <= 0) & (distances < 0)  # plays the lower turn, and that is better
            stays_at_upper = (mixer_values >= unknowns.scales) & (distances > 0)  # the same for the upper turn
            next_mixer_values = np.where(stays_at_lower | stays_at_upper, mixer_values, next_mixer_values)
        return np.append(next_early_values, next_mixer_values)

    def iterate_best_responses(self, unknowns: _Unknowns) -> tuple[list[_SweepResult], float]:
        """Sweep PATIENCE times, each time from the result of the sweep before.

        Forced mixers do not mix, except in the first sweep. Later each plays the one turn that is best for the zero
        value that the sweep before gave it.

        Args:
            unknowns: from which the first sweep starts.

        Returns:
            The sweeps, and how far the last one moved the unknowns: the largest change of any of them.
        """
        sweeps: list[_SweepResult] = []
        previous = unknowns
        for _ in range(PATIENCE):
            result = self.run_sweep(unknowns)
            sweeps.append(_SweepResult(unknowns, result))
            # A result has new values of the early lines. But for a mixer it has no new probability: it has the
            # distance, the mixer's zero value minus the breakpoint.
            early_values, distances = np.split(result, [self.value_count])
            # Above the breakpoint the upper turn is best, so its probability becomes 1; otherwise it becomes 0. The
            # unknown of a mixer is this probability times a scale, which gives it the unit of values.
            pure_mixer_values = np.where(distances > 0, unknowns.scales, 0.0)
            previous = unknowns
            unknowns = unknowns.replace(np.append(early_values, pure_mixer_values))
        return sweeps, _measure_distance(unknowns.values, previous.values)

    # --- jumps

    def locate_jump(self, sweeps: Sequence[_SweepResult]) -> _Jump:
        """Locate a jump: a guess at which the result of a sweep is discontinuous, because movers switch turns there.

        The steepest of the consecutive sweeps encloses it. The segment between their two guesses is bisected
        JUMP_HALVINGS times; each step keeps the half over which the results are further apart. The movers whose turns
        differ at its two close ends cause the jump. In equilibrium they mix these turns.

        Args:
            sweeps: the sweeps in their order, each with the guess it started from and its result.
        """
        # The two sides of the jump: the pair of sweeps whose results differ most, relative to their guesses.
        first_side, second_side = max(pairwise(sweeps), key=lambda pair: _measure_steepness(*pair))
        for _ in range(JUMP_HALVINGS):
            middle_values = (first_side.unknowns.values + second_side.unknowns.values) / 2
            guess = first_side.unknowns.replace(middle_values)
            middle = _SweepResult(guess, self.run_sweep(guess))
            distance_to_first = _measure_distance(middle.result, first_side.result)
            distance_to_second = _measure_distance(middle.result, second_side.result)
            if distance_to_first > distance_to_second:  # the jump is in the first half
                second_side = middle
            else:
                first_side = middle
        # The solver keeps the turns of its last sweep, and the next sweep compares its own turns with them.
        self.run_sweep(first_side.unknowns)
        _, switched_lines = self._run_sweep(second_side.unknowns, locate_switches=True)
        return _Jump(switched_lines, _measure_distance(second_side.result, first_side.result))

    def _find_switched_lines(self, unknowns: _Unknowns, result: Doubles) -> list[int]:
        """Return the lines whose movers played another turn in the last sweep than in the sweep before.

        Only lines of the highest layer with such a switch are returned, because switches in lower layers may follow
        from these. Forced mixers do not count.

        Args:
            unknowns: from which the last sweep started.
            result: of the last sweep; it begins with the new values of the early lines.
        """
        win = self.sweep.win  # (states, seats)
        changed_lines = self._lines_with_changed_values(unknowns)  # only at these can a switch have shown its effect
        lines = changed_lines[~np.isin(changed_lines, unknowns.mixers)]
        # The mover's zero value is read at the line after its zero turn, where it is the last seat. This may be an
        # early line. Zero values are those that the sweeps have solved, so they are read before guesses are put back.
        after_zero_turn = self.sweep.race.equations.after_zero_turn(lines)
        previous_zero_values = self.previous_table[after_zero_turn, -1]
        zero_values = win[after_zero_turn, -1]
        # All other values of early lines were guesses when the sweeps chose their turns. ``_has_switched`` reads both
        # tables, so the guesses are put back for the comparison.
        self._write_early_values(self.previous_table, self.previous_values)
        self._write_early_values(win, unknowns.values)
        switched_lines = self._find_highest_switches(lines, previous_zero_values, zero_values)
        # As the sweep left them. ``previous_table`` is overwritten before it is read again.
        self._write_early_values(win, result)
        return switched_lines[:MAX_CYCLING_LINES]

    def _find_highest_switches(self, lines: Ints, previous_zero_values: Doubles, zero_values: Doubles) -> list[int]:
        """Return the lines whose movers switch turns, of the highest layer that has any.

        Args:
            lines: (lines,) those to compare.
            previous_zero_values: (lines,) the movers' zero values in the previous table.
            zero_values: (lines,) their zero values in the current table.
        """
        for layer in group_by_descending_keys(self._sum_sort_keys(lines)):  # indices in ``lines``
            switched_lines = [
                int(lines[index])
                for index in layer.tolist()
                if self._has_switched(int(lines[index]), previous_zero_values[index], zero_values[index])
            ]
            if switched_lines:
                return switched_lines
        return []

    def _lines_with_changed_values(self, unknowns: _Unknowns) -> Ints:
        """Return the lines at which a value moved much further than the guesses did, from the sweep before to the last.

        For fixed choices, values are averages of the guesses and cannot move further than they did. A move of more than
        JUMP_RATIO times as far, which rounding does not explain, shows that some mover has switched turns.

        Args:
            unknowns: from which the last sweep started.
        """
        win = self.sweep.win  # (states, seats)
        early_values = unknowns.values[: self.value_count]
        previous_early_values = self.previous_values[: self.value_count]
        guess_distance = _measure_distance(early_values, previous_early_values)
        part_size = self.sweep.race.equations.count  # lines compared at a time; all at once would take much memory
        moved_lines = []
        for first in range(0, self.sweep.race.equations.lines, part_size):
            part = slice(first, first + part_size)
            changes = np.abs(win[part] - self.previous_table[part])
            has_moved = (changes > JUMP_RATIO * guess_distance).any(axis=1)
            moved_lines.append(first + np.flatnonzero(has_moved))
        return np.concatenate(moved_lines)

    def _sum_sort_keys(self, lines: Ints) -> Ints:
        """Return by line the sum of the sort keys of all seats' states; lines of one layer have the same sum."""
        equations = self.sweep.race.equations
        line_shape = (equations.count,) * self.sweep.race.seats
        seat_states = np.column_stack(np.unravel_index(lines, line_shape))  # the digits of lines: (lines, seats)
        return np.asarray(equations.sort_keys[seat_states].sum(axis=1))

    def _has_switched(self, line: int, previous_zero_value: float, zero_value: float) -> bool:
        """Return True if the mover's best turn by the table before the last sweep differs from that by the current one.

        Args:
            line: the line in which the mover moves.
            previous_zero_value: the zero value in the previous table.
            zero_value: the zero value in the current table.
        """
        reference = self.sweep.reference
        win = self.sweep.win
        # Functions from a mover and zero values to the mover's best turns, one for each zero value. Both evaluate turns
        # by the current table, so that equal turns have equal shares.
        find_previous_turns = reference.best_response([line], table=self.previous_table, evaluated=win)
        find_current_turns = reference.best_response([line], table=win, evaluated=win)
        mover = 0  # the only one of whom a line is given
        (previous_turn,) = find_previous_turns(mover, np.array([previous_zero_value]))
        (current_turn,) = find_current_turns(mover, np.array([zero_value]))
        return not previous_turn.is_same_turn(current_turn)


def _measure_distance(first: Doubles, second: Doubles) -> float:
    """Return the largest absolute difference between entries of two arrays."""
    return float(np.abs(first - second).max())


def _measure_steepness(first: _SweepResult, second: _SweepResult) -> float:
    """Return the distance between the results of two sweeps, divided by the distance between their guesses."""
    guess_distance = _measure_distance(first.unknowns.values, second.unknowns.values)
    return _measure_distance(first.result, second.result) / max(guess_distance, MIN_GUESS_DISTANCE)


def bound_with_losses(sweep: LayerSweep[MultiplayerRace], bounds: Doubles, checkpoint: Checkpoint | None) -> float:
    """Bound best responses to the stored policies if scores can be lost; return the most that a seat gains by one.

    The bounds U need U >= F(U), where F is a pass over all layers. A pass reads a guess of U at the early lines, and
    its result is R. Suppose that R is no larger than the guess at all early lines. Then R itself is such a U:

    - What the pass has read is R or, at early lines that were not solved yet, the guess. Both are R or more.
    - F is monotone. So F(R) is no larger than what the pass has computed from what it read, which is R.

    The guess is the value V plus a gap. The gap grows until the guess is at least the result. Anderson mixing predicts
    the gap that is needed.

    Args:
        sweep: over the layers, with solved values.
        bounds: (states x seats,) working memory; a pass that is computed writes its result there, and a pass that is
            read from the checkpoint nothing. So only the returned gain can be relied on.
        checkpoint: keeps every pass (``bounds0``, ..), with the gain in a row of its own.

    Returns:
        The largest gain of a seat in any state: its bound minus its value.

    Raises:
        SolveError: no gap suffices within MAX_SWEEPS passes.
    """
    seats = sweep.race.seats
    early_lines = sweep.race.equations.lines_read_early
    values = sweep.win[early_lines]  # V: (early lines, seats)
    gap = np.zeros(values.shape)
    slack = INITIAL_GAP_SLACK  # share by which the gap exceeds what is needed
    mixture = AndersonMixing()
    for pass_number in range(MAX_SWEEPS):
        guess = values + gap
        run_pass = partial(_run_bounds_pass, sweep, bounds, guess)
        result_shape = (len(values) + 1, seats)
        result = load_or_compute(checkpoint, f"bounds{pass_number}", result_shape, BOUNDS_RANGE, run_pass)
        early_bounds, gain_row = np.split(result, [len(values)])
        gain = float(gain_row[0, 0])  # all entries of this row are equal
        if (early_bounds <= guess).all():
            return gain
        needed_gap = early_bounds - values
        residual = needed_gap - gap
        predicted_gap = mixture.next_guess(needed_gap.ravel(), residual.ravel()).reshape(gap.shape)
        gap = np.maximum(needed_gap, predicted_gap).clip(0.0, 1.0) * (1 + slack)
        # In long games rounding blurs the predicted gap, so the slack doubles after every PATIENCE passes.
        if (pass_number + 1) % PATIENCE == 0:
            slack *= 2.0
    raise SolveError(NO_BOUND_MESSAGE)


def _run_bounds_pass(sweep: LayerSweep[MultiplayerRace], bounds: Doubles, guess: Doubles) -> Doubles:
    """Bound best responses in all layers once; return the bounds of the early lines and the gain.

    Both are one array, so that a checkpoint can store it.

    Args:
        sweep: over the layers, with solved values.
        bounds: (states x seats,) written.
        guess: (early lines, seats) the bounds of the early lines that the pass reads.

    Returns:
        (early lines + 1, seats) the new bounds of the early lines, and a last row that repeats the gain.
    """
    early_lines = sweep.race.equations.lines_read_early
    bounds_by_state = bounds.reshape(-1, sweep.race.seats)
    bounds_by_state[early_lines] = guess
    gain = sweep.bound_best_responses(bounds)
    return np.vstack([bounds_by_state[early_lines], np.full(sweep.race.seats, gain)])
