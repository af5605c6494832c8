"""What the runs show, as an exit status: nothing that was not checked looks clean."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from typing import Any, NamedTuple

from cudasync.explore import findings, seeds

CLEAN, BUG, NOT_SUPPORTED, NOT_ALL_CHECKED, PROGRAM_FAILED, NOT_STARTED = range(6)
NOT_CHOSEN = "not chosen"  # why races are not looked for in a kernel: --kernel or --skip
_MOST_FAILURES = 3  # a program that fails with each of these seeds does so whatever the interleaving
_SMALLER = "launch fewer threads, or pass a larger --most-threads, or --races off"


class Outcome(NamedTuple):
    """What the runs show. notes: what was not checked, and other sentences for the summary."""

    status: int
    found: list[findings.Finding]
    notes: list[str]


def judge(runs: list[seeds.Run], options: Any, wanted: int = 0) -> Outcome:
    """What the runs of the first seeds show; of all, if their number is given."""
    bugs = [found for each in runs for found in (each.bugs() if options.all else each.bugs()[:1])]
    ended = [each for each in runs if each.status is not None]
    failed = [each for each in ended if each.status and not each.explains_status()]
    passed = [each for each in ended if each.status == 0 and not each.explains_status()]
    if failed and passed and not bugs:
        bugs = [_dependence(failed[0], passed[0])]
    if bugs:
        return Outcome(BUG, findings.merged(bugs), [])
    unsupported = {found["message"]: found for each in runs for found in each.findings if found["kind"] == "unsupported"}
    if unsupported:
        return Outcome(NOT_SUPPORTED, list(unsupported.values()), list(unsupported))
    notes = list(dict.fromkeys(found["message"] for each in runs for found in each.findings if found["kind"] == "note"))
    if failed and (wanted or len(failed) >= _MOST_FAILURES):
        status = failed[0].status or 0
        how = f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"
        return Outcome(PROGRAM_FAILED, [], [f"the program {how}, and the machine found nothing wrong", *notes])
    limits = {f"{found['message']} ({found['remedy'] or _SMALLER})" for each in runs for found in each.findings if found["kind"] == "limit"}
    kernels = {(each["kernel"], each["why_not"]) for one in runs for each in one.kernels}
    unchecked = {kernel: why for kernel, why in sorted(kernels) if why not in ("", NOT_CHOSEN)}
    if options.races == "on":
        limits |= {f"races were not looked for in {kernel}: {why} ({_SMALLER})" for kernel, why in unchecked.items() if not limits}
    if len(ended) < wanted:
        launches = sum(len(each.kernels) for each in runs)
        limits.add(
            f"{len(ended)} of {wanted} seeds ran in {options.time:g} s, with {launches} launches: give "
            + ("a larger --time, or fewer --seeds" if ended else "a smaller problem, or a larger --time")
        )
    if limits:
        return Outcome(NOT_ALL_CHECKED, [], [*sorted(limits), *notes])
    if wanted and not kernels:
        return Outcome(PROGRAM_FAILED, [], ["the program launched no kernel"])
    if wanted and all(why == NOT_CHOSEN for _, why in kernels):
        return Outcome(PROGRAM_FAILED, [], [f"no kernel was explored: none of {', '.join(sorted(name for name, _ in kernels))} is chosen"])
    return Outcome(CLEAN, [], notes)


def _dependence(failed: seeds.Run, passed: seeds.Run) -> findings.Finding:
    return {
        "kind": "result",
        "rule": "result-depends-on-schedule",
        "level": "bug",
        "kernel": "",
        "seed": failed.seed,
        "message": f"the program ended with status {failed.status} with seed {failed.seed}, and with 0 with seed {passed.seed}",
        "remedy": "",
        "accesses": [],
        "text": "",
    }
