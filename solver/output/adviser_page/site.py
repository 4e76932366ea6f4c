"""A website with the pages of all games, for any static host.

Besides the pages it has an index, a manifest that makes it installable, and a service worker that keeps it offline.
"""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Iterator

from ...games import game as find_rules
from ...games.names import ALIASES, MISSPELLINGS
from ...solvers import make_problem
from ...solving.solve import solve_problem
from ...util.graphics import PIP_SYMBOLS, dice_html
from ...util.html_document import BUILT_FOLDER, html_document
from ...util.progress_reporting import ProgressCallback
from ...version import VERSION
from . import SITE, page_objective, render_page
from .site_games import LISTED_GAMES, ListedGame

STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --soft: #4c5968; --paper: #fbfaf7; --card: #efede6; --line: #7d8793;
  --accent: #1c4f86; --die: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #eef1f4; --soft: #b6c1cc; --paper: #12181f; --card: #1e2730;
  --line: #8593a0; --accent: #a5cdfb; --die: #f3efe4 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 68rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.4 system-ui, sans-serif }
h1 { font-size: 1.6rem; margin: 0 }
h2 { font-size: 1.15rem; margin: 0.6rem 0 0 }
p { margin: 0.35rem 0 }
.names, .hint { color: var(--soft) }
.names span { display: inline-block }
label { display: block; margin-top: 1rem; font-weight: 600 }
input, button, select { font: inherit; color: inherit; min-height: 44px; border: 1px solid var(--line);
  border-radius: 8px; background: var(--card); padding: 0.4rem 0.7rem }
input { width: 100%; max-width: 30rem; background: var(--paper) }
ul { list-style: none; padding: 0; display: grid; gap: 0.75rem;
  grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)) }
li { display: flex; flex-direction: column }
li > a { display: block; flex: 1; padding: 0.8rem; color: inherit; text-decoration: none;
  background: var(--card); border: 1px solid var(--line); border-radius: 12px }
