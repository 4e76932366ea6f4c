r"""Hostile names go through every command and every format: refused where they are read, or shown escaped.

What cannot be seen is refused (``hostile.UNSEEN``). All else (``hostile.SEEN``, ``hostile.TITLES``) may be a name and
is shown: whatever a command prints or writes holds nothing that cannot be seen, is what its format says it is, and has
the shape that it has with plain names.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import sqlite3
import xml.etree.ElementTree
import zipfile
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

import hostile
import pytest
import subjects
from id_walks import walked
from patience import PATIENCE
from tallies import optional

import keepwise as kw
from keepwise.cli.review import FORMS
from keepwise.games.rulefile.push_file import FACE_MARKS
from keepwise.output.charts import KINDS
from keepwise.output.charts.draw import CHART_ENDINGS
from keepwise.output.exports.models import WRITERS
from keepwise.output.exports.rows import FORMATS
from keepwise.output.sheets.render import TEXT_RENDERERS
from keepwise.play.game_file import GameFile, SeatedPlayer
from keepwise.util import escaping
from keepwise.util.text import name_problem

NAMES = [name for name in hostile.SEEN if not name_problem(name)]
FACES = [name for name in NAMES if not name_problem(name, FACE_MARKS)]
SEATS = [name for name in NAMES if not name_problem(name, "#,:=", 20)]
TURNS = 12  # rounds in which each format is asked of each game
ROUNDS = max(len(FACES) // 3, len(NAMES) // 3, len(hostile.TITLES) // 4, len(SEATS) // 2) + 1
PLAIN = -1  # the round of plain names
Words = list[str]


def some(known: Sequence[str], count: int, number: int) -> list[str]:
    """So many names, others in every round."""
    if number == PLAIN:
        return ["name1", "name2", "name3", "name4"][:count]
    return [known[(number * count + place) % len(known)] for place in range(count)]


def files_of(number: int, folder: Path) -> list[str]:
    """Write the files of a round: games, odds, a game that was played; return the titles of the games."""
    faces, (pattern, special), titles = some(FACES, 3, number), some(NAMES, 2, number), some(hostile.TITLES, 4, number)
    texts = {
        "push": hostile.push_file(faces, pattern, titles[0], special=special),
        "unlike": hostile.push_file(faces, pattern, titles[1], unlike="lucky"),
        "card": hostile.card_file(some(NAMES, 3, number), titles[2]),
        "odds": hostile.odds_file(some(NAMES, 3, number), titles[3]),
        "own": f'{hostile.push_file(faces)}[[die]]\ncount = 2\n[[die]]\nname = "ours"\nweights = [1, 2, 1]\n',
    }
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    game = GameFile(
        kw.playable(kw.load_rules(folder / "push.toml")), tuple(map(SeatedPlayer, some(SEATS, 2, number))), seed=3
    )
    rng = random.Random(2)
    while not game.is_over:
        if game.playable.stage(game.position) == "throw":
            game.roll()
        else:
            game.choose(rng.choice(game.playable.choices(game.position)))
    (folder / "evening.kw").write_text(game.to_text(), encoding="utf-8")
    return titles


def position_of(file: Path, objective: str | None = None) -> str:
    """The id of a position in which there is something to choose, the last of some."""
    game = kw.load_rules(file)
    playable = kw.playable(game, objective=objective or game.objectives[0])
    met = [one for one in walked(playable, random.Random(5), 40) if playable.stage(one) == "choose"]
    return playable.id(max(met, key=lambda one: len(playable.choices(one))))


GAMES = ("push", "unlike", "card", "odds")
POINTS = ("push", "unlike", "card")  # that have points to play for
SMALL = ["--objective", "points"]


def calls_of(command: str, folder: Path, number: int, turn: int) -> Iterator[Words]:
    """How a command is called, without what every command line begins with; formats and charts are asked of another
    game in every ``turn``.
    """
    one, other = some(SEATS, 2, number)
    on = {name: ["--rules", f"{name}.toml"] for name in GAMES}
    if command in ("advise", "value"):
        for name in GAMES:
            words = [*on[name], "--position", position_of(folder / f"{name}.toml")]
            yield from (words, [*words, "--json"])
        yield [*words, "--all", "--why"] if command == "advise" else [*on["card"], *SMALL, "--distribution"]
    elif command == "rules":
        yield from (words for name in GAMES for words in (on[name], [*on[name], "--json"]))
    elif command == "games":
        yield []
    elif command == "selftest":
        return  # is told nothing
    elif command == "solve":
        yield from ([*on[name], "-o", f"{name}.npz"] for name in GAMES)
    elif command == "certify":
        yield from ([*on[name], "-o", f"{name}.cert"] for name in GAMES)
    elif command == "verify":
        yield ["push.cert"]
    elif command == "evaluate":
        yield from ([*on["push"], "--policy", "hold:2", *more] for more in ([], ["--json"]))
    elif command == "simulate":
        yield from ([*on[name], "--games", "3"] for name in GAMES)
        yield from ([*on["push"], "--games", "3", *more] for more in (["--json"], ["-o", "all.csv"]))
    elif command == "quiz":
        ways = ([], ["--json"], ["--anki", "deck.apkg"])
        yield from ([*on["push"], *SMALL, "--from", "hold:1", "--count", "3", *more] for more in ways)
        yield ["--from", "evening.kw", "--count", "2"]
    elif command == "odds":
        counts = [f"{size}:loose=5/4/1" for size in ("large", "medium", "small")]
        yield from ([*counts, "--name", name, "-o", "counted.toml"] for name in (*some(NAMES, 3, number), "=1"))
    elif command == "fair":
        yield from ([*on["push"], *more] for more in ([], ["--json"], ["--by", "target"]))
    elif command == "best-dice":
        yield from (["--rules", "push.toml", "--own", "own.toml", *more] for more in ([], ["--json"]))
    elif command == "export":
        for place, form in enumerate((*FORMATS, *TEXT_RENDERERS, "pdf", *WRITERS)):
            name = POINTS[(place + turn) % len(POINTS)]
            yield [*on[name], *SMALL, "-f", form, "-o", f"{name}.{form}"]
    elif command == "chart":
        for place, kind in enumerate(KINDS):
            name, ending = GAMES[(place + turn) % len(GAMES)], CHART_ENDINGS[(place + turn) % len(CHART_ENDINGS)]
            for of, where in ((name, ["--show", "terminal"]), ("push", ["-o", f"{kind}.{ending}"])):
                words = [kind, *on[of]]
                if of in POINTS and kind not in ("regions", "surface", "ternary", "thresholds"):
                    words += SMALL
                if kind == "keeps":
                    words += ["--position", position_of(folder / f"{of}.toml", "points" if of in POINTS else None)]
                yield [*words, *(["--vary", "target=3,5"] if kind == "sensitivity" else []), *where]
    elif command == "review":
        yield from (["evening.kw", "-f", form, "-o", f"review.{form}"] for form in FORMS)
        yield ["evening.kw", "evening.kw"]
    elif command == "page":
        yield from ([*on[name], *SMALL, "-o", f"{name}-page.html"] for name in POINTS)
    elif command in ("play", "coach"):
        yield from (
            [*on[name], "--seat", one, "--seat", f"{other}=best", "-o", f"{name}-{command}.kw"] for name in GAMES
        )
    else:
        pytest.fail(f"say how {command} is called, so that hostile names go through it")


# --- what a file of a format must be


class Page(HTMLParser):
    """The tags of a page in their order, with their attributes' names, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, ...]] = []
        self.words = ""
        self.feed(re.sub(r"(?s)<svg.*?</svg>", "", page))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, *(name for name, _ in attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def shape_of_html(text: str) -> object:
    return Page(text).tags


def shape_of_markdown(text: str) -> object:
    markdown_it = optional("markdown_it")
    return Page(markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)).tags


