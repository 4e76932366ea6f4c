"""Straight Scarney: a frame played for points, and the match of seven frames.

A frame is a turn. Its payoff: for points, t where t points are entered. In a match of two players, with k frames left
after this one and the mover ahead by d (behind: below 0),

    first shooter:   P[enter t] = 1 - S_k(-(d + t)),    S_k: chance of the second shooter to win
    second shooter:  P[enter t] = 1 - F_(k-1)(-(d + t)) for k > 0; in the last frame 1, 0 or, with the totals level,
                     1 - F_0(0), an extra frame in the same order,

and Big Scarney pays 1. Frames only pass, so the S and F are solved from the last frame to the first, each for all d as
one batch of lanes. The level extra frame is a cycle of one unknown, x = F_0(0) = f(x). Every frame's first throw is Big
Scarney with chance 1/216, so f contracts and x is the only solution; f is monotone, so f(x + e) <= x + e and
f(x - e) >= x - e, with the errors of f counted against it, prove that it lies within e (``_extra_frame`` checks both).

Nothing bounds the points of a frame. Let R(c) be the greatest chance to ever hold c points in one. The table of a frame
ends at the first cap c with R(c) <= CUT, where whoever holds it enters it; a game of n frames for each player loses at
most 2 n R(c) by that, a chance of something worth at most 1. Leads are tabled as far as frames within the cap can carry
them, so nothing else is cut.

For points the same cap serves: stopping is best from some level on. From n live dice one more throw gains g points on
average, keeps the t points in hand with chance p < 1, and else leaves at most the value v of a fresh frame: it pays
only while t < (g + v) / (1 - p), and points in hand only grow while dice stay. ``Points.solve`` checks that the cap
lies above.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ..advice import Advice, Choice, PositionValue, rank
from ..core.push import LANES
from ..errors import InputError, SolveError
from ..games import Game
from ..games.scarney import DICE, ScarneyPosition, ScarneyRules, read_frame, read_match
from ..turns.push import Doubles, PushTurn, Throw, TurnValue, pad
from . import Solved, lone_player, no_parameters

CUT = 2.0**-38
MOST_ROUNDS = 200
BEYOND = 128  # a table for points in hand goes on in steps of so many


def no_chips(game: Game, objective: str) -> None:
    """Refuse the option that only the objective chips can count."""
    if game.data.chips:
        raise InputError(f"double=chips needs the objective chips; {objective} takes double=free or double=off")


def holds(turn: PushTurn, size: int) -> Doubles:
    """R(c) for c < size: the greatest chance to ever hold c points in a frame, Big Scarney aside."""
    lanes = pad(size)
    cap = np.zeros(lanes, dtype=np.int32)
    cap[:size] = np.maximum(np.arange(size), 1)
    points = np.arange(size + 1)[:, None]
    payoff = np.zeros((1, turn.specials + len(points), lanes))
    payoff[0, turn.specials :, :size] = points >= np.arange(size)
    return turn.solve(payoff, cap).value[0, :size]


def frame_rounding(turn: PushTurn) -> float:
    """Bound of the rounding error of one frame's value, for payoffs between 0 and 1 (see ``turn_rounding``).

    With n live dice a player throws until one is dead: at most 1 / (1 - (2/3)**n) times on average, 8.7 for n = 5 to 1.
    """
    most = max(len(throw.classes) for mode in turn.modes for throw in mode.throws) + 3
    return sum(1 / (1 - (2 / 3) ** live) for live in range(1, DICE + 1)) * most * 2.0**-53


def frame_cap(turn: PushTurn, cut: float = CUT) -> tuple[int, float]:
    """Points at which a frame's table ends, and the chance, at most ``cut``, that anybody could ever hold them."""
    size = 256
    while True:
        chance = holds(turn, size)
        if chance[-1] <= cut:
            cap = int(np.argmax(chance <= cut))
            return cap, float(chance[cap])
        size *= 2


