"""Atomic writes, and the kinds of files that Keepwise writes.

A file is written completely or not at all: into a temporary file beside the target, which then replaces it. The writer
locks the temporary file, and the lock ends with the process in whatever way that ends. So a temporary file without a
lock was left by a process that was killed. The next writer to the folder removes it.

The kind of a file is recognized by its contents, never by its name. Reading a file of another kind fails with a message
that says what the file is good for. No file of one of our kinds is overwritten by anything else.
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

if sys.platform != "win32":  # on Windows an open file cannot be removed, which serves as the lock
    import fcntl

READ_ERRORS = (OSError, UnicodeDecodeError)  # errors of opening or reading a text file
UMASK = os.umask(0)  # the permissions that new files do not get; can only be read by setting it
os.umask(UMASK)
TEMPORARY_SUFFIX = ".keepwise-part"  # of temporary files, and of no others
# By kind of file, the commands that use it.
FILE_KIND_USES = {
    "value table": "use it in place of GAME, as in keepwise advise {0}",
    "game file": "keepwise review {0} reviews it, and --resume {0} in keepwise play or coach continues it",
    "certificate": "check it with keepwise verify {0}",
    "rule file": "use it in place of GAME, as in keepwise advise {0} or keepwise coach {0}",
}
TABLE, GAME_FILE, CERTIFICATE, RULE_FILE = FILE_KIND_USES
KIND_BY_SUFFIX = {".npz": TABLE, ".kw": GAME_FILE, ".cert": CERTIFICATE, ".toml": RULE_FILE}
INSPECTED_BYTES = 1 << 20  # read to recognize a kind: the size of the largest rule file
INSPECTED_CERTIFICATE_BYTES = 100  # unpacked to recognize a certificate by its first line
MAX_PREFIX_LENGTH = 40  # characters of a file's name that the name of its temporary file repeats

# By which the formats are recognized.
ZIP_SIGNATURE = b"PK"
GZIP_SIGNATURE = b"\x1f\x8b"
TABLE_HEAD = b'"format": "keepwise table '
EXPORTED_ROWS_HEAD = b'"kind": "rows"'  # also in this format, but not a value table
CERTIFICATE_START = "keepwise certificate"
GAME_LINE = r"(?i)(?:^|[\r\n])[ \t]*game[ \t]*:"


@contextmanager
def write_atomically(path: str | os.PathLike[str], kind: str = "") -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` when the block ends without an error.

    If the block ends with an error the target stays as it was, and the temporary file is removed.

    Args:
        path: the target.
        kind: the kind of the file, one of ``FILE_KIND_USES``; "" for any other.

    Yields:
        The temporary file, open for writing bytes.

    Raises:
        InputError: the file cannot be written, or would overwrite a file of another of these kinds.
    """
    check_writable(path, kind)
    target = Path(path).resolve()  # if the path is a link, the file that it leads to is replaced
    _remove_leftovers(target.parent)
    try:
        handle, temporary_path = _open_temporary(target)
    except OSError as error:
        raise InputError(f"cannot write {target}: {error_reason(error, is_written=True)}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # so that not even a power failure leaves half a file behind
            if sys.platform != "win32":
                os.chmod(temporary_path, 0o666 & ~UMASK)  # the permissions of any new file
                # ``_open_temporary`` has locked the file, so no other process removes it as the leftover of a process
                # that was killed. The lock ends when the file is closed, so the file is renamed before that.
                os.replace(temporary_path, target)
        if sys.platform == "win32":  # there an open file cannot be renamed
            os.replace(temporary_path, target)
    except OSError as error:
        _remove(temporary_path)
        raise InputError(f"cannot write {target}: {error_reason(error, is_written=True)}") from None
    except BaseException:
        _remove(temporary_path)
        raise


def _open_temporary(target: Path) -> tuple[int, str]:
    """Create and lock a temporary file beside ``target``; return its file descriptor and path.

    The lock tells other processes that the file is in use. On Windows the open file itself does, as it cannot be
    removed.
    """
    import tempfile

    prefix = f".{target.name[:MAX_PREFIX_LENGTH]}."
    while True:
        handle, path = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=TEMPORARY_SUFFIX)
        if sys.platform == "win32":
            return handle, path
        with suppress(OSError):  # on a file system without locks, files of killed processes are not removed
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(path):
            return handle, path
        os.close(handle)  # another process removed it as a leftover before it was locked


