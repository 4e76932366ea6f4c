"""The examples of docs/own-game.md print what is written there, and their values are right."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "own-game.md").read_text()
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PRINTED = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES = list(zip(CODE, PRINTED, strict=True))


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=["dice", "hand", "race"])
def test_example_prints_what_is_written(code, printed, capsys):
    exec(code, {"__name__": "example"})
    assert capsys.readouterr().out == printed


def test_value_of_costly_dice_equals_plain_value_iteration():
    def spots(roll):
        return float(sum(7 - die if roll.count(die) > 1 else die for die in roll))

    rolls = list(combinations_with_replacement(range(1, 7), 3))
    kept_sets = [kept for size in range(3) for kept in combinations_with_replacement(range(1, 7), size)]
    value = {roll: spots(roll) for roll in rolls}
    for _ in range(100):
        again = {
            kept: sum(value[tuple(sorted(kept + rest))] for rest in product(range(1, 7), repeat=3 - len(kept)))
            / 6 ** (3 - len(kept))
            for kept in kept_sets
        }
        value = {
            roll: max(
                spots(roll),
                *(again[tuple(die for die, stays in zip(roll, mask, strict=True) if stays)] - 1
                  for mask in product((0, 1), repeat=3) if sum(mask) < 3),
            )
            for roll in rolls
        }  # fmt: skip
    mean = sum(value[tuple(sorted(roll))] for roll in product(range(1, 7), repeat=3)) / 216
    assert f"{mean:.5f}" == EXAMPLES[0][1].splitlines()[0]


@pytest.mark.slow
def test_value_of_midnight_equals_plain_enumeration():
    """1-4-24 from all rolls as counts by face, and all sets of dice that may be set aside."""

    @cache
    def rolls(dice):
        counts = Counter(tuple(map(sorted(roll).count, range(1, 7))) for roll in product(range(1, 7), repeat=dice))
        return [(roll, Fraction(ways, 6**dice)) for roll, ways in counts.items()]

    @cache
    def mean(dice, has_one, has_four, spots):
        if not dice:
            return Fraction(spots - 5 if has_one and has_four else 0)
        return sum(share * max(after(dice, has_one, has_four, spots, roll)) for roll, share in rolls(dice))

    def after(dice, has_one, has_four, spots, roll):
        for aside in product(*(range(count + 1) for count in roll)):
            if any(aside):
                total = spots + sum(face * count for face, count in enumerate(aside, 1))
                yield mean(dice - sum(aside), has_one or aside[0] > 0, has_four or aside[3] > 0, total)

    expected = Fraction(5058047990207219, 270826551115776)
    assert mean(6, False, False, 0) == expected
    names = {"__name__": "example"}
    exec(CODE[1], names)
    assert abs(names["solution"].value() - expected) <= names["solution"].error_bound
