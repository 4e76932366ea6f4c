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
from ..solvers import ArraySpec, Problem, ValueTable, problem_from_key
from ..storage import table_files
from ..storage.verified_files import FileStamp
from ..util import progress_reporting
from ..util.errors import InputError, TableError
from ..util.text import title_problem
from ..version import ENGINE
from .solved_problem import SolvedProblem

MAX_ERROR_BOUND = 1e-3  # no solver states a larger error bound
SUM_ROUNDING = 2.0**-52  # error of a sum of values up to 1, per number added
NUMBERS_PER_CHUNK = 1 << 20  # numbers of a table that are checked at once


def table_file_name(problem: Problem[Any]) -> str:
    """Return the file name of a problem's value table in the package and in the user's cache."""
    return f"{problem.game.id}-{problem.objective}-{table_files.fingerprint(problem.playable.problem_key)}.npz"


def shipped_objectives(game: Game) -> list[str]:
    """Return the objectives of a game for which a table is shipped, whatever its rule set."""
    # The name of a table's file is GAME-OBJECTIVE-FINGERPRINT.npz.
    file_names = [path.name for path in shipped_tables_folder().glob(f"{game.id}-*.npz")]
    objectives = []
    for objective in game.objectives:
        prefix = f"{game.id}-{objective}-"
        if any(prefix in file_name for file_name in file_names):
            objectives.append(objective)
    return objectives


def find_table(problem: Problem[Any]) -> SolvedProblem | None:
    """Return a problem with its shipped or cached table, or None if there is neither.

    Of two tables the shipped one is used. But if the problem is solved on demand, the shipped table has only some of
    the states. The cached one may have all, so it comes first.
    """
    file_name = table_file_name(problem)
    get_folder_by_source = {"shipped": shipped_tables_folder, "cache": _cached_tables_folder}
    sources = ("cache", "shipped") if problem.solves_on_demand else ("shipped", "cache")
    for source in sources:
        get_folder = get_folder_by_source[source]
        path = get_folder() / file_name
        stored = _load_if_present(path, problem, source)
        if stored is not None:
            return stored
    return None


def cache_table(solved: SolvedProblem) -> None:
    """Save the value table of a solved problem in the user's cache; print a warning if that fails."""
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
    """Return the problem that the head of a value table describes.

    Raises:
        TableError: this version has no such problem.
    """
    try:
        return problem_from_key(table.head)
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise TableError(f"{table.path} is for a problem that this version does not support: {error}") from None


