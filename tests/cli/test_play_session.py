"""An evening at the prompt: games through plain pipes, from the first prompt to the review."""

from __future__ import annotations

import io
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import click
import pytest
from random_games import brought, played_at_random
from waits import said

import keepwise as kw
from keepwise.cli.session import GameFileWriter
from keepwise.games import FILES
from keepwise.games.rulefile.loader import TEMPLATES
from keepwise.play.choice_letters import ChoiceLetters
from keepwise.play.game_file import read_game_file
from keepwise.play.input_parser import parse_choice
from keepwise.util.errors import InputError


@pytest.fixture
def evening(run, monkeypatch, tmp_path):
    """Run a command with these lines typed, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(command, *lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run(command)

    return call


def test_a_game_to_its_review(evening, tmp_path):
    played = evening("play pig --rule target=20 --seed 4 --opponent hold:20", *["roll"] * 60)
    assert played.status == 0
    assert played.err == ""
    lines = played.out.splitlines()
    assert lines[0] == "Pig · win · seed 4 · saved in pig.kw"
    assert "Score sheet" in lines
    assert any(line.startswith("Review: Pig, objective win; the game is over.") for line in lines)
    assert max(map(len, lines)) < 80
    assert read_game_file(tmp_path / "pig.kw").is_over
    assert re.search(r"  (\?!|\?\??) That cost \d.*: .* was best\.", played.out)


def test_a_narrow_terminal_is_written_for(evening, run, monkeypatch):
    """Prompts, cards, advice, tables and the review: no line is wider but what is to be copied, and nothing is cut."""
    wide = evening("coach yahtzee -o wide.kw", "11532", "more", "help", "quit").out
    playable = run("advise 5000 --roll 11532").out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    narrow = evening("coach yahtzee -o narrow.kw", "11532", "more", "help", "quit").out
    assert sorted(narrow.split()) == sorted(wide.replace("wide.kw", "narrow.kw").split())
    below = click.unstyle(run("advise 5000 --roll 11532").out)
    assert sorted(below.split()) == sorted(playable.split())
    assert "\n  keep 1 1, roll 3 dice\n      " in below
    evening("play pig --rule target=20 --seed 4 --opponent hold:20 -o pig.kw", *["roll"] * 60)
    lines = [*narrow.splitlines(), *below.splitlines(), *run("review pig.kw").out.splitlines()]
    assert max(len(line) for line in lines if not re.match(r"(   )?id |.*saved in ", line)) < 40


def test_more_lists_the_cost_of_every_choice(evening):
    played = evening("coach yahtzee", "11532", "more", "quit").out.partition("You> more\n")[2].splitlines()
    listed = [line for line in played if re.match(r" +[a-z]+  ", line)]
    assert len(listed) == 24
    assert listed[0] == "    a  keep 5, roll 4 dice: 249.9 points, best"
    assert all(re.search(r"points, (best|tie|costs [\d.]+ points)$", line) for line in listed)
    told = evening("play yahtzee --seed 1", "more", "quit").out
    assert "costs" not in told


def test_an_own_whole_turn_may_be_entered_at_its_first_choice(evening):
    """In words that are no choice; a number alone is none, and whose dice the program throws tells no turn."""
    told = evening("coach booby-trap", "large trippd", "large tripped", "turn large", "7", "turn medium", "quit").out
    whole = "for a whole turn, type 'turn' and its result: large, medium, small or pass; add tripped if the bar tripped"
    assert whole in " ".join(told.split())
    assert "Your turn: large tripped\n-- You -3, Opponent 0;" in told
    assert "  7 is not a choice here; choose from: (a) touch a large piece; (b) touch a" in told
    assert "Your turn: medium\n-- You -1, Opponent 3;" in told
    refused = evening("play booby-trap --seed 1", "large tripped", "turn pass", "quit").out
    assert refused.count("is not a choice here") == 2
    assert "for a whole turn" not in refused


def test_silent_keeps_it_for_the_end(evening):
    played = evening("play pig --rule target=20 --seed 4 --opponent hold:20 --silent", *["roll"] * 60)
    assert "That cost" not in played.out
    assert "The costliest decisions:" in played.out


def test_a_filled_box_needs_no_points_to_be_refused(evening):
    played = evening("coach yahtzee", "12345", "keep all", "large straight", "large straight", "quit")
    assert "large straight is already filled; enter an open box" in played.out


def test_advice_where_there_is_nothing_to_choose(evening):
    played = evening("coach booby-trap", "medium", "?", "quit")
    assert "  There is nothing to choose:\n       feel the medium piece: 50.8% to win\n" in played.out


@pytest.mark.parametrize("entry", ["Bob 450", "bob: 450", "Bob got 450"])
def test_a_name_and_points_in_ones_own_turn_are_about_the_other(evening, entry):
    out = one_line(evening("coach 5000", entry, "11532", entry, "quit"))
    assert out.count(f"it is your turn, and '{entry}' is about Opponent; finish this turn first") == 2


@pytest.mark.parametrize("entry", ["not 20", "no 20", "maybe 20", "anna 20", "not bust", "nearly busted"])
def test_a_word_before_a_result_is_no_name(evening, entry):
    assert "Opponent's turn: 20" not in (out := evening("coach pig", "turn 20", entry, "quit").out)
    assert "Opponent's turn: bust" not in out


@pytest.mark.parametrize("entry", ["hold 20", "hold at 20", "stop at 20", "total 20"])
def test_a_plan_is_no_turn_of_ones_own(evening, entry):
    assert "Your turn" not in evening("coach pig", entry, "quit").out


def test_a_piece_that_is_only_touched_is_no_turn(evening):
    for entry in ("I touched a large piece", "touched large", "felt a large one"):
        assert "Your turn" not in evening("coach booby-trap", entry, "quit").out


def test_save_needs_a_file_name_with_an_ending(evening, tmp_path):
    played = evening("coach pig", "save 5", "save the game", "save copy.kw", "quit")
    assert played.out.count("is not a file name with an ending; type save copy.kw") == 2
    assert {path.name for path in tmp_path.iterdir()} >= {"copy.kw", "pig.kw"}
    assert not {path.name for path in tmp_path.iterdir()} & {"5", "the game"}


def test_redo_takes_as_many_entries_as_it_says(evening):
    entries = ("11532", "keep 1, roll", "1532", "undo 3", "redo 2", "redo 3", "redo")
    played = evening("coach 5000", *entries, "quit")
    assert "there was only 1 entry to redo" in played.out
    assert "there is nothing to redo" in played.out
    assert played.out.count("You: keep 1, roll 4 dice") == 2
    assert played.out.count("You: 1 2 3 5") == 2


def test_commands_at_the_prompt(evening, tmp_path):
    lines = [
        "help",
        "?",
        "why",
        "why bank",
        "roll",
        "undo",
        "redo",
        "redo",
        "save",
        "save copy.kw",
        "save copy.kw",
        "x",
    ]
    played = evening("play pig --seed 3", *lines, "quit")
    out = " ".join(played.out.split())
    assert played.status == 0
    assert "a keep 5, bank 5 b keep 5, roll 1 die You> help" in out
    assert "b keep 5, roll 1 die: 54.6% to win, best, busts 16.7% a keep 5, bank 5" in out, "a choice keeps its letter"
    assert out.count("Before this turn you are level.") == 2
    assert "undone: keep 5, roll 1 die" in out
    assert "there is nothing to redo" in out
    assert "the game is saved in pig.kw after every entry" in out
    assert "refusing to overwrite copy.kw; choose another file name" in out
    assert "x is not the letter of a choice here; the letters are a and b" in out
    assert "saved in pig.kw; to resume: keepwise play --resume pig.kw" in out
    assert (tmp_path / "copy.kw").read_text() == read_game_file(tmp_path / "pig.kw").to_text()
    assert "undo" in (tmp_path / "pig.kw").read_text()


def test_why_takes_the_view_of_the_player_to_move(evening):
    played = evening("coach pig", "5", "why", "bank", "why", "?", "quit")
    mine, theirs = played.out.split("how many points did they bank? why")
    assert "From Opponent's point of view" not in mine
    assert theirs.lstrip().startswith("From Opponent's point of view:\n  There is nothing to choose. ")
    assert "there is nothing for you to decide" in " ".join(theirs.split())


def test_enter_after_why_takes_the_best_choice(evening):
    lines = evening("play pig --seed 1", "", "why", "", "quit").out
    assert lines.count("Enter only follows advice that was just given") == 1
    assert lines.partition("> why")[2].count("You: ") == 2


def test_help_at_the_turn_of_another_seat(evening):
    played = evening("coach booby-trap", "turn pass", "help", "large tripped", "quit").out
    help_text = " ".join(played.partition("pass? help")[2].split())
    assert help_text.startswith("RESULT the result of the whole turn: large, medium, small or pass; add tripped if")
    assert "take the choice with this letter" not in help_text
    assert "Opponent's turn: large tripped" in played
    played = evening("coach 5000", "turn bust", "help", "roll 11532", "quit").out
    dice = " ".join(played.partition("bank? help")[2].split())
    assert dice.startswith("RESULT the result of the whole turn: the number of points banked")
    assert "roll 11532 their first roll" in dice


def test_play_after_the_end_gives_no_advice(evening):
    lines = ["3", "?", "why", "more", "reach 20", "hello", "undo", "?"]
    played = evening("play --rules hog --rule target=2 --seat You --seat Ann --seed 8", *lines)
    over, begun = played.out.split("\n  undone: ")
    assert over.count("  the game is over: type undo, fix N ENTRY, events or score, or press Enter\n") == 5
    assert "to win, best" in begun


def test_play_does_not_offer_undo_before_any_entry(evening):
    assert "Press Enter" not in evening("play boston", "").out


def test_coach_announces_playoffs_of_a_pot(evening):
    told = evening("coach boston", "turn 15", "15", "turn 15", "12").out
    assert [line for line in told.splitlines() if line.startswith("--")] == [
        "-- You to move",
        "-- 15 to beat; Opponent to move",
        "-- tied at 15 points: You and Opponent play on, one turn each",
        "-- You to move",
        "-- 15 to beat; Opponent to move",
    ]
    told = evening("coach boston --players 3", "turn 15", "12", "15").out
    assert "-- tied at 15 points: You and Player 3 play on, one turn each\n-- playoff; You to move" in told


def test_coach_announces_playoffs_of_rounds(evening):
    turns = ["turn 7", "turn 7", "turn 5", "turn 5", "turn 8", "turn 6"]
    told = evening("coach battleship --rule rounds=1", *turns).out
    assert "-- tied at 7 points: You and Opponent play on, one turn each\n-- You 0, Opponent 0; playoff" in told
    sheet = told.partition("Score sheet\n")[2].partition("\n\n")[0]
    assert [" ".join(line.split()) for line in sheet.splitlines()] == [
        "turn You Opponent",
        "1 +7 7 +7 7",
        "playoff +5 5 +5 5",
        "playoff +8 8 +6 6",
    ]


def test_sheet_of_a_tie_without_the_last_player(evening):
    turns = ["turn 9", "turn 9", "turn 5", "turn 8", "turn 6"]
    told = evening("coach battleship --rule rounds=1 --players 3 --judge points", *turns).out
    sheet = told.partition("Score sheet\n")[2].partition("\n\n")[0]
    assert [" ".join(line.split()) for line in sheet.splitlines()] == [
        "turn You Player 2 Player 3",
        "1 +9 9 +9 9 +5 5",
        "playoff +8 8 +6 6",
    ]


def test_coach_asks_for_the_arguments_of_reach(evening):
    told = " ".join(evening("coach 5000", "reach", "reach x", "reach 5000").out.split())
    assert told.count("type 'reach', the points and the number of turns, such as reach 2500 5") == 3


def test_going_on_with_a_file(evening, tmp_path):
    evening("play pig --seed 3", "b")
    before = (tmp_path / "pig.kw").read_text()
    again = evening("play --resume pig.kw", "bank")
    after = (tmp_path / "pig.kw").read_text()
    assert again.status == 0
    assert after.startswith(before)
    assert after != before
    whole = evening("play pig --seed 3 -o other.kw", "b", "bank")
    assert whole.status == 0
    assert (tmp_path / "other.kw").read_text() == after
    evening("play pig --seed 3")
    assert (tmp_path / "pig-2.kw").exists(), "nothing that is there is written over"


def test_dice_of_ones_own(evening):
    played = evening("play 5000 --dice mine --seat Ann --seat Bob", "1 1 1 5 3", "bank", "115", "11532", "115 roll")
    assert "Ann: keep 1 1 1 5, bank 1,050" in played.out
    assert "expected 5 dice, got 3: 115" in played.out
    assert "Bob: keep 1 1 5, roll 2 dice" in played.out


def test_a_roll_in_a_sentence_and_a_question_are_understood(evening):
    typed = "I got 1 1 5 3 2", "what should I do?", "undo", "hm 11532 please", "keep 1", "Opponent: 500", "You: 115"
    out = " ".join(evening("coach 5000", *typed, "quit").out.split())
    assert "You: 1 1 2 3 5" in out
    assert out.count("a keep 1, roll 4 dice: 51.5% to win, best") == 2
    assert "'hm 11532 please' is more than a roll; type only the dice: 11532 You:" in out
    assert "'keep 1' is a choice, but the roll before it is missing; type the dice that came up" in out
    assert "it is your turn, and 'Opponent: 500' is about Opponent; finish this turn first; for your own turn" in out
    assert "expected 5 dice, got 3: 115;" in out


def test_points_too_few_to_bank_within_a_turn_are_said_so(evening):
    out = " ".join(evening("coach 5000", "11532", "keep 1 and roll", "350", "quit").out.split())
    too_few = "350 points are too few to bank: the minimum is 500"
    assert f"{too_few}; to go on, type the dice that came up, such as 1153 " in out


def test_a_choice_where_something_is_felt_is_not_about_others(evening):
    out = " ".join(evening("coach booby-trap", "", "touch a medium piece", "quit").out.split())
    assert "feel must be one of loose, springy, tight, not 'touch a medium piece'; to go back, type undo" in out


def test_dice_that_do_not_lie_there_are_said_so(evening):
    out = " ".join(evening("coach 5000", "11532", "keep four twos, bank", "keep three ones", "quit").out.split())
    assert "this roll, 1 1 2 3 5, has no four twos; choose from:" in out
    assert "this roll, 1 1 2 3 5, has no three ones; choose from:" in out
    out = " ".join(evening("coach 5000", "11532", "keep 1 1 1", "keep 1 4", "keep 3", "2 3", "quit").out.split())
    assert "this roll, 1 1 2 3 5, has no 1 1 1; choose from:" in out
    assert "this roll, 1 1 2 3 5, has no 4; choose from:" in out
    assert "3 scores nothing in this roll; choose from:" in out
    assert "2 3 score nothing in this roll; choose from:" in out
    out = " ".join(evening("coach battleship", "14456", "keep the 6", "keep 6 5", "quit").out.split())
    assert out.count("6, 5 and 4 are kept already; you choose only for the crew dice, 1 and 4; choose from:") == 2


@pytest.mark.parametrize("game", ["pig", "booby-trap", "battleship"])
def test_in_another_players_turn_there_is_nothing_to_decide(evening, game):
    result = {"pig": "turn 20", "booby-trap": "turn medium", "battleship": "turn 7"}[game]
    out = " ".join(evening(f"coach {game}", result, "?", "quit").out.split())
    assert "It is Opponent's turn, so there is nothing for you to decide." in out


def test_sentences_are_understood(evening):
    typed = "I rolled 4.", "You:", "we bank", "he banked 20", "5", "bank", "Opponent got 15.", "5", "bank"
    played = evening("coach pig -o pig.kw", *typed, "she farkled", "quit").out
    turns = "You: keep 4, bank 4", "Opponent's turn: 20", "Opponent's turn: 15", "Opponent's turn: bust"
    assert [line for line in played.splitlines() if line in turns] == list(turns)


def test_what_somebody_else_did_is_no_turn_of_ones_own(evening):
    out = " ".join(evening("coach 5000", "he got 600", "turn 600", "he got 550", "quit").out.split())
    assert "it is You's turn" not in out
    assert "'he got 600' is about another player" in out
    assert "for your own turn, type turn 600" in out
    assert out.count("Your turn: ") == 1
    assert "Opponent's turn: 550" in out


def test_any_name_means_the_opponent_without_a_name(evening):
    out = " ".join(
        evening("coach 5000", "Bob got 600", "turn bust", "Bob got 550.", "11532", "undo", "quit").out.split()
    )
    assert "it is your turn, and 'Bob got 600' is about Opponent; finish this turn first; for your own turn" in out
    assert out.count("Opponent's turn: 550") == 1


@pytest.mark.parametrize("seats", ["--players 3", "--seat You --seat Bob"])
def test_an_unknown_name_is_refused_with_the_names(evening, seats):
    out = " ".join(evening(f"coach 5000 {seats}", "turn bust", "Rob busted", "quit").out.split())
    others = "Player 2, Player 3" if seats.startswith("--p") else "Bob"
    assert f"unknown player 'Rob'; the players are You, {others}" in out


def test_reach_in_battleship_counts_the_rounds_that_are_left(evening):
    """With 9 points before the last of two rounds: 21 is the most, and 22 needs two more crews."""
    entries = ["turn 9", "turn 5", "reach 21", "reach 22", "reach 22 2", "reach 9", "quit"]
    played = evening("coach battleship --rule rounds=2", *entries).out
    chances = [line.strip() for line in played.splitlines() if "to get there" in line]
    last_round = kw.solve("battleship", objective="reach", goal=12, turns=1)
    two_rounds = kw.solve("battleship", objective="reach", goal=13, turns=2)
    assert chances == [
        f"21 points: {100 * last_round.value():.1f}% to get there",
        "22 points: 0.0% to get there",
        f"22 points in 2 turns: {100 * two_rounds.value():.1f}% to get there",
    ]
    assert "the goal must be above the score of 9, not 9" in played


def test_a_new_roll_and_choice_before_the_last_choice_is_refused(evening):
    entries = ["33666", "keep 666", "12", "keep 666", "36", "33355 take full house", "sixes", "quit"]
    out = " ".join(evening("coach yahtzee", *entries).out.split())
    assert "first choose for the roll on the table; if you rolled something else: undo" in out
    assert "You: enter 24 in sixes" in out


@pytest.mark.parametrize(
    "entry",
    [
        "111532 keep 1",
        "115 bank",
        "1153 keep 1",
        "115 hold",
        "115, bank",
        "11153 2 roll",
        "55 1 1 1 1, bank",
        *("1,1,5,3, keep 1", "1 1 5 3; keep 1"),
    ],
)
def test_a_wrong_number_of_dice_before_a_choice_is_refused(evening, entry):
    dice = re.match(r"[\d ,]*\d", entry)[0]
    out = " ".join(evening("coach 5000", entry, "quit").out.split())
    count = sum(map(str.isdigit, dice))
    assert f"expected 5 dice, got {count}: {dice}; type the dice that came up, such as 11532" in out


@pytest.mark.parametrize(
    ("game", "entry", "message"),
    [
        ("scarney --judge points", "1 3 d d, bank 4", "expected 5 dice, got 4: 1 3 d d"),
        ("zombie-dice --judge points", "green-brain red-feet, roll", "expected 3 dice, got 2"),
    ],
)
def test_a_wrong_number_of_named_dice_is_refused(evening, game, entry, message):
    out = " ".join(evening(f"coach {game}", "roll 5 dice", entry, "quit").out.split())
    assert message in out


@pytest.mark.parametrize(
    "roll", ["green brain, Green Brain, yellow shotgun", "2 green brains 1 yellow shotgun", "gb gb ys"]
)
def test_names_of_faces_are_typed_as_people_write_them(evening, roll):
    assert "You: 2 green-brain 1 yellow-shotgun" in evening("coach zombie-dice --judge points", roll, "quit").out


@pytest.mark.parametrize("word", ["farkle", "bust"])
def test_a_bust_is_refused_if_no_roll_of_these_dice_busts(evening, tmp_path, word):
    """If six dice without points score, they cannot bust; the turn must not be taken back for it."""
    (tmp_path / "mine.toml").write_text((TEMPLATES / "push.toml").read_text())
    entries = ["111222", "keep all and roll", word, "quit"]
    out = " ".join(evening("coach mine.toml", *entries).out.split())
    assert "this roll cannot bust under these rules; to go on, type the dice that came up, such as 115324" in out


def test_why_at_the_opponents_prompt_names_the_opponent(evening):
    out = " ".join(evening("coach 5000", "turn 1500", "why", "quit").out.split())
    assert "From Opponent's point of view:" in out
    assert "Before this turn Opponent is 1,500 points behind." in out


@pytest.mark.parametrize("word", ["bust", "farkle", "nothing"])
def test_a_round_without_points_has_many_words(evening, word):
    out = evening("coach battleship", word, word, "quit").out
    assert "Your turn: 0\n" in out
    assert "Opponent's turn: 0\n" in out


@pytest.mark.parametrize("entry", ["nothing scored", "stop scored 20", "frame scored 20", "nobody scored 20"])
def test_words_of_the_game_are_not_names(evening, entry):
    out = evening("coach 5000 --seat You --seat Ann --seat Bob", entry, "quit").out
    assert "unknown player" not in out


@pytest.mark.parametrize("seats", ["", "--seat You --seat Ann --seat Bob"])
@pytest.mark.parametrize("entry", ["turn busted", "turn farkled"])
def test_the_word_turn_is_not_a_name(evening, seats, entry):
    out = evening(f"coach 5000 {seats}", entry, "quit").out
    assert "Your turn: bust" in out


def test_reach_in_a_game_for_reach_counts_the_turns_left(evening):
    """The position has the rounds left itself: ten rounds, of which one is played."""
    out = evening("coach battleship --objective reach --goal 60 --turns 10", "turn 8", "reach 40", "quit").out
    left = kw.solve("battleship", objective="reach", goal=32, turns=9)
    assert f"40 points: {100 * left.value():.1f}% to get there" in out


def test_reach_in_a_game_to_a_target_asks_for_the_turns(evening):
    out = " ".join(
        evening("coach battleship --rule match=first_to", "reach 40", "reach 40 0", "reach 40 1").out.split()
    )
    usage = "type 'reach', the points and the number of turns, such as reach 50 5"
    assert out.count(usage) == 2
    assert f"turns must be at least 1, not 0; {usage}" in out
    assert "40 points in 1 turn: 0.0% to get there" in out


def test_a_choice_before_a_roll_is_not_for_a_roll_on_the_table(evening):
    """In the second frame no roll lies there, although one was entered before."""
    entries = ["roll 5 dice", "13466", "a", "turn 5", "1 3 4 d d, roll", "quit"]
    out = evening("coach scarney --judge points", *entries).out
    assert "first choose for the roll on the table" not in out


@pytest.mark.parametrize(
    ("entry", "choice"),
    [
        ("112255, keep 1 and 5, roll", "keep 1 5, roll 4 dice"),
        ("112255 keep 1 5, roll", "keep 1 5, roll 4 dice"),
        ("112255 bank", "keep 1 1 2 2 5 5 (three pairs), bank 750"),
    ],
)
def test_the_roll_on_the_table_may_be_typed_again(evening, tmp_path, entry, choice):
    """The dice before a choice with dice are the roll; before a word alone they are the dice to be kept."""
    (tmp_path / "mine.toml").write_text((TEMPLATES / "push.toml").read_text())
    assert f"You: {choice}\n" in evening("coach mine.toml", "112255", entry, "quit").out


def test_a_crew_die_is_kept_with_its_value_and_roll(evening):
    out = evening("coach battleship", "34456", "keep 4, roll", "quit").out
    assert "You: keep the 4, roll the 3 again\n" in out


def test_reach_says_why_it_is_not_available(evening):
    out = " ".join(evening("coach booby-trap", "reach 30", "quit").out.split())
    assert "reach is not available for Booby Trap: it requires variant=solitaire" in out


@pytest.mark.parametrize("word", ["zero", "nothing"])
def test_a_round_of_nothing_after_its_first_roll_names_undo(evening, word):
    out = " ".join(evening("coach battleship", "12345", word, "quit").out.split())
    assert f"{word} is the result of a whole turn" in out
    assert "cannot bust" not in out


@pytest.mark.parametrize("entry", ["Bob got 550", "Bob 550", "bob: 550", "he got 550"])
def test_a_turn_of_another_seat_is_refused_by_name(evening, entry):
    """The seat named in an entry is not the one to move; the message says whose turn it is and what to type."""
    out = " ".join(evening("coach 5000 --seat Me --seat Bob", entry, "quit").out.split())
    whom = "another player" if entry.startswith("he") else "Bob"
    assert f"it is Me's turn, and '{entry}' is about {whom}; finish this turn first;" in out
    assert "for Me's turn, type turn 550" in out


def test_a_roll_of_another_seat_is_answered_with_a_roll(evening):
    typed = "he rolled 1 1 1", "11532", "Bob bank", "keep 1 and roll", "Bob got 550", "quit"
    out = " ".join(evening("coach 5000 --seat Me --seat Bob", *typed).out.split())
    assert "finish this turn first; for Me's roll, type the dice that came up, such as 11532 Me: roll" in out
    assert "it is Me's turn, and 'Bob bank' is about Bob; finish this turn first Me>" in out
    assert "'Bob got 550' is about Bob; finish this turn first; for Me's roll, type the dice that came up" in out


def test_what_the_typing_player_did_is_not_the_turn_of_another(evening):
    typed = "turn 600", "Me got 550", "Me 550", "Me busted", "Bob got 550", "quit"
    out = " ".join(evening("coach 5000 --seat Me --seat Bob", *typed).out.split())
    for entry in ("Me got 550", "Me 550", "Me busted"):
        assert f"it is Bob's turn, and '{entry}' is about Me; finish this turn first; for Bob's turn, type" in out
    assert out.count("Bob's turn: 550") == 1


def test_a_seat_named_like_a_choice_can_still_choose(evening):
    out = evening("coach 5000 --seat Me --seat Keep", "11532", "keep 1 and roll", "quit").out
    assert "Me: keep 1, roll 4 dice" in out


def test_points_of_a_box_are_not_taken_for_dice(evening):
    typed = "66655", "keep 6s", "full house 25", "full house", "25 points", "quit"
    out = " ".join(evening("coach yahtzee", *typed).out.split())
    assert "full house 25 is the result of a whole turn, which can only be entered before its first roll" in out
    assert "type undo 2, then turn full house 25; to go on, type the dice that came up, such as 11" in out
    assert "'full house' is a choice, but the roll before it is missing" in out
    assert "'points' is not a roll" in out


def test_undo_says_whose_turns_went_with_an_entry(evening):
    out = evening("play pig --seed 4 --silent", "roll", "bank", "undo", "quit").out
    assert "  undone: keep 5, bank 7 (and the rolls and turns after it)\n" in out


def test_points_on_the_card_are_said_to_count(evening):
    """Without points on it, the value at the start of a card needs no words."""
    out = evening("coach yahtzee", "66655", "keep all", "full house", "11223", "why", "quit").out
    assert "a  keep 6 6 6, roll 2 dice: 265.1 points, best\n" in out
    assert "a  keep 2 2, roll 3 dice: 249.7 points in the end, best\n" in out
    assert "b  keep 3, roll 4 dice: 249.0 points, costs 0.69 points\n" in out
    assert "leads to 249.7 points in the end" in " ".join(out.split())


def test_points_so_far_are_not_points_still_to_come(evening):
    """The score before the choice, its points and those still to come add up to the value."""
    typed = "66655", "keep all", "full house", "12345", "keep all", "why large straight", "quit"
    out = " ".join(evening("coach yahtzee", *typed).out.split())
    value, so_far, now, still = re.search(
        r"leads to ([\d.]+) points in the end \((\d+) points so far, (\d+) now and ([\d.]+) points later", out
    ).groups()
    assert (so_far, now) == ("25", "40")
    assert float(value) == pytest.approx(25 + 40 + float(still), abs=0.11)  # two rounded numbers


def test_a_typed_total_is_repeated(evening):
    out = evening("coach shut-the-box", "9", "shut 9", "45", "quit").out
    assert "You: 3 6 (for the total 9)\n" in out
    assert "You: 4 5\n" in out


def test_odds_are_a_table_in_the_rules(run):
    out = run("rules booby-trap").out
    assert "  pieces  feel     how often  trips the bar\n  large   loose          1/4           1/50\n" in out
    assert "with a chance of" not in out


def test_dice_taken_as_a_roll_of_somebody_else_are_said_so(evening):
    played = evening("coach 5000 -o a.kw", "turn 500", "22256", "550", "undo", "550", "quit").out
    assert "  Taken as a roll. If you meant the result of the whole turn, type undo.\n" in played
    assert "can only be entered before its first roll: type undo, then turn 550" in " ".join(played.split())
    assert "Opponent's turn: 550" in played


@pytest.mark.parametrize("command", ["play", "coach"])
def test_illustrative_odds_are_marked_in_the_heading(evening, command):
    told = evening(f"{command} booby-trap --rule large=2 --rule medium=2 --rule small=2", "quit").out
    assert told.splitlines()[1] == "odds that pieces trip the bar: made-up; for your own: keepwise odds --help"


def test_play_with_an_opponent_has_two_players(evening, tmp_path):
    """Also in a game that one person plays for points, unless the objective says so."""
    seen = evening("play yahtzee --opponent best --silent -o two.kw", "quit")
    assert "advice is for the most points on a card" in " ".join((seen.err + seen.out).split())
    assert [line for line in (tmp_path / "two.kw").read_text().splitlines() if line.startswith("seat")] == [
        "seat: You = person",
        "seat: Engine = best",
    ]


def test_the_coach_of_a_game_for_points_has_one_seat(evening, tmp_path):
    evening("coach shut-the-box -o one.kw", "quit")
    assert [line for line in (tmp_path / "one.kw").read_text().splitlines() if line.startswith("seat")] == [
        "seat: You = person"
    ]


GAMES_OF_ONE = [
    "yahtzee --objective points",
    "shut-the-box --objective points",
    "double-cameroon --objective reach --goal 200",
]


@pytest.mark.parametrize("game", GAMES_OF_ONE)
def test_play_refuses_opponents_in_games_of_one_player(evening, tmp_path, game):
    refused = evening(f"play {game} --opponent weak")
    assert refused.status == 2
    assert "has one player; leave --opponent out" in refused.err
    assert ("or give --objective win" in refused.err) == ("yahtzee" not in game)
    assert not list(tmp_path.iterdir())


def test_the_coach(evening, tmp_path):
    played = evening("coach 5000", "11153", "", "450", "500", "11532", "bank", "", "undo", "quit")
    out = played.out
    assert "    a  keep 1 1 1 5, bank 1,050: 70.6% to win, best" in out
    assert "450 points are too few to bank: the minimum is 500; for no points, type bust\n" in out
    assert "Opponent's turn: 500" in out
    assert "That cost" not in out.partition("Opponent's turn: 500")[0]
    assert (tmp_path / "5000.kw").read_text().splitlines()[:5] == [
        "game: 5000",
        "objective: win",
        "seat: You = person",
        "seat: Opponent = table",
        "dice: mine",
    ]


@pytest.mark.slow
def test_the_coach_states_its_objective_if_win_takes_too_long(evening):
    played = evening("coach --rules zilch --players 3", "111536", "")
    told = " ".join(played.out.split())
    assert "exact values of Zilch for 3 players take about" in told
    assert "GiB: advice is for the most points in a turn." in told
    assert "    a  keep 1 1 1 5, bank 1,050: 1,050.0 points, best" in played.out


def test_other_dice_than_lie_there_are_no_choice_by_any_name(evening, tmp_path):
    (tmp_path / "sky.toml").write_text(
        'name = "sky"\ndice = 2\nfaces = ["sun", "moon"]\ntarget = 3\nstop.at_least = 2\nthen.all = "end"\n'
        '[singles]\nsun = 1\n[[pattern]]\nname = "both"\ndice = ["sun", "moon"]\npoints = 2\n'
    )
    for other in ("sun sun", "moon moon"):
        out = " ".join(evening("coach --rules sky.toml -o sky.kw", "sun moon", other, "quit").out.split())
        assert f"this roll, 1 sun 1 moon, has no 2 {other.split()[0]}; choose from:" in out
        assert f"if you rolled something else: undo, or fix 1 {other}" in out
        (tmp_path / "sky.kw").unlink()


def test_the_coach_draws_mixed_turns(evening):
    """What is drawn is said, done where nothing else is typed, and the same when the file is taken up again."""
    lines = ["2", "roll", "3"]
    first = evening("coach pig --rule faces=3 --rule target=14 --players 3", *lines, "quit")
    (drawn,) = re.findall(r"Drawn for this turn: (.*)\.$", " ".join(first.out.split("\n  ")), re.MULTILINE)
    again = evening("coach --resume pig.kw", "", "quit")
    assert "  Optimal play is random here: 16.3% of the time keep 3, bank 5, and 83.7% of" in again.out
    assert f"You: {drawn}\n" in again.out


def test_the_coach_for_three(evening):
    played = evening("coach battleship --players 3 --rule rounds=2", "66543", "settle", "7", "0", "quit")
    assert "-- You 9, Player 2 7, Player 3 0; round 2 of 2; You to move" in played.out


def test_a_bank_that_is_not_there_is_refused_truly(evening):
    """A bank of 500 counts: it is not said that none does."""
    out = " ".join(evening("coach 5000", "11153", "bank", "500", "55523", "bank 400", "quit").out.split())
    assert "bank 400 is not a choice here; did you mean keep 5 5 5, bank 500?" in out
    assert "to bank" not in out


def test_no_bank_counts_before_the_opening(evening):
    for words in ("bank", "hold", "keep 1, bank", "keep 1, hold"):
        out = " ".join(evening("coach 5000", "11532", words, "quit").out.split())
        assert "a bank needs at least 500 points; stop ends the turn with nothing; choose from: (a) " in out, words
    later = " ".join(evening("coach 5000", "11153", "bank", "500", "11532", "bank", "keep 3, bank", "quit").out.split())
    assert "a bank needs at least 300 points; stop ends" in later
    assert "3 scores nothing in this roll; choose from: (a) " in later


def test_a_bank_below_a_minimum_that_must_be_reached(evening):
    """A rule file whose players have to roll on below the minimum gives the reason, as 5000 does."""
    start = "coach farkle-facebook --objective points"
    for words in ("bank", "stop", "keep 5, bank"):
        out = " ".join(evening(f"{start} -o {words[:4]}.kw", "115324", words, "quit").out.split())
        assert "a bank needs at least 300 points; choose from: (a) " in out, words
    three = " ".join(evening(f"{start} -o three.kw", "333324", "keep 3 3 3, hop", "quit").out.split())
    assert "points to bank" not in three


def test_an_unknown_word_ends_with_where_to_go(evening):
    choice = " ".join(evening("coach pig", "5", "hint", "9", "quit").out.split())
    assert choice.count("; ? shows advice, help lists what you can type You>") == 2
    assert "hint is not a choice here" in choice
    roll = " ".join(evening("coach 5000", "hint", "99", "quit").out.split())
    assert roll.count("; help lists what you can type You:") == 1


def test_a_refused_result_of_a_turn_has_an_example(evening):
    out = " ".join(evening("coach 5000", "turn bust", "she won nothing", "500", "quit").out.split())
    assert "type the result of the turn: the number of points banked, such as 500, or bust; or type 'roll'" in out
    assert "Opponent's turn: 500" in out


def test_rules_at_a_prompt(evening):
    out = evening("coach booby-trap", "rules", "quit").out
    assert "A piece that is taken scores its points, or trips the bar, which costs 3 points" in out


def test_a_whole_turn_within_a_turn_says_how_to_go_back(evening):
    typed = ("11532", "600 points", "keep 1, roll", "600 points", "undo 2", "600 points", "quit")
    out = " ".join(evening("coach 5000", *typed).out.split())
    late = "600 is the result of a whole turn, which can only be entered before its first roll: type"
    assert f"{late} undo, then turn 600; to go on, enter a choice" in out
    assert f"{late} undo 2, then turn 600; to go on, type the dice" in out
    assert "Your turn: 600 -- You 600, Opponent 0" in out
    assert "a whole turn" not in evening("play 5000 --seed 1", "600 points", "quit").out


def test_a_number_alone_that_is_a_result_says_how_to_enter_it(evening):
    out = " ".join(evening("coach 5000", "600", "450", "roll", "/q").out.split())
    assert "came up, such as 11532; for a whole turn, type turn 600 You:" in out
    assert "for a whole turn, type 'turn' and its result: " in out  # 450 points cannot be the first bank
    assert "roll needs the dice; type the dice that came up, such as 11532, or help" in out
    assert "saved in 5000" in out.rpartition("/q")[2]


def test_fix_makes_a_roll_a_whole_turn(evening):
    typed = ("11532", "keep 1, roll", "bust", "fix 1 600", "fix 2 555", "fix 2 11555", "fix 2 11532 bank")
    out = " ".join(evening("coach 5000", *typed, "fix 1 600 points", "quit").out.split())
    assert (
        "event 1 is unchanged: no die has the face '0'; the faces are 1, 2, 3, 4, 5, 6; for a whole turn, type" in out
    )
    assert "for a whole turn, type fix 1 turn 600" in out
    assert "event 2 is a choice, and 555 is not a choice there; choose from: keep 1 1 5" in out
    assert "to correct the roll before it, type fix 1 11555" in out
    assert "corrected event 1: You: turn 600" in out


def test_why_of_a_choice_before_the_roll(evening):
    out = " ".join(evening("coach 5000", "11153", "bank", "why bank", "keep it all", "quit").out.split())
    assert "there is no choice to explain before the roll; type why alone to explain the position" in out
    assert "points must be a whole number, not 'keep it all'; type the result of the turn" in out


def test_why_before_a_roll_names_no_drawn_choice(evening):
    """Optimal play is random here, but the turn begins with a roll in both plans: nothing has been drawn yet."""
    out = evening("coach pig --players 3 --rule faces=3 --rule target=14", "why", "quit").out
    assert "you are level" in out
    assert "Drawn for this turn" not in out


def test_a_card_explains_what_it_refuses(evening):
    out = " ".join(evening("coach yahtzee", "55555", "keep all", "fives 12", "quit").out.split())
    assert "keep 5, roll 4 dice was best" not in out
    assert "You: keep all: 5 5 5 5 5 roll 5 5 5 5 5 a enter 50 in yahtzee" in out, "it is not the third throw"
    assert "fives 12 is not a choice here; did you mean enter 25 in fives?" in out


def test_reach_has_an_example_that_is_possible(evening):
    out = " ".join(evening("coach battleship", "reach 200", "reach", "quit").out.split())
    assert (
        "goal must be between 1 and 120, the most in 10 rounds, not 200; type 'reach' and the points, such as reach 50"
        in out
    )


@pytest.mark.parametrize("words", ["--players 2", "--seat Me --seat Ann=table", "--objective win"])
def test_the_coach_of_a_card_that_is_not_solved_for_two(evening, words):
    """It advises for points and says so."""
    played = evening(f"coach yahtzee {words}", "66666", "", "score", "quit")
    out = " ".join(played.out.split())
    assert "Yahtzee has no exact values for 2 players: advice is for the most points on a card." in out
    assert re.search(r"a keep all \(6 6 6 6 6\): [0-9.]+ points, best", out)


def test_a_card_for_two_is_played_to_its_end(evening, tmp_path):
    """By the best player for points; there are no values of the win, so each seat is reviewed for points."""
    played = evening("play yahtzee --seat Ann=best --seat Bob=best --seed 2")
    assert played.status == 0, played.err
    assert re.search("(Ann|Bob|Ann and Bob) (wins|share the win)", played.out)
    assert played.out.count("Review: Yahtzee, objective points; the game is over.") == 2
    assert re.search(
        r"^Bob: no errors in \d+ decisions; outcome without luck 254\.6 points\.$", played.out, re.MULTILINE
    )
    assert evening("review yahtzee.kw").err.startswith("keepwise: yahtzee.kw cannot be reviewed: Yahtzee has no exact")


@pytest.mark.parametrize("file", ["yatzy", "kniffel", "maxi-yatzy", "yamb"])
def test_rule_files_of_cards_seat_two(evening, file):
    played = evening(f"coach --rules {file} --seat Me --seat Ann=table", "quit")
    assert played.status == 0, played.err
    assert "Me 0, Ann 0; turn 1 of " in played.out


def test_seats_of_cards_without_exact_values_say_so(evening, tmp_path):
    boxes = "".join(f'[[category]]\nname = "{name}"\nchance = true\n' for name in ("first", "second"))
    (tmp_path / "saved.toml").write_text(f'name = "saved"\ndice = 2\nsaved_throws = 1\n{boxes}')
    played = evening("coach --rules saved.toml --seat Me --seat Ann", "quit")
    assert played.out.splitlines()[0].startswith("saved · 2 players · saved in")
    refused = evening("coach --rules saved.toml --objective points --seat Me --seat Ann")
    assert "the objective points is for one player, so --seat must be given once, not 2 times" in refused.err


TWO_BOXES = """
    name = "two"
    dice = 2
    category = [{ name = "ones", face = 1 }, { name = "sum", chance = true }]
    upper = { categories = ["ones"], at = 2, bonus = 5 }
