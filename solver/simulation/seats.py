"""Players of simulated games: a policy for a seat, which decides in many positions at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import numpy as np

from ..policies.policy import Policy
from ..solving.solved_problem import SolvedProblem
from ..util.errors import InputError
from .choice_losses import DecisionBatch
from .turns import NODE_LIMIT, Floats, GrowingArray, Ints, TurnArrays

MAX_HALVINGS = 1000  # a weight that is halved so often is 0
MINUS_LN_2 = -0.6931471805599453
POWER_SERIES_TERMS = 16


class SimulatedPlayer(Protocol):
    """A player of simulated games.

    Attributes:
        name: the name of its policy, in outputs.
        plays_best: whether it always makes the best choice, so that it need not be asked.
        draws: whether it needs random numbers.
    """

    name: str
    plays_best: bool
    draws: bool

    def choose(self, batch: DecisionBatch, rows: Ints, draws: Floats | None) -> Ints:
        """Return the number of the choice that this player makes in each of some decisions: (rows,).

        Args:
            batch: decisions of many games.
            rows: (rows,) the indices in ``batch`` of the decisions of this player.
            draws: (rows,) random numbers from 0 to below 1; None if no player of the games needs them.
        """


class OptimalPlayer:
    """The player who makes the best choice for the objective of the game."""

    name, plays_best, draws = "best", True, False

    def choose(self, batch: DecisionBatch, rows: Ints, draws: Floats | None) -> Ints:
        """Return the number of the best choice in each of some decisions; see ``SimulatedPlayer.choose``."""
        choices: Ints = batch.best[rows]
        return choices


class PolicyPlayer:
    """A player who follows a policy, whose choices are kept.

    The policy is called once for every pair of an observation key and a node, because turns with equal keys are played
    alike.
    """

    plays_best, draws = False, False

    def __init__(self, name: str, policy: Policy) -> None:
        self.name, self.policy = name, policy
        self._turns: TurnArrays | None = None

    def choose(self, batch: DecisionBatch, rows: Ints, draws: Floats | None) -> Ints:
        """Return the number of the policy's choice in each of some decisions; see ``SimulatedPlayer.choose``."""
        return self.choice_numbers(batch.turns, batch.starts[rows], batch.nodes[rows])

    def choice_numbers(self, turns: TurnArrays, starts: Ints, nodes: Ints) -> Ints:
        """Return the number of the policy's choice in each decision: (decisions,).

        Args:
            turns: the arrays in which starts and nodes are numbered.
            starts: (decisions,) the start of each decision's turn.
            nodes: (decisions,) the decision nodes.
        """
        if self._turns is not turns:
            self._forget(turns)
        for start in _missing_entries(self._observation_of_start, starts):
            key = self.policy.observation_key(turns.starts[start])
            self._observation_of_start.entries[start] = self._observations.setdefault(key, len(self._observations))
        # One number names a pair of an observation and a node.
        pairs = self._observation_of_start.entries[starts] * NODE_LIMIT + nodes
        distinct_pairs, first_row, pair_of_row = np.unique(pairs, return_index=True, return_inverse=True)
        choice_of_pair = self._choice_of_pair
        for pair, row in zip(distinct_pairs.tolist(), first_row.tolist(), strict=True):
            if pair not in choice_of_pair:
                choice_of_pair[pair] = self._choice_number(turns, int(starts[row]), int(nodes[row]))
        choices = np.array([choice_of_pair[pair] for pair in distinct_pairs.tolist()], dtype=np.int64)
        choices_by_row: Ints = choices[pair_of_row]
        return choices_by_row

    def _forget(self, turns: TurnArrays) -> None:
        """Drop the choices that are kept, because in other arrays starts and nodes have other numbers."""
        self._turns = turns
        self._choice_of_pair = dict[int, int]()
        self._observations = dict[Hashable, int]()  # number by observation key
        self._observation_of_start = GrowingArray(np.int64, -1)

    def _choice_number(self, turns: TurnArrays, start: int, node: int) -> int:
        """Ask the policy for its choice at a node of one turn, and return the number of the choice."""
        playable = turns.playable
        position = playable.move_to_turn(turns.positions[node], turns.starts[start])
        return playable.choices(position).index(self.policy.choose(playable, position))


