"""Answers: the value of a position, and every legal choice ranked with what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..play.playable_game import Choice, find_choice
from ..util.number_format import format_loss, format_percent, format_value
from ..util.optional_imports import require_library

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class PositionValue:
    """The value of a position for the player to move, and for every seat from the mover on where there are several.

    No value here is further than ``error_bound`` from the true one; ``exact``: the true ones in the order of seats, in
    fractions, where they are asked for.
    """

    value: float
    seats: tuple[float, ...]
    extra: Mapping[str, Any] = field(hash=False)
    error_bound: float
    exact: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class RankedChoice(Choice[Any]):
    """One legal choice, and what it is worth.

    ``value``: value of the choice; ``bust``: chance that the next throw loses what the turn brought, ``wipe``: that it
    loses the whole score, None where no such throw follows; ``loss``: what it costs against the best; ``tie``: whether
    several choices are the best within the error bound and this is one of them (see ``rank``); ``exact``: the true
    value, where it is asked for.
    """

    value: float
    bust: float | None = None
    wipe: float | None = None
    loss: float = 0.0
    tie: bool = False
    exact: Fraction | None = None

    @property
    def is_best(self) -> bool:
        """Whether no other choice is better, within the error bound."""
        return self.tie or self.loss == 0.0

    @property
    def certain_loss(self) -> float:
        """The loss, or 0.0 if the choice is as good as the best within the error bound."""
        return 0.0 if self.is_best else self.loss

    @classmethod
    def of(
        cls, choice: Choice[Any], value: float, bust: float | None, wipe: float | None, exact: Fraction | None = None
    ) -> RankedChoice:
        """Make one of a choice as it is played."""
        told = (choice.words, choice.keep, choice.points, choice.dice_left, choice.then, choice.after)
        return cls(*told, value, bust, wipe, exact=exact, kind=choice.kind, data=choice.data)

    def as_json(self) -> dict[str, Any]:
        """Return the choice in the shape that scripts rely on."""
        shape = {
            "action": self.action,
            "keep": list(self.keep),
            "points": self.points,
            "dice_left": self.dice_left,
            "then": self.then,
            "value": self.value,
            "loss": self.loss,
            "tie": self.tie,
        }
        exact = None if self.exact is None else str(self.exact)
        more = {"bust": self.bust, "wipe": self.wipe, "exact": exact}
        return {**shape, **{kind: told for kind, told in more.items() if told is not None}}


class MixedTurn(NamedTuple):
    """One of two turns that are mixed: how often it is made, and its choice in the position asked about."""

    share: float
    choice: Choice[Any]

    def as_json(self) -> dict[str, Any]:
        """Return the turn in the shape that scripts rely on."""
        return {"share": self.share, "action": self.choice.action}


@dataclass(frozen=True)
class Advice:
    """Every legal choice of a position, best first. ``note`` says what a player should know beside them.

    ``mishap`` names what ``bust`` is the chance of, as the heading of a column and in a sentence. No value here is
    further than ``error_bound`` from the true one. ``regret``: the most that anybody gains by leaving the play that the
    values are of, for three and more players. ``mixed``: two turns between which who begins this turn must draw, since
    the values of the others are those of both.
    """

    objective: str
    choices: tuple[RankedChoice, ...]
    note: str
    mishap: tuple[str, str]
    error_bound: float
    regret: float | None = None
    mixed: tuple[MixedTurn, ...] = ()

    @property
    def best(self) -> RankedChoice:
        """The choice to make; among ties the first by the documented rule (stop, then more points, then fewer dice),
        but of three and more players the one that the values are of (``leeway``).
        """
        return self.choices[0]

    def drawn(self, draw: float) -> RankedChoice:
        """The choice to make once it is drawn which turn is made, by a number from 0 to below 1; else the best."""
        if not self.mixed:
            return self.best
        drawn = find_choice(self.choices, self.mixed[draw < self.mixed[1].share].choice)
        assert drawn is not None
        return drawn

    def as_json(self) -> dict[str, Any]:
        """Return the choices in the shape that scripts rely on."""
        told: dict[str, Any] = {} if self.regret is None else {"regret": self.regret}
        if self._says_mixed:
            told["mixed"] = [turn.as_json() for turn in self.mixed]
        return {"choices": [choice.as_json() for choice in self.choices], **told}

    def to_frame(self) -> pandas.DataFrame:
        """Return the choices as a pandas data frame (``pip install keepwise[arrow]``)."""
        require_library("pandas", "data frames need pandas", "arrow")
        import pandas

        return pandas.DataFrame([{**choice.as_json(), "keep": " ".join(choice.keep)} for choice in self.choices])

    def explain(self) -> str:
        """Say in a sentence or two what to do and what the alternatives cost."""
        best = self.best
        text = f"{best.action}: {format_value(best.value, self.objective)}"
        ties = [choice for choice in self.choices[1:] if choice.tie]
        others = [choice for choice in self.choices[1:] if not choice.tie]
        lost = [(self.mishap[1], best.bust), ("losing the whole score", best.wipe)]
        if told := [f"{words} {format_percent(chance)} of the time" for words, chance in lost if chance]:
            text += f", {' and '.join(told)}"
        if ties:
            text += f"; just as good: {'; '.join(choice.action for choice in ties)}"
        if others:
            text += f"; next best, {others[0].action}, costs {format_loss(others[0].loss, self.objective)}"
        return text + "." + "".join(f" {said}" for said in (self.note, self.mixture) if said)

    @property
    def _says_mixed(self) -> bool:
        """Whether this is where a mixed turn begins, or where the two part."""
        if not self.mixed:
            return False
        first, second = (turn.choice.meaning for turn in self.mixed)
        return len(self.choices) == 1 or first != second

    @property
    def mixture(self) -> str:
        """Say how often each of two turns is made, and where they part what each does here."""
        if not self._says_mixed:
            return ""
        often = [f"{format_percent(one.share)} of the time" for one in self.mixed]
        if len(self.choices) == 1:
            return f"Two turns are mixed from here, one {often[0]} and one {often[1]}."
        first, second = (f"{share} {turn.choice.action}" for share, turn in zip(often, self.mixed, strict=True))
        return f"Two turns are mixed: {first}, and {second}."


def leeway(players: int, bound: float) -> float:
    """How much less than the best a choice may be worth, as computed, for the documented rule to decide between them.

    Alone and of two players a tie is as good for everybody, as far as is known. Of three and more a choice that costs
    the mover nothing may cost another seat much, so all values, and what is proved of them, are of the play that was
    computed: there the largest number decides, and the rule between equal ones.
    """
    return 2 * bound if players < 3 else 0.0


def rank(choices: Sequence[RankedChoice], players: int, bound: float, sign: int = 1) -> tuple[RankedChoice, ...]:
    """Order choices best first and give each its loss.

    ``choices`` stand in the documented order of preference among equals; ``sign`` is 1 where more is better, -1 where
    less is. Values closer than twice the bound are ties: each of the two is only known to within it. The best choice
    is a tie only if another choice is.
    """
    most = max(sign * choice.value for choice in choices)
    losses = [most - sign * choice.value for choice in choices]
    several = sum(loss <= 2 * bound for loss in losses) > 1
    ranked = [
        replace(choice, loss=loss, tie=bool(several and loss <= 2 * bound))
        for choice, loss in zip(choices, losses, strict=True)
    ]
    best = next(choice for choice in ranked if choice.loss <= leeway(players, bound))
    return tuple(sorted(ranked, key=lambda choice: (choice is not best, choice.certain_loss)))
