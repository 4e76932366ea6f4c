"""Game files: games as plain text that people read and write by hand, with one event in a line.

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

The head names the game, its rules (one by one, or with ``rules:`` all of them as JSON), the objective with ``goal`` and
``turns``, the players in the order of their seats, who rolls the dice (``dice: program`` or ``mine``), the ``seed`` of
dice that the program rolls, and the id of the ``start`` if that is not the beginning. Then every roll and every choice
has a line that begins with the name of the player. A choice that is the only one has no line. ``turn 450`` is a whole
turn of which only the result is known; ``undo 2`` takes back the last two lines.

``GameFile`` is a game that is being played, and ``read_game_file`` reads one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
from ..util.number_format import format_count
from ..util.text import find_ambiguous_names, find_name, first_invisible, fold_name, name_problem
from . import playable as make_playable
from .input_parser import (
    BUST,
    find_bust,
    find_equivalent_choice,
    format_roll,
    parse_choice,
    parse_roll,
    spoken_form,
    turn_readings,
)
from .playable_game import Choice, PlayableGame, Stage

LARGEST = 4_000_000  # bytes; a game of a year has fewer
HEAD = ("game", "rule", "rules", "objective", "goal", "turns", "seat", "dice", "seed", "start")
ONCE = tuple(key for key in HEAD if key not in ("rule", "seat"))
LONGEST_SEAT = 20  # letters of a name that lines begin with
HUMAN_PLAYER = "person"


@dataclass(frozen=True)
class SeatedPlayer:
    """A seat: the name of the player, and who plays: ``person``, ``best``, ``hold:300``, ..."""

    name: str
    player: str = HUMAN_PLAYER


def is_python_policy(player: str) -> bool:
    """Return whether a player is a function in a Python file, ``mine.py:careful``.

    A game file alone never causes such a function to run.
    """
    return player.partition(":")[0].endswith(".py")


@dataclass(frozen=True)
class Step:
    """A roll, a choice, or a whole turn of a game.

    Attributes:
        kind: what happened. "others" stands only in the game of one seat (``reviews.one_seat``): the turns of the other
            seats since its last turn.
        seat: the player to move.
        position: the position before.
        after: the position after.
        choice: the choice that was made, else None.
        line_text: the text of its line, "" for a choice that was the only one.
        line_number: number of the line in the file, 0 if it was not read from a file.
    """

    kind: Literal["throw", "choice", "turn", "others"]
    seat: int
    position: Any
    after: Any
    choice: Choice[Any] | None = None
    line_text: str = ""
    line_number: int = 0


class ReplayResult(NamedTuple):
    """The result of playing steps once more after a correction.

    Attributes:
        lines: lines of the steps that were played.
        lost: steps that no longer fit.
        why: why the first of them does not fit.
        later: steps of later turns, with the numbers of their turns, which wait for the current turn to end.
    """

    lines: list[str]
    lost: list[Step]
    why: str
    later: list[tuple[int, Step]]


@dataclass
class GameFile:
    """A game that is being played; nothing is written to disk here.

    Attributes:
        playable: the game.
        seats: the players.
        dice: who rolls the dice.
        seed: seed of the dice that the program rolls.
        start: the position in which the game began.
        steps: what has happened, with choices that were the only ones.
    """

    playable: PlayableGame[Any]
    seats: tuple[SeatedPlayer, ...]
    dice: Literal["program", "mine"] = "program"
    seed: int = 0
    start: Any = None
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        validate_seats(self.seats, self.playable.players)
        if self.start is None:
            self.start = self.playable.start()
        self._make_only_choices()

    @property
    def position(self) -> Any:
        """The current position."""
        return self._position_after(len(self.steps))

    def _position_after(self, count: int) -> Any:
        """Return the position after a number of steps."""
        return self.steps[count - 1].after if count else self.start

    @property
    def turn_start(self) -> Any:
        """The position in which the current turn began; the start if the game began inside it."""
        positions = [self.start, *(step.after for step in self.steps)]
        return next((position for position in reversed(positions) if self.playable.is_turn_start(position)), self.start)

    @property
    def steps_before_turn(self) -> int | None:
        """Number of steps before the current turn, if no line of it exists yet; else None.

        Only then a whole turn may be entered.
        """
        for count in range(len(self.steps), -1, -1):
            if self.playable.is_turn_start(self._position_after(count)):
                return count
            if count and self.steps[count - 1].line_text:
                break
        return None

    @property
    def steps_of_turn(self) -> list[Step]:
        """The steps of the current turn that have a line; none if the game began inside the turn."""
        for count in range(len(self.steps), -1, -1):
            if self.playable.is_turn_start(self._position_after(count)):
                return [step for step in self.steps[count:] if step.line_text]
        return []

    def is_turn_result(self, text: str) -> bool:
        """Return whether a text is the result of a whole turn from the start of the current turn."""
        with suppress(InputError):
            self.check_turn_result(text)
            return True
        return False

    def check_turn_result(self, text: str) -> None:
        """Raise InputError if a text is not the result of a whole turn from the start of the current turn."""
        self._play_whole_turn(self.turn_start, text)

    @property
    def is_over(self) -> bool:
        """True if the game is over."""
        return self.playable.stage(self.position) is Stage.TERMINAL

    @property
    def mover(self) -> SeatedPlayer:
        """The player to move."""
        return self.seats[self.playable.player_to_move(self.position)]

    @property
    def written_steps(self) -> list[Step]:
        """The steps that have a line: all but choices that were the only ones."""
        return [step for step in self.steps if step.line_text]

    @property
    def turn_draw(self) -> float:
        """A number from 0 to below 1 for the current turn, whatever happens in it.

        It depends on the seed and on the number of turns that have begun.
        """
        return Random(f"{self.seed} turn {self._turns}").random()

    # --- what happens

    def roll(self) -> str:
        """Roll the dice by the program, and return the line.

        A roll that is undone and made again is the same.
        """
        falls = list(self.playable.rolls(self.position))
        number = sum(step.kind == "throw" for step in self.steps)
        place = Random(f"{self.seed} {number}").randrange(sum(weight for weight, _ in falls))
        upto = accumulate(weight for weight, _ in falls)
        after = next(fall for (_, fall), end in zip(falls, upto, strict=True) if place < end)
        return self._add("throw", after, None, format_roll(self.playable, self.position, after))

    def play_line(self, text: str, line: int = 0) -> str:
        """Play a roll, a choice or a whole turn as it is typed, and return its line.

        Raises:
            InputError: the text is not possible; the message says what is.
        """
        playable, position = self.playable, self.position
        if self.is_over:
            raise InputError("the game is over")
        validate_line(text)
        words, begun = " ".join(text.split()), self.steps_before_turn
        if words.lower().startswith("turn ") and begun is not None:
            after, result = self._play_whole_turn(self._position_after(begun), words[5:])
            del self.steps[begun:]
            return self._add("turn", after, None, f"turn {result.lower()}", line)
        if playable.stage(position) is Stage.CHANCE:
            try:
                after = parse_roll(playable, position, words)
            except InputError:
                after = find_bust(playable, position, words)
                if after is None:
                    raise
                return self._add("throw", after, None, BUST, line)
            return self._add("throw", after, None, format_roll(playable, position, after), line)
        return self.choose(parse_choice(playable, position, words), line)

    def _play_whole_turn(self, start: Any, text: str) -> tuple[Any, str]:
        """Return the position after a whole turn, and its result as files record it."""
        readings = turn_readings(text)
        for result in readings:
            with suppress(InputError):
                after = self.playable.play_whole_turn(start, result)
                return after, self.playable.recorded_result(start, result)
        # The error of the text without other words, if a number is left and it is not a word for a result.
        plain = readings[-1 if BUST not in readings and any(map(str.isdigit, readings[-1])) else 0]
        after = self.playable.play_whole_turn(start, plain)
        return after, self.playable.recorded_result(start, plain)

    def choose(self, choice: Choice[Any], line: int = 0) -> str:
        """Make a choice, and return its line."""
        return self._add("choice", choice.after, choice, spoken_form(choice), line)

    def _add(
        self,
        kind: Literal["throw", "choice", "turn"],
        after: Any,
        choice: Choice[Any] | None,
        line_text: str,
        line: int = 0,
    ) -> str:
        step = Step(kind, self.playable.player_to_move(self.position), self.position, after, choice, line_text, line)
        self.steps.append(step)
        self._make_only_choices()
        return self.format_step(step)

    def format_step(self, step: Step) -> str:
        """Return the line of a step."""
        return f"{self.seats[step.seat].name}: {step.line_text}"

    def _make_only_choices(self) -> None:
        """Make all choices that are the only ones."""
        playable = self.playable
        while playable.stage(self.position) is Stage.DECISION:
            position = self.position
            choices = playable.choices(position)
            if len(choices) > 1:
                return
            self.steps.append(Step("choice", playable.player_to_move(position), position, choices[0].after, choices[0]))

    def undo(self, count: int = 1) -> str:
        """Take back the last lines, and return the line that records this."""
        written_places = (place for place in range(len(self.steps) - 1, -1, -1) if self.steps[place].line_text)
        place = next(islice(written_places, count - 1, None), None) if count >= 1 else None
        if place is None:
            lines = format_count(len(self.written_steps), "line")
            raise InputError(f"cannot undo {format_count(count, 'line')}: the game has {lines} so far")
        del self.steps[place:]
        self._make_only_choices()
        return "undo" if count == 1 else f"undo {count}"

    def fix(self, number: int, text: str, waiting: Sequence[tuple[int, Step]] = ()) -> ReplayResult:
        """Replace an event, and play what came after it once more.

        Args:
            number: number of the event, from 1; choices that were the only ones count.
            text: what happened instead.
            waiting: steps that wait since an earlier correction.

        Raises:
            InputError: the event has no line, or the text is not possible; the game is unchanged then.
        """
        wrong = self.steps[number - 1] if 1 <= number <= len(self.steps) else None
        if wrong is None or not wrong.line_text:
            if wrong is None:
                raise InputError(f"there is no event {number}; type events to see their numbers")
            raise InputError(
                f"event {number} was the only possible choice; only events that were entered can be corrected"
            )
        before, written_steps = list(self.steps), self.written_steps
        place = next(place for place, step in enumerate(written_steps) if step is wrong)
        turns = [*accumulate(self.playable.is_turn_start(step.position) for step in before)]
        later = [change for change in zip(turns, before, strict=True) if change[1].line_text][place + 1 :]
        lines = [self.undo(len(written_steps) - place)]
        try:
            lines.append(self._play_correction(wrong, text))
        except InputError as error:
            can_be_turn = self.steps_before_turn is not None and self.is_turn_result(text)
            hint = f"; for a whole turn, type fix {number} turn {text}" if can_be_turn else ""
            self.steps = before
            first = turns.index(turns[number - 1]) + 1  # the number of the first event of the turn
            reason = f"{error}{hint}"
            if text.lower().startswith("turn ") and first < number and self.dice == "mine":
                reason = self._explain_late_turn(first, text)
            raise InputError(f"event {number} is unchanged: {reason}") from None
        if self.steps[-1].kind == "turn":  # it takes the place of all that was entered in its turn
            later = [(turn, step) for turn, step in later if turn != turns[number - 1]]
        again = self.replay([*later, *waiting])
        return again._replace(lines=[*lines, *again.lines])

    def _explain_late_turn(self, first: int, text: str) -> str:
        """Return why a whole turn cannot be the correction of a later event of its turn.

        Args:
            first: number of the first event of the turn.
            text: the whole turn, such as ``turn 450``.
        """
        try:
            self._play_whole_turn(self.steps[first - 1].position, text[5:])
        except InputError:
            return f"a whole turn replaces the first event of its turn, which is event {first}"
        return f"a whole turn replaces the first event of its turn: type fix {first} {text}"

    def _play_correction(self, wrong: Step, text: str) -> str:
        """Play the correction of a step, and return its line.

        A whole turn is corrected by its result. The first step of a turn may become a whole turn, but a number alone
        is then dice.
        """
        if wrong.kind == "turn" and not text.lower().startswith("turn "):
            return self.play_line(f"turn {text}")
        try:
            return self.play_line(text)
        except InputError:
            if self.steps_before_turn is None or not any(map(str.isalpha, text)):
                raise
            with suppress(InputError):
                return self.play_line(f"turn {text}")
            raise

    def replay(self, later: Sequence[tuple[int, Step]]) -> ReplayResult:
        """Play steps once more as far as they fit.

        From the first step of a turn that does not fit, the rest of the turn is lost. Steps of later turns wait until
        the turn has ended.

        Args:
            later: steps with the numbers of their turns.
        """
        lines, lost, why, broken = list[str](), list[Step](), "", -1
        for place, (turn, step) in enumerate(later):
            if not self.is_over and self._turns < turn:
                return ReplayResult(lines, lost, why, list(later[place:]))
            wrong = "" if turn == broken else self._replay_step(turn, step, lines)
            if wrong or turn == broken:
                lost, why, broken = [*lost, step], why or wrong, turn
        return ReplayResult(lines, lost, why, [])

    @property
    def _turns(self) -> int:
        """Number of turns that have begun."""
        return sum(map(self.playable.is_turn_start, [*(step.position for step in self.steps), self.position]))

    def _replay_step(self, turn: int, step: Step, lines: list[str]) -> str:
        """Play a step once more and append its line; return why it does not fit, "" if it does."""
        if self.is_over or self.playable.player_to_move(self.position) != step.seat:
            return "the game is over" if self.is_over else f"it is {self.mover.name}'s turn"
        if self._turns > turn:
            return "the turn is over"
        if step.kind != "turn" and (step.kind == "throw") != (self.playable.stage(self.position) is Stage.CHANCE):
            return "a choice comes first" if step.kind == "throw" else "a roll comes first"
        try:
            equal_choice = (
                None
                if step.choice is None
                else find_equivalent_choice(self.playable, step.position, step.choice, self.position)
            )
            lines.append(self.play_line(step.line_text) if equal_choice is None else self.choose(equal_choice))
        except InputError as error:
            return str(error)
        return ""

    # --- as text

    def head_lines(self) -> list[str]:
        """Return the lines of the head."""
        playable, game = self.playable, self.playable.game
        lines = [f"game: {game.id}", *format_rules(game), f"objective: {playable.objective}"]
        lines += [f"{name}: {number}" for name, number in playable.parameters.items() if name in HEAD]
        lines += [f"seat: {seat.name} = {seat.player}" for seat in self.seats]
        lines += [f"dice: {self.dice}", *([f"seed: {self.seed}"] if self.seed or self.dice == "program" else [])]
        if self.start != playable.start():
            lines.append(f"start: {playable.id(self.start)}")
        return lines

    def to_text(self) -> str:
        """Return the whole game as the text of a file."""
        return "\n".join([*self.head_lines(), "", *map(self.format_step, self.written_steps)]) + "\n"


def validate_line(text: str) -> None:
    """Raise InputError for invisible letters in a line; tabs are blanks."""
    if invisible := first_invisible(text.strip().replace("\t", " ")):
        raise InputError(f"a line must not contain an invisible character: {invisible}; delete it")


def validate_seats(seats: Sequence[SeatedPlayer], players: int) -> None:
    """Raise InputError for names that lines could not begin with, and for a wrong number of seats."""
    if len(seats) != players:
        expected = format_count(players, "seat")
        raise InputError(f"expected {expected}, got {len(seats)}; write a line 'seat: NAME = PLAYER' for each")
    for seat in seats:
        if wrong := name_problem(seat.name, "#,:=", LONGEST_SEAT):
            raise InputError(f"invalid name of a seat: '{seat.name}'; a name {wrong}")
        if fold_name(seat.name) in (*HEAD, "undo"):
            raise InputError(f"invalid name of a seat: '{seat.name}' is a keyword of game files; choose another name")
    if ambiguous := find_ambiguous_names(seat.name for seat in seats):
        if len({*ambiguous}) == 1:
            raise InputError(f"two seats are named {ambiguous[0]}; change one of the names")
        raise InputError(
            f"two seats have names that cannot be told apart: {' and '.join(ambiguous)}; change one of them"
        )


def format_rules(game: Game) -> list[str]:
    """Return the lines of rules that differ from the game's own, or all rules if options cannot express them."""
    differ = {option.key: game.rules[option.key] for option in game.options if game.rules[option.key] != option.default}
    try:
        if Game(game.id, differ) == game:
            return [f"rule: {key}={str(value).lower()}" for key, value in differ.items()]
    except InputError:
        pass
    return [f"rules: {json.dumps(Rules(game.rules).plain(), sort_keys=True)}"]


