"""Two-player races: the engine from rules to values against a plain scalar C loop of the same equations."""

from __future__ import annotations

import ctypes
import resource
import sys
import time

import numpy as np
from plain import library

import keepwise as kw
from keepwise.games.push_rules import PushRules

RUNS = 5
GROWTH = (2_500, 5_000, 10_000, 20_000, 40_000)  # targets under the rules of 5000


class PlainGame(ctypes.Structure):
    """The C reference's view of a turn."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("modes", "start", "target", "minimum", "opening", "max_add")),
        *((name, ctypes.c_void_p) for name in ("class_start", "choice_start", "next", "add", "weight", "total")),
    )


def plain(compiled: ctypes.CDLL, rules: PushRules) -> tuple[float, float]:
    """Solve by the plain loop, and return the seconds and the value; arrays are laid out outside the clock."""
    throws = [mode.rolls[0] for mode in rules.turn.modes]
    classes = [entry for throw in throws for entry in throw.classes]
    choices = [choice for offered, _ in classes for choice in offered]
    arrays = {
        "class_start": np.cumsum([0] + [len(throw.classes) for throw in throws]).astype(np.intc),
        "choice_start": np.cumsum([0] + [len(offered) for offered, _ in classes]).astype(np.intc),
        "next": np.array(
            [choice.next_mode if choice.next_mode >= 0 else len(throws) for choice in choices], dtype=np.intc
        ),
        "add": np.array([choice.added_points for choice in choices], dtype=np.intc),
        "weight": np.array([float(weight) for _, weight in classes]),
        "total": np.array([float(sum(weight for _, weight in throw.classes)) for throw in throws]),
    }
    target, grain = rules.target // rules.grain, rules.grain
    game = PlainGame(
        modes=len(throws),
        start=rules.turn.start,
        target=target,
        minimum=max(1, rules.minimum // grain),
        opening=max(1, rules.opening // grain),
        max_add=rules.turn.max_added_points,
        **{name: array.ctypes.data for name, array in arrays.items()},
    )
    compiled.plain_race.restype = ctypes.c_double
    win = np.zeros(target * target)
    begun = time.perf_counter()
    value = compiled.plain_race(ctypes.byref(game), win.ctypes.data_as(ctypes.c_void_p))
    seconds = time.perf_counter() - begun
    print(f"    plain C, one core   {seconds:8.3f} s   {value:.12f}")
    return seconds, value


def main() -> None:
    compiled = library("plain_race")
    for game_id in sys.argv[1:] or ("5000", "pig", "farkle", "beartrap"):
        print(f"{game_id}, two players, rules to values, best of a few runs:")
        times = []
        for _ in range(RUNS if game_id in ("5000", "pig") else 2):
            begun = time.perf_counter()
            solution = kw.solve(kw.game(game_id), "win", fresh=True)
            times.append(time.perf_counter() - begun)
        print(f"    engine              {min(times):8.3f} s   {solution.value():.12f}")
        if solution.game.data.finish != "at_least" or solution.game.data.specials:
            continue  # the plain loop knows neither an exact finish nor special throws
        reference = min(plain(compiled, solution.game.data)[0] for _ in range(2))
        print(f"    ratio               {reference / min(times):8.1f}")
    if len(sys.argv) == 1:
        growth()


def growth() -> None:
    """Time per position, all threads, as the target grows."""
    print("the rules of 5000, by target:")
    for target in GROWTH:
        game = kw.game("5000", target=target)
        begun = time.perf_counter()
        scores = len(kw.solve(game, "win", fresh=True).value_table.arrays["scores"])
        seconds = time.perf_counter() - begun
        print(f"    {target:6,}  {scores:4} scores  {seconds:8.3f} s  {seconds / scores**2 * 1e6:6.1f} us a position")


if __name__ == "__main__":
    main()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB")
