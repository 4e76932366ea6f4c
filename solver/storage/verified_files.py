"""Large files that were read through once and found whole are not read through again while they stay untouched.

A file's *stamp* is where it stands on its disk, its size and when it was last changed in any way; the system keeps that
time, and nobody can set it back. The stamp of a file that was found whole is kept by its path. Whoever changes the file
changes its stamp, and it is read through again.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ..version import ENGINE
from .files import write_atomically

SETTLING_SECONDS = 1.0  # seconds after a change until the next one is sure to have another time


class FileStamp:
    """The stamp of an open file, taken before it is read; ``folder``: where stamps of files found whole are kept."""

    def __init__(self, path: str | os.PathLike[str], file: BinaryIO, folder: Path) -> None:
        self._file = file
        self._current_stamp = self._read()
        self._settled = time.time() > os.fstat(file.fileno()).st_ctime + SETTLING_SECONDS
        self._stamp_path = folder / hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]

    def _read(self) -> str:
        seen = os.fstat(self._file.fileno())
        return f"{ENGINE} {seen.st_dev} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"

    @property
    def is_verified(self) -> bool:
        """Whether the file was found whole and nobody has touched it since."""
        try:
            return self._stamp_path.read_text() == self._current_stamp
        except (OSError, ValueError):
            return False

    def mark_verified(self) -> None:
        """Keep the stamp, unless the file may have changed while it was read."""
        if self._settled and self._read() == self._current_stamp:
            with suppress(OSError):  # then it is read through the next time too
                self._stamp_path.parent.mkdir(parents=True, exist_ok=True)
                with write_atomically(self._stamp_path) as part:
                    part.write(self._current_stamp.encode())
