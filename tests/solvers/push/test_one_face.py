"""Turns in which all dice of one face are set aside, against plain enumeration that shares no code with the package."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.util.errors import InputError

MARTIAN_TURN = 3.110381746838  # by the enumeration of tests/set_aside_reference.py: all rolls as multisets
PICKOMINO_TURN = 1.6447296740401  # likewise
TANK, RAY = 0, 1
MARTIAN_WEIGHTS = (1, 2, 1, 1, 1)
WORM = 5  # the index of the face, which scores as a 5
WORMS_FROM = ((33, 4), (29, 3), (25, 2), (21, 1))


@cache
def rolls(dice, weights):
    """Return the rolls of some dice as counts by face, with their probabilities."""
    listed = []
    for faces in combinations_with_replacement(range(len(weights)), dice):
        counts = tuple(map(faces.count, range(len(weights))))
        orders = factorial(dice) // prod(map(factorial, counts))
        sides = prod(weight**count for weight, count in zip(weights, counts, strict=True))
        listed.append((counts, orders * sides / sum(weights) ** dice))
    return listed


def martian_points(aside):
    """Return the points of dice that are set aside."""
    return 0 if aside[RAY] < aside[TANK] else sum(aside[2:]) + 3 * all(aside[2:])


def martian_turn(dice, payoffs):
    """Return the best mean payoff of a turn; ``payoffs`` by points."""

    @cache
    def value(aside):
        stop = payoffs[martian_points(aside)]
        return max(stop, before_roll(aside)) if sum(aside) < dice else stop

    @cache
    def before_roll(aside):
        return sum(chance * after(aside, roll) for roll, chance in rolls(dice - sum(aside), MARTIAN_WEIGHTS))

    def after(aside, roll):
        aside = (aside[TANK] + roll[TANK], *aside[1:])
        faces = [face for face in range(1, 5) if roll[face] and (face == RAY or not aside[face])]
        taken = [(*aside[:face], aside[face] + roll[face], *aside[face + 1 :]) for face in faces]
        return max(map(value, taken), default=payoffs[martian_points(aside)])

    return before_roll((0,) * 5)


def martian_race(dice, target):
    """Return the chance of the player who begins a race of two, by iteration of each pair of scores."""
    chances = {}
    pairs = [(mine, total - mine) for total in range(2 * target - 2, -1, -1) for mine in range(total // 2 + 1)]
    for pair in pairs:
        if max(pair) >= target:
            continue
        first, second = 0.5, 0.5
        for _ in range(60):
            first = martian_turn(dice, race_payoffs(dice, target, chances, pair, second))
            second = martian_turn(dice, race_payoffs(dice, target, chances, pair[::-1], first))
        chances[pair], chances[pair[::-1]] = first, second
    return chances[0, 0]


def race_payoffs(dice, target, chances, scores, opponent):
    """Return what turns are worth by their points; ``opponent``: the other player's chance after no points."""
    mine, theirs = scores
    totals = range(mine, mine + dice + 4)
    return [1.0 if total >= target else 1 - (opponent if total == mine else chances[theirs, total]) for total in totals]


def worms(total):
    """Return the worms of the best tile."""
    return next((number for least, number in WORMS_FROM if total >= least), 0)


def pickomino_turn(stops):
    """Return the mean worms of a turn; the player takes the face of most spots and stops as ``stops`` says."""

    @cache
    def before_roll(left, used, total):
        mean = 0.0
        for roll, chance in rolls(left, (1,) * 6):
            faces = [face for face, count in enumerate(roll) if count and not used >> face & 1]
            if not faces:
                continue
            # The most spots, then the fewest dice, then the lower face.
            face = min(faces, key=lambda face: (-roll[face] * min(face + 1, 5), roll[face], face))
            now, spots, dice = used | 1 << face, total + roll[face] * min(face + 1, 5), left - roll[face]
            has_worm = now >> WORM & 1
            if dice and not (has_worm and worms(spots) and stops(spots)):
                mean += chance * before_roll(dice, now, spots)
            elif has_worm:
                mean += chance * worms(spots)
        return mean

    return before_roll(8, 0, 0)


def small_martian(dice, target, **changes):
    """Return Martian Dice with fewer dice and a nearer target."""
    return own_game({**kw.load_rules("martian-dice").rules, "dice": dice, "target": target, **changes})


def test_the_turn_of_martian_dice_is_that_of_plain_enumeration():
    solution = kw.solve(kw.load_rules("martian-dice"), "points", fresh=True)
    assert solution.value() == pytest.approx(MARTIAN_TURN, abs=1e-11)
    assert martian_turn(5, range(9)) == pytest.approx(kw.solve(small_martian(5, 9), "points").value(), abs=1e-13)


def test_the_turn_of_pickomino_is_that_of_plain_enumeration():
    solution = kw.solve(kw.load_rules("pickomino-turn"), fresh=True)
    assert solution.value() == pytest.approx(PICKOMINO_TURN, abs=1e-12)


