"""A turn as data for the page: its rolls, their outcomes, and the choices after them, in the game's own words.

The graph is built by walking the game as it is played, so the page needs no rules. Turn points are left open: texts
contain ``{}`` in their place, choices ``OPEN``, and a choice states how many points it adds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ...play.input_parser import format_roll
from ...play.playable_game import Choice, PlayableGame, Stage
from ...play.position_fields import Field, FieldKind, Role
from ...turns.push_turn import PushTurn
from .choice_data import EncodedChoice, encode_choice

# The fields of a position inside a turn, as (name, text); "{}" stands for the turn points and "*" for the dice.
Form = tuple[tuple[str, str], ...]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # a die is written as the digit of its face
# When a choice is offered: always, if its points count when banked, or if they do not count.
ALWAYS, COUNTS, NOT = 0, 1, 2
LOST = 3  # always, and earlier turn points are lost


@dataclass
class Pool:
    """Distinct values, numbered in the order in which they are first used."""

    numbers: dict[Hashable, int] = field(default_factory=dict)

    def __call__(self, value: Hashable) -> int:
        """Return the number of a value; add the value if it is new."""
        return self.numbers.setdefault(value, len(self.numbers))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.numbers)


class DiceSums(NamedTuple):
    """What the page needs to number and read the rolls of a turn whose dice are added up.

    Attributes:
        points: by face, the points of a die; None if a roll with this face scores nothing.
        weights: by face, the number of sides of a die that show it.
    """

    points: tuple[int | None, ...]
    weights: tuple[int, ...]


@dataclass
class PageTurnGraph:
    """Rolls, decisions and choices of a turn.

    A choice is a tuple of its kind and data (a number of ``acts``), the dice kept, the points added, the dice left,
    what follows (``FollowUp``), the kind of its successor, the number of the successor, and when it is offered. What
    follows and the kind of the successor are numbers of ``words``.

    If ``sums`` is given, rolls have no list of outcomes. Their ``examples`` are the decisions after an outcome that
    scores and after one that does not; -1 if there is none.
    """

    faces: Sequence[str]
    words: Pool = field(default_factory=Pool)
    acts: Pool = field(default_factory=Pool)
    choices: Pool = field(default_factory=Pool)
    lists: Pool = field(default_factory=Pool)
    forms: Pool = field(default_factory=Pool)
    decisions: list[tuple[int, int, int, str]] = field(default_factory=list)
    throws: list[dict[str, Any]] = field(default_factory=list)
    sums: DiceSums | None = None

    def dice(self, faces: Iterable[object]) -> str:
        """Return dice as the digits of their faces."""
        return "".join([self._digits[str(face)] for face in faces])

    @cached_property
    def _digits(self) -> dict[str, str]:
        return dict(zip(self.faces, DIGITS, strict=False))

    def choice(
        self,
        choice: Choice[Any],
        act: EncodedChoice,
        add: int,
        kind: str,
        to: int,
        when: int = ALWAYS,
        plain: int | None = None,
    ) -> int:
        """Add a choice and return its number.

        Args:
            choice: the choice.
            act: its kind and data, with turn points left open.
            add: the points that it adds.
            kind: the kind of its successor: "throw", "choose" or an ending.
            to: the number of the successor.
            when: when it is offered: ``ALWAYS``, ``COUNTS``, ``NOT`` or ``LOST``.
            plain: its points, if they differ from the turn points.
        """
        kept_dice, follow_up = self.dice(choice.keep), self.words(choice.follow_up.value)
        row = (self.acts(act), kept_dice, add, choice.dice_left, follow_up, self.words(kind), to, when)
        return self.choices(row if plain is None else (*row, plain))

    def decision(self, choices: Sequence[int], form: Form, roll: Iterable[object] = (), note: str = "") -> int:
        """Add a decision and return its number.

        Args:
            choices: the numbers of its choices.
            form: the fields of its position.
            roll: the faces of the dice on the table.
            note: a remark of the game.
        """
        self.decisions.append((self.lists(tuple(choices)), self.words(note), self.forms(form), self.dice(roll)))
        return len(self.decisions) - 1

    def throw(self, form: Form, decisions: Sequence[int], weights: Sequence[int], **details: Any) -> None:
        """Add a roll.

        Args:
            form: the fields of its position.
            decisions: the decisions after each outcome.
            weights: the weights of the outcomes.
            details: further data for the page.
        """
        outcomes = {"falls": runs(decisions), "weights": list(weights)}
        self.throws.append({"form": self.forms(form), **outcomes, **details})

    def as_json(self) -> dict[str, Any]:
        """Return the graph as the page reads it."""
        pools = {name: list(getattr(self, name)) for name in ("words", "acts", "choices", "lists", "forms")}
        graph = {"faces": list(self.faces), **pools, "decisions": self.decisions, "throws": self.throws}
        return graph | {"sums": self.sums._asdict()} if self.sums else graph


def runs(numbers: Sequence[int]) -> list[list[int]]:
    """Return numbers as runs of consecutive ones, each as its first number and its length."""
    pairs: list[list[int]] = []
    for number in numbers:
        if pairs and sum(pairs[-1]) == number:
            pairs[-1][1] += 1
        else:
            pairs.append([number, 1])
    return pairs


class KernelNode(NamedTuple):
    """The place of a roll in the compiled turn: its mode, and which of the mode's rolls it is."""

    mode: int
    roll: int


