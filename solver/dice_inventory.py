"""Find the best hand of dice for a game among the dice that a player owns.

Hands are solved for the most expected points of a turn; see ``best_dice``. A kernel solves many hands at once if
turns have nothing but sets that add points (``solvers.push.hand_values``). Bounds then exclude most hands if only the
best ones are asked for, with and without a goal. Under other rules each hand is solved as a game of its own.
"""

from __future__ import annotations

import itertools
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent import futures
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .games import Game, own_game
from .games import game as default_game
from .games.badges import refuse_badges
from .games.dice_catalogue import WILD_FACE, Catalogue, expand_hand, pad_weights
from .games.dice_keys import DICE_KEYS, HAND_KEY
from .games.families import FAMILIES, load_module
from .games.push_rules import DieKind, PushRules
from .games.ruleset import Rules
from .games.seat_rules import SEAT_KEY
from .solvers import make_problem
from .solvers.problem import Problem
from .solvers.solve_costs import (
    ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES,
    SolveCost,
    announce_cost,
    check_cost,
    refuse_excessive_cost,
)
from .storage.checkpoints import Checkpoint
from .storage.files import check_writable
from .util.arguments import validate_arguments
from .util.errors import InputError, abbreviate, argument
from .util.integers import parse_whole_number
from .util.number_format import format_count
from .util.progress_reporting import ProgressCallback, ProgressOption, progress_callback
from .util.threads import ThreadPool

HAND_SECONDS = 0.1  # empirical: to solve a hand of six dice of two kinds; the table of rolls is made only once
COMPILE_SECONDS = 0.003  # empirical: to compile a game with a hand, times its weight
LEAST_SECONDS = 1e-6  # of a solve, in estimates
HAND_WEIGHT = 15  # product of (dice of a kind + 1) of such a hand
OBJECTIVES = ("points", "turns", "win")
BOUND_ROUNDING = 1e-12  # more than the relative rounding error of a quotient
SHARED_HAND_SECONDS = 0.0024  # empirical: to solve a hand of six dice together with others, on one thread
LAP_BOUND_SECONDS = 0.0002  # empirical: to compare such a hand with a cutoff by the bound of one lap
PLAIN = "plain"  # what dice without a name are called
ALSO = "/"  # between the names of kinds with equal weights

CHUNK = 128  # hands that a thread solves or bounds at once
LAP_CHUNK = 1024  # hands that a thread bounds by one lap at once
TIMED_CHUNKS = 4  # chunks from which the time of all others is estimated
LEAST_HANDS_PER_RESULT = 4  # hands for each one to return, from which bounds save more time than they take
LAP_SHARE = 0.7  # the share of progress after the first bounds of one lap
BOUND_SHARE = 0.8  # the share of progress after all bounds
SECONDS_BETWEEN_SAVES = 20.0  # between two writes of a checkpoint
LAYER = "hands"  # the name of the solved hands in a checkpoint
EXCLUDED_LAYER = "excluded"  # the name of the hands that a bound excludes
UNSOLVED = -1.0  # the points of a hand that is not solved yet


def _hand_solver() -> Any:
    """Return the class that solves many hands of a push-your-luck game at once."""
    return load_module(FAMILIES["push"].hands).HandSolver


@dataclass(frozen=True)
class Hand:
    """A hand of dice and its value.

    Attributes:
        dice: the number of dice by the name of their kind.
        value: the largest expected points of a turn; for ``turns`` the fewest expected turns, for ``win`` the chance to
            win of the player who begins.
        error_bound: the largest possible error of ``value``.
    """

    dice: dict[str, int]
    value: float
    error_bound: float

    @property
    def points(self) -> float:
        """The value, which is in points for the objective ``points``."""
        return self.value


def hand_rules(game: Game) -> PushRules:
    """Return the rules of a push-your-luck game from a rule file; raise InputError for any other game."""
    if not isinstance(game.data, PushRules) or "name" not in game.rules:
        raise InputError(
            f"{game.id} is not a push-your-luck game from a rule file; give another rule file, such as kingdom-come"
        )
    refuse_badges(game, "hands of dice cannot be compared")
    return game.data


class HandCount(NamedTuple):
    """The number of hands, and the sum of their weights; the time to solve a hand is proportional to its weight.

    The weight of a hand is the product over its kinds of (dice of the kind + 1).
    """

    hands: int
    total_weight: int


def count_hands(own: Sequence[DieKind], size: int) -> HandCount:
    """Count the hands of `size` dice, and sum their weights.

    Dynamic programming over the kinds, without a list of hands, so that it is fast for many kinds.
    """
    hands, weights = [1] + [0] * size, [1] + [0] * size  # by number of dice, of the kinds so far
    for kind in own:
        counts = range(min(kind.count, size) + 1)
        hands = [sum(hands[dice - count] for count in counts if count <= dice) for dice in range(size + 1)]
        weights = [
            sum((count + 1) * weights[dice - count] for count in counts if count <= dice) for dice in range(size + 1)
        ]
    return HandCount(hands[size], weights[size])


