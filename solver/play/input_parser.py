"""Rolls and choices as people type them at the table, for every game.

A roll is what the dice show, ``11532``, or a word. Dice that stay where they lie may be typed or left out. A choice is
typed as its letter in a list on the screen (see ``choice_letters``), its words, the beginning of its words if only one
choice begins so, some of its words, or its dice: ``b``, ``keep 1 1, bank 500``, ``keep 1 1``, ``115``, ``bank``. Start
reading with ``parse_choice``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from ..util.errors import InputError
from ..util.errors import abbreviate as as_typed
from ..util.number_format import format_count
from ..util.text import fold_name
from .choice_kinds import (
    BoxEntries,
    CardDice,
    ChoiceKind,
    CrewChoice,
    LastDie,
    PieceChoice,
    SetAside,
    TrioCast,
    TurnRoll,
    TurnStop,
)
from .choice_letters import ChoiceLetters
from .choice_text import THIRD_PERSON, format_choice
from .playable_game import AnyChoice, Choice, PlayableGame, Stage, find_choice
from .position_fields import Field, FieldKind, Role, expand_counted_dice, format_dice, parse_dice, parse_number

Position = TypeVar("Position", bound=Hashable)
WordMatch = Callable[[str, str], bool]  # whether a word of a choice matches a typed word

MAX_LIKELY_CHOICES = 10  # choices that a prompt shows
MAX_LISTED_CHOICES = 6  # choices that a message lists
MAX_LIST_LENGTH = 130  # letters of that list
MAX_NUMBER_DIGITS = 4  # digits of the number of a choice in a file
# Words that mean the same to people: to end a turn, to roll on, and to fill a box of a scorecard.
STOP_WORDS = ("bank", "stop", "hold", "settle", "pass")
ROLL_WORDS = ("roll", "throw", "cast", "hit", "reroll", "recast")
SCRATCH_VERBS = ("scratch", "strike", "cross", "zero")  # enter 0 in a box
ENTRY_WORDS = (*STOP_WORDS, *SCRATCH_VERBS, "enter", "in", "take", "fill", "score", "write", "put", "out")
FILLER_WORDS = (
    "and",
    "then",
    "the",
    "it",
    "them",
    "again",
    "i",
    "my",
    "please",
    "rest",
    "last",
    "at",
    "just",
    "only",
    "single",
)  # people say them, no choice does
LINKING_WORDS = ("and", "then", "i")  # between a roll and a choice
LETTER_VERBS = ("keep", "take", "do", "use", "choose", "pick", "play", "option", "choice", "letter")  # before a letter
UNABBREVIATED_WORDS = ("and", "again", "all", "nothing", "the")  # of choices: "no" does not mean "nothing"
KEEP_VERBS = ("keep", "shut")  # may precede the dice of a choice
# Words of older game files, and of people who know them.
OLDER_WORDS = tuple(
    (re.compile(rf"\b(?:{older})\b"), present)
    for older, present in (
        (r"settle for (\d+)", r"stop and score \1"),
        (r"keep (\d) recast \1", r"keep one \1 roll the other again"),
        (r"keep (\d) recast (\d)", r"keep the \1 roll the \2 again"),
        ("recast both crew dice", "roll both crew dice again"),
        ("throw|cast|reroll|re-roll|recast", "roll"),
        (", number 1 in a row", ""),
        (r", number (\d+) in a row", r", \1 busts in a row"),
    )
)
REROLL = re.compile("re-?(?:roll|cast|throw)", re.IGNORECASE)  # is always about dice that lie there
ARTICLES = ("a", "an")
DIE_WITH_ARTICLE = re.compile(r"\ban? [1-9]\b", re.IGNORECASE)
BESIDE_ARTICLE = re.compile(r"(?:(?<=\band)|(?<=,)) 1 (?=[1-9]\b)", re.IGNORECASE)  # a 1 and 1 5: one of each
ALL_WORDS = ("all", "everything")
NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ONE_FACE = re.compile(  # one die by its face: "keep the five and roll", but not "keep the five dice"
    rf"(?:^|\bkeep )(?:(the one|the|one) )?({'|'.join(NUMBER_WORDS)})"
    r"(?=[^\w]*$|[^\w]+(?:and|then|roll|throw|bank|stop)\b)",
    re.IGNORECASE,
)
PLURALS = ("ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens")  # in this order
COUNTED_PLURAL = re.compile(rf"\b([1-9])(?= (?:[1-9]['’]?s|{'|'.join(PLURALS)})\b)", re.IGNORECASE)  # 3 sixes, 3 6s
BUST_WORDS = (
    *("farkle", "farkled", "farkel", "busted", "zilch", "zilched", "zonk", "zonked", "nothing", "none", "zero"),
    *("missed", "no points", "no score", "no ship", "crap", "craps", "crapped out"),
)
RESULT_WORDS = {"won": "win", "wins": "win", "big scarney": "win", "wiped": "wipe", "wiped out": "wipe"}
TOTAL_WAS = re.compile(r"^(?:(?:his|her|their|my|the|a) )?total (?:was|is|of) ", re.IGNORECASE)
INTENTION = re.compile(  # before what somebody does, as in "I'll keep the ones"
    r"^(?:i['’]ll|i will|i['’]d like to|i would like to|i want to|let['’]s|let me|let us|we['’]ll) (?=\w)",
    re.IGNORECASE,
)
END_OF_TURN = re.compile(
    r"(?:end|finish)(?: the| my)?(?: turn)?|(?:i['’]m |i am )?done|stay|stand|stick|stop here|cash in", re.IGNORECASE
)
HOLD_VERBS = "(?:hold|save|set aside|put aside|kept|take)"  # mean keep before dice
PLAIN_WORDS = tuple(  # what people say in place of the words of a choice
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"^(?:hold|stop|stay|bank) at (?=\d)", "bank "),
        (r"^(?:hold|keep|take) (\d+) ?(?:points?|pts?)$", r"bank \1"),
        (r"^(?:hold|save|set aside|put aside|kept) (?=(?:(?:the|both|all|DICE) )*(?:\d|DICE))", "keep "),
        (r"^(?:hold|save) (?=(?:all|everything|them|both)$)", "keep "),
        (rf"^take (?=(?:the )?(?:\d|(?:{'|'.join(NUMBER_WORDS)})\b))", "keep "),  # the ones may be a box
        (r"\b(DICE) of the\b", r"\1"),  # "one of the fives"
        *((rf"\b{word} (?=dice\b|die\b)", f"{count} ") for count, word in enumerate(NUMBER_WORDS, 1)),
        (r"(?<=\d) ?[+&/] ?(?=\d)", " "),
    )
    for pattern in (pattern.replace("DICE", "|".join((*NUMBER_WORDS, *PLURALS))),)
)
POINT_WORDS = ("point", "points", "pts", "pt")
PLAN_VERBS = ("hold", "stop", "score", "total")  # before points that somebody aims at, or that a turn brought
RESULT_VERBS = ("banked", "held", "stopped", "scored", "got", "made", "took", "entered")
TURN_VERBS = ("bank", *PLAN_VERBS, *RESULT_VERBS)  # before the result of a turn: "I banked 450", "held at 20"
PAST_TURN_VERBS = (*RESULT_VERBS, "busted", "farkled", "zilched", "zonked")  # after a name: "Bob got 450"
OTHER_PRONOUNS = ("he", "she", "they")
PRONOUNS = ("i", "we", *OTHER_PRONOUNS)  # before a verb, they say whose turn it is, which is known
NOT_NAMES = (  # before "got 450"
    *(*PRONOUNS, *BUST_WORDS, *STOP_WORDS, *ROLL_WORDS, "bust", "turn", "round", "frame", "hand", "total", "score"),
    *("crew", "that", "this", "just", "threw", "nobody"),
    *(*TURN_VERBS, *KEEP_VERBS, *ENTRY_WORDS, *LETTER_VERBS, *ALL_WORDS, *NUMBER_WORDS),
    *("not", "no", "never", "nearly", "almost", "maybe", "about", "around", "wait", "sorry", "correction", "only"),
    *("cannot", "hardly", "nope", "minus", "over", "under", "less", "more", "next", "then", "ok", "oops", "yes"),
    *(*POINT_WORDS, "result"),
    *(kind.value for kind in ChoiceKind),
)
SENTENCE_ENDS = ".!"
ROLL_FILLERS = (
    *("i", "we", "you", "he", "she", "they", "it", "its", "it's", "is", "are", "have", "has", "the", "my", "a", "now"),
    *("then", "and", "got", "roll", "rolled", "threw", "dice", "came", "up", "feels", "feel", "felt", "bar"),
)  # before the dice of a roll, as in "I got 1 1 5 3 2"
BUST = "bust"  # a roll of which only this is known, as typed and in game files
SPELLED = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five"}  # as in "three of a kind"


class ImpossibleRollError(InputError):
    """A roll that is not possible here; the message says what to type."""


class UnknownChoiceError(InputError):
    """The input fits no choice; the message lists the choices."""


class KeptDiceError(InputError):
    """The input keeps dice that are kept in any case, or that do not lie there; the message says so."""


class BoxTooEarlyError(InputError):
    """The input gives a box and its points, but dice may still be rolled; the message says so."""


class NoBankError(InputError):
    """The input asks for a bank, which is not possible here; the message says why."""


class AmbiguousChoiceError(InputError):
    """The input fits several choices."""


# --- rolls


def _telling_field(playable: PlayableGame[Any], position: Any, first_roll: Any, last_roll: Any) -> Field:
    """Return the field in which the positions after different rolls differ.

    Args:
        playable: the game.
        position: the position before the roll.
        first_roll: the position after the first roll that is possible.
        last_roll: the position after the last one, which is the same if only one roll is possible.
    """
    before, first, second = (playable.to_dict(roll) for roll in (position, first_roll, last_roll))
    inside = [field for field in playable.fields_at(position) if field.is_inside_turn]
    for field in inside:
        if first.get(field.name) != second.get(field.name):
            return field
    return next(field for field in inside if field.name in first and field.name not in before)


def _are_numbered(playable: PlayableGame[Any], rolls: Iterable[Any]) -> bool:
    """Return whether rolls are typed by number, because after some no field says what was rolled."""
    return not playable.fields or any(
        playable.stage(after) is not Stage.DECISION or playable.is_turn_start(after) for after in rolls
    )


def _sorted_texts(value: object) -> tuple[str, ...]:
    return tuple(sorted(map(str, value))) if isinstance(value, (list, tuple)) else (str(value),)


def parse_roll(playable: PlayableGame[Position], position: Position, text: str) -> Position:
    """Return the position that a typed roll leads to.

    Raises:
        InputError: dice that cannot be rolled; the message says what can.
    """
    rolls = [after for _, after in playable.rolls(position)]
    if _are_numbered(playable, rolls):
        return rolls[parse_number(text, "the number of the roll", 1, len(rolls)) - 1]
    field = _telling_field(playable, position, rolls[0], rolls[-1])
    dice = () if field.kind is FieldKind.FLAG else field.parse(text.strip(), is_named=False)
    dice = playable.dice_of_total(position, dice)
    faces = _read_flag(field, text) if field.kind is FieldKind.FLAG else _sorted_texts(dice)
    staying = tuple(map(str, playable.value_of_role(position, Role.KEPT, ())))
    with_kept = _sorted_texts((*faces, *staying))  # dice that stay may be typed or left out
    for after in rolls:
        if _sorted_texts(playable.to_dict(after).get(field.name)) in (faces, with_kept):
            return after
    if field.kind is FieldKind.DICE:
        if reason := playable.explain_reroll(position, dice):
            raise InputError(f"{as_typed(text)} {reason}")
        raise _impossible_dice_error(playable, field, rolls, text, faces, staying)
    possible = sorted({format_roll(playable, position, after) for after in rolls})
    raise ImpossibleRollError(f"{as_typed(text)} is not a possible result; type {' or '.join(possible)}")


def find_bust(playable: PlayableGame[Position], position: Position, text: str) -> Position | None:
    """Return the position after a roll that ends the turn without points, if ``text`` is a word for that: ``farkle``.

    The dice are not known; the position has some dice that bust. None if the text is not such a word, if no roll busts,
    or if rolls bust with different results.
    """
    if text.strip().lower() not in (BUST, *BUST_WORDS):
        return None
    busts = list(_list_busts(playable, position))
    return busts[0] if len({playable.choices(after)[0].after for after in busts}) == 1 else None


def can_bust(playable: PlayableGame[Any], position: Any) -> bool:
    """Return whether a roll from this position can end the turn without points."""
    return next(_list_busts(playable, position), None) is not None


def _list_busts(playable: PlayableGame[Position], position: Position) -> Iterator[Position]:
    """Yield the positions after rolls that bust, each with a bust as its only choice."""
    for _, after in playable.rolls(position):
        choices = playable.choices(after) if playable.stage(after) is Stage.DECISION else ()
        if [choice.kind for choice in choices] == [ChoiceKind.BUST]:
            yield after


def split_roll_and_choice(playable: PlayableGame[Position], position: Position, text: str) -> tuple[str, str] | None:
    """Return the roll and the choice of a line that has both: ``55523, bank 500``; None if it has not.

    The roll is possible; the choice is not checked, but it begins with a word. More dice are no choice, because one die
    too many is a slip; nor is a letter alone, because letters name choices only after the roll.

    Args:
        playable: the game.
        position: the position before the roll.
        text: what is typed.
    """
    if playable.stage(position) is not Stage.CHANCE:
        return None
    words = re.sub(r"[,;:](?=[^\W\d])", ", ", text).split()
    for count in range(len(words) - 1, 0, -1):
        roll_text = " ".join(words[:count]).rstrip(",;: ")
        choice_words = words[count:]
        if roll_text.endswith(tuple(f" {word}" for word in LINKING_WORDS)):
            continue
        while len(choice_words) > 1 and choice_words[0].lower().rstrip(",") in LINKING_WORDS:
            choice_words = choice_words[1:]
        with suppress(InputError):
            parse_roll(playable, position, roll_text)
            choice_text = " ".join(choice_words)
            first_word = choice_words[0].lower().rstrip(",")
            is_word = len(first_word) > 1 and first_word not in POINT_WORDS and _split_dice(playable, choice_text)[1]
            return (roll_text, choice_text) if first_word in KEEP_VERBS or is_word else None
    return None


def _impossible_dice_error(
    playable: PlayableGame[Any],
    field: Field,
    rolls: Sequence[Any],
    text: str,
    faces: Sequence[str],
    staying_dice: Sequence[str],
) -> InputError:
    """Return the error of dice that cannot be rolled: how many are expected, or which dice stay."""
    lying = [Counter(_sorted_texts(playable.to_dict(after)[field.name])) for after in (rolls[0], rolls[-1])]
    # In some games the dice that stay are not part of the roll.
    staying = len(staying_dice) if all(Counter(staying_dice) <= dice for dice in lying) else 0
    number = lying[0].total()
    expected = format_count(number - staying, "die")
    if len(faces) not in (number, number - staying):
        with_staying = f", or all {number} with those that stay" if staying else ""
        return InputError(f"expected {expected}{with_staying}, got {len(faces)}: {as_typed(text)}")
    if staying:
        rolled = "die" if number - staying == 1 else f"{number - staying} dice"
        remedy = (
            f"{format_dice(staying_dice, field.words)} must stay; type only the rolled {rolled}, or all {number} dice"
        )
    else:
        example = format_dice(_sorted_texts(playable.to_dict(rolls[0])[field.name]), field.words)
        remedy = f"type {expected}, such as {example}"
    return ImpossibleRollError(f"{as_typed(text)} cannot be rolled here; {remedy}")


def _read_flag(field: Field, text: str) -> tuple[str, ...]:
    words = text.strip().lower()
    yes, no = (field.name, "yes", "y", "true"), (f"not {field.name}", "no", "n", "false", "held", "holds")
    if words not in yes + no:
        raise InputError(f"the answer must be yes or no, not '{as_typed(text)}'")
    return (str(words in yes),)


def asks_yes_or_no(playable: PlayableGame[Any], position: Any) -> bool:
    """Return whether what follows a position is a flag, which is entered as yes or no: ``tripped``."""
    rolls = [roll for _, roll in playable.rolls(position)]
    if _are_numbered(playable, rolls):
        return False
    return _telling_field(playable, position, rolls[0], rolls[-1]).kind is FieldKind.FLAG


def format_roll(playable: PlayableGame[Position], position: Position, after: Position) -> str:
    """Return a roll as ``parse_roll`` reads it: ``1 1 5 3 2``, ``springy``, ``not tripped``."""
    rolls = [roll for _, roll in playable.rolls(position)]
    if _are_numbered(playable, rolls):
        return str(rolls.index(after) + 1)
    field = _telling_field(playable, position, rolls[0], rolls[-1])
    value = playable.to_dict(after).get(field.name)
    if field.kind is FieldKind.FLAG:
        return field.name if value else f"not {field.name}"
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def list_answers(playable: PlayableGame[Any], position: Any) -> list[str]:
    """Return what can be entered where something other than dice is asked for, such as ``loose`` or ``yes``."""
    rolls = [roll for _, roll in playable.rolls(position)]
    if playable.rolls_dice(position) or _are_numbered(playable, rolls):
        return []
    if asks_yes_or_no(playable, position):
        return ["yes", "no"]
    return list(dict.fromkeys(format_roll(playable, position, roll) for roll in rolls))


def describe_roll(playable: PlayableGame[Any], roll_text: str) -> str:
    """Return a roll as people read it, from the text of ``format_roll``: ``5 green 1 red``."""
    faces = _kept_faces(playable)
    dice = roll_text.split()
    return format_dice(dice, faces) if set(dice) <= set(faces) else roll_text


def _kept_faces(playable: PlayableGame[Any]) -> Sequence[str]:
    """Return the faces of the dice that choices keep; empty if no dice are kept."""
    return next((field.words for field in playable.fields if field.role is playable.kept_role), ())


# --- choices


def spoken_form(choice: Choice[Any]) -> str:
    """Return the words by which people type a choice, and by which game files record it."""
    return choice.words if choice.data is None else format_choice(choice.kind, choice.data)


def find_by_words(choices: Iterable[AnyChoice], text: str) -> AnyChoice | None:
    """Return the choice with exactly these words; None if there is none."""
    return next((choice for choice in choices if spoken_form(choice) == text), None)


def _spoken_words(choice: Choice[Any]) -> list[str]:
    return _split_words(spoken_form(choice))


def parse_choice(
    playable: PlayableGame[Position], position: Position, text: str, letters: ChoiceLetters | None = None
) -> Choice[Position]:
    """Return the choice that is typed.

    If none fits as typed, the text is read once more without filler words, and with plurals as dice: ``keep the three
    ones and roll``.

    Args:
        playable: the game.
        position: a decision position.
        text: what is typed.
        letters: the choices on the screen with their letters; choices that a message lists are added to them. None if
            there is no screen, as in a file: letters then name no choice, and a number alone counts all choices.

    Raises:
        InputError: none of the choices fits, or several do; the message lists them.
    """
    if (exact := find_by_words(playable.choices(position), text)) is not None:
        return exact  # also with articles, such as "draw a card" in a game of one's own
    try:
        choice = _parse_with_filler_words(playable, position, text, letters)
    except InputError:
        named_choice = _find_by_set_name(playable, position, text, letters)
        if named_choice is None:
            raise
        choice = named_choice
    _check_scratched(text, choice)
    return choice


def _find_by_set_name(
    playable: PlayableGame[Position], position: Position, text: str, letters: ChoiceLetters | None
) -> Choice[Position] | None:
    """Return the choice that a text means by the name of a set, such as three pairs; None if it has no such name.

    Raises:
        AmbiguousChoiceError: several choices set aside a set of this name, alone or with other dice.
    """
    by_name: dict[str, list[Choice[Position]]] = {}
    for choice in playable.choices(position):
        if isinstance(choice.data, (TurnRoll, TurnStop)) and choice.data.set_aside.name:
            by_name.setdefault(choice.data.set_aside.name.lower(), []).append(choice)
    typed = " ".join(text.lower().split())
    name = max((name for name in by_name if re.search(rf"\b{re.escape(name)}\b", typed)), key=len, default="")
    if not name:
        return None
    rest = [
        word for word in _split_words(typed.replace(name, "")) if word not in (*FILLER_WORDS, *KEEP_VERBS, *ARTICLES)
    ]
    fitting = _fitting_choices(playable, by_name[name], rest, None, rest) if rest else by_name[name]
    if len(fitting) > 1:
        raise AmbiguousChoiceError(_ambiguity(text, fitting, letters))
    return fitting[0] if fitting else None


def _without_articles(playable: PlayableGame[Any], text: str) -> str:
    """Return a text without articles, but with ``one`` for an article before the word for a die, as in ``a five``.

    A letter alone, a face such as the A of poker dice, and the article in *three of a kind* stay.
    """
    faces = set(map(str.lower, _kept_faces(playable)))
    typed = (BESIDE_ARTICLE.sub(" a ", text) if DIE_WITH_ARTICLE.search(text) else text).split()
    words = list[str]()
    for previous_word, word, next_word in zip(["", *typed], typed, [*typed[1:], ""], strict=False):
        if word.lower() not in ARTICLES or word.lower() in faces or previous_word.lower() == "of" or not next_word:
            words.append(word)
        elif next_word.lower().strip(",") in NUMBER_WORDS or (
            previous_word.lower() == "bank" and next_word[:1].isdecimal()
        ):
            words.append("one")
    return " ".join(words)


def _parse_with_filler_words(
    playable: PlayableGame[Position], position: Position, text: str, letters: ChoiceLetters | None
) -> Choice[Position]:
    """Return the choice that a text names as typed, or else without its filler words; see ``parse_choice``."""
    without_articles = _without_articles(playable, text)
    try:
        return _parse_words(playable, position, without_articles, text, letters)
    except InputError as error:
        if isinstance(error, BoxTooEarlyError):
            raise
        plain = _plain_words(playable, position, without_articles)
        if plain not in ("", " ".join(_split_words(without_articles))):
            try:
                return _parse_words(playable, position, plain, text, letters)
            except (AmbiguousChoiceError, BoxTooEarlyError, NoBankError):
                raise
            except KeptDiceError as plain_error:
                raise (error if isinstance(error, KeptDiceError) else plain_error) from None
            except InputError:
                says_dice = _split_dice(playable, plain)[0] is not None
                if says_dice and isinstance(error, NoBankError):
                    raise  # the dice are not there, whatever is missing for a bank
        raise


def _check_scratched(text: str, choice: Choice[Any]) -> None:
    """Raise InputError if a text asks to scratch a box in which the dice score points.

    If the turn fills two boxes, it is the one that is named first.
    """
    words = [word for word in _split_words(text) if word not in FILLER_WORDS]
    if not words or words[0] not in SCRATCH_VERBS or not isinstance(choice.data, BoxEntries):
        return
    entries, named = choice.data.entries, _box_words(words[1:])
    by_first_word = [entry for entry in entries if entry.box.split()[:1] == named[:1]]
    by_name = [entry for entry in by_first_word if " ".join(named).startswith(entry.box)]
    for entry in entries if len(entries) == 1 else by_name or by_first_word:
        if entry.points:
            points = format_count(entry.points, "point")
            remedy = f"; type {entry.box}" if len(entries) == 1 else ""
            raise InputError(f"{entry.box} cannot be scratched: the dice score {points} there{remedy}")


def _plain_words(playable: PlayableGame[Any], position: Any, text: str) -> str:
    """Return a text without filler words, and with plurals as the dice they mean: ``keep the 5s`` is ``keep 5 5``."""
    if END_OF_TURN.fullmatch(text):
        return "bank"
    text = _with_usual_verbs(playable, text)
    counted = re.sub(r"\b((a )?pair of|both)(?= \w)", "two", text, flags=re.IGNORECASE)
    counted = _spell_counts(counted)
    roll = Counter(map(str, playable.value_of_role(position, Role.ROLL, ())))
    counted = ONE_FACE.sub(lambda match: _one_face(match, roll), counted)
    words = [word for word in _split_words(counted) if word not in (*FILLER_WORDS, *POINT_WORDS)]
    faces = set(_kept_faces(playable))
    choices = playable.choices(position)
    keeps = [choice.keep for choice in choices]
    says_all = any("all" in _spoken_words(choice) for choice in choices)
    plain: list[str] = []
    names_dice = False  # by counts or plurals, which are never points
    for word, next_word in pairwise([*words, ""]):
        has_count = bool(plain) and plain[-1] in NUMBER_WORDS
        face = word if has_count and word in faces else _plural_face(word)
        lying = max((keep.count(face) for keep in keeps), default=0)
        if face in faces and (lying or has_count):
            count = NUMBER_WORDS.index(plain.pop()) + 1 if has_count else lying
            plain += [face] * count
            names_dice = True
        elif word not in ALL_WORDS:
            plain.append(word)
        elif _plural_face(next_word) in faces:
            continue  # "all ones" are the ones
        elif says_all:
            plain.append("all")
        elif plain == ["keep"]:
            largest: tuple[str, ...] = max(keeps, key=len)
            plain += largest
    return " ".join(_with_clear_verb(plain, names_dice))


def _with_usual_verbs(playable: PlayableGame[Any], text: str) -> str:
    """Return a text with the words of a choice for what people say instead, such as *keep* for *hold* before dice."""
    for pattern, replacement in PLAIN_WORDS:
        text = pattern.sub(replacement, text)
    names = "|".join(re.escape(face) for face in _kept_faces(playable) if len(face) > 1 and face.isalpha())
    before_name = rf"^{HOLD_VERBS} (?=(?:(?:the|both|all) )*(?:{names})\b)"
    return re.sub(before_name, "keep ", text, flags=re.IGNORECASE) if names else text


def _with_clear_verb(words: list[str], names_dice: bool) -> list[str]:
    """Return plain words with *roll all* for *keep nothing*, and with *keep* first if dice are banked.

    Args:
        words: the plain words.
        names_dice: whether counts or plurals name dice: ``bank 2s`` and ``score 2s`` are never about 2 points.
    """
    if words in (["keep", "none"], ["keep", "nothing"]):
        return ["roll", "all"]
    is_bank = names_dice and words[0] in (*STOP_WORDS, "score")
    return ["keep", *words[1:], "bank"] if is_bank else words


def _spell_counts(text: str) -> str:
    """Return a text with counts of faces in letters: ``three sixes`` for ``3 sixes``.

    Beside such a count, a 1 before another face is a count too: ``two 2s and one 3`` for ``2 2s and 1 3``.
    """
    spelled = COUNTED_PLURAL.sub(lambda match: NUMBER_WORDS[int(match[1]) - 1], text)
    return text if spelled == text else re.sub(r"\b1(?= [1-9]\b)", "one", spelled)


def _one_face(match: re.Match[str], roll: Mapping[str, int]) -> str:
    """Return ``keep 5`` for ``keep one five``; also for ``keep the five``, or ``five``, if only one die shows it."""
    face = str(NUMBER_WORDS.index(match[2].lower()) + 1)
    is_counted = (match[1] or "the").lower() != "the"
    return f"keep {face}" if is_counted or roll[face] == 1 else match[0]


def _plural_face(word: str) -> str:
    """Return the face that a plural names: ``5`` for ``5s`` and ``fives``; "" for any other word."""
    if word in PLURALS:
        return str(PLURALS.index(word) + 1)
    return word.removesuffix("s").removesuffix("'") if word.endswith("s") and word[:1].isdecimal() else ""


def strip_sentence(text: str, name: str) -> str:
    """Return an entry without the subject and the full stop of a sentence: ``he banked 20.`` is ``banked 20``.

    Args:
        text: what is typed.
        name: the name of the player to move, which may be the subject.
    """
    text = INTENTION.sub("", text.rstrip().rstrip(SENTENCE_ENDS).rstrip()) or text
    if text.lower().startswith((f"{name.lower()} ", f"{name.lower()}:")):
        return text[len(name) :].lstrip(": ") or text
    subject, _, rest = text.partition(" ")
    verb = rest.strip().partition(" ")[0]
    is_sentence = subject.lower() in PRONOUNS and len(verb) > 1 and verb.isalpha()
    return rest.strip() if is_sentence else text


def is_likely_name(word: str) -> bool:
    """Return whether the first word of an entry may be the name of a player."""
    return len(word) > 1 and word.isalpha() and word.lower() not in (*FILLER_WORDS, *ROLL_FILLERS, *NOT_NAMES)


def begins_with_result_verb(text: str) -> bool:
    """Return whether a text begins as what is said of somebody's turn, such as ``got 450`` or ``busted``."""
    return text.strip().rstrip(SENTENCE_ENDS).partition(" ")[0].lower() in PAST_TURN_VERBS


