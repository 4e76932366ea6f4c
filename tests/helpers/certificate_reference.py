"""Values of the games that headers of certificates describe, by value iteration in floating point.

Written from docs/certificate-format.md alone, and nothing is shared with the checker. A turn is a game tree: dice are
rolled one by one, in order, and a node is an ending, a choice or a chance. A match keeps its seats where they are: a
state names its mover, and values are listed by seat, not from the mover on.

To read it, begin with ``values``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import inf, prod
from typing import Any, NamedTuple

Header = dict[str, Any]
Counts = tuple[int, ...]
Name = Counts | None  # of a state in a certificate; None for states that are not compared

TOLERANCE, ROUGH_TOLERANCE = 1e-12, 1e-9  # of a sweep of value iteration; the rough one if turns are broken off
MAX_SWEEPS = 3000
MAX_NODES = 50_000  # of one turn


class EndlessError(Exception):
    """Value iteration does not converge, or a turn is too long."""


def values(header: Header, max_rolls: int | None = None) -> dict[Name, list[float]]:
    """Return the values of all seats, from the mover on, by the name that a state has in a certificate.

    Args:
        header: of a certificate.
        max_rolls: a turn is broken off after so many rolls, as if it was bust; None for turns that have an end.
    """
    match = MATCHES[header["match"]["kind"]](header)
    turn = TURNS[header["turn"]["kind"]](header["turn"])
    trees = {}
    waiting = [match.start()]
    while waiting:
        state = waiting.pop()
        if state not in trees:
            trees[state] = tree = Tree(match, turn, state, max_rolls)
            waiting += tree.successors
    payoffs = {state: [0.0] * header["players"] for state in trees}
    for _ in range(MAX_SWEEPS):
        change = 0.0
        for state in reversed(trees):
            updated = trees[state].evaluate(payoffs)
            change = max(change, *(abs(new - old) for new, old in zip(updated, payoffs[state], strict=True)))
            payoffs[state] = updated
        if change <= (TOLERANCE if max_rolls is None else ROUGH_TOLERANCE):
            return {match.name(state): rotated(numbers, match.mover(state)) for state, numbers in payoffs.items()}
    raise EndlessError


def rotated(by_seat: Any, mover: int) -> list[Any]:
    """Return what is listed by seat from the mover on."""
    return [*by_seat[mover:], *by_seat[:mover]]


# --- game trees


@dataclass(frozen=True)
class End:
    """The end of a turn: a word such as "bank" or "bust", its points, and the dice that are left over."""

    word: str
    detail: Any = 0
    hand: Counts = ()


@dataclass(frozen=True)
class Limits:
    """What the state of a match imposes on the points of a turn.

    counting: a bank counts from so many points on.
    enough: a bank wins from so many points on, so nobody looks further.
    room: no choice may lead to more points.
    """

    counting: int = 0
    enough: float = inf
    room: float = inf


class Tree:
    """The tree of one turn, as a list of nodes in which children come first.

    A node is (kind, content): "end" with payments by seat and the next state, "choose" with indices of nodes, or
    "chance" with pairs of probability and index.
    """

    def __init__(self, match: Any, turn: Any, state: Any, max_rolls: int | None) -> None:
        self.mover = match.mover(state)
        self.match, self.state = match, state
        self.turn = turn[self.mover] if isinstance(turn, list) else turn  # each seat may have a turn
        self.limits = match.limits(state)
        self.nodes: list[tuple[str, Any]] = []
        self.indices: dict[Any, int] = {}
        starts = [self.index(node, max_rolls) for node in match.turn_starts(state, self.turn)]
        self.add("choose", starts)
        self.successors = [content[1] for kind, content in self.nodes if kind == "end" and content[1] is not None]

    def add(self, kind: str, content: Any) -> int:
        """Append a node; return its index."""
        if len(self.nodes) >= MAX_NODES:
            raise EndlessError
        self.nodes.append((kind, content))
        return len(self.nodes) - 1

    def index(self, node: Any, rolls_left: int | None) -> int:
        """Return the index of a node of the turn, and add it with all that follows."""
        key = node, rolls_left
        if key not in self.indices:
            self.indices[key] = self.expand(node, rolls_left)
        return self.indices[key]

    def expand(self, node: Any, rolls_left: int | None) -> int:
        """Add a node with all that follows; return its index."""
        if isinstance(node, End):
            leaves = [self.add("end", leaf) for leaf in self.match.follow(self.state, node)]
            return leaves[0] if len(leaves) == 1 else self.add("choose", leaves)
        kind, children = self.turn.children(node, self.limits)
        if kind == "choose":
            return self.add(kind, [self.index(child, rolls_left) for child in children])
        if rolls_left == 0:
            return self.index(End("bust"), None)
        later_rolls = None if rolls_left is None else rolls_left - 1
        total = sum(weight for weight, _ in children)
        return self.add(
            kind, [(weight / total, self.index(child, later_rolls)) for weight, child in children if weight]
        )

    def evaluate(self, values: dict[Any, list[float]]) -> list[float]:
        """Return what the turn is worth to every seat; of equal choices the first is made."""
        worth: list[list[float]] = []
        for kind, content in self.nodes:
            if kind == "end":
                payments, state = content
                later = values[state] if state is not None else [0.0] * len(payments)
                worth.append([now + then for now, then in zip(payments, later, strict=True)])
            elif kind == "choose":
                worth.append(max((worth[index] for index in content), key=lambda payoffs: payoffs[self.mover]))
            else:
                columns = zip(*([chance * payoff for payoff in worth[index]] for chance, index in content), strict=True)
                worth.append([sum(column) for column in columns])
        return worth[-1]


# --- turns


class Hand(NamedTuple):
    """A decision before a roll of a turn of sets.

    dice: to be rolled, by kind.
    must: whether they must be rolled.
    points: in hand.
    confirming: faces on which the roll is made again.
    """

    dice: Counts
    must: bool
    points: int
    confirming: Counts = ()


class Roll(NamedTuple):
    """The decision to roll a hand, with the usual special rolls or with the doubled ones."""

    hand: Hand
    doubled: bool


class Pick(NamedTuple):
    """What a roll offers."""

    offers: tuple[Any, ...]


class Go(NamedTuple):
    """An offer that goes on: points in hand times a number and plus a number, then a hand; no dice: only a stop."""

    dice: Counts
    must: bool
    gain: int
    times: int = 1
    confirming: Counts = ()


class Sets:
    """A turn of sets."""

    def __init__(self, rules: Header) -> None:
        self.rules = rules
        self.all_dice = tuple(count for count, _ in rules["dice"])
        self.weights = [weights for _, weights in rules["dice"]]
        self.faces = range(len(self.weights[0]))
        self.groups = [(tuple(counts), points) for counts, points, *_ in rules["groups"]]
        self.confirmations = {tuple(counts): tuple(faces[0]) for counts, _, *faces in rules["groups"] if faces}
        self.worth, self.outcomes = cache(self.worth), cache(self.outcomes)  # type: ignore[method-assign]

    def starts(self) -> list[Any]:
        """Return the hands with which a turn begins."""
        first, *other_counts = self.all_dice
        sizes = range(1, first + 1) if self.rules["choose"] else [first]
        return [Hand((size, *other_counts), True, 0) for size in sizes]

    def children(self, node: Any, limits: Limits) -> tuple[str, list[Any]]:
        """Return the kind of a node and what follows it."""
        if isinstance(node, Hand):
            return "choose", self.decisions(node, limits)
        if isinstance(node, Pick):
            return "choose", [*node.offers]
        hand = node.hand
        weights: Counter[Any] = Counter()
        for offers, weight in self.outcomes(hand.dice, node.doubled, hand.confirming).items():
            weights[Pick(self.nodes_after(offers, hand.points, limits))] += weight
        return "chance", [(weight, pick) for pick, weight in weights.items()]

    def decisions(self, hand: Hand, limits: Limits) -> list[Any]:
        """Return what may be done before a roll: to stop, or to roll."""
        rules, counts = self.rules, hand.points >= limits.counting
        may_stop = not hand.must and rules["stop"] == "free" and (counts or rules["below"] == "nothing")
        if not any(hand.dice):
            may_stop = True
        stop = End("bank", hand.points if counts else 0, hand.dice if any(hand.dice) else ())
        if may_stop and counts and hand.points >= limits.enough:
            return [stop]
        rolls = [Roll(hand, False)] * any(hand.dice)
        rolls += [Roll(hand, True)] * (hand.must and bool(rules["doubled"]))
        return [stop] * may_stop + rolls

    def nodes_after(self, offers: tuple[Any, ...], points: int, limits: Limits) -> tuple[Any, ...]:
        """Return the nodes that a roll leads to with these points in hand."""
        nodes: list[Any] = []
        for offer in offers:
            if isinstance(offer, End):
                nodes.append(offer)
                continue
            total = max(0, points * offer.times + offer.gain)
            if total <= limits.room:
                nodes.append(Hand(offer.dice, offer.must, total, offer.confirming))
        return tuple(nodes) or (End("bust"),)

    def outcomes(self, hand: Counts, doubled: bool, confirming: Counts) -> Counter[tuple[Any, ...]]:
        """Return what the rolls of a hand offer, each with its weight; rolls that are made again are left out."""
        kinds = [kind for kind, count in enumerate(hand) for _ in range(count)]
        weights: Counter[tuple[Any, ...]] = Counter()
        for roll in product(self.faces, repeat=len(kinds)):
            weight = prod(self.weights[kind][face] for kind, face in zip(kinds, roll, strict=True))
            if weight and not {*roll} & {*confirming}:
                offers = self.offers(hand, kinds, roll, self.rules["doubled" if doubled else "specials"])
                if offers != (End("void"),):
                    weights[offers] += weight
        return weights

    def offers(self, hand: Counts, kinds: list[int], roll: Counts, specials: list[Any]) -> tuple[Any, ...]:
        """Return what a roll offers."""
        counts = self.counted(roll)
        for minimum, maximum, effect, points, times in specials:
            if all(low <= count <= high for low, count, high in zip(minimum, counts, maximum, strict=True)):
                return (self.special(hand, kinds, roll, effect, points, int(times)),)
        dice = list(zip(kinds, roll, strict=True))
        choices = [tuple(sorted(part)) for size in range(1, len(dice) + 1) for part in combinations(dice, size)]
        if self.rules["take"] == "all-or-none":
            choices = [tuple(sorted(dice))]
        scoring = [part for part in dict.fromkeys(choices) if len(part) <= self.rules["most"] and self.scores(part)]
        if self.rules["take"] == "all" and scoring:
            scoring = self.best_sets(scoring)
        return tuple(dict.fromkeys(self.set_aside(hand, part) for part in scoring)) or (End("bust"),)

    def counted(self, roll: Any) -> Counts:
        """Return how many dice show each face."""
        counts = Counter(roll)
        return tuple(counts[face] for face in self.faces)

    def points_of(self, part: Any) -> float:
        """Return the points of dice that are set aside, each with its kind; minus infinity if they do not score."""
        return self.worth(self.counted(face for _, face in part))

    def scores(self, part: Any) -> bool:
        """Return whether dice may be set aside."""
        return self.points_of(part) > -inf

    def worth(self, counts: Counts) -> float:
        """Return the most points of dice that are split into groups."""
        if not any(counts):
            return 0
        best = -inf
        for group, points in self.groups:
            remainder = tuple(have - need for have, need in zip(counts, group, strict=True))
            if min(remainder) >= 0 and not (self.rules["whole"] and any(remainder)):
                best = max(best, points + self.worth(remainder))
        return best

    def best_sets(self, scoring: list[Any]) -> list[Any]:
        """Return the sets that must be taken: the best one, of any kinds of dice, or without dice that may be left."""

        def rank(part: Any) -> Any:
            by_kind = tuple(part.count((kind, face)) for kind in range(len(self.all_dice)) for face in self.faces)
            return self.points_of(part), len(part), by_kind

        best_faces = self.counted(face for _, face in max(scoring, key=rank))
        best = [part for part in scoring if self.counted(face for _, face in part) == best_faces]
        return [part for part in scoring if any(self.leaves(top, part) for top in best)]

    def leaves(self, best: Any, part: Any) -> bool:
        """Return whether a set is the best one without dice that may be left in the hand."""
        difference = Counter(best)
        difference.subtract(part)
        if min(difference.values()) < 0:
            return False
        faces = [face for _, face in difference.elements()]
        singles = [self.worth(self.counted([face])) for face in faces]
        lost = sum(points for points in singles if points > -inf)
        return {*faces} <= {*self.rules["leave"]} and self.points_of(part) + lost == self.points_of(best)

    def set_aside(self, hand: Counts, part: Any) -> Go:
        """Return the offer to set dice aside."""
        remaining = tuple(count - sum(kind == own_kind for own_kind, _ in part) for kind, count in enumerate(hand))
        gain, counts = int(self.points_of(part)), self.counted(face for _, face in part)
        if self.rules["once"]:
            return Go((), False, gain)
        if counts in self.confirmations:
            return Go(remaining if any(remaining) else self.all_dice, True, gain, 1, self.confirmations[counts])
        if any(remaining):
            return Go(remaining, False, gain)
        return self.hot()._replace(gain=gain)

    def hot(self) -> Go:
        """Return the offer after all dice are set aside."""
        if self.rules["once"] or self.rules["hot"] == "none":
            return Go((), False, 0)
        return Go(self.all_dice, self.rules["hot"] == "must", 0)

    def special(self, hand: Counts, kinds: list[int], roll: Counts, effect: str, points: int, times: int) -> End | Go:
        """Return the only offer of a special roll."""
        if effect in ("bust", "win", "wipe", "void"):
            return End(effect)
        if effect == "score":
            return self.hot()._replace(gain=points, times=times)
        if effect == "drop":
            out = Counter(kind for kind, face in zip(kinds, roll, strict=True) if face == self.faces[-1])
            remaining = tuple(count - out[kind] for kind, count in enumerate(hand))
            return Go(remaining, not points and not times, points, times)
        dice = {"again": self.all_dice, "roll": self.all_dice, "same": hand, "end": ()}[effect]
        return Go(dice, effect == "again", points, times)


class Crew:
    """A turn of Battleship. A node is ("cast", casts left, faces set aside, face of a kept die), or a pick."""

    def __init__(self, rules: Header) -> None:
        self.rules = rules

    def starts(self) -> list[Any]:
        """Return the first cast."""
        return [("cast", self.rules["casts"], 0, 0)]

    def children(self, node: Any, limits: Limits) -> tuple[str, list[Any]]:
        """Return the kind of a node and what follows it."""
        if isinstance(node, Pick):
            return "choose", [*node.offers]
        _, casts, place, kept_face = node
        dice = len(self.rules["order"]) + 2 - place - (kept_face > 0)
        rolls = product(range(1, self.rules["faces"] + 1), repeat=dice)
        return "chance", [(1, Pick(self.picks(casts, place, kept_face, list(roll)))) for roll in rolls]

    def picks(self, casts: int, first_place: int, kept_face: int, roll: list[int]) -> tuple[Any, ...]:
        """Return what may be done after a cast: to end the turn, or to cast again."""
        order = self.rules["order"]
        place = first_place
        while place < len(order) and order[place] in roll:
            roll.remove(order[place])
            place += 1
        cargo = roll + [kept_face] * (kept_face > 0)
        complete = place == len(order)
        if casts == 1:
            return (End("bank", sum(cargo) if complete else 0),)
        choices: list[Any] = [("cast", casts - 1, place, 0)]
        if complete:
            choices.append(End("bank", sum(cargo)))
            if self.rules["alone"][first_place == len(order)]:
                choices += [("cast", casts - 1, place, die) for die in cargo]
        return tuple(choices)


class Card:
    """A turn of a scorecard. A node is ("roll", dice that are kept, rolls left, whether it is the first), or a pick."""

    def __init__(self, rules: Header) -> None:
        self.rules = rules

    def children(self, node: Any, limits: Limits) -> tuple[str, list[Any]]:
        """Return the kind of a node and what follows it."""
        if isinstance(node, Pick):
            return "choose", [*node.offers]
        _, kept_dice, rolls_left, is_first = node
        weights = self.rules["weights"]
        weights_by_pick: Counter[Any] = Counter()
        for roll in product(range(len(weights)), repeat=self.rules["dice"] - len(kept_dice)):
            dice = tuple(sorted(kept_dice + roll))
            offers = [End("first" if is_first else "scores", (dice, rolls_left))]
            if rolls_left:
                parts = {part for size in range(len(dice)) for part in combinations(dice, size)}
                offers += [("roll", part, rolls_left - 1, False) for part in sorted(parts)]
            weights_by_pick[Pick(tuple(offers))] += prod(weights[face] for face in roll)
        return "chance", [(weight, pick) for pick, weight in weights_by_pick.items()]


class Tiles:
    """A turn of Shut the Box. A node is (tiles that stand), ("dice", tiles, number of dice), or a pick."""

    def __init__(self, rules: Header) -> None:
        self.rules = rules

    def starts(self) -> list[Any]:
        """Return all tiles."""
        return [tuple(range(1, self.rules["tiles"] + 1))]

    def children(self, node: Any, limits: Limits) -> tuple[str, list[Any]]:
        """Return the kind of a node and what follows it."""
        if isinstance(node, Pick):
            return "choose", [*node.offers]
        if node and node[0] == "dice":
            _, tiles, dice = node
            rolls = product(range(1, 7), repeat=dice)
            return "chance", [(1, Pick(self.shut(tiles, sum(roll)))) for roll in rolls]
        measure = sum(node) if self.rules.get("by_sum") else max(node)
        sizes = (1, 2) if self.rules["one"] and measure <= 6 else (2,)
        return "choose", [("dice", node, size) for size in sizes]

    def shut(self, tiles: Counts, total: int) -> tuple[Any, ...]:
        """Return what may be done with a total of the dice."""
        parts = [part for size in range(1, len(tiles) + 1) for part in combinations(tiles, size) if sum(part) == total]
        if most := self.rules.get("most"):
            parts = [part for part in parts if len(part) <= most]
        remaining = [tuple(tile for tile in tiles if tile not in part) for part in parts]
        points = int("".join(map(str, tiles))) if self.rules.get("digits") else sum(tiles)
        return tuple(up or End("bank", 0) for up in remaining) or (End("bank", points),)


class Touch:
    """A turn of Booby Trap. A node is ("touch", size, may pass), ("take", size, feel), or a pick."""

    def __init__(self, rules: Header) -> None:
        self.rules = rules

    def children(self, node: Any, limits: Limits) -> tuple[str, list[Any]]:
        """Return the kind of a node and what follows it."""
        if isinstance(node, Pick):
            return "choose", [*node.offers]
        word, size, detail = node
        if word == "take":
            trips = Fraction(*self.rules["trips"][size][detail])
            return "chance", [(float(trips), End("trip", size)), (float(1 - trips), End("won", size))]
        passes = (End("pass", size),) * detail
        chances = self.rules["chances"][size]
        return "chance", [
            (float(Fraction(*chance)), Pick((*passes, ("take", size, feel)))) for feel, chance in enumerate(chances)
        ]


# --- matches


Leaf = tuple[list[float], Any]  # payments by seat, and the state that follows or None


class Match:
    """What matches have in common: a state is a tuple whose first item is the mover's seat."""

    def __init__(self, header: Header) -> None:
        self.header, self.rules, self.turn_rules = header, header["match"], header["turn"]
        self.seats, self.objective = header["players"], header["objective"]

    def mover(self, state: Any) -> int:
        """Return the seat of the mover."""
        return state[0]

    def turn_starts(self, state: Any, turn: Any) -> list[Any]:
        """Return the nodes with which a turn begins."""
        return turn.starts()

    def limits(self, state: Any) -> Limits:
        """Return the limits on the points of a turn."""
        if self.turn_rules["kind"] != "sets":
            return Limits()
        return Limits(self.counting(0), inf, self.turn_rules["above"] or inf)

    def counting(self, score: int) -> int:
        """Return from how many points on a bank counts."""
        rules = self.turn_rules
        return max(0 if rules["lowest"] else 1, rules["minimum"], rules["opening"] if score <= 0 else 0)

    def win_of(self, seats: list[int]) -> list[float]:
        """Return the payments of a win that these seats share."""
        return [(seat in seats) / len(seats) for seat in range(self.seats)]

    def best_of(self, scores: Any) -> list[int]:
        """Return the seats with the highest score."""
        return [seat for seat, score in enumerate(scores) if score == max(scores)]


