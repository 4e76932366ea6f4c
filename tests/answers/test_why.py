"""Why: every number in the sentences is one of the position, worked out here from values and throws alone."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction

import pytest
from playwalk import walk

import keepwise as kw
from keepwise.play.input_parser import scores_from_mover
from keepwise.util.errors import InputError
from keepwise.util.number_format import format_loss, format_percent, format_value

QUESTIONS = [
    ("5000", {}, "win"),
    ("5000", {}, "turns"),
    ("5000", {}, "points"),
    ("beartrap", {}, "win"),
    ("pig", {}, "win"),
    ("scarney", {}, "win"),
    ("battleship", {}, "win"),
    ("boston", {"keep": "any"}, "win"),
    ("multiplication", {}, "win"),
    ("double-cameroon", {}, "points"),
    ("yahtzee", {}, "points"),
    ("hearts-due", {}, "win"),
    ("booby-trap", {}, "win"),
    ("booby-trap", {"variant": "solitaire"}, "reach"),
]


def test_why_separates_wipes_from_busts(run):
    """Two-Dice Pig: of 36 throws ten show one 1, which loses the turn, and one shows two, which loses the score."""
    solution = kw.solve(kw.load_rules("pig-two-dice"))
    asked = {"score": 20, "opponents": [30], "turn": 10, "dice": 2}
    advice, why = solution.advise(**asked), solution.why(**asked)
    throw = next(choice for choice in advice.choices if choice.follow_up == "roll")
    assert (throw.bust, throw.wipe) == (10 / 36, 1 / 36)
    assert {"bust": 10 / 36, "wipe": 1 / 36}.items() <= throw.as_json().items()
    assert why.best.wrong == pytest.approx(1 - solution.value(score=30, opponents=[20]), abs=1e-12)
    assert why.best.wiped == pytest.approx(1 - solution.value(score=30), abs=1e-12)
    mean = (10 * why.best.wrong + why.best.wiped + 25 * why.best.right) / 36
    assert mean == pytest.approx(throw.value, abs=1e-12)
    said = "busting 27.8% of the time and losing the whole score 2.8% of the time"
    assert said in advice.explain()
    words = "--rules pig-two-dice --score 20 --opponents 30 --turn 10 --dice 2"
    told = run(f"advise {words} --why").out
    reasons = " ".join(told.split())
    assert "busts 27.8% of the time, which leaves " in reasons
    assert ", and loses the whole score 2.8% of the time, which leaves " in reasons
    assert re.search(r"value +costs +busts  wipes\n .* 27\.8%   2\.8%\n", told)
    sheet = run("export --rules pig-two-dice --objective points -f text").out
    assert "a roll busts  a roll wipes the score" in sheet
    assert re.search(r"27\.8% +2\.8%", sheet)


def test_why_states_the_value_after_a_bust_without_turn_points():
    """Hog: six dice without a 1 in (5/6)^6 of throws, and who busts stands as before, the other to move."""
    solution = kw.solve(kw.load_rules("hog"))
    side = solution.why(score=25, opponents=[31]).best
    assert side.mishap == pytest.approx(1 - (5 / 6) ** 6, abs=1e-15)
    assert side.wrong == pytest.approx(1 - solution.value(score=31, opponents=[25]), abs=1e-12)
    assert side.mishap * side.wrong + (1 - side.mishap) * side.right == pytest.approx(side.value, abs=1e-12)


def test_why_omits_impossible_mishaps(run):
    """Every throw of Threes scores: no column of busts, and no sentence."""
    told = run("advise --rules threes --objective points --turn 0 --dice 5 --why")
    assert told.status == 0, told.err
    assert "bust" not in told.out
    assert "wipe" not in told.out
    assert "wipe" not in run("advise pig --turn 20 --dice 1 --why").out


@pytest.mark.parametrize(("objective", "most"), [("win", 1e-4), ("points", 0.01), ("turns", 1e-4), ("margin", 1e-4)])
def test_costs_have_a_digit_more_than_the_values_beside_them(objective, most):
    """18.3 and 17.7 may lie 0.54 apart; who reads 0.5 beside them takes it for a wrong difference."""
    rng = random.Random(objective)
    for _ in range(1000):
        better, loss = rng.random(), rng.random() * 10 ** -rng.randrange(3)
        shown = [float(numbers(format_value(one, objective))[0]) for one in (better + loss, better)]
        told = float(numbers(format_loss(loss, objective))[0]) / (100 if objective == "win" else 1)
        if "below" in format_loss(loss, objective):
            assert loss < told
            continue
        assert abs(told - loss) <= most / 2 * (1 + 1e-9)
        assert numbers(format_loss(loss, objective))[0].strip("0.")
        scale = 100 if objective == "win" else 1
        assert abs((shown[0] - shown[1]) / scale - told) <= 11 * most  # what both values' rounding leaves


def numbers(text):
    """The numbers of a sentence, as written."""
    return re.findall(r"[+-]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", text)


FAST = ("pig", "scarney", "battleship", "boston", "booby-trap", "yahtzee")


CASES = [(*one, 1) for one in QUESTIONS if one[0] in FAST]
CASES += [pytest.param(*one, 4, marks=pytest.mark.slow) for one in QUESTIONS]


@pytest.mark.cases(fast=3, slow=8)
@pytest.mark.parametrize(("game", "rules", "objective", "most"), CASES)
def test_every_number_is_one_of_the_position(game, rules, objective, most):
    solution = kw.solve(kw.game(game, **rules), objective)
    playable, rng = solution.playable, random.Random(game)
    met = [one for one in dict.fromkeys(walk(playable, 3, 6 if most > 1 else 1)) if playable.stage(one) == "choose"]
    met = [one for one in met if len(playable.choices(one)) > 1] or met
    for position in rng.sample(met, min(most, len(met))):
        advice, mover = solution.advise(position), playable.player_to_move(position)
        asked = rng.choice(advice.choices[1:] or advice.choices)
        why = solution.why(position, asked.action if rng.random() < 0.7 else None)
        assert why.best.action == advice.best.action
        by_words = {choice.action: choice for choice in advice.choices}
        told = set()
        for side in (why.best, why.other):
            if side is None:
                continue
            choice = by_words[side.action]
            assert (side.value, side.loss, side.tie) == (choice.value, choice.loss, choice.tie)
            told |= {
                *numbers(side.action),
                *numbers(format_value(choice.value, objective)),
                *numbers(format_loss(choice.loss, objective)),
            }
            told |= of_endings(playable, position, choice, side)
            told |= {f"{chance * points:,.1f}" for chance, points in side.boxes().values()}  # expected points of a box
            if choice.bust is None:
                assert side.mishap is side.wrong is side.right is None
                told |= {f"{one:,}" for one in side.scores}
                if side.still is not None:
                    before = sum(scores_from_mover(playable, position)[:1])
                    assert before + side.points + side.still == pytest.approx(choice.value, abs=1e-12)
                    told |= {str(choice.points), str(before), *numbers(format_value(side.still, "points"))}
                assert list(side.scores) == standing(playable, choice.after, mover, bool(side.scores))
                continue
            assert side.mishap == float(playable.mishap_probability(choice.after))
            told |= set(numbers(format_percent(side.mishap)))
            if side.right is None:
                continue
            good, bad = split(solution, choice, mover)
            assert side.right == pytest.approx(float(good[1] / good[0]), abs=1e-9)
            told |= set(numbers(format_value(side.right, objective)))
            assert Fraction(bad[0], good[0] + bad[0]) == playable.mishap_probability(choice.after)
            if bad[0]:
                assert side.wrong == pytest.approx(float(bad[1] / bad[0]), abs=1e-9)
                told |= set(numbers(format_value(side.wrong, objective)))
        if playable.game.family == "card" and why.other is not None:
            told |= of_reason(why)
        if why.lead is not None:
            mine, *others = scores_from_mover(playable, position)
            assert why.lead == mine - max(others)
            told.add(f"{abs(why.lead):,}")
        if why.missing is not None:
            assert why.missing == playable.parameters["goal"] - scores_from_mover(playable, position)[0]
            told.add(f"{why.missing:,}")
        if "A bank needs" in why.text:
            told.add(f"{playable.min_bank(position):,}")
            assert all(choice.follow_up in ("stop", "roll") for choice in playable.choices(position))
        assert set(numbers(why.text)) <= told | set(numbers(playable.note(position))), why.text
        assert len(why.text.replace(why.note, "").split(". ")) <= 5


def of_reason(why):
    """The numbers that may be told of two turns of a card: how many points more, and how much more comes later."""
    best, other = (
        sum(end.chance * end.points for end in side.endings) if side.points is None else side.points
        for side in (why.best, why.other)
    )
    shown = [*numbers(format_loss(abs(best - other), "points"))]
    shown += numbers(format_loss(abs(why.other.loss - best + other), "points"))
    return {*shown, f"{abs(round(best - other)):,}"}


def of_endings(playable, position, choice, side):
    """The numbers that may be told of how a turn ends: chances and means by box, and against what stopping brings."""
    if not side.endings:
        return set()
    assert sum(one.chance for one in side.endings) == pytest.approx(2.0 if two_boxes(playable) else 1.0, abs=1e-9)
    stops = [one.points for one in playable.choices(position) if one.follow_up in ("bank", "stop")]
    assert side.beside == max(stops, default=playable.total_to_beat(position))
    chances, told = {}, set()
    for one in side.endings:
        chances.setdefault(one.box, []).append((one.chance, one.points))
    for rows in chances.values():
        there = sum(chance for chance, _ in rows)
        told |= {*numbers(format_percent(there)), f"{sum(chance * points for chance, points in rows) / there:.1f}"}
        told |= set(numbers(format_percent(sum(chance for chance, points in rows if not points))))
    if "" in chances:
        beside = side.beside or 0
        told |= {
            f"{beside:,}",
            *numbers(format_percent(sum(chance for chance, points in chances[""] if points > beside))),
        }
        told |= set(numbers(format_percent(sum(chance for chance, points in chances[""] if points < beside))))
        told |= set(numbers(format_value(sum(chance * points for chance, points in chances[""]), "points")))
    return told | {"0.0"}


def two_boxes(playable):
    return playable.game.family == "card" and playable.card.boxes == 2


ENDS = [
    ("battleship", {}, "win", {"round": 3, "cast": 1, "roll": "65443"}),
    ("battleship", {}, "win", {"round": 3, "cast": 2, "roll": "65421"}),
    ("boston", {"keep": "any"}, "win", {"throw": 1, "roll": "653", "seat": 1, "beat": 14, "tied": 1}),
    ("scarney", {}, "win", {"live": 3, "roll": "3dd"}),
    ("booby-trap", {}, "win", {}),
    ("yahtzee", {}, "points", {"throw": 2, "roll": "11532"}),
]


@pytest.mark.parametrize(("game", "rules", "objective", "asked"), ENDS, ids=lambda one: str(one)[:12])
def test_how_a_turn_ends(game, rules, objective, asked):
    """By walking every throw in fractions, with advice at every decision: no code of the endings' own."""
    solution = kw.solve(kw.game(game, **rules), objective)
    playable, position = solution.playable, solution.read(**asked)
    why = solution.why(position)
    mover, known = playable.player_to_move(position), {}

    def ends(here):
        if here not in known:
            if playable.stage(here) == "throw":
                falls = list(playable.rolls(here))
                parts = [(Fraction(weight, sum(one for one, _ in falls)), ends(fall)) for weight, fall in falls]
            else:
                best = solution.advise(here).best
                over = playable.is_turn_start(best.after) or playable.stage(best.after) == "over"
                parts = [(Fraction(1), {last(here, best): Fraction(1)} if over else ends(best.after))]
            known[here] = added = {}
            for weight, found in parts:
                for end, chance in found.items():
                    added[end] = added.get(end, 0) + weight * chance
        return known[here]

    def last(here, best):
        if playable.game.family != "card":
            return "", best.points
        points, name = re.fullmatch(r"enter (\d+) in (.*)", best.action).groups()
        return name, int(points)

    compared = 0
    for side in (why.best, why.other):
        choice = next(one for one in playable.choices(position) if one.action == side.action)
        if playable.stage(choice.after) != "throw" or playable.is_turn_start(choice.after) or side.mishap:
            assert not side.endings
            continue
        expected = ends(choice.after)
        assert {(one.box, one.points) for one in side.endings} == set(expected)
        for one in side.endings:
            assert one.chance == pytest.approx(float(expected[one.box, one.points]), abs=1e-12)
        assert [one.chance for one in side.endings] == sorted((one.chance for one in side.endings), reverse=True)
        compared += 1
    assert compared
    assert mover == playable.player_to_move(position)


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(
    ("game", "objective", "asked"),
    [
        ("yahtzee", "points", {"throw": 2, "kept": "55"}),
        ("double-cameroon", "points", {"throw": 3, "kept": "6666655"}),
        ("battleship", "win", {"round": 3, "cast": 2, "kept": "654"}),
        ("boston", "win", {"throw": 2, "kept": "6"}),
    ],
)
def test_why_lists_the_ends_of_a_turn_before_a_forced_roll(game, objective, asked):
    why = kw.solve(game, objective).why(**asked)
    assert why.other is None
    assert why.best.endings
    assert re.search("the turn most often fills|the turn then scores", why.text)


