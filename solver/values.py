"""Value tables as files: plain npz archives that carry the question they answer.

A table holds named arrays and a *head*, a JSON text stored as the array ``head``: game, rules, objective, players,
parameters, fingerprint, error bound, engine and a checksum of all arrays. Reading one executes nothing (no pickles),
and a file that is damaged, foreign or made for other rules is refused: by its head and by what its arrays announce,
before they are read. Files are written whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import KeepwiseError, TableError
from .files import open_regular, whole_file

FORMAT = "keepwise table 1"
MOST_HEAD = 1 << 24  # bytes; none comes near

Arrays = Mapping[str, NDArray[Any]]
Head = Mapping[str, Any]


def fingerprint(question: Mapping[str, Any]) -> str:
    """Name a question (game, rules, objective, players, parameters) by 16 hexadecimal digits; equal only if equal."""
    text = json.dumps({"format": FORMAT, **question}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def checksum(head: Head, arrays: Arrays) -> str:
    """SHA-256 over the head without its checksum and over every array's name, type, shape and bytes."""
    digest = hashlib.sha256()
    plain = {key: value for key, value in head.items() if key != "checksum"}
    digest.update(json.dumps(plain, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.data)
    return digest.hexdigest()


def save(path: str | os.PathLike[str], head: Head, arrays: Arrays) -> None:
    """Write a table; the file appears complete or not at all.

    Raises:
        InputError: the place cannot be written.
    """
    full = {"format": FORMAT, **head}
    full["checksum"] = checksum(full, arrays)
    text = np.frombuffer(json.dumps(full, sort_keys=True).encode(), dtype=np.uint8)
    with whole_file(path) as part, zipfile.ZipFile(part, "w") as archive:  # np.savez, the same bytes on every machine
        for key, array in {"head": text, **arrays}.items():
            with archive.open(zipfile.ZipInfo(f"{key}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


class MissingTableError(TableError):
    """There is no such file."""


class Table:
    """A table in a file: its head, and the layout of its arrays as they announce themselves; nothing else is read yet.

    ``shapes``: the shape of every array; ``arrays`` reads them.
    """

    def __init__(self, path: str | os.PathLike[str], archive: zipfile.ZipFile) -> None:
        self.path, self._archive = path, archive
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries.values()):
            raise TableError(f"{path} is compressed, which no {FORMAT} is: refused")
        if len(entries) != len(archive.infolist()) or "head" not in entries:
            raise TableError(f"{path} is no {FORMAT}: refused")
        self._entries = entries
        if entries["head"].file_size > MOST_HEAD:
            raise TableError(f"{path} has a head of {entries['head'].file_size:,} bytes: refused")
        self._layout = {name: self._announced(entry) for name, entry in entries.items()}
        if self._layout["head"][0] != np.uint8 or len(self._layout["head"][1]) != 1:
            raise TableError(f"{path} is no {FORMAT}: refused")
        head = json.loads(self._read("head").tobytes())
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise TableError(f"{path} is no {FORMAT}: refused")
        self.head: dict[str, Any] = head
        self.shapes = {name: shape for name, (_, shape) in self._layout.items() if name != "head"}

    def _announced(self, entry: zipfile.ZipInfo) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Type and shape of an array from its first bytes; they must account for all of it."""
        with self._archive.open(entry) as member:
            version = np.lib.format.read_magic(member)
            if version != (1, 0):
                raise ValueError(version)
            shape, _, dtype = np.lib.format.read_array_header_1_0(member)
            content = entry.file_size - member.tell()
        if dtype.hasobject or math.prod(shape) * dtype.itemsize != content:
            raise ValueError(shape)
        return dtype, shape

    def _read(self, name: str) -> NDArray[Any]:
        with self._archive.open(self._entries[name]) as member:
            array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        return array

    def arrays(self, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[Any]]:
        """Read the arrays, if they are what is expected and what the head's checksum says.

        Raises:
            TableError: arrays of other names, shapes or types, or damaged ones.
        """
        if self.shapes != shapes or any(
            dtype not in (np.float64, np.int64) for name, (dtype, _) in self._layout.items() if name != "head"
        ):
            raise TableError(f"{self.path} is damaged: its arrays do not fit the question")
        arrays = {name: self._read(name) for name in shapes}
        if checksum(self.head, arrays) != self.head.get("checksum"):
            raise TableError(f"{self.path} is damaged: its checksum does not match")
        return arrays


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Table]:
    """Open a table for reading.

    Raises:
        TableError: no such file, not a table, of another format, or damaged.
    """
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            yield Table(path, archive)
    except FileNotFoundError:
        raise MissingTableError(f"there is no table {path}") from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}") from None
    except KeepwiseError:
        raise
    except Exception as error:  # whatever a mutated archive provokes in the readers above
        raise TableError(f"{path} is not a table or is damaged ({type(error).__name__})") from None
