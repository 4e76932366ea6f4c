"""Libraries that only some formats need; everything else works without them."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import InputError


def require_library(library: str, why: str, extra: str) -> None:
    """Raise InputError where a library is not installed: ``why`` it is needed, and the command that installs it."""
    if find_spec(library) is None:
        raise InputError(f"{why}: {_install_command(extra)}")


def _install_command(extra: str) -> str:
    """What adds an extra to this installation: the pip of the Python that runs it, and the folder that it came from."""
    import json
    import os
    import shutil
    import sys
    from importlib.metadata import distributions
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    python, here = sys.executable, os.getcwd()
    if python.startswith(here + os.sep):
        python = os.path.relpath(python)
    found = shutil.which("pip")
    own = found and os.path.dirname(found) == os.path.dirname(sys.executable)
    pip = "pip" if own else f'"{python}" -m pip' if " " in python else f"{python} -m pip"
    told = (one.read_text("direct_url.json") for one in distributions(name="keepwise"))
    origin = json.loads(next(filter(None, told), "{}"))
    folder = url2pathname(urlsplit(origin.get("url", "")).path)
    if "dir_info" not in origin or not os.path.isdir(folder):
        return f'{pip} install "keepwise[{extra}]"'
    place = "." if os.path.samefile(folder, here) else folder
    linked = "-e " if origin["dir_info"].get("editable") else ""
    return f'{pip} install {linked}"{place}[{extra}]"'
