"""Where values are kept: tables that ship with the package, the user's cache, and files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import tables
from ..games import Game
from ..solvers import ArraySpec, Problem, ValueTable
from ..solvers import problem_from_question as ask_again
from ..storage import table_files
from ..storage.verified_files import FileStamp
from ..util import progress_reporting
from ..util.errors import InputError, TableError
from ..util.text import title_problem
from ..version import ENGINE
from .solved_problem import SolvedProblem

MAX_ERROR_BOUND = 1e-3  # no solve states a wider one
SUM_ROUNDING = 2.0**-52  # of a sum, for each number added
NUMBERS_PER_CHUNK = 1 << 20  # numbers of a table that are checked at once


def table_name(of: Problem[Any]) -> str:
    """File name of a question's table, shipped or cached."""
    return f"{of.game.id}-{of.objective}-{table_files.fingerprint(of.playable.question)}.npz"


def shipped_objectives(of: Game) -> list[str]:
    """Objectives of a game (under its rules) whose tables ship with the package."""
    files = [path.name for path in _shipped_folder().glob(f"{of.id}-*.npz")]
    return [objective for objective in of.objectives if any(f"{of.id}-{objective}-" in name for name in files)]


def find_table(asked: Problem[Any]) -> SolvedProblem | None:
    """What ships or is kept in the cache of a match; None where nothing is.

    A match on demand ships in part at most: who has solved the whole of it has it in the cache.
    """
    name, places = table_name(asked), {"shipped": _shipped_folder, "cache": _cached_tables_folder}
    sources = ("cache", "shipped") if asked.solves_on_demand else ("shipped", "cache")
    return next((found for one in sources if (found := _load_if_present(places[one]() / name, asked, one))), None)


def cache_table(known: SolvedProblem) -> None:
    """Keep a solved question in the user's cache; a warning says why where that cannot be."""
    cached = _cached_tables_folder() / table_name(known.problem)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        known.save(cached)
    except (OSError, InputError) as error:
        told = f"{cached.parent}: {error.strerror}" if isinstance(error, OSError) else error
        progress_reporting.warn(f"the solution is not kept: {told}")


def load_table(path: str | os.PathLike[str]) -> SolvedProblem:
    """Read a value table; executes nothing of the file.

    Raises:
        TableError: no such file, damaged, foreign, or made for rules that this engine does not know.
    """
    with table_files.open_table(path) as table:
        return _validate_table(table, _problem_of(table), str(path))


def _problem_of(table: table_files.TableFile) -> Problem[Any]:
    """The match that a table's head says it answers."""
    head = table.head
    try:
        return ask_again(head)
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise TableError(f"{table.path} answers no question that this engine knows: {error}") from None


def _load_if_present(path: Path, asked: Problem[Any], source: str) -> SolvedProblem | None:
    """Return what a kept table holds; None where there is none, or, said so, none that this engine solved."""
    if not os.path.exists(path):
        return None
    try:
        with table_files.open_table(path) as table:
            if table.head.get("engine") != ENGINE:
                raise TableError(f"{path} is of another version than {ENGINE}")
            return _validate_table(table, asked, source)
    except TableError as error:
        progress_reporting.warn(f"{error}; solving anew")
        return None


def _validate_table(table: table_files.TableFile, asked: Problem[Any], source: str) -> SolvedProblem:
    """What a table holds, once everything that can be checked without solving is: values lie where they can."""
    path, head = table.path, table.head
    if head.get("fingerprint") != table_files.fingerprint(asked.playable.question):
        raise TableError(f"{path} was made for other rules: its fingerprint does not match")
    asks = asked.array_specs()
    if asked.solves_on_demand:  # its table may hold a part: the rest is solved when asked about
        asks = {name: one for name, one in asks.items() if name in table.names}
    stamp = FileStamp(path, table.file, cache_folder() / "checked") if table.is_large else None
    known = stamp is not None and stamp.is_verified
    arrays = table.arrays({name: one.shape for name, one in asks.items()}, known)
    axes = {name: one.fixed_values for name, one in asks.items() if one.fixed_values is not None}
    if any(not np.array_equal(arrays[name], axis) for name, axis in axes.items()):
        raise TableError(f"{path} is damaged: its {', '.join(axes)} are not those of the question")
    bound = head.get("error_bound")
    if not isinstance(bound, float) or not 0 <= bound <= MAX_ERROR_BOUND:
        raise TableError(f"{path} is damaged: its error bound is not one")
    if not known:
        _check_numbers(path, asked, asks, arrays, bound)
    if wrong := title_problem(str(head.get("engine"))):
        raise TableError(f"{path} is damaged: the name of the engine that solved it {wrong}")
    if stamp and not known:
        stamp.mark_verified()
    return SolvedProblem(asked, ValueTable(arrays, bound), source, str(head.get("engine")))


def _check_numbers(
    path: Any, asked: Problem[Any], asks: Mapping[str, ArraySpec], arrays: Mapping[str, NDArray[Any]], bound: float
) -> None:
    """Refuse numbers that cannot be, and seats that do not add up to what they share."""
    total, off = 0.0 if asked.objective == "margin" else 1.0, asked.players * (bound + SUM_ROUNDING)
    for name, one in asks.items():
        if one.fixed_values is None and not _all_between(arrays[name], one.lower - bound, one.upper + bound):
            raise TableError(f"{path} is damaged: a number of {name} is none that can be")
        if one.seat_axis is not None and not _rows_sum_to(np.moveaxis(arrays[name], one.seat_axis, -1), total, off):
            raise TableError(f"{path} is damaged: what the seats get in {name} does not add up to {total:.0f}")


def _all_between(array: NDArray[Any], low: Any, high: Any) -> bool:
    """Whether all numbers lie between two bounds that fit the array."""
    bounds = [np.broadcast_to(bound, array.shape) for bound in (low, high)]
    return all(
        ((part >= least) & (part <= most) & np.isfinite(part)).all() for part, least, most in _chunks(array, *bounds)
    )


def _rows_sum_to(array: NDArray[Any], total: float, off: float) -> bool:
    """Whether every row adds up to the total, to within ``off``; rows of what cannot be hold 0."""
    return all(((abs(part.sum(axis=-1) - total) <= off) | ~part.any(axis=-1)).all() for (part,) in _chunks(array))


def _chunks(*arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Arrays of one shape part by part, as they may be larger than memory."""
    rows = len(arrays[0])
    step = max(1, NUMBERS_PER_CHUNK * rows // max(1, arrays[0].size))
    for first in range(0, rows, step):
        yield tuple(array[first : first + step] for array in arrays)


def _shipped_folder() -> Path:
    return Path(tables.__path__[0])


def _cached_tables_folder() -> Path:
    return cache_folder() / "tables"


def cache_folder() -> Path:
    """The user's folder for what was found once and is kept."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("keepwise", appauthor=False))
