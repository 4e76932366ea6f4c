"""Values in fractions: published ones, floats within their bounds of them, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
import toys
from playwalk import walk
from tallies import Reason, skip

import keepwise as kw
from keepwise.answers.positions import gain_sign
from keepwise.certify import exact_values as module
from keepwise.games import own_game

ALONE = {"points": {}, "turns": {}, "reach": {"turns": 2}}
TOYS = {f"{name}, {objective}": (own_game(rules), objective, more)
        for name, rules in toys.RULES.items() if name in toys.PUSH
        for objective, more in (("win", {}), *ALONE.items())}  # fmt: skip
SMALL = [
    (kw.game("pig", target=10), "win", {}),
    (kw.game("pig", faces=2, points="one", target=8), "win", {}),
    (kw.game("pig", target=30), "turns", {}),
    (kw.game("pig"), "points", {}),
    pytest.param((kw.game("5000"), "points", {}), marks=pytest.mark.slow),
    (kw.game("5000", target=300, opening=200, minimum=100), "win", {}),
    (kw.game("boston"), "win", {}),
    (kw.game("multiplication"), "points", {}),
    pytest.param((kw.game("battleship", rounds=1), "win", {}), marks=pytest.mark.slow),
    (kw.game("battleship", rounds=1), "margin", {}),
    (kw.game("battleship"), "points", {}),
    (kw.game("battleship", target=15), "turns", {}),
    (kw.game("hearts-due", target=25), "win", {}),
    (kw.game("hearts-due", target=15), "win", {"players": 3}),
    (kw.game("hearts-due"), "turns", {}),
    (kw.game("booby-trap", large=1, medium=1, small=1), "win", {}),
]


def close(game, objective, more, positions=4):
    """Whether floats lie within their bounds of the fractions at positions that are played; none if it is refused."""
    solution = kw.solve(game, objective, fresh=True, **more)
    found = [solution.playable.start(), *walk(solution.playable, 1, 1)]
    stages = [one for one in found if solution.playable.stage(one) != "over"]
    for position in stages[:positions]:
        told, advice = (ask(position, exact=True) for ask in (solution.position_value, solution.advise))
        for value, exact in zip(told.seats or (told.value,), told.exact, strict=True):
            assert abs(Fraction(value) - exact) <= told.error_bound, solution.playable.id(position)
        for choice in advice.choices:
            assert abs(Fraction(choice.value) - choice.exact) <= advice.error_bound, (position, choice.action)
        if solution.playable.stage(position) == "choose":
            assert told.exact[0] == (min if gain_sign(solution.problem) < 0 else max)(
                one.exact for one in advice.choices
            )
    return len(stages)


@pytest.mark.cases(fast=2, slow=7)
@pytest.mark.parametrize("question", SMALL, ids=lambda one: f"{one[0].id} {one[1]}")
def test_small_games(question):
    assert close(*question)


@pytest.mark.checks(share=0.6)
@pytest.mark.cases(fast=32)
@pytest.mark.parametrize("question", TOYS.values(), ids=TOYS)
def test_toys(question, monkeypatch, tally):
    monkeypatch.setattr(module, "MAX_POSITIONS", 2000)
    module.exact_referee.cache_clear()
    try:
        assert close(*question)
        tally.add()
    except kw.InputError as refused:
        skip(Reason.NO_FRACTION, refused)


def test_published():
    """Piglet to 2 at the beginnings of turns, and with 1 in hand (Neller & Presser 2004; ``test_pig.py``)."""
    piglet = kw.solve(kw.game("pig", faces=2, points="one", target=2), fresh=True)
    known = {(0, 0): (4, 7), (0, 1): (2, 5), (1, 0): (4, 5), (1, 1): (2, 3)}
    for (score, opponent), chance in known.items():
        told = piglet.position_value(score=score, opponents=[opponent], exact=True)
        assert told.exact == (Fraction(*chance), 1 - Fraction(*chance))
    assert piglet.position_value(turn=1, dice=1, exact=True).exact[0] == Fraction(5, 7)


def test_the_turns_of_pig_for_points():
    """Whoever holds 20 may as well throw: 19 more points and 5/6 of what follows; by induction over what is in hand."""
    worth = {points: Fraction(points) for points in range(20, 26)}
    for points in range(19, -1, -1):
        worth[points] = max(Fraction(points), sum(worth[points + face] for face in range(2, 7)) / 6)
    assert kw.solve("pig", "points").position_value(exact=True).exact == (worth[0],)


def test_exact_value_of_a_stop_without_turn_points():
    """Worked out by hand in tests/solvers/push/test_push_below_zero.py."""
    rules = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1, "2": 0}, "target": 2, "then.all": "end"}
    game = own_game({**rules, "special": [{"throw": "3", "then": "wipe"}]})
    solution = kw.solve(game, "reach", turns=2, fresh=True)
    assert solution.position_value(score=1, exact=True).exact == (Fraction(23, 27),)


SUM = {"name": "sum", "then": {"set": "must", "all": "end"}, "singles": {str(face): face for face in range(1, 7)}}
# Expected sums by number of dice if at least one die is set aside after each throw: The Riddler, FiveThirtyEight.
RIDDLER = {
    1: (7, 2),
    2: (593, 72),
    3: (13049, 972),
    4: (989065, 52488),
    5: (1108166095, 45349632),
    6: (332273594663, 11019960576),
    7: (4621176159903031, 128536820158464),
}


@pytest.mark.parametrize("dice", [pytest.param(one, marks=pytest.mark.slow) if one > 4 else one for one in RIDDLER])
@pytest.mark.parametrize("finish", ["at_least", "one_turn"])
def test_turns_that_end_by_rule(dice, finish):
    solution = kw.solve(own_game({**SUM, "dice": dice, "finish": finish}), "points", fresh=True)
    told = solution.position_value(exact=True)
    assert told.exact == (Fraction(*RIDDLER[dice]),)
    assert abs(Fraction(told.value) - told.exact[0]) <= told.error_bound


def test_turns_of_one_throw():
    """The sum of four dice is 14 on average."""
    game = own_game({**SUM, "dice": 4, "then": {"set": "end"}})
    assert kw.solve(game, "points", fresh=True).position_value(exact=True).exact == (14,)


def test_a_bounded_hand():
    """Twenty-one with a die, by induction over the hand: stop with it, or throw; more than 21 is worth nothing."""
    worth = dict.fromkeys(range(22, 28), Fraction(0))
    for points in range(21, -1, -1):
        worth[points] = max(Fraction(points), sum(worth[points + face] for face in range(1, 7)) / 6)
    assert worth[0] == Fraction(16608276579265, 940369969152)
    told = kw.solve(kw.load_rules("twenty-one"), "points").position_value(exact=True)
    assert told.exact == (worth[0],)


def test_throws_that_cannot_bust_before_throws_that_can():
    """One die scores always, two may bust: by induction over the points in hand, stopping with 20 before two dice."""
    two = {points: Fraction(points) for points in range(20, 30)}  # 5 of 9 throws score, on average less than 9 points
    one = {}
    for points in range(26, -1, -1):
        one[points] = sum(two[points + face] for face in (1, 2, 3)) / 3  # and then both dice may be thrown
        if points < 20:
            both = max(two[points + 2], Fraction(points + 1), one[points + 1])
            two[points] = max(Fraction(points), (both + 4 * max(Fraction(points + 1), one[points + 1])) / 9)
    told = kw.solve(own_game(toys.rules("scores its sum")), "points", fresh=True).position_value(exact=True)
    assert told.exact == (two[0],)


LINE = "pig --rule target=20 --score 12 --opponents 15"


def test_in_json(run):
    told = json.loads(run("value", *LINE.split(), "--exact", "--json").out)
    assert abs(Fraction(told["value"]) - Fraction(told["exact"])) <= told["error_bound"]
    assert told["exact_seats"][0] == told["exact"]
    assert sum(map(Fraction, told["exact_seats"])) == 1
    told = json.loads(run("advise", *LINE.split(), "--turn", "2", "--dice", "1", "--exact", "--json").out)
    for choice in told["choices"]:
        assert abs(Fraction(choice["value"]) - Fraction(choice["exact"])) <= told["error_bound"]
    assert "exact" not in run("value", *LINE.split(), "--json").out


def test_exact_advice_covers_positions_with_one_choice(run):
    assert "84/101" in run("advise pig --rule target=6 --score 2 --dice 1 --exact").out


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pig --rule target=3 --players 3", "exact fractions require one or two players"),
        ("pig", "20,000 positions and 500,000 steps"),
        ("double-cameroon", "20,000 positions and 500,000 steps"),
        ("--rules farkle-facebook --objective rate", "long-run average"),
    ],
)
def test_exact_values_are_refused_in_one_line(line, said, run):
    seen = run("value", *line.split(), "--exact")
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert said in seen.err


@pytest.mark.slow
def test_fractions_with_too_many_digits_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_DIGITS", 3)
    module.exact_referee.cache_clear()
    with pytest.raises(kw.InputError, match="the exact fraction has 8 digits; at most 3 can be printed"):
        kw.solve(kw.game("pig", target=20)).position_value(exact=True)
