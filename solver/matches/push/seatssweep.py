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
(policy iteration; the first guess is by differences of the second order), from some pass on only half of the way.

With three and more that need not come to an end: there are games without an equilibrium in pure stationary strategies
(Boros, Gurvich & Yamangil, Chess-like Games May Have No Uniform Nash Equilibria Even in Mixed Strategies, 2013). In
such a cycle some movers mix two turns (``circles``). And equilibria need not be unique: the values are those of the
play found.

**What is proved.** The play is stored with its values: in each position the best turn by the table. So how good it is
can be asked of the table, and is, in a second pass over all layers that shares the turn with the first and nothing
else. Let U_k(s) be the best that seat k can come to from s while the others play as the table says. Where k moves, U_k
is the turn's best by U_k; where another seat moves, its turn is as the table has it and U_k is carried along. Computed
are upper bounds: every turn's result is raised by d, more than its rounding and what a settled zero turn may still
move. A table with U >= F(U), F monotone, is not below the best that any strategy of k can come to, however long games
last. With

    g = the largest of U_k(s) - V_k(s) over all seats and positions

the play is worth at most V_k + g to seat k (it is one of the strategies), and at least V_k - (seats - 1) g, since what
all get adds up to 1: the play comes to an end. For d is more than is needed, so that with some r > 0 even U >= F(U) + r
everywhere. Hence whatever k does while the others play as the table says, the mean of U_k, counted as 0 once the game
is over, falls by r or more with every turn that is begun. It never is below 0, so there are no more than U_k(s) / r
turns on average, and the game ends with probability one. (A turn does: points grow in it, and past the end of its table
``PushTurn.forced_passes`` throws leave next to nothing.) So values are within (seats - 1) g of what the stored play is
worth (``error_bound``), and nobody gains more than seats times g by any other strategy (``regret``); both with what
rounding adds to the sum of the V_k. The play as the table says is that of the largest values as computed: of equal ones
to stop, then the first listed. That one is advised and played (``answers.advice.leeway``).