class PageTurnEnding(NamedTuple):
    """An ending of a turn: its kind, its points, and a number that distinguishes such endings."""

    kind: str
    points: int
    number: int


def walk_turns(
    playable: PlayableGame[Any],
    starts: Iterable[Any],
    kernel_node: Callable[[Any], KernelNode],
    ending: Callable[[Any, Choice[Any]], PageTurnEnding],
    roll_act: Callable[[Any], EncodedChoice],
) -> tuple[PageTurnGraph, dict[Any, tuple[str, int]]]:
    """Walk turns that begin without turn points, position by position.

    Args:
        playable: the game as it is played.
        starts: the positions in which the turns begin.
        kernel_node: returns the place of a position before a roll in the compiled turn.
        ending: returns how a choice in a position ends the turn.
        roll_act: returns the kind and data of the roll in a position.

    Returns:
        The graph, and for each start "throw" or "choose" with its number in the graph.
    """
    walk = _TurnWalk(playable, kernel_node, ending, roll_act)
    roots = {start: walk.node(start) for start in starts}
    walk.run()
    return walk.graph, roots


class _TurnWalk:
    """A walk through turns. Positions are numbered when they are met, rolls and decisions separately."""

    def __init__(
        self,
        playable: PlayableGame[Any],
        kernel_node: Callable[[Any], KernelNode],
        ending: Callable[[Any, Choice[Any]], PageTurnEnding],
        roll_act: Callable[[Any], EncodedChoice],
    ) -> None:
        self.playable, self.kernel_node, self.ending, self.roll_act = playable, kernel_node, ending, roll_act
        self.graph = PageTurnGraph(_faces(playable))
        self.numbers: dict[Any, int] = {}
        self.rolls: list[Any] = []
        self.decisions: list[Any] = []

    def node(self, position: Any) -> tuple[str, int]:
        """Return the kind of a position inside a turn and its number; add it if it is new."""
        is_roll = self.playable.stage(position) is Stage.CHANCE
        if position not in self.numbers:
            positions = self.rolls if is_roll else self.decisions
            self.numbers[position] = len(positions)
            positions.append(position)
        return ("throw" if is_roll else "choose"), self.numbers[position]

    def run(self) -> None:
        """Add all positions that follow; rolls go first."""
        graph = self.graph
        while len(graph.decisions) < len(self.decisions) or len(graph.throws) < len(self.rolls):
            if len(graph.throws) < len(self.rolls):
                self._add_roll(self.rolls[len(graph.throws)])
            else:
                self._add_decision(self.decisions[len(graph.decisions)])

    def _add_roll(self, position: Any) -> None:
        playable = self.playable
        outcomes = list(playable.rolls(position))
        kernel_node = self.kernel_node(position)
        _, dice = playable.describe_roll(position)
        mishap = playable.mishap_probability(position)
        details: dict[str, Any] = {
            "dice": dice,
            "before": -1,
            "mode": kernel_node.mode,
            "way": kernel_node.roll,
            "act": self.roll_act(position),
            "offset": 0,
            "note": playable.note(position),
            "mishap": None if mishap is None else float(mishap),
        }
        if not all(
            playable.value_of_role(after, Role.ROLL) for _, after in outcomes
        ):  # dice do not tell the outcomes apart
            details["told"] = [format_roll(playable, position, after) for _, after in outcomes]
        numbers = [self.node(after)[1] for _, after in outcomes]
        self.graph.throw(inside_form(playable, position), numbers, [weight for weight, _ in outcomes], **details)

    def _add_decision(self, position: Any) -> None:
        playable = self.playable
        choices = [self._add_choice(position, choice) for choice in playable.choices(position)]
        roll = playable.value_of_role(position, Role.ROLL, ())
        self.graph.decision(choices, inside_form(playable, position), roll, playable.note(position))

    def _add_choice(self, position: Any, choice: Choice[Any]) -> int:
        playable, after = self.playable, choice.after
        points = 0
        if playable.is_turn_start(after) or playable.stage(after) is Stage.TERMINAL:
            kind, points, number = self.ending(position, choice)
        else:
            kind, number = self.node(after)
        assert choice.data is not None
        act = encode_choice(choice.kind, choice.data)
        return self.graph.choice(choice, act, points, kind, number, plain=choice.points)


