"""What people type and see at the table, as laws for every game."""

from __future__ import annotations

import io
import random
import re
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from random_games import played_at_random

import keepwise as kw
from keepwise.games import FILES
from keepwise.games.rulefile.loader import TEMPLATES
from keepwise.play.card_display import format_scorecards, points_of_boxes
from keepwise.play.choice_kinds import ChoiceKind
from keepwise.play.choice_letters import ChoiceLetters, generate_labels, list_letters
from keepwise.play.game_file import GameFile, SeatedPlayer, parse
from keepwise.play.input_parser import (
    MAX_LIKELY_CHOICES,
    ROLL_WORDS,
    STOP_WORDS,
    describe_roll,
    format_roll,
    format_turn,
    list_likely_choices,
    parse_choice,
    parse_roll,
)
from keepwise.solvers.solve_costs import SolveCost
from keepwise.util.errors import InputError
from keepwise.util.number_format import MISTAKE_MARKS, format_value, mistake_mark, mistake_thresholds

OBJECTIVES = {"double-cameroon": "points", "yahtzee": "points"}
RULES = Path(kw.__file__).parent / "games" / "rulefiles"
CARDS = [kw.game("yahtzee"), kw.game("double-cameroon")]
CARDS += [kw.load_rules(path.stem) for path in sorted(RULES.glob("*.toml")) if "[[category]]" in path.read_text()]


@pytest.fixture(scope="module")
def decisions():
    """Some decisions of every game."""
    found = []
    for name in FILES:
        playable = kw.playable(name, objective=OBJECTIVES.get(name))
        met = [step.position for step in played_at_random(playable, 5, 25).steps if step.kind == "choice"]
        found += [(playable, one) for one in met if len(playable.choices(one)) > 1]
    return found


def typed(playable, here, text):
    """The choice that a text means at a prompt at which no choice is on the screen yet."""
    return parse_choice(playable, here, text, ChoiceLetters(playable))


def test_letters_mean_listed_choices_and_digits_mean_dice(decisions):
    """Whatever the game: every letter picks its own choice, other letters pick none, and numbers pick dice."""
    for playable, here in decisions:
        choices = playable.choices(here)
        letters = ChoiceLetters(playable)
        shown = random.Random(len(choices)).sample(choices, min(5, len(choices)))
        labels = [letters.letter(one) for one in shown]
        assert [letters.letter(one) for one in reversed(shown)] == labels[::-1], "a choice keeps its letter"
        for label, one in zip(labels, shown, strict=True):
            for text in (label, label.upper(), f"({label})", f"{label}."):
                assert parse_choice(playable, here, text, letters) == one, (playable.id(here), text)
        for label in "hijkmvxz":
            if label not in labels and list_letters(playable).find(label) >= 0:
                with pytest.raises(
                    InputError, match=f"{label} is not the letter of a choice here; the letters (so far )?are a "
                ):
                    parse_choice(playable, here, label, letters)
        for number in (*range(1, 13), 19, 115, 11532):
            with suppress(InputError):
                choice = parse_choice(playable, here, str(number), letters)
                words = re.findall(r"\d+", choice.action)  # "3" may roll three dice, and "7" score 7
                assert str(number) in words or sorted(choice.keep) == sorted(str(number)), (playable.id(here), number)


COURT = """
name = "court"
dice = 4
faces = ["A", "K", "Q", "J"]
target = 100

[singles]
A = 10
K = 5
"""


def test_letters_of_choices_are_no_faces_and_no_command(tmp_path):
    """``q`` quits, and the letters of dice are dice: where kings lie ``k`` keeps one, and ``kk`` two."""
    (tmp_path / "court.toml").write_text(COURT)
    playable = kw.playable(kw.load_rules(tmp_path / "court.toml"), objective="points")
    assert list_letters(playable) == "bcdefghilmnoprstuvwxyz"
    here = playable.position(turn=0, roll="K K A J")
    letters = ChoiceLetters(playable)
    labels = {letters.letter(choice): choice for choice in playable.choices(here)}
    assert [*labels] == [*"bcdefghilm"]
    for label, choice in labels.items():
        assert parse_choice(playable, here, label, letters) == choice
    for text, keep in (("k", "K"), ("K", "K"), ("kk", "K K"), ("k k", "K K"), ("ak", "A K"), ("keep k a", "A K")):
        choice = parse_choice(playable, here, f"{text} roll", letters)
        assert (" ".join(choice.keep), choice.kind) == (keep, ChoiceKind.ROLL), text
        with pytest.raises(InputError, match=r"fits several choices: .*bank.*roll"):
            parse_choice(playable, here, text, letters)
    with pytest.raises(InputError, match="J scores nothing in this roll"):
        parse_choice(playable, here, "j", letters)
    toss_up = kw.playable(kw.load_rules("toss-up"), 2)
    assert not set(list_letters(toss_up)) & set("gyrq")
    assert list_letters(kw.playable("5000")) == "abcdefghijklmnoprstuvwxyz"
    assert "d" not in list_letters(kw.playable("scarney")), "a dead die"


