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
        win: of each row the part above the mover's score, all in one. In the first pass (places, seats - 1), without
            the seat before the mover, who gets the rest; for best responses (places,), what the mover gets.
        bounds: (places, seats) bounds of best responses; None in the first pass.
        past: (rows, totals, seats - 1) what follows totals from the target on; None if reaching the target wins.
        certain_stops: as in ``Tables``, of these parts of rows.
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
            cycles: (cycles, seats) of one layer.
            rows: (cycles, seats) the rows that their movers face.
        """
        self.race = race
        self.rows, first_places, numbers = np.unique(rows, return_index=True, return_inverse=True)
        self.numbers = numbers.reshape(rows.shape)
        # Entries of ``cycles`` and of ``rows`` belong together: the state of a mover, and the row that it faces.
        self.movers = cycles.ravel()[first_places]

    @cached_property
    def totals_above(self) -> NDArray[np.bool_]:
        """(rows, totals): whether a total is above the mover's score."""
        kernel_race = self.race.kernel_race
        totals = np.arange(len(kernel_race.always_stop))
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
    def states_played(self) -> NDArray[np.bool_]:
        """(rows, states): where a best response reads the value table.

        Besides the states above these are the mover's own, to which a bust leads, and state 0, which stands for totals
        that cannot occur.
        """
        is_played = self.states_above.copy()
        is_played[np.arange(len(self.movers)), self.movers] = True
        is_played[:, 0] = True
        return is_played

    def cut_stops(self, table_stops: list[CertainStops]) -> list[CertainStops]:
        """Return the certain stops of these parts, from those of whole rows."""
        parts = []
        for mode_sets, bust_values in table_stops:
            part_mode_sets = mode_sets[self.rows][self.totals_above]
            parts.append((part_mode_sets, bust_values[self.rows]))
        return parts

    def paste_stops(self, table_stops: list[CertainStops], parts: list[CertainStops]) -> None:
        """Write certain stops of these parts into those of whole rows.

        Args:
            table_stops: of whole rows, written.
            parts: as ``cut_stops`` returns them.
        """
        for whole, part in zip(table_stops, parts, strict=True):
            mode_sets, bust_values = whole
            part_mode_sets, part_bust_values = part
            row_mode_sets = mode_sets[self.rows]
            row_mode_sets[self.totals_above] = part_mode_sets
            mode_sets[self.rows] = row_mode_sets
            bust_values[self.rows] = part_bust_values


def _stored_seats(seats: int) -> list[int]:
    """Return the columns of a value table that determine it: the seat before the mover gets the rest.

    The mover of the turn is the last seat at the position after it, and the seat before it is the last but one.
    """
    return [*range(seats - 2), seats - 1]


# --- the client's side


def cut_block(race: MultiplayerRace, tables: Tables, solver: CycleSolver, cycles: Cycles) -> CycleBlock:
    """Cut a block from whole tables.

    Args:
        race: the race.
        tables: the whole tables; bounds are cut too if they are being computed.
        solver: the kernel on these tables, which guesses zero values.
        cycles: (cycles, seats) of one layer, whose higher layers are solved.
    """
    seats = race.seats
    rows = race.rows_of(cycles)
    parts = _RowParts(race, cycles, rows)
    win = tables.win.reshape(-1, race.equations.count, seats)  # (rows, states, seats)
    # The marked states of all rows become one axis of the block's arrays.
    if tables.bounds is None:
        assert isinstance(solver, SeatsKernel)
        zero_values = solver.guess_zero_values(cycles, rows)
        block_win = win[parts.rows][parts.states_above][:, _stored_seats(seats)]
        block_bounds = None
    else:
        bounds = tables.bounds.reshape(win.shape)
        zero_values = win[rows, cycles, seats - 1]
        block_win = win[parts.rows, :, seats - 1][parts.states_played]
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
    if isinstance(solved.certain_stops, str):  # a shared block, whose values are in the tables already
        _read_stops_file(tables, rows.ravel(), Path(solved.certain_stops))
        return
    table = tables.win if tables.bounds is None else tables.bounds
    table_by_row = table.reshape(-1, race.equations.count, race.seats)
    table_by_row[rows, cycles] = solved.values
    _RowParts(race, cycles, rows).paste_stops(tables.certain_stops, solved.certain_stops)


