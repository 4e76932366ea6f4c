"""Random house rules of the push-your-luck family, small enough to be solved in a moment."""

from __future__ import annotations

import math
import random
from typing import Any

EFFECTS = ("win", "bust", "wipe", "again")


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Return the table of a rule file; some make no game and are refused when read."""
    dice, faces = rng.randint(1, 3), rng.randint(2, 7)
    names = [str(face) for face in range(1, faces + 1)]
    rules: dict[str, Any] = {"name": "random", "dice": dice, "faces": faces, "target": rng.randint(1, 60)}
    if rng.random() < 0.3:
        rules["weights"] = [rng.choice((1, 1, 2, 5, rng.randint(1, 100))) for _ in names]
    rules["singles"] = {name: rng.randint(1, 10) for name in rng.sample(names, rng.randint(1, faces - 1))}
    if dice > 1 and rng.random() < 0.4:
        count = rng.randint(2, dice)
        rules["alike"] = {str(count): {name: rng.randint(1, 30) for name in rng.sample(names, rng.randint(1, faces))}}
    if dice > 1 and rng.random() < 0.2:
        rules["pattern"] = [{"dice": "".join(rng.sample(names, 2)), "points": rng.randint(1, 40)}]
    if rng.random() < 0.3:
        effect = rng.choice(EFFECTS)
        rules["special"] = [{"throw": rng.choice(names) * dice, "effect": effect}]
        if effect == "again":
            rules["special"][0]["points"] = rng.randint(1, 20)
    for key, choices in (
        ("set_aside", ("free", "all")),
        ("hot_dice", ("free", "must", "none")),
        ("finish", ("at_least", "at_least", "exact", "last_round")),
    ):
        rules[key] = rng.choice(choices)
    points = [*rules["singles"].values(), *(n for alike in rules.get("alike", {}).values() for n in alike.values())]
    points += [entry["points"] for key in ("pattern", "special") for entry in rules.get(key, ()) if "points" in entry]
    grain = math.gcd(*points)
    if rules["finish"] == "exact":
        rules["target"] = -(-rules["target"] // grain) * grain
    if rng.random() < 0.4:
        rules["opening"] = rng.randint(0, rules["target"] // grain) * grain
    if rng.random() < 0.3:
        rules["minimum"] = rng.randint(0, min(20, rules["target"]) // grain) * grain
    if rules["finish"] != "exact" and rng.random() < 0.3:
        rules["minimum_on_win"] = rng.random() < 0.5
    return rules
