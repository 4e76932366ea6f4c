"""The head start or the smaller target that makes a race of two players as even as possible.

All head starts are solved at once (``solvers.push.head_starts``). Each smaller target is a race of its own. The smaller
a player's target, the larger is this player's chance, so that few targets have to be solved.

Start reading at ``fairest_handicap``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

from .games import Game
from .games.badges import refuse_badges
from .games.families import load_module
from .games.ruleset import Rules
from .games.seat_rules import HEAD_START, SEAT_KEY
from .solvers import make_problem
from .solving.solve import solve_problem
from .solving.solved_problem import cpu_count
from .util.arguments import validate_arguments
from .util.errors import InputError, TooMuchError, abbreviate
from .util.progress_reporting import OpenEndedProgress, ProgressCallback, ProgressOption, progress_callback

TARGET = "target"
KINDS = (HEAD_START, TARGET)
EVEN = 0.5
EXPECTED_SOLVES = 3  # of races with a smaller target, for progress

Chances = tuple[float, float]  # of the player who begins, and of the other


@dataclass(frozen=True)
class Handicap:
    """The fairest handicap of a race of two players.

    Attributes:
        game: the game with the handicap.
        seat: the seat that is helped, from 1 for the player who begins.
        kind: the rule of this seat that helps: "head_start" or "target".
        points: the head start or the target of this seat; for no handicap, 0 or the target of the rules.
        chances: the chances of both players with this handicap.
        chances_without_handicap: the chances of both players without a handicap.
        next_points: the value on the other side of even chances; None if there is none.
        next_chances: the chances of both players with that value; None if there is none.
        error_bound: the largest possible error of a chance.
    """

    game: Game
    seat: int
    kind: str
    points: int
    chances: Chances
    chances_without_handicap: Chances
    next_points: int | None
    next_chances: Chances | None
    error_bound: float

    @property
    def is_needed(self) -> bool:
        """True if the race is more even with a handicap than without one."""
        return self.chances != self.chances_without_handicap

    @property
    def reaches_even(self) -> bool:
        """True if even chances are reached, or lie between this handicap and the next one."""
        return self.next_points is not None or abs(self.chances[0] - EVEN) <= self.error_bound

    @property
    def rule(self) -> str:
        """The handicap as the option ``--rule`` takes it: ``2:head_start=300``."""
        return f"{self.seat}:{self.kind}={self.points}"


class Handicaps(NamedTuple):
    """The fairest handicaps of both kinds.

    Attributes:
        head_start: the fairest head start.
        target: the fairest smaller target; None if no smaller targets are compared.
        refusal: why they are not compared; "" if they are.
    """

    head_start: Handicap
    target: Handicap | None
    refusal: str


@validate_arguments
def fairest_handicap(
    game: Game,
    kind: str = HEAD_START,
    *,
    threads: int | None = None,
    anyway: bool = False,
    progress: ProgressOption = False,
) -> Handicap:
    """Return the handicap of the weaker player that brings the chances of both players closest to even.

    If several do, up to the error bound, it is the smallest of them.

    Args:
        game: a push-your-luck race, whose two players may have rules of their own.
        kind: "head_start" for a head start, or "target" for a smaller target of the weaker player.
        threads: processor threads to use; all of them if None.
        anyway: solve a race even if that takes more than an hour or 8 GiB.
        progress: True shows a progress bar; a function is called with the share of the work that is done.

    Raises:
        InputError: the game is not a race of two players in which rules may differ by seat, or it has head starts.
        TooMuchError: a solve takes more than an hour or 8 GiB.
        SolveError: a solve did not reach its error bound.
    """
    if kind not in KINDS:
        raise InputError(f"unknown kind '{abbreviate(kind)}'; known: {', '.join(KINDS)}")
    search = _make_search(game, threads, anyway, progress)
    return search.head_start if kind == HEAD_START else search.by_target()


@validate_arguments
def fairest_handicaps(
    game: Game, *, threads: int | None = None, anyway: bool = False, progress: ProgressOption = False
) -> Handicaps:
    """Return the fairest head start and the fairest smaller target; for the arguments see ``fairest_handicap``.

    Raises:
        InputError: the game is not a race of two players in which rules may differ by seat, or it has head starts.
        TooMuchError: a solve takes more than an hour or 8 GiB.
        SolveError: a solve did not reach its error bound.
    """
    search = _make_search(game, threads, anyway, progress)
    try:
        return Handicaps(search.head_start, search.by_target(), "")
    except TooMuchError:
        raise
    except InputError as error:
        return Handicaps(search.head_start, None, str(error))


def _make_search(game: Game, threads: int | None, anyway: bool, progress: ProgressOption) -> _Search:
    """Return the search for the handicaps of a game, once it is known to be a race of two players."""
    if threads is not None and threads < 1:
        raise InputError(f"threads must be a whole number of at least 1, not {threads}")
    refuse_badges(game, "fair head starts cannot be computed")
    if not game.parts.head_starts or "win" not in game.objectives:
        name = f"{game.id}{game.parts.title_suffix}"
        raise InputError(f"a fair head start requires a push-your-luck race, such as pig, not {name}")
    if any(game.head_starts):
        raise InputError("the fairest head start is computed here: leave head_start out of the rules by seat")
    if game.named_seats > 2:
        raise InputError(f"fair chances are computed for two players: leave out the rules of seat {game.named_seats}")
    return _Search(game, threads or cpu_count(), anyway, progress_callback(progress, "finding the fairest handicap"))


class _Search:
    """The search for the fairest handicap of a race."""

    def __init__(self, game: Game, threads: int, anyway: bool, progress: ProgressCallback) -> None:
        self.game = game
        self.threads = threads
        self.anyway = anyway
        self.progress = progress
        self.seats = game.seat_games or (game, game)

    def with_rule(self, seat: int, key: str, points: int) -> Game:
        """Return the game with a rule of one seat; the other rules of the seat stay."""
        table: dict[str, Any] = Rules(self.game.rules).plain().get(SEAT_KEY, {})
        name = str(seat)
        return self.game.with_rules(seat={**table, name: {**table.get(name, {}), key: points}})

    @cached_property
    def head_start(self) -> Handicap:
        """The fairest head start."""
        problem = make_problem(self._with_any_head_start(), "win", 2)
        solve = load_module(problem.game.parts.head_starts).solve_head_starts
        solved = solve(problem, threads=self.threads, anyway=self.anyway, progress=self.progress)
        seat = _weaker_seat(solved.chances[0][0], solved.error_bound)
        points: list[int] = solved.head_starts[seat - 1].tolist()
        chances: list[float] = solved.chances[seat - 1].tolist()
        return self._best(seat, HEAD_START, dict(zip(points, chances, strict=True)), 0, solved.error_bound)

    def _with_any_head_start(self) -> Game:
        """Return the game with a head start of one unit, so that it has rules by seat.

        Raises:
            InputError: the game cannot have rules by seat, or no head start is below the target.
        """
        self.with_rule(2, HEAD_START, 0)  # refuses games that cannot have rules by seat
        grains = [game.data.grain for game in self.seats]
        seat = next((seat for seat in (1, 2) if grains[seat - 1] < self.seats[seat - 1].data.target), None)
        if seat is None:
            raise InputError(f"target={self.seats[0].data.target} is too small for a head start: use a larger target")
        return self.with_rule(seat, HEAD_START, grains[seat - 1])

    def by_target(self) -> Handicap:
        """Return the fairest smaller target.

        The search begins at the target that is smaller by the fairest head start: if a first bank needs no more points
        than any other, these two are the same race.

        Raises:
            InputError: the targets of both players must be the same under these rules; or a smaller one need not help,
                because the higher total wins or the target must be reached exactly.
        """
        if self.game.data.finish == "last_round":
            raise InputError(
                "a smaller target need not help with finish=last_round, because the higher total wins: use a head start"
            )
        if exact := next((game for game in self.seats if getattr(game.data, "finish", "") == "exact"), None):
            raise InputError(
                f"a smaller target can be harder to reach exactly: use a head start, or finish=at_least in {exact.id}"
            )
        shared = self.game.data
        if shared.grain < shared.target:
            try:
                self.with_rule(2, TARGET, shared.target - shared.grain)
            except InputError:
                raise InputError("under these rules both players need the same target: use a head start") from None
        by_head_start = self.head_start
        seat = by_head_start.seat
        data = self.seats[seat - 1].data
        sign = 1 if seat == 1 else -1  # of a change of the first player's chance that helps this seat
        step = OpenEndedProgress(self.progress, EXPECTED_SOLVES)
        error_bounds = [by_head_start.error_bound]

        @cache
        def chance_at(units: int) -> float:
            """Return the chance of the first player if the target is smaller by so many units."""
            problem = make_problem(self.with_rule(seat, TARGET, data.target - units * data.grain), "win", 2)
            solved = solve_problem(problem, threads=self.threads, fresh=True, anyway=self.anyway)
            error_bounds.append(solved.error_bound)
            step()
            return float(problem.seat_values(solved.value_table, [problem.playable.start()]).values[0, 0])

        def is_enough(units: int) -> bool:
            return units > 0 and sign * (chance_at(units) - EVEN) >= 0

        chances = {data.target: by_head_start.chances_without_handicap[0]}
        most_units = (data.target - 1) // data.grain
        if most_units:
            enough = _first_true(is_enough, by_head_start.points // data.grain, most_units)
            for units in {max(1, enough - 1), min(enough, most_units)}:
                chances[data.target - units * data.grain] = chance_at(units)
        return self._best(seat, TARGET, chances, data.target, max(error_bounds))

    def _best(
        self, seat: int, kind: str, chances: dict[int, float], unaided_points: int, error_bound: float
    ) -> Handicap:
        """Return the handicap with the chances closest to even; of those the error bound cannot tell apart, the least.

        Args:
            seat: the seat that is helped, from 1.
            kind: the rule of the seat that helps it.
            chances: by the value of this rule, the chance of the player who begins.
            unaided_points: the value that is no help.
            error_bound: the largest possible error of a chance.
        """
        values = sorted(chances, key=lambda value: abs(value - unaided_points))  # the smallest help first
        gaps = [abs(chances[value] - EVEN) for value in values]
        # Two gaps differ for certain if they differ by more than the errors of both.
        best = next(place for place, gap in enumerate(gaps) if gap <= min(gaps) + 2 * error_bound)
        points = values[best]
        is_even = gaps[best] <= error_bound
        beside = [] if is_even else values[max(0, best - 1) : best] + values[best + 1 : best + 2]
        opposite = [value for value in beside if (chances[value] - EVEN) * (chances[points] - EVEN) < 0]
        next_points = opposite[0] if opposite else None
        return Handicap(
            self.game if points == unaided_points else self.with_rule(seat, kind, points),
            seat,
            kind,
            points,
            _chances_of_both(chances[points]),
            _chances_of_both(chances[unaided_points]),
            next_points,
            None if next_points is None else _chances_of_both(chances[next_points]),
            error_bound,
        )


def _weaker_seat(first_chance: float, error_bound: float) -> int:
    """Return the seat, from 1, with the smaller chance; the first one if the error bound cannot tell."""
    return 2 if first_chance - EVEN > error_bound else 1


def _chances_of_both(first_chance: float) -> Chances:
    """Return the chances of both players, from that of the player who begins."""
    return first_chance, 1 - first_chance


def _first_true(is_true: Callable[[int], bool], guess: int, limit: int) -> int:
    """Return the smallest number from 1 to ``limit`` at which a monotone condition is true; ``limit`` + 1 if none.

    Galloping search from a guess, then bisection.

    Args:
        is_true: the condition, true from some number on.
        guess: a number that is probably near.
        limit: the largest number that is tried.
    """
    low, high = 0, limit + 1  # false at ``low``, true at ``high``
    place, step = min(max(1, guess), limit), 1
    while high - low > 1 and low < place < high:
        if is_true(place):
            high = place
            place -= step
        else:
            low = place
            place += step
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if is_true(middle):
            high = middle
        else:
            low = middle
    return high
