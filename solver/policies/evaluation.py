"""Results of evaluations: the value of a policy beside the optimum."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..play.playable_game import Choice

Choose = Callable[[Any], Choice[Any]]  # a policy as a function of decision positions


@dataclass(frozen=True)
class Evaluation:
    """The value of a policy for the player who moves first, beside the value of optimal play.

    Attributes:
        value: the value of the policy.
        optimal: the value of optimal play in the same seat.
        loss: the difference; not below 0, because no policy beats optimal play except by rounding.
        error_bound: no value here is further from the true one.
        second: for several players, the two values for the player who moves second; else None.
        later: the two values for the players who move third and later.
    """

    value: float
    optimal: float
    loss: float
    error_bound: float
    second: tuple[float, float] | None = None
    later: tuple[tuple[float, float], ...] = ()

    @classmethod
    def from_values(
        cls, values: Iterable[float], optima: Iterable[float], bound: float, fewer: bool = False
    ) -> Evaluation:
        """Return the evaluation with these values.

        Args:
            values: the value of the policy in each seat, in turn order.
            optima: the value of optimal play in each seat.
            bound: the bound of all errors.
            fewer: True if smaller values are better.
        """
        (value, optimum), *other_seats = zip(values, optima, strict=True)
        loss = value - optimum if fewer else optimum - value
        second = other_seats[0] if other_seats else None
        return cls(value, optimum, max(0.0, loss), bound, second, tuple(other_seats[1:]))


@dataclass(frozen=True)
class Against:
    """Values of a policy against opponents whose policies are given.

    Attributes:
        values: the value for the player who moves first, second, ... in the round.
        error_bound: no value is further from the true one.
    """

    values: tuple[float, ...]
    error_bound: float
