"""The table of what needs several GPUs: from what the programs print and write, also if one of them fails or is skipped."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
from types import SimpleNamespace

import pytest

import goals
import soak_gpus

LITMUS = {"place": "two GPUs", "runs": 10_000_000, "forbidden": 0, "relaxed_runs": 10_000_000}
GOALS = "Goals (the worst of all configurations):\nreached     0.690  (at most 0.7)  peer_barrier: time; worst: all, 4 x 132\n"


def programs(litmus=({"shape": "MP", "relaxed": 5}, {"shape": "IRIW", "relaxed": 0}), phases="passed", tests="passed", written=GOALS, forbidden=0, count=4):
    """Stands for the programs: what each writes, and how it ends."""

    def run(command, log, limit, environment):
        assert 0 < limit <= 2400
        name = log.name.removesuffix(".log")
        if "CUDASYNC_PEER_SECONDS" in environment:
            seconds = environment["CUDASYNC_PEER_SECONDS"]
            log.write_text(f"passed\n{int(seconds) * 300000} phases of 4 ranks on 4 GPUs, 77 words compared\n", encoding="utf-8")
            return phases
        log.write_text("passed\n" if count > 1 else "several_gpus: skipped: no two GPUs\n", encoding="utf-8")
        if name == "gpu.litmus":
            assert environment["CUDASYNC_LITMUS_GPUS"] == "1" and environment["CUDASYNC_LITMUS_RUNS"] == "10000000"
            rows = [{**LITMUS, "forbidden": forbidden, **each} for each in litmus]
            with open(environment["CUDASYNC_LITMUS_JSON"], "w", encoding="utf-8") as file:
                file.writelines(json.dumps(each) + "\n" for each in rows)
        if name == "benchmarks":
            (log.parent / "goals.txt").write_text(written, encoding="utf-8")
        return tests

    return run


def measure(tmp_path, capsys, run, *parts, seconds=600):
    options = SimpleNamespace(output=tmp_path, several_gpus=list(parts), seconds=seconds, benchmark=[])
    status = soak_gpus.measure(options, tmp_path, run)
    return status, [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")][2:]


def test_all_parts(tmp_path, capsys):
    status, lines = measure(tmp_path, capsys, programs())
    assert status == 0 and len(lines) == len(soak_gpus.TESTS) + 3 + 1 + 1
    assert all(line.endswith("| reached |") for line in lines)
    assert "| phases without a wrong word | 86,400,000 on 4 GPUs | 180,000,000 of 4 ranks on 4 GPUs in 600 s, 77 words compared | reached |" in lines
    assert "| litmus MP, two GPUs | 0 forbidden in 10,000,000 | 0 in 10,000,000; 5 in 10,000,000 relaxed | reached |" in lines
    assert "| peer_barrier: time | at most 0.7 | 0.690 (all, 4 x 132) | reached |" in lines


def test_parts_in_several_calls(tmp_path, capsys):
    assert len(measure(tmp_path, capsys, programs(), "phases")[1]) == 1
    assert len(measure(tmp_path, capsys, programs(), "litmus")[1]) == 4
    status, lines = measure(tmp_path, capsys, programs(), "phases", seconds=60)
    assert status == 0 and len(lines) == 4 and lines[-1].endswith("| not measured |")  # too few phases in a minute


@pytest.mark.parametrize(
    ("run", "part", "missed"),
    [
        (programs(tests="failed"), "tests", 5),
        (programs(forbidden=1), "litmus", 2),
        (programs(litmus=()), "litmus", 0),
        (programs(litmus=(), tests="timed out"), "litmus", 1),
        (programs(litmus=({"shape": "MP", "relaxed": 0},)), "litmus", 1),
        (programs(phases="failed"), "phases", 1),
        (programs(written="above       1.400  (at most 1)  all-reduce; worst: 2 x 8 KiB\n"), "benchmarks", 1),
        (programs(tests="failed"), "benchmarks", 1),
    ],
)
def test_what_is_missed(tmp_path, capsys, run, part, missed):
    status, lines = measure(tmp_path, capsys, run, part)
    assert status == 1 and sum(line.endswith("| MISSED |") for line in lines) == missed, lines


def test_without_two_gpus(tmp_path, capsys):
    status, lines = measure(tmp_path, capsys, programs(tests="skipped", litmus=(), written="", count=1), "tests", "litmus", "benchmarks")
    assert status == 1 and all(line.endswith("| not measured |") for line in lines)
    assert "skipped (several_gpus: skipped: no two GPUs)" in lines[0]
    status, lines = measure(tmp_path, capsys, programs(count=1), "tests")  # what one GPU can show
    assert all("passed (several_gpus" in line and line.endswith("| not measured |") for line in lines[: len(soak_gpus.TESTS)])


def test_goals_of_other_libraries():
    def rows(name, kind, operation, **medians):
        return [
            {
                "benchmark": "all_reduce" if "B" in place else "meet",
                "operation": operation,
                "name": name,
                "kind": kind,
                "configuration": place.replace("_", " "),
                "median": value,
            }
            for place, value in medians.items()
        ]

    one, everybody = "the blocks with the same index of all ranks", "all blocks of all ranks"
    ours = rows("peer_block_barrier", "ours", one, **{"2_x_1": 3.0}) + rows("x", "ours", "all-reduce", **{"2_x_8 KiB": 6.0, "4_x_8 KiB": 9.0})
    assert goals.gpus_goals(ours, {}) == []
    nccl = rows("peer_block_barrier", "ours", one, **{"2_x_1": 2.0}) + rows("NCCL", "peer", one, **{"2_x_1": 4.0})
    nvshmem = (
        rows("peer_barrier", "ours", everybody, **{"2_x_1": 6.0})
        + rows("world_barrier", "ours", everybody, **{"2_x_1": 1.0})
        + rows("NVSHMEM", "peer", everybody, **{"2_x_1": 5.0})
    )
    torch = rows("NCCL", "peer", "all-reduce", **{"2_x_8 KiB": 14.0, "4_x_8 KiB": 20.0}) + rows(
        "PyTorch", "peer", "all-reduce", **{"2_x_8 KiB": 5.0, "4_x_8 KiB": 10.0}
    )
    found = {goal.text: (goal.value, goal.is_reached()) for goal in goals.gpus_goals(ours, {"nccl": nccl, "nvshmem": nvshmem, "torch": torch})}
    assert found == {
        "peer_block_barrier: time over NCCL's barrier on the device": (0.5, True),
        "peer_barrier: time over NVSHMEM's barrier on the device": (1.2, False),
        "all-reduce: time over the best of NCCL and PyTorch, of another program": (1.2, False),
    }