def test_after_the_last_letter_follow_pairs():
    labels = list(islice(generate_labels("abc"), 13))
    assert labels == ["a", "b", "c", "aa", "ab", "ac", "ba", "bb", "bc", "ca", "cb", "cc", "aaa"]
    playable = kw.playable("yahtzee", objective="points")
    here = playable.position(throw=1, roll="12345")
    letters = ChoiceLetters(playable)
    choices = playable.choices(here)
    assert len(choices) == 32
    assert [letters.letter(one) for one in choices][24:28] == ["z", "aa", "ab", "ac"]
    assert parse_choice(playable, here, "ab", letters) == choices[26]


def test_a_beginning_that_one_choice_has_is_that_choice(decisions):
    for playable, here in decisions:
        choices = playable.choices(here)
        for choice in random.Random(len(choices)).sample(choices, min(4, len(choices))):
            words = choice.action.split(" ")
            for count in range(1, len(words) + 1):
                begin = " ".join(words[:count]).rstrip(",:")
                if re.fullmatch(r"[\d ,]+", begin):
                    continue
                if begin == "roll" and any(one.keep for one in choices):
                    continue  # the dice that are left, as in "keep 5 and roll", not all dice
                if sum(f"{one.action} ".startswith(begin) for one in choices) == 1:
                    assert typed(playable, here, begin) == choice, (playable.id(here), begin)


def test_choices_end_a_turn_without_points_only_if_named(decisions):
    met = 0
    for playable, here in decisions:
        choices = playable.choices(here)
        rolls = [one for one in choices if one.follow_up == "roll"]
        if not rolls or any(one.follow_up == "bank" for one in choices):
            continue
        for one in choices:
            if one.follow_up == "stop" and one.action.endswith("score nothing"):
                met += 1
                kept = [other for other in rolls if sorted(other.keep) == sorted(one.keep)]
                assert typed(playable, here, one.action) == one
                assert [typed(playable, here, f"keep {' '.join(one.keep)}")] == kept
                with pytest.raises(
                    InputError, match=r"a bank needs at least \d[\d,]* points; stop ends the turn with nothing"
                ):
                    typed(playable, here, "bank")
    assert met > 5


def test_choices_accept_everyday_words_for_stop_and_roll(decisions):
    """Whatever is said for it: all mean what one does, or all are answered with what may be done."""
    for playable, here in decisions:
        choices = playable.choices(here)
        ends = [one for one in choices if playable.is_turn_start(one.after) or playable.stage(one.after) == "over"]
        for words, meant in ((STOP_WORDS, ends), (ROLL_WORDS, [one for one in choices if one not in ends])):
            read = set()
            for word in words:
                with suppress(InputError):
                    read.add(typed(playable, here, word))
            assert read <= set(meant), playable.id(here)
            if len(meant) == 1 and 0 < len(ends) < len(choices) and meant[0].follow_up != "stop":
                assert read == set(meant), playable.id(here)


def test_a_prompt_shows_few_choices_whatever_they_are_worth(decisions):
    for playable, here in decisions:
        choices = playable.choices(here)
        shown = list_likely_choices(playable, choices)
        assert 1 <= len(shown) <= MAX_LIKELY_CHOICES
        assert [one for one in choices if one in shown] == list(shown)
        assert len(choices) > MAX_LIKELY_CHOICES or list(choices) == list(shown)
        ends = [one for one in choices if playable.is_turn_start(one.after) or playable.stage(one.after) == "over"]
        if ends and len(ends) < len(choices):
            assert max(one.points for one in ends) == max(one.points for one in shown if one in ends)


