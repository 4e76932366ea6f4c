"""Choices in English: the only place that words them.

``format_choice`` writes ``keep 1 1, bank 500``, and with ``THIRD_PERSON`` what somebody else does, ``banks 500``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..util.number_format import format_count
from .choice_kinds import (
    BoxEntries,
    CardDice,
    ChoiceData,
    ChoiceKind,
    CrewChoice,
    DieSetAside,
    FrameChoice,
    HeartsScore,
    LastDie,
    PieceChoice,
    SetAside,
    TileChoice,
    TrioCast,
    TurnLoss,
    TurnRoll,
    TurnStop,
)
from .position_fields import format_shown_dice


def _third_person(verb: str) -> str:
    return f"{verb}es" if verb.endswith(("ss", "ch")) else f"{verb}s"


@dataclass(frozen=True)
class TextStyle:
    """The style in which a choice is written.

    Attributes:
        verb: makes the form of a verb from its infinitive.
        points: writes the points in hand; None for the way usual in the game.
        bust_cost: writes what a bust costs; None for the usual way.
    """

    verb: Callable[[str], str] = str
    points: Callable[[int], str] | None = None
    bust_cost: Callable[[TurnLoss], str] | None = None

    def grouped(self, points: int) -> str:
        """Return points with a comma between thousands."""
        return f"{points:,}" if self.points is None else self.points(points)

    def plain(self, points: int) -> str:
        """Return points without commas."""
        return str(points) if self.points is None else self.points(points)


IMPERATIVE = TextStyle()
THIRD_PERSON = TextStyle(verb=_third_person)


def format_choice(kind: ChoiceKind, data: ChoiceData, style: TextStyle = IMPERATIVE) -> str:
    """Return a choice in words; equal kinds and data have equal words."""
    return _FORMATTERS[type(data)](kind, data, style)


# --- push-your-luck turns


def _format_set_aside(set_aside: SetAside, style: TextStyle) -> str:
    badge = f"{style.verb('use')} {set_aside.badge.capitalize()}, " if set_aside.badge else ""
    if not set_aside.dice:
        return badge
    dice = format_shown_dice(set_aside.dice, set_aside.is_counted)
    name = f" ({set_aside.name})" if set_aside.name else ""
    return f"{badge}{style.verb('keep')} {dice}{name}, "


def _format_turn_stop(kind: ChoiceKind, data: TurnStop, style: TextStyle) -> str:
    keep = _format_set_aside(data.set_aside, style)
    if kind is ChoiceKind.BANK:
        raised = f", raised to {data.raised_points:,}" if data.raised_points not in (0, data.points) else ""
        return f"{keep}{style.verb('bank')} {style.grouped(data.points)}{raised}"
    return f"{keep}{style.verb('stop')} and {style.verb('score')} nothing"


def _format_turn_roll(kind: ChoiceKind, data: TurnRoll, style: TextStyle) -> str:
    before = _format_set_aside(data.set_aside, style)
    if kind is ChoiceKind.TAKE_OVER:
        before = f"{style.verb('take')} over {style.grouped(data.taken_points)} points, "
    dice = format_count(data.dice, "fresh die" if data.is_fresh else "die")
    if data.dice_kinds:
        counts = (f"{data.dice_kinds.count(name)} {name}" for name in dict.fromkeys(data.dice_kinds))
        dice = f"{dice} ({', '.join(counts)})"
    over = f", {' and '.join(data.thrown_over)} rolled again" if data.thrown_over else ""
    return f"{before}{style.verb('roll')} {dice}{over}"


def format_bust_cost(data: TurnLoss) -> str:
    """Return how a bust ends the turn: ``without points``, ``and costs 500 points, 3 busts in a row``."""
    cost = f"and costs {data.cost:,} points" if data.cost else "without points"
    row = f", {data.number} busts in a row" if data.number > 1 else ""
    full_cost = data.cost + data.spared
    spared = f" (the cost is {full_cost:,}, but the score can go no lower)" if data.spared else ""
    return f"{cost}{row}{spared}"


def _format_turn_loss(kind: ChoiceKind, data: TurnLoss, style: TextStyle) -> str:
    if kind is ChoiceKind.WIN:
        return "this roll wins the game at once"
    if kind is ChoiceKind.WIPE:
        return "this roll loses the whole score"
    cost = (style.bust_cost or format_bust_cost)(data)
    return f"this roll ends the turn {cost}" if data.is_special else f"bust: the turn ends {cost}"


# --- frames of Straight Scarney


def _format_frame_choice(kind: ChoiceKind, data: FrameChoice, style: TextStyle) -> str:
    if kind is ChoiceKind.WIN:
        return "Big Scarney wins the game at once"
    if kind is ChoiceKind.BUST:
        return "crapped out: the frame scores nothing"
    before = "dead roll, " if data.is_dead_roll else ""
    if data.rolled_points is not None:
        before = f"holding {style.plain(data.rolled_points)}, "
    if kind is ChoiceKind.BANK:
        return f"{before}{style.verb('stop')}: enter {style.plain(data.points)}"
    if kind is ChoiceKind.HIT:
        verb = "hit with"
    else:
        verb = f"{style.verb('double')} down with" if kind is ChoiceKind.DOUBLE else style.verb("roll")
    return f"{before}{verb} {format_count(data.dice, 'die')}"


# --- scorecards


def _format_card_dice(kind: ChoiceKind, data: CardDice, style: TextStyle) -> str:
    dice = " ".join(data.kept)
    if kind is ChoiceKind.KEEP:
        return f"{style.verb('keep')} all: {dice}"
    cost = f" for {format_count(data.cost, 'point')}" if data.cost else ""
    if not dice:
        all_dice = "the die" if data.dice == 1 else f"all {data.dice} dice"
        return f"{style.verb('roll')} {all_dice} again{cost}"
    return f"{style.verb('keep')} {dice}, {style.verb('roll')} {format_count(data.dice, 'die')}{cost}"


def _format_box_entries(kind: ChoiceKind, data: BoxEntries, style: TextStyle) -> str:
    if len(data.entries) == 1:
        (entry,) = data.entries
        return f"{style.verb('enter')} {entry.points} in {entry.box}{' and win' if data.is_win else ''}"
    return " and ".join(f"{entry.box} {entry.points} ({' '.join(entry.dice)})" for entry in data.entries)


# --- games of three dice, and Battleship


def _format_die_set_aside(kind: ChoiceKind, data: DieSetAside, style: TextStyle) -> str:
    return f"{style.verb('set')} aside {data.die}, {style.verb('roll')} {format_count(data.dice, 'die')}"


def _format_last_die(kind: ChoiceKind, data: LastDie, style: TextStyle) -> str:
    return f"the last die is {data.die}: total {data.total}"


def _format_trio_cast(kind: ChoiceKind, data: TrioCast, style: TextStyle) -> str:
    if not data.set_aside:
        return f"{style.verb('roll')} all five dice again"
    dice = " ".join(map(str, data.set_aside))
    return f"{style.verb('set')} aside {dice}, {style.verb('roll')} {data.dice} dice"


def _format_crew_choice(kind: ChoiceKind, data: CrewChoice, style: TextStyle) -> str:
    if kind is ChoiceKind.BANK:
        return f"{style.verb('stop')} and {style.verb('score')} {data.points}"
    if kind is ChoiceKind.BUST:
        return "6, 5 and 4 did not all come: the round scores nothing"
    if data.recast is None:
        return f"{style.verb('roll')} both crew dice again"
    keep, roll = style.verb("keep"), style.verb("roll")
    if data.kept == data.recast:
        return f"{keep} one {data.kept}, {roll} the other again"
    return f"{keep} the {data.kept}, {roll} the {data.recast} again"


# --- Shut the Box, Hearts Due and Booby Trap


def _format_tile_choice(kind: ChoiceKind, data: TileChoice, style: TextStyle) -> str:
    if kind is ChoiceKind.ROLL:
        return f"{style.verb('roll')} {'one die' if data.dice == 1 else 'two dice'}"
    if kind is ChoiceKind.SHUT:
        return f"{style.verb('shut')} {' '.join(data.tiles)}{', the last' if data.is_last else ''}"
    return f"{style.verb('end')} the turn with {data.points} left"


def _format_hearts_score(kind: ChoiceKind, data: HeartsScore, style: TextStyle) -> str:
    if kind is ChoiceKind.WIPE:
        return f"{style.verb('lose')} the whole score"
    return f"{style.verb('score')} {data.points or 'nothing'}"


def _format_piece_choice(kind: ChoiceKind, data: PieceChoice, style: TextStyle) -> str:
    if kind is ChoiceKind.TOUCH:
        return f"{style.verb('touch')} a {data.size} piece"
    if kind is ChoiceKind.TAKE:
        return f"{style.verb('take')} the piece"
    if kind is ChoiceKind.PASS:
        return style.verb("pass")
    if kind is ChoiceKind.SCORE:
        return "the bar holds" if data.points is None else f"the bar holds: {format_count(data.points, 'point')}"
    return "the bar trips" if data.points is None else f"the bar trips: {format_count(data.points, 'point')} lost"


_FORMATTERS: Mapping[type, Callable[[ChoiceKind, Any, TextStyle], str]] = {
    TurnStop: _format_turn_stop,
    TurnRoll: _format_turn_roll,
    TurnLoss: _format_turn_loss,
    FrameChoice: _format_frame_choice,
    CardDice: _format_card_dice,
    BoxEntries: _format_box_entries,
    DieSetAside: _format_die_set_aside,
    LastDie: _format_last_die,
    TrioCast: _format_trio_cast,
    CrewChoice: _format_crew_choice,
    TileChoice: _format_tile_choice,
    HeartsScore: _format_hearts_score,
    PieceChoice: _format_piece_choice,
}
