"""What is printed about a number's error holds: bounds are rounded up, and what is said to be exact is told in full."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest

import keepwise
import keepwise as kw
from keepwise.output.sheets import make_sheet
from keepwise.util.number_format import format_bound


@pytest.mark.parametrize(
    ("bound", "told"),
    [(2.345e-12, "3e-12"), (1.242e-11, "2e-11"), (9.0001e-10, "1e-09"), (0.0, "0"), (0.5, "0.5"), (0.00012, "0.0002")],
)
def test_bounds_are_rounded_up_to_one_digit(bound, told):
    assert format_bound(bound) == told


def test_printed_bounds_are_never_below_the_bound():
    rng = random.Random(5)
    for _ in range(5000):
        bound = 10 ** rng.uniform(-17, 1)
        assert bound <= Fraction(format_bound(bound)) <= Fraction(bound) * 2 + Fraction(1, 10**30)


@pytest.mark.parametrize("question", [("5000", "win"), ("farkle", "win"), ("pig", "turns"), ("scarney", "points")])
def test_every_answer_prints_a_bound_that_holds(question, run):
    solution = kw.solve(*question)
    for words in (f"value {question[0]} --objective {question[1]}",):
        (told,) = re.findall(r"within ([\d.e-]+)$", run(words).out, re.MULTILINE)
        assert Fraction(told) >= solution.error_bound


def test_no_other_place_rounds_a_bound():
    # Every number that is printed short of its digits is printed by one of the functions of number_format.py.
    sources = [*Path(keepwise.__path__[0]).rglob("*.py"), *Path(keepwise.__path__[0], "cli").rglob("*.py")]
    found = {path.name for path in sources if re.search(r"(bound|error)[^}]*:\.\d+[ge]}", path.read_text())}
    assert found <= {"number_format.py"}


SHEETS = [
    (kw.game("pig", target=40), "win"),
    (kw.game("pig"), "turns"),
    (kw.game("5000"), "points"),
    (kw.game("battleship"), "points"),
    (kw.game("scarney"), "points"),
    (kw.game("booby-trap", large=4, medium=4, small=4), "margin"),
    (kw.game("double-cameroon"), "points"),
]


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(("game", "objective"), SHEETS, ids=lambda one: getattr(one, "id", one))
def test_sheets_print_exact_values_in_full(game, objective):
    sheet = make_sheet(kw.solve(game, objective, fresh=game.id != "double-cameroon"))
    exact, bound = re.search(
        r"In full, the sheet costs ([\d.e+-]+) [^,]+, within ([\d.e+-]+)\.$", " ".join(sheet.facts)
    ).groups()
    assert repr(float(exact)) == exact
    assert Fraction(bound) > 0
