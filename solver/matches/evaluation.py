"""What a given policy is worth: exactly, and against the best.

Alone it is one pass with the choices given. In a race the policy meets the optimal player of the solved table, who does
not know that it is played: the optimal player's turns maximise the table's chances, and the chance against the policy
is carried along in a second channel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.push import LANES
from ..errors import InputError, SolveError
from ..games import game_file
from ..games.pushluck import SPECIALS, WIN
from ..games.rounds import RoundTurn
from ..policy import HoldPolicy, read_hold
from ..turns.push import Decisions, Doubles, pad
from . import Match, Solved
from .ladder import Ladder, turn_rounding
from .race import Race
from .roundchoices import solve_lanes
from .roundchoices import turn_rounding as round_rounding
from .rounds import Points as RoundPoints
from .solo import Points, Turns
from .tournament import Win

HOPELESS = 2.0**-40


@dataclass(frozen=True)
class Evaluation:
    """A policy's value, the optimum for the same question, what the policy loses, and the bound of its error.

    ``second``: for ``win``, the policy's chance when it moves second, and the optimum's.
    """

    value: float
    optimal: float
    loss: float
    error_bound: float
    second: tuple[float, float] | None = None


def read_policy(match: Any, policy: str, score: object = None) -> HoldPolicy | RoundTurn:
    """Check that a policy can be evaluated for a question, before anything is solved, and return it.

    Raises:
        InputError: no such policy, or an objective or a rule that policies are not evaluated for.
    """
    if match.game.family == "push":
        found = read_hold(match.game.data, policy)
        if not isinstance(match, (Points, Turns, Race)):
            raise InputError(
                f"policies are not evaluated for the objective {match.objective}: ask for points, turns or win"
            )
        if not isinstance(match, Points):
            if score is not None:
                raise InputError("turns and win are evaluated from the start: leave the score out")
            _plain(match.ladder)
        return found
    if match.game.family != "rounds":
        raise InputError(f"no policies are evaluated for {match.game.id}")
    if score is not None:
        raise InputError("policies of games by the round are evaluated from the start: leave the score out")
    two = type(match) is Win and match.players == 2 and not match.target
    if not two and not isinstance(match, RoundPoints):
        raise InputError("policies of this game are evaluated for points, and for two players who win by rounds")
    turn: RoundTurn = game_file(match.game.id).policy_turn(match.game.rules, policy)
    return turn


def evaluate(match: Match, solved: Solved, policy: str, score: object, progress: Callable[[float], None]) -> Evaluation:
    """Evaluate a policy given by name; see ``Solution.evaluate``."""
    found = read_policy(match, policy, score)
    if isinstance(found, HoldPolicy):
        return evaluate_push(match, solved, found, score, progress)
    return evaluate_rounds(match, solved, found)


def evaluate_push(
    match: Any, solved: Solved, policy: HoldPolicy, score: object, progress: Callable[[float], None]
) -> Evaluation:
    """Evaluate a policy for a push-your-luck game's ``points`` (of a turn from ``score``), ``turns`` or ``win``."""
    if isinstance(match, Points):
        return _points(match, solved, policy, score)
    return _turns(match, solved, policy) if isinstance(match, Turns) else _race(match, solved, policy, progress)


def _plain(ladder: Ladder) -> None:
    if ladder.rules.finish == "last_round":
        raise InputError("policies are not evaluated with finish=last_round, only for points: --objective points")
    if any(effect == "wipe" for _, effect, _ in ladder.rules.specials):
        raise InputError("policies are not evaluated where a throw loses the whole score: ask for points")


def _points(match: Points, solved: Solved, policy: HoldPolicy, score: object) -> Evaluation:
    rules, position = match.rules, match.read(score=0 if score is None else score)
    lane = match.start_lane(position, max(policy.by_dice.values()))
    payoff = np.zeros((1, SPECIALS + lane.cap + 1, LANES))
    payoff[0] = np.concatenate(([lane.bust, lane.win, lane.wipe], lane.banks))[:, None]
    cap = np.full(LANES, lane.cap, dtype=np.int32)
    least = int(np.argmax(lane.banks > 0))
    rows = rules.turn.rows(lane.cap)
    nodes = policy.decisions(rules, rows, lane.cap, least, win_from=rows)  # points know no target
    value = float(rules.turn.solve(payoff, cap, follow=np.repeat(nodes, LANES, axis=2)).value[0, 0])
    best = match.value(solved, position).value
    return Evaluation(value, best, best - value, solved.error_bound)


def _decisions(ladder: Ladder, policy: HoldPolicy, score: int) -> Decisions:
    """What the policy does with this score, in one lane; rows enough for any score."""
    rules, cap = ladder.rules, int(ladder.caps[score])
    rows = rules.turn.rows(int(ladder.caps.max()))
    return policy.decisions(rules, rows, cap, int(ladder.counting_from[score]), ladder.target - score)


