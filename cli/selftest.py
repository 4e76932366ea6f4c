"""``keepwise selftest``: an installed Keepwise checks itself."""

from __future__ import annotations

import platform
import time

import click

from keepwise.util.errors import KeepwiseError


@click.command()
def selftest() -> None:
    """Check this installation, in some ten seconds: shipped files, kernels, and a number of every game.

    \b
    Example:
      keepwise selftest
    """
    begun = time.perf_counter()
    try:
        from keepwise.api import cpu_count
        from keepwise.selftest import CHECKS, registers
        from keepwise.version import ENGINE
    except ImportError as error:
        raise KeepwiseError(f"this installation is not whole: {error}") from None
    click.echo(f"{ENGINE} on {platform.python_implementation()} {platform.python_version()}, {platform.platform()}")
    width = registers()
    click.echo(f"kernels: {width // 8} numbers at a time (registers of {width} bytes), {cpu_count()} processors")
    for check in CHECKS:
        click.echo(f"ok  {check()}")
    click.echo(f"all is well ({time.perf_counter() - begun:.1f} s)")
