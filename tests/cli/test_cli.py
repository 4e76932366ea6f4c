"""The command line: answers, JSON shapes, and one clear line for everything that cannot be."""

from __future__ import annotations

import io
import json
import os
import random
import select
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

import click
import numpy as np
import pytest

import keepwise as kw
from keepwise import api
from keepwise.cli import arguments, commands, progress
from keepwise.cli.commands import COMMANDS, cli
from keepwise.games import FILES, shipped_rule_files
from keepwise.games.names import ALIASES, MISSPELLINGS, SUMMARIES, fold_game_name, list_aliases
from keepwise.util import progress_reporting

POSITION = "--score 2000 --opponents 3500 --turn 300 --roll 11532"


def test_advise_in_words(run):
    answer = run(f"advise 5000 {POSITION}")
    assert answer.status == 0
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert "rules: default" in lines[0]
    assert lines[1].startswith("keep 1 1 5, bank 550: 18.3% to win")
    assert len(lines) == 2 + 2 + 10 + 1  # and the position's id


def test_advise_json(run):
    answer = json.loads(run(f"advise 5000 {POSITION} --json").out)
    api = kw.solve("5000", "win")
    assert answer["game"] == "5000"
    assert answer["objective"] == "win"
    assert answer["players"] == 2
    assert answer["rules"] == dict(api.game.rules)
    assert answer["fingerprint"] == api.fingerprint
    assert answer["engine"].startswith("keepwise ")
    assert answer["position"] == {
        "score": 2000,
        "opponents": [3500],
        "turn": 300,
        "dice": 5,
        "roll": ["1", "1", "2", "3", "5"],
    }
    advice = api.advise(score=2000, opponents=[3500], turn=300, roll=[1, 1, 5, 3, 2])
    assert answer["choices"] == [choice.as_json() for choice in advice.choices]
    losses = [choice["loss"] for choice in answer["choices"]]
    assert losses[0] == 0
    assert losses == sorted(losses)
    assert {"action", "keep", "points", "dice_left", "then", "value", "loss", "tie"} <= set(answer["choices"][0])


def test_value_json(run):
    answer = json.loads(run("value 5000 --score 2000 --opponents 3500 --json").out)
    assert answer["value"] == kw.solve("5000", "win").value(score=2000, opponents=[3500])
    assert answer["seats"] == [answer["value"], 1 - answer["value"]]
    assert 0 < answer["error_bound"] < 1e-9


@pytest.mark.parametrize("roll", ["11532", "1,1,5,3,2", "1 1 5 3 2", "1, 1, 5, 3, 2"])
def test_dice_read_in_every_natural_way(run, roll):
    answer = run("advise", "5000", "--turn", "300", "--roll", roll, "--json")
    assert json.loads(answer.out)["position"]["roll"] == ["1", "1", "2", "3", "5"]


def test_turns_cost_more_when_worse(run):
    answer = json.loads(run("advise 5000 --objective turns --score 2000 --turn 300 --roll 11532 --json").out)
    values = [choice["value"] for choice in answer["choices"]]
    assert values == sorted(values)
    assert [choice["loss"] for choice in answer["choices"]] == [value - values[0] for value in values]


def test_before_a_throw_bank_or_roll(run):
    answer = json.loads(run("advise 5000 --score 2000 --opponents 3500 --turn 550 --dice 2 --json").out)
    assert [choice["then"] for choice in answer["choices"]] == ["bank", "roll"]
    start = json.loads(run("advise 5000 --json").out)
    assert [choice["action"] for choice in start["choices"]] == ["roll 5 dice"]
    assert start["choices"][0]["value"] == pytest.approx(kw.solve("5000").value(), abs=1e-15)


def test_points_already_enough_to_win(run):
    answer = json.loads(run("advise 5000 --score 4500 --opponents 3500 --turn 1000 --dice 2 --json").out)
    assert answer["choices"][0]["then"] == "bank"
    assert answer["choices"][0]["value"] == 1.0


def test_rules_print_options_that_differ(run):
    answer = run("rules 5000 --rule minimum_on_win=false")
    assert "minimum_on_win = false   (default true)" in answer.out
    shape = json.loads(run("rules 5000 --json").out)
    assert shape["rules"]["finish"]["alternatives"][:2] == ["at_least", "exact"]
    assert "rules: minimum=250" in run("value 5000 --objective turns --rule minimum=250").out


def test_games_lists_all(run):
    out = run("games").out
    assert "5000             push     win*, points*, turns*, reach\n" in out
    assert all(len(line) < 80 for line in out.splitlines())
    assert "Also: ten-thousand, 10000" in out
    listed = {row["game"]: row for row in json.loads(run("games --json").out)["games"]}
    assert listed["5000"]["shipped"] == ["win", "points", "turns"]
    assert "mariner" in listed["battleship"]["aliases"]
    assert "zilch" in [row["name"] for row in json.loads(run("games --json").out)["rule files"]]


GAMES_BY_NAME = {  # what people call a game -> its id
    "zilch": "zilch",
    "Ship, Captain, Crew": "battleship",
    "mariner": "battleship",
    "ten-thousand": "dix-mille",
    "10,000": "dix-mille",
    "5,000": "5000",
    "KNIFFEL": "kniffel",
    "Toss Up!": "toss-up",
    "die böse Eins": "boese-eins",
    "Going to Boston": "boston",
}


@pytest.mark.parametrize("name", GAMES_BY_NAME)
def test_game_accepts_every_name(name):
    assert kw.game(name).id == GAMES_BY_NAME[name]


def test_no_name_means_two_games():
    names = [*FILES, *(name for name in shipped_rule_files() if name not in FILES)]
    assert {*ALIASES, *MISSPELLINGS} <= {*names}
    names += [alias for name in names for alias in (*list_aliases(name), *MISSPELLINGS.get(name, ()))]
    assert {*SUMMARIES} == {*FILES}
    assert len({*map(fold_game_name, names)}) == len(names)


