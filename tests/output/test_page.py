"""The page: what it holds, and what it answers in real browsers, against the command line's answers.

The browser tests need Chromium or Firefox, Node and the packages of page/package.json (``make page``), and skip with a
reason where these are not.
"""

import gzip
import json
import random
import re
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import tomllib
from browsers import BROWSERS, browse
from patience import PATIENCE

import keepwise as kw
from keepwise.cli.commands import run
from keepwise.games import FILES, own_game, shipped_rule_files
from keepwise.games.rulefile import schema
from keepwise.output.adviser_page import page_data, page_objective, render_page
from keepwise.output.adviser_page.hand_chooser import STOP_KEYS, chooser_data
from keepwise.output.adviser_page.house_rules import house_rules
from keepwise.output.adviser_page.push import parts, push_graph
from keepwise.output.adviser_page.site import LANGUAGES, PLAYERS, WORDS, index, site
from keepwise.output.adviser_page.site_games import LISTED_GAMES
from keepwise.play import playable
from keepwise.play.game_file import GameFile, SeatedPlayer
from keepwise.play.input_parser import format_roll
from keepwise.reviews import review
from keepwise.solvers import make_problem
from keepwise.util import progress_reporting
from keepwise.util.errors import InputError

ROOT = Path(__file__).parents[2]
PAGES = [game for game in FILES if kw.game(game).parts.page]
POSITIONS = 500 * PATIENCE  # of every game, in Chromium; a tenth of that in Firefox
LISTED = 200_000  # positions between turns that are listed to draw from
WORTH = 1e-12
LONG = 0.5  # seconds

# Questions beside every game's own: what else a turn, its end or its place among others may be.
MORE = (
    ("5000", {"objective": "turns"}),
    ("5000", {"objective": "points"}),
    ("5000", {"objective": "reach", "turns": 8}),
    ("5000", {"rules": {"finish": "exact"}}),
    ("5000", {"rules": {"minimum_on_win": False}}),
    ("pig", {"rules": {"target": 40}, "players": 3}),
    ("pig", {"rules": {"faces": 3, "target": 14}, "players": 3}),  # turns are mixed
    ("farkle", {"objective": "points"}),
    ("battleship", {"objective": "margin"}),
    ("battleship", {"rules": {"match": "first_to", "target": 30}}),
    ("battleship", {"rules": {"rounds": 3}, "players": 3}),
    ("boston", {"players": 4}),
    ("hearts-due", {"players": 3}),
    ("scarney", {"objective": "points"}),
    ("scarney", {"rules": {"little": "dead", "double": "off"}}),
    ("booby-trap", {"objective": "margin"}),
    ("shut-the-box", {"objective": "win", "players": 4}),
    ("shut-the-box", {"objective": "win", "rules": {"tiles": 6, "one_die": "sum"}, "players": 2}),
    ("shut-the-box", {"objective": "reach", "goal": 3, "rules": {"most_tiles": 2}}),
    ("shut-the-box", {"rules": {"tiles": 10, "score": "digits", "one_die": "never"}}),
)
OWN = ("cosmic-wimpout", "farkle-common", "hog", "kingdom-come", "pass-the-pigs")  # rule files that ship


@pytest.fixture(autouse=True)
def sheets(request):
    """What takes long makes each sheet once."""
    if request.node.get_closest_marker("slow"):
        request.getfixturevalue("sheets_once")


def solution_of(game, rules=None, objective=None, **asked):
    one = kw.game(game, **(rules or {})) if game in FILES else kw.load_rules(game)
    objective = objective or page_objective(one, asked.get("players"))
    return kw.solve(one, objective=objective, **asked)


def short(game):
    """The game as it ships, with a nearer target where solving it takes long."""
    whole = solution_of(game)
    long = whole.problem.estimate_cost(1).seconds > LONG and "target" in whole.game.rules
    return solution_of(game, rules={"target": whole.game.rules["target"] // 4}) if long else whole


def some_positions(solution, count, seed=1):
    """Positions that are reached by random play, from the start and from wherever a turn may begin."""
    playable, rng, found = solution.playable, random.Random(seed), []
    listing = solution.problem.list_positions({}) if solution.game.family not in ("card", "touch") else None
    begins = list(islice(listing.positions, LISTED)) if listing and listing.count <= LISTED else [playable.start()]
    while len(found) < count:
        here = rng.choice((rng.choice(begins), playable.start()))
        for _ in range(rng.randrange(200)):
            if playable.stage(here) == "over" or len(found) >= count:
                break
            if rng.random() < 0.2:
                found.append(here)
            here = one_step(playable, here, rng)
    return found


def one_step(playable, here, rng):
    if playable.stage(here) == "choose":
        return rng.choice(playable.choices(here)).after
    falls = list(playable.rolls(here))
    return rng.choices([after for _, after in falls], [float(weight) for weight, _ in falls])[0]


# --- what a page is, without a browser


@pytest.fixture(scope="module")
def five_thousand():
    return render_page(solution_of("5000"))


def test_how_to_play_names_the_seat_of_a_rule_of_one_seat():
    how = page_data(kw.solve(kw.game("pig", target=30, seat={"2": {"target": 20}})))[0]["how"]
    assert how[0][0] == "Seat 1: A player with at least 30 wins at once."
    assert how[1] == [
        "Seat 2: A player with at least 20 wins at once.",
        "Platz 2: Wer mindestens 20 Punkte hat, gewinnt sofort.",
        "Place 2 : Un joueur qui a au moins 20 points gagne aussitôt.",
    ]
    assert how[2] == ["1 die with the faces 1 2 3 4 5 6.", "Ein Würfel.", "Un dé."]


@pytest.mark.slow
def test_page_loads_nothing_from_the_network(five_thousand):
    assert not re.findall(
        r"""(?:src|href)\s*=|url\(|@import|https?://""", re.sub(r"(?s)<script.*?</script>", "", five_thousand)
    )
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', five_thousand)[1]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "")


def test_a_page_is_small(five_thousand):
    """The bounds that a page of 5000 must keep."""
    assert len(five_thousand.encode()) <= 340_000
    assert len(gzip.compress(five_thousand.encode())) <= 165_000


def test_the_documented_sizes_are_below_the_limit():
    """No race of two has more than 600 kB."""
    text = (ROOT / "docs" / "results" / "pages.md").read_text()
    table = dict(re.findall(r"\| ([\w-]+) \| \d+ \| ([\d,]+) (?=\|)", text))
    table |= dict(re.findall(r"\| ([\w-]+) \| \d+ \| ([\d,]+) \|\n", text))
    games = {name: kw.game(name) if name in FILES else kw.load_rules(name) for name in table}
    races = {name for name, game in games.items() if game.family == "push" and page_objective(game, None) == "win"}
    assert {"5000", "farkle", "hog", "zilch", "farkle-legendary"} <= races
    assert {name for name in races if int(table[name].replace(",", "")) > 600} == set()


@pytest.mark.slow
def test_the_same_question_gives_the_same_page(five_thousand):
    assert render_page(solution_of("5000")) == five_thousand


UNLIKE_HAND = ("--hand", "weighted,odd,lucky,even,pie,king")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["page", "5000", "--players", "5"], "at most 4 players"),
        (["page", "--rules", "farkle-facebook", "--players", "3"], "busts that cost points with three"),
        (["page", "scarney", "--rule", "double=chips", "--objective", "chips"], "does not support Scarney's chips"),
        (["page", "pig", "--players", "4"], "96,059,601 positions, too many for a browser; use a lower target"),
        (["page", "pig", "--players", "3", "--rule", "2:target=200"], "positions, too many for a browser"),
        (["page", "double-cameroon", "--objective", "win"], "an objective other than points"),
        (["page", "--all", "5000"], "leave 5000 out"),
        (["page", "kcd2", "--rule", "set_aside=all", *UNLIKE_HAND], "(these have 117,648)"),
        (["page", "pig", "-o", "no/such/folder/pig.html"], "cannot write"),
    ],
)
def test_page_refuses_unsupported_games_in_one_line(asked, words, capsys):
    assert run(asked) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


