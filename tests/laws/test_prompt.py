"""At the prompt of every game: what a message proposes is accepted, a refusal changes nothing, redo follows undo."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cached_property, partial

import prompts
import pytest
import subjects
from prompts import MAX_EVENTS, Steps, Table
from proposals import list_proposals
from wrong_entries import list_wrong_entries

from keepwise.play import playable
from keepwise.play.game_file import parse

FAST, SLOW = (3, 20), (3, 40)  # prompts of a game that are tried, and entries at each
BEST = re.compile(r"^ +([a-z]+)  (.+): [^:]*, best", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A game and the command by which it is played."""

    subject: subjects.Subject
    command: str

    def __str__(self) -> str:
        return f"{self.command} {self.subject}"

    @property
    def slow(self) -> bool:
        """Whether only the slow tests try it: all but the registered games under their own rules."""
        return self.subject.kind != "game" or self.subject.changes != () or self.command.endswith("mine")

    @cached_property
    def table(self) -> Table:
        """The players at the table: two if the game is for several."""
        game = self.subject.game
        ways = [partial(playable, game), *(partial(playable, game, objective=name) for name in game.objectives)]
        return Table(subjects.first_not_refused(ways), self.command, seed=1)

    @cached_property
    def rng(self) -> random.Random:
        """Random numbers of this case."""
        return random.Random(str(self))

    @cached_property
    def walk(self) -> list[tuple[Steps, str]]:
        """The prompts of a game that is played at random: the steps before each, and what is entered there."""
        return [(tuple(game.steps), line) for game, line in self.table.walk(self.rng)]

    def states(self, count: int) -> list[Steps]:
        """Return the steps before some of these prompts."""
        return [steps for steps, _ in self.rng.sample(self.walk, min(count, len(self.walk)))]


CASES = [Case(subject, command) for subject in subjects.games() for command in prompts.COMMANDS]


@pytest.fixture(autouse=True)
def advice():
    """Nothing is solved for advice."""
    with prompts.unsolved_advice():
        yield


def events(steps: Steps) -> list[tuple[str, object, str]]:
    """What happened in a game."""
    return [(step.kind, step.after, step.line_text) for step in steps]


@pytest.mark.checks(share=0.8)
@pytest.mark.cases(fast=18, slow=100)
@subjects.each(CASES, "case")
def test_entries_that_refusals_propose_are_accepted(case, tally):
    """A refusal is one line, and changes nothing; if it says what to type, that is accepted."""
    table, typed = case.table, [line for _, line in case.walk]
    states, entries = SLOW if case.slow else FAST
    for steps in case.states(states):
        wrong, tried = list_wrong_entries(table.game(steps), typed, case.rng), set()
        for entry in case.rng.sample(wrong, min(entries, len(wrong))):
            reply = table.prompt(steps).enter(entry)
            tally.add()
            if reply.refusal is None:
                continue
            assert "\n" not in reply.refusal
            assert events(reply.after) == events(reply.before), entry
            named, no_choice, _ = reply.refusal.lower().partition(" is not a choice here")
            for proposal in {*list_proposals(reply.refusal)} - tried:
                assert not no_choice or (named != proposal[0] and f"({named})" not in proposal[0]), reply.refusal
                prompt = table.prompt(steps)
                prompt.enter(entry)
                for line in proposal:
                    answer = prompt.enter(line)
                    assert answer.refusal is None, (entry, reply.refusal, line)
                tried.add(proposal)


@pytest.mark.checks(share=0.8)
@pytest.mark.cases(fast=8, slow=60)
@subjects.each(CASES, "case")
def test_redo_gives_back_what_undo_took(case, tally):
    """However often; and the game file tells the same game as the prompt."""
    table, rng = case.table, case.rng
    for steps in case.states(1):
        prompt = table.prompt(steps)
        for count in (1, 3, MAX_EVENTS):
            if prompt.enter(f"undo {count}").refusal is not None:
                break  # nothing was entered
            assert len(prompt.game.steps) < len(steps)
            again = rng.choice((1, 2, MAX_EVENTS))
            while prompt.enter(f"redo {again}").refusal is None:
                tally.add()
            assert events(tuple(prompt.game.steps)) == events(steps)
        file = parse([*table.game(steps).to_text().splitlines(), *prompt.log.lines], "game.kw")
        assert events(tuple(file.steps)) == events(steps)


@pytest.mark.checks(share=0.5)
@pytest.mark.cases(fast=8, slow=60)
@subjects.each(CASES, "case")
def test_the_best_choice_is_accepted_as_it_is_printed(case, tally):
    """By its letter and in its words; Enter alone takes it."""
    for steps in case.states(FAST[0]):
        advised = case.table.prompt(steps)
        printed = re.sub(r"\n {7}(?=\S)", " ", advised.enter("?").output)
        if not (best := BEST.search(printed)):
            continue
        taken = advised.enter("").after
        assert len(taken) > len(steps)
        for words in best.groups():
            prompt = case.table.prompt(steps)
            prompt.enter("?")
            assert prompt.enter(words).after == taken, words
            tally.add()
