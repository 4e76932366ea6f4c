"""Reviews: sums that add up, grades at their thresholds, every format, many files, and what cannot be judged."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browsers import browse
from random_games import played_at_random

import keepwise as kw
from keepwise.cli.progress import Watch
from keepwise.games import FILES
from keepwise.play.game_file import GameFile, SeatedPlayer, parse, read_game_file
from keepwise.policies.registry import parse_choice_function
from keepwise.reviews import GRADES, grade, mistake_kind, review
from keepwise.reviews.html_page import render_html as make_page
from keepwise.reviews.text import (
    format_markdown,
    format_record,
    format_text,
    format_unsigned,
    format_without_luck,
    make_record,
    score_sheet,
)
from keepwise.solvers.solve_costs import SolveCost
from keepwise.util.errors import InputError
from keepwise.util.number_format import format_loss

OBJECTIVES = {"yahtzee": None, "double-cameroon": "points", "farkle": "points"}
GAMES = [game for game in FILES if OBJECTIVES.get(game, "win") is not None]


FAST = ("pig", "scarney", "battleship", "boston", "hearts-due", "double-cameroon")
MARKS = {**dict.fromkeys(FAST, ()), "shut-the-box": pytest.mark.patient}


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("game", [pytest.param(one, marks=MARKS.get(one, pytest.mark.slow)) for one in GAMES])
def test_outcome_is_start_and_luck_less_errors(game):
    solution = kw.solve(game, OBJECTIVES.get(game, "win"))
    judged = review(solution, played_at_random(solution.playable, 3))
    told = json.loads(json.dumps(judged.as_json()))
    for seat in told["seats"]:
        assert seat["outcome"] == pytest.approx(
            seat["start"] + seat["luck"] - seat["errors"], abs=told["error_bound"] + 1e-11
        )
        assert seat["own_errors"] == pytest.approx(sum(one["cost"] for one in seat["kinds"].values()), abs=1e-12)
        assert seat["mistakes"] == sum(one["count"] for one in seat["kinds"].values())
        assert {"start", "luck", "errors", "outcome", "decisions", "mean_error"} <= set(seat)
    assert len(told["events"]) == len(judged.game.steps)
    errors = [one["error"] for one in told["events"] if one["kind"] == "choice"]
    assert sorted(errors, reverse=True)[: len(judged.mistakes)] == [one.error for one in judged.mistakes]
    lines = format_text(judged).splitlines()
    assert max(len(line) for line in lines if not line.startswith("   id ")) < 80
    assert all(one.best in format_markdown(judged) for one in judged.mistakes)
    for mistake in judged.mistakes:  # the position asked about, by its id, says the same
        advice = solution.advise(mistake.id)
        assert advice.best.action == mistake.best
        loss = next(choice.loss for choice in advice.choices if choice.action == mistake.chosen)
        assert mistake.error == pytest.approx(loss, abs=1e-11)


@pytest.mark.slow
def test_kinds_of_errors():
    solution = kw.solve("5000")
    start = solution.read(score=2000, opponents=[3500], turn=300, roll="11532")
    kinds = {}
    for choice in solution.playable.choices(start):
        (event,) = solution.trace(start, [choice]).events
        kinds[choice.action] = mistake_kind(solution.playable, start, choice, event.best)
    assert kinds["keep 1, roll 4 dice"] == "stopping too late"
    assert kinds["keep 1 1, bank 500"] == "keeping"
    behind = solution.read(score=2000, opponents=[4500], turn=300, roll="11532")
    (event,) = solution.trace(behind, ["keep 1 1 5, bank 550"]).events
    assert mistake_kind(solution.playable, behind, event.choice, event.best) == "stopping too early"
    (event,) = solution.trace(behind, ["keep 5, roll 4 dice"]).events
    assert mistake_kind(solution.playable, behind, event.choice, event.best) == "keeping"
    card = kw.solve("double-cameroon", "points")
    judged = review(card, played_at_random(card.playable, 3))
    assert "category" in judged.kinds[0]


def test_grades_change_at_their_thresholds():
    assert [grade(most) for most, _ in GRADES] == [word for _, word in GRADES]
    assert [grade(most + 1e-9) for most, _ in GRADES[:-1]] == [word for _, word in GRADES[1:]]


def test_the_score_sheet_adds_up():
    solution = kw.solve("pig")
    game = played_at_random(solution.playable, 5)
    sheet = score_sheet(game)
    last = [sum(int(gain.replace(",", "")) for gain in re.findall(r"\+(\d+)", line)) for line in sheet[1:]]
    assert sum(last) == sum(game.position.scores)
    assert sheet[0].split() == ["turn", "Ann", "Bob"]


def test_the_score_sheet_of_one_turn_for_points():
    """Five 1s of 5000, banked: the turn adds to no score, and brought 1,000 and twice as much for each more."""
    playable = kw.playable("5000", objective="points")
    game = GameFile(playable, (SeatedPlayer("You"),), "mine")
    game.play_line("1 1 1 6 6")
    game.play_line("keep 1 1 1, bank 1,000")
    assert game.is_over
    assert score_sheet(game) == ["turn    You", "   1  1,000"]


def test_review_columns_are_separated():
    names = ("Ann", "Bartholomew the 2nd", "Cleo", "Di", "Ed", "Flo", "Gus")
    game = GameFile(kw.playable(kw.game("5000", target=50_000), players=7), tuple(map(SeatedPlayer, names)), "mine")
    for seat in range(14):
        game.play_line(f"turn {(19_000, 500, 1_050)[seat % 3]}")
    sheet = score_sheet(game)
    assert max(map(len, sheet)) < 80
    assert re.sub(r" +", " ", sheet[1].strip()) == "1 +19,000 19,000 +500 500 +1,050 1,050 +19,000 19,000"
    for line in sheet:
        assert not re.search(r"\d\+|[a-z][A-Z]", line), line
    assert [name for line in sheet if line.startswith("turn") for name in re.split("  +", line)[1:]] == list(names)


def test_the_same_decision_has_the_same_name_everywhere():
    """Told at the table, where nothing has a line yet, and of the file: in text, on the page and in JSON."""
    solution = kw.solve("pig")
    game = played_at_random(solution.playable, 3)
    at_the_table, of_the_file = review(solution, game), review(solution, parse(game.to_text().splitlines(), "x.kw"))
    assert format_text(at_the_table) == format_text(of_the_file)
    assert format_markdown(at_the_table) == format_markdown(of_the_file)
    page, events = make_page([("x.kw", of_the_file)]), of_the_file.as_json()["events"]
    assert not re.search(r"\bline \d", page + format_text(of_the_file) + format_markdown(of_the_file))
    for one in of_the_file.mistakes:
        mark = f" {one.mark}" if one.mark else ""
        name = f"{of_the_file.names[one.seat]}, event {one.number}: {one.chosen}{mark} cost"
        assert events[one.number - 1]["mark"] == one.mark == solution.mark(one.error)
        assert name in " ".join(format_text(of_the_file).split())
        assert f'<a href="#g1e{one.number}">{name}' in page
        assert f'<span class="name">{name.partition(":")[0]}</span>' in page
        assert events[one.number - 1]["number"] == one.number
        assert events[one.number - 1]["choice"] == one.chosen


def test_an_outcome_without_luck_is_no_chance_beyond_certainty():
    """Luck adds up over a game: what is left of the outcome without it may be more than 1, or less than 0."""
    told = [format_without_luck(outcome, "win", fewer=False) for outcome in (1.53, -0.2, 0.514, 1 + 1e-12, -1e-12)]
    assert told == ["above 100.0%", "below 0.0%", "51.4%", "100.0%", "0.0%"]
    assert format_without_luck(-3.0, "points", fewer=False) == format_unsigned(-3.0, "points", fewer=False)


def test_players_without_decisions_have_no_grade():
    solution = kw.solve(SHORT)
    game = GameFile(solution.playable, (SeatedPlayer("Ann"), SeatedPlayer("Bob")), "mine")
    for told in ("turn 10", "turn 10", "5", "bank", "6"):
        game.play_line(told)
    said = format_record([("a.kw", review(solution, game)), ("b.kw", review(solution, game))])
    words = " ".join(said.split())
    assert "Bob no decisions" in words
    assert "Bob, pig, objective win: 2 games, 0 decisions, no errors; luck" in words
    assert "Ann, pig, objective win: 2 games, 2 decisions, " in words
    assert words.count("Players are compared with the strategy sheets from 20 decisions on.") == 1
    assert f"(grade: {grade(review(solution, game).seats[0].mean_error)})" in words
    assert "flawless" not in words
    assert "Ann: errors in 1 of 1 decision" in format_text(review(solution, game))


def test_a_game_not_over_and_whole_turns():
    solution = kw.solve("pig")
    game = played_at_random(solution.playable, 3, 9)
    while not game.playable.is_turn_start(game.position):
        game.play_line("1")
    game.play_line("turn 20")
    judged = review(solution, game)
    assert not judged.trace.over
    assert judged.trace.events[-1].kind == "turn"
    assert "the game is not over" in " ".join(format_text(judged).split())
    for seat in judged.as_json()["seats"]:
        assert seat["outcome"] == pytest.approx(seat["start"] + seat["luck"] - seat["errors"], abs=1e-10)


@pytest.mark.slow
def test_reviews_solve_the_rest_of_a_game_once(monkeypatch, tmp_path):
    """Double Cameroon for two from its last round on: one solve for the trace and all reasons, its progress told."""
    solution, told, solves = kw.solve("double-cameroon"), [], []
    solve_from = type(solution.problem).solve_from
    monkeypatch.setattr(
        type(solution.problem), "solve_from", lambda *all_: (solves.append(all_[1]), solve_from(*all_))[1]
    )
    used = ["sixes", "fives", "fours", "threes", "twos", "aces", "full house", "five of a kind"]
    start = solution.playable.position(score=100, opponents=[105], used=used, opponent_used=used)
    game = GameFile(solution.playable, (SeatedPlayer("Ann"), SeatedPlayer("Bob")), start=start, seed=2)
    while not game.is_over:
        if game.playable.stage(game.position) == "throw":
            game.roll()
        else:
            game.choose(game.playable.choices(game.position)[-1])
    judged = review(solution, game, progress=told.append)
    assert judged.mistakes
    assert len(solves) == 1
    assert told[-1] == 1


LATE = ["sixes", "fives", "fours", "threes", "twos", "aces", "full house", "five of a kind"]


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ({"objective": "reach", "goal": 150}, {"used": LATE[:6]}),
        ({"objective": "win", "players": 2}, {"used": LATE, "opponents": [105], "opponent_used": LATE}),
    ],
)
def test_reviews_announce_the_cost_of_all_solves_once(run, monkeypatch, tmp_path, question, told):
    """With a minute for each solve, as many minutes are announced as values are solved, and before the first."""
    playable = kw.playable("double-cameroon", **question)
    start = playable.position(score=100, **told)
    names = []
    for seed in (1, 2):
        game = GameFile(
            playable, (SeatedPlayer("Ann"), SeatedPlayer("Bob"))[: playable.players], start=start, seed=seed
        )
        while not game.is_over:
            if playable.stage(game.position) == "throw":
                game.roll()
            else:
                game.choose(playable.choices(game.position)[-1])
        (tmp_path / f"{seed}.kw").write_text(game.to_text())
        names.append(str(tmp_path / f"{seed}.kw"))
    kind, happened = type(kw.solve("double-cameroon", **question).problem), []
    solve_from = kind.solve_from
    monkeypatch.setattr(kind, "solve_from", lambda *all_: (happened.append("a solve"), solve_from(*all_))[1])
    monkeypatch.setattr(kind, "estimate_cost_from", lambda problem, position, threads: SolveCost(0.0, 60.0))
    note = Watch.note
    monkeypatch.setattr(Watch, "note", lambda watch, what: (happened.append(what), note(watch, what))[1])
    assert run("review", *names).status == 0
    solves = happened.count("a solve")
    turns = (
        2 if question["objective"] == "reach" else 1
    )  # two turns are left, of two boxes each; or one solve serves all that follows
    assert solves == 2 * turns
    assert happened == [f"reviewing 2 games takes about {solves} minutes", *["a solve"] * solves]


def test_the_search_for_levels_is_announced_with_the_reviews(run, monkeypatch, tmp_path):
    """The estimate of the last level counts the levels before it; one game is judged without levels."""
    playable, names = kw.playable(kw.game("pig", target=23)), []
    for seed in (1, 2):
        names.append(str(tmp_path / f"{seed}.kw"))
        Path(names[-1]).write_text(played_at_random(playable, seed).to_text())
    monkeypatch.setattr("keepwise.policies.levels.push.estimate_cost", lambda race, level: SolveCost(0.0, 10.0 * level))
    said = []
    monkeypatch.setattr(Watch, "note", lambda watch, what: said.append(what))
    assert run("review", names[0]).status == 0
    assert said == []
    assert run("review", *names).status == 0
    assert said == ["reviewing 2 games takes about 40 seconds"]


def test_another_question_is_refused():
    with pytest.raises(InputError, match="rules, players and objective must be the same"):
        review(kw.solve("pig"), played_at_random(kw.playable(kw.game("pig", target=20)), 1))


SHORT = kw.game("pig", target=24)  # whose levels are found at once


@pytest.fixture
def files(tmp_path):
    solution = kw.solve(SHORT)
    for seed in (1, 2):
        (tmp_path / f"{seed}.kw").write_text(played_at_random(solution.playable, seed).to_text())
    return tmp_path


def test_the_command(run, files):
    said = run("review", str(files / "1.kw"))
    assert said.status == 0
    game = read_game_file(files / "1.kw")
    assert said.out == format_text(review(kw.solve(SHORT), game))
    assert re.search(r"1\. \w+, event \d+: ", said.out)
    told = json.loads(run("review", str(files / "1.kw"), "--json").out)
    assert told["game"] == "pig"
    assert run("review", str(files / "1.kw"), "-f", "markdown").out.startswith("# Review: Pig, objective win;")


def test_many_files_at_once(run, files):
    names = [str(files / "1.kw"), str(files / "2.kw")]
    said = run("review", *names)
    assert said.status == 0
    assert "The record:" in said.out
    told = json.loads(run("review", *names, "--json").out)
    assert [one["file"] for one in told["games"]] == names
    for row in told["record"]:
        mine = [seat for one in told["games"] for seat in one["seats"] if seat["name"] == row["name"]]
        assert row["games"] == len(mine) == 2
        assert row["decisions"] == sum(seat["decisions"] for seat in mine)
        assert row["errors"] == pytest.approx(sum(seat["own_errors"] for seat in mine), abs=1e-12)
        assert row["mean_error"] == row["errors"] / row["decisions"]
    solution = kw.solve(SHORT)
    judged = [(name, review(solution, read_game_file(name))) for name in names]
    assert said.out == format_record(judged)


class Well(HTMLParser):
    """Every tag that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.ids = [], set()

    def handle_starttag(self, tag, attributes):
        self.ids |= {value for name, value in attributes if name == "id"}
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_page_of_several_games(run, files):
    names = [str(files / "1.kw"), str(files / "2.kw")]
    for output in ("both.html", "again.html"):
        assert run("review", *names, "-o", str(files / output)).status == 0
    page = (files / "both.html").read_text()
    assert (files / "again.html").read_text() == page
    well = Well()
    well.feed(page)
    assert well.open == []
    for number, name in enumerate(names, 1):
        steps = read_game_file(name).steps
        assert {f"g{number}e{event}" for event in range(1, len(steps) + 1)} <= well.ids
    assert set(re.findall(r'href="#(\w+)"', page)) <= well.ids
    text = re.sub(r"(?s)<(script|style).*?</\1>", "", page)
    assert not re.findall(r'''src\s*=|url\(|@import|://|href="[^#]|style=|\bon\w+="''', text)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert page.count("<script") == page.count("<style") == 1


