"""Certify the shipped tables again and compare digests: ``python -m keepwise.tables.certificates``.

The manifest says of every table that can be certified the SHA-256 of its certificate's text, the command that makes it,
how far apart the two numbers of a state are at most, how far the table is off at most, and the seconds of one core that
it takes. What takes longer than ``SHORT`` is done with ``--all`` only. With ``--update`` that is written instead. Of
every certificate keepwise-check looks at a sample of states.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import keepwise_check
from keepwise.api import solve
from keepwise.certify import certify
from keepwise.util.errors import InputError

from .rebuild import FILES, MANIFEST, shipped_game

SHORT = 5  # seconds of one core
SAMPLE, OF_CARDS = 100, 3  # states; a turn of a card, or of unlike dice, takes the checker seconds


def main() -> int:
    """Certify; return how many certificates differ, or do not hold."""
    update, whole = ("--update" in sys.argv[1:], "--all" in sys.argv[1:])
    rows, wrong = json.loads(MANIFEST.read_text()), 0
    for row in rows:
        before = row.get("certificate", {})
        if not whole and before.get("seconds", 0) > SHORT:
            print(f"{row['file']}: {before['seconds']} s, with --all only")
            continue
        try:
            found, holds = certified(row["game"], row["objective"])
        except InputError as refused:
            print(f"{row['file']}: {refused}")
            continue
        same = {**found, "seconds": 0} == {**before, "seconds": 0}
        wrong += not holds or not (same or update)
        row["certificate"] = before if same else found
        said = "the same" if same else "written" if update else "DIFFERS"
        print(f"{row['file']}: {said}, {'holds' if holds else 'DOES NOT HOLD'}, {found['seconds']} s", flush=True)
    if update and not wrong:
        MANIFEST.write_text(json.dumps(rows, indent=1) + "\n")
    return wrong


def certified(game_id: str, objective: str) -> tuple[dict[str, Any], bool]:
    """What the manifest says of a certificate, and whether the sample holds."""
    asked = f"--rules {game_id}" if game_id in FILES else game_id
    name, begun = f"{game_id}-{objective}.cert.gz", time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        proved = certify(solve(shipped_game(game_id), objective))  # InputError where it cannot be
        path = Path(folder) / name
        digest, seconds = proved.write(path), time.process_time() - begun
        turn = proved.header["turn"]
        sample = OF_CARDS if turn["kind"] == "boxes" or len(turn.get("dice", ())) > 1 else SAMPLE
        words = [sys.executable, keepwise_check.__file__, str(path), f"--sample={sample}"]
        holds = subprocess.run(words, stdout=subprocess.DEVNULL).returncode == 0
    told = {
        "sha256": digest,
        "command": f"keepwise certify {asked} --objective {objective} -o {name}",
        "width": proved.max_gap,
        "off": proved.max_error,
        "seconds": round(seconds, 1),
    }
    return told, holds


if __name__ == "__main__":
    sys.exit(min(main(), 1))
