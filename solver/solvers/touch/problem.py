"""Problems of Booby Trap: ``win`` and ``margin``, and alone ``reach`` with few trips.

Every player maximizes their own payoff. The result for three and more players is an equilibrium: nobody gains more than
twice the error bound by any other policy (``regret``). For one and two players the whole board is solved when somebody
asks, because that takes less time than reading its table. For more players only what can follow a position is solved.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...games.booby_trap import TouchRules
from ...play.playable_game import Choice
from ...play.touch import PiecesLeft, TouchGame, TouchPosition
from ...util.errors import InputError, argument
from ...util.progress_reporting import ProgressCallback
from ..problem import ArraySpec, OddsSensitivity, PartialValueTable, PositionListing, Problem, SeatValues, ValueTable
from ..solve_costs import SolveCost
from .listing import list_board_positions
from .model import SIZES, BoardTable, Floats, Ints, OddsArrays, rounding_bound
from .multiplayer import MultiplayerBoards
from .score_axis import ScoreAxisBoards

STEP_SECONDS = 1.2e-8  # measured: one step of numpy in ``TouchTurns``, for one lane and seat; see estimate_cost_from
SEED = 1  # of the draws of odds
MAX_DRAWS = 10_000
HALF_COUNT = 0.5  # added to every count: Jeffreys' prior of odds of which nothing is known yet
VALUE_BYTES = 8.0  # of one value in a table
BOUND_MARGIN = 1 + 2.0**-30  # rounding may exceed the largest payoff
RECENT_BOARDS = 2  # of three and more players, kept because questions about one position come in succession


class TouchProblem(Problem[TouchPosition]):
    """Base of the problems of Booby Trap.

    Values of the table are payoffs p; a seat gets ``payoff_scale * (p + payoff_offset)``. So for two players payoffs
    add up to 0, as the kernel needs it.

    Args:
        playable: the game as people play it.

    Attributes:
        rules: the rules of the game, for this number of players.
        payoff_offset, payoff_scale: the numbers that turn payoffs into values, as above.
        solves_on_demand: True for three and more players, whose boards are solved when a position asks for them.
        is_quick: True for one and two players: the kernel solves the whole board faster than a table is loaded.
        whole_board: the boards that can follow from the start.
        _recent_boards: by the pieces left and the range of the scores, the boards that were made last.
    """

    playable: TouchGame
    payoff_offset = 0.0
    payoff_scale = 1.0

    def __init__(self, playable: TouchGame) -> None:
        """Store the rules, and by the number of players whether the whole board is solved at once."""
        super().__init__(playable)
        self.rules: TouchRules = playable.rules
        self.solves_on_demand = self.players > 2
        self.is_quick = not self.solves_on_demand
        # By the pieces left and the range of the scores.
        self._recent_boards = dict[tuple[PiecesLeft, int], MultiplayerBoards]()

    @abstractmethod
    def terminal_payoffs(self, scores: Ints) -> Floats:
        """Return the payoffs of every player at the end of the game.

        Args:
            scores: (.., players) the scores at the end, from the mover on (alone: the trips).

        Returns:
            (.., players)
        """

    @abstractmethod
    def max_payoff(self, score_range: int, pieces: int) -> float:
        """Return the largest payoff, in size, that can follow.

        Args:
            score_range: the largest score minus the smallest.
            pieces: the number of pieces left.
        """

    # --- solving

    @cached_property
    def whole_board(self) -> BoardTable:
        """The boards that can follow from the start, whose values the table of the whole game holds."""
        if self.solves_on_demand:
            return self._boards_from(self.playable.start())
        return ScoreAxisBoards(self.rules, self.terminal_payoffs)

    def _boards_from(self, position: TouchPosition) -> MultiplayerBoards:
        """Return the boards of three and more players that can follow a position; the most recent are kept."""
        left_and_range = (position.left, score_range(position))
        boards = self._recent_boards.get(left_and_range)
        if boards is None:
            boards = MultiplayerBoards(self.rules, self.terminal_payoffs, *left_and_range)
            oldest_first = [*self._recent_boards.items(), (left_and_range, boards)]
            self._recent_boards = dict(oldest_first[-RECENT_BOARDS:])
        return boards

    def _boards_of(self, value_table: ValueTable) -> BoardTable:
        """Return the boards whose values a value table holds."""
        if isinstance(value_table, PartialValueTable):
            return self._boards_from(value_table.position)
        return self.whole_board

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve the whole board.

        Args:
            threads: number of threads.
            progress: called with the fraction that is done.

        Returns:
            The array ``after``, the table of ``ScoreAxisBoards`` or ``MultiplayerBoards``. Three and more players also
            get ``regret`` (1,), the most that anybody can gain by leaving the policies.
        """
        start = self.playable.start()
        if self.solves_on_demand:
            return self.solve_from(start, threads, progress)
        table = self.whole_board.solve(threads, progress)
        return ValueTable({"after": table}, self._bound(start))

    def solve_from(self, position: TouchPosition, threads: int, progress: ProgressCallback) -> ValueTable:
        """Solve what can follow a position of three and more players: the arrays ``after`` and ``regret``."""
        bound = self._bound(position)
        table = self._boards_from(position).solve(threads, progress)
        # The stored value and the best response are each within the bound, so a gain is within twice the bound.
        regret = np.array([2 * bound])
        return PartialValueTable({"after": table, "regret": regret}, bound, position)

    def empty_table(self) -> ValueTable:
        """Return a table without arrays, with the error bound."""
        return ValueTable({}, self._bound(self.playable.start()))

    def covers(self, value_table: ValueTable, position: TouchPosition) -> bool:
        """Return whether a table has the board and scores of a position."""
        if "after" not in value_table.arrays:
            return False
        return self._boards_of(value_table).has_board(position.left, score_range(position))

    def covers_from(self, start: TouchPosition, position: TouchPosition) -> bool:
        """Return whether the boards that can follow the start include a position."""
        return self._boards_from(start).has_board(position.left, score_range(position))

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate the cost of the whole board."""
        if self.solves_on_demand:
            return self.estimate_cost_from(self.playable.start(), threads)
        return super().estimate_cost(threads)

    def estimate_cost_from(self, position: TouchPosition, threads: int) -> SolveCost:
        """Estimate the cost of what can follow a position, from the number of values and the steps that each takes.

        The table has a value for each lane (board with scores) and seat. A value takes one step for each size and feel
        to value the take, and one for each size, feel and number of passes in a row to value the touch.

        Args:
            position: a position of three and more players.
            threads: number of threads.
        """
        values = self._boards_from(position).count * self.players
        pass_counts = self.rules.max_passes + 1  # from no pass in a row up to the limit
        sizes_and_feels = SIZES * len(self.rules.odds.feels)
        steps = (pass_counts + 1) * sizes_and_feels
        return SolveCost(bytes=VALUE_BYTES * values, seconds=STEP_SECONDS * values * steps / threads)

    def _bound(self, position: TouchPosition) -> float:
        """Return the error bound of the values of all that can follow a position."""
        max_payoff = self.max_payoff(score_range(position), sum(position.left))
        return rounding_bound(self.rules) * max_payoff * self.payoff_scale

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the shape and the range of the array ``after``, the payoffs; from three players on also ``regret``.

        The lowest and highest possible payoffs are those of a game from the start, when all scores are 0.
        """
        max_payoff = self.max_payoff(0, sum(self.rules.board)) * BOUND_MARGIN
        shape = self.whole_board.shape
        if self.players > 2:
            after = ArraySpec(shape, -max_payoff, max_payoff, seat_axis=-1)
            return {"after": after, "regret": ArraySpec((1,), 0, max_payoff)}
        min_payoff = -max_payoff if self.players == 2 else 0  # alone payoffs are probabilities
        return {"after": ArraySpec(shape, min_payoff, max_payoff)}

    # --- values of positions

    def seat_values(self, value_table: ValueTable, positions: Sequence[TouchPosition]) -> SeatValues:
        """Return the values of positions for every seat, with their error bounds."""
        values = self._values(self._boards_of(value_table), value_table.arrays["after"], positions)
        return SeatValues(values, np.full(len(positions), value_table.error_bound))

    def _values(self, boards: BoardTable, table: Floats, positions: Sequence[TouchPosition]) -> Floats:
        """Return the values (positions, seats) of any positions, those in which the game is over included.

        Args:
            boards: the boards whose values the table holds.
            table: the payoffs, as ``BoardTable.solve`` returns them.
            positions: any positions on these boards.
        """
        values = np.empty((len(positions), self.players))
        unfinished_indices = list[int]()
        for index, position in enumerate(positions):
            if position.ended:  # the final values of the seats; () while the game goes on
                values[index] = [float(value) for value in position.ended]
            else:
                unfinished_indices.append(index)
        if unfinished_indices:
            payoffs = boards.position_values(table, [positions[index] for index in unfinished_indices])
            values[unfinished_indices] = self.payoff_scale * (payoffs + self.payoff_offset)
        return values

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[TouchPosition]:
        """List positions of one and two players: on all boards, on one board, or a single position.

        For three and more players the fields describe a single position.

        Args:
            fields: field values by name. Without ``left`` all boards are listed, and with ``left`` alone one board. If
                scores or trips are given too, only that position is listed.
        """
        if self.solves_on_demand:
            return super().list_positions(fields)
        if "left" not in fields:
            return list_board_positions(self.rules, None)
        is_single_position = bool({"score", "opponents", "trips"} & fields.keys())
        if is_single_position:
            return super().list_positions(fields)
        board = self.playable.position(left=fields["left"]).left
        return list_board_positions(self.rules, board)

    # --- odds that are estimates

    def validate_draws(self, draws: int) -> None:
        """Raise InputError if odds cannot be drawn so many times from counts."""
        if self.solves_on_demand:
            super().validate_draws(draws)  # raises, since odds are drawn for one and two players only
        if self.rules.odds.counts is None:
            raise InputError(
                f"--draws requires odds with counts, but the odds ({self.rules.odds.name}) have none; keepwise odds"
                " writes a file with counts"
            )
        if not 1 <= draws <= MAX_DRAWS:
            raise InputError(f"{argument('draws')} must be between 1 and {MAX_DRAWS:,}, not {draws}")

    def odds_sensitivity(
        self,
        position: TouchPosition,
        choice: Choice[Any],
        draws: int,
        progress: ProgressCallback = lambda fraction: None,
    ) -> OddsSensitivity:
        """Compute how much a choice loses if the odds are other than estimated.

        The odds are drawn again and again from the posterior distribution that their counts leave (see ``_draw_odds``).
        For every draw the game is solved and the choice is compared with the best one. The draws are seeded.

        Args:
            position: a position of one or two players.
            choice: a choice in the position.
            draws: the number of draws.
            progress: called with the fraction that is done.
        """
        generator = np.random.Generator(np.random.PCG64(SEED))
        next_positions, chosen_index = self._positions_after_choices(position, choice)
        lead_or_trips = position.trips if self.players == 1 else position.score - position.opponents[0]
        losses = []  # by draw
        for draw in range(draws):
            odds = self._draw_odds(generator)
            boards = ScoreAxisBoards(self.rules, self.terminal_payoffs, position.left, lead_or_trips, odds)
            table = boards.solve(threads=1, progress=lambda fraction: None)
            values = self._values(boards, table, next_positions)[:, position.seat]  # to the mover, by choice
            losses.append(float(values.max() - values[chosen_index]))
            progress((draw + 1) / draws)
        # The error bounds of the two values compared. The bound counts roundings of the whole board, whatever the odds.
        max_tied_loss = 2 * self._bound(self.playable.start())
        best_count = sum(loss <= max_tied_loss for loss in losses)  # of draws in which the choice is best
        return OddsSensitivity(choice.action, draws, best_count, float(np.mean(losses)), float(max(losses)), SEED)

    def _positions_after_choices(self, position: TouchPosition, choice: Choice[Any]) -> tuple[list[TouchPosition], int]:
        """Return the position after each choice, and the index of one choice.

        If there is nothing to choose, it is the position itself, with index 0: a single way to go on never loses.

        Args:
            position: the position in which the choice is made.
            choice: the choice that is looked for, by its meaning.
        """
        if self.playable.stage(position) != "choose":
            return [position], 0
        choices = list(self.playable.choices(position))
        chosen_index = [offered.meaning for offered in choices].index(choice.meaning)
        return [offered.after for offered in choices], chosen_index

    def _draw_odds(self, generator: np.random.Generator) -> OddsArrays:
        """Draw odds from the posterior distribution that their counts leave.

        The feels of a size have a Dirichlet distribution, and trips a beta distribution. Half a count is added to each
        outcome: Jeffreys' prior, which says that nothing else is known.
        """
        counts = np.array(self.rules.odds.counts, dtype=np.float64)  # (sizes, feels, 3)
        touch_count, take_count, trip_count = np.moveaxis(counts, -1, 0)  # of pieces: (sizes, feels) each
        hold_count = take_count - trip_count
        feel_chance = np.array([generator.dirichlet(counts_by_feel) for counts_by_feel in touch_count + HALF_COUNT])
        trip_chance = generator.beta(trip_count + HALF_COUNT, hold_count + HALF_COUNT)
        return OddsArrays(feel_chance, trip_chance, hold_chance=1 - trip_chance)


