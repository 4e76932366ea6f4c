"""Every example in README and docs prints what is written there.

``PYTHONPATH=tests/helpers python tests/test_docs.py`` writes the output anew.
"""

from __future__ import annotations

import atexit
import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from waits import said

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TOOK = re.compile(r"(?<=checked in )[\d.]+(?= s$)", re.MULTILINE)
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
FILE = re.compile(r"```(?:toml|text)\n(# ([\w-]+\.(?:toml|txt))\n.*?)```", re.DOTALL)  # its first line names it

# Terms of the glossary that the tutorials use.
LINKED_TERMS = (
    *("bust", "bank", "wipe", "opening", "turn points", "objective", "problem", "position", "id", "rule file"),
    *("scorecard", "error bound", "value table", "policy", "strategy sheet", "luck", "loss", "referee"),
)
# Words of ``docs/words.md`` whose first use is a link to it, in README and the first tutorial.
PLAYER_TERMS = (
    *(
        "turn points",
        "bank",
        "bust",
        "wipe",
        "hot dice",
        "opening",
        "take-over",
        "scorecard",
        "upper bonus",
        "objective",
    ),
    *("costs", "pp", "luck", "id", "error bound", "strategy sheet"),
)
MINUTES = ("rule-files.md-1",)  # nearly


def find_rule_files(text: str) -> dict[str, str]:
    """Return the rule files that a page shows under their names, which its examples can read."""
    return {name: content for content, name in FILE.findall(text)}


def blocks():
    """Every block of examples, README's as fast tests."""
    for page in PAGES:
        files = find_rule_files(page.read_text())
        for number, block in enumerate(BLOCK.findall(page.read_text()), 1):
            name = f"{page.name}-{number}"
            marks = [] if page.name == "README.md" else [pytest.mark.patient if name in MINUTES else pytest.mark.slow]
            yield pytest.param(block, files, id=name, marks=marks)


CACHE = tempfile.mkdtemp(prefix="keepwise-docs-")  # what an earlier engine solved does not count
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)


PROMPT = re.compile(r"\w[\w' ]*(?:> |: [^?]+\? )(.+)")


def replay(block: str, files: dict[str, str]) -> str:
    """Run each ``$ keepwise ...`` line of a block and put what it prints below it; what is typed at prompts, typed."""
    lines, folder = [], tempfile.mkdtemp(dir=CACHE)
    for name, content in files.items():
        Path(folder, name).write_text(content)
    for line, *printed in [part.splitlines() for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE) if part]:
        if line.startswith("$ "):
            words = shlex.split(line[2:])
            typed = [match[1] for one in printed if (match := PROMPT.fullmatch(one))]
            assert words[0] == "keepwise", f"only keepwise commands can be replayed: {line}"
            done = subprocess.run(
                [sys.executable, "-m", "keepwise", *words[1:]],
                capture_output=True,
                text=True,
                check=False,
                cwd=folder,
                input="".join(f"{one}\n" for one in typed),
                env={**os.environ, "COLUMNS": "120", "XDG_CACHE_HOME": CACHE},
            )
            lines += [line, *done.stdout.splitlines(), *said(done.stderr)]
    return TOOK.sub("0.5", "\n".join(lines) + "\n")


@pytest.mark.cases(fast=2)
@pytest.mark.parametrize(("block", "files"), list(blocks()))
def test_console_examples_print_their_output(block, files):
    assert replay(block, files) == TOOK.sub("0.5", block)


@pytest.mark.cases(fast=3)
@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in page.read_text()], ids=lambda page: page.name)
def test_python_examples_run(page):
    results = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_package_example_runs():
    import keepwise

    results = doctest.testmod(keepwise)
    assert results.attempted > 0
    assert results.failed == 0


