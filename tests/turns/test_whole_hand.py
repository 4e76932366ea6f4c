"""Turns in which any dice are set aside, with conditions on all of them, 1-4-24 among them.

The reference is plain enumeration of every subset of every roll, which shares no code with the package.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game

# By plain enumeration as below, with six dice: 1.2 s. No mean is published.
MEAN, CHANCE_OF_24 = 18.67633719577567, 0.09998965917946832
CHANCE_TO_SCORE = 1 - (2 * (5 / 6) ** 21 - (4 / 6) ** 21)  # published: en.wikipedia.org/wiki/Midnight_(game)
SMALL = {
    "name": "small",
    "dice": 3,
    "faces": 4,
    "singles": {"1": 1, "2": 2, "3": 3, "4": 4},
    "set_aside": "any",
    "then.set": "must",
    "then.all": "end",
    "finish": "one_turn",
    "whole_hand": {"needed": [1, 3], "needed_score": False},
}


def best_turn(dice, faces, needed, payoff, may_stop=False, scores_needed=False):
    """Return the best mean payoff of a turn as a fraction; a state is all dice set aside, sorted."""

    @cache
    def rolls(count):
        return Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=count))

    def points(aside):
        if not set(needed) <= set(aside):
            return 0
        return sum(aside) - (0 if scores_needed else sum(needed))

    @cache
    def value(aside):
        left = dice - len(aside)
        if not left:
            return Fraction(payoff(points(aside)))
        mean = Fraction(0)
        for roll, ways in rolls(left).items():
            sets = {taken for count in range(1, left + 1) for taken in combinations(roll, count)}
            mean += ways * max(value(tuple(sorted(aside + taken))) for taken in sets)
        mean /= faces**left
        stops = may_stop and aside and points(aside) > 0
        return max(mean, Fraction(payoff(points(aside)))) if stops else mean

    return value(())


def small(**changes):
    """Return 1-4-24 with three dice of four faces."""
    return own_game({**SMALL, **changes})


def test_the_turn_of_1_4_24():
    game = kw.load_rules("1-4-24")
    assert kw.solve(game, "points", fresh=True).value() == pytest.approx(MEAN, abs=1e-11)
    scores = kw.solve(game, "reach", goal=4, turns=1, fresh=True).value()
    assert scores == pytest.approx(CHANCE_TO_SCORE, abs=1e-12)


@pytest.mark.slow
def test_the_chance_of_24():
    game = kw.load_rules("1-4-24")
    assert kw.solve(game, "reach", goal=24, turns=1).value() == pytest.approx(CHANCE_OF_24, abs=1e-12)
    exact = best_turn(4, 6, [1, 4], lambda points: points)
    assert kw.solve(own_game({**game.rules, "dice": 4}), "points").value() == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("needed", [[1, 3], [4], []])
def test_points_are_those_of_plain_enumeration(needed):
    hand = {"needed": needed, "needed_score": False} if needed else {}
    exact = best_turn(3, 4, needed, lambda points: points)
    solution = kw.solve(small(whole_hand=hand), "points", fresh=True)
    assert abs(Fraction(solution.value()) - exact) <= solution.position_value().error_bound


def test_needed_dice_may_score_and_a_player_may_stop():
    exact = best_turn(3, 4, [3], lambda points: points, may_stop=True, scores_needed=True)
    rules = {"then.set": "roll", "whole_hand": {"needed": [3]}, "finish": "at_least", "target": 30}
    assert kw.solve(small(**rules), "points", fresh=True).value() == pytest.approx(float(exact), abs=1e-13)


def test_the_chance_of_a_total_is_that_of_plain_enumeration():
    exact = best_turn(3, 4, [1, 3], lambda points: points >= 4)
    value = kw.solve(small(), "reach", goal=4, turns=1, fresh=True).value()
    assert value == pytest.approx(float(exact), abs=1e-13)


def test_whole_hand_turns_equal_the_referee():
    assert check(small(), "win", players=2, rolls=60) > 0
    assert check(small(dice=2, whole_hand={"needed": [2]}), "win", players=3, rolls=60) > 0


def test_the_turn_graph_is_that_of_positions():
    playable = kw.playable(small(), objective="win")
    todo, seen = [playable.start()], set()
    while todo:
        position = todo.pop()
        state = playable.turn_state(playable.position_in_turn(position))
        if state in seen:
            continue
        seen.add(state)
        counted = Counter()
        for weight, rolled in playable.rolls(position):
            afters = [choice.after for choice in playable.choices(rolled)]
            todo += [after for after in afters if after.inside is not None]
            leads = {playable.turn_state(after.inside) if after.inside is not None else after.beat for after in afters}
            counted[frozenset(leads)] += weight
        expected = Counter()
        for weight, leads in playable.turn_graph[state]:
            expected[frozenset(leads)] += weight
        assert counted == expected
    assert {*playable.turn_graph} == seen


def test_positions_are_read_back_and_choices_are_all_subsets():
    playable = kw.playable(kw.load_rules("1-4-24"), objective="points")
    position = playable.position(aside="1 6", roll="4 4 6 6")
    assert playable.from_id(playable.id(position)) == position
    assert len(playable.choices(position)) == 3 * 3 - 1
    last = playable.choices(playable.position(aside="1 4 6 6 6", roll="5"))
    assert [(choice.follow_up, choice.points) for choice in last] == [("bank", 23)]
    (bust,) = playable.choices(playable.position(aside="1 1 6 6 6", roll="5"))
    assert bust.kind is kw.ChoiceKind.BUST


def test_rules_in_words(run):
    text = run("rules --rules 1-4-24").out
    assert "After a roll at least one die is set aside, whether it scores or not." in text
    assert "Once all dice are set aside the turn ends, not before." in text
    assert "A turn without a die that shows 4 scores nothing." in text


def test_whole_hand_games_refuse_unsupported_commands(refused):
    refused(
        "certificates do not support set_aside=any, because the format has no turns in which [whole_hand]",
        "certify --rules 1-4-24 -o x",
    )
    refused(
        "requires rules that let a player stop; use sheet:1 to sheet:4",
        "evaluate 1-4-24 --objective points --policy hold:9",
    )
    refused(
        "requires the objective points, turns or win, not reach",
        "export 1-4-24 --objective reach --goal 20 --turns 1 --sheet 1",
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"then.all": "roll"}, "requires then.all=end, not roll"),
        ({"then.set": "end"}, "requires then.set=roll or must, not end"),
        ({"whole_hand": {"needed_score": False}}, "whole_hand.needed_score requires whole_hand.needed"),
        ({"whole_hand": {"needed": [7]}}, "whole_hand.needed must name faces"),
        ({"dice": 2}, "no turn can score points"),
        ({"dice": 12, "faces": 6, "whole_hand": {}}, "combinations of rolls"),
        ({"set_aside": "free"}, "requires set_aside=any"),
        ({"finish": "exact"}, "requires finish=at_least, last_round or one_turn, not exact"),
        ({"whole_hand": {"totals": {"3": 1}}}, "totals cannot be combined with finish=one_turn"),
        ({"alike": {"3": {"1": 3}}}, "alike cannot be combined with set_aside=any"),
        ({"then.dice": "chosen"}, "then.dice cannot be combined with set_aside=any"),
    ],
)
def test_rules_that_make_no_game_are_refused(changes, message):
    with pytest.raises(kw.InputError, match=message):
        small(**changes)
