"""Numbers in words, on the terminal and on the page."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from keepwise.util.number_format import format_loss, format_percent, format_value, format_value_in_sentence

PAGE = Path(__file__).parents[2] / "page"

CHANCES = {
    0.0: "0.0%",
    0.5320: "53.2%",
    0.00043: "0.043%",
    0.0000213: "0.0021%",
    0.00001: "0.001%",
    0.0000043: "below 0.001%",
    3.4e-07: "below 0.001%",
    0.99999: "over 99.9%",
    1.0: "100.0%",
}
WORTHS = {
    (1504.44, "points"): "1,504.4 points",
    (16350.0, "points"): "16,350.0 points",
    (412.6, "points"): "412.6 points",
    (-1234.5678, "margin"): "-1,234.568 points of margin",
    (-0.0001, "margin"): "+0.000 points of margin",
    (10.4521, "turns"): "10.452 turns",
    (4.3e-06, "win"): "below 0.001% to win",
}
COSTS = {
    (1504.441, "points"): "1,504.44 points",
    (0.0042, "points"): "0.0042 points",
    (0.00042, "points"): "below 0.001 points",
    (0.0142, "win"): "1.42 pp",
    (0.000021, "win"): "0.0021 pp",
    (3.4e-07, "win"): "below 0.001 pp",
    (0.0312, "turns"): "0.0312 turns",
    (0.00003, "turns"): "below 0.0001 turns",
    (0.0, "turns"): "0.0000 turns",
}


def test_numbers_have_commas_and_no_powers_of_ten():
    assert {chance: format_percent(chance) for chance in CHANCES} == CHANCES
    assert {asked: format_value(*asked) for asked in WORTHS} == WORTHS
    assert {asked: format_loss(*asked) for asked in COSTS} == COSTS


def test_values_in_sentences_are_nouns():
    chances = (0.08, 0.11, 0.118, 0.18, 0.8, 0.5, 0.1)
    articles = [format_value_in_sentence(chance, "win").partition(" ")[0] for chance in chances]
    assert articles == ["an", "an", "an", "an", "an", "a", "a"]
    assert format_value_in_sentence(0.546, "reach") == "a 54.6% chance to get there"
    assert format_value_in_sentence(245.1, "points") == "245.1 points"
    assert format_value_in_sentence(1e-9, "win") == "a chance to win of below 0.001%"


def test_page_formats_numbers_as_the_terminal(tmp_path):
    esbuild = PAGE / "node_modules" / ".bin" / "esbuild"
    if not shutil.which("node") or not esbuild.exists():
        pytest.skip("the packages of page/package.json are not installed: make page")
    out = tmp_path / "numbers.mjs"
    source = PAGE / "src" / "numbers.ts"
    subprocess.run([esbuild, source, "--format=esm", f"--outfile={out}", "--log-level=error"], check=True)
    asked = [list(CHANCES), list(WORTHS), list(COSTS)]
    script = (
        f"import {{formatPercent, formatValue, formatLoss}} from '{out.as_uri()}';"
        f"const [a, b, c] = {json.dumps(asked)};"
        "console.log(JSON.stringify([a.map((chance) => formatPercent(chance)), b.map((asked) => formatValue(...asked)),"
        " c.map((asked) => formatLoss(...asked))]))"
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == [list(one.values()) for one in (CHANCES, WORTHS, COSTS)]
