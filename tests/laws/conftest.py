"""Laws are checked with the toys' families known, and every subject's cache kept apart from the user's."""

from __future__ import annotations

import pytest
import toys


@pytest.fixture(autouse=True)
def families():
    """The families that are there for the laws."""
    with toys.registered():
        yield
