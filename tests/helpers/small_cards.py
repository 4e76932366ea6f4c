"""Small cards that several tests solve."""

from __future__ import annotations

from keepwise.games import own_game


def tiny(boxes, categories, **more):
    return own_game({"name": "tiny", "boxes": boxes, "category": categories, **more})


ONE_BOX = tiny(
    1,
    [
        {"name": "ones", "face": 1},
        {"name": "threes", "face": 3},
        {"name": "pair", "groups": [2], "points": "groups"},
        {"name": "all", "groups": [3], "points": 9},
    ],
    dice=3,
    faces=3,
    weights=[1, 2, 1],
    throws=2,
)


TWO_BOXES = tiny(
    2,
    [
        {"name": "twos", "face": 2},
        {"name": "threes", "face": 3},
        {"name": "pair", "groups": [2], "points": 5},
        {"name": "run", "straight": [1, 2], "points": 4},
    ],
    dice=4,
    faces=3,
    throws=2,
)


UPPER = tiny(
    1,
    [{"name": "ones", "face": 1}, {"name": "twos", "face": 2}, {"name": "choice", "chance": True}],
    dice=2,
    faces=2,
    throws=2,
    upper={"categories": ["ones", "twos"], "at": 4, "bonus": 3},
)


def alike(joker, bonus):
    """Two dice of three faces, a category of all alike, and what later throws of all alike may do."""
    categories = [
        {"name": "ones", "face": 1},
        {"name": "twos", "face": 2},
        {"name": "pair", "groups": [2], "points": 9},
        {"name": "run", "straight": 2, "points": 5},
    ]
    more = {"category": "pair", "joker": joker} | ({"bonus": bonus} if bonus else {})
    return tiny(1, categories, dice=2, faces=3, throws=2, again=more)


ONE_THROW = tiny(1, ONE_BOX.rules["category"], dice=3, faces=3, throws=1)
