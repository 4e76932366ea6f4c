"""The tables in docs/results/levels.md; ``python tests/policies/test_level_tables.py`` writes them anew."""

from __future__ import annotations

import json
from functools import singledispatch
from pathlib import Path

import pytest

import keepwise as kw
from keepwise.games import FILES
from keepwise.games.touch_odds import SIZES
from keepwise.policies.aside_policy import HUNDREDTHS, AsidePolicy
from keepwise.policies.levels import DEFAULT_LEVEL, LEVELS, at_level, push
from keepwise.policies.levels.no_decisions import FirstChoicePolicy
from keepwise.policies.levels.rounds import CrewLimitPolicy, CrewTablePolicy
from keepwise.policies.levels.scarney import FrameLimitPolicy
from keepwise.policies.levels.tiles import TilePolicy
from keepwise.policies.push_evaluation import evaluate
from keepwise.policies.push_policies import LimitPolicy, ScoreBandPolicy
from keepwise.policies.touch_evaluation import TouchPolicy

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results" / "levels.md"
POINTS = ("pig", "5000", "beartrap", "farkle")
SHIPPED = json.loads(push.KEPT.read_text())
WON = "| game | sheet 1 | 2 | bound for 2 | 3 | 4 |"
FOUND = "| game | level | bank from, by dice left | points a turn | it loses | if you play to win, it loses |"
LOST = "| game | sheet 1 | 2 | 3 | 4 |"
CARDS = "| card | best | sheet 1 | 2: 20 rules and numbers | 3: 40 | 4: 50 |"
QUESTIONS = {  # in words; the games, what is played for, and who moves
    "Pig, to win, moving first": ("pig", "win", 0),
    "5000, to win, moving first": ("5000", "win", 0),
    "Battleship, points of a round": ("battleship", "points", 0),
    "Battleship, to win, moving second": ("battleship", "win", 1),
    "Straight Scarney, points of a frame": ("scarney", "points", 0),
    "Straight Scarney, to win, moving second": ("scarney", "win", 1),
    "Booby Trap, margin": ("booby-trap", "margin", 0),
    "Shut the Box, points left": ("shut-the-box", "points", 0),
    "Going to Boston, points": ("boston", "points", 0),
    "Multiplication, points": ("multiplication", "points", 0),
    "Hearts Due, points": ("hearts-due", "points", 0),
    "1-4-24, points": ("1-4-24", "points", 0),
    "Pickomino, worms of a turn": ("pickomino-turn", "points", 0),
    "Martian Dice, points of a turn": ("martian-dice", "points", 0),
}
FEELS = kw.game("booby-trap").data.odds.feels
SOON = ("boston", "multiplication", "hearts-due")
LONG = dict.fromkeys(("booby-trap", "martian-dice", "pickomino-turn"), pytest.mark.patient)
CARD_GAMES = ("yahtzee", "yatzy", "double-cameroon")


def known_as(name):
    return kw.game(name) if name in FILES else kw.load_rules(name)


def won():
    """What the lines bring that ship, game by game."""
    for name, lines in SHIPPED.items():
        values = [f"{value:.4f}" for _, _, value, _ in lines] + [""] * (len(LEVELS) - len(lines))
        bound = f"{lines[1][3]:.4f}" if lines[1][3] is not None else ""
        yield known_as(name.partition(":")[0]).title, *values[:2], bound, *values[2:]


@singledispatch
def strategy(policy):
    """A policy in a few words."""
    raise NotImplementedError(policy)


@strategy.register
def _(policy: LimitPolicy):
    """Limits by dice left, and of how many throws less is kept."""
    limits = {dice: f"{limit:,}" for dice, limit in sorted(policy.by_dice.items(), reverse=True)}
    alike = len(set(limits.values())) == 1
    told = limits[1] if alike else ", ".join(f"{dice}: {limit}" for dice, limit in limits.items())
    return f"{told}; less kept from {len(policy.keep)} rolls" if policy.keep else told


@strategy.register
def _(policy: ScoreBandPolicy):
    return "by fourths of both scores"


@strategy.register
def _(policy: CrewLimitPolicy):
    least = policy.least[:1] if len(set(policy.least)) == 1 else policy.least
    return f"keep crew dice {', then '.join(f'of {face} or more' for face in least)}"


@strategy.register
def _(policy: CrewTablePolicy):
    return "by what is missing in the last turn" if policy.missing else "crew by crew"


@strategy.register
def _(policy: FrameLimitPolicy):
    if policy.chases:
        return "last to shoot, hit until ahead"
    limits = dict(zip(range(5, 0, -1), policy.by_live[::-1], strict=True))
    alike = len(set(policy.by_live)) == 1
    told = f"stop from {limits[1]}" if alike else ", ".join(f"{live}: {limit}" for live, limit in limits.items())
    assert len(set(policy.double)) == 1
    return f"{told}, {'always' if policy.double[0] else 'never'} double down"


