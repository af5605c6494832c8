"""The measured times in docs/design/measurements.jsonl: how they are imported from benchmarks/run.py, and how they are selected and compared."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import datetime
import functools
import json
import re
import statistics
from pathlib import Path

TIMES = Path(__file__).resolve().parent / "design/measurements.jsonl"
HAND, OURS, PEER, REFERENCE = "hand", "ours", "peer", "reference"

# --- The file of times ---

KINDS = ("machine", "benchmark", "tensor_core_product", "compile_time", "compile_count", "checked_compile", "sass")  # the first key of a line
ENGINES = ("with_nccl", "with_torch")
GPU_PROGRAMS = ("latency", "atomics", "bandwidth", "groups", "programs", "uses", "host_gpu", "trace", "checked", "tensor_cores", "gpus")
PROGRAMS = (*GPU_PROGRAMS, *ENGINES, "host", "explore")


def rounded(value):
    return float(f"{value:.4g}")


def imported(folder):
    """The lines of TIMES from a folder with results of benchmarks/run.py: one for each contestant of a table."""
    machine: dict = {"cuda": "13.0"}
    rows = {}
    for program in PROGRAMS:
        path = folder / f"{program}.json"
        if not path.exists():
            continue
        found = json.loads(path.read_text(encoding="utf-8"))
        if program not in ("host", "explore"):
            day = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.timezone.utc).date().isoformat()
            machine.update({key: value for key, value in found.items() if key != "results"})
            machine["date"] = max(day, machine.get("date", ""))
            machine.setdefault("dates", {}).update(dict.fromkeys({each["benchmark"] for each in found["results"]}, day))
        for each in found["results"]:
            if program.startswith("with_") and each["kind"] != PEER:
                continue  # the program gpus has measured it
            keys = (each["benchmark"], each["operation"], each["path"], each["kind"], each["name"], each["unit"])
            rows.setdefault(keys, {})[each["configuration"]] = rounded(each["median"])
    lines: list[dict] = [{"machine": machine}] if "gpu" in machine else []  # compile times and results of the host do not name one
    lines += [
        dict(zip(("benchmark", "operation", "path", "kind", "name", "unit"), keys)) | {"medians": medians}
        for keys, medians in rows.items()
    ]
    lines += [{"compile_time": header, "rows": row} for header, row in compile_times(folder / "compile_time.json")]
    lines += [{"compile_count": what, "instructions": row} for what, row in compile_counts(read(folder / "used.json"))]
    lines += [{"checked_compile": int(kernels), "builds": rounded_builds(builds)} for kernels, builds in read(folder / "checked_build.json").items()]
    lines += [{"sass": arch, "operation": operation, "instructions": row} for arch, operation, row in sass_counts(folder / "sass_counts.json")]
    return lines


def read(path):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def compile_times(path):
    """(header, {library: what it adds to an empty kernel}) of each header."""
    for header, rows in read(path).items():
        empty = rows.pop("(empty kernel)")
        yield header, {name: added(row, empty) for name, row in rows.items()}


def compile_counts(compilers):
    """(program, form and compiler, {library: what it adds to an empty program}) of each program."""
    for compiler, programs in compilers.items():
        empty = programs.pop("(empty)")["alone"][""]
        for program, forms in programs.items():
            for form, row in forms.items():
                if "cudasync" in row:
                    yield f"{program}, {form}, {compiler}", {name: round(count - empty, -3) for name, count in row.items()}


def rounded_builds(builds):
    return {name: build | {"nvcc": rounded(build["nvcc"])} for name, build in builds.items()}


def added(row, empty):
    times = {what: rounded(statistics.median(row[what]) - statistics.median(empty[what])) for what in ("nvcc", "nvrtc") if row[what]}
    return times | {what: row[what] - empty[what] for what in ("cubin", "headers", "lines") if what in row}


def sass_counts(path):
    for arch, operations in read(path).items():
        for operation, row in operations.items():
            yield arch, operation, {name: kernel["instructions"] + kernel["called"] for name, kernel in row.items()}


def import_results(folder):
    """Replaces the lines of the programs, headers and operations that the folder has."""
    lines = imported(folder)
    if lines and "machine" in lines[0] and TIMES.exists():
        lines[0]["machine"]["dates"] = read_lines()[0]["machine"].get("dates", {}) | lines[0]["machine"]["dates"]
    kept = [line for line in (read_lines() if TIMES.exists() else []) if not any(is_same(line, new) for new in lines)]
    order = sorted([*lines, *kept], key=lambda line: KINDS.index(next(iter(line))))
    TIMES.write_text("".join(json.dumps(line) + "\n" for line in order), encoding="utf-8")


def is_same(line, new):
    """Whether the new line belongs to the same table."""
    keys = ("benchmark", "compile_time", "compile_count", "checked_compile", "sass")
    return "machine" in line and "machine" in new or any(key in line and line[key] == new.get(key) for key in keys)


def read_lines():
    return [json.loads(line) for line in TIMES.read_text(encoding="utf-8").splitlines()]


LINES = read_lines() if TIMES.exists() else [{"machine": {}}]
ROWS = [line for line in LINES if "benchmark" in line]
ROWS_OF: dict = {}  # a benchmark
for each in ROWS:
    ROWS_OF.setdefault(each["benchmark"], []).append(each)

# --- Selections and ratios ---


@functools.cache
def matches(text, wanted):
    """wanted: a pattern for the beginning of the text, or a function."""
    return wanted(text) if callable(wanted) else re.match(wanted, text) is not None


def select(benchmark, operation="", path="", kind="", name="", configuration=""):
    """{(operation, configuration): {name: median}} of the contestants that match."""
    found = {}
    for row in ROWS_OF.get(benchmark, ()):
        is_wanted = matches(row["operation"], operation) and matches(row["path"], path)
        if is_wanted and matches(row["kind"], kind) and matches(row["name"], name):
            for column, value in row["medians"].items():
                if matches(column, configuration):
                    found.setdefault((row["operation"], column), {})[row["name"]] = value
    return found


def ratios(ours, others):
    """{(operation, configuration): the fastest of ours over the fastest of the others}"""
    return {key: min(ours[key].values()) / min(others[key].values()) for key in ours if key in others}


def number(value):
    if value >= 100:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spanned(values, shown=number):
    """The smallest and the largest value, or one of them if both look the same."""
    words = list(dict.fromkeys(shown(value) for value in (min(values), max(values)))) if values else []
    return "–".join(words)


def columns_of(benchmark, **wanted):
    """The configurations of the operations that match, in the order of the run."""
    return list(dict.fromkeys(column for _, column in select(benchmark, **wanted)))
