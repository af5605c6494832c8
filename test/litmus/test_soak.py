"""How the long run packs and starts programs, also under Compute Sanitizer, and counts their outcomes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import soak
from cudasync_tools import gpu_programs


def program(path, script):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
    path.chmod(0o755)
    return path


def options(folder, **others):
    usual = {"seconds": 60, "seed": 5, "sanitizer": None, "filter": "", "output": folder / "results", "kinds": ["fuzz"]}
    usual |= {"rounds": None, "at_once": 1, "packed": True, "limit": 60}
    return SimpleNamespace(**usual | others)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 0", ("passed", 0)),
        ("echo '12 seeds from 3'; echo '5 seeds from 9'; exit 0", ("passed", 17)),
        ("exit 77", ("skipped", 0)),
        ("echo text; exit 1", ("failed", 0)),
        ("sleep 60", ("timed out", 0)),
    ],
)
def test_outcomes_of_programs(tmp_path, script, expected):
    log = tmp_path / "log"
    assert gpu_programs.outcome(["sh", "-c", script], log, 0.3, {}) == expected
    assert log.exists() == (expected[0] in ("failed", "timed out"))


def test_the_long_run_fails_if_a_program_fails_or_none_runs(capsys):
    def fails(**counts):
        return soak.print_counts(collections.Counter({tuple(key.split("__")): times for key, times in counts.items()}), {"a": 8})

    assert fails()
    assert not fails(a__passed=2, b__skipped=1)
    assert fails(**{"a__passed": 2, "b__timed out": 1})
    lines = capsys.readouterr().out.splitlines()
    assert "1 timed out, 2 passed" not in lines[0]
    assert "     8 seeds: a" in lines


@pytest.mark.parametrize(("wrong", "expected"), [(0, "passed"), (1, "failed")])
def test_wrong_words_in_spite_of_the_fence_are_a_failure(tmp_path, monkeypatch, wrong, expected):
    rows = [{"copying": "none", "wrong": 5.0}, {"copying": soak.LIBRARY_FENCE, "wrong": wrong}]
    (tmp_path / "fences.json").write_text(json.dumps({"gpu": "A", "results": rows}), encoding="utf-8")
    monkeypatch.setattr(gpu_programs, "outcome", lambda *_: ("passed", 0))
    assert soak.fences_outcome(SimpleNamespace(output=tmp_path)) == expected


def test_each_round_has_new_seeds(tmp_path):
    script = f'echo "$CUDASYNC_FUZZ_SEED" >> {tmp_path}/seeds\nsleep 0.1\necho "3 seeds from $CUDASYNC_FUZZ_SEED"\n'
    program(tmp_path / "build/test/fuzz/gpu.fuzz_x", script)
    run = soak.Soak(options(tmp_path, seconds=0.35), tmp_path / "build")
    run.run()
    seeds = (tmp_path / "seeds").read_text(encoding="utf-8").split()
    assert seeds[:2] == ["5", "1000005"]
    assert run.counts["gpu.fuzz_x", "passed"] == len(seeds) == run.seeds["gpu.fuzz_x"] / 3


def test_a_program_that_fails_beside_others_runs_again_alone(tmp_path):
    script = f"mkdir {tmp_path}/was_here 2>/dev/null && exit 1\nexit 0\n"
    program(tmp_path / "build/test/gpu/gpu.a", script)
    program(tmp_path / "build/test/gpu/gpu.b", "exit 1\n")
    run = soak.Soak(options(tmp_path, kinds=["gpu"], rounds=1, at_once=2), tmp_path / "build")
    run.run()
    assert dict(run.counts) == {("gpu.a", "failed beside others, passed alone"): 1, ("gpu.b", "failed"): 1}


# Prints what compute-sanitizer would, for a program with four tests: one with an error, one that ends the program, one that hangs.
SANITIZER = """
while [ "$1" != --from ]; do shift; done
echo "========= COMPUTE-SANITIZER"
case $2 in
  0) echo "passed  first (0.10 s)"
     echo "========= Invalid __global__ read of size 4 bytes"
     echo "=========     at kernel(int *)+0x70"
     echo "passed  second (0.10 s)"
     echo "kernel: unspecified launch failure"
     echo "========= ERROR SUMMARY: 3 errors"
     exit 1;;
  3) sleep 60;;
  4) echo "passed  fifth (0.10 s)"
     echo "2 passed, 0 failed, 0 skipped"
     echo "========= ERROR SUMMARY: 0 errors";;
  *) exit 2;;
esac
"""


def test_a_tool_goes_on_after_tests_that_do_not_end(tmp_path, monkeypatch):
    program(tmp_path / "compute-sanitizer", SANITIZER)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    report = gpu_programs.under_tool("memcheck", tmp_path / "gpu.x", tmp_path / "log", 3, {})
    assert report == (3, 2, 3, "Invalid __global__ read of size 4 bytes at kernel(int *)+0x70")
    assert str(report).startswith("3 errors in 3 tests, 2 did not end: Invalid")


@pytest.mark.parametrize(
    ("name", "script", "expected"),
    [
        ("gpu.x", SANITIZER, "failed"),
        ("gpu.pipeline", SANITIZER, "may be false: "),
        ("gpu.x", 'echo "1 passed, 0 failed, 0 skipped"\n', "passed"),
        ("gpu.x", "sleep 60\n", "did not end"),
        ("gpu.hang_report", "exit 0\n", None),
    ],
)
def test_what_a_tool_reports_is_counted(tmp_path, monkeypatch, name, script, expected):
    program(tmp_path / "compute-sanitizer", script)
    program(tmp_path / f"build/test/gpu/{name}", "exit 0\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    run = soak.Soak(options(tmp_path, kinds=["gpu"], rounds=1, sanitizer=["synccheck"], limit=1), tmp_path / "build")
    run.run()
    found = [result for (who, result), _ in run.counts.items() if who == f"{name} under synccheck"]
    assert [text.startswith(expected) for text in found] == ([True] if expected else [])


def test_packed_programs_are_those_of_the_build(tmp_path):
    path = tmp_path / "build/test/gpu/gpu.x"
    path.parent.mkdir(parents=True)
    path.write_bytes(Path("/bin/true").read_bytes())
    path.chmod(0o755)
    library = tmp_path / "libcudart.so.13"
    library.write_text("library", encoding="utf-8")
    gpu_programs.pack(tmp_path / "build", [path], [library], tmp_path / "pack.tar.xz")
    gpu_programs.unpack(tmp_path / "pack.tar.xz", tmp_path / "packed")
    assert (tmp_path / "packed/lib/libcudart.so.13").read_text(encoding="utf-8") == "library"
    (found,) = gpu_programs.find(tmp_path / "packed", ["gpu"], "")
    assert gpu_programs.outcome([found], tmp_path / "log", 10, {}) == ("passed", 0)
