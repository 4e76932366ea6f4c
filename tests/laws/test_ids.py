"""A position is read back as it is told: by its id, as JSON, on the command line; for every name that a file may hold.

Names that could not be are refused where the file is read, in one line that names file and line.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import hostile
import pytest
import subjects
from id_walks import walked
from patience import PATIENCE
from random_games import played_at_random

import keepwise as kw
from keepwise.cli.advise import advise
from keepwise.games import Game
from keepwise.play import FieldKind, PlayableGame
from keepwise.play.game_file import parse
from keepwise.util.errors import InputError

MOST_PLAYERS = 3
ASKS: tuple[dict[str, int], ...] = ({}, {"turns": 3}, {"goal": 7})


def tables(game: Game) -> Iterator[PlayableGame[Any]]:
    """The game at the table, for everything it is played for."""
    for objective in game.objectives:
        for players in range(1, MOST_PLAYERS + 1):
            for asks in ASKS:
                try:
                    yield kw.playable(game, players, objective=objective, **asks)
                except InputError:
                    continue
                break


def by_command_line(playable: PlayableGame[Any], position: Any, game: list[str]) -> Any:
    """The position, told on the command line and read there."""
    words = ["--objective", playable.objective, *game]
    words += ["--players", str(playable.players)] if playable.players > 1 else []
    words += [word for name, number in playable.parameters.items() for word in (f"--{name}", str(number))]
    fields = {field.name: field for field in playable.fields}
    for name, value in playable.to_dict(position).items():
        option = f"--{name.replace('_', '-')}"
        if fields[name].kind is FieldKind.FLAG:
            words.append(option if value else option.replace("--", "--no-", 1))
        else:
            words += [option, fields[name].format_for_id(value)]
    context = advise.make_context("advise", words)
    return playable.position(**context.params["position"])


def check(playable: PlayableGame[Any], positions: Iterator[Any], game: list[str], typed: int = 5) -> int:
    """Tell positions in every way, one of ``typed`` on the command line too; return how many there were."""
    number = 0
    for number, position in enumerate(positions, 1):
        told = playable.to_dict(position)
        assert playable.position(**told) == position, told
        assert playable.position(**json.loads(json.dumps(told))) == position, told
        id_ = playable.id(position)
        assert playable.from_id(id_) == position, id_
        assert not re.search(r"\s", id_)
        if game and number % typed == 0:
            assert by_command_line(playable, position, game) == position, told
    return number


@pytest.mark.checks(least=8)
@pytest.mark.cases(fast=15)
@subjects.each(subject for subject in subjects.games() if not subject.changes)
def test_every_game(subject, tally):
    """Rule files are read anew for each command line, so that few are tried."""
    rng, game = random.Random(str(subject)), {"game": [subject.name], "file": ["--rules", subject.name]}
    for playable in tables(subject.game):
        typed = 3 if subject.kind == "game" else 8
        tally.add(check(playable, walked(playable, rng, 8), game.get(subject.kind, []), typed))


def names_tried(file: Path, rng: random.Random) -> str:
    """Write a file with names that may be anything, and tell positions of its game if it is read; what came of it."""
    kind = rng.choice(("push", "unlike", "card", "odds"))
    if kind == "card":
        text = hostile.card_file([hostile.invented(rng) for _ in range(rng.randint(2, 4))], times=rng.choice((1, 1, 2)))
    elif kind == "odds":
        text = hostile.odds_file([hostile.invented(rng) for _ in range(rng.randint(1, 3))])
    else:
        names = [hostile.invented(rng, faces=True) for _ in range(3)], hostile.invented(rng)
        text = hostile.push_file(*names, unlike=rng.choice(("lucky", "x", "2")) if kind == "unlike" else "")
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        game = kw.load_rules(file)
    except InputError as error:
        said = str(error)
    else:
        said = ""
    if said:
        assert re.match(rf"(cannot read )?{re.escape(str(file))}:( |\d+: )", said), said
        assert said.isprintable()
        return "refused"
    playable = rng.choice(list(tables(game)))
    assert check(playable, walked(playable, rng, 20), ["--rules", str(file)], 10)
    played = played_at_random(playable, rng.randrange(1000), 25)
    again = parse(played.to_text().split("\n"), "again")
    assert [(step.position, step.after, step.line_text) for step in again.steps] == [
        (step.position, step.after, step.line_text) for step in played.steps
    ]
    return "read"


def tried(folder: Path, seeds: range) -> Counter[str]:
    """Try so many seeds."""
    return Counter(names_tried(folder / "ours.toml", random.Random(seed)) for seed in seeds)


@pytest.mark.checks(least=25)
@pytest.mark.slow
def test_names(tmp_path, tally):
    found = tried(tmp_path, range(100))
    assert found["read"] > 25
    assert found["refused"] > 25
    tally.add(found["read"])


@pytest.mark.checks(least=100)
@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("first", range(1000, 1000 + 1000 * PATIENCE, 500))
def test_more_names(tmp_path, first, tally):
    tally.add(tried(tmp_path, range(first, first + 500))["read"])


FILES_OF = {
    "face": lambda *names: hostile.push_file([*names, "y", "z"][:3]),
    "category": lambda *names: hostile.card_file([*names, "other"]),
    "feel": lambda *names: hostile.odds_file([*names, "other"]),
    "pattern": lambda name, *_: hostile.push_file("123", name),
    "special roll": lambda name, *_: hostile.push_file("123", special=name),
    "die": lambda name, *_: hostile.push_file("123", unlike=name or " "),
}
NEVER = ("", " ", ",", "a,b", "a/b", "a=b", "=1+1", "a:b", " a", "\u0301a", hostile.LONG, *hostile.UNSEEN)
TWINS = (("A", "a"), ("a_b", "a b"), ("a_b", "A_B"), ("é", "e\u0301"), ("1", "１"), ("ß", "SS"), ("x", "x"))


@pytest.mark.parametrize("kind", FILES_OF)
def test_rule_files_refuse_impossible_names_with_the_line(tmp_path, kind, tally):
    file = tmp_path / "ours.toml"
    texts = [FILES_OF[kind](name) for name in NEVER if (kind, name) != ("category", " a")]  # which is a
    texts += [FILES_OF[kind](*twins) for twins in TWINS if kind in ("face", "category", "feel")]
    for text in texts:
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        with pytest.raises(InputError) as refused:
            kw.load_rules(file)
        said = str(refused.value)
        assert re.match(rf"(cannot read )?{re.escape(str(file))}:( |\d+: )", said)
        assert said.isprintable()
        assert len(said) < 600
        tally.add()


@pytest.mark.slow
def test_rolls_of_named_faces(tmp_path, tally):
    file = tmp_path / "ours.toml"
    file.write_text(hostile.push_file(["d", "dd", "ddd"]))
    for playable in tables(kw.load_rules(file)):
        for roll in (["d", "d"], ["d", "dd"], ["ddd", "ddd"]):
            assert playable.to_dict(playable.from_id(playable.id(playable.position(roll=roll))))["roll"] == roll
            tally.add()
    loaded = kw.playable(kw.load_rules("kingdom-come-loaded"), objective="points")
    position = loaded.position(turn=700, roll=["3", "5"])  # of two plain dice: no face's name is long
    assert loaded.from_id(loaded.id(position)) == position


def test_category_names_with_underscores_round_trip(tally):
    rules = {"dice": 2, "faces": 2, "throws": 1}
    game = kw.card_game("ours", lambda dice: {"x_y": sum(dice), "y z": 5}, **rules)
    playable = kw.playable(game, objective="points")
    for told in ("x_y", "x y", "X_Y", "x"):
        assert playable.to_dict(playable.position(used=told))["used"] == ["x_y"]
        tally.add()
    assert playable.to_dict(playable.from_id(playable.id(playable.position(used="y z"))))["used"] == ["y z"]
    with pytest.raises(InputError, match="two categories cannot be told apart when typed: x_y and x y"):
        kw.card_game("ours", lambda dice: {"x_y": sum(dice), "x y": 5}, **rules)


@pytest.mark.checks(share=0.9)
@pytest.mark.cases(fast=20)
@pytest.mark.parametrize("way", [one for one in subjects.games() if one.changes], ids=str)
def test_ids_of_other_rules_are_refused_with_the_reason(way, tally):
    for playable in tables(way.game):
        with suppress(InputError):
            usual = kw.playable(way.name, playable.players, objective=playable.objective, **playable.parameters)
            which = "rules, goal or turns" if playable.parameters else "rules"
            with pytest.raises(
                InputError,
                match=f"belongs to other {which}; give those that it was made with",
            ):
                usual.from_id(playable.id(playable.start()))
            tally.add()
