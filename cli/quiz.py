"""``keepwise quiz``: questions about positions that are easy to get wrong."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from keepwise.util.errors import InputError
from keepwise.util.text import wrap_text

from .advise import headline
from .arguments import GameCommand
from .options import FOLLOWING, SolveRequest, json_option, load_game, problem_options, read_request
from .progress import Progress
from .session import QUIT, LeaveError, ask_line
from .terminal import say, width

if TYPE_CHECKING:
    from keepwise import Choice, RankedChoice
    from keepwise.api import Solution
    from keepwise.play.game_file import GameFile
    from keepwise.quiz.leitner import LeitnerBoxes
    from keepwise.quiz.questions import Question

LETTERS = "abcdefghij"
PROMPT = "> "
HELP = "Type a letter, or the choice in words; skip to give up, quit to stop."
ANSWER_FIRST = "Answer first: a wrong answer is explained. To give up, type skip."


@click.command(cls=GameCommand)
@problem_options
@click.option(
    "--from", "policy", metavar="POLICY", help="Ask where this policy loses most (default: sheet, if there is one)."
)
@click.option("--level", metavar="N", help="Ask where the strategy sheet of this level (1 to 4) loses: --from sheet:N.")
@click.option("--count", type=int, metavar="N", default=10, show_default=True, help="The number of questions.")
@click.option(
    "--seed", type=int, metavar="N", default=1, show_default=True, help="Seed; the same seed gives the same questions."
)
@click.option(
    "--ask/--print",
    "asks",
    default=None,
    help="Ask at the prompt, or print questions and answers (default: ask at a terminal).",
)
@click.option("--anki", "deck", metavar="FILE.apkg", help="Write the questions as an Anki deck instead.")
@json_option
def quiz(
    policy: str | None,
    level: str | None,
    count: int,
    seed: int,
    asks: bool | None,
    deck: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Practise positions that a common policy gets wrong.

    The positions come from simulated games. The more a policy loses in one, the more often it is asked. At a terminal
    each answer is judged at once; positions that you miss come back at the end, and again after 1, 2, 4, 8 and 16 days.

    \b
    POLICY is one of
      sheet, hold:300, weak, ...  all that keepwise simulate --help lists
      careless                    makes mistakes, costly ones less often
      evening.kw                  the mistakes of the people in a game file
                                  (leave GAME out)

    \b
    Examples:
      keepwise quiz pig --from hold:20 --count 3
      keepwise quiz 5000 --objective points --from hold:300 --anki 5000.apkg
    """
    if level is not None:
        if policy is not None:
            raise InputError("--level cannot be combined with --from")
        policy = f"sheet:{level}"
    source = _read_source(policy, count, seed, options)
    if deck is not None:
        _check_anki(deck)
    solution = source.request.solution()
    questions = _make_questions(solution, source, count, seed)
    if as_json:
        head = {**solution.head, "policy": source.policy, "seed": seed}
        rows = [question.as_json() for question in questions]
        click.echo(json.dumps({**head, "questions": rows}, indent=2))
    if deck is not None:
        from keepwise.quiz.questions import write_anki

        write_anki(questions, deck, f"{solution.game.title}, {source.request.problem.objective}")
        if not as_json:
            click.echo(f"{deck}: {len(questions)} cards")
    if deck is None and not as_json:
        _show(solution, questions, asks, source.policy, count, seed)


class _Source(NamedTuple):
    """Where questions come from.

    Attributes:
        request: the problem by whose solution answers are judged.
        policy: the name of the policy, or the path of the game file.
        players: the policy for the simulation.
        game: the game whose mistakes are asked about; None for simulated games.
    """

    request: SolveRequest
    policy: str
    players: Any
    game: GameFile | None


def _read_source(policy: str | None, count: int, seed: int, options: dict[str, Any]) -> _Source:
    """Read the policy or the game file of the questions, and check all that can be checked before solving."""
    from keepwise.quiz.questions import check_count, check_quiz

    if policy is not None and policy.endswith(".kw"):
        from keepwise.simulation import check_policies

        from .review import judging_problem

        game = load_game(policy, options)
        check_count(count)
        request = SolveRequest(judging_problem(policy, game), options["threads"], options["anyway"])
        check_policies(request.problem, (), seed=seed)
        return _Source(request, policy, policy, game)
    request = read_request(options)
    with Progress("finding the sheet"):
        players = check_quiz(request.problem, policy, count, seed)
    return _Source(request, policy or players.name, players, None)


def _check_anki(deck: str) -> None:
    from keepwise.storage.files import check_writable
    from keepwise.util.optional_imports import require_library

    require_library("genanki", "Anki decks need genanki", "anki")
    check_writable(deck)


def _make_questions(solution: Solution, source: _Source, count: int, seed: int) -> list[Question]:
    from keepwise.quiz.questions import make_quiz as questions_about_policy
    from keepwise.quiz.questions import quiz_of_game

    with Progress("playing" if source.game is None else FOLLOWING) as progress:
        if source.game is not None:
            return quiz_of_game(solution, source.game, count=count, seed=seed, progress=progress)
        return questions_about_policy(solution, source.players, count=count, seed=seed, progress=progress)


