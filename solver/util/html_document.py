"""HTML documents that run only their own program and load nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from .escaping import html

BUILT_FOLDER = resources.files("keepwise.page") / "built"  # the compiled programs of pages


def html_document(
    title: str, body: str, style: str, script: str, policy_additions: tuple[str, ...] = ("",), head: str = ""
) -> str:
    """Return an HTML document with one style and one script, and a security policy that allows no others.

    The policy tells the browser the hashes of the style and the script. It runs and shows only what has these hashes.

    Args:
        title: the title, not yet escaped.
        body: the body as HTML.
        style: the style sheet.
        script: the program.
        policy_additions: additions to the security policy. The first one has further sources of scripts, such as
            ``'wasm-unsafe-eval'``, or is empty. The others are whole directives.
        head: further HTML for the head.
    """
    script_sources, *directives = policy_additions
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_csp_hash(script)}' {script_sources}".rstrip(),
            f"style-src '{_csp_hash(style)}'",
            *directives,
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
    """Return the hash of a style or script as security policies state it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