class Points:
    """Greatest expected points of one frame. Five alike has no meaning here and is scored as ordinary dice; the chance
    of Big Scarney in the frame is told beside the value.
    """

    objective = "points"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        lone_player(self.objective, players)
        self.game = game
        self.players = 1
        self.parameters: dict[str, int] = {}
        no_chips(game, self.objective)
        self.rules: ScarneyRules = replace(game.data, big=False)

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve the frame: ``points`` (1,) and ``wins_at_once`` (1,), the chance of Big Scarney in it."""
        solved, lane = self._solve()
        value = float(solved.value[0, 0])
        level = stopping_level(self.rules.turn, value)
        if level + 2 * self.rules.turn.max_add >= lane.cap:
            raise SolveError(
                f"the table of a frame ends at {lane.cap} points, below the level {level} where stopping is best"
            )
        arrays = {"points": np.array([value]), "wins_at_once": np.array([self._big(solved, lane)])}
        return Solved(arrays, lane.cap * frame_rounding(self.rules.turn))

    def _big(self, solved: TurnValue, lane: Lane) -> float:
        """Chance of five alike on a throw of five, in a frame played for points."""
        assert solved.inner is not None
        turn, inner = self.rules.turn, solved.inner[0, :, :, 0]
        alike = (4 + 2**5) / 6**5
        # With five live dice a frame goes on only through live throws, while hitting is better than stopping.
        before = np.zeros(lane.cap + 1 + turn.max_add)
        for held in range(lane.cap - 1, 0, -1):
            if inner[self.rules.holding(DICE), held] > held:
                before[held] = alike + self._live(self.rules.throw(DICE, False), before, held)
        values = [turn.throw_value(solved, lane.payoff, throw, 0, lane.cap)[0] for throw in self._first()]
        best = self._first()[int(np.argmax(values))]
        return alike + self._live(best, before, 0)

    def _live(self, throw: Throw, before: Doubles, held: int) -> float:
        holding = self.rules.holding(DICE)
        total = sum(weight for _, weight in throw.classes)
        return float(sum(w * before[held + c.add] for (c,), w in throw.classes if c.next == holding) / total)

    def _first(self) -> tuple[Throw, ...]:
        return self.rules.turn.modes[self.rules.free(DICE)].throws

    def _solve(self, held: int = 0) -> tuple[TurnValue, Lane]:
        """The frame, with a table that goes on beyond ``held`` points; positions of a kind share one."""
        beyond = -(-held // BEYOND) * BEYOND
        if beyond not in self._frames:
            lane = Lane(np.arange(self._cap + beyond + 1.0)[None], 0.0)
            self._frames[beyond] = (lane.solve(self.rules.turn), lane)
        return self._frames[beyond]

    @cached_property
    def _cap(self) -> int:
        return frame_cap(self.rules.turn)[0]

    @cached_property
    def _frames(self) -> dict[int, tuple[TurnValue, Lane]]:
        return {}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        return {"points": (1,), "wins_at_once": (1,)}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(
        self,
        *,
        turn: object = 0,
        live: object = None,
        roll: object = None,
        double: bool = False,
        opposite: bool = False,
    ) -> ScarneyPosition:
        """Check a position inside a frame."""
        return ScarneyPosition(1, 0, 0, 0, *read_frame(self.rules, turn, live, roll, double, opposite))

    def show(self, position: ScarneyPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        of_match = ("frame", "seat", "score", "opponents")
        return {key: value for key, value in position.as_json().items() if key not in of_match}

    def value(self, solved: Solved, position: ScarneyPosition) -> PositionValue:
        """Expected points of the frame."""
        if position.frame_begins:
            return PositionValue(
                float(solved.arrays["points"][0]), extra={"wins_at_once": float(solved.arrays["wins_at_once"][0])}
            )
        return PositionValue(max(choice.value for choice in self._choices(position)))

    def advise(self, solved: Solved, position: ScarneyPosition) -> Advice:
        """Rank every legal choice by expected points."""
        return Advice(self.objective, rank(self._choices(position), solved.error_bound), note(position))

    def _choices(self, position: ScarneyPosition) -> list[Choice]:
        solved, lane = self._solve(position.turn)
        return legal_choices(self.rules, self.rules.turn, lane, solved, position)


@dataclass(frozen=True)
class Lane:
    """One frame's endings: ``enter[spent, t]``, the worth of entering t points by chips spent in the frame (one row
    where chips do not count; t = 0 is crapping out), and ``big``, that of Big Scarney.
    """

    enter: Doubles
    big: float

    @property
    def cap(self) -> int:
        """Points at which the table ends."""
        return int(self.enter.shape[1]) - 1

    @cached_property
    def payoff(self) -> Doubles:
        """The payoff, in a block of equal lanes."""
        endings = np.concatenate((self.enter[:, 0], [self.big], self.enter.ravel()))
        return np.repeat(endings[None, :, None], LANES, axis=2)

    def solve(self, turn: PushTurn) -> TurnValue:
        """Solve the frame with its inner table."""
        return _solve_frame(turn, self.enter.tobytes(), self.enter.shape, self.big)


@lru_cache(maxsize=2)
def _solve_frame(turn: PushTurn, enter: bytes, shape: tuple[int, int], big: float) -> TurnValue:
    """The same frame is often asked about more than once in a row: whole policies are listed frame by frame."""
    lane = Lane(np.frombuffer(enter).reshape(shape), big)
    return turn.solve(lane.payoff, np.full(LANES, lane.cap, dtype=np.int32), inner=True)


def stopping_level(turn: PushTurn, fresh: float) -> float:
    """Points in hand from which no throw is worth it; ``fresh`` bounds the worth of a frame without points."""
    level = 0.0
    for mode in turn.modes:
        for throw in mode.throws:
            total = sum(weight for _, weight in throw.classes)
            kept = sum(weight for (choice,), weight in throw.classes if choice.next >= 0 and choice.keeps)
            gain = sum(weight * choice.add for (choice,), weight in throw.classes if choice.next >= 0) / total
            level = max(level, (gain + fresh) / (1 - kept / total))
    return level


def note(position: ScarneyPosition) -> str:
    """What a player should know beside the choices."""
    if position.opposite or (position.live == 1 and position.roll is None):
        return "Calling opposite changes no value: it swaps 1 with 6 and 3 with 4, which are equally likely."
    return ""


def legal_choices(
    rules: ScarneyRules, turn: PushTurn, lane: Lane, solved: TurnValue, position: ScarneyPosition
) -> list[Choice]:
    """List the choices with their values: stop before throw, and a plain throw before a doubled one."""
    held = position.turn
    mode = rules.holding(position.live) if held else rules.free(position.live)
    said = ""
    if position.roll is not None:
        outcome = rules.outcome(position.roll, position.doubled)
        if outcome == rules.big_scarney:
            return [Choice("Big Scarney wins the game at once", (), held, 0, "win", lane.big)]
        if outcome == rules.crapped():
            return [Choice("crapped out: the frame scores nothing", (), 0, 0, "end", float(lane.enter[0, 0]))]
        mode, held = outcome.next, outcome.add + (held if outcome.keeps else 0)
        said = f"holding {held}, " if held else "dead throw, "
    live, here = rules.live(mode), turn.modes[mode]
    dice = "1 die" if live == 1 else f"{live} dice"
    choices = []
    if here.bank is not None and held:
        value = float(lane.enter[0, min(held, lane.cap)])
        choices.append(Choice(f"{said}stop: enter {held}", (), held, 0, "stop", value))
    for number, throw in enumerate(here.throws):
        value, _ = turn.throw_value(solved, lane.payoff, throw, held, lane.cap)
        dead = 1 - (4 / 6) ** live if held else None  # what is held is lost; holding nothing, a dead die only leaves
        words, then = (f"hit with {dice}", "hit") if held else (f"throw {dice}", "throw")
        if number:
            words, then = f"double down with {dice}", "double"
        choices.append(Choice(said + words, (), held, live, then, value, dead))
    return choices


class Match:
    """The chance to win of two players who both play their best."""

    objective = "win"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        if players == 1:
            raise InputError("winning needs an opponent: players must be 2; alone, ask for points")
        if players not in (None, 2):
            raise InputError(f"Scarney is solved for two players: players must be 2, not {players}")
        no_chips(game, self.objective)
        self.game = game
        self.players = 2
        self.parameters: dict[str, int] = {}
        self.rules: ScarneyRules = game.data

    @cached_property
    def _cap(self) -> tuple[int, float]:
        return frame_cap(self.rules.turn)

    @property
    def _farthest(self) -> int:
        """The largest lead that is tabled."""
        return self.rules.frames * self._cap[0]

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every lead: ``first`` and ``second`` (frames, 2 farthest + 1), the chance to win of the shooter to
        move, by frames left after this one and lead from -farthest to farthest.
        """
        cap, chance = self._cap
        frames, farthest = self.rules.frames, self._farthest
        error = frame_rounding(self.rules.turn) + chance
        first, second = np.empty((frames, 2 * farthest + 1)), np.empty((frames, 2 * farthest + 1))
        with ThreadPoolExecutor(threads) as pool:
            level, within = self._extra_frame(pool, error)
            for left in range(frames):
                played = frames - 1 - left
                after = 1 - first[left - 1, ::-1] if left else self._last(1 - level)
                self._solve_leads(pool, threads, second[left], after, -(played + 1) * cap, played * cap)
                progress((2 * left + 1) / (2 * frames))
                self._solve_leads(pool, threads, first[left], 1 - second[left, ::-1], -played * cap, played * cap)
                progress((2 * left + 2) / (2 * frames))
        return Solved({"first": first, "second": second}, 2 * frames * error + within)

    def _last(self, level: float) -> Doubles:
        """Worth of every lead once the last frame is over; a level one leads to an extra frame."""
        leads = np.arange(-self._farthest, self._farthest + 1)
        return np.where(leads == 0, level, (leads > 0).astype(float))

    def _extra_frame(self, pool: ThreadPoolExecutor, error: float) -> tuple[float, float]:
        """F_0(0), and how far from the true one it can be if a frame is computed within ``error``."""
        level = 0.5
        for _ in range(MOST_ROUNDS):
            before, level = level, self._after_level(pool, level)
            if abs(level - before) <= error:
                break
        within = 8 * error
        above, below = self._after_level(pool, level + within), self._after_level(pool, level - within)
        if above + 2 * error > level + within or below - 2 * error < level - within:
            raise SolveError("the extra frames did not settle")
        return level, within

    def _after_level(self, pool: ThreadPoolExecutor, level: float) -> float:
        """Chance of the first shooter of an extra frame, if that of the next one is ``level``."""
        cap, centre = self._cap[0], self._farthest
        second, first = np.empty(2 * centre + 1), np.empty(2 * centre + 1)
        self._solve_leads(pool, 1, second, self._last(1 - level), -cap, 0)
        self._solve_leads(pool, 1, first, 1 - second[::-1], 0, 0)
        return float(first[centre])

    def _solve_leads(
        self, pool: ThreadPoolExecutor, threads: int, table: Doubles, after: Doubles, low: int, high: int
    ) -> None:
        """Solve the frame for the leads from ``low`` to ``high``; ``after`` is the worth of every lead once it is over.

        Leads beyond those tabled cannot occur within the caps; they stand as the nearest.
        """
        cap, centre, turn = self._cap[0], self._farthest, self.rules.turn
        lanes = high - low + 1
        payoff = np.zeros((1, turn.specials + cap + 1, pad(lanes)))
        leads = np.clip(np.arange(low, high + cap + 1), -centre, centre) + centre
        payoff[0, turn.specials :, :lanes] = np.lib.stride_tricks.sliding_window_view(after[leads], lanes)
        payoff[0, 0] = payoff[0, turn.specials]
        payoff[0, 1] = 1.0  # Big Scarney
        caps = np.zeros(pad(lanes), dtype=np.int32)
        caps[:lanes] = cap
        scratch = turn.scratch(payoff, caps, threads)
        value = turn.solve(payoff, caps, pool=pool, scratch=scratch).value[0, :lanes]
        table[centre + low : centre + high + 1] = value
        table[: centre + low], table[centre + high + 1 :] = value[0], value[-1]

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        shape = (self.rules.frames, 2 * self._farthest + 1)
        return {"first": shape, "second": shape}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(
        self,
        *,
        frame: object = 1,
        seat: object = 0,
        score: object = 0,
        opponents: Any = (0,),
        turn: object = 0,
        live: object = None,
        roll: object = None,
        double: bool = False,
        opposite: bool = False,
    ) -> ScarneyPosition:
        """Check a position: the frame, whether the opponent has shot it (seat 1), totals, and the frame's state."""
        number, shooter, mine, theirs = read_match(self.rules, frame, seat, score, opponents)
        if abs(mine - theirs) > (number - 1 + shooter) * self._cap[0]:
            raise InputError(
                f"a lead of {abs(mine - theirs)} after {number - 1} frames is further than the table goes"
                f" ({self._cap[0]} points a frame, which is passed with a chance of {self._cap[1]:.0e})"
            )
        return ScarneyPosition(
            number, shooter, mine, theirs, *read_frame(self.rules, turn, live, roll, double, opposite)
        )

    def show(self, position: ScarneyPosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        return position.as_json()

    def value(self, solved: Solved, position: ScarneyPosition) -> PositionValue:
        """Chance to win of the shooter and of the opponent."""
        if position.frame_begins:
            tables = (solved.arrays["first"], solved.arrays["second"])
            lead = position.score - position.opponent + self._farthest
            win = float(tables[position.seat][self.rules.frames - position.frame, lead])
        else:
            win = max(choice.value for choice in self._choices(solved, position))
        return PositionValue(win, (win, 1 - win))

    def advise(self, solved: Solved, position: ScarneyPosition) -> Advice:
        """Rank every legal choice by the chance to win."""
        return Advice(self.objective, rank(self._choices(solved, position), solved.error_bound), note(position))

    def _choices(self, solved: Solved, position: ScarneyPosition) -> list[Choice]:
        left, centre = self.rules.frames - position.frame, self._farthest
        first, second = solved.arrays["first"], solved.arrays["second"]
        if position.seat == 0:
            after = 1 - second[left, ::-1]
        else:
            after = 1 - first[left - 1, ::-1] if left else self._last(1 - float(first[0, centre]))
        points = np.arange(max(self._cap[0], position.turn) + 1)
        enter = after[np.clip(position.score - position.opponent + points, -centre, centre) + centre]
        lane = Lane(enter[None], 1.0)
        return legal_choices(self.rules, self.rules.turn, lane, lane.solve(self.rules.turn), position)
