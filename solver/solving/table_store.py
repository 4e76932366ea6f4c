"""The stores of value tables: those shipped with the package, the user's cache, and files.

A table is used only if it is of the same problem, and if all its numbers are possible for that problem.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import tables
from ..games import Game
from ..solvers import ArraySpec, Problem, ValueTable, problem_from_question
from ..storage import table_files
from ..storage.verified_files import FileStamp
from ..util import progress_reporting
from ..util.errors import InputError, TableError
from ..util.text import title_problem
from ..version import ENGINE
from .solved_problem import SolvedProblem

MAX_ERROR_BOUND = 1e-3  # no solver states a larger one
SUM_ROUNDING = 2.0**-52  # of a sum, per number added
NUMBERS_PER_CHUNK = 1 << 20  # numbers of a table that are checked at once


def table_file_name(problem: Problem[Any]) -> str:
    """Return the file name of a problem's table, shipped or cached."""
    return f"{problem.game.id}-{problem.objective}-{table_files.fingerprint(problem.playable.problem_key)}.npz"


def shipped_objectives(game: Game) -> list[str]:
    """Return the objectives of a game for which a table is shipped, under any rule set."""
    file_names = [path.name for path in _shipped_folder().glob(f"{game.id}-*.npz")]
    objectives = []
    for objective in game.objectives:
        prefix = f"{game.id}-{objective}-"
        if any(prefix in file_name for file_name in file_names):
            objectives.append(objective)
    return objectives


def find_table(problem: Problem[Any]) -> SolvedProblem | None:
    """Return a problem with its shipped or cached table, or None if there is neither.

    The shipped table of a problem that is solved on demand holds a part of the states at most. A cached one may hold
    all of them, so the cache comes first.
    """
    file_name = table_file_name(problem)
    folder_of_source = {"shipped": _shipped_folder, "cache": _cached_tables_folder}
    sources = ("cache", "shipped") if problem.solves_on_demand else ("shipped", "cache")
    for source in sources:
        path = folder_of_source[source]() / file_name
        stored = _load_if_present(path, problem, source)
        if stored is not None:
            return stored
    return None


def cache_table(solved: SolvedProblem) -> None:
    """Save a value table in the user's cache; warn if that fails."""
    path = _cached_tables_folder() / table_file_name(solved.problem)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        solved.save(path)
    except (OSError, InputError) as error:
        reason = f"{path.parent}: {error.strerror}" if isinstance(error, OSError) else error
        progress_reporting.warn(f"cannot cache the solution: {reason}")


def load_table(path: str | os.PathLike[str]) -> SolvedProblem:
    """Load a value table from a file, and the problem that its head describes. Nothing in the file is executed.

    Raises:
        TableError: there is no such file, or it is damaged, foreign, or made for rules that this version does not know.
    """
    with table_files.open_table(path) as table:
        return _validate_table(table, _problem_of(table), str(path))


def _problem_of(table: table_files.TableFile) -> Problem[Any]:
    """Return the problem that a table's head describes."""
    try:
        return problem_from_question(table.head)
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise TableError(f"{table.path} is for a problem that this version does not support: {error}") from None


def _load_if_present(path: Path, problem: Problem[Any], source: str) -> SolvedProblem | None:
    """Return a problem with a stored table, or None; warn if the file is damaged or of another version.

    Args:
        path: where the file is looked for.
        problem: the problem that it must be of.
        source: "shipped" or "cache", which is stored as ``SolvedProblem.source``.
    """
    if not os.path.exists(path):
        return None
    try:
        with table_files.open_table(path) as table:
            if table.head.get("engine") != ENGINE:
                raise TableError(f"{path} was written by another version than {ENGINE}")
            return _validate_table(table, problem, source)
    except TableError as error:
        progress_reporting.warn(f"{error}; solving again")
        return None


