"""A plain reference for push-your-luck dice games: all ordered throws, exact fractions, no code shared with the engine.

Slow and small on purpose. Sets are scored by trying every way to split the dice into scoring groups; throws are
enumerated one by one; values are solved by policy iteration in rational numbers, so the result is the exact value.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product

Group = tuple[int, int]  # points, dice taken


@dataclass(frozen=True)
class Rules:
    dice: int = 5
    target: int = 5000
    opening: int = 500
    minimum: int = 300
    minimum_on_win: bool = True
    exact: bool = False
    take_all: bool = False
    straight: int = 0
    doubling: bool = False
    pig: bool = False  # one die that adds its spots, 1 loses
    five_ones: bool = False  # five 1s in one throw of five win at once
    last_round: bool = False


WIN = frozenset({(-1, 0)})  # what a throw offers that wins at once


def worth(rules: Rules, dice: tuple[int, ...]) -> int | None:
    """Most points of the dice if every one contributes, else None."""
    if not dice:
        return 0
    if rules.pig:
        return dice[0] if dice[0] > 1 else None
    found = []
    first, rest = dice[0], dice[1:]
    if first in (1, 5):
        found.append((100 if first == 1 else 50, rest))
    alike = dice.count(first)
    for size in range(3, alike + 1):
        triple = 1000 if first == 1 else 100 * first
        points = triple * 2 ** (size - 3) if rules.doubling else triple
        if size == 3 or rules.doubling:
            found.append((points, tuple(dice[size:])))
    if rules.straight and dice in ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6)):
        found.append((rules.straight, ()))
    values = [points + more for points, left in found if (more := worth(rules, left)) is not None]
    return max(values, default=None)


@cache
def throw_table(rules: Rules, dice: int) -> dict[frozenset[Group], int]:
    """Ordered throws of so many dice, by the (points, dice taken) that they offer."""
    offers: Counter[frozenset[Group]] = Counter()
    scored: dict[tuple[int, ...], frozenset[Group]] = {}
    for throw in product(range(1, 7), repeat=dice):
        key = tuple(sorted(throw))
        if rules.five_ones and key == (1, 1, 1, 1, 1):
            offers[WIN] += 1
            continue
        if key not in scored:
            groups = {
                (points, size)
                for size in range(1, dice + 1)
                for part in combinations(key, size)
                if (points := worth(rules, part)) is not None
            }
            scored[key] = frozenset({max(groups)} if rules.take_all and groups else groups)
        offers[scored[key]] += 1
    return dict(offers)


def least(rules: Rules, score: int) -> int:
    return max(1, rules.minimum if score else max(rules.opening, rules.minimum))


def banks(rules: Rules, score: int, points: int) -> bool:
    """Whether banking changes the score."""
    if points and score + points >= rules.target and not rules.minimum_on_win:
        return True
    return points >= least(rules, score)


def turn(rules: Rules, score: int, zero: Fraction, worth_of, win=1, most=None) -> tuple[Fraction, Fraction]:
    """Best value of a turn and the chance that it changes nothing; ``worth_of(total)`` is a bank's payoff, ``win`` that
    of winning at once. Whoever holds ``most`` stops (default: enough to reach the target).
    """
    if most is None:
        most = rules.target - score

    def stop(points: int) -> tuple[Fraction, Fraction]:
        if points and banks(rules, score, points):
            return worth_of(score + points), Fraction(0)
        return zero, Fraction(1)

    @cache
    def before_throw(points: int, dice: int) -> tuple[Fraction, Fraction]:
        if points and points >= most and banks(rules, score, points):
            return stop(points)
        value, slope = throw(points, dice)
        if points and stop(points)[0] >= value:
            return stop(points)
        return value, slope

    def throw(points: int, dice: int) -> tuple[Fraction, Fraction]:
        value = slope = Fraction(0)
        for offers, ways in throw_table(rules, dice).items():
            if offers is WIN:
                value += ways * win
                continue
            results = [
                before_throw(points + more, dice - taken or rules.dice)
                for more, taken in offers
                if not (rules.exact and score + points + more > rules.target)
            ]
            best = max(results, default=(zero, Fraction(1)))
            value += ways * best[0]
            slope += ways * best[1]
        return value / 6**dice, slope / 6**dice

    return throw(0, rules.dice)


def scores(rules: Rules, grain: int) -> list[int]:
    """Scores below the target on the grain that banks can reach (every amount in hand is taken to be possible)."""
    reached = {0}
    while True:
        more = {
            score + points
            for score in reached
            for points in range(grain, rules.target - score, grain)
            if banks(rules, score, points) and score + points < rules.target
        }
        if more <= reached:
            return sorted(reached)
        reached |= more


def fewest_turns(rules: Rules, grain: int) -> dict[int, Fraction]:
    turns: dict[int, Fraction] = {}
    for score in reversed(scores(rules, grain)):
        zero = Fraction(-100)
        while True:
            value, slope = turn(rules, score, zero, lambda total: Fraction(-1) - turns.get(total, 0), win=-1)
            settled = (value - slope * zero - 1) / (1 - slope)
            if settled == zero:
                break
            zero = settled
        turns[score] = -value
    return turns


def win_chances(rules: Rules, grain: int) -> dict[tuple[int, int], Fraction]:
    win: dict[tuple[int, int], Fraction] = {}
    held = scores(rules, grain)
    pairs = sorted(((a, b) for a in held for b in held if a <= b), key=lambda pair: -sum(pair))

    def pay(theirs: int):
        return lambda total: Fraction(1) if total >= rules.target else 1 - win[theirs, total]

    for a, b in pairs:
        x = y = Fraction(1, 2)
        while True:
            f, s = turn(rules, a, 1 - y, pay(b))
            g, r = turn(rules, b, 1 - x, pay(a))
            if f == x and g == y:
                break
            # x = f + s ((1 - y') - (1 - y)) on the lines now in force, and y alike.
            u, v = f + s * y, g + r * x
            x = (u - s * v) / (1 - s * r)
            y = v - r * x
        win[a, b], win[b, a] = x, y
    return win


def reach_chances(rules: Rules, grain: int, goal: int, turns: int) -> dict[int, Fraction]:
    """Chance to hold the goal (at most the target) within so many turns, from every score below it."""
    held = scores(rules, grain)
    known = {score: Fraction(int(score >= goal)) for score in held}
    for _ in range(turns):
        before = dict(known)
        for score in held:
            if score < goal:
                pay = dict.fromkeys(range(goal, 2 * rules.target + 10_000), Fraction(1)) | before
                known[score], _slope = turn(rules, score, before[score], pay.__getitem__)
    return {score: value for score, value in known.items() if score < goal}


def turn_points(rules: Rules, opened: bool, most: int) -> Fraction:
    """Greatest expected points of a turn; whoever holds ``most`` stops."""
    score = 1 if opened else 0

    @cache
    def before_throw(points: int, dice: int) -> Fraction:
        stop = Fraction(points if points >= least(rules, score) else 0)
        return stop if points >= most else max(stop, throw(points, dice))

    def throw(points: int, dice: int) -> Fraction:
        total = sum(
            ways * max((before_throw(points + more, dice - taken or rules.dice) for more, taken in offers), default=0)
            for offers, ways in throw_table(rules, dice).items()
        )
        return Fraction(total, 6**dice)

    return throw(0, rules.dice)


def last_turn(rules: Rules, score: int, total: int, most: int) -> float:
    """Chance of the last turn from ``score`` against ``total``, a tie counting half; in floating point."""
    pay = {True: 1.0, False: 0.0}
    value, _ = turn(
        rules,
        score,
        0.0,
        lambda mine: 0.5 if mine == total else pay[mine > total],
        win=1.0,
        most=total - score + 1,
    )
    return value if total - score < most else 0.0


def last_round_chances(rules: Rules, grain: int, most: int) -> dict[tuple[int, int], float]:
    """Win chances with a last turn for the opponent, in floating point; whoever holds ``most`` points stops."""
    win: dict[tuple[int, int], float] = {}
    held = scores(rules, grain)

    def pay(theirs: int):
        @cache
        def worth_of(total: int) -> float:
            return 1 - (win[theirs, total] if total < rules.target else last_turn(rules, theirs, total, 10 * most))

        return worth_of

    for a, b in sorted(((a, b) for a in held for b in held if a <= b), key=lambda pair: -sum(pair)):
        x = y = 0.5
        mine, theirs = pay(b), pay(a)
        for _ in range(200):
            f, g = turn(rules, a, 1 - y, mine, most=most)[0], turn(rules, b, 1 - x, theirs, most=most)[0]
            if abs(f - x) + abs(g - y) < 1e-15:
                break
            x, y = f, g
        win[a, b], win[b, a] = x, y
    return win
