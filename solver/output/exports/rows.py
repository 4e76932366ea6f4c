"""Write rows as CSV, JSON lines, JSON, Parquet, Arrow or npz.

Rows are streamed in blocks, and files are written atomically. The metadata (game, rules, objective, fingerprint, error
bound, engine) is written into the file if the format has a place for it, otherwise into ``FILE.meta.json``.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from types import SimpleNamespace
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from ...answers.row_blocks import MISSING, Column, ColumnValues, Row, RowBlock, TextPool
from ...storage import table_files
from ...storage.files import write_atomically
from ...util import escaping
from ...util.errors import InputError
from ...util.optional_imports import require_library
from ...util.progress_reporting import ProgressCallback

FORMATS_WITHOUT_METADATA = ("csv", "jsonl")  # formats without a place for metadata
FORMAT_BY_ENDING = {"feather": "arrow"}  # other endings of file names, with the format that they stand for
ROWS_PER_WRITE = 500_000  # that formats of the library pyarrow write together, at least


class RowSource(Protocol):
    """Rows to write, with their columns and metadata."""

    @property
    def head(self) -> Mapping[str, Any]:
        """Metadata: the problem, its fingerprint, the error bound and so on."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns in their order."""

    def blocks(self, progress: ProgressCallback = ...) -> Iterator[RowBlock]:
        """Yield the rows in blocks of consecutive rows."""


