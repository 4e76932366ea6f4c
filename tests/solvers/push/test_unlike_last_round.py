"""Last rounds of two players whose rules differ: against the referee in fractions, and value iteration of one die."""

from __future__ import annotations

from itertools import product

import pytest
from race_by_value_iteration import SETTLED
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game

SMALL = {
    "name": "small",
    "dice": 2,
    "faces": 3,
    "singles": {"1": 1},
    "alike": {"2": {"2": 2}},
    "target": 4,
    "then.all": "end",
    "finish": "last_round",
}
TWOS = {"singles": {"1": 2}, "alike": {"2": {"2": 4}}}
THREES = {"singles": {"1": 3}, "alike": {"2": {"2": 3}}}
RULES = {
    "shorter second": (SMALL, {"2": {"target": 3}}),
    "ahead in the last turn": (SMALL, {"1": {"target": 2}}),
    "longer second ahead": (SMALL, {"2": {"target": 6, "head_start": 1}}),
    "an opening": (SMALL, {"2": {"stop.opening": 2}}),
    "a minimum": (SMALL, {"1": {"stop.at_least": 2, "stop.on_win": False}}),
    "minimum and target": ({**SMALL, "stop.at_least": 2, "stop.on_win": False}, {"1": {"target": 3}}),
    "grains 1 and 2": (SMALL, {"2": TWOS}),
    "grains 2 and 3": ({**SMALL, "target": 6}, {"1": TWOS, "2": THREES}),
}


@pytest.mark.parametrize(("rules", "seats"), RULES.values(), ids=RULES)
def test_the_referee_agrees_on_unlike_last_rounds(rules, seats):
    """At every position, those of the last turns included."""
    game = own_game({**rules, "seat": seats})
    assert len(game.seat_games) == 2
    assert check(game, "win", rolls=100) > 0


def one_die_last_rounds(targets: tuple[int, int], end: int) -> list[dict[tuple[int, int], float]]:
    """Return the chance to win of each seat when it is to move, by (own score, opponent's score).

    A die with the faces 1 to 3: a 1 loses the turn points, the others add 2 and 3. Turns stop at the total ``end``.
    """

    def turn(bust: float, bank: dict[int, float], most: int) -> float:
        before_roll = {points: bank[points] for points in range(most, most + 4)}
        for points in range(most - 1, -1, -1):
            roll = (bust + before_roll[points + 2] + before_roll[points + 3]) / 3
            before_roll[points] = max(roll, bank[points]) if points else roll
        return before_roll[0]

    def last(score: int, total: int) -> float:
        paid = {points: (score + points > total) + (score + points == total) / 2 for points in range(end + 4)}
        return turn(paid[0], paid, end)

    below = [product(range(targets[seat]), range(targets[1 - seat])) for seat in (0, 1)]
    values = [dict.fromkeys(pairs, 0.5) for pairs in below]
    finished = [
        {(score, total): last(score, total) for score in range(targets[seat]) for total in range(end + 4)}
        for seat in (0, 1)
    ]
    change = 1.0
    while change > SETTLED:
        change = 0.0
        for seat in (0, 1):
            for mine, theirs in values[seat]:
                bank = {}
                for points in range(end - mine + 4):
                    total = mine + points
                    table = values if total < targets[seat] else finished
                    bank[points] = 1 - table[1 - seat][theirs, total]
                new = turn(bank[0], bank, end - mine)
                change = max(change, abs(new - values[seat][mine, theirs]))
                values[seat][mine, theirs] = new
    return values


@pytest.mark.parametrize("targets", [(8, 8), (6, 10), (10, 6)])
def test_unlike_last_rounds_agree_with_value_iteration(targets):
    """A turn adds 190 points with a chance below (2/3)**63, and as small a chance makes up for them."""
    rules = {"name": "die", "dice": 1, "faces": 3, "singles": {"2": 2, "3": 3}, "target": targets[0]}
    seats = {"2": {"target": targets[1]}} if targets[0] != targets[1] else {"1": {"stop.at_least": 1}}
    solution = kw.solve(own_game({**rules, "finish": "last_round", "seat": seats}), "win", 2, fresh=True)
    expected = one_die_last_rounds(targets, 200)
    for mine, theirs in ((0, 0), (2, 3), (5, 2), (5, 5)):
        for seat in (0, 1):
            found = solution.value(score=mine, opponents=[theirs], seat=seat)
            assert abs(found - expected[seat][mine, theirs]) <= solution.error_bound + 1e-12


def test_a_simulation_with_unlike_targets_agrees():
    game = kw.game("greed", target=500, seats={2: {"target": 400}})
    solution = kw.solve(game, fresh=True)
    outcome = solution.simulate(games=2000, seed=5).seats[0].outcome
    assert abs(outcome.mean - solution.value()) < 4 * outcome.se


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "value greed --rule target=400 --rule 2:target=300 --players 3",
            "rules by seat other than head_start require 2 players, not 3",
        ),
        ("page greed --rule target=400 --rule 2:target=300", "not support rules by seat with finish=last_round"),
        ("certify greed --rule target=400 --rule 2:target=300 -o x.kwc", "not support rules by seat with finish"),
        ("chart greed regions --rule target=400 --rule 2:target=300", "cannot be combined with finish=last_round"),
    ],
)
def test_outputs_of_unlike_last_rounds_are_refused(refused, words, message):
    refused(message, words)
