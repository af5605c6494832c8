"""`python -m cudasync explore`: runs a program's kernels on the CPU with many interleavings, and finds data races, missing fences and hangs."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn

import cudasync
from cudasync import doctor
from cudasync.explore import build, findings, sarif, seeds
from cudasync.explore.outcome import BUG, CLEAN, NOT_ALL_CHECKED, NOT_CHOSEN, NOT_STARTED, NOT_SUPPORTED, PROGRAM_FAILED, Outcome, judge

_RESULTS = ("clean", "bug", "not supported", "not all checked", "program failed", "not started")
_WITHOUT = "remedy: let the program do without it on the machine: #ifndef NAME around it, and -DNAME for explore"
_STATUSES = """exit status:
  0  all seeds ran, and nothing was found
  1  a bug was found
  2  the program needs what the machine does not have; the report has the names
  3  not everything was checked: the time was over, or races were not looked for in a kernel
  4  the program failed by itself, or it launched no kernel
  5  nothing was run: wrong options, no nvcc or g++, or the program does not compile"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(NOT_STARTED, f"{self.prog}: error: {message}\n")


def _number(text: str) -> int:
    if not re.fullmatch(r"0*[1-9][0-9]*", text):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return int(text)


def _schedule(text: str) -> str:
    if not re.fullmatch(r"random|mixed|(priority|search)(:\d+(:\d+)?)?", text):
        raise argparse.ArgumentTypeError(f"{text} is not random, priority, priority:CHANGES:PLACES, search:CHANGES or mixed")
    return text


def _expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as wrong:
        raise argparse.ArgumentTypeError(f"{text} is no regular expression: {wrong}") from None
    return text


def _architecture(text: str) -> str:
    """90a, also of sm_90a or compute_90a."""
    return re.sub(r"^(sm|compute)_", "", text)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m cudasync explore",
        description=__doc__,
        usage="%(prog)s [option...] FILE... [-- ARGUMENT...]",
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="sources for nvcc; or a program that was linked with -cudart shared")
    parser.add_argument("--seeds", type=_number, default=50, metavar="N", help="runs the program with the seeds 1 to N (50)")
    parser.add_argument("--seed", type=int, metavar="N", help="runs it with this seed alone, and shows its output")
    parser.add_argument("--schedule", type=_schedule, default="mixed", metavar="KIND", help="random, priority, mixed (the default: both), or search")
    parser.add_argument("--jobs", type=_number, default=len(os.sched_getaffinity(0)), metavar="N", help="seeds at a time (the number of processors)")
    parser.add_argument("--time", type=float, default=60, metavar="SECONDS", help="ends after this time (60)")
    parser.add_argument("--all", action="store_true", help="does not stop at the first bug")
    parser.add_argument("--strict", action="store_true", help="also reports what GPUs do as wanted, but the memory model does not promise")
    parser.add_argument("--races", choices=("on", "off"), default="on", help="off: looks only for hangs and faults, several times as fast")
    parser.add_argument("--kernel", type=_expression, metavar="REGEX", help="explores only kernels whose names match; the others run once, unchecked")
    parser.add_argument("--skip", type=_expression, metavar="REGEX", help="does not explore kernels whose names match")
    parser.add_argument("--most-threads", type=_number, metavar="N", help="the largest grid in which races are looked for")
    parser.add_argument("--arch", type=_architecture, metavar="NAME", help="compute capability to compile for (90a); of a program, which of its PTX runs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes what was found as JSON")
    parser.add_argument("--sarif", type=Path, metavar="FILE", help="writes what was found as SARIF 2.1.0")
    parser.add_argument("--verbose", action="store_true", help="shows instructions, frames in headers, the compiler's warnings and the program's output")
    compiler = parser.add_argument_group("options for nvcc, in this order")
    for option, metavar in (("-I", "FOLDER"), ("-isystem", "FOLDER"), ("-D", "NAME[=VALUE]"), ("-std", "c++17"), ("-L", "FOLDER"), ("-l", "NAME")):
        compiler.add_argument(option, action=_Passed, metavar=metavar)
    compiler.add_argument("--nvcc", action=_Passed, metavar="OPTION", help="any other, such as --nvcc=--expt-relaxed-constexpr")
    compiler.add_argument("--cudasync", action="store_true", help="the headers of cudasync, before all other folders")
    parser.set_defaults(passed=[])
    return parser


