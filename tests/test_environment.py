"""Environments: Gymnasium's and PettingZoo's own checks, and the same game as it is played."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import keepwise as kw
from keepwise.games import FILES
from keepwise.games.rulefile.loader import load_rules
from keepwise.solving.table_store import cache_table
from keepwise.util.errors import InputError

ALONE = [
    ("pig", "turns"),
    ("pig", "points"),
    ("5000", "points"),
    ("battleship", "turns"),
    ("scarney", "points"),
    ("hearts-due", "turns"),
    ("boston", "points"),
    ("yahtzee", "points"),
    ("double-cameroon", "points"),
]

CARD = """name = "ours"
dice = 2
faces = 3
throws = 2
[[category]]
name = "ones"
face = 1
[[category]]
name = "pair"
groups = [2]
points = 5
[[category]]
name = "chance"
chance = true
"""


@pytest.fixture
def card(tmp_path):
    """A card for two players, its whole table kept."""
    (tmp_path / "card.toml").write_text(CARD)
    game = load_rules(str(tmp_path / "card.toml"))
    cache_table(kw.solve(game, "win", fresh=True))
    return game


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize(("game", "objective"), ALONE)
def test_gymnasium_check_passes(game, objective):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of what it cannot know, such as dice that bring large numbers
        check_env(kw.env(game, objective=objective), skip_render_check=True)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    ("game", "rules", "players"),
    [
        ("pig", {"target": 20}, 2),
        ("battleship", {"rounds": 2}, 3),
        ("boston", {}, 3),
        ("hearts-due", {"target": 40}, 2),
        ("booby-trap", {"large": 2, "medium": 2, "small": 2}, 2),
    ],
)
def test_pettingzoo_check_passes(game, rules, players):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(kw.env(kw.game(game, **rules), players), num_cycles=60)
        seed_test(lambda: kw.env(kw.game(game, **rules), players), num_cycles=10)


def test_pettingzoo_check_passes_for_a_card(card):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(kw.env(card, 2), num_cycles=60)
        seed_test(lambda: kw.env(card, 2), num_cycles=10)


@pytest.mark.slow
def test_observations_list_a_card_by_category(card):
    env = kw.env(card, 2)
    playable = env.dynamics.playable
    told = playable.position(score=5, opponents=[0], used=["pair"], opponent_used=["ones"])
    begin = dict(zip((field.name for field in env.dynamics.fields), range(9), strict=False))
    numbers = env.dynamics.observe(told).tolist()
    place = begin["used"]  # score, opponents and seat have a number each
    assert numbers[place : place + 6] == [-1, 0, -1, 0, -1, -1]
    yahtzee = kw.env("yahtzee")
    position = yahtzee.dynamics.playable.position(used=["ones", "yahtzee=50"], upper=3)
    shown = yahtzee.dynamics.observe(position).tolist()
    names = dict(zip(yahtzee.dynamics.playable.card.names, shown[1:14], strict=True))  # after the score
    assert (names.pop("ones"), names.pop("yahtzee"), set(names.values())) == (0, 50, {-1})


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("game", "objective", "steps"),
    [("5000", "turns", 100), ("yahtzee", "points", 25), ("double-cameroon", "points", 6)],
)
def test_regret_and_value_are_exact(game, objective, steps):
    """Every choice of some decisions: what it loses is what advice says."""
    env, solution = kw.env(game, objective=objective), kw.solve(game, objective)
    random = np.random.default_rng(1)
    _, info = env.reset(seed=3)
    for _ in range(steps):
        advice = solution.advise(env.position)
        assert info["value"] == advice.best.value
        action = int(random.choice(np.flatnonzero(info["action_mask"])))
        chosen = env.dynamics.playable.choices(env.position)[action].action
        _, _, over, _, info = env.step(action)
        loss = next(choice for choice in advice.choices if choice.action == chosen)
        assert info["regret"] == loss.certain_loss
        if over:
            _, info = env.reset()


@pytest.mark.slow
def test_the_best_player_gets_the_solved_turns():
    """Rewards add up to minus the turns: within four standard errors of the solved number."""
    env, solution = kw.env("pig"), kw.solve("pig", "turns")
    totals = []
    _, info = env.reset(seed=5)
    for _ in range(120):
        total, over = 0.0, False
        while not over:
            _, losses, _ = env.dynamics.rate_choices(env.position)
            _, reward, over, _, info = env.step(int(np.argmin(losses)))
            assert info["regret"] == 0
            total += reward
        totals.append(total)
        env.reset()
    assert abs(np.mean(totals) + solution.value()) <= 4 * np.std(totals) / np.sqrt(len(totals))


def test_seats_take_turns_and_share_the_win():
    env = kw.env(kw.game("pig", target=10), 2)
    env.reset(seed=1)
    assert env.agent_selection == "seat_0"
    for agent in env.agent_iter():
        _, reward, over, _, info = env.last()
        if over:
            assert sorted(env.rewards.values()) == [0.0, 1.0]
            assert reward == env.rewards[agent]
            break
        env.step(int(np.flatnonzero(info["action_mask"])[0]))


@pytest.mark.slow
def test_observations_distinguish_positions():
    env = kw.env("5000", objective="points")
    seen = {}
    env.reset(seed=2)
    for seed in range(300):
        observation, info = env.reset(seed=seed)
        assert seen.setdefault(tuple(observation), env.position) == env.position
        env.step(int(np.flatnonzero(info["action_mask"])[-1]))


def test_illegal_actions_end_the_game():
    env = kw.env("pig")
    env.reset(seed=1)
    _, reward, over, cut, info = env.step(5)
    assert (reward, over, cut, info["illegal"]) == (0.0, False, True, True)


def test_every_game_has_an_id():
    made = gymnasium.make("keepwise.rl_env:Keepwise/pig-v0", objective="points")
    _, info = made.reset(seed=1)
    assert info["action_mask"].sum() >= 1
    assert {f"Keepwise/{game}-v0" for game in FILES} <= set(gymnasium.registry)


@pytest.mark.parametrize(
    ("game", "players", "objective", "said"),
    [
        ("double-cameroon", 2, None, "a whole game of Double Cameroon requires its whole table"),
        ("yahtzee", 2, None, "yahtzee cannot be played by 2 players; objectives: points, reach"),
        ("pig", 1, "win", "requires at least 2 players"),
        ("pig", 9, None, "players must be between 2 and 6"),
        ("booby-trap", 1, None, "cannot be played by one player without a goal"),
    ],
)
def test_questions_without_environment_are_refused(game, players, objective, said):
    with pytest.raises(InputError, match=said):
        kw.env(game, players, objective=objective)
