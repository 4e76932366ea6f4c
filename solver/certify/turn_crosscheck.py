"""Cross-checks of compiled rules against the game as people play it.

The provers read compiled rules: turns, cards and boards as arrays. Before anything is proved, samples of these rules
are compared with the game in ``play``, in whole numbers. Each prover yields its samples as `Comparison`;
`crosscheck` compares them.

The functions below it do so for the push-your-luck turn. For every mode, and for selected turn points, each roll is
made as people make it. The sets of choices that it can offer, with their weights, must be those of the roll classes.
Transitions between turns are not compared: they belong to the equations, and a certificate's checker derives them anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ..games.push_rules import WIN, WIPE, Next
from ..play.playable_game import Choice, Table, changed
from ..play.push import WIPED, PushPosition
from ..solvers.push.problem import PushProblem
from ..turns.push_turn import BUST
from ..turns.push_turn import TurnChoice as TurnChoice
from ..util.errors import SolveError

SAMPLES_PER_EDGE = 3  # turn points compared at either end of the possible range
ENDING_NAMES = {WIN: "win", BUST: "bust", WIPE: "wipe"}

# The next mode, or the name of the ending; then the turn points.
TurnOutcome = tuple[str | int, int]
Outcome = TypeVar("Outcome")


class Comparison(NamedTuple):
    """A position, and the outcomes that the compiled rules and the game as played allow in it."""

    position: Any
    compiled: Any
    played: Any


def crosscheck(subject: str, table: Table[Any], comparisons: Iterable[Comparison]) -> None:
    """Compare compiled rules with the game as played.

    Args:
        subject: the compiled rules that are compared, for the message.
        table: the game as played.
        comparisons: the positions to compare; they are generated one by one.

    Raises:
        SolveError: the outcomes differ at a position.
    """
    for position, compiled, played in comparisons:
        if compiled != played:
            raise SolveError(f"{subject} differs from the game as it is played: {table.id(position)}")


def played_outcomes(
    table: Table[Any], position: Any, outcome: Callable[[Choice[Any]], Outcome]
) -> Counter[frozenset[Outcome]]:
    """Return the weight of each set of outcomes that a roll can offer in the game as played.

    Args:
        table: the game as played.
        position: a chance position.
        outcome: maps a choice to its outcome.
    """
    weights: Counter[frozenset[Outcome]] = Counter()
    for weight, rolled in table.throws(position):
        weights[frozenset(map(outcome, table.choices(rolled)))] += weight
    return weights


def compare_push_turns(problem: PushProblem) -> Iterator[Comparison]:
    """Yield comparisons of the compiled push-your-luck turn at the first, middle and last state of the mover."""
    outcome = partial(_played_outcome, problem)
    for state in sorted({0, len(problem.states) // 2, len(problem.states) - 1}):
        cap = int(problem.states.caps[state])
        for following, position in _chance_positions(problem, _turn_start(problem, state), cap):
            compiled = _compiled_outcomes(problem, following, position)
            yield Comparison(position, compiled, played_outcomes(problem.playable, position, outcome))


def _turn_start(problem: PushProblem, state: int) -> PushPosition:
    """Return the beginning of a turn in a state of the mover; all opponents have score 0."""
    score, busts = int(problem.states.score[state]) * problem.rules.grain, int(problem.states.busts[state])
    zeros = (0,) * (problem.players - 1)
    return problem.playable.begin(
        (score, *zeros), 0, problem.playable.turns, (busts, *zeros) if problem.rules.costs else ()
    )


def _chance_positions(problem: PushProblem, start: PushPosition, cap: int) -> Iterator[tuple[Next, PushPosition]]:
    """Yield the dice to roll and the position for every kind of roll, at selected turn points."""
    rules, counting_from = problem.rules, problem.playable.counting_from(start) // problem.rules.grain
    reachable = rules.turn.reachable_points_by_mode(cap - 1)
    for following in rules.throw_modes:
        possible = [points for points in range(cap) if reachable[rules.mode_of(following)] >> points & 1]
        near_opening = [points for points in possible if abs(points - counting_from) <= 1]
        selected = [*possible[:SAMPLES_PER_EDGE], *near_opening, *possible[-SAMPLES_PER_EDGE:]]
        for points in dict.fromkeys(selected):
            is_first_roll = points == 0 and following == Next(rules.dice) and not rules.choose
            dice, forced, over = following
            turn = {"dice": dice, "turn": points * rules.grain, "forced": forced, "over": over, "throwing": not forced}
            yield following, start if is_first_roll else changed(start, **turn)


def _played_outcome(problem: PushProblem, choice: Choice[Any]) -> TurnOutcome:
    """Return the outcome of a choice in the game as played."""
    next_position, rules = choice.after, problem.rules
    if choice.then == "roll":
        following = Next(next_position.dice, next_position.forced, next_position.over)
        return rules.mode_of(following), next_position.turn // rules.grain
    if choice.then == "end":
        return "wipe" if choice.action == WIPED else "bust", 0
    return choice.then, choice.points // rules.grain if choice.then == "bank" else 0


def _compiled_outcomes(
    problem: PushProblem, following: Next, position: PushPosition
) -> Counter[frozenset[TurnOutcome]]:
    """Return the weight of each set of outcomes by the roll classes of the compiled turn."""
    rules, points = problem.rules, position.turn // problem.rules.grain
    missing = rules.target // rules.grain - position.score // rules.grain
    weights: Counter[frozenset[TurnOutcome]] = Counter()
    (roll,) = rules.turn.modes[rules.mode_of(following)].rolls
    for choices, weight in roll.classes:
        legal = [
            choice
            for choice in choices
            if choice.next_mode < 0 or not rules.turn.forbids_overshoot or choice.points_after(points) <= missing
        ]
        outcomes = (
            outcome for choice in legal or [BUST] for outcome in _compiled_choice(problem, position, choice, points)
        )
        weights[frozenset(outcomes)] += weight
    return weights


def _compiled_choice(
    problem: PushProblem, position: PushPosition, choice: TurnChoice, points: int
) -> Iterator[TurnOutcome]:
    """Yield the outcomes of a compiled choice: an ending, or stopping and rolling on in the next mode."""
    if choice.next_mode < 0:
        yield ENDING_NAMES[choice], 0
        return
    mode, turn_points = problem.rules.turn.modes[choice.next_mode], choice.points_after(points)
    counts = turn_points * problem.rules.grain >= problem.playable.counting_from(position)
    can_stop = mode.bank_ending is not None and turn_points >= mode.min_bank
    if can_stop and (counts or problem.rules.below == "nothing" or not mode.rolls):
        yield ("bank", turn_points) if counts else ("stop", 0)
    if mode.rolls:
        yield choice.next_mode, turn_points
