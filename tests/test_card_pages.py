"""Sheets of cards: the page is read by somebody who knows the boxes and nothing of the program, and played by hand."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

import keepwise as kw
from keepwise.answers.levels import cards
from keepwise.answers.policies import named_policy
from keepwise.games import shipped_rule_files
from keepwise.sheets import make_sheet

OWN = ("ones", "twos", "threes", "fours", "fives", "sixes")
RUNS = {
    "small straight": [(1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)],
    "large straight": [(1, 2, 3, 4, 5), (2, 3, 4, 5, 6)],
    "run": [(1, 2, 3), (2, 3, 4)],
}


def alike(number):
    return lambda dice: sum(dice) if max(Counter(dice).values()) >= number else 0


def run(name, points):
    return lambda dice: points * any(set(one) <= set(dice) for one in RUNS[name])


YAHTZEE = {
    **{name: lambda dice, face=face: face * dice.count(face) for face, name in enumerate(OWN, 1)},
    "three of a kind": alike(3),
    "four of a kind": alike(4),
    "full house": lambda dice: 25 * (sorted(Counter(dice).values()) == [2, 3]),
    "small straight": run("small straight", 30),
    "large straight": run("large straight", 40),
    "yahtzee": lambda dice: 50 * (len(set(dice)) == 1),
    "chance": sum,
}
TINY = {
    **{name: YAHTZEE[name] for name in OWN[:4]},
    "run": run("run", 9),
    "chance": sum,
}
TINY_RULES = """
name = "tiny-card"
dice = 3
faces = 4
throws = 3
[[category]]
name = "ones"
face = 1
[[category]]
name = "twos"
face = 2
[[category]]
name = "threes"
face = 3
[[category]]
name = "fours"
face = 4
[[category]]
name = "run"
straight = 3
points = 9
[[category]]
name = "chance"
chance = true
[upper]
categories = ["ones", "twos", "threes", "fours"]
at = 20
bonus = 15
"""


class Reader:
    """Somebody who plays by the page: ``keep`` (dice, throws left, open boxes) and ``enter`` (worth by box, dice)."""

    def __init__(self, sheet, boxes, faces):
        self.boxes, self.faces = boxes, faces
        tables = {table.heading: table.rows for table in sheet.tables}
        said = " ".join(sheet.lines)
        if numbered := [found[1] for line in sheet.lines if (found := re.fullmatch(r"\d+\. (.*)", line))]:
            assert "by the first rule that fits; where none does, throw all again." in said
            self.rules = numbered
            self.number = {name: float(number) for name, number in tables["Where to enter"]}
        else:
            kept = re.search(r"Keep all dice of the face (.*), and throw the others again", said)[1]
            self.rules = [
                "1 or more alike"
                + (" whose box is open: keep them." if "if none, none" in kept else ": keep them")
                + (", of as many those whose box is open." if "of as many one" in kept else ".")
            ]
            part = Fraction(re.search(r"is ([\d.]+) times the most", said)[1])
            every = [*combinations_with_replacement(range(1, faces + 1), 3 if faces == 4 else 5)]
            self.number = {name: part * max(box(dice) for dice in every) for name, box in boxes.items()}
        more = re.search(r"In an upper box (\d+) dice of its face or more count (\d+) points more", said)
        self.alike, self.more = map(int, more.groups()) if more else (0, 0)

    def keep(self, dice, left, open_):
        for rule in self.rules:
            kept = self._fits(rule, dice, left, open_)
            if kept is not None:
                return tuple(sorted(kept))
        return ()

    def _fits(self, rule, dice, left, open_):
        what, _, rest = rule.rstrip(".").partition(": keep ")
        if found := re.search(r", with (\d) throws? left$", rest):
            rest = rest[: found.start()]
            if int(found[1]) != left:
                return None
        if found := re.search(r", with at most (\d+) box(es)? left$", rest):
            rest = rest[: found.start()]
            if len(open_) > int(found[1]):
                return None
        if found := re.search(r",? (?:if|and) ([^,]*) (?:is|are) used$", rest):
            rest = rest[: found.start()].rstrip(",")
            if any(name in open_ for name in found[1].split(" and ")):
                return None
        if found := re.search(r", if ([^,]*) (?:is|are) open$", rest):
            rest = rest[: found.start()]
            either = " or " in found[1]
            hold = [name in open_ for name in re.split(" or | and ", found[1])]
            if not (any(hold) if either else all(hold)):
                return None
        return self._kept(what, rest, dice, open_)

    def _kept(self, what, rest, dice, open_):
        count = Counter(dice)
        mine = {face for face in range(1, self.faces + 1) if face <= len(OWN) and OWN[face - 1] in open_}
        if found := re.fullmatch(r"(\d+) points or more in (.*)", what):
            return dice if self.boxes[found[2]](dice) >= int(found[1]) else None
        if found := re.fullmatch(r"(\d+) or more faces of (.*)", what):
            best = max(RUNS[found[2]], key=lambda one: (len(set(one) & set(dice)), one))
            shown = set(best) & set(dice)
            return tuple(shown) if len(shown) >= int(found[1]) else None
        if found := re.fullmatch(r"(\d+) or more alike( whose box is open)?", what):
            able = [face for face in count if count[face] >= int(found[1]) and (not found[2] or face in mine)]
            first = "of as many those whose box is open" in rest
            return self._all(dice, sorted(able, key=lambda one: (count[one], first and one in mine, one))[-1:])
        if found := re.fullmatch(r"(\d+) faces of (\d+) or more dice each( whose boxes are open)?", what):
            able = [face for face in count if count[face] >= int(found[2]) and (not found[3] or face in mine)]
            able.sort(key=lambda one: (count[one], one))
            return self._all(dice, able[-int(found[1]) :]) if len(able) >= int(found[1]) else None
        if found := re.fullmatch(r"Dice of (\d+) or more( whose box is open)?", what):
            return self._all(dice, [face for face in count if face >= int(found[1]) and (not found[2] or face in mine)])
        if found := re.fullmatch(r"(\d+) or more dice of face (\d+)", what):
            return self._all(dice, [int(found[2])]) if count[int(found[2])] >= int(found[1]) else None
        assert (what, rest) == ("Whatever lies there", "nothing"), (what, rest)
        return ()

    @staticmethod
    def _all(dice, faces):
        return tuple(die for die in dice if die in faces) or None

    def enter(self, points, dice):
        """The box, of those that hold so many points each."""

        def worth(name):
            enough = name in OWN and dice.count(OWN.index(name) + 1) >= self.alike > 0
            return points[name] - self.number[name] + self.more * enough, points[name]

        return max(points, key=worth)


def by_hand(reader, boxes, dice, faces, bonus):
    """What the page brings of a card without jokers, in fractions."""
    falls = {
        left: Counter(tuple(sorted(fall)) for fall in product(range(1, faces + 1), repeat=left))
        for left in range(dice + 1)
    }

    def ends(open_):
        """Chances of what a turn ends with."""
        here, found = {fall: Fraction(ways, faces**dice) for fall, ways in falls[dice].items()}, Counter()
        for left in (2, 1):
            after = Counter()
            for lies, chance in here.items():
                kept = reader.keep(lies, left, open_)
                if len(kept) == dice:
                    found[lies] += chance
                    continue
                for fall, ways in falls[dice - len(kept)].items():
                    after[tuple(sorted(kept + fall))] += chance * Fraction(ways, faces ** (dice - len(kept)))
            here = after
        return found + here

    known = cache(ends)

    @cache
    def worth(open_, upper):
        if not open_:
            return bonus(upper)
        total = Fraction(0)
        for lies, chance in known(open_).items():
            points = {name: boxes[name](lies) for name in open_}
            name = reader.enter(points, lies)
            rest = tuple(one for one in open_ if one != name)
            total += chance * (points[name] + worth(rest, upper + points[name] * (name in OWN)))
        return total

    return worth(tuple(boxes), 0)


def price(sheet):
    return float(re.search(r"exactly ([\d.e+-]+)", sheet.facts[1])[1])


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_a_small_card_by_the_page_brings_what_it_says(level, tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY_RULES)
    solution = kw.solve(kw.load_rules(tmp_path / "tiny.toml"), "points")
    sheet = make_sheet(solution, level=level)
    found = by_hand(Reader(sheet, TINY, 4), TINY, 3, 4, lambda upper: 15 * (upper >= 20))
    assert float(found) == pytest.approx(solution.value() - price(sheet), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_yahtzee_by_the_page_is_what_the_policy_does(level):
    """Positions of games played by chance: what a joker may be entered in is the table's to say."""
    solution, draw = kw.solve("yahtzee", "points"), random.Random(level)
    reader = Reader(make_sheet(solution, level=level), YAHTZEE, 6)
    player = named_policy(solution.table, f"sheet:{level}")
    table, asked = solution.table, 0
    while asked < 600:
        position = table.start()
        while table.stage(position) != "over":
            if table.stage(position) == "throw":
                falls = [*table.throws(position)]
                position = draw.choices([after for _, after in falls], [ways for ways, _ in falls])[0]
                continue
            told, choices = table.tell(position), table.choices(position)
            dice = tuple(sorted(map(int, told["roll"])))
            open_ = [name for name, used in table.boxes(position, 0).items() if not used]
            said = player(position)
            asked += 1
            if told["throw"] < 3 and not choices[0].action.startswith("enter"):
                assert tuple(sorted(map(int, said.keep))) == reader.keep(dice, 3 - told["throw"], open_)
            else:
                words = {one.action.rpartition(" in ")[2]: one.points for one in choices}
                points = {name: words[name] for name in YAHTZEE if name in words}
                assert said.action.rpartition(" in ")[2] == reader.enter(points, dice)
            position = said.after if draw.random() < 0.7 else draw.choice(choices).after


KEPT = json.loads((Path(cards.__file__).parent / "cards.json").read_text())


@pytest.mark.parametrize("name", KEPT)
def test_shipped_lists_are_no_longer_than_they_say(name):
    found = [cards.read(told) for told in KEPT[name]["levels"]]
    assert all(one.size <= most for one, most in zip(found, (cards.FEW, cards.LIST, cards.LONG), strict=False))
    assert all(one == cards.read(cards.told(one)) for one in found)


@pytest.mark.patient
@pytest.mark.parametrize("name", KEPT)
def test_a_shipped_list_brings_in_play_what_it_is_priced_at(name):
    """Games of the game as it is played, which knows nothing of how lists are priced."""
    game = kw.load_rules(name) if name in shipped_rule_files() else kw.game(name)
    solution = kw.solve(game, "points")
    played = solution.simulate("sheet:3", games=300, seed=1).seats[0].outcome
    found = solution.evaluate("sheet:3")
    assert abs(played.mean - found.value) <= 4 * played.se
    assert found.loss > 0
