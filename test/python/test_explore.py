"""`python -m cudasync explore`: what it makes of the reports of a program, and real programs on the machine."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cudasync import doctor, explore
from cudasync.explore import build, outcome, seeds
from cudasync_tools import json_schema, toolchain

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCHEMA = json.loads((ROOT / "python/cudasync/explore.schema.json").read_text(encoding="utf-8"))
SARIF = json.loads((HERE / "sarif.schema.json").read_text(encoding="utf-8"))


def access(action, line, thread, file="kernel.cu", **more):
    at = {"file": os.path.abspath(file), "line": line}
    return {
        "action": action, "instruction": f"{action[:2]}.shared.u32", **at, "inlined_at": [], "user": at, "block": [0, 0, 0],
        "thread": [thread, 0, 0], "unit": "thread", "proxy": "generic", "memory": "shared", "symbol": "tile", "offset": 4 * thread, "bytes": 4, **more,
    }  # fmt: skip


def race(lines=(5, 9), seed=0, **more):
    return {
        "kind": "race", "rule": "missing-block-barrier", "level": "bug", "kernel": "reverse(int*)", "seed": seed, "message": "Nothing orders the two.",
        "remedy": "Call __syncthreads().", "accesses": [access("write", lines[0], 1), access("read", lines[1], 2)], "text": "", **more,
    }  # fmt: skip


def ran(checked=True, why_not=""):
    return {"kind": "kernel", "kernel": "reverse(int*)", "seed": 0, "steps": 9, "end": "finished", "races_checked": checked, "why_not": why_not}


NOT_SUPPORTED = {"kind": "unsupported", "names": ["tex.2d"], "message": "tex.2d"}


@pytest.fixture
def run(monkeypatch, tmp_path, capfd):
    """Explores a program of the shell. reports: by seed, what the machine writes; 0: for every other seed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.cu").write_text("\n" * 4 + "  tile[i] = 1;\n\n\n\n  sum += tile[j];\n", encoding="utf-8")

    def start(reports, *words, script="exit 0"):
        lines = ['echo "seed $CUDASYNC_MACHINE_SEED, $*"', f'cat {tmp_path}/$CUDASYNC_MACHINE_SEED.in >> "$CUDASYNC_MACHINE_REPORT" 2>&-', script]
        for seed in range(9):
            objects = reports.get(seed, reports.get(0, [ran()]))
            (tmp_path / f"{seed}.in").write_text("".join(json.dumps({**each, "seed": seed}) + "\n" for each in objects), encoding="utf-8")
        program = tmp_path / "program"
        program.write_text("\n".join(["#!/bin/sh", *lines]) + "\n", encoding="utf-8")
        program.chmod(0o755)
        monkeypatch.setattr(explore, "_prepare", lambda options, folder: (str(program), explore._environment(options)))
        status = explore.main(["kernel.cu", "--seeds=8", "--json=o.json", "--sarif=o.sarif", *words])
        data = json.loads(Path("o.json").read_text(encoding="utf-8"))
        assert list(json_schema.faults(data, SCHEMA, SCHEMA)) == [] and data["exit_status"] == status
        sarif = json.loads(Path("o.sarif").read_text(encoding="utf-8"))
        assert list(json_schema.faults(sarif, SARIF, SARIF)) == []
        return status, capfd.readouterr().out, data, sarif["runs"][0]

    return start


