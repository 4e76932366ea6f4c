"""Two players race to a target: the chance to win from every pair of scores.

Let V(a, b) be the chance to win of the player to move, who has a points against b. Banking t points hands the move to
the opponent, so the payoff of a turn is

    P[bank t] = 1 - V(b, a + t);   P[bust] = z = 1 - V(b, a),

where V(b, x) = 0 for a total x that has won: the opponent has no chance any more. With finish=last_round it is the
chance of b's last turn against x (see LastTurn).

A turn either adds to the total a + b or leaves it alone (a *zero turn*), so layers of equal total are solved from the
highest down, a whole layer as one batch of lanes. What is left within a layer is the pair

    x = f(1 - y),  y = g(1 - x)     with x = V(a, b), y = V(b, a) and f, g the turn's value as a function of z.

f and g are maxima over policies of straight lines in z, whose slope is the chance of a zero turn. From every score some
turn wins with a chance p > 0, so the line p + (1 - p) z lies above every line of slope 1 (passing) wherever z < 1, and
z < 1 holds since the opponent can win too: the lines in force have slopes below 1, the pair is a contraction, and there
is exactly one solution. Channel 1 of the kernel carries the slope; Newton's method on intercept and
slope solves the lines now in force, and two to four passes settle them all. (Fang, Glenn & Kruskal, Retrograde
Approximation Algorithms for Jeopardy Stochastic Games, ICGA J. 2008; Crocce & Mordecki, A Non-Iterative Algorithm for
Generalized Pig Games, J. Dynamics & Games 2018.)

The bound. Solved are not V but two tables hi and lo that enclose it: with d at least the rounding of one turn plus what
a settled zero turn may still move,

    hi(a, b) = f(1 - lo(b, .)) + d,   lo(a, b) = f(1 - hi(b, .)) - d        (as computed),

so that hi(a, b) >= f(1 - lo(b, .)) and lo(a, b) <= f(1 - hi(b, .)) hold exactly. f is monotone, so repeating it from hi
and lo leads down and up to solutions of the equations of V, of which there is one: lo <= V <= hi is proved. The value
kept is the middle and the error bound half the widest gap. In a layer the partner of hi(a, b) is lo(b, a), so both
tables are one batch of lanes whose mirror image is its reverse.

Where a throw can wipe the whole score, the race is one component: V(b, 0) lies in a layer that is solved later. Sweeps
over all layers repeat with the last sweep's hi(b, 0) and lo(b, 0) until they move by less than d allows for.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..advice import Advice, PositionValue
from ..errors import InputError, SolveError
from ..games import Game
from ..games.pushluck import SPECIALS, WIN, WIPE
from ..games.pushposition import PushPosition, read_turn
from ..turns.push import Decisions, Doubles, pad
from . import Solved, no_parameters
from .ladder import Ladder, Scores, turn_rounding
from .lastround import TRUNCATION, LastRound
from .pushmatch import Lane, advise_lane, position_value, read_score, read_total, within_target

SETTLED = 2.0**-50  # a zero turn's value is settled when a pass moves it by no more: a few units in the last place
NEWTON_PASSES = 20  # then plain iteration, which contracts
MOST_PASSES = 2000
MOST_SWEEPS = 2000
MOST_SCORES = 1000  # the work grows with their third power: Farkle's 200 take four seconds
HOPELESS = 2.0**-40  # a chance to change anything in a pair of turns that double precision cannot work with
WORTH_SHARING = 500_000  # choices weighed in a layer from which threads gain more than they cost

# Given arrays of the movers' and opponents' scores (in units), the decisions of every lane (see TurnValue).
Policy = Callable[[Scores, Scores], Decisions]


@dataclass(frozen=True)
class RaceValues:
    """``win[i, j]``: chance to win of the player to move with ``scores[i]`` (units) against ``scores[j]``."""

    scores: Scores
    win: Doubles
    error_bound: float


def solve_race(
    ladder: Ladder,
    *,
    policy: Policy | None = None,
    threads: int = 1,
    progress: Callable[[float], None] = lambda done: None,
) -> RaceValues:
    """Solve every position of the race; with ``policy``, both players follow it instead of playing their best.

    The result has the same bits for any number of threads. ``progress`` is called with the share done.

    Raises:
        SolveError: the zero turns of a layer, or the wiped scores of the race, did not settle.
    """
    race = _Sweep(ladder, policy, threads, progress)
    with ThreadPoolExecutor(threads) as pool:
        wiped = np.full((2, ladder.target), 0.5)
        for _ in range(MOST_SWEEPS):
            race.run(pool, wiped)
            moved = float(np.abs(race.known[:, :, 0] - wiped)[:, ladder.scores].max())
            if not race.wipes or moved <= SETTLED:
                break
            wiped = race.known[:, :, 0].copy()
        else:
            raise SolveError("the scores that are lost as a whole did not settle")
    high, low = race.known[:, ladder.scores][:, :, ladder.scores]
    # An answer inside a turn is one more turn away from the table.
    inside = turn_rounding(ladder.rules.turn, race.highest_cap) + race.slack
    return RaceValues(ladder.scores, (high + low) / 2, float((high - low).max()) / 2 + inside)


class _Sweep:
    """One pass over all layers. ``known[0]`` is hi and ``known[1]`` lo, by mover's and opponent's score."""

    def __init__(self, ladder: Ladder, policy: Policy | None, threads: int, progress: Callable[[float], None]) -> None:
        self.ladder, self.policy, self.threads, self.progress = ladder, policy, threads, progress
        self.turn = ladder.rules.turn
        self.wipes = any(effect == "wipe" for _, effect, _ in ladder.rules.specials)
        self.last_round = LastRound(ladder) if ladder.rules.finish == "last_round" else None
        highest = self.last_round.highest if self.last_round else ladder.target + int(ladder.caps.max())
        # 0 where the opponent has won already.
        self.known = np.zeros((2, ladder.target, highest + 1))
        if self.last_round:
            for score in ladder.scores.tolist():
                totals = np.arange(ladder.target, score + self.last_round.size)
                self.known[:, score, totals] = self.last_round.against(score, totals)
        self.above = np.arange(ladder.target)  # the next score that can occur, for first guesses
        self.above[ladder.scores[:-1]] = ladder.scores[1:]
        self.is_score = np.zeros(ladder.target, dtype=bool)
        self.is_score[ladder.scores] = True
        self.highest_cap = 0
        # Settled zero turns, settled wipes, the addition of d itself, and the last turns' own rounding.
        self.slack = 3 * SETTLED + (TRUNCATION + self.last_round.rounding if self.last_round else 0.0)

    def run(self, pool: ThreadPoolExecutor, wiped: Doubles) -> None:
        """Solve every layer, highest total first; ``wiped`` stands for hi(b, 0) and lo(b, 0)."""
        scores, positions = self.ladder.scores, 0
        last = int(scores[-1])
        for total in range(2 * last, -1, -1):
            mine = scores[(scores >= total - last) & (scores <= total)]
            mine = mine[self.is_score[total - mine]]
            if len(mine):
                self._layer(pool, mine, wiped, total)
                positions += len(mine)
                self.progress(positions / len(scores) ** 2)

    def _layer(self, pool: ThreadPoolExecutor, scores: Scores, wiped: Doubles, total: int) -> None:
        """Solve the positions of one total, hi then lo; a lane's opponent to move stands as far from the other end."""
        turn, ladder, known = self.turn, self.ladder, self.known
        mine, table = np.tile(scores, 2), np.repeat((0, 1), len(scores))
        theirs, lanes, half = total - mine, 2 * len(scores), len(scores)
        cap = np.zeros(pad(lanes), dtype=np.int32)
        cap[:lanes] = np.tile(self.last_round.caps(scores, total - scores), 2) if self.last_round else ladder.caps[mine]
        self.highest_cap = max(self.highest_cap, int(cap.max()))
        points = np.arange(int(cap.max()) + 1)[:, None]
        payoff = np.zeros((2, SPECIALS + len(points), pad(lanes)))
        bust, banked = payoff[0, 0, :lanes], payoff[0, SPECIALS:, :lanes]
        rows = ((1 - table) * ladder.target + theirs) * known.shape[2]
        after = rows + np.minimum(mine + points, known.shape[2] - 1)
        np.subtract(1.0, known.take(after), out=banked)
        nothing = points < ladder.counting_from[mine]
        payoff[0, -1 - WIN.next] = 1.0
        payoff[0, -1 - WIPE.next, :lanes] = 1 - wiped[1 - table, theirs]
        payoff[1, SPECIALS:, :lanes] = nothing
        payoff[1, 0] = 1.0
        follow = self.policy(mine, theirs) if self.policy else None
        share = self.threads if lanes * len(points) * turn.choices >= WORTH_SHARING else 1
        scratch = turn.scratch(payoff, cap, share)
        widen = np.where(table == 0, 1, -1) * (turn_rounding(turn, int(cap.max())) + self.slack)

        guess = (known[table, self.above[mine], theirs] + known[table, mine, self.above[theirs]]) / 2
        zero = np.minimum(1 - guess[::-1], 0.9)  # below 1, where passing would be as good as winning
        for count in range(MOST_PASSES):
            bust[:] = zero
            np.copyto(banked, zero, where=nothing)
            value = turn.solve(payoff, cap, follow=follow, pool=pool, scratch=scratch).value[:, :lanes]
            x, s = value[0] + widen, value[1]
            moved = float(np.abs(zero - (1 - x[::-1])).max())
            if moved <= SETTLED:
                break
            if count < NEWTON_PASSES:
                line, slopes = x + s * (1 - zero), s * s[::-1]  # f(1 - y) = line - s y
                steps = slopes < 1 - HOPELESS
                solved = (line - s * line[::-1]) / np.where(steps, 1 - slopes, 1.0)
                # The partner from its own line: where both slopes are near 1, two quotients would not fit together.
                solved[half:] = line[half:] - s[half:] * solved[:half][::-1]
                x = np.where(steps, solved, x)
            zero = 1 - x[::-1]
        else:
            raise SolveError(f"the zero turns with {total * ladder.rules.grain} points in all did not settle")
        if float((s * s[::-1]).max()) >= 1 - HOPELESS:
            raise SolveError(f"with {total * ladder.rules.grain} points in all a pair of turns changes next to nothing")
        known[table, mine, theirs] = x


