"""Races of three and more with a last round (``finish=last_round``): against the referee in fractions, the race of two,
and simulated games.
"""

from __future__ import annotations

import numpy as np
import pytest
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game
from keepwise.solvers.push import last_round
from keepwise.solvers.push.states import States

SMALL = {
    "name": "small",
    "dice": 3,
    "faces": 3,
    "singles": {"1": 1, "2": 2},
    "then.all": "end",
    "finish": "last_round",
}
PAIR = {**SMALL, "dice": 2, "singles": {"1": 1}, "alike": {"2": {"2": 2}}}
SHORT = {"target": 1000, "finish": "last_round"}

GAMES = [
    ({**PAIR, "target": 3}, 3),
    ({**PAIR, "target": 4, "stop.at_least": 2}, 3),
    ({**SMALL, "dice": 1, "target": 3}, 4),
    ({**PAIR, "target": 4, "stop.at_least": 2, "stop.on_win": False}, 3),
    ({**PAIR, "target": 3, "then.dice": "chosen", "then.set": "end", "then.all": "roll"}, 3),
]

LARGER = [
    ({**SMALL, "target": 5}, 3),
    ({**SMALL, "dice": 1, "target": 4}, 4),
    ({**SMALL, "target": 4, "stop.at_least": 2, "stop.opening": 3, "stop.on_win": False}, 3),
    ({**SMALL, "target": 5, "stop.at_least": 2, "stop.opening": 4}, 3),
    ({**SMALL, "dice": 2, "target": 3, "special": [{"throw": "33", "then": "win"}]}, 4),
    ({**SMALL, "dice": 2, "target": 3, "weights": [1, 2, 3]}, 4),
    ({**PAIR, "target": 4, "stop.opening": 2, "then.dice": "chosen", "then.set": "end", "then.all": "roll"}, 3),
    ({**PAIR, "target": 3, "then.dice": "chosen", "then.set": "end", "then.all": "roll"}, 4),
]


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("rules", "players"), GAMES)
def test_the_referee_agrees(rules, players):
    """At every position, those of the last turns included."""
    assert check(own_game(rules), "win", players=players, rolls=100) > 0


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize(("rules", "players"), LARGER)
def test_the_referee_agrees_on_larger_games(rules, players):
    assert check(own_game(rules), "win", players=players, rolls=100) > 0


@pytest.fixture(scope="module")
def three():
    return kw.solve(kw.game("5000", **SHORT), "win", 3, fresh=True)


def test_last_round_equilibrium_has_no_regret(three):
    assert three.position_value().extra["regret"] <= 1e-11
    assert abs(sum(three.position_value().seats) - 1) <= 3 * three.error_bound


def test_the_last_of_three_plays_as_the_last_of_two(three):
    """Once the others have had their turn nothing but the highest total matters."""
    two = kw.solve(kw.game("5000", **SHORT), "win", fresh=True)
    for score, total in ((0, 1000), (500, 1300), (950, 1000), (800, 2400), (950, 5000)):
        alone = two.position_value(score=score, opponents=[total])
        for others in ([total, 600], [total, total - 50] if total > 1000 else [total, 0]):
            found = three.position_value(score=score, opponents=others)
            assert abs(found.value - alone.value) <= found.error_bound + alone.error_bound
            assert abs(found.seats[1] - alone.seats[1]) <= found.error_bound + alone.error_bound
    roll = {"score": 600, "turn": 400, "roll": "11355"}
    alone = two.advise(**roll, opponents=[1200])
    found = three.advise(**roll, opponents=[1200, 900])
    assert [choice.action for choice in found.choices] == [choice.action for choice in alone.choices]
    differ = [one.value - other.value for one, other in zip(found.choices, alone.choices, strict=True)]
    assert np.abs(differ).max() <= found.error_bound + alone.error_bound


def test_those_who_tie_share_alike(three):
    """Two hold 1,100 and the last, who needs 300, can tie both, or beat them."""
    tied = three.position_value(score=800, opponents=[1100, 1100])
    assert tied.seats[1] == tied.seats[2]
    assert tied.value < three.position_value(score=800, opponents=[1100, 1050]).value


def test_unreachable_totals_have_plausible_values(three):
    found = three.position_value(score=900, opponents=[950, 90_000])
    assert found.seats[2] >= 1 - found.error_bound
    near = three.position_value(score=900, opponents=[90_000, 950], turn=89_000, dice=5)  # 100 behind
    assert near.value > 0.3


@pytest.mark.slow
def test_a_tie_that_does_not_count():
    """Who needs less than the minimum to tie must bank the minimum all the same, or nothing."""
    solution = kw.solve(kw.game("5000", **SHORT), "win", 3, fresh=True)
    choices = solution.advise(score=950, opponents=[1000, 500], roll="15346").choices
    assert next(one for one in choices if one.follow_up == "stop").value == 0


def test_last_turn_banks_below_the_minimum_are_accepted():
    """No other bank may be so small: the one after the mover has had no last turn yet."""
    playable = kw.playable(own_game({**SMALL, "target": 4, "stop.at_least": 2, "stop.on_win": False}), 3)
    position = playable.position(score=2, opponents=[4, 1])
    assert playable.position(**playable.to_dict(position)) == position
    with pytest.raises(kw.InputError, match="opponents cannot be 1"):
        playable.position(score=2, opponents=[1, 4])


def test_truncated_last_turns_cost_no_more_than_derived(monkeypatch):
    """With a coarse truncation, a mover's chance is compared with that of tables which end far later.

    The mover and the player after are one pair, which costs at most twice the truncation (``last_round_error``).
    """
    truncation = 2.0**-8
    monkeypatch.setattr(last_round, "TRUNCATION", truncation)
    singles = {str(face): face for face in range(2, 7)}
    rules = {"name": "our-pig", "dice": 1, "singles": singles, "then.all": "roll", "finish": "last_round", "target": 12}
    last_turns = last_round.LastTurns(States(own_game(rules).data))
    end = int(last_turns.end_totals.max())

    def mover_chances(max_total):
        tables = last_round.MultiplayerLastTurns(last_turns, 3, max_total)
        shares = tables.shares_without_turns()
        for _ in range(2):
            shares = tables.with_earlier_mover(np.arange(rules["target"]), shares)
        return shares[0][:, : end - rules["target"], 0]  # by scores, and totals below the end

    cost = np.abs(mover_chances(end) - mover_chances(end + 60)).max()
    assert 0.1 * truncation < cost <= 2 * truncation
