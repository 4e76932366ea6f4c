"""What the matches of cards share: the worth of positions, inside a turn from one kernel call for all its keeps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...games.cards import Card
from ...play.card import CardPosition, Play
from ...turns.keep_turn import Doubles, EntryOptions, KeepTurn, KeepValue, Longs
from ..problem import Found, Problem, ValueTable, group_by_key


@dataclass(frozen=True)
class TurnProblem:
    """One turn as the kernel solves it: see ``KeepTurn.solve``. ``early`` (throws - 1, 1)."""

    turn: KeepTurn
    after: Doubles
    problems: EntryOptions
    problem: int
    lane: int
    place: Longs | None = None
    early: Longs | None = None

    def solve(self) -> KeepValue:
        """Solve it with its inside."""
        problem, lane = np.array([self.problem]), np.array([self.lane])
        return self.turn.solve(self.after, self.problems, problem, lane, early=self.early, place=self.place, inner=True)


class CardMatch(Problem[CardPosition]):
    """A card that is filled; a match supplies the values between turns."""

    playable: Play

    def __init__(self, table: Play) -> None:
        super().__init__(table)
        self.card: Card = table.card

    @abstractmethod
    def turn_of(self, solved: ValueTable, position: CardPosition) -> TurnProblem:
        """The turn in which a position stands."""

    @abstractmethod
    def by_seat(self, position: CardPosition, value: float) -> list[float]:
        """What every seat gets where a turn has this value to the mover."""

    def ends(self, turns: Longs, count: int) -> tuple[Longs, Longs | None]:
        """The problems for the last throw, and for those before it, of some of ``count`` turns. Where dice entered
        after the first throw count otherwise, the problems for them follow after those of all turns.
        """
        if not self.card.served:
            return turns, None
        first, throws = turns + count, self.card.throws
        return first if throws == 1 else turns, np.array([first, *[turns] * throws])[: throws - 1]

    def bounds(self, solved: ValueTable, positions: Sequence[CardPosition]) -> Doubles | float:
        """The error bounds of what positions are worth."""
        return solved.error_bound

    def turn_values(self, solved: ValueTable, positions: Sequence[CardPosition]) -> Found:
        """Worth of dice kept (all of them too), turn by turn."""
        found = np.empty((len(positions), self.players))
        for numbers in group_by_key((position.cards, position.seat) for position in positions).values():
            here = [positions[number] for number in numbers]
            values = self._kept(self.turn_of(solved, here[0]), here)
            found[numbers] = [self.by_seat(*one) for one in zip(here, values.tolist(), strict=True)]
        return found, self.bounds(solved, positions)

    def _kept(self, problem: TurnProblem, positions: Sequence[CardPosition]) -> Doubles:
        """Values of positions of one turn: dice are kept before a throw, or lie to be entered."""
        turn, solved = problem.turn, problem.solve()
        assert solved.inner is not None
        throws, counts = [one.throw for one in positions], [one.roll or one.kept for one in positions]
        after = [throw - (one.roll is None) for throw, one in zip(throws, positions, strict=True)]
        nodes = turn.lattice.node_indices(counts)
        values: Doubles = solved.inner[0, np.minimum(after, turn.throws - 1), nodes, 0]
        values = np.where(np.array(after) == 0, solved.value[0, 0], values)  # before the first throw nothing is kept
        for number, one in enumerate(positions):
            if one.entering:
                assert problem.early is not None
                ending, throw = (
                    int(problem.early[one.throw - 1, 0]),
                    nodes[number : number + 1] - turn.lattice.first_full,
                )
                (values[number],) = turn.entry_values(
                    problem.after, problem.problems, ending, problem.lane, throw, problem.place
                )
        return values
