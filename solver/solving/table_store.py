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
from ..solvers import Array, Match, Solved
from ..solvers import asked as ask_again
from ..storage import table_files
from ..storage.verified_files import Stamp
from ..util import progress_reporting
from ..util.errors import InputError, TableError
from ..util.text import no_title
from ..version import ENGINE
from .solved_problem import Known

MOST_BOUND = 1e-3  # no solve states a wider one
ROUNDING = 2.0**-52  # of a sum, for each number added
PART = 1 << 20  # numbers of a table that are checked at once


def table_name(of: Match[Any]) -> str:
    """File name of a question's table, shipped or cached."""
    return f"{of.game.id}-{of.objective}-{table_files.fingerprint(of.table.question)}.npz"


def shipped_objectives(of: Game) -> list[str]:
    """Objectives of a game (under its rules) whose tables ship with the package."""
    files = [path.name for path in _shipped().glob(f"{of.id}-*.npz")]
    return [objective for objective in of.objectives if any(f"{of.id}-{objective}-" in name for name in files)]


def stored(asked: Match[Any]) -> Known | None:
    """What ships or is kept in the cache of a match; None where nothing is.

    A match on demand ships in part at most: who has solved the whole of it has it in the cache.
    """
    name, places = table_name(asked), {"shipped": _shipped, "cache": _cache}
    sources = ("cache", "shipped") if asked.on_demand else ("shipped", "cache")
    return next((found for one in sources if (found := _kept(places[one]() / name, asked, one))), None)


def keep(known: Known) -> None:
    """Keep a solved question in the user's cache; a warning says why where that cannot be."""
    cached = _cache() / table_name(known.match)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        known.save(cached)
    except (OSError, InputError) as error:
        told = f"{cached.parent}: {error.strerror}" if isinstance(error, OSError) else error
        progress_reporting.warn(f"the solution is not kept: {told}")


def load(path: str | os.PathLike[str]) -> Known:
    """Read a value table; executes nothing of the file.

    Raises:
        TableError: no such file, damaged, foreign, or made for rules that this engine does not know.
    """
    with table_files.opened(path) as table:
        return _checked(table, _question_of(table), str(path))


def _question_of(table: table_files.Table) -> Match[Any]:
    """The match that a table's head says it answers."""
    head = table.head
    try:
        return ask_again(head)
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise TableError(f"{table.path} answers no question that this engine knows: {error}") from None


def _kept(path: Path, asked: Match[Any], source: str) -> Known | None:
    """Return what a kept table holds; None where there is none, or, said so, none that this engine solved."""
    if not os.path.exists(path):
        return None
    try:
        with table_files.opened(path) as table:
            if table.head.get("engine") != ENGINE:
                raise TableError(f"{path} is of another version than {ENGINE}")
            return _checked(table, asked, source)
    except TableError as error:
        progress_reporting.warn(f"{error}; solving anew")
        return None


def _checked(table: table_files.Table, asked: Match[Any], source: str) -> Known:
    """What a table holds, once everything that can be checked without solving is: values lie where they can."""
    path, head = table.path, table.head
    if head.get("fingerprint") != table_files.fingerprint(asked.table.question):
        raise TableError(f"{path} was made for other rules: its fingerprint does not match")
    asks = asked.arrays()
    if asked.on_demand:  # its table may hold a part: the rest is solved when asked about
        asks = {name: one for name, one in asks.items() if name in table.names}
    stamp = Stamp(path, table.file, cache_folder() / "checked") if table.large else None
    known = stamp is not None and stamp.known
    arrays = table.arrays({name: one.shape for name, one in asks.items()}, known)
    axes = {name: one.known for name, one in asks.items() if one.known is not None}
    if any(not np.array_equal(arrays[name], axis) for name, axis in axes.items()):
        raise TableError(f"{path} is damaged: its {', '.join(axes)} are not those of the question")
    bound = head.get("error_bound")
    if not isinstance(bound, float) or not 0 <= bound <= MOST_BOUND:
        raise TableError(f"{path} is damaged: its error bound is not one")
    if not known:
        _check_numbers(path, asked, asks, arrays, bound)
    if wrong := no_title(str(head.get("engine"))):
        raise TableError(f"{path} is damaged: the name of the engine that solved it {wrong}")
    if stamp and not known:
        stamp.found_whole()
    return Known(asked, Solved(arrays, bound), source, str(head.get("engine")))


def _check_numbers(
    path: Any, asked: Match[Any], asks: Mapping[str, Array], arrays: Mapping[str, NDArray[Any]], bound: float
) -> None:
    """Refuse numbers that cannot be, and seats that do not add up to what they share."""
    total, off = 0.0 if asked.objective == "margin" else 1.0, asked.players * (bound + ROUNDING)
    for name, one in asks.items():
        if one.known is None and not _within(arrays[name], one.least - bound, one.most + bound):
            raise TableError(f"{path} is damaged: a number of {name} is none that can be")
        if one.seats is not None and not _adds_up(np.moveaxis(arrays[name], one.seats, -1), total, off):
            raise TableError(f"{path} is damaged: what the seats get in {name} does not add up to {total:.0f}")


def _within(array: NDArray[Any], low: Any, high: Any) -> bool:
    """Whether all numbers lie between two bounds that fit the array."""
    bounds = [np.broadcast_to(bound, array.shape) for bound in (low, high)]
    return all(
        ((part >= least) & (part <= most) & np.isfinite(part)).all() for part, least, most in _parts(array, *bounds)
    )


def _adds_up(array: NDArray[Any], total: float, off: float) -> bool:
    """Whether every row adds up to the total, to within ``off``; rows of what cannot be hold 0."""
    return all(((abs(part.sum(axis=-1) - total) <= off) | ~part.any(axis=-1)).all() for (part,) in _parts(array))


def _parts(*arrays: NDArray[Any]) -> Iterator[tuple[NDArray[Any], ...]]:
    """Arrays of one shape part by part, as they may be larger than memory."""
    rows = len(arrays[0])
    step = max(1, PART * rows // max(1, arrays[0].size))
    for first in range(0, rows, step):
        yield tuple(array[first : first + step] for array in arrays)


def _shipped() -> Path:
    return Path(tables.__path__[0])


def _cache() -> Path:
    return cache_folder() / "tables"


def cache_folder() -> Path:
    """The user's folder for what was found once and is kept."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("keepwise", appauthor=False))
