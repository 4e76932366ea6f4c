"""Points in fractions: within the error bound of the float, or refused for a reason that the played game confirms."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
import subjects

from keepwise import solvers
from keepwise.api import solve_problem
from keepwise.certify import exact_values as module
from keepwise.play.referee import STEPS
from keepwise.util.errors import InputError

MOST_SECONDS = 2.0  # that solving may be estimated to take

MOST_POSITIONS = 2000  # followed here, where the program follows more
# By kind of subject: how many give a fraction at least, how many are refused because a turn is endless.
LEAST = {"toy": (27, 4), "game": (6, 0), "file": (9, 4)}


def asked(subject):
    """Points of a toy or a rule file as it is; of a game, and of a card, cut down until it is small."""
    if subject.kind == "game" or subject.game.family != "push":
        return subjects.Question(subject, "points", 1).problem
    return solvers.make_problem(subject.game, "points", 1)


def is_unstopped(playable, throw, rules):
    """Whether nobody stops before a throw: it must be made, or no fall of the dice loses the points in hand."""
    if throw.forced or rules.never_stops:
        return True
    return all(
        any(choice.follow_up != "end" for choice in playable.choices(fallen)) for _, fallen in playable.rolls(throw)
    )


def key(throw):
    """What tells throws apart but for the points in hand."""
    return throw.dice, throw.forced, throw.over


def next_throws(playable, throw):
    """The throws that can follow; 1,000 more points in hand stand for any number."""
    choices = (choice for _, fallen in playable.rolls(throw) for choice in playable.choices(fallen))
    return [
        playable.with_turn_points(one.after, 1000 * playable.rules.grain) for one in choices if one.follow_up == "roll"
    ]


def can_repeat(playable):
    """Whether throws before which nobody stops can follow each other without end, by walking the played turn."""
    reached, todo = {}, [playable.start()]
    while todo:
        throw = todo.pop()
        if key(throw) not in reached:
            reached[key(throw)] = throw
            todo += next_throws(playable, throw)
    leads = {name: {key(one) for one in next_throws(playable, throw)} for name, throw in reached.items()}
    left = {name for name, throw in reached.items() if is_unstopped(playable, throw, playable.rules)}
    while last := {name for name in left if not leads[name] & left}:
        left -= last
    return bool(left)


def is_true(refusal, playable):
    """Whether what a refusal says is so."""
    if found := re.match(r"too large for exact fractions: ([\d,]+) positions and ([\d,]+) steps so far", refusal):
        positions, steps = (int(number.replace(",", "")) for number in found.groups())
        return positions > MOST_POSITIONS or steps > STEPS * MOST_POSITIONS
    if found := re.match(r"the exact fraction has ([\d,]+) digits", refusal):
        return int(found[1].replace(",", "")) > module.MAX_DIGITS
    if found := re.match(r"too large for exact fractions: a turn has ([\d,]+) roll classes", refusal):
        return int(found[1].replace(",", "")) > module.MAX_ROLL_CLASSES
    return refusal == module.ENDLESS_TURN_MESSAGE and can_repeat(playable)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEAST)
def test_points_in_fractions(kind, monkeypatch, tally):
    monkeypatch.setattr(module, "MAX_POSITIONS", MOST_POSITIONS)
    equal, endless, bounded, untrue = 0, 0, 0, list[tuple[str, str]]()
    for subject in subjects.games():
        if subject.kind != kind or subject.changes or "points" not in subject.game.objectives:
            continue
        problem = asked(subject)
        try:
            if problem.estimate_cost(1).seconds > MOST_SECONDS:
                continue
            solution = solve_problem(problem, threads=1)
        except InputError:  # points of such a turn are not solved at all
            continue
        start = problem.playable.start()
        module.exact_referee.cache_clear()
        try:
            told = solution.position_value(start, exact=True)
        except InputError as refused:
            if not is_true(str(refused), problem.playable):
                untrue.append((str(subject), str(refused)))
            endless += str(refused) == module.ENDLESS_TURN_MESSAGE
            continue
        for value, exact in zip(told.seats or (told.value,), told.exact, strict=True):
            assert abs(Fraction(value) - exact) <= told.error_bound, str(subject)
        equal += 1
        bounded += getattr(problem.game.data, "bust_above", 0) > 0
    assert not untrue
    least, least_endless = LEAST[kind]
    assert equal >= least
    tally.add(equal)
    assert endless >= least_endless
    assert bounded >= (kind == "file")  # twenty-one
