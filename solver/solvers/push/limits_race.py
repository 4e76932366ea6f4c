"""Races of two in which a player follows limits against optimal play, and scores can fall: every turn is walked once.

All choices are fixed, so a turn is a probability for each of its endings, whatever they are worth. Those of the player
with limits depend on little more than the own score; those of the opponent are kept for each state. Sweeps then only
multiply these probabilities with values, and repeat until values that a lost score leads to come out as they went in.

Let m and o be the own states of the player and of the opponent. With F the player's value if the player is to move, G
if the opponent is, and the probabilities p and q of endings e,

    F[o, m] = c[o, m] + sum_e p[m, e] G[o, after(m, e)],    G[o, m] = d[o, m] + sum_e q[o, m, e] F[after(o, e), m].

Here c and d is what endings pay that end the game. A sweep takes the opponent's states from the highest on. For each it
finds G for all m, and from it F. So it only reads F early, where the opponent's score has fallen or stays the same.

*Error bound.* The equations are x = b + P x. Let w >= 1 + P w, such as the expected number of turns to the end of the
game, and let no equation be off by more than r. Then x is off by at most r max(w). The same sweeps find w.

Start reading at ``LimitsRace.evaluate``. Take-overs are not covered: these begin inside turns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ...turns.push_turn import Decisions, Doubles
from ...util.errors import SolveError
from ...util.progress_reporting import OpenEndedProgress, ProgressCallback
from ...util.threads import ThreadPool
from ..anderson import LATE_PATIENCE, iterate_to_fixed_point
from ..model import Ints, Transitions, TurnWorkers
from ..reference_solver import (
    COMPONENT_TOLERANCE,
    LOST_SCORES_MESSAGE,
    MAX_ERROR_BOUND,
    NO_BOUND_MESSAGE,
    TYPICAL_SWEEPS,
)
from ..rounding_bounds import UNIT_ROUNDOFF, turn_rounding_bound, walk_rounding_bound
from .fixed_policies import LimitsPolicy, TablePolicy
from .model import PushModel, RaceModel

LANES_PER_WALK = 64  # turns that are walked in one call, so that their decisions fit into the cache
TURN_COUNT_TOLERANCE = 2.0**-30  # relative, so that of a million expected turns none is off by half a turn
MIN_TURN = 0.5  # least part of a turn by which expected numbers of turns have to fall in every turn


def is_walked(model: PushModel) -> TypeGuard[RaceModel]:
    """Return whether ``LimitsRace`` evaluates limits against a value table: scores can fall, and no turn is taken over.

    Args:
        model: the equations of a race of two, or of other games, which are not walked.
    """
    return isinstance(model, RaceModel) and model.seats == 2 and model.has_cyclic_components and not model.dice


class _Values(NamedTuple):
    """Values of all states, or numbers of turns, with room for endings that lead to no state.

    Attributes:
        player: (width + 1, states), F by the opponent's own state and the player's. Rows from ``count`` on are totals
            of an opponent who has finished. The last row is 0, for endings that end the game.
        opponent: (states, width + 1), G by the opponent's own state and the player's. Columns from ``count`` on are
            totals of the player, who has finished, and the last one is 0.
    """

    player: Doubles
    opponent: Doubles


class _Constants(NamedTuple):
    """What turns pay by endings that end the game, to the player: (opponent's state, player's state) each."""

    player: Doubles
    opponent: Doubles


class WalkedRace:
    """The equations of a race in which the opponent decides by a value table, and the player in any fixed way.

    Attributes:
        model: the equations of the race of two.
        table_values: maps states to their values in the table by which the opponent decides.
        count: the number of own states of a player.
        endings: the number of endings of a turn, with banks up to the largest cap.
        after_player: (states, endings), the player's own state after each ending, which is a column of
            ``_Values.opponent``; the last column if the game ends.
        after_opponent: by own state of the opponent, a row of ``_Values.player`` for each ending.
        lane_probabilities: (lanes, endings), the probabilities of the endings of the player's turns.
        lanes: (opponent's states, player's states), the lane of each turn.
        opponent_probabilities: by own state of the opponent, (endings, player's states).
        constants: what turns pay by endings that end the game.
        early_opponents: the opponent's own states whose F a sweep reads before it computes it.
    """

    lane_probabilities: Doubles

    def __init__(self, model: RaceModel, table_values: Callable[[Ints], Doubles]) -> None:
        """Walk no turns yet.

        Args:
            model: the equations of a race of two, without take-overs.
            table_values: maps states to their values in the table by which the opponent decides.
        """
        self.model, self.table_values = model, table_values
        self.count = model.count
        self.endings = model.turn.special_count + model.max_cap + 1
        # Written by the walks of the turns.
        by_both_states = (self.count, self.count)  # (opponent's states, player's states)
        self.after_player = np.empty((self.count, self.endings), dtype=np.int64)
        self.lanes = np.empty(by_both_states, dtype=np.int64)
        self.constants = _Constants(np.empty(by_both_states), np.empty(by_both_states))
        self.after_opponent, self.opponent_probabilities = list[Ints](), list[Doubles]()

    # --- The turns of the opponent

    def walk_opponent(self, threads: int, progress: ProgressCallback) -> None:
        """Walk all turns of the opponent, and fill in where they lead and what they pay.

        Args:
            threads: the number of threads that walk the opponent's turns.
            progress: called with the share that is done.
        """
        pool = ThreadPool(threads)
        for opponent, (after, probabilities) in enumerate(pool.map(self._walk_opponent, range(self.count))):
            self.after_opponent.append(after)
            self.opponent_probabilities.append(probabilities)
            progress((opponent + 1) / self.count)

    def _walk_opponent(self, opponent: int) -> tuple[Ints, Doubles]:
        """Walk the opponent's turns from one own state, against all own states of the player; write their constants.

        Args:
            opponent: the own state of the opponent.

        Returns:
            (endings,) the opponent's own state after each ending, as in ``after_opponent``; and (endings, player's
            states) the probabilities of the endings. The endings are those up to the largest cap of these turns.
        """
        model = self.model
        states = model.number(opponent, np.arange(self.count))  # by the player's own state
        caps = model.caps(states)
        max_cap = int(caps.max())
        endings = model.turn.special_count + max_cap + 1
        probabilities = np.empty((endings, self.count))
        for first in range(0, self.count, LANES_PER_WALK):
            part = slice(first, first + LANES_PER_WALK)
            transitions = model.transitions(states[part], max_cap)
            payoff = model.payoffs(self.table_values, transitions)  # (endings, lanes)
            decisions = model.turn.solve(payoff[None], caps[part], decisions=True).decisions
            assert decisions is not None
            part_probabilities, _ = model.turn.reach_probabilities(decisions, caps[part], endings)  # (endings, lanes)
            probabilities[:, part] = part_probabilities
            ends_game = transitions.state < 0
            player_payoffs = model.stake - transitions.constant  # the rest of the stake
            self.constants.opponent[opponent, part] = _expected(part_probabilities, ends_game, player_payoffs)
        # One lane is enough: where an ending leads the opponent does not depend on the player's state.
        return self._own_state_after(model.transitions(states[:1], max_cap)), probabilities

    def _own_state_after(self, transitions: Transitions) -> Ints:
        """Return the mover's own state after each ending, (endings,): the last digit of the next line.

        It is ``count`` + k for a total of the target + k, and ``width`` if the game ends.

        Args:
            transitions: (endings, lanes), from one own state of the mover. The opponent's state makes no difference to
                the mover's, so the first lane tells.
        """
        next_lines = transitions.state[:, 0]
        return np.asarray(np.where(next_lines >= 0, next_lines % self.model.width, self.model.width))

    # --- The values

    @cached_property
    def rounding_of_turn(self) -> float:
        """A bound of the rounding error of an equation: of a walk and of the sum over its endings."""
        rounding_of_sums = 2 * self.endings * UNIT_ROUNDOFF
        return walk_rounding_bound(self.model.turn, self.model.max_cap) + rounding_of_sums

    def _zeros(self) -> _Values:
        """Return arrays of zeros."""
        columns = self.model.width + 1
        return _Values(np.zeros((columns, self.count)), np.zeros((self.count, columns)))

    @cached_property
    def early_opponents(self) -> Ints:
        """(early states,) the opponent's own states whose F a sweep reads before it computes it, ascending.

        A sweep takes the opponent's states from the highest on. At each it has not yet computed F of this state and of
        those below. Rows of ``_Values.player`` have the numbers of these states; those of finished games are above all.
        """
        early_states = set[int]()
        for opponent, next_states in enumerate(self.after_opponent):
            early_states.update(next_states[next_states <= opponent].tolist())
        return np.array(sorted(early_states), dtype=np.int64)

    def _settle(
        self,
        values: _Values,
        constants: _Constants,
        tolerance: float,
        upper: float,
        report_sweep: Callable[[], None],
    ) -> float:
        """Repeat sweeps until the values that are read early come out as they went in.

        Args:
            values: written by the sweeps. F of early states holds first guesses.
            constants: what turns pay by endings that end the game.
            tolerance: the largest change at which to stop, relative to the largest value if that exceeds 1.
            upper: the largest possible value.
            report_sweep: called after every sweep.

        Returns:
            The largest absolute change of an early value in the last sweep.
        """
        early = self.early_opponents

        def sweep(guess: Doubles) -> Doubles:  # maps F of all early states, in one axis, to the next F of these
            values.player[early] = guess.reshape(-1, self.count)
            self._sweep(values, constants)
            report_sweep()
            return np.asarray(values.player[early].ravel())

        first_guess = values.player[early].ravel()
        guess, _ = iterate_to_fixed_point(sweep, first_guess, tolerance, 0.0, upper, LATE_PATIENCE)
        # The last sweep started from another guess. One more sweep, from this one, writes the values that belong to it.
        return float(np.abs(sweep(guess) - guess).max(initial=0.0))

    def _sweep(self, values: _Values, constants: _Constants) -> None:
        """Compute all values once, for each own state o of the opponent, from the highest on.

        First comes G[o, m] for all own states m of the player. It reads F of higher states, which this sweep has
        computed, and F of early states as it was before. Then comes F[o, m], which reads only G of the same o.

        Args:
            values: F and G; read and written.
            constants: c and d, what turns pay by endings that end the game.
        """
        lanes = np.empty(0, dtype=np.int64)
        for opponent in reversed(range(self.count)):
            # G[o, m] = d[o, m] + sum_e q[o, m, e] F[after(o, e), m], with the endings e first.
            opponent_terms = values.player[self.after_opponent[opponent]]  # (endings, player's states), a copy
            opponent_terms *= self.opponent_probabilities[opponent]
            values.opponent[opponent, : self.count] = constants.opponent[opponent] + opponent_terms.sum(axis=0)
            # F[o, m] = c[o, m] + sum_e p[m, e] G[o, after(m, e)]. Neighbours often have the same lanes, and then p is
            # not gathered again.
            if not np.array_equal(lanes, self.lanes[opponent]):
                lanes = self.lanes[opponent]
                probabilities = self.lane_probabilities[lanes]  # (player's states, endings)
            player_terms = values.opponent[opponent][self.after_player]  # (player's states, endings), a copy
            player_terms *= probabilities
            values.player[opponent] = constants.player[opponent] + player_terms.sum(axis=1)

    def _bound_turns(
        self, turns: _Values, turn_error: float, tolerance: float, report_sweep: Callable[[], None]
    ) -> float:
        """Return an upper bound of the expected number of turns to the end of the game, from any state.

        The sweeps find w with w = 1 + P w, up to errors. An equation is off by at most the last change of the early
        values and ``turn_error`` max(w). So w >= part + P w, where ``part`` is 1 minus both. Divided by ``part``, these
        numbers fall by at least a whole turn in every turn: w / part >= 1 + P w / part.

        Args:
            turns: w by state, which holds first guesses and is written. A player who has finished has one last turn.
            turn_error: an upper bound of the error of the probabilities of the endings of a turn, added up.
            tolerance: the relative change at which sweeps end.
            report_sweep: called after every sweep.

        Returns:
            The bound, or infinity if the numbers hardly fall.
        """
        one_turn = _Constants(np.ones((self.count, self.count)), np.ones((self.count, self.count)))
        change = self._settle(turns, one_turn, tolerance, np.inf, report_sweep)
        most_turns = float(max(turns.player.max(), turns.opponent.max()))
        part = 1 - change - turn_error * most_turns
        return most_turns / part if part >= MIN_TURN else np.inf  # also if it is not a number

    def _first_turn_counts(self) -> _Values:
        """Return first guesses of the numbers of turns: 1 if a player has finished, as there is one last turn, or 0."""
        turns = self._zeros()
        finished = slice(self.count, -1)  # the last index, of games that have ended, stays 0
        turns.player[finished] = 1.0
        turns.opponent[:, finished] = 1.0
        return turns


class LimitsRace(WalkedRace):
    """The equations of a race in which the player follows limits.

    Turns of the player with equal decisions and caps share a lane.

    Attributes:
        limits: the policy of the player.
    """

    def __init__(
        self,
        model: RaceModel,
        limits: LimitsPolicy,
        table: TablePolicy,
        threads: int,
        progress: ProgressCallback = lambda share: None,
    ) -> None:
        """Walk all turns.

        Args:
            model: the equations of a race of two, without take-overs.
            limits: the policy of the player.
            table: the policy of the opponent.
            threads: the number of threads that walk the opponent's turns.
            progress: called with the share that is done.
        """
        super().__init__(model, table.values)
        self.limits = limits
        self.lane_probabilities = self._walk_player()  # it also fills in where the player's turns lead, and their pay
        self.walk_opponent(threads, progress)

    def _walk_player(self) -> Doubles:
        """Walk the player's turns: write ``after_player``, ``lanes`` and the player's constants.

        Returns:
            (lanes, endings), the attribute ``lane_probabilities``.
        """
        model = self.model
        scores = model.states.score.tolist()
        lane_by_key = dict[tuple[int, int], int]()
        lane_probabilities = list[Doubles]()
        decisions_by_id = dict[int, Decisions]()  # keeps the arrays alive, so that their ids stay distinct
        for player in range(self.count):
            states = model.number(player, np.arange(self.count))  # by the opponent's own state
            caps = model.caps(states)
            transitions = model.transitions(states, model.max_cap)  # (endings, opponent's states)
            self.after_player[player] = self._own_state_after(transitions)
            for opponent, cap in enumerate(caps.tolist()):
                decisions = self.limits.decisions(scores[player], scores[opponent])
                key = id(decisions), cap
                if key not in lane_by_key:
                    decisions_by_id[id(decisions)] = decisions
                    lane_by_key[key] = len(lane_probabilities)
                    lane_probabilities.append(self._walk_turn(decisions, cap))
                self.lanes[opponent, player] = lane_by_key[key]
            probabilities = np.stack([lane_probabilities[lane] for lane in self.lanes[:, player]], axis=1)
            ends_game = transitions.state < 0
            self.constants.player[:, player] = _expected(probabilities, ends_game, transitions.constant)
        return np.array(lane_probabilities)

    def _walk_turn(self, decisions: Decisions, cap: int) -> Doubles:
        """Return the probability of each ending of one turn of the player: (endings,).

        Args:
            decisions: (turn points, modes + roll classes, 1), the decisions of the turn.
            cap: the turn points at which its table ends.
        """
        one_cap = np.array([cap], dtype=np.int32)
        probabilities, _ = self.model.turn.reach_probabilities(decisions, one_cap, self.endings)  # (endings, 1 lane)
        return probabilities[:, 0]

    def evaluate(
        self, start: int, progress: ProgressCallback = lambda share: None
    ) -> tuple[tuple[float, float], float]:
        """Return the player's values in both places of the round, and a bound of their error.

        The bound is that of the module docstring, r max(w). An equation is off by r: by rounding, by the error of its
        constants, and by the last change of the values that are read early. A game has at most one last turn, whose
        error is added.

        Args:
            start: the state in which the game begins, as the player who moves first sees it.
            progress: called with the share that is done.

        Returns:
            The player's value if the player moves first and if the opponent does; and the bound.

        Raises:
            SolveError: the game does not end, or hardly ever.
        """
        model = self.model
        report_sweep = OpenEndedProgress(progress, 2 * TYPICAL_SWEEPS)  # for the values, then for numbers of turns
        values = self._zeros()
        mine = np.arange(self.count)
        for opponent in range(self.count):
            values.player[opponent] = self.table_values(model.number(mine, opponent))  # a first guess
        last_turn_error = self._fill_last_turns(values)
        change = self._settle(values, self.constants, COMPONENT_TOLERANCE, model.stake, report_sweep)
        turn_error = self.rounding_of_turn + model.constant_error + change  # r
        turns = self._first_turn_counts()
        max_turns = self._bound_turns(turns, turn_error, TURN_COUNT_TOLERANCE, report_sweep)  # max(w)
        if max_turns == np.inf:
            raise SolveError(NO_BOUND_MESSAGE)
        bound = turn_error * max_turns + last_turn_error
        if not bound <= MAX_ERROR_BOUND:  # also if it is not a number
            raise SolveError(LOST_SCORES_MESSAGE)
        first, second = divmod(start, model.width)  # the own states of the player who moves first, and of the other
        # Both tables go by the opponent's own state, then by the player's.
        return (float(values.player[second, first]), float(values.opponent[first, second])), bound

    def _fill_last_turns(self, values: _Values) -> float:
        """Write the values of last turns, if the rules have a last round; return a bound of their error, otherwise 0.

        The game ends with them, so their values follow from their turns alone. The opponent's are in the table.

        Args:
            values: written where a player has finished.
        """
        model = self.model
        if not model.past_totals:
            return 0.0
        scores = model.states.score.tolist()
        workers = TurnWorkers()
        for past_points, states in enumerate(model.last_turn_blocks()):  # (states,) by the mover's own state
            finished = self.count + past_points  # the own state of the other player
            opponent_total = model.states.target + past_points
            caps = model.caps(states)
            row_count = model.turn.row_count(int(caps.max()))  # numbers of turn points in the tables of these turns
            # Decisions go up to the largest cap of all turns; these tables may end earlier.
            decisions = [self.limits.decisions(score, opponent_total)[:row_count] for score in scores]
            decisions_by_lane = np.concatenate(decisions, axis=2)  # (turn points, modes + roll classes, lanes)
            payoff = model.transitions(states).constant[None]  # (1 channel, endings, lanes)
            solved = workers.solve(model.turn, payoff, caps, fixed_decisions=decisions_by_lane)
            values.player[finished] = solved.value[0]  # the opponent has finished
            # The player has finished, and gets what the opponent's chance leaves of the stake, which is 1.
            values.opponent[:, finished] = model.stake - self.table_values(states)
        return turn_rounding_bound(model.turn, model.max_cap) + model.constant_error


def _expected(probabilities: Doubles, ends_game: NDArray[np.bool_], payoffs: Doubles) -> Doubles:
    """Return what the endings that end the game pay on average: (lanes,).

    Args:
        probabilities: (endings, lanes), of the endings.
        ends_game: (endings, lanes), whether an ending ends the game; the others pay nothing here.
        payoffs: (endings, lanes), what each pays. An ending that is not allowed pays an infinite amount, and has the
            probability 0.
    """
    is_paid = ends_game & (probabilities > 0)
    paid: Doubles = np.where(is_paid, probabilities * np.where(is_paid, payoffs, 0.0), 0.0).sum(axis=0)
    return paid
