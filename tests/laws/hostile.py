"""Names that could do harm, and files that hold them."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Sequence

# Nobody sees these: they are refused where they are read.
UNSEEN = (
    "\x00", "\x07", "\x08", "\t", "\n", "\r", "\x1b", "\x1b[2J", "\x1b]0;x\x07", "\x7f", "\x85", "\x9b", "\x9d",
    "\xa0", "\xad", "\u061c", "\u034f", "\u115f", "\u180e", "\u200b", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029",
    "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2060", "\u2066", "\u2067", "\u2068", "\u2069", "\u2800",
    "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ud800", "\udfff", "\ufffe", "\U000e0041", "\U000e0100",
)  # fmt: skip
# What a format might take for something of its own. A title may hold all of it; no name has any of , / = and :
SEEN = (
    r"$\bad$", "$x$", "$", "_x", "<script>", "<b>", "&amp;", "&", '"', "'", "''", "|", "`", "```", "*x*", "#", "~", "^",
    "%", "%s", "{}", "{x}", "{{x}}", "\\", "\\\\", "\\n", r"\input", "[x]", "[latex]", "-x", "--x", "-", "+x", "+",
    "@x", "@", "!", ";", "1", "1)", "1.", "٣", "é", "ß", "א", "שלום", "مرحبا", "\U0001f3b2", "中", "²", "()", "(x)",
    "\\(x\\)", "keep", "bank", "roll", "all", "plain", "throw", "true", "nan", "None", "win", "x" * 40,
)  # fmt: skip
TITLES = (*SEEN, "=1+1", "=cmd()", "a/b", "a,b", "a::b", "x" * 80, "https://x.y/z", "</title>", "]]>", "<!--", "-->")
LONG = "x" * 300
PARTS = (
    *SEEN[:-1],
    *UNSEEN,
    "A",
    "a",
    "b",
    "d",
    "dd",
    "_",
    " ",
    "/",
    ",",
    "=",
    ":",
    "e\u0301",
    "SS",
    "１",
    "10",
    "x" * 39,
)


def hidden(text: str) -> list[str]:
    """What of a text nobody sees, the ends of lines aside."""
    return [
        mark
        for mark in dict.fromkeys(text)
        if unicodedata.category(mark) in ("Cc", "Cf", "Cs", "Zl", "Zp") and mark != "\n"
    ]


def invented(rng: random.Random, faces: bool = False) -> str:
    """A name of one to three parts; most of them can be."""
    kind = rng.random()
    name = "".join(rng.choices(SEEN[:-1] if kind < 0.7 else PARTS, k=rng.randint(1, 3)))
    return name.replace("(", "<").replace(")", ">") if faces and kind < 0.6 else name


def quoted(text: str) -> str:
    """Text as TOML and JSON read it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def push_file(
    faces: Sequence[str], pattern: str = "pair", title: str = "Ours", unlike: str = "", special: str | None = None
) -> str:
    """A small push-your-luck game of three faces, the first two of which score."""
    one, other, _ = faces
    dice = f"[[die]]\ncount = 1\n[[die]]\nname = {quoted(unlike)}\nweights = [2, 1, 1]\n" if unlike else ""
    return (
        f'name = "ours"\ntitle = {quoted(title)}\nfaces = [{", ".join(map(quoted, faces))}]\ntarget = 4\n'
        f"{'' if unlike else 'dice = 2'}\n{dice}[singles]\n{quoted(one)} = 1\n{quoted(other)} = 1\n"
        f"[[pattern]]\nname = {quoted(pattern)}\npairs = 1\npoints = 3\n"
        + (
            f'[[special]]\nname = {quoted(special)}\ngroups = [2]\nthen = "roll"\ndice = "same"\npoints = 2\n'
            if special is not None
            else ""
        )
    )


def card_file(names: Sequence[str], title: str = "Ours", times: int = 1) -> str:
    """A small card of so many categories."""
    boxes = "".join(
        f"[[category]]\nname = {quoted(name)}\nat_least = {place}\ntimes = {times}\n"
        for place, name in enumerate(names, 1)
    )
    return f'name = "ours"\ntitle = {quoted(title)}\ndice = 2\nfaces = 3\nthrows = 2\n{boxes}'


def odds_file(feels: Sequence[str], name: str = "ours") -> str:
    """Odds of a small board, all feels alike."""
    entries = "".join(
        f'[odds.{size}.{quoted(feel)}]\nchance = "1/{len(feels)}"\ntrip = "1/{place}"\n'
        for size in ("large", "medium", "small")
        for place, feel in enumerate(feels, 2)
    )
    return f'game = "booby-trap"\nlarge = 1\nmedium = 1\nsmall = 2\n[odds]\nname = {quoted(name)}\n{entries}'
