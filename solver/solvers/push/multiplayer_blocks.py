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
        win: (states, seats) every seat's probability of winning, from the mover on.
        bounds: (states, seats) upper bounds of what each seat gets by a best response; None until these are computed.
        past: (rows, totals, seats - 1) what the opponents get once the mover has banked a total from the target on;
            None if reaching the target wins.
        certain_stops: of the equilibrium, and of best responses once these are computed.
    """

    win: Doubles
    bounds: Doubles | None
    past: Doubles | None
    certain_stops: list[CertainStops]

    def list_files(self) -> TableFiles:
        """Return the paths of the files that the tables are mapped from; all tables must be memory-mapped."""
        return TableFiles(
            win=_get_mapped_path(self.win),
            bounds=None if self.bounds is None else _get_mapped_path(self.bounds),
            past=None if self.past is None else _get_mapped_path(self.past),
            # Both arrays of a kind of certain stops are parts of one file, so either of them names it.
            certain_stops=tuple(_get_mapped_path(bust_values) for _, bust_values in self.certain_stops),
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
        past: (rows, totals, seats - 1) what the opponents get once the mover has banked a total from the target on;
            None if reaching the target wins.
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
        work: how many choices were compared for a block of lanes, and the number of passes over a block.
        values: (cycles, movers, seats) the values or bounds of the line after a zero turn of each mover of a cycle, by
            seat from the next mover on; None if they were written to shared tables.
        certain_stops: as in the block; of a shared block, the path of the file that holds them.
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
        race: the race.
        distinct_rows: (rows,) the numbers of the different rows, ascending. This is their order in the block.
        row_numbers: (cycles, seats) for each mover of a cycle, the index in ``distinct_rows`` of the row that it faces.
        mover_states: (rows,) the own state of the mover who faces the row.
        totals_above, states_above: (rows, totals) and (rows, own states), whether a total, or the score of a state, is
            above the mover's score.
        states_read_by_responses: (rows, own states), whether bounds of best responses read the value there.
    """

    def __init__(self, race: MultiplayerRace, cycles: Cycles, rows: Rows) -> None:
        """List the different rows among those that the movers of some cycles face, and find their movers' states.

        Args:
            race: the race.
            cycles: (cycles, seats) of one layer, the states of the players.
            rows: (cycles, seats) the numbers of the rows that their movers face: row [c, m] is faced by a player with
                the own state ``cycles[c, m]``.
        """
        self.race = race
        self.distinct_rows, first_occurrences, numbers = np.unique(rows, return_index=True, return_inverse=True)
        self.row_numbers = numbers.reshape(rows.shape)
        # A row occurs with one mover only: its total and that of the layer leave one state for the mover.
        self.mover_states = cycles.ravel()[first_occurrences]

    @cached_property
    def totals_above(self) -> NDArray[np.bool_]:
        """(rows, totals): whether a total is above the score of the mover who faces the row."""
        kernel_seat = self.race.kernel_seat
        total_count = len(kernel_seat.always_stop)  # an array by total
        totals = np.arange(total_count)
        mover_scores = kernel_seat.score_totals[self.mover_states]
        is_above: NDArray[np.bool_] = totals > mover_scores[:, None]
        return is_above

    @cached_property
    def states_above(self) -> NDArray[np.bool_]:
        """(rows, own states): whether an own state has a higher score than that of the mover who faces the row.

        Own states are numbered by score, and the compiled kernel counts no busts in a row.
        """
        states = np.arange(self.race.equations.count)
        is_above: NDArray[np.bool_] = states > self.mover_states[:, None]
        return is_above

    @cached_property
    def states_read_by_responses(self) -> NDArray[np.bool_]:
        """(rows, own states): whether the bounds of best responses read the value of a state after the mover's turn.

        Besides the states above the mover's these are its own, to which a bust leads, and state 0: the kernel reads
        state 0 for totals that cannot occur.
        """
        is_read = self.states_above.copy()
        row_indices = np.arange(len(self.mover_states))
        is_read[row_indices, self.mover_states] = True
        is_read[:, 0] = True
        return is_read

    def cut_stops(self, table_stops: list[CertainStops]) -> list[CertainStops]:
        """Copy the certain stops at totals above the movers' scores, from those of all rows and totals.

        Args:
            table_stops: those of the equilibrium, then those of best responses if these are being computed. Each is a
                set of modes by row and total (all rows, totals), and a bust value by row (all rows,).

        Returns:
            The list with the sets of modes as (needed totals,): of each row in ``distinct_rows`` the totals above its
            mover's score, one row after the other. The bust values are (rows,).
        """
        parts = []
        for mode_sets, bust_values in table_stops:
            mode_sets_of_rows = mode_sets[self.distinct_rows]  # (these rows, totals)
            part_mode_sets = mode_sets_of_rows[self.totals_above]  # the marked totals of all rows in one axis
            parts.append((part_mode_sets, bust_values[self.distinct_rows]))
        return parts

    def paste_stops(self, table_stops: list[CertainStops], parts: list[CertainStops]) -> None:
        """Write certain stops at totals above the movers' scores into those of all rows and totals.

        Args:
            table_stops: written: sets of modes by row and total (all rows, totals), and bust values (all rows,), for
                each kind of stops: of the equilibrium, and of best responses.
            parts: for each kind, the sets of modes (needed totals,) and the bust values (rows,). The needed totals are
                those above the mover's score, of each row in ``distinct_rows`` one after the other.
        """
        for whole, part in zip(table_stops, parts, strict=True):
            mode_sets, bust_values = whole
            part_mode_sets, part_bust_values = part
            mode_sets_of_rows = mode_sets[self.distinct_rows]  # a copy: (these rows, totals)
            mode_sets_of_rows[self.totals_above] = part_mode_sets
            mode_sets[self.distinct_rows] = mode_sets_of_rows
            bust_values[self.distinct_rows] = part_bust_values


