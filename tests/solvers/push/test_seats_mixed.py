"""Turns that are mixed, where they are played: simulated games and games at the table come to the stored values, which
a player who took one of the two turns always would miss.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from multiplayer_checks import NO_PURE, rare

import keepwise as kw
from keepwise.games import own_game
from keepwise.play.game_file import GameFile, SeatedPlayer
from keepwise.simulation.players import Adviser, make_player
from keepwise.solvers.problem import MixedAction
from keepwise.util.errors import InputError

# A coin that busts or adds a point. With 3 points each the mover and the last seat mix, the latter from the position
# that follows if nobody banks.
COIN = own_game({"name": "coin", "dice": 1, "faces": 2, "weights": [14, 16], "singles": {"2": 1}, "target": 6})
HERE, PART = {"score": 3, "opponents": [0, 3]}, {"turn": 1, "dice": 1}  # a start, and where its two turns part


@pytest.fixture(scope="module")
def coin():
    return kw.solve(COIN, "win", 3)


@pytest.mark.slow
def test_chain_of_mixed_advice_has_the_stored_values(coin):
    """Every turn walked with the play interface, by its draw; zero turns as linear equations over each cycle."""
    playable = coin.playable

    def turn(position, draw):
        """Chances of the positions in which a turn ends."""
        ends, inside = {}, {}
        total = sum(weight for weight, _ in playable.rolls(position))
        inside = {after: weight / total for weight, after in playable.rolls(position)}
        while inside:
            here, chance = inside.popitem()
            if playable.stage(here) == "choose":
                action = coin.advise(here).choice_for_draw(draw).action
                falls = [(1, next(one.after for one in playable.choices(here) if one.action == action))]
            else:
                falls = list(playable.rolls(here))
            total = sum(weight for weight, _ in falls)
            for weight, after in falls:
                found = ends if playable.stage(after) == "over" or playable.is_turn_start(after) else inside
                found[after] = found.get(after, 0.0) + chance * weight / total
        return ends

    mixed = 0
    places, rows, paid = {}, [], []
    for line in product(range(6), repeat=3):
        for seat in range(3):
            places[playable.turn_start(line, seat, 0)] = len(places)
    for start, place in places.items():
        row, brings = np.zeros(len(places)), np.zeros(3)
        second = second_of(coin.problem, coin.value_table, start)
        mixed += second > 0
        for draw, share in ((0.0, second), (1.0 - 1e-9, 1 - second)):
            for after, chance in turn(start, draw).items() if share else ():
                if playable.stage(after) == "over":
                    brings += share * chance * np.array([float(one) for one in playable.payoffs(after)])
                else:
                    row[places[after]] += share * chance
        row[place] -= 1
        rows.append(-row)
        paid.append(brings)
    values = np.linalg.solve(np.array(rows), np.array(paid))
    assert mixed == 2 * 3  # two positions, from every seat
    for start, place in places.items():
        seats = coin.position_value(start).seats
        order = playable.seats_from(playable.player_to_move(start))
        assert np.abs(values[place][order] - seats).max() <= coin.error_bound + 1e-14


def second_of(problem, solved, position):
    """How often the second of two turns is made."""
    mix = problem.mixed_action(solved, position)
    return mix.upper_probability if mix and mix.is_mixed else 0.0


def simulated(coin, monkeypatch, *policies, **more):
    monkeypatch.setattr(coin.playable, "start", lambda: coin.playable.position(**HERE))
    return coin.simulate(*policies, seed=1, **more)


@pytest.mark.slow
def test_simulated_games_come_to_the_stored_values(coin, monkeypatch):
    found = simulated(coin, monkeypatch, games=30_000)
    values = np.array(coin.position_value(coin.playable.position(**HERE)).seats)
    for seat, value in zip(found.seats, values, strict=True):
        assert abs(seat.outcome.mean - value) <= 4 * seat.outcome.se
        assert abs(seat.luck.mean) <= 4 * seat.luck.se
        assert seat.errors.mean == seat.others.mean == 0
    played = found.played
    assert np.abs(played.outcome - values - played.luck + played.errors - played.others).max() <= 1e-13
    monkeypatch.setattr(MixedAction, "is_mixed", False)  # what the documented tie comes to
    always = simulated(coin, monkeypatch, games=30_000)
    assert (
        max(abs(one.outcome.mean - value) / one.outcome.se for one, value in zip(always.seats, values, strict=True)) > 8
    )


@pytest.mark.slow
def test_draws_hang_on_the_seed_and_the_game_alone(coin, monkeypatch):
    whole = simulated(coin, monkeypatch, games=2_000, threads=1).played
    shared = simulated(coin, monkeypatch, games=2_000, threads=2).played
    few = simulated(coin, monkeypatch, games=500, threads=1).played
    for name in ("outcome", "luck", "turns"):
        assert (getattr(whole, name) == getattr(shared, name)).all()
        assert (getattr(whole, name)[:500] == getattr(few, name)).all()


@pytest.mark.slow
def test_mistakes_are_counted_in_mixed_turns_too(coin, monkeypatch):
    found = simulated(coin, monkeypatch, "hold:2", "best", "loses:0.01", games=2_000)
    values = np.array(coin.position_value(coin.playable.position(**HERE)).seats)
    played = found.played
    assert played.errors.max() > 0
    assert np.abs(played.outcome - values - played.luck + played.errors - played.others).max() <= 1e-13


def test_advice_explains_mixed_actions(coin):
    begins, parts = coin.advise(**HERE), coin.advise(**HERE, **PART)
    one, other = begins.as_json()["mixed"]
    assert one["share"] + other["share"] == 1
    assert one["action"] == other["action"] == begins.best.action
    assert begins.explain().endswith(
        "Optimal play from here is random: one plan for the turn 2.9% of the time, another 97.1% of the time."
    )
    assert parts.explain().endswith(
        "Optimal play is random here: 2.9% of the time bank 1, and 97.1% of the time roll 1 die."
    )
    assert [told["action"] for told in parts.as_json()["mixed"]] == ["bank 1", "roll 1 die"]
    assert parts.choice_for_draw(0.97).action == "roll 1 die"
    assert parts.choice_for_draw(0.98).action == "bank 1"
    agree = coin.advise(**HERE, turn=2, dice=1)
    assert agree.mixed
    assert "mixed" not in agree.as_json()
    assert not agree.mixture
    assert not coin.advise(score=1, opponents=[0, 0]).mixed


def test_model_refuses_mixed_actions(coin, tmp_path):
    with pytest.raises(InputError, match="best play is random at 2 positions"):
        coin.model(tmp_path / "chain.drn", policy="optimal")


@pytest.mark.parametrize("game", [NO_PURE, rare(3000, 24, 1, -1455695)])
def test_both_turns_of_a_mixed_action_have_the_stored_values(game):
    """Where lines hardly differ too, which the bound cannot tell apart."""
    solution = kw.solve(game, "win", 3)
    problem, solved, start = solution.problem, solution.value_table, solution.playable.start()
    second = second_of(problem, solved, start)
    assert 0 < second < 1
    turns = [
        problem.continuation_values(problem.with_pure_actions(solved, which), [start], [start])[0, 0]
        for which in (False, True)
    ]
    mean = (1 - second) * turns[0] + second * turns[1]
    assert np.abs(mean - solution.position_value().seats).max() <= 2 * solution.error_bound
    parted = 0
    for points in range(1, game.data.target):
        with suppress(InputError):  # so many cannot be in hand
            parted += "mixed" in solution.advise(turn=points, dice=1).as_json()
    assert parted >= 1


@pytest.mark.slow
def test_at_the_table_each_turn_is_drawn_by_the_seed(coin):
    """Over many games as often as advised; whatever was undone, the same."""
    playable, seats = coin.playable, tuple(SeatedPlayer(name, "best") for name in ("Ann", "Bob", "Cleo"))
    parts, drawn = coin.advise(**HERE, roll=2), []
    for seed in range(2_000):
        game = GameFile(playable, seats, seed=seed, start=playable.position(**HERE))
        game.play_line("2")
        player = make_player("best", Adviser(playable, draw=lambda game=game: game.turn_draw)) if seed < 20 else None
        choice = parts.choice_for_draw(game.turn_draw).action
        if player:
            assert player(game.position).action == choice
            game.play_line(choice)
            game.undo()
            assert player(game.position).action == choice
        drawn.append(choice == "keep 2, roll 1 die")
    share = second_of(coin.problem, coin.value_table, playable.position(**HERE))
    assert abs(np.mean(drawn) - share) <= 4 * (share * (1 - share) / len(drawn)) ** 0.5


def test_turns_are_drawn_anew(coin):
    """The same start comes back where nobody banks: then it is drawn again."""
    playable, seats = coin.playable, tuple(SeatedPlayer(name) for name in ("Ann", "Bob", "Cleo"))
    game = GameFile(playable, seats, seed=5, start=playable.position(**HERE))
    draws = []
    for _ in range(9):
        draws.append(game.turn_draw)
        game.play_line("1")
    assert game.position == game.start
    assert len(set(draws)) == 9