def find_roll_in_sentence(playable: PlayableGame[Any], position: Any, text: str) -> str:
    """Return the dice of a sentence such as ``I got 1 1 5 3 2``; "" if it does not end with a possible roll."""
    words = re.sub(r"[,;:]", " ", text).split()
    said = next((place for place, word in enumerate(words) if word.lower() not in ROLL_FILLERS), 0)
    dice_text = " ".join(words[said:]) if said else ""
    with suppress(InputError):
        if dice_text:
            parse_roll(playable, position, dice_text)
            return dice_text
    return ""


def turn_readings(text: str) -> list[str]:
    """Return the results that the words for a whole turn may mean, as typed first: ``450 points`` may be 450."""
    spaced = re.sub(rf"(?<=\d)(?=(?:{'|'.join(POINT_WORDS)})\b)", " ", TOTAL_WAS.sub("", text), flags=re.IGNORECASE)
    words = [word for word in spaced.split() if word.lower() not in (*FILLER_WORDS, *POINT_WORDS)]
    if len(words) > 1 and words[0].lower() in TURN_VERBS:
        words = words[1:]
    plain = " ".join(words)
    readings = [text] if plain in ("", text) else [text, plain]
    if not {text.lower(), plain.lower()}.isdisjoint((BUST, *BUST_WORDS)):
        readings = [*readings, BUST, "0"]
    elif result := RESULT_WORDS.get(plain.lower()):
        readings = [*readings, result]
    return readings


