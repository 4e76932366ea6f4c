"""Charts: the data is what the API says; files come out in every kind; text charts align."""

from __future__ import annotations

from itertools import cycle
from unittest import mock

import numpy as np
import pytest

import keepwise as kw
from keepwise.output.charts import KINDS
from keepwise.output.charts.draw import write_chart
from keepwise.output.charts.make import make_chart
from keepwise.output.charts.terminal import draw_text
from keepwise.solvers.distribution import Distribution
from keepwise.util.errors import InputError


@pytest.fixture(scope="module")
def pig():
    return kw.solve(kw.game("pig", target=40), "win", fresh=True)


def charts(pig):
    return {
        "regions": make_chart(pig, "regions"),
        "surface": make_chart(pig, "surface"),
        "thresholds": make_chart(kw.solve(kw.game("5000", target=1500), "turns", fresh=True), "thresholds"),
        "distribution": make_chart(kw.solve("battleship", "points"), "distribution"),
        "keeps": make_chart(kw.solve("5000", "points"), "keeps", position={"roll": "11532"}),
        "sensitivity": make_chart(kw.solve("battleship", "points"), "sensitivity", vary="crew"),
        "frontier": make_chart(kw.solve("5000", "points"), "frontier", vary="hold:300,hold:5=900,3=400"),
        "ternary": make_chart(kw.solve(kw.game("pig", target=14), players=3), "ternary"),
    }


@pytest.mark.slow
def test_every_kind_is_drawn(pig, tmp_path):
    made = charts(pig)
    assert set(made) == set(KINDS)
    files = (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"))
    for (kind, chart), (ending, first) in zip(made.items(), cycle(files)):
        path = tmp_path / f"{kind}.{ending}"
        write_chart(chart, path)
        assert path.read_bytes().startswith(first)
        words = draw_text(chart)
        assert words.startswith(chart.title)
        assert "Rules: default" in words or "target=" in words


@pytest.mark.slow
def test_keeps_are_the_advice_with_its_costs(tmp_path):
    solution = kw.solve("5000", "turns")
    chart, advice = make_chart(solution, "keeps", position={"roll": "11532"}), solution.advise(roll="11532")
    assert chart.series["value"] == tuple(one.value for one in advice.choices)
    for label, change, one in zip(chart.labels, chart.series["change"], advice.choices, strict=True):
        assert label == f"{one.action}{' (best)' if one is advice.best else ' (as good)' if one.tie else ''}"
        assert change == pytest.approx(one.certain_loss, abs=1e-12)
    assert "(best)" in draw_text(chart).splitlines()[1]
    all_alike = make_chart(
        kw.solve("hearts-due", "turns"), "sensitivity", vary="target=101"
    )  # nothing to draw an axis by
    write_chart(all_alike, tmp_path / "one.svg")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("hearts-due keeps --objective turns", "requires a position with a choice"),
        ("5000 keeps", "requires a position with a choice"),
        ("--rules hog regions", "players never choose between banking and rolling again"),
        ("--rules drop-dead thresholds --objective turns", "players never choose between banking and rolling again"),
    ],
)
def test_charts_of_choices_refuse_games_without_choices(refused, words, said):
    refused(said, "chart", *words.split(), "--show", "terminal")


@pytest.mark.parametrize("objective", ["points", pytest.param("win", marks=pytest.mark.patient)])
def test_frontier_chart_equals_the_losses_of_its_strategies(objective):
    solution = kw.solve("5000", objective)
    chart = make_chart(solution, "frontier", vary="hold:300,hold:5=900,3=400")
    lost = dict(zip(chart.labels, chart.series["lost"], strict=True))
    score = 4000 if objective == "points" else None  # after the first bank
    for name in ("hold:300", "hold:5=900,3=400"):
        (found,) = (loss for label, loss in lost.items() if label.endswith(name))
        assert found == solution.evaluate(name, score=score).loss
    ours = [loss for label, loss in lost.items() if "hold:" not in label]
    if objective == "points":
        assert ours == sorted(ours, reverse=True)
        sheets = [solution.evaluate(f"sheet:{level}", score=score).loss for level in (1, 2, 3)]
        assert [ours[0], ours[1], ours[-1]] == sheets
    else:  # those of the sheets, which are found for the win
        assert ours == [solution.evaluate(f"sheet:{level}").loss for level in (1, 2, 3, 4)]


