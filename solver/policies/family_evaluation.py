"""Exact values of policies by the equations of a family, and of races in which the play of opponents is given.

Each family has an evaluator of its own (``Family.evaluation``), which follows policies that compile to decisions of its
kernels. All other policies are evaluated in ``simulation.policy_evaluation``, as chains of the game as it is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ..games.families import load_module
from ..solvers import Problem
from ..solving.solved_problem import SolvedProblem
from ..util.errors import InputError, argument
from ..util.progress_reporting import ProgressCallback
from .evaluation import Against, Evaluation


@dataclass(frozen=True)
class FamilyEvaluation:
    """An evaluation by the equations of the game's family, which has been found possible.

    Attributes:
        problem: the problem whose optimum the policy is compared with.
        policy: the policy, parsed.
        score: the score before the turn, for the points of a turn; None for 0.
    """

    problem: Problem[Any]
    policy: Any
    score: object = None

    def run(self, solved: SolvedProblem, progress: ProgressCallback = lambda share: None) -> Evaluation:
        """Evaluate the policy, once the problem is solved; raise InputError for the solution of another problem."""
        solved.check_solves(self.problem)
        family_evaluator = load_module(self.problem.game.parts.evaluation)
        # Evaluations that begin at any score are the long ones, which report progress.
        options = (self.score, progress) if self.problem.game.parts.evaluates_from_scores else ()
        evaluation: Evaluation = family_evaluator.evaluate(self.problem, solved.value_table, self.policy, *options)
        return evaluation


def plan_family_evaluation(problem: Problem[Any], policy: Any, score: object = None) -> FamilyEvaluation:
    """Return the evaluation of a policy by the equations of the game's family, to be run once the problem is solved.

    Args:
        problem: the problem whose optimum the policy is compared with.
        policy: a policy of the family, parsed.
        score: the score before the turn, for the points of a turn.

    Raises:
        InputError: the family does not evaluate policies for this objective, under these rules or from a score.
    """
    parts = problem.game.parts
    if score is not None and not parts.evaluates_from_scores:
        raise InputError(f"{argument('score')} requires a push-your-luck game; leave out {argument('score')}")
    if not parts.evaluation:
        raise InputError(f"policies of {problem.game.id} cannot be evaluated")
    options = (score,) if parts.evaluates_from_scores else ()
    load_module(parts.evaluation).check(problem, *options)
    return FamilyEvaluation(problem, policy, score)


@dataclass(frozen=True)
class OpponentEvaluation:
    """An evaluation of a policy against opponents whose policies are given, which has been found possible.

    Attributes:
        race: the problem.
        policy: the policy, parsed.
        opponents: the policies of the other seats in turn order, parsed.
    """

    race: Problem[Any]
    policy: Any
    opponents: tuple[Any, ...]

    def run(self, solved: SolvedProblem, progress: ProgressCallback = lambda share: None) -> Against:
        """Evaluate the policy, once the race is solved; raise InputError for the solution of another problem."""
        solved.check_solves(self.race)
        evaluator = _opponent_evaluator(self.race)
        result: Against = evaluator.against(self.race, solved.value_table, self.policy, self.opponents, progress)
        return result


def plan_against(problem: Problem[Any], policy: str, opponents: Sequence[str]) -> OpponentEvaluation:
    """Return an evaluation against opponents whose policies are given, to be run once the problem is solved.

    Args:
        problem: the race.
        policy: the name of the policy in question.
        opponents: the names of the policies of the other seats in turn order, or one for all.

    Raises:
        InputError: the game is not a race, a policy is unknown, or the number of policies is wrong.
    """
    return OpponentEvaluation(*_opponent_evaluator(problem).parse_policies(problem, policy, opponents))


def _opponent_evaluator(problem: Problem[Any]) -> ModuleType:
    """Return the module that evaluates races against given opponents; raise InputError if the family has none."""
    if not problem.game.parts.best_response:
        raise InputError(
            "policies of the opponents require a push-your-luck game and the objective win; leave them out"
        )
    return load_module(problem.game.parts.best_response)
