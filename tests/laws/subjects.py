"""What laws are checked for: every game, rule file, question and command there is, by registration and never by a list.

Whoever adds a family (``games.families``), a game (``games.FILES``), a rule file
(``rulefiles/*.toml``) or a command gets every law by that alone. The rule sets of ``toys.py`` come on top: tiny ones
for what the shipped games do not do, and families that are there for the laws only.

    @subjects.each(subjects.questions())  # parametrizes ``question``, with ids that can be read
    def test_seats_add_up(question):
        for position in question.positions(20):
            ...question.playable, question.solution...

- ``games()``: every game, also with each option in each other way, every rule file, and the toys.
- ``questions()``: of games and toys every objective, for the fewest players of every problem class and one more;
  of other ways to play and rule files what no game and no toy asks. Points towards a goal are asked of toys.
  ``playable``, ``solution`` and ``referee`` are made when first asked for, once in a process. The slow tests ask a part
  of the rest, the patient ones all of it. With ``PATIENCE`` set (``PATIENCE=25 pytest -m slow tests/laws``) they ask
  all of it once more of larger games.
- ``commands()``: every command and what stands below it.

A question is asked of a *small* game, so that a law takes milliseconds: what can make tables large (numbers among the
options, floors, and where there are no such numbers lists of tables, as the boxes of a card) is cut down, then grown,
one after the other, as long as the judged cost and the size of the table stay small or are none the larger for it.
Nothing is chosen by name.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any

import click
import pytest
import toys
from patience import PATIENCE
from tallies import Reason, skip

import keepwise as kw
from keepwise import games as registry
from keepwise import solvers
from keepwise.api import Solution, solve_problem
from keepwise.cli.commands import Commands
from keepwise.games import Game
from keepwise.games.families import CAPPED_POINTS, load_member
from keepwise.games.rulefile.loader import load_rules, shipped_rule_files
from keepwise.play.playable_game import PlayableGame
from keepwise.play.referee import Referee, referee
from keepwise.solvers import Problem
from keepwise.util.errors import InputError, TooMuchError

MOST_SECONDS, MOST_NUMBERS, MOST_STARTS = 0.02, 20_000, 500  # judged; of a small question's table and positions
MOST_OPPONENT_SECONDS = 0.05  # for the card of the opponent in ``beat``, which play itself solves anew
MOST_WAIT = 0.5  # seconds that solving what could not be made small may be judged to take, else it is skipped
PARTS = (64, 32, 16, 8, 4, 2)  # by which numbers are divided
# The first that goes; a goal that is near, as one that play at random never comes to is worth nothing everywhere.
ASKED: tuple[dict[str, int], ...] = ({"turns": 3, "goal": 12}, {}, {"turns": 3}, {"goal": 12}, {"goal": 4}, {"goal": 1})
CAPPED: tuple[dict[str, int], ...] = ({"goal": 12}, {"goal": 4}, {"goal": 1})  # of points that count towards a goal
MOST_STEPS, MOST_FALLS = 300, 1000  # of a game that is played to find positions, and of a throw in it
MOST_POSITIONS = 10  # decisions, and as many throws, that are looked at
MOST_CUT = 40  # points in hand that the referee follows where they have no bound, times the grain

Position = Any
Levers = dict[tuple[str, ...], list[Any]]


# --- games


@dataclass(frozen=True)
class Subject:
    """A game under its rules: one of the registry, with ``changes`` where it is played in another way, a rule file or
    a toy.
    """

    kind: str
    name: str
    changes: tuple[tuple[str, Any], ...] = ()

    @cached_property
    def game(self) -> Game:
        """The game as it is declared."""
        if self.kind == "game":
            return kw.game(self.name, **dict(self.changes))
        return load_rules(self.name) if self.kind == "file" else registry.own_game(toys.rules(self.name))

    def __str__(self) -> str:
        told = [self.name, *(f"{key}={str(value).lower()}" for key, value in self.changes)]
        return " ".join(told if self.kind == "game" else [self.kind, *told])


@cache
def games() -> tuple[Subject, ...]:
    """Every game, the toys, every rule file, and games in every other way that one option allows."""
    with toys.registered():
        known = [Subject("game", name) for name in registry.FILES]
        ways = [Subject("game", one.name, ((key, value),)) for one in known for key, value in _ways(one.game)]
    own = [Subject("toy", name) for name in toys.RULES]
    return (*known, *own, *(Subject("file", name) for name in shipped_rule_files()), *ways)


def _ways(of: Game) -> Iterator[tuple[str, Any]]:
    """Every option that is a word or a yes or no, with each of its alternatives that goes with the rest."""
    for option in of.options:
        for other in (not option.default,) if isinstance(option.default, bool) else option.choices:
            try:
                changed = of.with_rules(**{option.key: other})
            except InputError:
                continue
            if changed != of:
                yield option.key, other


# --- small games


def _levers(of: Game) -> Levers:
    """What may make tables large, by its path in the rules, from the smallest to the declared one."""
    levers: Levers = {}
    for option in of.options:
        if type(option.default) is int and not option.choices:
            whole = of.rules[option.key]
            parts = (max(option.low, _part(whole, part)) for part in PARTS)
            levers[option.key,] = [*dict.fromkeys(part for part in parts if part < whole), whole]
    for key, table in of.rules.items():
        if isinstance(table, Mapping):
            floors = {name: number for name, number in table.items() if type(number) is int and number < 0}
            for name, number in floors.items():
                levers[key, name] = [*dict.fromkeys(-_part(-number, part) for part in (*PARTS, 1))]
    if not levers:
        for key, entries in of.rules.items():
            if isinstance(entries, tuple) and all(isinstance(one, Mapping) for one in entries):
                levers[key,] = [entries[:: len(entries) // count][:count] for count in range(1, len(entries) + 1)]
    return {path: values for path, values in levers.items() if len(values) > 1}


def _part(number: int, part: int) -> int:
    """A part of a number: one digit and zeros, as it is likely to be a score."""
    smaller = -(-number // part)
    power = 10 ** (len(str(smaller)) - 1)
    return smaller if part == 1 else smaller // power * power


@cache
def _made(of: Subject, values: frozenset[tuple[tuple[str, ...], Any]]) -> Game:
    """The game with other values; entries that are gone are struck from lists that name them."""
    rules, gone = of.game.rules, set[str]()
    for (key, *_), kept in values:
        if isinstance(kept, tuple):
            gone |= {one["name"] for one in rules[key] if one not in kept}
    changed = {key: _struck(told, gone) for key, told in rules.items()}
    for (key, *inside), value in values:
        if inside:
            changed[key] = {**changed[key], inside[0]: value}
        else:
            changed[key] = value
    return Game(of.game.id, changed)


def _struck(told: Any, gone: set[str]) -> Any:
    if isinstance(told, Mapping):
        return {name: _struck(one, gone) for name, one in told.items()}
    return [_struck(one, gone) for one in told if one not in gone] if isinstance(told, tuple) else told


def _problem_of(of: Game, objective: str, players: int, capped: bool = False) -> Problem[Any]:
    """The question with the first parameters that it takes."""
    ways = CAPPED if capped else ASKED
    return first_not_refused([partial(solvers.make_problem, of, objective, players, **asked) for asked in ways])


def first_not_refused(ways: Sequence[Callable[[], Any]]) -> Any:
    """What the first of these gives that is not refused."""
    try:
        return ways[0]()
    except InputError:
        if len(ways) == 1:
            raise
        return first_not_refused(ways[1:])


def _small(of: Subject, objective: str, players: int, patience: int, capped: bool) -> Problem[Any]:
    """The question about the game that is cut down as far as it goes, and grown while the question stays small."""
    levers, cut = _levers(of.game), dict[tuple[str, ...], Any]()

    def asked(path: tuple[str, ...], value: Any) -> tuple[Problem[Any], tuple[float, ...]]:
        problem = _problem_of(_made(of, frozenset({**cut, path: value}.items())), objective, players, capped)
        takes = (problem.estimate_cost(1).seconds, problem.table_bytes / 8, problem.list_positions({}).count)
        most = (MOST_SECONDS, MOST_NUMBERS, MOST_STARTS)
        return problem, tuple(max(patience * few, one) for few, one in zip(most, takes, strict=True))

    def first(path: tuple[str, ...], values: Sequence[Any]) -> tuple[Problem[Any], tuple[float, ...]] | None:
        for value in values:
            with suppress(InputError):
                found = asked(path, value)
                cut[path] = value
                return found
        return None

    found, before = None, None
    while cut != before:  # again, as what may be cut hangs on what has been
        before = dict(cut)
        for path, values in levers.items():
            found = first(path, values[: values.index(cut[path])] if path in cut else values) or found
    if found is None:
        return _problem_of(of.game, objective, players, capped)
    problem, effort = found
    growing = [path for path in cut if cut[path] != levers[path][-1]]
    while growing:
        path = growing.pop(0)
        kept, values = cut[path], levers[path]
        more = first(path, values[values.index(kept) + 1 :])
        if more and all(here <= most for here, most in zip(more[1], effort, strict=True)):
            problem, effort = more
            growing += [path] if cut[path] != values[-1] else []
        else:
            cut[path] = kept
    return problem


# --- questions


@dataclass(frozen=True)
class Question:
    """An objective of a game, for so many players; ``patience`` says how large a game it is asked of, ``slow`` that
    only the slow tests ask it, ``capped`` that points count towards a goal.
    """

    subject: Subject
    objective: str
    players: int
    patience: int = 1
    slow: bool = False
    capped: bool = False

    def __str__(self) -> str:
        seats = f" {self.players}" if self.players > 1 else ""
        objective = CAPPED_POINTS if self.capped else self.objective
        return f"{self.subject}: {objective}{seats}{', larger' if self.patience > 1 else ''}"

    @cached_property
    def problem(self) -> Problem[Any]:
        """The question of the small game, in the first way of playing it that has an answer."""
        ways = (self.subject, *(one for one in games() if (one.kind, one.name) == ("game", self.subject.name)))
        asked = self.objective, self.players, self.patience, self.capped
        return first_not_refused([partial(_small, way, *asked) for way in ways])

    @property
    def problem_key(self) -> tuple[str, str]:
        """The key under which the matches of the question are registered."""
        return self.subject.game.family, CAPPED_POINTS if self.capped else self.objective

    @property
    def playable(self) -> PlayableGame[Any]:
        """The game as it is played."""
        return self.problem.playable

    @property
    def game(self) -> Game:
        """The small game."""
        return self.problem.game

    @cached_property
    def solution(self) -> Solution:
        """The question solved; the test is skipped where that takes long, or cannot be."""
        try:
            seconds, on_demand = self.problem.estimate_cost(1).seconds, self.problem.solves_on_demand
            long = seconds > MOST_WAIT * self.patience
            if long and not on_demand:
                skip(Reason.LONG, f"{seconds:.0f} seconds")
            return solve_problem(self.problem, threads=1, fresh=on_demand and not long)
        except InputError as error:
            skip(Reason.UNSOLVED, error)

    @cached_property
    def referee(self) -> Referee[Any]:
        """The game solved in fractions."""
        return referee(self.playable, cut=MOST_CUT * getattr(self.game.data, "grain", 1))

    def positions(self, count: int) -> list[Position]:
        """So many positions that play leads to, times the patience, half of them throws: of the first that are met that
        are answered in a moment, and of throws those that fall in no more than ``MOST_FALLS`` ways.
        """
        wanted = -(-count * self.patience // 2)
        return [one for found in self._met for one in found[:wanted]]

    @cached_property
    def _met(self) -> list[list[Position]]:
        """Decisions and throws in any order."""
        met: dict[str, dict[Position, None]] = {"choose": {}, "throw": {}}
        rng, most = random.Random(str(self)), MOST_POSITIONS * self.patience
        for _ in range(8):
            for position in played(self.playable, rng):
                met[self.playable.stage(position)][position] = None
            if min(map(len, met.values())) >= most:
                break
        mixed = [rng.sample(list(found), len(found)) for found in met.values()]
        return [list(islice(filter(self.is_answered_soon, found), most)) for found in mixed]

    def is_answered_soon(self, position: Position) -> bool:
        """Return whether a position has few rolls and needs no long solve."""
        playable = self.playable
        if playable.stage(position) == "throw" and next(islice(playable.rolls(position), MOST_FALLS, None), None):
            return False
        if not self.problem.solves_on_demand:
            return True
        try:
            return self.problem.estimate_cost_from(position, 1).seconds <= MOST_SECONDS * self.patience
        except TooMuchError:
            return False


def played(playable: PlayableGame[Any], rng: random.Random) -> Iterator[Position]:
    """The positions of a game that is played at random, the end aside."""
    position = playable.start()
    for _ in range(MOST_STEPS):
        stage = playable.stage(position)
        if stage == "over":
            return
        yield position
        if stage == "choose":
            position = rng.choice(playable.choices(position)).after
        else:
            weights, falls = zip(*islice(playable.rolls(position), MOST_FALLS), strict=True)
            position = rng.choices(falls, weights)[0]


@cache
def questions() -> tuple[Question, ...]:
    """What every law of values is checked for."""
    found, known = dict[Question, bool](), set[tuple[tuple[str, str], int]]()
    with toys.registered():
        for subject in games():
            for objective in subject.game.objectives:
                key = Question(subject, objective, 0).problem_key
                seats = [
                    load_member(name).player_range for name in solvers.problem_class_names(subject.game, objective)
                ]
                if objective == "beat" and _opponent_is_slow(subject.game):
                    continue
                for players in sorted({fewest for fewest, _ in seats} | {min(low + 1, high) for low, high in seats}):
                    if players > seats[0][1] and not _offered(subject.game, objective, players):
                        continue
                    whole = subject.kind == "toy" or (subject.kind == "game" and not subject.changes)
                    found[Question(subject, objective, players)] = whole or (key, players) not in known
                    known.add((key, players))
            is_capped = subject.kind == "toy" and CAPPED_POINTS in subject.game.parts.problem_classes
            if is_capped and _counts_towards_a_goal(subject.game):
                found[Question(subject, "points", 1, capped=True)] = True
    fast = [question for question, now in found.items() if now]
    asked = [one for one, now in found.items() if PATIENCE > 1 or not now]
    return (*fast, *(replace(one, patience=PATIENCE, slow=True) for one in asked))


def _counts_towards_a_goal(game: Game) -> bool:
    """Return whether the points of a game can count towards a goal."""
    try:
        _problem_of(game, "points", 1, capped=True)
    except InputError:
        return False
    return True


def _opponent_is_slow(game: Game) -> bool:
    """Return whether the card of the opponent for ``beat`` takes long to solve: every position asks for it."""
    return solvers.make_problem(game, "points", 1).estimate_cost(1).seconds > MOST_OPPONENT_SECONDS


@cache
def tiny() -> tuple[Question, ...]:
    """For laws that take long: of what toys ask too only the toys; the rest is asked with ``PATIENCE`` set."""
    fast = [one for one in questions() if not one.slow and one.subject.kind != "file" and not one.subject.changes]
    known = {(one.problem_key, one.players) for one in fast if one.subject.kind == "toy"}
    fast = [one for one in fast if one.subject.kind == "toy" or (one.problem_key, one.players) not in known]
    asked = set(fast)
    return (*fast, *(replace(one, slow=True) for one in questions() if PATIENCE > 1 and one not in asked))


def _offered(game: Game, objective: str, players: int) -> bool:
    """Whether a game is solved for more players than its first problem is."""
    try:
        solvers.make_problem(game, objective, players)
    except InputError:
        return False
    return True


# --- commands


def commands() -> list[tuple[str, ...]]:
    """The words of every command, and of what stands below one."""

    def below(command: click.Command, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if words:
            yield words
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from below(inner, (*words, name))

    return list(below(Commands(), ()))


# --- tests


def each(found: Iterable[Any], name: str = "") -> Any:
    """Parametrize a test by subjects, questions or commands; what only the slow tests ask is marked so."""
    listed = list(found)
    name = name or {Question: "question", Subject: "subject"}.get(type(listed[0]), "command")

    params = []
    for one in listed:
        case = " ".join(one) if isinstance(one, tuple) else str(one)
        marks = [pytest.mark.slow] if getattr(one, "slow", False) else []
        params.append(pytest.param(one, id=case, marks=marks))
    return pytest.mark.parametrize(name, params)
