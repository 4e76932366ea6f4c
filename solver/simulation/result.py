"""What simulated games came to: means with standard errors, luck and errors by seat, and every game as a row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..answers.rows import Column, Row
from ..util.optional_imports import require_library
from .games import GENERATOR, Games

if TYPE_CHECKING:
    import pandas

    from .turns import Floats, Ints

CHANCES = ("win", "reach")


@dataclass(frozen=True)
class Mean:
    """A mean over all games and its standard error."""

    mean: float
    se: float


@dataclass(frozen=True)
class SeatResult:
    """One seat over all games.

    Attributes:
        policy: who sat there; outcome: what the seat got, ``wins`` in all where games are won, else None.
        start: the exact value of the start, with everybody playing the best.
        luck, errors, others: a game's luck of all throws, own errors and what the errors of the others brought.
        decisions, turns: own real choices and turns of a game; mean_error: what a real choice lost on average.
    """

    policy: str
    outcome: Mean
    wins: float | None
    start: float
    luck: Mean
    errors: Mean
    others: Mean
    decisions: float
    turns: float
    mean_error: float

    def as_json(self) -> dict[str, Any]:
        """The seat in the shape that scripts rely on."""
        told: dict[str, Any] = {"policy": self.policy}
        if self.wins is not None:
            told["wins"] = self.wins
        told |= asdict(self.outcome) | {"start": self.start}
        for name in ("luck", "errors", "others"):
            one: Mean = getattr(self, name)
            told |= {name: one.mean, f"{name}_se": one.se}
        return told | {"decisions": self.decisions, "turns": self.turns, "mean_error": self.mean_error}


@dataclass(frozen=True, eq=False)
class Simulation:
    """Games that were played. ``head``: the question, the seed, the generator and who sat where.

    ``played`` holds a row for every game: outcome, luck, errors, others, decisions and turns by seat.
    """

    head: Mapping[str, Any]
    seats: tuple[SeatResult, ...]
    length: Mean
    played: Games = field(repr=False)

    @property
    def games(self) -> int:
        """How many were played."""
        return len(self.played.turns)

    @property
    def lengths(self) -> dict[int, int]:
        """How many games took so many turns, those of all seats together."""
        return _counted(self.played.turns.sum(axis=1))

    def outcomes(self, seat: int = 0) -> dict[float, int]:
        """How many games brought a seat so much."""
        return _counted(self.played.outcome[:, seat])

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the rows: the game's number, then for each seat what it came to."""
        parts: list[tuple[str, type]] = [("outcome", float), ("luck", float), ("errors", float), ("others", float)]
        parts += [("decisions", int), ("turns", int)]
        names = [Column(f"{name}{seat}", kind) for seat in range(len(self.seats)) for name, kind in parts]
        return (Column("game", int), *names)

    def rows(self, progress: Callable[[float], None] = lambda done: None) -> Iterator[Row]:
        """Yield every game as a row."""
        played = self.played
        arrays = (played.outcome, played.luck, played.errors, played.others, played.decisions, played.turns)
        names = [column.name for column in self.columns]
        for game in range(self.games):
            told = [array[game, seat].item() for seat in range(len(self.seats)) for array in arrays]
            yield dict(zip(names, [game, *told], strict=True))
            progress((game + 1) / self.games)

    def to_frame(self) -> pandas.DataFrame:
        """Return the games as a pandas data frame (``pip install keepwise[arrow]``)."""
        require_library("pandas", "data frames need pandas", "arrow")
        import pandas

        return pandas.DataFrame(list(self.rows()), columns=[column.name for column in self.columns])

    def as_json(self) -> dict[str, Any]:
        """The result in the shape that scripts rely on; histograms as pairs of a value and a number of games."""
        told = {**self.head, "seats": [seat.as_json() for seat in self.seats], "length": asdict(self.length)}
        told["lengths"] = [list(pair) for pair in self.lengths.items()]
        if self.head["objective"] not in CHANCES:
            told["outcomes"] = [list(pair) for pair in self.outcomes().items()]
        return told


def collect(head: Mapping[str, Any], starts: list[float], policies: list[str], played: Games) -> Simulation:
    """Sum up what was played; ``starts``: what the start is worth to each seat, ``policies``: who sat there."""
    found = []
    for seat, (start, policy) in enumerate(zip(starts, policies, strict=True)):
        outcome, errors = _mean(played.outcome[:, seat]), _mean(played.errors[:, seat])
        wins = math.fsum(played.outcome[:, seat].tolist()) if head["objective"] in CHANCES else None
        decisions = int(played.decisions[:, seat].sum())
        lost = errors.mean * len(played.turns) / decisions if decisions else 0.0
        turns = float(played.turns[:, seat].sum()) / len(played.turns)
        rest = (_mean(played.luck[:, seat]), errors, _mean(played.others[:, seat]), decisions / len(played.turns))
        found.append(SeatResult(policy, outcome, wins, start, *rest, turns, lost))
    full = {**head, "generator": GENERATOR}
    return Simulation(full, tuple(found), _mean(played.turns.sum(axis=1)), played)


def _mean(values: Floats | Ints) -> Mean:
    """Exact sums: the same digits on every machine."""
    count, listed = len(values), values.tolist()
    mean = math.fsum(listed) / count
    spread = math.fsum((one - mean) ** 2 for one in listed) / max(1, count - 1)
    return Mean(mean, math.sqrt(spread / count))


def _counted(values: Floats | Ints) -> dict[Any, int]:
    return dict(sorted(Counter(values.tolist()).items()))
