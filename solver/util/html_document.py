"""What our pages have in common: an HTML document that runs its own program only, and asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from .escaping import html

BUILT_FOLDER = resources.files("keepwise.page") / "built"  # the programs of pages, as built


def html_document(title: str, body: str, style: str, script: str, more: tuple[str, ...] = ("",), head: str = "") -> str:
    """Return a page. Its policy names the hashes of the one style and the one script that it holds; ``more``: what else
    the script may do, and other things that are allowed.
    """
    script_may, *others = more
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_csp_hash(script)}' {script_may}".rstrip(),
            f"style-src '{_csp_hash(style)}'",
            *others,
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n{head}'
        f"<title>{html(title)}</title>\n<style>{style}</style></head>\n"
        f"<body>{body}<script>{script}</script></body></html>\n"
    )


def _csp_hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
