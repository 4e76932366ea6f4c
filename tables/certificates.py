"""Certify the shipped tables again and compare digests: ``python -m keepwise.tables.certificates``.

The manifest says of every table that can be certified the SHA-256 of its certificate's text, the command that makes
it, how far apart the two numbers of a state are at most, how far the table is off at most, and the seconds of one
core that it takes. What takes longer than ``SHORT`` is done with ``--all`` only. With ``--update`` that is written
instead. Of every certificate keepwise-check judges a sample of states. A sample always holds the beginning and all
states that it leads to, hundreds in some games, and a state can take the checker seconds. What takes it longer than
``JUDGE_SECONDS`` is judged with ``--all`` or ``--update`` only; otherwise the digests are compared.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from enum import Enum
from pathlib import Path
from typing import Any

import keepwise_check
from keepwise.api import cpu_count, solve
from keepwise.certify import certify
from keepwise.util.errors import InputError

from .rebuild import FILES, MANIFEST, shipped_game

SHORT = 5  # seconds of one core
JUDGE_SECONDS = 10  # that the checker gets for one sample, without --all and --update
SAMPLE, SAMPLE_OF_SLOW_TURNS = 100, 3  # states; a turn of a card, or of unlike dice, takes the checker seconds


class Verdict(Enum):
    """What keepwise-check says of a sample of the states of a certificate; each value is how the report words it."""

    HOLDS = "holds"
    FAILS = "DOES NOT HOLD"
    NOT_JUDGED = "judged with --all only"


def main() -> int:
    """Certify the shipped tables; return how many certificates differ from the manifest, or do not hold."""
    update, whole = ("--update" in sys.argv[1:], "--all" in sys.argv[1:])
    rows, wrong = json.loads(MANIFEST.read_text()), 0
    for row in rows:
        before = row.get("certificate", {})
        if not whole and before.get("seconds", 0) > SHORT:
            print(f"{row['file']}: {before['seconds']} s, with --all only")
            continue
        try:
            entry, verdict = certify_table(row["game"], row["objective"], judge_slow=whole or update)
        except InputError as refused:
            print(f"{row['file']}: {refused}")
            continue
        same = {**entry, "seconds": 0} == {**before, "seconds": 0}
        wrong += verdict is Verdict.FAILS or not (same or update)
        row["certificate"] = before if same else entry
        comparison = "the same" if same else "written" if update else "DIFFERS"
        print(f"{row['file']}: {comparison}, {verdict.value}, {entry['seconds']} s", flush=True)
    if update and not wrong:
        MANIFEST.write_text(json.dumps(rows, indent=1) + "\n")
    return wrong


def certify_table(game_id: str, objective: str, *, judge_slow: bool) -> tuple[dict[str, Any], Verdict]:
    """Certify one shipped table.

    Args:
        game_id: Id of a built-in game or of a rule file that ships.
        objective: What the table was solved for, as on the command line.
        judge_slow: Whether the checker gets as long as it needs, which is minutes to an hour.

    Returns:
        The certificate's entry of the manifest, and the checker's verdict on a sample of its states.

    Raises:
        InputError: These rules cannot be certified.
    """
    rules = f"--rules {game_id}" if game_id in FILES else game_id
    name, begun = f"{game_id}-{objective}.cert.gz", time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        certificate = certify(solve(shipped_game(game_id), objective))
        path = Path(folder) / name
        digest, seconds = certificate.write(path), time.process_time() - begun
        turn = certificate.header["turn"]
        is_slow = turn["kind"] == "boxes" or (turn["kind"] == "sets" and len(turn["dice"]) > 1)
        limit = None if judge_slow else JUDGE_SECONDS
        verdict = judge_sample(path, SAMPLE_OF_SLOW_TURNS if is_slow else SAMPLE, limit)
    entry = {
        "sha256": digest,
        "command": f"keepwise certify {rules} --objective {objective} -o {name}",
        "width": certificate.max_gap,
        "off": certificate.max_error,
        "seconds": round(seconds, 1),
    }
    return entry, verdict


def judge_sample(path: Path, states: int, limit: float | None) -> Verdict:
    """Run keepwise-check, as a user would, over so many states of a certificate's file, for at most `limit` seconds."""
    words = [sys.executable, keepwise_check.__file__, str(path), f"--sample={states}", f"--processes={cpu_count()}"]
    try:
        done = subprocess.run(words, stdout=subprocess.DEVNULL, timeout=limit)
    except subprocess.TimeoutExpired:
        return Verdict.NOT_JUDGED
    return Verdict.HOLDS if done.returncode == 0 else Verdict.FAILS


if __name__ == "__main__":
    sys.exit(min(main(), 1))
