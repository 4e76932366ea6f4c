"""Anderson mixing: faster fixed-point iteration for values that a sweep both reads and produces.

A sweep G maps a guess x to G(x), and x = G(x) is wanted. As long as no player changes a choice, G is affine. The next
guess is an affine combination of earlier results G(x_i). Its weights make the residuals G(x_i) - x_i cancel best, by
least squares (Anderson, Iterative procedures for nonlinear integral equations, J. ACM 1965).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..turns.push_turn import Doubles

PATIENCE = 8  # sweeps in a row that may fail to halve the smallest residual
LATE_PATIENCE = 256  # the same, for games in which a lost score changes values only after many sweeps
HISTORY = 8  # results that the next guess combines
MIN_INDEPENDENCE = 2.0**-30  # squared share of a residual change that earlier changes must leave, to be used
ROW_TERMS = 512  # terms of a row in a long inner product, whose rows are added up first
MIN_ROWS = 8  # products of no more rows are added up directly


def iterate_to_fixed_point(
    sweep: Callable[[Doubles], Doubles],
    guess: Doubles,
    tolerance: float,
    lower: Doubles | float = 0.0,
    upper: Doubles | float = 1.0,
    patience: int = PATIENCE,
) -> tuple[Doubles, float]:
    """Iterate a sweep with Anderson mixing until its residual is within the tolerance or stops falling.

    Args:
        sweep: maps a guess (unknowns,) to the values that it leads to; a fixed point is wanted.
        guess: (unknowns,) the first guess.
        tolerance: the residual at which to stop.
        lower: every guess is raised to this.
        upper: every guess is cut to this.
        patience: sweeps in a row that may fail to halve the smallest residual.

    Returns:
        A guess and the smallest residual. The guess is the next one if the tolerance was met, else the best one so far.
        The residual is the largest absolute change, relative to the largest value if that exceeds 1.
    """
    mixture = AndersonMixing()
    best_guess = guess
    best_residual = np.inf
    stalled_sweeps = 0  # in a row, since one halved the smallest residual
    while stalled_sweeps < patience and best_residual > tolerance:
        result = sweep(guess)
        change = result - guess
        scale = max(1.0, float(np.abs(result).max(initial=0.0)))
        residual = float(np.abs(change).max(initial=0.0)) / scale
        stalled_sweeps = 0 if residual < best_residual / 2 else stalled_sweeps + 1
        if residual < best_residual:
            best_residual = residual
            best_guess = guess
        guess = mixture.next_guess(result, change).clip(lower, upper)
    has_settled = best_residual <= tolerance
    return guess if has_settled else best_guess, best_residual


class AndersonMixing:
    """Anderson mixing over the last results of a fixed-point iteration.

    Attributes:
        history: the last results with their residuals, oldest first.
    """

    def __init__(self) -> None:
        self.history: list[tuple[Doubles, Doubles]] = []

    def next_guess(self, result: Doubles, residual: Doubles) -> Doubles:
        """Return the next guess, and remember the result.

        While choices do not change, results and residuals are affine in the guess. So a combination of changes since
        earlier results that would cancel the residual also moves the result to the fixed point. The guess is the result
        minus the combination that cancels most of the residual, by least squares.

        Args:
            result: (unknowns,) G(x) of the latest guess x.
            residual: (unknowns,) G(x) - x.

        Returns:
            (unknowns,) the guess; the result itself if there are no earlier ones.
        """
        basis = self._orthogonal_changes(result, residual)
        earlier_results = self.history[-(HISTORY - 1) :]
        self.history = [*earlier_results, (result, residual)]  # HISTORY results at most
        guess = result
        remaining_residual = residual
        # The changes of the residual are orthogonal, so the part along each can be taken away one after another.
        for result_change, residual_change in basis:
            factor = _projection(remaining_residual, residual_change)
            guess = guess - factor * result_change
            remaining_residual = remaining_residual - factor * residual_change
        return guess

    def _orthogonal_changes(self, result: Doubles, residual: Doubles) -> list[tuple[Doubles, Doubles]]:
        """Return changes since earlier results, combined so that those of the residual are orthogonal to each other.

        This is Gram-Schmidt orthogonalization, from the latest of the earlier results on. A change of the residual that
        is nearly a combination of those before it is left out, because what remains of it is mostly rounding.

        Args:
            result: (unknowns,) the latest result.
            residual: (unknowns,) its residual.

        Returns:
            Pairs of arrays (unknowns,): a change of the result, and the change of the residual that goes with it.
        """
        basis: list[tuple[Doubles, Doubles]] = []  # changes of the result and of the residual
        for earlier_result, earlier_residual in reversed(self.history):  # the latest first
            result_change = result - earlier_result
            residual_change = residual - earlier_residual
            squared_norm = _inner_product(residual_change, residual_change)
            # Take away the parts along the changes found before. Both changes go through the same steps.
            for basis_result, basis_residual in basis:
                factor = _projection(residual_change, basis_residual)
                result_change = result_change - factor * basis_result
                residual_change = residual_change - factor * basis_residual
            if _inner_product(residual_change, residual_change) > MIN_INDEPENDENCE * squared_norm:
                basis.append((result_change, residual_change))
        return basis


def _projection(vector: Doubles, direction: Doubles) -> float:
    """Return the factor by which a direction is multiplied in the orthogonal projection of a vector onto it."""
    return _inner_product(vector, direction) / _inner_product(direction, direction)


def _inner_product(first: Doubles, second: Doubles) -> float:
    """Return the inner product of two vectors, with the same bits on every machine.

    The products of the entries are added up without rounding (``math.fsum``), which does not depend on their order. For
    long vectors that is slow. So their products are first laid out in rows of ROW_TERMS, which are added up one after
    another. This order is also the same everywhere.
    """
    products = first * second
    if len(products) > MIN_ROWS * ROW_TERMS:
        row_count = len(products) // ROW_TERMS
        rows, remaining_products = np.split(products, [row_count * ROW_TERMS])
        column_sums = rows.reshape(row_count, ROW_TERMS).sum(axis=0)
        products = np.concatenate([column_sums, remaining_products])
    return math.fsum(products.tolist())
