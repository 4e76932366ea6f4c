"""``keepwise quiz``: questions about positions that are easy to get wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from keepwise.util.errors import InputError
from keepwise.util.text import wrap_text

from .advise import headline
from .arguments import GameCommand
from .option_types import WholeNumber
from .options import FOLLOWING, SolveRequest, json_option, load_game, problem_options, read_request
from .progress import Progress
from .session import QUIT, LeaveError, ask_line
from .terminal import say, width

if TYPE_CHECKING:
    from keepwise import Choice, RankedChoice
    from keepwise.api import Solution
    from keepwise.play.choice_letters import ChoiceLetters
    from keepwise.quiz.leitner import LeitnerBoxes
    from keepwise.quiz.questions import GameQuizPlan, Question, QuizPlan

Result = TypeVar("Result")
PROMPT = "> "
END_PROMPT = "Press Enter for the report, or type why> "
HELP = (
    "Type a letter, or the choice in words; skip to give up, quit to stop. After an answer, type why to see the reason,"
    " even if the next question is on the screen."
)
ANSWER_FIRST = "Answer first; why then explains the best choice. To give up, type skip."


@click.command(cls=GameCommand)
@problem_options
@click.option(
    "--from",
    "policy",
    metavar="POLICY",
    help="Ask about positions in which this policy loses most (default: sheet, if the game has one).",
)
@click.option(
    "--level",
    metavar="N",
    help="Ask about positions in which the strategy sheet of this level (1 to 4) loses, as with --from sheet:N.",
)
@click.option(
    "--count", type=WholeNumber(), metavar="N", default=10, show_default=True, help="The number of questions."
)
@click.option(
    "--seed",
    type=WholeNumber(),
    metavar="N",
    default=1,
    show_default=True,
    help="Seed; the same seed gives the same questions.",
)
@click.option(
    "--ask/--print",
    "asks",
    default=None,
    help="Ask at the prompt, or print questions and answers (default: ask at a terminal).",
)
@click.option(
    "--anki", "deck", metavar="FILE.apkg", help="Write the questions as an Anki deck instead (needs the extra anki)."
)
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
            raise InputError("--level cannot be combined with --from; leave one of them out")
        policy = f"sheet:{level}"
    source = _read_source(policy, count, seed, options)
    if deck is not None:
        _check_anki(deck)
    solution = source.request.solution()
    source, questions = _make_questions(solution, source, policy)
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
        plan: the quiz that is made once the problem is solved.
        is_simulated: whether the mistakes are those of simulated games.
    """

    request: SolveRequest
    policy: str
    plan: QuizPlan | GameQuizPlan
    is_simulated: bool


def _read_source(policy: str | None, count: int, seed: int, options: dict[str, Any]) -> _Source:
    """Read the policy or the game file of the questions, and check all that can be checked before solving."""
    from keepwise.quiz.questions import plan_game_quiz, plan_quiz

    if policy is not None and policy.endswith(".kw"):
        from .review import judging_problem

        game = load_game(policy, options)
        request = SolveRequest(judging_problem(policy, game), options["threads"], options["anyway"])
        return _Source(request, policy, plan_game_quiz(request.problem, game, count, seed), False)
    request = read_request(options)
    with Progress("finding the sheet"):
        plan = plan_quiz(request.problem, policy, count, seed)
    return _Source(request, policy or plan.policy.name, plan, True)


def _check_anki(deck: str) -> None:
    from keepwise.storage.files import check_writable
    from keepwise.util.optional_imports import require_library

    require_library("genanki", "Anki decks need genanki", "anki")
    if not deck.lower().endswith(".apkg"):
        raise InputError(f"--anki: the name of an Anki deck must end in .apkg, not {deck}")
    check_writable(deck)


def _make_questions(solution: Solution, source: _Source, policy: str | None) -> tuple[_Source, list[Question]]:
    """Return the questions with their source: ``careless`` if no policy is named and the sheet makes no mistakes."""
    from keepwise.policies.registry import CARELESS
    from keepwise.quiz.questions import NoMistakesError, plan_quiz

    try:
        with Progress("playing" if source.is_simulated else FOLLOWING) as progress:
            return source, source.plan.run(solution, progress)
    except NoMistakesError:
        if policy is not None:
            raise
    plan = plan_quiz(source.request.problem, CARELESS, source.plan.count, source.plan.seed)
    source = source._replace(policy=CARELESS, plan=plan)
    with Progress("playing") as progress:
        return source, plan.run(solution, progress)


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
    say(headline(solution.head, solution.game, {"mistakes of": policy, "seed": str(seed)}), indent="   ")
    if boxes is not None and asks:
        _ask(solution, questions, boxes, policy)
    else:
        _print(solution, questions, policy)


def _print(solution: Solution, questions: list[Question], policy: str) -> None:
    """Print the questions, and the answers below."""
    from keepwise.quiz.questions import describe_answer

    for number, question in enumerate(questions, 1):
        click.echo()
        say(f"{number}. {question.words}", indent="   ")
        _print_choices(question, _assign_letters(solution, question))
    click.echo("\nAnswers")
    for number, question in enumerate(questions, 1):
        letters = _assign_letters(solution, question)
        answers = [
            f"{letters.letter(choice)} {describe_answer(choice, question.advice)}" for choice in question.choices
        ]
        has_all = len(question.choices) == len(question.advice.choices)
        say(f"{number}. {', '.join(answers)}{'' if has_all else '; all others cost more'}", indent="   ")
        say(f"{policy if question.weight else 'last time'}: {question.policy_action}", "   ")
        click.echo(f"   id {question.id}")


