"""Numbers as people read them: probabilities, values, bounds, and losses with their marks."""

from __future__ import annotations

from decimal import ROUND_UP, Context

MISTAKE_MARKS = ((0.05, "??"), (0.025, "?"), (0.01, "?!"))  # smallest loss and mark, of a probability
OBJECTIVES_WITH_SCALED_MARKS = ("points", "turns", "rate")  # their thresholds are shares of the game's value
MAX_EXTRA_DECIMALS = 12  # beyond the usual ones, to show which of two losses is larger
SMALLEST_SHOWN = 1e-3  # smaller positive numbers are shown as "below 0.001"; a tenth of it for turns


def format_count(number: int, noun: str) -> str:
    """Return a number of things: ``1 game``, ``3 games``, ``2 dice``."""
    plural = f"{noun.removesuffix('die')}dice" if noun.endswith("die") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def format_percent(probability: float) -> str:
    """Return a probability in per cent with one decimal, or more if it would be shown as 0 or 100 % but is not."""
    text = f"{100 * probability:.1f} %"
    if text == "0.0 %" and probability > 0:
        return f"{_format_small(100 * probability, SMALLEST_SHOWN)} %"
    if text == "100.0 %" and probability < 1:
        return "over 99.9 %"
    return text


def format_bound(bound: float) -> str:
    """Return an error bound with one digit, rounded up so that it still is a bound: 2.345e-12 is ``3e-12``."""
    return f"{float(Context(prec=1, rounding=ROUND_UP).create_decimal_from_float(bound)):.1g}"


def format_value(value: float, objective: str) -> str:
    """Return a value with its unit: ``53.2 % to win``, ``412.6 points``, ``10.45 turns``."""
    if objective == "win":
        return f"{format_percent(value)} to win"
    if objective == "reach":
        return f"{format_percent(value)} to get there"
    if objective == "margin":
        return f"{round(value, 3) + 0.0:+,.3f} points of margin"  # never -0.000
    return f"{value:,.1f} points" if objective in ("points", "rate") else f"{value:,.3f} {objective}"


def format_loss(loss: float, objective: str, extra_decimals: int = 0) -> str:
    """Return a loss with its unit: ``1.42 %`` (percentage points), ``12.51 points``, ``0.0312 turns``.

    A loss has one decimal more than the two values that it is the difference of (see ``format_value``). So nobody takes
    it for the difference of the rounded values.
    """
    is_probability, is_points = objective in ("win", "reach"), objective in ("points", "rate")
    unit = "%" if is_probability else "points" if is_points or objective == "margin" else objective
    number = 100 * loss if is_probability else loss
    has_two_decimals = is_probability or is_points
    text = f"{number:,.{(2 if has_two_decimals else 4) + extra_decimals}f}"
    if loss > 0 and not text.strip("0."):  # a positive loss is never shown as 0
        text = _format_small(number, SMALLEST_SHOWN if has_two_decimals else SMALLEST_SHOWN / 10)
    return f"{text} {unit}"


def format_distinct_losses(first: float, second: float, objective: str) -> tuple[str, str]:
    """Return two losses as in ``format_loss``, with as few decimals as show which is larger."""
    for extra_decimals in range(MAX_EXTRA_DECIMALS):
        pair = format_loss(first, objective, extra_decimals), format_loss(second, objective, extra_decimals)
        if pair[0] != pair[1]:
            return pair
    return format_loss(first, objective), format_loss(second, objective)


def _format_small(number: float, smallest: float) -> str:
    """Return a positive number with two significant digits, or that it is below ``smallest``."""
    return f"{number:.2g}" if number >= smallest else f"below {smallest:g}"


def mistake_thresholds(objective: str, game_value: float) -> tuple[tuple[float, str], ...]:
    """Return the marks of mistakes, ``??``, ``?`` and ``?!``, each with the smallest loss that earns it.

    As in chess and backgammon, they mark losses from 5, 2.5 and 1 percentage points of a probability on. For points and
    turns they mark the same shares of the game's value at its start, ``game_value``. Margins and chips have no such
    scale, and no marks.
    """
    if objective in ("win", "reach"):
        scale = 1.0
    elif objective in OBJECTIVES_WITH_SCALED_MARKS:
        scale = abs(game_value)
    else:
        scale = 0.0
    return tuple((share * scale, mark) for share, mark in MISTAKE_MARKS if scale)


def mistake_mark(loss: float, thresholds: tuple[tuple[float, str], ...]) -> str:
    """Return the mark of a choice with this loss, or "" if it has none."""
    return next((mark for threshold, mark in thresholds if loss >= threshold), "")
