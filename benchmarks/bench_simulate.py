"""Simulated games of 5000, best players in both seats, luck and errors counted: the command from its start to its end.

Beside it one game after the other in a plain loop over the game as it is played, deciding by the same solution.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time

import keepwise as kw
from keepwise.answers.positions import BestPlay

GAMES = 120_000
PLAIN = 5  # games of the plain loop


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    plain = plain_loop()
    print(f"plain loop: {plain:,.0f} turns of 5000 a second")
    for threads in (1, 2):
        command = ["simulate", "5000", "--games", str(games), "--threads", str(threads), "--json"]
        begun, before = time.perf_counter(), os.times()
        done = subprocess.run([sys.executable, "-m", "keepwise", *command], capture_output=True, text=True, check=True)
        seconds, after = time.perf_counter() - begun, os.times()
        work = after.children_user + after.children_system - before.children_user - before.children_system
        told = json.loads(done.stdout)
        turns = round(told["length"]["mean"] * games)
        rate = turns / seconds
        print(
            f"{threads} {'process' if threads == 1 else 'processes'}: {turns:,} turns in {seconds:.1f} s,"
            f" {rate:,.0f} a second, {rate / plain:,.0f} times the plain loop"
            f" ({threads * turns / work:,.0f} a second where each has a processor to itself)"
        )
        first = told["seats"][0]
        print(f"    the first wins {first['mean']:.4f} ± {first['se']:.4f}; solved {first['start']:.4f}")


def plain_loop() -> float:
    """Turns a second of a plain loop."""
    solution, rng, turns = kw.solve("5000"), random.Random(1), 0
    playable, best = solution.playable, BestPlay(solution)
    begun = time.process_time()
    for _ in range(PLAIN):
        position = playable.start()
        while playable.stage(position) != "over":
            if playable.stage(position) == "choose":
                position = best(position).after
                turns += playable.is_turn_start(position) or playable.stage(position) == "over"
            else:
                falls = list(playable.rolls(position))
                (_, position), *_ = rng.choices(falls, [weight for weight, _ in falls])
    return turns / (time.process_time() - begun)


if __name__ == "__main__":
    main()
