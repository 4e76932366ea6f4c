"""Certified bounds of a game as it is played, for any family and number of players.

Every turn is walked roll by roll and choice by choice (``turn_walk``) and evaluated in Python's whole numbers
(``played_arithmetic``). No kernel and no compiled turn takes part. This is possible if few enough positions can follow.

The strongly connected components of the states are solved in order, each after those it leads to. A component of one
state that does not lead to itself needs one evaluation, rounded outward: all it leads to stands in earlier blocks (H7).
The bounds of other components start at the solved values and move outward until they are strict.

For three or more players, the lower bound is what the stored policies bring a seat, and the upper bound is its best
response. The stored decision values decide; choices that differ by at most ``TIE`` may both be made (H10).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from operator import gt, lt
from typing import Any, NamedTuple

import networkx
import numpy as np

from ..answers.positions import gain_sign, seat_values_of
from ..solvers import Problem, ValueTable
from ..solvers.cards.total_problems import CardTotalProblem
from ..util.errors import InputError, SolveError
from ..util.progress_reporting import ProgressCallback
from .game_descriptions import State
from .played_arithmetic import MoverArithmetic, PolicyArithmetic, SeatBounds, TurnArithmetic, WalkedMix
from .transition_prover import MAX_BITS, MAX_GAP, NO_BOUNDS, CertifiedBounds, Doubles
from .turn_walk import GameWalk
from .whole_turn import Ints

MAX_SWEEPS = 5000  # of a cyclic component
SWEEPS_PER_MARGIN = 20  # the margin doubles after so many sweeps
MARGIN_UNITS = 1 << 8  # first strictness of bounds in a cyclic component
# Choices whose decision values differ by no more may both be made. It is more than kernels are rounded by, so a choice
# that the stored policies make is always among them.
TIE = 2.0**-36
MIXED_TAKEOVER = (
    "no certificate is possible: a player mixes two turns that the next player may take over, which"
    " certificates do not support"
)
TIED_CHOICES = (
    "no useful bounds can be proved: choices that are equally good for the mover differ for the other players"
)


def tie_units(players: int, bits: int) -> int:
    """Return ``TIE``, the largest difference of choices that may both be made, as a whole number of units 2 ** -bits.

    It is rounded down, and 0 for one or two players, who have no stored policies.

    Args:
        players: the number of players.
        bits: the number of bits of the unit. A file may state any number, so it is limited here.
    """
    if players < 3:
        return 0
    limited_bits = min(max(bits, 0), MAX_BITS)
    return int(np.ldexp(TIE, limited_bits))


class _StateComponent(NamedTuple):
    """A strongly connected component of states.

    Attributes:
        states: the numbers of its states, in ascending order.
        is_cyclic: whether a state of it can be reached again.
    """

    states: list[int]
    is_cyclic: bool


class PlayedProver:
    """Prover of certified bounds of a game as it is played.

    All states and turns are listed by playing the game (``walk``). Bounds of a state are [lower, upper] of each seat
    from the mover on, in units of 2 ** -bits; for one or two players those of the mover only.

    Args:
        problem: the problem to prove.
        cut: the turn points from which a player stops if allowed; None to follow every choice.
        progress: called with the share done.

    Attributes:
        playable, players: the game as people play it, and the number of players.
        walk: the states and turns of the game.
    """

    def __init__(
        self,
        problem: Problem[Any],
        cut: int | None = None,
        progress: ProgressCallback = lambda share: None,
    ) -> None:
        """Begin with a problem; no state of it is walked yet.

        Args:
            problem: the problem to prove.
            cut: the turn points from which a player stops if allowed; None to follow every choice.
            progress: called with the share done.
        """
        self.problem = problem
        self.playable = problem.playable
        self.players = problem.players
        self.progress = progress
        self.walk = GameWalk(problem, cut)

    def check_size(self, state_count: int) -> None:
        """Check before the proof that the turns of all states are not far too many to be walked.

        Args:
            state_count: the number of states of the game.

        Raises:
            InputError: there are too many.
        """
        self.walk.check_size(state_count)

    def prove(self, value_table: ValueTable) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states, their certified bounds, and the solved values in the same order.

        Args:
            value_table: the solved values; bounds of cyclic components are sought around them.

        Returns:
            The names (states, numbers), the bounds, and the values (seats, states) from the mover on, of the mover only
            for one or two players.

        Raises:
            InputError: the game is too large, or payoffs cannot be certified.
            SolveError: no bounds were found.
        """
        self.walk.walk(value_table)
        solved = self._solved_values(value_table)  # (states, seats)
        bits = self._bits(solved)
        solved_units: list[list[int]] = np.rint(np.ldexp(solved, bits)).astype(np.int64).tolist()
        mixed_actions = self._mixed_actions(value_table, bits) if self.players > 2 else {}
        arithmetic = self._make_arithmetic(bits, solved_units, mixed_actions)
        components_by_depth = self._components_by_depth()
        bounds = self._prove_components(components_by_depth, solved_units, arithmetic)
        rows = np.array(bounds).T  # (2 * seats, states): lower and upper bound of each seat in turn
        if self.players > 2:
            _check_gaps(rows, bits)
            # The certificate states the decision values of the stored policies, which are the solved values, last.
            rows = np.concatenate([rows, np.array(solved_units).T])
        blocks = _blocks_by_depth(components_by_depth)
        stated_mixes = {
            state: [mix.share_of_second, mix.value_of_first, mix.value_of_second]
            for state, mix in mixed_actions.items()
        }
        names = np.array([*self.walk.names])
        return names, CertifiedBounds(rows, bits, blocks, stated_mixes), solved.T

    def _prove_components(
        self,
        components_by_depth: Sequence[Sequence[_StateComponent]],
        units: Sequence[Sequence[int]],
        arithmetic: TurnArithmetic,
    ) -> list[SeatBounds]:
        """Return the bounds by state: tuples of lower and upper bound in turn, a pair for each seat.

        Args:
            components_by_depth: the components by depth, from 0 on. Each leads to itself and to smaller depths only.
            units: (states, seats) the solved values in units.
            arithmetic: the evaluation of turns.

        Raises:
            SolveError: no bounds were found.
        """
        # At first the lower and the upper bound of each seat are the solved value.
        bounds: list[SeatBounds] = [tuple(np.repeat(values, 2).tolist()) for values in units]
        states_done = 0
        for components in components_by_depth:
            for component in components:
                if component.is_cyclic:
                    _widen_until_strict(component.states, bounds, arithmetic)
                else:
                    # The one state leads to smaller depths only, whose bounds are proved, so one evaluation is enough.
                    (state,) = component.states
                    bounds[state] = arithmetic.evaluate(state, bounds)
                states_done += len(component.states)
                self.progress(states_done / len(bounds))
        return bounds

    def _solved_values(self, value_table: ValueTable) -> Doubles:
        """Return the solved values, negated if fewer is better, so that every player maximizes.

        Their shape is (states, 1), values of the mover, for one or two players. For three or more it is (states,
        seats), with the seats from the mover on.

        Args:
            value_table: the solved values, as the problem stores them.
        """
        positions = self.walk.positions  # by state
        if isinstance(self.problem, CardTotalProblem):
            # Its value table serves the turn of one position only, so the problem is solved from every state.
            values = []
            for position in positions:
                solved = self.problem.solve_from(position, threads=1, progress=lambda share: None)
                values.append(seat_values_of(self.problem, solved, [position]).values)
        else:
            values = [seat_values_of(self.problem, value_table, positions).values]
        sign = gain_sign(self.problem)  # -1 if fewer is better, else 1
        by_seat = sign * np.concatenate(values)  # (states, seats)
        # (states, seats): the seats in the order of play, the mover's first.
        seats_from_mover = [self.playable.seats_from(self.playable.player_to_move(position)) for position in positions]
        from_mover: Doubles = np.take_along_axis(by_seat, np.array(seats_from_mover), axis=1)
        return from_mover if self.players > 2 else from_mover[:, :1]

    def _bits(self, solved: Doubles) -> int:
        """Return the number of bits of a unit with which all payoffs and solved values fit MAX_BITS.

        Args:
            solved: (states, seats) the solved values.
        """
        payoffs = [amount for payoff in self._terminal_payoffs() for amount in payoff]
        max_amount = max(1, *map(abs, payoffs), ceil(np.abs(solved).max()))
        return MAX_BITS - int(max_amount + 1).bit_length()  # 1 more, because bounds lie outside the values

    def _terminal_payoffs(self) -> set[tuple[Any, ...]]:
        """Return the payoffs of endings that end the game: tuples of one amount per seat, from the mover on."""
        payoffs: set[tuple[Any, ...]] = set()
        for landings in self.walk.landings:  # by state, where the endings of its turn lead
            # A landing names no next state, but -1, if the game is over.
            payoffs.update(landing.payoff for landing in landings if landing.state < 0)
        return payoffs

    def _make_arithmetic(
        self, bits: int, units: Sequence[Sequence[int]], mixed_actions: dict[int, WalkedMix]
    ) -> TurnArithmetic:
        """Return the arithmetic of turns for the number of players.

        Args:
            bits: the number of bits of the unit.
            units: (states, seats) the solved values in units, which stored policies compare.
            mixed_actions: the mixed actions by state.

        Raises:
            InputError: what two players get does not always add up to the same.
        """
        if self.players < 3:
            stake = self._stake() << bits if self.players == 2 else 0  # what both get together, in units
            return MoverArithmetic(self.walk, bits, stake)
        # In Booby Trap the first choice listed is made if no choice can bring the mover anything (H10 of exactness).
        # The checker lists the choices in the same order.
        prefers_first = self.problem.game.family == "touch" and self.problem.objective == "win"
        decision_values = [tuple(values) for values in units]  # by state, of every seat from the mover on
        tie = tie_units(self.players, bits)
        return PolicyArithmetic(self.walk, bits, decision_values, tie, prefers_first, mixed_actions)

    def _stake(self) -> int:
        """Return the constant sum of both players' payoffs: 1 for the win, 0 for a margin.

        Raises:
            InputError: the sum is not constant.
        """
        stakes = {sum(payoff) for payoff in self._terminal_payoffs()}
        if len(stakes) > 1:
            raise InputError(
                f"{self.problem.game.id} cannot be certified: the payoffs of the two players must have a constant sum"
            )
        return int(stakes.pop())

    def _mixed_actions(self, value_table: ValueTable, bits: int) -> dict[int, WalkedMix]:
        """Return the mixed actions of the stored policies by state.

        Args:
            value_table: the solved values.
            bits: the number of bits of the unit.

        Raises:
            SolveError: an action is mixed in a state that offers a turn to be taken over.
        """
        mixed_actions: dict[int, WalkedMix] = {}
        names = [*self.walk.names]  # by state
        for state, position in enumerate(self.walk.positions):
            action = self.problem.mixed_action(value_table, position)
            if not action:  # the mover plays one turn for certain
                continue
            if position.offered:
                raise SolveError(MIXED_TAKEOVER)
            zero_turn_state = self.walk.names[self._after_zero_turn(names[state])]
            # The first turn is best for the lower zero value, and the second for the upper one.
            mixed_actions[state] = WalkedMix(
                zero_turn_state=zero_turn_state,
                share_of_second=_to_units(action.upper_probability, bits),
                value_of_first=_to_units(action.lower_zero_value, bits),
                value_of_second=_to_units(action.upper_zero_value, bits),
            )
        return mixed_actions

    def _after_zero_turn(self, name: State) -> State:
        """Return the name of the state that a zero turn leads to: the same scores and busts, and the next player moves.

        A name is groups of one number for each seat from the mover on. Each is rotated: (7, 0, 3) becomes (0, 3, 7).

        Args:
            name: the name of the state in which the turn begins.
        """
        rotated: list[int] = []
        for first in range(0, len(name), self.players):
            of_mover, *of_opponents = name[first : first + self.players]
            rotated += [*of_opponents, of_mover]
        return tuple(rotated)

    def _components_by_depth(self) -> list[list[_StateComponent]]:
        """Return the strongly connected components of the states by depth.

        A component that leads to no other one has depth 0. Any other one has one more than the largest depth that it
        leads to.
        """
        successors: list[list[int]] = []  # by state, the states that its turn leads to
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(len(self.walk.landings)))
        for state, landings in enumerate(self.walk.landings):
            states_after = [landing.state for landing in landings if landing.state >= 0]  # -1: the game is over
            successors.append(states_after)
            graph.add_edges_from((state, after) for after in states_after)
        depth_of_state: dict[int, int] = {}
        components_by_depth: list[list[_StateComponent]] = []
        # Networkx lists a component after those that it leads to, so their depths are known.
        for members in networkx.strongly_connected_components(graph):
            states = sorted(members)
            followers = {after for state in states for after in successors[state]}
            is_cyclic = len(states) > 1 or states[0] in followers
            depth = max((depth_of_state[after] + 1 for after in followers - members), default=0)
            depth_of_state.update(dict.fromkeys(states, depth))
            if depth == len(components_by_depth):
                components_by_depth.append([])
            components_by_depth[depth].append(_StateComponent(states, is_cyclic))
        return components_by_depth


