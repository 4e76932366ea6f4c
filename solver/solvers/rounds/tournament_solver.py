"""Retrograde analysis of rounds of several players, and the evaluation of a policy of one of two players.

Each turn is solved for the mover's payoff; the other seats' payoffs are carried along its choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate, product
from operator import mul

import numpy as np

from ...games.round_rules import RoundTurn
from ...util.progress_reporting import ProgressCallback
from .problem import Floats, Ints, solve_lanes, zero_score_probability
from .tournament_model import ANY_ROUND, Arrays, TournamentModel

LANES_PER_CALL = 1 << 16  # turns that are solved together; more would only take more memory


def solve_rounds(model: TournamentModel, progress: ProgressCallback) -> dict[str, Floats]:
    """Solve a fixed number of rounds (``match=rounds``): the last round first, and in a round the last seat first.

    Args:
        model: the states and their transitions.
        progress: called with the fraction that is done.

    Returns:
        For each round and seat the values of all seats before the seat plays: (players, differences, ..), by the
        differences of the totals to that of seat 0 (see ``TournamentModel.array_shapes``).
    """
    arrays: dict[str, Floats] = {}
    turn_count = model.rounds * model.players
    for round_, seat in product(reversed(range(model.rounds)), reversed(range(model.players))):
        arrays[model.array_name(round_, seat)] = _solve_differences(model, arrays, round_, seat)
        progress(len(arrays) / turn_count)
    return arrays


def _solve_differences(model: TournamentModel, arrays: Arrays, round_: int, seat: int) -> Floats:
    """Return the values of all seats before one seat plays in one of a fixed number of rounds.

    Args:
        model: the states and their transitions.
        arrays: the value arrays of all later turns.
        round_: the round, counted from 0.
        seat: the seat to play.

    Returns:
        (players, differences, .., differences), by the differences of the totals of seats 1, 2, ... to that of seat 0.
    """
    players = model.players
    max_difference = model.max_difference(round_, seat)
    differences = np.arange(-max_difference, max_difference + 1)
    # Only differences to the total of seat 0 matter, so that total is 0 and the others are the differences.
    axes = [np.zeros(1, dtype=np.int64), *[differences] * (players - 1)]  # the totals of each seat
    totals = np.array(np.meshgrid(*axes, indexing="ij")).reshape(players, -1)  # (players, states)
    state_count = totals.shape[1]
    values = np.empty((players, state_count))
    for first in range(0, state_count, LANES_PER_CALL):
        lanes = slice(first, first + LANES_PER_CALL)
        payoffs = model.score_payoffs(arrays, round_, seat, totals[:, lanes])
        values[:, lanes] = _solve_turns(model, payoffs, seat)
    return values.reshape(players, *[len(differences)] * (players - 1))


def solve_first_to(model: TournamentModel, progress: ProgressCallback) -> dict[str, Floats]:
    """Solve rounds until a total has reached the target (``match=first_to``), by layers.

    Args:
        model: the states and their transitions.
        progress: called with the fraction that is done.

    Returns:
        For each seat the values of all seats before the seat plays: (players, totals, .., totals), by the totals of
        all seats (see ``TournamentModel.array_shapes``).
    """
    arrays = {name: np.zeros(shape) for name, shape in model.array_shapes().items()}
    zero_probability = zero_score_probability(model.rules)
    max_total = model.target - 1 + model.rules.max_score  # nobody who has reached the target has another turn
    layer_count = model.players * max_total + 1  # sums of totals from 0 on
    for number, totals in enumerate(_layers(model.players, max_total), 1):
        _solve_layer(model, arrays, totals, zero_probability)
        progress(number / layer_count)
    return arrays


def _layers(players: int, max_total: int) -> Iterator[Ints]:
    """Yield the totals (players, states) of every layer: all states whose totals have one sum.

    Scores lead to larger sums, so the layers are yielded from the largest sum down to 0.

    Args:
        players: the number of players.
        max_total: the largest total of a player.
    """
    totals = np.indices([max_total + 1] * players).reshape(players, -1)  # (players, all states)
    sums = totals.sum(axis=0)
    states_by_sum = np.argsort(sums, kind="stable")
    # The states whose totals sum to s are states_by_sum[sum_starts[s] : sum_starts[s + 1]].
    max_sum = players * max_total
    sum_starts = np.searchsorted(sums[states_by_sum], np.arange(max_sum + 2))
    for total_sum in reversed(range(max_sum + 1)):
        yield totals[:, states_by_sum[sum_starts[total_sum] : sum_starts[total_sum + 1]]]


def _solve_layer(model: TournamentModel, arrays: dict[str, Floats], totals: Ints, zero_probability: float) -> None:
    """Solve the states of one layer: those whose totals have one sum. Scores from 1 on lead to solved layers.

    If nobody scores, the round is repeated. Let p be the probability of score 0. With m players the value x of the
    round's start is x = a + p^m x. Here a is its value if the repeated round paid 0, so x = a / (1 - p^m). With k turns
    of the round to come, the repeated round adds p^k x to the value.

    Args:
        model: the states and their transitions.
        arrays: the value arrays; the entries of the layer are filled.
        totals: (players, states), the totals of the layer.
        zero_probability: the probability p of score 0.
    """
    players = model.players
    is_over = totals.max(axis=0) >= model.target  # after this round, which is then not repeated
    # First the values if the repeated round paid 0: (players, states) before each seat plays. Score 0 leaves the totals
    # as they are. So it pays the values before the next seat plays, and after the last seat those of the end, or 0.
    values_without_repeat: dict[int, Floats] = {}
    zero_payoff = np.where(is_over, model.final_values(totals), 0.0)
    for seat in reversed(range(players)):
        zero_payoff = _solve_layer_turns(model, arrays, totals, seat, zero_payoff)
        values_without_repeat[seat] = zero_payoff
    # Now the repeated round is added. The powers are products, because the power function gives different bits on
    # different machines.
    powers = list(accumulate([zero_probability] * players, mul))  # p, p^2, .., p^m
    start_values = values_without_repeat[0] / (1 - powers[-1])  # x = a / (1 - p^m)
    for seat, values in values_without_repeat.items():
        turns_to_come = players - seat  # k
        with_repeat = values + powers[turns_to_come - 1] * start_values
        arrays[model.array_name(ANY_ROUND, seat)][(slice(None), *totals)] = np.where(is_over, values, with_repeat)


def _solve_layer_turns(model: TournamentModel, arrays: Arrays, totals: Ints, seat: int, zero_payoff: Floats) -> Floats:
    """Return the values of a layer's states before a seat plays, for given payoffs of score 0 (``match=first_to``).

    Args:
        model: the states and their transitions.
        arrays: the value arrays; those of the layers with larger sums are read.
        totals: (players, states), the totals of the layer.
        seat: the seat to play.
        zero_payoff: (players, states), what score 0 pays.

    Returns:
        (players, states); 0 for totals that cannot occur.
    """
    values = np.zeros((model.players, totals.shape[1]))
    # Seats that have not played in this round are below the target; otherwise the game would have ended before it.
    possible_states = np.flatnonzero((totals[seat:] < model.target).all(axis=0))
    for first in range(0, len(possible_states), LANES_PER_CALL):
        states = possible_states[first : first + LANES_PER_CALL]
        payoffs = model.score_payoffs(arrays, ANY_ROUND, seat, totals[:, states], zero_payoff[:, states])
        values[:, states] = _solve_turns(model, payoffs, seat)
    return values


def _solve_turns(model: TournamentModel, payoffs: Floats, seat: int) -> Floats:
    """Return the values of turns for all seats.

    Args:
        model: the model, which has the compiled turn.
        payoffs: (players, scores, lanes), what each score pays each seat.
        seat: the seat that plays, whose own payoff is maximized.

    Returns:
        (players, lanes).
    """
    opponents = [opponent for opponent in range(model.players) if opponent != seat]
    channel_seats = [seat, *opponents]  # the kernel maximizes channel 0
    values = np.empty((model.players, payoffs.shape[2]))
    values[channel_seats] = solve_lanes(model.rules, payoffs[channel_seats])
    return values


def evaluate_policy(
    model: TournamentModel, arrays: Arrays, policy: RoundTurn, seat: int, last_turns: Mapping[int, RoundTurn]
) -> float:
    """Return the probability to win of a policy against optimal play, for two players and ``match=rounds``.

    A tie after the last round leads to a playoff, which is a last round with equal totals and may lead to another one.
    Let f(y) be the value of such a round if a tie pays y. It is linear, so the value x of a playoff solves
    x = f(x) = f(0) + (f(1) - f(0)) x.

    Args:
        model: the states and their transitions.
        arrays: the values of optimal play.
        policy: the turn as the policy plays it: a compiled turn in which no choice is left.
        seat: the seat that plays the policy.
        last_turns: turns that seat 1 plays instead of ``policy`` in the last turn of the game, by its deficit.
    """
    evaluation = _PolicyEvaluation(model, arrays, policy, seat, last_turns)
    last_round = model.rounds - 1
    value_if_tie_loses = evaluation.value_from(last_round, tie_payoff=0.0)
    value_if_tie_wins = evaluation.value_from(last_round, tie_payoff=1.0)
    playoff_value = value_if_tie_loses / (1 - (value_if_tie_wins - value_if_tie_loses))
    return evaluation.value_from(0, tie_payoff=playoff_value)


class _PolicyEvaluation:
    """The evaluation of a policy for several payoffs of a tie; the arguments are those of ``evaluate_policy``.

    Its arrays have the shape (1, differences): the policy's probability to win, by the difference of the totals of seat
    1 and seat 0 from ``-max_difference`` to ``max_difference``.

    Attributes:
        model: the states and their transitions.
        arrays: the values of optimal play, by name.
        policy: the turn as the policy plays it.
        seat: the seat that plays the policy.
        last_turns: turns that seat 1 plays instead of ``policy`` in the last turn of the game, by its deficit.
    """

    def __init__(
        self,
        model: TournamentModel,
        arrays: Arrays,
        policy: RoundTurn,
        seat: int,
        last_turns: Mapping[int, RoundTurn],
    ) -> None:
        """Store what an evaluation needs.

        Args:
            model: the states and their transitions.
            arrays: the values of optimal play, by name.
            policy: the turn as the policy plays it: a compiled turn in which no choice is left.
            seat: the seat that plays the policy.
            last_turns: turns that seat 1 plays instead of ``policy`` in the last turn of the game, by its deficit. At a
                deficit that is not a key it plays ``policy``.
        """
        self.model = model
        self.arrays = arrays
        self.policy = policy
        self.seat = seat
        self.last_turns = last_turns

    def value_from(self, first_round: int, tie_payoff: float) -> float:
        """Return the policy's probability to win from the start of a round with equal totals.

        Args:
            first_round: the round, counted from 0.
            tie_payoff: what a tie after the last round is worth to the policy.
        """
        model = self.model
        policy_values: dict[str, Floats] = {}  # (1, differences), by the name of the value array of the same states
        rounds_from_last = reversed(range(first_round, model.rounds))
        for round_, mover in product(rounds_from_last, (1, 0)):
            values = self._turn_values(policy_values, round_, mover, tie_payoff)
            policy_values[model.array_name(round_, mover)] = values
        start_values = policy_values[model.array_name(first_round, 0)]
        equal_totals = model.max_difference(first_round, 0)  # the index of difference 0
        return float(start_values[0, equal_totals])

    def _turn_values(self, policy_values: Mapping[str, Floats], round_: int, mover: int, tie_payoff: float) -> Floats:
        """Return the policy's values before a turn, by the difference of the totals: (1, differences).

        Args:
            policy_values: the policy's values before all later turns, by array name.
            round_: the round, counted from 0.
            mover: the seat to play, which follows the policy or plays optimally.
            tie_payoff: what a tie after the last round is worth to the policy.
        """
        model = self.model
        max_difference = model.max_difference(round_, mover)
        differences = np.arange(-max_difference, max_difference + 1)
        totals = np.stack((np.zeros_like(differences), differences))  # (players, differences)
        is_last_turn = mover == 1 and round_ + 1 == model.rounds
        if is_last_turn:
            payoffs = self._final_payoffs(differences, tie_payoff)
        else:
            # (1, scores, differences): ``policy_values`` are those of one seat.
            payoffs = model.score_payoffs(policy_values, round_, mover, totals)
        if mover == self.seat:
            return self._policy_turn_values(payoffs, max_difference, is_last_turn)
        # The value table gives (players, scores, differences), of which the opponent's are read.
        opponent_payoffs = model.score_payoffs(self.arrays, round_, mover, totals)[mover]
        # The opponent maximizes channel 0. Channel 1 is what that leaves to the policy.
        channels = np.concatenate((opponent_payoffs[None], payoffs))
        return solve_lanes(model.rules, channels)[1:]

    def _final_payoffs(self, differences: Ints, tie_payoff: float) -> Floats:
        """Return what each last score of seat 1 pays the policy: (1, scores, differences).

        Args:
            differences: (differences,), the total of seat 1 minus that of seat 0 before the last turn.
            tie_payoff: what a tie pays the policy.
        """
        scores = np.arange(self.model.rules.max_score + 1)
        lead_of_seat_1 = differences + scores[:, None]
        lead = lead_of_seat_1 if self.seat == 1 else -lead_of_seat_1
        payoffs = np.where(lead > 0, 1.0, 0.0)
        payoffs[lead == 0] = tie_payoff
        return payoffs[None]

    def _policy_turn_values(self, payoffs: Floats, max_difference: int, is_last_turn: bool) -> Floats:
        """Return the policy's values before a turn that it plays, by the difference before it: (1, differences).

        Args:
            payoffs: (1, scores, differences), what each score pays the policy.
            max_difference: the largest difference. Differences are the lanes: from ``-max_difference`` in lane 0 to 0
                in lane ``max_difference``, and so on.
            is_last_turn: whether the turn is the last one of the game. Seat 1 plays it, by ``last_turns`` in the lanes
                of their deficits.
        """
        score_count = self.policy.max_score + 1  # a policy may never make the highest scores
        values = solve_lanes(self.policy, payoffs[:, :score_count])
        if not is_last_turn:
            return values
        for deficit, turn in self.last_turns.items():
            lane = max_difference - deficit
            if lane < 0:  # nobody can be so far behind
                continue
            lane_payoffs = payoffs[:, : turn.max_score + 1, [lane]]
            values[:, [lane]] = solve_lanes(turn, lane_payoffs)
        return values