class TouchWinProblem(TouchProblem):
    """Probability of winning, shared in a tie; two players' payoffs are 1 for a win, 0 for a tie, -1 for a loss."""

    player_range = (2, 6)

    def __init__(self, playable: TouchGame) -> None:
        super().__init__(playable)
        if self.players == 2:
            # Payoffs from -1 to 1 add up to 0; (payoff + 1) / 2 is the probability.
            self.payoff_offset = 1.0
            self.payoff_scale = 0.5

    def terminal_payoffs(self, scores: Ints) -> Floats:
        """Return the payoffs (.., players) by which the players with the best score share the win equally.

        A payoff p stands for the probability ``payoff_scale`` * (p + ``payoff_offset``). So p is the probability /
        ``payoff_scale`` - ``payoff_offset``.

        Args:
            scores: (.., players) the scores at the end.
        """
        is_best = scores == scores.max(axis=-1, keepdims=True)
        win_probabilities = is_best / is_best.sum(axis=-1, keepdims=True)
        payoffs: Floats = win_probabilities / self.payoff_scale - self.payoff_offset
        return payoffs

    def max_payoff(self, score_range: int, pieces: int) -> float:
        """Return 1, the payoff of a win."""
        return 1.0


class TouchMarginProblem(TouchProblem):
    """Expected margin: every loser pays one for each point that the best score is ahead."""

    player_range = (2, 6)

    def terminal_payoffs(self, scores: Ints) -> Floats:
        """Return the margins (.., players): losers pay their deficit, and the players with the best score share it.

        Args:
            scores: (.., players) the scores at the end.
        """
        deficits = scores.max(axis=-1, keepdims=True) - scores  # behind the best score
        is_best = deficits == 0
        paid_to_winner = deficits.sum(axis=-1, keepdims=True) / is_best.sum(axis=-1, keepdims=True)
        payoffs: Floats = np.where(is_best, paid_to_winner, -deficits.astype(float))
        return payoffs

    def max_payoff(self, score_range: int, pieces: int) -> float:
        """Return the payoff of a winner if all others are as far behind as they can be.

        Args:
            score_range: the largest score minus the smallest.
            pieces: the number of pieces left. Each can widen the range by its points or by the penalty.
        """
        max_gain = max(*self.rules.points, self.rules.penalty)
        max_deficit = score_range + max_gain * pieces
        return float((self.players - 1) * max_deficit)


class TouchReachProblem(TouchProblem):
    """Probability of taking all pieces but one with no more trips than allowed, alone."""

    def terminal_payoffs(self, scores: Ints) -> Floats:
        """Return 1 for no more trips than allowed, else 0: (.., 1).

        Args:
            scores: (.., 1) the numbers of trips at the end.
        """
        return (scores <= self.rules.trips).astype(np.float64)

    def max_payoff(self, score_range: int, pieces: int) -> float:
        """Return 1, the largest probability."""
        return 1.0


def score_range(position: TouchPosition) -> int:
    """Return the difference between the largest and the smallest score of a position; 0 in a solitaire."""
    return max(position.scores, default=0) - min(position.scores, default=0)
