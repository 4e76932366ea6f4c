"""Taking over the dice and points that the turn before left: before the referee, simulated, and told as positions."""

from __future__ import annotations

import random

import numpy as np
import pytest
from house_rules import random_rules
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game
from keepwise.solvers import make_problem

SMALL = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "target": 4, "take_over": "free"}
PAIR = {"alike": {"2": {"2": 2}}}
RULES = [
    SMALL,
    {**SMALL, "target": 1},  # every bank wins
    {**SMALL, **PAIR},
    {**SMALL, **PAIR, "take_over": "opened"},
    {**SMALL, **PAIR, "take_over": "opened", "stop.opening": 2},
    {**SMALL, **PAIR, "stop.opening": 2, "stop.at_least": 1, "stop.on_win": False},
    {**SMALL, **PAIR, "finish": "exact"},
    {**SMALL, **PAIR, "finish": "exact", "take_over": "opened"},
    {**SMALL, **PAIR, "then.all": "must", "finish": "exact"},
    {**SMALL, **PAIR, "then.all": "end", "stop.at_least": 2},
    {**SMALL, **PAIR, "stop.below": "must", "stop.at_least": 2},
    {**SMALL, **PAIR, "set_aside": "all", "weights": [1, 2, 3]},
    {**SMALL, "alike": {"2": {"2": 2, "then": "must"}}, "then.over": True},
    {**SMALL, "special": [{"throw": "33", "then": "win"}, {"throw": "22", "then": "bust"}]},
    {**SMALL, "dice": 3, "alike": {"3": {"3": 2}}, "target": 3},
    {**SMALL, "dice": 1, "singles": {"1": 1, "2": 2}, "target": 6},
    {**SMALL, "singles": {"1": 1, "2": 0}, "then.all": "end"},
    {**SMALL, "faces": 4, "singles": {"1": 1, "2": -1}, "then.all": "end"},
    {**SMALL, "faces": 4, "singles": {"1": 1, "2": -1, "3": -2}, "then.all": "end", "weights": [5, 1, 1, 1]},
]
GAME = {**SMALL, **PAIR, "target": 12, "stop.at_least": 2}


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_before_the_referee(rules):
    assert check(own_game(rules), "win", rolls=100) > 0


@pytest.mark.cases(fast=7)
@pytest.mark.parametrize("seed", [*range(15), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 40))])
def test_random_rules_before_the_referee(seed):
    rng = random.Random(seed)
    while True:
        rules = random_rules(rng)
        rules |= {"dice": 2, "faces": 3, "target": 4, "take_over": rng.choice(("free", "opened"))}
        try:
            game = own_game({key: value for key, value in rules.items() if key != "weights"})
            make_problem(game, "win")
        except kw.InputError:
            continue
        bounded = rules["finish"] == "exact" or not kw.playable(game).reachable_states.can_be_forced
        if game.data.grain == 1 and bounded and (rules["finish"] != "last_round" or rules["then.all"] == "end"):
            break
    assert check(game, "win", rolls=60) > 0


@pytest.mark.slow
def test_simulated_takeover_games_reach_the_solved_value():
    solution = kw.solve(own_game({**GAME, "dice": 3}), "win", fresh=True)
    seat = solution.simulate(games=20_000, seed=5).seats[0]
    assert seat.start == solution.value()
    assert abs(seat.outcome.mean - seat.start) < 4 * seat.outcome.se
    played = solution.simulate("weak", "hold:3", games=500, seed=2).played
    start = np.array([solution.value(), 1 - solution.value()])
    assert np.allclose(played.outcome - start, played.luck - played.errors + played.others, atol=1e-12)


def test_same_bits_on_any_number_of_threads():
    game = own_game(GAME)
    one, two = (kw.solve(game, "win", fresh=True, threads=threads).value_table.arrays for threads in (1, 2))
    assert all(np.array_equal(one[name], two[name]) for name in one)


def test_takeover_offers_list_both_choices():
    playable = kw.playable(own_game(GAME))
    position = playable.position(opponents=[5], offered="3,1")
    over, anew = playable.choices(position)
    assert (over.action, over.points, over.dice_left) == ("take over 3 points, roll 1 die", 3, 1)
    assert (anew.action, anew.points, anew.dice_left) == ("roll 2 dice", 0, 2)
    assert playable.choices(playable.position(score=2, opponents=[5], turn=3, roll="1"))[0].after.offered == (4, 2)
    assert not playable.play_whole_turn(position, "bust").offered
    assert playable.play_whole_turn(position, "3 1").offered == (3, 1)


