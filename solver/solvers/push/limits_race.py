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
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ...turns.push_turn import Decisions, Doubles
from ...util.errors import SolveError
from ...util.progress_reporting import OpenEndedProgress, ProgressCallback
from ...util.threads import ThreadPool
from ..anderson import LATE_PATIENCE, iterate_to_fixed_point
from ..model import Ints, TurnWorkers
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
    """Values of all states, or numbers of turns, with room for what is no state.

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


class LimitsRace:
    """The equations of a race in which a player follows limits, and the opponent decides by a value table.

    Attributes:
        model: the equations of the race of two.
        limits: the policy of the player.
        table: the policy of the opponent.
        count: the number of own states of a player.
        endings: the number of endings of a turn.
        after_player: (states, endings), the player's own state after each ending, which is a column of
            ``_Values.opponent``; the last column if the game ends.
        after_opponent: by own state of the opponent, a row of ``_Values.player`` for each ending.
        lane_probabilities: (lanes, endings), the probabilities of the endings of the player's turns. Turns with equal
            decisions and caps share a lane.
        lanes: (opponent's states, player's states), the lane of each turn.
        opponent_probabilities: by own state of the opponent, (endings, player's states).
        constants: what turns pay by endings that end the game.
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
            threads: that walk turns.
            progress: called with the share that is done.
        """
        self.model, self.limits, self.table = model, limits, table
        self.count = model.count
        self.endings = model.turn.special_count + model.max_cap + 1
        self.after_player = np.empty((self.count, self.endings), dtype=np.int64)
        self.lanes = np.empty((self.count, self.count), dtype=np.int64)
        self.constants = _Constants(np.empty((self.count, self.count)), np.empty((self.count, self.count)))
        self.lane_probabilities = self._walk_player()
        pool = ThreadPool(threads)
        after_opponent, opponent_probabilities = list[Ints](), list[Doubles]()
        for opponent, (after, probabilities) in enumerate(pool.map(self._walk_opponent, range(self.count))):
            after_opponent.append(after)
            opponent_probabilities.append(probabilities)
            progress((opponent + 1) / self.count)
        self.after_opponent, self.opponent_probabilities = after_opponent, opponent_probabilities

    # --- The turns

    def _walk_player(self) -> Doubles:
        """Walk the player's turns; return the probabilities of endings by lane.

        The lanes, the next states and the constants are filled in.
        """
        model = self.model
        scores = model.states.score.tolist()
        lane_by_key = dict[tuple[int, int], int]()
        lane_probabilities = list[Doubles]()
        decisions_by_id = dict[int, Decisions]()  # keeps the arrays alive, so that their ids stay distinct
        for player in range(self.count):
            states = model.number(player, np.arange(self.count))
            caps = model.caps(states)
            transitions = model.transitions(states, model.max_cap)  # constants and states: (endings, opponent's states)
            self.after_player[player] = self._after(transitions.state[:, 0])
            for opponent, cap in enumerate(caps.tolist()):
                decisions = self.limits.decisions(scores[player], scores[opponent])
                key = id(decisions), cap
                if key not in lane_by_key:
                    decisions_by_id[id(decisions)] = decisions
                    lane_by_key[key] = len(lane_probabilities)
                    one_cap = caps[opponent : opponent + 1]
                    lane_probabilities.append(model.turn.reach_probabilities(decisions, one_cap, self.endings)[0][:, 0])
                self.lanes[opponent, player] = lane_by_key[key]
            probabilities = np.stack([lane_probabilities[lane] for lane in self.lanes[:, player]], axis=1)
            ends_game = transitions.state < 0
            self.constants.player[:, player] = _expected(probabilities, ends_game, transitions.constant)
        return np.array(lane_probabilities)

    def _walk_opponent(self, opponent: int) -> tuple[Ints, Doubles]:
        """Walk the turns of an own state of the opponent, against all own states of the player.

        The constants are filled in.

        Returns:
            (endings,) the own state after each ending, and (endings, player's states) their probabilities.
        """
        model = self.model
        all_states = model.number(opponent, np.arange(self.count))
        all_caps = model.caps(all_states)
        endings = model.turn.special_count + int(all_caps.max()) + 1
        all_probabilities = np.empty((endings, self.count))
        for first in range(0, self.count, LANES_PER_WALK):
            part = slice(first, first + LANES_PER_WALK)
            caps = all_caps[part]
            transitions = model.transitions(all_states[part], int(all_caps.max()))
            payoff = model.payoffs(self.table.values, transitions)
            decisions = model.turn.solve(payoff[None], caps, decisions=True).decisions
            assert decisions is not None
            probabilities = model.turn.reach_probabilities(decisions, caps, endings)[0]
            all_probabilities[:, part] = probabilities
            # The player gets the rest of the stake.
            ends_game = transitions.state < 0
            self.constants.opponent[opponent, part] = _expected(
                probabilities, ends_game, model.stake - transitions.constant
            )
        return self._after(transitions.state[:, 0]), all_probabilities

    def _after(self, next_states: Ints) -> Ints:
        """Return the own states that endings leave the mover, who is the last digit; ``width`` if the game ends."""
        return np.asarray(np.where(next_states >= 0, next_states % self.model.width, self.model.width))

    # --- The values

    def evaluate(
        self, start: int, progress: ProgressCallback = lambda share: None
    ) -> tuple[tuple[float, float], float]:
        """Return the player's values in both places of the round, and a bound of their error.

        Args:
            start: the state in which the game begins, for whoever moves first.
            progress: called with the share that is done.

        Raises:
            SolveError: the game does not end, or hardly ever.
        """
        model = self.model
        report_sweep = OpenEndedProgress(progress, 2 * TYPICAL_SWEEPS)
        values = self._zeros()
        mine = np.arange(self.count)
        for opponent in range(self.count):
            values.player[opponent] = self.table.values(model.number(mine, opponent))  # a first guess
        last_turn_error = self._fill_last_turns(values)
        change = self._settle(values, self.constants, COMPONENT_TOLERANCE, model.stake, report_sweep)
        rounding_of_sums = 2 * self.endings * UNIT_ROUNDOFF
        rounding = walk_rounding_bound(model.turn, model.max_cap) + rounding_of_sums
        turn_error = rounding + model.constant_error + change
        bound = turn_error * self._bound_turns(turn_error, report_sweep) + last_turn_error
        if not bound <= MAX_ERROR_BOUND:  # also if it is not a number
            raise SolveError(LOST_SCORES_MESSAGE)
        first, second = divmod(start, model.width)  # the own states of the player who moves first, and of the other
        return (float(values.player[second, first]), float(values.opponent[first, second])), bound

    def _zeros(self) -> _Values:
        """Return arrays of zeros."""
        columns = self.model.width + 1
        return _Values(np.zeros((columns, self.count)), np.zeros((self.count, columns)))

    def _fill_last_turns(self, values: _Values) -> float:
        """Fill in what last turns are worth, if the rules have a last round; return a bound of their error.

        Nothing comes after them, so their values are those of the turns alone. The opponent's are in the table.
        """
        model, scores, workers = self.model, self.model.states.score.tolist(), TurnWorkers()
        for past_points, states in enumerate(model.last_turn_blocks()):
            finished = self.count + past_points
            caps = model.caps(states)
            transitions = model.transitions(states)
            total = model.states.target + past_points
            rows = model.turn.row_count(int(caps.max()))
            decisions = [self.limits.decisions(score, total)[:rows] for score in scores]
            payoff = transitions.constant[None]
            solved = workers.solve(model.turn, payoff, caps, fixed_decisions=np.concatenate(decisions, axis=2))
            values.player[finished] = solved.value[0, : self.count]
            values.opponent[:, finished] = model.stake - self.table.values(states)
        return turn_rounding_bound(model.turn, model.max_cap) + model.constant_error if model.past_totals else 0.0

    def _settle(
        self,
        values: _Values,
        constants: _Constants,
        tolerance: float,
        upper: float,
        report_sweep: Callable[[], None],
    ) -> float:
        """Sweep until the values that are read early come out as they went in; return their last absolute change.

        Args:
            values: written; of early states they hold first guesses.
            constants: what turns pay by endings that end the game.
            tolerance: the largest change at which to stop, relative to the largest value if that exceeds 1.
            upper: the largest possible value.
            report_sweep: called after every sweep.
        """
        early_opponents = np.array(
            sorted({int(row) for own, rows in enumerate(self.after_opponent) for row in rows if row <= own}), dtype=int
        )

        def sweep(guess: Doubles) -> Doubles:
            values.player[early_opponents] = guess.reshape(-1, self.count)
            self._sweep(values, constants)
            report_sweep()
            return np.asarray(values.player[early_opponents].ravel())

        first_guess = values.player[early_opponents].ravel()
        guess, _ = iterate_to_fixed_point(sweep, first_guess, tolerance, 0.0, upper, LATE_PATIENCE)
        return float(np.abs(sweep(guess) - guess).max(initial=0.0))

    def _sweep(self, values: _Values, constants: _Constants) -> None:
        """Compute all values once, in the order of the opponent's own states, from the highest on."""
        lanes = np.empty(0, dtype=np.int64)
        for opponent in reversed(range(self.count)):
            rows = values.player[self.after_opponent[opponent]]  # (endings, player's states), a copy
            rows *= self.opponent_probabilities[opponent]
            values.opponent[opponent, : self.count] = constants.opponent[opponent] + rows.sum(axis=0)
            if not np.array_equal(lanes, self.lanes[opponent]):
                lanes = self.lanes[opponent]
                probabilities = self.lane_probabilities[lanes]  # (player's states, endings)
            columns = values.opponent[opponent][self.after_player]  # (player's states, endings), a copy
            columns *= probabilities
            values.player[opponent] = constants.player[opponent] + columns.sum(axis=1)

    def _bound_turns(self, turn_error: float, report_sweep: Callable[[], None]) -> float:
        """Return an upper bound of the expected number of turns to the end of the game, from any state.

        Numbers w that fall by at least a part of a turn, w >= part + P w, are as good as those that fall by a whole
        one, if they are divided by that part.

        Args:
            turn_error: an upper bound of the error of the probabilities of the endings of a turn, added up.
            report_sweep: called after every sweep.
        """
        turns = self._zeros()
        one_turn = _Constants(np.ones((self.count, self.count)), np.ones((self.count, self.count)))
        turns.player[self.count : -1] = turns.opponent[:, self.count : -1] = 1.0
        change = self._settle(turns, one_turn, TURN_COUNT_TOLERANCE, np.inf, report_sweep)
        most_turns = float(max(turns.player.max(), turns.opponent.max()))
        part = 1 - change - turn_error * most_turns
        if not part >= MIN_TURN:  # also if it is not a number
            raise SolveError(NO_BOUND_MESSAGE)
        return most_turns / part


def _expected(probabilities: Doubles, ends_game: NDArray[np.bool_], payoffs: Doubles) -> Doubles:
    """Return what the endings that end the game pay: (lanes,), from (endings, lanes) each.

    Endings that are not allowed pay an infinite amount, and have the probability 0.
    """
    is_paid = ends_game & (probabilities > 0)
    paid: Doubles = np.where(is_paid, probabilities * np.where(is_paid, payoffs, 0.0), 0.0).sum(axis=0)
    return paid