def _parse_words(
    playable: PlayableGame[Position], position: Position, text: str, typed: str, letters: ChoiceLetters | None
) -> Choice[Position]:
    """Return the choice that words name as they stand; see ``parse_choice``. Messages quote ``typed``."""
    words = _split_words(text)
    choices = _possible_choices(playable.choices(position), typed, letters is not None)
    if not words:
        raise InputError(f"enter a choice: {list_choices(choices, letters)}")
    for choice in choices:
        if _spoken_words(choice) == words:
            return choice
    dice, other_words = _split_dice_of_choice(playable, choices, text)
    by_label = (
        _find_by_number(choices, words) if letters is None else _find_by_letter(words, dice, letters, len(choices))
    )
    if by_label is not None:
        return by_label
    fitting = _choices_that_roll(playable, position, words, typed, letters)
    fitting = fitting or _fitting_choices(playable, choices, words, dice, other_words)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise AmbiguousChoiceError(_ambiguity(typed, fitting, letters))
    possible = list_choices(choices, letters)
    _check_dice(playable, position, words, dice, possible)
    if reason := _missing_bank(playable, position, words, dice):
        raise NoBankError(f"{reason}; choose from: {possible}")
    _check_box(playable, position, words)
    if dice is None and ":" not in text and (meant := _find_without_numbers(playable, choices, words)):
        raise InputError(f"{as_typed(typed)} is not a choice here; did you mean {meant.action}?")
    raise UnknownChoiceError(f"{as_typed(typed)} is not a choice here; choose from: {possible}")