def _to_units(number: float, bits: int) -> int:
    """Return a number in units of 2 ** -bits, rounded to the nearest."""
    return round(float(np.ldexp(number, bits)))


def _blocks_by_depth(components_by_depth: Sequence[Sequence[_StateComponent]]) -> tuple[Ints, ...]:
    """Return the states of each depth: a block of the certificate, which is checked after those of smaller depths.

    Args:
        components_by_depth: the components by depth, from 0 on.
    """
    blocks: list[Ints] = []
    for components in components_by_depth:
        states = [state for component in components for state in component.states]
        blocks.append(np.array(states))
    return tuple(blocks)


def _check_gaps(bounds: Ints, bits: int) -> None:
    """Raise SolveError if a lower and an upper bound of three or more players are too far apart to be useful.

    Args:
        bounds: (2 * seats, states) in units, lower and upper bound of each seat in turn.
        bits: the number of bits of the unit.
    """
    lower_bounds = bounds[::2]
    upper_bounds = bounds[1::2]
    max_gap = (upper_bounds - lower_bounds).max()
    if max_gap > np.ldexp(MAX_GAP, bits):
        raise SolveError(TIED_CHOICES)


def _widen_until_strict(states: list[int], bounds: list[SeatBounds], arithmetic: TurnArithmetic) -> None:
    """Move the bounds of a cyclic component outward, in place, until all are strict.

    Bounds are strict if the lower ones are below what the turns come to with them, and the upper ones above. Each sweep
    evaluates all turns with the current bounds. If some bound is not strict, all are moved outward. Each bound is then
    at least a margin outside of what its turn came to.

    Args:
        states: the states of the component.
        bounds: by state, lower and upper bounds in turn, a pair for each seat from the mover on, in units.
        arithmetic: the evaluation of turns.

    Raises:
        SolveError: the bounds are too wide, or not strict after many sweeps.
    """
    margin = MARGIN_UNITS
    max_gap = np.ldexp(MAX_GAP, arithmetic.bits)  # in units
    for sweep in range(1, MAX_SWEEPS):
        widened: dict[int, SeatBounds] = {}
        all_strict = True
        for state in states:
            turn = arithmetic.evaluate(state, bounds)
            current = bounds[state]
            all_strict &= _is_strict(current, turn)
            widened[state] = _moved_outward(current, turn, margin)
        if all_strict:
            return
        # Here only the width of the mover's bounds is checked. ``PlayedProver.prove`` checks that of all seats.
        bounds_of_mover = [state_bounds[:2] for state_bounds in widened.values()]
        for state, state_bounds in widened.items():
            bounds[state] = state_bounds
        if max(upper - lower for lower, upper in bounds_of_mover) > max_gap:
            break
        if sweep % SWEEPS_PER_MARGIN == 0:  # a larger margin ends the widening sooner
            margin *= 2
    raise SolveError(NO_BOUNDS)


def _is_strict(bounds: SeatBounds, turn: SeatBounds) -> bool:
    """Return whether all lower bounds of a state are below those of its turn, and all upper bounds above.

    Args:
        bounds: lower and upper bounds of a state in turn, in units.
        turn: in the same order, what the turn comes to with these bounds.
    """
    lowers_are_strict = all(map(lt, bounds[::2], turn[::2]))
    uppers_are_strict = all(map(gt, bounds[1::2], turn[1::2]))
    return lowers_are_strict and uppers_are_strict


def _moved_outward(bounds: SeatBounds, turn: SeatBounds, margin: int) -> SeatBounds:
    """Return the bounds of a state moved outward until each is at least ``margin`` units outside that of its turn.

    Args:
        bounds: lower and upper bounds of a state in turn, in units.
        turn: in the same order, what the turn comes to with these bounds.
        margin: the distance to keep, in units.
    """
    moved: list[int] = []
    for index, (old_bound, turn_bound) in enumerate(zip(bounds, turn, strict=True)):
        is_upper = index % 2 == 1
        if is_upper:
            moved.append(max(old_bound, turn_bound + margin))
        else:
            moved.append(min(old_bound, turn_bound - margin))
    return tuple(moved)