def _turns(match: Turns, solved: Solved, policy: HoldPolicy) -> Evaluation:
    ladder, turn = match.ladder, match.rules.turn
    left = np.zeros(ladder.target + int(ladder.caps.max()) + turn.max_add + 1)
    most_zero = 0.0
    for score in ladder.scores[::-1].tolist():
        cap = int(ladder.caps[score])
        nothing = np.arange(cap + 1) < ladder.counting_from[score]
        payoff = np.zeros((2, SPECIALS + cap + 1, LANES))
        payoff[0, SPECIALS:] = np.where(nothing, 0.0, left[score : score + cap + 1])[:, None]
        payoff[1, 0] = 1.0
        payoff[1, SPECIALS:] = nothing[:, None]
        nodes = np.repeat(_decisions(ladder, policy, score)[: turn.rows(cap)], LANES, axis=2)
        value, zero = turn.solve(payoff, np.full(LANES, cap, dtype=np.int32), follow=nodes).value[:, 0]
        if zero > 1 - HOPELESS:
            raise SolveError(f"with this policy a player with {score * match.rules.grain} points goes nowhere")
        most_zero = max(most_zero, float(zero))
        left[score] = (1 + value) / (1 - zero)
    best = float(solved.arrays["turns"][0])
    value = float(left[0])
    rounding = turn_rounding(turn, int(ladder.caps.max()))
    bound = len(ladder.scores) * rounding * (left.max() + 1) * 2 / (1 - most_zero)
    return Evaluation(value, best, value - best, bound + solved.error_bound)


def _race(match: Race, solved: Solved, policy: HoldPolicy, progress: Callable[[float], None]) -> Evaluation:
    ladder, turn = match.ladder, match.ladder.rules.turn
    highest = ladder.target + int(ladder.caps.max()) + turn.max_add
    optimum = np.zeros((ladder.target, highest + 1))
    for row, score in enumerate(ladder.scores.tolist()):
        optimum[score, ladder.scores] = solved.arrays["win"][row]
    # By mover's and opponent's score, the chance of the mover: the policy to move, the optimal player to move.
    ours, theirs = np.zeros_like(optimum), np.zeros_like(optimum)
    scores = ladder.scores
    known = np.zeros(ladder.target, dtype=bool)
    known[scores] = True
    last, error = int(scores[-1]), 0.0
    decisions = {score: _decisions(ladder, policy, score) for score in scores.tolist()}
    for total in range(2 * last, -1, -1):
        mine = scores[(scores >= total - last) & (scores <= total)]
        mine = mine[known[total - mine]]
        if not len(mine):
            continue
        cap = np.zeros(pad(len(mine)), dtype=np.int32)
        cap[: len(mine)] = ladder.caps[mine]
        top = int(cap.max())
        rows = turn.rows(top)
        nodes = np.zeros((rows, len(turn.modes) + turn.classes, len(cap)), dtype=np.int16)
        nodes[:, :, : len(mine)] = np.concatenate([decisions[score][:rows] for score in mine.tolist()], axis=2)
        a, s = _turn_lines(ladder, mine, total - mine, cap, top, theirs, None, nodes)
        b, r = _turn_lines(ladder, mine, total - mine, cap, top, ours, optimum, None)
        b, r = b[::-1], r[::-1]  # the opponent of a lane stands as far from the other end
        if (s * r).max() > 1 - HOPELESS:
            raise SolveError("with this policy a pair of turns may change next to nothing")
        x = (a + s - s * b - s * r) / (1 - s * r)
        ours[mine, total - mine] = x
        theirs[total - mine, mine] = b + r * (1 - x)
        error += float((2 / (1 - s * r)).max()) * turn_rounding(turn, top)
        progress(1 - total / (2 * last + 1))
    first, second = float(ours[0, 0]), 1 - float(theirs[0, 0])
    best = float(optimum[0, 0])
    return Evaluation(first, best, best - first, error + solved.error_bound, (second, 1 - best))


def _turn_lines(
    ladder: Ladder,
    mine: NDArray[np.int64],
    others: NDArray[np.int64],
    cap: NDArray[np.int32],
    top: int,
    after: Doubles,
    optimum: Doubles | None,
    follow: NDArray[np.int16] | None,
) -> tuple[Doubles, Doubles]:
    """The mover's chance as a line in that of a zero turn: intercept and slope, by lane.

    ``after``: the opponent's chances once they are to move; with ``optimum`` the mover plays the table's best.
    """
    turn, lanes = ladder.rules.turn, len(mine)
    points = np.arange(top + 1)[:, None]
    nothing = points < ladder.counting_from[mine]
    reach = np.minimum(mine + points, after.shape[1] - 1)
    channels = 2 if optimum is None else 3
    payoff = np.zeros((channels, SPECIALS + top + 1, pad(lanes)))
    payoff[-2, SPECIALS:, :lanes] = np.where(nothing, 0.0, 1 - after[others, reach])
    payoff[-2, -1 - WIN.next] = 1.0
    payoff[-1, 0] = 1.0
    payoff[-1, SPECIALS:, :lanes] = nothing
    if optimum is not None:
        zero = 1 - optimum[others, mine]
        payoff[0, SPECIALS:, :lanes] = np.where(nothing, zero, 1 - optimum[others, reach])
        payoff[0, -1 - WIN.next] = 1.0
        payoff[0, 0, :lanes] = zero
    value = turn.solve(payoff, cap, follow=follow).value[:, :lanes]
    return value[-2], value[-1]


def evaluate_rounds(match: Any, solved: Solved, policy: RoundTurn) -> Evaluation:
    """Evaluate a policy, compiled as a turn without choices, for a round's ``points`` or the ``win`` of two players."""
    if isinstance(match, RoundPoints):
        worth = np.arange(match.rules.most + 1, dtype=float)
        value = float(solve_lanes(policy, worth[None, : policy.most + 1, None])[0, 0])
        best = float(solved.arrays["points"][0])
        return Evaluation(value, best, best - value, solved.error_bound)
    best = float(solved.arrays["round0seat0"][0, 0])
    first, second = (match.against_best(solved, policy, seat) for seat in (0, 1))
    bound = solved.error_bound + 4 * match.rounds * round_rounding(policy)
    return Evaluation(first, best, best - first, bound, (second, 1 - best))
