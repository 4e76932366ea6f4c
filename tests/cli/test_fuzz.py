"""Random and mutated command lines, run in this process: whatever is typed, the program answers in good order.

A defect is

- an exception that is no clean exit, in the program or as a traceback in what it prints;
- an exit status other than 0, 1 and 2, or 1 without a failure that is known by name (``FAILURES``);
- an error that is not exactly one line beginning with ``keepwise: ``, or comes with anything on stdout;
- an answer (0) with nothing on stdout, or with more than notes on stderr;
- NaN, an infinity or -0 in an answer; a chance outside 0 to 1; seats whose chances do not add up; a negative loss;
- JSON asked for that does not parse, or holds what JSON has no word for;
- a file that a refused or failed command made, changed or left behind; an output file that was not written;
- a character on the terminal that cannot be seen, but for the ends of lines;
- a call that hangs: ``LONGEST`` seconds and more.

Questions are chosen to be answered fast. A mutation can still ask for hours of work; a call is stopped after
``ENOUGH`` seconds of work, must then leave no file behind, and only few calls may end so.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import shlex
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pytest
from command_lines import CARD, ODDS, OURS, Lines
from hostile import hidden
from patience import PATIENCE

import keepwise as kw
from keepwise.cli import main
from keepwise.games.push_rules import PushRules
from keepwise.solvers import cluster

ENOUGH = 1.5  # seconds of the processor after which a call is stopped
LONGEST = 60.0  # seconds that no call may take
STOPPED = 0.02  # share of the calls that may be stopped
FAILURES = ("keepwise: cannot write the answer: ", "keepwise: there is not enough memory for this command")

NO_NUMBER = re.compile(
    r"(?<![\w.-])[+-]?(nan|inf|infinity)(?![\w:-])|(?<![\w.])-0(\.0*)?(?![\d.,]*[1-9])(?![\w.])", re.I
)
PERCENT = re.compile(r"(-?[\d.,]+(?:e-?\d+)?)(?:%| pp)")


class Stopped(BaseException):
    """A call has worked for long enough."""


class Hung(BaseException):
    """A call has taken longer than any may."""


@dataclass
class Ran:
    """What a call did."""

    status: int | None
    out: str
    err: str
    seconds: float
    defects: list[str] = field(default_factory=list)


def call(words: list[str], encoding: str) -> Ran:
    """Run a command line; ``status`` is None where it was stopped."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict", newline="") for _ in range(2)]
    before = sys.stdout, sys.stderr
    defects: list[str] = []
    status: int | None = None
    begun = time.perf_counter()
    try:
        sys.stdout, sys.stderr = streams
        signal.setitimer(signal.ITIMER_PROF, ENOUGH)
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        try:
            main(words)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Stopped:
        pass
    except SystemExit as exit_:
        status = exit_.code if isinstance(exit_.code, int) else -1
    except BaseException as error:
        raised = traceback.extract_tb(error.__traceback__)[-1]
        defects.append(f"{type(error).__name__}: {error} ({raised.filename}, line {raised.lineno})")
    finally:
        sys.stdout, sys.stderr = before
    seconds = time.perf_counter() - begun
    for stream in streams:
        stream.flush()
    spelled = "latin-1" if encoding == "latin-1" else "utf-8"  # click writes UTF-8 where it is told ASCII
    out, err = (stream.buffer.getvalue().decode(spelled) for stream in streams)
    return Ran(status, out, err, seconds, defects)


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    return {entry.name: (entry.stat().st_size, entry.stat().st_mtime_ns) for entry in os.scandir(folder)}


