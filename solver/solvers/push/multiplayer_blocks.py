"""Blocks of cycles of one layer, solved apart from the whole table in another process or on another machine.

A cycle reads only the rows that its movers face, above their own scores. So a ``CycleBlock`` carries these parts of the
rows, the certain stops proved there, and the zero values that its cycles start from. Besides these a worker needs only
the problem. It sends back the values of the block's lines and the certain stops (``SolvedBlock``). The kernel sees the
same numbers in the same order as on the whole table, in units of the same cycles. Hence the bits are the same, too.

On one machine the tables are files that all processes map, and a ``SharedBlock`` is only a list of cycles. Workers
write values into the table itself; if a block is repeated after a worker was killed, the same values are written again.
Certain stops need more care, because they change the work of whoever reads them:

- Only the client writes the files of certain stops that workers read.
- A worker writes what it proved to a file of the block's own. The client removes that file before it takes it over.
- A worker that has read its rows and still finds the file has read what every worker of this block reads. So it writes
  the same bytes, however late it is. If the file is gone, nobody waits for its result.

No two blocks of a layer share a row, because the row and the total of the layer determine the mover's score.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...core.seats import SeatsKernel
from ...turns.push_turn import Doubles
from .cycle_solver import CertainStops, Cycles, CycleSolver, Rows, Statuses, Work
from .multiplayer_kernel import MultiplayerRace


@dataclass
class Tables:
    """Tables of all states of a race.

    Attributes:
        win: (states, seats) what every seat gets, from the mover on.
        bounds: (states, seats) bounds of best responses; None until these are computed.
        past: (rows, totals, seats - 1) what follows totals from the target on; None if reaching the target wins.
        certain_stops: of the equilibrium, and of best responses once these are computed.
    """

    win: Doubles
    bounds: Doubles | None
    past: Doubles | None
    certain_stops: list[CertainStops]

    def files(self) -> TableFiles:
        """Return the files of the tables, which must be memory-mapped."""
        return TableFiles(
            win=_file_of(self.win),
            bounds=None if self.bounds is None else _file_of(self.bounds),
            past=None if self.past is None else _file_of(self.past),
            certain_stops=tuple(_file_of(bust_values) for _, bust_values in self.certain_stops),
        )


@dataclass(frozen=True)
class TableFiles:
    """Paths of the files of ``Tables``, by attribute."""

    win: str
    bounds: str | None
    past: str | None
    certain_stops: tuple[str, ...]


@dataclass(frozen=True)
class CycleBlock:
    """Cycles with all that is needed to solve them.

    Attributes:
        cycles: (cycles, seats) to be solved.
        rows: (cycles, seats) that their movers face, numbered within the block.
        zero_values: (cycles, seats) the first guesses.
        win: what the cycles read of the value table: of each row the mover's states that are needed, all in one axis
            (needed states). For values (needed states, seats - 1), without the last seat but one, which gets the rest;
            for best responses (needed states,), what the last seat gets.
        bounds: (needed states, seats) bounds of best responses; None if values are to be computed.
        past: (rows, totals, seats - 1) what follows totals from the target on; None if reaching the target wins.
        certain_stops: as in ``Tables``, of the needed parts of rows.
    """

    cycles: Cycles
    rows: Rows
    zero_values: Doubles
    win: Doubles
    bounds: Doubles | None
    past: Doubles | None
    certain_stops: list[CertainStops]


@dataclass(frozen=True)
class SharedBlock:
    """Cycles to be solved in tables that are files.

    Attributes:
        cycles: (cycles, seats) to be solved.
        files: the files of the tables.
        stops_file: the file to which the worker writes certain stops.
    """

    cycles: Cycles
    files: TableFiles
    stops_file: str


@dataclass(frozen=True)
class SolvedBlock:
    """The result of a block.

    Attributes:
        status: of each cycle.
        work: choices weighed and passes.
        values: (cycles, seats, seats) of the lines of each mover; None if they were written to shared tables.
        certain_stops: as in the block; of a shared block, its file.
    """

    status: Statuses
    work: Work
    values: Doubles | None
    certain_stops: list[CertainStops] | str


class _RowParts:
    """The parts of rows that matter to some cycles: those above the scores of the movers who face them.

    The total of a layer and a row determine the mover's score, so all cycles of a layer that share a row have the same
    mover there.

    Attributes:
        rows: (rows,) the different ones among them, ascending. This is the order in the block.
        numbers: (cycles, seats) the places in ``rows`` of the rows of the cycles.
        movers: by row, the state of its mover.
    """

    def __init__(self, race: MultiplayerRace, cycles: Cycles, rows: Rows) -> None:
        """Find the different rows and their movers.

        Args:
            race: the race.
            cycles: (cycles, seats) of one layer, the states of the players.
            rows: (cycles, seats) the rows that their movers face: entry [c, m] is what a player with state
                ``cycles[c, m]`` faces.
        """
        self.race = race
        self.rows, first_occurrences, numbers = np.unique(rows, return_index=True, return_inverse=True)
        self.numbers = numbers.reshape(rows.shape)
        # A row occurs with one mover only: its total and that of the layer leave one state for the mover.
        self.movers = cycles.ravel()[first_occurrences]

    @cached_property
    def totals_above(self) -> NDArray[np.bool_]:
        """(rows, totals): whether a total is above the score of the row's mover."""
        kernel_race = self.race.kernel_race
        total_count = len(kernel_race.always_stop)  # an array by total
        totals = np.arange(total_count)
        mover_scores = kernel_race.score_totals[self.movers]
        is_above: NDArray[np.bool_] = totals > mover_scores[:, None]
        return is_above

    @cached_property
    def states_above(self) -> NDArray[np.bool_]:
        """(rows, states): whether a state is above the mover's."""
        states = np.arange(self.race.equations.count)
        is_above: NDArray[np.bool_] = states > self.movers[:, None]
        return is_above

    @cached_property
    def states_read_by_responses(self) -> NDArray[np.bool_]:
        """(rows, states): whether a best response reads the value table where the mover of the row has that state.

        Besides the states above the mover's these are its own, to which a bust leads, and state 0, which stands for
        totals that cannot occur.
        """
        is_read = self.states_above.copy()
        row_numbers = np.arange(len(self.movers))
        is_read[row_numbers, self.movers] = True
        is_read[:, 0] = True
        return is_read

    def cut_stops(self, table_stops: list[CertainStops]) -> list[CertainStops]:
        """Return the certain stops of these parts, from those of whole rows.

        Args:
            table_stops: those of the equilibrium, then those of best responses if these are being computed. Each is a
                set of modes by row and total (rows, totals), and a bust value by row (rows,).

        Returns:
            The same, with the totals above the movers' scores of all rows in one axis.
        """
        parts = []
        for mode_sets, bust_values in table_stops:
            part_mode_sets = mode_sets[self.rows][self.totals_above]
            parts.append((part_mode_sets, bust_values[self.rows]))
        return parts

    def paste_stops(self, table_stops: list[CertainStops], parts: list[CertainStops]) -> None:
        """Write certain stops of these parts into those of whole rows.

        Args:
            table_stops: written: sets of modes by row and total (rows, totals), and bust values (rows,), for each kind
                of stops.
            parts: the same of these rows only, with the totals above the movers' scores of all rows in one axis.
        """
        for whole, part in zip(table_stops, parts, strict=True):
            mode_sets, bust_values = whole
            part_mode_sets, part_bust_values = part
            mode_sets_of_rows = mode_sets[self.rows]  # a copy: (these rows, totals)
            mode_sets_of_rows[self.totals_above] = part_mode_sets
            mode_sets[self.rows] = mode_sets_of_rows
            bust_values[self.rows] = part_bust_values


