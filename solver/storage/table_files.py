"""Value tables as files: uncompressed npz archives that carry the problem they solve.

Each member of the archive is one NumPy array:

    member      type and shape               contents
    head.npy    uint8 (bytes,)               the head: JSON text in UTF-8, with sorted keys
    NAME.npy    float64 or int64, C order    one array of the value table; names and shapes follow from the problem

The keys of the head are:

    key            contents
    format         "keepwise table 1"
    game           the name of the game
    rules          the rule set: all options and their values
    objective      what is optimized
    players        number of players
    parameters     the numbers that the objective needs besides the rules
    fingerprint    a hash of the six keys above, 16 hexadecimal digits
    error_bound    no value is further than this from the true value
    engine         name and version of the program that solved the problem
    checksum       SHA-256 of the head without this key, and of all arrays
    kind           only in exported files, which look like tables but are not read as such

Reading a file executes nothing, because pickles are not allowed. A file that is damaged, foreign or made for other
rules is refused. Its head and the declared shapes of its arrays are checked before the arrays are read. Files are
written atomically.

A file of ``MAPPED_FILE_BYTES`` or more is mapped instead of read, so that a page comes into memory when it is used.
For that its arrays are aligned: an extra field in each member's header, which holds nothing but zeros, lets the numbers
begin at a multiple of ``ALIGNMENT`` bytes.
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

from ..util.errors import KeepwiseError, TableError, quote_text
from .files import TABLE, describe_other_kind, error_reason, open_regular_file, write_atomically

FORMAT = "keepwise table 1"
NOT_A_TABLE = "is damaged or not a value table; keepwise solve writes value tables"
MAX_HEAD_BYTES = 1 << 24  # no head comes near
MAPPED_FILE_BYTES = 1 << 26  # arrays of files from this size on are mapped
ALIGNMENT = 64  # bytes

# Parts of a ZIP archive. The header of a member is followed by its name and its extra fields.
LOCAL_HEADER = struct.Struct("<26xHH")  # the last two numbers: the lengths of the name and of the extra fields
EXTRA_FIELD = struct.Struct("<HH")  # the number of an extra field and the length of its contents
PADDING_FIELD = 0xD935  # the number of an extra field that only fills space
ZIP64_FIELD_BYTES = 20  # the extra field for large sizes, which zipfile adds

Arrays = Mapping[str, NDArray[Any]]
Head = Mapping[str, Any]


def fingerprint(problem_key: Mapping[str, Any]) -> str:
    """Return the fingerprint of a problem: 16 hexadecimal digits of a hash that differ if the problem does.

    Args:
        problem_key: game, rules, objective, players and parameters, as in the head of a table.
    """
    text = json.dumps({"format": FORMAT, **problem_key}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def table_checksum(head: Head, arrays: Arrays) -> str:
    """Return the checksum of a value table: a SHA-256 of its head and of each array's name, type, shape and bytes.

    The key ``checksum`` of the head is left out. Arrays are hashed in the order of their names, and the keys of the
    head are sorted. So equal tables have the same checksum in whatever order they were built.
    """
    digest = hashlib.sha256()
    head_without_checksum = {key: value for key, value in head.items() if key != "checksum"}
    digest.update(json.dumps(head_without_checksum, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.data)
    return digest.hexdigest()


def save_table(path: str | os.PathLike[str], head: Head, arrays: Arrays) -> None:
    """Write a value table to a file, completely or not at all.

    The archive is that of ``numpy.savez``, but with the same bytes on every machine.

    Args:
        path: the file to write.
        head: the head, by key: what the table is of. The keys ``format`` and ``checksum`` are added here.
        arrays: the arrays of the value table, by name.

    Raises:
        InputError: the file cannot be written.
    """
    full_head = {"format": FORMAT, **head}
    full_head["checksum"] = table_checksum(full_head, arrays)
    head_text = np.frombuffer(json.dumps(full_head, sort_keys=True).encode(), dtype=np.uint8)
    is_large = sum(array.nbytes for array in arrays.values()) >= MAPPED_FILE_BYTES
    kind = "" if "kind" in head else TABLE  # with the key ``kind`` it is an exported file, not a value table
    with write_atomically(path, kind) as file, zipfile.ZipFile(file, "w") as archive:
        for name, array in {"head": head_text, **arrays}.items():
            entry = zipfile.ZipInfo(f"{name}.npy")
            if is_large:  # the file will be mapped, for which its arrays are aligned
                # The bytes that zipfile writes before the data of the member, apart from the padding.
                header_size = LOCAL_HEADER.size + len(entry.filename) + ZIP64_FIELD_BYTES
                entry.extra = _padding_field(file.tell() + header_size)
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def _padding_field(data_offset: int) -> bytes:
    """Return an extra field of a ZIP header that moves the data after it to a multiple of ``ALIGNMENT`` bytes.

    The field has a number and a length, followed by zeros.

    Args:
        data_offset: the offset in the file at which the data would begin without the field.
    """
    offset_without_zeros = data_offset + EXTRA_FIELD.size
    zero_count = -offset_without_zeros % ALIGNMENT  # up to the next multiple
    return EXTRA_FIELD.pack(PADDING_FIELD, zero_count) + bytes(zero_count)


class MissingTableError(TableError):
    """A table file that does not exist."""


class ArrayLayout(NamedTuple):
    """The type, the shape and the offset of an array in a table file, as its header declares them.

    Attributes:
        dtype: the type of its numbers.
        shape: its shape.
        offset: bytes from the beginning of the file to its first number.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int


