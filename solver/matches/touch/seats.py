"""Booby Trap for three and more: everybody plays for the own share.

A position is the pieces left, the passes in a row, and how far every player is behind the best score, from the mover on
(see ``leads``). Passes end in a take and takes in fewer pieces, so all is solved backwards, and what is found is an
equilibrium: nobody gains more than twice the bound by any other strategy (``regret``). With equal choices the one that
is listed first is made.

What can follow a position is solved when it is asked about: with the pieces left there, and scores no further apart
than a piece more each can bring them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ...games.booby_trap import TouchRules
from ...ground.threads import ThreadPoolExecutor
from ...play.touch import Left, Play, TouchPosition
from ..contract import Array, Following, Match, Solved, Worth, by_seat
from ..costs import Cost
from ..leads import Behind, Places, following, lines, places, size
from .turn import floats, held, rounding

Floats = NDArray[np.float64]

CELL_SECONDS = 1.2e-8  # for each line of scores, seat, size, feel and pass


@dataclass
class Boards:
    """The boards that can follow from ``left`` pieces and scores up to ``apart``: ``values`` (lines, players) of all,
    what each line is worth to every seat from the mover on before any pass.
    """

    rules: TouchRules
    left: Left
    apart: int
    end: Callable[[Behind], Floats]
    starts: dict[Left, int] = field(init=False)
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.step = max(*self.rules.points, self.rules.penalty)
        odds = self.rules.odds
        self.chance, self.trips, self.holds = floats(odds.chance), floats(odds.trip), held(odds.trip)
        self.starts, self.count = {}, 0
        for left in self.boards():
            self.starts[left] = self.count
            self.count += size(self.rules.players, self.far(left))

    def boards(self) -> Iterator[Left]:
        """All boards on which the game goes on, those with fewer pieces first."""
        down: Iterator[Left] = product(*(range(count + 1) for count in self.left))  # type: ignore[assignment]
        yield from sorted((left for left in down if self.rules.goes_on(left, self.left)), key=sum)

    def far(self, left: Left) -> int:
        """How far scores can lie apart on a board."""
        return self.apart + self.step * (sum(self.left) - sum(left))

    def sizes(self, left: Left) -> list[int]:
        """The sizes that may be touched, large ones first."""
        there = [one for one in range(len(left)) if left[one]]
        return there[-1:] if self.rules.in_order else there

    def solve(self, threads: int, progress: Callable[[float], None]) -> Floats:
        """Solve every board."""
        values = np.empty((self.count, self.rules.players))
        layers: dict[int, list[Left]] = {}
        for left in self.starts:
            layers.setdefault(sum(left), []).append(left)
        done = 0
        with ThreadPoolExecutor(threads) as pool:
            for layer in layers.values():
                behind = lines(self.rules.players, self.far(layer[0]))
                turns = Turns(self, self.far(layer[0]), behind)

                def one(left: Left, turns: Turns = turns) -> None:
                    first = self.starts[left]
                    values[first : first + len(turns.behind)] = turns.run(turns.takes(values, left))[0]

                list(pool.map(one, layer))
                done += len(layer) * len(behind)
                progress(done / self.count)
        return values


class Turns:
    """Turns on boards of so many pieces, for some lines of scores that hold every line's rotations."""

    def __init__(self, boards: Boards, far: int, behind: Behind) -> None:
        self.boards, self.behind, self.rules = boards, behind, boards.rules
        if len(behind) == size(self.rules.players, far):
            self.turned: Places = places(np.roll(behind, -1, axis=1), far)
        else:  # one line's rotations, in turn
            self.turned = np.roll(np.arange(len(behind)), -1)
        gains = np.array([*self.rules.points, -self.rules.penalty])
        self.follow = following(behind, gains)
        self.after = [places(one, far + boards.step) for one in self.follow]

    def takes(self, values: Floats, left: Left) -> dict[int, Floats]:
        """What taking a piece is worth to every seat from the mover on, by size: (feels, lines, players)."""
        boards, found = self.boards, {}
        for one in boards.sizes(left):
            large, medium, small = (count - (number == one) for number, count in enumerate(left))
            fewer = (large, medium, small)
            over = sum(fewer) <= self.rules.last
            kept, lost = (
                boards.end(self.follow[gain]) if over else values[boards.starts[fewer] + self.after[gain]]
                for gain in (one, -1)
            )
            kept, lost = np.roll(kept, 1, axis=1), np.roll(lost, 1, axis=1)
            found[one] = np.array(
                [holds * kept + trips * lost for holds, trips in zip(boards.holds[one], boards.trips[one], strict=True)]
            )
        return found

    def touched(self, one: int, takes: Floats, passed: Floats | None) -> Floats:
        """What touching a piece of a size is worth, where it may be passed or (None) must be taken."""
        value = np.zeros(takes.shape[1:])
        for chance, taken in zip(self.boards.chance[one].tolist(), takes, strict=True):
            better = taken if passed is None else np.where(taken[:, :1] > passed[:, :1], taken, passed)
            value += chance * better
        return value

    def run(self, takes: Mapping[int, Floats], least: int = 0) -> dict[int, Floats]:
        """What turns are worth after so many passes in a row, from the most to ``least``: (lines, players) each."""
        found: dict[int, Floats] = {}
        for passes in range(self.rules.limit, least - 1, -1):
            passed = self.passed(found, passes)
            best: Floats | None = None
            for one, taken in takes.items():
                value = self.touched(one, taken, passed)
                best = value if best is None else np.where(value[:, :1] > best[:, :1], value, best)
            assert best is not None
            found[passes] = best
        return found

    def passed(self, run: Mapping[int, Floats], passes: int) -> Floats | None:
        """What passing is worth after so many passes; None where nobody may."""
        return np.roll(run[passes + 1][self.turned], 1, axis=1) if passes < self.rules.limit else None


