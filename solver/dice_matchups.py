"""Hands of dice against hands: the chances of every hand against every other, and what is best against an unknown one.

Each pair of hands is a race of two players with dice of their own, played optimally (``solvers.push.unlike_race``).

Start reading at ``solve_matchups``.
"""

from __future__ import annotations

import csv
import io
import itertools
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .games import Game
from .games.badges import refuse_badges
from .games.dice_catalogue import expand_hand, format_hand, load_catalogue, parse_hand
from .games.dice_keys import CATALOGUE_KEY, HAND_KEY
from .games.families import FAMILIES, load_module
from .games.seat_rules import SEAT_KEY
from .output.charts import Chart
from .solvers.solve_costs import SolveCost, announce_cost, refuse_excessive_cost
from .storage.checkpoints import Checkpoint
from .storage.files import READ_ERRORS, error_reason, open_regular_file
from .util.errors import HouseRuleError, InputError, abbreviate
from .util.number_format import format_count
from .util.optional_imports import require_library
from .util.progress_reporting import ProgressCallback

Doubles = NDArray[np.float64]

COMPILE_SECONDS = 0.5  # empirical: to compile the turn of a hand
SECONDS_BETWEEN_SAVES = 20.0  # between two writes of a checkpoint
MAX_FILE_BYTES = 1_000_000  # of a list of hands
LAYER = "races"  # the name of what a checkpoint keeps
UNSOLVED = -1.0  # the chance of a race that is not solved yet
COLUMNS = ("hand", "opponent", "first", "second")


