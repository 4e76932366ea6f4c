"""Quiz questions: decisions of simulated games, drawn in proportion to what a policy loses in them.

Every seat follows the same policy, such as a strategy sheet or a careless player. Its losses are added up for every
position over all games. Questions are drawn by these sums without repetition, so a question is about a position that is
frequent, costly, or both. ``quiz`` is where to start reading.

A report shows by kind of decision what the answers cost, and names the next grade to reach. Tom Verhoeff made such a
proficiency test for Yahtzee (Optimal Solitaire Yahtzee Player, 1999).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..answers.advice import Advice, RankedChoice
from ..answers.positions import advise, marks
from ..play.game_file import HUMAN_PLAYER
from ..play.input_parser import find_by_words
from ..play.playable_game import Choice, find_choice
from ..play.position_fields import ORDINALS, Role, field_label
from ..play.seats import SEAT
from ..policies.policy import NamedPolicy, OptimalPolicy
from ..policies.registry import CARELESS, PolicyLike
from ..reviews import GRADES, grade, mistake_kind, mistake_label, review
from ..simulation import make_seat_player, plan_simulation
from ..simulation.games import LockstepGames, random_block
from ..simulation.seats import SimulatedPlayer
from ..simulation.turns import Floats, Ints
from ..storage.files import write_atomically
from ..util.arguments import validate_arguments
from ..util.errors import InputError, argument
from ..util.escaping import escape_anki, escape_deck_name
from ..util.graphics import DICE_CHARACTERS
from ..util.integers import parse_whole_number
from ..util.number_format import PROBABILITY_OBJECTIVES, format_distinct_losses, format_loss, mistake_mark
from ..util.optional_imports import require_library
from ..util.progress_reporting import ProgressCallback
from ..util.text import LINE_WIDTH, format_table

if TYPE_CHECKING:
    from ..play.game_file import GameFile
    from ..play.playable_game import PlayableGame
    from ..simulation.choice_losses import DecisionBatch
    from ..solvers import Problem
    from ..solving.solved_problem import SolvedProblem

GAMES = 2000  # games that are simulated at most
MAX_QUESTIONS = 1000
FIRST_GAMES, GAMES_PER_PART = 10, 100  # games between two tests whether there are enough positions
# Simulation stops early once there are so many positions for each question, and games no longer cost next to nothing.
POSITIONS_PER_QUESTION = 10
CHEAP_NUMBERS = 100_000  # below so many stored numbers, games cost next to nothing
POSITIONS_PER_QUESTION_IF_COSTLY = 2
COSTLY_NUMBERS = 300_000  # beyond so many stored numbers, games are costly
MAX_BEST_CHOICES = 8  # choices of a question, besides the usual one
QUESTION_STREAM = 2  # use of the random block: the draw of questions
ANKI_MODEL_ID, ANKI_DECK_ID = 1_605_732_411, 1_605_732_412  # fixed, so that Anki recognizes cards on import


@dataclass
class _Losses:
    """The losses of a policy in one position.

    Attributes:
        total: sum over all visits.
        choice: index of the choice that was made at the last visit.
    """

    total: float
    choice: int


@dataclass(frozen=True)
class Question:
    """A decision to ask about.

    Attributes:
        id: the id of the position.
        position: the fields of the position.
        words: the position in a line of text.
        dice: the dice on the table.
        choices: the choices to choose from, in the documented order.
        advice: all choices, ranked.
        policy_choice: the choice of the policy.
        weight: the share of this position in all losses of the policy; 0 for a repeated question.
        kind: the kind of error of the usual choice.
    """

    id: str
    position: Mapping[str, Any]
    words: str
    dice: tuple[str, ...]
    choices: tuple[RankedChoice, ...]
    advice: Advice = field(repr=False)
    policy_choice: RankedChoice
    weight: float
    kind: str

    @property
    def policy_action(self) -> str:
        """The choice of the policy, in words."""
        return self.policy_choice.action

    @property
    def loss(self) -> float:
        """The loss of the usual choice."""
        return self.policy_choice.loss

    def as_json(self) -> dict[str, Any]:
        """Return the question with its advice as JSON data."""
        return {
            "id": self.id,
            "position": dict(self.position),
            "usual": self.policy_action,
            "kind": self.kind,
            "loss": self.loss,
            "weight": self.weight,
            "best": self.advice.best.action,
            **self.advice.as_json(),
        }


class _RecordingSeat:
    """A player whose losses are recorded by position.

    Args:
        seat: the player.
        losses: the losses so far; all seats share them.
    """

    plays_best = False

    def __init__(self, seat: SimulatedPlayer, losses: dict[Any, _Losses]) -> None:
        self.name, self.draws, self._seat, self._losses = seat.name, seat.draws, seat, losses

    def choose(self, batch: DecisionBatch, rows: Ints, draws: Floats | None) -> Ints:
        """Return the choices of the player, and record their losses."""
        choice_numbers = self._seat.choose(batch, rows, draws)
        loss = batch.loss[rows, choice_numbers]
        turns = batch.turns
        for index in np.flatnonzero(loss > 0).tolist():
            row = int(rows[index])
            position = turns.playable.move_to_turn(turns.positions[batch.nodes[row]], turns.starts[batch.starts[row]])
            total = self._losses[position].total if position in self._losses else 0.0
            self._losses[position] = _Losses(total + float(loss[index]), int(choice_numbers[index]))
        return choice_numbers


class NoMistakesError(InputError):
    """A policy that makes no mistakes, so that there is nothing to ask."""


@validate_arguments
def make_quiz(
    solution: SolvedProblem,
    policy: PolicyLike | None = None,
    *,
    count: int = 10,
    seed: int = 1,
    games: int = GAMES,
    progress: ProgressCallback = lambda share: None,
) -> list[Question]:
    """Return questions about a solved game; positions in which the policy loses more are drawn more often.

    Args:
        solution: the solved problem.
        policy: the policy of all seats; see ``plan_quiz``. If it is None and the sheet makes no mistakes, it is
            ``careless``.
        count: number of questions.
        seed: seed of the games and of the draw.
        games: the largest number of games to simulate.
        progress: called with the share done.

    Raises:
        InputError: the game does not have this policy, or the policy loses nothing.
    """
    try:
        return plan_quiz(solution.problem, policy, count, seed, games).run(solution, progress)
    except NoMistakesError:
        if policy is not None:
            raise
    return plan_quiz(solution.problem, CARELESS, count, seed, games).run(solution, progress)


def _questions_of_policy(solution: SolvedProblem, plan: QuizPlan, progress: ProgressCallback) -> list[Question]:
    """Return questions about the positions in which a policy loses value in simulated games."""
    problem, games, count = solution.problem, plan.games, plan.count
    losses: dict[Any, _Losses] = {}
    players = [
        _RecordingSeat(make_seat_player(solution, plan.policy, progress), losses) for _ in range(problem.players)
    ]
    progress(0.0)
    play = LockstepGames(solution, players, plan.seed)
    games_played = 0
    wanted_positions = POSITIONS_PER_QUESTION * count
    while games_played < games and (len(losses) < wanted_positions or play.turns.stored_numbers < CHEAP_NUMBERS):
        part = min(max(FIRST_GAMES, games_played), GAMES_PER_PART, games - games_played)
        if not play.play(part, begin=games_played).decisions.any():
            raise InputError(f"no quiz for {problem.game.id}: the game has no decisions")
        games_played += part
        if play.turns.stored_numbers > COSTLY_NUMBERS:
            wanted_positions = POSITIONS_PER_QUESTION_IF_COSTLY * count
        enough_positions = min(len(losses) / wanted_positions, play.turns.stored_numbers / CHEAP_NUMBERS)
        progress(min(1.0, max(games_played / games, enough_positions)))
    if not losses:
        remedy = "" if plan.policy.name == CARELESS else f"; use --from {CARELESS} for a player who makes mistakes"
        raise NoMistakesError(f"policy {players[0].name} makes no mistakes in this game{remedy}")
    return _questions(solution, losses, count, plan.seed)


def _questions_of_game(solution: SolvedProblem, plan: GameQuizPlan, progress: ProgressCallback) -> list[Question]:
    """Return questions about the mistakes that people made in a game."""
    game = plan.game
    losses: dict[Any, _Losses] = {}
    for event in review(solution, game, costliest=0, progress=progress).trace.events:
        if event.error > 0 and event.choice is not None and game.seats[event.seat].player == HUMAN_PLAYER:
            meanings = [choice.meaning for choice in solution.playable.choices(event.position)]
            losses[event.position] = _Losses(event.error, meanings.index(event.choice.meaning))
    if not losses:
        raise InputError("no quiz can be made from this game: the people in it made no mistake")
    return _questions(solution, losses, plan.count, plan.seed)


def _questions(solution: SolvedProblem, losses: dict[Any, _Losses], count: int, seed: int) -> list[Question]:
    """Return questions about different positions, drawn in proportion to their total losses."""
    positions = sorted(losses, key=solution.playable.id)
    totals = [losses[position].total for position in positions]
    questions = []
    for index in draw_without_replacement(totals, min(count, len(positions)), seed):
        position = positions[index]
        usual = solution.playable.choices(position)[losses[position].choice]
        questions.append(_question(solution, position, usual, totals[index] / sum(totals)))
    return questions


def _question(solution: SolvedProblem, position: Any, choice: Choice[Any], weight: float) -> Question:
    """Return the question about a position in which the policy, or a player, made this choice."""
    playable = solution.playable
    advice = advise(solution, position)
    usual = find_choice(advice.choices, choice)
    assert usual is not None
    return Question(
        id=playable.id(position),
        position=playable.to_dict(position),
        words=describe_position(playable, position),
        dice=tuple(playable.value_of_role(position, Role.ROLL, ())),
        choices=_listed_choices(advice, usual, playable.choices(position)),
        advice=advice,
        policy_choice=usual,
        weight=weight,
        kind=mistake_kind(playable, position, usual, advice.best),
    )


def missed_questions(solution: SolvedProblem, wrong_answers: list[tuple[str, str]]) -> list[Question]:
    """Return questions about positions that were missed before; those that no longer exist are left out.

    Args:
        solution: the solved problem.
        wrong_answers: ids of positions, each with the last wrong answer.
    """
    questions = []
    for position_id, wrong_answer in wrong_answers:
        with suppress(InputError):
            position = solution.playable.from_id(position_id)
            choice = find_by_words(solution.playable.choices(position), wrong_answer)
            if choice is not None:
                questions.append(_question(solution, position, choice, 0.0))
    return questions


@dataclass(frozen=True)
class QuizPlan:
    """A quiz about the mistakes of a policy, which has been found possible.

    Attributes:
        problem: the problem.
        policy: the policy of all seats, parsed.
        count: number of questions.
        seed: seed of the games and of the draw.
        games: the largest number of games to simulate.
    """

    problem: Problem[Any]
    policy: NamedPolicy
    count: int
    seed: int
    games: int

    def run(self, solution: SolvedProblem, progress: ProgressCallback = lambda share: None) -> list[Question]:
        """Return the questions, once the problem is solved; see ``make_quiz``.

        Raises:
            InputError: the policy makes no mistakes, or the solution is of another problem.
        """
        solution.check_solves(self.problem)
        return _questions_of_policy(solution, self, progress)


def plan_quiz(problem: Problem[Any], policy: PolicyLike | None, count: int, seed: int, games: int = GAMES) -> QuizPlan:
    """Return a quiz about the mistakes of a policy, to be made once the problem is solved.

    Args:
        problem: the problem.
        policy: a policy; None for the strategy sheet of a game that has one, and for ``careless`` otherwise.
        count: number of questions.
        seed: seed of the games and of the draw.
        games: the largest number of games to simulate.

    Raises:
        InputError: one of these is not allowed, or the policy is optimal.
    """
    _validate_count(count)
    if policy is None and problem.game.parts.sheet_is_quiz_default:
        with suppress(InputError):
            return QuizPlan(problem, plan_simulation(problem, ["sheet"], games, seed).policies[0], count, seed, games)
    named_policy = plan_simulation(problem, [CARELESS if policy is None else policy], games, seed).policies[0]
    if isinstance(named_policy.policy, OptimalPolicy):
        raise InputError(f"policy best makes no mistakes; use --from {CARELESS}, for example")
    return QuizPlan(problem, named_policy, count, seed, games)


@dataclass(frozen=True)
class GameQuizPlan:
    """A quiz about the mistakes that people made in a game, which has been found possible.

    Attributes:
        problem: the game's own problem.
        game: the game as it was played.
        count: the largest number of questions.
        seed: seed of the draw.
    """

    problem: Problem[Any]
    game: GameFile
    count: int
    seed: int

    def run(self, solution: SolvedProblem, progress: ProgressCallback = lambda share: None) -> list[Question]:
        """Return the questions, once the game's own problem is solved.

        Args:
            solution: the solution of the game's own problem.
            progress: called with the share done of each solve.

        Raises:
            InputError: nobody made a mistake, or the solution is of another problem.
        """
        solution.check_solves(self.problem)
        return _questions_of_game(solution, self, progress)


def plan_game_quiz(problem: Problem[Any], game: GameFile, count: int, seed: int) -> GameQuizPlan:
    """Return a quiz about the mistakes that people made in a game, to be made once its problem is solved.

    Args:
        problem: the game's own problem.
        game: the game as it was played.
        count: the largest number of questions.
        seed: seed of the draw.

    Raises:
        InputError: one of these is not allowed.
    """
    _validate_count(count)
    plan_simulation(problem, (), seed=seed)
    return GameQuizPlan(problem, game, count, seed)


def _validate_count(count: int) -> None:
    """Raise InputError if a quiz cannot have this number of questions."""
    if not 1 <= parse_whole_number(count, "count") <= MAX_QUESTIONS:
        raise InputError(f"{argument('count')} must be between 1 and {MAX_QUESTIONS:,}, not {count}")


def draw_without_replacement(weights: list[float], count: int, seed: int) -> list[int]:
    """Return different indices; each is drawn in proportion to its weight among those that are left."""
    remaining_weights = np.array(weights)
    indices = list[int]()
    for draw in random_block(seed, QUESTION_STREAM, 0, 0, 0)[:count].tolist():
        cumulative_weights = np.cumsum(remaining_weights)
        index = int(np.searchsorted(cumulative_weights, draw * cumulative_weights[-1], side="right"))
        indices.append(index)
        remaining_weights[index] = 0.0
    return indices


def _listed_choices(advice: Advice, usual: RankedChoice, order: Sequence[Choice[Any]]) -> tuple[RankedChoice, ...]:
    """Return the best choices and the usual one, in the documented order."""
    choice_by_meaning = {choice.meaning: choice for choice in (*advice.choices[:MAX_BEST_CHOICES], usual)}
    return tuple(choice_by_meaning[choice.meaning] for choice in order if choice.meaning in choice_by_meaning)


def describe_answer(choice: RankedChoice, advice: Advice) -> str:
    """Return the verdict on a choice: "best", "just as good", or its cost."""
    if choice.meaning == advice.best.meaning:
        return "best"
    return "just as good" if choice.tie else f"costs {format_loss(choice.loss, advice.objective)}"


def report_lines(
    solution: SolvedProblem, answers: Sequence[tuple[Question, RankedChoice]], whose: str, width: int = LINE_WIDTH
) -> list[str]:
    """Return the lines of a report: the costs of the answers by kind of decision, and the next grade to reach.

    Args:
        solution: the solved problem.
        answers: the questions, each with the choice that was the answer.
        whose: the name of the policy with which the answers are compared.
        width: number of columns.
    """
    objective = solution.playable.objective
    results = [_Answer(question.kind, choice.certain_loss, question.loss) for question, choice in answers]
    kinds = sorted({result.kind for result in results})
    rows = [["", "questions", "right", "cost", "per answer", "to beat"]]
    rows += [
        _report_row(
            mistake_label(solution.playable, kind), [result for result in results if result.kind == kind], objective
        )
        for kind in kinds
    ]
    if len(kinds) > 1:
        rows.append(_report_row("total", results, objective))
    lines = format_table(rows, 1, "  ", width)
    thresholds = marks(solution)
    mark_counts = Counter(mistake_mark(result.loss, thresholds) for result in results)
    if counts := ", ".join(f"{mark_counts[mark]} {mark}" for _, mark in thresholds if mark_counts[mark]):
        lines.append(f"  marked: {counts}")
    lines += _goal_lines(sum(result.loss for result in results) / len(results), objective, thresholds)
    return [*lines, f"The column 'to beat' shows what {whose} loses on these questions."]


@dataclass(frozen=True)
class _Answer:
    """The kind of a decision, the loss of an answer, and the loss of the policy there."""

    kind: str
    loss: float
    policy_loss: float


def _report_row(name: str, results: Sequence[_Answer], objective: str) -> list[str]:
    own = sum(result.loss for result in results)
    policy = sum(result.policy_loss for result in results)
    right = sum(not result.loss for result in results)
    costs = (format_loss(cost, objective) for cost in (own, own / len(results), policy / len(results)))
    return [name, str(len(results)), str(right), *costs]


def _goal_lines(mean_loss: float, objective: str, thresholds: tuple[tuple[float, str], ...]) -> list[str]:
    """Return lines with the mean loss and the next goal: a better grade for chances, a milder mark otherwise."""
    is_chance = objective in PROBABILITY_OBJECTIVES
    goals = GRADES if is_chance else tuple((loss, f"below {mark}") for loss, mark in reversed(thresholds))
    goals_ahead = [goal for goal in goals if goal[0] < mean_loss]
    goal_loss, goal_name = goals_ahead[-1] if goals_ahead else (0.0, "")
    mean_text, goal_text = format_distinct_losses(mean_loss, goal_loss, objective)
    lines = [f"Your answers cost {mean_text} on average{f'; grade: {grade(mean_loss)}' if is_chance else ''}."]
    if goals_ahead:
        lines.append(f"Next goal: {goal_text} per answer ({goal_name}).")
    return lines


def write_anki(questions: list[Question], path: str | os.PathLike[str], title: str) -> None:
    """Write the questions as a deck of cards for Anki.

    Raises:
        InputError: genanki is not installed, or the file cannot be written.
    """
    require_library("genanki", "Anki decks need genanki", "anki")
    import genanki

    model = genanki.Model(
        ANKI_MODEL_ID,
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
    deck = genanki.Deck(ANKI_DECK_ID, escape_deck_name(title))
    for question in questions:
        position_id = escape_anki(question.id)
        front, back = _anki_front(question, title), _anki_back(question)
        guid = genanki.guid_for(question.id)
        deck.add_note(genanki.Note(model=model, fields=[position_id, front, back], guid=guid))
    with write_atomically(path) as file:
        genanki.Package(deck).write_to_file(file, timestamp=0.0)


def _anki_front(question: Question, title: str) -> str:
    choices = "".join(f"<li>{escape_anki(choice.action)}</li>" for choice in question.choices)
    dice = f'<p style="font-size: 2.5em; margin: 0">{escape_anki(dice_picture(question))}</p>'
    return f"<p>{escape_anki(title)}</p><p>{escape_anki(question.words)}</p>{dice}<ul>{choices}</ul>"


def _anki_back(question: Question) -> str:
    verdicts = "".join(
        f"<li>{escape_anki(choice.action)}: {escape_anki(describe_answer(choice, question.advice))}</li>"
        for choice in question.choices
    )
    return f"<ul>{verdicts}</ul>"


def dice_picture(question: Question) -> str:
    """Return the dice on the table as characters: ⚀ to ⚅, other faces in brackets; "" before a roll."""
    return " ".join(DICE_CHARACTERS.get(str(face), f"[{face}]") for face in question.dice)


def describe_position(playable: PlayableGame[Any], position: Any) -> str:
    """Return the position as a line of text: scores in turn order, then all other fields."""
    fields = {field.name: field for field in playable.fields}
    parts = list[str]()
    for name, value in playable.to_dict(position).items():
        role = fields[name].role
        if fields[name] == SEAT:
            continue  # values do not depend on it
        if role is Role.OTHER_SCORES:
            owner = "the opponent has" if len(value) == 1 else "the players after you have"
            parts.append(f"{owner} {', '.join(f'{score:,}' for score in value)}")
        elif role is Role.SEAT and value < len(ORDINALS):
            parts.append(f"you move {ORDINALS[value]} in the round")
        else:
            label = "you have" if role is Role.SCORE else field_label(name)
            parts.append(f"{label} {fields[name].format(value)}".removesuffix(" true"))
    return ", ".join(parts)
