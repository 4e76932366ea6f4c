"""An opponent who fills a card for the most expected points, whatever others do.

Their final total has a distribution, which follows from their card alone: that of the solved policy for points, with
its documented order among ties. It gives the probability that a total ends above theirs.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from ...games import Game
from ...play import playable as make_playable
from ...play.card import CardGame
from ...play.scorecard import Scorecard
from ...turns.keep_turn import Doubles
from ...util.progress_reporting import ProgressCallback
from ..distribution import Distribution
from ..rounding_bounds import UNIT_ROUNDOFF
from ..solve_costs import SolveCost
from .distribution import DistributionSolver
from .model import CardStates
from .points import CardPointsProblem

MAX_TAIL = 1e-9  # the probability of the highest totals that are counted as one, so that fewer totals are solved
OPPONENTS_REMEMBERED = 32  # by ``points_opponent``
ROW_SECONDS = 2.0e-4  # measured: following one state with one upper total


class PointsAfter(CardPointsProblem):
    """Expected points of the states that can follow a card; all others are left out.

    Attributes:
        own: the card as it is filled at the start.
    """

    def __init__(self, playable: CardGame, own: Scorecard) -> None:
        """Store the game and the card from which on states are solved.

        Args:
            playable: the game as it is played.
            own: the card as it is filled at the start.
        """
        super().__init__(playable)
        self.own = own

    @cached_property
    def states(self) -> CardStates:
        """The states between turns that can follow the card."""
        return CardStates(self.card, self.own.used, self.own.flag)


class PointsOpponent:
    """An opponent who plays for the most points from a card on; everything is computed when it is first read.

    Args:
        game: the game.
        own: the opponent's card as it is filled.

    Attributes:
        _problem: the problem of filling that card alone for the most points.
        _distribution: of the final total, once it is computed.
        is_solved, max_total: whether the distribution is computed; a total that the opponent cannot exceed.
    """

    def __init__(self, game: Game, own: Scorecard) -> None:
        """Store the game and the card."""
        self.game = game
        self.own = own
        playable = make_playable(game, 1, objective="points")
        assert isinstance(playable, CardGame)
        self._problem = PointsAfter(playable, own)
        self._distribution: Distribution | None = None

    @property
    def is_solved(self) -> bool:
        """Return whether the distribution is known already."""
        return self._distribution is not None

    @property
    def max_total(self) -> int:
        """A total that the opponent cannot exceed."""
        card = self._problem.card
        own = self.own
        open_boxes = [box for box in range(len(card.categories)) if not own.used >> box & 1]
        # With every category used, all points that rules such as the joker allow are possible.
        max_points = [max(card.possible_points(box, card.full_mask)) for box in open_boxes]
        max_total = own.score + sum(max_points)
        if card.upper_mask:
            max_total += int(card.bonuses[-1])  # the bonus of the highest upper total
        if card.again_bonus:
            # A Yahtzee after the first gives a bonus if the Yahtzee box holds its points, or can still get them.
            is_yahtzee_box_open = not own.used & card.mask_of([card.again_category])
            if own.flag or is_yahtzee_box_open:
                max_total += card.again_bonus * len(open_boxes)
        return max_total

    def estimate_cost(self) -> SolveCost:
        """Estimate the cost of the distribution: the time for one row, a state with an upper total, times the rows."""
        if self.is_solved:
            return SolveCost(bytes=0.0, seconds=0.0)
        card = self._problem.card
        uppers_by_set = card.upper_totals_from(self.own.used & card.upper_mask, self.own.upper)
        upper_sets = self._problem.states.sets & card.upper_mask  # one entry for each state, so sets repeat
        rows = sum(len(uppers_by_set[used]) for used in upper_sets.tolist())
        return SolveCost(bytes=0.0, seconds=rows * ROW_SECONDS)

    def solve(self, progress: ProgressCallback = lambda fraction: None) -> Distribution:
        """Return the distribution of the opponent's final total.

        Args:
            progress: called with the fraction that is done.
        """
        if self._distribution is None:
            problem = self._problem
            solved = problem.solve(1, lambda fraction: None)
            max_tied_difference = 2 * solved.error_bound  # the error bounds of the two values compared
            solver = DistributionSolver(problem.card, problem.states, solved.arrays["points"], max_tied_difference)
            self._distribution = solver.solve(self.own, progress)
        return self._distribution

    @cached_property
    def chances_to_beat(self) -> Doubles:
        """By a player's total t from 0 on, P(X < t) + P(X = t) / 2, where X is the opponent's total: (totals,).

        The last entry is 1, and holds for all larger totals too. It stands at the least total that X reaches or exceeds
        with a probability of at most ``MAX_TAIL``.
        """
        distribution = self.solve()
        max_total = distribution.totals[-1]
        # By t from 0 to one more than X can be:
        equal_probability = np.zeros(max_total + 2)  # P(X = t)
        equal_probability[np.array(distribution.totals)] = np.array(distribution.chances, dtype=float)
        less_probability = np.cumsum(equal_probability) - equal_probability  # P(X < t), rounded within ``error_bound``
        to_beat: Doubles = np.minimum(less_probability + equal_probability / 2, 1.0)
        at_least_probability = np.cumsum(equal_probability[::-1])[::-1]  # P(X >= t), which is 0 for the last t
        top_total = int(np.argmax(at_least_probability <= MAX_TAIL))  # the first such t
        return np.append(to_beat[:top_total], 1.0)

    @property
    def error_bound(self) -> float:
        """The bound of the errors of ``chances_to_beat``: rounding, and the highest totals that are counted as one.

        All sums have positive terms. So the relative error is at most the unit roundoff times the largest number of
        operations that follow each other.
        """
        card = self._problem.card
        open_count = len(card.categories) - self.own.used.bit_count()
        turn_count = open_count // card.boxes + 1  # one more, as a reserve
        # A turn has a sum over all full rolls for each of its rolls, with a product and an addition for each term. Its
        # outcomes are then added up: at most one for each column and upper total.
        terms_per_turn = len(card.lattice.weight) * card.throws
        operations_per_turn = 2 * terms_per_turn + len(card.scores) * card.upper_base
        # The sums over totals, from below and from above, have at most so many terms each.
        operations = turn_count * operations_per_turn + 2 * self.max_total
        return MAX_TAIL + operations * UNIT_ROUNDOFF


@lru_cache(maxsize=OPPONENTS_REMEMBERED)
def points_opponent(game: Game, own: Scorecard) -> PointsOpponent:
    """Return the opponent who has a card, and remember the last ones, because a position is asked about repeatedly.

    Args:
        game: the game.
        own: the opponent's card as it is filled.
    """
    return PointsOpponent(game, own)
