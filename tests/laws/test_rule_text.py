"""What is printed of rules is what is solved: equal text, equal fingerprint, and the other way round; so for JSON."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import pytest
import subjects
from mutated_rule_files import PATHS, mutated
from patience import PATIENCE

import keepwise as kw
from keepwise.cli.rules import rule_lines, rules_as_json
from keepwise.games import Game
from keepwise.games.rulefile.description import describe_game, describe_source
from keepwise.games.rulefile.loader import shipped_rule_files
from keepwise.games.ruleset import Rules
from keepwise.games.touch_odds import DEFAULT
from keepwise.storage.table_files import fingerprint
from keepwise.util.errors import InputError


class Printed:
    """What was printed of the games seen so far, by fingerprint, and the other way round."""

    def __init__(self) -> None:
        self.read = 0  # games that were read back
        self.games: dict[str, tuple[str, str]] = {}
        self.by_text: dict[str, str] = {}
        self.by_json: dict[str, str] = {}

    def hold(self, game: Game) -> None:
        """Hold a game against all others."""
        text = click.unstyle("\n".join(rule_lines(game, 100)))
        told = json.dumps(rules_as_json(game), sort_keys=True)
        name = fingerprint({"game": game.id, "rules": Rules(game.rules).plain()})
        assert self.games.setdefault(name, (text, told)) == (text, told), f"{text} and {self.games[name][0]}"
        assert self.by_text.setdefault(text, name) == name, f"two rule sets print {text}"
        assert self.by_json.setdefault(told, name) == name, f"two rule sets print {told}"

    def read_back(self, game: Game) -> None:
        """Hold a game against what its rules say once JSON has carried them: its keys come in another order."""
        again = Game(game.id, json.loads(json.dumps(Rules(game.rules).plain(), sort_keys=True)))
        assert again == game
        assert again.data == game.data
        self.hold(again)
        self.read += 1


def files(folder: Path, seeds: range) -> Printed:
    """Rule files with few mutations, so that many are read, and many differ in one thing."""
    file, seen = folder / "mutated.toml", Printed()
    for path in PATHS:
        seen.hold(kw.load_rules(path))
    for seed in seeds:
        file.write_text(mutated(random.Random(seed), 2), encoding="utf-8")
        try:
            game = kw.load_rules(file)
        except InputError:
            continue
        seen.hold(game)
        seen.read_back(game)
    return seen


@pytest.mark.checks(least=10)
@pytest.mark.slow
def test_mutated_files(tmp_path, tally):
    tally.add(files(tmp_path, range(60)).read)


@pytest.mark.checks(least=40)
@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("first", range(10_000, 10_000 + 1000 * PATIENCE, 250))
def test_more_mutated_files(tmp_path, first, tally):
    tally.add(files(tmp_path, range(first, first + 250)).read)


def variants(game: Game) -> Iterator[dict[str, object]]:
    """Every option of a game at its other values, one at a time and two together."""
    found: list[dict[str, object]] = [{}]
    for option in game.options:
        if isinstance(option.default, bool):
            others: tuple[object, ...] = (not option.default,)
        else:
            step = 50
            others = option.choices or (option.low, option.default + step, option.default + 2 * step)
        found += [{option.key: other} for other in others if other != option.default]
    yield from found
    yield from ({**one, **other} for one in found for other in found if not one.keys() & other.keys())


@pytest.mark.cases(fast=7)
@subjects.each(subject for subject in subjects.games() if subject.kind == "game" and not subject.changes)
def test_every_option_of_every_game(subject, tally):
    seen = Printed()
    for rules in variants(subject.game):
        with suppress(InputError):
            seen.hold(subject.game.with_rules(**rules))
    assert len(seen.games) > len(subject.game.options)
    tally.add(len(seen.games))


def test_toys(tally):
    seen = Printed()
    for subject in subjects.games():
        if subject.kind == "toy":
            seen.hold(subject.game)
            seen.read_back(subject.game)
    tally.add(seen.read)


@pytest.mark.checks(least=300)
@pytest.mark.slow
def test_odds(tally):
    seen, rng = Printed(), random.Random(1)
    for _ in range(300):
        odds = json.loads(json.dumps(DEFAULT)) | {"name": rng.choice(("ours", "theirs"))}
        for _ in range(rng.randint(0, 2)):
            entry = odds[rng.choice(("large", "medium", "small"))][rng.choice(("loose", "springy", "tight"))]
            entry["trip"] = rng.choice(("1/50", 0.02, 0, "1/3"))
        if rng.random() < 0.5:
            for size in ("large", "medium", "small"):
                odds[size] = {feel: odds[size][feel] for feel in ("tight", "loose", "springy")}
                for entry in odds[size].values():
                    entry |= {"touched": rng.choice((9, 10)), "taken": 5, "tripped": 0}
        game = kw.game("booby-trap", odds=odds)
        seen.hold(game)
        seen.read_back(game)
    assert len(seen.games) > 100
    tally.add(seen.read)


@subjects.each(subjects.games())
def test_every_game_is_described_in_sentences(subject, tally):
    said = [*describe_game(subject.game)]
    assert said
    assert all(line.strip() and not re.search("_|None|True|False", line) for line in said)
    if subject.changes:  # a description follows the options
        assert said != [*describe_game(kw.game(subject.name))]
    tally.add(len(said))


@subjects.each(subjects.games())
def test_no_default_is_among_its_alternatives(subject, tally):
    game, lines = subject.game, [*rule_lines(subject.game, 10_000)]
    for option in game.options:
        value = game.rules[option.key]
        offered = option.other_values(value).split(", ")
        assert {value, option.default}.isdisjoint(offered)
        assert not {*offered} & {str(value).lower(), str(option.default).lower()}
    assert all(line.strip() for line, before in zip(lines[1:], lines, strict=False) if not before.strip())
    tally.add(len(lines))


@subjects.each(subject for subject in subjects.games() if not subject.changes)
def test_every_source_is_printed_with_its_year(subject, tally):
    """Each source of a game that ships names its year or says that there is none; the docs name the same."""
    source = describe_source(subject.game)
    assert bool(source) == any(line == f"Source: {source}." for line in rule_lines(subject.game, 10_000))
    assert not source or re.search(r"\b(19|20)\d\d\b|no year given", source)
    if source and subject.kind == "game":
        assert all(re.search(r", (19|20)\d\d$|\(no year given\)$", part) for part in source.split("; "))
        rules_page = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
        assert f"Source: {source}." in " ".join(rules_page.split())
    tally.add()


def test_every_file_has_a_line_of_the_list(run, tally):
    lines = run("rules --list").out.splitlines()
    assert [line.split()[0] for line in lines] == shipped_rule_files()
    for line in lines:
        assert line.endswith(".")
        assert not re.search(r"[][=]|[Ss]ource|[Mm]ean of", line)
        tally.add()


def test_rule_text_names_rolls_that_lose_the_turn(run, tally):
    assert "A roll of 1 scores nothing and is a bust" in run("rules pig").out
    assert "A roll of 1 or 2 scores" in " ".join(
        describe_game(Game("ours", PUSH | {"dice": 1, "singles": dict.fromkeys("3456", 1)}))
    )
    assert "A roll that scores nothing is a bust" in run("rules farkle").out
    assert "bust" not in " ".join(describe_game(kw.load_rules("twenty-one")))
    tally.add(4)


# Different rules whose text was the same.
PUSH = {"name": "ours", "dice": 2, "singles": {"1": 100}, "target": 1000}
CARD = {"name": "ours", "dice": 2, "throws": 1}
TWINS = {
    "what may be set aside of the one throw": [
        PUSH | {"then.set": "end", "set_aside": "free"},
        PUSH | {"then.set": "end", "set_aside": "all-or-none"},
    ],
    "points told throw by throw": [
        CARD | {"category": [{"name": "any", "scores": [*range(20), points]}]} for points in (3, 4)
    ],
    "points told set by set": [
        {"name": "ours", "dice": 1, "then.all": "end", "scores": [10, 0, -1, -1, -1, points]} for points in (20, 0, -1)
    ],
    "one face of two letters, or two faces": [
        PUSH | {"faces": 12, "special": [{"of": 2, "shows": shows, "then": "wipe"}]} for shows in (["12"], "1 2")
    ],
}


@pytest.mark.parametrize("name", TWINS)
def test_twins(name, tally):
    seen = Printed()
    for rules in TWINS[name]:
        seen.hold(Game("ours", rules))
    assert len(seen.games) == len(TWINS[name])
    tally.add(len(seen.games))


# One rule set, told in two ways.
SAME = {
    "what is meant where nothing is said": [
        PUSH,
        PUSH | {"faces": 6, "title": "ours", "weights": [2] * 6, "finish": "at_least"},
    ],
    "names of faces": [PUSH | {"faces": 3}, PUSH | {"faces": [1, "2", 3]}],
    "dice with blanks": [PUSH | {"special": [{"throw": dice, "then": "win"}]} for dice in ("12", "1 2", " 1 2 ")],
    "sums": [
        CARD | {"category": [{"name": "Low", "sum": 3}]},
        CARD | {"category": [{"name": "low", "at_least": 3, "at_most": 3, "points": "sum"}]},
    ],
}


@pytest.mark.parametrize("name", SAME)
def test_equal_rules_written_differently_print_alike(name, tally):
    games = [Game("ours", rules) for rules in SAME[name]]
    seen = Printed()
    for game in games:
        seen.hold(game)
    assert len(seen.games) == 1
    assert len({game.data for game in games}) == 1
    tally.add(len(games))