def read_game_file(path: str | Path) -> GameFile:
    """Return the game in a file.

    Raises:
        InputError: a line is not possible; the message names file and line and says what would be.
    """
    try:
        with open_regular_file(path) as file:
            raw = file.read(LARGEST + 1)
        lines = re.split("\r\n|\n|\r", raw.decode("utf-8-sig"))
    except READ_ERRORS as error:
        if other_kind := describe_other_kind(path, GAME_FILE):
            raise InputError(f"{path} {other_kind}") from None
        raise InputError(f"cannot read {path}: {error_reason(error)}") from None
    if len(raw) > LARGEST:
        raise InputError(f"{path} is too large for a game file; choose a file that keepwise play or coach saved")
    if other_kind := describe_other_kind(path, GAME_FILE):
        raise InputError(f"{path} {other_kind}")
    return parse(lines, str(path))


def parse(lines: Iterable[str], name: str) -> GameFile:
    """Return the game that lines tell; see ``read_game_file``."""
    head, events = list[tuple[int, str, str]](), list[tuple[int, str]]()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        with _at(name, number):
            validate_line(text)
        key, colon, value = text.partition(":")
        if not events and colon and key.strip().lower() in HEAD:
            head.append((number, key.strip().lower(), value.strip()))
        else:
            events.append((number, text))
    game = _read_head(head, events, name)
    for number, text in events:
        with _at(name, number):
            _read_line(game, text, number)
    return game


