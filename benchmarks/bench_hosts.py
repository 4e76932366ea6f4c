"""Races on several hosts: network namespaces of one machine, with addresses of their own and no shared memory.

The head runs the scheduler and the client; every other host runs one worker. Each host has its own address, /tmp,
/dev/shm and System V memory, so workers get their data through the network only. Three kinds of runs:

1. Two workers. Compares processor time and bytes with those of one process, and with a cost model whose constants come
   from the first race alone.
2. Four workers: one slow (20 Mbit/s, lowest priority), one killed and one whose cable is pulled in the middle.
3. A prediction by the same model for 4 and 8 workers with a core each, which this machine may not have.

All tables have to have the same bits. Needs root, iproute2 and util-linux (``ip``, ``tc``, ``unshare``). Everything it
creates is in network namespaces named keepwise-*, which are removed at the end. Arguments: races as
GAME:PLAYERS:TARGET, the first for the constants of the model.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from bench_cluster import Weighing

RACES = ("5000:4:2000", "5000:4:1800", "5000:4:2300")
SWITCH = "keepwise-switch"
HEAD = "keepwise-head"
SUBNET = "10.77.55"
PORT = 8786
PREFIX = "keepwise-host"
SLOW_RATE = "20mbit"
MODELLED_WORKERS = (2, 4, 8)
# A fifth of the usual, so that races of a minute send most of their layers, as large ones do.
MIN_LAYER_SECONDS, MIN_TASK_SECONDS = 0.1, 0.05


def run(*command: str) -> str:
    """Run a command to its end and return its output."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def in_host(host: str, *command: str) -> list[str]:
    """Return a command that runs on a host: in its namespaces, with its own /tmp and /dev/shm."""
    private = 'mount -t tmpfs none /tmp && mount -t tmpfs none /dev/shm && exec "$@"'
    return ["ip", "netns", "exec", host, "unshare", "--ipc", "sh", "-c", private, "sh", *command]


@contextmanager
def network(workers: int) -> Iterator[list[str]]:
    """Create a head and hosts for workers on one switch, and yield the names of the hosts for workers."""
    hosts = [f"{PREFIX}{number}" for number in range(1, workers + 1)]
    with ExitStack() as stack:
        for namespace in (SWITCH, HEAD, *hosts):
            run("ip", "netns", "add", namespace)
            stack.callback(run, "ip", "netns", "del", namespace)
        run("ip", "-n", SWITCH, "link", "add", "bridge", "type", "bridge")
        run("ip", "-n", SWITCH, "link", "set", "bridge", "up")
        for number, host in enumerate((HEAD, *hosts), 1):
            run("ip", "-n", SWITCH, "link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", host)
            run("ip", "-n", SWITCH, "link", "set", host, "master", "bridge", "up")
            run("ip", "-n", host, "addr", "add", f"{SUBNET}.{number}/24", "dev", "eth0")
            run("ip", "-n", host, "link", "set", "eth0", "up")
            run("ip", "-n", host, "link", "set", "lo", "up")
        yield hosts


@contextmanager
def process(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a process, and end it with the context."""
    with open(os.devnull, "w") as nowhere:
        started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=nowhere, text=True)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def dask_worker(host: str, slow: bool = False) -> list[str]:
    """Return the command of a worker of one thread on a host."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://{SUBNET}.1:{PORT}"]
    command += ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0", "--name", host]
    return in_host(host, *(["nice", "-n", "19"] if slow else []), *command)


def interface_bytes(host: str) -> tuple[int, int]:
    """Return the bytes that a host's interface has received and sent."""
    (link,) = json.loads(run("ip", "-n", host, "-s", "-j", "link", "show", "eth0"))
    return link["stats64"]["rx"]["bytes"], link["stats64"]["tx"]["bytes"]


