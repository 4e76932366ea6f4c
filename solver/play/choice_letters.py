"""Letters by which people pick a choice from a list on the screen.

One rule holds at every prompt, so that no entry means two things:

- a letter alone, such as ``b``, is the choice with this letter in the list, and never anything else;
- digits and the names of faces are always dice;
- commands are whole words, and so are the words of a choice. The only short command is ``q`` for quit.

So a list leaves out ``q`` and the letters with which the name of a face begins. In a game with the faces A, K and Q it
counts b, c, d, and ``k`` keeps a king. After the last letter follow pairs of them: aa, ab, ac.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from string import ascii_lowercase
from typing import Any

from ..util.text import fold_name
from .playable_game import Choice, PlayableGame
from .position_fields import FieldKind

QUIT_LETTER = "q"


def list_letters(playable: PlayableGame[Any]) -> str:
    """Return the letters that lists of choices use in this game, in order.

    If the faces of the dice use up all letters, dice can only be typed with ``keep``, and all letters but q remain.
    """
    faces = (
        face for field in playable.fields if field.kind is FieldKind.DICE for face in (*field.words, *field.aliases)
    )
    first_letters = {fold_name(face)[:1] for face in faces}
    letters = ascii_lowercase.replace(QUIT_LETTER, "")
    return "".join(letter for letter in letters if letter not in first_letters) or letters


def generate_labels(letters: str) -> Iterator[str]:
    """Yield the letters one by one, then all pairs of them, and so on: a, b, ..., z, aa, ab, ..."""
    for length in count(1):
        yield from map("".join, product(letters, repeat=length))


class ChoiceLetters:
    """The choices on the screen in one position, each with its letter.

    Args:
        playable: the game.
    """

    def __init__(self, playable: PlayableGame[Any]) -> None:
        self._labels = generate_labels(list_letters(playable))
        self._choices: dict[str, Choice[Any]] = {}

    def letter(self, choice: Choice[Any]) -> str:
        """Return the letter of a choice; the first use assigns the next free one, which the choice keeps."""
        for letter, earlier in self._choices.items():
            if earlier.meaning == choice.meaning:
                return letter
        letter = next(self._labels)
        self._choices[letter] = choice
        return letter

    def find(self, text: str) -> Choice[Any] | None:
        """Return the choice with this letter; None if no choice on the screen has it."""
        return self._choices.get(fold_name(text))

    @property
    def choices(self) -> tuple[Choice[Any], ...]:
        """The choices on the screen, in the order of their letters."""
        return tuple(self._choices.values())

    @property
    def span(self) -> str:
        """The letters in use, in words: ``a to d``; "" if there are none."""
        letters = [*self._choices]
        return (
            (" and " if len(letters) == 2 else " to ").join(dict.fromkeys((letters[0], letters[-1]))) if letters else ""
        )
