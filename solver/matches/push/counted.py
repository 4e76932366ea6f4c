"""Races and single players in games whose turns are not only a climb: busts in a row that cost points, dice to choose.

A *state* of a player is a score, from the floor up to the target, with the busts in a row up to now; a bust leads from
state s to another one, s', maybe to a lower score. Let V(s, o) be the chance to win of the player to move against an
opponent in state o. A turn pays

    P[bank t] = 1 - V(o, (score + t, 0)), or 1 at the target;   P[bust] = 1 - V(o, s'),

and V is the turn's value. Scores may fall, so there are no layers that end before others begin: sweeps over all pairs,
highest total first and within a total most busts first, repeat until they move nothing. A sweep settles all but what
comes after a score has fallen, so the error after n sweeps is that of games in which scores fall n times.

The bound is the one of ``race``: found are hi and the gap w down to lo = hi - w, with

    hi = f(1 - lo) + d,   w = 2 d + the gaps of what f's choices lead to, by their chances,

where d is more than the rounding of a turn and what the last sweep moved. Once the values stand gaps only grow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.push import LANES
from ...errors import InputError, SolveError
from ...games.pushluck import SPECIALS, WIN, WIPE
from ...play.push import Play, PushPosition
from ...threads import ThreadPoolExecutor
from ...turns.push import Doubles, pad
from ..contract import Range, Solved
from ..costs import Cost
from .ladder import turn_rounding
from .pushmatch import Lane, PushMatch

Ints = NDArray[np.int64]

SETTLED = 2.0**-46  # a sweep that moves nothing by more is the last
STANDS = 2.0**-40  # from here on gaps only grow
MOST_SWEEPS, SMALL = 400, 100_000  # of few states as many more as these are in sum: turns may nearly always bust
LAYER_PASSES = 400
MOST_BOUND = 2.0**-20
MOST_TURNS_BOUND = 1e-3
CHOICE_SECONDS = 1.5e-9  # for each choice, points in hand and lane, and each sweep
ENDING_SECONDS = 1.2e-7  # for the endings of each, which one thread lays out for all
SWEEPS = 25  # that many are usual where scores fall


class Counted(PushMatch):
    """What these matches share: the states of a player, numbered score by score, fewest busts first."""

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        rules = table.game.data
        if rules.finish != "at_least":
            raise InputError(f"{table.game.id} is solved for finish=at_least only under these rules")
        self.counts = max(1, len(rules.costs))
        self.low = rules.floor // rules.grain  # the lowest score, in units
        self.size = (self.ladder.target - self.low) * self.counts
        self.passing = rules.passes

    @cached_property
    def scores(self) -> Ints:
        """Score of each state, in units."""
        return np.repeat(np.arange(self.low, self.ladder.target), self.counts)

    @cached_property
    def busts(self) -> Ints:
        """Busts in a row of each state."""
        return np.tile(np.arange(self.counts), self.ladder.target - self.low)

    def state(self, units: int, busts: int) -> int:
        """The number of a state."""
        return int(units - self.low) * self.counts + int(busts)

    @cached_property
    def after_bust(self) -> Ints:
        """Where a bust leads, by state."""
        grain = self.rules.grain
        found = [self.rules.busted(score * grain, busts) for score, busts in zip(self.scores, self.busts, strict=True)]
        return np.array([self.state(score // grain, busts) for score, busts in found])

    @cached_property
    def least(self) -> Ints:
        """Fewest points whose bank counts, by state."""
        by_score = np.concatenate([np.full(-self.low, self.ladder.least(1)), self.ladder.counting_from])
        return np.repeat(by_score, self.counts)

    @cached_property
    def need(self) -> Ints:
        """Points up to the goal, by state."""
        need: Ints = np.maximum(-(-self.table.goal // self.rules.grain) - self.scores, 1)
        return need

    @cached_property
    def caps(self) -> NDArray[np.int32]:
        """Where the turn's table ends, by state: the fewest points that count and reach the goal."""
        return np.maximum(self.need, self.least).astype(np.int32)

    def banked(self, mine: Ints, size: int) -> tuple[Ints, Ints]:
        """By points in hand (``size`` of them) and lane: the state after a bank, and what the bank is: 0 one that goes
        on, 1 one that reaches the goal, -1 one that does not count.
        """
        points = np.arange(size)[:, None]
        kind = np.where(points < self.least[mine], -1, np.where(points >= self.need[mine], 1, 0))
        after = mine - self.busts[mine] + points * self.counts
        return np.minimum(after, self.size - 1), kind

    def payoff(self, mine: Ints, values: Doubles, bust: Doubles, goal: float, wiped: Doubles | float) -> Doubles:
        """The endings of turns from states: ``values`` (points in hand, lanes) of banks, and of a bust."""
        lanes = len(mine)
        _, kind = self.banked(mine, len(values))
        found = np.zeros((SPECIALS + len(values), pad(lanes)))
        found[0, :lanes], found[-1 - WIN.next], found[-1 - WIPE.next, :lanes] = bust, goal, wiped
        # A stop that scores nothing leaves the score, as a bank of nothing would, and no bust.
        nothing = values[0] if self.passing else np.full(lanes, -np.inf)
        found[SPECIALS:, :lanes] = np.where(kind < 0, nothing, np.where(kind > 0, goal, values))
        found[:, lanes:] = found[:, :1]
        return found

    def lane_caps(self, mine: Ints) -> NDArray[np.int32]:
        """Caps of a block of lanes."""
        found = np.full(pad(len(mine)), self.caps[mine[0]], dtype=np.int32)
        found[: len(mine)] = self.caps[mine]
        return found

    def as_lane(self, state: int, endings: Doubles) -> Lane:
        """One lane of ``payoff``."""
        cap = int(self.caps[state])
        bust, win, wipe = endings[:SPECIALS, 0].tolist()
        return Lane(endings[SPECIALS : SPECIALS + cap + 1, 0].copy(), cap, bust, win, wipe)

    def bound(self, solved: Solved, lane: Lane) -> float:
        """That of the table."""
        return solved.error_bound

    def cut(self, solved: Solved, start: PushPosition) -> int:
        """The fewest points that count and reach the goal."""
        return int(self.caps[self.state(start.score // self.rules.grain, start.count)]) * self.rules.grain

    def longest_cut(self, solved: Solved) -> int:
        """The cut from the lowest score."""
        return int(self.caps.max()) * self.rules.grain

    def listed(self) -> list[int]:
        """Every score below the goal."""
        most = -(-self.table.goal // self.rules.grain)
        return list(range(self.low, min(most, self.ladder.target)))

    def _mine(self, position: PushPosition) -> int:
        return self.state(position.score // self.rules.grain, position.count)


class Race(Counted):
    """The chance to win of two players who both play their best."""

    seats = (2, 2)

    def cost(self, threads: int) -> Cost:
        """What grows: the pairs of states, and with each the points that a turn can bring."""
        turn, pairs = self.rules.turn, float(self.size) ** 2
        rows = float(self.caps.mean())
        sweeps = SWEEPS if self.rules.costs else 4
        seconds = 2 * CHOICE_SECONDS * turn.choices / LANES / threads + ENDING_SECONDS
        lanes = self.size * (float(self.caps.max()) + turn.max_add) * 8 * 12
        return Cost(8 * pairs * 4 + lanes, seconds * pairs * rows * sweeps)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every pair of states: ``win`` (n, n) by mover's and opponent's state."""
        turn, layers = self.rules.turn, list(self._layers())
        exact = turn_rounding(turn, int(self.caps.max())) + 2.0**-50
        widen = exact + 4 * SETTLED
        pay, gap = np.full((self.size, self.size), 0.5), np.zeros((self.size, self.size))
        with ThreadPoolExecutor(threads) as pool:
            stands = False
            for sweep in range(1, max(MOST_SWEEPS, SMALL // self.size) + 1):
                moved = grown = 0.0
                for mine, theirs in layers:
                    for _ in range(1 if self.rules.costs else LAYER_PASSES):
                        came = self._turns(pool, threads, pay, gap, mine, theirs)
                        high, width = came[0] + widen, came[1] + 2 * widen
                        before = gap[mine, theirs]
                        if stands:
                            width = np.maximum(width, before)
                        change = np.abs(high - (1 - pay[mine, theirs] + before)).max()
                        more = float((width - before).max())
                        pay[mine, theirs], gap[mine, theirs] = 1 - (high - width), width
                        moved, grown = max(moved, float(change)), max(grown, more)
                        if max(change, more) <= SETTLED:
                            break
                progress(min(0.99, sweep / SWEEPS))
                stands = stands or moved <= STANDS
                if max(moved, grown) <= SETTLED:
                    break
            else:
                raise SolveError("the scores that busts lead back to did not settle")
        bound = float(gap.max()) / 2 + widen
        if not bound <= MOST_BOUND:
            raise SolveError("turns change so little under these rules that no bound worth stating can be proved")
        return Solved({"win": (1 - pay + gap / 2).clip(0.0, 1.0)}, bound)

    def _layers(self) -> Iterator[tuple[Ints, Ints]]:
        """All pairs of states in the order of solving: highest total of scores first, then most busts."""
        mine, theirs = np.divmod(np.arange(self.size**2), self.size)
        total, busts = self.scores[mine] + self.scores[theirs], self.busts[mine] + self.busts[theirs]
        order = np.lexsort((self.scores[mine], -busts, -total))
        key = total[order] * (2 * self.counts) + busts[order]
        for part in np.split(order, np.flatnonzero(np.diff(key)) + 1):
            yield mine[part], theirs[part]

    def _turns(
        self, pool: ThreadPoolExecutor, threads: int, pay: Doubles, gap: Doubles, mine: Ints, theirs: Ints
    ) -> Doubles:
        """Value and expected gap of turns: (2, lanes)."""
        turn, lanes = self.rules.turn, len(mine)
        caps = self.lane_caps(mine)
        after, kind = self.banked(mine, int(caps.max()) + 1)
        payoff = np.stack([self._payoff(table, mine, theirs, after) for table in (pay, gap)])
        payoff[1, SPECIALS:, :lanes][kind > 0] = payoff[1, -1 - WIN.next] = 0.0
        if not self.passing:
            payoff[1, SPECIALS:, :lanes][kind < 0] = 0.0
        scratch = turn.scratch(payoff, caps, min(threads, len(caps) // LANES))
        return turn.solve(payoff, caps, pool=pool, scratch=scratch).value[:, :lanes]

    def _payoff(self, table: Doubles, mine: Ints, theirs: Ints, after: Ints) -> Doubles:
        """The endings of turns, read from a table by the opponent, who moves next, and the state left behind."""
        wiped = table[theirs, self.state(0, 0)]
        return self.payoff(mine, table[theirs, after], table[theirs, self.after_bust[mine]], 1.0, wiped)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"win": (self.size, self.size)}

    def ranges(self) -> dict[str, Range]:
        """The least and the greatest that each solved array can hold."""
        return {"win": (0, 1)}

    def _theirs(self, position: PushPosition) -> int:
        busts = position.busts[1 - position.seat] if position.busts else 0
        return self.state(position.opponents[0] // self.rules.grain, busts)

    def beginning(self, solved: Solved, position: PushPosition) -> float:
        """V."""
        return float(solved.arrays["win"][self._mine(position), self._theirs(position)])

    def lane(self, solved: Solved, position: PushPosition, held: int = 0) -> Lane:
        """The lane of a turn of the mover against the opponent's state."""
        mine, theirs = np.array([self._mine(position)]), np.array([self._theirs(position)])
        after, _ = self.banked(mine, int(self.caps[mine[0]]) + 1)
        return self.as_lane(int(mine[0]), self._payoff(1 - solved.arrays["win"], mine, theirs, after))


class Turns(Counted):
    """Fewest expected turns to reach the target alone."""

    def cost(self, threads: int) -> Cost:
        """What grows: the states, and with each the points that a turn can bring."""
        rows = float(self.caps.mean())
        lanes = self.size * (float(self.caps.max()) + self.rules.turn.max_add) * 8 * 8
        return Cost(lanes, CHOICE_SECONDS * self.rules.turn.choices * self.size * rows * 200 / LANES)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every state: ``turns`` (n,)."""
        turn, mine = self.rules.turn, np.arange(self.size)
        caps, worth = self.lane_caps(mine), np.zeros(self.size)
        rounding = turn_rounding(turn, int(caps.max()))
        scratch: list[Doubles] | None = None
        after, _ = self.banked(mine, int(caps.max()) + 1)
        for sweep in range(1, 20 * MOST_SWEEPS + 1):
            payoff = self._payoff(worth, mine, after)[None]
            scratch = scratch or turn.scratch(payoff, caps)
            came = turn.solve(payoff, caps, scratch=scratch).value[0, : self.size]
            moved, worth = float(np.abs(came - worth).max()), came
            progress(min(0.99, sweep / 200))
            if moved <= max(SETTLED, rounding) * max(1.0, -float(worth.min())):
                break
        else:
            raise SolveError("the turns needed did not settle")
        most = -float(worth.min())
        # One turn's error counts once for every turn still to come.
        bound = 2 * (most + 1) * (moved + (most + 1) * rounding)
        if bound > MOST_TURNS_BOUND:
            raise SolveError("the turns needed are too many to be computed to a bound worth stating")
        return Solved({"turns": -worth}, bound)

    def _payoff(self, worth: Doubles, mine: Ints, after: Ints) -> Doubles:
        wiped = float(worth[self.state(0, 0)]) - 1
        return self.payoff(mine, worth[after] - 1, worth[self.after_bust[mine]] - 1, -1.0, wiped)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"turns": (self.size,)}

    def ranges(self) -> dict[str, Range]:
        """The least and the greatest that each solved array can hold."""
        return {"turns": (1, np.inf)}

    def beginning(self, solved: Solved, position: PushPosition) -> float:
        """Expected turns, this one included."""
        return float(solved.arrays["turns"][self._mine(position)])

    def told(self, payoff: Doubles) -> Doubles:
        """Payoffs are minus the turns."""
        return -payoff

    def lane(self, solved: Solved, position: PushPosition, held: int = 0) -> Lane:
        """The lane of a turn from a state."""
        mine = np.array([self._mine(position)])
        after, _ = self.banked(mine, int(self.caps[mine[0]]) + 1)
        return self.as_lane(int(mine[0]), self._payoff(-solved.arrays["turns"], mine, after))


class Reach(Counted):
    """Greatest chance to hold at least ``goal`` points within ``turns`` turns, alone."""

    def cost(self, threads: int) -> Cost:
        """What grows: the states and the turns, and with each the points that a turn can bring."""
        turns, rows = self.parameters["turns"], float(self.caps.mean())
        lanes = self.size * (float(self.caps.max()) + self.rules.turn.max_add) * 8 * 8
        seconds = CHOICE_SECONDS * self.rules.turn.choices * self.size * rows * turns / LANES
        return Cost(lanes + 8 * self.size * turns, seconds)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every state and number of turns left: ``reach`` (turns + 1, n)."""
        turn, mine = self.rules.turn, np.arange(self.size)
        caps = self.lane_caps(mine)
        after, _ = self.banked(mine, int(caps.max()) + 1)
        reach = np.zeros((self.parameters["turns"] + 1, self.size))
        for turns in range(1, len(reach)):
            payoff = self._payoff(reach[turns - 1], mine, after)[None]
            reach[turns] = turn.solve(payoff, caps).value[0, : self.size]
            progress(turns / self.parameters["turns"])
        return Solved({"reach": reach}, len(reach) * turn_rounding(turn, int(caps.max())))

    def _payoff(self, known: Doubles, mine: Ints, after: Ints) -> Doubles:
        return self.payoff(mine, known[after], known[self.after_bust[mine]], 1.0, float(known[self.state(0, 0)]))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"reach": (self.parameters["turns"] + 1, self.size)}

    def ranges(self) -> dict[str, Range]:
        """The least and the greatest that each solved array can hold."""
        return {"reach": (0, 1)}

    def beginning(self, solved: Solved, position: PushPosition) -> float:
        """Chance to reach the goal with this turn and the others left."""
        return float(solved.arrays["reach"][position.turns_left, self._mine(position)])

    def lane(self, solved: Solved, position: PushPosition, held: int = 0) -> Lane:
        """The lane of a turn from a state, with the turns left after it."""
        mine = np.array([self._mine(position)])
        after, _ = self.banked(mine, int(self.caps[mine[0]]) + 1)
        return self.as_lane(int(mine[0]), self._payoff(solved.arrays["reach"][position.turns_left - 1], mine, after))
