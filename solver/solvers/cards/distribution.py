"""Distribution of a card's final total if the expected points are maximized.

Forward recursion: P[s, u, t] is the probability of the state s with the upper total u and t points scored since the
start. The best turn of each state moves it on to the states that follow. Among boxes and keeps that tie, the one that
advice lists first is taken.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...core.keep import LANES
from ...games.cards import Card
from ...play.filled import Filled
from ...turns.keep_turn import Doubles, Longs
from ..distribution import Distribution
from .model import CardStates


class DistributionSolver:
    """Forward recursion over the states of a card.

    Args:
        card: the rules of the card.
        states: its states.
        points: (states, width) the expected points still to come.
        tie: the largest difference of values that tie.
    """

    def __init__(self, card: Card, states: CardStates, points: Doubles, tie: float) -> None:
        self.card, self.states, self.points, self.tie = card, states, points, tie

    def solve(self, own: Filled, progress: Callable[[float], None]) -> Distribution:
        """Return the distribution of the final points of a card filled as ``own``, points scored included."""
        card = self.card
        start = self.states.state_index(own.used, own.flag)
        current: dict[int, Doubles] = {start: np.zeros((len(card.bonuses), 1))}  # by state, (upper totals, totals)
        current[start][own.upper, 0] = 1.0
        turns = (len(card.categories) - own.used.bit_count()) // card.boxes
        for turn in range(turns):
            following: dict[int, Doubles] = {}
            for index, state in enumerate(sorted(current)):
                self._play_turn(state, current.pop(state), following)
                progress((turn + index / (len(current) + index + 1)) / turns)
            current = following
        chances: dict[int, float] = {}
        for probabilities in current.values():
            for upper, row in enumerate(probabilities):
                for total in np.flatnonzero(row).tolist():
                    points = own.score + total + int(card.bonuses[upper])
                    chances[points] = chances.get(points, 0.0) + float(row[total])
        return Distribution.from_probabilities(chances)

    def _play_turn(self, state: int, probabilities: Doubles, following: dict[int, Doubles]) -> None:
        """Play the best turn of a state: add its probabilities (upper totals, totals) to the states after it."""
        card, options = self.card, self.states.entry_options
        uppers = np.flatnonzero(probabilities.any(axis=1))
        roll_chances = self._final_roll_probabilities(state, uppers)
        choice = self._best_options(state, uppers)
        for option in range(int(options.option_start[state]), int(options.option_start[state + 1])):
            column, row = int(options.column[option]), int(options.row[option])
            points = card.scores[column]
            chosen: NDArray[np.float64] = np.where(choice == option, roll_chances, 0.0)
            for score in np.unique(points[(chosen > 0).any(axis=0)]).tolist():
                chance = chosen[:, points == score].sum(axis=1)
                shift = int(card.shifts[column, np.flatnonzero(points == score)[0]])
                moved = chance[:, None] * probabilities[uppers]
                table = _widened(following.get(row), len(probabilities), moved.shape[1] + score)
                upper_after = np.minimum(uppers + shift, len(probabilities) - 1)
                np.add.at(table[:, score : score + moved.shape[1]], upper_after, moved)
                following[row] = table

    def _final_roll_probabilities(self, state: int, uppers: Longs) -> Doubles:
        """Return the probabilities (uppers, full rolls) of the rolls that end a turn with the best keeps."""
        turn = self.card.turn
        blocks = np.unique(uppers // LANES) * LANES
        solved = turn.solve(self.points, self.states.entry_options, np.full(len(blocks), state), blocks, inner=True)
        block = np.searchsorted(blocks, uppers // LANES * LANES).tolist()
        lane = (uppers % LANES).tolist()
        return np.array([turn.ending_probabilities(solved, *at, self.tie) for at in zip(block, lane, strict=True)])

    def _best_options(self, state: int, uppers: Longs) -> Longs:
        """Return the option taken (uppers, full rolls): of options that tie, the first one with the most points."""
        options, turn = self.states.entry_options, self.card.turn
        indices = range(int(options.option_start[state]), int(options.option_start[state + 1]))
        last = self.points.shape[1] - 1

        def value_of(option: int) -> tuple[slice, Doubles]:
            """Return the full rolls that an option is for, and its values (uppers, those rolls)."""
            column, row = int(options.column[option]), int(options.row[option])
            rolls = slice(int(options.first_roll[option]), int(options.end_roll[option]))
            upper_after = np.minimum(uppers[:, None] + turn.shift[column, rolls], last)
            return rolls, turn.gain[column, rolls] + self.points[row][upper_after]

        shape = len(uppers), len(self.card.lattice.weight)
        best = np.full(shape, -np.inf)
        for option in indices:
            rolls, value = value_of(option)
            best[:, rolls] = np.maximum(best[:, rolls], value)
        max_score, choice = np.full(shape, -1), np.zeros(shape, dtype=np.int64)
        for option in indices:
            rolls, value = value_of(option)
            score = self.card.scores[options.column[option], rolls]
            is_better = (value >= best[:, rolls] - self.tie) & (score > max_score[:, rolls])
            max_score[:, rolls] = np.where(is_better, score, max_score[:, rolls])
            choice[:, rolls][is_better] = option
        return choice


def _widened(table: Doubles | None, rows: int, width: int) -> Doubles:
    """Return a table with at least ``width`` columns; new columns hold zeros."""
    if table is None:
        return np.zeros((rows, width))
    if table.shape[1] < width:
        return np.concatenate((table, np.zeros((rows, width - table.shape[1]))), axis=1)
    return table
