"""Files are written whole or not at all: into a temporary file beside the target, which then takes its place.

The writer of a temporary file holds a lock on it, which ends with the process however it ends. So a temporary file that
nobody holds was left by a process that was killed, and whoever writes to the folder next removes it.

What a file is says what it holds, never its name: who reads one kind says of another what that is good for, and nothing
else is written over one that is ours.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from ..util.arguments import INVALID_FILE_NAME, to_path
from ..util.errors import InputError
from ..util.text import first_invisible

if sys.platform != "win32":  # where a file that is open cannot be removed: that serves as the lock
    import fcntl

READ_ERRORS = (OSError, UnicodeDecodeError)  # what opening or reading a file raises that is not there, or is no text
UMASK = os.umask(0)  # can only be read by setting it
os.umask(UMASK)
TEMPORARY_SUFFIX = ".keepwise-part"  # how temporary files end, and no others
# kinds of files -> what takes them
FILE_KIND_USES = {
    "table of values": "it stands in the place of GAME, as in keepwise advise {0}",
    "game file": "keepwise review {0} judges it, keepwise coach --resume {0} goes on with it",
    "certificate": "keepwise verify {0} checks it",
    "rule file": "--rules {0} reads it",
}
TABLE, GAME_FILE, CERTIFICATE, RULE_FILE = FILE_KIND_USES
KIND_BY_SUFFIX = {".npz": TABLE, ".kw": GAME_FILE, ".cert": CERTIFICATE, ".toml": RULE_FILE}
INSPECTED_BYTES = 1 << 20  # bytes that are looked at, those of the largest rule file


@contextmanager
def write_atomically(path: str | os.PathLike[str], kind: str = "") -> Iterator[BinaryIO]:
    """Open a file, of a ``kind`` of ``KINDS``, that appears under ``path`` once the block is left without an error.

    Raises:
        InputError: the place cannot be written.
    """
    check_writable(path, kind)
    target = Path(path).resolve()  # what a link names, not the link
    _remove_leftovers(target.parent)
    try:
        handle, name = _open_temporary(target)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as part:
            yield part
            part.flush()
            os.fsync(part.fileno())
            if sys.platform != "win32":  # in place before the lock ends, so that nobody takes it for a leftover
                os.chmod(name, 0o666 & ~UMASK)
                os.replace(name, target)
        if sys.platform == "win32":
            os.replace(name, target)
    except OSError as error:
        _remove(name)
        raise InputError(f"{target} cannot be written: {error.strerror}") from None
    except BaseException:
        _remove(name)
        raise


def _open_temporary(target: Path) -> tuple[int, str]:
    """Make a temporary file and lock it; again where somebody took it for a leftover before it was locked."""
    import tempfile

    while True:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=TEMPORARY_SUFFIX)
        if sys.platform == "win32":
            return handle, name
        with suppress(OSError):  # a file system without locks: leftovers stay there
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(name):
            return handle, name
        os.close(handle)


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files of processes that are gone; none that anybody holds, and nothing else."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(".") and name.endswith(TEMPORARY_SUFFIX):
                _remove_leftover(str(folder / name))


def _remove_leftover(name: str) -> None:
    with suppress(OSError):
        if sys.platform == "win32":
            os.unlink(name)
            return
        with open_regular(name) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name)


def _remove(name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name)


def check_file_name(path: str | os.PathLike[str]) -> None:
    """Raise OSError for a name that is not told to people as it is; bytes that are no text are, as escapes."""
    try:
        hidden = first_invisible(os.fsencode(path).decode("utf-8", "replace"))
    except UnicodeEncodeError:
        hidden = "half a character"
    except TypeError:
        raise OSError(errno.EINVAL, INVALID_FILE_NAME) from None
    if hidden:
        raise OSError(errno.EINVAL, f"the name of a file must not hold {hidden}, which cannot be seen")


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading, never a pipe, a device or a socket, which might hang or never end.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    check_file_name(path)
    refused = OSError(errno.EINVAL, "it is no regular file")
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder") if stat.S_ISDIR(mode) else refused
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, os.O_RDONLY | flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # put in its place meanwhile
        file.close()
        raise refused
    return file


def file_kind(path: str | os.PathLike[str]) -> str:
    """The kind of a file, one of ``KINDS``; "" of another, and of what cannot be read."""
    with suppress(Exception), open_regular(path) as file:  # whatever a foreign file provokes in the readers
        import codecs
        import gzip
        import zipfile

        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib
        begins = file.read(INSPECTED_BYTES)
        if begins.startswith(b"PK"):
            with zipfile.ZipFile(file) as archive, archive.open("head.npy") as member:
                head = member.read(INSPECTED_BYTES)  # of exported rows it says that they are
            return TABLE if b'"format": "keepwise table ' in head and b'"kind": "rows"' not in head else ""
        if begins.startswith(b"\x1f\x8b"):
            file.seek(0)
            begins = gzip.GzipFile(fileobj=file).read(100)
        whole = len(begins) < INSPECTED_BYTES  # else a letter may be cut
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(begins, whole)
        if text.startswith("keepwise certificate"):
            return CERTIFICATE
        if re.search(r"(?:^|[\r\n])[ \t]*game[ \t]*:", text, re.IGNORECASE):
            return GAME_FILE
        return RULE_FILE if tomllib.loads(text) else ""
    return ""


def describe_other_kind(path: str | os.PathLike[str], wanted: str) -> str:
    """What a file is that was to be of the kind ``wanted``, and what takes it; "" where nobody knows."""
    kind = file_kind(path)
    return f"is a {kind}: {FILE_KIND_USES[kind].format(os.fspath(path))}" if kind not in ("", wanted) else ""


def error_reason(error: Exception) -> str:
    """Why a file cannot be had, of an error that is one of ``NO_FILE``."""
    return str(error.strerror or error) if isinstance(error, OSError) else "it is no UTF-8 text"


def lock_file(file: IO[Any]) -> bool:
    """Hold an open file for oneself until it is closed; False where another program holds it. Where the system or the
    file system knows no locks nobody is kept out.
    """
    try:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def check_writable(path: str | os.PathLike[str], kind: str = "") -> None:
    """Raise InputError where a file of this kind could not be written, or would be written over one of ours of another,
    before any time is spent on what it is to hold.
    """
    target = to_path(path)
    try:
        check_file_name(path)
        os.stat(target)  # fails for a loop of symbolic links
    except FileNotFoundError:
        pass
    except READ_ERRORS as error:
        raise InputError(f"{target} cannot be written: {error_reason(error)}") from None
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file in it")
    if target.exists() and not target.is_file():
        raise InputError(f"{target} is no regular file: files are written whole, then put in its place")
    target = target.resolve()
    if not target.parent.is_dir():
        raise InputError(f"{target} cannot be written: there is no folder {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"{target} cannot be written: the folder {target.parent} is read-only")
    if (there := file_kind(target)) not in ("", kind):
        raise InputError(f"{path} is a {there}, which nothing else is written over: give another name")


def check_output(path: str | os.PathLike[str], kind: str, others: Iterable[str] = ()) -> None:
    """Raise InputError where no file of a kind of ours could be written, where anything else is there already, or where
    the name ends as those of another kind do, or of ``others``.
    """
    check_writable(path, kind)
    ending = Path(path).suffix.lower()
    own = next(one for one, of in KIND_BY_SUFFIX.items() if of == kind)
    if KIND_BY_SUFFIX.get(ending, kind) != kind or ending.lstrip(".") in others:
        raise InputError(f"{path} would be a {kind}, whose name does not end so: {Path(path).with_suffix(own)}")
    if os.path.exists(path) and os.path.getsize(path) and file_kind(path) != kind:
        raise InputError(f"{path} is there already and is no {kind}: give another name, or remove it")
