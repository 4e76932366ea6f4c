"""Races of three and more: from rules to values with the best replies that prove them, and choices weighed a cycle.

A choice that is weighed takes a compare and, for each channel that is carried, a blend: the mover's share, the chance
of a zero turn and the shares of the others. So with N players no more than LANES * OPERATIONS / (N + 2) can be weighed
in a cycle by a core with registers of LANES doubles and so many such operations a cycle.

Arguments: games as GAME:PLAYERS, such as 5000:3 (the default is pig:3 5000:3; farkle:3 takes minutes, 5000:4 an hour).
"""

from __future__ import annotations

import os
import resource
import sys
import time

from plain import clock

import keepwise as kw
from keepwise.api import ask
from keepwise.solvers.push.multiplayer_problem import STAGES
from keepwise.solvers.push.multiplayer_solver import solve_multiplayer_race
from keepwise.solvers.push.states import States

LANES, OPERATIONS = 8, 2


def main() -> None:
    """Print a few lines for each game."""
    threads, hertz = os.cpu_count() or 1, clock()
    for name in sys.argv[1:] or ("pig:3", "5000:3"):
        game, _, players = name.partition(":")
        asked = ask(kw.game(game), "win", int(players))
        cost = asked.estimate_cost(threads)
        stages = STAGES if cost.seconds > 60 else 1
        begun, used = time.perf_counter(), time.process_time()
        values = solve_multiplayer_race(States(asked.game.data), int(players), threads=threads, stages=stages)
        seconds, busy = time.perf_counter() - begun, time.process_time() - used
        count = values.win.size // int(players)
        start = values.win[0]
        print(f"{game}, {players} players: {count:,} positions, judged: {cost}")
        print(f"    {seconds:8.2f} s on {threads} cores, {busy:.2f} s of one; {busy / count * 1e6:.1f} us a position")
        weighed, most = LANES * values.choice_count / busy, LANES * OPERATIONS / (int(players) + 2)
        print(f"    {weighed / 1e9:8.2f} thousand million choices weighed a second and core,")
        print(
            f"    {weighed / hertz:8.2f} a cycle at {hertz / 1e9:.2f} GHz, {weighed / hertz / most:.0%} of {most:.1f}"
        )
        print(f"    values {' '.join(f'{one:.9f}' for one in start)}; regret {int(players) * values.gain:.1e};")
        print(f"    positions with mixed turns {len(values.mixed)}")


if __name__ == "__main__":
    main()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process: {peak:.0f} MB")
