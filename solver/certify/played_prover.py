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

from collections.abc import Callable, Sequence
from math import ceil
from operator import gt, lt
from typing import Any, NamedTuple

import networkx
import numpy as np

from ..answers.positions import sign_of, worth_of
from ..solvers import Problem, ValueTable
from ..solvers.cards.total_problems import CardTotalProblem
from ..util.errors import InputError, SolveError
from .played_arithmetic import MoverArithmetic, PolicyArithmetic, Row, TurnArithmetic
from .prover import MAX_BITS, MAX_GAP, NO_BOUNDS, CertifiedBounds, Doubles
from .turn_walk import GameWalk
from .whole_turn import Ints

MAX_SWEEPS, SWEEPS_PER_MARGIN = 5000, 20  # the margin grows after so many sweeps
MARGIN_UNITS = 1 << 8  # first strictness of bounds in a cyclic component
TIE = 2.0**-36  # more than kernels are rounded by
MIXED_TAKEOVER = (
    "players mix turns where turns are taken over: which of them takes what is offered is not told by a certificate"
)
TIED_CHOICES = "what is the same to who chooses is not to the others: no bounds worth stating can be proved"


def tie_units(players: int, bits: int) -> int:
    """Return ``TIE`` in units; 0 for one or two players, who have no stored policies.

    A file may state any number of bits, so they are limited.
    """
    return int(np.ldexp(TIE, min(max(bits, 0), MAX_BITS))) if players > 2 else 0


class _Component(NamedTuple):
    """A strongly connected component of states."""

    states: list[int]
    is_cyclic: bool


