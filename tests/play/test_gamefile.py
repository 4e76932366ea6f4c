"""Game files: what is written is read back as the same game, and a line that cannot be is refused with its place."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from patience import PATIENCE
from random_games import brought, played_at_random, seated

import keepwise as kw
from keepwise.games import FILES
from keepwise.games.rulefile.loader import load_rules
from keepwise.play.game_file import GameFile, SeatedPlayer, parse, read_game_file
from keepwise.util.errors import InputError

TWO = (SeatedPlayer("Ann"), SeatedPlayer("Bob", "hold:300"))
TABLES = {
    **{game: (lambda game=game: kw.playable(game)) for game in FILES},
    "yahtzee": lambda: kw.playable("yahtzee", objective="points"),
    "turns": lambda: kw.playable("5000", objective="turns"),
    "reach": lambda: kw.playable("pig", objective="reach", turns=8),
    "chips": lambda: kw.playable(kw.game("scarney", double="chips"), objective="chips"),
    "three": lambda: kw.playable(kw.game("boston", keep="any"), 3),
    "margin": lambda: kw.playable("battleship", objective="margin"),
    "house": lambda: kw.playable(load_rules("pig-two-dice")),
    "exact": lambda: kw.playable(kw.game("5000", finish="exact")),
}


@cache
def played_of(name):
    return played_at_random(TABLES[name](), 5)


@pytest.mark.cases(fast=9)
@pytest.mark.parametrize("name", [name for name in TABLES if name != "chips"])
def test_whole_turns_lead_where_their_events_lead(name):
    """What a turn brought, told at its start, leads where its throws and choices lead."""
    playable, begun, seen = played_of(name).playable, None, Counter()
    for step in played_of(name).steps:
        if playable.is_turn_start(step.position):
            begun = step.position
        if playable.is_turn_start(step.after) or playable.stage(step.after) == "over":
            told = brought(playable, step)
            assert playable.play_whole_turn(begun, told) == step.after, told
            seen[told] += 1
    assert seen


HEAD = "game: 5000\nseat: Ann = person\nseat: Bob = hold:300\nseed: 7\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "g.kw:1: not a game file: missing required line 'game: ID', such as 'game: 5000'"),
        ("game: 5001\n", "g.kw:1: unknown game '5001'; did you mean 5000?"),
        ("game: 5000\n", "g.kw:1: missing required line 'seat: NAME = PLAYER'"),
        ("game: 5000\ngame: pig\n", "g.kw:2: game is given twice"),
        (
            "game: 5000\nrule: minimun=250\nseat: A\nseat: B\n",
            "g.kw:2: unknown rule 'minimun' of 5000; did you mean minimum?",
        ),
        ("game: 5000\nrule: minimum=often\nseat: A\nseat: B\n", "g.kw:2: minimum must be a whole number, not 'often'"),
        ("game: 5000\nrules: {\nseat: A\n", "g.kw:2: rules must be a JSON object"),
        ("game: 5000\nseat: A\nseat: a\n", "g.kw:3: two seats have names that cannot be told apart"),
        ("game: 5000\nseat: seed\n", "g.kw:2: invalid name of a seat: 'seed' is a keyword"),
        ("game: 5000\nobjective: wim\nseat: A\nseat: B\n", "g.kw:2: unknown objective 'wim' of 5000; did you"),
        (
            "game: 5000\nobjective: turns\nseat: A\nseat: B\n",
            "g.kw:2: the objective turns is for one player, so players must be 1",
        ),
        ("game: 5000\nseat: A\nseat: B\nseed: x\n", "g.kw:4: seed must be a whole number, not 'x'"),
        ("game: 5000\nseat: A\nseat: B\ndice: yours\n", "g.kw:4: dice must be program or mine, not 'yours'"),
        ("game: 5000\nseat: A\nseat: B\nstart: pig:x\n", "g.kw:4: not an id of a position: pig:x"),
        (HEAD + "\nAnn: 1 1 5 3\n", "g.kw:6: expected 5 dice, got 4: 1 1 5 3"),
        (HEAD + "Ann: 1 1 5 3 7\n", "g.kw:5: no die has the face '7'; the faces are 1, 2, 3, 4, 5, 6"),
        (HEAD + "Bob: 1 1 5 3 2\n", "g.kw:5: it is the turn of Ann, not of Bob"),
        (
            HEAD + "Anne: 1 1 5 3 2\n",
            "g.kw:5: expected a line that begins with the seat to move, 'Ann:'; known: Ann, Bob",
        ),
        (HEAD + "Ann 1 1 5 3 2\n", "g.kw:5: expected a line that begins with the seat to move, 'Ann:'"),
        (HEAD + "Ann: 1 1 5 3 2\nAnn: keep 3, bank 300\n", "g.kw:6: 3 scores nothing in this roll; choose from:"),
        (HEAD + "Ann: 1 1 5 3 2\nAnn: roll\n", "g.kw:6: roll fits several choices: keep 1 1 5, roll 2 dice;"),
        (
            HEAD + "Ann: 1 1 5 3 2\nrule: minimum=0\n",
            "g.kw:6: a line 'rule:' must be in the header, before the first event",
        ),
        (
            HEAD + "Ann: 500\n",
            "g.kw:5: no die has the face '0'; the faces are 1, 2, 3, 4, 5, 6; for a whole turn, write Ann: turn 500",
        ),
        (HEAD + "undo\n", "g.kw:5: cannot undo 1 line: the game has 0 lines so far"),
        (
            HEAD + "Ann: turn 450\n",
            "g.kw:5: 450 points are too few to bank: the minimum is 500; for no points, type bust",
        ),
        (HEAD + "Ann: turn 5000\nBob: 1 1 1 1 1\n", "g.kw:6: the game is over; remove the lines that follow"),
    ],
)
def test_lines_that_cannot_be_are_refused_with_their_place(text, what):
    with pytest.raises(InputError) as caught:
        parse(text.splitlines(), "g.kw")
    assert str(caught.value).startswith(what)
    assert "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*: file not found"):
        read_game_file(tmp_path / "none.kw")
    (tmp_path / "bits").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"cannot read .*: it is not UTF-8 text"):
        read_game_file(tmp_path / "bits")
    with pytest.raises(InputError, match="folder"):
        read_game_file(tmp_path)


@pytest.mark.parametrize(
    ("game", "typed", "recorded"),
    [
        ("pig", "bank 20", "20"),
        ("5000", "I got 600 points", "600"),
        ("yahtzee", "0 for twos; crossed out twos; Twos: 0", "twos 0"),
        ("yahtzee", "chance, 20; enter 20 in chance", "chance 20"),
        ("double-cameroon", "sixes 12 and fives 10; sixes 12, fives 10", "sixes 12, fives 10"),
        ("booby-trap", "passed; touched a large one and then passed", "pass"),
        ("booby-trap", "Large; took large; he took the large piece", "large"),
        ("booby-trap", "he took a large piece and the bar tripped; large, tripped", "large tripped"),
    ],
)
def test_results_of_turns_are_recorded_in_one_form(game, typed, recorded):
    playable = kw.playable(game)
    for text in typed.split("; "):
        table = GameFile(playable, tuple(SeatedPlayer(name) for name in ("You", "Ann")[: playable.players]), "mine")
        table.play_line(f"turn {text}")
        assert table.steps[-1].line_text == f"turn {recorded}", text
        lines = table.to_text().splitlines()
        assert parse(lines, "g.kw").steps[-1].after == table.steps[-1].after


def test_handwritten_game_files_are_read():
    """Comments, capitals, dice in every natural way, whole turns, what is undone."""
    text = """# an evening
