"""A game at the prompt, entered line by line in this process.

Advice is not solved here: the choices of a position are ranked in any order, so that no game takes long.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from keepwise.answers.advice import Advice, RankedChoice, rank
from keepwise.answers.positions import choices_of
from keepwise.cli import progress
from keepwise.cli.session import LeaveError, Session, Settings
from keepwise.play.game_file import GameFile, SeatedPlayer, Step
from keepwise.play.input_parser import format_roll, spoken_form
from keepwise.play.playable_game import Choice, PlayableGame, Stage
from keepwise.simulation.players import Adviser
from keepwise.util.errors import InputError

Steps = tuple[Step, ...]

COMMANDS = ("coach", "play", "play --dice mine")
MAX_ROLLS = 500  # or choices, of a position whose prompt is tried: an entry is compared with all of them
MAX_EVENTS = 300  # of a game that is played at random


class Log:
    """The lines that a session writes to its game file."""

    path = Path("game.kw")

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(line)


def advise_in_any_order(problem: Any, position: Any) -> Advice:
    """Advice whose best choice is any choice, always the same one."""
    playable, choices = problem.playable, choices_of(problem.playable, position)
    values = random.Random(len(choices)).sample(range(len(choices)), len(choices))
    ranked = [
        RankedChoice.from_choice(choice, float(value), None, None)
        for choice, value in zip(choices, values, strict=True)
    ]
    return Advice(
        playable.objective, rank(ranked, 1, 0.0, 1), playable.note(position), playable.mishap_words, error_bound=0.0
    )


def no_reasons(problem: Any, position: Any, choice: Any = None) -> Any:
    """Reasons that say nothing."""
    return SimpleNamespace(text="The reasons.", text_about=lambda *words: "The reasons.")


@contextmanager
def unsolved_advice() -> Iterator[None]:
    """Solve nothing for advice in this block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("keepwise.simulation.players.advise", advise_in_any_order)
        patch.setattr("keepwise.simulation.players.solve_cost", lambda problem: SimpleNamespace(is_too_much=False))
        patch.setattr("keepwise.simulation.players.marks", lambda problem: ())
        patch.setattr("keepwise.answers.explanation.why", no_reasons)
        yield


@dataclass(frozen=True)
class Reply:
    """The answer to an entry.

    Attributes:
        output: what was printed.
        refusal: the message of the refusal, None if nothing was refused.
        before: the steps of the game before the entry; before its choice if a roll and a choice were entered.
        after: the steps of the game after the entry.
    """

    output: str
    refusal: str | None
    before: Steps
    after: Steps


@dataclass
class Table:
    """A game with its players, and who rolls the dice.

    Attributes:
        playable: the game.
        command: one of ``COMMANDS``: the others sit at the table, are engines, or people at the prompt.
        seed: seed of the dice that the program rolls.
    """

    playable: PlayableGame[Any]
    command: str
    seed: int = 0

    @cached_property
    def seats(self) -> tuple[SeatedPlayer, ...]:
        """The seats: You, then all others."""
        player = {"coach": "table", "play": "best", "play --dice mine": "person"}[self.command]
        count = self.playable.players
        others = ["Opponent"] if count == 2 else [f"Player {number}" for number in range(2, count + 1)]
        return (SeatedPlayer("You"), *(SeatedPlayer(name, player) for name in others))

    @cached_property
    def players(self) -> list[Callable[[Any], Choice[Any]] | None]:
        """The engine of each seat, which takes the first choice; None for people."""
        return [(lambda at: self.playable.choices(at)[0]) if seat.player == "best" else None for seat in self.seats]

    @cached_property
    def adviser(self) -> Adviser:
        """The adviser, which solves nothing."""
        return Adviser(self.playable, solve=lambda problem: problem, follow=lambda problem, position: problem)

    def game(self, steps: Sequence[Step] = ()) -> GameFile:
        """The game after these steps."""
        dice = "program" if self.command == "play" else "mine"
        return GameFile(self.playable, self.seats, dice, self.seed, steps=list(steps))

    def prompt(self, steps: Sequence[Step] = ()) -> Prompt:
        """Resume the game after these steps."""
        return Prompt(self, self.game(steps))

    def walk(self, rng: random.Random) -> Iterator[tuple[GameFile, str]]:
        """Yield a game that is played at random, at each of its prompts, with what is entered next."""
        game, playable = self.game(), self.playable
        while not game.is_over and len(game.steps) < MAX_EVENTS:
            position = game.position
            if playable.stage(position) is Stage.CHANCE:
                if game.dice == "program":
                    game.roll()
                    continue
                rolls = [roll for _, roll in islice(playable.rolls(position), MAX_ROLLS + 1)]
                line = format_roll(playable, position, rng.choice(rolls))
                if len(rolls) <= MAX_ROLLS:
                    yield game, line
                game.play_line(line)
            else:
                engine = self.players[playable.player_to_move(position)]
                choices = playable.choices(position)
                choice = engine(position) if engine else rng.choice(choices)
                if not engine and len(choices) <= MAX_ROLLS:
                    yield game, spoken_form(choice)
                game.choose(choice)
        if game.is_over and self.command != "play":  # without any entry there is nothing to ask
            yield game, "undo"


class Prompt:
    """A session that is entered line by line."""

    def __init__(self, table: Table, game: GameFile) -> None:
        self.log = Log()
        self.game = game
        settings = Settings(coach=table.command == "coach", silent=True, verbose=False)
        self.session = Session(game, table.players, lambda: table.adviser, self.log, settings)  # type: ignore[arg-type]

    def enter(self, entry: str) -> Reply:
        """Enter a line, and what it leads to without another one."""
        output, refusal, before = io.StringIO(), None, tuple(self.game.steps)
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
            patch.setattr("sys.stdin", io.StringIO())
            patch.setattr(progress, "ahead", [])
            patch.setattr("keepwise.cli.session.ahead", ahead := [entry])
            while ahead and refusal is None:
                before = tuple(self.game.steps)
                try:
                    self.session.play_next()
                except InputError as error:
                    refusal = str(error)
                except LeaveError:
                    break
        return Reply(output.getvalue(), refusal, before, tuple(self.game.steps))
