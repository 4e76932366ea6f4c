"""Charts: the data is what the API says; files come out in every kind; text charts align."""

from __future__ import annotations

import numpy as np
import pytest

import keepwise as kw
from keepwise.charts import KINDS
from keepwise.charts.draw import write_chart
from keepwise.charts.make import make_chart
from keepwise.charts.terminal import draw_text
from keepwise.errors import InputError


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
    }


def test_every_kind_is_drawn(pig, tmp_path):
    made = charts(pig)
    assert set(made) == set(KINDS)
    for kind, chart in made.items():
        for ending, first in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
            path = tmp_path / f"{kind}.{ending}"
            write_chart(chart, path)
            assert path.read_bytes().startswith(first)
        words = draw_text(chart)
        assert words.startswith(chart.title)
        assert "Rules: default" in words or "target=" in words


def test_surface_is_the_values(pig):
    chart = make_chart(pig, "surface")
    for row, mine in list(enumerate(chart.ys))[::7]:
        for column, theirs in list(enumerate(chart.xs))[::7]:
            assert chart.grid[row, column] == pig.value(score=int(mine), opponents=[int(theirs)])


def test_regions_are_the_advice(pig):
    chart = make_chart(pig, "regions")
    for row, mine in list(enumerate(chart.ys))[::6]:
        for column, theirs in list(enumerate(chart.xs))[::6]:
            limit = chart.grid[row, column]
            if np.isnan(limit):
                limit = 40 - mine
            asked = {"score": int(mine), "opponents": [int(theirs)], "dice": 1}
            assert pig.advise(**asked, turn=int(limit)).best.then == "bank"
            if limit > 2:
                below = pig.advise(**asked, turn=int(limit) - 1)
                assert below.best.then == "roll" or below.choices[1].tie


def test_distribution_adds_up():
    chart = make_chart(kw.solve("boston", "points"), "distribution")
    assert sum(chart.series["chance"]) == pytest.approx(1)


def test_sensitivity_skips_rules_that_contradict():
    chart = make_chart(kw.solve(kw.game("5000", minimum_on_win=True), "points"), "sensitivity", vary="finish")
    assert "finish=at_least" in chart.labels
    assert "finish=exact" not in chart.labels  # with a minimum on the winning turn nobody could finish


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chart pig regions", "say where to"),
        ("chart pig foo --show terminal", "there is no chart foo"),
        ("chart pig --show terminal", "say which chart"),
        ("chart pig regions -o p.gif", "must end in .png, .svg or .pdf"),
        ("chart pig regions --objective points --show terminal", "with the objective win"),
        ("chart pig distribution --objective points --show terminal", "has no distribution"),
        ("chart pig sensitivity --show terminal", "say which option"),
        ("chart pig regions --dice 3 --show terminal", "cannot be left"),
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


def test_thresholds_never_lie_below_what_counts():
    chart = make_chart(kw.solve(kw.game("5000", target=1500), "turns", fresh=True), "thresholds")
    assert min(min(values) for values in chart.series.values()) >= 300  # the minimum holds on the winning turn too


def test_chart_of_a_rule_file(run, tmp_path):
    found = run(f"chart --rules pig-two-dice regions -o {tmp_path}/r.png")
    assert found.status == 0, found.err
