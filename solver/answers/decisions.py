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
WALKS_KEPT = 4  # few, because the walk of a scorecard of ten dice holds half a million choices


class EndingChoice(NamedTuple):
    """An ending of a turn, named by a choice that leads to it.

    Attributes:
        decision: the index of a decision.
        number: the number of its choice that ends the turn, in the order of ``choices_of``.
    """

    decision: int
    number: int


@dataclass(frozen=True)
class TurnWalk:
    """The decisions of a turn, and where their choices lead.

    A *place* is what a choice leads to: a position in which dice are rolled, or an ending of the turn. Places are
    numbered, the rolls first and then the endings.

    Attributes:
        decisions: the decision positions, sorted by their fields.
        begin: (decisions + 1,), the index in ``choices`` at which the choices of each decision begin.
        choices: the choices of all decisions.
        places: (choices,), the number of the place that each choice leads to.
        rolls: the positions in which dice are rolled, by place.
        endings: the endings, by place minus the number of rolls.
    """

    decisions: tuple[Any, ...]
    begin: Ints
    choices: tuple[Choice[Any], ...]
    places: Ints
    rolls: tuple[Any, ...]
    endings: tuple[EndingChoice, ...]


def walk_turn(playable: PlayableGame[Any], start: Any, cut: int | None, before: bool) -> TurnWalk:
    """Return the decisions of one turn that come before a roll, or those after one, with where their choices lead.

    All positions of the turn are visited. Decisions with a field that rows have no column for are left out, because
    nothing is left to decide there.

    Args:
        playable: the game.
        start: the position in which the turn begins.
        cut: turn points from which on no choice to roll is followed, unless the player has to roll; None for no limit.
        before: True for the decisions before a roll, False for those after one.
    """
    rolls: dict[Any, int] = {}  # by position in which dice are rolled, its number
    decisions: dict[Any, None] = {}  # the decisions, as an ordered set
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
    """Return some decisions of a turn with their choices, and number the places that these lead to.

    Args:
        playable: the game.
        decisions: the decision positions, in their order.
        rolls: the numbers of the positions in which dice are rolled. Such positions that are not there yet are added
            with the next numbers.
    """
    begin = [0]
    choices = list[Choice[Any]]()
    endings = dict[Hashable, EndingChoice]()  # by key, the first choice that leads there
    roll_numbers = list[int | None]()  # of each choice; None if it ends the turn
    ending_keys = list[Hashable]()  # of each choice; not used if it does not end the turn
    for index, decision in enumerate(decisions):
        for number, choice in enumerate(choices_of(playable, decision)):
            after = choice.after
            ending_key = _ending_key(choice)
            # To roll is the only choice of a position in which dice have to be rolled, and leads to itself. Any other
            # choice that leads to the start of a turn ends the turn, such as a bust after which the mover goes on.
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
        decisions=tuple(decisions),
        begin=np.array(begin),
        choices=tuple(choices),
        places=np.array(places, dtype=np.int64),
        rolls=tuple(rolls),
        endings=tuple(endings.values()),
    )


