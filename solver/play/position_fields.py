"""Fields of positions: their declaration, and how numbers, dice and names are read and written.

A player may type ``11532`` or ``1,1,5,3,2``; a program may pass ``[1, 1, 5, 3, 2]``, 11532 or an array. All mean the
same. ``Field.format_for_id`` writes text that ``Field.parse`` reads back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from operator import index
from typing import Any

from ..util.arguments import is_iterable
from ..util.errors import ARGUMENT_MARK, InputError, argument, list_allowed, list_alternatives, suggest_name
from ..util.errors import abbreviate as _shown
from ..util.integers import parse_whole_number
from ..util.text import fold_name, split_count

ABOUT_TO_ROLL = "about to roll"  # the field ``throwing`` in words
FIELD_LABELS = {
    "throw": "roll number",
    "cast": "roll number",
    "throwing": ABOUT_TO_ROLL,
}  # names that people would read as another word
KIND_MARK = "-"  # in a face of dice that differ, before the kind of the die: 1-lucky
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")  # by seat, counted from 0
LATER_PLAYER = "player {} after you"  # in JSON: the player of the first, second, ... turn after that of the mover
MAX_COUNT = 1000  # of a name in a list
THOUSANDS = r"\b\d{1,3}(,\d{3})+\b"  # 3,500


def name_later_player(number: int) -> str:
    """Return the words for the player whose turn is the first, second, ... after that of the player to move."""
    if number <= 2:
        return "the next player" if number == 1 else "the player after that"
    return f"the {ORDINALS[number - 1]} player after you" if number <= len(ORDINALS) else LATER_PLAYER.format(number)


def field_label(name: str) -> str:
    """Return the name of a field as people read it: ``opponent used``, ``roll number``."""
    return FIELD_LABELS.get(name, name.replace("_", " "))


class FieldKind(Enum):
    """The kind of a field: how it is read, its column in rows, and its placeholder in ``--help``."""

    NUMBER = "N"
    POINTS = "POINTS"
    NUMBERS = "N,..."
    SCORES = "POINTS,..."
    DICE = "DICE"
    NAMES = "NAMES"
    WORD = "WORD"
    FLAG = ""

    @property
    def column(self) -> type:
        """Type of the column in rows; lists of numbers have a column for each."""
        return (
            bool
            if self is FieldKind.FLAG
            else str
            if self in (FieldKind.DICE, FieldKind.NAMES, FieldKind.WORD)
            else int
        )


class Role(Enum):
    """The meaning of a field that games have in common."""

    ROLL = "the dice of the last roll"
    FEEL = "how the touched piece sits, in games without dice"
    KEPT = "dice set aside before the roll"
    TURN_POINTS = "turn points"
    SCORE = "the mover's score"
    OTHER_SCORES = "the opponents' scores, in turn order"
    SEAT = "the mover's seat"
    TOTAL_TO_BEAT = "the total to beat"
    TURNS_LEFT = "turns left"
    STANDING = "tiles that still stand"
    OFFERED = "points and dice that may be taken over from the previous turn"
    BOXES = "the mover's used boxes"


def parse_number(value: object, name: str, low: int | None = 0, high: int | None = None) -> int:
    """Return a whole number from ``low`` to ``high``: 3, "3", "3,500" or a number of NumPy's."""
    if not isinstance(value, (str, bool)):
        try:
            value = index(value)  # type: ignore[arg-type]
        except TypeError:
            raise InputError(f"{name} must be a whole number, not {_shown(value)}") from None
    number = parse_whole_number(value, name)
    if low is not None and low == high != number:
        raise InputError(f"{name} must be {low:,}, not {number}")
    if low is not None and high is not None and not low <= number <= high:
        raise InputError(f"{name} must be between {low:,} and {high:,}, not {number}")
    if low is not None and number < low:
        raise InputError(f"{name} must be at least {low:,}, not {number}")
    if high is not None and number > high:
        raise InputError(f"{name} must be at most {high:,}, not {number}")
    return number


def parse_numbers(value: object, name: str, low: int | None = 0) -> tuple[int, ...]:
    """Return whole numbers: "12,15,18", [12, 15, 18], or one alone."""
    parts: Iterable[object]
    if isinstance(value, str):
        parts = value.replace(",", " ").split()
    elif isinstance(value, Iterable):
        parts = _items(value, name)
    else:
        parts = (value,)
    return tuple(parse_number(part, name, low) for part in parts)


def _items(value: Iterable[object], name: str) -> Iterable[object]:
    """Return the items of a sequence or an array; an array without dimensions is refused."""
    if not is_iterable(value):
        raise InputError(f"{name} {_shown(value)} is a zero-dimensional array; use a number, a string or a list")
    return value


