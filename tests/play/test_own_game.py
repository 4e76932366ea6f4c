"""The examples of docs/own-game.md print what is written there, and their values are right."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

import keepwise as kw
from keepwise.play.input_parser import parse_choice

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "own-game.md").read_text()
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
*PRINTED, SESSION = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
CALL = re.search(r"`(solution\.play\(seed=.*?\))`", PAGE)[1]
EXAMPLES = list(zip(CODE, PRINTED, strict=True))


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=["dice", "hand", "race"])
def test_documented_example_prints_its_output(code, printed, capsys):
    exec(code, {"__name__": "example"})
    assert capsys.readouterr().out == printed


def test_value_of_costly_dice_equals_plain_value_iteration():
    def spots(roll):
        return float(sum(7 - die if roll.count(die) > 1 else die for die in roll))

    rolls = list(combinations_with_replacement(range(1, 7), 3))
    kept_sets = [kept for size in range(3) for kept in combinations_with_replacement(range(1, 7), size)]
    value = {roll: spots(roll) for roll in rolls}
    for _ in range(100):
        again = {
            kept: sum(value[tuple(sorted(kept + rest))] for rest in product(range(1, 7), repeat=3 - len(kept)))
            / 6 ** (3 - len(kept))
            for kept in kept_sets
        }
        value = {
            roll: max(
                spots(roll),
                *(again[tuple(die for die, stays in zip(roll, mask, strict=True) if stays)] - 1
                  for mask in product((0, 1), repeat=3) if sum(mask) < 3),
            )
            for roll in rolls
        }  # fmt: skip
    mean = sum(value[tuple(sorted(roll))] for roll in product(range(1, 7), repeat=3)) / 216
    assert f"{mean:.5f}" == EXAMPLES[0][1].splitlines()[0]


@pytest.mark.slow
def test_value_of_midnight_equals_plain_enumeration():
    """1-4-24 from all rolls as counts by face, and all sets of dice that may be set aside."""

    @cache
    def rolls(dice):
        counts = Counter(tuple(map(sorted(roll).count, range(1, 7))) for roll in product(range(1, 7), repeat=dice))
        return [(roll, Fraction(ways, 6**dice)) for roll, ways in counts.items()]

    @cache
    def mean(dice, has_one, has_four, spots):
        if not dice:
            return Fraction(spots - 5 if has_one and has_four else 0)
        return sum(share * max(after(dice, has_one, has_four, spots, roll)) for roll, share in rolls(dice))

    def after(dice, has_one, has_four, spots, roll):
        for aside in product(*(range(count + 1) for count in roll)):
            if any(aside):
                total = spots + sum(face * count for face, count in enumerate(aside, 1))
                yield mean(dice - sum(aside), has_one or aside[0] > 0, has_four or aside[3] > 0, total)

    expected = Fraction(5058047990207219, 270826551115776)
    assert mean(6, False, False, 0) == expected
    names = {"__name__": "example"}
    exec(CODE[1], names)
    assert abs(names["solution"].value() - expected) <= names["solution"].error_bound


class Duel(kw.OwnGame):
    """Two players take chips by a roll of one die or two; who takes the last chip wins."""

    objective = "win"
    players = 2

    def start(self):
        return (6, 0, 0)  # chips, the seat to move, and dice to roll: 0 before the choice

    def player_to_move(self, position):
        return position[1]

    def is_turn_start(self, position):
        return position[2] == 0

    def actions(self, position):
        chips, seat, dice = position
        if dice == 0:
            yield "one die", (chips, seat, 1)
            yield "two dice", (chips, seat, 2)

    def rolls(self, position):
        chips, seat, dice = position
        for roll in product((1, 2), repeat=dice):
            yield 1, (max(0, chips - sum(roll)), 1 - seat, 0)

    def payoffs(self, position):
        chips, seat, _ = position
        return () if chips else (Fraction(seat), Fraction(1 - seat))


def duel_rolls(dice):
    return [sum(roll) for roll in product((1, 2), repeat=dice)]


@cache
def duel_chance(chips):
    """The chance of the player to move if both play best, in fractions."""
    if chips <= 0:
        return Fraction(0)
    return max(mean_chance(chips, dice, duel_chance) for dice in (1, 2))


def mean_chance(chips, dice, chance):
    rolls = duel_rolls(dice)
    return 1 - sum(chance(chips - roll) for roll in rolls) / len(rolls)


@cache
def cautious_chance(chips):
    """The chance of a player to move who always rolls one die, against best play of the game."""
    return mean_chance(chips, 1, reply_to_cautious) if chips > 0 else Fraction(0)


@cache
def reply_to_cautious(chips):
    """The chance of the other player to move, who plays as if both played best."""
    if chips <= 0:
        return Fraction(0)
    best = max((1, 2), key=lambda dice: mean_chance(chips, dice, duel_chance))
    return mean_chance(chips, best, cautious_chance)


def test_game_of_two_players_has_the_values_of_plain_recursion():
    solution = kw.solve_playable(Duel())
    assert abs(solution.value() - duel_chance(6)) <= solution.error_bound
    evaluation = solution.evaluate(lambda playable, position: playable.choices(position)[0])
    assert evaluation.value == pytest.approx(float(cautious_chance(6)), abs=1e-12)
    assert evaluation.value < solution.value()
    games = 2000
    wins = solution.simulate("best", games=games).seats[0].wins
    assert abs(wins / games - duel_chance(6)) < 4 * 0.5 / games**0.5


def answer_prompts(monkeypatch, answers):
    """Let the next prompts be answered, and the answers be printed as on a terminal; then the input ends."""
    left = iter(answers)

    def answer(prompt):
        text = next(left, None)
        print(prompt, end="" if text is None else f"{text}\n")
        if text is None:
            raise EOFError
        return text

    monkeypatch.setattr("builtins.input", answer)


def test_documented_game_at_the_prompt(monkeypatch, capsys):
    names = {"__name__": "example"}
    exec(CODE[2], names)
    capsys.readouterr()
    answer_prompts(monkeypatch, re.findall("^You> (.+)$", SESSION, re.MULTILINE))
    exec(CALL, names)
    assert capsys.readouterr().out == SESSION


class LongDuel(Duel):
    def start(self):
        return (25, 0, 0)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_played_game_costs_what_plain_recursion_says(monkeypatch, capsys, seat, seed):
    """The transcript is replayed by the rules: choices cost differences of values, and luck explains the rest."""
    answers = ["two dice", "c", "?", "  ONE ", "b", *["a", "b"] * 12]
    answer_prompts(monkeypatch, answers)
    solution = kw.solve_playable(LongDuel())
    solution.play(seat=seat, seed=seed)
    shown = capsys.readouterr().out

    def share(chance, mover):
        return chance if mover == seat else 1 - chance

    chips, mover, dice = 25, 0, 0
    start = value = share(duel_chance(chips), mover)
    costs, luck, words = Fraction(0), Fraction(0), {"one die": 1, "two dice": 2}
    for name, event in re.findall(r"^(You|Engine): (.+)$", shown, re.MULTILINE):
        assert (name == "You") == (mover == seat)
        if event in words:
            dice = words[event]
            after = share(mean_chance(chips, dice, duel_chance), mover)
            costs += value - after
            assert name == "You" or after == value
        else:
            left, next_mover, no_dice = map(int, re.fullmatch(r"roll: \((\d+), (\d), (\d)\)", event).groups())
            assert (next_mover, no_dice) == (1 - mover, 0)
            assert left in {max(0, chips - roll) for roll in duel_rolls(dice)}
            chips, mover = left, next_mover
            after = share(duel_chance(chips), mover)
            luck += after - value
        value = after
    assert chips == 0
    assert value == start - costs + luck
    players = ("You", "Engine") if seat == 0 else ("Engine", "You")
    payoffs = ", ".join(f"{name} {int(number != mover)}" for number, name in enumerate(players))  # by Duel.payoffs
    assert f"Game over: {payoffs}." in shown
    assert costs > 0
    assert f"Your choices cost {float(100 * costs):.2f} pp in all." in shown
    assert "c is not the letter of a choice here; the letters are a and b" in " ".join(shown.split())


@pytest.mark.parametrize("answers", [["Q"], []])
def test_play_stops_when_the_player_stops(monkeypatch, capsys, answers):
    answer_prompts(monkeypatch, answers)
    kw.solve_playable(Duel()).play(seed=1)
    assert capsys.readouterr().out.endswith("The game was not finished.\nYour choices cost nothing in all.\n")


class OddWords(kw.OwnGame):
    """One choice, whose words look like letters and differ only in capitals and commas."""

    words = ("b", "a", "A,", "q")

    def start(self):
        return ""

    def rolls(self, position):
        return []

    def actions(self, position):
        return [] if position else [(word, word) for word in self.words]

    def payoffs(self, position):
        return (self.words.index(position),) if position else ()


@pytest.mark.parametrize(("text", "payoff"), [("b", 0), ("a", 1), ("A,", 2), ("c", 2), ("d", 3)])
def test_exact_words_of_a_choice_come_before_letters(monkeypatch, capsys, text, payoff):
    answer_prompts(monkeypatch, [text])
    kw.solve_playable(OddWords()).play()
    assert f"Game over: You {payoff}." in capsys.readouterr().out


@pytest.mark.parametrize("text", ["draw card", "draw a card"])
def test_exact_words_of_a_choice_keep_their_article(monkeypatch, text):
    monkeypatch.setattr(OddWords, "words", ("draw card", "draw a card"))
    playable = kw.solve_playable(OddWords()).playable
    assert parse_choice(playable, playable.start(), text).action == text


def test_play_refuses_other_games_and_seats():
    with pytest.raises(kw.InputError, match="for a game of your own; for this game, type keepwise play pig"):
        kw.solve("pig", "points").play()
    for seat in (-1, 2):
        with pytest.raises(kw.InputError, match=f"seat must be 0 or 1, not {seat}"):
            kw.solve_playable(Duel()).play(seat=seat)


def duel_with(**methods):
    return type("Broken", (Duel,), methods)()


BROKEN = {
    "is_turn_start is False there": {"is_turn_start": kw.OwnGame.is_turn_start},
    "player_to_move must be 0 or 1, not 2": {"player_to_move": lambda self, position: position[1] + 1},
    "payoffs must have 2 numbers, not 1": {"payoffs": lambda self, position: () if position[0] else (5,)},
    "must be shares that add up to 1, not (1, 1)": {"payoffs": lambda self, position: () if position[0] else (1, 1)},
    "payoffs must be a tuple with a number for each player, not 3": {"payoffs": lambda self, position: 3},
    "must be whole numbers, fractions or floats, not 1": {"payoffs": lambda self, position: ("1", "0")},
    "the weight of a roll must be a whole number of at least 1, not -1": {
        "rolls": lambda self, position: [(-1, (0, 0, 0))]
    },
    "the weight of a roll must be a whole number of at least 1, not 0.5": {
        "rolls": lambda self, position: [(0.5, (0, 0, 0))]
    },
    "rolls must yield pairs of a weight and a position, not (1, 2, 3)": {"rolls": lambda self, position: [(1, 2, 3)]},
    "it has no payoffs, no actions and no rolls": {"rolls": lambda self, position: []},
    "cannot be hashed: use tuples, not lists": {"rolls": lambda self, position: [(1, [0, 0, 0])]},
    "actions must yield pairs of words and a position, not (1, 2)": {
        "actions": lambda self, position: [] if position[2] else [(1, 2)]
    },
    "two actions have the same words: roll": {
        "actions": lambda self, position: [] if position[2] else [("roll", (6, 0, 1)), ("roll", (6, 0, 2))]
    },
}


@pytest.mark.parametrize(("message", "methods"), BROKEN.items())
@pytest.mark.parametrize("solve", [kw.solve_playable, lambda game: kw.referee(game).value(game.start())])
def test_rule_that_cannot_be_is_refused_with_its_position(message, methods, solve):
    with pytest.raises(kw.InputError, match=re.escape(message)) as caught:
        solve(duel_with(**methods))
    assert str(caught.value).startswith("Broken, position ")


def test_game_of_one_player_refuses_a_second_seat():
    with pytest.raises(kw.InputError, match="player_to_move must be 0, not 1"):
        kw.solve_playable(duel_with(players=1, objective="points"))


def test_solve_playable_refuses_other_objects():
    with pytest.raises(kw.InputError, match=r"requires a playable game, not .*; use Duel\(\)"):
        kw.solve_playable(Duel)
    with pytest.raises(kw.InputError, match=r"use kw\.solve_playable"):
        kw.solve(Duel())
    with pytest.raises(kw.InputError, match="cannot be saved: its rules are methods in Python"):
        kw.solve_playable(Duel()).save("duel.npz")


def test_commands_explain_python_files(run, tmp_path):
    path = tmp_path / "duel.py"
    path.write_text("import keepwise\n")
    for command in ("play", "value", "rules"):
        seen = run(command, str(path))
        assert seen.status == 2
        assert "is a Python program; solve a game of your own in Python with kw.solve_playable" in seen.err


class _Start(kw.OwnGame):
    """A game that goes round in circles, unless a test replaces a method."""

    def start(self):
        return 0

    def actions(self, position):
        return [("on", (position + 1) % 3)]

    def rolls(self, position):
        return []


@pytest.mark.parametrize(
    ("method", "returned", "message"),
    [
        ("start", [1], r"start returned \[1\], which cannot be hashed: use tuples, not lists"),
        ("actions", None, "position 0: actions must return or yield pairs, not None"),
        ("payoffs", (), "can return to an earlier position, 0, .* keepwise.referee solves such games"),
    ],
)
def test_bad_results_of_methods_are_named_with_the_position(monkeypatch, method, returned, message):
    monkeypatch.setattr(_Start, method, lambda *_: returned)
    with pytest.raises(kw.InputError, match=message):
        kw.solve_playable(_Start())


@pytest.mark.parametrize("text", ["stand", "end the turn", "finish"])
def test_words_of_a_choice_come_before_the_end_of_a_turn(monkeypatch, text):
    monkeypatch.setattr(OddWords, "words", ("stand with 17", "end the turn with 3", "finish the job", "bank 5"))
    playable = kw.solve_playable(OddWords()).playable
    assert parse_choice(playable, playable.start(), text).action.startswith(text)
