"""Headers of certificates: each field has a type, a range and its objectives, and the format page says which.

Headers are built from docs/certificate-format.md alone. Those that the checker accepts are forged into certificates,
whose bounds have to enclose a value that shares no code with the checker.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import certificate_reference
import pytest
from certificate_forger import GaveUpError, forge, parse_type
from patience import PATIENCE

import keepwise_check as kc

PAGE = (Path(__file__).parents[1] / "docs" / "certificate-format.md").read_text()
ROW = re.compile(r"^\| ([a-z ]+) \| `(\w+)` \| (.+?) \| ([a-z, ]+) \| (.*?) ?\|$", re.M)
FIELDS: dict[str, dict[str, tuple[str, str, str]]] = {}
for part, key, type_, objectives, otherwise in ROW.findall(PAGE):
    FIELDS.setdefault(part, {})[key] = type_, objectives, otherwise
EACH = 200  # headers of a seed; the fast one has FEWER
FEWER = 40
WRONG = [None, True, 1.5, -(10**7), 10**9, "5", "0x1_0", [], {}, ["1/3"], ["1e99999999"], [1, 1], {"more": 1}]


def test_the_page_lists_every_field_as_the_checker_reads_it():
    tables = {"header": kc.HEADER}
    for part, by_kind in (("turn", kc.TURNS), ("match", kc.MATCHES), ("parameters", kc.PARAMETERS), ("cut", kc.CUTS)):
        tables |= {f"{part} of {kind}": fields for kind, fields in by_kind.items() if fields}
    assert {part: [*fields] for part, fields in FIELDS.items()} == {part: [*fields] for part, fields in tables.items()}
    for part, fields in tables.items():
        for key, field in fields.items():
            type_, objectives, otherwise = FIELDS[part][key]
            assert type_ == field.type.text
            assert objectives == ("all" if field.objectives == kc.OBJECTIVES else ", ".join(field.objectives))
            assert ("may be left out" in otherwise) == field.optional


def part_of(name, objective, rng):
    """Return one part of a header, each key drawn from its type."""
    found = {}
    for key, (type_, objectives, otherwise) in FIELDS.get(name, {}).items():
        if objectives != "all" and objective not in objectives.split(", "):
            if "left out" not in otherwise:
                found[key] = json.loads(re.search("`(.*)`", otherwise)[1])
        elif "may be left out" not in otherwise:
            found[key] = parse_type(type_)(rng)
    return found


def drawn_header(rng):
    """Return a header of types that the page allows, with lengths that fit each other."""
    match, objective, turn = rng.choice(
        [
            ("box", "points", "tiles"),
            ("box", "reach", "tiles"),
            ("turn", "points", "crew"),
            *[("race", "reach", "sets")] * 5,
        ]
    )
    head = {
        **part_of("header", objective, rng),
        "objective": objective,
        "players": 1,
        "bits": 40,
        "turn": {"kind": turn, **part_of(f"turn of {turn}", objective, rng)},
        "match": {"kind": match, **part_of(f"match of {match}", objective, rng)},
        "parameters": part_of(f"parameters of {match}", objective, rng),
        "cut": {},
        "begins": [0],
    }
    rules = head["turn"]
    if turn == "tiles":
        head["match"]["goal"] = head["parameters"].get("goal", 0)
    if turn == "crew":
        rules.update(faces=rng.randint(2, 4), casts=rng.randint(1, 3))
        rules["order"] = rng.sample(range(1, rules["faces"] + 1), rng.randint(1, 2))
    if turn == "sets":
        faces = rng.randint(2, 3)
        counts = [[int(face == one) for one in range(faces)] for face in range(faces)] + [[2, *[0] * (faces - 1)]]
        rules.update(
            dice=[[rng.randint(1, 2), [rng.randint(0, 2) for _ in range(faces - 1)] + [1]]], specials=[], doubled=[]
        )
        rules["groups"] = [[one, rng.randint(0, 3)] for one in rng.sample(counts, rng.randint(0, len(counts)))]
        rules.update(leave=[], costs=[])
        if rules["stop"] == "all":
            rules["hot"] = "none"
        head["parameters"] = {"goal": rng.randint(1, 4), "turns": rng.randint(1, 2)}
        head["match"].update(target=rng.randint(1, 4), finish=rng.choice(["at_least", "exact"]))
        head["begins"] = [0, head["parameters"]["turns"]]
    return head


def bent(head, rng):
    """Put a value of another type in the place of one field; return the part and the key."""
    part = rng.choice([head, head["turn"], head["match"], head["parameters"], head["cut"]])
    keys = [key for key in part if key not in ("game", "id", "engine", "fingerprint", "rules")]
    key = rng.choice([*keys, "more"])
    part[key] = rng.choice([one for one in WRONG if json.dumps(one) != json.dumps(part.get(key))])
    return key


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, max(4, 5 * PATIENCE)))]
)
def test_headers_built_from_the_page(seed, checked):
    """What is accepted has the value of an independent reading; PATIENCE=20 builds 20,000."""
    rng, seen = random.Random(seed), {"accepted": 0, "refused": 0, "gave up": 0, "bent": 0}
    count = EACH if seed else FEWER
    for _ in range(count):
        head = drawn_header(rng)
        try:
            text = forge(head)
        except (kc.CannotJudgeError, kc.DoesNotHoldError, RecursionError):
            seen["refused"] += 1
        except GaveUpError:
            seen["gave up"] += 1
        else:
            status, said = checked(text)
            assert status == 0, said + text
            low, high = map(float, re.search(r"from (\S+) to (\S+)", said).groups())
            independent = certificate_reference.value(head)
            assert low - 1e-9 <= independent <= high + 1e-9, (independent, said, head)
            seen["accepted"] += 1
        key = bent(head, rng)
        status, said = checked(f"keepwise certificate 1\n{json.dumps(head)}\nblock\n0 0 1\nend 1\n")
        assert status in (1, 2), (key, head)
        seen["bent"] += status == 2
    print(seen)
    assert seen["accepted"] > count / 4
    assert seen["bent"] > count / 2
