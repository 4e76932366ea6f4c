"""Straight Scarney: five dice with 1, 3, 4, 6 and two dead sides. Source: Straight Scarney Dice, John Scarne."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..core import multiset
from ..errors import InputError
from ..options import Option
from ..turns.push import ANY, Choice, Mode, PushTurn, Throw

TITLE = "Straight Scarney"
FAMILY = "scarney"
OBJECTIVES = ("win", "points", "chips")

OPTIONS = (
    Option("frames", 7, '"A complete game consists of seven frames"', low=1, high=20),
    Option(
        "double",
        "free",
        'before the first throw of a frame and after a dead throw the shooter may "double the points" of the next;'
        " bonuses are not doubled, and of a single die only 1 and 6; free leaves out the chip it costs; off: never;"
        " chips: it costs one chip into the pot, for the objective chips",
        choices=("free", "off", "chips"),
    ),
    Option("ante", 10, '"an agreed-upon equal number of chips" that each player has put into the pot', low=1, high=100),
    Option(
        "little",
        "score",
        'four dead dice on a throw of five: "bonus of 25 points", earlier points stay, the live die may be thrown;'
        " dead: it cancels earlier points and leaves 25",
        choices=("score", "dead"),
    ),
)

DICE = 5
FACES = ("1", "3", "4", "6", "d")
SPOTS = (1, 3, 4, 6, 0)
WEIGHTS = (1, 1, 1, 1, 2)  # the word dead stands on two opposite sides

Counts = tuple[int, ...]


def bonus(counts: Counts) -> int:
    """The one highest bonus of a live throw, of five dice or fewer; five alike is no bonus but Big Scarney."""
    alike = sorted(counts[:4], reverse=True)
    if alike[0] == 4:
        return 40
    if alike[:2] == [3, 2]:
        return 30
    if alike[0] == 3:
        return 20
    return 10 if alike[:2] == [2, 2] else 0


def spots(counts: Counts, doubled: bool) -> int:
    """Spots of a live throw; doubled, of a single die only 1 and 6 count twice."""
    single = sum(counts) == 1
    return sum(
        count * face * (2 if doubled and not (single and face in (3, 4)) else 1)
        for count, face in zip(counts, SPOTS, strict=True)
    )


@dataclass(frozen=True)
class ScarneyRules:
    """A frame's rules.

    ``big`` says whether five alike on one throw of five win the game at once; where they do not (the objective
    ``points``), they are ordinary dice: their spots, or five dead and a crap-out. ``chips`` says whether a double-down
    costs a chip; then the frame also counts the chips spent in it, from 0 to 5.
    """

    frames: int
    double: bool
    little: str
    ante: int = 0
    chips: bool = False
    big: bool = True

    @property
    def levels(self) -> int:
        """Numbers of chips that can have been spent in a frame: each double-down but the last loses a die at least."""
        return DICE + 1 if self.chips else 1

    def crapped(self, spent: int = 0) -> Choice:
        """The ending without points, by chips spent."""
        return Choice(-1 - spent)

    @property
    def big_scarney(self) -> Choice:
        """The ending that wins the game at once; it follows those without points."""
        return Choice(-1 - self.levels)

    @property
    def specials(self) -> int:
        """Number of special endings."""
        return self.levels + 1

    def outcome(self, counts: Counts, doubled: bool, spent: int = 0) -> Choice:
        """What a throw leads to, by the counts of its faces: a mode and points, Big Scarney, or crapping out."""
        dice, dead = sum(counts), counts[4]
        if self.big and max(counts) == DICE:
            return self.big_scarney
        if dead == 0:
            alike = 0 if max(counts) == DICE else bonus(counts)
            return Choice(self.holding(dice, spent), spots(counts, doubled) + alike)
        if dice == DICE and dead == 4:
            return Choice(self.holding(1, spent), 25, keeps=self.little == "score")
        return Choice(self.free(dice - dead, spent), 0, keeps=False) if dead < dice else self.crapped(spent)

    @cached_property
    def _places(self) -> dict[tuple[int, bool, int], int]:
        """(live dice, whether points are held, chips spent) -> mode; fewer dice first: dead throws only lead there."""
        places = [
            (live, holds, spent)
            for live in range(1, DICE + 1)
            for holds in (True, False)
            for spent in range(min(self.levels, DICE + 1 + holds - live))
        ]
        return {place: mode for mode, place in enumerate(places)}

    def holding(self, live: int, spent: int = 0) -> int:
        """The mode in which so many dice are live and points are held: stop or hit."""
        return self._places[live, True, spent]

    def free(self, live: int, spent: int = 0) -> int:
        """The mode in which so many dice are live and no points are held: throw, or double down."""
        return self._places[live, False, spent]

    def live(self, mode: int) -> int:
        """Dice that are live in a mode."""
        return next(live for (live, _, _), place in self._places.items() if place == mode)

    @cached_property
    def turn(self) -> PushTurn:
        """The frame, where chips do not count."""
        return self.frame(0)

    def frame(self, block: int) -> PushTurn:
        """Compile the frame; with chips, the endings of each number spent begin ``block`` after those of one fewer."""
        modes = []
        for live, holds, spent in self._places:
            name = f"{live} live, holding {'points' if holds else 'nothing'}"
            throws = [self.throw(live, False, spent)]
            if not holds and self.double:
                throws.append(self.throw(live, True, spent + self.chips))
            bank = block * spent if holds else None
            modes.append(Mode(name, bank=bank, bank_from=1, throws=tuple(throws), most=ANY if holds else 0))
        groups = [[mode] for mode in range(len(modes))]
        return PushTurn(modes, groups, self.free(DICE), self.specials)

    def throw(self, live: int, doubled: bool, spent: int = 0) -> Throw:
        """Compile a throw of the live dice."""
        rows = multiset.multisets(live, len(FACES))
        classes: dict[tuple[Choice, ...], int] = {}
        for counts, ways in zip(rows.tolist(), multiset.weights(rows, WEIGHTS).tolist(), strict=True):
            key = (self.outcome(tuple(counts), doubled, spent),)
            classes[key] = classes.get(key, 0) + ways
        return Throw(tuple(classes.items()))


def compile_rules(rules: Mapping[str, Any]) -> ScarneyRules:
    """Return the rules as data."""
    double = rules["double"]
    return ScarneyRules(rules["frames"], double != "off", rules["little"], rules["ante"], chips=double == "chips")


@dataclass(frozen=True)
class ScarneyPosition:
    """A position of a match and, inside a frame, of the frame.

    ``frame`` counts from 1; ``seat`` is 0 for the shooter who starts each frame and 1 for the other. ``live`` dice are
    thrown next, or lie on the table as ``roll``, thrown ``doubled`` or not; ``turn`` points are held. An ``opposite``
    die has been turned over: its roll reads as the side below.
    """

    frame: int
    seat: int
    score: int
    opponent: int
    turn: int
    live: int
    roll: Counts | None
    doubled: bool
    opposite: bool
    pot: int = 0  # chips on the table, where chips count

    @property
    def frame_begins(self) -> bool:
        """Whether the frame's first throw is still to come."""
        return self.roll is None and self.turn == 0 and self.live == DICE

    def as_json(self) -> dict[str, Any]:
        """Return the position in the shape that scripts rely on."""
        shape: dict[str, Any] = {
            "frame": self.frame,
            "seat": self.seat,
            "score": self.score,
            "opponents": [self.opponent],
        }
        if self.pot:
            shape["pot"] = self.pot
        if not self.frame_begins:
            shape |= {"turn": self.turn, "live": self.live}
        if self.roll is not None:
            shape["roll"] = [face for face, count in zip(FACES, self.roll, strict=True) for _ in range(count)]
            shape |= {key: True for key, said in (("double", self.doubled), ("opposite", self.opposite)) if said}
        return shape


