"""Answers inside a turn of a game by the round: the options that lie open, valued by what every score is worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..advice import Choice
from ..core.push import LANES
from ..games.rounds import Inside, RoundTurn
from ..turns.push import Doubles, pad

Floats = NDArray[np.float64]


def solve_lanes(rules: RoundTurn, worth: Floats) -> Doubles:
    """Value of the turn: ``worth`` (channels, scores 0 .. most, lanes) → (channels, lanes)."""
    channels, scores, lanes = worth.shape
    payoff = np.zeros((channels, scores + 2, pad(lanes)))
    payoff[:, 1 : scores + 1, :lanes] = worth
    cap = np.full(pad(lanes), scores, dtype=np.int32)
    return rules.turn.solve(payoff, cap).value[:, :lanes]


def turn_rounding(rules: RoundTurn) -> float:
    """Largest relative error of a turn's value through rounding: one sum for each throw, each class two roundings."""
    most = max(len(throw.classes) for mode in rules.turn.modes for throw in mode.throws)
    throws = 1 + max(len(rules.turn.modes).bit_length(), 4)
    return throws * (2 * most + 2) * 2.0**-53


def choices(rules: RoundTurn, worth: Sequence[float] | Floats, inside: Inside | None) -> list[Choice]:
    """List the open options with their values, where the scores 0 .. most are worth ``worth``."""
    lane = np.asarray(worth, dtype=float)[None, :, None]
    scores = lane.shape[1]
    payoff = np.zeros((1, scores + 2, LANES))
    payoff[:, 1 : scores + 1] = lane
    solved = rules.turn.solve(payoff, np.full(LANES, scores, dtype=np.int32), inner=True)
    assert solved.inner is not None
    before = solved.inner[0, :, 0, 0]
    if inside is None:
        return [Choice("throw the dice", (), 0, 0, "roll", float(before[rules.turn.start]))]
    found = []
    for option in inside.options:
        if isinstance(option.move, int):
            value, points, then = float(worth[option.move]), option.move, "bank"
        else:
            value, points, then = float(before[rules.situations[option.move]]), 0, "roll"
        found.append(Choice(option.words, option.keep, points, option.dice_left, then, value))
    return found


def best(found: Sequence[Choice]) -> float:
    """The value of the best choice."""
    return max(choice.value for choice in found)
