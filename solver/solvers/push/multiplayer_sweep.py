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
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.seats import HOPELESS, LANES
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.errors import SolveError
from ...util.progress_reporting import ProgressCallback
from ...util.threads import ThreadPool
from ..mixed_equilibria import CycleSolution, find_equilibrium, solve_with_fixed_mixtures
from ..model import Ints, split_lanes
from ..problem import MixedAction
from ..reference_solver import NO_BOUND_MESSAGE
from .cycle_solver import Cycle, Cycles, CycleSolver, Statuses, Work
from .multiplayer_blocks import CycleBlock, SharedBlock, Tables, cut_block, paste_block, share_block, solve_block
from .multiplayer_costs import SECONDS_PER_CHOICE
from .multiplayer_kernel import MultiplayerRace
from .unlike_multiplayer import UnlikeMultiplayerRace

if TYPE_CHECKING:
    from ..cluster import Cluster

MIN_CYCLES_FOR_THREADS = 256  # in a layer; with fewer, threads cost more than they gain
VALUES_SHARE_OF_TIME = 0.6  # empirical: of a solve; the rest of the time bounds best responses
CYCLES_PER_REPORT = 20_000  # solved between two reports of progress, when a solve can be interrupted
INITIAL_ZERO_VALUE = 0.5  # of all movers, where the search for mixed actions begins
Race = TypeVar("Race", bound=MultiplayerRace | UnlikeMultiplayerRace)
Phase = Literal["play", "reply"]  # values of an equilibrium, or bounds of best responses; part of checkpoint names
NO_MIXED_ACTION = (-1.0, 0.0, 0.0)  # instead of the fields of a MixedAction in a checkpoint
MAX_BOUND = 2.0  # the largest number in a checkpoint of bounds, which margins may raise above 1