@pytest.mark.parametrize(("game", "objective"), [("battleship", "win"), ("double-cameroon", "points")])
def test_a_page_names_fields_as_the_text_does(game, objective):
    solution = kw.solve(game, objective)
    page = make_page([("x.kw", review(solution, played_at_random(solution.playable, 3)))])
    assert re.search(r" · roll number 2\b", page)
    assert not re.search(r" · (cast|throw) \d", page)


def test_names_in_a_page_are_text():
    solution = kw.solve(SHORT)
    game = GameFile(solution.playable, (SeatedPlayer("<img src>"), SeatedPlayer("</script>\"'&amp;")), seed=1)
    while not game.is_over:
        game.roll() if game.playable.stage(game.position) == "throw" else game.play_line("bank")
    judged = review(solution, game)
    page = make_page([("</title><b>.kw", judged), ("2.kw", judged)])
    assert not re.findall("<img|<b>", page)
    assert page.count("</script>") == page.count("</title>") == 1
    assert "&lt;/script&gt;&quot;&#x27;&amp;amp;, event 1" in page


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("game", ["pig", "scarney", "battleship", "double-cameroon"])
def test_review_page_choices_equal_the_advice(game):
    """The choice made, and those that cost least, in the documented order."""
    solution = kw.solve(game, OBJECTIVES.get(game, "win"))
    judged = review(solution, played_at_random(solution.playable, 3))
    page = make_page([("x.kw", judged)])
    assert not re.search(r"\d (%|pp)", re.sub("<script>.*</script>|<style>.*</style>", "", page, flags=re.DOTALL))
    told = re.split(r'<li id="g1e(\d+)"', page.replace("\xa0", " "))
    seen = dict(zip(map(int, told[1::2]), told[2::2], strict=True))
    for number, event in enumerate(judged.trace.events, 1):
        if not event.is_decision:
            assert "<button" not in seen[number]
            continue
        advice, playable = solution.advise(event.position), solution.playable
        ranked = {choice.action: choice for choice in advice.choices}
        listed = re.findall(r'disabled>(.*?)</button> <span class="answer">(.*?)</span>(.*?)</li>', seen[number])
        order = [choice.action for choice in playable.choices(event.position)]
        assert sorted((action for action, *_ in listed), key=order.index) == [action for action, *_ in listed]
        assert len(listed) >= min(len(order), 8)
        assert [action for action, _, played in listed if played] == [event.choice.action]
        for action, words, _ in listed:
            choice = ranked[action]
            costs = "just as good" if choice.tie else f"costs {format_loss(choice.loss, advice.objective)}"
            assert words == ("best" if choice is advice.best else costs), (number, action)
        most = max(ranked[action].loss for action, _, played in listed if not played)
        assert all(one.loss >= most for one in advice.choices if one.action not in {action for action, *_ in listed})


