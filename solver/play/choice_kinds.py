"""The kinds of choices, and the data of a choice by the game that it belongs to.

Programs compare ``Choice.kind`` and ``Choice.data``; they never read ``Choice.action``, which ``choice_text`` writes
from both. Two choices with the same kind and data do the same in two positions.
"""

# Annotations are evaluated here: typing.NamedTuple would compile each that is text, which takes longer at every start.
from enum import Enum
from typing import NamedTuple


class ChoiceKind(Enum):
    """The kinds of choices, by what they do."""

    ROLL = "roll"  # roll dice, after setting some aside if the game says so
    HIT = "hit"  # roll the live dice of a frame again, with its points at risk
    DOUBLE = "double"  # double down, then roll
    TAKE_OVER = "take over"  # go on with the points and dice that the turn before has left
    KEEP = "keep"  # keep all dice as they lie, and roll no more
    SHUT = "shut"  # shut tiles
    TOUCH = "touch"  # touch a piece of some size
    TAKE = "take"  # take the piece that was touched
    PASS = "pass"  # leave the piece that was touched
    BANK = "bank"  # end the turn, which scores its points
    STOP = "stop"  # end the turn though its points do not count
    ENTER = "enter"  # end the turn by filling boxes of a scorecard
    SCORE = "score"  # the turn ends with what the dice or the piece bring; nothing is to be decided
    BUST = "bust"  # the turn ends without its points; nothing is to be decided
    WIPE = "wipe"  # the turn ends with the loss of the whole score
    WIN = "win"  # the roll wins the game at once
    OTHER = "other"  # anything else, in a game of your own


class FollowUp(str, Enum):
    """What follows a choice, as JSON and tables of rows have it under ``then``; each also equals its text.

    It is decided by the kind of the choice and its data, which say more: see ``follow_up_of``.
    """

    ROLL = "roll"  # dice are rolled, or tiles are left to shut
    THROW = "throw"  # Straight Scarney: the live dice are rolled without points at risk
    HIT = "hit"  # Straight Scarney: the live dice are rolled with the points of the frame at risk
    DOUBLE = "double"  # Straight Scarney: the player doubles down, and the live dice are rolled
    BANK = "bank"  # the turn ends by choice, and its points count
    STOP = "stop"  # the turn ends by choice without points that count; in Straight Scarney with those of the frame
    END = (
        "end"  # nothing was to be decided, the last tile is shut, all dice are kept, or boxes of a scorecard are filled
    )
    WIN = "win"  # the roll wins the game at once
    TOUCH = "touch"  # Booby Trap: the touched piece turns out to be loose or tight
    TAKE = "take"  # Booby Trap: the touched piece is taken, and holds or trips the bar
    PASS = "pass"  # Booby Trap: the next player has to move, with the touched piece in its place


class SetAside(NamedTuple):
    """Dice that are set aside before a bank or a roll.

    Attributes:
        dice: faces.
        name: name of the set that they make, "" if it has none.
        is_counted: True if the faces are names, so that people say how many of each there are.
        badge: the badge that is used with them, or before a roll without dice set aside; "" for none.
    """

    dice: tuple[str, ...] = ()
    name: str = ""
    is_counted: bool = False
    badge: str = ""


class TurnStop(NamedTuple):
    """Data of BANK and STOP in a push-your-luck turn.

    Attributes:
        set_aside: dice set aside first.
        points: the turn points that count; 0 if they do not.
        raised_points: what they count for if a badge raises them, else 0.
    """

    set_aside: SetAside
    points: int
    raised_points: int = 0


class TurnRoll(NamedTuple):
    """Data of ROLL and TAKE_OVER in a push-your-luck turn.

    Attributes:
        set_aside: dice set aside first.
        dice: number of dice to roll.
        dice_kinds: kind of each of them if the dice of the game are unlike one another, else ().
        is_fresh: True if all dice are rolled again with points in hand.
        thrown_over: faces that are rolled again if they show.
        taken_points: points taken over from the turn before.
    """

    set_aside: SetAside
    dice: int
    dice_kinds: tuple[str, ...] = ()
    is_fresh: bool = False
    thrown_over: tuple[str, ...] = ()
    taken_points: int = 0


class TurnLoss(NamedTuple):
    """Data of BUST, WIPE and WIN in a push-your-luck turn.

    Attributes:
        cost: points that the bust takes from the score.
        number: number of the bust in a row, counted from 1; 0 if rows of busts do not matter.
        is_special: True if the rules give this roll a meaning of its own.
        spared: points that the rules charge too, but that cannot be taken because no score goes below the floor.
    """

    cost: int = 0
    number: int = 0
    is_special: bool = False
    spared: int = 0


