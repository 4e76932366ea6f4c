"""What a given policy is worth: exactly, and against the best.

At every decision of a turn the policy does what it does, through the same kernel that solves the turn (``follow``).
Alone that is one pass. In a match the policy meets the optimal player of the solved table, who does not know that it is
played: the optimal player's turns maximise the table's chances, and the chance against the policy is carried along in a
second channel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.push import LANES
from ..errors import InputError, SolveError
from ..games.pushluck import SPECIALS, WIN
from ..games.rounds import Move, RoundTurn, Situation
from ..games.unlike import UnlikeRules
from ..matches import Match, Solved
from ..matches.push.match import PushMatch
from ..matches.push.matches import Race, Turns
from ..matches.push.points import Points
from ..matches.push.seats import Seats
from ..matches.push.states import States
from ..matches.rounding import turn_rounding
from ..matches.rounds.solo import Points as RoundPoints
from ..matches.rounds.tournament import Win
from ..matches.rounds.turn import situation, solve_lanes
from ..matches.rounds.turn import turn_rounding as round_rounding
from ..play import play, rounds
from ..play.table import Table
from ..turns.climb import climbs
from ..turns.push import Decisions, Doubles, pad
from .given import BEST, against, check_race
from .policies import Choose, Hold, named_policy, read_policy
from .positions import value as value_of

HOPELESS = 2.0**-40
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Evaluation:
    """A policy's value, the optimum for the same question, what the policy loses, and the bound of the error of each.

    No policy beats the best, so a loss that rounding made negative is none.

    ``second``: for ``win``, the policy's chance when it moves second, and the optimum's; ``later``: the same for who
    moves third and later.
    """

    value: float
    optimal: float
    loss: float
    error_bound: float
    second: tuple[float, float] | None = None
    later: tuple[tuple[float, float], ...] = ()


def check_evaluation(match: Match[Any], policy: str, score: object = None) -> None:
    """Raise InputError for what is not evaluated (policy, objective or rule), before anything is solved."""
    if isinstance(read_policy(match.table, policy), Hold):
        check_hold(match, score)
        return
    if score is not None:
        raise InputError("policies of games by the round are evaluated from the start: leave the score out")
    check_rounds(match)


def evaluate(match: Match[Any], solved: Solved, policy: str, score: object, progress: Progress) -> Evaluation:
    """Evaluate a policy given by name; see ``Solution.evaluate``."""
    check_evaluation(match, policy, score)
    found = read_policy(match.table, policy)
    if isinstance(found, Hold):
        return evaluate_hold(match, solved, found, score, progress)
    table = play(match.game, objective="points")
    return evaluate_rounds(match, solved, compiled(table, named_policy(table, policy)))


# --- push your luck


def check_hold(match: Match[Any], score: object = None) -> None:
    """Refuse what limits are not evaluated for."""
    if isinstance(match, PushMatch) and isinstance(match.rules, UnlikeRules):
        raise InputError("policies by the number of dice are not evaluated for dice unlike one another")
    if isinstance(match, PushMatch) and match.rules.choose:
        raise InputError("policies are not evaluated where the player says how many dice are thrown")
    if isinstance(match, PushMatch) and match.rules.best == "lowest":
        raise InputError("policies are not evaluated for the lowest points")
    if isinstance(match, PushMatch) and match.rules.costs and match.objective != "points":
        raise InputError("policies are not evaluated where busts cost points, only for points: --objective points")
    if isinstance(match, PushMatch) and match.objective == "win" and match.rules.take_over != "none":
        raise InputError("policies are not evaluated where turns are taken over, only for points: --objective points")
    if isinstance(match, (Turns, Race, Seats)) and not climbs(match.states.turn):
        raise InputError("policies are evaluated where points only grow until a turn ends: ask for points")
    if not isinstance(match, (Points, Turns, Race, Seats)) or match.objective == "rate":
        raise InputError(
            f"policies are not evaluated for the objective {match.objective}: ask for points, turns or win"
        )
    if isinstance(match, Points):
        return
    if isinstance(match, Seats):
        check_race(match)
    if score is not None:
        raise InputError("turns and win are evaluated from the start: leave the score out")
    if match.states.rules.finish == "last_round":
        raise InputError("policies are not evaluated with finish=last_round, only for points: --objective points")
    if match.states.rules.wipes:
        raise InputError("policies are not evaluated where a throw loses the whole score: ask for points")


def evaluate_hold(
    match: Match[Any], solved: Solved, policy: Hold, score: object = None, progress: Progress = lambda done: None
) -> Evaluation:
    """Evaluate limits for a push-your-luck game's ``points`` (of a turn from ``score``), ``turns`` or ``win``."""
    check_hold(match, score)
    if isinstance(match, Points):
        return _points(match, solved, policy, score)
    if isinstance(match, Turns):
        return _turns(match, solved, policy)
    if isinstance(match, Seats):
        return _seats(match, solved, policy, progress)
    assert isinstance(match, Race)
    return _race(match, solved, policy, progress)


