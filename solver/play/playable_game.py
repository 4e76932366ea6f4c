"""A game as people play it: positions, what may be done, what may fall, and what everybody gets in the end.

No values, no floats: slow, obvious, the rules read aloud. A *table* is a game under its rules with seats, and with what
is played for: a share of the ``win``, ``margin`` or ``chips`` among several, ``points``, ``turns`` or ``reach`` alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, Generic, Literal, TypeVar

from ..games import Game
from ..games.ruleset import Rules, check_numbers
from ..util.arguments import validate_arguments
from ..util.errors import InputError
from .choice_kinds import ChoiceData, ChoiceKind
from .choice_text import format_choice
from .position_fields import Field, Role

Position = TypeVar("Position", bound=Hashable)
Stage = Literal["choose", "throw", "over"]
DICE_ASKED = "what fell?"
Fall = tuple[int, Position]  # a whole-number weight, and the position that this fall of the dice leads to


@dataclass(frozen=True)
class Choice(Generic[Position]):
    """One legal choice.

    Programs decide by ``kind`` and ``data``; ``action`` is only for people, and may be worded in another way.

    Attributes:
        words: the choice in words in a game of your own; "" if the words follow from ``kind`` and ``data``.
        keep: the dice set aside, or the tiles shut, as people type them.
        points: points in hand once the choice is made.
        dice_left: number of dice of the next roll, 0 if the turn ends.
        then: what follows, as JSON tells it:

            - "roll": dice are rolled, or tiles are left to shut. In Straight Scarney "throw", "hit" or "double".
            - "bank": the turn ends, and its points count.
            - "stop": the turn ends by choice without points that count; in Straight Scarney with the points of the
              frame.
            - "end": the turn or its rolls end, and nothing was to be decided, or a box of a scorecard is filled.
            - "win": the roll wins the game.
            - "touch", "take", "pass": the choices of Booby Trap.
        after: the position that the choice leads to.
        kind: what the choice does.
        data: what ``action`` says, by the family of the game; None in a game of your own that gives ``words``.
    """

    words: str
    keep: tuple[str, ...]
    points: int
    dice_left: int
    then: str
    after: Position
    kind: ChoiceKind = field(default=ChoiceKind.OTHER, kw_only=True)
    data: ChoiceData | None = field(default=None, kw_only=True)

    @cached_property
    def action(self) -> str:
        """The choice in words."""
        return self.words if self.data is None else format_choice(self.kind, self.data)

    @property
    def meaning(self) -> Hashable:
        """What the choice does in any position that offers it; different for all choices of a position."""
        return self.kind, self.words if self.data is None else self.data


AnyChoice = TypeVar("AnyChoice", bound=Choice[Any])


def make_choice(
    kind: ChoiceKind,
    data: ChoiceData,
    then: str,
    after: Position,
    keep: tuple[str, ...] = (),
    points: int = 0,
    dice_left: int = 0,
) -> Choice[Position]:
    """Return a choice whose words follow from its kind and data; see ``Choice``."""
    return Choice("", keep, points, dice_left, then, after, kind=kind, data=data)


def find_choice(choices: Iterable[AnyChoice], wanted: Choice[Any]) -> AnyChoice | None:
    """Return the choice that means the same as ``wanted``, which may be of another position; None if none does."""
    return next((choice for choice in choices if choice.meaning == wanted.meaning), None)


def changed(position: Position, **changes: Any) -> Position:
    """The position with these fields replaced: ``dataclasses.replace`` without its checks, for positions only."""
    fresh = object.__new__(type(position))
    fresh.__dict__.update(position.__dict__)
    fresh.__dict__.update(changes)
    return fresh


class Table(ABC, Generic[Position]):
    """A game at a table. Seats count from 0, who began the game.

    ``fields`` declares what a position is told by, in the order in which people read it.
    """

    fields: tuple[Field, ...]
    details: tuple[str, ...] = ("throws", "rolls")  # the decisions that there are: before a throw, after one

    # Return the position that these fields tell, each read by its kind; InputError where it cannot occur.
    make: Callable[..., Position]

    def __init__(
        self, game: Game, objective: str, players: int, goal: int | None = None, turns: int | None = None
    ) -> None:
        self.game, self.objective, self.players = game, objective, players
        self.parameters: Mapping[str, int] = self.settle(goal, turns) if objective == "reach" else {}
        self.prepare()

    def prepare(self) -> None:
        """Work out once what the game needs of its rules; InputError where they do not go with what is played for."""

    def __reduce__(self) -> tuple[Any, ...]:  # compiled anew
        told = self.parameters.get("goal"), self.parameters.get("turns")
        return type(self), (self.game, self.objective, self.players, *told)

    def settle(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """For ``reach``: the points to reach and, where they count, the turns; InputError where they cannot be."""
        raise InputError(f"{self.game.id} has no objective reach")

    @abstractmethod
    def start(self) -> Position:
        """The position in which the game begins."""

    @abstractmethod
    def stage(self, position: Position) -> Stage:
        """Whether somebody must choose, dice must be thrown, or it is over."""

    def mover(self, position: Any) -> int:
        """The seat to move, which most positions tell."""
        seat: int = position.seat
        return seat

    @abstractmethod
    def turn_begins(self, position: Position) -> bool:
        """Whether the position stands between turns: nothing has happened in this one yet."""

    @abstractmethod
    def choices(self, position: Position) -> tuple[Choice[Position], ...]:
        """Every legal choice, in the documented order of preference among equals."""

    @abstractmethod
    def throws(self, position: Position) -> Iterable[Fall[Position]]:
        """What may fall, with whole-number weights, and where each leads."""

    def fallen(self, position: Position, number: int) -> Position:
        """Where the throw leads that ``throws`` lists under this number."""
        return next(islice(self.throws(position), number, None))[1]

    def outcome(self, position: Any) -> tuple[Fraction, ...]:
        """What each seat gets, once the game is over: shares of the win or of a pot, points won or paid; alone points,
        or 1 for having got there.
        """
        ended: tuple[Fraction, ...] = position.ended
        return ended

    def made_again(self, position: Position, roll: Sequence[str]) -> str:
        """Why dice that may well fall are no throw of ``throws``, but made again; "" where they are or cannot fall."""
        return ""

    def deciding(self, position: Position) -> Position | None:
        """The position in which a throw that is about to be made was decided on; None where it had to be made."""
        return None

    @property
    def fewer_is_better(self) -> bool:
        """Whether values are better the lower they are; outcomes are then told as less than nothing."""
        return self.objective == "turns"

    def turn_key(self, start: Position) -> Hashable:
        """Turns that begin at positions with the same key offer the same choices, in the same words."""
        return start

    def moved(self, position: Position, start: Position) -> Position:
        """A position inside a turn as it stands in the turn that begins at ``start``, of the same ``turn_key``."""
        return position

    def landing(self, decision: Position, number: int, choice: Choice[Position], start: Position) -> Position:
        """Where this choice, the decision's ``number``, leads in the turn that begins at ``start``."""
        return self.choices(self.moved(decision, start))[number].after

    def holding(self, position: Position, points: int) -> Position:
        """The same position inside a turn with so many points in hand, where points are held."""
        return position

    unfollowed = ""  # why no policies are followed at this table

    kept_role = Role.ROLL  # of the field whose words are typed of what a choice keeps
    turn_words = "brings"  # what a turn does with points
    endings_told = True  # whether what a turn may end with says something of a throw: few different ends

    mishap_words = ("busts", "busting")  # what ``mishap`` is the chance of: heading of a column, and in a sentence

    def mishap(self, position: Position) -> Fraction | None:
        """The chance that the throw to come goes wrong; None where there is no such thing."""
        return None

    def wipe(self, position: Position) -> Fraction | None:
        """The chance that the throw to come loses the whole score, which is no part of ``mishap``; None where no throw
        of these rules does, or where the mishap is just that.
        """
        return None

    def goes_wrong(self, fallen: Position, held: int) -> str:
        """How a throw made with so many points in hand went wrong, whatever is chosen: "bust", the points in hand are
        lost; "wipe", the whole score; "" where it did not.
        """
        choices = self.choices(fallen)
        return "bust" if all(one.points < held and one.kind is not ChoiceKind.WIN for one in choices) else ""

    def unbanked(self, position: Position) -> str:
        """The rule that leaves nothing but another throw, where points in hand do not count yet."""
        return ""

    def note(self, position: Position) -> str:
        """What a player should know beside the choices."""
        return ""

    def turn_brings(self, position: Position, told: str) -> Position:
        """Return the position after a whole turn that brought what is told, as at a table where nobody says more.

        Raises:
            InputError: no turn from here brings that; it says what one can.
        """
        raise InputError(f"a turn of {self.game.id} is told throw by throw, not by what it brought")

    @cached_property
    def roles(self) -> Mapping[Role, str]:
        """The fields that mean something for any game, by name."""
        return {field.role: field.name for field in self.fields if field.role is not None}

    def told(self, position: Position, role: Role, unsaid: Any = None) -> Any:
        """What a position tells of a role; ``unsaid`` where it says nothing of it."""
        return self.tell(position).get(self.roles.get(role, ""), unsaid)

    def to_beat(self, position: Position) -> int | None:
        """The total of those before that whoever is to move must beat; None where there is none yet."""
        beat: int | None = self.told(position, Role.BEAT)
        return beat

    def course(self, position: Position) -> str:
        """How far the game is, where scores do not say it: "round 4 of 10"."""
        return ""

    def boxes(self, position: Position, seat: int) -> Mapping[str, bool]:
        """The boxes of a seat's card, and whether they are filled; nothing where there is no card."""
        return {}

    def filled(self, before: Position, after: Position, choice: Choice[Position] | None, told: str) -> dict[str, int]:
        """What a turn wrote into which boxes from ``before`` to ``after`` it: by its last choice, or as it was told."""
        return {}

    def sums(self, position: Position, seat: int) -> str:
        """What stands under a seat's card."""
        return ""

    def brings(self, position: Position) -> str:
        """What may be told of a whole turn from here, in words; "" where it is told throw by throw."""
        return ""

    def throw_in_words(self, position: Position) -> tuple[str, int]:
        """What is about to be thrown, in words, and how many dice that are."""
        return "throw the dice", 0

    def fall_asked(self, position: Position) -> str:
        """What is asked of somebody who has made the throw."""
        return DICE_ASKED

    @abstractmethod
    def tell(self, position: Position) -> dict[str, Any]:
        """The position as JSON tells it: the fields that say something, in their order."""

    def read(self, **told: object) -> Position:
        """Return the position that is told; None stands for not given.

        Raises:
            InputError: a field that positions of this table do not have, or a position that cannot occur.
        """
        check_numbers(told)
        known = {field.name: field for field in self.fields}
        given = {name: value for name, value in told.items() if value is not None}
        for name in given:
            if name not in known:
                what = f"{self.game.id} with the objective {self.objective}"
                raise InputError(f"a position of {what} has no {name}; it has {', '.join(known) or 'no fields at all'}")
        try:
            return self.make(**{name: known[name].read(value) for name, value in given.items()})
        except InputError as error:
            raise InputError(f"{error}{''.join(known[name].as_read(value) for name, value in given.items())}") from None

    @property
    def question(self) -> dict[str, Any]:
        """Everything that values depend on: what a table of them is named by."""
        return {
            "game": self.game.id,
            "objective": self.objective,
            "players": self.players,
            "parameters": dict(self.parameters),
            "rules": Rules(self.game.rules).plain(),
        }

    @cached_property
    def name(self) -> str:
        """What the ids of positions begin with: game, what is played for, and the rules by their fingerprint."""
        from ..storage.table_files import fingerprint

        seats = str(self.players) if self.players > 1 else ""
        return f"{self.game.id}:{self.objective}{seats}:{fingerprint(self.question)[:8]}"

    def id(self, position: Position) -> str:
        """The position as one short line of text, the same for the same position."""
        fields = {field.name: field for field in self.fields}
        told = (f"{name}={fields[name].spell(value)}" for name, value in self.tell(position).items())
        return "/".join([self.name, *told])

    @validate_arguments
    def position(self, text: str) -> Position:
        """Return the position of an id.

        Raises:
            InputError: no id, or one of another game, question or rule set.
        """
        name, *parts = text.strip().split("/")
        if name != self.name:
            which = "rules, goal or turns" if self.parameters else "rules"
            same = name.rpartition(":")[0] == self.name.rpartition(":")[0]  # all but the fingerprint
            again = f"; it is of other {which}: an id does not carry them, tell them again" if same else ""
            raise InputError(
                f"{name or 'nothing'} is not the id of a position under these rules: theirs begin {self.name}/{again}"
            )
        told = dict(part.partition("=")[::2] for part in parts)
        if len(told) != len(parts) or not all(told.values()):
            raise InputError(f"{text} is no id of a position; one reads like {self.id(self.start())}")
        return self.read(**told)

    def seats_from(self, seat: int) -> list[int]:
        """All seats in turn order from one of them on."""
        return [(seat + order) % self.players for order in range(self.players)]
