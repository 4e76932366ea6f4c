"""Sets that must be confirmed, faces that are rolled again, throws that score with all their dice or with none.

Cosmic Wimpout is told here once more, from its printed rules, die by die; it shares nothing with the rule file.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

import pytest
from referee_checks import check

import keepwise as kw
from keepwise.games import own_game

ALIKE = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "alike": {"2": {"2": 2}}, "target": 4}
CONFIRM = {"alike": {"2": {"2": 2, "then": "must"}}, "then.over": True}
RUN = {"name": "small", "dice": 2, "faces": 3, "singles": {"1": 1}, "target": 4}
RUN["pattern"] = [{"name": "run", "dice": "23", "points": 2}]
WILD = {
    "name": "small",
    "faces": ["1", "2", "sun"],
    "target": 5,
    "set_aside": "all",
    "then.leave": ["sun"],
    "singles": {"1": 1, "sun": 1},
    "pattern": [{"name": "flash", "dice": "2 2 sun", "points": 3, "then": "must"}],
    "die": [{"count": 2, "weights": [1, 2, 0]}, {"name": "black", "weights": [1, 1, 1]}],
    "then.over": True,
}
RULES = [
    {**ALIKE, **CONFIRM},
    {**ALIKE, **CONFIRM, "then.all": "must", "finish": "exact"},
    {**ALIKE, **CONFIRM, "finish": "exact"},
    {**ALIKE, **CONFIRM, "bust": {"costs": [0, 1], "floor": -1}, "target": 3},
    {**ALIKE, **CONFIRM, "dice": 3, "then.over": False, "finish": "exact"},
    {**RUN, "pattern": [{**RUN["pattern"][0], "then": "must"}], "finish": "exact"},
    {**ALIKE, **CONFIRM, "special": [{"throw": "11", "then": "win"}]},
    WILD,
    {**WILD, "stop.below": "must", "stop.opening": 2, "special": [{"throw": "1 1 1", "then": "win"}]},
    {**ALIKE, "set_aside": "all-or-none"},
    {**ALIKE, "set_aside": "all-or-none", "alike": {}, "singles": {"2": 2, "3": 3}, "target": 12},
    {**WILD, "set_aside": "all-or-none", "then.leave": None, "target": 4},
]


def rules_of(rules):
    return {key: value for key, value in rules.items() if value is not None}


@pytest.mark.cases(fast=6)
@pytest.mark.parametrize(("objective", "more"), [("win", {}), ("turns", {}), ("reach", {"turns": 3})])
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_before_the_referee(rules, objective, more):
    assert check(own_game(rules_of(rules)), objective, rolls=100, **more) > 0


@pytest.mark.parametrize("rules", [ALIKE, {**ALIKE, **CONFIRM}, {**ALIKE, "set_aside": "all-or-none"}], ids=str)
def test_points_before_the_referee(rules):
    assert check(own_game(rules_of(rules)), "points", cut=40, rolls=100) > 0


WHITE, BLACK = ("2", "3", "4", "5", "6", "10"), ("2", "S", "4", "5", "6", "10")


def scored(throw):
    """What a throw may be taken as: the points, white and black dice left, and the face of a flash.

    ``throw``: faces of the white dice, and of the black one or None.
    """
    white, black = throw
    shown = Counter([*white, *([black] if black else [])])
    train = [face for face, count in shown.items() if count == 5]
    if train and train[0] in "245":
        return [(100 * int(train[0]), 0, 0, None)]
    sun = shown.pop("S", 0)
    flashes = [(face, 3) for face, count in shown.items() if count >= 3]
    if sun and not flashes:
        flashes = [(face, 2) for face, count in shown.items() if count == 2]  # the sun must join a pair
        sun = 0 if flashes else 1
    best = None
    for face, used in flashes or [(None, 0)]:
        taken = Counter({face: used} if face else {})
        points = 10 * int(face or 0)
        for single in ("5", "10"):
            points += int(single) * (shown[single] - taken[single])
            taken[single] = shown[single]
        if best is None or (points, taken.total()) > best[:2]:
            best = points, taken.total(), taken, face
    points, _, taken, flash = best
    left = (shown - taken).total()
    if sun:
        kept = [(points, left, 1, flash)] if points else []
        return [(points + 10, left, 0, flash), *kept]
    if not points:
        return []
    stays = [(points, left - 1, 1, flash)] if black and (shown - taken)[black] else []
    goes = [(points, left, 0, flash)] if not black or black == "S" or taken[black] else []
    return stays + goes


@cache
def throws(white, black, over):
    """What so many white and black dice may be taken as, when they fall without a face, with the chances."""
    whites = [face for face in WHITE if face != over]
    blacks = [face for face in BLACK if face != over] if black else [None]
    rows = Counter((tuple(sorted(one)), other) for one in product(whites, repeat=white) for other in blacks)
    classes = Counter()
    for throw, ways in rows.items():
        supernova = throw == (("10",) * 4, "10")
        classes[tuple(() if supernova else scored(throw))] += ways
    return [(offered, ways / rows.total()) for offered, ways in classes.items()]


@pytest.mark.slow
def test_cosmic_wimpout_equals_plain_enumeration():
    # Of a turn after the opening, where any points may be banked; five 6s score as dice, there being no game to win.
    most = 2500  # nobody throws on with so many but by force

    @cache
    def worth(points, white, black, forced, over):
        if points > most:
            return float(points)
        total = 0.0
        for offered, chance in throws(white, black, over):
            best = 0.0
            for more, left, dark, flash in offered:
                rest = (left, dark) if left + dark else (4, 1)
                best = max(best, worth(points + more, *rest, bool(flash) or not left + dark, flash))
            total += chance * best
        return total if forced else max(total, float(points))

    ours = kw.solve(kw.load_rules("cosmic-wimpout"), "points", fresh=True)
    assert ours.value(score=40) == pytest.approx(worth(0, 4, 1, True, None), abs=1e-9)


def test_confirm_positions_round_trip_as_ids():
    playable = kw.playable(kw.load_rules("cosmic-wimpout"))
    roll = playable.position(score=100, opponents=[100], roll="4-white 4-white 4-black 6-white 2-white")
    (only,) = playable.choices(roll)
    assert only.action == "keep 4-white 4-white 4-black, roll 2 dice (2 white), 4 rolled again"
    assert playable.from_id(playable.id(only.after)) == only.after
    assert playable.note(only.after) == "A roll that shows 4 is rolled again."
    assert sum(ways for ways, _ in playable.rolls(only.after)) == 25
    told = {"score": 100, "opponents": [100], "turn": 40, "dice": ["white", "white"]}
    assert playable.position(**told, over="4") == only.after
    assert playable.position(**told).over == ()  # two 10s and a 5 leave the same dice, and the choice
    with pytest.raises(kw.InputError, match="over cannot be 3"):
        playable.position(**told, over="3")
    with pytest.raises(kw.InputError, match="over cannot be combined with roll"):
        playable.position(score=100, opponents=[100], turn=40, roll="5-white 6-white", over="4")
    rolled = playable.choices(playable.position(turn=20, roll="5-white 2-white sun-black"))
    left = {choice.action for choice in rolled if choice.follow_up == "roll"}
    assert left == {"keep 5-white sun-black, roll 1 die (1 white)", "keep 5-white, roll 2 dice (1 white, 1 black)"}


def test_all_that_was_understood_is_printed(run):
    out = run("rules --rules cosmic-wimpout").out
    for line in (
        "sun may be rolled again if other dice score and it would add only its points as one die.",
        "After 3 alike or flash with the sun, the player must roll again, however many points the turn has.",
        "If that roll shows the most frequent face of the set, all its dice are rolled again.",
    ):
        assert line in out
    assert "After straight or three pairs, the player must roll again" in run("rules --rules zehntausend").out


BAD = {
    "over": ({**CONFIRM, "then.over": 1}, "over must be true or false"),
    "no throw after": ({**CONFIRM, "then.all": "end"}, "require a roll after them"),
    "for ever": (
        {**CONFIRM, "dice": None, "die": [{}, {"name": "two", "weights": [0, 1, 0]}]},
        "every roll shows 2 and would be repeated forever",
    ),
    "leave": ({"then.leave": ["1"]}, "leave requires set_aside=all"),
    "leave what": ({"then.leave": ["7"], "set_aside": "all"}, "leave must list faces, not 7: use 1, 2, 3"),
    "leave no single": ({"then.leave": ["2"], "set_aside": "all"}, "only if one such die scores"),
}


@pytest.mark.parametrize(("rules", "says"), BAD.values(), ids=BAD)
def test_own_game_refuses_bad_confirm_rules(rules, says):
    with pytest.raises(kw.InputError, match=says):
        own_game(rules_of({**ALIKE, **rules}))


def test_a_turn_that_hardly_ends_but_at_the_target_has_no_points():
    rules = {"name": "on", "dice": 3, "faces": 2, "weights": [1, 2], "target": 4, "finish": "exact"}
    rules |= {"singles": {"2": 2}, "alike": {"2": {"2": 3, "1": 4, "then": "must"}}}
    game = own_game(
        {**rules, "pattern": [{"dice": "12", "points": 1}], "then": {"all": "must"}, "stop": {"opening": 3}}
    )
    assert kw.solve(game, "turns", fresh=True).value() < 2
    with pytest.raises(kw.InputError, match="make more of them end the turn"):
        kw.solve(game, "points", fresh=True)