def test_the_game_of_a_command_is_a_name_or_a_path(run, tmp_path):
    file = tmp_path / "saturday.toml"
    file.write_text('game = "pig"\ntarget = 30\n')
    by_option = run(f"value --rules {file}")
    assert by_option.status == 0
    assert run(f"value {file}").out == by_option.out
    assert kw.game(str(file)) == kw.game("pig", target=30)
    advice = "--objective points --roll 1 1 1 2 3 4 --rule stop.at_least=500"
    answer = run(f"advise zilch {advice}")
    assert answer.status == 0
    assert answer.out == run(f"advise --rules zilch {advice}").out


def test_the_id_of_a_position_names_a_rule_file(run):
    answer = json.loads(run("advise big-pig --objective points --turn 20 --json").out)
    assert json.loads(run(f"advise --position {answer['id']} --json").out)["choices"] == answer["choices"]


def test_rule_file(run, tmp_path):
    file = tmp_path / "ours.toml"
    file.write_text('game = "5000"\nminimum = 250\n')
    by_file = json.loads(run("value", "--rules", str(file), "--objective", "turns", "--json").out)
    by_rule = json.loads(run("value 5000 --rule minimum=250 --objective turns --json").out)
    assert by_file == by_rule
    file.write_text('game = "5000"\n\nminimun = 250\n')
    wrong = run("value", "--rules", str(file))
    assert wrong.status == 2
    hint = "A file that begins with game = ... may only set the options of that game"
    assert f"{file}:3: unknown rule 'minimun' of 5000; did you mean minimum? {hint}" in wrong.err
    file.write_bytes('title = "Würfel"\n'.encode("latin-1"))
    reason = "it is not UTF-8 text; save the file as UTF-8"
    assert f"cannot read {file}: {reason}" in run("value", "--rules", str(file)).err


def test_solve_writes_a_table_that_reads_back(run, tmp_path):
    file = tmp_path / "ours.npz"
    answer = run("solve", "pig", "--rule", "target=30", "-o", str(file))
    assert answer.status == 0
    api = kw.load(file)
    assert api.game.rules["target"] == 30
    assert api.value() == kw.solve(kw.game("pig", target=30)).value()
    with np.load(file, allow_pickle=False) as plain:
        assert set(plain.files) == {"head", "scores", "win"}


