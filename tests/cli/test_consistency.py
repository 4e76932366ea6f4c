"""Whether answers agree with each other, at seeded random positions of every game.

What is held against what, each within the bounds that are stated (plus the rounding of the sum made here):

- the chance or value of a throw is the mean, in whole-number weights, of the best choice after it, for every throw;
- what a turn's end is worth is what the position after it says, from the seat of whoever ended it;
- a position is worth its best choice; losses are the differences, best first, never negative; ties are flagged exactly
  where two choices cannot be told apart within the bound;
- chances lie in 0 to 1, the seats' chances add up to one and margins to nothing;
- the command line prints the very numbers of the Python API;
- more points never hurt; more turns, lower hurdles and more freedom never hurt; a farther target does.

A failure says which position. Nothing here shares code with the solvers; everything goes through the public API.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise

import pytest
from command_lines import CARD, OURS

import keepwise as kw
from keepwise.util.errors import InputError

Position = dict
Followed = list[tuple[Fraction, float]]  # (chance, value) of all that can follow
Rolls = list[tuple[Fraction, list[str]]]  # every throw with its chance

DEAREST = 30  # throws that are followed one by one whenever a position offers them; of more only some

checked: Counter[str] = Counter()


@cache
def throws(faces: str, weights: tuple[int, ...], dice: int) -> Rolls:
    """Every throw of some dice, with its chance."""
    total = sum(weights) ** dice
    found = []
    for shown in combinations_with_replacement(range(len(faces)), dice):
        ways = math.factorial(dice)
        for face, count in Counter(shown).items():
            ways = ways // math.factorial(count) * weights[face] ** count
        found.append((Fraction(ways, total), [faces[face] for face in shown]))
    return found


def fair(dice: int, faces: int = 6) -> Rolls:
    return throws("".join(map(str, range(1, faces + 1))), (1,) * faces, dice)


class Checks:
    """A solution whose answers are held against each other."""

    def __init__(self, solution: kw.Solution, seed: int) -> None:
        self.solution = solution
        self.bound = solution.error_bound
        self.objective = solution.problem.objective
        self.random = random.Random(seed)

    def close(self, what: str, mine: float, theirs: float, position: Position, bounds: float = 2) -> None:
        checked[what] += 1
        allowed = bounds * self.bound + 4e-16 * max(1.0, abs(theirs))
        told = f"{what}: {mine!r} and {theirs!r} differ by {abs(mine - theirs):.3g}, allowed {allowed:.3g}"
        assert abs(mine - theirs) <= allowed, f"{told} at {self.solution.game.id} {self.objective} {position}"

    def best(self, position: Position) -> float:
        return self.solution.advise(**position).best.value

    def mean(self, what: str, value: float, position: Position, followed: Followed) -> None:
        assert sum(chance for chance, _ in followed) == 1
        self.close(what, value, math.fsum(float(chance) * one for chance, one in followed), position)

    def throw(self, value: float, position: Position, rolls: Rolls, after: Callable[[list[str]], Position]) -> None:
        """A throw is worth the mean of the best choices after it; of long lists only some are tried."""
        if self.random.random() < DEAREST / len(rolls):
            self.mean("a throw", value, position, [(chance, self.best(after(roll))) for chance, roll in rolls])

    def position(self, position: Position) -> None:
        """All that one position says must agree with itself."""
        solution, bound, sign = self.solution, self.bound, -1 if self.objective == "turns" else 1
        advice, answer = solution.advise(**position), solution.position_value(**position)
        self.close("a position is worth its best choice", advice.best.value, answer.value, position)
        best = max(sign * choice.value for choice in advice.choices)
        losses = []
        for choice in advice.choices:
            checked["a choice: its loss, whether it ties, its range"] += 1
            assert choice.loss == best - sign * choice.value >= 0, (position, choice)
            assert choice.tie == (choice.loss <= 2 * bound), (position, choice)
            losses.append(choice.certain_loss)
            if self.objective in ("win", "reach"):
                assert 0 <= choice.value <= 1, (position, choice)
            assert choice.bust is None or 0 <= choice.bust <= 1, (position, choice)
        assert losses == sorted(losses), position
        if self.objective in ("win", "reach"):
            assert 0 <= answer.value <= 1, position
        if answer.seats:
            whole = {"win": 1.0, "margin": 0.0}[self.objective]
            assert answer.seats[0] == answer.value
            self.close("seats add up", sum(answer.seats), whole, position, len(answer.seats))
            assert self.objective == "margin" or min(answer.seats) >= 0, (position, answer.seats)


# --- games: positions, and what follows from them


class Push(Checks):
    def draw(self) -> Position:
        rules, draw = self.solution.game.rules, self.random
        grain = self.solution.game.data.grain
        top = self.solution.problem.parameters.get("goal", rules["target"])
        score = lambda: draw.choice((0, 0, draw.randrange(0, top, grain)))  # noqa: E731
        position: Position = {"score": score()}
        if self.objective == "win":
            position["opponents"] = [score() for _ in range(1, self.solution.problem.players)]
        dice = self.solution.game.data.dice
        left = draw.choice((dice, draw.randint(1, dice)))
        held = grain * draw.randrange(max(2, min(top, 60 * grain) // grain))
        inside = draw.randrange(3)
        if inside:
            position["turn"] = 0 if left == dice and draw.random() < 0.5 else held
            shown = {"roll": draw.choices(self.solution.game.data.faces, k=left)}
            position |= shown if inside == 1 else {"dice": left}
        return position

    def follow(self, position: Position) -> None:
        match = {key: value for key, value in position.items() if key in ("score", "opponents")}
        for choice in self.solution.advise(**position).choices:
            if choice.follow_up == "roll" and choice.dice_left:
                data, before = self.solution.game.data, {**match, "turn": choice.points}
                rolls = throws("".join(data.faces), tuple(data.weights), choice.dice_left)
                self.throw(choice.value, position, rolls, lambda roll, before=before: {**before, "roll": roll})
            elif choice.follow_up in ("bank", "stop"):
                self._ended(match, choice, position)

    def _ended(self, match: Position, choice, position: Position) -> None:
        rules = self.solution.game.rules
        score = match["score"] + (choice.points if choice.follow_up == "bank" else 0)
        if self.objective == "points" and choice.follow_up == "bank":
            self.close("a bank", choice.value, choice.points, position)
        elif self.objective == "turns":
            after = 0.0 if score >= rules["target"] else self.solution.value(score=score)
            self.close("a bank", choice.value, 1 + after, position)
        elif self.objective == "win" and self.solution.game.data.finish != "last_round":
            other, *others = match["opponents"]
            after = 1.0 if score >= rules["target"] else self.seat(score=other, opponents=[*others, score])
            self.close("a bank", choice.value, after, position)

    def seat(self, **position: object) -> float:
        """The chance of whoever has just moved."""
        return self.solution.position_value(**position).seats[-1]


class Scarney(Checks):
    def draw(self) -> Position:
        draw = self.random
        position: Position = {}
        if self.objective == "win":
            position = {"frame": draw.randint(1, 7), "seat": draw.randint(0, 1)}
            position |= {"score": draw.randrange(0, 120), "opponents": [draw.randrange(0, 120)]}
        live = draw.randint(1, 5)
        position |= {"live": live, "turn": draw.choice((0, 0, draw.randrange(1, 80)))}
        if draw.random() < 0.6:
            position["roll"] = draw.choices("1346d", k=live)
        return position

    def follow(self, position: Position) -> None:
        match = {key: value for key, value in position.items() if key not in ("live", "turn", "roll")}
        for choice in self.solution.advise(**position).choices:
            if choice.follow_up in ("hit", "throw", "double") and choice.dice_left:
                before = {
                    **match,
                    "turn": choice.points,
                    "live": choice.dice_left,
                    "double": choice.follow_up == "double",
                }
                rolls = throws("1346d", (1, 1, 1, 1, 2), choice.dice_left)
                self.throw(choice.value, position, rolls, lambda roll, before=before: {**before, "roll": roll})
            elif choice.follow_up == "stop" and self.objective == "points":
                self.close("a bank", choice.value, choice.points, position)


class Battleship(Checks):
    def draw(self) -> Position:
        draw, players = self.random, self.solution.problem.players
        match: Position = {}
        if self.objective in ("win", "margin"):
            match = {"round": draw.randint(1, self.solution.game.rules["rounds"]), "seat": draw.randrange(players)}
            match |= {"score": draw.randrange(30), "opponents": [draw.randrange(30) for _ in range(players - 1)]}
        elif self.objective in ("turns", "reach"):
            match = {"score": draw.randrange(18)}
        if draw.random() < 0.2:
            return match
        cast = draw.randint(1, 3)
        kept = draw.choice(("", "6", "65", "654")) if cast > 1 else ""
        inside = {"cast": cast, "roll": [*kept, *draw.choices("123456", k=5 - len(kept))]}
        return {**match, **inside, **({"kept": kept} if kept else {})}

    def follow(self, position: Position) -> None:
        match = {key: value for key, value in position.items() if key not in ("cast", "roll", "kept")}
        for choice in self.solution.advise(**position).choices:
            if choice.follow_up != "roll":
                continue
            kept = "".join(sorted(set("654") & set(choice.keep), reverse=True)) if choice.keep else ""
            before = {**match, "cast": position.get("cast", 0) + 1, **({"kept": kept} if kept else {})}
            held, rolls = choice.keep, fair(5 - len(choice.keep))
            self.throw(choice.value, position, rolls, lambda roll, b=before, k=held: {**b, "roll": [*k, *roll]})


class Showdown(Checks):
    def draw(self) -> Position:
        draw, players = self.random, self.solution.problem.players
        match: Position = {}
        if self.objective == "win" and draw.random() < 0.7:
            seat = draw.randint(1, players - 1)
            match = {"seat": seat, "beat": draw.choice(self.solution.game.data.scores), "tied": draw.randint(1, seat)}
        if draw.random() < 0.2:
            return match
        throw = draw.randint(1, 3)
        kept = "".join(draw.choices("123456", k=throw - 1))
        return {**match, "throw": throw, "kept": kept, "roll": draw.choices("123456", k=4 - throw)}

    def follow(self, position: Position) -> None:
        match = {key: value for key, value in position.items() if key not in ("throw", "kept", "roll")}
        for choice in self.solution.advise(**position).choices:
            if choice.follow_up == "roll":
                throw = position.get("throw", 0) + 1
                inside = {**match, "throw": throw, "kept": position.get("kept", "") + "".join(choice.keep)}
                self.throw(choice.value, position, fair(4 - throw), lambda roll, b=inside: {**b, "roll": roll})


@cache
def hearts(wipe: str, full: int) -> list[tuple[Fraction, int | None]]:
    """Points of a throw of six dice with their chances; None: the score is wiped."""
    found: dict[int | None, Fraction] = {}
    for chance, roll in fair(6):
        ones = roll.count("1")
        run = next((length for length in range(6) if str(length + 1) not in roll), 6)
        wiped = ones >= 3 if wipe == "at_least_3" else ones == 3
        points = None if wiped else (0, 5, 10, 15, 20, 25, full)[run]
        found[points] = found.get(points, Fraction(0)) + chance
    return [(chance, points) for points, chance in found.items()]


class Hearts(Checks):
    def draw(self) -> Position:
        scores = self.solution.problem.chain.scores.tolist() if self.objective != "points" else []
        position: Position = {"score": self.random.choice(scores)} if scores else {}
        if self.objective == "win":
            position["opponents"] = [self.random.choice(scores) for _ in range(self.solution.problem.players - 1)]
        return position

    def follow(self, position: Position) -> None:
        rules, followed = self.solution.game.rules, []
        for chance, points in hearts(rules["wipe"], rules["full"]):
            if self.objective == "points":
                followed.append((chance, float(points or 0)))
                continue
            score = 0 if points is None else position["score"] + points
            done = score >= rules["target"]
            if self.objective == "turns":
                followed.append((chance, 1.0 if done else 1 + self.solution.value(score=score)))
            elif self.objective == "win":
                first, *others = position["opponents"]
                after = {"score": first, "opponents": [*others, score]}
                followed.append((chance, 1.0 if done else self.solution.position_value(**after).seats[-1]))
        if followed:
            self.mean("a throw", self.solution.value(**position), position, followed)


class Card(Checks):
    def draw(self) -> Position:
        draw, card = self.random, self.solution.problem.card
        open_ = draw.randrange(card.boxes, len(card.names) + 1, card.boxes)
        used = draw.sample(card.names, len(card.names) - open_)
        told = [f"{name}={draw.choice((0, 50))}" if name == card.again_category else name for name in used]
        if any(name in (*card.upper_categories,) for name in used):
            return self.draw()
        position: Position = {"used": told}
        if self.objective != "points":
            position["score"] = draw.randrange(100)
        if draw.random() < 0.8:
            position["throw"] = draw.randint(1, card.throws)
            position["roll"] = draw.choices([str(face) for face in range(1, card.faces + 1)], k=card.dice)
        return position

    def follow(self, position: Position) -> None:
        card = self.solution.problem.card
        match = {key: value for key, value in position.items() if key not in ("throw", "roll")}
        choices = [choice for choice in self.solution.advise(**position).choices if choice.follow_up == "roll"]
        choices = [choice for choice in choices if math.comb(choice.dice_left + card.faces - 1, choice.dice_left) < 60]
        for choice in self.random.sample(choices, min(3, len(choices))):
            before, held = {**match, "throw": position.get("throw", 0) + 1}, choice.keep
            rolls = fair(choice.dice_left, card.faces)
            self.throw(choice.value, position, rolls, lambda roll, b=before, k=held: {**b, "roll": [*k, *roll]})


SIZES = ("large", "medium", "small")


class Touch(Checks):
    def draw(self) -> Position:
        draw, rules = self.random, self.solution.problem.rules
        left = [draw.randint(0, most) for most in rules.board]
        position: Position = {"left": left, "passes": draw.randint(0, rules.max_passes)}
        position |= {"score": draw.randint(-6, 6), "opponents": [draw.randint(-6, 6)]}
        if draw.random() < 0.6:
            position["touched"] = draw.choice(SIZES)
            position["feel"] = draw.choice(rules.odds.feels)
        return position

    def follow(self, position: Position) -> None:
        rules = self.solution.problem.rules
        match = {key: value for key, value in position.items() if key not in ("touched", "feel")}
        for choice in self.solution.advise(**position).choices:
            if choice.follow_up == "touch":
                size = next(number for number, name in enumerate(SIZES) if name in choice.action)
                chances = zip(rules.odds.feels, rules.odds.feel_chances[size], strict=True)
                told = {**match, "touched": SIZES[size]}
                followed = [(chance, self.best({**told, "feel": feel})) for feel, chance in chances]
            elif choice.follow_up == "pass":
                followed = [(Fraction(1), self._later(match, 0, None))]
            else:
                size, feel = SIZES.index(position["touched"]), rules.odds.feels.index(position["feel"])
                trip = rules.odds.trip_chances[size][feel]
                taken, tripped = (self._later(match, gain, size) for gain in (rules.points[size], -rules.penalty))
                followed = [(1 - trip, taken), (trip, tripped)]
            self.mean(f"a {choice.follow_up.value}", choice.value, position, followed)

    def _later(self, match: Position, gain: int, size: int | None) -> float:
        """What it is worth to the mover once the piece is gone, or passed."""
        left = [count - (number == size) for number, count in enumerate(match["left"])]
        mine, other = match["score"] + gain, match["opponents"][0]
        if sum(left) <= self.solution.problem.rules.last_pieces:
            if self.objective == "margin":
                return float(mine - other)
            return 1.0 if mine > other else 0.5 if mine == other else 0.0
        passes = 0 if size is not None else match["passes"] + 1
        after = {"left": left, "passes": passes, "score": other, "opponents": [mine]}
        return self.solution.position_value(**after).seats[1]


def toml(text: str) -> Callable[[], kw.Game]:
    def load() -> kw.Game:
        import tempfile
        from pathlib import Path

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ours.toml"
            path.write_text(text)
            return kw.load_rules(path)

    return load


BOARD = {"large": 3, "medium": 2, "small": 3}
QUESTIONS: list[tuple[type[Checks], str | Callable[[], kw.Game], dict, dict]] = [
    (Push, "5000", {}, {"objective": "win"}),
    (Push, "5000", {}, {"objective": "turns"}),
    (Push, "5000", {}, {"objective": "points"}),
    (Push, "5000", {"target": 1500, "finish": "exact"}, {"objective": "win"}),
    (Push, "5000", {"target": 1500, "minimum_on_win": False, "straight": 1500}, {"objective": "win"}),
    (Push, "5000", {"target": 1000, "finish": "last_round", "opening": 300}, {"objective": "win"}),
    (Push, "5000", {"set_aside": "all", "kinds": "doubling"}, {"objective": "points"}),
    (Push, "5000", {"target": 2000}, {"objective": "reach", "turns": 3, "goal": 1500}),
    (Push, "beartrap", {}, {"objective": "turns"}),
    (Push, "beartrap", {"target": 2000}, {"objective": "win"}),
    (Push, "beartrap", {"target": 2000, "finish": "at_least", "five_ones": "points"}, {"objective": "win"}),
    (Push, "farkle", {}, {"objective": "points"}),
    (Push, "farkle", {"target": 1000}, {"objective": "win"}),
    (Push, "pig", {}, {"objective": "win"}),
    (Push, "pig", {}, {"objective": "turns"}),
    (Push, "pig", {"target": 60, "faces": 8}, {"objective": "win"}),
    (Push, "pig", {}, {"objective": "reach", "turns": 4}),
    (Push, "pig", {"target": 12}, {"objective": "win", "players": 3}),
    (Push, "5000", {"target": 800, "opening": 300, "finish": "exact"}, {"objective": "win", "players": 3}),
    (Push, toml(OURS), {}, {"objective": "win"}),
    (Push, toml(OURS), {}, {"objective": "turns"}),
    (Scarney, "scarney", {}, {"objective": "points"}),
    (Scarney, "scarney", {"double": "off", "little": "dead"}, {"objective": "points"}),
    (Scarney, "scarney", {}, {"objective": "win"}),
    (Battleship, "battleship", {}, {"objective": "points"}),
    (Battleship, "battleship", {"crew": "both"}, {"objective": "points"}),
    (Battleship, "battleship", {"crew": "hybrid"}, {"objective": "points"}),
    (Battleship, "battleship", {}, {"objective": "win"}),
    (Battleship, "battleship", {}, {"objective": "margin"}),
    (Battleship, "battleship", {"rounds": 2}, {"objective": "win", "players": 3}),
    (Battleship, "battleship", {"target": 20}, {"objective": "turns"}),
    (Battleship, "battleship", {}, {"objective": "reach", "turns": 3, "goal": 20}),
    (Showdown, "boston", {}, {"objective": "points"}),
    (Showdown, "boston", {}, {"objective": "win"}),
    (Showdown, "boston", {"keep": "any"}, {"objective": "win", "players": 3}),
    (Showdown, "multiplication", {}, {"objective": "win"}),
    (Showdown, "multiplication", {"keep": "any"}, {"objective": "points"}),
    (Hearts, "hearts-due", {}, {"objective": "points"}),
    (Hearts, "hearts-due", {}, {"objective": "turns"}),
    (Hearts, "hearts-due", {}, {"objective": "win"}),
    (Hearts, "hearts-due", {"wipe": "exactly_3", "full": 50, "target": 60}, {"objective": "win", "players": 3}),
    (Card, "double-cameroon", {}, {"objective": "points"}),
    (Card, toml(CARD), {}, {"objective": "points"}),
    (Touch, "booby-trap", BOARD, {"objective": "win"}),
    (Touch, "booby-trap", BOARD, {"objective": "margin"}),
]


def name(question) -> str:
    _, game, rules, asked = question
    told = [game if isinstance(game, str) else game().id, *(f"{k}={v}" for k, v in rules.items()), *asked.values()]
    return " ".join(map(str, told))


@pytest.fixture(scope="module")
def solve():
    """Solutions, each solved once."""
    found: dict[str, kw.Solution] = {}

    def once(question) -> kw.Solution:
        key = name(question)
        if key not in found:
            _, game, rules, asked = question
            found[key] = kw.solve(kw.game(game, **rules) if isinstance(game, str) else game(), **asked)
        return found[key]

    return once


@pytest.fixture(scope="module", autouse=True)
def tell():
    checked.clear()
    yield
    print(f"\n{sum(checked.values()):,} consistency checks:", *(f"{n:,} {what};" for what, n in checked.items()))


def positions(checks: Checks, count: int) -> Iterator[Position]:
    """So many positions that can be, each drawn by chance."""
    for _ in range(40 * count):
        position = checks.draw()
        try:
            checks.solution.read(**position)
        except InputError:
            continue
        yield position
        count -= 1
        if not count:
            return
    raise AssertionError("hardly any position that is drawn can be")


def deep(draw: random.Random, position: Position) -> Position:
    """The position with far more points in hand than a turn brings, and far apart scores where they have no end."""
    deeper = dict(position)
    if "live" in position:
        deeper["turn"] = draw.choice((position["turn"], draw.randrange(80, 900)))
        if "score" in position:
            deeper |= {
                "score": draw.choice((0, draw.randrange(700))),
                "opponents": [draw.choice((0, draw.randrange(700)))],
            }
    elif "roll" in position or "dice" in position:
        deeper["turn"] = 50 * draw.randrange(draw.choice((100, 1900)))  # what follows may hold 100,000 at most
    return deeper


@pytest.mark.checks(least=10)
@pytest.mark.cases(slow=6)
@pytest.mark.parametrize("question", [one for one in QUESTIONS if one[0] in (Push, Scarney)], ids=name)
def test_answers_agree_deep_in_a_turn(question, solve, tally):
    """Where tables end: a turn read there must say what a table without an end would say."""
    checks = question[0](solve(question), 5)
    for position in positions(checks, 40):
        deeper = deep(checks.random, position)
        try:
            checks.solution.read(**deeper)
        except InputError:
            continue
        checks.position(deeper)
        checks.follow(deeper)
        tally.add()


def run_checks(question, solve, seed: int, count: int) -> None:
    checks = question[0](solve(question), seed)
    before = checked.total()
    for position in positions(checks, count):
        checks.position(position)
        checks.follow(position)
    assert checked.total() >= before + 2 * count


@pytest.mark.cases(fast=9)
@pytest.mark.parametrize("question", QUESTIONS, ids=name)
def test_answers_agree(question, solve):
    run_checks(question, solve, 1, 10)


SPREAD = [
    pytest.param(one, marks=pytest.mark.slow if one[1] != "pig" else (), id=name(one))
    for one in QUESTIONS
    if one[0] is Push and one[3].get("players", 2) > 2
]


@pytest.mark.parametrize("question", SPREAD)
def test_answers_from_a_cluster_agree(question, solve, run, at_hand, tmp_path):
    """With each other, and to the bit with those of one process."""
    _, game, rules, asked = question
    ours = tmp_path / "ours.npz"
    solve(question).save(tmp_path / "here.npz")
    line = ["solve", game, *(f"--rule={key}={value}" for key, value in rules.items())]
    line += [f"--{key}={value}" for key, value in asked.items()]
    assert run(*line, "--cluster", "local:2", "-o", str(ours)).status == 0
    assert ours.read_bytes() == (tmp_path / "here.npz").read_bytes()
    run_checks(question, lambda question: kw.load(ours), 6, 20)


@pytest.mark.cases(slow=6)
@pytest.mark.parametrize("question", QUESTIONS, ids=name)
def test_answers_agree_at_many_positions(question, solve):
    run_checks(question, solve, 2, 80)


def words(solution: kw.Solution, position: Position) -> list[str]:
    """A position as command-line words."""
    found = []
    for key, value in position.items():
        if isinstance(value, bool):
            found += [f"--{key}"] if value else []
        else:
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            found += [f"--{key.replace('_', '-')}", text]
    return found


@pytest.mark.cases(fast=9)
@pytest.mark.parametrize("question", [one for one in QUESTIONS if isinstance(one[1], str)], ids=name)
def test_the_command_line_prints_the_numbers_of_the_api(question, solve, run):
    kind, game, rules, asked = question
    solution = solve(question)
    line = [game, *(f"--rule={key}={value}" for key, value in rules.items())]
    line += [f"--{key}={value}" for key, value in asked.items()]
    for position in positions(kind(solution, 3), 2):
        told = words(solution, position)
        answer = json.loads(run("value", *line, *told, "--json").out)
        found = solution.position_value(**position)
        assert answer["value"] == found.value
        assert answer.get("seats", []) == list(found.seats)
        assert answer["error_bound"] == found.error_bound
        assert answer["fingerprint"] == solution.fingerprint
        advised = json.loads(run("advise", *line, *told, "--json").out)
        assert advised["choices"] == [choice.as_json() for choice in solution.advise(**position).choices]
        checked["the command line prints the API's numbers"] += 2 + len(advised["choices"])


MONOTONE = [one for one in QUESTIONS if one[0] is Push and one[2].get("finish") not in ("exact", "last_round")]
MONOTONE = [one for one in MONOTONE if one[3].get("players", 2) == 2]  # of three, two may gain by a third one's points
MONOTONE = [one for one in MONOTONE if one[1] != "beartrap" or one[2].get("finish") == "at_least"]


@pytest.mark.checks(least=20)
@pytest.mark.cases(fast=7)
@pytest.mark.parametrize("question", MONOTONE, ids=name)
def test_more_points_never_hurt(question, solve, tally):
    checks = Push(solve(question), 4)
    solution, sign = checks.solution, -1 if checks.objective == "turns" else 1
    for position in positions(checks, 40):
        value = sign * checks.best(position)
        grain, worse = solution.game.data.grain, -1
        for key, better in (("score", 1), ("turn", 1), ("opponents", worse)):
            if key not in position or (key == "score" and checks.objective == "points"):
                continue
            more = grain * checks.random.randint(1, 20)
            changed = {**position, key: [position[key][0] + more] if key == "opponents" else position[key] + more}
            try:
                other = sign * checks.best(changed)
            except InputError:
                continue
            checked["more points never hurt"] += 1
            tally.add()
            assert better * (other - value) >= -2 * checks.bound, (position, changed)


# game, objective, and rules from worse to better for whoever is asked about
ORDERED = [
    ("5000", "turns", [{"target": 3000, "opening": o} for o in (1000, 500, 300)]),
    ("5000", "turns", [{"target": 3000, "minimum": m} for m in (500, 300, 250, 0)]),
    ("5000", "turns", [{"target": t} for t in (5000, 3000, 2000, 1000)]),
    ("5000", "turns", [{"target": 3000, "minimum_on_win": m} for m in (True, False)]),
    ("5000", "points", [{"set_aside": s} for s in ("all", "free")]),
    ("5000", "points", [{"straight": s} for s in (0, 500, 1500)]),
    ("5000", "points", [{"kinds": k} for k in ("plain", "doubling")]),
    ("5000", "points", [{"opening": o} for o in (2000, 1000, 500, 300)]),
    ("beartrap", "points", [{"straight": s} for s in (0, 1000, 1500)]),
    ("farkle", "points", [{"set_aside": s} for s in ("all", "free")]),
    ("pig", "turns", [{"target": t} for t in (100, 80, 50, 20)]),
    ("scarney", "points", [{"double": d} for d in ("off", "free")]),
    ("scarney", "points", [{"little": d} for d in ("dead", "score")]),
    ("battleship", "points", [{"crew": c} for c in ("both", "hybrid", "each")]),
    ("boston", "points", [{"keep": k} for k in ("forced", "any")]),
    ("multiplication", "points", [{"keep": k} for k in ("forced", "any")]),
    ("hearts-due", "turns", [{"wipe": w} for w in ("at_least_3", "exactly_3")]),
    ("hearts-due", "points", [{"full": f} for f in (25, 35, 50)]),
]


@pytest.mark.cases(fast=9)
@pytest.mark.parametrize(("game", "objective", "rules"), ORDERED)
def test_a_better_rule_is_never_worse(game, objective, rules):
    solutions = [kw.solve(kw.game(game, **one), objective) for one in rules]
    sign = -1 if objective == "turns" else 1
    for worse, better in pairwise(solutions):
        checked["a better rule is never worse"] += 1
        assert sign * (better.value() - worse.value()) >= -(better.error_bound + worse.error_bound)


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize(("game", "goal"), [("5000", 2000), ("pig", 60), ("battleship", 12), ("hearts-due", 60)])
def test_more_turns_and_nearer_goals_help(game, goal):
    grain = {"5000": 50, "pig": 1, "battleship": 1, "hearts-due": 5}[game]
    by_turns = [kw.solve(game, "reach", turns=turns, goal=goal) for turns in range(1, 7)]
    by_goal = [kw.solve(game, "reach", turns=4, goal=goal - step * 2 * grain) for step in range(5)]
    for solutions in (by_turns, by_goal):
        for worse, better in pairwise(solutions):
            checked["more turns and nearer goals help"] += 1
            assert better.value() >= worse.value() - better.error_bound - worse.error_bound


def test_a_page_replaces_only_pages_by_its_default_name(run, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("page", "pig", "--rule", "target=20", "--no-sheet")
    assert run("export", "pig", "--rule", "target=20", "-o", "pig.html").status == 0
    exported = (tmp_path / "pig.html").read_bytes()
    refused("refusing to overwrite pig.html (not an adviser page); name a file, such as -o my-pig.html", *words)
    assert (tmp_path / "pig.html").read_bytes() == exported
    assert run(*words, "-o", "pig.html").status == 0
    assert run(*words).status == 0  # a page is replaced by a page
