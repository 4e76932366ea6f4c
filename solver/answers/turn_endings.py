"""The ways in which a turn ends under optimal play: the boxes of a scorecard that it fills, or the points it brings.

The turn is walked roll by roll as people play it. Each layer holds the positions after as many rolls, with their
probabilities; decisions between them are those of optimal play.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..play.playable_game import Choice
from ..solvers import Problem
from .positions import BestPlay

MAX_ROLLS = 5000  # that one layer of a turn may have; with more, no endings are computed


@dataclass(frozen=True)
class TurnOutcome:
    """One way in which a turn ends.

    Attributes:
        box: the box that it fills; "" without a scorecard.
        points: the points that it brings.
        chance: its probability.
    """

    box: str
    points: int
    chance: float


class _LastChoice(NamedTuple):
    """The position before and after the last choice of some decisions, and the choice; None if there was none."""

    before: Any
    after: Any
    choice: Choice[Any] | None


def endings(best: BestPlay, start: Any) -> tuple[TurnOutcome, ...]:
    """Return the ways in which a turn ends under optimal play, the likeliest first.

    Args:
        best: optimal play.
        start: the position of the turn before a roll.

    Returns:
        The endings; () if there are too many rolls, or if a roll ends the turn, because that says no points.
    """
    playable = best.problem.playable
    mover = playable.player_to_move(start)
    layer: dict[Any, float] = {start: 1.0}
    chances: dict[tuple[str, int], float] = {}  # by box and points
    while layer:
        rolled = _roll(best.problem, layer)
        if len(rolled) > MAX_ROLLS:
            return ()
        best.find_best(rolled)
        layer = {}
        for position, chance in rolled.items():
            last_choice = _decide(best, position)
            if playable.stage(last_choice.after) == "throw" and not playable.is_turn_start(last_choice.after):
                layer[last_choice.after] = layer.get(last_choice.after, 0.0) + chance
                continue
            if last_choice.choice is None:
                return ()
            for box, points in _filled_boxes(best.problem, last_choice, mover):
                chances[box, points] = chances.get((box, points), 0.0) + chance
    ranked = sorted(chances.items(), key=lambda item: (-item[1], item[0]))
    return tuple(TurnOutcome(box, points, chance) for (box, points), chance in ranked)


def _roll(problem: Problem[Any], layer: dict[Any, float]) -> dict[Any, float]:
    """Return the positions after a roll, with their probabilities."""
    rolled: dict[Any, float] = {}
    for position, chance in layer.items():
        outcomes = list(problem.playable.rolls(position))
        total = sum(weight for weight, _ in outcomes)
        for weight, after in outcomes:
            rolled[after] = rolled.get(after, 0.0) + chance * weight / total
    return rolled


def _decide(best: BestPlay, position: Any) -> _LastChoice:
    """Make all decisions up to the next roll or the end of the turn, and return the last one."""
    playable = best.problem.playable
    last_choice = _LastChoice(position, position, None)
    while playable.stage(last_choice.after) == "choose" and not (
        last_choice.choice and playable.is_turn_start(last_choice.after)
    ):
        choice = best(last_choice.after)
        last_choice = _LastChoice(last_choice.after, choice.after, choice)
    return last_choice


def _filled_boxes(problem: Problem[Any], last_choice: _LastChoice, mover: int) -> list[tuple[str, int]]:
    """Return the boxes that the last choice of a turn fills and their points; without a scorecard, box ""."""
    assert last_choice.choice is not None
    if problem.playable.boxes(last_choice.after, mover):
        return list(
            problem.playable.filled_boxes(last_choice.before, last_choice.after, last_choice.choice, "").items()
        )
    return [("", last_choice.choice.points)]
