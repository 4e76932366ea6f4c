"""Every sheet of a push-your-luck turn can be played under its rules, and its price is what it states.

The sheet is read by somebody who knows the printed page alone (``sheet_readers``). Turns are followed through the
played game, with the chance of every fall, until hardly any chance is left.
"""

from __future__ import annotations

import re

import pytest
import subjects
from sheet_readers import hand_in_words, reader_of

from keepwise.api import solve_problem
from keepwise.output.sheets import make_sheet
from keepwise.policies.levels import at_level
from keepwise.solvers import make_problem as ask
from keepwise.util.errors import InputError

FAMILIES = ("push", "one turn")
LEVELS = (1, 2, 3)  # level 4 is for the win
LEFT = 1e-13  # chance that is not followed any more
MOST_STEPS = 40_000  # falls and decisions that are followed for one sheet; a longer turn is not followed
MOST_FALLS = 252  # of the dice that a turn begins with
MOST_SECONDS = 2.0  # that solving may be estimated to take
LEAST = {"toy": 66, "file": 30, "game": 4}  # sheets that are played, by kind of subject


class TooLongError(Exception):
    """A turn takes too many steps."""


def played(playable, read):
    """The points of a turn on average by the page: every throw with its chance, throws of the same kind together."""
    total, steps, layer = 0.0, 0, {playable.start(): 1.0}
    while layer:
        following = {}
        for position, chance in layer.items():
            if playable.stage(position) == "over":
                points = float(playable.payoffs(position)[0])
                total += chance * (-points if playable.fewer_is_better else points)
                continue
            if playable.stage(position) == "throw":
                falls = list(playable.rolls(position))
                ways = sum(weight for weight, _ in falls)
                led = [(weight / ways, after) for weight, after in falls]
            else:
                choices = playable.choices(position)
                action = choices[0].action
                if len(choices) > 1:
                    action = read({**playable.to_dict(position), "hand": hand_in_words(playable, position)}, choices)
                led = [(1.0, next(choice.after for choice in choices if choice.action == action))]
            steps += len(led)
            if steps > MOST_STEPS:
                raise TooLongError
            for share, after in led:
                following[after] = following.get(after, 0.0) + chance * share
        ended = sum(following[one] for one in following if playable.stage(one) == "over")
        done = sum(following.values()) - ended < LEFT
        layer = {one: chance for one, chance in following.items() if not done or playable.stage(one) == "over"}
    return total


def stated(sheet):
    """What the sheet says that it costs, and within what."""
    price, bound = re.search(r"In full, the sheet costs (\S+) [^,]+, within (\S+)\.", " ".join(sheet.facts)).groups()
    return float(price), float(bound)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEAST)
def test_sheets_reach_the_values_they_state(kind, tally):
    count = 0
    for subject in subjects.games():
        if subject.kind != kind or subject.changes or subject.game.family not in FAMILIES:
            continue
        problem = ask(subject.game, "points", 1)
        start = problem.playable.start()
        if problem.playable.stage(start) == "throw" and len(list(problem.playable.rolls(start))) > MOST_FALLS:
            continue
        try:
            if problem.estimate_cost(1).seconds > MOST_SECONDS:
                continue
            solution = solve_problem(problem, threads=1)
        except InputError:  # points of such a turn are not solved at all
            continue
        at_level.cache_clear()
        for level in LEVELS:
            sheet = make_sheet(solution, level=level)
            try:
                brings = played(problem.playable, reader_of(sheet))
            except TooLongError:
                continue
            loss = (brings - solution.value()) if problem.playable.fewer_is_better else (solution.value() - brings)
            price, bound = stated(sheet)
            assert loss == pytest.approx(price, abs=bound + 1e-9), (str(subject), level)
            count += 1
    assert count >= LEAST[kind]
    tally.add(count)