BAD = {
    "seven dice": ("advise 5000 --roll 1123456", "expected at most 5 dice, got 7"),
    "a face 7": ("advise 5000 --roll 11537", "no die has the face '7'"),
    "names without blanks": (
        "advise --rules pass-the-pigs --objective points --roll 12",
        "; separate the dice with spaces",
    ),
    "a face of two kinds": (
        "advise cosmic-wimpout --roll 5,10,sun,2,2",
        "it is not clear which face 5 means: write 5-white or 5-black",
    ),
    "no dice": ("advise 5000 --roll banana", "'banana' is not a roll"),
    "an empty roll": ("advise 5000 --roll ,", "empty"),
    "points that cannot be": ("advise 5000 --turn 50 --dice 1", "turn cannot be 50 before a roll of 1 of the 5 dice"),
    "points off the grain": ("advise 5000 --turn 75 --dice 3", "must be a multiple of 50"),
    "points off the grain, no dice": ("advise 5000 --turn 75", "--turn must be a multiple of 50"),
    "busts of an opponent": ("advise zilch --opponents-busts 9", "--opponents-busts must be at most 2"),
    "chips of too few": (
        "advise scarney --objective chips --rule double=chips --spent 3",
        "--spent: expected 2 numbers",
    ),
    "points without dice": ("advise 5000 --turn 300", "--turn 300 also requires --roll"),
    "points that no dice can have": ("advise --rules hog --turn 200", "no roll can follow with 200 turn points"),
    "a box of many": ("advise yahtzee --used three", "unknown name 'three'; did you mean threes or three of a kind?"),
    "dice that are none": ("advise 5000 --dice six", "dice must be a whole number, not 'six'"),
    "too many dice to throw": ("advise 5000 --turn 100 --dice 6", "dice must be between 1 and 5, not 6"),
    "dice that are no number": ("advise 5000 --roll 11532 --dice x", "must be a whole number, not 'x'"),
    "points beyond all": ("advise 5000 --turn 50000000000 --dice 3 --score 500", "must be at most"),
    "a total beyond all": (
        "value 5000 --rule finish=last_round --opponents 600000",
        "must be at most 500,000, not 600,000",
    ),
    "too few dice to begin with": ("advise 5000 --roll 1153", "a turn begins with 5 dice"),
    "a race too long": (
        "value --rules pig --rule target=100000",
        "(the limit is an hour or 8.0 GiB); add --anyway",
    ),
    "roll and dice apart": ("advise 5000 --roll 11532 --dice 3", "leave --dice out"),
    "score off the grain": ("value 5000 --score 525", "must be a multiple of 50"),
    "score below the opening": ("value 5000 --score 450", "at least 500"),
    "opponent below the opening": ("value 5000 --opponents 450", "at least 500"),
    "score past the target": ("value 5000 --score 5000", "must be below the target"),
    "score below 0": ("value 5000 --score -50", "score must be at least 0, not -50"),
    "score that is none": ("value 5000 --score many", "must be a whole number, not 'many'"),
    "two opponents": ("value 5000 --opponents 500,600", "opponents: expected 1 score for 2 players, got 2"),
    "unknown game": ("value 500", "did you mean 5000?"),
    "no game": ("value", "missing GAME"),
    "unknown objective": ("value 5000 --objective winn", "did you mean win?"),
    "unknown option": ("value 5000 --rule minimun=250", "did you mean minimum?"),
    "unknown value": ("value 5000 --rule finish=exactly", "did you mean exact?"),
    "no value": ("value 5000 --rule finish", "KEY=VALUE"),
    "a rule twice": ("value 5000 --rule opening=500 --rule opening=600", "--rule opening is given twice"),
    "no number": ("value 5000 --rule minimum=some", "must be a whole number, not 'some'"),
    "no truth": ("value 5000 --rule minimum_on_win=maybe", "must be true or false"),
    "rule off the grain": ("value 5000 --rule minimum=275", "multiple of 50"),
    "opening past the target": ("value 5000 --rule opening=6000", "must be at most the target of"),
    "contradiction": ("value 5000 --rule finish=exact --rule minimum_on_win=true", "finish=exact cannot be"),
    "one player to win": ("value 5000 --players 1", "requires at least 2 players"),
    "seven players": ("value 5000 --players 7", "--players must be between 2 and 6"),
    "five players": ("value 5000 --players 5", "502.2 GiB (the limit is an hour or 8.0 GiB)"),
    "two players alone": ("value 5000 --objective points --players 2", "--players must be 1"),
    "opponents alone": ("value 5000 --objective points --opponents 500", "unknown option --opponents"),
    "goal without reach": ("value 5000 --goal 500", "goal cannot be combined with the objective win"),
    "reach without turns": ("value 5000 --objective reach", "requires --turns"),
    "goal past the target": ("value 5000 --objective reach --turns 3 --goal 6000", "between 1 and"),
    "score at the goal": (
        "value 5000 --objective reach --turns 3 --goal 1000 --score 1500",
        "must be below the goal of 1,000, not 1,500",
    ),
    "unknown command": ("advize 5000", "did you mean advise?"),
    "unknown flag": ("value 5000 --objektive win", "unknown option --objektive; did you mean --objective?"),
    "unknown field": ("advise pig --opponent 5", "unknown option --opponent; did you mean --opponents?"),
    "another unknown field": ("advise pig --scores 5", "unknown option --scores; did you mean --score?"),
    "unknown option elsewhere": ("simulate pig --gmaes 5", "unknown option --gmaes; did you mean --games?"),
    "unknown game and option": ("advise pigg --roll 4", "unknown game 'pigg'; did you mean pig?"),
    "unknown game after an option": ("value --score 50 pigg", "unknown game 'pigg'; did you mean pig?"),
    "unknown game of a simulation": ("simulate pigg --gmaes 5", "unknown game 'pigg'; did you mean pig?"),
    "unknown game to play": ("play pigg --oponent x", "unknown game 'pigg'; did you mean pig?"),
    "a score and no game": ("value --score 500", "missing GAME"),
    "a game like a rule file": ("value farkel-common", "unknown game 'farkel-common'; did you mean farkle-common?"),
    "unknown rule file": ("value --rules farkel-common", "did you mean farkle-common?"),
    "a rule file without its option": ("value ours.toml", "cannot read ours.toml"),
    "unwritable output": ("solve pig -o /no/such/folder/x.npz", "no folder"),
    "no rule file": ("value --rules /no/such/file.toml", "cannot read"),
    "a folder as output": ("solve pig -o /", "is a folder"),
    "a rule named like a variable": ("rules --rules pig --rule path=x", "unknown rule 'path' of pig"),
    "a score of 5,000 digits": (
        f"value 5000 --score {'9' * 5000}",
        "... has too many digits; at most 18 are supported",
    ),
    "a rule of 5,000 digits": (
        f"value pig --rule target={'9' * 5000}",
        "... has too many digits; at most 18 are supported",
    ),
    "a hexadecimal rule of 5,000 digits": (
        f"value --rules zilch --rule dice=0x{'f' * 5000}",
        "dice has too many digits; at most 18 are supported",
    ),
    "a list of such": (
        f"value --rules yacht --rule category=[0x{'f' * 5000}]",
        "category has too many digits; at most 18 are supported",
    ),
    "an id's players of 5,000 digits": (
        f"value --position pig:win{'9' * 5000}:x/score=5",
        "not an id of a position",
    ),
    "an id's score of 5,000 digits": (f"value --position pig:win2:x/score={'9' * 5000}", "not an id of a position"),
    "players of 5,000 digits": (
        f"value hearts-due --players {'9' * 5000}",
        "--players must be a whole number, not 9999",
    ),
    "players of 30 digits": (f"value hearts-due --players {'9' * 30}", "has too many digits; at most 18 are supported"),
    "games of 5,000 digits": (f"simulate pig --games {'9' * 30}", "has too many digits; at most 18 are supported"),
    "a score of 30 digits": (f"value boston --beat {'9' * 30}", "has too many digits; at most 18 are supported"),
    "a limit of 5,000 digits": (
        f"evaluate pig --policy hold:{'9' * 5000}",
        "... has too many digits; at most 18 are supported",
    ),
    "a rule file's name of 300 letters": (
        f"value --rules {'x' * 300}",
        f"cannot read {'x' * 300}: File name too long",
    ),
    "an output's name of 300 letters": (f"solve pig -o {'x' * 300}", f"cannot write {'x' * 300}: File name too long"),
    "a game's name of 300 letters": (f"export {'x' * 300} -o x.csv", "unknown game"),
    "a rule file's other name, misspelt": ("value ten-tousand", "'ten-tousand'; did you mean ten-thousand?"),
    "NUL in a rule file's name": ("value --rules a\0b", "the file name must not contain \\x00"),
    "NUL in an output's name": ("solve pig -o a\0b", "the file name must not contain \\x00"),
    "NUL in a table's name": ("export a\0b.npz -o x.csv", "cannot read a\\x00b.npz"),
}


