"""The decisions of whole turns as arrays, from one question to the problem.

A turn is walked once as people play it: its *decisions*, its *rolls* and its *endings*. Turns that offer the same
choices in the same words (``PlayableGame.turn_key``) share that walk. So only values differ from turn to turn: those of
all rolls and endings, and for each decision the best of the places that its choices lead to.

Some problems list the choices of many turns without a walk (``Problem.turn_choices``).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..play.choice_kinds import TurnStop
from ..play.playable_game import Choice, PlayableGame
from ..play.position_fields import Role
from ..play.walk import counts_as_turn, list_relevant_choices, sort_key
from ..solvers.turn_choices import TurnChoices
from ..solving.solved_problem import SolvedProblem
from .advice import tie_tolerance
from .positions import choices_of, gain_sign, seat_values_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS_AT_ONCE = 4_000_000  # of a table of choices by turns that are ranked
WALKED_CELLS_AT_ONCE = 500_000  # of turns that are walked and share a block of rows
WALKS_KEPT = 4  # that of a card of ten dice holds half a million choices


class EndingChoice(NamedTuple):
    """An ending of a turn: the index of a decision, and the number of its choice that ends the turn."""

    decision: int
    number: int


@dataclass(frozen=True)
class TurnWalk:
    """The decisions of a turn, and where their choices lead.

    Attributes:
        decisions: the decision positions, sorted by their fields.
        begin: (decisions + 1,), the index in ``choices`` at which the choices of each decision begin.
        choices: the choices of all decisions.
        leads: (choices,), the place that each choice leads to: an index of a roll, or behind these of an ending.
        throws: the positions in which dice are rolled.
        ends: the endings.
    """

    decisions: tuple[Any, ...]
    begin: Ints
    choices: tuple[Choice[Any], ...]
    leads: Ints
    throws: tuple[Any, ...]
    ends: tuple[EndingChoice, ...]


def walk_turn(playable: PlayableGame[Any], start: Any, cut: int | None, before: bool) -> TurnWalk:
    """Walk a turn, and return its decisions before a roll or after one.

    Positions with a field that rows do not list are left out, because nothing is left to decide there.

    Args:
        playable: the game.
        start: the position in which the turn begins.
        cut: turn points from which nobody rolls on unless forced to, and then as if there were no more; or None.
        before: True for the decisions before a roll, False for those after one.
    """
    rolls: dict[Any, int] = {}
    decisions: dict[Any, None] = {}
    unvisited = [start]
    visited = {start}
    while unvisited:
        position = unvisited.pop()
        if playable.stage(position) == "choose":
            decisions[position] = None
            successors = [choice.after for choice in list_relevant_choices(playable, position, cut)]
        else:
            rolls[position] = len(rolls)
            decisions[playable.decision_before_roll(position) or position] = None
            successors = [after for _, after in playable.rolls(position)]
        for after in successors:
            if after not in visited and playable.stage(after) != "over" and not playable.is_turn_start(after):
                visited.add(after)
                unvisited.append(after)
    unlisted_fields = {field.name for field in playable.fields if field.is_inside_turn and not field.is_column}
    roll_fields = {playable.roles.get(role) for role in (Role.ROLL, Role.FEEL)}
    selected = []
    for decision in decisions:
        field_names = set(playable.to_dict(decision))
        is_before_roll = roll_fields.isdisjoint(field_names)
        if is_before_roll == before and not field_names & unlisted_fields:
            selected.append(decision)
    selected.sort(key=lambda decision: sort_key(playable, decision))
    return _make_walk(playable, selected, rolls)


def _make_walk(playable: PlayableGame[Any], decisions: Sequence[Any], rolls: dict[Any, int]) -> TurnWalk:
    """Return the walk of some decisions.

    Args:
        playable: the game.
        decisions: the decision positions, in their order.
        rolls: indices of the rolls; those that are found besides get the next ones.
    """
    begin = [0]
    choices = list[Choice[Any]]()
    endings = dict[Hashable, EndingChoice]()
    roll_numbers = list[int | None]()  # of each choice; None if it ends the turn
    ending_keys = list[Hashable]()  # of each choice
    for index, decision in enumerate(decisions):
        for number, choice in enumerate(choices_of(playable, decision)):
            after = choice.after
            ending_key = _ending_key(choice)
            # A bust may lead to the position in which the turn began, from which it is rolled again: it ends the turn.
            is_roll_now = after == decision
            if is_roll_now or (playable.stage(after) == "throw" and not playable.is_turn_start(after)):
                roll_numbers.append(rolls.setdefault(after, len(rolls)))
            else:
                roll_numbers.append(None)
                endings.setdefault(ending_key, EndingChoice(index, number))
            choices.append(choice)
            ending_keys.append(ending_key)
        begin.append(len(choices))
    ending_places = {key: len(rolls) + index for index, key in enumerate(endings)}
    places = [
        ending_places[key] if roll_number is None else roll_number
        for roll_number, key in zip(roll_numbers, ending_keys, strict=True)
    ]
    return TurnWalk(
        tuple(decisions),
        np.array(begin),
        tuple(choices),
        np.array(places, dtype=np.int64),
        tuple(rolls),
        tuple(endings.values()),
    )


def _ending_key(choice: Choice[Any]) -> Hashable:
    """Return a key that is equal only for choices that lead to one position in every turn that shares the walk.

    Two choices may lead to one position in the turn that is walked, and to two positions in another. An example are
    two totals that both lose against the total to beat. So the key has what the choice does, and not only where it
    leads. Dice set aside make no difference: only the points of the turn count once it has ended.
    """
    if isinstance(choice.data, TurnStop):
        return choice.after, choice.kind, choice.data.points
    return choice.after, choice.meaning


@dataclass(frozen=True)
class Decisions:
    """The decisions of one turn, with their values for the mover.

    Attributes:
        walk: the decisions and choices.
        values: (choices,), the value of each choice.
        best: (decisions,), the index of the best choice in ``walk.choices``.
        second: (decisions,), the index of the second-best choice, or -1 if there is only one choice.
        cost: (decisions,), the loss of the second-best choice; NaN if there is none.
        tie: (decisions,), True if the second-best choice is as good within the error bound.
        error_bound: no value is further from the true one.
    """

    walk: TurnWalk
    values: Floats
    best: Ints
    second: Ints
    cost: Floats
    tie: NDArray[np.bool_]
    error_bound: float


@dataclass(frozen=True)
class TurnDecisions:
    """The decisions of several turns that offer the same choices.

    Attributes:
        turns: their choices, with the value of each.
        best: (decisions, turns), the index of the best choice in ``turns.pool_index``.
        second: (decisions, turns), the index of the second-best choice, or -1 if there is only one choice.
        value: (decisions, turns), the value of the best choice.
        cost: (decisions, turns), the loss of the second-best choice; NaN if there is none.
        tie: (decisions, turns), True if the second-best choice is as good within the error bound.
    """

    turns: TurnChoices
    best: Ints
    second: Ints
    value: Floats
    cost: Floats
    tie: NDArray[np.bool_]


class Decider:
    """Decides whole turns of a solved problem; the last walks are kept.

    Attributes:
        problem: the problem.
        value_table: a value table that covers the turns.
        before: True for decisions before a roll, False for those after one.
        only: the only decision in question, or None for all.
    """

    def __init__(self, solved: SolvedProblem, before: bool, only: Any = None) -> None:
        """Take over the solved problem, whose value table covers the turns; nothing is walked yet."""
        self.problem, self.value_table, self.before, self.only = solved.problem, solved.value_table, before, only
        self._walks: dict[Hashable, TurnWalk] = {}

    def walk(self, start: Any) -> TurnWalk:
        """Return the walk of the turn that begins at ``start``; turns that offer the same choices share it."""
        playable = self.problem.playable
        cut = self.problem.stopping_points(self.value_table, start)
        key = (playable.turn_key(start), cut)
        if key not in self._walks:
            if len(self._walks) >= WALKS_KEPT:
                oldest = next(iter(self._walks))
                del self._walks[oldest]
            if self.only is None:
                self._walks[key] = walk_turn(playable, start, cut, self.before)
            else:
                self._walks[key] = _make_walk(playable, [self.only], {})
        return self._walks[key]

    def group_key(self, start: Any) -> Hashable:
        """Return a key that is equal for turns that offer the same choices up to the same turn points."""
        return self.problem.playable.turn_key(start), self.problem.stopping_points(self.value_table, start)

    def decide(self, start: Any) -> Decisions:
        """Return all decisions of the turn that begins at ``start``."""
        walk = self.walk(start)
        turns = self._walked_choices([start])
        decided = self._decide(turns)
        return Decisions(
            walk,
            turns.values[:, 0],
            decided.best[:, 0],
            decided.second[:, 0],
            decided.cost[:, 0],
            decided.tie[:, 0],
            float(turns.error_bounds[0]),
        )

    def decide_turns(self, starts: Sequence[Any]) -> Iterator[TurnDecisions]:
        """Yield all decisions of turns with the same ``group_key``, some turns at a time."""
        if self.only is None:
            turns = self.problem.turn_choices(self.value_table, starts, self.before)
            if turns is not None:
                yield self._decide(turns)
                return
        turns_at_once = max(1, WALKED_CELLS_AT_ONCE // max(1, len(self.walk(starts[0]).choices)))
        for first in range(0, len(starts), turns_at_once):
            yield self._decide(self._walked_choices(starts[first : first + turns_at_once]))

    def _walked_choices(self, starts: Sequence[Any]) -> TurnChoices:
        """Return the choices of turns with the same ``group_key``, by a walk through the first of them."""
        walk = self.walk(starts[0])
        values = np.empty((len(walk.choices), len(starts)))
        bounds = np.zeros(len(starts))
        for turn, start in enumerate(starts):
            value_of_place, bounds[turn] = self._values_of_places(walk, start)
            values[:, turn] = value_of_place[walk.leads]
        every_choice = np.arange(len(walk.choices))
        return TurnChoices(walk.decisions, walk.begin, walk.choices, every_choice, values, bounds)

    def _values_of_places(self, walk: TurnWalk, start: Any) -> tuple[Floats, float]:
        """Return the mover's values of the places of a walk in the turn that begins at ``start``, and their bound."""
        problem, playable = self.problem, self.problem.playable
        rolls = [playable.move_to_turn(roll, start) for roll in walk.throws]
        endings = [
            playable.choices(playable.move_to_turn(walk.decisions[ending.decision], start))[ending.number].after
            for ending in walk.ends
        ]
        answer = seat_values_of(problem, self.value_table, [*rolls, *endings])
        turns_spent = [0] * len(rolls) + [int(counts_as_turn(playable, ending)) for ending in endings]
        bound = float(answer.error_bounds.max()) if len(answer.error_bounds) else 0.0
        return answer.values[:, playable.player_to_move(start)] + turns_spent, bound

    def _decide(self, turns: TurnChoices) -> TurnDecisions:
        """Return the best and second-best choices of all decisions."""
        sign, players = gain_sign(self.problem), self.problem.players
        tolerances = np.array([tie_tolerance(players, bound) for bound in turns.error_bounds.tolist()])
        shape = (len(turns.begin) - 1, len(turns.error_bounds))
        decided = TurnDecisions(
            turns,
            best=np.empty(shape, dtype=np.int64),
            second=np.empty(shape, dtype=np.int64),
            value=np.empty(shape),
            cost=np.empty(shape),
            tie=np.empty(shape, dtype=bool),
        )
        for part in _parts(turns.begin, shape[1]):
            _rank(decided, sign, tolerances, part)
        return decided


