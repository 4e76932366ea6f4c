"""Solve small races with badges by value iteration, without the package: all ordered rolls and all sets are listed.

Players set dice aside that score, and roll the others or stop. Warlord raises the points of one turn, Resurrection
rolls the same dice again after a bust, Emperor counts three 1s three times. Using one is a choice. Three 1s may have to
be confirmed: the next roll must be made, and rolls in which a 1 shows are made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

Uses = tuple[int, int, int]  # how often Warlord, Resurrection and Emperor may still be used
SETTLED = 1e-14  # change at which value iteration stops


class Player(NamedTuple):
    """The rules of one player.

    dice, faces: how many dice, and their fair faces from 1 on.
    sets: points of dice that score together, by their faces in order.
    target: the score that wins.
    percent: by how many percent Warlord raises the points of a turn.
    uses: how often each badge may be used in a game.
    minimum: turn points that a bank needs.
    confirms: whether three 1s have to be confirmed.
    """

    dice: int
    faces: int
    sets: tuple[tuple[tuple[int, ...], int], ...]
    target: int
    percent: int
    uses: Uses
    minimum: int = 0
    confirms: bool = False


@cache
def best_points(player: Player, dice: tuple[int, ...], times: int) -> int | None:
    """The most points of dice that all score; three 1s count so many times. None if they do not all score."""
    if not dice:
        return 0
    found = []
    for scoring, points in player.sets:
        rest = Counter(dice)
        rest.subtract(scoring)
        if min(rest.values()) >= 0 and dice[0] in scoring:
            others = best_points(player, tuple(sorted(rest.elements())), times)
            if others is not None:
                found.append(others + points * (times if scoring == (1, 1, 1) else 1))
    return max(found, default=None)


@cache
def offers_of_rolls(
    player: Player, dice: int, without_ones: bool
) -> tuple[tuple[frozenset[tuple[int, int, int, bool]], int], ...]:
    """What each roll offers, and how many ordered rolls offer that.

    An offer is (points, dice left, uses of Emperor, whether it has to be confirmed). Rolls with a 1 are left out if
    they are made again.
    """
    rolls = Counter[frozenset[tuple[int, int, int, bool]]]()
    for roll in product(range(2 if without_ones else 1, player.faces + 1), repeat=dice):
        offers = set()
        for size in range(1, dice + 1):
            for chosen in combinations(sorted(roll), size):
                plain, tripled = best_points(player, chosen, 1), best_points(player, chosen, 3)
                must_confirm = player.confirms and chosen.count(1) >= 3
                if plain is not None:
                    offers.add((plain, dice - size or player.dice, 0, must_confirm))
                if tripled is not None and tripled > plain:
                    offers.add((tripled, dice - size or player.dice, 1, must_confirm))
        rolls[frozenset(offers)] += 1
    return tuple(rolls.items())


def all_uses(player: Player) -> Iterator[Uses]:
    """All badges that a player can have left."""
    yield from product(*(range(most + 1) for most in player.uses))


def raised(player: Player, points: int) -> int:
    """Points that Warlord has raised, to the nearest whole number, halves up."""
    return points + int(points * player.percent / 100 + 0.5)


def race_with_badges(players: tuple[Player, Player]) -> dict[tuple[int, Uses, Uses, int, int], float]:
    """The chance of the player to move: by seat, own badges, opponent's badges, own score, opponent's score."""
    values = {
        (seat, mine, theirs, own, other): 0.5
        for seat, player in enumerate(players)
        for mine in all_uses(player)
        for theirs in all_uses(players[1 - seat])
        for own in range(player.target)
        for other in range(players[1 - seat].target)
    }
    # Few uses and high scores first: then most values of a turn are settled when it is computed.
    groups = dict[tuple[int, int], list[tuple[int, Uses, Uses, int, int]]]()
    for state in values:
        _, mine, theirs, own, other = state
        groups.setdefault((sum(mine) + sum(theirs), -own - other), []).append(state)
    for key in sorted(groups):
        while sweep(players, values, groups[key]) > SETTLED:
            pass
    assert sweep(players, values, list(values)) <= 2 * SETTLED  # whatever the order
    return values


def sweep(
    players: tuple[Player, Player],
    values: dict[tuple[int, Uses, Uses, int, int], float],
    states: list[tuple[int, Uses, Uses, int, int]],
) -> float:
    """Compute the values of some states anew; return the largest change."""
    change = 0.0
    for state in states:
        value = turn_value(players, values, state)
        change = max(change, abs(value - values[state]))
        values[state] = value
    return change


def turn_value(
    players: tuple[Player, Player],
    values: dict[tuple[int, Uses, Uses, int, int], float],
    state: tuple[int, Uses, Uses, int, int],
) -> float:
    """The value of a turn, from the values of the turns after it."""
    seat, uses_at_start, theirs, own, other = state
    player = players[seat]

    def ended(score: int, uses: Uses) -> float:
        return 1.0 if score >= player.target else 1 - values[1 - seat, theirs, uses, other, score]

    def bank(points: int, uses: Uses, is_raised: bool) -> float:
        if points < player.minimum:
            return ended(own, uses)
        return ended(own + (raised(player, points) if is_raised else points), uses)

    @cache
    def rolled(dice: int, points: int, uses: Uses, is_raised: bool, without_ones: bool = False) -> float:
        warlord, again, emperor = uses
        total = 0.0
        rolls = offers_of_rolls(player, dice, without_ones)
        for offers, weight in rolls:
            results = []
            for added, left, used, must_confirm in offers:
                if used > emperor:
                    continue
                after = (warlord, again, emperor - used)
                if must_confirm:
                    results.append(rolled(left, points + added, after, is_raised, without_ones=True))
                    continue
                results.append(bank(points + added, after, is_raised))
                if points + added < max(player.target - own, player.minimum):  # otherwise a bank wins
                    results.append(rolled(left, points + added, after, is_raised))
            if not offers:
                results.append(ended(own, uses))
                if again:
                    results.append(rolled(dice, points, (warlord, again - 1, emperor), is_raised))
            total += weight * max(results)
        return total / sum(weight for _, weight in rolls)

    best = rolled(player.dice, 0, uses_at_start, False)
    if uses_at_start[0]:
        best = max(best, rolled(player.dice, 0, (0, *uses_at_start[1:]), True))
    return best
