"""The distribution of a card's total when it is filled for the most expected points.

Forward through the card: the chance of every (state, upper total, total so far), pushed on through the turn that is
best there. Among boxes and keeps that advice shows as ties, the one that it lists first is taken.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.cards import Card
from ...play.filled import Filled
from ...turns.keep_turn import Doubles
from ..distribution import Distribution
from .model import CardStates


def total_distribution(
    card: Card, worth: Doubles, tie: float, states: CardStates, own: Filled, progress: Callable[[float], None]
) -> Distribution:
    """Return the distribution of the points of a card that is filled so far, those that it holds included.

    ``worth`` (states, width) are the solved points of all states; what is worth the best less ``tie`` ties.
    """
    uppers = len(card.bonuses)
    start = states.number(own.used, own.flag)
    here: dict[int, Doubles] = {start: np.zeros((uppers, 1))}
    here[start][own.upper, 0] = 1.0
    left = (len(card.categories) - own.used.bit_count()) // card.boxes
    for turn in range(left):
        after: dict[int, Doubles] = {}
        for number, state in enumerate(sorted(here)):
            _push(card, worth, tie, states, state, here.pop(state), after)
            progress((turn + number / (len(here) + number + 1)) / left)
        here = after
    chances: dict[int, float] = {}
    for held in here.values():
        for upper, row in enumerate(held):
            for total in np.flatnonzero(row).tolist():
                points = own.score + total + int(card.bonuses[upper])
                chances[points] = chances.get(points, 0.0) + float(row[total])
    return Distribution.of(chances)


def _push(
    card: Card,
    worth: Doubles,
    tie: float,
    states: CardStates,
    state: int,
    held: Doubles,
    after: dict[int, Doubles],
) -> None:
    """Play the best turn of one state: ``held`` (upper totals, totals) moves on to the states after it."""
    problems, turn = states.problems, card.turn
    lanes = np.flatnonzero(held.any(axis=1))
    blocks = np.unique(lanes // LANES) * LANES
    solved = turn.solve(worth, problems, np.full(len(blocks), state), blocks, inner=True)
    ends = np.array(
        [
            turn.ending_probabilities(solved, int(np.searchsorted(blocks, u // LANES * LANES)), int(u % LANES), tie)
            for u in lanes
        ]
    )
    options = range(int(problems.start[state]), int(problems.start[state + 1]))
    last = worth.shape[1] - 1

    def entered(option: int) -> tuple[slice, Doubles]:
        column, row = int(problems.column[option]), int(problems.row[option])
        throws = slice(int(problems.first[option]), int(problems.last[option]))
        to = np.minimum(lanes[:, None] + turn.shift[column, throws], last)
        return throws, turn.gain[column, throws] + worth[row][to]

    best = np.full(ends.shape, -np.inf)
    for option in options:
        throws, value = entered(option)
        best[:, throws] = np.maximum(best[:, throws], value)
    most, chosen = np.full(ends.shape, -1), np.zeros(ends.shape, dtype=np.int64)
    for option in options:
        throws, value = entered(option)
        points = card.scores[problems.column[option], throws]
        first = (value >= best[:, throws] - tie) & (points > most[:, throws])
        most[:, throws] = np.where(first, points, most[:, throws])
        chosen[:, throws][first] = option
    for option in options:
        column, row = int(problems.column[option]), int(problems.row[option])
        points = card.scores[column]
        share: NDArray[np.float64] = np.where(chosen == option, ends, 0.0)
        for score in np.unique(points[(share > 0).any(axis=0)]).tolist():
            chance = share[:, points == score].sum(axis=1)
            moved = int(card.shifts[column, np.flatnonzero(points == score)[0]])
            _add(after, row, held, lanes, chance, moved, score)


def _add(
    after: dict[int, Doubles],
    row: int,
    held: Doubles,
    lanes: NDArray[np.int64],
    chance: Doubles,
    moved: int,
    score: int,
) -> None:
    uppers, width = held.shape
    table = after.get(row, np.zeros((uppers, 0)))
    if table.shape[1] < width + score:
        table = np.concatenate((table, np.zeros((uppers, width + score - table.shape[1]))), axis=1)
        after[row] = table
    to = np.minimum(lanes + moved, uppers - 1)
    np.add.at(table[:, score : score + width], to, chance[:, None] * held[lanes])