"""


def test_to_play_for_beat_is_to_play_against_an_engine_of_points(evening, tmp_path):
    (tmp_path / "two.toml").write_text(TWO_BOXES)
    played = evening("play --rules two.toml --objective beat --seed 3", "?", *["a"] * 9)
    assert played.status == 0, played.err
    assert "% to end above, best" in played.out
    assert "Review: two, objective beat; the game is over." in played.out
    game = read_game_file(tmp_path / "two.kw")
    assert [seat.player for seat in game.seats] == ["person", "best:points"]
    points = kw.solve(kw.load_rules("two.toml"), "points")
    engine_choices = [step for step in game.steps if step.seat == 1 and step.choice and step.line_text]
    assert engine_choices
    for step in engine_choices:
        card = points.playable.of_one_seat(step.position, 1)
        assert points.advise(card).best.action == step.choice.action
    review = evening("review two.kw --judge beat")
    assert review.out in played.out


def test_to_coach_for_beat_the_opponent_sits_at_the_table(evening, tmp_path):
    (tmp_path / "two.toml").write_text(TWO_BOXES)
    lines = ("5 6", "keep all", "sum", "turn ones 2", "1 2", "keep all", "turn sum 7")
    seen = evening("coach --rules two.toml --objective beat", *lines)
    assert seen.status == 0, seen.err
    assert [seat.player for seat in read_game_file(tmp_path / "two.kw").seats] == ["person", "table"]
    assert "Review: two, objective beat; the game is over." in seen.out
    assert "Opponent wins." in seen.out


def test_turns_whose_solve_takes_long_get_advice_for_points(evening, tmp_path, monkeypatch):
    (tmp_path / "two.toml").write_text(TWO_BOXES)
    monkeypatch.setattr("keepwise.cli.play.MAX_WAIT_SECONDS", -1.0)  # even a solve that is done takes longer
    played = evening("play --rules two.toml --objective beat --seed 3", "?", "why", "?", *["a"] * 9)
    words = " ".join(played.out.split())
    assert words.count("Advice in this turn is for points, because advice for beat takes about 1 second") == 2
    assert "to end above" not in words
    assert "points, best" in words
    assert re.search(
        r"The review for beat takes about 1 second.*; to run it: keepwise review two\.kw --judge beat", words
    )


def test_seats_without_exact_values_are_reviewed_for_points(evening, tmp_path):
    (tmp_path / "two.toml").write_text(TWO_BOXES)
    played = evening("play --rules two.toml --seat Ann --seat Bob --seed 3", *["a"] * 12)
    assert played.out.count("Review: two, objective points; the game is over.") == 2
    assert evening("review two.kw --judge points --seat Bob").out in played.out
    assert "keepwise review --judge points reviews one seat" in evening("review two.kw").err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("play 5000 --objective beat", "unknown objective 'beat' of 5000"),
        ("play yahtzee --objective beat --judge points", "--judge points cannot be combined with --objective beat"),
        ("coach yahtzee --objective beat --players 3", "advice for beat requires two players, not 3"),
        ("review some.kw --seat Ann", "--seat requires --judge"),
    ],
)
def test_what_cannot_be_played_for_beat_is_refused(evening, command, message):
    refused = evening(command)
    assert refused.status == 2
    assert refused.err.count("\n") == 1
    assert message in refused.err


def test_the_coach_advises_against_a_friend_who_plays_for_points(evening, tmp_path):
    """The advice of the objective ``beat``, whose values tests/solvers/cards/test_card_beat.py enumerates."""
    rules = """
        name = "two"
        dice = 2
        category = [{ name = "ones", face = 1 }, { name = "sum", chance = true }]
        upper = { categories = ["ones"], at = 2, bonus = 5 }
    """
    (tmp_path / "two.toml").write_text(rules)
    seen = evening("coach --rules two.toml --seat Me --seat Friend --judge beat", "5 6", "keep all", "sum", "quit")
    best = kw.solve(kw.load_rules("two.toml"), "beat").advise(roll="5 6").best
    assert f"{best.action.replace('all: ', 'all (')}): {100 * best.value:.1f}% to end above, best" in seen.out
    assert "Friend's turn: which box did they fill" in seen.out
    assert "--resume two.kw --judge beat" in seen.out


@pytest.mark.slow
def test_the_best_player_makes_no_mistakes(evening):
    for game in ("pig", "battleship", "scarney", "booby-trap", "hearts-due"):
        played = evening(f"play {game} --seat Ann=best --seat Bob=best --seed 2")
        assert played.status == 0
        assert not re.search(r"errors in \d+ of", played.out)


@pytest.mark.slow
def test_opponents_that_make_mistakes(evening, tmp_path):
    for name, player in (("first", "weak"), ("again", "weak"), ("other", "loses:0.03")):
        played = evening(f"play pig --rule target=20 --seat Ann={player} --seat Bob=best --seed 2 -o {name}.kw")
        assert played.status == 0
    first, again, other = (read_game_file(tmp_path / f"{name}.kw") for name in ("first", "again", "other"))
    assert first.to_text() == again.to_text()
    assert other.seats[0].player == "loses:0.03"


@pytest.mark.parametrize("game", ["pig", "battleship --rule rounds=2", "booby-trap --rule large=2 --rule medium=2"])
def test_a_sheet_at_the_table(evening, game):
    played = evening(f"play {game} --seat Ann=sheet --seat Bob=best --seed 2")
    assert played.status == 0, played.err
    assert "Review: " in played.out


def test_no_review_where_there_are_no_values(evening):
    seats = "--seat Ann=best --seat Bob=hold:300 --seat Cleo=hold:200"
    rules = "--rule target=1000 --rule take_over=free --rule finish=last_round"
    played = evening(f"play --rules zilch {seats} --seed 2 {rules}")
    assert played.status == 0
    assert played.out.splitlines()[-1] == "No review: Zilch has no exact values for 3 players."


PLAYER = """
def first(playable, position):
    return playable.choices(position)[0]

