"""Pages of push-your-luck games whose numbers are no limits by dice left: read by somebody who knows the page alone."""

from __future__ import annotations

import re

import pytest
from random_games import decisions_by_chance

import keepwise as kw
from keepwise.answers.named import named_policy
from keepwise.games import own_game
from keepwise.sheets import make_sheet


def table_of(sheet, beginning):
    return next((table for table in sheet.tables if table.heading.startswith(beginning)), None)


def of_band(names, score):
    """The place of the band that a score lies in: ``0 to 9``."""
    begins = [int(name.split(" to ")[0].replace(",", "")) for name in names]
    return sum(score >= begin for begin in begins) - 1


def hog(sheet):
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


def threes(sheet):
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


def unlike(sheet):
    """All that scores, or less; and a limit for each hand, or for so many dice."""
    said, bank, less = " ".join(sheet.lines), table_of(sheet, "Bank or roll"), table_of(sheet, "Keep less")
    one = re.search(r"Bank from ([\d,]+) points", said)
    told = {} if less is None else {(row[0], *sorted(row[1].split())): sorted(row[2].split()) for row in less.rows}

    def limit(words):
        if one:
            return int(one[1].replace(",", ""))
        rows = {row[0]: int(row[1].replace(",", "")) for row in bank.rows}
        whole = words.removeprefix("roll ").replace(" fresh", "")
        return rows.get(whole, rows.get(whole.split()[0], 10**6))

    def read(at, choices):
        most = max(choices, key=lambda choice: choice.points).points
        usual = min((choice for choice in choices if choice.points == most), key=lambda choice: len(choice.keep))
        keep = sorted(usual.keep)
        for choice in choices:
            shown = sorted(
                (*usual.keep, *(die for die in choice.keep if choice.keep.count(die) > usual.keep.count(die)))
            )
            if told.get((at["hand"], *shown)) == sorted(choice.keep):
                keep = sorted(choice.keep)
        stop, throw = (
            next((c for c in choices if sorted(c.keep) == keep and (c.then == "roll") == on), None)
            for on in (False, True)
        )
        if throw is None or (
            stop is not None
            and stop.then == "bank"
            and throw.points >= limit(throw.action[throw.action.index("roll ") :])
        ):
            return stop.action
        return throw.action

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
    "small unlike": (lambda: own_game(SMALL_UNLIKE), "points", unlike),
    "kingdom-come-loaded": (lambda: kw.load_rules("kingdom-come-loaded"), "points", unlike),
}


def hand_in_words(table, position):
    return table.rules.hand_in_words(position.dice) if position.roll is not None else ""


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.patient) if one.startswith("kingdom") else one for one in READERS]
)
def test_who_reads_the_page_does_what_the_policy_does(name, level):
    game, objective, reader = READERS[name]
    solution = kw.solve(game(), objective, fresh=True)
    table = solution.table
    read, player = reader(make_sheet(solution, level=level)), named_policy(table, f"sheet:{level}")
    for position, choices, said in decisions_by_chance(table, player, level, 300):
        if len(choices) > 1:
            at = {**table.tell(position), "hand": hand_in_words(table, position)}
            assert said.action == read(at, choices), at
