"""A site of all games' pages, for any static host: an index, a manifest, and a worker that keeps it all offline."""

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
from . import SITE, page, page_objective

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
REGISTER = "if ('serviceWorker' in navigator) navigator.serviceWorker.register('service.js');"
ICONS = ("icon-192.png", "icon-512.png")


def site(threads: int | None, progress: Callable[[float], None]) -> Iterator[tuple[str, bytes]]:
    """Make the files of the site: name and content of each."""
    shipped = [one for one in games() if one.parts.page]
    names, digest = list[tuple[str, str]](), hashlib.sha256()
    for done, game in enumerate(shipped):
        progress(done / len(shipped))
        objective = page_objective(game, None)
        text = page(solve_problem(make_problem(game, objective), threads=threads), site=True).encode()
        names.append((game.id, game.title))
        digest.update(text)
        yield f"{game.id}.html", text
    for name in ICONS:
        yield name, (BUILT_FOLDER / name).read_bytes()
    start = index(names).encode()
    digest.update(start)
    yield "index.html", start
    yield "manifest.webmanifest", json.dumps(manifest(), indent=2).encode()
    files = ["./", "index.html", "manifest.webmanifest", *ICONS, *(f"{game}.html" for game, _ in names)]
    version = f"keepwise {VERSION} {digest.hexdigest()[:16]}"
    told = f"self.VERSION={json.dumps(version)};self.FILES={json.dumps(files)};"
    yield "service.js", (told + (BUILT_FOLDER / "service.js").read_text("utf-8")).encode()


def index(names: list[tuple[str, str]]) -> str:
    """The page that leads to every game's."""
    links = "\n".join(f'<li><a href="{game}.html">{html.escape(title)}</a></li>' for game, title in names)
    body = (
        f"<main><h1>Keepwise</h1>\n<p>Exact answers to “what should I keep?”, without network.</p>\n"
        f"<ul>\n{links}\n</ul></main>\n"
    )
    more = ("", "manifest-src 'self'", "worker-src 'self'", "img-src 'self'")
    return html_document("Keepwise", body, STYLE, REGISTER, more, SITE)


def manifest() -> dict[str, object]:
    """What makes the site installable."""
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
