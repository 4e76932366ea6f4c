"""Odds of a touch game, estimated from counts at the table.

People count, for each size and feel, the pieces that felt so when touched, those that were taken, and the trips of the
bar. An estimate adds half a count to each outcome (Jeffreys' prior), so that no outcome becomes impossible. Beside it
is Wilson's interval, which contains the true chance about 95 times in 100.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from statistics import NormalDist

from ..core.touch import MAX_FEELS
from ..util.errors import InputError, suggest_name
from .touch_odds import COUNTS, MAX_COUNT, SIZES, check_title

PRIOR_COUNT = Fraction(1, 2)
CONFIDENCE = 0.95

Counts = Mapping[tuple[str, str], tuple[int, int, int]]  # (size, feel) -> touched, taken, tripped


def parse_counts(texts: tuple[str, ...] | list[str]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Parse counts such as ``large:loose=31/20/1``; counts of the same size and feel add up.

    Raises:
        InputError: another form, an unknown size, impossible counts, or sizes with different feels.
    """
    counts: dict[tuple[str, str], tuple[int, int, int]] = {}
    for text in texts:
        key, (touched, taken_count, tripped) = _parse_count(text)
        earlier = counts.get(key, (0, 0, 0))
        counts[key] = (earlier[0] + touched, earlier[1] + taken_count, earlier[2] + tripped)
    feels = list(dict.fromkeys(feel for _, feel in counts))
    if len(feels) > MAX_FEELS:
        raise InputError(f"give 1 to {MAX_FEELS} words for how a piece feels, not {len(feels)}")
    for size in SIZES:
        for feel in feels:
            if (size, feel) not in counts:
                raise InputError(
                    f"missing counts of {size} pieces that feel {feel}; add {size}:{feel}=0/0/0 if there are none"
                )
        if not sum(counts[size, feel][0] for feel in feels):
            raise InputError(f"no {size} piece was touched, so its odds cannot be estimated")
    return counts


def _parse_count(text: str) -> tuple[tuple[str, str], tuple[int, int, int]]:
    """Return size and feel, and the counts of touched, taken and tripped."""
    piece, equals, numbers = text.partition("=")
    size, colon, feel = (part.strip() for part in piece.partition(":"))
    parts = numbers.split("/")
    if not (equals and colon and feel) or len(parts) != 3 or not all(part.strip().isdecimal() for part in parts):
        raise InputError(
            f"{text} must have the form SIZE:FEEL={'/'.join(COUNTS).upper()}, for example large:loose=31/20/1"
        )
    if size not in SIZES:
        raise InputError(f"unknown size '{size}'{suggest_name(size, SIZES)}")
    if not (feel.isascii() and feel.isidentifier()):
        raise InputError(f"'{feel}' is not a valid word for how a piece feels: use letters a to z, digits and _")
    if max(map(len, parts)) > len(str(MAX_COUNT)):
        raise InputError(f"{piece}: counts must be at most {MAX_COUNT:,}")
    touched, taken_count, tripped = (int(part) for part in parts)
    if not tripped <= taken_count <= touched:
        raise InputError(f"{text}: tripped must not be above taken, nor taken above touched")
    return (size, feel), (touched, taken_count, tripped)


def wilson_interval(hits: int, trials: int) -> tuple[float, float]:
    """Return Wilson's interval for a probability; (0, 1) without trials."""
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    share = hits / trials
    center = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half_width = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0.0, center - half_width), min(1.0, center + half_width)


def format_rule_file(counts: Counts, name: str) -> str:
    """Return the text of a rule file with the estimates, their intervals as comments, and the counts.

    Raises:
        InputError: a name that cannot be the name of these odds.
    """
    check_title(name)
    feels = list(dict.fromkeys(feel for _, feel in counts))
    lines = [
        "# Odds of Booby Trap, estimated from counts: half a count is added to each outcome; intervals hold 95%.",
        'game = "booby-trap"',
        "",
        "[odds]",
        f"name = {json.dumps(name, ensure_ascii=False)}",  # TOML reads JSON text
    ]
    for size in SIZES:
        touched_of_size = sum(counts[size, feel][0] for feel in feels)
        for feel in feels:
            touched, taken_count, tripped = counts[size, feel]
            chance = (touched + PRIOR_COUNT) / (touched_of_size + PRIOR_COUNT * len(feels))
            trip = (tripped + PRIOR_COUNT) / (taken_count + 1)
            lines += [
                "",
                f"[odds.{size}.{feel}]",
                f'chance = "{chance}"  # {float(chance):.3f}; {_interval_in_words(touched, touched_of_size)}',
                f'trip = "{trip}"  # {float(trip):.3f}; {_interval_in_words(tripped, taken_count)}',
                *(f"{key} = {count}" for key, count in zip(COUNTS, counts[size, feel], strict=True)),
            ]
    return "\n".join(lines) + "\n"


def _interval_in_words(hits: int, trials: int) -> str:
    low, high = wilson_interval(hits, trials)
    return f"{hits} of {trials}: {low:.3f} to {high:.3f}"