def _show(solution: Solution, questions: list[Question], asks: bool | None, policy: str, count: int, seed: int) -> None:
    """Ask the questions at the prompt or print them; missed ones of earlier days come first.

    Args:
        solution: what judges the answers.
        questions: the new questions.
        asks: whether to ask; None asks at a terminal, and prints only new questions elsewhere.
        policy: the policy or file that the questions come from.
        count: the largest number of questions.
        seed: the seed of the questions.
    """
    from keepwise.quiz.leitner import LeitnerBoxes, today
    from keepwise.quiz.questions import missed_questions

    if asks is None and sys.stdin is not None and not sys.stdin.closed:
        asks = sys.stdin.isatty() or None
    boxes = None if asks is None else LeitnerBoxes()
    if boxes is not None:
        due = missed_questions(solution, boxes.due_cards(solution.playable.id_prefix, today()))
        due_ids = {question.id for question in due}
        questions = [*due, *(question for question in questions if question.id not in due_ids)][:count]
    say(headline(solution.head, solution.game.options, {"from": policy, "seed": str(seed)}), rest="   ")
    if boxes is not None and asks:
        _ask(solution, questions, boxes, policy)
    else:
        _print(questions, policy)


def _print(questions: list[Question], policy: str) -> None:
    """Print the questions, and the answers below."""
    from keepwise.quiz.questions import describe_answer

    for number, question in enumerate(questions, 1):
        click.echo()
        say(f"{number}. {question.words}", rest="   ")
        _print_choices(question)
    click.echo("\nAnswers")
    for number, question in enumerate(questions, 1):
        lettered = zip(LETTERS, question.choices, strict=False)
        answers = [f"{letter} {describe_answer(choice, question.advice)}" for letter, choice in lettered]
        has_all = len(question.choices) == len(question.advice.choices)
        say(f"{number}. {', '.join(answers)}{'' if has_all else '; all others cost more'}", rest="   ")
        say(f"{policy if question.weight else 'last time'}: {question.usual}", "   ")
        click.echo(f"   id {question.id}")


def _print_choices(question: Question) -> None:
    for letter, choice in zip(LETTERS, question.choices, strict=False):
        say(choice.action, f"   {letter}  ", "      ")


def _ask(solution: Solution, questions: list[Question], boxes: LeitnerBoxes, policy: str) -> None:
    """Ask every question, repeat the missed ones until they are right, and print a report."""
    from keepwise.play.input_parser import spoken_form
    from keepwise.quiz.leitner import today
    from keepwise.quiz.questions import report_lines

    answers: list[tuple[Question, RankedChoice]] = []
    missed: list[Question] = []
    say(HELP)
    try:
        for number, question in enumerate(questions, 1):
            choice = _ask_until_answered(solution, question, f"{number} of {len(questions)}")
            answers.append((question, choice))
            boxes.record_answer(question.id, choice.is_best, spoken_form(choice), today())
            if not choice.is_best:
                missed.append(question)
        while missed:
            click.echo(f"\nQuestions that you missed: {len(missed)}. Try again.")
            missed = [question for question in missed if not _ask_until_answered(solution, question, "again").is_best]
    except (LeaveError, KeyboardInterrupt):
        pass
    if answers:
        is_repetition = any(not question.weight for question, _ in answers)
        remark = " (in repeated questions, your last answer)" if is_repetition else ""
        click.echo("\nReport")
        for line in report_lines(solution, answers, f"{policy}{remark}", width()):
            click.echo(wrap_text(line, width=width()) if not line.startswith(" ") else line)


def _ask_until_answered(solution: Solution, question: Question, heading: str) -> RankedChoice:
    """Ask one question until there is an answer; judge and return it."""
    from keepwise.play.playable_game import find_choice
    from keepwise.quiz.questions import dice_picture
    from keepwise.util.number_format import format_loss, format_value

    click.echo()
    say(f"{heading}. {question.words}", rest="   ")
    if dice := dice_picture(question):
        click.echo(f"   {dice}")
    _print_choices(question)
    advice, objective = question.advice, question.advice.objective
    while (answer := _read_answer(solution, question)) is None:
        pass
    choice = find_choice(advice.choices, answer)
    assert choice is not None
    best = f"{advice.best.action}, {format_value(advice.best.value, objective)}"
    if choice is advice.best:
        say(f"Right: {best}.", "   ")
    elif choice.is_best:
        say(f"Right: {choice.action} is as good as {best}.", "   ")
    else:
        mark = f"{sign} " if (sign := solution.mark(choice.loss)) else ""
        say(f"{mark}{choice.action} costs {format_loss(choice.loss, objective)}; best is {best}.", "   ")
        say(solution.why(question.id, choice).text, "   ")
    return choice


def _read_answer(solution: Solution, question: Question) -> Choice[Any] | None:
    """Read one line and return the choice that it names; None if it was a command or names no choice."""
    from keepwise.play.input_parser import parse_choice

    text = ask_line(PROMPT)
    word = text.lower()
    try:
        if word in QUIT:
            raise LeaveError
        if word in ("help", "?"):
            raise InputError(HELP)
        if word == "why":  # the reasons would reveal the answer
            raise InputError(ANSWER_FIRST)
        if word == "skip":
            say(f"Counted as a miss with the usual answer: {question.usual}.", "   ")
            return question.usual_choice
        letters = LETTERS[: len(question.choices)]
        if len(word) == 1 and word in letters:
            return question.choices[LETTERS.index(word)]
        try:
            return parse_choice(solution.playable, solution.playable.from_id(question.id), text, ())
        except InputError as error:
            raise InputError(f"{error}; type a letter from {letters[0]} to {letters[-1]}, or help") from None
    except InputError as error:
        say(str(error), "   ")
        return None
