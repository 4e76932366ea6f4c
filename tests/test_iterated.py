"""Value iteration of random rule files that combine two or three features: a reading of the rules of its own.

Nothing is shared with the program but the file. Every ordered throw of the dice that are left is listed, every set of
them that scores, and what may be done then. For two players both ends are iterated, hi from what lo pays and lo from
what hi pays, so the values lie between them whatever comes later; alone the chance to be done in so many turns is
worked out turn by turn.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from patience import PATIENCE

import keepwise as kw
from keepwise.games import own_game
from keepwise.ground.errors import InputError, SolveError

FEATURES = ("wiped", "costs", "taken", "chosen", "unlike", "confirmed", "opening", "minimum")
APART = ({"taken", "chosen"}, {"taken", "unlike"}, {"chosen", "confirmed"})
CLOSE = 1e-10  # hi and lo, for the values between them to be compared
ROUNDING = 1e-14  # of the iteration
SWEEPS = 1500
TURNS = 4


def random_file(rng: random.Random) -> tuple[dict[str, Any], set[str]]:
    """A small rule file of two or three features and any finish."""
    while True:
        features = set(rng.sample(FEATURES, rng.randint(2, 3)))
        if not any(apart <= features for apart in APART):
            break
    dice, faces = rng.randint(1, 2), rng.randint(2, 4)
    names = [str(face) for face in range(1, faces + 1)]
    finish = "exact" if "confirmed" in features else rng.choice(("at_least", "last_round", "exact"))
    rules: dict[str, Any] = {"name": "random", "faces": faces, "target": rng.randint(2, 5), "finish": finish}
    # With a last round nothing but the dice bounds a turn.
    rules["hot_dice"] = "none" if finish == "last_round" else rng.choice(("none", "free"))
    singles = rng.sample(names, rng.randint(1, faces - 1))
    rules["singles"] = {name: 1 + (number and rng.randint(0, 1)) for number, name in enumerate(singles)}
    other = rng.choice([name for name in names if name not in singles])
    if "confirmed" in features:
        dice = 2
        rules |= {"alike": {"2": {other: rng.randint(1, 3)}}, "confirm": {"alike": [2]}}
        rules["hot_dice"] = rng.choice(("free", "must"))
    if "wiped" in features:
        rules["special"] = [{"throw": rng.choice(names) * rng.randint(1, dice), "effect": "wipe"}]
    if "costs" in features:
        costs = [*([0] * rng.randint(0, 1)), rng.randint(1, 2)]
        rules["bust"] = {"costs": costs, "then": rng.choice(("anew", "stays")), "floor": -rng.randint(0, 2)}
    if "taken" in features:
        rules["take_over"] = rng.choice(("free", "opened"))
    if "chosen" in features:
        rules |= {"choose": True, "once": True, "hot_dice": "free"}
    for key in {"opening", "minimum"} & features:
        rules[key] = rng.randint(1, 2)
    if "costs" in features and {"opening", "minimum"} & features and finish == "at_least" and "chosen" not in features:
        rules["hot_dice"] = "free"
        rules["below"] = "throw"  # who may stop without points would rather do that than lose some
    if "unlike" in features:
        weights = [[rng.randint(1, 3) for _ in names] for _ in range(2)]
        rules["die"] = [{"name": "ab"[kind], "count": 1, "weights": weights[kind]} for kind in range(2)]
    else:
        rules |= {"dice": dice, "weights": [rng.randint(1, 3) for _ in names]}
    return rules, features


@dataclass(frozen=True)
class Pays:
    """What endings pay, for many states at once: by points banked and dice left over; else one number a state."""

    bank: Any
    nothing: np.ndarray
    bust: np.ndarray
    wipe: np.ndarray


class Reading:
    """What a file says."""

    def __init__(self, rules: dict[str, Any]) -> None:
        self.rules, self.faces = rules, rules["faces"]
        plain = [{"count": rules.get("dice", 0), "weights": rules.get("weights")}]
        self.dice = tuple(tuple(die["weights"]) for die in rules.get("die", plain) for _ in range(die["count"]))
        self.single = [rules["singles"].get(str(face), 0) for face in range(1, self.faces + 1)]
        self.pair = [rules.get("alike", {}).get("2", {}).get(str(face), 0) for face in range(1, self.faces + 1)]
        bust = rules.get("bust", {})
        self.costs, self.stays, self.floor = bust.get("costs", [0]), bust.get("then") == "stays", bust.get("floor", 0)
        self.target, self.exact = rules["target"], rules["finish"] == "exact"
        self.players = [(score, busts) for score in range(self.floor, self.target) for busts in range(len(self.costs))]
        self.number = {player: number for number, player in enumerate(self.players)}

    def least(self, score: int) -> int:
        """Fewest points of a bank that counts; who has to come to the target exactly may with any."""
        opening = self.rules.get("opening", 0) if score <= 0 else 0
        least = max(1, self.rules.get("minimum", 0), opening)
        return min(least, self.target - score) if self.exact else least

    def busted(self, score: int, busts: int) -> tuple[int, int]:
        """What a bust leaves."""
        after = max(min(score, self.floor), score - self.costs[busts])
        if busts + 1 < len(self.costs):
            return after, busts + 1
        return after, busts if self.stays else 0

    def sets(self, shown: tuple[int, ...]) -> list[tuple[int, tuple[int, ...], bool]]:
        """Of dice that show these faces: points of the sets that score, the dice that stay, and if to be confirmed."""
        found = []
        for count in range(1, len(shown) + 1):
            for taken in combinations(range(len(shown)), count):
                faces = [shown[die] for die in taken]
                points, confirm = 0, False
                for face in set(faces):
                    if faces.count(face) == 2 and self.pair[face]:
                        points, confirm = points + self.pair[face], True
                    elif self.single[face]:
                        points += self.single[face] * faces.count(face)
                    else:
                        break
                else:
                    found.append((points, tuple(die for die in range(len(shown)) if die not in taken), confirm))
        return found

    def turn(self, scores: np.ndarray, pays: Pays, most: int) -> Turn:
        """The turns of states with these scores; nobody holds more than so many points."""
        return Turn(self, scores, pays, most)


class Turn:
    """Turns of many states: what it is worth to throw some dice with points in hand."""

    def __init__(self, reading: Reading, scores: np.ndarray, pays: Pays, most: int) -> None:
        self.reading, self.pays, self.most = reading, pays, most
        self.least = np.array([reading.least(score) for score in scores.tolist()])
        self.room = reading.target - scores if reading.exact else np.full(len(scores), most)
        self.known: dict[tuple[int, tuple[tuple[int, ...], ...]], np.ndarray] = {}

    def begun(self) -> np.ndarray:
        """Worth of a turn that begins anew."""
        dice = self.reading.dice
        if not self.reading.rules.get("choose"):
            return self.thrown(0, dice)
        hands = {tuple(sorted(hand)) for size in range(1, len(dice) + 1) for hand in combinations(dice, size)}
        return np.max([self.thrown(0, hand) for hand in sorted(hands)], axis=0)

    def thrown(self, held: int, dice: tuple[tuple[int, ...], ...]) -> np.ndarray:
        """Worth of throwing dice with points in hand."""
        key = held, tuple(sorted(dice))
        if key not in self.known:
            every = math.prod(sum(weights) for weights in dice)
            worth = np.zeros(len(self.least))
            for shown in product(range(self.reading.faces), repeat=len(dice)):
                ways = math.prod(weights[face] for weights, face in zip(dice, shown, strict=True))
                worth += ways / every * self.fallen(held, dice, shown)
            self.known[key] = worth
        return self.known[key]

    def fallen(self, held: int, dice: tuple[tuple[int, ...], ...], shown: tuple[int, ...]) -> np.ndarray:
        """Worth of a throw as it lies."""
        reading = self.reading
        for special in reading.rules.get("special", ()):
            if sorted(str(face + 1) for face in shown) == sorted(special["throw"]):
                return self.pays.wipe
        best = np.full(len(self.least), -np.inf)
        for points, rest, confirm in reading.sets(shown):
            if held + points <= self.most:
                after = self.kept(held + points, tuple(dice[die] for die in rest), confirm)
                best = np.maximum(best, np.where(held + points <= self.room, after, -np.inf))
        return np.where(np.isfinite(best), best, self.pays.bust)

    def kept(self, held: int, rest: tuple[tuple[int, ...], ...], confirm: bool) -> np.ndarray:
        """Worth of what may be done once a set is aside."""
        rules = self.reading.rules
        over = rules.get("once") or (not rest and rules["hot_dice"] == "none" and not confirm)
        must = confirm or (not rest and rules["hot_dice"] == "must")
        following = rest or self.reading.dice
        best = np.full(len(self.least), -np.inf)
        if over or not must:
            below = self.pays.nothing if over or rules.get("below") != "throw" else -np.inf
            bank = self.pays.bank(held, 0 if over else len(following))
            best = np.where(held >= self.least, bank, below)
        if not over and (must or held < self.most):
            best = np.maximum(best, self.thrown(held, following))
        return best


class Two:
    """Two players: hi and lo of the mover's chance, by both players and by what is offered."""

    def __init__(self, reading: Reading) -> None:
        self.reading, count = reading, len(reading.players)
        rules, span = reading.rules, reading.target - reading.floor
        most = max([*reading.single, *(pair / 2 for pair in reading.pair)]) * len(reading.dice)
        self.most = int(span + most) if not reading.exact else span
        takes = "take_over" in rules
        self.offers = [(0, 0), *product(range(1, span + 1 if takes else 1), range(1, len(reading.dice) + 1))]
        self.last = rules["finish"] == "last_round"
        self.mine, self.theirs = (one.ravel() for one in np.indices((count, count)))
        self.scores = np.array([score for score, _ in reading.players])
        self.past = self._last_turns() if self.last else {}

    def _taken(self, turn: Turn, scores: np.ndarray) -> np.ndarray:
        """Worth of turns by what is offered: (offers, states)."""
        rules, found = self.reading.rules, [turn.begun()]
        for points, dice in self.offers[1:]:
            may = (rules["take_over"] == "free") | (scores > 0)
            may &= points <= (turn.room if self.reading.exact else points)
            may &= points <= turn.most
            worth = turn.thrown(points, self.reading.dice[:dice]) if points <= turn.most else found[0]
            found.append(np.where(may, np.maximum(worth, found[0]), found[0]))
        return np.array(found)

    def _last_turns(self) -> dict[int, np.ndarray]:
        """By the total to beat, the last turns of players: (offers, players)."""
        found, nothing = {}, np.zeros(len(self.scores))
        for total in range(self.reading.target, self.reading.target + 2 * self.most):
            more = total - self.scores

            def bank(held: int, left: int, more: np.ndarray = more) -> np.ndarray:
                return (held > more) + 0.5 * (held == more)

            turn = self.reading.turn(self.scores, Pays(bank, nothing, nothing, nothing), 2 * self.most)
            found[total] = self._taken(turn, self.scores)
        return found

    def sweep(self, others: np.ndarray) -> np.ndarray:
        """Turns of everybody, by what the others get who move next: (offers, mover, other)."""
        reading, mine, theirs = self.reading, self.mine, self.theirs
        number = reading.number

        def leads(to: list[int], offer: np.ndarray | int = 0) -> np.ndarray:
            return 1 - others[offer, theirs, np.array(to)[mine]]

        bust = [number[reading.busted(*player)] for player in reading.players]
        nothing = [number[score, 0] for score, _ in reading.players]
        wipe = [number[0, 0]] * len(reading.players)

        def bank(held: int, left: int) -> np.ndarray:
            after = [number.get((score + held, 0), 0) for score, _ in reading.players]
            offer = self.offers.index((held, left)) if (held, left) in self.offers[1:] else 0
            total = self.scores[mine] + held
            worth = leads(after, offer)
            for past in range(reading.target, int(total.max()) + 1):
                row = np.ones(len(mine))
                if self.last:
                    top = min(past, max(self.past))
                    row = 1 - self.past[top][offer][theirs]
                worth = np.where(total == past, row, worth)
            return worth

        turn = reading.turn(self.scores[mine], Pays(bank, leads(nothing), leads(bust), leads(wipe)), self.most)
        return self._taken(turn, self.scores[mine]).reshape(others.shape)

    def solve(self) -> tuple[np.ndarray, np.ndarray]:
        """lo and hi: (offers, mover, other)."""
        count = len(self.reading.players)
        low, high = np.zeros((2, len(self.offers), count, count))
        high += 1
        for _ in range(SWEEPS):
            low, high = self.sweep(high), self.sweep(low)
            if (high - low).max() <= CLOSE:
                break
        return low, high


