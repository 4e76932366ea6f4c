"""Booby Trap as it is played: the pass rule, the variants, many players, the compiled board beside it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from playwalk import refused, walk

import keepwise as kw
from keepwise.games.touch_odds import SIZES
from keepwise.play import playable
from keepwise.play.game_file import GameFile, SeatedPlayer
from keepwise.play.input_parser import format_turn, split_roll_and_choice
from keepwise.play.touch import are_possible_scores
from keepwise.solvers import make_problem
from keepwise.solvers.touch.listing import reachable_score_pairs
from keepwise.util.errors import InputError


def make_playable(board=(20, 20, 20), players=None, objective=None, **rules):
    game = kw.game("booby-trap", **dict(zip(SIZES, board, strict=True)), **rules)
    return playable(game, players, objective=objective or game.objectives[0])


def actions(trap, position):
    return [choice.action for choice in trap.choices(position)]


def turn(trap, position, then, tripped=False):
    """One turn: touch a piece of the first size offered and pass, or take it."""
    felt = next(after for _, after in trap.rolls(trap.choices(position)[0].after))
    (after,) = (choice.after for choice in trap.choices(felt) if choice.follow_up == then)
    if then == "pass":
        return after
    (fallen,) = (fall for _, fall in trap.rolls(after) if fall.tripped == tripped)
    return trap.choices(fallen)[0].after


def test_the_pass_rule_of_the_source():
    # Three players: six passes, and the next must take; five passes and a take, and the next may pass.
    trap = make_playable(players=3)
    position = trap.start()
    for _ in range(6):
        position = turn(trap, position, "pass")
    assert (position.seat, position.passes) == (0, 6)
    assert "Every player has passed twice" in trap.note(position)
    (felt, *_) = (after for _, after in trap.rolls(trap.choices(position)[1].after))
    assert actions(trap, felt) == ["take the piece"]
    position = trap.start()
    for _ in range(5):
        position = turn(trap, position, "pass")
    position = turn(trap, position, "take")
    assert (position.seat, position.passes, position.scores) == (0, 0, (0, 0, 3))
    assert not trap.note(position)
    (felt, *_) = (after for _, after in trap.rolls(trap.choices(position)[1].after))
    assert actions(trap, felt) == ["pass", "take the piece"]


def test_a_turn():
    trap = make_playable()
    start = trap.start()
    assert actions(trap, start) == ["touch a large piece", "touch a medium piece", "touch a small piece"]
    touched = trap.choices(start)[1].after
    assert (trap.stage(touched), trap.to_dict(touched)["touched"]) == ("throw", "medium")
    feels = [(ways, after.feel) for ways, after in trap.rolls(touched)]
    assert feels == [(7, 0), (7, 1), (6, 2)]  # 0.35, 0.35, 0.30 of the odds that ship
    tight = trap.position(touched="medium", feel="tight", score=5, opponents=-3, left="19,18,20")
    _, take = trap.choices(tight)
    assert (take.points, trap.mishap_probability(take.after), trap.mishap_probability(tight)) == (
        2,
        Fraction(3, 4),
        None,
    )
    holds, trips = trap.rolls(take.after)
    assert (holds[0], trips[0]) == (1, 3)
    (held,), (tripped,) = trap.choices(holds[1]), trap.choices(trips[1])
    assert (held.action, tripped.action) == ("the bar holds: 2 points", "the bar trips: 3 points lost")
    assert held.after == trap.position(score=-3, opponents=7, seat=1, left="19,17,20")
    assert tripped.after == trap.position(score=-3, opponents=2, seat=1, left="19,17,20")
    assert trap.position(touched="medium", feel="tight", tripped=True) == trap.position(touched="medium", tripped=True)


def test_a_feel_or_a_trip_that_cannot_be_does_not_fall():
    odds = {size: {"loose": {"chance": 1, "trip": 0}, "tight": {"chance": 0, "trip": 1}} for size in SIZES}
    trap = make_playable(odds=odds)
    assert [after.feel for _, after in trap.rolls(trap.position(touched="large"))] == [0]
    for feel, tripped in (("loose", False), ("tight", True)):
        falls = trap.rolls(trap.position(touched="large", feel=feel, taking=True))
        assert [after.tripped for _, after in falls] == [tripped]


def test_variants():
    trap = make_playable((1, 2, 1), variant="in_order")
    assert actions(trap, trap.start()) == ["touch a small piece"]
    assert trap.note(trap.start()) == "Only one size may be touched."
    free = make_playable(variant="no_pass")
    assert actions(free, free.position(touched="large", feel="loose")) == ["take the piece"]
    assert "Passing is not allowed" in free.note(free.start())
    alone = make_playable((1, 1, 2), variant="solitaire", trips=1)
    position = alone.position(left="1,1,1", trips=1, passes=2)
    assert "You have passed twice" in alone.note(position)
    assert alone.payoffs(turn(alone, position, "take", tripped=True)) == (0,)
    last = turn(alone, position, "take")
    assert last == alone.position(left="0,1,1", trips=1)
    assert alone.payoffs(turn(alone, last, "take")) == (1,)


def test_touch_payoffs_by_objective_and_final_scores():
    """The last piece won or lost; those at the top share the win, and what the others pay for their distance."""
    half = Fraction(1, 2)
    ends = {(0, 3, 3): ("win", (0, half, half)), (1, 3, -2): ("win", (0, 1, 0))}
    ends |= {(-1, 3, 3): ("margin", (-4, 2, 2)), (0, 1, -3): ("margin", (-1, 5, -4))}
    for scores, (objective, outcome) in ends.items():
        trap = make_playable((4, 0, 0), 3, objective)
        before = replace(trap.start(), scores=(scores[0] + 3, *scores[1:]), size=0, tripped=True)
        (choice,) = trap.choices(before)
        assert choice.after.scores == scores
        assert trap.payoffs(choice.after) == outcome


@pytest.mark.parametrize(
    ("board", "players", "objective", "rules"),
    [
        ((2, 3, 2), 2, "win", {}),
        ((3, 2, 2), 2, "margin", {"variant": "in_order", "penalty": 0}),
        ((2, 2, 3), 3, "margin", {"variant": "no_pass"}),
        ((3, 3, 3), 5, "win", {"large_points": 0, "penalty": 5}),
        ((3, 3, 2), 1, "reach", {"variant": "solitaire"}),
        ((20, 20, 20), 4, "win", {}),
    ],
)
def test_games_at_random(board, players, objective, rules):
    for _ in walk(make_playable(board, players, objective, **rules), 3, 1 if sum(board) > 20 else 12):
        pass


# --- two readings: the board as it is compiled for the kernel

ODDS = {  # in eighths, so that floats are exact
    "large": {"loose": {"chance": "1/4", "trip": "1/8"}, "tight": {"chance": "3/4", "trip": "1/2"}},
    "medium": {"loose": {"chance": "1/2", "trip": "0"}, "tight": {"chance": "1/2", "trip": "3/8"}},
    "small": {"loose": {"chance": "7/8", "trip": "1/4"}, "tight": {"chance": "1/8", "trip": "1"}},
}


@pytest.mark.parametrize("variant", ["standard", "in_order", "no_pass", "solitaire"])
def test_two_readings_of_a_turn(variant):
    """With whole numbers for what the next boards are worth, a board's turns are the same numbers in both."""
    board = (2, 1, 2)
    trap = make_playable(board, odds=ODDS, variant=variant)
    compiled = make_problem(trap.game).whole_board
    after = np.random.default_rng(4).integers(-50, 50, compiled.shape).astype(float)
    alone = trap.players == 1

    @cache
    def run(position):
        """Worth of a position of the same board to its mover."""
        return max(mean(trap.rolls(choice.after), held) for choice in trap.choices(position))

    def held(position):
        worths = {}
        for choice in trap.choices(position):
            if choice.follow_up == "take":
                worths["take"] = mean(trap.rolls(choice.after), gone)
            else:
                worths["pass"] = run(choice.after) * (1 if alone else -1)
        assert worths["take"] == turns.take_values[position.size][position.feel, lanes[place(position)], 0]
        return max(worths.values())

    def gone(position):
        (choice,) = trap.choices(position)
        then = choice.after
        to = then.trips if alone else then.opponents[0] - then.score  # the lead of the player who has just moved
        return Fraction(after[(*then.left, compiled.origin + to)])

    def place(position):
        return position.trips if alone else position.score - position.opponents[0]

    boards = 0
    for left in product(*(range(count + 1) for count in board)):
        if sum(left) <= trap.rules.last_pieces or (variant == "in_order" and out_of_order(left, board)):
            continue
        missing, boards = sum(board) - sum(left), boards + 1
        turns, lanes = turns_on(compiled, after, left, missing)
        runs = turns.solve()
        for passes, lead in product(range(trap.rules.max_passes + 1), range(-2, 4)):
            gone_by_size = tuple(count - less for count, less in zip(board, left, strict=True))
            if not (0 <= lead <= missing if alone else are_possible_scores(trap.rules, gone_by_size, (lead, 0))):
                continue
            scores = () if alone else (lead, 0)
            position = replace(trap.start(), left=left, scores=scores, trips=lead if alone else 0, passes=passes)
            assert run(position) == runs[passes][lanes[lead], 0]
    assert boards >= 3