def _faces(playable: PlayableGame[Any]) -> tuple[str, ...]:
    """Return the faces of the dice, then names of tiles that are no faces."""
    dice_fields = (field for field in playable.fields if field.is_inside_turn and field.kind is FieldKind.DICE)
    faces = next((field.words for field in dice_fields), ())
    tiles = (word for field in playable.fields if field.role is Role.STANDING for word in field.words)
    return (*faces, *(tile for tile in tiles if tile not in faces))


def inside_form(playable: PlayableGame[Any], position: Any) -> Form:
    """Return the fields of a position inside a turn, as texts."""
    if playable.is_turn_start(position):
        return ()
    values = playable.to_dict(position)
    fields = (field for field in playable.fields if field.is_inside_turn and field.name in values)
    return tuple((field.name, _format_inside(field, values[field.name])) for field in fields)


def _format_inside(field: Field, value: Any) -> str:
    if field.role is Role.ROLL:
        return "*"
    return ",".join(value) if field.role is Role.STANDING else format_field(value)


def field_rows(playable: PlayableGame[Any]) -> list[list[Any]]:
    """Return name, kind, help, whether it is inside a turn, and words of each field of a game's positions."""
    return [
        [field.name, field.kind.name, field.help, field.is_inside_turn, list(field.words)] for field in playable.fields
    ]


def turn_parts(turn: PushTurn, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a compiled turn for the page's kernel: its numbers, and its arrays with `name` before their names."""
    numbers = {
        "modes": len(turn.modes),
        "specials": turn.special_count,
        "groups": len(turn.groups),
        "start": turn.start,
        "forbid": int(turn.forbids_overshoot),
        "max_add": turn.max_added_points,
        "over_passes": turn.forced_passes,
    }
    return numbers, {f"{name}.{key}": array for key, array in turn.arrays.items()}


def format_field(value: object) -> str:
    """Return the value of a field as text, as in ids."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        items = [str(item) for item in value]
        separator = "" if all(len(item) == 1 for item in items) else ","
        return separator.join(items).replace(" ", "_")
    return str(value).replace(" ", "_")
