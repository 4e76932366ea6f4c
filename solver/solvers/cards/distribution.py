"""Distribution of a card's final total if the expected points are maximized.

Forward recursion: P[s, u, t] is the probability of the state s with the upper total u and t points scored since the
start. The best turn of each state moves it on to the states that follow. Among boxes and keeps that tie, the one that
advice lists first is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.keep import LANES
from ...games.card_rules import Card
from ...play.scorecard import Scorecard
from ...turns.keep_turn import Doubles, Longs
from ...util.progress_reporting import ProgressCallback
from ..distribution import Distribution
from .model import CardStates


class DistributionSolver:
    """Forward recursion over the states of a card, for the distribution of its final points.

    The probability of a state is kept by upper total and by the points scored since the start.

    Args:
        card: the rules of the card.
        states: its states: used categories and the flag of the Yahtzee box.
        points: (states, width) the expected points still to come, by upper total.
        tie: the largest difference of values that tie, in points.
    """

    def __init__(self, card: Card, states: CardStates, points: Doubles, tie: float) -> None:
        """Store the card and its values.

        Args:
            card: the rules of the card.
            states: its states: used categories and the flag of the Yahtzee box.
            points: (states, width) the expected points still to come, by upper total.
            tie: the largest difference of values that tie, in points.
        """
        self.card = card
        self.states = states
        self.points = points
        self.tie = tie

    def solve(self, own: Scorecard, progress: ProgressCallback) -> Distribution:
        """Compute the distribution of the final points of a card, points scored included.

        Args:
            own: the card as it is filled at the start.
            progress: called with the fraction that is done.
        """
        card = self.card
        start = self.states.state_index(own.used, own.flag)
        # By state after the turns played so far, (upper totals, points scored since the start): the probability of this
        # state with this upper total and these points.
        current: dict[int, Doubles] = {start: np.zeros((len(card.bonuses), 1))}
        current[start][own.upper, 0] = 1.0
        open_boxes = len(card.categories) - own.used.bit_count()
        boxes_per_turn = card.boxes
        turn_count = open_boxes // boxes_per_turn
        for turns_played in range(turn_count):
            following: dict[int, Doubles] = {}  # as ``current``, after one turn more
            state_count = len(current)
            for states_done, state in enumerate(sorted(current)):
                probabilities = current.pop(state)  # frees the memory
                self._play_turn(state, probabilities, following)
                progress((turns_played + states_done / state_count) / turn_count)
            current = following
        full_cards = list(current.values())
        return Distribution.from_probabilities(self._final_points(own.score, full_cards))

    def _final_points(self, score: int, full_cards: Sequence[Doubles]) -> dict[int, float]:
        """Return the probabilities of final points, with the bonus.

        Args:
            score: the points scored before the start.
            full_cards: for each state of full cards, its probability by upper total and points scored since the start.
        """
        chances: dict[int, float] = {}  # by final points
        for probabilities in full_cards:
            for upper, by_gained_points in enumerate(probabilities):
                bonus = int(self.card.bonuses[upper])
                for gained_points in np.flatnonzero(by_gained_points).tolist():
                    final_points = score + gained_points + bonus
                    chances[final_points] = chances.get(final_points, 0.0) + float(by_gained_points[gained_points])
        return chances

    def _play_turn(self, state: int, probabilities: Doubles, following: dict[int, Doubles]) -> None:
        """Move the probabilities of a state on by one turn, with the best dice kept and the best option taken.

        Args:
            state: the index of the state.
            probabilities: (upper totals, points) the probability of the state with each upper total and each number of
                points scored since the start.
            following: by state, the probabilities of the states after the turn, to which those of this turn are added.
        """
        card = self.card
        options = self.states.entry_options
        uppers = np.flatnonzero(probabilities.any(axis=1))  # the upper totals with a positive probability
        roll_chances = self._final_roll_probabilities(state, uppers)  # (uppers, full rolls)
        best_option = self._best_options(state, uppers)  # (uppers, full rolls)
        max_upper = len(probabilities) - 1  # larger upper totals count as this one
        for option in self._options_of(state):
            column = int(options.column[option])
            next_state = int(options.row[option])
            scores = card.scores[column]  # by full roll
            option_chances: Doubles = np.where(best_option == option, roll_chances, 0.0)  # (uppers, full rolls)
            is_roll_chosen = (option_chances > 0).any(axis=0)
            for score in np.unique(scores[is_roll_chosen]).tolist():
                # Rolls that score alike in a column also move the upper total alike.
                has_score = scores == score  # by full roll
                upper_gain = int(card.upper_gains[column, np.flatnonzero(has_score)[0]])
                score_chance = option_chances[:, has_score].sum(axis=1)  # by upper total
                moved = score_chance[:, None] * probabilities[uppers]  # (uppers, points before the turn)
                uppers_after = np.minimum(uppers + upper_gain, max_upper)
                so_far = following.get(next_state)  # None if nothing has been moved there yet
                following[next_state] = _add_moved(so_far, moved, uppers_after, score, len(probabilities))

    def _options_of(self, state: int) -> range:
        """Return the indices of the options of a state."""
        option_start = self.states.entry_options.option_start
        return range(int(option_start[state]), int(option_start[state + 1]))

    def _final_roll_probabilities(self, state: int, uppers: Longs) -> Doubles:
        """Return the probability of each final roll of a turn in which the best dice are kept: (uppers, full rolls).

        Among keeps that tie, the one that advice lists first is made.

        Args:
            state: the state in which the turn begins.
            uppers: (uppers,) the upper totals at the start of the turn, rising.
        """
        turn = self.card.turn
        # Upper totals are lanes: total u is lane u % LANES of the block that begins at total u - u % LANES.
        block_starts, block_of_upper = np.unique(uppers // LANES * LANES, return_inverse=True)
        option_sets = np.full(len(block_starts), state)  # the option set of a state has its index
        solved = turn.solve(self.points, self.states.entry_options, option_sets, block_starts, inner=True)
        lane_of_upper = uppers % LANES
        probabilities = []  # by upper total, (full rolls,)
        for block, lane in zip(block_of_upper.tolist(), lane_of_upper.tolist(), strict=True):
            probabilities.append(turn.ending_probabilities(solved, block, lane, self.tie))
        return np.array(probabilities)

    def _best_options(self, state: int, uppers: Longs) -> Longs:
        """Return the option that is taken with every final roll: (uppers, full rolls).

        Of options that tie it is the one with the most points, and of these the first.

        Args:
            state: the state in which the turn begins.
            uppers: (uppers,) the upper totals at the start of the turn.
        """
        options = self._options_of(state)
        shape = (len(uppers), len(self.card.lattice.weight))  # (uppers, full rolls)
        # First the best value of any option, then the option with the most points among those that tie with it.
        best_value = np.full(shape, -np.inf)
        for option in options:
            rolls, value = self._option_values(option, uppers)
            best_value[:, rolls] = np.maximum(best_value[:, rolls], value)
        max_score = np.full(shape, -1)  # below every score, which is at least 0
        best_option = np.zeros(shape, dtype=np.int64)
        for option in options:
            rolls, value = self._option_values(option, uppers)
            score = self.card.scores[self.states.entry_options.column[option], rolls]
            is_tied = value >= best_value[:, rolls] - self.tie
            is_better = is_tied & (score > max_score[:, rolls])
            max_score[:, rolls] = np.where(is_better, score, max_score[:, rolls])
            best_option[:, rolls] = np.where(is_better, option, best_option[:, rolls])
        return best_option

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
        # A roll gains its points, shifts the upper total, and leads to the expected points of the next state.
        max_upper = self.points.shape[1] - 1
        upper_after = np.minimum(uppers[:, None] + turn.shift[column, rolls], max_upper)  # (uppers, rolls)
        return rolls, turn.gain[column, rolls] + self.points[next_state][upper_after]


def _add_moved(so_far: Doubles | None, moved: Doubles, uppers_after: Longs, score: int, rows: int) -> Doubles:
    """Return the probabilities of a state with those added that a score moves there; ``so_far`` may be changed.

    Args:
        so_far: (rows, points) the probabilities so far, by upper total and points; None if there are none.
        moved: (uppers, points before the turn) the probabilities that are moved.
        uppers_after: (uppers,) the upper total after the turn; several may be equal.
        score: the points of the turn.
        rows: the number of upper totals.
    """
    points_after = slice(score, score + moved.shape[1])
    wide_table = _widened(so_far, rows, points_after.stop)
    np.add.at(wide_table[:, points_after], uppers_after, moved)  # adds to a row again if it is named again
    return wide_table


def _widened(table: Doubles | None, rows: int, width: int) -> Doubles:
    """Return a table with columns of zeros added, so that it has at least ``width`` columns.

    Args:
        table: the table so far; None if there is none.
        rows: the number of rows.
        width: the smallest number of columns.
    """
    if table is None:
        return np.zeros((rows, width))
    if table.shape[1] < width:
        new_columns = np.zeros((rows, width - table.shape[1]))
        return np.concatenate((table, new_columns), axis=1)
    return table