DRAWN = {ord("⚀") + pips: str(pips + 1) for pips in range(6)}  # dice drawn as the program draws them


def format_dice(dice: Sequence[object], faces: Sequence[str]) -> str:
    """Return dice of a game with these ``faces`` in words: ``1 1 5``, or ``5 green 1 red`` if all faces are names."""
    return format_shown_dice([*map(str, dice)], has_named_faces(faces))


def format_shown_dice(dice: Sequence[str], is_counted: bool) -> str:
    """Return dice in words, one by one or counted by face."""
    if not is_counted:
        return " ".join(dice)
    return " ".join(f"{dice.count(face)} {face}" for face in dict.fromkeys(dice))


def expand_counted_dice(text: str, faces: Sequence[str]) -> str:
    """Return a text in which counted dice, ``5 green``, are listed one by one."""
    if not has_named_faces(faces):
        return text
    return re.sub(r"\b([1-9]\d?) ([^\W\d][\w-]*)", lambda match: " ".join([match[2]] * int(match[1])), text)


def _join_face_words(text: str, faces: Iterable[str]) -> str:
    """Return a text with the names of faces as they are written: ``2 green-brain`` for ``2 green brains``."""
    for face in faces:
        words = face.split(KIND_MARK)
        if len(words) > 1 and all(map(str.isalpha, words)):
            text = re.sub(rf"\b{'[ -]'.join(words)}s?\b", face, text, flags=re.IGNORECASE)
    return text


def has_named_faces(faces: Sequence[str]) -> bool:
    """Return whether all faces are names, so that people count the dice of each."""
    return bool(faces) and all(len(face) > 1 and not any(map(str.isdigit, face)) for face in faces)


def parse_dice(value: object, faces: Sequence[str], name: str = "roll") -> tuple[str, ...]:
    """Return dice as the names of their faces.

    Args:
        value: "11532", "1,1,5,3,2", "1-1-5-3-2", "⚀⚀⚄⚂⚁", 11532, a sequence of faces, "5 green 1 red", or "2 green
            brains" for faces such as green-brain.
        faces: names of all faces.
        name: name of the field in messages.
    """
    typed_faces: list[str]
    if isinstance(value, str):
        between = "," if any("-" in face for face in faces) else r",|(?<=\w)-(?=\w)"  # -5 is no die
        text = _join_face_words(re.sub(between, " ", value.translate(DRAWN)), faces)
        words = expand_counted_dice(text, faces).split()
        typed_faces = [face for word in words for face in word] if max(map(len, faces)) == 1 else words
    elif isinstance(value, Iterable):
        typed_faces = [str(face) for face in _items(value, name)]
    else:
        typed_faces = list(str(parse_number(value, name)))
    if not typed_faces and name in ("roll", argument("roll")):
        raise InputError("the roll is empty; enter the faces of the dice")
    face_of_name = {fold_name(face): face for face in faces}
    faces_by_word = [_faces(fold_name(face), face_of_name) for face in typed_faces]
    if None in faces_by_word:
        face = typed_faces[faces_by_word.index(None)]
        typed = re.findall(r"[^\W\d]{2,}", value) if isinstance(value, str) else []
        word = next((typed_word for typed_word in typed if face in typed_word), face)
        if several := _faces_of_several_kinds(face, faces):
            kinds = list_alternatives(several)
            raise InputError(f"it is not clear which die shows {several[0].partition(KIND_MARK)[0]}: write {kinds}")
        if len(several := [full for full in faces if fold_name(face) in fold_name(full).split(KIND_MARK)]) > 1:
            raise InputError(f"it is not clear which face {_shown(face)} means: write {list_alternatives(several)}")
        long = max(map(len, faces)) > 1
        hint = "; separate the dice with spaces" if long and word.isdigit() and len(word) > 1 else ""
        face_list = faces if long else sorted(faces)
        wrong = f"no die has the face '{_shown(word)}'" if len(word) == 1 or long else f"'{_shown(word)}' is not a roll"
        typed_as = f"{name} {_shown(str(value))}: " if name.startswith(ARGUMENT_MARK) else ""
        raise InputError(f"{typed_as}{wrong}; the faces are {', '.join(face_list)}{hint}")
    return tuple(face for faces_of_word in faces_by_word for face in faces_of_word or ())


def _faces(word: str, face_of_name: Mapping[str, str]) -> Sequence[str] | None:
    """Return the faces that a word means: one by its name or beginning, or one for each letter; else None."""
    if word in face_of_name:
        return (face_of_name[word],)
    begun = [[face for key, face in face_of_name.items() if key.startswith(part)] for part in (word, *word)]
    if (word.isalpha() or re.fullmatch(r"\w-[a-z-]+", word)) and len(begun[0]) == 1:  # 5-l is 5-lucky
        return begun[0]
    if word.isalpha() and {*map(len, begun[1:])} == {1}:
        return [single_face for (single_face,) in begun[1:]]
    by_sign = _faces_by_sign(face_of_name.values())
    if {len(by_sign.get(sign, ())) for sign in word} == {1}:
        return [by_sign[sign][0] for sign in word]
    return None