def write_rows(
    source: RowSource, path: str | os.PathLike[str], form: str, progress: ProgressCallback = lambda share: None
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


def block_size(form: str, columns: Sequence[Column], block: RowBlock) -> int:
    """Return about how many bytes a block of rows takes in a file of this format; takes as long as writing it.

    Args:
        form: the format.
        columns: the columns of the rows.
        block: the rows.
    """
    if form in ("parquet", "arrow"):
        with BytesIO() as file:
            with _open_arrow_writer(form, file, _arrow_schema(columns, {})) as writer:
                _write_arrow(writer, form, [block])
            return file.tell()
    if form == "npz":
        return 8 * len(columns) * block.count
    if form == "csv":
        format_csv = _csv_formatter(columns)[1]
        return sum(len(format_csv(row)) for row in block.rows())
    return sum(len(json.dumps(row)) + 1 for row in block.rows())


def metadata_path(path: str | os.PathLike[str]) -> str:
    """Return the name of the metadata file of a file in a bare format."""
    return f"{os.fspath(path)}.meta.json"


def check_format(form: str) -> None:
    """Raise InputError for an unknown format, or one whose library is not installed."""
    if form not in FORMATS:
        raise InputError(f"unknown format '{form}' for rows; use one of {', '.join(FORMATS)}")
    if form in ("parquet", "arrow"):
        require_library("pyarrow", f"{form} needs pyarrow", "arrow")


def _rows(source: RowSource, progress: ProgressCallback) -> Iterator[Row]:
    """Yield the rows one at a time."""
    for block in source.blocks(progress):
        yield from block.rows()


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


def _csv_formatter(columns: Sequence[Column]) -> tuple[str, Callable[[Row], str]]:
    """Return the first line of a CSV file, and a function that returns the line of a row."""
    # A writer returns what the file's write method returns, so with write=str it returns the text of a row.
    text_file: Any = SimpleNamespace(write=str)
    writer = csv.DictWriter(text_file, [column.name for column in columns], lineterminator="\n")

    def format_row(row: Row) -> str:
        safe = {name: escaping.escape_csv(value) if type(value) is str else value for name, value in row.items()}
        return str(writer.writerow(safe))

    return str(writer.writeheader()), format_row


def _csv(source: RowSource, path: Any, head: dict[str, Any], progress: ProgressCallback) -> int:
    first_line, format_row = _csv_formatter(source.columns)
    return _write_text(path, _rows(source, progress), lambda number, row: format_row(row), head=first_line)


def _jsonl(source: RowSource, path: Any, head: dict[str, Any], progress: ProgressCallback) -> int:
    return _write_text(path, _rows(source, progress), lambda number, row: json.dumps(row) + "\n")


def _json(source: RowSource, path: Any, head: dict[str, Any], progress: ProgressCallback) -> int:
    def format_row(number: int, row: Row) -> str:
        return (",\n  " if number > 1 else "\n  ") + json.dumps(row)

    opening = json.dumps(head, indent=1)[:-2] + ',\n "rows": ['
    return _write_text(path, _rows(source, progress), format_row, opening, "\n ]\n}\n")


def _npz(source: RowSource, path: Any, head: dict[str, Any], progress: ProgressCallback) -> int:
    """Write columns as arrays.

    Text is stored as indices into the array ``COLUMN_names``. Missing values are -1 in whole numbers and indices, and
    NaN in floats.
    """
    parts: dict[str, list[NDArray[Any]]] = {column.name: [] for column in source.columns}
    texts = {column.name: TextPool() for column in source.columns if column.type is str}
    count = 0
    for block in source.blocks(progress):
        count += block.count
        for name, column in block.columns.items():
            parts[name].append(_encode_npz(column, texts.get(name)))
    arrays = {name: np.concatenate(column_parts) for name, column_parts in parts.items()}
    for name, pool in texts.items():
        arrays[f"{name}_names"] = np.array(pool.texts or [""], dtype=np.str_)
    table_files.save_table(path, {**head, "kind": "rows"}, arrays)
    return count


def _encode_npz(column: ColumnValues, texts: TextPool | None) -> NDArray[Any]:
    """Return the values of a column as an array; texts are numbered in the order of their first row."""
    if texts is not None:
        distinct, first_row, place = np.unique(column.values, return_index=True, return_inverse=True)
        indices = np.empty(len(distinct), dtype=np.int64)
        for number in np.argsort(first_row).tolist():
            index = int(distinct[number])
            assert column.pool is not None
            indices[number] = MISSING if index == MISSING else texts.index(column.pool.texts[index])
        return indices[place.ravel()]
    if column.values.dtype == np.float64:
        return column.values if column.is_missing is None else np.where(column.is_missing, np.nan, column.values)
    values = column.values.astype(np.int64)
    return values if column.is_missing is None else np.where(column.is_missing, -1, values)


def _arrow_schema(columns: Sequence[Column], head: dict[str, Any]) -> Any:
    import pyarrow

    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    fields = [(column.name, types[column.type]) for column in columns]
    return pyarrow.schema(fields, metadata={b"keepwise": json.dumps(head).encode()})


def _open_arrow_writer(form: str, file: BinaryIO, schema: Any) -> Any:
    """Return a writer of a format of the library pyarrow."""
    import pyarrow
    import pyarrow.parquet

    if form == "arrow":
        return pyarrow.ipc.new_file(file, schema)
    # Parquet stores every text once. Its writer takes the indices as they are, if the schema has them in place of
    # texts. Readers see texts, because that schema is not stored.
    fields = [
        pyarrow.field(field.name, pyarrow.dictionary(pyarrow.int32(), field.type))
        if pyarrow.types.is_string(field.type)
        else field
        for field in schema
    ]
    writer = pyarrow.parquet.ParquetWriter(file, pyarrow.schema(fields), store_schema=False)
    writer.add_key_value_metadata(schema.metadata)
    return writer


def _write_arrow(writer: Any, form: str, blocks: Sequence[RowBlock]) -> None:
    """Write blocks together with a writer of ``_open_arrow_writer``."""
    import pyarrow

    arrays, names = [], list(blocks[0].columns)
    for name in names:
        parts = [block.columns[name] for block in blocks]
        values = np.concatenate([part.values for part in parts])
        pool = parts[0].pool
        if pool is None:
            arrays.append(pyarrow.array(values, mask=_missing(blocks, name)))
            continue
        indices = pyarrow.array(values.astype(np.int32), mask=values == MISSING)
        if form == "arrow":
            arrays.append(pyarrow.array(pool.texts, pyarrow.string()).take(indices))
            continue
        # Only texts of these rows, so that a group of rows does not store the texts of all others.
        used = np.unique(values[values != MISSING])
        places = pyarrow.array(np.searchsorted(used, values).astype(np.int32), mask=values == MISSING)
        texts = pyarrow.array([pool.texts[index] for index in used.tolist()], pyarrow.string())
        arrays.append(pyarrow.DictionaryArray.from_arrays(places, texts))
    writer.write(pyarrow.RecordBatch.from_arrays(arrays, names))


def _missing(blocks: Sequence[RowBlock], name: str) -> NDArray[np.bool_] | None:
    """Return which rows have no value in a column; None if all have one."""
    columns = [block.columns[name] for block in blocks]
    if all(column.is_missing is None for column in columns):
        return None
    return np.concatenate(
        [
            np.zeros(len(column.values), dtype=bool) if column.is_missing is None else column.is_missing
            for column in columns
        ]
    )


def _arrow_file(form: str) -> Callable[[RowSource, Any, dict[str, Any], ProgressCallback], int]:
    """Return the function that writes rows in a format of the library pyarrow."""

    def write(source: RowSource, path: Any, head: dict[str, Any], progress: ProgressCallback) -> int:
        schema, count = _arrow_schema(source.columns, head), 0
        with write_atomically(path) as file, _open_arrow_writer(form, file, schema) as writer:
            for blocks in _joined(source.blocks(progress)):
                _write_arrow(writer, form, blocks)
                count += sum(block.count for block in blocks)
        return count

    return write


def _joined(blocks: Iterator[RowBlock]) -> Iterator[list[RowBlock]]:
    """Yield consecutive blocks with at least ``ROWS_PER_WRITE`` rows together, and what is left."""
    joined, count = list[RowBlock](), 0
    for block in blocks:
        joined.append(block)
        count += block.count
        if count >= ROWS_PER_WRITE:
            yield joined
            joined, count = [], 0
    if joined:
        yield joined


FORMATS: dict[str, Callable[[RowSource, Any, dict[str, Any], ProgressCallback], int]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "json": _json,
    "npz": _npz,
    "parquet": _arrow_file("parquet"),
    "arrow": _arrow_file("arrow"),
}
