"""What a slow machine says on stderr meanwhile, which hangs on the clock."""

import re

WAITING = re.compile(r"[^:]+: (\d+%, about \d+ (s|min) left|(\d+%, )?(\d+ min ?)?(\d+ s)? so far)")


def said(stderr: str) -> list[str]:
    """The other lines."""
    return [line for line in stderr.splitlines() if not WAITING.fullmatch(line)]
