"""Write the pages that Sphinx reads: those of ``docs/``, one for each game, the gallery and the reference.

Every number and chart is the output of a command, which is printed beside it. ``make docs`` runs this.
"""

from __future__ import annotations

import io
import json
import os
import re
import runpy
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

import keepwise as kw
from keepwise.cli.commands import COMMANDS, run
from keepwise.games import game_file
from keepwise.games.rulefile.description import describe_game
from keepwise.output.charts import Chart
from keepwise.output.charts.draw import write_chart
from keepwise.output.charts.make import format_chart_value
from keepwise.policies.levels import LEVELS
from keepwise.util.number_format import format_bound
from keepwise.version import ENGINE

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build" / "docs"
KEPT = ROOT / "docs" / "gallery" / "kept.json"
PROJECT = ["CONTRIBUTING", "CHANGELOG", "SECURITY"]

# The pages in reading order. Sphinx refuses a page that is not listed.
RESULT_PAGES = [f"results/{path.stem}" for path in sorted((ROOT / "docs" / "results").glob("*.md"))]
SECTIONS = {
    "Tutorials": ["first-evening", "house-rules", "python", "environment"],
    "How to": ["table", "questions", "kingdom-come", "page", "quiz", "own-game", "research", "simulate", "scaling"],
    "The games": [f"games/{one.id}" for one in kw.games()],
    "Reference": ["rules", "house-games", "words", "glossary", "files", "reference/commands", "reference/python"],
    "Results": ["results", *RESULT_PAGES, "known-facts", "gallery"],
    "Explanations": ["design", "exactness", "certificate-format"],
    "The project": PROJECT,
}

# The chart on the page of a game; games that are not listed have none.
PICTURES = {
    "5000": "regions",
    "beartrap": "regions",
    "farkle": "regions",
    "pig": "regions",
    "scarney": "keeps --frame 3 --score 40 --opponents 61 --turn 17 --live 4 --roll 3346",
    "battleship": "distribution --objective points",
    "boston": "distribution --objective points",
    "multiplication": "distribution --objective points",
    "double-cameroon": "distribution --objective points",
    "hearts-due": "distribution --objective points",
    "yahtzee": "keeps --used sixes=18,chance=20 --roll 66653",
    "shut-the-box": "distribution --objective points",
    "booby-trap": "keeps --left 12,15,18 --score 8 --opponents 11 --passes 2 --touched large --feel springy",
}


NO_LEVELS = "policies.levels.no_decisions"  # the module of families whose games have a single sheet
COSTS_NOTHING = "In full, the sheet costs 0.0 "  # the last line of such a sheet


def say(line: str) -> str:
    """Return what ``keepwise LINE`` prints."""
    with redirect_stdout(io.StringIO()) as said:
        if run(line.split()):
            raise RuntimeError(f"keepwise {line} failed")
    return said.getvalue()


def start_values(game: kw.Game) -> str:
    """Return a table of values at the start: of the objectives whose tables ship, or of the game's first objective."""
    shipped = {row["game"]: row["shipped"] for row in json.loads(say("games --json"))["games"]}[game.id]
    lines = ["| objective | value at the start | in full |", "|---|---|---|"]
    for objective in shipped or game.objectives[:1]:
        printed = say(f"value {game.id} --objective {objective}").splitlines()
        in_full = next(line.removeprefix("in full ") for line in printed if line.startswith("in full "))
        lines.append(f"| {objective} | **{printed[1]}** | {in_full} |")
    return "\n".join(lines)


def options(game: kw.Game) -> str:
    """Return a table of the rules that can be changed, with the reason of each."""
    lines = ["| rule | default | or | why |", "|---|---|---|---|"]
    for option in game.options:
        default = _plain(option.default)
        cells = [f"`{option.key}`", default, option.other_values(option.default), option.reason]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def _plain(value: Any) -> str:
    """Return the value of a rule as readers would write it."""
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, dict):
        return str(value["name"])
    return value if isinstance(value, str) else json.dumps(value)


