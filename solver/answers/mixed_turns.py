"""Turns that are mixed: who is indifferent between two turns draws one as the turn begins, and plays it to its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..play.playable_game import Choice
from ..solvers import Problem, ValueTable
from .advice import MixedTurn


def mixed_turns(
    match: Problem[Any], solved: ValueTable, position: Any, choices: Sequence[Choice[Any]]
) -> tuple[MixedTurn, ...]:
    """The two turns that are mixed in the turn of a position, and what each does there; nothing where one is made, nor
    inside a turn where nothing is to be decided.
    """
    table = match.playable
    if len(choices) == 1 and not table.turn_begins(position):
        return ()
    mix = match.mixed_action(solved, position)
    if mix is None or not mix.is_mixed:
        return ()
    made = [choices[0], choices[0]]
    if len(choices) > 1:
        ends = [table.stage(one.after) == "over" or table.turn_begins(one.after) for one in choices]
        leads = [one if end else one.after for one, end in zip(choices, ends, strict=True)]
        drawn = [match.with_drawn_actions(solved, which) for which in (False, True)]
        made = [choices[int(match.decision_values(one, position, leads).argmax())] for one in drawn]
    return MixedTurn(1 - mix.share, made[0]), MixedTurn(mix.share, made[1])