def _ending_key(choice: Choice[Any]) -> Hashable:
    """Return a key for the ending that a choice leads to; choices with equal keys lead to the same ending in all turns.

    Several turns share one walk if they offer the same choices. Two choices may lead to one position in the turn that
    is walked, and to two positions in another. An example are two totals that both lose against the total to beat. So
    the key has what the choice does, and not only where it leads. Dice set aside make no difference: only the points of
    the turn count once it has ended.
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
    """Finds the best and second-best choices in all decisions of whole turns; the last few walks are kept.

    Attributes:
        problem: the problem.
        value_table: a value table that covers the turns.
        before: True for decisions before a roll, False for those after one.
        only: the only decision to examine, or None for all.
    """

    def __init__(self, solved: SolvedProblem, before: bool, only: Any = None) -> None:
        """Keep the problem and the value table; nothing is walked yet.

        Args:
            solved: the solved problem, whose value table covers the turns.
            before: True for decisions before a roll, False for those after one.
            only: the only decision to examine, or None for all.
        """
        self.problem = solved.problem
        self.value_table = solved.value_table
        self.before = before
        self.only = only
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
                self._walks[key] = _make_walk(playable, [self.only], rolls={})
        return self._walks[key]

    def group_key(self, start: Any) -> Hashable:
        """Return a key that is equal for turns that offer the same choices up to the same turn points."""
        return self.problem.playable.turn_key(start), self.problem.stopping_points(self.value_table, start)

    def decide(self, start: Any) -> Decisions:
        """Return all decisions of the turn that begins at ``start``, with their best choices."""
        walk = self.walk(start)
        turns = self._walked_choices([start])
        decided = self._decide(turns)
        # The second axis of all arrays is that of the turns, of which there is one.
        return Decisions(
            walk=walk,
            values=turns.values[:, 0],
            best=decided.best[:, 0],
            second=decided.second[:, 0],
            cost=decided.cost[:, 0],
            tie=decided.tie[:, 0],
            error_bound=float(turns.error_bounds[0]),
        )

    def decide_turns(self, starts: Sequence[Any]) -> Iterator[TurnDecisions]:
        """Yield all decisions of several turns with their best choices, some turns at a time.

        Args:
            starts: the positions in which the turns begin; all have the same ``group_key``.
        """
        if self.only is None:
            turns = self.problem.turn_choices(self.value_table, starts, self.before)
            if turns is not None:
                yield self._decide(turns)
                return
        choice_count = max(1, len(self.walk(starts[0]).choices))
        turns_at_once = max(1, WALKED_CELLS_AT_ONCE // choice_count)  # a cell is a choice in one turn
        for first in range(0, len(starts), turns_at_once):
            yield self._decide(self._walked_choices(starts[first : first + turns_at_once]))

    def _walked_choices(self, starts: Sequence[Any]) -> TurnChoices:
        """Return all choices of several turns, with their values, by a walk through the first turn only.

        Args:
            starts: the positions in which the turns begin; all have the same ``group_key``.
        """
        walk = self.walk(starts[0])
        values = np.empty((len(walk.choices), len(starts)))
        bounds = np.zeros(len(starts))
        for turn, start in enumerate(starts):
            value_of_place, bounds[turn] = self._values_of_places(walk, start)
            values[:, turn] = value_of_place[walk.places]
        every_choice = np.arange(len(walk.choices))
        return TurnChoices(
            decisions=walk.decisions,
            begin=walk.begin,
            pool=walk.choices,
            pool_index=every_choice,
            values=values,
            error_bounds=bounds,
        )

    def _values_of_places(self, walk: TurnWalk, start: Any) -> tuple[Floats, float]:
        """Return the values, to the mover, of all places of a walk, as they are in another turn.

        Args:
            walk: the walk of a turn that offers the same choices.
            start: the position in which the other turn begins.

        Returns:
            (places,) the values, the rolls first and then the endings; and the error bound of all of them.
        """
        problem, playable = self.problem, self.problem.playable
        rolls = [playable.move_to_turn(roll, start) for roll in walk.rolls]
        endings = []  # the positions after the turn
        for ending in walk.endings:
            decision = playable.move_to_turn(walk.decisions[ending.decision], start)
            endings.append(playable.choices(decision)[ending.number].after)
        answer = seat_values_of(problem, self.value_table, [*rolls, *endings])
        # For the objective ``turns`` an ending costs the turn that has ended.
        turns_spent = [0] * len(rolls) + [int(counts_as_turn(playable, ending)) for ending in endings]
        bound = float(answer.error_bounds.max()) if len(answer.error_bounds) else 0.0
        return answer.values[:, playable.player_to_move(start)] + turns_spent, bound

    def _decide(self, turns: TurnChoices) -> TurnDecisions:
        """Return the best and second-best choices of all decisions of some turns.

        Args:
            turns: all choices of the turns, with their values.
        """
        sign = gain_sign(self.problem)
        players = self.problem.players
        tolerances = np.array([tie_tolerance(players, bound) for bound in turns.error_bounds.tolist()])
        turn_count = len(turns.error_bounds)
        shape = (len(turns.begin) - 1, turn_count)  # (decisions, turns)
        decided = TurnDecisions(
            turns,
            best=np.empty(shape, dtype=np.int64),
            second=np.empty(shape, dtype=np.int64),
            value=np.empty(shape),
            cost=np.empty(shape),
            tie=np.empty(shape, dtype=bool),
        )
        for part in _parts(turns.begin, turn_count):
            _rank(decided, sign, tolerances, part)
        return decided


def _parts(begin: Ints, turn_count: int) -> Iterator[slice]:
    """Yield ranges of decisions, in order, whose table of choices by turns has at most about CELLS_AT_ONCE entries.

    Args:
        begin: (decisions + 1,), the index at which the choices of each decision begin.
        turn_count: the number of turns.
    """
    decision_count = len(begin) - 1
    choices_at_once = max(1, CELLS_AT_ONCE // turn_count)
    first = 0
    while first < decision_count:
        last_choice = begin[first] + choices_at_once
        end = max(first + 1, int(np.searchsorted(begin, last_choice, side="right")) - 1)
        yield slice(first, min(end, decision_count))
        first = end


def _rank(turn_decisions: TurnDecisions, sign: int, tolerances: Floats, part: slice) -> None:
    """Write the best and the second-best choice of some decisions in all turns.

    The best is the first choice within the tolerance of the largest value. The second-best is the first of the others
    with the least loss, where losses within twice the error bound count as 0. ``advice.rank`` has the same order.

    Args:
        turn_decisions: the choices with their values, and the arrays that are written.
        sign: 1 if larger values are better, and -1 if smaller ones are.
        tolerances: (turns,), how far below the best value the order of the choices decides (see ``tie_tolerance``).
        part: the decisions to rank.
    """
    turns = turn_decisions.turns
    begin = turns.begin[part]
    first, end = int(begin[0]), int(turns.begin[part.stop])  # the choices of these decisions
    counts = np.diff(turns.begin[part.start : part.stop + 1])  # (decisions,), the number of choices of each
    offsets = begin - first  # (decisions,), where the choices of each decision begin within the part
    gains = sign * turns.values[first:end]  # (choices, turns); larger is better
    best_gains = np.repeat(np.maximum.reduceat(gains, offsets, axis=0), counts, axis=0)  # of each choice's decision
    loss = best_gains - gains
    best = _first_choices(loss <= tolerances, offsets)
    turn = np.arange(gains.shape[1])
    loss_or_tie = np.where(loss <= 2 * turns.error_bounds, 0.0, loss)  # ties count as no loss
    loss_or_tie[best, turn] = np.inf  # the best choice cannot be the second-best
    least_loss = np.repeat(np.minimum.reduceat(loss_or_tie, offsets, axis=0), counts, axis=0)
    second = _first_choices(loss_or_tie == least_loss, offsets)
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
