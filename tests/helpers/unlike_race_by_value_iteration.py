"""Solve small races of two players with rules of their own by value iteration, without the package.

Players set dice aside that score, and roll the others or stop. All rolls and all sets of dice are listed, with the
rules that are written down here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple

Counts = tuple[int, ...]
Offers = dict[Counts, list[tuple[float, tuple[tuple[Counts, int], ...]]]]
SETTLED = 1e-15  # change at which value iteration stops
STEP = 50  # of points
SINGLES = {0: 100, 4: 50}  # points of one die by face, counted from 0
TRIPLES = (1000, 200, 300, 400, 500, 600)  # points of three alike by face
STRAIGHTS = {(1, 1, 1, 1, 1, 0): 500, (0, 1, 1, 1, 1, 1): 750, (1, 1, 1, 1, 1, 1): 1500}


class Player(NamedTuple):
    """The rules of one player.

    dice: by kind, how many dice, and the weights of their faces.
    groups: (counts of the faces, points) of dice that score together.
    target: the score that wins.
    opening, minimum: turn points that a bank needs from a score of 0, and from any score.
    """

    dice: tuple[tuple[int, Counts], ...]
    groups: tuple[tuple[Counts, int], ...]
    target: int
    opening: int = 0
    minimum: int = 0


def groups_of_5000() -> tuple[tuple[Counts, int], ...]:
    """Return what scores in 5000: single dice and three alike."""
    return tuple(
        (tuple(dice if face == shown else 0 for face in range(6)), points)
        for dice, points_by_face in ((1, SINGLES), (3, dict(enumerate(TRIPLES))))
        for shown, points in points_by_face.items()
    )


def groups_of_kingdom_come() -> tuple[tuple[Counts, int], ...]:
    """Return what scores in Kingdom Come: also four to six alike, each die more for twice the points, and straights."""
    more_alike = [
        (tuple(dice if face == shown else 0 for face in range(6)), points * 2 ** (dice - 3))
        for dice in (4, 5, 6)
        for shown, points in enumerate(TRIPLES)
    ]
    return *groups_of_5000(), *more_alike, *STRAIGHTS.items()


def list_offers(player: Player) -> Offers:
    """Return by dice to roll, counted by kind, what the rolls offer.

    Every entry is the chance of a set of offers, and these offers: the dice that are left to roll, and points.
    """

    @cache
    def worth(counts: Counts) -> int:
        """Return the most points of dice of which each scores; a number below 0 if they do not."""
        if not any(counts):
            return 0
        rests = [
            (tuple(have - need for have, need in zip(counts, group, strict=True)), points)
            for group, points in player.groups
        ]
        return max([points + worth(rest) for rest, points in rests if min(rest) >= 0], default=-(10**6))

    all_dice = tuple(count for count, _ in player.dice)
    offers: Offers = {}
    for hand in product(*(range(count + 1) for count in all_dice)):
        chances: Counter[tuple[tuple[Counts, int], ...]] = Counter()
        rolls_by_kind = [
            [tuple(map(roll.count, range(6))) for roll in combinations_with_replacement(range(6), dice)]
            for dice in hand
        ]
        for roll in product(*rolls_by_kind):
            chance = 1.0
            for counts, dice, (_, weights) in zip(roll, hand, player.dice, strict=True):
                orders = factorial(dice) // prod(map(factorial, counts))
                chance *= orders * prod(map(pow, weights, counts)) / sum(weights) ** dice
            sets = set()
            for part in product(*(product(*(range(count + 1) for count in counts)) for counts in roll)):
                points = worth(tuple(map(sum, zip(*part, strict=True))))
                if any(map(any, part)) and points > 0:
                    left = tuple(dice - sum(counts) for dice, counts in zip(hand, part, strict=True))
                    sets.add((left if any(left) else all_dice, min(points, player.target)))
            chances[tuple(sorted(sets))] += chance
        if any(hand):
            offers[hand] = [(chance, sets) for sets, chance in chances.items() if chance]
    return offers


def value_of_turn(player: Player, offers: Offers, score: int, bust: float, bank: Callable[[int], float]) -> float:
    """Return the chance to win before the first roll of a turn.

    Args:
        player: the mover.
        offers: of the mover's rolls.
        score: the mover's.
        bust: the chance to win after a turn without points.
        bank: the chance to win after a bank of so many points, which does not win at once.
    """
    needed = max(player.minimum, player.opening if score == 0 else 0)

    @cache
    def roll(hand: Counts, points: int) -> float:
        return sum(
            chance * max((decide(left, points + more) for left, more in sets), default=bust)
            for chance, sets in offers[hand]
        )

    @cache
    def decide(hand: Counts, points: int) -> float:
        if points < needed:
            return max(bust, roll(hand, points))
        if score + points >= player.target:
            return 1.0
        return max(bank(points), roll(hand, points))

    return roll(tuple(count for count, _ in player.dice), 0)


def race_by_value_iteration(players: tuple[Player, Player]) -> list[dict[tuple[int, int], float]]:
    """Return the chance to win of each player when it is to move, by (own score, opponent's score).

    Positions of equal total lead to each other only by turns without points, so one pair after the other settles.
    """
    offers = [list_offers(player) for player in players]
    values: list[dict[tuple[int, int], float]] = [{}, {}]
    first_scores, second_scores = (range(0, player.target, STEP) for player in players)
    for first, second in sorted(product(first_scores, second_scores), key=sum, reverse=True):
        scores = ((first, second), (second, first))
        values[0][scores[0]] = values[1][scores[1]] = 0.5
        change = 1.0
        while change > SETTLED:
            change = 0.0
            for seat, (mine, theirs) in enumerate(scores):
                other = values[1 - seat]

                def bank(points: int, mine: int = mine, theirs: int = theirs, other: dict = other) -> float:
                    return 1 - other[theirs, mine + points]

                new = value_of_turn(players[seat], offers[seat], mine, 1 - other[theirs, mine], bank)
                change = max(change, abs(new - values[seat][mine, theirs]))
                values[seat][mine, theirs] = new
    return values


Shares = tuple[float, ...]  # the chances of all players, the player of seat 0 first


def shares_of_turn(
    player: Player,
    offers: Offers,
    seat: int,
    score: int,
    bust: Shares,
    bank: Callable[[int], Shares],
    limit: int | None = None,
) -> Shares:
    """Return the chances of all players before the first roll of a turn, whose mover maximizes its own.

    Args:
        player: the mover.
        offers: of the mover's rolls.
        seat: the mover's.
        score: the mover's.
        bust: the chances after a turn without points.
        bank: the chances after a bank of so many points, which does not win at once.
        limit: the turn points from which the mover banks instead, with one die of which every face but one scores.
    """
    needed = max(player.minimum, player.opening if score == 0 else 0)
    win = tuple(float(other == seat) for other in range(len(bust)))

    def best(*choices: Shares) -> Shares:
        return max(choices, key=lambda shares: shares[seat])

    @cache
    def roll(hand: Counts, points: int) -> Shares:
        total = [0.0] * len(bust)
        for chance, sets in offers[hand]:
            shares = best(*(decide(left, points + more) for left, more in sets)) if sets else bust
            total = [sum_so_far + chance * share for sum_so_far, share in zip(total, shares, strict=True)]
        return tuple(total)

    @cache
    def decide(hand: Counts, points: int) -> Shares:
        if points < needed:
            return best(bust, roll(hand, points))
        if score + points >= player.target:
            return win
        if limit is not None:
            return bank(points) if points >= limit else roll(hand, points)
        return best(bank(points), roll(hand, points))

    return roll(tuple(count for count, _ in player.dice), 0)


def race_of_many_by_value_iteration(
    players: tuple[Player, ...],
    step: int = STEP,
    offers: list[Offers] | None = None,
    limits: tuple[int | None, ...] = (),
) -> dict[tuple[int, tuple[int, ...]], Shares]:
    """Return the chances of all players by the seat to move and the scores of all seats, seat 0 first.

    Positions of equal total lead to each other only by turns without points, so one set of scores after the other
    settles.

    Args:
        players: the players, that of seat 0 first.
        step: all points are multiples of it.
        offers: of the rolls of each player; listed by default.
        limits: the turn points from which each player banks; None for a player who maximizes its own chance, as all do
            by default.
    """
    offers = offers or [list_offers(player) for player in players]
    limits = limits or (None,) * len(players)
    seats = len(players)
    values: dict[tuple[int, tuple[int, ...]], Shares] = {}
    all_scores = product(*(range(0, player.target, step) for player in players))
    for scores in sorted(all_scores, key=sum, reverse=True):
        for seat in range(seats):
            values[seat, scores] = (1 / seats,) * seats
        change = 1.0
        while change > SETTLED:
            change = 0.0
            for seat, player in enumerate(players):
                after = (seat + 1) % seats

                def bank(points: int, seat: int = seat, after: int = after, scores: tuple = scores) -> Shares:
                    return values[after, (*scores[:seat], scores[seat] + points, *scores[seat + 1 :])]

                new = shares_of_turn(
                    player, offers[seat], seat, scores[seat], values[after, scores], bank, limits[seat]
                )
                old = values[seat, scores]
                change = max(change, *(abs(one - other) for one, other in zip(new, old, strict=True)))
                values[seat, scores] = new
    return values


def offers_of_pig(player: Player, faces: int) -> Offers:
    """Return what the rolls of one die offer in Pig: a 1 busts, another face scores its spots, and nothing is left."""
    return {
        (1,): [(1 / faces, ()), *((1 / faces, (((1,), min(face, player.target)),)) for face in range(2, faces + 1))]
    }
