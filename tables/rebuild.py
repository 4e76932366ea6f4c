"""Rebuild every shipped table from the rules and compare it bit for bit: ``python -m keepwise.tables.rebuild``.

A table that takes longer than ``LONG`` seconds is solved with ``--all`` or ``--update`` only. With ``--update`` the
tables and the manifest are written instead. The manifest states for every table what it answers, its bound, the
SHA-256 of its file and how long it took to make; and of its certificate what ``certificates`` adds.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from keepwise.api import solve
from keepwise.games import Game, game
from keepwise.games.rulefile.loader import load_rules
from keepwise.solving.table_store import table_file_name

FOLDER = Path(__file__).resolve().parent
MANIFEST = FOLDER / "manifest.json"

LONG = 30  # seconds, as the manifest states them
# Rule files that ship of which the win takes more than a second, and a table of up to 400 KB.
FILES = ("cosmic-wimpout", "farkle-common", "farkle-patch", "zehntausend", "zombie-dice", "zonk")
# The default rules of every game whose tables are small enough to ship.
SHIPPED = (
    ("5000", "win"),
    ("5000", "points"),
    ("5000", "turns"),
    ("beartrap", "win"),
    ("beartrap", "points"),
    ("beartrap", "turns"),
    ("farkle", "win"),
    ("farkle", "points"),
    ("farkle", "turns"),
    ("pig", "win"),
    ("pig", "points"),
    ("pig", "turns"),
    ("scarney", "win"),
    ("scarney", "points"),
    ("double-cameroon", "points"),
    ("battleship", "win"),
    ("battleship", "margin"),
    ("battleship", "points"),
    ("battleship", "turns"),
    ("boston", "win"),
    ("boston", "points"),
    ("multiplication", "win"),
    ("multiplication", "points"),
    *((name, "win") for name in FILES),
    ("double-cameroon", "win"),  # the last, since it takes minutes
)


# Tables of hundreds of megabytes ship in part: the layers that are too far from the end to be solved when asked about.
PARTS = {("double-cameroon", "win"): ("after1", "after2")}


def shipped_game(name: str) -> Game:
    """A game whose tables ship."""
    return load_rules(name) if name in FILES else game(name)


def main() -> int:
    """Rebuild all tables; return the number that differ from what ships."""
    update = "--update" in sys.argv[1:]
    before = {row["sha256"]: row for row in json.loads(MANIFEST.read_text())}
    long_tables = {(row["game"], row["objective"]): row for row in before.values() if row["seconds"] > LONG}
    if update or "--all" in sys.argv[1:]:
        long_tables = {}
    rows, differing = [], 0
    for game_id, objective in SHIPPED:
        if row := long_tables.get((game_id, objective)):
            file = FOLDER / row["file"]
            is_intact = file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == row["sha256"]
            differing += not is_intact
            rows.append(row)
            verdict = f"{row['seconds']} s, with --all only" if is_intact else "DIFFERS"
            print(f"{row['file']}: {verdict}")
            continue
        begun = time.perf_counter()
        solution = solve(shipped_game(game_id), objective, fresh=True)
        if part := PARTS.get((game_id, objective)):
            arrays = {name: solution.value_table.arrays[name] for name in part}
            solution = replace(solution, value_table=replace(solution.value_table, arrays=arrays))
        seconds = time.perf_counter() - begun
        name = table_file_name(solution.problem)
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / name
            solution.save(made)
            content = made.read_bytes()
        shipped = FOLDER / name
        if update:
            shipped.write_bytes(content)
            verdict = "written"
        else:
            same = shipped.exists() and shipped.read_bytes() == content
            differing += not same
            verdict = "same bits" if same else "DIFFERS"
        digest = hashlib.sha256(content).hexdigest()
        certificate = before.get(digest, {}).get("certificate")
        rows.append(
            {
                "file": name,
                **{key: solution.head[key] for key in ("game", "objective", "players", "rules", "fingerprint")},
                "error_bound": solution.error_bound,
                "sha256": digest,
                "seconds": round(seconds, 2),
                **({"certificate": certificate} if certificate else {}),
            }
        )
        print(f"{name}: {verdict}, {len(content)} bytes, {seconds:.2f} s")
    if update:
        for stale in FOLDER.glob("*.npz"):
            if stale.name not in {row["file"] for row in rows}:
                stale.unlink()
        MANIFEST.write_text(json.dumps(rows, indent=1) + "\n")
    else:
        listed = {row["file"]: digest for digest, row in before.items()}
        if listed != {row["file"]: row["sha256"] for row in rows}:
            print("manifest.json does not list these tables")
            differing += 1
    return differing


if __name__ == "__main__":
    sys.exit(min(main(), 1))
