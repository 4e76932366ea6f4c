"""A family of its own, to show what one takes: toss a coin as often as you dare, tails takes it all."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from keepwise.games.rule_options import Option
from keepwise.play import Choice, ChoiceKind, Field, FieldKind, PlayableGame, Stage
from keepwise.solvers import ArraySpec, PositionListing, Problem, SeatValues, ValueTable
from keepwise.util.errors import InputError

# The rules.

TITLE, FAMILY, OBJECTIVES = "Coin", "coin", ("points",)
SOURCES = ()
OPTIONS = (Option("most", 3, "heads at which everybody stops", low=1, high=9),)


def compile_rules(rules):
    """The most heads."""
    return rules["most"]


# How it is played.


@dataclass(frozen=True)
class CoinPosition:
    """``heads`` so far; ``tossing``: decided; ``ended``: the points."""

    heads: int = 0
    tossing: bool = False
    ended: tuple[Fraction, ...] = ()


class Play(PlayableGame):
    """Toss or stop."""

    fields = (
        Field("heads", FieldKind.NUMBER, "Heads so far.", is_inside_turn=True, default=0),
        Field("tossing", FieldKind.FLAG, "You have decided to toss.", is_inside_turn=True, is_column=False),
    )
    decision_kinds = ("throws",)

    def start(self):
        return CoinPosition()

    def stage(self, position):
        if position.ended:
            return Stage.TERMINAL
        return Stage.CHANCE if position.tossing or not position.heads else Stage.DECISION

    def player_to_move(self, position):
        return 0

    def is_turn_start(self, position):
        return position == CoinPosition()

    def choices(self, position):
        heads = position.heads
        stop = Choice(
            f"stop with {heads}",
            (),
            heads,
            0,
            CoinPosition(heads, ended=(Fraction(heads),)),
            kind=ChoiceKind.BANK,
        )
        toss = Choice("toss", (), heads, 1, CoinPosition(heads, tossing=True), kind=ChoiceKind.ROLL)
        return (stop, toss) if heads < self.game.data else (stop,)

    def rolls(self, position):
        yield 1, CoinPosition(ended=(Fraction(0),))
        yield 1, CoinPosition(position.heads + 1)

    def decision_before_roll(self, position):
        return CoinPosition(position.heads) if position.tossing else None

    def position_from_fields(self, heads=0, tossing=False):
        if heads > self.game.data:
            raise InputError(f"{heads} heads cannot be: everybody stops at {self.game.data}")
        return CoinPosition(heads, tossing)

    def to_dict(self, position):
        told = {"heads": position.heads} if position.heads else {}
        return told | ({"tossing": True} if position.tossing else {})


PLAYABLE = Play


# Its match.


class Points(Problem):
    """Greatest expected points: worth[h] = (best of stopping and going on with h + 1) / 2."""

    def solve(self, threads, progress):
        most = self.game.data
        worth = np.zeros(most + 1)
        for heads in range(most - 1, -1, -1):
            worth[heads] = max(heads + 1, worth[heads + 1]) / 2
        return ValueTable({"toss": worth}, 0.0)

    def array_specs(self):
        return {"toss": ArraySpec((self.game.data + 1,), 0, self.game.data)}

    def seat_values(self, solved, positions):
        found = [float(one.ended[0]) if one.ended else solved.arrays["toss"][one.heads] for one in positions]
        return SeatValues(np.array(found)[:, None], np.zeros(len(positions)))

    def list_positions(self, told):
        return PositionListing(1, [self.playable.start()])


MATCHES = {"points": "Points"}