def section(pages: list[str], game: kw.Game) -> tuple[str, list[str]]:
    """Return the link to the first section of `pages` whose heading has the title of a game, and its paragraphs.

    A game without a section of its own gets the link to the first page, and no paragraphs.
    """
    for page in pages:
        for part in re.split(r"^## ", (ROOT / "docs" / f"{page}.md").read_text(), flags=re.MULTILINE)[1:]:
            heading, *text = part.split("\n\n")
            if game.title in heading:
                return f"{page}.md#{re.sub(r'[^a-z0-9 -]', '', heading.lower()).replace(' ', '-')}", text
    return f"{pages[0]}.md", []


def sheets(game: kw.Game) -> str:
    """Return the strategy sheets of a game as their commands print them, up to the first that costs nothing."""
    objective = "" if "points" not in game.objectives else " --objective points"
    text = ["## Strategy sheets\n"]
    if not game.parts.sheet:
        return ""
    has_levels = game.parts.levels != NO_LEVELS
    earlier_body = ""
    for level, what in enumerate(LEVELS, 1) if has_levels else [(0, "a sheet")]:
        line = f"export {game.id}{objective} -f markdown" + (f" --sheet {level}" if level else "")
        body = re.sub(r"^#", "###", say(line).split("\n", 1)[1], flags=re.MULTILINE)
        if body == earlier_body:
            continue  # the same sheet
        earlier_body = body
        text += [f"### {what[0].upper()}{what[1:]}\n\n`keepwise {line}`\n\n{body}\n"]
        if COSTS_NOTHING in body:
            break
    return "\n".join(text)


def adviser(game: kw.Game) -> str:
    """Return the adviser page of a game within a frame; "" if the game has none."""
    if not game.parts.page:
        return ""
    return f"""## Try it

<p><iframe class="adviser" src="../try/{game.id}.html" title="{game.title}" loading="lazy"></iframe></p>
<p><a href="../try/{game.id}.html">Open the page</a>, which <code>keepwise page {game.id}</code> writes.
<a href="../try/index.html">Pages of all games</a>.</p>

"""


def game_page(name: str) -> None:
    """Write the page of a game and its chart."""
    game = kw.game(name)
    about = str(game_file(name).__doc__).removeprefix(f"{game.title}: ")
    picture = ""
    if name in PICTURES:
        kind, *_ = PICTURES[name].split()
        say(f"chart {name} {PICTURES[name]} -o {BUILT / 'games' / name}.png")
        picture = f"![{game.title}: {kind}]({name}.png)\n\n`keepwise chart {name} {PICTURES[name]}`\n\n"
    rules = "\n".join("  " * line.startswith(" ") + f"- {line.strip()}" for line in describe_game(game))
    readings, read = section(["rules"], game)
    results, _ = section(["results", *RESULT_PAGES], game)
    sources = "\n\n".join(one.strip() for one in read if one.strip().startswith(("Source: ", "History: ")))
    (BUILT / "games" / f"{name}.md").write_text(f"""# {game.title}

{about[0].upper()}{about[1:]}

[How the rules are interpreted, and why](../{readings}) · [More results](../{results})

{adviser(game)}## Value at the start

{start_values(game)}

`keepwise value {name} --objective OBJECTIVE`

{picture}{sheets(game)}
## Rules

{rules}

{options(game)}

`keepwise rules {name}` prints them; change any of them with `--rule KEY=VALUE`.

## Source

{sources}
""")


def ask(line: str) -> Any:
    """Return what ``keepwise LINE --json`` prints: the stored answer, if it is of this version of the solver."""
    kept: dict[str, Any] = json.loads(KEPT.read_text())
    if kept.get(line, {}).get("engine") == ENGINE:
        return kept[line]
    return ask_anew(line)


def ask_anew(line: str) -> Any:
    """Run ``keepwise LINE --json`` and return what it prints."""
    return json.loads(say(f"{line} --json"))


