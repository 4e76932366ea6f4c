"""Mixed actions: a mover who is indifferent between two turns draws one of them and plays it to its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..play.playable_game import Choice
from ..solvers import Problem
from ..solving.solved_problem import SolvedProblem
from .advice import MixedTurn


def mixed_turns(solved: SolvedProblem, position: Any, choices: Sequence[Choice[Any]]) -> tuple[MixedTurn, ...]:
    """Return the two turns of the mixed action that is played in the turn of a position.

    Args:
        solved: the solved problem; its value table covers the position.
        position: the position.
        choices: its choices.

    Returns:
        The two turns with their choices in the position; () if nothing is mixed, or nothing is to be decided.
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
        first_choice, second_choice = (
            choices[int(problem.decision_values(drawn_actions, position, continuations).argmax())]
            for drawn_actions in (problem.with_drawn_actions(value_table, second) for second in (False, True))
        )
    return MixedTurn(1 - mix.share, first_choice), MixedTurn(mix.share, second_choice)


def _continuation(problem: Problem[Any], choice: Choice[Any]) -> Any:
    """Return the choice itself if it ends the turn, else the position that it leads to."""
    playable, after = problem.playable, choice.after
    ends_turn = playable.stage(after) == "over" or playable.is_turn_start(after)
    return choice if ends_turn else after
