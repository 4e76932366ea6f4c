"""Rows as files: CSV, JSON lines, JSON, Parquet, Arrow, npz. Written whole or not at all, rows streamed.

What the rows are for (game, rules, objective, fingerprint, bound, engine) stands in the file where the format has a
place for it, else in a file beside it, ``FILE.meta.json``.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from . import values
from .errors import InputError
from .files import whole_file
from .rows import Policy, Row, column_type

BATCH = 20_000  # rows in memory at a time

Progress = Callable[[float], None]


def export(policy: Policy, path: str | os.PathLike[str], form: str, progress: Progress = lambda done: None) -> int:
    """Write the rows of a policy; return how many.

    Raises:
        InputError: an unknown format, one whose library is not installed, or a place that cannot be written.
    """
    if form not in FORMATS:
        raise InputError(f"{form} is no format for rows; known: {', '.join(FORMATS)}")
    head = {**policy.solution.head, "detail": policy.detail, "given": {k: str(v) for k, v in policy.given.items()}}
    count = FORMATS[form](policy, path, head, progress)
    if form in ("csv", "jsonl"):
        with whole_file(f"{os.fspath(path)}.meta.json") as file:
            file.write(json.dumps({**head, "columns": list(policy.columns), "rows": count}, indent=2).encode())
    return count


def _batches(policy: Policy, progress: Progress) -> Iterator[list[Row]]:
    rows = policy.rows(progress)
    while batch := list(islice(rows, BATCH)):
        yield batch


def _csv(policy: Policy, path: Any, head: dict[str, Any], progress: Progress) -> int:
    count = 0
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        writer = csv.DictWriter(text, policy.columns, lineterminator="\n")
        writer.writeheader()
        for row in policy.rows(progress):
            writer.writerow(row)
            count += 1
        text.flush()
        text.detach()
    return count


def _jsonl(policy: Policy, path: Any, head: dict[str, Any], progress: Progress) -> int:
    count = 0
    with whole_file(path) as file:
        for row in policy.rows(progress):
            file.write(json.dumps(row).encode() + b"\n")
            count += 1
    return count


def _json(policy: Policy, path: Any, head: dict[str, Any], progress: Progress) -> int:
    count = 0
    with whole_file(path) as file:
        file.write(json.dumps(head, indent=1)[:-2].encode() + b',\n "rows": [')
        for row in policy.rows(progress):
            file.write((b",\n  " if count else b"\n  ") + json.dumps(row).encode())
            count += 1
        file.write(b"\n ]\n}\n")
    return count


def _npz(policy: Policy, path: Any, head: dict[str, Any], progress: Progress) -> int:
    """Columns as arrays; text as numbers into ``COLUMN_names``; -1 and NaN where a row has nothing."""
    columns: dict[str, list[Any]] = {name: [] for name in policy.columns}
    codes: dict[str, dict[str, int]] = {name: {} for name in policy.columns if column_type(name) is str}
    for batch in _batches(policy, progress):
        for name in policy.columns:
            found = [row[name] for row in batch]
            if name in codes:
                known = codes[name]
                found = [-1 if text is None else known.setdefault(text, len(known)) for text in found]
            elif column_type(name) is float:
                found = [np.nan if value is None else value for value in found]
            else:
                found = [-1 if value is None else int(value) for value in found]
            columns[name].append(np.array(found, dtype=np.float64 if column_type(name) is float else np.int64))
    arrays = {name: np.concatenate(parts) for name, parts in columns.items()}
    for name, known in codes.items():
        arrays[f"{name}_names"] = np.array(list(known) or [""], dtype=np.str_)
    values.save(path, {**head, "kind": "rows"}, arrays)
    return len(arrays[policy.columns[0]])


def _arrow_schema(policy: Policy, head: dict[str, Any]) -> Any:
    import pyarrow

    kinds = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    fields = [(name, kinds[column_type(name)]) for name in policy.columns]
    return pyarrow.schema(fields, metadata={b"keepwise": json.dumps(head).encode()})


def _arrow_file(form: str) -> Callable[[Policy, Any, dict[str, Any], Progress], int]:
    def write(policy: Policy, path: Any, head: dict[str, Any], progress: Progress) -> int:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise InputError(f"{form} needs pyarrow: pip install 'keepwise[arrow]'") from None
        schema, count = _arrow_schema(policy, head), 0

        def opened(file: BinaryIO) -> Any:
            if form == "parquet":
                return pyarrow.parquet.ParquetWriter(file, schema)
            return pyarrow.ipc.new_file(file, schema)

        with whole_file(path) as file, opened(file) as writer:
            for batch in _batches(policy, progress):
                writer.write(pyarrow.RecordBatch.from_pylist(batch, schema=schema))
                count += len(batch)
        return count

    return write


FORMATS: dict[str, Callable[[Policy, Any, dict[str, Any], Progress], int]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "json": _json,
    "npz": _npz,
    "parquet": _arrow_file("parquet"),
    "arrow": _arrow_file("arrow"),
}
