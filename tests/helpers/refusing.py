"""Run laws while one function refuses everything: ``python tests/helpers/refusing.py FILE LAW=MODULE:NAME ...``.

Each law runs in a process of its own, which is forked after the file has been collected once. A line for each says how
pytest ended: law, function and exit status. ``NAME`` may be a method, ``Class.name``; then overriding methods of
subclasses refuse too. The slow cases of a law are asked only if its fast ones notice nothing.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from keepwise.util.errors import InputError

MESSAGE = "refused by a mutant"


def refusal(function: Any) -> Callable[..., Any]:
    """Return a function that only raises the public error."""

    @functools.wraps(function)
    def refuse(*args: object, **options: object) -> None:
        raise InputError(MESSAGE)

    for name in ("cache_clear", "cache_info"):
        if hasattr(function, name):
            setattr(refuse, name, getattr(function, name))
    return refuse


def holders(target: str) -> Iterator[tuple[Any, str, Any]]:
    """Yield every module or class that holds the function, its name there and the function."""
    module_name, _, path = target.partition(":")
    owner: Any = importlib.import_module(module_name)
    *classes, name = path.split(".")
    for one in classes:
        owner = getattr(owner, one)
    if classes:
        below = [owner]
        while below:
            kind = below.pop()
            below += kind.__subclasses__()
            if name in vars(kind):
                yield kind, name, vars(kind)[name]
        return
    function = getattr(owner, name)
    for module in list(sys.modules.values()):
        for key, value in list(getattr(module, "__dict__", {}).items()):
            if value is function:
                yield module, key, function
        call = vars(type(module)).get("__call__")  # a module that is called as its function
        if isinstance(call, staticmethod) and call.__func__ is function:
            yield type(module), "__call__", call


@contextmanager
def refusing(target: str) -> Iterator[None]:
    """Let the function refuse everything for a while, wherever it has been imported to."""
    with pytest.MonkeyPatch.context() as patch:
        found = list(holders(target))
        assert found, f"{target} is not defined"
        for owner, name, function in found:
            patch.setattr(owner, name, refusal(function))
        yield


class Refusing:
    """A plugin of pytest that lets a function refuse while a test runs, not its fixtures."""

    def __init__(self, target: str) -> None:
        self.target = target

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        """Run the test itself with the refusal."""
        with refusing(self.target):
            yield


def run(nodeid: str, target: str) -> int:
    """Run a law while a function refuses; return the exit status of pytest."""
    words = ["-q", "-p", "no:cacheprovider", "-n", "0", nodeid]
    for tier in ("not slow", "slow and not patient"):
        status = int(pytest.main([*words, "-m", tier], plugins=[Refusing(target)]))
        if status == pytest.ExitCode.TESTS_FAILED:
            return status
    return int(pytest.ExitCode.OK)


def main(file: str, *mutants: str) -> None:
    """Collect a file, then run each law in a forked process."""
    pytest.main(["-q", "-p", "no:cacheprovider", "-n", "0", "--collect-only", "--no-summary", "-qq", file])
    lines = []
    for mutant in mutants:
        law, target = mutant.split("=")
        sys.stdout.flush()
        child = os.fork()
        if not child:
            status = run(f"{file}::{law}", target)
            sys.stdout.flush()
            os._exit(status)
        _, ended = os.waitpid(child, 0)
        lines.append(f"{law} {target} {os.waitstatus_to_exitcode(ended)}")
    print("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
