"""A forger: solve the equations that the checker reads from any header, and write a certificate that fits them.

The forger uses the checker's own turns and matches, so whatever they accept it can certify. A test then compares the
bounds with a value that shares no code with the checker.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import keepwise_check as kc

BITS, SWEEPS, MOST_STATES = 40, 400, 400
MARGIN = 8  # units that bounds of states in a circle are strict by

Header = dict[str, Any]


class GaveUpError(Exception):
    """The forger found no bounds: too many states, or no convergence."""


def forge(header: Header) -> str:
    """Return a certificate of this header that the checker accepts, for one or two players.

    Raises:
        CannotJudgeError, DoesNotHoldError: the checker refuses the header.
        GaveUpError: no bounds were found.
    """
    header = json.loads(json.dumps(header)) | {"bits": BITS}
    start = tuple(header["begins"])
    lines: dict[tuple[int, ...], kc.Line] = {}
    checker = kc.Checker(json.loads(json.dumps(header)), lines, line_of(header, 0, 0))
    todo = [start]
    while todo:
        state = todo.pop()
        if state not in lines:
            if len(lines) >= MOST_STATES:
                raise GaveUpError
            todo += checker.links_of(state)
    stake = kc.GUARD_BITS
    for _ in range(SWEEPS):
        largest = 0
        for state in reversed(lines):
            low, negated_high = checker.turn_value(state)[:2]
            middle = (low - negated_high) // 2 >> stake
            largest = max(largest, abs(middle - (lines[state].bounds[0] >> stake)))
            lines[state] = line_of(header, middle, middle)
        if largest <= 1:
            return text_of(header, widened(checker, header, lines))
    raise GaveUpError


def widened(checker: Any, header: Header, lines: dict[Any, Any]) -> dict[Any, tuple[int, int]]:
    """Move the bounds of all states outward until every one is strict."""
    guard = kc.GUARD_BITS
    ends = {state: (line.bounds[0] >> guard, line.bounds[0] >> guard) for state, line in lines.items()}
    for _ in range(SWEEPS):
        moved = False
        for state in reversed(lines):
            low, negated_high = checker.turn_value(state)[:2]
            below, above = (
                min(ends[state][0], (low >> guard) - MARGIN),
                max(ends[state][1], -(negated_high >> guard) + MARGIN),
            )
            strict = low > lines[state].bounds[0] and negated_high > lines[state].bounds[1]
            if not strict:
                moved = True
                ends[state] = below, above
                lines[state] = line_of(header, below, above)
        if not moved:
            return ends
    raise GaveUpError


def line_of(header: Header, low: int, high: int) -> kc.Line:
    """Return a line with these bounds, in units of 2 ** -bits."""
    bounds = [low << kc.GUARD_BITS, -high << kc.GUARD_BITS]
    if header["players"] == 2:
        stake = (header["objective"] == "win") << BITS + kc.GUARD_BITS
        bounds += [bounds[1] + stake, bounds[0] - stake]
    return kc.Line((1, 0), bounds, ())


def text_of(header: Header, ends: dict[Any, tuple[int, int]]) -> str:
    """Return the text of a certificate, in one block."""
    lines = [f"{','.join(map(str, state))} {low:x} {high:x}" for state, (low, high) in ends.items()]
    return "\n".join(["keepwise certificate 1", json.dumps(header), "block", *lines, f"end {len(lines)}", ""])


# --- types, as docs/certificate-format.md spells them


def parse_type(text: str) -> Callable[[Any], Any]:
    """Return a generator of values of a type; it takes a random.Random."""
    text = text.strip()
    if len(parts := split(text, " or ")) > 1:
        types = [parse_type(part.strip()[1:-1]) for part in parts]
        return lambda rng: rng.choice(types)(rng)
    if text.startswith("["):
        items = [parse_type(part) for part in split(text[1:-1], ";")]
        return lambda rng: [item(rng) for item in items]
    if text.startswith("list "):
        length, _, item = text.partition("(")
        words, make = length.split(), parse_type(item[:-1])
        low = int(words[1]) if words[2:3] == ["to"] else int(words[3]) if words[1] == "at" else 0
        high = min(low + 2, int(words[3])) if words[2:3] == ["to"] else low + 2
        return lambda rng: [make(rng) for _ in range(rng.randint(low, high))]
    if text.startswith("one of "):
        return lambda rng: rng.choice(text[len("one of ") :].split(", "))
    if text.startswith("whole number"):
        words = text.split()
        low = int(words[3]) if "from" in words else -2
        high = min(low + 3, int(words[5])) if "to" in words else low + 3
        return lambda rng: rng.randint(low, high)
    simple: dict[str, Callable[[Any], Any]] = {
        "true or false": lambda rng: rng.random() < 0.5,
        "text": lambda rng: "x",
        "hexadecimal": lambda rng: "0",
    }
    return simple.get(text, lambda rng: {})


def split(text: str, mark: str) -> list[str]:
    """Split a text at marks that stand in no brackets."""
    if mark == " or " and not text.startswith("("):
        return [text]
    return list(_parts(text, mark))


def _parts(text: str, mark: str) -> Iterator[str]:
    depth = begin = at = 0
    while at < len(text):
        depth += (text[at] in "([") - (text[at] in ")]")
        if depth == 0 and text.startswith(mark, at):
            yield text[begin:at]
            begin = at + len(mark)
            at = begin
            continue
        at += 1
    yield text[begin:]
