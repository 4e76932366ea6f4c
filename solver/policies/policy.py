"""The interface of policies: what a player does in every decision position, and how it explains that."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ..play.playable_game import Choice, PlayableGame
from ..turns.push_turn import Decisions


class Policy(Protocol):
    """A rule that selects one choice in every decision position and needs no values of a solved problem."""

    def choose(self, playable: Any, position: Any) -> Choice[Any]:
        """Return the choice that the policy makes in a decision position."""

    def explain(self, playable: Any, position: Any) -> str:
        """Return in words which rule of the policy decides in a position."""

    def observation_key(self, start: Any) -> Hashable:
        """Return a key for everything that the policy observes besides the turn.

        Turns that offer the same choices, and begin in positions with the same key, are played alike. So callers that
        visit many turns ask the policy once for each key.

        Args:
            start: the position in which a turn begins.
        """


class TurnPolicy(Policy, Protocol):
    """A policy for push-your-luck turns, which a kernel can follow because its decisions compile to an array."""

    def decisions(
        self, rules: Any, turn: Any, row_count: int, cap: int, min_bank: int, winning_points: int
    ) -> Decisions:
        """Return the decisions of one lane (rows, modes + roll classes, 1), as ``PushTurn.solve`` takes them.

        Args:
            rules: the rules of the game.
            turn: its turn model.
            row_count: the number of rows: one for each number of turn points, in units of the grain.
            cap: the number of turn points at which the table ends, in units.
            min_bank: the fewest turn points whose bank counts, in units.
            winning_points: the fewest turn points whose bank wins, in units.
        """


@dataclass(frozen=True)
class PolicyBySeat:
    """A policy in a game whose seats have rules of their own: each seat follows the policy of its own rules.

    Attributes:
        games: by seat, the game as this seat plays it.
        policies: by seat, the policy.
    """

    games: tuple[PlayableGame[Any], ...]
    policies: tuple[Policy, ...]

    def choose(self, playable: Any, position: Any) -> Choice[Any]:
        """Return the choice that the policy makes in a decision position."""
        seat: int = playable.player_to_move(position)
        return self.policies[seat].choose(self.games[seat], position)

    def explain(self, playable: Any, position: Any) -> str:
        """Return in words which rule of the policy decides in a position."""
        seat: int = playable.player_to_move(position)
        return self.policies[seat].explain(self.games[seat], position)

    def observation_key(self, start: Any) -> Hashable:
        """Return the seat, and what its policy observes besides the turn."""
        return start.seat, self.policies[start.seat].observation_key(start)


@dataclass(frozen=True)
class OptimalPolicy:
    """Optimal play for the objective of the problem, read from its value table."""


@dataclass(frozen=True)
class OtherObjectivePolicy:
    """Optimal play for another objective of the same game."""

    objective: str


@dataclass(frozen=True)
class DuelPolicy:
    """Optimal play of a race of two, against whoever is ahead; for races of three or more players."""


@dataclass(frozen=True)
class MistakePolicy:
    """A player who chooses at random, and prefers choices that lose less.

    Attributes:
        share: the average loss of a decision as a share of the loss of choosing blindly; None if ``loss`` is given.
        loss: the average loss of a decision, in units of the objective; None if ``share`` is given.

    With neither, every small mistake (marked ?!) halves the probability of a choice.
    """

    share: float | None = None
    loss: float | None = None


# Policies that are followed by means of a value table.
ValuePolicy: TypeAlias = OptimalPolicy | OtherObjectivePolicy | DuelPolicy | MistakePolicy
AnyPolicy: TypeAlias = Policy | ValuePolicy


@dataclass(frozen=True)
class NamedPolicy:
    """A policy with the name that answers print."""

    name: str
    policy: Any


# A function of (position) or (playable, position) that returns a choice, its words or its number.
PolicyFunction: TypeAlias = Callable[..., Any]


def choice_function(playable: PlayableGame[Any], policy: Policy) -> Callable[[Any], Choice[Any]]:
    """Return a policy as a function from positions to choices."""

    def choose(position: Any) -> Choice[Any]:
        return policy.choose(playable, position)

    return choose
