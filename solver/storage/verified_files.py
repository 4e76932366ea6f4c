"""A record of large files with a correct checksum, so that an unchanged file is not read again.

The *stamp* of a file is its place on the disk, its size and the times of its last changes. The system sets the time of
the last change of any kind (ctime), and nobody can set it back. The stamp of a verified file is stored under the hash
of its path. Whoever changes the file changes its stamp, so it is verified again.
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

SETTLING_SECONDS = 1.0  # a second change may have the same time if it follows sooner
STAMP_NAME_LENGTH = 32  # hexadecimal digits


class FileStamp:
    """The stamp of an open file, taken before the file is read: its place on the disk, size and times of changes.

    If the stamp equals the one stored when the file was verified, the file has not been changed since.

    Attributes:
        _file: the open file.
        _stamp: the stamp as text.
        _stamp_path: the file that holds the stamp once the open file has been verified.
        _is_settled: True if the last change is so long ago that a change from now on has another time, and so another
            stamp.
    """

    def __init__(self, path: str | os.PathLike[str], file: BinaryIO, folder: Path) -> None:
        """Read the stamp of the file as it is now.

        Args:
            path: the path of the file.
            file: the open file.
            folder: the folder in which the stamps of verified files are stored.
        """
        self._file = file
        self._stamp = self._read_stamp()
        seconds_since_change = time.time() - os.fstat(file.fileno()).st_ctime
        self._is_settled = seconds_since_change > SETTLING_SECONDS
        path_hash = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()
        self._stamp_path = folder / path_hash[:STAMP_NAME_LENGTH]

    def _read_stamp(self) -> str:
        """Return the present stamp of the file as text, preceded by the name and version of this program."""
        status = os.fstat(self._file.fileno())
        return f"{ENGINE} {status.st_dev} {status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"

    @property
    def is_verified(self) -> bool:
        """True if the file was verified and has not been changed since."""
        try:
            return self._stamp_path.read_text() == self._stamp
        except (OSError, ValueError):
            return False

    def mark_verified(self) -> None:
        """Store the stamp as that of a verified file, unless the file may have changed while it was read."""
        if self._is_settled and self._read_stamp() == self._stamp:
            with suppress(OSError):  # if it cannot be stored, the file is verified again next time
                self._stamp_path.parent.mkdir(parents=True, exist_ok=True)
                with write_atomically(self._stamp_path) as file:
                    file.write(self._stamp.encode())
