"""Every state and turn of a game, found by walking the game as it is played.

A turn becomes a small graph of chance, choice and ending nodes. Turns that begin at different scores but offer the same
choices share one graph (``PlayableGame.turn_key``). An ending of such a turn is known by the choice that ends it. Where
that choice leads is asked of the game as it is played, for every state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..play.playable_game import Choice, replace_fields
from ..play.walk import list_relevant_choices
from ..solvers import Problem, ValueTable
from ..util.errors import InputError
from .game_descriptions import FAMILIES, State, counts_only_future_points, state_namer
from .turn_crosscheck import Comparison, crosscheck

MAX_NODES = 1_000_000  # choices and outcomes of rolls that are walked, and nodes that are evaluated: about a minute
# A game is refused at once if it had so many times MAX_NODES if all turns were as long as the first. Possible scores
# may crowd near the target, where turns are short: up to eight times shorter in the games that were tried.
SIZE_ALLOWANCE = 32
SHARED_TURNS_COMPARED = 3  # turns with a shared graph that are walked again


@dataclass(frozen=True)
class ChanceNode:
    """A roll inside a walked turn.

    Attributes:
        weights: the weights of its outcomes.
        nodes: the numbers of the nodes that the outcomes lead to, in the same order.
    """

    weights: tuple[int, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class ChoiceNode:
    """A decision inside a walked turn; ``nodes`` are the numbers of the nodes to choose from."""

    nodes: tuple[int, ...]


@dataclass(frozen=True)
class EndingNode:
    """An ending of a walked turn, by its index in the turn's list of endings."""

    ending: int


Node = ChanceNode | ChoiceNode | EndingNode
Payoff = tuple[Fraction | int, ...]  # by seat, from the mover on


@dataclass(frozen=True)
class EndingDecision:
    """A choice that ends a turn.

    Attributes:
        decision: the position in which it is made.
        number: the number of the choice among those of the decision. If a roll ends the turn, it is the roll's weight.
        choice: the choice.
    """

    decision: Any
    number: int
    choice: Choice[Any]


@dataclass(frozen=True)
class WalkedTurn:
    """A turn as a graph: its nodes, each after those it leads to, and its endings. The last node is the whole turn.

    For example, one roll of a die that is a bust (ending 0) with one face, and is banked (ending 1) with all others:

        nodes = EndingNode(0), EndingNode(1), ChanceNode(weights=(1, 5), nodes=(0, 1))
    """

    nodes: tuple[Node, ...]
    endings: tuple[EndingDecision, ...]