def enumerate_hands(max_counts: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """Yield the hands of `size` dice, as counts by kind of at most `max_counts`, in lexicographic order."""
    if not max_counts:
        yield from [()] if not size else []
        return
    first_max, *rest_max = max_counts
    for count in range(max(0, size - sum(rest_max)), min(first_max, size) + 1):
        yield from ((count, *rest_counts) for rest_counts in enumerate_hands(rest_max, size - count))


def merge_equal_kinds(own: Sequence[DieKind]) -> tuple[DieKind, ...]:
    """Return kinds of dice that differ: kinds with equal weights become one, which bears all of their names."""
    kinds_by_weights: dict[tuple[int, ...], list[DieKind]] = {}
    for kind in own:
        divisor = math.gcd(*kind.weights)
        kinds_by_weights.setdefault(tuple(weight // divisor for weight in kind.weights), []).append(kind)
    return tuple(
        DieKind(ALSO.join(kind.name or PLAIN for kind in alike), sum(kind.count for kind in alike), weights)
        if len(alike) > 1
        else alike[0]
        for weights, alike in kinds_by_weights.items()
    )


def fit_wild_faces(game: Game, own: Sequence[DieKind]) -> tuple[Game, tuple[DieKind, ...]]:
    """Return a game and dice with equal faces: a wild face is added to the game, or to dice that do not have it.

    The game's rules spell its dice out: they have no hand.

    Args:
        game: a push-your-luck game from a rule file.
        own: kinds of dice, perhaps from a catalogue, with one weight more if they have a wild face.
    """
    rules = Rules(game.rules).plain()
    if HAND_KEY in rules:
        game = own_game(expand_hand(rules, game.id).rules)
    kinds = [*own, *(kind for seat_game in (game, *game.seat_games) for kind in hand_rules(seat_game).die_kinds)]
    most_faces = max(len(kind.weights) for kind in kinds)
    data = hand_rules(game)
    if most_faces == len(data.faces) + 1 and not data.wild:
        rules = {key: value for key, value in Rules(game.rules).plain().items() if key not in ("dice", "weights")}
        dice = [_padded_kind(kind, most_faces) for kind in data.die_kinds]
        rules |= {"faces": [*data.faces, WILD_FACE], "wild": WILD_FACE}
        game = own_game({**rules, "die": _die_tables([(kind, kind.count) for kind in dice])})
    return game, tuple(_padded_kind(kind, len(hand_rules(game).faces)) for kind in own)


def _padded_kind(kind: DieKind, faces: int) -> DieKind:
    """Return dice of a kind with weights for so many faces."""
    return replace(kind, weights=tuple(pad_weights(kind.weights, faces)))


@validate_arguments
def best_dice(
    game: Game,
    own: Sequence[DieKind],
    *,
    objective: str = "points",
    goal: int | None = None,
    max_hands: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    anyway: bool = False,
    progress: ProgressOption = False,
) -> list[Hand]:
    """Rank the hands that can be made of the dice that a player owns, the best first.

    For ``win`` every hand is solved. For ``points`` and ``turns`` a hand is solved unless a bound shows that it is
    worse than those that are returned. Kinds of dice with equal weights count as one, so no hand is listed twice.

    Args:
        game: a push-your-luck game from a rule file, which states how many dice are played.
        own: the kinds of dice that the player owns, and how many of each.
        objective: "points" of a turn; "turns", the fewest to the target; or "win" against an opponent who plays second
            with the dice of the game, or with those of its seat 2.
        goal: the points that the player still needs: a bank is worth no more. None if every point counts.
        max_hands: the largest number of hands to return, at least 1; None for all.
        checkpoint: a file in which finished hands are kept. Another call with the same file goes on from there.
        threads: processor threads to use; all of them if None.
        anyway: solve the hands even if that takes more than an hour.
        progress: True shows a progress bar; a function is called with the share of the work that is done.

    Raises:
        InputError: ``max_hands`` is below 1, there are too few dice, the game is not from a rule file, or its turns
            have more than sets that add points. For points, ``goal`` and ``checkpoint`` require such turns.
        TooMuchError: solving all hands takes more than an hour.
    """
    if max_hands is not None:
        max_hands = parse_whole_number(max_hands, "max_hands")
        if max_hands < 1:
            raise InputError(f"max_hands must be at least 1, not {max_hands}; leave it out for all hands")
    report = progress_callback(progress, "ranking hands")
    threads = threads or os.cpu_count() or 1
    game, own = fit_wild_faces(game, own)
    rules = hand_rules(game)
    size = rules.hand_size(rules.dice)
    owned_count = sum(kind.count for kind in own)
    if owned_count < size:
        raise InputError(
            f"a hand requires {size} dice, but only {format_count(owned_count, 'die')} can be chosen; list more"
        )
    for kind in own:
        if len(kind.weights) != len(rules.faces):
            raise InputError(
                f"the die {kind.name or PLAIN} has {format_count(len(kind.weights), 'weight')}, but dice of this game"
                f" have {format_count(len(rules.faces), 'face')}: give each face a weight"
            )
    own = merge_equal_kinds(own)
    is_plain = _hand_solver().can_solve(rules, [kind.weights for kind in own], size)
    if objective != "points":
        _check_objective(objective, goal)
        solved_hands = max_hands if is_plain else None
        return _GameRanking(game, own, objective, checkpoint, threads).best(solved_hands, anyway, report)[:max_hands]
    if is_plain:
        ranking = _HandRanking(game, own, goal, checkpoint, threads)
        return ranking.best(max_hands, anyway, report)
    if goal is not None or checkpoint is not None:
        option = argument("goal" if goal is not None else "checkpoint")
        raise InputError(
            f"{option} requires plain rules, in which sets add points and nothing else happens; leave {option} out"
        )
    return _solve_each(game, own, size, anyway, report)[:max_hands]


def _check_objective(objective: str, goal: int | None) -> None:
    """Refuse an unknown objective, and a goal for another objective than points.

    Raises:
        InputError: there is one of them.
    """
    if objective not in OBJECTIVES:
        raise InputError(f"unknown objective '{abbreviate(objective)}'; known: {', '.join(OBJECTIVES)}")
    if goal is not None:
        raise InputError(f"{argument('goal')} requires the objective points; leave {argument('goal')} out")


class _GameRanking:
    """All hands of an inventory for turns or the win, each solved as a game."""

    def __init__(
        self,
        game: Game,
        own: Sequence[DieKind],
        objective: str,
        checkpoint: str | os.PathLike[str] | None,
        threads: int,
    ) -> None:
        """List the hands, and read those that a checkpoint has.

        Args:
            game: the game.
            own: the kinds of dice, which differ.
            objective: "turns" or "win".
            checkpoint: a file in which finished hands are kept; None to keep none.
            threads: processor threads to use.
        """
        self.game = game
        self.own = own
        self.objective = objective
        self.threads = threads
        size = hand_rules(game).hand_size(hand_rules(game).dice)
        self.counts = list(enumerate_hands([min(kind.count, size) for kind in own], size))
        self.values = np.full((2, len(self.counts)), UNSOLVED)  # values, and error bounds
        self.checkpoint = None
        if checkpoint is not None:
            check_writable(checkpoint)
            kinds = [[kind.name, kind.count, *kind.weights] for kind in own]
            key = {"hands of": kinds, "objective": objective, "rules": Rules(game.rules).plain()}
            self.checkpoint = Checkpoint(checkpoint, key)
            solved = self.checkpoint.load_layer(LAYER, self.values.shape, UNSOLVED, math.inf)
            if solved is not None:
                self.values = np.array(solved)

    def best(self, max_hands: int | None, anyway: bool, progress: ProgressCallback) -> list[Hand]:
        """Return the solved hands, the best first. For turns, a bound may show that the others are worse.

        Args:
            max_hands: for turns, how many of the best hands have to be solved; None for all.
            anyway: solve the hands even if that takes more than an hour.
            progress: called with the fraction of the hands that are solved or excluded.
        """
        has_bounds = self.objective == "turns" and max_hands is not None
        hand_count = len(self.counts)
        least_turns = np.zeros(hand_count)
        if has_bounds:
            least_turns = _least_turns(hand_rules(self.game), self.own, self.counts)
        order = np.argsort(least_turns, kind="stable").tolist()
        unsolved = [place for place in order if self.values[0, place] == UNSOLVED]
        if unsolved:
            task = f"solving {format_count(len(unsolved), 'hand')} for {self.objective}"
            counts = [self.counts[place] for place in unsolved]
            cost = estimate_games(self.game, self.own, counts, self.objective, self.threads)
            refuse_excessive_cost(task, cost, anyway)
            announce_cost(task, cost, "" if max_hands is None else " at most")
        last_save = time.monotonic()
        try:
            for number, place in enumerate(unsolved, hand_count - len(unsolved) + 1):
                # A hand with more turns at least than the last of the best takes is worse, and so are all later hands.
                if has_bounds and max_hands is not None and least_turns[place] > self._most_turns_of_best(max_hands):
                    break
                self._solve(place)
                progress(number / hand_count)
                if time.monotonic() - last_save > SECONDS_BETWEEN_SAVES:
                    self._save()
                    last_save = time.monotonic()
        finally:
            self._save()
        progress(1.0)
        return self._solved_hands()

    def _most_turns_of_best(self, max_hands: int) -> float:
        """Return the turns, with their error, of the last of the best solved hands; infinity if fewer are solved."""
        values, error_bounds = self.values[:, self.values[0] != UNSOLVED]
        if len(values) < max_hands:
            return math.inf
        last = np.argsort(values, kind="stable")[max_hands - 1]
        return float(values[last] + error_bounds[last])

    def _solve(self, place: int) -> None:
        """Solve the game of one hand, and write its value."""
        hand_game = make_hand_game(self.game, self.own, self.counts[place])
        problem = make_hand_problem(hand_game, self.objective, self.game)
        table = problem.solve(self.threads, lambda share: None)
        value = float(problem.seat_values(table, [problem.playable.start()]).values[0, 0])
        self.values[:, place] = value, table.error_bound

    def _save(self) -> None:
        """Write the checkpoint, if there is one."""
        if self.checkpoint is not None:
            self.checkpoint.save_layer(LAYER, self.values)

    def _solved_hands(self) -> list[Hand]:
        """Return the solved hands, the best first."""
        hands = []
        for place in np.flatnonzero(self.values[0] != UNSOLVED).tolist():
            named = zip(self.own, self.counts[place], strict=True)
            dice = {kind.name or PLAIN: count for kind, count in named if count}
            hands.append(Hand(dice, *self.values[:, place].tolist()))
        sign = 1 if self.objective == "turns" else -1
        return sorted(hands, key=lambda hand: sign * hand.value)


def estimate_games(
    game: Game, own: Sequence[DieKind], counts: Sequence[Sequence[int]], objective: str, threads: int
) -> SolveCost:
    """Estimate the cost of solving a game for each hand, from a few of the hands.

    The time of a hand grows with a power of its weight (``HandCount``), because the hands that may be left during a
    turn are as many. So the logarithms of the times of a few hands are interpolated linearly.

    Args:
        game: the game.
        own: the kinds of dice.
        counts: by hand, the number of dice of each kind.
        objective: "turns" or "win".
        threads: processor threads to use.
    """
    weights = [math.prod(count + 1 for count in hand) for hand in counts]
    hand_by_weight = dict(zip(weights, counts, strict=True))
    distinct = sorted(hand_by_weight)
    sampled = sorted({distinct[0], distinct[len(distinct) // 2], distinct[-1]})
    costs = [
        make_hand_problem(make_hand_game(game, own, hand_by_weight[weight]), objective, game).estimate_cost(threads)
        for weight in sampled
    ]
    log_seconds = [math.log(max(LEAST_SECONDS, cost.seconds)) for cost in costs]
    log_weights = [math.log(weight) for weight in weights]
    log_sampled = [math.log(weight) for weight in sampled]
    solve_seconds = math.fsum(map(math.exp, np.interp(log_weights, log_sampled, log_seconds)))
    compile_seconds = COMPILE_SECONDS * (sum(weights) + len(weights))
    return SolveCost(bytes=max(cost.bytes for cost in costs), seconds=solve_seconds + compile_seconds)


def _least_turns(rules: PushRules, own: Sequence[DieKind], counts: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """Return lower bounds of the turns to the target, by hand.

    Let v be the most expected points of a turn with a hand, if a bank is worth no more than the target. Whatever the
    score is, no turn adds more on average to the score, capped at the target. So a game takes target / v turns or more.

    Args:
        rules: the rules.
        own: the kinds of dice.
        counts: by hand, the number of dice of each kind.
    """
    kinds = np.array([[kind for kind, count in enumerate(hand) for _ in range(count)] for hand in counts])
    solver = _hand_solver()(rules, [kind.weights for kind in own], kinds.shape[1])
    points, error_bounds = solver.solve(kinds, 1, rules.target)
    return np.asarray(rules.target / (points + error_bounds) * (1 - BOUND_ROUNDING))


def make_hand_problem(hand_game: HandGame, objective: str, game: Game) -> Problem[Any]:
    """Return the problem of a hand; for the win, against the dice of a game or of its seat 2."""
    if objective == "turns":
        return make_problem(hand_game.game, objective)
    opponent: PushRules = (game.seat_games[1] if game.seat_games else game).data
    faces = len(hand_rules(hand_game.game).faces)
    dice = _die_tables([(_padded_kind(kind, faces), kind.count) for kind in opponent.die_kinds])
    return make_problem(hand_game.game.with_rules(seat={"2": {"die": dice}}), "win", 2)


def _solve_each(game: Game, own: Sequence[DieKind], size: int, anyway: bool, progress: ProgressCallback) -> list[Hand]:
    """Rank all hands, each solved by itself."""
    hand_count, total_weight = count_hands(own, size)
    task = f"solving {format_count(hand_count, 'hand')}"
    cost = SolveCost(bytes=0.0, seconds=HAND_SECONDS * total_weight / HAND_WEIGHT)
    refuse_excessive_cost(task, cost, anyway)
    hand_games = _hand_games(game, own, size)  # before the cost is announced: a hand that cannot be solved is refused
    announce_cost(task, cost)
    hands = []
    for number, hand_game in enumerate(hand_games, 1):
        hands.append(_solve_hand(hand_game))
        progress(number / len(hand_games))
    return sorted(hands, key=lambda hand: -hand.points)


def list_hands(max_counts: Sequence[int], size: int) -> NDArray[np.uint8]:
    """Return all hands of ``size`` dice as the kinds of their dice: (hands, size).

    Dice of one kind stand next to each other. Kinds with more dice come first, so that hands with equally many dice of
    their kinds have equal dice at the same places.

    Args:
        max_counts: by kind, how many dice there are.
        size: the number of dice of a hand.
    """
    hands = [np.zeros((0 if dice else 1, dice), dtype=np.uint8) for dice in range(size + 1)]  # of the kinds so far
    for kind, max_count in enumerate(max_counts):
        hands = [
            np.concatenate(
                [
                    np.pad(hands[dice - count], ((0, 0), (0, count)), constant_values=kind)
                    for count in range(min(max_count, dice) + 1)
                ]
            )
            for dice in range(size + 1)
        ]
    all_hands = hands[size]
    same_kind = (all_hands[:, :, None] == all_hands[:, None, :]).sum(axis=2)  # by die, the dice of its kind
    order = np.argsort(-same_kind.astype(np.int8), axis=1, kind="stable")
    return np.take_along_axis(all_hands, order, axis=1)


def _cut(hands: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """Return some hands in parts of ``size`` hands, the last of which may have fewer."""
    return [hands[first : first + size] for first in range(0, len(hands), size)]


_Function = Callable[[NDArray[np.int64]], None]


class _Work(NamedTuple):
    """Work of many parts, which threads do.

    Attributes:
        task: what is done, as the beginning of a sentence.
        function: does one part, given its hands, as indices.
        parts: the hands of each part.
        finished: the number of parts that are done already, and not among ``parts``.
        total: the number of all parts.
    """

    task: str
    function: _Function
    parts: Sequence[NDArray[np.int64]]
    finished: int
    total: int


class _HandRanking:
    """All hands of an inventory, solved many at once."""

    def __init__(
        self,
        game: Game,
        own: Sequence[DieKind],
        goal: int | None,
        checkpoint: str | os.PathLike[str] | None,
        threads: int,
    ) -> None:
        rules = hand_rules(game)
        size = rules.hand_size(rules.dice)
        self.game = game
        self.own = own
        self.threads = threads
        self.goal = math.inf if goal is None else float(goal)
        self.min_bank = _min_bank(rules)
        self.solver = _hand_solver()(rules, [kind.weights for kind in own], size)
        self.hands = list_hands([kind.count for kind in own], size)
        self.values = np.full((2, len(self.hands)), UNSOLVED)  # points, and error bounds
        self.is_excluded = np.zeros(len(self.hands) + 1)  # 1 for a hand that a bound excludes; last: from how many
        self.has_unsaved = False  # whether hands were solved or excluded that are in no checkpoint
        self.checkpoint = None
        if checkpoint is not None:
            check_writable(checkpoint)
            kinds = [[kind.name, kind.count, *kind.weights] for kind in own]
            turn_rules = repr((rules.patterns, rules.set_aside, rules.then_leave, self.min_bank, size))
            self.checkpoint = Checkpoint(checkpoint, {"hands of": kinds, "goal": goal, "turns": turn_rules})
            solved = self.checkpoint.load_layer(LAYER, self.values.shape, UNSOLVED, math.inf)
            if solved is not None:
                self.values = np.array(solved)
            excluded = self.checkpoint.load_layer(EXCLUDED_LAYER, self.is_excluded.shape, 0.0, math.inf)
            if excluded is not None:
                self.is_excluded = np.array(excluded)

    def best(self, max_hands: int | None, anyway: bool, progress: ProgressCallback) -> list[Hand]:
        """Return the best hands, after all others are solved or excluded by a bound.

        Args:
            max_hands: the largest number of hands to return; None for all.
            anyway: solve the hands even if that takes more than an hour.
            progress: called with the fraction of the work that is done.
        """
        task = f"solving {format_count(len(self.hands), 'hand')}"
        has_bounds = (
            max_hands is not None
            and len(self.hands) >= LEAST_HANDS_PER_RESULT * max_hands
            and bool((self.values[0] == UNSOLVED).any())
        )
        seconds = LAP_BOUND_SECONDS if has_bounds else SHARED_HAND_SECONDS
        cost = SolveCost(bytes=0.0, seconds=seconds * len(self.hands) / self.threads)
        refuse_excessive_cost(task, cost, anyway)
        chunks = self._chunks_best_first()
        try:
            with ThreadPool(self.threads) as pool:
                if has_bounds and max_hands is not None:
                    self._solve_unless_excluded(pool, chunks, max_hands, task, anyway, progress)
                else:
                    unsolved = [chunk for chunk in chunks if self._is_unsolved(chunk)]
                    work = _Work(task, self._solve_chunk, unsolved, len(chunks) - len(unsolved), len(chunks))
                    self._do_timed(pool, work, anyway, progress)
        finally:
            self._save()
        points, error_bounds = self.values
        order = np.argsort(-points, kind="stable")[:max_hands]
        return [
            Hand(self._dice(self.hands[hand]), float(points[hand]), float(error_bounds[hand]))
            for hand in order.tolist()
        ]

    def _dice(self, hand: NDArray[np.uint8]) -> dict[str, int]:
        """Return the number of dice of a hand by the name of their kind, in the order of the inventory."""
        kinds, counts = np.unique(hand, return_counts=True)
        return {
            self.own[kind].name or PLAIN: count for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True)
        }

    def _save(self) -> None:
        """Write the checkpoint, if there is one and it lacks hands that are solved or excluded."""
        if self.checkpoint is not None and self.has_unsaved:
            self.has_unsaved = False
            self.checkpoint.save_layer(LAYER, self.values)
            self.checkpoint.save_layer(EXCLUDED_LAYER, self.is_excluded)

    def _is_unsolved(self, hands: NDArray[np.int64]) -> bool:
        """Return whether any of some hands is not solved."""
        return bool((self.values[0, hands] == UNSOLVED).any())

    def _chunks_best_first(self) -> list[NDArray[np.int64]]:
        """Return all hands in chunks, those whose dice are worth most by themselves first."""
        size = self.hands.shape[1]
        alike = np.repeat(np.arange(len(self.own), dtype=np.uint8)[:, None], size, axis=1)
        worth = self.solver.solve(alike, self.min_bank, self.goal).points
        worth = np.where(np.isnan(worth), math.inf, worth)
        order = np.argsort(-worth[self.hands].sum(axis=1), kind="stable")
        return _cut(order, CHUNK)

    def _solve_unless_excluded(
        self,
        pool: ThreadPool,
        chunks: Sequence[NDArray[np.int64]],
        max_hands: int,
        task: str,
        anyway: bool,
        progress: ProgressCallback,
    ) -> None:
        """Solve the hands that may be among the best, after bounds exclude most others.

        1. The hands whose dice are worth most by themselves are solved, enough of them for a cutoff.
        2. All other hands are compared with the cutoff by the bound of one lap (``HandSolver.bound_by_lap``).
        3. Of those left, the hands with the largest such numbers are solved. With the new cutoff step 2 is repeated.
        4. Without a goal, convex bounds of the hands that are left are computed (``HandSolver.bound``).
        5. Hands are solved by blocks, those with the largest bounds first. A block is left out if all of its bounds are
           below the points of enough solved hands.

        Args:
            pool: the threads.
            chunks: all hands, in the chunks whose blocks are solved together.
            max_hands: how many of the best hands have to be solved.
            task: what is done, as the beginning of a sentence.
            anyway: solve the hands even if that takes more than an hour.
            progress: called with the fraction of the work that is done.
        """
        bounds = np.full(len(self.hands), math.inf)
        cutoff = -math.inf

        def compare_chunk(chunk: NDArray[np.int64]) -> None:
            bounds[chunk] = self.solver.bound_by_lap(self.hands[chunk], self.min_bank, self.goal, cutoff)
            self.is_excluded[chunk] = bounds[chunk] < cutoff
            self.has_unsaved = True

        def bound_chunk(chunk: NDArray[np.int64]) -> None:
            bounds[chunk] = self.solver.bound(self.hands[chunk], self.min_bank)

        def solve_unless_excluded(block: NDArray[np.int64]) -> None:
            if bounds[block].max() >= self._worst_of_best(max_hands):
                self._solve_chunk(block)

        def do(task: str, function: _Function, parts: Sequence[NDArray[np.int64]], start: float, end: float) -> None:
            work = _Work(task, function, parts, 0, len(parts))
            self._do_timed(pool, work, anyway, lambda share: progress(start + (end - start) * share))

        first_chunks = [chunk for chunk in chunks[: -(-max_hands // CHUNK)] if self._is_unsolved(chunk)]
        do("solving the first hands", self._solve_chunk, first_chunks, 0.0, 0.0)
        cutoff = self._worst_of_best(max_hands)
        if self.is_excluded[-1] < max_hands:  # an earlier run was asked for fewer hands, so that it excluded more
            self.is_excluded[:] = 0.0
            self.is_excluded[-1] = max_hands
        left = np.flatnonzero((self.values[0] == UNSOLVED) & (self.is_excluded[:-1] == 0))
        do(task, compare_chunk, self._cut_by_faces(left), 0.0, LAP_SHARE)
        left = left[bounds[left] >= cutoff]

        blocks = [chunk[block] for chunk in chunks for block in self.solver.cut_into_blocks(self.hands[chunk])]
        blocks = self._blocks_with(blocks, left, bounds)
        # Every block has a hand, so this many blocks solve enough hands to exclude others.
        largest = blocks[:max_hands]
        do("solving the hands of the largest bounds", self._solve_chunk, largest, LAP_SHARE, LAP_SHARE)
        cutoff = self._worst_of_best(max_hands)
        left = left[self.values[0, left] == UNSOLVED]
        do("comparing the hands that are left", compare_chunk, self._cut_by_faces(left), LAP_SHARE, LAP_SHARE)
        left = left[bounds[left] >= cutoff]

        bounds[left] = math.inf  # what a lap says of these hands bounds nothing
        if self.goal == math.inf:
            do("bounding the hands that are left", bound_chunk, _cut(left, CHUNK), LAP_SHARE, BOUND_SHARE)
            left = left[bounds[left] >= cutoff]
        blocks = self._blocks_with(blocks, left, bounds)
        do("solving the hands that no bound excludes", solve_unless_excluded, blocks, BOUND_SHARE, 1.0)
        progress(1.0)

    def _cut_by_faces(self, hands: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return some hands in parts for the bound of one lap.

        Hands that can show the same faces stand together, because fewer faces take less time.
        """
        shown_faces = self.solver.list_shown_faces(self.hands[hands])
        return _cut(hands[np.lexsort(shown_faces.T)], LAP_CHUNK)

    def _blocks_with(
        self, blocks: Sequence[NDArray[np.int64]], left: NDArray[np.int64], bounds: NDArray[np.float64]
    ) -> list[NDArray[np.int64]]:
        """Return the blocks that have any of the hands that are left, those with the largest bound first.

        Args:
            blocks: the hands of each block.
            left: the hands that are left, whose bounds alone count.
            bounds: by hand, its bound.
        """
        bounds_left = np.full(len(self.hands), -math.inf)
        bounds_left[left] = bounds[left]
        largest = [float(bounds_left[block].max()) for block in blocks]
        order = sorted(range(len(blocks)), key=lambda number: -largest[number])
        return [blocks[number] for number in order if largest[number] > -math.inf]

    def _worst_of_best(self, count: int) -> float:
        """Return the points of the last of the best solved hands; minus infinity if fewer are solved.

        Args:
            count: the number of the best hands.
        """
        points = self.values[0][self.values[0] != UNSOLVED]
        return float(np.sort(points)[-count]) if len(points) >= count else -math.inf

    def _do_timed(self, pool: ThreadPool, work: _Work, anyway: bool, progress: ProgressCallback) -> None:
        """Do some work; if it has many parts, the first ones tell how long the others take.

        Args:
            pool: the threads.
            work: the work.
            anyway: do it even if it takes more than an hour.
            progress: called with the fraction of the work that is done.

        Raises:
            TooMuchError: it takes more than an hour.
        """
        if len(work.parts) > TIMED_CHUNKS:
            start = time.perf_counter()
            self._do(pool, work._replace(parts=work.parts[:TIMED_CHUNKS]), progress)
            seconds = (time.perf_counter() - start) / TIMED_CHUNKS * (len(work.parts) - TIMED_CHUNKS)
            cost = SolveCost(bytes=0.0, seconds=seconds)
            check_cost(work.task, cost, anyway, min_seconds=ANNOUNCED_SECONDS_OF_TIMED_ESTIMATES)
            work = work._replace(parts=work.parts[TIMED_CHUNKS:], finished=work.finished + TIMED_CHUNKS)
        self._do(pool, work, progress)

    def _do(self, pool: ThreadPool, work: _Work, progress: ProgressCallback) -> None:
        """Do all parts of some work, and save the checkpoint now and then.

        Args:
            pool: the threads.
            work: the work.
            progress: called with the fraction of the work that is done.
        """
        waiting = iter(work.parts)
        running = {pool.submit(work.function, part) for part in itertools.islice(waiting, 2 * self.threads)}
        finished = work.finished
        last_save = time.monotonic()
        try:
            while running:
                finished_futures, running = futures.wait(running, return_when=futures.FIRST_COMPLETED)
                for future in finished_futures:
                    finished += 1
                    future.result()
                    if (part := next(waiting, None)) is not None:
                        running.add(pool.submit(work.function, part))
                progress(finished / work.total)
                if time.monotonic() - last_save > SECONDS_BETWEEN_SAVES:
                    self._save()
                    last_save = time.monotonic()
        finally:
            for future in running:
                future.cancel()

    def _solve_chunk(self, chunk: NDArray[np.int64]) -> None:
        """Solve some hands, and write their values."""
        solved = self.solver.solve(self.hands[chunk], self.min_bank, self.goal)
        for place in np.flatnonzero(np.isnan(solved.points)).tolist():
            alone = self._solve_alone(self.hands[chunk[place]])
            solved.points[place], solved.error_bounds[place] = alone.points, alone.error_bound
        self.values[1, chunk] = solved.error_bounds  # first, because a hand with points counts as solved
        self.values[0, chunk] = solved.points
        self.has_unsaved = True

    def _solve_alone(self, hand: NDArray[np.uint8]) -> Hand:
        """Solve a hand that hardly ever busts as a game of its own.

        Raises:
            InputError: it cannot be solved at all.
        """
        counts = np.bincount(hand, minlength=len(self.own)).tolist()
        hand_game = make_hand_game(self.game, self.own, counts)
        if self.goal < math.inf:
            raise InputError(f"the hand {describe_dice(hand_game.dice)} hardly ever busts: use a smaller goal")
        return _solve_hand(hand_game)


def value_dice(game: Game, catalogue: Catalogue) -> dict[str, float]:
    """Return the worth of each die: the most expected points of a turn with it and otherwise the first die listed.

    Args:
        game: a push-your-luck game from a rule file.
        catalogue: the dice; the first of them is the ordinary die.
    """
    if _without_dice(game) == _without_dice(default_game(catalogue.name)):
        return dict(catalogue.worth)
    return solve_dice(game, catalogue)


def _without_dice(game: Game) -> dict[str, Any]:
    """Return the rules on which the worth of dice depends: without the dice themselves, the target and names."""
    names = ("name", "title", "target", "dice", SEAT_KEY, HAND_KEY, *DICE_KEYS)
    return {key: value for key, value in Rules(game.rules).plain().items() if key not in names}


def solve_dice(game: Game, catalogue: Catalogue) -> dict[str, float]:
    """Return the worth of each die by a solve of all hands; see ``value_dice``."""
    names = list(dict.fromkeys(map(catalogue.first_name, catalogue.weights)))
    game, kinds = fit_wild_faces(game, [DieKind(name, 1, catalogue.weights[name]) for name in names])
    rules, other_count = hand_rules(game), catalogue.size - 1
    if _hand_solver().can_solve(rules, [kind.weights for kind in kinds], catalogue.size):
        solver = _hand_solver()(rules, [kind.weights for kind in kinds], catalogue.size)
        hands = np.array([[0] * other_count + [number] for number in range(len(names))], dtype=np.uint8)
        points = solver.solve(hands, _min_bank(rules)).points.tolist()
    else:
        counts = [[other_count * (kind is kinds[0]) + (kind is other_kind) for kind in kinds] for other_kind in kinds]
        points = [_solve_hand(make_hand_game(game, kinds, count)).points for count in counts]
    worth = dict(zip(names, points, strict=True))
    return {name: worth[catalogue.first_name(name)] for name in catalogue.weights}


def _min_bank(rules: PushRules) -> int:
    """Return the fewest points of a bank that counts, in units."""
    return -(-max(1, rules.opening, rules.minimum) // rules.grain)  # rounded up


def describe_dice(dice: Mapping[str, int]) -> str:
    """Return the dice of a hand in words: ``2 plain, 4 lucky``."""
    return ", ".join(f"{count} {name}" for name, count in dice.items())


class HandGame(NamedTuple):
    """A hand, as the number of dice by kind, and the game that is played with it."""

    dice: dict[str, int]
    game: Game


def _solve_hand(hand_game: HandGame) -> Hand:
    problem = make_problem(hand_game.game, "points")
    value_table = problem.solve(1, lambda share: None)
    points = problem.seat_values(value_table, [problem.playable.start()]).values[0, 0]
    return Hand(hand_game.dice, float(points), value_table.error_bound)


def _hand_games(game: Game, own: Sequence[DieKind], size: int) -> list[HandGame]:
    """Return all hands with their games.

    Raises:
        InputError: a hand is not allowed, for example because it is too large to solve.
    """
    hands = enumerate_hands([min(kind.count, size) for kind in own], size)
    return [make_hand_game(game, own, hand) for hand in hands]


def make_hand_game(game: Game, own: Sequence[DieKind], counts: Sequence[int]) -> HandGame:
    """Return a hand, given by the number of its dice by kind, with its game.

    Raises:
        InputError: the hand is not allowed, for example because it is too large to solve.
    """
    rules = Rules(game.rules).plain()
    rules_without_dice = {key: value for key, value in rules.items() if key not in ("dice", "die", "weights", SEAT_KEY)}
    kinds = [(kind, count) for kind, count in zip(own, counts, strict=True) if count]
    dice = {kind.name or PLAIN: count for kind, count in kinds}
    try:
        return HandGame(dice, own_game({**rules_without_dice, "die": _die_tables(kinds)}))
    except InputError as error:
        raise InputError(f"cannot solve the hand {describe_dice(dice)}: {error}") from None


def dice_of_opponent(game: Game, dice: Sequence[DieKind]) -> Game:
    """Return a game in which the second player has a hand of dice.

    Raises:
        InputError: the dice are not as many as a hand has.
    """
    game, dice = fit_wild_faces(game, dice)
    rules = hand_rules(game)
    size, count = rules.hand_size(rules.dice), sum(kind.count for kind in dice)
    if count != size:
        raise InputError(
            f"{argument('against')} must list {format_count(size, 'die')} (the opponent's hand), not {count}"
        )
    return game.with_rules(seat={"2": {"die": _die_tables([(kind, kind.count) for kind in dice])}})


def seats_with_hands(game: Game, own: Sequence[DieKind]) -> dict[str, dict[str, Any]]:
    """Return the rules of a seat with each hand that can be made of some dice, by the dice in words."""
    rules = hand_rules(game)
    size = rules.hand_size(rules.dice)
    own = merge_equal_kinds(own)
    seats = {}
    for counts in enumerate_hands([min(kind.count, size) for kind in own], size):
        kinds = [(kind, count) for kind, count in zip(own, counts, strict=True) if count]
        seats[describe_dice({kind.name or PLAIN: count for kind, count in kinds})] = {"die": _die_tables(kinds)}
    return seats


def _die_tables(kinds: Sequence[tuple[DieKind, int]]) -> list[dict[str, Any]]:
    """Return the ``[[die]]`` entries of a rule file for some kinds of dice and their numbers."""
    return [
        {**({"name": kind.name.partition(ALSO)[0]} if kind.name else {}), "count": count, "weights": list(kind.weights)}
        for kind, count in kinds
    ]