def read_dice(roll: object) -> Counts:
    """Return the counts of a roll: dead dice as d, or as the 2s and 5s of ordinary dice, but not both."""
    text = roll if isinstance(roll, str) else " ".join(str(face) for face in roll)  # type: ignore[attr-defined]
    shown = text.replace(",", "").replace(" ", "").lower()
    if not shown:
        raise InputError("the roll is empty; write it like 1346d")
    for face in shown:
        if face not in "1346d25":
            raise InputError(f"no Scarney die shows {face}; it has 1, 3, 4, 6 and d (dead; 2 and 5 on ordinary dice)")
    if "d" in shown and ("2" in shown or "5" in shown):
        raise InputError(f"{text} mixes d with 2 or 5: write d on Scarney dice, or 2 and 5 on ordinary ones")
    shown = shown.replace("2", "d").replace("5", "d")
    if len(shown) > DICE:
        raise InputError(f"{len(shown)} dice are too many: Scarney is played with {DICE}")
    return tuple(shown.count(face) for face in FACES)


def read_frame(
    rules: ScarneyRules, turn: object, live: object, roll: object, double: bool, opposite: bool
) -> tuple[int, int, Counts | None, bool, bool]:
    """Return points held, live dice, the roll, and whether it was doubled or turned over, checked against the rules."""
    held = _whole(turn, "turn", 0, 100_000)
    counts = None if roll is None else read_dice(roll)
    dice = DICE if counts is None else sum(counts)
    if live is not None:
        dice = _whole(live, "live", 1, DICE)
        if counts is not None and sum(counts) != dice:
            raise InputError(f"{dice} dice are live, but the roll shows {sum(counts)}")
    if double and not rules.double:
        raise InputError("nobody may double down under double=off")
    if double and held:
        raise InputError(f"nobody may double down while holding points, and {held} are held")
    if double and counts is None:
        raise InputError("double says how the roll was thrown; without a roll, advice ranks throwing and doubling down")
    if opposite and dice != 1:
        raise InputError(f"opposite can be called with a single live die only, not with {dice}")
    mode = rules.holding(dice) if held else rules.free(dice)
    if not rules.turn.reachable(held)[mode] >> held & 1:
        raise InputError(f"{held} points cannot be held with {dice} live dice")
    if opposite and counts is not None:
        ones, threes, fours, sixes, dead = counts
        counts = (sixes, fours, threes, ones, dead)
    return held, dice, counts, double, opposite


