"""Booby Trap for three and more against the referee, which solves it in fractions as it is played."""

from __future__ import annotations

import numpy as np
import pytest

import keepwise as kw
from keepwise.solvers import score_leads


@pytest.mark.parametrize(
    ("players", "objective", "rules"),
    [
        (3, "win", {"large": 1, "medium": 2, "small": 2}),
        (3, "margin", {"large": 1, "medium": 2, "small": 2}),
        (3, "win", {"large": 2, "medium": 1, "small": 2, "variant": "in_order"}),
        (3, "margin", {"large": 2, "medium": 1, "small": 2, "variant": "no_pass", "penalty": 5}),
        (4, "win", {"large": 1, "medium": 2, "small": 2, "small_points": 2}),
    ],
)
def test_small_boards_equal_the_referee_in_every_position(players, objective, rules):
    solution = kw.solve(kw.game("booby-trap", **rules), objective, players=players, fresh=True)
    playable = solution.playable
    referee = kw.referee(playable)
    asked = [
        one
        for one in referee.positions
        if playable.stage(one) == "throw" or (playable.is_turn_start(one) and not one.ended)
    ]
    assert len(asked) > 10
    exact = np.array([[float(share) for share in referee.seat_payoffs(one)] for one in asked])
    found = solution.restricted_to(playable.start()).value_table
    worth = solution.problem.seat_values(found, asked)
    assert np.abs(worth.values - exact).max() <= solution.error_bound
    choosing = [one for one in referee.positions if playable.stage(one) == "choose"]
    for one in choosing[:: 1 + len(choosing) // 20]:
        best = {choice.action for choice in referee.best_choices(one)}
        assert best <= {choice.action for choice in solution.advise(one).choices if choice.tie}


def test_a_later_position_has_the_bits_of_the_whole_board():
    game = kw.game("booby-trap", large=3, medium=3, small=2)
    whole = kw.solve(game, "win", players=3, fresh=True)
    told = {"left": [2, 2, 2], "score": 3, "opponents": [-3, 0]}
    position = whole.read(**told)
    later = whole.problem.solve_from(position, 1, lambda done: None)
    start = whole.problem.solve_from(whole.playable.start(), 2, lambda done: None)
    for passes in range(6):
        asked = [whole.read(**told, passes=passes)]
        one, other = (whole.problem.seat_values(solved, asked).values for solved in (later, start))
        assert np.array_equal(one, other)
    assert not whole.problem.covers(later, whole.playable.start())
    assert whole.problem.covers(later, position)


def test_seats_sum_to_one_and_regret_is_reported():
    solution = kw.solve(kw.game("booby-trap", large=2, medium=2, small=2), "win", players=3)
    told = solution.position_value()
    assert abs(sum(told.seats) - 1) <= 3 * solution.error_bound
    assert told.extra["regret"] == 2 * solution.error_bound < 1e-9
    games = solution.restricted_to(solution.playable.start()).simulate(games=4_000, seed=5)
    for one in range(3):
        assert abs(games.seats[one].outcome.mean - told.seats[one]) <= 4 * games.seats[one].outcome.se


def test_a_full_board_is_refused_with_its_size(run):
    answer = run("value booby-trap --players 4")
    assert answer.status == 2
    assert "GiB" in answer.err
    assert len(answer.err.splitlines()) == 1
    late = run("advise booby-trap --players 3 --left 2,3,1 --score 20 --opponents 18,21 --touched small --feel tight")
    assert late.status == 0, late.err
    assert "pass" in late.out


def test_lines_are_numbered_each_once():
    for players, far in ((3, 4), (4, 2), (2, 7)):
        lines = score_leads.list_deficits(players, far)
        assert len(lines) == score_leads.deficit_count(players, far)
        places = score_leads.deficit_indices(lines, far)
        first = lines[places] == lines
        assert first.all(), "a line's place holds that line"
        assert np.array_equal(score_leads.list_deficits(players, far, 3, 9), lines[3:9])
        (after,) = score_leads.next_deficits(lines, np.array([-2]))
        assert (after.min(axis=1) == 0).all()
        scores = -lines
        scores[:, 0] -= 2
        assert np.array_equal(scores.max(axis=1, keepdims=True) - scores, np.roll(after, 1, axis=1))
