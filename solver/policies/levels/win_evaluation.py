"""Win probabilities of many policies in a race of two against optimal play, and the turns that they play.

A policy observes the own score and at most the band of the opponent's score. So the probabilities of its endings are
walked once for each of these. The opponent plays by the solved table, whatever is played against it. So the
probabilities of its endings are walked once for each pair of scores, and kept. The rest is linear. Let F be the
probability to win if the policy is to move, and G the same if the opponent is to move, by the opponent's view. With the
probabilities P and Q of endings,

    F = c + P G + p G',    G = d + Q F + q F'.

Here c and d are won at once, and p and q are zero turns, which lead to the same scores as the next mover sees them.
Blocks of positions are those of a solve; if scores can be lost, sweeps repeat. The values that users see come from
``FixedPolicyModel``, with their bounds.

*Error bound if scores can be lost.* These equations are x = b + P x. Let w >= 1 + P w, such as the expected number of
turns to the end of the game, and let no equation be off by more than r. Then x is off by at most r max(w).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...solvers import ValueTable
from ...solvers.anderson import LATE_PATIENCE, iterate_to_fixed_point
from ...solvers.model import Ints, TurnWorkers
from ...solvers.push.model import RaceModel
from ...solvers.push.race_problems import PushWinProblem
from ...solvers.rounding_bounds import UNIT_ROUNDOFF, walk_rounding_bound
from ...turns.push_turn import Doubles, PushTurn
from ...util import progress_reporting
from ...util.progress_reporting import ProgressCallback
from .push_search import Cells, Estimate, Turns, policy_decisions

STANDS = 1e-12  # sweeps have settled, and turns that change nothing
NEARLY_COUNTED = 2.0**-10  # relative change at which sweeps for numbers of turns end, unless that is not enough
MIN_TURN = 0.5  # least part of a turn by which expected numbers of turns have to fall in every turn
ROUNDS_END = 1e-6  # a round lowers the most by less
LOST = 1e-7  # of how often positions are come to, what is not followed any more
SELDOM = 2.0**-50  # an ending that no turn comes to more often is left out of a price
WALKED = 8_000_000  # decisions of turns that are walked together
LINKED = 4096  # positions whose links are looked at together

Bools = NDArray[np.bool_]
Sides = tuple[int, int]  # bands of the own score and of the other's


class OpponentTransitions(NamedTuple):
    """The opponent's turns, from each position in the order of solving.

    Attributes:
        won: (positions,), the probability that the turn wins for us at once.
        zero_probability: (positions,), the probability that it changes nothing.
        first: (positions + 1,), where the moves of each position begin in the arrays below.
        row: (moves,), the position of each move.
        next_position: (moves,), the position that it leads to.
        chance: (moves,), its probability.
    """

    won: Doubles
    zero_probability: Doubles
    first: Ints
    row: Ints
    next_position: Ints
    chance: Doubles


class PolicyTurns(NamedTuple):
    """The turns of the policy.

    Attributes:
        ends: (lanes, endings), the probabilities of the endings that occur.
        lane: (positions,), the lane of each position.
        next_position: (positions, endings), the position that each ending leads to.
        won: (positions,), the probability to win at once.
        zero_probability: (positions,), the probability that the turn changes nothing.
        by_table: (positions,), True if we play by the table there, as the opponent does.
    """

    ends: Doubles
    lane: Ints
    next_position: NDArray[np.int32]
    won: Doubles
    zero_probability: Doubles
    by_table: Bools

    def ending_probabilities(self, begin: int, end: int) -> Doubles:
        """Return the probabilities of the endings of some positions: (positions, endings)."""
        return np.asarray(self.ends[self.lane[begin:end]])


class TurnPayments(NamedTuple):
    """What turns pay at once, by position in the order of solving.

    Attributes:
        player: (positions,), turns of the policy.
        by_table: (positions,), turns of the player in cells that play by the table; None if there are none.
        opponent: (positions,), turns of the opponent.
    """

    player: Doubles
    by_table: Doubles | None
    opponent: Doubles


class Chances(NamedTuple):
    """Win probabilities under a policy.

    Attributes:
        player: (positions + 1,), F by position in the order of solving, with 0 behind the last.
        opponent: (positions + 1,), G.
        change: the largest change of an early value in the last sweep, 0 if scores cannot be lost.
    """

    player: Doubles
    opponent: Doubles
    change: float


@dataclass
class Winning:
    """A race of two players, in which policies are evaluated; it is solved when that is first needed."""

    problem: PushWinProblem

    @cached_property
    def plain(self) -> RaceModel:
        """The transition model of the race."""
        model = self.problem.model
        assert isinstance(model, RaceModel)
        return model

    @cached_property
    def value_table(self) -> ValueTable:
        """The value table of the race."""
        with progress_reporting.start_progress(f"solving {self.problem.game.id}") as progress:
            return self.problem.solve(1, progress)

    @cached_property
    def blocks(self) -> list[Ints]:
        """The positions by block, in the order of solving."""
        return [states for blocks in self.plain.components() for states in blocks]

    @cached_property
    def ends(self) -> list[int]:
        """The index at which each block begins and ends in the order of solving."""
        return [0, *np.cumsum([len(states) for states in self.blocks]).tolist()]

    @cached_property
    def order(self) -> Ints:
        """The positions in the order of solving."""
        return np.concatenate(self.blocks)

    @cached_property
    def place(self) -> Ints:
        """The index of each position in the order of solving."""
        places = np.zeros(self.plain.state_count, dtype=np.int64)
        places[self.order] = np.arange(len(self.order))
        return places

    @cached_property
    def swapped(self) -> Ints:
        """By index, that of the same scores as the opponent sees them; for last turns their own."""
        mine, theirs = np.divmod(self.order, self.plain.width)
        count = len(self.problem.states)
        is_last_turn = theirs >= count
        return self.place[
            np.where(is_last_turn, self.order, self.plain.number(np.where(is_last_turn, 0, theirs), mine))
        ]

    @property
    def endings(self) -> int:
        """The transitions of every turn, with banks up to the largest cap."""
        return self.plain.turn.special_count + self.plain.max_cap + 1

    @cached_property
    def links(self) -> tuple[NDArray[np.int32], Doubles]:
        """By index and ending, the index that it leads to or -1, and the payoff then; 0 if it is not allowed."""
        shape = len(self.order), self.endings
        next_position, constants = np.full(shape, -1, dtype=np.int32), np.zeros(shape)
        is_last_turn = self.order % self.plain.width >= len(self.problem.states)
        for states in (np.flatnonzero(is_last_turn), np.flatnonzero(~is_last_turn)):
            for first in range(0, len(states), LINKED):
                block = states[first : first + LINKED]
                transitions = self.plain.transitions(self.order[block], self.plain.max_cap)
                leads = transitions.state >= 0
                next_position[block] = np.where(leads, self.place[np.maximum(transitions.state, 0)], -1).T
                constants[block] = np.where(leads, 0.0, np.maximum(transitions.constant, 0.0)).T
        return next_position, constants

    # --- the turns of both

    @cached_property
    def opponent_transitions(self) -> OpponentTransitions:
        """The opponent's moves under optimal play; what they do not win is won by us."""
        lanes = max(64, self._together)
        won, zero_probability = np.zeros(len(self.order)), np.zeros(len(self.order))
        parts = list[tuple[Ints, Ints, Doubles]]()
        for first in range(0, len(self.order), lanes):
            block = slice(first, first + lanes)
            ends = self._by_table(np.arange(len(self.order))[block])
            row, ending = np.nonzero(ends.T)
            chance, next_position, constants = (
                ends[ending, row],
                self.links[0][block][row, ending],
                self.links[1][block][row, ending],
            )
            back, leads = next_position == self.swapped[block][row], next_position >= 0
            count = ends.shape[1]
            won[block] = np.bincount(row, np.where(leads, 0.0, chance * (1 - constants)), count)
            zero_probability[block] = np.bincount(row, np.where(back, chance, 0.0), count)
            is_transition = leads & ~back
            parts.append(
                (row[is_transition] + first, next_position[is_transition].astype(np.int64), chance[is_transition])
            )
        row, place = (np.concatenate([part[part_index] for part in parts]) for part_index in (0, 1))
        often = np.concatenate([part[2] for part in parts])
        return OpponentTransitions(
            won, zero_probability, np.searchsorted(row, np.arange(len(self.order) + 1)), row, place, often
        )

    @cached_property
    def wins(self) -> Doubles:
        """The probability that the mover wins at once under optimal play."""
        led = np.bincount(self.opponent_transitions.row, self.opponent_transitions.chance, len(self.order))
        return np.asarray(1 - self.opponent_transitions.won - self.opponent_transitions.zero_probability - led)

    @property
    def _together(self) -> int:
        """The number of turns that are walked together."""
        return WALKED // (self.plain.turn.row_count(self.plain.max_cap) * (self.plain.turn.class_count + 1))

    def _by_table(self, indices: Ints) -> Doubles:
        """Return the probabilities of the endings of turns under optimal play."""
        plain, turn, states = self.plain, self.plain.turn, self.order[indices]
        payoff, values = np.empty((1, self.endings, len(indices))), partial(self.problem.read, self.value_table)
        is_last_turn = states % plain.width >= len(self.problem.states)
        for chosen_lanes in (is_last_turn, ~is_last_turn):
            if chosen_lanes.any():
                payoff[0, :, chosen_lanes] = plain.payoffs(
                    values, plain.transitions(states[chosen_lanes], plain.max_cap)
                ).T
        decided = turn.solve(payoff, plain.caps(states), decisions=True).decisions
        assert decided is not None
        return turn.reach_probabilities(decided, plain.caps(states), self.endings)[0]

    def lanes(self, sides: Sides) -> tuple[Turns, Callable[[Ints], Ints]]:
        """Return the turns of a policy, without payoffs, and a function from positions to their lanes.

        Lanes are by own state and band of the opponent's score; last turns are lanes of their own.

        Args:
            sides: the numbers of bands of the own score and of the opponent's.
        """
        states, plain, (own_side, side) = self.problem.states, self.plain, sides
        mine = np.repeat(np.arange(len(states)), side + 1)
        where = np.tile(np.arange(side + 1), len(states))
        own_band, band = self.bands(own_side), self.bands(side)
        cell = own_band[states.score[mine] - states.lowest_score] * side + np.minimum(where, side - 1)
        least, caps = states.min_banks[mine], states.caps[mine].astype(np.int64)
        if plain.last_round:
            least = np.where(where == side, plain.last_turn_min_banks[mine], least)
            caps = np.maximum(caps, plain.max_cap)
        turns = Turns(
            np.zeros((self.endings, len(mine))), caps.astype(np.int32), least, states.goal - states.score[mine], cell
        )

        def lane(positions: Ints) -> Ints:
            own, theirs = np.divmod(positions, plain.width)
            is_last_turn = theirs >= len(states)
            their = states.score[np.where(is_last_turn, 0, theirs)] - states.lowest_score
            return np.asarray(own * (side + 1) + np.where(is_last_turn, side, band[their]))

        return turns, lane

    def bands(self, side: int) -> Ints:
        """Return, by score from the lowest on, the index of its band of so many."""
        begins = np.array(self.begins(side)) // self.problem.rules.grain
        scores = np.arange(self.problem.states.lowest_score, self.problem.states.target)
        return np.maximum(0, np.searchsorted(begins, scores, side="right") - 1)

    def begins(self, side: int) -> tuple[int, ...]:
        """Return the scores at which bands begin, in points."""
        rules = self.problem.rules
        return tuple(round(band * rules.target / side / rules.grain) * rules.grain for band in range(side))

    def _policy_turns(self, policies: Sequence[Cells], sides: Sides, open_: Collection[int]) -> Iterator[PolicyTurns]:
        """Return the turns of some policies, walked together; cells that are ``open_`` play by the table."""
        turns_of_one, lane = self.lanes(sides)
        lanes = lane(self.order)
        turn_index = np.tile(np.arange(len(turns_of_one.cell)), len(policies))
        turns = turns_of_one.part(turn_index)
        turns.cell[:] += np.repeat(np.arange(len(policies)) * len(policies[0]), len(turns_of_one.cell))
        follow = policy_decisions(self.problem.rules, turns, [cell for cells in policies for cell in cells])
        ends = self.plain.turn.reach_probabilities(follow, turns.caps, self.endings)[0].T
        reached_endings = np.flatnonzero(ends.max(axis=0) > SELDOM)
        next_position = np.take(self.links[0], reached_endings, axis=1)
        row, ending = np.nonzero(next_position == self.swapped[:, None])
        by_table = np.isin(turns_of_one.cell[lanes], [*open_])
        for part in np.split(np.ascontiguousarray(ends[:, reached_endings]), len(policies)):
            zero_probability = np.asarray(np.bincount(row, part[lanes[row], ending], len(self.order)), dtype=float)
            won = np.empty(len(self.order))
            for first in range(0, len(won), LINKED):
                block = slice(first, first + LINKED)
                won[block] = (self.links[1][block][:, reached_endings] * part[lanes[block]]).sum(axis=1)
            yield PolicyTurns(
                part,
                lanes,
                next_position,
                won,
                np.where(by_table, self.opponent_transitions.zero_probability, zero_probability),
                by_table,
            )

    # --- what a policy brings

    def values(
        self,
        policies: Sequence[Cells],
        sides: Sides = (1, 1),
        open_: Collection[int] = (),
        progress: ProgressCallback = lambda share: None,
    ) -> list[float]:
        """Return the values of ``estimates`` alone."""
        return [estimate.value for estimate in self.estimates(policies, sides, open_, progress)]

    def estimates(
        self,
        policies: Sequence[Cells],
        sides: Sides = (1, 1),
        open_: Collection[int] = (),
        progress: ProgressCallback = lambda share: None,
    ) -> list[Estimate]:
        """Return the mean win probability of both seats for some policies, with bounds of the errors.

        Args:
            policies: the policies.
            sides: the numbers of bands of the own score and of the opponent's.
            open_: cells that play by the table.
            progress: called with the share that is done.
        """
        means = list[Estimate]()
        together = max(1, self._together // (len(self.problem.states) * (sides[1] + 1)))
        for first in range(0, len(policies), together):
            for policy_turns in self._policy_turns(policies[first : first + together], sides, open_):
                chances = self._chances(policy_turns)
                error = self._error_bound(policy_turns, chances.change) if self.plain.has_cyclic_components else 0.0
                mean = float(chances.player[self.start] + chances.opponent[self.start]) / 2
                means.append(Estimate(mean, error))
                progress(len(means) / len(policies))
        return means

    @cached_property
    def start(self) -> int:
        """The index of the start."""
        state = self.problem.states.number(0)
        return int(self.place[self.plain.number(state, state)])

    def _chances(self, policy_turns: PolicyTurns) -> Chances:
        """Return F and G by index."""
        by_table = self.wins if policy_turns.by_table.any() else None
        won = TurnPayments(policy_turns.won, by_table, self.opponent_transitions.won)
        first, second = self._guess
        if not self.plain.has_cyclic_components:
            self._sweep(policy_turns, won, first, second)
            return Chances(first, second, 0.0)
        return Chances(first, second, self._settle(policy_turns, won, self._guess, STANDS, 1.0))

    def _settle(
        self,
        policy_turns: PolicyTurns,
        paid: TurnPayments,
        values: tuple[Doubles, Doubles],
        tolerance: float,
        upper: float,
    ) -> float:
        """Repeat sweeps until the values that are read early come out as they went in.

        Args:
            policy_turns: the turns of the policy.
            paid: what turns pay at once.
            values: by index, F and G with 0 behind the last; they hold first guesses, and are written.
            tolerance: the largest change at which to stop, relative to the largest value if that exceeds 1.
            upper: the largest possible value.

        Returns:
            The largest absolute change of an early value in the last sweep.
        """
        first, second = values
        early, change = self._early_states, np.inf

        def sweep(guess: Doubles) -> Doubles:
            nonlocal change
            first[early], second[early] = np.split(guess, 2)
            self._sweep(policy_turns, paid, first, second)
            result = np.concatenate([first[early], second[early]])
            change = float(np.abs(result - guess).max(initial=0.0))
            return result

        first_guess = np.concatenate([first[early], second[early]])
        guess, residual = iterate_to_fixed_point(sweep, first_guess, tolerance, 0.0, upper, LATE_PATIENCE)
        if residual > tolerance:  # the last sweep was not the best
            sweep(guess)
        return change

    def _sweep(self, policy_turns: PolicyTurns, paid: TurnPayments, first: Doubles, second: Doubles) -> None:
        """Compute F and G once, block by block; those of early positions are read before they are written."""
        theirs = self.opponent_transitions
        for begin, end in pairwise(self.ends):
            block, like = slice(begin, end), self.swapped[begin:end]
            second[block] = 0.0  # to which only turns lead that change nothing
            mine = paid.player[block] + (
                second[policy_turns.next_position[block]] * policy_turns.ending_probabilities(begin, end)
            ).sum(axis=1)
            if paid.by_table is not None:
                by_table = paid.by_table[block] + _transition_values(theirs, second, begin, end)
                mine = np.where(policy_turns.by_table[block], by_table, mine)
            opponents_value = paid.opponent[block] + _transition_values(theirs, first, begin, end)
            first[block] = (mine + policy_turns.zero_probability[block] * opponents_value[like - begin]) / (
                1 - policy_turns.zero_probability[block] * theirs.zero_probability[like]
            )
            second[block] = opponents_value + theirs.zero_probability[block] * first[like]

    def _error_bound(self, policy_turns: PolicyTurns, change: float) -> float:
        """Return a bound of the error of values that sweeps have found: r max(w) of the module docstring.

        An equation is off by the last change of the values that are read early, by endings that are left out because
        they hardly occur, and by rounding. The sweeps for w end early: with a change d, w / (1 - d) is enough.

        Args:
            policy_turns: the turns of the policy.
            change: the largest absolute change of an early value in the last sweep.
        """
        walk_error = walk_rounding_bound(self.plain.turn, self.plain.max_cap) + self.endings * (SELDOM + UNIT_ROUNDOFF)
        turn_error = walk_error + self.plain.constant_error + change
        ones = np.ones(len(self.order))
        one_turn = TurnPayments(ones, ones if policy_turns.by_table.any() else None, ones)
        for tolerance in (NEARLY_COUNTED, STANDS):
            turn_change = self._settle(policy_turns, one_turn, self._turn_counts, tolerance, np.inf)
            most_turns = max(float(counts.max()) for counts in self._turn_counts)
            part = 1 - turn_change - walk_error * most_turns
            if part >= MIN_TURN:
                return turn_error * most_turns / part
        self._turn_counts[0][:-1] = self._turn_counts[1][:-1] = 1.0
        return np.inf

    @cached_property
    def _turn_counts(self) -> tuple[Doubles, Doubles]:
        """Expected numbers of turns by index, with 0 behind the last: those of the last policy, a first guess."""
        counts = np.ones(len(self.order) + 1)
        counts[-1] = 0.0
        return counts, counts.copy()

    @cached_property
    def _guess(self) -> tuple[Doubles, Doubles]:
        """The values that sweeps begin with: those of the last evaluation."""
        start = np.full(len(self.order) + 1, 0.5)
        start[-1] = 0.0
        return start, start.copy()

    @cached_property
    def _early_states(self) -> Ints:
        """Indices of early states, which are read before they are solved."""
        ends = np.repeat(self.ends[1:], np.diff(self.ends))
        next_position = self.links[0]
        return np.unique(next_position[next_position >= ends[:, None]])

    def path(self, cells: Cells, sides: Sides, open_: Collection[int] = ()) -> Turns:
        """Return the turns of a policy with the payoffs of their endings, times how often they are played.

        Turns in cells that are ``open_`` are played by the table, and left out.
        """
        turns, lane = self.lanes(sides)
        (policy_turns,) = self._policy_turns([cells], sides, open_)
        second = self._chances(policy_turns).opponent
        often = np.where(policy_turns.by_table, 0.0, self._often(policy_turns))
        for begin in range(0, len(self.order), LINKED):
            block = np.flatnonzero(often[begin : begin + LINKED] > 0) + begin
            if not len(block):
                continue
            next_position, constants = (table[block].T for table in self.links)
            constants = constants + second[next_position]
            lanes = lane(self.order[block])
            sorted_ = np.argsort(lanes, kind="stable")
            starts = np.flatnonzero(np.diff(lanes[sorted_], prepend=-1))
            turns.payoff[:, lanes[sorted_][starts]] += np.add.reduceat(
                (constants * often[block])[:, sorted_], starts, axis=1
            )
        return turns.part(np.flatnonzero(turns.payoff.any(axis=0)))

    def _often(self, policy_turns: PolicyTurns) -> Doubles:
        """Return the expected number of times that each of our turns is played: the mean of both seats."""
        theirs, swapped, size = self.opponent_transitions, self.swapped, len(self.order)
        mine, opponent_visits, totals = np.zeros(size + 1), np.zeros(size + 1), np.zeros(size)
        mine[self.start] = opponent_visits[self.start] = 0.5
        while mine.sum() + opponent_visits.sum() > LOST:
            for end, begin in pairwise(self.ends[::-1]):
                block, like = slice(begin, end), swapped[begin:end]
                own_arrivals, opponent_arrivals = mine[block].copy(), opponent_visits[block].copy()
                if not own_arrivals.any() and not opponent_arrivals.any():
                    continue
                visits = (own_arrivals + theirs.zero_probability[like] * opponent_arrivals[like - begin]) / (
                    1 - policy_turns.zero_probability[block] * theirs.zero_probability[like]
                )
                opponent_arrivals = opponent_arrivals + policy_turns.zero_probability[like] * visits[like - begin]
                totals[block] += visits
                mine_ = np.where(policy_turns.by_table[block], 0.0, visits)
                np.add.at(
                    opponent_visits,
                    policy_turns.next_position[block],
                    policy_turns.ending_probabilities(begin, end) * mine_[:, None],
                )
                moves = slice(theirs.first[begin], theirs.first[end])
                np.add.at(
                    opponent_visits,
                    theirs.next_position[moves],
                    theirs.chance[moves] * (visits - mine_)[theirs.row[moves] - begin],
                )
                np.add.at(
                    mine,
                    theirs.next_position[moves],
                    theirs.chance[moves] * opponent_arrivals[theirs.row[moves] - begin],
                )
                mine[block] = opponent_visits[block] = opponent_visits[-1] = 0.0  # all of it has been followed
        return totals

    def upper_bound(self, turn: Callable[[int], PushTurn], bank_from: int = 0, enough: float = 0.0) -> float:
        """Return an upper bound of the mean win probability of both seats, for any way to play these turns.

        No limits that observe only the turn win more, however both scores decide. All values begin with those of
        optimal play and fall in every round, but never below the true bound. So the result is an upper bound after any
        number of rounds. They end once it is not more than ``enough``.

        Args:
            turn: returns the turn model in which nobody stops below so many units, unless that wins or the turn is the
                last one.
            bank_from: these units.
            enough: a value; whether the bound is above it is all that matters.
        """
        theirs, values = self.opponent_transitions, self.problem.read(self.value_table, self.order)
        first, second = values + STANDS, np.append(1 - values + STANDS, 0.0)
        mine, opponents = np.divmod(self.order, self.plain.width)
        states = self.problem.states
        late = (opponents < len(states)) & (states.goal - states.score[mine] >= bank_from)
        turns = [(turn(0), np.flatnonzero(~late)), (turn(bank_from), np.flatnonzero(late))]
        previous_bound, bound = np.inf, 1.0
        while previous_bound - bound > ROUNDS_END and bound > enough:
            for begin, end in pairwise(self.ends):
                like = self.swapped[begin:end]
                opponents_value = theirs.won[begin:end] + _transition_values(theirs, first, begin, end)
                moved = 1.0
                while moved > STANDS:
                    for best_turn, places in turns:
                        block_places = places[slice(*np.searchsorted(places, [begin, end]))]
                        if len(block_places):
                            next_position, constants = (table[block_places].T for table in self.links)
                            payoff = np.ascontiguousarray(constants + second[next_position])[None]
                            solved = TurnWorkers().solve(best_turn, payoff, self.plain.caps(self.order[block_places]))
                            first[block_places] = solved.value[0, : len(block_places)]
                    then = opponents_value + theirs.zero_probability[begin:end] * first[like]
                    moved, second[begin:end] = float(np.abs(second[begin:end] - then).max()), then
            previous_bound, bound = bound, float(first[self.start] + second[self.start]) / 2
            if not self.plain.has_cyclic_components:  # nothing was read before it was solved
                break
        return bound


def _transition_values(transitions: OpponentTransitions, values: Doubles, begin: int, end: int) -> Doubles:
    """Return the value of the moves of a block that lead out of it."""
    moves = slice(transitions.first[begin], transitions.first[end])
    led = np.bincount(
        transitions.row[moves] - begin,
        transitions.chance[moves] * values[transitions.next_position[moves]],
        end - begin,
    )
    return np.asarray(led, dtype=float)