def test_a_box_is_filled_after_the_last_throw():
    """Who names one before is told how to throw no more, and who names a filled one that it is."""
    playable = kw.playable("yahtzee", objective="points")

    def refused(text, **told):
        with pytest.raises(InputError) as error:
            typed(playable, playable.position(used=["sixes"], upper=18, **told), text)
        return str(error.value)

    for text in ("full house", "full", "Fives 10", "enter full house", "bank", "stop", "chance 21"):
        said = refused(text, throw=1, roll="22555")
        assert said == "boxes are filled after the last roll; to stop rolling, first type keep all", text
    assert parse_choice(playable, playable.position(throw=1, roll="22555"), "keep all").follow_up == "end"
    for throw in (1, 3):
        assert refused("sixes", throw=throw, roll="22555") == "sixes is already filled; choose an open box"
    for text in ("22222", "keep 66", "7"):
        assert "boxes are filled" not in refused(text, throw=1, roll="22555"), text
    assert "is not a choice here" in refused("bank", throw=3, roll="22555")


@pytest.mark.parametrize(
    "words", ["ones", "take ones", "take the ones", "scratch ones", "cross out ones", "0 ones", "1s", "aces"]
)
def test_a_box_is_named_as_people_do(words):
    playable = kw.playable("yahtzee", objective="points")
    here = playable.position(used=["sixes"], upper=18, throw=3, roll="22555")
    if words == "aces":  # no name of it
        with pytest.raises(InputError, match="is not a choice here"):
            typed(playable, here, words)
    else:
        assert typed(playable, here, words).action == "enter 0 in ones"
    assert typed(playable, here, "3 of a kind").action == "enter 19 in three of a kind"
    for either in ("kind", "straight", "scratch t"):  # the box of more points is not taken unasked
        with pytest.raises(InputError, match="fits several choices"):
            typed(playable, here, either)
    with pytest.raises(InputError, match="sixes is already filled"):
        typed(playable, here, "scratch sixes")


@pytest.mark.parametrize(
    "words",
    [
        *("keep a 5 and roll", "keep a 5", "a 5", "keep a five", "keep the five"),
        *(
            "keep the five and roll",
            "keep one five, roll",
            "keep the one five",
            "a five, roll",
            "the five",
            "five, roll",
        ),
        *("keep five and roll", "take the five and throw", "keep five"),
    ],
)
def test_one_die_is_named_by_its_face(words):
    playable = kw.playable("5000")
    assert typed(playable, playable.position(roll="23465"), words).action == "keep 5, roll 4 dice"


@pytest.mark.parametrize(
    "words", ["3 sixes and roll", "keep 3 sixes and roll", "3 6s, roll", "three sixes, roll", "Keep 3 Sixes, roll"]
)
def test_dice_are_counted_in_figures_too(words):
    playable = kw.playable("farkle")
    assert typed(playable, playable.position(roll="666123"), words).action == "keep 6 6 6, roll 3 dice"


@pytest.mark.parametrize(
    ("game", "roll", "entries", "action"),
    [
        ("farkle", "112345", "hold 1 1, bank; bank 1 1; bank ones", "keep 1 1, bank 200"),
        ("farkle", "112345", "bank 5", "keep 5, bank 50"),
        ("farkle", "112345", "bank 250; score 250; stop", "keep 1 1 5, bank 250"),
        ("farkle", "111235", "keep 2 1s and 1 5, bank; bank 2 1s and 1 5", "keep 1 1 5, bank 250"),
        ("yahtzee", "11255", "reroll 2 1s; roll 2 ones; roll two ones; roll the ones", "keep 2 5 5, roll 2 dice"),
        ("yahtzee", "11112", "reroll 2; reroll the 2; roll the 2; roll the twos", "keep 1 1 1 1, roll 1 die"),
        ("yahtzee", "12236", "keep 2 2s and 1 3; keep two 2s and one 3", "keep 2 2 3, roll 2 dice"),
        ("yahtzee", "11566", "keep a 1 and 1 5; 1 and 5; 1 5, roll the rest", "keep 1 5, roll 3 dice"),
        ("5000", "11556", "keep 1 5 and 5; hold 1 5 and 5", "keep 1 5 5, roll 2 dice"),
        ("farkle", "134456", "reroll all the 1s and all the 3s, 4s and 6s", "keep 5, roll 5 dice"),
        ("battleship", "65431", "stop 4; bank 4; settle", "stop and score 4"),
        ("pig", "5", "hold at 5; bank 5; hold 5; keep 5 points", "keep 5, bank 5"),
        ("battleship", "65431", "hold 4 points; keep 4 points", "stop and score 4"),
        ("farkle", "112345", "stop 1 1; settle 1 1", "keep 1 1, bank 200"),
        ("yahtzee", "11255", "reroll 5 dice; roll all", "roll all 5 dice again"),
    ],
)
def test_dice_counts_and_points_are_told_apart(game, roll, entries, action):
    playable = kw.playable(game)
    for entry in entries.split("; "):
        assert typed(playable, playable.position(roll=roll), entry).action == action, entry