.players { display: flex; flex-wrap: wrap; gap: 0.75rem }
.players a { padding: 0.6rem 0.8rem; color: var(--accent) }
li > a:hover { border-color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.dice { display: flex; flex-wrap: wrap; gap: 4px; min-height: 40px }
.die { width: 40px; height: 40px }
span.die { display: inline-flex; align-items: center; justify-content: center; width: auto; min-width: 40px;
  padding: 0 0.5rem; border-radius: 9px; border: 2px solid #16202a; background: var(--die); color: #16202a;
  font-weight: 700 }
.hidden { position: absolute; width: 0; height: 0 }
@media (max-width: 34rem) {
  li > a { display: flex; flex-wrap: wrap; align-items: center; column-gap: 0.75rem }
  h2 { order: -1; margin: 0 auto 0 0 }
  li p { width: 100% }
  .dice { min-height: 26px }
  .die { width: 26px; height: 26px }
  span.die { min-width: 26px; padding: 0 0.3rem; border-radius: 6px }
}
[hidden] { display: none }
"""
# Shows the words in one language, which the pages of the games then speak too (``page/src/keep.ts``).
# Shows the games one of whose names holds what is typed, and offers to install the site where the browser can.
SCRIPT = """
if (location.protocol.startsWith('http') && 'serviceWorker' in navigator)
  navigator.serviceWorker.register('service.js');
const languages = document.querySelector('select'), KEY = 'keepwise language';
const tries = (what) => { try { return what(); } catch { return null; } };
const speak = () => {
  document.documentElement.lang = languages.value;
  for (const text of document.querySelectorAll('main [lang]:not(option)')) text.hidden = text.lang !== languages.value;
};
const wish = tries(() => localStorage.getItem(KEY)) ?? (navigator.language || 'en').slice(0, 2);
if ([...languages.options].some((option) => option.value === wish)) languages.value = wish;
languages.addEventListener('change', () => {
  tries(() => localStorage.setItem(KEY, languages.value));
  speak();
});
speak();
const field = document.querySelector('input'), games = [...document.querySelectorAll('li')];
const none = document.getElementById('none'), install = document.getElementById('install');
const plain = (text) => text.normalize('NFKD').replace(/\\p{M}/gu, '').toLowerCase().replace(/[^\\p{L}\\p{N}]/gu, '');
const show = () => {
  const wanted = plain(field.value);
  for (const game of games) game.hidden = !plain(game.dataset.names).includes(wanted);
  none.hidden = games.some((game) => !game.hidden);
};
field.addEventListener('input', show);
field.addEventListener('keydown', (event) => {
  const first = games.find((game) => !game.hidden);
  if (event.key === 'Enter' && field.value && first) location.href = first.querySelector('a').href;
});
show();
window.addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  install.hidden = false;
  install.addEventListener('click', () => event.prompt());
});
"""
# What the front page says, by language, as HTML. The languages are those of the pages of the games.
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français"}
WORDS = {
    "lead": {
        "en": "Exact answers to “what should I keep?”. Choose a game and play it at once.",
        "de": "Exakte Antworten auf „Was soll ich behalten?“. Wähle ein Spiel und leg gleich los.",
        "fr": "Des réponses exactes à « que faut-il garder ? ». Choisissez un jeu et jouez tout de suite.",
    },
    "find": {
        "en": "Find a game by any of its names",
        "de": "Finde ein Spiel unter einem seiner Namen",
        "fr": "Trouver un jeu par l’un de ses noms",
    },
    "none": {
        "en": "No game here has this name. 5000, Farkle and others can be changed: see House rules under More.",
        "de": "Kein Spiel hat hier diesen Namen. 5000, Farkle und andere lassen sich ändern: siehe Hausregeln unter"
        " Mehr.",
        "fr": "Aucun jeu ne porte ce nom ici. On peut modifier 5000, Farkle et d’autres : voir Règles de la maison"
        " sous Plus.",
    },
    "offline": {
        "en": "After the first visit all games work offline.",
        "de": "Nach dem ersten Besuch funktionieren alle Spiele ohne Netz.",
        "fr": "Après la première visite, tous les jeux marchent sans réseau.",
    },
    "install": {
        "en": "Install on this device",
        "de": "Auf diesem Gerät installieren",
        "fr": "Installer sur cet appareil",
    },
}
# The links to pages for more players, by their number and by language.
PLAYERS = {
    3: {"en": "For three players", "de": "Für drei", "fr": "À trois"},
    4: {"en": "For four players", "de": "Für vier", "fr": "À quatre"},
}
ICONS = ("icon-192.png", "icon-512.png")
VERSION_DIGITS = 16  # of the hash of all pages


def site(threads: int | None, progress: ProgressCallback) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of the site.

    Args:
        threads: threads for solving; None for the default.
        progress: called with the fraction of the games that are done.
    """
    listed_games = [(find_rules(game_id), entry) for game_id, entry in LISTED_GAMES.items()]
    digest = hashlib.sha256()  # the worker's version, which changes when any page does
    for game_number, (game, entry) in enumerate(listed_games):
        progress(game_number / len(listed_games))
        for players in (None, *entry.more_players):
            objective = "win" if players else entry.objective or page_objective(game, None)
            solution = solve_problem(make_problem(game, objective, players), threads=threads)
            has_sheet = not entry.rule_file and players is None  # that of more players can take an hour
            page_for_three = _page_name(game.id, 3) if players is None and 3 in entry.more_players else ""
            content = render_page(solution, True, has_sheet, page_for_three).encode()
            digest.update(content)
            yield _page_name(game.id, players), content
    for name in ICONS:
        yield name, (BUILT_FOLDER / name).read_bytes()
    index_content = index([(game.id, game.title, entry) for game, entry in listed_games]).encode()
    digest.update(index_content)
    yield "index.html", index_content
    yield "manifest.webmanifest", json.dumps(manifest(), indent=2).encode()
    # Pages for more players are large, so the worker stores one only when it is opened.
    pages = (_page_name(game.id) for game, _ in listed_games)
    files = ["./", "index.html", "manifest.webmanifest", *ICONS, *pages]
    version = f"keepwise {VERSION} {digest.hexdigest()[:VERSION_DIGITS]}"
    constants = f"self.VERSION={json.dumps(version)};self.FILES={json.dumps(files)};"
    yield "service.js", (constants + (BUILT_FOLDER / "service.js").read_text("utf-8")).encode()


