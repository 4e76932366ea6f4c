"""Blocks of a layer's cycles, solved apart from the whole table, in another process or on another machine.

What the movers of a cycle can come to stands in the rows that they face, above their own scores. So a block carries
these parts of rows, with what is known of certain stops there, and the guesses that its cycles start from. Whoever
solves it needs nothing else but the question, and keeps nothing; what comes back are the values of the block's
positions and what has become known. The kernel sees the same numbers in the same order as on the whole table, in units
of the same cycles, so the bits are the same too.

On one machine all of that stands in files that all processes map (``Shared``), and blocks are cycles alone. Values are
written to the table itself: whoever does a block again after a worker was killed writes the same ones. What is known
of certain stops a worker reads in files that only the client writes; what it has made of it goes to a file of the
block's own, which the client removes before it takes that over. So whoever has read its rows and still finds the file
has read what all read who do this block, and writes the same bytes, however late; nobody waits for one that does not
find it. No two blocks of a layer have a row in common: the row and the layer's total tell the mover's score.
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
from .multiplayer_kernel import SeatsRace, Stops

Cycles = NDArray[np.int32]
Rows = NDArray[np.int64]
Known = list[Stops]


@dataclass(frozen=True)
class Block:
    """Cycles, (cycles, seats); their ``rows``, numbered within the block; ``busts`` to start from.

    Of each row the part above the mover's score, all rows in one: ``win`` (places, seats - 1), without what the seat
    before the mover gets, and ``known``. Where best replies are found, ``win`` (places,) is what the mover gets, and
    ``most`` (places, seats) are the bounds. ``past`` (rows, totals, seats - 1): what follows past the target.
    """

    cycles: Cycles
    rows: Rows
    busts: Doubles
    win: Doubles
    most: Doubles | None
    past: Doubles | None
    known: Known


@dataclass(frozen=True)
class Files:
    """Whole tables as files: of what everybody gets, of best replies where these are to be found, of what follows past
    the target where that is not the end, and of certain stops for each pass.
    """

    win: str
    most: str | None
    past: str | None
    known: tuple[str, ...]


@dataclass(frozen=True)
class Shared:
    """A block whose tables are files; ``made``: where to write what is known of certain stops when it is done."""

    cycles: Cycles
    files: Files
    made: str


@dataclass(frozen=True)
class SolvedBlock:
    """How each cycle went; choices weighed and passes. Of a block ``values`` (cycles, seats, seats) after a zero turn
    of each mover, and what is ``known`` now, as in the block; of a shared one, which has written values, its file.
    """

    status: NDArray[np.uint8]
    work: tuple[int, int]
    values: Doubles | None
    known: Known | str


@dataclass(frozen=True)
class Tables:
    """Whole tables and the kernel on them: ``win`` (places, seats), ``most`` where best replies are to be found,
    ``past`` where totals past the target are not the end, and certain stops for each pass.
    """

    kernel: SeatsKernel
    win: Doubles
    most: Doubles | None
    past: Doubles | None
    known: list[Stops]

    def files(self) -> Files:
        """Where they are; they must be files."""
        most, past = (None if table is None else _file(table) for table in (self.most, self.past))
        return Files(_file(self.win), most, past, tuple(_file(busts) for _, busts in self.known))


def _file(table: Doubles) -> str:
    assert isinstance(table, np.memmap)
    return str(table.filename)


class _Parts:
    """Which parts of the rows of some cycles matter. ``rows`` of the whole table, in the order of the block."""

    def __init__(self, race: SeatsRace, cycles: Cycles, rows: Rows) -> None:
        self.rows, first, numbers = np.unique(rows, return_index=True, return_inverse=True)
        self.numbers = numbers.reshape(rows.shape)
        self.race, self.movers = race, cycles.ravel()[first]

    @cached_property
    def totals(self) -> NDArray[np.bool_]:
        """The totals above a mover's: (rows, totals)."""
        above: NDArray[np.bool_] = np.arange(len(self.race.ends)) > self.race.points[self.movers][:, None]
        return above

    @cached_property
    def above(self) -> NDArray[np.bool_]:
        """The scores above a mover's: (rows, scores)."""
        above: NDArray[np.bool_] = np.arange(len(self.race.points)) > self.movers[:, None]
        return above

    @cached_property
    def played(self) -> NDArray[np.bool_]:
        """Where a best reply reads the play: also what a bust leads to, which has been solved, and the place that
        stands for totals that cannot occur.
        """
        played = self.above.copy()
        played[np.arange(len(self.movers)), self.movers] = played[:, 0] = True
        return played

    def known(self, held: list[Stops]) -> Known:
        """What is known of certain stops in these parts."""
        return [(stops[self.rows][self.totals], stops_for[self.rows]) for stops, stops_for in held]

    def learn(self, held: list[Stops], known: Known) -> None:
        """Let it be known."""
        for (stops, stops_for), (stops_told, stops_for_told) in zip(held, known, strict=True):
            here = stops[self.rows]
            here[self.totals] = stops_told
            stops[self.rows], stops_for[self.rows] = here, stops_for_told


def _shares(seats: int) -> list[int]:
    """The columns of a table that the play is found from: the seat before the mover gets what the others leave."""
    return [*range(seats - 2), seats - 1]