Where a throw can lose the whole score, passes over all layers repeat (``seatswiped``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.seats import HOPELESS, LANES
from ...ground.errors import SolveError
from ...ground.threads import ThreadPoolExecutor
from ...stores.checkpoints import Checkpoint
from ...turns.push import Doubles
from ..circles import Line, Mix, Respond, Settled, hold, mixed, settle
from ..equations import Ints
from ..settle import NO_BOUND
from .many import Many
from .seatsblock import Tables, cut, paste, share, solve_block
from .seatskernel import SeatsRace, Stops
from .states import States

if TYPE_CHECKING:
    from ..cluster import Cluster

WORTH_SHARING = 256  # cycles in a layer from which threads gain more than they cost
SOLVING = 0.6  # of the time, before best replies are found
MOST_PASSES = 100
CHOICE_SECONDS = 8e-10  # for each choice, points in hand and line of scores, passes included
BESIDE = 300  # what a line of scores takes beside, counted in choices, for each two seats
AT_ONCE = 20_000  # cycles solved between two reports of progress, where the solve can be interrupted
Cycles = NDArray[np.int32]


class Layers:
    """The cycles of every layer: one position of each, its scores as numbers."""

    def __init__(self, scores: Ints, seats: int) -> None:
        self.scores, self.seats = scores, seats
        self.numbers = np.full(int(scores[-1]) + 1, -1)
        self.numbers[scores] = np.arange(len(scores))
        others = np.indices((len(scores),) * (seats - 1)).reshape(seats - 1, -1)
        self.sums, self.least = scores[others].sum(axis=0), others.min(axis=0)
        self.others = others.astype(np.int32)
        self.top = seats * int(scores[-1])

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


def in_parts(layer: NDArray[Any], size: int) -> list[NDArray[Any]]:
    """The cycles of a layer, or their numbers, so many at once."""
    return [layer[first : first + size] for first in range(0, len(layer), size)]


class Sweep:
    """Passes of the kernel over all layers."""

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
        self.layers, self.equations = Layers(states.scores, seats), race.equations
        self.room = cluster.zeros if cluster else np.zeros
        self.known = [self._stops()]  # by pass
        self.kernel, self.past = race.kernel(win, past, self.known[0]), past
        self.count = len(states.scores) ** seats
        self.win, self.most, self.widen = win.reshape(-1, seats), np.zeros((0, seats)), race.widen
        self.mixed: dict[int, Mix] = {}  # by place
        self.by_hand: dict[int, NDArray[np.int32]] = {}  # by place of its first position, a cycle with mixed turns
        # By place, how often the second turn is made by movers of whom that is decided outside of their cycle, and by
        # how much a zero turn is worth more to them than where both turns are as good as each other.
        self.held: dict[int, float] = {}
        self.missed: dict[int, float] = {}
        self.settled = race.settled[1]
        self.seconds = CHOICE_SECONDS * seats * choices_of(states, rise(self.equations), seats)  # of a cycle, roughly
        self.weighed = self.passes = 0

    def run(self, pool: ThreadPoolExecutor, stages: int, checkpoint: Checkpoint | None) -> None:
        """Solve every layer."""
        seats, done = self.layers.seats, 0
        self.mixed.clear()
        self.by_hand.clear()
        for number, layers in enumerate(self.layers.stages(stages)):
            self.kernel.forget()
            places = self._rotations(layers)
            kept = checkpoint.load(f"play{number}", (len(places), seats + 3), -1.0, 1.0) if checkpoint else None
            if kept is not None:
                self.win[places] = kept[:, :-3]
                self._remember(layers, places, kept[:, -3:])
            for layer in layers if kept is None else ():
                held = self._holding(layer)
                for cycles, status in self.solved(pool, "play", in_parts(layer[~held], AT_ONCE)):
                    for one in np.flatnonzero(status):
                        self._settle(cycles[one], int(status[one]))
                    done += len(cycles) * seats
                    self.progress(SOLVING * min(1.0, done / self.count))
                for cycle in layer[held]:
                    self._hold(cycle)
            if checkpoint and kept is None:
                mixes = [self.mixed.get(place, (-1.0, 0.0, 0.0)) for place in places.tolist()]
                checkpoint.save(f"play{number}", np.column_stack([self.win[places], np.reshape(mixes, (-1, 3))]))

    def judge(self, pool: ThreadPoolExecutor, most: Doubles, stages: int, checkpoint: Checkpoint | None) -> float:
        """Find the best replies to the play that was found, in the table ``most``; returns the most that one gains."""
        self.known[1:] = [self._stops()]
        self.kernel.judge(most, self.known[1])
        self.most = most.reshape(self.win.shape)
        seats, done, gain = self.layers.seats, 0, 0.0
        for number, layers in enumerate(self.layers.stages(stages)):
            self.kernel.forget()
            places = self._rotations(layers)
            kept = checkpoint.load(f"reply{number}", (len(places), seats), -1.0, 2.0) if checkpoint else None
            if kept is not None:
                self.most[places] = kept
            for layer in layers if kept is None else ():
                mixes = np.isin(self._places(layer), list(self.by_hand))
                others = [part[~mixes[part]] for part in in_parts(np.arange(len(layer)), AT_ONCE)]
                for cycles, status in self.solved(pool, "reply", [layer[part] for part in others]):
                    if status.any():
                        raise SolveError(NO_BOUND)
                    done += len(cycles) * seats
                    self.progress(SOLVING + (1 - SOLVING) * min(1.0, done / self.count))
                for cycle in layer[mixes]:
                    self._reply(cycle)
            gain = max(gain, float((self.most[places] - self.win[places]).max(initial=0.0)))
            if checkpoint and kept is None:
                checkpoint.save(f"reply{number}", self.most[places])
        return gain

    def _stops(self) -> Stops:
        """Room for what is known of certain stops in all rows."""
        return self.race.stops(len(self.layers.sums), self.room)

    def _rotations(self, layers: Sequence[Cycles]) -> NDArray[np.int64]:
        """The places of all positions of some layers."""
        turned = [np.roll(cycles, -one, axis=1) for cycles in layers for one in range(self.layers.seats)]
        return np.concatenate([self._places(cycles) for cycles in turned] or [np.zeros(0, dtype=np.int64)])

    def _remember(self, layers: Sequence[Cycles], places: NDArray[np.int64], mixes: Doubles) -> None:
        """Take over mixed turns from a checkpoint."""
        self.mixed.update({int(places[one]): Mix(*mixes[one].tolist()) for one in np.flatnonzero(mixes[:, 0] >= 0)})
        for cycles in layers:
            for line in cycles[np.isin(self._rotations([cycles]), list(self.mixed)).reshape(-1, len(cycles)).any(0)]:
                self.by_hand[self.equations.place(line.tolist())] = line

    def _holding(self, cycles: Cycles) -> NDArray[np.bool_]:
        """The cycles in which somebody mixes as decided outside."""
        if not self.held:
            return np.zeros(len(cycles), dtype=bool)
        here = np.isin(self._rotations([cycles]), list(self.held)).reshape(-1, len(cycles))
        return np.asarray(here.any(axis=0))

    def _places(self, cycles: Cycles) -> NDArray[np.int64]:
        places = np.zeros(len(cycles), dtype=np.int64)
        for column in cycles.T:
            places = places * len(self.states.scores) + column
        return places

    def solved(
        self, pool: ThreadPoolExecutor, way: str, parts: Sequence[Cycles]
    ) -> Iterator[tuple[Cycles, NDArray[np.uint8]]]:
        """Let parts of one layer be solved; yields them, in any order, with how that went."""
        tasks = self.cluster.tasks(self.seconds * sum(map(len, parts))) if self.cluster else 0
        if self.cluster and tasks:
            yield from self._spread(self.cluster, tasks, way, parts)
        else:
            for cycles in parts:
                yield cycles, self._solve(pool, cycles)

    def _spread(
        self, cluster: Cluster, tasks: int, way: str, parts: Sequence[Cycles]
    ) -> Iterator[tuple[Cycles, NDArray[np.uint8]]]:
        """Let a cluster solve parts of one layer."""
        # Units of lanes are the same as here, so that whatever they share is.
        size = LANES * math.ceil(sum(map(len, parts)) / tasks / LANES)
        blocks = [block for cycles in parts for block in in_parts(cycles, size)]
        most = self.most if len(self.most) else None
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

    def _solve(self, pool: ThreadPoolExecutor, cycles: Cycles) -> NDArray[np.uint8]:
        """Let the kernel solve cycles of one layer; returns how that went."""
        status, following = np.zeros(len(cycles), dtype=np.uint8), np.zeros(1, dtype=np.int64)
        parts = (np.ascontiguousarray(cycles), self.race.rows(cycles), None, following, status)
        if self.threads == 1 or len(cycles) < WORTH_SHARING:
            work = [self.kernel.solve(*parts)] if len(cycles) else []
        else:
            work = [future.result() for future in [pool.submit(self.kernel.solve, *parts) for _ in range(self.threads)]]
        for weighed, passes in work:
            self.weighed += weighed
            self.passes += passes
        return status

    def _lines(self, cycle: NDArray[np.int32]) -> list[list[int]]:
        """The scores at every position of a cycle, from the mover on."""
        return [np.roll(cycle, -mover).tolist() for mover in range(len(cycle))]

    def _bust(self, line: Sequence[int]) -> float:
        """What a zero turn is worth to the mover, by the table."""
        return float(self.win[self.equations.place([*line[1:], line[0]]), -1])

    def _turn(
        self, line: Sequence[int], table: Doubles, busts: Doubles, carried: Doubles
    ) -> tuple[Doubles, Doubles, Doubles]:
        """Turns that are decided by a table, for several worths of a bust; see ``Many.by_hand``."""
        past = None if self.past is None else self.past[self.equations.place(line[1:])]
        return self.equations.by_hand(line, (table, busts), carried, past)

    def _settle(self, cycle: NDArray[np.int32], status: int) -> None:
        """Settle a cycle in which best replies go round in circles."""
        grain, lines = self.states.rules.grain, self._lines(cycle)
        scores = ", ".join(str(int(score) * grain) for score in self.states.scores[cycle])
        if status == HOPELESS:
            raise SolveError(
                f"at the scores {scores} a round of turns changes anything with a chance below 2**-40 under these rules"
            )

        alike = [lines.index(line) for line in lines]
        found = settle(self.respond(lines, self.win), np.full(len(lines), 0.5), alike)
        if found is None:
            raise SolveError(
                f"at the scores {scores} best replies go round in circles, and no mixture of them is found"
            )
        self._keep(cycle, found)

    def _hold(self, cycle: NDArray[np.int32]) -> None:
        """Solve a cycle in which somebody mixes as decided outside."""
        lines = self._lines(cycle)
        places = [self.equations.place(line) for line in lines]
        shares = {mover: self.held[place] for mover, place in enumerate(places) if place in self.held}
        found = hold(self.respond(lines, self.win), np.array([self._bust(line) for line in lines]), shares)
        # Who has no knee close by misses nothing now, whatever was missed before.
        self.missed.update({places[mover]: found.missed.get(mover, 0.0) for mover in shares})
        self._keep(cycle, found.settled)

    def respond(self, lines: Sequence[Sequence[int]], table: Doubles, carried: Doubles | None = None) -> Respond:
        """Best turns of the movers of a cycle by a table, and what they bring by it or by another one."""

        def best(mover: int, busts: Doubles) -> list[Line]:
            _, zero, shares = self._turn(lines[mover], table, busts, table if carried is None else carried)
            return [
                Line(z, z, z, p, tuple(of))
                for z, p, of in zip(busts.tolist(), zero.tolist(), shares.T.tolist(), strict=True)
            ]

        return best

    def _keep(self, cycle: NDArray[np.int32], found: Settled) -> None:
        """Write a cycle that was settled by hand to the table, with the turns that the table alone does not tell."""
        lines = self._lines(cycle)
        for mover, line in enumerate(lines):
            self.win[self.equations.place(line)] = np.roll(found.worth[mover], -mover).clip(0.0, 1.0)
        respond = self.respond(lines, self.win)
        for mover, (line, (made, mix)) in enumerate(zip(lines, found.turns, strict=True)):
            told = respond(mover, np.array([self._bust(line)]))[0]
            if mix.low != mix.high or not told.same(made):
                self.mixed[self.equations.place(line)] = mix
                self.by_hand[self.equations.place(lines[0])] = cycle  # as ``_remember`` does

    def _reply(self, cycle: NDArray[np.int32]) -> None:
        """Best replies to the play of a cycle with mixed turns, as the kernel finds them."""
        lines, seats = self._lines(cycle), len(cycle)
        played = []  # the turns, with what they bring by ``most``
        for line in lines:
            place = self.equations.place(line)
            mix = self.mixed.get(place)
            busts = np.array([self._bust(line)] if mix is None else [mix.low, mix.high])
            _, zero, shares = self._turn(line, self.win, busts, self.most)
            brought = (shares.T + self.widen).tolist()
            of = [Line(0.0, 1.0, 0.0, p, tuple(part)) for p, part in zip(zero.tolist(), brought, strict=True)]
            played.append(of[0] if mix is None else mixed(of[0], of[1], mix.share))
        for seat in range(seats):
            around = [played[(seat + one) % seats] for one in range(1, seats)]  # from the next mover back to the seat
            constant, reached = 0.0, 1.0
            for one, turn in enumerate(around, 1):
                constant += reached * turn.shares[seats - one]
                reached *= turn.zero
            z = self._bust(lines[seat])
            for _ in range(MOST_PASSES):
                value, zero, _ = self._turn(lines[seat], self.most, np.array([z]), self.most)
                worth, slope = float(value[0]) + self.widen, float(zero[0])
                if abs(constant + reached * worth - z) <= self.settled:
                    break
                z = (constant + reached * (worth - slope * z)) / (1 - reached * slope)
            else:
                raise SolveError(NO_BOUND)
            self.most[self.equations.place(lines[seat]), 0] = worth
            for one in range(seats - 1, 0, -1):
                turn = around[one - 1]
                worth = turn.shares[seats - one] + turn.zero * worth
                self.most[self.equations.place(lines[(seat + one) % seats]), seats - one] = worth
