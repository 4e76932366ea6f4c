"""Checkpoints of a long solve: each finished layer is a file beside the output, from which the next run resumes."""

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
    """Give a file ``size`` bytes, so that a full disk is noticed now and not when a page is written."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


class Checkpoint:
    """The finished layers of one problem, in files ``output.LAYER.part`` beside the output.

    Args:
        output: the file that the solve will write.
        question: the problem, as in the head of its value table.
        in_files: new tables are mapped from files beside the output while they are solved, and do not fill memory.
    """

    def __init__(self, output: str | os.PathLike[str], question: Mapping[str, Any], in_files: bool = False) -> None:
        self.output, self.question, self.in_files = Path(output), question, in_files
        self.layers: set[str] = set()

    def layer_path(self, layer: str) -> Path:
        """Return the path of a layer's file."""
        return self.output.with_name(f"{self.output.name}.{layer}.part")

    def load_layer(self, layer: str, shape: tuple[int, ...], lower: float, upper: float) -> NDArray[np.float64] | None:
        """Return a layer that an earlier run finished, or None if there is none.

        Args:
            layer: the name of the layer.
            shape: the shape that it must have.
            lower: the least value that it may hold.
            upper: the largest value that it may hold.

        Raises:
            TableError: it is damaged, or of another problem or version. The message says how to go on.
        """
        self.layers.add(layer)
        path = self.layer_path(layer)
        try:
            with table_files.open_table(path) as table:
                if table.head.get("fingerprint") != table_files.fingerprint(self.question):
                    raise TableError(f"{path} is a checkpoint of another problem")
                if table.head.get("engine") != ENGINE:
                    raise TableError(f"{path} is a checkpoint of {table.head.get('engine')}, this is {ENGINE}")
                values: NDArray[np.float64] = table.arrays({layer: shape})[layer]
                if not ((values >= lower) & (values <= upper)).all():
                    raise TableError(f"{path} is damaged: it holds an impossible value")
                return values
        except table_files.MissingTableError:
            return None
        except TableError as error:
            raise TableError(f"{error}; delete it to solve that layer again, or write to another file") from None

    def save_layer(self, layer: str, values: NDArray[np.float64]) -> None:
        """Write a finished layer to its file."""
        self.layers.add(layer)
        head = {"fingerprint": table_files.fingerprint(self.question), "engine": ENGINE, **self.question}
        table_files.save_table(self.layer_path(layer), head, {layer: values})

    def remove_layer(self, layer: str) -> None:
        """Remove the file of a layer that is not needed any more."""
        self.layer_path(layer).unlink(missing_ok=True)

    def new_table(self, count: int) -> NDArray[np.float64]:
        """Return a table of ``count`` zeros, in memory or in a temporary file that is removed with the table.

        Raises:
            InputError: the file cannot be made.
        """
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
            problem = f"a table of {size:,} bytes cannot stand in a file in {self.output.parent}"
            raise InputError(f"{problem}: {error.strerror}") from None

    def remove_layers(self) -> None:
        """Remove the files of all layers, once the output is written."""
        for layer in self.layers:
            self.layer_path(layer).unlink(missing_ok=True)  # another solve of the problem may have removed it


def load_or_compute(
    checkpoint: Checkpoint | None,
    layer: str,
    shape: tuple[int, ...],
    value_range: tuple[float, float],
    compute: Callable[[], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return a layer from a checkpoint, or compute it and save it there; without a checkpoint only compute it."""
    values = checkpoint.load_layer(layer, shape, *value_range) if checkpoint else None
    if values is None:
        values = compute()
        if checkpoint:
            checkpoint.save_layer(layer, values)
    return values
