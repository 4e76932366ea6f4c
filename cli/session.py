"""A game at the prompt: what is said, what is asked, and the file that keeps it as it goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from keepwise.errors import InputError
from keepwise.files import NO_FILE, check_name, hold, open_regular, reason
from keepwise.play.gamefile import GameFile, Step

from .progress import asking

if TYPE_CHECKING:
    from keepwise.play import Choice
    from keepwise.players import Adviser, Player

LISTED = 12  # choices that a prompt lists
RANKED = 5  # choices that ? ranks
HELP = (
    "a line's number or its words, dice (115, keep 1 1), bank, ...  makes a choice",
    "?              what is best here",
    "why [CHOICE]   why, against the next best or CHOICE",
    "undo, redo     take the last choice back, make it again",
    "save [FILE]    where the game is kept; with FILE, a copy of it",
    "quit           stop here; the file goes on with --resume",
)


class Left(Exception):
    """Somebody has left the table: ``quit``, or no more input."""


class Keeper:
    """The file that a game is written to as it goes: one line an event, on disk before the next is asked for. No other
    program goes on with it meanwhile. With ``game`` the file is begun, else gone on with.
    """

    def __init__(self, path: Path, game: GameFile | None = None) -> None:
        self.path = path
        try:
            if game is None:
                open_regular(path).close()
            self._file = path.open("a" if game is None else "x", encoding="utf-8", newline="\n")
        except NO_FILE as error:
            raise _cannot(path, error, new=game is not None) from None
        if not hold(self._file):
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
        check_name(path)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        path.unlink()
    except NO_FILE as error:
        raise _cannot(path, error) from None


def _cannot(path: Path, error: Exception, new: bool = True) -> InputError:
    if isinstance(error, FileExistsError):
        return InputError(f"{path} is there already: --resume {path} goes on with it, or give another name")
    if not new:
        return InputError(f"{path} cannot be gone on with: {reason(error)}")
    return InputError(f"{path} cannot be written: {reason(error)}; -o FILE says where else")


class Session:
    """A game between people, engines and whoever else, at a prompt."""

    def __init__(
        self,
        game: GameFile,
        players: list[Player | None],
        adviser: Callable[[], Adviser],
        keeper: Keeper,
        silent: bool = False,
        coach: bool = False,
    ) -> None:
        self.game, self.table, self.players = game, game.table, players
        self._adviser, self.keeper, self.silent, self.coach = adviser, keeper, silent, coach
        self._undone: list[list[str]] = []
        self._listed: Any = None  # the position whose choices stand above

    @property
    def adviser(self) -> Adviser:
        """What is best here."""
        return self._adviser()

    # --- the course of a game

    def run(self) -> None:
        """Play until the game is over or somebody leaves."""
        game, table = self.game, self.table
        standing = None
        while not game.over:
            if table.turn_begins(game.position) and standing is not game.position:
                standing = game.position
                self._say_scores()
            try:
                self._next()
            except InputError as error:
                if not self._asks:
                    raise
                click.echo(click.wrap_text(str(error), 79, "  ", "  "))

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
                self._ask(f"{who.name}: {words}; what fell? ", self._told)
        elif player is None:
            if self._listed is not here:
                self._listed = here
                self._say_inside()
                if self.coach and who.player != "table":
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
        self._say(line)
        self._say_forced()

    @staticmethod
    def _say(line: str) -> None:
        """A line of the game, in 80 columns."""
        click.echo(click.wrap_text(line, 79, "", "    "))

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
        commands: dict[str, Callable[[str], None]] = {
            "?": self._advice,
            "why": self._why,
            "undo": self._undo,
            "redo": self._redo,
            "save": self._save,
            "quit": self._quit,
            "help": self._help,
        }
        if (command := commands.get(word.lower())) is not None:
            command(rest.strip())
        else:
            answer(text)

    def _told(self, text: str) -> None:
        if not text:
            raise InputError("type what fell, help for the rest")
        self._wrote(self.game.tell(text))

    def _turn(self, text: str) -> None:
        """A whole turn of somebody at the table, or its first throw."""
        words = text.strip()
        first, _, rest = words.partition(" ")
        if first.lower() in ("roll", "throw"):
            self._told(rest)
            return
        whole = rest if first.lower() in ("turn", "bank") else words
        if not whole:
            raise InputError("type what the turn brought (450, bust), or roll and the dice")
        try:
            line = self.game.tell(f"turn {whole}")
        except InputError as error:
            try:
                line = self.game.tell(words)
            except InputError:
                raise error from None
        self._wrote(line)

    def _chosen(self, text: str) -> None:
        """A choice; in the coach an empty line follows the advice."""
        game, here = self.game, self.game.position
        if not text and self.coach:
            choice = self.adviser.best(here)
        else:
            from keepwise.play.spoken import read_choice

            choice = read_choice(self.table, here, text)
        told = "" if self.silent else self._cost(here, choice)
        self._wrote(game.choose(choice))
        if told:
            click.echo(click.wrap_text(told, 79, "  ", "  "))

    def _cost(self, here: Any, choice: Any) -> str:
        """What a choice cost, in a line; nothing where it was as good as the best."""
        from keepwise.answers.advice import cost

        advice = self.adviser.advise(here)
        for ranked in advice.choices:
            if ranked.action == choice.action and not ranked.tie:
                return f"That cost {cost(ranked.loss, advice.objective)}: {advice.best.action} was best."
        return ""

    # --- commands

    def _advice(self, _: str = "") -> None:
        from keepwise.answers.advice import cost, percent, worth

        if self.table.stage(self.game.position) == "throw" and self.table.turn_begins(self.game.position):
            click.echo("  The dice must be thrown: nothing is to be decided yet.")
            return
        advice = self.adviser.advise(self.game.position)
        numbers = {choice.action: number for number, choice in enumerate(self._choices(), 1)}
        for ranked in advice.choices[:RANKED]:
            loss = f"costs {cost(ranked.loss, advice.objective)}"
            loss = "best" if ranked is advice.best else "tie" if ranked.tie else loss
            lost = [(advice.mishap[0], ranked.bust), ("wipes", ranked.wipe)]
            told = "".join(f", {what} {percent(chance)}" for what, chance in lost if chance)
            words = f"{ranked.action}: {worth(ranked.value, advice.objective)}, {loss}{told}"
            click.echo(click.wrap_text(words, 79, f"  {numbers.get(ranked.action, ''):>3}  ", "       "))
        if len(advice.choices) > RANKED:
            click.echo(f"       and {len(advice.choices) - RANKED} more that cost as much or more")
        if advice.mixture:
            drawn = self.adviser.best(self.game.position).action
            click.echo(click.wrap_text(f"{advice.mixture} Drawn for this turn: {drawn}.", 79, "  ", "  "))

    def _choices(self) -> tuple[Choice[Any], ...]:
        """The choices here; none where dice must be thrown."""
        here = self.game.position
        return self.table.choices(here) if self.table.stage(here) == "choose" else ()

    def _why(self, choice: str) -> None:
        click.echo(click.wrap_text(self.adviser.why(self.game.position, choice or None).text, 79, "  ", "  "))

    def _undo(self, _: str) -> None:
        """Back to the last thing that was asked of somebody."""
        told = self.game.told
        count = next((number for number, step in enumerate(reversed(told), 1) if self._asked(step)), None)
        if count is None:
            raise InputError("there is nothing of yours to undo")
        self._undone.append([step.said for step in told[-count:]])
        self._listed = None
        self.keeper.write(self.game.undo(count))
        click.echo(f"  undone: {self._undone[-1][0]}")

    def _asked(self, step: Step) -> bool:
        if step.kind == "throw":
            return self.game.dice == "mine"
        return self.players[step.seat] is None

    def _redo(self, _: str) -> None:
        if not self._undone:
            raise InputError("there is nothing to redo")
        for said in self._undone.pop():
            line = self.game.tell(said)
            self.keeper.write(line)
            self._say(line)

    def _save(self, where: str) -> None:
        if where:
            try:
                check_name(where)
                with Path(where).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(self.game.text())
            except FileExistsError:
                raise InputError(f"{where} is there already: give another name") from None
            except NO_FILE as error:
                raise InputError(f"{where} cannot be written: {reason(error)}") from None
            click.echo(f"  {where} is written")
            return
        click.echo(f"  the game is kept in {self.keeper.path} as it goes")

    def _quit(self, _: str) -> None:
        raise Left

    def _help(self, _: str) -> None:
        for line in HELP:
            click.echo(f"  {line}")

    # --- what is said

    def _say_scores(self) -> None:
        from keepwise.play.spoken import scores

        table, here = self.table, self.game.position
        standing = scores(table, here, 0)
        if standing:
            told = ", ".join(f"{seat.name} {score:,}" for seat, score in zip(self.game.seats, standing, strict=True))
            click.echo(click.wrap_text(f"-- {told}; {self.game.mover.name} to move", 79, "", "   "))
        else:
            click.echo(f"-- {self.game.mover.name} to move")

    def _say_inside(self) -> None:
        """Where the chooser stands in the turn."""
        table, told = self.table, self.table.tell(self.game.position)
        inside = [field.name for field in table.fields if field.inside and field.name in told]
        if inside:
            click.echo("  " + " · ".join(f"{name} {_plain(told[name])}" for name in inside))

    def _list(self) -> None:
        """The choices by number."""
        choices = self._choices()
        for number, choice in enumerate(choices[:LISTED], 1):
            click.echo(click.wrap_text(choice.action, 79, f"  {number:>3}  ", "       "))
        if len(choices) > LISTED:
            click.echo(f"       and {len(choices) - LISTED} more: type what you do, or ? for advice")


def _plain(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value).lower()


def ask_line(prompt: str) -> str:
    """One line of input; Left where there is no more."""
    with asking():
        return _line(prompt)


def _line(prompt: str) -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise Left
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401  (lines are edited, and come back with the arrow keys)
        try:
            return input(prompt).strip()
        except EOFError:
            raise Left from None
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
        raise Left
    click.echo(line.strip())
    return line.strip()
