"""Races with badges, against a plain program that shares no code with the solver."""

from __future__ import annotations

import pytest
from badge_race_by_value_iteration import Player, race_with_badges

import keepwise as kw
from keepwise.certify import check_certifiable
from keepwise.dice_matchups import solve_matchups
from keepwise.games import own_game
from keepwise.play.playable_game import replace_fields

SETS = (((1,), 1), ((1, 1, 1), 4), ((2, 2), 2), ((3, 3, 3), 3))
RULES = {
    "name": "three-dice",
    "dice": 3,
    "faces": 4,
    "singles": {"1": 1},
    "alike": {"2": {"2": 2}, "3": {"1": 4, "3": 3}},
    "target": 5,
}


def badges(warlord=0, resurrection=0, emperor=0):
    return {"warlord": warlord, "resurrection": resurrection, "emperor": emperor}


def name_badges(left):
    return "-".join(f"{badge}{number}" for badge, number in left.items() if number) or "none"


def player(target=5, minimum=0, warlord=0, resurrection=0, emperor=0, confirms=False):
    uses = (int(warlord > 0), resurrection, emperor)
    sets = SETS[:-1] if confirms else SETS  # three 3s would have to be confirmed too
    return Player(3, 4, sets, target, warlord, uses, minimum, confirms)


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
    ],
    ids=name_badges,
)
def test_badges_agree_with_value_iteration(left):
    game = own_game({**RULES, **left})
    check_all_states(game, (player(**left), player(**left)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (badges(warlord=50), badges(resurrection=2)),
        (badges(emperor=1), badges()),
        (badges(), badges(warlord=100, resurrection=1)),
        (badges(warlord=25), badges(warlord=100)),
    ],
    ids=name_badges,
)
def test_unequal_badges_agree_with_value_iteration(first, second):
    game = own_game({**RULES, "seat": {"1": first, "2": {**second, "target": 6}}})
    check_all_states(game, (player(**first), player(**second, target=6)))


def test_a_minimum_counts_before_the_points_are_raised():
    left = badges(warlord=100, resurrection=1)
    game = own_game({**RULES, **left, "stop": {"at_least": 2}})
    check_all_states(game, (player(**left, minimum=2), player(**left, minimum=2)))


@pytest.mark.parametrize(
    "left", [badges(warlord=50), badges(emperor=1), badges(warlord=25, emperor=1)], ids=name_badges
)
def test_badges_where_three_ones_must_be_confirmed(left):
    """Three 1s are confirmed by a roll that is made again while a 1 shows, with Emperor too."""
    alike = {"2": {"2": 2}, "3": {"1": 4, "then": "must"}}
    game = own_game({**RULES, "alike": alike, **left, "then": {"over": True}, "target": 7})
    one = player(**left, target=7, confirms=True)  # 4 points and a pair of twos do not win
    check_all_states(game, (one, one))


@pytest.mark.slow
def test_all_badges_together_agree_with_value_iteration():
    left = badges(warlord=50, resurrection=1, emperor=1)
    check_all_states(own_game({**RULES, **left}), (player(**left), player(**left)))


def test_without_uses_the_race_is_that_without_badges():
    plain = kw.solve(kw.game("kingdom-come-2", target=500), players=2, fresh=True)
    unused = kw.solve(kw.game("kingdom-come-2", target=500, seats={2: {"warlord": 50}}), fresh=True)
    bound = plain.value_table.error_bound + unused.value_table.error_bound
    for scores in ((0, 0), (100, 350), (450, 450)):
        expected = plain.value(score=scores[0], opponents=[scores[1]])
        actual = unused.value(score=scores[0], opponents=[scores[1]], opponents_badges="none")
        assert abs(actual - expected) <= bound


