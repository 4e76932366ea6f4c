"""Turns as arrays, grown as games meet them: nodes, where choices and throws lead, and what everything is worth.

A *start* is a position in which a turn begins. Turns that offer the same choices (``Table.turn_key``) share one
*graph*: its *nodes*, the positions inside a turn as they stand in the first such turn that was met, and its *places*,
what choices and throws lead to: nodes, or *ends* of the turn. A *cell* is a place in the turn of one start: what is
reached there is worth to every seat, and for an end which start follows. So thousands of games walk at once by reading
arrays, whatever the game.

Where the mover mixes two turns a position is two starts, one for each; games draw between them.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..answers.positions import sign_of, worth_of
from ..play.playable_game import Choice
from ..solvers import Problem, ValueTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

THROW, CHOOSE, END = 0, 1, 2  # what a node is: an END is where a throw ends the turn
WIDE = 512  # falls of a throw; of wider ones only those that are met become nodes
FIRST_PLACES = 8
ROWS = 1024  # moved at once
NODES_AT_ONCE = 1024  # entered in the columns of nodes
NODE_SIZE = 100  # numbers that a node takes


class Grown:
    """An array that grows at its end."""

    def __init__(self, dtype: Any, fill: Any = 0, width: tuple[int, ...] = ()) -> None:
        self._array = np.empty((64, *width), dtype=dtype)
        self._fill, self.size = fill, 0

    @property
    def all(self) -> NDArray[Any]:
        """What it holds; good until it grows."""
        return self._array[: self.size]

    def grow(self, more: int) -> int:
        """Add so many entries; return where they begin."""
        begin, self.size = self.size, self.size + more
        if self.size > len(self._array):
            larger = np.empty((max(self.size, 2 * len(self._array)), *self._array.shape[1:]), self._array.dtype)
            larger[:begin] = self._array[:begin]
            self._array = larger
        self._array[begin : self.size] = self._fill
        return begin

    def add(self, *values: Any) -> int:
        """Add entries; return where they begin."""
        begin = self.grow(len(values))
        self._array[begin : self.size] = values
        return begin


class End(NamedTuple):
    """Where a turn ends: a decision, the number of a choice of it, and the choice; or a throw, and the number of a
    fall.
    """

    position: Any
    number: int
    choice: Choice[Any] | None = None


class Graph:
    """What turns that are alike offer. ``told`` says by place what is reached: the position of a node, or an end."""

    def __init__(self, number: int, home: Any) -> None:
        self.number, self.home = number, home
        self.nodes: dict[Any, int] = {}
        self.places: dict[Hashable, int] = {}
        self.told: list[End | Any] = []
        self.room = FIRST_PLACES
        self.starts: list[int] = []


class Turns:
    """The turns of a solved question. ``starts`` and ``positions`` (of nodes) tell what the numbers stand for."""

    def __init__(self, match: Problem[Any], solved: ValueTable) -> None:
        self.match, self.solved, self.table = match, solved, match.playable
        self.sign, self.seats = sign_of(match), match.playable.players
        # Once it is drawn which of two turns is made: the first, the second.
        self._drawn = [match.with_drawn_actions(solved, second) for second in (False, True)]
        self.starts: list[Any] = []
        self._start_of: dict[Any, int] = {}
        self._made: dict[tuple[int, int], int] = {}  # by start and node of turns that are mixed
        self._graphs: dict[Hashable, Graph] = {}
        self.graphs: list[Graph] = []
        self.share = Grown(np.float64)  # of a start whose turn is mixed, how often the second turn is made, else 0
        self.second = Grown(np.int64)  # 1 of the start of the second turn, which follows that of the first
        self.over = Grown(np.bool_)
        self.mover = Grown(np.int64)
        self.root = Grown(np.int64)  # the node in which a start's turn begins
        self.offset = Grown(np.int64)  # its first cell
        self.outcome = Grown(np.float64, width=(self.seats,))
        self.positions: list[Any] = []
        self.kind = Grown(np.int8)
        self.graph_of = Grown(np.int64)
        self.place = Grown(np.int64, -1)  # of nodes but decisions to which only throws lead, else -1
        self.shape = Grown(np.int64, -1)  # of throws that have been expanded, else -1
        self.begin = Grown(np.int64, -1)  # of a throw's children, of a decision's choices; -1: not expanded
        self.count = Grown(np.int64)
        self.children = Grown(np.int64)
        self.leads = Grown(np.int64)  # by choice, the place it leads to
        self.goes = Grown(np.int64)  # by choice, the node it leads to, -1 where the turn ends
        self.worth = Grown(np.float64, np.nan, (self.seats,))  # by cell
        self.follows = Grown(np.int32, -1)  # by cell of an end, the start that follows
        self.shapes: list[Floats] = []
        self._shape_of: dict[tuple[int, ...], int] = {}
        self._falls: dict[int, list[Any]] = {}  # of throws that are opened in this step

    # --- what is met

    def start(self, position: Any) -> int:
        """The number of a position between turns, or of one in which the game is over; that of the first turn where two
        are mixed.
        """
        known = self._start_of.get(position)
        if known is not None:
            return known
        number = self._start_of[position] = len(self.starts)
        table = self.table
        if table.stage(position) == "over":
            self.starts.append(position)
            self.over.add(True)
            self.outcome.add([float(self.sign * share) for share in table.outcome(position)])
            for column in (self.share, self.second, self.mover, self.root, self.offset):
                column.add(0)
            return number
        mix = self.match.mixed_action(self.solved, position)
        share = mix.share if mix and mix.is_mixed else 0.0
        self._begin(position, share, 0)
        if share:
            self._begin(position, share, 1)
        return number

    def _begin(self, position: Any, share: float, second: int) -> None:
        """One start of a position in which a turn begins."""
        number, table = len(self.starts), self.table
        self.starts.append(position)
        self.share.add(share)
        self.second.add(second)
        key = table.turn_key(position)
        graph = self._graphs.get(key)
        if graph is None:
            graph = self._graphs[key] = Graph(len(self.graphs), position)
            self.graphs.append(graph)
            self._node(graph, position)
            self._place_node(graph, graph.nodes[position])
        graph.starts.append(number)
        self.over.add(False)
        self.outcome.grow(1)
        self.mover.add(table.mover(position))
        self.root.add(graph.nodes[graph.home])
        self.offset.add(self.worth.grow(graph.room))
        self.follows.grow(graph.room)

    def _node(self, graph: Graph, position: Any) -> int:
        known = graph.nodes.get(position)
        if known is None:
            kind = CHOOSE if self.table.stage(position) == "choose" else THROW
            known = graph.nodes[position] = self._add_node(graph, position, kind)
        return known

    def _add_node(self, graph: Graph, position: Any, kind: int) -> int:
        number = len(self.positions)
        self.positions.append(position)
        if number == self.kind.size:
            for column in (self.kind, self.graph_of, self.place, self.shape, self.begin, self.count):
                column.grow(NODES_AT_ONCE)
        self.kind.all[number] = kind
        self.graph_of.all[number] = graph.number
        return number

    def _place_node(self, graph: Graph, node: int) -> int:
        """The place of a node."""
        if self.place.all[node] < 0:
            position = self.positions[node]
            self.place.all[node] = self._place(graph, position, position)
        return int(self.place.all[node])

    def _place(self, graph: Graph, key: Hashable, told: Any) -> int:
        if key not in graph.places:
            graph.places[key] = len(graph.places)
            graph.told.append(told)
            if len(graph.places) > graph.room:
                self._widen(graph)
        return graph.places[key]

    def _widen(self, graph: Graph) -> None:
        """More room for a graph's places, for each of its starts."""
        room, starts = graph.room, np.array(graph.starts)
        graph.room += max(FIRST_PLACES, room // 4)
        size = len(starts) * graph.room
        begin, _ = self.worth.grow(size), self.follows.grow(size)
        before = self.offset.all[starts]
        after = self.offset.all[starts] = begin + graph.room * np.arange(len(starts))
        for first in range(0, len(starts), ROWS):
            old, new = (at[first : first + ROWS, None] + np.arange(room) for at in (before, after))
            self.worth.all[new] = self.worth.all[old]
            self.follows.all[new] = self.follows.all[old]

    def _ends(self, position: Any) -> bool:
        """Whether what leads there ends the turn."""
        return self.table.stage(position) == "over" or self.table.turn_begins(position)

    def open_choices(self, nodes: Ints) -> None:
        """List the choices of decisions that are met for the first time."""
        for node in np.unique(nodes[self.begin.all[nodes] < 0]).tolist():
            graph, table = self.graphs[self.graph_of.all[node]], self.table
            decision, leads, goes = self.positions[node], list[int](), list[int]()
            for number, choice in enumerate(table.choices(decision)):
                after = choice.after
                if not self._ends(after):
                    goes.append(self._node(graph, after))
                    leads.append(self._place_node(graph, goes[-1]))
                    continue
                # Ends that are one position here may be two in another turn: only equal meanings stay equal.
                key = (after, choice.then, choice.points, None if choice.keep else choice.meaning)
                leads.append(self._place(graph, key, End(decision, number, choice)))
                goes.append(-1)
            self.begin.all[node], self.count.all[node] = self.leads.add(*leads), len(leads)
            self.goes.add(*goes)

    def open_throws(self, nodes: Ints) -> None:
        """List the falls of throws that are met for the first time."""
        for node in np.unique(nodes[self.shape.all[nodes] < 0]).tolist():
            falls = list(self.table.throws(self.positions[node]))
            weights = tuple(weight for weight, _ in falls)
            if weights not in self._shape_of:
                self._shape_of[weights] = len(self.shapes)
                total, passed = sum(weights), 0
                borders = []
                for weight in weights[:-1]:
                    passed += weight
                    borders.append(passed / total)
                self.shapes.append(np.array(borders))
            self.shape.all[node] = self._shape_of[weights]
            self.begin.all[node] = self.children.add(*([-1] * len(falls)))
            self.count.all[node] = len(falls)
            if len(falls) <= WIDE:
                self._falls[node] = [after for _, after in falls]

    def fall(self, nodes: Ints, draws: Floats) -> Ints:
        """The nodes that throws lead to, by a number from 0 to 1 for each."""
        self.open_throws(nodes)
        shapes, fallen = self.shape.all[nodes], np.empty(len(nodes), dtype=np.int64)
        for shape in np.flatnonzero(np.bincount(shapes)).tolist():
            here = shapes == shape
            fallen[here] = np.searchsorted(self.shapes[shape], draws[here], side="right")
        cells = self.begin.all[nodes] + fallen
        new: dict[int, set[int]] = {}
        for place in np.flatnonzero(self.children.all[cells] < 0).tolist():
            new.setdefault(int(nodes[place]), set()).add(int(fallen[place]))
        for node, falls in new.items():
            self._open_children(node, sorted(falls))
        self._falls.clear()
        found: Ints = self.children.all[cells]
        return found

    def _open_children(self, node: int, fallen: list[int]) -> None:
        """Nodes of what has fallen; of a throw that is made again, of all that can fall."""
        graph, first = self.graphs[self.graph_of.all[node]], self._falls.get(node)
        position = self.positions[node]
        if first is None and self.count.all[node] <= WIDE:
            first = [after for _, after in self.table.throws(position)]
            fallen = list(range(len(first)))
        children = [
            self._child(graph, position, number, first[number] if first else self.table.fallen(position, number))
            for number in fallen
        ]
        self.children.all[int(self.begin.all[node]) + np.array(fallen)] = children

    def _child(self, graph: Graph, throw: Any, number: int, after: Any) -> int:
        """The node that a fall of a throw leads to."""
        if self._ends(after):
            node = self._add_node(graph, after, END)
            self.place.all[node] = self._place(graph, (throw, number), End(throw, number))
            return node
        node = self._node(graph, after)
        if self.kind.all[node] == THROW:
            self._place_node(graph, node)
        return node

    def children_of(self, node: int) -> Ints:
        """Return the nodes that all falls of a throw lead to, in their order."""
        self.open_throws(np.array([node]))
        begin, count = int(self.begin.all[node]), int(self.count.all[node])
        unopened = np.flatnonzero(self.children.all[begin : begin + count] < 0)
        if len(unopened):
            self._open_children(node, unopened.tolist())
        self._falls.clear()
        children: Ints = self.children.all[begin : begin + count]
        return children

    def enter(self, start: Any, position: Any, second: int = 0) -> tuple[int, int]:
        """The start and the node of a position inside the turn that begins at ``start``."""
        number = self.start(start) + second
        graph = self.graphs[self.graph_of.all[self.root.all[number]]]
        node = self._node(graph, self.table.moved(position, graph.home))
        self._place_node(graph, node)
        return number, node

    @property
    def known(self) -> int:
        """Roughly how many numbers it takes to remember what is known."""
        return self.worth.size * self.seats + NODE_SIZE * len(self.positions)

    @property
    def room(self) -> int:
        """The most cells that a start takes so far."""
        return max((graph.room for graph in self.graphs), default=0)

    # --- what it is worth

    def fill(self, starts: Ints, cells: Ints) -> None:
        """Find what is reached in these cells of these starts' turns, where nobody has asked yet."""
        unknown = np.isnan(self.worth.all[cells, 0])
        if not unknown.any():
            return
        cells, first = np.unique(cells[unknown], return_index=True)
        starts = starts[unknown][first]
        if self._fill_turns(starts, cells):
            return
        told = self._told(starts, cells)
        found = worth_of(self.match, self.solved, self._reached(starts, told)).values
        if self.match.objective == "turns":
            found += np.array([isinstance(one, End) for one in told])[:, None]
        self.worth.all[cells] = found

    def _fill_turns(self, starts: Ints, cells: Ints) -> bool:
        """Whole turns at once, those with the same graph together; of turns known in part what is missing. False where
        the match does not tell them so.
        """
        graphs, places = self.graph_of.all[self.root.all[starts]], cells - self.offset.all[starts]
        fresh, seconds = np.isnan(self.worth.all[self.offset.all[starts], 0]), self.second.all[starts]
        for number, new, second in set(zip(graphs.tolist(), fresh.tolist(), seconds.tolist(), strict=True)):
            graph, here = self.graphs[number], (graphs == number) & (fresh == new) & (seconds == second)
            asked = np.arange(len(graph.told)) if new else np.unique(places[here])
            told = [graph.told[place] for place in asked.tolist()]
            leads = [one.choice if isinstance(one, End) else one for one in told]
            begins = np.unique(starts[here])
            found = self.match.continuation_values(
                self._drawn[second], [self.starts[start] for start in begins.tolist()], leads
            )
            if found is None:
                return False
            self.worth.all[self.offset.all[begins][:, None] + asked] = found
            mixed = begins[self.share.all[begins] > 0]
            if len(mixed):  # before the first throw what it is worth before it is drawn: the draw is luck
                known = self.match.seat_values(self.solved, [self.starts[start] for start in mixed.tolist()])
                self.worth.all[self.offset.all[mixed]] = known.values
        return True

    def _told(self, starts: Ints, cells: Ints) -> list[Any]:
        """What these cells of these starts' turns stand for: positions of nodes, or ends."""
        graphs, places = self.graph_of.all[self.root.all[starts]], cells - self.offset.all[starts]
        return [self.graphs[graph].told[place] for graph, place in zip(graphs.tolist(), places.tolist(), strict=True)]

    def _reached(self, starts: Ints, told: list[Any]) -> list[Any]:
        """The positions that are reached there."""
        table, begins = self.table, [self.starts[start] for start in starts.tolist()]
        return [
            self._landing(one, begin) if isinstance(one, End) else table.moved(one, begin)
            for one, begin in zip(told, begins, strict=True)
        ]

    def _landing(self, end: End, start: Any) -> Any:
        """The position after a turn that begins at ``start`` and ends so."""
        if end.choice is not None:
            return self.table.landing(end.position, end.number, end.choice, start)
        return self.table.fallen(self.table.moved(end.position, start), end.number)

    def made(self, start: int, node: int) -> int:
        """The number of the choice that is made in one of two turns that are mixed."""
        if (start, node) not in self._made:
            graph, first = self.graphs[self.graph_of.all[node]], int(self.begin.all[node])
            told = [graph.told[lead] for lead in self.leads.all[first : first + int(self.count.all[node])].tolist()]
            leads = [one.choice if isinstance(one, End) else one for one in told]
            worth = self.match.decision_values(self._drawn[self.second.all[start]], self.starts[start], leads)
            self._made[start, node] = int(worth.argmax())
        return self._made[start, node]

    def land(self, starts: Ints, cells: Ints) -> Ints:
        """The starts that follow ends of turns."""
        found = self.follows.all[cells]
        if (found < 0).any():
            unknown, first = np.unique(cells[found < 0], return_index=True)
            begins = starts[found < 0][first]
            reached = self._reached(begins, self._told(begins, unknown))
            self.follows.all[unknown] = [self.start(position) for position in reached]
            found = self.follows.all[cells]
        result: Ints = found
        return result