@strategy.register
def _(policy: TouchPolicy):
    if policy.late:
        return f"another page for the last {policy.few} pieces"
    passes = {number: {place[:2] for place in policy.take if place[2] == number} for *_, number in policy.take}
    takes = [[feel for feel in range(len(FEELS)) if (size, feel) not in passes[0]] for size in range(len(SIZES))]
    if len(set(policy.touch)) > 1 or any(some != passes[0] for some in passes.values()) or takes.count(takes[0]) < 3:
        return "by passes"
    return f"touch {SIZES[policy.touch[0]]}, take unless {' or '.join(FEELS[feel] for feel in takes[0])}"


@strategy.register
def _(policy: TilePolicy):
    if policy.but:
        return f"with {len(policy.but)} exceptions"
    if isinstance(policy.instruction, str) and policy.instruction:
        return f"{policy.instruction}; {'one die' if policy.one_die else 'two dice'}"
    return "a number for each tile" if policy.instruction else "an order for each total"


@strategy.register
def _(policy: AsidePolicy):
    if policy.listed_worths:
        return "a worth for each number of dice left and of faces needed"
    worth = f"{policy.rate / HUNDREDTHS:g} for each die left" if policy.rate else "a worth for each number of dice left"
    limits = sorted(set(policy.limits.values()))
    if len(limits) <= 1:
        return f"{worth}; bank from {limits[0]}" if limits else worth
    by_one = [len({(key[place], limit) for key, limit in policy.limits.items()}) for place in (0, 1)]
    numbers = [len({key[place] for key in policy.limits}) for place in (0, 1)]
    by = "dice left" if by_one[0] == numbers[0] else "faces used up" if by_one[1] == numbers[1] else "both"
    return f"{worth}; bank from {limits[0]} to {limits[-1]} by {by}"


@strategy.register
def _(policy: FirstChoicePolicy):
    return "nothing to choose"


def lost(told):
    """What sheets lose of a question, with the strategy of each that is another than the one before."""
    name, objective, seat = QUESTIONS[told]
    solution, before, row = kw.solve(known_as(name), objective, *([2] if objective == "win" else [])), None, [told]
    for level in range(1, len(LEVELS) + 1):
        found, policy = solution.evaluate(f"sheet:{level}"), at_level(solution.problem.game, level, objective).policy
        loss = found.second[1] - found.second[0] if seat else found.loss
        figure = f"{100 * loss:.2f} pp" if objective == "win" else f"{loss:.3f}" if loss > 1e-9 else "0"
        told = f"{'bank from ' if isinstance(policy, LimitPolicy) else ''}{strategy(policy)}"
        row.append(figure if policy == before else f"{figure}: {told}")
        before = policy
    return row


def card(name):
    """The points of a card by each sheet."""
    game = known_as(name)
    values = [kw.solve(game, "points").value(), *(at_level(game, level, "points").value for level in range(1, 5))]
    return [game.title, *(f"{value:.2f}" for value in values)]


def for_points(name):
    """Strategies for the points of a turn, what they lose of them after the first bank, and to win of two."""
    game, before = known_as(name), None
    points, race = kw.solve(game, "points"), kw.solve(game, "win", 2)
    best = points.value(score=int(points.problem.states.scores[1]) * game.data.grain)
    for level in range(1, DEFAULT_LEVEL + 1):
        found = at_level(game, level, "points")
        if found.policy != before:
            lost = evaluate(race.problem, race.value_table, found.policy, None, lambda done: None).loss
            told = f"{found.value:.2f}", f"{best - found.value:.2f}", f"{100 * lost:.2f} pp"
            yield game.title, str(level), strategy(found.policy), *told
        before = found.policy


def written(heading, rows):
    """A table as it stands in the page."""
    under = "|" + "---|" * heading.count(" | ") + "---|"
    return "\n".join([heading, under, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def test_documented_wins_table_equals_the_shipped_levels():
    assert written(WON, won()) in RESULTS.read_text()


@pytest.mark.cases(fast=1, slow=1)
@pytest.mark.parametrize("name", ["pig", *(pytest.param(one, marks=pytest.mark.slow) for one in POINTS[1:])])
def test_documented_points_table_equals_the_results(name):
    told = RESULTS.read_text().splitlines()
    assert all(row in told for row in written(FOUND, for_points(name)).splitlines())


@pytest.mark.cases(fast=len(SOON), slow=3)
@pytest.mark.parametrize(
    "told",
    [
        pytest.param(told, marks=() if name in SOON else LONG.get(name, pytest.mark.slow))
        for told, (name, *_) in QUESTIONS.items()
    ],
)
def test_documented_losses_table_equals_the_sheets(told):
    assert f"| {' | '.join(lost(told))} |" in RESULTS.read_text().splitlines()


@pytest.mark.cases(slow=1)
@pytest.mark.parametrize("name", CARD_GAMES)
def test_documented_cards_table_equals_the_lists(name):
    assert f"| {' | '.join(card(name))} |" in RESULTS.read_text().splitlines()


if __name__ == "__main__":
    page = RESULTS.read_text()
    tables = (
        (WON, won()),
        (FOUND, (row for name in POINTS for row in for_points(name))),
        (LOST, map(lost, QUESTIONS)),
        (CARDS, map(card, CARD_GAMES)),
    )
    for heading, rows in tables:
        before, _, rest = page.partition(heading)
        page = f"{before}{written(heading, rows)}\n{rest.partition(chr(10) * 2)[2]}"
    RESULTS.write_text(page)