def _list_stored_seats(seats: int) -> list[int]:
    """Return the columns of a value table that a block stores: all but the last seat but one.

    The kernel does not read that seat: the shares of all seats add up to 1, so it gets the rest.
    """
    last_seat = seats - 1
    return [*range(seats - 2), last_seat]


# --- the client's side


def cut_block(race: MultiplayerRace, tables: Tables, solver: CycleSolver, cycles: Cycles) -> CycleBlock:
    """Copy from whole tables what a worker needs to solve some cycles.

    The cycles read only the rows that their movers face, and of these only states above the movers' scores. To bound
    best responses, the values of a few more states are read (``_RowParts.states_read_by_responses``).

    Args:
        race: the race.
        tables: the whole tables. If they have bounds, bounds are being computed, otherwise values.
        solver: the kernel on these tables, which guesses zero values.
        cycles: (cycles, seats) of one layer, whose higher layers are solved.
    """
    rows = race.rows_of(cycles)  # (cycles, seats), numbered as in the whole tables
    parts = _RowParts(race, cycles, rows)
    win = _view_by_row(race, tables.win)
    # Below, a mask over (rows, own states) makes one axis of the marked states of all rows.
    if tables.bounds is None:
        assert isinstance(solver, SeatsKernel)  # only races that the kernel can solve are sent to workers
        zero_values = solver.guess_zero_values(cycles, rows)  # (cycles, seats)
        needed_win = win[parts.distinct_rows][parts.states_above]  # (needed states, seats)
        block_win = needed_win[:, _list_stored_seats(race.seats)]  # without one seat, which gets the rest
        block_bounds = None
    else:
        mover = race.seats - 1  # the last seat after its turn
        zero_values = win[rows, cycles, mover]  # (cycles, seats): after a zero turn the mover has its old state
        block_win = win[parts.distinct_rows, :, mover][parts.states_read_by_responses]  # (needed states,)
        bounds = _view_by_row(race, tables.bounds)
        block_bounds = bounds[parts.distinct_rows][parts.states_above]  # (needed states, seats)
    return CycleBlock(
        cycles=cycles,
        rows=parts.row_numbers,
        zero_values=zero_values,
        win=block_win,
        bounds=block_bounds,
        past=None if tables.past is None else tables.past[parts.distinct_rows],
        certain_stops=parts.cut_stops(tables.certain_stops),
    )