class Race:
    """The chance to win of two players who both play their best."""

    objective = "win"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        if players == 1:
            raise InputError("winning needs an opponent: players must be 2; alone, ask for points, turns or reach")
        if players not in (None, 2):
            raise InputError(f"races are solved for two players: players must be 2, not {players}")
        self.game = game
        self.players = 2
        self.parameters: dict[str, int] = {}
        self.ladder = Ladder(game.data)
        if len(self.ladder.scores) > MOST_SCORES:
            raise InputError(
                f"a race over {len(self.ladder.scores)} scores would take hours: at most {MOST_SCORES} are solved;"
                " lower the target, or ask for points or turns"
            )

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every pair of scores: ``scores`` (n,) in points, ``win`` (n, n) by mover's and opponent's score."""
        values = solve_race(self.ladder, threads=threads, progress=progress)
        grain = self.ladder.rules.grain
        return Solved({"scores": values.scores * grain, "win": values.win}, values.error_bound)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        scores = len(self.ladder.scores)
        return {"scores": (scores,), "win": (scores, scores)}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {"scores": self.ladder.scores * self.ladder.rules.grain}

    def read(
        self,
        *,
        score: object = 0,
        opponents: Any = (0,),
        turn: object = 0,
        roll: object = None,
        dice: object = None,
    ) -> PushPosition:
        """Check a position: the mover's score, the opponent's in a list of one, and the state of the turn."""
        opponents = [opponents] if isinstance(opponents, (int, str)) else opponents
        if len(opponents) != 1:
            raise InputError(f"there is one opponent, so one score of opponents is needed, not {len(opponents)}")
        ladder = self.ladder
        read = read_total if ladder.rules.finish == "last_round" else read_score
        theirs = read(ladder, opponents[0], "the opponent's score")
        inside = read_turn(ladder.rules, turn, roll, dice)
        return within_target(ladder, PushPosition(read_score(ladder, score, "score"), (theirs,), *inside))

    def show(self, position: PushPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return position.as_json(self.game.data)

    def value(self, solved: Solved, position: PushPosition) -> PositionValue:
        """Chance to win of the mover and of the opponent."""
        grain = self.ladder.rules.grain
        if position.turn_begins:
            against = np.array([position.opponents[0] // grain])
            win = float(self._win(solved, position.score // grain, against)[0])
        else:
            win = position_value(self.ladder.rules, self._lane(solved, position), position)
        return PositionValue(win, (win, 1 - win))

    def advise(self, solved: Solved, position: PushPosition) -> Advice:
        """Rank every legal choice by the chance to win."""
        rules = self.ladder.rules
        score = position.score // rules.grain
        return advise_lane(
            rules,
            self._lane(solved, position),
            position,
            self.objective,
            lambda points: self.ladder.counts(score, points // rules.grain),
            solved.error_bound,
        )

    @cached_property
    def _last_round(self) -> LastRound | None:
        return LastRound(self.ladder) if self.ladder.rules.finish == "last_round" else None

    def _win(self, solved: Solved, mover: int, totals: Scores) -> Doubles:
        """V of the mover against each of the opponent's totals, in units."""
        ladder = self.ladder
        row = np.zeros(max(ladder.target, int(totals.max()) + 1))
        row[ladder.scores] = solved.arrays["win"][np.searchsorted(ladder.scores, mover)]
        if self._last_round:
            beyond = np.arange(ladder.target, len(row))
            row[ladder.target :] = self._last_round.against(mover, beyond)
        result: Doubles = row[totals]
        return result

    def _lane(self, solved: Solved, position: PushPosition) -> Lane:
        ladder, grain = self.ladder, self.ladder.rules.grain
        mine, theirs = position.score // grain, position.opponents[0] // grain
        if theirs >= ladder.target:  # the last turn
            least = self._last_round.least(mine) if self._last_round else 0
            cap = max(theirs - mine + 1, least)
            points = np.arange(cap + 1)
            banks = ((mine + points > theirs) + 0.5 * (mine + points == theirs)) * (points >= least)
            return Lane(banks, cap, bust=0.0, win=1.0, wipe=0.0)
        cap = int(ladder.caps[mine])
        if self._last_round:
            cap = max(int(self._last_round.caps(np.array([mine]), np.array([theirs]))[0]), position.turn // grain)
        points = np.arange(cap + 1)
        zero, wiped = (1 - self._win(solved, theirs, np.array([mine, 0]))).tolist()
        banks = np.where(points >= ladder.counting_from[mine], 1 - self._win(solved, theirs, mine + points), zero)
        return Lane(banks, cap, zero, win=1.0, wipe=wiped)
