"""Rules that change what endings lead to, each with others: the referee's values, and those of the plain path.

Scores that are lost, busts that cost points, turns that are taken over, dice chosen or unlike one another, sets to be
confirmed, with each finish; two players, and one.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from combined_rules import FEATURES, PAIRS, SMALL, together
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game
from keepwise.solvers import make_problem, reference_solver
from keepwise.turns.monotone_turn import is_monotone
from keepwise.util.errors import InputError, SolveError

TRIES = 200  # random rule sets of which one must be solved
FINISHES = ("at_least", "last_round", "exact")


# Where all dice must be thrown again points have no bound but with an exact finish.
BOUNDED = [(pair, finish) for pair in PAIRS for finish in FINISHES if finish == "exact" or "confirmed" not in pair]


@pytest.mark.cases(fast=8)
@pytest.mark.parametrize(("features", "finish"), BOUNDED)
def test_two_features_before_the_referee(features, finish):
    assert check(own_game({**together(*features), "finish": finish}), "win", rolls=40) > 0


NAMED = {"lost": "wiped", "taken": "taken", "taken over": "taken"} | {
    one: one for one in ("costs", "chosen", "unlike", "confirmed")
}


def told_cells():
    """The feature, what it stands with, and what the page says of both."""
    page = (Path(__file__).parents[3] / "docs" / "house-games.md").read_text()
    (table,) = (part for part in page.split("\n\n") if part.startswith("| | lost |"))
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
    return [(row[0], other, cell) for row in rows for other, cell in zip(head[1:], row[1:], strict=True) if cell]


@pytest.mark.parametrize(("feature", "other", "cell"), told_cells())
def test_documented_feature_matrix_equals_the_solvers(feature, other, cell):
    """Whether a match can be made is asked here; that it is right, by the tests above and below."""
    first = NAMED[feature]
    asked = [{"finish": finish} for finish in FINISHES] if other.startswith("`at_least`") else [{}]
    players = 3 if other == "three or more players" else 2
    second = (NAMED[other],) if other in NAMED else ()
    if {first, *second} & {"confirmed"} and players == 2:  # else nothing bounds a turn
        asked = [{"finish": "exact"}]
    for more in asked:
        rules = {**together(first, *second), **more, **({"target": 2} if players == 3 else {})}
        if cell.startswith("yes"):
            assert make_problem(own_game(rules), "win", players)
        else:
            with pytest.raises(InputError):
                make_problem(own_game(rules), "win", players)


@pytest.mark.parametrize(
    "rules",
    [
        {"stop.at_least": 2},
        {"stop.opening": 2},
        {"stop.at_least": 2, "stop.below": "must", "then.all": "roll", "set_aside": "all"},
        {"stop.opening": 3, "stop.at_least": 2, "stop.on_win": False},
        {"stop.at_least": 2, "take_over": "opened"},
    ],
    ids=str,
)
def test_players_may_pass_where_a_roll_can_wipe(rules):
    """With fewer points than count a player may stop, where throwing on may lose everything."""
    wiped = {**together("wiped"), "target": 4, **rules}
    assert check(own_game(wiped), "win", rolls=40) > 0


@pytest.mark.cases(fast=12)
@pytest.mark.parametrize("objective", ["turns", "reach"])
@pytest.mark.parametrize("features", [pair for pair in PAIRS if "taken" not in pair], ids="-".join)
def test_two_features_alone_before_the_referee(features, objective):
    finish = "exact" if "confirmed" in features else "at_least"
    game = own_game({**together(*features), "finish": finish})
    assert check(game, objective, rolls=40, **({"turns": 3} if objective == "reach" else {})) > 0


THREE = [
    pytest.param(
        features, finish, marks=[pytest.mark.slow] * (finish == "last_round"), id="-".join((*features, finish))
    )
    for features in (*((feature,) for feature in FEATURES), *PAIRS)
    for finish in FINISHES
    if (finish == "exact" or "confirmed" not in features) and (finish != "last_round" or "taken" not in features)
]


@pytest.mark.cases(fast=5, slow=15)
@pytest.mark.parametrize(("features", "finish"), THREE)
def test_three_players_before_the_referee(features, finish):
    rules = {**together(*features), "finish": finish, "target": 2}
    assert check(own_game(rules), "win", players=3, rolls=40) > 0


FALLING = {"singles": {"1": 2, "2": -1}}


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(
    ("rules", "players"),
    [
        ({**SMALL, **FALLING}, 3),
        ({**SMALL, **FALLING, "target": 2}, 4),
        ({**together("wiped"), **FALLING}, 3),
        ({**together("taken"), **FALLING}, 3),
        ({**together("taken"), **FALLING, "take_over": "opened", "stop.opening": 2}, 3),
        ({**together("chosen"), **FALLING}, 3),
        ({**together("unlike"), **FALLING}, 3),
        ({**SMALL, "singles": {"1": 1, "2": 0}, "target": 2}, 3),
        ({**together("costs"), "dice": 1, "target": 2}, 4),
        ({**together("taken"), "target": 2}, 4),
    ],
)
def test_turns_that_the_kernel_does_not_know_before_the_referee(rules, players):
    """Points that fall in a turn, sets of none, more seats."""
    assert check(own_game(rules), "win", players=players, rolls=40) > 0


@pytest.mark.slow
@pytest.mark.parametrize("features", [("costs",), ("rows",), ("taken",), ("costs", "taken")], ids="-".join)
def test_simulated_games_of_three_reach_the_solved_values(features):
    """Simulated, with larger dice and targets; nobody gains by other play; mixed turns or not."""
    game = own_game({**together(*features), "faces": 4, "target": 5})
    solution = kw.solve(game, "win", 3, fresh=True)
    told = solution.position_value()
    assert told.extra["regret"] <= 1e-11
    found = solution.simulate(games=2000, seed=11)
    for seat, chance in zip(found.as_json()["seats"], told.seats, strict=True):
        assert abs(seat["mean"] - chance) <= 4 * seat["se"]
        assert seat["errors"] <= 1e-9
    if "taken" not in features:
        against = solution.against("best")  # the same play, followed by other code
        assert np.abs(np.array(against.values) - told.seats).max() <= 1e-11


def random_rules(rng):
    """Three of the features and others, at random; some make no game."""
    names = [str(face) for face in range(1, rng.randint(2, 4) + 1)]
    rules = {**SMALL, "faces": len(names), "target": rng.randint(3, 8), "finish": rng.choice(FINISHES)}
    rules |= {"dice": rng.randint(1, 3), "then.all": rng.choice(("roll", "must", "end"))}
    rules["singles"] = {name: rng.randint(1, 3) for name in rng.sample(names, rng.randint(1, len(names) - 1))}
    for feature in rng.sample([one for one in FEATURES if one != "unlike"], 3):
        more = dict(FEATURES[feature])
        if feature == "wiped":
            more["special"] = [{"throw": rng.choice(names) * rng.randint(1, rules["dice"]), "then": "wipe"}]
        if feature in ("costs", "rows"):
            costs = [rng.randint(0, 2) for _ in range(rng.randint(0, 1))]
            more["bust"] = {"costs": [1, *costs], "count": rng.choice(("anew", "stays")), "floor": -rng.randint(0, 2)}
        rules |= more
    return rules


@pytest.mark.cases(fast=3, slow=19)
@pytest.mark.parametrize("seed", range(40))
def test_the_race_kernel_before_the_plain_path(seed):
    """Both within their bounds, where both find one."""
    rng = random.Random(seed)
    for _ in range(TRIES):
        try:
            game = own_game(random_rules(rng))
            race = make_problem(game, "win")
            solved, (plain, bound) = race.solve(2, lambda done: None), race.solve_by_reference(1, lambda done: None)
        except (InputError, SolveError):
            continue
        if is_monotone(game.data.turn):
            break
    else:
        raise AssertionError(f"none of {TRIES} random rule sets is solved")
    two, count = race.model, len(race.states)
    win = plain[: two.lines].reshape(count, -1)[:, :count]
    assert np.abs(win - solved.arrays["win"]).max() <= bound + solved.error_bound
    assert solved.error_bound <= 64 * bound
    assert bound <= 64 * solved.error_bound


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("seed", range(6))
def test_bisection_and_newton_steps_agree(seed, monkeypatch):
    """Newton's steps hardly ever go round: here brackets are halved from the first pass on."""
    rng, halved = random.Random(100 + seed), []
    safeguard = reference_solver._Bracket.safeguard
    monkeypatch.setattr(
        reference_solver._Bracket, "safeguard", lambda *arguments: halved.append(1) or safeguard(*arguments)
    )
    for _ in range(TRIES):
        try:
            race = make_problem(own_game(random_rules(rng)), "win")
            monkeypatch.setattr(reference_solver, "NEWTON_PASSES", 20)
            newton, bound = race.solve_by_reference(1, lambda done: None)
            monkeypatch.setattr(reference_solver, "NEWTON_PASSES", 0)
            found, more = race.solve_by_reference(1, lambda done: None)
        except (InputError, SolveError):
            halved.clear()
        if halved:
            break
    assert halved
    assert np.abs(found - newton).max() <= bound + more


