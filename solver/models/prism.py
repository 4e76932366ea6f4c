"""A question about one player alone in PRISM's language: a small symbolic file that a person can read.

Points are in units of the grain. A turn begins in phase 1; phase 0 is between turns. In phase 1 the player is about to
throw in ``mode`` with ``turn`` points in hand; a phase above 1 is a throw that has been made, in the class of that
number, with its choices.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..errors import InputError
from ..files import whole_file
from ..games.pushluck import WIN, WIPE
from ..matches import Match, Solved
from ..turns.push import Choice
from .process import Climb


def write_prism(match: Match, solved: Solved, path: str | os.PathLike[str], title: str) -> None:
    """Write the process as a PRISM model; its properties stand in comments.

    Raises:
        InputError: a question that is no process of one player.
    """
    climb = Climb(match, solved)
    if climb.two:
        raise InputError("the PRISM language is written for one player; two go as umb")
    if not climb.push:
        raise InputError("the PRISM language is written for push-your-luck games; ask for prism-explicit, drn or umb")
    with whole_file(path) as file:
        for line in _lines(climb, title):
            file.write(f"{line}\n".encode())


def _lines(climb: Climb, title: str) -> Iterator[str]:
    turn, points = climb.turn, climb.objective == "points"
    ladder = climb.match.ladder  # type: ignore[attr-defined]
    caps = [climb.cap(0)] if points else [climb.cap(int(score)) for score in ladder.scores if score < climb.target]
    top = max(caps)
    first, later = ladder.least(0), ladder.least(1)
    yield f"// {title}"
    yield f"// points in units of {climb.grain}; modes: " + ", ".join(
        f"{number} {climb.mode_name(number)}" for number in range(len(turn.modes))
    )
    aim = {"points": 'R{"points"}max', "turns": 'R{"turns"}min', "reach": "Pmax"}[climb.objective]
    yield f'// ask: {aim}=? [ F "done" ]'
    yield "mdp"
    yield ""
    if points:
        yield f"const int CAP = {top}; // whoever holds so much stops"
        yield f"formula cap = CAP;\nformula counts = turn >= {first};"
    else:
        target = -(-climb.rules.target // climb.grain)
        yield f"const int TARGET = {target}; // of the rules: minimum, exact finish\nconst int GOAL = {climb.target};"
        yield "formula need = TARGET - score;"
        win = "" if climb.rules.minimum_on_win else " | score + turn >= TARGET"
        yield f"formula counts = (score = 0 ? turn >= {first} : turn >= {later}){win};"
        least = f"(score = 0 ? {first} : {later})"
        if not climb.rules.minimum_on_win:
            least = f"min(need, {least})"
        yield "formula cap = need + 1;" if turn.forbid else f"formula cap = max(GOAL - score, {least});"
    yield ""
    yield "module player"
    if not points:
        yield "  score : [0..TARGET] init 0;"
    if climb.turn_count:
        yield f"  left : [0..{climb.turn_count}] init {climb.turn_count};"
    yield f"  phase : [0..{1 + turn.classes}] init 0;"
    yield f"  mode : [0..{len(turn.modes) - 1}] init {turn.start};"
    yield f"  turn : [0..{top}] init 0;"
    yield f"  over : [0..{2 if climb.turn_count else 1}] init 0;"
    yield ""
    spend = " & (left' = left - 1)" if climb.turn_count else ""
    more = " & left > 0" if climb.turn_count else ""
    going = "over = 0" if points else f"over = 0 & score < GOAL{more}"
    yield f"  [begin] phase = 0 & {going} -> (phase' = 1) & (mode' = {turn.start}) & (turn' = 0){spend};"
    if not points:
        yield "  [finish] phase = 0 & over = 0 & score >= GOAL -> (over' = 1);"
    if climb.turn_count:
        yield "  [give_up] phase = 0 & over = 0 & score < GOAL & left = 0 -> (over' = 2);"
    yield "  [] over > 0 -> true;"
    yield ""
    yield from _modes(climb)
    yield "endmodule"
    yield ""
    if points:
        yield f'rewards "points"\n  [bank] true : turn * {climb.grain};\nendrewards'
    if climb.objective == "turns":
        yield 'rewards "turns"\n  [begin] true : 1;\nendrewards'
    yield 'label "done" = over = 1;'


def _modes(climb: Climb) -> Iterator[str]:
    turn, points = climb.turn, climb.objective == "points"
    ends = "(over' = 1) & (phase' = 0)" if points else "(phase' = 0)"
    place = 2
    for number, mode in enumerate(turn.modes):
        here = f"phase = 1 & mode = {number}"
        stops = mode.bank is not None
        if stops:
            least = f" & turn >= {mode.bank_from}" if mode.bank_from else ""
            after = ends if points else "(phase' = 0) & (score' = min(TARGET, score + turn))"
            yield f"  [bank] {here}{least} & counts -> {after};"
            yield f"  [stop] {here}{least} & !counts -> {ends};"
        for throw in mode.throws:
            total = sum(weight for _, weight in throw.classes)
            guard = (
                f" & turn < cap{f' | {here} & turn < {mode.bank_from}' if mode.bank_from > 1 else ''}" if stops else ""
            )
            parts, keeps = [], []
            for offered, weight in throw.classes:
                if len(offered) == 1 and not (turn.forbid and offered[0].next >= 0):
                    parts.append(f"{weight}/{total} : {_after(climb, offered[0], ends)}")
                    place += 1
                    continue
                parts.append(f"{weight}/{total} : (phase' = {place})")
                fits = [_fits(choice) for choice in offered]
                for choice, fit in zip(offered, fits, strict=True):
                    bound = f" & {fit}" if turn.forbid and choice.next >= 0 else ""
                    keeps.append(
                        f"  [{climb.choice_name(choice)}] phase = {place}{bound} -> {_after(climb, choice, ends)};"
                    )
                if turn.forbid and all(choice.next >= 0 for choice in offered):
                    keeps.append(f"  [bust] phase = {place} & !({' | '.join(fits)}) -> {ends};")
                place += 1
            yield f"  [roll] {here}{guard} -> {' + '.join(parts)};"
            yield from keeps
    yield ""


def _fits(choice: Choice) -> str:
    return f"{'turn + ' if choice.keeps else ''}{choice.add} < cap"


def _after(climb: Climb, choice: Choice, ends: str) -> str:
    if choice.next >= 0:
        held = f"turn + {choice.add}" if choice.keeps else str(choice.add)
        return f"(phase' = 1) & (mode' = {choice.next}) & (turn' = min(cap, {held}))"
    if choice == WIN and climb.objective != "points":
        return "(phase' = 0) & (score' = TARGET)"
    if choice == WIPE and climb.objective != "points":
        return "(phase' = 0) & (score' = 0)"
    return ends