def reached(reading: Reading, turns: int) -> np.ndarray:
    """The greatest chance to be at the target within 0, 1, .. turns, by player: (turns + 1, players)."""
    scores = np.array([score for score, _ in reading.players])
    most = max(reading.target - reading.floor, reading.least(0))
    found = [np.zeros(len(scores))]
    for _ in range(turns):
        before = found[-1]

        def led(to: list[tuple[int, int]], before: np.ndarray = before) -> np.ndarray:
            return np.array([1.0 if one[0] >= reading.target else before[reading.number[one]] for one in to])

        def bank(held: int, left: int, led: Any = led) -> np.ndarray:
            return led([(score + held, 0) for score, _ in reading.players])

        nothing = led([(score, 0) for score, _ in reading.players])
        bust = led([reading.busted(*player) for player in reading.players])
        wipe = led([(0, 0)] * len(reading.players))
        pays = Pays(bank, nothing, bust, wipe)
        # Alone nobody needs more points than these; whoever has them stops.
        found.append(reading.turn(scores, pays, most + 2 * len(reading.dice) * max(reading.single)).begun())
    return np.array(found)


def check_two(rules: dict[str, Any]) -> bool:
    """Compare all pairs of states, and some with what is offered; tells whether the ends came close enough."""
    game = own_game(rules)
    solution = kw.solve(game, "win", 2, fresh=True)
    reading = Reading(rules)
    two = Two(reading)
    low, high = two.solve()
    if not (high - low).max() <= CLOSE:
        return False
    match, win = solution.match, solution.solved.arrays["win"]
    scores, kinds = match.states.scores.tolist(), match.states.kinds
    at = [reading.number[score * match.rules.grain, busts] for score in scores for busts in range(kinds)]
    room = solution.error_bound + ROUNDING
    assert (win >= low[0][np.ix_(at, at)] - room).all()
    assert (win <= high[0][np.ix_(at, at)] + room).all()
    rng = random.Random(0)
    for offer, (points, dice) in rng.sample(list(enumerate(two.offers))[1:], min(8, len(two.offers) - 1)):
        mine, theirs = rng.choice(at), rng.choice(at)
        (score, busts), (other, more) = reading.players[mine], reading.players[theirs]
        told: dict[str, Any] = {"score": score, "opponents": [other], "offered": [points, dice]}
        if "bust" in rules:
            told |= {"busts": busts, "opponents_busts": [more]}
        try:
            found = solution.value(**told)
        except InputError:
            continue  # nobody can have left that
        assert low[offer, mine, theirs] - room <= found <= high[offer, mine, theirs] + room, told
    return True


