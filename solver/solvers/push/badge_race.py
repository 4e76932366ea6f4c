"""Races of two players who have badges, which they may use a number of times in a game.

What a player has left of the badges is a part of the state. Let V(a, u; b, w) be the chance to win of the player to
move, with a points and the badges u left, against b points and the badges w. A turn that ends with u' <= u left has the
payoffs

    P[bank t] = 1 - V(b, w; a + t, u');   P[bust] = 1 - V(b, w; a, u');   P[bank t] = 1 if a + t reaches the target.

If Warlord has raised the points of the turn, a bank of t brings ``PushRules.raised_points`` of t. ``badge_turn`` has
the turn: the modes of all levels u', each with endings of its own.

Badges left never rise, and scores never fall. So pairs of badges left (u, w) are solved one after another, the fewest
uses first, and within a pair the layers of equal total, the highest first. The only cycles are zero turns, which change
neither. So the reference solver solves these equations, and its error bound holds (``reference_solver``).

Seats that are alike share one table. Otherwise each seat has states of its own, and scores are in units of its rules.

Start reading at ``BadgeRaceModel``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...games.push_rules import NextRoll, PushRules
from ...play.badges import BadgePosition, BadgeSeatGame, BadgesGame
from ...play.choice_kinds import ChoiceKind
from ...play.playable_game import Choice, replace_fields
from ...play.push import PushPosition
from ...turns.push_turn import Caps, Doubles, PushTurn, TurnValue
from ...util.progress_reporting import ProgressCallback
from ..model import Ints, TransitionModel, Transitions, TurnWorkers
from ..problem import ArraySpec, PositionListing, Problem, ValueTable, rotate_to_seats
from ..reference_solver import ReferenceSolver
from ..rounding_bounds import turn_rounding_bound
from ..solve_costs import SolveCost
from ..turn_lanes import PendingRoll, TurnLanes
from .badge_turn import BadgeTurn, list_uses
from .states import States
from .unlike_race import SeatProblem, UnlikeRaceProblem

SECONDS_PER_CHOICE = 8e-9  # empirical: a choice at one number of turn points, all passes and the error bound included
VALUE_BYTES = 40  # of one state: its value, its gap, and what is in memory beside them
NO_STATE = -1


class BadgeSide:
    """The player of one seat: the states of its score, the badges that it can have left, and its turns.

    Attributes:
        states: the sizes of turns by score.
        target: the score that wins, in units. All scores below it have states.
        uses: all badges that the player can have left, the fewest first.
        turns: the turn that begins with each of them.
        number_by_uses: the index of badges in ``uses``.
    """

    def __init__(self, rules: PushRules) -> None:
        """Compile the turns of the player.

        Args:
            rules: the rules of the player, with the badges.
        """
        self.states = States(rules)
        self.target = self.states.target
        self.uses = list_uses(rules.badge_uses)
        bank_count = int(self.states.caps_by_score.max()) + 1
        self.turns = [BadgeTurn(rules, uses, bank_count) for uses in self.uses]
        self.number_by_uses = {uses: number for number, uses in enumerate(self.uses)}

    def __len__(self) -> int:
        """Return the number of scores."""
        return self.target

    def after_endings(self, turn: BadgeTurn, scores: Ints) -> tuple[Ints, Ints]:
        """Return where the endings of a turn lead from some scores, in units.

        Args:
            turn: one of ``turns``.
            scores: (lanes,), the scores before the turn.

        Returns:
            (endings, lanes) the scores after the turn; the target stands for all scores from there on. And (endings,),
            the numbers of the badges that are left.
        """
        rules, target = self.states.rules, self.target
        points = np.arange(turn.bank_count)[:, None]
        counts = points >= self.states.min_banks_by_score[scores]  # (banks, lanes); other banks score nothing
        busts, banks, left = list[Ints](), list[Ints](), list[int]()
        for level in turn.levels:
            raised = points
            if level.is_raised:
                raised_points = [rules.raised_points(units * rules.grain) for units in range(turn.bank_count)]
                raised = np.array(raised_points)[:, None] // rules.grain
            busts.append(scores)
            banks.append(np.minimum(scores + np.where(counts, raised, 0), target))
            left.append(self.number_by_uses[level.uses])
        win = np.full(len(scores), target)
        uses_after = [*left, 0, *(number for number in left for _ in range(turn.bank_count))]
        return np.concatenate([np.stack([*busts, win]), *banks]), np.array(uses_after)


class _StateParts(NamedTuple):
    """What states of one mover say, each (states,): the badges and the scores of the mover and of the opponent."""

    own_uses: Ints
    opponent_uses: Ints
    own_score: Ints
    opponent_score: Ints


class BadgeRaceModel(TransitionModel):
    """The equations of a race of two players with badges.

    A state is the seat to move, the badges left of the mover and of the opponent, and their scores, in this order.

    Attributes:
        sides: the players by seat; a single one if seats are alike.
        shapes: by seat, the sizes of the parts of its states.
    """

    seats = 2
    has_cyclic_components = False

    def __init__(self, sides: Sequence[BadgeSide]) -> None:
        """Give every state a number.

        Args:
            sides: the players by seat; a single one if seats are alike.
        """
        self.sides = tuple(sides)
        self.shapes = [
            (len(own.uses), len(opponent.uses), len(own), len(opponent))
            for own, opponent in zip(self.sides, self.sides[::-1], strict=True)
        ]
        sizes = [int(np.prod(shape)) for shape in self.shapes]
        self.first_states = [0, *sizes[:-1]]  # by seat
        self.state_count = sum(sizes)

    @property
    def seat_turns(self) -> Sequence[PushTurn]:
        """The turn models: by seat, and by the badges left."""
        return [turn.turn for side in self.sides for turn in side.turns]

    @cached_property
    def turn(self) -> PushTurn:
        """The turn model whose values have the largest bound of rounding errors."""
        return max(self.seat_turns, key=lambda turn: turn_rounding_bound(turn, self.max_cap))

    @property
    def max_cap(self) -> int:
        """The largest cap of any state."""
        return max(int(side.states.caps_by_score.max()) for side in self.sides)

    def split(self, states: Ints) -> list[tuple[int, Ints, _StateParts]]:
        """Return the states by seat to move: the seat, the lanes of its states, and their parts."""
        parts_by_seat = []
        for seat, (first, shape) in enumerate(zip(self.first_states, self.shapes, strict=True)):
            lanes = np.flatnonzero((states >= first) & (states < first + np.prod(shape)))
            parts = np.unravel_index(states[lanes] - first, shape)
            parts_by_seat.append((seat, lanes, _StateParts(*parts)))
        return parts_by_seat

    def join(self, seat: int, parts: _StateParts) -> Ints:
        """Return the states with some parts in which ``seat`` is to move."""
        return np.asarray(self.first_states[seat] + np.ravel_multi_index(parts, self.shapes[seat]))

    def turn_numbers(self, states: Ints) -> Ints:
        """Return by state which of ``seat_turns`` is played there."""
        numbers = np.zeros_like(states)
        for seat, lanes, parts in self.split(states):
            turns_before = sum(len(side.turns) for side in self.sides[:seat])
            numbers[lanes] = turns_before + parts.own_uses
        return numbers

    def solve_turns(
        self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool = False
    ) -> TurnValue:
        """Solve the turns of some states, those with the same turn model together."""
        values = np.empty((len(payoff), payoff.shape[2]))
        numbers = self.turn_numbers(states)
        for number in np.unique(numbers):
            lanes = np.flatnonzero(numbers == number)
            turn = self.seat_turns[number]
            solved = workers.solve(turn, np.ascontiguousarray(payoff[:, :, lanes]), caps[lanes])
            values[:, lanes] = solved.value[:, : len(lanes)]
        return TurnValue(values, None, None)

    def caps(self, states: Ints) -> Caps:
        """Return the cap of each state: the turn points at which the table of its turn ends."""
        caps = np.zeros(len(states), dtype=np.int32)
        for seat, lanes, parts in self.split(states):
            caps[lanes] = self.sides[seat].states.caps_by_score[parts.own_score]
        return caps

    def transitions(self, states: Ints) -> Transitions:
        """Return where the endings of the turns of some states lead; turns with fewer endings are filled up."""
        ending_count = max(len(turn.levels) * (turn.bank_count + 1) + 1 for side in self.sides for turn in side.turns)
        constant = np.zeros((ending_count, len(states)))
        after = np.full((ending_count, len(states)), NO_STATE)
        for seat, lanes, parts in self.split(states):
            side = self.sides[seat]
            for number in np.unique(parts.own_uses):
                of_turn = np.flatnonzero(parts.own_uses == number)
                scores, uses_after = side.after_endings(side.turns[number], parts.own_score[of_turn])
                is_win = scores == side.target
                opponent_moves = _StateParts(
                    own_uses=np.broadcast_to(parts.opponent_uses[of_turn], scores.shape),
                    opponent_uses=np.broadcast_to(uses_after[:, None], scores.shape),
                    own_score=np.broadcast_to(parts.opponent_score[of_turn], scores.shape),
                    opponent_score=np.where(is_win, 0, scores),
                )
                next_states = self.join((seat + 1) % len(self.sides), opponent_moves)
                lanes_of_turn = lanes[of_turn]
                after[: len(scores), lanes_of_turn] = np.where(is_win, NO_STATE, next_states)
                constant[: len(scores), lanes_of_turn] = is_win
        return Transitions(constant, after)

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield the states of equal total with the same badges left, whoever is to move: each is a block of its own."""
        first, second = self.sides[0], self.sides[-1]
        pairs = list(product(range(len(first.uses)), range(len(second.uses))))
        pairs.sort(key=lambda pair: sum(first.uses[pair[0]]) + sum(second.uses[pair[1]]))
        totals = np.add.outer(np.arange(len(first)), np.arange(len(second)))
        order = np.argsort(-totals, axis=None, kind="stable")
        layers = np.split(order, np.flatnonzero(np.diff(totals.ravel()[order])) + 1)
        for own, opponent in pairs:
            if len(self.sides) == 1 and own > opponent:
                continue  # the pair is solved with its mirror image
            for layer in layers:
                scores = np.unravel_index(layer, totals.shape)
                yield [np.unique(np.concatenate([*self._states_of_pair((own, opponent), scores)]))]

    def _states_of_pair(self, uses: tuple[int, int], scores: Sequence[Ints]) -> Iterator[Ints]:
        """Yield the states with the badges and scores of two players, for either of them to move.

        Args:
            uses: the numbers of the badges left.
            scores: the scores, in units.
        """
        for mover in range(2):
            opponent = 1 - mover
            parts = _StateParts(
                np.full(len(scores[0]), uses[mover]),
                np.full(len(scores[0]), uses[opponent]),
                np.asarray(scores[mover]),
                np.asarray(scores[opponent]),
            )
            yield self.join(mover % len(self.sides), parts)


