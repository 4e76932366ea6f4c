"""Booby Trap: two players for the win or the margin, one player for few trips.

The whole board is solved when a question is asked: that takes less time than to read its table from a file.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...games.booby_trap import TouchRules
from ...ground.errors import InputError
from ...play.touch import Left, Play, TouchPosition
from ..contract import Across, Array, Listing, Match, Solved, Worth, by_seat
from .turn import Node, TouchBoard, rounding

Floats = NDArray[np.float64]

SEED = 1  # of the draws
MOST_DRAWS = 10_000


class Payoffs:
    """What positions of a solved board are worth to the player to move; ``after`` is what its solve returned."""

    def __init__(self, board: TouchBoard, after: Floats) -> None:
        self.board, self.after = board, after
        self.sign = 1 if board.rules.players == 1 else -1  # what is worth 1 to a player is worth so much to the next
        self._last: tuple[Left, Node] | None = None

    def node(self, left: Left) -> Node:
        """The values with so many pieces left; the last ones are kept, for positions are asked about board by board."""
        if self._last is None or self._last[0] != left:
            self._last = (left, self.board.node(self.after, left))
        return self._last[1]

    def payoff(self, position: TouchPosition) -> float:
        """Payoff before a piece is touched, before it is felt, or before it is taken."""
        place = position.trips if self.sign > 0 else position.scores[position.seat] - position.scores[1 - position.seat]
        size, passes, there = position.size, position.passes, self.board.origin + self.sign * place
        if size is None and not passes:
            return self.sign * float(self.after[(*position.left, there)]) + 0.0  # no zero has a minus
        node, here = self.node(position.left), self.board.origin + place
        if size is None:
            return float(node.run[passes, here])
        if position.taking:
            return float(node.take[size, position.feel, here])
        values = node.take[size, :, here]
        if passes < self.board.rules.limit:
            values = np.maximum(values, self.sign * node.run[passes + 1, there])
        payoff = 0.0
        for chance, value in zip(self.board.chance[size].tolist(), values.tolist(), strict=True):
            payoff += chance * value
        return payoff


class BoardMatch(Match[TouchPosition]):
    """What the objectives of a touch game share: the board, and what positions of it are worth."""

    table: Play
    quick = True

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules: TouchRules = table.rules
        self.board = TouchBoard(self.rules)
        self._payoffs: Payoffs | None = None

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve the whole board: ``after`` (large + 1, medium + 1, small + 1, places), to the player who moved."""
        return Solved({"after": self.board.solve(self.end(self.board.places))}, self.bound)

    @abstractmethod
    def end(self, places: NDArray[np.int64]) -> Floats:
        """What the end of the game is worth at each place, to the player who has just moved."""

    @property
    def bound(self) -> float:
        """The error bound."""
        return rounding(self.rules)

    @abstractmethod
    def range(self) -> tuple[int, int]:
        """The least and the greatest payoff."""

    @abstractmethod
    def by_seat(self, mover: int, payoff: float) -> list[float]:
        """What every seat gets where a position has this payoff to the player to move."""

    def arrays(self) -> dict[str, Array]:
        """The board."""
        return {"after": Array(self.board.shape, *self.range())}

    def worth(self, solved: Solved, positions: Sequence[TouchPosition]) -> Worth:
        """Worth of positions: read from the table where a turn begins without passes, else board by board."""
        if self._payoffs is None or self._payoffs.after is not solved.arrays["after"]:
            self._payoffs = Payoffs(self.board, solved.arrays["after"])
        found = [self._seats(self._payoffs, position) for position in positions]
        bounds = np.full(len(positions), solved.error_bound)
        return Worth(np.array(found).reshape(len(positions), self.players), bounds)

    def _seats(self, payoffs: Payoffs, position: TouchPosition) -> list[float]:
        if position.ended:
            return [float(share) for share in position.ended]
        return self.by_seat(position.seat, payoffs.payoff(position))

    # --- what rows list

    def positions(self, told: Mapping[str, Any]) -> Listing[TouchPosition]:
        """Every board with every lead (alone: trips) and number of passes; where ``left`` is told, that board; where
        scores or trips are told too, that position.
        """
        rules = self.rules
        if "left" in told and {"score", "opponents", "trips"} & told.keys():
            return super().positions(told)
        if "left" in told:
            boards = [self.table.read(left=told["left"]).left]
        else:
            down = (range(count, -1, -1) for count in rules.board)
            boards = [
                (one, two, three) for one, two, three in product(*down) if rules.goes_on((one, two, three), rules.board)
            ]
        count = sum(self._places(left) for left in boards) * (rules.limit + 1)
        listed = (
            TouchPosition(left, scores, trips, passes=passes)
            for left in boards
            for places in (list(self._told(left)),)
            for passes in range(rules.limit + 1)
            for scores, trips in places
        )
        return Listing(count, listed)

    def _gone(self, left: Left) -> Left:
        large, medium, small = (most - count for most, count in zip(self.rules.board, left, strict=True))
        return large, medium, small

    @abstractmethod
    def _places(self, left: Left) -> int:
        """How many places there can be at most."""

    @abstractmethod
    def _told(self, left: Left) -> Iterator[tuple[tuple[int, ...], int]]:
        """Scores and trips that show each place."""

    # --- odds that are estimates

    def check_draws(self, draws: int) -> None:
        """Refuse odds without counts, and numbers of draws that nobody waits for."""
        if self.rules.odds.counts is None:
            raise InputError(
                f"the odds ({self.rules.odds.name}) tell no counts to draw from; keepwise odds writes a file that does"
            )
        if not 1 <= draws <= MOST_DRAWS:
            raise InputError(f"draws must lie between 1 and {MOST_DRAWS:,}, not {draws}")

    def across(
        self, position: TouchPosition, action: str, draws: int, progress: Callable[[float], None] = lambda done: None
    ) -> Across:
        """Say how an action fares over seeded draws of the odds from what their counts leave open.

        Feels are drawn from a Dirichlet, trips from a beta distribution, both with half a count added to each outcome.
        """
        counts = np.array(self.rules.odds.counts, dtype=np.float64)  # (sizes, feels, touched taken tripped)
        generator = np.random.Generator(np.random.PCG64(SEED))
        afters = {action: position}
        if self.table.stage(position) == "choose":
            afters = {choice.action: choice.after for choice in self.table.choices(position)}
        place = position.trips if self.players == 1 else position.score - position.opponents[0]
        losses = []
        for done in range(draws):
            chance = np.array([generator.dirichlet(row) for row in counts[:, :, 0] + 0.5])
            trip = generator.beta(counts[:, :, 2] + 0.5, counts[:, :, 1] - counts[:, :, 2] + 0.5)
            board = TouchBoard(self.rules, position.left, place, chance, trip)
            drawn = Payoffs(board, board.solve(self.end(board.places)))
            values = {words: self._seats(drawn, after)[position.seat] for words, after in afters.items()}
            losses.append(max(values.values()) - values[action])
            progress((done + 1) / draws)
        held = sum(loss <= 2 * self.bound for loss in losses)
        return Across(action, draws, held, float(np.mean(losses)), float(max(losses)), SEED)


