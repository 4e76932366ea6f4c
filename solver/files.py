"""Files are written whole or not at all: into a temporary file beside the target, which then takes its place."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import InputError

UMASK = os.umask(0)  # can only be read by setting it
os.umask(UMASK)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that appears under ``path`` once the block is left without an error.

    Raises:
        InputError: the place cannot be written.
    """
    check_writable(path)
    target = Path(path).resolve()  # what a link names, not the link
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as part:
            yield part
            part.flush()
            os.fsync(part.fileno())
        os.chmod(name, 0o666 & ~UMASK)
        os.replace(name, target)
    except OSError as error:
        os.unlink(name)
        raise InputError(f"{target} cannot be written: {error.strerror}") from None
    except BaseException:
        os.unlink(name)
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise InputError where a file could not be written, before any time is spent on what it is to hold."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file in it")
    if target.exists() and not target.is_file():
        raise InputError(f"{target} is no regular file: files are written whole, then put in its place")
    target = target.resolve()
    if not target.parent.is_dir():
        raise InputError(f"{target} cannot be written: there is no folder {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"{target} cannot be written: the folder {target.parent} is read-only")
