"""Races between kernels and copies in several streams: the cases of test/explore/streams.cu on the machine."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import re
import subprocess

import pytest

from cudasync.explore import build
from cudasync_tools import json_schema, toolchain

SOURCE = toolchain.ROOT / "test/explore/streams.cu"
TEXT = SOURCE.read_text(encoding="utf-8")
SCHEMA = json.loads((toolchain.ROOT / "python/cudasync/explore.schema.json").read_text(encoding="utf-8"))
CASES = re.findall(r"CASE\((\w+)\)[,}]", TEXT)
# Without a bug, also as "wrong".
CLEAN = {"kernel_tells_the_host", "atomics", "every_other_word", "memory_used_again", "need_not_wait", "same_value"}
NO_RACE = {"signal_in_one_stream": "hang", "signal_of_the_host": "hang"}
REPORTED = {number for number, line in enumerate(TEXT.split("\n"), 1) if line.endswith("// reported")}
SEEDS = range(1, 41) if toolchain.THOROUGH else (1, 2)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """What is found in a case, with a seed."""
    library = os.environ.get("CUDASYNC_MACHINE_LIBRARY")
    if not library:
        pytest.skip("the machine of test/model: CUDASYNC_MACHINE_LIBRARY")
    folder = tmp_path_factory.mktemp("streams")
    build.program(toolchain.nvcc(), build.machine(""), [str(SOURCE)], "90", [], folder / "streams")

    def start(case, form, seed=1, **more):
        report = folder / "report"
        report.unlink(missing_ok=True)
        variables = {**os.environ, "CUDASYNC_MACHINE_SEED": str(seed), "CUDASYNC_MACHINE_REPORT": str(report), **more}
        done = subprocess.run([folder / "streams", case, form], env=variables, capture_output=True, text=True, timeout=60, check=False)
        found = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
        found = [each for each in found if each["kind"] != "kernel"]
        for each in found:
            assert list(json_schema.faults({**each, "seed": seed}, SCHEMA["$defs"]["finding"], SCHEMA)) == []
        assert (done.returncode != 0) == any(each["level"] == "bug" and each["kind"] != "limit" for each in found), done.stdout + done.stderr
        return found

    return start


@pytest.mark.parametrize(("races", "rules"), [("all", {"unordered-streams"}), ("0", set())])
def test_setting_of_races(races, rules, run):
    """With all, a program goes on after the first, also from stream to stream."""
    assert {each["rule"] for each in run("two_streams", "wrong", CUDASYNC_MACHINE_RACES=races)} == rules


def lines(finding):
    return {each["user"]["line"] for each in finding["accesses"] if "user" in each}


@pytest.mark.parametrize("case", sorted(set(CASES) - CLEAN - set(NO_RACE)))
def test_race(case, run):
    """With every seed, although kernels run one after the other."""
    for seed in SEEDS:
        (found,) = run(case, "wrong", seed)
        is_freed = case == "freed_too_early" and "in allocation 3 of 1024 bytes, which was freed" in found["message"]  # if it comes first
        assert is_freed or found["rule"] == ("missing-grid-wait" if "before_the_wait" in case else "unordered-streams")
        assert lines(found) <= REPORTED


@pytest.mark.parametrize("case", CASES)
def test_no_race(case, run):
    for seed in SEEDS:
        assert run(case, "right", seed) == []
        assert case not in CLEAN or run(case, "wrong", seed) == []


@pytest.mark.parametrize(("case", "kind"), NO_RACE.items())
def test_other_bug(case, kind, run):
    assert [each["kind"] for each in run(case, "wrong")] == [kind]


def test_same_value_is_strict(run):
    (found,) = run("same_value", "wrong", CUDASYNC_MACHINE_STRICT="1")
    assert found["level"] == "strict" and run("same_value", "right", CUDASYNC_MACHINE_STRICT="1") == []


def test_limit_of_memory(run):
    """What is not kept is not compared with later work, and is said."""
    (found,) = run("two_streams", "wrong", CUDASYNC_MACHINE_MOST_RANGES="0")
    assert found["kind"] == "limit" and "races between streams are not looked for" in found["message"]
    assert run("two_streams", "right", CUDASYNC_MACHINE_MOST_RANGES="100") == []


def test_report(run):
    (found,) = run("two_streams", "wrong")
    read, written = (f"at streams.cu:{number}" for number in sorted(lines(found), reverse=True))
    assert found["message"] == (
        f"`sum(int const*, int*)` in stream 2 reads allocation 1 (argument 1) {read}; `fill(int*)` in stream 1 wrote it {written}; nothing orders the two"
    )
    assert "record an event in stream 1 after the first (cudaEventRecord), and let stream 2 wait" in found["remedy"]
    first, second = found["accesses"]
    assert (first["kernel"], first["stream"]) == ("fill(int*)", "stream 1") and (second["stream"], second["action"]) == ("stream 2", "read")
    (found,) = run("copy_of_a_result", "wrong")
    assert found["message"].startswith("cudaMemcpyAsync in stream 2 reads allocation 1; `fill(int*)` in stream 1 wrote it at streams.cu:")
    (found,) = run("default_stream", "wrong")
    assert found["remedy"].endswith("; only streams without cudaStreamNonBlocking wait for the default stream")
    assert "signals" not in found["remedy"]
    (found,) = run("graph_of_nodes", "wrong")
    assert found["remedy"].startswith("add a dependency between the two nodes")
    (found,) = run("signal_between_kernels", "wrong")
    assert "if one kernel signals to the other, call __threadfence()" in found["remedy"]
