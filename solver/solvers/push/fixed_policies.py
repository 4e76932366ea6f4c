"""Evaluation of races in which the policies of all players, or of all but one, are fixed.

The transition model of a race is repeated once for each player: each state is the turn of the player whose value is
wanted, of the next player, and so on. A player

- follows limits (``LimitsPolicy``);
- decides by a value table, whatever the others do (``TablePolicy``);
- or plays a best response to the others (None), which only the player whose value is wanted can do.

V is the value of that one player, so cycles of zero turns are as long as the round. If all policies are fixed, every
turn is linear in the payoffs of its endings, and the solve is a policy evaluation.

Start reading at ``FixedPolicyModel.solve_turns``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import SPECIALS
from ...turns.push_turn import Caps, Decisions, Doubles, PushTurn, TurnValue
from ..model import Ints, TakeoverOffers, TransitionModel, Transitions, TurnWorkers, split_lanes
from .model import PushModel, group_by_descending_keys

LANES_PER_CALL = 1024  # turns that are evaluated in one call


@dataclass(frozen=True)
class LimitsPolicy:
    """The policy of a player who follows limits.

    Attributes:
        decided: returns the decisions in a turn, by the own score and the opponent's score (0 unless there is exactly
            one opponent): (rows of the largest cap, modes + classes, 1). Turns with equal decisions share one array.
    """

    decisions: Callable[[int, int], Decisions]


@dataclass(frozen=True)
class TablePolicy:
    """The policy of a player who decides by a value table.

    Attributes:
        paying: returns the payoffs that decide the turns of some states, with banks up to a cap. These are three arrays
            by lane: the index of its state, the probability that the turn is played this way, and the payoffs of the
            endings (endings, lanes).
        best: returns the values of states by the table, to decide whether an offer is taken over.
    """

    deciding_payoffs: Callable[[Ints, int], tuple[Ints, Doubles, Doubles]]
    values: Callable[[Ints], Doubles]


FixedPolicy = LimitsPolicy | TablePolicy | None


class _Evaluated(NamedTuple):
    """The turns of a block as linear functions of the payoffs of zero turns.

    Attributes:
        value: value and probability of a zero turn (channels, lanes).
        zero_payoffs: the payoff of the zero turn of each lane.
    """

    value: Doubles
    zero_payoffs: Doubles

    def write(self, value: Doubles, lanes: Ints, zero_payoffs: Doubles) -> None:
        """Write the values in ``lanes`` for new payoffs of zero turns."""
        value[:, lanes] = self.value[:, lanes]
        value[0, lanes] += self.value[1, lanes] * (zero_payoffs - self.zero_payoffs)[lanes]


class FixedPolicyModel(TransitionModel):
    """Equations for the value of one player against given policies.

    Args:
        plain: the equations of the game.
        plays: the policies of the player whose value is wanted, and of the others in turn order.
    """

    seats = 1

    def __init__(self, model: PushModel, policies: Sequence[FixedPolicy]) -> None:
        self.model, self.policies = model, policies
        self.stake, self.constant_error = model.stake, model.constant_error
        self.state_count, self.has_fixed_choices = model.state_count * len(policies), None not in policies
        self._evaluated: _Evaluated | None = None  # of the last call of solve_turns
        # The states of the last block, and the payoffs that decide its turns by player (``TablePolicy.paying``).
        self._block = np.empty(0, dtype=np.int64)
        self._block_payoffs: dict[int, tuple[Ints, Doubles, Doubles]] = {}

    @property
    def turn(self) -> PushTurn:
        """The turn model of the game."""
        return self.model.turn

    @property
    def value_range(self) -> tuple[float, float]:
        """The smallest and the largest possible value."""
        return self.model.value_range

    @property
    def max_cap(self) -> int:
        """The largest of all caps."""
        return self.model.max_cap

    @property
    def has_cyclic_components(self) -> bool:
        """True if a score can fall."""
        return self.model.has_cyclic_components

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield the components of the game, each for all players to move."""
        movers = range(len(self.policies))
        for blocks in self.model.components():
            yield [np.concatenate([states + mover * self.model.state_count for mover in movers]) for states in blocks]

    def caps(self, states: Ints) -> Caps:
        """Return the number of turn points at which the table of each turn ends."""
        return self.model.caps(states % self.model.state_count)

    def transitions(self, states: Ints) -> Transitions:
        """Return the game's transitions to the next player's turn; a win of another player pays nothing."""
        mover, plain = np.divmod(states, self.model.state_count)
        # Blocks repeat the same states for every player to move, whose transitions are computed only once.
        repeats = len(self.policies) if len(plain) % len(self.policies) == 0 else 1
        if (plain.reshape(repeats, -1) != plain[: len(plain) // repeats]).any():
            repeats = 1
        once = self.model.transitions(plain[: len(plain) // repeats])
        transitions = Transitions(np.tile(once.constant, repeats), np.tile(once.state, repeats))
        if self.model.dice:
            takes_nothing_over = np.array([isinstance(play, LimitsPolicy) for play in self.policies])
            self._discard_dice(transitions, takes_nothing_over[mover - len(self.policies) + 1])
        next_mover = (mover + 1) % len(self.policies)
        state = np.where(transitions.state >= 0, transitions.state + next_mover * self.model.state_count, -1)
        is_others_constant = (mover > 0) & (transitions.state < 0) & (transitions.constant >= 0)
        constant = np.where(is_others_constant, self.stake - transitions.constant, transitions.constant)
        return Transitions(constant, state)

    def _discard_dice(self, transitions: Transitions, lanes: NDArray[np.bool_]) -> None:
        """Let banks of some lanes pay as if no dice were left, because the next player takes nothing over."""
        size = (len(transitions.constant) - SPECIALS) // (self.model.dice + 1)
        for array in transitions:
            array[SPECIALS + size :, lanes] = np.tile(array[SPECIALS : SPECIALS + size, lanes], (self.model.dice, 1))

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return the offers: players who follow limits take nothing over, and value tables decide for themselves."""
        offers = self.model.takeover_offers(states % self.model.state_count)
        if offers is None:
            return None
        mover = (states // self.model.state_count)[offers.lane]
        inside = np.full(len(mover), -1, dtype=np.int8)
        for number, play in enumerate(self.policies):
            is_mover = mover == number
            if isinstance(play, LimitsPolicy):
                inside[is_mover] = 0
            elif play is not None:
                without_offer = states[offers.lane[is_mover]] % self.model.state_count
                inside[is_mover] = play.values(offers.state[is_mover]) > play.values(without_offer)
        return offers._replace(state=offers.state + mover * self.model.state_count, accepted=inside)

    @cached_property
    def _decisions(self) -> dict[int, tuple[Decisions, Ints]]:
        """Decisions of each player who follows limits, and their index by state.

        The decisions are (rows, modes + classes, turns): one turn for each distinct array of decisions.
        """
        plain, decisions = self.model, dict[int, tuple[Decisions, Ints]]()
        states = np.concatenate([states for blocks in plain.components() for states in blocks])
        own, other = plain.states.score[plain.mover(states)], plain.opponent_score(states)
        groups = group_by_descending_keys(own, other)
        for number, play in enumerate(self.policies):
            if not isinstance(play, LimitsPolicy):
                continue
            turns, indices = dict[int, tuple[int, Decisions]](), np.zeros(plain.state_count, dtype=np.int64)
            for group in groups:
                turn = play.decisions(int(own[group[0]]), int(other[group[0]]))
                indices[states[group]] = turns.setdefault(id(turn), (len(turns), turn))[0]
            decisions[number] = np.concatenate([turn for _, turn in turns.values()], axis=2), indices
        return decisions

    def solve_turns(
        self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool = False
    ) -> TurnValue:
        """Solve or evaluate the turns of a block, player by player."""
        result = self._solve_players(states, payoff, caps, workers, inner, None)
        self._evaluated = _Evaluated(result.value, _zero_payoffs(payoff))
        return result

    def update_zero_payoffs(self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers) -> TurnValue:
        """Solve the block of the last ``solve_turns`` for new payoffs of zero turns.

        The values of fixed policies are linear in these payoffs. So only best responses are solved again.
        """
        return self._solve_players(states, payoff, caps, workers, False, self._evaluated)

    def _solve_players(
        self,
        states: Ints,
        payoff: Doubles,
        caps: Caps,
        workers: TurnWorkers,
        inner: bool,
        evaluated: _Evaluated | None,
    ) -> TurnValue:
        """Solve the turns of each player; those of fixed policies are updated if they have been ``evaluated``."""
        if not np.array_equal(states, self._block):
            self._block, self._block_payoffs = states, {}
        channels, _, lanes = payoff.shape
        mover, plain = np.divmod(states, self.model.state_count)
        rows = self.turn.row_count(int(caps.max()))
        inner_values = np.zeros((channels, len(self.turn.modes), rows, lanes)) if inner else None
        result = TurnValue(np.zeros((channels, lanes)), inner_values, None)
        zero_payoffs = _zero_payoffs(payoff) if evaluated is not None else None
        for number, play in enumerate(self.policies):
            own = np.flatnonzero(mover == number)
            if evaluated is not None and zero_payoffs is not None and play is not None:
                evaluated.write(result.value, own, zero_payoffs)
            elif isinstance(play, LimitsPolicy):
                self._follow_limits(number, own, plain, payoff, caps, workers, result)
            elif play is not None:
                self._decide_by_table(number, play, own, plain, payoff, caps, workers, result)
            elif len(own):
                solved = workers.solve(self.turn, payoff.take(own, axis=2), caps[own], inner)
                _add(result, own, solved, np.ones(len(own)))
        return result

    def _follow_limits(
        self,
        number: int,
        lanes: Ints,
        plain: Ints,
        payoff: Doubles,
        caps: Caps,
        workers: TurnWorkers,
        result: TurnValue,
    ) -> None:
        """Evaluate the turns in ``lanes`` of a player who follows limits."""
        decisions, indices = self._decisions[number]
        for part in split_lanes(lanes, LANES_PER_CALL):
            part_caps = caps[part]
            follow = decisions[: self.turn.row_count(int(part_caps.max()))].take(indices[plain[part]], axis=2)
            has_inner = result.inner is not None
            solved = workers.solve(self.turn, payoff.take(part, axis=2), part_caps, has_inner, follow)
            _add(result, part, solved, np.ones(len(part)))

    def _decide_by_table(
        self,
        number: int,
        play: TablePolicy,
        lanes: Ints,
        plain: Ints,
        payoff: Doubles,
        caps: Caps,
        workers: TurnWorkers,
        result: TurnValue,
    ) -> None:
        """Evaluate the turns in ``lanes`` of a player who decides by a value table."""
        if not len(lanes):
            return
        if number not in self._block_payoffs:
            self._block_payoffs[number] = play.deciding_payoffs(plain[lanes], int(caps.max()))
        place, probability, deciding = self._block_payoffs[number]
        repeated = lanes[place]
        channels = np.concatenate([deciding[None], payoff.take(repeated, axis=2)])
        solved = workers.solve(self.turn, channels, caps[repeated], result.inner is not None)
        _add(result, repeated, solved, probability)


def _zero_payoffs(payoff: Doubles) -> Doubles:
    """Return the payoff of the zero turn of each lane, which the last channel marks."""
    return np.asarray(payoff[0, payoff[-1].argmax(axis=0), np.arange(payoff.shape[2])])


def _add(result: TurnValue, lanes: Ints, solved: TurnValue, probability: Doubles) -> None:
    """Add solved turns, played with these probabilities, to the values of ``lanes``; inner values are replaced."""
    channels = len(result.value)
    np.add.at(result.value.T, lanes, (solved.value[-channels:, : len(lanes)] * probability).T)
    if result.inner is not None:
        assert solved.inner is not None
        result.inner[:, :, : solved.inner.shape[2], lanes] = solved.inner[-channels:, :, :, : len(lanes)]