def _whole(value: object, what: str, low: int, high: int) -> int:
    try:
        number = int(str(value))
    except ValueError:
        raise InputError(f"{what} {value} is not a whole number") from None
    if not low <= number <= high:
        raise InputError(f"{what} {number} must lie between {low} and {high:,}")
    return number


def read_match(
    rules: ScarneyRules, frame: object, seat: object, score: object, opponents: Any
) -> tuple[int, int, int, int]:
    """Return frame, seat and the two totals, which nobody can have before their first frame."""
    number, shooter = _whole(frame, "frame", 1, rules.frames), _whole(seat, "seat", 0, 1)
    if len(opponents) != 1:
        raise InputError(f"there is one opponent, so one score of opponents is needed, not {len(opponents)}")
    mine, theirs = _whole(score, "score", 0, 100_000), _whole(opponents[0], "the opponent's score", 0, 100_000)
    if mine and number == 1:
        raise InputError(f"score {mine} cannot be: in frame 1 you have entered nothing yet")
    if theirs and number == 1 and shooter == 0:
        raise InputError(f"the opponent's score {theirs} cannot be: in frame 1 the first shooter meets nothing yet")
    return number, shooter, mine, theirs


def read_pot(rules: ScarneyRules, pot: object, position: ScarneyPosition) -> int:
    """Return the chips in the pot: the antes, and one for every double-down that can have been made so far.

    The last frame may be an extra one, with as many chips as the tables hold.
    """
    antes = 2 * rules.ante
    last = position.frame == rules.frames
    frames = 2 * rules.frames - 1 if last else 2 * (position.frame - 1) + position.seat
    doubles = DICE * frames + DICE - position.live + (position.turn > 0 or position.doubled)
    return antes if pot is None else _whole(pot, "pot", antes, antes + doubles)