def _stored_seats(seats: int) -> list[int]:
    """Return the columns of a value table that determine it: the seat before the mover gets the rest.

    The mover of the turn is the last seat at the position after it, and the seat before it is the last but one.
    """
    return [*range(seats - 2), seats - 1]


# --- the client's side


def cut_block(race: MultiplayerRace, tables: Tables, solver: CycleSolver, cycles: Cycles) -> CycleBlock:
    """Copy from whole tables what is needed to solve some cycles.

    Args:
        race: the race.
        tables: the whole tables. If they have bounds, bounds are being computed, otherwise values.
        solver: the kernel on these tables, which guesses zero values.
        cycles: (cycles, seats) of one layer, whose higher layers are solved.
    """
    seats = race.seats
    rows = race.rows_of(cycles)
    parts = _RowParts(race, cycles, rows)
    # A position after a turn is the row that the mover faced, with the mover's new state as its last digit. So the
    # table by position is also one by row and by the state of the player who is the last seat there.
    win = tables.win.reshape(-1, race.equations.count, seats)  # (rows, states, seats)
    # A mask over (rows, states) makes one axis of the marked states of all rows.
    if tables.bounds is None:
        assert isinstance(solver, SeatsKernel)
        zero_values = solver.guess_zero_values(cycles, rows)
        block_win = win[parts.rows][parts.states_above][:, _stored_seats(seats)]
        block_bounds = None
    else:
        bounds = tables.bounds.reshape(win.shape)
        zero_values = win[
            rows, cycles, seats - 1
        ]  # after a zero turn the mover has its old state, and is the last seat
        block_win = win[parts.rows, :, seats - 1][parts.states_read_by_responses]
        block_bounds = bounds[parts.rows][parts.states_above]
    return CycleBlock(
        cycles=cycles,
        rows=parts.numbers,
        zero_values=zero_values,
        win=block_win,
        bounds=block_bounds,
        past=None if tables.past is None else tables.past[parts.rows],
        certain_stops=parts.cut_stops(tables.certain_stops),
    )


