"""Booby Trap: two players for the win or the margin, one player for few trips.

The whole board is solved when a question is asked: that takes less time than to read its table from a file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Across, Advice, Choice, PositionValue, rank
from ..errors import InputError, nearest
from ..games import Game
from ..games.booby_trap import TouchRules, must_take
from ..games.rounddice import pick_number
from ..games.touchodds import SIZES
from ..turns.touch import Node, TouchBoard, rounding
from . import Solved, lone_player, no_parameters, opponents_scores

Floats = NDArray[np.float64]
Left = tuple[int, int, int]

FORCED = "Everybody has passed twice in succession: the piece that is touched must be taken."
NO_PASSES = "No passes are allowed: the piece that is touched must be taken."
SEED = 1  # of the draws
MOST_DRAWS = 10_000
LARGEST = 10_000  # a score that nobody gets near


@dataclass(frozen=True)
class TouchPosition:
    """Pieces left by size, scores (alone: trips), passes in a row, and the size and feel of the piece just touched."""

    left: Left
    score: int
    opponent: int
    passes: int
    size: int | None
    feel: int | None

    @property
    def place(self) -> int:
        """The place on the axis: the lead; alone, the trips."""
        return self.score - self.opponent


class _Touch:
    """What the objectives of a touch game share: the board, the pieces and passes of a position, the choices."""

    objective: str
    quick = True

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rules: TouchRules = game.data
        self.parameters: dict[str, int] = {}
        self.board = TouchBoard(self.rules)
        self._last: tuple[Floats, Left, Node] | None = None

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve the whole board: ``after`` (large + 1, medium + 1, small + 1, places), to the player who moved."""
        return Solved({"after": self.board.solve(self._end(self.board.places))}, self._bound())

    def _end(self, places: NDArray[np.int64]) -> Floats:
        """What the end of the game is worth at each place, to the player who has just moved."""
        raise NotImplementedError

    def _bound(self) -> float:
        return rounding(self.rules)

    def _told(self, payoff: float) -> float:
        """The value that people read."""
        return payoff

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"after": self.board.shape}

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def _read_left(self, left: Any) -> Left:
        rules = self.rules
        if left is None:
            return rules.board
        words = left.replace(",", " ").split() if isinstance(left, str) else list(left)
        if len(words) != 3:
            raise InputError(f"left must tell three numbers, large, medium and small pieces, not {len(words)}")
        counts = tuple(pick_number(word, "left") for word in words)
        for size, count, most in zip(SIZES, counts, rules.board, strict=True):
            if count > most:
                raise InputError(f"{count} {size} pieces left, but the board has {most} at the start")
        if sum(counts) <= rules.last:
            over = f"{rules.last} pieces are" if rules.last > 1 else "one piece is"
            raise InputError(f"left {sum(counts)} in all: the game is over once {over} left")
        if rules.in_order:
            for place in (0, 1):
                if counts[place] < rules.board[place] and any(counts[place + 1 :]):
                    raise InputError(f"{SIZES[place]} pieces cannot have gone while smaller ones are left: in order")
        return counts[0], counts[1], counts[2]

    def _read_touch(
        self, passes: object, touched: object, feel: object, left: Left
    ) -> tuple[int, int | None, int | None]:
        rules = self.rules
        run = pick_number(passes, "passes")
        if run > rules.limit:
            most = f"after {rules.limit} in a row a piece must be taken" if rules.limit else "no passes are allowed"
            raise InputError(f"{run} passes in a row cannot be: {most}")
        if touched is None:
            if feel is not None:
                raise InputError("feel is that of a piece touched: touched must tell its size")
            return run, None, None
        word = str(touched).strip().lower()
        if word not in SIZES:
            raise InputError(f"there is no size {touched}{nearest(word, SIZES)}")
        size = SIZES.index(word)
        if not left[size]:
            raise InputError(f"no {word} piece is left to touch")
        if rules.in_order and any(left[size + 1 :]):
            raise InputError(f"{word} pieces may not be touched while smaller ones are left: in order")
        if feel is None:
            raise InputError(f"a piece was touched: feel must tell how it sits, {', '.join(rules.odds.feels)}")
        sits = str(feel).strip()
        if sits not in rules.odds.feels:
            raise InputError(f"no piece feels {feel}{nearest(sits, rules.odds.feels)}")
        return run, size, rules.odds.feels.index(sits)

    def _shown(self, position: TouchPosition) -> dict[str, Any]:
        shown: dict[str, Any] = {"passes": position.passes} if self.rules.passes else {}
        if position.size is not None and position.feel is not None:
            shown |= {"touched": SIZES[position.size], "feel": self.rules.odds.feels[position.feel]}
        return shown

    def _node(self, solved: Solved, position: TouchPosition) -> Node:
        """The position's node; the last one is kept, for whole policies are listed board by board."""
        after, left = solved.arrays["after"], position.left
        if self._last is None or self._last[0] is not after or self._last[1] != left:
            self._last = (after, left, self.board.node(after, left))
        return self._last[2]

    def _payoff(self, node: Node, position: TouchPosition) -> float:
        """Value to the player to move, before touching or with a piece in the fingers."""
        if position.size is None:
            return float(node.run[position.passes, node.origin + position.place])
        return max(payoff for _, payoff in self._options(node, position, self.board.chance))

    def _options(self, node: Node, position: TouchPosition, chance: Floats) -> list[tuple[Choice, float]]:
        """The choices in the documented order among equals, and their payoffs; ``chance`` (sizes, feels)."""
        rules, passes, at = self.rules, position.passes, node.origin + position.place
        free = rules.passes and not must_take(passes, rules.players)
        refused = 0.0
        if free and rules.players == 1:
            refused = float(node.run[passes + 1, at])
        elif free:
            refused = -float(node.run[passes + 1, node.origin - position.place])
        found: list[tuple[Choice, float]] = []
        if position.size is None or position.feel is None:
            for size, name in enumerate(SIZES):
                if not position.left[size] or (rules.in_order and any(position.left[size + 1 :])):
                    continue
                taken = node.take[size, :, at]
                values = np.maximum(taken, refused) if free else taken
                payoff = 0.0
                for feel, value in zip(chance[size].tolist(), values.tolist(), strict=True):
                    payoff += feel * value
                found.append((Choice(f"touch a {name} piece", (), rules.points[size], 0, "touch", 0.0), payoff))
            return found
        if free:
            found.append((Choice("pass", (), 0, 0, "pass", 0.0), refused))
        trip = float(rules.odds.trip[position.size][position.feel])
        take = Choice("take the piece", (), rules.points[position.size], 0, "take", 0.0, trip)
        found.append((take, float(node.take[position.size, position.feel, at])))
        return found

    def advise(self, solved: Solved, position: TouchPosition) -> Advice:
        """Rank the sizes to touch, or taking and passing."""
        rules = self.rules
        found = [
            Choice(c.action, c.keep, c.points, c.dice_left, c.then, self._told(payoff), c.bust)
            for c, payoff in self._options(self._node(solved, position), position, self.board.chance)
        ]
        note = "" if rules.passes else NO_PASSES
        if rules.passes and must_take(position.passes, rules.players):
            note = FORCED if rules.players > 1 else "You have passed twice in succession: the piece must be taken."
        if len(found) == 1 and position.size is None:
            note = f"{note} There is no choice of size here.".strip()
        return Advice(self.objective, rank(found, solved.error_bound), note, ("trips", "tripping"))

    def across(
        self, position: TouchPosition, action: str, draws: int, progress: Callable[[float], None] = lambda done: None
    ) -> Across:
        """Say how an action fares over seeded draws of the odds from what their counts leave open.

        Feels are drawn from a Dirichlet, trips from a beta distribution, both with half a count added to each outcome.

        Raises:
            InputError: odds without counts, or no draws.
        """
        if self.rules.odds.counts is None:
            raise InputError(
                f"the odds ({self.rules.odds.name}) tell no counts to draw from; keepwise odds writes a file that does"
            )
        if not 1 <= draws <= MOST_DRAWS:
            raise InputError(f"draws must lie between 1 and {MOST_DRAWS:,}, not {draws}")
        counts = np.array(self.rules.odds.counts, dtype=np.float64)  # (sizes, feels, touched taken tripped)
        generator = np.random.Generator(np.random.PCG64(SEED))
        losses = []
        for done in range(draws):
            chance = np.array([generator.dirichlet(row) for row in counts[:, :, 0] + 0.5])
            trip = generator.beta(counts[:, :, 2] + 0.5, counts[:, :, 1] - counts[:, :, 2] + 0.5)
            board = TouchBoard(self.rules, position.left, position.place, chance, trip)
            node = board.node(board.solve(self._end(board.places)), position.left)
            payoffs = {choice.action: payoff for choice, payoff in self._options(node, position, chance)}
            losses.append(self._told(max(payoffs.values())) - self._told(payoffs[action]))
            progress((done + 1) / draws)
        held = sum(loss <= 2 * self._bound() for loss in losses)
        return Across(action, draws, held, float(np.mean(losses)), float(max(losses)), SEED)


