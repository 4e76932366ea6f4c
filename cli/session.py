"""A game at the prompt: what is said, what is asked, and the file that keeps it as it goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from keepwise.play.card_display import card_lines
from keepwise.play.game_file import Again, GameFile, Step
from keepwise.play.input_parser import are_dice, fall_in_words, likely, read_choice, scores, turn_in_a_line
from keepwise.play.playable_game import DICE_ASKED
from keepwise.play.position_fields import Role
from keepwise.storage.files import (
    GAME_FILE,
    READ_ERRORS,
    check_file_name,
    error_reason,
    file_kind,
    lock_file,
    open_regular_file,
)
from keepwise.util.errors import InputError
from keepwise.util.integers import parse_whole_number

from .progress import ahead, asking, leaves
from .terminal import fitted, say, width

if TYPE_CHECKING:
    from keepwise import RankedChoice
    from keepwise.api import Advice
    from keepwise.play import Choice
    from keepwise.simulation.players import Adviser, Player

RANKED = 5  # choices that ? ranks
TOLD = 12  # events that a list shows
QUIT = ("quit", "q", "exit")
WEIGHING = ("?", "why", "more", "reach")  # what is asked of a decision
THROWN = ("roll", "throw")  # what may stand before dice that fell
HELP = (
    "a line's number or its words, dice (115, keep 1 1), bank, ...  makes a choice",
    "more             every choice, by number",
    "?                what is best here; Enter alone then does it",
    "why [CHOICE]     why, against the next best or CHOICE",
    "reach N [TURNS]  the chance to get to N points, and what is best for that",
    "score, card      how it stands",
    "undo [N], redo   take the last choice back (or N), make it again",
    "events           what was told last, by number",
    "fix N WORDS      tell event N otherwise",
    "save [FILE]      where the game is kept; with FILE, a copy of it",
    "quit, q, exit    stop here; the file goes on with --resume",
)


OVER = "the game is over: undo, fix N WORDS, events, score or Enter"


class LeaveError(Exception):
    """Somebody has left the table: ``quit``, or no more input."""


class Keeper:
    """The file that a game is written to as it goes: one line an event, on disk before the next is asked for. No other
    program goes on with it meanwhile. With ``game`` the file is begun, else gone on with.
    """

    def __init__(self, path: Path, game: GameFile | None = None) -> None:
        self.path = path
        try:
            if game is None:
                open_regular_file(path).close()
            self._file = path.open("a" if game is None else "x", encoding="utf-8", newline="\n")
        except READ_ERRORS as error:
            raise _cannot(path, error, new=game is not None) from None
        if not lock_file(self._file):
            self._file.close()
            raise InputError(f"{path} is being played in another program: leave it there first")
        self._ends = game is not None or path.read_bytes()[-1:] in (b"\n", b"")  # whether its last line has an end
        if game is not None:
            self.write("\n".join([*game.head(), ""]))

    def __enter__(self) -> Keeper:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def write(self, line: str) -> None:
        """Add a line."""
        self._file.write(line + "\n" if self._ends else f"\n{line}\n")
        self._ends = True
        self._file.flush()
        os.fsync(self._file.fileno())


def check_new(path: Path) -> None:
    """Raise InputError where no new file can be begun."""
    try:
        check_file_name(path)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        path.unlink()
    except READ_ERRORS as error:
        raise _cannot(path, error) from None


def _cannot(path: Path, error: Exception, new: bool = True) -> InputError:
    if isinstance(error, FileExistsError):
        goes_on = f"--resume {path} goes on with it, or " if file_kind(path) == GAME_FILE else ""
        return InputError(f"{path} is there already: {goes_on}give another name")
    if not new:
        return InputError(f"{path} cannot be gone on with: {error_reason(error)}")
    return InputError(f"{path} cannot be written: {error_reason(error)}; -o FILE says where else")


class Manner(NamedTuple):
    """How a game is accompanied: with advice before every choice, without a word of costs, with every throw told."""

    coach: bool
    silent: bool
    verbose: bool


class Session:
    """A game between people, engines and whoever else, at a prompt."""

    def __init__(
        self,
        game: GameFile,
        players: list[Player | None],
        adviser: Callable[[], Adviser],
        keeper: Keeper,
        how: Manner,
    ) -> None:
        self.game, self.table, self.players = game, game.table, players
        self._adviser, self.keeper, self.how = adviser, keeper, how
        self._undone: list[list[str]] = []
        self._waiting: list[tuple[int, Step]] = []  # what was told of turns that come once this one is told again
        self._listed: Any = None  # the position whose choices stand above
        self._advised: Any = None  # the position whose advice does
        self._numbers: tuple[Any, list[Choice[Any]]] = (None, [])  # a position, and those that stand there by number
        self._commands: dict[str, Callable[[str], None]] = {
            "?": self._advice,
            "why": self._why,
            "more": self._more,
            "reach": self._reach,
            "score": self._score,
            "card": self._score,
            "undo": self._undo,
            "redo": self._redo,
            "events": self._events,
            "fix": self._fix,
            "save": self._save,
            **dict.fromkeys(QUIT, self._quit),
            "help": self._help,
        }

    @property
    def adviser(self) -> Adviser:
        """What is best here."""
        return self._adviser()

    # --- the course of a game

    def run(self) -> None:
        """Play until the game is over or somebody leaves."""
        game, table = self.game, self.table
        begun = None
        while not game.over:
            if begun is not game.begun:
                begun = game.begun
                if not self._in_a_line(table.mover(begun)):
                    self._say_scores()
                    self._say_card()
            try:
                self._next()
            except InputError as error:
                if not self._asks:
                    raise
                say(str(error), "  ")

    def taken_back(self) -> bool:
        """Ask, once the game is over, whether something is to be taken back; whether it goes on."""
        if not any(map(self._asked, self.game.told)):
            return False
        try:
            while self.game.over:
                self._ask_once_over()
        except (LeaveError, KeyboardInterrupt):
            return False
        return True

    def _ask_once_over(self) -> None:
        try:
            self._ask("undo or fix takes back, Enter ends> ", self._ended)
        except InputError as error:
            say(str(error), "  ")

    def _ended(self, text: str) -> None:
        if not text:
            raise LeaveError
        raise InputError(OVER)

    def _in_a_line(self, seat: int) -> bool:
        """Whether a seat's turn is said in one line: a player's of this program, that throws for it too."""
        return self.players[seat] is not None and self.game.dice == "program" and not self.how.verbose

    @property
    def _asks(self) -> bool:
        """Whether the next thing is asked of somebody."""
        game, table = self.game, self.table
        if table.stage(game.position) == "throw":
            return game.dice == "mine"
        return self.players[table.mover(game.position)] is None

    def _next(self) -> None:
        """The next throw or choice."""
        game, table = self.game, self.table
        here, who = game.position, game.mover
        player = self.players[table.mover(here)]
        if who.player == "table" and game.turn_untold is not None:
            self._ask(f"{who.name}'s turn, what did it bring? ", self._turn)
        elif table.stage(here) == "throw":
            if game.dice == "program":
                line = game.throw()
                self._wrote(line)
            else:
                words, _ = table.throw_in_words(here)
                self._ask(f"{who.name}: {words}; {table.fall_asked(here)} ", self._told)
        elif player is None:
            if self._listed is not here:
                self._listed = here
                self._say_inside()
                if self.how.coach and who.player != "table":
                    self._advice()
                else:
                    self._list()
            self._ask(f"{who.name}> ", self._chosen)
        else:
            self._wrote(game.choose(player(here)))

    def _wrote(self, line: str) -> None:
        """A line of the game: kept, and said."""
        self.keeper.write(line)
        self._undone.clear()
        self._say_told()
        if self._waiting and (again := self.game.tell_again(self._waiting)).later != self._waiting:
            self._keep_again(len(again.lines))
            self._told_again(again)

    def _say_told(self) -> None:
        """What was told last, and what happened by itself then; of a turn that is said in one line, at its end."""
        game, table = self.game, self.table
        seat = game.told[-1].seat
        if not self._in_a_line(seat):
            self._say(self._line(game.told[-1]))
            self._say_forced()
        elif game.over or table.turn_begins(game.position):
            begun = max(place for place, step in enumerate(game.steps) if table.turn_begins(step.position))
            told = [(step.said, step.choice) for step in game.steps[begun:]]
            self._say(f"{game.seats[seat].name}: {turn_in_a_line(table, told)}")

    def _line(self, step: Step) -> str:
        """The line that tells a step, as people are told it."""
        told = step.said if step.kind != "throw" else fall_in_words(self.table, step.said)
        return f"{self.game.seats[step.seat].name}: {told}"

    @staticmethod
    def _say(line: str) -> None:
        """A line of the game, in 80 columns."""
        say(line, "", "    ")

    def _say_forced(self) -> None:
        """What happened by itself after the last line."""
        steps = self.game.steps
        last = max(number for number, step in enumerate(steps) if step.said)
        for step in steps[last + 1 :]:
            assert step.choice is not None
            self._say(f"{self.game.seats[step.seat].name}: {step.choice.action}")

    # --- what is asked

    def _ask(self, prompt: str, answer: Callable[[str], None]) -> None:
        """Ask for one line: a command, or what ``answer`` reads."""
        text = ask_line(prompt)
        word, _, rest = text.partition(" ")
        if self.game.over and word.lower() in WEIGHING:
            raise InputError(OVER)
        if (command := self._commands.get(word.lower())) is not None:
            command(rest.strip())
        else:
            answer(text)

    def _told(self, text: str) -> None:
        first, _, rest = text.partition(" ")
        if first.lower() in THROWN:
            text = rest.strip()
        if not text:
            raise InputError("type what fell, help for the rest")
        try:
            line = self.game.tell(text)
        except InputError as error:
            dice = self.table.fall_asked(self.game.position) == DICE_ASKED
            back = "" if self.game.position is self.game.begun else ", or undo"  # a choice led here
            raise InputError(f"{error}{'; type the dice that fell' * dice}{self._or_whole}{back}") from None
        self._wrote(line)

    @property
    def _or_whole(self) -> str:
        """That a whole turn may be told, where it may: its dice are people's, and nothing of it is told yet."""
        untold = self.game.dice == "mine" and self.game.turn_untold is not None
        brings = self.table.brings(self.game.position) if untold else ""
        return f", or turn and what all of it brought: {brings}" if brings else ""

    def _turn(self, text: str) -> None:
        """A whole turn of somebody at the table, or its first throw."""
        words = text.strip()
        first, _, rest = words.partition(" ")
        if first.lower() in THROWN:
            self._told(words)
            return
        whole = rest if first.lower() in ("turn", "bank") else words
        brings = self.table.brings(self.game.position)
        expected = f"{brings}, or roll and the dice" if brings else "roll and the dice: it is told throw by throw"
        if not whole:
            raise InputError(f"type what the turn brought: {expected}")
        try:
            line = self.game.tell(f"turn {whole}")
        except InputError as error:
            try:
                line = self.game.tell(words)
            except InputError:
                raise InputError(f"{error}; a turn is told by {expected}") from None
        self._wrote(line)

    def _chosen(self, text: str) -> None:
        """A choice; an empty line follows the advice that stands above."""
        game, here = self.game, self.game.position
        if text:
            try:
                choice = self._read(text)
            except InputError as error:
                self._whole(text, error)
                return
        elif self._advised is here:
            choice = self.adviser.best(here)
        else:
            raise InputError("Enter alone does what is advised, and nothing was: ? says what is best")
        mark, told = ("", "") if self.how.silent else self._cost(here, choice)
        self._wrote(game.choose(choice))
        if told:
            say(f"{mark} {told}".strip(), "  ")
        self._keep_mark(mark, told)

    def _whole(self, text: str, error: InputError) -> None:
        """A whole turn, told in words where its first choice is asked for; a number alone means a choice."""
        said = text if text.lower().startswith("turn ") else f"turn {text}"
        try:
            line = self.game.tell(said) if self._or_whole and any(map(str.isalpha, text)) else ""
        except InputError:
            line = ""
        if not line:
            raise InputError(f"{error}{self._or_whole}") from None
        self._wrote(line)

    def _keep_mark(self, mark: str, told: str) -> None:
        if mark:
            self.keeper.write(f"# {mark} {told}")

    def _keep_again(self, count: int) -> None:
        """The last lines, told again, are kept as when they were told first: a choice with its mark."""
        for step in self.game.told[len(self.game.told) - count :]:
            self.keeper.write(self.game.line(step))
            if step.choice is not None and self._asked(step) and not self.how.silent:
                self._keep_mark(*self._cost(step.position, step.choice))

    def _read(self, text: str) -> Choice[Any]:
        """The choice that is meant; who tells other dice than lie there learns how to."""
        game = self.game
        try:
            return read_choice(self.table, game.position, text, self._shown)
        except InputError as error:
            thrown = [number for number, step in enumerate(game.steps, 1) if step.said and step.kind == "throw"]
            if game.dice != "mine" or not thrown or not are_dice(self.table, text):
                raise
            raise InputError(f"{error}; if other dice fell: undo, or fix {thrown[-1]} {text}") from None

    def _cost(self, here: Any, choice: Any) -> tuple[str, str]:
        """What a choice cost, as a mark and in a line; nothing where it was as good as the best."""
        from keepwise.util.number_format import format_loss

        advice = self.adviser.advise(here)
        for ranked in advice.choices:
            if ranked.meaning == choice.meaning and not ranked.is_best:
                told = f"That cost {format_loss(ranked.loss, advice.objective)}: {advice.best.action} was best."
                return self.adviser.mark(ranked.loss), told
        return "", ""

    # --- commands

    def _advice(self, _: str = "") -> None:
        if self.table.stage(self.game.position) == "throw" and self.table.turn_begins(self.game.position):
            click.echo("  The dice must be thrown: nothing is to be decided yet.")
            return
        here = self._advised = self.game.position
        self._say_whose()
        advice = self.adviser.advise(here)
        self._say_ranked(advice, advice.choices[:RANKED])
        if len(advice.choices) > RANKED:
            say(f"and {len(advice.choices) - RANKED} more that cost as much or more (more lists all)", "       ")
        if advice.mixture:
            drawn = self.adviser.best(self.game.position).action
            say(f"{advice.mixture} Drawn for this turn: {drawn}.", "  ")

    def _say_ranked(self, advice: Advice, ranked: Sequence[RankedChoice]) -> None:
        """Choices by what they are worth, each with its number."""
        from keepwise.util.number_format import format_loss, format_percent, format_value

        here, choices = self.game.position, self._choices()
        for one in ranked:
            loss = (
                "best"
                if one is advice.best
                else "tie"
                if one.tie
                else f"costs {format_loss(one.loss, advice.objective)}"
            )
            lost = [(advice.mishap[0], one.bust), ("wipes", one.wipe)]
            told = "".join(f", {what} {format_percent(chance)}" for what, chance in lost if chance)
            words = f"{one.action}: {format_value(one.value, advice.objective)}, {loss}{told}"
            number = self._number(self.adviser.choice(here, one)) if choices else ""
            say(words, f"  {number:>3}  ", "       ")

    def _choices(self) -> tuple[Choice[Any], ...]:
        """The choices here; none where dice must be thrown."""
        here = self.game.position
        return self.table.choices(here) if self.table.stage(here) == "choose" else ()

    def _say_whose(self) -> None:
        """Whose numbers are said, at the turn of somebody at the table."""
        if self.game.mover.player == "table":
            click.echo(f"  As {self.game.mover.name} sees it, who is to move:")

    def _why(self, choice: str) -> None:
        here = self.game.position
        self._say_whose()
        asked = self._read(choice) if choice and self._choices() else None
        say(self.adviser.why(here, asked).text, "  ")

    def _reach(self, text: str) -> None:
        """The chance of whoever is to move to come to a total, and by what."""
        from keepwise.util.number_format import format_count, format_loss, format_value

        goal, _, turns = text.partition(" ")
        if "reach" not in self.table.game.objectives:
            raise InputError(f"the chance to reach a total is not known of {self.table.game.title}")
        try:
            adviser = self.adviser.reaching(goal, turns.strip() or None)
        except InputError as error:
            told = f"{error}; " if goal else ""
            ways = "say how many points: reach 250; where turns count in how many: reach 2000 5"
            raise InputError(f"{told}{ways}") from None
        advice = adviser.advise(self.game.position)
        asked = f"{format_count(parse_whole_number(goal, 'goal'), 'point')}{f' in {turns} turns' if turns else ''}"
        click.echo(f"  {asked}: {format_value(advice.best.value, 'reach')}")
        for ranked in advice.choices[:RANKED] if self._choices() else ():
            loss = (
                "best"
                if ranked is advice.best
                else "tie"
                if ranked.tie
                else f"costs {format_loss(ranked.loss, 'reach')}"
            )
            words = f"{ranked.action}: {format_value(ranked.value, 'reach')}, {loss}"
            say(words, "       ")

    def _score(self, _: str) -> None:
        self._say_scores()
        self._say_card()
        self._say_inside()

    def _more(self, _: str) -> None:
        """Every choice by number, those that stand above first; where advice does, by what each is worth."""
        if not self._choices():
            raise InputError("there is nothing to choose: the dice are to be thrown")
        if self._advised is self.game.position:
            advice = self.adviser.advise(self.game.position)
            self._say_ranked(advice, advice.choices)
            return
        shown = self._shown
        self._say_choices([*shown, *(choice for choice in self._choices() if choice not in shown)])

    def _undo(self, text: str) -> None:
        """Back to the last thing that was asked of somebody, or as many of them as are told."""
        for _ in range(parse_whole_number(text, "undo") if text else 1):
            told = self.game.told
            count = next((number for number, step in enumerate(reversed(told), 1) if self._asked(step)), None)
            if count is None:
                raise InputError("there is nothing of yours to undo")
            self._undone.append([step.said for step in told[-count:]])
            self._listed = None
            self.keeper.write(self.game.undo(count))
            say(f"undone: {self._undone[-1][0]}", "  ")

    def _asked(self, step: Step) -> bool:
        if step.kind == "throw":
            return self.game.dice == "mine"
        return self.players[step.seat] is None

    def _events(self, text: str) -> None:
        """What was told last, by the numbers that reviews use."""
        steps = [(number, step) for number, step in enumerate(self.game.steps, 1) if step.said]
        for number, step in steps if text == "all" else steps[-TOLD:]:
            say(self._line(step), f"  {number:>4}  ", "        ")

    def _fix(self, text: str) -> None:
        """Tell an earlier event otherwise; what comes after it is told again as far as it fits."""
        game, (number, _, words) = self.game, text.partition(" ")
        if not (number.isascii() and number.isdecimal() and len(number) < 7 and words.strip()):
            raise InputError("say which event, and what it was: fix 12 520; events lists them")
        if int(number) <= len(game.steps) and not self._asked(game.steps[int(number) - 1]):
            raise InputError(f"event {number} was told by nobody here: only what people told can be fixed")
        before = set(map(game.line, game.told))
        again = game.fix(int(number), words.strip(), self._waiting)
        undone, fixed, *later = again.lines
        self.keeper.write(undone)
        self._keep_again(len(later) + 1)
        self._undone.clear()
        self._say(f"  event {number} is now {fixed}")
        self._told_again(again._replace(lines=[line for line in later if line not in before]))

    def _told_again(self, again: Again) -> None:
        """Say what was told again by itself, what was not, and what waits."""
        self._listed = None
        if again.lines:
            self._say(f"  told again: {_some(again.lines)}")
        if again.lost:
            say(f"What no longer fits must be told again ({again.why}): {_some(map(self.game.line, again.lost))}", "  ")
        if again.later and again.later != self._waiting:
            waits = _some(self.game.line(step) for _, step in again.later)
            say(f"Tell this turn to its end; then follows by itself, unless you leave before: {waits}", "  ")
        self._waiting = again.later

    def _redo(self, _: str) -> None:
        if not self._undone:
            raise InputError("there is nothing to redo")
        for said in self._undone.pop():
            self.game.tell(said)
            self._say_told()
            self._keep_again(1)

    def _save(self, where: str) -> None:
        if where:
            try:
                check_file_name(where)
                with Path(where).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(self.game.text())
            except FileExistsError:
                raise InputError(f"{where} is there already: give another name") from None
            except READ_ERRORS as error:
                raise InputError(f"{where} cannot be written: {error_reason(error)}") from None
            click.echo(f"  {where} is written")
            return
        say(f"the game is kept in {self.keeper.path} as it goes", "  ")

    def _quit(self, _: str) -> None:
        raise LeaveError

    def _help(self, _: str) -> None:
        for line in HELP:
            click.echo(fitted(f"  {line}"))

    # --- what is said

    def _say_scores(self) -> None:
        table, here = self.table, self.game.position
        standing = scores(table, here, 0)
        names = [seat.name for seat in self.game.seats] if standing else []
        told = [", ".join(f"{name} {score:,}" for name, score in zip(names, standing, strict=True))]
        if Role.BEAT in table.roles and here == table.start() and self.game.told:  # a pot of all is as at the beginning
            told += ["a tie, played off"]
        told += ["the game is over"] if self.game.over else [table.course(here), f"{self.game.mover.name} to move"]
        say(f"-- {'; '.join(filter(None, told))}", "", "   ")

    def _say_card(self) -> None:
        """The card of a game that has one."""
        for line in card_lines(self.game, width()):
            click.echo(fitted(line))

    def _say_inside(self) -> None:
        """Where the chooser stands in the turn."""
        table, told = self.table, self.table.tell(self.game.position)
        inside = [field for field in table.fields if field.inside and field.name in told]
        if inside and not self.game.over:
            words = (f"{field.name} {field.told(told[field.name])}".removesuffix(" true") for field in inside)
            say(" · ".join(words), "  ")

    def _list(self) -> None:
        """The choices that people weigh, by number."""
        choices = self._choices()
        self._say_choices(likely(self.table, choices))
        if more := len(choices) - len(self._shown):
            say(f"and {more} more: more lists all, ? says what is best", "       ")

    def _say_choices(self, choices: Sequence[Choice[Any]]) -> None:
        for choice in choices:
            say(choice.action, f"  {self._number(choice):>3}  ", "       ")

    @property
    def _shown(self) -> list[Choice[Any]]:
        """The choices that have been shown here, by number: each keeps its own while the question stands."""
        if self._numbers[0] is not self.game.position:
            self._numbers = self.game.position, []
        return self._numbers[1]

    def _number(self, choice: Choice[Any]) -> int:
        """The number of a choice, from when it is first shown on."""
        shown = self._shown
        if choice not in shown:
            shown.append(choice)
        return shown.index(choice) + 1


def _some(lines: Iterable[str]) -> str:
    """Lines of a game in one, as many as it can bear."""
    told = list(lines)
    return "; ".join(told[:TOLD]) + (f"; and {len(told) - TOLD} more" if len(told) > TOLD else "")


def ask_line(prompt: str) -> str:
    """Read one line of input; raise LeaveError at the end of the input."""
    with asking():
        return _line(prompt)


def _line(prompt: str) -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise LeaveError
    leaves.update(QUIT)
    if ahead:
        click.echo(f"{prompt}{ahead[0]}")
        return ahead.pop(0)
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401  (lines are edited, and come back with the arrow keys)
        try:
            return input(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            click.echo()
            raise LeaveError from None
    click.echo(prompt, nl=False)
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        click.echo()
        raise InputError("that is no text") from None
    except OSError:
        line = ""
    if not line:
        click.echo()
        raise LeaveError
    click.echo(line.strip())
    return line.strip()
