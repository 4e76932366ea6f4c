"""Distribution of a card's final total if the expected points are maximized.

Forward recursion: P[s, u, t] is the probability of the state s with the upper total u and t points scored since the
start. The best turn of each state moves it on to the states that follow. Among boxes and keeps that tie, the one that
advice lists first is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...core.keep import LANES
from ...games.card_rules import Card
from ...play.scorecard import Filled
from ...turns.keep_turn import Doubles, Longs
from ..distribution import Distribution
from .model import CardStates


class DistributionSolver:
    """Forward recursion over the states of a card.

    Args:
        card: the rules of the card.
        states: its states.
        points: (states, width) the expected points still to come, by upper total.
        tie: the largest difference of values that tie.
    """

    def __init__(self, card: Card, states: CardStates, points: Doubles, tie: float) -> None:
        self.card = card
        self.states = states
        self.points = points
        self.tie = tie

    def solve(self, own: Filled, progress: Callable[[float], None]) -> Distribution:
        """Compute the distribution of the final points of a card, points scored included.

        Args:
            own: the card as it is filled at the start.
            progress: called with the fraction that is done.
        """
        card = self.card
        start = self.states.state_index(own.used, own.flag)
        # P of the states after equally many turns: by state, (upper totals, points scored since the start). P is the
        # probability of a state with an upper total and so many points.
        current: dict[int, Doubles] = {start: np.zeros((len(card.bonuses), 1))}
        current[start][own.upper, 0] = 1.0
        open_boxes = len(card.categories) - own.used.bit_count()
        turns = open_boxes // card.boxes
        for turn in range(turns):
            following: dict[int, Doubles] = {}
            state_count = len(current)
            for index, state in enumerate(sorted(current)):
                self._play_turn(state, current.pop(state), following)
                progress((turn + index / state_count) / turns)
            current = following
        return Distribution.from_probabilities(self._final_points(own.score, list(current.values())))

    def _final_points(self, score: int, full_cards: Sequence[Doubles]) -> dict[int, float]:
        """Return the probabilities of final points, with the bonus.

        Args:
            score: the points scored before the start.
            full_cards: for each state of full cards, its probability by upper total and points scored since the start.
        """
        chances: dict[int, float] = {}
        for probabilities in full_cards:
            for upper, by_total in enumerate(probabilities):
                for total in np.flatnonzero(by_total).tolist():
                    points = score + total + int(self.card.bonuses[upper])
                    chances[points] = chances.get(points, 0.0) + float(by_total[total])
        return chances

    def _play_turn(self, state: int, probabilities: Doubles, following: dict[int, Doubles]) -> None:
        """Move the probabilities of a state on by one turn, with the best dice kept and the best option taken.

        Args:
            state: the index of the state.
            probabilities: (upper totals, totals) the probability of the state with each upper total and each number of
                points scored since the start.
            following: by state, the probabilities of the states after the turn, to which those of this turn are added.
        """
        card = self.card
        options = self.states.entry_options
        uppers = np.flatnonzero(probabilities.any(axis=1))  # the upper totals that can occur
        roll_chances = self._final_roll_probabilities(state, uppers)
        choice = self._best_options(state, uppers)
        max_upper = len(probabilities) - 1
        for option in range(int(options.option_start[state]), int(options.option_start[state + 1])):
            column = int(options.column[option])
            next_state = int(options.row[option])
            points = card.scores[column]  # by full roll
            chosen: Doubles = np.where(choice == option, roll_chances, 0.0)  # (uppers, full rolls)
            for score in np.unique(points[(chosen > 0).any(axis=0)]).tolist():
                # Rolls that score alike in a column also move the upper total alike.
                scores_so = points == score
                upper_gain = int(card.shifts[column, np.flatnonzero(scores_so)[0]])
                chance = chosen[:, scores_so].sum(axis=1)
                moved = chance[:, None] * probabilities[uppers]
                totals = slice(score, score + moved.shape[1])
                table = _widened(following.get(next_state), len(probabilities), totals.stop)
                upper_after = np.minimum(uppers + upper_gain, max_upper)
                np.add.at(table[:, totals], upper_after, moved)  # several upper totals may lead to one
                following[next_state] = table

    def _final_roll_probabilities(self, state: int, uppers: Longs) -> Doubles:
        """Return the probabilities of the rolls that end a turn with the best keeps: (uppers, full rolls).

        Args:
            state: the state in which the turn begins.
            uppers: (uppers,) the upper totals at the start of the turn, rising.
        """
        turn = self.card.turn
        # Every upper total is a lane of the block that begins at the multiple of LANES below it.
        block_starts = np.unique(uppers // LANES) * LANES
        option_sets = np.full(len(block_starts), state)
        solved = turn.solve(self.points, self.states.entry_options, option_sets, block_starts, inner=True)
        lanes = uppers % LANES
        blocks = np.searchsorted(block_starts, uppers - lanes)
        return np.array(
            [
                turn.ending_probabilities(solved, block, lane, self.tie)
                for block, lane in zip(blocks.tolist(), lanes.tolist(), strict=True)
            ]
        )

    def _best_options(self, state: int, uppers: Longs) -> Longs:
        """Return the option that is taken with every final roll: (uppers, full rolls).

        Of options that tie it is the one with the most points, and of these the first.

        Args:
            state: the state in which the turn begins.
            uppers: (uppers,) the upper totals at the start of the turn.
        """
        options = self.states.entry_options
        indices = range(int(options.option_start[state]), int(options.option_start[state + 1]))
        shape = (len(uppers), len(self.card.lattice.weight))
        # First the best value of any option, then the option with the most points among those that tie with it.
        best = np.full(shape, -np.inf)
        for option in indices:
            rolls, value = self._option_values(option, uppers)
            best[:, rolls] = np.maximum(best[:, rolls], value)
        max_score = np.full(shape, -1)
        choice = np.zeros(shape, dtype=np.int64)
        for option in indices:
            rolls, value = self._option_values(option, uppers)
            score = self.card.scores[options.column[option], rolls]
            is_tied = value >= best[:, rolls] - self.tie
            is_taken = is_tied & (score > max_score[:, rolls])
            max_score[:, rolls] = np.where(is_taken, score, max_score[:, rolls])
            choice[:, rolls][is_taken] = option
        return choice

    def _option_values(self, option: int, uppers: Longs) -> tuple[slice, Doubles]:
        """Return the full rolls that an option is for, and its values (uppers, these rolls).

        Args:
            option: the index of the option.
            uppers: (uppers,) the upper totals at the start of the turn.
        """
        options = self.states.entry_options
        turn = self.card.turn
        column = int(options.column[option])
        next_state = int(options.row[option])
        rolls = slice(int(options.first_roll[option]), int(options.end_roll[option]))
        max_upper = self.points.shape[1] - 1
        upper_after = np.minimum(uppers[:, None] + turn.shift[column, rolls], max_upper)
        return rolls, turn.gain[column, rolls] + self.points[next_state][upper_after]


def _widened(table: Doubles | None, rows: int, width: int) -> Doubles:
    """Return a table with at least ``width`` columns.

    Args:
        table: the table so far; None if there is none.
        rows: the number of rows.
        width: the smallest number of columns. New columns hold zeros.
    """
    if table is None:
        return np.zeros((rows, width))
    if table.shape[1] < width:
        new_columns = np.zeros((rows, width - table.shape[1]))
        return np.concatenate((table, new_columns), axis=1)
    return table
