"""Optional libraries, which only some output formats need."""

from __future__ import annotations

from importlib.util import find_spec

from .errors import InputError


def require_library(library: str, why: str, extra: str) -> None:
    """Raise InputError if a library is not installed, with the command that installs it.

    Args:
        library: the name to import.
        why: the beginning of the message: what needs the library.
        extra: the extra of this package that installs it.
    """
    if find_spec(library) is None:
        raise InputError(f"{why}: {_install_command(extra)}")


def _install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation, with the pip of the running Python.

    A package that was installed from a folder is installed from that folder again.
    """
    import json
    import os
    import shutil
    import sys
    from importlib.metadata import distributions
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    python, working_folder = sys.executable, os.getcwd()
    if python.startswith(working_folder + os.sep):
        python = os.path.relpath(python)
    pip_path = shutil.which("pip")
    is_own_pip = pip_path and os.path.dirname(pip_path) == os.path.dirname(sys.executable)
    pip = "pip" if is_own_pip else f'"{python}" -m pip' if " " in python else f"{python} -m pip"
    origin_files = (installed.read_text("direct_url.json") for installed in distributions(name="keepwise"))
    origin = json.loads(next(filter(None, origin_files), "{}"))
    source_folder = url2pathname(urlsplit(origin.get("url", "")).path)
    if "dir_info" not in origin or not os.path.isdir(source_folder):
        return f'{pip} install "keepwise[{extra}]"'
    source = "." if os.path.samefile(source_folder, working_folder) else source_folder
    editable = "-e " if origin["dir_info"].get("editable") else ""
    return f'{pip} install {editable}"{source}[{extra}]"'
