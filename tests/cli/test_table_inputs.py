"""What people type at a table: the inputs of an evening, and what the game file then says."""

from __future__ import annotations

import io

import pytest

import keepwise as kw
from keepwise.play.game_file import GameFile, SeatedPlayer, read_game_file
from keepwise.play.input_parser import find_bust, parse_roll, turn_readings

ROLL = "111325"  # Farkle: three ones and a five, all six dice fresh
PLAY = "play 5000 --opponent best --seed 3"
CARDS = "coach yahtzee --players 2"
KEPT = "You: keep 1, roll 5 dice"


@pytest.fixture
def evening(run, monkeypatch, tmp_path):
    """Run a command with these lines typed, in a folder of its own; return its output and the lines of the game."""
    monkeypatch.chdir(tmp_path)

    def call(command, *lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in (*lines, "quit"))))
        seen = run(f"{command} -o evening.kw")
        assert seen.status == 0, seen.err
        return " ".join(seen.out.split()), (tmp_path / "evening.kw").read_text().partition("\n\n")[2].splitlines()

    return call


@pytest.mark.parametrize(
    ("command", "typed", "recorded"),
    [
        ("coach farkle", (ROLL, "keep 1 and roll"), [KEPT]),
        ("coach farkle", (ROLL, "keep 1 and roll again"), [KEPT]),
        ("coach farkle", (ROLL, "bank it"), ["You: keep 1 1 1 5, bank 1,050"]),
        ("coach farkle", (ROLL, "keep the three ones and roll"), ["You: keep 1 1 1, roll 3 dice"]),
        ("coach farkle", (ROLL, "keep 5s and roll"), ["You: keep 5, roll 5 dice"]),
        ("coach farkle", (ROLL, "bank", "farkle"), ["You: keep 1 1 1 5, bank 1,050", "Opponent: turn bust"]),
        ("coach farkle", (ROLL, "bank", "I farkled"), ["You: keep 1 1 1 5, bank 1,050", "Opponent: turn bust"]),
        ("coach farkle", (ROLL, "bank", "nothing"), ["You: keep 1 1 1 5, bank 1,050", "Opponent: turn bust"]),
        ("coach farkle", (ROLL, "bank", "450 points"), ["You: keep 1 1 1 5, bank 1,050", "Opponent: turn 450"]),
        ("coach farkle", (ROLL, "bank", "banked 450"), ["You: keep 1 1 1 5, bank 1,050", "Opponent: turn 450"]),
        ("coach farkle", (ROLL, "bank", "450pts"), ["You: keep 1 1 1 5, bank 1,050", "Opponent: turn 450"]),
        ("coach farkle", (ROLL, "keep 1 and roll", "farkle"), [KEPT, "You: bust"]),
        ("coach farkle", ("farkled",), ["You: bust"]),
        ("coach farkle", ("450 points",), ["You: turn 450"]),
        ("coach farkle --seat You --seat Ann=person", ("0 points", "450"), ["You: turn 0", "Ann: turn 450"]),
        (PLAY, ("keep the three twos and roll",), ["You: keep 2 2 2, roll 2 dice", "You: 4 5"]),
        (PLAY, ("roll again",), ["You: keep 2 2 2, roll 2 dice", "You: 4 5"]),
        ("coach 5000", ("55523, bank 500",), ["You: 2 3 5 5 5", "You: keep 5 5 5, bank 500"]),
        ("coach 5000", ("55523,bank",), ["You: 2 3 5 5 5", "You: keep 5 5 5, bank 500"]),
        ("coach 5000", ("5 5 5 2 3 and then bank it",), ["You: 2 3 5 5 5", "You: keep 5 5 5, bank 500"]),
        ("coach 5000", ("roll 55523: keep 5",), ["You: 2 3 5 5 5", "You: keep 5, roll 4 dice"]),
        ("coach 5000", ("55523, bank", "55523, bank"), ["Opponent: 2 3 5 5 5", "Opponent: keep 5 5 5, bank 500"]),
        ("coach 5000", ("22346, bust",), ["You: 2 2 3 4 6"]),
        ("play 5000 --dice mine", ("55523, bank",), ["You: 2 3 5 5 5", "You: keep 5 5 5, bank 500"]),
        ("coach pig", ("5, hold",), ["You: 5", "You: keep 5, bank 5"]),
        ("coach yahtzee", ("66611, keep the 6s",), ["You: 1 1 6 6 6", "You: keep 6 6 6, roll 2 dice"]),
        ("coach toss-up", ("5 green 3 yellow 2 red, bank",), ["You: keep 5 green, bank 5"]),
        ("coach battleship", ("66543", "settle", "8 pts"), ["You: stop and score 9", "Opponent: turn 8"]),
        ("coach yahtzee", ("66611", "keep the 6s"), ["You: keep 6 6 6, roll 2 dice"]),
        ("coach yahtzee", ("66666", "keep everything"), ["You: keep all: 6 6 6 6 6"]),
        (CARDS, ("full house 25", "yahtzee 50"), ["You: turn full house 25", "Opponent: turn yahtzee 50"]),
    ],
)  # fmt: skip
def test_typed_lines_are_recorded_in_the_file(evening, tmp_path, command, typed, recorded):
    """The last lines of the file; and the file can be read."""
    _, lines = evening(f"{command} --silent", *typed)
    events = [line for line in lines if not line.startswith("#")]
    assert events[-len(recorded) :] == recorded
    assert read_game_file(tmp_path / "evening.kw").to_text().partition("\n\n")[2].splitlines() == events


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("450",), "no die has the face '0'"),  # a number alone may be a roll with dice missing
        (("113",), "expected 6 dice, got 3: 113"),
        (("1113255, bank",), "expected 6 dice, got 7: 1113255; type the dice that came up"),
        (("111325, 1",), "expected 6 dice, got 7: 111325, 1"),  # more likely a die too many than a choice
        (("111325, keep 4",), "You> keep 4 this roll, 1 1 1 2 3 5, has no 4; choose from: "),
        (("223446, bank 300",), "bank 300 was not entered: after this roll there is nothing to choose"),
        (("?",), "Roll the dice first: there is nothing to decide yet. Type the roll, or the roll and your choice."),
        ((ROLL, "1"), "1 fits several choices: "),  # a digit is a die, never the number of a line
        ((ROLL, "farkle"), "farkle is the result of a whole turn, which can only be entered before its first roll"),
        ((ROLL, "bank", "8 pts"), "the points of a turn must be a multiple of 50 in this game, not 8"),
        ((ROLL, "bank", "some"), "points must be a whole number, not 'some'"),
        (
            (ROLL, "keep 1 and roll", "450 points"),
            "type undo 2, then turn 450; to go on, type the dice",
        ),
    ],
)
def test_ambiguous_input_is_refused_with_the_reason(evening, typed, said):
    seen, _ = evening("coach farkle --silent", *typed)
    assert said in seen