def turns_on(axis, after, left, gone):
    """The turns on a board, and the lanes of the places that there can be."""
    places = np.arange(0 if axis.sign > 0 else -gone * axis.step, gone * axis.step + 1)
    return axis.turns_of_board(after, left, places), {place: lane for lane, place in enumerate(places.tolist())}


@pytest.mark.parametrize("rules", [{}, {"variant": "in_order"}, {"variant": "no_pass"}, {"variant": "solitaire"}])
def test_the_kernel_solves_the_equations_to_the_bit(rules):
    board = (3, 2, 4)
    asked = make_problem(make_playable(board, **rules).game)
    axis, after = asked.whole_board, asked.solve(1, lambda done: None).arrays["after"]
    for left in product(*(range(count + 1) for count in board)):
        if sum(left) > asked.rules.last_pieces:
            turns, lanes = turns_on(axis, after, left, sum(board) - sum(left))
            first = axis.origin + min(lanes)
            stored = after[left][first : first + len(lanes)]
            assert np.array_equal(turns.solve()[0][:, 0], stored if axis.sign > 0 else -stored[::-1])


def mean(falls, worth):
    falls = list(falls)
    return sum((ways * worth(after) for ways, after in falls), Fraction(0)) / sum(ways for ways, _ in falls)


def out_of_order(left, board):
    return any(left[size] < board[size] and any(left[size + 1 :]) for size in range(2))


