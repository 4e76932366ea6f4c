"""Races in which what some players do is given: what somebody gets against them, exactly, for any number of players.

One seat is asked about. Somebody who plays by limits (``Hold``, the printed sheet too) sees the own score, and of two
players the other's band. A player of the best play decides by the solved table, whatever is played against it; so does
a player of a ``duel``, who knows the best play of two only and plays as if against whoever is ahead. The asked player
follows a policy, or does what is best against all that (``best``). The equations are those of the match, with whose
turn it is beside (``FixedPolicyModel``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ..solvers import Problem, ValueTable
from ..solvers import make_problem as ask
from ..solvers.model import Ints
from ..solvers.push.fixed_policies import FixedPolicy, FixedPolicyModel, LimitsPolicy, TablePolicy
from ..solvers.push.model import PushModel, RaceModel
from ..solvers.push.multiplayer_problem import PushMultiplayerWinProblem, stored_mixed_actions
from ..solvers.push.problem import PushProblem
from ..solvers.push.race_problems import PushTableProblem, PushWinProblem
from ..solvers.reference_solver import ReferenceSolver
from ..turns.push_turn import Decisions, Doubles
from ..util.errors import InputError, SolveError
from .evaluation import Against
from .function_policy import FunctionPolicy
from .policy import DuelPolicy, MistakePolicy, OptimalPolicy, OtherObjectivePolicy
from .push_policies import Banded, Hold, Rolls
from .registry import PolicyContext, parse_policy

FollowedPolicy: TypeAlias = Hold | Rolls | Banded | OptimalPolicy | DuelPolicy
NOT_COMPILED = "the equations of a race know limits, sheets, best and duel; keepwise simulate plays all policies"
REFUSALS = {
    OtherObjectivePolicy: NOT_COMPILED,
    MistakePolicy: NOT_COMPILED,
    FunctionPolicy: NOT_COMPILED,
}
Progress = Callable[[float], None]


def check_given(
    match: Problem[Any], ours: str, others: Sequence[str]
) -> tuple[PushWinProblem | PushMultiplayerWinProblem, FollowedPolicy, tuple[FollowedPolicy, ...]]:
    """Return the race and the policies read: ours, and those of the other seats in turn order (one stands for all).

    Raises:
        InputError: no race that is told so, another number of seats, or no such policy.
    """
    if not isinstance(match, (PushWinProblem, PushMultiplayerWinProblem)):
        raise InputError("the play of others is given in races of push-your-luck games, for win")
    check_race(match)
    seats = match.players - 1
    if len(others) not in (1, seats):
        raise InputError(f"the play of others is given once for all, or for each of the {seats} others in turn order")
    read = [_read(match, one) for one in (ours, *others)]
    told = tuple(read[1:]) * (seats if len(others) == 1 else 1)
    return match, read[0], told


def _read(match: PushWinProblem | PushMultiplayerWinProblem, policy: str) -> FollowedPolicy:
    parsed: FollowedPolicy = parse_policy(policy, PolicyContext(match.playable, REFUSALS))
    if isinstance(parsed, Banded):
        check_bands(match, parsed)
    return parsed


def check_race(match: Problem[Any], what: str = "the play of others is given") -> None:
    """Refuse ``what`` in races of several whose turns hang on more than the scores."""
    if not isinstance(match, PushMultiplayerWinProblem):
        return
    rules, two = match.rules, f"{what} for two players where"
    if rules.finish == "last_round":
        raise InputError(f"{two} there is a last round: players must be 2")
    if rules.take_over != "none":
        raise InputError(f"{two} turns are taken over: players must be 2")


def check_bands(match: PushProblem, policy: Hold | Rolls | Banded) -> None:
    """Refuse limits by what one opponent has, where there is none, or more than one."""
    if isinstance(policy, Banded) and len(policy.others) > 1 and match.players != 2:
        raise InputError("sheet 4 knows one opponent's score: it is evaluated for two players")


def against(
    match: PushTableProblem | PushMultiplayerWinProblem,
    solved: ValueTable,
    ours: FollowedPolicy,
    others: Sequence[FollowedPolicy] = (),
    progress: Progress = lambda done: None,
) -> Against:
    """What we get against others whose play is given (``check_given``), or alone."""
    plain: PushModel = match.model
    replies = ours == OptimalPolicy() and any(one != OptimalPolicy() for one in others)
    given = [_given(match, solved, plain, one) for one in (ours, *others)]
    settler = ReferenceSolver(FixedPolicyModel(plain, [None, *given[1:]] if replies else given), progress=progress)
    try:
        values = settler.solve()
        bound = (
            settler.error_bound(values)
            if plain.has_cyclic_components
            else settler.accumulated_error + plain.constant_error
        )
    except SolveError:
        raise SolveError("with this policy nobody gets anywhere, or all but so") from None
    states = [match.states.number(0)] * match.players
    start = (
        match.state_number(match.playable.start())
        if isinstance(match, PushTableProblem)
        else match.model.line_number(states)
    )
    places = [(match.players - place) % match.players for place in range(match.players)]
    return Against(tuple(float(values[place * plain.state_count + start]) for place in places), bound)


def _given(
    match: PushTableProblem | PushMultiplayerWinProblem,
    solved: ValueTable,
    plain: PushModel,
    play: FollowedPolicy,
) -> FixedPolicy:
    """What somebody does, for the equations."""
    if not isinstance(play, (OptimalPolicy, DuelPolicy)):
        return LimitsPolicy(_Limits(match, plain, play))
    if isinstance(match, PushMultiplayerWinProblem):
        return _by_duel(match, plain) if isinstance(play, DuelPolicy) else _by_seats(match, solved)
    best = partial(match.read, solved)
    return TablePolicy(lambda states, cap: _alike(plain.payoffs(best, plain.transitions(states, cap))), best)


def _alike(paid: Doubles) -> tuple[Ints, Doubles, Doubles]:
    """One turn of every lane."""
    return np.arange(paid.shape[1]), np.ones(paid.shape[1]), paid


class _Limits:
    """Limits, compiled for every score."""

    def __init__(self, match: PushProblem, plain: PushModel, policy: Hold | Rolls | Banded) -> None:
        self.states, self.turn, self.policy = match.states, plain.turn, policy
        self.last = plain.last_round if isinstance(plain, RaceModel) and plain.seats == 2 else None
        self.rows, self.known = plain.turn.row_count(plain.max_cap), dict[tuple[int, int, bool], Decisions]()

    def __call__(self, score: int, other: int) -> Decisions:
        states, grain = self.states, self.states.rules.grain
        limits, last = self.policy.at(score * grain, other * grain), self.last is not None and other >= states.target
        key = score, id(limits), last
        if key not in self.known:
            cap, least = (
                int(found[score - states.lowest_score]) for found in (states.caps_by_score, states.min_banks_by_score)
            )
            if last and self.last:
                least = self.last.min_bank(score)
            won = states.goal - score
            self.known[key] = limits.decisions(states.rules, self.turn, self.rows, cap, least, won)
        return self.known[key]


def _by_seats(match: PushMultiplayerWinProblem, solved: ValueTable) -> TablePolicy:
    """The stored play of several: two turns are mixed, where these were found for other worths of a zero turn."""
    win, mixes = solved.arrays["win"].reshape(-1, match.players)[:, -1], stored_mixed_actions(solved)
    plain = match.model
    places = np.array(sorted(mixes), dtype=np.int64)

    def best(states: Ints) -> Doubles:
        found: Doubles = win[states]
        return found

    def paying(states: Ints, cap: int) -> tuple[Ints, Doubles, Doubles]:
        links = plain.transitions(states, cap)
        lane, often, paid = _alike(plain.payoffs(best, links))
        two = np.flatnonzero(np.isin(states, places))
        if not len(two):
            return lane, often, paid
        share, *told = np.array([mixes[place] for place in states[two].tolist()]).T
        back = links.state[:, two] == plain.after_zero_turn(states[two])
        low, high = (np.where(back, one, paid[:, two]) for one in told)
        paid = np.hstack([paid, high])
        paid[:, two] = low
        often = np.append(often, share)
        often[two] = 1 - share
        return np.append(lane, two), often, paid

    return TablePolicy(paying, best)


def _by_duel(match: PushMultiplayerWinProblem, plain: PushModel) -> TablePolicy:
    """The best play of two, against whoever is ahead."""
    two = ask(match.game, "win", 2)
    assert isinstance(two, PushWinProblem)
    race, solved = two.model, two.solve(1, lambda done: None)
    best = partial(two.read, solved)

    def paying(states: Ints, cap: int) -> tuple[Ints, Doubles, Doubles]:
        ahead, rest = np.zeros_like(states), states
        for _ in range(match.players - 1):
            rest, last = np.divmod(rest, len(plain.states))
            ahead = np.maximum(ahead, last)
        return _alike(race.payoffs(best, race.transitions(race.number(rest, ahead), cap)))

    return TablePolicy(paying, best)
