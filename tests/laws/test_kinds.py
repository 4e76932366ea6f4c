"""Whatever kind of file stands where another is read: one line says what it is and what takes it. Whatever is written,
nothing that is of a kind of ours is lost by it but what is of the same kind.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import keepwise as kw
from keepwise.certify import certify
from keepwise.cli.export import MODELS, ROWS, SHEETS
from keepwise.storage.files import CERTIFICATE, FILE_KIND_USES, GAME_FILE, INSPECTED_BYTES, RULE_FILE, TABLE, file_kind

GAME = "pig --rule target=6"
TEXT, CSV = "hello\n", "a,b\n1,2\n"
READERS = {
    TABLE: ("advise", "value", "evaluate --policy hold:4", "export -f csv", "page -o new.html", "certify -o new.cert"),
    GAME_FILE: ("review", "coach --resume", "play --resume"),
    CERTIFICATE: ("verify",),
    RULE_FILE: ("advise --rules", "rules --rules", "best-dice --rules kingdom-come --own"),
}
ALSO_READS = {"verify": TABLE}  # beside the kind under which a command stands
WRITERS = {
    f"solve {GAME} -o": TABLE,
    f"certify {GAME} -o": CERTIFICATE,
    "odds large:free=20/18/1 large:tight=15/3/2 medium:free=21/20/1 medium:tight=10/4/2 small:free=25/25/1"
    " small:tight=8/2/1 -o": RULE_FILE,
    "review game --format text -o": "",
    f"page {GAME} -o": "",
    **{f"export {GAME} --objective points -f {form} -o": "" for form in (*ROWS, *SHEETS, *MODELS) if form != "umb"},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A file of every kind, and others."""
    folder = tmp_path_factory.mktemp("kinds")
    pig = kw.solve(kw.game("pig", target=6))
    pig.save(folder / "table")
    certify(pig).write(folder / "proof")
    certify(pig).write(folder / "packed.gz")
    (folder / "game").write_text("# an evening\nseat: Ann\ngame: pig\nrule: target=6\nseat: Bob\n\nAnn: turn 2\n")
    (folder / "rules").write_text('game = "pig"\ntarget = 6\n')
    (folder / "text").write_text(TEXT)
    (folder / "rows").write_text(CSV)
    return folder


FILES = {
    "table": TABLE, "game": GAME_FILE, "proof": CERTIFICATE, "packed.gz": CERTIFICATE, "rules": RULE_FILE,
    "text": "", "rows": "",
}  # fmt: skip


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    for name in FILES:
        (tmp_path / name).write_bytes((made / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", None)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_file_kind_follows_the_content(folder, name, tally):
    assert file_kind(name) == FILES[name]
    tally.add()


@pytest.mark.parametrize(
    "text", ["SEAT: Ann\nGame : pig\n", "seat: Ann\rgame: pig\r", f"game: pig\n#{'é' * INSPECTED_BYTES}"]
)
def test_a_game_file_is_known_however_it_may_be_written(tmp_path, text, tally):
    (tmp_path / "game").write_text(text, newline="")
    assert file_kind(tmp_path / "game") == GAME_FILE
    tally.add()


@pytest.mark.parametrize(("command", "kind"), [(one, kind) for kind, many in READERS.items() for one in many])
def test_commands_name_the_kind_of_a_wrong_file(run, folder, command, kind, tally):
    assert set(READERS) == set(FILE_KIND_USES)
    for name, what in FILES.items():
        if what not in (kind, ALSO_READS.get(command, kind)):
            first, *rest = command.split()
            line = [first, name, *rest] if kind == TABLE else [first, *rest, name]
            seen = run(*line)
            assert (seen.status, seen.out) == (2, ""), line
            assert seen.err.count("\n") == 1
            assert "Error" not in seen.err
            assert name in seen.err
            if what:
                assert f"is a {what}; {FILE_KIND_USES[what].format(name)}" in seen.err
                tally.add()


@pytest.mark.parametrize("command", WRITERS)
def test_commands_overwrite_no_file_of_another_kind(run, folder, command, tally):
    for name, what in FILES.items():
        before = Path(name).read_bytes()
        seen = run(*shlex.split(command), name)
        if what == WRITERS[command] or not (what or WRITERS[command]):
            assert seen.status == 0, seen.err
            assert file_kind(name) == what
            tally.add()
        else:
            assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
            assert Path(name).read_bytes() == before
            assert "another name" in seen.err or "another file name" in seen.err


@pytest.mark.parametrize("ending", ["csv", "kw", "toml", "cert", "png", "html", "md"])
def test_a_table_has_no_name_of_something_else(refused, folder, ending, tally):
    refused(f"new.{ending} is not a name for a value table; use new.npz", f"solve {GAME} -o new.{ending}")
    tally.add()


@pytest.mark.parametrize("name", FILES)
def test_only_a_game_file_is_offered_to_be_resumed(refused, folder, name, tally):
    resume, name_word = (
        (f"resume it with --resume {name}, or ", "name") if FILES[name] == GAME_FILE else ("", "file name")
    )
    refused(f"refusing to overwrite {name}; {resume}choose another {name_word}", f"play pig -o {name}")
    tally.add()
