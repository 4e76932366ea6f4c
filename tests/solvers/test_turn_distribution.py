"""Distributions of the points of turns that end by rule, against plain enumeration of ordered rolls."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import compress, product

import pytest

import keepwise as kw
from keepwise.games import own_game

SUM = {"name": "sum", "then": {"set": "must", "all": "end"}, "singles": {str(face): face for face in range(1, 7)}}


def keep_one_distribution(dice, values, lowest=False):
    """Return the distribution of a hand of six-sided dice of which at least one is set aside after each roll.

    Of equally good sets the one with the most points is taken, and then the one of fewest dice.
    """
    sign = -1 if lowest else 1

    @cache
    def outcome(left):
        """Return the mean and the distribution of the points that so many dice bring."""
        if not left:
            return Fraction(0), {0: Fraction(1)}
        mean, chances = Fraction(0), {}
        for roll in product(range(1, 7), repeat=left):
            masks = [mask for mask in product((0, 1), repeat=left) if any(mask)]
            sets = [(sum(values[face] for face in compress(roll, mask)), sum(mask)) for mask in masks]
            sets.sort(key=lambda taken: (-taken[0], taken[1]))
            points, count = max(sets, key=lambda taken: sign * (taken[0] + outcome(left - taken[1])[0]))
            later_mean, later_chances = outcome(left - count)
            mean += (points + later_mean) / 6**left
            for total, chance in later_chances.items():
                chances[points + total] = chances.get(points + total, Fraction(0)) + chance / 6**left
        return mean, chances

    return outcome(dice)


def test_the_points_of_a_keep_one_turn_equal_plain_enumeration():
    solution = kw.solve(own_game({**SUM, "dice": 4}), "points", fresh=True)
    totals = solution.distribution()
    mean, chances = keep_one_distribution(4, {face: face for face in range(1, 7)})
    assert dict(zip(totals.totals, totals.chances, strict=True)) == chances
    assert totals.mean == mean == Fraction(989065, 52488)
    assert abs(solution.value() - mean) <= solution.error_bound


@pytest.mark.slow
def test_lowest_points_distributions_are_not_negated():
    """Threes: the value is exact, and the fewest points are those of 3s only."""
    totals = kw.solve(kw.load_rules("threes"), "points").distribution()
    mean, chances = keep_one_distribution(5, {1: 1, 2: 2, 3: 0, 4: 4, 5: 5, 6: 6}, lowest=True)
    assert totals.mean == mean == Fraction(504205555, 80621568)
    assert set(totals.totals) == set(chances)


def test_a_turn_of_one_roll_and_a_bounded_turn():
    """Hog: five dice, lost with a 1 among them. Twenty-one: from 16 on a player stops, so nothing is ever lost."""
    hog = kw.solve(kw.load_rules("hog"), "points").distribution()
    assert hog.mean == Fraction(15625, 1944)
    assert hog.at_least(1) == Fraction(5, 6) ** 5
    twenty_one = kw.solve(kw.load_rules("twenty-one"), "points").distribution()
    assert twenty_one.totals == (16, 17, 18, 19, 20, 21)
    assert twenty_one.mean == Fraction(16608276579265, 940369969152)  # tests/play/test_fractions.py


def test_a_distribution_in_json(run):
    printed = json.loads(run("value", "--rules", "threes", "--objective", "points", "--distribution", "--json").out)
    assert printed["distribution"]["mean_fraction"] == "504205555/80621568"
    assert sum(map(Fraction, printed["distribution"]["fractions"])) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "5000 --objective points",
            "5000 has no distribution for the objective points: a player may roll on without end",
        ),
        (
            "pig",
            "pig has no distribution for the objective win: only the objective points has one",
        ),
        (
            "--rules zilch --objective rate",
            "zilch has no distribution for the objective rate: only the objective points has one",
        ),
        ("--rules threes --objective win", "threes has no distribution for the objective win: use points"),
        ("--rules threes --objective points --roll 13456", "before the first roll; leave out --roll"),
    ],
)
def test_turns_without_a_distribution_are_refused(refused, words, message):
    refused(message, f"value {words} --distribution")


@pytest.mark.slow
@pytest.mark.parametrize("finish", ["at_least", "one_turn"])
def test_thirty_with_six_dice(finish):
    """At least 30 with six dice, one aside after each roll: plain enumeration of all rolls as multisets."""
    solution = kw.solve(own_game({**SUM, "dice": 6, "finish": finish}), "reach", goal=30, turns=1, fresh=True)
    told = solution.position_value(exact=True)
    assert told.exact == (Fraction(4931510846438033, 7312316880125952),)
    assert abs(solution.value() - told.exact[0]) <= solution.error_bound
