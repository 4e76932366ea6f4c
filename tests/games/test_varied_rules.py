"""Thirty-one rule files that mix what rule files can say, before the referee: every position, one to three players."""

from __future__ import annotations

import pytest
from referee_checks import check, check_each
from toys import CARDS, PUSH, enough

from keepwise.games import own_game

pytestmark = pytest.mark.slow


@pytest.mark.cases(slow=13)
@pytest.mark.parametrize("name", PUSH)
def test_push(name):
    game = own_game({"name": "small", **PUSH[name]})
    asked = 0
    cut = enough(game)
    for objective in game.objectives:
        if objective == "win":
            asked += check(game, "win", cut=cut, rolls=60)
        elif objective == "turns":
            asked += check(game, objective, cut=cut, rolls=60)
        elif objective == "reach":
            parameters = {"goal": 3} if game.data.is_one_turn else {"turns": 2}
            asked += check(game, objective, cut=cut, rolls=60, **parameters)
    if "win" in game.objectives and name in THREE:
        asked += check(game, "win", players=3, cut=cut, rolls=30)
    assert asked > 0


THREE = (
    "win by a pair",
    "scores its sum",
    "last round, weights",
    "one turn, run",
    "one turn, lowest",
)


@pytest.mark.cases(slow=5)
@pytest.mark.parametrize("name", CARDS)
def test_cards(name):
    game = own_game({"name": "tiny", **CARDS[name]})
    asked = check_each(game, "points", 11) if "total" in CARDS[name] else check(game, "points", rolls=60)
    if "reach" in game.objectives:
        asked += check_each(game, "reach", 31, goal=7)
    if "win" in game.objectives and name in ("forced, served wins", "total, served"):
        asked += check(game, "win", rolls=60)
    assert asked > 0
