"""The fairest head start and the fairest smaller target, against value iteration and solves of single races."""

from __future__ import annotations

import json

import pytest
from race_by_value_iteration import SETTLED, pig_by_value_iteration

import keepwise as kw
from keepwise import handicaps
from keepwise.games import own_game

OPENING_RULES = {
    "name": "opened",
    "dice": 2,
    "target": 400,
    "stop": {"opening": 150},
    "singles": {"1": 100, "5": 50},
    "alike": {"2": {"6": 200}},
}


def closest_to_even(chances: dict[int, float]) -> int:
    return min(chances, key=lambda points: abs(chances[points] - 0.5))


@pytest.mark.parametrize(
    ("targets", "seat"), [((14, 14), 2), ((12, 18), 2), ((24, 9), 1)], ids=["alike", "second longer", "first longer"]
)
def test_the_head_start_of_pig_is_that_of_value_iteration(targets, seat):
    found = kw.fairest_handicap(kw.game("pig", target=targets[0], seats={2: {"target": targets[1]}}))
    first_moves, _ = pig_by_value_iteration(targets, (6, 6))
    by_start = {start: first_moves[(start, 0) if seat == 1 else (0, start)] for start in range(targets[seat - 1])}
    points = closest_to_even(by_start)
    assert (found.seat, found.kind, found.points) == (seat, "head_start", points)
    tolerance = found.error_bound + 50 * SETTLED  # as in test_unlike_seats
    assert found.chances[0] == pytest.approx(by_start[points], abs=tolerance)
    assert found.chances_without_handicap[0] == pytest.approx(first_moves[0, 0], abs=tolerance)
    chances = list(by_start.values())
    assert (found.next_points is not None) == (min(chances) < 0.5 < max(chances))
    if found.next_points is not None:
        assert found.next_chances[0] == pytest.approx(by_start[found.next_points], abs=tolerance)
        assert (found.chances[0] - 0.5) * (found.next_chances[0] - 0.5) < 0
    assert kw.solve(found.game, fresh=True).value() == pytest.approx(found.chances[0], abs=2 * found.error_bound)


@pytest.mark.parametrize("targets", [(9, 9), (8, 12)])
def test_the_smaller_target_of_pig_is_that_of_value_iteration(targets):
    found = kw.fairest_handicap(kw.game("pig", target=targets[0], seats={2: {"target": targets[1]}}), "target")
    by_target = {
        target: pig_by_value_iteration((targets[0], target), (6, 6))[0][0, 0] for target in range(1, targets[1] + 1)
    }
    points = closest_to_even(by_target)
    assert (found.seat, found.points, found.rule) == (2, points, f"2:target={points}")
    assert found.chances[0] == pytest.approx(by_target[points], abs=found.error_bound + 50 * SETTLED)
    assert sum(found.chances) == 1


@pytest.mark.parametrize("changes", [{}, {"finish": "exact"}], ids=["at least", "exact"])
def test_head_starts_that_no_bank_reaches_agree_with_one_race(changes):
    """With an opening of 150 points nobody can have 50 or 100 points, but a head start can be as large."""
    game = own_game({**OPENING_RULES, **changes})
    found = kw.fairest_handicap(game)
    by_start = {}
    for start in range(0, 400, 50):
        seats = {"2": {"head_start": start}} if start else {}
        by_start[start] = kw.solve(game.with_rules(seat=seats) if seats else game, "win", fresh=True).value()
    assert found.points == closest_to_even(by_start)
    assert found.chances[0] == pytest.approx(by_start[found.points], abs=1e-9)


def test_fair_leaves_out_head_starts_that_can_miss_the_target():
    """Rolls bring 2 or 4 points, and the target of 10 must be reached exactly: from an odd score nobody can win."""
    rules = {"name": "odd", "dice": 1, "target": 10, "singles": {"1": 2, "2": 4}, "finish": "exact"}
    found = kw.fairest_handicap(own_game(rules))
    assert found.points % 2 == 0
    with pytest.raises(kw.InputError):
        kw.solve(own_game(rules).with_rules(seat={"2": {"head_start": 3}}))


@pytest.mark.slow
def test_farkle_head_start_equals_the_published_value():
    """Busche and Neller 2017: 200 points for the second player (docs/known-facts.md)."""
    assert kw.fairest_handicap(kw.game("farkle")).rule == "2:head_start=200"


def test_a_race_that_no_handicap_makes_more_even():
    """To 2 points in Pig, one roll of anything but a 1 wins, with a score of 0 or 1."""
    found = kw.fairest_handicap(kw.game("pig", target=2))
    assert (found.points, found.is_needed, found.next_points) == (0, False, None)
    # 5 of 6 rolls win: 5/6 / (1 - 1/36) = 6/7.
    assert found.chances == found.chances_without_handicap == pytest.approx((6 / 7, 1 / 7))


