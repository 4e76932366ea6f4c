"""A turn as a page carries it: throws, what may fall, and what may then be chosen, in the game's own words.

It is walked once in the game as it is played, so a page knows no rules. Points in hand are left open: words hold
``{,}`` (or ``{}``, without separators) where they name them, and a choice says how many it adds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...play.input_parser import spell_fall
from ...play.playable_game import Choice, Table
from ...play.position_fields import Kind, Role
from ...turns.push_turn import PushTurn

# How a position inside a turn is told: fields with what stands there; ``{}`` are the points in hand, ``*`` the dice.
Form = tuple[tuple[str, str], ...]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # a die is told by the number of its face
ALWAYS, COUNTS, NOT = 0, 1, 2  # when a choice is there: always, where its points count if banked, where they do not
LOST = 3  # always, and the points in hand before it are lost


@dataclass
class Pool:
    """Things that are told once and then by their number."""

    known: dict[Hashable, int] = field(default_factory=dict)

    def __call__(self, one: Hashable) -> int:
        """The number of a thing."""
        return self.known.setdefault(one, len(self.known))

    def __iter__(self) -> Any:
        return iter(self.known)


@dataclass
class TurnGraph:
    """The throws, decisions and choices of a turn.

    A choice is (words, dice kept, points added, dice left, then, kind of what follows, its number, when it is there):
    words and kinds by their numbers in ``words``; what follows a throw is the number of the throw.
    """

    faces: Sequence[str]
    words: Pool = field(default_factory=Pool)
    choices: Pool = field(default_factory=Pool)
    lists: Pool = field(default_factory=Pool)
    forms: Pool = field(default_factory=Pool)
    decisions: list[tuple[int, int, int, str]] = field(default_factory=list)
    throws: list[dict[str, Any]] = field(default_factory=list)

    def dice(self, shown: Iterable[object]) -> str:
        """Dice by the numbers of their faces."""
        return "".join(DIGITS[self.faces.index(str(face))] for face in shown)

    def choice(
        self,
        choice: Choice[Any],
        words: str,
        add: int,
        kind: str,
        to: int,
        when: int = ALWAYS,
        plain: int | None = None,
    ) -> int:
        """Enter a choice; ``plain``: its points, where they are not those in hand."""
        kept, then = self.dice(choice.keep), self.words(choice.then)
        row = (self.words(words), kept, add, choice.dice_left, then, self.words(kind), to, when)
        return self.choices(row if plain is None else (*row, plain))

    def decision(self, choices: Sequence[int], form: Form, shown: Iterable[object] = (), note: str = "") -> int:
        """Enter a decision; ``form``: how its position is told, and ``shown`` the dice that lie."""
        self.decisions.append((self.lists(tuple(choices)), self.words(note), self.forms(form), self.dice(shown)))
        return len(self.decisions) - 1

    def throw(self, form: Form, falls: Sequence[int], weights: Sequence[int], **told: Any) -> None:
        """Enter a throw: the decisions that it may fall to; ``told``: what else the page must know of it."""
        self.throws.append({"form": self.forms(form), "falls": runs(falls), "weights": list(weights), **told})

    def as_json(self) -> dict[str, Any]:
        """The graph as the page reads it."""
        pools = {name: list(getattr(self, name)) for name in ("words", "choices", "lists", "forms")}
        return {"faces": list(self.faces), **pools, "decisions": self.decisions, "throws": self.throws}


def runs(numbers: Sequence[int]) -> list[list[int]]:
    """Whole numbers as runs of neighbours: where each begins, and how long it is."""
    found: list[list[int]] = []
    for number in numbers:
        if found and sum(found[-1]) == number:
            found[-1][1] += 1
        else:
            found.append([number, 1])
    return found


def walked(
    table: Table[Any],
    starts: Iterable[Any],
    kernel: Callable[[Any], tuple[int, int]],
    ending: Callable[[Any, Choice[Any]], tuple[str, int, int]],
) -> tuple[TurnGraph, dict[Any, tuple[str, int]]]:
    """Walk turns without points in hand, from each of ``starts``, position by position.

    ``kernel`` says which mode and throw of the kernel a position about to throw stands for, ``ending`` how a choice
    ends the turn: what kind of end it is, its points, its number. Returns the graph, and where each start stands in it.
    """
    words = {field.name: field for field in table.fields if field.inside}
    dice = next((field.words for field in words.values() if field.kind is Kind.DICE), ())
    graph = TurnGraph(dice)
    numbers: dict[Any, int] = {}  # of throws and of decisions, as they are met
    throws: list[Any] = []
    chosen: list[Any] = []

    def number(position: Any) -> int:
        if position not in numbers:
            here = throws if table.stage(position) == "throw" else chosen
            numbers[position] = len(here)
            here.append(position)
        return numbers[position]

    roots = {start: (("throw" if table.stage(start) == "throw" else "choose"), number(start)) for start in starts}
    done = 0
    while done < len(chosen) or len(graph.throws) < len(throws):
        if len(graph.throws) < len(throws):
            here = throws[len(graph.throws)]
            falls = list(table.throws(here))
            mode, way = kernel(here)
            shown = [table.told(after, Role.ROLL) for _, after in falls]
            mishap = table.mishap(here)
            graph.throw(
                inside_form(table, here),
                [number(after) for _, after in falls],
                [weight for weight, _ in falls],
                dice=table.throw_in_words(here)[1],
                before=-1,
                mode=mode,
                way=way,
                words=table.throw_in_words(here)[0],
                offset=0,
                note=table.note(here),
                mishap=None if mishap is None else float(mishap),
                **({} if all(shown) else {"told": [spell_fall(table, here, after) for _, after in falls]}),
            )
            continue
        here = chosen[done]
        entries = []
        for one in table.choices(here):
            after = one.after
            if table.turn_begins(after) or table.stage(after) == "over":
                kind, points, place = ending(here, one)
                plain = one.points
            else:
                kind, plain, place = table.stage(after), one.points, number(after)
                kind = "choose" if kind == "choose" else "throw"
                points = 0
            entries.append(graph.choice(one, one.action, points, kind, place, plain=plain))
        graph.decision(entries, inside_form(table, here), table.told(here, Role.ROLL, ()), table.note(here))
        done += 1
    return graph, roots


def inside_form(table: Table[Any], position: Any) -> Form:
    """How a position inside a turn is told."""
    if table.turn_begins(position):
        return ()
    told = table.tell(position)
    inside = (field.name for field in table.fields if field.inside and field.name in told)
    return tuple((name, "*" if name == table.roles.get(Role.ROLL) else spelled(told[name])) for name in inside)


def turn_parts(turn: PushTurn, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A compiled turn as the page's kernel takes it: its numbers, and its arrays by ``name``."""
    facts = {
        "modes": len(turn.modes),
        "specials": turn.special_count,
        "groups": len(turn.groups),
        "start": turn.start,
        "forbid": int(turn.forbids_overshoot),
        "max_add": turn.max_added_points,
        "over_passes": turn.forced_passes,
    }
    return facts, {f"{name}.{key}": array for key, array in turn.arrays.items()}


def spelled(value: object) -> str:
    """A value as ids spell it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        parts = [str(one) for one in value]
        return ("" if all(len(part) == 1 for part in parts) else ",").join(parts).replace(" ", "_")
    return str(value).replace(" ", "_")
