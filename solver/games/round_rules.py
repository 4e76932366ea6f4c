"""Turns with a fixed number of rolls that end in a score: Battleship, Going to Boston, Multiplication.

A game describes its turn by *situations*, each of which is about to make a roll. For every outcome of the roll it lists
the *moves*: on to another situation, or to the score that ends the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..turns.push_turn import Mode, PushTurn, Roll, TurnChoice

Situation = tuple[int, ...]
Move = Situation | int  # a situation, or the score that ends the turn
RollLister = Callable[[Situation], Iterable[tuple[int, tuple[Move, ...]]]]
MoveWeights = dict[tuple[Move, ...], int]


class RoundTurn:
    """A compiled turn, with one ending for each score from 0 to ``max_score``, after the bust.

    Args:
        start: the first situation.
        list_rolls: yields the outcomes of the roll of a situation, each as its weight and its moves.
        has_choices: whether some roll may offer several moves; False for a turn without a decision.

    Attributes:
        situations: the mode of each situation. Mode 0 is the end of the turn.
        scores: all scores of a turn, rising.
        max_score: the highest of them.
        turn: the turn model.
    """

    def __init__(self, start: Situation, list_rolls: RollLister, has_choices: bool) -> None:
        self.start, self.list_rolls, self.has_choices = start, list_rolls, has_choices
        self.situations: dict[Situation, int] = {}
        outcomes: dict[Situation, MoveWeights] = {}
        self._add_situation(start, outcomes)
        all_moves = (move for weights in outcomes.values() for moves in weights for move in moves)
        self.scores = tuple(sorted({move for move in all_moves if isinstance(move, int)}))
        self.max_score = max(self.scores)
        modes = [Mode("the end of the turn", 0, 0, ())]
        modes += [self._mode(situation, outcomes[situation]) for situation in self.situations]
        groups = [(mode,) for mode in range(len(modes))]
        self.turn = PushTurn(modes, groups, self.situations[start])

    def _add_situation(self, situation: Situation, outcomes: dict[Situation, MoveWeights]) -> None:
        """Assign a mode to a situation after all situations that it leads to (depth-first search)."""
        weights: MoveWeights = {}
        for weight, moves in self.list_rolls(situation):
            weights[moves] = weights.get(moves, 0) + weight
        for moves in weights:
            for move in moves:
                if not isinstance(move, int) and move not in outcomes:
                    self._add_situation(move, outcomes)
        outcomes[situation] = weights
        self.situations[situation] = len(self.situations) + 1

    def _mode(self, situation: Situation, weights: MoveWeights) -> Mode:
        """Return the mode of a situation; the player cannot stop there."""
        classes = tuple((tuple(self.choice(move) for move in moves), weight) for moves, weight in weights.items())
        return Mode(str(situation), None, 0, (Roll(classes),), max_points=0)

    def choice(self, move: Move) -> TurnChoice:
        """Return the choice of the turn model for a move."""
        return TurnChoice(0, move, False) if isinstance(move, int) else TurnChoice(self.situations[move], 0, False)
