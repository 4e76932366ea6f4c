"""Who sits at the table: a policy for each seat, deciding many positions at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import numpy as np

from ..policies.policy import Policy
from ..solvers import Problem, ValueTable
from ..util.errors import InputError
from .choice_losses import Offer
from .turns import Floats, Grown, Ints, Turns

NODES = 1 << 32  # there are fewer
HALVINGS = 1000  # from so many on a weight is as good as none


class Seat(Protocol):
    """A player. ``plays_best``: nothing but the best choice; ``draws``: decides by random numbers too."""

    name: str
    plays_best: bool
    draws: bool

    def choose(self, offer: Offer, rows: Ints, draws: Floats | None) -> Ints:
        """The number of the choice made in each of these rows of decisions."""


class Best:
    """The best player of the question."""

    name, plays_best, draws = "best", True, False

    def choose(self, offer: Offer, rows: Ints, draws: Floats | None) -> Ints:
        """The best choice."""
        chosen: Ints = offer.best[rows]
        return chosen


class Follower:
    """A player who follows a policy. Starts with the same observation key are decided alike."""

    plays_best, draws = False, False

    def __init__(self, name: str, policy: Policy) -> None:
        self.name, self.policy = name, policy
        self._turns: Turns | None = None

    def choose(self, offer: Offer, rows: Ints, draws: Floats | None) -> Ints:
        """Return the number of the choice that the policy makes in each of these rows of decisions."""
        return self.choice_numbers(offer.turns, offer.starts[rows], offer.nodes[rows])

    def choice_numbers(self, turns: Turns, starts: Ints, nodes: Ints) -> Ints:
        """Return the number of the choice at each decision; the policy is asked once for each observation and node."""
        if self._turns is not turns:
            self._turns, self._known = turns, dict[int, int]()
            self._seen, self._sights = dict[Hashable, int](), Grown(np.int64, -1)
        for start in _unknown(self._sights, starts):
            observation = self.policy.observation_key(turns.starts[start])
            self._sights.all[start] = self._seen.setdefault(observation, len(self._seen))
        keys, first, place = np.unique(self._sights.all[starts] * NODES + nodes, return_index=True, return_inverse=True)
        known = self._known
        for key, row in zip(keys.tolist(), first.tolist(), strict=True):
            if key not in known:
                known[key] = self._number(turns, int(starts[row]), int(nodes[row]))
        chosen: Ints = np.array([known[key] for key in keys.tolist()], dtype=np.int64)[place]
        return chosen

    def _number(self, turns: Turns, start: int, node: int) -> int:
        table = turns.table
        position = table.moved(turns.positions[node], turns.starts[start])
        return table.choices(position).index(self.policy.choose(table, position))


class Elsewhere:
    """The best player of another question about the same game: whatever is played for, they play for that."""

    plays_best, draws = False, False

    def __init__(self, name: str, match: Problem[Any], solved: ValueTable) -> None:
        self.name, self._match, self._solved = name, match, solved
        self._turns: Turns | None = None

    def choose(self, offer: Offer, rows: Ints, draws: Floats | None) -> Ints:
        """Their best choice, by the question they think of."""
        if self._turns is not offer.turns:
            self._turns, self._theirs = offer.turns, Turns(self._match, self._solved)
            self._start_of = Grown(np.int64, -1)
            self._links: dict[int, int] = {}
            self._node_of, self._map_of, self._numbers = Grown(np.int64), Grown(np.int64), Grown(np.int64)
        starts, nodes, theirs = offer.starts[rows], offer.nodes[rows], self._theirs
        for start in _unknown(self._start_of, starts):
            self._start_of.all[start] = theirs.start(self._told(offer.turns.starts[start]))
        meant = self._start_of.all[starts]
        graphs = theirs.graph_of.all[theirs.root.all[meant]]
        keys, first, place = np.unique(graphs * NODES + nodes, return_index=True, return_inverse=True)
        for key, row in zip(keys.tolist(), first.tolist(), strict=True):
            if key not in self._links:
                self._links[key] = self._link(int(starts[row]), int(meant[row]), int(nodes[row]))
        links = np.array([self._links[key] for key in keys.tolist()], dtype=np.int64)[place]
        best = Offer(theirs, meant, self._node_of.all[links]).best
        chosen: Ints = self._numbers.all[self._map_of.all[links] + best]
        return chosen

    def _told(self, position: Any) -> Any:
        """The position as their question tells it."""
        assert self._turns is not None
        known = {field.name for field in self._match.playable.fields}
        told = {name: value for name, value in self._turns.table.tell(position).items() if name in known}
        return self._match.playable.read(**told)

    def _link(self, start: int, meant: int, node: int) -> int:
        """Their node of a node, and the number here of each of their choices."""
        turns, theirs = self._turns, self._theirs
        assert turns is not None
        position = turns.table.moved(turns.positions[node], turns.starts[start])
        told = self._told(position)
        _, their = theirs.enter(theirs.starts[meant], told)
        theirs.open_choices(np.array([their]))
        choices = turns.table.choices(position)
        here = [(choice.keep, choice.then == "roll", choice.dice_left) for choice in choices]
        meanings = [choice.meaning for choice in choices]
        numbers = []
        for choice in theirs.table.choices(told):
            does = (choice.keep, choice.then == "roll", choice.dice_left)
            same = meanings.index(choice.meaning) if choice.meaning in meanings else -1
            numbers.append(same if same >= 0 or does not in here else here.index(does))
        if min(numbers) < 0:
            raise InputError(f"{self.name} is no policy here: it knows other choices in {turns.table.id(position)}")
        self._map_of.add(self._numbers.add(*numbers))
        return self._node_of.add(their)


class Graded:
    """Makes mistakes: of the choices of a position each is made with a weight that halves for every ``temperature``
    that it loses (softmax over the losses). With an infinite temperature all are alike.

    ``decisions``, and ``lost``, what they lose on average: of the decisions made so far.
    """

    plays_best, draws = False, True

    def __init__(self, name: str, temperature: float) -> None:
        self.name, self.temperature = name, temperature
        self.decisions, self.lost = 0, 0.0

    def choose(self, offer: Offer, rows: Ints, draws: Floats | None) -> Ints:
        """A choice by its weight."""
        assert draws is not None
        loss = offer.loss[rows]
        chosen, weights = self._pick(loss, draws)
        total = weights[:, -1]
        there = np.where(np.isinf(loss), 0.0, loss)
        shares = np.diff(weights, axis=1, prepend=0.0) / total[:, None]
        self.decisions += len(rows)
        self.lost += float((there * shares).sum())
        return chosen

    def pick(self, losses: Sequence[float], draw: float) -> int:
        """The number of the choice made where they lose so much, by a number from 0 to below 1."""
        return int(self._pick(np.array([losses]), np.array([draw]))[0][0])

    def _pick(self, loss: Floats, draws: Floats) -> tuple[Ints, Floats]:
        """The choice of each row, and the sums of weights up to each choice."""
        weights = np.cumsum(weigh(loss, self.temperature), axis=1)
        chosen: Ints = (weights <= (draws * weights[:, -1])[:, None]).sum(axis=1)
        return chosen, weights


def weigh(loss: Floats, temperature: float) -> Floats:
    """Weights of choices that lose so much; the same bits on every machine, which numpy's exponentials are not."""
    halvings = np.full_like(loss, HALVINGS)
    np.divide(loss, temperature, out=halvings, where=np.isfinite(loss))
    np.minimum(halvings, HALVINGS, out=halvings)
    whole = np.floor(halvings)
    part = (halvings - whole) * -0.6931471805599453
    power = np.ones_like(part)
    for term in range(16, 0, -1):
        power = 1 + power * part / term
    weights: Floats = np.where(halvings < HALVINGS, np.ldexp(power, -whole.astype(np.int64)), 0.0)
    return weights


def _unknown(column: Grown, numbers: Ints) -> list[int]:
    """Which of these numbers have no entry in a column yet."""
    top = int(numbers.max()) + 1
    if top > column.size:
        column.grow(top - column.size)
    found: list[int] = np.unique(numbers[column.all[numbers] < 0]).tolist()
    return found
