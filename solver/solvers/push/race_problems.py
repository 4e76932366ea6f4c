"""Problems of two-player races and of a single player on the way to a goal.

The equations are those of ``model``. Two solvers share them: the race kernel by retrograde analysis (``race_solver``),
if the turn points only grow until the turn ends, and otherwise the reference solver (``reference_solver``).

Start reading at ``PushWinProblem.solve``.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial

import numpy as np

from ...core.push import LANES
from ...games.push_rules import SPECIALS
from ...play.push import Play, PushPosition
from ...turns.monotone_turn import is_monotone
from ...turns.push_turn import Caps, Doubles
from ...util.errors import SolveError
from ..cost_estimates import SolveCost
from ..model import Ints, Transitions
from ..problem import ArraySpec, Progress, ValueTable, rotate_to_seats
from ..reference_solver import MAX_ERROR_BOUND, NO_BOUND_MESSAGE, ReferenceSolver
from ..rounding_bounds import turn_rounding_bound
from ..turn_lanes import TurnLanes
from .last_round import is_deficit_only
from .model import RaceModel, SoloModel
from .problem import PushProblem
from .race_solver import solve_race
from .states import MAX_LISTED_TARGET

# Estimated times, measured.
CHOICE_SECONDS = 6e-10  # race kernel: a choice, by turn points and pair of states, all passes included
ROW_PAST_CAP_SECONDS = 1.5e-8  # race kernel: a row past the cap that a roll may lead to
PAYOFF_CHOICES = 60  # race kernel: the time to fill in payoffs, in choices
FORCED_CHOICES = 4  # race kernel: a row past the cap for each pass over modes that cannot stop, in choices
LAST_ROUND_FACTOR, TAKEOVER_FACTOR, LOSS_FACTOR = 1.5, 2.5, 1.5  # how much longer these rules take
REFERENCE_FACTOR, REFERENCE_PAYOFF_CHOICES = 7.0, 210  # reference solver, relative to the race kernel
SOLO_CHOICE_SECONDS, SOLO_ROW_SECONDS, SOLO_PAYOFF_CHOICES = 2.4e-9, 2e-8, 10  # expected turns of one player
MAX_TURNS_BOUND = 1e-3  # expected turns; a solve with a larger error bound is refused


class PushTableProblem(PushProblem):
    """A problem with a value for every state of a transition model with one or two players."""

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        if self.parameters.get("goal") is None:
            self.states.refuse_dead_scores(
                "a race from there could last for ever" if self.players > 1 else "no number of turns would be enough"
            )

    @property
    @abstractmethod
    def model(self) -> SoloModel | RaceModel:
        """The transition model."""

    @abstractmethod
    def read(self, solved: ValueTable, numbers: Ints) -> Doubles:
        """Return V of states from the value table."""

    @abstractmethod
    def state_number(self, position: PushPosition) -> int:
        """Return the state of a position at the start of a turn."""

    def stopping_points(self, solved: ValueTable, start: PushPosition) -> int:
        """Return the fewest points that win; with an exact finish, one more than the player may hold."""
        return self.lanes(solved, [start]).cap * self.rules.grain

    def solve_by_reference(self, threads: int, progress: Progress) -> tuple[Doubles, float]:
        """Return V of all states and its error bound, by the reference solver.

        If scores can fall, the first guess is V of the same game without losses.
        """
        equations, first_guess = self.model, None
        if equations.has_cyclic_components:
            lossless, matching = equations.lossless()
            with suppress(SolveError):
                first_guess = ReferenceSolver(lossless, threads).solve()[matching]
        solver = ReferenceSolver(equations, threads, progress)
        values = solver.solve(first_guess)
        return values, solver.error_bound(values)

    def start_values(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """Return the values of all seats at the start of a turn, from the value table."""
        value = self.read(solved, np.array([self.state_number(position)]))[None]
        return rotate_to_seats(position.seat, self.seat_shares(value)[:, 0].tolist())

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> TurnLanes:
        """Return the turns that begin at ``starts``."""
        equations, states = self.model, np.array([self.state_number(start) for start in starts])
        transitions = equations.transitions(states)
        payoff = equations.payoffs(partial(self.read, solved), transitions)[None]
        return TurnLanes(equations.turn, payoff, equations.caps(states), payoff.shape[1] - SPECIALS)

    def estimate_sizes(self) -> tuple[float, Doubles]:
        """Return estimates of the number of states and of the cap from each score, quickly for any target."""
        states, caps = self.states, self.states.caps_by_score.astype(float)
        if states.target <= MAX_LISTED_TARGET:
            caps = caps[states.scores - states.lowest_score]
        return float(len(caps) * states.bust_count_limit), caps


class PushWinProblem(PushTableProblem):
    """The chance to win a race of two players who both play optimally."""

    player_range = (2, 2)

    @cached_property
    def model(self) -> RaceModel:
        """The transition model."""
        return RaceModel(self.states, 2)

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory from the pairs of states, the caps and the offers to take over."""
        past_totals = float(self.states.target - self.states.lowest_score) if self.rules.finish == "last_round" else 0.0
        cost = self._cost(threads, past_totals)
        has_takeover = self.states.rules.take_over != "none"
        if past_totals and has_takeover and not cost.is_too_much and is_deficit_only(self.states.turn):
            with suppress(SolveError):  # the solve itself will raise it
                cost = self._cost(threads, float(self.model.past_totals))
        return cost

    def _cost(self, threads: int, past_totals: float) -> SolveCost:
        """Estimate the cost if that many totals past the target have states."""
        count, caps = self.estimate_sizes()
        rules, turn, span = self.states.rules, self.states.turn, float(self.states.target - self.states.lowest_score)
        dice = rules.dice if rules.take_over != "none" else 0
        extra_rows = past_totals if dice else 0.0  # rows of every turn's table beyond those of its cap
        seconds = self._seconds(count, caps, extra_rows)
        is_fast = is_monotone(turn)
        rows = float(caps.max()) + extra_rows + turn.max_added_points + 1
        tables = 16.0 * count * (span + float(caps.max()) + extra_rows + count * (self.states.bust_count_limit > 1))
        tables += 16.0 * count * dice * span * (span - 1) / 2
        # The values of last turns that take over.
        tables += 16.0 * 2 * (2 * span - 1) * (span + past_totals) * dice if past_totals else 0.0
        layer = 8.0 * 2 * count * rows * 6 * (1 if is_fast else dice + 1)
        if rules.finish == "last_round":  # the chances of last turns
            layer += 8.0 * 2 * (4.0 * span) ** 2
        layer += 16.0 * LANES * len(turn.modes) * rows * (6 if dice else 1)
        return SolveCost(tables + layer, (seconds + ROW_PAST_CAP_SECONDS * count**2 * turn.max_added_points) / threads)

    def _seconds(self, count: float, caps: Doubles, extra_rows: float) -> float:
        """Estimate the time for all turns, without the rows past the cap."""
        rules, is_fast = self.states.rules, is_monotone(self.states.turn)
        lanes = count * float(caps.sum()) * self.states.bust_count_limit
        by_row, once = self._choices(int(caps.max())) if is_fast else (self.states.turn.choice_count, 0.0)
        choices = by_row + (PAYOFF_CHOICES if is_fast else REFERENCE_PAYOFF_CHOICES)
        seconds = CHOICE_SECONDS * (choices * lanes + once * count**2)
        seconds *= 1 + extra_rows / float(caps.max())
        seconds *= LAST_ROUND_FACTOR if rules.finish == "last_round" else 1.0
        seconds *= (TAKEOVER_FACTOR if rules.take_over != "none" else 1.0) * (
            LOSS_FACTOR if self.states.has_losses else 1.0
        )
        return seconds * (1.0 if is_fast else REFERENCE_FACTOR)

    def _choices(self, cap: int) -> tuple[float, float]:
        """Return the choices that the race kernel compares for each row of a turn's table, and once for each turn.

        Once for each turn are: rolls that are made at least once, and rows past the cap of modes that cannot stop.
        """
        turn = self.states.turn
        modes_without_stop = sum(mode.bank_ending is None for mode in turn.modes)
        forced = FORCED_CHOICES * turn.forced_passes * turn.max_added_points * modes_without_stop
        return self.states.choices_per_row(cap), float(turn.choice_count + (forced if turn.forced_passes > 1 else 0))

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve all pairs of states.

        Returns:
            A value table with the arrays
            - ``scores`` (n,): the scores in points;
            - ``win`` (states, states): the mover's chance, by the mover's and the opponent's state. A state is a score
              and, if they count, the busts in a row;
            - ``taken`` (states, offers, dice), if turns can be taken over: by the mover's state, the offer
              (``RaceModel.offer_states``), and the dice left less 1.
        """
        race, count = self.model, len(self.states)
        if is_monotone(self.states.turn):
            sweep = solve_race(race, threads=threads, progress=progress)
            win, taken, bound = sweep.win, sweep.taken, sweep.error_bound
        else:
            values, bound = self.solve_by_reference(threads, progress)
            win = np.ascontiguousarray(values[: race.lines].reshape(count, -1)[:, :count])
            taken = values[race.lines :].reshape(count, -1, race.dice) if race.dice else None
        if not bound <= MAX_ERROR_BOUND:
            raise SolveError(NO_BOUND_MESSAGE)
        arrays = {"scores": self.scores, "win": win}
        return ValueTable(arrays if taken is None else {**arrays, "taken": taken}, bound)

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the arrays of the value table (``solve``)."""
        race, count = self.model, len(self.states)
        arrays = {"scores": ArraySpec.fixed(self.scores), "win": ArraySpec((count, count))}
        return {**arrays, "taken": ArraySpec((count, race.offers, race.dice))} if race.dice else arrays

    def read(self, solved: ValueTable, numbers: Ints) -> Doubles:
        """Return the mover's chance to win in states, those of last turns included."""
        race, states, count = self.model, self.states, len(self.states)
        mine, theirs = np.divmod(np.minimum(numbers, race.lines - 1), race.width)
        values: Doubles = solved.arrays["win"][mine, np.minimum(theirs, count - 1)]
        if race.last_round:
            last = race.last_round.win_chance(states.score[mine], states.target + np.maximum(theirs - count, 0))
            values = np.where(theirs >= count, last, values)
        if (numbers >= race.lines).any():
            taken = solved.arrays["taken"].reshape(-1)[np.maximum(numbers - race.lines, 0)]
            values = np.where(numbers >= race.lines, taken, values)
        return values

    def turn_error_bound(self, solved: ValueTable, lanes: TurnLanes) -> float:
        """Return the error bound inside turns; with a last round, longer tables than in the solve may round more."""
        longer = turn_rounding_bound(self.states.turn, lanes.cap) if self.model.last_round else 0.0
        return solved.error_bound + longer

    def max_stopping_points(self, solved: ValueTable) -> int:
        """Return the cap of the lowest score against the highest one."""
        scores = self.states.scores * self.rules.grain
        return self.stopping_points(solved, self.playable.begin((int(scores[0]), int(scores[-1])), 0, 0))

    def _opponent_state(self, position: PushPosition) -> int:
        """Return the opponent's own state."""
        busts = position.busts[1 - position.seat] if position.busts else 0
        return self.states.number(position.opponents[0], busts)

    def state_number(self, position: PushPosition) -> int:
        """Return the state of a position at the start of a turn, with or without an offer."""
        mine = self.states.number(position.score, position.count)
        line = self.model.number(mine, self._opponent_state(position))
        if not position.offered:
            return int(line)
        points, dice = position.offered
        return int(self.model.offer_states(line, np.array(points // self.rules.grain), dice))

    def turn_caps(self, solved: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> Caps:
        """Return the caps of the turns that begin at ``starts``; with a last round they depend on ``held``."""
        return self._turn_caps(*self._scores(starts), min_points)

    def _scores(self, starts: Sequence[PushPosition]) -> tuple[Ints, Ints]:
        """Return the movers' own states, and the opponents' scores in units."""
        mine = [self.states.number(start.score, start.count) for start in starts]
        return np.array(mine), np.array([start.opponents[0] // self.rules.grain for start in starts])

    def _turn_caps(self, mine: Ints, opponent_scores: Ints, min_points: int) -> Caps:
        """Return the caps of turns by the movers' own states and the opponents' scores."""
        race, states = self.model, self.states
        is_last = opponent_scores >= states.target
        caps = states.caps[mine].astype(np.int64)
        if race.last_round:
            leads, lead_index = np.unique((states.score[mine] - opponent_scores)[~is_last], return_inverse=True)
            caps_by_lead = [race.last_round.cap(lead, min_points) for lead in leads.tolist()]
            caps[~is_last] = np.maximum(caps[~is_last], np.array(caps_by_lead, dtype=np.int64)[lead_index])
        if is_last.any():
            caps = np.where(is_last, race.last_turn_caps(mine, opponent_scores), caps)
        if race.dice and not states.turn.is_nondecreasing:
            caps = np.maximum(caps, race.max_cap)
        return caps.astype(np.int32)

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], min_points: int = 0) -> TurnLanes:
        """Return the turns that begin at ``starts``, with the caps of ``ends``."""
        race, states = self.model, self.states
        mine, opponent_scores = self._scores(starts)
        is_last, caps = opponent_scores >= states.target, self._turn_caps(mine, opponent_scores, min_points)
        cap = race.bank_cap(int(caps.max()))
        parts = []
        for lane, start in enumerate(starts):
            mover = mine[lane : lane + 1]
            if is_last[lane]:
                parts.append(race.last_turn_transitions(mover, opponent_scores[lane : lane + 1], cap))
            else:
                parts.append(race.transitions(race.number(mover, self._opponent_state(start)), cap))
        endings = SPECIALS + (cap + 1) * (race.dice + 1)
        transitions = Transitions(
            np.concatenate([part.constant[:endings] for part in parts], axis=1),
            np.concatenate([part.state[:endings] for part in parts], axis=1),
        )
        payoff = race.payoffs(partial(self.read, solved), transitions)[None]
        return race.make_lanes(payoff, caps)


class PushSoloProblem(PushTableProblem):
    """A single player: the fewest expected turns to the target, or the best chance to reach a goal in some turns."""

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.turns = self.parameters.get("turns", 0)

    @cached_property
    def model(self) -> SoloModel:
        """The transition model."""
        return SoloModel(self.states, self.turns)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve all states.

        Returns:
            A value table with the arrays
            - ``scores`` (n,): the scores in points;
            - ``turns`` (states,): the expected turns; or ``reach`` (turns + 1, states): the chance, by turns left.
        """
        values, bound = self.solve_by_reference(threads, progress)
        if not self.turns and bound > MAX_TURNS_BOUND:
            raise SolveError("the turns needed are too many to be computed to a bound worth stating")
        results = self.seat_shares(values.reshape(self.array_specs()[self.objective].shape))
        return ValueTable({"scores": self.scores, self.objective: results}, bound)

    def read(self, solved: ValueTable, numbers: Ints) -> Doubles:
        """Return V of states: the chance, or minus the expected turns."""
        return self.seat_shares(solved.arrays[self.objective].reshape(-1)[numbers])

    def seat_shares(self, values: Doubles) -> Doubles:
        """Return chances as they are; V and expected turns are each other's negative."""
        return values if self.turns else -values

    def array_specs(self) -> dict[str, ArraySpec]:
        """Return the arrays of the value table (``solve``)."""
        count = len(self.states)
        values = ArraySpec((self.turns + 1, count)) if self.turns else ArraySpec((count,), 1, math.inf)
        return {"scores": ArraySpec.fixed(self.scores), self.objective: values}

    def estimate_cost(self, threads: int) -> SolveCost:
        """Estimate time and memory from the states, the turns left and the caps."""
        count, caps = self.estimate_sizes()
        turn, rows = self.states.turn, float(caps.max()) + self.states.turn.max_added_points
        lanes = count * self.turns if self.turns else LANES * count
        seconds = (
            (CHOICE_SECONDS if self.turns else SOLO_CHOICE_SECONDS)
            * (turn.choice_count + SOLO_PAYOFF_CHOICES)
            * lanes
            * float(caps.mean())
        )
        seconds += (ROW_PAST_CAP_SECONDS / 6 if self.turns else SOLO_ROW_SECONDS) * lanes * turn.max_added_points
        layer = 8 * (6 * count * rows if self.turns else LANES * rows * (2 * len(turn.modes) + 6))
        tables = 8 * count * (self.turns + 2)
        return SolveCost(tables + layer, seconds * (4 if self.states.has_losses and not self.turns else 1))

    def state_number(self, position: PushPosition) -> int:
        """Return the state of a position at the start of a turn."""
        own_state = self.states.number(position.score, position.count)
        return position.turns_left * len(self.states) * bool(self.turns) + own_state

    def max_stopping_points(self, solved: ValueTable) -> int:
        """Return the largest cap in points."""
        return int(self.states.caps.max()) * self.rules.grain