game: 5000
rule: opening=300
seat: Ann
seat: Bob = best

ANN: 1 1 1, 5 3
ann: 111 bank
# Bob told us his total only
Bob: turn 450
Ann: 1,1,1,2,3
Ann: keep 1 1 1, roll
Ann: 2 2
undo 2
Ann: 111 bank
"""
    game = parse(text.splitlines(), "g.kw")
    assert game.playable.game.rules["opening"] == 300
    assert (game.dice, [seat.player for seat in game.seats]) == ("mine", ["person", "best"])
    assert game.position.scores == (2000, 450)
    assert [step.line_number for step in game.written_steps] == [7, 8, 10, 11, 15]


def test_a_whole_turn_may_be_entered_at_a_forced_first_choice():
    """Only small pieces are left: touching one happens by itself, and what the turn brought may still be told."""
    playable = kw.playable("booby-trap")
    start = playable.id(playable.position(left=[0, 0, 6], score=8, opponents=[11]))
    text = (
        f"game: booby-trap\nseat: Ann\nseat: Bob\nstart: {start}\n\nAnn: turn pass\nBob: turn small\nAnn: turn pass\n"
    )
    game = parse([*text.splitlines(), "undo", "Ann: turn small tripped"], "g.kw")
    assert [step.kind for step in game.steps if step.line_text] == ["turn"] * 3
    assert game.position.scores == (5, 12)
    assert parse(game.to_text().splitlines(), "g.kw").position == game.position
    with pytest.raises(InputError, match=r"^g.kw:8: turn small is not a choice here|^g.kw:8: feel cannot be turn"):
        parse([*text.splitlines()[:6], "Bob: tight", "Bob: turn small"], "g.kw")


def test_the_same_seed_throws_the_same_whatever_was_undone():
    first, second = (
        played_at_random(kw.playable("pig"), 3),
        GameFile(kw.playable("pig"), seated(kw.playable("pig")), seed=3),
    )
    for step in first.steps[:4]:
        if step.kind == "throw":
            second.roll()
            second.undo()
            second.roll()
        elif step.line_text:
            second.choose(step.choice)
    assert [step.after for step in second.steps[:4]] == [step.after for step in first.steps[:4]]


def test_dice_of_the_program_fall_as_they_should():
    """Of 1,200 first throws of Pig each face falls a sixth of the time, within five standard deviations."""
    playable, faces = kw.playable("pig"), Counter()
    for seed in range(1200):
        game = GameFile(playable, seated(playable), seed=seed)
        game.roll()
        faces[game.steps[0].after.roll] += 1
    assert len(faces) == 6
    assert all(abs(count - 200) < 5 * 13 for count in faces.values())


ODD = ("undo 99", "undo x", "turn", "turn -1", ":", "x: y", "Ann:", "seed: 1e9", "\x00", "goal: 5", "9" * 5000)


@pytest.mark.parametrize("seed", [0, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 2, 3))])
def test_bent_files_are_read_or_refused_in_a_line(seed):
    """Lines dropped, doubled, swapped, cut and changed: never anything else than a game or one line with its place."""
    rng, refused, read = random.Random(seed), [], 0
    for name in ("5000", "scarney", "booby-trap", "house"):
        lines = played_of(name).to_text().splitlines()[:30]
        for _ in range(100 * PATIENCE if seed else 5):
            bent = list(lines)
            for _ in range(rng.randrange(1, 4)):
                place, other = rng.randrange(len(bent)), rng.randrange(len(bent))
                line = bent[place]
                cut = rng.randrange(len(line) + 1)
                cases = ("", line + line, line[:cut], line[cut:], bent[other], line + rng.choice("1:=#,x "))
                bent[place] = rng.choice((*cases, rng.choice(ODD)))
            try:
                parse(bent, "g.kw")
                read += 1
            except InputError as error:
                refused.append(str(error))
    assert refused
    assert read
    assert all(said.startswith("g.kw:") and "\n" not in said and len(said) < 1000 for said in refused)