def judge(words: list[str], ran: Ran, before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> None:
    """Add what is wrong to ``ran.defects``."""
    wrong = ran.defects.append
    if ran.seconds >= LONGEST:
        wrong(f"took {ran.seconds:.1f} s")
    if "Traceback" in ran.out + ran.err:
        wrong("a traceback")
    if unseen := hidden(ran.out + ran.err):
        wrong(f"prints {unseen!r}")
    if ran.status != 0 and before != after:
        wrong(f"files changed: {sorted(set(before.items()) ^ set(after.items()))}")
    if ran.status is None or ran.defects:
        return
    if ran.status == 0:
        if not ran.out.strip():
            wrong("an answer of nothing")
        announced = re.compile(r"note: .*|.* takes about .*|wrote .*\.meta\.json, which describes the rows")
        if not all(announced.fullmatch(line) for line in ran.err.splitlines()):
            wrong(f"stderr: {ran.err!r}")
        judge_answer(words, ran)
        return
    if ran.status not in (1, 2):
        wrong(f"exit status {ran.status}")
    if ran.out and words:  # without arguments the help is printed
        wrong(f"stdout beside an error: {ran.out[:80]!r}")
    if ran.err.count("\n") != 1 or not ran.err.startswith("keepwise: ") or not ran.err.endswith("\n"):
        if words:
            wrong(f"not one line: {ran.err[:200]!r}")
    elif ran.status == 1 and not ran.err.startswith(FAILURES):
        wrong(f"a failure without a name: {ran.err!r}")


def judge_answer(words: list[str], ran: Ran) -> None:
    wrong = ran.defects.append
    text = ran.out
    if text.startswith("{") and not text.startswith(("{}: ", "{} is ")):  # a file may be called {}
        try:
            answer = json.loads(text, parse_constant=lambda name: wrong(f"{name} in JSON"))
        except ValueError as error:
            wrong(f"JSON does not parse: {error}")
            return
        judge_numbers(answer, "", wrong)
        judge_shape(answer, wrong)
        return
    told = [place for place, word in enumerate(words) if word == "--json" and not words[place - 1].startswith("-")]
    if told and not {"--help", "-h", "--version"} & set(words) and words[0] not in ("odds", "chart"):
        wrong("no JSON")
    if (found := NO_NUMBER.search(text)) and found[0] not in words:  # a file may be called nan
        line = next(line for line in text.splitlines() if found[0] in line)
        wrong(f"no number: {found[0]!r} in {line!r}")
    if words[0] in ("advise", "value", "evaluate"):
        for number in PERCENT.findall(text):
            if not 0 <= float(number.replace(",", "")) <= 100:
                wrong(f"{number} %")


def judge_numbers(value: object, where: str, wrong) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            judge_numbers(inner, f"{where}.{key}", wrong)
    elif isinstance(value, list):
        for inner in value:
            judge_numbers(inner, where, wrong)
    elif isinstance(value, float) and (not math.isfinite(value) or math.copysign(1, value) < value == 0):
        wrong(f"{where} = {value}")


def judge_shape(answer: dict, wrong) -> None:
    objective, bound = answer.get("objective"), answer.get("error_bound", 0)
    chance = objective in ("win", "reach")
    if not 0 <= bound < 1e-6 * max(1, abs(answer.get("value", 0))):
        wrong(f"error bound {bound}")
    if chance and "value" in answer and not 0 <= answer["value"] <= 1:
        wrong(f"chance {answer['value']}")
    if objective == "win" and "seats" in answer and "games" not in answer:  # simulated seats tell more than chances
        if min(answer["seats"]) < 0 or max(answer["seats"]) > 1:
            wrong(f"seats {answer['seats']}")
        if abs(sum(answer["seats"]) - 1) > 2 * len(answer["seats"]) * bound + 1e-15:
            wrong(f"seats add up to {sum(answer['seats'])}")
    for choice in answer.get("choices", ()):
        if choice["loss"] < 0:
            wrong(f"loss {choice['loss']}")
        if not 0 <= choice.get("bust", 0) <= 1 or (chance and not 0 <= choice["value"] <= 1):
            wrong(f"chance out of range: {choice}")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the commands run: rule files, odds, two small tables, outputs that are there already."""
    # Half of the time would go into compiling the same rules again.
    monkeypatch.setattr(PushRules, "turn", property(lru_cache(500)(PushRules.turn.func)))
    place = tmp_path / "folder"
    place.mkdir()
    monkeypatch.chdir(place)
    (place / "ours.toml").write_text(OURS)
    (place / "card.toml").write_text(CARD)
    with pytest.raises(SystemExit):
        main(["odds", *ODDS.split(), "-o", "odds.toml"])
    kw.solve(kw.game("pig", target=12), "win", fresh=True).save("pig.npz")
    kw.solve(kw.game("5000", target=600), "points", fresh=True).save("5000.npz")
    for ending in ("csv", "json", "npz", "svg", "txt", "drn"):
        if ending != "npz":
            (place / f"old.{ending}").write_text("old")
    (place / "folder.csv").mkdir()
    return place


@pytest.fixture
def stoppable():
    def stop(number, frame):
        raise Stopped

    def hung(number, frame):
        raise Hung

    before = [signal.signal(signal.SIGPROF, stop), signal.signal(signal.SIGALRM, hung)]
    yield
    for number, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
        signal.signal(number, handler)


def fuzz(seed: int, calls: int, folder: Path, line: Callable[[Lines], list[str]] = Lines.line) -> None:
    for library in (
        "matplotlib.pyplot",
        "pyarrow.parquet",
        "fpdf",
        "networkx",
        "numpy.random",
        "keepwise.output.charts.draw",
    ):
        __import__(library)  # nothing is stopped halfway into one
    lines = Lines(seed, folder)
    kept = {path.name for path in folder.iterdir()}
    seen: Counter[str] = Counter()
    found = []
    for number in range(calls):
        words = line(lines)
        encoding = lines.random.choice(("utf-8", "utf-8", "utf-8", "ascii", "latin-1"))
        before = snapshot(folder)
        ran = call(words, encoding)
        after = snapshot(folder)
        judge(words, ran, before, after)
        seen["stopped" if ran.status is None else str(ran.status)] += 1
        if ran.defects:
            found.append(f"call {number}: {shlex.join(words)}: {'; '.join(ran.defects)}")
            print(found[-1])
        for name in set(after) - kept:
            (folder / name).unlink()
    print(f"seed {seed}: {calls} calls, {dict(seen)}")
    assert not found, f"{len(found)} defects:\n" + "\n".join(found[:20])
    assert seen["stopped"] <= STOPPED * calls
    assert seen["0"] > calls / 5, "too few lines are sensible"


pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts"),
    pytest.mark.usefixtures("stoppable"),
    # A call that is stopped for its time may be stopped in a callback of the garbage collector, which only says so.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.mark.slow
def test_some_command_lines(folder):
    fuzz(2, 60, folder)


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("calls", [15, pytest.param(100, marks=pytest.mark.slow)])
def test_command_lines_with_a_cluster(folder, at_hand, monkeypatch, calls):
    monkeypatch.setattr(cluster, "CONNECT_TIMEOUT_SECONDS", 0.2)
    fuzz(1, calls, folder, Lines.spread)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 2 + 2 * PATIENCE))
def test_thousands_of_command_lines(folder, seed):
    fuzz(seed, 500, folder)
