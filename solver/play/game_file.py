"""A game written down: plain text that people read and write by hand, an event a line, and the game that it tells.

    # Lines that begin with # are nobody's business, and so are empty ones.
    game: 5000
    rule: minimum_on_win=false
    seat: Ann = person
    seat: Bob = hold:300
    seed: 7

    Ann: 1 1 2 3 5
    Ann: keep 1 1, roll 3 dice
    Ann: 2 3 6
    Bob: turn 450

The head tells the game, its rules (or ``rules:``, all of them as JSON), what is played for (``objective``, ``goal``,
``turns``), the seats in their order with who plays there, where the dice come from (``dice: program`` or ``mine``), the
``seed`` of those thrown by the program, and the ``start`` where that is not the beginning (the id of a position). Then
every throw and every choice has a line that begins with its seat. What leaves nothing to decide happens by itself,
without a line.
``turn 450`` is a whole turn of which only the total is known; ``undo 2`` takes the last two lines of the game back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

from ..games import Game
from ..games.ruleset import Rules
from ..storage.files import GAME_FILE, READ_ERRORS, describe_other_kind, error_reason, open_regular_file
from ..util.errors import InputError, suggest_name
from ..util.integers import parse_whole_number
from ..util.text import find_ambiguous_names, find_name, first_invisible, fold_name, name_problem
from . import play
from .input_parser import read_choice, read_fall, same_choice, spell_fall, spoken_form
from .playable_game import Choice, Stage, Table

LARGEST = 4_000_000  # bytes; a game of a year has fewer
HEAD = ("game", "rule", "rules", "objective", "goal", "turns", "seat", "dice", "seed", "start")
ONCE = tuple(key for key in HEAD if key not in ("rule", "seat"))
LONGEST_SEAT = 20  # letters of a name that lines begin with
PERSON = "person"


@dataclass(frozen=True)
class Seated:
    """Who sits in a seat: a name, and the player: ``person``, ``best``, ``hold:300``, ..."""

    name: str
    player: str = PERSON


def is_code(player: str) -> bool:
    """Whether a player is a function in a Python file, ``mine.py:careful``: no game file decides that this is run."""
    return player.partition(":")[0].endswith(".py")


@dataclass(frozen=True)
class Step:
    """What happened: a throw, a choice, or a whole turn. ``said``: how its line tells it, "" of a choice that was the
    only one; ``line``: where the file tells it, 0 where it was not read from one.
    """

    kind: Literal["throw", "choice", "turn"]
    seat: int
    position: Any
    after: Any
    choice: Choice[Any] | None = None
    said: str = ""
    line: int = 0


class Again(NamedTuple):
    """What came of telling steps once more: the lines that say so; the steps that fit no longer and why the first does
    not; those of turns that come only when the one that is played has been told, with the numbers of their turns.
    """

    lines: list[str]
    lost: list[Step]
    why: str
    later: list[tuple[int, Step]]


@dataclass
class GameFile:
    """A game under way: who plays what, and what has happened. Nothing of it is on disk unless somebody writes it.

    Attributes:
        table: the game as it is played; seats: who plays; dice: who throws them; seed: of dice thrown by the program.
        start: the position it began in; steps: what has happened since, forced choices included.
    """

    table: Table[Any]
    seats: tuple[Seated, ...]
    dice: Literal["program", "mine"] = "program"
    seed: int = 0
    start: Any = None
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_seats(self.seats, self.table.players)
        if self.start is None:
            self.start = self.table.start()
        self._force()

    @property
    def position(self) -> Any:
        """Where the game stands."""
        return self._after(len(self.steps))

    def _after(self, count: int) -> Any:
        """Where the game stood after so many steps."""
        return self.steps[count - 1].after if count else self.start

    @property
    def begun(self) -> Any:
        """Where the turn that is played began; the start, where the game began inside it."""
        here = [self.start, *(step.after for step in self.steps)]
        return next((one for one in reversed(here) if self.table.turn_begins(one)), self.start)

    @property
    def turn_untold(self) -> int | None:
        """After how many steps this turn began, if nothing of it has been told: a whole turn may be."""
        for count in range(len(self.steps), -1, -1):
            if self.table.turn_begins(self._after(count)):
                return count
            if count and self.steps[count - 1].said:
                break
        return None

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.table.stage(self.position) is Stage.TERMINAL

    @property
    def mover(self) -> Seated:
        """Who is to throw or to choose."""
        return self.seats[self.table.mover(self.position)]

    @property
    def told(self) -> list[Step]:
        """What has a line: all but what was forced."""
        return [step for step in self.steps if step.said]

    @property
    def draw(self) -> float:
        """A number from 0 to below 1 for the turn that is played, whatever is thrown and chosen in it: it hangs on the
        seed, and on how many turns have begun.
        """
        return Random(f"{self.seed} turn {self._turns}").random()

    # --- what happens

    def throw(self) -> str:
        """Throw the dice by the program; return the line. A throw undone and made again falls the same."""
        falls = list(self.table.throws(self.position))
        number = sum(step.kind == "throw" for step in self.steps)
        place = Random(f"{self.seed} {number}").randrange(sum(weight for weight, _ in falls))
        upto = accumulate(weight for weight, _ in falls)
        after = next(fall for (_, fall), end in zip(falls, upto, strict=True) if place < end)
        return self._add("throw", after, None, spell_fall(self.table, self.position, after))

    def tell(self, text: str, line: int = 0) -> str:
        """Read a throw, a choice or a whole turn as typed; return its line.

        Raises:
            InputError: what cannot be; it says what can.
        """
        table, here = self.table, self.position
        if self.over:
            raise InputError("the game is over")
        check_line(text)
        words, begun = " ".join(text.split()), self.turn_untold
        if words.lower().startswith("turn ") and begun is not None:
            after = table.turn_brings(self._after(begun), words[5:])
            del self.steps[begun:]
            return self._add("turn", after, None, f"turn {words[5:].lower()}", line)
        if table.stage(here) is Stage.CHANCE:
            after = read_fall(table, here, words)
            return self._add("throw", after, None, spell_fall(table, here, after), line)
        return self.choose(read_choice(table, here, words), line)

    def choose(self, choice: Choice[Any], line: int = 0) -> str:
        """Make a choice; return its line."""
        return self._add("choice", choice.after, choice, spoken_form(choice), line)

    def _add(
        self, kind: Literal["throw", "choice", "turn"], after: Any, choice: Choice[Any] | None, said: str, line: int = 0
    ) -> str:
        step = Step(kind, self.table.mover(self.position), self.position, after, choice, said, line)
        self.steps.append(step)
        self._force()
        return self.line(step)

    def line(self, step: Step) -> str:
        """The line that tells a step."""
        return f"{self.seats[step.seat].name}: {step.said}"

    def _force(self) -> None:
        """What leaves nothing to decide happens by itself."""
        table = self.table
        while table.stage(self.position) is Stage.DECISION:
            here = self.position
            choices = table.choices(here)
            if len(choices) > 1:
                return
            self.steps.append(Step("choice", table.mover(here), here, choices[0].after, choices[0]))

    def undo(self, count: int = 1) -> str:
        """Take back the last lines; return the line that says so."""
        told = (place for place in range(len(self.steps) - 1, -1, -1) if self.steps[place].said)
        place = next(islice(told, count - 1, None), None) if count >= 1 else None
        if place is None:
            raise InputError(f"there is nothing to undo so far: {len(self.told)} lines have been played")
        del self.steps[place:]
        self._force()
        return "undo" if count == 1 else f"undo {count}"

    def fix(self, number: int, text: str, waiting: Sequence[tuple[int, Step]] = ()) -> Again:
        """Tell event ``number`` (from 1, forced ones count) as ``text``, and what came after it once more, then what
        waits since an earlier fix.

        Raises:
            InputError: nothing was told there, or what cannot be: then all is as before.
        """
        wrong = self.steps[number - 1] if 1 <= number <= len(self.steps) else None
        if wrong is None or not wrong.said:
            raise InputError(f"nothing was told at event {number}: events lists what was")
        before, told = list(self.steps), self.told
        place = next(place for place, step in enumerate(told) if step is wrong)
        turns = accumulate(self.table.turn_begins(step.position) for step in before)
        later = [one for one in zip(turns, before, strict=True) if one[1].said][place + 1 :]
        lines = [self.undo(len(told) - place)]
        try:
            whole = wrong.kind == "turn" and not text.lower().startswith("turn ")
            lines.append(self.tell(f"turn {text}" if whole else text))
        except InputError as error:
            self.steps = before
            raise InputError(f"event {number} stays as it is: {error}") from None
        again = self.tell_again([*later, *waiting])
        return again._replace(lines=[*lines, *again.lines])

    def tell_again(self, later: Sequence[tuple[int, Step]]) -> Again:
        """Tell steps once more, each with the number of its turn, as far as they fit. Of a turn all is lost from the
        first on that does not; what is of later turns waits until that one is told.
        """
        lines, lost, why, broken = list[str](), list[Step](), "", -1
        for place, (turn, step) in enumerate(later):
            if not self.over and self._turns < turn:
                return Again(lines, lost, why, list(later[place:]))
            wrong = "" if turn == broken else self._told_again(turn, step, lines)
            if wrong or turn == broken:
                lost, why, broken = [*lost, step], why or wrong, turn
        return Again(lines, lost, why, [])

    @property
    def _turns(self) -> int:
        """How many turns have begun."""
        return sum(map(self.table.turn_begins, [*(step.position for step in self.steps), self.position]))

    def _told_again(self, turn: int, step: Step, lines: list[str]) -> str:
        """Tell a step once more and add its line to those told; why it does not fit, "" where it does."""
        if self.over or self.table.mover(self.position) != step.seat:
            return "the game is over" if self.over else f"it is {self.mover.name}'s turn"
        if self._turns > turn:
            return "the turn is over"
        if step.kind != "turn" and (step.kind == "throw") != (self.table.stage(self.position) is Stage.CHANCE):
            return "a choice is to be made first" if step.kind == "throw" else "the dice are to be thrown first"
        try:
            same = None if step.choice is None else same_choice(self.table, step.position, step.choice, self.position)
            lines.append(self.tell(step.said) if same is None else self.choose(same))
        except InputError as error:
            return str(error)
        return ""

    # --- as text

    def head(self) -> list[str]:
        """The lines of the head."""
        table, game = self.table, self.table.game
        lines = [f"game: {game.id}", *spell_rules(game), f"objective: {table.objective}"]
        lines += [f"{name}: {number}" for name, number in table.parameters.items() if name in HEAD]
        lines += [f"seat: {seat.name} = {seat.player}" for seat in self.seats]
        lines += [f"dice: {self.dice}", *([f"seed: {self.seed}"] if self.seed or self.dice == "program" else [])]
        if self.start != table.start():
            lines.append(f"start: {table.id(self.start)}")
        return lines

    def text(self) -> str:
        """The whole game as a file tells it."""
        return "\n".join([*self.head(), "", *map(self.line, self.told)]) + "\n"


def check_line(text: str) -> None:
    """Refuse what nobody sees; blanks may be tabs."""
    if hidden := first_invisible(text.strip().replace("\t", " ")):
        raise InputError(f"a line must not hold {hidden}, which cannot be seen")


def check_seats(seats: Sequence[Seated], players: int) -> None:
    """Refuse names that lines could not begin with, and seats that the game does not have."""
    if len(seats) != players:
        raise InputError(f"{players} seats play this game, not {len(seats)}: a line seat: NAME = PLAYER for each")
    for seat in seats:
        if wrong := name_problem(seat.name, "#,:=", LONGEST_SEAT):
            raise InputError(f"{seat.name or 'nothing'} is no name of a seat: it {wrong}")
        if fold_name(seat.name) in (*HEAD, "undo"):
            raise InputError(f"{seat.name} cannot be the name of a seat: lines of the head begin so")
    if same := find_ambiguous_names(seat.name for seat in seats):
        raise InputError(f"two seats have the same name once typed: {' and '.join(same)}")


def spell_rules(game: Game) -> list[str]:
    """The rules that differ from the game's own; where options do not tell them, all."""
    differ = {option.key: game.rules[option.key] for option in game.options if game.rules[option.key] != option.default}
    try:
        if Game(game.id, differ) == game:
            return [f"rule: {key}={str(value).lower()}" for key, value in differ.items()]
    except InputError:
        pass
    return [f"rules: {json.dumps(Rules(game.rules).plain(), sort_keys=True)}"]