def _view_by_row(race: MultiplayerRace, table: Doubles) -> Doubles:
    """View a table by the row that a mover faced, and by the mover's own state after its turn.

    In the position after the turn the mover is the last seat. So the position's line is row * count + own state.

    Args:
        race: the race.
        table: (states, seats) a whole table.

    Returns:
        (rows, own states, seats) a view of the table: what is written to it is written to the table.
    """
    return table.reshape(-1, race.equations.count, race.seats)


def share_block(files: TableFiles, cycles: Cycles) -> SharedBlock:
    """Return a block of cycles in tables that are files, and create an empty file for the certain stops of its worker.

    Args:
        files: the files of the tables; the new file is in the folder of the value table.
        cycles: (cycles, seats) to be solved.
    """
    stops_file = Path(files.win).with_name(uuid.uuid4().hex)
    stops_file.touch()
    return SharedBlock(cycles, files, str(stops_file))


def paste_block(race: MultiplayerRace, tables: Tables, cycles: Cycles, solved: SolvedBlock) -> None:
    """Write the result of a block into whole tables.

    Args:
        race: the race.
        tables: the whole tables, written: bounds if they are being computed, else values; and certain stops. The worker
            of a shared block has written its values there already.
        cycles: (cycles, seats) of the block.
        solved: the result.
    """
    rows = race.rows_of(cycles)
    if isinstance(solved.certain_stops, str):  # the path of a file: a shared block, whose values are in the tables
        _read_stops_file(tables, rows.ravel(), Path(solved.certain_stops))
        return
    table = _view_by_row(race, tables.win if tables.bounds is None else tables.bounds)
    table[rows, cycles] = solved.values  # of positions after a zero turn, in which the mover has its old state
    _RowParts(race, cycles, rows).paste_stops(tables.certain_stops, solved.certain_stops)


def _read_stops_file(tables: Tables, rows: Rows, path: Path) -> None:
    """Copy the certain stops of some rows from the file of a shared block into the tables, and remove the file.

    For each kind of stops the file holds the sets of modes by row and total, and then the bust values by row.

    Args:
        tables: their certain stops are written.
        rows: (rows,) the numbers of the rows, in the order of the file.
        path: the path of the file.
    """
    with path.open("rb") as file:
        # A worker that still computes these stops writes them only if the file exists (``_write_stops_file``). So it is
        # removed before it is read; an open file can be read all the same.
        path.unlink()
        for mode_sets, bust_values in tables.certain_stops:
            total_count = mode_sets.shape[1]
            mode_sets_of_rows = np.fromfile(file, dtype=mode_sets.dtype, count=len(rows) * total_count)
            mode_sets[rows] = mode_sets_of_rows.reshape(len(rows), total_count)
            bust_values[rows] = np.fromfile(file, count=len(rows))


def _write_stops_file(certain_stops: list[CertainStops], rows: Rows, path: Path) -> None:
    """Write the certain stops of some rows to a file that exists; do nothing if the client has removed it.

    For each kind of stops the file gets the sets of modes by row and total, and then the bust values by row.

    Args:
        certain_stops: of the equilibrium, and of best responses if these are being computed.
        rows: (rows,) the numbers of the rows, in the order of the file.
        path: the path of the file.
    """
    with suppress(FileNotFoundError), path.open("r+b") as file:
        for mode_sets, bust_values in certain_stops:
            mode_sets[rows].tofile(file)
            bust_values[rows].tofile(file)


# --- the worker's side


def solve_block(problem_json: str, block: CycleBlock | SharedBlock) -> SolvedBlock:
    """Solve some cycles of one layer in a worker process; this is the function of a task of a cluster.

    Args:
        problem_json: the problem as JSON text (see ``PlayableGame.problem_key``).
        block: the cycles. A ``CycleBlock`` carries all that is needed to solve them; a ``SharedBlock`` names the files
            of the tables on this machine.
    """
    if isinstance(block, CycleBlock):
        return _solve_with_own_data(_compile_race(problem_json), block)
    return _solve_in_shared_tables(problem_json, block)


