"""What holds for the whole project: licence lines, format, documented names, no traces of one machine."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import checks
from cudasync_tools import api_names, headers
from cudasync_tools.toolchain import INCLUDE, ROOT

CLANG_FORMAT = "21.1.8"
CPP = (".h", ".cu", ".cpp", ".cuh")
SCRIPTS = (".py", ".cmake", ".sh")

# Folders of one machine, and package indexes that only one network knows.
TRACES = re.compile(r"[/]work/|[/]root/|[/]home/\w|[/]tmp/w/|(extra-)?index[-]url")


def project_files():
    """Every file of the project: what git tracks or would track; without git, what stands in its folders."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        return sorted({ROOT / name for name in names if (ROOT / name).is_file()})
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = set(folders) - {".git", "__pycache__", ".pytest_cache", ".ruff_cache", "build"}
        found += [Path(folder, name) for name in names]
    return sorted(found)


def texts(*suffixes):
    """(name, text) of each project file with one of the suffixes, or of every text file."""
    for path in project_files():
        if not suffixes or path.suffix in suffixes or path.name == "CMakeLists.txt" and ".cmake" in suffixes:
            try:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue  # an image


def report(findings):
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)


def test_tests_on_the_page_exist():
    """docs/contributing/tests.md: names and patterns, but for placeholders in capitals."""
    page = (ROOT / "docs/contributing/tests.md").read_text(encoding="utf-8")
    names = [name for name in re.findall(r"`(test/[\w./*]+)`", page) if not re.search("[A-Z]{4}", name)]
    assert len(names) > 40 and not [name for name in names if not any(ROOT.glob(name))]


def test_gpu_tests_are_programs():
    """Without a GPU they are only compiled, and nobody would notice."""
    files = sorted((ROOT / "test/gpu").glob("*.cu"))
    assert files and not [path.name for path in files if "\nint main(int argc, char** argv) {" not in path.read_text(encoding="utf-8")]


def test_licence_line():
    report(
        [
            f"{name}: no line `{checks.SPDX}` in the first three"
            for name, text in texts(*CPP, *SCRIPTS)
            if checks.SPDX not in "\n".join(text.splitlines()[:3])
        ]
    )


def test_sources_begin_with_a_sentence():
    report([f"{name}: {finding}" for name, text in texts(*CPP) for finding in checks.opening(name, text)])


def test_no_traces():
    findings = []
    for name, text in texts():
        findings += [f"{name}: {finding}" for finding in checks.matches(TRACES.pattern, text, "of one machine only")]
    report(findings)


def test_traces_are_found():
    assert all(TRACES.search(text) for text in ("cd /" + "work/main", "/" + "root/x", "--index" + "-url=x"))
    assert not any(TRACES.search(text) for text in ("https://example.org/network/", "test/support", "framework/x"))


TRIES = re.compile(r"^ *(?:\[\[nodiscard\]\] )?CUDASYNC_(?:API|DEVICE) [^(]*\b(try_\w+|\w+_for|\w+_until)\(", re.MULTILINE)


@pytest.mark.parametrize(("file", "kinds"), [("codegen/progress_audit.cu", ""), ("host/waits.cpp", ("_for", "_until"))])
def test_tests_have_every_function_that_tries(file, kinds):
    text = (ROOT / "test" / file).read_text(encoding="utf-8")
    declared = {name for path in headers.of_types() for name in TRIES.findall(path.read_text(encoding="utf-8"))}
    wanted = {name for name in declared if name.endswith(kinds)}
    assert len(wanted) > 8
    report([f"{name} is missing in test/{file}" for name in sorted(wanted) if f".{name}(" not in text])


WAITS = re.compile(r"^ *(?:\[\[nodiscard\]\] )?CUDASYNC_(?:API|DEVICE) [^(]*\b(\w*(?:wait|acquire|arrive|drop|quit|take)\w*)\(", re.MULTILINE)
BY_ALL = "all threads of a warp, a group or a block call it"
BY_THE_SAME = "calls what the audit has"
AN_INSTRUCTION = "one instruction, or a constant number of them"
NOT_IN_THE_AUDIT_OF_PROGRESS = {
    "accumulator_pipeline": BY_ALL,
    "atomic_flag": BY_THE_SAME,
    "atomic_functions": BY_THE_SAME,
    "atomic_reader": BY_THE_SAME,
    "barrier_tx": AN_INSTRUCTION,
    "bulk_fence": AN_INSTRUCTION,
    "bulk_pipeline": "the tries and waits are there, of sm_90",
    "bulk_store": AN_INSTRUCTION,
    "cluster_barrier": BY_ALL,
    "grid_barrier": BY_ALL,
    "grid_dependency": AN_INSTRUCTION,
    "launch_queue": BY_ALL,
    "named_barrier": BY_ALL,
    "named_channel": BY_ALL,
    "nccl_rail": "NCCL's wait, for which only other hosts are waited for",
    "nvshmem_rail": "NVSHMEM's wait, for which only other hosts are waited for",
    "peer_barrier": BY_ALL,
    "peer_mailbox": "the loop of atomic::wait; a message comes from another GPU",
    "peer_signal": BY_ALL,
    "remote_barrier": AN_INSTRUCTION,
    "tensor_core_consumers": AN_INSTRUCTION,
    "thread_pipeline": AN_INSTRUCTION,
    "turns": "the wait of a barrier of block scope, or a named barrier",
    "world_barrier": BY_ALL,
}


def test_the_audit_of_progress_has_what_lanes_wait_for():
    """Each type of which a lane may call a function that waits, arrives or drops, or the reason why it is not there."""
    text = (ROOT / "test/codegen/progress_audit.cu").read_text(encoding="utf-8")
    waiting = {}
    for path in headers.of_types():
        waiting.setdefault(path.stem, set()).update(WAITS.findall(path.read_text(encoding="utf-8")))
    audited = {"atomic", "barrier", "latch", "pipeline", "semaphore"}
    assert {stem for stem in waiting if waiting[stem]} == audited | set(NOT_IN_THE_AUDIT_OF_PROGRESS)
    missing = {name for stem in audited for name in waiting[stem] if f".{name}(" not in text}
    assert missing == {"await"}  # private


def test_public_names_are_documented():
    pages = ROOT / "docs" / "api"
    if not pages.exists():
        pytest.skip("docs/api is not written yet")
    words = set(re.findall(r"\w+", "\n".join(page.read_text("utf-8") for page in pages.glob("*.md"))))
    report([f"{header}: {name} is on no page of docs/api" for header, name in api_names.exported() if name not in words])


def test_clang_format():
    if not importlib.util.find_spec("clang_format") or metadata.version("clang-format") != CLANG_FORMAT:
        pytest.skip(f"clang-format {CLANG_FORMAT} is not installed")
    if not (ROOT / ".clang-format").exists():
        pytest.skip(".clang-format is not written yet")
    program = str(Path(sys.executable).parent / "clang-format")
    sources = [str(path.relative_to(ROOT)) for path in project_files() if path.suffix in CPP]
    command = [program, "--dry-run", "--Werror", *sources]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    findings = re.findall(r"^.*: (?:error|warning): .*$", done.stderr, re.MULTILINE)
    for name in filter(lambda name: "." not in name, headers.public_headers()):  # their language must be said
        text = (INCLUDE / name).read_text(encoding="utf-8")
        command = [program, f"--assume-filename={INCLUDE / name}.h"]
        if subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout != text:
            findings.append(f"include/{name}: not formatted")
    report(findings or ([done.stderr] if done.returncode else []))
