"""Sheets of four levels of the games that are no race: the page is read, and played by hand, in fractions."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest

import keepwise as kw
from keepwise.output.sheets import make_sheet

FEW_TILES = kw.game("shut-the-box", tiles=6)


def dice(text):
    return set(map(int, text.split()))


def sentences(sheet):
    return " ".join(sheet.lines)


def shutting_by_the_page(sheet):
    """What the page says to shut of some ways, and with how many points standing one die is thrown."""
    said = sentences(sheet)
    number = re.search(r"Roll one die, if you may, with (\d+) points", said)
    tables = {table.heading.partition(" ")[0]: table.rows for table in sheet.tables}
    orders = {total: list(map(dice, ways.split(" / "))) for total, ways in tables.get("What", ())}
    instead = {(frozenset(dice(up)), total): dice(some) for up, total, some in tables.get("But", ())}
    prices = re.search(r"the prices are ([\d, ]+)\.", said)
    numbers = dict(enumerate(map(int, prices[1].split(", ")), 1)) if prices else {}

    def shuts(up, total, ways):
        if (frozenset(up), str(total)) in instead:
            return instead[frozenset(up), str(total)]
        if orders:
            return next(one for one in orders[str(total)] if one in ways)
        few = "the fewest tiles" in said
        high = "the one with the highest" in said

        def key(way):
            tiles = sorted(way, reverse=high)
            return (
                sum(numbers[tile] for tile in way) if numbers else 0,
                len(way) if few else -len(way),
                [-tile for tile in tiles] if high else tiles,
            )

        return min(ways, key=key)

    return shuts, int(number[1]) if number else 0


def left_by_the_page(sheet, tiles):
    shuts, one_die = shutting_by_the_page(sheet)
    known = {}

    def left(up):
        if up not in known:
            count = 1 if up and max(up) <= 6 and sum(up) <= one_die else 2
            found = Fraction(0)
            for fall in product(range(1, 7), repeat=count):
                total = sum(fall)
                ways = [
                    set(some) for size in range(1, len(up) + 1) for some in combinations(up, size) if sum(some) == total
                ]
                after = None if not ways else tuple(tile for tile in up if tile not in shuts(up, total, ways))
                found += Fraction(sum(up) if after is None else left(after) if after else 0, 6**count)
            known[up] = found
        return known[up]

    return float(left(tuple(range(1, tiles + 1))))


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_shut_the_box_by_the_sheet_reaches_its_value(level):
    solution = kw.solve(FEW_TILES, "points")
    sheet = make_sheet(solution, level=level)
    assert left_by_the_page(sheet, 6) == pytest.approx(solution.value() + loss(sheet), abs=1e-9)


@pytest.mark.slow
def test_no_sentence_about_the_box_is_better():
    """The eight are tried here too, by the played game: the ways as they are listed, sorted by what a sentence says."""
    solution = kw.solve(FEW_TILES, "points")
    sheets = [make_sheet(solution, level=level) for level in (1, 2, 3, 4)]
    losses = [loss(sheet) for sheet in sheets]
    assert losses == sorted(losses, reverse=True)
    words = ("fewest", "most")
    for few, high, most in product(words, ("highest", "lowest"), (0, 21)):
        told = f"Shut the {few} tiles; of several such ways, the one with the {high} tile."
        one = f"Roll one die, if you may, with {most} points or fewer standing."
        other = replace(sheets[0], lines=(told, one))
        assert left_by_the_page(other, 6) >= left_by_the_page(sheets[0], 6) - 1e-12


def loss(sheet):
    return float(re.search(r"In full, the sheet costs ([\d.e+-]+)", sheet.facts[1])[1])


def crew_numbers(sheet):
    """From which number each crew die is kept, by casts left."""
    found = [int(number) for number in re.findall(r"keep each crew die of (\d) or more", sentences(sheet))]
    return {2: found[0], 1: found[-1]}


def crew_by_numbers(numbers, crew=(), left=2):
    """The points of a crew on average, once two crew dice are to be thrown, with so many casts left after that."""
    total = Fraction(0)
    falls = list(product(range(1, 7), repeat=2 - len(crew)))
    for fall in falls:
        dice = (*crew, *fall)
        kept = () if not left else tuple(die for die in dice if die >= numbers[left])
        total += sum(dice) if not left or len(kept) == 2 else crew_by_numbers(numbers, kept, left - 1)
    return total / len(falls)


def round_by_numbers(numbers):
    """The points of a round: ship, captain and mate come in one cast, two or three."""

    def cast(aside, casts):
        total = Fraction(0)
        for fall in product(range(1, 7), repeat=5 - aside):
            rest, here = list(fall), aside
            while here < 3 and 6 - here in rest:
                rest.remove(6 - here)
                here += 1
            if here == 3:
                left = casts - 1
                kept = tuple(die for die in rest if left and die >= numbers[left])
                done = not left or len(kept) == 2
                total += sum(rest) if done else crew_by_numbers(numbers, kept, left - 1)
            elif casts > 1:
                total += known(here, casts - 1)
        return total / 6 ** (5 - aside)

    known = cache(cast)
    return float(known(0, 3))


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("level", [1, 2])
def test_battleship_by_the_numbers_reaches_the_stated_value(level):
    solution = kw.solve("battleship", "points")
    sheet = make_sheet(solution, level=level)
    assert round_by_numbers(crew_numbers(sheet)) == pytest.approx(solution.value() - loss(sheet), abs=1e-9)


def frame_by_the_page(limits, doubled):
    """Points of a Scarney frame on average, played by what the page says."""
    sides = (1, 3, 4, 6, 0, 0)

    @cache
    def hold(live, held):
        return Fraction(held) if held >= limits[live] else throw(live, held, False)

    @cache
    def throw(live, held, double):
        total = Fraction(0)
        for fall in product(sides, repeat=live):
            alive = [die for die in fall if die]
            if len(alive) == live:
                spots = sum(alive) * (2 if double and not (live == 1 and alive[0] in (3, 4)) else 1)
                alike = sorted((alive.count(die) for die in set(alive)), reverse=True)
                extra = {(4,): 40, (4, 1): 40, (3, 2): 30, (2, 2): 10, (2, 2, 1): 10}.get(
                    tuple(alike), 20 * (alike[0] == 3)
                )
                total += hold(live, held + spots + (0 if alike[0] == 5 else extra))
            elif live == 5 and len(alive) == 1:
                total += hold(1, held + 25)
            elif alive:
                total += throw(len(alive), 0, len(alive) in doubled)
        return total / 6**live

    return float(throw(5, 0, 5 in doubled))


@pytest.mark.parametrize("level", [1, 2])
def test_scarney_by_the_numbers_reaches_the_stated_value(level):
    solution = kw.solve("scarney", "points")
    sheet = make_sheet(solution, level=level)
    said = sentences(sheet)
    limits = {int(live): int(limit) for limit, live in re.findall(r"(\d+) with (\d)", said)}
    if level == 1:
        limits = dict.fromkeys(range(1, 6), int(re.search(r"stop from (\d+) on", said)[1]))
    assert "Holding nothing: double down." in said  # with any number of live dice
    doubled = set(range(1, 6))
    assert frame_by_the_page(limits, doubled) == pytest.approx(solution.value() - loss(sheet), abs=1e-9)


@pytest.mark.parametrize("game", ["boston", "multiplication", "hearts-due"])
def test_levels_of_games_without_choices_cost_nothing(game):
    solution = kw.solve(game, "points")
    for level in (1, 2, 3, 4):
        sheet = make_sheet(solution, level=level)
        assert "costs nothing" in sheet.cost[0]
        assert solution.evaluate(f"sheet:{level}").loss == 0
