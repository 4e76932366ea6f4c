#!/usr/bin/env python3
"""Check a certificate: that every two numbers in it enclose what a dice game is worth there.

    python keepwise_check.py FILE [--sample N] [--seed S] [--blocks A-B]

One file of plain Python, standard library only; it shares nothing with the program that wrote the certificate. What a
file says stands in docs/certificate-format.md; what has to be shown, H1 to H11 and the cuts T1 to T5, and why that is
enough, in docs/exactness.md. Turns are made anew from the rules in the header, throw by throw. Amounts are whole
numbers of units, 2 ** -(bits + GUARD) each, and rounded outward (H8). Exit 0: all that was looked at holds; 1: one line
names the state and the hypothesis that fails; 2: one line says why the file cannot be judged.

To be trusted: that the rules in the header are those you play (no game is known here by its name); how they are read,
in the class Game (H2, H3, H4, H9); Python's whole numbers, json and gzip; docs/exactness.md. With three and more, that
whoever plays by the stored numbers chooses nothing that is worth less by them than the best less the header's tie
(H10). A part or a sample proves nothing of other states. What is told of a state has to reach from its lower to its
upper number (H11): that is up to those who tell it.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product, takewhile
from math import comb, factorial, floor, inf, prod
from operator import add, le, mul, sub

GUARD, HEAD, LINE = 40, 1 << 22, 2000  # bits for rounding within a turn; bytes of the header, of a line
STATES, WORK, NODES = 5_000_000, 10_000_000, 500_000  # of a file; throws and sets of a turn; what it is joined of
LOST = "bank", "bust", "wipe"  # ways to end a turn with nothing
NEVER, COUNTING, ALWAYS = range(3)  # when one may stop before a throw: with points that count, or with any
SHAPES = {  # what a header says: all of it, and nothing else; and the words where only some may be
    "head": "game rules fingerprint engine objective players parameters id begins turn match cut bits tie rate",
    "sets": "dice groups whole specials doubled take:free,all,all-or-none most hot:free,must,none stop:free,all"
    " below:nothing,throw once choose opening minimum waived costs stays floor lowest",
    "crew": "casts faces order alone",
    "boxes": "dice weights throws boxes scores upper steps again bonus own full joker:free,forced,none",
    **{"turn": "", "race": "target finish:at_least,exact", "rounds": "rounds target", "card": ""},
}


def demand(holds, message, code=2):  # end with one line unless something holds
    if not holds:
        print(f"keepwise-check: {message}", file=sys.stderr)
        sys.exit(code)


@cache
def rolls(dice, weights):  # H2: every throw of so many dice: in how many ways it falls, and counts of the faces
    faces, size = range(len(weights)), (dice + len(weights)) * comb(dice + len(weights) - 1, dice)
    demand(0 <= size < WORK and min(weights) >= 0 < sum(weights), f"{dice} dice of weights {weights} cannot be listed")
    counted = [tuple(map(shown.count, faces)) for shown in combinations_with_replacement(faces, dice)]
    ways = [factorial(dice) // prod(map(factorial, one)) * prod(map(pow, weights, one)) for one in counted]
    return [(many, one) for many, one in zip(ways, counted, strict=True) if many]


class Game:
    """The rules in the header, read. H3, H4: nothing is left out that may be done, fall or be paid. ``open_...`` tells
    of a mode, a decision before a throw (None: the turn begins), when one may stop, and for every throw that may be
    made in how many ways it offers what; a choice is a throw of one way. An offer is an ending, as ("bank", points), or
    (mode, points, how often those in hand are added). ``ends_...`` tells what an ending leads to: leaves, the best of
    which is had: what is paid to the seats from the mover on, the state that follows, and seats on to its mover.
    """

    def __init__(self, head):
        self.r, self.m, self.cut, self.n = head["turn"], head["match"], head["cut"], head["players"]
        for kind, rules in (("head", head), (self.r["kind"], self.r), (self.m["kind"], self.m)):
            shape = dict(word.partition(":")[::2] for word in SHAPES[kind].split())
            demand({*shape} == {*rules} - {"kind"}, f"what is told of {kind} must be {', '.join(shape)}")
            for key, words in shape.items():
                demand(not words or rules[key] in words.split(","), f"{key} must be one of {words}")
        r, match, self.objective, self.reach = self.r, self.m["kind"], head["objective"], head["objective"] == "reach"
        self.open = getattr(self, f"open_{r['kind']}")
        self.ends = self.ends_race if match == "turn" else getattr(self, f"ends_{match}")
        self.goal, self.costs = head["parameters"]["goal"] if self.reach else self.m.get("target"), r.get("costs")
        fits = {"turn": ("points", "rate"), "race": ("turns", "reach", "win"), "rounds": ("win",), "card": ("points",)}
        demand(self.objective in fits[match] and (self.objective == "win") == (self.n > 1), f"no such match: {match}")
        demand(self.cut.get("past", 0) >= 0 and not (self.cut and r.get("lowest")), "no such cut")
        demand(r.get("boxes", 1) == 1 or (r["boxes"] == 2 and not r["upper"] and r["again"] < 0), "no such boxes")
        told = [one for key in ("dice", "groups", "specials", "doubled") if r["kind"] == "sets" for one in r[key]]
        demand(len({len(row) for one in told for row in one[:2] if type(row) is list}) < 2, "faces must be as many")
        self.worths, self.asked = {}, 0

    subsets = staticmethod(lambda counts: product(*(range(count + 1) for count in counts)))  # some of so many dice

    def open_sets(self, mode):  # push your luck. A mode: dice to throw, by kind, and whether they must be; (): none are
        full = tuple(count for count, _ in self.r["dice"])
        if not mode:
            sizes = range(1, full[0] + 1) if self.r["choose"] else full[:1]
            first = tuple((((size, *full[1:]), True), 0, 1) for size in sizes)
            return (NEVER, [[(1, first)]]) if mode is None else (ALWAYS, [])
        (hand, must), stop = mode, COUNTING if self.r["below"] == "throw" else ALWAYS
        dice = [rolls(count, tuple(kind[1])) for count, kind in zip(hand, self.r["dice"], strict=True)]
        demand(prod(map(len, dice)) * len(dice) < WORK, "so many kinds of dice cannot be listed")
        tables = [self.r["specials"], self.r["doubled"]][: 1 + (must and bool(self.r["doubled"]))]
        falls = [(prod(many for many, _ in fall), [one for _, one in fall]) for fall in product(*dice)]
        throws = [[(many, self.offers(full, hand, roll, table)) for many, roll in falls] for table in tables]
        return NEVER if must or self.r["stop"] == "all" else stop, throws

    def worth(self, counts):  # the most points of dice that are split into groups which score; None: they cannot be
        self.asked += 1 if counts in self.worths else 1 + len(self.r["groups"])
        demand(self.asked < WORK, "more sets can be set aside than can be weighed")
        if counts not in self.worths:
            fits = [(group, more) for group, more in self.r["groups"] if all(map(le, group, counts))]
            lefts = [(more, tuple(map(sub, counts, group))) for group, more in fits]
            found = [(more, None if self.r["whole"] and any(left) else self.worth(left)) for more, left in lefts]
            self.worths[counts] = max((more + rest for more, rest in found if rest is not None), default=None)
        return self.worths[counts] if any(counts) else 0

    def offers(self, full, hand, roll, specials):  # the special throw that it is; what may be set aside; or the bust
        shown, once = tuple(map(sum, zip(*roll, strict=True))), self.r["once"]
        none_left = () if once or self.r["hot"] == "none" else (full, self.r["hot"] == "must")
        for low, high, effect, more, times in specials:
            if all(map(le, low, shown)) and all(map(le, shown, high)):
                after = {"score": none_left, "again": (full, True), "same": (hand, False)}
                after["drop"] = tuple(map(sub, hand, (one[-1] for one in roll))), not (times or more)  # the last face
                return ((after[effect], more, times),) if effect in after else ((effect, 0),)
        some = [tuple(roll)] if self.r["take"] == "all-or-none" else product(*map(self.subsets, roll))
        sets = [(self.worth(faces := tuple(map(sum, zip(*one)))), sum(faces), one, faces) for one in some]
        sets = [entry for entry in sets if 0 < entry[1] <= self.r["most"] and entry[0] is not None]
        if self.r["take"] == "all" and sets:  # of the same worth most dice, then most of the faces listed first
            sets = [entry for entry in sets if entry[3] == max(sets)[3]]
        lefts = ((more, tuple(map(sub, hand, map(sum, one)))) for more, _, one, _ in sets)
        leads = (((left, False) if any(left) and not once else none_left, more, 1) for more, left in lefts)
        return tuple(dict.fromkeys(leads)) or (("bust", 0),)

    def open_crew(self, mode):  # Battleship: dice set aside in order, then two count. A mode: casts, set aside, held
        (casts, before, held), order, falls = mode or (self.r["casts"], 0, 0), self.r["order"], []
        for ways, counts in rolls(len(order) + 2 - before - (held > 0), (1,) * self.r["faces"]):
            taken = list(takewhile(lambda face: counts[face - 1], order[before:]))  # noqa: B023
            left = [(face, count - (face in taken)) for face, count in enumerate(counts, 1)]
            dice = [held] * (held > 0) + [face for face, count in left for _ in range(count)]
            done, alone = before + len(taken) == len(order), self.r["alone"][before == len(order)]  # one may be kept
            again = [
                ((casts - 1, before + len(taken), die), 0, 1)
                for die in {0, *(dice if done and alone else ())}
                if casts > 1
            ]
            falls.append((ways, (*again, *([("bank", sum(dice) * done)] if done or casts == 1 else ()))))
        return NEVER, [falls]

    def open_boxes(self, mode):  # a card. A mode: throw, dice so far, which fall one by one; then some may be kept
        throw, counts = mode or (1, (0,) * len(self.r["weights"]))
        if sum(counts) < self.r["dice"]:
            more = (tuple(count + (face == one) for face, count in enumerate(counts)) for one in range(len(counts)))
            return NEVER, [[(ways, (((throw, one), 0, 1),)) for ways, one in zip(self.r["weights"], more, strict=True)]]
        kept = [one for one in self.subsets(counts) if throw < self.r["throws"] and sum(one) < self.r["dice"]]
        return NEVER, [[(1, (("final", counts), *(((throw + 1, one), 0, 1) for one in kept)))]]

    def limits(self, state):  # points that count; where a turn is cut if one may stop, where anyway; what may be held
        r, m, race = self.r, self.m, self.m["kind"] == "race"
        if r["kind"] != "sets":
            return 0, inf, inf, inf
        own = 0 if m["kind"] == "rounds" else state[0]
        least = max(not r["lowest"], r["minimum"], 0 if own > 0 else r["opening"])
        least = min(least, max(1, m["target"] - own)) if race and r["waived"] else least
        cap = max(least, self.goal - own if race else self.cut.get("level", inf))
        return least, cap, cap + self.cut.get("past", inf), m["target"] - own if m.get("finish") == "exact" else inf

    def ends_race(self, state, word, points):
        # To the goal. A state: scores from the mover on; busts in a row, where they cost; for reach the turns left.
        # A turn for points, or for their average (rate): 0, or 1 once a bank has counted; busts in a row.
        n, busts, costs = self.n, state[self.n : 2 * self.n] if self.costs else (0,), self.costs or [0]
        row = busts[0] if busts[0] + 1 == len(costs) and self.r.get("stays") else (busts[0] + 1) % len(costs)
        lost = max(min(state[0], self.r["floor"]), state[0] - costs[busts[0]]) if self.costs else state[0]
        own, row = {"bank": (state[0] + points, 0), "wipe": (0, 0), "win": (self.goal, 0), "bust": (lost, row)}[word]
        rows = (*busts[1:], row) if self.costs else ()
        if self.goal is None:
            paid = -costs[busts[0]] if word == "bust" else -points if self.r.get("lowest") else points
            return [([paid], (state[0], *rows) if self.objective == "rate" else None, 0)]
        paid = -(self.objective == "turns")
        if own >= self.goal or (self.reach and state[-1] == 1):
            return [([paid or int(own >= self.goal), *[0] * (n - 1)], None, 0)]
        return [([paid] * n, (*state[1:n], own, *rows, *((state[-1] - 1,) if self.reach else ())), 1 % n)]

    def ends_rounds(self, state, word, points):
        """Rounds of a turn each, then playoffs of those tied. A state: round, who plays off (bits), seat, totals."""
        (number, mask, seat, *totals), target, n = state, self.m["target"], self.n
        playing = [one for one in range(n) if not mask or mask >> one & 1]
        totals[seat] += -points if self.r.get("lowest") else points
        top, after = max(totals[one] for one in playing), [one for one in playing if one > seat]
        tied = [seat] if word == "win" else [one for one in playing if totals[one] == top]
        if not after and not mask and (number < self.m["rounds"] or top < target):
            number, after = number + (not target), [0]
        if word == "win" or (not after and len(tied) == 1):
            return [([int((seat + one) % n == tied[0]) for one in range(n)], None, 0)]
        if not after:
            mask, after, totals = sum(1 << one for one in tied) if target or len(tied) < n else 0, tied, [0] * n
        totals = totals if target else [total - min(totals) for total in totals]
        return [([0] * n, (number, mask, after[0], *totals), (after[0] - seat) % n)]

    def ends_card(self, state, word, counts):
        """A card, alone. A state: boxes used (bits), upper total, whether the box of all alike holds points."""
        r, (used, upper, flag), leaves = self.r, state, []
        for filled in combinations([box for box in range(len(r["scores"])) if not used >> box & 1], r["boxes"]):
            held = self.entered(used, counts, filled)
            if held is not None:
                up = min(upper + held, r["steps"][-1][0]) if filled[0] in r["upper"] else upper
                holds = int(held > 0 < r["bonus"]) if filled[0] == r["again"] else flag
                now, over = used | sum(1 << box for box in filled), used.bit_count() + r["boxes"] == len(r["scores"])
                extra = max((more for at, more in r["steps"] if up >= at), default=0) if over else 0
                paid = held + extra + r["bonus"] * flag * (max(counts) == r["dice"])
                leaves.append(([paid], None if over else (now, up, holds), 0))
        return leaves

    def entered(self, used, counts, filled):  # what open boxes hold of a throw, split between them; None: not allowed
        r, half, box, face = self.r, self.r["dice"] // self.r["boxes"], filled[0], counts.index(max(counts))
        if (counts, filled) not in self.worths:
            place = {one: number for number, (_, one) in enumerate(rolls(half, (1,) * len(counts)))}
            parts = [(one, tuple(map(sub, counts, one))) for one in self.subsets(counts) if sum(one) == half]
            sums = (sum(r["scores"][box][place[one]] for box, one in zip(filled, part)) for part in parts)
            self.worths[counts, filled] = max(sums)
        held, own, free = self.worths[counts, filled], r["own"][face], r["joker"] == "free"
        plain = r["again"] < 0 or not used >> r["again"] & 1 or max(counts) < half or box == own or r["joker"] == "none"
        if plain or (own >= 0 and not used >> own & 1):
            return held if plain or free else None
        others = any(not used >> one & 1 for one in range(len(r["scores"])) if one not in r["own"])
        return r["full"][box][face] if free or box not in r["own"] else None if others else held


class Checker:
    """A certificate. By state: block and rank; a row; what else is told. A row: lower and minus upper number, rounded
    downward both (H8), of one player or the mover of two; of more what the mover decides by, then those of all seats.
    """

    def __init__(self, head, lines):
        self.game, self.cut, self.lines, self.n = Game(head), head["cut"], lines, head["players"]
        self.known, self.unit, self.tie = {}, 1 << head["bits"] + GUARD, int(head["tie"], 16) << GUARD
        self.rate = [int(number, 16) << GUARD for number in head["rate"]]
        demand(len(self.rate) == 2 * (head["objective"] == "rate"), "a rate is two numbers")
        todo, down = [None] * (head["turn"]["kind"] == "sets"), {"bank", "bust", "win", "wipe"}
        while todo:
            leads = {one[0] for classes in self.opened(todo.pop())[1] for offers in classes for one in offers}
            todo += leads - down - self.known.keys() - {*todo}
        for mode, (_, throws) in [*self.known.items()] * len(self.known):  # H9: from all modes some fall leads down
            if all(any({one[0] for one in some} <= down for some in falls) for falls in throws):
                down.add(mode)
        demand(down >= self.known.keys(), "H9 fails: a turn may go on for ever", 1)
        told = [self.cut.get(key, {}) for key in ("gamma", "worth")]
        self.gamma, self.worth = ({one: Fraction(*of.get(json.dumps(one), [0])) for one in self.known} for of in told)
        demand(min([0, *self.gamma.values(), *self.worth.values()]) == 0, "gamma and worth must not be below 0")

    def opened(self, mode):  # ways in which dice fall that offer the same count together
        if mode not in self.known:
            stop, throws = self.game.open(mode)
            self.known[mode] = stop, [Counter() for _ in throws]
            for falls, classes in zip(throws, self.known[mode][1], strict=True):
                for ways, offers in falls:
                    classes[offers] += ways
        return self.known[mode]

    def bounds(self, most, lost, level):  # T4: no mode is worth more than points in hand, from a level on, and these
        for mode, (_, throws) in self.known.items():
            for classes in throws:
                room = sum(classes.values()) * most[mode]
                for offers, ways in classes.items():
                    leads = [(max(0, one[1]) + most[one[0]], one[2]) for one in offers if len(one) > 2]
                    demand(all(0 <= times < 2 for _, times in leads), "points that are multiplied are not bounded")
                    kept = [more for more, times in leads if times or lost is None]
                    room -= ways * (max(kept) if kept else 0 if lost is None else lost - level)
                demand(room >= 0, f"T4 fails in the mode {mode}", 1)

    def row(self, leaf):  # what a leaf is worth
        pays, state, shift = leaf
        row, by, n = [sign * pay * self.unit for pay in pays for sign in (1, -1)], pays[0] * self.unit, self.n
        if state is not None:
            demand(state in self.lines, f"H1 fails at {self.state}: it leads to {state}, which is not there", 1)
            rank, worth, more = self.lines[state]
            row, self.down = list(map(add, row, (worth * 2)[2 * (n - shift) :])), self.down and rank < self.rank
            by += more[-shift % n] if n > 2 else 0
        return tuple(row[:2] if n < 3 else [by, -by, *row])

    def best(self, rows):  # the best choice for the mover; with three and more all that the play may choose (H10)
        top, best = max(row[0] for row in rows), min(row[1] for row in rows)
        if self.n < 3:
            return top, best
        worst = [min(column) for column in zip(*(row for row in rows if self.tie - row[1] >= top))]
        return top, best, worst[2], min(row[3] for row in rows), *worst[4:]

    def paid(self, word, points, *cut):  # what an ending is worth; of a cut (T1, T2, T4) the least and the most
        ends = [(word, points)] if not cut else [("bank", points)] if cut[0] else [(one, 0) for one in LOST]
        rows = [self.row(leaf) for end in ends for leaf in self.game.ends(self.state, *end)]
        if not cut or (cut[0] and self.game.m["kind"] == "race"):  # who may stop with enough has won
            return self.best(rows)
        most = max(points, self.cut["level"]) + self.gamma[cut[1]] if self.game.goal is None else 1
        most = floor(self.unit * (1 if self.game.objective == "turns" else -most))
        return tuple(most if place % 2 else min(column) for place, column in enumerate(zip(*rows)))

    def value(self, node):  # what an ending is worth, or a mode with points in hand
        if node not in self.memo:
            demand(len(self.memo) < NODES, "a turn is too long to be looked at")
            self.memo[node] = None
            self.memo[node] = self.paid(*node) if isinstance(node[0], str) else self.best(self.done(*node))
        demand(self.memo[node], "a turn goes round in a circle")
        return self.memo[node]

    def done(self, mode, points):  # all that may be done: to stop, and every throw with all that may fall
        (least, cap, end, room), (stop, throws) = self.limits, self.opened(mode)
        counts, may = points >= least, stop == ALWAYS or (stop == COUNTING and points >= least)
        if points >= end or (may and counts and points >= cap):
            return [self.paid("cut", points, may and counts, mode)]
        found = [self.paid("bank", points * counts)] if may else []
        for classes in throws:
            fallen, ways = [], classes.values()
            for offers in classes:
                after = [one if len(one) == 2 else (one[0], max(0, points * one[2] + one[1])) for one in offers]
                after = [one for one in after if isinstance(one[0], str) or one[1] <= room] or [("bust", 0)]
                fallen.append(self.best([self.value(one) for one in after]))
            found.append(tuple(sum(map(mul, ways, column)) // sum(ways) for column in zip(*fallen)))  # H8
        return found

    def judge(self, state):  # H5, H6: the lines hold; H7: strictly, or all that the state leads to is of lower rank
        self.state, self.limits, self.memo, self.down = state, self.game.limits(state), {}, True
        self.rank, told, _ = self.lines[state]
        if "level" in self.cut and self.game.goal is None:
            lost = max(Fraction(-self.paid(word, 0)[1], self.unit) for word in LOST)
            offers = [
                one for _, throws in self.known.values() for classes in throws for some in classes for one in some
            ]
            if lose := [one[1] + self.worth[one[0]] for one in offers if len(one) > 2 and not one[2]]:
                self.bounds(self.worth, None, 0)
                lost = max(lost, *lose)
            demand(lost <= self.cut["level"], f"T4 fails at {state}: losing the points is worth more than the level", 1)
            self.bounds(self.gamma, lost, self.cut["level"])
        row = self.value((None, 0))[2 * (self.n > 2) :]
        if self.rate and state[1]:
            row = row[0] - self.rate[1], row[1] + self.rate[0]
        elif self.rate:  # the average itself, strict or not (Theorem 6); what is worth after busts is told against it
            demand(not any(told), f"H3 fails at {state}: it is worth 0, what follows is told against it", 1)
            told, self.down = [self.rate[0], -self.rate[1]], True
        for place, (have, say) in enumerate(zip(row, told)):
            demand(have >= say, f"{('H6', 'H5')[place % 2]} fails at {state}", 1)
            demand(have > say or self.down, f"H7 fails at {state}", 1)


def load(path, digest):  # the header, and the lines by state
    lines, block, whole, number = {}, 0, r"(?:0|-?[1-9]\d{0,8})", r"(?:0|-?[1-9a-f][0-9a-f]{0,79})"
    form = re.compile(rf"({whole}(?:,{whole})*)((?: {number})+)(?: r(\d{{1,9}}))?\n", re.ASCII)
    numeral = lambda word: int(word if len(word) < 9 else "too long")  # noqa: E731
    once = lambda pairs: demand(len(dict(pairs)) == len(pairs), "a key stands twice") or dict(pairs)  # noqa: E731
    with open(path, "rb") as raw, gzip.open(raw) if raw.peek(2)[:2] == b"\x1f\x8b" else raw as file:
        text = file.readline(LINE), file.readline(HEAD)
        demand(text[0] == b"keepwise certificate 1\n" and text[1][-1:] == b"\n", f"{path} is no certificate")
        digest.update(b"".join(text))
        head = json.loads(text[1], parse_int=numeral, parse_float=int, parse_constant=int, object_pairs_hook=once)
        n, unit = head["players"], 1 << head["bits"] + GUARD
        demand(0 < n < 9 and 0 < head["bits"] < 300, "there may be 8 players, and 300 bits")
        while told := form.fullmatch(line := file.readline(LINE).decode("ascii")) or line == "block\n":
            digest.update(line.encode())
            if told is True:
                block += 1
                continue
            state, numbers = tuple(map(int, told[1].split(","))), [int(one, 16) << GUARD for one in told[2].split()]
            demand(len(numbers) == (2 if n < 3 else 3 * n) and len(lines) < STATES, f"{line[:80]!a} cannot be")
            demand(state not in lines, f"H1 fails at {told[1]}: it is there twice", 1)
            row = [one * sign for one, sign in zip(numbers, (1, -1) * (1 if n < 3 else n))]
            row += [row[1] + unit, row[0] - unit] if n == 2 else []
            lines[state] = (block, int(told[3] or 0)), row, numbers[2 * n :] if n > 2 else ()
        digest.update(line.encode())
        demand(line == f"end {len(lines)}\n" and not file.read(1), f"{line[:80]!a} is no line, and not the end")
    return head, lines


def main(arguments=None):  # check what is asked for, and say what was found
    parser = argparse.ArgumentParser(prog="keepwise-check", description="Check a certificate: that its numbers hold.")
    parser.add_argument("file", help="the certificate, packed by gzip or not")
    parser.add_argument("--sample", type=int, metavar="N", help="look at so many states only")
    parser.add_argument("--seed", type=int, default=1, help="what the sample is drawn by")
    parser.add_argument("--blocks", metavar="A-B", help="look at the states of these blocks only, counted from 1")
    told, digest = parser.parse_args(arguments), hashlib.sha256()
    try:
        head, lines = load(told.file, digest)
        sys.setrecursionlimit(10_000)
        checker, start = Checker(head, lines), tuple(head["begins"])
        demand(start in lines, f"H1 fails: {start}, where it begins, is not there", 1)
        first, last = map(int, (told.blocks or f"0-{STATES}").split("-"))
        asked = sorted(state for state, (rank, *_) in lines.items() if first <= rank[0] <= last)
        asked = random.Random(told.seed).sample(asked, min(told.sample or len(asked), len(asked)))
        demand(asked, "there is no such state")
        for state in asked:
            checker.judge(state)
        widths = [-(low + high) / checker.unit for state in asked for low, high in zip(*[iter(lines[state][1])] * 2)]
    except Exception as error:
        demand(False, f"{told.file} cannot be judged: {type(error).__name__}: {error!a}"[:300])
    print(f"{head['game']!a}, {head['objective']}, players: {head['players']}, rules: {head['fingerprint']!a}")
    print(f"{len(asked):,} of {len(lines):,} states hold, all numbers of them within {max(widths, default=0):.3g}")
    if len(asked) < len(lines):
        print(f"nothing is proved of the others: a wrong line is missed with chance {1 - len(asked) / len(lines):.3g}")
    low, high = (sign * number / checker.unit for sign, number in zip((1, -1), lines[start][1]))
    print(f"at the beginning, {start}: from {low!r} to {high!r}\nsha256 {digest.hexdigest()}")


if __name__ == "__main__":
    main()
