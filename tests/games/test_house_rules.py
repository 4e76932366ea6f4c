"""House rules as data: files equal built-ins bit for bit, errors name file and line, and each rule counts."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import keepwise as kw
from keepwise.games import FILES, own_game, shipped_rule_files

OURS = """\
name = "ours"
dice = 3
target = 60

[singles]
1 = 10
2 = 5

[alike.3]
1 = 40
6 = 30

[[pattern]]
name = "run"
dice = "345"
points = 25
"""


@pytest.fixture
def rule_file(tmp_path):
    def write(text: str):
        file = tmp_path / "ours.toml"
        file.write_text(text)
        return file

    return write


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    ("name", "built_in", "rules"),
    [
        ("5000", "5000", {"target": 2000}),
        ("pig", "pig", {}),
        ("beartrap", "beartrap", {"target": 2000}),
        ("farkle-busche-neller", "farkle", {"target": 2000}),
    ],
)
def test_file_and_built_in_give_the_same_bits(name, built_in, rules):
    ours, theirs = kw.load_rules(name, **rules), kw.game(built_in, **rules)
    for objective in ("win", "points", "turns"):
        one, other = kw.solve(ours, objective, fresh=True), kw.solve(theirs, objective, fresh=True)
        assert one.error_bound == other.error_bound
        for array in other.value_table.arrays:
            assert (one.value_table.arrays[array] == other.value_table.arrays[array]).all()


def test_rules_print_scoring_sets_in_words(run):
    out = run("rules --rules farkle-common").out
    assert "a a b b c c (three different faces) on one roll: 1,500." in out
    assert "1 2 3 4 5 6 on one roll: 1,500." in out
    assert "1 1 as the whole roll ends the turn and loses the whole score." in run("rules --rules pig-two-dice").out


def test_alike_number_for_all_faces_equals_a_line_for_each():
    plain = {"name": "ours", "dice": 3, "faces": ["1", "2", "x"], "target": 300, "singles": {"1": 10}}
    told = {"2": {"all": 20}, "3": {"all": 50, "1": 100}}
    each = {"2": {"1": 20, "2": 20, "x": 20}, "3": {"1": 100, "2": 50, "x": 50}}
    one, other = own_game({**plain, "alike": told}), own_game({**plain, "alike": each})
    assert one == other
    assert one.data == other.data
    assert kw.solve(one, "points").fingerprint == kw.solve(other, "points").fingerprint
    must = own_game({**plain, "alike": {"2": {"all": 20, "then": "must"}}})
    assert {*must.rules["alike"]["2"]} == {"1", "2", "x", "then"}


def test_a_face_named_all_is_a_face():
    game = own_game({"name": "ours", "dice": 2, "faces": ["all", "x"], "target": 9, "alike": {"2": {"all": 2}}})
    assert dict(game.rules["alike"]["2"]) == {"all": 2}


def test_alike_tables_accept_one_number_for_all_faces(run, rule_file):
    told = OURS[: OURS.index("[alike.3]")]
    table = rule_file(f"{told}[alike.3]\nall = 50\n[alike.2]\nall = 20\n1 = 30\n")
    assert "2 alike on one roll: 1 = 30, 2 = 20, 3 = 20" in run("rules", "--rules", str(table)).out
    number = rule_file(f"alike.3 = 50\n{told}")
    hint = "one line for each face below it: 1 = 50, or all = 50 for every face"
    assert hint in run("rules", "--rules", str(number)).err


def test_a_house_game_solves_saves_and_reads_back(rule_file, tmp_path):
    game = kw.load_rules(rule_file(OURS))
    solution = kw.solve(game)
    assert 0.5 < solution.value() < 1
    solution.save(tmp_path / "ours.npz")
    assert kw.load(tmp_path / "ours.npz").value() == solution.value()
    assert kw.solve(game).source == "cache"
    other = kw.load_rules(rule_file(OURS.replace("30", "35")))
    assert kw.solve(other).fingerprint != solution.fingerprint


def turn_points(worth, dice: int, sides: list[tuple[str, int]], hot: str, most: int) -> Fraction:
    """Best expected points of a turn, straight from the rules: every ordered throw, every subset of it.

    ``worth(faces)`` is a set's points or None; sides are (face, weight).
    """
    total = sum(weight for _, weight in sides)

    @cache
    def before(points: int, left: int, forced: bool) -> Fraction:
        if left == 0 or points >= (5 * most if forced else most):  # going on so far has a chance below 1e-15
            return Fraction(points)
        return throw(points, left) if forced else max(Fraction(points), throw(points, left))

    @cache
    def throw(points: int, left: int) -> Fraction:
        value = Fraction(0)
        for thrown in product(sides, repeat=left):
            faces = [face for face, _ in thrown]
            weight = np.prod([int(w) for _, w in thrown])
            best = Fraction(0)
            for chosen in product((0, 1), repeat=left):
                part = tuple(sorted(face for face, take in zip(faces, chosen, strict=True) if take))
                if part and (gain := worth(part)):
                    rest = left - len(part)
                    after = rest or (0 if hot == "end" else dice)
                    best = max(best, before(points + gain, after, not rest and hot == "must"))
            value += int(weight) * best
        return value / total**left

    return throw(0, dice)


@pytest.mark.cases(fast=1)
@pytest.mark.parametrize("hot", ["roll", "must", "end"])
@pytest.mark.parametrize("weights", [None, [1, 2, 1, 1, 3, 1]])
def test_points_equal_enumeration(hot, weights):
    table = {"name": "ours", "dice": 3, "target": 60, "then.all": hot, "singles": {"1": 10, "2": 5}}
    table["alike"] = {"3": {"1": 40, "6": 30}}
    table["pattern"] = [{"dice": "345", "points": 25}]
    if weights:
        table["weights"] = weights

    def worth(part):
        plain = sum({"1": 10, "2": 5}.get(face, -999) for face in part)
        special = {("1", "1", "1"): 40, ("6", "6", "6"): 30, ("3", "4", "5"): 25}.get(part, 0)
        return max(plain, special) if max(plain, special) > 0 else None

    solution = kw.solve(own_game(table), "points", fresh=True)
    sides = [(str(face), w) for face, w in zip(range(1, 7), weights or [1] * 6, strict=True)]
    expected = turn_points(worth, 3, sides, hot, 150)  # beyond the level from which stopping is best
    assert abs(solution.value() - float(expected)) <= solution.error_bound
    assert solution.error_bound < 1e-9


def test_hot_dice_rules_are_ordered():
    base = {"name": "ours", "dice": 3, "target": 60, "singles": {"1": 10, "2": 5}}
    free, must, none = (
        kw.solve(own_game({**base, "then.all": hot}), "points", fresh=True).value() for hot in ("roll", "must", "end")
    )
    assert free > must
    assert free > none


def test_a_loaded_die_that_busts_less_is_worth_more():
    base = {"name": "ours", "dice": 1, "target": 100, "singles": {"2": 2, "3": 3, "4": 4, "5": 5, "6": 6}}
    fair = kw.solve(own_game(base), "points", fresh=True).value()
    assert fair == kw.solve("pig", "points").value()
    assert kw.solve(own_game({**base, "weights": [1, 2, 2, 2, 2, 2]}), "points", fresh=True).value() > fair


def two_dice_pig_alone(target: int) -> list[float]:
    """Fewest turns of Two-Dice Pig by plain value iteration."""
    turns = [float(target)] * target

    def bank(total):
        return turns[total] if total < target else 0.0

    for _ in range(4000):
        moved = 0.0
        for score in range(target):
            need = target - score
            best = [0.0] * (need + 13)
            for held in range(need - 1, -1, -1):
                roll = 0.0
                for a, b in product(range(1, 7), repeat=2):
                    roll += turns[0] if a == b == 1 else turns[score] if 1 in (a, b) else best[min(held + a + b, need)]
                best[held] = min(bank(score + held), roll / 36) if held else roll / 36
            moved = max(moved, abs(1 + best[0] - turns[score]))
            turns[score] = 1 + best[0]
        if moved < 1e-13:
            return turns
    raise AssertionError("the reference did not settle")


def test_wiped_scores_equal_value_iteration():
    solution = kw.solve(kw.load_rules("pig-two-dice", target=24), "turns", fresh=True)
    expected = two_dice_pig_alone(24)
    for score in solution.value_table.arrays["scores"].tolist():
        assert abs(solution.value(score=score) - expected[score]) < 1e-11
    assert solution.error_bound < 1e-11


@pytest.mark.slow
def test_wiped_scores_in_a_race_equal_value_iteration():
    target = 14
    solution = kw.solve(kw.load_rules("pig-two-dice", target=target), "win", fresh=True)
    win = np.full((target, target), 0.5)
    for _ in range(500):
        before = win.copy()
        for a in range(target):
            for b in range(target):
                need = target - a
                best = [1.0] * (need + 13)
                for held in range(need - 1, -1, -1):
                    roll = 0.0
                    for x, y in product(range(1, 7), repeat=2):
                        both = x == y == 1
                        roll += (
                            1 - win[b, 0] if both else 1 - win[b, a] if 1 in (x, y) else best[min(held + x + y, need)]
                        )
                    best[held] = max(1 - win[b, a + held], roll / 36) if held else roll / 36
                win[a, b] = best[0]
        if abs(win - before).max() < 1e-14:
            break
    scores = solution.value_table.arrays["scores"]
    assert abs(solution.value_table.arrays["win"] - win[np.ix_(scores, scores)]).max() < 1e-12
    assert solution.error_bound < 1e-12


def test_a_loaded_die_that_is_forced_on_and_on():
    """Two loaded dice that must be thrown again when both score.

    A die shows its 2 (one point) with chance p = 19/20; both: all again, forced; one of them: bank or go on with the
    other die; none: the turn is over. Target 3, everything taken.
    """
    table = {"name": "loaded", "dice": 2, "faces": ["1", "2"], "weights": [1, 19], "target": 3}
    table |= {"then.all": "must", "set_aside": "all", "singles": {"2": 1}}
    # 0.9683306228352215: the same solve run to 5,000 throws in a row beyond the cap instead of to a chance of 2**-60.
    assert kw.solve(own_game(table), "win", fresh=True).value() == pytest.approx(0.9683306228352215, abs=1e-12)


def test_special_throws_move_the_value_as_they_must():
    base = {"name": "ours", "dice": 2, "target": 40, "singles": {"1": 10, "2": 5}}

    def turns(*specials):
        return kw.solve(own_game({**base, "special": list(specials)}), "turns", fresh=True).value()

    plain = turns()
    assert turns({"throw": "66", "then": "win"}) < plain
    assert turns({"throw": "11", "then": "bust"}) > plain
    assert turns({"throw": "11", "then": "wipe"}) > turns({"throw": "11", "then": "bust"})
    assert turns({"throw": "66", "then": "must", "points": 20}) < plain


def test_special_throws_in_advice(run, rule_file):
    file = rule_file(OURS + '\n[[special]]\nthrow = "66a"\nthen = "must"\npoints = 15\n')
    answer = run("advise", "--rules", str(file), "--objective", "turns", "--roll", "664")
    assert "roll 3 fresh dice" in answer.out
    assert "bank" not in answer.out


def test_farkle_200_points_are_the_fairest_head_start():
    # Busche & Neller, Optimal Play of the Farkle Dice Game, ACG 2017: 200 points compensate the second player best.
    solution = kw.solve("farkle")
    starts = range(0, 1050, 50)
    fairest = min(starts, key=lambda points: abs(solution.value(score=0, opponents=[points]) - 0.5))
    assert fairest == 200


def test_six_dice_read_as_two_triples():
    rules = kw.game("farkle").data
    assert rules.set_points((0, 6, 0, 0, 0, 0)) == 400
    assert rules.set_points((6, 0, 0, 0, 0, 0)) == 2000
    assert rules.set_points((3, 0, 0, 0, 3, 0)) == 1500
    assert rules.set_points((0, 5, 0, 0, 0, 0)) == 0


def test_all_or_free_and_minimum_and_opening_count():
    game = own_game({"name": "ours", "dice": 3, "target": 60, "singles": {"1": 10, "2": 5}})

    def turns(**changes):
        return kw.solve(game.with_rules(**changes), "turns", fresh=True).value()

    assert turns(set_aside="all") >= turns()
    opening = {"stop.opening": 20}
    both = {**opening, "stop.at_least": 20}
    assert turns(**opening) > turns()
    assert turns(**both) > turns(**opening)
    assert turns(**both, **{"stop.on_win": False}) < turns(**both)


BAD = {
    "unknown key": (
        OURS + '\n[[pattern]]\ndize = "333"\npoints = 5\n',
        19,
        "has no key 'dize'; did you mean dice?",
    ),
    "unknown top key": (OURS.replace("target", "targets"), 3, "did you mean target?"),
    "overlapping sets": (
        OURS + '\n[[pattern]]\ndice = "543"\npoints = 5\n',
        19,
        "543 never counts, because an earlier pattern matches all its dice and the first match counts:"
        " leave one of the two out (see line 13)",
    ),
    "alike as pattern": (OURS + '\n[[pattern]]\ndice = "aaa"\npoints = 5\n', 19, "write [alike.3]"),
    "too many dice": (OURS + '\n[[pattern]]\ndice = "3456"\npoints = 5\n', 19, "3456 needs 4 dice, but dice = 3"),
    "impossible points": (OURS.replace("1 = 10", "1 = -10"), 6, "negative points require then.all=end"),
    "text for points": (OURS.replace("1 = 10", '1 = "ten"'), 6, "whole number from -1,000,000"),
    "all faces": (OURS.replace("2 = 5", "all = 5"), 7, "above the first table; [singles] holds points by face"),
    "a key of another kind": (OURS.replace("target", "minimum"), 3, "did you mean stop.at_least?"),
    "unknown face": (OURS.replace("2 = 5", "7 = 5"), 7, "[singles] has no key '7'; known: 1, 2, 3, 4, 5, 6"),
    "alike too many": (OURS.replace("alike.3", "alike.4"), 9, "between alike.2 and alike.3"),
    "no dice": (OURS.replace("dice = 3", "dice = 0"), 2, "from 1 to 26"),
    "bad name": (OURS.replace('"ours"', '"Our Game!"'), 1, "lower-case letters, digits and dashes"),
    "a game's own id": (
        OURS.replace('"ours"', '"5000"'),
        1,
        "choose another name, such as our-5000",
    ),
    "bad weights": (OURS.replace("dice = 3", "dice = 3\nweights = [1, 2]"), 3, "6 positive whole numbers"),
    "scores nothing": ('name = "ours"\ndice = 2\n', 1, "no dice score: add [singles]"),
    "scores 0": ('name = "ours"\ndice = 2\n\n[singles]\n1 = 0\n', 4, "no dice score above 0: give some of them points"),
    "no table": ('name = "ours"\ndice = 2\n\n[alike]\n2 = 70\n', 5, "one line for each face below it: 1 = 70"),
    "single of 0": (OURS.replace("2 = 5", "2 = 0"), 7, "form a cycle: use more than 0 points"),
    "throw of 0": (OURS + '\n[[special]]\nthrow = "666"\npoints = 0\n', 20, "use more than 0 points"),
    "same of 0": (
        OURS
        + '\n[[special]]\nshows = "1"\npoints = 5\n'
        + '\n[[special]]\nthrow = "6"\nthen = "roll"\ndice = "same"\npoints = 0\n',
        22,
        "dice=same requires points above 0",
    ),
    "put before": (
        OURS + '\n[[special]]\nshows = "6"\nthen = "bust"\n\n[[special]]\nthrow = "66"\nthen = "win"\n',
        23,
        "66 never counts, because an earlier special roll matches all its dice and the first match counts:"
        " move it above that entry (see line 18)",
    ),
    "void for ever": (
        'name = "ours"\ndice = 1\nfaces = 2\n[singles]\n1 = 1\n[[special]]\nthrow = "2"\nthen = "void"\n',
        4,
        "scores or counts for nothing",
    ),
    "cannot end": (
        'name = "ours"\ndice = 1\nfaces = 2\n\n[singles]\n1 = 1\n2 = 2\n',
        5,
        "scores: make some rolls bust, or write then.all=end",
    ),
    "off the grain": (OURS.replace("target = 60", "target = 60\nstop.at_least = 12"), 4, "multiple of 5"),
    "opening above the target": (
        OURS.replace("target = 60", "target = 60\nstop.opening = 100"),
        4,
        "stop.opening must be at most target=60, not 100",
    ),
    "never exact": (OURS.replace("target = 60", 'target = 62\nfinish = "exact"'), 3, "never be hit exactly"),
    "contradiction": (
        OURS.replace("target = 60", 'target = 60\nfinish = "exact"\nstop.on_win = true'),
        5,
        "finish=exact cannot be combined with stop.on_win=true",
    ),
    "no such bank": (
        OURS.replace("target = 60", 'target = 60\nstop.at_least = 45\nthen.all = "end"'),
        4,
        "no turn can",
    ),
    "nothing over": (OURS.replace("target = 60", "target = 60\nthen.over = true"), 4, "leave then.over out"),
    "unknown effect": (OURS + '\n[[special]]\nthrow = "111"\nthen = "winn"\n', 20, "did you mean win?"),
    "points for a win": (
        OURS + '\n[[special]]\nthrow = "111"\nthen = "win"\npoints = 5\n',
        21,
        "cannot be combined with points",
    ),
    "unknown option value": (
        OURS.replace("dice = 3", 'dice = 3\nthen.all = "yes"'),
        3,
        'then.all must be one of "roll", "must", "end"',
    ),
}


@pytest.mark.parametrize(("text", "line", "says"), BAD.values(), ids=BAD)
def test_rule_files_report_errors_with_file_line_and_key(run, rule_file, text, line, says):
    file = rule_file(text)
    answer = run("rules", "--rules", str(file))
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert re.search(rf"{re.escape(str(file))}:{line}: ", answer.err), answer.err
    assert says in answer.err


def test_arguments_override_the_rules_of_the_file(rule_file):
    game = kw.load_rules(rule_file(OURS.replace("dice = 3", "dice = 3\nstop.opening = 20")))
    for given in ({"stop.opening": 15}, {"stop": {"opening": 15}}):
        for changed in (partial(kw.load_rules, rule_file(OURS)), game.with_rules):
            assert changed(**given).rules["stop.opening"] == 15
    for changed in (partial(kw.load_rules, rule_file(OURS)), game.with_rules):
        with pytest.raises(kw.InputError, match=r"stop\.opening appears twice"):
            changed(**{"stop": {"opening": 15}, "stop.opening": 20})


def test_rule_file_errors_suggest_the_correction(run, rule_file):
    def said(old, new):
        return run("rules", "--rules", str(rule_file(OURS.replace(old, new)))).err

    assert "all is not a key here: write then.all, above the first table" in said("2 = 5", '2 = 5\nall = "must"')
    for table in ("2 = 5", "6 = 30"):  # of [singles] and of [alike.3]
        assert "set is not a key here: write one line for each face, 1 = 5" in said(table, "set = 5")
    assert "opening is not a key here: write stop.opening" in said("2 = 5", "opening = 5")
    assert "stop is a key of the whole file: move it up" in said("2 = 5", "2 = 5\nstop.opening = 30")
    assert "now it is below [[pattern]]" in said('dice = "345"', 'dice = "345"\nthen.all = "end"')
    assert 'from 1 to 26, not "3": leave the quotes out' in said("dice = 3", 'dice = "3"')
    assert 'on_win must be true or false, not "false": leave' in said("2 = 5", '2 = 5\n[stop]\non_win = "false"')
    assert "at_least must be a whole number from 0 to 1,000,000, not true" in said(
        "dice = 3", "dice = 3\nstop.at_least = true"
    )
    assert "Cannot overwrite a value: a key or table appears twice" in said("dice = 3", "dice = 3\ndice = 4")
    assert "Cannot declare [alike.3] twice: a table appears twice" in said("dice = 3", "[alike.3]\n1 = 5\ndice = 3")
    assert "write numbers without commas, 1000 or 1_000" in said("target = 60", "target = 6,000")
    assert "write numbers without a leading 0" in said("dice = 3", "dice = 03")
    assert "[[pattern]] has no key 'dize'" in said('dice = "345"', 'dize = "345"')
    faces = "write only (the dice show no other faces) or shows (these faces are among the dice)"
    assert f"unknown key 'pattern.face': {faces}" in said('dice = "345"', "face = [1, 3, 5]")
    one = 'name = "one"\ndice = 1\ntarget = 9\nstop.at_least = 1\n[singles]\n1 = 1\n'
    assert "A bank must be worth at least 1 point;" in run("rules", "--rules", str(rule_file(one))).out
    assert "throws belongs in the file of a scorecard with [[category]] entries" in said(
        "dice = 3", "dice = 3\nthrows = 2"
    )
    assert "write [alike.3]" in said("[alike.3]", "[triples]")
    assert "unknown key 'die.faces': write weights: for each" in said("dice = 3\n", "[[die]]\nfaces = 4\n")
    assert "[alike.3] has no key '20';" in said(
        "[alike.3]", "[alike.3]\n" + "\n".join(f"{face} = 1" for face in range(20, 40))
    )
    assert "'plain' is reserved for dice without a name" in said(
        "dice = 3\ntarget = 60", 'target = 60\n[[die]]\nname = "plain"\ncount = 3'
    )
    assert said("1 = 40", "1 = 4") == "note: [alike.3] 1 = 4 is less than 3 single dice score, 30: is a zero missing?\n"
    assert (
        said("6 = 30", "6 = 3")
        == "note: [alike.3] 6 = 3 is far less than the points of other faces, 40 or more: is a zero missing?\n"
    )
    assert said("[[pattern]]", '[[pattern]]\nname = "pair"\ndice = "12"\npoints = 5\n\n[[pattern]]') == (
        "note: the pattern pair never counts: its dice score more than 5 in other ways\n"
    )
    assert said("target = 60", 'target = 60\nfinish = "one_turn"\nthen.all = "end"') == (
        "note: target = 60 has no effect under these rules: leave it out\n"
    )
    assert said("target = 60", "target = 60\nstop.on_win = false") == (
        "note: stop.on_win = false has no effect under these rules: leave it out\n"
    )
    card = 'name = "ours"\ndice = 2\n\n[[category]]\nname = "ones"\nface = 1\n\n[upper]\ncategories = ["ones"]\n'
    assert run("rules", "--rules", str(rule_file(f"{card}at = 3\nbonus = 5\n"))).err == (
        "note: the bonus of 5 at 3 can never be reached: its boxes hold at most 2 together\n"
    )


def test_rules_note_unavailable_objectives(run, rule_file):
    text = 'name = "ours"\ndice = 1\ntarget = 9\nfinish = "exact"\n[singles]\n1 = 2\n2 = 3\n3 = 7\n'
    told = run("rules", "--rules", str(rule_file(text)))
    assert told.status == 0
    assert "note: win is not available: from a score of 8 no player can ever reach exactly 9" in told.err
    assert "note: points" not in told.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "a"\ndice = 1\n[singles]\n$ = 3\n', ":4: Invalid statement: put a key in quotes"),
        ('name = "a"\ndice = 1\n[singles]\n1 = 2\n"&" = 3\n', ":5: [singles] has no key '&'; known: 1, 2"),
        ('game = "farkle"\nminimum = 350\n[alike.4]\n1 = 3\n', ":3: unknown rule 'alike' of farkle; known: target,"),
        (
            'game = "farkle"\nname = "ours"\n',
            "; a file that begins with game = ... may only set the options of that game",
        ),
    ],
)
def test_load_rules_locates_mistakes(rule_file, text, said):
    with pytest.raises(kw.InputError, match=re.escape(said)):
        kw.load_rules(rule_file(text))


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("zilch --rule opening=500", "unknown rule 'opening' of zilch; did you mean stop.opening?"),
        ("zilch --rule stop.open=500", "unknown rule 'stop.open' of zilch; did you mean stop.opening?"),
        (
            "farkle-busche-neller --rule 2:opening=500",
            "unknown rule 'opening' of farkle-busche-neller; did you mean stop.opening?",
        ),
        ("zilch --rule frob=1", "unknown rule 'frob' of zilch; known: stop.opening, "),
        ("zilch --rule stop.opening=3", "keepwise: stop.opening=3 must be a multiple of 50"),
        ("zilch --rule singles.1=3", "singles.1 can only be changed in a rule file"),
        ("yatzy --rule rolls=2", "unknown rule 'rolls' of yatzy; did you mean throws?"),
        ("yatzy --rule joker=free", "unknown rule 'joker' of yatzy; in a rule file, write joker below [again]"),
        ("yatzy --rule upper.at=3", "upper.at can only be changed in a rule file"),
    ],
)
def test_errors_of_rule_options_do_not_speak_of_the_file(run, command, says):
    assert says in run(f"rules {command}").err


def test_rules_note_unavailable_objectives_of_cards(run):
    told = run("rules --rules crag").err
    assert "note: win is not available: Crag: a position this early requires the whole value table" in told
    assert re.search(r"^note: reach of \d+ takes about .* which requires --anyway", run("rules --rules maxi-yatzy").err)
    assert not run("rules --rules chicago").err


def test_options_without_a_part_are_not_printed(run):
    assert "stop.on_win" not in run("rules --rules pig-two-dice --rule finish=exact").out
    out = run("rules --rules threes").out
    assert "best = lowest" in out
    assert not re.search("^(target|stop.on_win|stop.below|then.dice) =", out, re.MULTILINE)
    assert re.search("^target = 20 ", run("rules --rules threes --rule target=20").out, re.MULTILINE)


def test_dice_as_text_have_one_reading():
    base = {"name": "ours", "dice": 5, "faces": 12, "singles": {"1": 1}, "target": 9}

    def wiped(shows, **rules):
        return own_game({**base, "special": [{"of": 2, "shows": shows, "then": "wipe"}], **rules}).data.specials

    assert wiped(["12"]) == wiped([12]) != wiped(["1", "2"]) == wiped("1 2") == wiped(" 1 2 ")
    for text in ("12", "12 "):
        with pytest.raises(kw.InputError, match="12 is a face, but also reads as 1 2: write a list"):
            wiped(text)
    with pytest.raises(kw.InputError, match="cannot read the dice bacon: use"):
        own_game({**base, "special": [{"throw": "bacon", "then": "wipe"}]})
    pigs = ["out", "1", "bacon"]
    assert wiped("bacon", faces=pigs, dice=2) == wiped(["bacon"], faces=pigs, dice=2)


def test_no_toml_and_no_file(run, rule_file):
    assert "ours.toml:1: Invalid value" in run("rules", "--rules", str(rule_file("name = ours"))).err
    assert "keepwise games lists the rule files that ship" in run("rules --rules no-such-file").err


def test_rule_goes_over_the_file(run):
    out = run("value --rules pig --rule target=20 --objective turns").out
    assert "rules: target=20" in out


def test_sets_of_a_roll_are_shared_by_rules_with_other_targets():
    first, second = (
        kw.load_rules("zehntausend", target=target).data.sets_of((2, 0, 0, 0, 0, 1)) for target in (5000, 6000)
    )
    assert first
    assert first is second


@pytest.mark.parametrize(
    ("game_id", "rules", "shown"),
    [
        ("zehntausend", {}, {}),
        ("zehntausend", {"stop.at_least": 300}, {"stop.at_least": 300}),
        ("yatzy", {"order": "down"}, {"order": "down"}),
        ("kingdom-come-2", {"hand": "lucky*6", "target": 1500}, {"target": 1500}),
        ("5000", {"straight": 1000}, {"straight": 1000}),
    ],
)
def test_rules_that_differ_from_a_shipped_file(game_id, rules, shown):
    assert kw.game(game_id, **rules).changed_rules() == shown


def test_no_game_under_its_own_rules_has_changed_rules():
    names = [*FILES, *shipped_rule_files()]
    assert len(names) > 50
    assert {name: changed for name in names if (changed := kw.game(name).changed_rules())} == {}


def test_every_option_of_a_built_in_game_counts_as_changed():
    checked = 0
    for name in FILES:
        for option in kw.game(name).options:
            for value in option.choices or ([not option.default] if isinstance(option.default, bool) else []):
                with suppress(kw.InputError):  # options that contradict each other
                    game = kw.game(name, **{option.key: value})
                    assert (option.key in game.changed_rules()) == (game.rules[option.key] != option.default)
                    checked += 1
    assert checked > 40


def test_the_heading_names_a_rule_that_a_file_leaves_out(run, tmp_path):
    shipped = (Path(kw.__file__).parent / "games" / "rulefiles" / "kniffel.toml").read_text(encoding="utf-8")
    begin, end = shipped.index("[upper]"), len(shipped)
    following = shipped.find("\n[", begin + 1)
    file = tmp_path / "kniffel.toml"
    file.write_text(shipped[:begin] + (shipped[following:end] if following >= 0 else ""), encoding="utf-8")
    assert "· rules: no upper" in run("value", str(file), "--objective", "points").out


def test_the_heading_names_a_changed_rule_of_a_card(run):
    out = run("value yatzy --objective points --rule order=down").out
    assert out.startswith("yatzy · points · rules: order=down · upper 0\n122.")
