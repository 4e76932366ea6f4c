"""Numbers as people read them: probabilities, values, bounds, and losses with their marks."""

from __future__ import annotations

import re
from decimal import ROUND_UP, Context
from typing import NamedTuple

PROBABILITY_OBJECTIVES = ("win", "reach", "beat")  # objectives whose values are probabilities
MISTAKE_MARKS = ((0.05, "??"), (0.025, "?"), (0.01, "?!"))  # (smallest loss, mark), for losses of a probability
OBJECTIVES_WITH_SCALED_MARKS = ("points", "turns", "rate")  # their thresholds are shares of the game's value
MAX_EXTRA_DECIMALS = 11  # beyond the usual ones, to show which of two losses is larger
SMALLEST_SHOWN = 1e-3  # smaller positive numbers are shown as "below 0.001"; a tenth of it for turns


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural: ``1 game``, ``3 games``, ``2 dice``.

    Args:
        number: how many things there are.
        noun: the singular; it may end with "die", such as "red die".
    """
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun.removesuffix('die')}dice" if noun.endswith("die") else f"{noun}s"
    return f"{number:,} {plural}"


def format_percent(probability: float) -> str:
    """Return a probability in per cent with one decimal: 0.5321 is ``53.2%``.

    Only 0 is shown as ``0.0%``, and only 1 as ``100.0%``. A smaller positive number has more decimals, or is ``below
    0.001%``; a number just below 1 is ``over 99.9%``.
    """
    text = f"{100 * probability:.1f}%"
    if text == "0.0%" and probability > 0:
        return f"{_format_small(100 * probability, SMALLEST_SHOWN)}%"
    if text == "100.0%" and probability < 1:
        return "over 99.9%"
    return text


def format_bound(bound: float) -> str:
    """Return an error bound with one digit, rounded up so that it still is a bound: 2.345e-12 is ``3e-12``."""
    one_digit_up = Context(prec=1, rounding=ROUND_UP)
    rounded_bound = one_digit_up.create_decimal_from_float(bound)
    return f"{float(rounded_bound):.1g}"


def format_value(value: float, objective: str) -> str:
    """Return a value with its unit: ``53.2% to win``, ``412.6 points``, ``10.450 turns``.

    Args:
        value: the value; a probability of 1 is 1.0.
        objective: the objective, which decides the unit.
    """
    if objective == "win":
        return f"{format_percent(value)} to win"
    if objective == "reach":
        return f"{format_percent(value)} to get there"
    if objective == "beat":
        return f"{format_percent(value)} to end above"
    if objective == "margin":
        rounded_value = round(value, 3) + 0.0  # adding 0 makes 0 of -0, which would be shown as -0.000
        return f"{rounded_value:+,.3f} points of margin"
    if objective in ("points", "rate"):
        return f"{value:,.1f} points"
    return f"{value:,.3f} {objective}"  # "turns" and "chips" are objectives and units


def format_value_in_sentence(value: float, objective: str) -> str:
    """Return a value with its unit as a noun, for sentences: ``a 53.2% chance to win``, ``412.6 points``.

    Args:
        value: the value; a probability of 1 is 1.0.
        objective: the objective, which decides the unit.
    """
    text = format_value(value, objective)
    if objective not in PROBABILITY_OBJECTIVES:
        return text
    percent = format_percent(value)
    event = text.removeprefix(percent)  # such as " to win"
    if not percent[0].isdigit():  # "below 0.001%"
        return f"a chance{event} of {percent}"
    article = "an" if re.match(r"8|1[18]\D", percent) else "a"  # before eight, eleven and eighteen
    return f"{article} {percent} chance{event}"


def format_loss(loss: float, objective: str, extra_decimals: int = 0) -> str:
    """Return a loss with its unit: ``1.42 pp`` (percentage points), ``12.51 points``, ``0.0312 turns``.

    A loss is the difference of two values, and has one decimal more than they have in ``format_value``. So it does not
    look like the difference of the rounded values. A positive loss is never shown as 0.

    Args:
        loss: the loss; a probability of 1 is 1.0.
        objective: the objective, which decides the unit.
        extra_decimals: how many more decimals to show.
    """
    style = _loss_style(objective)
    number = style.scale * loss
    text = f"{number:,.{style.decimals + extra_decimals}f}"
    is_shown_as_zero = not text.strip("0.")
    if loss > 0 and is_shown_as_zero:
        text = _format_small(number, style.smallest_shown)
    return f"{text} {style.unit}"


def format_full_loss(loss: float, objective: str) -> str:
    """Return a loss with all its digits: ``0.0123456789 points``, or ``0.00123456789 as a probability``."""
    unit = "as a probability" if objective in PROBABILITY_OBJECTIVES else _loss_style(objective).unit
    return f"{loss!r} {unit}"


class _LossStyle(NamedTuple):
    """How losses of an objective are shown.

    Attributes:
        unit: the unit, such as "points" or "pp".
        scale: the number that is shown for a loss of 1.
        decimals: how many decimals the number has.
        smallest_shown: a positive number that these decimals would show as 0 gets more of them, unless it is smaller
            than this; then it is shown as below this number.
    """

    unit: str
    scale: int
    decimals: int
    smallest_shown: float


def _loss_style(objective: str) -> _LossStyle:
    """Return the style in which losses of an objective are shown."""
    if objective in PROBABILITY_OBJECTIVES:
        return _LossStyle(unit="pp", scale=100, decimals=2, smallest_shown=SMALLEST_SHOWN)
    if objective in ("points", "rate"):
        return _LossStyle(unit="points", scale=1, decimals=2, smallest_shown=SMALLEST_SHOWN)
    unit = "points" if objective == "margin" else objective
    return _LossStyle(unit, scale=1, decimals=4, smallest_shown=SMALLEST_SHOWN / 10)


def format_distinct_losses(first: float, second: float, objective: str) -> tuple[str, str]:
    """Return two losses with their unit, with as few extra decimals as make the two texts different.

    If not even ``MAX_EXTRA_DECIMALS`` extra decimals do, both have the usual decimals.

    Args:
        first, second: the losses; a probability of 1 is 1.0.
        objective: the objective, which decides the unit.
    """
    for extra_decimals in range(MAX_EXTRA_DECIMALS + 1):
        first_text = format_loss(first, objective, extra_decimals)
        second_text = format_loss(second, objective, extra_decimals)
        if first_text != second_text:
            return first_text, second_text
    return format_loss(first, objective), format_loss(second, objective)


def _format_small(number: float, smallest: float) -> str:
    """Return a positive number with two significant digits, or as ``below 0.001`` if that is ``smallest``."""
    return f"{number:.2g}" if number >= smallest else f"below {smallest:g}"


def mistake_thresholds(objective: str, game_value: float) -> tuple[tuple[float, str], ...]:
    """Return the smallest loss of a decision that earns each of the marks ``??``, ``?`` and ``?!``.

    The marks are those of chess and backgammon. If values are probabilities, they mark losses from 5, 2.5 and 1
    percentage points on. For points and turns they mark losses from 5, 2.5 and 1 per cent of the game's value on.
    Margins and chips have no such scale, and no marks.

    Args:
        objective: the objective.
        game_value: the value of the game at its start.

    Returns:
        Pairs (smallest loss, mark), the largest first; none if there are no marks.
    """
    if objective in PROBABILITY_OBJECTIVES:
        scale = 1.0
    elif objective in OBJECTIVES_WITH_SCALED_MARKS:
        scale = abs(game_value)
    else:
        scale = 0.0
    if scale == 0:
        return ()
    return tuple((share * scale, mark) for share, mark in MISTAKE_MARKS)


def mistake_mark(loss: float, thresholds: tuple[tuple[float, str], ...]) -> str:
    """Return the mark of a decision with some loss, ``??``, ``?`` or ``?!``, or "" if the loss is too small for one.

    Args:
        loss: the loss.
        thresholds: pairs (smallest loss, mark), the largest first, as ``mistake_thresholds`` returns them.
    """
    for smallest_loss, mark in thresholds:
        if loss >= smallest_loss:
            return mark
    return ""
