"""A game of one's own, written in Python: the few methods that say its rules, and defaults for everything else."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from ..games import Game
from ..games.families import Family
from ..util.errors import InputError
from .choice_kinds import ChoiceKind
from .playable_game import Choice, PlayableGame, Stage

Position = TypeVar("Position", bound=Hashable)


@dataclass(frozen=True)
class PythonRules:
    """The rules of a game whose rules are methods in Python: a name without options, in place of a ``Game``.

    Attributes:
        id: the name of the class.
        objectives: its only objective.
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

    def stage(self, position: Position) -> Stage:
        """Return the stage, from what the position offers."""
        if self.payoffs(position):
            return Stage.TERMINAL
        return Stage.DECISION if next(iter(self.actions(position)), None) else Stage.CHANCE

    def choices(self, position: Position) -> tuple[Choice[Position], ...]:
        """Return the actions as choices."""
        return tuple(
            Choice(words, (), 0, 0, "end", after, kind=ChoiceKind.OTHER) for words, after in self.actions(position)
        )

    def to_dict(self, position: Position) -> dict[str, Any]:
        """Return no field values: positions are passed as they are."""
        return {}

    def position_from_fields(self) -> Position:
        """Return the start, which is the only position that needs no description."""
        return self.start()
