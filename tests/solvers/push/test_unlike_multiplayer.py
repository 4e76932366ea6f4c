"""Races of three and more whose players have rules of their own, against plain programs that share no code."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from unlike_race_by_value_iteration import (
    Player,
    groups_of_5000,
    offers_of_pig,
    race_of_many_by_value_iteration,
)

import keepwise as kw
from keepwise.games import own_game
from keepwise.solvers.push import multiplayer_sweep
from keepwise.solvers.push.multiplayer_solver import solve_multiplayer_race, solve_race
from keepwise.solvers.push.states import States
from keepwise.solvers.push.unlike_multiplayer import UnlikeMultiplayerRace
from keepwise.util.errors import InputError

ROUNDING = 1e-13  # of the plain programs
PIGS = {  # targets and faces by seat
    "three targets": ((12, 9, 15), (6, 6, 6)),
    "three dice": ((10, 10, 10), (6, 4, 8)),
    "four players": ((6, 5, 7, 6), (6, 6, 4, 6)),
}


def check(solution, plain, tolerance=ROUNDING):
    """Compare all values of a race with those of a plain program, by seat to move and scores; return how many.

    The plain program also has scores that cannot occur, because no bank brings the points.
    """
    problem, table = solution.problem, solution.value_table
    occurring = [set(table.arrays[f"scores{seat + 1}"].tolist()) for seat in range(solution.problem.players)]
    expected = {
        solution.playable.turn_start(scores, seat, 0): shares
        for (seat, scores), shares in plain.items()
        if all(score in own for score, own in zip(scores, occurring, strict=True))
    }
    values = problem.seat_values(table, list(expected)).values
    assert np.abs(values - list(expected.values())).max() <= table.error_bound + tolerance
    return len(expected)


@pytest.mark.parametrize(("targets", "faces"), PIGS.values(), ids=PIGS)
def test_pig_agrees_with_value_iteration(targets, faces):
    players = tuple(Player(((1, ()),), (), target) for target in targets)
    offers = [offers_of_pig(player, count) for player, count in zip(players, faces, strict=True)]
    plain = race_of_many_by_value_iteration(players, step=1, offers=offers)
    seats = {seat: {"target": targets[seat - 1], "faces": faces[seat - 1]} for seat in range(2, len(targets) + 1)}
    game = kw.game("pig", target=targets[0], faces=faces[0], seats=seats)
    solution = kw.solve(game, players=len(targets), fresh=True)
    assert check(solution, plain) > 300


DICE = {"lucky": (6, 1, 2, 3, 4, 6), "odd": (4, 1, 4, 1, 4, 1), "fair": (1, 1, 1, 1, 1, 1)}
HANDS = ("lucky fair", "odd fair", "fair fair")


@pytest.mark.parametrize("openings", [(0, 0, 0), (100, 0, 50)])
def test_unlike_dice_agree_with_value_iteration(openings):
    target = 150
    hands = [Counter(hand.split()) for hand in HANDS]
    players = tuple(
        Player(tuple((count, DICE[name]) for name, count in sorted(hand.items())), groups_of_5000(), target, opening)
        for hand, opening in zip(hands, openings, strict=True)
    )
    dice = [
        [{"name": name, "count": count, "weights": list(DICE[name])} for name, count in hand.items()] for hand in hands
    ]
    game = own_game(
        {
            "name": "toy",
            "target": target,
            "stop": {"opening": openings[0]},
            "die": dice[0],
            "singles": {"1": 100, "5": 50},
        }
    )
    seats = {
        str(seat): {"die": dice[seat - 1], "stop.opening": openings[seat - 1]} for seat in range(2, len(hands) + 1)
    }
    solution = kw.solve(game.with_rules(seat=seats), "win", players=3, fresh=True)
    assert check(solution, race_of_many_by_value_iteration(players)) >= 3 * 2 * 3 * 3


def states_of_pigs(*targets):
    return [States(kw.game("pig", target=target).data) for target in targets]


def test_the_reference_solver_agrees_with_the_kernel():
    states = states_of_pigs(12, 9, 15)
    by_kernel = solve_race(UnlikeMultiplayerRace(states))
    by_reference = solve_race(UnlikeMultiplayerRace(states, use_reference=True))
    assert np.abs(by_kernel.win - by_reference.win).max() <= 1e-14
    assert by_kernel.gain == pytest.approx(by_reference.gain, rel=0.01)


def test_alike_players_get_the_values_of_their_own_solver():
    (states,) = states_of_pigs(14)
    alike = solve_multiplayer_race(states, 3)
    unlike = solve_race(UnlikeMultiplayerRace([states] * 3))
    tolerance = 2 * (alike.gain + unlike.gain)  # each error bound is 2 gains for three players
    for values in unlike.win.reshape(3, -1, 3):
        assert np.abs(values - alike.win).max() <= tolerance


def test_the_bits_are_the_same_from_any_threads(monkeypatch):
    monkeypatch.setattr(multiplayer_sweep, "MIN_CYCLES_FOR_THREADS", 1)
    states = states_of_pigs(15, 12, 18)
    one = solve_race(UnlikeMultiplayerRace(states), threads=1)
    three = solve_race(UnlikeMultiplayerRace(states), threads=3)
    assert one.win.tobytes() == three.win.tobytes()
    assert one.bounds.tobytes() == three.bounds.tobytes()


def test_a_head_start_is_the_position_with_that_score():
    plain = kw.solve(kw.game("pig", target=20), players=3, fresh=True)
    ahead = kw.solve(kw.game("pig", target=20, seats={2: {"head_start": 7}}), players=3, fresh=True)
    bound = plain.value_table.error_bound + ahead.value_table.error_bound
    assert abs(ahead.value() - plain.value(score=0, opponents=[7, 0])) <= bound


def test_a_stronger_third_player_takes_from_both_others():
    even = kw.solve(kw.game("pig", target=30), players=3, fresh=True)
    handicapped = kw.solve(kw.game("pig", target=30, seats={3: {"target": 20}}), players=3, fresh=True)
    start = even.playable.start()
    before = even.problem.seat_values(even.value_table, [start]).values[0]
    after = handicapped.problem.seat_values(handicapped.value_table, [handicapped.playable.start()]).values[0]
    assert after[2] > before[2]
    assert (after[:2] < before[:2]).all()
    assert abs(after.sum() - 1) <= 3 * handicapped.value_table.error_bound


def test_seats_beyond_the_players_are_refused():
    with pytest.raises(InputError, match="the rules describe seat 4, but there are 3 players"):
        kw.solve(kw.game("pig", target=10, seats={4: {"target": 12}}), players=3)


def test_more_players_than_the_kernel_knows_are_refused():
    with pytest.raises(InputError, match="players"):
        kw.solve(kw.game("pig", target=10, seats={2: {"target": 12}}), players=7)