def shape_of_csv(text: str) -> object:
    rows = list(csv.reader(io.StringIO(text)))
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(tuple("=+-@\t\r")) or re.fullmatch(r"-?[\d.]+(e[-+]\d+)?", cell), cell
    return [len(row) for row in rows]


def shape_of_dot(text: str) -> object:
    quoted, lines = r'"(?:[^"\\]|\\.)*"', text.split("\n")[2:-2]
    assert all(
        re.fullmatch(rf"  (rankdir=LR;|{quoted}( -> {quoted})? \[(shape=\w+|label={quoted})\];)", line)
        for line in lines
    )
    return len(lines)


def shape_of_latex(text: str) -> object:
    """Its lines, and the cells of its rows."""
    assert re.sub(r"\\[&%$#_{}]", "", text).count("{") == re.sub(r"\\[&%$#_{}]", "", text).count("}")
    return [len(re.findall(r"(?<!\\)&", line)) for line in text.split("\n")]


def shape_of_model(text: str) -> object:
    """Names are letters, digits and underscores; the rest stands in comments, a line each."""
    lines = [line for line in text.split("\n") if not line.strip().startswith("//")]
    assert all(line.isascii() for line in lines)
    assert all(re.fullmatch(r"\taction \w+( \[[-\d/]+\])?", line) for line in lines if line.startswith("\taction"))
    assert all(re.match(r"  \[\w+\] s=", line) for line in lines if line.startswith("  ["))
    return len(lines)


def shape_of_xml(text: str) -> object:
    return [element.tag for element in xml.etree.ElementTree.fromstring(text).iter()]


