"""Sheets of cards: the page is read by somebody who knows the boxes and nothing of the program, and played by hand."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from pathlib import Path
from statistics import mean, stdev

import pytest
from random_games import decisions_by_chance

import keepwise as kw
from keepwise.games import shipped_rule_files
from keepwise.output.sheets import make_sheet
from keepwise.policies.levels import cards
from keepwise.policies.registry import parse_choice_function

OWN = ("ones", "twos", "threes", "fours", "fives", "sixes")
RUNS = {
    "small straight": [(1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)],
    "large straight": [(1, 2, 3, 4, 5), (2, 3, 4, 5, 6)],
    "run": [(1, 2, 3), (2, 3, 4)],
    "little cameroon": [(1, 2, 3, 4, 5)],
    "large cameroon": [(2, 3, 4, 5, 6)],
}
YATZY_RUNS = {"small straight": [(1, 2, 3, 4, 5)], "large straight": [(2, 3, 4, 5, 6)]}


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


def many(number, points=0, sets=1):
    """So many alike of each of so many faces: their spots, or the points."""

    def scored(dice):
        faces = sorted((face for face in set(dice) if dice.count(face) >= number), reverse=True)[:sets]
        return (points or number * sum(faces)) * (len(faces) == sets)

    return scored


def full_house(dice):
    return sum(dice) * (sorted(Counter(dice).values()) == [2, 3])


YATZY = {
    **{name: YAHTZEE[name] for name in OWN},
    "one pair": many(2),
    "two pairs": many(2, sets=2),
    "three of a kind": many(3),
    "four of a kind": many(4),
    "small straight": lambda dice: 15 * (sorted(dice) == [1, 2, 3, 4, 5]),
    "large straight": lambda dice: 20 * (sorted(dice) == [2, 3, 4, 5, 6]),
    "full house": full_house,
    "chance": sum,
    "yatzy": many(5, 50),
}
CAMEROON = {
    "five of a kind": many(5, 50),
    "large cameroon": run("large cameroon", 30),
    "little cameroon": run("little cameroon", 21),
    "full house": full_house,
    "sixes": YAHTZEE["sixes"],
    "fives": YAHTZEE["fives"],
    "fours": YAHTZEE["fours"],
    "threes": YAHTZEE["threes"],
    "twos": YAHTZEE["twos"],
    "aces": YAHTZEE["ones"],
}
TINY = {
    **{name: YAHTZEE[name] for name in OWN[:4]},
    "run": run("run", 9),
    "chance": sum,
}
TINY_RULES = "\n".join(
    (
        'name = "tiny-card"\ndice = 3\nfaces = 4\nthrows = 3',
        *(f'[[category]]\nname = "{name}"\nface = {face}' for face, name in enumerate(OWN[:4], 1)),
        '[[category]]\nname = "run"\nstraight = 3\npoints = 9',
        '[[category]]\nname = "chance"\nchance = true',
        f"[upper]\ncategories = {list(OWN[:4])}\nat = 20\nbonus = 15",
    )
)


class Reader:
    """Somebody who plays by the page: ``keep`` (dice, throws left, open boxes) and ``enter`` (worth by box, dice)."""

    def __init__(self, sheet, boxes, faces):
        self.boxes, self.faces, self.runs = boxes, faces, RUNS | (YATZY_RUNS if "yatzy" in boxes else {})
        tables = {table.heading: table.rows for table in sheet.tables}
        said = " ".join(sheet.lines)
        if numbered := [found[1] for line in sheet.lines if (found := re.fullmatch(r"\d+\. (.*)", line))]:
            assert "After each roll but the last go through the rules from the top" in said
            assert "all of them if no rule fits, none if all dice are kept" in said
            assert "several faces fit, take the one with the most dice; on a tie, the highest" in said
            highest = "take the one with the most faces; on a tie, the highest"
            several = re.search(rf"If several straights are possible \((.*)\), {highest}", said)
            named = [self.runs[run] for one in numbered for run in self.runs if f"faces of a {run}" in one]
            longest = max(named, key=len, default=())
            assert (several is not None) == (len(longest) > 1)
            if several:
                assert re.findall(r"(\d)-(\d)", several[1]) == [(str(min(run)), str(max(run))) for run in longest]
            self.rules = numbered
            self.number = {name: float(number) for name, number in tables["Where to enter"]}
        else:
            kept = re.search(r"keep all dice of the most frequent face(.*), and roll the others again", said)[1]
            self.rules = [
                "1 or more alike"
                + (" whose box is open: keep them." if "no dice" in kept else ": keep them")
                + ("; of equally many, prefer those whose box is open." if "on a tie, one" in kept else ".")
            ]
            part = Fraction(re.search(r"is ([\d.]+) times the most", said)[1])
            every = [*combinations_with_replacement(range(1, faces + 1), 3 if faces == 4 else 5)]
            self.number = {name: part * max(box(dice) for dice in every) for name, box in boxes.items()}
        faces_of = re.search(r"The boxes of the faces are: ([^.]*)\.", said)
        self.own = {name: int(face) for face, name in re.findall(r"(\d) ([a-z ]+)", faces_of[1])} if faces_of else {}
        assert self.own or not any(" box is open" in rule or " boxes are open" in rule for rule in self.rules)
        more = re.search(r"add (\d+) points? to an upper box if at least (\d+) dice show its face", said)
        self.more, self.alike = map(int, more.groups()) if more else (0, 0)

    def keep(self, dice, left, open_):
        for rule in self.rules:
            kept = self._fits(rule, dice, left, open_)
            if kept is not None:
                return tuple(sorted(kept))
        return ()

    def _fits(self, rule, dice, left, open_):
        what, _, rest = rule.rstrip(".").partition(": keep ")
        if found := re.search(r", with (\d) rolls? left$", rest):
            rest = rest[: found.start()]
            if int(found[1]) != left:
                return None
        if found := re.search(r", with at most (\d+) box(es)? left$", rest):
            rest = rest[: found.start()]
            if len(open_) > int(found[1]):
                return None
        if found := re.search(r",? (?:if|and) ([^,]*) (?:is|are) filled$", rest):
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
        mine = {face for name, face in self.own.items() if name in open_}
        if found := re.fullmatch(r"A roll that scores in (.*)", what):
            return dice if self.boxes[found[1]](dice) else None
        if found := re.fullmatch(r"A roll worth (\d+) points or more in (.*)", what):
            return dice if self.boxes[found[2]](dice) >= int(found[1]) else None
        if found := re.fullmatch(r"(\d+ or more faces of a .*) and (\d+ or more alike.*)", what):
            one, other = (self._kept(each, rest, dice, open_) for each in found.groups())
            return None if one is None or other is None else tuple((Counter(one) | Counter(other)).elements())
        if found := re.fullmatch(r"(\d+) or more faces of a (.*)", what):
            best = max(self.runs[found[2]], key=lambda one: (len(set(one) & set(dice)), one))
            shown = set(best) & set(dice)
            return tuple(shown) if len(shown) >= int(found[1]) else None
        if what.startswith("Any face"):
            assert rest.startswith("its dice")
            what = what.replace("Any face", "1 or more alike")
        if found := re.fullmatch(r"(\d+) or more alike( whose box is open)?", what):
            able = [face for face in count if count[face] >= int(found[1]) and (not found[2] or face in mine)]
            first = "prefer those whose box is open" in rest
            return self._all(dice, sorted(able, key=lambda one: (count[one], first and one in mine, one))[-1:])
        if found := re.fullmatch(r"(\d+) groups of (\d+) or more alike( whose boxes are open)?", what):
            able = [face for face in count if count[face] >= int(found[2]) and (not found[3] or face in mine)]
            able.sort(key=lambda one: (count[one], one))
            return self._all(dice, able[-int(found[1]) :]) if len(able) >= int(found[1]) else None
        if found := re.fullmatch(r"Dice that show (\d+) or more(, whose box is open)?", what):
            return self._all(dice, [face for face in count if face >= int(found[1]) and (not found[2] or face in mine)])
        if found := re.fullmatch(r"(\d+) or more dice that show (\d+)", what):
            return self._all(dice, [int(found[2])]) if count[int(found[2])] >= int(found[1]) else None
        assert (what, rest) == ("Any roll", "nothing"), (what, rest)
        return ()

    @staticmethod
    def _all(dice, faces):
        return tuple(die for die in dice if die in faces) or None

    def enter(self, points, dice):
        """The box, of those that hold so many points each."""

        def worth(name):
            enough = dice.count(self.own.get(name, 0)) >= self.alike > 0
            return points[name] - self.number[name] + self.more * enough, points[name]

        return max(points, key=worth)

    def split(self, dice, open_):
        """The two boxes, and their points, of all ways to split the dice."""
        worths = {}
        for five in set(combinations(dice, 5)):
            rest = tuple((Counter(dice) - Counter(five)).elements())
            for pair in permutations(open_, 2):
                points = tuple(self.boxes[name](lot) for name, lot in zip(pair, (five, rest), strict=True))
                less = sum(self.number[name] for name in pair)
                worths[sum(points) - less, sum(points), pair] = points
        best = max(worths, key=lambda one: one[:2])
        return dict(zip(best[2], worths[best], strict=True))


def joker(points, dice, own):
    """What the official rules let a later Yahtzee be entered for: its own box, a lower one in full, or a zero."""
    if own in points:
        return {own: points[own]}
    lower = {name: sum(dice) for name in ("three of a kind", "four of a kind", "chance")}
    lower |= {"full house": 25, "small straight": 30, "large straight": 40}
    return {name: worth for name, worth in lower.items() if name in points} or dict.fromkeys(points, 0)


def card_by_the_page(reader, draw):
    """The points of a card of five dice, or of ten that are split, played by the page."""
    open_, points, upper, count = [*reader.boxes], 0, 0, 10 if "aces" in reader.boxes else 5
    own, bonus, yahtzees = set(OWN), 50 if "yatzy" in reader.boxes else 35, 0

    def fallen(kept):
        return tuple(sorted((*kept, *(draw.randint(1, 6) for _ in range(count - len(kept))))))

    while open_:
        dice = fallen(())
        for left in (2, 1):
            if (kept := reader.keep(dice, left, open_)) != dice:
                dice = fallen(kept)
            else:
                break
        if count == 10:
            entered = reader.split(dice, open_)
        else:
            may = {name: reader.boxes[name](dice) for name in open_}
            if "yahtzee" in reader.boxes and "yahtzee" not in open_ and len(set(dice)) == 1:
                may = joker(may, dice, OWN[dice[0] - 1])
                points += 100 * (yahtzees > 0)
            name = reader.enter(may, dice)
            entered = {name: may[name]}
            yahtzees += name == "yahtzee" and may[name] > 0
        points += sum(entered.values())
        upper += sum(entered[name] for name in own & entered.keys())
        open_ = [name for name in open_ if name not in entered]
    return points + bonus * (upper >= 63 and count == 5)


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
    return float(re.search(r"In full, the sheet costs ([\d.e+-]+)", sheet.facts[1])[1])


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_small_cards_by_the_sheet_reach_its_value(level, tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY_RULES)
    solution = kw.solve(kw.load_rules(tmp_path / "tiny.toml"), "points")
    sheet = make_sheet(solution, level=level)
    found = by_hand(Reader(sheet, TINY, 4), TINY, 3, 4, lambda upper: 15 * (upper >= 20))
    assert float(found) == pytest.approx(solution.value() - price(sheet), abs=1e-9)


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_yahtzee_by_the_sheet_equals_the_level_policy(level):
    """Positions of games played by chance: what a joker may be entered in is the table's to say."""
    solution = kw.solve("yahtzee", "points")
    reader = Reader(make_sheet(solution, level=level), YAHTZEE, 6)
    player = parse_choice_function(solution.playable, f"sheet:{level}")
    playable = solution.playable
    for position, choices, said in decisions_by_chance(playable, player, level, 600):
        told = playable.to_dict(position)
        dice = tuple(sorted(map(int, told["roll"])))
        open_ = [name for name, used in playable.boxes(position, 0).items() if not used]
        if told["throw"] < 3 and not choices[0].action.startswith("enter"):
            assert tuple(sorted(map(int, said.keep))) == reader.keep(dice, 3 - told["throw"], open_)
        else:
            words = {one.action.rpartition(" in ")[2]: one.points for one in choices}
            points = {name: words[name] for name in YAHTZEE if name in words}
            assert said.action.rpartition(" in ")[2] == reader.enter(points, dice)


