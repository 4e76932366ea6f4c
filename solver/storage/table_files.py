"""Value tables as files: plain npz archives that carry the question they answer.

A table holds named arrays and a *head*, a JSON text stored as the array ``head``: game, rules, objective, players,
parameters, fingerprint, error bound, engine and a checksum of all arrays. Reading one executes nothing (no pickles),
and a file that is damaged, foreign or made for other rules is refused: by its head and by what its arrays announce,
before they are read. Files are written whole or not at all. The arrays of a large file are not read but mapped: a page
comes into memory when it is asked for.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..util.errors import KeepwiseError, TableError
from .files import TABLE, describe_other_kind, open_regular, write_atomically

FORMAT = "keepwise table 1"
MAX_HEAD_BYTES = 1 << 24  # bytes; none comes near
MAPPED_FILE_BYTES = 1 << 26  # bytes of a file from which its arrays are mapped
LOCAL_HEADER = struct.Struct("<26xHH")  # of a member of a zip archive: ends with the lengths of name and extra fields
EXTRA_FIELD = struct.Struct("<HH")  # its number and length
PADDING, ZIP64 = 0xD935, 20  # the number of the field that only fills; length of the one that carries large sizes
ALIGNMENT = 64  # bytes; an array in a file begins at a multiple within its member

Arrays = Mapping[str, NDArray[Any]]
Head = Mapping[str, Any]


def fingerprint(question: Mapping[str, Any]) -> str:
    """Name a question (game, rules, objective, players, parameters) by 16 hexadecimal digits; equal only if equal."""
    text = json.dumps({"format": FORMAT, **question}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def table_checksum(head: Head, arrays: Arrays) -> str:
    """SHA-256 over the head without its checksum and over every array's name, type, shape and bytes."""
    digest = hashlib.sha256()
    plain = {key: value for key, value in head.items() if key != "checksum"}
    digest.update(json.dumps(plain, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.data)
    return digest.hexdigest()


def save_table(path: str | os.PathLike[str], head: Head, arrays: Arrays) -> None:
    """Write a table; the file appears complete or not at all.

    Raises:
        InputError: the place cannot be written.
    """
    full = {"format": FORMAT, **head}
    full["checksum"] = table_checksum(full, arrays)
    text = np.frombuffer(json.dumps(full, sort_keys=True).encode(), dtype=np.uint8)
    large = sum(array.nbytes for array in arrays.values()) >= MAPPED_FILE_BYTES
    with (
        write_atomically(path, "" if "kind" in head else TABLE) as part,
        zipfile.ZipFile(part, "w") as archive,
    ):  # np.savez, the same bytes on every machine
        for key, array in {"head": text, **arrays}.items():
            entry = zipfile.ZipInfo(f"{key}.npy")
            if large:
                entry.extra = _padding(part.tell() + LOCAL_HEADER.size + len(entry.filename) + ZIP64)
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def _padding(at: int) -> bytes:
    """An extra field of a zip member that begins at ``at``, up to where a mapped array may begin."""
    size = -(at + EXTRA_FIELD.size) % ALIGNMENT
    return EXTRA_FIELD.pack(PADDING, size) + bytes(size)


class MissingTableError(TableError):
    """There is no such file."""


class ArrayLayout(NamedTuple):
    """What an array announces: its type, its shape, and where in the file its numbers stand."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int


class TableFile:
    """A table in a file, of which its head is read.

    ``names``: of its arrays; ``arrays`` reads them, or maps those of a ``large`` file.
    """

    def __init__(self, path: str | os.PathLike[str], file: BinaryIO, archive: zipfile.ZipFile) -> None:
        self.path, self.file, self._archive = path, file, archive
        self.is_large = os.fstat(file.fileno()).st_size >= MAPPED_FILE_BYTES
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries.values()):
            raise TableError(f"{path} is compressed, which no {FORMAT} is: refused")
        if len(entries) != len(archive.infolist()) or "head" not in entries:
            raise TableError(f"{path} is no {FORMAT}: refused")
        self._entries = entries
        if entries["head"].file_size > MAX_HEAD_BYTES:
            raise TableError(f"{path} has a head of {entries['head'].file_size:,} bytes: refused")
        announced = self._read_layout("head")
        if announced.dtype != np.uint8 or len(announced.shape) != 1:
            raise TableError(f"{path} is no {FORMAT}: refused")
        head = json.loads(self._read("head").tobytes())
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise TableError(f"{path} is no {FORMAT}: refused")
        if "kind" in head:
            raise TableError(
                f"{path} holds {head['kind']}, as keepwise export writes them: no question is answered from it"
            )
        self.head: dict[str, Any] = head
        self.names = entries.keys() - {"head"}

    def _read_layout(self, name: str) -> ArrayLayout:
        """Type and shape of an array from its first bytes; they must account for all of it."""
        entry = self._entries[name]
        with self._archive.open(entry) as member:
            version = np.lib.format.read_magic(member)
            if version != (1, 0):
                raise ValueError(version)
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(member)
            before = member.tell()
        if dtype.hasobject or fortran or math.prod(shape) * dtype.itemsize != entry.file_size - before:
            raise ValueError(shape)
        self.file.seek(entry.header_offset)
        lengths = LOCAL_HEADER.unpack(self.file.read(LOCAL_HEADER.size))
        return ArrayLayout(dtype, shape, entry.header_offset + LOCAL_HEADER.size + sum(lengths) + before)

    def _read(self, name: str) -> NDArray[Any]:
        with self._archive.open(self._entries[name]) as member:
            array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        return array

    @staticmethod
    def _map_array(layout: ArrayLayout, pages: mmap.mmap) -> NDArray[Any]:
        dtype, shape, at = layout
        return np.frombuffer(pages, dtype, math.prod(shape), at).reshape(shape)

    def arrays(self, shapes: Mapping[str, tuple[int, ...]], known: bool = False) -> dict[str, NDArray[Any]]:
        """Read the arrays, if they are what is expected and, unless that is ``known``, what the head's checksum says.

        Raises:
            TableError: arrays of other names, shapes or types, or damaged ones.
        """
        layouts = {name: self._read_layout(name) for name in shapes if self.names == shapes.keys()}
        types = all(layout.dtype in (np.float64, np.int64) for layout in layouts.values())
        if not types or {name: layout.shape for name, layout in layouts.items()} != shapes:
            raise TableError(f"{self.path} is damaged or of another version: its arrays do not fit the question")
        if self.is_large and all(layout.offset % ALIGNMENT == 0 for layout in layouts.values()):
            pages = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)
            arrays = {name: self._map_array(layout, pages) for name, layout in layouts.items()}
        else:
            arrays = {name: self._read(name) for name in shapes}
        if not known and table_checksum(self.head, arrays) != self.head.get("checksum"):
            raise TableError(f"{self.path} is damaged: its checksum does not match")
        return arrays


@contextmanager
def open_table(path: str | os.PathLike[str]) -> Iterator[TableFile]:
    """Open a table for reading.

    Raises:
        TableError: no such file, not a table, of another format, or damaged.
    """
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            yield TableFile(path, file, archive)
    except FileNotFoundError:
        raise MissingTableError(f"there is no table {path}") from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}") from None
    except KeepwiseError:
        raise
    except Exception:  # whatever a mutated archive provokes in the readers above
        told = describe_other_kind(path, TABLE) or "is not a table, as keepwise solve writes them, or is damaged"
        raise TableError(f"{path} {told}") from None