@pytest.mark.slow
def test_why_describes_the_boxes_of_a_card():
    """Two 1s and a 2-3-5 after the second throw: by the chances of ``test_how_a_turn_ends``, as text."""
    text = kw.solve("yahtzee", "points").why(throw=2, roll="11532").text
    assert text.startswith(
        "Keep 1 1, roll 3 dice: this aims at ones or full house; it averages 9.40 points less in this turn than"
        " keep 2 3 5, roll 2 dice, but 9.63 points more later. The best choice leads to 245.1 points; the turn most"
        " often fills ones (87.5% of the time, then 2.5 points on average), full house (9.3%, then 25.0 points on"
        " average)."
        " Keep 2 3 5, roll 2 dice: this leads to 244.9 points; the turn most often fills twos (25.0% of the time,"
    )
    assert text.endswith(
        "that is 0.23 points worse. However, it scores more in small straight: 5.8 points on"
        " average instead of 0.8, counting no points if this turn fills another box."
    )


UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = ("three of a kind", "four of a kind", "full house", "small straight", "large straight")
REASONS = [
    (
        "yahtzee",
        "points",
        {"throw": 3, "roll": "22346", "used": ["sixes=18"], "score": 18},
        "Enter 4 in twos: this leaves chance open; it scores 13 points less now than enter 17 in chance, but averages"
        " 17.05 points more later. The best choice leads to 237.2 points in the end (18 points so far, 4 now and",
    ),
    (
        "yahtzee",
        "points",
        {"throw": 1, "roll": "23456"},
        "Keep all: 2 3 4 5 6: this enters 40 in large straight; it averages 4.44 points more in this turn than keep 2",
    ),
    (
        "yahtzee",
        "points",
        {"throw": 3, "roll": "12555", "used": [*UPPER, *LOWER], "upper": 60},
        "Enter 0 in yahtzee: this gives up yahtzee and leaves chance open; it scores 18 points less now than enter 18",
    ),
    (
        "double-cameroon",
        "points",
        {"throw": 3, "roll": "2234566661"},
        "Little cameroon 21 (1 2 3 4 5) and sixes 24 (2 6 6 6 6): this leaves large cameroon open; it scores 3 points"
        " less now than large cameroon 30 (2 3 4 5 6) and sixes 18 (1 2 6 6 6), but averages 8.88 points more later.",
    ),
]


