"""The best reply to an opponent who plays a small card for points, by plain enumeration in fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product

from keepwise.games import own_game

FACES = (1, 2, 3)
ROLLS = 2
BOXES = ("ones", "threes", "sum")
BONUS_AT, BONUS = 4, 5

CARD = own_game(
    {
        "name": "three-boxes",
        "dice": 2,
        "faces": 3,
        "throws": ROLLS,
        "category": [{"name": "ones", "face": 1}, {"name": "threes", "face": 3}, {"name": "sum", "chance": True}],
        "upper": {"categories": ["ones", "threes"], "at": BONUS_AT, "bonus": BONUS},
    }
)


def score(box, dice):
    """Return the points of dice in a box."""
    if box == 2:
        return sum(dice)
    return sum(die for die in dice if die == (1, 3)[box])


def after(open_boxes, upper, box, dice):
    """Return the boxes that are still open and the upper total, after dice are entered."""
    gain = score(box, dice) if box < 2 else 0
    return tuple(one for one in open_boxes if one != box), min(upper + gain, BONUS_AT)


def keeps(dice):
    """Return what can be kept, in the documented order: more dice first, then fewer of the low faces."""
    found = {kept for size in range(3) for kept in combinations(sorted(dice), size)}
    return sorted(found, key=lambda kept: (-len(kept), tuple(kept.count(face) for face in FACES)))


def throws(kept):
    """Return all dice after the others are thrown, once for each ordered roll."""
    return [tuple(sorted(kept + rest)) for rest in product(FACES, repeat=2 - len(kept))]


def best_turn(entry_value):
    """Return the value before a turn, and its choices: the dice kept by roll and dice; ``entry_value`` by dice."""
    value = {dice: entry_value(dice) for dice in throws(())}
    chosen = []
    for _ in range(ROLLS - 1):
        worth = {
            dice: [
                (sum(value[one] for one in throws(kept)) / Fraction(len(throws(kept))), kept) for kept in keeps(dice)
            ]
            for dice in value
        }
        chosen.insert(0, {dice: next(kept for v, kept in of if v == max(of)[0]) for dice, of in worth.items()})
        value = {dice: max(of)[0] for dice, of in worth.items()}
    return sum(value[one] for one in throws(())) / Fraction(len(throws(()))), chosen


def entries(open_boxes, upper, dice):
    """Return the boxes in the order of advice: more points first, then as they stand on the card."""
    return sorted(open_boxes, key=lambda box: -score(box, dice))


@lru_cache(None)
def points(open_boxes, upper):
    """Return the most expected points still to come, with the bonus."""
    if not open_boxes:
        return Fraction(BONUS if upper >= BONUS_AT else 0)
    return best_turn(lambda dice: max(entry_points(open_boxes, upper, dice).values()))[0]


def entry_points(open_boxes, upper, dice):
    """Return the expected points of every box."""
    return {box: score(box, dice) + points(*after(open_boxes, upper, box, dice)) for box in open_boxes}


@lru_cache(None)
def totals(open_boxes, upper):
    """Return the distribution of the points still to come of somebody who plays for the most points."""
    if not open_boxes:
        return {BONUS if upper >= BONUS_AT else 0: Fraction(1)}
    _, chosen = best_turn(lambda dice: max(entry_points(open_boxes, upper, dice).values()))
    dice_chances = {}
    for one in throws(()):
        dice_chances[one] = dice_chances.get(one, 0) + Fraction(1, len(throws(())))
    for choice in chosen:
        moved = {}
        for dice, chance in dice_chances.items():
            results = throws(choice[dice])
            for one in results:
                moved[one] = moved.get(one, 0) + chance / len(results)
        dice_chances = moved
    found = {}
    for dice, chance in dice_chances.items():
        worth = entry_points(open_boxes, upper, dice)
        box = next(one for one in entries(open_boxes, upper, dice) if worth[one] == max(worth.values()))
        for total, share in totals(*after(open_boxes, upper, box, dice)).items():
            total += score(box, dice)
            found[total] = found.get(total, 0) + chance * share
    return found


def reply(mine, my_upper, my_score, their_totals):
    """Return the highest probability to end above these totals, a tie as half, by trying all choices."""

    @lru_cache(None)
    def value(open_boxes, upper, total):
        if not open_boxes:
            total += BONUS if upper >= BONUS_AT else 0
            return sum(chance * Fraction(1 + (total > t) - (total < t), 2) for t, chance in their_totals.items())
        return best_turn(
            lambda dice: max(
                value(*after(open_boxes, upper, box, dice), total + score(box, dice)) for box in open_boxes
            )
        )[0]

    return value(mine, my_upper, my_score)
