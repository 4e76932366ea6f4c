"""Games as people play them: positions, legal choices, rolls and payoffs.

A ``PlayableGame`` is a game under its rules, with seats and an objective. It follows the rules step by step, in whole
numbers and fractions, and solves nothing. Every family of games has its own in a file of this package; start reading
with ``hearts.py``, the shortest. ``Choice`` is what a player may do, ``ChoiceKind`` what that is.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..games import Game
from ..games.ruleset import check_numbers
from ..util.arguments import validate_arguments
from ..util.errors import InputError, abbreviate, argument
from .choice_kinds import ChoiceData, ChoiceKind, FollowUp, follow_up_of
from .choice_text import format_choice
from .position_fields import Field, Role

if TYPE_CHECKING:
    from .seats import Tie

Position = TypeVar("Position", bound=Hashable)
ROLL_QUESTION = "What did you get?"
WeightedRoll = tuple[int, Position]  # the whole-number weight of a roll, and the position that it leads to


class BelowMinimumError(InputError):
    """The points of a turn are fewer than a bank must bring."""


class Stage(str, Enum):
    """The three kinds of position; each also equals its text, such as ``"choose"``."""

    DECISION = "choose"  # a player has to choose
    CHANCE = "throw"  # dice have to be rolled
    TERMINAL = "over"  # the game is over


@dataclass(frozen=True)
class Choice(Generic[Position]):
    """One legal choice.

    Programs decide by ``kind`` and ``data``; ``action`` is only for people, and may be worded in another way.

    Attributes:
        words: the choice in words in a game of your own; "" if the words follow from ``kind`` and ``data``.
        keep: the dice set aside, or the tiles shut, as people type them.
        points: points in hand once the choice is made.
        dice_left: number of dice of the next roll, 0 if the turn ends.
        after: the position that the choice leads to.
        kind: what the choice does.
        data: what ``action`` says, by the family of the game; None in a game of your own that gives ``words``.
    """

    words: str
    keep: tuple[str, ...]
    points: int
    dice_left: int
    after: Position
    kind: ChoiceKind = field(default=ChoiceKind.OTHER, kw_only=True)
    data: ChoiceData | None = field(default=None, kw_only=True)

    @cached_property
    def action(self) -> str:
        """The choice in words."""
        return self.words if self.data is None else format_choice(self.kind, self.data)

    @property
    def follow_up(self) -> FollowUp:
        """What follows the choice, as JSON has it under ``then``; it follows from the kind and the data."""
        return follow_up_of(self.kind, self.data)

    @property
    def meaning(self) -> Hashable:
        """A key of the choice that means the same in every position; different for all choices of a position."""
        return self.kind, self.words if self.data is None else self.data


AnyChoice = TypeVar("AnyChoice", bound=Choice[Any])


def make_choice(
    kind: ChoiceKind,
    data: ChoiceData,
    after: Position,
    keep: tuple[str, ...] = (),
    points: int = 0,
    dice_left: int = 0,
) -> Choice[Position]:
    """Return a choice whose words follow from its kind and data; see ``Choice``."""
    return Choice("", keep, points, dice_left, after, kind=kind, data=data)


def find_choice(choices: Iterable[AnyChoice], sought: Choice[Any]) -> AnyChoice | None:
    """Return the choice that means the same as ``sought``, which may be of another position; None if none does."""
    return next((choice for choice in choices if choice.meaning == sought.meaning), None)


def replace_fields(position: Position, **changes: Any) -> Position:
    """Return a position with some fields replaced.

    This is ``dataclasses.replace`` without a call of ``__init__``, which takes most of the time of a walk.
    """
    copy = object.__new__(type(position))
    copy.__dict__.update(position.__dict__)
    copy.__dict__.update(changes)
    return copy


class PlayableGame(ABC, Generic[Position]):
    """A game under its rules, with seats and an objective; seats count from 0, which began the game.

    A subclass says what its positions are (``fields``, ``position_from_fields``, ``to_dict``) and what the rules allow
    (``start``, ``stage``, ``choices``, ``rolls``). The other methods have defaults.

    Attributes:
        game: the game.
        objective: ``win``, ``margin`` or ``chips`` for several players; ``points``, ``turns``, ``rate`` or ``reach``
            for one.
        players: number of seats.
        parameters: ``goal`` and ``turns`` of the objective ``reach``; ``goal`` of ``points`` if it is given.
        fields: values that describe a position, in the order in which people read them.
        decision_kinds: stages inside a turn in which rows of a policy are listed: before a roll, after a roll.
        has_decisions: whether some position offers more than one choice.
        policy_refusal: why policies cannot be followed in this game, "" if they can.
        games_by_seat: if seats have rules of their own, the game as each seat plays it; else empty.
        kept_role: role of the field whose words name what a choice keeps.
        turn_verb: verb for what a turn does with points.
        lists_endings: whether a list of the endings of a turn helps to explain a roll, because they are few.
        rules_are_data: whether files can hold the rules, so that a value table can be saved.
        tells_final_points: whether the points of a choice that ends the game are its final points for ``reach`` too. No
            roll may end such a game without a choice.
        mishap_words: what can go wrong in a roll: heading of a column, and the word in a sentence.
    """

    fields: tuple[Field, ...]
    decision_kinds: tuple[str, ...] = ("throws", "rolls")
    has_decisions = True
    policy_refusal = ""
    games_by_seat: tuple[PlayableGame[Position], ...] = ()
    rules_are_data = True
    kept_role = Role.ROLL
    turn_verb = "scores"
    lists_endings = True
    tells_final_points = False
    mishap_words = ("busts", "busting")

    # Builds a position from field values by name; raises InputError if the position cannot occur.
    position_from_fields: Callable[..., Position]

    def __init__(
        self, game: Game, objective: str, players: int, goal: int | None = None, turns: int | None = None
    ) -> None:
        self.game = game
        self.objective = objective
        self.players = players
        self.parameters: Mapping[str, int] = {}
        if objective == "reach":
            self.parameters = self.validate_parameters(goal, turns)
        elif goal is not None:
            self.parameters = self.validate_goal(goal)
        self.prepare()

    def prepare(self) -> None:
        """Compute once what the game needs of its rules.

        Raises:
            InputError: the rules and the objective do not go together.
        """

    def __reduce__(self) -> tuple[Any, ...]:
        # What is computed from the rules is not pickled: it is computed anew.
        goal, turns = self.parameters.get("goal"), self.parameters.get("turns")
        return type(self), (self.game, self.objective, self.players, goal, turns)

    def validate_parameters(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """Return the parameters of the objective ``reach``.

        Args:
            goal: points to reach.
            turns: turns in which they have to be reached, None if turns do not count.

        Raises:
            InputError: a parameter is missing or not possible.
        """
        raise InputError(f"{self.game.id} does not have the objective reach")

    @property
    def reach_requires_turns(self) -> bool:
        """Return True if the objective ``reach`` requires a number of turns, because the game does not set it."""
        return False

    def reach_turns(self, position: Position, turns: int | None) -> tuple[int | None, int | None]:
        """Return the turns of the objective ``reach`` for a player in the middle of a game of several players.

        Args:
            position: the position at the table.
            turns: turns that the player still wants to have, None if that was not said.

        Returns:
            The parameter ``turns`` of ``reach``, and how many of them are left. Each is None if it need not be given.
        """
        return turns, None

    def validate_goal(self, goal: int) -> dict[str, int]:
        """Return the parameters of the objective ``points`` with a goal: a bank is worth no more than is missing to it.

        Raises:
            InputError: the game has no such objective, or the goal is not possible.
        """
        raise InputError(
            f"{self.game.id} does not accept {argument('goal')} for the objective {self.objective}; leave"
            f" {argument('goal')} out"
        )

    # --- the rules

    @abstractmethod
    def start(self) -> Position:
        """Return the position in which the game begins."""

    @abstractmethod
    def stage(self, position: Position) -> Stage:
        """Return whether a player has to choose, dice have to be rolled, or the game is over."""

    def player_to_move(self, position: Any) -> int:
        """Return the seat of the player to move."""
        seat: int = position.seat
        return seat

    @abstractmethod
    def is_turn_start(self, position: Position) -> bool:
        """Return whether nothing has happened in the turn yet."""

    @abstractmethod
    def choices(self, position: Position) -> tuple[Choice[Position], ...]:
        """Return every legal choice, in the documented order of preference among equal values."""

    @abstractmethod
    def rolls(self, position: Position) -> Iterable[WeightedRoll[Position]]:
        """Yield every roll as its whole-number weight and the position that it leads to."""

    def roll_at(self, position: Position, number: int) -> Position:
        """Return the position after the roll with this number, counted from 0 in the order of ``rolls``."""
        return next(islice(self.rolls(position), number, None))[1]

    def payoffs(self, position: Any) -> tuple[Fraction, ...]:
        """Return what each seat gets in a terminal position.

        That is a share of the win, chips or points won or lost; for one player points, or 1 if the goal is reached.
        """
        payoffs: tuple[Fraction, ...] = position.ended
        return payoffs

    def dice_of_total(self, position: Position, roll: tuple[str, ...]) -> tuple[str, ...]:
        """Return dice with the total that was typed in place of a roll, if only their total matters.

        Args:
            position: the position before the roll.
            roll: the dice as typed; one number may be a total. By default they are returned.
        """
        return roll

    def explain_reroll(self, position: Position, roll: Sequence[str]) -> str:
        """Return why a possible roll is made again instead of being one of ``rolls``; "" if that is not so."""
        return ""

    def decision_before_roll(self, position: Position) -> Position | None:
        """Return the position in which the player decided on the roll to come; None if the roll had to be made."""
        return None

    @property
    def fewer_is_better(self) -> bool:
        """True if lower values are better; outcomes are negative numbers then."""
        return self.objective == "turns"

    @property
    def no_points_words(self) -> str:
        """The words for a turn without points in an explanation."""
        return "nothing"

    def points_span(self, position: Position) -> str:
        """Return the words after a value in points that say which points it counts; "" if there is no doubt."""
        return ""

    def check_position(self, position: Position) -> None:
        """Raise InputError if the rules say something impossible at a position.

        Rules that are data have been checked when they were compiled.
        """

    # --- turns that offer the same

    def turn_key(self, start: Position) -> Hashable:
        """Return a key that is equal for turns that offer the same choices with the same meanings.

        Args:
            start: the position in which the turn begins.
        """
        return start

    def move_to_turn(self, position: Position, start: Position) -> Position:
        """Return a position inside a turn as it is in the turn that begins at ``start``, which has the same key."""
        return position

    def position_after_choice(
        self, decision: Position, number: int, choice: Choice[Position], start: Position
    ) -> Position:
        """Return where a choice leads in the turn that begins at ``start``.

        Args:
            decision: a position in a turn with the same key.
            number: the number of the choice among those of ``decision``.
            choice: the choice.
            start: the position in which the other turn begins.
        """
        return self.choices(self.move_to_turn(decision, start))[number].after

    def with_turn_points(self, position: Position, points: int) -> Position:
        """Return a position inside a turn with other turn points, if the game has turn points."""
        return position

    # --- what can go wrong

    def mishap_probability(self, position: Position) -> Fraction | None:
        """Return the probability that the next roll goes wrong; None if that cannot happen in this game."""
        return None

    def wipe_probability(self, position: Position) -> Fraction | None:
        """Return the probability that the next roll loses the whole score.

        None if no roll does under these rules, or if ``mishap_probability`` is this probability.
        """
        return None

    def classify_roll(self, after_roll: Position, turn_points: int) -> str:
        """Return how a roll goes wrong whatever the player chooses.

        Args:
            after_roll: the position after the roll.
            turn_points: turn points before the roll.

        Returns:
            "bust" if the turn points are lost, "wipe" if the whole score is, "" if neither is.
        """
        choices = self.choices(after_roll)
        is_bust = all(choice.points < turn_points and choice.kind is not ChoiceKind.WIN for choice in choices)
        return "bust" if is_bust else ""

    def explain_no_bank(self, position: Position) -> str:
        """Return the rule because of which the player has to roll on, if turn points do not count yet; else ""."""
        return ""

    def explain_kept(self, position: Position, dice: Sequence[str]) -> str:
        """Return a sentence that all dice to be kept are kept by the rules anyway; "" if some are not."""
        return ""

    def note(self, position: Position) -> str:
        """Return what a player should know besides the choices."""
        return ""

    # --- whole turns, and what people see

    def play_whole_turn(self, position: Position, result_text: str) -> Position:
        """Return the position after a whole turn of which only the result is entered.

        Args:
            position: where the turn begins.
            result_text: the result as it is typed; ``describe_turn_results`` says what is possible.

        Raises:
            InputError: no turn from here has this result.
        """
        raise InputError(f"{self.game.id} does not accept the result of a whole turn; enter each roll and choice")

    def recorded_result(self, position: Position, result_text: str) -> str:
        """Return a possible result of a whole turn as game files record it, whatever words it is typed in.

        Args:
            position: where the turn begins.
            result_text: a result that ``play_whole_turn`` accepts.
        """
        return result_text

    def explain_result(self, position: Position, result_text: str) -> str:
        """Return what the result of a whole turn means besides its words, such as what a bust costs; "" if nothing."""
        return ""

    def describe_turn_results(self, position: Position) -> str:
        """Return in words which results of a whole turn can be entered; "" if turns are entered roll by roll."""
        return ""

    def fields_at(self, position: Position) -> Sequence[Field]:
        """Return the fields with the dice of the player to move."""
        return self.fields

    def fields_for(self, values: Mapping[str, object]) -> Sequence[Field]:
        """Return the fields that read these values of a position, by name: with the dice of the seat that they name."""
        return self.fields

    @cached_property
    def roles(self) -> Mapping[Role, str]:
        """Names of the fields that have a meaning in every game."""
        return {field.role: field.name for field in self.fields if field.role is not None}

    def value_of_role(self, position: Position, role: Role, unsaid: Any = None) -> Any:
        """Return the value of the field with a role; ``unsaid`` if the position has no such value."""
        return self.to_dict(position).get(self.roles.get(role, ""), unsaid)

    def total_to_beat(self, position: Position) -> int | None:
        """Return the best total of earlier players, which the player to move has to beat; None if there is none."""
        total: int | None = self.value_of_role(position, Role.TOTAL_TO_BEAT)
        return total

    def describe_progress(self, position: Position) -> str:
        """Return how far the game is, unless scores say it: "round 4 of 10"."""
        return ""

    @property
    def playoff_name(self) -> str:
        """What extra turns of tied players are called."""
        return "playoff"

    def find_tie(self, before: Position, after: Position) -> Tie | None:
        """Return the tie for the best total that the step from ``before`` to ``after`` led to; None if there is none.

        The tied players have one more turn each.
        """
        return None

    def boxes(self, position: Position, seat: int) -> Mapping[str, bool]:
        """Return whether each box of a seat's scorecard is filled; empty if the game has no scorecard."""
        return {}

    def filled_boxes(
        self, before: Position, after: Position, choice: Choice[Position] | None, text: str
    ) -> dict[str, int]:
        """Return the points that a turn entered, by box.

        Args:
            before: where the turn began.
            after: the position after the turn.
            choice: the last choice of the turn; None if only its result was entered.
            text: that result.
        """
        return {}

    def points_paid(self, position: Position) -> int:
        """Return the points that the rolls of a turn have cost so far: 0 unless the rules have such costs."""
        return 0

    def describe_card_sums(self, position: Position, seat: int) -> str:
        """Return the line below a seat's scorecard."""
        return ""

    def result_question(self, position: Position) -> str:
        """Return the question for the result of somebody's whole turn."""
        return "what was the result?" if self.describe_turn_results(position) else "what happened?"

    def dice_name(self, position: Position) -> str:
        """Return the name of the dice to roll, if players have dice of their own and all dice of a player are alike."""
        return ""

    def describe_roll(self, position: Position) -> tuple[str, int]:
        """Return the roll to come in words, and the number of its dice."""
        return "roll the dice", 0

    def rolls_dice(self, position: Position) -> bool:
        """Return whether the next roll is one of dice, as in all games but those of pieces."""
        return True

    def roll_question(self, position: Position) -> str:
        """Return the question to a player who has rolled the dice at the table."""
        return ROLL_QUESTION

    # --- positions as data and as text

    @abstractmethod
    def to_dict(self, position: Position) -> dict[str, Any]:
        """Return the field values of a position, in the order of ``fields``, without those that say nothing."""

    def position(self, **field_values: object) -> Position:
        """Return the position with these field values; None means that a value is not given.

        Raises:
            InputError: a field that this game does not have, or a position that cannot occur.
        """
        check_numbers(field_values)
        fields = {field.name: field for field in self.fields_for(field_values)}
        values = {name: value for name, value in field_values.items() if value is not None}
        for name in values:
            if name not in fields:
                game_name = f"{self.game.id} with the objective {self.objective}"
                names = f"known fields: {', '.join(fields)}" if fields else "such a position has no fields"
                raise InputError(f"unknown field '{name}' for a position of {game_name}; {names}")
        try:
            return self.position_from_fields(**{name: fields[name].parse(value) for name, value in values.items()})
        except InputError as error:
            hints = "".join(fields[name].explain_thousands(value) for name, value in values.items())
            raise InputError(f"{error.marked_message}{hints}") from None

    @property
    def problem_key(self) -> dict[str, Any]:
        """Everything that values depend on, from which the fingerprint of a value table is made."""
        return {
            "game": self.game.id,
            "objective": self.objective,
            "players": self.players,
            "parameters": dict(self.parameters),
            "rules": self.game.identifying_rules(),
        }

    @cached_property
    def id_prefix(self) -> str:
        """The beginning of all ids of positions: game, objective, players and the fingerprint."""
        from ..storage.table_files import fingerprint

        seats = str(self.players) if self.players > 1 else ""
        return f"{self.game.id}:{self.objective}{seats}:{fingerprint(self.problem_key)[:8]}"

    def id(self, position: Position) -> str:
        """Return a position as one short line of text; equal positions have equal ids."""
        fields = {field.name: field for field in self.fields}
        values = (f"{name}={fields[name].format_for_id(value)}" for name, value in self.to_dict(position).items())
        return "/".join([self.id_prefix, *values])

    def long_id(self, position: Position) -> str:
        """Return an id that carries the rules, the goal and the turns as well; see ``long_ids``."""
        from .long_ids import format_head

        head, *fields = self.id(position).split("/")
        return "/".join([head + format_head(self.game, self.parameters), *fields])

    @validate_arguments
    def from_id(self, text: str) -> Position:
        """Return the position with an id or a long id.

        Raises:
            InputError: not an id, or one of another game, problem or rule set.
        """
        name, *parts = text.strip().split("/")
        name = ":".join(name.split(":")[:3])  # without the rules of a long id, which the fingerprint stands for
        if name != self.id_prefix:
            setup = "rules, goal or turns" if self.parameters else "rules"
            problem_name, _, fingerprint = name.rpartition(":")
            is_same_problem = problem_name == self.id_prefix.rpartition(":")[0]
            if is_same_problem and re.fullmatch("[0-9a-f]{8}", fingerprint):
                raise InputError(
                    f"the id {abbreviate(name)} belongs to other {setup}; give those that it was made with, or check"
                    " that you copied the whole id"
                )
            wrong = f"not an id of a position: {abbreviate(name) or 'an empty text'}"
            if re.fullmatch("[^:]+:[^:]+:[0-9a-f]{8}", name):
                other_game = name.partition(":")[0]
                is_other = other_game != self.game.id
                other = (
                    f"{other_game}, not for {self.game.id}" if is_other else "another objective or number of players"
                )
                wrong = f"the id {abbreviate(name)} is for {other}"
            raise InputError(f"{wrong}; give an id that begins with {self.id_prefix}/")
        values = dict(part.partition("=")[::2] for part in parts)
        if len(values) != len(parts) or not all(values.values()):
            raise InputError(f"not an id of a position: {abbreviate(text)}; an example is {self.id(self.start())}")
        return self.position(**values)

    def seats_from(self, seat: int) -> list[int]:
        """Return all seats in turn order, beginning with ``seat``."""
        return [(seat + distance) % self.players for distance in range(self.players)]