@pytest.mark.parametrize(("command", "says"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_line_and_exit_2(run, own_cache, command, says):
    answer = run(command)
    assert answer.status == 2
    assert answer.out == ""
    assert says in answer.err
    assert answer.err.count("\n") == 1
    assert not own_cache.exists(), "nothing is written"


def test_case_does_not_matter(run):
    for shouted, said in (
        ("value PIG --score 50", "value pig --score 50"),
        ("rules --rules ZILCH", "rules --rules zilch"),
    ):
        assert run(shouted) == run(said)
    assert kw.game("Pig") == kw.game("pig")


def test_named_dice_may_be_separate_arguments(run):
    loaded = ("advise", "--rules", "kingdom-come-loaded", "--objective", "points", "--roll")
    assert run(*loaded, "1", "2", "2", "3", "5-lucky,", "3-lucky") == run(*loaded, "1 2 2 3 5-lucky 3-lucky")
    light = ("advise", "--rules", "toss-up", "--objective", "points", "--roll")
    apart = run(*light, *["green"] * 8, "Red", "yellow")
    assert (apart.status, apart.out) == (0, run(*light, "8 green 1 red 1 yellow").out)


def test_players_without_the_objective(refused):
    said = "is for one player, so --players must be 1, not 3; for several players use the objective win"
    refused(said, "value", "--rules", "twenty-one", "--players", "3")


@pytest.mark.parametrize(
    "options",
    ["--entering --roll 44441", "--score 5 --roll 4 4 4 4 1 --throw 1"],
    ids=["a flag", "dice as several words"],
)
def test_options_are_accepted_anywhere(run, options):
    first = run(f"advise {options} --rules generala --objective points --used ones")
    last = run(f"advise --rules generala --objective points --used ones {options}")
    assert first == last
    assert first.status == 0, first.err


def test_flags_are_accepted_before_the_game(run):
    asked = "--objective margin --left 2,2,2 --touched small --feel loose"
    assert run(f"advise --taking booby-trap {asked}") == run(f"advise booby-trap {asked} --taking")


@pytest.mark.parametrize("words", ["value --score 50 pig", "value --score 5000 farkle --opponents 5000"])
def test_a_score_is_no_game(run, words):
    told = run(words)
    assert told.status == 0, told.err
    assert told.out.startswith(words.split()[3])


def test_impossible_sets_are_explained_by_the_possible_ones(run):
    answer = run("advise 5000 --turn 300 --roll 6")
    assert answer.status == 0
    assert "No dice of this roll may be set aside" in answer.out


SPENT = dict.fromkeys(("chart", "export", "quiz", "selftest", "simulate", "value"), pytest.mark.slow)  # on examples
SPENT["page"] = pytest.mark.patient


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("command", [pytest.param(one, marks=SPENT.get(one, ())) for one in COMMANDS])
def test_every_help_has_an_example_that_works(run, tmp_path, monkeypatch, sheets_once, command):
    monkeypatch.chdir(tmp_path)
    text = run(f"{command} --help").out
    whole = text.replace("\\\n", " ")  # a long example goes on in the next line
    examples = [line.strip() for line in whole.splitlines() if line.startswith("    keepwise ")]
    assert examples
    monkeypatch.setattr("sys.stdin", io.StringIO())  # whoever is asked leaves the table
    for file in {word for example in examples for word in example.split() if command == "review" and ".kw" in word}:
        seats = ("yahtzee", "--seat", "Ann=best", "--seat", "Bob=best") if file == "yahtzee.kw" else ("pig",)
        run("play", *seats, "-o", file)
    (tmp_path / "hands.txt").write_text("pie*6\nordinary*6\n")
    for example in examples:
        answer = run(*shlex.split(example)[1:])
        assert answer.status == 0, example
        assert answer.out


def test_help_and_version(run):
    assert "advise" in run("--help").out
    assert run("--version").out.startswith("keepwise ")
    assert cli.name == "cli"


HELP = [["--help"], *([one, "--help"] for one in COMMANDS)]
ANSWERS = [f"advise 5000 {POSITION}".split(), ["value", "pig"], ["advise", "farkle", "--roll", "115236"]]
UNASKED = {"networkx", "scipy", "pandas", "matplotlib", "platformdirs", "importlib.metadata", "tomllib", "logging"}
UNASKED |= {
    "concurrent.futures",
    "random",
    "tempfile",
    "keepwise.solvers.cluster",
    "keepwise.solvers.push.multiplayer_problem",
}
CARD = [["advise", "yahtzee", "--roll", "11236"]]


@pytest.mark.parametrize(("commands", "late"), [(HELP, {"numpy"}), (ANSWERS, UNASKED), (CARD, {"numpy.ma"})])
def test_cold_starts_import_only_needed_modules(commands, late):
    code = f"""import sys
from keepwise.cli.commands import run
assert not any(map(run, {commands}))
assert not {late} & set(sys.modules), {late} & set(sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_shell_completes_commands(run, monkeypatch):
    monkeypatch.setenv("_KEEPWISE_COMPLETE", "zsh_complete")
    monkeypatch.setenv("COMP_WORDS", "keepwise adv")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert "advise" in run("").out


def test_no_arguments_print_the_help(run):
    answer = run()
    assert answer.status == 2
    assert "Commands:" in answer.out
    assert len(answer.out.splitlines()) > 10


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line(unbuffered):
    done = subprocess.run(
        f"{sys.executable} -m keepwise value 5000 --json > /dev/full",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "cannot write" in done.stderr


@pytest.mark.slow
def test_a_closed_pipe_is_no_error():
    """More than a pipe holds, so that the writer is still at it when the reader goes."""
    command = [sys.executable, "-m", "keepwise", "advise", "double-cameroon", "--objective", "points", "--all"]
    with subprocess.Popen(
        [*command, "--roll", "1234512345", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as asked:
        assert asked.stdout.read(1) == b"{"
        asked.stdout.close()
        assert asked.stderr.read() == b""
        assert asked.wait() == 0


@pytest.mark.parametrize(
    "module", ["keepwise.cli.commands", "click", "keepwise.util.errors", "keepwise.cli.rules", "numpy"]
)
def test_interrupted_while_it_is_loaded(module):
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from keepwise.cli import main\n"
        "main(['games'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "keepwise: interrupted\n")


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(("encoding", "told"), [("utf-8:strict", b"\\udcff"), ("ascii:strict", b"?")])
def test_unprintable_file_names_are_reported(tmp_path, encoding, told):
    name = os.fsdecode(b"\xff.csv")
    done = subprocess.run(
        [sys.executable, "-m", "keepwise", "export", "pig", "--objective", "points", "-o", name],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    beside = b"wrote " + told + b".csv.meta.json, which describes the rows\n"
    assert (done.returncode, done.stderr) == (0, beside)
    assert done.stdout == b"wrote " + told + b".csv (points, 1 player): 20 rows\n"


REFUSED_FROM_THE_QUESTION = {
    "export beartrap --objective win -o o.drn": "the objective win for 2 players: use --objective points, -f umb",
    "export beartrap --objective win -o o.prism": "prism cannot describe the objective win for 2 players",
    "export scarney -o o.drn --objective win": "drn cannot describe the objective win for 2 players",
    "export 5000 -o o.drn --objective points --policy nonsense": "policies of 5000: best, sheet,",
    "export 5000 -o o.dot --policy optimal": "the format dot cannot be combined with --policy",
    "export 5000 -f pdf --score 500 -o o.pdf": "--score cannot be combined with",
    "export 5000 -f text --detail rolls": "--detail cannot be combined with",
    "export 5000 --objective reach --turns 2 -f text": "requires the objective points, turns or win, not reach",
    "export scarney --objective win -f text": "use --objective points",
    "export yahtzee --objective reach --goal 200 -f text": "require --objective points",
    "export booby-trap --objective win -f text": "use --objective margin",
    "export battleship --objective margin -f text": "the objective points or win",
    "export battleship --objective win --players 3 -f text": "for win with 2 players",
    "export 5000 -o o.csv --detail nothing": "unknown detail",
    "export 5000 -o o.csv --score 75": "score must be a multiple of 50",
    "export 5000 -o o.csv --cast 2": "unknown option --cast",
    "export 5000 -o o.csv --policy hold:5": "cannot be combined with rows, which show optimal play",
    "export 5000 -o o.csv --policy nonsense": "cannot be combined with rows, which show optimal play",
    "chart --rules farkle-common distribution --show terminal": "has no distribution",
    "chart boston surface --objective points --show terminal": "requires a race",
    "chart 5000 regions --rule finish=last_round --show terminal": "cannot be combined with finish=last_round",
    "chart 5000 regions --dice 7 --show terminal": "--dice must be between 1 and 5, not 7",
    "chart 5000 thresholds --dice 3 --show terminal": "leave --dice out",
    "chart 5000 keeps --roll 77777 --show terminal": "no die has the face '7'",
    "chart 5000 sensitivity --vary nothing --show terminal": "5000 has no option 'nothing' to vary",
    "chart 5000 surface --vary minimum --show terminal": "--vary cannot be combined with the chart",
    "chart 5000 distribution -o o.gif": "must end in",
    "value 5000 --distribution": "has no distribution",
    "advise 5000 --draws 10": "has none",
    "evaluate 5000 --policy nonsense": "unknown policy",
}


@pytest.mark.parametrize("command", REFUSED_FROM_THE_QUESTION)
def test_a_problem_that_is_refused_is_not_solved_first(run, tmp_path, monkeypatch, command):
    def solve(*args, **kwargs):
        raise AssertionError("this was to be refused first")

    monkeypatch.setattr(api, "solve_problem", solve)
    monkeypatch.chdir(tmp_path)
    answer = run(command)
    assert answer.status == 2
    assert answer.out == ""
    assert REFUSED_FROM_THE_QUESTION[command] in answer.err
    assert answer.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "command", ["evaluate pig --rule target=20 --policy hold:20", "value battleship --objective margin"]
)
def test_zero_is_never_printed_as_negative(run, command):
    """Rounding left a loss of -1e-16 and a margin of -3e-15."""
    assert "-0.0" not in run(command).out


def test_the_best_choice_is_a_tie_in_json(run):
    """Scripts rely on it: ``tie`` is true of every choice that is as good as the best, the best included."""
    for question in ("hearts-due", "hearts-due --objective turns", "boston", "battleship", "5000"):
        (choice,) = json.loads(run(f"advise {question} --json").out)["choices"]
        assert choice["tie"] is True


def test_a_sheet_as_json(run):
    answer = json.loads(run("export pig -f text --json").out)
    assert answer["game"] == "pig"
    assert answer["objective"] == "points"
    assert answer["sheet"] == run("export pig -f text").out


RULES = 'name = "ours"\ndice = 1\ntarget = 20\n[singles]\n2 = 2\n'


def test_a_rule_file_may_begin_with_a_byte_order_mark(run, tmp_path):
    plain, marked = tmp_path / "plain.toml", tmp_path / "marked.toml"
    plain.write_text(RULES, encoding="utf-8")
    marked.write_text(RULES, encoding="utf-8-sig")
    assert run(f"value --rules {marked} --json") == run(f"value --rules {plain} --json")
    (tmp_path / "odds.toml").write_text(
        run("odds large:free=2/1/1 medium:free=2/1/0 small:free=2/2/1").out, encoding="utf-8-sig"
    )
    assert run(f"value --rules {tmp_path}/odds.toml --rule large=2 --rule medium=2 --rule small=2").status == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"x = {'[' * 2000}", "nested too deep"),
        (f"target = {'9' * 5000}", "a number has too many digits; at most 18 are supported"),
        (RULES.replace("20", f"0x{'f' * 5000}"), "3: target has too many digits; at most 18 are supported"),
        (f"title = 1979-05-27\n{RULES}", "1: title=1979-05-27 is not allowed as the value of a rule"),
        (f"title = 5\n{RULES}", "1: title must be text in quotes, not 5"),
        (f"faces = [1.5, 2, 3]\n{RULES}", "1: faces must be"),
        (
            f'{RULES}[[pattern]]\nname = 1e400\ndice = "23"\npoints = 5',
            "7: pattern.name must be text in quotes, not inf",
        ),
    ],
    ids=["nested", "long", "hexadecimal", "a date", "a number", "half a face", "an infinite name"],
)
def test_bad_rule_files_get_one_line(run, tmp_path, text, says):
    file = tmp_path / "ours.toml"
    file.write_text(text)
    answer = run(f"value --rules {file}")
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert f"{file}:" in answer.err
    assert says in answer.err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_read_only_folder(run, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    answer = run("solve", "pig", "-o", str(folder / "x.npz"))
    assert answer.status == 2
    assert "read-only" in answer.err
    assert not list(Path(folder).iterdir())


@pytest.fixture
def impatient(monkeypatch):
    """Everything that is said after a while is said at once."""
    for name in ("SILENCE", "QUIET", "WAIT"):
        monkeypatch.setattr(progress, name, 0.0)
    monkeypatch.setattr(progress, "LOOK", 0.001)


@pytest.fixture
def spoken(monkeypatch, impatient):
    """Waits until so much has been said on stderr; what was."""
    said, heard = [], threading.Condition()

    def say(self, text):
        with heard:
            said.append(text)
            heard.notify_all()

    def wait(*words):
        with heard:
            assert heard.wait_for(lambda: all(any(word in text for text in said) for word in words), timeout=60), said
        return said

    monkeypatch.setattr(progress.Watch, "say", say)
    return wait


def test_progress_shows_share_done_and_time_left(monkeypatch):
    """By how long what is done took; while no more is known to be done the time that is left goes down."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    with progress.Progress("solving later positions") as doing:

        def shown(at, done, form="bar"):
            now[0] = at
            doing(done)
            return str(getattr(doing, form)).strip()

        assert shown(4, 0.0).endswith("   0%, 0 s so far")
        assert shown(8, 0.0).endswith("   0%, 4 s so far")  # repeating it does not restart the clock
        doing.start_time, now[0] = 0.0, 2.0
        assert shown(2, 0.1).endswith("  10%, 2 s so far")  # the time left might jump
        assert shown(4, 0.25) == f"solving later positions [{'#' * 5}{'-' * 15}]  25%, about 12 s left"
        assert shown(4, 0.25, "line") == "solving later positions: 25%, about 12 s left"
        assert shown(9, 0.25).endswith(" 25%, about 7 s left")
        assert shown(40, 0.25).endswith(" 25%, 40 s so far")  # what was expected has passed
        assert shown(400, 0.5).endswith(" 50%, 6 min 40 s so far")  # far slower than before
        assert shown(800, 0.75).endswith(" 75%, about 7 min left")  # steady, at the slower pace
        assert shown(800, 0.75, "line") == "solving later positions: 75%, about 7 min left"
        assert shown(900, 0.75, "line") == "solving later positions: 75%, about 5 min left"
        assert shown(900, 1.0) == f"solving later positions [{'#' * 20}] 100%"
        assert max(len(shown(at, 0.9)) for at in range(900, 10_000, 500)) < 80
        monkeypatch.setattr(progress, "columns", lambda *_: 39)
        assert shown(9900, 0.95) == "solving later pos:  95%, 165 min so far"  # 39 signs: numbers stay whole


def test_progress_announces_long_waits_early(monkeypatch):
    """Where no bar is seen: after a second, if what is done by then says that it takes longer than three, and once."""
    now, said = [0.0], []
    monkeypatch.setattr(progress, "WAIT", 3.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress.Watch, "say", lambda self, text: said.append(text))
    watch = progress.Watch("quiz")
    monkeypatch.setattr(progress, "watch", [watch])
    with progress.Progress("playing") as doing:
        for at, done in ((0.5, 0.1), (1.5, 0.6), (1.7, 0.5), (2.0, 0.6)):
            now[0] = at
            doing(done)
            watch.print_due()
        assert said == ["playing: 50%, 2 s so far\n"]


def test_quit_interrupts_a_solve(monkeypatch):
    """What else is typed meanwhile is kept until it is asked for."""
    mine, theirs = os.openpty()
    monkeypatch.setattr(progress, "leaves", {"quit"})
    monkeypatch.setattr(progress, "ahead", [])
    os.write(mine, b"1 1 5\nquit\n")
    with os.fdopen(theirs) as typed:
        monkeypatch.setattr("sys.stdin", typed)
        select.select([typed], [], [])  # the system hands on what is typed when it comes to it
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
        try:
            with pytest.raises(KeyboardInterrupt):
                progress.Watch("play").print_due()
        finally:
            signal.signal(signal.SIGINT, before)
    assert progress.ahead == ["1 1 5", "quit"]
    os.close(mine)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_is_silent(command, monkeypatch, spoken):
    """Whatever a command does, and wherever it does it: who waits is told."""
    waits = click.Command(command, callback=lambda: spoken(f"keepwise {command}: "))
    monkeypatch.setattr(commands.Commands, "get_command", lambda group, context, name: waits)
    assert commands.run([command]) == 0


@pytest.mark.parametrize("terminal", [False, True])
def test_progress_shows_the_share_done(monkeypatch, spoken, terminal):
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    real = api.solve_problem

    def solve(asked, *, progress, **options):
        progress(0.5)
        spoken("solving pig [##########----------]  50%" if terminal else "solving pig: 50%, ")
        return real(asked, **options)

    monkeypatch.setattr(api, "solve_problem", solve)
    assert commands.run(["value", "pig"]) == 0


def test_notes_are_printed_during_work(monkeypatch, spoken):
    def solve(asked, **options):
        progress_reporting.warn("something of note")
        spoken("something of note\n")
        raise kw.SolveError("no bound")

    monkeypatch.setattr(api, "solve_problem", solve)
    assert commands.run(["value", "pig"]) == 1


def test_a_refusal_is_one_line_with_its_notes(run, own_cache):
    game = kw.game("pig", target=30)
    kw.solve(game)
    (file,) = own_cache.iterdir()
    file.write_bytes(b"damaged")
    refused = run("value pig --rule target=30 --position x")
    assert refused.err.count("\n") == 1
    told = run("value pig --rule target=30")
    assert told.status == 0
    assert told.err == f"{file} is damaged or not a value table; keepwise solve writes value tables; solving again\n"


def test_progress_is_silent_during_prompts(tmp_path, monkeypatch, spoken):
    """Neither that it takes long nor anything else, until they have answered."""

    def ask(prompt):
        watch = progress.watch[-1]
        with monkeypatch.context() as asked:
            asked.setattr(watch, "say", lambda text: pytest.fail(text))
            for _ in range(3):
                watch.print_due()
        raise EOFError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ask)
    assert commands.run(["play", "pig", "--seed", "1"]) == 0


def test_help_of_a_command_is_an_option(refused):
    refused("unknown command help; use keepwise advise --help", "help", "advise")


def test_position_options_are_refused_twice(refused):
    """The first of two lists of opponents used to be dropped without a word."""
    refused("--score is given twice", "value", "pig", "--score", "3", "--score=5")
    refused("--opponents is given twice; give all values at once", "value", "pig", "--opponents=5", "--opponents", "6")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("value pig --players 3 --opponents 60 40", '--opponents 60,40, or --opponents "60 40"'),
        ("value pig --players 3 --opponents=60, 40 --score 4", '--opponents 60,40, or --opponents "60 40"'),
        ("advise yahtzee --used sixes chance --roll 11111", '--used sixes,chance, or --used "sixes chance"'),
    ],
)
def test_lists_are_one_word(refused, words, said):
    refused(f"takes one word: {said}", *words.split())


