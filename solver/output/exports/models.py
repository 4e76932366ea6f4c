"""Models for model checkers and graph tools.

A model is the explicit decision process of a problem (a stochastic game for several players), the Markov chain that a
policy induces, or the graph of one turn. Models are built from the game as it is played, without any solver. So the
values that a model checker computes from them confirm the solver's values independently.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...answers.positions import BestPlay
from ...policies.policy import DuelPolicy, MistakePolicy, OptimalPolicy, OtherObjectivePolicy, choice_function
from ...policies.registry import PolicyContext, parse_policy
from ...solvers import Problem
from ...solving.solved_problem import SolvedProblem
from ...util.errors import InputError, argument, suggest_name
from ...util.number_format import format_count
from ...util.progress_reporting import ProgressCallback
from .graph import write_dot, write_graphml
from .prism import write_prism
from .process import Decide, Process, build_process
from .writers import check_umb, write_drn, write_prism_explicit, write_umb

Write = Callable[[Process, "str | os.PathLike[str]", str], None]

WRITERS: dict[str, Write] = {
    "drn": write_drn,
    "prism": write_prism,
    "prism-explicit": write_prism_explicit,
    "umb": write_umb,
    "graphml": write_graphml,
    "dot": write_dot,
}
GRAPH_FORMATS = ("graphml", "dot")  # show one turn, without a policy
ONE_PLAYER_FORMATS = ("drn", "prism", "prism-explicit")  # cannot describe games of several players


@dataclass(frozen=True)
class ModelPlan:
    """A model that has been found possible.

    Attributes:
        problem: the problem.
        form: one of ``WRITERS``.
        policy: the policy whose chain is written, parsed; None for the whole decision process.
    """

    problem: Problem[Any]
    form: str
    policy: Any

    def run(
        self, solved: SolvedProblem, path: str | os.PathLike[str], progress: ProgressCallback = lambda share: None
    ) -> Process:
        """Write the model, once the problem is solved, and return it.

        Args:
            solved: the solved problem.
            path: the file to write.
            progress: called now and then.

        Raises:
            InputError: the solution is of another problem.
        """
        solved.check_solves(self.problem)
        process = _build_model(solved, self.policy, one_turn=self.form in GRAPH_FORMATS, progress=progress)
        WRITERS[self.form](process, path, _model_title(solved))
        return process


def plan_model(problem: Problem[Any], form: str, policy: str | None = None) -> ModelPlan:
    """Return a model to be written once the problem is solved.

    Args:
        problem: the problem.
        form: one of ``WRITERS``.
        policy: "best", or the name of another policy such as "hold:300", to write the chain that it induces.

    Raises:
        InputError: the problem or the policy has no model in this format.
    """
    if form not in WRITERS:
        raise InputError(f"unknown model format '{form}'{suggest_name(form, WRITERS)}")
    if problem.objective == "rate":
        raise InputError("the objective rate has no model, because the long run never ends; use --objective points")
    if form in GRAPH_FORMATS and policy is not None:
        raise InputError(
            f"the format {form} cannot be combined with {argument('policy')}, because it shows one turn; use drn,"
            " prism, prism-explicit or umb"
        )
    if form in ONE_PLAYER_FORMATS and problem.players > 1 and policy is None:
        _refuse_several_players(problem, form)
    if policy is not None and problem.solves_on_demand and not problem.array_specs():
        name = f"{problem.game.id} with the objective {problem.objective}"
        raise InputError(f"{name} is solved from one position at a time, so best play cannot be exported as a model")
    chain_policy = _parse_chain_policy(problem, policy)
    if form == "umb":
        check_umb()
    return ModelPlan(problem, form, chain_policy)


# Reasons why a policy has no chain.
CHAIN_REFUSALS = {
    OtherObjectivePolicy: "export the model of that objective with --policy best",
    DuelPolicy: "it is only for the opponents in keepwise evaluate, so it has no Markov chain",
    MistakePolicy: "it chooses at random, and an exported chain has one choice for each position",
}


def _parse_chain_policy(problem: Problem[Any], policy: str | None) -> Any:
    """Return the policy that induces a chain, by its name; None if there is no name."""
    return None if policy is None else parse_policy(policy, PolicyContext(problem.playable, CHAIN_REFUSALS))


def _refuse_several_players(problem: Problem[Any], form: str) -> None:
    """Raise InputError with the ways to export a game of several players."""
    one_player = (objective for objective in ("points", "turns") if objective in problem.game.objectives)
    objective = next((f"--objective {objective}, " for objective in one_player), "")
    players = format_count(problem.players, "player")
    hint = f"use {objective}-f umb, or --policy best for its chain"
    raise InputError(f"the format {form} cannot describe the objective {problem.objective} for {players}: {hint}")


def make_model(
    solved: SolvedProblem,
    policy: str | None = None,
    *,
    one_turn: bool = False,
    progress: ProgressCallback = lambda share: None,
) -> Process:
    """Return the explicit process of a problem, or the chain of a policy.

    If turn points are unbounded, turns end at the same number of points as in the solver.
    """
    chain_policy = _parse_chain_policy(solved.problem, policy)
    return _build_model(solved, chain_policy, one_turn=one_turn, progress=progress)


def _build_model(solved: SolvedProblem, chain_policy: Any, *, one_turn: bool, progress: ProgressCallback) -> Process:
    """Return the explicit process of a problem, or the chain of a policy that has been parsed."""
    problem, playable = solved.problem, solved.playable
    cut = problem.max_stopping_points(solved.value_table)
    decide: Decide | None = None
    if isinstance(chain_policy, OptimalPolicy):
        if mixed_count := problem.extra_results(solved.value_table, playable.start()).get("mixed"):
            raise InputError(
                f"best play is random at {format_count(mixed_count, 'position')}, but an exported chain has one choice"
                f" for each position; leave {argument('policy')} out for the model with every choice"
            )
        decide = BestPlay(solved)
    elif chain_policy is not None:
        decide = choice_function(playable, chain_policy)
        if cut is not None and playable.objective == "points":  # with other objectives these points win
            cut += getattr(chain_policy, "max_turn_points", 0)
    return build_process(playable, decide, cut=cut, one_turn=one_turn, progress=progress)


def _model_title(solved: SolvedProblem) -> str:
    """Return the comment of a model's file: the problem, its fingerprint, its rules, and where turns are cut."""
    problem = solved.problem
    cut = problem.max_stopping_points(solved.value_table)
    cut_note = "" if cut is None else f"; turns stop at {format_count(cut, 'point')}"
    rules = json.dumps(problem.playable.problem_key["rules"])
    return f"keepwise {problem.game.id} {problem.objective} {solved.fingerprint} rules {rules}{cut_note}"