class OneTurn(Match):
    """A turn alone, for points. State: 0, and whether a bank has counted."""

    def start(self) -> Any:
        """Return the first state."""
        return 0, self.header["begins"][0]

    def name(self, state: Any) -> Name:
        """Return the name of a state."""
        return tuple(self.header["begins"])

    def limits(self, state: Any) -> Limits:
        """Return the limits on the points of the turn."""
        if self.turn_rules["kind"] != "sets":
            return Limits()
        return Limits(self.counting(state[1]), inf, self.turn_rules["above"] or inf)

    def follow(self, state: Any, end: End) -> list[Leaf]:
        """Return what the points are worth."""
        if end.word == "bust" and self.turn_rules.get("costs"):
            return [([-float(self.turn_rules["costs"][0])], None)]
        points = end.detail if end.word == "bank" else 0
        return [([float(-points if self.turn_rules.get("lowest") else points)], None)]


class RaceState(NamedTuple):
    """A state of a race.

    scores, rows: by seat; ``rows`` are busts in a row.
    turns: left, this one included, for ``reach``.
    offer: points and dice that may be taken over, or None.
    """

    mover: int
    scores: Counts
    rows: Counts
    turns: int = 0
    offer: tuple[int, Counts] | None = None


class Race(Match):
    """A race to a target."""

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        self.target = self.rules["target"]
        self.goal = header["parameters"].get("goal", self.target)
        self.costs = self.turn_rules.get("costs", [])

    def start(self) -> RaceState:
        """Return the first state."""
        zeros = (0,) * self.seats
        return RaceState(0, zeros, zeros, self.header["parameters"].get("turns", 0))

    def turn_starts(self, state: RaceState, turn: Any) -> list[Any]:
        """Return the nodes with which a turn begins: anew, or with what is offered."""
        offered = [Hand(state.offer[1], True, state.offer[0])] if state.offer else []
        return turn.starts() + offered

    def is_last_turn(self, state: RaceState) -> bool:
        """Return whether this is the last turn of a last round."""
        following = (state.mover + 1) % self.seats
        return self.rules["finish"] == "last_round" and state.scores[following] >= self.target

    def name(self, state: RaceState) -> Name:
        """Return the name of a state."""
        rows = rotated(state.rows, state.mover) if self.costs else []
        turns = [state.turns] if self.objective == "reach" else []
        offer: list[int] = []
        if self.rules["takes"] != "none":
            offer = [0] * (1 + len(self.turn_rules["dice"]))
        if state.offer:
            offer = [state.offer[0], *state.offer[1]]
        return tuple(rotated(state.scores, state.mover) + rows + turns + offer)

    def limits(self, state: RaceState) -> Limits:
        """Return the limits on the points of a turn."""
        if self.turn_rules["kind"] != "sets":
            return Limits()
        score = state.scores[state.mover]
        counting, missing = self.counting(score), self.target - score
        if self.turn_rules["waived"]:
            counting = min(counting, max(1, missing))
        enough: float = self.goal - score
        if self.rules["finish"] == "last_round":
            other_scores = [other_score for seat, other_score in enumerate(state.scores) if seat != state.mover]
            enough = max(other_scores) + 1 - score if self.is_last_turn(state) else inf
        room = missing if self.rules["finish"] == "exact" else self.turn_rules["above"] or inf
        return Limits(counting, enough, room)

    def follow(self, state: RaceState, end: End) -> list[Leaf]:
        """Return where the end of a turn leads."""
        mover = state.mover
        score, row = self.score_after(state, end)
        scores = (*state.scores[:mover], score, *state.scores[mover + 1 :])
        rows = (*state.rows[:mover], row, *state.rows[mover + 1 :])
        price = [-1.0 if self.objective == "turns" else 0.0] * self.seats
        has_won = end.word == "win" or (score >= self.goal and self.rules["finish"] != "last_round")
        if has_won:
            return [(price if self.objective == "turns" else self.win_of([mover]), None)]
        if self.is_last_turn(state):
            return [(self.win_of(self.best_of(scores)), None)]
        if self.objective == "reach" and state.turns == 1:
            return [([0.0], None)]
        following = RaceState((mover + 1) % self.seats, scores, rows, max(0, state.turns - 1))
        return [(price, following._replace(offer=self.offer(following, end)))]

    def score_after(self, state: RaceState, end: End) -> tuple[int, int]:
        """Return the mover's score and busts in a row after the end of a turn."""
        score, row = state.scores[state.mover], state.rows[state.mover]
        if end.word == "wipe":
            return 0, 0
        if end.word == "bank":
            return score + end.detail, 0
        if end.word == "win" or not self.costs:
            return score, 0
        new_score = score - self.costs[row]
        if new_score < self.turn_rules["floor"]:  # a score below the floor stays
            new_score = min(score, self.turn_rules["floor"])
        is_last = row == len(self.costs) - 1
        if is_last:
            return new_score, row if self.turn_rules["stays"] else 0
        return new_score, row + 1

    def offer(self, following: RaceState, end: End) -> tuple[int, Counts] | None:
        """Return what the next player may take over."""
        takes, score = self.rules["takes"], following.scores[following.mover]
        if takes == "none" or (takes == "opened" and score <= 0):
            return None
        if end.word != "bank" or not end.detail or not end.hand:
            return None
        if self.rules["finish"] == "exact" and end.detail > self.target - score:
            return None
        return end.detail, end.hand


