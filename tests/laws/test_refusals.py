"""What prompts refuse: each message that says why is true, and what it offers instead is accepted.

Every game is played at random, for every objective; at each position what people may type is read. Nothing is solved.
"""

import random
import re
from functools import partial
from itertools import islice

import pytest
import subjects
import toys

import keepwise as kw
from keepwise.play import SINGLE_PLAYER_OBJECTIVES
from keepwise.play.input_parser import ENTRY_WORDS, ROLL_WORDS, STOP_WORDS, format_roll, parse_choice, parse_roll
from keepwise.util.errors import InputError

POSITIONS = 20  # of a game
MOST_DICE = 5  # of more there are thousands of choices and throws
WIDE = 300  # throws with more outcomes are left out
MOST_READ = 10  # choices that are read back at a position
NUMBERS = ("1", "3", "12", "400", "999999", "line 1", "line 99")


def typed_choices(playable, position):
    """What somebody may type for a choice: right or wrong."""
    faces = next((field.words for field in playable.fields if field.role is playable.kept_role), ())
    boxes = [*playable.boxes(position, playable.player_to_move(position))]
    words = [*STOP_WORDS, *ROLL_WORDS, *ENTRY_WORDS, "keep", "shut", "nonsense", *faces]
    return [
        "",
        *words,
        *NUMBERS,
        *(f"{word} {number}" for word in (*STOP_WORDS, "keep", "roll") for number in NUMBERS[:5]),
        *(f"keep {first} {last}" for first in faces[:3] for last in faces[-2:]),
        *(f"{word}{box}" for box in boxes for word in ("", "enter ", "scratch ")),
    ]


def assert_true(playable, position, text, message):
    """What a message says of the choices holds."""
    choices = playable.choices(position)
    actions = [choice.action for choice in choices]
    where = f"{playable.id(position)}: {text!r}: {message}"
    if "stop ends the turn with nothing" in message:
        assert all(choice.follow_up != "bank" for choice in choices), where
    if meant := re.search(r"is not a choice here; did you mean (.*)\?$", message):
        assert meant[1] in actions, where
    if filled := re.fullmatch("(.*) is already filled; choose an open box", message):
        assert playable.boxes(position, playable.player_to_move(position))[filled[1]], where
    if last := re.fullmatch("boxes are filled after the last roll; to stop rolling, first type (.*)", message):
        assert parse_choice(playable, position, last[1]).action in actions, where
        assert not any(playable.is_turn_start(choice.after) for choice in choices), where
    if offered := re.search("(?:choose from|fits several choices|enter a choice): (.*)", message):
        assert_listed(offered[1].removesuffix("; type more words"), actions, "choose from" in message, where)


def refusal(read, playable, position, text):
    """Why what is typed is refused; "" if it is not."""
    try:
        read(playable, position, text)
    except InputError as error:
        return str(error)
    return ""


def assert_listed(offered, actions, all_of_them, where):
    """The choices that a message lists are there, each once; ``all_of_them``: those left out are counted."""
    listed, more = re.fullmatch("(.*?)(?:; and ([0-9]+) more)?", offered).groups()
    told = listed.split("; ")
    assert len(set(told)) == len(told), where
    assert set(told) <= set(actions), where
    if all_of_them:
        assert len(told) + int(more or 0) == len(actions), where


def seated():
    """Every game with each objective that it can be played for, for the fewest players."""
    with toys.registered():
        return [
            pytest.param(subject, objective, id=f"{subject}: {objective}")
            for subject in subjects.games()
            if getattr(subject.game.data, "dice", 0) <= MOST_DICE
            for objective in dict.fromkeys((*subject.game.objectives, *subject.game.parts.always_played))
        ]


def positions_of(subject, objective, stage):
    """Positions of this stage in one random game, of the first way of playing it that can be played for this."""
    players = 1 if objective in SINGLE_PLAYER_OBJECTIVES else 2
    asked = subjects.ASKED if objective == "reach" else [{}]
    same = [one for one in subjects.games() if (one.kind, one.name) == (subject.kind, subject.name)]
    ways = [
        partial(kw.playable, one.game, players, objective=objective, **way) for one in (subject, *same) for way in asked
    ]
    playable = subjects.first_not_refused(ways)
    met = islice(subjects.played(playable, random.Random(f"{subject} {objective}")), POSITIONS)
    return playable, [position for position in met if playable.stage(position) == stage]


each_seated = pytest.mark.parametrize(("subject", "objective"), seated())


@pytest.mark.checks(share=0.9)
@pytest.mark.cases(fast=15, slow=60)
@each_seated
def test_refusals_of_choices_list_choices_that_parse(subject, objective, tally):
    """Each message is true of the choices, and every choice that it lists can be typed as it stands there."""
    playable, positions = positions_of(subject, objective, "choose")
    for position in positions:
        for choice in playable.choices(position)[:MOST_READ]:
            assert parse_choice(playable, position, choice.action) == choice
            tally.add()
        for text in typed_choices(playable, position):
            if message := refusal(parse_choice, playable, position, text):
                assert_true(playable, position, text, message)


@pytest.mark.checks(share=0.8)
@pytest.mark.cases(fast=15, slow=60)
@each_seated
def test_refusals_of_rolls_state_possible_dice(subject, objective, tally):
    """The number of dice that a message states is the number that fall; what it says may be here can be typed."""
    playable, positions = positions_of(subject, objective, "throw")
    for position in positions:
        if next(islice(playable.rolls(position), WIDE, None), None):
            continue
        for text in ("nonsense", "0", "99", "yes", "1 1 1 1 1 1 1 1 1 1 1 1 1"):
            message = refusal(parse_roll, playable, position, text)
            if thrown := re.search(
                "expected ([0-9]+) (?:die|dice)(?:, or all ([0-9]+) with those that stay)?, got", message
            ):
                fallen = format_roll(playable, position, next(after for _, after in playable.rolls(position)))
                assert str(len(fallen.split())) in thrown.groups()
                tally.add()
            if offered := re.search("is not a possible result; type (.*)", message):
                for one in offered[1].split(" or "):
                    parse_roll(playable, position, one)
                    tally.add()


@pytest.mark.checks(share=0.7)
@pytest.mark.cases(fast=15, slow=60)
@each_seated
def test_whole_turns_parse_as_the_prompt_offers(subject, objective, tally):
    """Each word that may be told of a whole turn is accepted, and so is the example of a card."""
    playable, throws = positions_of(subject, objective, "throw")
    for position in [playable.start(), *throws]:
        if not playable.is_turn_start(position):
            continue
        brings = playable.describe_turn_results(position)
        for word in ("bust", "win", "wipe", "pass"):
            if re.search(rf"\b{word}\b", brings):
                playable.play_whole_turn(position, word)
                tally.add()
        if example := re.search(r"\bas (.*?)(?:, (?:\w+, )*or \w+)?$", brings):
            playable.play_whole_turn(position, example[1])
            tally.add()
        for text in ("nonsense", "", "9999999", "-1"):
            with pytest.raises(InputError):
                playable.play_whole_turn(position, text)
