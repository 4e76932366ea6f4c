"""What a policy is worth beside the best."""

from __future__ import annotations

from dataclasses import dataclass


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
