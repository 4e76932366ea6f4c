"""Scarney for chips: frames against an enumeration of ordered throws, the pot as a constant sum, and simulation."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from forged_tables import check_impossible_values
from scarney_reference import CAP, SIDES, table

import keepwise as kw
from keepwise.solvers.scarney.problem import Frame

pytestmark = pytest.mark.patient  # chips are solved in a minute

LEVELS = 6


@pytest.fixture(scope="module")
def solution():
    return kw.solve(kw.game("scarney", double="chips", frames=1), "chips", fresh=True)


def frame(enter, pot: float, cap: int = CAP):
    """Value of a frame by plain recursion; ``enter(points, spent)`` is what entering points is worth."""
    holding: dict[tuple[int, int, int], float] = {}
    free: dict[tuple[int, int], float] = {}

    def throw(dice: int, held: int, spent: int, doubled: bool) -> float:
        value = 0.0
        for what, chance in table(dice, doubled, "score", True):
            if what[0] == "big":
                result = pot
            elif what[0] == "live":
                result = holding[dice, min(cap, held + what[1]), spent]
            elif what[0] == "little":
                result = holding[1, min(cap, 25 + held), spent]
            else:
                result = free[what[1], spent] if what[1] else enter(0, spent)
            value += chance * result
        return value

    for dice in range(1, 6):
        for spent in range(7 - dice):
            for held in range(cap, 0, -1):
                stop = enter(held, spent)
                holding[dice, held, spent] = stop if held == cap else max(stop, throw(dice, held, spent, False))
        for spent in range(6 - dice):
            free[dice, spent] = max(throw(dice, 0, spent, False), throw(dice, 0, spent + 1, True))
    return free[5, 0]


def test_frames_equal_enumeration(solution):
    """The second shooter, given what an extra frame is worth; and the first shooter, given the second's values."""
    arrays = solution.value_table.arrays
    level = arrays["level"]
    middle = arrays["second"].shape[2] // 2
    for pot, lead in ((20, -12), (20, 0), (23, -30)):

        def second(points, spent, pot=pot, lead=lead):
            if lead + points > 0:
                return pot
            return -spent if lead + points < 0 else pot - level[pot - 20 + spent]

        expected = frame(second, pot)
        assert abs(arrays["second"][0, pot - 20, middle + lead] - expected) <= 2 * solution.error_bound

    def first(points, spent):
        return 20 - arrays["second"][0, spent, middle - points]

    assert abs(arrays["first"][0, 0, middle] - frame(first, 20)) <= 2 * solution.error_bound
    # An extra frame is the same frame once more.
    assert abs(arrays["first"][0, 0, middle] - level[0]) <= solution.error_bound


def test_the_pot_is_shared_and_a_double_is_a_real_decision(solution):
    assert solution.error_bound < 1e-9
    mine, theirs = solution.position_value().seats
    assert mine + theirs == 20
    choices = solution.advise().choices
    assert {choice.follow_up for choice in choices} == {"throw", "double"}
    best = set()
    for lead in (0, 10, 30, 60):
        for live in (2, 5):
            advice = solution.advise(frame=1, seat=1, score=0, opponents=[lead], live=live)
            best.add(advice.best.follow_up)
    assert best == {"throw", "double"}, "a chip is worth it where points are short, and not where any do"


def test_chips_outside_their_range_are_refused(solution, tmp_path):
    check_impossible_values(solution, 40.0, tmp_path)


def test_simulated_chips_agree(solution):
    rng, games = random.Random(20), 800

    @cache
    def best(seat, lead, pot, turn, live, roll, double):
        # An extra frame is worth what the last one is, and any pot can be there.
        position = {"playoff": (0, 1), "seat": seat, "pot": pot, "turn": turn, "live": live}
        position |= {"opponents": [lead]} if seat else {}
        choice = solution.advise(**position, **({"roll": roll, "double": double} if roll else {})).best
        return choice.follow_up, choice.points, choice.dice_left

    def shoot(seat, lead, pot):
        """Points entered (None: Big Scarney) and chips spent."""
        spent, turn, live = 0, 0, 5
        then = best(seat, lead, pot, 0, 5, None, False)[0]
        while True:
            double = then == "double"
            spent += double
            roll = "".join(sorted(str(rng.choice(SIDES) or "d") for _ in range(live)))
            then, points, left = best(seat, lead, pot + spent, turn, live, roll, double)
            if then in ("win", "end", "stop"):
                return (None if then == "win" else 0 if then == "end" else points), spent
            turn, live = points, left

    results = []
    for _ in range(games):
        pot, paid = 20, 0
        while True:
            if pot > 25:  # more than the tables of one frame hold: what an extra frame is worth stands for the rest
                results.append(solution.value_table.arrays["level"][min(pot, 30) - 20] - paid)
                break
            first, spent = shoot(0, 0, pot)
            pot, paid = pot + spent, paid + spent
            if first is None:
                results.append(pot - paid)
                break
            if pot > 25:
                table = solution.value_table.arrays["second"][0, pot - 20]
                results.append(pot - table[len(table) // 2 - first] - paid)
                break
            second, spent = shoot(1, first, pot)
            pot += spent
            if second is None or second > first:
                results.append(-paid)
                break
            if second < first:
                results.append(pot - paid)
                break
    error = np.std(results) / len(results) ** 0.5
    assert abs(np.mean(results) - solution.value()) < 4 * error


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("value scarney --objective chips", "requires the rule double=chips"),
        ("value scarney --rule double=chips", "requires the objective chips"),
        ("value scarney --rule double=chips --objective chips --pot 19", "--pot must be 20, not 19"),
        ("value scarney --rule double=chips --objective chips --pot 26", "--pot must be 20, not 26"),
        ("value scarney --rule double=chips --objective chips --players 3", "players must be 2"),
        ("value scarney --pot 25", "unknown option --pot"),
    ],
)
def test_bad_input(run, command, says):
    answer = run(command)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert says in answer.err


def test_listed_frames_reach_all_points_that_a_roll_risks():
    """Also those that a player risks only after spending chips: every mode and number of chips is compared."""
    solution = kw.solve(kw.game("scarney", double="chips", frames=3), "chips", fresh=True)
    problem, rules = solution.problem, solution.problem.rules
    beyond_no_chips = 0
    for lead, pot in ((-12, 2), (-12, 4), (-12, 8), (0, 2), (18, 4)):
        turn = problem.frame_turn(solution.value_table, Frame((max(lead, 0), max(-lead, 0)), 0, 2, (), pot))
        lane = turn.lane
        inner, banks = lane.solve().inner, lane.turn.special_count + np.arange(lane.bank_count)
        risked = [0] * LEVELS
        for mode in range(inner.shape[1]):
            decision = next(key for key, number in rules.mode_by_decision.items() if number == mode)
            stops = lane.payoff[0, banks + decision.spent * lane.bank_count, 0]
            for points in range(1, lane.cap) if decision.has_points else ():
                if inner[0, mode, points, 0] > stops[points] + 2 * turn.bound:
                    risked[decision.spent] = max(risked[decision.spent], points)
        assert turn.max_risked_points(rules) == max(risked)
        beyond_no_chips += max(risked) > risked[0]
    assert beyond_no_chips == 3
