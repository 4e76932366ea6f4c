"""Names of the states that the compiled push-your-luck solvers number."""

from __future__ import annotations

import numpy as np

from ..solvers.push.race_problems import PushTableProblem, PushWinProblem
from .whole_turn import Ints


def push_state_names(problem: PushTableProblem) -> Ints:
    """Return the names of all states of a problem, (states, numbers).

    A name lists the scores from the mover on, the busts in a row, and the turns left. The turn points and dice of a
    takeover offer follow. Parts that the rules do not need are left out.
    """
    if isinstance(problem, PushWinProblem):
        return _race_state_names(problem)
    states, numbers = problem.states, np.arange(problem.model.state_count)
    own = numbers % len(states)
    columns = [states.score[own] * problem.rules.grain]
    columns += [states.busts[own]] if problem.rules.costs else []
    columns += [numbers // len(states)] if problem.objective == "reach" else []
    return np.stack(columns, axis=1)


def _race_state_names(problem: PushWinProblem) -> Ints:
    """Return the names of the states of a two-player race.

    Opponents who have reached the target of a last round are numbered behind all others. Takeover offers are numbered
    behind the pairs of states without an offer.
    """
    race, states, grain, has_costs = problem.model, problem.states, problem.rules.grain, bool(problem.rules.costs)
    score = np.append(states.score, states.target - 1) * grain
    busts = np.append(states.busts, 0)
    numbers = np.arange(race.state_count)
    mover, opponent = np.divmod(numbers[: race.lines], race.width)
    past_target = np.maximum(opponent + 1 - len(states), 0)
    opponent = np.minimum(opponent, len(states))
    columns = [score[mover], score[opponent] + past_target * grain]
    columns += [busts[mover], busts[opponent]] if has_costs else []
    if not race.dice:
        return np.stack(columns, axis=1)
    no_offer = np.zeros_like(mover)
    mover, total, points, dice = race.decode_offers(numbers[race.lines :])
    offer_columns = [score[mover], total * grain]
    offer_columns += [busts[mover], 0 * mover] if has_costs else []
    offer_columns += [points * grain, dice]
    return np.hstack([[*columns, no_offer, no_offer], offer_columns]).T
