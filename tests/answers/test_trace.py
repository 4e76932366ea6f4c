"""A game followed: for every seat, outcome = start + luck - own errors + what the others' errors did to it."""

from __future__ import annotations

import random

import pytest

import keepwise as kw
from keepwise.games import FILES
from keepwise.util.errors import InputError

# Every game for two players and the objectives of one alone, and some for three; targets small where play is long.
QUESTIONS = [
    ("5000", {}, "win", {}),
    ("5000", {"finish": "last_round", "target": 1000}, "win", {}),
    ("5000", {}, "turns", {}),
    ("5000", {}, "points", {}),
    ("beartrap", {}, "win", {}),
    ("pig", {}, "win", {}),
    ("pig", {}, "reach", {"turns": 10}),
    ("scarney", {}, "win", {}),
    ("battleship", {}, "win", {}),
    ("battleship", {"rounds": 3}, "win", {"players": 3}),
    ("battleship", {}, "margin", {}),
    ("boston", {"keep": "any"}, "win", {"players": 3}),
    ("multiplication", {}, "win", {}),
    ("double-cameroon", {}, "points", {}),
    ("hearts-due", {}, "win", {}),
    ("booby-trap", {}, "win", {}),
    ("booby-trap", {"variant": "solitaire"}, "reach", {}),
]
SLOW = [
    *((game, {}, "win", {}) for game in FILES if game not in ("yahtzee", "double-cameroon")),
    ("yahtzee", {}, "points", {}),
    ("double-cameroon", {}, "points", {}),
]


def named(questions):
    return [f"{game}-{objective}-{number}" for number, (game, _, objective, _) in enumerate(questions)]


def played(playable, rng):
    """A game played at random, but seldom far from the first choice: its events, its end, and the turns it took."""
    position, events, turns = playable.start(), [], 0
    while (stage := playable.stage(position)) != "over":
        if stage == "throw":
            ways, falls = zip(*playable.rolls(position), strict=True)
            position = rng.choices(falls, ways)[0]
            events.append(position)
        else:
            choices = playable.choices(position)
            choice = choices[0] if rng.random() < 0.7 else rng.choice(choices)
            position = choice.after
            events.append(rng.choice([choice, choice.action, position]))
        turns += playable.is_turn_start(position) or playable.stage(position) == "over"
    return events, position, turns


def follow(solution, seed, most):
    """Follow games until so many events have been seen."""
    playable, rng, seen, mistakes = solution.playable, random.Random(seed), 0, 0
    while seen < most:
        events, end, turns = played(playable, rng)
        trace = solution.trace(None, events)
        assert trace.over
        assert len(trace.events) == len(events)
        outcome = [-turns] if playable.objective == "turns" else [float(one) for one in playable.payoffs(end)]
        for number, (seat, true) in enumerate(zip(trace.seats, outcome, strict=True)):
            rounding = 2.0**-53 * len(events) * max(abs(one) for event in trace.events for one in event.value)
            assert (
                abs(seat.start + seat.luck - seat.own_errors + seat.from_others - true) <= trace.error_bound + rounding
            )
            assert abs(seat.outcome - true) <= trace.error_bound
            assert seat.start == trace.start[number]
            own = [event for event in trace.events if event.kind == "choice" and event.seat == number]
            assert seat.mistakes <= seat.decisions == sum(len(playable.choices(one.position)) > 1 for one in own)
        for event in trace.events:
            assert event.error >= 0
            assert event.is_decision or event.error == 0
        mistakes += sum(seat.mistakes for seat in trace.seats)
        seen += len(events)
    assert (mistakes > 0) == any(len(playable.choices(one.position)) > 1 for one in trace.events if one.choice)


@pytest.mark.cases(fast=8)
@pytest.mark.parametrize(("game", "rules", "objective", "asked"), QUESTIONS, ids=named(QUESTIONS))
def test_outcome_is_start_and_luck_and_errors(game, rules, objective, asked):
    follow(kw.solve(kw.game(game, **rules), objective, **asked), game, 100)


@pytest.mark.cases(fast=0, slow=3)
@pytest.mark.parametrize(("number", "question"), list(enumerate(SLOW)), ids=named(SLOW))
def test_the_same_of_two_thousand_events(number, question):
    game, rules, objective, asked = question
    follow(kw.solve(kw.game(game, **rules), objective, **asked), number, 2000)


@pytest.mark.slow
def test_luck_and_error_are_those_of_fractions():
    """Against the referee, which shares nothing with the solvers: Pig to 10, each event's numbers exactly."""
    playable = kw.playable(kw.game("pig", target=10), players=2)
    exact, solution = kw.referee(playable, "win"), kw.solve(kw.game("pig", target=10), "win")
    rng = random.Random(5)
    for _ in range(20):
        events, _, _ = played(playable, rng)
        trace = solution.trace(playable.start(), events)
        for event in trace.events:
            if event.best is not None and playable.stage(event.best.after) == "over":
                break  # who may win now has nothing else to look at, says the referee
            before, after = exact.seat_payoffs(event.position), exact.seat_payoffs(event.after)
            assert event.change_by_seat == pytest.approx(
                [float(b - a) for a, b in zip(before, after, strict=True)], abs=1e-11
            )
            if event.choice is not None:
                best = max(exact.seat_payoffs(choice.after)[event.seat] for choice in playable.choices(event.position))
                assert event.error == pytest.approx(float(best - after[event.seat]), abs=1e-11)


def test_traces_of_unfinished_games_end_at_the_value():
    solution = kw.solve("5000")
    playable = solution.playable
    start = playable.position(score=2000, opponents=[3500], turn=300, roll="11532")
    trace = solution.trace(start, ["keep 1 1, bank 500"])
    assert not trace.over
    you, other = trace.seats
    advice = solution.advise(start)
    loss = next(choice.loss for choice in advice.choices if choice.action == "keep 1 1, bank 500")
    assert you.own_errors == trace.events[0].error == pytest.approx(loss, abs=1e-15)
    assert you.start == solution.value(start)
    assert trace.events[0].best.action == advice.best.action
    assert other.from_others == pytest.approx(loss, abs=1e-11)
    assert (you.decisions, you.mistakes, other.decisions) == (1, 1, 0)
    assert you.mean_error == you.own_errors
    assert solution.trace(playable.id(start)).seats[0].outcome == you.start


@pytest.mark.parametrize(
    ("events", "what"),
    [
        (["bank 300"], "event 1: not a possible roll in this position"),
    ],
)
def test_events_that_cannot_be(events, what):
    with pytest.raises(InputError, match=what):
        kw.solve("pig").trace(None, events)


def test_a_choice_that_is_not_there_names_those_that_are():
    solution = kw.solve("pig")
    fall = next(after for _, after in solution.playable.rolls(solution.playable.start()) if after.roll[1])
    with pytest.raises(
        InputError, match=r"^event 2: not a possible choice in this position; the choices are: keep 2, bank 2; keep"
    ):
        solution.trace(None, [fall, "bank 7"])
    over = solution.playable.position(score=98, turn=2, dice=1)
    with pytest.raises(InputError, match=r"^event 2: the game is over"):
        solution.trace(over, ["bank 2", fall])