@pytest.mark.slow
def test_a_page_in_a_browser_by_keyboard_alone(tmp_path):
    """5000 and Battleship on one page, at two widths, light and dark: nothing for axe, nothing sideways, no request."""
    judged = []
    for game in ("5000", "battleship"):
        solution = kw.solve(game)
        judged.append((f"{game}.kw", review(solution, played_at_random(solution.playable, 3))))
    (tmp_path / "page.html").write_text(make_page(judged), encoding="utf-8")
    decisions = [
        (one.seat, one.error, f"{('Ann', 'Bob')[one.seat]}, event {number} ")
        for _, game in judged
        for number, one in enumerate(game.trace.events, 1)
        if one.is_decision
    ]
    bobs = [name for seat, _, name in decisions if seat == 1]
    said, shown = (
        ["text", "#said"],
        "[...document.querySelectorAll('.decision')].filter((one) => one.offsetParent).length",
    )
    keys = lambda *some: [["key", key] for key in some]  # noqa: E731
    look = [["axe"], ["sideways"]]
    steps = [
        *look,
        *[*keys("ArrowRight", "ArrowRight"), ["focus"], *keys("ArrowLeft"), ["focus"], *look],
        *[*keys("End"), ["run", "location.reload()"], ["wait", "Ann"], *keys(*["Tab"] * 3), ["type", "Bob"]],
        *[said, ["run", shown], *keys("Tab"), ["type", "only"], said, ["run", shown]],
        *[*keys("Tab", "Space"), said, ["run", shown], *look, *keys("Tab"), ["run", "document.activeElement.tagName"]],
        *[*keys("Enter"), ["focus"], said, *look, *keys("ArrowRight"), said, ["run", shown]],
    ]
    tasks = [
        {"what": "steps", "file": (tmp_path / "page.html").as_uri(), "bare": True, "steps": steps, **more}
        for more in (
            {"scheme": scheme, "viewport": {"width": width}} for scheme in ("light", "dark") for width in (390, 1280)
        )
    ]
    wrong = sum(seat == 1 and error > 0 for seat, error, _ in decisions)
    for found in browse("chromium", tmp_path, tasks):
        assert found["errors"] == []
        assert {one.partition(":")[0] for one in found["asked"]} == {"file"}
        assert [one for one in found["told"] if one in ([], 0)] == [[], 0] * 4
        second, first, by_seat, bob, by_cost, cost_, asked, one, tag, answered, judged_, on, last = [
            one for one in found["told"] if one not in ([], 0, None)
        ]
        assert second.startswith(decisions[1][2])
        assert first.startswith(decisions[0][2])
        assert (by_seat, bob) == (f"{len(bobs)} decisions; ← and → go through them", len(bobs))
        assert (by_cost, cost_) == (f"{wrong} decisions; ← and → go through them", wrong)
        assert (asked, one, tag) == (f"decision 1 of {wrong}", 1, "BUTTON")
        assert answered.startswith("Bob, event ")
        assert re.fullmatch(
            rf".*: (best|just as good|costs .*); decision 1 of {wrong}; [01] of 1 answers were best", judged_
        )
        assert on.startswith(f"decision 2 of {wrong}; ")
        assert last == 1


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["none.kw"], "cannot read none.kw: file not found"),
        (["1.kw", "-o", "x.doc"], "x.doc must end in .txt, .md, .html or .json; otherwise give --format"),
        (["1.kw", "-o", "no/x.md"], "there is no folder"),
        (["bad.kw"], "bad.kw:2: missing required line 'seat: NAME = PLAYER'"),
        (["seven.kw"], "seven.kw cannot be reviewed: Pig has no exact values for 7 players"),
    ],
)
def test_review_refuses_bad_files_in_one_line(refused, files, monkeypatch, words, what):
    monkeypatch.chdir(files)
    (files / "bad.kw").write_text("game: pig\ndice: mine\n")
    (files / "seven.kw").write_text("game: pig\n" + "".join(f"seat: {name}\n" for name in "ABCDEFG"))
    refused(what, "review", *words)


