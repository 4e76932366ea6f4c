"""Random house rules of the push-your-luck family, small enough to be solved in a moment."""

from __future__ import annotations

import math
import random
from typing import Any

EFFECTS = ("win", "bust", "wipe", "must")


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
        rules["special"] = [{"throw": rng.choice(names) * dice, "then": effect}]
        if effect == "must":
            rules["special"][0]["points"] = rng.randint(1, 20)
    for key, choices in (
        ("set_aside", ("free", "all")),
        ("then.all", ("roll", "must", "end")),
        ("finish", ("at_least", "at_least", "exact", "last_round")),
    ):
        rules[key] = rng.choice(choices)
    points = [*rules["singles"].values(), *(n for alike in rules.get("alike", {}).values() for n in alike.values())]
    points += [entry["points"] for key in ("pattern", "special") for entry in rules.get(key, ()) if "points" in entry]
    grain = math.gcd(*points)
    if rules["finish"] == "exact":
        rules["target"] = -(-rules["target"] // grain) * grain
    if rng.random() < 0.4:
        rules["stop.opening"] = rng.randint(0, rules["target"] // grain) * grain
    if rng.random() < 0.3:
        rules["stop.at_least"] = rng.randint(0, min(20, rules["target"]) // grain) * grain
    if rules["finish"] != "exact" and rng.random() < 0.3:
        rules["stop.on_win"] = rng.random() < 0.5
    return rules


def rules_with_nothing_in_hand(rng: random.Random) -> dict[str, Any]:
    """Return the table of a rule file under which a turn can stand at 0 points once it has begun: sets worth nothing or
    less, with throws that lose something; some make no game and are refused when read.
    """
    dice, faces = rng.choice((1, 2, 2, 2, 3)), rng.randint(2, 4)
    names = [str(face) for face in range(1, faces + 1)]
    low = rng.random() < 0.5
    worths = (-3, -2, -1, 0, 0, 1, 1, 2, 3) if low else (0, 0, 1, 1, 2, 3)
    rules: dict[str, Any] = {"name": "random", "dice": dice, "faces": faces, "target": rng.randint(1, 4)}
    rules["weights"] = [rng.randint(1, 4) for _ in names]
    rules["singles"] = {name: rng.choice(worths) for name in rng.sample(names, rng.randint(1, faces))}
    if dice > 1 and rng.random() < 0.4:
        rules["alike"] = {"2": {rng.choice(names): rng.choice(worths)}}
    if dice > 1 and rng.random() < 0.3:
        rules["pattern"] = [{"dice": "".join(rng.sample(names, 2)), "points": rng.choice(worths)}]
    rules["special"] = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        effect = rng.choice(("win", "bust", "wipe", "wipe", "wipe", "score", "same"))
        throw = "".join(rng.choice(names) for _ in range(rng.randint(1, dice)))
        follows = {"score": {}, "same": {"then": "roll", "dice": "same"}}.get(effect, {"then": effect})
        scored = {"points": rng.choice(worths)} if effect in ("score", "same") else {}
        rules["special"].append({"throw": throw, **follows, **scored})
    if rng.random() < 0.15:
        rules |= {"then.set": "end", "then.dice": "chosen" if rng.random() < 0.5 else "all"}
    else:
        rules["then.all"] = "end"
    for key, others, chance in (
        ("stop.below", ("must",), 0.2),
        ("set_aside", ("all", "all-or-none"), 0.2),
        ("stop.at_least", (1, 2), 0.2),
        ("stop.opening", (1, 2), 0.2),
        ("stop.on_win", (False,), 0.2),
        ("take_over", ("free", "opened"), 0.2),
        ("then.set", ("must",), 0.1),
    ):
        if rng.random() < chance:
            rules[key] = rng.choice(others)
    return rules
