"""Retrograde analysis of rounds of several players, and the evaluation of a policy of one of two players.

Each turn is solved for the mover's payoff; the other seats' payoffs are carried along its choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, product
from operator import mul

import numpy as np

from ...games.rounds import RoundTurn
from ..problem import Progress
from .problem import Floats, Ints, solve_lanes
from .tournament_model import Arrays, TournamentModel

LANES_PER_CALL = 1 << 16


def solve_rounds(model: TournamentModel, progress: Progress) -> dict[str, Floats]:
    """Solve ``match=rounds``: the last round first, and in a round the last seat first.

    Returns:
        The arrays of ``TournamentModel.array_shapes``.
    """
    arrays: dict[str, Floats] = {}
    players = model.players
    for round_ in range(model.rounds - 1, -1, -1):
        for seat in range(players - 1, -1, -1):
            max_difference = model.max_difference(round_, seat)
            differences = np.arange(-max_difference, max_difference + 1)
            # Totals are written as differences to that of seat 0.
            grid = np.array(np.meshgrid([0], *[differences] * (players - 1), indexing="ij"))
            totals = grid.reshape(players, -1)
            values = np.empty((players, totals.shape[1]))
            for first in range(0, totals.shape[1], LANES_PER_CALL):
                lanes = slice(first, first + LANES_PER_CALL)
                payoffs = model.score_payoffs(arrays, round_, seat, totals[:, lanes])
                values[:, lanes] = _solve_turns(model, payoffs, seat)
            arrays[model.array_name(round_, seat)] = values.reshape(players, *grid.shape[2:])
            progress(len(arrays) / (model.rounds * players))
    return arrays


def solve_first_to(model: TournamentModel, progress: Progress) -> dict[str, Floats]:
    """Solve ``match=first_to`` by layers: all states whose totals have one sum, the largest sum first.

    Returns:
        The arrays of ``TournamentModel.array_shapes``.
    """
    arrays = {name: np.zeros(shape) for name, shape in model.array_shapes().items()}
    zero_probability = _zero_probability(model.rules)
    size = model.target + model.rules.most
    totals = np.indices([size] * model.players).reshape(model.players, -1)
    sums = totals.sum(axis=0)
    order = np.argsort(sums, kind="stable")
    layer_starts = np.searchsorted(sums[order], np.arange(sums.max() + 2))
    for layer in range(int(sums.max()), -1, -1):
        states = totals[:, order[layer_starts[layer] : layer_starts[layer + 1]]]
        _solve_layer(model, arrays, states, zero_probability)
        progress(1 - layer / sums.max())
    return arrays


def _zero_probability(rules: RoundTurn) -> float:
    """Return the probability of score 0, which is the same for every policy: no trio is thrown."""
    is_zero = np.zeros((1, rules.most + 1, 1))
    is_zero[0, 0] = 1
    return float(solve_lanes(rules, is_zero)[0, 0])


def _solve_layer(model: TournamentModel, arrays: dict[str, Floats], totals: Ints, zero_probability: float) -> None:
    """Solve the states of one layer, whose scores from 1 on lead to layers that are solved.

    If nobody scores, the round begins again. Let p be the probability of score 0. With m players the value x of the
    round's start is x = a + p^m x. Here a is its value if the new round paid 0, so x = a / (1 - p^m). A seat with k
    players from it on adds p^k x to its own value.

    Args:
        model: the model.
        arrays: the value arrays; those of the layer are filled.
        totals: (players, states), the totals of the layer.
        zero_probability: the probability of score 0.
    """
    players = model.players
    is_over = totals.max(axis=0) >= model.target
    zero_payoff = np.where(is_over, model.final_values(totals), 0.0)  # after the last seat
    values_by_seat: list[Floats] = []  # the last seat first
    for seat in range(players - 1, -1, -1):
        # Seats that have not played in this round are below the target.
        lanes = np.flatnonzero((totals[seat:] < model.target).all(axis=0))
        values = np.zeros((players, totals.shape[1]))
        for first in range(0, len(lanes), LANES_PER_CALL):
            part = lanes[first : first + LANES_PER_CALL]
            payoffs = model.score_payoffs(arrays, 0, seat, totals[:, part], zero_payoff[:, part])
            values[:, part] = _solve_turns(model, payoffs, seat)
        zero_payoff = values
        values_by_seat.append(values)
    # The probabilities that 1, 2, ... players score 0, by multiplication: powers differ between machines.
    all_zero = list(accumulate([zero_probability] * players, mul))
    start_values = values_by_seat[-1] / (1 - all_zero[-1])
    for seat, values, repeats in zip(range(players - 1, -1, -1), values_by_seat, all_zero, strict=True):
        final = np.where(is_over, values, values + repeats * start_values)
        arrays[model.array_name(0, seat)][(slice(None), *totals)] = final


def _solve_turns(model: TournamentModel, payoffs: Floats, seat: int) -> Floats:
    """Return the values (players, lanes) of turns of ``seat`` for payoffs (players, scores, lanes)."""
    order = [seat, *(opponent for opponent in range(model.players) if opponent != seat)]
    values = np.empty((model.players, payoffs.shape[2]))
    values[order] = solve_lanes(model.rules, payoffs[order])
    return values


def evaluate_policy(
    model: TournamentModel, arrays: Arrays, policy: RoundTurn, seat: int, last_turns: Mapping[int, RoundTurn]
) -> float:
    """Return the probability to win of a policy against optimal play, for two players and ``match=rounds``.

    A playoff is a last round with equal totals, so its value x is a linear function of the value of the next playoff:
    x = f(0) + (f(1) - f(0)) x.

    Args:
        model: the model.
        arrays: the values of optimal play.
        policy: the compiled turn of the policy.
        seat: the seat that plays it.
        last_turns: by the points that seat 1 is behind in the last turn, the compiled turn to play instead.
    """
    evaluation = _PolicyEvaluation(model, arrays, policy, seat, last_turns)
    lost, won = (evaluation.value_from(model.rounds - 1, playoff_value) for playoff_value in (0.0, 1.0))
    return evaluation.value_from(0, lost / (1 - (won - lost)))


class _PolicyEvaluation:
    """The evaluation of a policy for several values of a playoff; the arguments are those of ``evaluate_policy``."""

    def __init__(
        self,
        model: TournamentModel,
        arrays: Arrays,
        policy: RoundTurn,
        seat: int,
        last_turns: Mapping[int, RoundTurn],
    ) -> None:
        self.model, self.arrays, self.policy, self.seat, self.last_turns = model, arrays, policy, seat, last_turns

    def value_from(self, first: int, playoff_value: float) -> float:
        """Return the policy's probability to win from the start of round ``first`` with equal totals."""
        model = self.model
        chances: dict[str, Floats] = {}  # by state, as the arrays of the model: (1, differences)
        for round_, mover in product(range(model.rounds - 1, first - 1, -1), (1, 0)):
            max_difference = model.max_difference(round_, mover)
            differences = np.arange(-max_difference, max_difference + 1)
            totals = np.stack((np.zeros(2 * max_difference + 1, dtype=np.int64), differences))
            is_last = mover == 1 and round_ + 1 == model.rounds
            if is_last:
                payoffs = self._final_payoffs(differences, playoff_value)
            else:
                payoffs = model.score_payoffs(chances, round_, mover, totals)
            if mover == self.seat:
                chance = self._follow(payoffs, max_difference, is_last)
            else:
                optimal = model.score_payoffs(self.arrays, round_, mover, totals)[mover]
                chance = solve_lanes(model.rules, np.concatenate((optimal[None], payoffs)))[1:]
            chances[model.array_name(round_, mover)] = chance
        return float(chances[model.array_name(first, 0)][0, model.max_difference(first, 0)])

    def _final_payoffs(self, differences: Ints, playoff_value: float) -> Floats:
        """Return what each last score of seat 1 pays the policy: (1, scores, differences)."""
        lead = (differences + np.arange(self.model.rules.most + 1)[:, None]) * (1 if self.seat else -1)
        payoffs: Floats = ((lead > 0) + playoff_value * (lead == 0))[None]
        return payoffs

    def _follow(self, payoffs: Floats, max_difference: int, is_last: bool) -> Floats:
        """Return the value of a turn of the policy: (1, differences)."""
        chance = solve_lanes(self.policy, payoffs[:, : self.policy.most + 1])
        for points, turn in self.last_turns.items() if is_last else ():
            lane = [max(0, max_difference - points)]
            chance[:, lane] = solve_lanes(turn, payoffs[:, : turn.most + 1, lane])
        return chance