class TableFile:
    """An open table file whose head has been read and validated.

    Attributes:
        path: the path of the file.
        file: the open file.
        head: the head, by key.
        names: the names of the arrays, which ``read_verified_arrays`` reads or maps.
        is_large: True if the file is so large that its arrays are mapped into memory instead of read.
        _archive: the same file as a ZIP archive.
        _entries: the members of the archive by the names of their arrays; one name is "head".
    """

    def __init__(self, path: str | os.PathLike[str], file: BinaryIO, archive: zipfile.ZipFile) -> None:
        """Read and validate the head.

        Args:
            path: the path of the file, which messages name.
            file: the open file.
            archive: the same file as an archive.

        Raises:
            TableError: the file is compressed, exported, or not a table.
        """
        self.path = path
        self.file = file
        self._archive = archive
        self.is_large = os.fstat(file.fileno()).st_size >= MAPPED_FILE_BYTES
        self._entries = self._read_entries()
        self.head = self._read_head()
        self.names = self._entries.keys() - {"head"}

    def _read_entries(self) -> dict[str, zipfile.ZipInfo]:
        """Return the members of the archive by the names of their arrays; one name is "head".

        Raises:
            TableError: a member is compressed, two have the same name, or there is no head.
        """
        members = self._archive.infolist()
        entries = {entry.filename.removesuffix(".npy"): entry for entry in members}
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries.values()):
            raise TableError(
                f"{self.path} is compressed, so it is not a value table; keepwise solve writes value tables"
            )
        if len(entries) != len(members) or "head" not in entries:
            raise TableError(f"{self.path} {NOT_A_TABLE}")
        return entries

    def _read_head(self) -> dict[str, Any]:
        """Return the head, which the archive holds as an array of bytes of JSON text.

        Raises:
            TableError: the head is too long, of another format, or that of an exported file.
        """
        head_size = self._entries["head"].file_size
        if head_size > MAX_HEAD_BYTES:
            raise TableError(f"{self.path} {NOT_A_TABLE} (its header has {head_size:,} bytes)")
        layout = self._read_layout("head")
        if layout.dtype != np.uint8 or len(layout.shape) != 1:
            raise TableError(f"{self.path} {NOT_A_TABLE}")
        head = json.loads(self._read_array("head").tobytes())
        if not isinstance(head, dict):
            raise TableError(f"{self.path} {NOT_A_TABLE}")
        if head.get("format") != FORMAT:
            raise TableError(
                f"{self.path} has the format {quote_text(head.get('format'))}, and this version reads {FORMAT}: solve"
                " the game again with keepwise solve"
            )
        if "kind" in head:
            raise TableError(f"{self.path} contains {head['kind']} that keepwise export wrote, not a value table")
        return head

    def _read_layout(self, name: str) -> ArrayLayout:
        """Return the type, shape and offset of an array, from the header of its member of the archive.

        Args:
            name: the name of the array, that of its member without ``.npy``.

        Raises:
            ValueError: the array does not fill the rest of its member exactly, or has another version of NumPy's
                format, Fortran order, or Python objects as entries.
        """
        entry = self._entries[name]
        with self._archive.open(entry) as member:
            version = np.lib.format.read_magic(member)
            if version != (1, 0):
                raise ValueError(f"unsupported version {version} of NumPy's format")
            shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(member)
            array_header_size = member.tell()
        array_size = math.prod(shape) * dtype.itemsize
        if dtype.hasobject or is_fortran or array_size != entry.file_size - array_header_size:
            raise ValueError(f"unsupported array of shape {shape} and type {dtype}")
        # In the file, the numbers follow the header of the member, its name, its extra fields and NumPy's own header.
        self.file.seek(entry.header_offset)
        name_size, extra_size = LOCAL_HEADER.unpack(self.file.read(LOCAL_HEADER.size))
        member_offset = entry.header_offset + LOCAL_HEADER.size + name_size + extra_size
        return ArrayLayout(dtype, shape, member_offset + array_header_size)

    def _read_array(self, name: str) -> NDArray[Any]:
        """Read the array of this name into memory, and return it."""
        with self._archive.open(self._entries[name]) as member:
            array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        return array

    @staticmethod
    def _map_array(layout: ArrayLayout, pages: mmap.mmap) -> NDArray[Any]:
        """Return an array that shares its memory with a mapped file.

        Args:
            layout: the type, shape and offset of the array.
            pages: the mapped file, which the operating system reads page by page when it is used.
        """
        number_count = math.prod(layout.shape)
        numbers = np.frombuffer(pages, layout.dtype, number_count, layout.offset)
        return numbers.reshape(layout.shape)

    def read_verified_arrays(
        self, shapes: Mapping[str, tuple[int, ...]], is_verified: bool = False
    ) -> dict[str, NDArray[Any]]:
        """Return all arrays by name, read or mapped, after checks of their names, shapes, types and checksum.

        Args:
            shapes: by name, the shapes that the arrays must have. No other arrays are allowed.
            is_verified: the checksum is known to be correct, so it is not computed.

        Raises:
            TableError: an array has another name, shape or type, or the checksum is wrong.
        """
        has_valid_names = self.names == shapes.keys()
        layouts = {name: self._read_layout(name) for name in shapes} if has_valid_names else {}
        has_valid_shapes = {name: layout.shape for name, layout in layouts.items()} == shapes
        has_valid_types = all(layout.dtype in (np.float64, np.int64) for layout in layouts.values())
        if not (has_valid_names and has_valid_shapes and has_valid_types):
            raise TableError(
                f"{self.path} is damaged or was written by another version: its arrays do not fit the problem"
            )
        is_aligned = all(layout.offset % ALIGNMENT == 0 for layout in layouts.values())
        if self.is_large and is_aligned:
            pages = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)
            arrays = {name: self._map_array(layout, pages) for name, layout in layouts.items()}
        else:
            arrays = {name: self._read_array(name) for name in shapes}
        if not is_verified and table_checksum(self.head, arrays) != self.head.get("checksum"):
            raise TableError(f"{self.path} is damaged: its checksum does not match")
        return arrays


@contextmanager
def open_table(path: str | os.PathLike[str]) -> Iterator[TableFile]:
    """Open a value table for reading, and close it at the end of the context.

    Any error inside the context becomes a TableError, unless it is an error of Keepwise: reading the arrays of a
    damaged file can raise any exception.

    Yields:
        The open table.

    Raises:
        MissingTableError: there is no such file.
        TableError: the file is damaged, cannot be read, or is not a table of this format.
    """
    try:
        with open_regular_file(path) as file, zipfile.ZipFile(file) as archive:
            yield TableFile(path, file, archive)
    except FileNotFoundError:
        raise MissingTableError(f"cannot read {path}: file not found") from None
    except OSError as error:
        raise TableError(f"cannot read {path}: {error_reason(error)}") from None
    except KeepwiseError:
        raise
    except Exception:  # zipfile and NumPy raise any exception for a damaged archive
        raise TableError(f"{path} {describe_other_kind(path, TABLE) or NOT_A_TABLE}") from None
