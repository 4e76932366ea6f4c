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
    turns can be taken over, the points and the dice of the offer come last; both are 0 if there is none.

    Without an offer a state is numbered ``mover * width + opponent``, by the own states of both players. There are n
    own states. In a last round the opponent may have a number from n on: n + k is a total of the target + k. States
    with a takeover offer are numbered behind all of these.
    """
    race = problem.model
    states = problem.states
    grain = problem.rules.grain
    has_costs = bool(problem.rules.bust_costs)
    numbers = np.arange(race.state_count)
    mover, opponent = np.divmod(numbers[: race.lines], race.width)
    # One more own state, number n with a score of one unit (the grain) less than the target, stands for all opponents
    # who have finished. Opponent n + k has k + 1 units more than it: the target + k.
    score = np.append(states.score, states.target - 1) * grain
    busts = np.append(states.busts, 0)
    points_beyond_last_state = np.maximum(opponent + 1 - len(states), 0)
    opponent = np.minimum(opponent, len(states))
    columns = [score[mover], score[opponent] + points_beyond_last_state * grain]
    if has_costs:
        columns += [busts[mover], busts[opponent]]
    if not race.dice:
        return np.stack(columns, axis=1)
    no_offer = np.zeros_like(mover)
    columns += [no_offer, no_offer]
    offer_mover, opponent_total, offered_points, offered_dice = race.decode_offers(numbers[race.lines :])
    offer_columns = [score[offer_mover], opponent_total * grain]
    if has_costs:  # who has just banked has no busts in a row
        offer_columns += [busts[offer_mover], np.zeros_like(offer_mover)]
    offer_columns += [offered_points * grain, offered_dice]
    return np.hstack([columns, offer_columns]).T