def _load_if_present(path: Path, problem: Problem[Any], source: str) -> SolvedProblem | None:
    """Return a problem with its table from a file, or None if the file does not exist or cannot be used.

    A warning is printed if the file is damaged or was written by another version.

    Args:
        path: the path of the file.
        problem: the problem that the table must be of.
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
    """Return a problem with the values of a table file, after checks that no number in it is impossible.

    A large file is mapped, not read. If it has not been changed since it last passed these checks, the checks that
    would read all its numbers are left out. A stamp of the file's size and times tells that (see ``FileStamp``).

    Args:
        table: the open file.
        problem: the problem that the table must be of.
        source: where the table came from, which is stored as ``SolvedProblem.source``.

    Raises:
        TableError: a check fails.
    """
    path = table.path
    if table.head.get("fingerprint") != table_files.fingerprint(problem.playable.problem_key):
        raise TableError(f"{path} was made for other rules: its fingerprint does not match")
    specs = problem.array_specs()
    if problem.solves_on_demand:  # the table may lack arrays, whose states are solved when they are needed
        specs = {name: spec for name, spec in specs.items() if name in table.names}
    stamp = FileStamp(path, table.file, cache_folder() / "checked") if table.is_large else None  # small: always checked
    is_verified = stamp is not None and stamp.is_verified
    shapes = {name: spec.shape for name, spec in specs.items()}
    arrays = table.read_verified_arrays(shapes, is_verified)
    _validate_fixed_arrays(path, specs, arrays)
    error_bound = _error_bound_of(table)
    if not is_verified:
        _validate_numbers(path, problem, specs, arrays, error_bound)
    engine = _engine_of(table)
    if stamp is not None and not is_verified:  # all checks are passed
        stamp.mark_verified()
    return SolvedProblem(problem, ValueTable(arrays, error_bound), source, engine)


def _error_bound_of(table: table_files.TableFile) -> float:
    """Return the error bound that the head of a table states; raise TableError if no solver can have stated it."""
    error_bound = table.head.get("error_bound")
    if not isinstance(error_bound, float) or not 0 <= error_bound <= MAX_ERROR_BOUND:
        raise TableError(f"{table.path} is damaged: its error bound is invalid")
    return error_bound


def _engine_of(table: table_files.TableFile) -> str:
    """Return the name of the engine that solved a table; raise TableError if it cannot be printed as a title."""
    engine = str(table.head.get("engine"))
    what_is_wrong = title_problem(engine)  # empty if nothing is
    if what_is_wrong:
        raise TableError(f"{table.path} is damaged: the name of the engine that solved it {what_is_wrong}")
    return engine


def _validate_fixed_arrays(path: Any, specs: Mapping[str, ArraySpec], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise TableError if an array that the problem determines without solving, such as an axis, has wrong values.

    Args:
        path: the file, which the message names.
        specs: what the arrays must be like, by name. Only arrays with ``fixed_values`` are checked.
        arrays: the arrays of the file, by name.
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
        problem: the problem that the table is of.
        specs: what the arrays must be like, by name: the range of their values, and the axis of seats if there is one.
        arrays: the arrays of the file, by name.
        error_bound: the error bound of the table; a value may be outside its range by so much.
    """
    expected_sum = 0.0 if problem.objective == "margin" else 1.0  # margins cancel out; win probabilities add up to 1
    sum_tolerance = problem.players * (error_bound + SUM_ROUNDING)
    for name, spec in specs.items():
        array = arrays[name]
        is_solved = spec.fixed_values is None  # its values are a result of the solver
        if is_solved and not _all_between(array, spec.lower - error_bound, spec.upper + error_bound):
            raise TableError(f"{path} is damaged: {name} holds an impossible value")
        if spec.seat_axis is not None:
            seats_last = np.moveaxis(array, spec.seat_axis, -1)
            if not _rows_sum_to(seats_last, expected_sum, sum_tolerance):
                raise TableError(
                    f"{path} is damaged: the values of all seats in {name} do not add up to {expected_sum:.0f}"
                )


def _all_between(array: NDArray[Any], lower: Any, upper: Any) -> bool:
    """Return whether all numbers of an array are finite and lie between two bounds.

    Args:
        array: the numbers.
        lower: the least number allowed, or an array of these that can be broadcast to the shape of ``array``.
        upper: the largest number allowed, or such an array.
    """
    all_lower = np.broadcast_to(lower, array.shape)
    all_upper = np.broadcast_to(upper, array.shape)
    for numbers, smallest, largest in _chunks(array, all_lower, all_upper):
        is_valid = (numbers >= smallest) & (numbers <= largest) & np.isfinite(numbers)
        if not is_valid.all():
            return False
    return True


def _rows_sum_to(array: NDArray[Any], total: float, tolerance: float) -> bool:
    """Return whether all sums along the last axis are equal to ``total``, up to a tolerance.

    Rows of zeros are allowed, because they belong to positions that cannot occur.

    Args:
        array: the numbers; each row along the last axis is summed.
        total: the sum that rows must have.
        tolerance: the largest difference allowed.
    """
    for (rows,) in _chunks(array):  # part by part, because a mapped array may be larger than memory
        has_sum = abs(rows.sum(axis=-1) - total) <= tolerance
        is_zero = ~rows.any(axis=-1)
        if not (has_sum | is_zero).all():
            return False
    return True


def _chunks(*arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield arrays of one shape part by part along the first axis: the first parts of all arrays, then the second ones.

    Mapped arrays may be larger than memory, so they are not processed at once. A part has about ``NUMBERS_PER_CHUNK``
    numbers, but at least one row.
    """
    row_count = len(arrays[0])
    number_count = max(1, arrays[0].size)
    rows_per_chunk = max(1, NUMBERS_PER_CHUNK * row_count // number_count)
    for first in range(0, row_count, rows_per_chunk):
        yield tuple(array[first : first + rows_per_chunk] for array in arrays)


def shipped_tables_folder() -> Path:
    """Return the folder of the value tables that are shipped with the package."""
    return Path(tables.__path__[0])


def _cached_tables_folder() -> Path:
    """Return the folder of the value tables in the user's cache."""
    return cache_folder() / "tables"


def cache_folder() -> Path:
    """Return the user's folder for cached value tables, and for stamps of files that passed validation."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("keepwise", appauthor=False))
