"""Attacks on certificates: each forgery is refused, and no failure of the report looks like a verdict."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from certificate_forger import forge_play

import keepwise as kw
import keepwise_check as kc
from keepwise.certify import certify


def text_of(game, objective="win", players=None):
    return "".join(certify(kw.solve(game, objective, players, fresh=True)).text_parts())


@pytest.fixture(scope="module")
def pig():
    return text_of(kw.game("pig", target=8))


@pytest.fixture(scope="module")
def three():
    return text_of(kw.game("pig", target=4), players=3)


def with_header(text, change):
    first, header, rest = text.split("\n", 2)
    read = json.loads(header)
    change(read)
    return f"{first}\n{json.dumps(read)}\n{rest}"


def with_line(text, state, numbers):
    return re.sub(rf"(?m)^{state} .*$", f"{state} {numbers}", text)


def test_the_seed_of_a_sample_is_random_and_printed(pig, checked):
    seeds = {re.search(r"(?m)^seed (\d+)$", checked(pig, "--sample", "3")[1])[1] for _ in range(3)}
    assert len(seeds) == 3


def test_every_sample_has_the_start_and_its_successors(pig, checked):
    """A false line there is found whatever is drawn."""
    for state in ("0,0", "0,2", "0,6"):
        false = with_line(pig, state, "0 1")
        assert all(checked(false, "--sample", "1", "--seed", str(seed))[0] == 1 for seed in range(5))


def test_the_chance_of_a_sample_to_find_a_false_line(pig, checked):
    """A draw of 16 of 49 states misses one with chance 33/49, which 200 seeds have to show within 5 deviations."""
    false = with_line(pig, "7,7", "0 1")
    states = [line.split()[0] for line in pig.splitlines() if "," in line and line[0].isdigit()]
    assert len(states) == 49
    missed = 0
    for seed in range(200):
        rng = kc.Reader(kc.parse_options(["x", "--sample", "16", "--seed", str(seed)]))
        for number, state in enumerate(states):
            rng.draw(state, 1, number)
        missed += "7,7" not in rng.drawn
    chance = 33 / 49
    assert abs(missed / 200 - chance) < 5 * (chance * (1 - chance) / 200) ** 0.5
    assert checked(false)[0] == 1
    assert "one wrong line would be missed with probability 0.673" in checked(pig, "--sample", "16")[1]


def test_verify_compares_the_stored_play_of_three(three, run, tmp_path):
    file = tmp_path / "three.cert"
    file.write_text(three)
    seen = run("verify", str(file))
    assert seen.status == 0
    assert seen.out.startswith("regret: ")
    assert "its policy is the solution" in seen.out
    lines = three.split("\n")
    place = next(place for place, line in enumerate(lines) if line.startswith("0,0,0 "))
    words = lines[place].split()
    words[7] = f"{int(words[7], 16) - (1 << 30):x}"  # by which the mover compares; nothing links to it, so all holds
    file.write_text("\n".join([*lines[:place], " ".join(words), *lines[place + 1 :]]))
    seen = run("verify", str(file))
    assert seen.status == 1
    assert "its policy is not the solution" in seen.err


def test_another_play_is_refused_though_all_its_lines_hold(run, checked, tmp_path):
    """Who is behind with no points banks at once, and the bounds are those of this play."""
    text = text_of(kw.game("pig", target=5), players=3)
    unit = 1 << json.loads(text.splitlines()[1])["bits"]

    def overrate_first_points(state, numbers):
        best = max(state)
        return [number + 2 * unit * (score > 0 or best == 0) for score, number in zip(state, numbers, strict=True)]

    file = tmp_path / "three.cert"
    file.write_text(forge_play(text, lambda state, numbers: numbers))
    seen = run("verify", str(file))
    assert (seen.status, "its policy is the solution" in seen.out) == (0, True)
    forged = forge_play(text, overrate_first_points)
    file.write_text(forged)
    status, report = checked(forged, "--max-regret", "1")
    assert (status, report.startswith("regret: ")) == (0, True)
    assert float(re.search(r"gains more than (\S+) by", report)[1]) > 0.01
    seen = run("verify", str(file))
    assert (seen.status, "the regret" in seen.err, "is above" in seen.err) == (1, True, True)
    seen = run("verify", str(file), "--max-regret", "1")
    assert (seen.status, "its policy is not the solution" in seen.err) == (1, True)


def test_checker_fails_above_the_regret_limit(three, checked):
    status, said = checked(three, "--max-regret", "0")
    assert (status, "--max-regret allows more" in said) == (1, True)
    status, said = checked(three, "--max-regret", "1")
    assert (status, said.startswith("regret: no player gains more than ")) == (0, True)


FORGED = {
    "an objective of a turn": lambda head: head.update(objective="sets"),
    "another objective of a turn": lambda head: head.update(objective="crew"),
    "a key in the cut": lambda head: head["cut"].update(more=1),
    "a key in the parameters": lambda head: head["parameters"].update(more=1),
    "a key in the turn": lambda head: head["turn"].update(more=1),
    "a key in the match": lambda head: head["match"].update(more=1),
    "a key in the header": lambda head: head.update(more=1),
    "a tie by another numeral": lambda head: head.update(tie="0x1_0"),
    "negative weights": lambda head: head["turn"].update(dice=[[2, [-1] * 6]]),
    "weights that cancel": lambda head: head["turn"].update(dice=[[1, [-1, 1, 1, 1, 1, 1]]]),
    "a number for true": lambda head: head["turn"].update(once=0),
    "true for a number": lambda head: head["match"].update(target=True),
    "a large number": lambda head: head["match"].update(target=10**8),
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_headers_are_refused(what, pig, checked):
    assert checked(with_header(pig, FORGED[what]))[0] == 2


@pytest.mark.parametrize("gamma", ["5", ["1/3"], ["1e99999999"], [1], [1, 0], [-1, 1], [1, 2, 3]])
def test_a_cut_names_fractions_by_numerator_and_denominator(gamma, checked):
    """One of 964 bytes kept the checker busy for over a minute."""
    text = text_of(kw.game("pig", target=8), "points")
    status, said = checked(with_header(text, lambda head: head["cut"].update(gamma={"null": gamma})))
    assert (status, "cut.gamma" in said) == (2, True)


@pytest.mark.parametrize("board", [[1, 1], [1, 2, 2, -9], [1, 2, -2], [0, 0, 0]])
def test_a_board_has_three_sizes(board, checked):
    text = text_of(kw.game("booby-trap", large=1, medium=1, small=1))
    assert checked(with_header(text, lambda head: head["match"].update(board=board)))[0] == 2


@pytest.mark.parametrize("order", [[6, 6, 6], [0, 5, 4], [7], []])
def test_an_order_names_different_faces(order, checked):
    text = text_of(kw.game("battleship"), "points")
    assert checked(with_header(text, lambda head: head["turn"].update(order=order)))[0] == 2


def test_a_header_is_ascii(pig, checked):
    first, header, rest = pig.split("\n", 2)
    for encoding in ("utf-16", "utf-8-sig"):
        assert checked(first.encode() + b"\n" + header.encode(encoding) + b"\n" + rest.encode())[0] == 2


def test_no_interval_is_empty(pig, checked):
    """Of a state that nothing leads to a line may lie anywhere if only its turn is looked at."""
    status, said = checked(with_line(pig, "0,0", "1 0"), "--blocks", "2-3")
    assert (status, "a lower bound is above its upper bound" in said) == (1, True)


# --- failures that are no verdict


@pytest.fixture
def command(tmp_path, pig):
    file = tmp_path / "pig.cert"
    file.write_text(pig)
    return [sys.executable, kc.__file__, str(file)]


def test_a_closed_pipe_is_not_a_verdict(command):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (kc.CLOSED_PIPE, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [[], ["verify"]])
def test_a_full_device_is_not_a_verdict(words, unbuffered, command):
    command = [sys.executable, "-m", "keepwise", "verify", command[-1]] if words else command
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    assert (done.returncode, "cannot write the report" in done.stderr) == (kc.NOT_WRITTEN, True)
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_is_not_a_verdict(tmp_path):
    """The checker waits for a pipe that nobody writes to, and is interrupted there."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def heed_interrupts():
        """Undo what a shell does to tests that it runs in the background: there, interrupts are ignored."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    command = [sys.executable, kc.__file__, str(pipe)]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts) as waiting,
        open(pipe, "w"),  # opened once the checker has opened it, too
    ):
        time.sleep(0.2)
        waiting.send_signal(signal.SIGINT)
        _, said = waiting.communicate(timeout=60)
    assert (waiting.returncode, said) == (kc.INTERRUPTED, "keepwise-check: interrupted\n")


# --- verdicts


def test_a_report_ends_in_a_verdict(pig, run, tmp_path):
    file = tmp_path / "pig.cert"
    file.write_text(pig)
    verdict = run("verify", str(file)).out.splitlines()[-1]
    assert verdict.startswith(f"PASS {file}: value at the start, (0, 0): from 0.738041")
    sample = run("verify", str(file), "--sample", "3").out
    assert re.search(r"sample of \d+ states: all hold; the other \d+ were not checked", sample)
    assert re.search(r"\nPASS \S+ \(a sample of \d+ of [\d,]+ states\): value at the start, ", sample)
    file.write_text(with_line(pig, "0,0", "0 1"))
    seen = run("verify", str(file))
    assert seen.status == 1
    assert f"FAIL {file}: H5 fails at state (0, 0): the upper bound is 8.67" in seen.err
    assert "its turn gives" in seen.err


def test_a_table_of_values_is_verified(run, tmp_path):
    solution, file = kw.solve(kw.game("pig", target=8), fresh=True), tmp_path / "pig.npz"
    solution.save(file)
    seen = run("verify", str(file))
    assert (seen.status, seen.out.splitlines()[-1][:4]) == (0, "PASS")
    assert re.search("all values are within .* of the true values; the error bound in the table is", seen.out)
    for moved, said in ((1e-6, "no bounds can be proved around its values"), (1e-10, "a value is up to ")):
        arrays = {name: values.copy() for name, values in solution.value_table.arrays.items()}
        next(values for values in arrays.values() if values.dtype == np.float64).flat[0] += moved
        replace(solution, value_table=replace(solution.value_table, arrays=arrays)).save(file)
        seen = run("verify", str(file))
        assert seen.status == 1
        assert f"FAIL {file}: {said}" in seen.err


# --- several processes


@pytest.mark.parametrize("processes", ["2", "3"])
def test_processes_write_the_same_report(processes, checked):
    text = text_of(kw.game("pig", target=20))
    assert checked(text, "--processes", processes) == checked(text)


@pytest.mark.parametrize("states", [["3,5"], ["18,2", "3,5"], ["0,19", "11,7", "19,0"]])
def test_processes_name_the_same_false_state(states, checked):
    """Some groups of states follow the first false one, and hold other false ones."""
    text = text_of(kw.game("pig", target=20))
    for state in states:
        text = with_line(text, state, "0 1")
    status, said = checked(text)
    assert (status, checked(text, "--processes", "3")) == (1, (status, said))


def test_memory_limits_the_processes_that_check_a_large_file(monkeypatch, checked):
    text = text_of(kw.game("pig", target=20))
    monkeypatch.setattr(kc, "BYTES_OF_PROCESSES", 300_000)  # of about 400 states
    monkeypatch.setattr(kc, "ForkedJudge", None)
    assert checked(text, "--processes", "3")[0] == 0


def test_a_process_that_is_killed_is_not_a_verdict(monkeypatch, checked):
    text, judge = text_of(kw.game("pig", target=20)), kc.Checker.judge
    here = os.getpid()

    def judge_or_die(checker, state):
        if os.getpid() != here and state == (3, 5):
            os.kill(os.getpid(), signal.SIGKILL)
        judge(checker, state)

    monkeypatch.setattr(kc.Checker, "judge", judge_or_die)
    status, said = checked(text, "--processes", "2")
    assert (status, "a process of the checker has ended early" in said) == (2, True)