class _Passed(argparse.Action):
    """Collects an option for nvcc."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, option_string: str | None = None
    ) -> None:
        word = {"--nvcc": "", "-std": "-std="}.get(option_string or "", option_string or "")
        words = [word, str(values)] if word == "-isystem" else [f"{word}{values}"]
        namespace.passed = [*namespace.passed, *words]


def _seeds(options: Any) -> range:
    """A search counts its schedules from 0."""
    if options.seed is not None:
        return range(options.seed, options.seed + 1)
    first = 0 if options.schedule.startswith("search") else 1
    return range(first, first + options.seeds)


def _is_enough(runs: list[seeds.Run], options: Any) -> bool:
    status = judge(runs, options).status
    return status in (NOT_SUPPORTED, PROGRAM_FAILED) or (status == BUG and not options.all)


class _Progress:
    """A bar on a terminal; otherwise a line every ten seconds."""

    def __init__(self, total: int) -> None:
        self._total, self._start, self._shown = total, time.monotonic(), 0.0
        self._is_terminal = sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        seconds = time.monotonic() - self._start
        if self._is_terminal:
            filled = done * 24 // self._total
            print(f"\r[{'#' * filled}{'.' * (24 - filled)}] {done} of {self._total} seeds, {seconds:.0f} s ", end="", file=sys.stderr, flush=True)
        elif seconds - self._shown >= 10:
            self._shown = seconds
            _say(f"{done} of {self._total} seeds, {seconds:.0f} s")

    def clear(self) -> None:
        if self._is_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _say(text: str) -> None:
    print(f"cudasync: {text}", file=sys.stderr, flush=True)


def _environment(options: Any) -> dict[str, str]:
    races = "0" if options.races == "off" else "all" if options.all else "1"
    made = {"CUDASYNC_MACHINE_RACES": races, "CUDASYNC_MACHINE_SCHEDULE": options.schedule}
    if options.arch:
        made["CUDASYNC_MACHINE_ARCHITECTURE"] = f"sm_{options.arch}"
    if options.strict:
        made["CUDASYNC_MACHINE_STRICT"] = "1"
    if options.kernel:
        made["CUDASYNC_MACHINE_KERNEL"] = options.kernel
    if options.skip:
        made["CUDASYNC_MACHINE_SKIP"] = options.skip
    if options.most_threads:
        made["CUDASYNC_MACHINE_MOST_THREADS"] = str(options.most_threads)
    return made


def _prepare(options: Any, folder: Path) -> tuple[str, dict[str, str]]:
    """The program, and the variables with which it starts."""
    nvcc = doctor.find_nvcc()
    if nvcc is None:
        raise build.NotStarted("nvcc is not on PATH, in CUDA_HOME, CUDA_PATH or /usr/local/cuda: install a CUDA toolkit of 12.0 or newer")
    for file in options.files:
        if not Path(file).exists():
            raise build.NotStarted(f"no file {file}")
    library = build.machine(nvcc, _say)
    if build.is_program(options.files[0]):
        if len(options.files) > 1:
            raise build.NotStarted("give one program, or sources")
        build.check_program(options.files[0], library)
        if not os.access(options.files[0], os.X_OK):
            raise build.NotStarted(f"{options.files[0]} may not be executed")
        folders = os.pathsep.join([str(library.parent), *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)]).rstrip(os.pathsep)
        return os.path.abspath(options.files[0]), {**_environment(options), "LD_PRELOAD": str(library), "LD_LIBRARY_PATH": folders}
    options.arch = options.arch or "90a"
    target = folder / Path(options.files[0]).stem
    first = [f"-I{cudasync.include_dir()}"] if options.cudasync else []
    warnings = build.program(nvcc, library, options.files, options.arch, [*first, *options.passed], target)
    if options.verbose and warnings.strip():
        print(warnings.rstrip(), file=sys.stderr)
    return str(target), _environment(options)


def _command(words: list[str], program_arguments: list[str], seed: int) -> str:
    """The command for one seed, without what chooses the seeds and writes files."""
    kept, rest = [], iter(words)
    for word in rest:
        name = word.partition("=")[0]
        if name in ("--seeds", "--seed", "--jobs", "--json", "--sarif"):
            if "=" not in word:
                next(rest, None)
        else:
            kept.append(word)
    behind = ["--", *program_arguments] if program_arguments else []
    return shlex.join(["python", "-m", "cudasync", "explore", *kept, "--seed", str(seed), *behind])


def _show_output(run: seeds.Run) -> None:
    lines = run.output.read_text(encoding="utf-8", errors="replace").splitlines()
    for line in lines[-10:]:
        print(f"  | {line}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _summary(outcome: Outcome, runs: list[seeds.Run], seconds: float, options: Any) -> str:
    kernels = {each["kernel"] for one in runs for each in one.kernels if each["why_not"] != NOT_CHOSEN}
    kernels |= {each["kernel"] for each in outcome.found if each["kernel"]}  # those that were ended at a bug
    done = f"{_count(sum(each.status is not None for each in runs), 'seed')} in {seconds:.1f} s, {_count(len(kernels), 'kernel')}"
    if outcome.status == CLEAN:
        races = " (races were not looked for)" if options.races == "off" else ""
        return "\nnote: ".join([f"nothing found: {done}{races}", *outcome.notes])
    if outcome.status == BUG:
        bugs = sum(each["level"] == "bug" for each in outcome.found)
        strict = len(outcome.found) - bugs
        counts = [_count(bugs, "bug")] * (bugs > 0) + [_count(strict, "finding") + " of the level strict"] * (strict > 0)
        return f"{', '.join(counts)}: {done}"
    remedy = [_WITHOUT] if outcome.status == NOT_SUPPORTED else []
    return "\n".join([*(f"{_RESULTS[outcome.status]}: {note}" for note in outcome.notes), *remedy])


def _write(options: Any, outcome: Outcome, runs: list[seeds.Run], seconds: float) -> None:
    if options.json:
        kernels = {(each["kernel"], each["races_checked"]): each for one in runs for each in one.kernels}
        data = {
            "version": 1,
            "result": _RESULTS[outcome.status],
            "exit_status": outcome.status,
            "files": options.files,
            "seeds": {"wanted": len(_seeds(options)), "ended": sum(each.status is not None for each in runs)},
            "milliseconds": round(seconds * 1000),
            "races": options.races == "on",
            "strict": options.strict,
            "notes": outcome.notes,
            "kernels": list(kernels.values()),
            "findings": outcome.found,
        }
        options.json.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    if options.sarif:
        found = outcome.found if outcome.status == BUG else []
        options.sarif.write_text(sarif.text_of(found, outcome.notes, outcome.status, cudasync.__version__), encoding="utf-8")


def main(words: list[str]) -> int:
    """The command. Returns its exit status."""
    try:
        return _explore(words)
    except KeyboardInterrupt:
        _say("interrupted")
        return NOT_ALL_CHECKED
    except BrokenPipeError:  # `| head` has read enough; nothing more is to be written at the end either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOT_ALL_CHECKED


def _explore(words: list[str]) -> int:
    split = words.index("--") if "--" in words else len(words)
    words, program_arguments = words[:split], words[split + 1 :]
    options = _parser().parse_args(words)
    for file in filter(None, (options.json, options.sarif)):
        if not file.parent.is_dir() or file.is_dir() or not os.access(file.parent, os.W_OK):
            _say(f"error: {file} cannot be written")
            return NOT_STARTED
        file.unlink(missing_ok=True)  # what an earlier run has found is no result of this one
    runs: list[seeds.Run] = []
    with tempfile.TemporaryDirectory(prefix="cudasync-") as folder:
        start = time.monotonic()
        try:
            program, environment = _prepare(options, Path(folder))
        except (build.NotStarted, OSError) as problem:
            _say(f"error: {problem}")
            return NOT_STARTED
        except build.NotSupported as missing:
            outcome = Outcome(NOT_SUPPORTED, [], [str(missing)])
        else:
            wanted = _seeds(options)
            progress = _Progress(len(wanted))
            start = time.monotonic()
            is_interrupted = False
            try:
                runs = seeds.run(
                    [program, *program_arguments],
                    environment,
                    Path(folder),
                    wanted,
                    options.jobs,
                    options.time,
                    lambda known: _is_enough(known, options),
                    ends_at_bugs=not options.all,
                    shows_output=options.seed is not None,
                    show=progress,
                )
            except seeds.Interrupted as interruption:
                runs, is_interrupted = interruption.runs, True
            progress.clear()
            outcome = judge(runs, options, wanted=len(wanted))
            libraries = build.libraries_without_ptx(program) if outcome.status == PROGRAM_FAILED else []
            if libraries:
                note = f"the machine cannot run kernels of {', '.join(libraries)}: leave calls of them out, or replace them for a run on the machine"
                outcome = outcome._replace(notes=[*outcome.notes, note])
            if is_interrupted and outcome.status == NOT_ALL_CHECKED:
                ended = sum(each.status is not None for each in runs)
                outcome = outcome._replace(notes=[f"interrupted: {ended} of {len(wanted)} seeds ran"])
        seconds = time.monotonic() - start
        for each in outcome.found if outcome.status == BUG else []:
            each["command"] = _command(words, program_arguments, each["seeds"][0])
            print(findings.text_of(each, options.verbose))
        if runs and options.seed is None and (options.verbose or outcome.status == PROGRAM_FAILED):
            _show_output(runs[-1])
    print(f"cudasync: {_summary(outcome, runs, seconds, options)}")
    _write(options, outcome, runs, seconds)
    return outcome.status
