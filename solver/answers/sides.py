"""What one choice of a position leads to, as an explanation describes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .turn_endings import TurnOutcome


@dataclass(frozen=True)
class Side:
    """The result of one choice, as an explanation describes it.

    Attributes:
        action: the choice in words.
        value: its value.
        mishap: the probability that the next roll goes wrong; None if no such roll follows.
        wrong: the mean value after a roll that went wrong; None if not every such roll loses the turn points.
        wipe: the probability that the next roll loses the whole score.
        wiped: the mean value after such a roll.
        right: the mean value after all other rolls.
        ends: the choice ends the turn.
        scores: the scores after the turn, the mover's first; () if the turn goes on or has no scores.
        loss: the loss of the choice.
        tie: the choice is as good as the best within the error bound.
        endings: the ways in which the turn ends under optimal play, unless the mishap says enough.
        beside: the points to which these compare: what stopping here would bring, or the total to beat.
        points: for a choice that fills a box for points, the points of the box.
        still: for such a choice, the points still to come.
    """

    action: str
    value: float
    mishap: float | None = None
    wrong: float | None = None
    wipe: float | None = None
    wiped: float | None = None
    right: float | None = None
    ends: bool = True
    scores: tuple[int, ...] = ()
    loss: float = 0.0
    tie: bool = False
    endings: tuple[TurnOutcome, ...] = ()
    beside: int | None = None
    points: int | None = None
    still: float | None = None

    def boxes(self) -> dict[str, tuple[float, float]]:
        """Return, by box, the probability that the turn fills it, and its mean points if so; the likeliest first."""
        totals: dict[str, tuple[float, float]] = {}
        for ending in self.endings:
            chance, points = totals.get(ending.box, (0.0, 0.0))
            totals[ending.box] = chance + ending.chance, points + ending.chance * ending.points
        ranked = sorted(totals.items(), key=lambda item: -item[1][0])
        return {box: (chance, points / chance) for box, (chance, points) in ranked if box}

    def chance(self, is_counted: Callable[[int], bool]) -> float:
        """Return the probability that the points which the turn brings meet a condition.

        Args:
            is_counted: the condition, as a function of the points.
        """
        return sum(ending.chance for ending in self.endings if is_counted(ending.points))
