"""The tables of small strategies in docs/results.md say what is found; ``python tests/test_level_tables.py`` writes
them anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import keepwise as kw
from keepwise.answers.evaluation import judged
from keepwise.answers.levels import LEVELS, PAGE, at_level, push
from keepwise.games import FILES

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "results.md"
POINTS = ("pig", "5000", "beartrap", "farkle")
SHIPPED = json.loads(push.KEPT.read_text())
WON = "| game | sheet 1 | 2 | no limits of 2 bring more than | 3 | 4 |"
FOUND = "| game | level | bank from, by dice left | points a turn | it loses | to win of two it loses |"


def known_as(name):
    return kw.game(name) if name in FILES else kw.load_rules(name)


def won():
    """What the lines bring that ship, game by game."""
    for name, lines in SHIPPED.items():
        values = [f"{value:.4f}" for _, _, value, _ in lines] + [""] * (len(LEVELS) - len(lines))
        yield known_as(name.partition(":")[0]).title, *values[:2], f"{lines[1][3]:.4f}", *values[2:]


def strategy(policy):
    """Limits by dice left, and of how many throws less is kept."""
    limits = {dice: f"{limit:,}" for dice, limit in sorted(policy.by_dice.items(), reverse=True)}
    alike = len(set(limits.values())) == 1
    told = limits[1] if alike else ", ".join(f"{dice}: {limit}" for dice, limit in limits.items())
    return f"{told}; less kept from {len(policy.keep)} throws" if policy.keep else told


def for_points(name):
    """Strategies for the points of a turn, what they lose of them after the first bank, and to win of two."""
    game, before = known_as(name), None
    points, race = kw.solve(game, "points"), kw.solve(game, "win", 2)
    best = points.value(score=int(points.match.states.scores[1]) * game.data.grain)
    for level in range(1, PAGE + 1):
        found = at_level(game, level, "points")
        if found.policy != before:
            lost = judged(race.match, race.solved, found.policy, None, lambda done: None).loss
            told = f"{found.value:.2f}", f"{best - found.value:.2f}", f"{100 * lost:.2f} %"
            yield game.title, str(level), strategy(found.policy), *told
        before = found.policy


def written(heading, rows):
    """A table as it stands in the page."""
    under = "|" + "---|" * heading.count(" | ") + "---|"
    return "\n".join([heading, under, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def test_the_table_of_wins_is_what_ships():
    assert written(WON, won()) in RESULTS.read_text()


@pytest.mark.parametrize("name", ["pig", *(pytest.param(one, marks=pytest.mark.slow) for one in POINTS[1:])])
def test_the_table_of_points_is_what_is_found(name):
    told = RESULTS.read_text().splitlines()
    assert all(row in told for row in written(FOUND, for_points(name)).splitlines())


if __name__ == "__main__":
    page = RESULTS.read_text()
    for heading, rows in ((WON, won()), (FOUND, (row for name in POINTS for row in for_points(name)))):
        before, _, rest = page.partition(heading)
        page = f"{before}{written(heading, rows)}\n{rest.partition(chr(10) * 2)[2]}"
    RESULTS.write_text(page)
