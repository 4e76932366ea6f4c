"""Blocks of a layer's cycles, solved apart from the whole table, in another process or on another machine.

What the movers of a cycle can come to stands in the rows that they face, above their own scores. So a block carries
these parts of rows, with what is known of certain stops there, and the guesses that its cycles start from. Whoever
solves it needs nothing else but the question, and keeps nothing; what comes back are the values of the block's
positions and what has become known. The kernel sees the same numbers in the same order as on the whole table, in units
of the same cycles, so the bits are the same too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.seats import SeatsKernel
from ...turns.push import Doubles
from .seatskernel import SeatsRace

Cycles = NDArray[np.int32]
Rows = NDArray[np.int64]
Known = list[tuple[NDArray[np.uint16], Doubles]]


@dataclass(frozen=True)
class Block:
    """Cycles, (cycles, seats); their ``rows``, numbered within the block; ``busts`` to start from.

    Of each row the part above the mover's score, all rows in one: ``win`` (places, seats - 1), without what the seat
    before the mover gets, and ``known``. Where best replies are found, ``win`` (places,) is what the mover gets, and
    ``most`` (places, seats) are the bounds.
    """

    cycles: Cycles
    rows: Rows
    busts: Doubles
    win: Doubles
    most: Doubles | None
    known: Known


@dataclass(frozen=True)
class SolvedBlock:
    """How each cycle went; ``values`` (cycles, seats, seats) after a zero turn of each mover; what is ``known`` now,
    as in the block; choices weighed and passes.
    """

    status: NDArray[np.uint8]
    values: Doubles
    known: Known
    work: tuple[int, int]


class _Parts:
    """Which parts of the rows of some cycles matter. ``rows`` of the whole table, in the order of the block."""

    def __init__(self, race: SeatsRace, cycles: Cycles, rows: Rows) -> None:
        self.rows, first, numbers = np.unique(rows, return_index=True, return_inverse=True)
        self.numbers = numbers.reshape(rows.shape)
        movers = cycles.ravel()[first]
        self.above = np.arange(len(race.points)) > movers[:, None]
        self.totals = np.arange(len(race.ends)) > race.points[movers][:, None]
        # In a best reply the play is read where it has been solved already: at what a bust leads to, and at the place
        # that stands for totals that cannot occur.
        self.played = self.above.copy()
        self.played[np.arange(len(movers)), movers] = self.played[:, 0] = True


def _shares(seats: int) -> list[int]:
    """The columns of a table that the play is found from: the seat before the mover gets what the others leave."""
    return [*range(seats - 2), seats - 1]


def cut(race: SeatsRace, kernel: SeatsKernel, win: Doubles, most: Doubles | None, cycles: Cycles) -> Block:
    """Cut a block from whole tables, (places, seats); ``most`` where best replies are to be found."""
    count, seats, rows = len(race.points), race.seats, race.rows(cycles)
    parts = _Parts(race, cycles, rows)
    table = win.reshape(-1, count, seats)
    if most is None:
        busts = kernel.guess(cycles, rows)
        shares = table[parts.rows][parts.above][:, _shares(seats)]
        replies = None
    else:
        busts = table[rows, cycles, seats - 1]
        shares = table[parts.rows, :, seats - 1][parts.played]
        replies = most.reshape(-1, count, seats)[parts.rows][parts.above]
    known = [(stops[parts.rows][parts.totals], stops_for[parts.rows]) for stops, stops_for in kernel.known()]
    return Block(cycles, parts.numbers, busts, shares, replies, known)


def paste(
    race: SeatsRace, kernel: SeatsKernel, win: Doubles, most: Doubles | None, cycles: Cycles, solved: SolvedBlock
) -> None:
    """Put what came of a block into the whole tables."""
    rows = race.rows(cycles)
    table = (win if most is None else most).reshape(-1, len(race.points), race.seats)
    table[rows, cycles] = solved.values
    parts = _Parts(race, cycles, rows)
    for (stops, stops_for), (stops_now, stops_for_now) in zip(kernel.known(), solved.known, strict=True):
        here = stops[parts.rows]
        here[parts.totals] = stops_now
        stops[parts.rows], stops_for[parts.rows] = here, stops_for_now


def solve_block(question: str, block: Block) -> SolvedBlock:
    """Solve a block of a question (as JSON), wherever this runs."""
    race = _race(question)
    seats, count = race.seats, len(race.points)
    parts = _Parts(race, block.cycles, block.rows)
    win = np.zeros((len(parts.rows), count, seats))
    kernel = race.kernel(win.reshape(-1))
    if block.most is None:
        found = win
        shares = np.zeros((len(block.win), seats))
        shares[:, _shares(seats)] = block.win
        win[parts.above] = shares
    else:
        found = np.zeros_like(win)
        kernel.judge(found.reshape(-1))
        win[parts.played, seats - 1] = block.win
        found[parts.above] = block.most
    for (stops, stops_for), (stops_then, stops_for_then) in zip(kernel.known(), block.known, strict=True):
        stops[parts.totals], stops_for[:] = stops_then, stops_for_then
    status, following = np.zeros(len(block.cycles), dtype=np.uint8), np.zeros(1, dtype=np.int64)
    work = kernel.solve(block.cycles, block.rows, block.busts, following, status)
    known = [(stops[parts.totals], stops_for) for stops, stops_for in kernel.known()]
    return SolvedBlock(status, found[block.rows, block.cycles], known, work)


@lru_cache(maxsize=4)
def _race(question: str) -> SeatsRace:
    """A question compiled: once, for all blocks that come."""
    from .. import asked

    told: Mapping[str, Any] = json.loads(question)
    match: Any = asked(told)
    return SeatsRace(match.ladder, match.players)