def _remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder: those that no process locks."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(".") and name.endswith(TEMPORARY_SUFFIX):
                _remove_leftover(str(folder / name))


def _remove_leftover(path: str) -> None:
    """Remove a temporary file, unless the process that writes it still locks it."""
    with suppress(OSError):
        if sys.platform == "win32":
            os.unlink(path)  # an OSError if a process has it open
            return
        with open_regular_file(path) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError if it is locked
            os.unlink(path)


def _remove(path: str) -> None:
    """Remove a file if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def check_file_name(path: str | os.PathLike[str]) -> None:
    """Raise OSError if a path is not a valid file name, or has characters that cannot be seen.

    Bytes that are not text are allowed, because messages show them as escapes.
    """
    try:
        name = os.fsencode(path).decode("utf-8", "replace")
        invisible = first_invisible(name)  # describes the first such character, for the message
    except UnicodeEncodeError:  # a surrogate without its other half
        invisible = "half a character"
    except TypeError:
        raise OSError(errno.EINVAL, INVALID_FILE_NAME) from None
    if invisible:
        raise OSError(errno.EINVAL, f"the file name must not contain {invisible}, an invisible character")


def open_regular_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading; pipes, devices and sockets are refused, because they might never end.

    Raises:
        OSError: the file cannot be opened, or is not a regular file.
    """
    check_file_name(path)
    not_regular = OSError(errno.EINVAL, "it is not a regular file")
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file")
    if not stat.S_ISREG(mode):
        raise not_regular
    # Each system has some of these flags. Opening a pipe without O_NONBLOCK would wait for somebody to write into it.
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, os.O_RDONLY | flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it was replaced between the two calls
        file.close()
        raise not_regular
    return file


def file_kind(path: str | os.PathLike[str]) -> str:
    """Return the kind of a file by its contents, one of ``FILE_KIND_USES``; "" for any other or unreadable file."""
    with suppress(Exception), open_regular_file(path) as file:  # the parsers raise any exception for a foreign file
        first_bytes = file.read(INSPECTED_BYTES)
        if first_bytes.startswith(ZIP_SIGNATURE):
            return _archive_kind(file)
        if first_bytes.startswith(GZIP_SIGNATURE):
            import gzip

            file.seek(0)
            first_bytes = gzip.GzipFile(fileobj=file).read(INSPECTED_CERTIFICATE_BYTES)
        return _text_kind(first_bytes)
    return ""


def _archive_kind(file: BinaryIO) -> str:
    """Return ``TABLE`` if a ZIP archive is a value table, otherwise "".

    Args:
        file: the open file. If it is not an archive, or has no head, any exception may be raised.
    """
    import zipfile

    with zipfile.ZipFile(file) as archive, archive.open("head.npy") as member:
        head = member.read(INSPECTED_BYTES)
    is_table = TABLE_HEAD in head and EXPORTED_ROWS_HEAD not in head  # keepwise export writes the same format
    return TABLE if is_table else ""


