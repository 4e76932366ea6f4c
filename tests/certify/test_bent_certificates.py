"""Certificates and tables with one thing changed each: every one is refused, or harmless.

``make fuzz`` bends ten thousand of each. What keepwise-check still accepts has to enclose what the right certificate
encloses, if its rules are still those of the game that it names; what the pass still proves of a bent table too, and it
has to say how far off the table is.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
import toys
from patience import PATIENCE

import keepwise as kw
from keepwise.certify import certify, find_certified_game
from keepwise.games import own_game
from keepwise.util.errors import InputError, SolveError

TOYS = ("run to be confirmed", "taken over, same dice", "taken over, must throw", "wipes by a sum", "again, exact")
TOYS += ("leave a loaded die", "one turn, lowest", "zeros, below throws", "win by a pair", "choose, zeros")
QUESTIONS = [(own_game(toys.RULES[name]), "win", None, {}) for name in TOYS]
QUESTIONS += [
    (own_game(toys.RULES["costs, below throws"]), "turns", None, {}),
    (own_game(toys.RULES["stop with all aside"]), "reach", None, {"turns": 2}),
    *((own_game(toys.RULES[name]), "points", None, {}) for name in ("joker", "served, saved", "total, forced")),
    (own_game(toys.RULES["columns, a bonus each"]), "points", None, {}),
    (kw.game("boston"), "win", None, {}),
    (kw.game("shut-the-box", tiles=4), "win", None, {}),
    (kw.game("hearts-due", target=10), "win", 3, {}),
    (kw.game("booby-trap", large=1, medium=1, small=1), "win", None, {}),
    (kw.game("booby-trap", large=1, medium=2, small=2), "win", 3, {}),
    (own_game(toys.MIXED), "win", 3, {}),  # turns are mixed
    (kw.game("pig", target=5, faces=3, seats={2: {"target": 4, "faces": 4}}), "win", None, {}),
    (own_game({**toys.RULES["again, exact"], "seat": {"2": {"head_start": 1}}}), "win", None, {}),
    (
        own_game({**toys.RULES["forced, served wins"], "category": toys.CARDS["forced, served wins"]["category"][:2]}),
        "win",
        2,
        {},
    ),
]
AT_ONCE = 250  # of a seed
WORDS = ["none", "free", "opened", "all", "must", "win", "bust", "wipe", "exact", "at_least", "last_round", "throw"]


@pytest.fixture(scope="module")
def proved():
    """Solutions and their certificates."""
    found = [kw.solve(game, *asked, fresh=True, **more) for game, *asked, more in QUESTIONS]
    return [(one, certify(one)) for one in found]


def bent_value(value, rng):
    """Something else in its place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 2, 10))
    if isinstance(value, str):
        return rng.choice([one for one in WORDS if one != value])
    if value and rng.random() < 0.8:
        place = rng.choice([*value] if isinstance(value, dict) else range(len(value)))
        other = value[place]
        changed = value.copy()
        if rng.random() < 0.1:
            del changed[place]
        else:
            changed[place] = bent_value(other, rng) if other is not None else 0
        return changed
    return {"more": 1} if isinstance(value, dict) else [*value, 1]


def bent_text(text, rng):
    """A certificate with one thing changed: in the header, of a line, or a line."""
    lines = text.split("\n")
    states = [place for place, line in enumerate(lines) if line[:1].isdigit()]
    if rng.random() < 0.5:
        head = json.loads(lines[1])
        key = rng.choice(["turn", "match", "turn", "match", *head])
        lines[1] = json.dumps({**head, key: bent_value(head[key], rng)})
        return "\n".join(lines)
    place = rng.choice(states)
    kind = rng.randrange(6)
    if kind == 0:
        lines[place] = lines[rng.choice(states)]
    elif kind == 1:
        del lines[place]
    elif kind == 2:
        lines[place] += f" r{rng.randrange(3)}"
    else:
        digits = [number for number, one in enumerate(lines[place]) if one.isalnum()]
        at = rng.choice(digits)
        lines[place] = lines[place][:at] + rng.choice("0123456789abcdef") + lines[place][at + 1 :]
    return "\n".join(lines)


def told(text):
    """Lower and upper numbers by state, in units."""
    lines = (line.split() for line in text.split("\n")[2:] if line[:1].isdigit())
    return {state: [int(one, 16) for one in numbers if one[0] != "r"] for state, *numbers in lines}


def meet(some, others):
    """Whether what both enclose can be the same."""
    pairs = ((one, others[state]) for state, one in some.items() if state in others)
    return all(a[0] <= b[1] and b[0] <= a[1] for a, b in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2 * PATIENCE))
def test_thousands_of_bent_certificates(seed, proved, checked, tmp_path):
    rng, texts = random.Random(seed), ["".join(one.text_parts()) for _, one in proved]
    seen = [0, 0, 0]
    for _ in range(AT_ONCE):
        text = rng.choice(texts)
        bent = bent_text(text, rng)
        status, said = checked(bent)
        seen[status] += 1
        if status == 0 and bent != text:
            file = tmp_path / "bent.cert"
            file.write_text(bent)
            try:
                game = find_certified_game(file)
            except InputError:
                game = None
            asked = [dict(json.loads(one.split("\n")[1]).items()) for one in (text, bent)]
            same = all(asked[0][key] == asked[1][key] for key in ("objective", "players", "parameters", "bits"))
            assert game is None or (same and meet(told(text), told(bent))), said + bent
    print(f"seed {seed}: of {AT_ONCE} certificates {seen[0]} harmless, {sum(seen[1:])} refused")
    assert seen[1] > AT_ONCE / 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2 * PATIENCE))
def test_thousands_of_bent_tables_before_the_pass(seed, proved):
    rng, caught, compared = random.Random(seed), 0, 0
    tables = [both for both in proved if both[0].value_table.arrays]
    for _ in range(AT_ONCE):
        solution, right = rng.choice(tables)
        held = {key: one.copy() for key, one in solution.value_table.arrays.items()}
        key = rng.choice([key for key, one in held.items() if one.dtype.kind == "f" and one.size and key != "mixed"])
        place = rng.randrange(held[key].size)
        held[key].flat[place] += rng.choice((-1, 1)) * 10.0 ** -rng.randint(1, 16)
        wrong = replace(solution, value_table=replace(solution.value_table, arrays=held))
        try:
            found = certify(wrong)
        except (InputError, SolveError):
            caught += 1
            continue
        assert meet(told("".join(right.text_parts())), told("".join(found.text_parts())))
        caught += found.max_error > solution.error_bound
        compared += 1
        moved = abs(wrong.value() - solution.value())
        assert found.max_error >= moved - solution.error_bound, (wrong.playable.name, key, place)
    print(f"seed {seed}: of {AT_ONCE} tables {compared} were proved, {caught} told to be off, or refused")
    assert caught > AT_ONCE / 4
    assert compared > AT_ONCE / 4
