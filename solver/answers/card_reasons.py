"""Reasons of a scorecard: what a choice aims at, and what it scores in this turn and later compared with another.

The mean points of a turn are the sum over its endings of probability times points. If a card is worth the sum of its
boxes, the value of a choice minus these points is what comes later: the other boxes, and the bonus of the upper boxes.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from ..play.playable_game import PlayableGame
from ..util.number_format import PROBABILITY_OBJECTIVES, format_count, format_loss, format_percent, format_value
from .advice import RankedChoice
from .positions import BestPlay
from .sides import Side
from .turn_endings import TurnOutcome, endings

SMALLEST_AIM = 0.25  # a second box is named as an aim from this share of the first one's mean points on
LEAST_SHOWN_MISS = 0.01  # a rarer loss is not worth a clause
ROUNDING = 1e-9  # differences of points that are no larger come from rounding


def is_sum_of_boxes(playable: PlayableGame[Any], position: Any) -> bool:
    """Return True if a scorecard is worth the points in its boxes, rather than points by ranges of its total."""
    return bool(playable.boxes(position, playable.player_to_move(position))) and not playable.game.data.total_ranges


def describe_reason(
    best: BestPlay, position: Any, choices: tuple[RankedChoice, RankedChoice], sides: tuple[Side, Side]
) -> str:
    """Return a sentence with the aim of the best choice of a scorecard, and why it is better than another one.

    Args:
        best: optimal play.
        position: the position, in which there is something to choose.
        choices: the best choice, and the one that it is compared with.
        sides: what each of them leads to.
    """
    outcomes = [_outcomes(best, position, choice, side) for choice, side in zip(choices, sides, strict=True)]
    aim = _describe_aim(best.problem.playable, position, outcomes, sides)
    comparison = _compare(best, position, outcomes, sides)
    return f"{sides[0].action}: this {f'{aim}; it ' if aim else ''}{comparison}"


def _outcomes(best: BestPlay, position: Any, choice: RankedChoice, side: Side) -> tuple[TurnOutcome, ...]:
    """Return the ways in which the turn ends after a choice; () if they are not known.

    Args:
        best: optimal play.
        position: the position.
        choice: one of its choices.
        side: what that leads to.
    """
    playable = best.problem.playable
    if side.endings:
        return side.endings
    if side.ends:
        points_by_box = playable.filled_boxes(position, choice.after, choice, "")
        paid = playable.points_paid(position)
        return tuple(TurnOutcome(box, points, 1.0, points + paid == 0) for box, points in points_by_box.items())
    return endings(best, choice.after) if playable.stage(choice.after) == "choose" else ()


def _describe_aim(
    playable: PlayableGame[Any], position: Any, outcomes: list[tuple[TurnOutcome, ...]], sides: tuple[Side, Side]
) -> str:
    """Return in words, from the verb on, what the best choice aims at; "" if its name says all.

    Args:
        playable: the game as it is played.
        position: the position.
        outcomes: how the turn ends after the best choice, and after the other one.
        sides: what these choices lead to.
    """
    best_outcomes, other_outcomes = outcomes
    best, other = sides
    if not best_outcomes:
        return ""
    if best.ends:
        given_up = [ending.box for ending in best_outcomes if ending.is_miss]
        filled_boxes = {ending.box for ending in best_outcomes}
        open_boxes = [ending.box for ending in other_outcomes if other.ends and ending.box not in filled_boxes]
        parts = [f"gives up {' and '.join(given_up)}"] if given_up else []
        parts += [f"leaves {' and '.join(open_boxes)} open"] if open_boxes else []
        return " and ".join(parts)
    if _is_certain(best_outcomes):
        paid = playable.points_paid(position)
        return "enters " + " and ".join(f"{ending.points + paid} in {ending.box}" for ending in best_outcomes)
    fallback_boxes = {category.name for category in playable.game.data.categories if category.takes_any_dice}
    return f"aims at {_aims(best, fallback_boxes)}"


def _is_certain(outcomes: tuple[TurnOutcome, ...]) -> bool:
    """Return True if a turn can end in one way only."""
    return bool(outcomes) and all(ending.chance == 1.0 for ending in outcomes)


def _aims(side: Side, fallback_boxes: Set[str]) -> str:
    """Return the boxes from which a turn gets the most points on average, the likeliest first.

    As many boxes are named as a turn fills. A card that fills one box may aim at a second one.

    Args:
        side: the choice, with the ways in which the turn ends.
        fallback_boxes: the boxes that take any dice; they are named only if the turn fills no others.
    """
    boxes = side.boxes()
    mean_points = {box: chance * points for box, (chance, points) in boxes.items()}
    ranked = sorted(boxes, key=lambda box: (box in fallback_boxes, -mean_points[box]))
    count = _boxes_of_a_turn(side)
    named = ranked[:count]
    if count == 1:
        smallest = SMALLEST_AIM * mean_points[ranked[0]]
        named += [box for box in ranked[1:2] if box not in fallback_boxes and mean_points[box] >= smallest > 0]
    conjunction = " or " if count == 1 else " and "
    return conjunction.join(box for box in boxes if box in named)  # the boxes are ordered by probability


def _compare(best: BestPlay, position: Any, outcomes: list[tuple[TurnOutcome, ...]], sides: tuple[Side, Side]) -> str:
    """Return in words, from the verb on, why the best choice is better than the other one.

    Args:
        best: optimal play.
        position: the position.
        outcomes: how the turn ends after the best choice, and after the other one.
        sides: what these choices lead to.
    """
    objective, other = best.problem.objective, sides[1]
    loss = _spell_out(format_loss(other.loss, objective))
    event = format_value(1.0, objective).removeprefix("100.0%")  # such as " to win"
    is_probability = objective in PROBABILITY_OBJECTIVES
    if not all(outcomes):
        if other.tie:
            return f"is just as good as {other.action}"
        if is_probability:
            return f"has a chance{event} that is {loss} higher than {other.action}"
        return f"is {loss} better than {other.action}"
    now = _mean_points(outcomes[0]) - _mean_points(outcomes[1])
    are_certain = all(_is_certain(ways) for ways in outcomes)
    in_turn = _compare_turns(now, other.action, are_certain)
    if is_probability:
        if other.tie:
            return f"{in_turn}, and has the same chance{event}"
        return f"{in_turn}, {'but' if now < -ROUNDING else 'and'} has a chance{event} that is {loss} higher"
    if not is_sum_of_boxes(best.problem.playable, position):
        return f"{in_turn}, and is {'just as good' if other.tie else f'{loss} better'}"
    later = other.loss - now
    if abs(later) <= ROUNDING:
        return in_turn
    conjunction = "but" if now < -ROUNDING else "and"
    only = "only " if later < 0 and not other.tie else ""
    verb = "averages " if are_certain else ""
    difference = format_loss(abs(later), "points")
    return f"{in_turn}, {conjunction} {verb}{only}{difference} {'more' if later > 0 else 'less'} later"


def _compare_turns(now: float, other_action: str, are_certain: bool) -> str:
    """Return in words how the points of this turn compare, from the verb on.

    Args:
        now: the mean points that the best choice scores more in this turn.
        other_action: the other choice in words.
        are_certain: whether the points of both are certain.
    """
    verb, when = ("scores", "now") if are_certain else ("averages", "in this turn")
    if abs(now) <= ROUNDING:
        return f"{verb} as many points {when} as {other_action}"
    difference = format_count(round(abs(now)), "point") if are_certain else format_loss(abs(now), "points")
    return f"{verb} {difference} {'more' if now > 0 else 'less'} {when} than {other_action}"


def _mean_points(outcomes: tuple[TurnOutcome, ...]) -> float:
    """Return the mean points of a turn."""
    return sum(ending.chance * ending.points for ending in outcomes)


def _spell_out(loss: str) -> str:
    """Return a loss with its unit in full."""
    return f"{loss.removesuffix(' pp')} percentage points" if loss.endswith(" pp") else loss


def _boxes_of_a_turn(side: Side) -> int:
    """Return how many boxes a turn fills.

    Args:
        side: a choice, with the ways in which the turn ends.
    """
    return round(sum(chance for chance, _ in side.boxes().values()))


def describe_boxes(side: Side) -> str:
    """Return in words the boxes that a turn fills most often, and the box that pays if the dice fail.

    Named are as many boxes as a turn fills, and one more. A box that is mostly filled with dice that score nothing is
    named as the one that pays only, if the turn fills others.

    Args:
        side: the choice, with the ways in which the turn ends.
    """
    boxes, (paying_box, miss_chance) = side.boxes(), _box_for_misses(side)
    named = [box for box in boxes if box != paying_box or miss_chance < boxes[box][0] / 2] or [*boxes]
    listed = named[: _boxes_of_a_turn(side) + 1]
    in_words = []
    for number, box in enumerate(listed):
        chance, points = boxes[box]
        of_the_time = "" if number else " of the time"
        # A box is named once only, with what it pays if the dice fail.
        miss = f"; {format_percent(miss_chance)} of all turns score nothing there" if box == paying_box else ""
        in_words.append(f"{box} ({format_percent(chance)}{of_the_time}, then {points:,.1f} points on average{miss})")
    miss = ""
    if paying_box and paying_box not in listed and miss_chance >= LEAST_SHOWN_MISS:
        chance_in_words = format_percent(miss_chance)
        miss = f"; if the dice fail, it enters few or no points in {paying_box} ({chance_in_words} of the time)"
    verb = "most often fills" if next(iter(boxes)) in named else "may fill"
    return f"; the turn {verb} {', '.join(in_words)}{miss}"


def _box_for_misses(side: Side) -> tuple[str, float]:
    """Return the box that a player gives up if the dice fail, and the probability of that; ("", 0.0) if there is none.

    It is the box that is most often filled with dice that score nothing. If no box ever is, it is the box that brings
    least. But if that is among the likeliest boxes, one more than a turn fills, the player aims at it. Then no box is
    given up.
    """
    miss_chances: dict[str, float] = {}
    for ending in side.endings:
        if ending.is_miss:
            miss_chances[ending.box] = miss_chances.get(ending.box, 0.0) + ending.chance
    if miss_chances:
        return max(miss_chances.items(), key=lambda item: item[1])
    boxes = side.boxes()
    cheapest_box = min(boxes, key=lambda box: boxes[box][1])  # by mean points
    likeliest_boxes = [*boxes][: _boxes_of_a_turn(side) + 1]
    return ("", 0.0) if cheapest_box in likeliest_boxes else (cheapest_box, boxes[cheapest_box][0])


def describe_box_given_up(best: Side, second: Side) -> list[str]:
    """Return one sentence, about the other choice, on the box that loses the most points by the best choice.

    Points are means: the probability that the turn fills the box, times its points then. The list is empty if no box
    loses any, or if the rounded means are equal.

    Args:
        best: the best choice.
        second: the other choice.
    """
    # By box, its probability and its mean points.
    best_boxes, other_boxes = best.boxes(), second.boxes()
    if not best_boxes or not other_boxes:
        return []
    pairs = {box: (best_boxes.get(box, (0.0, 0.0)), after_other) for box, after_other in other_boxes.items()}
    lost_points = {
        box: after_other[0] * after_other[1] - after_best[0] * after_best[1]
        for box, (after_best, after_other) in pairs.items()
    }
    box = max(lost_points, key=lambda name: lost_points[name])
    if lost_points[box] <= 0:
        return []
    best_mean, other_mean = (f"{chance * points:,.1f}" for chance, points in pairs[box])
    if best_mean == other_mean:
        return []
    means = f"{other_mean} points on average instead of {best_mean}, counting no points if this turn fills another box"
    return [f"However, it scores more in {box}: {means}"]
