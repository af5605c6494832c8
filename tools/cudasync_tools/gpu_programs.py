"""Programs that need a GPU: packed for a machine without compilers, and started, also under Compute Sanitizer."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import shutil
import signal
import subprocess
import tarfile
import time
from typing import NamedTuple

SKIPPED = 77
SEEDS = re.compile(r"^(\d+) seeds from \d+$", re.MULTILINE)  # what a random test prints at its end
LIBRARIES = "lib"  # the folder in a build or a pack with what the programs load

# What a program of test/support/gpu_test.h prints.
TEST = re.compile(r"^(?:passed|FAILED|skipped) ", re.MULTILINE)
ALL_TESTS = re.compile(r"^\d+ passed, \d+ failed, \d+ skipped$", re.MULTILINE)

# What a tool reports begins in the second word of a line, and where it happened is in the line after that.
NO_REPORT = "COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|Target application|Process|LEAK SUMMARY|The application|Error: process"
REPORT = re.compile(rf"^========= (?!{NO_REPORT})(\S.*(?:\n========= +at .*)?)", re.MULTILINE)
ERRORS = re.compile(r"^========= ERROR SUMMARY: (\d+) error", re.MULTILINE)
REPORTS = 20  # that a tool prints; it counts the others
MOST_UNFINISHED = 20  # tests of a program


def find(build, kinds, pattern):
    """The programs of a build or a pack, by name."""
    paths = [path for kind in kinds for path in build.glob(f"test/{kind}/gpu.*") if path.is_file() and os.access(path, os.X_OK)]
    return sorted((path for path in paths if re.search(pattern, path.name)), key=lambda path: path.name)


# --- Packing ---


def pack(build, programs, libraries, file):
    """Writes programs without their symbols, and what they load, to a .tar.xz file."""
    folder = build / "pack"
    shutil.rmtree(folder, ignore_errors=True)
    for path in programs:
        stripped = folder / path.relative_to(build)
        stripped.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["strip", "-o", stripped, path], check=True)
    (folder / LIBRARIES).mkdir(parents=True)
    for path in libraries:
        shutil.copy(path, folder / LIBRARIES)
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:xz", preset=9) as archive:
        archive.add(folder, ".")
    shutil.rmtree(folder)


def unpack(file, folder):
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(file) as archive:
        archive.extractall(folder)


# --- Running ---


def start(command, log, environment):
    """Starts a program that appends to the log, in a process group of its own."""
    with open(log, "a", encoding="utf-8") as output:
        environment = {**os.environ, **environment}
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True)


def kill(process):
    """With what it has started: a tool starts the program."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def text_of(log):
    return log.read_text(encoding="utf-8", errors="replace")


def ending(command, log, limit, environment):
    """passed, failed, skipped, or timed out; the log has what the program printed."""
    log.unlink(missing_ok=True)
    process = start(command, log, environment)
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        kill(process)
        return "timed out"
    return "passed" if code == 0 else "skipped" if code == SKIPPED else "failed"


def outcome(command, log, limit, environment):
    """(how the program ended; the number of seeds); the log is kept if the program did not pass."""
    result = ending(command, log, limit, environment)
    if result == "timed out":
        return result, 0
    seeds = sum(int(match[1]) for match in SEEDS.finditer(text_of(log)))
    if result != "failed":
        log.unlink()
    return result, seeds


class Report(NamedTuple):
    """What a tool said about the tests of a program."""

    tests: int  # that ended, whatever their result
    unfinished: int
    errors: int
    first: str  # the first of them, and where

    def __str__(self):
        unfinished = f", {self.unfinished} did not end" if self.unfinished else ""
        return f"{self.errors} errors in {self.tests} tests{unfinished}{': ' + self.first if self.first else ''}"


def report_of(text, unfinished):
    found = list(REPORT.finditer(text))
    counted = sum(int(match[1]) for match in ERRORS.finditer(text))
    first = re.sub(r"\s*\n=* *", " ", found[0][1])[:300] if found else ""
    return Report(len(TEST.findall(text)), unfinished, max(counted, len(found)), first)


def await_tests(process, log, end, patience):
    """Waits for a program until this time. Ends it if none of its tests ends for so many seconds."""
    tests, since = -1, 0.0
    while process.poll() is None:
        time.sleep(0.1)
        ended, now = len(TEST.findall(text_of(log))), time.monotonic()
        if ended != tests:
            tests, since = ended, now
        if now >= end or now - since > patience:
            kill(process)


def under_tool(tool, path, log, limit, environment):
    """Runs the tests of a program under a tool, for so many seconds. If a test takes a third of that, or ends the program, another
    process goes on with the next test."""
    log.write_text("", encoding="utf-8")
    end = time.monotonic() + limit
    environment = {**environment, "GPU_TEST_SECONDS": str(limit)}
    unfinished = 0
    while True:
        before = text_of(log)
        first = len(TEST.findall(before)) + unfinished
        command = ["compute-sanitizer", "--tool", tool, "--print-limit", str(REPORTS), path, "--no-fork", "--from", str(first)]
        process = start([str(word) for word in command], log, environment)
        await_tests(process, log, end, limit / 3)
        text = text_of(log)
        if process.returncode in (0, SKIPPED) or ALL_TESTS.search(text[len(before) :]):
            return report_of(text, unfinished)
        unfinished += 1
        if time.monotonic() >= end or unfinished == MOST_UNFINISHED:
            return report_of(text, unfinished)
