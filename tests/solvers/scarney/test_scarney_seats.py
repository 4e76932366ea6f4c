"""Straight Scarney for three: every standing against an enumeration of ordered throws, two players, and simulation."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scarney_reference import CAP, table

import keepwise as kw
from keepwise.api import solve_resumable
from keepwise.play.scarney import ScarneyGame, ScarneyPosition
from keepwise.solvers import make_problem
from keepwise.solvers.scarney import standings


def frame(enter: np.ndarray, double: bool, little: str) -> np.ndarray:
    """Shares of the seats, the shooter's first, of a frame whose entered points t are worth ``enter[t]``."""
    cap, seats = len(enter) - 1, enter.shape[1]
    won = np.eye(seats)[0]
    holding: dict[tuple[int, int], np.ndarray] = {}
    free: dict[int, np.ndarray] = {}

    def throw(dice: int, held: int, doubled: bool) -> np.ndarray:
        value = np.zeros(seats)
        for what, chance in table(dice, doubled, little, True):
            if what[0] == "big":
                result = won
            elif what[0] == "live":
                result = holding[dice, min(cap, held + what[1])]
            elif what[0] == "little":
                result = holding[1, min(cap, 25 + (held if what[1] else 0))]
            else:
                result = free[what[1]] if what[1] else enter[0]
            value = value + chance * result
        return value

    for dice in range(1, 6):
        for held in range(cap, 0, -1):
            on = enter[held] if held == cap else throw(dice, held, False)
            holding[dice, held] = on if on[0] > enter[held][0] else enter[held]
        plain, doubled = throw(dice, 0, False), throw(dice, 0, double)
        free[dice] = doubled if doubled[0] > plain[0] else plain
    return free[5]


def check(solution: kw.Solution, start: ScarneyPosition, cap: int, room: float) -> None:
    """The standing is worth what the enumeration makes of the standings after it, to every seat."""
    rules, seats = solution.game.rules, solution.problem.players
    after = [solution.playable.end_frame(start, points) for points in range(cap + 1)]
    worth = solution.problem.seat_values(solution.value_table, after).values
    order = [(start.seat + one) % seats for one in range(seats)]
    expected = frame(worth[:, order], rules["double"] == "free", rules["little"])
    found = solution.problem.seat_values(solution.value_table, [start]).values[0, order]
    assert np.abs(found - expected).max() <= room, start


def standing(playable: ScarneyGame, generator: random.Random, far: int) -> ScarneyPosition:
    """Some position between two frames, level or not."""
    frame, seat = generator.randint(1, playable.frames), generator.randrange(playable.players)
    most = far if frame > 1 else 0
    scores = [generator.randint(0, most) for _ in range(playable.players)]
    if frame == 1:
        scores = [generator.choice((0, 0, 17, 17, 40)) if one < seat else 0 for one in range(playable.players)]
    return ScarneyPosition(tuple(scores), seat, frame)


@pytest.fixture
def short(monkeypatch):
    """Tables that end where rare things begin, so that three players take a second."""
    monkeypatch.setattr(standings, "CUT_PROBABILITY", 2.0**-9)


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("double", "little", "frames"), [("free", "score", 1), ("off", "dead", 1)])
def test_three_players_equal_enumeration_frame_by_frame(short, double, little, frames):
    game = kw.game("scarney", frames=frames, double=double, little=little)
    solution = kw.solve(game, "win", players=3, fresh=True)
    generator, cap = random.Random(1), standings.table_extent(game.data.turn, 1, 2.0**-9).cap
    for _ in range(6):
        check(solution, standing(solution.playable, generator, 60), cap, 1e-12)
    for playoff in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
        check(solution, ScarneyPosition((0, 0, 0), playoff[0], frames, playoff), cap, 1e-12)
    scores = tuple(12 * (one == 1) for one in range(3))
    check(solution, ScarneyPosition(scores, 2, frames, (1, 2)), cap, 1e-12)


