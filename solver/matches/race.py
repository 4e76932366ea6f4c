"""Two players race to a target: the chance to win from every pair of scores.

Let V(a, b) be the chance to win of the player to move, who has a points against b. Banking t points hands the move to
the opponent, so the payoff of a turn is

    P[bank t] = 1 if a + t reaches the target, else 1 - V(b, a + t);   P[bust] = z = 1 - V(b, a).

A turn either adds to the total a + b or leaves it alone (a *zero turn*), so layers of equal total are solved from the
highest down, a whole layer as one batch of lanes. What is left within a layer is the pair

    x = f(1 - y),  y = g(1 - x)     with x = V(a, b), y = V(b, a) and f, g the turn's value as a function of z.

f and g are maxima over policies of straight lines in z with slopes in [0, 1), the chance of a zero turn, so the pair is
a contraction and has exactly one solution. Channel 1 of the kernel carries the slope; Newton's method on intercept and
slope solves the lines now in force, and two to four passes settle them all. (Fang, Glenn & Kruskal, Retrograde
Approximation Algorithms for Jeopardy Stochastic Games, ICGA J. 2008; Crocce & Mordecki, A Non-Iterative Algorithm for
Generalized Pig Games, J. Dynamics & Games 2018.)

The bound. Let d bound how far the table v is from one exact turn on: the residual of the zero turns plus the rounding
of one turn. A player who follows the table's choices ends a turn without points with chance at most s (the largest
slope seen) and needs at most K turns with points to reach the target, so the game is over within K / (1 - s) of that
player's turns on average, whatever the opponent does. Each of the two players' turns adds at most d, hence

    |v - V| <= 2 K d / (1 - s).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Advice, PositionValue
from ..errors import InputError, SolveError
from ..games import Game
from ..games.pushposition import PushPosition, read_turn
from ..turns.push import Decisions, Doubles, pad
from . import Solved, no_parameters
from .ladder import Ladder
from .pushmatch import Lane, advise_lane, position_value, read_score

SETTLED = 2.0**-50  # a zero turn's value is settled when a pass moves it by no more: a few units in the last place
NEWTON_PASSES = 20  # then plain iteration, which contracts
MOST_PASSES = 2000
WORTH_SHARING = 500_000  # choices weighed in a layer from which threads gain more than they cost

# Given arrays of the movers' and opponents' scores (in units), the decisions of every lane (see TurnValue).
Policy = Callable[[NDArray[np.int64], NDArray[np.int64]], Decisions]


@dataclass(frozen=True)
class RaceValues:
    """``win[i, j]``: chance to win of the player to move with ``scores[i]`` (units) against ``scores[j]``."""

    scores: NDArray[np.int64]
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
        SolveError: the zero turns of a layer did not settle.
    """
    turn = ladder.rules.turn
    units = ladder.target
    known = np.zeros((units, units + ladder.top + 1))  # V by mover's and opponent's score; 0 where the opponent has won
    width = known.shape[1]
    is_score = np.zeros(units, dtype=bool)
    is_score[ladder.scores] = True
    above = _next_score(ladder)
    caps = np.array([ladder.cap(score) for score in range(units)], dtype=np.int32)
    residual, steepest, positions = 0.0, 0.0, 0
    last = int(ladder.scores[-1])
    with ThreadPoolExecutor(threads) as pool:
        for total in range(2 * last, -1, -1):
            mine = ladder.scores[(ladder.scores >= total - last) & (ladder.scores <= total)]
            mine = mine[is_score[total - mine]]
            if not len(mine):
                continue
            theirs = total - mine  # the mirror image: lane k's opponent to move is lane -1-k
            lanes = len(mine)
            cap = np.zeros(pad(lanes), dtype=np.int32)
            cap[:lanes] = caps[mine]
            top = int(cap.max())
            payoff = np.zeros((2, 1 + top + 1, pad(lanes)))
            banked, slope = payoff[0, 1:, :lanes], payoff[1, 1:, :lanes]
            after = np.arange(top + 1)[:, None] + (theirs * width + mine)
            np.subtract(1.0, known.take(after), out=banked)
            nothing = ~ladder.counting[mine, : top + 1].T
            slope[:] = nothing
            payoff[1, 0] = 1.0
            follow = policy(mine, theirs) if policy else None
            share = threads if lanes * top * turn.choices >= WORTH_SHARING else 1
            scratch = turn.scratch(payoff, cap, share)

            guess = (known[above[mine], theirs] + known[mine, above[theirs]]) / 2
            zero = 1 - guess[::-1]
            for count in range(MOST_PASSES):
                payoff[0, 0, :lanes] = zero
                np.copyto(banked, zero, where=nothing)
                value = turn.solve(payoff, cap, follow=follow, pool=pool, scratch=scratch).value
                x, s = value[0, :lanes], value[1, :lanes]
                moved = float(np.abs(zero - (1 - x[::-1])).max())
                if moved <= SETTLED:
                    break
                if count < NEWTON_PASSES:
                    line = x + s * (1 - zero)  # f(1 - y) = line - s y
                    x = (line - s * line[::-1]) / (1 - s * s[::-1])
                zero = 1 - x[::-1]
            else:
                raise SolveError(f"the zero turns with {total * ladder.rules.grain} points in all did not settle")
            residual, steepest = max(residual, moved), max(steepest, float(s.max()))
            known[mine, theirs] = x
            positions += lanes
            progress(positions / len(ladder.scores) ** 2)
    turns = 2 + (ladder.target - ladder.least(0)) // ladder.least(1)
    bound = 2 * turns / (1 - steepest) * (residual + ladder.turn_rounding())
    return RaceValues(ladder.scores, known[np.ix_(ladder.scores, ladder.scores)], bound)