def _split_dice_of_choice(
    playable: PlayableGame[Any], choices: Sequence[Choice[Any]], text: str
) -> tuple[list[str] | None, list[str]]:
    """Return the dice of a choice that is typed, sorted, and the other words; None if there are no dice.

    The dice stand first, or after *bank*, as in ``bank 1 1 1``; but ``bank 450`` names points.
    """
    words = _split_words(text)
    if not any(choice.keep for choice in choices):  # digits are then words of a choice: "roll 3 dice"
        return None, words
    is_bank = words[0] == "bank" or (words[0] in ("stop", "settle") and len(words) > 2)  # "stop 5" may be of points
    if is_bank and not _banks_of_points(playable, choices, words):
        text = " ".join([*words[1:], words[0]])
    return _split_dice(playable, text)


def _possible_choices(choices: Sequence[Choice[Position]], typed: str, is_prompt: bool) -> Sequence[Choice[Position]]:
    """Return the choices that an entry may mean: at the prompt, *roll* alone and *the rest* mean that dice are kept."""
    if not is_prompt:
        return choices
    words = _split_words(typed)
    is_roll_alone = [word for word in words if word not in FILLER_WORDS] == ["roll"]
    keeping = [choice for choice in choices if choice.keep] if is_roll_alone or "rest" in words else []
    return keeping or choices


