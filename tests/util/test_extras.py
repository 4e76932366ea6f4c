"""What a missing library advises is a command that works for how the program was installed."""

from __future__ import annotations

import json
import os
import sys
from importlib import metadata
from pathlib import Path

import pytest

from keepwise.util import optional_imports
from keepwise.util.errors import InputError

PYTHON = os.path.relpath(sys.executable) if sys.executable.startswith(os.getcwd() + os.sep) else sys.executable


@pytest.fixture
def advised(monkeypatch):
    """The command, where the installation says so of itself (PEP 610); ``pip`` stands where it is told."""

    def ask(origin: object, pip: str | None = None) -> str:
        class Installed(metadata.Distribution):
            def read_text(self, filename):
                return json.dumps(origin) if origin and filename == "direct_url.json" else None

            def locate_file(self, path):
                raise NotImplementedError

        monkeypatch.setattr(optional_imports, "find_spec", lambda library: None)
        monkeypatch.setattr(metadata, "distributions", lambda name: [Installed()])
        monkeypatch.setattr("shutil.which", lambda name: pip)
        with pytest.raises(InputError) as caught:
            optional_imports.require_library("fpdf", "pdf needs fpdf2", "pdf")
        return str(caught.value)

    return ask


def test_from_a_registry_or_a_wheel(advised):
    assert advised(None) == f'pdf needs fpdf2: {PYTHON} -m pip install "keepwise[pdf]"'
    wheel = {"url": "file:///tmp/keepwise.whl", "archive_info": {}}
    assert advised(wheel) == f'pdf needs fpdf2: {PYTHON} -m pip install "keepwise[pdf]"'


def test_install_hint_uses_the_pip_of_this_python(advised):
    beside = str(Path(sys.executable).with_name("pip"))
    assert advised(None, beside) == 'pdf needs fpdf2: pip install "keepwise[pdf]"'
    assert "-m pip install" in advised(None, "/somewhere/else/pip")


def test_from_a_clone(advised, tmp_path, monkeypatch):
    clone = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    assert advised(clone).endswith(f' -m pip install -e "{tmp_path}[pdf]"')
    assert advised({**clone, "dir_info": {}}).endswith(f' -m pip install "{tmp_path}[pdf]"')
    monkeypatch.chdir(tmp_path)
    assert advised(clone).endswith(' -m pip install -e ".[pdf]"')


def test_install_hint_ignores_a_missing_folder(advised, tmp_path):
    gone = {"url": (tmp_path / "gone").as_uri(), "dir_info": {}}
    assert advised(gone).endswith(' -m pip install "keepwise[pdf]"')