TWO_NAMES = """name = "two-names"
target = 100
[[die]]
name = "red"
[[die]]
name = "blue"
[singles]
1 = 10
"""


def test_dice_that_are_alike_have_one_name(tmp_path, refused):
    (tmp_path / "two.toml").write_text(TWO_NAMES)
    said = f"{tmp_path}/two.toml:6: dice with equal weights must have the same name, not red and blue"
    refused(said, f"value --rules {tmp_path}/two.toml")


@pytest.mark.parametrize(
    "words",
    [
        "evaluate --rules kingdom-come-loaded --policy best --opponents-play hold:5=600",
        "simulate --rules kingdom-come-loaded --objective points --policy hold:5=600",
        "quiz --rules kingdom-come-loaded --objective points --from hold:5=600",
    ],
)
def test_dice_unlike_one_another_have_no_limits_by_their_number(words, refused):
    refused("policy hold:5=600 requires identical dice, and this game mixes dice; use hold:POINTS", words)


def test_best_dice_refuses_other_games(refused):
    no_push = "yacht is not a push-your-luck game from a rule file; give another rule file, such as kingdom-come"
    refused(no_push, "best-dice --rules yacht --own kingdom-come-loaded")
    refused("farkle is a built-in game, not a rule file", "best-dice --rules farkle --own kingdom-come-loaded")