def words(playable, position):
    return "bank"

def fails(playable, position):
    return 1 / 0
"""


@pytest.mark.parametrize("name", ["first", "words"])
def test_a_player_of_ones_own(evening, tmp_path, name):
    (tmp_path / "mine.py").write_text(PLAYER)
    played = evening(f"play pig --rule target=10 --seat A=mine.py:{name} --seat B=sheet --seed 5")
    assert played.status == 0
    assert "Review: Pig" in played.out


def test_game_files_are_locked_for_one_program(evening, tmp_path):
    evening("coach pig -o e.kw", "3", "roll", "quit")
    told = (tmp_path / "e.kw").read_text()
    with GameFileWriter(tmp_path / "e.kw"):
        for command in ("coach --resume e.kw", "play --resume e.kw"):
            second = evening(command, "3", "roll")
            assert second.status == 2
            assert second.err == "keepwise: e.kw is being played in another program; quit the game there first\n"
        assert evening("review e.kw").status == 0  # who reads may
    assert (tmp_path / "e.kw").read_text() == told
    assert evening("coach --resume e.kw", "quit").status == 0


def test_resume_leaves_unreadable_files_unchanged(evening, tmp_path):
    (tmp_path / "notes.txt").write_text("no game, no end of its line")
    assert evening("play --resume notes.txt").status == 2
    assert (tmp_path / "notes.txt").read_text() == "no game, no end of its line"


def test_names_that_no_file_has(evening, tmp_path):
    played = evening("play pig --seed 3", "save a\0b.kw", "quit")
    assert played.status == 0
    no_name = r"the file name must not contain \x00, an invisible character"
    assert f": {no_name}" in " ".join(played.out.split())
    for command in ("play pig -o a\0b", "play --resume a\0b", "coach --resume a\0b", "review a\0b"):
        told = evening(command)
        assert (told.status, told.err.count("\n")) == (2, 1)
        assert no_name in told.err


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("stdin", ["<&-", "0>nothing"])
def test_play_ends_without_terminal_input(tmp_path, stdin):
    command = f"{sys.executable} -m keepwise play pig --seed 1 {stdin}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False, timeout=60)
    assert done.returncode == 0
    assert said(done.stderr) == []
    assert "to resume: keepwise play --resume pig.kw" in done.stdout


EVIL = """with open("ran", "a") as file:
    file.write("x")