def test_a_number_to_roll_is_of_dice_or_a_die():
    playable = kw.playable("yahtzee")
    here = playable.position(roll="25566")
    for entry in ("roll two dice", "roll 2 dice"):
        with pytest.raises(InputError, match="fits several choices") as refused:
            typed(playable, here, entry)
        assert re.findall(r"roll \d di", str(refused.value).partition(": ")[2]) == ["roll 2 di"] * 5
    with pytest.raises(
        InputError, match=r"^roll 2 fits several choices: \(a\) keep 5 5 6 6, roll 1 die; .* roll 2 dice"
    ):
        typed(playable, here, "roll 2")


@pytest.mark.parametrize(
    ("game", "roll", "entries"),
    [
        ("farkle", "112345", "hold 1 1; hold 11; hold ones; hold all; set aside 1 1"),  # or bank, or roll
        ("yahtzee", "11255", "roll; just roll; roll it; roll them; please roll; roll the last; roll 3 1s"),
        ("yahtzee", "11112", "reroll the 5; reroll 5; roll the 5; roll fives; roll two 2s"),
        ("5000", "11532", "roll the 5; roll 5 dice"),
        ("5000", "11556", "hold a 1 and bank; score 1 1"),
        ("yahtzee", "11566", "keep 1 1 5 6 6, roll"),
        ("battleship", "65431", "keep 4; hold 4; take the 4; keep the four; save four"),
        ("5000", "11523", "score 5 points; stop 5 points; score 5; stop 5"),
    ],
)
def test_entries_that_could_mean_another_choice_are_refused(game, roll, entries):
    playable = kw.playable(game)
    for entry in entries.split("; "):
        with pytest.raises(InputError):
            typed(playable, playable.position(roll=roll), entry)


def test_a_set_is_named_by_its_pattern():
    playable = kw.playable(kw.load_rules(TEMPLATES / "push.toml"), 2)
    here = playable.position(roll="113355")
    assert typed(playable, here, "three pairs, bank").action == "keep 1 1 3 3 5 5 (three pairs), bank 750"
    with pytest.raises(InputError, match=r"^keep the three pairs fits several choices: \(a\) keep 1 1 3 3 5 5 \(three"):
        typed(playable, here, "keep the three pairs")


def test_a_set_beside_other_dice_is_ambiguous(tmp_path):
    pattern = '\n[[pattern]]\nname = "little straight"\ndice = "2345"\npoints = 250\n'
    (tmp_path / "own.toml").write_text((TEMPLATES / "push.toml").read_text() + pattern)
    playable = kw.playable(kw.load_rules(tmp_path / "own.toml"), 2)
    here = playable.position(roll="112345", turn=300)
    assert typed(playable, here, "the little straight, bank").action.endswith("bank 750"), "who banks wants all points"
    with pytest.raises(
        InputError, match=r"^little straight, roll fits several choices: .*keep 1 2 3 4 5 .*; and 1 more"
    ):
        typed(playable, here, "little straight, roll")


def test_one_of_two_boxes_may_be_scratched():
    playable = kw.playable("double-cameroon", objective="points")
    here = parse_choice(playable, playable.position(throw=1, roll="1122334455"), "keep all").after
    choice = typed(playable, here, "scratch five of a kind and enter little cameroon")
    assert {entry.box: entry.points for entry in choice.data.entries} == {"five of a kind": 0, "little cameroon": 21}
    assert typed(playable, here, "scratch 5 of a kind and enter little cameroon") == choice
    for words in ("scratch little cameroon and enter five of a kind", "scratch little and enter 5 of a kind"):
        with pytest.raises(InputError, match=r"little cameroon cannot be scratched: the dice score 21 points there$"):
            typed(playable, here, words)


def test_one_of_two_equal_dice_is_not_the_die():
    playable = kw.playable("yahtzee", objective="points")
    here = playable.position(throw=1, roll="22531")
    assert typed(playable, here, "keep the five and roll").action == "keep 5, roll 4 dice"
    with pytest.raises(InputError, match="is not a choice here"):
        typed(playable, here, "keep the two and roll")


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("take a chance", "enter 15 in chance"),
        ("enter a full house", "enter 0 in full house"),
        ("scratch a yahtzee", "enter 0 in yahtzee"),
        ("three of a kind", "enter 0 in three of a kind"),
    ],
)
def test_a_box_may_have_an_article(words, action):
    playable = kw.playable("yahtzee", objective="points")
    assert typed(playable, playable.position(throw=3, roll="22335"), words).action == action


