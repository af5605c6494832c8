"""The tests that a fault in a header is shown to: each runs with the headers in given folders, and says whether it passes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import reports
from cudasync_tools import codegen_format, lit_format, model, nvrtc, toolchain

HERE = Path(__file__).resolve().parent
SECONDS = 2  # until a program with a mutation hangs; without one it takes a fraction of a second
SECONDS_WITHOUT = 60  # on a busy machine

wanted = set()  # the tests that the process runs, as "phases CHECK": those of one program are compiled once without a fault


def overlay(folder, header, text):
    """A header with this text alone, in a folder to be searched before that of all headers."""
    path = folder / "include/cudasync" / header
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return folder / "include"


def run(command, **options):
    return subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
        **options,
    )


GXX = ["-std=c++17", "-O1", "-fsanitize=thread,bounds", "-fno-sanitize-recover=bounds", "-pthread"]


@functools.cache
def precompiled():
    """A copy of host.h, precompiled: the headers of the standard library take as long as all others."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    shutil.copy(HERE / "host.h", folder)
    done = run([toolchain.gxx(), *GXX, "-x", "c++-header", "-o", folder / "host.h.gch", folder / "host.h"])
    assert done.returncode == 0, f"does not compile:\n{done.stdout}"
    return folder / "host.h"


def program_of(folders, program, checks, binary):
    """Compiles these checks of a program."""
    names = " ".join(f"CHECK({check})" for check in checks)
    command = [toolchain.gxx(), *GXX, "-include", precompiled(), f"-DCHECKS={names}", *(f"-I{folder}" for folder in folders)]
    done = run([*command, "-Wl,--wrap=syscall", "-o", binary, HERE / f"{program}.cpp"])
    assert done.returncode == 0, f"does not compile:\n{done.stdout}"
    return binary


@functools.cache
def program_without_fault(program, kind, folder):
    checks = {test.split()[1] for test in wanted if test.split()[0] == kind}
    return program_of([toolchain.INCLUDE], program, sorted(checks), folder / program)


def host(kind, folders, folder, check):
    """Runs a check: with a fault it is compiled alone, which takes a third of the time of all."""
    program = f"host_{kind}"
    if len(folders) == 1:
        binary, seconds = program_without_fault(program, kind, folder), SECONDS_WITHOUT
    else:
        binary, seconds = program_of(folders, program, [check], folder / program), SECONDS
    done = run(["timeout", seconds, binary, check], env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"})
    return done.returncode == 0, done.stdout


def host_test(folders, folder, stem):
    """A file of test/host that needs little of Catch2, and no threads: with small_catch in its place."""
    places = [*(f"-I{each}" for each in (*folders, HERE / "small_catch")), f"-isystem{toolchain.cuda_include()}"]
    source = toolchain.ROOT / f"test/host/{stem}.cpp"
    done = run([toolchain.gxx(), "-std=c++17", "-O0", *places, "-o", folder / stem, source])
    assert done.returncode == 0, f"does not compile:\n{done.stdout}"
    done = run(["timeout", SECONDS_WITHOUT, folder / stem])
    return done.returncode == 0, done.stdout


def codegen(_folders, _folder, file, variant):
    toolchain.nvrtc()
    toolchain.nvdisasm()
    try:
        return True, codegen_format.Codegen().run(toolchain.ROOT / "test/codegen" / file, variant)
    except lit_format.Failure as failure:
        assert "NVRTC for sm_" not in str(failure), f"does not compile:\n{failure}"
        return False, str(failure)


def lint(folders, folder, test):
    root = folder / "tree"
    for name in ("test", "tools"):
        shutil.copytree(toolchain.ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(toolchain.ROOT / "pyproject.toml", root)
    for headers in reversed(folders):
        shutil.copytree(headers, root / "include", dirs_exist_ok=True)
    pytest_of_tree = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", root]
    done = run([*pytest_of_tree, f"{root / 'test/lint/test_headers.py'}::{test}"])
    return done.returncode == 0, done.stdout


def on_model(_folders, _folder, stem, name, arch, build="plain"):
    path = toolchain.ROOT / f"test/model/{stem}.cu"
    kernel = next(each for each in model.kernels(path) if each.name == name)
    failure = model.first_failure(model.compile(path, arch, model.BUILDS[build], only=(name,)), kernel)
    return failure is None, failure


def report(_folders, _folder, stem, name):
    """Of one of the hangs and mistakes of test/gpu/hang_report*.cu, in the checked build."""
    missing = reports.missing(stem, name)
    return not missing, "\n".join(missing)


HOST = ("phases", "atomics", "pipelines", "permits")
KINDS: dict = {kind: functools.partial(host, kind) for kind in HOST}
KINDS |= {"host": host_test, "codegen": codegen, "lint": lint, "model": on_model, "report": report}


def passes(folders, folder, test):
    """(whether the test passes with the headers in these folders, what it said); it may write to the last folder."""
    kind, *arguments = test.split()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nvrtc, "folders", folders)
        try:
            return KINDS[kind](folders, folder, *arguments)
        except toolchain.ToolMissing as missing:
            pytest.skip(str(missing))
