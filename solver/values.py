"""Value tables as files: plain npz archives that carry the question they answer.

A table holds named arrays and a *head*, a JSON text stored as the array ``head``: game, rules, objective, players,
parameters, fingerprint, error bound, engine and a checksum of all arrays. Reading one executes nothing (no pickles),
and a file that is damaged, foreign or made for other rules is refused. Files are written whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import TableError
from .files import whole_file

FORMAT = "keepwise table 1"
LARGEST = 8 << 30  # bytes; no table comes near, a hostile file might claim it

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


def load(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read a table's head and arrays.

    Raises:
        TableError: no such file, not a table, of another format, or damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                raise TableError(f"{path} claims to unpack to more than any table holds: refused")
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        head = json.loads(arrays.pop("head").tobytes())
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise TableError(f"{path} is no {FORMAT}: refused")
        if checksum(head, arrays) != head.get("checksum"):
            raise TableError(f"{path} is damaged: its checksum does not match")
    except FileNotFoundError:
        raise TableError(f"there is no table {path}") from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}") from None
    except TableError:
        raise
    except Exception as error:  # whatever a mutated archive provokes in the readers below
        raise TableError(f"{path} is not a table or is damaged ({type(error).__name__})") from None
    return head, arrays
