"""Three and more players race to a target: the chance to win of every seat, where everybody plays for their own.

A position is the scores of all seats from the mover on. Let V(s) be what the seats get from there, and r(s, t) the
position once the mover has banked t points: the next seat's score first, the mover's, t points higher, last. Banking t
pays the seats V(r(s, t)), a bust V(r(s, 0)), and a total that has won pays the mover 1. The mover chooses by the own
share; the others' are carried along (channels of the kernel). A turn adds to the total of all scores or leaves it
alone (a *zero turn*), so layers of equal total are solved from the highest down. What is left within a layer are the
cycles

    s, r(s, 0), r(r(s, 0), 0), ...     the rotations of one line of scores.

Let z be what a zero turn is worth to each mover of a cycle. Best turns for these z make zero turns with chances p and
pay shares A else; what such play is worth to everybody is linear and known, and with it the z that comes out. Where
that is the z that went in nobody in the cycle can do better. Best replies are repeated, all at once, until it is
(policy iteration), from some pass on only half of the way: by the kernel (``csrc/seats_kernel.c``, whose first guess is
by differences of the second order) or, whatever turns are like, on the equations (``multiplayer_reference``). Where
everybody would rather wait, z was guessed too high, and is begun anew from nothing.

With three and more that need not come to an end: there are games without an equilibrium in pure stationary strategies
(Boros, Gurvich & Yamangil, Chess-like Games May Have No Uniform Nash Equilibria Even in Mixed Strategies, 2013). In
such a cycle some movers mix two turns (``circles``). And equilibria need not be unique: the values are those of the
play found.

**What is proved.** The play is stored with its values: in each position the best turn by the table, of equal ones to
stop, then the first listed. How good it is a second pass over all layers tells, which shares the turn with the first
and nothing else. Let U_k(s) be the best that seat k can come to from s while the others play as the table says. Where k
moves, U_k is the turn's best by U_k; where another seat moves, its turn is as the table has it and U_k is carried
along. Every turn's result is raised by d, more than its rounding and what a settled zero turn may still move, so that
U >= F(U) + r with some r > 0: the play comes to an end, and with

    g = the largest of U_k(s) - V_k(s) over all seats and positions

values are within (seats - 1) g of what it is worth (``error_bound``), and nobody gains more than seats times g by any
other strategy (``regret``); both with what rounding adds to the sum of the V_k. (docs/design.md, "Three and more
players in a race"; docs/exactness.md, Theorem 7.)

Where anything can be lost, passes over all layers repeat (``lost_scores``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...core.seats import HOPELESS, LANES, SeatsKernel
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.errors import SolveError
from ...util.threads import ThreadPool
from ..mixed_equilibria import Settled, hold, settle
from ..model import Ints, split_lanes
from ..problem import MixedAction
from ..reference_solver import NO_BOUND
from .multiplayer_blocks import Tables, cut, paste, share, solve_block
from .multiplayer_kernel import SeatsRace, Stops
from .multiplayer_model import Many
from .multiplayer_reference import Plain
from .states import States

if TYPE_CHECKING:
    from ..cluster import Cluster

WORTH_SHARING = 256  # cycles in a layer from which threads gain more than they cost
SOLVING = 0.6  # of the time, before best replies are found
CHOICE_SECONDS = 8e-10  # for each choice, points in hand and line of scores, passes included
BESIDE = 300  # what a line of scores takes beside, counted in choices, for each two seats
AT_ONCE = 20_000  # cycles solved between two reports of progress, where the solve can be interrupted
Cycles = NDArray[np.int32]


class Layers:
    """The cycles of every layer: one line of each, as numbers of players' states, which layers order by their ``keys``,
    ascending.
    """

    def __init__(self, keys: Ints, seats: int) -> None:
        self.seats = seats
        self.numbers = np.full(int(keys[-1]) + 1, -1)
        self.numbers[keys] = np.arange(len(keys))
        others = np.indices((len(keys),) * (seats - 1)).reshape(seats - 1, -1)
        self.sums, self.least = keys[others].sum(axis=0), others.min(axis=0)
        self.others = others.astype(np.int32)
        self.top = seats * int(keys[-1])

    def stages(self, parts: int) -> Iterator[list[Cycles]]:
        """The layers from the highest total down, in so many parts."""
        for part in range(parts):
            first, last = (self.top - (self.top + 1) * one // parts for one in (part, part + 1))
            yield [cycles for total in range(first, last, -1) if len(cycles := self.layer(total))]

    def layer(self, total: int) -> Cycles:
        """The cycles of a total, each by the least of its rotations."""
        mine = total - self.sums
        here = np.flatnonzero((mine >= 0) & (mine < len(self.numbers)))
        first = self.numbers[mine[here]]
        least = (first >= 0) & (first <= self.least[here])
        here, first = here[least], first[least]
        cycles = np.column_stack([first.astype(np.int32), self.others[:, here].T])
        tied = np.flatnonzero((cycles[:, 1:] == cycles[:, :1]).any(axis=1))  # only these may have a lesser rotation
        keep = np.ones(len(cycles), dtype=bool)
        for turned in range(1, self.seats):
            moved = np.roll(cycles[tied], -turned, axis=1) - cycles[tied]
            at = (moved != 0).argmax(axis=1)
            keep[tied] &= moved[np.arange(len(tied)), at] >= 0
        return np.ascontiguousarray(cycles[keep])


def rise(race: Many) -> float:
    """Points that a turn can bring, on average; past the target of a last round about half of them are weighed."""
    return float(race.ends.mean() + race.states.caps_by_score.mean()) / 2


def choices_of(states: States, rises: float, seats: int) -> float:
    """Choices weighed for one line of scores where a turn can bring so many points, passes aside."""
    return states.choices_by_row(max(1, int(rises))) * rises * (1 + seats / 3) + BESIDE * seats**2


class Sweep:
    """Passes of the kernel over all layers, and what comes of them. ``weighed`` and ``passes`` count the work as for
    two players.

    Attributes:
        win: (states, seats) what every seat gets, from the mover on; most: bounds of best replies.
        mixed: which, by place of a position whose mover mixes two turns, or makes one that the table does not tell.
        circles: places at which best replies go round through lost scores without end.
        gain: the most that a seat gains by a best reply, at most.
    """

    circles: Sequence[int] = ()
    gain: float

    def __init__(
        self,
        race: SeatsRace,
        win: Doubles,
        past: Doubles | None,
        threads: int,
        progress: Callable[[float], None],
        cluster: Cluster | None,
    ) -> None:
        states, seats = race.states, race.seats
        self.race, self.states, self.threads, self.progress, self.cluster = race, states, threads, progress, cluster
        self.equations = race.equations
        self.layers = Layers(self.equations.keys, seats)
        self.room = cluster.zeros if cluster else np.zeros
        self.known = [self._stops()]  # by pass
        self.plain, self.past = race.plain(win, past), past
        self.kernel: SeatsKernel | Plain = race.kernel(win, past, self.known[0]) if race.quick else self.plain
        self.count = self.equations.lines
        self.win, self.most = win.reshape(-1, seats), np.zeros((0, seats))
        self.mixed: dict[int, MixedAction] = {}
        self.plain.mixed = self.mixed
        self.by_hand: dict[int, NDArray[np.int32]] = {}  # by place of its first position, a cycle with mixed turns
        # By place, how often the second turn is made by movers of whom that is decided outside of their cycle, and by
        # how much a zero turn is worth more to them than where both turns are as good as each other.
        self.held: dict[int, float] = {}
        self.missed: dict[int, float] = {}
        self.settled = race.settled[1]
        self.seconds = CHOICE_SECONDS * seats * choices_of(states, rise(self.equations), seats)  # of a cycle, roughly
        self.weighed = self.passes = 0

    def run(self, pool: ThreadPool, stages: int, checkpoint: Checkpoint | None) -> None:
        """Solve every layer."""
        done = 0
        self.mixed.clear()
        self.by_hand.clear()
        for layers, _ in self._stages("play", self.win, stages, checkpoint):
            for layer in layers:
                held = self._holding(layer)
                for cycles, status in self.solved(pool, "play", split_lanes(layer[~held], AT_ONCE)):
                    for one in np.flatnonzero(status):
                        self._settle(cycles[one], int(status[one]))
                    done += cycles.size
                    self.progress(SOLVING * min(1.0, done / self.count))
                for cycle in layer[held]:
                    self._hold(cycle)

    def judge(self, pool: ThreadPool, most: Doubles, stages: int, checkpoint: Checkpoint | None) -> float:
        """Find the best replies to the play that was found, in the table ``most``; returns the most that one gains."""
        self.known[1:] = [self._stops()]
        self.kernel.judge(most, self.known[1])
        self.plain.judge(most)
        self.most = most.reshape(self.win.shape)
        done, gain = 0, 0.0
        for layers, places in self._stages("reply", self.most, stages, checkpoint):
            for layer in layers:
                mixes = np.isin(self._rotations([layer])[: len(layer)], list(self.by_hand))
                others = [part[~mixes[part]] for part in split_lanes(np.arange(len(layer)), AT_ONCE)]
                plainly = [(layer[mixes], self._solve(pool, layer[mixes], self.plain))]
                for cycles, status in chain(self.solved(pool, "reply", [layer[part] for part in others]), plainly):
                    if status.any():
                        raise SolveError(NO_BOUND)
                    done += cycles.size
                    self.progress(SOLVING + (1 - SOLVING) * min(1.0, done / self.count))
            gain = max(gain, float((self.most[places] - self.win[places]).max(initial=0.0)))
        return gain

    def _stages(
        self, way: str, table: Doubles, stages: int, checkpoint: Checkpoint | None
    ) -> Iterator[tuple[list[Cycles], Ints]]:
        """The layers still to be solved of each stage, and its places: none where an earlier run has left it in the
        checkpoint; what is made of the others is kept. Turns that are mixed belong to the play.
        """
        seats, play, none = self.layers.seats, way == "play", (-1.0, 0.0, 0.0)
        for number, layers in enumerate(self.layers.stages(stages)):
            self.kernel.forget()
            places, name = self._states(layers), f"{way}{number}"
            kept = (
                checkpoint.load_layer(name, (len(places), seats + 3 * play), -1.0, 1.0 if play else 2.0)
                if checkpoint
                else None
            )
            if kept is not None:
                table[places] = kept[:, :seats]
            if kept is not None and play:
                self._remember(layers, places, kept[:, seats:])
            yield layers if kept is None else [], places
            if checkpoint and kept is None:
                mixes = [self.mixed.get(place, none) for place in places.tolist()] if play else []
                checkpoint.save_layer(name, np.column_stack([table[places], *([np.array(mixes)] if play else [])]))

    def _stops(self) -> Stops:
        """Room for what is known of certain stops in all rows."""
        return self.race.stops(len(self.layers.sums), self.room)

    def _rotations(self, layers: Sequence[Cycles]) -> Ints:
        """The places of all lines of some layers."""
        return np.concatenate([self.plain.around(cycles).ravel() for cycles in layers] or [np.zeros(0, dtype=np.int64)])

    def _states(self, layers: Sequence[Cycles]) -> Ints:
        """The same, and what may be taken over there."""
        lines = self._rotations(layers)
        return np.append(lines, self.equations.offers_to(lines))

    def _remember(self, layers: Sequence[Cycles], places: NDArray[np.int64], mixes: Doubles) -> None:
        """Take over mixed turns from a checkpoint."""
        self.mixed.update(
            {int(places[one]): MixedAction(*mixes[one].tolist()) for one in np.flatnonzero(mixes[:, 0] >= 0)}
        )
        for cycles in layers:
            for line in cycles[np.isin(self._rotations([cycles]), list(self.mixed)).reshape(-1, len(cycles)).any(0)]:
                self.by_hand[self.equations.place(line.tolist())] = line

    def _holding(self, cycles: Cycles) -> NDArray[np.bool_]:
        """The cycles in which somebody mixes as decided outside."""
        if not self.held:
            return np.zeros(len(cycles), dtype=bool)
        here = np.isin(self._rotations([cycles]), list(self.held)).reshape(-1, len(cycles))
        return np.asarray(here.any(axis=0))

    def solved(self, pool: ThreadPool, way: str, parts: Sequence[Cycles]) -> Iterator[tuple[Cycles, NDArray[np.uint8]]]:
        """Let parts of one layer be solved; yields them, in any order, with how that went."""
        tasks = self.cluster.tasks(self.seconds * sum(map(len, parts))) if self.cluster else 0
        if self.cluster and tasks:
            yield from self._spread(self.cluster, tasks, way, parts)
        else:
            for cycles in parts:
                yield cycles, self._solve(pool, cycles, self.kernel)

    def _spread(
        self, cluster: Cluster, tasks: int, way: str, parts: Sequence[Cycles]
    ) -> Iterator[tuple[Cycles, NDArray[np.uint8]]]:
        """Let a cluster solve parts of one layer."""
        # Units of lanes are the same as here, so that whatever they share is.
        size = LANES * math.ceil(sum(map(len, parts)) / tasks / LANES)
        blocks = [block for cycles in parts for block in split_lanes(cycles, size)]
        most = self.most if len(self.most) else None
        assert isinstance(self.kernel, SeatsKernel)
        tables = Tables(self.kernel, self.win, most, self.past, self.known)
        total = int(self.states.scores[blocks[0][0]].sum())
        files = tables.files() if cluster.folder else None
        named = (
            (f"seats-{way}-{total}-{number}", share(files, cycles) if files else cut(self.race, tables, cycles))
            for number, cycles in enumerate(blocks)
        )
        for number, solved in cluster.results(solve_block, named):
            paste(self.race, tables, blocks[number], solved)
            self.weighed += solved.work[0]
            self.passes += solved.work[1]
            yield blocks[number], solved.status

    def _solve(self, pool: ThreadPool, cycles: Cycles, kernel: SeatsKernel | Plain) -> NDArray[np.uint8]:
        """Let cycles of one layer be solved; returns how that went."""
        status, following = np.zeros(len(cycles), dtype=np.uint8), np.zeros(1, dtype=np.int64)
        rows = self.race.rows(cycles)
        solve = partial(kernel.solve, np.ascontiguousarray(cycles), rows, None, following, status)
        if self.threads == 1 or len(cycles) < WORTH_SHARING:
            work = [solve()] if len(cycles) else []
        else:
            work = [future.result() for future in [pool.submit(solve) for _ in range(self.threads)]]
        for weighed, passes in work:
            self.weighed += weighed
            self.passes += passes
        return status

    def _settle(self, cycle: NDArray[np.int32], status: int) -> None:
        """Settle a cycle in which best replies go round in circles."""
        grain, lines = self.states.rules.grain, self._lines(cycle)
        scores = ", ".join(str(int(score) * grain) for score in self.states.score[cycle])
        if status == HOPELESS:
            raise SolveError(
                f"at the scores {scores} a round of turns changes anything with a chance below 2**-40 under these rules"
            )

        alike = [lines.index(line) for line in lines]
        found = settle(self.plain.respond(lines, self.win), np.full(len(lines), 0.5), alike)
        if found is None:
            raise SolveError(
                f"at the scores {scores} best replies go round in circles, and no mixture of them is found"
            )
        self._keep(cycle, found)

    def _hold(self, cycle: NDArray[np.int32]) -> None:
        """Solve a cycle in which somebody mixes as decided outside."""
        places = self._lines(cycle)
        shares = {mover: self.held[place] for mover, place in enumerate(places) if place in self.held}
        found = hold(self.plain.respond(places, self.win), self.plain.bust(np.array(places)), shares)
        # Who has no knee close by misses nothing now, whatever was missed before.
        self.missed.update({places[mover]: found.missed.get(mover, 0.0) for mover in shares})
        self._keep(cycle, found.settled)

    def _lines(self, cycle: NDArray[np.int32]) -> list[int]:
        """The places of a cycle."""
        found: list[int] = self.plain.around(cycle[None])[:, 0].tolist()
        return found

    def _keep(self, cycle: NDArray[np.int32], found: Settled) -> None:
        """Write a cycle that was settled by hand to the table, with the turns that the table alone does not tell."""
        lines = self._lines(cycle)
        for mover, line in enumerate(lines):
            self.win[line] = np.roll(found.worth[mover], -mover).clip(0.0, 1.0)
        respond, busts = self.plain.respond(lines, self.win), self.plain.bust(np.array(lines))
        for mover, (line, (made, mix)) in enumerate(zip(lines, found.turns, strict=True)):
            told = respond(mover, busts[mover : mover + 1])[0]
            if mix.lower_zero_value != mix.upper_zero_value or not told.same(made):
                self.mixed[line] = mix
                self.by_hand[lines[0]] = cycle  # as ``_remember`` does
        self.plain.take(np.array(lines))