def shape_of_deck(path: Path) -> object:
    with zipfile.ZipFile(path) as archive:
        archive.extract("collection.anki2", path.parent / "deck")
    base = sqlite3.connect(path.parent / "deck" / "collection.anki2")
    fields = [row[0] for row in base.execute("select flds from notes")]
    base.close()
    assert not any(mark in field for field in fields for mark in ("[", "{{", "\\", "<script"))
    return len(fields)


SHAPES: dict[str, Callable[[str], object]] = {
    "html": shape_of_html,
    "markdown": shape_of_markdown,
    "csv": shape_of_csv,
    "dot": shape_of_dot,
    "latex": shape_of_latex,
    "drn": shape_of_model,
    "prism": shape_of_model,
    "graphml": shape_of_xml,
    "svg": lambda text: xml.etree.ElementTree.fromstring(text).tag,
    "json": lambda text: [*json.loads(text)],
    "jsonl": lambda text: [[*json.loads(line)] for line in text.splitlines()],
}


def seen_through(run, folder: Path, number: int, turn: int, monkeypatch) -> tuple[dict[str, object], set[str]]:
    """Run all commands of a round; the shapes of the files that they wrote, and the commands that answered."""
    monkeypatch.chdir(folder)
    titles = files_of(number, folder)
    begun = {path.name for path in folder.iterdir()}
    shapes: dict[str, object] = {}
    answering: set[str] = set()
    for (command,) in subjects.commands():
        for words in calls_of(command, folder, number, turn):
            monkeypatch.setattr("sys.stdin", io.StringIO("?\nwhy\na\nsave copy.kw\nroll\nbank\n\n"))
            told = run(command, *words)
            what = f"{command} {words}: {told.err or told.out}"
            assert told.status in (0, 2), what
            assert not hostile.hidden(told.out + told.err), what
            assert told.status == 0 or told.err.count("\n") == 1, what
            if "--json" in words and told.status == 0:
                json.loads(told.out)
            shapes[f"{command} {len(shapes)}"] = told.status
            answering |= {command} if told.status == 0 else set()
    for path in sorted(folder.iterdir()):
        if path.name in begun or path.is_dir():
            continue
        ending, data = path.suffix[1:], path.read_bytes()
        if ending == "apkg":
            shapes[path.name] = shape_of_deck(path)
        elif b"\0" not in data and ending != "pdf":
            text = data.decode("utf-8")
            assert not hostile.hidden(text.replace("\t", "")), path
            shapes[path.name] = SHAPES[ending](text) if ending in SHAPES else 0
        if ending == "html":
            assert any(title in Page(data.decode()).words for title in titles)
    return shapes, answering


@pytest.mark.cases(slow=2)
@pytest.mark.parametrize("number", range(ROUNDS if PATIENCE > 1 else TURNS))
def test_every_command_and_format(run, tmp_path, number, monkeypatch, tally):
    shapes = []
    for one in (PLAIN, number):
        folder = tmp_path / str(one)
        folder.mkdir()
        found, answering = seen_through(run, folder, one, number, monkeypatch)
        shapes.append(found)
        silent = {command for (command,) in subjects.commands()} - answering
        assert silent == {"selftest"}, "a command that only refuses shows no name"
        for form in FORMATS:
            assert any((folder / f"{name}.{form}").exists() for name in POINTS), form
        tally.add(len(found))
    plain, found = shapes
    assert found.keys() == plain.keys()
    assert [key for key in found if found[key] != plain[key]] == []


# --- what cannot be seen is refused, wherever text is read


