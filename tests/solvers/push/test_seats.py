"""Races of three and more: against the referee in fractions, a plain solve that pays no heed to the kernel, published
numbers, and simulated games; cycles without an equilibrium in pure strategies; the best replies to the stored play.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from house_rules import random_rules
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from multiplayer_checks import NO_PURE, check_against_the_plain_path, rare
from referee_checks import check

import keepwise as kw
import keepwise.api
from keepwise.games import own_game
from keepwise.play import playable
from keepwise.play.referee import referee
from keepwise.solvers.push import multiplayer_problem, multiplayer_reference, multiplayer_sweep
from keepwise.solvers.push.multiplayer_solver import solve_multiplayer_race
from keepwise.solvers.push.multiplayer_sweep import LayerSweep
from keepwise.solvers.push.states import States
from keepwise.storage.checkpoints import Checkpoint
from keepwise.util.errors import InputError, KeepwiseError, SolveError

SMALL = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "target": 3}


# Everybody would rather wait, were that worth as much as it is taken to be at first.
WAITED = {**SMALL, "weights": [2, 2, 3], "singles": {"2": 1, "3": 1}, "target": 2, "then.all": "end"} | {
    "stop.opening": 2,
    "finish": "last_round",
}

# --- against the referee

GAMES = [
    (kw.game("pig", target=6), 3),
    (kw.game("pig", faces=2, points="one", target=4), 3),
    (kw.game("pig", faces=4, target=4), 4),
    (kw.game("5000", target=150, opening=100, minimum=50, finish="exact"), 3),
    (own_game({**SMALL, "alike": {"2": {"2": 2}}}), 3),
    (own_game({**SMALL, "alike": {"2": {"2": 2}}, "then.all": "end", "weights": [1, 2, 3]}), 3),
    (own_game({**SMALL, "alike": {"2": {"2": 2}}, "then.all": "must", "finish": "exact"}), 3),
    (own_game({**SMALL, "special": [{"throw": "33", "then": "win"}]}), 3),
    (own_game(WAITED), 3),
    (own_game({**SMALL, "special": [{"throw": "22", "then": "must", "points": 1}], "finish": "exact"}), 3),
]


LARGER = [
    (kw.game("pig", target=10), 3),
    (kw.game("pig", faces=4, target=6), 4),
    (kw.game("5000", target=300, opening=200, minimum=100), 3),
    (kw.game("5000", target=300, opening=200, minimum=100, finish="exact"), 3),
    (kw.game("beartrap", target=250, opening=100, finish="at_least"), 3),
]


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize(("game", "players"), LARGER)
def test_the_referee_agrees_on_larger_games(game, players):
    assert check(game, "win", players=players, rolls=100) > 0


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_the_referee_agrees(game, players):
    assert check(game, "win", players=players, rolls=100) > 0


# --- against the plain path, position by position


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1 << 32))
def test_random_house_rules(seed):
    """Solved to an equilibrium whatever the rules, and without the kernel to the same values."""
    rules = {**random_rules(random.Random(seed)), "target": 1 + seed % 12}
    if rules.get("finish") == "last_round":  # turns that may go on for very long: see test_seats_last
        reject()
    try:
        solution = kw.solve(own_game(rules), "win", 3, fresh=True)
    except (InputError, SolveError):
        reject()
    check_against_the_plain_path(solution, regret=1e-9, within=1e-11)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("game", [NO_PURE, GAMES[3][0], own_game(WAITED)], ids=str)
def test_the_plain_path_before_the_kernel(game, monkeypatch):
    """Bounds of best replies too, where turns are mixed and where they are not; the same bits from several threads."""
    states = States(game.data)
    plain, kernel = solve_multiplayer_race(states, 3, use_reference=True), solve_multiplayer_race(states, 3)
    assert np.abs(plain.win - kernel.win).max() <= 1e-14
    assert plain.gain == pytest.approx(kernel.gain, rel=0.01)
    assert plain.mixed.keys() == kernel.mixed.keys()
    monkeypatch.setattr(multiplayer_sweep, "MIN_CYCLES_FOR_THREADS", 1)
    monkeypatch.setattr(multiplayer_reference, "CYCLES_PER_CALL", 3)
    shared = solve_multiplayer_race(states, 3, threads=3, use_reference=True)
    assert shared.win.tobytes() == plain.win.tobytes()
    assert shared.gain == plain.gain


@pytest.mark.parametrize("plainly", [False, True])
def test_nearly_endless_rounds_are_refused(plainly):
    """All three dice show what one in 30,001 does."""
    rules = {"name": "stuck", "dice": 3, "faces": 2, "weights": [1, 30_000], "alike": {"3": {"1": 1}}, "target": 1}
    with pytest.raises(SolveError, match="changes a score with a probability below"):
        solve_multiplayer_race(States(own_game(rules).data), 3, use_reference=plainly)


def test_nearly_stuck_games_have_proved_bounds():
    """Rounding comes back as often as a round of turns does; a bound is proved all the same."""
    rules = {"name": "slow", "dice": 2, "faces": 5, "weights": [44, 1, 1, 1, 2], "singles": {"5": 6}, "target": 30}
    solution = kw.solve(own_game({**rules, "stop.opening": 18, "stop.on_win": False}), "win", 3, fresh=True)
    assert solution.error_bound < 1e-9
    check_against_the_plain_path(solution, regret=3e-9, within=1e-9)


# --- where best replies go round in circles


@pytest.mark.patient
def test_the_referee_finds_no_pure_equilibrium():
    with pytest.raises(SolveError, match="best responses repeat in a cycle"):
        referee(playable(NO_PURE, 3))


def test_a_mixed_equilibrium_is_proved():
    solution = kw.solve(NO_PURE, "win", 3, fresh=True)
    arrays = solution.value_table.arrays
    mixes = arrays["mixed"][arrays["mixed"][:, 0] >= 0]
    assert mixes[:, 0].tolist() == [0]  # the start
    assert 0 < mixes[0, 1] < 1
    assert arrays["regret"][0] <= 1e-12
    assert solution.error_bound <= 1e-12
    # Inside that turn some choice ties, and its two sides differ for the others.
    playable, ties = solution.playable, 0
    for points in range(2, 14):
        try:
            advice = solution.advise(turn=points, dice=1)
        except InputError:
            continue
        shares = solution.problem.seat_values(solution.value_table, [choice.after for choice in advice.choices]).values
        assert np.abs(shares.sum(axis=1) - 1).max() <= 4 * solution.error_bound
        if advice.choices[1].tie:
            ties += 1
            assert np.abs(shares[0] - shares[1]).max() > 1e-3
    assert ties == 1
    # The values are those of the mixture: the mean over the throws of the start.
    falls = list(playable.rolls(playable.start()))
    parts = [(weight, solution.position_value(after).seats) for weight, after in falls]
    mean = np.average([values for _, values in parts], axis=0, weights=[weight for weight, _ in parts])
    assert np.abs(mean - solution.position_value().seats).max() <= 2 * solution.error_bound


@pytest.mark.slow
def test_seats_at_the_same_position_mix_alike():
    """Of four seats with 0, 3, 0 and 3 points two are where 0, 3, 0, 3 is, and two where 3, 0, 3, 0 is."""
    rules = {"name": "twice", "dice": 1, "faces": 5, "set_aside": "all", "singles": {"1": 2, "2": 2}, "target": 9}
    solution = kw.solve(own_game(rules), "win", 4, fresh=True)
    mixes = solution.value_table.arrays["mixed"]
    (mixed,) = mixes[(mixes[:, 1] > 0) & (mixes[:, 1] < 1)]
    line = np.unravel_index(int(mixed[0]), (len(solution.problem.states.scores),) * 4)
    assert line[:2] == line[2:]
    assert line[0] != line[1]
    assert solution.position_value().extra["regret"] <= 1e-11
    found = solution.simulate(games=2000, seed=11)
    for seat, told in zip(found.as_json()["seats"], solution.position_value().seats, strict=True):
        assert abs(seat["mean"] - told) <= 4 * seat["se"]


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("told", [(3000, 24, 1, -1455695), (3000, 24, 7, -1459924), (3000, 28, 5, 3723721)])
def test_nearly_equal_turns_are_mixed_as_solved(told):
    """Where two lines hardly differ rounding hides where they meet; the play is what was solved all the same."""
    solution = kw.solve(rare(*told), "win", 3, fresh=True)
    mixes = solution.value_table.arrays["mixed"]
    assert mixes[0, 0] == 0
    assert 0 < mixes[0, 1] < 1
    assert solution.position_value().extra == {"regret": solution.value_table.arrays["regret"][0], "mixed": 1}
    assert solution.position_value().extra["regret"] <= 1e-12
    followed = solution.against("best")  # the same play, followed by other code
    assert np.abs(np.array(followed.values) - solution.position_value().seats).max() <= 1e-11
    falls = list(solution.playable.rolls(solution.playable.start()))
    parts = [(weight, solution.position_value(after).seats) for weight, after in falls]
    mean = np.average([values for _, values in parts], axis=0, weights=[weight for weight, _ in parts])
    assert np.abs(mean - solution.position_value().seats).max() <= 2 * solution.error_bound


# --- published numbers, and games played


@pytest.mark.slow
def test_pig_to_a_hundred():
    """Three players: 0.365594, 0.331856, 0.302551 by an independent solve with 37 triples left open."""
    solution = kw.solve("pig", "win", 3, fresh=True)
    assert np.abs(np.array(solution.position_value().seats) - [0.365594, 0.331856, 0.302551]).max() < 1e-6
    assert solution.position_value().extra["regret"] <= 1e-11


# --- the rest


def test_the_same_bits_for_any_number_of_threads():
    states = States(kw.game("pig", target=30).data)
    told = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiplayer_sweep, "MIN_CYCLES_FOR_THREADS", 1)
        for threads in (1, 2, 5):
            values = solve_multiplayer_race(states, 3, threads=threads)
            told.add((values.win.tobytes(), values.gain, values.choice_count, values.pass_count))
    assert len(told) == 1


def test_best_responses_measure_the_regret_of_a_bad_table():
    """A table that is not an equilibrium: the second pass tells by how much."""
    states = States(kw.game("pig", target=12).data)
    original = LayerSweep.bound_best_responses

    def bound_best_responses(self, *arguments):
        self.win[0] = self.win[0][::-1].copy()  # the start, as if the last to move were the first
        return original(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LayerSweep, "bound_best_responses", bound_best_responses)
        assert solve_multiplayer_race(states, 3).gain > 0.01


def test_position_value_does_not_depend_on_the_seat_number():
    solution = kw.solve(kw.game("pig", target=20), "win", 3, fresh=True)
    first = solution.position_value(score=5, opponents=[3, 12])
    assert first.seats == solution.position_value(score=5, opponents=[3, 12], seat=1).seats
    assert abs(sum(first.seats) - 1) <= 4 * solution.error_bound
    advice = solution.advise(score=5, opponents=[3, 12], roll=[4])
    assert advice.as_json()["regret"] == first.extra["regret"]
    rows = list(solution.policy("values", score=5, opponents=[3, 12]))
    assert [rows[0][name] for name in ("value", "value_2", "value_3")] == list(first.seats)


@pytest.mark.parametrize(
    ("rules", "players", "said"),
    [
        ({"target": 5}, 7, "players must be between 2 and 6 for the objective"),
        (
            {"singles": {"2": 2, "3": 3}, "dice": 1, "target": 5, "finish": "exact"},
            3,
            "can ever reach exactly 5",
        ),
    ],
)
def test_solve_refuses_games_of_several_seats(rules, players, said):
    with pytest.raises(KeepwiseError, match=said):
        kw.solve(own_game({**SMALL, **rules}), "win", players)


def test_too_large_solves_are_refused_with_their_size():
    with pytest.raises(kw.TooMuchError, match="GiB"):
        kw.solve("5000", "win", 5)


@pytest.mark.slow
@pytest.mark.parametrize("game", [NO_PURE, own_game({**SMALL, "take_over": "free"})], ids=str)
def test_resumed_solves_have_the_same_bits(tmp_path, game):
    """Stopped after every stage in turn: what was done is taken over, mixed turns included, and what may be offered."""
    whole = tmp_path / "whole.npz"
    asked = kw.api.ask(game, "win", 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiplayer_problem, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(multiplayer_problem, "STAGES", 4)
        kw.api.solve_resumable(asked, whole)
        for stop in range(8):
            output, saved, met = tmp_path / "killed.npz", Checkpoint.save_layer, []

            def save(self, layer, rows, met=met, stop=stop, saved=saved):
                saved(self, layer, rows)
                met.append(layer)
                if len(met) == stop + 1:
                    raise KeyboardInterrupt

            with pytest.MonkeyPatch.context() as inner:
                inner.setattr(Checkpoint, "save_layer", save)
                with pytest.raises(KeyboardInterrupt):
                    kw.api.solve_resumable(asked, output)
            assert len(list(tmp_path.glob("killed.npz.*.part"))) == stop + 1
            kw.api.solve_resumable(asked, output)
            assert output.read_bytes() == whole.read_bytes()
            assert not list(tmp_path.glob("*.part"))
            output.unlink()
