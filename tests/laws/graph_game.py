"""A family in which every stage follows every other: turns of nodes, drawn by a seed, of two players or of one.

A throw may lead to a throw, to a choice, to another's turn and to the end of the game, and so may a choice; a turn may
begin with either. Edges lead on only, so a game ends, and values follow backwards.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction

from keepwise.games.rule_options import Option
from keepwise.play import Choice, Field, FieldKind, PlayableGame, Stage
from keepwise.util.errors import InputError

TITLE, FAMILY, OBJECTIVES = "Graph", "graph", ("win", "points", "turns")
SOURCES = ()
OPTIONS = (Option("seed", 1, "by which the graph is drawn", low=0, high=999),)
TURNS, NODES, OVER = 7, 4, -1


@dataclass(frozen=True)
class Node:
    """A throw, with weights, or a choice; what it leads to: (turn, node), or how the game ends, after ``OVER``."""

    throws: bool
    leads: tuple[tuple[int, int], ...]
    weights: tuple[int, ...]


def compile_rules(rules):
    """The turns, each a row of nodes."""
    rng = random.Random(rules["seed"])

    def node(turn, number):
        inside = [(turn, later) for later in range(number + 1, NODES)]
        after = [(later, 0) for later in range(turn + 1, TURNS)][:3] or [(OVER, 0), (OVER, 1)]
        some = rng.sample([*inside, *after, (OVER, rng.randrange(3))], k=rng.randint(1, len(inside) + 1))
        leads = tuple(dict.fromkeys([*some, after[0]]))
        return Node(rng.random() < 0.5, leads, tuple(rng.randint(1, 5) for _ in leads))

    return tuple(tuple(node(turn, number) for number in range(NODES)) for turn in range(TURNS))


@dataclass(frozen=True)
class GraphPosition:
    """``turn`` and ``node``; ``turn`` is ``OVER`` once the game is, and ``node`` then says how it ended."""

    turn: int = 0
    node: int = 0


class Play(PlayableGame):
    """The graph at the table; seats take turns."""

    fields = (
        Field("turns_made", FieldKind.NUMBER, "Turns up to now.", default=0),
        Field("node", FieldKind.NUMBER, "Where the turn stands.", is_inside_turn=True, default=0),
    )
    decision_kinds = ("throws", "rolls")

    def validate_parameters(self, goal, turns):
        raise InputError("there is nothing to reach")

    def start(self):
        return GraphPosition()

    def stage(self, position):
        if position.turn == OVER:
            return Stage.TERMINAL
        return Stage.CHANCE if self.at(position).throws else Stage.DECISION

    def at(self, position):
        return self.game.data[position.turn][position.node]

    def player_to_move(self, position):
        return max(position.turn, 0) % self.players

    def is_turn_start(self, position):
        return position.turn != OVER and position.node == 0

    def choices(self, position):
        return tuple(
            Choice(f"to {number}", (), 0, 0, GraphPosition(turn, node))
            for number, (turn, node) in enumerate(self.at(position).leads)
        )

    def rolls(self, position):
        here = self.at(position)
        for weight, lead in zip(here.weights, here.leads, strict=True):
            yield weight, GraphPosition(*lead)

    def payoffs(self, position):
        first = Fraction(1) if self.objective == "turns" else Fraction(position.node, 2)
        return (first, 1 - first) if self.players == 2 else (first,)

    def position_from_fields(self, turns_made=0, node=0):
        if turns_made >= TURNS or node >= NODES:
            raise InputError(f"there are {TURNS} turns of {NODES} nodes")
        return GraphPosition(turns_made, node)

    def to_dict(self, position):
        told = {"turns_made": position.turn} if position.turn else {}
        return told | ({"node": position.node} if position.node else {})


PLAYABLE = Play
MATCHES: dict[str, str] = {}  # its positions are listed
