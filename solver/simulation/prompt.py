"""A game of one's own at the prompt: ``play_own_game`` is behind ``Solution.play``."""

from __future__ import annotations

import random
from typing import Any

from ..answers.positions import advise, marks
from ..answers.trace import Trace, trace
from ..play.choice_letters import QUIT_LETTER, ChoiceLetters
from ..play.game_file import GameFile, SeatedPlayer
from ..play.input_parser import find_by_words, parse_choice
from ..play.own_game import OwnGame
from ..play.playable_game import Choice, Stage, find_choice
from ..solving.solved_problem import SolvedProblem
from ..util.errors import InputError
from ..util.number_format import format_loss, mistake_mark
from ..util.text import format_table, wrap_text

RANDOM_SEEDS = 2**31
ADVICE = "?"


def play_own_game(solved: SolvedProblem, seat: int = 0, seed: int | None = None) -> Trace[Any]:
    """Play a game with the user, as ``Solution.play`` describes, and return its trace.

    Args:
        solved: the solved game.
        seat: the seat of the user.
        seed: the seed of the dice; None for a random one.

    Raises:
        InputError: not a game of one's own, or one without this seat.
    """
    playable = solved.playable
    if not isinstance(playable, OwnGame):
        raise InputError(f"play is for a game of your own; for this game, type keepwise play {playable.game.id}")
    if not 0 <= seat < playable.players:
        raise InputError(f"seat must be {' or '.join(map(str, range(playable.players)))}, not {seat}")
    return _Prompt(solved, seat, random.randrange(RANDOM_SEEDS) if seed is None else seed).run()


class _Prompt:
    """A game between the user and optimal play.

    Args:
        solved: the solved game.
        seat: the seat of the user.
        seed: the seed of the dice.
    """

    def __init__(self, solved: SolvedProblem, seat: int, seed: int) -> None:
        self.solved = solved
        self.seat = seat
        you, engine = SeatedPlayer("You"), SeatedPlayer("Engine", "best")
        players = tuple(you if other == seat else engine for other in range(solved.playable.players))
        self.game = GameFile(solved.playable, players, seed=seed)
        self._printed_count = 0  # of the steps of the game

    def run(self) -> Trace[Any]:
        """Play until the game is over or the user stops; print the result, and return the trace."""
        game, playable = self.game, self.solved.playable
        print(f"{playable.game.title} · {playable.objective} · seed {game.seed}")
        print(f"Type a letter or the words of a choice, {ADVICE} for advice, or {QUIT_LETTER} to stop.")
        self._print_steps()
        while not game.is_over:
            if playable.stage(game.position) is Stage.CHANCE:
                game.roll()
            elif playable.player_to_move(game.position) != self.seat:
                self._choose_best()
            elif not self._choose():
                break
            self._print_steps()
        return self._finish()

    def _print_steps(self) -> None:
        """Print the rolls and choices since the last call; a roll is shown as the position after it."""
        for step in self.game.steps[self._printed_count :]:
            what = f"roll: {step.after}" if step.choice is None else step.choice.action
            print(f"{self.game.seats[step.seat].name}: {what}")
        self._printed_count = len(self.game.steps)

    def _choose_best(self) -> None:
        """Make the best choice."""
        position = self.game.position
        choice = find_choice(self.solved.playable.choices(position), advise(self.solved, position).best)
        assert choice is not None
        self.game.choose(choice)

    def _choose(self) -> bool:
        """List the choices and make the one that the user types; return False if the user stops."""
        game, playable = self.game, self.solved.playable
        position, letters = game.position, ChoiceLetters(playable)
        if not game.steps or game.steps[-1].choice is not None:
            print(f"Position: {position}")
        for listed_choice in playable.choices(position):
            print(f"  {letters.letter(listed_choice):>3}  {listed_choice.action}")
        while True:
            try:
                text = input("You> ").strip()
            except (EOFError, KeyboardInterrupt):
                print()
                return False
            if text.lower() == QUIT_LETTER:
                return False
            if text == ADVICE:
                self._print_advice(letters)
                continue
            try:
                choice = self._read_choice(text, letters)
            except InputError as error:
                _say(str(error))
                continue
            game.choose(choice)
            self._print_cost(position, choice)
            return True

    def _read_choice(self, text: str, letters: ChoiceLetters) -> Choice[Any]:
        """Return the choice that a text names: by its exact words, its letter, or in other words."""
        playable, position = self.solved.playable, self.game.position
        exact = find_by_words(playable.choices(position), text)
        return exact or parse_choice(playable, position, text, letters)

    def _print_advice(self, letters: ChoiceLetters) -> None:
        """Print all choices with their letters, values and costs, the best first."""
        advice = advise(self.solved, self.game.position)
        heading, *rows = advice.choice_rows()
        labels = map(letters.letter, advice.choices)
        table = [("", *heading), *((label, *row) for label, row in zip(labels, rows, strict=True))]
        print("\n".join(format_table(table, 2, "  ")))

    def _print_cost(self, position: Any, choice: Choice[Any]) -> None:
        """Print what the choice in a position costs, unless it is as good as the best."""
        advice = advise(self.solved, position)
        ranked = find_choice(advice.choices, choice)
        assert ranked is not None
        if cost := advice.explain_loss(ranked):
            mark = mistake_mark(ranked.loss, marks(self.solved))
            _say(f"{mark} {cost}".strip())

    def _finish(self) -> Trace[Any]:
        """Print the payoffs and what the choices of the user cost, and return the trace."""
        game, playable = self.game, self.solved.playable
        events = [step.after if step.choice is None else step.choice for step in game.steps]
        game_trace = trace(self.solved, game.start, events)
        if game.is_over:
            payoffs = zip(game.seats, playable.payoffs(game.position), strict=True)
            print(f"Game over: {', '.join(f'{player.name} {payoff}' for player, payoff in payoffs)}.")
        else:
            print("The game was not finished.")
        errors = game_trace.seats[self.seat].own_errors
        print(f"Your choices cost {format_loss(errors, playable.objective) if errors else 'nothing'} in all.")
        return game_trace


def _say(words: str) -> None:
    """Print a message below an entry."""
    print(wrap_text(words, "  ", "  "))
