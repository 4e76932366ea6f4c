"""Booby Trap: for the win and for the margin, and alone for few trips.

Everybody plays for the own share; what is found for three and more is an equilibrium: nobody gains more than twice the
bound by any other strategy (``regret``). For two and alone the whole board is solved when a question is asked: that
takes less time than to read its table from a file. For more only what can follow the position is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...games.booby_trap import TouchRules
from ...play.touch import Play, TouchPosition
from ...util.errors import InputError
from ..cost_estimates import SolveCost
from ..problem import (
    ArraySpec,
    OddsSensitivity,
    PartialValueTable,
    PositionListing,
    Problem,
    Progress,
    SeatValues,
    ValueTable,
)
from .listing import listing
from .model import Floats, Ints, Stand, rounding
from .multiplayer import Boards
from .score_axis import Axis

CELL_SECONDS = 1.2e-8  # for each line of scores, seat, size, feel and pass
SEED = 1  # of the draws
MOST_DRAWS = 10_000


class TouchMatch(Problem[TouchPosition]):
    """What the objectives share."""

    playable: Play
    base, unit = 0.0, 1.0  # a seat whose payoff is p gets unit (p + base); no zero has a minus

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules: TouchRules = table.rules
        self.solves_on_demand = self.players > 2
        self.is_quick = not self.solves_on_demand
        self._last: tuple[ValueTable, Stand] | None = None

    @abstractmethod
    def end(self, scores: Ints) -> Floats:
        """What the end of the game is worth to every seat."""

    @abstractmethod
    def most(self, apart: int, pieces: int) -> float:
        """The greatest payoff, in size, where scores so far apart and so many pieces are left."""

    @cached_property
    def whole(self) -> Stand:
        """The whole board."""
        return self._boards(self.playable.start()) if self.solves_on_demand else Axis(self.rules, self.end)

    def _boards(self, position: TouchPosition) -> Boards:
        """The boards that can follow a position of several players."""
        return Boards(self.rules, self.end, position.left, apart(position))

    def _of(self, solved: ValueTable) -> Stand:
        """The boards whose values these are; the last ones are kept, for they are asked about again and again."""
        if not isinstance(solved, PartialValueTable):
            return self.whole
        if self._last is None or self._last[0] is not solved:
            self._last = solved, self._boards(solved.position)
        return self._last[1]

    def solve(self, threads: int, progress: Progress) -> ValueTable:
        """Solve the whole board: ``after`` (see ``Axis`` and ``Boards``); of three and more also ``regret`` (1,)."""
        if self.solves_on_demand:
            return self.solve_from(self.playable.start(), threads, progress)
        return ValueTable({"after": self.whole.solve(threads, progress)}, self._bound(self.playable.start()))

    def solve_from(self, position: TouchPosition, threads: int, progress: Progress) -> ValueTable:
        """Solve what can follow a position."""
        bound = self._bound(position)
        after = self._boards(position).solve(threads, progress)
        return PartialValueTable({"after": after, "regret": np.array([2 * bound])}, bound, position)

    def empty_table(self) -> ValueTable:
        """What is known without solving: the bound."""
        return ValueTable({}, self._bound(self.playable.start()))

    def covers(self, solved: ValueTable, position: TouchPosition) -> bool:
        """Whether the boards hold the position's."""
        return "after" in solved.arrays and self._of(solved).tells(position.left, apart(position))

    def follows(self, start: TouchPosition, position: TouchPosition) -> bool:
        """Whether the boards that can follow the start hold the position's."""
        return self._boards(start).tells(position.left, apart(position))

    def estimate_cost(self, threads: int) -> SolveCost:
        """That of what can follow the start."""
        return (
            self.estimate_cost_from(self.playable.start(), threads)
            if self.solves_on_demand
            else super().estimate_cost(threads)
        )

    def estimate_cost_from(self, position: TouchPosition, threads: int) -> SolveCost:
        """What grows: the boards, and with each the lines of scores."""
        lines = self._boards(position).count * self.players
        each = (self.rules.limit + 2) * 3 * len(self.rules.odds.feels)
        return SolveCost(8.0 * lines, CELL_SECONDS * lines * each / threads)

    def _bound(self, position: TouchPosition) -> float:
        return rounding(self.rules) * self.most(apart(position), sum(position.left)) * self.unit

    def array_specs(self) -> dict[str, ArraySpec]:
        """By board, and by scores."""
        most = self.most(0, sum(self.rules.board)) * (1 + 2.0**-30)
        if self.solves_on_demand:
            return {"after": ArraySpec(self.whole.shape, -most, most, seat_axis=-1), "regret": ArraySpec((1,), 0, most)}
        return {"after": ArraySpec(self.whole.shape, -most if self.players == 2 else 0, most)}

    def seat_values(self, solved: ValueTable, positions: Sequence[TouchPosition]) -> SeatValues:
        """Worth of positions: read from the table where a turn begins without passes, else turn by turn."""
        found = self._by_seat(self._of(solved), solved.arrays["after"], positions)
        return SeatValues(found, np.full(len(positions), solved.error_bound))

    def _by_seat(self, stand: Stand, after: Floats, positions: Sequence[TouchPosition]) -> Floats:
        found, on = np.empty((len(positions), self.players)), list[int]()
        for number, one in enumerate(positions):
            if one.ended:
                found[number] = [float(share) for share in one.ended]
            else:
                on.append(number)
        if on:
            found[on] = self.unit * (stand.worth(after, [positions[number] for number in on]) + self.base)
        return found

    def list_positions(self, told: Mapping[str, Any]) -> PositionListing[TouchPosition]:
        """Of two and alone all boards, or the one whose pieces ``left`` are told; else the position that is told."""
        if self.solves_on_demand or ("left" in told and {"score", "opponents", "trips"} & told.keys()):
            return super().list_positions(told)
        return listing(self.rules, self.playable.read(left=told["left"]).left if "left" in told else None)

    # --- odds that are estimates

    def check_draws(self, draws: int) -> None:
        """Refuse odds without counts, and numbers of draws that nobody waits for."""
        if self.solves_on_demand:
            super().check_draws(draws)
        if self.rules.odds.counts is None:
            raise InputError(
                f"the odds ({self.rules.odds.name}) tell no counts to draw from; keepwise odds writes a file that does"
            )
        if not 1 <= draws <= MOST_DRAWS:
            raise InputError(f"draws must lie between 1 and {MOST_DRAWS:,}, not {draws}")

    def odds_sensitivity(
        self, position: TouchPosition, action: str, draws: int, progress: Progress = lambda done: None
    ) -> OddsSensitivity:
        """Say how an action fares over seeded draws of the odds from what their counts leave open.

        Feels are drawn from a Dirichlet, trips from a beta distribution, both with half a count added to each outcome.
        """
        counts = np.array(self.rules.odds.counts, dtype=np.float64)  # (sizes, feels, touched taken tripped)
        generator = np.random.Generator(np.random.PCG64(SEED))
        afters = {action: position}
        if self.playable.stage(position) == "choose":
            afters = {choice.action: choice.after for choice in self.playable.choices(position)}
        place = position.trips if self.players == 1 else position.score - position.opponents[0]
        losses = []
        for done in range(draws):
            chance = np.array([generator.dirichlet(row) for row in counts[:, :, 0] + 0.5])
            trip = generator.beta(counts[:, :, 2] + 0.5, counts[:, :, 1] - counts[:, :, 2] + 0.5)
            drawn = Axis(self.rules, self.end, position.left, place, chance, trip)
            after = drawn.solve(1, lambda done: None)
            worths = self._by_seat(drawn, after, list(afters.values()))[:, position.seat]
            losses.append(float(worths.max() - worths[list(afters).index(action)]))
            progress((done + 1) / draws)
        held = sum(loss <= 2 * self._bound(self.playable.start()) for loss in losses)
        return OddsSensitivity(action, draws, held, float(np.mean(losses)), float(max(losses)), SEED)


