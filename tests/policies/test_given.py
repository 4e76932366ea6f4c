"""What somebody gets against others whose play is given: against the game as it is played, simulated games, and what
cannot be."""

from __future__ import annotations

import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.play import playable as make_playable
from keepwise.play.walk import list_relevant_choices
from keepwise.policies.registry import parse_choice_function
from keepwise.util.errors import InputError

PIG = kw.game("pig", target=20)
EXACT = own_game({"name": "exact", "dice": 2, "faces": 3, "singles": {"1": 1, "3": 2}, "target": 4, "finish": "exact"})
WINS = {"name": "wins", "dice": 2, "faces": 4, "singles": {"1": 1, "2": 3}, "target": 8, "stop.at_least": 2}
THROWS = own_game({**WINS, "special": [{"throw": "44", "then": "win"}]})
LOSES = own_game(
    {"name": "loses", "dice": 1, "faces": 3, "singles": {"2": 1, "3": 2}, "target": 4}
    | {"special": [{"throw": "1", "then": "wipe"}]}
)
COSTS = own_game(
    {
        "name": "costs",
        "dice": 1,
        "faces": 3,
        "singles": {"2": 1, "3": 2},
        "target": 3,
        "bust": {"costs": [0, 1], "floor": -1},
    }
)
LAST = own_game(
    {"name": "last", "dice": 2, "faces": 3, "singles": {"1": 2, "2": 1}, "target": 4, "finish": "last_round"}
)
TAKEN = own_game(
    {"name": "taken", "dice": 2, "faces": 3, "singles": {"1": 2, "2": 1}, "target": 5, "take_over": "free"}
)

SMALL = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1, "2": 2}, "target": 4, "then.all": "end"}
TAKEN_WITH = [
    own_game({**SMALL, "take_over": "opened", "stop.opening": 2, "special": [{"throw": "33", "then": "wipe"}]}),
    own_game({**SMALL, "take_over": "free", "bust": {"costs": [0, 1], "floor": -1}}),
    own_game({**SMALL, "take_over": "free", "finish": "exact"}),
    own_game({**SMALL, "take_over": "free", "finish": "last_round", "target": 3}),
]


def by_hand(game, players, others, ours=None):
    """The best reply, or what a policy of ours brings, by repeated improvement, by the place in the round."""
    playable = make_playable(game, players)
    counts = (0,) * players if game.data.bust_costs else ()
    todo, seen = [playable.turn_start((0,) * players, seat, 0, counts) for seat in range(players)], {}
    while todo:
        position = todo.pop()
        if position in seen:
            continue
        if playable.stage(position) == "over":
            seen[position] = float(playable.payoffs(position)[0])
            continue
        if playable.stage(position) == "throw":
            leads = list(playable.rolls(position))
        elif playable.player_to_move(position) == 0 and ours is None:
            leads = [(0, choice.after) for choice in list_relevant_choices(playable, position, None)]
        else:
            leads = [
                (1, parse_choice_function(playable, (ours, *others)[playable.player_to_move(position)])(position).after)
            ]
        seen[position] = leads
        todo += [after for _, after in leads]
    worth = {position: 0.0 if isinstance(leads, list) else leads for position, leads in seen.items()}
    order = [position for position, leads in seen.items() if isinstance(leads, list)][::-1]
    moved = 1.0
    while moved > 1e-13:
        moved = 0.0
        for position in order:
            leads = seen[position]
            if leads[0][0]:
                now = sum(weight * worth[after] for weight, after in leads) / sum(weight for weight, _ in leads)
            else:
                now = max(worth[after] for _, after in leads)
            moved, worth[position] = max(moved, abs(now - worth[position])), now
    return [
        worth[playable.turn_start((0,) * players, (players - place) % players, 0, counts)] for place in range(players)
    ]


