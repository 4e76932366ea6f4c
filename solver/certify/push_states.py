"""Names of the states that the compiled push-your-luck solvers number."""

from __future__ import annotations

import numpy as np

from ..solvers.push.race_problems import PushTableProblem, PushWinProblem
from .whole_turn import Ints


def push_state_names(problem: PushTableProblem) -> Ints:
    """Return the names of all states of a problem, (states, numbers).

    A name lists the scores from the mover on, the busts in a row, and the turns left. The turn points and dice of a
    takeover offer follow. Parts that the rules do not need are left out.

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
    """Return the names of the states of a two-player race, (states, numbers).

    Without an offer a state is numbered ``mover * width + opponent``, in states of one player. Numbers of the opponent
    from the number n of such states on are totals past the target, in a last round: n + k is the target + k. Takeover
    offers are numbered behind all of these.
    """
    race = problem.model
    states = problem.states
    grain = problem.rules.grain
    has_costs = bool(problem.rules.bust_costs)
    numbers = np.arange(race.state_count)
    mover, opponent = np.divmod(numbers[: race.lines], race.width)
    # One more state, a point short of the target, stands for all opponents past it: they have 1, 2, .. points more.
    score = np.append(states.score, states.target - 1) * grain
    busts = np.append(states.busts, 0)
    points_past_target = np.maximum(opponent + 1 - len(states), 0)
    opponent = np.minimum(opponent, len(states))
    columns = [score[mover], score[opponent] + points_past_target * grain]
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
