"""Hearts Due as it is played: the counts of the rules, who wins, the compiled chain beside it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from playwalk import refused, walk

import keepwise as kw
from keepwise.play import playable
from keepwise.solvers.hearts.score_chain import ScoreChain


def make_playable(objective="win", players=None, goal=None, turns=None, **rules):
    return playable(kw.game("hearts-due", **rules), players, objective=objective, goal=goal, turns=turns)


def after(hearts, **told):
    """The one choice of a roll: its words and where it leads."""
    (choice,) = hearts.choices(hearts.position(**told))
    return choice.action, choice.after


def test_counts_of_the_rules():
    # Of 46,656 rolls, from the rules' acceptance list.
    hearts = make_playable("points")
    counts = Counter()
    for ways, roll in hearts.rolls(hearts.start()):
        (choice,) = hearts.choices(roll)
        counts[choice.action] += ways
        assert hearts.payoffs(choice.after) == (choice.points,)
    assert counts == {
        "score nothing": 15625,
        "score 5": 9984,
        "score 10": 7311,
        "score 15": 5070,
        "score 20": 3240,
        "score 25": 1800,
        "score 35": 720,
        "lose the whole score": 2906,
    }
    assert hearts.mishap_probability(hearts.start()) == Fraction(2906, 46656)
    assert hearts.mishap_probability(hearts.position(roll=112345)) is None
    exactly = make_playable("points", wipe="exactly_3")
    assert exactly.mishap_probability(exactly.start()) == Fraction(2500, 46656)  # C(6,3) 5^3


def test_a_turn():
    hearts = make_playable(players=3)
    assert "There is nothing to choose" in hearts.note(hearts.start())
    words, then = after(hearts, score=40, opponents="10,20", roll="1 2 2 3 5 6")
    assert (words, then) == ("score 15", hearts.position(score=10, opponents=[20, 55], seat=1))
    words, then = after(hearts, score=40, opponents="10,20", seat=2, roll=111456)
    assert (words, then) == ("lose the whole score", hearts.position(score=10, opponents=[20, 0]))
    assert after(make_playable(wipe="exactly_3"), score=40, roll=111145)[0] == "score 5"


def test_the_first_to_reach_the_target_wins_at_once():
    hearts = make_playable(players=3)
    _, second = after(hearts, score=80, opponents=[95, 95], roll=123366)
    assert second == hearts.position(score=95, opponents=[95, 95], seat=1)
    _, over = after(hearts, score=85, opponents=[95, 95], roll=123446, seat=1)
    assert (hearts.stage(over), hearts.payoffs(over)) == ("over", (0, 1, 0))


def test_alone():
    turns = make_playable("turns")
    assert turns.payoffs(after(turns, score=95, roll=123456)[1]) == (1,)
    reach = make_playable("reach", goal=30, turns=2)
    assert reach.possible_scores == (0, 5, 10, 15, 20, 25)
    assert reach.payoffs(after(reach, score=25, roll=122222)[1]) == (1,)
    _, second = after(reach, score=10, roll=122222)
    assert second == reach.position(score=20, turns_left=1)
    assert reach.payoffs(after(reach, score=10, turns_left=1, roll=122222)[1]) == (0,)


@pytest.mark.parametrize(
    ("objective", "players", "rules"),
    [("points", 1, {}), ("turns", 1, {"target": 40}), ("win", 2, {"full": 50}), ("win", 7, {"target": 60})],
)
def test_games_at_random(objective, players, rules):
    for _ in walk(make_playable(objective, players, **rules), 1, 3):
        pass


def test_goals_at_random():
    for _ in walk(make_playable("reach", goal=60, turns=9), 2, 5):
        pass


@pytest.mark.parametrize("rules", [{}, {"wipe": "exactly_3"}, {"full": 40, "target": 60}, {"target": 23, "full": 7}])
def test_two_readings_of_a_turn(rules):
    """Every score's turn, as the compiled chain has it, in whole numbers."""
    hearts = make_playable("turns", **rules)
    chain = ScoreChain(hearts.game.data, hearts.target)
    assert hearts.possible_scores == tuple(chain.scores.tolist())
    for place, score in enumerate(hearts.possible_scores):
        found = Counter()
        for ways, roll in hearts.rolls(hearts.position(score=score)):
            (choice,) = hearts.choices(roll)
            done = hearts.stage(choice.after) == "over"
            found[len(hearts.possible_scores) if done else hearts.possible_scores.index(choice.after.score)] += ways
        step = Counter()
        for to, chance in zip(chain.next_states[:, place].tolist(), chain.probabilities, strict=True):
            assert abs(chance * 6**6 - round(chance * 6**6)) < 1e-9
            step[to] += round(chance * 6**6)
        assert found == step


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"score": 7}, "score cannot be 7: possible scores are 0, 5, 10, 15, 20, ... below the target"),
        ({"score": 100}, "score cannot be 100"),
        ({"opponents": [5, 5]}, "opponents: expected 1 score for 2 players, got 2"),
        ({"seat": 2}, "seat must be between 0 (the player who began) and 1, not 2"),
        ({"roll": 12345}, "expected 6 dice, got 5: 1 2 3 4 5"),
        ({"roll": "123457"}, "no die has the face '7'"),
        (
            {"turn": 5},
            "objective win; known fields: score, opponents, seat, roll",
        ),
    ],
)
def test_hearts_positions_that_cannot_occur_are_refused(told, says):
    assert says in refused(make_playable(), **told)


def test_hearts_objectives_refuse_bad_parameters():
    for given, says in (
        ({"goal": 50}, "requires turns"),
        ({"turns": 0}, "turns must be between 1 and 10,000, not 0"),
        ({"turns": 3, "goal": 101}, "goal must be between 1 and the target of 100, not 101"),
    ):
        with pytest.raises(kw.InputError, match=says):
            make_playable("reach", **given)
    assert "turns_left must be between 1 and 3, the number of turns, not 4" in refused(
        make_playable("reach", turns=3), turns_left=4
    )