# --- positions that cannot occur


@pytest.mark.parametrize("rules", [{}, {"large_points": 0, "penalty": 2}, {"penalty": 0}])
def test_score_pairs_of_two_equal_the_possible_scores(rules):
    """The same question for two players, answered pair by pair of scores."""
    trap = make_playable((3, 2, 3), **rules)
    for gone in [(1, 0, 0), (1, 2, 0), (2, 1, 3), (0, 0, 3)]:
        pairs, most = reachable_score_pairs(trap.rules, gone)
        for mine, theirs in product(range(-13, 14), repeat=2):
            near = max(abs(mine), abs(theirs)) <= most
            can_be = near and pairs >> ((mine + most) * (2 * most + 1) + theirs + most) & 1
            assert are_possible_scores(trap.rules, gone, (mine, theirs)) == can_be


def test_scores_of_three_by_enumeration():
    trap = make_playable((3, 3, 3), 3)
    gone = (1, 1, 1)
    reached = set()
    for fates in product(
        [None, *product(range(3), (True, False))], repeat=3
    ):  # jumped out, or whose, and whether it held
        scores = [0, 0, 0]
        for points, fate in zip((3, 2, 1), fates, strict=True):
            if fate:
                scores[fate[0]] += points if fate[1] else -3
        reached.add(tuple(scores))
    for scores in product(range(-10, 8), repeat=3):
        assert are_possible_scores(trap.rules, gone, scores) == (scores in reached)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"left": "12,15"}, "left: expected 3 numbers (large, medium and small pieces), got 2"),
        ({"left": "21,2,2"}, "left must be at most 20 for large pieces, as many as at the start, not 21"),
        ({"left": "1,0,1"}, "left cannot be 2 pieces in all: the game is over when 2 pieces are left"),
        ({"left": "20,20,19", "score": 4}, "the scores 4 and 0 are not possible after 1 piece taken"),
        ({"passes": 5}, "passes must be at most 4, not 5"),
        ({"feel": "loose"}, "feel requires touched, the size of the piece"),
        ({"taking": True}, "taking requires touched, the size of the piece"),
        ({"touched": "huge", "feel": "loose"}, "touched must be one of large, medium, small, not 'huge'"),
        ({"touched": "large", "feel": "sticky"}, "feel must be one of loose, springy, tight, not 'sticky'"),
        ({"touched": "large", "taking": True}, "taking requires feel, how the piece sits: loose, springy, tight"),
        ({"left": "0,20,20", "touched": "large"}, "no large piece is left to touch"),
        ({"opponents": [1, 2]}, "opponents: expected 1 score for 2 players, got 2"),
        ({"seat": 2}, "seat must be between 0 (the player who began) and 1, not 2"),
        ({"trips": 1}, "unknown field 'trips'"),
        ({"score": 10**30}, "score has too many digits; at most 18 are supported"),
    ],
)
def test_touch_positions_that_cannot_occur_are_refused(told, says):
    assert says in refused(make_playable(), **told)