def _next_score(ladder: Ladder) -> NDArray[np.int64]:
    """For every score the next one that can occur, for first guesses; the highest stands for itself."""
    above = np.arange(ladder.target)
    above[ladder.scores[:-1]] = ladder.scores[1:]
    return above


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

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every pair of scores: ``scores`` (n,) in points, ``win`` (n, n) by mover's and opponent's score."""
        values = solve_race(self.ladder, threads=threads, progress=progress)
        grain = self.ladder.rules.grain
        return Solved({"scores": values.scores * grain, "win": values.win}, values.error_bound)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        scores = len(self.ladder.scores)
        return {"scores": (scores,), "win": (scores, scores)}

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
        if len(opponents) != 1:
            raise InputError(f"there is one opponent, so one score of opponents is needed, not {len(opponents)}")
        return PushPosition(
            read_score(self.ladder, score, "score"),
            (read_score(self.ladder, opponents[0], "the opponent's score"),),
            *read_turn(self.ladder.rules, turn, roll, dice),
        )

    def show(self, position: PushPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return position.as_json(self.game.data)

    def value(self, solved: Solved, position: PushPosition) -> PositionValue:
        """Chance to win of the mover and of the opponent."""
        if position.turn_begins:
            win = self._win(solved, position.score, position.opponents[0])
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

    def _win(self, solved: Solved, mover: int, opponent: int) -> float:
        i, j = np.searchsorted(solved.arrays["scores"], (mover, opponent))
        return float(solved.arrays["win"][i, j])

    def _lane(self, solved: Solved, position: PushPosition) -> Lane:
        ladder, grain = self.ladder, self.ladder.rules.grain
        score, (theirs,) = position.score // grain, position.opponents
        zero = 1 - self._win(solved, theirs, position.score)
        cap = ladder.cap(score)
        banks = [
            zero
            if not ladder.counts(score, points)
            else 1.0
            if score + points >= ladder.target
            else 1 - self._win(solved, theirs, (score + points) * grain)
            for points in range(cap + 1)
        ]
        return Lane(np.array(banks), zero, cap)