@pytest.mark.slow
def test_the_command_writes_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["page", "pig", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["output"] == "pig.html"
    assert (tmp_path / "pig.html").stat().st_size == told["bytes"]


@pytest.mark.slow
def test_rule_file_titles_are_escaped(tmp_path):
    """Names from rule files are hostile: none of them may become part of the page."""
    rules = (ROOT / "solver" / "games" / "rulefiles" / "pig.toml").read_text()
    assert 'title = "' in rules
    (tmp_path / "evil.toml").write_text(
        re.sub(r'title = "[^"]*"', 'title = "</title><script>alert(1)</script>"', rules)
    )
    text = render_page(kw.solve(kw.load_rules(tmp_path / "evil.toml")))
    assert text.count("<script") == 2
    assert "<script>alert" not in text


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize(
    ("game", "rules", "options"),
    [
        ("5000", {}, "target opening minimum minimum_on_win straight kinds"),
        ("beartrap", {"finish": "at_least"}, "target opening minimum straight five_ones kinds"),
        ("pig", {}, "target points"),
        ("farkle", {}, "target opening minimum straight kinds hot_dice"),
        ("beartrap", {}, ""),  # exactly the target: scores may be dead
    ],
)
def test_house_rules_are_the_options_that_move_the_ladder(game, rules, options):
    """Those that move the ladder or what choices add, and named values; not what else changes a turn."""
    asked = make_problem(kw.game(game, **rules), "win", 2)
    told, _ = house_rules(asked, push_graph)
    assert [option["key"] for option in told["options"]] == options.split() if options else told is None


@pytest.mark.slow
def test_the_whole_site_is_small_and_names_its_files():
    files = dict(site(None, lambda done: None))
    more = {f"{game}-{players}.html" for game, entry in LISTED_GAMES.items() for players in entry.more_players}
    assert sum(len(content) for name, content in files.items() if name not in more) < 8_000_000
    assert max(len(files[name]) for name in more) <= 3 << 20
    assert len(files["double-cameroon.html"]) < 1_000_000
    assert {f"{game}.html" for game in PAGES} < set(files)
    kept = json.loads(re.search(r"self\.FILES=(\[.*?\]);", files["service.js"].decode())[1])
    assert set(kept) == {"./", *files} - {"service.js"} - more


# --- in real browsers


def written(solution, tmp_path, sheet=True):
    (tmp_path / "page.html").write_text(render_page(solution, sheet=sheet), encoding="utf-8")
    return (tmp_path / "page.html").as_uri()


def assert_same(solution, position, told):
    """The page says what ``advise --json`` says: the same words, and numbers to WORTH."""
    assert "error" not in told, (solution.playable.id(position), told["error"])
    advice, value = solution.advise(position), solution.position_value(position)
    where = solution.playable.id(position)
    assert told["id"] == where
    assert told["explain"] == advice.explain(), where
    assert told["value"] == pytest.approx(value.value, abs=WORTH, rel=WORTH), where
    assert told["seats"][: len(value.seats)] == pytest.approx(value.seats, abs=WORTH, rel=WORTH), where
    choices = advice.as_json()["choices"]
    assert len(choices) == len(told["choices"]), where
    for ours, theirs in zip(choices, told["choices"], strict=True):
        for key in ("action", "points", "dice_left", "then", "tie", "bust", "wipe"):
            assert ours.get(key) == theirs.get(key), (where, key)
        assert list(ours["keep"]) == theirs["keep"], where
        for key in ("value", "loss"):
            assert theirs[key] == pytest.approx(ours[key], abs=WORTH, rel=WORTH), (where, key)


def assert_near(solution, position, told, rounding):
    """The page says what ``advise --json`` says but for the rounding, which may add ties and reorder them."""
    where = solution.playable.id(position)
    assert told["id"] == where
    assert told["value"] == pytest.approx(solution.position_value(position).value, abs=rounding), where
    choices = {choice["action"]: choice for choice in solution.advise(position).as_json()["choices"]}
    assert choices.keys() == {choice["action"] for choice in told["choices"]}, where
    for choice in told["choices"]:
        exact = choices[choice["action"]]
        for key in ("points", "dice_left", "then", "bust", "wipe"):
            assert choice.get(key) == exact.get(key), (where, key)
        assert choice["value"] == pytest.approx(exact["value"], abs=rounding), where
        assert choice["loss"] == pytest.approx(exact["loss"], abs=2 * rounding), where
        assert choice["tie"] == (choice["loss"] <= 2 * rounding), where
    assert told["choices"][0]["tie"], where


def asked_in(browser, tmp_path, solution, count, of=None, rounding=None, **changed):
    """Ask the page of a solution, or that ``of`` another under house rules (``house``) or with ``hands``."""
    positions = some_positions(solution, count)
    ids = [solution.playable.id(position) for position in positions]
    file = written(of or solution, tmp_path, sheet=rounding is None)  # the sheet of a large race takes an hour
    (told,) = browse(browser, tmp_path, [{"what": "positions", "file": file, "ids": ids, **changed}])
    assert told["errors"] == []
    # An address "data:" holds its content: Firefox loads a font of its own so, and nothing is asked of the network.
    assert [one for one in told["asked"] if not one.startswith(("file:", "blob:", "data:"))] == []
    for position, answer in zip(positions, told["found"], strict=True):
        if rounding is None:
            assert_same(solution, position, answer)
        else:
            assert_near(solution, position, answer, rounding)


@pytest.mark.cases(slow=12)
@pytest.mark.parametrize("game", PAGES)
@pytest.mark.parametrize("browser", BROWSERS)
def test_answers_are_those_of_the_command_line(browser, game, tmp_path):
    if browser == "chromium":
        asked_in(browser, tmp_path, solution_of(game), POSITIONS)
    else:
        asked_in(browser, tmp_path, short(game), POSITIONS // 10)


@pytest.mark.cases(slow=8)
@pytest.mark.parametrize(("game", "asked"), MORE, ids=lambda one: json.dumps(one).replace('"', ""))
def test_further_answers_are_those_of_the_command_line(game, asked, tmp_path):
    asked_in("chromium", tmp_path, solution_of(game, **asked), POSITIONS // 10)


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize(
    ("game", "players", "bytes_allowed"),
    [("zilch", 2, 600 * 1024), ("farkle-legendary", 2, 600 * 1024), ("5000", 3, 3 << 20)],
)
def test_rounded_pages_are_small_and_within_their_bound(game, players, bytes_allowed, tmp_path):
    """A page that would be too large has rounded chances, and says by how much; the docs promise 0.001 pp."""
    solution = solution_of(game, players=players)
    data, _ = page_data(solution, sheet=False)
    assert 0 < data["rounding"] <= 1e-5
    assert data["error_bound"] == solution.error_bound + data["rounding"]
    asked_in("chromium", tmp_path, solution, POSITIONS // 10, rounding=data["error_bound"])
    assert (tmp_path / "page.html").stat().st_size <= bytes_allowed


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("file", OWN)
def test_answers_for_rule_files_are_those_of_the_command_line(file, tmp_path):
    objective = "points" if file == "zilch" else None
    asked_in("chromium", tmp_path, solution_of(file, objective=objective), POSITIONS // 10)


LUCKY_LAST_TURN = """
name = "lucky"
dice = 3
target = 400
finish = "last_round"

[singles]
1 = 100
5 = 50

[[special]]
groups = [3]
then = "win"
"""


@pytest.fixture
def lucky(tmp_path):
    """Return a race with a last round, which three alike win at once however far the mover is behind."""
    (tmp_path / "lucky.toml").write_text(LUCKY_LAST_TURN, encoding="utf-8")
    return kw.solve(kw.load_rules(tmp_path / "lucky.toml"))


def test_last_turns_are_stored_up_to_a_constant_chance(lucky):
    """Their chance falls to that of a roll that wins at once, and not to 0."""
    rows = parts(lucky.problem, lucky.value_table)["arrays"]["last"]
    playable, grain = lucky.playable, lucky.problem.rules.grain
    assert rows[0, -1] >= 1 / 36  # three alike in the first roll, or in a later one
    for row, score in enumerate((0, 350)):
        for column in (8, 20, rows.shape[1] - 1, rows.shape[1] + 50):
            start = playable.turn_start((score, score + column * grain), 0, 0)
            chance = rows[row, min(column, rows.shape[1] - 1)]
            assert chance == pytest.approx(lucky.position_value(start).value, abs=WORTH)


@pytest.mark.slow
def test_answers_if_a_roll_wins_a_last_turn(lucky, tmp_path):
    asked_in("chromium", tmp_path, lucky, POSITIONS // 10)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["win", "points"])
def test_added_dice_are_read_as_by_the_command_line(objective, tmp_path):
    """The page numbers the rolls of Hog instead of listing them: all rolls of up to three dice, and some of more."""
    solution = solution_of("hog", objective=objective)
    playable, rng = solution.playable, random.Random(5)
    positions = []
    for start in solution.problem.list_positions({}).positions if objective == "points" else [playable.start()]:
        for choice in playable.choices(start):
            rolled = [after for _, after in playable.rolls(choice.after)]
            positions += [choice.after, *(rolled if choice.dice_left <= 3 else rng.sample(rolled, 8))]
            positions += [rolled[0], rolled[-1]]  # only 1s, only 6s
    ids = [playable.id(position) for position in positions]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "positions", "file": written(solution, tmp_path, sheet=False), "ids": ids}]
    )
    assert len(ids) > 300
    assert told["errors"] == []
    for position, answer in zip(positions, told["found"], strict=True):
        assert_same(solution, position, answer)


@pytest.mark.slow
def test_the_page_rolls_dice_that_are_added(tmp_path):
    """Half of the 36 ordered rolls of two dice come before 2 5, in the order of the page: 1 1, 1 2, 2 2, 1 3, ..."""
    half = "crypto.getRandomValues = (words) => words.set([2 ** 31, 0]) || words"
    roll_two = (
        "[...document.querySelectorAll('.choices button')].find((one) => /^roll.2.dice/.test(one.textContent)).click()"
    )
    steps = [
        ["run", half],
        ["tap", '[data-key="all choices"]'],
        ["run", roll_two],
        ["tap", '[data-key="roll here"]'],
        ["id"],
    ]
    file = written(solution_of("hog"), tmp_path, sheet=False)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    assert "/score=0/opponents=7/" in told["told"][-1]


HOUSE = (
    ("chromium", "5000", {}, {"opening": 400, "straight": 1000}),
    ("firefox", "5000", {}, {"opening": 400, "straight": 1000}),
    ("chromium", "5000", {"straight": 500}, {"target": 3000, "minimum": 0, "minimum_on_win": False, "straight": 0}),
    ("chromium", "5000", {"straight": 500}, {"straight": 2500, "opening": 1000}),
    ("chromium", "farkle", {"target": 4000}, {"target": 3000, "opening": 500, "straight": 1500}),
    ("chromium", "beartrap", {"finish": "at_least", "target": 3000}, {"target": 2500, "opening": 0, "straight": 1200}),
    ("chromium", "pig", {}, {"target": 60}),
    ("chromium", "farkle", {"target": 4000}, {"target": 3000, "kinds": "doubling", "straight": 1500, "opening": 500}),
    ("chromium", "pig", {}, {"target": 60, "points": "one"}),
    ("chromium", "beartrap", {"finish": "at_least", "target": 3000}, {"five_ones": "points", "straight": 1200}),
    ("chromium", "beartrap", {"finish": "at_least", "target": 3000}, {"kinds": "doubling", "straight": 1200}),
    ("firefox", "5000", {"kinds": "doubling"}, {"target": 3000, "kinds": "plain", "straight": 0}),
    ("chromium", "5000", {}, {"target": 3000, "kinds": "doubling"}),
    ("chromium", "farkle", {"target": 2000}, {"hot_dice": "must", "straight": 900}),
    ("chromium", "farkle", {"target": 2000}, {"hot_dice": "none", "kinds": "doubling"}),
    ("chromium", "farkle", {"target": 2000, "hot_dice": "must"}, {"hot_dice": "free", "opening": 500}),
)


@pytest.mark.cases(slow=4)
@pytest.mark.parametrize(("browser", "game", "rules", "house"), HOUSE, ids=lambda one: json.dumps(one).replace('"', ""))
def test_the_page_solves_house_rules_as_the_command_line_does(browser, game, rules, house, tmp_path):
    """The same ids, so the same fingerprint; and the same answers."""
    solution = solution_of(game, rules={**rules, **house})
    asked_in(browser, tmp_path, solution, POSITIONS // 10, of=solution_of(game, rules=rules), house=house)


# Rules by seat: hands of dice that are alike or not, with and without wild faces; target, opening and head start.
UNLIKE = {
    "like hands": ("kingdom-come-2", {"target": 1500, "hand": "lucky*6"}, {"hand": "ordinary*6"}),
    "a wild face": ("kingdom-come-2", {"target": 1500, "hand": "devils-head*2, odd*4"}, {"hand": "ordinary*6"}),
    "six unlike dice each": (
        "kingdom-come-2",
        {"target": 500, "hand": "lucky, odd, even, pie, weighted, devils-head"},
        {"hand": "ordinary, king, trinity, greasy, monk, unlucky"},
    ),
    "two kinds each": ("kingdom-come-2", {"target": 1500, "hand": "lucky*4, odd*2"}, {"hand": "odd, king*5"}),
    "target and opening": ("5000", {"target": 3000}, {"target": 2000, "opening": 300}),
    "a head start": ("5000", {"target": 2000}, {"head_start": 400}),
    "faces": ("pig", {"target": 60}, {"faces": 8, "target": 80}),
}


# The same of three and four players: the rules of seat 1, and of the seats after it.
UNLIKE_OF_MANY = {
    "target and head start of three": ("pig", {"target": 30}, {"target": 25}, {"head_start": 4}),
    "dice of four": ("pig", {"target": 10}, {"faces": 8, "target": 14}, {"head_start": 3}, {"faces": 4}),
    "mixed turns": ("pig", {"target": 14, "faces": 3}, {"head_start": 1}, {"head_start": 2}),
    "openings of three": ("5000", {"target": 1200}, {"opening": 300, "target": 1500}, {"head_start": 400}),
    "three hands": (
        "kingdom-come-2",
        {"target": 800, "hand": "devils-head*2, odd*4"},
        {"hand": "ordinary*6"},
        {"hand": "lucky*6"},
    ),
    "three hands of unlike dice": (
        "kingdom-come-2",
        {"target": 400, "hand": "lucky*4, odd*2"},
        {"hand": "odd, king*5"},
        {"hand": "ordinary*6", "target": 500},
    ),
}


def unlike_solution(name):
    game, rules, *others = {**UNLIKE, **UNLIKE_OF_MANY}[name]
    return kw.solve(kw.game(game, seats=dict(enumerate(others, 2)), **rules), players=len(others) + 1)


def test_a_page_holds_turn_scores_and_values_of_each_seat():
    solution = unlike_solution("a head start")
    data, _ = page_data(solution)
    assert data["seats"] == ["", "head_start=400"]
    mine, theirs = data["match"]["seats"]
    assert [mine["head_start"], theirs["head_start"]] == [0, 400]
    assert [mine["rolls"], theirs["rolls"]] == [[0, 5], [5, 10]]
    for seat, facts in enumerate((mine, theirs), 1):
        assert facts["scores"] == solution.value_table.arrays[f"scores{seat}"].tolist()
    assert data["arrays"]["win1"][2] == [len(mine["scores"]), len(theirs["scores"])]


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize("name", UNLIKE)
def test_unlike_seats_get_the_answers_of_the_command_line(name, tmp_path):
    """Of either seat, and under the rules of both."""
    solution = unlike_solution(name)
    count = max(60, POSITIONS // 10)
    assert {position.seat for position in some_positions(solution, count)} == {0, 1}
    asked_in("chromium", tmp_path, solution, count)


def test_a_page_of_three_unlike_seats_holds_their_tables():
    """By seat to move, the chances of all seats but the last; mixed turns by the lines of all movers."""
    solution = unlike_solution("mixed turns")
    data, _ = page_data(solution)
    assert (data["channels"], data["chooser"], data["seats"]) == ("seats", None, ["", "head_start=1", "head_start=2"])
    counts = [len(facts["scores"]) for facts in data["match"]["seats"]]
    for seat in range(3):
        shape = [*counts[seat:], *counts[:seat], 2]
        assert data["arrays"][f"win{seat + 1}"][2] == shape
    mixed = solution.value_table.arrays["mixed"]
    assert data["arrays"]["mixed"][2] == [3, 4]
    movers = np.unique(mixed[mixed[:, 0] >= 0, 0] // np.prod(counts))
    assert movers.tolist() == [0, 1, 2]


@pytest.mark.cases(slow=6)
@pytest.mark.parametrize("name", UNLIKE_OF_MANY)
@pytest.mark.parametrize("browser", BROWSERS)
def test_three_unlike_seats_get_the_same_answers(browser, name, tmp_path):
    """Of every seat, and under the rules of all of them."""
    solution = unlike_solution(name)
    count = max(90, POSITIONS // 5) if browser == "chromium" else 90
    seats = {position.seat for position in some_positions(solution, count)}
    assert seats == set(range(solution.problem.players))
    asked_in(browser, tmp_path, solution, count)


@pytest.mark.slow
def test_rounded_pages_of_three_unlike_seats_keep_their_bound(tmp_path):
    """Every table is rounded; advice for every seat is within the bound that the page states."""
    solution = kw.solve(kw.game("pig", target=50, seats={2: {"target": 45}, 3: {"head_start": 4}}), players=3)
    data, _ = page_data(solution, sheet=False)
    assert {data["arrays"][f"win{seat}"][0] for seat in (1, 2, 3)} == {"r"}
    assert 0 < data["rounding"] <= 1e-5
    asked_in("chromium", tmp_path, solution, POSITIONS // 5, rounding=data["error_bound"])


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_three_unlike_hands_are_played_and_kept(browser, tmp_path):
    """Names, dice of each seat, a link and a game that is kept; fields that are left out are the head starts."""
    solution = unlike_solution("three hands")
    playable = solution.playable
    prefix = playable.id_prefix
    press = "[...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('{}')).click()"
    scores = ["texts", ".scores small"]
    steps = [
        scores,
        *taps(["1-odd", "1-odd", "1-odd", "5-odd", "D-devils-head", "D-devils-head"]),
        ["tap", '[data-key="keep 2"]'],
        ["run", press.format("Bank")],
        ["id"],
        ["tap", '[data-key="turn 100"]'],
        ["id"],
        ["texts", ".scores b"],
        ["again"],
        ["id"],
        ["run", f"void (location.hash = '#id={prefix}/score=50/opponents=100,150/seat=2')"],
        ["wait", "Open the position of this link?"],
        ["tap", '[data-key="open link"]'],
        ["id"],
        ["run", f"keepwise.advise('{prefix}/seat=1').id"],
        ["run", "document.querySelectorAll('[data-key=\"solve hands\"]').length"],
    ]
    file = written(solution, tmp_path, sheet=False)
    tall = {"height": 1600}  # so that no die is behind the bar at the bottom
    (told,) = browse(browser, tmp_path, [{"what": "steps", "file": file, "steps": steps, "viewport": tall}])
    assert told["errors"] == []
    hands, second, third, points, again, linked, start, choosers = [one for one in told["told"] if one is not None]
    assert hands == ["devils-head*2, odd*4", "ordinary*6", "lucky*6"]
    assert [playable.from_id(where).seat for where in (second, third)] == [1, 2]
    assert playable.from_id(third).scores == (playable.from_id(second).scores[0], 100, 0)
    assert points == [str(score) for score in playable.from_id(third).scores]
    assert again == third
    assert playable.from_id(linked) == playable.turn_start((100, 150, 50), 2, 0)
    assert playable.from_id(start) == playable.turn_start((0, 0, 0), 1, 0)
    assert choosers == 0


@pytest.mark.slow
def test_head_starts_are_the_usual_scores_of_three(tmp_path):
    """An id that leaves out scores means the head start of each seat, as for the program."""
    solution = unlike_solution("mixed turns")
    playable = solution.playable
    ids = [f"{playable.id_prefix}/seat={seat}" for seat in range(3)]
    file = written(solution, tmp_path, sheet=False)
    (told,) = browse("chromium", tmp_path, [{"what": "positions", "file": file, "ids": ids}])
    for where, answer in zip(ids, told["found"], strict=True):
        assert_same(solution, playable.from_id(where), answer)


@pytest.mark.slow
def test_a_page_says_whose_dice_are_whose(tmp_path):
    """The dice of each seat stand below its score; the opponent's turn offers the opponent's dice, and only those."""
    solution = unlike_solution("a wild face")
    button = "[...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('{}')).click()"
    steps = [
        ["texts", ".scores small"],
        ["texts", ".faces button"],
        *taps(["1-odd", "1-odd", "1-odd", "5-odd", "D-devils-head", "D-devils-head"]),
        ["tap", '[data-key="keep 2"]'],
        ["run", button.format("Bank")],
        ["run", button.format("Enter each roll")],
        ["texts", ".faces button"],
        *taps("111236"),
        ["id"],
        ["run", "try { keepwise.advise(keepwise.id().replace('seat=1/', '')) } catch (error) { error.message }"],
        ["texts", ".choices li"],
    ]
    file = written(solution, tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    hands, my_faces, *_, their_faces, where, refused, choices = told["told"]
    assert hands == ["devils-head*2, odd*4", "ordinary*6"]
    assert {face.partition("-")[2] for face in my_faces} == {"devils-head", "odd"}
    assert len(their_faces) == 6
    here = solution.playable.from_id(where)
    assert (here.seat, here.scores) == (1, (100, 0))
    assert refused == "no turn leads to dice=6 roll=1,1,1,2,3,6; copy the whole id again"
    best = solution.advise(here).best
    assert choices[0].lower().startswith(best.action)


FLAT = {str(size): dict.fromkeys("123456", points) for size, points in ((4, 1000), (5, 2000), (6, 3000))}
THREE_PAIRS = {"name": "three pairs", "dice": "aabbcc", "points": 1500}
STRAIGHT = {"name": "straight", "dice": "123456"}

# Hands that a player chooses on a page of other hands: what is asked, and for which target.
CHOSEN = {
    "a wild face and like dice": ("chromium", "win", ("devils-head*2, odd*4", "ordinary*6"), 800),
    "the same in firefox": ("firefox", "win", ("devils-head*2, odd*4", "ordinary*6"), 500),
    "six unlike dice each": (
        "chromium",
        "win",
        ("devils-head, even, lucky, odd, pie, weighted", "greasy, king, monk, ordinary, trinity, unlucky"),
        500,
    ),
    "faces that no die shows": ("chromium", "win", ("pie*6", "devils-head*6"), 1000),
    "ordinary dice first": ("chromium", "win", ("ordinary*6", "lucky*5, ordinary"), 500),
    "equal hands": ("chromium", "win", ("lucky*6", "lucky*6"), 500),
    "points with a wild face": ("chromium", "points", ("devils-head*2, odd*4", "ordinary*6"), 1500),
    "points of six unlike dice": ("firefox", "points", ("even, lucky, odd, ordinary, pie, weighted", "pie*6"), 800),
    "points of like dice": ("chromium", "points", ("lucky*6", "ordinary*6"), 4000),
}


def choice_of(hands, target, objective):
    """Return a choice as the page holds it."""
    dice = [[part.strip().partition("*") for part in hand.split(",")] for hand in hands]
    return {
        "hands": [[[name, int(count or 1)] for name, _, count in hand] for hand in dice],
        "target": target,
        "objective": objective,
    }


# Hands chosen together with rules for banks: a browser, the objective, the hands, and the rules that differ.
CHOSEN_WITH_STOPS = {
    "opening": ("chromium", "win", ("devils-head*2, odd*4", "ordinary*6"), {"opening": 200}),
    "opening in firefox": ("firefox", "win", ("lucky*6", "pie*6"), {"opening": 150}),
    "minimum of unlike dice": ("firefox", "win", ("lucky*5, odd", "king*3, odd*3"), {"minimum": 100}),
    "not for the win": (
        "chromium",
        "win",
        ("lucky*4, odd*2", "pie*6"),
        {"opening": 200, "minimum": 150, "minimum_on_win": False},
    ),
    "points": ("chromium", "points", ("lucky*4, odd*2", "pie*6"), {"opening": 200, "minimum": 100}),
}


def game_with(hands, target, stops):
    """Return the game of two hands with rules for banks, as the page names them; of one hand if there is only one."""
    mine, *others = hands
    rules = {STOP_KEYS[name]: value for name, value in stops.items()}
    seats = {2: {"hand": others[0]}} if others else {}
    return kw.game("kingdom-come-2", target=target, hand=mine, seats=seats, **rules)


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("name", CHOSEN_WITH_STOPS)
def test_the_page_solves_chosen_hands_with_rules_for_banks(name, tmp_path):
    browser, objective, hands, stops = CHOSEN_WITH_STOPS[name]
    is_race = objective == "win"
    game = game_with(hands if is_race else hands[:1], 500, stops)
    solution = kw.solve(game, objective=objective, **({} if is_race else {"goal": 500}))
    choice = choice_of(hands, 500, objective) | {"stops": stops}
    asked_in(browser, tmp_path, solution, max(60, POSITIONS // 10), of=other_hands(), hands=choice)


def other_hands():
    """Return a solution whose page lets players choose other hands, with little to solve and to write."""
    return kw.solve(kw.game("kingdom-come-2", target=300, hand="king*6", seats={2: {"hand": "odd*6"}}))


@pytest.mark.cases(slow=3)
@pytest.mark.parametrize("name", CHOSEN)
def test_the_page_solves_chosen_hands_as_the_command_line_does(name, tmp_path):
    """The same ids, so the same fingerprint; and the same answers."""
    browser, objective, hands, target = CHOSEN[name]
    mine, theirs = hands
    if objective == "points":
        game, asked = kw.game("kingdom-come-2", target=target, hand=mine), {"goal": target}
    else:
        game, asked = kw.game("kingdom-come-2", target=target, hand=mine, seats={2: {"hand": theirs}}), {}
    solution = kw.solve(game, objective=objective, **asked)
    choice = choice_of(hands, target, objective)
    asked_in(browser, tmp_path, solution, max(60, POSITIONS // 10), of=other_hands(), hands=choice)


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_an_evening_with_chosen_hands(browser, tmp_path):
    """Dice are chosen by tap and by search; the game is there again after a reload; a link has the hands."""
    button = "[...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('{}')).click()"
    search = "(() => {{ const one = document.querySelector('[data-key=\"{0}\"]'); one.value = '{1}';" + (
        " one.dispatchEvent(new Event('input')); }})()"
    )
    shown = "[...document.querySelectorAll('[data-key^=\"die 0\"]')].filter((one) => !one.hidden).length"
    press = "document.querySelector('[data-key=\"{}\"]').click()"  # the bar below may lie over what is tapped
    drop = [["run", press.format("drop 0 king")]] * 6
    choose = [
        ["tap", '[data-key="view more"]'],
        *drop,
        ["run", "document.querySelectorAll('fieldset summary')[0].click()"],
        ["run", search.format("find 0", "Devils H")],
        ["run", shown],
        *[["run", press.format("die 0 devils-head")]] * 2,
        ["run", search.format("find 0", "odd")],
        *[["run", press.format("die 0 odd")]] * 4,
        ["run", search.format("find 0", "St Stephen’s")],
        ["run", shown],
        ["texts", '[data-key^="drop 0"]'],
        ["run", press.format("fair 1")],
        ["run", search.format("hand target", "1,500")],
        ["axe"],
        ["sideways"],
        ["run", press.format("solve hands")],
    ]
    dice = ["1-odd", "1-odd", "1-odd", "5-odd", "D-devils-head", "D-devils-head"]
    link = (
        "#id=kingdom-come-2:win2:7118d6ab/score=100/opponents=200"
        "&hands=devils-head*2, odd*4/ordinary*6&target=1500&for=win"
    )
    steps = [
        *choose,
        ["wait", "ordinary*6, to 1,500 points"],
        ["texts", ".scores small"],
        ["tap", '[data-key="view play"]'],
        *taps(dice),
        ["tap", '[data-key="keep 2"]'],
        ["run", button.format("Bank")],
        ["run", button.format("Enter each roll")],
        *taps("111236"),
        ["id"],
        ["texts", ".choices li"],
        ["again"],
        ["wait", "ordinary*6, to 1,500 points"],
        ["id"],
        ["tap", '[data-key="shipped"]'],
        ["wait", "king*6"],
        ["id"],
        ["run", f"void (location.hash = {link!r})"],
        ["tap", '[data-key="open link"]'],
        ["wait", "81.5% to win"],
        ["id"],
        ["tap", '[data-key="view more"]'],
        ["select", '[data-key="hand objective"]', "points"],
        ["run", press.format("solve hands")],
        ["wait", "with devils-head*2, odd*4, to 1,500 points"],
        ["id"],
    ]
    file = written(other_hands(), tmp_path)
    (told,) = browse(browser, tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    notes = [one for one in told["told"] if one is not None]
    found, saint, names, axe, sideways, hands, here, choices, again, home, linked, points = notes
    assert (found, saint, names, axe) == (1, 1, ["2 × Devil’s head", "4 × Odd"], [])
    assert sideways <= 0
    assert hands == ["devils-head*2, odd*4", "ordinary*6"]
    solution = unlike_solution("a wild face")
    assert again == here
    position = solution.playable.from_id(here)
    assert (position.seat, position.scores) == (1, (100, 0))
    assert choices[0].lower().startswith(solution.advise(position).best.action)
    assert home == f"{other_hands().playable.id_prefix}/score=0/opponents=0"
    assert linked == f"{solution.playable.id_prefix}/score=100/opponents=200"
    assert points.startswith("kingdom-come-2:points:")


@pytest.mark.slow
def test_a_solve_for_chosen_hands_can_be_cancelled_and_refused(tmp_path):
    """The page stays as it was; what it cannot solve is refused in one line."""
    slow = choice_of(
        ("devils-head, even, lucky, odd, pie, weighted", "king, lucky, monk, odd, pie, trinity"), 4000, "win"
    )
    wrong = [
        ({**slow, "target": 4001}, "target 4001 is not possible: points come in steps of 50"),
        ({**slow, "target": 0}, "target 0 must be between 50 and 10000"),
        (choice_of(("lucky*5", "odd*6"), 500, "win"), "a hand must have 6 dice, not 5"),
        (choice_of(("luck*6", "odd*6"), 500, "win"), "unknown die luck"),
    ]
    asked = "keepwise.hands({}).then((done) => [done, document.querySelector('.said').textContent])"
    steps = [
        *[["run", asked.format(json.dumps(choice))] for choice, _ in wrong],
        ["run", f"void (window.solving = keepwise.hands({json.dumps(slow)}))"],
        ["tap", '[data-key="cancel"]'],
        ["run", "window.solving"],
        ["text", ".said"],
        ["id"],
    ]
    solution = other_hands()
    file = written(solution, tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    *refused, done, text, here = [one for one in told["told"] if one is not None]
    for (_, words), (is_solved, message) in zip(wrong, refused, strict=True):
        assert not is_solved
        assert words in message
    assert (done, text) == (False, "solving was cancelled")
    assert here == f"{solution.playable.id_prefix}/score=0/opponents=0"


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_a_race_that_the_browser_has_stored_is_not_solved_again(browser, tmp_path):
    """Without workers a page cannot solve: only a whole entry of the same race is used. Few entries are stored."""
    hands = json.dumps(choice_of(("lucky*6", "pie*6"), 300, "win"))
    other_target = json.dumps(choice_of(("lucky*6", "pie*6"), 350, "win"))
    solve = "keepwise.hands({})"
    with_entries = (
        "new Promise((done) => {{ const opening = indexedDB.open('keepwise', 1); opening.onsuccess = () => {{"
        " const entries = opening.result.transaction('races', 'readwrite').objectStore('races');"
        " const close = (result) => {{ opening.result.close(); done(result); }}; {} }}; }})"
    )
    # A change of the last bit of a chance; and an entry of another race under the key of this race.
    damage = with_entries.format(
        "entries.getAll().onsuccess = ({ target }) => { const [entry] = target.result;"
        " new Uint8Array(entry.wins[1].buffer)[0] ^= 1; entries.put(entry).onsuccess = () => close(0); };"
    )
    exchange = with_entries.format(
        "entries.getAll().onsuccess = ({ target }) => { const [entry, other] = target.result;"
        " const first = entry.key; entry.key = other.key; other.key = first;"
        " entries.put(entry); entries.put(other).onsuccess = () => close(0); };"
    )
    fill = with_entries.format(
        "for (let n = 0; n < 20; n++) entries.put({ key: `older ${n}`, time: n });"
        " entries.count().onsuccess = ({ target }) => close(target.result);"
    )
    count = with_entries.format("entries.count().onsuccess = ({ target }) => close(target.result);")
    solution = kw.solve(kw.game("kingdom-come-2", target=300, hand="lucky*6", seats={2: {"hand": "pie*6"}}))
    start = solution.playable.id(solution.playable.start())
    ask = ["run", f"keepwise.advise({start!r}).value"]
    pause = ["run", "new Promise((done) => setTimeout(() => done(null), 500))"]  # the page stores behind its back
    go_home = ["run", f"keepwise.hands({json.dumps(choice_of(('king*6', 'odd*6'), 300, 'win'))})"]
    attempts = ["run", "attempts > 0"]  # whether the page asked for a worker
    second = [["wait", "pie*6"], ask, go_home, ["run", solve.format(hands)], ask, go_home, attempts]
    file = written(other_hands(), tmp_path)
    parts = [
        {"steps": [["run", solve.format(hands)], ask, pause]},
        {"without": "Worker", "steps": second},
        {"without": "Worker", "steps": [["run", damage], ["run", solve.format(hands)], ["id"], attempts]},
        {"steps": [["run", solve.format(hands)], ask, go_home, ["run", solve.format(other_target)], go_home, pause]},
        {"without": "Worker", "steps": [["run", exchange], ["run", solve.format(hands)], ["id"], attempts]},
        {"steps": [["run", fill], ["run", solve.format(hands)], ask, pause, ["run", count]]},
    ]
    results = browse(browser, tmp_path, [{"what": "steps", "file": file, **part} for part in parts])
    first, again, damaged, new, exchanged, last = [
        [one for one in result["told"] if one is not None] for result in results
    ]
    home = other_hands().playable
    home_id = home.id(home.start())
    value = first[1]
    assert value == pytest.approx(solution.advise(solution.playable.start()).best.value, abs=WORTH)
    assert first == [True, value]
    assert again == [value, True, True, value, True, False]
    assert damaged == [0, False, home_id, True]
    assert new == [True, value, True, True, True]
    assert exchanged == [0, False, home_id, True]
    assert last == [22, True, value, 10]
    for result in results:  # a browser may close a page before it tells of an error
        assert all("Worker is forbidden" in error for error in result["errors"])


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_chosen_hands_and_house_rules_hold_together(browser, tmp_path):
    """In either order, after a reload and in links; a rule that the page has for its own dice only is refused."""
    solution = kw.solve(kw.game("kingdom-come-2", target=300))
    press = "document.querySelector('[data-key=\"{}\"]').click()"
    changed, said = (f"document.querySelector('.{name}').textContent" for name in ("changed", "said"))
    clipboard = "{ writeText: async (url) => void (localStorage.link = url.split('#')[1]) }"
    share = "[...document.querySelectorAll('button')].find((one) => one.textContent.startsWith('Link to')).click()"
    more = ["tap", '[data-key="view more"]']
    pause = ["run", "new Promise((done) => setTimeout(() => done(null), 300))"]
    no_straight = ["run", "keepwise.house({full_straight: 0}).then(() => null)"]
    hands = json.dumps(choice_of(("pie*6", "odd*6"), 300, "win"))
    steps = [
        ["run", "keepwise.house({'stop.opening': 100}).then(() => null)"],
        ["id"],
        more,
        ["texts", ".hint"],
        *[["run", press.format(key)] for key in ["drop 0 ordinary"] * 6 + ["die 0 lucky"] * 6],
        ["run", press.format("solve hands")],
        ["wait", "lucky*6"],
        ["id"],
        ["run", "keepwise.house({target: 250}).then(() => null)"],
        ["id"],
        ["run", changed],
        no_straight,
        ["run", said],
        more,
        ["run", "document.querySelector('[data-key=\"rule three_pairs\"]').disabled"],
        ["run", f"void Object.defineProperty(navigator, 'clipboard', {{ value: {clipboard} }})"],
        ["run", share],
        ["again"],
        ["wait", "to 250 points"],
        ["id"],
        ["tap", '[data-key="shipped"]'],
        pause,
        ["id"],
        no_straight,
        ["run", f"keepwise.hands({hands}).then(() => null)"],
        ["run", said],
        ["run", "void (location.hash = localStorage.link)"],
        ["tap", '[data-key="open link"]'],
        ["wait", "lucky*6"],
        ["id"],
    ]
    file = written(solution, tmp_path)
    (result,) = browse(browser, tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert result["errors"] == []
    told = [one for one in result["told"] if one is not None]
    opened, hints, chosen, nearer, rules, message, is_disabled, again, home, other_message, linked = told

    def start_of(*hands, target=300, **rules):
        playable = kw.playable(game_with(hands, target, rules))
        return playable.id(playable.start())

    both = "lucky*6", "ordinary*6"
    assert opened == start_of("ordinary*6", opening=100)
    assert (
        "Target, opening and minimum can be changed together with the dice."
        " The page has other house rules for its own dice only."
    ) in hints
    assert chosen == start_of(*both, opening=100)
    assert nearer == again == linked == start_of(*both, target=250, opening=100)
    assert "lucky*6 / ordinary*6, to 250 points; opening 100 instead of 0" in rules
    assert is_disabled
    assert home == solution.playable.id(solution.playable.start())
    refusal = (
        "changed full_straight cannot be combined with chosen dice:"
        " the page has this rule for its own dice only; change one of them back"
    )
    assert [message, other_message] == [refusal, refusal]


@pytest.mark.slow
def test_a_slider_shows_a_chosen_target_beyond_its_range(tmp_path):
    """The other sliders still change the rules, and the target stays."""
    hands, target = ("lucky*6", "pie*6"), 1000
    shown = "document.querySelector('[data-key=\"rule target\"]')"
    move = "(() => {{ const one = {0}; one.value = {1}; one.dispatchEvent(new Event('input')); }})()"
    steps = [
        ["run", f"keepwise.hands({json.dumps(choice_of(hands, target, 'win'))}).then(() => null)"],
        ["tap", '[data-key="view more"]'],
        ["run", f"[{shown}.max, {shown}.previousElementSibling.textContent]"],
        ["run", move.format("document.querySelector('[data-key=\"rule stop.opening\"]')", 100)],
        ["tap", '[data-key="solve"]'],
        ["wait", "opening 100"],
        ["id"],
    ]
    file = written(kw.solve(kw.game("kingdom-come-2", target=300)), tmp_path)
    (result,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert result["errors"] == []
    (end_of_range, text), changed = [one for one in result["told"] if one is not None]
    assert int(end_of_range) < target
    assert text == "1,000"
    playable = kw.playable(game_with(hands, target, {"opening": 100}))
    assert changed == playable.id(playable.start())


@pytest.mark.slow
def test_a_page_refuses_rules_for_banks_that_nobody_can_meet(tmp_path):
    choice = choice_of(("lucky*6", "pie*6"), 300, "win")
    wrong = [
        ({"opening": 350}, "opening 350 must be between 0 and 300"),
        ({"minimum": -50}, "minimum -50 must be between 0 and 300"),
        ({"opening": "much"}, "opening much must be between 0 and 300"),
        ({"opening": 30}, "opening 30 is not possible: points come in steps of 50"),
        ({"minimum_on_win": "no"}, "unknown rule in the link: no; open the page without it"),
    ]
    asked = "keepwise.hands({}).then((done) => [done, document.querySelector('.said').textContent])"
    steps = [["run", asked.format(json.dumps(choice | {"stops": stops}))] for stops, _ in wrong]
    file = written(other_hands(), tmp_path)
    (result,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert result["errors"] == []
    assert result["told"] == [[False, words] for _, words in wrong]


@pytest.mark.parametrize(
    ("game", "rules", "is_given"),
    [
        ("kingdom-come-2", {"target": 300}, True),
        ("kingdom-come-2", {"target": 300, "seats": {2: {"target": 400}}}, False),
        ("kingdom-come-2", {"target": 300, "finish": "exact"}, False),
        ("pig", {"target": 20}, False),
    ],
)
def test_players_choose_hands_where_seats_differ_in_nothing_else(game, rules, is_given):
    assert (chooser_data(make_problem(kw.game(game, **rules), "win", 2)) is not None) == is_given


@pytest.mark.slow
def test_a_page_with_a_chooser_of_hands_is_small():
    solution = solution_of("kingdom-come-2", rules={"target": 4000})
    assert len(render_page(solution).encode()) <= 400_000


# A rule file, house rules of its page, and how its table changes: values, points of patterns, more than three alike.
FILE_HOUSE = (
    (
        "zonk",
        {"target": 3000, "straight": 2000, "three_pairs": 0},
        {"target": 3000},
        {"straight": 2000, "three pairs": 0},
        {},
    ),
    (
        "zonk",
        {"target": 3000, "stop.opening": 500, "four_alike": "flat", "straight": 0},
        {"target": 3000, "stop": {"at_least": 300, "opening": 500}},
        {"straight": 0},
        FLAT,
    ),
    ("zehntausend", {"target": 4000, "three_pairs": 0}, {"target": 4000}, {"three pairs": 0}, {}),
    (
        "zehntausend",
        {"target": 3000, "straight": 2000, "stop.at_least": 350, "four_alike": "flat"},
        {"target": 3000, "stop": {"at_least": 350, "below": "must"}},
        {"straight": 2000},
        FLAT,
    ),
    (
        "farkle-busche-neller",
        {"target": 3000, "straight": 1200, "three_pairs": 1500},
        {"target": 3000, "pattern": [{**STRAIGHT, "points": 1200}, THREE_PAIRS]},
        {},
        {},
    ),
    (
        "farkle-busche-neller",
        {"target": 3000, "four_alike": "flat", "stop.opening": 500},
        {"target": 3000, "stop": {"opening": 500}},
        {},
        FLAT,
    ),
    *(
        case
        for name in ("kingdom-come", "kingdom-come-2")
        for case in (
            (
                name,
                {"target": 2000, "stop.at_least": 300, "stop.on_win": False},
                {"target": 2000, "stop": {"at_least": 300, "on_win": False}},
                {},
                {},
            ),
            (name, {"full_straight": 2000, "four_alike": "flat"}, {}, {"full straight": 2000}, FLAT),
        )
    ),
)


def changed_file(name, values, points, alike):
    """The game of a rule file whose table is changed by hand."""
    table = tomllib.loads((ROOT / "solver" / "games" / "rulefiles" / f"{name}.toml").read_text()) | values
    patterns = [{**entry, "points": points.get(entry["name"], entry["points"])} for entry in table.pop("pattern", [])]
    if scoring := [entry for entry in patterns if entry["points"]]:
        table["pattern"] = scoring
    if alike:
        table["alike"] = {"3": table["alike"]["3"], **alike}
    return own_game(schema.flatten(table))


@pytest.mark.cases(slow=3)
@pytest.mark.parametrize(
    ("name", "house", "values", "points", "alike"), FILE_HOUSE, ids=lambda one: json.dumps(one).replace('"', "")[:60]
)
def test_rule_file_pages_solve_house_rules_as_python_does(name, house, values, points, alike, tmp_path):
    """The same ids as of the changed file, and the same answers at 60 positions."""
    solution = kw.solve(changed_file(name, values, points, alike), objective="win")
    page = kw.solve(kw.load_rules(name), objective="win")
    text = render_page(page, sheet=False)
    assert len(text.encode()) <= 600_000
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    positions = some_positions(solution, 60)
    ids = [solution.playable.id(position) for position in positions]
    file = (tmp_path / "page.html").as_uri()
    (told,) = browse("chromium", tmp_path, [{"what": "positions", "file": file, "ids": ids, "house": house}])
    assert told["errors"] == []
    for position, answer in zip(positions, told["found"], strict=True):
        assert_same(solution, position, answer)


def a_game(solution, seed):
    """A game of random choices, told line by line, some turns only by what they brought; perhaps not to its end."""
    playable, rng = solution.playable, random.Random(seed)
    names = [SeatedPlayer(name) for name in ("You", "Ann", "Bob", "Cy")[: playable.players]]
    game = GameFile(playable, tuple(names), "mine")
    for _ in range(rng.randrange(150)):
        if game.is_over:
            break
        here = game.position
        if playable.stage(here) == "choose":
            game.choose(rng.choice(playable.choices(here)))
            continue
        if game.steps_before_turn is not None and rng.random() < 0.3:
            with_told = rng.choice(("bust", "0", "500", "7", "20", "large", "pass", "win", "15", "wipe"))
            try:
                game.play_line(f"turn {with_told}")
                continue
            except InputError:
                pass
        after = one_step(playable, here, rng)
        game.play_line(format_roll(playable, here, after))
    return game


@pytest.mark.cases(slow=6)
@pytest.mark.parametrize("game", PAGES)
def test_game_files_are_read_and_judged_as_by_the_command_line(game, tmp_path):
    assert_same_reviews(short(game), tmp_path)


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("name", [*UNLIKE, "dice of four", "three hands"])
def test_game_files_of_unlike_seats_are_judged_alike(name, tmp_path):
    assert_same_reviews(unlike_solution(name), tmp_path, game_count=5)


def assert_same_reviews(solution, tmp_path, game_count=25):
    games = [a_game(solution, seed) for seed in range(game_count)]
    texts = [one.to_text() for one in games]
    task = {"what": "reviews", "file": written(solution, tmp_path), "texts": texts}
    (told,) = browse("chromium", tmp_path, [task])
    for one, text, answer in zip(games, texts, told["found"], strict=True):
        assert "error" not in answer, (answer, text)
        assert answer["text"] == text
        assert one.is_over or answer["position"] == solution.playable.id(one.position)
        judged = review(solution, one).as_json()
        assert answer["over"] == judged["over"]
        for ours, theirs in zip(judged["seats"], answer["seats"], strict=True):
            for key in ("start", "luck", "errors", "own_errors", "from_others", "outcome"):
                assert theirs[key] == pytest.approx(ours[key], abs=1e-11, rel=1e-12), (key, text)
            assert theirs["decisions"] == ours["decisions"]
            assert theirs["mistakes"] == ours["mistakes"]


def taps(dice):
    return [["tap", f'[data-key="face {face}"]'] for face in dice]


@pytest.mark.slow
def test_a_bust_that_costs_less_says_why(tmp_path):
    """A cost of 300 at a score of 0, in three languages."""
    (tmp_path / "costly.toml").write_text(
        LUCKY_LAST_TURN.replace("finish", "bust.costs = [300]\nfinish"), encoding="utf-8"
    )
    spared = {
        "en": "(the cost is 300, but the score can go no lower)",
        "de": "(die Strafe ist 300, aber tiefer kann der Punktestand nicht sinken)",
        "fr": "(la pénalité est de 300, mais le score ne peut pas descendre plus bas)",
    }
    steps = []
    for language, words in spared.items():
        steps += [["tap", '[data-key="view more"]'], ["select", "select", language], ["tap", '[data-key="view play"]']]
        steps += [*taps("234"), ["wait", words], ["tap", '[data-key="undo"]']]
    file = written(kw.solve(kw.load_rules(tmp_path / "costly.toml")), tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_an_evening_offline_closed_and_opened_again(browser, tmp_path):
    """5000 with a friend on a phone: the example of docs/first-evening.md, and on to the end of the game."""
    best = ".choices li:nth-child(1) button"
    steps = [
        *taps("11135"),
        ["text", best],
        ["tap", best],
        ["tap", '[data-key="turn 500"]'],
        *taps("11532"),
        ["text", "[role=status]"],
        ["tap", '[data-key="all choices"]'],
        ["tap", ".choices li:nth-child(5) button"],
        ["id"],
        ["again"],  # closed in the middle of a turn
        ["id"],
        *taps("442"),
        ["id"],
        ["tap", '[data-key="undo"]'],
        ["tap", '[data-key="redo"]'],
        ["tap", '[data-key="turn 300"]'],
        ["id"],
        ["tap", '[data-key="undo"]'],
        ["tap", '[data-key="undo"]'],
        ["again"],  # what was taken back is kept too
        ["tap", '[data-key="redo"]'],
        ["tap", '[data-key="redo"]'],
        ["id"],
        ["tap", '[data-key="view review"]'],
        ["texts", "table td"],
        ["tap", '[data-key="view play"]'],
    ]
    for theirs in (400, 450, 500):
        steps += [*taps("11166"), ["run", BANK_ALL], ["tap", f'[data-key="turn {theirs}"]']]
    steps += [*taps("11165"), ["run", BANK_ALL], ["wait", "The game is over. Winner: You."], ["texts", ".scores b"]]
    (told,) = browse(
        browser, tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    assert [one for one in told["asked"] if not one.startswith(("file:", "about:", "data:"))] == []
    first, advice, before, again, bust, after, later, cells, *_, scores = told["told"]
    assert first.startswith("keep 1 1 1 5, bank 1,05070.6% to win")
    assert (
        advice == "keep 1, roll 4 dice: 64.4% to win, busting 15.7% of the time; next best, keep 1 1, roll 3 dice,"
        " costs 0.15 pp."
    )
    assert before == again == "5000:win2:a141a189/score=1050/opponents=500/turn=150/dice=3/throwing=true"
    assert bust == "5000:win2:a141a189/score=500/opponents=1050/seat=1"
    assert after == later == "5000:win2:a141a189/score=1050/opponents=800"
    assert cells[1:] == [
        "52.8%",
        "47.2%",
        "+7.38 pp",
        "-7.38 pp",
        "-1.19 pp",
        "0.00 pp",
        "0.00 pp",
        "+1.19 pp",
        "59.0%",
        "41.0%",
        "0.60 pp",
        "none",
    ]
    assert scores == ["5,100", "2,150"]


# Bank as much as there is: what a person reads in the list.
BANK_ALL = (
    "[...document.querySelectorAll('.choices button')]"
    ".find((one) => /keep 1 1 1( 5)?, bank/.test(one.textContent)).click()"
)


@pytest.mark.slow
def test_files_go_from_page_to_command_line_and_back(tmp_path):
    """A game file of the command line's is loaded; one that cannot be is refused with file, line and reason."""
    solution = solution_of("5000")
    good, bad, evil, odd = (tmp_path / f"{name}.kw" for name in ("evening", "bad", "evil", "odd"))
    head = "game: 5000\nseat: Ann = person\nseat: Bob = hold:300\n\n"
    good.write_text(head + "Ann: 1 1 1 5 3\nAnn: keep 1 1 1 5, bank\nBob: turn 500\nundo\nBob: turn 550\n")
    bad.write_text(head + "Ann: 1 1 1 5 3\nAnn: keep 6, bank\n")
    evil.write_text("game: 5000\nseat: <u>evil</u> = person\nseat: B\u202ea = table\n", encoding="utf-8")
    odd.write_text("game: 5000\nseat: <u>odd</u> = person\nseat: B = table\n")
    steps = [
        ["tap", '[data-key="view more"]'],
        ["upload", "#file", str(bad)],
        ["wait", "bad.kw:6"],
        ["text", "[role=status]"],
        ["upload", "#file", str(evil)],
        ["wait", "evil.kw:3"],
        ["text", "[role=status]"],
        ["upload", "#file", str(good)],
        ["wait", "evening.kw is loaded"],
        ["id"],
        ["texts", ".scores b"],
        ["tap", '[data-key="view more"]'],
        ["upload", "#file", str(odd)],
        ["wait", "<u>odd</u> to move"],
        ["run", "document.querySelectorAll('u').length"],
    ]
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": written(solution, tmp_path), "steps": steps}])
    refused, hostile, where, scores, elements = told["told"]
    assert refused.startswith("bad.kw:6: keep 6, bank is not a choice here; choose from: keep 1 1 1 5, bank 1,050;")
    assert hostile == "evil.kw:3: a line must not contain \\u202e, an invisible character"
    assert where == "5000:win2:a141a189/score=1050/opponents=550"
    assert scores == ["1,050", "550"]
    assert elements == 0


@pytest.mark.slow
def test_house_rules_are_stored_and_linked(tmp_path):
    """Told by sliders; the game under them is there again, and whoever opens the link has them too."""
    slide = "document.querySelector('[data-key=\"rule {}\"]')"
    move = "(() => {{ const one = {0}; one.value = {1}; one.dispatchEvent(new Event('input')); }})()"
    moves = [["run", move.format(slide.format(rule), value)] for rule, value in (("opening", 400), ("straight", 1000))]
    here = "5000:win2:1ad62176/score=0/opponents=0"
    link = f"#id={here}/turn=1000/dice=5/throwing=true&rule=opening=400&rule=straight=1000"
    steps = [
        *[
            ["tap", '[data-key="view more"]'],
            *moves,
            ["tap", '[data-key="solve"]'],
            ["wait", "You: roll 5 dice"],
        ],
        *[*taps("12345"), ["id"], ["again"], ["wait", "keep 1 2 3 4 5, bank 1,000"], ["id"]],
        *[
            ["tap", '[data-key="view more"]'],
            ["axe"],
            ["tap", '[data-key="shipped"]'],
            ["wait", "Tap the dice rolled"],
            ["id"],
        ],
        *[
            ["run", f"location.hash = '{link}'"],
            ["tap", '[data-key="open link"]'],
            ["wait", "This turn: 1,000"],
            ["id"],
        ],
    ]
    file = written(solution_of("5000"), tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    *_, rolled, again, axe, shipped, _, linked = told["told"]
    assert rolled == again == f"{here}/turn=0/dice=5/roll=12345"
    assert axe == []
    assert shipped == "5000:win2:a141a189/score=0/opponents=0"
    assert linked == f"{here}/turn=1000/dice=5/throwing=true"


KEEP_BEST = [["tap", '[data-key="tap best"]'], ["run", "document.querySelector('.deeds .best').click()"]]
ROLL_AS_OFTEN_AS_ASKED = "document.querySelector('[data-key=\"roll here\"]')?.click()"


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_tapped_dice_show_their_value_at_once_and_are_kept(browser, tmp_path):
    """The best dice are marked; what cannot be kept is said; a tap on the card enters a box."""
    text = "document.querySelector('{}').textContent"
    push = [
        *taps("11532"),
        *[["texts", ".die.advised"], ["tap", '[data-key="keep 2"]'], ["run", text.format(".hint")]],
        *[["tap", '[data-key="keep 2"]'], ["tap", '[data-key="keep 0"]'], ["tap", '[data-key="keep 1"]']],
        *[["run", text.format(".hint")], ["texts", ".deeds button"], ["tap", '[data-key="deed roll"]'], ["id"]],
    ]
    banking = [
        ["fresh"],
        *taps("11153"),
        ["tap", '[data-key="tap best"]'],
        ["texts", ".deeds button"],
        ["texts", ".deeds .best"],
    ]
    card = [
        *[*taps("66521"), ["texts", ".deeds button"], *KEEP_BEST, *taps("521"), *KEEP_BEST, *taps("521")],
        *[["tap", '[data-key="box sixes"]'], ["id"], ["texts", ".box.used"]],
        *[*taps("12345"), ["texts", '[data-key="tap best"]']],  # a box may be tapped before the last roll
        *[["tap", '[data-key="box large straight"]'], ["text", ".asked > span"], ["id"]],  # which is asked first
        *[["tap", '[data-key="box large straight"]'], ["id"], ["texts", ".box.used"]],
    ]
    tasks = [
        {"what": "steps", "file": written(solution_of(game), tmp_path / game), "steps": steps}
        for game, steps in (("5000", push), ("5000", banking), ("yahtzee", card))
        if (tmp_path / game).mkdir(exist_ok=True) is None
    ]
    of_push, of_banking, of_card = browse(browser, tmp_path, tasks)
    assert of_push["errors"] == of_banking["errors"] == of_card["errors"] == []
    best, refused, held, deeds, where = of_push["told"]
    assert len(best) == 1
    assert refused == "2 alone cannot be kept."
    assert held == "You keep 1 1: 200 in this turn."
    first, *others = deeds  # other dice are tapped than the best ones, so the way to these comes first
    assert first == "Tap the best dice for me"
    assert [deed.split("%")[0] for deed in others] == [
        "Roll 3 dice50.9",
        "Stop and score nothingYour first points need at least 500 in one turn.47.2",
    ]
    deeds, marked = [one for one in of_banking["told"] if isinstance(one, list)]
    assert [deed.split("%")[0] for deed in deeds] == ["Bank 1,05070.6", "Roll 1 die56.1"]
    assert marked == deeds[:1]
    deeds = next(one for one in of_card["told"] if isinstance(one, list))
    assert [deed.split("2")[0] for deed in deeds] == ["Best: keep 6 6, roll 3 dice", "Roll 5 dice"]
    assert where.endswith("/turn=200/dice=3/throwing=true")
    where, used, advised, question, unchanged, later, filled = of_card["told"][-7:]
    assert where.endswith("/score=12/used=sixes/upper=12")
    assert used == ["sixes12"]
    assert advised == ["Best: keep all: 1 2 3 4 5"]
    assert question == "Enter 40 in Large straight? You could still roll."
    assert "/score=12/" in unchanged
    assert later.endswith("/score=52/used=sixes,large_straight/upper=12")
    assert filled == ["sixes12", "large straight40"]


TIED_ENTRIES = {  # entries that end in a tie at the most points, and what the page says then
    "battleship": ([*taps("65466"), ["tap", ".choices li:nth-child(1) button"]], "turn 12", "12"),
    "boston": (taps("666666"), "turn 18", "18"),
}


@pytest.mark.slow
@pytest.mark.parametrize("game", TIED_ENTRIES)
def test_after_a_tie_the_page_says_who_plays_on(game, tmp_path):
    """The table of rounds keeps the points of the round that ended in a tie."""
    own_turn, other_turn, points = TIED_ENTRIES[game]
    rules = {"rounds": 1} if game == "battleship" else None
    steps = [*own_turn, ["tap", f'[data-key="{other_turn}"]'], ["text", ".tied"], ["texts", ".rounds td"]]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "steps", "file": written(solution_of(game, rules), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    note, cells = told["told"][-2:]
    counted = " The scores count from 0 again." if game == "battleship" else ""
    assert note == f"Tied at {points} points. One more turn each: You, Opponent.{counted}"
    assert cells == ([points, points] if game == "battleship" else [])


@pytest.mark.slow
def test_crew_dice_are_tapped_without_ship_captain_and_mate(tmp_path):
    """The three are set aside by themselves, so one tap on a crew die leads to a choice."""
    steps = [
        *[*taps("65432"), ["texts", ".tray .lies"], ["text", ".hint"], ["tap", '[data-key="keep 0"]']],
        *[["text", ".hint"], ["texts", ".deeds b"], ["texts", ".deeds small"], ["axe"]],
        *[["tap", '[data-key="deed roll"]'], ["id"]],
    ]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "steps", "file": written(solution_of("battleship"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    aside, before, after, deeds, unit, axe, where = [one for one in told["told"] if one is not None]
    assert aside == ["4", "5", "6"]
    assert before == "6 5 4 are set aside. Tap a crew die to keep it."
    assert after == "You keep 2 4 5 6."
    assert deeds == ["Keep the 2, roll the 3 again"]
    assert unit == ["1 pp = one percentage point of the chance to win."]
    assert axe == []
    assert where.endswith("/cast=2/kept=6542")


PLAY_BEST = (  # by taps alone, until there is nothing left to tap
    "(() => { for (let taps = 0; taps < 2000; taps++) {"
    " const next = ['.box button.best', '.deeds .best', '[data-key=\"tap best\"]', '[data-key=\"roll here\"]']"
    "   .map((where) => document.querySelector(where)).find((one) => one);"
    " if (!next) return taps; next.click(); } return 0; })()"
)


@pytest.mark.slow
def test_an_evening_of_yahtzee_for_two_by_touch_alone(tmp_path):
    """Names, whose turn, totals and the winner; undone and closed in between."""
    name = "void (document.querySelectorAll('section input[type=text]')[{}].value = '{}')"
    begin = "[...document.querySelectorAll('section button')].find((one) => one.textContent === 'Begin').click()"
    press = "document.querySelector('[data-key={}]').click()"
    who = ["texts", ".scores li span:first-child"]
    steps = [
        *[["tap", '[data-key="view more"]'], ["tap", '[data-key="add person"]']],
        *[["run", name.format(0, "Ann")], ["run", name.format(1, "Bob")], ["run", begin], who],
        *[*taps("66666"), *KEEP_BEST, ["run", "document.querySelector('.box button.best').click()"], who],
        *[["run", press.format("undo")], who, ["run", press.format("redo")], who, ["again"], who],
        *[["run", PLAY_BEST], ["wait", "The game is over. "], ["texts", ".scores b"], ["text", "section h2"]],
        *[
            ["tap", '[data-key="view review"]'],
            ["texts", "[data-key^=whose]"],
            ["tap", '[data-key="whose 0"]'],
            ["axe"],
        ],
    ]
    file = written(solution_of("yahtzee"), tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    found = [one for one in told["told"] if isinstance(one, (list, str))]
    first, second = ["Ann to move", "Bob"], ["Ann", "Bob to move"]
    assert found[:5] == [first, second, first, second, second]
    scores, over, whose, axe = found[5:]
    totals = dict(zip(("Ann", "Bob"), map(int, scores), strict=True))
    assert over.startswith(f"The game is over. Winner: {max(totals, key=lambda who: totals[who])}.")
    assert whose == [f"{who}: {total}" for who, total in totals.items()]
    assert axe == []


NEXT_BEST = (".box button.best", ".deeds .best", '[data-key="tap best"]', '[data-key="roll here"]')  # until the end


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_a_whole_evening_of_yahtzee_for_two_with_a_finger(browser, tmp_path):
    """Every step is a touch, from a second player to both reviews; axe finds nothing in any language."""
    review = [["touch", '[data-key="view review"]'], ["touch", '[data-key="whose 1"]'], ["axe"]]
    steps = [
        *[["touch", '[data-key="view more"]'], ["touch", '[data-key="add person"]'], ["touch", '[data-key="begin"]']],
        *[["touches", *NEXT_BEST], ["texts", ".scores b"], ["text", "section h2"], ["axe"], *review],
    ]
    for language in ("de", "fr"):
        change = [["touch", '[data-key="view more"]'], ["select", "select", language], ["axe"]]
        steps += [*change, ["touch", '[data-key="view play"]'], ["axe"], *review]
    file = written(solution_of("yahtzee"), tmp_path)
    (told,) = browse(browser, tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    touches, scores, over, *axe = told["told"]
    assert touches >= 2 * 13 * 2  # every turn has a roll and a box
    assert over.startswith("The game is over. Winner: ")
    assert min(map(int, scores)) > 50
    assert axe == [[]] * 8


@pytest.mark.slow
def test_rounds_pieces_and_rules_are_on_the_screen(tmp_path):
    cells = "[...document.querySelectorAll('.rounds tr')].map((row) => row.textContent)"
    rounds = [["tap", '[data-key="view play"]'], ["run", cells], ["texts", ".how li"], ["axe"]]
    view_more = ["tap", '[data-key="view more"]']
    german = [view_more, ["select", "select", "de"], *rounds, view_more, ["select", "select", "en"]]
    battle = [*taps("65443"), ["tap", ".choices li:nth-child(1) button"], *taps("66"), *rounds, *german]
    battle += [["tap", '[data-key="view setup"]'], ["texts", "option"]]
    pieces = [
        ["texts", ".size .numbers"],
        ["texts", ".choices li"],
        ["tap", '[data-key="touch large"]'],
        ["id"],
        ["texts", ".size b"],
        ["texts", ".how li"],
        ["axe"],
        ["tap", ".chips button"],
        ["texts", ".choices li > button > span:first-child"],
    ]
    tasks = []
    scarney = [["tap", ".choices li:nth-child(2) button"], *taps("11346"), ["texts", ".choices .numbers"]]
    for game, steps in (("battleship", battle), ("booby-trap", pieces), ("scarney", scarney)):
        (tmp_path / game).mkdir()
        tasks.append({"what": "steps", "file": written(solution_of(game), tmp_path / game), "steps": steps})
    of_battle, of_pieces, of_scarney = browse("chromium", tmp_path, tasks)
    assert of_battle["errors"] == of_pieces["errors"] == of_scarney["errors"] == []
    (risks,) = of_scarney["told"]
    assert [words for words in risks if "dead roll" in words]
    assert not [words for words in risks if "bust" in words]
    (heads, *_), how, axe, _, german_how, german_axe, rolls = of_battle["told"]
    assert heads == "Round" + "".join(map(str, range(1, 11)))
    assert how[0].startswith("Five dice")
    assert german_how[0].startswith("Fünf Würfel")
    assert axe == german_axe == []
    assert len(set(rolls)) == len(rolls) == 22  # the start of a turn, and each roll of a round
    assert "roll 1 die · Roll 2 of 3 · Kept: 6 5 4 1" in rolls
    numbers, listed, *rest = of_pieces["told"]
    assert [re.sub(r"[\d.]+", "#", text) for text in numbers] == [
        "#% to win\xa0· best",
        *["#% to win\xa0· costs # pp"] * 2,
    ]
    assert listed == []  # the board has these choices
    where, _, how, axe, then = [one for one in rest if one is not None]
    assert then == ["take the piece", "pass"]
    assert where.endswith("/touched=large")
    assert how[0].startswith("Pieces sit under a spring bar")
    assert axe == []


def test_a_game_without_dice_speaks_of_none(tmp_path):
    """Booby Trap: its own words, a message apart from what is only heard, and nothing of the command line at first."""
    button = "[...document.querySelectorAll('button')].find((one) => one.textContent === {!r}).click()"
    shown = "[...document.querySelectorAll('body *')].filter((one) => !one.closest('details:not([open]), script'))"
    text = f"{shown}.flatMap((one) => [...one.childNodes]).filter((one) => one.nodeType === 3).map((one) => one.data)"
    rolls = f"{text}.filter((words) => /\\b(roll|dice|die|keepwise)/i.test(words))"
    steps = [
        ["run", rolls],
        ["texts", ".hint"],
        *[["tap", '[data-key="touch large"]'], ["tap", ".chips button"], ["tap", ".choices li:first-child button"]],
        ["tap", ".chips button"],
        ["texts", ".chips button"],
        *[["run", button.format("Enter each step")], ["tap", '[data-key="touch large"]'], ["tap", ".chips button"]],
        *[["tap", ".choices li:first-child button"], ["tap", ".chips button"]],
        ["run", "[...document.querySelector('[role=status]').childNodes].map((one) => one.textContent)"],
        ["run", "[...document.querySelector('[role=status]').children].map((one) => one.className)"],
        *[["tap", '[data-key="view review"]'], ["run", rolls], ["tap", '[data-key="view setup"]'], ["run", rolls]],
        *[["texts", "option"], ["texts", "fieldset .hint"], ["tap", '[data-key="view practice"]'], ["run", rolls]],
        *[["tap", ".deed"], ["tap", '[data-key="touch large"]'], ["run", rolls], ["texts", '[data-key="roll"]']],
        *[["tap", '[data-key="view more"]'], ["run", rolls], ["texts", "details p"], ["axe"]],
    ]
    file = written(solution_of("booby-trap"), tmp_path)
    (answer,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert answer["errors"] == []
    first, hints, results, _, said, only_heard, *rest = answer["told"]
    assert first == []
    assert hints[1].startswith("The chances on this page are made up. Enter those of your own toy under More.")
    sizes = ("large", "medium", "small")  # a size and both its results in one row of two
    assert results == [*(f"{size}, {end}" for size in sizes for end in ("safe", "tripped")), "pass"]
    message, advice = said
    assert re.fullmatch(r"Opponent: the bar holds: \d points?\.", message)
    assert re.match(r" touch a \w+ piece: [\d.]+% to win", advice)
    assert only_heard == ["hidden"]
    of_review, of_setup, choices, sizes, of_practice, of_turn, draws, of_more, program, axe = rest
    assert of_review == of_setup == of_practice == of_turn == choices == axe == []
    assert (sizes, draws) == (["large", "medium", "small"], ["Let chance decide"])
    assert all("keepwise" not in words for words in of_more if not words.startswith("To report an error"))
    assert [words for words in program if "keepwise odds" in words]


TURN_OF_TOTALS = (  # roll one total again and again, and shut the best tiles, until the turn is over
    "(() => {{ const whose = () => document.querySelector('.moves')?.textContent.split(' ')[0], who = whose();"
    " for (let taps = 0; taps < 100 && whose() === who; taps++)"
    " ['[data-key=\"total {0}\"]', '[data-key=\"deed shut\"]', '[data-key=\"tap best\"]',"
    "  '[data-key=\"face 6\"]', '.choices button']"
    "  .map((where) => document.querySelector(where)).find((one) => one).click(); }})()"
)


@pytest.mark.slow
def test_two_people_shut_tiles_and_the_fewest_points_win(tmp_path):
    """Tiles are tapped, a roll that fits none ends the turn and says so, and the smaller remainder wins."""
    name = "void (document.querySelectorAll('section input[type=text]')[{}].value = '{}')"
    begin = "[...document.querySelectorAll('section button')].find((one) => one.textContent === 'Begin').click()"
    steps = [
        *[["tap", '[data-key="view more"]'], ["tap", '[data-key="add person"]']],
        *[["run", name.format(0, "Ann")], ["run", name.format(1, "Bob")], ["run", begin]],
        *[["tap", '[data-key="total 9"]'], ["tap", '[data-key="keep 1"]'], ["texts", ".hint"]],
        *[["tap", '[data-key="keep 6"]'], ["texts", ".hint"], ["texts", ".deeds b"]],
        *[["tap", '[data-key="deed shut"]'], ["id"], ["texts", ".tile.shut > :first-child"], ["axe"]],
        *[["run", TURN_OF_TOTALS.format(2)], ["text", "[role=status]"], ["texts", ".scores b"]],
        *[["run", TURN_OF_TOTALS.format(11)], ["text", "[role=status]"]],
        *[["wait", "The game is over. Winner: Bob."], ["texts", ".scores b"], ["axe"]],
    ]
    file = written(solution_of("shut-the-box"), tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    found = [one for one in told["told"] if one is not None]
    first, second, deeds, where, shut, axe, of_ann, left, of_bob, both, axe_at_the_end = found
    assert axe == axe_at_the_end == []
    assert first == ["2 = 2; the dice show 9."]
    assert second == ["2 + 7 = 9; the dice show 9."]
    assert deeds[0] == "Shut 2 7"
    assert where.endswith("/up=1,3,4,5,6,8,9")
    assert shut == ["2", "7"]
    assert left == ["36"]
    assert of_ann == "Ann: end the turn with 36 left."
    assert of_bob == f"Bob: end the turn with {both[1]} left."
    assert int(both[1]) < 36


PRACTICE_UNTIL_THE_PAGE_PLAYED = (  # hold as soon as possible; return the message about the page's turn
    "(() => { for (let taps = 0; taps < 200; taps++) {"
    " const said = document.querySelector('[role=status]').textContent;"
    " if (said.includes('Page: ')) return said;"
    " ['[data-key=roll]', '[data-key=\"deed bank\"]', '[data-key=\"deed roll\"]']"
    ".map((where) => document.querySelector(where)).find((one) => one).click(); } })()"
)


@pytest.mark.slow
def test_practice_and_quiz_are_tapped_without_values(tmp_path):
    """Values show once a choice is made; a game alone ends with its card and total; the page says what it did."""
    texts = "[...document.querySelectorAll('{}')].map((one) => one.textContent)"
    press = "[...document.querySelectorAll('section button')].find((one) => one.textContent === '{}').click()"
    card = [
        *[["run", PLAY_BEST], ["texts", ".scores b"], ["text", "section h2"], ["texts", ".box.used"]],
        *[["tap", '[data-key="view practice"]'], ["run", press.format("Begin the quiz")]],
        *[["run", texts.format(".deeds .numbers, .choices .numbers")], ["texts", ".die"], ["text", ".turn-points"]],
        *[["tap", '[data-key="all choices"]'], ["tap", ".choices li:last-child button"]],
        *[["texts", ".answer.best"], ["texts", ".answer"], ["axe"]],
    ]
    race = []
    for language in ("de", "en"):  # nobody has a name yet, so the seats are named in the language that is chosen
        race += [["tap", '[data-key="view more"]'], ["select", "section select", language]]
        race += [["tap", '[data-key="view play"]'], ["text", ".scores span"]]
    race += [["tap", '[data-key="view practice"]'], ["run", press.format("Play against the page")]]
    race += [["run", PRACTICE_UNTIL_THE_PAGE_PLAYED]]
    french = [["tap", '[data-key="view more"]'], ["select", "section select", "fr"]]
    french += [["tap", '[data-key="view play"]'], *taps("11135"), ["texts", ".choices button > span:first-child"]]
    tasks = []
    for game, steps in (("yahtzee", card), ("pig", race), ("5000", french)):
        (tmp_path / game).mkdir()
        tasks.append({"what": "steps", "file": written(solution_of(game), tmp_path / game), "steps": steps})
    of_card, of_race, in_french = browse("chromium", tmp_path, tasks)
    assert of_card["errors"] == of_race["errors"] == in_french["errors"] == []
    (total,), over, boxes, before, dice, roll, best, answers, axe = [
        one for one in of_card["told"] if isinstance(one, (list, str))
    ]
    assert over == f"The game is over. You: {total}"
    assert len(boxes) == 13
    points = [int(re.sub(r"\D", "", text)) for text in boxes]
    upper = sum(value % 100 for value in points[:6])  # a later Yahtzee adds 100 to its box
    assert int(total) == sum(points) + 35 * (upper >= 63)
    assert before == axe == []
    assert len(dice) == 5
    assert re.fullmatch(r"Roll [123] of 3", roll)
    assert best
    assert sum("your choice" in text for text in answers) == 1
    german, english, ended = [one for one in of_race["told"] if isinstance(one, str)]
    assert (german, english) == ("Am Zug: Du", "You to move")
    assert "Page: " in ended
    (choices,) = [one for one in in_french["told"] if one]
    assert choices[0] == "garder 1 1 1 5, encaisser 1\u202f050"  # a comma after a die is no mark of thousands


VIEWS = ("play", "review", "practice", "setup", "more")
PLAYED = {  # what is on the screen of a game when it is looked at
    "5000": [*taps("11532")],
    "double-cameroon": [*taps("6443322211")],
    "yahtzee": [*taps("66521"), *KEEP_BEST, *taps("521"), *KEEP_BEST, ["run", ROLL_AS_OFTEN_AS_ASKED]],
    "battleship": [*taps("65443")],
    "booby-trap": [["tap", '[data-key="touch large"]'], ["tap", ".chips button"]],
    "hearts-due": [*taps("123456")],
    "shut-the-box": [["tap", '[data-key="total 9"]'], ["tap", '[data-key="keep 1"]']],
}


@pytest.mark.slow
@pytest.mark.parametrize("game", PLAYED)
def test_page_is_accessible_in_every_view(game, tmp_path):
    """axe finds nothing in any view, light, dark or wide; no target is smaller than 44 pixels, nothing too wide."""
    file = written(solution_of(game), tmp_path)
    tasks = []
    for scheme, width in (("light", 320), ("dark", 320), ("light", 1280)):
        steps = [["fresh"], ["axe"], *PLAYED[game], ["axe"], ["sideways"], ["small"]]
        for view in VIEWS:
            steps += [["tap", f'[data-key="view {view}"]'], ["axe"], ["sideways"], ["small"]]
        tasks.append({"what": "steps", "file": file, "steps": steps, "scheme": scheme, "viewport": {"width": width}})
    for told in browse("chromium", tmp_path, tasks):
        assert told["errors"] == []
        assert [one for one in told["told"] if one not in ([], 0, None)] == []


@pytest.mark.slow
def test_a_wide_screen_uses_its_width(tmp_path):
    """Advice and the chart of all turns are to the right of the dice; rules that were closed stay closed."""
    box = "document.querySelector('{}').getBoundingClientRect()"
    beside = f"{box.format('.advice')}.left > {box.format('.tray')}.right"
    points = "document.querySelector('figure polyline').getAttribute('points').split(' ').length"
    is_open = "document.querySelector('.how').open"
    later = (
        f"new Promise((done) => setTimeout(() => done({is_open}), 500))"  # the browser tells the page a little later
    )
    steps = [
        *[
            ["fresh"],
            *taps("11166"),
            ["run", beside],
            ["run", is_open],
            ["tap", ".how summary"],
            ["tap", '[data-key="keep 1"]'],
        ],
        *[["run", is_open], ["run", BANK_ALL], ["tap", '[data-key="turn 500"]'], ["text", "figcaption"]],
        *[["run", points], ["tap", '[data-key="undo"]'], ["run", points]],
    ]
    task = {"what": "steps", "file": written(solution_of("5000"), tmp_path, sheet=False), "steps": steps}
    narrow, wide = ({**task, "viewport": {"width": width}} for width in (390, 1280))
    narrow["steps"] = [
        ["fresh"],
        *taps("11166"),
        *[["run", is_open], ["tap", ".how summary"], ["run", later], ["again"], ["run", is_open]],
        ["run", "document.querySelectorAll('figure').length"],
    ]
    in_narrow, in_wide = browse("chromium", tmp_path, [narrow, wide])
    assert in_narrow["errors"] == in_wide["errors"] == []
    assert [one for one in in_narrow["told"] if one is not None] == [True, False, False, 0]  # open until it is closed
    told = [one for one in in_wide["told"] if one is not None]
    assert told == [True, True, False, "You: chance to win after each turn", 3, 2]


HUGE = 140_000  # events; a call in a browser takes fewer arguments
STORED = "keepwise 5000:win2:a141a189"  # the key of the page of 5000 in the browser's storage
HERE = "5000:win2:a141a189/score=1050/opponents=500/turn=150/dice=3/throwing=true"
NAV = "document.querySelector('nav').hidden"


def stored_game(expression):
    """Return code that evaluates an expression of ``record``, what the browser stores for the page of 5000."""
    return (
        f"(() => {{ const record = JSON.parse(localStorage.getItem('{STORED}') ?? '{{}}'); return {expression}; }})()"
    )


def game_in_progress():
    return [*taps("11135"), ["tap", ".choices li:nth-child(1) button"], ["tap", '[data-key="turn 500"]'], ["id"]]


@pytest.mark.slow
def test_enter_without_a_result_asks_for_it(tmp_path):
    """The button beside the empty field of the opponent's result moves the focus there, and nothing is played."""
    steps = [
        *[*taps("11135"), ["tap", ".choices li:nth-child(1) button"], ["id"], ["tap", '[data-key="typed"] + button']],
        *[
            ["id"],
            ["run", "document.activeElement.dataset.key"],
            ["run", "document.querySelector('[role=status]').textContent"],
        ],
    ]
    file = written(solution_of("5000"), tmp_path)
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    before, after, focus, words = told["told"]
    assert before == after
    assert focus == "typed"
    assert "is not" not in words


def huge_game():
    lines = ["You: turn bust", "Opponent: turn bust"] * (HUGE // 2)
    return "\n".join(["game: 5000", "seat: You = person", "seat: Opponent = table", "", *lines, ""])


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_a_game_of_140_000_events_is_reviewed_and_resumed(browser, tmp_path):
    (tmp_path / "huge.kw").write_text(huge_game())
    steps = [
        *[["tap", '[data-key="view more"]'], ["upload", "#file", str(tmp_path / "huge.kw")]],
        *[["wait", "huge.kw is loaded"], ["run", "document.querySelectorAll('.events li').length"]],
        *[["tap", '[data-key="undo"]'], ["tap", '[data-key="redo"]'], ["tap", '[data-key="view review"]']],
        *[["wait", "The last 1,000 of 140,000 events"], ["again"]],
        ["run", stored_game("record.text.trim().split('\\n').length")],
        *[["tap", '[data-key="undo"]'], ["run", stored_game("record.undone.length")]],
    ]
    (told,) = browse(
        browser, tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    assert told["told"] == [1000, HUGE + 6, 1]


UNREADABLE = {  # a stored record that is not a game of this page, and what the page says of it
    "another game": (json.dumps({"text": "game: pig\n\nYou: 6\n", "undone": []}), "this page is for 5000"),
    "a broken line": (
        json.dumps({"text": "game: 5000\nseat: You = person\nseat: Opponent = table\n\nYou: 9 9 9\n", "undone": []}),
        "9 is not a face",
    ),
    "no JSON": ('{"text": "game: 5000', "not a game file"),
    "other types": (json.dumps({"text": 5, "undone": "no"}), "not a game file"),
}


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_a_stored_game_that_cannot_be_opened_stays_stored(browser, tmp_path):
    """The page asks, keeps the record for download, and works after a fresh start."""
    steps = []
    for record, reason in UNREADABLE.values():
        steps += [
            ["run", f"localStorage.setItem('{STORED}', {json.dumps(record)})"],
            *[["again"], ["wait", "The stored game cannot be opened"], ["text", "section .error"], ["run", NAV]],
            ["run", f"localStorage.getItem('{STORED}')"],
            *[
                ["tap", '[data-key="afresh"]'],
                ["run", stored_game("record.earlier[0].text")],
                ["again"],
                *taps("11135"),
            ],
            *[["text", "[role=status]"], ["tap", '[data-key="view more"]'], ["texts", "[data-key='save 1']"]],
            *[["tap", '[data-key="resume 1"]'], ["wait", reason], ["fresh"]],
        ]
    (told,) = browse(
        browser, tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    results = iter(told["told"])
    for record, reason in UNREADABLE.values():
        next(results)  # of setItem
        assert reason in next(results)
        assert next(results) is True  # nothing else can be done before the question is answered
        assert next(results) == record
        kept = next(results)
        assert kept in (record, json.loads(record)["text"] if record.endswith("}") else record)
        assert next(results).startswith("keep 1 1 1 5, bank 1,050")
        assert next(results) == ["Save it as a file"]


@pytest.mark.slow
def test_a_failure_of_the_page_changes_no_screen_and_no_store(tmp_path):
    """A file that is read but cannot be shown: the game before is still there, and stored."""
    file = tmp_path / "short.kw"
    file.write_text("game: 5000\nseat: You = person\nseat: Opponent = table\n\nYou: turn 500\nOpponent: turn 500\n")
    steps = [*game_in_progress(), ["tap", '[data-key="view more"]']]
    mock = (
        "(() => { let calls = 0;"
        " const append = Element.prototype.append;"
        " Element.prototype.append = function (...parts) {"
        "   if (this.className === 'scores' && !calls++) throw new RangeError('mock');"
        "   return append.apply(this, parts); };"
        " return true; })()"
    )
    steps += [["run", mock], ["upload", "#file", str(file)], ["wait", "Something went wrong: RangeError: mock"], ["id"]]
    steps += [["run", stored_game("record.text.includes('turn 500\\nOpponent: turn 500')")], ["again"], ["id"]]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    before, _, after, stored, again = told["told"]
    assert before == after == again
    assert stored is False
    assert len(told["errors"]) == 1  # the browser's console has it
    assert "mock" in told["errors"][0]


@pytest.mark.slow
def test_a_game_that_does_not_fit_into_storage_is_reported(tmp_path):
    full = (
        "Object.getPrototypeOf(localStorage).setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }"
    )
    steps = [["run", f"void ({full})"], *taps("11135"), ["text", "[role=status]"]]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    assert told["told"][1].startswith("This browser has no room to store this game: save it as a file")


LINK = "5000:win2:a141a189/score=650/opponents=0"


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_links_ask_before_they_replace_a_game(browser, tmp_path):
    """Without a game in progress it opens at once; the game that it replaces can be resumed."""
    ask = [["run", f"void (location.hash = '#id={LINK}')"], ["wait", "Open the position of this link?"], ["id"]]
    steps = [
        *[*game_in_progress(), *ask, ["tap", '[data-key="stay"]'], ["id"]],
        *[
            *ask,
            ["again"],
            ["id"],
            *ask,
            ["tap", '[data-key="open link"]'],
            ["wait", "The previous game is kept"],
            ["id"],
        ],
        *[["again"], ["id"], ["tap", '[data-key="earlier"]'], ["id"]],
        *[["run", "void (location.hash = '#id=5000:win2:a141a189/score=7')"], ["wait", "7"], ["id"]],
        *[["fresh"], ["run", f"void (location.hash = '#id={LINK}')"], ["wait", "650"], ["id"], ["run", NAV]],
    ]
    (told,) = browse(
        browser, tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    ids = [one for one in told["told"] if isinstance(one, str)]
    game = ids[0]
    assert ids == [game, game, game, game, game, game, LINK, LINK, game, game, LINK]
    assert told["told"][-1] is False  # no question


@pytest.mark.slow
def test_links_with_other_rules_ask_first(tmp_path):
    link = "location.hash = '#id=5000:win2:{}/score=0/opponents=0&rule=target={}'"
    with_target = solution_of("5000", rules={"target": 2000})
    name = with_target.playable.id(with_target.playable.start()).split("/")[0].split(":")[-1]
    steps = [
        *[*game_in_progress(), ["run", f"void ({link.format(name, 2000)})"]],
        *[["wait", "This link uses other rules: target 2,000 instead of 5,000."], ["id"], ["tap", '[data-key="stay"]']],
        *[["again"], ["id"], ["run", "document.querySelector('.changed').hidden"]],
        *[["run", f"void ({link.format(name, 2000)})"], ["tap", '[data-key="open link"]']],
        *[["wait", "House rules: target 2,000 instead of 5,000."], ["wait", "Tap the dice rolled"], ["again"]],
        *[["wait", "House rules: target 2,000 instead of 5,000."], ["id"], ["tap", '[data-key="shipped"]']],
        *[["wait", "Opponent"], ["wait", "1,050"], ["id"], ["again"], ["id"]],
        *[
            ["run", f"void ({link.format(name, 10)})"],
            ["wait", "unknown rule in the link: target=10"],
            ["id"],
        ],
        ["run", f"void ({link.format(name, 'x')})"],
        *[["wait", "unknown rule in the link: target=x"], ["id"]],
        ["run", "void (location.hash = '#id=5000:win2:a141a189/score=0&rule=opneing=400')"],
        *[["wait", "unknown rule in the link: opneing=400"], ["id"]],
    ]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    game, *ids = [one for one in told["told"] if isinstance(one, str)]
    assert ids == [game, game, f"5000:win2:{name}/score=0/opponents=0", *[game] * 5]


@pytest.mark.slow
def test_every_way_to_another_game_keeps_the_one_in_progress(tmp_path):
    """New game, the practice game, a position that is set up and a file: each can be gone back from."""
    (tmp_path / "other.kw").write_text("game: 5000\nseat: You = person\nseat: Opponent = table\n\nYou: turn 500\n")
    press = "[...document.querySelectorAll('section button')].find((one) => one.textContent === '{}').click()"
    ways = (
        [["tap", '[data-key="view more"]'], ["run", press.format("Begin")]],
        [["tap", '[data-key="view practice"]'], ["run", press.format("Play against the page")]],
        [["tap", '[data-key="view setup"]'], ["run", press.format("Go there")]],
        [["tap", '[data-key="view more"]'], ["upload", "#file", str(tmp_path / "other.kw")]],
    )
    back = [["tap", '[data-key="view more"]'], ["texts", "ol > li"], ["tap", '[data-key="resume 1"]'], ["id"]]
    steps = game_in_progress()
    for way in ways:
        steps += [*way, ["wait", "The previous game is kept: see More, Earlier games."], ["again"], *back]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    ids = [one for one in told["told"] if isinstance(one, str)]
    assert ids == [ids[0]] * 5
    earlier = [one[0] for one in told["told"] if isinstance(one, list)]
    assert len(earlier) == 4
    assert all(
        words.startswith("You 1,050 · Opponent 500 · 3 entries, the last: Opponent: turn 500") for words in earlier
    )


@pytest.mark.slow
def test_more_names_defaults_and_why_rules_stay(tmp_path):
    """A rule that differs has its default beside it; a race with a last round says why its rules are fixed."""
    solution = kw.solve(kw.load_rules("farkle-common", target=2000))
    steps = [["tap", '[data-key="view more"]'], ["texts", "dt"], ["text", "section"]]
    (told,) = browse("chromium", tmp_path, [{"what": "steps", "file": written(solution, tmp_path), "steps": steps}])
    assert told["errors"] == []
    rules, page = told["told"][-2:]
    assert "target: 2,000 (default 10,000)" in [rule.lower() for rule in rules]
    assert "House rules cannot be changed on this page: that requires a game that a player wins at once" in page


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_number_is_broken_or_struck_through(browser, width, tmp_path):
    """Buttons, cells and totals show each word in one line, and labels of the chart end before its lines begin."""
    broken = (
        "[...document.querySelectorAll('button, td, th, .scores b, .numbers')].flatMap((one) => {"
        " const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), found = [];"
        " for (let node = walker.nextNode(); node; node = walker.nextNode())"
        "  for (const word of node.data.matchAll(/\\S+/g)) {"
        "   const range = document.createRange();"
        "   range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);"
        "   const tops = [...range.getClientRects()].map((box) => Math.round(box.top));"
        "   if (new Set(tops).size > 1) found.push(word[0]); }"
        " return found; })"
    )
    struck = (
        "[...document.querySelectorAll('svg text')].filter((one) => [...document.querySelectorAll('svg .axis')].some("
        "(line) => one.getBoundingClientRect().right > line.getBoundingClientRect().left))"
        ".map((one) => one.textContent)"
    )
    for game, objective in (("5000", None), ("5000", "points"), ("battleship", "margin")):
        file = written(solution_of(game, objective=objective), tmp_path)
        steps = [["fresh"], *(taps("11135") if game == "5000" else taps("65443")), ["run", broken]]
        steps += [["tap", ".choices li:nth-child(1) button"], ["run", broken]]
        for view in VIEWS:
            steps += [["tap", f'[data-key="view {view}"]'], ["run", broken], ["run", struck]]
        task = {"what": "steps", "file": file, "steps": steps, "viewport": {"width": width}}
        (told,) = browse(browser, tmp_path, [task])
        assert told["errors"] == []
        assert [one for one in told["told"] if one] == []


def test_every_game_with_a_page_is_on_the_front_page():
    """With the names that people use; files that ship are loaded, so a name that is wrong fails."""
    assert {game for game, entry in LISTED_GAMES.items() if not entry.rule_file} == set(PAGES)
    assert {game for game, entry in LISTED_GAMES.items() if entry.rule_file} <= set(shipped_rule_files())
    page = index([(game, game.title(), entry) for game, entry in LISTED_GAMES.items()])
    for name in ("Ship, Captain, Crew", "Kniffel", "Zilch", "Schweinerei"):
        assert name in page


def test_front_page_has_every_text_in_every_language():
    assert set(LANGUAGES) == {"en", "de", "fr"}
    assert all(set(words) == set(LANGUAGES) and all(words.values()) for words in WORDS.values())
    for game, entry in LISTED_GAMES.items():
        assert set(entry.summaries) == set(LANGUAGES)
        assert len({*entry.summaries.values()}) == len(LANGUAGES), game
        assert all(text.endswith(".") for text in entry.summaries.values()), game


@pytest.mark.slow
def test_all_pages_are_in_the_chosen_language(tmp_path):
    """Chosen on the front page, kept when it is opened again, and spoken by the page of a game."""
    (tmp_path / "index.html").write_text(index([("pig", "Pig", LISTED_GAMES["pig"])]))
    (tmp_path / "pig.html").write_text(render_page(solution_of("pig"), site=True), encoding="utf-8")
    shown = (
        "[document.documentElement.lang, ...[...document.querySelectorAll('main p, main label')]"
        ".filter((one) => one.offsetParent && !one.matches('.names') && !one.querySelector('select'))"
        ".map((one) => one.innerText)].filter(Boolean).join('|')"
    )
    steps = []
    for language in LANGUAGES:
        steps += [["select", "select", language], ["run", shown], ["axe"], ["sideways"], ["small"]]
    steps += [["run", "location.reload()"], ["wait", "Keepwise"], ["run", shown]]
    steps += [
        ["run", "void (location.href = 'pig.html')"],
        ["wait", "Exercice"],
        ["run", "document.documentElement.lang"],
    ]
    task = {"what": "steps", "file": (tmp_path / "index.html").as_uri(), "steps": steps, "bare": True}
    (told,) = browse("chromium", tmp_path, [task | {"viewport": {"width": 320}}])
    assert told["errors"] == []
    assert [one for one in told["told"] if one is not None and not isinstance(one, str)] == [[], 0, []] * 3
    *by_language, again, of_game = [one for one in told["told"] if isinstance(one, str)]
    for language, text in zip(LANGUAGES, by_language, strict=True):
        first, second, last = (WORDS[key][language] for key in ("lead", "find", "offline"))
        for_three = PLAYERS[3][language]
        assert text.split("|") == [language, first, second, LISTED_GAMES["pig"].summaries[language], for_three, last]
    assert again == by_language[-1]
    assert of_game == "fr"


def test_front_page_search_finds_other_spellings():
    page = index([("booby-trap", "Booby Trap", LISTED_GAMES["booby-trap"])])
    assert "Booby-Trap" in page
    assert "<span>Booby-Trap</span>" not in page


@pytest.mark.slow
def test_front_page_search_finds_every_name(tmp_path):
    for game, entry in LISTED_GAMES.items():
        (tmp_path / f"{game}.html").write_text(f"<title>{game}</title>{entry.summary}")
    page = index([(game, game.title(), entry) for game, entry in LISTED_GAMES.items()])
    (tmp_path / "index.html").write_text(page)
    shown = (
        "[...document.querySelectorAll('li')].filter((one) => !one.hidden)"
        ".map((one) => one.querySelector('h2').textContent)"
    )
    steps = []
    for typed in ("ship captain", "fünftausend", "Schweine", "chess"):
        steps += [
            [
                "run",
                f"{{ const f = document.querySelector('input'); f.value = '{typed}';"
                " f.dispatchEvent(new Event('input')); }",
            ],
            ["run", shown],
        ]
    steps += [["axe"], ["sideways"], ["small"]]
    task = {"what": "steps", "file": (tmp_path / "index.html").as_uri(), "steps": steps, "bare": True}
    for scheme in ("light", "dark"):
        (told,) = browse("chromium", tmp_path, [task | {"scheme": scheme, "viewport": {"width": 320}}])
        assert told["errors"] == []
        found = [one for one in told["told"] if one is not None and not isinstance(one, bool)]
        ours = [one for one in found if isinstance(one, list)]
        assert ours[:4] == [["Battleship"], ["5000"], ["Pass-The-Pigs"], []]
        assert ours[4] == ours[-1] == []


@pytest.mark.slow
@pytest.mark.parametrize("browser", BROWSERS)
def test_undo_is_never_covered_by_the_bar_at_the_bottom(browser, tmp_path):
    is_on_top = (
        "(() => { const undo = document.querySelector('[data-key=undo]'), box = undo.getBoundingClientRect();"
        " return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === undo; })()"
    )
    steps = [*taps("11532"), ["run", is_on_top], ["tap", '[data-key="undo"]'], ["id"]]
    task = {"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}
    (told,) = browse(browser, tmp_path, [task | {"viewport": {"width": 320, "height": 480}}])
    assert told["errors"] == []
    on_top, where = told["told"]
    assert on_top
    assert "/" not in where.removesuffix("/score=0/opponents=0").removeprefix(STORED.split()[1])


@pytest.mark.slow
def test_refusals_are_in_the_language_of_the_page(tmp_path):
    wrong_id = (
        "(() => { [...document.querySelectorAll('section input')].pop().value = 'nix';"
        " [...document.querySelectorAll('section button')].pop().click(); })()"
    )
    steps = []
    for language in ("en", "de", "fr"):
        steps += [["tap", '[data-key="view more"]'], ["select", "section select", language]]
        steps += [["tap", '[data-key="view setup"]'], ["run", wrong_id], ["text", "[role=status]"]]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    assert told["errors"] == []
    prefix = STORED.split()[1]
    assert [one for one in told["told"] if isinstance(one, str)] == [
        f"nix is not an id under these rules; ids begin with {prefix}/",
        f"nix ist keine Kennung einer Stellung nach diesen Regeln: Kennungen beginnen mit {prefix}/",
        f"nix n’est pas l’identifiant d’une position avec ces règles : un identifiant commence par {prefix}/",
    ]


@pytest.mark.slow
def test_turns_boxes_and_units_are_in_the_pages_language(tmp_path):
    """A whole turn, the boxes of Set up and, in French, fewer than two points: 1,50 point."""

    def view(name):
        return ["tap", f'[data-key="view {name}"]']

    begin = "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Anfangen').click()"
    turn = [view("more"), ["select", "section select", "de"], view("play"), *game_in_progress()]
    turn += [["texts", ".events li"]]
    turn += [view("more"), ["run", begin], ["wait", "Frühere Spiele"], view("more"), ["texts", "ol > li"]]
    french = [view("more"), ["select", "section select", "fr"], view("setup"), ["texts", ".check"], view("play")]
    french += [*taps("11345"), ["tap", '[data-key="all choices"]'], ["text", "section"]]
    tasks = []
    for game, steps in (("5000", turn), ("yahtzee", french)):
        (tmp_path / game).mkdir()
        tasks.append({"what": "steps", "file": written(solution_of(game), tmp_path / game), "steps": steps})
    of_turn, of_units = browse("chromium", tmp_path, tasks)
    assert of_turn["errors"] == of_units["errors"] == []
    events, earlier = [one for one in of_turn["told"] if isinstance(one, list)]
    assert events[-1] == "Gegner: 500 (ganzer Zug)"
    assert earlier[0].startswith("Du 1.050 · Gegner 500 · 3 Einträge, der letzte: Gegner: 500 (ganzer Zug)")
    boxes, text = [one for one in of_units["told"] if isinstance(one, (list, str))]
    assert boxes[:2] == ["as", "deux"]
    assert "grande suite" in boxes
    assert re.search(r"[^\d,\u202f][01],\d+ point(?!s)", text)
    assert not re.search(r"[^\d,\u202f][01],\d+ points", text)


@pytest.mark.slow
def test_missing_browser_features_are_reported(tmp_path):
    """Without WebAssembly the rules and the sheet can be read; without storage the game is played."""
    read = [["text", "[role=status]"], ["texts", "nav button"], ["texts", "dt b"]]
    played = [["text", "[role=status]"], *taps("11532"), ["text", "[role=status]"], ["id"]]
    file, tasks = written(solution_of("5000"), tmp_path), []
    for without, steps in (("WebAssembly", read), ("localStorage", played)):
        tasks.append({"what": "steps", "file": file, "steps": steps, "without": without})
    lacks, forbids = browse("chromium", tmp_path, tasks)

    def shown(value):
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:,}" if isinstance(value, int) else value

    assert lacks["errors"] == forbids["errors"] == []
    assert lacks["told"][0].startswith("This browser has no WebAssembly")
    lacks["told"][2] = [rule.replace("_", " ") for rule in lacks["told"][2]]
    assert lacks["told"][1:] == [
        ["More"],
        [f"{key}: {shown(value)}".replace("_", " ") for key, value in kw.game("5000").rules.items()],
    ]
    assert forbids["told"][0].startswith("This browser stores nothing for this page")
    assert forbids["told"][1].startswith("keep 1, roll 4 dice")
    assert forbids["told"][2].endswith("/roll=11235")


@pytest.mark.slow
def test_the_keyboard_alone_is_enough(tmp_path):
    """Five dice, the one to keep, and a roll by Tab and Enter; after each the keyboard is where one goes on."""
    steps = [["key", "Tab"]] * 1
    for face in "11532":
        steps += [["run", f"document.querySelector('[data-key=\"face {face}\"]').focus()"], ["key", "Enter"]]
    steps += [
        ["focus"],
        ["key", "Tab"],
        ["key", "Enter"],
        *[["key", "Tab"]] * 5,
        ["focus"],
        ["key", "Enter"],
        ["focus"],
    ]
    steps += [["id"]]
    (told,) = browse(
        "chromium", tmp_path, [{"what": "steps", "file": written(solution_of("5000"), tmp_path), "steps": steps}]
    )
    *_, heading, choice, following, where = told["told"]
    assert heading.startswith("You: what do you do?")
    assert choice.startswith("Roll 4 dice51.5% to win")
    assert following.startswith("You: roll 4 dice")
    assert where.endswith("/turn=100/dice=4/throwing=true")


@pytest.mark.slow
def test_a_site_works_without_network_once_it_was_opened(tmp_path):
    """Served from this machine once; then the server is gone."""
    import functools
    import http.server
    import threading

    (tmp_path / "site").mkdir()
    for name, content in site(None, lambda done: None):
        (tmp_path / "site" / name).write_bytes(content)
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *said: None})
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(quiet, directory=str(tmp_path / "site"))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    start = f"http://127.0.0.1:{server.server_port}/"
    ready = "navigator.serviceWorker.ready.then(() => caches.keys()).then((names) => names.length)"
    first = [["run", ready]]
    opened = ("5000.html", "boston-3.html")  # the second is stored once it is opened
    try:
        browse("chromium", tmp_path, [{"what": "steps", "file": f"{start}{page}", "steps": first} for page in opened])
    finally:
        server.shutdown()
        server.server_close()
    later = [["id"], *taps("11532"), ["text", "[role=status]"]]
    tasks = [{"what": "steps", "file": f"{start}{game}.html", "steps": later} for game in ("5000", "beartrap")]
    tasks.append({"what": "steps", "file": f"{start}boston-3.html", "steps": [["id"], ["text", ".scores"]]})
    answers = browse("chromium", tmp_path, tasks)
    for told in answers:
        assert told["errors"] == []
    assert [" to win" in told["told"][1] for told in answers] == [True] * len(tasks)


def test_writing_a_long_turn_is_announced_with_an_estimate(monkeypatch):
    """Hog to exactly 100 took 38 s of processor time at a load of 11; of Farkle's tenth of a second nothing is said."""
    told = []
    monkeypatch.setattr(progress_reporting, "warn", told.append)
    monkeypatch.setattr("keepwise.output.adviser_page.push._PushWalk.run", lambda walk, progress: walk.graph)
    push_graph(playable(kw.game("farkle")))
    assert told == []
    push_graph(playable(kw.load_rules("hog", finish="exact")))
    (warning,) = told
    assert re.fullmatch(r"writing the turn of hog takes about 3\d seconds and 1\.\d GiB", warning)


def test_writing_a_turn_reports_progress(monkeypatch):
    """Hog to exactly 100 takes long: 25 dice fall in 142,506 ways."""
    told = []

    @contextmanager
    def listener(what):
        told.append(what)
        yield told.append

    monkeypatch.setattr(progress_reporting, "start_progress", listener)
    push_graph(playable(kw.game("farkle")))
    assert told[0] == "writing the turn of farkle"
    assert told[1:] == sorted({*told[1:]})
    assert told[1] == 0
    assert 0.4 < told[-1] < 1


@pytest.mark.parametrize("browser", BROWSERS)
def test_booby_trap_takes_odds_of_ones_own(browser, tmp_path):
    """Ids and advice are those of Keepwise with the same odds in a rule file."""
    entered = {"large loose feels": 30, "large tight feels": 35, "small tight trips": 100, "small loose trips": 0}
    enter = "(key, value) => { const field = document.querySelector(`[data-key='odds ${key}']`);"
    enter += " field.value = value; field.dispatchEvent(new Event('input')); }"
    first, *others = [["run", f"({enter})({key!r}, {value})"] for key, value in entered.items()]
    use = ["tap", '[data-key="use odds"]']
    rules = dict(kw.game("booby-trap").rules)
    odds = {
        size: {feel: dict(row) for feel, row in rules["odds"][size].items()} for size in ("large", "medium", "small")
    }
    odds["large"]["loose"]["chance"], odds["large"]["tight"]["chance"] = "30/100", "35/100"
    odds["small"]["tight"]["trip"], odds["small"]["loose"]["trip"] = 1, 0
    solution = kw.solve(kw.game("booby-trap", odds=odds))
    positions = some_positions(solution, 20)
    ids = json.dumps([solution.playable.id(position) for position in positions])
    answers = ["run", f"JSON.stringify({ids}.map((id) => keepwise.advise(id)))"]
    changed = "document.querySelector('.changed p')"  # what it says also stands in the page's program
    wait = [
        "run",
        f"new Promise((done) => {{ const look = () => ({changed} ? done() : setTimeout(look, 50)); look(); }})",
    ]
    begin = [["tap", '[data-key="touch large"]'], ["tap", ".chips button"], ["tap", '[data-key="view more"]']]
    steps = [*begin, first, use, ["text", "[role=alert]"], *others, use, wait, answers, ["id"]]
    look = "const look = (looks) => (scrollY && looks ? setTimeout(look, 50, looks - 1) : done(!scrollY)); look(40);"
    at_top = f"new Promise((done) => {{ {look} }})"
    steps += [["run", at_top], ["again"], wait, ["id"]]
    steps += [["tap", '[data-key="view more"]'], ["tap", '[data-key="shipped"]'], ["id"]]
    file = written(solution_of("booby-trap"), tmp_path)
    (told,) = browse(browser, tmp_path, [{"what": "steps", "file": file, "steps": steps}])
    assert told["errors"] == []
    refusal, advice, where, top, again, shipped = [one for one in told["told"] if one is not None]
    assert refusal == "the numbers under “Per 100” for large pieces must add up to 100, not 105"
    assert top is True
    here = solution.playable.id(solution.playable.start()) + "/touched=large/feel=loose"
    assert where == again == here  # the game goes on
    assert shipped == solution_of("booby-trap").playable.id(solution.playable.start()) + "/touched=large/feel=loose"
    for position, answer in zip(positions, json.loads(advice), strict=True):
        assert_same(solution, position, answer)
