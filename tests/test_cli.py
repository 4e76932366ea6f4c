"""The command line: answers, JSON shapes, and one clear line for everything that cannot be."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import keepwise as kw
from keepwise.cli import COMMANDS, cli

POSITION = "--score 2000 --opponents 3500 --turn 300 --roll 11532"


def test_advise_in_words(run):
    answer = run(f"advise 5000 {POSITION}")
    assert answer.status == 0
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert "rules: default" in lines[0]
    assert lines[1].startswith("keep 1 1 5, bank 550: 18.3 % to win")
    assert len(lines) == 2 + 2 + 10


def test_advise_json(run):
    answer = json.loads(run(f"advise 5000 {POSITION} --json").out)
    solution = kw.solve("5000", "win")
    assert answer["game"] == "5000"
    assert answer["objective"] == "win"
    assert answer["players"] == 2
    assert answer["rules"] == dict(solution.game.rules)
    assert answer["fingerprint"] == solution.fingerprint
    assert answer["engine"].startswith("keepwise ")
    assert answer["position"] == {
        "score": 2000,
        "opponents": [3500],
        "turn": 300,
        "dice": 5,
        "roll": ["1", "1", "2", "3", "5"],
    }
    advice = solution.advise(score=2000, opponents=[3500], turn=300, roll=[1, 1, 5, 3, 2])
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


def test_rules_are_printed_with_what_differs(run):
    answer = run("rules 5000 --rule minimum_on_win=false")
    assert "minimum_on_win = false   (default true)" in answer.out
    shape = json.loads(run("rules 5000 --json").out)
    assert shape["rules"]["finish"]["alternatives"][:2] == ["at_least", "exact"]
    assert "rules: minimum=250" in run("value 5000 --objective turns --rule minimum=250").out


def test_games_lists_all(run):
    out = run("games").out
    assert "5000" in out
    assert "rules not given in the source" in out
    listed = {row["game"]: row for row in json.loads(run("games --json").out)["games"]}
    assert listed["5000"]["shipped"] == ["win", "points", "turns"]


def test_rule_file(run, tmp_path):
    file = tmp_path / "ours.toml"
    file.write_text('game = "5000"\nminimum = 250\n')
    by_file = json.loads(run("value", "--rules", str(file), "--objective", "turns", "--json").out)
    by_rule = json.loads(run("value 5000 --rule minimum=250 --objective turns --json").out)
    assert by_file == by_rule
    file.write_text('game = "5000"\n\nminimun = 250\n')
    wrong = run("value", "--rules", str(file))
    assert wrong.status == 2
    assert f"{file}:3: 5000 has no rule minimun; did you mean minimum?" in wrong.err


def test_solve_writes_a_table_that_reads_back(run, tmp_path):
    file = tmp_path / "ours.npz"
    answer = run("solve", "pig", "--rule", "target=30", "-o", str(file))
    assert answer.status == 0
    solution = kw.load(file)
    assert solution.game.rules["target"] == 30
    assert solution.value() == kw.solve(kw.game("pig", target=30)).value()
    with np.load(file, allow_pickle=False) as plain:
        assert set(plain.files) == {"head", "scores", "win"}


BAD = {
    "seven dice": ("advise 5000 --roll 1123456", "too many"),
    "a face 7": ("advise 5000 --roll 11537", "no die shows 7"),
    "no dice": ("advise 5000 --roll banana", "no die shows b"),
    "an empty roll": ("advise 5000 --roll ,", "empty"),
    "points that cannot be": ("advise 5000 --turn 50 --dice 1", "cannot be in hand with 1 die"),
    "points off the grain": ("advise 5000 --turn 75 --dice 3", "steps of 50"),
    "points without dice": ("advise 5000 --turn 300", "say which dice"),
    "dice that are none": ("advise 5000 --dice six", "not a number of dice"),
    "too many dice to throw": ("advise 5000 --turn 100 --dice 6", "1 to 5"),
    "dice that are no number": ("advise 5000 --roll 11532 --dice x", "leave --dice out"),
    "points beyond all": ("advise 5000 --turn 50000000000 --dice 3 --score 500", "more than anybody"),
    "a total beyond all": ("value 5000 --rule finish=last_round --opponents 600000", "than any turn leads"),
    "too few dice to begin with": ("advise 5000 --roll 1153", "a turn begins with 5 dice"),
    "a race too long": ("value --rules pig --rule target=100000", "would take hours"),
    "roll and dice apart": ("advise 5000 --roll 11532 --dice 3", "leave --dice out"),
    "score off the grain": ("value 5000 --score 525", "steps of 50"),
    "score below the opening": ("value 5000 --score 450", "at least 500"),
    "opponent below the opening": ("value 5000 --opponents 450", "at least 500"),
    "score past the target": ("value 5000 --score 5000", "not below the target"),
    "score below 0": ("value 5000 --score -50", "below 0"),
    "score that is none": ("value 5000 --score many", "not a whole number"),
    "two opponents": ("value 5000 --opponents 500,600", "one opponent"),
    "unknown game": ("value 500", "did you mean 5000?"),
    "no game": ("value", "say which game"),
    "unknown objective": ("value 5000 --objective winn", "did you mean win?"),
    "unknown option": ("value 5000 --rule minimun=250", "did you mean minimum?"),
    "unknown value": ("value 5000 --rule finish=exactly", "did you mean exact?"),
    "no value": ("value 5000 --rule finish", "KEY=VALUE"),
    "no number": ("value 5000 --rule minimum=some", "not a whole number"),
    "no truth": ("value 5000 --rule minimum_on_win=maybe", "neither true nor false"),
    "rule off the grain": ("value 5000 --rule minimum=275", "multiple of 50"),
    "opening past the target": ("value 5000 --rule opening=6000", "above target"),
    "contradiction": ("value 5000 --rule finish=exact --rule minimum_on_win=true", "contradict"),
    "one player to win": ("value 5000 --players 1", "players must be 2"),
    "five players": ("value 5000 --players 5", "players must be 2"),
    "two players alone": ("value 5000 --objective points --players 2", "players must be 1"),
    "opponents alone": ("value 5000 --objective points --opponents 500", "has no opponents"),
    "goal without reach": ("value 5000 --goal 500", "takes no goal"),
    "reach without turns": ("value 5000 --objective reach", "turns must be given"),
    "goal past the target": ("value 5000 --objective reach --turns 3 --goal 6000", "between 1 and"),
    "score at the goal": ("value 5000 --objective reach --turns 3 --goal 1000 --score 1500", "already reached"),
    "unknown command": ("advize 5000", "did you mean advise?"),
    "unknown flag": ("value 5000 --objektive win", "--objektive"),
    "unwritable output": ("solve pig -o /no/such/folder/x.npz", "no folder"),
    "no rule file": ("value --rules /no/such/file.toml", "cannot be read"),
    "a folder as output": ("solve pig -o /", "is a folder"),
}


@pytest.mark.parametrize(("command", "says"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_line_and_exit_2(run, own_cache, command, says):
    answer = run(command)
    assert answer.status == 2
    assert answer.out == ""
    assert says in answer.err
    assert answer.err.count("\n") == 1
    assert not own_cache.exists(), "nothing is written"


def test_a_set_that_cannot_be_is_explained_by_what_can(run):
    answer = run("advise 5000 --turn 300 --roll 6")
    assert answer.status == 0
    assert "Nothing in this roll may be set aside" in answer.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example_that_works(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    text = run(f"{command} --help").out
    whole = text.replace("\\\n", " ")  # a long example goes on in the next line
    examples = [line.strip() for line in whole.splitlines() if line.startswith("    keepwise ")]
    assert examples
    for example in examples:
        answer = run(*shlex.split(example)[1:])
        assert answer.status == 0, example
        assert answer.out


def test_help_and_version(run):
    assert "advise" in run("--help").out
    assert run("--version").out.startswith("keepwise ")
    assert cli.name == "cli"


def test_answers_from_a_shipped_table_load_no_solver_they_do_not_need():
    """A cold start must not pay for what the answer does not use."""
    code = (
        "import sys\nfrom keepwise.cli import cli\n"
        f"cli.main('advise 5000 {POSITION}'.split(), standalone_mode=False)\n"
        "heavy = {'networkx', 'scipy', 'pandas', 'matplotlib', 'platformdirs', 'importlib.metadata', 'tomllib'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_arguments_print_the_help(run):
    answer = run()
    assert answer.status == 2
    assert "Commands:" in answer.out
    assert len(answer.out.splitlines()) > 10


def test_a_full_disk_is_one_line():
    done = subprocess.run(
        f"{sys.executable} -m keepwise value 5000 --json > /dev/full",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr


def test_a_closed_pipe_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m keepwise advise 5000 --roll 11532 | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_read_only_folder(run, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    answer = run("solve", "pig", "-o", str(folder / "x.npz"))
    assert answer.status == 2
    assert "read-only" in answer.err
    assert not list(Path(folder).iterdir())
