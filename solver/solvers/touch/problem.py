"""Problems of Booby Trap: ``win`` and ``margin``, and alone ``reach`` with few trips.

Every player maximizes their own payoff. The result for three and more players is an equilibrium: nobody gains more than
twice the error bound by any other policy (``regret``). For one and two players the whole board is solved when somebody
asks, because that takes less time than reading its table. For more players only what can follow a position is solved.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ...games.booby_trap import TouchRules
from ...play.touch import Left, Play, TouchPosition
from ...util.errors import InputError
from ..cost_estimates import SolveCost
from ..problem import (
    ArraySpec,
    OddsSensitivity,
    PartialValueTable,
    PositionListing,
    Problem,
    Progress,
    SeatValues,
    ValueTable,
)
from .listing import list_board_positions
from .model import SIZES, BoardTable, Floats, Ints, OddsArrays, rounding_bound
from .multiplayer import MultiplayerBoards
from .score_axis import ScoreAxisBoards

CELL_SECONDS = 1.2e-8  # for each line of scores, seat, size, feel and pass
SEED = 1  # of the draws
MAX_DRAWS = 10_000


class TouchProblem(Problem[TouchPosition]):
    """Base of the problems of Booby Trap.

    Values of the table are payoffs p; a seat gets ``payoff_scale * (p + payoff_offset)``. So for two players payoffs
    add up to 0, as the kernel needs it.
    """

    playable: Play
    payoff_offset, payoff_scale = 0.0, 1.0

    def __init__(self, playable: Play) -> None:
        super().__init__(playable)
        self.rules: TouchRules = playable.rules
        self.solves_on_demand = self.players > 2
        self.is_quick = not self.solves_on_demand
        self._boards = lru_cache(maxsize=2)(self._make_boards)  # questions about one position come in succession

    @abstractmethod
    def terminal_payoffs(self, scores: Ints) -> Floats:
        """Return the payoffs of every player for scores at the end: (.., players)."""

    @abstractmethod
    def max_payoff(self, score_range: int, pieces: int) -> float:
        """Return the largest payoff, in size, if scores lie so far apart and so many pieces are left."""

    # --- solving

    @cached_property
    def whole_board(self) -> BoardTable:
        """The table of the whole board."""
        if self.solves_on_demand:
            return self._boards_from(self.playable.start())
        return ScoreAxisBoards(self.rules, self.terminal_payoffs)

    def _make_boards(self, left: Left, score_range: int) -> MultiplayerBoards:
        return MultiplayerBoards(self.rules, self.terminal_payoffs, left, score_range)

    def _boards_from(self, position: TouchPosition) -> MultiplayerBoards:
        """Return the boards of three and more players that can follow a position."""
        return self._boards(position.left, score_range(position))

    def _boards_of(self, solved: ValueTable) -> BoardTable:
        """Return the boards whose values a table holds."""
        return self._boards_from(solved.position) if isinstance(solved, PartialValueTable) else self.whole_board

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve the whole board: the array ``after`` (see ``ScoreAxisBoards`` and ``MultiplayerBoards``).

        Three and more players also get ``regret`` (1,).
        """
        if self.solves_on_demand:
            return self.solve_from(self.playable.start(), threads, progress)
        return ValueTable({"after": self.whole_board.solve(threads, progress)}, self._bound(self.playable.start()))

    def solve_from(self, position: TouchPosition, threads: int, progress: Progress) -> ValueTable:
        """Solve what can follow a position."""
        bound = self._bound(position)
        after = self._boards_from(position).solve(threads, progress)
        return PartialValueTable({"after": after, "regret": np.array([2 * bound])}, bound, position)

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound."""
        return ValueTable({}, self._bound(self.playable.start()))

    def covers(self, solved: ValueTable, position: TouchPosition) -> bool:
        """Return whether a table has the board and scores of a position."""
        return "after" in solved.arrays and self._boards_of(solved).has_board(position.left, score_range(position))

    def covers_from(self, start: TouchPosition, position: TouchPosition) -> bool:
        """Return whether the boards that can follow the start include a position."""
        return self._boards_from(start).has_board(position.left, score_range(position))

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost of the whole board."""
        if self.solves_on_demand:
            return self.estimate_cost_from(self.playable.start(), threads)
        return super().estimate_cost(threads)

    def estimate_cost_from(self, position: TouchPosition, threads: int) -> SolveCost:
        """Estimate the cost from the number of lines of scores on all boards."""
        values = self._boards_from(position).count * self.players
        steps = (self.rules.limit + 2) * SIZES * len(self.rules.odds.feels)
        return SolveCost(8.0 * values, CELL_SECONDS * values * steps / threads)

    def _bound(self, position: TouchPosition) -> float:
        """Return the error bound of the values of all that can follow a position."""
        return (
            rounding_bound(self.rules) * self.max_payoff(score_range(position), sum(position.left)) * self.payoff_scale
        )

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the array ``after``; three and more players also have ``regret``."""
        limit = self.max_payoff(0, sum(self.rules.board)) * (1 + 2.0**-30)
        shape = self.whole_board.shape
        if self.solves_on_demand:
            return {"after": ArraySpec(shape, -limit, limit, seat_axis=-1), "regret": ArraySpec((1,), 0, limit)}
        return {"after": ArraySpec(shape, -limit if self.players == 2 else 0, limit)}

    # --- values of positions

    def seat_values(self, solved: ValueTable, positions: Sequence[TouchPosition]) -> SeatValues:
        """Return the values of positions for every seat, with their error bounds."""
        values = self._values(self._boards_of(solved), solved.arrays["after"], positions)
        return SeatValues(values, np.full(len(positions), solved.error_bound))

    def _values(self, boards: BoardTable, table: Floats, positions: Sequence[TouchPosition]) -> Floats:
        values, unfinished = np.empty((len(positions), self.players)), list[int]()
        for index, position in enumerate(positions):
            if position.ended:
                values[index] = [float(share) for share in position.ended]
            else:
                unfinished.append(index)
        if unfinished:
            payoffs = boards.position_values(table, [positions[index] for index in unfinished])
            values[unfinished] = self.payoff_scale * (payoffs + self.payoff_offset)
        return values

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[TouchPosition]:
        """List the positions of one and two players on all boards, or on the one whose pieces ``left`` are given.

        Otherwise list only the position that is given.
        """
        if self.solves_on_demand or ("left" in told and {"score", "opponents", "trips"} & told.keys()):
            return super().list_positions(told)
        board = self.playable.read(left=told["left"]).left if "left" in told else None
        return list_board_positions(self.rules, board)

    # --- odds that are estimates

    def validate_draws(self, draws: int) -> None:
        """Raise InputError if odds cannot be drawn so many times from counts."""
        if self.solves_on_demand:
            super().validate_draws(draws)
        if self.rules.odds.counts is None:
            raise InputError(
                f"the odds ({self.rules.odds.name}) tell no counts to draw from; keepwise odds writes a file that does"
            )
        if not 1 <= draws <= MAX_DRAWS:
            raise InputError(f"draws must lie between 1 and {MAX_DRAWS:,}, not {draws}")

    def odds_sensitivity(
        self, position: TouchPosition, action: str, draws: int, progress: Progress = lambda done: None
    ) -> OddsSensitivity:
        """Return the losses of an action over seeded draws of the odds from the posterior that their counts leave.

        Feels have a Dirichlet distribution, trips a beta distribution, both with half a count added to each outcome.
        """
        generator = np.random.Generator(np.random.PCG64(SEED))
        successors = {action: position}
        if self.playable.stage(position) == "choose":
            successors = {choice.action: choice.after for choice in self.playable.choices(position)}
        place = position.trips if self.players == 1 else position.score - position.opponents[0]
        losses = []
        for draw in range(draws):
            boards = ScoreAxisBoards(
                self.rules, self.terminal_payoffs, position.left, place, self._draw_odds(generator)
            )
            table = boards.solve(1, lambda done: None)
            values = self._values(boards, table, list(successors.values()))[:, position.seat]
            losses.append(float(values.max() - values[list(successors).index(action)]))
            progress((draw + 1) / draws)
        best_draws = sum(loss <= 2 * self._bound(self.playable.start()) for loss in losses)
        return OddsSensitivity(action, draws, best_draws, float(np.mean(losses)), float(max(losses)), SEED)

    def _draw_odds(self, generator: np.random.Generator) -> OddsArrays:
        counts = np.array(self.rules.odds.counts, dtype=np.float64)  # (sizes, feels, touched taken tripped)
        chance = np.array([generator.dirichlet(row) for row in counts[:, :, 0] + 0.5])
        trip = generator.beta(counts[:, :, 2] + 0.5, counts[:, :, 1] - counts[:, :, 2] + 0.5)
        return OddsArrays(chance, trip, 1 - trip)


class TouchWinProblem(TouchProblem):
    """Probability of winning, shared in a tie; two players' payoffs are 1 for a win, 0 for a tie, -1 for a loss."""

    player_range = (2, 6)

    def __init__(self, playable: Play) -> None:
        super().__init__(playable)
        if self.players == 2:
            self.payoff_offset, self.payoff_scale = 1.0, 0.5

    def terminal_payoffs(self, scores: Ints) -> Floats:
        """Return equal shares for the best scores."""
        is_best = scores == scores.max(axis=-1, keepdims=True)
        shares = is_best / is_best.sum(axis=-1, keepdims=True)
        payoffs: Floats = shares / self.payoff_scale - self.payoff_offset
        return payoffs

    def max_payoff(self, score_range: int, pieces: int) -> float:
        """Return 1, the payoff of a win."""
        return 1.0