class OtherObjectivePlayer:
    """A player who plays optimally for another objective, for example one who maximizes points in a race.

    Positions of the game that is played are translated to the other problem by their fields. Its best choices are
    translated back by what they do.
    """

    plays_best, draws = False, False

    def __init__(self, name: str, solved: SolvedProblem) -> None:
        """Keep the other problem; nothing is translated yet.

        Args:
            name: the name of the policy.
            solved: the problem with the other objective, solved.
        """
        self.name = name
        self._solved = solved
        self._turns: TurnArrays | None = None

    def choose(self, batch: DecisionBatch, rows: Ints, draws: Floats | None) -> Ints:
        """Return the number of the best choice for the other objective, in each of some decisions.

        For arguments see ``SimulatedPlayer.choose``.
        """
        if self._turns is not batch.turns:
            self._forget(batch.turns)
        starts, nodes, other_turns = batch.starts[rows], batch.nodes[rows], self._other_turns
        for start in _missing_entries(self._other_start, starts):
            position = self._translate(batch.turns.starts[start])
            self._other_start.entries[start] = other_turns.start_number(position)
        other_starts = self._other_start.entries[starts]
        graphs = other_turns.graph_of.entries[other_turns.root.entries[other_starts]]
        pairs = graphs * NODE_LIMIT + nodes
        distinct_pairs, first_row, pair_of_row = np.unique(pairs, return_index=True, return_inverse=True)
        for pair, row in zip(distinct_pairs.tolist(), first_row.tolist(), strict=True):
            if pair not in self._link_of_pair:
                self._link_of_pair[pair] = self._add_link(int(starts[row]), int(other_starts[row]), int(nodes[row]))
        links = np.array([self._link_of_pair[pair] for pair in distinct_pairs.tolist()], dtype=np.int64)[pair_of_row]
        best = DecisionBatch(other_turns, other_starts, self._other_node.entries[links]).best
        choices: Ints = self._choice_numbers.entries[self._first_choice.entries[links] + best]
        return choices

    def _forget(self, turns: TurnArrays) -> None:
        """Drop all translations, because in other arrays starts and nodes have other numbers."""
        self._turns = turns
        self._other_turns = TurnArrays(self._solved)
        self._other_start = GrowingArray(np.int64, -1)
        # A link translates a node: to a node of the other problem, and its choices back to those of this game.
        self._link_of_pair: dict[int, int] = {}
        self._other_node = GrowingArray(np.int64)
        self._first_choice = GrowingArray(np.int64)  # where the choices of a link begin in _choice_numbers
        self._choice_numbers = GrowingArray(np.int64)

    def _translate(self, position: Any) -> Any:
        """Return the position of the other problem that has the same values in all fields that both problems have."""
        assert self._turns is not None
        names = {field.name for field in self._solved.playable.fields}
        fields = {name: value for name, value in self._turns.playable.to_dict(position).items() if name in names}
        return self._solved.playable.position(**fields)

    def _add_link(self, start: int, other_start: int, node: int) -> int:
        """Translate a decision node and its choices, and return the number of this translation, a *link*.

        A choice is translated to the choice with the same meaning. If there is none, it is the first that keeps the
        same dice, leaves as many, and also rolls or does not.

        Args:
            start: the start of a turn with the node, in the game that is played.
            other_start: the same start in the other problem.
            node: the decision node, in the game that is played.

        Raises:
            InputError: the other problem has a choice that this game does not have.
        """
        turns, other_turns = self._turns, self._other_turns
        assert turns is not None
        position = turns.playable.move_to_turn(turns.positions[node], turns.starts[start])
        other_position = self._translate(position)
        _, other_node = other_turns.enter(other_turns.starts[other_start], other_position)
        other_turns.expand_decisions(np.array([other_node]))
        choices = turns.playable.choices(position)
        effects = [(choice.keep, choice.dice_left) for choice in choices]
        meanings = [choice.meaning for choice in choices]
        numbers = []
        for choice in other_turns.playable.choices(other_position):
            effect = (choice.keep, choice.dice_left)
            number = meanings.index(choice.meaning) if choice.meaning in meanings else -1
            numbers.append(number if number >= 0 or effect not in effects else effects.index(effect))
        if min(numbers) < 0:
            raise InputError(
                f"policy {self.name} cannot be used in this game: its objective has other choices at"
                f" {turns.playable.id(position)}"
            )
        self._first_choice.append(self._choice_numbers.append(*numbers))
        return self._other_node.append(other_node)


