"""Cross-checks of compiled rules against the game as people play it.

The provers read compiled rules: turns, cards and boards as arrays. Before anything is proved, samples of these rules
are compared with the game in ``play``, in whole numbers. Each prover yields its samples as `Comparison`;
`crosscheck` compares them.

The functions below them do so for the push-your-luck turn. For every mode, and for selected turn points, rolls are made
as people make them. The sets of choices that they can offer, with their weights, must be those of the roll classes.
Transitions between turns are not compared: they belong to the equations, and a certificate's checker derives them anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from ..games.push_rules import WIN, WIPE, NextRoll
from ..play.choice_kinds import ChoiceKind
from ..play.playable_game import Choice, PlayableGame, replace_fields
from ..play.push import PushPosition
from ..solvers.push.problem import PushProblem
from ..turns.push_turn import BUST
from ..turns.push_turn import TurnChoice as TurnChoice
from ..util.errors import SolveError

SAMPLES_PER_EDGE = 3  # turn points compared at either end of the possible range
ENDING_NAMES = {WIN: "win", BUST: "bust", WIPE: "wipe"}  # of the endings that are not banks

# An outcome of a roll and a choice: the number of the next mode, or the name of the ending; then the turn points.
TurnOutcome = tuple[str | int, int]
Outcome = TypeVar("Outcome")


class Comparison(NamedTuple):
    """The outcomes that the compiled rules and the game as played allow in one position; they have to be equal.

    Attributes:
        position: the position.
        compiled: the outcomes by the compiled rules.
        played: those of the game as played, in the same form.
    """

    position: Any
    compiled: Any
    played: Any


def crosscheck(subject: str, playable: PlayableGame[Any], comparisons: Iterable[Comparison]) -> None:
    """Compare compiled rules with the game as played.

    Args:
        subject: the compiled rules that are compared, for the message.
        playable: the game as played.
        comparisons: the positions to compare; they are generated one by one.

    Raises:
        SolveError: the outcomes differ at a position.
    """
    for position, compiled, played_outcomes in comparisons:
        if compiled != played_outcomes:
            raise SolveError(
                f"internal error: {subject} does not agree with the game as it is played: {playable.id(position)};"
                " please report this"
            )


def played_outcomes(
    playable: PlayableGame[Any], position: Any, outcome: Callable[[Choice[Any]], Outcome]
) -> Counter[frozenset[Outcome]]:
    """Return the weight of each set of outcomes that a roll can offer in the game as played.

    A set is the outcomes of all choices after one roll. Rolls that offer the same set are counted together.

    Args:
        playable: the game as played.
        position: a chance position.
        outcome: a function that returns the outcome of a choice, in the form in which it is compared.
    """
    weights: Counter[frozenset[Outcome]] = Counter()
    for weight, rolled in playable.rolls(position):
        weights[frozenset(map(outcome, playable.choices(rolled)))] += weight
    return weights


def compare_push_turns(problem: PushProblem, seat: int = 0) -> Iterator[Comparison]:
    """Yield comparisons of the compiled push-your-luck turn at the first, middle and last own state of the mover.

    For every kind of roll and some turn points, the weights of the sets of outcomes that the roll can offer are
    compared. In each state all rolls are made with the fewest and with the most turn points. Rolls that offer the same
    in both form a group. With other turn points one roll is made for each group.

    Args:
        problem: the problem whose turn is compared.
        seat: the seat of the mover.
    """
    playable = problem.playable
    outcome = partial(_played_outcome, problem)
    last_state = len(problem.states) - 1
    middle_state = len(problem.states) // 2
    for state in sorted({0, middle_state, last_state}):
        cap = int(problem.states.caps[state])
        for next_roll, positions in _chance_positions(problem, _turn_start(problem, state, seat), cap):
            edges = list(dict.fromkeys((positions[0], positions[-1])))
            played_by_edge, groups = _group_rolls(playable, edges, outcome)
            for position in positions:
                compiled = compiled_outcomes(problem, next_roll, position)
                if position in edges:
                    played = played_by_edge[edges.index(position)]
                else:
                    played = _outcomes_of_groups(playable, position, outcome, groups)
                    if played != compiled:  # perhaps because a roll offers something else here than its group
                        played = played_outcomes(playable, position, outcome)
                yield Comparison(position, compiled, played)


class _RollGroup(NamedTuple):
    """Rolls that offered the same sets of outcomes where all rolls were made.

    Attributes:
        number: the number of the first of these rolls, among all rolls of the same dice.
        weight: the weight of these rolls together.
    """

    number: int
    weight: int


def _group_rolls(
    playable: PlayableGame[Any], positions: Sequence[Any], outcome: Callable[[Choice[Any]], Outcome]
) -> tuple[list[Counter[frozenset[Outcome]]], list[_RollGroup]]:
    """Make all rolls in some positions, and group those that offer the same set of outcomes in each of them.

    Args:
        playable: the game as played.
        positions: chance positions in which the same dice are rolled.
        outcome: a function that returns the outcome of a choice.

    Returns:
        For each position what ``played_outcomes`` returns, and the groups.
    """
    played: list[Counter[frozenset[Outcome]]] = [Counter() for _ in positions]
    groups: dict[tuple[frozenset[Outcome], ...], _RollGroup] = {}
    rolls_by_position = map(playable.rolls, positions)
    for number, rolls in enumerate(zip(*rolls_by_position, strict=True)):
        offered = tuple(frozenset(map(outcome, playable.choices(rolled))) for _, rolled in rolls)
        for weights, sets, (weight, _) in zip(played, offered, rolls, strict=True):
            weights[sets] += weight
        weight, _ = rolls[0]
        first, weight_so_far = groups.get(offered, (number, 0))
        groups[offered] = _RollGroup(first, weight_so_far + weight)
    return played, list(groups.values())


def _outcomes_of_groups(
    playable: PlayableGame[Any],
    position: Any,
    outcome: Callable[[Choice[Any]], Outcome],
    groups: Iterable[_RollGroup],
) -> Counter[frozenset[Outcome]]:
    """Return what ``played_outcomes`` does, from one roll of each group.

    Args:
        playable: the game as played.
        position: a chance position.
        outcome: a function that returns the outcome of a choice.
        groups: the groups of all rolls.
    """
    weights: Counter[frozenset[Outcome]] = Counter()
    for number, weight in groups:
        rolled = playable.roll_at(position, number)
        weights[frozenset(map(outcome, playable.choices(rolled)))] += weight
    return weights


def _turn_start(problem: PushProblem, state: int, seat: int) -> PushPosition:
    """Return the position in which a turn begins in an own state of the mover.

    All opponents have score 0, and no busts in a row.

    Args:
        problem: the problem whose turn is compared.
        state: the number of the mover's own state.
        seat: the seat of the mover.
    """
    score = int(problem.states.score[state]) * problem.rules.grain
    busts = int(problem.states.busts[state])
    scores = tuple(score if owner == seat else 0 for owner in range(problem.players))
    busts_in_a_row: tuple[int, ...] = ()
    if problem.rules.bust_costs:
        busts_in_a_row = tuple(busts if owner == seat else 0 for owner in range(problem.players))
    return problem.playable.turn_start(scores, seat, problem.playable.turns, busts_in_a_row)


def _chance_positions(
    problem: PushProblem, start: PushPosition, cap: int
) -> Iterator[tuple[NextRoll, list[PushPosition]]]:
    """Yield every kind of roll of a turn, with chance positions in which it is made, at selected turn points.

    Selected are the fewest and the most turn points that the roll can be made with, and those just below, at and just
    above the least bank that counts. Turn points are counted in units of the grain here, and in points in a position.
    Kinds of roll that no selected turn points allow are left out.

    Args:
        problem: the problem whose turn is compared.
        start: the position in which the turn begins.
        cap: the cap of the turn; turn points from it on are not selected.
    """
    rules = problem.rules
    min_bank = problem.playable.min_bank(start) // rules.grain  # the fewest turn points of a bank that counts
    reachable = rules.turn.reachable_points_by_mode(cap - 1)  # by mode: bit t is set if t turn points can be reached
    for next_roll in rules.rolls_with_mode:
        reachable_bits = reachable[rules.mode_of(next_roll)]
        possible = [points for points in range(cap) if reachable_bits >> points & 1]
        near_min_bank = [points for points in possible if abs(points - min_bank) <= 1]
        selected = [*possible[:SAMPLES_PER_EDGE], *near_min_bank, *possible[-SAMPLES_PER_EDGE:]]
        positions: list[PushPosition] = []
        for points in dict.fromkeys(selected):
            is_first_roll = points == 0 and next_roll == NextRoll(rules.dice) and not rules.chooses_dice
            position = start  # the first roll is made in the position in which the turn begins
            if not is_first_roll:
                position = replace_fields(
                    start,
                    dice=next_roll.dice,
                    turn=points * rules.grain,
                    forced=next_roll.forced,
                    over=next_roll.rerolled_faces,  # faces that make the roll void
                    throwing=not next_roll.forced,  # the player has decided to roll; a forced roll has no decision
                )
            positions.append(position)
        if positions:
            yield next_roll, positions


def _played_outcome(problem: PushProblem, choice: Choice[Any]) -> TurnOutcome:
    """Return the outcome of a choice in the game as played: where it leads, and the turn points.

    It leads to the mode of the next roll, or to an ending, by its name. Turn points are in units of the grain.

    Args:
        problem: the problem whose turn is compared.
        choice: the choice after a roll.
    """
    next_position = choice.after
    rules = problem.rules
    if choice.kind is ChoiceKind.ROLL:
        next_roll = NextRoll(next_position.dice, next_position.forced, rerolled_faces=next_position.over)
        return rules.mode_of(next_roll), next_position.turn // rules.grain
    if choice.kind in (ChoiceKind.WIPE, ChoiceKind.BUST):
        return choice.kind.value, 0
    # A bank, a stop for nothing, or a win at once, in which turn points do not count.
    points = choice.points // rules.grain if choice.kind is ChoiceKind.BANK else 0
    return choice.kind.value, points


def compiled_outcomes(
    problem: PushProblem, next_roll: NextRoll, position: PushPosition
) -> Counter[frozenset[TurnOutcome]]:
    """Return the weight of each set of outcomes that a roll can offer, by the roll classes of the compiled turn.

    A compiled turn does not know the target. If the rules forbid to overshoot it, choices that would are left out here;
    a roll that offers no other choice is a bust. Special endings add no points, so they cannot overshoot.

    Args:
        problem: the problem whose turn is compared.
        next_roll: the dice that are rolled.
        position: the chance position in which they are rolled.
    """
    rules = problem.rules
    points = position.turn // rules.grain  # turn points, in units of the grain
    missing_points = rules.target // rules.grain - position.score // rules.grain
    weights: Counter[frozenset[TurnOutcome]] = Counter()
    (roll,) = rules.turn.modes[rules.mode_of(next_roll)].rolls  # push-your-luck modes have one roll
    for choices, weight in roll.classes:
        legal_choices = list(choices)
        if rules.turn.forbids_overshoot:
            legal_choices = [
                choice for choice in choices if choice.next_mode < 0 or choice.points_after(points) <= missing_points
            ]
        outcomes: set[TurnOutcome] = set()
        for choice in legal_choices or [BUST]:
            outcomes.update(_compiled_choice(problem, position, choice, points))
        weights[frozenset(outcomes)] += weight
    return weights


def _compiled_choice(
    problem: PushProblem, position: PushPosition, choice: TurnChoice, points: int
) -> Iterator[TurnOutcome]:
    """Yield the outcomes that a compiled choice offers: its ending; or to stop in the next mode, and to roll on there.

    Args:
        problem: the problem whose turn is compared.
        position: the chance position in which the roll was made.
        choice: the choice after the roll.
        points: the turn points before it, in units of the grain.
    """
    if choice.next_mode < 0:
        yield ENDING_NAMES[choice], 0
        return
    rules = problem.rules
    mode = rules.turn.modes[choice.next_mode]
    turn_points = choice.points_after(points)
    # There are two minima. The compiled mode offers a stop from ``mode.min_bank`` on, which is the same in every turn
    # (in units of the grain). Whether a bank then counts also depends on the score (in points).
    offers_stop = mode.bank_ending is not None and turn_points >= mode.min_bank
    bank_counts = turn_points * rules.grain >= problem.playable.min_bank(position)
    # With too few points for a bank that counts one may stop for nothing, if the rules say so or no roll is left.
    may_stop = bank_counts or rules.stop_below == "end" or not mode.rolls
    if offers_stop and may_stop:
        yield ("bank", turn_points) if bank_counts else ("stop", 0)
    if mode.rolls:
        yield choice.next_mode, turn_points