class _BadgeSeatProblem(SeatProblem):
    """The turns of one seat in a race with badges; it is not solved by itself.

    Attributes:
        side: the player of this seat.
        model: the equations of the race.
    """

    def __init__(self, playable: BadgeSeatGame, seat: int, sides: tuple[BadgeSide, BadgeSide], model: BadgeRaceModel):
        """Take the rules and the states of one seat.

        Args:
            playable: the game as this seat plays it.
            seat: the number of the seat, 0 or 1.
            sides: the players of seat 0 and of seat 1.
            model: the equations of the race.
        """
        super().__init__(playable, seat, (sides[0].states, sides[1].states))
        self.side, self.opponent_side = sides[seat], sides[1 - seat]
        self.model = model
        self._turn_by_model = {turn.turn: turn for turn in self.side.turns}

    def state_number(self, position: PushPosition) -> int:
        """Return the state in which a turn of this seat begins."""
        assert isinstance(position, BadgePosition)
        own_uses, opponent_uses = position.uses[self.seat], position.uses[1 - self.seat]
        parts = (
            self.side.number_by_uses[own_uses],
            self.opponent_side.number_by_uses[opponent_uses],
            position.score // self.rules.grain,
            position.opponents[0] // self.opponent.rules.grain,
        )
        model_seat = self.seat % len(self.model.sides)
        return int(self.model.join(model_seat, _StateParts(*map(np.asarray, parts))))

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the chances of both seats at a position where a turn of this seat begins, seat 0 first."""
        own_chance = float(_chances(value_table)[self.state_number(position)])
        return rotate_to_seats(position.seat, [own_chance, 1 - own_chance])

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns of this seat that begin at some positions, all with the same badges; one lane for each."""
        states = np.array([self.state_number(start) for start in starts])
        turn = self._turn_of(starts[0])
        endings = len(turn.levels) * (turn.bank_count + 1) + 1
        payoff = self.model.payoffs(_chances(value_table).__getitem__, self.model.transitions(states))[:endings]
        return TurnLanes(turn.turn, payoff[None], self.model.caps(states), turn.bank_count)

    def _turn_of(self, start: PushPosition) -> BadgeTurn:
        """Return the turn that begins at a position."""
        assert isinstance(start, BadgePosition)
        return self.side.turns[self.side.number_by_uses[start.uses[self.seat]]]

    def _find_roll(self, position: PushPosition, lanes: TurnLanes) -> PendingRoll:
        """Return the roll that is made in a position, as the turn has it."""
        assert isinstance(position, BadgePosition)
        turn = self._turn_by_model[lanes.turn]
        mode = turn.roll_mode(position.uses[self.seat], NextRoll(position.dice, position.forced, position.over))
        return PendingRoll(mode, 0, self._turn_points(position))

    def _find_ending(self, choice: Choice[PushPosition], lanes: TurnLanes) -> int:
        """Return the ending that a choice leads to, as an index in the payoff of its turn."""
        turn = self._turn_by_model[lanes.turn]
        if choice.kind is ChoiceKind.WIN:
            return turn.win_ending
        assert isinstance(choice.after, BadgePosition)
        level = turn.level_of(choice.after.uses[self.seat])
        if choice.kind is ChoiceKind.BUST:
            return turn.bust_ending(level)
        return turn.bank_ending(level, self._turn_points(choice) if choice.kind is ChoiceKind.BANK else 0)