class MistakePlayer:
    """A player who makes mistakes, by a softmax over the losses of the choices.

    A choice with loss x has the weight 2 ** -(x / temperature). With an infinite temperature all choices are equally
    likely.

    Attributes:
        name: the name of the policy.
        temperature: the loss that halves a weight, in units of the objective.
        decisions: number of decisions so far.
        expected_loss: sum of the expected losses of these decisions.
    """

    plays_best, draws = False, True

    def __init__(self, name: str, temperature: float) -> None:
        self.name, self.temperature = name, temperature
        self.decisions, self.expected_loss = 0, 0.0

    def choose(self, batch: DecisionBatch, rows: Ints, draws: Floats | None) -> Ints:
        """Return the number of a randomly drawn choice in each of some decisions, and count the expected losses.

        For arguments see ``SimulatedPlayer.choose``.
        """
        assert draws is not None
        loss = batch.loss[rows]
        choices, cumulative_weights = self._pick(loss, draws)
        totals = cumulative_weights[:, -1]
        finite_loss = np.where(np.isinf(loss), 0.0, loss)
        probabilities = np.diff(cumulative_weights, axis=1, prepend=0.0) / totals[:, None]
        self.decisions += len(rows)
        self.expected_loss += float((finite_loss * probabilities).sum())
        return choices

    def pick(self, losses: Sequence[float], draw: float) -> int:
        """Return the index of a choice drawn by its weight.

        Args:
            losses: the loss of each choice.
            draw: a random number from 0 to below 1.
        """
        return int(self._pick(np.array([losses]), np.array([draw]))[0][0])

    def _pick(self, loss: Floats, draws: Floats) -> tuple[Ints, Floats]:
        """Draw a choice in each of some decisions.

        Args:
            loss: (decisions, choices) the loss of each choice; infinite beyond the last choice of a decision.
            draws: (decisions,) random numbers from 0 to below 1.

        Returns:
            (decisions,) the numbers of the choices; and (decisions, choices) the cumulative weights.
        """
        cumulative_weights = np.cumsum(softmax_weights(loss, self.temperature), axis=1)
        thresholds = draws * cumulative_weights[:, -1]
        choices: Ints = (cumulative_weights <= thresholds[:, None]).sum(axis=1)
        return choices, cumulative_weights


def softmax_weights(loss: Floats, temperature: float) -> Floats:
    """Return the weight 2 ** -(loss / temperature) of each choice, with the same bits on every machine.

    NumPy's exponential function differs between machines in the last bits. So the exponent is split: its fractional
    part is evaluated by the power series of exp, and its whole part only shifts the binary exponent.

    Args:
        loss: losses, in an array of any shape; an infinite one has the weight 0.
        temperature: the loss that halves a weight.
    """
    halvings = np.full_like(loss, MAX_HALVINGS)
    np.divide(loss, temperature, out=halvings, where=np.isfinite(loss))
    np.minimum(halvings, MAX_HALVINGS, out=halvings)
    whole_halvings = np.floor(halvings)
    exponent = (halvings - whole_halvings) * MINUS_LN_2
    power = np.ones_like(exponent)
    for term in range(POWER_SERIES_TERMS, 0, -1):
        power = 1 + power * exponent / term
    scaled = np.ldexp(power, -whole_halvings.astype(np.int64))
    weights: Floats = np.where(halvings < MAX_HALVINGS, scaled, 0.0)
    return weights


def _missing_entries(column: GrowingArray, numbers: Ints) -> list[int]:
    """Return those of some numbers that have no entry in a column yet, each once; the column grows to include them.

    Args:
        column: an array of entries by number; a negative entry is missing.
        numbers: the numbers, which may repeat.
    """
    size = int(numbers.max()) + 1
    if size > column.size:
        column.grow(size - column.size)
    missing: list[int] = np.unique(numbers[column.entries[numbers] < 0]).tolist()
    return missing
