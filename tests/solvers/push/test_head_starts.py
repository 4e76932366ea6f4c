"""Head starts in races whose rules cannot differ by seat otherwise: last rounds, take-overs, scores that can fall."""

from __future__ import annotations

import numpy as np
import pytest
from race_by_value_iteration import SETTLED, two_dice_pig_by_value_iteration
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game

SMALL = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "alike": {"2": {"2": 2}}, "target": 4}
OPENED = {**SMALL, "stop.opening": 2, "stop.at_least": 1}
WIPE = {"special": [{"throw": "33", "then": "wipe"}]}
COSTS = {"bust": {"costs": [0, 1], "count": "anew", "floor": -1}, "then.all": "end"}
ONE_DIE = {"name": "die", "dice": 1, "faces": 3, "singles": {"1": 1, "2": 2}, "then.all": "end", "target": 3}
SECOND = {"2": {"head_start": 1}}
RULES = {
    "a last round": ({**SMALL, "then.all": "end", "finish": "last_round"}, SECOND, 2),
    "an opening": ({**OPENED, "then.all": "end", "finish": "last_round"}, SECOND, 2),
    "take-over": ({**SMALL, "take_over": "free"}, SECOND, 2),
    "take-over, opened": ({**OPENED, "take_over": "opened"}, SECOND, 2),
    "wiped scores": ({**OPENED, **WIPE}, SECOND, 2),
    "lost points": ({**SMALL, **COSTS}, SECOND, 2),
    "sets of no points": ({**SMALL, "singles": {"1": 1, "2": 0}, "then.all": "end"}, SECOND, 2),
    "both": ({**SMALL, **WIPE}, {"1": {"head_start": 1}, "2": {"head_start": 3}}, 2),
    "three with a last round": ({**ONE_DIE, "finish": "last_round"}, {"3": {"head_start": 1}}, 3),
    "three with wiped scores": (
        {**ONE_DIE, "singles": {"1": 1}, "special": [{"throw": "2", "then": "wipe"}]},
        {"2": {"head_start": 2}},
        3,
    ),
}


@pytest.mark.parametrize(("rules", "seats", "players"), RULES.values(), ids=RULES)
def test_the_referee_agrees_from_head_starts(rules, seats, players):
    """The referee begins at the head starts, and lists all positions from there."""
    game = own_game({**rules, "seat": seats})
    assert game.seat_games == ()
    assert check(game, "win", players=players, rolls=100) > 0


def test_two_dice_pig_agrees_with_value_iteration():
    target, start = 15, 4
    expected = two_dice_pig_by_value_iteration(target)
    solution = kw.solve(kw.game("two-dice-pig", target=target, seats={2: {"head_start": start}}), fresh=True)
    tolerance = solution.error_bound + 50 * SETTLED  # as in test_unlike_seats
    assert abs(solution.value() - expected[0, start]) <= tolerance
    assert abs(solution.value(seat=1) - expected[start, 0]) <= tolerance
    assert abs(solution.value(score=5, opponents=[8]) - expected[5, 8]) <= tolerance


def test_the_fairest_head_start_of_two_dice_pig():
    target = 15
    expected = two_dice_pig_by_value_iteration(target)
    found = kw.fairest_handicap(kw.game("two-dice-pig", target=target))
    by_start = {start: expected[0, start] for start in range(target)}
    assert found.seat == 2
    assert found.points == min(by_start, key=lambda points: abs(by_start[points] - 0.5))
    assert found.chances[0] == pytest.approx(by_start[found.points], abs=found.error_bound + 50 * SETTLED)
    assert found.chances_without_handicap[0] == pytest.approx(by_start[0], abs=found.error_bound + 50 * SETTLED)


def test_the_fairest_head_start_of_greed_equals_single_races():
    """Each head start is solved as a game of its own."""
    game = kw.game("greed", target=600)
    found = kw.fairest_handicap(game)
    chances = {0: kw.solve(game, "win", fresh=True).value()}
    for start in range(50, 600, 50):
        seats = {str(found.seat): {"head_start": start}}
        chances[start] = kw.solve(game.with_rules(seat=seats), fresh=True).value()
    assert found.points == min(chances, key=lambda points: abs(chances[points] - 0.5))
    assert found.chances[0] == pytest.approx(chances[found.points], abs=1e-10)


def test_the_fairest_head_start_of_zilch_equals_a_single_race():
    found = kw.fairest_handicap(kw.game("zilch", target=350))
    assert found.points > 0
    assert abs(kw.solve(found.game, fresh=True).value() - found.chances[0]) <= 2 * found.error_bound


def test_head_starts_are_positions_of_the_game_without():
    plain = kw.solve(kw.game("two-dice-pig", target=20), "win", fresh=True)
    ahead = kw.solve(kw.game("two-dice-pig", target=20, seats={2: {"head_start": 7}}), fresh=True)
    assert all(
        np.array_equal(ahead.value_table.arrays[name], array) for name, array in plain.value_table.arrays.items()
    )
    start = ahead.problem.playable.start()
    assert (start.scores, start.seat) == ((0, 7), 0)
    assert ahead.problem.playable.position(seat=1).scores == (0, 7)
    assert ahead.problem.playable.position(score=5).scores == (5, 7)


def test_policies_begin_at_the_head_starts():
    ahead = kw.solve(kw.game("two-dice-pig", target=20, seats={2: {"head_start": 7}}), fresh=True)
    evaluation = ahead.evaluate("hold:9")
    assert evaluation.optimal == ahead.value()
    assert evaluation.second[1] == ahead.value(seat=1) or evaluation.second[1] == 1 - ahead.value()
    outcome = ahead.simulate("hold:9", "best", games=20_000, seed=3).seats[0].outcome
    assert abs(outcome.mean - evaluation.value) < 4 * outcome.se


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("value zilch --rule 2:stop.opening=900", "with busts that cost points; only head_start can differ"),
        ("fair greed --rule target=1000 --by target", "a smaller target need not help with finish=last_round"),
        ("value two-dice-pig --rule 3:head_start=3", "the rules describe seat 3, but there are 2 players"),
        ("value two-dice-pig --rule 2:head_start=3 --objective turns", "with rules by seat, the only objective is win"),
        ("value greed --rule 2:head_start=25", "head_start=25 must be a multiple of 50, as all scores are"),
        ("page two-dice-pig --rule 2:head_start=3", "does not support head starts with these rules"),
        ("certify two-dice-pig --rule target=9 --rule 2:head_start=3 -o x.kwc", "certify the game without head_start"),
    ],
)
def test_unlike_seats_and_outputs_are_refused(refused, words, message):
    refused(message, words)