def _page_name(game_id: str, players: int | None = None) -> str:
    """Return the file name of a game's page; ``players`` is None for its first page."""
    return f"{game_id}-{players}.html" if players else f"{game_id}.html"


def index(listed_games: list[tuple[str, str, ListedGame]]) -> str:
    """Return the front page of the site, given the id, the title and the entry of every game."""
    items = "\n".join(_list_item(game_id, title, entry) for game_id, title, entry in listed_games)
    options = "".join(f'<option value="{code}" lang="{code}">{name}</option>' for code, name in LANGUAGES.items())
    body = (
        f"{PIP_SYMBOLS}<main><h1>Keepwise</h1>\n"
        f'<p><select aria-label="Language, Sprache, langue">{options}</select></p>\n'
        f"<p>{_in_languages(WORDS['lead'])}</p>\n"
        f'<label for="name">{_in_languages(WORDS["find"])}</label>\n'
        '<input id="name" type="search" autocomplete="off" placeholder="Kniffel, Zilch, Ship, Captain, Crew ...">\n'
        f'<p id="none" role="status" hidden>{_in_languages(WORDS["none"])}</p>\n'
        f"<ul>\n{items}\n</ul>\n"
        f'<p class="hint">{_in_languages(WORDS["offline"])}</p>\n'
        f'<p><button id="install" type="button" hidden>{_in_languages(WORDS["install"])}</button></p></main>\n'
    )
    policy_directives = ("manifest-src 'self'", "worker-src 'self'", "img-src 'self'")
    return html_document("Keepwise", body, STYLE, SCRIPT, policy_directives=policy_directives, head=SITE)


def _list_item(game_id: str, title: str, entry: ListedGame) -> str:
    """Return a game of the front page: its picture, names and summary, which lead to its page, and further links."""
    other_names = [name for name in (*ALIASES.get(game_id, ()), *entry.more_names) if name != title]
    every_name = html.escape(", ".join((title, game_id, *other_names, *MISSPELLINGS.get(game_id, ()))))
    shown_names = [name for name in other_names if _letters(name) != _letters(title)]
    spans = " · ".join(f"<span>{html.escape(name)}</span>" for name in shown_names)  # a line breaks between names
    also = f'<p class="names">{spans}</p>' if spans else ""
    links = "".join(
        f'<a href="{_page_name(game_id, players)}">{_in_languages(PLAYERS[players])}</a>'
        for players in entry.more_players
    )
    more_players = f'<p class="players">{links}</p>' if links else ""
    return (
        f'<li data-names="{every_name}"><a href="{_page_name(game_id)}">{dice_html(entry.picture)}'
        f"<h2>{html.escape(title)}</h2>{also}<p>{_in_languages(entry.summaries)}</p></a>{more_players}</li>"
    )


def _in_languages(words: dict[str, str]) -> str:
    """Return a text in all languages, of which the page shows one; without its program it shows English."""
    return "".join(
        f'<span lang="{code}"{"" if code == "en" else " hidden"}>{html.escape(text)}</span>'
        for code, text in words.items()
    )


def _letters(name: str) -> str:
    """Return the letters and digits of a name in lower case."""
    return "".join(filter(str.isalnum, name)).casefold()


def manifest() -> dict[str, object]:
    """Return the web app manifest, which makes the site installable."""
    return {
        "name": "Keepwise",
        "short_name": "Keepwise",
        "description": "Exact answers to “what should I keep?”",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#fbfaf7",
        "theme_color": "#1c4f86",
        "icons": [{"src": name, "sizes": f"{name[5:8]}x{name[5:8]}", "type": "image/png"} for name in ICONS],
    }