@pytest.mark.slow
def test_extra_frames_of_two_are_those_of_two_players():
    # the match of two, which shares no loop with this, from level totals on
    duel = kw.solve("scarney", "win", players=2)
    with ThreadPoolExecutor(2) as pool:
        extra = standings.solve_extra_frames(kw.game("scarney").data.turn, 2, pool)
    start = duel.position_value(playoff=[0, 1])
    assert np.abs(extra.equity[2] - start.seats).max() <= duel.error_bound + extra.error
    assert extra.error < 1e-10
    game = extra.games[2]
    for theirs in (0, 1, 30, 77):
        (place,) = game.standings.row_indices(0, 1, np.array([[theirs, 0]], dtype=np.int32))
        value = duel.value(playoff=[0, 1], seat=1, opponents=[theirs])
        assert abs(game.shares[place, 0] - value) <= duel.error_bound + extra.error


@pytest.mark.slow
def test_bits_of_three_do_not_depend_on_threads(short):
    game = kw.game("scarney", frames=1)
    one, two = (kw.solve(game, "win", players=3, threads=threads, fresh=True).value_table.arrays for threads in (1, 2))
    assert all(np.array_equal(one[name], two[name]) for name in one)


@pytest.mark.slow
def test_three_players_in_words_and_rows(short):
    game = kw.game("scarney", frames=1)
    solution = kw.solve(game, "win", players=3, fresh=True)
    told = solution.position_value(seat=2, opponents=[30, 30])
    assert abs(sum(told.seats) - 1) <= solution.error_bound
    assert 0 < told.extra["regret"] == 2 * solution.error_bound
    rows = list(solution.policy(opponents=[30, 30], seat=2).rows())
    assert rows
    assert all(row["seat"] == 2 for row in rows)
    listing = solution.problem.list_positions({})
    counted = sum(1 for _ in listing.positions)
    assert counted == listing.count


def test_four_players_are_refused_with_the_size(run):
    answer = run("value scarney --objective win --players 4")
    assert answer.status == 2
    assert "GiB" in answer.err
    assert len(answer.err.splitlines()) == 1


@pytest.mark.patient
def test_scarney_solves_resume_after_a_kill(short, tmp_path, monkeypatch):
    monkeypatch.setattr("keepwise.solvers.scarney.multiplayer.CHECKPOINT_SECONDS", 0.0)
    game = kw.game("scarney", frames=2)
    whole = kw.solve(game, "win", players=3, fresh=True).value_table.arrays
    path = tmp_path / "three.npz"

    def killed(done: float) -> None:
        if done > 0.8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_resumable(make_problem(game, "win", 3), path, progress=killed)
    assert list(tmp_path.glob("*.part"))
    again = solve_resumable(make_problem(game, "win", 3), path).value_table.arrays
    assert all(np.array_equal(whole[name], again[name]) for name in whole)


@pytest.mark.patient
def test_one_frame_of_three_lies_within_the_bound():
    solution = kw.solve(kw.game("scarney", frames=1), "win", players=3, fresh=True)
    assert solution.error_bound < 2e-10
    generator = random.Random(2)
    for _ in range(2):
        check(solution, standing(solution.playable, generator, 60), CAP, 2 * solution.error_bound)
    for playoff in ((0, 2), (0, 1, 2)):
        check(solution, ScarneyPosition((0, 0, 0), playoff[0], 1, playoff), CAP, 2 * solution.error_bound)
    start = solution.position_value()
    assert abs(sum(start.seats) - 1) <= 3 * solution.error_bound
    # the same as computed twice: an extra frame of all three is the game of one frame
    assert np.abs(np.array(start.seats) - solution.position_value(playoff=[0, 1, 2]).seats).max() <= 1e-12
    assert json.loads(json.dumps(start.extra))["regret"] <= 1e-9
    last = {"seat": 2, "opponents": [30, 30], "roll": "13466"}
    assert solution.advise(**last).choices[0].follow_up == "hit", "20 points lose to 30"
    assert solution.advise(**last, turn=20, live=5).choices[0].follow_up == "stop"
    many = solution.simulate(games=1_500, seed=3)
    for one in range(3):
        assert abs(many.seats[one].outcome.mean - start.seats[one]) <= 4 * many.seats[one].outcome.se
