"""Games: a rule set is what the game is; nothing that it is compiled to can differ from it."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import keepwise as kw
from keepwise.games import FILES, Game, own_game
from keepwise.games.ruleset import Rules
from keepwise.util.errors import InputError

OURS = {"name": "ours", "dice": 3, "target": 60, "singles": {"1": 10, "2": 5}, "weights": [1, 1, 1, 1, 1, 2]}


def all_games():
    return [
        *(kw.game(game_id) for game_id in FILES),
        own_game(OURS),
        kw.load_rules("yacht"),
        kw.load_rules("farkle-common"),
    ]


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.id)
def test_rules_cannot_be_changed(game):
    before = game.rules.plain()
    key = next(iter(before))
    with pytest.raises(TypeError):
        game.rules[key] = 1500
    with pytest.raises(TypeError):
        del game.rules[key]
    with pytest.raises(AttributeError):
        game.rules._values = {}
    for value in game.rules.values():
        assert value is None or isinstance(value, (bool, int, float, str, tuple, Rules))
    with pytest.raises(FrozenInstanceError):
        game.rules = {}
    with pytest.raises(FrozenInstanceError):
        game.data = None
    assert game.rules == before


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.id)
def test_games_are_values(game):
    for other in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game), Game(game.id, game.rules), game.with_rules()):
        assert other == game
        assert hash(other) == hash(game)
        assert other.rules.plain() == game.rules.plain()
        assert other.family == game.family
    assert {game: 1}[Game(game.id, game.rules.plain())] == 1


def test_changed_rules_are_another_game():
    game = kw.game("5000")
    other = game.with_rules(straight=1500)
    assert game.rules["straight"] == 0
    assert other == kw.game("5000", straight=1500) != game
    assert replace(game, rules={"straight": 1500}) == other
    assert kw.solve(other, "points", fresh=True).value() == kw.solve(kw.game("5000", straight=1500), "points").value()
    assert own_game(OURS).with_rules(target=80).data.target == 80
    assert own_game(OURS).with_rules(target=80).data.weights == (1, 1, 1, 1, 1, 2)
    odds = kw.game("booby-trap").rules["odds"].plain()
    odds["large"]["loose"]["trip"], odds["name"] = "1/10", "ours"
    assert kw.game("booby-trap", odds=odds).with_rules(penalty=2).rules["odds"] == odds


def test_games_refuse_compiled_data_as_arguments():
    game = kw.game("5000")
    with pytest.raises((TypeError, ValueError)):
        replace(game, data=kw.game("5000", straight=1500).data)
    with pytest.raises(TypeError):
        Game("5000", "5000", "push", game.objectives, game.options, game.rules, game.data)
    with pytest.raises(InputError, match="unknown rule 'strait' of 5000; did you mean straight"):
        game.with_rules(strait=1500)
    with pytest.raises(InputError, match="finish=exact cannot be combined with minimum_on_win=true"):
        game.with_rules(finish="exact")
    with pytest.raises(InputError, match="these rules belong to ours, not to theirs"):
        Game("theirs", OURS)
    with pytest.raises(InputError, match="unknown game 'chess'"):
        Game("chess", {})
    with pytest.raises(InputError, match="not allowed as the value of a rule"):
        game.with_rules(straight=object())


def test_failed_rule_changes_leave_the_cache_intact(own_cache):
    game = kw.game("5000")
    with pytest.raises(TypeError):
        game.rules["straight"] = 1500
    kw.solve(game, "points")
    assert not own_cache.exists()
    other = kw.game("5000", straight=1500)
    assert kw.solve(other, "points").value() == kw.solve(other, "points", fresh=True).value()


def test_numbers_of_numpy_are_numbers():
    assert kw.game("pig", target=np.int64(40)) == kw.game("pig", target=40)


def test_solved_arrays_cannot_be_changed(tmp_path):
    solved = kw.solve(kw.game("pig", target=20), fresh=True)
    solved.save(tmp_path / "pig.npz")
    for solution in (solved, kw.load(tmp_path / "pig.npz"), kw.solve("pig"), kw.solve(kw.game("pig", target=20))):
        for array in solution.value_table.arrays.values():
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
        with pytest.raises(TypeError):
            solution.value_table.arrays["win"] = np.zeros(1)
        with pytest.raises(TypeError):
            solution.problem.parameters["goal"] = 3


def test_heads_are_json_and_independent_copies():
    for game in (own_game(OURS), kw.load_rules("yacht"), kw.game("booby-trap")):
        solution = kw.solve(game, game.objectives[0] if game.id != "yacht" else "points", fresh=True)
        solution.head["rules"]["name"] = "other"
        assert solution.head["rules"] == game.rules.plain()


def test_rules_are_equal_as_questions_are():
    assert Rules({"a": 1}) != Rules({"a": True})
    assert Rules({"a": [1, 2]}) == {"a": (1, 2)}
    assert Rules({"a": 1}) != [("a", 1)]
    assert Rules({"a": 1}) != {"a": object()}
    assert len({Rules({"a": {"b": [1]}}), Rules({"a": {"b": [1]}})}) == 1