def _choices_that_roll(
    playable: PlayableGame[Position],
    position: Position,
    words: Sequence[str],
    typed: str,
    letters: ChoiceLetters | None,
) -> list[Choice[Position]]:
    """Return the choices that roll just the dice of a text such as ``reroll 3 5 6``, and keep all others.

    A number alone means a die after *reroll* or *the*; ``roll 3`` may also mean three dice, as ``roll 3 dice`` does.

    Raises:
        KeptDiceError: the text names dice that do not lie there, or dice or a number of them that no choice rolls.
    """
    field = next((field for field in playable.fields if field.role is playable.kept_role), None)
    spelled = [word for word in _spell_counts(" ".join(words[1:])).split() if word not in FILLER_WORDS]
    names = [  # "all ones" are the ones
        word for word, next_word in pairwise([*spelled, ""]) if word not in ALL_WORDS or not _plural_face(next_word)
    ]
    if field is None or field.role is not Role.ROLL or words[0] not in ROLL_WORDS or not names:
        return []
    roll = Counter(map(str, playable.value_of_role(position, Role.ROLL, ())))
    rolled = _named_dice(field, names, roll)
    is_die = REROLL.match(typed) or "the" in _split_words(typed) or _plural_face(names[0])
    choices = playable.choices(position)
    rolling = [choice for choice in choices if not _ends_turn(playable, choice)]
    by_number = [choice for choice in rolling if f"{choice.dice_left}" == names[0]]
    if rolled is None:
        is_number = len(names) == 2 and names[0].isdecimal() and names[1] in ("dice", "die")
        if is_number and not by_number:
            raise KeptDiceError(f"no choice rolls {names[0]} {names[1]}; choose from: {list_choices(choices, letters)}")
        return by_number if is_number else []
    if rolled.total() == 1 and not is_die:
        by_die = [choice for choice in rolling if Counter(choice.keep) == roll - rolled] if rolled <= roll else []
        return [*by_die, *(choice for choice in by_number if choice not in by_die)]
    faces = _kept_faces(playable)
    if not rolled <= roll:
        missing = format_dice([face for face in rolled.elements() if rolled[face] > roll[face]], faces)
        raise KeptDiceError(
            f"{_describe_missing_dice(playable, position, missing)}; choose from: {list_choices(choices, letters)}"
        )
    fitting = [choice for choice in rolling if Counter(choice.keep) == roll - rolled]
    if not fitting:
        dice = format_dice(sorted(rolled.elements()), faces)
        raise KeptDiceError(f"no choice rolls only {dice}; choose from: {list_choices(choices, letters)}")
    return fitting


def _named_dice(field: Field, names: Sequence[str], roll: Mapping[str, int]) -> Counter[str] | None:
    """Return the dice that words name, such as ``3 5``, ``two 1s`` and ``ones``; None if another word is among them.

    Args:
        field: the field of the dice.
        names: the words.
        roll: the number of dice that lie there by face; a plural alone means all of its face.
    """
    dice = Counter[str]()
    count = 0  # of the face that follows
    for name in names:
        if name in NUMBER_WORDS and not count:
            count = NUMBER_WORDS.index(name) + 1
            continue
        plural = _plural_face(name)
        faces = (
            [plural] * (count or roll[plural] or 1) if plural else [*(_read_faces(field, name) or ())] * (count or 1)
        )
        if not faces:
            return None
        dice.update(faces)
        count = 0
    return None if count else dice


def _describe_missing_dice(playable: PlayableGame[Any], position: Any, missing: str) -> str:
    """Return that the dice of a roll do not show something: ``this roll, 1 1 2 3 5, has no 4``."""
    roll = format_dice(list(map(str, playable.value_of_role(position, Role.ROLL, ()))), _kept_faces(playable))
    return f"this roll, {roll}, has no {missing}"


def _check_dice(
    playable: PlayableGame[Any], position: Any, words: Sequence[str], dice: list[str] | None, possible: str
) -> None:
    """Raise KeptDiceError if words keep dice that do not lie there, or that are kept in any case.

    Args:
        playable: the game.
        position: a decision position.
        words: all words that are typed.
        dice: the dice among them, None if there are none.
        possible: the list of choices for the message.
    """
    reason = playable.explain_kept(position, dice) if dice else ""
    if missing := _missing_dice(playable, position, words, dice):
        reason = _describe_missing_dice(playable, position, missing)
    reason = reason or _useless_dice(playable, position, dice)
    if reason:
        raise KeptDiceError(f"{reason}; choose from: {possible}")


