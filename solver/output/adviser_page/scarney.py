"""What a page needs to know of Straight Scarney: a frame in words, and the chances between frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...play.choice_kinds import ChoiceKind
from ...play.choice_text import TextStyle, format_choice
from ...play.playable_game import Choice
from ...play.scarney import DICE, FACES, ORDINARY, Play, ScarneyPosition
from ...solvers import Problem, ValueTable
from ...solvers.scarney.problem import CAP_STEP, Frame, ScarneyProblem
from .graph import ALWAYS, LOST, Form, TurnGraph, inside_form

FAR = 987_654  # points in hand to which a roll adds; the page fills in a sum with them
OPEN_POINTS = TextStyle(points=lambda points: "{}" if points >= FAR else str(points))


def refused(match: Problem[Any]) -> dict[str, bool]:
    """What no page is made for."""
    return {"Scarney's chips": match.objective == "chips", "Scarney with three and more players": match.players > 2}


def parts(match: ScarneyProblem, solved: ValueTable) -> dict[str, Any]:
    """The frame, and the values between frames."""
    table = match.playable
    graph, root = _Frames(match).graph()
    start = Frame((0,) * match.players, 0, 1, (), 0)
    arrays = {name: solved.arrays[name] for name in ("first", "second") if name in solved.arrays}
    return {
        "family": "scarney",
        "kernel": "push",
        "channels": "mover",
        "match": {
            "root": root,
            "frames": table.frames,
            "cap": match.frame_turn(solved, start).lane.cap,
            "beyond": CAP_STEP,
            "points": float(match.seat_values(solved, [table.start()]).values[0, 0]) if match.players == 1 else None,
            "same": ORDINARY,
            "held": [f"{table.held(live, 1000):x}" for live in range(1, DICE + 1)],
        },
        "graph": graph.as_json(),
        "turn": match.rules.turn,
        "arrays": arrays,
    }


class _Frames:
    """Throws are told by the live dice, whether points are held, and whether they are doubled."""

    def __init__(self, match: ScarneyProblem) -> None:
        self.match, self.table = match, match.playable
        self.words = TurnGraph(FACES)
        self.throws = [
            (live, kind)
            for live in range(1, DICE + 1)
            for kind in ("held", "free", "double")
            if kind != "double" or self.table.may_double
        ]
        self.rolled: dict[tuple[Any, bool], int] = {}

    def graph(self) -> tuple[TurnGraph, tuple[str, int]]:
        """The graph, and where a frame begins in it."""
        table, rules = self.table, self.match.rules
        for live, kind in self.throws:
            here = self._throwing(live, kind)
            falls = [(ways, self._roll(after)) for ways, after in table.throws(here)]
            mode = rules.holding(live) if kind == "held" else rules.free(live)
            mishap = table.mishap(here)
            self.words.throw(
                _form(table, here),
                [decision for _, decision in falls],
                [ways for ways, _ in falls],
                dice=live,
                before=-1 if kind == "double" else self._before(live, kind),
                mode=mode,
                way=int(kind == "double"),
                words=table.throw_in_words(here)[0],
                offset=0,
                note=table.note(here),
                held=f"{table.held(live, 1000) if kind == 'held' else 1:x}",
                mishap=None if mishap is None else float(mishap),
            )
        if not table.may_double:
            return self.words, ("throw", self.throws.index((DICE, "free")))
        return self.words, (
            "choose",
            self.words.decision(self._choices(table.start()), (), (), table.note(table.start())),
        )

    def _throwing(self, live: int, kind: str) -> ScarneyPosition:
        turn = FAR if kind == "held" else 0
        throwing = bool(turn) or self.table.may_double
        return replace(self.table.start(), live=live, turn=turn, double=kind == "double", throwing=throwing)

    def _roll(self, fallen: ScarneyPosition) -> int:
        """Enter what may be done with a roll; whatever is held is added to."""
        key = fallen.roll, fallen.double
        if key not in self.rolled:
            assert fallen.roll is not None
            here = replace(fallen, turn=FAR)
            note = self.table.note(here)
            self.rolled[key] = self.words.decision(self._choices(here), _form(self.table, here), fallen.roll, note)
        return self.rolled[key]

    def _before(self, live: int, kind: str) -> int:
        """Enter the decision before a throw."""
        table = self.table
        here = replace(self._throwing(live, kind), throwing=False)
        if table.stage(here) != "choose":
            return -1
        return self.words.decision(self._choices(here), _form(table, here), (), table.note(here))

    def _choices(self, here: ScarneyPosition) -> Sequence[int]:
        return [self._choice(one) for one in self.table.choices(here)]

    def _choice(self, one: Choice[ScarneyPosition]) -> int:
        assert one.data is not None
        lost = one.points < FAR
        add = one.points if lost else one.points - FAR
        words = format_choice(one.kind, one.data, OPEN_POINTS)
        if one.kind in (ChoiceKind.HIT, ChoiceKind.ROLL, ChoiceKind.DOUBLE):
            after = one.after
            kind = "held" if after.turn else "double" if after.double else "free"
            return self.words.choice(one, words, add, "throw", self.throws.index((after.live, kind)), _when(lost))
        kind = {ChoiceKind.BANK: "bank", ChoiceKind.WIN: "big", ChoiceKind.BUST: "zero"}[one.kind]
        return self.words.choice(one, words, add, kind, 0, ALWAYS if kind == "zero" else _when(lost))


def _when(lost: bool) -> int:
    return LOST if lost else ALWAYS


def _form(table: Play, here: ScarneyPosition) -> Form:
    if table.turn_begins(here):
        return (("turn", "{}"), ("live", str(DICE)))
    return tuple((name, "{}" if name == "turn" else text) for name, text in inside_form(table, here))
