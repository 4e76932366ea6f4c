"""Certificates: numbers below and above every value, proved in whole numbers, and the file that says them.

``certify`` proves what a solution holds; ``Certificate.write`` writes what docs/certificate-format.md describes. That
file is checked by ``keepwise_check``, which knows neither this program nor the game by its name.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..solvers import Problem, problem_from_question
from ..solvers.cards.points import Points as CardPoints
from ..solvers.cards.problem import CardMatch
from ..solvers.cards.two_player import Win as Duel
from ..solvers.push.multiplayer_problem import Seats
from ..solvers.push.points import Points, Rate
from ..solvers.push.race_problems import Race, Tabled
from ..solvers.scarney.win import Win
from ..solvers.touch.problem import TouchMatch
from ..solving.solved_problem import SolvedProblem, cpu_count
from ..storage.files import CERTIFICATE, describe_other_kind, error_reason, open_regular, write_atomically
from ..storage.table_files import fingerprint
from ..util.errors import InputError, SolveError
from ..version import ENGINE
from .card_prover import DuelProver, KeepProver
from .game_descriptions import naming, said
from .played_prover import Played, closest
from .points_prover import PointsProver
from .prover import Lines, Prover
from .rule_data import compiled, proved
from .touch_prover import BoardProver
from .truncation import FrameEquations, frames_agree
from .turn_crosscheck import agree
from .whole_turn import Crew, Ints

if TYPE_CHECKING:
    from ..play.table import Table


VERSION = 1
PROVERS: dict[type, Any] = {CardPoints: KeepProver, Duel: DuelProver, TouchMatch: BoardProver}
QUESTION = "game", "objective", "players", "parameters", "rules"
MOST_HEAD, MOST_DIGITS = 1 << 22, 8  # bytes, and of a number in it
AT_ONCE = 1 << 14  # lines that are spelled together
DAMAGED = (OSError, EOFError, zlib.error, RecursionError, ValueError, KeyError, TypeError, AttributeError)


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

    @property
    def count(self) -> int:
        """How many states there are."""
        return sum(map(len, self.lines.blocks))

    def text(self) -> Iterator[str]:
        """The file, in parts that end with a line."""
        yield f"keepwise certificate {VERSION}\n{json.dumps(self.head)}\n"
        for block in self.lines.blocks:
            yield "block\n"
            for part in (block[first : first + AT_ONCE] for first in range(0, len(block), AT_ONCE)):
                names, ends = self.states[part].tolist(), self.lines.ends[:, part].T.tolist()
                mixes = (self.lines.mixes.get(number, ()) for number in part.tolist())
                yield "".join(
                    f"{','.join(map(str, state))} {' '.join(f'{one:x}' for one in (*told, *mix))}\n"
                    for state, told, mix in zip(names, ends, mixes, strict=True)
                )
        yield f"end {self.count}\n"

    def write(self, path: str | os.PathLike[str]) -> str:
        """Write the file, packed by gzip if its name ends in .gz; return the SHA-256 digest of its text.

        Raises:
            InputError: the place cannot be written.
        """
        digest = hashlib.sha256()
        with write_atomically(path, CERTIFICATE) as file:
            packed = os.fspath(path).endswith(".gz")
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else nullcontext(file) as out:
                for part in self.text():
                    digest.update(part.encode())
                    out.write(part.encode())
        return digest.hexdigest()


def check(match: Problem[Any]) -> dict[str, Any]:
    """The rules of what is asked, as data; before anything is solved.

    Raises:
        InputError: this cannot be certified; the message says why.
    """
    rules = _rules(match)
    if isinstance(match, Seats):
        Played(match, rules["cut"].get("level")).check_size(match.list_positions({}).count)
    elif isinstance(match, TouchMatch) and match.players > 2:
        Played(match).check_size(match.array_specs()["after"].shape[0])
    return rules


def _prover(match: Problem[Any]) -> Any:
    """What finds lines of many states at once, where there is such a pass."""
    if match.players > 2 or (isinstance(match, CardPoints) and (match.card.saved or len(match.card.columns) > 1)):
        return None
    return next((one for kind, one in PROVERS.items() if isinstance(match, kind)), None)


def _rules(match: Problem[Any]) -> dict[str, Any]:
    """The same, however many turns of a race or a board there are; of a card all are walked before any is solved."""
    rules = said(match)
    if isinstance(match, CardMatch) and _prover(match) is None:
        Played(match).check_size(len(match.card.sets()))
    numbers: list[str] = []
    json.loads(json.dumps({**match.playable.question, **rules}), parse_int=numbers.append)
    if long := [one for one in numbers if len(one) > MOST_DIGITS]:
        raise InputError(f"{match.game.id}: a certificate holds numbers of {MOST_DIGITS} digits at most, not {long[0]}")
    return rules


def certify(
    solution: SolvedProblem, progress: Callable[[float], None] = lambda done: None, threads: int | None = None
) -> Certificate:
    """Prove what a solution holds, with so many threads (all processors if None), which change nothing of it.

    Raises:
        InputError: this cannot be certified; the message says why.
        SolveError: nothing could be proved.
    """
    match, rules, rate = solution.problem, _rules(solution.problem), list[int]()
    crew = Crew(threads or cpu_count())
    if compiled(match) and isinstance(match, Points):
        agree(match)
        turns = PointsProver(match)
        states, values = np.array(turns.states), solution.value_table.arrays[match.objective].reshape(1, -1)
        lines, rate = turns.prove(solution.value_table)
    elif isinstance(match, Tabled):
        agree(match)
        states, equations = named(match), proved(match)
        values = match.read(solution.value_table, np.arange(equations.state_count))[None]
        lines = Prover(equations, values[0], progress, crew).prove()
    elif isinstance(match, Win):
        frames_agree(match)
        frames = FrameEquations(match)
        states, values = frames.states(), frames.read(solution.value_table)[None]
        lines = Prover(frames, values[0], progress, crew).prove()
    elif prover := _prover(match):
        states, lines, values = prover(match, crew, progress).prove(
            solution.value_table_for(match.playable.start(), threads)
        )
        values = values[None]
    else:
        played = Played(match, rules["cut"].get("level"), progress)
        states, lines, values = played.prove(solution.value_table_for(match.playable.start(), threads))
    head = {
        **match.playable.question,
        "fingerprint": solution.fingerprint,
        "engine": ENGINE,
        "id": match.playable.name,
        "begins": beginning(match),
        "bits": lines.bits,
        "tie": f"{closest(match.players, lines.bits):x}",
        "rate": [f"{one:x}" for one in rate],
        **rules,
    }
    found, unit = np.concatenate(lines.blocks), 2.0**-lines.bits
    seats = len(values)
    ends = lines.ends[: 2 * seats, found].reshape(seats, 2, -1)
    if rate:  # values are told with it
        ends = ends + np.array(rate)[:, None]
    width, told = float((ends[:, 1] - ends[:, 0]).max()) * unit, np.ldexp(values[:, found], lines.bits)
    below, above = (rounded(told).astype(np.int64) for rounded in (np.floor, np.ceil))
    off = float(max((ends[:, 1] - below).max(), (above - ends[:, 0]).max())) * unit
    if seats > 2 and off > width + solution.error_bound:  # H10
        raise SolveError("the play that the lines are of is not the one that is stored")
    return Certificate(head, states, lines, width, off)


def named_rules(path: str | os.PathLike[str]) -> Table[Any] | None:
    """The game that a certificate names, if the rules in it are that game's.

    Raises:
        InputError: no such file, or no such game.
    """
    try:
        with open_regular(path) as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            with gzip.open(raw) if packed else nullcontext(raw) as file:
                file.readline(MOST_HEAD)
                head = json.loads(file.readline(MOST_HEAD))
        if head["fingerprint"] != fingerprint({key: head[key] for key in QUESTION}):  # before what is named is read
            return None
        match = problem_from_question(head)
        tie = f"{closest(match.players, head['bits']):x}"
        told = {**match.playable.question, **_rules(match), "begins": beginning(match), "tie": tie}
    except InputError as error:
        raise InputError(f"{os.fspath(path)} names no game that can be certified here: {error}") from None
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno:
            raise InputError(f"{os.fspath(path)} cannot be read: {error_reason(error)}") from None
        wrong = describe_other_kind(path, CERTIFICATE) or "is no certificate: keepwise certify GAME -o FILE writes one"
        raise InputError(f"{os.fspath(path)} {wrong}") from None
    named_so: Table[Any] = match.playable
    return named_so if all(head.get(key) == value for key, value in told.items()) else None


def beginning(match: Problem[Any]) -> list[int]:
    """The state in which a match begins."""
    if compiled(match) and isinstance(match, Points):  # for the average once a bank has counted
        return [int(isinstance(match, Rate)), *([0] if match.rules.costs else [])]
    start = match.playable.start()
    return [1, 0, 0] if isinstance(match, Win) else [int(one) for one in naming(match.playable)(start)]


def shipped_row(table: Table[Any]) -> dict[str, Any] | None:
    """What the manifest says of a game's shipped table, if that has a certificate."""
    from .. import tables

    rows = json.loads((Path(tables.__path__[0]) / "manifest.json").read_bytes())
    name = fingerprint(table.question)
    return next((row for row in rows if row["fingerprint"] == name and "certificate" in row), None)


