"""Races of two players, and what one player alone needs: matches whose equations stand in ``equations``.

How they are solved is chosen by the shape of the equations: by the race kernel (``race``) where two play and points
only grow until a turn ends, else by the plain path (``settle``).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, partial

import numpy as np

from ...core.push import LANES
from ...games.pushluck import SPECIALS
from ...play.push import Play, PushPosition
from ...turns.monotone_turn import is_monotone
from ...turns.push_turn import Caps, Doubles
from ...util.errors import SolveError
from ..cost_estimates import SolveCost
from ..model import Ints, Transitions
from ..problem import ArraySpec, Progress, ValueTable, rotate_to_seats
from ..reference_solver import MOST_BOUND, NO_BOUND, Settler
from ..rounding_bounds import turn_rounding
from ..turn_lanes import Lanes
from .last_round import is_deficit_only
from .model import Alone, RaceModel
from .problem import PushMatch
from .race_solver import solve_race
from .states import LISTED

CHOICE_SECONDS = 6e-10  # for each choice, points in hand and pair of states, passes included
PAST_SECONDS = 1.5e-8  # for each row past the cap that a throw may lead to
CHOICES_BESIDE = 60  # what laying out payoffs costs, counted in choices
FORCED_CHOICES = 4  # the same of a row past the cap, each time that modes which cannot stop are thrown in once more
LAST_ROUND, TAKING, LOSING = 1.5, 2.5, 1.5  # so many times as long where these things are
PLAINLY, PLAINLY_BESIDE = 7.0, 210  # the same of the plain path, and its choices beside
ALONE_SECONDS, ALONE_PAST, ALONE_BESIDE = 2.4e-9, 2e-8, 10  # the same of turns alone, for each lane
MOST_TURNS_BOUND = 1e-3


class Tabled(PushMatch):
    """A match whose states are tabled; every score below the goal has its states in ``scores``."""

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        if self.parameters.get("goal") is None:
            self.states.refuse_dead(
                "a race from there could last for ever" if self.players > 1 else "no number of turns would be enough"
            )

    @property
    @abstractmethod
    def equations(self) -> Alone | RaceModel:
        """The equations."""

    @abstractmethod
    def read(self, solved: ValueTable, numbers: Ints) -> Doubles:
        """V of states, from the solved arrays."""

    @abstractmethod
    def number(self, position: PushPosition) -> int:
        """The state in which the turn of a position begins."""

    def stopping_points(self, solved: ValueTable, start: PushPosition) -> int:
        """The fewest points that win or, with an exact finish, one more than may be held."""
        return self.lanes(solved, [start]).cap * self.rules.grain

    def plainly(self, threads: int, progress: Progress) -> tuple[Doubles, float]:
        """V and its bound by the plain path."""
        equations, start = self.equations, None
        if equations.has_cyclic_components:
            lossless, like = equations.lossless()
            with suppress(SolveError):
                start = Settler(lossless, threads).settle()[like]
        settler = Settler(equations, threads, progress)
        values = settler.settle(start)
        return values, settler.bound(values)

    def known(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """What every seat gets where a turn begins."""
        value = self.read(solved, np.array([self.number(position)]))[None]
        return rotate_to_seats(position.seat, self.by_seats(value)[:, 0].tolist())

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> Lanes:
        """The turns that begin at some positions."""
        equations, states = self.equations, np.array([self.number(start) for start in starts])
        links = equations.transitions(states)
        payoff = equations.payoffs(partial(self.read, solved), links)[None]
        return Lanes(equations.turn, payoff, equations.caps(states), payoff.shape[1] - SPECIALS)

    def sizes(self) -> tuple[float, Doubles]:
        """Roughly how many states there are, and the points that each can bring; at once, whatever the target is."""
        states, caps = self.states, self.states.caps_by_score.astype(float)
        if states.target <= LISTED:
            caps = caps[states.scores - states.low]
        return float(len(caps) * states.kinds), caps


class Race(Tabled):
    """The chance to win of two players who both play their best."""

    player_range = (2, 2)

    @cached_property
    def equations(self) -> RaceModel:
        """The equations."""
        return RaceModel(self.states, 2)

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the pairs of states, and with each the points that a turn can bring and may hand on."""
        past = float(self.states.target - self.states.low) if self.rules.finish == "last_round" else 0.0
        found = self._cost(threads, past)
        if past and self.states.rules.take_over != "none" and not found.too_much and is_deficit_only(self.states.turn):
            with suppress(SolveError):  # the solve says so
                found = self._cost(threads, float(self.equations.past_totals))
        return found

    def _cost(self, threads: int, past: float) -> SolveCost:
        """What it takes if so many totals ``past`` the target are tabled."""
        count, caps = self.sizes()
        rules, turn, span = self.states.rules, self.states.turn, float(self.states.target - self.states.low)
        lanes, quick = count * float(caps.sum()) * self.states.kinds, is_monotone(turn)
        by_row, once = self._weighed(int(caps.max())) if quick else (turn.choices, 0.0)
        seconds = CHOICE_SECONDS * ((by_row + (CHOICES_BESIDE if quick else PLAINLY_BESIDE)) * lanes + once * count**2)
        taking = rules.dice if rules.take_over != "none" else 0
        longer = past if taking else 0.0  # rows of every turn's table beyond those of its cap
        seconds *= 1 + longer / float(caps.max())
        seconds *= LAST_ROUND if rules.finish == "last_round" else 1.0
        seconds *= (TAKING if taking else 1.0) * (LOSING if self.states.falls else 1.0)
        seconds *= 1.0 if quick else PLAINLY
        rows = float(caps.max()) + longer + turn.max_add + 1
        tables = 16.0 * count * (span + float(caps.max()) + longer + count * (self.states.kinds > 1))
        tables += 16.0 * count * taking * span * (span - 1) / 2
        tables += 16.0 * 2 * (2 * span - 1) * (span + past) * taking if past else 0.0  # last turns that take over
        layer = 8.0 * 2 * count * rows * 6 * (1 if quick else taking + 1)
        if rules.finish == "last_round":  # what a turn can bring past the target, by itself
            layer += 8.0 * 2 * (4.0 * span) ** 2
        layer += 16.0 * LANES * len(turn.modes) * rows * (6 if taking else 1)
        return SolveCost(tables + layer, (seconds + PAST_SECONDS * count**2 * turn.max_add) / threads)

    def _weighed(self, cap: int) -> tuple[float, float]:
        """Choices that the race kernel weighs: for each row of a turn's table, and for each turn, by throws that are
        made once at least and those past the cap of modes that cannot stop.
        """
        turn = self.states.turn
        forced = (
            FORCED_CHOICES * turn.forced_passes * turn.max_add * sum(mode.bank_ending is None for mode in turn.modes)
        )
        return self.states.choices_by_row(cap), float(turn.choices + (forced if turn.forced_passes > 1 else 0))

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every pair of states: ``scores`` (n,) in points, ``win`` (states, states) by mover's and opponent's,
        which are scores and, for each, the busts in a row if they count; ``taken`` (states, offers, dice) by mover's
        state, what is offered (``RaceModel.offered``) and the dice left over less 1, where turns are taken over.
        """
        race, count = self.equations, len(self.states)
        if is_monotone(self.states.turn):
            values = solve_race(race, threads=threads, progress=progress)
            win, taken, bound = values.win, values.taken, values.error_bound
        else:
            found, bound = self.plainly(threads, progress)
            win = np.ascontiguousarray(found[: race.lines].reshape(count, -1)[:, :count])
            taken = found[race.lines :].reshape(count, -1, race.dice) if race.dice else None
        if not bound <= MOST_BOUND:
            raise SolveError(NO_BOUND)
        arrays = {"scores": self.scores, "win": win}
        return ValueTable(arrays if taken is None else {**arrays, "taken": taken}, bound)

    def array_specs(self) -> dict[str, ArraySpec]:
        """See ``solve``."""
        race, count = self.equations, len(self.states)
        arrays = {"scores": ArraySpec.fixed(self.scores), "win": ArraySpec((count, count))}
        return {**arrays, "taken": ArraySpec((count, race.offers, race.dice))} if race.dice else arrays

    def read(self, solved: ValueTable, numbers: Ints) -> Doubles:
        """The mover's chance; of last turns and of what follows them from tables of their own."""
        race, states, count = self.equations, self.states, len(self.states)
        mine, theirs = np.divmod(np.minimum(numbers, race.lines - 1), race.width)
        found: Doubles = solved.arrays["win"][mine, np.minimum(theirs, count - 1)]
        if race.last:
            last = race.last.against(states.score[mine], states.target + np.maximum(theirs - count, 0))
            found = np.where(theirs >= count, last, found)
        if (numbers >= race.lines).any():
            taken = solved.arrays["taken"].reshape(-1)[np.maximum(numbers - race.lines, 0)]
            found = np.where(numbers >= race.lines, taken, found)
        return found

    def bound(self, solved: ValueTable, lanes: Lanes) -> float:
        """A last round's longer table may round more often than those solved between turns."""
        longer = turn_rounding(self.states.turn, lanes.cap) if self.equations.last else 0.0
        return solved.error_bound + longer

    def max_stopping_points(self, solved: ValueTable) -> int:
        """The cut of who is furthest behind."""
        scores = self.states.scores * self.rules.grain
        return self.stopping_points(solved, self.playable.begin((int(scores[0]), int(scores[-1])), 0, 0))

    def _theirs(self, position: PushPosition) -> int:
        busts = position.busts[1 - position.seat] if position.busts else 0
        return self.states.number(position.opponents[0], busts)

    def number(self, position: PushPosition) -> int:
        """The pair of states, or what may be taken over."""
        mine = self.states.number(position.score, position.count)
        line = self.equations.number(mine, self._theirs(position))
        if not position.offered:
            return int(line)
        points, dice = position.offered
        return int(self.equations.offered(line, np.array(points // self.rules.grain), dice))

    def ends(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> Caps:
        """Where the tables of turns end: in a last round as late as what is in hand asks for."""
        return self._ends(*self._scores(starts), held)

    def _scores(self, starts: Sequence[PushPosition]) -> tuple[Ints, Ints]:
        """The movers' states, and the opponents' scores in units."""
        mine = [self.states.number(start.score, start.count) for start in starts]
        return np.array(mine), np.array([start.opponents[0] // self.rules.grain for start in starts])

    def _ends(self, mine: Ints, theirs: Ints, held: int) -> Caps:
        race, states = self.equations, self.states
        last = theirs >= states.target
        caps = states.caps[mine].astype(np.int64)
        if race.last:
            ahead, which = np.unique((states.score[mine] - theirs)[~last], return_inverse=True)
            ends = [race.last.cap(one, held) for one in ahead.tolist()]
            caps[~last] = np.maximum(caps[~last], np.array(ends, dtype=np.int64)[which])
        if last.any():
            caps = np.where(last, race.last_caps(mine, theirs), caps)
        if race.dice and not states.turn.keeps:
            caps = np.maximum(caps, race.max_cap)
        return caps.astype(np.int32)

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> Lanes:
        """The turns that begin at some positions, with tables as long as ``ends`` says."""
        race, states = self.equations, self.states
        mine, theirs = self._scores(starts)
        last, caps = theirs >= states.target, self._ends(mine, theirs, held)
        cap = max(race.max_cap, int(caps.max())) if race.dice else int(caps.max())
        parts = []
        for lane, start in enumerate(starts):
            one = mine[lane : lane + 1]
            if last[lane]:
                parts.append(race.last_links(one, theirs[lane : lane + 1], cap))
            else:
                parts.append(race.transitions(race.number(one, self._theirs(start)), cap))
        links = Transitions(
            np.concatenate([part.constant[: SPECIALS + (cap + 1) * (race.dice + 1)] for part in parts], axis=1),
            np.concatenate([part.state[: SPECIALS + (cap + 1) * (race.dice + 1)] for part in parts], axis=1),
        )
        payoff = race.payoffs(partial(self.read, solved), links)[None]
        return Lanes(race.turn_to(cap), payoff, caps, cap + 1)


class Solo(Tabled):
    """One player: the fewest expected turns to reach the target, or, where so many are told, the greatest chance to
    hold at least ``goal`` points within them.
    """

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.turns = self.parameters.get("turns", 0)

    @cached_property
    def equations(self) -> Alone:
        """The equations."""
        return Alone(self.states, self.turns)

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every state: ``scores`` (n,) in points, and ``turns`` (states,) or ``reach`` (turns + 1, states), by
        the turns left.
        """
        values, bound = self.plainly(threads, progress)
        if not self.turns and bound > MOST_TURNS_BOUND:
            raise SolveError("the turns needed are too many to be computed to a bound worth stating")
        found = self.by_seats(values.reshape(self.array_specs()[self.objective].shape))
        return ValueTable({"scores": self.scores, self.objective: found}, bound)

    def read(self, solved: ValueTable, numbers: Ints) -> Doubles:
        """V: minus the turns, or the chance."""
        return self.by_seats(solved.arrays[self.objective].reshape(-1)[numbers])

    def by_seats(self, values: Doubles) -> Doubles:
        """Of turns V is minus the number."""
        return values if self.turns else -values

    def array_specs(self) -> dict[str, ArraySpec]:
        """By state, and turns left where they are counted."""
        count = len(self.states)
        values = ArraySpec((self.turns + 1, count)) if self.turns else ArraySpec((count,), 1, math.inf)
        return {"scores": ArraySpec.fixed(self.scores), self.objective: values}

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the states and the turns, and with each the points that a turn can bring."""
        count, caps = self.sizes()
        turn, rows = self.states.turn, float(caps.max()) + self.states.turn.max_add
        lanes = count * self.turns if self.turns else LANES * count
        seconds = (
            (CHOICE_SECONDS if self.turns else ALONE_SECONDS)
            * (turn.choices + ALONE_BESIDE)
            * lanes
            * float(caps.mean())
        )
        seconds += (PAST_SECONDS / 6 if self.turns else ALONE_PAST) * lanes * turn.max_add
        layer = 8 * (6 * count * rows if self.turns else LANES * rows * (2 * len(turn.modes) + 6))
        tables = 8 * count * (self.turns + 2)
        return SolveCost(tables + layer, seconds * (4 if self.states.falls and not self.turns else 1))

    def number(self, position: PushPosition) -> int:
        """The state, by the turns left."""
        return position.turns_left * len(self.states) * bool(self.turns) + self.states.number(
            position.score, position.count
        )

    def max_stopping_points(self, solved: ValueTable) -> int:
        """The cut from the lowest score."""
        return int(self.states.caps.max()) * self.rules.grain
