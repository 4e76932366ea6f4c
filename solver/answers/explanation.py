"""Why a choice is better than another: what each of the two leads to, in a few sentences of numbers of the position.

Of a choice that throws: how often that goes wrong, what is left then, and what it leads to on average when it does not.
Where a throw does not simply go wrong: how the turn ends when it is played on at its best, which boxes of a card that
fills, or what it brings. Of a choice that ends the turn: what it leaves, and how the scores stand after it. Every
number is one of ``Reasons``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..play.choice_kinds import ChoiceKind
from ..play.input_parser import find_by_words, read_choice, scores
from ..play.playable_game import Choice, Table, find_choice
from ..play.position_fields import Role
from ..solvers import Problem, ValueTable
from ..util.errors import InputError, abbreviate
from ..util.number_format import format_count, format_loss, format_percent, format_value
from .advice import Advice, RankedChoice
from .positions import BestPlay, advise, choices_of, worth_of
from .turn_endings import Ending, endings

LOST = ("bust", "wipe")  # ways in which a throw goes wrong
BOXES = 3  # that are told of each side


@dataclass(frozen=True)
class Side:
    """What one choice leads to.

    Attributes:
        action: the choice in words; value: what it is worth.
        mishap: chance that the throw to come goes wrong; wrong: what that leaves on average; wipe, wiped: the same of
            losing the whole score; right: what it leads to on average when neither happens. None where no such throw
            follows, or where that cannot be.
        ends: whether it ends the turn; scores: how the scores stand then, the mover's first; () where it goes on, the
            game has none, or points are counted from the position on.
        loss: what it costs against the best; tie: whether it is as good.
        endings: the ways in which the turn ends when it is played on at its best, where no mishap tells enough;
        beside: the points to which these compare: what stopping here would bring, or the total to beat.
        points, still: of a choice that fills a box for points: those that it brings, and what is still to come.
    """

    action: str
    value: float
    mishap: float | None = None
    wrong: float | None = None
    wipe: float | None = None
    wiped: float | None = None
    right: float | None = None
    ends: bool = True
    scores: tuple[int, ...] = ()
    loss: float = 0.0
    tie: bool = False
    endings: tuple[Ending, ...] = ()
    beside: int | None = None
    points: int | None = None
    still: float | None = None

    def boxes(self) -> dict[str, tuple[float, float]]:
        """By box the chance that the turn ends there, and its points then on average; the likeliest first."""
        found: dict[str, tuple[float, float]] = {}
        for one in self.endings:
            chance, points = found.get(one.box, (0.0, 0.0))
            found[one.box] = chance + one.chance, points + one.chance * one.points
        ranked = sorted(found.items(), key=lambda item: -item[1][0])
        return {box: (chance, points / chance) for box, (chance, points) in ranked if box}

    def chance(self, brought: Callable[[int], bool]) -> float:
        """The chance that the turn brings such points."""
        return sum(one.chance for one in self.endings if brought(one.points))


@dataclass(frozen=True)
class Reasons:
    """Why the best choice is better than another one, which is None where there is none.

    ``lead`` is by how much the mover is ahead of the best of the others before the choice, None without opponents;
    ``missing`` what a total to reach is short of, and the ``turns`` left for it where they are counted; ``note`` what
    the rules have to say; ``bust`` names a mishap ("busts"), ``turn`` what a turn does with points ("brings").
    """

    objective: str
    best: Side
    other: Side | None
    lead: int | None
    missing: int | None
    turns: int | None
    note: str
    bust: str
    turn: str

    def as_json(self) -> dict[str, Any]:
        """Return the numbers, and the sentences."""
        return {**asdict(self), "text": self.text}

    @property
    def text(self) -> str:
        """Two or three sentences."""
        said = [_capital(self._leads(self.best))]
        if self.other is None:
            said[0] = f"There is nothing to choose. {said[0]}"
        else:
            less = "just as good" if self.other.tie else f"{format_loss(self.other.loss, self.objective)} worse"
            said.append(f"{_capital(self._leads(self.other))}; {less}")
            said += _given_up(self.best, self.other)
        if self.lead is not None:
            stand = f"{abs(self.lead):,} {'ahead' if self.lead > 0 else 'behind'}" if self.lead else "level"
            said.append(f"Before this turn you are {stand}")
        if self.missing is not None:
            left = "" if self.turns is None else f" in {format_count(self.turns, 'turn')}"
            said.append(f"Before this turn you need {self.missing:,} more{left}")
        return ". ".join(said) + "." + (f" {self.note}" if self.note else "")

    def _leads(self, side: Side) -> str:
        value = format_value(side.value, self.objective)
        if side.mishap is None:
            scores = ""
            if side.scores:
                others = " and ".join(f"{one:,}" for one in side.scores[1:])
                scores = f", with {side.scores[0]:,}" + (f" against {others}" if others else "")
            if side.still is not None:
                scores = f", {side.points} now and {format_value(side.still, 'points')} still to come"
            return f"{side.action}: {'leaves' if side.ends else 'leads to'} {value}{scores}{self._ended(side)}"
        lost = [(self.bust, side.mishap, side.wrong), ("loses the whole score", side.wipe, side.wiped)]
        told = [
            f"{words} {format_percent(chance)} of the time"
            + ("" if left is None else f", which leaves {format_value(left, self.objective)}")
            for words, chance, left in lost
            if chance
        ]
        if not told:
            return f"{side.action}: leads to {value}{self._ended(side)}"
        bust = f"{side.action}: {', and '.join(told)}"
        if side.right is None:
            return f"{bust}; worth {value}{self._ended(side)}"
        return f"{bust}; otherwise leads to {format_value(side.right, self.objective)}, in all to {value}"

    def _ended(self, side: Side) -> str:
        """How the turn ends that goes on."""
        if not side.endings:
            return ""
        if boxes := side.boxes():
            told = [
                f"{box} {format_percent(chance)} ({points:,.1f} on average)" for box, (chance, points) in boxes.items()
            ]
            pays, chance = _pays(side)
            miss = f"; {pays} pays for a miss, {format_percent(chance)}" if pays else ""
            return f"; it ends in {', '.join(told[:BOXES])}{miss}"
        mean = sum(one.chance * one.points for one in side.endings)
        told = list[str]()
        if beside := side.beside:
            more, less = side.chance(lambda points: points > beside), side.chance(lambda points: points < beside)
            told = [f"more than {beside:,} in {format_percent(more)}", f"less in {format_percent(less)}"]
        told += [f"nothing in {format_percent(none)}"] if (none := side.chance(lambda points: not points)) else []
        cases = f", {', '.join([f'{told[0]} of cases', *told[1:]])}" if told else ""
        return f"; the turn then {self.turn} {format_value(mean, 'points')} on average{cases}"


def _pays(side: Side) -> tuple[str, float]:
    """The box that pays for a miss, and how often: the one most often filled with nothing; where none is, the one that
    brings least, and none ("") where that is the likeliest (of as many as a turn fills), at which the throw is aimed.
    """
    missed: dict[str, float] = {}
    for one in side.endings:
        if not one.points:
            missed[one.box] = missed.get(one.box, 0.0) + one.chance
    if missed:
        return max(missed.items(), key=lambda item: item[1])
    boxes = side.boxes()
    box = min(boxes, key=lambda one: boxes[one][1])
    filled = round(sum(chance for chance, _ in boxes.values()))
    return ("", 0.0) if box in [*boxes][:filled] else (box, boxes[box][0])


def _given_up(best: Side, other: Side) -> list[str]:
    """The box that brings less after the best choice than after the other one, by the most points."""
    mine, theirs = best.boxes(), other.boxes()
    if not mine or not theirs:
        return []
    chances = {box: (mine.get(box, (0.0, 0.0)), there) for box, there in theirs.items()}
    lost = {box: there[0] * there[1] - here[0] * here[1] for box, (here, there) in chances.items()}
    box = max(lost, key=lambda one: lost[one])
    here, there = chances[box]
    return (
        []
        if lost[box] <= 0
        else [f"The first gives up {box}: {format_percent(here[0])} instead of {format_percent(there[0])}"]
    )


def why(match: Problem[Any], solved: ValueTable, position: Any, asked: Choice[Any] | str | None = None) -> Reasons:
    """Compare the best choice of a position with another one, or with the next best.

    Args:
        match: the problem.
        solved: its value table.
        position: a position in which something is decided or rolled.
        asked: a choice of it, or a choice as it is typed at the table; None for the next best.
    """
    if asked is not None and not isinstance(asked, (str, Choice)):
        raise InputError(f"choice must be text, not {abbreviate(asked)}")
    table, advice = match.playable, advise(match, solved, position)
    if isinstance(asked, str) and table.stage(position) == "choose":
        asked = read_choice(table, position, asked)
    other = _asked(advice, asked)
    player = BestPlay(match, solved)
    best = _side(player, position, advice.best)
    second = None if other is None else _side(player, position, other)
    before = scores(table, position)
    lead = before[0] - max(before[1:]) if len(before) > 1 else None
    missing = turns = None
    if before and match.objective == "reach":
        missing = match.parameters["goal"] - before[0]
        turns = table.told(position, Role.TURNS, match.parameters.get("turns"))
    note = " ".join(filter(None, (table.note(position), table.unbanked(position))))
    return Reasons(match.objective, best, second, lead, missing, turns, note, table.mishap_words[0], table.turn_words)


def _asked(advice: Advice, asked: Choice[Any] | str | None) -> RankedChoice | None:
    """Return the choice that the best is compared with; the best itself is compared with the next best."""
    choice = None
    if asked is not None:
        choice = find_by_words(advice.choices, asked) if isinstance(asked, str) else find_choice(advice.choices, asked)
        if choice is None:
            words = asked if isinstance(asked, str) else asked.action
            listed = "; ".join(choice.action for choice in advice.choices[:6])
            raise InputError(f"{words} is none of the choices here: {listed}")
    if choice is None or choice is advice.best:
        worse = [choice for choice in advice.choices[1:] if not choice.tie]
        return next(iter([*worse, *advice.choices[1:]]), None)
    return choice


def _side(best: BestPlay, position: Any, choice: RankedChoice) -> Side:
    match, table = best.match, best.match.playable
    mover = table.mover(position)
    told: dict[str, Any] = {"loss": choice.loss, "tie": choice.tie}
    begins = table.turn_begins(choice.after)
    ends = table.stage(choice.after) == "over" or (begins and choice.after != position)
    if choice.bust is not None:
        told |= _split(match, best.solved, choice, mover)
    if (
        table.stage(choice.after) == "throw"
        and table.endings_told
        and not (ends or choice.bust)
        and not (begins and table.boxes(choice.after, mover))  # a whole turn of a card ends in any box
    ):
        told |= {"endings": endings(best, choice.after), "beside": _beside(table, position)}
    if choice.bust is None:
        told["ends"] = ends
        if ends and match.objective != "points":
            told["scores"] = scores(table, choice.after, mover)
        elif ends and _adds_up(table, position):
            told |= {"points": choice.points, "still": choice.value - choice.points}
    return Side(choice.action, choice.value, **told)


def _split(match: Problem[Any], solved: ValueTable, choice: RankedChoice, mover: int) -> dict[str, Any]:
    """How often the throw that a choice makes goes wrong, and what it leads to then and otherwise, where every such
    throw loses what is held.
    """
    table, told = match.playable, {"mishap": choice.bust, "wipe": choice.wipe, "ends": False}
    falls = list(table.throws(choice.after))
    kinds = np.array([table.goes_wrong(after, choice.points) for _, after in falls])
    ways, total = [weight for weight, _ in falls], sum(weight for weight, _ in falls)
    lost = [Fraction(sum(ways[one] for one in np.flatnonzero(kinds == kind)), total) for kind in LOST]
    if lost == [table.mishap(choice.after), table.wipe(choice.after) or 0] and sum(lost) < 1:
        values = worth_of(match, solved, [after for _, after in falls]).values[:, mover]
        weights = np.array([float(weight) for weight in ways])
        for name, kind in zip(("wrong", "wiped", "right"), (*LOST, ""), strict=True):
            if (here := kinds == kind).any():
                told[name] = float((weights[here] * values[here]).sum() / weights[here].sum())
    return told


def _adds_up(table: Table[Any], position: Any) -> bool:
    """Whether a card is worth what its boxes hold, and nothing else that counts them otherwise."""
    return bool(table.boxes(position, table.mover(position))) and not table.game.data.ranges


def _beside(table: Table[Any], position: Any) -> int | None:
    """The points that a turn which goes on compares to: what stopping here would bring, or the total to beat."""
    kinds = (ChoiceKind.BANK, ChoiceKind.STOP)
    stops = [choice.points for choice in choices_of(table, position) if choice.kind in kinds]
    return max(stops, default=table.to_beat(position))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
