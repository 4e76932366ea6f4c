"""Every state and turn of a game, found by walking the game as it is played.

A turn becomes a small graph of chance, choice and ending nodes. Turns that begin at different scores but offer the same
choices share one graph (``Table.turn_key``). What ends such a turn is known by its choice; where that leads is asked of
the game for every state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..play.playable_game import Choice, changed
from ..play.walk import open_choices
from ..solvers import Problem, ValueTable
from ..util.errors import InputError
from .game_descriptions import FAMILIES, State, counts_only_future_points, state_namer
from .turn_crosscheck import Comparison, crosscheck

MAX_NODES = 1_000_000  # choices and outcomes of rolls that are walked, and nodes that are evaluated: about a minute
# A game is refused at once if it had so many times MAX_NODES if all turns were as long as the first. Possible scores
# may crowd near the target, where turns are short: up to eight times shorter in the games that were tried.
SIZE_ALLOWANCE = 32
SHARED_TURNS_COMPARED = 3  # turns with a shared graph that are walked again, besides the first


@dataclass(frozen=True)
class ChanceNode:
    """A roll: the weights of its outcomes and the nodes that they lead to."""

    weights: tuple[int, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class ChoiceNode:
    """A decision: the nodes to choose from."""

    nodes: tuple[int, ...]


@dataclass(frozen=True)
class EndingNode:
    """An ending, by its index in the turn's list of endings."""

    ending: int


Node = ChanceNode | ChoiceNode | EndingNode


@dataclass(frozen=True)
class TurnEnding:
    """A choice that ends a turn: the decision, the number of the choice there, and the choice."""

    decision: Any
    number: int
    choice: Choice[Any]


@dataclass(frozen=True)
class Turn:
    """A turn: its nodes, each after those it leads to, and its endings. The last node is the whole turn."""

    nodes: tuple[Node, ...]
    endings: tuple[TurnEnding, ...]


@dataclass(frozen=True)
class Landing:
    """The landing of an ending in one state: the payoff and the next state.

    Attributes:
        payoff: what the seats get, from the mover on; for ``turns`` and added points only what the mover gets.
        state: the number of the next state, -1 if the game is over.
        seats_on: the seats from the mover to the next mover.
    """

    payoff: tuple[Fraction, ...]
    state: int
    seats_on: int


