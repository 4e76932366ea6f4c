"""A game of one's own, written in Python: the few methods that say its rules, and defaults for everything else."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Rational
from typing import Any, NoReturn, TypeVar, cast

from ..games import Game
from ..games.families import Family
from ..util.errors import InputError, abbreviate
from .playable_game import Choice, PlayableGame, Stage

Position = TypeVar("Position", bound=Hashable)


@dataclass(frozen=True)
class PythonRules:
    """The rules of a game whose rules are methods in Python: a name without options, in place of a ``Game``.

    Attributes:
        id: the name of the class.
        objectives: its only objective.
        rules, options, data, family, parts: what a ``Game`` has, without content.
    """

    id: str
    objectives: tuple[str, ...]
    rules: Mapping[str, Any] = field(default_factory=dict, hash=False)
    options: tuple[Any, ...] = ()
    data: Any = None
    family: str = ""
    parts: Family = field(default_factory=lambda: Family(play=""))

    @property
    def title(self) -> str:
        """The name for people."""
        return self.id

    def identifying_rules(self) -> dict[str, Any]:
        """Return the rules by which a game is told from others: none."""
        return {}

    def check_objective(self, objective: str) -> None:
        """Raise InputError if the game is played for something else."""
        if objective not in self.objectives:
            raise InputError(f"unknown objective '{objective}' of {self.id}; known: {self.objectives[0]}")


class OwnGame(PlayableGame[Position]):
    """A game of one's own.

    Positions are any hashable values; equal positions are one. A subclass says how the game goes on from each:
    ``actions`` while a player has to choose, ``rolls`` while dice have to be rolled, ``payoffs`` once it is over.

    Attributes:
        objective: ``points`` for one player, ``win`` for several.
        players: the number of players.
    """

    objective = "points"
    players = 1
    fields = ()
    rules_are_data = False
    policy_refusal = "a game of your own does not have named policies"

    def __init__(self) -> None:
        """Prepare the game under its name, objective and number of players."""
        rules = PythonRules(type(self).__name__, (type(self).objective,))
        super().__init__(cast("Game", rules), type(self).objective, type(self).players)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    @abstractmethod
    def actions(self, position: Position) -> Iterable[tuple[str, Position]]:
        """Yield what the player may choose, in words, and where it leads; nothing if dice have to be rolled."""

    def payoffs(self, position: Position) -> Any:
        """Return what each player gets, in whole numbers or fractions; () while the game goes on."""
        return ()

    def player_to_move(self, position: Position) -> int:
        """Return the seat of the player to move; 0 for one player."""
        return 0

    def is_turn_start(self, position: Position) -> bool:
        """Return whether a turn begins; by default only at the start."""
        return position == self.start()

    def check_position(self, position: Position) -> None:
        """Raise InputError if what the methods return for a position cannot be a rule of a game.

        The message names the position. Solvers call this for every position that they list.
        """
        payoffs = self.payoffs(position)
        if not isinstance(payoffs, Sequence) or isinstance(payoffs, str):
            self._refuse(position, f"payoffs must be a tuple with a number for each player, not {abbreviate(payoffs)}")
        if payoffs:
            self._check_payoffs(position, payoffs)
            return
        mover: Any = self.player_to_move(position)
        if not isinstance(mover, int) or not 0 <= mover < self.players:
            seats = " or ".join(map(str, range(self.players)))
            self._refuse(position, f"player_to_move must be {seats}, not {abbreviate(mover)}")
        actions = self._listed(position, "actions", self.actions(position))
        if actions:
            self._check_actions(position, actions)
        else:
            self._check_rolls(position, self._listed(position, "rolls", self.rolls(position)))

    def _listed(self, position: Position, method: str, returned: Any) -> list[Any]:
        """Return what a method yields as a list; raise InputError if it is nothing that can be listed."""
        if not isinstance(returned, Iterable):
            self._refuse(position, f"{method} must return or yield pairs, not {abbreviate(returned)}")
        return list(returned)

    def _check_payoffs(self, position: Position, payoffs: Sequence[Any]) -> None:
        """Raise InputError if payoffs are not one number for each player, or no chances to win."""
        if len(payoffs) != self.players:
            self._refuse(position, f"payoffs must have {self.players} numbers, not {len(payoffs)}")
        for payoff in payoffs:
            if not isinstance(payoff, (Rational, float)) or not math.isfinite(payoff):
                self._refuse(position, f"payoffs must be whole numbers, fractions or floats, not {abbreviate(payoff)}")
        if self.objective == "win":
            is_chance = all(0 <= payoff <= 1 for payoff in payoffs)
            if not is_chance or (self.players > 1 and sum(payoffs) != 1):
                shown = abbreviate(tuple(payoffs))
                self._refuse(position, f"payoffs of the objective win must be shares that add up to 1, not {shown}")

    def _check_actions(self, position: Position, actions: Sequence[Any]) -> None:
        """Raise InputError if actions are not pairs of different words and a position."""
        words = set[str]()
        for action in actions:
            if not isinstance(action, tuple) or len(action) != 2 or not isinstance(action[0], str):
                self._refuse(position, f"actions must yield pairs of words and a position, not {abbreviate(action)}")
            if action[0] in words:
                self._refuse(position, f"two actions have the same words: {abbreviate(action[0])}")
            words.add(action[0])
            self._check_next(position, action[1])

    def _check_rolls(self, position: Position, rolls: Sequence[Any]) -> None:
        """Raise InputError if rolls are missing, or are not pairs of a positive weight and a position."""
        if not rolls:
            self._refuse(position, "it has no payoffs, no actions and no rolls; return payoffs where the game is over")
        for roll in rolls:
            if not isinstance(roll, tuple) or len(roll) != 2:
                self._refuse(position, f"rolls must yield pairs of a weight and a position, not {abbreviate(roll)}")
            weight, after = roll
            if not isinstance(weight, int) or weight < 1:
                self._refuse(position, f"the weight of a roll must be a whole number of at least 1, not {weight!r}")
            self._check_next(position, after)

    def _check_next(self, position: Position, after: Any) -> None:
        """Raise InputError if the next position is not hashable, or if another player's turn begins unmarked there."""
        try:
            hash(after)
        except TypeError:
            self._refuse(position, f"the next position {abbreviate(after)} cannot be hashed: use tuples, not lists")
        if self.players == 1 or self.payoffs(after) or self.is_turn_start(after):
            return
        if self.player_to_move(after) != self.player_to_move(position):
            self._refuse(
                position,
                f"the player to move changes at {abbreviate(after)}, but is_turn_start is False there; define"
                " is_turn_start(position) as True where a player's turn begins",
            )

    def _refuse(self, position: Position, problem: str) -> NoReturn:
        """Raise an InputError that names the game and the position."""
        raise InputError(f"{self.game.id}, position {abbreviate(position)}: {problem}")

    def stage(self, position: Position) -> Stage:
        """Return the stage, from what the position offers."""
        if self.payoffs(position):
            return Stage.TERMINAL
        return Stage.DECISION if next(iter(self.actions(position)), None) else Stage.CHANCE

    def choices(self, position: Position) -> tuple[Choice[Position], ...]:
        """Return the actions as choices."""
        return tuple(Choice(words, (), 0, 0, after) for words, after in self.actions(position))

    def to_dict(self, position: Position) -> dict[str, Any]:
        """Return no field values: positions are passed as they are."""
        return {}

    def position_from_fields(self) -> Position:
        """Return the start, which is the only position that needs no description."""
        return self.start()