def _solve_with_own_data(race: MultiplayerRace, block: CycleBlock) -> SolvedBlock:
    """Solve a block that carries its data, in small tables of only the rows that its movers face.

    The tables are by row and by own state, as those of all rows are. What the block does not carry stays 0, because the
    kernel does not read it. Row numbers of the block count its rows only, so they are indices in these tables.

    Args:
        race: the race.
        block: the cycles, with the parts of rows that they read. Bounds are computed if it has any, else values.

    Returns:
        The values or bounds of the block's lines, with the certain stops that were proved.
    """
    seats = race.seats
    parts = _RowParts(race, block.cycles, block.rows)  # its distinct rows are 0, 1, ...
    row_count = len(parts.distinct_rows)
    win = np.zeros((row_count, race.equations.count, seats))  # by row, and by the state of its mover after the turn
    certain_stops = [race.certain_stop_arrays(row_count) for _ in block.certain_stops]
    parts.paste_stops(certain_stops, block.certain_stops)
    solver = race.kernel_solver(win.reshape(-1), block.past, certain_stops[:1])
    if block.bounds is None:
        written_table = win
        _paste_values(block, parts, win)
    else:
        _, stops_of_responses = certain_stops
        written_table = np.zeros_like(win)
        solver.bound_best_responses(written_table.reshape(-1), [stops_of_responses])
        _paste_bounds(block, parts, win, written_table)
    status, work = _solve_all(solver, block.cycles, block.rows, block.zero_values)
    # The position in which a mover still has its old state, after a zero turn, is a line of the cycle.
    results = written_table[block.rows, block.cycles]  # (cycles, movers, seats): values, or bounds
    return SolvedBlock(status, work, results, parts.cut_stops(certain_stops))


def _paste_values(block: CycleBlock, parts: _RowParts, win: Doubles) -> None:
    """Copy the values that a block carries into a small table: those of states above the movers' scores.

    Args:
        block: the block, which carries the values of all seats but one; the kernel does not read that one.
        parts: the parts of rows that the block carries, as masks (rows, own states) of the table's entries.
        win: (rows, own states, seats) the table of values.
    """
    seats = win.shape[-1]
    shares = np.zeros((len(block.win), seats))
    shares[:, _list_stored_seats(seats)] = block.win
    win[parts.states_above] = shares


def _paste_bounds(block: CycleBlock, parts: _RowParts, win: Doubles, bounds: Doubles) -> None:
    """Copy the values and the bounds of best responses that a block carries into small tables.

    To bound best responses, only the mover's values are read, because they decide the mover's stored policy. After its
    turn the mover is the last seat.

    Args:
        block: the block. Its ``win`` is (needed states,), the mover's values.
        parts: the parts of rows that the block carries, as masks (rows, own states) of the tables' entries.
        win: (rows, own states, seats) the table of values; written.
        bounds: of the same shape, the table of bounds; written.
    """
    mover = win.shape[-1] - 1
    win[parts.states_read_by_responses, mover] = block.win
    bounds[parts.states_above] = block.bounds


