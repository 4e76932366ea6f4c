"""Whatever an option of any command is told, there is an answer, or one line and exit status 2.

Commands and their options are those that are registered, and of commands about a position the fields of every family:
whoever adds one has this law. Lines of several options, bent at random, are for ``test_fuzz``.
"""

from __future__ import annotations

import random
import shlex

import click
import pytest
from command_lines import ODDS

import keepwise as kw
from keepwise.certify import certify
from keepwise.cli.arguments import TABLE, GameCommand, PositionCommand
from keepwise.cli.commands import COMMANDS, cli
from keepwise.games import FILES
from keepwise.solvers import solve_costs

GAME = "pig --rule target=6"
# What a command needs beside the option that is tried.
USUAL = {
    "games": "", "rules": "pig", "odds": ODDS, "review": "game.kw", "best-dice": "--rules kingdom-come --own dice.toml",
    "solve": "-o new.npz", "evaluate": "--policy hold:4", "simulate": "--games 2", "quiz": "--from hold:4 --count 1",
    "export": "-f csv", "chart": "keeps --roll 3 --show terminal", "play": "--seed 1", "coach": "", "advise": "",
    "value": "", "selftest": "", "fair": "", "page": GAME, "certify": "-o new.cert", "verify": "game.cert",
}  # fmt: skip
JUNK = (
    "", "x", "-1", "0", "3", "2.5", "nan", "true", "9" * 5000, "5,000", "1 2 3", "a=b", "\0", "é" * 300, "\x1b[2J",
    "a\nb", "pig", "game.kw", ".", "nowhere/x", "--", "-", "[1]", "{}", "$(id)", "'",
)  # fmt: skip
TRIED = 4  # of these, for each option; all of them in the slow suite
DICE = """[[die]]
name = "p1"
weights = [1, 1, 1, 1, 1, 1]
count = 6
"""


def options(command: str) -> list[click.Option]:
    """A command's own options; of one about a position also the fields of every family."""
    made = cli.get_command(click.Context(cli), command)
    context = click.Context(made)
    found = {option.opts[-1]: option for option in made.params if isinstance(option, click.Option)}
    if isinstance(made, PositionCommand):
        for game in FILES:
            context.meta[TABLE] = kw.playable(game, objective=kw.game(game).objectives[0])
            found |= {one.opts[0]: one for one in made.get_params(context) if isinstance(one, click.Option)}
    return [option for name, option in sorted(found.items()) if name != "--help"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    (tmp_path / "dice.toml").write_text(DICE)
    certify(kw.solve(kw.game("pig", target=6))).write(tmp_path / "game.cert")
    (tmp_path / "game.kw").write_text("game: pig\nrule: target=6\nseat: Ann\nseat: Bob\n\nAnn: turn 2\n")
    return tmp_path


@pytest.mark.cases(fast=9, slow=15)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("tried", [TRIED, pytest.param(len(JUNK), marks=pytest.mark.slow)], ids=["some", "all"])
def test_every_option_value_is_answered_or_refused_in_a_line(command, tried, run, folder, tally):
    made = cli.get_command(click.Context(cli), command)
    found = options(command)
    base = [
        *(GAME.split() if isinstance(made, GameCommand) and command != "rules" else []),
        *shlex.split(USUAL[command]),
    ]
    if command == "chart":
        base[1:1] = [base.pop(3)]  # GAME and KIND stand together
    assert not found or run(command, *base).status == 0
    tally.add(not found)  # nothing to be tried
    for option in found:
        name, rng = option.opts[-1], random.Random(f"{command} {option.opts}")
        told = [[name]] if option.is_flag else [[name, junk] for junk in rng.sample(JUNK, tried)]
        for words in told:
            line = [command, *base, *words]
            seen = run(*line)
            assert seen.status in (0, 2), line
            tally.add(seen.status == 0)
            assert "Traceback" not in seen.out + seen.err, line
            if seen.status:
                assert seen.err.startswith("keepwise: "), line
                assert seen.err.count("\n") == 1, line
                assert len(seen.err) < 12_000, line


def asks(command: str) -> bool:
    """Whether a command answers about a game that is solved; ``fair`` and ``best-dice`` solve it under other rules."""
    made = cli.get_command(click.Context(cli), command)
    is_other = command in ("solve", "fair", "best-dice")
    return not is_other and {"game_id", "anyway"} <= {param.name for param in made.params}


@pytest.mark.parametrize("command", [command for command in COMMANDS if asks(command)])
def test_commands_answer_alike_from_a_table(command, run, folder, tally):
    assert run("solve", *GAME.split(), "-o", "t.npz").status == 0
    more = [word for word in shlex.split(USUAL[command]) if word not in GAME.split()]
    found, asked = run(command, "t.npz", *more), run(command, *GAME.split(), *more)
    assert (found.status, found.out, found.err) == (0, asked.out, "")
    tally.add()
    assert "leave --objective out" in run(command, "t.npz", *more, "--objective", "win").err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_refusal_for_its_size_names_options_of_the_command(command, run, folder, monkeypatch, tally):
    """Every solve and every answer takes too much here; ``fresh=True`` and ``anyway=True`` are words of Python."""
    made = cli.get_command(click.Context(cli), command)
    base = [
        *(GAME.split() if isinstance(made, GameCommand) and command != "rules" else []),
        *shlex.split(USUAL[command]),
    ]
    if command == "chart":
        base[1:1] = [base.pop(3)]
    monkeypatch.setattr(solve_costs, "MAX_SECONDS", -1.0)
    monkeypatch.setattr("keepwise.solving.solve.find_table", lambda asked: None)
    seen, allows = run(command, *base), "anyway" in {param.name for param in made.params}
    assert "=True" not in seen.out + seen.err
    assert ("; add --anyway to allow it" in seen.err) == allows
    assert seen.status == 2 or not allows
    if allows:
        assert run(command, *base, "--anyway").status == 0
    tally.add()