def test_digits_are_those_of_the_dice(refused):
    refused("score must be a whole number, not ٢٠٠٠", "value 5000 --score ٢٠٠٠")
    refused("target has too many digits; at most 18 are supported", f"value 5000 --rule target={'9' * 20}")


def test_choices_without_points_are_refused_in_words(tmp_path, refused):
    (tmp_path / "zero.toml").write_text('name = "zero"\ntarget = 100\ndice = 1\n[singles]\n1 = 0\n5 = 5\n')
    refused("choices that add no points could form a cycle", f"value --rules {tmp_path}/zero.toml")


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
def test_rows_are_printed_where_no_file_is_named(form, run, tmp_path):
    words = f"export pig --objective points -f {form}"
    assert run(f"{words} -o {tmp_path}/rows").status == 0
    for more in ("", " -o -"):
        assert run(words + more).out == (tmp_path / "rows").read_text()
    assert not list(Path().glob("-*"))
    assert "--json" in run(f"{words} --json").err


def test_a_sheet_for_three_is_for_the_game_of_three(run):
    assert "win, 3 players" in run("export pig --rule target=12 --players 3 -f text").out


def test_progress_reads_no_input_without_stdin(monkeypatch):
    """A watch looks once a game has asked something, and the input is gone."""
    monkeypatch.setattr(progress, "leaves", {"quit"})
    monkeypatch.setattr("sys.stdin", None)
    progress.Watch("quiz").print_due()


