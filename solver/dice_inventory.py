"""The best hand of dice to play a game with, out of those that somebody owns: every hand solved for points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .games import Game, own_game
from .games.push_rules import Kind, PushRules
from .games.ruleset import Rules
from .solvers import make_problem
from .solvers.cost_estimates import SolveCost, announce_cost, refuse_excessive_cost
from .util.arguments import validate_arguments
from .util.errors import InputError
from .util.number_format import format_count

HAND_SECONDS = 2.0  # for a hand of six dice of two kinds, most of it to compile its turn


@dataclass(frozen=True)
class Hand:
    """A hand, as how many dice of each kind, and its best expected points of a turn, within ``error_bound``."""

    dice: dict[str, int]
    points: float
    error_bound: float


def hand_rules(game: Game) -> PushRules:
    """The rules of a push-your-luck game that a file describes; InputError for any other."""
    if not isinstance(game.data, PushRules) or "name" not in game.rules:
        raise InputError(f"{game.id} is no push-your-luck game of a rule file: give one with --rules")
    return game.data


def number_of_hands(own: Sequence[Kind], size: int) -> tuple[int, int]:
    """Return how many hands of ``size`` dice there are, and the sum of their products of (dice of a kind + 1).

    Counted kind by kind without listing hands, so that many kinds are judged at once.
    """
    ways, weights = [1] + [0] * size, [1] + [0] * size
    for kind in own:
        taken = range(min(kind.count, size) + 1)
        ways = [sum(ways[dice - one] for one in taken if one <= dice) for dice in range(size + 1)]
        weights = [sum((one + 1) * weights[dice - one] for one in taken if one <= dice) for dice in range(size + 1)]
    return ways[size], weights[size]


def _hands(most: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """All hands of ``size`` dice with at most so many of each kind, in lexicographic order."""
    if not most:
        yield from [()] if not size else []
        return
    for count in range(max(0, size - sum(most[1:])), min(most[0], size) + 1):
        yield from ((count, *rest) for rest in _hands(most[1:], size - count))


@validate_arguments
def best_dice(
    game: Game,
    own: Sequence[Kind],
    *,
    anyway: bool = False,
    progress: Callable[[float], None] = lambda done: None,
) -> list[Hand]:
    """Rank every hand that can be made of the dice that somebody owns, best first.

    Args:
        game: a push-your-luck game of a rule file, which says how many dice are played.
        own: the kinds of dice that are owned, and how many of each.
        anyway: solve what takes more than an hour too.
        progress: called with the share done.

    Raises:
        InputError: too few dice, or a game that no file describes.
        TooMuchError: solving all hands takes more than an hour.
    """
    rules = hand_rules(game)
    size = rules.size(rules.dice)
    if sum(kind.count for kind in own) < size:
        raise InputError(f"a hand has {size} dice; the dice that are owned are only {sum(kind.count for kind in own)}")
    many, weight = number_of_hands(own, size)
    what, cost = f"solving {format_count(many, 'hand')}", SolveCost(0.0, HAND_SECONDS * weight / 15)
    refuse_excessive_cost(what, cost, anyway)
    games = _games(game, own, size)  # before the cost is announced: a hand that cannot be solved refuses the command
    announce_cost(what, cost)
    found = []
    for number, (dice, hand_game) in enumerate(games, 1):
        asked = make_problem(hand_game, "points")
        solved = asked.solve(1, lambda done: None)
        found.append(
            Hand(dice, float(asked.seat_values(solved, [asked.playable.start()]).values[0, 0]), solved.error_bound)
        )
        progress(number / len(games))
    return sorted(found, key=lambda hand: -hand.points)


def _games(game: Game, own: Sequence[Kind], size: int) -> list[tuple[dict[str, int], Game]]:
    """Return every hand, as how many dice of each kind, with the game that is played with it.

    Raises:
        InputError: the rules refuse a hand, because it is too large to solve for example.
    """
    plain = {key: value for key, value in Rules(game.rules).plain().items() if key not in ("dice", "die", "weights")}
    games = []
    for hand in _hands([min(kind.count, size) for kind in own], size):
        kinds = [(kind, count) for kind, count in zip(own, hand, strict=True) if count]
        tables = [
            {**({"name": kind.name} if kind.name else {}), "count": count, "weights": list(kind.weights)}
            for kind, count in kinds
        ]
        dice = {kind.name or "plain": count for kind, count in kinds}
        try:
            games.append((dice, own_game({**plain, "die": tables})))
        except InputError as error:
            words = ", ".join(f"{count} {name}" for name, count in dice.items())
            raise InputError(f"cannot solve the hand {words}: {error}") from None
    return games