def _missing_dice(playable: PlayableGame[Any], position: Any, words: Sequence[str], dice: Sequence[str] | None) -> str:
    """Return dice that are typed, ``keep 4`` or ``keep four twos``, but do not lie there, or not so often; else ""."""
    roll = Counter(map(str, playable.value_of_role(position, Role.ROLL, ())))
    if playable.kept_role is not Role.ROLL or not roll:
        return ""
    for word, next_word in pairwise(words if words[0] in KEEP_VERBS else ()):
        count = NUMBER_WORDS.index(word) + 1 if word in NUMBER_WORDS else 1
        face = _plural_face(next_word)
        if face in _kept_faces(playable) and roll[face] < count:
            return f"{word} {next_word}" if count > 1 else next_word
    missing = (face for face, count in Counter(dice or ()).items() if roll[face] < count)
    face = next(missing, "")
    return format_dice([face] * Counter(dice)[face], _kept_faces(playable)) if face else ""


def _useless_dice(playable: PlayableGame[Any], position: Any, dice: Sequence[str] | None) -> str:
    """Return that some dice of a push-your-luck roll score nothing, if dice are typed that no choice keeps; else ""."""
    choices = playable.choices(position)
    if not all(isinstance(choice.data, (TurnRoll, TurnStop)) for choice in choices):
        return ""
    counts = Counter(dice or ())
    useless = [face for face in counts.elements() if all(counts[face] > choice.keep.count(face) for choice in choices)]
    verb = "scores" if len(useless) == 1 else "score"
    return f"{format_dice(useless, _kept_faces(playable))} {verb} nothing in this roll" if useless else ""


def _missing_bank(
    playable: PlayableGame[Position], position: Position, words: Sequence[str], dice: list[str] | None
) -> str:
    """Return why no choice banks, if the words ask for a bank and the game has a reason; else ""."""
    choices = playable.choices(position)
    kinds = {choice.kind for choice in choices}
    can_stop = ChoiceKind.STOP in kinds
    says_bank = any(word in STOP_WORDS and not (can_stop and word == "stop") for word in words)
    may_be_kept = dice is None or any(sorted(choice.keep) == dice for choice in choices)
    if not (says_bank and may_be_kept) or ChoiceKind.BANK in kinds:
        return ""
    reason = playable.explain_no_bank(position).rstrip(".") or ("No bank is possible yet" if can_stop else "")
    ending = "; stop ends the turn with nothing" if can_stop else ""
    return f"{reason[:1].lower()}{reason[1:]}{ending}"


def _find_without_numbers(
    playable: PlayableGame[Position], choices: Sequence[Choice[Position]], words: Sequence[str]
) -> Choice[Position] | None:
    """Return the only choice that words mean without their numbers, such as ``fives 12`` if fives score 10; or None."""
    names = [word for word in words if not word.isdecimal()]
    fitting = _fitting_choices(playable, choices, names, None, names) if names and len(names) < len(words) else []
    return fitting[0] if len(fitting) == 1 else None


def _find_by_number(choices: Sequence[Choice[Position]], words: Sequence[str]) -> Choice[Position] | None:
    """Return the choice with a number, counted from 1 in the documented order; None if there is none."""
    number = words[0]
    if len(words) > 1 or not (number.isascii() and number.isdecimal() and len(number) <= MAX_NUMBER_DIGITS):
        return None
    return choices[int(number) - 1] if 1 <= int(number) <= len(choices) else None


def _find_by_letter(
    words: Sequence[str], dice: list[str] | None, letters: ChoiceLetters, choice_count: int
) -> Choice[Any] | None:
    """Return the choice on the screen with a letter; None if the words are not a letter, alone or as in ``take a``.

    Args:
        words: all words that are typed.
        dice: the dice among them, None if there are none.
        letters: the choices on the screen.
        choice_count: the number of all choices.

    Raises:
        InputError: no choice on the screen has this letter.
    """
    has_verb = len(words) == 2 and words[0] in LETTER_VERBS and len(words[1].strip("().")) == 1
    if dice is not None or not (len(words) == 1 or has_verb):
        return None
    letter = words[-1].strip("().")
    choice = letters.find(letter)
    if choice is None and len(letter) == 1 and letter.isalpha():
        hint = f"the letters are {letters.span}" if letters.span else "type more to list the choices"
        if letters.span and len(letters.choices) < choice_count:
            hint = f"the letters so far are {letters.span}; more lists all choices"
        raise InputError(f"{letter} is not the letter of a choice here; {hint}")
    return choice


def _fitting_choices(
    playable: PlayableGame[Position],
    choices: Sequence[Choice[Position]],
    words: Sequence[str],
    dice: list[str] | None,
    other_words: Sequence[str],
) -> list[Choice[Position]]:
    """Return the choices that typed words can mean.

    Args:
        playable: the game.
        choices: all choices of the position.
        words: all words that are typed.
        dice: the dice among them, None if there are none.
        other_words: the words that are not dice.
    """
    can_bank = any(choice.kind is ChoiceKind.BANK for choice in choices)
    has_number = any(map(str.isdecimal, words))
    if dice is None and has_number:  # "score 5" and "score 1 1" do not stop for nothing
        choices = [
            choice
            for choice in choices
            if choice.kind is not ChoiceKind.STOP or not (choice.keep or _is_verb_and_number(words))
        ]
    if can_bank and dice is None and len(other_words) == 1 and other_words[0] in STOP_WORDS:
        choices = [choice for choice in choices if choice.kind is not ChoiceKind.STOP]
    if banks := _banks_of_points(playable, choices, words):
        return [*banks, *(choice for choice in _banks_of_dice(playable, choices, words) if choice not in banks)]
    fitting = _with_words(choices, dice, other_words, str.__eq__)
    fitting = fitting or _with_words(choices, dice, other_words, str.startswith)
    if len(fitting) != 1:
        typed = " ".join(words)
        begun = [choice for choice in choices if " ".join(_spoken_words(choice)).startswith(typed)]
        fitting = begun if len(begun) == 1 else fitting or begun
    if not fitting and dice and set(other_words) <= {"roll"}:  # in Battleship "3" keeps a 3 beside 6, 5 and 4
        crew = tuple(f"keep {word} {' '.join(dice)}," for word in ("the", "one"))
        fitting = [choice for choice in choices if spoken_form(choice).startswith(crew)]
    fitting = fitting or _with_other_words(playable, choices, words, dice, other_words)
    if dice:
        fitting = _without_stops(fitting)
    may_go_on = all(choice.kind in (ChoiceKind.BANK, ChoiceKind.STOP, ChoiceKind.PASS) for choice in fitting)
    if len(fitting) > 1 and may_go_on and all(_ends_turn(playable, choice) for choice in fitting):
        max_points = max(choice.points for choice in fitting)  # who banks wants all points
        fitting = [choice for choice in fitting if choice.points == max_points]
    return fitting


def _banks_of_points(
    playable: PlayableGame[Any], choices: Sequence[Choice[Position]], words: Sequence[str]
) -> list[Choice[Position]]:
    """Return the banks of the points that words name, such as ``hold 20`` and ``keep 1050``.

    After a verb that may be about dice, a number that can be read as dice is not points: ``keep 4``.
    """
    if not _is_verb_and_number(words):
        return []
    field = next((field for field in playable.fields if field.role is playable.kept_role), None)
    is_about_dice = words[0] == "keep" or (words[0] == "hold" and len({choice.keep for choice in choices}) > 1)
    if is_about_dice and field is not None and _read_faces(field, words[1]):
        return []
    return [choice for choice in choices if choice.kind is ChoiceKind.BANK and f"{choice.points}" == words[1]]