class SeatsRace:
    """A race of players with rules of their own; each turn is that of a race with the rules of its mover."""

    def __init__(self, header: Header) -> None:
        match = header["match"]
        rules = zip(header["turn"]["seats"], match["targets"], strict=True)
        self.head_starts = tuple(match["head_starts"])
        self.races = [
            Race({**header, "turn": turn, "match": {"target": target, "finish": match["finish"], "takes": "none"}})
            for turn, target in rules
        ]

    def start(self) -> RaceState:
        """Return the first state."""
        return RaceState(0, self.head_starts, (0,) * len(self.head_starts))

    def mover(self, state: RaceState) -> int:
        """Return the seat to move."""
        return state.mover

    def name(self, state: RaceState) -> Name:
        """Return the name of a state."""
        return (*rotated(state.scores, state.mover), state.mover)

    def turn_starts(self, state: RaceState, turn: Any) -> list[Any]:
        """Return the nodes with which a turn begins."""
        return self.races[state.mover].turn_starts(state, turn)

    def limits(self, state: RaceState) -> Limits:
        """Return the limits on the points of a turn."""
        return self.races[state.mover].limits(state)

    def follow(self, state: RaceState, end: End) -> list[Leaf]:
        """Return where the end of a turn leads."""
        return self.races[state.mover].follow(state, end)