def keep_answers() -> None:
    """Run all commands of the gallery, which takes some minutes, and store what they print: ``generate.py --keep``."""
    answers = {}

    def ask_and_note(line: str) -> Any:
        answers[line] = ask_anew(line)
        return answers[line]

    for script in sorted((ROOT / "docs" / "gallery").glob("*.py")):
        for _, rows in runpy.run_path(str(script))["FIGURES"].values():
            list(rows(ask_and_note))
    KEPT.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n")


def gallery() -> None:
    """Write the page of figures: the text of each script, its figure, and a table with the commands."""
    text = ["# Gallery\n\nEach figure is drawn by one script in `docs/gallery/` from the output of commands.\n"]
    for script in sorted((ROOT / "docs" / "gallery").glob("*.py")):
        made = runpy.run_path(str(script))
        for number, (title, (unit, rows)) in enumerate(made["FIGURES"].items()):
            picture = f"gallery/{script.stem}{number or ''}.png"
            found = list(rows(ask))
            labels, lines, values, changes, bounds = zip(*found, strict=True)
            form = {"value": values, "change": changes} if any(changes) else {"value": values}
            kind = "changes" if any(changes) else "bars"
            chart = Chart(title, kind, "", "", unit, labels=labels, series=form)
            write_chart(chart, BUILT / picture)
            about = "" if number else made["__doc__"]
            text.append(f"## {title}\n\n{about}\n![{title}]({picture})\n")
            text.append(f"| | {unit} | within | command |\n|---|---|---|---|")
            for label, line, value, bound in zip(labels, lines, values, bounds, strict=True):
                cells = [str(value), str(bound)]
                if isinstance(value, float):
                    cells = [f"**{format_chart_value(chart, value)}** ({value!r})", format_bound(bound)]
                text.append(f"| {label} | {' | '.join(cells)} | `keepwise {line}` |")
            text.append("")
    (BUILT / "gallery.md").write_text("\n".join(text))


def reference() -> None:
    """Write the reference: the ``--help`` of all commands, and the docstrings of all public names."""
    commands = "".join(f"## {name}\n\n```text\n{say(f'{name} --help')}```\n\n" for name in COMMANDS)
    (BUILT / "reference" / "commands.md").write_text(f"# Commands\n\n```text\n{say('--help')}```\n\n{commands}")
    public = [(name, home) for name, home in kw._MODULES.items() if not name.startswith("_")]
    listed = "\n".join(
        f".. auto{kind}:: keepwise.{home}.{name}{members}\n"
        for name, home in public
        for kind, members in [_directive(getattr(import_module(f"keepwise.{home}"), name))]
    )
    (BUILT / "reference" / "python.md").write_text(
        f"# Python\n\nAll names can be imported from `keepwise`.\n\n```{{eval-rst}}\n{listed}```\n"
    )


def _directive(public: object) -> tuple[str, str]:
    if isinstance(public, type):
        return ("exception", "") if issubclass(public, Exception) else ("class", "\n   :members:")
    return "function", ""


def index() -> None:
    """Write the first page: the README, and the order of the pages."""
    readme = (ROOT / "README.md").read_text().replace("](docs/", "](")
    trees = "".join(
        "\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(pages) + "\n```\n"
        for caption, pages in SECTIONS.items()
    )
    (BUILT / "index.md").write_text(readme + trees)


def build() -> None:
    """Write all pages."""
    os.environ["COLUMNS"] = "110"
    shutil.rmtree(BUILT, ignore_errors=True)
    shutil.copytree(ROOT / "docs", BUILT, ignore=shutil.ignore_patterns("*.py[co]", "__pycache__", "generate.py"))
    for name in PROJECT:
        text = (ROOT / f"{name}.md").read_text().replace("](docs/", "](")
        (BUILT / f"{name}.md").write_text(text)
    for folder in ("games", "reference"):
        (BUILT / folder).mkdir()
    index()
    reference()
    with ProcessPoolExecutor() as pool:
        figures = pool.submit(gallery)
        site = pool.submit(say, f"page --all -o {BUILT / 'extra' / 'try'}")
        list(pool.map(game_page, [one.id for one in kw.games()]))
        site.result()
        figures.result()


if __name__ == "__main__":
    keep_answers() if sys.argv[1:] == ["--keep"] else build()
