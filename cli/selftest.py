"""``keepwise selftest``: a check of the installation."""

from __future__ import annotations

import platform
import time

import click

from keepwise.util.errors import KeepwiseError

from .arguments import PlainCommand


@click.command(cls=PlainCommand)
def selftest() -> None:
    """Check this installation in about ten seconds.

    It reads the files that ship with Keepwise, runs the compiled code, and compares one number for every game.

    \b
    Example:
      keepwise selftest
    """
    started = time.perf_counter()
    try:
        from keepwise.api import cpu_count
        from keepwise.selftest import CHECKS, registers
        from keepwise.version import ENGINE
    except ImportError as error:
        raise KeepwiseError(f"this installation is incomplete: {error}; install Keepwise again") from None
    click.echo(f"{ENGINE} on {platform.python_implementation()} {platform.python_version()}, {platform.platform()}")
    width = registers()
    click.echo(f"kernels: {width // 8} numbers at a time (registers of {width} bytes), {cpu_count()} processors")
    for check in CHECKS:
        click.echo(f"ok  {check()}")
    click.echo(f"all checks passed ({time.perf_counter() - started:.1f} s)")