def first(playable, position):
    return playable.choices(position)[0]
"""


def test_no_game_file_runs_code(evening, tmp_path):
    (tmp_path / "evil.py").write_text(EVIL)
    head = "game: pig\nseat: Ann = person\nseat: Other = evil.py:first\ndice: {}\n"
    (tmp_path / "e.kw").write_text(head.format("mine"))
    (tmp_path / "p.kw").write_text(head.format("program"))
    for command in ("play --resume e.kw", "play --resume p.kw", "coach --resume e.kw"):
        told = evening(command)
        assert told.status == 2
        assert "and game files cannot run code" in told.err
        assert "--seat Other=evil.py:first" in told.err
    for command in ("review e.kw", "quiz --from p.kw"):
        evening(command)
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_python_policies_run_once_and_only_for_named_seats(evening, tmp_path):
    (tmp_path / "evil.py").write_text(EVIL)
    begun = evening("play pig --seat Ann --seat Bob=evil.py:first --seed 5 -o e.kw", "quit")
    assert "to resume: keepwise play --resume e.kw --seat Bob=evil.py:first" in begun.out
    assert (tmp_path / "ran").read_text() == "x"
    again = evening("play --resume e.kw --seat bob=evil.py:first", "quit")
    assert again.status == 0, again.err
    assert (tmp_path / "ran").read_text() == "xx"
    assert evening("simulate pig --policy evil.py:first --policy evil.py:first --games 2").status == 0
    assert (tmp_path / "ran").read_text() == "xxxx"  # each seat has what it keeps in mind to itself
    assert evening("quiz pig --from evil.py:first --count 1").status == 0
    assert (tmp_path / "ran").read_text() == "xxxxx"
    for seat in ("Ann=evil.py:first", "Cleo=evil.py:first"):
        told = evening(f"play --resume e.kw --seat {seat}")
        assert (told.status, "already sets the game; leave --seat" in told.err) == (2, True)


@pytest.mark.cases(fast=11)
@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("play pig --opponent mine.py:fails", "mine.py:fails fails at pig:win2:"),
        ("play pig --opponent mine.py:none", "mine.py does not have a function none"),
        ("play pig --opponent none.py:x", "cannot read none.py: file not found"),
        ("play pig --opponent bets", "unknown player 'bets'; did you mean best? Players of pig: person, table, best,"),
        ("play pig --opponent best:wins", "unknown objective 'wins' of pig; did you mean win?"),
        ("play pig --opponent loses:x", "loses:x: use loses:LOSS, the mean loss of a decision"),
        ("play boston --opponent weak", "policy weak makes mistakes, but no choice costs anything in boston"),
        ("play pig --opponent loses:0.5", "loses:0.5: the mean loss of a decision must be above 0 and at most "),
        (
            "play double-cameroon --opponent weak",
            "solve it once with keepwise solve double-cameroon --objective win -o double-",
        ),
        (
            "play --rules zilch --players 3 --opponent weak",
            "policy weak requires exact values to measure its mistakes",
        ),
        ("play pig --opponent hold:x", "'hold:x': limit must be a whole number, not 'x'"),
        ("play pig --seat A --seat B --seat C --players 2", "expected 2 seats, got 3; give --seat"),
        ("play pig --seat A --seat A", "two seats are named A"),
        ("play pig --seed -1", "--seed must be between 0 and 2**63 - 1, not -1"),
        ("play pig -o /nowhere/x.kw", "cannot write /nowhere/x.kw: its folder does not exist"),
        ("play pig -o mine.py", "refusing to overwrite mine.py; choose"),
        ("play --resume none.kw", "cannot resume none.kw: file not found"),
        ("play 5000 --resume pig.kw", "pig.kw is a game of pig, not of 5000; leave 5000 out"),
        ("play --resume pig.kw --players 3", "pig.kw already sets the game; leave --players out"),
        ("coach --resume pig.kw", "the program rolls the dice in pig.kw"),
        ("play", "missing GAME"),
        ("play farkle --objective points --players 2", "players must be 1, not 2"),
    ],
)
def test_play_refuses_bad_arguments_in_one_line(evening, tmp_path, command, what):
    (tmp_path / "mine.py").write_text(PLAYER)
    evening("play pig --seed 3", "quit")
    refused = evening(command, *["a"] * 200)
    assert refused.status == 2, refused.out
    assert what in refused.err
    assert refused.err.count("\n") == 1


# Begins a program as a shell does: tests that run in the background hand down signals that are ignored. It is not done
# between fork and exec here, where there may be threads.
SHELL = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
if os.isatty(0):
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "keepwise", *sys.argv[1:]])
"""


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupt_leaves_a_file_that_can_be_resumed(tmp_path, signal_):
    with subprocess.Popen(
        [sys.executable, "-c", SHELL, "play", "pig", "--seed", "3"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        bufsize=1,
    ) as process:
        process.stdin.write("b\n")
        for line in process.stdout:
            if line.startswith("You> b"):
                break
        while not (text := (tmp_path / "pig.kw").read_text()).endswith("roll 1 die\nYou: 4\n"):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.send_signal(signal_)
        out, err = process.communicate(timeout=30)
    if signal_ == signal.SIGINT:
        assert process.returncode == 0
        assert out.endswith("saved in pig.kw; to resume: keepwise play --resume pig.kw\n")
        assert err == ""
    assert (tmp_path / "pig.kw").read_text() == text
    assert len(read_game_file(tmp_path / "pig.kw").written_steps) == 3


def test_resume_accepts_a_last_line_without_newline(evening, tmp_path):
    evening("play pig --seed 3", "b", "b")
    text = (tmp_path / "pig.kw").read_text()
    (tmp_path / "pig.kw").write_text(text.rstrip("\n"))  # the last line has no end
    played = evening("play --resume pig.kw", "bank")
    assert played.status == 0
    assert read_game_file(tmp_path / "pig.kw").to_text().startswith(text.partition("\n\n")[0])


def test_resume_refuses_impossible_lines_without_changes(evening, tmp_path):
    evening("play pig --seed 3", "b")
    file = tmp_path / "pig.kw"
    file.write_text(text := file.read_text() + "You: 7\n")
    refused = evening("play --resume pig.kw", "bank")
    assert refused.status == 2
    assert refused.err.startswith(f"keepwise: pig.kw:{len(text.splitlines())}: ")
    assert file.read_text() == text


NINE = [game for game in FILES if game not in ("farkle", "pig", "yahtzee", "shut-the-box")]


@pytest.mark.cases(slow=5)
@pytest.mark.parametrize("game", NINE)
def test_each_of_the_nine_games_through_pipes(game, tmp_path):
    """In a process of its own, as somebody would: every prompt answered by the last choice listed or by advice."""
    alone = ["--objective", "points"] if game == "double-cameroon" else []
    lines = "?\na\nwhy\nb\na\nundo\nredo\n" + "b\na\n" * 3000
    done = subprocess.run(
        [sys.executable, "-m", "keepwise", "play", game, *alone, "--seed", "11"],
        input=lines,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "TERM": "dumb"},
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert said(done.stderr) == []
    assert "Score sheet" in done.stdout
    assert "Review: " in done.stdout
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert max(len(line) for line in lines if " id " not in line) < 80
    assert read_game_file(tmp_path / f"{game}.kw").is_over


FAST = ("scarney", "battleship", "boston", "hearts-due", "booby-trap")


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("game", [one if one in FAST else pytest.param(one, marks=pytest.mark.slow) for one in NINE])
def test_an_evening_beside_ones_own_dice(evening, game, tmp_path):
    """The coach of each of the nine games: your throws and choices, of the other what a turn brought; to the review."""
    alone = game == "double-cameroon"
    playable = kw.playable(game, objective="points" if alone else "win")
    happened, lines = played_at_random(playable, 7), []
    for step in happened.steps:
        if step.seat == 0 and step.line_text:
            lines.append(step.line_text)
        elif step.seat == 1 and (playable.is_turn_start(step.after) or playable.stage(step.after) == "over"):
            lines.append(brought(playable, step))
    told = evening(f"coach {game} --silent" + " --objective points --players 1" * alone, *lines)
    assert (told.status, told.err) == (0, "")
    assert "cannot" not in told.out
    assert "Score sheet" in told.out
    assert "Review: " in told.out
    kept = read_game_file(tmp_path / f"{game}.kw")
    assert kept.is_over
    assert kept.position == happened.position


@pytest.mark.parametrize("command", ["play", "coach"])
def test_the_first_prompt_waits_for_no_solver(command, tmp_path):
    """Nothing that solves, draws or judges is loaded before somebody is asked for the first time."""
    words = [command, "5000", "--seat", "A", "--seat", "B", *(["--dice", "mine"] if command == "play" else [])]
    code = f"""import sys
from keepwise.cli.commands import run
run({words})
late = ("solution", "solvers", "answers", "simulation", "players", "reviews")
print([name for name in sys.modules if name.startswith(("matplotlib", *(f"keepwise.{{one}}" for one in late)))])"""
    done = subprocess.run(
        [sys.executable, "-c", code], input="", capture_output=True, text=True, cwd=tmp_path, check=True, timeout=60
    )
    assert "What did you get?" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


TYPED = (
    "?",
    "why",
    "why a",
    "why x",
    "undo",
    "redo",
    "save",
    "help",
    "1",
    "2",
    "a",
    "b",
    "c",
    "z",
    "bank",
    "roll",
    "",
    "-1",
    "9" * 5000,
    "keep",
)
TYPED += (
    "115",
    "11532",
    "turn 450",
    "450",
    "bust",
    "take",
    "pass",
    "large",
    "\x00",
    "é",
    "1 1 5",
    "keep 1",
    "roll 11532",
    "66543",
)


@pytest.mark.cases(fast=7)
@pytest.mark.parametrize(
    "game", ["5000", "pig", "scarney", "battleship --rule rounds=2", "boston", "booby-trap", "hearts-due"]
)
@pytest.mark.parametrize("command", ["play", "coach", "play --dice mine"])
def test_every_typed_line_gets_an_answer(evening, game, command):
    words, _, more = command.partition(" ")
    answer = evening(f"{words} {game} {more}", *random.Random(game + command).choices(TYPED, k=60))
    assert answer.status == 0, answer.err
    assert answer.err == ""
    lines = [line for line in answer.out.splitlines() if "9" * 30 not in line and "   id " not in line]
    assert max(map(len, lines)) < 80


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("opponent", ["bets", "loses:0.5", "hold:x", "best:wins", "none.py:x"])
def test_refused_games_leave_no_file(evening, tmp_path, opponent):
    refused = evening(f"play pig --opponent {opponent}")
    assert (refused.status, refused.out) == (2, "")
    assert not list(tmp_path.glob("*.kw"))
    with pytest.raises(InputError):
        read_game_file(tmp_path / "pig.kw")


@contextmanager
def at_terminal(folder, *words):
    """A command at a terminal of its own: the end that a person sees, and its process."""
    outer, inner = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SHELL, *words],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=folder,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(inner)
    try:
        yield outer, process
    finally:
        process.kill()
        process.wait()
        os.close(outer)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_at_a_terminal(tmp_path):
    """The same where lines are edited: from the first prompt to Ctrl-C, and again to the end of input."""
    for last in (b"\x03", b"\x04"):
        with at_terminal(tmp_path, "play", "pig", "--seed", "3") as (outer, process):
            assert b"b  keep 5, roll 1 die" in until(outer, b"You> ")
            os.write(outer, b"b\n")
            assert b"You: keep 5, roll 1 die" in until(outer, b"You> ")
            assert b"\nsaved in pig" in until(outer, b"to resume", last)
            assert process.wait(30) == 0
    assert len(read_game_file(tmp_path / "pig-2.kw").written_steps) == 3


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.parametrize("answer", [b"yes", b"quit"])
def test_points_are_offered_where_the_own_question_takes_long(tmp_path, answer):
    """Farkle for three is solved in minutes: who does not want to wait has advice for points, or leaves."""
    with at_terminal(tmp_path, "coach", "farkle", "--players", "3") as (outer, process):
        until(outer, b"What did you get?")
        os.write(outer, b"1 1 2 3 5 5\n")
        assert b"Advice for win must be solved first: about" in until(outer, b"yes or no>")
        os.write(outer, b"perhaps\n")
        assert b"type yes or no, not perhaps" in until(outer, b"yes or no>")
        os.write(outer, answer + b"\n")
        said = until(outer, b"to resume", b"\x04" if answer == b"yes" else b"")
        assert (b"Advice is for the objective points" in said) == (answer == b"yes")
        assert process.wait(30) == 0