class CycleDispatcher:
    """Distributes the cycles of a layer to threads or to a cluster.

    Attributes:
        race: the race whose cycles are solved.
        tables: the tables that the solvers read and write.
        cluster: processes or machines that solve the larger layers; None to solve all of them here.
        threads, pool: the number of threads of this process, and the threads.
        choice_count: the number of choices compared so far; a choice in a block of lanes is counted once.
        pass_count: the number of passes over a block of lanes so far.
        seconds_per_cycle: the estimated time of one processor for a cycle.
    """

    choice_count = 0
    pass_count = 0

    def __init__(
        self, race: MultiplayerRace | UnlikeMultiplayerRace, tables: Tables, threads: int, cluster: Cluster | None
    ) -> None:
        """Create a pool of threads and estimate the time of a cycle.

        Args:
            race: the race whose cycles are solved.
            tables: the tables that the solvers read and write.
            threads: the number of threads of this process.
            cluster: processes or machines that solve the larger layers; None to solve all of them here.
        """
        self.race = race
        self.tables = tables
        self.cluster = cluster
        self.threads = threads
        self.pool = ThreadPool(threads)
        self.seconds_per_cycle = SECONDS_PER_CHOICE * race.estimate_cycle_choices()

    def solve(self, solver: CycleSolver, phase: Phase, parts: Sequence[Cycles]) -> Iterator[tuple[Cycles, Statuses]]:
        """Solve cycles of one layer, on the cluster if that saves time, else in the threads of this process.

        Args:
            solver: solves cycles in this process. If tasks are sent to the cluster, it only guesses the zero values
                that they start from.
            phase: what is computed, values or bounds of best responses; part of the names of tasks.
            parts: the cycles, in parts that are reported one by one: (cycles, seats) each.

        Yields:
            Some cycles, and by cycle 0 if it is solved, else UNSETTLED or HOPELESS. Parts come in any order. Their
            values are in the tables by then.
        """
        cycle_count = sum(len(cycles) for cycles in parts)
        estimated_seconds = self.seconds_per_cycle * cycle_count
        # No tasks if they would cost more time than they save.
        task_count = self.cluster.task_count(estimated_seconds) if self.cluster else 0
        if not self.cluster or not task_count:
            for cycles in parts:
                yield cycles, self.solve_here(solver, cycles)
            return
        # A kernel solves blocks of LANES cycles, which share the stops that are proved best. So tasks are cut at
        # multiples of LANES: the same cycles are solved together as in one process, with the same bits.
        blocks_per_task = math.ceil(cycle_count / task_count / LANES)
        cycles_of_tasks = []
        for cycles in parts:
            cycles_of_tasks += split_lanes(cycles, LANES * blocks_per_task)
        yield from self._solve_on_cluster(self.cluster, solver, phase, cycles_of_tasks)

    def solve_here(self, solver: CycleSolver, cycles: Cycles) -> Statuses:
        """Solve cycles of one layer in the threads of this process.

        Args:
            solver: of cycles; it writes their values to the tables.
            cycles: (cycles, seats).

        Returns:
            By cycle, 0 if it is solved, else why it is not (UNSETTLED or HOPELESS).
        """
        status = np.zeros(len(cycles), dtype=np.uint8)
        if not len(cycles):
            return status
        rows = self.race.rows_of(cycles)  # (cycles, seats) what each mover faces
        next_cycle = np.zeros(1, dtype=np.int64)  # shared by the threads, each of which takes cycles from there on
        zero_values = None  # the solver makes the first guesses
        # Called once by each thread: each call solves cycles until none is left, and writes their ``status``.
        solve = partial(solver.solve, np.ascontiguousarray(cycles), rows, zero_values, next_cycle, status)
        if self.threads == 1 or len(cycles) < MIN_CYCLES_FOR_THREADS:
            self._count_work(solve())
            return status
        futures = [self.pool.submit(solve) for _ in range(self.threads)]
        work_by_thread = [future.result() for future in futures]
        for work in work_by_thread:
            self._count_work(work)
        return status

    def _solve_on_cluster(
        self, cluster: Cluster, solver: CycleSolver, phase: Phase, cycles_of_tasks: Sequence[Cycles]
    ) -> Iterator[tuple[Cycles, Statuses]]:
        """Solve cycles of one layer as tasks of a cluster.

        Args:
            cluster: its workers solve the cycles.
            solver: the solver of this process, which guesses the zero values that a task starts from.
            phase: what is computed, values or bounds of best responses; part of the names of tasks.
            cycles_of_tasks: by task, its cycles: (cycles, seats).

        Yields:
            The cycles of a task with their status, as soon as its result is in the tables.
        """
        assert isinstance(self.race, MultiplayerRace)  # other races are not sent to a cluster
        tasks = self._make_tasks(cluster, solver, phase, cycles_of_tasks)
        for number, solved in cluster.run_tasks(solve_block, tasks):
            paste_block(self.race, self.tables, cycles_of_tasks[number], solved)
            self._count_work(solved.work)
            yield cycles_of_tasks[number], solved.status

    def _make_tasks(
        self, cluster: Cluster, solver: CycleSolver, phase: Phase, cycles_of_tasks: Sequence[Cycles]
    ) -> Iterator[tuple[str, CycleBlock | SharedBlock]]:
        """Make the tasks one by one, each when it is about to be submitted.

        Args:
            cluster: if it has a folder, the tables are files in it, and a task has only their paths. Otherwise a task
                carries the parts of the tables that its cycles need.
            solver: the solver of this process, which guesses the zero values that a task starts from.
            phase: what is computed, values or bounds of best responses; part of the names of tasks.
            cycles_of_tasks: by task, its cycles: (cycles, seats).

        Yields:
            The name and the data of a task.
        """
        assert isinstance(self.race, MultiplayerRace)
        first_cycle = cycles_of_tasks[0][0]
        total_score = int(self.race.states.score[first_cycle].sum())  # the same for all cycles of a layer
        files = self.tables.list_files() if cluster.folder else None
        for number, cycles in enumerate(cycles_of_tasks):
            name = f"seats-{phase}-{total_score}-{number}"
            if files:
                yield name, share_block(files, cycles)
            else:
                yield name, cut_block(self.race, self.tables, solver, cycles)

    def _count_work(self, work: Work) -> None:
        """Add the work of one call of a solver to the totals: choices compared, passes over a block of lanes."""
        choice_count, pass_count = work
        self.choice_count += choice_count
        self.pass_count += pass_count


class _Stage(NamedTuple):
    """A part of a solve that is stored in the checkpoint as a whole.

    Attributes:
        unsolved_layers: the cycles of each layer; none if the stage was read from the checkpoint.
        states: all states of the stage: lines, and lines with a takeover offer.
    """

    unsolved_layers: list[Cycles]
    states: Ints


