"""Races under rules that nobody chose: against a plain solve, state by state; refused only where it is true."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from house_rules import random_rules
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from patience import PATIENCE
from race_reference import plain_race

import keepwise as kw
from keepwise.games import own_game
from keepwise.solvers import reference_solver
from keepwise.solvers.push import race_solver
from keepwise.solvers.push.model import RaceModel
from keepwise.solvers.push.states import States
from keepwise.turns.push_turn import LANES
from keepwise.util.errors import InputError, KeepwiseError, SolveError

seeds = st.integers(0, 1 << 32)


def ladder_of(seed: int, most: int = 60) -> States:
    """The states of some rules with a target of at most so many units; rejects what is refused."""
    try:
        states = States(own_game(random_rules(random.Random(seed))).data)
        states.refuse_dead_scores("")
    except KeepwiseError:
        reject()
    if states.target > most:
        reject()
    return states


# --- the pruned solve and a plain one ---


@pytest.mark.slow
@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(seeds)
def test_the_plain_solve_agrees_within_both_bounds(seed):
    states = ladder_of(seed, most=25)
    try:
        win, bound = plain_race(states)
    except SolveError:
        reject()
    values = race_solver.solve_race(RaceModel(states, 2))
    assert np.abs(values.win - win).max() <= bound + values.error_bound
    assert values.error_bound <= 16 * bound


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True, database=None)
@given(seeds)
def test_certain_stops_are_optimal(seed):
    """Before every layer the kernel says what is certain; after it, those states are evaluated."""
    states = ladder_of(seed, most=30)
    try:
        sweep = race_solver.RaceSolver(RaceModel(states, 2), 1, lambda done: None)
        sweep.pay[:, 0] = 0.5
        sweep.kernel.restart(sweep.tolerances, sweep.margins, False, False)
        pairs, starts, ready = sweep.order
        begins = [*np.unique(ready).tolist(), len(ready)]
        for first, last in pairwise(begins):
            stops, stops_for = (array.copy() for array in sweep.certain_stops)
            sweep.kernel.solve(last)
            if sweep.kernel.failed:
                reject()
            for pair in pairs[starts[first] : starts[last]].tolist():
                for mine, theirs in (pair, pair[::-1]):
                    score = int(states.scores[mine])
                    if sweep.pay[theirs, score] <= stops_for[theirs] + race_solver.CERTAIN_STOP_LOSS:
                        check_stops(states, sweep, score, theirs, stops[theirs])
    except SolveError:
        reject()


def check_stops(states: States, sweep: Any, mine: int, theirs: int, stops: Any) -> None:
    """Evaluate every state of a turn; where stopping was certain, throwing on must not be better."""
    turn, width = states.rules.turn, sweep.pay.shape[1]
    end = width - states.is_exact if states.rules.finish == "last_round" else states.target + states.is_exact
    cap = max(int(states.caps_by_score[mine]), end - mine)
    totals = np.minimum(mine + np.arange(cap + 1), width - 1)
    bust = sweep.pay[theirs, mine]
    banks = np.where(np.arange(cap + 1) >= states.min_banks_by_score[mine], sweep.pay[theirs, totals], bust)
    specials = [bust, 1.0, sweep.pay[theirs, 0]]
    payoff = np.repeat(np.append(specials, banks)[None, :, None], LANES, axis=2)
    solved = turn.solve(payoff, np.full(LANES, cap, dtype=np.int32), inner=True)
    for mode, here in enumerate(turn.modes):
        points = np.arange(max(1, int(states.min_banks_by_score[mine])), min(states.target - mine, cap))
        points = points[stops[mine + points] >> mode & 1 == 1]
        if len(points) and here.rolls:
            throws = turn.roll_values(solved, payoff, mode, points)[0, 0, :, 0]
            assert (throws <= banks[points] + race_solver.CERTAIN_STOP_LOSS + 2.0**-48).all()


@pytest.mark.slow
@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(seeds)
def test_the_same_bits_for_any_number_of_threads(seed):
    states = ladder_of(seed)
    told = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(race_solver, "MIN_CHOICES_FOR_THREADS", 0)
        for threads in (1, 2, 5):
            try:
                values = race_solver.solve_race(RaceModel(states, 2), threads=threads)
            except SolveError:
                reject()
            told.add((values.win.tobytes(), values.error_bound, values.choice_count, values.pass_count))
    assert len(told) == 1


# --- scores from which nobody can finish ---


def dead_scores(states: States) -> list[int]:
    """By hand: follow every turn from every score."""
    rules, turn = states.rules, states.rules.turn
    wins = {rules.hand_mode(sum(throw)) for throw, effect, *_ in rules.specials if effect == "win"}
    wipes = {rules.hand_mode(sum(throw)) for throw, effect, *_ in rules.specials if effect == "wipe"}

    @cache
    def inside(mode: int, held: int, need: int) -> frozenset[int]:
        """Points that a turn can bank on the way; -1 where it can win, -2 where it can lose all."""
        found = {-1} if mode in wins else set()
        found |= {-2} if mode in wipes else set()
        if held and turn.modes[mode].bank_ending is not None:
            found.add(held)
        for throw in turn.modes[mode].rolls:
            for offered, _ in throw.classes:
                for choice in offered:
                    if choice.next_mode >= 0 and held + choice.added_points <= need:
                        found |= inside(choice.next_mode, held + choice.added_points, need)
        return frozenset(found)

    ends = {score: inside(turn.start, 0, states.target - score) for score in states.scores.tolist()}
    alive = {states.target}
    while True:
        before = len(alive)
        for score, found in ends.items():
            after = {score + points for points in found if points >= states.min_banks_by_score[score]}
            if -1 in found or (-2 in found and 0 in alive) or after & alive:
                alive.add(score)
        if len(alive) == before:
            return sorted(set(ends) - alive)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(seeds)
def test_dead_scores_equal_a_plain_search(seed):
    rules = {**random_rules(random.Random(seed)), "finish": "exact"}
    rules.pop("stop.on_win", None)
    try:
        states = States(own_game(rules).data)
    except KeepwiseError:
        reject()
    assert states.dead_scores == dead_scores(states)


TWOS = {"name": "twos", "dice": 1, "singles": {"2": 2, "3": 3}, "target": 5, "finish": "exact"}


@pytest.mark.parametrize(("objective", "so"), [("win", "last forever"), ("turns", "no number of turns")])
def test_a_dead_score_is_named(objective, so):
    with pytest.raises(InputError, match=f"from a score of 4 no player can ever reach exactly 5.* {so}"):
        kw.solve(own_game(TWOS), objective)
    # A throw that wins from anywhere leaves no score dead.
    wins = own_game({**TWOS, "special": [{"throw": "6", "then": "win"}]})
    assert 0.5 < kw.solve(wins, "win", fresh=True).value() < 1


def test_a_score_is_dead_that_busts_in_a_row_cannot_leave():
    """From 4 a first bust leads below and a second, which costs nothing, stays: after one bust nobody leaves 4."""
    stuck = {"count": "stays", "floor": -20}
    rules = {**TWOS, "bust": {"costs": [2, 0], **stuck}}
    with pytest.raises(InputError, match="from a score of 4 no player can ever reach exactly 5"):
        kw.solve(own_game(rules), "turns")
    assert States(own_game(rules).data).dead_scores == [4]
    assert not States(own_game({**TWOS, "bust": {"costs": [0, 2], **stuck}}).data).dead_scores


def test_turns_that_end_with_the_dice_need_not_win_from_afar():
    """One die, one throw a turn, which scores 1 with chance p: no turn wins from 0, and yet nothing is dead.

    V11 = p + q (1 - V11), V10 = p + q (1 - V01), V01 = p (1 - V11) + q (1 - V10), V00 = p (1 - V01) + q (1 - V00).
    """
    p = 1 / 6
    q = 1 - p
    v11 = 1 / (1 + q)
    v01 = p * (1 - v11) / (1 - q * q)
    v00 = (1 - p * v01) / (1 + q)
    rules = {"name": "slow", "dice": 1, "singles": {"1": 1}, "target": 2, "then.all": "end"}
    solution = kw.solve(own_game(rules), "win", fresh=True)
    assert abs(solution.value(opponents=[1]) - v01) <= solution.error_bound
    assert abs(solution.value() - v00) <= solution.error_bound


# --- rules that are solved, or refused for a reason that is true ---

TRUE_REASONS = (
    "change a score with a probability below",
    "no useful error bound",
    "too many points under these rules to solve a last round",
    "hardly ever ends",
)


def refusal(rules: dict[str, Any]) -> str:
    """What the solve of a race says that does not come to its bound; nothing if it does, or is refused before."""
    try:
        solution = kw.solve(own_game(rules), "win", fresh=True)
    except InputError:  # see test_house_rules.py and the dead scores above
        return ""
    except SolveError as error:
        return str(error)
    assert 0 <= solution.value() <= 1
    assert solution.error_bound <= reference_solver.MAX_ERROR_BOUND
    return ""


def most_turns(rules: dict[str, Any]) -> float:
    """The turns that a player alone needs from the worst score; more than can be computed with: infinity."""
    try:
        return float(max(kw.solve(own_game(rules), "turns", fresh=True).value_table.arrays["turns"]))
    except SolveError:
        return np.inf


def solved_or_refused(rules: dict[str, Any]) -> None:
    """Solve the race, or see that it is refused for a reason that the turns needed alone bear out."""
    if said := refusal(rules):
        assert any(reason in said for reason in TRUE_REASONS), (rules, said)
        assert TRUE_REASONS[2] in said or most_turns(rules) > 1e5, (rules, said)


@pytest.mark.parametrize("faces", [2, 3, 15, 100])
@pytest.mark.parametrize("target", [1, 2, 50])
@pytest.mark.parametrize("points", ["spots", "one"])
def test_some_pigs(faces, target, points):
    solution = kw.solve(kw.game("pig", faces=faces, target=target, points=points), "win", fresh=True)
    assert 0.5 < solution.value() < 1
    assert solution.error_bound < 1e-10


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("first", [2, 27, 52, 77])
def test_every_number_of_faces_and_every_target(first):
    """Not each with each, which takes an hour."""
    for faces in range(first, min(first + 25, 101)):
        for target in range(1 + faces % 47, 201, 47):
            solution = kw.solve(kw.game("pig", faces=faces, target=target), "win", fresh=True)
            assert 0.5 < solution.value() < 1
            assert solution.error_bound < 1e-10


@pytest.mark.slow
def test_some_house_rules():
    for seed in range(150):
        solved_or_refused(random_rules(random.Random(seed)))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(150, 150 + 1000 * PATIENCE, 500))
def test_thousands_of_house_rules(first):
    for seed in range(first, first + 500):
        solved_or_refused(random_rules(random.Random(seed)))


KNOWN = [
    # A pair's choices tie, and the gaps of the tied choices differ.
    {"dice": 1, "faces": ["1", "2"], "weights": [1, 99], "singles": {"2": 1}, "target": 165, "finish": "last_round"},
    # Somebody's chance to throw anything is 1e-13; the pair's is not.
    {"dice": 1, "faces": 7, "weights": [63, 2, 1, 1, 1, 1, 1], "target": 32, "finish": "last_round"}
    | {"singles": {"1": 10, "7": 9, "6": 9, "2": 2, "4": 4, "5": 2}, "set_aside": "all"},
    # Turns that win or lose the whole score: a game of 2**16 turns.
    {"dice": 1, "faces": 2, "singles": {"1": 1}, "special": [{"throw": "2", "then": "wipe"}], "then.all": "end"}
    | {"target": 17},
    # Throws that hardly ever bust, in a last round.
    {"dice": 3, "faces": 6, "singles": {"1": 8, "3": 10, "4": 5, "5": 7, "6": 7}, "finish": "last_round"}
    | {"target": 6, "stop.opening": 2},
]


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("rules", KNOWN)
def test_rules_that_were_refused_are_solved(rules):
    solution = kw.solve(own_game({"name": "known", **rules}), "win", fresh=True)
    assert 0.5 < solution.value() < 1
    assert solution.error_bound < 1e-8


def test_wiped_scores_of_turns_of_one_throw():
    """Half the throws score a point, the others lose all; five points win. Nobody has a choice: plain iteration."""
    rules = {"name": "chain", "dice": 1, "faces": 2, "singles": {"1": 1}, "target": 5, "then.all": "end"}
    rules["special"] = [{"throw": "2", "then": "wipe"}]
    win = np.zeros((5, 5))
    for _ in range(4000):
        for a, b in product(range(5), repeat=2):
            win[a, b] = ((1 if a == 4 else 1 - win[b, a + 1]) + 1 - win[b, 0]) / 2
    solution = kw.solve(own_game(rules), "win", fresh=True)
    assert np.abs(solution.value_table.arrays["win"] - win).max() <= solution.error_bound + 1e-14
