"""Page data of Straight Scarney: a frame in words, and the values between frames."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from ...play.choice_kinds import ChoiceKind, FrameChoice
from ...play.playable_game import Choice, Stage
from ...play.scarney import DEAD_FACES, DICE, FACES, ScarneyGame, ScarneyPosition
from ...solvers import Problem, ValueTable
from ...solvers.scarney.problem import CAP_STEP, Frame, ScarneyProblem
from .choice_data import encode_choice
from .graph import ALWAYS, LOST, Form, PageTurnGraph, inside_form

FAR = 987_654  # points in hand to which a roll adds; the page fills in a sum with them
MAX_HELD = 1000  # points in hand that are listed as possible

# Kinds of throws: with points in hand, without, and doubled down.
HELD, FREE, DOUBLE = "held", "free", "double"
THROW_CHOICES = {HELD: ChoiceKind.HIT, FREE: ChoiceKind.ROLL, DOUBLE: ChoiceKind.DOUBLE}


def unsupported_properties(problem: Problem[Any]) -> dict[str, bool]:
    """Return whether a problem has each of the properties for which there is no page."""
    return {"Scarney's chips": problem.objective == "chips", "Scarney with three or more players": problem.players > 2}


def parts(problem: ScarneyProblem, value_table: ValueTable) -> dict[str, Any]:
    """Return the data and arrays of a page that depend on the family."""
    playable = problem.playable
    walk = _FrameWalk(problem)
    root = walk.run()
    start = Frame((0,) * problem.players, 0, 1, (), 0)
    arrays = {name: value_table.arrays[name] for name in ("first", "second") if name in value_table.arrays}
    is_one_player = problem.players == 1
    return {
        "family": "scarney",
        "kernel": "push",
        "channels": "mover",
        "match": {
            "root": root,
            "frames": playable.frames,
            "cap": problem.frame_turn(value_table, start).lane.cap,
            "beyond": CAP_STEP,
            "points": float(problem.seat_values(value_table, [playable.start()]).values[0, 0])
            if is_one_player
            else None,
            "same": DEAD_FACES,
            "held": [f"{playable.reachable_points(live, MAX_HELD):x}" for live in range(1, DICE + 1)],
        },
        "graph": walk.graph.as_json(),
        "turn": problem.rules.turn,
        "arrays": arrays,
    }


class _Throw(NamedTuple):
    """A throw of a frame: the number of live dice, and its kind."""

    live: int
    kind: str


class _FrameWalk:
    """A walk through the throws and decisions of a frame."""

    def __init__(self, problem: ScarneyProblem) -> None:
        self.rules, self.playable = problem.rules, problem.playable
        self.graph = PageTurnGraph(FACES)
        self.throws = [
            _Throw(live, kind)
            for live in range(1, DICE + 1)
            for kind in (HELD, FREE, DOUBLE)
            if kind != DOUBLE or self.playable.may_double
        ]
        self.decisions: dict[tuple[Any, bool], int] = {}  # by roll, and whether it was doubled

    def run(self) -> tuple[str, int]:
        """Add all throws to the graph; return the kind and the number of the node in which a frame begins."""
        for throw in self.throws:
            self._add_throw(throw)
        playable, start = self.playable, self.playable.start()
        if not playable.may_double:
            return "throw", self.throws.index(_Throw(DICE, FREE))
        return "choose", self.graph.decision(self._choices(start), (), (), playable.note(start))

    def _add_throw(self, throw: _Throw) -> None:
        playable, rules = self.playable, self.rules
        live, is_held, is_double = throw.live, throw.kind == HELD, throw.kind == DOUBLE
        position = self._before_throw(throw)
        outcomes = [(weight, self._decision_of(rolled)) for weight, rolled in playable.rolls(position)]
        mishap = playable.mishap_probability(position)
        self.graph.throw(
            _form(playable, position),
            [decision for _, decision in outcomes],
            [weight for weight, _ in outcomes],
            dice=live,
            before=-1 if is_double else self._decision_before(throw),
            mode=rules.points_mode(live) if is_held else rules.no_points_mode(live),
            way=int(is_double),
            act=encode_choice(THROW_CHOICES[throw.kind], FrameChoice(dice=live)),
            offset=0,
            note=playable.note(position),
            held=f"{playable.reachable_points(live, MAX_HELD) if is_held else 1:x}",
            mishap=None if mishap is None else float(mishap),
        )

    def _before_throw(self, throw: _Throw) -> ScarneyPosition:
        """Return the position before a throw."""
        turn = FAR if throw.kind == HELD else 0
        is_throwing = bool(turn) or self.playable.may_double
        start = self.playable.start()
        return replace(start, live=throw.live, turn=turn, double=throw.kind == DOUBLE, throwing=is_throwing)

    def _decision_of(self, after_roll: ScarneyPosition) -> int:
        """Return the decision after a roll; it is the same for all points in hand."""
        key = after_roll.roll, after_roll.double
        if key not in self.decisions:
            assert after_roll.roll is not None
            position = replace(after_roll, turn=FAR)
            form, note = _form(self.playable, position), self.playable.note(position)
            self.decisions[key] = self.graph.decision(self._choices(position), form, after_roll.roll, note)
        return self.decisions[key]

    def _decision_before(self, throw: _Throw) -> int:
        """Return the decision before a throw; -1 if there is none."""
        playable = self.playable
        position = replace(self._before_throw(throw), throwing=False)
        if playable.stage(position) is not Stage.DECISION:
            return -1
        return self.graph.decision(self._choices(position), _form(playable, position), (), playable.note(position))

    def _choices(self, position: ScarneyPosition) -> list[int]:
        return [self._add_choice(choice) for choice in self.playable.choices(position)]

    def _add_choice(self, choice: Choice[ScarneyPosition]) -> int:
        assert choice.data is not None
        is_lost = choice.points < FAR  # the points in hand are gone
        added_points = choice.points if is_lost else choice.points - FAR
        when = LOST if is_lost else ALWAYS
        act = encode_choice(choice.kind, choice.data, open_from=FAR)
        if choice.kind in (ChoiceKind.HIT, ChoiceKind.ROLL, ChoiceKind.DOUBLE):
            after = choice.after
            throw = _Throw(after.live, HELD if after.turn else DOUBLE if after.double else FREE)
            return self.graph.choice(choice, act, added_points, "throw", self.throws.index(throw), when)
        kind = {ChoiceKind.BANK: "bank", ChoiceKind.WIN: "big", ChoiceKind.BUST: "zero"}[choice.kind]
        return self.graph.choice(choice, act, added_points, kind, 0, ALWAYS if kind == "zero" else when)


def _form(playable: ScarneyGame, position: ScarneyPosition) -> Form:
    """Return the fields of a position, with the points in hand left open."""
    if playable.is_turn_start(position):
        return (("turn", "{}"), ("live", str(DICE)))
    return tuple((name, "{}" if name == "turn" else text) for name, text in inside_form(playable, position))
