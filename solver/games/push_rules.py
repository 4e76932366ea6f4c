"""Push-your-luck dice games as data, and the turn that the data describes.

Throw the dice, set aside dice that score, then stop and bank the points in hand or throw the rest; a throw that scores
nothing ends the turn without points. A *set* is what is set aside from one throw. Its worth is the best way to read it
as single faces, several alike and patterns (straights), every die contributing.

Dice with the same weights are of one *kind*. A *hand* is how many dice of each kind are left; hands are numbered from 1
on, smaller ones first, so that of dice all alike a hand's number says how many they are. A throw is told by *symbols*,
a face of a kind each: ``5`` of a plain die, ``5-lucky`` of a lucky one. What scores knows faces only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import chain, product
from operator import le, sub
from typing import Any, NamedTuple

from ..turns.push_turn import BUST, UNLIMITED_POINTS, Mode, PushTurn, Roll, TurnChoice
from ..util import multiset
from ..util.errors import HouseRuleError, InputError
from ..util.number_format import format_count

Counts = tuple[int, ...]  # how often each face shows, in the order of PushRules.faces, or each symbol
Hand = tuple[int, ...]

# The special endings of every compiled turn, as the choices that lead to them; ending 0 is BUST.
WIN, WIPE = TurnChoice(-2), TurnChoice(-3)
SPECIALS = 3
ENDS = {"win": WIN, "bust": BUST, "wipe": WIPE}  # effects of special throws that end the turn
SCORING = ("score", "roll", "again", "same", "end")  # effects of special throws that score


@dataclass(frozen=True)
class Kind:
    """Dice of one kind: their name, how many there are, and how many equally likely sides show each face."""

    name: str
    count: int
    weights: tuple[int, ...]


class Next(NamedTuple):
    """A throw that follows: the dice, whether it must be made, and the faces (by number) that are *thrown over*: where
    one of them shows, all these dice are thrown once more, so that it is as if the dice had no such faces.
    """

    dice: int
    forced: bool = False
    over: tuple[int, ...] = ()


class Pattern(NamedTuple):
    """A set that scores as a whole; ``must``: it must be *confirmed*, the next throw be made whatever is in hand."""

    dice: Counts
    points: int
    must: bool = False
    name: str = ""


def of_face(face: int, faces: int, count: int, points: int, must: bool = False) -> Pattern:
    """So many dice of one of so many faces."""
    return Pattern(tuple(count * (one == face) for one in range(faces)), points, must)


class Special(NamedTuple):
    """A whole throw with a meaning of its own.

    effect: "win" the game at once, "bust", "wipe": lose the whole score, "score": score so many points with all dice,
        "roll", "again", "end": the same, and all dice may, must or may not be thrown again, "same": score so many
        points and set nothing aside, so that the same dice are left, "void": count for nothing, so that the turn stands
        as before the throw.
    """

    throw: Counts
    effect: str
    points: int
    name: str = ""


class Reading(NamedTuple):
    """How a set is read: its points, and the patterns that it is read as by number, the last of them first."""

    points: int
    patterns: tuple[int, ...] = ()


@dataclass(frozen=True)
class PushRules:
    """The rules of one push-your-luck game.

    Attributes:
        dice: dice in a fresh throw; of unlike ones the number of that hand.
        faces: name of each face; weights: how many equally likely sides of a die show it.
        patterns: what scores: so many of one face, face by face, then others. Of readings with the same points the one
            that needs none of the last counts.
        whole: whether a set scores as one of these only, not as several.
        leave: by face, whether with set_aside="all" a die that would add its points as a single may stay in the hand.
        set_aside, target, finish, best, take_over: the options of rule files that are called so, as
            ``language/pushschema.py`` tells them; opening, minimum, minimum_on_win, below: those of ``[stop]``, where
            "throw" is must; hot_dice: ``then.all``, "free" for roll and "none" for end; once, stop: ``then.set``, which
            is end, or must where stop is "all"; choose: ``then.dice``. For the lowest points the turn counts what every
            die set aside has less than ``dearest``.
        specials: whole throws with a meaning of their own.
        over: whether the face of most dice of what must be confirmed is thrown over in the throw that follows.
        costs: points that the first, second, ... bust in a row costs; after the last of these the count "anew": starts
            from none, "stays": stays. Scores go down to ``floor`` and no further.
        kinds: dice unlike one another; nothing: all are alike.
        above: the hand is lost once it holds more than so many points; 0: it may hold any number.
    """

    dice: int
    faces: tuple[str, ...]
    weights: tuple[int, ...]
    patterns: tuple[Pattern, ...] = ()
    whole: bool = False
    set_aside: str = "free"
    leave: tuple[bool, ...] = ()
    target: int = 0
    opening: int = 0
    minimum: int = 0
    minimum_on_win: bool = True
    finish: str = "at_least"
    hot_dice: str = "free"
    specials: tuple[Special, ...] = ()
    once: bool = False
    choose: bool = False
    stop: str = "free"
    best: str = "highest"
    below: str = "nothing"
    take_over: str = "none"
    over: bool = False
    costs: tuple[int, ...] = ()
    costs_then: str = "anew"
    floor: int = 0
    above: int = 0
    kinds: tuple[Kind, ...] = ()

    @property
    def one_turn(self) -> bool:
        """Whether every player has one turn."""
        return self.finish.startswith("one_turn")

    @property
    def unsolved(self) -> Mapping[str, str]:
        """What others are asked and these are not, and why."""
        found = {} if self.costs else {"rate": "the average of turns for ever is asked where busts cost points"}
        if self.one_turn:
            found |= dict.fromkeys(("turns", "reach", "rate"), "every player has one turn")
        elif self.best == "lowest":
            found |= dict.fromkeys(("win", "turns", "reach", "rate"), "where fewest are best only a turn is solved")
        if self._circular_without_wins:
            why = "sets of 0 points could follow each other for ever, since a roll that wins scores as ordinary dice"
            found |= dict.fromkeys(("points", "rate"), why)
        return found

    @cached_property
    def specials_of_one_turn(self) -> tuple[Special, ...]:
        """The special rolls of a turn played for points: a roll that wins the game at once scores as ordinary dice.

        A game of one die needs care: if that roll is a set of 0 points, the die is rolled again with the same points
        in hand. The roll counts for nothing then.
        """
        rolls_again = self.dice == 1 and self.none_left == Next(1)
        nothing = [
            one._replace(effect="void")
            for one in self.specials
            if rolls_again and one.effect == "win" and (reading := self.reading(one.throw)) and reading.points == 0
        ]
        others = (one for one in self.specials if one.effect != "win")
        return (*others, *nothing)

    @cached_property
    def _circular_without_wins(self) -> bool:
        """Whether sets of 0 points can follow each other for ever once no roll wins at once."""
        if not self.does("win") or all(one.points for one in self.patterns):
            return False
        try:
            replace(self, specials=self.specials_of_one_turn).compiled()
        except ValueError:
            return True
        return False

    @cached_property
    def grain(self) -> int:
        """All points of a turn are multiples of this."""
        return math.gcd(*self.worths, *self.costs, self.floor, self.dearest)

    @cached_property
    def worths(self) -> frozenset[int]:
        """What scores, in points; what is below 0 takes points off those in hand, down to none."""
        return frozenset((0, *(one.points for one in self.patterns), *(one.points for one in self.specials)))

    @cached_property
    def dearest(self) -> int:
        """For the lowest points: the most that a die of any set scores, rounded up; else 0."""
        if self.best == "highest":
            return 0
        return max((-(-one.points // sum(one.dice)) for one in self.patterns), default=0)

    def held(self, points: int, dice: int) -> int:
        """What the turn counts, in units of ``grain``, with so many points in hand and dice left to throw."""
        if self.best == "highest":
            return points // self.grain
        return (self.dearest * (self.dice - dice) - points) // self.grain

    def busted(self, score: int, busts: int) -> tuple[int, int]:
        """Score and count of busts in a row once a turn that began with these is a bust."""
        if not self.costs:
            return score, 0
        last = busts + 1 == len(self.costs)
        following = busts + (not last) if self.costs_then == "stays" or not last else 0
        return max(min(score, self.floor), score - self.costs[busts]), following

    @cached_property
    def _of_turn(self) -> PushRules:
        """The same rules without totals, which no turn knows: one for all games that differ in these only.

        What it has found out is theirs, as compiling is most of making a game.
        """
        return _only(replace(self, target=0, opening=0, minimum=0, minimum_on_win=True))

    @cached_property
    def _readings(self) -> dict[Counts, Reading | None]:
        return {} if self._of_turn is self else self._of_turn._readings

    def reading(self, counts: Counts) -> Reading | None:
        """The best reading of a set in which every die contributes, if there is one."""
        if counts in self._readings:
            return self._readings[counts]
        found = [] if any(counts) else [Reading(0)]
        first = next((face for face, count in enumerate(counts) if count), None)
        for number, one in self._holding.get(counts if self.whole else first, ()):
            if all(map(le, one.dice, counts)) and (rest := self.reading(tuple(map(sub, counts, one.dice)))):
                parts = tuple(sorted((number, *rest.patterns), reverse=True))
                found.append(Reading(one.points + rest.points, parts))
        best = min(found, key=lambda one: (-one.points, one.patterns), default=None)
        self._readings[counts] = best
        return best

    @cached_property
    def _holding(self) -> dict[Counts | int | None, list[tuple[int, Pattern]]]:
        """The patterns, each with its number, by the faces that they hold; where they are ``whole`` by their dice."""
        found: dict[Counts | int | None, list[tuple[int, Pattern]]] = {}
        for number, one in enumerate(self.patterns):
            for key in [one.dice] if self.whole else [face for face, count in enumerate(one.dice) if count]:
                found.setdefault(key, []).append((number, one))
        return found

    def parts(self, counts: Counts) -> list[Pattern]:
        """The patterns that a set is read as, told by the faces that it shows."""
        reading = self.reading(counts)
        return [self.patterns[number] for number in reversed(reading.patterns)] if reading else []

    def confirmed(self, counts: Counts) -> tuple[int, ...] | None:
        """What is thrown over once a set that shows these faces, and must be confirmed, is taken; None for others."""
        musts = [one.dice for one in self.parts(counts) if one.must] if self.confirms else []
        over = {face for dice in musts for face, count in enumerate(dice) if count == max(dice) > 1}
        return tuple(sorted(over)) if musts and self.over else () if musts else None

    def worth(self, counts: Counts) -> int:
        """Points of a set: the best reading in which every die contributes; 0 where there is none."""
        reading = self.reading(self.folded(counts))
        return reading.points if reading else 0

    def called(self, counts: Counts) -> str:
        """The names of what a set is read as: nothing for plain singles and so many alike."""
        return " and ".join(one.name for one in self.parts(self.folded(counts)) if one.name)

    def special(self, roll: Counts) -> Special | None:
        """The meaning of its own that a throw has."""
        return self._by_throw.get(self.folded(roll))

    def effect(self, roll: Counts) -> str:
        """What a throw with a meaning of its own does; "" for others."""
        special = self.special(roll)
        return special.effect if special else ""

    @cached_property
    def every_kind(self) -> tuple[Kind, ...]:
        """The dice, kind by kind."""
        return self.kinds or (Kind("", self.dice, self.weights),)

    @cached_property
    def hands(self) -> tuple[Hand, ...]:
        """Every hand that can be thrown, by its number less one."""
        found = product(*(range(kind.count + 1) for kind in self.every_kind))
        return tuple(sorted((hand for hand in found if any(hand)), key=lambda hand: (sum(hand), hand)))

    @cached_property
    def _numbers(self) -> dict[Hand, int]:
        return {hand: number for number, hand in enumerate(self.hands, 1)}

    @cached_property
    def _parts(self) -> tuple[tuple[int, int], ...]:
        """Kind and face of each symbol."""
        weights = ((number, kind.weights) for number, kind in enumerate(self.every_kind))
        return tuple((kind, face) for kind, sides in weights for face, weight in enumerate(sides) if weight)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """What is told of a die that lies, in the order in which a throw is counted: its face, and its kind where that
        has a name.
        """
        named = ((self.faces[face], self.every_kind[kind].name) for kind, face in self._parts)
        return tuple(f"{face}-{name}" if name else face for face, name in named)

    def folded(self, counts: Counts) -> Counts:
        """The faces that a throw or a set shows."""
        if not self.kinds:
            return counts
        if counts not in self._folded:
            faces = [0] * len(self.faces)
            for (_, face), count in zip(self._parts, counts, strict=True):
                faces[face] += count
            self._folded[counts] = tuple(faces)
        return self._folded[counts]

    @cached_property
    def _folded(self) -> dict[Counts, Counts]:
        return {}

    def hand(self, roll: Counts) -> int:
        """The number of the hand that a roll was thrown with, as modes and positions tell it; 0 if there is none."""
        found = [0] * len(self.every_kind)
        for (kind, _), count in zip(self._parts, roll, strict=True):
            found[kind] += count
        return self._numbers.get(tuple(found), 0)

    def left(self, dice: int, taken: Counts) -> int:
        """The hand that is left once a set is taken from a throw, 0 if none is."""
        if not self.kinds:
            return dice - sum(taken)
        return self._numbers.get(tuple(map(sub, self.hands[dice - 1], self.hands[self.hand(taken) - 1])), 0)

    @property
    def never_stops(self) -> bool:
        """Whether nobody may stop while dice are left, so that a player only decides what to set aside."""
        return self.stop == "all"

    def size(self, dice: int) -> int:
        """How many dice a hand has."""
        return sum(self.hands[dice - 1])

    def names_of(self, dice: int) -> list[str]:
        """The kinds of the dice of a hand, as positions tell them."""
        hand = zip(self.hands[dice - 1], self.every_kind, strict=True)
        return [kind.name or "plain" for count, kind in hand for _ in range(count)]

    def hand_in_words(self, dice: int) -> str:
        """How many dice, and of which kinds."""
        names = self.names_of(dice)
        some = ", ".join(f"{names.count(name)} {name}" for name in dict.fromkeys(names))
        return f"{format_count(len(names), 'die')}{f' ({some})' if self.kinds else ''}"

    def faces_in_words(self, faces: tuple[int, ...]) -> str:
        """Faces by number, in words."""
        return " and ".join(self.faces[face] for face in faces)

    @cached_property
    def _by_throw(self) -> dict[Counts, Special]:
        return {special.throw: special for special in self.specials}

    @cached_property
    def useful(self) -> tuple[bool, ...]:
        """By symbol, whether any set that scores holds its face."""
        return tuple(self.useful_faces[face] for _, face in self._parts)

    @cached_property
    def useful_faces(self) -> tuple[bool, ...]:
        """By face, whether any set that scores holds it."""
        return tuple(any(one.dice[face] for one in self.patterns) for face in range(len(self.faces)))

    def sets(self, roll: Counts) -> list[Counts]:
        """Return the sets that may be taken from a throw, most points first, then fewest dice; none: a bust."""
        if roll not in self._sets:  # a throw is made in several modes where sets are to be confirmed
            self._sets[roll] = self._sets_of(roll)
        return self._sets[roll]

    @cached_property
    def _sets(self) -> dict[Counts, list[Counts]]:
        return {} if self._of_turn is self else self._of_turn._sets

    def _sets_of(self, roll: Counts) -> list[Counts]:
        if self.set_aside == "all-or-none":
            return [roll] if self.reading(self.folded(roll)) else []
        ranges = zip(roll, self.useful, strict=True)
        parts = product(*(range(count, -1, -1) if useful else (0,) for count, useful in ranges))
        scoring = sorted(filter(self._rank, parts), key=self._rank)  # of equals the most of the first symbol
        if self.set_aside == "all" and scoring:
            best = max(scoring, key=lambda part: (self.worth(part), sum(part)))
            same = [part for part in scoring if self.folded(part) == self.folded(best)]  # of dice of other kinds
            return [part for part in scoring if part in same or any(self._leaves(one, part) for one in same)]
        return scoring

    @cached_property
    def _rank(self) -> Callable[[Counts], tuple[int, ...]]:
        """What sets are ordered by; nothing for one that scores nothing."""

        def rank(part: Counts) -> tuple[int, ...]:
            reading = self.reading(self.folded(part)) if any(part) else None
            return (-reading.points, sum(part)) if reading else ()

        return cache(rank)

    def _leaves(self, best: Counts, part: Counts) -> bool:
        """Whether a set is the best one but for dice that may stay in the hand, all of which count as singles there."""
        if not any(self.leave) or any(less > most for less, most in zip(part, best, strict=True)):
            return False
        left = self.folded(tuple(most - less for less, most in zip(part, best, strict=True)))
        if any(count and not may for count, may in zip(left, self.leave, strict=True)):
            return False
        alone = sum(count * (self.alone(face) or 0) for face, count in enumerate(left))
        return self.worth(part) + alone == self.worth(best)

    def alone(self, face: int, count: int = 1) -> int | None:
        """What so many dice of a face score by themselves, None where they do not."""
        reading = self.reading(of_face(face, len(self.faces), count, 0).dice)
        return reading.points if reading else None

    def throws(self, dice: int) -> list[tuple[Counts, int]]:
        """List the throws of a hand with the number of ordered throws behind each."""
        if dice not in self._throws:
            self._throws[dice] = list(self._throws_of_hand(dice))
        return self._throws[dice]

    @cached_property
    def _throws(self) -> dict[int, list[tuple[Counts, int]]]:
        return {} if self._of_turn is self else self._of_turn._throws

    def _throws_of_hand(self, dice: int) -> Iterator[tuple[Counts, int]]:
        parts = []
        for count, kind in zip(self.hands[dice - 1], self.every_kind, strict=True):
            weights = [weight for weight in kind.weights if weight]
            rows = multiset.list_multisets(count, len(weights))
            ways = multiset.multiset_weights(rows, weights).tolist()
            parts.append(list(zip(map(tuple, rows.tolist()), ways, strict=True)))
        for chosen in product(*parts):
            yield tuple(chain.from_iterable(counts for counts, _ in chosen)), math.prod(ways for _, ways in chosen)

    def may_stop(self, following: Next | None, counts: bool) -> bool:
        """Whether the turn may end before a throw (None: no dice are left to throw), where a bank would count or not.

        The game as it is played asks this, and so does the compiled turn: with nothing in hand no bank counts. From one
        point on the turn offers a stop that does not count even with ``below="throw"``, where whoever is solved for
        pays no more for it than for a bust, as it is worth no more: who throws on until that comes gets the same, the
        rules going without throws that lose the score, all dice set aside, and an exact finish (``housechecks``). Only
        where busts cost something are such stops worth less than anything (``passes``).
        """
        if following is None:
            return True
        return not following.forced and self.stop == "free" and (counts or self.below == "nothing")

    @property
    def passes(self) -> bool:
        """Whether a turn can end with nothing and no bust: by a stop, or with all dice set aside for 0 points."""
        return self.may_stop(Next(self.dice), False) or self.hot_dice == "none" or self.does("end")

    def does(self, *effects: str) -> bool:
        """Whether a throw has one of some effects."""
        return any(special.effect in effects for special in self.specials)

    def mode(self, dice: int) -> int:
        """Return the mode of the compiled turn in which so many dice are thrown, and stopping is offered."""
        return dice - 1

    @property
    def chosen(self) -> int:
        """The mode in which the player says how many dice are thrown: its throws are of 1, 2, ... dice."""
        return self.dice + 2

    @cached_property
    def confirms(self) -> bool:
        """Whether any set must be confirmed."""
        return any(pattern.must for pattern in self.patterns)

    @cached_property
    def confirming(self) -> tuple[Next, ...]:
        """The throws that must be made to confirm a set, but for that of all dice with nothing thrown over."""
        if not self.confirms:
            return ()
        if self._of_turn is not self:
            return self._of_turn.confirming
        thrown = ((dice, roll) for dice in range(1, self.dice + 1) for roll, _ in self.throws(dice))
        found = {following for dice, roll in thrown for following, _ in self.offered(dice, roll)}
        return tuple(sorted(one for one in found if one and one.forced and one != Next(self.dice, True)))

    def after_special(self, dice: int, effect: str) -> Next | None:
        """The throw that follows a throw of so many dice that scores as a whole; None where the turn has ended."""
        whole = Next(self.dice)
        after = {"roll": whole, "again": whole._replace(forced=True), "same": Next(dice), "end": None}
        return after.get(effect, self.none_left)

    def next_throw(self, dice: int, taken: Counts) -> Next | None:
        """The throw that follows once a set is taken from a throw of so many dice; None where the turn has ended."""
        if self.once:
            return None
        left = self.left(dice, taken)
        if (over := self.confirmed(self.folded(taken))) is not None:
            return Next(left or self.dice, True, over)
        return Next(left) if left else self.none_left

    def offered(self, dice: int, roll: Counts) -> tuple[tuple[Next | None, int], ...]:
        """What a throw of so many dice offers to set aside, as the throw that follows and the points; nothing: a bust,
        or an end of another kind.
        """
        if roll not in self._offers:  # the game as it is played asks what the turn was compiled from
            self._offers[roll] = self._offered(dice, roll)
        return self._offers[roll]

    @cached_property
    def _offers(self) -> dict[Counts, tuple[tuple[Next | None, int], ...]]:
        return {} if self._of_turn is self else self._of_turn._offers

    def _offered(self, dice: int, roll: Counts) -> tuple[tuple[Next | None, int], ...]:
        if special := self.special(roll):
            scored = self.after_special(dice, special.effect), special.points
            return (scored,) if special.effect in SCORING else ()
        return tuple(dict.fromkeys((self.next_throw(dice, taken), self.worth(taken)) for taken in self.sets(roll)))

    @cached_property
    def none_left(self) -> Next | None:
        """The throw that follows once all dice are set aside; None where the turn has ended."""
        if self.once:
            return None
        return {"free": Next(self.dice), "must": Next(self.dice, True), "none": None}[self.hot_dice]

    def throws_of(self, following: Next) -> list[tuple[Counts, int]]:
        """The throws that stand. The others are made again: where some faces are thrown over, and those that count for
        nothing, after which the turn stands as before, where this throw was the best there was to do.
        """
        thrown, over = self.throws(following.dice), following.over
        return [one for one in thrown if self.stands(one[0], over)] if over or self.does("void") else thrown

    def stands(self, roll: Counts, over: tuple[int, ...]) -> bool:
        """Whether a throw is not made again."""
        shown = self.folded(roll) if over else ()
        return not any(shown[face] for face in over) and self.effect(roll) != "void"

    def mode_of(self, following: Next | None) -> int:
        """The mode in which a throw is made; with none, that in which nothing is left but to bank."""
        return self._modes[following]

    @cached_property
    def throw_modes(self) -> tuple[Next, ...]:
        """The throws that have a mode."""
        return tuple(throw for throw, mode in self._modes.items() if throw and mode < len(self.turn.modes))

    @cached_property
    def _modes(self) -> dict[Next | None, int]:
        plain = (Next(dice) for dice in range(1, self.dice + 1))
        return {throw: mode for mode, throw in enumerate((*plain, Next(self.dice, True), None, *self.confirming))}

    @cached_property
    def turn(self) -> PushTurn:
        """The turn, in units of ``grain``: mode ``mode(d)`` throws d dice. All of them with nothing in hand is how a
        turn begins, and then nobody stops.
        """
        return self.compiled() if self._of_turn is self else self._of_turn.turn

    def compiled(self) -> PushTurn:
        """The turn, compiled anew."""
        bank, most = 0 if self.may_stop(Next(1), True) else None, 0 if self.choose else UNLIMITED_POINTS
        least = 0 if self.may_stop(Next(1), False) else 1
        modes = [
            Mode(self.hand_in_words(dice), bank, 1 if dice == self.dice else least, (self.throw(dice),), most)
            for dice in range(1, self.dice + 1)
        ]
        begins = self.mode(self.dice)
        groups = [list(range(self.dice))]
        again = self.does("again")
        if self.hot_dice == "none" and not (again or self.does("roll")):
            groups = [[dice] for dice in range(self.dice)]  # dice only become fewer, so a set may score 0
        if self.hot_dice != "free" or again or self.once or self.confirms or self.does("end"):
            modes.append(Mode("all dice once more", bank_ending=None, min_bank=0, rolls=modes[-1].rolls))
            modes.append(Mode("all dice set aside", bank_ending=0, min_bank=0, rolls=()))
            for one in self.confirming:
                over = f", {self.faces_in_words(one.over)} thrown over" if one.over else ""
                name = f"{self.hand_in_words(one.dice)} to confirm a set{over}"
                modes.append(Mode(name, bank_ending=None, min_bank=0, rolls=(self.throw(one.dice, one.over),)))
            forced, ended, *confirming = range(self.dice, len(modes))
            groups = [[ended], *groups[:-1], [*groups[-1], forced, *confirming]]
        if self.choose:
            begins = self.chosen
            throws = tuple(mode.rolls[0] for mode in modes[: self.dice])
            modes.append(Mode("all dice, or fewer", None, 0, throws, most))
            groups.append([self.chosen])
        return PushTurn(modes, groups, begins, SPECIALS, forbids_overshoot=self.finish == "exact" or self.above > 0)

    @property
    def adds_up(self) -> bool:
        """Whether a throw scores the sum of what each of its faces does, or nothing: it need not be listed."""
        alike = not self.whole and all(max(one.dice) == sum(one.dice) for one in self.patterns)
        return self.set_aside == "all-or-none" and alike and not (self.specials or self.confirms or self.kinds)

    @cached_property
    def sums(self) -> list[dict[int, int]]:
        """By number of dice the points of throws that score with all of them, and the ordered throws behind each."""
        found = {(0, 0): 1}  # by dice and points; face by face
        for face, weight in enumerate(self.weights):
            before, found = found, {}
            values = [self.alone(face, count) for count in range(self.dice + 1)]
            for (dice, points), ways in before.items():
                for count, value in enumerate(values[: self.dice - dice + 1]):
                    if value is not None:
                        more = ways * math.comb(dice + count, count) * weight**count
                        key = dice + count, points + value
                        found[key] = found.get(key, 0) + more
        sums: list[dict[int, int]] = [{} for _ in range(self.dice + 1)]
        for (dice, points), ways in found.items():
            sums[dice][points] = ways
        return sums

    def _summed(self, dice: int) -> Roll:
        """A throw of so many dice that adds up."""
        scoring = self.sums[dice]
        classes = [((self.choice(dice, self.none_left, points),), ways) for points, ways in scoring.items()]
        busts = sum(self.weights) ** dice - sum(scoring.values())
        return Roll((*classes, *((((BUST,), busts),) if busts else ())))

    def throw(self, dice: int, over: tuple[int, ...] = ()) -> Roll:
        """Compile one throw of so many dice."""
        if self.adds_up:
            return self._summed(dice)
        classes: dict[tuple[TurnChoice, ...], int] = {}
        for roll, ways in self.throws_of(Next(dice, over=over)):
            key = self.choices(dice, roll)
            classes[key] = classes.get(key, 0) + ways
        return Roll(tuple(classes.items()))

    def choices(self, dice: int, roll: Counts) -> tuple[TurnChoice, ...]:
        """Return what a throw offers, in units of ``grain`` and the documented order of preference."""
        if (special := self.special(roll)) and special.effect in ENDS:
            return (ENDS[special.effect],)
        return tuple(self.choice(dice, *one) for one in self.offered(dice, roll)) or (BUST,)

    def choice(self, dice: int, following: Next | None, points: int) -> TurnChoice:
        """What scoring so many points with a throw of so many dice is, as the turn counts."""
        left = following.dice if following else 0
        return TurnChoice(self.mode_of(following), self.held(points, left) - self.held(0, dice))

    def leads(self, dice: int, taken: Counts) -> TurnChoice:
        """Return the choice, in units of ``grain``, that taking a set from a throw of so many dice is."""
        return self.choice(dice, self.next_throw(dice, taken), self.worth(taken))


@lru_cache(maxsize=32)
def _only(rules: PushRules) -> PushRules:
    return rules


def check_bank(data: PushRules) -> None:
    """Refuse rules under which no turn can bring as many points as a bank needs."""
    least = max(1, data.opening, data.minimum)
    needed = -(-(least if data.minimum_on_win else min(least, data.target)) // data.grain)
    modes = zip(data.turn.reachable_points_by_mode(needed + data.turn.max_added_points), data.turn.modes, strict=True)
    if not any(held >> needed for held, mode in modes if mode.bank_ending == 0):
        points = f"{needed * data.grain} points" if needed > 1 else "anything"
        message = f"no turn can bank {points} under these rules, so nobody could ever win"
        raise HouseRuleError(message, "stop", "opening" if data.opening > data.minimum else "at_least")


def sums_of_banks(banks: int, first: int, later: int, size: int) -> int:
    """The scores below ``size`` that banks lead to, as bits: the first of at least ``first``, later ones of ``later``.

    ``banks``: the points that a turn can bank, as bits.
    """
    mask = (1 << size) - 1
    reached = banks >> first << first & mask
    sums = 1  # of banks made so far; a bank among them brings nothing new
    for points in range(max(1, later), size):
        if banks >> points & 1 and not sums >> points & 1:
            step = points
            while step < size:  # any number of such banks
                sums |= sums << step & mask
                reached |= reached << step & mask
                step *= 2
    return reached | 1


def aces_and_fives(
    rules: Mapping[str, Any],
    dice: int,
    *,
    minimum_on_win: bool,
    hot_dice: str = "free",
    specials: tuple[Special, ...] = (),
) -> PushRules:
    """Return a game of the family of 5000, Beartrap and Farkle by their shared options: 1 = 100, 5 = 50, three alike
    100 x face and three 1s 1,000, a straight of all dice; all points in steps of 50.

    Raises:
        InputError: points off the grain, or a bank that must bring more than the target.
    """
    for key in ("target", "opening", "minimum", "straight"):
        if rules[key] % 50:
            raise InputError(f"{key}={rules[key]} must be a multiple of 50, as every score of this game is")
    for key in ("opening", "minimum"):
        if rules[key] > rules["target"]:
            raise InputError(f"{key}={rules[key]} is above target={rules['target']}")
    told = ("set_aside", "target", "opening", "minimum", "finish")
    alike = range(3, 4 if rules["kinds"] == "plain" else dice + 1)  # each die beyond three doubles a triple
    patterns = list[Pattern]()
    for face, (single, triple) in enumerate(((100, 1000), (0, 200), (0, 300), (0, 400), (50, 500), (0, 600))):
        patterns += [of_face(face, 6, 1, single)] if single else []
        patterns += (of_face(face, 6, count, triple << count - 3) for count in alike)
    rows = (tuple(int(low <= face < low + dice) for face in range(6)) for low in range(7 - dice))
    return PushRules(
        dice=dice,
        faces=("1", "2", "3", "4", "5", "6"),
        weights=(1, 1, 1, 1, 1, 1),
        patterns=(*patterns, *(Pattern(row, rules["straight"]) for row in rows if rules["straight"])),
        minimum_on_win=minimum_on_win,
        hot_dice=hot_dice,
        specials=specials,
        **{key: rules[key] for key in told},
    )
