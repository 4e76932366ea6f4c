"""Sheets of turns in which dice are set aside: the page is read, and a turn is played by it in plain fractions.

The reader knows the words of the page and the rules of the game as data below. It shares no code with the package.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import factorial, prod

import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.output.sheets import make_sheet
from keepwise.policies.levels import at_level

# By plain enumeration as in this file, as the game is played by the page of the game that ships.
MARTIAN = {
    "dice": 13,
    "weights": {"tank": 1, "ray": 2, "human": 1, "cow": 1, "chicken": 1},
    "points": {"human": 1, "cow": 1, "chicken": 1},
    "forced": "tank",
    "repeatable": "ray",
    "covers": ("ray", "tank"),
    "bonus": 3,
    "stuck_scores": True,
}
PICKOMINO = {
    "dice": 8,
    "points": {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "worm": 5},
    "needed": ("worm",),
    "totals": {21: 1, 25: 2, 29: 3, 33: 4},
}
MIDNIGHT = {
    "dice": 6,
    "points": {str(face): face for face in range(1, 7)},
    "needed": ("1", "4"),
    "needed_score": False,
    "any": True,
}


def rule_file(spec):
    """Return the rules of a game as a rule file has them."""
    weights = spec.get("weights") or dict.fromkeys(spec["points"], 1)
    rules = {"name": "small", "dice": spec["dice"], "faces": list(weights), "weights": list(weights.values())}
    rules["singles"] = spec["points"]
    conditions = {
        "needed": list(spec.get("needed", ())),
        "totals": {str(k): v for k, v in spec.get("totals", {}).items()},
    }
    if "covers" in spec:
        conditions |= {"covers": dict([spec["covers"]]), "bonus": spec["bonus"], "stuck": "score"}
        conditions |= {"forced": spec["forced"], "repeatable": spec["repeatable"]}
    if spec.get("any"):
        ends = {"then.set": "must", "then.all": "end", "finish": "one_turn", "set_aside": "any"}
        return {
            **rules,
            **ends,
            "whole_hand": {"needed": [int(face) for face in spec["needed"]], "needed_score": False},
        }
    return {
        **rules,
        "set_aside": "one-face",
        "one_face": {key: value for key, value in conditions.items() if value},
    }


class Page:
    """The numbers of a page, found by its words."""

    def __init__(self, sheet):
        said = " ".join(sheet.lines)
        number = r"(-?[\d.]+)"
        self.rate = self.amount(said, rf"and {number} for each die that you would then have left")
        self.off = self.amount(said, rf"Take off {number} for (?:a|each of)")
        self.off_short = self.amount(said, rf"Take off {number} for each die that must then still show")
        self.rolls_ahead = "But always roll if the dice that show" in said
        self.banks_when_done = "In any case bank once no face that scores" in said
        self.may_stop = "you may not stop" not in said
        single = re.search(r"Bank with ([\d,]+) turn points or more", said)
        self.limit = int(single[1]) if single else None
        self.tables = {table.heading.partition(",")[0].partition(":")[0]: table for table in sheet.tables}

    @staticmethod
    def amount(said, pattern):
        found = re.search(pattern, said)
        return Fraction(found[1]) if found else Fraction(0)

    @staticmethod
    def row(table, number):
        for name, *cells in table.rows:
            first, _, last = name.partition(" to ")
            if int(last or first) <= number <= int(first):
                return cells
        return None

    def worth(self, dice, missing, short):
        listed = self.tables.get("Worth of the dice left")
        if listed and len(listed.columns) > 2:
            column = ["nothing needed", "1 face needed", "2 faces needed"][missing]
            return Fraction(self.row(listed, dice)[listed.columns.index(column) - 1])
        worth = Fraction(self.row(listed, dice)[0]) if listed else self.rate * dice
        return worth - self.off * missing - self.off_short * short

    def bank_from(self, dice, used_up):
        table = self.tables.get("Bank or roll")
        if table is None:
            return self.limit
        if len(table.columns) == 2:
            return int(self.row(table, dice if table.columns[0] == "dice left" else used_up)[0])
        column = next(name for name in table.columns if re.fullmatch(rf"{used_up} faces? used up", name))
        return int(self.row(table, dice)[table.columns.index(column) - 1])


def turn_by_the_page(sheet, spec):
    """Return the mean payoff of a turn that is played by the page, as a fraction."""
    page, points = Page(sheet), spec["points"]
    weights = spec.get("weights") or dict.fromkeys(points, 1)
    faces, needed, cover = list(weights), spec.get("needed", ()), spec.get("covers")

    def turn_points(aside):
        total = sum(points.get(face, 0) * count for face, count in aside.items())
        if not spec.get("needed_score", True):
            total -= sum(points[face] for face in needed if aside[face])
        return total + spec.get("bonus", 0) * all(aside[face] for face in points)

    def short(aside):
        return max(0, aside[cover[1]] - aside[cover[0]]) if cover else 0

    def missing(aside):
        return sum(not aside[face] for face in needed)

    def payoff(aside):
        if short(aside) or missing(aside):
            return 0
        total = turn_points(aside)
        steps = spec.get("totals")
        return max((value for least, value in steps.items() if total >= least), default=0) if steps else total

    def ways(aside, roll):
        """Return what may be set aside of a roll."""
        if spec.get("any"):
            counts = product(*(range(roll[face] + 1) for face in faces))
            return [Counter(dict(zip(faces, taken, strict=True))) for taken in counts if any(taken)]
        forced = Counter({face: roll[face] for face in [spec.get("forced")] if face})
        free = [face for face in faces if roll[face] and face != spec.get("forced")]
        free = [face for face in free if face == spec.get("repeatable") or not aside[face]]
        return [forced + Counter({face: roll[face]}) for face in free]

    def sort_key(aside, taken):
        after = aside + taken
        left = spec["dice"] - after.total()
        is_last = (missing(after) and not left) or short(after) > left
        added = turn_points(after) - turn_points(aside)
        total = added + (page.worth(left, missing(after), short(after)) if left else 0)
        return (not is_last, total, added, -taken.total()) if not is_last else (False, 0, 0, 0)

    def used_up(aside):
        return sum(aside[face] > 0 for face in faces if face not in (spec.get("forced"), spec.get("repeatable")))

    def banks(aside):
        if not page.may_stop or not payoff(aside):
            return False
        if page.banks_when_done and all(aside[face] for face in points):
            return True
        if page.rolls_ahead and aside[cover[0]] > aside[cover[1]]:
            return False
        return turn_points(aside) >= page.bank_from(spec["dice"] - aside.total(), used_up(aside))

    @cache
    def value(counts):
        aside = Counter(dict(zip(faces, counts, strict=True)))
        left = spec["dice"] - aside.total()
        if not left or banks(aside):
            return Fraction(payoff(aside))
        mean = Fraction(0)
        for rolled in combinations_with_replacement(faces, left):
            roll = Counter(rolled)
            weight = factorial(left) * prod(weights[face] ** n for face, n in roll.items())
            weight //= prod(map(factorial, roll.values()))
            offered = ways(aside, roll)
            if not offered:
                stuck = aside + Counter({face: roll[face] for face in [spec.get("forced")] if face})
                mean += weight * (payoff(stuck) if spec.get("stuck_scores") else 0)
                continue
            after = aside + max(offered, key=lambda taken: sort_key(aside, taken))
            mean += weight * value(tuple(after[face] for face in faces))
        return mean / sum(weights.values()) ** left

    return value((0,) * len(faces))


def cost(sheet):
    return float(re.search(r"In full, the sheet costs ([\d.e+-]+)", sheet.facts[1])[1])


SMALL = {
    "martian": {**MARTIAN, "dice": 5},
    "pickomino": {**PICKOMINO, "dice": 4, "totals": {9: 1, 12: 2, 15: 3}},
    "midnight": {**MIDNIGHT, "dice": 4},
}


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("name", SMALL)
def test_a_turn_by_the_page_brings_the_stated_points(name, level):
    spec = SMALL[name]
    solution = kw.solve(own_game(rule_file(spec)), "points", fresh=True)
    sheet = make_sheet(solution, level=level)
    assert float(turn_by_the_page(sheet, spec)) == pytest.approx(solution.value() - cost(sheet), abs=1e-11)


@pytest.mark.patient
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize(
    ("name", "spec"), [("1-4-24", MIDNIGHT), ("pickomino-turn", PICKOMINO), ("martian-dice", MARTIAN)]
)
def test_a_turn_by_the_shipped_page_brings_the_stated_points(name, spec, level):
    solution = kw.solve(name, "points")
    sheet = make_sheet(solution, level=level)
    assert float(turn_by_the_page(sheet, spec)) == pytest.approx(solution.value() - cost(sheet), abs=1e-11)


@pytest.mark.parametrize("finish", ["at_least", "last_round"])
def test_decisions_for_the_kernel_are_the_choices_of_the_policy(finish):
    game = own_game({**rule_file({**MARTIAN, "dice": 3}), "target": 6, "finish": finish})
    policy = at_level(game, 3, "points").policy
    for objective in ("win", "points"):
        solution = kw.solve(game, objective, fresh=True)
        followed = solution.evaluate(policy.choose)
        assert solution.evaluate("sheet:3").value == pytest.approx(followed.value, abs=1e-9)


def test_sheets_of_every_level_lose_less_than_the_one_before():
    game = kw.load_rules("1-4-24")
    values = [at_level(game, level, "points").value for level in (1, 2, 3, 4)]
    assert values == sorted(values)
    optimum = 18.67633719577567  # by plain enumeration, see tests/turns/test_whole_hand.py
    assert values[2] == values[3] == pytest.approx(optimum, abs=1e-11)