class Seats(Match[TouchPosition]):
    """What the objectives share."""

    table: Play
    seats = (3, 6)
    on_demand = True

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.rules: TouchRules = table.rules
        self._last: tuple[Solved, Boards] | None = None

    @abstractmethod
    def end(self, behind: Behind) -> Floats:
        """What the end of the game is worth to every seat."""

    @abstractmethod
    def most(self, boards: Boards) -> float:
        """The greatest payoff, in size."""

    def _boards(self, position: TouchPosition) -> Boards:
        """The boards that can follow a position."""
        return Boards(self.rules, position.left, _apart(position), self.end)

    @property
    def _whole(self) -> Boards:
        """All boards."""
        return self._boards(self.table.start())

    def _of(self, solved: Solved) -> Boards:
        """The boards whose values these are; the last ones are kept, for they are asked about again and again."""
        if self._last is None or self._last[0] is not solved:
            self._last = solved, self._boards(solved.position) if isinstance(solved, Following) else self._whole
        return self._last[1]

    def solve(self, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve the whole board: ``after`` (lines, seats), what every line of scores on every board is worth to the
        seats from the mover on (see ``Boards``); ``regret`` (1,).
        """
        return self.solve_from(self.table.start(), threads, progress)

    def solve_from(self, position: TouchPosition, threads: int, progress: Callable[[float], None]) -> Solved:
        """Solve what can follow a position."""
        boards = self._boards(position)
        bound = self._bound(boards)
        arrays = {"after": boards.solve(threads, progress), "regret": np.array([2 * bound])}
        return Following(arrays, bound, position)

    def without_table(self) -> Solved:
        """What is known without solving: the bound."""
        return Solved({}, self._bound(self._whole))

    def holds(self, solved: Solved, position: TouchPosition) -> bool:
        """Whether the boards hold the position's."""
        if "after" not in solved.arrays:
            return False
        boards = self._of(solved)
        return position.left in boards.starts and _apart(position) <= boards.far(position.left)

    def cost(self, threads: int) -> Cost:
        """That of what can follow the start."""
        return self.cost_from(self.table.start(), threads)

    def cost_from(self, position: TouchPosition, threads: int) -> Cost:
        """What grows: the boards, and with each the lines of scores."""
        lines = self._boards(position).count * self.players
        each = (self.rules.limit + 2) * 3 * len(self.rules.odds.feels)
        return Cost(8.0 * lines, CELL_SECONDS * lines * each / threads)

    def _bound(self, boards: Boards) -> float:
        return rounding(self.rules) * self.most(boards)

    def arrays(self) -> dict[str, Array]:
        """By line of scores and seat."""
        boards = self._whole
        most = self.most(boards) * (1 + 2.0**-30)
        return {"after": Array((boards.count, self.players), -most, most, seats=-1), "regret": Array((1,), 0, most)}

    def worth(self, solved: Solved, positions: Sequence[TouchPosition]) -> Worth:
        """Worth of positions: read from the table where a turn begins without passes, else turn by turn."""
        found, boards = np.empty((len(positions), self.players)), self._of(solved)
        turns: dict[tuple[Left, tuple[int, ...]], tuple[Turns, dict[int, Floats]]] = {}
        for number, position in enumerate(positions):
            if position.ended:
                found[number] = [float(share) for share in position.ended]
                continue
            line, left = _line(position), position.left
            if position.size is None and not position.passes:
                place = boards.starts[left] + int(places(line, boards.far(left)))
                shares = solved.arrays["after"][place]
            else:
                key = left, tuple(line.tolist())
                if key not in turns:
                    around = np.array([np.roll(line, -one) for one in range(self.players)], dtype=np.int32)
                    turn = Turns(boards, boards.far(left), around)
                    turns[key] = turn, turn.takes(solved.arrays["after"], left)
                shares = self._inside(*turns[key], position)
            found[number] = by_seat(position.seat, shares.tolist())
        return Worth(found, np.full(len(positions), solved.error_bound))

    def _inside(self, turn: Turns, takes: dict[int, Floats], position: TouchPosition) -> Floats:
        """What every seat from the mover on gets after passes, or with a piece between the fingers."""
        one, passes = position.size, position.passes
        if one is None:
            shares = turn.run(takes, passes)[passes]
        elif position.taking:
            shares = takes[one][position.feel or 0]
        else:
            shares = turn.touched(one, takes[one], turn.passed(turn.run(takes, passes + 1), passes))
        here: Floats = shares[0]
        return here


class Win(Seats):
    """The chance to win, shared where they tie."""

    def end(self, behind: Behind) -> Floats:
        """The best score wins."""
        best = behind == 0
        shares: Floats = best / best.sum(axis=-1, keepdims=True)
        return shares

    def most(self, boards: Boards) -> float:
        """A win."""
        return 1.0


class Margin(Seats):
    """Every loser pays one for each point to the best score."""

    def end(self, behind: Behind) -> Floats:
        """The points that all are behind, to those with the best score; the others pay theirs."""
        best = behind == 0
        pot = behind.sum(axis=-1, keepdims=True) / best.sum(axis=-1, keepdims=True)
        gets: Floats = np.where(best, pot, -behind.astype(float))
        return gets

    def most(self, boards: Boards) -> float:
        """All others as far behind as can be."""
        return float((self.players - 1) * (boards.apart + boards.step * sum(boards.left)))


def _line(position: TouchPosition) -> Behind:
    """How far everybody is behind the best, from the mover on."""
    scores = np.array([position.score, *position.opponents], dtype=np.int32)
    behind: Behind = scores.max() - scores
    return behind


def _apart(position: TouchPosition) -> int:
    """How far the scores lie apart."""
    return max(position.scores) - min(position.scores)