def _points(match: Points, solved: Solved, policy: Hold, score: object) -> Evaluation:
    rules, position = match.rules, match.table.read(score=score)
    lane = match.lanes(solved, [position], max(policy.by_dice.values()) // rules.grain)
    least = int(np.argmax(lane.banks > 0))
    rows = rules.turn.rows(lane.cap)
    nodes = policy.decisions(rules, rows, lane.cap, least, win_from=rows)  # points know no target
    value = float(rules.turn.solve(*lane.copies(), follow=np.repeat(nodes, LANES, axis=2)).value[0, 0])
    best = value_of(match, solved, position).value
    return Evaluation(value, best, max(0.0, best - value), match.bound(solved, lane) + solved.error_bound)


def _decisions(states: States, policy: Hold, score: int) -> Decisions:
    """What the policy does with this score, in one lane; rows enough for any score."""
    rules, cap = states.rules, int(states.caps_by_score[score])
    rows = rules.turn.rows(int(states.caps_by_score.max()))
    return policy.decisions(rules, rows, cap, int(states.counts_by_score[score]), states.target - score)


def _turns(match: Turns, solved: Solved, policy: Hold) -> Evaluation:
    states, turn = match.states, match.rules.turn
    left = np.zeros(states.target + int(states.caps_by_score.max()) + turn.max_add + 1)
    most_zero = 0.0
    for score in states.scores[::-1].tolist():
        cap = int(states.caps_by_score[score])
        nothing = np.arange(cap + 1) < states.counts_by_score[score]
        payoff = np.zeros((2, SPECIALS + cap + 1, LANES))
        payoff[0, SPECIALS:] = np.where(nothing, 0.0, left[score : score + cap + 1])[:, None]
        payoff[1, 0] = 1.0
        payoff[1, SPECIALS:] = nothing[:, None]
        nodes = np.repeat(_decisions(states, policy, score)[: turn.rows(cap)], LANES, axis=2)
        value, zero = turn.solve(payoff, np.full(LANES, cap, dtype=np.int32), follow=nodes).value[:, 0]
        if zero > 1 - HOPELESS:
            raise SolveError(f"with this policy a player with {score * match.rules.grain} points goes nowhere")
        most_zero = max(most_zero, float(zero))
        left[score] = (1 + value) / (1 - zero)
    best = float(solved.arrays["turns"][0])
    value = float(left[0])
    rounding = turn_rounding(turn, int(states.caps_by_score.max()))
    bound = len(states.scores) * rounding * (left.max() + 1) * 2 / (1 - most_zero)
    return Evaluation(value, best, max(0.0, value - best), bound + solved.error_bound)


def _race(match: Race, solved: Solved, policy: Hold, progress: Progress) -> Evaluation:
    states, turn = match.states, match.states.rules.turn
    highest = states.target + int(states.caps_by_score.max()) + turn.max_add
    optimum = np.zeros((states.target, highest + 1))
    for row, score in enumerate(states.scores.tolist()):
        optimum[score, states.scores] = solved.arrays["win"][row]
    # By mover's and opponent's score, the chance of the mover: the policy to move, the optimal player to move.
    ours, theirs = np.zeros_like(optimum), np.zeros_like(optimum)
    scores = states.scores
    known = np.zeros(states.target, dtype=bool)
    known[scores] = True
    last, error = int(scores[-1]), 0.0
    decisions = {score: _decisions(states, policy, score) for score in scores.tolist()}
    for total in range(2 * last, -1, -1):
        mine = scores[(scores >= total - last) & (scores <= total)]
        mine = mine[known[total - mine]]
        if not len(mine):
            continue
        cap = np.zeros(pad(len(mine)), dtype=np.int32)
        cap[: len(mine)] = states.caps_by_score[mine]
        top = int(cap.max())
        rows = turn.rows(top)
        nodes = np.zeros((rows, len(turn.modes) + turn.classes, len(cap)), dtype=np.int16)
        nodes[:, :, : len(mine)] = np.concatenate([decisions[score][:rows] for score in mine.tolist()], axis=2)
        a, s = _turn_lines(states, mine, total - mine, cap, top, theirs, None, nodes)
        b, r = _turn_lines(states, mine, total - mine, cap, top, ours, optimum, None)
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
    return Evaluation(first, best, max(0.0, best - first), error + solved.error_bound, (second, 1 - best))


def _seats(match: Seats, solved: Solved, policy: Hold, progress: Progress) -> Evaluation:
    found = against(match, solved, policy, [BEST] * (match.players - 1), progress)
    best: list[float] = solved.arrays["win"][(0,) * match.players].tolist()
    first, second, *later = zip(found.values, best, strict=True)
    error = found.error_bound + solved.error_bound
    return Evaluation(*first, max(0.0, first[1] - first[0]), error, second, tuple(later))


def _turn_lines(
    states: States,
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
    turn, lanes = states.rules.turn, len(mine)
    points = np.arange(top + 1)[:, None]
    nothing = points < states.counts_by_score[mine]
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


# --- games by the round


def compiled(table: Table[rounds.RoundsPosition], choose: Choose) -> RoundTurn:
    """The turn of somebody who chooses so in a round alone (the table's): every cast leaves one move."""
    at = {situation(table.start()): table.start()}

    def throw(here: Situation) -> Iterator[tuple[int, tuple[Move, ...]]]:
        for weight, fallen in table.throws(at[here]):
            choice = choose(fallen)
            if choice.then != "roll":
                yield weight, (choice.points,)
            else:
                at[situation(choice.after)] = choice.after
                yield weight, (situation(choice.after),)

    return RoundTurn(situation(table.start()), throw, decides=False)


def check_rounds(match: Match[Any]) -> None:
    """Refuse what policies are not evaluated for."""
    two = type(match) is Win and match.players == 2 and not match.first_to
    if not two and not isinstance(match, RoundPoints):
        raise InputError("policies of this game are evaluated for points, and for two players who win by rounds")


def evaluate_rounds(match: Match[Any], solved: Solved, policy: RoundTurn) -> Evaluation:
    """Evaluate a compiled policy for a round's ``points`` or the ``win`` of two players."""
    check_rounds(match)
    if isinstance(match, RoundPoints):
        worth = np.arange(match.rules.most + 1, dtype=float)
        value = float(solve_lanes(policy, worth[None, : policy.most + 1, None])[0, 0])
        best = float(solved.arrays["points"][0])
        return Evaluation(value, best, max(0.0, best - value), 2 * solved.error_bound)
    assert isinstance(match, Win)
    best = float(solved.arrays["round0seat0"][0, 0])
    first, second = (match.against_best(solved, policy, seat) for seat in (0, 1))
    bound = solved.error_bound + 4 * (match.rounds + 1) * round_rounding(policy)
    return Evaluation(first, best, max(0.0, best - first), bound, (second, 1 - best))
