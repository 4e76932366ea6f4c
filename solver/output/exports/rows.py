"""Write rows as CSV, JSON lines, JSON, Parquet, Arrow or npz.

Rows are streamed, and files are written atomically. The metadata (game, rules, objective, fingerprint, error bound,
engine) is written into the file if the format has a place for it, otherwise into a second file, ``FILE.meta.json``.
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

FORMATS_WITHOUT_METADATA = ("csv", "jsonl")  # formats without a place for metadata
FORMAT_BY_ENDING = {"feather": "arrow"}  # other endings of file names, with the format that they stand for
ROWS_PER_BATCH = 20_000  # in memory at a time

Progress = Callable[[float], None]


class RowSource(Protocol):
    """Rows to write, with their columns and metadata."""

    @property
    def head(self) -> Mapping[str, Any]:
        """Metadata: the problem, its fingerprint, the error bound and so on."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns in their order."""

    def rows(self, progress: Progress = ...) -> Iterator[Row]:
        """Yield the rows one at a time."""


def write_rows(
    source: RowSource, path: str | os.PathLike[str], form: str, progress: Progress = lambda done: None
) -> int:
    """Write rows into a file and return their number.

    Raises:
        InputError: an unknown format, one whose library is not installed, or a path that cannot be written.
    """
    check_format(form)
    head = dict(source.head)
    count = FORMATS[form](source, path, head, progress)
    if form in FORMATS_WITHOUT_METADATA:
        metadata = {**head, "columns": [column.name for column in source.columns], "rows": count}
        with write_atomically(metadata_path(path)) as file:
            file.write(json.dumps(metadata, indent=2).encode())
    return count


def row_size(form: str, row: Row) -> int:
    """Estimate the size of a row in bytes in a file of this format."""
    if form in ("csv", "jsonl", "json"):
        return len(json.dumps(list(row.values()) if form == "csv" else row))
    return 8 * len(row)


def metadata_path(path: str | os.PathLike[str]) -> str:
    """Return the name of the metadata file of a file in a bare format."""
    return f"{os.fspath(path)}.meta.json"


def check_format(form: str) -> None:
    """Raise InputError for an unknown format, or one whose library is not installed."""
    if form not in FORMATS:
        raise InputError(f"unknown format '{form}' for rows; use one of {', '.join(FORMATS)}")
    if form in ("parquet", "arrow"):
        require_library("pyarrow", f"{form} needs pyarrow", "arrow")


def _batches(source: RowSource, progress: Progress) -> Iterator[list[Row]]:
    rows = source.rows(progress)
    while batch := list(islice(rows, ROWS_PER_BATCH)):
        yield batch


def _write_text(
    path: Any, rows: Iterator[Row], format_row: Callable[[int, Row], str], head: str = "", tail: str = ""
) -> int:
    """Write a head, one text for each row and a tail; return the number of rows.

    Args:
        path: the file to write.
        rows: the rows.
        format_row: returns the text of a row, given its number from 1 and the row.
        head: text before the rows.
        tail: text after the rows.
    """
    count = 0
    with write_atomically(path) as file:
        file.write(head.encode())
        for count, row in enumerate(rows, 1):
            file.write(format_row(count, row).encode())
        file.write(tail.encode())
    return count


def _csv(source: RowSource, path: Any, head: dict[str, Any], progress: Progress) -> int:
    # A writer returns what the file's write method returns, so with write=str it returns the text of a row.
    text_file: Any = SimpleNamespace(write=str)
    writer = csv.DictWriter(text_file, [column.name for column in source.columns], lineterminator="\n")

    def format_row(number: int, row: Row) -> str:
        safe = {name: escaping.escape_csv(value) if type(value) is str else value for name, value in row.items()}
        return str(writer.writerow(safe))

    return _write_text(path, source.rows(progress), format_row, head=str(writer.writeheader()))


def _jsonl(source: RowSource, path: Any, head: dict[str, Any], progress: Progress) -> int:
    return _write_text(path, source.rows(progress), lambda number, row: json.dumps(row) + "\n")


def _json(source: RowSource, path: Any, head: dict[str, Any], progress: Progress) -> int:
    def format_row(number: int, row: Row) -> str:
        return (",\n  " if number > 1 else "\n  ") + json.dumps(row)

    opening = json.dumps(head, indent=1)[:-2] + ',\n "rows": ['
    return _write_text(path, source.rows(progress), format_row, opening, "\n ]\n}\n")


def _npz(source: RowSource, path: Any, head: dict[str, Any], progress: Progress) -> int:
    """Write columns as arrays.

    Text is stored as indices into the array ``COLUMN_names``. Missing values are -1 in whole numbers and indices, and
    NaN in floats.
    """
    blocks: dict[str, list[Any]] = {column.name: [] for column in source.columns}
    codes: dict[str, dict[str, int]] = {column.name: {} for column in source.columns if column.type is str}
    for batch in _batches(source, progress):
        for column in source.columns:
            values = [row[column.name] for row in batch]
            blocks[column.name].append(_encode(values, column, codes))
    arrays = {name: np.concatenate(column_blocks) for name, column_blocks in blocks.items()}
    for name, indices in codes.items():
        arrays[f"{name}_names"] = np.array(list(indices) or [""], dtype=np.str_)
    table_files.save_table(path, {**head, "kind": "rows"}, arrays)
    return len(arrays[source.columns[0].name])


def _encode(values: list[Any], column: Column, codes: dict[str, dict[str, int]]) -> Any:
    """Return the values of a column as an array; new texts are added to `codes`."""
    if column.type is float:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if column.type is str:
        indices = codes[column.name]
        return np.array(
            [-1 if text is None else indices.setdefault(text, len(indices)) for text in values], dtype=np.int64
        )
    return np.array([-1 if value is None else int(value) for value in values], dtype=np.int64)


def _arrow_schema(source: RowSource, head: dict[str, Any]) -> Any:
    import pyarrow

    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    fields = [(column.name, types[column.type]) for column in source.columns]
    return pyarrow.schema(fields, metadata={b"keepwise": json.dumps(head).encode()})


def _arrow_file(form: str) -> Callable[[RowSource, Any, dict[str, Any], Progress], int]:
    """Return the function that writes rows in a format of the library pyarrow."""

    def write(source: RowSource, path: Any, head: dict[str, Any], progress: Progress) -> int:
        import pyarrow
        import pyarrow.parquet

        schema, count = _arrow_schema(source, head), 0

        def open_writer(file: BinaryIO) -> Any:
            if form == "parquet":
                return pyarrow.parquet.ParquetWriter(file, schema)
            return pyarrow.ipc.new_file(file, schema)

        with write_atomically(path) as file, open_writer(file) as writer:
            for batch in _batches(source, progress):
                writer.write(pyarrow.RecordBatch.from_pylist(batch, schema=schema))
                count += len(batch)
        return count

    return write


FORMATS: dict[str, Callable[[RowSource, Any, dict[str, Any], Progress], int]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "json": _json,
    "npz": _npz,
    "parquet": _arrow_file("parquet"),
    "arrow": _arrow_file("arrow"),
}