def _validate_table(table: table_files.TableFile, problem: Problem[Any], source: str) -> SolvedProblem:
    """Return a problem with the values of a table file, after all checks that need no solving.

    Large files with a stamp from an earlier validation are not read again (see ``FileStamp``).

    Args:
        table: the open file.
        problem: the problem that the table must be of.
        source: where the table came from, which is stored as ``SolvedProblem.source``.

    Raises:
        TableError: a check fails.
    """
    path = table.path
    head = table.head
    if head.get("fingerprint") != table_files.fingerprint(problem.playable.problem_key):
        raise TableError(f"{path} was made for other rules: its fingerprint does not match")
    specs = problem.array_specs()
    if problem.solves_on_demand:  # the table may hold a part; the rest is solved when it is needed
        specs = {name: spec for name, spec in specs.items() if name in table.names}
    stamp = FileStamp(path, table.file, cache_folder() / "checked") if table.is_large else None
    is_verified = stamp is not None and stamp.is_verified
    shapes = {name: spec.shape for name, spec in specs.items()}
    arrays = table.read_verified_arrays(shapes, is_verified)
    _validate_fixed_arrays(path, specs, arrays)
    error_bound = head.get("error_bound")
    if not isinstance(error_bound, float) or not 0 <= error_bound <= MAX_ERROR_BOUND:
        raise TableError(f"{path} is damaged: its error bound is invalid")
    if not is_verified:
        _validate_numbers(path, problem, specs, arrays, error_bound)
    engine = str(head.get("engine"))
    engine_problem = title_problem(engine)
    if engine_problem:
        raise TableError(f"{path} is damaged: the name of the engine that solved it {engine_problem}")
    if stamp is not None and not is_verified:
        stamp.mark_verified()
    return SolvedProblem(problem, ValueTable(arrays, error_bound), source, engine)


def _validate_fixed_arrays(path: Any, specs: Mapping[str, ArraySpec], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise TableError if an array that follows from the problem without solving, such as an axis, is another one.

    Args:
        path: the file, which the message names.
        specs: the specs of the arrays, by name.
        arrays: the arrays, by name.
    """
    fixed_values = {name: spec.fixed_values for name, spec in specs.items() if spec.fixed_values is not None}
    if any(not np.array_equal(arrays[name], values) for name, values in fixed_values.items()):
        raise TableError(f"{path} is damaged: its {', '.join(fixed_values)} do not fit the problem")


def _validate_numbers(
    path: Any,
    problem: Problem[Any],
    specs: Mapping[str, ArraySpec],
    arrays: Mapping[str, NDArray[Any]],
    error_bound: float,
) -> None:
    """Raise TableError unless all values are in their range and the values of all seats have the right sum.

    Args:
        path: the file, which the messages name.
        problem: the problem that the table must be of.
        specs: the specs of the arrays, by name.
        arrays: the arrays, by name.
        error_bound: the error bound of the table, by which values may leave their range.
    """
    expected_sum = 0.0 if problem.objective == "margin" else 1.0
    sum_tolerance = problem.players * (error_bound + SUM_ROUNDING)
    for name, spec in specs.items():
        array = arrays[name]
        is_solved = spec.fixed_values is None
        if is_solved and not _all_between(array, spec.lower - error_bound, spec.upper + error_bound):
            raise TableError(f"{path} is damaged: {name} holds an impossible value")
        if spec.seat_axis is not None:
            by_state = np.moveaxis(array, spec.seat_axis, -1)
            if not _rows_sum_to(by_state, expected_sum, sum_tolerance):
                raise TableError(
                    f"{path} is damaged: the values of all seats in {name} do not add up to {expected_sum:.0f}"
                )


def _all_between(array: NDArray[Any], lower: Any, upper: Any) -> bool:
    """Return whether all numbers of an array are finite and lie between two bounds.

    Args:
        array: the numbers.
        lower: the lower bound: one number, or an array that can be broadcast to the shape of ``array``.
        upper: the upper bound, likewise.
    """
    all_lower = np.broadcast_to(lower, array.shape)
    all_upper = np.broadcast_to(upper, array.shape)
    for numbers, smallest, largest in _chunks(array, all_lower, all_upper):
        is_valid = (numbers >= smallest) & (numbers <= largest) & np.isfinite(numbers)
        if not is_valid.all():
            return False
    return True


def _rows_sum_to(array: NDArray[Any], total: float, tolerance: float) -> bool:
    """Return whether all rows along the last axis have this sum, up to a tolerance.

    Rows of zeros belong to positions that cannot occur, and are allowed.
    """
    for (rows,) in _chunks(array):
        has_sum = abs(rows.sum(axis=-1) - total) <= tolerance
        is_zero = ~rows.any(axis=-1)
        if not (has_sum | is_zero).all():
            return False
    return True


def _chunks(*arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield arrays of one shape in parts along the first axis, because mapped arrays may be larger than memory.

    A part has about ``NUMBERS_PER_CHUNK`` numbers, but at least one row.
    """
    row_count = len(arrays[0])
    number_count = max(1, arrays[0].size)
    rows_per_chunk = max(1, NUMBERS_PER_CHUNK * row_count // number_count)
    for first in range(0, row_count, rows_per_chunk):
        yield tuple(array[first : first + rows_per_chunk] for array in arrays)


def _shipped_folder() -> Path:
    return Path(tables.__path__[0])


def _cached_tables_folder() -> Path:
    return cache_folder() / "tables"


def cache_folder() -> Path:
    """Return the user's folder for cached tables and stamps."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("keepwise", appauthor=False))