def named(match: Tabled) -> Ints:
    """States as a certificate names them: scores from the mover on, busts in a row, turns left, points and dice that
    may be taken over; (states, numbers).
    """
    states, numbers = match.states, np.arange(match.equations.state_count)
    score, busts = states.score * match.rules.grain, states.busts
    players, past = [numbers % len(states)], np.zeros_like(numbers)
    if isinstance(match, Race):  # who holds the target of a last round stands behind all others
        race = match.equations
        mine, theirs = np.divmod(numbers[: race.pairs], race.width)
        past, players = np.maximum(theirs + 1 - len(states), 0), [mine, np.minimum(theirs, len(states))]
        score, busts = np.append(score, (states.target - 1) * match.rules.grain), np.append(busts, 0)
    columns = [score[one] for one in players]
    columns[-1] = columns[-1] + past * match.rules.grain
    columns += [busts[one] for one in players] if match.rules.costs else []
    columns += [numbers // len(states)] if match.objective == "reach" else []
    if not isinstance(match, Race) or not race.dice:
        return np.stack(columns, axis=1)
    mine, total, points, dice = race.offers_of(numbers[race.pairs :])
    grain, none = match.rules.grain, np.zeros_like(numbers[: race.pairs])
    offered = [
        score[mine],
        total * grain,
        *([busts[mine], 0 * mine] if match.rules.costs else []),
        points * grain,
        dice,
    ]
    return np.hstack([[*columns, none, none], offered]).T