class Win(TouchMatch):
    """The chance to win, shared where they tie; of two, payoffs are 1 for a win, 0 for a tie, -1 for a loss."""

    player_range = (2, 6)

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        if self.players == 2:
            self.base, self.unit = 1.0, 0.5

    def end(self, scores: Ints) -> Floats:
        """Equal shares."""
        best = scores == scores.max(axis=-1, keepdims=True)
        payoffs: Floats = best / best.sum(axis=-1, keepdims=True) / self.unit - self.base
        return payoffs

    def most(self, apart: int, pieces: int) -> float:
        """A win."""
        return 1.0


class Margin(TouchMatch):
    """Every loser pays one for each point to the best score; of two, the expected difference at the end."""

    player_range = (2, 6)

    def end(self, scores: Ints) -> Floats:
        """The points that all are behind, to those with the best score; the others pay theirs."""
        behind = scores.max(axis=-1, keepdims=True) - scores
        best = behind == 0
        pot = behind.sum(axis=-1, keepdims=True) / best.sum(axis=-1, keepdims=True)
        gets: Floats = np.where(best, pot, -behind.astype(float))
        return gets

    def most(self, apart: int, pieces: int) -> float:
        """All others as far behind as can be."""
        return float((self.players - 1) * (apart + max(*self.rules.points, self.rules.penalty) * pieces))


class Reach(TouchMatch):
    """Alone; the chance to take all pieces but one with no more trips than allowed."""

    def end(self, scores: Ints) -> Floats:
        """Certain: few trips or too many."""
        return (scores <= self.rules.trips).astype(np.float64)

    def most(self, apart: int, pieces: int) -> float:
        """Certain."""
        return 1.0


def apart(position: TouchPosition) -> int:
    """How far the scores lie apart."""
    return max(position.scores, default=0) - min(position.scores, default=0)
