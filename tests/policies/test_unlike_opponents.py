"""Policies in races whose players have rules of their own, against a plain program."""

from __future__ import annotations

import pytest
from unlike_race_by_value_iteration import Player, offers_of_pig, race_of_many_by_value_iteration

import keepwise as kw
from keepwise.policies.registry import PolicyContext, parse_policy
from keepwise.util.errors import InputError

ROUNDING = 1e-13  # of the plain program
RACES = {  # targets and faces by seat
    "two": ((12, 9), (6, 8)),
    "three": ((9, 7, 10), (6, 4, 6)),
}


def game_of(targets, faces):
    seats = {
        seat: {"target": target, "faces": count}
        for seat, (target, count) in enumerate(zip(targets, faces, strict=True), 1)
    }
    return kw.game("pig", target=targets[0], faces=faces[0], seats=seats)


def plain_chances(targets, faces, limits):
    """Return the chance of every seat at the beginning."""
    players = tuple(Player(((1, ()),), (), target) for target in targets)
    offers = [offers_of_pig(player, count) for player, count in zip(players, faces, strict=True)]
    values = race_of_many_by_value_iteration(players, step=1, offers=offers, limits=limits)
    return values[0, (0,) * len(targets)]


@pytest.mark.parametrize("own", ["best", "hold:4"])
@pytest.mark.parametrize(("targets", "faces"), RACES.values(), ids=RACES)
def test_policies_against_limits_agree_with_a_plain_program(targets, faces, own):
    players = len(targets)
    solution = kw.solve(game_of(targets, faces), players=players, fresh=True)
    result = solution.against("hold:6", policy=own)
    own_limit = None if own == "best" else 4
    for seat in range(players):
        limits = tuple(own_limit if other == seat else 6 for other in range(players))
        expected = plain_chances(targets, faces, limits)[seat]
        assert abs(result.values[seat] - expected) <= result.error_bound + ROUNDING


@pytest.mark.parametrize(("targets", "faces"), RACES.values(), ids=RACES)
def test_a_policy_against_optimal_play_is_no_better_than_that(targets, faces):
    players = len(targets)
    solution = kw.solve(game_of(targets, faces), players=players, fresh=True)
    result = solution.evaluate("hold:4")
    start = solution.problem.seat_values(solution.value_table, [solution.playable.start()]).values[0]
    assert abs(result.optimal - start[0]) <= result.error_bound
    assert 0.01 < result.loss < 0.6
    best = solution.against("best")
    assert max(abs(value - optimum) for value, optimum in zip(best.values, start, strict=True)) <= (
        best.error_bound + solution.error_bound
    )


def test_every_seat_follows_the_sheet_of_its_own_rules():
    """With a ten-sided die the second seat holds more points than the first with six sides."""
    playable = kw.solve(game_of((30, 30), (6, 10)), fresh=True).playable
    policy = parse_policy("sheet", PolicyContext(playable))
    limits = [list(seat_policy.by_dice.values()) for seat_policy in policy.policies]
    assert limits[0] < limits[1]


def test_duel_is_refused():
    with pytest.raises(InputError, match="policy duel cannot be used here"):
        kw.solve(game_of((9, 7), (6, 6)), fresh=True).against("duel")


def test_a_last_round_is_evaluated_position_by_position():
    """The equations of races with given policies have none; simulated games agree."""
    game = kw.game("greed", target=400, seats={2: {"target": 300}})
    solution = kw.solve(game, fresh=True)
    result = solution.evaluate("hold:300")
    policies = ("hold:300",), ("best", "hold:300")
    for seat, value in enumerate((result.value, result.second[0])):
        simulated = solution.simulate(*policies[seat], games=4000, seed=1).seats[seat]
        assert abs(simulated.outcome.mean - value) < 4 * simulated.outcome.se
    with pytest.raises(InputError, match="different rules and a last round: use keepwise simulate"):
        solution.against("hold:300")