@pytest.mark.parametrize(("game", "objective", "asked", "beginning"), REASONS)
def test_why_of_a_card_begins_with_its_reason(game, objective, asked, beginning):
    """Compared with the next best: points now, by the boxes; later, the loss less these points."""
    why = kw.solve(game, objective).why(**asked)
    assert why.text.startswith(beginning)
    assert "reason" not in why.as_json()


@pytest.mark.slow
def test_why_of_a_card_for_two_compares_the_chance_to_win():
    text = kw.solve("double-cameroon").why(throw=3, roll="2234566661").text
    assert ", but has a chance to win that is 18.60 percentage points higher. The best choice leaves a 55.0%" in text


def test_why_before_a_turn_states_the_value_of_the_roll():
    """Whose turn begins leaves nothing to anybody yet; of a card every box is still to come."""
    text = kw.solve("boston").why().text
    assert text.startswith(
        "There is nothing to choose. Roll the dice: this leads to a 50.0% chance to win; the turn then scores 12.9"
    )
    assert "on average (nothing in 46.0% of cases). " in kw.solve("battleship").why().text
    text = kw.solve("yahtzee", "points").why().text
    assert text == "There is nothing to choose. Roll all 5 dice: this leads to 254.6 points."


def standing(playable, after, mover, told):
    """The scores after a choice that ends the turn, by the fields of the position."""
    if not told:
        return []
    fields = playable.to_dict(after)
    around = [fields["score"], *fields.get("opponents", [])]
    return [
        around[(mover - playable.player_to_move(after) + one) % playable.players] for one in range(playable.players)
    ]