def check_alone(rules: dict[str, Any]) -> bool:
    """Compare the chances to be done within some turns, at every state."""
    solution = kw.solve(own_game(rules), "reach", turns=TURNS, fresh=True)
    reading, match = Reading(rules), solution.match
    found = reached(reading, TURNS)
    scores, kinds = match.states.scores.tolist(), match.states.kinds
    at = [reading.number[score * match.rules.grain, busts] for score in scores for busts in range(kinds)]
    off = np.abs(solution.solved.arrays["reach"] - found[:, at]).max()
    assert off <= solution.error_bound + ROUNDING
    return True


def compared(seeds: range) -> int:
    """How many of the files that seeds make are games, solved and compared."""
    count = 0
    for seed in seeds:
        rng = random.Random(seed)
        rules, features = random_file(rng)
        alone = "taken" not in features and rng.random() < 0.3
        try:
            count += check_alone({**rules}) if alone else check_two(rules)
        except (InputError, SolveError):
            continue
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {rules}") from error
    return count


@pytest.mark.slow
def test_random_combinations_by_value_iteration():
    assert compared(range(24)) >= 14


@pytest.mark.patient
def test_two_hundred_random_combinations_by_value_iteration():
    assert compared(range(24, 24 + 300 * PATIENCE)) >= 200 * PATIENCE
