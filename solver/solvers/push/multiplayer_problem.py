"""The problem of three or more players who race to a target. ``multiplayer_sweep`` says how it is solved and proved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.seats import MOST_SEATS
from ...games.pushluck import SPECIALS
from ...play.push import Play, PushPosition
from ...play.table import Choice
from ...storage.checkpoints import Checkpoint
from ...turns.push_turn import Doubles
from ...util.errors import InputError, SolveError
from ..anderson import MEMORY
from ..cost_estimates import LONG, SolveCost
from ..model import Ints
from ..problem import ArraySpec, MixedAction, Progress, ValueTable, rotate_to_seats
from ..reference_solver import MOST_BOUND, NO_BOUND
from ..rounding_bounds import turn_rounding
from ..turn_lanes import Lanes, together
from .last_round import LastRound
from .last_turns import LastTurns
from .lost_scores import MOST_CIRCLES
from .multiplayer_kernel import quick
from .multiplayer_model import Many
from .multiplayer_solver import solve_seats
from .multiplayer_sweep import BESIDE, CHOICE_SECONDS, choices_of, rise
from .problem import PushMatch
from .states import LISTED

if TYPE_CHECKING:
    from ..cluster import Cluster

MOST_MIXED = 4096  # positions whose movers mix two turns
MOST_PASTS = 128  # tables of last turns that are kept for answers
STAGES = 24  # of either pass of a long solve, each kept as it is done
MOST_CIRCLING = 1e-4  # the bound where best replies may go round without end through lost scores, told with the answer
PLAINLY = 10.0  # so many times as long without the kernel
SWEEPS = 30  # solves of all layers, about, where a throw can lose the whole score, best replies included


class Seats(PushMatch):
    """The chances to win of three and more players who all play their best."""

    player_range = (3, MOST_SEATS)
    is_resumable = True

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        rules = self.states.rules
        if rules.take_over != "none" and rules.finish == "last_round":
            raise InputError(
                f"{self.game.id} with the objective win is solved for 2 players where turns are taken over and there is"
                f" a last round: players must be 2, not {self.players}"
            )
        self.states.refuse_dead("a race from there could last for ever")
        self.equations = Many(self.states, self.players)
        # Workers know the kernel's turns, and would have to be told what the sweep before came to.
        self.is_distributable = quick(self.states) and not self.states.falls
        self._mixed: tuple[ValueTable, dict[int, MixedAction]] | None = None  # of the values that were asked last

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the lines of scores, and with each the points that a turn can bring."""
        states, race, turn = self.states, self.equations, self.states.rules.turn
        listed, span = states.target <= LISTED, states.target - states.low
        end = race.end if listed or states.rules.finish != "last_round" else 2 * states.target
        scores, beyond = float(len(states) if listed else span * states.kinds), end - states.target + 1
        lines, rows = scores**self.players, scores ** (self.players - 1)
        rises = rise(race) if listed else end - states.target / 2
        certain = 2 * rows * (2 * (end + 2) + 8)
        layers = 8.0 * 4 * self.players * rows
        seconds = CHOICE_SECONDS * lines * choices_of(states, rises, self.players)
        tables = 16.0 * self.players * lines * (1 + span * race.dice)
        if states.rules.finish == "last_round":
            tables += 8.0 * rows * beyond * (self.players - 1)
            seconds += CHOICE_SECONDS * rows / scores * beyond * end * turn.choices
        if not quick(states):
            seconds = PLAINLY * (seconds + CHOICE_SECONDS * BESIDE * lines * (1 + span * race.dice))
        if states.falls:
            seconds *= SWEEPS
            layers += 8.0 * 4 * MEMORY * self.players * rows
        return SolveCost(tables + certain + layers, seconds / threads, tables)

    def solve(
        self, threads: int, progress: Progress, checkpoint: Checkpoint | None = None, cluster: Cluster | None = None
    ) -> ValueTable:
        """Solve every line of scores; a long solve goes on from the checkpoint's layers.

        ``scores`` (n,) in points; ``win`` (m, .., m, seats) what every seat gets, by their states from the mover on,
        which are scores and, for each, the busts in a row if they count; ``taken`` (points, dice, m, .., m, seats) the
        same, by what is offered, each less 1, where turns are taken over; ``mixed`` (MOST_MIXED, 4) places of positions
        whose mover mixes turns, -1 behind the last, and how (``Mix``); ``regret`` (1,).
        """
        stages = STAGES if self.estimate_cost(1).seconds > LONG else 1
        kept = checkpoint if stages > 1 else None
        zeros = checkpoint.new_table if checkpoint else np.zeros
        values = solve_seats(
            self.states,
            self.players,
            threads=threads,
            progress=progress,
            stages=stages,
            checkpoint=kept,
            cluster=cluster,
            zeros=zeros,
        )
        gain, rounding = max(0.0, values.gain), turn_rounding(self.equations.turn, self.equations.max_cap)
        stored, win = self.array_specs(), np.asarray(values.win)
        parts = np.split(win, [self.equations.lines])  # nothing may be left to take over
        tables = {name: part for name, part in zip(("win", "taken"), parts, strict=True) if name in stored}
        some = (rows for table in tables.values() for rows in np.array_split(table, self.equations.count))
        over = max(1.0, *(float(rows.sum(axis=-1).max()) for rows in some)) - 1  # added to all shares by rounding
        bound, regret = (self.players - 1) * gain + over + rounding, self.players * gain + over
        if bound > (MOST_CIRCLING if self.states.falls else MOST_BOUND):
            raise SolveError(self._circling(values.circles) if len(values.circles) else NO_BOUND)
        if len(values.mixed) > MOST_MIXED:
            raise SolveError(f"best replies go round in circles at more than {MOST_MIXED:,} positions")
        mixes = np.full((MOST_MIXED, 4), -1.0)
        listed = [(place, *mix) for place, mix in sorted(values.mixed.items())]
        mixes[: len(listed)] = np.reshape(listed, (-1, 4))
        arrays = {"scores": self.scores, **{name: table.reshape(stored[name].shape) for name, table in tables.items()}}
        arrays |= {"mixed": mixes, "regret": np.array([regret])}
        if self.states.falls:
            arrays["circles"] = np.array([*values.circles, *[-1] * MOST_CIRCLES][:MOST_CIRCLES], dtype=np.float64)
        return ValueTable(arrays, bound)

    def _circling(self, places: Sequence[int]) -> str:
        """Why there is no bound, where best replies go round through lost scores."""
        line = np.unravel_index(places[0], (self.equations.count,) * self.players)
        scores = ", ".join(str(score * self.states.rules.grain) for score in self.states.score[list(line)].tolist())
        return f"at the scores {scores} best replies go round in circles through lost scores, and no mixture is found"

    solve_with_checkpoint = solve

    def array_specs(self) -> dict[str, ArraySpec]:
        """See ``solve_long``."""
        race, win = self.equations, (self.equations.count,) * self.players + (self.players,)
        found = {
            "scores": ArraySpec.fixed(self.scores),
            "win": ArraySpec(win, seat_axis=-1),
            "mixed": ArraySpec((MOST_MIXED, 4), -1, race.lines),
            "regret": ArraySpec((1,)),
        }
        if self.states.falls:
            found["circles"] = ArraySpec((MOST_CIRCLES,), -1, race.lines)
        if race.dice:
            found["taken"] = ArraySpec((race.offers // race.dice, race.dice, *win), seat_axis=-1)
        return found

    def extra_results(self, solved: ValueTable, position: PushPosition) -> Mapping[str, Any]:
        """The most that any seat gains at any position by leaving the play, at how many positions it is mixed, and the
        scores from the mover on where best replies go round without end, where they can.
        """
        mixed, count = sum(0 < mix.share < 1 for mix in self._mixes(solved).values()), self.equations.count
        told = {"regret": float(solved.arrays["regret"][0]), "mixed": mixed}
        if not self.states.falls:
            return told
        places = solved.arrays["circles"]
        lines = np.unravel_index(places[places >= 0].astype(np.int64), (count,) * self.players)
        return {**told, "circles": (self.states.score * self.rules.grain)[np.column_stack(lines)].tolist()}

    def stopping_points(self, solved: ValueTable, start: PushPosition) -> int:
        """The fewest points that win or, with an exact finish, one more than may be held; in a last round where the
        turn's table ends.
        """
        return self._cap(start) * self.rules.grain

    def max_stopping_points(self, solved: ValueTable) -> int:
        """The cut of who has nothing."""
        return self.equations.max_cap * self.rules.grain

    def bound(self, solved: ValueTable, lanes: Lanes) -> float:
        """The bound of the table covers the turn's rounding, but for a last round's longer table."""
        if not self.equations.last:
            return solved.error_bound
        longer = turn_rounding(self.states.rules.turn, lanes.cap) + self.equations.past_slack(self._far)
        return solved.error_bound + longer

    def by_seats(self, values: Doubles) -> Doubles:
        """All but what decides."""
        return values[1:]

    def known(self, solved: ValueTable, position: PushPosition) -> list[float]:
        """What every seat gets where a turn begins."""
        state = self.number(position)
        if position.offered:
            points, dice = position.offered
            state = self.equations.offered(state, np.array(points // self.rules.grain), dice)
        return rotate_to_seats(position.seat, self._read(solved, state).tolist())

    def _units(self, position: PushPosition) -> list[int]:
        """The scores from the mover on."""
        return [score // self.rules.grain for score in (position.score, *position.opponents)]

    def _cap(self, start: PushPosition, held: int = 0) -> int:
        """Points where the table of a turn ends that has come to ``held``; in a last round as far beyond as hardly
        anybody goes from there.
        """
        mine, *others = self._units(start)
        reached = max(mine + held, *others)
        if self.equations.last is None or reached < self.states.target:
            return int(self.equations.ends[mine - self.states.low])
        return reached + self.equations.last.further - mine

    @property
    def _far(self) -> int:
        """The total that nobody comes to in a last turn, more or less."""
        last = self.equations.last
        return self.states.target + (last.further if last else 0)

    def _endings(self, solved: ValueTable, start: PushPosition, cap: int) -> tuple[Doubles, NDArray[np.bool_]]:
        """What endings pay the seats from the mover on, with banks up to a cap, and which are zero turns: (seats,
        endings), (endings,).
        """
        mine, *others = self._units(start)
        if self._is_last(start):
            return self._last_endings(mine, others, cap)
        race, line, past = self.equations, self.number(start)[None], None
        if race.last:
            end = race.end if cap == race.ends[mine - self.states.low] else self._far
            past = _past(race.last, tuple(others[1:]), end)
        links = race.transitions(line, cap)
        shares = race.shares(partial(self._read, solved), line, links, past, np.array(self._numbers(start)[1:2]))
        return shares[:, :, 0], links.state[:, 0] == race.turned(line)

    def _last_endings(self, mine: int, others: list[int], cap: int) -> tuple[Doubles, NDArray[np.bool_]]:
        """The same of a last turn, in which a wiped score is a bust; none is a zero turn."""
        last, total = self.equations.last, max(others)
        assert last is not None
        later = next(place for place, score in enumerate(others) if score >= self.states.target)
        leads, holding = np.array(others[later:]) == total, others.count(total)
        turns, least, line = LastTurns(last, self.players, self._far), last.least(mine), np.zeros(1, dtype=np.int64)
        tables = _later(last, self.players, tuple(others[:later]), turns.end)
        banks, held = turns.endings(mine, least, cap, tables, holding, line, line + total)
        shares = np.concatenate([banks[:, :, 0], np.outer(leads, held[:, 0])])
        nothing, won = shares[:, :1], np.eye(self.players)[:, :1]
        return np.hstack([nothing, won, nothing, shares]), np.zeros(SPECIALS + cap + 1, dtype=bool)

    def _read(self, solved: ValueTable, states: Ints) -> Doubles:
        """What the seats from the mover on get, and, where that may be, if something is offered."""
        found: Doubles = solved.arrays["win"].reshape(-1, self.players)[states % self.equations.lines]
        if self.equations.dice:
            taken = solved.arrays["taken"].reshape(-1, self.players)[np.maximum(states - self.equations.lines, 0)]
            found = np.where((states >= self.equations.lines)[..., None], taken, found)
        return found

    def _numbers(self, position: PushPosition) -> list[int]:
        """The players' states from the mover on."""
        players = [(position.seat + one) % self.players for one in range(self.players)]
        busts = position.busts or (0,) * self.players
        return [self.states.number(position.scores[seat], busts[seat]) for seat in players]

    def number(self, position: PushPosition) -> Ints:
        """The line of a position."""
        return np.array(self.equations.place(self._numbers(position)))

    def _mixes(self, solved: ValueTable) -> dict[int, MixedAction]:
        """By place, the turns that are mixed."""
        if self._mixed is None or self._mixed[0] is not solved:
            self._mixed = solved, mixed_turns(solved)
        return self._mixed[1]

    def mixed_action(self, solved: ValueTable, position: PushPosition) -> MixedAction | None:
        """Which two turns are mixed, or which one is made though the table would tell another."""
        start = self.playable.begun(position)
        return None if self._is_last(start) else self._mixes(solved).get(int(self.number(start)))

    def with_drawn_actions(self, solved: ValueTable, second: bool) -> ValueTable:
        """The same values where every mover who mixes makes the second turn, or the first."""
        mixes = solved.arrays["mixed"].copy()
        mixes[(mixes[:, 1] > 0) & (mixes[:, 1] < 1), 1] = float(second)
        return ValueTable({**solved.arrays, "mixed": mixes}, solved.error_bound)

    def decision_values(
        self, solved: ValueTable, position: PushPosition, leads: Sequence[PushPosition | Choice[PushPosition]]
    ) -> Doubles:
        """What leads of a turn that is drawn are worth to the mover, were a zero turn worth what it was found for."""
        start, held = self.playable.begun(position), max(self._held(lead) for lead in leads)
        return self._led(self.lanes(solved, [start], held), leads)[0, :, 0]

    def lanes(self, solved: ValueTable, starts: Sequence[PushPosition], held: int = 0) -> Lanes:
        """The turns that begin at some positions: who decides, and the seats from the mover on."""
        lanes, begins, shares = list[Lanes](), list[int](), list[float]()
        for start in starts:
            begins.append(len(lanes))
            mix = self.mixed_action(solved, start)
            ways = ((mix.lower_zero_value, 1 - mix.share), (mix.upper_zero_value, mix.share)) if mix else ((None, 1.0),)
            lanes += [self._lane(solved, start, told, held) for told, _ in ways]
            shares += [share for _, share in ways]
        return together(lanes)._replace(begins=begins, shares=np.array(shares))

    def _lane(self, solved: ValueTable, start: PushPosition, told: float | None, held: int) -> Lanes:
        """One turn, decided as if a zero turn were worth what is told."""
        cap = self._cap(start, held)
        shares, zero = self._endings(solved, start, cap)
        payoff = np.ascontiguousarray(np.concatenate([shares[:1], shares])[:, :, None])
        if told is not None:
            payoff[0, zero] = told
        turn, block = self.rules.turn, cap + 1
        if self.equations.dice:  # banks stand in blocks, as long as the longest of them
            turn, block = self.equations.turn, self.equations.max_cap + 1
        return Lanes(turn, payoff, np.array([cap], dtype=np.int32), block)


@lru_cache(maxsize=MOST_PASTS)
def _past(last: LastRound, others: tuple[int, ...], end: int) -> Doubles:
    """What follows totals from the target on, up to ``end``, by the next seat's state and those of the others:
    (states, totals, seats - 1).
    """
    seats = len(others) + 2
    (found,) = LastTurns(last, seats, end).before(last.states.score, _later(last, seats, others, end))
    return found


@lru_cache(maxsize=MOST_PASTS)
def _later(last: LastRound, seats: int, later: tuple[int, ...], end: int) -> list[Doubles]:
    """What those get who have a last turn each, with these scores (``LastTurns``)."""
    turns = LastTurns(last, seats, end)
    if not later:
        return turns.nobody()
    return turns.before(np.array(later[:1]), _later(last, seats, later[1:], end))


def mixed_turns(solved: ValueTable) -> dict[int, MixedAction]:
    """By place of the positions whose movers mix two turns, or make one that the table alone does not tell, these."""
    mixes = solved.arrays.get("mixed", np.empty((0, 4)))
    return {int(place): MixedAction(*mix) for place, *mix in mixes[mixes[:, 0] >= 0].tolist()}
