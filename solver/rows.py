"""A solution as rows: a position, what it is worth, the best choice, and what the runner-up costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .advice import Advice
from .errors import InputError, nearest
from .matches import OnDemand, listing

if TYPE_CHECKING:
    import pandas

    from .solution import Solution

Row = dict[str, Any]

# Columns that are text; all other columns of a position are whole numbers.
TEXT = frozenset({"roll", "kept", "used", "opponent_used", "touched", "feel"})
FLAGS = frozenset({"tie", "double", "bonus"})
CHOICE = ("action", "then", "keep", "points", "dice_left", "value", "runner_up", "cost", "tie")


def column_type(name: str) -> type:
    """Type of a column: str, bool, float or int."""
    if name in TEXT or name in ("action", "then", "keep", "runner_up"):
        return str
    if name in FLAGS:
        return bool
    return float if name in ("value", "cost") or name.startswith("value_") else int


class Policy:
    """The rows of a solution.

    ``detail``: "values" lists the positions between turns with the value of every seat; "throws" the decisions before a
    throw (bank or roll, which size to touch); "rolls" those after one (what to keep). ``given`` restricts the rows to
    positions with those values, such as ``score=0``.

    Columns: those of the position; then, but for "values", ``action`` (the best choice in words), ``then``, ``keep``,
    ``points`` and ``dice_left`` (as in ``Choice``), ``value``, ``runner_up`` and its ``cost``, ``tie`` (whether the
    runner-up is as good within the error bound).

    Raises:
        InputError: a detail that the game does not have, or a value for a column that there is not.
    """

    def __init__(self, solution: Solution, detail: str | None = None, **given: Any) -> None:
        match = solution.match
        open_details = listing.details(match)
        detail = detail or open_details[min(1, len(open_details) - 1)]
        if detail not in open_details:
            raise InputError(f"{match.game.id} has no detail {detail}{nearest(detail, open_details)}")
        self.solution, self.detail, self.given = solution, detail, given
        whole = {key: value for key, value in given.items() if key != "opponents"}
        if "opponents" in given:
            others = given["opponents"] if isinstance(given["opponents"], (list, tuple)) else [given["opponents"]]
            names = ["opponent"] if match.players == 2 else [f"opponent{n}" for n in range(1, match.players)]
            if len(others) != len(names):
                raise InputError(f"{len(others)} opponents' scores given, but there are {len(names)}")
            whole |= dict(zip(names, others, strict=True))
        if "left" in given:
            counts = str(whole.pop("left")).replace(",", " ").strip("()[]").split()
            if len(counts) != 3:
                raise InputError("left must tell three numbers, large, medium and small pieces")
            whole |= dict(zip(("large", "medium", "small"), counts, strict=True))
        if match.game.family == "touch" and {"score", "opponent"} & set(whole):
            scores = [str(whole.pop(name, 0)).strip() for name in ("score", "opponent")]
            if not all(score.removeprefix("-").isdecimal() for score in scores):
                raise InputError(f"the scores {' and '.join(scores)} must be whole numbers")
            whole["lead"] = int(scores[0]) - int(scores[1])  # nothing else of them matters
        self._given: Mapping[str, Any] = whole
        self.starts, _ = listing.between(match, self._given)
        first = next(iter(self._rows(lambda done: None)), None)
        if first is None:
            raise InputError("no position has these values")
        for key in whole:
            if key not in first and not isinstance(match, OnDemand):
                raise InputError(f"these rows have no column {key}; they have {', '.join(first)}")
        self.columns: tuple[str, ...] = tuple(first)

    def rows(self, progress: Callable[[float], None] = lambda done: None) -> Iterator[Row]:
        """Yield the rows, one at a time."""
        return self._rows(progress)

    def _rows(self, progress: Callable[[float], None]) -> Iterator[Row]:
        solution, match = self.solution, self.solution.match
        _, starts = listing.between(match, self._given)
        solved = solution.solved
        for done, start in enumerate(starts):
            if not solved.arrays and isinstance(match, OnDemand):
                solved = match.solve_from(start[1], 1, lambda share: None)
            for columns, position in listing.inside(match, start, self.detail, self._given):
                if self.detail == "values":
                    found = match.value(solved, position)
                    seats = {f"value_{seat}": value for seat, value in enumerate(found.seats[1:], 2)}
                    yield {**columns, "value": found.value, **seats}
                else:
                    yield {**columns, **_choice(match.advise(solved, position))}
            if isinstance(match, OnDemand) and not solution.solved.arrays:
                solved = solution.solved
            progress(min(1.0, (done + 1) / self.starts))

    def to_frame(self, progress: Callable[[float], None] = lambda done: None) -> pandas.DataFrame:
        """Return the rows as a pandas data frame (``pip install keepwise[arrow]``)."""
        try:
            import pandas
        except ImportError:
            raise InputError("data frames need pandas: pip install 'keepwise[arrow]'") from None
        frame = pandas.DataFrame(list(self.rows(progress)), columns=list(self.columns))
        numbers = {name: "Int64" for name in self.columns if column_type(name) is int}
        return frame.astype(numbers)


def _choice(advice: Advice) -> Row:
    best = advice.best
    second = advice.choices[1] if len(advice.choices) > 1 else None
    return {
        "action": best.action,
        "then": best.then,
        "keep": " ".join(best.keep),
        "points": best.points,
        "dice_left": best.dice_left,
        "value": best.value,
        "runner_up": second.action if second else None,
        "cost": second.loss if second else None,
        "tie": bool(second and second.tie),
    }