def split(solution, choice, mover):
    """Weight and weighted value of the falls that keep the points in hand, and of those that lose them all."""
    playable, found = solution.playable, {True: [0, Fraction()], False: [0, Fraction()]}
    weights, falls = zip(*playable.rolls(choice.after), strict=True)
    for weight, after, value in zip(weights, falls, solution.values(falls).tolist(), strict=True):
        assert playable.player_to_move(after) == mover
        choices = playable.choices(after)
        lost = max(one.points for one in choices) < choice.points and choices[0].follow_up != "win"
        found[lost][0] += weight
        found[lost][1] += weight * Fraction(value)
    return found[False], found[True]


def test_why_says_that_a_choice_is_forced():
    why = kw.solve("hearts-due").why(score=20, opponents=[30])
    assert why.other is None
    assert why.text.startswith("Roll all six dice: this wipes 6.2% of the time; it is worth")
    assert why.text.endswith("There is nothing to choose in this game: roll all six dice.")


@pytest.mark.slow
def test_why_names_the_rule_that_forces_a_choice():
    solution = kw.solve("booby-trap")
    why = solution.why(left=[12, 15, 18], score=8, opponents=[11], passes=4, touched="large", feel="tight")
    assert "Every player has passed twice in a row" in why.text
    opening = kw.solve("5000").why(opponents=[3500], turn=0, roll="12346")
    assert opening.text.endswith("A bank needs at least 500 points.")
    assert "A bank needs" not in kw.solve("5000").why(score=2000, opponents=[3500], turn=300, roll="12346").text
    joker = kw.solve("yahtzee", "points").why(used=["ones", "yahtzee=50"], upper=3, roll="44444", throw=3)
    assert joker.text.endswith("in its upper box while that is open, otherwise in a lower box (joker=forced).")


