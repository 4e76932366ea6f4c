"""Advice: the value of a position, and its legal choices ranked by value, with their losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..play.choice_kinds import CardDice
from ..play.playable_game import Choice, find_choice
from ..util.number_format import format_loss, format_percent, format_value
from ..util.optional_imports import require_library
from ..util.text import format_table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class PositionValue:
    """The value of a position for the player to move, and for every seat.

    Attributes:
        value: the value for the player to move.
        seats: the values of all seats from the mover on; () for one player.
        extra: further results by their JSON key, such as the regret.
        error_bound: no value here is further from the true one.
        exact: the true values as fractions from the mover on, if they were requested; else ().
    """

    value: float
    seats: tuple[float, ...]
    extra: Mapping[str, Any] = field(hash=False)
    error_bound: float
    exact: tuple[Fraction, ...] = ()


@dataclass(frozen=True)
class RankedChoice(Choice[Any]):
    """A legal choice with its value.

    Attributes:
        value: the value of the choice for the mover.
        bust: the probability that the next roll loses the turn points; None if no such roll follows.
        wipe: the probability that the next roll loses the whole score; None if no such roll follows.
        loss: the value of the best choice minus this value; never negative.
        tie: the choice is as good as the best within the error bound; always true of the best choice (see ``rank``).
        exact: the true value as a fraction, if it was requested.
    """

    value: float
    bust: float | None = None
    wipe: float | None = None
    loss: float = 0.0
    tie: bool = False
    exact: Fraction | None = None

    @property
    def certain_loss(self) -> float:
        """The loss, or 0.0 if the choice is as good as the best within the error bound."""
        return 0.0 if self.tie else self.loss

    @classmethod
    def from_choice(
        cls, choice: Choice[Any], value: float, bust: float | None, wipe: float | None, exact: Fraction | None = None
    ) -> RankedChoice:
        """Return a choice of a playable game together with its value; ``rank`` sets its loss later.

        Args:
            choice: the choice.
            value: the value of the choice for the mover.
            bust: the probability that the next roll loses the turn points; None if no such roll follows.
            wipe: the probability that the next roll loses the whole score; None if no such roll follows.
            exact: the true value as a fraction, if it was requested.
        """
        return cls(
            choice.words,
            choice.keep,
            choice.points,
            choice.dice_left,
            choice.after,
            value,
            bust,
            wipe,
            exact=exact,
            kind=choice.kind,
            data=choice.data,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the choice in the shape that scripts rely on."""
        shape = {
            "action": self.action,
            "keep": list(self.keep),
            "points": self.points,
            "dice_left": self.dice_left,
            "then": self.follow_up.value,
            "value": self.value,
            "loss": self.loss,
            "tie": self.tie,
        }
        exact = None if self.exact is None else str(self.exact)
        roll_cost = (self.data.cost or None) if isinstance(self.data, CardDice) else None
        optional = {"bust": self.bust, "wipe": self.wipe, "exact": exact, "roll_cost": roll_cost}
        return {**shape, **{key: value for key, value in optional.items() if value is not None}}


class MixedTurn(NamedTuple):
    """One of the two turns of a mixed action.

    Attributes:
        share: the probability that it is played.
        choice: its choice in the position in question.
    """

    share: float
    choice: Choice[Any]

    def as_json(self) -> dict[str, Any]:
        """Return the turn in the shape that scripts rely on."""
        return {"share": self.share, "action": self.choice.action}