def _faces_by_sign(faces: Iterable[str]) -> dict[str, list[str]]:
    """Return the faces by their sign, which several kinds of dice may have: ``1`` of ``1-lucky`` and ``1-odd``.

    The dictionary is empty if a sign has several characters, because signs could then be read in two ways.
    """
    by_sign = dict[str, list[str]]()
    for face in faces:
        by_sign.setdefault(fold_name(face.partition(KIND_MARK)[0]), []).append(face)
    return by_sign if {*map(len, by_sign)} == {1} else {}


def _faces_of_several_kinds(word: str, faces: Iterable[str]) -> list[str]:
    """Return the faces of several kinds of dice that the first unclear sign of a word may mean; empty if none is."""
    by_sign = _faces_by_sign(faces)
    signs = [by_sign.get(sign, []) for sign in fold_name(word)]
    return next((same for same in signs if len(same) > 1), []) if all(signs) else []


def parse_names(value: object, name: str, names: Sequence[str], is_repeatable: bool = False) -> tuple[str, ...]:
    """Return names of those known: "sixes,chance", or a sequence of them; the beginning of one name is enough.

    A name may be followed by what it holds, ``sixes=24``, which stays with it. A name that may be repeated may have a
    count, ``lucky*3``.
    """
    if isinstance(value, (str, int)):
        value = str(value).split(",")
        if is_repeatable:
            value = [word for part in value for word in _repeat_name(part, name, names)]
    if not isinstance(value, Iterable):
        raise InputError(f"{name} must be a list of names, not {_shown(value)}")
    parts = (str(word).partition("=") for word in _items(value, name))
    return tuple(
        _find_name(word, name, names) + equals + value_text.strip()
        for word, equals, value_text in parts
        if word.strip()
    )


def _repeat_name(part: str, name: str, names: Sequence[str]) -> list[str]:
    """Return a name as often as its count says; a number alone means the only name there is.

    Raises:
        InputError: a wrong count, or a number alone that does not say which of several names it counts.
    """
    number = part.strip()
    if number in names:
        return [number]
    if number.isdecimal() and len(names) > 1:
        example = ",".join(names[-2:])
        raise InputError(f"{name} must list names, with a count if there are several: {example}*2, not {number}")
    word, count = (names[0], number) if number.isdecimal() else split_count(part)
    return [word] * parse_number(count, f"{name}: the count of {_shown(word)}", 1, MAX_COUNT) if count else [part]


def _find_name(word: str, name: str, names: Sequence[str]) -> str:
    by_name = {fold_name(full_name): full_name for full_name in names}
    if (typed := fold_name(word)) in by_name:
        return by_name[typed]
    begin_so = [full_name for key, full_name in by_name.items() if key.startswith(typed)]
    if len(begin_so) != 1:
        hint = suggest_name("" if typed.isdecimal() else typed, names)  # no number is a slip for another one
        raise InputError(f"{name}: unknown name '{_shown(word.strip())}'{hint}")
    return begin_so[0]


def parse_word(value: object, name: str, words: Sequence[str]) -> str:
    """Return one of the words that are known."""
    word = str(value).strip()
    by_word = {fold_name(allowed_word): allowed_word for allowed_word in words}
    if fold_name(word) not in by_word:
        raise InputError(f"{name} must be {list_allowed(words)}, not '{_shown(word)}'")
    return by_word[fold_name(word)]


def parse_flag(value: object, name: str) -> bool:
    """Return a yes or no."""
    text = str(value).strip().lower()
    if text not in ("true", "false", "yes", "no"):
        raise InputError(f"{name} must be true or false, not {_shown(value)}")
    return text in ("true", "yes")


