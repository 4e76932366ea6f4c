"""HTML documents that run only their own program and load nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from importlib import resources

from .escaping import html

BUILT_FOLDER = resources.files("keepwise.page") / "built"  # the compiled programs of pages


def html_document(
    title: str,
    body: str,
    style: str,
    script: str,
    *,
    script_sources: str = "",
    policy_directives: Iterable[str] = (),
    head: str = "",
) -> str:
    """Return an HTML document with one style sheet and one program, and a security policy that allows no others.

    The policy has the hashes of both. A browser applies a style sheet, and runs a program, only if its hash is one of
    them.

    Args:
        title: the title, not yet escaped.
        body: the body as HTML.
        style: the style sheet.
        script: the program.
        script_sources: further sources of programs that the policy allows, such as ``'wasm-unsafe-eval'``.
        policy_directives: further directives of the policy, such as ``img-src 'self'``.
        head: further HTML for the head.
    """
    policy = "; ".join(
        (
            "default-src 'none'",  # whatever no other directive allows is forbidden
            f"script-src '{_csp_hash(script)}' {script_sources}".rstrip(),
            f"style-src '{_csp_hash(style)}'",
            *policy_directives,
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
    """Return the hash of a style sheet or a program in the form of a content security policy (CSP)."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
