"""Pages of all push-your-luck games that ship: read by somebody who knows the page alone."""

from __future__ import annotations

import json
import re

import pytest
from random_games import decisions_by_chance

import keepwise as kw
from keepwise.answers.evaluated import Evaluation
from keepwise.answers.levels.push import KEPT
from keepwise.answers.named import named_policy
from keepwise.games import FILES, own_game, shipped_rule_files
from keepwise.sheets import make_sheet, push


def table_of(sheet, beginning):
    return next((table for table in sheet.tables if table.heading.startswith(beginning)), None)


def of_band(names, score):
    """The place of the band that a score lies in: ``0 to 9``."""
    begins = [int(name.split(" to ")[0].replace(",", "")) for name in names]
    return sum(score >= begin for begin in begins) - 1


def hog(sheet, _):
    """How many dice are rolled."""
    said, bands = " ".join(sheet.lines), table_of(sheet, "Dice to roll")
    if one := re.search(r"Roll (\d+) (?:die|dice)\.", said):
        return lambda at, choices: f"roll {one[1]} {'die' if one[1] == '1' else 'dice'}"
    rows = [row[0] for row in bands.rows]

    def read(at, choices):
        row = bands.rows[of_band(rows, at["score"])]
        number = row[1] if len(row) == 2 else row[1 + of_band(bands.columns[1:], max(at["opponents"]))]
        return f"roll {number} {'die' if number == '1' else 'dice'}"

    return read


def threes(sheet, _):
    """Which dice are set aside: 3s count nothing."""
    said, most, instead = (
        " ".join(sheet.lines),
        table_of(sheet, "What to set aside"),
        table_of(sheet, "Set aside instead"),
    )
    one = re.search(r"scores at most (\d+)", said)
    limits = {str(dice): int(one[1]) for dice in range(1, 6)} if one else dict(most.rows)
    told = {row[:2]: row[2] for row in instead.rows} if instead else {}

    def read(at, choices):
        dice = [int(die) for die in at["roll"]]
        worth = {die: 0 if die == 3 else die for die in dice}
        told_of = told.get((str(len(dice)), " ".join(map(str, sorted(dice)))))
        cheap = [die for die in dice if worth[die] <= int(limits[str(len(dice))])]
        cheap = cheap or [min(dice, key=lambda die: worth[die])]
        kept = told_of.split() if told_of else [str(die) for die in sorted(cheap)]
        return next(choice.action for choice in choices if sorted(choice.keep) == sorted(kept))

    return read


def scoring(sheet, target):
    """All that scores, or less; and a limit for each hand, or for so many dice, by scores on the last page."""
    said, bank, less = " ".join(sheet.lines), table_of(sheet, "Bank"), table_of(sheet, "Keep less")
    one = re.search(r"Bank from ([\d,]+) points", said)
    told = {} if less is None else {(row[0], *sorted(row[1].split())): sorted(row[2].split()) for row in less.rows}
    assert (less is None) == ("except as told below" not in said)
    assert target is None or "or with enough to win" in said

    def limit(at, hand):
        if one:
            return int(one[1].replace(",", ""))
        rows, places = [row for row in bank.rows if row[0] in (hand, hand.split()[0])], [1]
        if bank.columns[0] == "you":
            mine = of_band([row[0] for row in bank.rows], at["score"])
            rows = [row for row in bank.rows if row[0] == bank.rows[mine][0] and row[1] in (hand, hand.split()[0])]
            places = [2 + of_band(bank.columns[2:], max(at["opponents"]))]
        cell = next((row[places[0]] for row in rows), "nobody stops")
        return 10**6 if cell in ("to win", "nobody stops") else int(cell.replace(",", ""))

    def read(at, choices):
        if choices[0].then == "take":  # points that another one left: nothing of it is on the page
            return choices[-1].action
        usual = max(choices, key=lambda choice: choice.points)
        keep = sorted(usual.keep)
        for choice in choices:
            shown = sorted(
                (*usual.keep, *(die for die in choice.keep if choice.keep.count(die) > usual.keep.count(die)))
            )
            every = all(shown.count(one) >= at["roll"].count(one) for one in "15")  # all that scores, kept or not
            if every and told.get((at["hand"], *shown)) == sorted(choice.keep):
                keep = sorted(choice.keep)
        stop, throw = (
            next((c for c in choices if sorted(c.keep) == keep and (c.then == "roll") == on), None)
            for on in (False, True)
        )
        if throw is None or stop is None:
            return (stop or throw).action
        if stop.then != "bank":  # which counts nothing
            return throw.action
        enough = target is not None and at["score"] + throw.points >= target
        hand = throw.action[throw.action.index("roll ") :].removeprefix("roll ").replace(" fresh", "")
        return stop.action if enough or throw.points >= limit(at, hand) else throw.action

    return read