@pytest.mark.parametrize("opponents", [[12], [12, 11]])
def test_a_last_turn_of_chosen_dice_has_the_value_of_its_best(opponents):
    hog = kw.load_rules("hog").with_rules(finish="last_round", target=12)
    solution = kw.solve(hog, "win", players=len(opponents) + 1)
    best = solution.advise(score=10, opponents=opponents).best
    assert best.action == "roll 1 die"  # 3 to 6 of six win, a 2 ties
    assert best.value == pytest.approx(0.75, abs=1e-12)
    assert solution.value(score=10, opponents=opponents) == pytest.approx(0.75, abs=1e-12)


@pytest.mark.parametrize("costs", [[2], [1]])
def test_certain_values_lie_within_the_error_bound(costs):
    """Every throw that counts brings all five points, so from 0 it wins, and from above 0 it is a bust, which costs."""
    rules = {"dice": 2, "faces": 2, "weights": [1, 3], "alike": {"2": {"1": 5, "2": 5}}, "target": 5, "finish": "exact"}
    rules |= {"set_aside": "all-or-none", "then.all": "end", "special": [{"throw": "12", "then": "void"}]}
    solution = kw.solve(own_game({"name": "sure", **rules, "bust": {"costs": costs}}), "win", fresh=True)

    def wins(mine, theirs):
        return 1 - wins(theirs, max(0, mine - costs[0])) if mine else 1

    for mine in range(5):
        for theirs in range(5):
            assert abs(solution.value(score=mine, opponents=[theirs]) - wins(mine, theirs)) <= solution.error_bound
    assert solution.error_bound < 1e-13
