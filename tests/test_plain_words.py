"""Documentation and messages avoid phrases that readers had to read twice.

``python tests/test_plain_words.py`` lists every message in build/messages.md.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [
    *sorted((ROOT / "solver").rglob("*.py")),
    *sorted((ROOT / "cli").rglob("*.py")),
    ROOT / "keepwise_check.py",
    ROOT / "docs" / "generate.py",
    *sorted((ROOT / "docs" / "gallery").glob("*.py")),
]
# Files whose lines are searched as they are: the program of the page, and the help of make.
LINES = [ROOT / "Makefile", *sorted((ROOT / "page" / "src").glob("*.ts"))]
MESSAGES = ROOT / "build" / "messages.md"

# What is wrong with a phrase, or what to write instead; the lookarounds let ordinary English pass.
PHRASES = {
    r"\b(?:is|are|was|were|be|being|been) told\b(?! apart)": "is described by, is given as, is shown",
    r"\btold (?:by|as|of)\b": "described by, given as",
    r"(?<!there )\bis no (?!longer|larger|smaller|more|less|better|worse)": "is not a",
    r"\bnobody\b": "no player",
    r"\bof whom\b": "a sentence of its own",
    r"\bgone on with\b": "resumed",
    r"\b(?:seconds?|minutes?|hours?|s) of processor\b(?! time)": "of processor time, or on one core",
    r"\bis come to\b": "is reached",
    r"\bwhoever (?:is|has|wins|gets|may)\b": "the player who",
    r"\bfor who\b(?!m)": "for a player who",
    r"\bwhere who\b": "where the player who",
}
# Ordinary English that a pattern matches all the same, with the reason.
EXCEPTIONS = {
    "against whoever is ahead": "any opponent, not one who has been named",
}


def find_phrases(text: str) -> Iterator[tuple[str, str]]:
    """Yield each phrase of `text` that is to be avoided, and what to write instead."""
    text = re.sub(r"\s+", " ", text)
    for exception in EXCEPTIONS:
        text = text.replace(exception, "")
    for pattern, instead in PHRASES.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield match[0], instead


def prose(page: Path) -> str:
    """Return the text of a page without its code blocks: those hold messages and files."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def format_text(node: ast.AST) -> str | None:
    """Return the text of a string, an f-string or a sum of such, with {} for expressions; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(format_text(part) or "{}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = format_text(node.left), format_text(node.right)
        return None if left is None and right is None else (left or "{}") + (right or "{}")
    return None


def find_messages(source: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and text of every string of four or more words in `source`, docstrings aside."""
    seen: set[int] = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            seen.add(id(node.value))
        elif isinstance(node, ast.expr) and id(node) not in seen and (text := format_text(node)):
            seen.update(map(id, ast.walk(node)))
            if len(text.split()) > 3 and re.search("[a-z]{2}", text):
                yield node.lineno, " ".join(text.split())


def test_the_docs_use_plain_words():
    found = [
        f"{page.relative_to(ROOT)}: '{phrase}'; write: {instead}"
        for page in PAGES
        for phrase, instead in find_phrases(prose(page))
    ]
    assert not found, "\n".join(found)


def test_messages_use_plain_words():
    found = [
        f"{source.relative_to(ROOT)}:{line}: '{phrase}' in: {text}; write: {instead}"
        for source in SOURCES
        for line, text in find_messages(source)
        for phrase, instead in find_phrases(text)
    ]
    assert not found, "\n".join(found)


def test_the_page_and_make_use_plain_words():
    found = [
        f"{source.relative_to(ROOT)}:{number}: '{phrase}'; write: {instead}"
        for source in LINES
        for number, line in enumerate(source.read_text().splitlines(), 1)
        for phrase, instead in find_phrases(line)
    ]
    assert not found, "\n".join(found)


def test_the_check_finds_the_old_phrases():
    old = "evening.kw cannot be gone on with", "hold is no policy of this game", "nobody counts so far", "it is told by"
    assert all(list(find_phrases(text)) for text in old)
    assert not list(find_phrases("There is no allocation, and the bound is no larger. Names cannot be told apart."))


if __name__ == "__main__":
    messages = [(source, line, text) for source in SOURCES for line, text in find_messages(source)]
    MESSAGES.parent.mkdir(exist_ok=True)
    listed = [f"- `{source.relative_to(ROOT)}:{line}` {text}" for source, line, text in messages]
    MESSAGES.write_text("# All messages\n\n" + "\n".join(listed) + "\n")