def test_an_article_is_not_a_letter_or_the_beginning_of_all():
    playable = kw.playable("5000")
    here = playable.position(roll="11532")
    assert (
        typed(playable, here, "keep a 1").action == typed(playable, here, "keep an 1").action == "keep 1, roll 4 dice"
    )
    with pytest.raises(InputError, match="needs at least 500"):
        typed(playable, here, "a bank")
    yahtzee = kw.playable("yahtzee", objective="points")
    assert typed(yahtzee, yahtzee.position(throw=1, roll="13356"), "keep a 3").action == "keep 3, roll 4 dice"


@pytest.mark.parametrize("words", ["scratch fives", "cross out the fives", "Strike fives"])
def test_a_box_with_points_cannot_be_scratched(words):
    playable = kw.playable("yahtzee", objective="points")
    here = playable.position(throw=3, roll="22555")
    with pytest.raises(InputError, match="fives cannot be scratched: the dice score 15 points there; type fives"):
        typed(playable, here, words)


def test_named_dice_parse_with_counts_and_single_keeps():
    playable = kw.playable(kw.load_rules("toss-up"), 2)
    roll, start = "green green green green green yellow yellow red red red", playable.start()
    fallen = parse_roll(playable, start, "5 green 2 yellow 3 red")
    assert fallen == parse_roll(playable, start, roll) == parse_roll(playable, start, "gggggyyrrr")
    assert format_roll(playable, start, fallen) == roll  # as game files and pages have it
    assert describe_roll(playable, roll) == "5 green 2 yellow 3 red"
    for text in ("keep 5 green, bank 5", "5 green bank", "ggggg bank", "keep green green green green green bank"):
        assert typed(playable, fallen, text).action == "keep 5 green, bank 5"


def test_likely_choices_include_plain_sets_of_dice():
    """Of a full house the house, the three and the two; of four in a row the row; all, and none."""
    playable = kw.playable("yahtzee", objective="points")
    kept = {
        one.keep for one in list_likely_choices(playable, playable.choices(playable.position(throw=1, roll="22555")))
    }
    assert {tuple("22555"), tuple("555"), tuple("22"), ()} <= kept
    kept = {
        one.keep for one in list_likely_choices(playable, playable.choices(playable.position(throw=1, roll="23455")))
    }
    assert {tuple("23455"), tuple("2345"), tuple("55"), ()} <= kept


@pytest.mark.cases(fast=16, slow=16)
@pytest.mark.parametrize("game", CARDS, ids=lambda game: game.id if game.id in FILES else game.title)
@pytest.mark.parametrize("players", [1, 2, pytest.param(6, marks=pytest.mark.slow)])
def test_the_card_is_seen(game, players):
    """Boxes hold what turns wrote, whether told by throws or as a whole; never more than a screen."""
    objective = "points" if players == 1 else "win"
    if objective not in game.objectives:
        pytest.skip("this card is for one")
    playable = kw.playable(game, players, objective=objective)
    rng, seats = random.Random(3), tuple(SeatedPlayer(f"Player number {one}") for one in range(players))
    played = GameFile(playable, seats, seed=3)
    turns = 0
    while not played.is_over:
        if playable.is_turn_start(played.position):
            seen = format_scorecards(played)
            assert len(seen) <= 16
            assert max(map(len, seen)) < 80
            turns += 1
            held = [sum(boxes.values()) for boxes in points_of_boxes(played)]
            assert held == [card.score for card in played.position.cards]
        if playable.stage(played.position) == "throw":
            played.roll()
        else:
            played.choose(rng.choice(playable.choices(played.position)[:3]))
    assert turns == players * len(playable.card.names) // playable.card.boxes


def test_scorecards_follow_whole_turns_of_another_player():
    playable = kw.playable("double-cameroon", 2, objective="win")
    game = GameFile(playable, (SeatedPlayer("Ann"), SeatedPlayer("Bob", "table")), "mine")
    game.play_line("turn sixes 18, fives 10")
    game.play_line("turn full house 22, aces 3")
    lines = format_scorecards(game)
    assert lines[0].split() == ["Ann", "Bob"]
    rows = {line[:17].strip(): line.split()[-2:] for line in lines}
    assert rows["sixes"] == ["18", "."]
    assert rows["full house"] == [".", "22"]
    assert [line.split()[-1] for line in lines[-2:]] == ["28", "25"]


