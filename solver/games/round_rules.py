"""Turns of a fixed number of throws that end in a score: Battleship, Going to Boston, Multiplication.

A game states its turn as *situations*, each about to make a throw, and for every way that the dice can fall the *moves*
that are open then: on to another situation, or to the score that ends the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..turns.push_turn import Mode, PushTurn, Roll, TurnChoice

Situation = tuple[int, ...]
Move = Situation | int  # a situation, or the score that ends the turn
Throws = Callable[[Situation], Iterable[tuple[int, tuple[Move, ...]]]]


class RoundTurn:
    """A compiled turn: ``turn`` for the kernel, with one ending for each score from 0 to ``most`` after the bust.

    ``throw(situation)`` yields the ways in which the dice can fall: a weight and the moves open then. ``decides``:
    whether there is anything to choose.
    """

    def __init__(self, start: Situation, throw: Throws, decides: bool) -> None:
        self.start, self.throw, self.decides = start, throw, decides
        numbers: dict[Situation, int] = {}
        self.situations = numbers  # 0 is the end of the turn, where the score is in hand
        falls: dict[Situation, dict[tuple[Move, ...], int]] = {}
        self._order(start, falls, numbers)
        scores = {move for ways in falls.values() for moves in ways for move in moves if isinstance(move, int)}
        self.scores = tuple(sorted(scores))
        self.most = max(scores)
        modes = [Mode("the end of the turn", 0, 0, ())]
        modes += [
            Mode(
                str(situation),
                None,
                0,
                (Roll(tuple(self._class(*way) for way in falls[situation].items())),),
                max_points=0,
            )
            for situation in numbers
        ]
        self.turn = PushTurn(modes, [(number,) for number in range(len(modes))], numbers[start])

    def _order(
        self,
        situation: Situation,
        falls: dict[Situation, dict[tuple[Move, ...], int]],
        numbers: dict[Situation, int],
    ) -> None:
        """Number the situations so that each comes after those that it leads to."""
        ways: dict[tuple[Move, ...], int] = {}
        for weight, moves in self.throw(situation):
            ways[moves] = ways.get(moves, 0) + weight
        for moves in ways:
            for move in moves:
                if not isinstance(move, int) and move not in falls:
                    self._order(move, falls, numbers)
        falls[situation] = ways
        numbers[situation] = len(numbers) + 1

    def _class(self, moves: tuple[Move, ...], weight: int) -> tuple[tuple[TurnChoice, ...], int]:
        return tuple(self.choice(move) for move in moves), weight

    def choice(self, move: Move) -> TurnChoice:
        """Return the kernel's choice for a move."""
        return TurnChoice(0, move, False) if isinstance(move, int) else TurnChoice(self.situations[move], 0, False)
