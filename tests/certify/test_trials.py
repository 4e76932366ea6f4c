"""Certificates, tables and rules with one thing changed, drawn by a seed: every one is caught, or was harmless.

A change is *caught* if the program refuses it, the pass proves nothing, or the checker says no; a header that holds all
the same is caught by ``keepwise verify`` if its rules are no longer the game's. It is *harmless* if what holds encloses
the true values: both of two enclosures of them have to meet at every state. The counts are printed (``pytest -s``).
"""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import toys
from patience import PATIENCE

import keepwise as kw
from keepwise.certify import DAMAGED_FILE_ERRORS, certify, find_certified_game
from keepwise.games import own_game, push_rules
from keepwise.games.push_rules import PushRules
from keepwise.solvers.push.points import PushRateProblem
from keepwise.util.errors import InputError, KeepwiseError, SolveError

ONE_DIE = {
    "name": "one-die",
    "dice": 1,
    "singles": {str(spots): spots for spots in range(2, 7)},
    "target": 1000,
    "stop.below": "must",
}

PARAMETERS = {"reach": {"turns": 2}}
HOUSE = {
    "wipes": ({**toys.RULES["wipes by a sum"], "target": 3}, "win"),
    "costs": (toys.RULES["costs and stays"], "reach"),
    "again": (toys.RULES["wipe, again, must"], "turns"),
    "zeros": (toys.RULES["zeros cost nothing"], "win"),
    "average": (toys.RULES["costs and stays"], "rate"),
    "last": (toys.RULES["last round, weights"], "win"),
}
BUILT_IN = {
    "pig": (("pig", {"target": 5}), "win", {"target": (4, 6), "faces": (2, 3)}),
    "5000": (
        ("5000", {"target": 350, "opening": 100, "minimum": 50}),
        "turns",
        {"opening": (50, 150), "minimum": (100,)},
    ),
    "hearts": (("hearts-due", {"target": 10}), "turns", {"target": (15,), "full": (25, 30), "exactly_3": (True,)}),
    "boston": (("boston", {}), "win", {"set_aside": ("any", "highest")}),
    "rounds": (("battleship", {"rounds": 1, "crew": "both"}), "win", {"crew": ("each", "hybrid"), "rounds": (2,)}),
    "box": (("shut-the-box", {"tiles": 3}), "win", {"tiles": (4,), "one_die": ("never",)}),
    "traps": (
        ("booby-trap", {"large": 1, "medium": 1, "small": 1}),
        "win",
        {"large": (2,), "penalty": (1, 4), "small_points": (3, 9), "variant": ("no_pass", "in_order")},
    ),
}


def proved(game, objective):
    """The solution of a game, and its certificate."""
    solution = kw.solve(game, objective, fresh=True, **PARAMETERS.get(objective, {}))
    return solution, certify(solution)


@pytest.fixture(scope="module")
def subjects():
    """What is changed: rules or a game's options, what is played for, the solution, and the text of its certificate."""
    found = []
    for rules, objective in HOUSE.values():
        solution, certificate = proved(own_game(rules), objective)
        found.append(
            SimpleNamespace(rules=rules, options=None, objective=objective, solution=solution, was=certificate)
        )
    for (name, rules), objective, options in BUILT_IN.values():
        solution, certificate = proved(kw.game(name, **rules), objective)
        found.append(
            SimpleNamespace(
                rules=(name, rules), options=options, objective=objective, solution=solution, was=certificate
            )
        )
    for one in found:
        one.text, one.lines = "".join(one.was.text_parts()), told("".join(one.was.text_parts()))
    return found


def told(text):
    """The lines of a certificate, lower and upper number by state, and those of an average."""
    _, head, *lines, _ = text.splitlines()
    unit, rows = Fraction(1, 2 ** json.loads(head)["bits"]), [line.split() for line in lines if line != "block"]
    rows += [["-1", *rate]] if (rate := json.loads(head)["rate"]) else []
    return {
        tuple(map(int, state.split(","))): (int(low, 16) * unit, int(high, 16) * unit) for state, low, high, *_ in rows
    }


def meet(lines, others):
    """Whether both can enclose the same values."""
    return all(low <= others[state][1] and others[state][0] <= high for state, (low, high) in lines.items())


