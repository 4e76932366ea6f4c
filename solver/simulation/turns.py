"""Arrays of all turns that simulated games have met: positions, where choices and rolls lead, and exact values.

A *start* is a position in which a turn begins. Starts with equal ``PlayableGame.turn_key`` offer the same choices, so
they share one *graph*. The *nodes* of a graph are the positions inside its turn, as they are in the first of these
starts.

A *place* of a graph is anything that a choice or a roll leads to: a node, or an end of the turn (``TurnEnd``). A *cell*
is a place in the turn of one start. A cell has a value for every seat; the cell of an end also has the next start.
Thousands of games advance together by reading these arrays, without any knowledge of the game.

If the mover plays a mixed action, a position has two starts, one for each of the two turns; games draw between them.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..answers.positions import gain_sign, seat_values_of
from ..play.playable_game import Choice, Stage
from ..solving.solved_problem import SolvedProblem

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROLL_NODE, DECISION_NODE, END_NODE = 0, 1, 2  # node kinds; at an END_NODE a roll has ended the turn
NODE_LIMIT = 1 << 32  # more than the number of nodes: number * NODE_LIMIT + node names a pair
MAX_LISTED_OUTCOMES = 512  # a roll with more outcomes gets nodes only for those that are met
INITIAL_PLACES = 8
INITIAL_CAPACITY = 64
STARTS_PER_COPY = 1024  # starts whose cells are moved by one array operation
NODES_PER_GROWTH = 1024
NUMBERS_PER_NODE = 100  # rough memory of a node, in numbers


class GrowingArray:
    """An array that grows at its end, with a capacity that doubles.

    Attributes:
        size: the number of entries in use.
    """

    def __init__(self, dtype: Any, fill: Any = 0, shape: tuple[int, ...] = ()) -> None:
        """Begin without entries.

        Args:
            dtype: type of the entries.
            fill: value of entries that ``grow`` adds.
            shape: shape of one entry; () for a number.
        """
        self._array = np.empty((INITIAL_CAPACITY, *shape), dtype=dtype)
        self._fill = fill
        self.size = 0

    @property
    def entries(self) -> NDArray[Any]:
        """A view of all entries, valid until the array grows."""
        return self._array[: self.size]

    def grow(self, count: int) -> int:
        """Append ``count`` entries with the fill value, and return the index of the first."""
        first = self.size
        self.size += count
        if self.size > len(self._array):
            capacity = max(self.size, 2 * len(self._array))
            larger = np.empty((capacity, *self._array.shape[1:]), self._array.dtype)
            larger[:first] = self._array[:first]
            self._array = larger
        self._array[first : self.size] = self._fill
        return first

    def append(self, *values: Any) -> int:
        """Append entries with these values, and return the index of the first."""
        first = self.grow(len(values))
        self._array[first : self.size] = values
        return first


class TurnEnd(NamedTuple):
    """An end of a turn, by a choice or by a roll.

    Attributes:
        position: the decision or chance position in which the turn ends.
        number: index of the choice, or of the outcome of the roll.
        choice: the choice; None if a roll ends the turn.
    """

    position: Any
    number: int
    choice: Choice[Any] | None = None


class TurnGraph:
    """The positions and ends of all turns that offer the same choices.

    Attributes:
        number: index of the graph.
        home: the position in which the first turn begins that was met; nodes are positions of this turn.
        nodes: node number by position.
        places: place number by a key: the position of a node, or what names an end of the turn.
        targets: by place, what it is: the position of a node, or an end of the turn.
        capacity: number of cells that are allocated for every start, at least the number of places.
        starts: the numbers of the starts that share this graph.
    """

    def __init__(self, number: int, home: Any) -> None:
        """Begin without nodes.

        Args:
            number: index of the graph.
            home: the position in which the first turn begins that was met.
        """
        self.number = number
        self.home = home
        self.nodes: dict[Any, int] = {}
        self.places: dict[Hashable, int] = {}
        self.targets: list[TurnEnd | Any] = []
        self.capacity = INITIAL_PLACES
        self.starts: list[int] = []


class TurnArrays:
    """All turns of a solved problem that games have met, as arrays by start, node, branch and cell.

    Nodes and starts are added when they are first met; their values are computed when they are first read. The module
    describes starts, graphs, nodes, places and cells.
    """

    def __init__(self, solved: SolvedProblem) -> None:
        """Begin with empty arrays.

        Args:
            solved: the solved problem.
        """
        self.solved = solved
        self.problem = problem = solved.problem
        self.playable = problem.playable
        self.sign = gain_sign(problem)
        self.seats = problem.playable.players
        # The value table with the lower, and with the upper turn of every mixed action in place of the mixture.
        self._tables_of_actions = [problem.with_pure_actions(solved.value_table, upper) for upper in (False, True)]
        self._drawn_choices: dict[tuple[int, int], int] = {}  # by start and node of a mixed turn

        # By start. The start of the second turn of a mixed action follows that of the first.
        self.starts: list[Any] = []  # positions
        self._number_of_start: dict[Any, int] = {}
        self.second_probability = GrowingArray(np.float64)  # 0 if the turn is not mixed
        self.is_second = GrowingArray(np.int64)  # 1 for the second turn of a mixed action, as an index
        self.is_terminal = GrowingArray(np.bool_)
        self.mover = GrowingArray(np.int64)
        self.root = GrowingArray(np.int64)  # the node in which the turn begins
        self.first_cell = GrowingArray(np.int64)
        self.payoffs = GrowingArray(np.float64, shape=(self.seats,))  # in terminal positions

        # By graph.
        self.graphs: list[TurnGraph] = []
        self._graph_of_key: dict[Hashable, TurnGraph] = {}

        # By node. A branch is an outcome of a roll or a choice; the branches of a node follow each other.
        self.positions: list[Any] = []
        self.kind = GrowingArray(np.int8)
        self.graph_of = GrowingArray(np.int64)
        self.place = GrowingArray(np.int64, -1)  # -1 for decisions that only rolls lead to
        self.distribution = GrowingArray(np.int64, -1)  # index of its probabilities; -1 until a roll is expanded
        self.first_branch = GrowingArray(np.int64, -1)  # -1 until a node is expanded
        self.branch_count = GrowingArray(np.int64)

        # By branch: of rolls, then of choices.
        self.outcome_node = GrowingArray(np.int64)  # -1 until an outcome is met
        self.choice_place = GrowingArray(np.int64)
        self.choice_node = GrowingArray(np.int64)  # -1 if the choice ends the turn

        # By cell.
        self.values = GrowingArray(np.float64, np.nan, (self.seats,))  # NaN until it is computed
        self.next_start = GrowingArray(np.int32, -1)  # of an end; -1 until it is met

        self.distributions: list[Floats] = []  # cumulative probabilities, without the last, which is 1
        self._distribution_of_weights: dict[tuple[int, ...], int] = {}
        self._outcomes_in_this_step: dict[int, list[Any]] = {}  # positions by roll node, to list them once only

    # --- starts, nodes and places

    def start_number(self, position: Any) -> int:
        """Return the number of a start or terminal position, which is added if it is new.

        If the mover plays a mixed action there, this is the number of the first turn; the second has the next number.
        """
        number = self._number_of_start.get(position)
        if number is not None:
            return number
        number = self._number_of_start[position] = len(self.starts)
        if self.playable.stage(position) == Stage.TERMINAL:
            self._add_terminal(position)
            return number
        mix = self.problem.mixed_action(self.solved.value_table, position)
        second_probability = mix.upper_probability if mix and mix.is_mixed else 0.0
        self._add_start(position, second_probability, is_second=0)
        if second_probability:
            self._add_start(position, second_probability, is_second=1)
        return number

    def _add_terminal(self, position: Any) -> None:
        """Add a terminal position as the next start, with its payoffs; what only turns have is 0."""
        self.starts.append(position)
        self.is_terminal.append(True)
        self.payoffs.append([float(self.sign * payoff) for payoff in self.playable.payoffs(position)])
        for column in (self.second_probability, self.is_second, self.mover, self.root, self.first_cell):
            column.append(0)

    def _add_start(self, position: Any, second_probability: float, is_second: int) -> None:
        """Add a start, with cells for all places of its graph, which is added if it is new.

        Args:
            position: the position in which the turn begins.
            second_probability: the probability of the second turn of a mixed action; 0 if nothing is mixed.
            is_second: 1 for the second turn of a mixed action, else 0.
        """
        number = len(self.starts)
        self.starts.append(position)
        self.second_probability.append(second_probability)
        self.is_second.append(is_second)
        key = self.playable.turn_key(position)
        graph = self._graph_of_key.get(key)
        if graph is None:
            graph = self._graph_of_key[key] = TurnGraph(len(self.graphs), position)
            self.graphs.append(graph)
            self._place_node(graph, self._node(graph, position))
        graph.starts.append(number)
        self.is_terminal.append(False)
        self.payoffs.grow(1)
        self.mover.append(self.playable.player_to_move(position))
        self.root.append(graph.nodes[graph.home])
        self.first_cell.append(self.values.grow(graph.capacity))
        self.next_start.grow(graph.capacity)

    def _node(self, graph: TurnGraph, position: Any) -> int:
        """Return the node of a position inside a turn, which is added if it is new."""
        node = graph.nodes.get(position)
        if node is None:
            kind = DECISION_NODE if self.playable.stage(position) == Stage.DECISION else ROLL_NODE
            node = graph.nodes[position] = self._add_node(graph, position, kind)
        return node

    def _add_node(self, graph: TurnGraph, position: Any, kind: int) -> int:
        """Add a node to a graph, and return its number.

        Args:
            graph: the graph.
            position: the position, as it is in the home of the graph.
            kind: ROLL_NODE, DECISION_NODE or END_NODE.
        """
        node = len(self.positions)
        self.positions.append(position)
        if node == self.kind.size:
            columns = (self.kind, self.graph_of, self.place, self.distribution, self.first_branch, self.branch_count)
            for column in columns:
                column.grow(NODES_PER_GROWTH)
        self.kind.entries[node] = kind
        self.graph_of.entries[node] = graph.number
        return node

    def _place_node(self, graph: TurnGraph, node: int) -> int:
        """Return the place of a node, which is added if it is new."""
        if self.place.entries[node] < 0:
            position = self.positions[node]
            self.place.entries[node] = self._place(graph, position, position)
        return int(self.place.entries[node])

    def _place(self, graph: TurnGraph, key: Hashable, target: Any) -> int:
        """Return the number of a place, which is added if its key is new; then all starts may get more cells.

        Args:
            graph: the graph.
            key: names the place within the graph.
            target: what the place is: the position of a node, or an end of the turn.
        """
        if key not in graph.places:
            graph.places[key] = len(graph.places)
            graph.targets.append(target)
            if len(graph.places) > graph.capacity:
                self._widen(graph)
        return graph.places[key]

    def _widen(self, graph: TurnGraph) -> None:
        """Allocate more cells for every start of a graph, and move the cells that are in use."""
        used = graph.capacity
        starts = np.array(graph.starts)
        graph.capacity += max(INITIAL_PLACES, used // 4)
        size = len(starts) * graph.capacity
        first = self.values.grow(size)
        self.next_start.grow(size)
        old_cells = self.first_cell.entries[starts]
        new_cells = first + graph.capacity * np.arange(len(starts))
        self.first_cell.entries[starts] = new_cells
        for row in range(0, len(starts), STARTS_PER_COPY):
            rows = slice(row, row + STARTS_PER_COPY)
            source = old_cells[rows, None] + np.arange(used)
            target = new_cells[rows, None] + np.arange(used)
            self.values.entries[target] = self.values.entries[source]
            self.next_start.entries[target] = self.next_start.entries[source]

    def _ends_turn(self, position: Any) -> bool:
        """Return True if a step to a position ends the turn: the game is over there, or a turn begins."""
        return self.playable.stage(position) == Stage.TERMINAL or self.playable.is_turn_start(position)

    # --- choices and rolls

    def expand_decisions(self, nodes: Ints) -> None:
        """Add the branches of decision nodes that are met for the first time: one for each choice.

        Args:
            nodes: decision nodes, which may repeat.
        """
        for node in np.unique(nodes[self.first_branch.entries[nodes] < 0]).tolist():
            graph = self.graphs[self.graph_of.entries[node]]
            decision = self.positions[node]
            places = list[int]()
            next_nodes = list[int]()
            for number, choice in enumerate(self.playable.choices(decision)):
                if not self._ends_turn(choice.after):
                    next_nodes.append(self._node(graph, choice.after))
                    places.append(self._place_node(graph, next_nodes[-1]))
                    continue
                # Two choices may lead to one position in this turn and to two in another turn of the graph. Only
                # choices with equal meanings lead to one position in all of them.
                key = (choice.after, choice.kind, choice.points, None if choice.keep else choice.meaning)
                places.append(self._place(graph, key, TurnEnd(decision, number, choice)))
                next_nodes.append(-1)
            self.first_branch.entries[node] = self.choice_place.append(*places)
            self.branch_count.entries[node] = len(places)
            self.choice_node.append(*next_nodes)

    def expand_rolls(self, nodes: Ints) -> None:
        """Add the branches of roll nodes that are met for the first time: one for each outcome, with probabilities.

        The nodes that outcomes lead to are not added yet.

        Args:
            nodes: roll nodes, which may repeat.
        """
        for node in np.unique(nodes[self.distribution.entries[nodes] < 0]).tolist():
            outcomes = list(self.playable.rolls(self.positions[node]))
            weights = tuple(weight for weight, _ in outcomes)
            self.distribution.entries[node] = self._distribution(weights)
            self.first_branch.entries[node] = self.outcome_node.append(*([-1] * len(outcomes)))
            self.branch_count.entries[node] = len(outcomes)
            if len(outcomes) <= MAX_LISTED_OUTCOMES:
                self._outcomes_in_this_step[node] = [position for _, position in outcomes]

    def _distribution(self, weights: tuple[int, ...]) -> int:
        """Return the index of the distribution with these weights, which is added if it is new."""
        if weights not in self._distribution_of_weights:
            self._distribution_of_weights[weights] = len(self.distributions)
            total = sum(weights)
            cumulative_weight = 0
            cumulative_probabilities = []
            for weight in weights[:-1]:
                cumulative_weight += weight
                cumulative_probabilities.append(cumulative_weight / total)
            self.distributions.append(np.array(cumulative_probabilities))
        return self._distribution_of_weights[weights]

    def roll(self, nodes: Ints, draws: Floats) -> Ints:
        """Make one random roll in each of many games, and return the nodes that they lead to: (games,).

        Args:
            nodes: (games,) roll nodes.
            draws: (games,) uniform random numbers from 0 to below 1, which decide the rolls.
        """
        self.expand_rolls(nodes)
        outcomes = self._sample(nodes, draws)
        branches = self.first_branch.entries[nodes] + outcomes
        new_outcomes: dict[int, set[int]] = {}
        for game in np.flatnonzero(self.outcome_node.entries[branches] < 0).tolist():
            new_outcomes.setdefault(int(nodes[game]), set()).add(int(outcomes[game]))
        for node, numbers in new_outcomes.items():
            self._add_outcomes(node, sorted(numbers))
        self._outcomes_in_this_step.clear()
        next_nodes: Ints = self.outcome_node.entries[branches]
        return next_nodes

    def _sample(self, nodes: Ints, draws: Floats) -> Ints:
        """Return the number of the outcome of every roll, by inversion of its cumulative distribution: (games,).

        Args:
            nodes: (games,) roll nodes.
            draws: (games,) uniform random numbers from 0 to below 1.
        """
        distributions = self.distribution.entries[nodes]
        outcomes = np.empty(len(nodes), dtype=np.int64)
        for distribution in np.flatnonzero(np.bincount(distributions)).tolist():
            games = distributions == distribution
            outcomes[games] = np.searchsorted(self.distributions[distribution], draws[games], side="right")
        return outcomes

    def _add_outcomes(self, node: int, numbers: list[int]) -> None:
        """Add the nodes that some outcomes of a roll lead to.

        If the outcomes have to be listed again, because the roll was met in an earlier step, it is likely to be met
        often. So the nodes of all its outcomes are added at once, unless there are more than MAX_LISTED_OUTCOMES.

        Args:
            node: the roll node.
            numbers: the numbers of the outcomes.
        """
        graph = self.graphs[self.graph_of.entries[node]]
        position = self.positions[node]
        outcomes = self._outcomes_in_this_step.get(node)
        if outcomes is None and self.branch_count.entries[node] <= MAX_LISTED_OUTCOMES:
            outcomes = [outcome for _, outcome in self.playable.rolls(position)]
            numbers = list(range(len(outcomes)))
        next_nodes = [
            self._add_outcome(
                graph, position, number, outcomes[number] if outcomes else self.playable.roll_at(position, number)
            )
            for number in numbers
        ]
        self.outcome_node.entries[int(self.first_branch.entries[node]) + np.array(numbers)] = next_nodes

    def _add_outcome(self, graph: TurnGraph, roll: Any, number: int, outcome: Any) -> int:
        """Return the node that an outcome of a roll leads to; it is added if it is new.

        It gets a place, and so a value, unless it is a decision: the value of a decision is that of its best choice.

        Args:
            graph: the graph.
            roll: the position in which the dice are rolled.
            number: the number of the outcome.
            outcome: the position after the roll.
        """
        if self._ends_turn(outcome):
            node = self._add_node(graph, outcome, END_NODE)
            self.place.entries[node] = self._place(graph, (roll, number), TurnEnd(roll, number))
            return node
        node = self._node(graph, outcome)
        if self.kind.entries[node] == ROLL_NODE:
            self._place_node(graph, node)
        return node

    def outcome_nodes(self, node: int) -> Ints:
        """Return the nodes that all outcomes of a roll lead to, in their order."""
        self.expand_rolls(np.array([node]))
        first = int(self.first_branch.entries[node])
        branches = slice(first, first + int(self.branch_count.entries[node]))
        missing = np.flatnonzero(self.outcome_node.entries[branches] < 0)
        if len(missing):
            self._add_outcomes(node, missing.tolist())
        self._outcomes_in_this_step.clear()
        next_nodes: Ints = self.outcome_node.entries[branches]
        return next_nodes

    def enter(self, start_position: Any, position: Any, is_second: int = 0) -> tuple[int, int]:
        """Return the start and the node of a position inside a turn; both are added if they are new.

        Args:
            start_position: the position in which the turn begins.
            position: a position inside this turn.
            is_second: 1 for the second turn of a mixed action.
        """
        start = self.start_number(start_position) + is_second
        graph = self.graphs[self.graph_of.entries[self.root.entries[start]]]
        node = self._node(graph, self.playable.move_to_turn(position, graph.home))
        self._place_node(graph, node)
        return start, node

    @property
    def stored_numbers(self) -> int:
        """A rough size of these arrays, as a count of numbers."""
        return self.values.size * self.seats + NUMBERS_PER_NODE * len(self.positions)

    @property
    def max_cells_per_start(self) -> int:
        """The largest number of cells that are allocated for one start."""
        return max((graph.capacity for graph in self.graphs), default=0)

    # --- values and the starts that follow

    def fill_values(self, starts: Ints, cells: Ints) -> None:
        """Compute the values of these cells that are not known yet.

        Args:
            starts: the start of each cell.
            cells: the cells.
        """
        is_missing = np.isnan(self.values.entries[cells, 0])
        if not is_missing.any():
            return
        cells, first = np.unique(cells[is_missing], return_index=True)
        starts = starts[is_missing][first]
        if self._fill_turns(starts, cells):
            return
        targets = self._targets(starts, cells)
        values = seat_values_of(self.problem, self.solved.value_table, self.positions_after(starts, targets)).values
        if self.problem.objective == "turns":
            # An end counts the turn that it ends; the position after it no longer does.
            values += np.array([isinstance(target, TurnEnd) for target in targets])[:, None]
        self.values.entries[cells] = values

    def _fill_turns(self, starts: Ints, cells: Ints) -> bool:
        """Compute missing values of many turns, with one call of the problem for all turns of one graph.

        Turns without any value are computed in all their places, other turns only where a value is missing.

        Args:
            starts: the start of each cell.
            cells: the cells whose values are missing.

        Returns:
            False if the problem cannot evaluate many turns at once (``Problem.continuation_values``).
        """
        graph_numbers = self.graph_of.entries[self.root.entries[starts]]
        places = cells - self.first_cell.entries[starts]
        is_new = np.isnan(self.values.entries[self.first_cell.entries[starts], 0])
        is_second = self.is_second.entries[starts]
        groups = set(zip(graph_numbers.tolist(), is_new.tolist(), is_second.tolist(), strict=True))
        for number, new, second in groups:
            graph = self.graphs[number]
            rows = (graph_numbers == number) & (is_new == new) & (is_second == second)
            wanted_places = np.arange(len(graph.targets)) if new else np.unique(places[rows])
            group_starts = np.unique(starts[rows])
            values = self.problem.continuation_values(
                self._tables_of_actions[second],
                [self.starts[start] for start in group_starts.tolist()],
                _continuations([graph.targets[place] for place in wanted_places.tolist()]),
            )
            if values is None:
                return False
            self.values.entries[self.first_cell.entries[group_starts][:, None] + wanted_places] = values
            mixed = group_starts[self.second_probability.entries[group_starts] > 0]
            if len(mixed):
                # Before the first roll a mixed turn has the value before its action is drawn: the draw is luck.
                undrawn = self.problem.seat_values(
                    self.solved.value_table, [self.starts[start] for start in mixed.tolist()]
                )
                self.values.entries[self.first_cell.entries[mixed]] = undrawn.values
        return True

    def _targets(self, starts: Ints, cells: Ints) -> list[Any]:
        """Return what each cell stands for, as it is in the home of its graph: a position, or an end of the turn.

        Args:
            starts: the start of each cell.
            cells: the cells.
        """
        graphs = self.graph_of.entries[self.root.entries[starts]]
        places = cells - self.first_cell.entries[starts]
        pairs = zip(graphs.tolist(), places.tolist(), strict=True)
        return [self.graphs[graph].targets[place] for graph, place in pairs]

    def positions_after(self, starts: Ints, targets: list[Any]) -> list[Any]:
        """Return the positions that targets lead to in given turns.

        Args:
            starts: the start of each turn.
            targets: for each turn, the position of a node or an end of the turn, as in the home of the graph.
        """
        positions = [self.starts[start] for start in starts.tolist()]
        return [
            self._position_after(target, start)
            if isinstance(target, TurnEnd)
            else self.playable.move_to_turn(target, start)
            for target, start in zip(targets, positions, strict=True)
        ]

    def _position_after(self, end: TurnEnd, start: Any) -> Any:
        """Return the position after the turn that begins at ``start``, if it ends in this way."""
        if end.choice is not None:
            return self.playable.position_after_choice(end.position, end.number, end.choice, start)
        return self.playable.roll_at(self.playable.move_to_turn(end.position, start), end.number)

    def drawn_choice(self, start: int, node: int) -> int:
        """Return the number of the choice that one of the two turns of a mixed action makes at a decision node.

        Args:
            start: the start of this turn; the two turns have a start each.
            node: the decision node, whose choices have been listed.
        """
        if (start, node) not in self._drawn_choices:
            graph = self.graphs[self.graph_of.entries[node]]
            first = int(self.first_branch.entries[node])
            count = int(self.branch_count.entries[node])
            targets = [graph.targets[place] for place in self.choice_place.entries[first : first + count].tolist()]
            values = self.problem.decision_values(
                self._tables_of_actions[self.is_second.entries[start]], self.starts[start], _continuations(targets)
            )
            self._drawn_choices[start, node] = int(values.argmax())
        return self._drawn_choices[start, node]

    def next_starts(self, starts: Ints, cells: Ints) -> Ints:
        """Return the starts that follow ends of turns.

        Args:
            starts: the starts of the turns that end.
            cells: the cell of each end.
        """
        next_starts = self.next_start.entries[cells]
        is_missing = next_starts < 0
        if is_missing.any():
            missing, first = np.unique(cells[is_missing], return_index=True)
            ended_starts = starts[is_missing][first]
            positions = self.positions_after(ended_starts, self._targets(ended_starts, missing))
            # Adding a start may replace the array, so the numbers are listed before they are stored.
            numbers = [self.start_number(position) for position in positions]
            self.next_start.entries[missing] = numbers
            next_starts = self.next_start.entries[cells]
        result: Ints = next_starts
        return result


def _continuations(targets: list[Any]) -> list[Any]:
    """Return targets in the form of ``Problem.continuation_values``: chance positions, and choices that end a turn."""
    return [target.choice if isinstance(target, TurnEnd) else target for target in targets]
