"""What entries at the prompt mean: dice are kept or rolled as any wording names them, or the entry is refused."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial

import pytest
import subjects
from dice_entries import DiceEntry, list_entries

from keepwise.play import ChoiceKind, playable
from keepwise.play.choice_letters import ChoiceLetters
from keepwise.play.input_parser import list_choices, parse_choice, spoken_form
from keepwise.play.position_fields import Role
from keepwise.util.errors import InputError

WALKS, POSITIONS, CHOICES, ENTRIES = 2, 3, 2, 12  # of a game; of its decisions; of their choices; at each choice
LEAST_ACCEPTED = 12  # of at most POSITIONS * CHOICES * ENTRIES entries


def table(subject):
    """The game as it is played."""
    game = subject.game
    ways = [partial(playable, game), *(partial(playable, game, objective=name) for name in game.objectives)]
    return subjects.first_not_refused(ways)


def keeping(playable, rng):
    """Some decisions of random games in which a choice keeps dice of the roll that lies there."""
    if playable.kept_role is not Role.ROLL:
        return []
    met = (position for _ in range(WALKS) for position in subjects.played(playable, rng))
    found = [
        position
        for position in met
        if playable.stage(position) == "choose"
        and playable.value_of_role(position, Role.ROLL, ())
        and any(choice.keep for choice in playable.choices(position))
    ]
    return rng.sample(found, min(POSITIONS, len(found)))


def ends_turn(playable, choice):
    """Whether a choice ends the turn, or the game."""
    return playable.stage(choice.after) == "over" or playable.is_turn_start(choice.after)


def check_meaning(playable, position, entry: DiceEntry, choice):
    """An accepted entry keeps the dice that it names, and ends the turn only if it says so or must.

    A number alone may be the points of a bank, after *hold* only where all choices keep the same die, as in Pig.
    """
    choices = playable.choices(position)
    alike = [one for one in choices if tuple(sorted(one.keep)) == entry.keep]
    where = f"{playable.id(position)}: {entry.text} -> {choice.action}"
    points = entry.text.split()[-1]
    may_be_points = entry.says == "bank" or (entry.text.startswith("hold ") and len(alike) == len(choices))
    is_points = may_be_points and choice.kind is ChoiceKind.BANK and points == str(choice.points)
    assert tuple(sorted(choice.keep)) == entry.keep or is_points, where
    if entry.says == "bank":
        assert ends_turn(playable, choice), where
    elif entry.says == "roll":
        assert not ends_turn(playable, choice), where
        assert choice.kind is not ChoiceKind.KEEP, where
    else:
        assert not ends_turn(playable, choice) or is_points or all(ends_turn(playable, one) for one in alike), where


def accepted(playable, position, text, letters):
    """The choice that an entry means; None if it is refused."""
    with suppress(InputError):
        return parse_choice(playable, position, text, letters)
    return None


def check_record(playable, position, choice):
    """The line of the game file, and a letter in a list, mean the same choice."""
    assert parse_choice(playable, position, spoken_form(choice)) == choice
    letters = ChoiceLetters(playable)
    listed = list_choices([choice], letters)
    letter, words = listed.removeprefix("(").split(") ", 1)
    assert parse_choice(playable, position, letter, letters) == choice
    assert parse_choice(playable, position, words, letters) == choice


@pytest.mark.checks(least=LEAST_ACCEPTED, share=0.6)  # of all games; some keep no dice
@pytest.mark.cases(fast=20, slow=200)
@subjects.each(subjects.games())
def test_accepted_entries_keep_the_dice_they_name(subject, tally):
    """And end the turn only if they say so; the program records the same choice."""
    playable, rng = table(subject), random.Random(str(subject))
    for position in keeping(playable, rng):
        choices = playable.choices(position)
        roll = tuple(map(str, playable.value_of_role(position, Role.ROLL)))
        for choice in rng.sample(choices, min(CHOICES, len(choices))):
            entries = list_entries(choice.keep, roll, rng)
            for entry in rng.sample(entries, min(ENTRIES, len(entries))):
                meant = accepted(playable, position, entry.text, ChoiceLetters(playable))
                if meant is not None:
                    check_meaning(playable, position, entry, meant)
                    check_record(playable, position, meant)
                    tally.add()