class RoundState(NamedTuple):
    """A state of a match of rounds.

    number: of the round.
    playing: seats that play off, or all.
    totals: by seat, in a playoff those since it began.
    owed: by seat, what losers pay once a playoff is over, for ``margin``.
    """

    mover: int
    number: int
    playing: Counts
    totals: Counts
    owed: Counts | None = None


class Rounds(Match):
    """Rounds of a turn each, then playoffs of those who tie."""

    def start(self) -> RoundState:
        """Return the first state."""
        return RoundState(0, 1, tuple(range(self.seats)), (0,) * self.seats)

    def name(self, state: RoundState) -> Name:
        """Return the name of a state; playoffs are not compared."""
        if state.owed is not None:
            return None
        totals = [*state.totals]
        if self.rules["rounds"] == 1 and self.objective == "win" and state.mover:
            least = max(totals[: state.mover]) - 1  # how far somebody is behind does not matter
            totals[: state.mover] = [max(total, least) for total in totals[: state.mover]]
        number = 0 if self.rules["target"] else state.number
        return number, 0, state.mover, *self.relative(tuple(totals))

    def follow(self, state: RoundState, end: End) -> list[Leaf]:
        """Return where the end of a turn leads."""
        mover = state.mover
        if end.word == "win":
            return [(self.win_of([mover]), None)]
        points = end.detail if end.word == "bank" else 0
        gain = -points if self.turn_rules.get("lowest") else points
        totals = tuple(total + gain * (seat == mover) for seat, total in enumerate(state.totals))
        later = [seat for seat in state.playing if seat > mover]
        if later:
            return [([0.0] * self.seats, state._replace(mover=later[0], totals=self.relative(totals)))]
        best = max(totals[seat] for seat in state.playing)
        has_ended = best >= self.rules["target"] if self.rules["target"] else state.number == self.rules["rounds"]
        if state.owed is None and not has_ended:
            number = 1 if self.rules["target"] else state.number + 1
            return [([0.0] * self.seats, RoundState(0, number, state.playing, self.relative(totals)))]
        owed = state.owed or tuple(best - total for total in totals)
        tied = tuple(seat for seat in state.playing if totals[seat] == best)
        nothing_owed = self.objective == "margin" and not any(owed)
        if len(tied) == 1 or self.rules["share"] or nothing_owed:
            return [(self.payments(tied, owed), None)]
        zeros = (0,) * self.seats
        return [([0.0] * self.seats, RoundState(tied[0], state.number, tied, zeros, owed))]

    def relative(self, totals: Counts) -> Counts:
        """Return totals less the lowest, unless there is a target: only differences matter."""
        return totals if self.rules["target"] else tuple(total - min(totals) for total in totals)

    def payments(self, winners: Counts, owed: Counts) -> list[float]:
        """Return the payments once a match is over."""
        if self.objective == "win":
            return self.win_of([*winners])
        pot = sum(owed)
        return [pot / len(winners) if seat in winners else -float(debt) for seat, debt in enumerate(owed)]