class TouchMarginProblem(TouchProblem):
    """Expected margin: every loser pays one for each point that the best score is ahead."""

    player_range = (2, 6)

    def terminal_payoffs(self, scores: Ints) -> Floats:
        """Return minus the points behind for losers; the best scores share what the losers pay."""
        behind = scores.max(axis=-1, keepdims=True) - scores
        is_best = behind == 0
        share = behind.sum(axis=-1, keepdims=True) / is_best.sum(axis=-1, keepdims=True)
        payoffs: Floats = np.where(is_best, share, -behind.astype(float))
        return payoffs

    def max_payoff(self, score_range: int, pieces: int) -> float:
        """Return the payoff if all others are as far behind as they can be."""
        return float((self.players - 1) * (score_range + max(*self.rules.points, self.rules.penalty) * pieces))


class TouchReachProblem(TouchProblem):
    """Probability of taking all pieces but one with no more trips than allowed, alone."""

    def terminal_payoffs(self, scores: Ints) -> Floats:
        """Return 1 for no more trips than allowed, else 0."""
        return (scores <= self.rules.trips).astype(np.float64)

    def max_payoff(self, score_range: int, pieces: int) -> float:
        """Return 1, the largest probability."""
        return 1.0


def score_range(position: TouchPosition) -> int:
    """Return the difference between the largest and the smallest score."""
    return max(position.scores, default=0) - min(position.scores, default=0)