def until(terminal, what, key=b""):
    """What the terminal shows up to some words, once a key is pressed: three times if need be.

    An interrupt between the prompt and the wait for a key is seen by CPython's readline with the next key only.
    """
    import select

    seen = b""
    presses = 3
    os.write(terminal, key)
    while what not in seen:
        while not select.select([terminal], [], [], 10)[0]:
            presses -= 1
            assert presses, seen
            os.write(terminal, key)
        seen += os.read(terminal, 1000)
    return seen


CHOICES_IN_PLAIN_WORDS = {  # what people type at the table -> the game, its position and the choice that is meant
    "keep 1 and roll": ("5000", "11532", "keep 1, roll 4 dice"),
    "keep the 1 and roll": ("5000", "11532", "keep 1, roll 4 dice"),
    "keep the three ones and roll": ("5000", "11132", "keep 1 1 1, roll 2 dice"),
    "keep three ones and roll again": ("5000", "11132", "keep 1 1 1, roll 2 dice"),
    "keep 1s and roll": ("5000", "11532", "keep 1 1, roll 3 dice"),
    "keep ones, roll the rest": ("5000", "11532", "keep 1 1, roll 3 dice"),
    "keep all the ones and roll": ("5000", "11153", "keep 1 1 1, roll 2 dice"),
    "keep the pair of sixes": ("yahtzee", "11566", "keep 6 6, roll 3 dice"),
    "keep all fives": ("yahtzee", "55521", "keep 5 5 5, roll 2 dice"),
    "keep 5s": ("yahtzee", "55521", "keep 5 5 5, roll 2 dice"),
    "keep the fives": ("yahtzee", "55521", "keep 5 5 5, roll 2 dice"),
    "keep it all": ("yahtzee", "55521", "keep all: 1 2 5 5 5"),
    "keep everything": ("yahtzee", "55521", "keep all: 1 2 5 5 5"),
    "keep nothing": ("yahtzee", "55521", "roll all 5 dice again"),
    "roll everything again": ("yahtzee", "55521", "roll all 5 dice again"),
    "keep one 1 and roll": ("5000", "11532", "keep 1, roll 4 dice"),
    "keep all and roll": ("5000", "11532", "keep 1 1 5, roll 2 dice"),
    "bank it": ("5000", "11153", "keep 1 1 1 5, bank 1,050"),
    "bank everything": ("5000", "11153", "keep 1 1 1 5, bank 1,050"),
    "stop": ("5000", "11153", "keep 1 1 1 5, bank 1,050"),
    "hold": ("farkle", "111533", "keep 1 1 1 5, bank 1,050"),
}


