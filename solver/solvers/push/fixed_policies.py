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

from ...games.push_rules import SPECIAL_ENDING_COUNT
from ...turns.push_turn import Caps, Decisions, Doubles, PushTurn, TurnValue
from ..model import Ints, TakeoverOffers, TransitionModel, Transitions, TurnWorkers, split_lanes
from .model import PushModel, group_by_descending_keys

LANES_PER_CALL = 1024  # turns that are evaluated in one call


@dataclass(frozen=True)
class LimitsPolicy:
    """The policy of a player who follows limits: who stops from certain turn points on.

    Attributes:
        decisions: maps the own score and the opponent's score, in units, to the decisions in a turn: (turn points,
            modes + roll classes, 1), as in ``TurnValue.decisions``, up to the largest cap. The opponent's score is 0
            unless there is exactly one opponent. Turns with equal decisions share one array.
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


class _DecidingPayoffs(NamedTuple):
    """The payoffs by which a player with a value table decides the turns of a block.

    A *way* is a pure way to play a turn. A turn in which the player plays a mixed action has two ways, others one.

    Attributes:
        turn_index: (ways,), the index of the turn among the player's turns in the block.
        probability: (ways,), the probability that the turn is played this way.
        payoff: (endings, ways), the payoffs that decide.
    """

    turn_index: Ints
    probability: Doubles
    payoff: Doubles


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
    """The values of a block's turns, as linear functions of the payoffs of zero turns: one turn in each lane.

    Attributes:
        value: (2, lanes). Channel 0 is the value for ``zero_payoffs``, channel 1 the probability of a zero turn.
        zero_payoffs: (lanes,), the payoff of the zero turn of each lane.
    """

    value: Doubles
    zero_payoffs: Doubles

    def value_for(self, zero_payoffs: Doubles) -> Doubles:
        """Return the values of fixed policies if zero turns pay something else: (2, lanes), as the attribute ``value``.

        If a zero turn pays d more, a turn is worth d times its probability of a zero turn more.

        Args:
            zero_payoffs: (lanes,), the other payoffs.
        """
        old_value, zero_probability = self.value
        change_of_payoff = zero_payoffs - self.zero_payoffs
        return np.stack([old_value + zero_probability * change_of_payoff, zero_probability])


class FixedPolicyModel(TransitionModel):
    """Equations for the value of one player against given policies.

    State p * n + s is state s of the game, in which player p is to move; n is the number of states of the game. Player
    0 is the one whose value is wanted, and the others follow in turn order.

    A block is solved several times, with other payoffs of zero turns. So its values and the payoffs that decide its
    turns are kept until another block is solved.

    Attributes:
        model: the equations of the game.
        policies: the policies of the players, that of player 0 first; None for a best response.
        stake: what the players share; the value of one player in the game is the stake minus that of the other.
        last_states: (lanes,), the states of the last block.
        last_values: its values, as functions of the payoffs of zero turns; None before the first block.
        deciding_payoffs: by player with a ``TablePolicy``, the payoffs that decide the turns of that block.
        _decisions_by_player: by player with a ``LimitsPolicy``, the distinct decisions in all turns, and by state of
            the game an index among them.
    """

    seats = 1

    def __init__(self, model: PushModel, policies: Sequence[FixedPolicy]) -> None:
        """Set up the equations of a game whose states are repeated for every player.

        Args:
            model: the equations of the game.
            policies: the policies of the players, that of player 0 first, whose value is wanted. A policy of None is a
                best response to the others; only player 0 can have it.
        """
        self.model = model
        self.policies = policies
        self.stake = model.stake
        self.constant_error = model.constant_error
        self.state_count = model.state_count * len(policies)
        self.has_fixed_choices = None not in policies
        self.last_states = np.empty(0, dtype=np.int64)
        self.last_values: _LinearValues | None = None
        self.deciding_payoffs: dict[int, _DecidingPayoffs] = {}

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
            repeated_blocks = []
            for game_states in blocks:
                states_by_player = [game_states + first_state for first_state in first_states]
                repeated_blocks.append(np.concatenate(states_by_player))
            yield repeated_blocks

    def caps(self, states: Ints) -> Caps:
        """Return by state the turn points, in units, at which the table of the mover's turn ends."""
        return self.model.caps(states % self.model.state_count)  # as in the game, whoever moves

    # --- Transitions

    def transitions(self, states: Ints) -> Transitions:
        """Return the states that the endings of turns lead to, where the next player moves, and what they pay player 0.

        If several players move, an ending either leads to a state and has the constant 0, or it ends the game.

        Args:
            states: (lanes,), the states: p * n + s if player p is to move in state s of the game, which has n states.
        """
        mover, game_states = np.divmod(states, self.model.state_count)  # (lanes,): the player to move, and s
        transitions = self._game_transitions(game_states)  # constants and states: (endings, lanes)
        next_mover = (mover + 1) % len(self.policies)
        if self.model.dice:  # the most dice that can be taken over
            # A player who follows limits takes nothing over, so it does not matter what dice the mover leaves.
            follows_limits = np.array([isinstance(policy, LimitsPolicy) for policy in self.policies])  # by player
            self._discard_dice(transitions, follows_limits[next_mover])
        leads_on = transitions.state >= 0  # -1: the game is over
        state = np.where(leads_on, transitions.state + next_mover * self.model.state_count, -1)
        # The game's constant is what the mover gets. If another player ends the game, player 0 gets the rest of the
        # stake. An ending that is not allowed pays -inf, which stays.
        ends_game = ~leads_on & (transitions.constant >= 0)
        pays_another_player = ends_game & (mover > 0)
        constant = np.where(pays_another_player, self.stake - transitions.constant, transitions.constant)
        return Transitions(constant, state)

    def _game_transitions(self, game_states: Ints) -> Transitions:
        """Return the transitions of states of the game, whoever of the players moves: (endings, lanes).

        If the list repeats the same states once for each player, as in a block, they are computed once and repeated.

        Args:
            game_states: (lanes,), states of the game.
        """
        player_count = len(self.policies)
        states_of_one_player = game_states[: len(game_states) // player_count]
        if not np.array_equal(game_states, np.tile(states_of_one_player, player_count)):
            return self.model.transitions(game_states)
        of_one_player = self.model.transitions(states_of_one_player)
        return Transitions(np.tile(of_one_player.constant, player_count), np.tile(of_one_player.state, player_count))

    def _discard_dice(self, transitions: Transitions, lanes: NDArray[np.bool_]) -> None:
        """Let banks lead where they would if no dice were left, because the next player takes nothing over.

        Args:
            transitions: constants and states, (endings, lanes) each, changed in place. The endings are
                SPECIAL_ENDING_COUNT special ones, then banks of 0, 1, ... points that leave no dice, then those that
                leave one die, and so on.
            lanes: (lanes,), True for the lanes to change.
        """
        max_dice = self.model.dice  # the most dice that can be left
        bank_count = (len(transitions.constant) - SPECIAL_ENDING_COUNT) // (max_dice + 1)  # for each number of dice
        first_with_dice = SPECIAL_ENDING_COUNT + bank_count
        for array in transitions:
            banks_without_dice = array[SPECIAL_ENDING_COUNT:first_with_dice, lanes]
            array[first_with_dice:, lanes] = np.tile(banks_without_dice, (max_dice, 1))

    def takeover_offers(self, states: Ints) -> TakeoverOffers | None:
        """Return the takeover offers to the movers of some states, and who accepts them; None without take-over.

        A player who follows limits takes nothing over. One who decides by a value table accepts if the table values the
        state with the offer more than the same state without it. A best response takes the better of both.

        Args:
            states: (lanes,), the states: p * n + s if player p is to move in state s of the game, which has n states.
        """
        game_states = states % self.model.state_count
        offers = self.model.takeover_offers(game_states)  # with the game's own numbers of states
        if offers is None:
            return None
        # The lane of an offer is that of the same state without the offer.
        mover = (states // self.model.state_count)[offers.lane]  # by offer
        states_without_offer = game_states[offers.lane]  # by offer
        accepted = np.full(len(mover), -1, dtype=np.int8)  # 1: taken, 0: declined, -1: the better of the two
        for player, policy in enumerate(self.policies):
            is_mover = mover == player  # by offer
            if isinstance(policy, LimitsPolicy):
                accepted[is_mover] = 0
            elif policy is not None:
                value_with_offer = policy.values(offers.state[is_mover])
                value_without_offer = policy.values(states_without_offer[is_mover])
                accepted[is_mover] = value_with_offer > value_without_offer
        return offers._replace(state=offers.state + mover * self.model.state_count, accepted=accepted)

    # --- Turns

    @cached_property
    def _decisions_by_player(self) -> dict[int, tuple[Decisions, Ints]]:
        """By player who follows limits, the decisions in all turns: the distinct ones, and an index for each state.

        The first array is (turn points, modes + roll classes, distinct decisions), as in ``TurnValue.decisions``. The
        second is by state of the game: the index of the state's decisions in the last axis of the first.
        """
        return {
            player: self._collect_decisions(player, policy)
            for player, policy in enumerate(self.policies)
            if isinstance(policy, LimitsPolicy)
        }

    def _collect_decisions(self, player: int, policy: LimitsPolicy) -> tuple[Decisions, Ints]:
        """Return the distinct decisions of a policy, and by state of the game the index of its decisions among them.

        Args:
            player: the number of the player.
            policy: the policy; its decisions depend on the scores of a state only.

        Returns:
            (turn points, modes + roll classes, distinct decisions), as in ``TurnValue.decisions``; and (states,) the
            index in its last axis.
        """
        distinct_decisions = list[Decisions]()
        index_by_id = dict[int, int]()  # a policy returns the same array for equal decisions, so its id is a key
        index_by_state = np.zeros(self._game_state_count, dtype=np.int64)
        for own_score, opponent_score, states in self._states_by_scores(player):
            decisions = policy.decisions(own_score, opponent_score)
            if id(decisions) not in index_by_id:
                index_by_id[id(decisions)] = len(distinct_decisions)
                distinct_decisions.append(decisions)
            index_by_state[states] = index_by_id[id(decisions)]
        return np.concatenate(distinct_decisions, axis=2), index_by_state

    def _states_by_scores(self, player: int) -> list[tuple[int, int, Ints]]:
        """Return all states of the game in which turns of a player begin, grouped by scores.

        Each group is the mover's score and the opponent's, in units, and (states,) its states. The opponent's score is
        0 unless there is exactly one opponent.

        Args:
            player: the number of the player. All players of a game have the same states.
        """
        model = self.model
        blocks = [states for component in model.components() for states in component]
        return group_by_scores(model, np.concatenate(blocks))  # each state once

    @property
    def _game_state_count(self) -> int:
        """The number of states of the game."""
        return self.model.state_count

    def _game_states(self, states: Ints) -> Ints:
        """Return the states of the game in which turns begin, without the player: (lanes,)."""
        return states % self.model.state_count

    def _movers(self, states: Ints) -> Ints:
        """Return the players to move: (lanes,)."""
        return states // self.model.state_count

    def _turn_of(self, player: int) -> PushTurn:
        """Return the turn model of a player."""
        return self.model.turn

    def solve_turns(
        self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool = False
    ) -> TurnValue:
        """Solve or evaluate the turns of a block, those of each player by that player's policy.

        A block is solved several times in a row, with other payoffs. The payoffs by which a ``TablePolicy`` decides
        depend on the block alone, so they are computed once for each block (``deciding_payoffs``).

        Args:
            states: (lanes,), the states of the block.
            payoff: (channels, endings, lanes). A best response maximizes channel 0; the others are evaluated along its
                choices. With two channels, channel 1 is 1 for endings that are zero turns, and 0 for others.
            caps: (lanes,), the turn points at which the tables end.
            workers: the threads to use.
            inner: also return the values inside the turns.
        """
        is_another_block = not np.array_equal(states, self.last_states)
        if is_another_block:
            self.last_states = states
            self.deciding_payoffs = {}  # ``_decide_by_table`` fills them in
        turns = self._prepare_turns(states, payoff, caps, workers, inner)
        for player, lanes in self._lanes_by_player(states):
            policy = self.policies[player]
            if policy is None:
                self._solve_best_response(player, lanes, turns)
            elif isinstance(policy, LimitsPolicy):
                self._follow_limits(player, lanes, turns)
            else:
                self._decide_by_table(player, policy, lanes, turns)
        # Only ``update_zero_payoffs`` reads them, after a solve with two channels. With one they have no meaning.
        self.last_values = _LinearValues(turns.result.value, _zero_payoffs(payoff))
        return turns.result

    def update_zero_payoffs(self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers) -> TurnValue:
        """Solve the block of the last ``solve_turns`` again, with other payoffs of zero turns.

        The value of a fixed policy is linear in these payoffs: that of the last solve, plus the probability of a zero
        turn times the change of the payoff. So only best responses are solved again.

        Args:
            states: (lanes,), the states of the block, those of the last ``solve_turns``.
            payoff: (2, endings, lanes). Channel 0 is what the endings pay; channel 1 is 1 for a zero turn, else 0.
            caps: (lanes,), the turn points at which the tables end, those of the last ``solve_turns``.
            workers: the threads to use.

        Returns:
            The values of all turns, those of fixed policies included.
        """
        assert self.last_values
        values_of_fixed_policies = self.last_values.value_for(_zero_payoffs(payoff))
        turns = self._prepare_turns(states, payoff, caps, workers, inner=False)
        for player, lanes in self._lanes_by_player(states):
            if self.policies[player] is None:  # a best response may play another turn now
                self._solve_best_response(player, lanes, turns)
            else:
                turns.result.value[:, lanes] = values_of_fixed_policies[:, lanes]
        return turns.result

    def _prepare_turns(self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool) -> _Turns:
        """Return the turns of a block with a result of zeros, which is filled in player by player.

        Args:
            states: (lanes,), the states of the block.
            payoff: (channels, endings, lanes), what the endings pay.
            caps: (lanes,), the turn points at which the tables end.
            workers: the threads to use.
            inner: make room for the values inside the turns, too.
        """
        channels, _, lane_count = payoff.shape
        inner_values = None
        if inner:
            rows = self.turn.row_count(int(caps.max()))  # numbers of turn points in the kernel's table
            inner_values = np.zeros((channels, len(self.turn.modes), rows, lane_count))
        result = TurnValue(value=np.zeros((channels, lane_count)), inner=inner_values, decisions=None)
        return _Turns(self._game_states(states), payoff, caps, workers, result)

    def _lanes_by_player(self, states: Ints) -> Iterator[tuple[int, Ints]]:
        """Yield each player who is to move in some of the states, and the indices of these states.

        Args:
            states: (lanes,), the states of a block.
        """
        mover = self._movers(states)
        for player in range(len(self.policies)):
            lanes = np.flatnonzero(mover == player)
            if len(lanes):
                yield player, lanes

    def _solve_best_response(self, player: int, lanes: Ints, turns: _Turns) -> None:
        """Solve the turns in some lanes, in which the player to move makes the best choices.

        Args:
            player: the number of the player.
            lanes: the numbers of the lanes.
            turns: the turns of the block, whose result is filled in.
        """
        has_inner = turns.result.inner is not None
        payoff = turns.payoff.take(lanes, axis=2)  # (channels, endings, some lanes)
        solved = turns.workers.solve(self._turn_of(player), payoff, turns.caps[lanes], has_inner)
        is_played = np.ones(len(lanes))  # the probability of each solved turn: a best response mixes no turns
        _add_values(turns.result, lanes, solved, probability=is_played)

    def _follow_limits(self, player: int, lanes: Ints, turns: _Turns) -> None:
        """Evaluate the turns of a player with a ``LimitsPolicy``, who stops from certain turn points on.

        Args:
            player: the number of the player.
            lanes: the lanes in which that player is to move.
            turns: the turns of the block, whose result is filled in.
        """
        # (turn points, modes + roll classes, distinct decisions), and (states of the game,) an index in the last axis.
        distinct_decisions, index_by_state = self._decisions_by_player[player]
        has_inner = turns.result.inner is not None
        for part in split_lanes(lanes, LANES_PER_CALL):
            caps = turns.caps[part]
            rows = self._turn_of(player).row_count(int(caps.max()))  # numbers of turn points in the kernel's table
            index_by_lane = index_by_state[turns.game_states[part]]
            decisions = distinct_decisions[:rows].take(index_by_lane, axis=2)  # one for each lane of the part
            payoff = turns.payoff.take(part, axis=2)  # (channels, endings, lanes of the part)
            # With decisions given, the turns are evaluated: nothing is maximized.
            solved = turns.workers.solve(self._turn_of(player), payoff, caps, has_inner, decisions)
            is_played = np.ones(len(part))  # the probability of each solved turn: limits mix no turns
            _add_values(turns.result, part, solved, probability=is_played)

    def _decide_by_table(self, player: int, policy: TablePolicy, lanes: Ints, turns: _Turns) -> None:
        """Evaluate the turns of a player who decides by a value table.

        A turn is solved once for each pure way in which it can be played: once, or twice with a mixed action. The
        payoffs by the table are channel 0, so they decide. The true payoffs are evaluated along these choices.

        Args:
            player: the number of the player.
            policy: the player's policy.
            lanes: the lanes in which that player is to move.
            turns: the turns of the block, whose result is filled in.
        """
        if player not in self.deciding_payoffs:
            max_cap = int(turns.caps.max())
            turn_index, probability, payoff = policy.deciding_payoffs(turns.game_states[lanes], max_cap)
            self.deciding_payoffs[player] = _DecidingPayoffs(turn_index, probability, payoff)
        deciding = self.deciding_payoffs[player]
        played_lanes = lanes[deciding.turn_index]  # (ways,): the lane whose turn each way plays
        true_payoff = turns.payoff.take(played_lanes, axis=2)  # (channels, endings, ways)
        payoff = np.concatenate([deciding.payoff[None], true_payoff])  # (1 + channels, endings, ways)
        has_inner = turns.result.inner is not None
        solved = turns.workers.solve(self._turn_of(player), payoff, turns.caps[played_lanes], has_inner)
        _add_values(turns.result, played_lanes, solved, deciding.probability)


def group_by_scores(model: PushModel, states: Ints) -> list[tuple[int, int, Ints]]:
    """Group states of a game by scores: the mover's and the opponent's, in units, and (states,) the states.

    The opponent's score is 0 unless there is exactly one opponent.

    Args:
        model: the equations of the game.
        states: (states,) of the game, in which turns begin.
    """
    own_score = model.states.score[model.mover(states)]
    opponent_score = model.opponent_score(states)
    groups = group_by_descending_keys(own_score, opponent_score)  # indices of states with equal scores
    return [(int(own_score[group[0]]), int(opponent_score[group[0]]), states[group]) for group in groups]


def _zero_payoffs(payoff: Doubles) -> Doubles:
    """Return what a zero turn pays in each lane: (lanes,). All zero turns of a lane pay the same.

    In a lane without zero turns it is the payoff of the first ending, which has no effect on what follows.

    Args:
        payoff: (channels, endings, lanes). The last channel is 1 for endings that are zero turns, and 0 for others.
    """
    first_zero_turn = payoff[-1].argmax(axis=0)  # by lane, an ending
    lanes = np.arange(payoff.shape[2])
    return np.asarray(payoff[0, first_zero_turn, lanes])


def _add_values(result: TurnValue, lanes: Ints, solved: TurnValue, probability: Doubles) -> None:
    """Add the values of solved turns to those of their lanes, each times its probability.

    Inner values, if there are any, are copied instead. They are read for takeover offers only. Policies that mix two
    turns are refused in games with takeover offers (``fixed_opponents.check_race``). So every lane is played in one way
    if there are inner values.

    Args:
        result: values (channels, lanes) and inner values (channels, modes, turn points, lanes) of a block, changed in
            place.
        lanes: the lane in ``result`` of each solved turn; a lane that is played in two ways occurs twice.
        solved: the solved turns. Their last channels are those of ``result``. They may have one channel more, the
            first, by which choices are made. The kernel may have added lanes at the end, which are padding.
        probability: (solved turns,), the probability that each of the turns is played.
    """
    channels = len(result.value)
    values = solved.value[-channels:, : len(lanes)] * probability
    np.add.at(result.value.T, lanes, values.T)  # unlike +=, it adds to a lane as often as the lane occurs
    if result.inner is not None:
        assert solved.inner is not None
        assert len(np.unique(lanes)) == len(lanes)  # one way for each lane
        point_count = solved.inner.shape[2]  # numbers of turn points in the table of these turns
        result.inner[:, :, :point_count, lanes] = solved.inner[-channels:, :, :, : len(lanes)]