def read_game_file(path: str | Path) -> GameFile:
    """Read a game file.

    Raises:
        InputError: a line that cannot be; the message names file and line and says what would be right.
    """
    try:
        with open_regular_file(path) as file:
            raw = file.read(LARGEST + 1)
        lines = re.split("\r\n|\n|\r", raw.decode("utf-8-sig"))
    except READ_ERRORS as error:
        raise InputError(
            f"{path} {describe_other_kind(path, GAME_FILE) or f'cannot be read: {error_reason(error)}'}"
        ) from None
    if len(raw) > LARGEST:
        raise InputError(f"{path} is too large for a game file")
    if told := describe_other_kind(path, GAME_FILE):
        raise InputError(f"{path} {told}")
    return parse(lines, str(path))


def parse(lines: Iterable[str], name: str) -> GameFile:
    """Return the game that lines tell; see ``read_game_file``."""
    told, rest = list[tuple[int, str, str]](), list[tuple[int, str]]()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        with _at(name, number):
            check_line(text)
        key, colon, value = text.partition(":")
        if not rest and colon and key.strip().lower() in HEAD:
            told.append((number, key.strip().lower(), value.strip()))
        else:
            rest.append((number, text))
    game = _read_head(told, rest, name)
    for number, text in rest:
        with _at(name, number):
            _read_line(game, text, number)
    return game


