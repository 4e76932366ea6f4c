"""Libraries that only some formats need; everything else works without them."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import InputError


def need(library: str, why: str, install: str) -> None:
    """Raise InputError where a library is not installed: ``why`` it is needed, and what to install."""
    if find_spec(library) is None:
        raise InputError(f"{why}: pip install 'keepwise[{install}]'")
