"""Races on a cluster: how near two processes come to twice the speed of one, and what moves.

For layers of a second and more (5000 to 3,000 with four players), each layer is solved in one process and by two
workers, in turn, so that both meet the same other load; the share of perfect is the time of one process over that of
two workers and two. On a machine that does other things too, the share of processor seconds says more: those of one
process over those of workers and client. The second table is of whole solves, both passes: processor seconds with and
without a cluster, and bytes to and from workers. Arguments: "layers" for the first table ("layers:4000" to 4,000
points, for longer ones), games as GAME:PLAYERS:TARGET for the second.
"""

from __future__ import annotations

import dataclasses
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import keepwise as kw
from keepwise.api import ask
from keepwise.solvers import cluster
from keepwise.solvers.cluster import Cluster, connect
from keepwise.solvers.model import split_lanes
from keepwise.solvers.push.multiplayer_costs import choices_per_line
from keepwise.solvers.push.multiplayer_kernel import MultiplayerRace
from keepwise.solvers.push.multiplayer_solver import solve_multiplayer_race
from keepwise.solvers.push.multiplayer_sweep import CYCLES_PER_REPORT, LayerSweep
from keepwise.solvers.push.states import States

WORKERS = "local:2"
TARGET, LAYERS = "3000", 5  # of the race whose middle layers are timed, and how many
SOLVES = ("5000:3:2500", "5000:4:1500", "pig:3:100", "farkle:3:2500", "5000:3:5000")


class Weighing(Cluster):
    """Counts tasks, positions (half of each for either pass) and the bytes that are carried there and back."""

    count = there = back = 0
    positions = 0.0

    def run_tasks(self, function: Callable[[str, Any], Any], tasks: Iterable[tuple[str, Any]]) -> Iterator[Any]:
        """The same, weighed."""

        def weighed() -> Iterator[tuple[str, Any]]:
            for name, block in tasks:
                self.there += size(block)
                self.positions += block.cycles.size / 2
                yield name, block

        for number, result in super().run_tasks(function, weighed()):
            self.count += 1
            self.back += size(result)
            yield number, result

    def busy(self) -> float:
        """Processor seconds of all workers up to now."""
        return sum(self.client.run(time.process_time).values())


def size(block: Any) -> int:
    """Bytes of a block's arrays."""
    parts = [getattr(block, field.name) for field in dataclasses.fields(block)]
    listed = [one for part in parts for pair in (part if isinstance(part, list) else [(part,)]) for one in pair]
    return sum(one.nbytes for one in listed if isinstance(one, np.ndarray))


def layers(on: Weighing, target: int) -> None:
    """Time layers of a second and more both ways; times ask for smooth values, not for true ones."""
    race = MultiplayerRace(States(kw.game("5000", target=target).data), 4)
    pace = np.stack(np.meshgrid(*4 * [np.exp(race.states.scores / 20)], indexing="ij"), axis=-1)
    win = (pace / pace.sum(axis=-1, keepdims=True)).ravel()
    table = on.shared_zeros(win.size)
    table[:] = win
    sweep = LayerSweep(race, table, cluster=on)
    found, spent = [], []
    with sweep.dispatcher.pool:
        for total in range(sweep.layers.max_total // 2, sweep.layers.max_total // 2 - LAYERS, -1):
            cycles = sweep.layers.layer(total)
            seconds, busy = [], []
            for sweep.dispatcher.cluster in (None, on):
                sweep.solver.forget_certain_stops()
                before, used, begun = on.busy(), time.process_time(), time.perf_counter()
                for _ in sweep.dispatcher.solve(sweep.solver, "play", split_lanes(cycles, CYCLES_PER_REPORT)):
                    pass
                seconds.append(time.perf_counter() - begun)
                busy += [time.process_time() - used, on.busy() - before]
            found.append(seconds[0] / 2 / seconds[1])
            spent.append(busy[0] / (busy[2] + busy[3]))
            print(
                f"    {4 * len(cycles):9,} positions: {seconds[0]:6.2f} s, {seconds[1]:6.2f} s; {found[-1]:.2f};"
                f" processor seconds {busy[0]:.2f}, of workers {busy[3]:.2f} and the client {busy[2]:.2f}",
                flush=True,
            )
    medians = statistics.median(found), statistics.median(spent)
    print("    share of perfect, the median: {:.2f}; of processor seconds: {:.2f}".format(*medians))


def whole(name: str, shared: bool) -> None:
    """Solve a race whole, with and without a cluster; blocks read shared tables, or carry what they need."""
    game, players, target = name.split(":")
    asked = ask(kw.game(game, target=int(target)), "win", int(players))
    cluster.MIN_LAYER_SECONDS = cluster.MIN_TASK_SECONDS = 0.02  # so that small races, too, move what large ones do
    states, seats = States(asked.game.data), int(players)
    lines = float(len(states.scores)) ** seats
    begun = time.process_time()
    alone = solve_multiplayer_race(states, seats)
    one = time.process_time() - begun
    with connect(WORKERS, asked.playable.problem_key) as started:
        on = Weighing(started.client, WORKERS, asked.playable.problem_key, started.folder if shared else None)
        before, begun = on.busy(), time.process_time()
        spread = solve_multiplayer_race(states, seats, cluster=on)
        client, workers = time.process_time() - begun, on.busy() - before
    assert spread.win.tobytes() == alone.win.tobytes()
    share, there, back = on.positions / lines, on.there / max(1, on.positions), on.back / max(1, on.positions)
    choices = lines * choices_per_line(states, float(states.caps_by_score.mean()), seats)
    way = "shared" if shared else "sent"
    print(
        f"    {name:14} {way:6} {lines:11,.0f} {choices / 1e9:8.2f} {one:8.2f} {1e9 * one / choices:6.2f}"
        f" {on.count:6,} {share:5.0%} {there:8,.0f} {back:6,.1f} {workers:8.2f} {client:8.2f}",
        flush=True,
    )


def main() -> None:
    """Print both tables."""
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    asked = sys.argv[1:] or ["layers", *SOLVES]
    games = [name for name in asked if not name.startswith("layers")]
    for target in [name.partition(":")[2] or TARGET for name in asked if name.startswith("layers")]:
        print(f"5000 to {target}, four players, one pass: a layer in one process, by two workers, share of perfect")
        with connect(WORKERS, ask(kw.game("5000", target=int(target)), "win", 4).playable.problem_key) as started:
            layers(Weighing(started.client, WORKERS, json.loads(started.question), started.folder), int(target))
    if not games:
        return
    print("whole solves: positions; thousand million choices; processor seconds alone; ns a choice; tasks, their share")
    print("of all positions, bytes a position there and back; processor seconds of the workers and of the client")
    for name in games:
        for shared in (True, False):
            whole(name, shared)


if __name__ == "__main__":
    main()
