"""A website with the pages of all games, for any static host.

Besides the pages it has an index, a manifest that makes it installable, and a service worker that keeps it offline.
"""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Callable, Iterator

from ...games import games
from ...solvers import make_problem
from ...solving.solve import solve_problem
from ...util.html_document import BUILT_FOLDER, html_document
from ...version import VERSION
from . import SITE, page_objective, render_page

STYLE = """
:root { color-scheme: light dark; --ink: #16202a; --paper: #fff; --card: #f1f4f7; --line: #7b8895 }
@media (prefers-color-scheme: dark) { :root { --ink: #eef2f6; --paper: #11171d; --card: #1d262f; --line: #8593a0 } }
body { margin: 0 auto; max-width: 44rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.4 system-ui, sans-serif }
ul { list-style: none; padding: 0; display: grid; gap: 0.5rem;
  grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)) }
a { display: flex; align-items: center; min-height: 44px; padding: 0.5rem 0.75rem; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: 8px }
"""
REGISTER_WORKER = "if ('serviceWorker' in navigator) navigator.serviceWorker.register('service.js');"
ICONS = ("icon-192.png", "icon-512.png")
VERSION_DIGITS = 16  # of the hash of all pages


def site(threads: int | None, progress: Callable[[float], None]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of the site.

    Args:
        threads: threads for solving; None for the default.
        progress: called with the fraction of the games that are done.
    """
    games_with_page = [game for game in games() if game.parts.page]
    digest = hashlib.sha256()  # the worker's version, which changes when any page does
    for done, game in enumerate(games_with_page):
        progress(done / len(games_with_page))
        problem = make_problem(game, page_objective(game, None))
        content = render_page(solve_problem(problem, threads=threads), site=True).encode()
        digest.update(content)
        yield f"{game.id}.html", content
    for name in ICONS:
        yield name, (BUILT_FOLDER / name).read_bytes()
    index_content = index([(game.id, game.title) for game in games_with_page]).encode()
    digest.update(index_content)
    yield "index.html", index_content
    yield "manifest.webmanifest", json.dumps(manifest(), indent=2).encode()
    pages = (f"{game.id}.html" for game in games_with_page)
    files = ["./", "index.html", "manifest.webmanifest", *ICONS, *pages]
    version = f"keepwise {VERSION} {digest.hexdigest()[:VERSION_DIGITS]}"
    constants = f"self.VERSION={json.dumps(version)};self.FILES={json.dumps(files)};"
    yield "service.js", (constants + (BUILT_FOLDER / "service.js").read_text("utf-8")).encode()


def index(pages: list[tuple[str, str]]) -> str:
    """Return the index of the site, given the id and title of every game."""
    links = "\n".join(f'<li><a href="{game_id}.html">{html.escape(title)}</a></li>' for game_id, title in pages)
    body = (
        f"<main><h1>Keepwise</h1>\n<p>Exact answers to “what should I keep?”, without network.</p>\n"
        f"<ul>\n{links}\n</ul></main>\n"
    )
    policies = ("", "manifest-src 'self'", "worker-src 'self'", "img-src 'self'")
    return html_document("Keepwise", body, STYLE, REGISTER_WORKER, policies, SITE)


def manifest() -> dict[str, object]:
    """Return the web app manifest, which makes the site installable."""
    return {
        "name": "Keepwise",
        "short_name": "Keepwise",
        "description": "Exact answers to “what should I keep?”",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#0b5394",
        "icons": [{"src": name, "sizes": f"{name[5:8]}x{name[5:8]}", "type": "image/png"} for name in ICONS],
    }
