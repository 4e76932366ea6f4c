#!/usr/bin/env python3
"""Check a certificate: that every two numbers in it enclose what a dice game is worth there.

    python keepwise_check.py FILE [--sample N] [--seed S] [--blocks A-B]

Plain Python, standard library only; it shares nothing with the program that wrote the certificate. How rules are read
stands in keepwise_check_rules.py beside it, what is held against what here. What a file says stands in
docs/certificate-format.md; what has to be shown, H1 to H11 and the cuts T1 to T5, and why that is enough, in
docs/exactness.md. Turns are made anew from the rules in the header, throw by throw. Amounts are whole numbers of units,
2 ** -(bits + GUARD) each, and rounded outward (H8). Exit 0: all that was looked at holds; 1: one line names the state
and the hypothesis that fails; 2: one line says why the file cannot be judged.

To be trusted: that the rules in the header are those you play (no game is known here by its name); how they are read,
in the class Game of that file (H2, H3, H4, H9); Python's whole numbers, json and gzip; docs/exactness.md. With three
and more, that whoever plays by the stored numbers chooses nothing that is worth less by them than the best less the
header's tie (H10). A part or a sample proves nothing of other states. What is told of a state has to reach from its
lower to its upper number (H11): that is up to those who tell it.
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
from itertools import count
from math import floor, inf
from operator import add, mul, sub

from keepwise_check_rules import ALWAYS, COUNTING, Game, demand

GUARD, HEAD, LINE = 40, 1 << 22, 2000  # bits for rounding within a turn; bytes of the header, of a line
STATES, SAMPLED, NODES = 5_000_000, 1_000_000, 500_000  # kept of a file, or for a sample; parts of a turn
LOST = "bank", "bust", "wipe"  # ways to end a turn with nothing


class Lines(dict):
    """By state: block and rank; a row; what else is told."""

    any = None  # of any state that is not there, while it is only asked which are led to

    def __missing__(self, state):
        demand(self.any, f"H1 fails: {state} is led to, and is not there", 1)
        self[state] = self.any
        return self.any


class Checker:
    """A certificate. A row: lower and minus upper number, rounded downward both (H8), of one player or the mover of
    two; of more what the mover decides by, then those of all seats.
    """

    def __init__(self, head, lines):
        self.game, self.cut, self.lines, self.n = Game(head), head["cut"], lines, head["players"]
        self.known, self.rank = {}, (0, 0)
        self.unit, self.tie = 1 << head["bits"] + GUARD, int(head["tie"], 16) << GUARD
        self.rate = [int(number, 16) << GUARD for number in head["rate"]]
        demand(len(self.rate) == 2 * (head["objective"] == "rate"), "a rate is two numbers")
        todo, down = [*self.game.first] * (head["turn"]["kind"] == "sets"), {"bank", "bust", "win", "wipe"}
        while todo:
            leads = {one[0] for classes in self.opened(todo.pop())[1] for offers in classes for one in offers}
            todo += leads - down - self.known.keys() - {*todo}
        offers = [one for _, throws in self.known.values() for falls in throws for some in falls for one in some]
        self.going = {one for one in offers if len(one) > 2}
        above = head["turn"].get("above") and all(more >= 0 < times for _, more, times in self.going)
        for mode, (_, throws) in [*self.known.items()] * len(self.known):  # H9: from all modes some fall leads down
            leads = [[{one[0] for one in some if not above or one[1] == 0} for some in falls] for falls in throws]
            if all(any(some <= down for some in falls) for falls in leads):  # or, up to a bound, adds points
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
        row = [floor(sign * pay * self.unit) for pay in pays for sign in (1, -1)]
        by, n = row[0], self.n
        if state is not None:
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

    def paid(self, word, points, mode=(), sure=True):  # what an ending is worth; of a cut (T1, T2, T4) least and most
        ends = [("bank" if word == "cut" else word, points)] if sure else [(one, 0) for one in LOST]
        left = mode[:1] if self.game.takes else ()
        rows = [self.row(leaf) for end in ends for leaf in self.game.ends(self.state, *end, *left)]
        if word != "cut" or (sure and self.game.m["kind"] == "race" and self.game.decided(self.state)):
            return self.best(rows)
        most = max(points, self.cut["level"]) + self.gamma[mode] if self.game.counted else 1
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
            return [self.paid("cut", points, mode, may and counts)]
        found = [self.paid("bank", points * counts, mode)] if may else []
        for classes in throws:
            fallen, ways = [], classes.values()
            for offers in classes:
                after = [one if len(one) == 2 else (one[0], max(0, points * one[2] + one[1])) for one in offers]
                after = [one for one in after if isinstance(one[0], str) or one[1] <= room] or [("bust", 0)]
                fallen.append(self.best([self.value(one) for one in after]))
            found.append(tuple(sum(map(mul, ways, column)) // sum(ways) for column in zip(*fallen)))  # H8
        return found

    def turn(self, state):  # what the turn from a state is worth
        self.state, self.limits, self.memo, self.down = state, self.game.limits(state), {}, True
        return self.best(list(map(self.value, self.game.begins(state))))[2 * (self.n > 2) :]

    def judge(self, state):  # H5, H6: the lines hold; H7: strictly, or all that the state leads to is of lower rank
        self.rank, told, _ = self.lines[state]
        row = self.turn(state)
        if "level" in self.cut and self.game.counted:
            lost = max(Fraction(-self.paid(word, 0)[1], self.unit) for word in LOST)
            if lose := [more + self.worth[mode] for mode, more, times in self.going if not times]:
                self.bounds(self.worth, None, 0)
                lost = max(lost, *lose)
            demand(lost <= self.cut["level"], f"T4 fails at {state}: losing the points is worth more than the level", 1)
            self.bounds(self.gamma, lost, self.cut["level"])
        if self.rate:
            lines, self.lines, self.memo = self.lines, Lines(), {}  # halfway between, where both are the same
            for one, (rank, (low, high), more) in lines.items():
                self.lines[one] = rank, [(low - high) // 2, -((low - high) // 2)], more
            gains = list(map(sub, self.value((None, 0)), self.lines[state][1]))
            self.lines = lines
            holds = gains[0] >= self.rate[0] and gains[1] >= -self.rate[1]
            demand(holds, f"Theorem 6 fails at {state}: a turn brings more or less than the average", 1)
            demand(state[1] or not any(told), f"H3 fails at {state}: it is worth 0, what follows is told against it", 1)
            row = (row[0] - self.rate[1], row[1] + self.rate[0]) if state[1] else (1, 1)
        for place, (have, say) in enumerate(zip(row, told)):
            demand(have >= say, f"{('H6', 'H5')[place % 2]} fails at {state}", 1)
            demand(have > say or self.down, f"H7 fails at {state}", 1)


def load(path, digest, keep):  # the header, the lines to be kept, by state and block, and how many there are
    lines, found, block, whole, number = Lines(), 0, 0, r"(?:0|-?[1-9]\d{0,18})", r"(?:0|-?[1-9a-f][0-9a-f]{0,79})"
    form = re.compile(rf"({whole}(?:,{whole})*)((?: {number})+)(?: r(\d{{1,9}}))?\n", re.ASCII)
    numeral = lambda word: int(word if len(word) < 9 else "too long")  # noqa: E731
    once = lambda pairs: demand(len(dict(pairs)) == len(pairs), "a key stands twice") or dict(pairs)  # noqa: E731
    with open(path, "rb") as raw, gzip.open(raw) if raw.peek(2)[:2] == b"\x1f\x8b" else raw as file:
        text = file.readline(LINE), file.readline(HEAD)
        demand(text[0] == b"keepwise certificate 1\n" and text[1][-1:] == b"\n", f"{path} is no certificate")
        digest.update(b"".join(text))
        head = json.loads(text[1], parse_int=numeral, parse_float=int, parse_constant=int, object_pairs_hook=once)
        n, stake = head["players"], (head["objective"] == "win") << head["bits"] + GUARD
        demand(0 < n < 9 and 0 < head["bits"] < 300, "there may be 8 players, and 300 bits")
        while told := form.fullmatch(line := file.readline(LINE).decode("ascii")) or line == "block\n":
            digest.update(line.encode())
            if told is True:
                block += 1
                continue
            state, numbers = tuple(map(int, told[1].split(","))), [int(one, 16) << GUARD for one in told[2].split()]
            demand(len(numbers) == (2 if n < 3 else 3 * n) and len(lines) < STATES, f"{line[:80]!a} cannot be")
            found += 1
            if not keep(state, block):
                continue
            demand(state not in lines, f"H1 fails at {told[1]}: it is there twice", 1)
            row = [one * sign for one, sign in zip(numbers, (1, -1) * (1 if n < 3 else n))]
            row += [row[1] + stake, row[0] - stake] if n == 2 else []  # what the other gets: the rest of 1, or of 0
            lines[state] = (block, int(told[3] or 0)), row, numbers[2 * n :] if n > 2 else ()
        digest.update(line.encode())
        demand(line == f"end {found}\n" and not file.read(1), f"{line[:80]!a} is no line, and not the end")
    return head, lines, found


def main(arguments=None):  # check what is asked for, and say what was found
    parser = argparse.ArgumentParser(prog="keepwise-check", description="Check a certificate: that its numbers hold.")
    parser.add_argument("file", help="the certificate, packed by gzip or not")
    parser.add_argument("--sample", type=int, metavar="N", help="look at so many states only")
    parser.add_argument("--seed", type=int, default=1, help="what the sample is drawn by")
    parser.add_argument("--blocks", metavar="A-B", help="look at the states of these blocks only, counted from 1")
    parser.add_argument("--progress", action="store_true", help="say on stderr what share of them has been looked at")
    told, digest = parser.parse_args(arguments), hashlib.sha256()
    try:
        sys.setrecursionlimit(10_000)
        first, last = map(int, (told.blocks or "0-999999999").split("-"))
        asked, met, kept, rng = [], count(), count(), random.Random(told.seed)

        def draw(state, block):  # draw some states, with the same chance each; of a sample the first lines are kept
            if first <= block <= last:
                number, many = next(met), told.sample or inf
                place = number if number < many else rng.randrange(number + 1)
                asked[place : place + 1] = [state] if place < many else []
            return not told.sample or next(kept) < SAMPLED

        head, lines, states = load(told.file, digest, draw)
        if states > len(lines):  # too many to be kept: those that are drawn, and that they lead to
            checker, lines = Checker(head, lines), Lines()
            checker.lines, lines.any = lines, ((0, 0), [0] * 2 * head["players"], [0] * head["players"])
            for state in asked:
                checker.turn(state)
            wanted, digest = {*lines, *asked, tuple(head["begins"])}, hashlib.sha256()
            head, lines, states = load(told.file, digest, lambda state, block: state in wanted)
        checker, start = Checker(head, lines), tuple(head["begins"])
        demand(start in lines, f"H1 fails: {start}, where it begins, is not there", 1)
        demand(asked, "there is no such state")
        for number, state in enumerate(asked):
            if told.progress and number % 64 == 0:
                print(number / len(asked), file=sys.stderr)
            checker.judge(state)
        widths = [-(low + high) / checker.unit for state in asked for low, high in zip(*[iter(lines[state][1])] * 2)]
        widths += [(checker.rate[1] - checker.rate[0]) / checker.unit] if checker.rate else []
    except Exception as error:
        demand(False, f"{told.file} cannot be judged: {type(error).__name__}: {error!a}"[:300])
    print(f"{head['game']!a}, {head['objective']}, players: {head['players']}, rules: {head['fingerprint']!a}")
    print(f"{len(asked):,} of {states:,} states hold, all numbers of them within {max(widths, default=0):.3g}")
    if len(asked) < states:
        print(f"nothing is proved of the others: a wrong line is missed with chance {1 - len(asked) / states:.3g}")
    begins = [checker.rate[0], -checker.rate[1]] if checker.rate else lines[start][1]
    low, high = (sign * number / checker.unit for sign, number in zip((1, -1), begins))
    print(f"at the beginning, {start}: from {low!r} to {high!r}\nsha256 {digest.hexdigest()}")


if __name__ == "__main__":
    main()
