"""What a certificate is estimated to take: measured times, the announcement, and the refusal beyond an hour."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import toys

import keepwise as kw
from keepwise import tables
from keepwise.certify import certify, costs
from keepwise.certify.costs import estimate_certificate_cost, estimate_proof_seconds, estimate_proof_work
from keepwise.certify.rule_data import equations_to_prove
from keepwise.certify.whole_turn import IntegerPushTurn
from keepwise.games import own_game
from keepwise.solvers import make_problem, solve_costs
from keepwise.solvers.solve_costs import HOUR

FOLDER = Path(tables.__path__[0])
# Certificates that took two seconds and more. The manifest has the time of each on one idle processor.
MEASURED = {
    row["file"]: row["certificate"]["seconds"]
    for row in json.loads((FOLDER / "manifest.json").read_bytes())
    if row.get("certificate", {}).get("seconds", 0) >= 2
}
FACTOR = 2
FACTOR_OF_SWEEPS = 2.5  # toys need from half to twice the usual number of sweeps


@pytest.mark.parametrize("file", sorted(MEASURED))
def test_measured_times_are_near_the_estimate(file):
    estimate = estimate_proof_seconds(kw.load(FOLDER / file).problem, 1)
    assert MEASURED[file] / FACTOR < estimate < MEASURED[file] * FACTOR


@pytest.fixture
def solved_rows(monkeypatch):
    """Count, as (rows, roll classes) of one number each, what the turns of a proof solve."""
    counted = {"rows": 0, "classes": 0}
    solve = IntegerPushTurn.solve

    def count(turn, payoff, caps, *args, **kwargs):
        counted["rows"] += int(caps.sum())
        for mode in turn.turn.modes:
            class_count = sum(len(roll.classes) for roll in mode.rolls)
            counted["classes"] += class_count * int(np.minimum(caps, mode.max_points).sum())
        return solve(turn, payoff, caps, *args, **kwargs)

    monkeypatch.setattr(IntegerPushTurn, "solve", count)
    return counted


@pytest.mark.parametrize(("objective", "parameters"), [("win", {}), ("turns", {}), ("reach", {"turns": 3})])
def test_a_proof_solves_exactly_the_turns_that_are_counted(solved_rows, objective, parameters):
    solution = kw.solve(kw.game("pig", target=20), objective, **parameters)
    certify(solution)
    count = estimate_proof_work(equations_to_prove(solution.problem))
    assert solved_rows == {"rows": count.rows, "classes": pytest.approx(count.classes)}


@pytest.mark.parametrize("objective", ["win", "turns"])
@pytest.mark.parametrize("name", [name for name in toys.PUSH if not name.startswith("one turn")])
def test_rows_of_toys_are_counted_within_a_factor(solved_rows, name, objective):
    solution = kw.solve(own_game(toys.RULES[name]), objective)
    certify(solution)
    equations = equations_to_prove(solution.problem)
    ratio = estimate_proof_work(equations).rows / solved_rows["rows"]
    is_exact = not equations.has_cyclic_components and solution.game.data.take_over == "none"
    assert ratio == 1 if is_exact else 1 / FACTOR_OF_SWEEPS < ratio < FACTOR_OF_SWEEPS


def test_a_certificate_takes_longer_than_the_solve():
    problem = make_problem(kw.game("farkle"), "win", 2)
    assert estimate_certificate_cost(problem, 2).seconds > problem.estimate_cost(2).seconds


def test_solve_past_the_limits_is_estimated_without_its_proof(monkeypatch):
    monkeypatch.setattr(solve_costs, "MAX_SECONDS", 0.0)
    problem = make_problem(kw.game("farkle"), "win", 2)
    assert estimate_certificate_cost(problem, 1) == problem.estimate_cost(1)


def test_boards_are_estimated_by_their_values():
    booby_trap = make_problem(kw.game("booby-trap"), "win", 2)
    assert 3 < estimate_proof_seconds(booby_trap, 1) < 12  # six seconds were measured on an idle processor


def test_small_kinds_have_no_estimate():
    assert estimate_certificate_cost(make_problem(kw.game("boston"), "win", 2), 1).seconds == 0


def test_more_than_an_hour_requires_anyway(refused, tmp_path, monkeypatch):
    """Only the proof takes so long: the solve alone is allowed."""
    words = ["certify", "pig", "--rule", "target=8", "--objective", "turns", "-o", str(tmp_path / "pig.cert")]
    monkeypatch.setattr(costs, "TURN_CHECK_SECONDS", 2 * HOUR)
    refused("certifying Pig takes about 2 hours (the limit is an hour", *words, "--threads", "1")
    assert not (tmp_path / "pig.cert").exists()


def test_long_certificates_are_announced_once(run, tmp_path, monkeypatch):
    file = str(tmp_path / "pig.cert")
    words = ["certify", "pig", "--rule", "target=8", "--objective", "turns", "-o", file, "--threads", "1"]
    assert "takes about" not in run(*words).err
    for seconds in (HOUR / 2, 2 * HOUR):
        monkeypatch.setattr(costs, "TURN_CHECK_SECONDS", seconds)
        seen = run(*words, "--anyway")
        assert seen.status == 0
        assert seen.err.count(" takes about ") == 1
        assert "certifying Pig takes about " in seen.err
