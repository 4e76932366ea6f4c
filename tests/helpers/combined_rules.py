"""Small games that combine rules which change what endings lead to."""

from __future__ import annotations

from itertools import combinations

SMALL = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1, "2": 2}, "target": 3, "then.all": "end"}


FEATURES = {
    "wiped": {"special": [{"throw": "33", "then": "wipe"}]},
    "costs": {"bust": {"costs": [1], "floor": -1}},
    "rows": {"bust": {"costs": [0, 1], "count": "stays"}},
    "taken": {"take_over": "free"},
    "chosen": {"then.dice": "chosen", "then.set": "end", "then.all": "roll"},
    "unlike": {"die": [{"count": 1, "weights": [1, 1, 1]}, {"name": "loaded", "count": 1, "weights": [1, 2, 3]}]},
    "confirmed": {"alike": {"2": {"1": 3, "then": "must"}}, "then.all": "must"},
}


APART = [{"costs", "rows"}, {"taken", "chosen"}, {"taken", "unlike"}, {"chosen", "confirmed"}]


def together(*features):
    """The rules of several features."""
    rules = dict(SMALL)
    for feature in features:
        rules |= FEATURES[feature]
    if "die" in rules:
        del rules["dice"]
    return rules


PAIRS = [pair for pair in combinations(FEATURES, 2) if set(pair) not in APART]