@pytest.mark.parametrize(("name", "sheets"), [("battleship", (1, 2, 3)), ("scarney", (1, 2))])
def test_other_families_are_drawn_by_their_sheets(name, sheets):
    """Each sheet once, the numbers it takes first, and the advice of the source beside."""
    solution = kw.solve(name, "points")
    beside = ("source",) if name == "battleship" else ()
    chart = make_chart(solution, "frontier", vary=",".join(beside) or None)
    told = dict(zip(chart.labels, chart.series["lost"], strict=True))
    assert [*map(int, (label.split()[0] for label in told))] == sorted(int(label.split()[0]) for label in told)
    wanted = [solution.evaluate(policy).loss for policy in (*(f"sheet:{level}" for level in sheets), *beside)]
    assert sorted(told.values()) == sorted(wanted)


def test_frontier_refuses_other_objectives():
    with pytest.raises(InputError, match="evaluated for the objective points, or for win"):
        make_chart(kw.solve("battleship", "margin"), "frontier")
    with pytest.raises(InputError, match="; use it with sensitivity or frontier"):
        make_chart(kw.solve("pig", "points"), "keeps", vary="hold:20")


def test_surface_is_the_values(pig):
    chart = make_chart(pig, "surface")
    for row, mine in list(enumerate(chart.ys))[::7]:
        for column, theirs in list(enumerate(chart.xs))[::7]:
            assert chart.grid[row, column] == pig.value(score=int(mine), opponents=[int(theirs)])


@pytest.mark.slow
def test_regions_are_the_advice(pig):
    chart = make_chart(pig, "regions")
    for row, mine in list(enumerate(chart.ys))[::6]:
        for column, theirs in list(enumerate(chart.xs))[::6]:
            limit = chart.grid[row, column]
            if np.isnan(limit):
                limit = 40 - mine
            asked = {"score": int(mine), "opponents": [int(theirs)], "dice": 1}
            assert pig.advise(**asked, turn=int(limit)).best.follow_up == "bank"
            if limit > 2:
                below = pig.advise(**asked, turn=int(limit) - 1)
                assert below.best.follow_up == "roll" or below.choices[1].tie


def test_ternary_is_the_values(tmp_path, run):
    solution = kw.solve(kw.game("pig", target=14), players=3)
    shown = solution.chart("ternary", tmp_path / "three.svg", score=9, opponents=[0, 7])
    assert shown.total == 16
    scores = (0, *range(2, 14))
    assert set(zip(shown.xs, shown.ys, strict=True)) == {(a, b) for a in scores for b in scores if 16 - a - b in scores}
    for mine, following, *shares in zip(shown.xs, shown.ys, *shown.series.values(), strict=True):
        found = solution.position_value(score=mine, opponents=[following, 16 - mine - following])
        assert shares == list(found.seats)
    text = run("chart pig --rule target=14 --players 3 ternary --score 9 --opponents 0,7 --show terminal").out
    assert text.splitlines()[0] == shown.title == "Pig: who is most likely to win, by scores that add up to 16"
    row = next(line.split() for line in text.splitlines() if line.split()[:1] == ["13"])
    assert row[1] == f"1:{100 * solution.value(score=13, opponents=[0, 3]):.0f}%"


def test_unlikely_ends_of_a_distribution_are_not_drawn():
    """Ten totals of which the outer ones are rarer than a millionth; beside a solution only its words are asked for."""
    rare = Distribution.from_probabilities({0: 4e-7, 1: 4e-7, 2: 0.5, 3: 0.5 - 1.6e-6, 90: 4e-7, 99: 4e-7})
    solution = kw.solve("boston", "points")
    with mock.patch.object(type(solution.problem), "distribution", return_value=rare):
        chart = make_chart(solution, "distribution")
    assert chart.labels == ("2", "3")
    assert "Totals from 0 to 99 are possible; the last millionth on each side is not drawn." in chart.note


def test_distribution_adds_up():
    chart = make_chart(kw.solve("boston", "points"), "distribution")
    assert sum(chart.series["chance"]) == pytest.approx(1)
    whole = kw.solve("boston", "points").distribution()
    assert (
        f"Mean {float(whole.mean):.2f}, standard deviation {whole.standard_deviation:.2f}, quantiles 5%: " in chart.note
    )


def test_sensitivity_chart_names_contradictory_rules():
    chart = make_chart(kw.solve("5000", "turns"), "sensitivity", vary="finish=exact,last_round")
    assert chart.labels == ("finish=at_least (now)", "finish=last_round")
    assert "finish=exact is left out: finish=exact cannot be combined with minimum_on_win=true" in chart.note


