"""Positions worth learning: from games that somebody plays, drawn as often as they lose there.

Everybody at the table follows a policy of people. Of every decision in which that loses, what it loses is added up over
all games; questions are drawn by those sums, without repeats. So what comes up happens often, costs much, or both.

A report of the answers says by kind of decision what they cost, and what to aim at: the proficiency test that Tom
Verhoeff made for Yahtzee (Optimal Solitaire Yahtzee Player, 1999), for every game.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answers.advice import Advice, RankedChoice
from ..answers.positions import advise, marks
from ..play.game_file import PERSON
from ..play.input_parser import find_by_words
from ..play.playable_game import Choice, find_choice
from ..play.position_fields import Role
from ..policies.policy import NamedPolicy, OptimalPolicy
from ..policies.registry import CARELESS, PolicyLike
from ..reviews import CHANCES, GRADES, grade, kind_of, review
from ..simulation import check, seat
from ..simulation.games import Play, random_block
from ..simulation.seats import Seat
from ..simulation.turns import Floats, Ints
from ..storage.files import write_atomically
from ..util.arguments import validate_arguments
from ..util.errors import InputError
from ..util.escaping import escape_anki, escape_deck_name
from ..util.graphics import DICE_CHARACTERS
from ..util.integers import parse_whole_number
from ..util.number_format import format_distinct_losses, format_loss, mistake_mark
from ..util.optional_imports import require_library
from ..util.text import LINE_WIDTH, format_table

if TYPE_CHECKING:
    from ..play.game_file import GameFile
    from ..play.playable_game import Table
    from ..simulation.choice_losses import DecisionBatch
    from ..solvers import Problem
    from ..solving.solved_problem import SolvedProblem

GAMES = 2000  # played to find questions
MOST_QUESTIONS = 1000
FEW, PART = 10, 100  # games at a time: few at first, then as many as were played, never more
# Nobody waits for more games than give so many positions to draw each question from, unless games take next to nothing:
# by how many numbers are known of them.
ENOUGH, LITTLE = 10, 100_000
FEWER, MUCH = 2, 300_000  # where so many numbers are known, games take long: fewer positions do
ORDER = ("first", "second", "third", "fourth", "fifth", "sixth")
SHOWN = 8  # choices of a question: the best, what the policy does, and those that lose least
QUESTIONS = 2  # what random blocks are for
ANKI_MODEL, ANKI_DECK = 1_605_732_411, 1_605_732_412  # numbers of our own, by which Anki knows cards again


@dataclass(frozen=True)
class Question:
    """A position, what is best in it, and what the policy does there.

    ``words``: the position in a line; ``dice``: those that lie; ``choices``: those that are asked about, in the
    documented order; ``usual_choice``: what the policy does; ``weight``: the share of all that the policy loses;
    ``kind``: what kind of error it makes.
    """

    id: str
    position: Mapping[str, Any]
    words: str
    dice: tuple[str, ...]
    choices: tuple[RankedChoice, ...]
    advice: Advice = field(repr=False)
    usual_choice: RankedChoice
    weight: float
    kind: str

    @property
    def usual(self) -> str:
        """What the policy does, in words."""
        return self.usual_choice.action

    @property
    def loss(self) -> float:
        """What that costs."""
        return self.usual_choice.loss

    def as_json(self) -> dict[str, Any]:
        """The question in the shape that scripts rely on."""
        told: dict[str, Any] = {"id": self.id, "position": dict(self.position), "usual": self.usual, "kind": self.kind}
        told |= {"loss": self.loss, "weight": self.weight, "best": self.advice.best.action}
        return {**told, **self.advice.as_json()}


class Watched:
    """A seat whose losses are written down, by position."""

    plays_best = False

    def __init__(self, seat: Seat, losses: dict[Any, tuple[float, float, int]]) -> None:
        self.name, self.draws, self._seat, self._losses = seat.name, seat.draws, seat, losses

    def choose(self, batch: DecisionBatch, rows: Ints, draws: Floats | None) -> Ints:
        """What the seat does."""
        chosen = self._seat.choose(batch, rows, draws)
        lost, turns, losses = batch.loss[rows, chosen], batch.turns, self._losses
        for place in np.flatnonzero(lost > 0).tolist():
            row, loss = int(rows[place]), float(lost[place])
            position = turns.table.moved(turns.positions[batch.nodes[row]], turns.starts[batch.starts[row]])
            total = losses[position][0] if position in losses else 0.0
            losses[position] = total + loss, loss, int(chosen[place])
        return chosen


@validate_arguments
def quiz(
    solution: SolvedProblem,
    policy: PolicyLike | None = None,
    *,
    count: int = 10,
    seed: int = 1,
    games: int = GAMES,
    progress: Callable[[float], None] = lambda done: None,
) -> list[Question]:
    """Return questions about a solved game, those that ``policy`` (see ``check_quiz``) loses most with more often.

    Raises:
        InputError: a policy that the game does not have, or one that loses nothing.
    """
    match = solution.problem
    named_policy = check_quiz(match, policy, count, seed, games)
    losses: dict[Any, tuple[float, float, int]] = {}
    seats = [seat(solution, named_policy, progress) for _ in range(match.players)]
    players = [Watched(one, losses) for one in seats]
    progress(0.0)
    play = Play(match, solution.value_table, players, seed)
    played, enough = 0, ENOUGH * count
    while played < games and (len(losses) < enough or play.turns.stored_numbers < LITTLE):
        part = min(max(FEW, played), PART, games - played)
        if not play.play(part, begin=played).decisions.any():
            raise InputError(f"nothing is decided in {match.game.id}: there is nothing to ask about")
        played += part
        if play.turns.stored_numbers > MUCH:
            enough = FEWER * count
        progress(min(1.0, max(played / games, min(len(losses) / enough, play.turns.stored_numbers / LITTLE))))
    if not losses:
        more = "" if named_policy.name == CARELESS else f"; --from {CARELESS} asks about who makes mistakes"
        raise InputError(f"{players[0].name} loses nothing here: there is nothing to learn from it{more}")
    return _questions(solution, losses, count, seed)


def quiz_of_game(
    solution: SolvedProblem,
    game: GameFile,
    *,
    count: int = 10,
    seed: int = 1,
    progress: Callable[[float], None] = lambda done: None,
) -> list[Question]:
    """Return questions about the decisions of a game that cost people at the table something.

    Raises:
        InputError: nobody made a mistake, or the solution answers another question than the game is played for.
    """
    losses: dict[Any, tuple[float, float, int]] = {}
    for event in review(solution, game, costliest=0, progress=progress).trace.events:
        if event.error > 0 and event.choice is not None and game.seats[event.seat].player == PERSON:
            meanings = [choice.meaning for choice in solution.playable.choices(event.position)]
            losses[event.position] = event.error, event.error, meanings.index(event.choice.meaning)
    if not losses:
        raise InputError("nobody at the table made a mistake in this game: there is nothing to learn from it")
    return _questions(solution, losses, count, seed)


def _questions(
    solution: SolvedProblem, losses: dict[Any, tuple[float, float, int]], count: int, seed: int
) -> list[Question]:
    """Questions drawn by what was lost in all; what was done, and what that costs, are told too."""
    positions = sorted(losses, key=solution.playable.id)
    weights = [losses[position][0] for position in positions]
    questions = []
    for number in _draw(weights, min(count, len(positions)), seed):
        position = positions[number]
        _, _, place = losses[position]
        usual = solution.playable.choices(position)[place]
        questions.append(_question(solution, position, usual, weights[number] / sum(weights)))
    return questions


def _question(solution: SolvedProblem, position: Any, choice: Choice[Any], weight: float) -> Question:
    """Return the question about a position in which somebody made a choice."""
    table = solution.playable
    advice = advise(solution.problem, solution.value_table_for(position), position)
    usual = find_choice(advice.choices, choice)
    assert usual is not None
    return Question(
        id=table.id(position),
        position=table.tell(position),
        words=in_words(table, position),
        dice=tuple(table.told(position, Role.ROLL, ())),
        choices=_asked(advice, usual, table.choices(position)),
        advice=advice,
        usual_choice=usual,
        weight=weight,
        kind=kind_of(table, position, usual, advice.best),
    )


def asked_again(solution: SolvedProblem, missed: list[tuple[str, str]]) -> list[Question]:
    """Questions about positions that were missed, by id and what was said; what is no position any more is left out."""
    questions = []
    for one, said in missed:
        with suppress(InputError):
            position = solution.playable.position(one)
            choice = find_by_words(solution.playable.choices(position), said)
            if choice is not None:
                questions.append(_question(solution, position, choice, 0.0))
    return questions


def check_quiz(
    match: Problem[Any], policy: PolicyLike | None, count: int, seed: int, games: int = GAMES
) -> NamedPolicy:
    """Raise InputError for what cannot be asked, before anything is solved; return the policy (see ``check``). None is
    the printed page of a game that has one; of others, and where asked for, it is ``careless``.
    """
    check_count(count)
    if policy is None and match.game.parts.practised:
        with suppress(InputError):
            return check(match, ["sheet"], games, seed)[0]
    named = check(match, [CARELESS if policy is None else policy], games, seed)[0]
    if isinstance(named.policy, OptimalPolicy):
        raise InputError("best loses nothing: there is nothing to learn from it")
    return named


def check_count(count: int) -> None:
    """Raise InputError for a number of questions that cannot be asked."""
    if not 1 <= parse_whole_number(count, "count") <= MOST_QUESTIONS:
        raise InputError(f"count {count} must lie between 1 and {MOST_QUESTIONS:,}")


def _draw(weights: list[float], count: int, seed: int) -> list[int]:
    """Different numbers, each with a chance by its weight among those that are left."""
    left, draws, found = np.array(weights), random_block(seed, QUESTIONS, 0, 0, 0), list[int]()
    for draw in draws[:count].tolist():
        passed = np.cumsum(left)
        number = int(np.searchsorted(passed, draw * passed[-1], side="right"))
        found.append(number)
        left[number] = 0.0
    return found


def _asked(advice: Advice, usual: RankedChoice, order: Sequence[Choice[Any]]) -> tuple[RankedChoice, ...]:
    """Return the choices that are asked about, in the documented order: the best few, and the usual one."""
    shown = {choice.meaning: choice for choice in (*advice.choices[:SHOWN], usual)}
    return tuple(shown[choice.meaning] for choice in order if choice.meaning in shown)


def answer(choice: RankedChoice, advice: Advice) -> str:
    """What a choice is worth, in a word or two."""
    if choice.meaning == advice.best.meaning:
        return "best"
    return "just as good" if choice.tie else f"costs {format_loss(choice.loss, advice.objective)}"


def report(
    solution: SolvedProblem, answers: Sequence[tuple[Question, RankedChoice]], whose: str, width: int = LINE_WIDTH
) -> list[str]:
    """What answers cost, in lines: by kind of decision, beside what ``whose`` play loses there; and what to aim at."""
    objective = solution.playable.objective
    lost = [(one, choice.certain_loss) for one, choice in answers]
    kinds = sorted({one.kind for one, _ in lost})
    rows = [["", "asked", "right", "lost", "a choice", "to beat"]]
    for kind in (*kinds, "in all") if len(kinds) > 1 else kinds:
        own = [(one.loss, loss) for one, loss in lost if kind in (one.kind, "in all")]
        theirs, mine = (sum(losses) for losses in zip(*own, strict=True))
        sums = (format_loss(one, objective) for one in (mine, mine / len(own), theirs / len(own)))
        rows.append([kind, str(len(own)), str(sum(not loss for _, loss in own)), *sums])
    lines = format_table(rows, 1, "  ", width)
    signs = marks(solution)
    marked_so = Counter(mistake_mark(loss, signs) for _, loss in lost)
    if told := ", ".join(f"{marked_so[sign]} {sign}" for _, sign in signs if marked_so[sign]):
        lines.append(f"  marked: {told}")
    mean = sum(loss for _, loss in lost) / len(lost)
    chance = objective in CHANCES
    steps = GRADES if chance else tuple((least, f"less is no {sign}") for least, sign in reversed(signs))
    below = [step for step in steps if step[0] < mean]
    aim, aimed = below[-1] if below else (0.0, "")
    per_answer, least = format_distinct_losses(mean, aim, objective)
    lines.append(f"An answer cost {per_answer} on average{f': {grade(mean)}' if chance else ''}.")
    if below:
        lines.append(f"To aim at: {least} a choice ({aimed}).")
    return [*lines, f"To beat is what {whose} loses there."]


def write_anki(questions: list[Question], path: str | os.PathLike[str], title: str) -> None:
    """Write the questions as a deck of cards for Anki.

    Raises:
        InputError: genanki is not installed, or a place that cannot be written.
    """
    require_library("genanki", "Anki decks need genanki", "anki")
    import genanki

    model = genanki.Model(
        ANKI_MODEL,
        "Keepwise position",
        fields=[{"name": "Position"}, {"name": "Question"}, {"name": "Answer"}],
        templates=[
            {
                "name": "Card",
                "qfmt": "{{Question}}",
                "afmt": "{{FrontSide}}<hr>{{Answer}}<p><small>{{Position}}</small>",
            }
        ],
    )
    made = genanki.Deck(ANKI_DECK, escape_deck_name(title))
    for one in questions:
        asked = "".join(f"<li>{escape_anki(choice.action)}</li>" for choice in one.choices)
        told = "".join(
            f"<li>{escape_anki(choice.action)}: {escape_anki(answer(choice, one.advice))}</li>"
            for choice in one.choices
        )
        dice = f'<p style="font-size: 2.5em; margin: 0">{escape_anki(picture(one))}</p>'
        front = f"<p>{escape_anki(title)}</p><p>{escape_anki(one.words)}</p>{dice}<ul>{asked}</ul>"
        guid = genanki.guid_for(one.id)
        made.add_note(genanki.Note(model=model, fields=[escape_anki(one.id), front, f"<ul>{told}</ul>"], guid=guid))
    with write_atomically(path) as file:
        genanki.Package(made).write_to_file(file, timestamp=0.0)


def picture(question: Question) -> str:
    """The dice on the table as they look, as text: ⚀ to ⚅, other faces in brackets; nothing before a throw."""
    return " ".join(DICE_CHARACTERS.get(str(face), f"[{face}]") for face in question.dice)


def in_words(table: Table[Any], position: Any) -> str:
    """The position in a line: who holds what, by turn order, and what is told beside."""
    parts, fields = [], {field.name: field for field in table.fields}
    for name, value in table.tell(position).items():
        role = fields[name].role
        if role is Role.OTHERS:
            whose = "the opponent has" if len(value) == 1 else "after you in turn"
            parts.append(f"{whose} {', '.join(f'{one:,}' for one in value)}")
            continue
        if role is Role.SEAT and value < len(ORDER):
            parts.append(f"you move {ORDER[value]} in the round")
            continue
        words = "you have" if role is Role.SCORE else name.replace("_", " ")
        parts.append(f"{words} {fields[name].told(value)}".removesuffix(" true"))
    return ", ".join(parts)