def test_advice_is_consistent_with_the_choices_of_the_game():
    solution = kw.solve(own_game({**RULES, **badges(warlord=50, resurrection=1, emperor=1)}), players=2, fresh=True)
    bound = 2 * solution.value_table.error_bound
    start = solution.advise(score=1, opponents=[2])
    assert [choice.action for choice in start.choices] == ["use Warlord, roll 3 dice", "roll 3 dice"]
    assert abs(start.choices[0].value - solution.value(score=1, opponents=[2])) <= bound
    bust = solution.advise(score=1, opponents=[2], turn=1, dice=2, roll="34")
    assert {choice.action for choice in bust.choices} == {
        "bust: the turn ends without points",
        "use Resurrection, roll 2 dice",
    }
    again = solution.value(score=1, opponents=[2], turn=1, dice=2, forced=True, badges="warlord,emperor")
    assert abs(max(choice.value for choice in bust.choices) - max(again, bust.choices[1].value)) <= bound
    ones = solution.advise(roll="111")
    assert ones.choices[0].action == "use Emperor, keep 1 1 1, bank 12"
    raised = solution.advise(turn=2, dice=1, raised=True)
    assert "bank 2, raised to 3" in {choice.action for choice in raised.choices}


def test_ids_carry_the_badges_that_are_left():
    playable = kw.playable(own_game({**RULES, **badges(warlord=50, resurrection=2)}), players=2)
    position = playable.position(score=1, badges="resurrection", opponents_badges="none", turn=2, dice=1, raised=True)
    text = playable.id(position)
    assert "badges=resurrection" in text
    assert "opponents_badges=none" in text
    assert playable.from_id(text) == position


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"badges": "emperor"}, "unknown name 'emperor'"),
        ({"badges": "resurrection,resurrection,resurrection"}, "may use resurrection at most 2 times"),
        ({"badges": "warlord", "raised": True}, "warlord has been used"),
        ({"turn": 1, "dice": 2, "forced": True}, "resurrection has been used"),
    ],
)
def test_impossible_badges_are_refused(fields, message):
    playable = kw.playable(own_game({**RULES, **badges(warlord=50, resurrection=2)}), players=2)
    with pytest.raises(kw.InputError, match=message):
        playable.position(**fields)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"finish": "exact"}, "warlord cannot be combined with finish=exact"),
        ({"take_over": "free"}, "warlord cannot be combined with take_over=free"),
        ({"resurrection": 1, "then": {"over": True}}, "resurrection cannot be combined with then.over=true"),
        ({"warlord": 901}, "warlord must be a whole number from 0 to 900, not 901"),
        ({"emperor": 1, "alike": {}}, "emperor requires points for 3 dice that show 1"),
    ],
)
def test_rules_that_badges_contradict_are_refused(rules, message):
    with pytest.raises(kw.InputError, match=message):
        own_game({**RULES, "warlord": 50, **rules})


def test_badges_are_played_by_two_players_to_win():
    game = own_game({**RULES, "warlord": 50})
    assert game.objectives == ("win",)
    with pytest.raises(kw.InputError, match="badges are only played in a race to win"):
        kw.solve(game, objective="points")
    with pytest.raises(kw.InputError, match="2"):
        kw.solve(game, players=3)


def test_a_seat_can_be_without_the_badges_of_all():
    game = kw.game("kingdom-come-2", warlord=50, seats={2: {"warlord": 0}})
    assert game.rules["seat"] == {"2": {"warlord": 0}}
    assert [seat_game.data.badge_uses for seat_game in game.seat_games] == [(1, 0, 0), (0, 0, 0)]


def test_what_badges_have_not_is_refused():
    game = own_game({**RULES, "warlord": 50})
    solution = kw.solve(game, players=2)
    with pytest.raises(kw.InputError, match="certificates do not support badges"):
        check_certifiable(solution.problem)
    with pytest.raises(kw.InputError, match="with badges has no strategy sheet"):
        solution.sheet()
    with pytest.raises(kw.InputError, match="hands of dice cannot be compared if players have badges"):
        solve_matchups(kw.game("kingdom-come-2", warlord=50), {"plain": {"hand": "ordinary*6"}})


@pytest.mark.parametrize(
    "left", [badges(warlord=50, resurrection=1), badges(resurrection=1, emperor=1)], ids=name_badges
)
def test_the_referee_finds_the_same_value(left):
    game = own_game({**RULES, **left, "target": 2})
    solution = kw.solve(game, players=2, fresh=True)
    referee = kw.referee(solution.playable, cut=2)
    assert abs(float(referee.value(solution.playable.start())) - solution.value()) <= 1e-11