def cut(race: SeatsRace, tables: Tables, cycles: Cycles) -> Block:
    """Cut a block from whole tables."""
    count, seats, rows = len(race.points), race.seats, race.rows(cycles)
    parts = _Parts(race, cycles, rows)
    known = parts.known(tables.known)
    table, most = tables.win.reshape(-1, count, seats), tables.most
    past = None if tables.past is None else tables.past[parts.rows]
    if most is None:
        busts = tables.kernel.guess(cycles, rows)
        shares = table[parts.rows][parts.above][:, _shares(seats)]
        return Block(cycles, parts.numbers, busts, shares, None, past, known)
    busts = table[rows, cycles, seats - 1]
    shares = table[parts.rows, :, seats - 1][parts.played]
    above = most.reshape(-1, count, seats)[parts.rows][parts.above]
    return Block(cycles, parts.numbers, busts, shares, above, past, known)


def share(files: Files, cycles: Cycles) -> Shared:
    """A block of tables that are files."""
    made = Path(files.win).with_name(uuid.uuid4().hex)
    made.touch()
    return Shared(cycles, files, str(made))


def _take(tables: Tables, rows: Rows, made: Path) -> None:
    """Take over what is known of certain stops now in the rows of a shared block."""
    with made.open("rb") as file:
        made.unlink()
        for stops, stops_for in tables.known:
            told = np.fromfile(file, dtype=stops.dtype, count=len(rows) * stops.shape[1])
            stops[rows] = told.reshape(len(rows), -1)
            stops_for[rows] = np.fromfile(file, count=len(rows))


def paste(race: SeatsRace, tables: Tables, cycles: Cycles, solved: SolvedBlock) -> None:
    """Put what came of a block into the whole tables."""
    rows = race.rows(cycles)
    if isinstance(solved.known, str):
        _take(tables, rows.ravel(), Path(solved.known))
        return
    table = (tables.win if tables.most is None else tables.most).reshape(-1, len(race.points), race.seats)
    table[rows, cycles] = solved.values
    _Parts(race, cycles, rows).learn(tables.known, solved.known)


def solve_block(question: str, block: Block | Shared) -> SolvedBlock:
    """Solve a block of a question (as JSON), wherever this runs."""
    race = _race(question)
    return _solve_apart(race, block) if isinstance(block, Block) else _solve_shared(race, block, question)


def _solve_apart(race: SeatsRace, block: Block) -> SolvedBlock:
    seats, count = race.seats, len(race.points)
    parts = _Parts(race, block.cycles, block.rows)
    win = np.zeros((len(parts.rows), count, seats))
    held = [race.stops(len(parts.rows)) for _ in block.known]
    parts.learn(held, block.known)
    kernel = race.kernel(win.reshape(-1), block.past, held[0])
    if block.most is None:
        found = win
        shares = np.zeros((len(block.win), seats))
        shares[:, _shares(seats)] = block.win
        win[parts.above] = shares
    else:
        found = np.zeros_like(win)
        kernel.judge(found.reshape(-1), held[1])
        win[parts.played, seats - 1] = block.win
        found[parts.above] = block.most
    status, work = _solved(kernel, block.cycles, block.rows, block.busts)
    return SolvedBlock(status, work, found[block.rows, block.cycles], parts.known(held))


def _solve_shared(race: SeatsRace, block: Shared, question: str) -> SolvedBlock:
    (tables, held), rows = _shared(question, block.files), race.rows(block.cycles)
    at, made = rows.ravel(), Path(block.made)
    for (stops, stops_for), (known, known_for) in zip(held, tables.known, strict=True):
        stops[at], stops_for[at] = known[at], known_for[at]
    if not made.exists():
        return SolvedBlock(np.zeros(0, dtype=np.uint8), (0, 0), None, block.made)  # too late: nobody waits for it
    status, work = _solved(tables.kernel, block.cycles, rows, None)
    with suppress(FileNotFoundError), made.open("r+b") as file:
        for stops, stops_for in held:
            stops[at].tofile(file)
            stops_for[at].tofile(file)
    return SolvedBlock(status, work, None, block.made)


def _solved(
    kernel: SeatsKernel, cycles: Cycles, rows: Rows, busts: Doubles | None
) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """How the cycles went, and what they took."""
    status, following = np.zeros(len(cycles), dtype=np.uint8), np.zeros(1, dtype=np.int64)
    return status, kernel.solve(cycles, rows, busts, following, status)


@lru_cache(maxsize=4)
def _race(question: str) -> SeatsRace:
    """A question compiled: once, for all blocks that come."""
    from .. import problem_from_question

    told: Mapping[str, Any] = json.loads(question)
    match: Any = problem_from_question(told)
    return SeatsRace(match.states, match.players)


@lru_cache(maxsize=1)
def _shared(question: str, files: Files) -> tuple[Tables, list[Stops]]:
    """Tables of this machine, and what the kernel on them knows of its own; a worker has one thread."""
    race = _race(question)
    rows = len(race.points) ** (race.seats - 1)
    win = _mapped(files.win, "r+")
    most = None if files.most is None else _mapped(files.most, "r+")
    past = None if files.past is None else _mapped(files.past, "r").reshape(rows, -1, race.seats - 1)
    known = [race.stops(rows, partial(_mapped, path, "r")) for path in files.known]
    held = [race.stops(rows) for _ in known]
    kernel = race.kernel(win, past, held[0])
    if most is not None:
        kernel.judge(most, held[1])
    return Tables(kernel, win, most, past, known), held


def _mapped(path: str, mode: Literal["r", "r+"], size: int | None = None) -> Doubles:
    return np.memmap(path, dtype=np.float64, mode=mode, shape=size)