def share_block(files: TableFiles, cycles: Cycles) -> SharedBlock:
    """Return a block of tables that are files, and create the file for its certain stops."""
    stops_file = Path(files.win).with_name(uuid.uuid4().hex)
    stops_file.touch()
    return SharedBlock(cycles, files, str(stops_file))


def paste_block(race: MultiplayerRace, tables: Tables, cycles: Cycles, solved: SolvedBlock) -> None:
    """Write the result of a block into whole tables.

    Args:
        race: the race.
        tables: the whole tables, written: bounds if they are being computed, else values, and certain stops.
        cycles: (cycles, seats) of the block.
        solved: the result.
    """
    rows = race.rows_of(cycles)
    if isinstance(solved.certain_stops, str):  # the path of a file: a shared block, whose values are in the tables
        _read_stops_file(tables, rows.ravel(), Path(solved.certain_stops))
        return
    table = tables.win if tables.bounds is None else tables.bounds  # (states, seats)
    table_by_row = table.reshape(-1, race.equations.count, race.seats)  # (rows, states of the last seat, seats)
    table_by_row[rows, cycles] = solved.values
    _RowParts(race, cycles, rows).paste_stops(tables.certain_stops, solved.certain_stops)


def _read_stops_file(tables: Tables, rows: Rows, path: Path) -> None:
    """Take over the certain stops of some rows from the file of a shared block, and remove it.

    For each kind of stops the file holds the sets of modes by row and total, and then the bust values by row.

    Args:
        tables: their certain stops are written.
        rows: (rows,) the numbers of the rows, in the order of the file.
        path: the path of the file.
    """
    with path.open("rb") as file:
        path.unlink()  # before reading, so that a worker that still computes these stops does not write any more
        for mode_sets, bust_values in tables.certain_stops:
            total_count = mode_sets.shape[1]
            mode_sets_of_rows = np.fromfile(file, dtype=mode_sets.dtype, count=len(rows) * total_count)
            mode_sets[rows] = mode_sets_of_rows.reshape(len(rows), total_count)
            bust_values[rows] = np.fromfile(file, count=len(rows))


def _write_stops_file(certain_stops: list[CertainStops], rows: Rows, path: Path) -> None:
    """Write the certain stops of some rows to a file that exists; do nothing if the client has removed it."""
    with suppress(FileNotFoundError), path.open("r+b") as file:
        for mode_sets, bust_values in certain_stops:
            mode_sets[rows].tofile(file)
            bust_values[rows].tofile(file)


# --- the worker's side


def solve_block(question: str, block: CycleBlock | SharedBlock) -> SolvedBlock:
    """Solve some cycles of one layer in a worker process; this is the function of a task of a cluster.

    Args:
        question: the problem as JSON text (see ``PlayableGame.problem_key``).
        block: the cycles. A ``CycleBlock`` carries all that is needed to solve them; a ``SharedBlock`` names the files
            of the tables on this machine.
    """
    if isinstance(block, CycleBlock):
        return _solve_with_own_data(_compile_race(question), block)
    return _solve_in_shared_tables(question, block)


def _solve_with_own_data(race: MultiplayerRace, block: CycleBlock) -> SolvedBlock:
    """Solve a block that carries its data, in small tables of only the rows that its movers face.

    Args:
        race: the race.
        block: the cycles, with the parts of rows that they read.
    """
    seats = race.seats
    parts = _RowParts(race, block.cycles, block.rows)
    row_count = len(parts.rows)
    win = np.zeros((row_count, race.equations.count, seats))  # by row, and by the state of its mover after the turn
    certain_stops = [race.new_certain_stops(row_count) for _ in block.certain_stops]
    parts.paste_stops(certain_stops, block.certain_stops)
    solver = race.kernel_solver(win.reshape(-1), block.past, certain_stops[0])
    if block.bounds is None:  # compute values
        written_table = win
        shares = np.zeros((len(block.win), seats))  # the kernel does not read the seat that is left out
        shares[:, _stored_seats(seats)] = block.win
        win[parts.states_above] = shares
    else:  # compute bounds of best responses, for which certain_stops[1] is
        written_table = np.zeros_like(win)
        solver.bound_best_responses(written_table.reshape(-1), certain_stops[1])
        win[parts.states_read_by_responses, seats - 1] = block.win
        written_table[parts.states_above] = block.bounds
    status, work = _solve_all(solver, block.cycles, block.rows, block.zero_values)
    # The position in which a mover still has its old state, after a zero turn, is a line of the cycle.
    values = written_table[block.rows, block.cycles]  # (cycles, movers, seats)
    return SolvedBlock(status, work, values, parts.cut_stops(certain_stops))