def test_scorecards_show_the_points_to_the_bonus():
    playable = kw.playable("yahtzee", objective="points")
    start = playable.position(used="ones=3,twos=6", upper=9, score=9)
    game = GameFile(playable, (SeatedPlayer("You"),), "mine", start=start)
    assert format_scorecards(game)[-1].strip() == "upper 9, 54 more for the bonus of 35, total 9"
    game.play_line("turn sixes 24")
    lines = format_scorecards(game)
    assert any(re.search(r"sixes +24", line) for line in lines)
    assert any(re.search(r"ones +x", line) for line in lines), "filled before the game that is told"
    assert lines[-1].strip() == "upper 33, 30 more for the bonus of 35, total 33"


@pytest.mark.parametrize("name", FILES)
def test_turn_results_are_described_as_they_are_parsed(name):
    playable = kw.playable(name, objective=OBJECTIVES.get(name))
    start, said = playable.start(), playable.describe_turn_results(playable.start())
    assert said
    for word in ("bust", "win", "wipe", "0"):
        if re.search(rf"\b{word}\b", said) and playable.game.family != "card":
            assert playable.play_whole_turn(start, word) != start
    assert ("wipe" in said) == (name == "hearts-due")


def test_a_turn_in_a_line():
    playable = kw.playable("5000")
    here = playable.position(score=500, opponents=[0], turn=0, roll="25346")
    steps, told = [], ("keep 5, roll 4 dice", "1 5 2 3", "keep 1 5, roll 2 dice", "1 1", "keep 1 1, bank 400")
    position = here
    for text in told:
        if playable.stage(position) == "throw":
            position = next(
                fall for _, fall in playable.rolls(position) if playable.to_dict(fall)["roll"] == sorted(text.split())
            )
            steps.append((text, None))
        else:
            choice = parse_choice(playable, position, text)
            steps.append((text, choice))
            position = choice.after
    assert format_turn(playable, steps) == "5, then 1 5, then 1 1: banks 400"


@pytest.mark.parametrize(
    ("game", "entries", "line"),
    [
        ("battleship", "12336|23556|45566", "keeps 6, then keeps 6 5, then has 4 5 5 6 6: stops and"),
        ("battleship", "12335|23556|22356", "keeps nothing, then keeps 6 5, then has 2 2 3 5 6; 6,"),
        ("yahtzee", "12366|keep 6 6, roll 3 dice|23666|keep all|sixes", "keeps 6 6, then has 2 3 6 6 6: enters 18"),
    ],
)
def test_a_turn_in_one_line_says_which_dice_are_kept(game, entries, line):
    played = GameFile(kw.playable(game, objective="points"), (SeatedPlayer("Ann"),), "mine")
    for text in entries.split("|"):
        played.play_line(text)
    steps = [(step.line_text, step.choice) for step in played.steps]
    assert format_turn(played.playable, steps).startswith(line)


def test_marks_change_at_their_thresholds():
    assert mistake_thresholds("win", 0.3) == mistake_thresholds("reach", 0.3) == MISTAKE_MARKS
    assert [mistake_mark(least, MISTAKE_MARKS) for least, _ in MISTAKE_MARKS] == ["??", "?", "?!"]
    assert [mistake_mark(least - 1e-9, MISTAKE_MARKS) for least, _ in MISTAKE_MARKS] == ["?", "?!", ""]
    assert mistake_mark(2.6, mistake_thresholds("points", 254.6)) == "?!"
    assert mistake_mark(0.3, mistake_thresholds("turns", -10.45)) == "?"
    assert mistake_thresholds("margin", 0.0) == mistake_thresholds("chips", 3.0) == ()


def test_marks_of_mistakes_are_written_to_the_file(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("5\nbank\nquit\n"))
    assert "? That cost 4.03 pp" in run("coach pig").out
    marked_line = "You: keep 5, bank 5\n# ? That cost 4.03 pp: keep 5, roll 1 die was best.\n"
    assert marked_line in Path("pig.kw").read_text()
    monkeypatch.setattr("sys.stdin", io.StringIO("undo\nredo\n3\nfix 3 4\nquit\n"))
    run("coach --resume pig.kw")
    told = Path("pig.kw").read_text()
    assert f"undo\n{marked_line}Opponent: turn 3\nundo\nOpponent: turn 4\n" in told, "told again by redo"
    monkeypatch.setattr("sys.stdin", io.StringIO("fix 1 5\nquit\n"))
    run("coach --resume pig.kw")
    assert Path("pig.kw").read_text() == f"{told}undo 3\nYou: 5\n{marked_line}Opponent: turn 4\n"