def test_the_docs_print_the_thresholds():
    page = (Path(__file__).parents[2] / "docs" / "table.md").read_text()
    told = re.findall(r"^\| ([\d.]+)% \| (\w+) \|$", page, re.MULTILINE)
    assert [(float(most) / 100, word) for most, word in told] == [
        (pytest.approx(most), word) for most, word in GRADES[:-1]
    ]
    assert f"| more | {GRADES[-1][1]} |" in page


def test_the_game_file_of_the_docs_can_be_read():
    page = (Path(__file__).parents[2] / "docs" / "table.md").read_text()
    (told,) = re.findall(r"^```\n(# an evening.*?)^```", page, re.MULTILINE | re.DOTALL)
    game = parse(told.splitlines(), "evening.kw")
    assert game.position.scores == (1050, 550)
    assert game.playable.game.rules["minimum_on_win"] is False


def by_policies(playable, seed, *policies):
    """A game in which every seat follows a policy of people."""
    seats = tuple(SeatedPlayer(policy.replace(":", " ")) for policy in policies)
    game, who = GameFile(playable, seats, seed=seed), [parse_choice_function(playable, policy) for policy in policies]
    while not game.is_over:
        if playable.stage(game.position) == "throw":
            game.roll()
        else:
            game.choose(who[playable.player_to_move(game.position)](game.position))
    return game


