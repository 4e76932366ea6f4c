"""Checkpoints of a long solve: each finished layer is a file beside the output, where a killed solve goes on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import values
from .errors import TableError
from .version import ENGINE


class Checkpoint:
    """The layers of one question, written beside ``output`` as ``output.LAYER.part``."""

    def __init__(self, output: str | os.PathLike[str], question: Mapping[str, Any]) -> None:
        self.output = Path(output)
        self.question = question

    def path(self, layer: str) -> Path:
        """The file of a layer."""
        return self.output.with_name(f"{self.output.name}.{layer}.part")

    def load(self, layer: str) -> NDArray[np.float64] | None:
        """Return a layer that an earlier run finished, or None.

        Raises:
            TableError: it is of other rules or another version, or damaged; the message names the file.
        """
        path = self.path(layer)
        if not path.exists():
            return None
        head, arrays = values.load(path)
        if head.get("fingerprint") != values.fingerprint(self.question):
            raise TableError(f"{path} is a checkpoint of another question; remove it, or write to another file")
        if head.get("engine") != ENGINE:
            raise TableError(f"{path} is a checkpoint of {head.get('engine')}, this is {ENGINE}; remove it")
        if set(arrays) != {layer}:
            raise TableError(f"{path} is not the checkpoint of {layer}; remove it")
        return arrays[layer]

    def save(self, layer: str, rows: NDArray[np.float64]) -> None:
        """Keep a finished layer."""
        head = {"fingerprint": values.fingerprint(self.question), "engine": ENGINE, **self.question}
        values.save(self.path(layer), head, {layer: rows})

    def clear(self) -> None:
        """Remove the layers once the output is written."""
        for path in self.output.parent.glob(f"{self.output.name}.*.part"):
            path.unlink()