KEPT = json.loads((Path(cards.__file__).parent / "cards.json").read_text())


@pytest.mark.parametrize("name", KEPT)
def test_shipped_lists_have_the_stated_lengths(name):
    found = [cards.parse_rule_list(told) for told in KEPT[name]["levels"]]
    assert all(one.size <= most for one, most in zip(found, (cards.FEW, cards.LIST, cards.LONG), strict=False))
    assert all(one == cards.parse_rule_list(cards.serialize_rule_list(one)) for one in found)


PLAYED = {"yahtzee": (YAHTZEE, 8000), "yatzy": (YATZY, 8000), "double-cameroon": (CAMEROON, 1500)}  # and so many cards


@pytest.mark.patient
@pytest.mark.parametrize("level", [2, 3, 4])
@pytest.mark.parametrize("name", KEPT)
def test_games_by_shipped_lists_reach_the_stated_value(name, level):
    """Cards played from the printed page by dice of one's own: neither rules nor prices are the program's."""
    game = kw.load_rules(name) if name in shipped_rule_files() else kw.game(name)
    solution = kw.solve(game, "points")
    sheet = make_sheet(solution, level=level)
    boxes, count = PLAYED[name]
    reader, draw = Reader(sheet, boxes, 6), random.Random(level)
    found = [card_by_the_page(reader, draw) for _ in range(count)]
    assert abs(mean(found) - (solution.value() - price(sheet))) <= 4 * stdev(found) / count**0.5
    assert price(sheet) > 0
