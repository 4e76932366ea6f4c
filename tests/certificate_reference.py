"""Values of the games that headers of certificates describe, by plain recursion in floating point.

Written from docs/certificate-format.md alone: dice are rolled one by one, in order, and nothing is shared with the
checker. It covers Shut the Box, Battleship and turns of sets with one kind of dice, for ``points`` and ``reach``.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, product
from typing import Any

Header = dict[str, Any]


def value(header: Header) -> float:
    """Return the value at the beginning."""
    kind = header["turn"]["kind"]
    return {"tiles": box, "crew": crew, "sets": sets}[kind](header)


def box(header: Header) -> float:
    """Shut the Box for one player."""
    rules, goal, reach = header["turn"], header["match"]["goal"], header["objective"] == "reach"

    @cache
    def best(up: tuple[int, ...]) -> float:
        if not up:
            return 1.0 if reach else 0.0
        numbers = (1, 2) if rules["one"] and max(up) <= 6 else (2,)
        return max(sum(after(up, sum(roll)) for roll in product(range(1, 7), repeat=n)) / 6**n for n in numbers)

    def after(up: tuple[int, ...], total: int) -> float:
        shut = [some for size in range(1, len(up) + 1) for some in combinations(up, size) if sum(some) == total]
        left = sum(up)
        stuck = float(left <= goal) if reach else -float(left)
        return max((best(tuple(tile for tile in up if tile not in some)) for some in shut), default=stuck)

    return best(tuple(range(1, rules["tiles"] + 1)))


def crew(header: Header) -> float:
    """A turn of Battleship for points."""
    rules = header["turn"]
    order, faces = rules["order"], rules["faces"]

    @cache
    def best(casts: int, place: int, kept: int) -> float:
        dice = len(order) + 2 - place - (kept > 0)
        rolls = list(product(range(1, faces + 1), repeat=dice))
        return sum(after(casts, place, kept, list(roll)) for roll in rolls) / len(rolls)

    def after(casts: int, before: int, kept: int, roll: list[int]) -> float:
        place = before
        while place < len(order) and order[place] in roll:
            roll.remove(order[place])
            place += 1
        cargo = roll + [kept] * (kept > 0)
        complete = place == len(order)
        choices = [float(sum(cargo))] if complete else [0.0] if casts == 1 else []
        if casts > 1:
            choices.append(best(casts - 1, place, 0))
            if complete and rules["alone"][before == len(order)]:
                choices += [best(casts - 1, place, die) for die in cargo]
        return max(choices)

    return best(rules["casts"], 0, 0)


def sets(header: Header) -> float:
    """A race to reach a goal, with turns of sets of one kind of dice; busts cost nothing."""
    rules, goal, target = header["turn"], header["parameters"]["goal"], header["match"]["target"]
    ((dice, weights),) = rules["dice"]
    groups = [(tuple(counts), points) for counts, points in rules["groups"]]

    @cache
    def worth(counts: tuple[int, ...]) -> float:
        if not any(counts):
            return 0
        totals = [float("-inf")]
        for group, points in groups:
            left = tuple(have - need for have, need in zip(counts, group, strict=True))
            if min(left) >= 0 and not (rules["whole"] and any(left)):
                totals.append(points + worth(left))
        return max(totals)

    @cache
    def to_come(score: int, turns: int) -> float:
        if score >= goal:
            return 1.0
        if turns == 0:
            return 0.0
        counting = max(1, rules["minimum"], 0 if score > 0 else rules["opening"])
        if rules["waived"]:
            counting = min(counting, max(1, target - score))

        def stop(points: int) -> float:
            return to_come(score + points * (points >= counting), turns - 1)

        @cache
        def roll(hand: int, points: int) -> float:
            total = 0.0
            for faces in product(range(len(weights)), repeat=hand):
                ways = 1
                for face in faces:
                    ways *= weights[face]
                total += ways * choose(hand, points, Counter(faces)) if ways else 0.0
            return total / sum(weights) ** hand

        def choose(hand: int, points: int, shown: Counter[int]) -> float:
            counts = tuple(shown[face] for face in range(len(weights)))
            taken = [counts] if rules["take"] == "all-or-none" else product(*(range(many + 1) for many in counts))
            scoring = [one for one in taken if 0 < sum(one) <= rules["most"] and worth(one) > float("-inf")]
            if rules["take"] == "all" and scoring:
                scoring = [max(scoring, key=lambda one: (worth(one), sum(one), one))]
            room = rules["above"] or float("inf")
            if header["match"]["finish"] == "exact":
                room = target - score
            after = [(hand - sum(one), max(0, points + int(worth(one)))) for one in scoring]
            after = [one for one in after if one[1] <= room]
            return max((at(left, more) for left, more in after), default=stop(0))

        def at(left: int, points: int) -> float:
            """The player has set dice aside: stop, or roll on."""
            ended = rules["once"] or (left == 0 and rules["hot"] == "none")
            if ended:
                return stop(points)
            must = left == 0 and rules["hot"] == "must"
            may_stop = not must and rules["stop"] == "free" and (rules["below"] == "nothing" or points >= counting)
            if may_stop and points >= counting and score + points >= goal:
                return 1.0
            rolled = roll(left or dice, points)
            return max(stop(points), rolled) if may_stop else rolled

        sizes = range(1, dice + 1) if rules["choose"] else [dice]
        return max(roll(size, 0) for size in sizes)

    return to_come(0, header["parameters"]["turns"])