def _assign_letters(solution: Solution, question: Question) -> ChoiceLetters:
    """Return the letters of the choices of a question."""
    from keepwise.play.choice_letters import ChoiceLetters
    from keepwise.play.playable_game import find_choice

    letters = ChoiceLetters(solution.playable)
    choices = solution.playable.choices(solution.playable.from_id(question.id))
    for ranked in question.choices:
        choice = find_choice(choices, ranked)
        assert choice is not None
        letters.letter(choice)
    return letters


def _print_choices(question: Question, letters: ChoiceLetters) -> None:
    for choice in question.choices:
        say(choice.action, f"   {letters.letter(choice)}  ", "      ")
    if others := len(question.advice.choices) - len(question.choices):
        click.echo(f"      and {others} more, none of them better")


class _QuizSession:
    """A quiz at the prompt.

    Args:
        solution: what judges the answers.
    """

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self._last_question: Question | None = None  # the last question that was answered

    def ask(self, question: Question, heading: str) -> RankedChoice:
        """Ask one question until there is an answer; judge and return it."""
        from keepwise.play.playable_game import find_choice
        from keepwise.quiz.questions import dice_picture

        click.echo()
        say(f"{heading}: {question.words}", indent="   ")
        if dice := dice_picture(question):
            click.echo(f"   {dice}")
        letters = _assign_letters(self.solution, question)
        _print_choices(question, letters)
        while (answer := self._read_answer(question, letters)) is None:
            pass
        choice = find_choice(question.advice.choices, answer)
        assert choice is not None
        self._judge(question, choice)
        self._last_question = question
        return choice

    def ask_for_report(self) -> None:
        """Wait for Enter before the report, and explain the last answer if that is asked for."""
        while text := ask_line(END_PROMPT):
            word, _, argument = text.partition(" ")
            if word.lower() in QUIT:
                return
            if word.lower() == "why":
                self._try(self._explain_answer, argument)
            else:
                say("Press Enter for the report, or type why.", "   ")

    def _judge(self, question: Question, choice: RankedChoice) -> None:
        """Say whether an answer is right; explain a wrong one."""
        from keepwise.util.number_format import format_loss, format_value

        advice, objective = question.advice, question.advice.objective
        best = f"{advice.best.action}, {format_value(advice.best.value, objective)}"
        if choice is advice.best:
            say(f"Right: {best}.", "   ")
        elif choice.tie:
            say(f"Right: {choice.action} is as good as {best}.", "   ")
        else:
            mark = f"{sign} " if (sign := self.solution.mark(choice.loss)) else ""
            say(f"{mark}{choice.action} costs {format_loss(choice.loss, objective)}; best is {best}.", "   ")
            say(self.solution.why(question.id, choice).text, "   ")

    def _read_answer(self, question: Question, letters: ChoiceLetters) -> Choice[Any] | None:
        """Read one line and return the choice that it names; None if it was a command or names no choice."""
        text = ask_line(PROMPT)
        word, _, argument = text.partition(" ")
        if text.lower() in QUIT:
            raise LeaveError
        if text.lower() in ("help", "?"):
            say(HELP, "   ")
            return None
        if word.lower() == "why":
            self._try(self._explain_answer, argument)
            return None
        if text.lower() == "skip":
            say(f"Skipped; this counts as the usual mistake: {question.policy_action}.", "   ")
            return question.policy_choice
        return self._try(self._parse, question, letters, text)

    def _parse(self, question: Question, letters: ChoiceLetters, text: str) -> Choice[Any]:
        """Return the choice of a question that a text names."""
        from keepwise.play.input_parser import parse_choice

        position = self.solution.playable.from_id(question.id)
        try:
            return parse_choice(self.solution.playable, position, text, letters)
        except InputError as error:
            raise InputError(f"{error}; or type help") from None

    def _explain_answer(self, text: str) -> None:
        """Explain the best choice of the question that was answered last, against the second best or a choice.

        Raises:
            InputError: no question has been answered yet, or the text names no choice of it.
        """
        question = self._last_question
        if question is None:
            raise InputError(ANSWER_FIRST)
        other_choice = self._parse(question, _assign_letters(self.solution, question), text) if text.strip() else None
        say(f"The last answer: {self.solution.why(question.id, other_choice).text}", "   ")

    @staticmethod
    def _try(function: Callable[..., Result], *arguments: Any) -> Result | None:
        """Return the result of a function; print an InputError and return None."""
        try:
            return function(*arguments)
        except InputError as error:
            say(str(error), "   ")
            return None


def _ask(solution: Solution, questions: list[Question], boxes: LeitnerBoxes, policy: str) -> None:
    """Ask every question, repeat the missed ones until they are right, and print a report."""
    from keepwise.play.input_parser import spoken_form
    from keepwise.quiz.leitner import today
    from keepwise.quiz.questions import report_lines
    from keepwise.util.number_format import format_count

    answers: list[tuple[Question, RankedChoice]] = []
    missed: list[Question] = []
    session = _QuizSession(solution)
    say(HELP)
    try:
        for number, question in enumerate(questions, 1):
            choice = session.ask(question, f"{number} of {len(questions)}")
            answers.append((question, choice))
            boxes.record_answer(question.id, choice.tie, spoken_form(choice), today())
            if not choice.tie:
                missed.append(question)
        while missed:
            click.echo(f"\nYou missed {format_count(len(missed), 'question')}. Try again.")
            missed = [question for question in missed if not session.ask(question, "Again").tie]
        session.ask_for_report()
    except (LeaveError, KeyboardInterrupt):
        pass
    if answers:
        is_repetition = any(not question.weight for question, _ in answers)
        remark = " (in repeated questions, your last answer)" if is_repetition else ""
        click.echo("\nReport")
        for line in report_lines(solution, answers, f"{policy}{remark}", width()):
            click.echo(wrap_text(line, width=width()) if not line.startswith(" ") else line)
