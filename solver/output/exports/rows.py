"""Rows as files: CSV, JSON lines, JSON, Parquet, Arrow, npz. Written whole or not at all, rows streamed.

What the rows are for (game, rules, objective, fingerprint, bound, engine) stands in the file where the format has a
place for it, else in a file beside it, ``FILE.meta.json``.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import SimpleNamespace
from typing import Any, BinaryIO, Protocol

import numpy as np

from ...answers.rows import Column, Row
from ...storage import table_files
from ...storage.files import write_atomically
from ...util import escaping
from ...util.errors import InputError
from ...util.optional_imports import require_library

BARE = ("csv", "jsonl")  # formats without a place for what the rows are for
ENDINGS = {"feather": "arrow"}  # endings of files that name a format otherwise
BATCH = 20_000  # rows in memory at a time

Progress = Callable[[float], None]


class Listed(Protocol):
    """Rows: what they are for (``head``), their columns, and the rows themselves."""

    @property
    def head(self) -> Mapping[str, Any]:
        """What they are for."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Their columns."""

    def rows(self, progress: Progress = ...) -> Iterator[Row]:
        """Yield them, one at a time."""


def export(policy: Listed, path: str | os.PathLike[str], form: str, progress: Progress = lambda done: None) -> int:
    """Write rows; return how many.

    Raises:
        InputError: an unknown format, one whose library is not installed, or a place that cannot be written.
    """
    check_form(form)
    head = dict(policy.head)
    count = FORMATS[form](policy, path, head, progress)
    if form in BARE:
        told = {**head, "columns": [column.name for column in policy.columns], "rows": count}
        with write_atomically(beside(path)) as file:
            file.write(json.dumps(told, indent=2).encode())
    return count


def row_size(form: str, row: Row) -> int:
    """Return about how many bytes a row takes in a file of this format."""
    if form in ("csv", "jsonl", "json"):
        return len(json.dumps(list(row.values()) if form == "csv" else row))
    return 8 * len(row)


def beside(path: str | os.PathLike[str]) -> str:
    """Return the name of the file beside rows of a bare format that says what they are for."""
    return f"{os.fspath(path)}.meta.json"


def check_form(form: str) -> None:
    """Raise InputError for an unknown format, or one whose library is not installed."""
    if form not in FORMATS:
        raise InputError(f"{form} is no format for rows; known: {', '.join(FORMATS)}")
    if form in ("parquet", "arrow"):
        require_library("pyarrow", f"{form} needs pyarrow", "arrow")


def _batches(policy: Listed, progress: Progress) -> Iterator[list[Row]]:
    rows = policy.rows(progress)
    while batch := list(islice(rows, BATCH)):
        yield batch


def _written(path: Any, rows: Iterator[Row], line: Callable[[int, Row], str], before: str = "", after: str = "") -> int:
    """Write rows as text, by their numbers, between what stands before and after them; return how many."""
    count = 0
    with write_atomically(path) as file:
        file.write(before.encode())
        for count, row in enumerate(rows, 1):
            file.write(line(count, row).encode())
        file.write(after.encode())
    return count


def _csv(policy: Listed, path: Any, head: dict[str, Any], progress: Progress) -> int:
    told: Any = SimpleNamespace(write=str)  # a row's text comes back
    writer = csv.DictWriter(told, [column.name for column in policy.columns], lineterminator="\n")

    def line(number: int, row: Row) -> str:
        safe = {name: escaping.escape_csv(value) if type(value) is str else value for name, value in row.items()}
        return str(writer.writerow(safe))

    return _written(path, policy.rows(progress), line, before=str(writer.writeheader()))


def _jsonl(policy: Listed, path: Any, head: dict[str, Any], progress: Progress) -> int:
    return _written(path, policy.rows(progress), lambda number, row: json.dumps(row) + "\n")


def _json(policy: Listed, path: Any, head: dict[str, Any], progress: Progress) -> int:
    def line(number: int, row: Row) -> str:
        return (",\n  " if number > 1 else "\n  ") + json.dumps(row)

    before = json.dumps(head, indent=1)[:-2] + ',\n "rows": ['
    return _written(path, policy.rows(progress), line, before, "\n ]\n}\n")


def _npz(policy: Listed, path: Any, head: dict[str, Any], progress: Progress) -> int:
    """Columns as arrays; text as numbers into ``COLUMN_names``; -1 and NaN where a row has nothing."""
    parts: dict[str, list[Any]] = {column.name: [] for column in policy.columns}
    codes: dict[str, dict[str, int]] = {column.name: {} for column in policy.columns if column.type is str}
    for batch in _batches(policy, progress):
        for name, kind in ((column.name, column.type) for column in policy.columns):
            found = [row[name] for row in batch]
            if kind is str:
                known = codes[name]
                found = [-1 if text is None else known.setdefault(text, len(known)) for text in found]
            elif kind is float:
                found = [np.nan if value is None else value for value in found]
            else:
                found = [-1 if value is None else int(value) for value in found]
            parts[name].append(np.array(found, dtype=np.float64 if kind is float else np.int64))
    arrays = {name: np.concatenate(columns) for name, columns in parts.items()}
    for name, known in codes.items():
        arrays[f"{name}_names"] = np.array(list(known) or [""], dtype=np.str_)
    table_files.save_table(path, {**head, "kind": "rows"}, arrays)
    return len(arrays[policy.columns[0].name])


def _arrow_schema(policy: Listed, head: dict[str, Any]) -> Any:
    import pyarrow

    kinds = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    fields = [(column.name, kinds[column.type]) for column in policy.columns]
    return pyarrow.schema(fields, metadata={b"keepwise": json.dumps(head).encode()})


def _arrow_file(form: str) -> Callable[[Listed, Any, dict[str, Any], Progress], int]:
    def write(policy: Listed, path: Any, head: dict[str, Any], progress: Progress) -> int:
        import pyarrow
        import pyarrow.parquet

        schema, count = _arrow_schema(policy, head), 0

        def opened(file: BinaryIO) -> Any:
            if form == "parquet":
                return pyarrow.parquet.ParquetWriter(file, schema)
            return pyarrow.ipc.new_file(file, schema)

        with write_atomically(path) as file, opened(file) as writer:
            for batch in _batches(policy, progress):
                writer.write(pyarrow.RecordBatch.from_pylist(batch, schema=schema))
                count += len(batch)
        return count

    return write


FORMATS: dict[str, Callable[[Listed, Any, dict[str, Any], Progress], int]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "json": _json,
    "npz": _npz,
    "parquet": _arrow_file("parquet"),
    "arrow": _arrow_file("arrow"),
}