def test_sensitivity_is_the_change_against_the_rules_as_they_are():
    game = kw.game("5000", straight=1500)
    now = kw.solve(game, "points", fresh=True).value()
    chart = make_chart(kw.solve(game, "points"), "sensitivity", vary="opening")
    # On the grain of 50; nothing is left out.
    assert chart.labels == ("opening=250", "opening=400", "opening=500 (now)", "opening=600", "opening=750")
    assert "left out" not in chart.note
    for label, value, change in zip(chart.labels, chart.series["value"], chart.series["change"], strict=True):
        opening = int(label.removesuffix(" (now)").partition("=")[2])
        assert value == kw.solve(game.with_rules(opening=opening), "points", fresh=True).value()
        assert change == value - now
    lines = draw_text(chart).splitlines()
    assert lines[3].split() == ["opening=500", "(now)", f"{now:.1f}", "points", "|"]
    assert "|#" in lines[1]  # more, to the right
    assert "#|" in lines[5]  # less, to the left


def test_sensitivity_keeps_the_odds_of_a_rule_file(tmp_path, run):
    counts = "large:free=20/18/1 large:tight=15/3/2 medium:free=21/20/1 medium:tight=10/4/2"
    file = tmp_path / "ours.toml"
    assert run(f"odds {counts} small:free=25/25/1 small:tight=8/2/1 --name ours -o {file}").status == 0
    found = run(f"chart --rules {file} sensitivity --objective win --vary penalty=2 --show terminal")
    ours = kw.load_rules(file)
    for penalty in (2, 3):
        value = kw.solve(ours.with_rules(penalty=penalty), "win").value()
        assert value != kw.solve(kw.game("booby-trap", penalty=penalty), "win").value()
        assert f"{100 * value:.1f}%" in found.out
    assert "Odds: ours" in found.out


@pytest.mark.slow
def test_sensitivity_of_house_rules(tmp_path):
    solution = kw.solve(kw.load_rules("pig-two-dice", target=30), "turns", fresh=True)
    for vary in ("target", "set_aside", "target=20,25", "finish"):
        chart = make_chart(solution, "sensitivity", vary=vary)
        assert len(chart.labels) >= 2
        write_chart(chart, tmp_path / "x.png")
    with pytest.raises(InputError, match=r"stop\.at_least is 0, and there are no other values .* --vary stop"):
        make_chart(solution, "sensitivity", vary="stop.at_least")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chart pig regions --show terminal -o pig.png", "--show cannot be combined with -o"),
        ("chart pig foo --show terminal", "unknown chart 'foo'"),
        ("chart pig --show terminal", "missing KIND"),
        ("chart pig regions -o p.gif", "must end in .png, .svg or .pdf"),
        ("chart pig regions --objective points --show terminal", "and the objective win"),
        ("chart pig distribution --objective points --show terminal", "has no distribution"),
        ("chart pig sensitivity --show terminal", "missing --vary OPTION"),
        ("chart pig sensitivity --vary target=x --show terminal", "must be a whole number, not 'x'"),
        ("chart --rules yacht sensitivity --objective points --vary dice --show terminal", "has no option to vary"),
        (
            "chart 5000 sensitivity --objective points --vary straight --show terminal",
            "there are no other values to compare",
        ),
        ("chart pig regions --dice 3 --show terminal", "--dice must be 1, not 3"),
        ("chart pig surface --score 3 --show terminal", "leave --score out"),
    ],
)
def test_bad_charts_get_one_line(run, words, said):
    found = run(words)
    assert found.status == 2
    assert said in found.err
    assert found.err.count("\n") == 1


def test_unknown_kind():
    with pytest.raises(InputError, match="did you mean regions"):
        make_chart(kw.solve("pig", "points"), "region")


def test_thresholds_never_lie_below_the_minimum():
    chart = make_chart(kw.solve(kw.game("5000", target=1500), "turns", fresh=True), "thresholds")
    assert np.nanmin([*chart.series.values()]) >= 300  # the minimum holds on the winning turn too