def _banks_of_dice(
    playable: PlayableGame[Any], choices: Iterable[Choice[Position]], words: Sequence[str]
) -> list[Choice[Position]]:
    """Return the banks of the dice that a number names: ``bank 5`` may be about points, or about a die."""
    field = next((field for field in playable.fields if field.role is playable.kept_role), None)
    faces = None if field is None or words[0] != "bank" else _read_faces(field, words[1])
    if not faces:
        return []
    return [choice for choice in choices if choice.kind is ChoiceKind.BANK and sorted(choice.keep) == sorted(faces)]


def _is_verb_and_number(words: Sequence[str]) -> bool:
    """Return whether words may name the points of a bank, as in ``bank 450``."""
    return len(words) == 2 and words[0] in (*STOP_WORDS, "keep", "score") and words[1].isdecimal()


def find_equivalent_choice(
    playable: PlayableGame[Position],
    other_position: Position,
    other_choice: Choice[Position],
    position: Position,
) -> Choice[Position] | None:
    """Return the choice in ``position`` that corresponds to ``other_choice`` in ``other_position``, or None.

    It is looked for in three ways, in this order:

    1. the choice whose ``Choice.meaning`` is equal: the kind of choice, and its data or words;
    2. the only choice with the same dice kept, dice left, boxes and kind, whatever points it scores;
    3. the choice that ``Choice.follow_up`` of the other one, such as "bank", names here as typed. The word must name
       the other choice in its position.

    Args:
        playable: the game.
        other_position: the position in which the other choice was made.
        other_choice: that choice.
        position: the position in which a choice is looked for; without choices if it is not a decision.
    """
    if playable.stage(position) is not Stage.DECISION:
        return None
    choices = playable.choices(position)
    equal = find_choice(choices, other_choice)
    if equal is not None:
        return equal

    def outline(before: Position, choice: Choice[Position]) -> Hashable:
        """Return what a choice does, without its points."""
        boxes = tuple(playable.filled_boxes(before, choice.after, choice, text=""))  # the choice needs no text
        return choice.keep, choice.kind, choice.dice_left, boxes

    other_outline = outline(other_position, other_choice)
    alike = [choice for choice in choices if outline(position, choice) == other_outline]
    if len(alike) == 1:
        return alike[0]
    with suppress(InputError):  # the word names no choice, or several
        if parse_choice(playable, other_position, other_choice.follow_up.value) == other_choice:
            return parse_choice(playable, position, other_choice.follow_up.value)
    return None


def _with_other_words(
    playable: PlayableGame[Position],
    choices: Sequence[Choice[Position]],
    words: Sequence[str],
    dice: list[str] | None,
    other_words: Sequence[str],
) -> list[Choice[Position]]:
    """Return choices that people mean by words that are not those of the choice.

    Such words end a turn that may go on (with points that count), roll on, or name a box in any way.
    """
    ends = [choice for choice in choices if _ends_turn(playable, choice)]
    if len(other_words) == 1 and other_words[0] in (*STOP_WORDS, *ROLL_WORDS) and len(ends) < len(choices):
        if other_words[0] in STOP_WORDS:
            candidates = [choice for choice in ends if choice.kind is not ChoiceKind.STOP]
        else:
            candidates = [choice for choice in choices if choice not in ends and choice.kind is not ChoiceKind.KEEP]
        return _with_words(candidates, dice, (), str.__eq__)
    entries = [  # dice that do not lie there mean nothing, and kept dice are not a box
        choice for choice in ends if not (choice.keep and (dice or isinstance(choice.data, TurnStop)))
    ]
    names = [word for word in words if word not in ENTRY_WORDS]
    box_words = _box_words(words)
    if entries and any(word.isalpha() for word in box_words):
        by_points = _with_words(entries, None, names, str.__eq__)  # "score 4 in twos"
        by_name = by_points or _with_words(entries, None, box_words, str.__eq__)
        return by_name or _with_words(entries, None, box_words, str.startswith)
    return []


def _box_words(words: Sequence[str]) -> list[str]:
    """Return the words that name a box: without verbs, and with numbers spelled in ``2s`` and if letters follow."""
    names = [word for word in words if word not in ENTRY_WORDS]
    spelled = list[str]()
    for place, word in enumerate(names):
        if (face := _plural_face(word)).isdecimal() and 0 < int(face) <= len(PLURALS):
            spelled.append(PLURALS[int(face) - 1])
        else:
            spelled.append(SPELLED.get(word, word) if any(map(str.isalpha, names[place:])) else word)
    return spelled


def _check_box(playable: PlayableGame[Any], position: Any, words: Sequence[str]) -> None:
    """Raise InputError if words name a box that cannot be filled now, because it is full or dice may be rolled."""
    if not any(word.isalpha() for word in words):
        return
    names = [word for word in words if word.isalpha() and word not in ENTRY_WORDS]
    boxes = playable.boxes(position, playable.player_to_move(position))
    is_filled = {" ".join(_split_words(name)): used for name, used in boxes.items()}
    spelled = " ".join(word for word in _box_words(words) if word.isalpha())  # "3 of a kind"
    spoken = [text for text in (" ".join(names), spelled) if text] or [""]  # no name means any box, as in "stop"
    matches = [name for name in is_filled if any(name.startswith(text) or text.startswith(name) for text in spoken)]
    if matches and all(is_filled[name] for name in matches):
        raise InputError(f"{matches[0]} is already filled; choose an open box")
    by_kind = {choice.kind: choice for choice in playable.choices(position)}
    if matches and ChoiceKind.ROLL in by_kind and ChoiceKind.KEEP in by_kind:
        keep_all = by_kind[ChoiceKind.KEEP].action.partition(":")[0]
        message = f"boxes are filled after the last roll; to stop rolling, first type {keep_all}"
        gives_points = words[-1].isdecimal() and words[0] not in KEEP_VERBS and names
        is_clear = gives_points or (len(words) == 1 and not names)  # names may be those of dice
        raise BoxTooEarlyError(message) if is_clear else InputError(message)


def _with_words(
    choices: Iterable[Choice[Position]], dice: list[str] | None, words: Sequence[str], matches: WordMatch
) -> list[Choice[Position]]:
    """Return the choices that keep these dice (any if None) and have all these words."""

    def has(choice: Choice[Position], word: str) -> bool:
        own_words = [*_spoken_words(choice), choice.follow_up.value]
        return any(
            own_word == word or (word.isalpha() and own_word not in UNABBREVIATED_WORDS and matches(own_word, word))
            for own_word in own_words
        )

    return [
        choice
        for choice in choices
        if (dice is None or dice == sorted(choice.keep)) and all(has(choice, word) for word in words)
    ]


def _ambiguity(typed: str, choices: Sequence[Choice[Any]], letters: ChoiceLetters | None) -> str:
    """Return the message for an entry that fits several choices."""
    more_words = "more words" if letters is None else "a letter or more words"
    return f"{as_typed(typed)} fits several choices: {list_choices(choices, letters)}; type {more_words}"


def list_choices(choices: Sequence[Choice[Any]], letters: ChoiceLetters | None = None) -> str:
    """Return choices for a message, as many as it can hold: those on the screen first, and each with its letter."""
    if letters is not None:
        on_screen = [choice for choice in letters.choices if find_choice(choices, choice)]
        choices = [*on_screen, *(choice for choice in choices if find_choice(on_screen, choice) is None)]
    first_choices = list(choices[:MAX_LISTED_CHOICES])
    while len(first_choices) > 1 and len("; ".join(choice.action for choice in first_choices)) > MAX_LIST_LENGTH:
        first_choices.pop()
    labels = ["" if letters is None else f"({letters.letter(choice)}) " for choice in first_choices]
    actions = [f"{label}{choice.action}" for label, choice in zip(labels, first_choices, strict=True)]
    missing = len(choices) - len(actions)
    return "; ".join(actions) + (f"; and {missing} more" if missing else "")


