"""A game at the prompt: what is printed, what is asked, and the file that records the game.

``Session.run`` alternates between rolls and choices until the game is over. Every entry is a command (see ``HELP``) or
is read as a roll, a choice or the result of a whole turn. ``GameFileWriter`` writes each event to the game file.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from keepwise.play.card_display import format_scorecards
from keepwise.play.choice_kinds import ChoiceKind
from keepwise.play.choice_letters import ChoiceLetters
from keepwise.play.game_file import GameFile, ReplayResult, Step
from keepwise.play.input_parser import (
    ALL_WORDS,
    BUST,
    BUST_WORDS,
    ENTRY_WORDS,
    FILLER_WORDS,
    KEEP_VERBS,
    NUMBER_WORDS,
    OTHER_PRONOUNS,
    PLAN_VERBS,
    POINT_WORDS,
    PRONOUNS,
    ROLL_WORDS,
    SENTENCE_ENDS,
    AmbiguousChoiceError,
    ImpossibleRollError,
    UnknownChoiceError,
    asks_yes_or_no,
    begins_with_result_verb,
    can_bust,
    describe_roll,
    find_roll_in_sentence,
    format_roll,
    format_turn,
    is_dice_text,
    is_likely_name,
    list_answers,
    list_choices,
    list_likely_choices,
    parse_choice,
    parse_roll,
    scores_from_mover,
    split_roll_and_choice,
    spoken_form,
    strip_sentence,
    turn_readings,
)
from keepwise.play.playable_game import BelowMinimumError, find_choice
from keepwise.play.position_fields import Role, parse_number
from keepwise.storage.files import (
    GAME_FILE,
    READ_ERRORS,
    check_file_name,
    error_reason,
    file_kind,
    lock_file,
    open_regular_file,
)
from keepwise.util.errors import InputError, abbreviate, list_alternatives
from keepwise.util.integers import parse_whole_number
from keepwise.util.text import find_name, join_with_and, wrap_text

from .progress import ahead, leaves, pause_reports
from .terminal import columns, fitted, say, width

if TYPE_CHECKING:
    from keepwise import RankedChoice
    from keepwise.api import Advice
    from keepwise.play import Choice
    from keepwise.simulation.players import Adviser, Player

MAX_RANKED_CHOICES = 5  # that ? lists
ENDINGS_BY_RULE = (ChoiceKind.BUST, ChoiceKind.SCORE, ChoiceKind.WIPE, ChoiceKind.WIN)  # not choices of a player
MAX_LISTED_EVENTS = 12
MAX_EVENT_DIGITS = 6
COUNT_FILLERS = (*FILLER_WORDS, "that", "this", "roll", "rolls", "choice", "entry", "entries")  # after undo
WHY_FILLERS = re.compile(  # after why, as in "why is b worse?"
    r"^(?:(?:not|is|isn['’]t|should i|that)\b *)+| *(?:\b(?:the )?(?:best|better|worse|bad|wrong|good))?[?!. ]*$",
    re.IGNORECASE,
)
EVENT_NUMBER = re.compile(r"(?:event |#)?(\d+)(?: *[:=,] *| (?:to|with) | )(.*)", re.IGNORECASE)
REACH_FILLERS = ("in", "points", "point", "turns", "turn")
QUESTION_WORDS = ("what", "what's", "which", "why", "how", "should", "now")  # begin a question after a roll
SHOWING_COMMANDS = ("score", "scores", "card", "events", "rules")  # commands that print something
SHOW = re.compile(rf"^(?:show|print|list)(?: me)?(?: the| my)? (?=(?:{'|'.join(SHOWING_COMMANDS)})$)", re.IGNORECASE)
COMMAND_MARKS = ":/"  # stand before commands in other programs, as in :q; here they mean nothing
ENTRY_COLUMNS = 12  # room for an entry after a prompt
UNNAMED_OPPONENT = "Opponent"  # how the coach calls the other player without --seat
QUIT = ("quit", "q", "exit")
DECISION_COMMANDS = ("?", "why", "more", "reach")  # commands about the decision to be made
ROLL_VERBS = ("roll", "rolled", "throw", "threw")  # may precede the dice of a roll
ROLL_TAILS = (*ALL_WORDS, *FILLER_WORDS, *NUMBER_WORDS, "again", "both", "dice", "die")  # after them, these are no dice
EXAMPLE_DICE = "11532446"  # as many of them as are rolled
EXAMPLE_ROLLS = 25  # of the first so many, the one in the middle is an example, if faces have names
ROLL_HELP = "{dice:<16} the dice that came up{example}; your choice may follow after a comma"
POINT_RESULT = re.compile(rf"\d[\d,]* *(?:{'|'.join(POINT_WORDS)})", re.IGNORECASE)  # 450 points
ANSWER_HELP = "ANSWER           {answers}"
TOTAL_HELP = "9, total 11      their total; 11 alone means two dice that show 1"
CHOICE_HELP = (
    "a                take the choice with this letter",
    "WORDS            take the choice with these words, such as {words}; the first words are enough if one choice fits",
)
KEEP_HELP = "{dice:<16} keep these dice"
ADVICE_HELP = (
    "more             list every choice with its letter",
    "?                show the best choices; Enter alone then takes the best",
    "why, why a       explain the best choice, against the second best or choice a; Enter then takes the best",
)
TURN_HELP = "RESULT           the result of the whole turn: {results}"
FIRST_ROLL_HELP = "roll {dice:<11} their first roll; then enter the turn roll by roll"
OTHER_ADVICE_HELP = "why              explain the best choice for {name}"
EXAMPLE_GOAL, EXAMPLE_GAIN, EXAMPLE_TURNS = 250, 10, 5  # of reach
REACH_HELP = "reach POINTS     the chance and the best choice to reach POINTS"
REACH_TURNS_HELP = "reach POINTS N   the chance and the best choice to reach POINTS in N turns"
HELP_COLUMNS = 16  # of what is typed
HELP_INDENT = " " * (HELP_COLUMNS + 3)  # of the second line of an explanation
CARD_HELP = ("card             show the scorecard",)
HELP = (
    "score            show the scores",
    "undo, undo 3     take back the last entry, or the last 3",
    "redo, redo 3     enter again the last undone entry, or the last 3",
    "events           list the last events with their numbers",
    "fix N ENTRY      enter ENTRY in place of event N; events lists the numbers",
    "save             show where the game is saved",
    "save FILE        save a copy of the game in FILE",
    "rules            print the rules of the game",
    "quit, q, exit    stop here; --resume continues the game later",
)
UNKNOWN_WORD_HINT = "; ? shows advice, help lists what you can type"
UNKNOWN_ROLL_HINT = "; help lists what you can type"
LATE_TURN = "a whole turn can be entered only before its first roll; type undo to take rolls back"
OVER = "the game is over: type undo, fix N ENTRY, events or score, or press Enter"
OVER_PROMPT = "Press Enter to finish, or type undo or fix> "
ANY_ROLL_QUESTION = "What came up?"  # instead of DICE_ASKED if the player does not sit at this prompt


class LeaveError(Exception):
    """The player has left the game: by ``quit``, or because the input has ended."""


class GameFileWriter:
    """The file that records a game while it is played, locked against other programs.

    Each line is one event and is on disk before the next one is asked for.

    Args:
        path: the file.
        game: a new game, whose file is created; None appends to an existing file.

    Raises:
        InputError: the file cannot be created or resumed, or another program is using it.
    """

    def __init__(self, path: Path, game: GameFile | None = None) -> None:
        self.path = path
        is_new = game is not None
        try:
            if not is_new:
                open_regular_file(path).close()
            self._file = path.open("x" if is_new else "a", encoding="utf-8", newline="\n")
        except READ_ERRORS as error:
            raise _file_error(path, error, is_new) from None
        if not lock_file(self._file):
            self._file.close()
            raise InputError(f"{path} is being played in another program; quit the game there first")
        self._ends_with_newline = is_new or path.read_bytes()[-1:] in (b"\n", b"")
        if game is not None:
            self.write("\n".join([*game.head_lines(), ""]))

    def __enter__(self) -> GameFileWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()

    def write(self, line: str) -> None:
        """Append a line and flush it to disk."""
        self._file.write(f"{line}\n" if self._ends_with_newline else f"\n{line}\n")
        self._ends_with_newline = True
        self._file.flush()
        os.fsync(self._file.fileno())


def check_new(path: Path) -> None:
    """Raise InputError if no new file can be created at this path."""
    try:
        check_file_name(path)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        path.unlink()
    except READ_ERRORS as error:
        raise _file_error(path, error) from None


def _file_error(path: Path, error: Exception, is_new: bool = True) -> InputError:
    """Return the refusal of a game file that cannot be written, or, if it is not new, cannot be resumed."""
    if isinstance(error, FileExistsError):
        if file_kind(path) == GAME_FILE:
            return InputError(f"refusing to overwrite {path}; resume it with --resume {path}, or choose another name")
        return InputError(f"refusing to overwrite {path}; choose another file name")
    if not is_new:
        return InputError(f"cannot resume {path}: {error_reason(error)}")
    return InputError(f"cannot write {path}: {error_reason(error, is_written=True)}; choose another file with -o FILE")


class Settings(NamedTuple):
    """Options of a game at the prompt.

    Attributes:
        coach: show advice before every choice.
        silent: do not say what choices cost.
        verbose: show every roll and choice of the engines.
    """

    coach: bool
    silent: bool
    verbose: bool


class Session:
    """A game at the prompt between people, engines and people at the table who do not type.

    Args:
        game: the game, new or resumed.
        players: the engine of each seat; None for people.
        adviser: returns the adviser, which is solved when it is first needed.
        log: the file that records the game.
        settings: how the game is played.
    """

    def __init__(
        self,
        game: GameFile,
        players: list[Player | None],
        adviser: Callable[[], Adviser],
        log: GameFileWriter,
        settings: Settings,
    ) -> None:
        self.game = game
        self.playable = game.playable
        self.players = players
        self.log = log
        self.settings = settings
        self._get_adviser = adviser
        self._undone: list[list[str]] = []  # entries that redo enters again, the last undo last
        self._waiting: list[tuple[int, Step]] = []  # events of later turns, entered again after the corrected turn
        self._headed_turn: Any = None  # the start of the turn whose heading was printed last
        self._listed_position: Any = None  # the position whose choices are on the screen
        self._advised_position: Any = None  # the position whose advice is on the screen
        self._substituted_turn: Any = None  # the start of the last turn in which advice for points was explained
        self._lettered: tuple[Any, ChoiceLetters] = (None, ChoiceLetters(game.playable))  # a position, and its letters
        self._commands: dict[str, Callable[[str], None]] = {
            "?": self._advice,
            "why": self._why,
            "more": self._print_all_choices,
            "reach": self._reach,
            "score": self._score,
            "scores": self._score,
            "card": self._score,
            "undo": self._undo,
            "redo": self._redo,
            "events": self._events,
            "fix": self._fix,
            "save": self._save,
            "rules": self._rules,
            **dict.fromkeys(QUIT, self._quit),
            "help": self._help,
        }

    @property
    def adviser(self) -> Adviser:
        """The adviser of the game; the first use solves it."""
        return self._get_adviser()

    def _adviser_at(self, position: Any) -> Adviser:
        """Return the adviser for a position; say once a turn why it advises for points, if it does."""
        adviser = self.adviser.at(position)
        turn_start = self.game.turn_start
        if adviser is not self.adviser and self._substituted_turn is not turn_start:
            self._substituted_turn = turn_start
            objective, cost = self.adviser.problem.objective, self.adviser.cost_at(position)
            say(f"Advice in this turn is for points, because advice for {objective} takes {cost}.", "  ")
        return adviser

    # --- the course of a game

    def run(self) -> None:
        """Play until the game is over; LeaveError ends it earlier."""
        self._headed_turn = None
        while not self.game.is_over:
            self._play_next_or_report()

    def _print_heading(self) -> None:
        """Print the scores and the scorecard where a turn begins, unless this has been done."""
        turn_start = self.game.turn_start
        if self._headed_turn is turn_start:
            return
        self._headed_turn = turn_start
        self._print_tie()
        if not self._is_turn_in_one_line(self.playable.player_to_move(turn_start)):
            self._print_scores()
            self._print_card()

    def is_resumed_after_end(self) -> bool:
        """Ask, once the game is over, whether to undo or fix something; return whether the game goes on."""
        if not any(map(self._is_entered, self.game.written_steps)):
            return False
        try:
            while self.game.is_over:
                self._play_next_or_report()
        except (LeaveError, KeyboardInterrupt):
            return False
        return True

    def _play_next_or_report(self) -> None:
        """Play or ask for what comes next, and print why an entry is refused."""
        try:
            self.play_next()
        except InputError as error:
            if not self._next_is_asked:
                raise
            say(str(error), "  ")

    def _read_after_end(self, text: str) -> None:
        if not text:
            raise LeaveError
        raise InputError(OVER)

    def _is_turn_in_one_line(self, seat: int) -> bool:
        """Return whether the turns of a seat are printed in one line: those of engines whose dice the program rolls."""
        return self.players[seat] is not None and self.game.dice == "program" and not self.settings.verbose

    @property
    def _next_is_asked(self) -> bool:
        """True if the next roll or choice, or what to do after the end of the game, is entered at the prompt."""
        position = self.game.position
        if self.game.is_over:
            return True
        if self.playable.stage(position) == "throw":
            return self.game.dice == "mine"
        return self.players[self.playable.player_to_move(position)] is None

    @property
    def _is_engine_to_move(self) -> bool:
        """True if the player to move is an engine, which chooses for itself."""
        return self.players[self.playable.player_to_move(self.game.position)] is not None

    @property
    def _is_turn_result_asked(self) -> bool:
        """True if the prompt asks for the result of a whole turn, which somebody at the table plays."""
        return self.game.mover.player == "table" and self.game.steps_before_turn is not None

    def play_next(self) -> None:
        """Play or ask for the next turn, roll or choice, or what to do after the end of the game.

        Raises:
            InputError: an entry is refused.
            LeaveError: the player leaves the game.
        """
        game, playable = self.game, self.playable
        if game.is_over:
            self._ask(OVER_PROMPT, self._read_after_end)
            return
        self._print_heading()
        position, seat = game.position, game.mover
        player = self.players[playable.player_to_move(position)]
        if self._is_turn_result_asked:
            self._ask(f"{seat.name}'s turn: {playable.result_question(position)} ", self._read_turn)
        elif playable.stage(position) == "throw":
            if game.dice == "program":
                self._record(game.roll())
            else:
                self._ask(self._roll_prompt(), self._read_roll)
        elif player is None:
            if self._listed_position is not position:
                self._listed_position = position
                self._print_turn()
                if self.settings.coach and seat.player != "table":
                    self._advice()
                else:
                    self._print_likely_choices()
            self._ask(f"{seat.name}> ", self._read_choice_or_turn)
        else:
            self._record(game.choose(player(position)))

    def _roll_prompt(self) -> str:
        """Return the prompt for a roll, such as ``You: roll 5 dice (5 lucky). What did you get?``."""
        seat, position = self.game.mover, self.game.position
        words, dice = self.playable.describe_roll(position)
        if name := self.playable.dice_name(position):
            words = f"{words} ({dice} {name})"
        question = self.playable.roll_question(position)
        if self.playable.rolls_dice(position) and seat.player != "person":
            question = ANY_ROLL_QUESTION
        return f"{seat.name}: {words}. {question} "

    def _record(self, line: str, remark: str = "") -> None:
        """Write an event to the log, print it with a remark, and enter waiting events again that now fit."""
        self.log.write(line)
        self._undone.clear()
        self._print_last_event(remark)
        if self._waiting and (again := self.game.replay(self._waiting)).later != self._waiting:
            self._log_last_events(len(again.lines))
            self._report_replay(again)

    def _print_last_event(self, remark: str = "") -> None:
        """Print the last event with a remark, and the forced ones after it; a turn in one line at its end."""
        game, playable = self.game, self.playable
        seat = game.written_steps[-1].seat
        if not self._is_turn_in_one_line(seat):
            if game.written_steps[-1].line_text != BUST:  # the forced choice after it says more
                self._print_event(f"{self._format_entry(game.written_steps[-1])}{remark}")
            self._print_forced_events()
        elif game.is_over or playable.is_turn_start(game.position):
            first = max(place for place, step in enumerate(game.steps) if playable.is_turn_start(step.position))
            events = [(step.line_text, step.choice) for step in game.steps[first:]]
            self._print_event(f"{game.seats[seat].name}: {format_turn(playable, events)}")

    def _format_event(self, step: Step) -> str:
        """Return the line that describes an event to people."""
        words = step.line_text
        if step.kind == "throw":
            words = describe_roll(self.playable, words)
        return f"{self.game.seats[step.seat].name}: {words}"

    def _format_entry(self, step: Step) -> str:
        """Return the line that repeats an entry; of a whole turn its result, not to be taken for turn points."""
        if step.kind != "turn":
            return self._format_event(step)
        whose, result = _possessive(self.game.seats[step.seat].name), step.line_text.removeprefix("turn ")
        explanation = self.playable.explain_result(step.position, result)
        return f"{whose[0].upper()}{whose[1:]} turn: {result}{explanation and f': {explanation}'}"

    @staticmethod
    def _print_event(line: str) -> None:
        say(line, "", "    ")

    def _print_forced_events(self) -> None:
        """Print the forced choices after the last event."""
        steps = self.game.steps
        last_entry = max(place for place, step in enumerate(steps) if step.line_text)
        for step in steps[last_entry + 1 :]:
            assert step.choice is not None
            remark = " (the only choice)" if step.choice.kind not in ENDINGS_BY_RULE else ""
            self._print_event(f"{self.game.seats[step.seat].name}: {step.choice.action}{remark}")

    # --- reading entries

    def _ask(self, prompt: str, read_entry: Callable[[str], None]) -> None:
        """Ask for one line and run its command, or pass it to ``read_entry``."""
        text = SHOW.sub("", ask_line(prompt))
        word, _, argument = text.partition(" ")
        word = word.rstrip("?!.") or word
        if self.game.is_over and word.lower() in DECISION_COMMANDS:
            raise InputError(OVER)
        command = self._commands.get(word.lower().lstrip(COMMAND_MARKS))
        is_entry = argument and not self.game.is_over and self._is_entry_verb(word.lower(), argument)
        if command is not None and not is_entry:
            command(argument.strip())
        elif text.endswith("?") and not self.game.is_over:  # what should I do?
            self._answer(text, read_entry)
        else:
            self._read_sentence(text, read_entry)

    def _answer(self, text: str, read_entry: Callable[[str], None]) -> None:
        """Answer a question: show what it names, such as the score, or give advice, after its roll if it has one."""
        words = text.rstrip("? ").split()
        is_roll_asked = not self._choices() and self.playable.rolls_dice(self.game.position)
        question = next((place for place, word in enumerate(words) if word.lower() in QUESTION_WORDS), len(words))
        roll = " ".join(words[:question]).rstrip(",;:")
        named_command = next((word.lower() for word in words if word.lower() in SHOWING_COMMANDS), "")
        if is_roll_asked and self._roll_error(roll) is None:
            self._read_sentence(roll, read_entry)
        elif named_command:
            self._commands[named_command]("")
        elif len(words) > 1 or self._choices():
            self._advice()
        else:
            self._read_sentence(text, read_entry)

    def _is_entry_verb(self, word: str, argument: str) -> bool:
        """Return whether a word that is also a command begins an entry: ``score twos``, or ``save 1 1`` for dice."""
        if word in ENTRY_WORDS:
            return any(map(str.isdigit, argument)) or bool(self._named_box(argument))
        if word != "save" or not self._choices():
            return False
        try:
            parse_choice(self.playable, self.game.position, f"keep {argument}", ChoiceLetters(self.playable))
        except AmbiguousChoiceError:
            return True
        except InputError:
            return False
        return True

    def _read_sentence(self, text: str, read_entry: Callable[[str], None]) -> None:
        """Read an entry; if that fails, and it may begin with a name that no seat has, read it without that name."""
        try:
            self._read_subject(text, text, read_entry)
        except InputError:
            named_text = self._replace_unknown_name(text)
            if named_text == text:
                raise
            self._read_subject(named_text, text, read_entry)

    def _read_subject(self, text: str, typed: str, read_entry: Callable[[str], None]) -> None:
        """Read an entry without its subject; raise InputError for ``Bob got 450`` in a turn that is not Bob's.

        Args:
            text: the entry, with the name of a seat if it has a subject.
            typed: the entry as it was typed.
            read_entry: reads an entry without a subject.
        """
        name = self.game.mover.name
        subject, own_text = ("", "") if self.game.is_over else self._other_subject(text)
        if not subject:
            read_entry(text if self.game.is_over else strip_sentence(text, name))
            return
        hint = self._own_entry_hint(strip_sentence(own_text, name))
        error = InputError(
            f"it is {_possessive(name)} turn, and '{abbreviate(typed)}' is about {subject};"
            f" finish this turn first{hint}"
        )
        if self._is_subject_certain(text):
            raise error
        try:
            read_entry(text)
        except InputError:
            raise error from None

    def _replace_unknown_name(self, text: str) -> str:
        """Return ``Opponent got 450`` for ``Bob got 450`` if the seats are *You* and *Opponent*, the usual names.

        Raises:
            InputError: no seat has this name, and it could mean several players, or the seats have names of their own.
        """
        first_word, _, rest = text.partition(" ")
        word = first_word.removesuffix(":")
        names = [seat.name for seat in self.game.seats]
        others = [seat.name for seat in self.game.seats if seat.player == "table"]
        is_known = word.lower() in {*self._known_words(), *self._commands} or bool(self._named_box(word))
        if self.game.is_over or not others or is_known or not is_likely_name(word):
            return text
        is_written_as_name = first_word != word or word[0].isupper()
        is_plain = is_written_as_name and strip_sentence(rest, "") == rest
        is_result = is_plain and (rest.isdecimal() or self.game.is_turn_result(rest))
        if not (is_result or begins_with_result_verb(rest)):
            return text
        if others == [UNNAMED_OPPONENT]:
            return f"{UNNAMED_OPPONENT} {rest}"
        raise InputError(f"unknown player '{abbreviate(word)}'; the players are {', '.join(names)}")

    def _known_words(self) -> set[str]:
        """Return the names of seats, and the words of the values of fields, such as ``large``, in small letters."""
        return {seat.name.lower() for seat in self.game.seats} | {
            word.lower() for field in self.playable.fields for word in field.words
        }

    def _is_subject_certain(self, text: str) -> bool:
        """Return whether an entry begins with a pronoun, or with a name and a colon; a name alone may be a box."""
        return text.partition(" ")[0].lower() in PRONOUNS or ":" in text

    def _other_subject(self, text: str) -> tuple[str, str]:
        """Return whom an entry is about and the rest of it, if that is not the player to move; else two empty texts.

        Pronouns of others mean a player at the table. *I* means the player to move, who may type for once.
        """
        game = self.game
        names = sorted((seat.name for seat in game.seats), key=len, reverse=True)  # "Ann Lee" before "Ann"
        for name in names:
            if text.lower().startswith((f"{name.lower()} ", f"{name.lower()}:")):
                return ("", "") if name == game.mover.name else (_as_object(name), text[len(name) :].lstrip(": "))
        word, own_text = text.partition(" ")[0].lower(), strip_sentence(text, game.mover.name)
        if len(own_text) == len(text.rstrip(SENTENCE_ENDS)):  # there is no subject
            return "", ""
        others = [seat for seat in game.seats if seat.player == "table"]
        if word in OTHER_PRONOUNS and game.mover.player != "table" and others:
            return "another player", own_text
        return "", ""

    def _own_entry_hint(self, text: str) -> str:
        """Return how to enter a text, without its subject, for the player to move; else what can be entered."""
        game, readings = self.game, turn_readings(text)
        if self._is_turn_result_asked:
            result = next(filter(game.is_turn_result, readings[1:] or readings), "")  # without "got", if possible
            return f"; for {_possessive(game.mover.name)} turn, type {result}" if result else ""
        own = "your own" if game.mover.name == "You" else f"{game.mover.name}'s"
        result = BUST if BUST in readings else readings[-1]
        if self._whole_turn_hint and (result == BUST or result.isdecimal()) and game.is_turn_result(result):
            return f"; for {own} turn, type turn {result}"
        if self.playable.stage(game.position) == "throw" and self.playable.rolls_dice(game.position):
            return f"; for {own} roll, type {self._expected_roll()}"
        return ""

    def _read_roll(self, text: str) -> None:
        """Read a roll, or the result of a whole turn."""
        verb, _, argument = text.partition(" ")
        if verb.lower() in ROLL_VERBS:
            text = argument.strip()
            if set(text.lower().split()) <= set(ROLL_TAILS):
                raise InputError(f"{verb} needs the dice; type {self._expected_roll()}, or help")
        if not text:
            raise InputError(f"nothing was entered; type {self._expected_roll()}, or help")
        remark = self._total_remark(text)
        try:
            line = self.game.play_line(text)
        except InputError as error:
            if self._is_turn_result(text):  # an impossible one is refused for its own reason
                self._record(self.game.play_line(f"turn {text}"))
                return
            if turn := self._turn_at_first_roll(text):
                self._record(turn)
                return
            if self._is_roll_and_choice(text):
                return
            if dice_text := find_roll_in_sentence(self.playable, self.game.position, text):
                self._record(self.game.play_line(dice_text))
                return
            raise self._explain_roll_error(text, error) from None
        self._record(line, remark)

    def _total_remark(self, text: str) -> str:
        """Return a remark on a roll whose total is typed, `` (for the total 9)``; "" if the dice are."""
        field = next((field for field in self.playable.fields if field.max_total), None)
        if field is None or self.playable.stage(self.game.position) != "throw":
            return ""
        try:
            typed_dice = field.parse(text)
        except InputError:
            return ""
        is_total = self.playable.dice_of_total(self.game.position, typed_dice) != typed_dice
        return f" (for the total {typed_dice[0]})" if is_total else ""

    def _explain_roll_error(self, text: str, error: InputError) -> InputError:
        """Return the refusal of a text that is not a roll, with what can be typed instead."""
        is_first_roll = self.game.position is self.game.turn_start
        if not is_first_roll and (reason := self._late_turn_reason(text)):
            dice = f"; to go on, type {self._expected_roll()}" if self.playable.rolls_dice(self.game.position) else ""
            return InputError(f"{reason}{dice}")
        if text.lower().startswith("turn ") and not is_first_roll:
            return InputError(LATE_TURN)
        if is_first_roll and (refusal := self._impossible_result(text)) is not None:
            return refusal if _has_remedy(refusal) else InputError(f"{refusal}{self._whole_turn_hint}")
        if (dice_error := self._wrong_dice_before_choice(text)) is not None:
            error = dice_error
        is_dice = self.playable.rolls_dice(self.game.position)
        says_what_to_type = isinstance(error, ImpossibleRollError)
        hint = f"; type {self._expected_roll()}" if is_dice and not says_what_to_type else ""
        if is_dice and (text.partition(" ")[0].lower() in (*KEEP_VERBS, *ENTRY_WORDS) or self._named_box(text)):
            return self._explain_early_choice(text, hint)
        is_turn = POINT_RESULT.search(text) or text.lower().startswith("turn ")  # digits are then points, not dice
        is_sentence = any(map(str.isalpha, text)) and not is_turn
        if (
            is_dice
            and dice_error is None
            and is_sentence
            and self._roll_error(digits := re.sub(r"\D", "", text)) is None
        ):
            return InputError(f"'{abbreviate(text)}' is more than a roll; type only the dice: {digits}")
        if not is_first_roll:
            hint += "; or undo" if is_dice else "; to go back, type undo"
        if turn := self._turn_of_number(text):
            return InputError(f"{error}{hint}; for a whole turn, type {turn}")
        is_word = any(map(str.isalpha, text)) and not is_dice_text(self.playable, text)
        help_hint = UNKNOWN_ROLL_HINT if is_word else ""
        return InputError(f"{error}{hint}{self._whole_turn_hint}{help_hint}")

    def _explain_early_choice(self, text: str, hint: str) -> InputError:
        """Return the refusal of a choice that is entered where its roll is asked for; ``hint`` says what to type."""
        if self._is_engine_to_move:
            return InputError(f"{self.game.mover.name} chooses for itself{hint}")
        if self.game.position is not self.game.turn_start:
            hint += "; to choose again, type undo" if self._is_last_entry_choice() else "; or undo"
        return InputError(f"'{abbreviate(text)}' is a choice, but the roll before it is missing{hint}")

    def _impossible_result(self, text: str) -> InputError | None:
        """Return why the result of a whole turn, ``turn 450`` or ``banked 450``, is refused; None for other texts."""
        result = text[5:] if text.lower().startswith("turn ") else turn_readings(text)[-1]
        is_bank = result != text and result.isdecimal() and not is_dice_text(self.playable, result)
        if not self._whole_turn_hint or not (is_bank or text.lower().startswith("turn ")):
            return None
        try:
            self.game.check_turn_result(result)
        except InputError as error:
            return error
        return None

    def _is_last_entry_choice(self) -> bool:
        """Return whether undo takes back a choice."""
        entered = [step for step in self.game.written_steps if self._is_entered(step)]
        return bool(entered) and entered[-1].choice is not None

    def _wrong_dice_before_choice(self, text: str) -> InputError | None:
        """Return why the dice of a roll and choice, such as ``1153 keep 1``, are not a roll; None for other lines."""
        words = text.split()
        for place in range(1, len(words)):
            word, dice_text = words[place].lower().rstrip(","), " ".join(words[:place]).rstrip(",;:. ")
            follows_comma = words[place - 1].endswith(",") and not is_dice_text(self.playable, f"{word} {word}")
            is_choice = word in (*KEEP_VERBS, *ENTRY_WORDS, *ROLL_WORDS) or self._named_box(" ".join(words[place:]))
            if is_choice or follows_comma:
                return self._roll_error(dice_text) if is_dice_text(self.playable, dice_text) else None
        return None

    def _expected_roll(self) -> str:
        """Return in words what is expected where a roll is asked for, with an example if there is one."""
        position = self.game.position
        if not self.playable.rolls_dice(position):
            return "the answer"
        verb = "roll " if self._is_turn_result_asked else ""  # dice alone would be the result of the turn
        example = self._example_roll() or self._example_named_roll()
        dice = "'roll' and the dice that came up" if verb else "the dice that came up"
        return f"{dice}, such as {verb}{example}" if example else dice

    def _roll_error(self, text: str, position: Any = None) -> InputError | None:
        """Return the error of a text as a roll from a position, by default the current one; None if it is possible."""
        try:
            parse_roll(self.playable, self.game.position if position is None else position, text)
        except InputError as error:
            return error
        return None

    def _is_roll_and_choice(self, text: str) -> bool:
        """Play the roll of a line such as ``55523, bank 500``, and make its choice the next entry.

        Return False, and play nothing, if the line is not a roll and a choice. Rolls of engines are entered alone,
        because engines choose for themselves.
        """
        game = self.game
        mover = self.playable.player_to_move(game.position)
        parts = split_roll_and_choice(self.playable, game.position, text) if self.players[mover] is None else None
        if parts is None:
            return False
        roll_text, choice_text = parts
        remark = self._total_remark(roll_text)
        is_answer = asks_yes_or_no(self.playable, game.position)  # more words only repeat it
        self._record(game.play_line(roll_text), remark)
        if game.steps[-1].kind == "throw" and self._choices():
            ahead.insert(0, choice_text)
        elif choice_text.lower() not in (BUST, *BUST_WORDS) and not is_answer:
            say(f"{choice_text} was not entered: after this roll there is nothing to choose", "  ")
        return True

    def _turn_at_first_roll(self, text: str) -> str:
        """Play the result of a whole turn in place of its first roll; return "" if it is not one.

        A bare number is one only if somebody else is to move: for oneself it is more likely a roll with a die missing.
        """
        game = self.game
        is_another = self.settings.coach and self.playable.player_to_move(game.position) != 0
        if game.position is not game.turn_start or not self._whole_turn_hint:
            return ""
        if not (is_another or any(map(str.isalpha, text))):
            return ""
        if not is_another and text.partition(" ")[0].lower() in PLAN_VERBS:
            return ""  # "hold at 20" is what somebody plans to do
        try:
            return game.play_line(f"turn {text}")
        except InputError:
            return ""

    def _is_turn_result(self, text: str) -> bool:
        """Return True if a text says points, or begins with a box of the mover's card: it is the result of a turn."""
        game = self.game
        if game.position is not game.turn_start or not self._whole_turn_hint:
            return False
        if POINT_RESULT.fullmatch(text):
            return True
        return bool(self._named_box(text))

    def _named_box(self, text: str) -> str:
        """Return the box of the mover's card with which a text begins, as in ``full house 25``; "" if there is none."""
        position = self.game.position
        boxes = self.playable.boxes(position, self.playable.player_to_move(position))
        name = text.partition(",")[0].rstrip("0123456789: ")
        return (name and find_name(name, list(boxes))) or ""

    @property
    def _whole_turn_hint(self) -> str:
        """A hint how to enter a whole turn at once; "" if that is not possible now."""
        if self.game.dice != "mine" or self.game.steps_before_turn is None:
            return ""
        result = self.playable.describe_turn_results(self.game.position)
        return f"; for a whole turn, type 'turn' and its result: {result}" if result else ""

    def _turn_of_number(self, text: str) -> str:
        """Return how to enter a bare number as the result of a whole turn, ``turn 450``; "" if it is not one."""
        if not self._whole_turn_hint or any(map(str.isalpha, text)):
            return ""
        return f"turn {text}" if self.game.is_turn_result(text) else ""

    def _late_turn_reason(self, text: str) -> str:
        """Return why a result of a whole turn cannot be entered now, and the way out; "" if a text is not a result.

        That is so once the first roll of the turn has been entered.
        """
        game = self.game
        result = text[5:] if text.lower().startswith("turn ") else text
        if not result.isdecimal() and turn_readings(result)[-1].isdecimal() and BUST not in turn_readings(result):
            result = turn_readings(result)[-1]  # of "got 350"
        is_said = result != text or result.lower() in (BUST, *BUST_WORDS) or bool(self._named_box(text))
        is_number = result.isdecimal() and (
            game.mover.player == "table" or not self._faces_to_roll().issuperset(result)
        )
        count = sum(map(self._is_entered, game.steps_of_turn))
        if game.dice != "mine" or not (is_said or is_number) or not count:
            return ""
        undo = "undo" if count == 1 else f"undo {count}"
        try:
            game.check_turn_result(result)
        except BelowMinimumError as error:
            return str(error).partition(";")[0]
        except InputError:
            return ""
        is_before_roll = self.playable.stage(game.position) == "throw"
        if is_before_roll and self._is_bust_result(result) and not can_bust(self.playable, game.position):
            return "this roll cannot bust under these rules"
        verb = "is" if is_said else "looks like"
        return (
            f"{result} {verb} the result of a whole turn, which can only be entered before its first roll:"
            f" type {undo}, then turn {result}"
        )

    def _is_bust_result(self, result: str) -> bool:
        """Return whether a result means a bust, in a game in which a bust is the result of a turn."""
        if BUST not in turn_readings(result):
            return False
        try:
            self.playable.play_whole_turn(self.game.turn_start, BUST)
        except InputError:
            return False
        return True

    def _read_turn(self, text: str) -> None:
        """Read the result of a whole turn of somebody at the table, or its first roll."""
        words = text.strip()
        verb, _, argument = words.partition(" ")
        if verb.lower() in ROLL_VERBS and self.playable.stage(self.game.position) == "throw":
            self._read_roll(words)
            return
        result = argument if verb.lower() in ("turn", "bank") else words
        results = self.playable.describe_turn_results(self.game.position)
        has_dice = self.playable.rolls_dice(self.game.position)
        if not results:
            expected = "enter the turn roll by roll: type 'roll' and the dice"
        elif has_dice:
            expected = f"type the result of the turn: {results}; or type 'roll' and the dice of the first roll"
        else:
            expected = f"type the result of the turn: {results}"
        if not result:
            raise InputError(expected)
        try:
            line = self.game.play_line(f"turn {result}")
        except InputError as error:
            if isinstance(error, BelowMinimumError):  # the result is clear, and only its points are not possible
                raise
            try:
                remark = self._total_remark(words)
                line = self.game.choose(self._parse_choice(words)) if self._choices() else self.game.play_line(words)
            except InputError:
                if self._is_roll_and_choice(words):
                    return
                help_hint = UNKNOWN_ROLL_HINT if any(map(str.isalpha, words)) else ""
                hint = "" if _has_remedy(error) else f"; {expected}"
                raise InputError(f"{error}{hint}{help_hint}") from None
            entered = self.game.written_steps[-1]
            self._record(line, remark)
            kind = "roll" if entered.kind == "throw" else "choice"
            say(f"Taken as a {kind}. If you meant the result of the whole turn, type undo.", "  ")
            return
        self._record(line)

    def _read_choice_or_turn(self, text: str) -> None:
        """Read a choice; an empty line takes the best one if its advice is on the screen."""
        game, position = self.game, self.game.position
        if text:
            try:
                choice = self._parse_choice(text)
            except InputError as error:
                self._read_whole_turn(text, error)
                return
        elif self._advised_position is position:
            choice = self.adviser.best(position)
        else:
            raise InputError("Enter only follows advice that was just given; type ? for advice, or enter a choice")
        mark, cost = ("", "") if self.settings.silent else self._cost(position, choice)
        self._record(game.choose(choice))
        if cost:
            say(f"{mark} {cost}".strip(), "  ")
        self._log_mark(mark, cost)

    def _read_whole_turn(self, text: str, error: InputError) -> None:
        """Read the result of a whole turn in place of its first choice; a bare number can only be a choice."""
        entry = text if text.lower().startswith("turn ") else f"turn {text}"
        try:
            line = self.game.play_line(entry) if self._whole_turn_hint and any(map(str.isalpha, text)) else ""
        except InputError:
            line = ""
        if not line:
            is_unknown = isinstance(error, UnknownChoiceError)
            reason = self._late_turn_reason(text) if is_unknown and not self._whole_turn_hint else ""
            if reason:
                raise InputError(f"{reason}; to go on, enter a choice{UNKNOWN_WORD_HINT}") from None
            hint = UNKNOWN_WORD_HINT if is_unknown and any(map(str.isalpha, text)) else ""
            raise InputError(f"{error}{self._whole_turn_hint}{hint}") from None
        self._record(line)

    def _log_mark(self, mark: str, cost: str) -> None:
        if mark:
            self.log.write(f"# {mark} {cost}")

    def _log_last_events(self, count: int) -> None:
        """Write the last events to the log as if they had just been entered, choices with their marks."""
        for step in self.game.written_steps[len(self.game.written_steps) - count :]:
            self.log.write(self.game.format_step(step))
            if step.choice is not None and self._is_entered(step) and not self.settings.silent:
                self._log_mark(*self._cost(step.position, step.choice))

    def _without_roll(self, text: str) -> str:
        """Return the choice of a line with a roll and a choice, if the roll lies on the table and the choice has dice.

        Without dice in the choice, the dice of the line are those to be kept: ``115 bank``.
        """
        game = self.game
        if not game.steps or game.steps[-1].kind != "throw" or game.dice != "mine":
            return text
        before_roll = game.steps[-1].position
        parts = split_roll_and_choice(self.playable, before_roll, text)
        if parts is None or not any(map(str.isdigit, parts[1])):
            return text
        return parts[1] if parse_roll(self.playable, before_roll, parts[0]) == game.position else text

    def _parse_choice(self, text: str) -> Choice[Any]:
        """Return the choice that a text names; explain how to correct the roll if it names other dice."""
        game = self.game
        try:
            return parse_choice(self.playable, game.position, self._without_roll(text), self._letters)
        except InputError as error:
            rolls = [number for number, step in enumerate(game.steps, 1) if step.line_text and step.kind == "throw"]
            is_roll_there = bool(self.playable.value_of_role(game.position, Role.ROLL))
            if game.dice == "mine" and not is_roll_there and (choices := self._choices_before_roll(text)):
                listed = list_choices(choices, self._letters)
                raise InputError(f"choose first, then type {text}; choose from: {listed}") from None
            if game.dice != "mine" or not rolls or isinstance(error, AmbiguousChoiceError):
                raise
            before_rolls = game.turn_start, game.steps[rolls[-1] - 1].position
            if is_roll_there and any(split_roll_and_choice(self.playable, position, text) for position in before_rolls):
                raise InputError("first choose for the roll on the table; if you rolled something else: undo") from None
            fix = self._fix_of_roll(rolls[-1], text)
            if not (fix or is_dice_text(self.playable, text)):
                raise
            raise InputError(f"{error}; if you rolled something else: undo{fix and f', or {fix}'}") from None

    def _fix_of_roll(self, number: int, text: str) -> str:
        """Return how to correct the roll of an event by these dice, ``fix 3 11532``; "" if they cannot be rolled."""
        is_possible = self._roll_error(text, self.game.steps[number - 1].position) is None
        return f"fix {number} {self._join_dice(text)}" if is_possible else ""

    def _join_dice(self, text: str) -> str:
        """Return dice as people type them after a number: ``11532``; as they are if their faces are longer."""
        has_signs = all(len(face) == 1 for face in self._faces_to_roll())
        return re.sub(r"(?<=\d)[ ,]+(?=\d)", "", text) if has_signs else text

    def _choices_before_roll(self, text: str) -> list[Choice[Any]]:
        """Return the choices after which a text is a possible roll."""
        playable = self.playable
        field = next((field for field in playable.fields if field.role is Role.ROLL), None)
        try:
            count = len(field.parse(text)) if field else 0
        except InputError:
            count = 0

        def may_be_roll(position: Any) -> bool:
            """Return whether the number of dice fits; to compare them with all rolls of many dice takes long."""
            if playable.stage(position) != "throw":
                return False
            staying_dice = len(playable.value_of_role(position, Role.KEPT, ()))
            rolled_dice = playable.describe_roll(position)[1]
            return not playable.rolls_dice(position) or count in (rolled_dice, rolled_dice + staying_dice)

        return [
            choice
            for choice in self._choices()
            if may_be_roll(choice.after) and self._roll_error(text, choice.after) is None
        ]

    def _cost(self, position: Any, choice: Any) -> tuple[str, str]:
        """Return the mark and the cost of a choice in words; empty if it was as good as the best."""
        adviser = self._adviser_at(position)
        advice = adviser.advise(position)
        ranked = find_choice(advice.choices, choice)
        if ranked is not None and (cost := advice.explain_loss(ranked)):
            return adviser.mark(ranked.loss), cost
        return "", ""

    # --- commands

    def _advice(self, _: str = "") -> None:
        position = self.game.position
        if self._is_turn_result_asked:
            say(f"It is {self.game.mover.name}'s turn, so there is nothing for you to decide.", "  ")
            return
        if self._is_engine_to_move:
            name = _possessive(self.game.mover.name)
            say(f"It is {name} turn, so there is nothing for you to decide. Type {self._expected_roll()}.", "  ")
            return
        if self.playable.stage(position) == "throw" and self.playable.is_turn_start(position):
            say(
                "Roll the dice first: there is nothing to decide yet. Type the roll, or the roll and your choice.", "  "
            )
            return
        self._advised_position = position
        self._print_point_of_view()
        advice = self._adviser_at(position).advise(position)
        if not self._choices():
            click.echo("  There is nothing to choose:")
        self._print_ranked(advice, advice.choices[:MAX_RANKED_CHOICES])
        if (hidden_count := len(advice.choices) - MAX_RANKED_CHOICES) > 0:
            say(f"and {hidden_count} more, none of them better (more lists all)", "       ")
        self._print_mixture(advice)

    def _print_mixture(self, advice: Advice) -> None:
        """Print the mixed action of the turn and the choice drawn from it, which Enter takes; nothing if it is pure."""
        if advice.mixture:
            drawn_choice = self.adviser.best(self.game.position).action
            say(f"{advice.mixture} Drawn for this turn: {drawn_choice}.", "  ")

    def _print_ranked(self, advice: Advice, ranked: Sequence[RankedChoice]) -> None:
        """Print choices with their letters, values and costs."""
        from keepwise.util.number_format import format_percent, format_value

        position, has_letters = self.game.position, bool(self._choices())
        for choice in ranked:
            action = re.sub(r": ([^:]+)$", r" (\1)", choice.action)  # the colon stands before the value
            value = f"{format_value(choice.value, advice.objective)}{advice.span if choice is ranked[0] else ''}"
            words = f"{action}: {value}{f', {_cost_words(choice, advice)}' if has_letters else ''}"
            for outcome, chance in ((advice.mishap_words[0], choice.bust), ("wipes", choice.wipe)):
                if chance:
                    words += f", {outcome} {format_percent(chance)}"
            letter = self._letters.letter(self.adviser.choice(position, choice)) if has_letters else ""
            say(words, f"  {letter:>3}  ", "       ")

    def _choices(self) -> tuple[Choice[Any], ...]:
        """Return the choices in this position; none before a roll."""
        position = self.game.position
        return self.playable.choices(position) if self.playable.stage(position) == "choose" else ()

    def _print_point_of_view(self) -> None:
        """Say whose chances are printed, if the player to move sits at the table."""
        if self.game.mover.player == "table":
            click.echo(f"  From {self.game.mover.name}'s point of view:")

    def _why(self, text: str) -> None:
        position, text = self.game.position, WHY_FILLERS.sub("", text)
        if text and not self._choices():
            raise InputError("there is no choice to explain before the roll; type why alone to explain the position")
        self._print_point_of_view()
        try:
            choice = self._parse_choice(text) if text else None
        except InputError as error:
            raise InputError(f"no choice to explain: {error}") from None
        adviser = self._adviser_at(position)
        reasons, name = adviser.why(position, choice), self.game.mover.name
        say(reasons.text if name == "You" else reasons.text_about(name, "is", "needs"), "  ")
        if self._choices():
            self._print_mixture(adviser.advise(position))
            self._advised_position = position  # the explanation names the best choice

    def _reach(self, text: str) -> None:
        """Print the chance of the player to move to reach a total, and the best choices for that."""
        from keepwise.util.number_format import format_count, format_value

        goal, _, turns = " ".join(word for word in text.split() if word.lower() not in REACH_FILLERS).partition(" ")
        if "reach" not in self.playable.game.objectives:
            game = self.playable.game
            reason = game.unsupported_objectives.get("reach", "")
            raise InputError(f"reach is not available for {game.title}{reason and f': {reason}'}")
        try:
            adviser = self.adviser.reaching(self.game.position, goal, turns.strip() or None)
        except InputError as error:
            requires_turns = self.playable.reach_requires_turns
            usage = (
                "type 'reach', the points and the number of turns" if requires_turns else "type 'reach' and the points"
            )
            if example_goal := self._example_goal:
                usage += f", such as reach {example_goal}{f' {EXAMPLE_TURNS}' if requires_turns else ''}"
            is_incomplete = not goal or (requires_turns and not turns and goal.replace(",", "").isdecimal())
            raise InputError(usage if is_incomplete else f"{error}; {usage}") from None
        points = parse_whole_number(goal, "goal")
        try:
            advice = adviser.advise(self.game.position)
        except InputError:
            score = self.playable.value_of_role(self.game.position, Role.SCORE)
            if score is None or score < points:
                raise
            raise InputError(f"the goal must be above the score of {score:,}, not {points:,}") from None
        goal_words = format_count(points, "point")
        turns_words = f" in {format_count(parse_whole_number(turns, 'turns'), 'turn')}" if turns else ""
        self._print_point_of_view()
        click.echo(f"  {goal_words}{turns_words}: {format_value(advice.best.value, 'reach')}")
        for choice in advice.choices[:MAX_RANKED_CHOICES] if self._choices() else ():
            say(f"{choice.action}: {format_value(choice.value, 'reach')}, {_cost_words(choice, advice)}", "       ")

    def _score(self, _: str) -> None:
        self._print_scores()
        if self.game.is_over:
            from keepwise.reviews.text import score_sheet

            for line in score_sheet(self.game, width()):
                click.echo(fitted(line))
        self._print_card()
        self._print_turn()

    def _print_all_choices(self, _: str) -> None:
        """List every choice by letter; after advice, with what each one is worth."""
        if not self._choices():
            if self.game.mover.player == "table":
                raise InputError(
                    f"it is {_possessive(self.game.mover.name)} turn, so there is nothing for you to choose"
                )
            raise InputError("there is nothing to choose yet; roll the dice first")
        if self._advised_position is self.game.position:
            advice = self._adviser_at(self.game.position).advise(self.game.position)
            self._print_ranked(advice, advice.choices)
            return
        listed_choices = self._letters.choices
        self._print_choices([*listed_choices, *(choice for choice in self._choices() if choice not in listed_choices)])

    def _undo(self, text: str) -> None:
        """Go back to the last entry, or as many entries as the text says."""
        for _ in _repeat("undo", text, sum(map(self._is_entered, self.game.written_steps))):
            events = self.game.written_steps
            count = next(count for count, step in enumerate(reversed(events), 1) if self._is_entered(step))
            undone = events[-count:]
            self._undone.append([step.line_text for step in undone])
            self._listed_position = None
            self._advised_position = None
            self.log.write(self.game.undo(count))
            say(f"undone: {undone[0].line_text}{self._format_followers(undone)}", "  ")

    def _format_followers(self, undone: Sequence[Step]) -> str:
        """Return that later turns were taken back together with an entry; "" if none were."""
        seats = [seat for seat, _ in groupby(step.seat for step in undone)]  # the first is that of the entry
        return " (and the rolls and turns after it)" if len(seats) > 1 else ""

    def _is_entered(self, step: Step) -> bool:
        """Return whether an event was entered at the prompt, not played by the program."""
        if step.kind == "throw":
            return self.game.dice == "mine"
        return self.players[step.seat] is None

    def _events(self, text: str) -> None:
        """List the last events by the numbers that reviews use."""
        events = [(number, step) for number, step in enumerate(self.game.steps, 1) if step.line_text]
        if not events:
            click.echo("  there are no events yet")
        listed_events = events if text == "all" else events[-MAX_LISTED_EVENTS:]
        for number, step in listed_events:
            say(self._format_event(step), f"  {number:>4}  ", "        ")
        if len(listed_events) < len(events):
            click.echo(f"  These are the last {MAX_LISTED_EVENTS} events; type events all to list all.")
        numbers = [number for number, _ in listed_events]
        if numbers and numbers != list(range(numbers[0], numbers[-1] + 1)):
            click.echo("  Missing numbers between them are forced steps.")

    def _fix(self, text: str) -> None:
        """Correct an earlier event, and enter the later ones again as far as they still fit."""
        game = self.game
        match = EVENT_NUMBER.fullmatch(text)
        number, words = match.groups() if match else ("", "")
        if not (number.isascii() and 0 < len(number) <= MAX_EVENT_DIGITS and words.strip()):
            example = self._fix_example()
            raise InputError(
                f"type 'fix', the number of an event and the correct entry{example}; events lists the numbers"
            )
        if int(number) <= len(game.steps) and not self._is_entered(game.steps[int(number) - 1]):
            raise InputError(f"event {number} was played by the program; only events that you entered can be corrected")
        lines_before = set(map(game.format_step, game.written_steps))
        again = game.fix(int(number), self._correction(int(number), words.strip()), self._waiting)
        undone, fixed, *later = again.lines
        self.log.write(undone)
        self._log_last_events(len(later) + 1)
        self._undone.clear()
        self._print_event(f"  corrected event {number}: {fixed}")
        self._report_replay(again._replace(lines=[line for line in later if line not in lines_before]))

    def _fix_example(self) -> str:
        """Return an example of ``fix`` for the last event that was entered; "" if none was."""
        entered = [place for place, step in enumerate(self.game.steps, 1) if step.line_text and self._is_entered(step)]
        if not entered:
            return ""
        step = self.game.steps[entered[-1] - 1]
        return (
            f", such as fix {entered[-1]} {self._join_dice(step.line_text) if step.kind == 'throw' else step.line_text}"
        )

    def _correction(self, number: int, text: str) -> str:
        """Return the correction of an event as game files record it; digits are dice, as at the prompt."""
        step = self.game.steps[number - 1] if 1 <= number <= len(self.game.steps) else None
        if step is not None:
            text = strip_sentence(text, self.game.seats[step.seat].name)
        if step is None or step.choice is None or not step.line_text:  # a forced choice was not entered
            return text
        try:
            return spoken_form(parse_choice(self.playable, step.position, text, ChoiceLetters(self.playable)))
        except InputError as error:
            if any(map(str.isalpha, text)):  # it may be the result of the whole turn
                return text
            fits = "fits several choices" if isinstance(error, AmbiguousChoiceError) else "is not a choice"
            choices = list_choices(self.playable.choices(step.position))
            message = f"event {number} is a choice, and {text} {fits} there; choose from: {choices}"
            rolls = [place for place, earlier in enumerate(self.game.steps[:number], 1) if earlier.kind == "throw"]
            if rolls and self.game.dice == "mine" and (fix := self._fix_of_roll(rolls[-1], text)):
                message += f"; to correct the roll before it, type {fix}"
            raise InputError(message) from None

    def _report_replay(self, again: ReplayResult) -> None:
        """Report which later events were entered again, which no longer fit, and which wait."""
        self._listed_position = None
        if again.lines:
            self._print_event(f"  entered again: {_join_some(again.lines)}")
        if again.lost:
            lost = _join_some(map(self.game.format_step, again.lost))
            say(f"These events no longer fit; enter them again: {lost}", "  ")
            say(f"The first does not fit: {again.why}", "  ")
        if again.later and again.later != self._waiting:
            waiting = _join_some(self.game.format_step(step) for _, step in again.later)
            say(f"Finish this turn first; then these events are entered again: {waiting}", "  ")
            say("If you quit before that, they are lost.", "  ")
        self._waiting = again.later

    def _redo(self, text: str) -> None:
        """Enter again the last entry that undo took back, or as many as the text says."""
        for _ in _repeat("redo", text, len(self._undone)):
            for entry in self._undone.pop():
                self._print_heading()
                self.game.play_line(entry)
                self._print_last_event()
                self._log_last_events(1)

    @property
    def _example_goal(self) -> int | None:
        """The points of an example of ``reach``, above the score; None if no such points are found.

        They are half of the game's own goal, the goal itself, or else a few points.
        """
        playable, position = self.playable, self.game.position
        score = playable.value_of_role(position, Role.SCORE, 0)
        goals = [EXAMPLE_GOAL, score + EXAMPLE_GAIN]
        with suppress(InputError, KeyError):  # KeyError: the goal is a rule of the game, as in Booby Trap for one
            turns, _ = playable.reach_turns(position, EXAMPLE_TURNS if playable.reach_requires_turns else None)
            own_goal = playable.validate_parameters(None, turns)["goal"]
            goals = [own_goal // 2, own_goal]
        for goal in goals:
            with suppress(InputError, KeyError):
                if goal > score:
                    return playable.validate_parameters(goal, turns)["goal"]
        return None

    def _save(self, path: str) -> None:
        path = path.removeprefix("as ")
        if path and not re.search(r"[./\\]", path):
            example = self.log.path.with_name(f"copy{self.log.path.suffix}")
            raise InputError(f"'{abbreviate(path)}' is not a file name with an ending; type save {example}")
        if path:
            try:
                check_file_name(path)
                with Path(path).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(self.game.to_text())
            except FileExistsError:
                raise InputError(f"refusing to overwrite {path}; choose another file name") from None
            except READ_ERRORS as error:
                raise InputError(f"cannot write {path}: {error_reason(error, is_written=True)}") from None
            click.echo(f"  wrote {path}")
            return
        say(f"the game is saved in {self.log.path} after every entry", "  ")

    def _rules(self, _: str) -> None:
        """Print the rules in words, as ``keepwise rules`` does."""
        from .rules import rule_lines

        for line in rule_lines(self.playable.game, width()):
            click.echo(fitted(line))

    def _quit(self, _: str) -> None:
        raise LeaveError

    def _help(self, _: str) -> None:
        """Print what can be entered now, in this game."""
        entry_help = () if self.game.is_over else self._entry_help()
        for line in (*entry_help, *HELP):
            click.echo(fitted(wrap_text(line, "  ", HELP_INDENT)))

    def _entry_help(self) -> Iterator[str]:
        """Yield the lines of ``help`` that depend on the game and on what is asked for."""
        playable, choices = self.playable, self._choices()
        if self._is_turn_result_asked:
            yield from self._turn_help()
        elif choices:
            yield from (line.format(words=spoken_form(choices[0])) for line in CHOICE_HELP)
            if dice := self._example_keep():
                yield KEEP_HELP.format(dice=dice)
            yield from ADVICE_HELP
        else:
            yield from self._roll_help()
        if "reach" in playable.game.objectives:
            yield REACH_TURNS_HELP if playable.reach_requires_turns else REACH_HELP
        if format_scorecards(self.game, width()):
            yield from CARD_HELP

    def _turn_help(self) -> Iterator[str]:
        """Yield the lines of ``help`` for the result of a whole turn of somebody at the table."""
        position = self.game.position
        if results := self.playable.describe_turn_results(position):
            yield TURN_HELP.format(results=results)
        if self.playable.rolls_dice(position):
            yield FIRST_ROLL_HELP.format(dice=self._example_roll() or self._example_named_roll() or "DICE")
        if self._choices():
            yield OTHER_ADVICE_HELP.format(name=self.game.mover.name)

    def _roll_help(self) -> Iterator[str]:
        """Yield the lines of ``help`` for a roll, or for a whole turn in place of its first roll."""
        playable, position = self.playable, self.game.position
        if playable.rolls_dice(position):
            named_dice = self._example_named_roll()
            example = f", such as {named_dice}" if named_dice else ""
            roll_help = ROLL_HELP.partition(";")[0] if self._is_engine_to_move else ROLL_HELP
            yield roll_help.format(dice=self._example_roll() or "DICE", example=example)
            if any(field.max_total for field in playable.fields):
                yield TOTAL_HELP
        elif answers := list_answers(playable, position):
            yield ANSWER_HELP.format(answers=list_alternatives(answers))
        if results := self._whole_turn_hint and playable.describe_turn_results(position):
            yield f"turn RESULT      enter the whole turn; its result is {results}"

    def _faces_to_roll(self) -> set[str]:
        """Return the faces of the dice of the player to move."""
        fields = self.playable.fields_at(self.game.position)
        return {face for field in fields if field.role is Role.ROLL for face in field.words}

    def _example_roll(self) -> str:
        """Return dice that may come up, such as ``11532`` or ``1346d``; "" if their faces are not single signs."""
        position = self.game.position
        _, dice = self.playable.describe_roll(position)
        faces = self._faces_to_roll()
        if not all(len(face) == 1 for face in faces):  # faces with names are separated by spaces
            return ""
        examples = [EXAMPLE_DICE[:dice]]
        if len(EXAMPLE_DICE) < dice or not faces.issuperset(examples[0]):
            rolls = [after for _, after in self.playable.rolls(position)]
            examples = [format_roll(self.playable, position, rolls[len(rolls) // 2]).replace(" ", "")]
        return next((example for example in examples if len(example) == dice and faces.issuperset(example)), "")

    def _example_named_roll(self) -> str:
        """Return dice that may come up, such as ``1 green 4 yellow``, if their faces have names; else ""."""
        names = self._faces_to_roll()
        if all(len(face) == 1 for face in names):
            return ""
        position = self.game.position
        rolls = [after for _, after in islice(self.playable.rolls(position), EXAMPLE_ROLLS)]
        return describe_roll(self.playable, format_roll(self.playable, position, rolls[len(rolls) // 2]))

    def _example_keep(self) -> str:
        """Return the words for dice that may be kept and that name one choice alone, ``keep 1 1``; "" if none do."""
        position = self.game.position
        for choice in self._choices():
            words = spoken_form(choice).partition(",")[0]
            is_plain = words.startswith("keep ") and ":" not in words and any(map(str.isdigit, words))
            if choice.keep and is_plain and len(words) <= HELP_COLUMNS:
                with suppress(InputError):
                    parse_choice(self.playable, position, words, ChoiceLetters(self.playable))
                    return words
        return ""

    # --- printing

    def _print_tie(self) -> None:
        """Print who plays on, if the last step ended in a tie for the best total."""
        last_step = next(reversed(self.game.steps), None)
        tie = last_step and self.playable.find_tie(last_step.position, last_step.after)
        if tie:
            from keepwise.util.number_format import format_count

            names = join_with_and(self.game.seats[seat].name for seat in tie.seats)
            say(f"-- tied at {format_count(tie.total, 'point')}: {names} play on, one turn each", "", "   ")

    def _print_scores(self) -> None:
        """Print one line with the scores and the player to move."""
        playable, position = self.playable, self.game.position
        is_alone = self.game.is_over and playable.players == 1  # the score may not have the points of the turn
        standing = () if is_alone else scores_from_mover(playable, position, 0)
        names = [seat.name for seat in self.game.seats] if standing else []
        parts = [", ".join(f"{name} {score:,}" for name, score in zip(names, standing, strict=True))]
        if self.game.is_over:
            parts.append("the game is over")
        else:
            parts += [playable.describe_progress(position), f"{self.game.mover.name} to move"]
        say(f"-- {'; '.join(filter(None, parts))}", "", "   ")

    def _print_card(self) -> None:
        """Print the scorecard, if the game has one."""
        for line in format_scorecards(self.game, width()):
            click.echo(fitted(line))

    def _print_turn(self) -> None:
        """Print where the player to move stands in the turn."""
        playable, values = self.playable, self.playable.to_dict(self.game.position)
        steps = self.game.steps
        if steps and steps[-1].choice is not None and steps[-1].choice.kind is ChoiceKind.KEEP:
            values.pop("throw", None)  # the last one, although it was not made
        fields = [field for field in playable.fields if field.is_inside_turn and field.name in values]
        if fields and not self.game.is_over:
            say(" · ".join(field.describe(values[field.name]) for field in fields), "  ")

    def _print_likely_choices(self) -> None:
        """Print the choices that people consider, by letter."""
        choices = self._choices()
        likely_choices = list_likely_choices(self.playable, choices)
        self._print_choices(likely_choices)
        if hidden_count := len(choices) - len(likely_choices):
            say(f"and {hidden_count} more; type more to list all, or ? for advice", "       ")

    def _print_choices(self, choices: Sequence[Choice[Any]]) -> None:
        for choice in choices:
            say(choice.action, f"  {self._letters.letter(choice):>3}  ", "       ")

    @property
    def _letters(self) -> ChoiceLetters:
        """The letters of the choices on the screen in this position."""
        if self._lettered[0] is not self.game.position:
            self._lettered = self.game.position, ChoiceLetters(self.playable)
        return self._lettered[1]


def _as_object(name: str) -> str:
    """Return the name of a player inside a sentence: ``you`` for the seat *You*."""
    return "you" if name == "You" else name


def _possessive(name: str) -> str:
    """Return ``Bob's``, or ``your`` for the seat *You*."""
    return "your" if name == "You" else f"{name}'s"


def _cost_words(choice: RankedChoice, advice: Advice) -> str:
    """Return ``best``, ``tie`` or what a choice costs."""
    from keepwise.util.number_format import format_loss

    if choice is advice.best:
        return "best"
    return "tie" if choice.tie else f"costs {format_loss(choice.loss, advice.objective)}"


def _repeat(command: str, text: str, available: int) -> Iterator[int]:
    """Yield once for each entry that ``undo`` or ``redo`` is for; report at the end if there were fewer.

    Args:
        command: ``undo`` or ``redo``.
        text: the number of entries as typed (see ``_parse_count``).
        available: how many entries there are.

    Raises:
        InputError: there is no entry, or the text is not a number.
    """
    if not available:
        raise InputError(f"there is nothing to {command}")
    count = _parse_count(text, command)
    yield from range(min(count, available))
    if count > available:
        entries = "was only 1 entry" if available == 1 else f"were only {available} entries"
        say(f"there {entries} to {command}", "  ")


def _parse_count(text: str, command: str) -> int:
    """Return how many entries ``undo`` or ``redo`` is for: 1 in ``undo that``, 2 in ``undo the last two``."""
    words = [word for word in text.lower().split() if word not in COUNT_FILLERS]
    if words and words[0] in NUMBER_WORDS:
        words[0] = str(NUMBER_WORDS.index(words[0]) + 1)
    try:
        return parse_number(" ".join(words), f"the number after {command}", 1) if words else 1
    except InputError as error:
        raise InputError(f"{error}; type {command} for the last entry, or {command} 3 for the last 3") from None


def _has_remedy(error: InputError) -> bool:
    """Return whether a message says what to enter instead: it then has a second part, after a semicolon."""
    return "; " in str(error)


def _join_some(lines: Iterable[str]) -> str:
    """Return the first lines joined into one, with the number of those left out."""
    all_lines = list(lines)
    hidden_count = len(all_lines) - MAX_LISTED_EVENTS
    return "; ".join(all_lines[:MAX_LISTED_EVENTS]) + (f"; and {hidden_count} more" if hidden_count > 0 else "")


def ask_line(prompt: str) -> str:
    """Read one line of input; raise LeaveError at the end of the input."""
    with pause_reports():
        return _read_line(prompt)


def _fit_prompt(prompt: str) -> str:
    """Return a prompt that leaves room for an entry in its last line, also on a narrow terminal."""
    max_columns = columns(sys.stdout, len(prompt) + ENTRY_COLUMNS) - ENTRY_COLUMNS
    return prompt if len(prompt) <= max_columns else f"{wrap_text(prompt, '', '    ', max_columns)} "


def _read_line(prompt: str) -> str:
    if sys.stdin is None or sys.stdin.closed:
        raise LeaveError
    leaves.update(QUIT)
    prompt = _fit_prompt(prompt)
    if ahead:
        click.echo(f"{prompt}{ahead[0]}")
        return ahead.pop(0)
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401  (input() then edits lines, and arrow keys recall them)
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
        raise InputError("the input is not valid text; use UTF-8") from None
    except OSError:
        line = ""
    if not line:
        click.echo()
        raise LeaveError
    click.echo(line.strip())
    return line.strip()
