"""Checkpoints of a long solve: each finished layer is a file beside the output, where a killed solve goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..util.errors import InputError, TableError
from ..version import ENGINE
from . import table_files


def reserve_space(file: IO[bytes], size: int) -> None:
    """Make a file this large; a full disk is noticed now, not when a page of it is written."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


class Checkpoint:
    """The layers of one question, written beside ``output`` as ``output.LAYER.part``; ``in_files``: tables stand in
    files there while they are solved, and not in memory.
    """

    def __init__(self, output: str | os.PathLike[str], question: Mapping[str, Any], in_files: bool = False) -> None:
        self.output, self.question, self.in_files = Path(output), question, in_files
        self.layers: set[str] = set()

    def layer_path(self, layer: str) -> Path:
        """The file of a layer."""
        return self.output.with_name(f"{self.output.name}.{layer}.part")

    def load_layer(self, layer: str, shape: tuple[int, ...], low: float, high: float) -> NDArray[np.float64] | None:
        """Return a layer of this shape, of values from ``low`` to ``high``, that an earlier run finished, or None.

        Raises:
            TableError: it is of other rules or another version, or damaged; the message says how to go on.
        """
        self.layers.add(layer)
        path = self.layer_path(layer)
        try:
            with table_files.open_table(path) as table:
                if table.head.get("fingerprint") != table_files.fingerprint(self.question):
                    raise TableError(f"{path} is a checkpoint of another question")
                if table.head.get("engine") != ENGINE:
                    raise TableError(f"{path} is a checkpoint of {table.head.get('engine')}, this is {ENGINE}")
                rows: NDArray[np.float64] = table.arrays({layer: shape})[layer]
                if not ((rows >= low) & (rows <= high)).all():
                    raise TableError(f"{path} is damaged: a number in it is none that can be")
                return rows
        except table_files.MissingTableError:
            return None
        except TableError as error:
            raise TableError(f"{error}; remove it to solve that layer anew, or write to another file") from None

    def save_layer(self, layer: str, rows: NDArray[np.float64]) -> None:
        """Keep a finished layer."""
        self.layers.add(layer)
        head = {"fingerprint": table_files.fingerprint(self.question), "engine": ENGINE, **self.question}
        table_files.save_table(self.layer_path(layer), head, {layer: rows})

    def remove_layer(self, layer: str) -> None:
        """Remove a layer that a later one makes up for."""
        self.layer_path(layer).unlink(missing_ok=True)

    def new_table(self, count: int) -> NDArray[np.float64]:
        """A table to be filled: in memory, or in a file without a name that goes with the table."""
        if not self.in_files:
            return np.zeros(count)
        import mmap
        import tempfile

        size = 8 * count
        try:
            with tempfile.TemporaryFile(dir=self.output.parent) as file:
                reserve_space(file, size)
                return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=np.float64)
        except OSError as error:
            where = f"a table of {size:,} bytes cannot stand in a file in {self.output.parent}"
            raise InputError(f"{where}: {error.strerror}") from None

    def remove_layers(self) -> None:
        """Remove the layers once the output is written; another solve of the same question may have done so."""
        for layer in self.layers:
            self.layer_path(layer).unlink(missing_ok=True)


def load_or_compute(
    checkpoint: Checkpoint | None,
    layer: str,
    shape: tuple[int, ...],
    between: tuple[float, float],
    make: Callable[[], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """A layer as an earlier run left it in a checkpoint, or made now and kept there, if there is one."""
    found = checkpoint.load_layer(layer, shape, *between) if checkpoint else None
    if found is None:
        found = make()
        if checkpoint:
            checkpoint.save_layer(layer, found)
    return found
