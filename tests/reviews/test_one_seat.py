"""Reviews of one seat of a game of scorecards, against plain enumeration that shares no code."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from beat_reference import BONUS, BONUS_AT, BOXES, CARD, points, reply, totals

import keepwise as kw
from keepwise.play.choice_kinds import ChoiceKind
from keepwise.play.game_file import GameFile, SeatedPlayer
from keepwise.reviews import estimate_review_cost, review
from keepwise.reviews.html_page import render_html
from keepwise.reviews.one_seat import game_of_one_seat, seats_of_people
from keepwise.reviews.text import format_markdown, format_text, score_sheet
from keepwise.util.errors import InputError

BOUND = 1e-12
SEATS = (SeatedPlayer("Ann"), SeatedPlayer("Bob", "best:points"))


def played(seed, players=2, seats=SEATS):
    """Return a game for several players, played at random."""
    game = GameFile(kw.playable(CARD, players), seats, seed=seed)
    generator = random.Random(seed)
    while not game.is_over:
        if game.playable.stage(game.position) == "throw":
            game.roll()
        else:
            game.choose(generator.choice(game.playable.choices(game.position)))
    return game


def card_of(own):
    """Return the open boxes, the upper total up to its bonus and the points of a scorecard."""
    return tuple(box for box in range(len(BOXES)) if not own.used >> box & 1), min(own.upper, BONUS_AT), own.score


def chance(mine, theirs):
    """Return the highest chance of one scorecard to end above another, which is filled for the most points."""
    open_boxes, upper, score = card_of(theirs)
    their_totals = {score + more: share for more, share in totals(open_boxes, upper).items()}
    return reply(*card_of(mine), their_totals)


def final_total(own):
    _, upper, score = card_of(own)
    return score + (BONUS if upper >= BONUS_AT else 0)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_a_review_for_beat_equals_plain_enumeration(seed, seat):
    game, solution = played(seed), kw.solve(CARD, "beat")
    one_seat_game = game_of_one_seat(solution.problem, game, seat)
    result = review(solution, one_seat_game)
    events = result.trace.events
    compared = 0
    for event in events:
        if event.position.throw == 1 and event.position.roll is None and not event.position.ended:
            assert abs(event.before[0] - chance(*event.position.cards)) < BOUND
            compared += 1
        if event.kind == "others":
            assert event.after.cards[0] == event.position.cards[0]
        if event.choice is not None and event.choice.kind is ChoiceKind.ENTER:
            options = {choice: chance(*choice.after.cards) for choice in solution.playable.choices(event.position)}
            assert abs(event.error - (max(options.values()) - options[event.choice])) < BOUND
            compared += 1
    assert compared >= 6
    assert sum(event.kind == "others" for event in events) >= 2
    mine, theirs = (final_total(game.position.cards[place]) for place in (seat, 1 - seat))
    (sums,) = result.seats
    assert sums.outcome == Fraction(1 + (mine > theirs) - (mine < theirs), 2)
    assert abs(sums.start + sums.luck - sums.own_errors + sums.from_others - sums.outcome) < BOUND


@pytest.mark.parametrize("players", [2, 3])
def test_a_review_for_points_equals_plain_enumeration(players):
    seats = tuple(SeatedPlayer(name) for name in ("Ann", "Bob", "Cleo")[:players])
    game, solution = played(5, players, seats), kw.solve(CARD, "points")
    for seat in range(players):
        (sums,) = review(solution, game_of_one_seat(solution.problem, game, seat)).seats
        assert abs(sums.start - points((0, 1, 2), 0)) < BOUND
        assert sums.outcome == final_total(game.position.cards[seat])
        assert sums.from_others == 0
        assert sums.decisions >= 3


def test_the_game_of_one_seat_is_its_own_rolls_and_choices():
    game = played(1)
    problem = kw.solve(CARD, "beat").problem
    for seat in (0, 1):
        one_seat_game = game_of_one_seat(problem, game, seat)
        own_lines = [step.line_text for step in game.steps if step.seat == seat]
        assert [step.line_text for step in one_seat_game.steps if step.kind != "others"] == own_lines
        others = [step for step in one_seat_game.steps if step.kind == "others"]
        assert all(step.line_text.startswith(f"{game.seats[1 - seat].name}: ") for step in others)
        assert len(others) == (3 if seat == 0 else 2)  # the turn before the first own one decides only the start
        assert len(score_sheet(one_seat_game)) == 1 + len(BOXES)  # a heading and a line for each turn


def test_a_turn_typed_as_a_whole_is_luck():
    game = GameFile(kw.playable(CARD, 2), SEATS, "mine")
    for line in ("turn sum 6", "turn threes 3", "turn ones 2", "turn sum 4", "turn threes 6", "turn ones 0"):
        game.play_line(line)
    solution = kw.solve(CARD, "beat")
    result = review(solution, game_of_one_seat(solution.problem, game, 0))
    assert [event.kind for event in result.trace.events] == ["turn", "others"] * 3
    (sums,) = result.seats
    assert (sums.decisions, sums.outcome) == (0, 1.0)
    assert abs(sums.start + sums.luck + sums.from_others - 1) < BOUND


def test_a_review_says_what_the_others_changed():
    solution = kw.solve(CARD, "beat")
    result = review(solution, game_of_one_seat(solution.problem, played(3), 0))
    text = " ".join(format_text(result).split())
    assert "+ own errors + others' turns. Luck is the effect of your rolls" in text
    assert "each turn of the others" in text
    assert "opponent" in render_html([("evening.kw", result)])
    assert "B: " not in format_markdown(result)
    assert [event["kind"] for event in result.as_json()["events"]].count("others") == 3


def test_the_cost_counts_each_turn_once(monkeypatch):
    """After a turn, its table still holds the value: the next solve is for the opponent's new card."""
    solution = kw.solve(CARD, "beat")
    solved = []
    solve_from = type(solution.problem).solve_from
    monkeypatch.setattr(
        type(solution.problem),
        "solve_from",
        lambda problem, position, *rest: solved.append(position) or solve_from(problem, position, *rest),
    )
    one_seat_game = game_of_one_seat(solution.problem, played(3), 0)
    assert estimate_review_cost(solution.problem, one_seat_game).seconds > 0
    review(solution, one_seat_game)
    assert len(solved) == len(BOXES)


def test_people_are_reviewed_and_engines_only_without_people():
    assert seats_of_people(played(1)) == [0]
    assert seats_of_people(played(1, seats=(SeatedPlayer("A", "best"), SeatedPlayer("B", "best")))) == [0, 1]


def test_what_cannot_be_judged_is_refused():
    beat = kw.solve(CARD, "beat").problem
    three = tuple(SeatedPlayer(name) for name in ("Ann", "Bob", "Cleo"))
    with pytest.raises(InputError, match="the objective beat requires two players, not 3"):
        game_of_one_seat(beat, played(1, 3, three), 0)
    with pytest.raises(InputError, match="seat by seat; only scorecards can"):
        game_of_one_seat(kw.solve(CARD, "reach", goal=5).problem, played(1), 0)
    with pytest.raises(InputError, match="Ann has not moved yet"):
        game_of_one_seat(beat, GameFile(kw.playable(CARD, 2), SEATS), 0)
