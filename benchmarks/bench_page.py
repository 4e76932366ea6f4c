"""How long pages take on a slow phone: Chromium slowed down fourfold, in milliseconds by the clock.

``bench_page.py [GAME ...]``: from opening a page until its first screen is complete, and from the tap on the last die
until the first advice is drawn: the least and the median of seven openings. An empty page is the reference. It needs
Chromium, ``make page`` and an idle machine.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import keepwise as kw
from keepwise.output.adviser_page import page_objective, render_page

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))
from browsers import browse

DICE = {
    "5000": "11532",
    "yahtzee": "11532",
    "farkle": "111532",
    "kingdom-come-2": "111532",
    "battleship": "66543",
    "shut-the-box": "53",
}
SLOWDOWN = 4
OPENINGS = 7
EMPTY = "<!doctype html><p>empty</p><script>keepwise = {ready: performance.now()}</script>"


def statistics_text(times: list[float]) -> str:
    return f"{min(times):5.0f}, median {statistics.median(times):5.0f} ms"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pages = {"an empty page": EMPTY}
        for title in sys.argv[1:] or DICE:
            game = kw.game(title)
            pages[title] = render_page(kw.solve(game, page_objective(game, None)))
        tasks = []
        for number, (title, html) in enumerate(pages.items()):
            path = folder / f"{number}.html"
            path.write_text(html)
            task = {"what": "speed", "file": path.as_uri(), "dice": [*DICE.get(title, "")], "slow": SLOWDOWN}
            tasks += [task] * OPENINGS
        results = browse("chromium", folder, tasks)
        for number, title in enumerate(pages):
            measured = results[number * OPENINGS : (number + 1) * OPENINGS]
            text = f"{title:15} complete after {statistics_text([times['ready'] for times in measured])}"
            if DICE.get(title):
                text += f"; advice after {statistics_text([times['advice'] for times in measured])}"
            print(text)


if __name__ == "__main__":
    main()