class Frames(Match):
    """Frames of a turn each, of two players. State: shooter, frame, scores."""

    def start(self) -> Any:
        """Return the first state."""
        return 0, 1, 0

    def name(self, state: Any) -> Name:
        """Return the name of a state."""
        shooter, frame, lead = state
        return frame, shooter, lead if shooter == 0 else -lead

    def follow(self, state: Any, end: End) -> list[Leaf]:
        """Return where the end of a turn leads; the third item of a state is the lead of seat 0."""
        shooter, frame, lead = state
        if end.word == "win":
            return [(self.win_of([shooter]), None)]
        points = end.detail if end.word == "bank" else 0
        lead += points if shooter == 0 else -points
        if shooter == 0:
            return [([0.0, 0.0], (1, frame, lead))]
        if frame == self.rules["frames"] and lead:
            return [(self.win_of([int(lead < 0)]), None)]
        return [([0.0, 0.0], (0, min(frame + 1, self.rules["frames"]), lead))]


class Sheet(NamedTuple):
    """What one player has on a card: boxes that are filled, points of each column, whether ``again`` holds points."""

    filled: frozenset[int] = frozenset()
    columns: Counts = ()
    has_again: bool = False
    total: int = 0
    saved: int = 0


class CardMatch(Match):
    """A scorecard, alone or for two. State: mover, and a sheet for every seat."""

    def __init__(self, header: Header) -> None:
        super().__init__(header)
        rules = self.turn_rules
        nested = any(isinstance(item, list) for item in rules["upper"])
        self.columns = rules["upper"] if nested else [rules["upper"]]
        self.steps = rules["steps"] if nested else [rules["steps"]]
        self.size = rules["dice"] // rules["boxes"]
        faces = range(len(rules["weights"]))
        self.place_of = {roll: place for place, roll in enumerate(combinations_with_replacement(faces, self.size))}
        self.boxes = range(len(rules["scores"]))

    def start(self) -> Any:
        """Return the first state."""
        return (0, *[Sheet(columns=(0,) * len(self.columns))] * self.seats)

    def turn_starts(self, state: Any, turn: Any) -> list[Any]:
        """Return the first roll."""
        return [("roll", (), self.turn_rules["throws"] - 1 + state[1 + state[0]].saved, True)]

    def name(self, state: Any) -> Name:
        """Return the name of a state."""
        mover, *sheets = state
        boxes = [sum(1 << box for box in sheet.filled) for sheet in rotated(sheets, mover)]
        if self.seats == 2:
            return *boxes, sheets[mover].total - sheets[1 - mover].total
        (sheet,) = sheets
        uppers = [
            min(total, max(steps, default=[0])[0]) for total, steps in zip(sheet.columns, self.steps, strict=True)
        ]
        has_total = self.objective == "reach" or self.turn_rules["ranges"]
        total = [sheet.total] if has_total else []
        saved = [sheet.saved] if self.turn_rules["saved"] else []
        return *boxes, *uppers, int(sheet.has_again), *total, *saved

    def limits(self, state: Any) -> Limits:
        """Return no limits."""
        return Limits()

    def follow(self, state: Any, end: End) -> list[Leaf]:
        """Return where filling boxes leads, for every way to fill them."""
        mover, *sheets = state
        dice, rolls_left = end.detail
        leaves = []
        for boxes, points in self.ways_to_fill(sheets[mover], dice, end.word):
            sheet, payment = self.fill(sheets[mover], boxes, points, dice, rolls_left)
            new_sheets = [*sheets]
            new_sheets[mover] = sheet
            won = end.word == "first" and self.turn_rules["first"] and points and boxes[0] in self.turn_rules["wins"]
            leaves.append(self.leaf(mover, new_sheets, payment, bool(won)))
        return leaves

    def leaf(self, mover: int, sheets: list[Sheet], payment: float, won: bool) -> Leaf:
        """Return the leaf of a turn."""
        over = all(len(sheet.filled) == len(self.boxes) for sheet in sheets)
        if self.seats == 1:
            return [payment], None if over else (0, *sheets)
        if won:
            return self.win_of([mover]), None
        if over:
            return self.win_of(self.best_of([sheet.total for sheet in sheets])), None
        low = min(sheet.total for sheet in sheets)
        return [0.0, 0.0], (1 - mover, *(sheet._replace(total=sheet.total - low) for sheet in sheets))

    def ways_to_fill(self, sheet: Sheet, dice: Counts, table: str) -> Iterator[tuple[Counts, int]]:
        """Yield boxes and the points that are entered in them."""
        rules = self.turn_rules
        required = rules["before"] or [-1] * len(self.boxes)
        free = [
            box
            for box in self.boxes
            if box not in sheet.filled and (required[box] < 0 or required[box] in sheet.filled)
        ]
        if rules["boxes"] == 2:
            for boxes in combinations(free, 2):
                for part in {*combinations(dice, self.size)}:
                    remainder = Counter(dice)
                    remainder.subtract(part)
                    halves = part, tuple(sorted(remainder.elements()))
                    rows = [rules["scores"][box] for box in boxes]
                    yield boxes, sum(row[self.place_of[half]] for row, half in zip(rows, halves, strict=True))
            return
        points = {box: self.points_in(box, sheet, dice, table) for box in free}
        allowed = {box: number for box, number in points.items() if number is not None}
        something_scores = any(allowed.values())
        for box, number in allowed.items():
            if number or rules["zeros"] or not something_scores:
                yield (box,), number

    def points_in(self, box: int, sheet: Sheet, dice: Counts, table: str) -> int | None:
        """Return the points of dice in one box; None if they may not be entered there."""
        rules = self.turn_rules
        scores = rules["first"] if table == "first" and rules["first"] else rules["scores"]
        usual = scores[box][self.place_of[dice]]
        is_joker = rules["joker"] != "none" and len({*dice}) == 1 and rules["again"] in sheet.filled
        own = rules["own"][dice[0]]
        if not is_joker or box == own:
            return usual
        full = rules["full"][box][dice[0]]
        own_is_open = own >= 0 and own not in sheet.filled
        if rules["joker"] == "free":
            return usual if own_is_open else full
        if own_is_open:  # forced: the own box, then a box of no face, then any
            return None
        if box not in rules["own"]:
            return full
        no_face = [
            other_box for other_box in self.boxes if other_box not in rules["own"] and other_box not in sheet.filled
        ]
        return None if no_face else usual

    def fill(self, sheet: Sheet, boxes: Counts, points: int, dice: Counts, rolls_left: int) -> tuple[Sheet, float]:
        """Return a sheet after boxes are filled, and what is paid."""
        rules = self.turn_rules
        filled = sheet.filled | {*boxes}
        payment = points + (rules["bonus"] if sheet.has_again and len({*dice}) == 1 else 0)
        columns = tuple(
            total + (points if boxes[0] in column else 0)
            for total, column in zip(sheet.columns, self.columns, strict=True)
        )
        has_again = sheet.has_again or (boxes[0] == rules["again"] and points > 0 and rules["bonus"] > 0)
        total = sheet.total + payment
        is_full = len(filled) == len(self.boxes)
        if is_full:
            bonus = sum(self.step_at(steps, total) for steps, total in zip(self.steps, columns, strict=True))
            total, payment = total + bonus, payment + bonus
        if self.objective == "reach":
            payment = int(is_full and total >= self.header["parameters"]["goal"])
        elif rules["ranges"]:
            payment = self.step_at(rules["ranges"], total) if is_full else 0
        elif self.seats == 1:
            total = 0  # nothing depends on it
        saved = min(rolls_left, rules["saved"])
        return Sheet(filled, columns, has_again, total, saved), float(payment)

    def step_at(self, steps: list[Any], total: int) -> int:
        """Return what the highest step that a total reaches is worth."""
        reached = {place: worth for place, worth in steps if place <= total}
        return reached[max(reached)] if reached else 0


