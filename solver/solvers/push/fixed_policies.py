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
    """The policy of a player who follows limits: who stops from certain turn points on.

    Attributes:
        decisions: maps the own score and the opponent's score, in units, to the decisions in a turn: (rows of the
            largest cap, modes + roll classes, 1), as in ``TurnValue.decisions``. The opponent's score is 0 unless there
            is exactly one opponent. Turns with equal decisions share one array.
    """

    decisions: Callable[[int, int], Decisions]


@dataclass(frozen=True)
class TablePolicy:
    """The policy of a player who decides by a value table.

    Attributes:
        deciding_payoffs: maps some states and a cap to the payoffs that decide the turns of these states, with banks up
            to the cap. These are three arrays by lane: the index of the lane's state among the given ones, the
            probability that the turn is played this way, and the payoffs of the endings (endings, lanes).
        values: maps states to their values in the table, to decide whether an offer is taken over.
    """

    deciding_payoffs: Callable[[Ints, int], tuple[Ints, Doubles, Doubles]]
    values: Callable[[Ints], Doubles]


FixedPolicy = LimitsPolicy | TablePolicy | None  # None: a best response to the others


class _Turns(NamedTuple):
    """The turns of a block, side by side, and where their values go.

    Attributes:
        game_states: (lanes,), the state of each turn in the game's own model, without the player.
        payoff: (channels, endings, lanes), what the endings pay.
        caps: (lanes,), the turn points at which the tables end.
        workers: the threads to use.
        result: the values, which are filled in player by player.
    """

    game_states: Ints
    payoff: Doubles
    caps: Caps
    workers: TurnWorkers
    result: TurnValue


class _LinearValues(NamedTuple):
    """The values of a block's turns, as linear functions of the payoffs of zero turns.

    Attributes:
        value: (channels, lanes). Channel 0 is the value for ``zero_payoffs``, channel 1 the probability of a zero turn.
        zero_payoffs: (lanes,), the payoff of the zero turn of each lane.
    """

    value: Doubles
    zero_payoffs: Doubles

    def write(self, value: Doubles, lanes: Ints, zero_payoffs: Doubles) -> None:
        """Write the values in some lanes for other payoffs of zero turns.

        Args:
            value: (channels, lanes), written to.
            lanes: the lanes to write.
            zero_payoffs: (all lanes,), the other payoffs.
        """
        value[:, lanes] = self.value[:, lanes]
        change = (zero_payoffs - self.zero_payoffs)[lanes]
        value[0, lanes] += self.value[1, lanes] * change