# --- taking back


def test_fix_reports_lines_that_no_longer_fit():
    game = GameFile(kw.playable("5000"), (SeatedPlayer("You"), SeatedPlayer("Bob", "table")), "mine")
    for told in ("1 1 1 5 3", "keep 1 1 1, bank 1,000", "turn 500", "1 1 1 2 3", "keep 1 1 1, roll 2 dice", "5 2"):
        game.play_line(told)
    kept = ["You: 1 1 1 2 3", "You: keep 1 1 1, roll 2 dice", "You: 2 5"]
    assert game.fix(3, "550") == (["undo 4", "Bob: turn 550", *kept], [], "", [])
    again = game.fix(4, "1 2 3 4 6")
    assert [step.line_text for step in again.lost] == ["keep 1 1 1, roll 2 dice", "2 5"]
    assert again.why.startswith("this roll, 1 2 3 4 6, has no 1 1 1; choose from:")
    before = game.to_text()
    for number, words, what in (
        (3, "22", "must be a multiple of 50"),
        (99, "5", "there is no event 99"),
        (0, "5", "there is no event 0"),
    ):
        with pytest.raises(InputError, match=what):
            game.fix(number, words)
        assert game.to_text() == before


@pytest.mark.parametrize(
    ("event", "words", "follows", "lost"),
    [
        (1, "4", ["keep 4, roll 1 die", "3", "keep 3, bank 7", "turn 20", "6", "keep 6, bank 6"], []),
        (3, "1", ["turn 20", "6", "keep 6, bank 6"], ["keep 3, bank 8"]),
        (2, "bank", ["turn 20", "6", "keep 6, bank 6"], ["3", "keep 3, bank 8"]),
        (4, "roll", [], []),  # what the others brought waits until this turn is told
        (5, "bust", ["6", "keep 6, bank 6"], []),
    ],
)
def test_fix_keeps_lines_that_still_fit(run, monkeypatch, tmp_path, event, words, follows, lost):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"5\nroll\n3\nbank\n20\n6\nbank\nfix {event} {words}\nquit\n"))
    seen = " ".join(run("coach pig --silent").out.split())
    told = [line.partition(": ")[2] for line in Path("pig.kw").read_text().split("undo")[-1].splitlines()]
    assert told[2:] == follows
    assert f"no longer fit; enter them again: You: {'; You: '.join(lost)}" in seen if lost else "no longer" not in seen
    assert ("The first does not fit: " in seen) == bool(lost)
    if not follows:
        assert "these events are entered again: Opponent: turn 20; You: 6; You: keep 6, bank 6" in seen