class Box(Match):
    """Shut the Box, a turn each. State: mover, and what those before were left with."""

    def start(self) -> Any:
        """Return the first state."""
        return (0,)

    def name(self, state: Any) -> Name:
        """Return the name of a state."""
        return *state, *[0] * (self.seats - len(state))

    def limits(self, state: Any) -> Limits:
        """Return no limits."""
        return Limits()

    def follow(self, state: Any, end: End) -> list[Leaf]:
        """Return where the end of a turn leads."""
        mover, *leftovers = state
        leftovers.append(end.detail)
        if self.objective == "reach":
            return [([float(end.detail <= self.rules["goal"])], None)]
        if self.objective == "points":
            return [([-float(end.detail)], None)]
        if len(leftovers) < self.seats:
            return [([0.0] * self.seats, (mover + 1, *leftovers))]
        return [(self.win_of(self.best_of([-points for points in leftovers])), None)]


class Board(Match):
    """Booby Trap. State: mover, pieces by size, scores or trips by seat, passes in a row."""

    def start(self) -> Any:
        """Return the first state."""
        return 0, tuple(self.rules["board"]), (0,) * self.seats, 0

    def name(self, state: Any) -> Name:
        """Return the name of a state."""
        mover, pieces, scores, passes = state
        if self.seats == 1:
            return *pieces, *scores, passes
        own, *others = rotated(scores, mover)
        return *pieces, *(own - score for score in others), passes

    def limits(self, state: Any) -> Limits:
        """Return no limits."""
        return Limits()

    def turn_starts(self, state: Any, turn: Any) -> list[Any]:
        """Return the sizes that may be touched; the last size is that of the smallest pieces."""
        _, pieces, _, passes = state
        sizes = [size for size, count in enumerate(pieces) if count]
        if self.turn_rules["in_order"]:
            sizes = [max(sizes)]
        return [("touch", size, passes < self.rules["passes"]) for size in sizes]

    def follow(self, state: Any, end: End) -> list[Leaf]:
        """Return where the end of a turn leads."""
        mover, pieces, scores, passes = state
        size, following = end.detail, (mover + 1) % self.seats
        nothing = [0.0] * self.seats
        if end.word == "pass":
            return [(nothing, (following, pieces, scores, passes + 1))]
        pieces = tuple(count - (place == size) for place, count in enumerate(pieces))
        is_over = sum(pieces) <= self.rules["last"]
        if self.seats == 1:
            trips = scores[0] + (end.word == "trip")
            if trips > self.rules["allowed"]:
                return [([0.0], None)]
            return [([1.0], None) if is_over else ([0.0], (0, pieces, (trips,), 0))]
        gain = self.rules["points"][size] if end.word == "won" else -self.rules["penalty"]
        scores = tuple(score + gain * (seat == mover) for seat, score in enumerate(scores))
        if not is_over:
            low = min(scores)
            return [(nothing, (following, pieces, tuple(score - low for score in scores), 0))]
        winners, best = self.best_of(scores), max(scores)
        if self.objective == "win":
            return [(self.win_of(winners), None)]
        pot = sum(best - score for score in scores)
        return [([pot / len(winners) * (seat in winners) - (best - score) for seat, score in enumerate(scores)], None)]


TURNS: dict[str, Callable[[Header], Any]] = {
    "sets": Sets,
    "crew": Crew,
    "boxes": Card,
    "tiles": Tiles,
    "touch": Touch,
    "seats": lambda rules: [Sets(turn) for turn in rules["seats"]],
}
MATCHES: dict[str, Callable[[Header], Any]] = {
    "turn": OneTurn,
    "race": Race,
    "seats": SeatsRace,
    "rounds": Rounds,
    "frames": Frames,
    "card": CardMatch,
    "box": Box,
    "board": Board,
}
