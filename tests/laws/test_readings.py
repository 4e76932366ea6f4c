"""Both readings of the rules agree, the turn that is compiled and the game as it is played: on throws and weights, on
choices, on endings, and on who may stop, at every number of points, 0 and negative ones included.

A problem is asked what throws are worth, which it finds by the compiled turn. Walked as it is played, a throw is worth
the mean over what falls of the best choice, by what is reached. That holds of solved values. Where a problem tells what
whole turns are worth (``inside``) it must hold whatever positions between turns are worth: with tables drawn at random
any ending of any turn comes to be the best, so no choice, and no stop, can be there in one reading only.
"""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
import subjects

from keepwise.answers.positions import gain_sign
from keepwise.play.walk import counts_as_turn
from keepwise.solvers import Problem, ValueTable
from keepwise.util.errors import InputError

STARTS, THROWS = 3, 40  # turns, and throws of each, that are compared
MOST_FALLS, MOST_LEADS = 500, 3000  # of throws that are compared: in how many ways they fall, and lead on in all
SKEWED = (1, 6, 6)  # powers of numbers drawn for tables: with the higher one few values are worth much


class Walked:
    """Throws of some turns as they are played: by throw what can fall, and what the mover can come to then."""

    def __init__(self, question, starts):
        self.problem, self.playable = question.problem, question.playable
        self.rng, self.most = random.Random(str(question)), MOST_LEADS * question.patience
        self.reached, self.throws = {}, {}  # numbers of positions; by throw weights and what is reached by each fall
        self.start_of, self.count = {}, 0
        for start in starts:
            self._turn(start)

    def _turn(self, start):
        """The throws of a turn, in any order."""
        todo, seen = [start], {start}
        for _ in range(THROWS):
            while todo:
                position = todo.pop(self.rng.randrange(len(todo)))
                if self.playable.stage(position) == "throw":
                    after = self.enter(position, start)
                else:  # a turn that begins with a choice
                    after = [lead for choice in self.playable.choices(position) for lead in self._leads(choice.after)]
                new = [one for one, _ in after if one not in seen and self._goes_on(one)]
                seen.update(new)
                todo += dict.fromkeys(new)
                if self.count > self.most:
                    return
                if position in self.throws:
                    break

    def enter(self, position, start):
        """Enter a throw of the turn that begins at ``start``; what it leads to."""
        falls = list(islice(self.playable.rolls(position), MOST_FALLS + 1))
        if len(falls) > MOST_FALLS:
            falls = self.rng.sample(falls, 20)
            return [lead for _, fall in falls for lead in self._leads(fall)]
        leads = [self._leads(fall) for _, fall in falls]
        numbers = [[(self.reached.setdefault(one, len(self.reached)), ends) for one, ends in some] for some in leads]
        self.start_of[position] = start
        self.throws[position] = [ways for ways, _ in falls], numbers
        self.count += sum(map(len, leads))
        return [lead for some in leads for lead in some]

    def _leads(self, position):
        """What whoever is to move can come to before dice are thrown or the turn is over, and whether it is."""
        if self.playable.stage(position) != "choose" or self.playable.is_turn_start(position):
            return [(position, counts_as_turn(self.problem.playable, position))]
        return [lead for choice in self.playable.choices(position) for lead in self._leads(choice.after)]

    def _goes_on(self, position):
        return self.playable.stage(position) == "throw" and not self.playable.is_turn_start(position)

    def compare(self, solved, told=None):
        """Hold what throws are worth by these values, or are told to be, against the mean of the best that can be come
        to. With three and more whoever moves decides, for all: of what is as good for the mover either may be chosen,
        and only the mover's share is compared.
        """
        problem, sign = self.problem, gain_sign(self.problem)
        worth = problem.seat_values(solved, [*self.throws, *self.reached])
        there, bounds = worth.values[len(self.throws) :].tolist(), worth.error_bounds.tolist()
        for number, (throw, (ways, falls)) in enumerate(self.throws.items()):
            if told is not None and (mix := problem.mixed_action(solved, self.start_of[throw])) and mix.is_mixed:
                continue  # two turns are mixed where the mover is indifferent, by solved values
            mover = self.playable.player_to_move(throw)
            total, within = np.zeros(problem.players), bounds[number]
            for weight, leads in zip(ways, falls, strict=True):
                values = [[one + ends for one in there[place]] for place, ends in leads]
                total += weight * np.array(max(values, key=lambda seats: sign * seats[mover]))
                within = max(within, *(bounds[len(self.throws) + place] for place, _ in leads))
            mean = total / sum(ways)
            off = np.abs(mean - (worth.values[number] if told is None else told[throw]))
            compared = off if problem.players < 3 else off[mover : mover + 1]
            assert compared.max() <= 2 * within + 1e-13 * np.abs(mean).max(), self.playable.id(throw)

    def inside(self, solved):
        """What throws are worth that are asked about turn by turn: the first of a turn too, whatever is tabled."""
        told = {}
        for start in dict.fromkeys(self.start_of.values()):
            throws = [throw for throw, of in self.start_of.items() if of == start]
            told.update(zip(throws, self.problem.continuation_values(solved, [start], throws)[0], strict=True))
        return told


def drawn(problem, solved, seed, power):
    """Tables in which every value is drawn anew that is neither certain nor a mark of something else, below 0."""
    rng, ranges, arrays = np.random.default_rng(seed), problem.array_specs(), {}
    for name, array in solved.arrays.items():
        least, most = (-1, 0) if ranges[name].fixed_values is not None else (ranges[name].lower, ranges[name].upper)
        arrays[name] = array
        if np.min(least) >= 0:
            most = np.where(np.isfinite(most), most, least + 5)
            free = (array != least) & (array != most)
            arrays[name] = np.where(free, least + (most - least) * rng.random(array.shape) ** power, array)
    return ValueTable(arrays, solved.error_bound)


@pytest.mark.checks(share=0.8)
@pytest.mark.cases(fast=78, slow=64)
@subjects.each(subjects.questions())
def test_both_readings_agree(question, tally):
    solution = question.solution
    met = question.positions(12)
    if question.problem.solves_on_demand:
        throws = [one for one in met if question.playable.stage(one) == "throw"]
        for throw in throws[: 3 * question.patience]:
            walked = Walked(question, ())
            walked.enter(throw, throw)
            walked.compare(solution.value_table_for(throw))
            tally.add(len(walked.throws))
        return
    begins = [question.playable.start(), *(one for one in met if question.playable.is_turn_start(one))]
    walked = Walked(question, dict.fromkeys(begins[: STARTS * question.patience]))
    walked.compare(solution.value_table)
    tally.add(len(walked.throws))
    if type(question.problem).continuation_values is not Problem.continuation_values:
        for seed, power in enumerate(SKEWED):
            values = drawn(question.problem, solution.value_table, seed, power)
            walked.compare(values, walked.inside(values))


@pytest.mark.cases(fast=1000, slow=60)
@pytest.mark.checks(share=0.4)
@subjects.each(subjects.questions())
def test_every_allowed_score_is_solved(question, tally):
    """The scores that banks lead to, by the turn as it is compiled, are those that can be told at the table."""
    problem, playable = question.problem, question.playable
    if problem.objective in ("points", "rate") or "scores" not in problem.array_specs():
        return
    scores = set(problem.array_specs()["scores"].fixed_values.tolist())

    def told(score):
        try:
            playable.position(score=score)
        except InputError:
            return False
        return True

    assert {score for score in range(int(min(scores)), int(max(scores)) + 2) if told(score)} == scores
    tally.add(len(scores))
