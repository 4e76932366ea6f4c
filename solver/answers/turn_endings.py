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
        is_miss: whether the dice score nothing in the box, so that it is given up.
    """

    box: str
    points: int
    chance: float
    is_miss: bool = False


class _LastChoice(NamedTuple):
    """The last of several choices that follow one roll, up to the next roll or the end of the turn.

    Attributes:
        before: the position in which it was made.
        after: the position that it leads to.
        choice: the choice; None if nothing was decided after the roll, and then both positions are that after the roll.
    """

    before: Any
    after: Any
    choice: Choice[Any] | None


def endings(best: BestPlay, start: Any) -> tuple[TurnOutcome, ...]:
    """Return the ways in which a turn ends under optimal play, the likeliest first.

    Args:
        best: optimal play.
        start: the position of the turn before a roll, or after all rolls, before a choice that ends it.

    Returns:
        The endings; () if there are too many rolls, or if a roll ends the turn, because that says no points.
    """
    playable = best.problem.playable
    mover = playable.player_to_move(start)
    layer: dict[Any, float] = {start: 1.0}  # the probability of each position before the next roll of the turn
    chances: dict[tuple[str, int, bool], float] = {}  # by box, points, and whether the box is given up
    while layer:
        is_before_roll = playable.stage(next(iter(layer))) == "throw"
        rolled = _roll(best.problem, layer) if is_before_roll else layer
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
            paid = playable.points_paid(last_choice.before)
            for box, points in _filled_boxes(best.problem, last_choice, mover):
                ending = box, points, bool(box) and points + paid == 0
                chances[ending] = chances.get(ending, 0.0) + chance
    ranked = sorted(chances.items(), key=lambda item: (-item[1], item[0]))
    return tuple(TurnOutcome(box, points, chance, is_miss) for (box, points, is_miss), chance in ranked)


def _roll(problem: Problem[Any], layer: dict[Any, float]) -> dict[Any, float]:
    """Return the probability of each position after the next roll.

    Args:
        problem: the problem.
        layer: the probability of each position before the roll.
    """
    rolled: dict[Any, float] = {}
    for position, chance in layer.items():
        outcomes = list(problem.playable.rolls(position))
        total = sum(weight for weight, _ in outcomes)
        for weight, after in outcomes:
            rolled[after] = rolled.get(after, 0.0) + chance * weight / total
    return rolled


def _decide(best: BestPlay, position: Any) -> _LastChoice:
    """Make the best choices from a position up to the next roll or the end of the turn, and return the last one.

    Args:
        best: optimal play.
        position: the position after a roll.
    """
    playable = best.problem.playable
    last_choice = _LastChoice(before=position, after=position, choice=None)
    while playable.stage(last_choice.after) == "choose":
        has_turn_ended = last_choice.choice is not None and playable.is_turn_start(last_choice.after)
        if has_turn_ended:
            break
        choice = best(last_choice.after)
        last_choice = _LastChoice(last_choice.after, choice.after, choice)
    return last_choice


def _filled_boxes(problem: Problem[Any], last_choice: _LastChoice, mover: int) -> list[tuple[str, int]]:
    """Return pairs of a box that the last choice of a turn fills, and its points.

    In a game without a scorecard it is one pair: no box (""), and the points of the choice.

    Args:
        problem: the problem.
        last_choice: the last choice of the turn.
        mover: the seat whose turn it was.
    """
    assert last_choice.choice is not None
    if problem.playable.boxes(last_choice.after, mover):
        entered_result = ""  # the turn is played choice by choice, so no result of it was entered
        points_by_box = problem.playable.filled_boxes(
            last_choice.before, last_choice.after, last_choice.choice, entered_result
        )
        return list(points_by_box.items())
    return [("", last_choice.choice.points)]