def changed_value(value, rng):
    """Some other value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-2, -1, 1, 2, 7))
    return rng.choice(("free", "all", "must", "none", "throw", "nothing", "exact", "at_least", "bust", "wipe", "win"))


def changed_data(data, rng):
    """Data with one of its numbers or words changed, taken out, or told twice."""
    data = copy.deepcopy(data)
    places = []

    def walk(part):
        for key in part if isinstance(part, dict) else range(len(part)):
            places.append((part, key))
            if isinstance(part[key], (dict, list)):
                walk(part[key])

    walk(data)
    part, key = rng.choice(places)
    if isinstance(part, list) and rng.random() < 0.2:
        part.insert(key, copy.deepcopy(part[key])) if rng.random() < 0.5 else part.pop(key)
    elif not isinstance(part[key], (dict, list)):
        part[key] = changed_value(part[key], rng)
    return data


def a_mark(one, rng, checked):
    """One mark of the lines, or a rank."""
    begins = one.text.index("\nblock") + 1
    place, mark = rng.randrange(begins, len(one.text)), rng.choice(["0123456789abcdef,- \nr"[rng.randrange(21)], " r1"])
    text = one.text[:place] + rng.choice(("", mark, mark + one.text[place])) + one.text[place + 1 :]
    if checked(text)[0]:
        return "caught"
    assert meet(told(text), one.lines)
    return "harmless"


def a_header(one, rng, checked, tmp_path):
    """One entry of the rules in the header: where all holds, other rules than the game's are found by ``verify``."""
    first, head, rest = one.text.split("\n", 2)
    read = json.loads(head)
    part = rng.choice(("turn", "match"))
    bent = changed_data({part: read[part]}, rng)
    text = f"{first}\n{json.dumps({**read, **bent})}\n{rest}"
    if checked(text)[0]:
        return "caught"
    if bent[part] == read[part]:
        return "harmless"
    (tmp_path / "bent.cert").write_text(text)
    assert find_certified_game(tmp_path / "bent.cert") is None
    return "caught by verify"


def a_rule(one, rng, checked):
    """One rule of the game, with the numbers of the old one: where they hold, they are those of the new one too."""
    try:
        if one.options is None:
            game = own_game(changed_data(one.rules, rng))
        else:
            option = rng.choice([*one.options])
            game = kw.game(one.rules[0], **{**one.rules[1], option: rng.choice(one.options[option])})
        text = "".join(proved(game, one.objective)[1].text_parts())
    except (KeepwiseError, *DAMAGED_FILE_ERRORS):
        return "caught"
    (first, old, rest), new = one.text.split("\n", 2), json.loads(text.split("\n", 2)[1])
    if checked("\n".join([first, json.dumps({**new, "bits": json.loads(old)["bits"]}), rest]))[0]:
        return "caught"
    assert meet(told(text), one.lines)
    return "harmless"


def a_table(one, rng):
    """One number of the solved table: what is proved around it encloses the true value, or nothing is proved."""
    arrays = {name: array.copy() for name, array in one.solution.value_table.arrays.items()}
    array = arrays[rng.choice([*arrays])].reshape(-1)
    array[rng.randrange(len(array))] += rng.choice((-1, 1)) * 10.0 ** -rng.uniform(0, 17)
    solved = type(one.solution.value_table)(arrays, one.solution.value_table.error_bound)
    bent = replace(one.solution, value_table=solved)
    try:
        lines = told("".join(certify(bent).text_parts()))
    except SolveError:
        return "caught"
    assert meet(lines, one.lines)
    return "harmless"


def tries(subjects, count, seed, checked, tmp_path):
    """Change so many things; how often what became of them."""
    rng, found = random.Random(seed), Counter()
    kinds = {
        "mark": lambda one: a_mark(one, rng, checked),
        "header": lambda one: a_header(one, rng, checked, tmp_path),
        "rule": lambda one: a_rule(one, rng, checked),
        "table": lambda one: a_table(one, rng),
    }
    for _ in range(count):
        kind = rng.choice([*kinds])
        found[kind, kinds[kind](rng.choice(subjects))] += 1
    print(dict(sorted(found.items())))
    return found


@pytest.mark.slow
def test_changed_certificates_are_caught_or_harmless(subjects, checked, tmp_path):
    assert tries(subjects, 20, 1, checked, tmp_path).total() == 20


@pytest.mark.patient
def test_more_changed_certificates_are_caught_or_harmless(subjects, checked, tmp_path):
    found = tries(subjects, 500 * PATIENCE, 2, checked, tmp_path)
    for kind in ("mark", "header", "rule"):
        assert found[kind, "caught"] > found[kind, "harmless"]


# --- what once was wrong


NOTHING = {"name": "toy", "dice": 2, "faces": 3, "target": 3, "singles": {"1": 0, "2": 1}, "then.all": "end"}
NOTHING |= {"special": [{"throw": "3", "then": "wipe"}]}  # one die left may lose the score, with nothing to win


def never_with_nothing(self, following, counts):
    """As it once was compiled: with nothing in hand nobody may stop before a throw."""
    return following is None or (not following.forced and not self.never_stops and counts)


