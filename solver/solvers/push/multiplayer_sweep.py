"""Sweeps over the layers of a race of three or more players, in which all maximize their own chance to win.

A position is the scores of all seats from the mover on. Let V(s) be what the seats get from s, and r(s, t) the position
after the mover has banked t points: the next seat's score first, the mover's, t points higher, last. Banking t pays the
seats V(r(s, t)), a bust V(r(s, 0)), and a total that has won pays the mover 1. The mover maximizes its own share; the
shares of the others are evaluated along its choices (channels of the kernel).

**Layers and cycles.** A turn adds to the total of all scores or is a *zero turn*, which leaves it alone. So layers of
equal total are solved by retrograde analysis, from the highest total down. Within a layer the positions depend on each
other only in the cycles

    s, r(s, 0), r(r(s, 0), 0), ...     the rotations of one line of scores.

Let z be what a zero turn is worth to each mover of a cycle, its *zero value*. The best responses to z have zero turns
with probabilities p and pay shares A otherwise. Their values solve a small linear system, and imply new zero values. A
fixed point z is an equilibrium of the cycle. The solvers iterate best responses of all movers at once, with damping
after some passes: the kernel (``csrc/seats_kernel.c``), or the reference solver (``multiplayer_reference``) for turns
of any kind. If everybody would rather wait, z was guessed too high, and the iteration restarts from 0.

The iteration need not settle. Some games have no equilibrium in pure stationary strategies (Boros, Gurvich & Yamangil,
Chess-like Games May Have No Uniform Nash Equilibria Even in Mixed Strategies, 2013). In such a cycle some movers mix
two turns (``mixed_equilibria``). Equilibria need not be unique either: the values are those of the policies found.

**Regret and error bound.** The stored policies are implied by the values: in each position the best turn by the table;
of equally good choices to stop, else the first one listed. A second pass over all layers bounds what can be gained by
other strategies. Let U_k(s) be an upper bound of what seat k gets by a best response while the others play as stored.
Where k moves, U_k is the value of the best turn by U_k; where another seat moves, U_k is evaluated along its stored
turn. Every result is raised by more than the rounding of a turn and the tolerance of zero values. So U >= F(U) + r for
some r > 0, and hence the play ends with probability one. With

    g = the largest U_k(s) - V_k(s) over all seats and positions,

the values are within (seats - 1) g of those of the stored policies (``error_bound``). No seat gains more than seats
times g by another strategy (``regret``). Both are raised by what rounding adds to the sum of the V_k (docs/design.md,
"Three and more players in a race"; docs/exactness.md, Theorem 7).

If points or scores can be lost, these passes repeat (``lost_scores``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.seats import HOPELESS, LANES
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.errors import SolveError
from ...util.threads import ThreadPool
from ..mixed_equilibria import CycleSolution, find_equilibrium, solve_with_fixed_mixtures
from ..model import Ints, split_lanes
from ..problem import MixedAction
from ..reference_solver import NO_BOUND_MESSAGE
from .cycle_solver import Cycles, CycleSolver, Statuses
from .model import RaceModel
from .multiplayer_blocks import Tables, cut_block, paste_block, share_block, solve_block
from .multiplayer_kernel import MultiplayerRace
from .states import States

if TYPE_CHECKING:
    from ..cluster import Cluster

MIN_CYCLES_FOR_THREADS = 256  # in a layer; with fewer, threads cost more than they gain
VALUES_SHARE_OF_TIME = 0.6  # of a solve; the rest bounds best responses
SECONDS_PER_CHOICE = 8e-10  # by turn points and line, all passes included
CHOICES_PER_LINE_BESIDE = 300  # other work for a line, expressed in choices, by seats squared
CYCLES_PER_REPORT = 20_000  # solved between two reports of progress, when a solve can be interrupted
Cycle = NDArray[np.int32]  # (seats,)
Phase = Literal["play", "reply"]  # values of an equilibrium, or bounds of best responses; part of checkpoint names
NO_MIXED_ACTION = (-1.0, 0.0, 0.0)  # in a checkpoint


class Layers:
    """The cycles of every layer, each listed once, by its smallest rotation.

    A layer is a sum of the ``keys`` of the players' states. States are numbered by ascending key.

    Attributes:
        seats: players.
        max_total: the key of the highest layer.
    """

    def __init__(self, keys: Ints, seats: int) -> None:
        self.seats, self.max_total = seats, seats * int(keys[-1])
        self._state_by_key = np.full(int(keys[-1]) + 1, -1)
        self._state_by_key[keys] = np.arange(len(keys))
        opponents = np.indices((len(keys),) * (seats - 1)).reshape(seats - 1, -1)
        self._opponent_totals, self._lowest_opponent = keys[opponents].sum(axis=0), opponents.min(axis=0)
        self._opponents = opponents.astype(np.int32)

    def stages(self, count: int) -> Iterator[list[Cycles]]:
        """Yield the layers from the highest total down, in so many stages."""
        for stage in range(count):
            first, last = (self.max_total - (self.max_total + 1) * number // count for number in (stage, stage + 1))
            yield [cycles for total in range(first, last, -1) if len(cycles := self.layer(total))]

    def layer(self, total: int) -> Cycles:
        """Return the cycles of a total."""
        mover_keys = total - self._opponent_totals
        rows = np.flatnonzero((mover_keys >= 0) & (mover_keys < len(self._state_by_key)))
        movers = self._state_by_key[mover_keys[rows]]
        is_lowest = (movers >= 0) & (movers <= self._lowest_opponent[rows])
        rows, movers = rows[is_lowest], movers[is_lowest]
        cycles = np.column_stack([movers.astype(np.int32), self._opponents[:, rows].T])
        tied = np.flatnonzero((cycles[:, 1:] == cycles[:, :1]).any(axis=1))  # only these may have a smaller rotation
        is_smallest = np.ones(len(cycles), dtype=bool)
        for shift in range(1, self.seats):
            differences = np.roll(cycles[tied], -shift, axis=1) - cycles[tied]
            first_difference = (differences != 0).argmax(axis=1)
            is_smallest[tied] &= differences[np.arange(len(tied)), first_difference] >= 0
        return np.ascontiguousarray(cycles[is_smallest])


def mean_gain(model: RaceModel) -> float:
    """Return the mean number of points that a turn can bring; past the target of a last round half of them count."""
    return float(model.caps_by_score.mean() + model.states.caps_by_score.mean()) / 2


def choices_per_line(states: States, gain: float, seats: int) -> float:
    """Return the number of choices weighed for one line if a turn can bring ``gain`` points, passes aside."""
    return states.choices_per_row(max(1, int(gain))) * gain * (1 + seats / 3) + CHOICES_PER_LINE_BESIDE * seats**2


class CycleDispatcher:
    """Distributes the cycles of a layer to threads or to a cluster.

    Attributes:
        cluster: solves the larger layers, if there is one.
        weighed: choices weighed so far, counted for a block of lanes.
        passes: passes over a block of lanes so far.
    """

    weighed = 0
    passes = 0

    def __init__(self, race: MultiplayerRace, tables: Tables, threads: int, cluster: Cluster | None) -> None:
        self.race, self.tables, self.cluster = race, tables, cluster
        self.threads, self.pool = threads, ThreadPool(threads)
        choices = choices_per_line(race.states, mean_gain(race.equations), race.seats)
        self.seconds_per_cycle = SECONDS_PER_CHOICE * race.seats * choices

    def solve(self, solver: CycleSolver, phase: Phase, parts: Sequence[Cycles]) -> Iterator[tuple[Cycles, Statuses]]:
        """Solve parts of one layer, on the cluster if that pays; yield cycles with their status, in any order."""
        tasks = self.cluster.task_count(self.seconds_per_cycle * sum(map(len, parts))) if self.cluster else 0
        if self.cluster and tasks:
            yield from self._solve_on_cluster(self.cluster, tasks, solver, phase, parts)
            return
        for cycles in parts:
            yield cycles, self.solve_here(solver, cycles)

    def solve_here(self, solver: CycleSolver, cycles: Cycles) -> Statuses:
        """Solve cycles of one layer in the threads of this process; return their status."""
        status, next_cycle = np.zeros(len(cycles), dtype=np.uint8), np.zeros(1, dtype=np.int64)
        rows = self.race.rows_of(cycles)
        solve = partial(solver.solve, np.ascontiguousarray(cycles), rows, None, next_cycle, status)
        if self.threads == 1 or len(cycles) < MIN_CYCLES_FOR_THREADS:
            work = [solve()] if len(cycles) else []
        else:
            work = [future.result() for future in [self.pool.submit(solve) for _ in range(self.threads)]]
        for weighed, passes in work:
            self.weighed += weighed
            self.passes += passes
        return status

    def _solve_on_cluster(
        self, cluster: Cluster, tasks: int, solver: CycleSolver, phase: Phase, parts: Sequence[Cycles]
    ) -> Iterator[tuple[Cycles, Statuses]]:
        """Solve parts of one layer as blocks on a cluster."""
        # Blocks are cut between the same groups of lanes as in one process: lanes of a group share certain stops.
        size = LANES * math.ceil(sum(map(len, parts)) / tasks / LANES)
        blocks = [block for cycles in parts for block in split_lanes(cycles, size)]
        total = int(self.race.states.scores[blocks[0][0]].sum())
        files = self.tables.files() if cluster.folder else None
        named_blocks = (
            (
                f"seats-{phase}-{total}-{number}",
                share_block(files, cycles) if files else cut_block(self.race, self.tables, solver, cycles),
            )
            for number, cycles in enumerate(blocks)
        )
        for number, solved in cluster.run_tasks(solve_block, named_blocks):
            paste_block(self.race, self.tables, blocks[number], solved)
            self.weighed += solved.work[0]
            self.passes += solved.work[1]
            yield blocks[number], solved.status


class LayerSweep:
    """Sweeps over all layers of a race, on one value table.

    Attributes:
        tables: the value table and bounds of best responses, among others.
        solver: of cycles, the kernel if it knows the turns.
        reference: the reference solver on the same tables.
        mixed: by line, the mover's mixed action; also the pure turn of a mover of whom the table implies another one.
        mixed_cycles: the cycles that contain such lines, by their first line.
    """

    def __init__(
        self,
        race: MultiplayerRace,
        win: Doubles,
        past: Doubles | None = None,
        *,
        threads: int = 1,
        progress: Callable[[float], None] = lambda done: None,
        cluster: Cluster | None = None,
    ) -> None:
        self.race, self.equations, self.progress = race, race.equations, progress
        self.layers = Layers(race.equations.sort_keys, race.seats)
        self._zeros = cluster.shared_zeros if cluster else np.zeros
        self.mixed: dict[int, MixedAction] = {}
        self.mixed_cycles: dict[int, Cycle] = {}
        stops = race.new_certain_stops(race.equations.rows, self._zeros)
        self.tables = Tables(win.reshape(-1, race.seats), None, past, [stops])
        self.reference = race.reference_solver(win, past, self.mixed)
        self.solver: CycleSolver = race.kernel_solver(win, past, stops) if race.uses_kernel else self.reference
        self.dispatcher = CycleDispatcher(race, self.tables, threads, cluster)

    @property
    def win(self) -> Doubles:
        """(states, seats) what every seat gets, from the mover on."""
        return self.tables.win

    def solve_values(
        self,
        stages: int = 1,
        checkpoint: Checkpoint | None = None,
        fixed_shares: Mapping[int, float] | None = None,
    ) -> dict[int, float]:
        """Solve every layer.

        Args:
            stages: each is stored in the checkpoint as it is done.
            checkpoint: finished stages are read from it.
            fixed_shares: by line, the probability of the second turn of movers who must mix.

        Returns:
            By line with a fixed share, the mover's zero value minus that at which both turns are equally good.
        """
        fixed_shares = fixed_shares or {}
        distances: dict[int, float] = {}
        solved_lines = 0
        self.mixed.clear()
        self.mixed_cycles.clear()
        for layers, _ in self._unfinished_stages("play", stages, checkpoint):
            for layer in layers:
                has_fixed_share = self._has_line_in(layer, fixed_shares)
                parts = split_lanes(layer[~has_fixed_share], CYCLES_PER_REPORT)
                for cycles, status in self.dispatcher.solve(self.solver, "play", parts):
                    for number in np.flatnonzero(status):
                        self._solve_mixed(cycles[number], int(status[number]))
                    solved_lines += cycles.size
                    self.progress(VALUES_SHARE_OF_TIME * min(1.0, solved_lines / self.equations.lines))
                for cycle in layer[has_fixed_share]:
                    distances |= self._solve_with_fixed_shares(cycle, fixed_shares)
        return distances

    def bound_best_responses(self, bounds: Doubles, stages: int = 1, checkpoint: Checkpoint | None = None) -> float:
        """Bound what every seat gets by a best response; return the most that a seat gains by one.

        Args:
            bounds: shaped like the value table, written.
            stages: each is stored in the checkpoint as it is done.
            checkpoint: finished stages are read from it.
        """
        tables = self.tables
        tables.certain_stops[1:] = [self.race.new_certain_stops(self.equations.rows, self._zeros)]
        tables.bounds = bounds.reshape(tables.win.shape)
        self.solver.bound_best_responses(bounds, tables.certain_stops[1])
        self.reference.bound_best_responses(bounds)
        solved_lines, gain = 0, 0.0
        for layers, states in self._unfinished_stages("reply", stages, checkpoint):
            for layer in layers:
                for cycles, status in self._bound_layer(layer):
                    if status.any():
                        raise SolveError(NO_BOUND_MESSAGE)
                    solved_lines += cycles.size
                    solved_share = min(1.0, solved_lines / self.equations.lines)
                    self.progress(VALUES_SHARE_OF_TIME + (1 - VALUES_SHARE_OF_TIME) * solved_share)
            gain = max(gain, float((tables.bounds[states] - tables.win[states]).max(initial=0.0)))
        return gain

    def _bound_layer(self, layer: Cycles) -> Iterator[tuple[Cycles, Statuses]]:
        """Bound best responses in a layer; the reference solver does so in cycles with mixed actions."""
        is_mixed = np.isin(self._lines_of([layer])[: len(layer)], list(self.mixed_cycles))
        parts = [part[~is_mixed[part]] for part in split_lanes(np.arange(len(layer)), CYCLES_PER_REPORT)]
        mixed_status = self.dispatcher.solve_here(self.reference, layer[is_mixed])
        pure = self.dispatcher.solve(self.solver, "reply", [layer[part] for part in parts])
        return chain(pure, [(layer[is_mixed], mixed_status)])

    # --- stages and checkpoints

    def _unfinished_stages(
        self, phase: Phase, stages: int, checkpoint: Checkpoint | None
    ) -> Iterator[tuple[list[Cycles], Ints]]:
        """Yield for each stage the layers that are still to be solved, and all states of the stage.

        A stage that is in the checkpoint is read from it and has no layers left. Other stages are stored once the
        caller has solved them, values together with mixed actions. Certain stops are discarded at each stage, so that
        a resumed solve has the same bits.
        """
        table = self.win if phase == "play" else self.tables.bounds
        assert table is not None
        for number, layers in enumerate(self.layers.stages(stages)):
            self.solver.forget_certain_stops()
            name, states = f"{phase}{number}", self._states_of(layers)
            stored = self._load_stage(name, phase, states, checkpoint)
            if stored is None:
                yield layers, states
                if checkpoint:
                    checkpoint.save_layer(name, self._stage_rows(phase, table, states))
                continue
            table[states] = stored[:, : self.race.seats]
            if phase == "play":
                self._restore_mixed(layers, states, stored[:, self.race.seats :])
            yield [], states

    def _load_stage(self, name: str, phase: Phase, states: Ints, checkpoint: Checkpoint | None) -> Doubles | None:
        """Return the rows of a stage from the checkpoint, if it has them."""
        if checkpoint is None:
            return None
        columns, upper = (self.race.seats + len(NO_MIXED_ACTION), 1.0) if phase == "play" else (self.race.seats, 2.0)
        return checkpoint.load_layer(name, (len(states), columns), -1.0, upper)

    def _stage_rows(self, phase: Phase, table: Doubles, states: Ints) -> Doubles:
        """Return the rows of a stage for the checkpoint: values by seat, and the mixed action of each state."""
        if phase == "reply":
            return np.column_stack([table[states]])
        actions = [self.mixed.get(state, NO_MIXED_ACTION) for state in states.tolist()]
        return np.column_stack([table[states], np.array(actions)])

    def _restore_mixed(self, layers: Sequence[Cycles], states: Ints, actions: Doubles) -> None:
        """Restore mixed actions from the rows of a checkpoint."""
        for place in np.flatnonzero(actions[:, 0] >= 0):
            self.mixed[int(states[place])] = MixedAction(*actions[place].tolist())
        for cycles in layers:
            for cycle in cycles[self._has_line_in(cycles, self.mixed)]:
                self.mixed_cycles[self.equations.line_number(cycle.tolist())] = cycle

    # --- lines of cycles

    def _lines_of(self, layers: Sequence[Cycles]) -> Ints:
        """Return all lines of some layers, the first line of each cycle first."""
        lines = [self.reference.lines_of(cycles).ravel() for cycles in layers]
        return np.concatenate(lines or [np.zeros(0, dtype=np.int64)])

    def _states_of(self, layers: Sequence[Cycles]) -> Ints:
        """Return all states of some layers: lines, and lines with a takeover offer."""
        lines = self._lines_of(layers)
        return np.append(lines, self.equations.all_offer_states(lines))

    def _has_line_in(self, cycles: Cycles, lines: Mapping[int, object]) -> NDArray[np.bool_]:
        """Return for each cycle whether any of its lines is among some."""
        if not lines:
            return np.zeros(len(cycles), dtype=bool)
        is_listed = np.isin(self._lines_of([cycles]), list(lines)).reshape(-1, len(cycles))
        return np.asarray(is_listed.any(axis=0))

    def _lines_of_cycle(self, cycle: Cycle) -> list[int]:
        """Return the lines of one cycle, by mover."""
        lines: list[int] = self.reference.lines_of(cycle[None])[:, 0].tolist()
        return lines

    # --- mixed actions

    def _solve_mixed(self, cycle: Cycle, status: int) -> None:
        """Find an equilibrium in mixed actions of a cycle in which best responses did not settle."""
        lines = self._lines_of_cycle(cycle)
        scores = ", ".join(str(int(score) * self.race.states.rules.grain) for score in self.race.states.score[cycle])
        if status == HOPELESS:
            raise SolveError(
                f"at the scores {scores} a round of turns changes anything with a chance below 2**-40 under these rules"
            )
        first_alike = [lines.index(line) for line in lines]
        respond = self.reference.best_response(lines, self.win)
        solution = find_equilibrium(respond, np.full(len(lines), 0.5), first_alike)
        if solution is None:
            raise SolveError(
                f"at the scores {scores} best replies go round in circles, and no mixture of them is found"
            )
        self._store_solution(cycle, solution)

    def _solve_with_fixed_shares(self, cycle: Cycle, fixed_shares: Mapping[int, float]) -> dict[int, float]:
        """Solve a cycle in which movers mix with fixed shares; return their distances from breakpoints, by line."""
        lines = self._lines_of_cycle(cycle)
        shares = {mover: fixed_shares[line] for mover, line in enumerate(lines) if line in fixed_shares}
        respond = self.reference.best_response(lines, self.win)
        zero_values = self.reference.zero_values(np.array(lines))
        solution, distances = solve_with_fixed_mixtures(respond, zero_values, shares)
        self._store_solution(cycle, solution)
        return {lines[mover]: distances.get(mover, 0.0) for mover in shares}  # 0 if no breakpoint is close

    def _store_solution(self, cycle: Cycle, solution: CycleSolution) -> None:
        """Write the values of a cycle to the table, and remember the turns that the table alone does not imply."""
        lines = self._lines_of_cycle(cycle)
        for mover, line in enumerate(lines):
            self.win[line] = np.roll(solution.values[mover], -mover).clip(0.0, 1.0)
        respond = self.reference.best_response(lines, self.win)
        zero_values = self.reference.zero_values(np.array(lines))
        for mover, (line, (turn, action)) in enumerate(zip(lines, solution.turns, strict=True)):
            implied = respond(mover, zero_values[mover : mover + 1])[0]
            if action.lower_zero_value != action.upper_zero_value or not implied.is_same_turn(turn):
                self.mixed[line] = action
                self.mixed_cycles[lines[0]] = cycle
        self.reference.solve_takeover_offers(np.array(lines))
