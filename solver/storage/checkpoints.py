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

BYTES_PER_NUMBER = 8  # float64


def reserve_space(file: IO[bytes], size: int) -> None:
    """Give an empty file ``size`` bytes, so that a full disk is noticed now and not when the bytes are written later.

    Systems without ``posix_fallocate`` may set the length only, and notice a full disk later.

    Raises:
        OSError: the disk is full, or the file cannot be as large.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


class Checkpoint:
    """The finished layers of one problem, in files ``OUTPUT.LAYER.part`` beside the output.

    A layer is a part of the states that is solved before the next one is begun. It has a name, LAYER, which is part of
    the name of its file.

    Attributes:
        output: the file that the solve will write.
        problem_key: the problem as the keys of the head of its value table.
        in_files: whether new tables are mapped from files beside the output while they are solved.
        layers: the names of all layers that may have a file: those looked for, loaded or saved.
    """

    def __init__(self, output: str | os.PathLike[str], problem_key: Mapping[str, Any], in_files: bool = False) -> None:
        """Prepare for a solve; no file is read or written yet.

        Args:
            output: the file that the solve will write.
            problem_key: the problem as the keys of the head of its value table: game, rules, objective, players and
                parameters.
            in_files: new tables are mapped from files beside the output while they are solved, and do not fill memory.
        """
        self.output = Path(output)
        self.problem_key = problem_key
        self.in_files = in_files
        self.layers: set[str] = set()

    def layer_path(self, layer: str) -> Path:
        """Return the path of the file of a layer, given its name."""
        return self.output.with_name(f"{self.output.name}.{layer}.part")

    def load_layer(self, layer: str, shape: tuple[int, ...], lower: float, upper: float) -> NDArray[np.float64] | None:
        """Return the values of a layer that an earlier run finished and saved, or None if its file does not exist.

        Args:
            layer: the name of the layer.
            shape: the shape that the values must have.
            lower: the least value allowed.
            upper: the largest value allowed.

        Raises:
            TableError: the file is damaged, or of another problem or version. The message says how to go on.
        """
        self.layers.add(layer)
        path = self.layer_path(layer)
        try:
            with table_files.open_table(path) as table:
                if table.head.get("fingerprint") != table_files.fingerprint(self.problem_key):
                    raise TableError(f"{path} is a checkpoint of another problem")
                engine = table.head.get("engine")
                if engine != ENGINE:
                    raise TableError(f"{path} was written by another version: {engine}, and this is {ENGINE}")
                values: NDArray[np.float64] = table.read_verified_arrays({layer: shape})[layer]
                is_possible = (values >= lower) & (values <= upper)
                if not is_possible.all():
                    raise TableError(f"{path} is damaged: it holds an impossible value")
                return values
        except table_files.MissingTableError:
            return None
        except TableError as error:
            raise TableError(f"{error}; delete it to solve that layer again, or write to another file") from None

    def save_layer(self, layer: str, values: NDArray[np.float64]) -> None:
        """Write a finished layer to its file.

        Args:
            layer: the name of the layer.
            values: the values of its states.
        """
        self.layers.add(layer)
        head = {"fingerprint": table_files.fingerprint(self.problem_key), "engine": ENGINE, **self.problem_key}
        table_files.save_table(self.layer_path(layer), head, {layer: values})

    def remove_layer(self, layer: str) -> None:
        """Remove the file of a layer that is not needed any more."""
        self.layer_path(layer).unlink(missing_ok=True)

    def new_table(self, count: int) -> NDArray[np.float64]:
        """Return a new array of ``count`` zeros: in memory, or with ``in_files`` mapped from a temporary file.

        The temporary file has no name once it is open. So the system removes it when the array is no longer used.

        Raises:
            InputError: the file cannot be created.
        """
        if not self.in_files:
            return np.zeros(count)
        import mmap
        import tempfile

        size = BYTES_PER_NUMBER * count
        try:
            with tempfile.TemporaryFile(dir=self.output.parent) as file:
                reserve_space(file, size)
                return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=np.float64)
        except OSError as error:
            problem = f"cannot create a temporary file of {size:,} bytes in {self.output.parent}"
            raise InputError(f"{problem}: {error.strerror}") from None

    def remove_layers(self) -> None:
        """Remove the files of all layers; to be called once the output is written."""
        for layer in self.layers:
            self.layer_path(layer).unlink(missing_ok=True)  # another solve of the problem may have removed it


def load_or_compute(
    checkpoint: Checkpoint | None,
    layer: str,
    shape: tuple[int, ...],
    value_range: tuple[float, float],
    compute: Callable[[], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Return the values of a layer from a checkpoint; if it has none, compute them and save them there.

    Args:
        checkpoint: the checkpoint; None if layers are neither loaded nor saved.
        layer: the name of the layer.
        shape: the shape of its values.
        value_range: the least and the largest value that is possible.
        compute: returns the values.

    Raises:
        TableError: the stored layer is damaged, or of another problem or version.
    """
    if checkpoint is None:
        return compute()
    lower, upper = value_range
    stored_values = checkpoint.load_layer(layer, shape, lower, upper)
    if stored_values is not None:
        return stored_values
    values = compute()
    checkpoint.save_layer(layer, values)
    return values