def test_thresholds_agree_with_the_advice_up_to_their_end():
    pig = kw.solve("pig")
    chart = make_chart(pig, "thresholds")
    (limits,) = chart.series.values()
    assert {np.isnan(limit) for limit in limits} == {False, True}
    for score, limit, wins in list(zip(map(int, chart.xs), limits, chart.edge, strict=True))[::4]:
        assert wins == 100 - score
        asked = {"score": score, "opponents": [0], "dice": 1}
        if np.isnan(limit):
            assert wins <= 2 or pig.advise(**asked, turn=wins - 1).best.follow_up == "roll"
            continue
        assert pig.advise(**asked, turn=int(limit)).best.follow_up == "bank"
        assert limit == 2 or pig.advise(**asked, turn=int(limit) - 1).best.follow_up == "roll"


def test_thresholds_chart_explains_its_jumps():
    """At 25 of Pig 18 points are banked, 23 are not, and from 24 on all are."""
    pig = kw.solve("pig", "turns")
    assert [pig.advise(score=25, turn=turn, dice=1).best.follow_up for turn in (18, 23, 24)] == ["bank", "roll", "bank"]
    assert "The number rises at a score" in make_chart(pig, "thresholds").note
    assert (
        "The number rises at a score" not in make_chart(kw.solve(kw.game("pig", target=20), "turns"), "thresholds").note
    )


@pytest.mark.slow
def test_chart_of_a_rule_file(run, tmp_path):
    found = run(f"chart --rules pig-two-dice regions -o {tmp_path}/r.png")
    assert found.status == 0, found.err


SEATS = {2: {"target": 40, "head_start": 7}}


@pytest.mark.parametrize("seat", [0, 1])
def test_regions_of_unlike_seats_are_those_of_the_advice(seat):
    solution = kw.solve(kw.game("pig", target=60, seats=SEATS), fresh=True)
    chart = make_chart(solution, "regions", position={"seat": str(seat)})
    assert f"Seat {seat + 1} is to move." in chart.note
    assert "Rules: target=60. Seat 2: target=40, head_start=7." in chart.note
    assert (max(chart.ys) < 40) == (seat == 1)
    assert (max(chart.xs) < 40) == (seat == 0)
    for row, own in enumerate(chart.ys):
        for column, other in enumerate(chart.xs):
            limit = chart.grid[row, column]
            if np.isnan(limit):
                continue
            advice = solution.advise(score=own, opponents=[other], seat=seat, turn=int(limit), dice=1)
            assert advice.best.kind.value == "bank"


def test_charts_of_alike_seats_and_of_a_head_start_agree():
    """With a head start alone the positions are those of the game without one."""
    plain = kw.solve(kw.game("pig", target=50), "win", 2)
    ahead = kw.solve(kw.game("pig", target=50, seats={2: {"head_start": 2}}), fresh=True)
    for kind in ("regions", "surface"):
        expected, chart = make_chart(plain, kind), make_chart(ahead, kind)
        rows = [expected.ys.index(score) for score in chart.ys]
        columns = [expected.xs.index(score) for score in chart.xs]
        np.testing.assert_allclose(chart.grid, expected.grid[np.ix_(rows, columns)], rtol=0, atol=1e-12)


def test_charts_name_the_hands_and_the_seat(run):
    words = ["--rule", "target=100", "--hands", "lucky*6 / ordinary*6"]
    for kind in ("surface", "regions", "thresholds"):
        printed = " ".join(run("chart", "kcd2", kind, *words, "--seat", "1").out.split())
        assert "Seat 2 is to move." in printed
        assert "Rules: target=100. Hand lucky*6. Seat 2: hand=ordinary*6." in printed
    keeps = run("chart", "kcd2", "keeps", *words, "--roll", "122344", "--seat", "1").out
    assert "seat 1" not in keeps
    assert "Seat 2 is to" in keeps


def test_regions_name_the_dice_that_are_left(run):
    words = ["chart", "kcd2", "regions", "--rule", "target=100", "--hand", "lucky*3, odd*3"]
    assert "with 2\ndice (1 lucky, 1 odd) left" in run(*words, "--dice", "lucky,odd").out
    assert "with 3\ndice (3 odd) left" in run(*words).out
    assert "--dice must list names" in run(*words, "--dice", "2").err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("chart pig ternary --players 3 --rule 2:target=40 --rule target=30", "requires players with the same rules"),
        ("export pig --sheet 2 --rule 2:target=40", "a strategy sheet requires the same rules for all players"),
        ("chart pig surface --rule 2:target=40 --seat 2", "--seat must be between 0 and 1, not 2"),
        ("chart yahtzee regions --objective points", "Yahtzee has no chart regions; its charts are surface"),
    ],
)
def test_charts_and_sheets_of_seats_are_refused_truly(refused, words, message):
    refused(message, words)