def test_yahtzee_heading_names_joker_rule(run):
    assert run("value yahtzee").out.startswith("yahtzee · points · rules: default (joker=forced) · ")
    assert run("value yahtzee --rule joker=free").out.startswith("yahtzee · points · rules: joker=free · ")
    assert run("value pig").out.startswith("pig · win, 2 players · rules: default · ")


def test_a_goal_with_a_plus_is_counted_from_the_score(run):
    words = ("pig", "--objective", "reach", "--turns", "3", "--json")
    more = run("value", *words, "--score", "20", "--goal", "+62").out
    assert more == run("value", *words, "--score", "20", "--goal", "82").out
    assert more == run("value", *words, "--score=20", "--goal=+62").out
    assert run("value", *words, "--goal", "+62").out == run("value", *words, "--goal", "62").out


def test_a_goal_with_a_plus_counts_the_points_in_boxes(run):
    full_boxes = "ones=3,twos=6,threes=9,fours=12,fives=15,full_house=25,small_straight=30,large_straight=40"
    command = ("value", "yahtzee", "--objective", "reach", "--json", "--used", full_boxes)
    with_plus, points = json.loads(run(*command, "--goal", "+100").out), 3 + 6 + 9 + 12 + 15 + 25 + 30 + 40
    assert with_plus["position"]["score"] == points
    assert with_plus["parameters"]["goal"] == points + 100
    assert with_plus == json.loads(run(*command, "--goal", str(points + 100)).out)


def test_a_plus_goal_counts_the_score_in_every_game():
    """Of every game with the objective reach: score and goal of a card with one filled box, or of a race under way."""
    value, compared = cli.get_command(click.Context(cli), "value"), {"--used": 0, "--score": 0}
    for name in [*FILES, *(name for name in shipped_rule_files() if name not in FILES)]:
        game = kw.load_rules(name) if name in shipped_rule_files() else kw.game(name)
        if "reach" not in game.objectives or game.family not in ("card", "push"):
            continue
        if game.family == "card":
            card = game.data
            first_box = next(number for number in range(len(card.names)) if not card.required_mask(number))
            score = max(card.possible_points(first_box, 0))
            words = ["--used", f"{card.names[first_box]}={score}"]
            if card.boxes > 1:
                continue  # a turn fills two boxes
        else:
            score = 2 * game.data.grain
            words = ["--turns", "3", "--score", str(score)]
        context = value.make_context("value", [name, "--objective", "reach", "--goal", "+1", *words])
        assert context.params["goal"] == score + 1, name
        compared[words[-2]] += 1
    assert compared["--used"] > 10, compared
    assert compared["--score"] > 20, compared


def test_a_goal_that_is_not_a_number_is_refused(refused):
    refused("must be a whole number, not '+x'", "value pig --objective reach --turns 3 --goal +x")