def _parts(begin: Ints, turn_count: int) -> Iterator[slice]:
    """Yield decisions in parts whose table of choices by turns is not too large."""
    decision_count = len(begin) - 1
    choices_at_once = max(1, CELLS_AT_ONCE // turn_count)
    first = 0
    while first < decision_count:
        last_choice = begin[first] + choices_at_once
        end = max(first + 1, int(np.searchsorted(begin, last_choice, side="right")) - 1)
        yield slice(first, min(end, decision_count))
        first = end


def _rank(turn_decisions: TurnDecisions, sign: int, tolerances: Floats, part: slice) -> None:
    """Find the best and the second choice of some decisions, in the order of ``advice.rank``.

    Args:
        turn_decisions: where they are written.
        sign: 1 if larger values are better, and -1 if smaller ones are.
        tolerances: (turns,), how far below the best the order of preference decides (see ``leeway``).
        part: the decisions to rank.
    """
    turns = turn_decisions.turns
    begin = turns.begin[part]
    first, end = int(begin[0]), int(turns.begin[part.stop])
    counts = np.diff(turns.begin[part.start : part.stop + 1])
    offsets = begin - first  # (decisions,), where the choices of each decision begin within the part
    gains = sign * turns.values[first:end]  # (choices, turns)
    loss = np.repeat(np.maximum.reduceat(gains, offsets, axis=0), counts, axis=0) - gains
    best = _first_choices(loss <= tolerances, offsets)
    turn = np.arange(gains.shape[1])
    sort_key = np.where(loss <= 2 * turns.error_bounds, 0.0, loss)
    sort_key[best, turn] = np.inf
    is_least = sort_key == np.repeat(np.minimum.reduceat(sort_key, offsets, axis=0), counts, axis=0)
    second = _first_choices(is_least, offsets)
    has_one_choice = (counts == 1)[:, None]
    cost = np.where(has_one_choice, np.nan, loss[second, turn])
    turn_decisions.best[part] = first + best
    turn_decisions.second[part] = np.where(has_one_choice, -1, first + second)
    turn_decisions.value[part] = turns.values[first + best, turn]
    turn_decisions.cost[part] = cost
    turn_decisions.tie[part] = ~has_one_choice & (cost <= 2 * turns.error_bounds)


def _first_choices(is_wanted: NDArray[np.bool_], offsets: Ints) -> Ints:
    """Return the index of the first wanted choice of every decision, by turn: (decisions, turns).

    Args:
        is_wanted: (choices, turns), with at least one wanted choice of each decision.
        offsets: (decisions,), where the choices of each decision begin.
    """
    index = np.arange(len(is_wanted), dtype=np.int32)[:, None]
    first: Ints = np.minimum.reduceat(np.where(is_wanted, index, np.int32(len(is_wanted))), offsets, axis=0)
    return first
