"""Certificates: numbers below and above every value, proved in whole numbers, and the file that says them.

``certify`` proves what a solution holds; ``Certificate.write`` writes what docs/certificate-format.md describes. That
file is checked by ``keepwise_check``, which knows neither this program nor the game by its name.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..files import whole_file
from ..matches.push.matches import Tabled
from ..version import ENGINE
from .lines import Ints, Lines, Prover
from .readings import agree
from .rules import told

if TYPE_CHECKING:
    from ..solution import Solution

VERSION = 1


@dataclass(frozen=True)
class Certificate:
    """A proved enclosure of every value: the header, states by number, and their lines.

    ``width``: no line is wider; ``off``: no value of the solution is further from any true value.
    """

    head: dict[str, Any]
    states: Ints
    lines: Lines
    width: float
    off: float

    def text(self) -> Iterator[str]:
        """The file, in parts that end with a line."""
        yield f"keepwise certificate {VERSION}\n{json.dumps(self.head)}\n"
        for block in self.lines.blocks:
            names, ends = self.states[block].tolist(), self.lines.ends[:, block].T.tolist()
            entries = (
                f"{','.join(map(str, state))} {low:x} {high:x}\n"
                for state, (low, high) in zip(names, ends, strict=True)
            )
            yield "block\n" + "".join(entries)
        yield f"end {sum(map(len, self.lines.blocks))}\n"

    def write(self, path: str | os.PathLike[str]) -> str:
        """Write the file, packed by gzip if its name ends in .gz; return the SHA-256 digest of its text.

        Raises:
            InputError: the place cannot be written.
        """
        digest = hashlib.sha256()
        with whole_file(path) as file:
            packed = os.fspath(path).endswith(".gz")
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else nullcontext(file) as out:
                for part in self.text():
                    digest.update(part.encode())
                    out.write(part.encode())
        return digest.hexdigest()


def certify(solution: Solution, progress: Callable[[float], None] = lambda done: None) -> Certificate:
    """Prove what a solution holds.

    Raises:
        InputError: this cannot be certified; the message says why.
        SolveError: nothing could be proved.
    """
    match = solution.match
    if not isinstance(match, Tabled):
        objective = f"{match.objective} with {match.players} players" if match.players > 1 else match.objective
        raise InputError(f"{match.game.id} for {objective} cannot be certified yet; push-your-luck races of two can,"
                         " and turns and reach alone")
    rules = told(match)
    agree(match)
    values = match.read(solution.solved, np.arange(match.equations.size))
    prover = Prover(match.equations, values, progress)
    lines = prover.prove()
    states = named(match)
    proved = np.concatenate(lines.blocks)
    ends, near = lines.ends[:, proved], prover.values[proved]
    unit = 2.0**-lines.bits
    head = {
        "game": match.game.id,
        "fingerprint": solution.fingerprint,
        "engine": ENGINE,
        "id": match.table.name,
        "objective": match.objective,
        "players": match.players,
        "parameters": dict(match.parameters),
        "begins": states[match.number(match.table.start())].tolist(),
        "bits": lines.bits,
        "tie": "0",
        "rate": [],
        **rules,
    }
    width = float((ends[1] - ends[0]).max()) * unit
    return Certificate(head, states, lines, width, float(np.abs(ends - near).max() + 1) * unit)


def named(match: Tabled) -> Ints:
    """States as a certificate names them: scores from the mover on, busts in a row, turns left; (states, numbers)."""
    states, numbers = match.states, np.arange(match.equations.size)
    score, busts = states.score * match.rules.grain, states.busts
    if match.players > 1:
        players = np.divmod(numbers, len(states))
    else:
        players = (numbers % len(states),)
    columns = [score[one] for one in players]
    columns += [busts[one] for one in players] if match.rules.costs else []
    columns += [numbers // len(states)] if match.objective == "reach" else []
    return np.stack(columns, axis=1)