@dataclass(frozen=True)
class Field:
    """One value that describes a position.

    Attributes:
        name: its name.
        kind: how it is read and shown.
        help: what it is, in a player's words.
        is_inside_turn: True if it belongs to a turn that has begun.
        columns: names of its columns in rows, if they are not the name: one for each number of a list.
        is_column: True if rows have it.
        default: the value in rows of positions that do not have it.
        words: faces of its dice, names that it may list, or words that it may be.
        aliases: other names of faces.
        min_value: the least that its numbers may be, None for any.
        max_total: the largest total by which its dice may be given: ``9``, ``total 11``. 0 if only the total does not
            do. A total is read as one number, and the game finds dice that show it (``dice_of_total``).
        role: its meaning, if games have it in common.
        is_repeatable: True if it may list a name several times, or with a count.
    """

    name: str
    kind: FieldKind
    help: str
    is_inside_turn: bool = False
    columns: tuple[str, ...] = ()
    is_column: bool = True
    default: int | None = None
    words: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict, hash=False)
    min_value: int | None = 0
    max_total: int = 0
    role: Role | None = None
    is_repeatable: bool = False

    def parse(self, value: object, is_named: bool = True) -> Any:
        """Return the value that is given, checked by its kind.

        Args:
            value: what was given.
            is_named: whether it was given by the name of the field, which messages about dice then repeat.
        """
        marked_name = argument(self.name)
        if self.kind is FieldKind.FLAG:
            return parse_flag(value, marked_name)
        if self.kind is FieldKind.DICE:
            return self._read_dice(value, argument(self.name) if is_named else self.name)
        if self.kind is FieldKind.NAMES:
            return parse_names(value, marked_name, self.words, self.is_repeatable)
        if self.kind is FieldKind.WORD:
            return parse_word(value, marked_name, self.words)
        many = self.kind in (FieldKind.NUMBERS, FieldKind.SCORES)
        return (parse_numbers if many else parse_number)(value, marked_name, self.min_value)

    def explain_thousands(self, value: object) -> str:
        """Return a hint for an error message if a comma in scores may have been meant for thousands."""
        if self.kind is not FieldKind.SCORES or not isinstance(value, str) or not re.search(THOUSANDS, value):
            return ""
        parts = " and ".join(value.replace(",", " ").split())
        return (
            f"; {argument(self.name)} {value} was read as {parts}: commas separate scores, so write thousands without"
            " commas"
        )

    def format_for_id(self, value: object) -> str:
        """Return a value that ``read`` has returned as one word, which it reads back."""
        if self.kind is FieldKind.FLAG:
            return str(value).lower()
        parts = map(str, value) if isinstance(value, (list, tuple)) else (str(value),)
        letters = self.kind is FieldKind.DICE and all(len(face) == 1 and face.isascii() for face in self.words)
        return ("" if letters else ",").join(parts).replace(" ", "_")

    def format(self, value: object) -> str:
        """Return a value as people read it: ``1,050``, ``1 1 5``, ``350 points, 2 dice``."""
        if self.kind is FieldKind.DICE and isinstance(value, (list, tuple)):
            return format_dice(value, self.words)
        if isinstance(value, (list, tuple)):
            column_names = [column.removeprefix(f"{self.name}_") for column in self.columns]
            texts = [*map(self.format, value)]
            if len(column_names) == len(texts) and all(
                map(str.isalpha, column_names)
            ):  # others are numbered: their order says it
                texts = [f"{text} {of}" for text, of in zip(texts, column_names, strict=True)]
            return (", " if any(" " in text for text in texts) else " ").join(texts)
        return f"{value:,}" if type(value) is int else str(value).lower() if type(value) is bool else str(value)

    def describe(self, value: object) -> str:
        """Return the name and a value as people read them: ``turn 350``; a flag that is set is its name alone."""
        if self.kind is FieldKind.FLAG:
            return FIELD_LABELS.get(self.name, self.name)
        return f"{FIELD_LABELS.get(self.name, self.name)} {self.format(value)}"

    def _parse_total(self, value: object) -> str | None:
        """Return a total that is given in place of dice; None if the value is dice.

        A number whose digits are faces is dice, 11 two aces; the word ``total`` makes it a total.
        """
        if not self.max_total:
            return None
        match = re.fullmatch(r"\s*(total\s+)?(\d+)\s*", str(value), re.IGNORECASE)
        if match is None:
            return None
        word, number = match.groups()
        if not word and set(number) <= set(self.words):
            return None
        if not 1 <= parse_number(number, "the total") <= self.max_total:
            raise InputError(f"the total of the dice must be between 1 and {self.max_total}, not {number}")
        return str(int(number))

    def _read_dice(self, value: object, name: str) -> tuple[str, ...]:
        total = self._parse_total(value)
        if total is not None:
            return (total,)
        # If faces are single signs, a roll may be typed without spaces; only words are then replaced first.
        are_signs = all(len(face) == 1 for face in self.words)
        names = [alias for alias in self.aliases if are_signs and len(alias) > 1]
        if isinstance(value, str):
            for alias in names:
                value = re.sub(rf"\b{re.escape(alias)}\b", self.aliases[alias], value, flags=re.IGNORECASE)
        faces = parse_dice(value, (*self.words, *(alias for alias in self.aliases if alias not in names)), name)
        for face in faces:
            if self.aliases.get(face) in faces:
                raise InputError(
                    f"{' '.join(faces)} mixes {self.aliases[face]} and {face}, two names of one face; use one"
                )
        return tuple(self.aliases.get(face, face) for face in faces)