class FixedPolicyModel(TransitionModel):
    """Equations for the value of one player against given policies.

    State p * n + s is state s of the game, in which player p is to move; n is the number of states of the game. Player
    0 is the one whose value is wanted, and the others follow in turn order.

    Attributes:
        model: the equations of the game.
        policies: the policies of the players, that of player 0 first.
    """

    seats = 1

    def __init__(self, model: PushModel, policies: Sequence[FixedPolicy]) -> None:
        """Repeat the states of a game for every player.

        Args:
            model: the equations of the game.
            policies: the policies of the players, that of player 0 first. Only the first can be None.
        """
        self.model = model
        self.policies = policies
        self.stake = model.stake
        self.constant_error = model.constant_error
        self.state_count = model.state_count * len(policies)
        self.has_fixed_choices = None not in policies
        self._last_values: _LinearValues | None = None  # of the last call of solve_turns
        # The states of the last block, and what decides its turns (``TablePolicy.deciding_payoffs``) by player.
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
        """Yield the components of the game, in which every block lists the same states once for each player."""
        first_states = [player * self.model.state_count for player in range(len(self.policies))]
        for blocks in self.model.components():
            yield [np.concatenate([states + first for first in first_states]) for states in blocks]

    def caps(self, states: Ints) -> Caps:
        """Return the number of turn points at which the table of each turn ends."""
        return self.model.caps(states % self.model.state_count)

    # --- Transitions

    def transitions(self, states: Ints) -> Transitions:
        """Return the game's transitions to the next player's turn, with what they pay player 0.

        Args:
            states: (lanes,), the states: p * n + s if player p is to move in state s of the game, which has n states.
        """
        mover, game_states = np.divmod(states, self.model.state_count)
        transitions = self._game_transitions(game_states)
        next_mover = (mover + 1) % len(self.policies)
        if self.model.dice:
            follows_limits = np.array([isinstance(policy, LimitsPolicy) for policy in self.policies])
            self._discard_dice(transitions, follows_limits[next_mover])
        leads_on = transitions.state >= 0
        state = np.where(leads_on, transitions.state + next_mover * self.model.state_count, -1)
        # A constant is what the mover gets, 1 for a win. Of another player's turn, player 0 gets the rest of the stake.
        # An ending that is not allowed pays -inf, which stays.
        pays_other_player = (mover > 0) & ~leads_on & (transitions.constant >= 0)
        constant = np.where(pays_other_player, self.stake - transitions.constant, transitions.constant)
        return Transitions(constant, state)

    def _game_transitions(self, game_states: Ints) -> Transitions:
        """Return the game's own transitions; those of states that are listed once for each player are computed once."""
        part_count = len(self.policies)
        part_size, remainder = divmod(len(game_states), part_count)
        if remainder or (game_states.reshape(part_count, -1) != game_states[:part_size]).any():
            return self.model.transitions(game_states)
        once = self.model.transitions(game_states[:part_size])
        return Transitions(np.tile(once.constant, part_count), np.tile(once.state, part_count))

    def _discard_dice(self, transitions: Transitions, lanes: NDArray[np.bool_]) -> None:
        """Let banks pay as if no dice were left, because the next player takes nothing over.

        Args:
            transitions: the transitions, changed in place. After the special endings there is a block of banks for
                each number of dice left, that for none first.
            lanes: (lanes,), True for the lanes to change.
        """
        block_size = (len(transitions.constant) - SPECIALS) // (self.model.dice + 1)
        first_block_end = SPECIALS + block_size
        for array in transitions:
            banks_without_dice = array[SPECIALS:first_block_end, lanes]
            array[first_block_end:, lanes] = np.tile(banks_without_dice, (self.model.dice, 1))

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return the offers to take turns over, which are read inside the turns of some states; None without take-over.

        Players who follow limits take nothing over. Who decides by a value table accepts if the table values it more.

        Args:
            states: (lanes,), the states: p * n + s if player p is to move in state s of the game, which has n states.
        """
        game_states = states % self.model.state_count
        offers = self.model.takeover_offers(game_states)
        if offers is None:
            return None
        mover = (states // self.model.state_count)[offers.lane]
        accepted = np.full(len(mover), -1, dtype=np.int8)  # -1: the better of the two
        for player, policy in enumerate(self.policies):
            is_mover = mover == player
            if isinstance(policy, LimitsPolicy):
                accepted[is_mover] = 0
            elif policy is not None:
                without_offer = game_states[offers.lane[is_mover]]
                accepted[is_mover] = policy.values(offers.state[is_mover]) > policy.values(without_offer)
        return offers._replace(state=offers.state + mover * self.model.state_count, accepted=accepted)

    # --- Turns

    @cached_property
    def _decisions(self) -> dict[int, tuple[Decisions, Ints]]:
        """Decisions of each player who follows limits, and their index by state of the game.

        The decisions are (rows, modes + roll classes, turns): one turn for each distinct array of decisions.
        """
        model = self.model
        states = np.concatenate([states for blocks in model.components() for states in blocks])
        own_score = model.states.score[model.mover(states)]
        opponent_score = model.opponent_score(states)
        groups = group_by_descending_keys(own_score, opponent_score)
        decisions_by_player = dict[int, tuple[Decisions, Ints]]()
        for player, policy in enumerate(self.policies):
            if not isinstance(policy, LimitsPolicy):
                continue
            distinct_decisions = list[Decisions]()
            index_of_array = dict[int, int]()  # equal decisions are the same array, so its id tells them apart
            index_by_state = np.zeros(model.state_count, dtype=np.int64)
            for group in groups:
                decisions = policy.decisions(int(own_score[group[0]]), int(opponent_score[group[0]]))
                if id(decisions) not in index_of_array:
                    index_of_array[id(decisions)] = len(distinct_decisions)
                    distinct_decisions.append(decisions)
                index_by_state[states[group]] = index_of_array[id(decisions)]
            decisions_by_player[player] = np.concatenate(distinct_decisions, axis=2), index_by_state
        return decisions_by_player

    def solve_turns(
        self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool = False
    ) -> TurnValue:
        """Solve or evaluate the turns of a block, player by player; for the arguments see ``TransitionModel``."""
        result = self._solve_players(states, payoff, caps, workers, inner, None)
        self._last_values = _LinearValues(result.value, _zero_payoffs(payoff))
        return result

    def update_zero_payoffs(self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers) -> TurnValue:
        """Solve the block of the last ``solve_turns`` for new payoffs of zero turns.

        The values of fixed policies are linear in these payoffs. So only best responses are solved again.
        """
        return self._solve_players(states, payoff, caps, workers, False, self._last_values)

    def _solve_players(
        self,
        states: Ints,
        payoff: Doubles,
        caps: Caps,
        workers: TurnWorkers,
        inner: bool,
        last_values: _LinearValues | None,
    ) -> TurnValue:
        """Solve the turns of a block, those of each player by that player's policy.

        Args:
            states: the states of the block, one for each lane.
            payoff: (channels, endings, lanes). If ``last_values`` are given, channel 1 marks the zero turns.
            caps: (lanes,), the turn points at which the tables end.
            workers: the threads to use.
            inner: also return the values inside the turns.
            last_values: earlier values of the same turns, from which those of fixed policies are updated; or None.
        """
        if not np.array_equal(states, self._block):
            self._block = states
            self._block_payoffs = {}
        channels, _, lane_count = payoff.shape
        mover, game_states = np.divmod(states, self.model.state_count)
        inner_values = None
        if inner:
            rows = self.turn.row_count(int(caps.max()))
            inner_values = np.zeros((channels, len(self.turn.modes), rows, lane_count))
        result = TurnValue(np.zeros((channels, lane_count)), inner_values, None)
        turns = _Turns(game_states, payoff, caps, workers, result)
        zero_payoffs = None if last_values is None else _zero_payoffs(payoff)
        for player, policy in enumerate(self.policies):
            lanes = np.flatnonzero(mover == player)
            if not len(lanes):
                continue
            if policy is None:
                self._solve_best_response(lanes, turns)
            elif last_values is not None and zero_payoffs is not None:
                last_values.write(result.value, lanes, zero_payoffs)
            elif isinstance(policy, LimitsPolicy):
                self._follow_limits(player, lanes, turns)
            else:
                self._decide_by_table(player, policy, lanes, turns)
        return result

    def _solve_best_response(self, lanes: Ints, turns: _Turns) -> None:
        """Solve the turns in ``lanes``, in which the player to move makes the best choices."""
        has_inner = turns.result.inner is not None
        solved = turns.workers.solve(self.turn, turns.payoff.take(lanes, axis=2), turns.caps[lanes], has_inner)
        _add_values(turns.result, lanes, solved, np.ones(len(lanes)))

    def _follow_limits(self, player: int, lanes: Ints, turns: _Turns) -> None:
        """Evaluate the turns of a player who follows limits, some lanes at a time.

        Args:
            player: the player.
            lanes: the lanes in which that player is to move.
            turns: the turns of the block, whose result is filled in.
        """
        decisions, index_by_state = self._decisions[player]
        has_inner = turns.result.inner is not None
        for part in split_lanes(lanes, LANES_PER_CALL):
            caps = turns.caps[part]
            rows = self.turn.row_count(int(caps.max()))
            part_decisions = decisions[:rows].take(index_by_state[turns.game_states[part]], axis=2)
            solved = turns.workers.solve(self.turn, turns.payoff.take(part, axis=2), caps, has_inner, part_decisions)
            _add_values(turns.result, part, solved, np.ones(len(part)))

    def _decide_by_table(self, player: int, policy: TablePolicy, lanes: Ints, turns: _Turns) -> None:
        """Evaluate the turns of a player who decides by a value table.

        A turn is solved once for each way in which it can be played. The payoffs of the table are channel 0, so they
        decide, and the true payoffs follow along these choices.

        Args:
            player: the player.
            policy: the player's policy.
            lanes: the lanes in which that player is to move.
            turns: the turns of the block, whose result is filled in.
        """
        if player not in self._block_payoffs:
            max_cap = int(turns.caps.max())
            self._block_payoffs[player] = policy.deciding_payoffs(turns.game_states[lanes], max_cap)
        state_index, probability, deciding_payoff = self._block_payoffs[player]
        played_lanes = lanes[state_index]
        channels = np.concatenate([deciding_payoff[None], turns.payoff.take(played_lanes, axis=2)])
        has_inner = turns.result.inner is not None
        solved = turns.workers.solve(self.turn, channels, turns.caps[played_lanes], has_inner)
        _add_values(turns.result, played_lanes, solved, probability)


def _zero_payoffs(payoff: Doubles) -> Doubles:
    """Return the payoff of the zero turn of each lane, which the last channel marks."""
    zero_ending = payoff[-1].argmax(axis=0)
    lanes = np.arange(payoff.shape[2])
    return np.asarray(payoff[0, zero_ending, lanes])


def _add_values(result: TurnValue, lanes: Ints, solved: TurnValue, probability: Doubles) -> None:
    """Add the values of solved turns, and replace inner values.

    Args:
        result: the values of all lanes, changed in place.
        lanes: the lane of each solved turn; a lane that is played in several ways occurs several times.
        solved: the solved turns, of which the last channels are those of ``result``.
        probability: the probability that each of the turns is played.
    """
    channels = len(result.value)
    values = solved.value[-channels:, : len(lanes)] * probability
    np.add.at(result.value.T, lanes, values.T)
    if result.inner is not None:
        assert solved.inner is not None
        rows = solved.inner.shape[2]
        result.inner[:, :, :rows, lanes] = solved.inner[-channels:, :, :, : len(lanes)]
