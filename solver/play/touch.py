"""Booby Trap as people play it.

A player chooses a size, touches a piece, feels how it sits, and takes it or passes. A piece that is taken brings its
points, or it trips the bar and costs points; a score may be negative. A passed piece goes back unknown. If all players
have passed twice in a row, the next piece has to be taken. The game ends when only as many pieces are left as there are
players. For the objective ``win`` the players with the highest score share the win. For ``margin`` every other player
pays one for each point behind them, and they share that. A single player (``reach``) takes all pieces but one with no
more trips than allowed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from math import lcm
from typing import Any

from ..games.booby_trap import TouchRules, must_take
from ..games.touch_odds import SIZES
from ..util.errors import InputError, argument, list_alternatives
from ..util.number_format import format_count
from .choice_kinds import ChoiceKind, PieceChoice
from .choice_text import format_choice
from .playable_game import Choice, PlayableGame, Stage, WeightedRoll, make_choice, replace_fields
from .position_fields import Field, FieldKind, Role
from .seats import SEAT, SeatedPosition, opponents_field, parse_seats, scores_by_seat

PiecesLeft = tuple[int, int, int]
Pieces = tuple[int, int, int, int]  # large, medium and small ones won, and in all

FORCED = "Every player has passed twice in a row: the piece that is touched must be taken."
FORCED_ALONE = "You have passed twice in a row: the piece must be taken."
NO_PASSES = "Passing is not allowed: the piece that is touched must be taken."
ONE_SIZE = "Only one size may be touched."
RESULT_FILLERS = (  # in the result of a whole turn
    *("i", "he", "she", "they", "took", "a", "the", "piece", "one", "and", "it", "bar", "held", "on", "then"),
)
TOUCH_VERBS = ("touched", "felt")  # say what a turn brought only together with its end
TURN_ENDS = {"took", "held", "pass", "passed", "passes", "tripped"}


@dataclass(frozen=True)
class TouchPosition(SeatedPosition):
    """A position of Booby Trap.

    Attributes:
        left: large, medium and small pieces left.
        scores: by seat, () for a single player.
        trips: trips so far of a single player.
        seat: the player to move.
        passes: passes in a row.
        size: size of the piece that is touched, None before.
        feel: how it sits, None before it is felt.
        taking: True if the player has decided to take it.
        tripped: whether the bar tripped, None before.
        ended: what each seat gets in a terminal position, else ().
    """

    left: PiecesLeft
    scores: tuple[int, ...] = ()
    trips: int = 0
    seat: int = 0
    passes: int = 0
    size: int | None = None
    feel: int | None = None
    taking: bool = False
    tripped: bool | None = None
    ended: tuple[Fraction, ...] = ()


class TouchGame(PlayableGame[TouchPosition]):
    """Booby Trap."""

    def prepare(self) -> None:
        """Compute what the game needs of its rules, and list the fields of a position."""
        self.rules: TouchRules = replace(self.game.data, players=self.players)
        if sum(self.rules.board) <= self.rules.last_pieces:
            raise InputError(
                f"the board has {sum(self.rules.board)} pieces, but the game ends when {self.players} are left"
            )
        self.fields = tuple(self._fields())

    def validate_parameters(self, goal: int | None, turns: int | None) -> dict[str, int]:
        """Return no parameters: the option ``trips`` says how many trips are allowed."""
        if (goal, turns) != (None, None):
            name = "turns" if goal is None else "goal"
            raise InputError(
                f"{argument(name)} cannot be combined with Booby Trap; the option trips sets the number of"
                " trips allowed"
            )
        return {}

    def _fields(self) -> Iterator[Field]:
        yield Field("left", FieldKind.NUMBERS, "Large, medium and small pieces left (default: all).", columns=SIZES)
        if self.players > 1:
            yield Field("score", FieldKind.POINTS, "Your score; it may be negative.", min_value=None, role=Role.SCORE)
            yield opponents_field(self.players, low=None)
            yield SEAT
        else:
            yield Field("trips", FieldKind.NUMBER, "Trips so far.")
        if self.rules.can_pass:
            yield Field("passes", FieldKind.NUMBER, "The number of turns in a row that have ended with a pass.")
        size = "The size of the piece just touched: large, medium or small."
        yield Field("touched", FieldKind.WORD, size, is_inside_turn=True, words=SIZES)
        feels = ", ".join(self.rules.odds.feels)
        yield Field(
            "feel",
            FieldKind.WORD,
            f"How the touched piece sits: {feels}.",
            is_inside_turn=True,
            words=tuple(self.rules.odds.feels),
            role=Role.FEEL,
        )
        yield Field(
            "taking",
            FieldKind.FLAG,
            "You have decided to take the touched piece.",
            is_inside_turn=True,
            is_column=False,
        )
        yield Field(
            "tripped",
            FieldKind.FLAG,
            "Whether the bar tripped when you took the piece.",
            is_inside_turn=True,
            is_column=False,
        )

    # --- the rules, in the order of a turn

    def start(self) -> TouchPosition:
        """Return the first turn, with all pieces and no points."""
        return TouchPosition(self.rules.board, (0,) * self.players if self.players > 1 else ())

    def is_turn_start(self, position: TouchPosition) -> bool:
        """Return whether no piece has been touched in this turn."""
        return position.size is None and not position.ended

    def stage(self, position: TouchPosition) -> Stage:
        """Return the stage: choose a size, feel the piece, take it or pass; then it holds or trips."""
        if position.ended:
            return Stage.TERMINAL
        if position.size is None or position.tripped is not None:
            return Stage.DECISION
        return Stage.CHANCE if position.feel is None or position.taking else Stage.DECISION

    def choices(self, position: TouchPosition) -> tuple[Choice[TouchPosition], ...]:
        """Return large before small pieces, and to pass before to take."""
        rules, size = self.rules, position.size
        if size is None:
            return tuple(
                make_choice(
                    ChoiceKind.TOUCH,
                    PieceChoice(name),
                    replace_fields(position, size=piece_size),
                    points=rules.points[piece_size],
                )
                for piece_size, name in enumerate(SIZES)
                if self._may_touch(position.left, piece_size)
            )
        if position.tripped is not None:
            return (self._end_turn(position, size, position.tripped),)
        taking = replace_fields(position, taking=True)
        take = make_choice(ChoiceKind.TAKE, PieceChoice(), taking, points=rules.points[size])
        if self._must_take(position):
            return (take,)
        following = (position.seat + 1) % self.players
        back = replace_fields(position, seat=following, passes=position.passes + 1, size=None, feel=None)
        return make_choice(ChoiceKind.PASS, PieceChoice(), back), take

    def _may_touch(self, left: PiecesLeft, size: int) -> bool:
        """Return whether a piece of a size is left and, if sizes go in order, no smaller one is."""
        return left[size] > 0 and not (self.rules.is_in_order and any(left[size + 1 :]))

    def _must_take(self, position: TouchPosition) -> bool:
        return not self.rules.can_pass or must_take(position.passes, self.players)

    def rolls(self, position: TouchPosition) -> Iterator[WeightedRoll[TouchPosition]]:
        """Yield the feels that a piece may have; or whether it holds or trips."""
        size = position.size
        assert size is not None
        if not position.taking:
            for feel, weight in enumerate(self._feel_weights[size]):
                if weight:
                    yield weight, replace_fields(position, feel=feel)
            return
        assert position.feel is not None
        trip = self.rules.odds.trip_chances[size][position.feel]
        if trip < 1:
            yield trip.denominator - trip.numerator, replace_fields(position, feel=None, taking=False, tripped=False)
        if trip > 0:
            yield trip.numerator, replace_fields(position, feel=None, taking=False, tripped=True)

    @cached_property
    def _feel_weights(self) -> tuple[tuple[int, ...], ...]:
        """Weights of the feels by size, over a common denominator."""
        denominators = [lcm(*(chance.denominator for chance in row)) for row in self.rules.odds.feel_chances]
        rows = zip(self.rules.odds.feel_chances, denominators, strict=True)
        return tuple(tuple(int(chance * whole) for chance in row) for row, whole in rows)

    def _end_turn(self, position: TouchPosition, size: int, tripped: bool) -> Choice[TouchPosition]:
        """Return the only choice after a piece was taken: the next turn, or the end of the game."""
        rules, seat = self.rules, position.seat
        kind = ChoiceKind.BUST if tripped else ChoiceKind.SCORE
        points = -rules.penalty if tripped else rules.points[size]
        large, medium, small = (count - (piece == size) for piece, count in enumerate(position.left))
        left, is_over = (large, medium, small), sum(position.left) - 1 <= rules.last_pieces
        if self.players == 1:
            trips = position.trips + tripped
            payoffs = (Fraction(int(trips <= rules.trips)),) if is_over or trips > rules.trips else ()
            return make_choice(kind, PieceChoice(), TouchPosition(left, trips=trips, ended=payoffs))
        scores = (*position.scores[:seat], position.score + points, *position.scores[seat + 1 :])
        following = (seat + 1) % self.players
        after = TouchPosition(left, scores, seat=following, ended=self._payoffs(scores) if is_over else ())
        data = PieceChoice(points=rules.penalty if tripped else points)
        return make_choice(kind, data, after, points=points)

    def _payoffs(self, scores: tuple[int, ...]) -> tuple[Fraction, ...]:
        best_score = max(scores)
        pot = 1 if self.objective == "win" else sum(best_score - score for score in scores)
        share = Fraction(pot, scores.count(best_score))
        return tuple(
            share if final_score == best_score else Fraction(0 if self.objective == "win" else final_score - best_score)
            for final_score in scores
        )

    def describe_progress(self, position: TouchPosition) -> str:
        """Return the pieces that are left."""
        left = [f"{count} {size}" for count, size in zip(position.left, SIZES, strict=True) if count]
        return f"left: {', '.join(left) or 'no piece'}"

    def describe_turn_results(self, position: TouchPosition) -> str:
        """Return the results of a turn that can be entered."""
        *sizes, smallest = SIZES
        sizes_only = f"{', '.join(sizes)} or {smallest}; add tripped if the bar tripped"
        return (
            sizes_only if self._must_take(position) else f"{', '.join(SIZES)} or pass; add tripped if the bar tripped"
        )

    def result_question(self, position: TouchPosition) -> str:
        """Return the question for the result of somebody's whole turn."""
        pass_ = "" if self._must_take(position) else ", or did they pass"
        return f"which piece did they take{pass_}?"

    def play_whole_turn(self, position: TouchPosition, result_text: str) -> TouchPosition:
        """Return the position after ``pass``, or after a piece was taken: ``large``, or ``large, tripped``."""
        words = _plain_result(result_text)
        sizes, others = [word for word in words if word in SIZES], [word for word in words if word not in SIZES]
        if others in (["pass"], ["passed"], ["passes"]):
            if self._must_take(position):
                raise InputError("a pass is not allowed here: the piece must be taken")
            size = next(
                touched_size for touched_size in range(len(SIZES)) if self._may_touch(position.left, touched_size)
            )
            return self.choices(replace_fields(position, size=size, feel=0))[0].after
        if len(sizes) != 1 or others not in ([], ["tripped"]):
            raise InputError(
                f"{result_text.strip()} is not the result of a turn; type pass, a size"
                f" ({list_alternatives(SIZES)}), or a size and tripped"
            )
        size = SIZES.index(sizes[0])
        if not self._may_touch(position.left, size):
            raise InputError(f"a {sizes[0]} piece cannot be touched here; {self._touchable_sizes(position.left)}")
        return self._end_turn(position, size, bool(others)).after

    def recorded_result(self, position: TouchPosition, result_text: str) -> str:
        """Return the result of a turn as game files record it: ``pass``, ``large`` or ``large tripped``."""
        words = _plain_result(result_text)
        is_pass = not {"tripped", *SIZES}.issuperset(words)
        return "pass" if is_pass else " ".join(sorted(words, key="tripped".__eq__))

    def mishap_probability(self, position: TouchPosition) -> Fraction | None:
        """Return the probability that the piece trips the bar; None if no piece is being taken."""
        if not position.taking or position.size is None or position.feel is None:
            return None
        return self.rules.odds.trip_chances[position.size][position.feel]

    def describe_roll(self, position: TouchPosition) -> tuple[str, int]:
        """Return what is to be found out next, and 0 dice."""
        size = SIZES[position.size or 0]
        return (format_choice(ChoiceKind.TAKE, PieceChoice()) if position.taking else f"feel the {size} piece"), 0

    def rolls_dice(self, position: TouchPosition) -> bool:
        """Return False: pieces are touched and taken."""
        return False

    def roll_question(self, position: TouchPosition) -> str:
        """Return the question how the piece feels, or whether the bar trips."""
        if position.taking:
            return "Did the bar trip, yes or no?"
        *feels, last_feel = self.rules.odds.feels
        return f"How does it feel: {', '.join(feels)} or {last_feel}?"

    def note(self, position: TouchPosition) -> str:
        """Return what a player should know besides the choices."""
        if self.stage(position) is not Stage.DECISION or position.tripped is not None:
            return ""
        note = ""
        if self._must_take(position):
            note = NO_PASSES if not self.rules.can_pass else FORCED if self.players > 1 else FORCED_ALONE
        if position.size is None and len(self.choices(position)) == 1:
            note = f"{note} {ONE_SIZE}".strip()
        return note

    # --- turns alike

    mishap_words = ("trips", "tripping")

    def turn_key(self, start: TouchPosition) -> Hashable:
        """Return the pieces left and the passes in a row, on which the choices depend."""
        return start.left, start.passes

    def move_to_turn(self, position: TouchPosition, start: TouchPosition) -> TouchPosition:
        """Return the position with other scores, or other trips."""
        return replace_fields(position, scores=start.scores, trips=start.trips, seat=start.seat)

    # --- positions in words

    def position_from_fields(
        self,
        left: Sequence[int] | None = None,
        score: int = 0,
        opponents: Sequence[int] | None = None,
        seat: int = 0,
        trips: int = 0,
        passes: int = 0,
        touched: str | None = None,
        feel: str | None = None,
        taking: bool = False,
        tripped: bool | None = None,
    ) -> TouchPosition:
        """Return the position with these field values; an error says what can occur."""
        size = None if touched is None else SIZES.index(touched)
        feel_number = None if feel is None else self.rules.odds.feels.index(feel)
        pieces = self._read_left(left)
        pieces_gone = (
            self.rules.board[0] - pieces[0],
            self.rules.board[1] - pieces[1],
            self.rules.board[2] - pieces[2],
        )
        scores: tuple[int, ...] = ()
        if self.players == 1:
            self._check_trips(trips, sum(pieces_gone))
        else:
            scores = self._read_scores(pieces_gone, score, opponents, seat)
        limit = self.rules.max_passes
        if passes > limit:
            raise InputError(f"{argument('passes')} must be at most {limit}, not {passes}")
        if size is None and feel_number is not None:
            raise InputError(f"{argument('feel')} requires {argument('touched')}, the size of the piece")
        if size is None and (taking or tripped is not None):
            raise InputError(
                f"{argument('taking' if taking else 'tripped')} requires {argument('touched')}, the size of the piece"
            )
        if size is not None:
            self._check_touched(pieces, size)
        if tripped is not None:  # how it felt no longer matters
            return TouchPosition(pieces, scores, trips, seat, passes, size, tripped=tripped)
        if taking and feel is None:
            raise InputError(
                f"{argument('taking')} requires {argument('feel')}, how the piece sits:"
                f" {', '.join(self.rules.odds.feels)}"
            )
        return TouchPosition(pieces, scores, trips, seat, passes, size, feel_number, taking)

    def _check_trips(self, trips: int, pieces_gone: int) -> None:
        """Raise InputError if a single player cannot have had so many trips."""
        if trips > self.rules.trips:
            raise InputError(
                f"{argument('trips')} must be at most {self.rules.trips}, not {trips}: with more, the game is lost"
            )
        if trips > pieces_gone:
            raise InputError(
                f"{argument('trips')} must be at most {pieces_gone}, the number of pieces taken so far, not {trips}"
            )

    def _touchable_sizes(self, pieces: PiecesLeft) -> str:
        """Return the sizes of pieces that may be touched, as the end of a message."""
        sizes = [name for size, name in enumerate(SIZES) if pieces[size] and self._may_touch(pieces, size)]
        return f"touch a {list_alternatives(sizes)} piece"

    def _check_touched(self, pieces: PiecesLeft, size: int) -> None:
        """Raise InputError if a piece of this size cannot have been touched."""
        if not pieces[size]:
            raise InputError(f"no {SIZES[size]} piece is left to touch; {self._touchable_sizes(pieces)}")
        if not self._may_touch(pieces, size):
            raise InputError(
                f"a {SIZES[size]} piece cannot be touched while smaller pieces are left;"
                f" {self._touchable_sizes(pieces)}"
            )

    def _read_left(self, left: Sequence[int] | None) -> PiecesLeft:
        rules = self.rules
        if left is None:
            return rules.board
        if len(left) != 3:
            raise InputError(
                f"{argument('left')}: expected 3 numbers (large, medium and small pieces), got {len(left)}"
            )
        for size, count, most in zip(SIZES, left, rules.board, strict=True):
            if count > most:
                raise InputError(
                    f"{argument('left')} must be at most {most} for {size} pieces, as many as at the start, not {count}"
                )
        if sum(left) <= rules.last_pieces:
            over = f"{rules.last_pieces} pieces are" if rules.last_pieces > 1 else "one piece is"
            raise InputError(
                f"{argument('left')} cannot be {sum(left)} pieces in all: the game is over when {over} left"
            )
        if rules.is_in_order:
            for place in (0, 1):
                if left[place] < rules.board[place] and any(left[place + 1 :]):
                    raise InputError(
                        f"{argument('left')}: {SIZES[place]} pieces cannot have been taken while smaller pieces"
                        " are left"
                    )
        return left[0], left[1], left[2]

    def _read_scores(
        self, taken_pieces: PiecesLeft, score: int, opponents: Sequence[int] | None, seat: int
    ) -> tuple[int, ...]:
        mover, _ = parse_seats(seat, None, self.players)
        scores = scores_by_seat(score, opponents, mover, self.players)
        if not are_possible_scores(self.rules, taken_pieces, scores):
            score_list = " and ".join(map(str, (score, *(opponents or (0,) * (self.players - 1)))))
            pieces = format_count(sum(taken_pieces), "piece")
            raise InputError(f"the scores {score_list} are not possible after {pieces} taken")
        return scores

    def to_dict(self, position: TouchPosition) -> dict[str, Any]:
        """Return the field values of a position."""
        values: dict[str, Any] = {"left": list(position.left)}
        if self.players > 1:
            values |= {"score": position.score, "opponents": list(position.opponents)}
        else:
            values["trips"] = position.trips
        if position.seat:
            values["seat"] = position.seat
        if self.rules.can_pass:
            values["passes"] = position.passes
        if position.size is not None:
            values["touched"] = SIZES[position.size]
        if position.feel is not None:
            values["feel"] = self.rules.odds.feels[position.feel]
        if position.taking:
            values["taking"] = True
        if position.tripped is not None:
            values["tripped"] = position.tripped
        return values


