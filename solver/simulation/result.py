"""Results of simulated games: means with standard errors, luck and errors by seat, and a row for every game."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..answers.row_blocks import Column, Row, RowBlock, RowEncoder
from ..util.number_format import PROBABILITY_OBJECTIVES
from ..util.optional_imports import require_library
from ..util.progress_reporting import ProgressCallback
from .games import GENERATOR, Games

if TYPE_CHECKING:
    import pandas

    from .turns import Floats, Ints


@dataclass(frozen=True)
class Mean:
    """A mean over all games.

    Attributes:
        mean: the mean.
        se: its standard error.
    """

    mean: float
    se: float


@dataclass(frozen=True)
class SeatResult:
    """Results of one seat.

    Attributes:
        policy: the name of the policy.
        outcome: what the seat got in a game.
        wins: number of games won, or the sum of its shares of wins; None if the objective is not a chance.
        start: the value of the start under optimal play.
        luck: sum over all rolls of the change of the seat's value.
        errors: total loss of the seat's own decisions.
        others: effect of the other seats' errors.
        decisions: mean number of decisions in a game, forced ones not counted.
        turns: mean number of turns in a game.
        mean_error: mean loss of a decision.
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
        """Return the results of the seat as JSON data."""
        data: dict[str, Any] = {"policy": self.policy}
        if self.wins is not None:
            data["wins"] = self.wins
        data |= asdict(self.outcome) | {"start": self.start}
        for name in ("luck", "errors", "others"):
            amount: Mean = getattr(self, name)
            data |= {name: amount.mean, f"{name}_se": amount.se}
        return data | {"decisions": self.decisions, "turns": self.turns, "mean_error": self.mean_error}


@dataclass(frozen=True, eq=False)
class Simulation:
    """Results of simulated games.

    Attributes:
        head: the problem, the seed, the random generator and the policies.
        seats: results by seat.
        length: number of turns of a game, of all seats together.
        played: results of every game, as arrays of shape (games, seats).
    """

    head: Mapping[str, Any]
    seats: tuple[SeatResult, ...]
    length: Mean
    played: Games = field(repr=False)

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.played.turns)

    @property
    def lengths(self) -> dict[int, int]:
        """Number of games by number of turns, of all seats together."""
        return _count_values(self.played.turns.sum(axis=1))

    def outcomes(self, seat: int = 0) -> dict[float, int]:
        """Return the number of games by outcome of a seat."""
        return _count_values(self.played.outcome[:, seat])

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of ``rows``: the number of the game, then the results of each seat."""
        parts: list[tuple[str, type]] = [("outcome", float), ("luck", float), ("errors", float), ("others", float)]
        parts += [("decisions", int), ("turns", int)]
        names = [Column(f"{name}{seat}", kind) for seat in range(len(self.seats)) for name, kind in parts]
        return (Column("game", int), *names)

    def rows(self, progress: ProgressCallback = lambda share: None) -> Iterator[Row]:
        """Yield every game as a row."""
        games = self.played
        arrays = (games.outcome, games.luck, games.errors, games.others, games.decisions, games.turns)
        names = [column.name for column in self.columns]
        for game in range(self.games):
            results = [array[game, seat].item() for seat in range(len(self.seats)) for array in arrays]
            yield dict(zip(names, [game, *results], strict=True))
            progress((game + 1) / self.games)

    def blocks(self, progress: ProgressCallback = lambda share: None) -> Iterator[RowBlock]:
        """Yield the games as blocks of rows."""
        return RowEncoder(self.columns).blocks(self.rows(progress))

    def to_frame(self) -> pandas.DataFrame:
        """Return the games as a pandas data frame (``pip install keepwise[arrow]``)."""
        require_library("pandas", "data frames need pandas", "arrow")
        import pandas

        return pandas.DataFrame(list(self.rows()), columns=[column.name for column in self.columns])

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON data; histograms are pairs of a value and a number of games."""
        data = {**self.head, "seats": [seat.as_json() for seat in self.seats], "length": asdict(self.length)}
        data["lengths"] = [list(pair) for pair in self.lengths.items()]
        if self.head["objective"] not in PROBABILITY_OBJECTIVES:
            data["outcomes"] = [list(pair) for pair in self.outcomes().items()]
        return data


def summarize_games(head: Mapping[str, Any], starts: list[float], policies: list[str], games: Games) -> Simulation:
    """Return the results of simulated games as means with standard errors.

    Args:
        head: the problem, the seed and the policies.
        starts: the value of the start for each seat.
        policies: the name of the policy of each seat.
        games: the results of every game.
    """
    is_chance = head["objective"] in PROBABILITY_OBJECTIVES
    seats = tuple(
        _seat_result(games, seat, start, policy, is_chance)
        for seat, (start, policy) in enumerate(zip(starts, policies, strict=True))
    )
    return Simulation({**head, "generator": GENERATOR}, seats, _mean(games.turns.sum(axis=1)), games)


def _seat_result(results: Games, seat: int, start: float, policy: str, is_chance: bool) -> SeatResult:
    """Return the results of one seat as means over all games.

    Args:
        results: the results of every game.
        seat: the seat.
        start: its value at the start of a game.
        policy: the name of its policy.
        is_chance: whether outcomes are wins or shares of wins, which are counted.
    """
    games = len(results.turns)
    errors = _mean(results.errors[:, seat])
    decisions = int(results.decisions[:, seat].sum())
    return SeatResult(
        policy=policy,
        outcome=_mean(results.outcome[:, seat]),
        wins=math.fsum(results.outcome[:, seat].tolist()) if is_chance else None,
        start=start,
        luck=_mean(results.luck[:, seat]),
        errors=errors,
        others=_mean(results.others[:, seat]),
        decisions=decisions / games,
        turns=float(results.turns[:, seat].sum()) / games,
        mean_error=errors.mean * games / decisions if decisions else 0.0,
    )


def _mean(values: Floats | Ints) -> Mean:
    """Return the mean of some numbers and its standard error.

    The sums are exact before they are rounded, so all digits are the same on every machine.
    """
    count = len(values)
    numbers = values.tolist()
    mean = math.fsum(numbers) / count
    variance = math.fsum((number - mean) ** 2 for number in numbers) / max(1, count - 1)
    return Mean(mean, math.sqrt(variance / count))


def _count_values(values: Floats | Ints) -> dict[Any, int]:
    """Return the number of occurrences of each value, in order of the values."""
    return dict(sorted(Counter(values.tolist()).items()))
