"""Long ids carry the rules, the goal and the turns of a position."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode

import pytest

import keepwise as kw
from keepwise.games import FILES
from keepwise.play.long_ids import MAX_CODED_LENGTH, PARAMETERS, RULES, parse_head

OWN_RULES = """
name = "saturday"
target = 3000
dice = 5
[singles]
1 = 100
5 = 50
"""


def own_game(tmp_path):
    path = tmp_path / "saturday.toml"
    path.write_text(OWN_RULES)
    return kw.load_rules(path)


GAMES = {
    "default rules": (lambda _: kw.game("pig"), {}),
    "an option": (lambda _: kw.game("pig", target=50), {}),
    "several options": (lambda _: kw.game("5000", minimum_on_win=False, target=4000), {}),
    "a rule file that ships": (lambda _: kw.game("zilch", target=3000), {}),
    "a rule file of one's own": (own_game, {}),
    "a card": (lambda _: kw.game("kniffel"), {"objective": "points"}),
    "a goal and turns": (lambda _: kw.game("pig", target=50), {"objective": "reach", "goal": 40, "turns": 3}),
    "rules by seat": (lambda _: kw.game("pig", seats={2: {"target": 60}}), {}),
    "odds": (lambda _: kw.game("booby-trap"), {}),
    "three players": (lambda _: kw.game("pig", target=30), {"players": 3}),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_long_id_is_read_back(name, tmp_path):
    make_game, problem = GAMES[name]
    game = make_game(tmp_path)
    playable = kw.playable(game, **problem)
    long_id = playable.long_id(playable.start())
    assert playable.from_id(long_id) == playable.from_id(playable.id(playable.start())) == playable.start()
    head = parse_head(long_id)
    if head is None:
        assert long_id == playable.id(playable.start())
        assert kw.game(game.id) == game
        return
    assert head.game == game
    assert (head.goal, head.turns) == (problem.get("goal"), problem.get("turns"))


def test_a_long_id_names_the_options_that_differ():
    playable = kw.playable(kw.game("pig", target=50))
    prefix = playable.id_prefix
    assert playable.long_id(playable.position(score=12, opponents=[15])) == f"{prefix}:target=50/score=12/opponents=15"


def test_no_game_has_an_option_with_a_key_of_long_ids():
    assert not {option.key for name in FILES for option in kw.game(name).options} & {*PARAMETERS, RULES}


@pytest.mark.parametrize("command", ["advise", "value"])
def test_commands_read_long_ids_alone_and_with_the_game(run, command, tmp_path):
    own_game(tmp_path)
    rules = str(tmp_path / "saturday.toml")
    asked = ["--score", "1000", "--opponents", "1200", "--turn", "200", "--roll", "115", "--json"]
    shown = run(command, rules, *asked, "--long-id")
    assert not shown.status, shown.err
    answer = json.loads(shown.out)
    again = run(command, "--position", answer["id"], "--json")
    assert not again.status, again.err
    short = json.loads(run(command, rules, *asked).out)
    assert json.loads(again.out) == short
    assert answer == {**short, "id": answer["id"]}
    assert len(answer["id"]) > len(short["id"])


def test_the_goal_and_turns_of_a_long_id_are_used(run):
    asked = "pig --objective reach --goal 40 --turns 3 --score 10 --json"
    answer = json.loads(run(f"value {asked} --long-id").out)
    again = json.loads(run("value", "--position", answer["id"], "--json").out)
    assert again["value"] == answer["value"]
    assert again["parameters"] == {"goal": 40, "turns": 3}


def test_a_long_id_of_another_game_or_other_rules_is_refused(run):
    long_id = json.loads(run("value pig --rule target=50 --long-id --json").out)["id"]
    for words in (["farkle"], ["pig", "--rule", "target=60"]):
        shown = run("value", *words, "--position", long_id)
        assert_refused(shown)


def assert_refused(shown) -> None:
    """Assert that a command ended with exit code 2 and one line on stderr."""
    assert shown.status == 2, shown.out
    assert shown.err.count("\n") == 1, shown.err


def coded(value: object) -> str:
    return urlsafe_b64encode(zlib.compress(json.dumps(value).encode())).decode().rstrip("=")


DAMAGED = {
    "no value": "pig:win2:00000000:target=/score=0",
    "no key": "pig:win2:00000000:=5/score=0",
    "no equals sign": "pig:win2:00000000:target/score=0",
    "twice": "pig:win2:00000000:target=50:target=60/score=0",
    "an unknown rule": "pig:win2:00000000:colour=50/score=0",
    "seats as an option": "pig:win2:00000000:seats=2/score=0",
    "a file as the game": "saturday.toml:win2:00000000:target=50/score=0",
    "a goal that is no number": "pig:reach:00000000:goal=many/score=0",
    "an unknown game": "hogg:win2:00000000:target=50/score=0",
    "not Base64": "saturday:win2:00000000:rules=*/score=0",
    "not compressed": "saturday:win2:00000000:rules=AAAA/score=0",
    "cut off": f"saturday:win2:00000000:rules={coded({'name': 'saturday'})[:-6]}/score=0",
    "not a table": f"saturday:win2:00000000:rules={coded([1])}/score=0",
    "no rules": f"saturday:win2:00000000:rules={coded({})}/score=0",
    "another name": f"saturday:win2:00000000:rules={coded({'name': 'sunday'})}/score=0",
    "both": f"saturday:win2:00000000:rules={coded({'name': 'saturday'})}:target=50/score=0",
    "too long": f"saturday:win2:00000000:rules={'A' * (MAX_CODED_LENGTH + 1)}/score=0",
    "more than a megabyte": f"saturday:win2:00000000:rules={coded({'name': 'a' * (1 << 21)})}/score=0",
    "a deep table": "saturday:win2:00000000:rules="
    + urlsafe_b64encode(zlib.compress(b"[" * 100_000)).decode().rstrip("=")
    + "/score=0",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_long_id_is_refused_in_one_line(name, run):
    shown = run("value", "--position", DAMAGED[name])
    assert_refused(shown)
    with pytest.raises(kw.InputError):
        parse_head(DAMAGED[name])