class Win(_Touch):
    """Two players; the chance to win, shared where they tie."""

    objective = "win"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        if players not in (None, 2):
            raise InputError(f"{self.objective} in Booby Trap is for two players, not {players}: more are not solved")
        super().__init__(game)
        self.players = 2

    def _end(self, places: NDArray[np.int64]) -> Floats:
        return np.sign(places).astype(np.float64)

    def _bound(self) -> float:
        return rounding(self.rules) / 2

    def _told(self, payoff: float) -> float:
        """Payoffs are 1 for a win, 0 for a tie, -1 for a loss."""
        return (1 + payoff) / 2

    def read(
        self,
        *,
        left: object = None,
        score: object = 0,
        opponents: Any = None,
        passes: object = 0,
        touched: object = None,
        feel: object = None,
    ) -> TouchPosition:
        """Check a position: pieces left (large, medium, small), both scores, passes in a row, the piece touched."""
        pieces = self._read_left(left)
        others = opponents_scores(opponents, 2)
        mine, theirs = pick_number(score, "score", -LARGEST), pick_number(others[0], "opponents", -LARGEST)
        if not scores_can_be(self.rules, pieces, mine, theirs):
            gone = sum(self.rules.board) - sum(pieces)
            raise InputError(f"scores {mine} and {theirs} cannot be: so far pieces gone: {gone}")
        return TouchPosition(pieces, mine, theirs, *self._read_touch(passes, touched, feel, pieces))

    def show(self, position: TouchPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        scores = {"score": position.score, "opponents": [position.opponent]}
        return {"left": list(position.left), **scores, **self._shown(position)}

    def value(self, solved: Solved, position: TouchPosition) -> PositionValue:
        """The value for both players."""
        payoff = self._payoff(self._node(solved, position), position)
        return PositionValue(self._told(payoff), (self._told(payoff), self._told(-payoff)))


class Margin(Win):
    """Two players; the expected difference of the scores at the end."""

    objective = "margin"

    def _end(self, places: NDArray[np.int64]) -> Floats:
        return places.astype(np.float64)

    def _bound(self) -> float:
        return rounding(self.rules) * max(*self.rules.points, self.rules.penalty) * sum(self.rules.board)

    def _told(self, payoff: float) -> float:
        return payoff


class Reach(_Touch):
    """Alone; the chance to take all pieces but one with no more trips than allowed."""

    objective = "reach"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        if any(value is not None for value in parameters.values()):
            raise InputError("reach in Booby Trap takes no goal and no turns: the option trips says what is allowed")
        lone_player(self.objective, players)
        super().__init__(game)
        self.players = 1

    def _end(self, places: NDArray[np.int64]) -> Floats:
        return (places <= self.rules.trips).astype(np.float64)

    def read(
        self, *, left: object = None, trips: object = 0, passes: object = 0, touched: object = None, feel: object = None
    ) -> TouchPosition:
        """Check a position: pieces left (large, medium, small), trips so far, passes in a row, the piece touched."""
        pieces = self._read_left(left)
        tripped, gone = pick_number(trips, "trips"), sum(self.rules.board) - sum(pieces)
        if tripped > self.rules.trips:
            raise InputError(f"{tripped} trips are more than the {self.rules.trips} allowed: the game is lost")
        if tripped > gone:
            raise InputError(f"{tripped} trips cannot be: pieces gone: {gone}")
        return TouchPosition(pieces, tripped, 0, *self._read_touch(passes, touched, feel, pieces))

    def show(self, position: TouchPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return {"left": list(position.left), "trips": position.score, **self._shown(position)}

    def value(self, solved: Solved, position: TouchPosition) -> PositionValue:
        """The chance to get there."""
        return PositionValue(self._payoff(self._node(solved, position), position))


def scores_can_be(rules: TouchRules, left: Left, mine: int, theirs: int) -> bool:
    """Whether two scores can come from the pieces gone: each brought its points or a penalty, or it jumped out."""
    gone = sum(rules.board) - sum(left)
    reach = gone * max(*rules.points, rules.penalty)
    if max(abs(mine), abs(theirs)) > reach:
        return False
    width = 2 * reach + 1  # a bit for every pair of scores; no score passes the reach, so no row runs into the next
    pairs = 1 << (reach * width + reach)
    for count, most, points in zip(left, rules.board, rules.points, strict=True):
        for _ in range(most - count):
            won = pairs << points | pairs << points * width
            pairs |= won | pairs >> rules.penalty | pairs >> rules.penalty * width
    return bool(pairs >> ((mine + reach) * width + theirs + reach) & 1)