def ever_with_nothing(self, following, counts):
    """As one part once had it: with too little to count one may stop where the game as it is played has one throw."""
    return following is None or (not following.forced and not self.never_stops)


COSTS = {"costs": [100, 0], "count": "stays", "floor": -1000}
MISTAKES = {  # rules, what is played for, and what was put in which place: a bust that is worth nothing, or a stop
    "rate": ({**ONE_DIE, "bust": COSTS}, "rate", (PushRateProblem, "max_bust_value", 0.0)),
    "no stopping with nothing": (NOTHING, "win", (PushRules, "can_stop", never_with_nothing)),
    "stopping with nothing": (toys.RULES["costs, below throws"], "turns", (PushRules, "can_stop", ever_with_nothing)),
}


@pytest.fixture
def compiled_anew():
    """Turns that tests compile are kept for no other."""
    push_rules.shared_rules.cache_clear()
    yield push_rules.shared_rules.cache_clear
    push_rules.shared_rules.cache_clear()


def moved(text, by):
    """A certificate of an average by busts in a row, with its numbers moved from some solved values to others."""
    first, head, block, none, *lines = text.split("\n")
    read = json.loads(head)
    step, *more = (round(one * 2 ** read["bits"]) for one in by)
    read["rate"] = [f"{int(one, 16) + step:x}" for one in read["rate"]]
    for place, one in enumerate(more):
        state, *numbers = lines[place].split()
        lines[place] = " ".join([state, *(f"{int(number, 16) + one - step:x}" for number in numbers)])
    return "\n".join([first, json.dumps(read), block, none, *lines])


@pytest.mark.parametrize("name", MISTAKES)
def test_certify_refuses_values_of_former_mistakes(name, monkeypatch, checked, compiled_anew):
    """Each with a bound that was said to be proved. The pass proves nothing of such values, and whoever has no part in
    it refuses the lines that hold by the wrong rule, under the rules as they are.
    """
    rules, objective, place = MISTAKES[name]
    right, certificate = proved(own_game(rules), objective)
    text = "".join(certificate.text_parts())
    assert checked(text)[0] == 0
    compiled_anew()
    with monkeypatch.context() as bent:
        bent.setattr(*place)
        wrong = kw.solve(own_game(rules), objective, fresh=True)
        off = wrong.value_table.arrays[objective] - right.value_table.arrays[objective]
        assert np.abs(off).max() > 1000 * (wrong.error_bound + right.error_bound)
        if objective == "rate":
            with pytest.raises(SolveError, match="a bust is worth more than was assumed where the turn was truncated"):
                certify(wrong)
            held = moved(text, off.ravel())
        else:
            bent.setattr("keepwise.certify.crosscheck", lambda *_: None)
            held = "".join(certify(wrong).text_parts())
    if objective == "win":  # the mistake was in the turn, which is kept; else in what is paid
        with pytest.raises(SolveError, match="does not agree with the game as it is played"):
            proved(own_game(rules), objective)
    with pytest.raises(SolveError, match="no useful bounds"):
        certify(replace(right, value_table=wrong.value_table))
    first, head, lines = held.split("\n", 2)
    proved_so = {key: json.loads(head)[key] for key in ("bits", "rate")}
    status, said = checked(f"{first}\n{json.dumps({**certificate.header, **proved_so})}\n{lines}")
    assert (status, " fails" in said) == (1, True), said


@pytest.mark.parametrize("name", ["mode", "weight"])
def test_a_compiled_turn_that_differs_is_not_proved(name, compiled_anew):
    """A weight that is one more, or a choice that leads elsewhere."""
    game = own_game(toys.RULES["wipes by a sum"])
    solution = kw.solve(game, "win", fresh=True)
    turn = solution.problem.rules.turn
    (first, *classes), number = turn.modes[0].rolls[0].classes, 0
    bent = (
        (first[0], first[1] + 1)
        if name == "weight"
        else ((first[0][0]._replace(added_points=first[0][0].added_points + 1),), first[1])
    )
    throw = turn.modes[number].rolls[0]._replace(classes=(bent, *classes))
    turn.modes = (turn.modes[0]._replace(rolls=(throw,)), *turn.modes[1:])
    with pytest.raises(SolveError, match="does not agree with the game as it is played"):
        certify(solution)


def test_numbers_far_from_true_are_not_proved():
    """Of a game that is walked as it is played, too: lines move outward only so far."""
    solution, _ = proved(kw.game("hearts-due", target=10), "turns")
    twice = {name: array * 2 for name, array in solution.value_table.arrays.items()}
    bent = replace(solution, value_table=type(solution.value_table)(twice, 0.0))
    with pytest.raises((SolveError, InputError)):
        certify(bent)
    assert np.isfinite(solution.error_bound)
