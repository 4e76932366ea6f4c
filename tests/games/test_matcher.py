"""The matcher of throws against plain Python over random asks, for throws, patterns and boxes alike."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest

import keepwise as kw
from keepwise.games import own_game
from keepwise.games.card_rules import score_one_roll
from keepwise.games.dice_matcher import DiceCondition


def asked(rng: random.Random, dice: int, faces: int) -> dict:
    """What a random entry asks dice to show."""
    some = [rng.randint(1, faces) for _ in range(rng.randint(1, 3))]
    sums = rng.choice(
        ({"sum": rng.randint(1, dice * faces)}, {"at_least": rng.randint(1, dice * faces)}, {"at_most": dice * 2})
    )
    every = {
        "groups": [rng.randint(1, 3) for _ in range(rng.randint(1, 2))],
        "straight": rng.choice((rng.randint(2, faces), sorted(rng.sample(range(1, faces + 1), 2)))),
        "shows": some,
        "only": sorted({*some, rng.randint(1, faces)}),
        **sums,
    }
    found = {key: every[key] for key in rng.sample([*every], rng.randint(1, 2))}
    return found | ({"all_alike": True} if "groups" in found and rng.random() < 0.3 else {})


def groups(count: list[int], sizes: list[int]) -> list[int]:
    """The spots of every way to show groups, each of another face."""
    ways = permutations(range(1, len(count) + 1), len(sizes))
    return [
        sum(face * size for face, size in zip(way, sizes, strict=True))
        for way in ways
        if all(count[face - 1] >= size for face, size in zip(way, sizes, strict=True))
    ]


def shows(entry: dict, roll: tuple[int, ...], faces: int) -> bool:
    """Whether a roll shows what an entry asks for, straight from the words."""
    count = [roll.count(face) for face in range(1, faces + 1)]
    row = entry.get("straight", [])
    rows = [row] if isinstance(row, list) else [range(low, low + row) for low in range(1, faces - row + 2)]
    return (
        ("groups" not in entry or bool(groups(count, entry["groups"])) or ("all_alike" in entry and len({*roll}) == 1))
        and any({*one} <= {*roll} for one in rows)
        and all(roll.count(face) >= entry.get("shows", []).count(face) for face in roll + tuple(entry.get("shows", [])))
        and {*roll} <= {*entry.get("only", roll)}
        and entry.get("sum", sum(roll)) == sum(roll)
        and entry.get("at_least", 0) <= sum(roll) <= entry.get("at_most", sum(roll))
    )


@pytest.mark.parametrize("seed", range(6))
def test_random_entries_match_a_plain_reference(seed):
    rng, said = random.Random(seed), 0
    for _ in range(25):
        dice, faces = rng.randint(2, 5), rng.randint(3, 6)
        entry = asked(rng, dice, faces)
        rolls = [*combinations_with_replacement(range(1, faces + 1), dice)]
        here = [roll for roll in rolls if shows(entry, roll, faces)]
        shape = {"name": "ours", "dice": dice, "faces": faces}
        if not here or sum(entry.get("groups", ())) > dice:
            with pytest.raises(kw.InputError):
                own_game({**shape, "category": [{"name": "box", **entry}]})
            continue
        card = own_game({**shape, "category": [{"name": "box", "points": 7, **entry}]}).data
        special = [{**entry, "of": dice, "then": "void"}]
        for roll in rolls:
            counts = tuple(map(roll.count, range(1, faces + 1)))
            assert score_one_roll(card.categories[0].score, counts) == 7 * (roll in here), (entry, roll)
        if len(here) < len(rolls):  # one die more is thrown first, so that a turn can score
            thrown = own_game({**shape, "dice": dice + 1, "singles": {"1": 1}, "special": special}).data
            assert {one.throw for one in thrown.specials} == {tuple(map(r.count, range(1, faces + 1))) for r in here}
        if "groups" in entry and "all_alike" not in entry:
            spots = [max(groups(list(map(roll.count, range(1, faces + 1))), entry["groups"])) for roll in here]
            rows = np.array([[roll.count(face) for face in range(1, faces + 1)] for roll in here])
            assert card.categories[0].condition.group_spots(rows).tolist() == spots
        said += 1
    assert said > 8


def test_all_alike_needs_no_test_of_its_colour():
    """Groups of one colour, or all alike: a single face has a single colour, so both conditions agree on it."""
    colours = ("black", "red", "red", "black")
    plain = DiceCondition((2, 2), colours=colours)
    with_all_alike = DiceCondition((2, 2), all_alike=True, colours=colours)
    rolls = [*combinations_with_replacement(range(1, 5), 5)]
    face_counts = np.array([[roll.count(face) for face in range(1, 5)] for roll in rolls])
    for roll, is_plain, is_match in zip(
        rolls, plain.matches(face_counts), with_all_alike.matches(face_counts), strict=True
    ):
        pairs = [colours[face - 1] for face in {*roll} if roll.count(face) > 1]
        expected = len(pairs) > len({*pairs})
        assert is_plain == expected, roll
        assert is_match == (expected or len({*roll}) == 1), roll
    five_ones = face_counts[:1]
    assert not plain.matches(five_ones)
    assert with_all_alike.matches(five_ones)
