"""Games by the round for several players: each in turn in every round, the highest total wins, ties are played off.

Every player maximises their own worth (the chance to win, or points of margin). A state is (round, players who have
played in it, totals); its value is a vector by seat, seat 0 being the first of the round. With ``match=rounds`` only
the differences to seat 0's total matter and rounds only pass. With ``match=first_to`` rounds go on until somebody has
the target; a round in which nobody scores comes back to itself, with a chance that no decision changes, and is divided
out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, combinations, product
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...games.rounds import RoundTurn
from ...play.rounds import MOST_CREW, Play, RoundsPosition
from ...play.table import Table
from ..cost_estimates import SolveCost
from ..problem import ArraySpec, Found, PositionListing, Progress, ValueTable, group_by_key
from .playoff import MOST_PLAYERS, Showdown, Standing
from .problem import Floats, RoundMatch, solve_lanes, turn_rounding

Ints = NDArray[np.int64]
Place = tuple[int, int, tuple[int, ...], Ints]  # round, seat, seats of a playoff; lines of totals by seat

SCORE_SECONDS = 3e-8  # for each number of the tables and each score of a round
AT_A_TIME = 1 << 16  # lanes to a call


class Win(RoundMatch[RoundsPosition]):
    """The chance to win of every seat. Values: see ``solve``."""

    player_range = (2, MOST_PLAYERS)
    playable: Play

    def __init__(self, table: Table[RoundsPosition]) -> None:
        super().__init__(table)
        self.rounds, self.target, self.first_to = self.playable.rounds, self.playable.target, self.playable.first_to

    def estimate_cost(self, threads: int) -> SolveCost:
        """What grows: the states, with every player; the largest table's are also laid out as coordinates."""
        table = float(self.table_bytes)
        largest = 8.0 * max(math.prod(one.shape) for one in self.array_specs().values())
        return SolveCost(table + 4 * largest, table / 8 * self.rules.most * SCORE_SECONDS)

    @cached_property
    def _playoffs(self) -> Showdown:
        return Showdown(self.rules, self.players)

    def _end(self, totals: Ints) -> Floats:
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

    def _stake(self, totals: Ints, top: Ints) -> Floats:
        """What a seat gets if it wins."""
        return np.ones(totals.shape)

    def _paid(self, totals: Ints, top: Ints) -> Floats:
        """What a seat pays or gets in any case."""
        return np.zeros(totals.shape)

    # --- what a turn leads to

    def _reach(self, round_: int, seat: int) -> int:
        """match=rounds: the largest difference of totals before that seat plays in a round, counted from 0."""
        return self.rules.most * (round_ + (seat > 0))

    def _at(self, arrays: Mapping[str, Floats], round_: int, seat: int, totals: Ints) -> Floats:
        """Values (players, lanes) before ``seat`` plays with these totals (players, lanes)."""
        if self.first_to:
            return arrays[f"seat{seat}"][(slice(None), *totals)]
        array = arrays[f"round{round_}seat{seat}"]
        places = np.clip(totals[1:] - totals[0] + self._reach(round_, seat), 0, array.shape[1] - 1)
        return array[(slice(None), *places)]  # what was clipped cannot occur

    def _after(self, arrays: Mapping[str, Floats], round_: int, seat: int, totals: Ints) -> Floats:
        """Values (players, lanes) once ``seat`` has played, with these totals."""
        if seat + 1 < self.players:
            return self._at(arrays, round_, seat + 1, totals)
        if not self.first_to:
            return self._end(totals) if round_ + 1 == self.rounds else self._at(arrays, round_ + 1, 0, totals)
        below = np.minimum(totals, self.target - 1)
        over = totals.max(axis=0) >= self.target
        return np.where(over, self._end(totals), self._at(arrays, round_, 0, below))

    def _worth(
        self, arrays: Mapping[str, Floats], round_: int, seat: int, totals: Ints, nothing: Floats | None = None
    ) -> Floats:
        """What each score of ``seat`` is worth to every seat: (players, scores, lanes); ``nothing``: that of 0."""
        worth = [self._after(arrays, round_, seat, totals) if nothing is None else nothing]
        moved = totals.copy()
        for _ in range(self.rules.most):
            moved[seat] += 1
            worth.append(self._after(arrays, round_, seat, moved))
        return np.stack(worth, axis=1)

    # --- answers

    def state_values(self, solved: ValueTable, positions: Sequence[RoundsPosition]) -> Found:
        """Read from the table; in a playoff, from that of showdowns."""
        found = np.empty((len(positions), self.players))
        for (round_, seat, playoff), numbers in self._places(positions).items():
            here = [positions[number] for number in numbers]
            if playoff:
                found[numbers] = [self._played_off(one, self._chances(one)) for one in here]
            else:
                totals = np.array([one.scores for one in here]).T
                found[numbers] = self._at(solved.arrays, round_ - 1, seat, totals).T
        return found, solved.error_bound

    def lanes(self, solved: ValueTable, starts: Sequence[RoundsPosition]) -> Floats:
        """What each score of the mover is worth to every seat."""
        found = np.empty((self.players, self.rules.most + 1, len(starts)))
        for (round_, seat, playoff), numbers in self._places(starts).items():
            here = [starts[number] for number in numbers]
            if playoff:
                worths = [self._played_off(one, self._chances(one, of_scores=True)) for one in here]
                found[:, :, numbers] = np.stack(worths, axis=2)
            else:
                totals = np.array([one.scores for one in here]).T
                found[:, :, numbers] = self._worth(solved.arrays, round_ - 1, seat, totals)
        return found

    def _places(self, positions: Iterable[RoundsPosition]) -> dict[tuple[int, int, tuple[int, ...]], list[int]]:
        """Positions by what they are read from."""
        return group_by_key((position.round, position.seat, position.playoff) for position in positions)

    def _chances(self, position: RoundsPosition, of_scores: bool = False) -> Floats:
        """Chances of all seats in a playoff (players,), or of each score that is thrown now (players, scores)."""
        seats = position.playoff
        before = seats[: seats.index(position.seat)]
        best = max((position.scores[seat] for seat in before), default=0)
        holders = tuple(seat for seat in before if position.scores[seat] == best)
        standing, table = Standing(seats, len(before), best, holders), self._playoffs.of(len(seats)).table
        return (standing.worth if of_scores else standing.chances)(table, self.players)

    def _played_off(self, position: RoundsPosition, chances: Floats) -> Floats:
        """What chances to win a playoff are worth to every seat."""
        return chances

    # --- positions

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[RoundsPosition]:
        """Positions between turns, then those of playoffs. match=rounds: only differences of totals matter, so each is
        listed with the least totals that show it, unless totals are told.
        """
        fields = {field.name: field for field in self.playable.fields}
        read = {name: fields[name].read(value) for name, value in told.items()}
        least = not self.first_to and not {"score", "opponents"} & set(read)
        parts = self._all_parts if least and not read else list(self._parts(read, least))
        listed = (
            RoundsPosition(tuple(line), seat, round_, playoff)
            for round_, seat, playoff, totals in parts
            for line in totals.tolist()
        )
        ends = "each difference of totals stands once, with the least totals that show it" if least else ""
        return PositionListing(sum(len(part[3]) for part in parts), listed, ends)

    @cached_property
    def _all_parts(self) -> list[Place]:
        return list(self._parts({}, not self.first_to))

    def _parts(self, read: Mapping[str, Any], least: bool) -> Iterator[Place]:
        if "playoff" not in read:
            for round_, seat in product(range(1, self.rounds + 1) if self.rounds else (0,), range(self.players)):
                if read.get("round", round_) == round_ and read.get("seat", seat) == seat:
                    lines = self._differences(round_, seat) if least else self._lines(round_, seat, read)
                    yield round_, seat, (), lines
        if "round" not in read:
            sizes = range(2, self.players + (self.objective != "margin"))
            for seats in (seats for size in sizes for seats in combinations(range(self.players), size)):
                if tuple(read.get("playoff", seats)) == seats:
                    yield from ((self.rounds, seat, seats, self._in_playoff(seats, seat)) for seat in seats)

    def _most(self, round_: int, seat: int, mover: int) -> int:
        """The most that a seat can hold before another plays in a round."""
        if self.first_to:
            return self.target - 1 + self.rules.most * (seat < mover)
        return self.rules.most * (round_ - 1 + (seat < mover))

    def _lines(self, round_: int, mover: int, read: Mapping[str, Any]) -> Ints:
        """Every line of totals that fits those that are told."""
        order = self.playable.seats_from(mover)
        asked = [*([read["score"]] if "score" in read else [None]), *read.get("opponents", [None] * (self.players - 1))]
        totals = []
        for seat, one in zip(order, asked, strict=True):
            can = self.playable.totals(self._most(round_, seat, mover))
            totals.append(can if one is None else [total for total in can if total == one])
        return _by_seat(np.stack(np.meshgrid(*totals, indexing="ij"), axis=-1).reshape(-1, self.players), order)

    def _differences(self, round_: int, mover: int) -> Ints:
        """Every difference of the others' totals to the mover's, with the least totals that show it."""
        order, far = self.playable.seats_from(mover), self._reach(round_ - 1, mover)
        axes = [[0], *[range(-far, far + 1)] * (self.players - 1)]
        lines = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, self.players)
        lines = lines - lines.min(axis=1, keepdims=True)
        lines[(lines == 1).any(axis=1)] += 2  # a total of 1 cannot be; nor can it with one point more
        most = [self._most(round_, seat, mover) for seat in order]
        return _by_seat(lines[(lines <= most).all(axis=1)], order)

    def _in_playoff(self, seats: tuple[int, ...], mover: int) -> Ints:
        """Every line of totals in a playoff; for the margin, with every loss of those who are out."""
        others = [seat for seat in range(self.players) if seat not in seats]
        most = self.target + self.rules.most if self.first_to else self.rules.most * self.rounds
        losses = range(1, most + 1) if self.objective == "margin" else (0,)
        lines = []
        for out in product(losses, repeat=len(others)):
            if self.objective == "margin" and not self.playable.can_lose_by(out):
                continue
            for played in product(self.playable.totals(MOST_CREW), repeat=seats.index(mover)):
                by_seat = dict(zip(others, (-loss for loss in out), strict=True)) | dict(
                    zip(seats, played, strict=False)
                )
                lines.append([by_seat.get(seat, 0) for seat in range(self.players)])
        return np.array(lines, dtype=np.int64).reshape(-1, self.players)

    # --- solving

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve every state.

        match=rounds: ``round0seat0``, ... (players, 2 R + 1, ..., 2 R + 1) by seat and differences to seat 0's total;
        match=first_to: ``seat0``, ... (players, totals, ..., totals).
        """
        arrays = self._solve_first_to(progress) if self.first_to else self._solve_rounds(progress)
        turns = self.players * (self.target if self.first_to else self.rounds)
        scale = self._scale
        return ValueTable(arrays, scale * ((turns + 1) * turn_rounding(self.rules) * 2 + self._playoffs.error))

    @property
    def _scale(self) -> float:
        """The largest worth."""
        return 1.0

    def _solve_rounds(self, progress: Progress) -> dict[str, Floats]:
        arrays: dict[str, Floats] = {}
        done = 0
        for round_ in range(self.rounds - 1, -1, -1):
            for seat in range(self.players - 1, -1, -1):
                far = self._reach(round_, seat)
                axis = np.arange(-far, far + 1)
                box = np.array(np.meshgrid([0], *[axis] * (self.players - 1), indexing="ij"))
                lanes = box.reshape(self.players, -1)  # seat 0 stands for 0, the others for their differences to it
                values = np.empty((self.players, lanes.shape[1]))
                for begin in range(0, lanes.shape[1], AT_A_TIME):
                    part = slice(begin, begin + AT_A_TIME)
                    worth = self._worth(arrays, round_, seat, lanes[:, part])
                    values[:, part] = self._play(worth, seat)
                arrays[f"round{round_}seat{seat}"] = values.reshape(self.players, *box.shape[2:])
                done += 1
                progress(done / (self.rounds * self.players))
        return arrays

    def _play(self, worth: Floats, seat: int) -> Floats:
        """Solve the turn of a seat: the mover's worth is maximised, the others' carried along."""
        order = [seat, *(other for other in range(self.players) if other != seat)]
        values = np.empty((self.players, worth.shape[2]))
        values[order] = solve_lanes(self.rules, worth[order])
        return values

    def against_best(self, solved: ValueTable, policy: RoundTurn, seat: int, missing: Mapping[int, RoundTurn]) -> float:
        """Chance to win of a player in ``seat`` (of two, by rounds) who follows ``policy`` against the solved best, and
        in the last turn of all the one for the points that are ``missing``.

        A playoff is a last round with equal totals, and worth a line in what the next one is worth.
        """
        lost, won = (self._following(solved, policy, seat, missing, self.rounds - 1, tie) for tie in (0.0, 1.0))
        return self._following(solved, policy, seat, missing, 0, lost / (1 - (won - lost)))

    def _following(
        self, solved: ValueTable, policy: RoundTurn, seat: int, missing: Mapping[int, RoundTurn], first: int, tie: float
    ) -> float:
        """The same from a round with equal totals on, where a playoff is worth ``tie`` to that player."""
        ours: dict[str, Floats] = {}  # the chance of the player who follows the policy, (1, differences)
        for round_, mover in product(range(self.rounds - 1, first - 1, -1), (1, 0)):
            far = self._reach(round_, mover)
            lanes = np.stack((np.zeros(2 * far + 1, dtype=np.int64), np.arange(-far, far + 1)))
            best = self._worth(solved.arrays, round_, mover, lanes)
            if mover == 1 and round_ + 1 == self.rounds:
                ahead = (lanes[1] + np.arange(self.rules.most + 1)[:, None]) * (1 if seat else -1)
                mixed = ((ahead > 0) + tie * (ahead == 0))[None]
            else:
                mixed = self._worth(ours, round_, mover, lanes)
            if mover == seat:
                chance = solve_lanes(policy, mixed[:, : policy.most + 1])
                for points, turn in missing.items() if mover == 1 and round_ + 1 == self.rounds else ():
                    lane = [max(0, far - points)]
                    chance[:, lane] = solve_lanes(turn, mixed[:, : turn.most + 1, lane])
            else:
                chance = solve_lanes(self.rules, np.concatenate((best[mover][None], mixed)))[1:]
            ours[f"round{round_}seat{mover}"] = chance
        return float(ours[f"round{first}seat0"][0, self._reach(first, 0)])

    # --- match=first_to: totals, by their sum from the top

    def _solve_first_to(self, progress: Progress) -> dict[str, Floats]:
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

    def _solve_sum(self, arrays: dict[str, Floats], states: Ints, none: float) -> None:
        """Solve all states whose totals add up to one number; scores of at least one lead to states solved before."""
        players = self.players
        ended = states.max(axis=0) >= self.target
        zero = np.where(ended, self._end(states), 0.0)  # once the round is over with these totals
        found: list[Floats] = []
        for seat in range(players - 1, -1, -1):
            here = np.flatnonzero((states[seat:] < self.target).all(axis=0))  # who has not played is below the target
            value = np.zeros((players, states.shape[1]))
            for begin in range(0, len(here), AT_A_TIME):
                part = here[begin : begin + AT_A_TIME]
                worth = self._worth(arrays, 0, seat, states[:, part], zero[:, part])
                value[:, part] = self._play(worth, seat)
            zero = value
            found.append(value)
        nobody = list(accumulate([none] * players, mul))  # no trio of 1, 2, ... players: powers differ between machines
        start = found[-1] / (1 - nobody[-1])
        for seat, value, again in zip(range(players - 1, -1, -1), found, nobody, strict=True):  # the last seat first
            whole = np.where(ended, value, value + again * start)
            arrays[f"seat{seat}"][(slice(None), *states)] = whole

    def array_specs(self) -> dict[str, ArraySpec]:
        """See ``solve``."""
        players, (least, most) = self.players, self._range
        if self.first_to:
            size = self.target + self.rules.most
            shapes = {f"seat{seat}": (players, *[size] * players) for seat in range(players)}
        else:
            shapes = {
                f"round{round_}seat{seat}": (players, *[2 * self._reach(round_, seat) + 1] * (players - 1))
                for round_, seat in product(range(self.rounds), range(players))
            }
        return {name: ArraySpec(shape, least, most, seat_axis=0) for name, shape in shapes.items()}

    @property
    def _range(self) -> tuple[float, float]:
        """The least and the greatest worth."""
        return 0.0, 1.0


class Margin(Win):
    """Expected payoff when every loser pays the winner one for each point of their difference."""

    def _stake(self, totals: Ints, top: Ints) -> Floats:
        stake: Floats = np.broadcast_to((top - totals).sum(axis=0).astype(float), totals.shape)
        return stake

    def _paid(self, totals: Ints, top: Ints) -> Floats:
        return (totals - top).astype(float)

    def _played_off(self, position: RoundsPosition, chances: Floats) -> Floats:
        losses = np.array([0 if seat in position.playoff else -total for seat, total in enumerate(position.scores)])
        worth: Floats = ((chances * losses.sum()).T - losses).T
        return worth

    @property
    def _scale(self) -> float:
        most = self.target + self.rules.most if self.first_to else self.rules.most * self.rounds
        return float(most * self.players)

    @property
    def _range(self) -> tuple[float, float]:
        """Totals as far from seat 0's as any are laid out together, one of them above it and one below, whether or not
        they can occur so; a score is added on top.
        """
        return -3 * self._scale, 3 * self._scale


def _by_seat(lines: Ints, order: Sequence[int]) -> Ints:
    """Lines that tell totals from the mover on, told by seat."""
    found = np.empty_like(lines)
    found[:, order] = lines
    return found