@contextmanager
def _at(name: str, line: int) -> Iterator[None]:
    """Errors inside the block name this line of the file."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}:{line}: {error}") from None


def _read_line(game: GameFile, text: str, number: int) -> None:
    """One event."""
    words = text.lower().split()
    if words[0] == "undo" and len(words) <= 2:
        game.undo(parse_whole_number(words[1], "undo") if len(words) == 2 else 1)
        return
    who, colon, what = text.partition(":")
    names = [seat.name for seat in game.seats]
    if not colon or (seat := find_name(who, names)) is None:
        key = who.strip().lower()
        if colon and key in HEAD:
            raise InputError(f"{key} belongs to the head, before the first event")
        if game.over:
            raise InputError("the game is over: no more lines can follow")
        raise InputError(f"a line begins with the seat and a colon, here {game.mover.name}:{suggest_name(who, names)}")
    if game.over:
        raise InputError("the game is over: no more lines can follow")
    if seat != game.mover.name:
        raise InputError(f"it is {game.mover.name}'s turn, not {who.strip()}'s")
    game.tell(what, number)


def _read_head(told: list[tuple[int, str, str]], rest: list[tuple[int, str]], name: str) -> GameFile:
    """The game, its seats and where it starts."""
    by_key: dict[str, tuple[int, str]] = {}
    for number, key, text in told:
        with _at(name, number):
            if key in ONCE and key in by_key:
                raise InputError(f"{key} is told twice")
            if not text:
                raise InputError(f"{key} tells nothing")
            by_key[key] = number, text
    if "game" not in by_key:
        first = rest[0][0] if rest else 1
        raise InputError(f"{name}:{first}: no game file: its head must tell the game, as game: 5000")
    lines = {key: number for key, (number, _) in by_key.items()}
    value = {key: text for key, (_, text) in by_key.items()}
    game = _read_rules(told, value, lines, name)
    seats = []
    for number, key, text in told:
        if key == "seat":
            with _at(name, number):
                who, _, player = text.partition("=")
                seats.append(Seated(who.strip(), player.strip() or PERSON))
                check_seats(seats, len(seats))
    numbers: dict[str, int] = {}
    for key in ("goal", "turns", "seed"):
        if key in value:
            with _at(name, lines[key]):
                numbers[key] = parse_whole_number(value[key], key)
    with _at(name, lines.get("objective", lines["game"])):
        table = play(
            game,
            len(seats) or None,
            objective=value.get("objective"),
            goal=numbers.get("goal"),
            turns=numbers.get("turns"),
        )
    if not seats:
        missing = max(number for number, _, _ in told)
        raise InputError(f"{name}:{missing}: nobody is seated: a line seat: NAME = PLAYER for each of the players")
    dice = value.get("dice", "program" if "seed" in value else "mine")
    with _at(name, lines.get("dice", 1)):
        if dice not in ("program", "mine"):
            raise InputError(f"dice: {dice} is neither program nor mine{suggest_name(dice, ('program', 'mine'))}")
    start = None
    if "start" in value:
        with _at(name, lines["start"]):
            start = table.position(value["start"])
    return GameFile(table, tuple(seats), "mine" if dice == "mine" else "program", numbers.get("seed", 0), start)


def _read_rules(told: list[tuple[int, str, str]], value: dict[str, str], lines: dict[str, int], name: str) -> Game:
    """The game under its rules."""
    if "rules" in value:
        with _at(name, lines["rules"]):
            try:
                rules = json.loads(value["rules"])
            except ValueError as error:
                raise InputError(f"rules must be JSON: {error}") from None
            if not isinstance(rules, dict):
                raise InputError("rules must be a table in JSON")
            return Game(value["game"], rules)
    with _at(name, lines["game"]):
        options = {option.key: option for option in Game(value["game"], {}).options}
    given, last = dict[str, object](), lines["game"]
    for number, key, text in told:
        if key == "rule":
            with _at(name, number):
                rule, equals, choice = (part.strip() for part in text.partition("="))
                if not equals:
                    raise InputError(f"rule: {text} must read KEY=VALUE")
                if rule not in options:
                    raise InputError(f"{value['game']} has no rule {rule}{suggest_name(rule, options)}")
                given[rule], last = options[rule].read(choice), number
    with _at(name, last):
        return Game(value["game"], given)
