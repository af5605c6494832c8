"""Random programs find faults: those of test/mutants and others, put into the headers, and operations that a program lacks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
from pathlib import Path

import pytest

import test_mutants
from cudasync_tools import toolchain

HERE = Path(__file__).resolve().parent

SECONDS = 10  # hundreds of programs
thorough = pytest.mark.skipif(not toolchain.THOROUGH, reason="not thorough")


def overlay(folder, mutant):
    """The folder to be searched first: it has the header with the fault."""
    header = folder / "cudasync" / mutant.header
    header.parent.mkdir(parents=True)
    header.write_text(test_mutants.faulty(mutant), encoding="utf-8")
    return [f"-I{folder}"]


def run_program(program, **settings):
    environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
    return subprocess.run([program, "--no-fork"], env=environment, capture_output=True, text=True, check=False)


# --- On host threads: ThreadSanitizer sees a race ---

ON_HOST = ("read-modify-writes do not release", "atomic stores do not release", "waits for an atomic do not acquire")
assert {each.name for each in test_mutants.MUTANTS} >= set(ON_HOST)  # also where a run is not thorough


def run_on_host(folder, include):
    program = folder / "synchronizers"
    subprocess.run(
        [toolchain.gxx(), "-std=c++17", "-O1", "-g1", "-fsanitize=thread", *include, f"-I{toolchain.INCLUDE}",
         HERE / "synchronizers.cpp", "-o", program, "-pthread"],
        check=True,
    )
    return run_program(program, CUDASYNC_FUZZ_SEED=1, CUDASYNC_FUZZ_SECONDS=SECONDS, TSAN_OPTIONS="halt_on_error=1")


@thorough
@pytest.mark.parametrize("name", ON_HOST)
def test_fault_is_found_on_the_host(tmp_path, name):
    (mutant,) = (each for each in test_mutants.MUTANTS if each.name == name)
    result = run_on_host(tmp_path, overlay(tmp_path, mutant))
    assert result.returncode != 0
    assert "data race" in result.stderr
    assert result.stdout.count("seed") <= 100


@thorough
def test_no_fault_is_found_on_the_host_without_one(tmp_path):
    result = run_on_host(tmp_path, [])
    assert result.returncode == 0, result.stdout + result.stderr


# --- On the machine ---

PROGRAM = os.environ.get("CUDASYNC_FUZZ_SYNCHRONIZERS")  # CMake sets both
RUNTIME = os.environ.get("CUDASYNC_FUZZ_RUNTIME")
on_machine = pytest.mark.skipif(not PROGRAM, reason="without nvcc there is no program for the machine")

# Operations, and a seed whose program is wrong without them.
LACKING = {
    "pipe_quit": (48, "threads left the pipeline last, expected 1"),
    "ring_wait": (1, "model: race"),
    "ring_release": (53, "gets any further"),
    "ring_tail": (43, "model: race"),
    "store_wait": (1, "model: race"),
    "store_wait_read": (41, "model: race"),
    "remote_arrive": (59, "gets any further"),
    "remote_wait": (59, "model: race"),
}


@on_machine
@pytest.mark.parametrize("operation", LACKING)
def test_operation_is_needed(operation):
    seed, report = LACKING[operation]
    settings = {"CUDASYNC_FUZZ_SEED": seed, "CUDASYNC_MACHINE_ARCHITECTURE": "sm_90", "CUDASYNC_MACHINE_STRICT": "1"}
    result = run_program(PROGRAM, **settings, CUDASYNC_FUZZ_FAULT=operation)
    assert result.returncode != 0
    assert report in result.stdout + result.stderr


ON_MACHINE = [
    test_mutants.Mutant(
        "a ring in a block is filled without a fence",
        "bulk_pipeline.h",
        "      backend::fence_before_copies(bulk_target{});\n",
        "      static_cast<void>(0);\n",
        "",
    ),
    test_mutants.Mutant(
        "the consumers of several blocks do not fence",
        "bulk_pipeline.h",
        "      if constexpr (Blocks > 1) backend::fence_before_arrival(bulk_target{});\n      Consumers::synchronize();",
        "      Consumers::synchronize();",
        "",
    ),
    test_mutants.Mutant(
        "stores awaited until they have been read",
        "bulk_store.h",
        "ptx::cp_async_bulk_wait_group<Pending>();",
        "ptx::cp_async_bulk_wait_group_read<Pending>();",
        "",
    ),
    test_mutants.Mutant(
        "stores that are not awaited until they have been read",
        "bulk_store.h",
        "ptx::cp_async_bulk_wait_group_read<Pending>();",
        "",
        "",
    ),
    test_mutants.Mutant(
        "consumers that leave are still expected",
        "pipeline.h",
        "      stage.consumed.arrive_and_drop(where);\n",
        "      static_cast<void>(stage.consumed.arrive());\n",
        "",
    ),
    test_mutants.Mutant(
        "arrivals in another block do not release",
        "cluster/remote_barrier.h",
        "ptx::mbarrier_arrive(ptx::sem_release_t{}, ",
        "ptx::mbarrier_arrive(ptx::sem_relaxed_t{}, ",
        "",
    ),
]


def run_on_machine(folder, include):
    program = folder / "synchronizers"
    subprocess.run(
        [toolchain.nvcc(), "-std=c++17", "-gencode=arch=compute_90,code=compute_90", "-cudart=none", "-no-compress",
         "-lineinfo", "-Xptxas=-w", "-Xcompiler=-O0", *include, f"-I{toolchain.INCLUDE}", HERE / "synchronizers.cu",
         f"-Xlinker={RUNTIME}", f"-Xlinker=-rpath={Path(RUNTIME).parent}", "-o", program, "-lpthread"],
        check=True,
    )
    return run_program(program, CUDASYNC_FUZZ_SEED=1, CUDASYNC_FUZZ_SECONDS=SECONDS, CUDASYNC_MACHINE_ARCHITECTURE="sm_90",
                       CUDASYNC_MACHINE_STRICT="1")


@thorough
@on_machine
@pytest.mark.parametrize("mutant", ON_MACHINE, ids=lambda mutant: mutant.name)
def test_fault_is_found_on_the_machine(tmp_path, mutant):
    result = run_on_machine(tmp_path, overlay(tmp_path, mutant))
    assert result.returncode != 0
    assert "model: race" in result.stderr or "gets any further" in result.stderr
    assert result.stdout.count("seed") <= 200


@thorough
@on_machine
def test_no_fault_is_found_on_the_machine_without_one(tmp_path):
    result = run_on_machine(tmp_path, [])
    assert result.returncode == 0, result.stdout + result.stderr
