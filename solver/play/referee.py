"""The referee: an exact solver in fractions for any small game.

It knows choices, rolls and payoffs, and nothing else: no turn model, no order of the states, no rounding. Tests compare
the values of the fast solvers with it.

*Equations.* Let v(s) be the vector of what every seat gets from position s on. At the end v(s) is the payoff. At a roll
v(s) is the mean of v over the rolls. At a decision v(s) is the v of the choice that is best for the player to move. For
the objective ``turns`` the number of turns left is minimized.

*Solution.* Strongly connected components are solved in order, each after those that it leads to. Inside a cyclic
component the values come from policy iteration. The values of a policy solve linear equations, by Gaussian elimination
in whole numbers. The first policy leaves the component with probability 1, and a choice changes only if another one is
strictly better. So every later policy leaves the component too. If one did not, the mean value over the stationary
distribution of the positions that it never leaves would exceed itself. Policy iteration in floating point runs first
and finds the policy from which the exact one starts.

*Several players.* For two players the policy of the second seat is a best response to that of the first, which then
improves in one step (Hoffman & Karp, On Nonterminating Stochastic Games, Management Science 1966). So the values are
those of the game. For three or more players best responses are made in turn. If they go round in circles, an error
says so.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import gcd, lcm
from typing import Any, Generic, NamedTuple, TypeVar

import networkx

from ..util.arguments import validate_arguments
from ..util.errors import InputError, SolveError, abbreviate
from .playable_game import Choice, PlayableGame, Stage
from .walk import counts_as_turn, list_relevant_choices

Position = TypeVar("Position", bound=Hashable)
Worth = tuple[Fraction, ...]  # by seat

MAX_POSITIONS = 2_000_000
STEPS = 25  # choices, throws and sums, for every position that may be
QUICK = 10  # sums of floats count as one
MAX_ROUNDS = 1000
MARGIN = 1e-9  # by which a choice has to be better in floating point


class Edge(NamedTuple):
    """A choice, or an outcome of a roll.

    Attributes:
        to: the node that it leads to.
        costs_turn: whether it ends a turn that counts. Then every seat gets 1 less, because for the objective ``turns``
            values are minus the number of turns left.
        weight: the weight of the outcome; 1 for a choice.
    """

    to: int
    costs_turn: bool
    weight: int


@dataclass
class _Equation:
    """The linear equation of a node, for the policy of a component; v(n)[seat] is what a seat gets from node n on.

        own_weight * v(node)[seat] = constants[seat] + sum over n of weights[n] * v(n)[seat]

    Coefficients are whole numbers in the exact run, and floats in the run before it.

    Attributes:
        own_weight: the coefficient of the node itself.
        constants: by seat, what does not depend on unknown values.
        weights: the coefficients of nodes of the component, by node; until elimination the node itself may be among
            them.
    """

    own_weight: Any
    constants: list[Any]
    weights: dict[int, Any]

    @property
    def size(self) -> int:
        """Number of coefficients."""
        return 1 + len(self.constants) + len(self.weights)


@validate_arguments
def referee(
    playable: PlayableGame[Position], objective: str | None = None, *, cut: int | None = None
) -> Referee[Position]:
    """Solve a game exactly by policy iteration, for every position that play can reach.

    Args:
        playable: the game; it has to be small.
        objective: the objective of the table, if it is given.
        cut: turn points at which a player stops, if turn points have no bound.

    Raises:
        InputError: another objective than the table's, or too many positions.
        SolveError: the best responses of three or more players go round in circles.
    """
    if not isinstance(playable, PlayableGame):
        raise InputError(
            f"the referee requires a playable game, not {abbreviate(playable)}; make one with keepwise.play"
        )
    if objective not in (None, playable.objective):
        raise InputError(f"the objective of this game is {playable.objective}, not {objective}")
    return Referee(playable, cut)


class Referee(Generic[Position]):
    """The exact values of all positions that can follow from ``begins``; see ``referee``."""

    def __init__(
        self,
        playable: PlayableGame[Position],
        cut: int | None = None,
        begins: Sequence[Position] = (),
        max_positions: int = MAX_POSITIONS,
    ) -> None:
        self.playable, self.cut, self.max_positions, self.steps = playable, cut, max_positions, 0
        self._counts_turns = playable.objective == "turns"
        self._numbers: dict[Hashable, int] = {}
        self._edges: list[list[Edge]] = []
        self._mover: list[int] = []  # of a choice; -1: a throw
        self._worth: list[Worth | None] = []
        self._walk(list(begins) or [playable.start()])
        self._solve()

    # --- what is asked

    @property
    def positions(self) -> list[Position]:
        """Every position that was met, except those right after a roll."""
        return [key for key in self._numbers if not isinstance(key, tuple)]  # type: ignore[misc]

    @property
    def is_decision(self) -> bool:
        """True if any position has more than one choice."""
        return any(mover >= 0 and len(edges) > 1 for mover, edges in zip(self._mover, self._edges, strict=True))

    def seat_payoffs(self, position: Position) -> Worth:
        """Return the value for every seat; for the objective ``turns`` minus the number of turns left."""
        if position in self._numbers:
            worth = self._worth[self._numbers[position]]
            assert worth is not None
            return worth
        playable = self.playable
        if playable.stage(position) is Stage.DECISION:
            mover = playable.player_to_move(position)
            return max((self.choice_value(choice) for choice in self.choices(position)), key=lambda worth: worth[mover])
        raise InputError(f"{playable.id(position)} cannot be reached from the start of this game")

    def choice_value(self, choice: Choice[Position]) -> Worth:
        """Return the value for every seat after a choice."""
        worth = self.seat_payoffs(choice.after)
        return tuple(value - 1 for value in worth) if counts_as_turn(self.playable, choice.after) else worth

    def value(self, position: Position) -> Fraction:
        """Return the value for the player to move, with the sign that the solvers use."""
        worth = self.seat_payoffs(position)[self.playable.player_to_move(position)]
        return -worth if self._counts_turns else worth

    def best_choices(self, position: Position) -> list[Choice[Position]]:
        """Return all choices with the largest value."""
        mover, choices = self.playable.player_to_move(position), self.choices(position)
        worths = [self.choice_value(choice)[mover] for choice in choices]
        return [choice for choice, worth in zip(choices, worths, strict=True) if worth == max(worths)]

    def choices(self, position: Position) -> list[Choice[Position]]:
        """Return the choices that have to be compared (see ``list_relevant_choices``)."""
        return list_relevant_choices(self.playable, position, self.cut)

    # --- walking

    def step(self, count: int) -> None:
        """Count one unit of work, and stop if the limit is reached."""
        self.steps += count
        if len(self._edges) > self.max_positions or self.steps > STEPS * self.max_positions:
            raise InputError(
                f"too large for exact fractions: {len(self._edges):,} positions and {self.steps:,} steps so far; the"
                f" limits are {self.max_positions:,} positions and {STEPS * self.max_positions:,} steps"
            )

    def _walk(self, begins: list[Position]) -> None:
        playable, todo = self.playable, list[Position]()
        for position in begins:
            self._number(position, todo)
        while todo:
            position = todo.pop()
            number = self._numbers[position]
            playable.check_position(position)
            stage = playable.stage(position)
            if stage is Stage.TERMINAL:
                nothing = (Fraction(0),) * playable.players
                self._worth[number] = nothing if self._counts_turns else playable.payoffs(position)
            elif stage is Stage.DECISION:
                self._mover[number] = playable.player_to_move(position)
                self._edges[number] = [Edge(*self._edge(choice.after, todo), 1) for choice in self.choices(position)]
            else:
                outcomes: dict[tuple[int, bool], int] = {}
                for weight, after in playable.rolls(position):
                    target = self._outcome(after, todo)
                    outcomes[target] = outcomes.get(target, 0) + weight
                    self.step(1)
                self._edges[number] = [Edge(*target, weight) for target, weight in outcomes.items()]
            self.step(len(self._edges[number]))

    def _number(self, key: Hashable, todo: list[Position] | None = None) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self._edges)
            self._edges.append([])
            self._mover.append(-1)
            self._worth.append(None)
            if todo is not None:
                todo.append(key)  # type: ignore[arg-type]
        return self._numbers[key]

    def _edge(self, after: Position, todo: list[Position]) -> tuple[int, bool]:
        """Return ``to`` and ``costs_turn`` of the edges to a position."""
        return self._number(after, todo), counts_as_turn(self.playable, after)

    def _outcome(self, after: Position, todo: list[Position]) -> tuple[int, bool]:
        """Return ``to`` and ``costs_turn`` of the edge to the position after a roll.

        Rolls that offer the same choices share a node.
        """
        if self.playable.stage(after) is not Stage.DECISION or self.playable.is_turn_start(after):
            return self._edge(after, todo)
        self.playable.check_position(after)
        edges = tuple(dict.fromkeys(self._edge(choice.after, todo) for choice in self.choices(after)))
        if len(edges) == 1:
            return edges[0]
        mover = self.playable.player_to_move(after)
        number = self._number((mover, edges))
        self._mover[number] = mover
        self._edges[number] = [Edge(*edge, 1) for edge in edges]
        self.step(len(edges))
        return number, False

    # --- solving

    def _solve(self) -> None:
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(len(self._edges)))
        graph.add_edges_from((node, edge.to) for node, edges in enumerate(self._edges) for edge in edges)
        for component in networkx.strongly_connected_components(graph):  # those it leads to come first
            first = next(iter(component))
            if len(component) == 1 and all(edge.to != first for edge in self._edges[first]):
                if self._worth[first] is None:
                    self._worth[first] = self._single(first)
            else:
                _ChoiceComponent(self, sorted(component)).solve()

    def _single(self, node: int) -> Worth:
        mover, edges = self._mover[node], self._edges[node]
        if mover >= 0:
            return max((self._edge_value(edge) for edge in edges), key=lambda worth: worth[mover])
        outcomes = [(edge.weight, self._edge_value(edge)) for edge in edges]
        total = sum(edge.weight for edge in edges)
        return tuple(
            _weighted_sum([(weight, worth[seat]) for weight, worth in outcomes], total)
            for seat in range(self.playable.players)
        )

    def _node_value(self, node: int) -> Worth:
        worth = self._worth[node]
        assert worth is not None, "a component was solved before one that it leads to"
        return worth

    def _edge_value(self, edge: Edge) -> Worth:
        worth = self._node_value(edge.to)
        return tuple(value - 1 for value in worth) if edge.costs_turn else worth


def _weighted_sum(parts: Sequence[tuple[Any, Any]], total: Any = 1) -> Any:
    """Return the sum of weight * value, divided by ``total``: the mean if that is the sum of the weights.

    Args:
        parts: pairs of a weight and a value, which is a fraction, a whole number or a float.
        total: the divisor.
    """
    if any(isinstance(value, float) for _, value in parts):
        return sum(weight * value for weight, value in parts) / total
    whole = lcm(*(value.denominator for _, value in parts))
    return Fraction(
        sum(weight * value.numerator * (whole // value.denominator) for weight, value in parts), whole * total
    )


class _ChoiceComponent:
    """A strongly connected component of the nodes.

    Attributes:
        inside: the nodes of the component. All other nodes to which its edges lead have been solved before.
        policy: the edge that is followed, as a place in the list of edges, by node of a choice.
        worth: the values by node under the policy, each by seat.
        margin: how much better a choice has to be, as a share of its value. It is above 0 in the run in floating point,
            where a smaller difference may be rounding, and 0 in the exact run, which computes in whole numbers.
    """

    def __init__(self, referee: Referee[Any], nodes: list[int]) -> None:
        self.referee, self.nodes, self.inside = referee, nodes, set(nodes)
        self.policy: dict[int, int] = {}
        self.worth: dict[int, Sequence[Any]] = {}
        self.margin = MARGIN

    def solve(self) -> None:
        """Find the values of the component by policy iteration, in floating point first and then exactly."""
        leaves = self._leave()
        for self.margin, policy in (MARGIN, leaves), (0.0, None), (0.0, leaves):
            self.policy = dict(policy or self.policy)
            with suppress(ZeroDivisionError, OverflowError):  # rounding has led to a policy that never leaves
                self._best()
                if not self.margin:
                    break
        for node in self.nodes:
            self.referee._worth[node] = tuple(self.worth[node])

    def _best(self) -> None:
        """Improve the policy until no choice is better."""
        players = self.referee.playable.players
        self._evaluate()
        if players <= 2:
            for _ in range(MAX_ROUNDS):
                for seat in range(1, players):
                    self._answer(seat)
                if not self._improve(0):
                    break
                self._evaluate()
        else:
            earlier_policies = set()
            while (key := tuple(sorted(self.policy.items()))) not in earlier_policies:
                earlier_policies.add(key)
                for seat in range(players):
                    self._answer(seat)
            if not self.margin and any(self._improve(seat) for seat in range(players)):
                raise SolveError("best responses repeat in a cycle; no equilibrium without random choices was found")

    def _answer(self, seat: int) -> None:
        """Make the policy of a seat a best response to the policies of the others."""
        while self._improve(seat):
            self._evaluate()

    def _improve(self, seat: int) -> bool:
        """Change choices of a seat that are worse than another one by more than the margin; return whether any were."""
        switched = False
        for node, current in self.policy.items():
            if self.referee._mover[node] != seat:
                continue
            worths = [self._edge_value(edge)[seat] for edge in self.referee._edges[node]]
            best = max(worths)
            if best > worths[current] + (self.margin * abs(best) if self.margin else 0):
                self.policy[node] = worths.index(best)
                switched = True
        return switched

    def _edge_value(self, edge: Edge) -> Sequence[Any]:
        worth = self.worth[edge.to] if edge.to in self.inside else self.referee._node_value(edge.to)
        worth = [float(value) for value in worth] if self.margin else worth
        return [value - 1 for value in worth] if edge.costs_turn else worth

    def _leave(self) -> dict[int, int]:
        """Return a policy that leaves the component with probability 1."""
        edges, back, policy = self.referee._edges, dict[int, list[int]](), dict[int, int]()
        for node in self.nodes:
            for edge in edges[node]:
                back.setdefault(edge.to, []).append(node)
        left = [to for to in back if to not in self.inside]
        leaving = set(left)
        while left:
            to = left.pop()
            for node in back.get(to, ()):
                if node not in leaving:
                    leaving.add(node)
                    left.append(node)
                    if self.referee._mover[node] >= 0:
                        policy[node] = next(place for place, edge in enumerate(edges[node]) if edge.to == to)
        if len(leaving & self.inside) < len(self.inside):
            raise SolveError("from some positions the game can never end")
        return policy

    def _evaluate(self) -> None:
        """Evaluate the policy by Gaussian elimination; nodes on which few others depend are eliminated first."""
        equations = {node: self._equation(node) for node in self.nodes}
        back: dict[int, set[int]] = {node: set() for node in self.nodes}
        for node, equation in equations.items():
            for to in equation.weights:
                back[to].add(node)
        fill = {node: len(back[node]) * equation.size for node, equation in equations.items()}
        queue, order = [(many, node) for node, many in fill.items()], list[int]()
        heapify(queue)
        while queue:
            many, node = heappop(queue)
            if fill.get(node) != many:
                continue
            del fill[node]
            order.append(node)
            equation = equations[node]
            equation.own_weight -= equation.weights.pop(node, 0)  # the self-loop moves to the left side
            if not equation.own_weight:
                raise ZeroDivisionError
            for to in equation.weights.keys() & fill.keys():
                back[to].discard(node)
            for predecessor in back[node] & fill.keys():
                self._substitute(equations[predecessor], node, equation)
                for to in equation.weights.keys() & fill.keys():
                    back[to].add(predecessor)
                fill[predecessor] = len(back[predecessor]) * equations[predecessor].size
                heappush(queue, (fill[predecessor], predecessor))
        for node in reversed(order):
            equation = equations[node]
            self.worth[node] = [
                _weighted_sum(
                    [(1, constant), *((weight, self.worth[to][seat]) for to, weight in equation.weights.items())],
                    equation.own_weight,
                )
                for seat, constant in enumerate(equation.constants)
            ]

    def _equation(self, node: int) -> _Equation:
        """Return the equation of a node: of a choice along the edge of the policy, of a roll over all outcomes.

        An edge to a node outside has a known value, so all of it is constant. An edge to a node inside contributes the
        weight of that node, and -weight to the constants if a turn ends on the way.
        """
        edges = self.referee._edges[node]
        if node in self.policy:
            edges = [edges[self.policy[node]]]
        weights: dict[int, Any] = {}
        known_values = []
        turn_costs = 0
        for edge in edges:
            if edge.to in self.inside:
                weights[edge.to] = weights.get(edge.to, 0) + edge.weight
                turn_costs += edge.weight * edge.costs_turn
            else:
                known_values.append((edge.weight, self._edge_value(edge)))
        own_weight = sum(edge.weight for edge in edges)
        constants = [
            _weighted_sum([(weight, worth[seat]) for weight, worth in known_values]) - turn_costs
            for seat in range(self.referee.playable.players)
        ]
        if self.margin:
            floats = {to: float(weight) for to, weight in weights.items()}
            return _Equation(float(own_weight), [float(constant) for constant in constants], floats)
        # Multiplied by the common denominator of the constants, all coefficients are whole numbers.
        denominator = lcm(*(constant.denominator for constant in constants))
        return _Equation(
            own_weight * denominator,
            [int(constant * denominator) for constant in constants],
            {to: weight * denominator for to, weight in weights.items()},
        )

    def _substitute(self, target: _Equation, node: int, equation: _Equation) -> None:
        """Replace v(node) in ``target`` by the right side of the node's equation divided by its own weight.

        Whole numbers are then divided by their greatest common divisor, floats by the own weight of ``target``.
        """
        self.referee.step((target.size + equation.size) // (QUICK if self.margin else 1))
        factor = target.weights.pop(node)
        # ``target`` is multiplied by the own weight of the equation, so that whole numbers stay whole.
        scale = equation.own_weight
        target.own_weight *= scale
        target.constants = [
            scale * constant + factor * added
            for constant, added in zip(target.constants, equation.constants, strict=True)
        ]
        weights = {to: scale * weight for to, weight in target.weights.items()}
        for to, weight in equation.weights.items():
            weights[to] = weights.get(to, 0) + factor * weight
        if self.margin:
            divisor = target.own_weight
            target.own_weight /= divisor
            target.constants = [constant / divisor for constant in target.constants]
            target.weights = {to: weight / divisor for to, weight in weights.items()}
        else:
            divisor = gcd(target.own_weight, *target.constants, *weights.values())
            target.own_weight //= divisor
            target.constants = [constant // divisor for constant in target.constants]
            target.weights = {to: weight // divisor for to, weight in weights.items()}