class Landing(NamedTuple):
    """Where an ending leads in one state: the payoff and the next state.

    Attributes:
        payoff: what the seats are paid, from the mover on. For fewest turns, and for a scorecard whose points are added
            up, only the mover is paid.
        state: the number of the next state, -1 if the game is over.
        seats_on: how many seats after the mover the next mover sits.
    """

    payoff: Payoff
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
        playable, players: the game as people play it, and the number of players.
        is_shared: whether turns that offer the same choices share one graph; set by ``walk``.
        _counts_only_future_points: whether the points scored so far are no part of a state.
        _shared_turns: if graphs are shared, the graph of each turn by its ``turn_key``. Turns with equal keys offer the
            same choices.
        _nodes_left: how many nodes more may be walked.
    """

    def __init__(self, problem: Problem[Any], cut: int | None = None) -> None:
        """Begin with no states.

        Args:
            problem: the problem whose game is walked.
            cut: the turn points from which a player stops if allowed; None to follow every choice.
        """
        self.problem = problem
        self.playable = problem.playable
        self.players = problem.players
        self.cut = cut
        self.is_shared = False  # until ``walk`` knows better
        self.names: dict[State, int] = {}
        self.positions: list[Any] = []
        self.turns: list[WalkedTurn] = []
        self.landings: list[list[Landing]] = []
        self._name_of = state_namer(problem.playable)
        self._counts_only_future_points = counts_only_future_points(problem.playable)
        self._shared_turns: dict[Hashable, WalkedTurn] = {}
        self._nodes_left = MAX_NODES

    def check_size(self, state_count: int) -> None:
        """Check before the walk that the turns of all states are not far too many.

        Only the first turn is built. If all turns were as long, together they may have SIZE_ALLOWANCE times MAX_NODES
        nodes. Later turns are often shorter, hence the allowance.

        Args:
            state_count: the number of states of the game.

        Raises:
            InputError: there are too many.
        """
        nodes_per_turn = SIZE_ALLOWANCE * MAX_NODES // state_count
        self._nodes_left = min(MAX_NODES, nodes_per_turn)
        _TurnBuilder(self).build(self.playable.start())  # spends nodes, and raises if none are left
        self._nodes_left = MAX_NODES

    def walk(self, value_table: ValueTable) -> None:
        """Walk the whole game from its start: number its states, and store their turns and where these lead.

        Args:
            value_table: the solved values, by which the problem may say from which turn points players stop.

        Raises:
            InputError: the game is too large, or a turn is not a finite graph.
            SolveError: two turns that share a graph differ.
        """
        start = self.playable.start()
        # Turns that begin at different scores share one graph if no choice is left out by turn points. Games written in
        # Python do not say which turns offer the same choices.
        has_all_choices = self.problem.stopping_points(value_table, start) is None
        self.is_shared = self.problem.game.family in FAMILIES and has_all_choices
        self._number(start)
        for position in self.positions:  # landings add new states to this list while it is walked
            turn = self._turn(position)
            self.turns.append(turn)
            self.landings.append([self._landing(position, ending) for ending in turn.endings])
            self.spend(len(turn.nodes))  # counts towards the size that is allowed
        crosscheck("a turn that several states share", self.playable, self._compare_shared_turns())

    def spend(self, nodes: int) -> None:
        """Count nodes that are walked or evaluated.

        Args:
            nodes: how many more there are.

        Raises:
            InputError: there are more than MAX_NODES in all.
        """
        self._nodes_left -= nodes
        if self._nodes_left < 0:
            raise InputError(
                f"{self.problem.game.id} is too large to be certified under these rules;"
                " fewer players, a lower target or fewer rounds may help"
            )

    def choices(self, position: Any) -> Sequence[Choice[Any]]:
        """Return the choices of a decision: all of them if turns share graphs, else those that can be best.

        Which choices can be best may depend on the scores, so they could not be left out of a graph that is shared.
        """
        if self.is_shared:
            return self.playable.choices(position)
        return list_relevant_choices(self.playable, position, self.cut)

    def ends_turn(self, position: Any) -> bool:
        """Return whether a turn has ended in this position: the game is over, or another turn begins."""
        return self.playable.stage(position) == "over" or self.playable.is_turn_start(position)

    def _number(self, position: Any) -> int:
        """Return the number of the state of a position between turns; a new state gets the next number."""
        name = self._name_of(position)
        if name not in self.names:
            self.names[name] = len(self.positions)
            self.positions.append(position)
        return self.names[name]

    def _turn(self, start: Any) -> WalkedTurn:
        """Return the turn that begins in a position, or if graphs are shared one that offers the same choices."""
        if not self.is_shared:
            return _TurnBuilder(self).build(start)
        key = self.playable.turn_key(start)
        if key not in self._shared_turns:
            self._shared_turns[key] = _TurnBuilder(self).build(start)
        return self._shared_turns[key]

    def _landing(self, start: Any, ending: EndingDecision) -> Landing:
        """Return where an ending leads in the turn that begins at ``start``: what is paid, and the next state.

        The payoffs are those of all seats from the mover on. Only for fewest turns, and for the points of a scorecard,
        they are what the turn itself pays the only player.

        Args:
            start: the position in which the turn begins.
            ending: an ending of the turn, or of a turn that shares its graph.
        """
        playable = self.playable
        next_position = ending.choice.after
        if self.is_shared:  # the ending may come from a turn with other scores, so the game says where it leads here
            next_position = playable.position_after_choice(ending.decision, ending.number, ending.choice, start)
        mover = playable.player_to_move(start)
        is_over = playable.stage(next_position) == "over"
        if playable.objective == "turns":
            payoff: Payoff = (-1,)  # every turn costs 1
        elif is_over:
            payoff_of_seat = playable.payoffs(next_position)
            payoff = tuple(payoff_of_seat[seat] for seat in playable.seats_from(mover))
        else:  # nothing is paid while the game goes on
            payoff = (0,) * self.players
        if is_over:
            return Landing(payoff, state=-1, seats_on=0)
        if self._counts_only_future_points:
            # The points of the turn are paid now, and taken off the card, so that states always begin with none.
            payoff = (next_position.own_card.score,)
            card_without_points = next_position.own_card._replace(score=0)
            next_position = replace_fields(next_position, cards=(card_without_points,))
        next_state = self._number(next_position)
        seats_on = (playable.player_to_move(next_position) - mover) % self.players
        return Landing(payoff, next_state, seats_on)

    def _compare_shared_turns(self) -> Iterator[Comparison]:
        """Yield comparisons of shared turns with turns that are walked from their own start.

        Compared are the last state, and others evenly spaced. The graph of the first state is its own.
        """
        if not self.is_shared:
            return
        last_state = len(self.positions) - 1
        parts = range(1, SHARED_TURNS_COMPARED + 1)  # part 0 would be the first state; the last part is the last state
        compared_states = {last_state * part // SHARED_TURNS_COMPARED for part in parts}  # in small games some coincide
        compared_states.discard(0)
        for state in sorted(compared_states):
            start = self.positions[state]
            shared_form = self._canonical_form(self.turns[state], start)
            own_form = self._canonical_form(_TurnBuilder(self).build(start), start)
            yield Comparison(start, shared_form, own_form)

    def _canonical_form(self, turn: WalkedTurn, start: Any) -> Any:
        """Return a hashable form of a turn that begins at ``start``, equal for turns that differ by numbering only."""
        return canonical_form(turn, [self._landing(start, ending) for ending in turn.endings])


class _TurnBuilder:
    """Builder of the graph of one turn by depth-first search.

    Equal nodes are stored once, so positions that offer the same share a node.

    Attributes:
        game: the walk that the turn belongs to, which limits the size of all turns together.
        nodes: the number of each node; a node is numbered after all nodes that it leads to.
        node_of: by position, the number of its node, once it has one.
        successors: by position, pairs of the number of a choice, or the weight of a roll, and the position after it.
        choices: by decision, its choices, until it has a node.
        endings: by key of an ending, its index and the decision that ends the turn.
        playable: the game as people play it.
    """

    def __init__(self, walk: GameWalk) -> None:
        """Begin with no nodes.

        Args:
            walk: the game that the turn belongs to. It limits the positions of all its turns together.
        """
        self.game = walk
        self.playable = walk.playable
        self.nodes: dict[Node, int] = {}  # the number of each node
        self.node_of: dict[Any, int] = {}  # by position, the number of its node
        # The different endings, each with its index, which is the number of endings before it. Endings with equal keys
        # have equal choices and lead to the same position, so they are stored once.
        self.endings: dict[Hashable, tuple[int, EndingDecision]] = {}
        # By position, pairs of the number of a choice, or the weight of a roll, and the position that follows.
        self.successors: dict[Any, list[tuple[int, Any]]] = {}
        self.choices: dict[Any, Sequence[Choice[Any]]] = {}

    def build(self, start: Any) -> WalkedTurn:
        """Return the graph of the turn that begins in a position.

        Nodes are made by depth-first search, so that every node comes after those it leads to.

        Raises:
            InputError: the turn is too large, has a cycle, or ends with a roll that may not end it.
        """
        # A position stays on the stack until those that it leads to have nodes.
        stack = [start]
        while stack:
            position = stack[-1]
            if position in self.node_of:
                stack.pop()
            elif position not in self.successors:  # met for the first time: the positions that it leads to come first
                stack += self._expand(position)
            else:  # met again: all positions that it leads to have nodes or end the turn; ``_expand`` refuses cycles
                stack.pop()
                is_decision = self.playable.stage(position) == "choose"
                node = self._choice_node(position) if is_decision else self._chance_node(position)
                self.node_of[position] = node
        start_node = self.node_of[start]
        # The last node has to be the whole turn. It is not if the start shares a node that was made earlier, so a
        # decision with this one choice is added.
        if start_node != len(self.nodes) - 1:
            self._number_of(ChoiceNode((start_node,)))
        endings = tuple(ending for _, ending in self.endings.values())
        return WalkedTurn(tuple(self.nodes), endings)

    def _expand(self, position: Any) -> list[Any]:
        """Store the successors of a position; return those inside the turn that have no node yet.

        A successor is a pair: the number of a choice, or the weight of a roll, and the position that follows.

        Raises:
            InputError: the turn is too large, or can come back to a position.
        """
        if self.playable.stage(position) == "choose":
            self.choices[position] = choices = self.game.choices(position)
            successors = [(number, choice.after) for number, choice in enumerate(choices)]
        else:
            successors = list(self.playable.rolls(position))
        self.successors[position] = successors
        self.game.spend(len(successors))  # raises if all turns together are too large
        positions_inside = [after for _, after in successors if not self.game.ends_turn(after)]
        unbuilt = [after for after in positions_inside if after not in self.node_of]
        # A position that is expanded but has no node is below this one on the stack: it leads here.
        if any(after in self.successors for after in unbuilt):
            raise InputError(
                f"{self.game.problem.game.id} cannot be certified: under these rules a turn can return to an"
                " earlier position"
            )
        return unbuilt

    def _choice_node(self, position: Any) -> int:
        """Return the number of the node of a decision, a position whose successors have nodes or end the turn.

        Choices that lead to the same node are joined. A single one needs no node of its own.

        Args:
            position: a position whose successors are stored as pairs of the number of a choice and what follows it.
        """
        nodes: list[int] = []
        choices = self.choices.pop(position)
        for number, next_position in self.successors[position]:
            if self.game.ends_turn(next_position):
                nodes.append(self._ending_node(EndingDecision(position, number, choices[number])))
            else:
                nodes.append(self.node_of[next_position])
        distinct = tuple(dict.fromkeys(nodes))
        return distinct[0] if len(distinct) == 1 else self._number_of(ChoiceNode(distinct))

    def _chance_node(self, position: Any) -> int:
        """Return the number of the node of a roll, a chance position whose successors have nodes already.

        Successors that lead to the same node are joined. If all lead to one node, the roll needs no node of its own,
        and the number of that node is returned.

        Raises:
            InputError: a roll ends the turn, and several turns share this graph. In a shared graph, endings are told
                apart by the choice that ends the turn.
        """
        weight_of_node: dict[int, int] = {}
        for weight, next_position in self.successors[position]:
            if not self.game.ends_turn(next_position):
                node = self.node_of[next_position]
            elif self.game.is_shared:
                raise InputError(
                    f"{self.game.problem.game.id} cannot be certified yet: a roll can end a turn without a choice"
                )
            else:
                ending = _ending_by_roll(position, weight, next_position)
                node = self._ending_node(ending)
            weight_of_node[node] = weight_of_node.get(node, 0) + weight
        if len(weight_of_node) == 1:
            (only_node,) = weight_of_node
            return only_node
        return self._number_of(ChanceNode(tuple(weight_of_node.values()), tuple(weight_of_node)))

    def _ending_node(self, ending: EndingDecision) -> int:
        """Return the number of the node of an ending; endings with equal choices that lead to one position share it."""
        choice = ending.choice
        key = choice.after, choice.meaning, choice.points
        next_index = len(self.endings)
        index, _ = self.endings.setdefault(key, (next_index, ending))
        return self._number_of(EndingNode(index))

    def _number_of(self, node: Node) -> int:
        """Return the number of a node, which is stored if it is new."""
        return self.nodes.setdefault(node, len(self.nodes))


def _ending_by_roll(position: Any, weight: int, next_position: Any) -> EndingDecision:
    """Return the ending of a turn that a roll ends.

    An ending is a choice, so one without words is made. It leads to the position after the roll, by which it is told
    apart from other rolls of the same weight.

    Args:
        position: the position before the roll.
        weight: the weight of the roll. It is only stored, in the place of the number of a choice.
        next_position: the position after the roll.
    """
    end_of_turn = Choice(words="", keep=(), points=0, dice_left=0, after=next_position)
    return EndingDecision(decision=position, number=weight, choice=end_of_turn)


def canonical_form(turn: WalkedTurn, landings: Sequence[Landing]) -> Any:
    """Return a form of a turn that does not depend on how its nodes are numbered: nested sets in place of lists.

    Args:
        turn: the turn.
        landings: by ending of the turn, where it leads.

    Returns:
        A hashable value. It is equal for two turns if they offer the same choices and the same outcomes of rolls with
        the same weights, and these lead to the same landings.
    """
    forms: list[Any] = []  # by node; every node comes after those it leads to
    for node in turn.nodes:
        if isinstance(node, EndingNode):
            forms.append(("ending", landings[node.ending]))
        elif isinstance(node, ChanceNode):
            weight_of_form: Counter[Any] = Counter()
            for weight, successor in zip(node.weights, node.nodes, strict=True):
                weight_of_form[forms[successor]] += weight
            forms.append(("chance", frozenset(weight_of_form.items())))
        else:
            alternatives = frozenset(forms[successor] for successor in node.nodes)
            if len(alternatives) == 1:  # no decision
                forms.extend(alternatives)
            else:
                forms.append(("choice", alternatives))
    return forms[-1]