@contextmanager
def _at(name: str, line: int) -> Iterator[None]:
    """Name the file and line in errors raised inside the block."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{name}:{line}: {error}") from None


def _read_line(game: GameFile, text: str, number: int) -> None:
    """Play one line of the file."""
    words = text.lower().split()
    if words[0] == "undo" and len(words) <= 2:
        game.undo(parse_whole_number(words[1], "undo") if len(words) == 2 else 1)
        return
    player_name, colon, event = text.partition(":")
    names = [seat.name for seat in game.seats]
    if not colon or (seat := find_name(player_name, names)) is None:
        key = player_name.strip().lower()
        if colon and key in HEAD:
            raise InputError(f"a line '{key}:' must be in the header, before the first event")
        if game.is_over:
            raise InputError("the game is over; remove the lines that follow")
        raise InputError(
            f"expected a line that begins with the seat to move, '{game.mover.name}:'{suggest_name(player_name, names)}"
        )
    if game.is_over:
        raise InputError("the game is over; remove the lines that follow")
    if seat != game.mover.name:
        raise InputError(f"it is the turn of {game.mover.name}, not of {player_name.strip()}")
    try:
        game.play_line(event, number)
    except InputError as error:
        if game.position is game.turn_start and game.is_turn_result(event.strip()):
            raise InputError(f"{error}; for a whole turn, write {seat}: turn {event.strip()}") from None
        raise


def _read_head(head: list[tuple[int, str, str]], events: list[tuple[int, str]], name: str) -> GameFile:
    """Return a new game from the lines of the head."""
    by_key = _read_keys(head, name)
    if "game" not in by_key:
        first = events[0][0] if events else 1
        raise InputError(f"{name}:{first}: not a game file: missing required line 'game: ID', such as 'game: 5000'")
    lines = {key: number for key, (number, _) in by_key.items()}
    value = {key: text for key, (_, text) in by_key.items()}
    game = _read_rules(head, value, lines, name)
    seats = []
    for number, key, text in head:
        if key == "seat":
            with _at(name, number):
                seat_name, _, player = text.partition("=")
                seats.append(SeatedPlayer(seat_name.strip(), player.strip() or HUMAN_PLAYER))
                validate_seats(seats, len(seats))
    numbers: dict[str, int] = {}
    for key in ("goal", "turns", "seed"):
        if key in value:
            with _at(name, lines[key]):
                numbers[key] = parse_whole_number(value[key], key)
    with _at(name, lines.get("objective", lines["game"])):
        playable = make_playable(
            game,
            len(seats) or None,
            objective=value.get("objective"),
            goal=numbers.get("goal"),
            turns=numbers.get("turns"),
        )
    if not seats:
        missing = max(number for number, _, _ in head)
        raise InputError(f"{name}:{missing}: missing required line 'seat: NAME = PLAYER', one for each player")
    with _at(name, lines.get("dice", 1)):
        dice = _read_dice(value.get("dice", "program" if "seed" in value else "mine"))
    start = None
    if "start" in value:
        with _at(name, lines["start"]):
            start = playable.from_id(value["start"])
    return GameFile(playable, tuple(seats), dice, numbers.get("seed", 0), start)


def _read_dice(text: str) -> Literal["program", "mine"]:
    """Return who rolls the dice."""
    if text == "mine":
        return "mine"
    if text == "program":
        return "program"
    raise InputError(f"dice must be program or mine, not '{text}'")


def _read_keys(head: list[tuple[int, str, str]], name: str) -> dict[str, tuple[int, str]]:
    """Return the line number and the text of each key of the head; of a key that is repeated, those of the last line.

    Raises:
        InputError: a key has no text, or one that must not repeat does.
    """
    by_key: dict[str, tuple[int, str]] = {}
    for number, key, text in head:
        with _at(name, number):
            if key in ONCE and key in by_key:
                raise InputError(f"{key} is given twice; remove one of the lines")
            if not text:
                raise InputError(f"{key} has no value; write it after the colon")
            by_key[key] = number, text
    return by_key


def _read_rules(head: list[tuple[int, str, str]], value: dict[str, str], lines: dict[str, int], name: str) -> Game:
    """Return the game under the rules of the head."""
    if "rules" in value:
        with _at(name, lines["rules"]):
            try:
                rules = json.loads(value["rules"])
            except ValueError as error:
                raise InputError(f"rules must be a JSON object ({error}); for one rule write rule: KEY=VALUE") from None
            if not isinstance(rules, dict):
                raise InputError("rules must be a JSON object; for one rule write rule: KEY=VALUE")
            return Game(value["game"], rules)
    with _at(name, lines["game"]):
        options = {option.key: option for option in Game(value["game"], {}).options}
    values, rule_line = dict[str, object](), lines["game"]
    for number, key, text in head:
        if key == "rule":
            with _at(name, number):
                rule, equals, choice = (part.strip() for part in text.partition("="))
                if not equals:
                    raise InputError(f"rule must be KEY=VALUE, not '{text}'")
                if rule not in options:
                    raise InputError(f"unknown rule '{rule}' of {value['game']}{suggest_name(rule, options)}")
                values[rule], rule_line = options[rule].parse(choice), number
    with _at(name, rule_line):
        return Game(value["game"], values)
