"""Every position of a match, in order: those between turns, and the decisions inside a turn that begins at one of them.

A listed position is what stands in its columns, and the position itself as the match reads it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ..core import multiset
from ..errors import InputError
from ..games.battleship import TRIO
from ..games.cardposition import show_used
from ..games.pushposition import PushPosition, show
from ..games.scarney import DICE, FACES
from ..games.touchodds import SIZES
from . import Match

Columns = dict[str, Any]
Listed = tuple[Columns, Any]

DETAILS = ("values", "throws", "rolls")
MOST_LEAD = 200  # of Scarney: a lead beyond it is all but decided
SCARNEY_FRESH = 40.0  # more points than a frame is worth, to bound those in hand at which throwing can be right


def details(match: Match) -> tuple[str, ...]:
    """What can be listed: values between turns; decisions before a throw; decisions after one."""
    return {
        "push": DETAILS,
        "scarney": DETAILS,
        "rounds": ("values", "rolls"),
        "showdown": ("values", "rolls"),
        "hearts": ("values",),
        "card": ("values", "rolls"),
        "touch": DETAILS,
    }[match.game.family]


def between(match: Match, given: Mapping[str, Any]) -> tuple[int, Iterator[Listed]]:
    """Return how many positions between turns there are, and those that have the given values.

    Where ``given`` tells a position in full (every score of it, or what is left of a card or a board), that is the one.
    """
    family = match.game.family
    if family == "card" and ("used" in given or match.objective != "points"):
        return 1, iter((_card_start(match, given),))
    if family in ("scarney", "rounds", "hearts") and any(key.startswith("opponent") for key in given):
        columns, position = _table_start(match, given)
        return 1, iter(((columns, position),))
    makers = {
        "push": _push,
        "scarney": _scarney,
        "rounds": _rounds,
        "showdown": _showdown,
        "hearts": _hearts,
        "card": _card,
        "touch": _touch,
    }
    total, listed = makers[family](match, given)
    return total, (one for one in listed if _fits(one[0], given))


BETWEEN = (
    "frame",
    "seat",
    "round",
    "score",
    "pot",
    "used",
    "upper",
    "opponent_used",
)  # what a position between turns has


def _between_keys(match: Match, given: Mapping[str, Any]) -> dict[str, Any]:
    known = match.read.__kwdefaults__ or {}
    keys = {key: value for key, value in given.items() if key in BETWEEN and key in known}
    others = [value for key, value in sorted(given.items()) if key.startswith("opponent") and key not in BETWEEN]
    return {**keys, "opponents": others} if others else keys


def _table_start(match: Match, given: Mapping[str, Any]) -> Listed:
    """The one position of a table that is told in full."""
    position = match.read(**_between_keys(match, given))
    shown = match.show(position)
    columns: Columns = {}
    for key in ("frame", "round", "seat", "score"):
        if key in shown:
            columns[key] = shown[key]
    others = shown["opponents"]
    columns |= {"opponent" if len(others) == 1 else f"opponent{n}": value for n, value in enumerate(others, 1)}
    return columns, position


def inside(match: Match, start: Listed, detail: str, given: Mapping[str, Any]) -> Iterator[Listed]:
    """Return the decisions of the turn that begins at a position, those that have the given values."""
    if detail == "values":
        return iter((start,))
    makers = {
        "push": _push_turn,
        "scarney": _scarney_turn,
        "rounds": _round_turn,
        "showdown": _showdown_turn,
        "card": _card_turn,
        "touch": _touch_turn,
    }
    left = {key: value for key, value in given.items() if key not in start[0]}
    return (one for one in makers[match.game.family](match, start, detail == "rolls") if _fits(one[0], left))


def _fits(columns: Columns, given: Mapping[str, Any]) -> bool:
    return all(key not in columns or _same(columns[key], value) for key, value in given.items())


def _same(listed: Any, value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        value = " ".join(str(one) for one in value)
    if not isinstance(listed, str):  # numbers as they are, dice and names in any order
        return listed is not None and str(listed).lower() == str(value).strip().lower().replace("_", "")
    words, asked = (str(text).replace(",", " ").split() for text in (listed, value))
    return sorted(words) == sorted(asked) or sorted("".join(words)) == sorted("".join(asked))


def _read(match: Match, columns: Columns) -> Listed:
    """A position by its columns, as the match reads it."""
    keys = {key: value for key, value in columns.items() if value is not None and not key.startswith("opponent")}
    others = [value for key, value in columns.items() if key.startswith("opponent")]
    if others:
        keys["opponents"] = others
    return columns, match.read(**keys)


def _readable(match: Match, all_columns: Iterable[Columns]) -> Iterator[Listed]:
    """Those positions that can occur."""
    for columns in all_columns:
        if found := _perhaps(match, columns):
            yield found


def _perhaps(match: Match, columns: Columns) -> Listed | None:
    try:
        return _read(match, columns)
    except InputError:
        return None


# --- push your luck


def _push(match: Any, given: Mapping[str, Any]) -> tuple[int, Iterator[Listed]]:
    ladder, grain = match.ladder, match.game.data.grain
    scores = [int(score) * grain for score in ladder.scores]
    if match.objective == "points":
        scores = scores[:1] if ladder.least(0) == ladder.least(1) else scores[:2]
    scores = [score for score in scores if score < match.parameters.get("goal", math.inf)]
    if match.objective != "win":
        return len(scores), (({"score": one}, match.read(score=one)) for one in scores)
    pairs = product(scores, scores)
    return len(scores) ** 2, (({"score": a, "opponent": b}, PushPosition(a, (b,), 0, 5, None)) for a, b in pairs)


def _push_turn(match: Any, start: Listed, rolls: bool) -> Iterator[Listed]:
    columns, begins = start
    rules = getattr(match, "rules", None) or match.ladder.rules
    turn, grain, score = rules.turn, rules.grain, begins.score
    top = _most_held(match, begins)
    held = turn.reachable(top + turn.max_add)
    for dice in range(rules.dice, 0, -1):
        modes = {rules.mode(dice)} | ({rules.forced} if dice == rules.dice and rules.forced < len(held) else set())
        # Whoever must throw may hold more than whoever would stop.
        most = {mode: top + (turn.max_add if turn.modes[mode].bank is None else 0) for mode in modes}
        units = [
            unit
            for unit in range(max(most.values()) + 1)
            if any(held[m] >> unit & 1 and unit <= most[m] for m in modes)
        ]
        for unit in units:
            if not rolls:
                if unit or dice == rules.dice:
                    position = PushPosition(score, begins.opponents, unit * grain, dice, None)
                    yield {**columns, "turn": unit * grain, "dice": dice}, position
                continue
            for counts, _ in rules.throws(dice):
                position = PushPosition(score, begins.opponents, unit * grain, dice, counts)
                shown = " ".join(show(rules, counts))
                yield {**columns, "turn": unit * grain, "dice": dice, "roll": shown}, position


def _most_held(match: Any, begins: PushPosition) -> int:
    """The most points, in units, with which a turn may still go on where stopping is offered."""
    if match.objective == "points":
        return int(match.start_lane(begins, 0).cap) - 3 * int(match.rules.turn.max_add)
    score = begins.score // match.ladder.rules.grain
    if match.objective == "reach":
        return int(match.caps[score]) - 1
    if match.ladder.rules.finish == "last_round" and match.objective == "win":
        others = np.array([begins.opponents[0] // match.ladder.rules.grain])
        return int(match._last_round.caps(np.array([score]), others)[0]) - 1
    return int(match.ladder.caps[score]) - 1


# --- Scarney


def _scarney(match: Any, given: Mapping[str, Any]) -> tuple[int, Iterator[Listed]]:
    if match.objective == "points":
        return 1, iter(((dict[str, Any](), match.read()),))
    frames = range(1, match.game.data.frames + 1)
    leads = [0, *(sign * lead for lead in range(1, MOST_LEAD + 1) for sign in (1, -1))]
    all_columns = (
        {"frame": frame, "seat": seat, "score": max(lead, 0), "opponent": max(-lead, 0)}
        for frame, seat, lead in product(frames, (0, 1), sorted(leads))
    )
    return 2 * len(frames) * len(leads), _readable(match, all_columns)


def _scarney_turn(match: Any, start: Listed, rolls: bool) -> Iterator[Listed]:
    from .frames import stopping_level

    columns, begins = start
    rules = getattr(match, "rules", None) or match.game.data
    turn = rules.frame(0) if rules.chips else rules.turn
    top = math.ceil(stopping_level(turn, SCARNEY_FRESH))
    held = turn.reachable(top)
    for live in range(DICE, 0, -1):
        for points in range(top + 1):
            if not held[rules.holding(live) if points else rules.free(live)] >> points & 1:
                continue
            here = {**columns, "turn": points, "live": live}
            before = replace(begins, turn=points, live=live)
            if not rolls:
                yield here, before
                continue
            for double in (False, True) if rules.double and not points else (False,):
                for counts in multiset.multisets(live, len(FACES)).tolist():
                    shown = " ".join(face for face, count in zip(FACES, counts, strict=True) for _ in range(count))
                    position = replace(before, roll=tuple(counts), doubled=double)
                    yield {**here, "roll": shown, "double": double}, position


# --- games by the round


def _rounds(match: Any, given: Mapping[str, Any]) -> tuple[int, Iterator[Listed]]:
    if match.objective == "points":
        return 1, iter(((dict[str, Any](), match.read()),))
    if match.objective in ("turns", "reach"):
        goal = match.parameters.get("goal", int(match.game.rules["target"]))
        return goal, _readable(match, ({"score": score} for score in range(goal)))
    others = [f"opponent{number}" if match.players > 2 else "opponent" for number in range(1, match.players)]
    if match.target:
        most = range(match.target + match.rules.most)
        totals = product(range(match.players), *[most] * match.players)
        count = match.players * len(most) ** match.players
        named = ({"seat": seat, "score": mine, **dict(zip(others, rest, strict=True))} for seat, mine, *rest in totals)
        return count, _readable(match, named)
    far = match.rules.most * match.rounds
    differences = range(-far, far + 1)
    places = product(range(1, match.rounds + 1), range(match.players), *[differences] * (match.players - 1))
    count = match.rounds * match.players * len(differences) ** (match.players - 1)
    return count, _differences(match, places, others)


def _differences(match: Any, places: Iterable[tuple[int, ...]], others: list[str]) -> Iterator[Listed]:
    """Only differences of totals matter: each with the least totals that show it."""
    for round_, seat, *difference in places:
        base = max(0, -min(difference))
        for mine in range(base, base + match.rules.most + 1):
            totals = [mine + one for one in difference]
            columns = {"round": round_, "seat": seat, "score": mine, **dict(zip(others, totals, strict=True))}
            if found := _perhaps(match, columns):
                yield found
                break


def _round_turn(match: Any, start: Listed, rolls: bool) -> Iterator[Listed]:
    columns, _ = start
    for cast in (1, 2, 3):
        for aside in range(4 if cast > 1 else 1):
            for counts in multiset.multisets(5 - aside, 6).tolist():
                dice = [*TRIO[:aside], *(str(face) for face, n in enumerate(counts, 1) for _ in range(n))]
                kept = {"kept": " ".join(TRIO[:aside]) if aside else None}
                yield _read(match, {**columns, "cast": cast, **kept, "roll": " ".join(sorted(dice))})


def _showdown(match: Any, given: Mapping[str, Any]) -> tuple[int, Iterator[Listed]]:
    if match.objective == "points":
        return 1, iter(((dict[str, Any](), match.read()),))
    scores = match.rules.scores
    fresh: Columns = {"seat": 0, "beat": None, "tied": None}
    later = (
        {"seat": seat, "beat": beat, "tied": tied}
        for seat in range(1, match.players)
        for beat in scores
        for tied in range(1, seat + 1)
    )
    count = 1 + len(scores) * match.players * (match.players - 1) // 2
    return count, _readable(match, (one for group in ((fresh,), later) for one in group))


def _showdown_turn(match: Any, start: Listed, rolls: bool) -> Iterator[Listed]:
    columns, _ = start
    for throw in (1, 2, 3):
        for kept in multiset.multisets(throw - 1, 6).tolist():
            aside = " ".join(str(face) for face, n in enumerate(kept, 1) for _ in range(n))
            for counts in multiset.multisets(4 - throw, 6).tolist():
                roll = " ".join(str(face) for face, n in enumerate(counts, 1) for _ in range(n))
                yield _read(match, {**columns, "throw": throw, "kept": aside or None, "roll": roll})


def _hearts(match: Any, given: Mapping[str, Any]) -> tuple[int, Iterator[Listed]]:
    if match.objective == "points":
        return 1, iter(((dict[str, Any](), match.read()),))
    scores = match.chain.scores.tolist()
    if match.objective != "win":
        return len(scores), (({"score": one}, match.read(score=one)) for one in scores)
    others = [f"opponent{number}" if match.players > 2 else "opponent" for number in range(1, match.players)]
    lines = product(scores, repeat=match.players)
    named = ({"score": mine, **dict(zip(others, rest, strict=True))} for mine, *rest in lines)
    return len(scores) ** match.players, _readable(match, named)


# --- cards


def _card(match: Any, given: Mapping[str, Any]) -> tuple[int, Iterator[Listed]]:
    return len(match.states.sets), _card_states(match, match.card)


def _card_start(match: Any, given: Mapping[str, Any]) -> Listed:
    """The one position of a card that is told."""
    position = match.read(**_between_keys(match, given))
    columns: Columns = {"used": ", ".join(show_used(match.card, position.used))}
    if match.card.upper_mask:
        columns["upper"] = position.upper
    if match.objective == "points" and match.card.flags == 2:
        columns["bonus"] = bool(position.flag)
    if match.objective != "points":
        columns["score"] = position.score
    if match.objective == "win":
        columns["opponent_used"] = ", ".join(show_used(match.card, position.opponent_used))
        columns["opponent"] = position.opponent
    return columns, position


def _card_states(match: Any, card: Any) -> Iterator[Listed]:
    from ..games.cardposition import CardPosition

    for used, flag in zip(match.states.sets.tolist(), match.states.flags.tolist(), strict=True):
        if used == card.full:
            continue
        totals = card.uppers.get(used & card.upper_mask, (0,)) if card.upper_mask else (0,)
        for upper in sorted(int(total) for total in totals):
            columns: Columns = {"used": ", ".join(show_used(card, used))}
            if card.upper_mask:
                columns["upper"] = upper
            if card.flags == 2:
                columns["bonus"] = bool(flag)
            yield columns, CardPosition(used, upper=upper, flag=flag)


def _card_turn(match: Any, start: Listed, rolls: bool) -> Iterator[Listed]:
    columns, begins = start
    card = match.card
    for throw in range(1, card.throws + 1):
        for counts in multiset.multisets(card.dice, card.faces).tolist():
            roll = " ".join(str(face) for face, n in enumerate(counts, 1) for _ in range(n))
            yield {**columns, "throw": throw, "roll": roll}, replace(begins, throw=throw, roll=tuple(counts))


# --- Booby Trap


def _touch(match: Any, given: Mapping[str, Any]) -> tuple[int, Iterator[Listed]]:
    board = match.rules.board
    return math.prod(count + 1 for count in board), _touch_places(match, board, given)


def _touch_places(match: Any, board: tuple[int, int, int], given: Mapping[str, Any]) -> Iterator[Listed]:
    from .touch import TouchPosition

    rules = match.rules
    step = max(*rules.points, rules.penalty)
    large, medium, small = (
        [left for left in range(count, -1, -1) if str(given.get(size, left)).strip() == str(left)]
        for size, count in zip(SIZES, board, strict=True)
    )
    for left in product(large, medium, small):
        gone = sum(board) - sum(left)
        if sum(left) <= rules.last:
            continue
        if rules.in_order and any(left[size] < board[size] and any(left[size + 1 :]) for size in (0, 1)):
            continue
        shown: Columns = dict(zip(SIZES, left, strict=True))
        if rules.players == 1:
            for trips in range(gone + 1):
                yield {**shown, "trips": trips}, TouchPosition(left, trips, 0, 0, None, None)
            continue
        for lead in range(-step * gone, step * gone + 1):
            yield {**shown, "lead": lead}, TouchPosition(left, lead, 0, 0, None, None)


def _touch_turn(match: Any, start: Listed, rolls: bool) -> Iterator[Listed]:
    columns, begins = start
    rules = match.rules
    for passes in range(rules.limit + 1):
        here = {**columns, "passes": passes}
        if not rolls:
            yield here, replace(begins, passes=passes)
            continue
        for size, name in enumerate(SIZES):
            if begins.left[size] and not (rules.in_order and any(begins.left[size + 1 :])):
                for feel, word in enumerate(rules.odds.feels):
                    told = {"touched": name, "feel": word}
                    yield {**here, **told}, replace(begins, passes=passes, size=size, feel=feel)