@dataclass(frozen=True)
class Advice:
    """Every legal choice of a position, ranked by value.

    Attributes:
        objective: the objective of the values.
        choices: the choices, best first.
        note: what a player should know besides, or "".
        mishap_words: the words for what ``bust`` is the probability of: heading of a column, and in a sentence.
        error_bound: no value here is further from the true one.
        regret: the most that any player gains by leaving the computed policies; None for one or two players.
        mixed: the two turns of the mixed action that is played here, or (). The mover has to draw one of them, because
            the values of the others are those of the mixture.
        span: the words after a value in points that say which points it counts (" in the end"), or "".
    """

    objective: str
    choices: tuple[RankedChoice, ...]
    note: str
    mishap_words: tuple[str, str]
    error_bound: float
    regret: float | None = None
    mixed: tuple[MixedTurn, ...] = ()
    span: str = ""

    @property
    def best(self) -> RankedChoice:
        """The choice to make.

        Among ties it is the first by the documented rule: stop, then more points, then fewer dice. With three or more
        players it is the one that the values are computed with (see ``tie_tolerance``).
        """
        return self.choices[0]

    def choice_for_draw(self, draw: float) -> RankedChoice:
        """Return the choice to make if a random number decides a mixed action; the best choice if nothing is mixed.

        Args:
            draw: a random number from 0 to below 1.
        """
        if not self.mixed:
            return self.best
        first_turn, second_turn = self.mixed
        drawn_turn = second_turn if draw < second_turn.share else first_turn
        drawn_choice = find_choice(self.choices, drawn_turn.choice)
        assert drawn_choice is not None
        return drawn_choice

    def as_json(self) -> dict[str, Any]:
        """Return the choices in the shape that scripts rely on."""
        optional: dict[str, Any] = {} if self.regret is None else {"regret": self.regret}
        if self._shows_mixture:
            optional["mixed"] = [turn.as_json() for turn in self.mixed]
        return {"choices": [choice.as_json() for choice in self.choices], **optional}

    def choice_rows(self, limit: int | None = None) -> list[tuple[str, ...]]:
        """Return the choices as rows of text: a heading row, then one row for each choice.

        Columns are the choice, its value, what it costs, and where they occur the probabilities to bust and to lose the
        whole score, and the value as a fraction.

        Args:
            limit: list only so many choices; None: all.
        """
        rows: list[tuple[str, ...]] = [("choice", "value", "costs", self.mishap_words[0], "wipes", "in fractions")]
        for choice in self.choices[:limit]:
            loss = "tie" if choice.tie else format_loss(choice.loss, self.objective)
            if choice is self.best:  # also if it is one of several ties
                loss = "best"
            bust = format_percent(choice.bust) if choice.bust else ""
            wipe = format_percent(choice.wipe) if choice.wipe else ""
            exact = "" if choice.exact is None else str(choice.exact)
            rows.append((choice.action, format_value(choice.value, self.objective), loss, bust, wipe, exact))
        columns = zip(*rows, strict=True)
        filled_columns = [column for column in columns if any(column[1:])]  # without the heading
        return [*zip(*filled_columns, strict=True)]

    def __repr__(self) -> str:
        return f"Advice(best={self.best.action!r}, value={self.best.value!r}, choices={len(self.choices)})"

    def __str__(self) -> str:
        return "\n".join([self.explain(), "", *format_table(self.choice_rows(), 1, "  ")])

    def _repr_html_(self) -> str:
        from ..util.notebook import html_paragraph, html_table

        return f"{html_paragraph(self.explain())}\n{html_table(self.choice_rows())}"

    def to_frame(self) -> pandas.DataFrame:
        """Return the choices as a pandas data frame (``pip install keepwise[arrow]``)."""
        require_library("pandas", "data frames need pandas", "arrow")
        import pandas

        return pandas.DataFrame([{**choice.as_json(), "keep": " ".join(choice.keep)} for choice in self.choices])

    def explain(self) -> str:
        """Return in a sentence or two the best choice, and the loss of the next best."""
        best = self.best
        text = f"{best.action}: {format_value(best.value, self.objective)}{self.span}"
        risks = [(self.mishap_words[1], best.bust), ("losing the whole score", best.wipe)]
        risks_in_words = [
            f"{words} {format_percent(probability)} of the time" for words, probability in risks if probability
        ]
        if risks_in_words:
            text += f", {' and '.join(risks_in_words)}"
        ties = [choice for choice in self.choices[1:] if choice.tie]
        if ties:
            text += f"; just as good: {'; '.join(choice.action for choice in ties)}"
        worse = [choice for choice in self.choices[1:] if not choice.tie]
        if worse:
            text += f"; next best, {worse[0].action}, costs {format_loss(worse[0].loss, self.objective)}"
        return text + "." + "".join(f" {sentence}" for sentence in (self.note, self.mixture) if sentence)

    def explain_loss(self, choice: RankedChoice) -> str:
        """Return what a choice of this advice costs, to a player who has made it; "" if it is as good as the best."""
        return (
            "" if choice.tie else f"That cost {format_loss(choice.loss, self.objective)}: {self.best.action} was best."
        )

    @property
    def _shows_mixture(self) -> bool:
        """True if a mixed action begins here, or if its two turns differ here."""
        if not self.mixed:
            return False
        first, second = (turn.choice.meaning for turn in self.mixed)
        return len(self.choices) == 1 or first != second

    @property
    def mixture(self) -> str:
        """The mixed action in words: the probabilities of its two turns, and what each does here; or ""."""
        if not self._shows_mixture:
            return ""
        shares = [f"{format_percent(turn.share)} of the time" for turn in self.mixed]
        if len(self.choices) == 1:
            return f"Optimal play from here is random: one plan for the turn {shares[0]}, another {shares[1]}."
        first, second = (f"{share} {turn.choice.action}" for share, turn in zip(shares, self.mixed, strict=True))
        return f"Optimal play is random here: {first}, and {second}."


def tie_tolerance(players: int, bound: float) -> float:
    """Return how far a choice's computed value may be below the best for the choice to count as equally good.

    Among such choices the documented order of preference decides: stop, then more points, then fewer dice. For one or
    two players a tie is equally good for everybody, so this order decides within twice the error bound. With three or
    more, a choice that costs the mover nothing may cost another player much. The computed values of all players are
    those of one particular choice. So the largest number decides, and the order only between equal ones.

    Args:
        players: the number of players.
        bound: the error bound of the values.
    """
    return 2 * bound if players < 3 else 0.0


def rank(choices: Sequence[RankedChoice], players: int, bound: float, sign: int = 1) -> tuple[RankedChoice, ...]:
    """Return the choices, best first, each with its loss.

    Values closer than twice the error bound are ties, because each of the two is only known to within the bound. So
    the best choice is always marked as a tie, also if no other choice is.

    Args:
        choices: the choices, in the documented order of preference among equals.
        players: the number of players.
        bound: the error bound of the values.
        sign: 1 if larger values are better, -1 if smaller ones are.
    """
    best_gain = max(sign * choice.value for choice in choices)
    losses = [best_gain - sign * choice.value for choice in choices]
    ranked = [
        replace(choice, loss=loss, tie=bool(loss <= 2 * bound)) for choice, loss in zip(choices, losses, strict=True)
    ]
    best = next(choice for choice in ranked if choice.loss <= tie_tolerance(players, bound))
    # The best first, then by loss. ``sorted`` keeps the order of preference among equal losses.
    return tuple(sorted(ranked, key=lambda choice: (choice is not best, choice.certain_loss)))