def test_a_bust_without_its_dice(evening, run, tmp_path):
    """It is worth what any bust is worth, can be taken back, fixed and reviewed, and is said once."""
    seen, lines = evening("coach pig", "5", "roll", "farkle", "20", "events", "fix 3 1", "undo 2", "redo")
    assert seen.count("You: bust: the turn ends without points") == 2  # when typed, and by redo
    assert "3 You: bust" in seen
    assert lines[-5:] == ["You: 1", "Opponent: turn 20", "undo", "undo", "You: 1"]
    playable = kw.playable("pig", 2)
    before = playable.position(turn=20, dice=1)
    assert find_bust(playable, before, "farkle") == parse_roll(playable, before, "1")
    for word in ("6", "bank", ""):
        assert find_bust(playable, before, word) is None
    card = kw.playable("yahtzee", objective="points")
    assert find_bust(card, card.start(), "farkle") is None
    game = GameFile(playable, (SeatedPlayer("Ann"), SeatedPlayer("Bob")), "mine")
    for line in ("5", "roll", "bust"):
        game.play_line(line)
    exact = GameFile(playable, game.seats, "mine")
    for line in ("5", "roll", "1"):
        exact.play_line(line)
    assert game.position == exact.position
    (tmp_path / "bust.kw").write_text(game.to_text())
    (tmp_path / "exact.kw").write_text(exact.to_text())
    luck = [run(f"review {name}.kw").out.partition("Luck")[0] for name in ("bust", "exact")]
    assert luck[0].replace("bust.kw", "") == luck[1].replace("exact.kw", "")


def test_words_of_a_turn():
    assert turn_readings("450pts") == ["450pts", "450"]
    assert turn_readings("I banked 450 points") == ["I banked 450 points", "450"]
    assert turn_readings("sixes 18") == ["sixes 18"]
    assert turn_readings("we farkled") == ["we farkled"]
    assert turn_readings("the farkle") == ["the farkle", "farkle", "bust", "0"]


def test_your_rule_file_names_the_game_file(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sunday.toml").write_text('game = "farkle"\ntarget = 1000\n')
    for command in ("coach --rules sunday.toml", "coach ./sunday.toml", "coach farkle"):
        monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
        assert run(command).status == 0
    assert sorted(path.name for path in tmp_path.glob("*.kw")) == ["farkle.kw", "sunday-2.kw", "sunday.kw"]


def test_only_the_first_seat_is_you_in_coach(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    run("coach farkle --seat Me --seat Ann --seat Bob=person -o three.kw --players 3 --rule target=1000")
    assert [seat.player for seat in read_game_file(tmp_path / "three.kw").seats] == ["person", "table", "person"]


@pytest.mark.parametrize("words", ["weak", "Ann", "hold:300"])
def test_another_player_is_no_choice_to_compare_with(run, words):
    seen = run("advise", "5000", "--roll", "11532", "--turn", "500", "--why", "--against", words)
    assert seen.status == 2
    assert (
        f"--against takes a choice of this position: {words} is not a choice here; choose from: keep 1 1 5, bank 750; "
        in seen.err
    )
    assert "for a policy or another player use keepwise evaluate" in seen.err


def test_digits_are_dice_for_against(run):
    """Also ``1``, which is never the number of a line."""
    seen = run("advise", "5000", "--roll", "11532", "--turn", "500", "--why", "--against", "1").err
    assert (
        "--against takes a choice of this position: keep 1 fits several choices: keep 1, bank 600; keep 1, roll 4 dice"
        in seen
    )
    said = run("advise", "5000", "--roll", "11532", "--turn", "500", "--why", "--against", "1 roll").out
    assert " Keep 1, roll 4 dice: " in " ".join(said.split())
    assert "did you mean --opponents-play?" in run("evaluate pig --policy hold:20 --against best").err
