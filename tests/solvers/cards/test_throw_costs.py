"""Cards whose rolls cost points: against plain enumeration in fractions, a published value and the referee."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest
from referee_checks import check, check_each

import keepwise as kw
from keepwise.certify import certify
from keepwise.games import own_game
from keepwise.games.rulefile.description import describe_game
from keepwise.output.adviser_page import render_page
from keepwise.output.sheets import make_sheet
from keepwise.util.errors import HouseRuleError, InputError

PAIR = {"name": "pair", "groups": [2], "points": 9}
SERVED_PAIR = {**PAIR, "first": 12}
TWOS = {"name": "twos", "face": 2}
ANY = {"name": "any", "chance": True}


def paid_card(*categories, costs, **more):
    """A card of two dice with three faces whose rolls cost points."""
    rules = {"name": "paid", "dice": 2, "faces": 3, "throws": 3, "category": [*categories]}
    return own_game({**rules, "throw_costs": costs, **more})


def plain_score(category, dice, roll_number):
    """Return the points of dice in a category of these tests."""
    if "face" in category:
        return category["face"] * dice.count(category["face"])
    if "chance" in category:
        return sum(dice)
    return category.get("first" if roll_number == 1 else "points", category["points"]) * (len(set(dice)) == 1)


def plain_turn(rules, throw_costs, open_boxes, worth):
    """Return the value of a turn, by enumeration of ordered rolls that shares no code with the solver.

    Args:
        rules: the rules of the card.
        throw_costs: every roll after the first costs ``throw_costs[roll - 2]``, paid when it is made.
        open_boxes: the numbers of the open boxes.
        worth: what the turn is worth by the box that it fills and the points that it brings.
    """
    faces, dice = range(1, rules.get("faces", 6) + 1), rules["dice"]
    weights = rules.get("weights", [1] * len(faces))

    @cache
    def rolls(count):
        probability = Counter()
        for roll in product(faces, repeat=count):
            weight = Fraction(1)
            for face in roll:
                weight *= Fraction(weights[face - 1], sum(weights))
            probability[tuple(sorted(roll))] += weight
        return probability.items()

    @cache
    def before_roll(kept, roll_number):
        outcomes = rolls(dice - len(kept))
        return sum(p * after_roll(tuple(sorted(kept + roll)), roll_number) for roll, p in outcomes)

    @cache
    def after_roll(lying, roll_number):
        paid = sum(throw_costs[: roll_number - 1])
        values = [
            worth(box, plain_score(rules["category"][box], lying, roll_number) - paid) for box in sorted(open_boxes)
        ]
        if roll_number <= len(throw_costs):
            keeps = {kept for count in range(dice) for kept in combinations(lying, count)}
            values += [before_roll(kept, roll_number + 1) for kept in keeps]
        return max(values)

    return before_roll((), 1)


def plain_value(game, payoff, throw_costs):
    """Return the value of the empty card if a full card is worth ``payoff(total)``."""

    @cache
    def before_turn(open_boxes, total):
        if not open_boxes:
            return Fraction(payoff(total))
        return plain_turn(
            game.rules, throw_costs, open_boxes, lambda box, points: before_turn(open_boxes - {box}, total + points)
        )

    return before_turn(frozenset(range(len(game.rules["category"]))), 0)


def plain_win_values(game, throw_costs):
    """Return the mover's chance to win, ties half, of positions between turns, by enumeration.

    A position is the open boxes and the score of the mover, then those of the opponent. Of all positions with the same
    boxes and the same lead, one is listed.
    """
    all_boxes = frozenset(range(len(game.rules["category"])))
    positions = {}
    values = {}

    def before_turn(own_open, own_score, opponent_open, opponent_score):
        lead = own_score - opponent_score
        if not own_open:  # the mover has as many open boxes as the opponent, or one more
            return Fraction((lead > 0) - (lead < 0) + 1, 2)
        key = own_open, opponent_open, lead
        if key not in values:
            positions[key] = own_open, own_score, opponent_open, opponent_score
            values[key] = plain_turn(
                game.rules,
                throw_costs,
                own_open,
                lambda box, points: (
                    1 - before_turn(opponent_open, opponent_score, own_open - {box}, own_score + points)
                ),
            )
        return values[key]

    before_turn(all_boxes, 0, all_boxes, 0)
    return {positions[key]: value for key, value in values.items()}


CASES = [
    (paid_card(ANY, costs=1), [1, 1]),
    (paid_card(PAIR, ANY, costs=[1, 4]), [1, 4]),
    (paid_card(PAIR, TWOS, costs=[0, 1], weights=[1, 2, 1]), [0, 1]),
    (paid_card(TWOS, PAIR, ANY, costs=[2, 0]), [2, 0]),
    (paid_card(SERVED_PAIR, ANY, costs=[1, 2]), [1, 2]),
    (paid_card(PAIR, ANY, costs=[3], throws=2), [3]),
    (paid_card(ANY, costs=1, throws=6), [1] * 5),
]


@pytest.mark.parametrize(("game", "costs"), CASES)
def test_points_equal_plain_enumeration(game, costs):
    truth = plain_value(game, lambda total: total, costs)
    solution = kw.solve(game, "points", fresh=True)
    assert abs(Fraction(solution.value()) - truth) <= solution.value_table.error_bound
    free = {key: value for key, value in game.rules.items() if key != "throw_costs"}
    assert solution.value() < kw.solve(own_game(free), "points").value()


@pytest.mark.parametrize(("game", "costs"), CASES[:6])
@pytest.mark.parametrize("goal", [0, 2, 6, 10])
def test_reach_equals_plain_enumeration(game, costs, goal):
    if goal > game.data.max_points(game.data.full_mask):
        with pytest.raises(InputError, match=r"goal must be between -?[0-9]+ and"):
            kw.solve(game, "reach", goal=goal)
        return
    truth = plain_value(game, lambda total: total >= goal, costs)
    solution = kw.solve(game, "reach", goal=goal, fresh=True)
    assert abs(Fraction(solution.value()) - truth) <= solution.value_table.error_bound


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("game", "costs"), CASES)
def test_every_position_equals_the_referee(game, costs):
    assert check(game, "points") > 10
    assert check_each(game, "reach", 3, goal=3) > 5
    assert check_each(game, "reach", 3, goal=0) > 5


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    "game",
    [
        paid_card(ANY, costs=1),
        paid_card({**PAIR, "first": "win"}, ANY, costs=[2], throws=2, faces=2),
        paid_card(TWOS, PAIR, costs=2, throws=2),
    ],
)
def test_every_position_of_two_players_equals_the_referee(game):
    assert check(game, "win") > 100
    assert check_each(game, "win", 7) > 10


def used_boxes(game, open_boxes):
    return [name for box, name in enumerate(game.data.names) if box not in open_boxes]


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("game", "costs"), CASES)
def test_win_equals_plain_enumeration(game, costs):
    solution = kw.solve(game, "win", fresh=True)
    truths = plain_win_values(game, costs)
    for (own_open, own_score, opponent_open, opponent_score), truth in truths.items():
        value = solution.value(
            used=used_boxes(game, own_open),
            score=own_score,
            opponent_used=used_boxes(game, opponent_open),
            opponents=[opponent_score],
        )
        assert abs(Fraction(value) - truth) <= solution.value_table.error_bound, (own_open, own_score, opponent_score)
    assert len(truths) >= 4
    assert {0, 1} & {*truths.values()}


def test_columns_and_order_equal_the_referee():
    assert check(paid_card(TWOS, ANY, costs=[1, 2], columns=[1, 2], order="down", throws=3), "points") > 20
    assert check(paid_card({**TWOS, "times": 2}, ANY, costs=1), "points") > 20


def flipped_sum(dice):
    """Return the spots of dice, where dice that show the same face are turned upside down."""
    return sum(7 - face if dice.count(face) > 1 else face for face in dice)


def one_box_value(score, throws):
    """Return the value of one box with three dice whose rolls cost 1 point, by enumeration in floats."""
    rolls = {count: Counter(tuple(sorted(roll)) for roll in product(range(1, 7), repeat=count)) for count in range(4)}
    keeps_of_roll = {roll: {kept for count in range(3) for kept in combinations(roll, count)} for roll in rolls[3]}
    value = {roll: score(roll) for roll in rolls[3]}
    for _ in range(throws - 1):
        kept_value = {
            kept: sum(ways * value[tuple(sorted(kept + roll))] for roll, ways in rolls[3 - len(kept)].items())
            / 6 ** (3 - len(kept))
            for kept in set().union(*keeps_of_roll.values())
        }
        value = {
            roll: max(score(roll), max(kept_value[kept] for kept in keeps) - 1) for roll, keeps in keeps_of_roll.items()
        }
    return sum(ways * value[roll] for roll, ways in rolls[3].items()) / 216


# Programs for this assignment find 13.348269628099173 for any number of rolls; after a hundred rolls nothing changes.
@pytest.mark.parametrize(
    ("score", "throws", "value"),
    [
        (flipped_sum, 100, 13.348269628099173),
        (flipped_sum, 10, 13.266493194968),
        (sum, 100, 13.135338345864659),
        (sum, 3, 12.528935185185185),
    ],
)
def test_dice_game_of_three_dice(score, throws, value):
    """A well-known assignment: three dice, and every roll after the first costs 1 point."""
    game = kw.card_game("flip", lambda dice: {"sum": score(dice)}, dice=3, throws=throws, throw_costs=1)
    solution = kw.solve(game, "points", fresh=True)
    assert solution.value() == pytest.approx(one_box_value(score, throws), abs=1e-11)
    assert solution.value() == pytest.approx(value, abs=1e-11)


def test_costs_in_normal_form():
    """Equal costs are one number, costs of zero are none; a card without costs has the id that it always had."""
    assert paid_card(ANY, costs=[1, 1]).rules == paid_card(ANY, costs=1).rules
    assert paid_card(ANY, costs=[1, 2]).rules["throw_costs"] == (1, 2)
    free = own_game({"name": "paid", "dice": 2, "faces": 3, "throws": 3, "category": [ANY]})
    for costs in (0, [0, 0]):
        assert paid_card(ANY, costs=costs).rules == free.rules
    playables = [kw.playable(game, objective="points") for game in (free, *(game for game, _ in CASES))]
    ids = {playable.id(playable.start()) for playable in playables}
    assert len(ids) == len(CASES) + 1


def test_choices_say_what_a_roll_costs():
    solution = kw.solve(paid_card(PAIR, ANY, costs=[1, 4]), "points")
    first = {choice.action for choice in solution.advise(roll="1 2").choices}
    assert {"keep all: 1 2", "keep 2, roll 1 die for 1 point", "roll all 2 dice again for 1 point"} <= first
    second = solution.advise(throw=2, roll="1 2", used=["pair=-5"])
    assert "keep 2, roll 1 die for 4 points" in {choice.action for choice in second.choices}
    assert [choice.action for choice in solution.advise(throw=3, roll="2 2").choices] == [
        "enter 4 in pair",
        "enter -1 in any",
    ]
    entering = solution.advise(throw=2, roll="2 2", entering=True)
    assert [choice.action for choice in entering.choices] == ["enter 8 in pair", "enter 3 in any"]
    costs = {choice.action: choice.as_json().get("roll_cost") for choice in second.choices}
    assert costs["keep 2, roll 1 die for 4 points"] == 4
    assert costs["keep all: 1 2"] is None


def test_positions_hold_scores_below_zero():
    game = paid_card(PAIR, ANY, costs=[1, 4])
    solution = kw.solve(game, "reach", goal=6)
    assert 0 == solution.value(used=["pair"], score=-1) < solution.value(used=["pair"], score=0)
    with pytest.raises(InputError, match="score cannot be -6: the filled boxes cannot add up to that"):
        solution.value(used=["pair"], score=-6)
    with pytest.raises(InputError, match="pair=-2: this box can hold -5, -1, 0, 4, 8 or 9 points"):
        solution.value(used=["pair=-2"])
    playable = kw.playable(game, objective="points")
    assert playable.play_whole_turn(playable.start(), "pair -5").own_card.score == -5
    with pytest.raises(InputError, match="pair cannot score 7 in this turn"):
        playable.play_whole_turn(playable.start(), "pair 7")


def test_best_policy_loses_nothing_and_simulation_agrees():
    solution = kw.solve(paid_card(PAIR, ANY, costs=[1, 4]), "points")
    assert abs(solution.evaluate("best").loss) < 1e-12
    mean = solution.simulate(games=4000, seed=1).seats[0].outcome.mean
    assert mean == pytest.approx(solution.value(), abs=0.3)


def test_costs_in_words():
    assert (
        "Every roll of a turn after the first costs 1 point. What a turn has paid is taken off the box that it fills."
        in [*describe_game(paid_card(ANY, costs=1))]
    )
    assert any(
        line.startswith("In a turn, roll 2 costs 1 point and roll 3 costs 4 points.")
        for line in describe_game(paid_card(ANY, costs=[1, 4]))
    )


def test_equal_costs_are_described_together():
    lines = [*describe_game(paid_card(ANY, costs=[2, 0, 0, 0, 5], throws=6))]
    assert any(
        line.startswith("In a turn, roll 2 costs 2 points, rolls 3 to 5 are free and roll 6 costs 5 points.")
        for line in lines
    )


def test_a_box_is_given_up_if_its_dice_score_nothing():
    """Two rolls were paid. Twos without a two bring -2: a miss. One two brings 0: it was paid for, and is none."""
    solution = kw.solve(paid_card(TWOS, ANY, costs=1), "points")
    reasons = solution.why(solution.read(throw=2, roll="31"))
    endings = {(ending.box, ending.points): ending.is_miss for ending in reasons.other.endings}
    assert {end: is_miss for end, is_miss in endings.items() if end[0] == "twos"} == {
        ("twos", -2): True,
        ("twos", 0): False,
        ("twos", 2): False,
    }
    assert "11.1% of all turns score nothing there)" in reasons.text


@pytest.mark.parametrize(
    ("costs", "more", "message"),
    [
        ([1], {}, r"throw_costs must list 2 costs, one for each roll after the first \(throws = 3\), not 1"),
        ([1, 2, 3], {}, r"throw_costs must list 2 costs, .*, not 3"),
        ([], {}, "throw_costs must be .*, not an empty list"),
        ([1, "x"], {}, 'throw_costs must be .*, not "x"'),
        ([1, 10_001], {}, "throw_costs must be .*, not 10001"),
        ([1], {"throws": 1}, "throw_costs requires throws = 2 or more: leave throw_costs out"),
        ([1] * 101, {"throws": 100}, "throw_costs must list 99 costs, .*, not 101"),
        (-1, {}, "throw_costs must be a whole number from 0 to 10,?000 or a list"),
        ([1, -2], {}, "throw_costs must be a whole number from 0 to 10,?000 or a list .*, not -2"),
        (0.5, {}, "throw_costs must be a whole number from 0 to 10,?000 or a list"),
        (1, {"throws": 1}, "throw_costs requires throws = 2 or more: leave throw_costs out"),
        (0, {"throws": 11}, "throws must be between 1 and 10, not 11, because rolls cost no points: add throw_costs"),
        (1, {"throws": 101}, "throws must be a whole number from 1 to 100"),
        (
            1,
            {"saved_throws": True, "category": [TWOS, ANY]},
            "throw_costs cannot be combined with saved_throws: leave one of them out",
        ),
        (1, {"zeros": "forced"}, 'throw_costs cannot be combined with zeros = "forced"'),
        (1, {"boxes": 2, "category": [TWOS, ANY]}, "throw_costs cannot be combined with boxes = 2"),
        (1, {"total": {"at": [0], "points": [1]}}, r"throw_costs cannot be combined with \[total\]"),
        (1, {"category": [TWOS], "upper": {"categories": ["twos"], "at": 2, "bonus": 1}}, r"combined with \[upper\]"),
        (1, {"category": [PAIR, ANY], "again": {"category": "pair", "bonus": 1}}, r"combined with \[again\]"),
        (1, {"throws": 100, "category": [{**ANY, "times": 7}]}, "their product must not exceed 600"),
    ],
)
def test_costs_that_are_refused(costs, more, message):
    with pytest.raises(HouseRuleError, match=message):
        paid_card(*more.pop("category", [ANY]), costs=costs, **more)


def test_what_is_not_available():
    game = paid_card(PAIR, ANY, costs=1)
    with pytest.raises(InputError, match="the objective beat is not available for paid: it is not solved for"):
        kw.solve(game, "beat")
    solution = kw.solve(game, "points")
    with pytest.raises(InputError, match="certificates do not support throw_costs"):
        certify(solution)
    with pytest.raises(InputError, match="the adviser page does not support scorecards whose points depend"):
        render_page(solution)
    with pytest.raises(InputError, match="sheets are not available for a scorecard whose points depend"):
        make_sheet(solution)
    with pytest.raises(InputError, match="a card whose points depend on the number of rolls has no distribution"):
        solution.distribution()