def test_how_far_there_is_to_go():
    why = kw.solve("pig", "reach", goal=60, turns=3).why(score=20, turn=10, roll="4")
    assert why.text.endswith("Before this turn you need 40 more points in 3 turns.")
    assert (why.lead, why.missing, why.turns) == (None, 40, 3)


def test_why_words_ends_of_turns_and_further_rolls():
    text = kw.solve("battleship").why(round=3, cast=2, roll="65443").text
    assert text.startswith("Keep the 4, roll the 3 again: this leads to a 57.2% chance to win; the turn then scores ")
    assert ". Stop and score 7: this leaves a 56.1% chance to win, with a score of 7 against 0" in text


POSITION = "--score 20 --opponents 50 --turn 10 --dice 1"


def test_advise_why(run):
    said = run(f"advise pig {POSITION} --why").out.split("\n\n")[0].splitlines()
    text = " ".join(said[2:])
    assert text.startswith("Roll 1 die: this busts 16.7% of the time, which leaves a 22.1% chance to win;")
    about = json.loads(run("advise", "pig", *POSITION.split(), "--why", "--against", "bank", "--json").out)["why"]
    assert about["other"]["action"] == "bank 10"
    assert about["text"] == text
    assert max(map(len, said[2:])) < 80


def test_why_refuses(run):
    wrong = run("advise", "pig", *POSITION.split(), "--why", "--against", "fly")
    assert wrong.status == 2
    assert "fly is not a choice here; choose from: bank 10; roll 1 die" in wrong.err
    assert "--against requires --why" in run("advise", "pig", *POSITION.split(), "--against", "bank").err
    with pytest.raises(InputError, match="fits several choices"):
        kw.solve("5000").why(score=2000, opponents=[3500], turn=300, roll="11532", choice="roll")