def list_likely_choices(
    playable: PlayableGame[Position], choices: Sequence[Choice[Position]]
) -> tuple[Choice[Position], ...]:
    """Return the choices that people consider, at most ``MAX_LIKELY_CHOICES``, in their order.

    Values are not known here: of choices that end a turn which may go on, the one with most points is likely. Of
    others those are likely that keep dice with an obvious pattern (``_pattern_rank``), and many rather than few dice.
    """
    ends = [choice for choice in choices if _ends_turn(playable, choice)]
    goes_on = [choice for choice in choices if choice not in ends]
    if len(choices) <= MAX_LIKELY_CHOICES or not goes_on:
        return tuple(choices[:MAX_LIKELY_CHOICES])
    faces = next(field.words for field in playable.fields if field.role is playable.kept_role)
    roll = Counter(max(choices, key=lambda choice: len(choice.keep)).keep)
    ranked = sorted(goes_on, key=lambda choice: (_pattern_rank(choice.keep, roll, faces), -len(choice.keep)))
    best_end = sorted(ends, key=lambda choice: -choice.points)[:1]
    likely = [*best_end, *ranked][:MAX_LIKELY_CHOICES]
    return tuple(choice for choice in choices if choice in likely)


def _pattern_rank(keep: Sequence[str], roll: Mapping[str, int], faces: Sequence[str]) -> int:
    """Return how obvious the pattern of kept dice is, from 0 (most) to 4.

    0: all dice of the roll or none, all dice of one face, all faces that lie more than once, or the longest run.
    1: all dice of some faces that lie more than once. 2: one die alone. 3: all dice of some faces. 4: anything else.

    Args:
        keep: the dice kept.
        roll: the number of dice of the roll by face.
        faces: all faces in order.
    """
    counts = Counter(keep)
    repeated = {face: count for face, count in roll.items() if count > 1}
    has_whole_faces = all(roll[face] == count for face, count in counts.items())
    is_all_or_none = not keep or len(keep) == sum(roll.values())
    if is_all_or_none or counts == repeated or counts == _longest_run(roll, faces):
        return 0
    if has_whole_faces and len(counts) == 1:
        return 2 if len(keep) == 1 else 0
    if has_whole_faces and set(counts) <= set(repeated):
        return 1
    return 3 if has_whole_faces else 4


def _longest_run(roll: Mapping[str, int], faces: Sequence[str]) -> dict[str, int]:
    """Return one die of each face of the longest run in a roll."""
    longest: list[str] = []
    run: list[str] = []
    for face in faces:
        run = [*run, face] if face in roll else []
        longest = run if len(run) > len(longest) else longest
    return dict.fromkeys(longest, 1)


def format_turn(playable: PlayableGame[Any], steps: Iterable[tuple[str, Choice[Any] | None]]) -> str:
    """Return a whole turn in one line: ``5, then 1 5, then 1 1: banks 950``.

    Dice that may be rolled again later are said to be kept: ``keeps 6 5, then has 4 5 5 6 6: stops and scores 11``.

    Args:
        playable: the game.
        steps: the rolls and choices of the turn. A roll is the text of ``format_roll`` and None; a choice is any text
            and the choice.
    """
    parts: list[str] = []
    roll = ""
    faces = _kept_faces(playable)
    for text, choice in steps:
        if choice is None:
            roll = describe_roll(playable, text)
            continue
        dice, data = format_dice(choice.keep, faces), choice.data
        if isinstance(data, PieceChoice):
            if roll and choice.kind in (ChoiceKind.TAKE, ChoiceKind.PASS):
                parts[-1] += f" ({roll})"  # how the touched piece sits
            roll = ""  # that the bar trips, or not, is said by the choice
        if not _ends_turn(playable, choice):
            if isinstance(data, (CardDice, TrioCast, CrewChoice)):
                if choice.kind is not ChoiceKind.KEEP:  # to keep all dice is said by the entry after it
                    parts.append(f"keeps {dice or 'nothing'}")
                continue
            keeps_dice = playable.kept_role is Role.ROLL and dice != ""
            parts.append(dice if keeps_dice else _third_person(choice))
            continue
        last_choice = choice
        if isinstance(data, TurnStop) and data.set_aside.dice and not data.set_aside.name:
            # The dice set aside stand before the colon, so that the words need not repeat them.
            roll = dice
            last_choice = replace(choice, data=data._replace(set_aside=SetAside()))
        says_roll = isinstance(data, LastDie)  # "the last die is 5: total 16"
        if parts and isinstance(data, (BoxEntries, CrewChoice)):
            roll = f"has {roll}"
        deed = _third_person(last_choice)
        colon = ";" if ": " in deed else ":"  # one colon in a sentence is enough
        parts.append(f"{roll}{colon} {deed}" if roll and not says_roll else deed)
    return ", then ".join(parts)


def _third_person(choice: Choice[Any]) -> str:
    """Return what somebody else does by a choice: ``settles for 7``."""
    return choice.words if choice.data is None else format_choice(choice.kind, choice.data, THIRD_PERSON)


def _ends_turn(playable: PlayableGame[Position], choice: Choice[Position]) -> bool:
    return playable.stage(choice.after) is Stage.TERMINAL or playable.is_turn_start(choice.after)


def _without_stops(choices: list[Choice[Position]]) -> list[Choice[Position]]:
    """Return the only choice that does not stop without points, because nobody means that by dice; else all."""
    other_choices = [choice for choice in choices if choice.kind is not ChoiceKind.STOP]
    return other_choices if len(other_choices) == 1 else choices


def scores_from_mover(playable: PlayableGame[Any], position: Any, seat: int | None = None) -> tuple[int, ...]:
    """Return the scores of all seats in turn order, beginning with ``seat`` (None: the player to move).

    They are empty if the game has no scores.
    """
    own_score = playable.value_of_role(position, Role.SCORE)
    if own_score is None:
        return ()
    mover = playable.player_to_move(position)
    from_mover = [own_score, *playable.value_of_role(position, Role.OTHER_SCORES, ())]
    first = 0 if seat is None else (seat - mover) % playable.players
    return tuple(from_mover[first:] + from_mover[:first])


# --- words


def _split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without commas, colons and brackets, and with older words replaced."""
    without_thousands = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    plain = " ".join(fold_name(re.sub(r"[,:()]", " ", without_thousands)).split())
    for older, present in OLDER_WORDS:
        plain = older.sub(present, plain)
    words = plain.split()
    return ["roll"] if words == ["roll", "again"] else words  # "again" alone does not mean the roll of all dice


def is_dice_text(playable: PlayableGame[Any], text: str) -> bool:
    """Return whether typed text is several dice and nothing else."""
    dice, other_words = _split_dice(playable, text)
    return dice is not None and len(dice) > 1 and not other_words


def _split_dice(playable: PlayableGame[Any], text: str) -> tuple[list[str] | None, list[str]]:
    """Return the dice at the beginning of a text, sorted, and the other words; None if there are no dice."""
    field = next((field for field in playable.fields if field.role is playable.kept_role), None)
    words = _split_words(expand_counted_dice(text, field.words) if field else text)
    place = 1 if words[0] in KEEP_VERBS else 0
    dice: list[str] = []
    for word, next_word in pairwise([*words[place:], ""]):
        is_between = word == "and" and dice and next_word  # "1 5 and 5"
        faces = None if field is None else _read_faces(field, next_word if is_between else word)
        if faces is None:
            break
        dice += () if is_between else faces
        place += 1
    if not dice:
        return None, list(words)
    return sorted(dice), list(words[place:])


def _read_faces(field: Field, word: str) -> Iterable[str] | None:
    try:
        return parse_dice(word, field.words)
    except InputError:
        return None
