"""Pages opened in the browsers of this machine, by ``page/tests/browser.mjs``."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRIVER = ROOT / "page" / "tests" / "browser.mjs"
BROWSERS = {"chromium": ("chromium", "chromium-browser"), "firefox": ("firefox-esr", "firefox")}


def browse(browser, tmp_path, tasks):
    """Have a browser do tasks; skip where there is none."""
    binary = next((path for path in map(shutil.which, BROWSERS[browser]) if path), None)
    if binary is None:
        pytest.skip(f"there is no {browser} here (Debian: {BROWSERS[browser][0]})")
    if not (ROOT / "page" / "node_modules" / "puppeteer-core").is_dir() or not shutil.which("node"):
        pytest.skip("the packages of page/package.json are not installed: make page")
    (tmp_path / "profile").mkdir(exist_ok=True)
    told = {"browser": browser, "binary": binary, "profile": str(tmp_path / "profile"), "tasks": tasks}
    (tmp_path / "tasks.json").write_text(json.dumps(told))
    command = ["node", str(DRIVER), str(tmp_path / "tasks.json"), str(tmp_path / "results.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((tmp_path / "results.json").read_text())