LEARNERS = {
    "pig": (SHORT, "win", ("hold:2", "hold:8"), 12, r"bank \d+ or more"),
    "box": (kw.game("shut-the-box", tiles=6), "points", ("sheet:1",), 6, "with .* standing, roll one die"),
    "another box": (kw.game("shut-the-box", tiles=6), "points", ("sheet:2",), 12, r"for \d+ shut "),
    "5000": (kw.game("5000"), "points", ("sheet:1",), 24, "from 1 5 keep "),
    "the page": (SHORT, "win", ("sheet:1", "sheet:4"), 12, ""),
    "battleship": (kw.game("battleship"), "win", ("sheet:1", "sheet:2"), 40, "keep each crew die of 5 or more"),
    "scarney": (kw.game("scarney"), "win", ("sheet:4", "sheet:2"), 8, "last to shoot in the last frame"),
    "booby trap": (kw.game("booby-trap"), "margin", ("sheet:1", "sheet:3"), 3, "pass: small, springy, 1 pass"),
    "yahtzee": (kw.game("yahtzee"), "points", ("sheet:2",), 2, ""),
}
MINUTES = ("booby trap",)  # whose levels are found in half a minute


@pytest.mark.cases(fast=2, slow=3)
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.patient] * (one in MINUTES)) for one in LEARNERS]
)
def test_reviews_recognize_players_who_follow_a_level(name):
    """What levels cost is told again by advice, position by position; the next number by all that the page decides."""
    game, objective, policies, games, says = LEARNERS[name]
    solution = kw.solve(game, objective)
    judged = [
        ("x.kw", review(solution, by_policies(solution.playable, seed, *policies), costliest=0))
        for seed in range(games)
    ]
    told = []
    for seat, (policy, row) in enumerate(zip(policies, make_record(judged), strict=True)):
        levels = row["levels"]
        events = [one for _, each in judged for one in each.trace.events if one.is_decision and one.seat == seat]
        lost = {level: [] for level in (1, 2, 3, 4)}
        for event in events:
            ranked = {one.action: one.certain_loss for one in solution.advise(event.position).choices}
            for level, losses in lost.items():
                losses.append(ranked[parse_choice_function(solution.playable, f"sheet:{level}")(event.position).action])
        means = [sum(losses) / len(events) for losses in lost.values()]
        assert levels["losses"] == pytest.approx(means, abs=1e-9)
        own = row["mean_error"]
        if policy.startswith("sheet:"):
            assert int(policy[-1]) in levels["plays_like"]
            assert means[int(policy[-1]) - 1] == pytest.approx(own, abs=1e-9)
        for level in levels["plays_like"]:
            assert levels["losses"][level - 1] >= own
        if after := levels["next"]:
            told.append(after["says"])
            level = after["level"]
            assert level > max(levels["plays_like"], default=0)
            assert means[level - 1] < own
            assert (
                0 < after["cost"] <= sum(max(0.0, e.error - c) for e, c in zip(events, lost[level], strict=True)) + 1e-9
            )
            assert f"from sheet {level}: {after['says']} (" in " ".join(format_record(judged).split())
            assert f"from sheet {level}: " in make_page(judged)
    assert any(re.match(says, one) for one in told) or not says, told


def test_reviews_name_no_level_where_none_exists():
    """Where nothing is decided nobody plays like anything, and where all have one turn no policies are played."""
    for solution in (kw.solve("boston"), kw.solve(kw.load_rules("twenty-one"), "win")):
        judged = [("x.kw", review(solution, played_at_random(solution.playable, 1)))]
        assert all("levels" not in row for row in make_record(judged))
        assert "sheet" not in format_record(judged)


def test_a_record_of_seats_with_rules_of_their_own_has_no_levels():
    """No sheet is made for all seats, so none is compared, however many decisions there are."""
    reviews = []
    for players, seats in ((2, {2: {"target": 50}}), (3, {2: {"target": 35}})):
        solution = kw.solve(kw.game("pig", target=40, seats=seats), players=players)
        reviews += [(f"{seed}", review(solution, played_at_random(solution.playable, seed))) for seed in (1, 2)]
    assert all("levels" not in row for row in make_record(reviews))
    assert len(format_record(reviews)) > 100
