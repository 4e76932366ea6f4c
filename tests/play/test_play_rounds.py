"""Battleship as it is played: the rules' cases, positions in words, the compiled round beside it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from playwalk import refused, walk

import keepwise as kw
from keepwise.play import playable
from keepwise.play.choice_letters import ChoiceLetters
from keepwise.play.input_parser import parse_choice
from keepwise.util.errors import InputError

CREWS = ("each", "both", "hybrid")


def make_playable(objective="win", players=None, goal=None, turns=None, **rules):
    return playable(kw.game("battleship", **rules), players, objective=objective, goal=goal, turns=turns)


def actions(battleship, **told):
    return [choice.action for choice in battleship.choices(battleship.position(**told))]


def test_acceptance_rolls():
    battleship = make_playable("points")
    assert actions(battleship, roll="66123") == ["set aside 6, roll 4 dice"]
    assert actions(battleship, roll="65123") == ["set aside 6 5, roll 3 dice"]
    assert actions(battleship, roll="64123") == ["set aside 6, roll 4 dice"]
    assert actions(battleship, roll="54123") == ["roll all five dice again"]
    assert actions(battleship, roll="65412") == [
        "stop and score 3",
        "keep the 2, roll the 1 again",
        "keep the 1, roll the 2 again",
        "roll both crew dice again",
    ]
    assert actions(battleship, roll="65422") == [
        "stop and score 4",
        "keep one 2, roll the other again",
        "roll both crew dice again",
    ]
    assert actions(battleship, cast=3, roll="65423") == ["stop and score 5"]
    assert actions(battleship, cast=3, roll="66665") == ["6, 5 and 4 did not all come: the round scores nothing"]


def test_describe_roll_states_the_number_of_dice():
    battleship = make_playable()
    assert battleship.describe_roll(battleship.start()) == ("roll all five dice", 5)
    for roll, words, said in (
        ("34456", "keep the 4, roll the 3 again", "roll 1 die"),
        ("34456", "both", "roll 2 dice"),
    ):
        here = battleship.position(cast=1, roll=roll)
        assert battleship.describe_roll(parse_choice(battleship, here, words).after) == (said, int(said[5])), words


def test_digits_keep_a_die_of_the_crew():
    battleship = make_playable()
    here = battleship.position(cast=1, roll="34566")
    for text in ("3", "keep 3", "keep the 3", "keep the 3, roll the 6 again", "keep 3, recast 6"):
        assert (
            parse_choice(battleship, here, text, ChoiceLetters(battleship)).action == "keep the 3, roll the 6 again"
        ), text


def test_crew_rules():
    assert len(actions(make_playable("points", crew="both"), cast=2, roll="65412", kept="654")) == 2
    hybrid = make_playable("points", crew="hybrid")
    assert len(actions(hybrid, roll="65412")) == 2
    assert len(actions(hybrid, cast=2, roll="65412")) == 2
    assert len(actions(hybrid, cast=2, roll="65412", kept="654")) == 4
    assert "This assumes that 6, 5 and 4 came with this roll" in hybrid.note(hybrid.position(cast=2, roll="65412"))
    assert not hybrid.note(hybrid.position(cast=2, roll="65412", kept="654"))
    assert make_playable().note(make_playable().position(roll="66123")) == "There is nothing to choose here."


def test_rounds_rolls_drop_irrelevant_fields():
    each, hybrid = make_playable(), make_playable(crew="hybrid")
    assert each.position(cast=2, kept="6", roll="66123") == each.position(cast=2, roll=[6, 1, 6, 2, 3])
    assert each.position(cast=2, kept="6543", roll="65432") == each.position(cast=2, roll="23456")
    assert hybrid.position(cast=3, kept="6543", roll="65432") == hybrid.position(cast=3, roll="23456")
    assert hybrid.position(cast=2, kept="654", roll="65432") != hybrid.position(cast=2, roll="65432")
    before = each.position(cast=2, kept="6543")
    assert (each.stage(before), before.kept) == ("throw", (6, 5, 4, 3))
    assert each.to_dict(before)["kept"] == ["6", "5", "4", "3"]


def end(battleship, position, points):
    """The position once the round that begins here has scored so much."""
    roll = {0: "11111"}.get(points) or f"654{points // 2}{points - points // 2}"
    told = {**battleship.to_dict(position), "cast": 3, "roll": roll}
    (choice,) = battleship.choices(battleship.position(**told))
    assert choice.points == points
    return choice.after


def finish(battleship, *points):
    position = battleship.start()
    for one in points:
        position = end(battleship, position, one)
    return position


def test_highest_total_after_the_rounds():
    two = make_playable(rounds=2)
    position = finish(two, 4, 5, 6)
    assert two.to_dict(position) == {"round": 2, "seat": 1, "score": 5, "opponents": [10]}
    assert two.payoffs(finish(two, 4, 5, 6, 7)) == (0, 1)
    tie = finish(two, 4, 5, 6, 5)
    assert two.to_dict(tie) == {"seat": 0, "playoff": [0, 1], "score": 0, "opponents": [0]}
    assert end(two, end(two, tie, 7), 7) == tie, "a playoff that ties again comes back to itself"
    assert two.payoffs(end(two, end(two, tie, 0), 2)) == (0, 1)


def test_all_tied_play_off_in_the_same_seating():
    three = make_playable(players=3, rounds=1)
    tie = finish(three, 7, 3, 7)
    assert three.to_dict(tie) == {"seat": 0, "playoff": [0, 2], "score": 0, "opponents": [0, 0]}
    second = end(three, tie, 4)
    assert three.to_dict(second) == {"seat": 2, "playoff": [0, 2], "score": 0, "opponents": [4, 0]}
    assert three.payoffs(end(three, second, 3)) == (1, 0, 0)
    assert finish(three, 7, 7, 7).playoff == (0, 1, 2)


def test_first_to_completes_the_round():
    two = make_playable(match="first_to", target=10)
    begun = finish(two, 10)
    assert two.to_dict(begun) == {"seat": 1, "score": 0, "opponents": [10]}
    assert two.payoffs(end(two, begun, 12)) == (0, 1)
    assert end(two, begun, 10).playoff == (0, 1)
    low = finish(two, 9, 8)
    assert two.to_dict(low) == {"seat": 0, "score": 9, "opponents": [8]}
    assert finish(two, 0, 0) == two.start()


def test_margin():
    three = make_playable("margin", 3, rounds=1)
    assert three.payoffs(finish(three, 9, 4, 6)) == (8, -5, -3)
    # Two tied at 9, the third at 4: they play off for the 5 points that it pays; the one who loses pays nothing.
    tie = finish(three, 9, 4, 9)
    assert three.to_dict(tie) == {"seat": 0, "playoff": [0, 2], "score": 0, "opponents": [-5, 0]}
    assert three.payoffs(end(three, end(three, tie, 2), 10)) == (0, -5, 5)
    two = make_playable("margin", rounds=1)
    assert two.payoffs(finish(two, 9, 4)) == (5, -5)
    assert two.payoffs(finish(two, 9, 9)) == (0, 0), "nobody has anything to win in a playoff"


def test_alone():
    turns = make_playable("turns", target=10)
    assert turns.payoffs(finish(turns, 5, 5)) == (1,)
    assert finish(turns, 0) == turns.start()
    reach = make_playable("reach", goal=10, turns=2)
    assert reach.to_dict(finish(reach, 5)) == {"score": 5, "turns_left": 1}
    assert reach.payoffs(finish(reach, 5, 4)) == (0,)
    assert reach.payoffs(finish(reach, 5, 5)) == (1,)
    assert make_playable("reach").parameters == {"goal": 100, "turns": 10}
    points = make_playable("points")
    assert points.payoffs(finish(points, 11)) == (11,)


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize(
    ("objective", "players", "rules"),
    [
        ("points", 1, {}),
        ("points", 1, {"crew": "hybrid"}),
        ("turns", 1, {"target": 30}),
        ("reach", 1, {"crew": "both"}),
        ("win", 2, {}),
        ("win", 2, {"rounds": 1, "crew": "hybrid"}),
        ("win", 3, {"match": "first_to", "target": 12}),
        ("win", 7, {"rounds": 1, "crew": "both"}),
        ("margin", 2, {"rounds": 2}),
        ("margin", 4, {"rounds": 1}),
        ("margin", 3, {"match": "first_to", "target": 12}),
    ],
)
def test_games_at_random(objective, players, rules):
    battleship = make_playable(objective, players, **rules)
    for position in walk(battleship, 3, 10):
        assert position.cast <= 3


@pytest.mark.parametrize("objective", ["win", "margin"])
def test_playoffs_at_random(objective):
    battleship = make_playable(objective, 3)
    start = battleship.position(playoff="0,2", opponents="-7,0" if objective == "margin" else None)
    ends = {battleship.payoffs(position) for position in walk(battleship, 4, 10, start) if position.ended}
    assert ends == ({(7, -7, 0), (0, -7, 7)} if objective == "margin" else {(1, 0, 0), (0, 0, 1)})


# --- two readings: the round as it is compiled for the kernel


@pytest.mark.parametrize("crew", CREWS)
def test_two_readings_of_a_round(crew):
    battleship = make_playable("points", crew=crew)
    turn = battleship.game.data

    def move(choice):
        after = choice.after
        if after.ended:
            assert after.ended == (choice.points,)
            return choice.points
        aside, held = min(len(after.kept), 3), after.kept[3] if len(after.kept) == 4 else 0
        return (4 - after.cast, aside, held)

    met = {}
    todo = [battleship.start()]
    while todo:
        position = todo.pop()
        situation = move_to(position)
        falls = Counter()
        for ways, after in battleship.rolls(position):
            choices = battleship.choices(after)
            falls[tuple(turn.choice(move(choice)) for choice in choices)] += ways
            for choice in choices:
                if not choice.after.ended and move_to(choice.after) not in met and choice.after not in todo:
                    todo.append(choice.after)
        assert sum(falls.values()) == 6 ** (5 - len(position.kept))
        (throw,) = turn.turn.modes[turn.situations[situation]].rolls
        assert falls == Counter(dict(throw.classes))
        met[situation] = position
    assert set(met) == set(turn.situations)


def move_to(position):
    aside, held = min(len(position.kept), 3), position.kept[3] if len(position.kept) == 4 else 0
    return (4 - position.cast, aside, held)


def test_the_mean_of_a_round():
    # The acceptance cases of the rules, from what is played alone.
    for crew, mean in (("both", "160042333703/39182082048"), ("each", "169123624727/39182082048")):
        battleship = make_playable("points", crew=crew)
        known = {}

        def value(position, battleship=battleship, known=known):
            if position not in known:
                falls = battleship.rolls(position)
                known[position] = Fraction(
                    sum(ways * max(after(choice) for choice in battleship.choices(roll)) for ways, roll in falls),
                    6 ** (5 - len(position.kept)),
                )
            return known[position]

        def after(choice, battleship=battleship, value=value):
            return battleship.payoffs(choice.after)[0] if choice.after.ended else value(choice.after)

        assert value(battleship.start()) == Fraction(mean)


# --- positions that cannot occur


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"cast": 2, "kept": 5, "roll": 65432}, "kept cannot be 5: dice are set aside in the order 6, 5, 4"),
        ({"cast": 2, "kept": 65432, "roll": 65432}, "then one crew die"),
        ({"cast": 4, "roll": 65432}, "cast must be between 1 and 3, not 4"),
        ({"roll": 6543}, "expected 5 dice, got 4: 6 5 4 3"),
        ({"cast": 2, "kept": 6, "roll": 55432}, "roll must include the 6 that was set aside"),
        ({"kept": 6, "roll": 65432}, "kept cannot be combined with cast 1"),
        ({"kept": 6}, "kept without roll requires cast"),
        ({"roll": 65437}, "no die has the face '7'"),
        ({"round": 2, "score": 13}, "score must be at most 12 after 1 round, not 13"),
        ({"round": 3, "score": 1}, "score cannot be 1: a round scores nothing, or 2 to 12"),
        ({"round": 11}, "between 1 and 10"),
        ({"seat": 2}, "seat must be between 0 (the player who began) and 1, not 2"),
        ({"opponents": "5,5"}, "opponents: expected 1 score for 2 players, got 2"),
        ({"frame": 1}, "unknown field 'frame'"),
        ({"playoff": "0,1", "round": 10}, "leave out round"),
        ({"playoff": "0,1", "score": 2}, "score must be 0 before the playoff round, not 2"),
        ({"playoff": "0,0"}, "must list two or more different numbers between 0"),
        ({"playoff": "1"}, "must list two or more different numbers between 0"),
    ],
)
def test_rounds_positions_that_cannot_occur_are_refused(told, says):
    assert says in refused(make_playable(), **told)


def test_more_that_cannot_occur():
    assert "the round in which the target was reached" in refused(make_playable(match="first_to"), score=100)
    assert "the round in which the target was reached" in refused(
        make_playable(match="first_to"), seat=1, opponents=112
    )
    assert "score must be below the target" in refused(make_playable("turns"), score=100)
    assert "score must be below the goal" in refused(make_playable("reach", goal=20), score=20)
    assert "turns_left must be between 1 and" in refused(make_playable("reach"), turns_left=11)
    for crew, cast in (("both", 3), ("hybrid", 2)):
        assert "takes both crew dice" in refused(make_playable(crew=crew), cast=cast, kept="6543")
    margin = make_playable("margin", 3, rounds=1)
    assert "a playoff of all players does not change the margin" in refused(margin, playoff="0,1,2")
    assert "must be between" in refused(margin, playoff="0,1", opponents=[0, 0])
    four = make_playable("margin", 4, rounds=1)
    assert "cannot contain -11 and -10: the total of the tied players and other totals cannot differ by 11" in refused(
        four, playoff="0,1", opponents=[0, -11, -10]
    )
    with pytest.raises(InputError, match="the most in 2 rounds"):
        make_playable("reach", goal=25, turns=2)
    with pytest.raises(InputError, match="must be between 1 and 1,000"):
        make_playable("reach", turns=1001)


@pytest.mark.parametrize(
    ("roll", "older", "present"),
    [
        ("65412", "settle for 3", "stop and score 3"),
        ("65412", "keep 2, recast 1", "keep the 2, roll the 1 again"),
        ("65422", "keep 2, recast 2", "keep one 2, roll the other again"),
        ("65412", "recast both crew dice", "roll both crew dice again"),
        ("66123", "set aside 6, cast 4 dice", "set aside 6, roll 4 dice"),
    ],
)
def test_older_game_files_are_read(roll, older, present):
    battleship = make_playable()
    assert parse_choice(battleship, battleship.position(roll=roll), older).action == present
