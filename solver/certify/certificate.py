"""Certificates, and how their files are written and read; docs/certificate-format.md describes the format."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from ..storage.files import CERTIFICATE, open_regular_file, write_atomically
from .transition_prover import CertifiedBounds
from .whole_turn import Ints

VERSION = 1
GZIP_MAGIC = b"\x1f\x8b"
MAX_HEADER_BYTES = 1 << 22
STATES_PER_PART = 1 << 14  # states that are formatted together

# What reading a damaged file may raise.
DAMAGED_FILE_ERRORS = (OSError, EOFError, zlib.error, RecursionError, ValueError, KeyError, TypeError, AttributeError)


@dataclass(frozen=True)
class Certificate:
    """A proof of a lower and an upper bound of every value.

    Attributes:
        header: what the file says of the problem: the question, the rules and the truncation.
        states: (states, numbers) the names of the states.
        bounds: the certified bounds; their ``scaled`` (rows, states) has the numbers of each state as a column.
        max_gap: the largest gap between a lower and an upper bound.
        max_error: no solved value differs from the true value by more than this.
        state_count: the number of states.
    """

    header: dict[str, Any]
    states: Ints
    bounds: CertifiedBounds
    max_gap: float
    max_error: float

    @property
    def state_count(self) -> int:
        """Return the number of states."""
        return sum(map(len, self.bounds.blocks))

    def text_parts(self) -> Iterator[str]:
        """Yield the text of the file, in parts of whole lines."""
        yield f"keepwise certificate {VERSION}\n{json.dumps(self.header)}\n"
        for block in self.bounds.blocks:
            yield "block\n"
            for first in range(0, len(block), STATES_PER_PART):
                yield "".join(self._state_lines(block[first : first + STATES_PER_PART]))
        yield f"end {self.state_count}\n"

    def _state_lines(self, states: Ints) -> Iterator[str]:
        """Yield the line of each state: its name, and its numbers in hexadecimal, for example ``19,18 c71c -3f``.

        Args:
            states: the numbers of the states.
        """
        names = self.states[states]
        numbers = self.bounds.scaled[:, states].T
        # All lines have as many numbers, so one template writes them: "%d,%d %x %x\n" for names of two numbers.
        template = ",".join(["%d"] * names.shape[1]) + " %x" * numbers.shape[1]
        rows = map(tuple, np.concatenate([names, numbers], axis=1).tolist())
        lines = map(template.__mod__, rows)
        mixed_actions = self.bounds.mixed_actions
        if not mixed_actions:
            yield from (f"{line}\n" for line in lines)
            return
        for state, line in zip(states.tolist(), lines, strict=True):
            of_mixed_action = "".join(f" {number:x}" for number in mixed_actions.get(state, ()))
            yield f"{line}{of_mixed_action}\n"

    def write(self, path: str | os.PathLike[str]) -> str:
        """Write the file, packed by gzip if its name ends in .gz; return the SHA-256 digest of its text.

        Raises:
            InputError: the file cannot be written.
        """
        digest = hashlib.sha256()
        with write_atomically(path, CERTIFICATE) as file:
            is_packed = os.fspath(path).endswith(".gz")
            # Without a name and a time, the same certificate is packed to the same bytes.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) if is_packed else nullcontext(file) as out:
                for part in self.text_parts():
                    encoded = part.encode()
                    digest.update(encoded)
                    out.write(encoded)
        return digest.hexdigest()


@contextmanager
def open_certificate(path: str | os.PathLike[str]) -> Iterator[tuple[dict[str, Any], IO[bytes]]]:
    """Open a certificate, packed or not: its header, and the file at its first block.

    Only the header is read and parsed; nothing is checked.

    Raises:
        InputError: the file cannot be opened.
        OSError, ValueError, ...: the file is damaged (``DAMAGED_FILE_ERRORS``).
    """
    with open_regular_file(path) as raw:
        is_packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        raw.seek(0)
        file: IO[bytes]
        with gzip.open(raw) if is_packed else nullcontext(raw) as file:  # type: ignore[assignment]
            file.readline(MAX_HEADER_BYTES)  # the name of the format and its version
            header = json.loads(file.readline(MAX_HEADER_BYTES))
            yield header, file