def _read_stops_file(tables: Tables, rows: Rows, path: Path) -> None:
    """Take over the certain stops of some rows from the file of a shared block (``_write_stops_file``), and remove it.

    The file is removed first, so that a worker that still computes them does not write any more.

    Args:
        tables: their certain stops are written.
        rows: in the order of the file.
        path: of the file.
    """
    with path.open("rb") as file:
        path.unlink()
        for mode_sets, bust_values in tables.certain_stops:
            row_mode_sets = np.fromfile(file, dtype=mode_sets.dtype, count=len(rows) * mode_sets.shape[1])
            mode_sets[rows] = row_mode_sets.reshape(len(rows), -1)
            bust_values[rows] = np.fromfile(file, count=len(rows))


def _write_stops_file(certain_stops: list[CertainStops], rows: Rows, path: Path) -> None:
    """Write the certain stops of some rows to a file that exists; do nothing if the client has removed it."""
    with suppress(FileNotFoundError), path.open("r+b") as file:
        for mode_sets, bust_values in certain_stops:
            mode_sets[rows].tofile(file)
            bust_values[rows].tofile(file)


# --- the worker's side


def solve_block(question: str, block: CycleBlock | SharedBlock) -> SolvedBlock:
    """Solve a block, in whatever process this runs.

    Args:
        question: the problem as JSON text (see ``Table.question``).
        block: the cycles and their data.
    """
    if isinstance(block, CycleBlock):
        return _solve_cut(_compile_race(question), block)
    return _solve_shared(question, block)


def _solve_cut(race: MultiplayerRace, block: CycleBlock) -> SolvedBlock:
    """Solve a block that carries its data, in tables of its own rows.

    Args:
        race: the race.
        block: the cycles, with the parts of rows that they read.
    """
    seats = race.seats
    parts = _RowParts(race, block.cycles, block.rows)
    row_count = len(parts.rows)
    win = np.zeros((row_count, race.equations.count, seats))
    certain_stops = [race.new_certain_stops(row_count) for _ in block.certain_stops]
    parts.paste_stops(certain_stops, block.certain_stops)
    solver = race.kernel_solver(win.reshape(-1), block.past, certain_stops[0])
    if block.bounds is None:
        written_table = win
        shares = np.zeros((len(block.win), seats))  # the kernel does not read the seat that is left out
        shares[:, _stored_seats(seats)] = block.win
        win[parts.states_above] = shares
    else:
        written_table = np.zeros_like(win)
        solver.bound_best_responses(written_table.reshape(-1), certain_stops[1])
        win[parts.states_played, seats - 1] = block.win
        written_table[parts.states_above] = block.bounds
    status, work = _solve_all(solver, block.cycles, block.rows, block.zero_values)
    values = written_table[block.rows, block.cycles]
    return SolvedBlock(status, work, values, parts.cut_stops(certain_stops))


def _solve_shared(question: str, block: SharedBlock) -> SolvedBlock:
    """Solve a block in the tables that all processes of this machine map.

    Args:
        question: the problem as JSON text.
        block: the cycles and the files of the tables, to which the values are written.
    """
    shared = _map_tables(question, block.files)
    rows = _compile_race(question).rows_of(block.cycles)
    block_rows = rows.ravel()
    stops_file = Path(block.stops_file)
    for own_stops, client_stops in zip(shared.own_stops, shared.client_stops, strict=True):
        for own_array, client_array in zip(own_stops, client_stops, strict=True):
            own_array[block_rows] = client_array[block_rows]
    if not stops_file.exists():  # the block has been finished by another worker
        return SolvedBlock(np.zeros(0, dtype=np.uint8), (0, 0), None, block.stops_file)
    status, work = _solve_all(shared.solver, block.cycles, rows, None)
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
    rows = race.equations.rows
    past = None
    if files.past is not None:
        past = _map_file(files.past, "r").reshape(rows, -1, race.seats - 1)
    client_stops = [race.new_certain_stops(rows, partial(_map_file, path, "r")) for path in files.certain_stops]
    own_stops = [race.new_certain_stops(rows) for _ in client_stops]
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
