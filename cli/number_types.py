"""Types of numbers on the command line, whose messages say which numbers are expected."""

from __future__ import annotations

from typing import Any

import click

from keepwise.util.errors import abbreviate


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
            self.fail(f"must be {expected}, not {abbreviate(value)}", param, context)
        if self.least is not None and number < self.least:
            self.fail(f"must be {expected}, not {number}", param, context)
        return number
