"""Throws and choices as people type them at the table, for every game: read by the fields and the choices it declares.

A throw is what fell, ``11532`` or a word; dice that stay where they lie may be told or left out. A choice is the number
of its line, its words, what they alone begin with or some of them, its dice: ``3``, ``keep 1 1, bank 500``,
``keep 1 1``, ``115``, ``bank``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from ..util.errors import InputError
from ..util.errors import abbreviate as as_typed
from ..util.number_format import format_count
from ..util.text import fold_name
from .choice_kinds import ChoiceKind, LastDie, SetAside, TurnStop
from .choice_text import THIRD_PERSON, format_choice
from .playable_game import AnyChoice, Choice, Stage, Table, find_choice
from .position_fields import Field, Kind, Role, each_die, format_dice, read_dice, read_number

Position = TypeVar("Position", bound=Hashable)
MOST_LIKELY = 10  # choices that a prompt shows unasked
MOST_LISTED, LONGEST_LIST = 6, 130  # choices that a message lists, and their letters
MOST_DIGITS = 4  # of the number of a line
# What people say for the same: to end a turn, to throw on, to fill a box of a card, and how many are alike.
ENDING = ("bank", "stop", "hold", "settle", "pass")
THROWING = ("roll", "throw", "cast", "hit")
ENTERING = (
    *ENDING,
    "enter",
    "in",
    "take",
    "fill",
    "score",
    "write",
    "put",
    "scratch",
    "strike",
    "cross",
    "out",
    "zero",
)
SPELLED = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five"}


def spoken_form(choice: Choice[Any]) -> str:
    """Return the words by which people type a choice, and by which game files record it."""
    return choice.action if choice.data is None else format_choice(choice.kind, choice.data)


def find_by_words(choices: Iterable[AnyChoice], text: str) -> AnyChoice | None:
    """Return the choice with exactly these words; None if there is none."""
    return next((choice for choice in choices if spoken_form(choice) == text), None)


def _spoken_words(choice: Choice[Any]) -> list[str]:
    return _words(spoken_form(choice))


def _telling(table: Table[Any], position: Any, first: Any, last: Any) -> Field:
    """The field that tells one fall of the dice from another, by the first and the last that there are."""
    before, told, other = (table.tell(one) for one in (position, first, last))
    inside = [field for field in table.fields if field.inside]
    for field in inside:
        if told.get(field.name) != other.get(field.name):
            return field
    return next(field for field in inside if field.name in told and field.name not in before)


def _numbered(table: Table[Any], falls: Iterable[Any]) -> bool:
    """Whether falls are told by their number: where some leave nothing to choose in the turn, no field tells them."""
    return any(table.stage(fall) is not Stage.DECISION or table.turn_begins(fall) for fall in falls)


def _key(value: object) -> tuple[str, ...]:
    return tuple(sorted(map(str, value))) if isinstance(value, (list, tuple)) else (str(value),)


def read_fall(table: Table[Position], position: Position, text: str) -> Position:
    """Return the position that a throw leads to.

    Raises:
        InputError: dice that cannot fall here; it says what can.
    """
    falls = [fall for _, fall in table.throws(position)]
    if _numbered(table, falls):
        return falls[read_number(text, "what fell,", 1, len(falls)) - 1]
    field = _telling(table, position, falls[0], falls[-1])
    told = () if field.kind is Kind.FLAG else field.read(text.strip())
    fell = _read_flag(field, text) if field.kind is Kind.FLAG else _key(told)
    kept = tuple(map(str, table.told(position, Role.KEPT, ())))
    ways = fell, _key((*fell, *kept))  # dice that stay are told, or left out
    for fall in falls:
        if _key(table.tell(fall).get(field.name)) in ways:
            return fall
    if field.kind is Kind.DICE:
        if again := table.made_again(position, told):
            raise InputError(f"{as_typed(text)} {again}")
        lie = [Counter(_key(table.tell(fall)[field.name])) for fall in (falls[0], falls[-1])]
        stays = len(kept) if all(Counter(kept) <= dice for dice in lie) else 0  # in some games it lies apart
        number = lie[0].total()
        thrown = f"{format_count(number - stays, 'die')} thrown" + (f", {number} with what stays" if stays else "")
        raise InputError(f"{as_typed(text)} cannot fall here: {format_count(len(fell), 'die')} told, {thrown}")
    can = sorted({spell_fall(table, position, fall) for fall in falls})
    raise InputError(f"{as_typed(text)} cannot be here: it is {' or '.join(can)}")


def _read_flag(field: Field, text: str) -> tuple[str, ...]:
    words = text.strip().lower()
    yes, no = (field.name, "yes", "true"), (f"not {field.name}", "no", "false", "held")
    if words not in yes + no:
        raise InputError(f"{as_typed(text)} is neither {yes[0]} nor {no[0]}: say yes or no")
    return (str(words in yes),)


def spell_fall(table: Table[Position], position: Position, after: Position) -> str:
    """What fell, as ``read_fall`` reads it: ``1 1 5 3 2``, ``springy``, ``not tripped``."""
    falls = [fall for _, fall in table.throws(position)]
    if _numbered(table, falls):
        return str(falls.index(after) + 1)
    field = _telling(table, position, falls[0], falls[-1])
    value = table.tell(after).get(field.name)
    if field.kind is Kind.FLAG:
        return field.name if value else f"not {field.name}"
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def fall_in_words(table: Table[Any], spelled: str) -> str:
    """What fell as people are told it, by how ``spell_fall`` tells it: ``5 green 1 red``."""
    faces = _faces_kept(table)
    dice = spelled.split()
    return format_dice(dice, faces) if set(dice) <= set(faces) else spelled


def _faces_kept(table: Table[Any]) -> Sequence[str]:
    """The faces of the dice that are kept; none where no dice are."""
    return next((field.words for field in table.fields if field.role is table.kept_role), ())


def read_choice(
    table: Table[Position], position: Position, text: str, lines: Sequence[Choice[Position]] | None = None
) -> Choice[Position]:
    """Return the choice that is typed. ``lines``: those that stand numbered before whoever types, none of which a
    number means that dice say as well; None where nothing is seen, as in a file: there a number counts all choices.

    Raises:
        InputError: none of the choices, or more than one; it lists them.
    """
    choices, words = table.choices(position), _words(text)
    if not words:
        raise InputError(f"say which: {listed(choices)}")
    for choice in choices:
        if _spoken_words(choice) == words:
            return choice
    dice, rest = _split(table, text)
    if (number := _line(words)) is not None:
        shown = choices if lines is None else lines
        line = shown[number - 1] if 1 <= number <= len(shown) else None
        meant = _lasting([one for one in choices if sorted(one.keep) == dice]) if len(words) == 1 else []
        if line is not None:
            if lines is None or meant in ([], [line], list(choices)):
                return line
            either = f"line {number} ({line.action}) or the dice ({listed(meant)})"
            raise InputError(f"{as_typed(text)} could be {either}: say line {number} or keep {text}")
        lines_are = [f"the number of a line, they are 1 to {len(shown)}"] if shown else []
        kept = "tiles to shut" if choices[0].kind is ChoiceKind.SHUT else "dice to keep"
        dice_are = [f"{kept} here"] if any(choice.keep for choice in choices) else []
        if not meant and (numbers := [*lines_are, *dice_are]):
            raise InputError(f"{as_typed(text)} is {'neither ' * (len(numbers) > 1) or 'not '}{', nor '.join(numbers)}")
    found = _with_words(choices, dice, rest, str.__eq__) or _with_words(choices, dice, rest, str.startswith)
    if len(found) != 1:
        begun = [choice for choice in choices if " ".join(_spoken_words(choice)).startswith(" ".join(words))]
        found = begun if len(begun) == 1 else found or begun
    found = found or _meant(table, choices, words, dice, rest)
    found = _lasting(found) if dice else found
    may_go_on = all(choice.kind in (ChoiceKind.BANK, ChoiceKind.STOP, ChoiceKind.PASS) for choice in found)
    if len(found) > 1 and may_go_on and all(_ends(table, choice) for choice in found):  # bank: all there is
        most = max(choice.points for choice in found)
        found = [choice for choice in found if choice.points == most]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{as_typed(text)} could be: {listed(found)}; say which")
    kinds = {choice.kind for choice in choices}
    if words[0] in ENDING and ChoiceKind.STOP in kinds and ChoiceKind.BANK not in kinds:
        raise InputError(f"no bank counts here yet; what may be done: {listed(choices)}")
    _check_box(table, position, words)
    raise InputError(f"{as_typed(text)} is none of the choices here; what may be done: {listed(choices)}")


def same_choice(
    table: Table[Position], before: Position, made: Choice[Position], position: Position
) -> Choice[Position] | None:
    """The choice that somebody who has made one makes where it was another position: the same words; the same dice and
    box, whatever points they bring; or the one that the word for it means in both. None where there is none.
    """
    choices = table.choices(position) if table.stage(position) is Stage.DECISION else ()

    def alone(found: Sequence[Choice[Position]]) -> Choice[Position] | None:
        return found[0] if len(found) == 1 else None

    def kind(here: Position, choice: Choice[Position]) -> Hashable:
        return choice.keep, choice.then, choice.dice_left, tuple(table.filled(here, choice.after, choice, ""))

    meant = find_choice(choices, made)
    meant = meant or alone([choice for choice in choices if kind(position, choice) == kind(before, made)])
    if meant is None and choices:
        with suppress(InputError):
            meant = read_choice(table, position, made.then) if read_choice(table, before, made.then) == made else None
    return meant


def _meant(
    table: Table[Position],
    choices: Sequence[Choice[Position]],
    words: Sequence[str],
    dice: list[str] | None,
    rest: Sequence[str],
) -> list[Choice[Position]]:
    """The choices that people mean by other words than their own: to end a turn that may go on, by what counts points,
    or to throw on; and the name of a box in whatever words it is filled.
    """
    ends = [choice for choice in choices if _ends(table, choice)]
    if len(rest) == 1 and rest[0] in (*ENDING, *THROWING) and len(ends) < len(choices):
        counts = [choice for choice in ends if not _for_nothing(choice)]
        goes_on = [choice for choice in choices if choice not in ends]
        return _with_words(counts if rest[0] in ENDING else goes_on, dice, (), str.__eq__)
    boxes = [choice for choice in ends if not (dice and choice.keep)]  # of other dice than lie there nothing is meant
    if boxes and (named := _box_words(words)) and any(word.isalpha() for word in named):
        return _with_words(boxes, None, named, str.__eq__) or _with_words(boxes, None, named, str.startswith)
    return []


def _box_words(words: Sequence[str]) -> list[str]:
    """What is said of a box, as its name has it: not how it is filled, and how many are alike in letters."""
    said = [word for word in words if word not in ENTERING]
    return [SPELLED.get(word, word) if any(map(str.isalpha, said[place:])) else word for place, word in enumerate(said)]


def _check_box(table: Table[Any], position: Any, words: Sequence[str]) -> None:
    """Raise InputError for a box of a card that cannot be filled now: it is, or dice may still be thrown."""
    if not any(word.isalpha() for word in words):
        return
    said = " ".join(word for word in _box_words(words) if word.isalpha())
    boxes = {" ".join(_words(name)): filled for name, filled in table.boxes(position, table.mover(position)).items()}
    named = [one for one in boxes if one.startswith(said) or said.startswith(one)]
    if named and all(boxes[one] for one in named):
        raise InputError(f"{named[0]} is filled already")
    by_kind = {choice.kind: choice for choice in table.choices(position)}
    if named and ChoiceKind.ROLL in by_kind and ChoiceKind.KEEP in by_kind:
        raise InputError(f"boxes are filled after the last throw; to throw no more: {by_kind[ChoiceKind.KEEP].action}")


def _line(words: Sequence[str]) -> int | None:
    """The number of a line, told alone or as ``line 3``; None where none is told."""
    number = words[-1]
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
        return None
    return int(number) if words[:-1] in ([], ["line"]) else None


def _with_words(
    choices: Iterable[Choice[Position]], dice: list[str] | None, words: Sequence[str], is_: Callable[[str, str], bool]
) -> list[Choice[Position]]:
    """The choices that keep these dice and whose words are those told, or begin so."""

    def has(choice: Choice[Position], word: str) -> bool:
        own = [*_spoken_words(choice), choice.then]
        return any(one == word or (word.isalpha() and is_(one, word)) for one in own)

    return [
        choice
        for choice in choices
        if (dice is None or dice == sorted(choice.keep)) and all(has(choice, word) for word in words)
    ]


def listed(choices: Sequence[Choice[Any]]) -> str:
    """Choices in words, for a message: as many as it can bear."""
    words = [choice.action for choice in choices[:MOST_LISTED]]
    while len(words) > 1 and len("; ".join(words)) > LONGEST_LIST:
        words.pop()
    more = len(choices) - len(words)
    return "; ".join(words) + (f"; and {more} more" if more else "")


def likely(table: Table[Position], choices: Sequence[Choice[Position]]) -> tuple[Choice[Position], ...]:
    """The choices that people weigh, ``MOST_LIKELY`` of them, by points and dice kept alone: what they are worth has no
    part in it. Of those that end a turn which may go on the one of most points; of dice kept those that show something
    (``_plain``) before others, and more of them before fewer.
    """
    ends = [choice for choice in choices if _ends(table, choice)]
    goes_on = [choice for choice in choices if choice not in ends]
    if len(choices) <= MOST_LIKELY or not goes_on:
        return tuple(choices[:MOST_LIKELY])
    faces = next(field.words for field in table.fields if field.role is table.kept_role)
    roll = Counter(max(choices, key=lambda choice: len(choice.keep)).keep)
    weighed = sorted(goes_on, key=lambda choice: (_plain(choice.keep, roll, faces), -len(choice.keep)))
    chosen = [*sorted(ends, key=lambda choice: -choice.points)[:1], *weighed][:MOST_LIKELY]
    return tuple(choice for choice in choices if choice in chosen)


def _plain(keep: Sequence[str], roll: Mapping[str, int], faces: Sequence[str]) -> int:
    """How plainly dice kept of a roll show something: 0 all or none of it, all of one face or of the faces that lie
    more than once, or the longest run; 1 whole faces that lie more than once; 2 a die alone; 3 whole faces; 4 anything
    else.
    """
    kept, pairs = Counter(keep), {face: count for face, count in roll.items() if count > 1}
    whole = all(roll[face] == count for face, count in kept.items())
    if not keep or len(keep) == sum(roll.values()) or (kept and kept == pairs) or kept == _run(roll, faces):
        return 0
    if whole and len(kept) == 1:
        return 2 if len(keep) == 1 else 0
    if whole and set(kept) <= set(pairs):
        return 1
    return 3 if whole else 4


def _run(roll: Mapping[str, int], faces: Sequence[str]) -> dict[str, int]:
    """One die of each face of the longest run in a roll."""
    best: list[str] = []
    run: list[str] = []
    for face in faces:
        run = [*run, face] if face in roll else []
        best = run if len(run) > len(best) else best
    return dict.fromkeys(best, 1)


def turn_in_a_line(table: Table[Any], steps: Iterable[tuple[str, Choice[Any] | None]]) -> str:
    """A whole turn in a line, by what was said of each throw (no choice) and each choice: what was kept of the throws,
    and how it ended, ``5, then 1 5, then 1 1: banks 950``.
    """
    parts, fell = list[str](), ""
    faces = _faces_kept(table)
    for said, choice in steps:
        if choice is None:
            fell = fall_in_words(table, said)
            continue
        kept, data = format_dice(choice.keep, faces), choice.data
        if not _ends(table, choice):
            parts.append((kept if table.kept_role is Role.ROLL else "") or _deed(choice))
            continue
        if isinstance(data, TurnStop) and data.set_aside.dice and not data.set_aside.name:
            fell, choice = kept, replace(choice, data=data._replace(set_aside=SetAside()))
        says_roll = isinstance(data, LastDie)  # the last die is 5: total 16
        parts.append(f"{fell}: {_deed(choice)}" if fell and not says_roll else _deed(choice))
    return ", then ".join(parts)


def _deed(choice: Choice[Any]) -> str:
    """Return what somebody else does by a choice: ``settles for 7``."""
    return choice.action if choice.data is None else format_choice(choice.kind, choice.data, THIRD_PERSON)


def _ends(table: Table[Position], choice: Choice[Position]) -> bool:
    return table.stage(choice.after) is Stage.TERMINAL or table.turn_begins(choice.after)


def _lasting(found: list[Choice[Position]]) -> list[Choice[Position]]:
    """What dice alone mean: the one of these choices that does not end a turn for nothing, or all of them."""
    lasting = [choice for choice in found if not _for_nothing(choice)]
    return lasting if len(lasting) == 1 else found


def _for_nothing(choice: Choice[Any]) -> bool:
    """Whether it ends a turn before a bank counts, which nobody means who does not say so."""
    return choice.kind is ChoiceKind.STOP


def scores(table: Table[Any], position: Any, seat: int | None = None) -> tuple[int, ...]:
    """How the scores stand in a position, from ``seat`` (the mover) on; () where the game has none."""
    own = table.told(position, Role.SCORE)
    if own is None:
        return ()
    mover = table.mover(position)
    around = [own, *table.told(position, Role.OTHERS, ())]
    first = 0 if seat is None else (seat - mover) % table.players
    return tuple(around[first:] + around[:first])


def _words(text: str) -> list[str]:
    return fold_name(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text).replace(",", " ").replace(":", " ")).split()


def are_dice(table: Table[Any], text: str) -> bool:
    """Whether what is typed reads as more dice than one, and nothing else."""
    dice, rest = _split(table, text)
    return dice is not None and len(dice) > 1 and not rest


def _split(table: Table[Any], text: str) -> tuple[list[str] | None, list[str]]:
    """The dice that are named, None where none are, and the other words."""
    field = next((one for one in table.fields if one.role is table.kept_role), None)
    words = _words(each_die(text, field.words) if field else text)
    begin = 1 if words[0] in ("keep", "shut") else 0
    shown: list[str] = []
    for word in words[begin:]:
        faces = None if field is None else _faces(field, word)
        if faces is None:
            break
        shown += faces
        begin += 1
    if not shown:
        return None, list(words)
    return sorted(shown), list(words[begin:])


def _faces(field: Field, word: str) -> Iterable[str] | None:
    try:
        return read_dice(word, field.words)
    except InputError:
        return None
