"""One table of speed with ratios, written to ``docs/results/speed.md`` between two marks, with machine and load.

References are the plain C loops of this folder and, if they are installed, public libraries (``peers.py``). Name the
interpreter that has these libraries by ``PEERS_PYTHON``; by default it is the one that runs this file.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from bench_race import plain
from peers import HOLD, PIG_TARGET_OF_OPEN_SPIEL
from plain import library, timed

import keepwise as kw

PAGE = Path(__file__).parents[1] / "docs" / "results" / "speed.md"
BEGIN, END = "<!-- begin: make benchmarks -->", "<!-- end: make benchmarks -->"
RUNS = 5  # of an engine; the best counts
LONG = 1.0  # seconds from which an engine runs only once more
TOLERANCE = 1e-6  # by which a reference's value may differ

Reference = Callable[[], tuple[float, float]]  # returns seconds and a value


class Line(NamedTuple):
    """A line of the table.

    Attributes:
        what: what is computed.
        solve: computes it and returns its value.
        reference: the name of the reference, or "".
        measure: the reference; None if there is none.
    """

    what: str
    solve: Callable[[], float]
    reference: str = ""
    measure: Reference | None = None


def race(game_id: str, players: int = 2) -> Callable[[], float]:
    """Return the solve of a race from rules to values."""
    return lambda: kw.solve(kw.game(game_id), "win", players=players, fresh=True).value()


def plain_race(game_id: str) -> Reference:
    """Return the plain loop of a race."""

    def measure() -> tuple[float, float]:
        return plain(library("plain_race"), kw.game(game_id).data)

    return measure


def peer(name: str) -> Reference:
    """Return a measurement by a public library, in a process of its own."""

    def measure() -> tuple[float, float]:
        command = [os.environ.get("PEERS_PYTHON", sys.executable), str(Path(__file__).with_name("peers.py")), name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ImportError(done.stderr.strip().splitlines()[-1])
        seconds, value = json.loads(done.stdout.splitlines()[-1])
        return seconds, value

    return measure


def solve_pig_turns() -> float:
    """Return the fewest expected turns of Pig alone."""
    return kw.solve("pig", "turns", fresh=True).value()


def small_pig() -> float:
    """Return the chance of the first of two players of a short Pig."""
    return kw.solve(kw.game("pig", target=PIG_TARGET_OF_OPEN_SPIEL), "win", fresh=True).value()


def hold() -> float:
    """Return the mean of one turn of Pig that holds at 20."""
    return float(kw.solve("pig", "points", fresh=True).evaluate(f"hold:{HOLD}").value)


PLAIN = "scalar C, one core"
LINES = (
    Line("Pig to 100, two players", race("pig"), PLAIN, plain_race("pig")),
    Line("5000, two players", race("5000"), PLAIN, plain_race("5000")),
    Line("Farkle to 10,000, two players", race("farkle"), PLAIN, plain_race("farkle")),
    Line("Beartrap to 10,000, two players", race("beartrap")),
    Line("Straight Scarney, two players", race("scarney")),
    Line(
        "Yahtzee, alone",
        lambda: kw.solve("yahtzee", "points", fresh=True).value(),
        PLAIN,
        lambda: timed("plain_yahtzee"),
    ),
    Line("Double Cameroon, alone", lambda: kw.solve("double-cameroon", "points", fresh=True).value()),
    Line(
        "Booby Trap, two players",
        lambda: kw.solve("booby-trap", "win", fresh=True).value(),
        PLAIN,
        lambda: timed("plain_touch"),
    ),
    Line("Pig to 100, alone, fewest turns", solve_pig_turns, "QuantEcon, policy iteration", peer("QuantEcon")),
    Line(f"Pig to {PIG_TARGET_OF_OPEN_SPIEL}, two players", small_pig, "OpenSpiel, value iteration", peer("OpenSpiel")),
    Line(f"Pig, one turn that holds at {HOLD}", hold, "icepool", peer("icepool")),
)


def best_time(solve: Callable[[], float]) -> tuple[float, float]:
    """Return the least seconds of a few runs, and the value."""
    seconds = list[float]()
    value = 0.0
    while len(seconds) < (RUNS if not seconds or min(seconds) < LONG else 2):
        begun = time.perf_counter()
        value = solve()
        seconds.append(time.perf_counter() - begun)
    return min(seconds), value


def row(line: Line) -> str:
    """Measure a line and return it as a row of the table."""
    seconds, value = best_time(line.solve)
    if line.measure is None:
        return f"| {line.what} | {format_seconds(seconds)} | | |"
    try:
        reference_seconds, reference_value = line.measure()
    except ImportError as error:
        print(f"    {error}")
        return f"| {line.what} | {format_seconds(seconds)} | {line.reference}: not installed | |"
    if abs(reference_value - value) > TOLERANCE:
        sys.exit(f"{line.what}: the engine has {value!r}, {line.reference} has {reference_value!r}")
    ratio = reference_seconds / seconds
    reference = f"{format_seconds(reference_seconds)} ({line.reference})"
    return f"| {line.what} | {format_seconds(seconds)} | {reference} | {ratio:,.{0 if ratio >= 10 else 1}f} |"


def format_seconds(seconds: float) -> str:
    """Return seconds with two significant digits."""
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return (
        f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.2g} ms" if seconds < 0.01 else f"{seconds:.3f} s"
    )


def machine() -> str:
    """Return the processor, its cores and the versions, with the load of the last minute."""
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    processor = names[0].partition(": ")[2] if names else platform.processor() or platform.machine()
    load = os.getloadavg()[0]
    python, today = platform.python_version(), date.today().isoformat()
    return f"{processor}, {os.cpu_count()} cores, Python {python}; load {load:.1f} at the end of the run on {today}."


def main() -> None:
    """Measure all lines, print them, and write them to the page."""
    load_before = os.getloadavg()[0]
    rows = []
    for line in LINES:
        rows.append(row(line))
        print(rows[-1], flush=True)
    text = "\n".join(
        [
            BEGIN,
            f"Measured on {machine()} The load was {load_before:.1f} at the start.",
            "",
            "| from rules to values | engine | reference | ratio |",
            "|---|---|---|---|",
            *rows,
            END,
        ]
    )
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{text}{after}")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