def test_nothing_found(run):
    status, text, data, sarif = run({})
    assert status == outcome.CLEAN and text.startswith("cudasync: nothing found: 8 seeds in ") and text.endswith(", 1 kernel\n")
    assert data["seeds"] == {"wanted": 8, "ended": 8} and data["findings"] == sarif["results"] == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_first_bug(run, jobs):
    """Its seed does not depend on the number of jobs, nor on which seed ends first."""
    reports = {3: [race((5, 9))], 4: [race((1, 2))]}
    status, text, data, sarif = run(reports, "-DN=1 2", f"--jobs={jobs}", script="[ $CUDASYNC_MACHINE_SEED = 3 ] && sleep 0.2; exit 0")
    assert status == outcome.BUG
    assert text.splitlines()[:-1] == [
        "kernel.cu:9: bug: Nothing orders the two. [missing-block-barrier]",
        "  write: kernel.cu:5, thread (1,0,0) of block (0,0,0)",
        "      tile[i] = 1;",
        "  read: kernel.cu:9, thread (2,0,0) of block (0,0,0)",
        "      sum += tile[j];",
        "  memory: shared memory, tile + 8, 4 bytes",
        "  kernel: reverse(int*)",
        "  remedy: Call __syncthreads().",
        "  again: python -m cudasync explore kernel.cu '-DN=1 2' --seed 3",
    ]
    (found,) = data["findings"]
    assert found["seeds"] == [3] and found["command"].endswith("--seed 3")
    (result,) = sarif["results"]
    assert result["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "kernel.cu"}, "region": {"startLine": 9}}
    assert [each["physicalLocation"]["region"]["startLine"] for each in result["relatedLocations"]] == [5, 9]


def test_all_bugs_without_repeats(run):
    swapped = race((9, 5))
    status, text, data, _ = run({2: [race(), swapped], 5: [race((1, 9))], 7: [race()]}, "--all")
    assert status == outcome.BUG and text.count("bug:") == 2
    assert [each["seeds"] for each in data["findings"]] == [[2, 7], [5]] and data["seeds"]["ended"] == 8


def test_program_ends_at_its_first_bug(run):
    start = time.monotonic()
    status, _, data, _ = run({0: [race()]}, script="sleep 60")
    assert status == outcome.BUG and len(data["findings"]) == 1 and time.monotonic() - start < 20


def test_arguments_and_output(run):
    status, text, _, _ = run({0: [race()]}, "--verbose", "--", "8", "two words")
    assert status == outcome.BUG and "  | seed 1, 8 two words\n" in text and "--seed 1 -- 8 'two words'\n" in text
    assert "      wr.shared.u32 < kernel.cu:5\n      generic proxy, shared memory, tile + 4, 4 bytes\n" in text
    status, text, data, _ = run({}, "--seed", "6", "--", "all")
    assert status == outcome.CLEAN and data["seeds"]["wanted"] == 1 and "seed 6, all\n" in text


def test_report_of_the_checked_build(run):
    """The program prints it after the machine has reported the trap."""
    trap = {**race(), "kind": "trap", "rule": "trap", "message": "thread 3 traps", "remedy": "", "accesses": []}
    script = "sleep 0.1; echo cudasync: hang: no progress:; echo 'cudasync:   cause: one'; echo 'cudasync:   remedy: arrive'; echo other"
    _, text, data, _ = run({0: [trap]}, script=script)
    assert text.startswith("bug: no progress [hang]\n  kernel: reverse(int*)\n    cause: one\n  remedy: arrive\n  again: ")
    assert data["findings"][0]["kind"] == "hang"
    _, text, _, _ = run({0: [trap]}, script="sleep 0.1; echo other")
    assert text.startswith("bug: thread 3 traps [trap]\n")


def test_assertion_of_the_checked_build(run):
    script = "echo 'kernel.cu:5: cudasync: latch: more arrivals than expected [block (0,0,0), thread (1,0,0), lanes 0x2 of its warp]'; echo other; exit 1"
    _, text, _, _ = run({0: [race(kind="trap", rule="trap", remedy="", accesses=[access("", 5, 1)])]}, script=script)
    assert text.startswith("kernel.cu:5: bug: latch: more arrivals than expected [trap]\n"), text
    in_header = {**access("", 26, 1), "file": "/usr/include/x.h", "inlined_at": [{"file": "/usr/include/x.h", "line": 24}]}
    _, text, _, _ = run({0: [race(kind="trap", rule="trap", remedy="", accesses=[in_header])]}, script=script)
    assert text.startswith("kernel.cu:5: bug: ") and "kernel.cu:5, thread (1,0,0)" in text and "x.h" not in text, text


def test_lines_in_headers(run):
    inlined = {**access("read", 9, 2), "file": "/usr/include/x.h", "line": 3, "inlined_at": [{"file": "kernel.cu", "line": 9}]}
    _, text, _, _ = run({0: [race(accesses=[inlined, access("write", 5, 1)])]}, "--verbose")
    assert "read: kernel.cu:9, thread" in text and "re.shared.u32 < /usr/include/x.h:3 < kernel.cu:9\n" in text


def test_helpers_of_the_user(run):
    """The access is in a function of a header, which is no library's."""
    helper = access("read", 3, 2, file="ptx.h", inlined_at=[{"file": os.path.abspath(file), "line": line} for file, line in (("tile.h", 8), ("kernel.cu", 9))])
    _, text, _, _ = run({0: [race(accesses=[helper, access("write", 5, 1)])]})
    assert "\n  read: ptx.h:3 (called at kernel.cu:9), thread (2,0,0)" in text and "\n  write: kernel.cu:5, thread (1,0,0)" in text


def test_not_supported(run):
    status, text, data, sarif = run({0: [NOT_SUPPORTED]}, script="exit 1")
    assert status == outcome.NOT_SUPPORTED and text.startswith("cudasync: not supported: tex.2d\nremedy: ") and data["findings"][0]["kind"] == "unsupported"
    assert sarif["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "tex.2d" and not sarif["invocations"][0]["executionSuccessful"]


def test_note_is_no_bug_and_always_shown(run):
    note = {"kind": "note", "rule": "note", "message": "It does not multiply."}
    for script, expected in (("exit 0", outcome.CLEAN), ("exit 1", outcome.PROGRAM_FAILED)):
        status, text, data, _ = run({0: [note, ran()]}, script=script)
        assert status == expected and text.count(note["message"]) == 1 and data["notes"][-1] == note["message"]


def test_what_was_not_checked_is_not_clean(run):
    status, text, data, _ = run({4: [ran(False, "40000 threads")]})
    (note,) = data["notes"]
    assert note.startswith("races were not looked for in reverse(int*): 40000 threads (launch fewer threads, ")
    assert status == outcome.NOT_ALL_CHECKED and text == f"cudasync: not all checked: {note}\n"
    status, text, _, _ = run({4: [ran(False, "asked")]}, "--races", "off")
    assert status == outcome.CLEAN and "races were not looked for" in text
    status, text, _, _ = run({2: [{**NOT_SUPPORTED, "kind": "limit", "remedy": "wait more often"}]})
    assert status == outcome.NOT_ALL_CHECKED and "(wait more often)" in text
    grid_too_large = {2: [{**NOT_SUPPORTED, "kind": "limit"}]}
    assert run(grid_too_large, script="exit 1")[0] == outcome.PROGRAM_FAILED


def test_libraries_without_ptx(tmp_path):
    """By what the program needs, not by what it calls."""
    library, program = tmp_path / "libcublasLt.so.13", tmp_path / "program"
    subprocess.run(["g++", "-x", "c++", "-shared", "-fPIC", f"-Wl,-soname,{library.name}", os.devnull, "-o", library], check=True)
    subprocess.run(["g++", "-x", "c++", "-Wl,--no-as-needed", "-", "-x", "none", library, "-o", program], input=b"int main() {}", check=True)
    assert build.libraries_without_ptx(str(program)) == ["cublasLt"]
    assert build.libraries_without_ptx(__file__) == []


def test_time_limit(run):
    status, text, data, _ = run({}, "--time=0.5", "--jobs=2", script="[ $CUDASYNC_MACHINE_SEED -lt 3 ] || sleep 60")
    assert status == outcome.NOT_ALL_CHECKED and data["seeds"] == {"wanted": 8, "ended": 2}
    assert "2 of 8 seeds ran in 0.5 s" in text and "or fewer --seeds" in text


def test_time_limit_of_the_first_seed(run):
    """Fewer seeds would not help."""
    text = run({}, "--time=0.2", "--jobs=2", script="sleep 60")[1]
    assert "0 of 8 seeds ran in 0.2 s" in text and "give a smaller problem, or a larger --time" in text


def test_failures_of_the_program(run, monkeypatch):
    status, text, _, _ = run({}, script="echo no input; exit 7")
    assert status == outcome.PROGRAM_FAILED and "ended with status 7" in text and "  | no input\n" in text
    status, text, _, _ = run({}, script="kill -SEGV $$")
    assert status == outcome.PROGRAM_FAILED and "was ended by signal 11" in text
    status, text, _, _ = run({0: []})
    assert status == outcome.PROGRAM_FAILED and "launched no kernel" in text
    # Of cuBLAS, say, an initialization fails.
    monkeypatch.setattr(build, "libraries_without_ptx", lambda program: ["cublas"])
    status, text, data, _ = run({}, script="exit 1")
    assert status == outcome.PROGRAM_FAILED and "the machine cannot run kernels of cublas: leave" in text and len(data["notes"]) == 2
    # With some seeds alone: its result depends on the interleaving.
    status, text, _, sarif = run({}, script="[ $CUDASYNC_MACHINE_SEED != 5 ]")
    assert status == outcome.BUG and "status 1 with seed 5, and with 0 with seed 1 [result-depends-on-schedule]" in text
    assert "locations" not in sarif["results"][0]


def test_kernel_that_was_ended_at_its_bug_counts(run):
    _, text, _, _ = run({1: [race()]}, "--jobs=1")
    assert re.search(r"1 bug: 1 seed in .* s, 1 kernel\n", text)


def test_fewer_jobs_where_memory_is_short(run, monkeypatch):
    answers = iter([True, True])  # once four runs have begun

    def is_short():
        begun = Path("begun").read_text(encoding="utf-8").split() if Path("begun").exists() else []
        if len(begun) >= 4 and next(answers, False):
            return True
        if len(begun) >= 4:
            Path("go").touch()
        return False

    monkeypatch.setattr(seeds, "_memory_is_short", is_short)
    script = "echo $CUDASYNC_MACHINE_SEED >> begun; while [ ! -e go ]; do sleep 0.01; done"
    status, text, data, _ = run({7: [race()]}, "--jobs=4", "--all", script=script)
    assert status == outcome.BUG and data["findings"][0]["seeds"] == [7] and "1 bug: 8 seeds" in text
    assert sorted(Path("begun").read_text(encoding="utf-8").split()) == list("1233445678")


def test_interruption(monkeypatch, capsys):
    def interrupted(words):
        raise KeyboardInterrupt

    monkeypatch.setattr(explore, "_explore", interrupted)
    assert explore.main([]) == outcome.NOT_ALL_CHECKED and "interrupted" in capsys.readouterr().err


def test_reader_that_has_enough():
    words = ["bash", "-c", f"{sys.executable} -c 'from cudasync import explore; explore._explore = lambda _: print(\"x\" * 99999); explore.main([])' | true"]
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""


def test_interruption_keeps_what_was_found(run):
    script = "[ $CUDASYNC_MACHINE_SEED != 3 ] || { kill -INT $PPID; sleep 60; }"
    status, text, data, _ = run({1: [race()]}, "--all", "--jobs=1", script=script)
    assert status == outcome.BUG and "1 bug: 2 seeds" in text and len(data["findings"]) == 1
    status, text, data, _ = run({}, "--jobs=1", script=script)
    assert status == outcome.NOT_ALL_CHECKED and "not all checked: interrupted: 2 of 8 seeds ran" in text and data["notes"]


def test_levels(run):
    status, text, _, sarif = run({0: [race(level="strict")]}, "--strict", script='[ "$CUDASYNC_MACHINE_STRICT" = 1 ]')
    assert status == outcome.BUG and "kernel.cu:9: strict: " in text and sarif["results"][0]["level"] == "warning"
    assert "1 finding of the level strict: " in text and "1 bug" not in text


def test_kernels_that_are_not_chosen(run):
    others = {**ran(False, outcome.NOT_CHOSEN), "kernel": "init()"}
    status, text, _, _ = run({0: [ran(), others]}, "--kernel=reverse")
    assert status == outcome.CLEAN and text.endswith(", 1 kernel\n")
    status, text, _, _ = run({0: [others]}, "--skip=init")
    assert status == outcome.PROGRAM_FAILED and "no kernel was explored: none of init() is chosen" in text


@pytest.mark.parametrize("architecture", ["100a", "sm_100a"])
def test_environment(run, architecture):
    names = "RACES ARCHITECTURE MOST_THREADS SCHEDULE"
    script = f'for name in {names}; do eval "echo \\$CUDASYNC_MACHINE_$name"; done; exit 1'
    _, text, _, _ = run({}, f"--arch={architecture}", "--most-threads=64", script=script)
    assert text.count("  | 1\n  | sm_100a\n  | 64\n  | mixed\n") == 1
    assert "  | all\n" in run({}, "--all", script=script)[1] and "  | 0\n" in run({}, "--races=off", script=script)[1]


def test_search_begins_at_0(run):
    assert run({}, "--schedule=search:1", "--seeds=3")[2]["seeds"] == {"wanted": 3, "ended": 3}
    assert run({}, "--schedule=search:1", "--all", script="[ $CUDASYNC_MACHINE_SEED != 0 ]")[2]["findings"][0]["seeds"] == [0]
    assert run({}, "--seed=0")[2]["seeds"] == {"wanted": 1, "ended": 1}


def test_options_for_nvcc():
    words = ["k.cu", "-Ione", "-isystem", "two", "-DN=1", "-std=c++20", "-lfoo", "--nvcc=-rdc=true", "-I", "three"]
    options = explore._parser().parse_args(words)
    assert options.passed == ["-Ione", "-isystem", "two", "-DN=1", "-std=c++20", "-lfoo", "-rdc=true", "-Ithree"] and options.files == ["k.cu"]


@pytest.mark.parametrize("option", ["", "--seeds=0", "--jobs=many", "--seedz=1", "--races=maybe", "--schedule=search:x", "--kernel=("])
def test_wrong_usage(option, capsys):
    with pytest.raises(SystemExit) as end:
        explore.main(["k.cu", option] if option else [])
    assert end.value.code == outcome.NOT_STARTED and "usage: python -m cudasync explore" in capsys.readouterr().err


def test_number_that_is_none(capsys):
    with pytest.raises(SystemExit):
        explore.main(["k.cu", "--seeds=x"])
    assert "x is not a whole number above 0" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--json", "--sarif"])
@pytest.mark.parametrize("file", ["no/o.json", "."])
def test_result_that_cannot_be_written(option, file, monkeypatch, tmp_path, capsys):
    """It is said before anything runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(explore, "_prepare", None)
    assert explore.main(["k.cu", option, file]) == outcome.NOT_STARTED and f"{file} cannot be written" in capsys.readouterr().err


def test_missing_files_and_tools(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("CUDASYNC_MACHINE_LIBRARY", "none")
    monkeypatch.setattr(doctor, "find_nvcc", lambda: "nvcc")
    result = tmp_path / "o.json"
    result.write_text("of an earlier run", encoding="utf-8")
    assert explore.main([str(tmp_path / "no.cu"), f"--json={result}"]) == outcome.NOT_STARTED and not result.exists()
    assert explore.main([str(tmp_path / "no.cu")]) == outcome.NOT_STARTED and "no file" in capsys.readouterr().err
    monkeypatch.setattr(doctor, "find_nvcc", lambda: None)
    assert explore.main([__file__]) == outcome.NOT_STARTED and "nvcc is not on PATH" in capsys.readouterr().err


COMPILER = """#!/bin/sh
for word; do last=$word; done
case "$*" in
  *--dryrun*) echo '#$ INCLUDES="-I{include}"' ;;
  *) echo called >> {log}; sleep 0.1; echo > "$last" ;;