def solve_on_hosts(race: str, workers: int, trouble: bool = False) -> dict[str, Any]:
    """Solve a race on hosts of this machine and return the client's measurements, with the bytes of all interfaces.

    Args:
        race: GAME:PLAYERS:TARGET.
        workers: the number of hosts with a worker.
        trouble: the first host is slow; when a third of the tasks are back, the second is killed and the third loses
            its network.
    """
    with network(workers) as hosts, ExitStack() as stack:
        if trouble:
            for namespace, device in ((hosts[0], "eth0"), (SWITCH, hosts[0])):
                limit = ("rate", SLOW_RATE, "burst", "64kbit", "latency", "400ms")
                run("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", "tbf", *limit)
        scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", str(PORT), "--no-dashboard"]
        stack.enter_context(process(in_host(HEAD, *scheduler, "--no-show")))
        started = [stack.enter_context(process(dask_worker(host, slow=trouble and host == hosts[0]))) for host in hosts]
        client = [sys.executable, __file__, "--client", race, str(workers), "trouble" if trouble else ""]
        asked = subprocess.Popen(in_host(HEAD, *client), stdout=subprocess.PIPE, text=True)
        stack.callback(asked.wait)
        stack.callback(asked.kill)
        assert asked.stdout is not None
        found: dict[str, Any] = {}
        before: list[tuple[int, int]] = []
        for line in asked.stdout:
            if line.startswith("begun"):
                before = [interface_bytes(host) for host in hosts]
            elif line.startswith("a third") and trouble:
                # The processes on a host form a chain of exec, so this is the worker itself.
                started[1].kill()
                run("ip", "-n", SWITCH, "link", "set", hosts[2], "down")
            elif line.startswith("{"):
                found = json.loads(line)
        if not found:
            raise SystemExit(f"the client of {race} failed")
        after = [interface_bytes(host) for host in hosts]
        found["received"] = [late[0] - early[0] for early, late in zip(before, after, strict=True)]  # by host
        found["answered"] = [late[1] - early[1] for early, late in zip(before, after, strict=True)]
        return found


def solve_as_client(race: str, workers: int, trouble: bool) -> None:
    """Solve a race in this process and on the scheduler of this network, and print the measurements as JSON."""
    import keepwise as kw
    from keepwise.api import ask
    from keepwise.solvers import cluster
    from keepwise.solvers.push.multiplayer_costs import choices_per_line
    from keepwise.solvers.push.multiplayer_solver import solve_multiplayer_race
    from keepwise.solvers.push.states import States

    cluster.MIN_LAYER_SECONDS, cluster.MIN_TASK_SECONDS = MIN_LAYER_SECONDS, MIN_TASK_SECONDS
    game, players, target = race.split(":")
    asked = ask(kw.game(game, target=int(target)), "win", int(players))
    states, seats = States(asked.game.data), int(players)
    positions = float(len(states.scores)) ** seats
    found: dict[str, Any] = {"positions": positions, "scores": len(states.scores), "seats": seats}
    found["choices"] = choices_per_line(states, float(states.caps_by_score.mean()), seats)

    class Reporting(Weighing):
        """Says when a third of all positions have come back."""

        said = False

        def run_tasks(self, function: Callable[[str, Any], Any], tasks: Iterable[tuple[str, Any]]) -> Iterator[Any]:
            for number, result in super().run_tasks(function, tasks):
                if not self.said and self.positions > positions / 3:
                    self.said = True
                    print("a third", flush=True)
                yield number, result

    if not trouble:
        begun, clock = time.process_time(), time.perf_counter()
        alone = solve_multiplayer_race(states, seats)
        found["alone"], found["alone_clock"] = time.process_time() - begun, time.perf_counter() - clock
        found["alone_bits"] = hashlib.sha256(alone.win.tobytes() + alone.bounds.tobytes()).hexdigest()
        del alone
    with cluster.connect(f"tcp://{SUBNET}.1:{PORT}", asked.playable.problem_key) as connected:
        client = connected.client
        client.wait_for_workers(workers, timeout=60)
        on = Reporting(client, connected.address, asked.playable.problem_key)

        def busy() -> tuple[float, float, float]:
            """Return the processor seconds of the client, the scheduler and the workers."""
            return time.process_time(), client.run_on_scheduler(time.process_time), 0.0 if trouble else on.busy()

        print("begun", flush=True)
        before, clock = busy(), time.perf_counter()
        spread = solve_multiplayer_race(states, seats, cluster=on)
        found["clock"] = time.perf_counter() - clock
        parts = zip(("client", "scheduler", "workers"), before, busy(), strict=True)
        found |= {part: late - early for part, early, late in parts}
        found["bits"] = hashlib.sha256(spread.win.tobytes() + spread.bounds.tobytes()).hexdigest()
        found |= {"tasks": on.count, "sent_positions": on.positions, "sent": on.there, "returned": on.back}
        print(json.dumps(found), flush=True)