def _solve_in_shared_tables(problem_json: str, block: SharedBlock) -> SolvedBlock:
    """Solve a block in the tables that all processes of this machine map, and write its certain stops to its file.

    A cluster may run a task a second time, on another worker. The client has created the file with the task, and
    removes it when it takes the first result. If the file is gone, nothing is solved, and the result is empty, because
    nobody waits for it.

    Args:
        problem_json: the problem as JSON text.
        block: the cycles and the files of the tables, to which the values are written.
    """
    shared = _map_tables(problem_json, block.files)
    rows = _compile_race(problem_json).rows_of(block.cycles)  # (cycles, seats)
    block_rows = rows.ravel()
    stops_file = Path(block.stops_file)
    # Begin with the certain stops that the client has now: those of the equilibrium, and those of best responses once
    # these are computed. Either are a pair of arrays by row: mode sets and bust values.
    for own_stops, client_stops in zip(shared.own_stops, shared.client_stops, strict=True):
        for own_array, client_array in zip(own_stops, client_stops, strict=True):
            own_array[block_rows] = client_array[block_rows]
    # Checked after reading: if the file is still there, the client had not changed what was read.
    if not stops_file.exists():
        no_status = np.zeros(0, dtype=np.uint8)
        no_work = (0, 0)
        return SolvedBlock(no_status, no_work, values=None, certain_stops=block.stops_file)
    zero_values = None  # the solver guesses them
    status, work = _solve_all(shared.solver, block.cycles, rows, zero_values)
    _write_stops_file(shared.own_stops, block_rows, stops_file)
    return SolvedBlock(status, work, values=None, certain_stops=block.stops_file)  # the values are in the tables


def _solve_all(solver: CycleSolver, cycles: Cycles, rows: Rows, zero_values: Doubles | None) -> tuple[Statuses, Work]:
    """Solve cycles in one thread; the solver writes their values to its table.

    Args:
        solver: of cycles.
        cycles: (cycles, seats) the players' states.
        rows: (cycles, seats) the rows of the solver's table that the movers face.
        zero_values: (cycles, seats) first guesses of what a zero turn is worth; None to let the solver guess.

    Returns:
        By cycle, 0 if it is solved, else why not; and the work: choices compared, passes over a block of lanes.
    """
    status = np.zeros(len(cycles), dtype=np.uint8)
    next_cycle = np.zeros(1, dtype=np.int64)  # a counter that threads would share: cycles are taken from 0 on
    work = solver.solve(cycles, rows, zero_values, next_cycle, status)
    return status, work


@lru_cache(maxsize=4)
def _compile_race(problem_json: str) -> MultiplayerRace:
    """Return the race of a problem given as JSON text; it is cached, so that all blocks of a problem share it."""
    from .. import problem_from_key  # here, because that package imports this module

    fields: Mapping[str, Any] = json.loads(problem_json)
    problem: Any = problem_from_key(fields)
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
def _map_tables(problem_json: str, files: TableFiles) -> _MappedTables:
    """Map the table files of this machine into memory, and set up a solver on them.

    The solver writes to the value table or the bounds in place, but keeps certain stops of its own. Those of the client
    are only read. The result is cached: a worker has one thread, so one solver is enough for all its blocks.

    Args:
        problem_json: the problem as JSON text.
        files: the files of the tables.
    """
    race = _compile_race(problem_json)
    row_count = race.equations.rows
    past = None  # what follows totals from the target on, by row, total and opponent
    if files.past is not None:
        past = _map_file(files.past, "r").reshape(row_count, -1, race.seats - 1)
    client_stops = []  # of the equilibrium, and of best responses if these are being computed
    for path in files.certain_stops:
        map_doubles = partial(_map_file, path, "r")  # maps a number of doubles, which it gets as its argument
        client_stops.append(race.certain_stop_arrays(row_count, allocate=map_doubles))
    own_stops = [race.certain_stop_arrays(row_count) for _ in client_stops]  # empty at first
    solver = race.kernel_solver(_map_file(files.win, "r+"), past, own_stops[:1])
    if files.bounds is not None:
        solver.bound_best_responses(_map_file(files.bounds, "r+"), own_stops[1:])
    return _MappedTables(solver, client_stops, own_stops)


def _map_file(path: str, file_mode: Literal["r", "r+"], size: int | None = None) -> Doubles:
    """Map a file of doubles into memory, as an array (doubles,).

    Args:
        path: the path of the file.
        file_mode: "r" to read it only, "r+" to read and write it.
        size: how many doubles to map, from the first on; None for the whole file.
    """
    return np.memmap(path, dtype=np.float64, mode=file_mode, shape=size)


def _get_mapped_path(table: Doubles) -> str:
    """Return the path of the file that a table is mapped from."""
    assert isinstance(table, np.memmap)
    return str(table.filename)