esac
"""


def test_machine_is_compiled_once(monkeypatch, tmp_path):
    """By processes that start at the same time."""
    for name, text in (("cuda_runtime_api.h", "#define CUDART_VERSION  13020\n"), ("cuda.h", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "machine").mkdir()
    for name in ("one.cpp", "two.cpp", "library.cpp", "one.h"):
        (tmp_path / "machine" / name).write_text("", encoding="utf-8")
    compiler, log = tmp_path / "compiler", tmp_path / "log"
    compiler.write_text(COMPILER.format(include=tmp_path, log=log), encoding="utf-8")
    compiler.chmod(0o755)
    code = f"""
from pathlib import Path
from cudasync.explore import build
build.sources = lambda: Path({str(tmp_path / "machine")!r})
print(build.machine({str(compiler)!r}))
"""
    variables = {**os.environ, "CXX": str(compiler), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT / "python")}
    variables.pop("CUDASYNC_MACHINE_LIBRARY", None)

    def start():
        return subprocess.Popen([sys.executable, "-c", code], env=variables, stdout=subprocess.PIPE, text=True)

    texts = [each.communicate()[0] for each in [start(), start()]]
    library = Path(texts[0].strip())
    assert (library.parent / "libcuda.so.1").resolve() == library and not (library.parent / "one.o").exists()
    assert library.is_file() and library.name == "libcudart.so.13" and library.parent.parent == tmp_path / "cache/cudasync"
    assert texts[0] == texts[1] and log.read_text(encoding="utf-8").count("called") == 3  # two files, and the library
    (tmp_path / "machine/one.h").write_text("// changed\n", encoding="utf-8")
    assert start().communicate()[0] != texts[0]


def test_files_of_the_machine_become_one_unit(monkeypatch, tmp_path):
    """With a single processor: each file once, and no two of them define the same name."""
    files = sorted(path for path in build.sources().glob("*.cpp") if path.name != "library.cpp")
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    unit, runtime, *others = build._units(files, tmp_path)
    together = [Path(name) for each in (unit, runtime) for name in re.findall(r'#include "(.*)"', each.read_text(encoding="utf-8"))]
    assert len(together) > 30 and sorted(together + others) == files
    subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-w", str(unit)], check=True)  # CMake compiles the other one


@pytest.mark.parametrize(
    ("text", "error", "expected"),
    [
        ("k.cu(1): error: no", build.NotStarted, "does not compile:\nk.cu.1.: error: no"),
        ("undefined reference to `cudaGraphLaunch'", build.NotSupported, "does not have cudaGraphLaunch$"),
        ("undefined reference to `other'", build.NotStarted, "does not compile"),
        ("undefined reference to `main'", build.NotStarted, "note: the machine runs programs: add a main function"),
        ("k.cu(5): error: name followed by ::\n    cudasync::f();", build.NotStarted, "for the headers of cudasync, pass --cudasync$"),
    ],
)
def test_compiler_that_fails(text, error, expected, tmp_path):
    compiler = tmp_path / "compiler"
    compiler.write_text(f"#!/bin/sh\necho \"{text}\"\nexit 1\n".replace("`", "\\`"), encoding="utf-8")
    compiler.chmod(0o755)
    with pytest.raises(error, match=expected):
        build.program(str(compiler), tmp_path / "lib", ["k.cu"], "90", [], tmp_path / "out")


RACE = """#ifdef WITH_CUDASYNC
#include <cuda/barrier>
static_assert(CUDASYNC_VERSION > 0);
#endif
__global__ void reverse(int* data) {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(int));
  cudaMemset(data, 0, 64 * sizeof(int));
  reverse<<<1, 64>>>(data);
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A kernel with a race, and its corrected twin."""
    if not os.environ.get("CUDASYNC_MACHINE_LIBRARY"):
        pytest.skip("the machine of test/model: CUDASYNC_MACHINE_LIBRARY")
    folder = tmp_path_factory.mktemp("explore")
    (folder / "race.cu").write_text(RACE.replace("__syncthreads();", ""), encoding="utf-8")
    (folder / "corrected.cu").write_text(RACE, encoding="utf-8")
    return folder


@pytest.fixture
def explored(sources, monkeypatch, capfd):
    monkeypatch.chdir(sources)
    monkeypatch.setattr(doctor, "find_nvcc", toolchain.nvcc)

    def start(*words):
        return explore.main(["--seeds=4", *words]), capfd.readouterr()

    return start


def test_race(explored):
    status, printed = explored("race.cu", "--json=o.json", "--sarif=o.sarif")
    assert status == outcome.BUG, printed.err
    assert printed.out.startswith(("race.cu:7: bug: ", "race.cu:9: bug: ")) and "kernel: reverse(int*)\n" in printed.out
    data, sarif = (json.loads(Path(name).read_text(encoding="utf-8")) for name in ("o.json", "o.sarif"))
    assert list(json_schema.faults(data, SCHEMA, SCHEMA)) == list(json_schema.faults(sarif, SARIF, SARIF)) == []
    (found,) = data["findings"]
    assert {each["user"]["line"] for each in found["accesses"]} == {7, 9} and found["accesses"][0]["symbol"] == "tile"


def test_kernels_are_chosen(explored):
    """The race is in the kernel that is not explored."""
    assert explored("race.cu", "--skip=^reverse[(]")[0] == outcome.PROGRAM_FAILED
    assert explored("race.cu", "--kernel=^reverse[(]", "--skip=other")[0] == outcome.BUG


def test_corrected_twin(explored):
    """The headers of cudasync are used only if they are asked for."""
    status, printed = explored("corrected.cu", "--cudasync", "-DWITH_CUDASYNC")
    assert status == outcome.CLEAN, printed.out + printed.err
    assert "nothing found: 4 seeds" in printed.out
    assert explored("corrected.cu", "-DWITH_CUDASYNC")[0] == outcome.NOT_STARTED


@pytest.fixture(scope="module")
def checked(sources):
    """The program of test/explore/checked.cu, with records for few barriers."""
    options = ["-lineinfo", "-no-compress", "-gencode=arch=compute_90,code=compute_90", "-cudart=shared", f"-I{ROOT}/include"]
    macros = [f"-DCUDASYNC_{each}" for each in ("CHECKED=1", "CHECKED_OBJECTS=8", "HANG_TIMEOUT_MS=1000")]
    subprocess.run([toolchain.nvcc(), *options, *macros, ROOT / "test/explore/checked.cu", "-o", sources / "checked"], check=True)


HANGS = {
    "parity": "was for parity 1, but the first phase has parity 0",
    "barrier": "thread 37 has not arrived in this phase",
    "named": "only 32 of 64 threads have arrived at named barrier 1",
    "pipeline": "no consumer has released stage 1 since its last round",
    "circle": "permits are taken in different orders",
    "cluster": "has made 1 arrival each since init, and init was given 2",
    "grid": "1 participant has not arrived; 2 threads wait; block (1,0,0) is missing",
}


@pytest.mark.parametrize("case", HANGS)
def test_hang_in_the_checked_build(case, checked, explored):
    """The report reads records of other threads and blocks without fences: the finding is what it says, not a race."""
    status, printed = explored("./checked", "--", case)
    first = printed.out.split("\n")[0]
    assert status == outcome.BUG and "bug: no progress for 1000 ms." in first and first.endswith(" [hang]"), printed.out
    if case == "parity":
        text = (ROOT / "test/explore/checked.cu").read_text(encoding="utf-8")
        line = 1 + text[: text.index("// the line of the finding")].count("\n")
        assert f"checked.cu:{line}: bug:" in first
    (cause,) = re.findall("likely cause: (.*)", printed.out)
    assert HANGS[case] in cause


@pytest.mark.parametrize("case", ["apart", "updates"])
def test_checked_build_of_what_ends(case, checked, explored):
    """Records that blocks take from each other are no race, and lanes that see different ones do not wait in vain."""
    status, printed = explored("./checked", "--", case)
    assert status == outcome.CLEAN, printed.out


def test_records_order_no_streams(checked, explored):
    status, printed = explored("./checked", "--", "race")
    assert status == outcome.BUG and " [unordered-streams]" in printed.out.split("\n")[0], printed.out


LOOPS = """
#include <cstdio>
#include <cstring>
__device__ unsigned load(const unsigned* at) { return *static_cast<const volatile unsigned*>(at); }
__global__ void host(const unsigned* go, int* out) { while (load(go) == 0) {} out[1] = 1; }
__global__ void count(unsigned* arrived) {
  atomicAdd(arrived, 1);
  while (load(arrived) != gridDim.x) {}
}
int main(int, char** arguments) {
  unsigned *go, *arrived;
  int* out;
  cudaHostAlloc(&go, sizeof *go, cudaHostAllocMapped);
  cudaMalloc(&arrived, sizeof *arrived);
  cudaMalloc(&out, 64);
  cudaMemset(arrived, 0, sizeof *arrived);
  const char* const name = arguments[1];
  *go = std::strcmp(name, "early") == 0;
  if (std::strcmp(name, "host") == 0 || std::strcmp(name, "early") == 0) host<<<1, 1>>>(go, out);
  for (int round = 0; round < 2 && std::strcmp(name, "host") != 0; ++round) {
    if (std::strcmp(name, "count") != 0) cudaMemset(arrived, 0, sizeof *arrived);
    count<<<3, 1>>>(arrived);
  }
  const cudaError_t status = cudaDeviceSynchronize();
  *static_cast<volatile unsigned*>(go) = 1;
  std::puts(cudaGetErrorString(status));
  return status != cudaSuccess;
}
"""
LIKELY = {
    "host": ("1 thread reads allocation 1 (argument 1) again and again, until it is no longer 0: host memory, 4 bytes, value 0",
             "likely cause: the kernel waits for the host to write this word, and the host waits in cudaDeviceSynchronize"),
    "count": ("launch 1 of the program, of this kernel, had changed it 3 times, to 3", "likely cause: the word was 3 when this launch began, as launch 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", LIKELY)
def test_loops_that_wait(case, explored):
    Path("loops.cu").write_text(LOOPS, encoding="utf-8")
    status, printed = explored("loops.cu", "--json=o.json", "--", case)
    assert status == outcome.BUG and all(part in printed.out for part in LIKELY[case]), printed.out
    data = json.loads(Path("o.json").read_text(encoding="utf-8"))
    assert not list(json_schema.faults(data, SCHEMA, SCHEMA))
    (found,) = data["findings"]
    (word,) = found["words"]
    assert f"\n  likely cause: {found['likely_cause']}\n  remedy: {found['remedy']}\n" in printed.out
    assert word["memory"] == ("host" if case == "host" else "global")


def test_loops_that_end(explored):
    """The same kernels, with the stores in time."""
    Path("loops.cu").write_text(LOOPS, encoding="utf-8")
    status, printed = explored("loops.cu", "--", "early")
    assert status == outcome.CLEAN, printed.out


OTHER = """extern __shared__ int tile[];
static __device__ const int last = 63;
__device__ int opposite(int thread) { return tile[last - thread]; }
"""


def test_program_that_loads_the_runtime(explored):
    """Of units that are linked: the read is in another file than the write."""
    options = ["-lineinfo", "-no-compress", "-gencode=arch=compute_90,code=compute_90", "-cudart=shared", "-rdc=true"]
    text = RACE.replace("__shared__ int tile[64];", "extern __shared__ int tile[];").replace("__syncthreads();", "")
    text = text.replace("tile[63 - threadIdx.x]", "opposite(threadIdx.x)").replace("<<<1, 64>>>", "<<<1, 64, 256>>>")
    Path("unit.cu").write_text("extern __device__ int opposite(int);\n" + text, encoding="utf-8")
    Path("other.cu").write_text(OTHER, encoding="utf-8")
    subprocess.run([toolchain.nvcc(), *options, "unit.cu", "other.cu", "-o", "program"], check=True)
    status, printed = explored("./program", "--json=o.json")
    assert status == outcome.BUG
    (found,) = json.loads(Path("o.json").read_text(encoding="utf-8"))["findings"]
    assert {Path(each["file"]).name for each in found["accesses"]} == {"unit.cu", "other.cu"}, printed.out
    status, printed = explored(sys.executable)
    assert status == outcome.NOT_STARTED and "link it with -cudart shared" in printed.err


def test_page_has_the_rules():
    """Those of the machine, in quotes there, and the command's own."""
    sources = [*(ROOT / "machine").glob("*.cpp"), *(ROOT / "python/cudasync/explore").glob("*.py")]
    rule = "|".join(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", (ROOT / "docs/guide/explore.md").read_text(encoding="utf-8")))
    named = {name for path in sources for name in re.findall(r"[\"](\w+(?:-\w+)+)[\"]", path.read_text(encoding="utf-8"))}
    others = {"utf-8", "relocatable-device-code"}
    assert sorted(name for name in named - others if name.islower() and not re.fullmatch(rule, name)) == []