def costs_per_byte(found: dict[str, Any]) -> dict[str, float]:
    """Return the processor seconds of a byte that is sent or returned, at the client, the scheduler and the workers.

    They include what tasks cost beside their work, since every task carries about as many bytes.
    """
    share = found["sent_positions"] / found["positions"]
    work = {"client": (1 - share) * found["alone"], "scheduler": 0.0, "workers": share * found["alone"]}
    moved = found["sent"] + found["returned"]
    assert moved, "the race is too small: no task was sent out"
    return {part: (found[part] - work[part]) / moved for part in work}


def predict(found: dict[str, Any], costs: dict[str, float]) -> dict[str, float]:
    """Return the processor seconds of client, scheduler and workers that the model expects of a measured race.

    Args:
        found: of the race, the seconds of one process, the positions that are sent out and the bytes.
        costs: seconds of a byte, from another race.
    """
    share = found["sent_positions"] / found["positions"]
    moved = found["sent"] + found["returned"]
    work = {"client": (1 - share) * found["alone"], "scheduler": 0.0, "workers": share * found["alone"]}
    return {part: work[part] + costs[part] * moved for part in work}


def predict_clock(found: dict[str, Any], costs: dict[str, float], workers: int) -> float:
    """Return the seconds by the clock if client, scheduler and each worker have a core of their own.

    The client's small layers come first; then the slowest of the three limits the rest.
    """
    small_layers = (1 - found["sent_positions"] / found["positions"]) * found["alone"]
    parts = predict(found, costs)
    return small_layers + max(parts["client"] - small_layers, parts["scheduler"], parts["workers"] / workers)


def main() -> None:
    """Print the runs with two workers, the run with trouble, and what the model predicts."""
    if os.geteuid():
        raise SystemExit("network namespaces need root: run this as root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # so that namespaces and processes are removed
    races = sys.argv[1:] or list(RACES)
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}")
    costs: dict[str, float] = {}
    bits = ""
    for number, race in enumerate(races):
        found = solve_on_hosts(race, 2)
        assert found["bits"] == found["alone_bits"], f"{race}: the table has other bits"
        spent = found["client"] + found["scheduler"] + found["workers"]
        if number == 0:
            costs, bits = costs_per_byte(found), found["bits"]
            print("ns a byte:", ", ".join(f"{part} {1e9 * cost:.1f}" for part, cost in costs.items()))
        model = predict(found, costs)
        print(
            f"{race}: the same bits; {found['tasks']} tasks with {found['sent_positions'] / found['positions']:.0%} of"
            f" the positions; {found['sent'] / 1e6:.0f} MB of arrays sent, {found['returned'] / 1e6:.0f} MB returned;"
            f" the workers' interfaces {sum(found['received']) / 1e6:.0f} and {sum(found['answered']) / 1e6:.0f} MB"
        )
        print(
            f"    processor seconds: one process {found['alone']:.1f}; "
            + ", ".join(f"{part} {found[part]:.1f} (model {seconds:.1f})" for part, seconds in model.items())
            + f"; all {spent:.1f} (model {sum(model.values()):.1f}), share of perfect {found['alone'] / spent:.2f}"
        )
        for workers in MODELLED_WORKERS:
            clock = predict_clock(found, costs, workers)
            share = found["alone"] / workers / clock
            print(f"    modelled, {workers} workers with a core each: {clock:.1f} s, share of perfect {share:.2f}")
        load = os.getloadavg()[0]
        print(f"    by the clock {found['alone_clock']:.0f} and {found['clock']:.0f} s, load {load:.1f}", flush=True)
    found = solve_on_hosts(races[0], 4, trouble=True)
    assert found["bits"] == bits, f"{races[0]} with trouble: the table has other bits"
    print(
        f"{races[0]}, four workers, one slow, one killed, one without a cable: the same bits; MB received by each:"
        f" {', '.join(f'{count / 1e6:.0f}' for count in found['received'])}; by the clock {found['clock']:.0f} s,"
        f" load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--client"]:
        solve_as_client(sys.argv[2], int(sys.argv[3]), bool(sys.argv[4]))
    else:
        main()
