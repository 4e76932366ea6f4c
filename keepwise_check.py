#!/usr/bin/env python3
"""Check a certificate: that every two numbers in it enclose what a dice game is worth there.

    python keepwise_check.py FILE [--sample N] [--seed S] [--blocks A-B]

Plain Python, standard library only; it shares nothing with the program that wrote the certificate. What a file says:
docs/certificate-format.md; what has to be shown, H1 to H11 and the cuts T1 to T5, and why that is enough:
docs/exactness.md. Game reads the rules in the header, from which all throws are made anew. Checker holds the lines
against them, in whole numbers of units, 2 ** -(bits + GUARD) each, rounded outward (H8). Exit 0: all that was looked at
holds; 1: one line names the state and the hypothesis that fails; 2: one line says why the file cannot be judged.

To be trusted: that the rules in the header are those you play (no game is known here by its name); how they are read,
in the class Game (H2, H3, H4, H9); Python's whole numbers, json and gzip; docs/exactness.md. With three and more, that
whoever plays by the stored numbers stops where that wins, and chooses nothing that is worth less by them than the best
less the header's tie (H10); that what is told of a state reaches from its lower to its upper number (H11).
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
from collections import Counter, defaultdict
from decimal import Context
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, combinations_with_replacement, count, product, takewhile
from math import comb, factorial, floor, inf, lcm, prod
from operator import add, le, mul, sub

GUARD, HEAD, LINE = 40, 1 << 22, 2000  # bits for rounding within a turn; bytes of the header, of a line
KEPT, SAMPLED, NODES = 500_000_000, 1_000_000, 500_000  # bytes of lines, 100 more each; for a sample; parts of a turn
LOST = "bank", "bust", "wipe"  # ways to end a turn with nothing
WORK = 6_000_000  # throws of a turn, by what is told of them; a set that may be taken weighs as much as three
NUMBERS = re.compile(r"([][\d, -]|true|false)*")
NEVER, COUNTING, ALWAYS = range(3)  # when one may stop before a throw: with points that count, or with any
SHAPES = {  # what a header says: all of it, and nothing else; and the words where only some may be
    "head": "game rules fingerprint engine objective players parameters id begins turn match cut bits tie rate",
    "sets": "dice groups whole specials doubled take:free,all,all-or-none leave most hot:free,must,none stop:free,all"
    " below:nothing,throw once choose opening minimum waived costs stays floor above lowest",
    **{"crew": "casts faces order alone", "tiles": "tiles one", "touch": "chances trips in_order"},
    "boxes": "dice weights throws boxes scores first wins before zeros upper steps again bonus own full"
    " joker:free,forced,none ranges saved",
    **{"turn": "", "race": "target finish:at_least,exact,last_round takes:none,free,opened", "card": ""},
    **{"rounds": "rounds target share", "box": "goal", "frames": "frames"},
    "board": "board points penalty last passes allowed",
}


def demand(holds, message, code=2):  # end with one line unless something holds
    if not holds:
        print(f"keepwise-check: {message}", file=sys.stderr)
        sys.exit(code)


@cache
def rolls(dice, weights):  # H2: every throw of so many dice: in how many ways it falls, and counts of the faces
    faces = range(len(weights))
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
        self.r, self.m, self.cut, self.n = r, m, cut, n = head["turn"], head["match"], head["cut"], head["players"]
        for kind, rules in (("head", head), (r["kind"], r), (m["kind"], m)):
            shape = dict(word.partition(":")[::2] for word in SHAPES[kind].split())
            rules.update({"ranges": [], "saved": 0, **rules} if kind == "boxes" else {})  # these need not be said
            demand({*shape} == {*rules} - {"kind"}, f"what is told of {kind} must be {', '.join(shape)}")
            for key, words in shape.items():
                told = [[*one[:2], *one[3:]] for one in rules[key]] if key in ("specials", "doubled") else rules[key]
                plain = kind == "head" or NUMBERS.fullmatch(json.dumps(told))
                said = rules[key] in words.split(",") if words else plain
                demand(said, f"{key} must be {f'one of {words}' if words else 'numbers, and no word'}")
        demand(0 < self.size() < WORK, "a turn is too large to be listed: so many dice, faces, sets or tiles")
        match, self.objective, self.reach = m["kind"], head["objective"], head["objective"] == "reach"
        self.open = getattr(self, f"open_{r['kind']}")
        self.ends = self.ends_race if match == "turn" else getattr(self, f"ends_{match}")
        self.counted, self.costs = self.objective in ("points", "rate"), r.get("costs", [])  # without bound; of busts
        self.goal = head["parameters"]["goal"] if self.reach and match == "race" else m.get("target")
        fits = {"turn": "points rate sets crew", "race": "turns reach win sets crew", "frames": "win sets"}
        fits |= {"rounds": "win margin sets crew", "board": "win margin reach touch"}
        fits |= {"card": "points reach win boxes", "box": "points reach win tiles"}
        fits = {self.objective, r["kind"]} <= {*fits[match].split()} and (n < 3 or match not in ("frames", "card"))
        demand(fits and (n > 1) == (self.objective in ("win", "margin")), f"no such match: {match} for {n}")
        fits = cut.get("past", 0) >= 0 and (n < 3 or "level" not in cut)
        demand(fits and not (cut and (r.get("lowest", True) or self.objective == "margin")), "no such cut")
        effects = {one[2] for one in [*r.get("specials", []), *r.get("doubled", [])]}
        scored = "wipe" in effects or r.get("opening", 0) > r.get("minimum", 0)  # one round is from a score of 0
        unfit = ("win" in effects and self.objective == "margin") or (scored and (m.get("rounds") != 1 or m["target"]))
        fits = match in ("turn", "race") or not (unfit or self.costs)
        fits &= effects <= {*LOST[1:], "win", "void", "score", "again", "same", "roll", "end", "drop"}
        fits &= min([0, *self.costs]) == 0 and (r.get("stop") != "all" or r["hot"] == "none")
        demand(fits and (match in ("turn", "rounds") or not r.get("lowest")), f"in no such match: {match}")
        self.last, self.takes = m.get("finish") == "last_round", m.get("takes", "none") != "none"
        fits = m.get("finish") != "exact" or not (r.get("above") or "past" in cut or r["kind"] != "sets")
        demand(fits and self.last + self.takes <= (n > 1) and (match != "race" or m["target"] > 0), "no such race")
        demand(not self.last or cut.get("level", inf) >= m["target"], "a last round is cut past the target")
        rows, hands = n * bool(self.costs), [count for count, _ in r["dice"]] if self.takes else []
        told = {"turn": rows, "race": n + rows + self.takes + len(hands), "rounds": 2 + n, "box": n, "board": max(2, n)}
        if match == "card":
            rising = [more for _, more in sorted(r["ranges"])]  # or dice would not be split for the most points
            more = r["upper"] or r["again"] >= 0
            split = r["boxes"] == 2 and r["zeros"] and not (r["first"] or more) and rising == sorted(rising)
            other = (n == 2 and (more or r["ranges"] or r["saved"])) or (r["wins"] and not (n == 2 and r["first"]))
            other = other or r["throws"] < 1 or (r["ranges"] and (self.reach or min(r["ranges"])[0]))
            other = other or min(r["saved"], r["bonus"], *chain(*r["scores"], *r["first"], *r["full"])) < 0
            demand((r["boxes"] == 1 or split) and not other and len(r["scores"]) < 64, "no such boxes")
            several = any(type(one) is list for one in r["upper"])  # columns, each with steps of its own
            self.columns = list(zip(r["upper"], r["steps"], strict=True)) if several else [(r["upper"], r["steps"])]
            self.ranges = [[head["parameters"]["goal"], 1]] if self.reach else r["ranges"]
            told["card"] = 3 if n == 2 else 2 + len(self.columns) + bool(self.ranges) + bool(r["saved"])
            self.tops = [max(map(max, rows)) for rows in zip(r["scores"], r["first"] or r["scores"], strict=True)]
        at = {"turn": [head["begins"][0] > 0], "frames": [1, 0, 0], "rounds": [not self.goal], "board": m.get("board")}
        turns = [head["parameters"]["turns"]] if self.reach and match == "race" else []
        demand(head["begins"] == at.get(match, []) + [0] * told.get(match, 0) + turns, "this begins elsewhere")
        told = [one for key in ("dice", "groups", "specials", "doubled") if r["kind"] == "sets" for one in r[key]]
        self.confirm = {tuple(one): tuple(over[0]) for one, _, *over in r.get("groups", []) if over}
        fits = len({len(row) for one in told for row in one[:2] if type(row) is list}) < 2
        demand(fits and (not self.confirm or r["whole"]), "faces must be as many, and sets to be confirmed are listed")
        self.worths, self.listed = {}, match == "board" and self.objective == "win"  # choices as the program lists them
        self.first = [None, *((hand, True) for hand in self.subsets(hands) if any(hand))]  # modes in which turns begin

    def size(self):  # throws, told face by face, what may be set aside or kept of them and what is told
        r, some = self.r, lambda dice, faces: comb(dice + faces, min(dice, faces, 30)) * (1 + faces // 100)
        if r["kind"] == "sets":
            throws, sets = (prod(some(dice, of * len(one)) for dice, one in r["dice"]) for of in (1, 2))
            over = max(1, len({str(over) for _, _, *over in r["groups"]}))  # a face that is set aside is another
            throws *= 1 + len(r["groups"] + r["specials"] + r["doubled"])
            return over * (throws + 3 * sets * (r["take"] != "all-or-none"))
        if r["kind"] == "crew":
            return some(len(r["order"]) + 2, r["faces"]) * r["faces"] * r["casts"]
        if r["kind"] == "boxes":
            return 3 * some(r["dice"], 2 * len(r["weights"])) * (r["throws"] + r["saved"])
        return max(map(len, r["chances"])) ** 3 if r["kind"] == "touch" else 3 ** min(r["tiles"], 30)

    shared = staticmethod(lambda have: [Fraction(int(one == max(have)), have.count(max(have))) for one in have])
    reached = staticmethod(lambda steps, total: max((one for one in steps if total >= one[0]), default=(0, 0))[1])
    subsets = staticmethod(lambda counts: product(*(range(count + 1) for count in counts)))  # some of so many dice

    def open_sets(self, mode):  # A mode: dice to throw, by kind, whether they must be, faces thrown over; (): none are
        full = tuple(count for count, _ in self.r["dice"])
        if not mode:
            sizes = range(1, full[0] + 1) if self.r["choose"] else full[:1]
            first = tuple((((size, *full[1:]), True), 0, 1) for size in sizes)
            return (NEVER, [[(1, first)]]) if mode is None else (ALWAYS, [])
        (hand, must, *over), stop = mode, COUNTING if self.r["below"] == "throw" else ALWAYS
        dice = [rolls(count, tuple(kind[1])) for count, kind in zip(hand, self.r["dice"], strict=True)]
        tables = [self.r["specials"], self.r["doubled"]][: 1 + (must and bool(self.r["doubled"]))]
        falls = [(prod(many for many, _ in fall), [one for _, one in fall]) for fall in product(*dice)]
        falls = [(many, roll) for many, roll in falls if not any(one[face] for one in roll for face in over)]
        throws = [[(many, self.offers(full, hand, roll, table)) for many, roll in falls] for table in tables]
        throws = [[fall for fall in falls if fall[1] != (("void", 0),)] for falls in throws]  # these are made again
        demand(all(throws), "there must be a throw that counts")
        return NEVER if must or self.r["stop"] == "all" else stop, throws

    def worth(self, counts):  # the most points of dice that are split into groups which score; None: they cannot be
        if counts not in self.worths:
            fits = [(group, more) for group, more, *_ in self.r["groups"] if all(map(le, group, counts))]
            lefts = [(more, tuple(map(sub, counts, group))) for group, more in fits]
            found = [(more, None if self.r["whole"] and any(left) else self.worth(left)) for more, left in lefts]
            self.worths[counts] = max((more + rest for more, rest in found if rest is not None), default=None)
        return self.worths[counts] if any(counts) else 0

    def offers(self, full, hand, roll, specials):  # the special throw that it is; what may be set aside; or the bust
        shown, once = tuple(map(sum, zip(*roll, strict=True))), self.r["once"]
        none_left = () if once or self.r["hot"] == "none" else (full, self.r["hot"] == "must")
        for low, high, effect, more, times in specials:
            if all(map(le, low, shown)) and all(map(le, shown, high)):
                after = {"score": none_left, "again": (full, True), "same": (hand, False), "roll": (full, False)}
                left = tuple(map(sub, hand, (one[-1] for one in roll)))  # the last face drops out
                after |= {"end": (), "drop": (left, not (times or more))}
                return ((after[effect], more, times),) if effect in after else ((effect, 0),)
        some = [tuple(roll)] if self.r["take"] == "all-or-none" else product(*map(self.subsets, roll))
        sets = [(self.worth(faces := tuple(map(sum, zip(*one)))), sum(faces), one, faces) for one in some]
        sets = [entry for entry in sets if 0 < entry[1] <= self.r["most"] and entry[0] is not None]
        if self.r["take"] == "all" and sets:  # of the same worth most dice, then most of the faces listed first
            best = [entry for entry in sets if entry[3] == max(sets)[3]]
            sets = [entry for entry in sets if any(self.stays(one, entry) for one in best)]
        leads = []
        for more, _, one, faces in sets:
            left = tuple(map(sub, hand, map(sum, one)))
            must = not once and faces in self.confirm  # the next throw, of all dice where none are left
            after = (left if any(left) else full, must, *self.confirm.get(faces, ()))
            leads.append((after if must or (any(left) and not once) else none_left, more, 1))
        return tuple(dict.fromkeys(leads)) or (("bust", 0),)

    def stays(self, best, some):  # whether some is the best set, or that without dice that may be left, worth so much
        left = [more - less for kinds in zip(best[2], some[2], strict=True) for more, less in zip(*kinds, strict=True)]
        faces = [face for face, many in enumerate(map(sub, best[3], some[3])) for _ in range(many)]
        alone = sum(self.worth(tuple(int(face == one) for one in range(len(best[3])))) or 0 for face in faces)
        return min(left) >= 0 and {*faces} <= {*self.r["leave"]} and some[0] + alone == best[0]

    def open_crew(self, mode):  # Battleship: dice set aside in order, then two count. A mode: casts, set aside, held
        (casts, before, held), order, falls = mode or (self.r["casts"], 0, 0), self.r["order"], []
        for ways, counts in rolls(len(order) + 2 - before - (held > 0), (1,) * self.r["faces"]):
            taken = list(takewhile(lambda face: counts[face - 1], order[before:]))  # noqa: B023
            left = [(face, count - (face in taken)) for face, count in enumerate(counts, 1)]
            dice = [held] * (held > 0) + [face for face, count in left for _ in range(count)]
            done, alone = before + len(taken) == len(order), self.r["alone"][before == len(order)]  # one may be kept
            kept = {0, *(dice if done and alone else ())} if casts > 1 else ()
            again = [((casts - 1, before + len(taken), die), 0, 1) for die in kept]
            falls.append((ways, (*again, *([("bank", sum(dice) * done)] if done or casts == 1 else ()))))
        return NEVER, [falls]

    def open_boxes(self, mode):  # a card. A mode: throws left, whether none was before, dice so far, which fall one by
        left, fresh, counts = mode  # one; then some may be kept
        if sum(counts) < self.r["dice"]:
            more = (tuple(count + (face == one) for face, count in enumerate(counts)) for one in range(len(counts)))
            return NEVER, [[(ways, (((left, fresh, one), 0, 1),)) for ways, one in zip(self.r["weights"], more)]]
        kept = [one for one in self.subsets(counts) if left > 0 and sum(one) < self.r["dice"]]
        entered = "first" if fresh and self.r["first"] else "scores", (counts, min(left, self.r["saved"]))
        return NEVER, [[(1, (entered, *(((left - 1, False, one), 0, 1) for one in kept)))]]

    def open_tiles(self, mode):  # Shut the Box. A mode: tiles that stand; so many dice are thrown, and shut as many
        up = mode or tuple(range(1, self.r["tiles"] + 1))
        stuck, throws, lefts = (("bank", sum(up)),), [], {}
        for left in (left for size in range(len(up)) for left in combinations(up, size)):
            lefts.setdefault(sum(up) - sum(left), []).append((left, 0, 1) if left else ("bank", 0))
        for dice in (2, 1) if self.r["one"] and up[-1] <= 6 else (2,):
            falls = [(ways, sum(map(mul, counts, range(1, 7)))) for ways, counts in rolls(dice, (1,) * 6)]
            throws.append([(ways, tuple(lefts.get(total, stuck))) for ways, total in falls])
        return NEVER, throws

    def open_touch(self, mode):  # Booby Trap. A mode: sizes that may be touched, whether one may pass; size and feel
        if isinstance(mode[0], int):
            trips, of = self.r["trips"][mode[0]][mode[1]]
            return NEVER, [[(trips, (("trip", mode[0]),)), (of - trips, (("won", mode[0]),))]]
        throws, back = [], (("pass", 0),) * mode[1]  # offered before taking
        for size in mode[0]:
            chances, whole = self.r["chances"][size], lcm(*(of for _, of in self.r["chances"][size]))
            demand(sum(many * whole // of for many, of in chances) == whole, "chances of feels must add up to 1")
            felt = enumerate(many * whole // of for many, of in chances)
            throws.append([(ways, (*back, ((size, feel), 0, 1))) for feel, ways in felt if ways])
        return NEVER, throws

    def begins(self, state):  # modes and points in hand with which a turn may begin: with what is offered, too
        if self.r["kind"] == "touch":
            sizes = tuple(size for size in range(3) if state[size])
            return [((sizes[-1:] if self.r["in_order"] else sizes, state[-1] < self.m["passes"]), 0)]
        if self.r["kind"] == "boxes":
            return [((self.r["throws"] - 1 + (self.r["saved"] and state[-1]), True, (0,) * len(self.r["weights"])), 0)]
        points, *hand = state[-1 - len(self.r["dice"]) :] if self.takes else (0,)
        return [(None, 0), ((tuple(hand), True), points)][: 1 + (points > 0)]

    def limits(self, state):  # points that count; where a turn is cut if one may stop, where anyway; what may be held
        r, m, race = self.r, self.m, self.m["kind"] == "race"
        if r["kind"] != "sets":
            return 0, inf, inf, inf
        own = 0 if m["kind"] in ("rounds", "frames") else state[0]
        least = max(not r["lowest"], r["minimum"], 0 if own > 0 else r["opening"])
        least = min(least, max(1, m["target"] - own)) if race and r["waived"] else least
        self.won = not self.last or state[1] >= self.goal  # who may stop at the cut of a race has won by that
        goal = self.goal if not self.last else max(state[1 : self.n]) + 1 if self.won else self.cut.get("level", inf)
        cap, room = max(least, goal - own if race else self.cut.get("level", inf)), r["above"] or inf
        return least, cap, cap + self.cut.get("past", inf), m["target"] - own if m.get("finish") == "exact" else room

    def ends_race(self, state, word, points, left=()):  # to the goal or past it, for others to beat; or a turn alone
        n, busts, costs = self.n, state[self.n : 2 * self.n] if self.costs else (0,), self.costs or [0]
        row = busts[0] if busts[0] + 1 == len(costs) and self.r.get("stays") else (busts[0] + 1) % len(costs)
        lost = max(min(state[0], self.r["floor"]), state[0] - costs[busts[0]]) if self.costs else state[0]
        own, row = {"bank": (state[0] + points, 0), "wipe": (0, 0), "win": (self.goal, 0), "bust": (lost, row)}[word]
        rows = (*busts[1:], row) if self.costs else ()
        if self.last and word != "win" and state[1] >= self.goal:  # the last turn
            return [(self.shared((own, *state[1:n])), None, 0)]
        if self.last and word == "bank" and own >= self.goal:  # against more than the cut the other gets no more
            return [([0] * n, (*state[1:n], min(own, self.cut.get("level", own)), *rows), 1)]
        if self.goal is None:
            paid = -costs[busts[0]] if word == "bust" else -points if self.r.get("lowest") else points
            return [([paid], (state[0] | (points > 0), *rows) if self.objective == "rate" else None, 0)]
        paid = -(self.objective == "turns")
        if own >= self.goal or (self.reach and state[-1] == 1):
            return [([paid or int(own >= self.goal), *[0] * (n - 1)], None, 0)]
        more = (state[-1] - 1,) if self.reach else ()
        if self.takes:
            may = self.m["takes"] == "free" or state[1] > 0
            may &= self.m["finish"] != "exact" or state[1] + points <= self.goal
            more = (points, *left) if word == "bank" and points and may and left else (0,) * (1 + len(self.r["dice"]))
        return [([paid] * n, (*state[1:n], own, *rows, *more), 1 % n)]

    def ends_rounds(self, state, word, points):  # rounds of a turn each, then playoffs of those tied
        (number, mask, seat, *totals), target, n, margin = state, self.m["target"], self.n, self.objective == "margin"
        playing = [one for one in range(n) if not mask or mask >> one & 1]
        level = totals[seat]  # of a playoff, whose throws only say who has won
        totals[seat] += -points if self.r.get("lowest") else points
        if self.m["rounds"] == 1 and not target and not margin:  # how far somebody is behind does not matter
            least = max(totals[one] for one in playing if one <= seat) - 1
            totals = [max(one, least) if seat >= at in playing else one for at, one in enumerate(totals)]
        top, after = max(totals[one] for one in playing), [one for one in playing if one > seat]
        tied = [seat] if word == "win" else [one for one in playing if totals[one] == top]
        if not after and not mask and (number < self.m["rounds"] or top < target):
            number, after = number + (not target), [0]
        best = level if mask else top
        behind = [margin * (0 if mask and one in playing else total - best) for one, total in enumerate(totals)]
        if word == "win" or (not after and (len(tied) == 1 or self.m["share"] or (margin and not any(behind)))):
            pays = [-sum(behind) if one in tied else less for one, less in enumerate(behind)]
            pays = pays if margin else [Fraction(int(one in tied), len(tied)) for one in range(n)]
            return [(pays[seat:] + pays[:seat], None, 0)]
        if not after:
            mask, after, totals = sum(1 << one for one in tied) if target or len(tied) < n else 0, tied, behind
        totals = totals if target else [total - min(totals) for total in totals]
        return [([0] * n, (number, mask, after[0], *totals), (after[0] - seat) % n)]

    def ends_frames(self, state, word, points):  # frames of a turn each, of two; level after the last it is shot again
        (number, seat, lead), last = state, state[1] and state[0] == self.m["frames"]
        lead += points if word == "bank" else 0
        if word == "win" or (last and lead):
            return [([int(word == "win" or lead > 0), int(word != "win" and lead < 0)], None, 0)]
        return [([0, 0], (number + (seat and not last), 1 - seat, -lead), 1)]

    def ends_card(self, state, word, thrown):  # who leads by more than the other can still score has won (T1, T2)
        r, (counts, saved), used, leaves, boxes = self.r, thrown, state[0], [], range(len(self.r["scores"]))
        free = [box for box in boxes if not used >> box & 1]
        free = [box for box in free if not r["before"] or r["before"][box] < 0 or used >> r["before"][box] & 1]
        found = [(filled, self.entered(used, counts, filled, word)) for filled in combinations(free, r["boxes"])]
        zeros = r["zeros"] or not any(held for _, held in found)
        for filled, held in found:
            now, over = used | sum(1 << box for box in filled), used.bit_count() + r["boxes"] == len(boxes)
            if held is None or not (held or zeros):
                continue
            if self.n == 2:
                left = [[box for box in boxes if not of >> box & 1] for of in (now, state[1])]
                most, wins = [sum(self.tops[box] for box in of) for of in left], [{*of} & {*r["wins"]} for of in left]
                lead, at_once = state[2] + held, word == "first" and held > 0 and filled[0] in r["wins"]
                over = at_once or not any(left) or (lead > most[1] and not wins[1]) or (lead < -most[0] and not wins[0])
                won = 1 if at_once else Fraction((lead > 0) - (lead < 0) + 1, 2)
                leaves.append(([won, 1 - won], None, 0) if over else ([0, 0], (state[1], now, -lead), 1))
                continue
            columns, (flag, *more) = list(zip(state[1:], self.columns)), state[1 + len(self.columns) :]
            after = [min(up + held, max(steps)[0]) if filled[0] in of else up for up, (of, steps) in columns]
            extra = sum(self.reached(steps, up) for up, (_, steps) in zip(after, self.columns)) * over
            paid = held + r["bonus"] * flag * (max(counts) == r["dice"])
            total = [more[0] + paid] if self.ranges else []
            paid = self.reached(self.ranges, total[0] + extra) * over if total else paid + extra
            flag = int(held > 0 < r["bonus"]) if filled[0] == r["again"] else flag
            now = now, *after, flag, *total, *([saved] if r["saved"] else [])
            leaves.append(([paid], None if over else now, 0))
        return leaves

    def entered(self, used, counts, filled, table):  # what boxes hold of a throw, split between them; None: not allowed
        r, half, box, face = self.r, self.r["dice"] // self.r["boxes"], filled[0], counts.index(max(counts))
        if (counts, filled, table) not in self.worths:
            place = {one: number for number, (_, one) in enumerate(rolls(half, (1,) * len(counts)))}
            parts = [(one, tuple(map(sub, counts, one))) for one in self.subsets(counts) if sum(one) == half]
            sums = (sum(r[table][box][place[one]] for box, one in zip(filled, part)) for part in parts)
            self.worths[counts, filled, table] = max(sums)
        held, own, free = self.worths[counts, filled, table], r["own"][face], r["joker"] == "free"
        plain = r["again"] < 0 or not used >> r["again"] & 1 or max(counts) < half or box == own or r["joker"] == "none"
        if plain or (own >= 0 and not used >> own & 1):
            return held if plain or free else None
        others = any(not used >> one & 1 for one in range(len(r["scores"])) if one not in r["own"])
        return r["full"][box][face] if free or box not in r["own"] else None if others else held

    def ends_box(self, state, word, points):  # a box for each, one after the other: who is left with least has won
        seat, n = state[0], self.n
        if n == 1:
            return [([int(points <= self.m["goal"]) if self.reach else -points], None, 0)]
        left = *state[1 : seat + 1], points
        if len(left) < n:
            return [([0] * n, (seat + 1, *left, *[0] * (n - 1 - len(left))), 1)]
        best = self.shared([-one for one in left])
        return [(best[seat:] + best[:seat], None, 0)]

    def ends_board(self, state, word, size):  # pieces that are taken in turn
        m, n, left, passes = self.m, self.n, [*state[:3]], state[-1] + 1
        if word != "pass":
            left[size], passes = left[size] - 1, 0
        if n == 1:
            trips = state[3] + (word == "trip")
            over = trips > m["allowed"] or sum(left) <= m["last"]
            return [([int(trips <= m["allowed"] and over)], None if over else (*left, trips, passes), 0)]
        gain = {"pass": 0, "trip": -m["penalty"], "won": m["points"][size]}[word]
        scores = [0, *(-lead - gain for lead in state[3:-1])]  # the others', against the mover's
        if sum(left) > m["last"]:
            return [([0] * n, (*left, *(scores[1] - one for one in (*scores[2:], 0)), passes), 1)]
        shares, pot = self.shared(scores), sum(max(scores) - one for one in scores)
        paid = [pot * share - max(scores) + one for share, one in zip(shares, scores)]
        return [(paid if self.objective == "margin" else shares, None, 0)]


class Checker:
    """A certificate. A line: block and rank, a row, what else is told. A row: lower and minus upper number, rounded
    downward both (H8), of one player or the mover of two; of more what the mover decides by, then those of all seats.
    """

    def __init__(self, head, lines):
        self.game, self.cut, self.lines, self.n, self.known = Game(head), head["cut"], lines, head["players"], {}
        self.unit, self.tie, self.rank = 1 << head["bits"] + GUARD, int(head["tie"], 16) << GUARD, (0, 0)
        self.rate = [int(number, 16) << GUARD for number in head["rate"]]
        demand(len(self.rate) == 2 * (head["objective"] == "rate") and self.tie >= 0, "no such rate, or tie")
        todo, down = [*self.game.first] * (head["turn"]["kind"] == "sets"), {"bank", "bust", "win", "wipe"}
        while todo:
            leads = {one[0] for classes in self.opened(todo.pop())[1] for offers in classes for one in offers}
            todo += leads - down - self.known.keys() - {*todo}
        self.going = {one for _, of in self.known.values() for falls in of for some in falls for one in some if one[2:]}
        above = head["turn"].get("above") and all(more >= 0 < times for _, more, times in self.going)
        leads = {mode: throws for mode, (_, throws) in self.known.items()}  # H9: some fall leads down, or adds points
        falls = lambda some: all(one[0] in down or (above and one[1]) for one in some)  # noqa: E731
        while ends := {mode for mode in leads if all(any(map(falls, throws)) for throws in leads[mode])}:
            leads, down = {mode: leads[mode] for mode in leads if mode not in ends}, down | ends
        demand(not leads, "H9 fails: a turn may go on for ever", 1)
        told = [self.cut.get(key, {}) for key in ("gamma", "worth")]
        self.gamma, self.worth = ({one: Fraction(*of.get(json.dumps(one), [0])) for one in self.known} for of in told)
        demand(min([0, *self.gamma.values(), *self.worth.values()]) == 0, "gamma and worth must not be below 0")

    def opened(self, mode):  # ways in which dice fall that offer the same count together
        if mode not in self.known:
            stop, throws = self.game.open(mode)
            self.known[mode] = stop, [Counter() for _ in throws]
            for falls, classes in zip(throws, self.known[mode][1], strict=True):
                for ways, offers in falls:
                    demand(ways >= 0, "H2 fails: nothing falls in fewer than no ways", 1)
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
            demand(state in self.lines or type(self.lines) is defaultdict, f"H1 fails: {state} is not there", 1)
            rank, worth, more = self.lines[state]
            row, self.down = list(map(add, row, (worth * 2)[2 * (n - shift) :])), self.down and rank < self.rank
            by += self.told.get(state, more[-shift % n]) if n > 2 else 0
        return tuple(row[:2] if n < 3 else [by, -by, *row])

    def best(self, rows):  # the best choice for the mover; with three and more all that the play may choose (H10)
        top, best = max(row[0] for row in rows), min(row[1] for row in rows)
        if self.n < 3:
            return top, best
        made = [row for row in rows if self.tie - row[1] >= top]
        if self.game.listed and {(*row[:2], row[3]) for row in rows} == {(0, 0, 0)}:  # nothing can be had, exactly
            made = made[:1]
        worst = [min(column) for column in zip(*made)]
        return top, best, worst[2], min(row[3] for row in rows), *worst[4:]

    def paid(self, word, points, mode=(), sure=True):  # what an ending is worth; of a cut (T1, T2, T4) least and most
        ends = [("bank" if word == "cut" else word, points)] if sure else [(one, 0) for one in LOST]
        left = mode[:1] if self.game.takes else ()
        rows = [self.row(leaf) for end in ends for leaf in self.game.ends(self.state, *end, *left)]
        if word != "cut" or (sure and self.game.m["kind"] == "race" and self.game.won):
            return self.best(rows)
        most = max(points, self.cut["level"]) + self.gamma[mode] if self.game.counted else 1
        most = floor(self.unit * (1 if self.game.objective == "turns" else -most))
        sure = sure or self.game.objective not in ("win", "reach")  # of chances the least is none
        return tuple(most if place % 2 else min(column) * sure for place, column in enumerate(zip(*rows)))

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

    def turn(self, state):  # what the turn from a state is worth; of two that are mixed each is decided as it is told
        self.state, self.limits, self.down, rows, n = state, self.game.limits(state), True, [], self.n
        begins, (share, *mixed) = self.game.begins(state), self.lines[state][2][n:] or (0, 0)
        demand(0 <= share <= self.unit and (len(mixed) == 1 or len(begins) == 1), f"{state}: no turns can be mixed so")
        zero = tuple(one for at in range(0, len(state), n) for one in (*state[at + 1 : at + n], state[at]))
        for told in mixed:
            self.told, self.memo = {zero: told} if len(mixed) > 1 else {}, {}
            rows.append(self.best(list(map(self.value, begins)))[2 * (n > 2) :])
        return tuple(low + (high - low) * share // self.unit for low, high in zip(rows[0], rows[-1]))  # H8, H10

    def judge(self, state):  # H5, H6: the lines hold; H7: strictly, or all that the state leads to is of lower rank
        self.rank, told, _ = self.lines[state]
        row = self.turn(state)
        if "level" in self.cut and self.game.counted:
            lost = max(Fraction(-self.paid(word, 0)[1], self.unit) for word in LOST)
            if lose := [lost + max(0, more) + self.worth[mode] for mode, more, times in self.going if not times]:
                self.bounds(self.worth, None, 0)
                lost = max(lost, *lose)
            demand(lost <= self.cut["level"], f"T4 fails at {state}: losing the points is worth more than the level", 1)
            self.bounds(self.gamma, lost, self.cut["level"])
        if self.rate:
            lines, self.memo, middle = self.lines, {}, lambda low, high: [(low - high) // 2, -((low - high) // 2)]
            self.lines = {one: (rank, middle(*row), more) for one, (rank, row, more) in lines.items()}
            gains, self.lines = list(map(sub, self.value((None, 0)), self.lines[state][1])), lines
            demand(gains[0] >= self.rate[0] and gains[1] >= -self.rate[1], f"Theorem 6 fails at {state}: no average", 1)
            demand(state[1] or not any(told), f"H3 fails at {state}: it is worth 0, what follows is told against it", 1)
            row = (row[0] - self.rate[1], row[1] + self.rate[0]) if state[1] else (1, 1)
        for place, (have, say) in enumerate(zip(row, told)):
            demand(have >= say, f"{('H6', 'H5')[place % 2]} fails at {state}", 1)
            demand(have > say or self.down, f"H7 fails at {state}", 1)


def load(path, digest, keep):  # the header, the lines to be kept, by state and block, and how many there are
    lines, found, block, room = {}, 0, 0, KEPT
    whole, number = r"(?:0|-?[1-9]\d{0,18})", r"(?:0|-?[1-9a-f][0-9a-f]{0,79})"
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
            if len(numbers) not in ((3 * n, 3 * n + 3) if n > 2 else (2,)) or room <= 0:
                break
            found += 1
            if not keep(state, block, found + block + 2):
                continue
            room -= len(line) + 100
            demand(state not in lines, f"H1 fails at {told[1]}: it is there twice", 1)
            row = [one * sign for one, sign in zip(numbers, (1, -1) * (1 if n < 3 else n))]
            row += [row[1] + stake, row[0] - stake] if n == 2 else []  # what the other gets: the rest of 1, or of 0
            lines[state] = (block, int(told[3] or 0)), row, numbers[2 * n :] if n > 2 else ()
        digest.update(line.encode())
        wrong = f"{path}, line {found + block + 3}: {line[:80]!a} is no line, or one too many, and not the end"
        demand(line == f"end {found}\n" and not file.read(1), wrong)
    return head, lines, found


def main(arguments=None):  # check what is asked for, and say what was found
    parser = argparse.ArgumentParser(prog="keepwise-check", description="Check a certificate: that its numbers hold.")
    parser.add_argument("file", help="the certificate, packed by gzip or not")
    parser.add_argument("--sample", type=int, metavar="N", help="look at so many states only")
    parser.add_argument("--seed", type=int, default=1, help="what the sample is drawn by")
    parser.add_argument("--blocks", metavar="A-B", help="look at the states of these blocks only, counted from 1")
    parser.add_argument("--progress", action="store_true", help="say on stderr what share of them has been looked at")
    told, digest, at = parser.parse_args(arguments), hashlib.sha256(), [0]
    try:
        sys.setrecursionlimit(10_000)
        demand(span := re.fullmatch(r"(\d{1,9})-(\d{1,9})", told.blocks or "0-999999999"), "--blocks tells A-B, as 3-7")
        asked, met, rng = [], count(), random.Random(told.seed)

        def draw(state, block, line):  # draw some, with the same chance each; of a sample the first lines are kept
            at[0] = line
            if int(span[1]) <= block <= int(span[2]):
                number, many = next(met), told.sample or inf
                place = number if number < many else rng.randrange(number + 1)
                asked[place : place + 1] = [state] if place < many else []
            return not told.sample or line < SAMPLED

        head, lines, states = load(told.file, digest, draw)
        if states > len(lines):  # too many to be kept: those that are drawn, and that they lead to
            none = (0, 0), [0] * 2 * head["players"], [0] * head["players"]
            checker = Checker(head, lines := defaultdict(lambda: none))
            for state in asked:
                checker.turn(state)
            wanted, digest = {*lines, *asked, tuple(head["begins"])}, hashlib.sha256()
            head, lines, states = load(told.file, digest, lambda state, *_: state in wanted)
        checker, start = Checker(head, lines), tuple(head["begins"])
        demand(start in lines, f"H1 fails: {start}, where it begins, is not there", 1)
        demand(asked, "there is no such state")
        for number, state in enumerate(asked):
            if told.progress and number % 64 == 0:
                print(number / len(asked), file=sys.stderr)
            checker.judge(state)
        low, high = checker.rate or (lines[start][1][0], -lines[start][1][1])
        wide = max(high - low, *(-sum(ends) for state in asked for ends in zip(*[iter(lines[state][1])] * 2)))
        down, up, out = (Context(*how).divide for how in ((17, "ROUND_FLOOR"), (17, "ROUND_CEILING"), (3, "ROUND_UP")))
    except Exception as error:
        why = getattr(error, "strerror", None) or (isinstance(error, json.JSONDecodeError) and "its header is no JSON")
        demand(False, f"{told.file} cannot be judged, read up to line {at[0]}: {why or ascii(error)}"[:300])
    print(f"{head['game']!a:.80}, {head['objective']}, players: {head['players']}, rules: {head['fingerprint']!a:.80}")
    print(f"{len(asked):,} of {states:,} states hold, all numbers of them within {out(wide, checker.unit):g}")
    if len(asked) < states:
        missed = "" if told.blocks else f": a wrong line is missed with chance {1 - len(asked) / states:.3g}"
        print(f"nothing is proved of the others{missed}")
    print(f"at the beginning, {start}: from {down(low, checker.unit):g} to {up(high, checker.unit):g}")
    print(f"sha256 {digest.hexdigest()}")


if __name__ == "__main__":
    main()
