"""Optional libraries, which only some output formats need."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from .errors import InputError


def require_library(library: str, why: str, extra: str) -> None:
    """Raise InputError if a library is not installed, with the command that installs it.

    Args:
        library: the name by which it is imported.
        why: the beginning of the message, which says what needs the library.
        extra: the optional dependency of this package (``keepwise[extra]``) that installs it.
    """
    if find_spec(library) is None:
        raise InputError(f"{why}: {_install_command(extra)}")


def _install_command(extra: str) -> str:
    """Return the command that adds an optional dependency to this installation, with the pip of the running Python.

    A package that was installed from a folder is installed from that folder again.

    Args:
        extra: the name of the optional dependency, as in ``keepwise[extra]``.
    """
    import os
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    pip = _pip_command()
    origin = _installation_origin()
    source_folder = url2pathname(urlsplit(origin.get("url", "")).path)
    is_from_folder = "dir_info" in origin and os.path.isdir(source_folder)  # the folder may have been removed since
    if not is_from_folder:
        return f'{pip} install "keepwise[{extra}]"'
    source = "." if os.path.samefile(source_folder, os.getcwd()) else source_folder
    editable = "-e " if origin["dir_info"].get("editable") else ""
    return f'{pip} install {editable}"{source}[{extra}]"'


def _pip_command() -> str:
    """Return the shortest command that runs the pip of the running Python: ``pip``, or ``PYTHON -m pip``."""
    import os
    import shutil
    import sys

    pip_path = shutil.which("pip")
    if pip_path and os.path.dirname(pip_path) == os.path.dirname(sys.executable):
        return "pip"
    python = sys.executable
    if python.startswith(os.getcwd() + os.sep):  # inside the current folder, a relative path is shorter
        python = os.path.relpath(python)
    return f'"{python}" -m pip' if " " in python else f"{python} -m pip"


def _installation_origin() -> dict[str, Any]:
    """Return pip's record of where this package was installed from, or {} if it came from a package index.

    The record is the ``direct_url.json`` of PEP 610. Its key ``url`` is the origin. The key ``dir_info`` exists if that
    is a folder.
    """
    import json
    from importlib.metadata import distributions

    for installed in distributions(name="keepwise"):
        origin_text = installed.read_text("direct_url.json")
        if origin_text:
            origin: dict[str, Any] = json.loads(origin_text)
            return origin
    return {}
