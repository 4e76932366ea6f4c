"""Numbers as people read them: chances, values, bounds, and losses with their marks."""

from __future__ import annotations

from decimal import ROUND_UP, Context

MISTAKE_MARKS = ((0.05, "??"), (0.025, "?"), (0.01, "?!"))  # from which loss on, by ``marked``
OBJECTIVES_WITH_SCALED_MARKS = (
    "points",
    "turns",
    "rate",
)  # objectives whose losses are measured by what the game is worth
MOST_DECIMALS = 12  # more than usual, to tell two losses apart
SMALLEST_SHOWN = 1e-3  # what is more than nothing and less than that is told to be below it; of turns a tenth of it


def format_count(number: int, what: str) -> str:
    """So many of something: ``1 game``, ``3 games``, ``2 dice``."""
    many = f"{what.removesuffix('die')}dice" if what.endswith("die") else f"{what}s"
    return f"{number:,} {what if number == 1 else many}"


def format_percent(chance: float) -> str:
    """A chance as people read it: one decimal, more only where it would hide that something can happen."""
    text = f"{100 * chance:.1f} %"
    if text == "0.0 %" and chance > 0:
        return f"{_format_small(100 * chance, SMALLEST_SHOWN)} %"
    if text == "100.0 %" and chance < 1:
        return "over 99.9 %"
    return text


def format_bound(bound: float) -> str:
    """An error bound to one digit, rounded up, so that what is printed is still a bound: 2.345e-12 is ``3e-12``."""
    return f"{float(Context(prec=1, rounding=ROUND_UP).create_decimal_from_float(bound)):.1g}"


def format_value(value: float, objective: str) -> str:
    """A value in words: ``53.2 % to win``, ``412.6 points``, ``10.45 turns``."""
    if objective == "win":
        return f"{format_percent(value)} to win"
    if objective == "reach":
        return f"{format_percent(value)} to get there"
    if objective == "margin":
        return f"{round(value, 3) + 0.0:+,.3f} points of margin"  # never -0.000
    return f"{value:,.1f} points" if objective in ("points", "rate") else f"{value:,.3f} {objective}"


def format_loss(loss: float, objective: str, more: int = 0) -> str:
    """A loss in words: ``1.42 %`` (percentage points), ``12.51 points``, ``0.0312 turns``. It has a digit more than the
    values (``worth``) that it lies between, so that nobody takes it for the difference of what they are rounded to.
    ``more``: decimals beyond these.
    """
    chance, points = objective in ("win", "reach"), objective in ("points", "rate")
    unit = "%" if chance else "points" if points or objective == "margin" else objective
    number, fine = 100 * loss if chance else loss, chance or points
    shown = f"{number:,.{(2 if fine else 4) + more}f}"
    if loss > 0 and not shown.strip("0."):  # that would hide that it costs something
        shown = _format_small(number, SMALLEST_SHOWN if fine else SMALLEST_SHOWN / 10)
    return f"{shown} {unit}"


def costs_apart(loss: float, other: float, objective: str) -> tuple[str, str]:
    """Two losses in words (see ``cost``), with the fewest decimals that show which is larger."""
    pairs = ((format_loss(loss, objective, more), format_loss(other, objective, more)) for more in range(MOST_DECIMALS))
    return next(
        (pair for pair in pairs if pair[0] != pair[1]), (format_loss(loss, objective), format_loss(other, objective))
    )


def _format_small(number: float, least: float) -> str:
    """What its decimals would hide, by two digits that count; nobody reads more zeros than those of ``least``."""
    return f"{number:.2g}" if number >= least else f"below {least:g}"


def mistake_thresholds(objective: str, whole: float) -> tuple[tuple[float, str], ...]:
    """From which loss on a choice is marked, as players of chess and backgammon do it, the largest first: ``??``, ``?``
    and ``?!`` from 5, 2.5 and 1 percentage points of a chance on (``MARKS``); of points and turns from such a share on
    of what the game is worth at its start, ``whole``. Margins and chips have no such measure, and no marks.
    """
    measure = 1.0 if objective in ("win", "reach") else abs(whole) if objective in OBJECTIVES_WITH_SCALED_MARKS else 0.0
    return tuple((least * measure, sign) for least, sign in MISTAKE_MARKS if measure)


def mistake_mark(loss: float, marks: tuple[tuple[float, str], ...]) -> str:
    """The mark of a choice that costs so much, "" of one that has none."""
    return next((sign for least, sign in marks if loss >= least), "")