@pytest.mark.cases(fast=4)
@pytest.mark.parametrize(
    ("game", "others"),
    [
        (kw.game("pig", target=5), ("hold:4", "hold:6")),
        (kw.game("pig", target=3, faces=3), ("hold:2", "hold:3", "hold:2")),
        (EXACT, ("hold:2", "hold:3")),
        (THROWS, ("hold:3",)),
        (LOSES, ("hold:2",)),
        (LOSES, ("hold:2", "hold:3")),
        (COSTS, ("hold:3",)),
        (TAKEN, ("hold:3",)),
        *((game, ("hold:2",)) for game in TAKEN_WITH),
    ],
)
def test_best_response_equals_a_plain_recursion(game, others):
    players = len(others) + 1
    found = kw.solve(game, "win", players, fresh=True).against(*others)
    assert found.error_bound < 1e-9
    assert max(abs(a - b) for a, b in zip(found.values, by_hand(game, players, others), strict=True)) <= 1e-9


@pytest.mark.slow
def test_last_turn_best_response_equals_the_best_limit():
    """Of limits, which end every turn; the reply is held to limits too."""
    solution = kw.solve(LAST, "win", 2, fresh=True)
    best = solution.against("hold:3")
    for policy in ("hold:1", "hold:2", "hold:4"):
        found, told = solution.against("hold:3", policy=policy), solution.evaluate(policy)
        assert all(a <= b + 1e-12 for a, b in zip(found.values, best.values, strict=True))
        assert told.value <= told.optimal
        assert max(abs(a - b) for a, b in zip(found.values, by_hand(LAST, 2, ("hold:3",), policy), strict=True)) <= 1e-9


@pytest.mark.slow
def test_best_against_the_best_is_the_table():
    for game in (PIG, kw.game("pig", faces=3, target=14)):  # the second begins with mixed turns
        solution = kw.solve(game, "win", 3, fresh=True)
        found = solution.against("best")
        for mine, told in zip(found.values, solution.position_value().seats, strict=True):
            assert abs(mine - told) <= found.error_bound + solution.error_bound
        for policy in ("hold:3", "hold:8", "hold:14"):
            lost = solution.evaluate(policy)
            assert 0 < lost.loss < 1
            assert len(lost.later) == 1
            assert all(mine < best for mine, best in (lost.second, *lost.later))


@pytest.mark.slow
def test_no_policy_beats_the_best_reply():
    solution = kw.solve(PIG, "win", 3, fresh=True)
    best = solution.against("hold:6", "best")
    for policy in ("hold:5", "hold:10", "hold:20", "best"):
        mine = solution.against("hold:6", "best", policy=policy)
        assert all(a <= b + 1e-12 for a, b in zip(mine.values, best.values, strict=True))


def test_the_play_of_two():
    """With two it is the best; with three it loses a little."""
    two, three = (kw.solve(PIG, "win", players, fresh=True) for players in (2, 3))
    assert abs(two.against("best", policy="duel").values[0] - two.value()) <= 1e-11
    assert 0 < three.value() - three.against("best", policy="duel").values[0] < 0.01
    assert three.against("duel").values[0] >= three.value() - 1e-11


@pytest.mark.slow
def test_the_printed_sheet_is_a_policy():
    """Its limits and kept sets are played in simulated games by a reader of their own."""
    solution = kw.solve(kw.game("5000", target=500), "win", 3)
    found = solution.against("sheet", "hold:300", policy="best")
    beside = solution.against("sheet", "hold:300", policy="sheet")
    games = solution.simulate("sheet", "sheet", "hold:300", games=4_000, seed=7)
    mean = games.seats[0].outcome
    assert abs(mean.mean - beside.values[0]) <= 4 * mean.se
    assert found.values[0] > beside.values[0]


@pytest.mark.slow
def test_simulated():
    solution = kw.solve(PIG, "win", 3, fresh=True)
    found = solution.against("hold:6", "hold:15", policy="hold:10")
    played = solution.simulate("hold:10", "hold:6", "hold:15", games=2000, seed=5).as_json()["seats"][0]
    assert abs(played["mean"] - found.values[0]) <= 4 * played["se"]


@pytest.mark.parametrize(
    ("game", "others", "said"),
    [
        (PIG, ("hold:1", "hold:2", "hold:3"), "or 2 policies in turn order, got 3"),
        (PIG, ("source",), "unknown policy 'source'"),
        (
            kw.game("hearts-due"),
            ("hold:3",),
            "policies of the opponents require a push-your-luck game and the objective win; leave them out",
        ),
    ],
)
def test_against_refuses_bad_policies(game, others, said):
    solution = kw.solve(game, "win", 3)
    with pytest.raises(InputError, match=said):
        solution.against(*others)
