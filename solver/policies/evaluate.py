"""What a given policy is worth: exactly, and against the best. Each family says how (``Family.judge``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from ..games.families import loaded
from ..solvers import Problem, ValueTable
from ..util.errors import InputError
from .evaluation import Against, Evaluation
from .registry import read_policy

Progress = Callable[[float], None]


def check_evaluation(match: Problem[Any], policy: str, score: object = None) -> None:
    """Raise InputError for what is not evaluated (policy, objective or rule), before anything is solved."""
    _judge(match, score).check(match, *_scored(match, score))
    read_policy(match.playable, policy)


def evaluate(match: Problem[Any], solved: ValueTable, policy: str, score: object, progress: Progress) -> Evaluation:
    """Evaluate a policy given by name; see ``Solution.evaluate``."""
    check_evaluation(match, policy, score)
    told, found = _scored(match, score), read_policy(match.playable, policy)
    made: Evaluation = _judge(match, score).judged(match, solved, found, *told, *((progress,) if told else ()))
    return made


def check_against(match: Problem[Any], policy: str, others: Sequence[str]) -> None:
    """Raise InputError for what ``against`` refuses, before anything is solved."""
    _given(match).check_given(match, policy, others)


def against(match: Problem[Any], solved: ValueTable, policy: str, others: Sequence[str], progress: Progress) -> Against:
    """What a policy gets against others whose play is given; see ``Solution.against``."""
    file = _given(match)
    race, ours, told = file.check_given(match, policy, others)
    found: Against = file.against(race, solved, ours, told, progress)
    return found


def _given(match: Problem[Any]) -> ModuleType:
    if not match.game.parts.given:
        raise InputError("the play of others is given in races of push-your-luck games, for win")
    return loaded(match.game.parts.given)


def _judge(match: Problem[Any], score: object) -> ModuleType:
    parts = match.game.parts
    if score is not None and not parts.scored:
        raise InputError("only policies of push-your-luck games are evaluated from a score: leave it out")
    if not parts.judge:
        raise InputError(f"no policies are evaluated for {match.game.id}")
    return loaded(parts.judge)


def _scored(match: Problem[Any], score: object) -> tuple[object, ...]:
    return (score,) if match.game.parts.scored else ()
