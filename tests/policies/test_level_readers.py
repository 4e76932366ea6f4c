"""Every game that has levels: somebody who reads the page, and knows nothing of the policy, does what it does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from random_games import decisions_by_chance

import keepwise as kw
from keepwise.games.families import FAMILIES
from keepwise.output.sheets import make_sheet
from keepwise.policies.registry import parse_choice_function


def rows_of(sheet, beginning):
    return next((table for table in sheet.tables if table.heading.startswith(beginning)), None)


def battleship(sheet, rounds):
    """What is scored or kept; the last of two in the last round goes by what is missing."""
    said, crew = " ".join(sheet.lines), rows_of(sheet, "The crew")
    told = {} if crew is None else {tuple(row[0].split()): row[1:] for row in crew.rows}
    last = rows_of(sheet, "If you roll last")
    behind = {} if last is None else {int(row[0]): tuple(map(int, row[1:])) for row in last.rows}
    found = [int(number) for number in re.findall(r"keep each crew die of (\d)", said)]

    def by_number(high, low, least):
        if low >= least:
            return f"stop and score {high + low}"
        return f"keep the {high}, roll the {low} again" if high >= least else "roll both crew dice again"

    def read(at, choices):
        left = 3 - at["cast"]
        high, low = sorted(map(int, choices[0].keep[3:]), reverse=True)
        if behind and at["seat"] and ("round" not in at or at["round"] == rounds):  # or a playoff
            assert "if you are more than 12 points behind, the row 12" in last.note
            enough, two, one = behind[min(12, max(0, at["opponents"][0] - at["score"]))]
            settled = high + low >= enough
            return f"stop and score {high + low}" if settled else by_number(high, low, two if left == 2 else one)
        if told:
            return told[str(high), str(low)][2 - left].replace("roll both again", "roll both crew dice again")
        return by_number(high, low, found[0] if left == 2 else found[-1])

    return read, lambda at: True


def scarney(sheet, _):
    """Stop or hit; double down or throw plainly; the last to shoot hits until ahead."""
    said, table = " ".join(sheet.lines), rows_of(sheet, "By live dice")
    if table:
        limits = {int(row[0]): int(row[1]) for row in table.rows}
    else:
        limits = {int(live): int(limit) for limit, live in re.findall(r"(\d+) with (\d)", said)}
        if one := re.search(r"stop from (\d+) on", said):
            limits = dict.fromkeys(range(1, 6), int(one[1]))
    doubled = set(range(1, 6)) if "nothing: double down." in said else set()
    if some := re.search(r"with live dice ([\d, ]+); otherwise roll", said):
        doubled = {int(live) for live in some[1].split(", ")}

    def read(at, choices):
        live = int(re.search(r"(\d) (?:die|dice)$", choices[-1].action)[1])
        if held := re.match(r"holding (\d+), ", choices[0].action):
            enough = int(held[1]) >= limits[live]
            return choices[0].action if enough else choices[-1].action
        return choices[live in doubled].action

    return read, lambda at: True


def booby_trap(sheet, _):
    """The size to touch, and what is taken of each."""
    said = " ".join(sheet.lines)
    sizes = ("large", "medium", "small")

    def read(at, choices):
        pieces, passes = sum(at["left"]), at["passes"]
        tables = {table.heading: table for table in sheet.tables}
        few = [int(found[1]) for one in tables if (found := re.search(r"at most (\d+)", one))]
        when = "" if not few else f", with at most {few[0]} pieces" if pieces <= few[0] else ", with more than"
        offered = [choice.action for choice in choices]
        if "feel" not in at:
            if tables:
                size = rows_of(sheet, f"Touch{when}").rows[0][passes]
            else:
                size = re.search(r"Touch a (\w+) piece", said)[1]
            there = [one for one in sizes if f"touch a {one} piece" in offered]
            smaller = [one for one in there if sizes.index(one) >= sizes.index(size)]
            return f"touch a {(smaller or there[-1:])[0]} piece"
        if tables:
            rows = {row[:2]: row[2:] for row in rows_of(sheet, f"Take or pass{when}").rows}
            takes = rows[at["touched"], at["feel"]][passes].endswith("take")
        else:
            taken = re.search(rf"Take a (?:{at['touched']} )?piece that sits ([\w ]+)\.", said)
            takes = taken is not None and at["feel"] in taken[1].split(" or ")
        return "take the piece" if takes else "pass"

    return read, lambda at: "feel" in at or "touched" not in at


# family -> a game of it, what it is found for, and its reader; the others are read in the files named.
READERS = {
    "rounds": ("battleship", {}, "win", battleship),
    "scarney": ("scarney", {}, "points", scarney),
    "touch": ("booby-trap", {"large": 1, "medium": 2, "small": 2}, "margin", booby_trap),
}
ELSEWHERE = {
    "one turn": "output/test_sheets.py",
    "ranges": "output/test_card_pages.py",  # that there is none
    "push": "policies/test_push_readers.py",  # every page that ships, and every game for points
    "one face": "policies/test_aside_readers.py",
    "one face, one turn": "policies/test_aside_readers.py",
    "tiles": "policies/test_level_pages.py",
    "showdown": "policies/test_level_pages.py",
    "hearts": "policies/test_level_pages.py",
    "card": "output/test_card_pages.py",
}


def test_every_family_has_a_reader():
    assert READERS.keys() | ELSEWHERE.keys() == {name for name, one in FAMILIES.items() if one.levels}
    assert all((Path(__file__).parents[1] / name).exists() for name in ELSEWHERE.values())


@pytest.mark.cases(fast=0, slow=5)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("family", READERS)
def test_sheet_readers_play_as_the_level_policy(family, level):
    name, parameters, objective, reader = READERS[family]
    solution = kw.solve(kw.game(name, **parameters), objective)
    playable = solution.playable
    read, decides = reader(make_sheet(solution, level=level), getattr(playable, "rounds", 0))
    player = parse_choice_function(playable, f"sheet:{level}")
    for position, choices, said in decisions_by_chance(playable, player, level, 2000):
        at = playable.to_dict(position)
        if len(choices) > 1 and decides(at):
            assert said.action == read(at, choices), at
