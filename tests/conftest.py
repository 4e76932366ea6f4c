"""Every test has a cache folder of its own, so no test leans on what another solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from keepwise.cli import main


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *args, **kwargs: str(tmp_path / "cache"))
    return tmp_path / "cache" / "tables"


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str


@pytest.fixture
def run(capsys) -> Callable[..., Run]:
    """Run the command line in this process: ``run("advise 5000 --roll 11532")`` or with separate words."""

    def call(*words: str) -> Run:
        args = words[0].split() if len(words) == 1 else list(words)
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main(args)
        seen = capsys.readouterr()
        return Run(int(exit_.value.code or 0), seen.out, seen.err)

    return call
