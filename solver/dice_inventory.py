"""Find the best hand of dice for a game among the dice that a player owns.

Every hand is solved for the most expected points of a turn; see ``best_dice``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .games import Game, own_game
from .games.push_rules import DieKind, PushRules
from .games.ruleset import Rules
from .solvers import make_problem
from .solvers.cost_estimates import SolveCost, announce_cost, refuse_excessive_cost
from .util.arguments import validate_arguments
from .util.errors import InputError
from .util.number_format import format_count

HAND_SECONDS = 0.1  # empirical: to solve a hand of six dice of two kinds; the table of rolls is made only once
HAND_WEIGHT = 15  # product of (dice of a kind + 1) of such a hand


@dataclass(frozen=True)
class Hand:
    """A hand of dice and its value.

    Attributes:
        dice: the number of dice by the name of their kind.
        points: the largest expected points of a turn.
        error_bound: the largest possible error of ``points``.
    """

    dice: dict[str, int]
    points: float
    error_bound: float


def hand_rules(game: Game) -> PushRules:
    """Return the rules of a push-your-luck game from a rule file; raise InputError for any other game."""
    if not isinstance(game.data, PushRules) or "name" not in game.rules:
        raise InputError(f"{game.id} is not a push-your-luck game from a rule file: give one with --rules")
    return game.data


class HandCount(NamedTuple):
    """The number of hands, and the sum of their weights; the time to solve a hand is proportional to its weight.

    The weight of a hand is the product over its kinds of (dice of the kind + 1).
    """

    hands: int
    total_weight: int


def count_hands(own: Sequence[DieKind], size: int) -> HandCount:
    """Count the hands of `size` dice, and sum their weights.

    Dynamic programming over the kinds, without a list of hands, so that it is fast for many kinds.
    """
    hands, weights = [1] + [0] * size, [1] + [0] * size  # by number of dice, of the kinds so far
    for kind in own:
        counts = range(min(kind.count, size) + 1)
        hands = [sum(hands[dice - count] for count in counts if count <= dice) for dice in range(size + 1)]
        weights = [
            sum((count + 1) * weights[dice - count] for count in counts if count <= dice) for dice in range(size + 1)
        ]
    return HandCount(hands[size], weights[size])


def _hands(max_counts: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the hands of `size` dice, as counts by kind of at most `max_counts`, in lexicographic order."""
    if not max_counts:
        yield from [()] if not size else []
        return
    first_max, *rest_max = max_counts
    for count in range(max(0, size - sum(rest_max)), min(first_max, size) + 1):
        yield from ((count, *rest) for rest in _hands(rest_max, size - count))


@validate_arguments
def best_dice(
    game: Game,
    own: Sequence[DieKind],
    *,
    anyway: bool = False,
    progress: Callable[[float], None] = lambda done: None,
) -> list[Hand]:
    """Rank all hands that can be made of the dice that a player owns, the best first.

    Args:
        game: a push-your-luck game from a rule file, which states how many dice are played.
        own: the kinds of dice that the player owns, and how many of each.
        anyway: solve the hands even if that takes more than an hour.
        progress: called with the fraction of the hands that are solved.

    Raises:
        InputError: there are too few dice, or the game is not from a rule file.
        TooMuchError: solving all hands takes more than an hour.
    """
    rules = hand_rules(game)
    size = rules.hand_size(rules.dice)
    owned_count = sum(kind.count for kind in own)
    if owned_count < size:
        raise InputError(f"a hand needs {size} dice; you gave {owned_count}")
    hand_count, total_weight = count_hands(own, size)
    task = f"solving {format_count(hand_count, 'hand')}"
    cost = SolveCost(0.0, HAND_SECONDS * total_weight / HAND_WEIGHT)
    refuse_excessive_cost(task, cost, anyway)
    hand_games = _hand_games(game, own, size)  # before the cost is announced: a hand that cannot be solved is refused
    announce_cost(task, cost)
    hands = []
    for number, hand_game in enumerate(hand_games, 1):
        hands.append(_solve_hand(hand_game))
        progress(number / len(hand_games))
    return sorted(hands, key=lambda hand: -hand.points)


class _HandGame(NamedTuple):
    """A hand, as the number of dice by kind, and the game that is played with it."""

    dice: dict[str, int]
    game: Game


def _solve_hand(hand_game: _HandGame) -> Hand:
    problem = make_problem(hand_game.game, "points")
    value_table = problem.solve(1, lambda done: None)
    points = problem.seat_values(value_table, [problem.playable.start()]).values[0, 0]
    return Hand(hand_game.dice, float(points), value_table.error_bound)


def _hand_games(game: Game, own: Sequence[DieKind], size: int) -> list[_HandGame]:
    """Return all hands with their games.

    Raises:
        InputError: a hand is not allowed, for example because it is too large to solve.
    """
    rules = Rules(game.rules).plain()
    rules_without_dice = {key: value for key, value in rules.items() if key not in ("dice", "die", "weights")}
    hand_games = []
    for hand in _hands([min(kind.count, size) for kind in own], size):
        kinds = [(kind, count) for kind, count in zip(own, hand, strict=True) if count]
        die_tables = [
            {**({"name": kind.name} if kind.name else {}), "count": count, "weights": list(kind.weights)}
            for kind, count in kinds
        ]
        dice = {kind.name or "plain": count for kind, count in kinds}
        try:
            hand_games.append(_HandGame(dice, own_game({**rules_without_dice, "die": die_tables})))
        except InputError as error:
            words = ", ".join(f"{count} {name}" for name, count in dice.items())
            raise InputError(f"cannot solve the hand {words}: {error}") from None
    return hand_games
