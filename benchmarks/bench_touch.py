"""Booby Trap for the win on the whole board, against plain scalar C loops over every state in the same run."""

from __future__ import annotations

import resource
import time

from plain import timed

import keepwise as kw

RUNS = 5


def main() -> None:
    times = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        solution = kw.solve(kw.game("booby-trap"), "win", fresh=True)
        times.append(time.perf_counter() - begun)
    print(f"booby-trap, two players, rules to values: {min(times):.3f} s   {solution.value():.12f}")
    print(f"    peak memory so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    seconds, value = timed("plain_touch")
    print(f"    plain C, one core: {seconds:.3f} s   {value:.12f}   ratio {seconds / min(times):.1f}")


if __name__ == "__main__":
    main()