def held_by(text: str, folder: Path) -> dict[str, Words]:
    """Command lines that carry a text in all the ways there are."""
    (folder / "titled.toml").write_bytes(hostile.push_file("123", title=text).encode("utf-8", "surrogatepass"))
    (folder / "odd.toml").write_bytes(hostile.odds_file(["soft"], text).encode("utf-8", "surrogatepass"))
    rules = json.dumps({"name": "ours", "dice": 1, "singles": {"1": 1}, "title": text})
    (folder / "rules.kw").write_text(f"game: ours\nrules: {rules}\nseat: A\nseat: B\n")
    seats = f"game: pig\nseat: A{text}B\nseat: B\n"
    (folder / "seats.kw").write_bytes(seats.encode("utf-8", "surrogatepass"))
    card = hostile.card_file(["full house", "b"])
    (folder / "card.toml").write_text(card)
    turn = GameFile(
        kw.playable(kw.load_rules(folder / "card.toml"), objective="points"), (SeatedPlayer("A"),)
    ).to_text()
    (folder / "turn.kw").write_bytes(f"{turn}A: turn full{text}house 3\n".encode("utf-8", "surrogatepass"))
    return {
        "a title": ["value", "--rules", "titled.toml"],
        "the name of odds": ["rules", "--rules", "odd.toml"],
        "rules in a game file": ["review", "rules.kw"],
        "a seat in a game file": ["review", "seats.kw"],
        "a turn in a game file": ["review", "turn.kw"],
        "a rule": ["value", "--rules", "pig", "--rule", f"title=a{text}b"],
        "a seat": ["play", "pig", "--seat", f"A{text}B"],
        "odds that were counted": ["odds", "large:a=1/1/1", "medium:a=1/1/1", "small:a=1/1/1", "--name", f"a{text}b"],
        "a file read": ["value", "--rules", f"a{text}b.toml"],
        "a file written": ["solve", "pig", "--rule", "target=3", "-o", f"a{text}b.npz"],
        "a table": ["value", f"a{text}b.npz"],
        "a game file": ["review", f"a{text}b.kw"],
        "a new game file": ["play", "pig", "-o", f"a{text}b.kw"],
        "a game": ["value", f"a{text}b"],
        "an option": ["value", "pig", f"--{text}b"],
        "a roll": ["advise", "5000", "--roll", f"1{text}b"],
        "an id": ["value", "pig", "--position", f"pig:win2:{text}b/score=1"],
        "a policy": ["simulate", "pig", "--policy", f"hold:{text}b"],
        "a player": ["play", "pig", "--seat", f"A=no{text}b"],
        "a word": ["advise", "booby-trap", "--touched", "large", "--feel", f"a{text}b"],
        "a format": ["export", "pig", "-f", f"c{text}v"],
        "a choice asked about": [
            "advise",
            "pig",
            "--score",
            "1",
            "--turn",
            "3",
            "--dice",
            "1",
            "--why",
            "--against",
            text,
        ],
    }


BLANK = ("a roll", "an id", "a player", "a choice asked about", "a turn in a game file")  # where a tab is a blank


@pytest.mark.parametrize("text", hostile.UNSEEN)
def test_invisible_characters_are_refused(run, tmp_path, monkeypatch, text, tally):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    for what, words in held_by(text, tmp_path).items():
        told = run(*words)
        blank = text.isspace() and what in BLANK
        assert told.status == 2 or blank, (what, told)
        assert not hostile.hidden(told.err + told.out), what
        assert told.err.count("\n") == 1 or blank, what
        tally.add(told.status == 2)


@pytest.mark.parametrize("text", [hostile.LONG])
def test_too_long_names_are_refused(run, tmp_path, monkeypatch, text, tally):
    monkeypatch.chdir(tmp_path)
    for what, words in held_by(text, tmp_path).items():
        told = run(*words)
        assert told.status == 2, what
        assert told.err.count("\n") == 1, what
        tally.add()


# --- the functions that escape


def test_a_cell_gives_the_text_back(tally):
    for name in (*hostile.SEEN, *hostile.TITLES):
        cell = escaping.escape_csv(name)
        assert cell.removeprefix("'") == name
        assert not cell.startswith(tuple("=+-@"))
        tally.add()


def test_markdown_shows_the_text(tally):
    markdown_it = optional("markdown_it")
    reader = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for name in (*hostile.SEEN, *hostile.TITLES, "- a", "1. a", "12) a", "---", "===", "a  b", "<a>b</a>", "![a](b)"):
        line, cell = escaping.escape_markdown(name), f"| a |\n| --- |\n| {escaping.escape_markdown(name)} |"
        assert Page(reader.render(line)).words.strip() == name
        assert Page(reader.render(line)).tags == [("p",)]
        assert Page(reader.render(cell)).words.split("\n")[-6:].count(name) == 1
        assert Page(reader.render(escaping.markdown_code(name))).words.strip() == name.strip()
        tally.add()


def test_latex_has_no_commands_but_those_of_the_escape(tally):
    for name in (*hostile.SEEN, *hostile.TITLES, "--", "?`", "<<", "[a]", "*"):
        shown = re.sub(
            r"\\text(?:backslash|asciitilde|asciicircum)\{\}|\\[&%$#_{}]|\{\}", "", escaping.escape_latex(name)
        )
        assert not set("\\&%$#_{}~^") & set(shown)
        assert not re.search(r"--|''|``|<<|>>|,,|[?!]`|^[\[*]", re.sub(r"\{\}", "\0", escaping.escape_latex(name)))
        assert escaping.escape_latex(name).encode("latin-1", "ignore") or not name
        tally.add()


def test_identifiers(tally):
    for name in (*hostile.SEEN, *hostile.TITLES):
        assert re.fullmatch(r"[A-Za-z0-9_]*", escaping.model_identifier(f"keep {name}"))
        tally.add()
    assert escaping.model_identifier("keep 1 1, bank 500") == "keep_1_1_bank_500"
    assert escaping.model_identifier("א") != escaping.model_identifier("ב")
