"""Equilibria of cycles with mixed turns, over movers with random turns: what is found is checked by the definition."""

from __future__ import annotations

import numpy as np
import pytest

from keepwise.solvers.mixed_equilibria import ResponseLine, evaluate_cycles, find_equilibrium

SEATS = 3
TURNS = 6
ROUND = (191, 459, 492, 635, 760, 942, 1332, 2285)  # of 2,500 random cycles those where best replies go round
NEAR = 1e-9  # rounding of a few operations with numbers up to 1, over chances of at least one in twenty


def random_turns(seed):
    """By mover the turns to choose from: the chance of a zero turn and what else it brings each seat, from hers on."""
    rng = np.random.default_rng(seed)
    zero = rng.uniform(0.05, 0.95, (SEATS, TURNS))
    return [[(p, (1 - p) * rng.dirichlet(np.full(SEATS, 0.1))) for p in of] for of in zero]


def responding(turns):
    def respond(mover, worths):
        best = [max(turns[mover], key=lambda turn, z=z: turn[1][0] + turn[0] * z) for z in worths]
        return [ResponseLine(z, z, z, p, tuple(shares)) for z, (p, shares) in zip(worths, best, strict=True)]

    return respond


def worth_of(turns):
    """What each seat gets at each mover's turn, (movers, seats), as one system of linear equations."""
    size = SEATS * SEATS
    matrix, right = np.eye(size), np.zeros(size)
    for mover, (zero, shares) in enumerate(turns):
        for seat in range(SEATS):
            matrix[mover * SEATS + seat, (mover + 1) % SEATS * SEATS + seat] -= zero
            right[mover * SEATS + seat] = shares[(seat - mover) % SEATS]
    return np.linalg.solve(matrix, right).reshape(SEATS, SEATS)


@pytest.mark.parametrize("seed", [*range(8), *ROUND])
def test_find_equilibrium_returns_best_responses(seed):
    turns, mixing = random_turns(seed), 0
    respond = responding(turns)
    found = find_equilibrium(respond, np.full(SEATS, 0.5), range(SEATS))
    worth = worth_of([(line.zero_probability, line.shares) for line, _ in found.turns])
    assert np.abs(worth - found.values).max() < NEAR
    for mover, (line, mix) in enumerate(found.turns):
        z = worth[(mover + 1) % SEATS, mover]
        values = [shares[0] + p * z for p, shares in turns[mover]]
        assert max(values) - worth[mover, mover] < NEAR  # nothing is better
        low, high = (respond(mover, [at])[0] for at in (mix.lower_zero_value, mix.upper_zero_value))
        assert 0 <= mix.upper_probability < 1
        assert line.zero_probability == pytest.approx(
            (1 - mix.upper_probability) * low.zero_probability + mix.upper_probability * high.zero_probability, abs=NEAR
        )
        mixing += mix.upper_probability > 0
    assert mixing >= (2 if seed in ROUND else 0)


def test_endless_cycles_are_worth_zero():
    """Two cycles at once: in one nobody ever moves on; in the other the second mover wins half of the time."""
    shares = np.zeros((2, 2, 2))
    shares[1, 0, 1] = 0.5
    assert evaluate_cycles(np.array([[1.0, 1.0], [1.0, 0.5]]), shares).tolist() == [[[0, 0], [0, 1]], [[0, 0], [0, 1]]]
