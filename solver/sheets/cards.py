"""The sheet of a card: what each category is worth keeping open for, and what playing by those pars costs.

A par is what an open category adds to the points still to come, on average: the least-squares fit of every state's
value by the sum over its open categories. Playing by pars means: enter where the points less the par are most, and
keep the dice that promise most of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..advice import cost, worth
from ..core.keep import LANES
from ..errors import InputError
from ..matches.card import Points
from ..turns.keep import Doubles
from . import Sheet, Table, facts

if TYPE_CHECKING:
    from ..solution import Solution


def make(solution: Solution, progress: Callable[[float], None]) -> Sheet:
    """Return the sheet, for the most points."""
    match: Any = solution.match
    if not isinstance(match, Points):
        raise InputError(f"a card's sheet is made for points, not for {match.objective}: --objective points")
    card = match.card
    values = solution.solved.arrays["points"]
    par = pars(match, values)
    by_par = by_pars(match, par, progress)
    value, optimal = float(by_par[match.states.number(0, 0), 0]), float(values[match.states.number(0, 0), 0])
    most = card.part_scores.max(axis=1)
    rows = [
        (name, str(int(most[number])), f"{par[number]:.1f}")
        for number, name in sorted(enumerate(card.names), key=lambda pair: -par[pair[0]])
    ]
    lines = [
        "Enter a throw where its points less the category's par are most: above par is a gain, below it a loss.",
        "Keep the dice that promise the most of that.",
    ]
    if card.boxes > 1:
        lines[0] = f"Split the dice where the points less the pars of the {card.boxes} categories are most."
    if card.upper_mask:
        lines.append("The pars of the upper categories count what they add to the chance of the bonus.")
    told = (
        f"Playing by these pars: {worth(value, 'points')}; perfectly: {worth(optimal, 'points')}."
        f" The sheet costs {cost(optimal - value, 'points')} (exactly {optimal - value:.3g}, within"
        f" {2 * solution.error_bound:.1g}), if the dice are kept as well as can be for the pars.",
    )
    table = Table("Pars", ("category", "most", "par"), tuple(rows))
    return Sheet(f"{solution.game.title}: a sheet to play by", facts(solution), tuple(lines), (table,), told)


def pars(match: Points, values: Doubles) -> Doubles:
    """The par of every category: the least-squares fit of the states' values, at the least upper total."""
    card, states = match.card, match.states
    open_ = 1 - (states.sets[:, None] >> np.arange(len(card.names)) & 1)
    some = (states.flags == 0) & (states.sets != card.full)
    fitted, *_ = np.linalg.lstsq(open_[some].astype(float), values[some, 0], rcond=None)
    return np.asarray(fitted, dtype=np.float64)


def by_pars(match: Points, par: Doubles, progress: Callable[[float], None]) -> Doubles:
    """Points still to come by state and upper total for somebody who plays by pars: channel 0 decides, 1 counts."""
    card, states = match.card, match.states
    (shape,) = match.shapes().values()
    worth_ = np.zeros((2, *shape))
    open_ = 1 - (states.sets[:, None] >> np.arange(len(card.names)) & 1)
    worth_[0] = (open_ @ par)[:, None]
    if card.upper_mask:
        worth_[1, states.sets == card.full, card.bonus_at :] = card.bonus
    for layer in states.layers():
        state, lane = states.blocks(layer)
        value = card.turn.solve(worth_, states.problems, state, lane).value[:, 1]
        worth_[1, state[:, None], lane[:, None] + np.arange(LANES)] = value
        if card.upper_mask:
            worth_[1, layer, card.bonus_at :] = worth_[1, layer, card.bonus_at, None]
        progress(1 - int(states.sizes[layer[0]]) / len(card.categories))
    return np.asarray(worth_[1])
