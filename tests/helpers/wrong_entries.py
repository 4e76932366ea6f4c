"""Entries that people type wrongly at the prompt, made from the position."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from keepwise.play.game_file import GameFile
from keepwise.play.input_parser import BUST_WORDS, format_roll, spoken_form
from keepwise.play.playable_game import PlayableGame, Stage
from keepwise.play.position_fields import FieldKind, Role

COMMANDS = (
    *("undo", "undo 2", "undo 99", "undo x", "redo", "redo 2", "why", "why a", "why zz", "more", "?", "what now?"),
    *("reach", "reach 100", "reach 50 5", "reach x", "reach 10000 99", "card", "events", "events all", "help", "score"),
    *("fix", "fix 1", "fix 1 11523", "fix 99 1", "fix 2 turn 0", "fix x"),
)
VERBS = (
    *("bank", "roll", "keep", "stop", "pass", "hold", "keep all", "keep nothing", "roll all", "scratch", "take"),
    *("bank 450", "turn", "settle for 7", "hit", "double", "shut", "touch"),
)
LETTERS = ("a", "b", "e", "q.", "z", "aa")
NUMBERS = ("0", "1", "7", "20", "33", "450", "5,000", "99999")
RESULTS = (*NUMBERS, "bust", "farkle", "pass", "win", "wipe", "large tripped", "tripped", "yes", "no", "450 2")
PATTERNS = (
    *("large straight", "little straight", "full house", "three of a kind", "three pairs", "two pairs", "four twos"),
    *("a five", "the one", "both ones", "three"),
)
DEEDS = ("got 450", "banked 0", "busted", "got 11532", "rolled 5")
COUNTS = ("two", "three", "four", "the", "a", "both", "all")
COUNTED = ("ones", "fives", "twos", "six", "five", "sixes")
ENDINGS = ("", " and roll", ", bank", " please")
DEFAULT_FACES = ("1", "2", "6")  # of a game without dice
MAX_ROLLS = 400  # that are looked at


def list_wrong_entries(game: GameFile, lines: Sequence[str], rng: random.Random) -> list[str]:
    """Return such entries for the prompt of a game; most are wrong, some are right.

    Args:
        game: the game at the prompt.
        lines: what was typed at other prompts of the game.
        rng: random numbers.
    """
    playable, position = game.playable, game.position
    names = "Bob", "he", "I", *(seat.name for seat in game.seats)
    entries = [*COMMANDS, *VERBS, *LETTERS, *NUMBERS, *PATTERNS, *rng.sample(BUST_WORDS, 3), ""]
    entries += [f"turn {result}" for result in RESULTS]
    entries += [f"{number} points" for number in NUMBERS]
    entries += [f"{name} {deed}" for name in names for deed in DEEDS]
    entries += [f"{seat.name}: 450" for seat in game.seats]
    boxes = list(playable.boxes(position, playable.player_to_move(position)))
    for box in rng.sample(boxes, min(4, len(boxes))):
        entries += [box, f"{box} 0", f"{box} 25", f"turn {box}", f"turn {box} 0", f"turn {box} 13", f"enter {box}"]
        entries += [f"scratch {box}", box[:-2], f"{box} 5, {rng.choice(boxes)} 5", f"{box} for 5"]
    if playable.stage(position) is Stage.CHANCE:
        entries += _around_rolls(playable, position, rng)
    if playable.stage(position) is Stage.DECISION:
        entries += _around_choices(playable, position, rng)
    entries += rng.sample(lines, min(6, len(lines)))
    numbers = [number for number, step in enumerate(game.steps, 1) if step.line_text]
    for number in rng.sample(numbers, min(3, len(numbers))):
        entries += [
            f"fix {number} {entry}" for entry in (*rng.sample(entries, 3), *rng.sample(lines, min(3, len(lines))))
        ]
    return list(dict.fromkeys(entries))


def _faces_of(playable: PlayableGame[Any]) -> list[str]:
    return list(next((field.words for field in playable.fields if field.kind is FieldKind.DICE), DEFAULT_FACES))


def _around_rolls(playable: PlayableGame[Any], position: Any, rng: random.Random) -> Iterator[str]:
    """Yield entries for a roll: possible ones, a die too few or too many, and with possible or impossible choices."""
    rolls, faces = [after for _, after in islice(playable.rolls(position), MAX_ROLLS)], _faces_of(playable)
    for after in rng.sample(rolls, min(2, len(rolls))):
        dice = format_roll(playable, position, after).split()
        roll, fewer_dice = "".join(dice), " ".join(dice[1:]) or "0"
        yield from (" ".join(dice), roll, f"roll {roll}", f"I got {' '.join(dice)}", f"hm {roll} please", fewer_dice)
        for extra_die in (faces[0], "9"):
            yield " ".join([*dice, extra_die])
            yield " ".join([*dice[1:], extra_die])
        if playable.stage(after) is Stage.DECISION:
            words = spoken_form(rng.choice(playable.choices(after)))
            yield from (f"{roll}, {words}", f"{roll} {words}", f"{fewer_dice}, {words}", words)
        for words in ("keep 9 9", "bank 777", "b", rng.choice(PATTERNS), f"{rng.choice(dice)} {rng.choice(dice)}"):
            yield f"{roll} {words}"
    staying_dice = list(map(str, playable.value_of_role(position, Role.KEPT, ())))
    for count in (len(staying_dice), len(staying_dice) + 1):
        yield " ".join(rng.choices(faces, k=count))
    yield f"keep {rng.choice(faces)}"
    yield f"keep {rng.choice(faces)} {rng.choice(faces)} and roll"


def _around_choices(playable: PlayableGame[Any], position: Any, rng: random.Random) -> Iterator[str]:
    """Yield entries for a choice: its words in part or with more words, and other dice than lie there."""
    choices, faces = playable.choices(position), _faces_of(playable)
    roll = list(map(str, playable.value_of_role(position, Role.ROLL, ())))
    for choice in rng.sample(choices, min(3, len(choices))):
        words = spoken_form(choice)
        yield from (
            words,
            choice.action,
            f"{words} 7",
            f"why {words}",
            words.partition(",")[0],
            words.partition(" ")[0],
        )
        yield from (words.rpartition(" ")[2], words.rpartition(",")[2].strip())
        yield f"keep {' '.join([*choice.keep, rng.choice(faces)])}"
        yield f"{' '.join(choice.keep[1:])} and roll"
        yield f"{' '.join(choice.keep)} bank"
        yield "".join(choice.keep)
    yield f"keep {rng.choice(faces)} {rng.choice(faces)}"
    yield f"keep {' '.join(roll)} {rng.choice(faces)}"
    yield "".join(roll)
    yield "".join(rng.choices(faces, k=len(roll)))
    yield f"{''.join(roll)} keep {rng.choice(faces)}"
    for _ in range(3):
        yield f"keep {rng.choice(COUNTS)} {rng.choice(COUNTED)}{rng.choice(ENDINGS)}"