@pytest.mark.parametrize("text", CHOICES_IN_PLAIN_WORDS)
def test_filler_words_and_plurals_are_understood(text):
    name, roll, action = CHOICES_IN_PLAIN_WORDS[text]
    playable = kw.playable(kw.game(name), objective="points")
    position = playable.position(roll=roll)
    assert parse_choice(playable, position, text, ChoiceLetters(playable)).action == action


@pytest.mark.parametrize("text", ["farkle", "farkled", "busted", "nothing", "bust", "0"])
def test_a_bust_has_many_words(evening, text):
    out = evening("coach zilch --seat You --seat Ann --judge points", "111536", "bank", text, "quit").out
    assert f"Ann's turn: {text if text in ('bust', '0', 'nothing') else 'bust'}".replace("nothing", "bust") in out


@pytest.mark.parametrize("text", ["450 points", "450 pts", "bank 450", "450 points please", "450"])
def test_points_of_a_turn_may_have_a_word(evening, text):
    out = evening("coach zilch --seat You --seat Ann --judge points", "111536", "bank it", text, "quit").out
    assert re.search(r"\nAnn's turn: (bank )?450", out)


def test_a_result_at_another_seats_first_prompt_is_a_whole_turn(evening):
    words = "coach zilch --seat You --seat Ann=person --judge points"
    assert "Ann's turn: 450" in evening(words, "111536", "bank", "450 points", "quit").out
    assert "Your turn: 450" not in evening(words, "450", "quit").out