def are_possible_scores(rules: TouchRules, taken_pieces: PiecesLeft, scores: Sequence[int]) -> bool:
    """Return whether scores can come from the pieces that are gone.

    Each piece brought points or a penalty to a player, or jumped out. The search goes player by player. It keeps the
    smallest sets of pieces, by size won and in all, that explain the scores so far.
    """
    if max(map(abs, scores)) > sum(taken_pieces) * max(*rules.points, rules.penalty):
        return False
    used: list[Pieces] = [(0, 0, 0, 0)]
    for score in scores:
        ways = _ways(rules.points, rules.penalty, taken_pieces, score)
        used = _fewest(
            {(a + e, b + f, c + g, d + h) for a, b, c, d in used for e, f, g, h in ways},
            (*taken_pieces, sum(taken_pieces)),
        )
    return bool(used)


@lru_cache(maxsize=10_000)
def _ways(worth: PiecesLeft, penalty: int, taken_pieces: PiecesLeft, score: int) -> list[Pieces]:
    """Return the sets of pieces that explain the score of one player."""
    ways: list[Pieces] = []
    for a, b, c in product(*(range(count + 1) for count in taken_pieces)):
        over = a * worth[0] + b * worth[1] + c * worth[2] - score
        trips, remainder = divmod(over, penalty) if penalty else (0, over)
        if trips >= 0 and not remainder:
            ways.append((a, b, c, a + b + c + trips))
    return _fewest(ways, (*taken_pieces, sum(taken_pieces)))


def _fewest(ways: Iterable[Pieces], most: Pieces) -> list[Pieces]:
    """Return the sets of pieces that are available, without any that contains another one."""
    fewest: list[Pieces] = []
    p, q, r, s = most
    for way in sorted(
        (
            candidate
            for candidate in ways
            if candidate[3] <= s and candidate[0] <= p and candidate[1] <= q and candidate[2] <= r
        ),
        key=sum,
    ):
        a, b, c, d = way
        if not any(e <= a and f <= b and g <= c and h <= d for e, f, g, h in fewest):
            fewest.append(way)
    return fewest


def _plain_result(text: str) -> list[str]:
    """Return the words of the result of a turn, without those that only make a sentence of it."""
    words = text.lower().replace(",", " ").split()
    fillers = (*RESULT_FILLERS, *TOUCH_VERBS) if TURN_ENDS.intersection(words) else RESULT_FILLERS
    return [word for word in words if word not in fillers]


PLAYABLE = TouchGame