BAD = {
    "inside a turn": ({"offered": "3,1", "turn": 3, "dice": 1, "opponents": [3]}, "offered describes the start"),
    "one number": ({"offered": "3", "opponents": [3]}, "expected points and dice left over"),
    "more than there is": ({"offered": "4,1", "opponents": [3]}, "the score of the previous player is only 3"),
    "a score that cannot be": ({"offered": "2,1", "opponents": [3]}, "score without the points of offered"),
    "no bank": ({"offered": "3,3", "opponents": [3]}, "no turn banks 3 points with 3 dice left"),
}


@pytest.mark.parametrize(("told", "says"), BAD.values(), ids=BAD)
def test_offers_that_cannot_be_are_refused(told, says):
    with pytest.raises(kw.InputError, match=says):
        kw.playable(own_game(GAME)).position(**told)


def test_takeover_offers_are_refused_where_not_allowed():
    with pytest.raises(kw.InputError, match="cannot be taken over: you have no points yet"):
        kw.playable(own_game({**GAME, "take_over": "opened"})).position(opponents=[3], offered="3,1")
    playable = kw.playable(own_game({**GAME, "bust": {"costs": [0, 1]}, "stop.at_least": 0}))
    with pytest.raises(kw.InputError, match="offered requires opponents_busts to be 0"):
        playable.position(opponents=[3], opponents_busts=[1], offered="3,1")
    with pytest.raises(kw.InputError, match="cannot be taken over: it would pass the target"):
        kw.playable(own_game({**GAME, "stop.at_least": 0, "finish": "exact"})).position(
            score=10, opponents=[3], offered="3,1"
        )


REFUSED = {
    "once": ({"then.set": "end"}, "nothing to take over"),
    "one turn": ({"finish": "one_turn", "then.all": "end"}, "requires a race"),
    "dice": ({"dice": None, "die": [{"count": 2}, {"name": "two", "weights": [0, 1, 0]}]}, "require take_over=none"),
}


@pytest.mark.parametrize(("rules", "says"), REFUSED.values(), ids=REFUSED)
def test_rules_that_do_not_go_with_it_are_refused(rules, says):
    with pytest.raises(kw.InputError, match=says):
        own_game({key: value for key, value in {**SMALL, **rules}.items() if value is not None})


def test_ties_of_waiting_and_stopping_are_reported():
    """Two dice always score, so only one is left to be taken over, and loses half the time: who needs one point stops
    with 9 in hand for 1/2, or waits for the same.
    """
    weights = {
        "faces": ["x", "y", "sun"],
        "weights": [3, 2, 1],
        "singles": {"y": 1, "sun": 3},
        "alike": {"2": {"x": 4}},
    }
    relay = {"name": "relay", "dice": 2, "target": 3, "finish": "last_round", "take_over": "opened", **weights}
    with pytest.raises(kw.SolveError, match="either scoring nothing is as good as any bank"):
        kw.solve(own_game(relay), "win", fresh=True)


def test_takeover_does_not_matter_for_one_player():
    for objective, more in (("points", {}), ("turns", {}), ("reach", {"turns": 3})):
        plain = kw.solve(own_game({**GAME, "take_over": "none"}), objective, fresh=True, **more)
        assert kw.solve(own_game(GAME), objective, fresh=True, **more).value() == plain.value()
    with pytest.raises(kw.InputError, match="take_over with finish=last_round requires 2 players"):
        kw.solve(own_game({**GAME, "finish": "last_round"}), "win", 3)


@pytest.mark.slow
def test_from_the_command_line(run):
    rule = "--rules zehntausend --rule take_over=free --rule target=1000"
    out = run(f"advise {rule} --opponents 800 --offered 800,2").out
    assert "take over 800 points, roll 2 dice" in out
    assert "After a bank the next player may take over" in run(f"rules {rule}").out
    assert "to win; best play: " in run(f"evaluate {rule} --policy hold:500").out