def test_an_impossible_own_result_is_refused_with_its_reason(evening):
    out = evening("coach 5000 --judge points", "450 points", "600 points", "quit").out
    assert "  450 points are too few to bank: the minimum is 500; for no points, type bust\n" in out
    assert "Your turn: 600" in out


@pytest.mark.parametrize(
    ("game", "present", "absent"),
    [
        ("pig", ["  1 ", "turn RESULT", "reach POINTS N"], ["keep these dice", "take the choice", "card "]),
        ("booby-trap", ["a    ", "WORDS     "], ["keep these dice", "came up", "card "]),
        ("yahtzee", ["  11532 ", "card  "], ["take the choice"]),
    ],
)
def test_help_lists_the_entries_of_the_game(game, present, absent, evening):
    out = evening(f"coach {game}", "help", "quit").out
    assert all(words in out for words in present)
    assert not any(words in out for words in absent)


def test_a_whole_turn_after_its_first_roll_names_the_way_back(evening):
    out = evening("coach yahtzee", "11532", "keep 1 1", "turn sixes 18", "quit").out
    late = "a whole turn, which can only be entered before its first roll: type undo 2, then turn sixes 18"
    assert late in " ".join(out.split())


def test_undo_needs_a_number_from_1_on(evening):
    out = evening("coach pig", "5", "undo -1", "undo x", "quit").out
    assert "the number after undo must be at least 1, not -1; type undo for the last" in out
    assert "the number after undo must be a whole number, not 'x'; type undo for the last" in out


def test_a_game_won_at_once_by_an_entry_ends_without_a_review(evening):
    command = "play generala --players 2 --judge points --seed 1 --dice mine --opponent best:points"
    ended = evening(command, "11111", "keep all", "enter 50 in generala and win")
    assert "No review of You: enter 50 in generala and win cannot be reviewed for points.\n" in ended.out
    assert not ended.err


def one_line(played):
    """Return what was printed as one line."""
    return " ".join(played.out.split())


def test_a_word_like_no_shortens_no_word_of_a_choice(evening):
    """Otherwise *no* would stop and score nothing."""
    out = one_line(evening("coach 5000", "11532", "no", "not now", "quit"))
    assert "no is not a choice here; choose from:" in out
    assert "not now is not a choice here; choose from:" in out


@pytest.mark.parametrize("entry", ["take b", "keep b", "option b", "choose b", "pick (b)"])
def test_the_letter_of_a_choice_may_follow_a_verb(evening, entry):
    assert "You: keep 5, roll 4 dice" in one_line(evening("coach 5000", "11532", entry, "quit"))


def test_a_letter_after_a_verb_must_be_on_the_screen(evening):
    assert "z is not the letter of a choice here;" in one_line(evening("coach 5000", "11532", "take z", "quit"))


@pytest.mark.parametrize(
    ("game", "roll", "entry", "choice"),
    [
        ("yahtzee", "22356", "reroll 356", "keep 2 2, roll 3 dice"),
        ("yahtzee", "22356", "roll the 3, 5 and 6", "keep 2 2, roll 3 dice"),
        ("yahtzee", "22356", "reroll the twos", "keep 3 5 6, roll 2 dice"),
        ("yahtzee", "22356", "roll the 6 again", "keep 2 2 3 5, roll 1 die"),
        ("5000", "11532", "roll the 2 and the 3", "keep 1 1 5, roll 2 dice"),
        ("battleship", "65421", "reroll the 1", "keep the 2, roll the 1 again"),
        ("battleship", "65421", "roll 2 and 1", "roll both crew dice again"),
    ],
)
def test_a_choice_may_be_named_by_the_dice_that_are_rolled(evening, game, roll, entry, choice):
    assert f"You: {choice}" in one_line(evening(f"coach {game}", roll, entry, "quit"))


def test_one_die_without_the_is_a_number_of_dice(evening):
    assert "roll 3 fits several choices:" in one_line(evening("coach yahtzee", "22356", "roll 3", "quit"))


def test_score_with_more_words_is_an_entry(evening):
    for entry in ("score twos", "score 4 in twos", "put 4 in twos", "2s"):
        assert "You: enter 4 in twos" in one_line(evening("coach yahtzee", "22144", "keep all", entry, "quit")), entry
    assert "You: stop and score 3" in one_line(evening("coach battleship", "65421", "stop at 3", "quit"))
    assert "You: stop and score 3" in one_line(evening("coach battleship", "65421", "score 3", "quit"))
    assert "-- You 0, Opponent 500; You to move" in one_line(evening("coach 5000", "bust", "score 500", "quit"))


def test_a_choice_before_its_roll_is_missing_says_how_to_go_back(evening):
    out = one_line(evening("coach 5000", "11532", "keep 1", "bank", "roll all", "roll again", "quit"))
    assert "'bank' is a choice, but the roll before it is missing;" in out
    assert "such as 1153; to choose again, type undo" in out
    assert out.count("roll needs the dice; type the dice that came up, such as 1153, or help") == 2
    out = one_line(evening("coach battleship", "66532", "stop", "quit"))
    assert "the roll before it is missing; type the dice that came up, such as 115; or undo" in out


def test_dice_before_the_choice_are_entered_after_it(evening):
    out = one_line(evening("coach scarney", "13466", "quit"))
    assert "choose first, then type 13466; choose from: (a) double down with 5 dice; (b) roll 5 dice;" in out
    assert "choose first, then type held; choose from:" in one_line(
        evening("coach booby-trap", "large", "loose", "held")
    )


def test_the_right_die_in_place_of_one_can_be_entered(evening):
    out = one_line(evening("coach pig", "5", "6", "quit"))
    assert "this roll, 5, has no 6; choose from:" in out
    assert "if you rolled something else: undo, or fix 1 6" in out
    out = one_line(evening("coach 5000", "11153", "keep 111", "quit"))
    assert "keep 111 fits several choices:" in out
    assert "if you rolled something else" not in out


def test_an_impossible_result_of_ones_own_turn_is_said_so(evening):
    for entry in ("turn 450", "banked 450", "I banked 450"):
        out = one_line(evening("coach 5000", entry, "quit"))
        assert "450 points are too few to bank: the minimum is 500; for no points, type bust You: roll" in out, entry


def test_the_example_of_fix_has_its_dice_joined(evening):
    assert "such as fix 1 11235; events" in one_line(evening("coach 5000", "11532", "fix 11533", "quit"))


def test_why_not_explains_a_choice(evening):
    for entry in ("why not c", "why not keep 1 1"):
        assert "Keep 1 1, roll 3 dice: this busts" in one_line(evening("coach 5000", "11532", entry, "quit")), entry


@pytest.mark.parametrize(
    ("game", "entry"),
    [
        ("pig", "held at 20"),
        ("pig", "he stopped at 20"),
        ("pig", "hold 20"),
        ("pig", "score 20"),
        ("pig", "Bob 20"),
        ("pig", "Bob: 20"),
        ("pig", "Bob held at 20"),
    ],
)
def test_a_turn_of_the_opponent_in_the_words_of_the_table(evening, game, entry):
    out = one_line(evening(f"coach {game}", "bust", entry, "quit"))
    assert "-- You 0, Opponent 20; You to move" in out


def test_words_before_what_oneself_did_are_no_name(evening):
    out = one_line(evening("coach 5000", "bust", "actually I banked 1000", "quit"))
    assert "points must be a whole number, not 'actually banked 1000';" in out
    out = one_line(evening("coach battleship", "66532", "keep 6", "quit"))
    assert "'keep 6' is a choice, but the roll before it is missing;" in out


@pytest.mark.parametrize(
    ("entry", "score"),
    [
        ("scratched ones", 0),
        ("he crossed out yahtzee", 0),
        ("0 in fours", 0),
        ("25 in full house", 25),
        ("he scored 25 in full house", 25),
        ("Bob full house 25", 25),
    ],
)
def test_a_box_of_the_opponent_in_the_words_of_the_table(evening, entry, score):
    out = one_line(evening("coach yahtzee --players 2", "turn twos 4", entry, "quit"))
    assert f"-- You 4, Opponent {score}; turn 2 of 13; You to move" in out


def test_two_boxes_are_asked_for_and_may_be_joined_by_and(evening):
    out = one_line(evening("coach double-cameroon", "turn fives 5, sixes 6", "fives 5 and sixes 6", "quit"))
    assert "Opponent's turn: which boxes did they fill, and with how many points? fives 5 and sixes 6" in out
    assert "-- You 11, Opponent 11; turn 2 of 5; You to move" in out


def test_a_remedy_is_not_followed_by_other_remedies(evening):
    out = one_line(evening("coach yahtzee --players 2", "turn twos 4", "ones 6", "full house", "quit"))
    assert "ones cannot score 6 in this turn; check the points, or type the dice; help lists what you can type" in out
    assert "the points are missing; add them, such as full house 25; help lists what you can type" in out


def test_help_says_what_answers_a_question(evening):
    out = one_line(
        evening("coach booby-trap", "large", "help", "it feels loose", "take", "help", "the bar holds", "quit")
    )
    assert "ANSWER loose, springy or tight" in out
    assert "ANSWER yes or no" in out
    assert "-- You 3, Opponent 0;" in out


@pytest.mark.parametrize(("answer", "score"), [("y", -3), ("yes", -3), ("the bar tripped", -3), ("n", 3), ("holds", 3)])
def test_whether_the_bar_trips_is_answered_in_short(evening, answer, score):
    assert f"-- You {score}, Opponent 0;" in one_line(
        evening("coach booby-trap", "large", "loose", "take", answer, "quit")
    )


def test_a_piece_that_was_taken_and_held(evening):
    for entry in ("took a large one", "large held", "a large one, and the bar held"):
        out = one_line(evening("coach booby-trap", "turn pass", entry, "quit"))
        assert "-- You 0, Opponent 3;" in out, entry


def test_dead_dice_are_typed_as_a_word(evening):
    out = one_line(evening("coach scarney", "roll", "help", "1 3 4 dead dead", "quit"))
    assert "You: 1 3 4 d d" in out
    assert "146dd the dice that came up" in out


def test_the_rest_is_rolled_only_with_dice_kept(evening):
    out = one_line(evening("coach yahtzee", "22356", "roll the rest", "quit"))
    assert "roll the rest fits several choices: (a) keep 2 2, roll 3 dice;" in out
    assert "You: keep 2 2, roll 3 dice" in one_line(evening("coach yahtzee", "22356", "keep twos, reroll the rest"))
    assert "You: keep 2 2 2, roll 2 dice" in one_line(evening("coach 5000", "22234", "roll the rest", "quit"))
    for entry in ("reroll all", "reroll everything"):
        assert "You: roll all 5 dice again" in one_line(evening("coach yahtzee", "22356", entry, "quit")), entry


