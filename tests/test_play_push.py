"""Push-your-luck games as they are played: walked at random, and every throw in both readings of the rules."""

from __future__ import annotations

from collections import Counter

import pytest
from playwalk import refused, walk

import keepwise as kw
from keepwise.games import own_game

GAMES = [
    ("5000", {"target": 1000}, 2),
    ("5000", {"target": 800, "finish": "last_round"}, 3),
    ("5000", {"target": 700, "finish": "exact"}, 2),
    ("beartrap", {"target": 2000}, 4),
    ("farkle", {"target": 1500, "hot_dice": "must"}, 2),
    ("pig", {"target": 20}, 2),
    ("pig", {"faces": 2, "points": "one", "target": 3}, 5),
]


@pytest.mark.parametrize(("game", "rules", "players"), GAMES)
def test_walks(game, rules, players):
    table = kw.play(kw.game(game, **rules), players)
    assert any(table.stage(position) == "over" for position in walk(table, 1, 3))


@pytest.mark.parametrize("objective", ["points", "turns", "reach"])
def test_walks_alone(objective):
    more = {"goal": 700, "turns": 2} if objective == "reach" else {}
    table = kw.play(kw.game("5000", target=1000), 1, objective=objective, **more)
    for position in walk(table, 2, 2):
        if table.stage(position) == "over":
            assert len(table.outcome(position)) == 1


HOUSE = {
    "name": "ours",
    "dice": 3,
    "faces": 4,
    "weights": [1, 2, 1, 1],
    "singles": {"1": 10, "2": 5},
    "alike": {"3": {"3": 40}},
    "target": 1000,
    "special": [{"throw": "444", "effect": "wipe"}, {"throw": "333", "effect": "again", "points": 20}],
}


@pytest.mark.parametrize(
    "game",
    [
        kw.game("5000"),
        kw.game("5000", set_aside="all", kinds="doubling", straight=500),
        kw.game("beartrap", finish="at_least"),
        kw.game("farkle", hot_dice="none", target=5000),
        kw.game("pig", faces=8),
        own_game(HOUSE),
        own_game({**HOUSE, "hot_dice": "must"}),
    ],
    ids=lambda game: game.id,
)
def test_two_readings_of_every_throw(game):
    """The compiled turn's classes and weights are those of the throws as they are played, in whole numbers."""
    table, rules = kw.play(game, 2), game.data
    start = table.read(score=0)
    for dice in range(1, rules.dice + 1):
        throwing = next(
            after
            for points in range(0, 60)
            for after in [attempt(table, points * rules.grain, dice)]
            if after is not None
        )
        mode = rules.forced if throwing.forced else rules.mode(dice)
        (compiled,) = rules.turn.modes[mode].throws
        played: Counter[frozenset[tuple[int, int]]] = Counter()
        for ways, fall in table.throws(throwing):
            played[frozenset(told(table, rules, throwing, choice) for choice in table.choices(fall))] += ways
        classes: Counter[frozenset[tuple[int, int]]] = Counter()
        for offered, ways in compiled.classes:
            classes[frozenset((choice.next, choice.add) for choice in offered)] += ways
        assert played == classes, (dice, table.id(start))


def attempt(table, points, dice):
    """The position in which so many dice are about to be thrown with so many points in hand; None where none is."""
    try:
        if points == 0 and dice == table.rules.dice:
            return table.start()
        here = table.read(turn=points, dice=dice)
        return here if here.forced else table.read(turn=points, dice=dice, throwing=True)
    except kw.InputError:
        return None


def told(table, rules, before, choice):
    """A choice as the compiled turn tells it: the mode that follows and the points added; endings below 0."""
    after, gained = choice.after, (choice.points - before.turn) // rules.grain
    if choice.then == "end":
        return (-3 if "whole score" in choice.action else -1), 0
    if choice.then == "win":
        return -2, 0
    if choice.then == "roll":
        return (rules.forced if after.forced else rules.mode(after.dice)), gained
    taken = sum(1 for _ in choice.keep)
    free = before.dice - taken or (rules.dice if rules.hot_dice == "free" else 0)
    return (rules.mode(free) if free else rules.ended), gained


def test_what_cannot_be_is_said():
    table = kw.play("5000")
    assert "nearest that can" in refused(table, turn=75 * 2, dice=1)
    assert "leave throwing out" in refused(table, turn=300, roll="11532", throwing=True)
    assert "nothing forces a throw" in refused(table, turn=300, dice=5, forced=True) or "no forced" in refused(
        table, turn=300, dice=5, forced=True
    )
    assert "first bank" in refused(table, score=100)
    assert "one score" in refused(table, opponents=[500, 600])


def test_a_lost_score_is_a_bust_from_nothing_only():
    """Turns with one key end alike; a throw that loses the score ends where a bust does from 0 points only."""
    rules = {"name": "ours", "dice": 2, "target": 30, "singles": {"2": 2}}
    rules |= {"special": [{"throw": "11", "effect": "wipe"}]}
    table = kw.play(own_game(rules), 2, objective="win")
    keys = [table.turn_key(table.begin((score, 4), 0, 0)) for score in (0, 2, 6)]
    assert keys[0] != keys[1] == keys[2]
