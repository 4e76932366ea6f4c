"""Turns of races of three and more players, as they are valued for answers.

``multiplayer_problem`` has the races of players who are alike, ``unlike_multiplayer_problem`` those of players who have
rules of their own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...play.playable_game import Choice
from ...play.push import PushGame, PushPosition
from ...turns.push_turn import Doubles
from ..model import Ints
from ..problem import MixedAction, ValueTable, rotate_to_seats
from ..rounding_bounds import turn_rounding_bound
from ..turn_lanes import TurnLanes, join_lanes
from .last_round import LastTurnRivals, LastTurns, MultiplayerLastTurns
from .model import RaceModel
from .problem import PushProblem
from .states import States

MAX_MIXED_ACTIONS = 4096  # lines with one that a value table can store
MAX_CACHED_LAST_TURNS = 128  # arrays of shares in last turns kept for answers


class MultiplayerTurnProblem(PushProblem):
    """The turns of a race of three or more players, whose values are read from a value table.

    Attributes:
        model: the equations of the race, or those of the seat that moves. They number the lines first, then the lines
            with a takeover offer.
        states_by_seat: the states of the player of each seat.
    """

    model: RaceModel
    states_by_seat: Sequence[States]

    def __init__(self, playable: PushGame) -> None:
        """Take the rules of a game.

        Args:
            playable: the game as it is played, with its number of players.
        """
        super().__init__(playable)
        self._mixed: tuple[ValueTable, dict[int, MixedAction]] | None = None  # of the table that was read last

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int:
        """Return the turn points, in points, at which the table of a turn ends.

        These are the fewest that win or, with an exact finish, one more than the player may hold. With a last round
        these are so many that more hardly matter.
        """
        return self._cap(start) * self.rules.grain

    def turn_error_bound(self, value_table: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound of values inside turns.

        Without a last round it is that of the value table. With one the table of a turn may be longer than in the
        solve. Then the turn rounds more, and its payoffs come from last turns up to a higher total, with their own
        error.

        Args:
            value_table: the value table with its error bound.
            lanes: the turns, of which only the cap is read.
        """
        if not self.model.last_round:
            return value_table.error_bound
        rounding = turn_rounding_bound(self.states.rules.turn, lanes.cap)
        error_of_longer_table = rounding + self.model.last_round_error(self._max_last_total)
        return value_table.error_bound + error_of_longer_table

    def seat_shares(self, values: Doubles) -> Doubles:
        """Return the values of the seats, which are all channels but the first: that one only decides the choices."""
        return values[1:]

    # --- mixed actions

    def _mixed_actions(self, value_table: ValueTable) -> dict[int, MixedAction]:
        """Return the mixed actions of a value table, by line; those of the table that was read last are cached."""
        if self._mixed is None or self._mixed[0] is not value_table:
            self._mixed = value_table, stored_mixed_actions(value_table)
        _, actions = self._mixed
        return actions

    def mixed_action(self, value_table: ValueTable, position: PushPosition) -> MixedAction | None:
        """Return the mixed action of the turn that contains a position; None if the values imply the turn."""
        start = self.playable.turn_start_of(position)
        if self._is_last(start):
            return None
        return self._mixed_actions(value_table).get(int(self.number(start)))

    def with_pure_actions(self, value_table: ValueTable, upper: bool) -> ValueTable:
        """Return the table with every mixed action replaced by one of its two turns, for answers about that turn.

        The values stay those of the mixed actions.

        Args:
            value_table: the value table.
            upper: True for the upper turn of every mixed action, False for the lower one.
        """
        # Columns: a line, the probability of its upper turn, and the zero values for which the two turns are best.
        mixed = value_table.arrays["mixed"].copy()
        probabilities = mixed[:, 1]  # a view, so that writing it changes ``mixed``
        is_mixed = (probabilities > 0) & (probabilities < 1)
        probabilities[is_mixed] = float(upper)  # the upper turn with probability 1 or 0
        return ValueTable({**value_table.arrays, "mixed": mixed}, value_table.error_bound)

    def decision_values(
        self,
        value_table: ValueTable,
        position: PushPosition,
        continuations: Sequence[PushPosition | Choice[PushPosition]],
    ) -> Doubles:
        """Return the values by which choices in a turn are made, after mixed actions have been drawn.

        A drawn turn is one of the two turns of a mixed action. It is the best one for its own zero value, which the
        table stores with it; ``lanes`` puts that value into channel 0.

        Args:
            value_table: a table of ``with_pure_actions``, in which no turn is a mixture any more.
            position: a position of the turn.
            continuations: where the choices lead: a roll, as the position before it, or an ending, as the choice made.

        Returns:
            (continuations,) values.
        """
        start = self.playable.turn_start_of(position)
        max_points = max(self._turn_points(continuation) for continuation in continuations)
        lanes = self.lanes(value_table, [start], min_points=max_points)
        values = self._continuation_values(lanes, continuations)  # (channels, continuations, turns)
        return values[0, :, 0]  # channel 0 decides, and there is one turn

    # --- positions and states

    def number(self, position: PushPosition) -> Ints:
        """Return the number of the line of a position, without its takeover offer, as an array ()."""
        return np.array(self.model.line_number(self._state_numbers(position)))

    def _state_numbers(self, position: PushPosition) -> list[int]:
        """Return the own states of all players from the mover on: each one's score and busts in a row, as a number."""
        busts = position.busts or (0,) * self.players  # by seat; empty in the position if they do not count
        seats = [(position.seat + distance) % self.players for distance in range(self.players)]
        return [self.states_by_seat[seat].number(position.scores[seat], busts[seat]) for seat in seats]

    def _scores_from_mover(self, position: PushPosition) -> list[int]:
        """Return the scores of the players from the mover on, in units."""
        return [score // self.rules.grain for score in (position.score, *position.opponents)]

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return every seat's chance to win at a position where a turn begins, seat 0 first.

        If the position has a takeover offer, the mover takes it or begins a new turn, whichever is better.
        """
        state = self.number(position)
        if position.offered:
            points, dice = position.offered
            state = self.model.offer_states(state, np.array(points // self.rules.grain), dice)
        from_mover_on = self._read_values(value_table, state).tolist()
        return rotate_to_seats(position.seat, from_mover_on)

    @abstractmethod
    def _read_values(self, value_table: ValueTable, states: Ints) -> Doubles:
        """Return the seats' chances to win in states, from the mover on: (shape of ``states``, seats).

        Args:
            value_table: the value table.
            states: the numbers of states, an array of any shape.
        """

    # --- turns and what their endings pay

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at some positions.

        Channel 0 decides the choices; the others are the shares of the seats from the mover on. A mixed action is two
        lanes with their probabilities.

        Args:
            value_table: the value table.
            starts: positions at which the turns begin.
            min_points: turn points, in units, that the tables have to include.

        Returns:
            All lanes side by side, with the first lane of each turn and the probability of each lane.
        """
        lanes = list[TurnLanes]()  # of one lane each
        first_lanes = list[int]()  # by turn
        probabilities = list[float]()  # by lane
        for start in starts:
            first_lanes.append(len(lanes))
            action = self.mixed_action(value_table, start)
            if action is None:
                lanes += self._turn_lanes(value_table, start, [None], min_points)
                probabilities.append(1.0)
            else:
                zero_values = [action.lower_zero_value, action.upper_zero_value]
                lanes += self._turn_lanes(value_table, start, zero_values, min_points)
                probabilities += [1 - action.upper_probability, action.upper_probability]
        return join_lanes(lanes)._replace(first_lanes=first_lanes, lane_probabilities=np.array(probabilities))

    def _turn_lanes(
        self, value_table: ValueTable, start: PushPosition, zero_values: Sequence[float | None], min_points: int
    ) -> list[TurnLanes]:
        """Return one lane of a turn for each of some zero values, by which the lane's choices are decided.

        Channel 0 decides the choices; the others are the shares of the seats from the mover on.

        Args:
            value_table: the value table.
            start: the position at which the turn begins.
            zero_values: what a zero turn is worth to the mover when choices are compared; None: as in the table.
            min_points: turn points, in units, that the table of the turn has to include.
        """
        cap = self._cap(start, min_points)
        if self._is_last(start):
            payoffs = self._compute_last_turn_payoffs(start, cap)
        else:
            payoffs = self._compute_turn_payoffs(value_table, start, cap)
        own_shares = payoffs.shares[:1]  # (1, endings) of the mover
        lanes = []
        for zero_value in zero_values:
            channels = np.concatenate([own_shares, payoffs.shares])  # (1 + seats, endings): channel 0 decides
            payoff = np.ascontiguousarray(channels[:, :, None])  # (1 + seats, endings, 1 lane)
            if zero_value is not None:
                payoff[0, payoffs.is_zero] = zero_value
            lanes.append(self.model.make_lanes(payoff, np.array([cap], dtype=np.int32)))
        return lanes

    def _cap(self, start: PushPosition, min_points: int = 0) -> int:
        """Return the turn points, in units, at which the table of a turn ends.

        With a last round, the table is longer than in the solve once a total has reached the target. It ends
        ``negligible_points`` beyond the highest total: a turn adds so many with a probability of at most 2**-52.

        Args:
            start: the position at which the turn begins.
            min_points: turn points, in units, to which the turn may have come already.
        """
        score, *opponent_scores = self._scores_from_mover(start)
        highest_total = max(score + min_points, *opponent_scores)
        last_round = self.model.last_round  # None if the rules have none
        if last_round is None or highest_total < self.states.target:
            # The total is below the target, or a bank that reaches the target wins. So turn points beyond the cap of
            # the solve change no value.
            return self._cap_in_solve(score)
        end_total = highest_total + last_round.negligible_points
        return end_total - score

    def _cap_in_solve(self, score: int) -> int:
        """Return the cap of turns from a score, in units, in the solve."""
        return int(self.model.caps_by_score[score - self.states.lowest_score])

    @property
    def _max_last_total(self) -> int:
        """The total, in units, that last turns from below the target reach with a probability of at most 2**-52."""
        last_round = self.model.last_round
        return self.states.target + (last_round.negligible_points if last_round else 0)

    def _compute_turn_payoffs(self, value_table: ValueTable, start: PushPosition, cap: int) -> _TurnPayoffs:
        """Return the payoffs of a turn that is not a last turn, from the value table.

        With a last round, banks that reach the target are not in the value table. They pay what the last turns of the
        opponents leave.

        Args:
            value_table: the value table.
            start: the position at which the turn begins.
            cap: the largest bank, in units.
        """
        model = self.model
        line = self.number(start)[None]  # (1,): one lane
        transitions = model.transitions(line, cap)  # (endings, 1 lane)
        shares_past_target = self._solve_shares_past_target(start, cap)
        # The scores of the players after the next one are fixed in these shares. So a row of them, the states of all
        # opponents, is given by the state of the next player.
        _, next_state, *_ = self._state_numbers(start)  # from the mover on
        row_past_target = np.array([next_state])  # (1,): one lane
        shares = model.seat_payoffs(
            partial(self._read_values, value_table), line, transitions, shares_past_target, row_past_target
        )  # (seats, endings, 1 lane)
        is_zero = transitions.state == model.after_zero_turn(line)
        return _TurnPayoffs(shares[:, :, 0], is_zero[:, 0])

    def _solve_shares_past_target(self, start: PushPosition, cap: int) -> Doubles | None:
        """Return the opponents' chances to win once the mover has banked a total from the target on.

        Args:
            start: the position at which the mover's turn begins.
            cap: the largest bank, in units.

        Returns:
            (states of the next player, totals from the target on, opponents), where the players after the next one have
            the scores of the position; None without a last round.
        """
        last_round = self.model.last_round
        if last_round is None:
            return None
        score, _, *later_scores = self._scores_from_mover(start)  # without the next player's
        # The largest total told apart. A turn with the cap of the solve gets the payoffs of the solve, so that values
        # agree bit for bit. A longer turn has totals up to one that is reached with a probability of at most 2**-52.
        is_as_in_solve = cap == self._cap_in_solve(score)
        max_total = self.model.end_total if is_as_in_solve else self._max_last_total
        return _shares_past_target(last_round, tuple(later_scores), max_total)

    def _compute_last_turn_payoffs(self, start: PushPosition, cap: int) -> _TurnPayoffs:
        """Return the payoffs of a last turn, which a player has once an opponent has reached the target.

        A wipe pays what a bust does, because both leave the mover behind. No ending is a zero turn.

        Args:
            start: the position at which the turn begins.
            cap: the largest bank, in units.
        """
        bank_shares = self._compute_last_bank_shares(start, cap)
        bust = bank_shares[:, :1]  # as a bank of 0 points
        wins_all = np.eye(self.players)[:, :1]  # 1 to the mover, 0 to the others
        wipe = bust
        # (seats, endings), in the order of all turns: bust, win, wipe, then the banks.
        shares = np.hstack([bust, wins_all, wipe, bank_shares])
        no_zero_turn = np.zeros(shares.shape[1], dtype=bool)
        return _TurnPayoffs(shares, no_zero_turn)

    def _compute_last_bank_shares(self, start: PushPosition, cap: int) -> Doubles:
        """Return what banks of 0, 1, ..., ``cap`` points pay the seats in a last turn, mover first: (seats, banks).

        Args:
            start: the position at which the turn begins.
            cap: the largest bank, in units.
        """
        last_round = self.model.last_round
        assert last_round is not None
        score, *opponent_scores = self._scores_from_mover(start)
        # In turn order, the first opponent with the target began the last round. Opponents before that one still have
        # a last turn; that one and those after it have finished.
        has_target = [opponent_score >= self.states.target for opponent_score in opponent_scores]
        first_finished = has_target.index(True)
        later_scores = tuple(opponent_scores[:first_finished])
        finished_totals = np.array(opponent_scores[first_finished:])
        best_total = max(opponent_scores)
        last_turns = MultiplayerLastTurns(last_round, self.players, self._max_last_total)
        # One lane: the opponents' scores are known. So ``later_shares`` has a single combination of scores, number 0.
        rivals = LastTurnRivals(
            later_shares=_shares_in_last_turns(last_round, self.players, later_scores, last_turns.max_total),
            holders=opponent_scores.count(best_total),
            combination=np.array([0]),
            top_total=np.array([best_total]),
        )
        banks = last_turns.bank_shares(score, last_round.min_bank(score), cap, rivals)
        shares_with_turn = banks.with_turn[:, :, 0]  # (the mover and those who move later, banks) in the only lane
        share_of_holder = banks.each_holder[:, 0]  # (banks,) of each player who has the best total
        is_holder = finished_totals == best_total
        shares_of_finished = np.outer(is_holder, share_of_holder)  # (finished players, banks)
        return np.concatenate([shares_with_turn, shares_of_finished])


class _TurnPayoffs(NamedTuple):
    """The payoffs of the endings of one turn.

    Attributes:
        shares: (seats, endings) to the seats from the mover on.
        is_zero: (endings,) whether an ending is a zero turn.
    """

    shares: Doubles
    is_zero: NDArray[np.bool_]


@lru_cache(maxsize=MAX_CACHED_LAST_TURNS)
def _shares_past_target(last_round: LastTurns, later_scores: tuple[int, ...], max_total: int) -> Doubles:
    """Return the opponents' chances to win once the mover has banked a total from the target on.

    All opponents have a last turn. A tie is shared equally.

    Args:
        last_round: the last round of two players under these rules.
        later_scores: the scores of all players after the next one, in units.
        max_total: the largest of the mover's totals, in units.

    Returns:
        (states, totals, opponents), by the state of the next player and by the mover's total, the target first.
    """
    seats = len(later_scores) + 2
    last_turns = MultiplayerLastTurns(last_round, seats, max_total)
    later_shares = _shares_in_last_turns(last_round, seats, later_scores, max_total)
    next_player_scores = last_round.states.score  # by state
    # ``later_shares`` holds the shares in the last turns of the players after the next one. The next player's last turn
    # is put before these. The result is a list by the number of holders of the highest total. It has one entry: all
    # opponents still have a turn, so the mover alone is the holder.
    (shares,) = last_turns.with_earlier_mover(next_player_scores, later_shares)
    return shares


@lru_cache(maxsize=MAX_CACHED_LAST_TURNS)
def _shares_in_last_turns(last_round: LastTurns, seats: int, scores: tuple[int, ...], max_total: int) -> list[Doubles]:
    """Return the chances to win of players with these scores, who have their last turns one after the other.

    The chances depend on the highest total so far, and on the number of players who hold it (holders).

    Args:
        last_round: the last round of two players, which has the rules of a last turn.
        seats: the number of all players.
        scores: the scores of the players who still have a last turn, in turn order and in units.
        max_total: the largest total of a holder, in units.

    Returns:
        A list with an array for 1, 2, ... holders. Each is (1, totals, players with a turn). The first axis is the
        score of the player who moves first, of which there is only one. Totals are the highest so far, from the target
        on.
    """
    last_turns = MultiplayerLastTurns(last_round, seats, max_total)
    if not scores:
        return last_turns.shares_without_turns()
    first_mover_scores = np.array(scores[:1])  # the only score that this player may have
    later_shares = _shares_in_last_turns(last_round, seats, scores[1:], max_total)
    return last_turns.with_earlier_mover(first_mover_scores, later_shares)


def stored_mixed_actions(value_table: ValueTable) -> dict[int, MixedAction]:
    """Return the mixed actions of a value table, by line.

    An action with a probability of 0 or 1 is a pure turn, stored because the values alone do not imply it.
    """
    array = value_table.arrays.get("mixed", np.empty((0, 4)))
    is_stored = array[:, 0] >= 0
    return {int(line): MixedAction(*action) for line, *action in array[is_stored].tolist()}


def mixed_array(actions: Mapping[int, MixedAction]) -> Doubles:
    """Return mixed actions as the array ``mixed`` of a value table.

    Args:
        actions: mixed actions by line.

    Returns:
        (MAX_MIXED_ACTIONS, 4): entries with a line and the three fields of its action, in ascending order of lines.
        Entries that are not needed hold -1.
    """
    array = np.full((MAX_MIXED_ACTIONS, 4), -1.0)
    for number, (line, action) in enumerate(sorted(actions.items())):
        array[number] = (line, *action)
    return array