@pytest.mark.parametrize(
    ("chances", "points", "next_points"),
    [
        ({0: 0.6, 10: 0.52 + 1e-10, 20: 0.48, 30: 0.4}, 10, 20),  # a tie within the bound
        ({0: 0.6, 10: 0.52 + 1e-8, 20: 0.48, 30: 0.4}, 20, 10),
        ({0: 0.5 + 1e-10, 10: 0.5 - 1e-11, 20: 0.4}, 0, None),  # even within the bound
    ],
)
def test_the_smallest_of_equal_handicaps_is_found(chances, points, next_points):
    """Chances that differ by less than their errors are equal."""
    search = handicaps._Search(kw.game("pig"), 1, False, lambda share: None)
    found = search._best(2, "head_start", chances, 0, 1e-9)
    assert (found.points, found.next_points, found.is_needed) == (points, next_points, points > 0)


@pytest.mark.parametrize("kind", ["head-start", "target"])
def test_fair_prints_both_chances(run, kind):
    command = f"fair pig --rule target=20 --seat-rule 2:target=30 --by {kind}"
    found = json.loads(run(f"{command} --json").out)
    handicap = kw.fairest_handicap(kw.game("pig", target=20, seats={2: {"target": 30}}), kind.replace("-", "_"))
    assert found["chances"] == list(handicap.chances)
    assert (found["seat"], found["points"], found["next"]["points"]) == (2, handicap.points, handicap.next_points)
    printed = run(command).out
    first, second = (f"{chance:.1%}" for chance in handicap.chances)
    assert f"points for the second player: the first player {first}, the second {second}\n" in printed
    assert f"\nplay it with --rule {handicap.rule}\n" in printed


def test_fair_gives_a_head_start_and_a_target(run):
    command = "fair pig --rule target=20 --rule 2:target=30"
    both = json.loads(run(f"{command} --json").out)
    target = both.pop("smaller_target")
    assert both == json.loads(run(f"{command} --by head-start --json").out)
    alone = json.loads(run(f"{command} --by target --json").out)
    assert target == {key: alone[key] for key in target}
    printed = run(command).out.splitlines()
    by_kind = [run(f"{command} --by {kind}").out.splitlines() for kind in ("head-start", "target")]
    assert printed == [*by_kind[0], *by_kind[1][2:]]  # the heading and the unaided chances are given once
    exact = run("fair 5000 --rule target=500 --rule finish=exact").out
    assert "\nno smaller target is given: a smaller target can be harder to reach exactly" in exact
    late = run("fair farkle --rule target=1000 --rule finish=last_round").out
    assert "no smaller target is given: a smaller target need not help with finish=last_round" in late


def test_fair_says_that_nothing_makes_a_race_even(run):
    printed = run("fair pig --rule target=3").out
    game = kw.game("pig", target=3)
    for kind, points, words in (("head_start", 1, "head start"), ("target", 1, "target")):
        handicap = kw.fairest_handicap(game, kind)
        assert handicap.points == points
        assert not handicap.reaches_even
        assert handicap.chances[0] > 0.8
        none = "no head start" if kind == "head_start" else "no smaller target"
        assert f"{none} makes it even; closest: a {words} of 1 point for the second player" in printed
    assert kw.fairest_handicap(kw.game("pig")).reaches_even


def test_fair_takes_hands(run):
    found = json.loads(run("fair kingdom-come-2 --rule target=500 --hands lucky*6/ordinary*6 --json").out)
    assert found["seat"] == 2
    assert "hand" in found["rules"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("yahtzee", "requires a push-your-luck race, such as pig, not yahtzee"),
        ("farkle --rule finish=last_round --by target", "a smaller target need not help with finish=last_round"),
        ("pig --rule target=1", "target=1 is too small for a head start: use a larger target"),
        ("pig --seat-rule 2:head_start=3", "leave head_start out of the rules by seat"),
        ("pig --seat-rule 3:target=9", "fair chances are computed for two players: leave out the rules of seat 3"),
        ("pig --rule 3:target=100", "fair chances are computed for two players: leave out the rules of seat 3"),
        ("5000 --rule finish=exact --by target", "a smaller target can be harder to reach exactly: use a head start"),
        ("kingdom-come-2 --hands lucky*6/odd*6/pie*6", "--hands lists 3 hands, but there are 2 players"),
    ],
)
def test_fair_refuses_unsupported_games(refused, words, message):
    refused(message, f"fair {words}")


def test_an_unknown_kind_is_refused():
    with pytest.raises(kw.InputError, match="unknown kind 'dice'; known: head_start, target"):
        kw.fairest_handicap(kw.game("pig"), "dice")
