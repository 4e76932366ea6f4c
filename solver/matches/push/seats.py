"""Three and more players race to a target: the match. How it is solved, and what is proved, says ``seatssweep``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...checkpoints import Checkpoint
from ...core.seats import MOST_SEATS
from ...errors import InputError, SolveError
from ...games.pushluck import SPECIALS, WIN
from ...play.push import Play, PushPosition
from ...play.table import Choice
from ...turns.push import Doubles, PushTurn, TurnValue, pad
from ..contract import Range, Solved, by_seat
from ..costs import WORTH_SAYING, Cost
from .circles import ASIDE
from .ladder import LISTED, turn_rounding
from .pushmatch import Lane, PushMatch
from .race import MOST_BOUND, NO_BOUND
from .seatssweep import CHOICE_SECONDS, choices_of, solve_seats
from .seatsturn import SeatsTurns

if TYPE_CHECKING:
    from ...cluster import Cluster

MOST_MIXED = 4096  # positions whose movers mix two turns
STAGES = 24  # of either pass of a long solve, each kept as it is done


class Seats(PushMatch):
    """The chances to win of three and more players who all play their best."""

    seats = (3, MOST_SEATS)
    resumable = spreads = True

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.ladder.refuse_dead("a race from there could last for ever")
        rules, count = self.ladder.rules, f"three and more players race to {self.ladder.rules.target:,}"
        if rules.finish == "last_round":
            raise InputError(f"{count} without a last round only: finish=last_round is solved for two")
        if any(effect == "wipe" for _, effect, _ in rules.specials):
            raise InputError(f"{count} only where no throw loses the whole score: that is solved for two")
        self.turns = SeatsTurns(self.ladder, self.players)
        self._mixed: tuple[Solved, dict[int, float]] | None = None  # of the values that were asked last

    def _scores(self) -> int:
        """How many scores there are, or as many as could be where listing them takes long."""
        return len(self.ladder.scores) if self.ladder.target <= LISTED else self.ladder.target

    def cost(self, threads: int) -> Cost:
        """What grows: the lines of scores, and with each the points that a turn can bring."""
        scores = float(self._scores())
        lines = scores**self.players
        certain = 2 * scores ** (self.players - 1) * (2 * (self.ladder.target + 2) + 8)
        layers = 8.0 * 4 * self.players * scores ** (self.players - 1)
        seconds = CHOICE_SECONDS * lines * choices_of(self.ladder, self.players)
        tables = 16.0 * self.players * lines
        return Cost(tables + certain + layers, seconds / threads, tables)

    def solve(
        self,
        threads: int,
        progress: Callable[[float], None],
        checkpoint: Checkpoint | None = None,
        cluster: Cluster | None = None,
    ) -> Solved:
        """Solve every line of scores; a long solve goes on from the checkpoint's layers.

        ``scores`` (n,) in points; ``win`` (n, .., n, seats) what every seat gets, by their scores from the mover on;
        ``mixed`` (MOST_MIXED, 2) places of positions whose mover mixes two turns, -1 behind the last, and shares;
        ``regret`` (1,).
        """
        stages = STAGES if self.cost(1).seconds > WORTH_SAYING else 1
        kept = checkpoint if stages > 1 else None
        zeros = checkpoint.zeros if checkpoint else np.zeros
        values = solve_seats(
            self.ladder,
            self.players,
            threads=threads,
            progress=progress,
            stages=stages,
            checkpoint=kept,
            cluster=cluster,
            zeros=zeros,
        )
        gain, rounding = max(0.0, values.gain), turn_rounding(self.ladder.rules.turn, int(self.ladder.caps.max()))
        bound, regret = (self.players - 1) * gain + rounding, self.players * gain
        if bound > MOST_BOUND:
            raise SolveError(NO_BOUND)
        if len(values.mixed) > MOST_MIXED:
            raise SolveError(f"best replies go round in circles at more than {MOST_MIXED:,} positions")
        mixes = np.full((MOST_MIXED, 2), -1.0)
        mixes[: len(values.mixed)] = np.array(sorted(values.mixed.items())).reshape(-1, 2)
        arrays = {"scores": self.axes()["scores"], "win": values.win, "mixed": mixes, "regret": np.array([regret])}
        return Solved(arrays, bound)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every solved array."""
        scores = len(self.ladder.scores)
        win = (scores,) * self.players + (self.players,)
        return {"scores": (scores,), "win": win, "mixed": (MOST_MIXED, 2), "regret": (1,)}

    def ranges(self) -> dict[str, Range]:
        """The least and the greatest that each solved array can hold."""
        return {"win": (0, 1), "mixed": (-1, len(self.ladder.scores) ** self.players), "regret": (0, 1)}

    def axes(self) -> dict[str, Any]:
        """Return the solved arrays that the question alone decides."""
        return {"scores": self.ladder.scores * self.ladder.rules.grain}

    def facts(self, solved: Solved, position: PushPosition) -> Mapping[str, Any]:
        """The most that any seat gains at any position by leaving the play, and at how many positions it is mixed."""
        return {"regret": float(solved.arrays["regret"][0]), "mixed": len(mixed_turns(solved))}

    def cut(self, solved: Solved, start: PushPosition) -> int:
        """The fewest points that win or, with an exact finish, one more than may be held."""
        return int(self.ladder.caps[start.score // self.rules.grain]) * self.rules.grain

    def longest_cut(self, solved: Solved) -> int:
        """The cut of who has nothing."""
        return int(self.ladder.caps[self.ladder.scores].max()) * self.rules.grain

    def bound(self, solved: Solved, lane: Lane) -> float:
        """The bound of the table covers the turn's rounding."""
        return solved.error_bound

    def beginning(self, solved: Solved, position: PushPosition) -> float:
        """What the mover gets."""
        return float(self._table(solved)[self.turns.place(self._line(position)), 0])

    def lane(self, solved: Solved, position: PushPosition, held: int = 0) -> Lane:
        """The lane of a turn of the mover."""
        line, table = self._line(position), self._table(solved)
        cap = int(self.ladder.caps[self.ladder.scores[line[0]]])
        shares, nothing = self.turns.paid(table, line, cap)
        zero = float(table[self.turns.place([*line[1:], line[0]]), -1])
        return Lane(np.where(nothing, zero, shares[0]), cap, bust=zero, win=1.0, wipe=0.0)

    def known(self, solved: Solved, position: PushPosition) -> list[float]:
        """What every seat gets where a turn begins."""
        return by_seat(position.seat, self._table(solved)[self.turns.place(self._line(position))].tolist())

    def within(self, solved: Solved, begins: PushPosition, positions: Sequence[PushPosition]) -> tuple[Doubles, float]:
        """What every seat gets from positions of one turn in which the dice are about to be thrown, and the bound."""
        return self.inside(solved, [begins], positions)[0], solved.error_bound

    def _table(self, solved: Solved) -> Doubles:
        table: Doubles = solved.arrays["win"].reshape(-1, self.players)
        return table

    def _line(self, position: PushPosition) -> list[int]:
        """The numbers of the scores from the mover on."""
        numbers, grain = self.turns.numbers, self.rules.grain
        return [int(numbers[score // grain]) for score in (position.score, *position.opponents)]

    def _mixes(self, solved: Solved) -> dict[int, float]:
        """By place, the share of the turn for a greater bust, where two turns are mixed."""
        if self._mixed is None or self._mixed[0] is not solved:
            self._mixed = solved, mixed_turns(solved)
        return self._mixed[1]

    def shares(
        self, solved: Solved, starts: Sequence[PushPosition], leads: Sequence[PushPosition | Choice[PushPosition]]
    ) -> Doubles:
        """What the seats from the mover on get from leads: (seats, leads, starts)."""
        rules, ladder, table, mixes = self.rules, self.ladder, self._table(solved), self._mixes(solved)
        lanes: list[tuple[list[int], float, float]] = []  # scores, how much a bust counts for more, and the share
        begins = []
        for start in starts:
            line = self._line(start)
            begins.append(len(lanes))
            share = mixes.get(self.turns.place(line))
            lanes += [(line, 0.0, 1.0)] if share is None else [(line, -ASIDE, 1 - share), (line, ASIDE, share)]
        caps = np.array([ladder.caps[ladder.scores[line[0]]] for line, _, _ in lanes], dtype=np.int32)
        caps = np.concatenate([caps, np.repeat(caps[-1:], pad(len(lanes)) - len(lanes))])
        top = int(caps.max())
        payoff = np.zeros((1 + self.players, SPECIALS + top + 1, len(caps)))  # who decides, and the seats
        for number, (line, aside, _) in enumerate(lanes):
            shares, nothing = self.turns.paid(table, line, top)
            zero = np.roll(table[self.turns.place([*line[1:], line[0]])], 1)
            payoff[1:, SPECIALS:, number] = np.where(nothing, zero[:, None], shares)
            payoff[1:, 0, number] = zero
            payoff[1, -1 - WIN.next, number] = 1.0
            payoff[0, :, number] = payoff[1, :, number]
            payoff[0, 0, number] += aside
            payoff[0, SPECIALS:, number] += aside * nothing
        solved_turn = rules.turn.solve(payoff, caps, inner=True)
        found = np.empty((self.players, len(leads), len(lanes)))
        by_mode: dict[int, dict[int, int]] = {}  # the number of a lead, and points in hand
        for number, lead in enumerate(leads):
            if isinstance(lead, PushPosition):
                by_mode.setdefault(self._mode(lead)[0], {})[number] = min(self._held(lead), top)
            else:
                found[:, number] = payoff[1:, self._ending(lead, top), : len(lanes)]
        for mode, held in by_mode.items():
            units = np.array(list(held.values()))
            found[:, list(held)] = throw_shares(rules.turn, solved_turn, payoff, mode, units)[1:, :, : len(lanes)]
        weighed = found * np.array([weight for _, _, weight in lanes])
        added: Doubles = np.add.reduceat(weighed, begins, axis=2)
        return added


def mixed_turns(solved: Solved) -> dict[int, float]:
    """By place of the positions whose movers mix two turns, the share of the one for a greater bust."""
    mixes = solved.arrays.get("mixed", np.empty((0, 2)))
    return {int(place): share for place, share in mixes[mixes[:, 0] >= 0].tolist()}


def throw_shares(turn: PushTurn, solved: TurnValue, payoff: Doubles, mode: int, points: NDArray[np.int64]) -> Doubles:
    """What making the one throw of a mode brings with so many points in hand, in all channels; the first decides.
    Shape (channels, points, lanes).
    """
    assert solved.inner is not None
    (throw,) = turn.modes[mode].throws
    value = np.zeros((len(payoff), len(points), payoff.shape[2]))
    for offered, weight in throw.classes:
        best: Doubles | None = None
        for choice in offered:
            if choice.next < 0:
                other = np.repeat(payoff[:, None, -1 - choice.next], len(points), axis=1)
            else:
                other = solved.inner[:, choice.next, choice.add + points * choice.keeps]
            best = other if best is None else np.where(other[0] > best[0], other, best)
        assert best is not None
        # every choice would pass the cap
        best = np.where(best[0] == -np.inf, payoff[:, None, 0], best)
        value += weight * best
    return value / sum(weight for _, weight in throw.classes)
