"""``keepwise quiz``: positions worth learning, with the cost of every answer."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from keepwise.util.errors import InputError
from keepwise.util.text import wrap_text

from .advise import headline
from .arguments import Naming
from .options import FOLLOWING, Asked, find_question, json_option, question_options, told_game
from .progress import Progress
from .session import QUIT, LeaveError, ask_line
from .terminal import say, width

if TYPE_CHECKING:
    from keepwise import Choice, RankedChoice
    from keepwise.api import Solution
    from keepwise.quiz.leitner import Boxes
    from keepwise.quiz.questions import Question

LETTERS = "abcdefghij"
ASKED = "> "
HELP = "type a letter or the choice in words; skip (a miss), quit"
ANSWER_FIRST = "Answer first: a wrong answer is explained. skip gives up and counts as the usual answer."


@click.command(cls=Naming)
@question_options
@click.option(
    "--from", "policy", metavar="POLICY", help="Whose losses are asked about (default: sheet where there is one)."
)
@click.option("--level", metavar="N", help="What the sheet of this level (1 to 4) loses most with: --from sheet:N.")
@click.option("--count", type=int, default=10, show_default=True, help="How many questions.")
@click.option("--seed", type=int, default=1, show_default=True, help="Which games: the same seed, the same questions.")
@click.option(
    "--ask/--print", "asks", default=None, help="Ask at the prompt, or print the list (default: ask at a terminal)."
)
@click.option("--anki", "deck", metavar="FILE.apkg", help="Write the questions as a deck for Anki instead.")
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
    """Ask about positions of real play, more often about those in which a common policy loses more.

    At a terminal each answer is judged at once. What is missed is asked again at the end, and after 1, 2, 4, 8 and 16
    days until it is known; --print prints the list of today, answers below. At the end stands a report.

    \b
    POLICY: sheet, hold:300, source, weak, ... (keepwise simulate --help lists
    them); careless, who makes mistakes, dear ones less often; or a game file,
    evening.kw: its people's own mistakes, without GAME

    \b
    Examples:
      keepwise quiz pig --from hold:20 --count 3
      keepwise quiz 5000 --objective points --from hold:300 --anki 5000.apkg
    """
    from keepwise.quiz.leitner import Boxes, today
    from keepwise.quiz.questions import asked_again, check_count, check_quiz, quiz_of_game, write_anki
    from keepwise.quiz.questions import quiz as ask_about
    from keepwise.simulation import check
    from keepwise.storage.files import check_writable
    from keepwise.util.optional_imports import require_library

    from .review import game_question

    listed = deck is None and not as_json
    if listed and asks is None and sys.stdin is not None and not sys.stdin.closed:
        asks = sys.stdin.isatty() or None
    if level is not None:
        if policy is not None:
            raise InputError("--level asks about a sheet, --from about others: leave one out")
        policy = f"sheet:{level}"
    game = None
    whose: Any = policy
    if policy is not None and policy.endswith(".kw"):
        game = told_game(policy, options)
        check_count(count)
        asked = Asked(game_question(policy, game), options["threads"], options["anyway"])
        check(asked.match, (), seed=seed)
    else:
        asked = find_question(options)
        with Progress("finding the sheet"):
            whose = check_quiz(asked.match, policy, count, seed)
        policy = policy or str(whose)
    if deck is not None:
        require_library("genanki", "Anki decks need genanki", "anki")
        check_writable(deck)
    solution = asked.solution()
    with Progress("playing" if game is None else FOLLOWING) as progress:
        if game is not None:
            questions = quiz_of_game(solution, game, count=count, seed=seed, progress=progress)
        else:
            questions = ask_about(solution, whose, count=count, seed=seed, progress=progress)
    if deck is not None:
        write_anki(questions, deck, f"{solution.game.title}, {asked.match.objective}")
    if as_json:
        shape = {**solution.head, "policy": policy, "seed": seed}
        click.echo(json.dumps({**shape, "questions": [one.as_json() for one in questions]}, indent=2))
    elif deck is not None:
        click.echo(f"{deck}: {len(questions)} cards")
    if not listed:
        return
    boxes = Boxes() if asks is not None else None
    if boxes is not None:
        again = asked_again(solution, boxes.due(solution.playable.name, today()))
        known = {one.id for one in again}
        questions = [*again, *(one for one in questions if one.id not in known)][:count]
    say(headline(solution.head, solution.game.options, {"from": policy, "seed": str(seed)}), rest="   ")
    if boxes is not None and asks:
        _ask(solution, questions, boxes, str(policy))
    else:
        _print(questions, str(policy))


def _print(questions: list[Question], policy: str) -> None:
    """The questions, and below them the answers."""
    from keepwise.quiz.questions import answer

    for number, one in enumerate(questions, 1):
        click.echo()
        say(f"{number}. {one.words}", rest="   ")
        _list(one)
    click.echo("\nAnswers")
    for number, one in enumerate(questions, 1):
        told = [f"{letter} {answer(choice, one.advice)}" for letter, choice in zip(LETTERS, one.choices, strict=False)]
        others = "" if len(one.choices) == len(one.advice.choices) else "; every other costs more"
        say(f"{number}. {', '.join(told)}{others}", rest="   ")
        say(f"{policy if one.weight else 'last time'}: {one.usual}", "   ")
        click.echo(f"   id {one.id}")


def _list(question: Question) -> None:
    for letter, choice in zip(LETTERS, question.choices, strict=False):
        say(choice.action, f"   {letter}  ", "      ")


def _ask(solution: Solution, questions: list[Question], boxes: Boxes, policy: str) -> None:
    """Ask, judge each answer at once, ask again what was missed until it is right, and report how it went."""
    from keepwise.play.input_parser import spoken_form
    from keepwise.quiz.leitner import today
    from keepwise.quiz.questions import report

    answers: list[tuple[Question, RankedChoice]] = []
    missed: list[Question] = []
    say(HELP)
    try:
        for number, one in enumerate(questions, 1):
            chosen = _judged(solution, one, f"{number} of {len(questions)}")
            answers.append((one, chosen))
            boxes.answered(one.id, chosen.is_best, spoken_form(chosen), today())
            missed += [] if chosen.is_best else [one]
        while missed:
            click.echo(f"\nOnce more what was missed: {len(missed)}")
            missed = [one for one in missed if not _judged(solution, one, "again").is_best]
    except (LeaveError, KeyboardInterrupt):
        pass
    if answers:
        again = " (of what was asked again: your last answer)" if any(not one.weight for one, _ in answers) else ""
        click.echo("\nReport")
        for line in report(solution, answers, f"{policy}{again}", width()):
            click.echo(wrap_text(line, width=width()) if not line.startswith(" ") else line)


def _judged(solution: Solution, question: Question, heading: str) -> RankedChoice:
    """Ask one question until it is answered; the answer."""
    from keepwise.play.playable_game import find_choice
    from keepwise.quiz.questions import picture
    from keepwise.util.number_format import format_loss, format_value

    click.echo()
    say(f"{heading}. {question.words}", rest="   ")
    if dice := picture(question):
        click.echo(f"   {dice}")
    _list(question)
    advice, objective = question.advice, question.advice.objective
    while (answer := _answer(solution, question)) is None:
        pass
    chosen = find_choice(advice.choices, answer)
    assert chosen is not None
    best = f"{advice.best.action}, {format_value(advice.best.value, objective)}"
    if chosen.is_best:
        told = f"Right: {best}." if chosen is advice.best else f"Right, {chosen.action} is as good as the best: {best}."
        say(told, "   ")
        return chosen
    mark = f"{sign} " if (sign := solution.mark(chosen.loss)) else ""
    told = f"{mark}{chosen.action} costs {format_loss(chosen.loss, objective)}; best is {best}."
    say(told, "   ")
    say(solution.why(question.id, chosen).text, "   ")
    return chosen


def _answer(solution: Solution, question: Question) -> Choice[Any] | None:
    """Return the choice typed in one line; None if the line was a question back or could not be read."""
    from keepwise.play.input_parser import read_choice

    text = ask_line(ASKED)
    word = text.lower()
    try:
        if word in QUIT:
            raise LeaveError
        if word in ("help", "?"):
            raise InputError(HELP)
        if word == "why":  # the reasons say what is best
            raise InputError(ANSWER_FIRST)
        if word == "skip":
            say(f"A miss, counted as the usual answer: {question.usual}.", "   ")
            return question.usual_choice
        letters = LETTERS[: len(question.choices)]
        if len(word) == 1 and word in letters:
            return question.choices[LETTERS.index(word)]
        try:
            return read_choice(solution.playable, solution.playable.position(question.id), text, ())
        except InputError as error:
            raise InputError(f"{error}; type a letter from {letters[0]} to {letters[-1]}, or help") from None
    except InputError as error:
        say(str(error), "   ")
        return None
