"""Races with badges, against a plain program that shares no code with the solver."""

from __future__ import annotations

import pytest
from badge_race_by_value_iteration import Player, race_with_badges

import keepwise as kw
from keepwise.play.playable_game import replace_fields

SETS = (((1,), 1), ((1, 1, 1), 4), ((2, 2), 2), ((3, 3, 3), 3))
RULES = {
    "name": "three-dice",
    "dice": 3,
    "faces": 4,
    "singles": {"1": 1},
    "alike": {"2": {"2": 2}, "3": {"1": 4, "3": 3}},
    "target": 6,
}
PLAIN = (0, 0, 0)


def badges(warlord=0, resurrection=0, emperor=0):
    return {"warlord": warlord, "resurrection": resurrection, "emperor": emperor}


def player(target=6, minimum=0, warlord=0, resurrection=0, emperor=0, dice=3, faces=4):
    return Player(dice, faces, SETS, target, warlord, (int(warlord > 0), resurrection, emperor), minimum)


def check_all_states(game, players):
    """Compare the chances of all states, for either seat to move, with those of the plain program."""
    solution = kw.solve(game, players=2, fresh=True)
    problem, playable = solution.problem, solution.playable
    expected = race_with_badges(players)
    starts = [
        replace_fields(
            playable.turn_start((own, other) if seat == 0 else (other, own), seat, 0),
            uses=(mine, theirs) if seat == 0 else (theirs, mine),
        )
        for seat, mine, theirs, own, other in expected
    ]
    values = problem.state_values(solution.value_table, starts)[0]
    largest = 0.0
    for start, value, chance in zip(starts, values, expected.values(), strict=True):
        largest = max(largest, abs(value[start.seat] - chance))
    assert largest <= solution.value_table.error_bound + 1e-11
    assert len(starts) == len(set(starts))
    return solution


@pytest.mark.parametrize(
    "left",
    [
        badges(warlord=50),
        badges(warlord=100),
        badges(resurrection=1),
        badges(resurrection=2),
        badges(emperor=1),
        badges(emperor=2),
        badges(warlord=50, resurrection=1),
        badges(resurrection=1, emperor=1),
        badges(warlord=25, emperor=1),
        badges(warlord=50, resurrection=1, emperor=1),
    ],
    ids=str,
)
def test_badges_agree_with_value_iteration(left):
    game = kw.games.own_game({**RULES, **left})
    check_all_states(game, (player(**left), player(**left)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (badges(warlord=50), badges(resurrection=2)),
        (badges(emperor=1), badges()),
        (badges(), badges(warlord=100, resurrection=1)),
        (badges(warlord=25), badges(warlord=100)),
    ],
    ids=str,
)
def test_unequal_badges_agree_with_value_iteration(first, second):
    game = kw.games.own_game({**RULES, "seat": {"1": first, "2": {**second, "target": 7}}})
    check_all_states(game, (player(**first), player(**second, target=7)))


def test_a_minimum_counts_before_the_points_are_raised():
    left = badges(warlord=100, resurrection=1)
    game = kw.games.own_game({**RULES, **left, "stop": {"at_least": 2}})
    check_all_states(game, (player(**left, minimum=2), player(**left, minimum=2)))
