"""Games by the round for several players: each in turn in every round, the highest total wins, ties are played off.

Every player maximises their own worth (the chance to win, or points of margin). A state is (round, players who have
played in it, totals); its value is a vector by seat, seat 0 being the first of the round. With ``match=rounds`` only
the differences to seat 0's total matter and rounds only pass. With ``match=first_to`` rounds go on until somebody has
the target; a round in which nobody scores comes back to itself, with a chance that no decision changes, and is divided
out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..advice import Advice, Choice, PositionValue
from ..errors import InputError
from ..games import Game
from ..games.rounddice import pick_number
from ..games.rounds import Inside, RoundTurn
from . import Solved, no_parameters, opponents_scores
from .playoff import Showdown
from .roundchoices import best, choices, solve_lanes, turn_rounding
from .rounds import advice, read_inside, read_total, show_inside

Floats = NDArray[np.float64]

MOST_PLAYERS = 8
MOST_STATES = 30_000_000  # of a whole match; four players have more, and take minutes and gigabytes
AT_A_TIME = 1 << 16  # lanes to a call


@dataclass(frozen=True)
class TablePosition:
    """A position: the round (from 0), players who have played in it, totals by seat, and where in the turn."""

    round: int
    seat: int
    totals: tuple[int, ...]
    inside: Inside | None


class Win:
    """The chance to win of every seat. Values: see ``solve``."""

    objective = "win"

    def __init__(self, game: Game, players: int | None = None, **parameters: int | None) -> None:
        no_parameters(self.objective, parameters)
        players = 2 if players is None else players
        if players < 2:
            raise InputError("winning needs an opponent: players must be 2 or more; alone, ask for points")
        if players > MOST_PLAYERS:
            raise InputError(f"{players} players are too many: at most {MOST_PLAYERS}, and up to three at full length")
        self.game = game
        self.players = players
        self.parameters: dict[str, int] = {}
        self.rules: RoundTurn = game.data
        self.rounds = int(game.rules["rounds"])
        self.target = int(game.rules["target"]) if game.rules["match"] == "first_to" else 0
        states = sum(np.prod([float(one) for one in shape[1:]]) for shape in self.shapes().values())
        if states > MOST_STATES:
            raise InputError(
                f"{players} players have {states:.0e} positions, more than are solved ({MOST_STATES:.0e}): up to three"
                " players are exact; of fewer rounds or to a lower target four may be"
            )

    @cached_property
    def _playoffs(self) -> Showdown:
        return Showdown(self.rules, self.players)

    def _end(self, totals: Floats) -> Floats:
        """What final totals (players, lanes) are worth to each seat."""
        top = totals.max(axis=0)
        holds = totals == top
        value = np.zeros(totals.shape)
        codes = (holds * (1 << np.arange(self.players))[:, None]).sum(axis=0)
        stake = self._stake(totals, top)
        for code in np.unique(codes).tolist():
            lanes = codes == code
            tied = [seat for seat in range(self.players) if code >> seat & 1]
            for order, chance in zip(tied, self._playoffs.equity(len(tied)), strict=True):
                value[order, lanes] = chance * stake[order, lanes]
        return value + self._paid(totals, top)

    def _stake(self, totals: Floats, top: Floats) -> Floats:
        """What a seat gets if it wins."""
        return np.ones(totals.shape)

    def _paid(self, totals: Floats, top: Floats) -> Floats:
        """What a seat pays or gets in any case."""
        return np.zeros(totals.shape)

    # --- match=rounds: differences to seat 0's total

    def _reach(self, round_: int, seat: int) -> int:
        """The largest difference of totals before that seat plays."""
        return self.rules.most * (round_ + (seat > 0))

    def _worth_of(self, after: Floats, shift: int, seat: int, differences: Floats) -> Floats:
        """What each score of ``seat`` is worth: (players, scores, lanes); ``differences`` (players - 1, lanes)."""
        worth = np.empty((self.players, self.rules.most + 1, differences.shape[1]))
        for score in range(self.rules.most + 1):
            moved = differences.copy()
            if seat == 0:
                moved -= score
            else:
                moved[seat - 1] += score
            place = np.clip(moved + shift, 0, after.shape[1] - 1).astype(np.int64)  # what lies outside cannot occur
            worth[:, score] = after[(slice(None), *place)]
        return worth

    def _lane(self, solved: Solved, position: TablePosition) -> Floats:
        """What each score is worth to every seat: (players, scores)."""
        arrays, seat, totals = solved.arrays, position.seat, np.array(position.totals)
        round_, following = position.round, position.seat + 1
        if self.target:
            if following == self.players:
                return self._after_round(arrays, totals)
            after = arrays[f"seat{following}"]
            found = np.empty((self.players, self.rules.most + 1))
            for score in range(self.rules.most + 1):
                moved = totals.copy()
                moved[seat] += score
                found[:, score] = after[(slice(None), *moved)]
            return found
        if following == self.players:
            round_, following = round_ + 1, 0
        differences = (totals[1:] - totals[0]).astype(float)[:, None]
        if round_ == self.rounds:
            return self._final(totals)
        after, shift = arrays[f"round{round_}seat{following}"], self._reach(round_, following)
        return self._worth_of(after, shift, seat, differences)[:, :, 0]

    def _final(self, totals: NDArray[np.int64]) -> Floats:
        """What each score of the last seat is worth when the match is over then: (players, scores)."""
        final = np.repeat(totals[:, None].astype(float), self.rules.most + 1, axis=1)
        final[-1] += np.arange(self.rules.most + 1)
        return self._end(final)

    def _after_round(self, arrays: Any, totals: NDArray[np.int64]) -> Floats:
        """For match=first_to: what each score of the last seat is worth."""
        found = self._final(totals)
        for score in range(self.rules.most + 1):
            moved = totals.copy()
            moved[-1] += score
            if moved.max() < self.target:
                found[:, score] = arrays["seat0"][(slice(None), *moved)]
        return found

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve every state.

        match=rounds: ``round0seat0``, ... (players, 2 R + 1, ..., 2 R + 1) by seat and differences to seat 0's total;
        match=first_to: ``seat0``, ... (players, totals, ..., totals).
        """
        arrays = self._solve_first_to(progress) if self.target else self._solve_rounds(progress)
        turns = self.players * (self.rounds if not self.target else self.target)
        scale = self._scale
        return Solved(arrays, scale * ((turns + 1) * turn_rounding(self.rules) * 2 + self._playoffs.error))

    @property
    def _scale(self) -> float:
        """The largest worth."""
        return 1.0

    def _solve_rounds(self, progress: Callable[[float], None]) -> dict[str, Floats]:
        arrays: dict[str, Floats] = {}
        done = 0
        for round_ in range(self.rounds - 1, -1, -1):
            for seat in range(self.players - 1, -1, -1):
                far = self._reach(round_, seat)
                axis = np.arange(-far, far + 1)
                box = np.array(np.meshgrid(*[axis] * (self.players - 1), indexing="ij"), dtype=float)
                lanes = box.reshape(self.players - 1, -1)
                values = np.empty((self.players, lanes.shape[1]))
                for begin in range(0, lanes.shape[1], AT_A_TIME):
                    part = slice(begin, begin + AT_A_TIME)
                    worth = self._lanes_worth(arrays, round_, seat, lanes[:, part])
                    values[:, part] = self._play(worth, seat)
                arrays[f"round{round_}seat{seat}"] = values.reshape(self.players, *box.shape[1:])
                done += 1
                progress(done / (self.rounds * self.players))
        return arrays

    def _lanes_worth(self, arrays: dict[str, Floats], round_: int, seat: int, lanes: Floats) -> Floats:
        following = (round_, seat + 1) if seat + 1 < self.players else (round_ + 1, 0)
        if following[0] < self.rounds:
            after = arrays[f"round{following[0]}seat{following[1]}"]
            return self._worth_of(after, self._reach(*following), seat, lanes)
        worth = np.empty((self.players, self.rules.most + 1, lanes.shape[1]))
        for score in range(self.rules.most + 1):
            totals = np.concatenate((np.zeros((1, lanes.shape[1])), lanes))
            totals[seat] += score
            worth[:, score] = self._end(totals)
        return worth

    def _play(self, worth: Floats, seat: int) -> Floats:
        """Solve the turn of a seat: the mover's worth is maximised, the others' carried along."""
        order = [seat, *(other for other in range(self.players) if other != seat)]
        values = np.empty((self.players, worth.shape[2]))
        values[order] = solve_lanes(self.rules, worth[order])
        return values

    def against_best(self, solved: Solved, policy: RoundTurn, seat: int) -> float:
        """Chance to win of a player in ``seat`` (of two, by rounds) who follows ``policy`` against the solved best."""
        chance: Floats = np.zeros(0)
        for round_ in range(self.rounds - 1, -1, -1):
            for mover in (1, 0):
                far = self._reach(round_, mover)
                lanes = np.arange(-far, far + 1, dtype=float)[None]
                optimal = self._lanes_worth(dict(solved.arrays), round_, mover, lanes)
                following = (round_, 1) if mover == 0 else (round_ + 1, 0)
                if following[0] == self.rounds:
                    mixed = optimal[seat][None]
                else:
                    both = np.repeat(chance[None], self.players, axis=0)
                    mixed = self._worth_of(both, self._reach(*following), mover, lanes)[:1]
                if mover == seat:
                    chance = solve_lanes(policy, mixed[:, : policy.most + 1])[0]
                else:
                    chance = solve_lanes(self.rules, np.concatenate((optimal[mover][None], mixed)))[1]
        return float(chance[0])

    # --- match=first_to: totals, by their sum from the top

    def _solve_first_to(self, progress: Callable[[float], None]) -> dict[str, Floats]:
        size, players, most = self.target + self.rules.most, self.players, self.rules.most
        arrays = {f"seat{seat}": np.zeros((players, *[size] * players)) for seat in range(players)}
        nothing = np.zeros((1, most + 1, 1))
        nothing[0, 0] = 1
        none = float(solve_lanes(self.rules, nothing)[0, 0])
        grid = np.indices([size] * players).reshape(players, -1)
        sums = grid.sum(axis=0)
        order = np.argsort(sums, kind="stable")
        starts = np.searchsorted(sums[order], np.arange(sums.max() + 2))
        for total in range(int(sums.max()), -1, -1):
            states = grid[:, order[starts[total] : starts[total + 1]]]
            self._solve_sum(arrays, states, none)
            progress(1 - total / sums.max())
        return arrays

    def _solve_sum(self, arrays: dict[str, Floats], states: NDArray[np.int64], none: float) -> None:
        """Solve all states whose totals add up to one number; scores of at least one lead to states solved before."""
        players, most = self.players, self.rules.most
        ended = states.max(axis=0) >= self.target
        zero = np.where(ended, self._end(states.astype(float)), 0.0)  # once the round is over with these totals
        found: list[Floats] = []
        for seat in range(players - 1, -1, -1):
            here = np.flatnonzero((states[seat:] < self.target).all(axis=0))  # who has not played is below the target
            value = np.zeros((players, states.shape[1]))
            for begin in range(0, len(here), AT_A_TIME):
                part = here[begin : begin + AT_A_TIME]
                worth = np.empty((players, most + 1, len(part)))
                worth[:, 0] = zero[:, part]
                for score in range(1, most + 1):
                    moved = states[:, part].copy()
                    moved[seat] += score
                    if seat + 1 < players:
                        worth[:, score] = arrays[f"seat{seat + 1}"][(slice(None), *moved)]
                    else:
                        over = moved.max(axis=0) >= self.target
                        below = np.minimum(moved, self.target - 1)
                        worth[:, score] = np.where(
                            over, self._end(moved.astype(float)), arrays["seat0"][(slice(None), *below)]
                        )
                value[:, part] = self._play(worth, seat)
            zero = value
            found.append(value)
        start = found[-1] / (1 - none**players)
        for steps, value in enumerate(found, 1):  # the last seat first
            seat = players - steps
            whole = np.where(ended, value, value + none**steps * start)
            arrays[f"seat{seat}"][(slice(None), *states)] = whole

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        if self.target:
            size = self.target + self.rules.most
            return {f"seat{seat}": (self.players, *[size] * self.players) for seat in range(self.players)}
        return {
            f"round{round_}seat{seat}": (self.players, *[2 * self._reach(round_, seat) + 1] * (self.players - 1))
            for round_, seat in product(range(self.rounds), range(self.players))
        }

    def axes(self) -> dict[str, NDArray[Any]]:
        """Return the solved arrays that the question alone decides."""
        return {}

    def read(
        self,
        *,
        round: object = 1,
        seat: object = 0,
        score: object = 0,
        opponents: Any = None,
        cast: object = None,
        kept: object = None,
        roll: object = None,
    ) -> TablePosition:
        """Check a position: the round, players who have played in it, totals in turn order from the mover on."""
        number = pick_number(round, "round", 1)
        if not self.target and number > self.rounds:
            raise InputError(f"round {number} must lie between 1 and {self.rounds}")
        played = pick_number(seat, "seat")
        if played >= self.players:
            raise InputError(f"seat {played} must lie between 0 and {self.players - 1}: players who have played")
        others = opponents_scores(opponents, self.players)
        totals = [0] * self.players
        known = None if self.target else number - 1
        for order, given in enumerate([score, *others]):
            which = (played + order) % self.players
            rounds = None if known is None else known + (which < played)
            whose = "opponents" if order else "score"
            totals[which] = read_total(self.rules, rounds, given, whose)
            if self.target and totals[which] >= self.target + (self.rules.most if which < played else 0):
                raise InputError(f"{whose} {totals[which]} cannot be: the round with the target was the last one")
        return TablePosition(
            number - 1, played, tuple(totals), read_inside(self.rules, cast=cast, kept=kept, roll=roll)
        )

    def show(self, position: TablePosition) -> dict[str, Any]:
        """Return a position in the shape that scripts rely on."""
        order = self._from_mover(position.seat)
        mine, *others = [position.totals[seat] for seat in order]
        place = {} if self.target else {"round": position.round + 1}
        return {**place, "seat": position.seat, "score": mine, "opponents": others, **show_inside(position.inside)}

    def _from_mover(self, seat: int) -> list[int]:
        return [(seat + order) % self.players for order in range(self.players)]

    def value(self, solved: Solved, position: TablePosition) -> PositionValue:
        """The worth of the position to every seat from the mover on."""
        lane = self._lane(solved, position)
        seat = position.seat
        extra = {"regret": 2 * solved.error_bound} if self.players > 2 else {}
        if position.inside is None:
            values = self._play(lane[:, :, None], seat)[:, 0]
            found = tuple(float(values[one]) for one in self._from_mover(seat))
            return PositionValue(found[0], found, extra)
        found_choices = self._choices(lane, position)
        mine = best(found_choices)
        if self.players == 2:
            return PositionValue(mine, (mine, self._rest(mine)))
        return PositionValue(mine, (), extra)

    def _rest(self, mine: float) -> float:
        """What the other of two players has."""
        return 1 - mine

    def advise(self, solved: Solved, position: TablePosition) -> Advice:
        """Rank the options by what they are worth to the mover."""
        found = self._choices(self._lane(solved, position), position)
        return advice(self.objective, found, position.inside, solved.error_bound)

    def _choices(self, lane: Floats, position: TablePosition) -> list[Choice]:
        return choices(self.rules, lane[position.seat], position.inside)


class Margin(Win):
    """Expected payoff when every loser pays the winner one for each point of their difference."""

    objective = "margin"

    def _stake(self, totals: Floats, top: Floats) -> Floats:
        return np.broadcast_to((top - totals).sum(axis=0), totals.shape)

    def _paid(self, totals: Floats, top: Floats) -> Floats:
        paid: Floats = totals - top
        return paid

    def _rest(self, mine: float) -> float:
        return -mine

    @property
    def _scale(self) -> float:
        most = self.rules.most * self.rounds if not self.target else self.target + self.rules.most
        return float(most * self.players)
