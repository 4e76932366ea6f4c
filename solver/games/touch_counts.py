"""From counts at the table to odds: estimates, how sure they are, and the file that holds both.

Counts are, for a size and a feel: how many pieces touched felt so, how many of those were taken, and how often that
tripped the bar. An estimate adds half a count to each outcome (Jeffreys' prior), so that nothing seen seldom becomes
impossible; the interval beside it is Wilson's, which holds the truth about 95 times in 100.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from statistics import NormalDist

from ..core.touch import MAX_FEELS
from ..util.errors import InputError, suggest_name
from .touch_odds import COUNTS, MOST_COUNT, SIZES, check_title

HALF = Fraction(1, 2)
SURE = 0.95

Counts = Mapping[tuple[str, str], tuple[int, int, int]]  # (size, feel) -> touched, taken, tripped


def read_counts(texts: tuple[str, ...] | list[str]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Read counts such as ``large:loose=31/20/1``; the same size and feel may come more than once and adds up.

    Raises:
        InputError: not of that form, a size that does not exist, counts that cannot be, or sizes with other feels.
    """
    found: dict[tuple[str, str], tuple[int, int, int]] = {}
    for text in texts:
        piece, equals, numbers = text.partition("=")
        size, colon, feel = (part.strip() for part in piece.partition(":"))
        parts = numbers.split("/")
        if not (equals and colon and feel) or len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
            raise InputError(f"{text} must read SIZE:FEEL={'/'.join(COUNTS).upper()}, such as large:loose=31/20/1")
        if size not in SIZES:
            raise InputError(f"there is no size {size}{suggest_name(size, SIZES)}")
        if not (feel.isascii() and feel.isidentifier()):
            raise InputError(f"{feel} is no name for a feel: letters a to z, digits and _")
        if max(map(len, parts)) > len(str(MOST_COUNT)):
            raise InputError(f"{piece}: nobody counts further than {MOST_COUNT:,}")
        touched, taken, tripped = (int(part) for part in parts)
        if not tripped <= taken <= touched:
            raise InputError(f"{text}: tripped cannot be above taken, nor taken above touched")
        before = found.get((size, feel), (0, 0, 0))
        found[size, feel] = (before[0] + touched, before[1] + taken, before[2] + tripped)
    feels = list(dict.fromkeys(feel for _, feel in found))
    if len(feels) > MAX_FEELS:
        raise InputError(f"there may be 1 to {MAX_FEELS} feels, not {len(feels)}")
    for size in SIZES:
        for feel in feels:
            if (size, feel) not in found:
                raise InputError(f"there are no counts of {size} pieces that feel {feel}; {size}:{feel}=0/0/0 if none")
        if not sum(found[size, feel][0] for feel in feels):
            raise InputError(f"no {size} piece was touched: there is nothing to estimate from")
    return found


def interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson's interval for a chance of which ``hits`` of ``of`` trials were seen; (0, 1) without trials."""
    if not of:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + SURE) / 2)
    share = hits / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    spread = z / (1 + z * z / of) * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, middle - spread), min(1.0, middle + spread)


def rule_file(counts: Counts, name: str) -> str:
    """Return the text of a rule file with the estimates, their intervals as comments, and the counts.

    Raises:
        InputError: a name that cannot stand for these odds.
    """
    check_title(name)
    feels = list(dict.fromkeys(feel for _, feel in counts))
    lines = [
        "# Odds of Booby Trap, estimated from counts: half a count is added to each outcome; intervals hold 95 %.",
        'game = "booby-trap"',
        "",
        "[odds]",
        f"name = {json.dumps(name, ensure_ascii=False)}",  # which TOML reads alike
    ]
    for size in SIZES:
        touches = sum(counts[size, feel][0] for feel in feels)
        for feel in feels:
            touched, taken, tripped = counts[size, feel]
            chance = (touched + HALF) / (touches + HALF * len(feels))
            trip = (tripped + HALF) / (taken + 1)
            lines += [
                "",
                f"[odds.{size}.{feel}]",
                f'chance = "{chance}"  # {float(chance):.3f}; {_between(touched, touches)}',
                f'trip = "{trip}"  # {float(trip):.3f}; {_between(tripped, taken)}',
                *(f"{key} = {count}" for key, count in zip(COUNTS, counts[size, feel], strict=True)),
            ]
    return "\n".join(lines) + "\n"


def _between(hits: int, of: int) -> str:
    low, high = interval(hits, of)
    return f"{hits} of {of}: {low:.3f} to {high:.3f}"