class BadgeRaceProblem(UnlikeRaceProblem):
    """The chance to win a race of two players with badges who both play optimally.

    Attributes:
        sides: the players of seat 0 and of seat 1.
        model: the equations of the race.
    """

    playable: BadgesGame

    def __init__(self, playable: BadgesGame) -> None:
        """Compile the turns of both seats.

        Args:
            playable: the game as it is played, with the rules of each seat.
        """
        Problem.__init__(self, playable)
        first, second = playable.seat_games
        own = BadgeSide(first.rules)
        self.are_alike = first.rules == second.rules
        self.sides = (own, own if self.are_alike else BadgeSide(second.rules))
        self.model = BadgeRaceModel(self.sides[:1] if self.are_alike else self.sides)
        self.states = (self.sides[0].states, self.sides[1].states)
        self.seat_problems = tuple(
            _BadgeSeatProblem(seat_game, seat, self.sides, self.model)
            for seat, seat_game in enumerate(playable.seat_games)
        )

    def solve(self, threads: int, progress: ProgressCallback) -> ValueTable:
        """Compute the chance of the player to move in all states.

        Args:
            threads: the number of threads.
            progress: called with the fraction of the work that is done.

        Returns:
            A value table with the arrays
            - ``scores1``, ``scores2``: the scores of each seat in points;
            - ``win`` (states,): the chance of the player to move, by state of ``BadgeRaceModel``.

        Raises:
            SolveError: the values did not settle, or their error bound is too large.
        """
        solver = ReferenceSolver(self.model, threads, progress)
        chances = solver.solve()
        arrays: dict[str, NDArray[Any]] = {
            f"scores{seat + 1}": scores for seat, scores in enumerate(self._scores_by_seat())
        }
        return ValueTable({**arrays, "win": chances}, solver.error_bound(chances))

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return by name the shape and range of the arrays of a value table; ``solve`` says what they hold."""
        specs = {f"scores{seat + 1}": ArraySpec.fixed(scores) for seat, scores in enumerate(self._scores_by_seat())}
        return {**specs, "win": ArraySpec((self.model.state_count,))}

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory of a solve: of one turn for each state."""
        seconds = 0.0
        for own, opponent in zip(self.model.sides, self.model.sides[::-1], strict=True):
            choices = sum(turn.turn.choice_count for turn in own.turns)
            turn_count = len(opponent.uses) * len(own) * len(opponent)  # with each of the own badges left
            seconds += SECONDS_PER_CHOICE * choices * float(own.states.caps_by_score.mean()) * turn_count
        return SolveCost(bytes=VALUE_BYTES * self.model.state_count, seconds=seconds / threads)

    def _scores_by_seat(self) -> list[Ints]:
        """Return the scores of each seat, in points."""
        return [np.arange(side.target) * side.states.rules.grain for side in self.sides]

    def stopping_points(self, value_table: ValueTable, start: PushPosition) -> int:
        """Return the turn points, in points, at which the table of a turn ends: the fewest that win unless raised."""
        problem = self.seat_problems[start.seat]
        return problem.lanes(value_table, [start]).cap * problem.rules.grain

    def list_positions(self, fields: Mapping[str, Any]) -> PositionListing[PushPosition]:
        """List the positions at the start of a turn, for all scores of both seats, all badges left, and either mover.

        Args:
            fields: fields that the positions must have; they are not looked at here.
        """
        first, second = (scores.tolist() for scores in self._scores_by_seat())
        uses = list(product(self.sides[0].uses, self.sides[1].uses))
        starts = (
            replace_fields(self.playable.turn_start(scores, seat, 0), uses=uses_by_seat)
            for seat in range(2)
            for uses_by_seat in uses
            for scores in product(first, second)
        )
        return PositionListing(2 * len(uses) * len(first) * len(second), starts)


def _chances(value_table: ValueTable) -> Doubles:
    """Return the chances of the player to move, by state."""
    return value_table.arrays["win"]