class Win(BoardMatch):
    """Two players; the chance to win, shared where they tie."""

    seats = (2, 2)

    def end(self, places: NDArray[np.int64]) -> Floats:
        """Payoffs are 1 for a win, 0 for a tie, -1 for a loss."""
        return np.sign(places).astype(np.float64)

    @property
    def bound(self) -> float:
        """Half that of the payoffs."""
        return rounding(self.rules) / 2

    def range(self) -> tuple[int, int]:
        """From a loss to a win."""
        return -1, 1

    def by_seat(self, mover: int, payoff: float) -> list[float]:
        """Chances."""
        return by_seat(mover, [(1 + payoff) / 2, (1 - payoff) / 2])

    def _places(self, left: Left) -> int:
        return 2 * max(*self.rules.points, self.rules.penalty) * sum(self._gone(left)) + 1

    def _told(self, left: Left) -> Iterator[tuple[tuple[int, ...], int]]:
        """Every lead that can be, with the scores nearest to none that show it."""
        pairs, reach = score_pairs(self.rules, self._gone(left))
        for lead in range(-reach, reach + 1):
            for mine in sorted(range(max(-reach, lead - reach), min(reach, lead + reach) + 1), key=abs):
                theirs = mine - lead
                if pairs >> ((mine + reach) * (2 * reach + 1) + theirs + reach) & 1:
                    yield (mine, theirs), 0
                    break


class Margin(Win):
    """Two players; the expected difference of the scores at the end."""

    def end(self, places: NDArray[np.int64]) -> Floats:
        """The lead."""
        return places.astype(np.float64)

    @property
    def bound(self) -> float:
        """In points."""
        return rounding(self.rules) * max(*self.rules.points, self.rules.penalty) * sum(self.rules.board)

    def range(self) -> tuple[int, int]:
        """A lead to begin with, and as much again in what is left."""
        farthest = int(self.board.places[-1])
        return -2 * farthest, 2 * farthest

    def by_seat(self, mover: int, payoff: float) -> list[float]:
        """What one gets the other pays."""
        return by_seat(mover, [payoff, 0.0 - payoff])


class Reach(BoardMatch):
    """Alone; the chance to take all pieces but one with no more trips than allowed."""

    def end(self, places: NDArray[np.int64]) -> Floats:
        """Certain: few trips or too many."""
        return (places <= self.rules.trips).astype(np.float64)

    def range(self) -> tuple[int, int]:
        """A chance."""
        return 0, 1

    def by_seat(self, mover: int, payoff: float) -> list[float]:
        """The chance."""
        return [payoff]

    def _places(self, left: Left) -> int:
        return min(sum(self._gone(left)), self.rules.trips) + 1

    def _told(self, left: Left) -> Iterator[tuple[tuple[int, ...], int]]:
        return (((), trips) for trips in range(self._places(left)))


def score_pairs(rules: TouchRules, gone: Left) -> tuple[int, int]:
    """The scores of two players that can come from the pieces gone: each brought its points or a penalty, or it jumped
    out. A bit for every pair, and the largest score: bit ``(mine + largest) * (2 * largest + 1) + theirs + largest``.
    """
    reach = sum(gone) * max(*rules.points, rules.penalty)
    width = 2 * reach + 1  # no score passes the reach, so no row runs into the next
    pairs = 1 << (reach * width + reach)
    for count, points in zip(gone, rules.points, strict=True):
        for _ in range(count):
            won = pairs << points | pairs << points * width
            pairs |= won | pairs >> rules.penalty | pairs >> rules.penalty * width
    return pairs, reach
