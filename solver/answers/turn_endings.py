"""How a turn ends that is played on at its best: which box of a card it fills, or what it brings.

The turn is walked as it is played, layer by layer, each position with its chance; what is chosen on the way is what the
best player chooses. So every number is a sum of chances of throws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..play.playable_game import Choice
from ..solvers import Problem
from .positions import BestPlay

MOST_ROLLS = 5000  # that one throw of a turn may show; where there are more, nothing is said of its ends


@dataclass(frozen=True)
class Ending:
    """One way in which a turn ends: the ``box`` that it fills ("" where there is no card), how many points that brings,
    and how likely it is.
    """

    box: str
    points: int
    chance: float


def endings(best: BestPlay, start: Any) -> tuple[Ending, ...]:
    """The ways in which a turn ends that ``best`` plays on from ``start``, the likeliest first; () where there are too
    many rolls to look at, or a throw ends it, which says no points.
    """
    match, table = best.match, best.match.playable
    mover = table.mover(start)
    layer: dict[Any, float] = {start: 1.0}
    found: dict[tuple[str, int], float] = {}
    while layer:
        fallen: dict[Any, float] = {}
        for position, chance in layer.items():
            falls = list(table.throws(position))
            total = sum(weight for weight, _ in falls)
            for weight, after in falls:
                fallen[after] = fallen.get(after, 0.0) + chance * weight / total
        if len(fallen) > MOST_ROLLS:
            return ()
        best.learn(fallen)
        layer = {}
        for position, chance in fallen.items():
            here, choice = position, None
            while table.stage(here) == "choose" and not (choice and table.turn_begins(here)):
                before, choice = here, best(here)
                here = choice.after
            if table.stage(here) == "throw" and not table.turn_begins(here):
                layer[here] = layer.get(here, 0.0) + chance
                continue
            if choice is None:
                return ()
            for box, points in _filled(match, before, here, choice, mover):
                found[box, points] = found.get((box, points), 0.0) + chance
    ranked = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return tuple(Ending(box, points, chance) for (box, points), chance in ranked)


def _filled(match: Problem[Any], before: Any, after: Any, choice: Choice[Any], mover: int) -> list[tuple[str, int]]:
    """The boxes that the last choice of a turn fills, or what the turn brings where there is no card."""
    if match.playable.boxes(after, mover):
        return list(match.playable.filled(before, after, choice, "").items())
    return [("", choice.points)]
