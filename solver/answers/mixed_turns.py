"""Mixed actions: a mover who is indifferent between two turns draws one of them and plays it to its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..play.playable_game import Choice
from ..solvers import Problem
from ..solving.solved_problem import SolvedProblem
from .advice import MixedTurn


def mixed_turns(solved: SolvedProblem, position: Any, choices: Sequence[Choice[Any]]) -> tuple[MixedTurn, ...]:
    """Return the two turns of the mixed action in the turn that contains a position, with what each does there.

    Args:
        solved: the solved problem; its value table covers the position.
        position: the position.
        choices: the choices of the position.

    Returns:
        Each turn's probability and its choice in the position. () if nothing is mixed, or if there is only one choice
        and the turn has begun already.
    """
    problem, value_table = solved.problem, solved.value_table
    playable = problem.playable
    if len(choices) == 1 and not playable.is_turn_start(position):
        return ()
    mix = problem.mixed_action(value_table, position)
    if mix is None or not mix.is_mixed:
        return ()
    first_choice = second_choice = choices[0]
    if len(choices) > 1:
        continuations = [_continuation(problem, choice) for choice in choices]
        choices_of_turns = []
        for is_upper_turn in (False, True):
            pure_table = problem.with_pure_actions(value_table, upper=is_upper_turn)
            decision_values = problem.decision_values(pure_table, position, continuations)
            choices_of_turns.append(choices[int(decision_values.argmax())])
        first_choice, second_choice = choices_of_turns
    return MixedTurn(1 - mix.upper_probability, first_choice), MixedTurn(mix.upper_probability, second_choice)


def _continuation(problem: Problem[Any], choice: Choice[Any]) -> Any:
    """Return the continuation that a choice stands for: itself if it ends the turn, else the position it leads to."""
    playable, after = problem.playable, choice.after
    ends_turn = playable.stage(after) == "over" or playable.is_turn_start(after)
    return choice if ends_turn else after
