"""Listing the 3,003 multisets of ten dice: the engine against itertools."""

from __future__ import annotations

import timeit
from itertools import combinations_with_replacement

from keepwise.core import multiset

RUNS = 20


def main() -> None:
    ways = {
        "engine": lambda: multiset.multisets(10, 6),
        "engine, with weights": lambda: multiset.weights(multiset.multisets(10, 6), [1] * 6),
        "itertools": lambda: list(combinations_with_replacement(range(6), 10)),
    }
    times = {name: min(timeit.repeat(way, number=1, repeat=RUNS)) for name, way in ways.items()}
    for name, seconds in times.items():
        print(f"{name:<22} {1e6 * seconds:10.1f} us   x {seconds / times['engine']:.1f}")


if __name__ == "__main__":
    main()