def test_waiting_lines_follow_once_the_turn_is_entered(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    typed = "1\n20\n6\nbank\n5\nfix 1 4\nroll\nundo\nroll\n1\nscore\nquit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    seen = " ".join(run("coach pig --silent").out.split())
    assert "these events are entered again: Opponent: turn 20; You: 6; You: keep 6, bank 6; Opponent: turn 5" in seen
    assert "entered again: Opponent: turn 20; You: 6; You: keep 6, bank 6; Opponent: turn 5" in seen
    game = parse(Path("pig.kw").read_text().splitlines(), "pig.kw")
    assert game.position.scores == (6, 25)


def test_waiting_lines_follow_another_fix_of_the_turn(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("5\nbank\n20\n6\nbank\nfix 2 roll\nfix 2 bank\nquit\n"))
    seen = " ".join(run("coach pig --silent").out.split())
    assert "entered again: Opponent: turn 20; You: 6; You: keep 6, bank 6" in seen
    game = parse(Path("pig.kw").read_text().splitlines(), "pig.kw")
    assert game.position.scores == (11, 20)


def test_the_last_of_two_equal_steps_is_taken_back():
    """A bust at nothing leads where it began: the same throw once more is an equal step."""
    playable = kw.playable("5000", objective="turns")
    game = GameFile(playable, (SeatedPlayer("You"),), "mine")
    for _ in range(3):
        game.play_line("2 2 3 4 6")
    game.undo()
    assert [step.line_text for step in game.written_steps] == ["2 2 3 4 6"] * 2


def test_after_the_end(run, monkeypatch, tmp_path):
    """``undo`` once it is over, and when a game that is over is taken up again."""
    monkeypatch.chdir(tmp_path)
    playable = kw.playable("pig")
    start = playable.position(score=90, opponents=[95])
    (tmp_path / "e.kw").write_text(
        f"game: pig\nseat: You = person\nseat: Bob = table\ndice: mine\nstart: {playable.id(start)}\n"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("turn 12\nundo\nturn bust\n5\n\n"))
    first = run("coach --resume e.kw").out
    assert first.count("You win.") == 1
    assert "Bob win" in first
    monkeypatch.setattr("sys.stdin", io.StringIO("fix 2 0\nq\n"))
    again = run("coach --resume e.kw").out
    assert "corrected event 2: Bob: turn 0" in again
    game = parse((tmp_path / "e.kw").read_text().splitlines(), "e.kw")
    assert not game.is_over
    assert game.position.scores == (90, 95)


# --- how scores are read


def test_thousands_in_a_list_of_scores(refused):
    said = "opponents 3,500 was read as 3 and 500: commas separate scores, so write thousands without commas"
    refused(said, "advise 5000 --opponents 3,500 --roll 11532")
    refused(said, "advise 5000 --players 3 --opponents 3,500 --roll 11532")
    assert kw.playable("5000", 3).position(opponents="3500,500").opponents == (3500, 500)


def test_dice_with_dashes(run):
    assert run("advise 5000 --roll 1-1-5-3-2").out == run("advise 5000 --roll 11532").out
    with pytest.raises(InputError, match="no die has the face '-"):
        kw.playable("pig").position(roll="-5")


# --- chances to reach a total, and waiting


def test_the_chance_to_get_to_a_total(run, monkeypatch, tmp_path):
    """As the question itself answers it, for whoever is to move."""
    monkeypatch.chdir(tmp_path)
    typed = "5\nreach 20 3\nreach\nreach x\nreach 20 0\nquit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    seen = " ".join(run("coach pig").out.split())
    advice = kw.solve("pig", "reach", goal=20, turns=3).advise(turn=0, roll="5")
    assert f"20 points in 3 turns: {format_value(advice.best.value, 'reach')}" in seen
    assert f"{advice.best.action}: {format_value(advice.best.value, 'reach')}, best" in seen
    assert "type 'reach', the points and the number of turns, such as reach 50 5" in seen
    assert "goal must be a whole number, not 'x'" in seen
    monkeypatch.setattr("sys.stdin", io.StringIO("reach 50\nquit\n"))
    assert "reach is not available for Straight Scarney" in run("coach scarney").out


def test_another_judge(run, monkeypatch, tmp_path, refused):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("5\nquit\n"))
    seen = run("coach pig --judge points").out
    assert "Advice is for the objective points: the game itself is for the objective win." in seen
    best = kw.solve("pig", "points").advise(roll="5").best
    assert f"a  {best.action}: {format_value(best.value, 'points')}, best" in seen
    refused("unknown objective 'wins' of pig", "coach pig --judge wins -o other.kw")


@pytest.mark.slow
def test_long_solves_are_announced_before_they_start(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "keepwise.solvers.push.race_problems.PushWinProblem.estimate_cost", lambda *_: SolveCost(21e6, 18.0)
    )
    for command in ("coach pig", "play pig --seed 1", "quiz pig --from hold:5 --count 1 --ask"):
        monkeypatch.setattr("sys.stdin", io.StringIO("5\n?\nquit\n"))
        said = "solving Pig for win takes about 18 seconds and 20 MiB; --objective points is faster"
        assert said in run(f"{command} --rule target={29 + len(command)}").err


def test_a_whole_turn_replaces_all_that_was_entered_in_it(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    typed = "11153\nkeep 1 1 1, roll 2 dice\n5 5\nbank\n500\nfix 3 turn 700\nfix 1 turn 700\nscore\nquit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    seen = " ".join(run("coach 5000 --silent").out.split())
    assert "a whole turn replaces the first event of its turn: type fix 1 turn 700" in seen
    assert "corrected event 1: You: turn 700" in seen
    assert "no longer fit" not in seen
    assert "You 700, Opponent 500" in seen


def test_a_box_with_points_is_never_taken_for_dice(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("22456\ntwos 4\nsixes 15\nquit\n"))
    seen = " ".join(run("coach yahtzee --players 1 --silent").out.split())
    assert seen.count("boxes are filled after the last roll; to stop rolling, first type keep all") == 2


@pytest.mark.parametrize(("answer", "kept"), [("no, it held", "not tripped"), ("yes it tripped", "tripped")])
def test_more_words_after_yes_or_no_repeat_it(run, monkeypatch, tmp_path, answer, kept):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"large\nloose\na\n{answer}\nquit\n"))
    seen = run("coach booby-trap --silent").out
    assert f"You: {kept}\n" in seen
    assert "was not entered" not in seen