SMALL_HOG = {"name": "small", "dice": 4, "faces": 4, "target": 16, "set_aside": "all-or-none"}
SMALL_HOG |= {"then": {"set": "end", "dice": "chosen"}, "singles": {"2": 2, "3": 3, "4": 4}}
SMALL_UNLIKE = {
    "name": "small",
    "faces": 4,
    "target": 40,
    "die": [{"count": 1, "weights": [1, 1, 1, 1]}, {"name": "lucky", "count": 2, "weights": [3, 1, 1, 2]}],
    "singles": {"1": 3, "2": 1},
    "alike": {"2": {"1": 5, "3": 8}, "3": {"4": 20}},
}
READERS = {
    "small hog": (lambda: own_game(SMALL_HOG), "win", hog),
    "threes": (lambda: kw.load_rules("threes"), "points", threes),
    "small unlike": (lambda: own_game(SMALL_UNLIKE), "points", scoring),
    "kingdom-come-loaded": (lambda: kw.load_rules("kingdom-come-loaded"), "points", scoring),
}


def hand_in_words(table, position):
    if position.roll is None:
        return ""
    return table.rules.hand_in_words(position.dice) if table.rules.kinds else str(sum(position.roll))


def read_and_played(game, objective, reader, level, enough=300):
    """Whoever reads the page does in so many positions what the policy does."""
    solution = kw.solve(game, objective, fresh=game.id == "small")
    table, target = solution.table, game.data.target if objective == "win" else None
    read, player = reader(make_sheet(solution, level=level), target), named_policy(table, f"sheet:{level}")
    for position, choices, said in decisions_by_chance(table, player, level, enough):
        if len(choices) > 1:
            at = {**table.tell(position), "hand": hand_in_words(table, position)}
            assert said.action == read(at, choices), at


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.patient) if one.startswith("kingdom") else one for one in READERS]
)
def test_who_reads_the_page_does_what_the_policy_does(name, level):
    game, objective, reader = READERS[name]
    read_and_played(game(), objective, reader, level)


def known_as(name):
    return kw.game(name) if name in FILES else kw.load_rules(name)


NO_CHOICE = ("bunco", "drop-dead", "fifty", "sevens-out")
LONG = ("cosmic-wimpout", "hog", "zilch")  # many ways to throw, or not of a moment to solve
PLAYED = [
    pytest.param(name, marks=pytest.mark.patient) if name in LONG else name
    for name in (*FILES, *(one for one in shipped_rule_files() if one not in FILES))
    if name not in (*READERS, *NO_CHOICE) and known_as(name).family == "push"
]


@pytest.mark.cases(fast=2, slow=20)
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("name", PLAYED)
def test_every_page_for_points_is_read(name, level):
    """Of all push-your-luck games that ship and let anybody choose; there is no page 4 for points."""
    read_and_played(known_as(name), "points", hog if name == "hog" else scoring, level, 100)


@pytest.mark.cases(fast=2, slow=20)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("name", [one.partition(":")[0] for one in json.loads(KEPT.read_text())])
def test_every_page_to_win_that_ships_is_read(name, level, monkeypatch):
    """What it costs is another test's."""
    monkeypatch.setattr(push, "evaluate_hold", lambda *told, **more: Evaluation(0.0, 0.0, 0.0, 0.0, (0.0, 0.0)))
    read_and_played(known_as(name), "win", hog if name == "hog" else scoring, level, 100)
