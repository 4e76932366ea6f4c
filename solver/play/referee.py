"""The referee: a plain, slow, exact solver of any game that can be played, in fractions.

It knows choices, throws and outcomes and nothing else: no kernel, no payoff, no order of solving, no float. Every value
that the fast solvers give must equal the referee's at sizes that it can do.

Every mover maximises what they get themselves (``turns``: minimises the turns still to take, this one included). Let
v(s) be the vector of what all seats get from s: at a throw the mean over what falls, at a choice that of the choice
made, and v = outcome at the end. Positions are solved component by component (networkx), each after those it leads to.
Inside a component that leads back to itself, policies are improved: the values of a policy are linear in those of a few
positions that cut every circle, and Gauss's elimination solves for these. Begun with a policy that leaves the component
for certain and switched only where that is strictly better, every policy on the way leaves it: in a set of positions
that is never left, the mean value over its stationary chances would have to exceed itself. Two players: the second
seat's best answer to each policy of the first, which then improves in one step (Hoffman & Karp, On Nonterminating
Stochastic Games, Management Science 1966), so the values found are the game's. Three and more: best answers in turn;
if they go round in circles, the referee says so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import Any, Generic, TypeVar

import networkx

from ..arguments import checked
from ..errors import InputError, SolveError, shown
from .table import Choice, Table
from .walk import open_choices

Position = TypeVar("Position", bound=Hashable)
Worth = tuple[Fraction, ...]  # by seat
Edge = tuple[int, bool, int]  # node, whether a turn ends on the way, weight

MOST_POSITIONS = 2_000_000
MOST_ROUNDS = 1000


@checked
def referee(table: Table[Position], objective: str | None = None, *, cut: int | None = None) -> Referee[Position]:
    """Solve a game exactly, for every position that play can reach.

    Args:
        table: the game as it is played (see ``play``); its size is what makes it possible.
        objective: must be what the table plays for, if given.
        cut: where points in hand have no bound: whoever holds so many stops.

    Raises:
        InputError: another objective than the table's, or more positions than can be done.
        SolveError: three or more players whose best answers go round in circles.
    """
    if not isinstance(table, Table):
        raise InputError(f"{shown(table)} is no game at a table: keepwise.play makes one")
    if objective not in (None, table.objective):
        raise InputError(f"this table plays for {table.objective}, not for {objective}")
    return Referee(table, cut)


class Referee(Generic[Position]):
    """The exact values of a game; see ``referee``."""

    def __init__(self, table: Table[Position], cut: int | None = None) -> None:
        self.table, self.cut = table, cut
        self._counts_turns = table.objective == "turns"
        self._numbers: dict[Hashable, int] = {}
        self._edges: list[list[Edge]] = []
        self._mover: list[int] = []  # of a choice; -1: a throw
        self._worth: list[Worth | None] = []
        self._walk()
        self._solve()

    # --- what is asked

    @property
    def positions(self) -> list[Position]:
        """Every position that was met outside a throw that has just fallen."""
        return [key for key in self._numbers if not isinstance(key, tuple)]  # type: ignore[misc]

    def seats(self, position: Position) -> Worth:
        """What every seat gets, by seat; for ``turns`` minus the turns still to take."""
        if position in self._numbers:
            worth = self._worth[self._numbers[position]]
            assert worth is not None
            return worth
        table = self.table
        if table.stage(position) == "choose":
            mover = table.mover(position)
            return max((self.after(choice) for choice in self.choices(position)), key=lambda worth: worth[mover])
        raise InputError(f"{table.id(position)} cannot follow from the start of this game")

    def after(self, choice: Choice[Position]) -> Worth:
        """What every seat gets once a choice is made."""
        worth = self.seats(choice.after)
        return tuple(one - 1 for one in worth) if self._ends_turn(choice.after) else worth

    def value(self, position: Position) -> Fraction:
        """Value for the player to move, as the solvers tell it."""
        worth = self.seats(position)[self.table.mover(position)]
        return -worth if self._counts_turns else worth

    def best(self, position: Position) -> list[Choice[Position]]:
        """The choices that nothing beats."""
        mover, found = self.table.mover(position), self.choices(position)
        worths = [self.after(choice)[mover] for choice in found]
        return [choice for choice, worth in zip(found, worths, strict=True) if worth == max(worths)]

    def choices(self, position: Position) -> list[Choice[Position]]:
        """The choices that are weighed (see ``open_choices``)."""
        return open_choices(self.table, position, self.cut)

    # --- walking

    def _ends_turn(self, after: Position) -> bool:
        table = self.table
        return self._counts_turns and (table.turn_begins(after) or table.stage(after) == "over")

    def _walk(self) -> None:
        table = self.table
        todo = [table.start()]
        self._number(todo[0], todo)
        while todo:
            position = todo.pop()
            here = self._numbers[position]
            stage = table.stage(position)
            if stage == "over":
                nothing = (Fraction(0),) * table.players
                self._worth[here] = nothing if self._counts_turns else table.outcome(position)
            elif stage == "choose":
                self._mover[here] = table.mover(position)
                self._edges[here] = [(*self._edge(choice.after, todo), 1) for choice in self.choices(position)]
            else:
                falls: dict[tuple[int, bool], int] = {}
                for weight, after in table.throws(position):
                    to = self._fall(after, todo)
                    falls[to] = falls.get(to, 0) + weight
                self._edges[here] = [(*to, weight) for to, weight in falls.items()]
            if len(self._edges) > MOST_POSITIONS:
                raise InputError(f"the game has more than {MOST_POSITIONS:,} positions: too many for the referee")

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
        return self._number(after, todo), self._ends_turn(after)

    def _fall(self, after: Position, todo: list[Position]) -> tuple[int, bool]:
        """Where a fall of the dice leads: falls that offer the same choices are one node."""
        if self.table.stage(after) != "choose" or self.table.turn_begins(after):
            return self._edge(after, todo)
        edges = tuple(dict.fromkeys(self._edge(choice.after, todo) for choice in self.choices(after)))
        if len(edges) == 1:
            return edges[0]
        mover = self.table.mover(after)
        number = self._number((mover, edges))
        self._mover[number] = mover
        self._edges[number] = [(*edge, 1) for edge in edges]
        return number, False

    # --- solving

    def _solve(self) -> None:
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(len(self._edges)))
        graph.add_edges_from((here, edge[0]) for here, edges in enumerate(self._edges) for edge in edges)
        for component in networkx.strongly_connected_components(graph):  # those it leads to come first
            first = next(iter(component))
            if len(component) == 1 and all(edge[0] != first for edge in self._edges[first]):
                if self._worth[first] is None:
                    self._worth[first] = self._single(first)
            else:
                _Component(self, sorted(component)).solve()

    def _single(self, node: int) -> Worth:
        mover, edges = self._mover[node], self._edges[node]
        if mover >= 0:
            return max((self._reached(edge) for edge in edges), key=lambda worth: worth[mover])
        return _mean((edge[2], self._reached(edge)) for edge in edges)

    def _reached(self, edge: Edge) -> Worth:
        worth = self._worth[edge[0]]
        assert worth is not None, "a component was solved before one that it leads to"
        return tuple(one - 1 for one in worth) if edge[1] else worth


def _mean(parts: Iterable[tuple[int, Worth]]) -> Worth:
    """The mean of vectors by whole weights."""
    found = list(parts)
    total = sum(weight for weight, _ in found)
    return tuple(
        sum((weight * one for weight, one in zip((w for w, _ in found), seat, strict=True)), Fraction(0)) / total
        for seat in zip(*(worth for _, worth in found), strict=True)
    )


class _Component:
    """Positions that lead to each other. ``policy``: by node of a choice, the edge that is followed."""

    def __init__(self, of: Referee[Any], nodes: list[int]) -> None:
        self.of, self.nodes, self.inside = of, nodes, set(nodes)
        self.policy: dict[int, int] = {}
        self.worth: dict[int, Worth] = {}
        self.knots, self.order = self._cut_circles()

    def _cut_circles(self) -> tuple[list[int], list[int]]:
        """Nodes to which every circle leads back, and an order in which each node comes after those it leads to."""
        edges, knots, order = self.of._edges, set[int](), list[int]()
        state = dict.fromkeys(self.nodes, 0)
        for root in self.nodes:
            stack = [(root, iter(edges[root]))] if not state[root] else []
            state[root] = max(state[root], 1)
            while stack:
                node, rest = stack[-1]
                for to, _, _ in rest:
                    if to in self.inside and state[to] == 0:
                        state[to] = 1
                        stack.append((to, iter(edges[to])))
                        break
                    if to in self.inside and state[to] == 1:
                        knots.add(to)
                else:
                    state[node] = 2
                    order.append(node)
                    stack.pop()
        return sorted(knots), order

    def solve(self) -> None:
        """Find the values of the component."""
        self._leave()
        self._evaluate()
        if self.of.table.players <= 2:
            for _ in range(MOST_ROUNDS):
                for seat in range(1, self.of.table.players):
                    self._answer(seat)
                if not self._improve(0):
                    break
                self._evaluate()
        else:
            seen = set()
            while (key := tuple(sorted(self.policy.items()))) not in seen:
                seen.add(key)
                for seat in range(self.of.table.players):
                    self._answer(seat)
            if any(self._improve(seat) for seat in range(self.of.table.players)):
                raise SolveError("best answers go round in circles: no play is best against itself at some positions")
        for node in self.nodes:
            self.of._worth[node] = self.worth[node]

    def _answer(self, seat: int) -> None:
        """Bring a seat to its best answer to the others."""
        while self._improve(seat):
            self._evaluate()

    def _improve(self, seat: int) -> bool:
        """Switch a seat's choices where another is strictly better; say whether any was."""
        switched = False
        for node, chosen in self.policy.items():
            if self.of._mover[node] != seat:
                continue
            worths = [self._reached(edge)[seat] for edge in self.of._edges[node]]
            best = max(worths)
            if best > worths[chosen]:
                self.policy[node] = worths.index(best)
                switched = True
        return switched

    def _reached(self, edge: Edge) -> Worth:
        if edge[0] not in self.inside:
            return self.of._reached(edge)
        worth = self.worth[edge[0]]
        return tuple(one - 1 for one in worth) if edge[1] else worth

    def _leave(self) -> None:
        """Choose a policy under which the component is left for certain, however the dice fall."""
        edges, back = self.of._edges, dict[int, list[int]]()
        for node in self.nodes:
            for to, _, _ in edges[node]:
                back.setdefault(to, []).append(node)
        left = [to for to in back if to not in self.inside]
        found = set(left)
        while left:
            to = left.pop()
            for node in back.get(to, ()):
                if node not in found:
                    found.add(node)
                    left.append(node)
                    if self.of._mover[node] >= 0:
                        self.policy[node] = next(place for place, edge in enumerate(edges[node]) if edge[0] == to)
        if len(found & self.inside) < len(self.inside):
            raise SolveError("there are positions from which nobody can ever end the game")

    def _evaluate(self) -> None:
        """Values of the policy: every node as a constant and a share of each knot's value, then the knots'."""
        seats, place = self.of.table.players, {knot: number for number, knot in enumerate(self.knots)}
        parts: dict[int, tuple[Worth, dict[int, Fraction]]] = {}
        lines: dict[int, tuple[Worth, dict[int, Fraction]]] = {}
        for node in self.order:
            edges = self.of._edges[node]
            if node in self.policy:
                edges = [edges[self.policy[node]]]
            total = sum(edge[2] for edge in edges)
            constant, shares = [Fraction(0)] * seats, dict[int, Fraction]()
            for to, ends, weight in edges:
                chance = Fraction(weight, total)
                if to in place:
                    shares[to] = shares.get(to, Fraction(0)) + chance
                    worth: Worth = (Fraction(-ends),) * seats
                elif to in self.inside:
                    worth = tuple(one - ends for one in parts[to][0])
                    for knot, share in parts[to][1].items():
                        shares[knot] = shares.get(knot, Fraction(0)) + chance * share
                else:
                    worth = self.of._reached((to, ends, weight))
                constant = [one + chance * more for one, more in zip(constant, worth, strict=True)]
            parts[node] = (tuple(constant), shares)
            if node in place:
                lines[node] = parts[node]
        known = self._knots(lines)
        for node in self.order:
            constant_, shares = parts[node]
            self.worth[node] = tuple(
                one + sum((share * known[knot][seat] for knot, share in shares.items()), Fraction(0))
                for seat, one in enumerate(constant_)
            )

    def _knots(self, lines: dict[int, tuple[Worth, dict[int, Fraction]]]) -> dict[int, Worth]:
        """Solve x = constant + shares x by elimination."""
        rows = {knot: (dict(shares), list(constant)) for knot, (constant, shares) in lines.items()}
        for knot in self.knots:  # x_knot in terms of those that come later
            shares, constant = rows[knot]
            stays = 1 - shares.pop(knot, Fraction(0))
            shares = {one: share / stays for one, share in shares.items()}
            constant = [one / stays for one in constant]
            rows[knot] = (shares, constant)
            for other in self.knots:
                if other != knot and (factor := rows[other][0].pop(knot, None)):
                    for one, share in shares.items():
                        rows[other][0][one] = rows[other][0].get(one, Fraction(0)) + factor * share
                    for seat, one_ in enumerate(constant):
                        rows[other][1][seat] += factor * one_
        return {knot: tuple(constant) for knot, (_, constant) in rows.items()}
