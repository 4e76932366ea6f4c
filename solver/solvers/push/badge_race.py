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

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, product
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

    Scores are in units of the grain of this player's rules. They run from 0 to ``target`` - 1, because no bust or roll
    lowers a score under rules with badges.

    Attributes:
        states: the sizes of turns by score.
        target: the score that wins, in units; also the number of scores.
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

    def after_endings(self, turn: BadgeTurn, scores: Ints) -> tuple[Ints, Ints]:
        """Return where the endings of a turn lead from some scores.

        Args:
            turn: one of ``turns``. Its endings are a bust in each level, the win, and the banks of each level.
            scores: (lanes,), the scores before the turn.

        Returns:
            (endings, lanes) the scores after the turn; the target stands for all scores from there on. And (endings,)
            the badges that are left, as indices in ``uses``.
        """
        level_count = len(turn.levels)
        busts = np.broadcast_to(scores, (level_count, len(scores)))
        win = np.full((1, len(scores)), self.target)
        points = np.arange(turn.bank_count)[:, None]  # (banks, 1)
        is_scored = points >= self.states.min_banks_by_score[scores]  # (banks, lanes); smaller banks score nothing
        banks_by_level = []  # (banks, lanes) each
        for level in turn.levels:
            scored_points = self._raised_points(turn.bank_count)[:, None] if level.is_raised else points
            banks_by_level.append(np.minimum(scores + np.where(is_scored, scored_points, 0), self.target))
        uses_by_level = [self.number_by_uses[level.uses] for level in turn.levels]
        uses_after_win = 0  # any number, because the game is over
        uses_after = np.concatenate([uses_by_level, [uses_after_win], np.repeat(uses_by_level, turn.bank_count)])
        return np.concatenate([busts, win, *banks_by_level]), uses_after

    def _raised_points(self, bank_count: int) -> Ints:
        """Return what banks of 0, 1, ..., ``bank_count`` - 1 units count for with Warlord: (banks,), in units."""
        rules = self.states.rules
        return np.array([rules.raised_points(units * rules.grain) // rules.grain for units in range(bank_count)])


class _StateParts(NamedTuple):
    """What the numbers of states stand for: the badges left and the scores of the mover and of the opponent.

    The arrays have one shape, with an entry for each state.

    Attributes:
        own_uses, opponent_uses: the badges left, as indices in ``BadgeSide.uses`` of the player.
        own_score, opponent_score: in units of the rules of the player.
    """

    own_uses: Ints
    opponent_uses: Ints
    own_score: Ints
    opponent_score: Ints


class _StatesOfMover(NamedTuple):
    """Those of some states in which one side is to move.

    Attributes:
        side: the index of the side in ``BadgeRaceModel.sides``.
        lanes: (states of the mover,), their indices among all of the states.
        parts: (states of the mover,) each, what their numbers stand for.
    """

    side: int
    lanes: Ints
    parts: _StateParts


class BadgeRaceModel(TransitionModel):
    """The equations of a race of two players with badges.

    The states in which one side is to move are numbered as the entries of an array, from the first state of the side
    on. The axes of the array are those of ``_StateParts``. Seats that are alike are one side with one array.

    Attributes:
        sides: the players by seat; a single one if seats are alike.
        shapes: by side to move, the shape of the array: badges left and scores, of the mover and of the opponent.
        first_states: by side to move, its first state.
        state_count: the number of states.
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
            (len(own.uses), len(opponent.uses), own.target, opponent.target) for own, opponent in self.own_and_opponent
        ]
        sizes = [math.prod(shape) for shape in self.shapes]
        *self.first_states, self.state_count = accumulate(sizes, initial=0)

    @property
    def own_and_opponent(self) -> list[tuple[BadgeSide, BadgeSide]]:
        """By side to move, that side and the side of its opponent: itself if seats are alike."""
        return list(zip(self.sides, self.sides[::-1], strict=True))

    def side_of_seat(self, seat: int) -> int:
        """Return the index in ``sides`` of the player of a seat: the seat, or 0 if seats are alike.

        Args:
            seat: the seat. One more than the last seat is seat 0 again, so ``side + 1`` names the other seat.
        """
        return seat % len(self.sides)

    @property
    def seat_turns(self) -> Sequence[PushTurn]:
        """The turn models: side by side, and by the badges left of each."""
        return [turn.turn for side in self.sides for turn in side.turns]

    @cached_property
    def turn(self) -> PushTurn:
        """The turn model whose values have the largest bound of rounding errors."""
        return max(self.seat_turns, key=lambda turn: turn_rounding_bound(turn, self.max_cap))

    @property
    def max_cap(self) -> int:
        """The largest cap of any state."""
        return max(int(side.states.caps_by_score.max()) for side in self.sides)

    def split(self, states: Ints) -> list[_StatesOfMover]:
        """Return some states by the side to move, with what their numbers stand for.

        Args:
            states: (lanes,), the states.
        """
        states_by_mover = []
        for side, (first_state, shape) in enumerate(zip(self.first_states, self.shapes, strict=True)):
            is_mover = (states >= first_state) & (states < first_state + math.prod(shape))
            lanes = np.flatnonzero(is_mover)
            parts = _StateParts(*np.unravel_index(states[lanes] - first_state, shape))
            states_by_mover.append(_StatesOfMover(side, lanes, parts))
        return states_by_mover

    def join(self, side: int, parts: _StateParts) -> Ints:
        """Return the numbers of states, in the shape of their parts.

        Args:
            side: the index in ``sides`` of the player to move.
            parts: the badges left and the scores.
        """
        return np.asarray(self.first_states[side] + np.ravel_multi_index(parts, self.shapes[side]))

    def turn_numbers(self, states: Ints) -> Ints:
        """Return the index in ``seat_turns`` of the turn model of each state: (states,)."""
        numbers = np.zeros_like(states)
        for side, lanes, parts in self.split(states):
            turns_of_earlier_sides = sum(len(earlier.turns) for earlier in self.sides[:side])
            numbers[lanes] = turns_of_earlier_sides + parts.own_uses
        return numbers

    def solve_turns(
        self, states: Ints, payoff: Doubles, caps: Caps, workers: TurnWorkers, inner: bool = False
    ) -> TurnValue:
        """Solve the turns of some states, those with the same turn model together.

        Args:
            states: (lanes,), the state of each lane.
            payoff: (channels, endings, lanes). Channel 0 is maximized, and the others are evaluated along its choices.
            caps: (lanes,), the turn points at which the table of each turn ends.
            workers: the threads to use.
            inner: not used: turn models have different modes, and inner values are read for takeover offers only.

        Returns:
            The values (channels, lanes), without inner values.
        """
        channels, _, lane_count = payoff.shape
        values = np.empty((channels, lane_count))
        turn_numbers = self.turn_numbers(states)  # (lanes,), indices in ``seat_turns``
        for number in np.unique(turn_numbers):
            lanes = np.flatnonzero(turn_numbers == number)
            turn = self.seat_turns[number]
            solved = workers.solve(turn, np.ascontiguousarray(payoff[:, :, lanes]), caps[lanes])
            values[:, lanes] = solved.value[:, : len(lanes)]  # the rest is padding
        return TurnValue(values, None, None)

    def caps(self, states: Ints) -> Caps:
        """Return the cap of each state, (lanes,): the turn points, in units, at which the table of its turn ends."""
        caps = np.zeros(len(states), dtype=np.int32)
        for side, lanes, parts in self.split(states):
            caps[lanes] = self.sides[side].states.caps_by_score[parts.own_score]
        return caps

    def transitions(self, states: Ints) -> Transitions:
        """Return where the endings of the turns of some states lead.

        A win pays the constant 1. After any other ending the constant is 0, and the opponent is to move in a state. In
        lanes whose turns have fewer endings than other turns, the entries behind the last ending are not read.

        Args:
            states: (lanes,), the states.
        """
        ending_count = max(turn.ending_count for side in self.sides for turn in side.turns)
        constant = np.zeros((ending_count, len(states)))
        next_state = np.full((ending_count, len(states)), NO_STATE)
        for side, lanes, parts in self.split(states):
            for number in np.unique(parts.own_uses):
                has_turn = parts.own_uses == number  # by state of the side
                parts_of_turn = _StateParts(*(part[has_turn] for part in parts))
                next_state_of_turn = self._states_after_turn(side, number, parts_of_turn)
                ending_count_of_turn = len(next_state_of_turn)
                next_state[:ending_count_of_turn, lanes[has_turn]] = next_state_of_turn
                constant[:ending_count_of_turn, lanes[has_turn]] = next_state_of_turn == NO_STATE
        return Transitions(constant, next_state)

    def _states_after_turn(self, side: int, number: int, parts: _StateParts) -> Ints:
        """Return the states that the endings of one turn lead to: (endings, lanes); NO_STATE after a win.

        Args:
            side: the index in ``sides`` of the player to move.
            number: the number of the turn: that of the badges left to the mover before it.
            parts: (lanes,) each, the parts of the states in which the turn begins.
        """
        mover = self.sides[side]
        scores, uses_after = mover.after_endings(mover.turns[number], parts.own_score)
        is_win = scores == mover.target
        # The opponent moves next, so the parts of both players change places.
        parts_after = _StateParts(
            own_uses=np.broadcast_to(parts.opponent_uses, scores.shape),
            opponent_uses=np.broadcast_to(uses_after[:, None], scores.shape),
            own_score=np.broadcast_to(parts.opponent_score, scores.shape),
            opponent_score=np.where(is_win, 0, scores),  # 0 stands in for the target, which has no state
        )
        side_after = self.side_of_seat(side + 1)  # of the other seat; the same side if seats are alike
        return np.where(is_win, NO_STATE, self.join(side_after, parts_after))

    def components(self) -> Iterator[Sequence[Ints]]:
        """Yield the components, each a single block: the states with the same badges left and the same total score.

        It holds states in which either player is to move. Badges left never rise, so pairs of badges with the fewest
        uses come first. Scores never fall, so within a pair the highest totals come first.
        """
        for pair in self._pairs_of_uses():
            for scores in self._layers_of_scores():
                states_by_mover = [self._states_of_pair(mover, pair, scores) for mover in range(self.seats)]
                yield [np.unique(np.concatenate(states_by_mover))]  # ascending; alike seats may have the same states

    def _pairs_of_uses(self) -> list[tuple[int, int]]:
        """Return the pairs of badges left of seats 0 and 1, as indices in ``BadgeSide.uses``, the fewest uses first."""
        first, second = self.sides[self.side_of_seat(0)], self.sides[self.side_of_seat(1)]
        pairs = list(product(range(len(first.uses)), range(len(second.uses))))
        if len(self.sides) == 1:  # seats are alike, so a pair is solved together with its mirror image
            pairs = [(number, other) for number, other in pairs if number <= other]
        return sorted(pairs, key=lambda pair: sum(first.uses[pair[0]]) + sum(second.uses[pair[1]]))

    def _layers_of_scores(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield, from the highest total down, all scores of seat 0 and seat 1 with this total: (pairs of scores,)."""
        max_first, max_second = (self.sides[self.side_of_seat(seat)].target - 1 for seat in range(self.seats))
        for total in reversed(range(max_first + max_second + 1)):
            first_scores = np.arange(max(0, total - max_second), min(total, max_first) + 1)
            yield first_scores, total - first_scores

    def _states_of_pair(self, mover: int, uses: tuple[int, int], scores: tuple[Ints, Ints]) -> Ints:
        """Return the states with given badges and scores of both seats in which one of them is to move.

        Args:
            mover: the seat to move.
            uses: by seat, the badges left, as an index in ``BadgeSide.uses``.
            scores: by seat, (states,) the scores, in units.
        """
        opponent = 1 - mover
        parts = _StateParts(
            own_uses=np.full_like(scores[mover], uses[mover]),
            opponent_uses=np.full_like(scores[mover], uses[opponent]),
            own_score=scores[mover],
            opponent_score=scores[opponent],
        )
        return self.join(self.side_of_seat(mover), parts)


class _BadgeSeatProblem(SeatProblem):
    """The turns of one seat in a race with badges; it is not solved by itself.

    Attributes:
        side, opponent_side: the player of this seat and of the other seat.
        model: the equations of the race.
        _turn_by_model: by turn model of this seat, its turn with the badges.
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
        """Return the state of ``BadgeRaceModel`` in which a turn of this seat begins.

        Args:
            position: the position in which it begins; its scores are in points.
        """
        assert isinstance(position, BadgePosition)
        (opponent_points,) = position.opponents
        parts = _StateParts(
            own_uses=np.array(self.side.number_by_uses[position.uses[self.seat]]),
            opponent_uses=np.array(self.opponent_side.number_by_uses[position.uses[1 - self.seat]]),
            own_score=np.array(position.score // self.rules.grain),
            opponent_score=np.array(opponent_points // self.opponent.rules.grain),
        )
        return int(self.model.join(self.model.side_of_seat(self.seat), parts))

    def start_values(self, value_table: ValueTable, position: PushPosition) -> list[float]:
        """Return the chances of both seats at a position where a turn of this seat begins, seat 0 first."""
        own_chance = float(_chances(value_table)[self.state_number(position)])
        return rotate_to_seats(position.seat, [own_chance, 1 - own_chance])

    def lanes(self, value_table: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns of this seat that begin at some positions, all with the same badges; one lane for each.

        Args:
            value_table: the value table that the payoffs are read from.
            starts: positions at the start of a turn of this seat.
            min_points: turn points, in units, that the tables have to include; they always do.
        """
        states = np.array([self.state_number(start) for start in starts])
        turn = self._turn_of(starts[0])
        payoff = self.model.payoffs(_chances(value_table).__getitem__, self.model.transitions(states))
        payoff = payoff[: turn.ending_count]  # the model fills up the endings to those of the longest turn
        one_channel = payoff[None]  # (1 channel, endings, lanes)
        return TurnLanes(turn.turn, one_channel, self.model.caps(states), turn.bank_count)

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
        """Return the ending that a choice leads to, as an index in the payoff of its turn.

        Args:
            choice: a choice that ends the turn. If it neither wins nor busts nor banks, the turn ends without points.
            lanes: the turn.
        """
        turn = self._turn_by_model[lanes.turn]
        if choice.kind is ChoiceKind.WIN:
            return turn.win_ending
        assert isinstance(choice.after, BadgePosition)
        level = turn.level_of(choice.after.uses[self.seat])
        if choice.kind is ChoiceKind.BUST:
            return turn.bust_ending(level)
        banked_points = self._turn_points(choice) if choice.kind is ChoiceKind.BANK else 0
        return turn.bank_ending(level, banked_points)


class BadgeRaceProblem(UnlikeRaceProblem):
    """The chance to win a race of two players with badges who both play optimally.

    Attributes:
        sides: the players of seat 0 and of seat 1; the same object twice if seats are alike.
        model: the equations of the race.
        states: the sizes of turns by score of seat 0 and of seat 1.
        seat_problems: by seat, the turns of that seat.
    """

    playable: BadgesGame

    def __init__(self, playable: BadgesGame) -> None:
        """Compile the turns of both seats.

        Args:
            playable: the game as it is played, with the rules of each seat.
        """
        Problem.__init__(self, playable)
        first_game, second_game = playable.seat_games
        first = BadgeSide(first_game.rules)
        if first_game.rules == second_game.rules:
            self.sides = (first, first)
            self.model = BadgeRaceModel([first])
        else:
            self.sides = (first, BadgeSide(second_game.rules))
            self.model = BadgeRaceModel(self.sides)
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
        """Estimate time and memory of a solve: of one turn for each state.

        A turn compares its choices once for each number of turn points up to its cap. Each of a side's turns is solved
        for all scores of both players and all badges left of the opponent.

        Args:
            threads: the number of threads that share the work.
        """
        seconds = 0.0
        for own, opponent in self.model.own_and_opponent:
            choices_of_all_turns = sum(turn.turn.choice_count for turn in own.turns)
            mean_cap = float(own.states.caps_by_score.mean())
            states_per_turn = own.target * len(opponent.uses) * opponent.target
            seconds += SECONDS_PER_CHOICE * choices_of_all_turns * mean_cap * states_per_turn
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