def test_more_that_cannot_occur():
    order = make_playable((2, 2, 2), variant="in_order")
    assert "large pieces cannot have been taken while smaller pieces are left" in refused(order, left="1,2,1")
    assert "a large piece cannot be touched while smaller pieces are left" in refused(
        order, touched="large", feel="loose"
    )
    assert "unknown field 'passes'" in refused(make_playable(variant="no_pass"), passes=1)
    alone = make_playable((2, 2, 2), variant="solitaire")
    assert "trips must be at most 3, not 4: with more, the game is lost" in refused(alone, trips=4)
    assert "trips must be at most 0, the number of pieces taken so far, not 1" in refused(alone, trips=1)
    assert "the game is over when one piece is left" in refused(alone, left="0,0,1")
    with pytest.raises(kw.InputError, match="cannot be combined with Booby Trap"):
        playable(kw.game("booby-trap", variant="solitaire"), objective="reach", goal=3)
    with pytest.raises(kw.InputError, match="the board has 6 pieces, but the game ends when 7 are left"):
        make_playable((2, 2, 2), 7)


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        (
            "touch a large piece; springy; take the piece; not tripped",
            "(springy), then takes the piece, then the bar holds: 3 points",
        ),
        (
            "touch a large piece; loose; take the piece; tripped",
            "(loose), then takes the piece, then the bar trips: 3 points lost",
        ),
        ("touch a large piece; tight; pass", "(tight), then passes"),
    ],
)
def test_a_turn_in_one_line(entries, sentence):
    """The feel of the piece is in it, and a roll that the last choice repeats is not."""
    game = GameFile(kw.playable("booby-trap", 2), (SeatedPlayer("Ann"), SeatedPlayer("Bob")), "mine")
    for entry in entries.split("; "):
        game.play_line(entry)
    steps = [(step.line_text, step.choice) for step in game.steps]
    assert format_turn(game.playable, steps) == f"touches a large piece {sentence}"


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [("large, tripped", "large tripped"), ("they took a large piece", "large"), ("he passed", "pass")],
)
def test_results_of_turns_in_spoken_words(spoken, plain):
    trap = make_playable()
    start = trap.start()
    assert trap.play_whole_turn(start, spoken) == trap.play_whole_turn(start, plain)


def test_two_words_that_are_no_result_are_refused():
    trap = make_playable()
    with pytest.raises(InputError, match="small loose is not the result of a turn"):
        trap.play_whole_turn(trap.start(), "small loose")
    assert split_roll_and_choice(trap, trap.start(), "small loose") is None