class GameWalk:
    """The states of a game, their turns, and where these lead.

    Args:
        problem: the problem whose game is walked.
        cut: the turn points from which a player stops if allowed; None to follow every choice.

    Attributes:
        names: by name of a state, its number.
        positions: by state, its position.
        turns: by state, its turn.
        landings: by state, where the endings of its turn lead.
    """

    def __init__(self, problem: Problem[Any], cut: int | None = None) -> None:
        self.problem, self.table, self.players, self.cut = problem, problem.playable, problem.players, cut
        self.is_shared = False
        self.names: dict[State, int] = {}
        self.positions: list[Any] = []
        self.turns: list[Turn] = []
        self.landings: list[list[Landing]] = []
        self._name_of = state_namer(problem.playable)
        self._shared_turns: dict[Hashable, Turn] = {}
        self._nodes_left = MAX_NODES

    def check_size(self, state_count: int) -> None:
        """Raise InputError if the turns of so many states are far too many to be walked."""
        self._nodes_left = min(MAX_NODES, SIZE_ALLOWANCE * MAX_NODES // state_count)
        _TurnBuilder(self).build(self.table.start())
        self._nodes_left = MAX_NODES

    def walk(self, value_table: ValueTable) -> None:
        """Walk the whole game from its start.

        Raises:
            InputError: the game is too large, or a turn is not a finite graph.
            SolveError: two turns that share a graph differ.
        """
        start = self.table.start()
        has_all_choices = self.problem.stopping_points(value_table, start) is None
        self.is_shared = self.problem.game.family in FAMILIES and has_all_choices
        self._number(start)
        for position in self.positions:  # the list grows meanwhile
            turn = self._turn(position)
            self.turns.append(turn)
            self.landings.append([self._landing(position, ending) for ending in turn.endings])
            self.spend(len(turn.nodes))
        crosscheck("a turn that several states share", self.table, self._compare_shared_turns())

    def spend(self, nodes: int) -> None:
        """Count nodes; raise InputError if there are too many."""
        self._nodes_left -= nodes
        if self._nodes_left < 0:
            raise InputError(
                f"{self.problem.game.id}: more can happen under these rules than can be proved state by state:"
                " fewer players, a nearer target or fewer rounds may do"
            )

    def choices(self, position: Any) -> Sequence[Choice[Any]]:
        """Return the choices of a decision: all of them if turns share graphs, else those that can matter."""
        return self.table.choices(position) if self.is_shared else open_choices(self.table, position, self.cut)

    def ends_turn(self, position: Any) -> bool:
        """Return whether a turn has ended in this position."""
        return self.table.stage(position) == "over" or self.table.turn_begins(position)

    def _number(self, position: Any) -> int:
        """Return the number of the state of a position between turns."""
        name = self._name_of(position)
        if name not in self.names:
            self.names[name] = len(self.positions)
            self.positions.append(position)
        return self.names[name]

    def _turn(self, start: Any) -> Turn:
        """Return the turn that begins in a position, or one that offers the same choices."""
        if not self.is_shared:
            return _TurnBuilder(self).build(start)
        key = self.table.turn_key(start)
        if key not in self._shared_turns:
            self._shared_turns[key] = _TurnBuilder(self).build(start)
        return self._shared_turns[key]

    def _landing(self, start: Any, ending: TurnEnding) -> Landing:
        """Return where an ending leads in the turn that begins at ``start``."""
        table, next_position = self.table, ending.choice.after
        if self.is_shared:
            next_position = table.landing(ending.decision, ending.number, ending.choice, start)
        seat, is_over = table.mover(start), table.stage(next_position) == "over"
        outcome = table.outcome(next_position) if is_over else (Fraction(0),) * self.players
        is_turns = table.objective == "turns"
        payoff = (Fraction(-1),) if is_turns else tuple(outcome[other_seat] for other_seat in table.seats_from(seat))
        if is_over:
            return Landing(payoff, -1, 0)
        if counts_only_future_points(table):  # the points so far are paid, so that states begin with none
            payoff = (Fraction(next_position.own.score),)
            next_position = changed(next_position, cards=(next_position.own._replace(score=0),))
        return Landing(payoff, self._number(next_position), (table.mover(next_position) - seat) % self.players)

    def _compare_shared_turns(self) -> Iterator[Comparison]:
        """Yield comparisons of shared turns with turns that are walked from their own start."""
        last = len(self.positions) - 1
        samples = {last * part // SHARED_TURNS_COMPARED for part in range(SHARED_TURNS_COMPARED + 1)}
        for number in sorted(samples) if self.is_shared else ():
            start = self.positions[number]
            shared, own = (
                canonical_form(turn, [self._landing(start, ending) for ending in turn.endings])
                for turn in (self.turns[number], _TurnBuilder(self).build(start))
            )
            yield Comparison(start, shared, own)


class _TurnBuilder:
    """Builder of the graph of one turn by depth-first search."""

    def __init__(self, walk: GameWalk) -> None:
        self.game, self.table = walk, walk.table
        self.nodes: dict[Node, int] = {}
        self.node_of: dict[Any, int] = {}  # by position
        self.endings: dict[Hashable, tuple[int, TurnEnding]] = {}
        self.successors: dict[Any, list[tuple[int, Any]]] = {}  # numbers of choices or weights, and positions

    def build(self, start: Any) -> Turn:
        """Return the turn that begins in a position.

        Raises:
            InputError: the turn is too large, has a cycle, or ends with a roll.
        """
        stack = [start]
        while stack:
            position = stack[-1]
            if position in self.node_of:
                stack.pop()
            elif position not in self.successors:
                stack += self._expand(position)
            else:
                stack.pop()
                is_decision = self.table.stage(position) == "choose"
                self.node_of[position] = (self._choice_node if is_decision else self._chance_node)(position)
        if self.node_of[start] != len(self.nodes) - 1:
            self.nodes[ChoiceNode((self.node_of[start],))] = len(self.nodes)
        return Turn(tuple(self.nodes), tuple(ending for _, ending in self.endings.values()))

    def _expand(self, position: Any) -> list[Any]:
        """Store the successors of a position; return those that have no node yet."""
        if self.table.stage(position) == "choose":
            successors = [(number, choice.after) for number, choice in enumerate(self.game.choices(position))]
        else:
            successors = list(self.table.throws(position))
        self.successors[position] = successors
        self.game.spend(len(successors))
        inside = [position for _, position in successors if not self.game.ends_turn(position)]
        unbuilt = [position for position in inside if position not in self.node_of]
        if any(position in self.successors for position in unbuilt):
            raise InputError(f"{self.game.problem.game.id}: a turn can go round in circles under these rules")
        return unbuilt

    def _choice_node(self, position: Any) -> int:
        """Return the node of a decision."""
        nodes, choices = list[int](), self.game.choices(position)
        for number, next_position in self.successors[position]:
            if self.game.ends_turn(next_position):
                nodes.append(self._ending_node(TurnEnding(position, number, choices[number])))
            else:
                nodes.append(self.node_of[next_position])
        distinct = tuple(dict.fromkeys(nodes))
        return distinct[0] if len(distinct) == 1 else self._add(ChoiceNode(distinct))

    def _chance_node(self, position: Any) -> int:
        """Return the node of a roll."""
        weights: dict[int, int] = {}
        for weight, next_position in self.successors[position]:
            if not self.game.ends_turn(next_position):
                node = self.node_of[next_position]
            elif self.game.is_shared:
                raise InputError(f"{self.game.problem.game.id}: a throw that ends a turn cannot be certified yet")
            else:
                node = self._ending_node(TurnEnding(position, weight, Choice("", (), 0, 0, "end", next_position)))
            weights[node] = weights.get(node, 0) + weight
        if len(weights) == 1:
            return next(iter(weights))
        return self._add(ChanceNode(tuple(weights.values()), tuple(weights)))

    def _ending_node(self, ending: TurnEnding) -> int:
        """Return the node of an ending; endings with the same choice and successor share one."""
        choice = ending.choice
        key = choice.after, choice.action, choice.points, choice.then
        index, _ = self.endings.setdefault(key, (len(self.endings), ending))
        return self._add(EndingNode(index))

    def _add(self, node: Node) -> int:
        return self.nodes.setdefault(node, len(self.nodes))


def canonical_form(turn: Turn, landings: Sequence[Landing]) -> Any:
    """Return a form of a turn that does not depend on how its nodes are numbered."""
    forms: list[Any] = []
    for node in turn.nodes:
        if isinstance(node, EndingNode):
            forms.append(("ending", landings[node.ending]))
        elif isinstance(node, ChanceNode):
            weights: dict[Any, int] = {}
            for weight, successor in zip(node.weights, node.nodes, strict=True):
                weights[forms[successor]] = weights.get(forms[successor], 0) + weight
            forms.append(("chance", frozenset(weights.items())))
        else:
            alternatives = frozenset(forms[successor] for successor in node.nodes)
            forms.append(next(iter(alternatives)) if len(alternatives) == 1 else ("choice", alternatives))
    return forms[-1]
