"""A plan is made for a problem before that is solved; it refuses the solution of any other problem."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import keepwise
import keepwise as kw
from keepwise import api
from keepwise.output.charts.make import COMMON_KINDS, plan_chart
from keepwise.output.exports.models import plan_model
from keepwise.output.sheets import plan_sheet
from keepwise.policies.family_evaluation import plan_family_evaluation
from keepwise.policies.policy import NamedPolicy, OptimalPolicy
from keepwise.policies.registry import parse_rule_policy
from keepwise.quiz.questions import plan_game_quiz, plan_quiz
from keepwise.simulation import plan_simulation
from keepwise.simulation.policy_evaluation import plan_chain_evaluation
from keepwise.solvers import make_problem
from keepwise.util.errors import InputError

# How each function that returns a plan is called: by a problem alone.
PLANS = {
    "plan_against": lambda problem: api.plan_against(problem, "best", ["best"]),
    "plan_chain_evaluation": lambda problem: plan_chain_evaluation(
        problem, NamedPolicy("best", OptimalPolicy()), score=None, anyway=True
    ),
    "plan_chart": lambda problem: plan_chart(problem, next(iter(COMMON_KINDS))),
    "plan_evaluation": lambda problem: api.plan_evaluation(problem, "best"),
    "plan_family_evaluation": lambda problem: plan_family_evaluation(
        problem, parse_rule_policy(problem.playable, "hold:3")
    ),
    "plan_game_quiz": lambda problem: plan_game_quiz(problem, None, count=1, seed=0),
    "plan_model": lambda problem: plan_model(problem, "dot"),
    "plan_quiz": lambda problem: plan_quiz(problem, "careless", count=1, seed=0),
    "plan_rows": lambda problem: api.plan_rows(problem, None, {}),
    "plan_sheet": lambda problem: plan_sheet(problem),
    "plan_simulation": lambda problem: plan_simulation(problem, []),
}
FURTHER_ARGUMENTS = {"plan_model": ("model.dot",)}
PROBLEMS = [
    (kw.game("pig", target=6), "win", 2),
    (kw.game("pig", target=7), "points", 1),
    (kw.game("boston"), "win", 2),
    (kw.game("scarney"), "points", 1),
]


@cache
def solutions():
    """Solutions that differ from each problem in one thing: the rules, the objective, or the game."""
    pigs = [kw.solve(kw.game("pig", target=target), objective) for target in (6, 7) for objective in ("win", "points")]
    return [*pigs, kw.solve(kw.game("boston"), "points")]


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_refuses_the_solution_of_another_problem(plan, tmp_path, monkeypatch, tally):
    monkeypatch.chdir(tmp_path)
    for problem in (make_problem(*asked) for asked in PROBLEMS):
        try:
            planned = PLANS[plan](problem)
        except InputError:  # not all is possible with every problem
            continue
        for solution in solutions():
            if solution.playable.problem_key != problem.playable.problem_key:
                with pytest.raises(InputError, match=r"the plan is for the problem .* of its own problem"):
                    planned.run(solution, *FURTHER_ARGUMENTS.get(plan, ()))
                tally.add()


def test_every_function_that_returns_a_plan_is_tried(tally):
    files = Path(keepwise.__file__).parent.rglob("*.py")
    names = {name for file in files for name in re.findall(r"^def (plan_\w+)", file.read_text(), re.MULTILINE)}
    assert names == PLANS.keys()
    tally.add(len(names))
