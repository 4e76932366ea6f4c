"""Cards of categories: Yahtzee against a plain scalar C loop, Double Cameroon alone; ``--win``: for two players too."""

from __future__ import annotations

import resource
import sys
import time

from plain import timed

import keepwise as kw

RUNS = 5


def main() -> None:
    for game_id in ("yahtzee", "double-cameroon"):
        times = []
        for _ in range(RUNS):
            begun = time.perf_counter()
            solution = kw.solve(kw.game(game_id), "points", fresh=True)
            times.append(time.perf_counter() - begun)
        print(f"{game_id}, alone, rules to values: {min(times):.3f} s   {solution.value():.10f}")
        if game_id == "yahtzee":
            print(f"    peak memory so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
            seconds, value = timed("plain_yahtzee")
            print(f"    plain C, one core: {seconds:.3f} s   {value:.10f}   ratio {seconds / min(times):.1f}")
    if "--win" in sys.argv[1:]:
        begun = time.perf_counter()
        solution = kw.solve("double-cameroon", "win", fresh=True)
        print(f"double-cameroon, two players: {time.perf_counter() - begun:.0f} s   {solution.value():.12f}")
        print(f"    peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
