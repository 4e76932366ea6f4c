"""Types of option values, whose messages say which values are expected."""

from __future__ import annotations

import math
from typing import Any

import click

from keepwise.util.errors import list_allowed, quote_text


class WholeNumber(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click only
    """A whole number of at least `least`, if that is given."""

    name = "whole number"

    def __init__(self, least: int | None = None) -> None:
        """Create the type.

        Args:
            least: the smallest number that is accepted.
        """
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> int:
        """Return the number that a text names; a wrong one is refused with the numbers that are expected."""
        expected = "a whole number" if self.least is None else f"a whole number of at least {self.least}"
        try:
            number = int(value)
        except ValueError:
            self.fail(f"must be {expected}, not {quote_text(value)}", param, context)
        if self.least is not None and number < self.least:
            self.fail(f"must be {expected}, not {number}", param, context)
        return number


class OneOf(click.Choice):  # type: ignore[type-arg]  # generic in new versions of click only
    """One of the given words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word; another one is refused with the words that are expected."""
        if value not in self.choices:
            self.fail(f"must be {list_allowed(self.choices)}, not {quote_text(value)}", param, ctx)
        return value


class NonNegativeNumber(click.ParamType):  # type: ignore[type-arg]
    """A number that is not negative."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number that a text names; a wrong one is refused."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not number >= 0:
            self.fail(f"must be a number of at least 0, not {quote_text(value)}", param, ctx)
        return number
