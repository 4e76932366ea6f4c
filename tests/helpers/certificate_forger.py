"""A forger: solve the equations that the checker reads from any header, and write a certificate that fits them.

The forger uses the checker's own turns and matches, so whatever they accept it can certify. A test then compares the
bounds with a value that shares no code with the checker.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import keepwise_check as kc

MAX_SWEEPS, MAX_STATES = 150, 120
MAX_DEPTH = 900  # of calls: longer turns are not tried
GAMMA_SLACK = 2.0**-6  # of the inequality of a cut
MARGIN = 8  # units by which bounds of states in a circle are strict

Header = dict[str, Any]
State = tuple[int, ...]


class GaveUpError(Exception):
    """The forger found no bounds: too many states, or no convergence."""


class Claim(NamedTuple):
    """What a certificate says of a state, in units of the certificate.

    bounds: (lower, upper) of the mover; for three or more players of every seat from the mover on.
    play: for three or more players the number by which each seat compares choices.
    """

    bounds: list[tuple[int, int]]
    play: list[int]


def forge(header: Header) -> str:
    """Return a certificate of this header that the checker accepts.

    Raises:
        CannotJudgeError, DoesNotHoldError: the checker refuses the header.
        RecursionError: a turn has no end.
        GaveUpError: no bounds were found.
    """
    sys.setrecursionlimit(MAX_DEPTH)
    header = copy_of(header)
    lines: dict[State, kc.Line] = {}
    checker = checker_of(header, lines)
    claims = widened(checker, header, solved(checker, header, lines))
    if checker.has_points and header["cut"]:
        for state in lines:
            checker.turn_value(state)
            checker.check_level(state)  # no bounds can mend a cut that does not hold
    return text_of(header, claims)


def forge_play(text: str, change: Callable[[State, list[int]], list[int]]) -> str:
    """Return a certificate of another play, in which every line holds.

    The bounds are worked out anew for the changed play: below, what it brings; above, what the best reply brings.

    Args:
        text: a certificate for three or more players that holds.
        change: given a state and the numbers by which each seat compares choices, returns other numbers.

    Raises:
        GaveUpError: no bounds were found.
    """
    header, lines, _ = kc.read_lines("text", io.BytesIO(text.encode()), hashlib.sha256(), lambda *_: True)
    checker = checker_of(header, lines)
    order = sorted(lines, key=sum)  # who is near the target last
    play = {state: change(state, [number >> kc.GUARD_BITS for number in lines[state].play]) for state in order}
    claims = {state: Claim(pairs_of(lines[state].bounds), play[state]) for state in order}
    lines.clear()
    lines.update({state: line_of(header, claim) for state, claim in claims.items()})
    for _ in range(MAX_SWEEPS):
        largest = 0
        for state in reversed(order):
            bounds = bounds_of_turn(checker, state)
            pairs = zip(bounds, claims[state].bounds, strict=True)
            largest = max(largest, *(abs(new - old) for pair in pairs for new, old in zip(*pair, strict=True)))
            claims[state] = claims[state]._replace(bounds=bounds)
            lines[state] = line_of(header, claims[state])
        if largest <= MARGIN:
            return text_of(header, widened(checker, header, claims))
    raise GaveUpError


def copy_of(header: Header) -> Header:
    """Return a copy of a header that shares nothing with it."""
    return json.loads(json.dumps(header))


def seats_of(header: Header) -> int:
    """Return for how many seats a line has bounds."""
    return header["players"] if header["players"] > 2 else 1


def checker_of(header: Header, lines: dict[State, kc.Line]) -> kc.Checker:
    """Return a checker of these lines; states without a line are worth 0."""
    seats = seats_of(header)
    return kc.Checker(copy_of(header), lines, line_of(header, Claim([(0, 0)] * seats, [0] * seats)))


def solved(checker: kc.Checker, header: Header, lines: dict[State, kc.Line]) -> dict[State, Claim]:
    """Find all states, and solve the equations of their turns by value iteration."""
    waiting = [tuple(header["begins"])]
    while waiting:
        state = waiting.pop()
        if state not in lines:
            if len(lines) >= MAX_STATES:
                raise GaveUpError
            waiting += checker.next_states_of(state)
    values = dict.fromkeys(lines, [0] * seats_of(header))
    for _ in range(MAX_SWEEPS):
        largest = 0
        for state in reversed(lines):
            middles = [(low + high) // 2 for low, high in bounds_of_turn(checker, state)]
            changes = [abs(new - old) for new, old in zip(middles, values[state], strict=True)]
            largest = max(largest, *changes)
            values[state] = middles
            lines[state] = line_of(header, exact_claim(middles))
        if largest <= 1:
            return {state: exact_claim(numbers) for state, numbers in values.items()}
    raise GaveUpError


def exact_claim(numbers: list[int]) -> Claim:
    """Return the claim that the value of every seat is a number."""
    return Claim([(number, number) for number in numbers], numbers)


def bounds_of_turn(checker: kc.Checker, state: State) -> list[tuple[int, int]]:
    """Return (lower, upper) of every seat that the turn from a state comes to, in units of the certificate."""
    bounds = checker.turn_value(state)
    return pairs_of(bounds[:2] if checker.players < 3 else bounds)


def pairs_of(bounds: Sequence[int]) -> list[tuple[int, int]]:
    """Return (lower, upper) of every seat, rounded outward to units of the certificate."""
    return [(low >> kc.GUARD_BITS, -(negated_high >> kc.GUARD_BITS)) for low, negated_high in kc.pairs(bounds)]


def widened(checker: kc.Checker, header: Header, claims: dict[State, Claim]) -> dict[State, Claim]:
    """Move the bounds of all states outward until every one is strict."""
    lines = checker.lines
    for _ in range(MAX_SWEEPS):
        has_moved = False
        for state in reversed(lines):
            computed = bounds_of_turn(checker, state)
            bounds = claims[state].bounds
            pairs = list(zip(computed, bounds, strict=True))
            if all(new[0] > old[0] and new[1] < old[1] for new, old in pairs):
                continue
            has_moved = True
            moved = [(min(old[0], new[0] - MARGIN), max(old[1], new[1] + MARGIN)) for new, old in pairs]
            claims[state] = claims[state]._replace(bounds=moved)
            lines[state] = line_of(header, claims[state])
        if not has_moved:
            return claims
    raise GaveUpError


def with_gammas(header: Header) -> Header:
    """Return a header of one turn that is cut at a level, with numbers of ``gamma`` and ``worth`` that hold.

    They solve the inequality of the cut with a slack, by value iteration; the checker adds no mode that is not listed.
    If no numbers are found, the header is returned as it is.
    """
    try:
        modes = checker_of(header, {}).modes
    except (kc.CannotJudgeError, kc.DoesNotHoldError):
        return header
    gamma = solved_gamma(modes, keeps_points=True)
    worth = solved_gamma(modes, keeps_points=False)
    names = {mode: json.dumps(mode) for mode in modes}
    numbers = [
        {names[mode]: [int(number * 10**5) + 1, 10**5] for mode, number in by_mode.items()}
        for by_mode in (gamma, worth)
    ]
    cut = header["cut"] | dict(zip(("gamma", "worth"), numbers, strict=True))
    return header | {"cut": cut}


def solved_gamma(modes: dict[Any, Any], keeps_points: bool) -> dict[Any, float]:
    """Return by mode how much more than the points in hand it brings at most, if nobody stops for good.

    Args:
        modes: as the checker lists them.
        keeps_points: count only what goes on without losing the points in hand.
    """
    gamma = dict.fromkeys(modes, 0.0)
    for _ in range(MAX_SWEEPS):
        largest = 0.0
        for mode, (_, throws) in modes.items():
            means = [GAMMA_SLACK]
            for throw in throws:
                total = 0.0
                for offers, weight in throw.classes.items():
                    leads = [lead for lead in offers if kc.is_lead(lead) and (lead[2] or not keeps_points)]
                    total += weight * max(
                        (max(0, points) + gamma[mode_after] for mode_after, points, _ in leads), default=0
                    )
                means.append(total / throw.total_weight + GAMMA_SLACK)
            largest = max(largest, max(means) - gamma[mode])
            gamma[mode] = max(means)
        if largest < GAMMA_SLACK / 10:
            break
    return gamma


def line_of(header: Header, claim: Claim) -> kc.Line:
    """Return the line of a claim, as the checker reads it."""
    guard = kc.GUARD_BITS
    bounds = [end for low, high in claim.bounds for end in (low << guard, -high << guard)]
    if header["players"] == 2:
        stake = (header["objective"] == "win") << header["bits"] + guard
        bounds += [bounds[1] + stake, bounds[0] - stake]
    play = tuple(number << guard for number in claim.play) if header["players"] > 2 else ()
    return kc.Line((1, 0), bounds, play)


def text_of(header: Header, claims: dict[State, Claim]) -> str:
    """Return the text of a certificate, in one block."""
    lines = []
    for state, claim in claims.items():
        numbers = [number for bounds in claim.bounds for number in bounds]
        numbers += claim.play if header["players"] > 2 else []
        lines.append(" ".join([",".join(map(str, state)), *(f"{number:x}" for number in numbers)]))
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
    depth = begin = place = 0
    while place < len(text):
        depth += (text[place] in "([") - (text[place] in ")]")
        if depth == 0 and text.startswith(mark, place):
            yield text[begin:place]
            begin = place + len(mark)
            place = begin
            continue
        place += 1
    yield text[begin:]