def _solve_in_shared_tables(question: str, block: SharedBlock) -> SolvedBlock:
    """Solve a block in the tables that all processes of this machine map.

    Args:
        question: the problem as JSON text.
        block: the cycles and the files of the tables, to which the values are written.
    """
    shared = _map_tables(question, block.files)
    rows = _compile_race(question).rows_of(block.cycles)  # (cycles, seats)
    block_rows = rows.ravel()
    stops_file = Path(block.stops_file)
    # Begin with the certain stops that the client has now. Each is a pair of arrays by row: mode sets, bust values.
    for own_stops, client_stops in zip(shared.own_stops, shared.client_stops, strict=True):
        for own_array, client_array in zip(own_stops, client_stops, strict=True):
            own_array[block_rows] = client_array[block_rows]
    # The client removes the file when it takes over the result of another worker. Checked after reading: if the file
    # is still there, the client had not changed what was read.
    if not stops_file.exists():
        no_status = np.zeros(0, dtype=np.uint8)
        no_work = (0, 0)
        return SolvedBlock(no_status, no_work, None, block.stops_file)
    zero_values = None  # the solver guesses them
    status, work = _solve_all(shared.solver, block.cycles, rows, zero_values)
    _write_stops_file(shared.own_stops, block_rows, stops_file)
    return SolvedBlock(status, work, None, block.stops_file)


def _solve_all(solver: CycleSolver, cycles: Cycles, rows: Rows, zero_values: Doubles | None) -> tuple[Statuses, Work]:
    """Solve all of some cycles in one thread; see ``CycleSolver.solve`` for the arguments."""
    status = np.zeros(len(cycles), dtype=np.uint8)
    next_cycle = np.zeros(1, dtype=np.int64)
    work = solver.solve(cycles, rows, zero_values, next_cycle, status)
    return status, work


@lru_cache(maxsize=4)
def _compile_race(question: str) -> MultiplayerRace:
    """Return the race of a problem, compiled once for all its blocks."""
    from .. import problem_from_question

    fields: Mapping[str, Any] = json.loads(question)
    problem: Any = problem_from_question(fields)
    return MultiplayerRace(problem.states, problem.players)


@dataclass(frozen=True)
class _MappedTables:
    """Tables of this machine in a worker.

    Attributes:
        solver: on these tables.
        client_stops: the certain stops that the client has written.
        own_stops: the certain stops that the solver reads and writes.
    """

    solver: CycleSolver
    client_stops: list[CertainStops]
    own_stops: list[CertainStops]


@lru_cache(maxsize=1)
def _map_tables(question: str, files: TableFiles) -> _MappedTables:
    """Map the tables of this machine; a worker has one thread, so it keeps one solver.

    The solver writes to the value table or the bounds in place, but keeps certain stops of its own. Those of the client
    are only read.

    Args:
        question: the problem as JSON text.
        files: the files of the tables.
    """
    race = _compile_race(question)
    row_count = race.equations.rows
    past = None  # what follows totals from the target on, by row, total and opponent
    if files.past is not None:
        past = _map_file(files.past, "r").reshape(row_count, -1, race.seats - 1)
    client_stops = []  # of the equilibrium, and of best responses if these are being computed
    for path in files.certain_stops:
        map_for_reading = partial(_map_file, path, "r")
        client_stops.append(race.new_certain_stops(row_count, map_for_reading))
    own_stops = [race.new_certain_stops(row_count) for _ in client_stops]
    solver = race.kernel_solver(_map_file(files.win, "r+"), past, own_stops[0])
    if files.bounds is not None:
        solver.bound_best_responses(_map_file(files.bounds, "r+"), own_stops[1])
    return _MappedTables(solver, client_stops, own_stops)


def _map_file(path: str, mode: Literal["r", "r+"], size: int | None = None) -> Doubles:
    """Map a file of doubles, (size,), to read or to read and write; the whole file if no size is given."""
    return np.memmap(path, dtype=np.float64, mode=mode, shape=size)


def _file_of(table: Doubles) -> str:
    """Return the path of the file that a table is mapped from."""
    assert isinstance(table, np.memmap)
    return str(table.filename)
