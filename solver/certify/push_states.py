"""Names of the states that the compiled push-your-luck solvers number."""

from __future__ import annotations

import numpy as np

from ..solvers.push.race_problems import PushTableProblem, PushWinProblem
from .whole_turn import Ints


def push_state_names(problem: PushTableProblem) -> Ints:
    """Return the names of all states of a push-your-luck problem, (states, numbers), in the order of the states.

    A name lists the scores from the mover on, and the busts in a row. For ``reach`` the turns left follow, and if turns
    can be taken over the turn points and dice of the offer. Numbers that the rules do not need are left out.

    Args:
        problem: a race, fewest turns or ``reach``.
    """
    if isinstance(problem, PushWinProblem):
        return _race_state_names(problem)
    states = problem.states
    # A state is numbered: turns left * states of the player + state of the player.
    turns_left, own_state = np.divmod(np.arange(problem.model.state_count), len(states))
    columns = [states.score[own_state] * problem.rules.grain]
    if problem.rules.bust_costs:
        columns.append(states.busts[own_state])
    if problem.objective == "reach":
        columns.append(turns_left)
    return np.stack(columns, axis=1)


def _race_state_names(problem: PushWinProblem) -> Ints:
    """Return the names of the states of a two-player race, (states, numbers), in the order of the states.

    A name lists the scores of the mover and of the opponent. If busts cost points, their busts in a row follow. If
    turns can be taken over, the points and the dice of the offer come last; both are 0 if there is none. States with an
    offer are numbered behind all others.
    """
    names = _names_without_offer(problem)
    has_takeover = problem.model.dice > 0  # the most dice that can be taken over
    if not has_takeover:
        return names
    no_offer = np.zeros((len(names), 2), dtype=np.int64)
    return np.vstack([np.hstack([names, no_offer]), _names_with_offer(problem)])


def _names_without_offer(problem: PushWinProblem) -> Ints:
    """Return the names of the states without an offer, (lines, numbers), as if no turn could be taken over.

    Such a state is numbered ``mover * width + opponent``, by the own states of both players. There are n own states, 0
    to n - 1. With a last round ``width`` is larger than n: an opponent's number n + k is a total of the target + k.
    """
    race = problem.model
    states = problem.states
    grain = problem.rules.grain  # states count points by the grain
    mover, opponent = np.divmod(np.arange(race.lines), race.width)
    own_state_count = len(states)
    # An opponent with such a number has finished, with a total of the target or more, and with no busts in a row.
    has_finished = opponent >= own_state_count
    finished_score = states.target + opponent - own_state_count
    opponent_state = np.where(has_finished, 0, opponent)  # state 0 stands in, whose score and busts are not used
    opponent_score = np.where(has_finished, finished_score, states.score[opponent_state])
    columns = [states.score[mover] * grain, opponent_score * grain]
    if problem.rules.bust_costs:
        opponent_busts = np.where(has_finished, 0, states.busts[opponent_state])
        columns += [states.busts[mover], opponent_busts]
    return np.stack(columns, axis=1)


def _names_with_offer(problem: PushWinProblem) -> Ints:
    """Return the names of the states in which the mover may take over the opponent's turn, (offers, numbers)."""
    race = problem.model
    states = problem.states
    grain = problem.rules.grain
    numbers = np.arange(race.lines, race.state_count)  # these states are numbered behind those without an offer
    mover, opponent_score, offered_points, offered_dice = race.decode_offers(numbers)
    columns = [states.score[mover] * grain, opponent_score * grain]
    if problem.rules.bust_costs:  # the opponent, who has just banked, has no busts in a row
        columns += [states.busts[mover], np.zeros_like(mover)]
    columns += [offered_points * grain, offered_dice]
    return np.stack(columns, axis=1)