class FrameChoice(NamedTuple):
    """Data of all choices in a frame of Straight Scarney.

    Attributes:
        dice: number of live dice to roll.
        points: points that a BANK enters.
        rolled_points: points held after a scoring roll, None if no roll lies on the table or it did not score.
        is_dead_roll: True after a roll that lost dice.
    """

    dice: int = 0
    points: int = 0
    rolled_points: int | None = None
    is_dead_roll: bool = False


class CardDice(NamedTuple):
    """Data of KEEP and ROLL in a turn for a scorecard.

    Attributes:
        kept: dice that stay.
        dice: number of dice to roll.
        cost: points that the roll costs.
    """

    kept: tuple[str, ...]
    dice: int
    cost: int = 0


class BoxEntry(NamedTuple):
    """One box of a scorecard that is filled: its name, the points that count, and its part of split dice."""

    box: str
    points: int
    dice: tuple[str, ...] = ()


class BoxEntries(NamedTuple):
    """Data of ENTER: the boxes that a turn fills, one or two; ``is_win``: the entry wins the game at once."""

    entries: tuple[BoxEntry, ...]
    is_win: bool = False


class DieSetAside(NamedTuple):
    """Data of ROLL in a game of three dice: the die set aside, and the number of dice to roll."""

    die: int
    dice: int


class LastDie(NamedTuple):
    """Data of SCORE in a game of three dice: the last die, and the total that it makes."""

    die: int
    total: int


class TrioCast(NamedTuple):
    """Data of ROLL before ship, captain and mate are complete: dice set aside, and the number of dice to cast."""

    set_aside: tuple[int, ...]
    dice: int


class CrewChoice(NamedTuple):
    """Data of ROLL, BANK and BUST once the dice of the crew count.

    Attributes:
        points: points that a BANK scores.
        kept: the crew die that a ROLL keeps, None if both are cast again.
        recast: the crew die that is cast again, None if both are.
    """

    points: int = 0
    kept: int | None = None
    recast: int | None = None


class TileChoice(NamedTuple):
    """Data of ROLL, SHUT and SCORE in Shut the Box.

    Attributes:
        dice: number of dice to roll.
        tiles: tiles to shut.
        is_last: True if no tile is left then.
        points: points left at the end of the turn.
    """

    dice: int = 0
    tiles: tuple[str, ...] = ()
    is_last: bool = False
    points: int = 0


class HeartsScore(NamedTuple):
    """Data of SCORE and WIPE in Hearts Due: points of the roll."""

    points: int = 0


class PieceChoice(NamedTuple):
    """Data of all choices in Booby Trap.

    Attributes:
        size: size of the piece that is touched.
        points: points that a piece taken brings, or that a trip costs; None if points do not count.
    """

    size: str = ""
    points: int | None = None


ChoiceData = (
    TurnStop
    | TurnRoll
    | TurnLoss
    | FrameChoice
    | CardDice
    | BoxEntries
    | DieSetAside
    | LastDie
    | TrioCast
    | CrewChoice
    | TileChoice
    | HeartsScore
    | PieceChoice
)


_FOLLOW_UPS = {
    ChoiceKind.ROLL: FollowUp.ROLL,
    ChoiceKind.HIT: FollowUp.HIT,
    ChoiceKind.DOUBLE: FollowUp.DOUBLE,
    ChoiceKind.TAKE_OVER: FollowUp.ROLL,
    ChoiceKind.KEEP: FollowUp.END,
    ChoiceKind.SHUT: FollowUp.ROLL,
    ChoiceKind.TOUCH: FollowUp.TOUCH,
    ChoiceKind.TAKE: FollowUp.TAKE,
    ChoiceKind.PASS: FollowUp.PASS,
    ChoiceKind.BANK: FollowUp.BANK,
    ChoiceKind.STOP: FollowUp.STOP,
    ChoiceKind.ENTER: FollowUp.END,
    ChoiceKind.SCORE: FollowUp.END,
    ChoiceKind.BUST: FollowUp.END,
    ChoiceKind.WIPE: FollowUp.END,
    ChoiceKind.WIN: FollowUp.WIN,
    ChoiceKind.OTHER: FollowUp.END,
}
_FOLLOW_UPS_IN_FRAMES = {**_FOLLOW_UPS, ChoiceKind.ROLL: FollowUp.THROW, ChoiceKind.BANK: FollowUp.STOP}


def follow_up_of(kind: ChoiceKind, data: ChoiceData | None) -> FollowUp:
    """Return what follows a choice with this kind and data (None in a game of your own)."""
    if isinstance(data, FrameChoice):
        return _FOLLOW_UPS_IN_FRAMES[kind]
    if isinstance(data, TileChoice) and data.is_last:
        return FollowUp.END
    return _FOLLOW_UPS[kind]