@pytest.mark.parametrize(("dice", "target"), [(3, 3), pytest.param(4, 4, marks=pytest.mark.slow)])
def test_a_race_of_two_is_that_of_plain_enumeration(dice, target):
    solution = kw.solve(small_martian(dice, target), "win", fresh=True)
    assert solution.value() == pytest.approx(martian_race(dice, target), abs=1e-12)


def test_a_limit_is_evaluated_as_it_is_played():
    evaluated = kw.solve(kw.load_rules("pickomino-turn")).evaluate("hold:25")
    assert evaluated.value == pytest.approx(pickomino_turn(lambda spots: spots >= 25), abs=1e-11)


@pytest.mark.slow
def test_martian_dice_to_25_is_solved_for_two():
    solution = kw.solve(kw.load_rules("martian-dice"), "win")
    assert solution.value() == pytest.approx(0.5568514781929443, abs=1e-11)  # ours; small races are enumerated above
    assert solution.error_bound < 1e-10


def test_advice_names_the_forced_dice_and_the_face():
    roll = "3 tank 4 ray 2 human 3 cow 1 chicken"
    advice = kw.solve(kw.load_rules("martian-dice"), "points").advise(roll=roll)
    assert {choice.keep for choice in advice.choices} == {
        ("tank",) * 3 + (face,) * count for face, count in (("ray", 4), ("human", 2), ("cow", 3), ("chicken", 1))
    }
    assert advice.best.keep == ("tank",) * 3 + ("ray",) * 4


def test_a_turn_without_a_worm_cannot_be_banked():
    advice = kw.solve(kw.load_rules("pickomino-turn")).advise(aside="5 5 5 5 5 5", roll="1 worm")
    assert [(choice.keep, choice.follow_up) for choice in advice.choices] == [
        (("worm",), "bank"),
        (("worm",), "roll"),
        (("1",), "roll"),
    ]
    assert advice.best.value == 4  # 35 spots, the best tile


def test_a_stuck_turn_is_lost_or_scored():
    pickomino = kw.solve(kw.load_rules("pickomino-turn")).advise(aside="worm worm worm worm worm 5", roll="5 5")
    assert [choice.follow_up for choice in pickomino.choices] == ["end"]
    martian = kw.solve(kw.load_rules("martian-dice"), "points")
    scored = martian.advise(aside="2 ray 4 cow 5 human", roll="tank cow")
    assert [(choice.follow_up, choice.keep, choice.value) for choice in scored.choices] == [("bank", ("tank",), 9)]


def test_rules_in_words(run):
    text = run("rules --rules martian-dice").out
    for line in (
        "All dice that show tank are set aside, whatever else is taken.",
        "After a roll all dice of one face are set aside, each face once a turn, except ray.",
        "A turn in which fewer dice show ray than tank scores nothing.",
    ):
        assert line in text
    assert "1 from 21 on, 2 from 25 on" in run("rules --rules pickomino-turn").out


def test_one_face_games_refuse_unsupported_commands(refused):
    refused(
        "certificates do not support set_aside=one-face, because the format has no turns in which each face",
        "certify --rules pickomino-turn -o x",
    )
    refused("with [totals] only single turns are solved", "value --rules pickomino-turn --objective win")
    refused(
        "requires finish=at_least, last_round or one_turn, not exact", "value --rules martian-dice --rule finish=exact"
    )
    refused("a turn goes on only if another face is set aside too", "advise --rules martian-dice --aside tank,tank")
    refused("expected 8 dice, got 2", "advise --rules pickomino-turn --roll 1,2")


RULES = {"name": "toy", "dice": 3, "faces": 3, "set_aside": "one-face", "singles": {"1": 1, "2": 2}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alike": {"3": {"1": 3}}}, "alike cannot be combined with set_aside=one-face"),
        ({"then.set": "must"}, "then.set cannot be combined"),
        ({"stop.opening": 2}, "stop.opening cannot be combined"),
        ({"singles": {"1": -1}}, "requires points of 0 or more"),
        ({"singles": {}}, "some above 0"),
        ({"singles": {"7": 1}}, "7"),
        ({"one_face": {"needed": "9"}}, "one_face.needed must name faces"),
        ({"one_face": {"covers": {"1": "1"}}}, "cannot cover itself"),
        ({"one_face": {"forced": "1", "repeatable": "1"}}, "leave it out of repeatable"),
        ({"one_face": {"forced": ["1", "2", "3"]}}, "all faces are forced"),
        ({"one_face": {"totals": {"3": 2, "4": 1}}}, "must not fall as totals rise"),
        ({"one_face": {"totals": {"x": 2}}}, "must be whole numbers"),
        ({"one_face": {"totals": {"100": 2}}}, "no turn can score points"),
        ({"one_face": {"stuk": "score"}}, "did you mean stuck"),
        ({"dice": 20, "faces": 8}, "use fewer dice or faces"),
        ({"set_aside": "free", "one_face": {"bonus": 1}}, "requires set_aside=one-face"),
    ],
)
def test_rules_that_make_no_game_are_refused(changes, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        own_game({**RULES, **changes})


def test_faces_of_equal_rules_share_the_modes_of_a_turn():
    turn = kw.load_rules("martian-dice").data.turn
    assert len(turn.modes) < 300