def find_first_uses(text: str, terms: tuple[str, ...]) -> dict[str, int]:
    """Return where a page uses each term first, outside code, headings, tables and captions of pictures."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", "\0", match[0])

    prose = re.sub(r"```.*?```", blank, text, flags=re.DOTALL)
    prose = re.sub(r"^(#|    |\|[-|]+\|).*$", blank, prose, flags=re.MULTILINE)
    prose = re.sub(r"!\[[^\]]*\]|`[^`]*`|\]\([^)]*\)", blank, prose)
    stems = {term: term.removesuffix("y").replace(" ", r"\s+") for term in terms}
    endings = {term: "(y|ies)" if term.endswith("cy") else "(s|ing)?" for term in terms}
    uses = {term: re.search(rf"\b{stems[term]}{endings[term]}\b", prose, re.IGNORECASE) for term in terms}
    return {term: match.start() for term, match in uses.items() if match}


@pytest.mark.parametrize("name", ["first-evening", "house-rules", "python", "questions"])
def test_tutorials_link_the_first_use_of_a_term_to_the_glossary(name):
    text = (ROOT / "docs" / f"{name}.md").read_text()
    links = [match.start(1) for match in re.finditer(r"\[([^\]]+)\]\(glossary\.md#", text)]
    linked_elsewhere = PLAYER_TERMS if name == "first-evening" else ()
    first_uses = find_first_uses(text, tuple(term for term in LINKED_TERMS if term not in linked_elsewhere))
    assert first_uses
    assert sorted(links) == sorted(first_uses.values()), {term: text[at:][:60] for term, at in first_uses.items()}


def test_every_page_that_explains_links_the_glossary():
    """Pages that a program writes, and those with nothing but tables and commands, are left out."""
    without = {"speed", "known-facts", "words", "glossary", "results", "checks", "levels", "three-players"}
    pages = [page for page in PAGES if page.stem not in without]
    assert len(pages) > 20
    assert [page.name for page in pages if "glossary.md" not in page.read_text()] == []


@pytest.mark.parametrize("page", ["README.md", "docs/first-evening.md"])
def test_first_uses_of_players_words_are_links(page):
    text = (ROOT / page).read_text()
    links = [match.start(1) for match in re.finditer(r"\[([^\]]+)\]\((?:docs/)?words\.md#", text)]
    first_uses = find_first_uses(text, PLAYER_TERMS)
    assert sorted(links) == sorted(set(first_uses.values())), {term: text[at:][:60] for term, at in first_uses.items()}


def test_players_words_are_few_and_explained_in_a_sentence_each():
    text = (ROOT / "docs" / "words.md").read_text()
    words = re.findall(r"^- \*\*(.+)\*\*: (.+)$", text, re.MULTILINE)
    assert 0 < len(words) <= 30
    assert {*PLAYER_TERMS} <= {word for word, _ in words}
    for word, sentence in words:
        assert re.fullmatch(r"[^.]*(\d\.\d[^.]*)*\.", sentence), word
        assert len(sentence.split()) <= 25, word


@pytest.mark.parametrize("name", ["glossary", "words"])
def test_links_into_the_glossaries_lead_to_a_section(name):
    headings = re.findall(r"^## (.+)$", (ROOT / "docs" / f"{name}.md").read_text(), re.MULTILINE)
    anchors = {heading.lower().replace(",", "").replace(" ", "-") for heading in headings}
    for page in PAGES:
        assert set(re.findall(rf"{name}\.md#([\w-]+)", page.read_text())) <= anchors, page.name


def test_links_lead_somewhere():
    for page in PAGES:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_files_that_are_named_exist():
    root = PAGES[0].parent
    places = [root / folder for folder in (".", "solver", "docs", "tests")]
    for page in PAGES:
        for name in re.findall(r"`([\w/-]+/[\w.-]+\.(?:py|c|h|pyx|md))`", page.read_text()):
            assert any((place / name).exists() for place in places), f"{page.name}: {name}"


@pytest.mark.patient
@pytest.mark.parametrize("line", sorted(json.loads((ROOT / "docs" / "gallery" / "kept.json").read_text())))
def test_kept_answers_of_the_gallery_are_those_of_today(line):
    kept = json.loads((ROOT / "docs" / "gallery" / "kept.json").read_text())[line]
    done = subprocess.run(
        [sys.executable, "-m", "keepwise", *line.split(), "--json"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": CACHE},
    )
    assert json.loads(done.stdout) == kept


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text()
        files = find_rule_files(text)
        page.write_text(BLOCK.sub(lambda match: f"```console\n{replay(match[1], files)}```", text))  # noqa: B023