class LayerSweep(Generic[Race]):
    """Sweeps over all layers of a race of three or more players: solves every cycle, the highest total first.

    Attributes:
        race: the race, with its number of seats.
        equations: its transition model, which numbers the lines.
        layers: the cycles of every layer.
        dispatcher: distributes the cycles of a layer to threads or to a cluster.
        progress: called with the share of the work that is done.
        zeros: makes an array of this number of zeros; with a cluster, workers on this machine can map it.
        tables: the arrays that the cycle solvers share: the value table, and the bounds of best responses.
        win: (states, seats), the value table among them: every seat's chance to win, from the mover on.
        solver: the solver of cycles: the compiled kernel if it can solve the turns, else ``reference``.
        reference: the slower solver in Python, on the same tables, for cycles in which a mover mixes two turns.
        mixed: the actions that do not follow from the value table, by line: the mover mixes two turns, or plays a pure
            turn other than the table implies.
        mixed_cycles: the cycles that contain such lines, by their first line.
    """

    def __init__(
        self,
        race: Race,
        win: Doubles,
        past: Doubles | None = None,
        *,
        threads: int = 1,
        progress: ProgressCallback = lambda share: None,
        cluster: Cluster | None = None,
    ) -> None:
        """Allocate certain stops, and set up the solvers of cycles on the value table.

        Args:
            race: what the solvers of its cycles have in common.
            win: (states x seats,) the value table, which is written.
            past: in races with a last round, what the opponents get once a player has banked a total from the target
                on: (rows, totals, seats - 1), a row being the opponents' states as one number. Otherwise None.
            threads: the number of threads of this process.
            progress: called with the share of the work that is done.
            cluster: processes or machines that solve the larger layers; None to solve all of them here.
        """
        self.race = race
        self.equations = race.equations
        self.progress = progress
        self.layers = race.list_layers()
        self.mixed: dict[int, MixedAction] = {}  # by line
        self.mixed_cycles: dict[int, Cycle] = {}  # cycles with a line in ``mixed``, by their first line
        self.zeros = cluster.shared_zeros if cluster else np.zeros
        certain_stops = race.allocate_stops(self.zeros)
        win_by_state = win.reshape(-1, race.seats)  # (states, seats)
        # Only races of players who are alike are sent to a cluster. All of their seats share the first pair of arrays.
        self.tables = Tables(win=win_by_state, bounds=None, past=past, certain_stops=certain_stops[:1])
        self.reference = race.reference_solver(win, past, self.mixed)
        self.solver: CycleSolver = self.reference
        if race.uses_kernel:  # it solves the same cycles faster; the reference solver keeps those with mixed actions
            self.solver = race.kernel_solver(win, past, certain_stops)
        self.dispatcher = CycleDispatcher(race, self.tables, threads, cluster)

    @property
    def win(self) -> Doubles:
        """(states, seats) the value table: every seat's probability of winning, from the mover on."""
        return self.tables.win

    def solve_values(
        self,
        stages: int = 1,
        checkpoint: Checkpoint | None = None,
        mixing_probabilities: Mapping[int, float] | None = None,
    ) -> dict[int, float]:
        """Compute the values of an equilibrium at every line, layer by layer from the highest total down.

        Cycles in which best responses do not settle are solved by mixed actions, which go to ``mixed``.

        Args:
            stages: the number of parts into which the layers are divided. Each is stored in the checkpoint once done.
            checkpoint: where finished stages are stored, and read from; None to store nothing.
            mixing_probabilities: by line of a forced mixer, the probability with which it has to play its upper turn.
                Its two turns are equally good at a breakpoint of its zero value; the upper one is best above that.
                None if nobody is forced to mix.

        Returns:
            By line of a forced mixer in a layer that was not read from the checkpoint, the mover's zero value minus the
            breakpoint.
        """
        mixing_probabilities = mixing_probabilities or {}
        distances: dict[int, float] = {}
        solved_lines = 0
        self.mixed.clear()
        self.mixed_cycles.clear()
        for stage in self._stages("play", stages, checkpoint):
            for layer in stage.unsolved_layers:  # (cycles, seats) of one total
                has_forced_mixer = self._has_line_in(layer, mixing_probabilities)  # by cycle
                parts = split_lanes(layer[~has_forced_mixer], CYCLES_PER_REPORT)
                for cycles, status in self.dispatcher.solve(self.solver, "play", parts):
                    for number in np.flatnonzero(status):  # a status of 0 is a solved cycle
                        self._solve_failed_cycle(cycles[number], int(status[number]))
                    solved_lines += cycles.size  # a cycle has as many lines as seats
                    solved_share = min(1.0, solved_lines / self.equations.lines)
                    self.progress(VALUES_SHARE_OF_TIME * solved_share)
                for cycle in layer[has_forced_mixer]:
                    distances |= self.solve_with_forced_mixers(cycle, mixing_probabilities)
        return distances

    def bound_best_responses(self, bounds: Doubles, stages: int = 1, checkpoint: Checkpoint | None = None) -> float:
        """Compute upper bounds of what every seat gets by a best response to the stored policies of the others.

        These are the bounds U of docs/exactness.md, Theorem 7.

        Args:
            bounds: (states x seats,), written; early states hold guesses that are read before they are overwritten.
            stages: the number of parts in which the work is stored in the checkpoint, each as it is done.
            checkpoint: finished stages are read from it.

        Returns:
            The largest gain of a seat in any state: its bound minus its value; at least 0.

        Raises:
            SolveError: the bounds of a cycle do not settle.
        """
        tables = self.tables
        stops_of_responses = self.race.allocate_stops(self.zeros)
        tables.certain_stops = [*tables.certain_stops, *stops_of_responses[:1]]  # of equilibrium and of responses
        tables.bounds = bounds.reshape(tables.win.shape)  # (states, seats)
        # From here on both solvers bound best responses, and write ``bounds`` instead of values.
        self.solver.bound_best_responses(bounds, stops_of_responses)
        self.reference.bound_best_responses(bounds)
        solved_lines = 0
        max_gain = 0.0
        for stage in self._stages("reply", stages, checkpoint):  # "reply" names the files of these stages
            for layer in stage.unsolved_layers:
                for cycles, status in self._bound_layer(layer):
                    if status.any():  # 0 for each cycle with bounds
                        raise SolveError(NO_BOUND_MESSAGE)
                    solved_lines += cycles.size
                    # At most 1: if the states of a cycle repeat, so do its lines, which are counted more than once.
                    solved_share = min(1.0, solved_lines / self.equations.lines)
                    self.progress(VALUES_SHARE_OF_TIME + (1 - VALUES_SHARE_OF_TIME) * solved_share)
            gains = tables.bounds[stage.states] - tables.win[stage.states]
            max_gain = max(max_gain, float(gains.max(initial=0.0)))
        return max_gain

    def _bound_layer(self, layer: Cycles) -> Iterator[tuple[Cycles, Statuses]]:
        """Bound best responses in the cycles of a layer, and write the bounds to the tables.

        The kernel knows no mixed actions, so the reference solver takes the cycles that have any.

        Args:
            layer: (cycles, seats) of one total.

        Returns:
            An iterator over parts of the layer, in any order: some cycles, and by cycle 0 if it has bounds.
        """
        first_lines = self.reference.lines_of(layer)[0]  # by cycle, the line in which its first seat moves
        is_mixed = np.isin(first_lines, list(self.mixed_cycles))  # its keys are such lines
        mixed_status = self.dispatcher.solve_here(self.reference, layer[is_mixed])
        parts = split_lanes(layer, CYCLES_PER_REPORT)
        is_mixed_by_part = split_lanes(is_mixed, CYCLES_PER_REPORT)
        pure_parts = [part[~is_mixed_in_part] for part, is_mixed_in_part in zip(parts, is_mixed_by_part, strict=True)]
        # Both solvers have been set to bound best responses; "reply" names this phase in checkpoints.
        pure_results = self.dispatcher.solve(self.solver, "reply", pure_parts)
        return chain(pure_results, [(layer[is_mixed], mixed_status)])

    # --- stages and checkpoints

    def _stages(self, phase: Phase, count: int, checkpoint: Checkpoint | None) -> Iterator[_Stage]:
        """Yield the stages of a pass over all layers, for the caller to solve.

        A stage that is in the checkpoint is read from it, and its ``unsolved_layers`` are empty. Another stage is
        stored once the caller has solved it, that is, when the caller asks for the next one. Certain stops, which are
        proved along the way, are discarded at each stage. So a resumed solve, which begins without any, has the same
        bits.

        Args:
            phase: which table is written: ``play`` for values, ``reply`` for bounds of best responses.
            count: the number of stages.
            checkpoint: stages are read from it and stored in it.
        """
        table = self.win if phase == "play" else self.tables.bounds  # (states, seats)
        assert table is not None
        for number, layers in enumerate(self.layers.stages(count)):
            self.solver.forget_certain_stops()
            name = f"{phase}{number}"
            states = self._get_states(layers)
            # (states, columns): the entries of the table by seat, in "play" followed by three fields of mixed actions.
            stored_data = self._load_stage(name, phase, states, checkpoint)
            if stored_data is None:
                yield _Stage(layers, states)  # the caller solves it before it asks for the next one
                if checkpoint:
                    checkpoint.save_layer(name, self._collect_stage_data(phase, table, states))
            else:
                entries, mixed_actions = np.split(stored_data, [self.race.seats], axis=1)
                table[states] = entries
                if phase == "play":
                    self._restore_mixed(layers, states, mixed_actions)
                yield _Stage([], states)

    def _load_stage(self, name: str, phase: Phase, states: Ints, checkpoint: Checkpoint | None) -> Doubles | None:
        """Read a stage from the checkpoint.

        Args:
            name: the name of the stage in the checkpoint.
            phase: ``play`` for values, ``reply`` for bounds of best responses.
            states: the numbers of the states in the stage.
            checkpoint: None if nothing is stored.

        Returns:
            (states, columns) the values or bounds of all seats, followed in the phase ``play`` by the three fields of a
            mixed action or NO_MIXED_ACTION. None if the checkpoint does not have the stage.
        """
        if checkpoint is None:
            return None
        seats = self.race.seats
        if phase == "play":
            columns, largest_number = seats + len(NO_MIXED_ACTION), 1.0
        else:
            columns, largest_number = seats, MAX_BOUND
        least_number = -1.0  # NO_MIXED_ACTION has -1
        return checkpoint.load_layer(name, (len(states), columns), least_number, largest_number)

    def _collect_stage_data(self, phase: Phase, table: Doubles, states: Ints) -> Doubles:
        """Return what a checkpoint stores of a stage: (states, columns).

        The first columns are the entries of the table by seat. In the phase ``play`` three more columns are the fields
        of the ``MixedAction`` at that state, or NO_MIXED_ACTION.

        Args:
            phase: ``play`` for values, ``reply`` for bounds of best responses.
            table: (all states, seats) the table that the phase writes.
            states: the numbers of the states in the stage.
        """
        if phase == "reply":
            return table[states]
        actions = [self.mixed.get(state, NO_MIXED_ACTION) for state in states.tolist()]
        return np.column_stack([table[states], np.array(actions)])

    def _restore_mixed(self, layers: Sequence[Cycles], states: Ints, actions: Doubles) -> None:
        """Write the mixed actions of a stage from a checkpoint to ``mixed``, and their cycles to ``mixed_cycles``.

        Args:
            layers: by layer of the stage, its cycles: (cycles, seats).
            states: (states,) the numbers of the states of the stage.
            actions: (states, 3) the fields of their mixed actions, or NO_MIXED_ACTION. An action begins with a
                probability, NO_MIXED_ACTION with -1.
        """
        has_action = actions[:, 0] >= 0
        for state, action in zip(states[has_action].tolist(), actions[has_action].tolist(), strict=True):
            self.mixed[state] = MixedAction(*action)
        for cycles in layers:
            cycles_with_action = cycles[self._has_line_in(cycles, self.mixed)]
            for cycle in cycles_with_action:
                first_line = self._lines_of_cycle(cycle)[0]
                self.mixed_cycles[first_line] = cycle

    # --- lines of cycles

    def _lines_of(self, layers: Sequence[Cycles]) -> Ints:
        """Return all lines of some layers: (lines,), layer after layer.

        Within a layer come the lines in which the first seat of each cycle moves, then those of the second seat, and so
        on.

        Args:
            layers: by layer, its cycles: (cycles, seats).
        """
        lines = [self.reference.lines_of(cycles).ravel() for cycles in layers]
        return np.concatenate(lines or [np.zeros(0, dtype=np.int64)])

    def _get_states(self, layers: Sequence[Cycles]) -> Ints:
        """Return the numbers of all states of some layers: first the lines, then the lines with each takeover offer."""
        lines = self._lines_of(layers)
        return np.append(lines, self.equations.all_offer_states(lines))

    def _has_line_in(self, cycles: Cycles, lines: Mapping[int, object]) -> NDArray[np.bool_]:
        """Return by cycle whether any of its lines is a key of ``lines``."""
        if not lines:
            return np.zeros(len(cycles), dtype=bool)
        lines_of_cycles = self._lines_of([cycles]).reshape(-1, len(cycles))  # (seats, cycles)
        is_key = np.isin(lines_of_cycles, list(lines))
        return np.asarray(is_key.any(axis=0))

    def _lines_of_cycle(self, cycle: Cycle) -> list[int]:
        """Return the lines of one cycle of (seats,) states: entry m is the line in which seat m of the cycle moves."""
        lines: list[int] = self.reference.lines_of(cycle[None])[:, 0].tolist()
        return lines

    # --- mixed actions

    def _solve_failed_cycle(self, cycle: Cycle, status: int) -> None:
        """Solve a cycle in which iterated best responses did not settle, by an equilibrium in mixed actions.

        The values go to the value table, and the mixed actions to ``mixed``.

        Args:
            cycle: (seats,) the states of all players.
            status: why the cycle solver failed. HOPELESS: a round of zero turns hardly ever ends. UNSETTLED: best
                responses did not settle.

        Raises:
            SolveError: the cycle is hopeless, or no equilibrium is found.
        """
        scores = ", ".join(map(str, self.race.points_of(cycle)))
        if status == HOPELESS:
            raise SolveError(
                f"at the scores {scores} a round of turns changes a score with a probability below 2**-40, too small"
                " to solve"
            )
        lines = self._lines_of_cycle(cycle)  # by mover
        # The movers' best responses to zero values, with the payoffs of all other endings from the value table.
        best_response = self.reference.best_response(lines, self.win)
        zero_values = np.full(len(lines), INITIAL_ZERO_VALUE)
        # With equal scores, as in (3, 3, 3), several movers have the same line. That is one position with one stored
        # turn, so all of them play as the first of them does.
        first_mover_with_line = [lines.index(line) for line in lines]
        solution = find_equilibrium(best_response, zero_values, first_mover_with_line)
        if solution is None:
            raise SolveError(f"at the scores {scores} best responses cycle, and no mixed equilibrium was found")
        self._store_solution(cycle, solution)

    def solve_with_forced_mixers(self, cycle: Cycle, mixing_probabilities: Mapping[int, float]) -> dict[int, float]:
        """Solve a cycle in which some movers have to mix two turns with given probabilities, and store its values.

        The two turns are those that are equally good at a breakpoint of the mover's zero value.

        Args:
            cycle: (seats,) the states of all players.
            mixing_probabilities: by line, the probability of the turn that is best above the breakpoint. There may be
                lines of other cycles in it.

        Returns:
            By line of this cycle with a mixing probability, the mover's zero value minus the breakpoint; 0 if no
            breakpoint is close.
        """
        lines = self._lines_of_cycle(cycle)  # by mover
        probabilities: dict[int, float] = {}  # by mover
        for mover, line in enumerate(lines):
            if line in mixing_probabilities:
                probabilities[mover] = mixing_probabilities[line]
        best_response = self.reference.best_response(lines, self.win)
        zero_values = self.reference.zero_values(np.array(lines))  # by mover, from the value table
        solution, distances = solve_with_fixed_mixtures(best_response, zero_values, probabilities)
        self._store_solution(cycle, solution)
        return {lines[mover]: distances.get(mover, 0.0) for mover in probabilities}

    def _store_solution(self, cycle: Cycle, solution: CycleSolution) -> None:
        """Write the values of a cycle and of its takeover offers, and remember turns that these values do not imply.

        Args:
            cycle: (seats,) the states of all players.
            solution: by mover, the values of all seats, by seat, and the turn.
        """
        lines = self._lines_of_cycle(cycle)  # by mover
        for mover, line in enumerate(lines):
            values_from_mover_on = np.roll(solution.values[mover], -mover)
            self.win[line] = values_from_mover_on.clip(0.0, 1.0)
        self._remember_turns(cycle, solution)
        self.reference.solve_takeover_offers(np.array(lines))

    def _remember_turns(self, cycle: Cycle, solution: CycleSolution) -> None:
        """Store in ``mixed`` and ``mixed_cycles`` the turns of a cycle that the value table does not imply.

        The table implies the turn that is the best response to the zero value in the table.

        Args:
            cycle: (seats,) the states of all players, whose values are in the table.
            solution: by mover, the turn.
        """
        lines = self._lines_of_cycle(cycle)  # by mover
        find_best_response = self.reference.best_response(lines, self.win)  # a function
        zero_values = self.reference.zero_values(np.array(lines))  # by mover, from the table
        for mover, line in enumerate(lines):
            turn = solution.turns[mover]
            zero_value = zero_values[mover : mover + 1]  # (1,)
            (implied_response_line,) = find_best_response(mover, zero_value)  # one for one zero value
            is_implied = implied_response_line.is_same_turn(turn.response_line)
            if turn.action.has_two_turns or not is_implied:
                self.mixed[line] = turn.action
                self.mixed_cycles[lines[0]] = cycle
