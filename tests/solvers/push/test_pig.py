"""Pig and Piglet against published numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import keepwise as kw
from keepwise.core.push import LANES
from keepwise.games.push_rules import SPECIAL_ENDING_COUNT
from keepwise.turns.push_turn import round_up_to_blocks


def test_first_player_wins():
    # Neller & Presser, Optimal Play of the Dice Game Pig, UMAP Journal 25(1), 2004: 0.5306; digits recomputed publicly.
    solution = kw.solve("pig", fresh=True)
    assert solution.value() == pytest.approx(0.530592725274, abs=5e-13)
    assert solution.error_bound < 1e-9


def test_pig_turn_values_equal_published_values():
    # Conroy, A Collection of Dice Problems, problem 68: 8.1417948937 = 492303203/60466176; 20 and 21 tie.
    solution = kw.solve("pig", objective="points", fresh=True)
    assert abs(solution.value() - 492303203 / 60466176) <= solution.error_bound
    at_20 = solution.advise(turn=20, dice=1)
    assert [choice.follow_up for choice in at_20.choices] == ["bank", "roll"]
    assert all(choice.tie for choice in at_20.choices)
    assert solution.advise(turn=19, dice=1).best.follow_up == "roll"
    at_21 = solution.advise(turn=21, dice=1)
    assert at_21.best.follow_up == "bank"
    assert not at_21.choices[1].tie


def test_fewest_turns_alone():
    # Storm's exact fraction for the same model, as a decimal.
    solution = kw.solve("pig", objective="turns", fresh=True)
    assert abs(solution.value() - 12.545232351955443) <= solution.error_bound


def hold_at(limit: int, target: int):
    """Hold at ``limit`` points or at the goal."""

    def decisions(mine, theirs):
        top = target - mine.min()
        nodes = np.zeros((top + 6 + 1, 1 + 6, round_up_to_blocks(len(mine))), dtype=np.int16)
        points = np.arange(len(nodes))[:, None]
        nodes[:, 0, : len(mine)] = (points < limit) & (points + mine < target)
        return nodes

    return decisions


def test_both_hold_at_20():
    # Neller, nifty.stanford.edu/2010/neller-pig/advantage.html: 0.5347; digits recomputed.
    turn, target = kw.game("pig").data.turn, 100
    lanes = round_up_to_blocks(target + 1)
    outcomes = []  # by score, the chance of each number of points; a lane for each
    for score in range(target):
        need = target - score
        payoff = np.zeros((1, SPECIAL_ENDING_COUNT + need + 1, lanes))
        payoff[0, 0, 0] = 1.0
        payoff[0, SPECIAL_ENDING_COUNT + np.arange(1, need + 1), np.arange(1, need + 1)] = 1.0
        nodes = np.repeat(hold_at(20, target)(np.array([score]), None)[:, :, :1], lanes, axis=2)
        cap = np.full(lanes, need, dtype=np.int32)
        outcomes.append(turn.solve(payoff, cap, fixed_decisions=nodes).value[0, : need + 1])
    win = np.zeros((target, target + 1))
    for total in range(2 * target - 2, -1, -1):
        for mine in range(max(0, total - target + 1), min(target, total + 1)):
            theirs = total - mine
            zero, other = outcomes[mine][0], outcomes[theirs][0]
            x = outcomes[mine][1:] @ (1 - win[theirs, mine + 1 :]) + zero
            y = outcomes[theirs][1:] @ (1 - win[mine, theirs + 1 :]) + other
            win[mine, theirs] = (x - zero * y) / (1 - zero * other)
    assert win[0, 0] == pytest.approx(0.534698326, abs=5e-10)


def test_hold_at_20_outcomes_of_a_turn():
    # Same site, turnOutcomes.html: chances of 0, 20, ..., 25.
    turn = kw.game("pig").data.turn
    published = [0.624541, 0.099713, 0.094991, 0.074189, 0.054196, 0.035198, 0.017173]
    for channel, chance in zip([0, *range(20, 26)], published, strict=True):
        payoff = np.zeros((1, SPECIAL_ENDING_COUNT + 101, LANES))
        payoff[0, 0 if channel == 0 else SPECIAL_ENDING_COUNT + channel] = 1.0
        nodes = hold_at(20, 100)(np.zeros(LANES, dtype=int), None)
        value = turn.solve(payoff, np.full(LANES, 100, dtype=np.int32), fixed_decisions=nodes).value
        assert value[0, 0] == pytest.approx(chance, abs=5e-7)


def test_turns_alone_holding_at_20():
    # Same site: 12.6349 by simulation; 12.636769490 exactly recomputed.
    turn = kw.game("pig").data.turn
    left = np.zeros(200)
    for score in range(99, -1, -1):
        need = 100 - score
        payoff = np.zeros((2, SPECIAL_ENDING_COUNT + need + 1, LANES))
        payoff[0, SPECIAL_ENDING_COUNT:] = left[score : score + need + 1, None]
        payoff[1, 0] = 1.0
        nodes = hold_at(20, 100)(np.full(LANES, score), None)
        value, zero = turn.solve(payoff, np.full(LANES, need, dtype=np.int32), fixed_decisions=nodes).value[:, 0]
        left[score] = (1 + value) / (1 - zero)
    assert left[0] == pytest.approx(12.636769490, abs=5e-10)


def test_piglet():
    # Neller & Presser 2004: a coin, goal 2; wins at (score, opponent, turn).
    piglet = kw.solve(kw.game("pig", faces=2, points="one", target=2), fresh=True)
    published = {(0, 0): Fraction(4, 7), (0, 1): Fraction(2, 5), (1, 0): Fraction(4, 5), (1, 1): Fraction(2, 3)}
    for (score, opponent), chance in published.items():
        assert piglet.value(score=score, opponents=[opponent]) == pytest.approx(float(chance), abs=1e-15)
    # With one point in hand: heads wins, tails leaves the opponent with 4/7, so 1/2 + 1/2 x 3/7; holding gives 3/5.
    assert piglet.value(score=0, opponents=[0], turn=1, dice=1) == pytest.approx(5 / 7, abs=1e-15)


def test_a_higher_target_leaves_less_to_the_first_player():
    # The advantage of moving first shrinks as the game gets longer.
    wins = [kw.solve(kw.game("pig", target=target), fresh=True).value() for target in (10, 30, 100)]
    assert wins == sorted(wins, reverse=True)
    assert min(wins) > 0.5


def test_more_faces_are_safer():
    points = [kw.solve(kw.game("pig", faces=faces), objective="points", fresh=True).value() for faces in (4, 6, 8, 20)]
    assert points == sorted(points)


def test_alone_in_reach():
    # One turn from 98: the turn wins unless a 1 shows before 2 points: 5/6 on the first throw.
    solution = kw.solve("pig", objective="reach", turns=1, fresh=True)
    assert solution.value(score=98) == pytest.approx(5 / 6, abs=1e-15)
    more = [kw.solve("pig", objective="reach", turns=turns, fresh=True).value() for turns in (5, 10, 20)]
    assert more == sorted(more)
    assert math.isclose(kw.solve("pig", objective="reach", goal=2, turns=1).value(), 5 / 6)
