"""Whatever people are shown fits a terminal of 80 columns, but for what is copied whole: ids and commands."""

from __future__ import annotations

import io
import random
import re
import shutil
import sys
from os import terminal_size

import click
import pytest
from random_games import played_at_random

import keepwise as kw
from keepwise.cli.commands import COMMANDS
from keepwise.games import FILES, RULE_FILES
from keepwise.play.input_parser import describe_roll, parse_roll

WHOLE = re.compile(r" *id |\$ |saved in ")  # how lines begin that are copied whole
FILED = sorted(path.stem for path in RULE_FILES.glob("*.toml"))
GAMES = [*FILES, *(name for name in FILED if name not in FILES)]
ODD = (
    "x", "0", "999", "-5", "1.5", "7 7 7", "keep", "line", "line 99", "keep 9 9", "bank seven", "fix", "undo x",
    "fix 1", "why nothing", "hello there", "turn", "[]", "⚀ ⚁ x", "turn what", "reach", "reach x", "save .",
)  # fmt: skip


@pytest.fixture
def seen(run, monkeypatch, tally):
    """Run a command on a terminal of 80 columns and return the lines it shows, except ids and commands."""
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *args, **options: terminal_size((80, 24)))
    monkeypatch.setenv("COLUMNS", "80")

    def lines(*words):
        for stream in (sys.stdout, sys.stderr):
            monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
        shown = run(*words)
        assert shown.status == 0, shown.err
        tally.add()
        return [line for line in f"{shown.out}\n{shown.err}".splitlines() if not WHOLE.match(line)]

    return lines


def named(game):
    return [game] if game in FILES else ["--rules", game]


@pytest.mark.parametrize("command", COMMANDS)
def test_help(seen, command):
    assert not [line for line in seen(command, "--help") if len(line) > 79]


@pytest.mark.cases(fast=4, slow=14)
@pytest.mark.parametrize(
    "command",
    [
        "evaluate battleship --policy source",
        "evaluate pig --policy hold:20",
        "simulate pig --games 20",
        "simulate multiplication --games 20",
        "value 5000 --objective turns",
        "quiz pig --count 2 --print --from hold:20",
        "quiz pig --count 2 --ask --from hold:20",
        "chart pig frontier",
        "chart 5000 thresholds",
        "chart 5000 keeps --roll 11532",
        "chart pig regions",
    ],
)
@pytest.mark.parametrize("columns", [40, 60])
def test_narrow_terminals(seen, command, columns, monkeypatch):
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *args, **options: terminal_size((columns, 24)))
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nquit\n"))
    assert not [line for line in seen(*command.split()) if len(click.unstyle(line)) >= columns]


@pytest.mark.cases(fast=6, slow=20)
@pytest.mark.parametrize("game", GAMES)
def test_rules(seen, game):
    assert not [line for line in seen("rules", *named(game)) if len(line) > 79]


@pytest.mark.cases(fast=6, slow=12)
@pytest.mark.parametrize("game", GAMES)
def test_a_game_in_which_odd_words_are_typed(seen, game, monkeypatch, tmp_path):
    """Between what is played at random stands something odd at each prompt."""
    monkeypatch.chdir(tmp_path)
    rules = kw.game(game) if game in FILES else kw.load_rules(game)
    rng, players = random.Random(game), 2 if "win" in rules.objectives else 1
    played = played_at_random(kw.playable(rules, players, objective="win" if players > 1 else "points"), 7, 12)
    typed = [
        one
        for step in played.written_steps
        for one in (rng.choice(ODD), describe_roll(played.playable, step.line_text))
    ]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join([*typed, "card", "events", "more", "quit"])))
    seats = [word for seat in played.seats for word in ("--seat", seat.name)]
    objective = ["--objective", played.playable.objective]
    lines = seen("play", *named(game), *seats, *objective, "--dice", "mine", "--silent", "-o", "game.kw")
    answered = tuple(f"? {words}" for words in typed)  # a prompt, and what somebody types after it
    assert not [line for line in lines if len(line) > 79 and not line.endswith(answered)]
    told = [line for line in (tmp_path / "game.kw").read_text().splitlines() if line.startswith(("Ann: ", "Bob: "))]
    assert told == [played.format_step(step) for step in played.written_steps]


@pytest.mark.slow
def test_help_shows_dice_that_can_come_up(seen, monkeypatch, tmp_path):
    """Of every game; where it shows none, it says so in words."""
    monkeypatch.chdir(tmp_path)
    shown = dict[str, str]()
    for game in GAMES:
        monkeypatch.setattr("sys.stdin", io.StringIO("help\nquit\n"))
        lines = seen("coach", *named(game), "-o", f"{game}.kw")
        for line in lines:
            if "the dice that came up" in line:
                shown[game] = line[2:18].rstrip()
        if shown.get(game, "DICE") != "DICE":
            rules = kw.game(game) if game in FILES else kw.load_rules(game)
            playable = kw.playable(rules, 2 if "win" in rules.objectives else 1)
            parse_roll(playable, playable.start(), shown[game])
    assert sum(example != "DICE" for example in shown.values()) > len(GAMES) // 2
    assert shown["martian-dice"] == "DICE"
    assert "booby-trap" not in shown