def _text_kind(first_bytes: bytes) -> str:
    """Return ``CERTIFICATE``, ``GAME_FILE`` or ``RULE_FILE`` if the beginning of a text file shows it, otherwise "".

    Any exception may be raised if these bytes are neither text nor TOML. The caller then takes the kind as unknown. A
    rule file has at most ``INSPECTED_BYTES``, so all of it is parsed.

    Args:
        first_bytes: the first ``INSPECTED_BYTES`` of the file, or fewer if it is shorter.
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    text = _decode_beginning(first_bytes)
    if text.startswith(CERTIFICATE_START):
        return CERTIFICATE
    if re.search(GAME_LINE, text):
        return GAME_FILE
    return RULE_FILE if tomllib.loads(text) else ""


def _decode_beginning(first_bytes: bytes) -> str:
    """Return the beginning of a UTF-8 file as text, without a byte order mark.

    Args:
        first_bytes: the first ``INSPECTED_BYTES`` of the file, or fewer if it is shorter.
    """
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    # If the file goes on, its last character here may be cut. A decoder that is not at the end leaves it out.
    is_whole_file = len(first_bytes) < INSPECTED_BYTES
    return decoder.decode(first_bytes, final=is_whole_file)


def describe_other_kind(path: str | os.PathLike[str], expected_kind: str) -> str:
    """Return what a file is and how to use it, if it has another known kind than the expected one; otherwise "".

    The text continues a sentence that begins with the name of the file.

    Args:
        path: the file.
        expected_kind: the kind that the caller can read, one of ``FILE_KIND_USES``.
    """
    if to_path(path).suffix == ".py":
        if expected_kind not in (TABLE, RULE_FILE):
            return f"is a Python program, not a {expected_kind}"
        return "is a Python program; solve a game of your own in Python with kw.solve_playable, see docs/own-game.md"
    kind = file_kind(path)
    if kind in ("", expected_kind):
        return ""
    use = FILE_KIND_USES[kind].format(os.fspath(path))
    return f"is a {kind}; {use}"


def error_reason(error: Exception, is_written: bool = False) -> str:
    """Return the reason why a file cannot be read or written, for a message.

    Args:
        error: one of the ``READ_ERRORS``, raised when it was opened, read or written.
        is_written: whether it was to be written.
    """
    if isinstance(error, FileNotFoundError):
        return "its folder does not exist" if is_written else "file not found"
    if isinstance(error, OSError):
        return str(error.strerror or error)
    return "it is not UTF-8 text"


def lock_file(file: IO[Any]) -> bool:
    """Lock an open file until it is closed; return False if another process holds the lock.

    Where files cannot be locked, nothing is locked and the result is True.
    """
    try:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True


def check_writable(path: str | os.PathLike[str], kind: str = "") -> None:
    """Raise InputError if a file cannot be written, or would overwrite a file of another kind.

    Callers check this before they spend time on the contents. Files of unknown kinds may be overwritten.

    Args:
        path: the file to be written.
        kind: its kind, one of ``FILE_KIND_USES``; "" for any other.
    """
    target = to_path(path)
    try:
        check_file_name(path)
        os.stat(target)  # fails for a loop of symbolic links
    except FileNotFoundError:
        pass
    except READ_ERRORS as error:
        raise InputError(f"cannot write {target}: {error_reason(error, is_written=True)}") from None
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file in it")
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write {target}: it is not a regular file")
    target = target.resolve()
    if not target.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise InputError(f"cannot write {target}: the folder {target.parent} is read-only")
    existing_kind = file_kind(target)
    if existing_kind not in ("", kind):
        raise InputError(f"refusing to overwrite {path} (a {existing_kind}); choose another file name")


def check_output(path: str | os.PathLike[str], kind: str, other_suffixes: Iterable[str] = ()) -> None:
    """Raise InputError unless a file of a known kind can be written to ``path``, and its suffix fits the kind.

    An existing file must be empty or of the same kind.

    Args:
        path: the file to be written.
        kind: its kind, one of ``FILE_KIND_USES``.
        other_suffixes: suffixes of other formats, without the dot, that are refused.
    """
    check_writable(path, kind)
    suffix = Path(path).suffix.lower()
    is_suffix_of_other_kind = KIND_BY_SUFFIX.get(suffix, kind) != kind  # an unknown suffix is allowed
    if is_suffix_of_other_kind or suffix.lstrip(".") in other_suffixes:
        kind_suffix = next(key for key, suffix_kind in KIND_BY_SUFFIX.items() if suffix_kind == kind)
        raise InputError(f"{path} is not a name for a {kind}; use {Path(path).with_suffix(kind_suffix)}")
    has_contents = os.path.exists(path) and os.path.getsize(path) > 0
    if has_contents and file_kind(path) != kind:
        raise InputError(f"refusing to overwrite {path} (not a {kind}); choose another file name, or delete it")