def test_an_example_of_named_dice_counts_them(evening):
    out = one_line(evening("coach toss-up", "help", "6 green 2 yellow 2 red", "quit"))
    assert "the dice that came up, such as 6 green 2 yellow 2 red; your choice" in out
    assert "You: 6 green 2 yellow 2 red" in out


def test_fix_may_name_the_player_of_the_event(evening):
    for entry in ("fix 3 Ann: turn 550", "fix 3 ann 550"):
        out = one_line(evening("coach 5000 --seat Tom --seat Ann", "bust", "500", entry, "quit"))
        assert "corrected event 3: Ann: turn 550" in out, entry


def test_the_hint_for_the_turn_of_another_is_the_result_alone(evening):
    out = one_line(evening("coach 5000 --seat Tom --seat Ann --seat Bo", "bust", "Bo got 500", "Bo busted", "quit"))
    assert "for Ann's turn, type 500 " in out
    assert "for Ann's turn, type bust " in out


@pytest.mark.parametrize(
    ("game", "roll", "entry", "choice"),
    [
        ("5000", "11532", "I'll keep the ones", "keep 1 1, roll 3 dice"),
        ("5000", "11532", "I want to keep just one 1", "keep 1, roll 4 dice"),
        ("5000", "11532", "let's keep only the 1s", "keep 1 1, roll 3 dice"),
        ("5000", "11532", "keep one of the ones", "keep 1, roll 4 dice"),
        ("5000", "11532", "set aside 1 1", "keep 1 1, roll 3 dice"),
        ("5000", "11532", "hold 1 1", "keep 1 1, roll 3 dice"),
        ("5000", "11532", "save the ones", "keep 1 1, roll 3 dice"),
        ("5000", "11532", "keep 1 + 5", "keep 1 5, roll 3 dice"),
        ("5000", "11153", "keep 3 1s and bank", "keep 1 1 1, bank 1,000"),
        ("5000", "11153", "bank 1 1 1", "keep 1 1 1, bank 1,000"),
        ("5000", "11153", "bank three ones", "keep 1 1 1, bank 1,000"),
        ("5000", "11153", "I'd like to bank", "keep 1 1 1 5, bank 1,050"),
        ("5000", "11153", "1050 points", "keep 1 1 1 5, bank 1,050"),
        ("5000", "11153", "take the 1050", "keep 1 1 1 5, bank 1,050"),
        ("5000", "11153", "end my turn", "keep 1 1 1 5, bank 1,050"),
        ("pig", "5", "hold at 5", "keep 5, bank 5"),
        ("pig", "5", "done", "keep 5, bank 5"),
        ("yahtzee", "22356", "hold 22", "keep 2 2, roll 3 dice"),
        ("yahtzee", "22356", "take 2 2", "keep 2 2, roll 3 dice"),
        ("battleship", "65421", "stay", "stop and score 3"),
    ],
)
def test_choices_in_the_words_of_the_table(evening, game, roll, entry, choice):
    assert f"You: {choice}" in one_line(evening(f"coach {game}", roll, entry, "quit"))


def test_the_end_of_a_turn_in_other_words_is_refused_as_a_bank(evening):
    out = one_line(evening("coach 5000", "11532", "end turn", "hold 3", "quit"))
    assert "a bank needs at least 500 points; stop ends the turn with nothing; choose from:" in out
    assert "3 scores nothing in this roll; choose from:" in out
    out = one_line(evening("coach yahtzee", "22356", "done", "enter 4 in twos", "keep all", "done", "quit"))
    assert out.count("boxes are filled after the last roll; to stop rolling, first type keep all") == 2
    assert "done is not a choice here; choose from: (a) enter 4 in twos;" in out


def test_save_with_the_name_of_a_file_saves(evening, tmp_path):
    assert "wrote copy.kw" in one_line(evening("coach pig", "5", "save copy.kw", "quit"))
    assert (tmp_path / "copy.kw").exists()


def test_a_question_after_a_roll_enters_the_roll(evening):
    for entry in ("11532 what now?", "11532, what should I keep?", "11532?"):
        assert "You: 1 1 2 3 5 turn 0" in one_line(evening("coach 5000", entry, "quit")), entry
    for entry in ("1 more?", "5 or 6?", "what now?"):
        out = one_line(evening("coach pig", entry, "quit"))
        assert "Roll the dice first: there is nothing to decide yet." in out, entry


def test_a_question_makes_no_choice(evening):
    for entry in ("a?", "bank?", "keep 1 1 1 5?"):
        out = one_line(evening("coach 5000", "11153", entry, "quit"))
        assert out.count("a keep 1 1 1 5, bank 1,050: 70.6% to win, best") == 2, entry
        assert "to move Opponent's turn:" not in out, entry


def test_what_is_asked_for_is_shown(evening):
    for entry in ("what's the score?", "show score", "show me the score", "print the score"):
        assert one_line(evening("coach pig", entry, "quit")).count("-- You 0, Opponent 0; You to move") == 2, entry
    assert "there are no events yet" in one_line(evening("coach pig", "show events", "quit"))


@pytest.mark.parametrize(
    ("game", "own", "entry", "scores"),
    [
        ("battleship", "turn 5", "no ship", "You 5, Opponent 0;"),
        ("battleship", "turn 5", "he missed", "You 5, Opponent 0;"),
        ("hearts-due", "turn 15", "no points", "You 15, Opponent 0;"),
        ("hearts-due", "turn 15", "wiped out", "You 15, Opponent 0;"),
        ("scarney", "turn 20", "he crapped out", "You 20, Opponent 0;"),
        ("scarney", "turn 20", "he entered 25", "You 20, Opponent 25;"),
        ("booby-trap", "turn pass", "tripped on a large one", "You 0, Opponent -3;"),
        ("booby-trap", "turn pass", "he felt a small piece, then passed", "20 small; You to move"),
        ("yahtzee --players 2", "turn twos 4", "3 of a kind 17", "You 4, Opponent 17;"),
        ("yahtzee --players 2", "turn twos 4", "chance, 22", "You 4, Opponent 22;"),
        ("yahtzee --players 2", "turn twos 4", "chance = 22", "You 4, Opponent 22;"),
    ],
)
def test_results_of_the_opponent_in_the_words_of_the_table(evening, game, own, entry, scores):
    assert scores in one_line(evening(f"coach {game}", own, entry, "quit"))


def test_results_that_end_the_game_in_the_words_of_the_table(evening):
    for entry in ("he won", "big scarney"):
        assert "Opponent wins." in one_line(evening("coach scarney", "turn 20", entry)), entry
    for entry in ("his total was 15", "a total of 15"):
        assert "Opponent wins." in one_line(evening("coach boston", "turn 12", entry)), entry


def test_points_of_a_piece_are_not_the_number_of_a_choice(evening):
    for entry in ("3", "3 points"):
        out = one_line(evening("coach booby-trap", "turn pass", entry, "quit"))
        assert "is not the result of a turn; type pass, a size (large, medium or small)" in out, entry


def test_roll_alone_is_not_the_roll_of_all_dice(evening):
    for entry in ("roll", "roll again", "reroll"):
        out = one_line(evening("coach yahtzee", "22236", entry, "quit"))
        assert f"{entry} fits several choices: (a) keep 2 2 2, roll 2 dice;" in out, entry
    assert "You: roll both crew dice again" in one_line(evening("coach battleship", "65421", "roll", "quit"))
    assert "You: keep 5, roll 1 die" in one_line(evening("coach pig", "5", "roll", "quit"))


def test_an_engine_whose_dice_are_typed_chooses_for_itself(evening):
    out = one_line(evening("play pig --dice mine --seed 1", "5", "bank", "?", "bank", "help", "quit"))
    assert "It is Engine's turn, so there is nothing for you to decide. Type the dice that came up, such as 1." in out
    assert "Engine chooses for itself; type the dice that came up, such as 1 " in out
    assert "1 the dice that came up turn RESULT" in out


@pytest.mark.parametrize("entry", ["undo that", "undo please", "undo my last roll", "undo the last one"])
def test_undo_with_words_takes_back_one_entry(evening, entry):
    out = one_line(evening("coach pig", "turn 20", "turn 5", entry, "quit"))
    assert out.count("undone: ") == 1, entry


def test_undo_counts_in_words_and_says_what_it_can_count(evening):
    out = one_line(evening("coach pig", "turn 20", "turn 5", "undo the last two", "quit"))
    assert "undone: turn 5 undone: turn 20" in out
    out = one_line(evening("coach pig", "turn 20", "undo last turn", "quit"))
    assert "must be a whole number, not 'turn'; type undo for the last entry, or undo 3 for the last 3" in out


@pytest.mark.parametrize("entry", ["fix 1 to 25", "fix 1: 25", "fix 1 = 25", "fix event 1 25", "fix #1 25"])
def test_fix_in_other_forms(evening, entry):
    assert "corrected event 1: You: turn 25" in one_line(evening("coach pig", "turn 20", entry, "quit"))


@pytest.mark.parametrize("entry", ["why b?", "why is b worse?", "why not b", "why isn't b better"])
def test_why_in_other_forms_explains_a_choice(evening, entry):
    assert "Keep 5, bank 5: this leaves" in one_line(evening("coach pig", "5", entry, "quit"))


def test_why_that_explains_the_best_choice(evening):
    for entry in ("why that?", "why not?", "why?"):
        assert "Keep 5, roll 1 die: this busts 16.7%" in one_line(evening("coach pig", "5", entry, "quit")), entry


def test_commands_with_more_words_or_a_full_stop(evening, tmp_path):
    for entry in ("score please", "score now", "score."):
        out = one_line(evening("coach 5000", "11532", entry, "quit"))
        assert out.count("-- You 0, Opponent 0; You to move") == 2, entry
        assert "stop and score nothing" not in out, entry
    assert "2,000 points in 2 turns:" in one_line(evening("coach 5000", "reach 2000 points in 2 turns", "quit"))
    assert "wrote copy.kw" in one_line(evening("coach pig", "save as copy.kw", "quit."))
    assert (tmp_path / "copy.kw").exists()


def test_a_box_before_the_last_roll_means_its_dice(evening):
    for entry in ("twos", "hold the twos", "hold 22"):
        assert "You: keep 2 2, roll 3 dice" in one_line(evening("coach yahtzee", "22356", entry, "quit")), entry


def test_the_score_of_a_game_that_is_over_is_its_score_sheet(evening):
    out = one_line(evening("coach 5000 --players 1", "turn 500", "score"))
    assert out.endswith("fix> score -- the game is over turn You 1 500 Press Enter to finish, or type undo or fix>")
    out = one_line(evening("coach pig", "turn 20", "turn 100", "score"))
    assert "-- You 20, Opponent 100; the game is over turn You Opponent" in out


def test_both_alone_is_no_die(evening):
    out = one_line(evening("coach farkle", "112346", "keep both", "keep both ones and roll", "quit"))
    assert "keep both is not a choice here; choose from:" in out
    assert "You: keep 1 1, roll 4 dice" in out
