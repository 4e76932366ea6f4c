"""Races whose players have rules of their own, against plain programs that share no code with the solver."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from race_by_value_iteration import SETTLED, pig_by_value_iteration
from unlike_race_by_value_iteration import Player, groups_of_5000, race_by_value_iteration

import keepwise as kw
from keepwise.games import own_game
from keepwise.solvers.push import unlike_race
from keepwise.solvers.push.states import States
from keepwise.solvers.push.unlike_race import solve_unlike_race
from keepwise.util.errors import InputError


@pytest.mark.parametrize(("targets", "faces"), [((20, 30), (6, 6)), ((30, 20), (6, 6)), ((20, 25), (8, 5))])
def test_unlike_pig_agrees_with_value_iteration(targets, faces):
    seats = {2: {"target": targets[1], "faces": faces[1]}}
    solution = kw.solve(kw.game("pig", target=targets[0], faces=faces[0], seats=seats), fresh=True)
    arrays = solution.value_table.arrays
    for seat, expected in enumerate(pig_by_value_iteration(targets, faces)):
        own_scores, other_scores = arrays[f"scores{seat + 1}"], arrays[f"scores{2 - seat}"]
        plain = [[expected[mine, theirs] for theirs in other_scores] for mine in own_scores]
        # Value iteration stops at changes of SETTLED; the error is larger by the number of turns of a game.
        assert np.abs(arrays[f"win{seat + 1}"] - plain).max() <= solution.value_table.error_bound + 50 * SETTLED


def test_equal_rules_by_seat_are_the_old_game():
    game = kw.game("pig", target=20)
    same = kw.game("pig", target=20, seats={2: {"target": 20}, 1: {"faces": 6, "head_start": 0}})
    assert same == game
    assert "seat" not in same.rules


def test_a_head_start_is_the_position_with_that_score():
    plain = kw.solve(kw.game("pig", target=30), players=2, fresh=True)
    ahead = kw.solve(kw.game("pig", target=30, seats={2: {"head_start": 7}}), fresh=True)
    bound = plain.value_table.error_bound + ahead.value_table.error_bound
    assert abs(ahead.value() - plain.value(score=0, opponents=[7])) <= bound
    assert abs(ahead.value(score=3, opponents=[9]) - plain.value(score=3, opponents=[9])) <= bound


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ({0: {"target": 9}}, "a seat must be a whole number from 1"),
        ({2: {"target": 30, "finish": "exact"}}, "unknown rule 'finish' of pig"),
        ({2: {"head_start": 100}}, "must be between 0 and 99, below the target"),
        ({2: 7}, "must be a table of rules"),
        ({2: {"fruit": 3}}, "unknown rule 'fruit' of pig; known: target"),
    ],
)
def test_impossible_rules_by_seat_are_refused(seats, message):
    with pytest.raises(kw.InputError, match=message):
        kw.game("pig", seats=seats)


def test_more_seats_than_players_are_refused():
    with pytest.raises(kw.InputError, match="the rules describe seat 3, but there are 2 players"):
        kw.solve(kw.game("pig", target=10, seats={3: {"target": 12}}))


@pytest.mark.parametrize("players", [None, 2])
def test_a_seat_too_many_is_refused_even_if_it_is_alike(players):
    game = kw.game("pig", target=10, seats={3: {"target": 10}})
    with pytest.raises(kw.InputError, match="the rules describe seat 3, but there are 2 players"):
        kw.solve(game, players=players)
    assert kw.playable(game, 3).players == 3


def test_a_head_start_must_name_its_seat():
    message = "head_start=20 must name a seat: write 1:head_start=20"
    for name in ("pig", "kingdom-come-2"):
        with pytest.raises(kw.InputError, match=message):
            kw.game(name, head_start=20)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("targt = 3", "unknown key 'targt'; did you mean target?"),
        ('finish = "exact"', "seat 2: finish must be the same for all seats"),
        ('hand = "luky*6"', "unknown die 'luky'; did you mean lucky?"),
        ("head_start = 9000", "seat 2: head_start=9000 must be between 0 and 1499, below the target"),
    ],
)
def test_a_wrong_rule_of_a_seat_is_reported_with_its_line(rule, message, tmp_path):
    path = tmp_path / "tavern.toml"
    path.write_text(f'game = "kingdom-come-2"\ntarget = 1500\n\n[seat.2]\n{rule}\n')
    with pytest.raises(kw.InputError) as refused:
        kw.load_rules(path)
    assert str(refused.value) == f"{path}:5: {message}"
    key, _, value = rule.partition(" = ")
    with pytest.raises(kw.InputError) as refused:  # not in a file, so without a line
        kw.game("kingdom-come-2", target=1500, seats={2: {key: value.strip('"')}})
    assert str(refused.value) == re.sub("unknown key ('.*?')", r"unknown rule \1 of kingdom-come-2", message)


@pytest.mark.parametrize("seats", [{}, {2: {"target": 12}}], ids=["as the file says", "changed"])
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("seat = 3", "seat must be a table"),
        ("[seat]\n2 = 5", "seat.2 must be a table"),
        ("[seat.x]", "a seat must be a whole number .* not .x"),
    ],
)
@pytest.mark.parametrize("game", ['game = "pig"', 'dice = 1\ntarget = 9\nsingles = {"1" = 1}'], ids=["pig", "own"])
def test_a_rule_file_whose_seats_are_no_tables_is_refused(game, table, message, seats, tmp_path):
    path = tmp_path / "seats.toml"
    path.write_text(f"{game}\n{table}\n")
    with pytest.raises(InputError, match=message):
        kw.load_rules(path, seats=seats)


def test_seats_of_the_command_line_replace_those_of_a_file(tmp_path):
    path = tmp_path / "seats.toml"
    path.write_text('game = "pig"\n[seat.02]\ntarget = 40\nhead_start = 3\n')
    game = kw.load_rules(path, seats={2: {"target": 30}})
    assert game.rules["seat"] == {"2": {"target": 30, "head_start": 3}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "value 5000 --seat-rule target=30",
            "--seat-rule target=30 must have the form SEAT:KEY=VALUE",
        ),
        (
            "rules pig --seat-rule 2:target",
            "--rule 2:target must have the form SEAT:KEY=VALUE",
        ),
        (
            "chart pig frontier --seat-rule 2:target=30",
            "the chart frontier requires the same rules for all players",
        ),
    ],
)
def test_rules_by_seat_refuse_unsupported_commands(refused, words, message):
    refused(message, words)


def test_rules_lists_the_rules_of_each_seat(run):
    printed = run("rules", "pig", "--seat-rule", "2:target=30", "--rule", "1:head_start=4").out
    expected = "Rules of one seat only, by the order of play:\n    seat 1: head_start=4\n    seat 2: target=30\n"
    assert printed.endswith(expected)
    assert "Rules of one seat" not in run("rules", "pig").out


UNLIKE_DICE = {
    "lucky": (6, 1, 2, 3, 4, 6),
    "odd": (4, 1, 4, 1, 4, 1),
    "even": (1, 4, 1, 4, 1, 4),
    "fair": (1, 1, 1, 1, 1, 1),
    "pie": (6, 1, 3, 3, 0, 0),
}
UNLIKE_HANDS = {
    "all different": ("lucky odd even", "fair odd pie", 300, 0),
    "an opening": ("lucky fair fair", "even odd fair", 250, 100),
    "one hand of equal dice": ("odd odd odd", "pie fair even", 250, 0),
}


@pytest.mark.parametrize(("first", "second", "target", "opening"), UNLIKE_HANDS.values(), ids=UNLIKE_HANDS)
def test_races_of_unlike_dice_agree_with_value_iteration(first, second, target, opening):
    """Their zero turns are found with secants, and their gaps are bounds."""
    hands = [Counter(hand.split()) for hand in (first, second)]
    players = [
        Player(
            tuple((count, UNLIKE_DICE[name]) for name, count in sorted(hand.items())), groups_of_5000(), target, opening
        )
        for hand in hands
    ]
    dice = [
        [{"name": name, "count": count, "weights": list(UNLIKE_DICE[name])} for name, count in hand.items()]
        for hand in hands
    ]
    scores = {
        "singles": {"1": 100, "5": 50},
        "alike": {"3": {"1": 1000, "2": 200, "3": 300, "4": 400, "5": 500, "6": 600}},
    }
    game = own_game({"name": "toy", "target": target, "stop": {"opening": opening}, "die": dice[0], **scores})
    solution = kw.solve(game.with_rules(seat={"2": {"die": dice[1]}}), "win", fresh=True)
    arrays = solution.value_table.arrays
    for seat, expected in enumerate(race_by_value_iteration((players[0], players[1]))):
        own_scores, other_scores = arrays[f"scores{seat + 1}"], arrays[f"scores{2 - seat}"]
        plain = [[expected[mine, theirs] for theirs in other_scores] for mine in own_scores]
        assert np.abs(arrays[f"win{seat + 1}"] - plain).max() <= solution.value_table.error_bound + 1e-13


def states_of_hand(hand: str) -> States:
    return States(kw.game("kingdom-come-2", target=1000, hand=hand).data)


def test_unlike_dice_have_the_same_bits_from_any_threads():
    states = states_of_hand("lucky*2, odd*2, even*2"), states_of_hand("pie, odd, weighted*4")
    (first, second), bound = solve_unlike_race(states, threads=1)
    (first_by_three, second_by_three), bound_by_three = solve_unlike_race(states, threads=3)
    assert np.array_equal(first, first_by_three)
    assert np.array_equal(second, second_by_three)
    assert bound == bound_by_three


def test_secants_agree_with_tangents(monkeypatch):
    """The bounds of secants are wider, but not by much."""
    states = states_of_hand("lucky*2, odd*2, even*2"), states_of_hand("pie, odd, weighted*4")
    by_secants, wider_bound = solve_unlike_race(states)
    monkeypatch.setattr(unlike_race, "_prefers_secants", lambda states: False)
    by_tangents, bound = solve_unlike_race(states)
    for one, other in zip(by_secants, by_tangents, strict=True):
        assert np.abs(one - other).max() <= bound + wider_bound
        assert not np.array_equal(one, other)
    assert bound < wider_bound < 20 * bound
