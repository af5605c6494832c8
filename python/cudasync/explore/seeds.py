"""Runs a program on the machine, a process for each seed, and reads what they found."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

Finding = dict[str, Any]


_NO_BUGS = ("unsupported", "limit", "note", "kernel")


class Run(NamedTuple):
    """What came of a seed. status: None if the process was ended before its end."""

    seed: int
    status: int | None
    findings: list[Finding]
    kernels: list[dict[str, Any]]
    output: Path

    def bugs(self) -> list[Finding]:
        return [each for each in self.findings if each["kind"] not in _NO_BUGS]

    def explains_status(self) -> bool:
        return any(each["kind"] not in ("limit", "note") for each in self.findings)


class Interrupted(KeyboardInterrupt):
    """With the runs before it."""

    def __init__(self, runs: list[Run]) -> None:
        super().__init__()
        self.runs = runs


_PRINTING = ("trap", "assertion")  # the program prints more about these: reports of the checked build
_DEFAULTS: Finding = {"level": "bug", "kernel": "", "message": "", "remedy": "", "accesses": [], "text": ""}


def _report(path: Path, seed: int) -> list[dict[str, Any]]:
    """The lines that are complete."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]
    read = [json.loads(line) for line in lines]
    return [each if each["kind"] == "kernel" else {**_DEFAULTS, "rule": each["kind"], "seed": seed, **each} for each in read]


def _of_checked_build(output: Path) -> Finding:
    """What the checked build says of its trap, if the program has printed a report or an assertion."""
    printed = output.read_text(encoding="utf-8", errors="replace")
    lines = [line[10:] for line in printed.splitlines() if line.startswith("cudasync: ")]
    if not lines:
        assertion = re.search(r"^(.*):(\d+): cudasync: (.*?)(?: \[block \(.*)?$", printed, re.MULTILINE)
        return {"message": assertion[3], "user": {"file": assertion[1], "line": int(assertion[2])}} if assertion else {}
    remedy = next((line.partition("remedy: ")[2] for line in lines if line.startswith("  remedy: ")), "")
    text = "\n".join(line for line in lines[1:] if not line.startswith("  remedy: "))
    rule = {"kind": "hang", "rule": "hang"} if lines[0].startswith("hang:") else {}
    return {**rule, "message": lines[0].removeprefix("hang: ").rstrip(":"), "remedy": remedy, "text": text}


class _Process:
    """A program that runs with one seed."""

    def __init__(self, seed: int, command: list[str], environment: dict[str, str], folder: Path, shows_output: bool) -> None:
        self.seed = seed
        self.report, self.output = folder / f"{seed}.jsonl", folder / f"{seed}.txt"
        self.report.unlink(missing_ok=True)  # of a process that was ended for its memory
        variables = {**os.environ, **environment, "CUDASYNC_MACHINE_SEED": str(seed), "CUDASYNC_MACHINE_REPORT": str(self.report)}
        self._read = 0
        with open(self.output, "wb") as file:
            out = None if shows_output else file
            self.popen = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)

    def has_new_bug(self) -> bool:
        size = self.report.stat().st_size if self.report.exists() else 0
        if size == self._read:
            return False
        self._read = size
        return any(each["kind"] not in (*_PRINTING, *_NO_BUGS) for each in _report(self.report, self.seed))

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()

    def result(self) -> Run:
        lines = _report(self.report, self.seed)
        findings = [line for line in lines if line["kind"] != "kernel"]
        for each in findings:
            if each["kind"] in _PRINTING:
                said = _of_checked_build(self.output)
                user = said.pop("user", None)  # where the user called the function that asserts
                for access in each["accesses"] if user else []:
                    access.update(user=user, inlined_at=[*access.get("inlined_at", []), user])
                each.update(said)
        return Run(self.seed, self.popen.poll(), findings, [line for line in lines if line["kind"] == "kernel"], self.output)


def _numbers(path: str) -> dict[str, int]:
    """Those at the second place of each line."""
    with contextlib.suppress(OSError):
        lines = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
        return {words[0].rstrip(":"): int(words[1]) for words in lines if len(words) > 1 and words[1].isdecimal()}
    return {}


def _memory_is_short() -> bool:
    """Whether less than an eighth is left, of the computer or of the control group. Other systems than Linux do not say."""
    system, group = _numbers("/proc/meminfo"), _numbers("/sys/fs/cgroup/memory.stat")
    is_short = system.get("MemAvailable", 1) < system.get("MemTotal", 0) / 8
    with contextlib.suppress(OSError, ValueError):  # max: without a limit
        is_short = is_short or group.get("anon", 0) > int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="utf-8")) * 7 / 8
    return is_short


def run(
    command: list[str],
    environment: dict[str, str],
    folder: Path,
    seeds: Iterable[int],
    jobs: int,
    seconds: float,
    is_enough: Callable[[list[Run]], bool],
    *,
    ends_at_bugs: bool = True,
    shows_output: bool = False,
    show: Callable[[int], None] = lambda done: None,
) -> list[Run]:
    """The runs in the order of their seeds, until they are enough, or the time is over. The result does not depend on the number of
    jobs: a run of a later seed that ends earlier does not count before those of the earlier seeds have ended. If memory becomes
    short, the last run ends, begins again later, and there are fewer jobs from then on.
    """
    waiting, deadline = iter(seeds), time.monotonic() + seconds
    running: dict[int, _Process] = {}
    ended: dict[int, Run] = {}
    order: list[int] = []
    runs: list[Run] = []
    postponed: list[int] = []

    def next_seed() -> int | None:
        if postponed:
            return postponed.pop()
        seed = next(waiting, None)
        if seed is not None:
            order.append(seed)
        return seed

    try:
        while True:
            while len(running) < jobs and (seed := next_seed()) is not None:
                running[seed] = _Process(seed, command, environment, folder, shows_output)
            if not running:
                return runs
            time.sleep(0.005)
            if len(running) > 1 and _memory_is_short():
                seed, process = running.popitem()
                process.end()
                postponed.append(seed)
                jobs = len(running)
            for process in list(running.values()):
                is_over = process.popen.poll() is not None
                if not is_over and ends_at_bugs and process.has_new_bug():
                    process.end()
                    is_over = True
                if is_over:
                    ended[process.seed] = process.result()  # an interruption may come between these two
                    del running[process.seed]
            while len(runs) < len(order) and order[len(runs)] in ended:
                runs.append(ended[order[len(runs)]])
                show(len(runs))
                if is_enough(runs):
                    return runs
            if time.monotonic() > deadline:
                return runs + _cut(order[len(runs) :], running, ended)
    except KeyboardInterrupt:
        raise Interrupted(runs + _cut(order[len(runs) :], running, ended)) from None
    finally:
        for process in running.values():
            process.end()


def _cut(order: list[int], running: dict[int, _Process], ended: dict[int, Run]) -> list[Run]:
    """What is known of the seeds that have not ended, or that have ended before an earlier one."""
    for process in running.values():
        process.end()
    return [ended[seed] if seed in ended else running[seed].result()._replace(status=None) for seed in order if seed in ended or seed in running]
