"""What a policy is worth beside the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..play.playable_game import Choice

Choose = Callable[[Any], Choice[Any]]  # what somebody does in a position in which there is something to choose


@dataclass(frozen=True)
class Evaluation:
    """A policy's value, the optimum for the same question, what the policy loses, and the bound of the error of each.

    No policy beats the best, so a loss that rounding made negative is none.

    ``second``: for ``win``, the policy's chance when it moves second, and the optimum's; ``later``: the same for who
    moves third and later.
    """

    value: float
    optimal: float
    loss: float
    error_bound: float
    second: tuple[float, float] | None = None
    later: tuple[tuple[float, float], ...] = ()

    @classmethod
    def of(cls, values: Iterable[float], optima: Iterable[float], bound: float, fewer: bool = False) -> Evaluation:
        """Of what the policy and the best get in each seat; ``fewer``: where less is better."""
        (value, best), *others = zip(values, optima, strict=True)
        loss = value - best if fewer else best - value
        return cls(value, best, max(0.0, loss), bound, others[0] if others else None, tuple(others[1:]))


@dataclass(frozen=True)
class Against:
    """``values``: what the asked player gets who moves first, second, ... in the round; none is further than
    ``error_bound`` from the truth.
    """

    values: tuple[float, ...]
    error_bound: float