@dataclass(frozen=True)
class Matchups:
    """The chances to win of hands against each other.

    Attributes:
        names: the names of the hands.
        first: (hands, hands) the chance of the row's player, who begins, against the hand of the column.
        error_bound: the largest possible error of a chance.
    """

    names: tuple[str, ...]
    first: Doubles
    error_bound: float

    @property
    def second(self) -> Doubles:
        """The chance of the row's player if the other player begins: (hands, hands)."""
        return np.asarray(1 - self.first.T)

    @property
    def even(self) -> Doubles:
        """The chance of the row's player if a fair coin says who begins: (hands, hands)."""
        return np.asarray((self.first + self.second) / 2)

    def least_chances(self) -> Doubles:
        """Return the chance of each hand against the hand that is worst for it, if a coin says who begins."""
        return np.asarray(self.even.min(axis=1))

    def best_mix(self) -> tuple[Doubles, float]:
        """Return how often to choose each hand if the opponent chooses at the same time, and what that guarantees.

        It is the best mixed action of the matrix game of ``even``, by linear programming. As the game is the same for
        both players, it guarantees one half. The game of rounded chances is solved, so the guarantee has their bound.

        Raises:
            InputError: SciPy is not installed.
        """
        require_library("scipy", "the best mix of hands requires SciPy", "mix")
        from scipy.optimize import linprog

        count = len(self.names)
        # Maximize v subject to v <= sum_i x_i even[i, j] for all j, where x is a distribution.
        result = linprog(
            np.append(np.zeros(count), -1.0),
            A_ub=np.column_stack([-self.even.T, np.ones(count)]),
            b_ub=np.zeros(count),
            A_eq=np.append(np.ones(count), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0, 1)] * (count + 1),
        )
        weights = np.maximum(result.x[:-1], 0)
        weights /= weights.sum()
        return weights, float((weights[:, None] * self.even).sum(axis=0).min())

    def to_csv(self) -> str:
        """Return a table with a row for each hand and each opponent: the chance as first and as second player."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (row, name), (column, opponent) in itertools.product(enumerate(self.names), repeat=2):
            writer.writerow([name, opponent, float(self.first[row, column]), float(self.second[row, column])])
        return text.getvalue()

    def to_json(self) -> dict[str, Any]:
        """Return the table as data for JSON: the hands, and a row of chances for each hand."""
        return {
            "hands": list(self.names),
            "first": self.first.tolist(),
            "second": self.second.tolist(),
            "error_bound": self.error_bound,
        }

    def chart(self, title: str) -> Chart:
        """Return a chart of the chances of every hand against every other, with the best worst case first.

        Args:
            title: the title of the game.
        """
        order = self.best_first()
        return Chart(
            f"{title}: hands against hands",
            "matrix",
            "the opponent's hand",
            "hand",
            "chance to win",
            "Cells: the chance that the hand of the row wins. A coin decides who begins. The first hand has the best"
            " worst case.",
            labels=tuple(self.names[hand] for hand in order),
            grid=self.even[np.ix_(order, order)],
        )

    def best_first(self) -> list[int]:
        """Return the numbers of the hands, those with the highest least chances first."""
        order: list[int] = np.argsort(-self.least_chances(), kind="stable").tolist()
        return order


def solve_matchups(
    game: Game,
    hands: Mapping[str, Mapping[str, Any]],
    *,
    threads: int = 1,
    anyway: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: ProgressCallback = lambda share: None,
) -> Matchups:
    """Solve the races of every hand against every other.

    Args:
        game: a push-your-luck race for several players, without rules by seat.
        hands: by name, the rules of a seat with that hand, such as ``{"die": [...]}`` or ``{"hand": "lucky*6"}``.
        threads: processor threads to use.
        anyway: solve the races even if that takes more than an hour.
        checkpoint: the output. Finished races are kept in a file beside it until all are solved, and another call goes
            on from there. None to keep nothing.
        progress: called with the fraction of the races that are solved.

    Raises:
        InputError: there are no hands, or rules that a seat cannot have.
        TooMuchError: it takes more than an hour.
        TableError: the checkpoint is damaged or of other races.
    """
    if not hands:
        raise InputError("hands must contain at least one hand")
    refuse_badges(game, "hands of dice cannot be compared")
    if SEAT_KEY in game.rules:
        raise InputError("rules by seat cannot be combined with a table of hands: leave them out")
    rules = list(hands.values())
    game.with_rules(seat={"2": {**rules[-1], "head_start": 0}})  # refuses games that cannot have rules by seat
    races = load_module(FAMILIES["push"].hand_races).HandRaces([game.with_rules(**hand) for hand in rules])
    pairs = list(itertools.combinations_with_replacement(range(len(hands)), 2))
    task = f"solving {format_count(len(pairs), 'race')} of hands"
    race_cost = races.estimate_cost(0, len(hands) - 1, threads)
    cost = SolveCost(bytes=race_cost.bytes, seconds=len(pairs) * race_cost.seconds + len(hands) * COMPILE_SECONDS)
    refuse_excessive_cost(task, cost, anyway)
    announce_cost(task, cost)
    solved = _SolvedRaces(game, hands, checkpoint)
    try:
        for number, (row, column) in enumerate(pairs, 1):
            if solved.chances[0, row, column] == UNSOLVED:
                solved.set(row, column, races.solve(row, column, threads))
            progress(number / len(pairs))
    finally:
        solved.save()
    solved.remove()
    return Matchups(tuple(hands), np.array(solved.chances[0]), float(solved.chances[1].max()))


class _SolvedRaces:
    """The chances of the races that are solved, and their file.

    Attributes:
        chances: (2, hands, hands), the chances of the row's player, who begins, and their error bounds; ``UNSOLVED``
            if they are not known yet.
    """

    def __init__(
        self, game: Game, hands: Mapping[str, Mapping[str, Any]], output: str | os.PathLike[str] | None
    ) -> None:
        self.chances = np.full((2, len(hands), len(hands)), UNSOLVED)
        self.checkpoint = None
        if output is not None:
            question = {"races of": {name: dict(rules) for name, rules in hands.items()}}
            self.checkpoint = Checkpoint(output, {**question, "game": game.id, "rules": game.identifying_rules()})
            stored = self.checkpoint.load_layer(LAYER, self.chances.shape, UNSOLVED, 1.0)
            if stored is not None:
                self.chances = np.array(stored)
        self._last_save = time.monotonic()
        self._has_changes = False

    def set(self, row: int, column: int, race: Any) -> None:
        """Set the chances of a race in both orders, and save all chances now and then."""
        self.chances[:, row, column] = race.first, race.error_bound
        self.chances[:, column, row] = (race.first if row == column else race.second), race.error_bound
        self._has_changes = True
        if time.monotonic() - self._last_save > SECONDS_BETWEEN_SAVES:
            self.save()

    def save(self) -> None:
        """Write the chances to the file, if there is one and they have changed."""
        if self.checkpoint is not None and self._has_changes:
            self.checkpoint.save_layer(LAYER, self.chances)
            self._has_changes = False
        self._last_save = time.monotonic()

    def remove(self) -> None:
        """Remove the file."""
        if self.checkpoint is not None:
            self.checkpoint.remove_layers()


def load_hands(path: str | os.PathLike[str], game: Game) -> dict[str, dict[str, Any]]:
    """Return the rules of a seat with each hand that a file lists, by the name of the hand.

    Each line has a hand, such as ``lucky*3, odd*3``, perhaps after its name and a colon. A hand without a name is
    called by its dice. Empty lines and comments that begin with ``#`` do not count.

    Args:
        path: the file.
        game: a game with a catalogue of dice.

    Raises:
        InputError: no such file, a game without a catalogue, a wrong hand, or a name that occurs twice; with the line.
    """
    if CATALOGUE_KEY not in game.rules:
        expand_hand({HAND_KEY: ""}, game.id)  # refuses the game
    catalogue = load_catalogue(game.rules[CATALOGUE_KEY])
    try:
        with open_regular_file(path) as file:
            content = file.read(MAX_FILE_BYTES).decode("utf-8-sig")
    except READ_ERRORS as error:
        raise InputError(f"cannot read {path}: {error_reason(error)}") from None
    hands = dict[str, dict[str, Any]]()
    lines = dict[str, int]()
    for number, line in enumerate(content.splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        name, colon, dice = text.rpartition(":")
        try:
            hand = format_hand(parse_hand(dice, catalogue))
        except HouseRuleError as error:
            raise InputError(f"{path}:{number}: {error}") from None
        name = name.strip() if colon else hand
        if not name:
            raise InputError(f"{path}:{number}: the name of a hand is missing before the colon")
        if name in lines:
            raise InputError(
                f"{path}:{number}: the hand {abbreviate(name)} is also in line {lines[name]}; leave one of them out"
            )
        hands[name], lines[name] = {HAND_KEY: hand}, number
    if not hands:
        raise InputError(f"{path} lists no hands: write one a line, such as lucky*3, odd*3")
    return hands