def test_a_rule_file_is_found_without_its_ending(refused, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sunday.toml").write_text('game = "pig"\ntarget = 20\n')
    refused("unknown game 'sunday'; did you mean the rule file sunday.toml?", "value sunday")
    refused("did you mean sunday.toml?", "value --rules sunday")


def test_a_list_of_names_needs_a_catalogue(refused, tmp_path):
    (tmp_path / "mine.txt").write_text("ordinary*6\nlucky*2\n")
    for rules in ("pig", "kingdom-come"):
        refused(
            "this game has no catalogue of dice: write [[die]] entries",
            f"best-dice --rules {rules} --own {tmp_path / 'mine.txt'}",
        )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("coach pig --opponent best", "unknown option --opponent; the coach's opponents sit at your table"),
        ("best-dice --rules kingdom-come --dice lucky*4", "unknown option --dice; did you mean --own?"),
        ("coach kingdom-come-2 --dice lucky*6", "unknown option --dice; did you mean --hand?"),
        ("certify pig", "missing -o FILE; for its meaning and examples, see keepwise certify --help"),
        ("selftest now", "unexpected argument now; see keepwise selftest --help"),
        ("best-dice", "missing --own FILE; for its meaning and examples, see keepwise best-dice --help"),
        ("verify", "missing FILE; for its meaning and examples, see keepwise verify --help"),
        ("verify x extra words", "unexpected argument extra words; see keepwise verify --help"),
        ("games --jsn", "unknown option --jsn; did you mean --json?"),
        ("games --nonsense", "unknown option --nonsense; keepwise games --help lists the options"),
        ("--nonsense", "unknown option --nonsense; keepwise --help lists the options"),
        ("simulate pig --nonsense", "unknown option --nonsense; keepwise simulate --help lists the options"),
        ("--version=3", "--version takes no value; write --version alone"),
        ("games --json=1", "--json takes no value; write --json alone"),
        ("advise pig --json=1", "--json takes no value; write --json alone"),
        (
            "simulate pig --games",
            "--games requires a value; for its meaning and examples, see keepwise simulate --help",
        ),
        ("advise pig --score", "--score requires a value; for its meaning and examples, see keepwise advise --help"),
        ("export pig -f", "-f requires a value; for its meaning and examples, see keepwise export --help"),
        ("value pig --threads=", "--threads must be a whole number of at least 1, not empty"),
        ("value pig --goal x", "--goal must be a whole number, not 'x'"),
        (
            "best-dice --rules kingdom-come-2 --own x --objective rate",
            "--objective must be one of points, turns, win, not 'rate'",
        ),
        ("verify x --max-regret -1", "--max-regret must be a number of at least 0, not -1"),
        ("verify x --max-regret nan", "--max-regret must be a number of at least 0, not 'nan'"),
        ("fair pig --by handicap", "--by must be head-start or target, not 'handicap'"),
        ("export pig -f doc", "unknown format 'doc'; did you mean dot? Formats: csv, jsonl"),
        ("rules --new monopoly", "unknown rule file 'monopoly'; use push or card, or the name of a rule file"),
        ("rules --new kingdom-com", "did you mean kingdom-come"),
        (
            "rules --new yams",
            'yahtzee has no rule file to copy; to change its options, begin a file with game = "yahtzee"',
        ),
    ],
)
def test_a_wrong_word_says_what_is_right(refused, line, message):
    refused(message, line)


def test_rules_new_prints_shipped_files(run):
    from keepwise.games import RULE_FILES, shipped_rule_files

    for name in shipped_rule_files():
        assert run(f"rules --new {name}").out == (RULE_FILES / f"{name}.toml").read_text(encoding="utf-8")
    for name, file in (("ZILCH", "zilch"), ("farkle", "farkle-busche-neller"), ("Midnight", "1-4-24")):
        assert run("rules", "--new", name).out == (RULE_FILES / f"{file}.toml").read_text(encoding="utf-8")


def test_rules_of_one_turn_claim_no_missing_goal(run):
    assert not run("rules 1-4-24").err


def test_rules_name_multiples(run):
    for game, count in (("5000", 4), ("farkle", 4), ("beartrap", 4)):
        assert run(f"rules {game}").out.count("another multiple of 50 from ") == count


def test_patterns_that_a_file_drops_are_named(run, tmp_path):
    """A list of patterns replaces that of the file it changes."""
    path = tmp_path / "tavern.toml"
    gallows = '[[pattern]]\nname = "gallows"\ndice = "456"\npoints = 400\n'
    path.write_text(f'game = "kingdom-come-2"\n{gallows}')
    warning = (
        "[[pattern]] replaces all patterns of kingdom-come-2, so these no longer score: low straight, high straight"
    )
    assert warning in run(f"rules {path}").err
    shipped = run("rules --new kingdom-come-2").out
    path.write_text(shipped.replace('name = "kingdom-come-2"', 'name = "tavern"') + gallows)
    seen = run(f"rules {path}")
    assert "replaces" not in seen.err
    assert "gallows: 4 5 6 on one roll: 400." in seen.out
    assert "low straight" in seen.out


def test_marks_of_unknown_options_change_nothing_that_is_read(monkeypatch):
    """The options of every game, and the other words, are those that click reads from the line without marks."""
    rng, context = random.Random(1), click.Context(cli)
    words = "5000 --roll 11523 --roll=11523 --score --score= --opponents 300 -- --= --- - -h -x --json --why --nope"
    words = [
        *words.split(),
        "",
        "--no-why",
        "--objective",
        "points",
        "--players",
        "2",
        "--rules",
        "--rule",
        "target=10",
    ]

    def read(name, line):
        try:
            return repr(cli.get_command(context, name).read_own_options(line))
        except (click.UsageError, kw.InputError) as error:
            return f"{error}"

    lines = [(rng.choice(["advise", "value", "export"]), rng.choices(words, k=rng.randint(1, 7))) for _ in range(300)]
    marked = [read(*line) for line in lines]
    monkeypatch.setattr(arguments, "_mark_unknown_options", lambda args, options: args)
    assert marked == [read(*line) for line in lines]