class PlayedProver:
    """Prover of certified bounds of a game as it is played.

    Args:
        problem: the problem to prove.
        cut: the turn points from which a player stops if allowed; None to follow every choice.
        progress: called with the share done.
    """

    def __init__(
        self,
        problem: Problem[Any],
        cut: int | None = None,
        progress: Callable[[float], None] = lambda done: None,
    ) -> None:
        self.problem, self.table, self.players = problem, problem.playable, problem.players
        self.progress, self.walk = progress, GameWalk(problem, cut)

    def check_size(self, state_count: int) -> None:
        """Raise InputError if the turns of so many states are far too many to be walked."""
        self.walk.check_size(state_count)

    def prove(self, value_table: ValueTable) -> tuple[Ints, CertifiedBounds, Any]:
        """Return the names of the states, their certified bounds, and the solved values in the same order.

        Raises:
            InputError: the game is too large, or payoffs cannot be certified.
            SolveError: no bounds were found.
        """
        self.walk.walk(value_table)
        solved = self._solved_values(value_table)
        bits = self._bits(solved)
        units: list[list[int]] = np.rint(np.ldexp(solved, bits)).astype(np.int64).tolist()
        mixed_actions = self._mixed_actions(value_table, bits) if self.players > 2 else {}
        arithmetic = self._make_arithmetic(bits, units, mixed_actions)
        bounds: list[Row] = [tuple(value for value in values for _ in ("lower", "upper")) for values in units]
        levels = self._levels()
        done = 0
        for component in (component for level in levels for component in level):
            if component.is_cyclic:
                _widen_until_strict(component.states, bounds, arithmetic)
            else:
                (state,) = component.states
                bounds[state] = arithmetic.evaluate(state, bounds)
            done += len(component.states)
            self.progress(done / len(bounds))
        scaled = np.array(bounds).T
        if self.players > 2:
            if (scaled[1::2] - scaled[::2]).max() > np.ldexp(MAX_GAP, bits):
                raise SolveError(TIED_CHOICES)
            scaled = np.concatenate([scaled, np.array(units).T])
        blocks = tuple(np.array([state for component in level for state in component.states]) for level in levels)
        mixes = {state: values for state, (_, *values) in mixed_actions.items()}
        return np.array([*self.walk.names]), CertifiedBounds(scaled, bits, blocks, mixes), solved.T

    def _solved_values(self, value_table: ValueTable) -> Doubles:
        """Return the solved values, (states, 1) of the mover, or (states, seats) from the mover on for three or more.

        They are negative if fewer is better.
        """
        positions = self.walk.positions
        if isinstance(self.problem, CardTotalProblem):  # every state is solved for itself
            values = [
                worth_of(self.problem, self.problem.solve_from(position, 1, lambda done: None), [position]).values
                for position in positions
            ]
        else:
            values = [worth_of(self.problem, value_table, positions).values]
        by_seat = sign_of(self.problem) * np.concatenate(values)
        seats = [self.table.seats_from(self.table.mover(position)) for position in positions]
        from_mover: Doubles = np.take_along_axis(by_seat, np.array(seats), axis=1)
        return from_mover if self.players > 2 else from_mover[:, :1]

    def _bits(self, solved: Doubles) -> int:
        """Return the number of bits of a unit with which all amounts fit."""
        payoffs = [amount for payoff in self._terminal_payoffs() for amount in payoff]
        max_amount = max(1, *map(abs, payoffs), ceil(np.abs(solved).max()))
        return MAX_BITS - int(max_amount + 1).bit_length()

    def _terminal_payoffs(self) -> list[tuple[Any, ...]]:
        """Return the payoffs of all endings that end the game."""
        return [landing.payoff for landings in self.walk.landings for landing in landings if landing.state < 0]

    def _make_arithmetic(
        self, bits: int, units: Sequence[Sequence[int]], mixed_actions: dict[int, Row]
    ) -> TurnArithmetic:
        """Return the arithmetic of turns for the number of players."""
        if self.players < 3:
            return MoverArithmetic(self.walk, bits, self._stake() << bits if self.players == 2 else 0)
        # The checker lists the choices of Booby Trap in the same order.
        prefers_first = self.problem.game.family == "touch" and self.problem.objective == "win"
        decision_values = [tuple(values) for values in units]
        tie = tie_units(self.players, bits)
        return PolicyArithmetic(self.walk, bits, decision_values, tie, prefers_first, mixed_actions)

    def _stake(self) -> int:
        """Return the constant sum of both players' payoffs.

        Raises:
            InputError: the sum is not constant.
        """
        stakes = {sum(payoff) for payoff in self._terminal_payoffs()}
        if len(stakes) > 1:
            raise InputError(f"{self.problem.game.id}: what two players get must always add up to the same")
        return int(stakes.pop())

    def _mixed_actions(self, value_table: ValueTable, bits: int) -> dict[int, Row]:
        """Return the mixed actions by state, as `PolicyArithmetic` takes them.

        Raises:
            SolveError: an action is mixed in a state that offers a turn to be taken over.
        """
        mixed_actions, names = dict[int, Row](), [*self.walk.names]
        for state, position in enumerate(self.walk.positions):
            if action := self.problem.mixed_action(value_table, position):
                if position.offered:
                    raise SolveError(MIXED_TAKEOVER)
                zero_turn_state = self.walk.names[self._after_zero_turn(names[state])]
                mixed_actions[state] = zero_turn_state, *(round(np.ldexp(number, bits)) for number in action)
        return mixed_actions

    def _after_zero_turn(self, name: Row) -> Row:
        """Return the name of the state with the same scores, and busts, and the next player to move."""
        by_seat = (name[first : first + self.players] for first in range(0, len(name), self.players))
        return tuple(number for mover, *opponents in by_seat for number in (*opponents, mover))

    def _levels(self) -> list[list[_Component]]:
        """Return the strongly connected components by level; each leads to itself and lower levels only."""
        successors = [[landing.state for landing in landings if landing.state >= 0] for landings in self.walk.landings]
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(len(successors)))
        graph.add_edges_from((state, after) for state, states in enumerate(successors) for after in states)
        level_of: dict[int, int] = {}
        levels: list[list[_Component]] = []
        for members in networkx.strongly_connected_components(graph):  # each after those it leads to
            states = sorted(members)
            outside = (after for state in states for after in successors[state] if after not in members)
            level = max((level_of[after] + 1 for after in outside), default=0)
            level_of.update(dict.fromkeys(states, level))
            levels += [[] for _ in range(level + 1 - len(levels))]
            levels[level].append(_Component(states, len(states) > 1 or states[0] in successors[states[0]]))
        return levels


def _widen_until_strict(states: list[int], bounds: list[Row], arithmetic: TurnArithmetic) -> None:
    """Move the bounds of a cyclic component outward until all are strict.

    Raises:
        SolveError: the bounds are too wide, or not strict after many sweeps.
    """
    margin, max_gap = MARGIN_UNITS, np.ldexp(MAX_GAP, arithmetic.bits)
    for sweep in range(1, MAX_SWEEPS):
        widened, is_strict = dict[int, Row](), True
        for state in states:
            turn, current = arithmetic.evaluate(state, bounds), bounds[state]
            is_strict &= all(map(lt, current[::2], turn[::2])) and all(map(gt, current[1::2], turn[1::2]))
            lower = (min(old, new - margin) for old, new in zip(current[::2], turn[::2], strict=True))
            upper = (max(old, new + margin) for old, new in zip(current[1::2], turn[1::2], strict=True))
            widened[state] = tuple(bound for pair in zip(lower, upper, strict=True) for bound in pair)
        if is_strict:
            return
        for state, row in widened.items():
            bounds[state] = row
        if max(row[1] - row[0] for row in widened.values()) > max_gap:
            break
        margin *= 1 + (sweep % SWEEPS_PER_MARGIN == 0)
    raise SolveError(NO_BOUNDS)
