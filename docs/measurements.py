#!/usr/bin/env python3
"""Writes the tables and the numbers of all pages from measured times, which `--import` takes from the results of benchmarks/run.py."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# On a page, such a part is between `<!-- made by docs/measurements.py: NAME -->` and `<!-- end of NAME -->`. test/lint
# checks that each part matches what this program writes. The measured times are in docs/design/measurements.jsonl.

import argparse
import functools
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
import text_figures
from cudasync_tools import pages
from results import HAND, LINES, OURS, PEER, REFERENCE, ROWS, columns_of, import_results, number, ratios, select, spanned

PAGE = ROOT / "docs/design/measurements.md"
PROGRAM = "docs/measurements.py"


def table(head, rows):
    for line in pages.table(head, rows):
        yield re.sub(r"\|  (?=\|)", "| ", line)


def by_column(found, operation, columns):
    return [number(found[operation, column]) if (operation, column) in found else "" for column in columns]


# --- The parts of the page ---

PLAIN = r"(?!.*(not inlined|unknown space))"
CCCL = rf"CCCL{PLAIN}"


def versions():
    """The names of the libraries that were measured."""
    names = {re.match(r"(CCCL [\d.]+ \(\w+\)|CUTLASS [\d.]+)", row["name"])[1] for row in ROWS if row["kind"] == PEER and re.match("CCCL|CUTLASS", row["name"])}
    return sorted(names)


def machine():
    of = LINES[0]["machine"]
    yield from table(("GPU", "CUDA", "Compared with"), [(of["gpu"], of["cuda"], ", ".join(versions()))])


BARRIER_OPERATIONS = {
    "with nothing else": {
        "`arrive_and_wait`": "arrive_and_wait$",
        "`arrive`, work, `wait(token)`": r"arrive, work, wait\(token\)",
        "`arrive`, `wait_parity`": "arrive, wait_parity",
    },
    "with work": {
        "`arrive`, 16 FMA, `wait(token)`": "arrive, 16 FMA, wait.token",
        "`arrive`, 32 FMA, `wait(token)`": "arrive, 32 FMA, wait.token",
        "`arrive`, 64 FMA, `wait(token)`": "arrive, 64 FMA, wait.token",
        "`arrive`, a load, `wait(token)`": "arrive, a load",
        "staggered warps, `wait(token)`": "staggered arrivals, wait.token",
        "`arrive`, 16 FMA, `wait_parity`": "arrive, 16 FMA, wait_parity",
        "`arrive`, 32 FMA, `wait_parity`": "arrive, 32 FMA, wait_parity",
        "`arrive`, 64 FMA, `wait_parity`": "arrive, 64 FMA, wait_parity",
        "staggered warps, `wait_parity`": "staggered arrivals, wait_parity",
    },
}


def crossed(column):
    return column.replace(" x ", " × ")


def block_barrier(path, which, against):
    yield from table(("Operation", "Against", *map(crossed, columns_of("barrier", path=path))), barrier_rows(path, which, against))


def barrier_rows(path, which, against):
    """A row for each operation and each of the others: {text: selection}."""
    columns = columns_of("barrier", path=path)
    for text, operation in BARRIER_OPERATIONS[which].items():
        common = {"operation": operation, "path": path}
        ours = select("barrier", kind=OURS, name="cudasync$", **common)
        for other, wanted in against.items():
            found = ratios(ours, select("barrier", **wanted, **common))
            if found:
                key = next(iter(found))[0]
                yield text if other == next(iter(against)) else "", other, *by_column(found, key, columns)


AGAINST = {"by hand": {"kind": HAND}, "CCCL": {"kind": PEER, "name": CCCL}, "CUTLASS": {"kind": PEER, "name": "CUTLASS"}}


def block_barriers():
    yield from block_barrier("sm90", "with nothing else", AGAINST)


def block_barriers_with_work():
    yield from block_barrier("sm90", "with work", AGAINST)


def block_barriers_of_older_paths():
    for path in ("sm80", "sm70"):
        yield from [f"The path of {path.replace('sm', 'sm_')}:", ""]
        against = {name: AGAINST[name] for name in ("by hand", "CCCL")}
        columns = columns_of("barrier", path=path)
        rows = list(barrier_rows(path, "with nothing else", against))
        for other, wanted in against.items():
            found = {}
            for operation in BARRIER_OPERATIONS["with work"].values():
                common = {"operation": operation, "path": path}
                found |= ratios(select("barrier", kind=OURS, name="cudasync$", **common), select("barrier", **wanted, **common))
            cells = [spanned([value for (_, each), value in found.items() if each == column]) for column in columns]
            rows.append(("the operations with work" if other == "by hand" else "", other, *cells))
        yield from table(("Operation", "Against", *map(crossed, columns)), rows)


WAITS = {"`arrive_and_wait`": "arrive_and_wait$", "`wait(token)`": r".*wait\(token\)", "`wait_parity`": ".*wait_parity"}


def wait_forms():
    """For each form of the wait, its times relative to the fastest form: the mean and the worst of all rows and columns."""
    for path in ("sm90", "sm80"):
        title = path.replace("sm", "sm_")
        rows = {}
        for operation in WAITS.values():
            found = select("barrier", operation=operation, path=path, kind=f"{OURS}|{HAND}|{PEER}", name=PLAIN)
            relative = {}
            for times_of in found.values():
                for name, time in times_of.items():
                    relative.setdefault(name, []).append(time / min(times_of.values()))
            for name, values in relative.items():
                rows.setdefault(name, []).append((statistics.geometric_mean(values), max(values)))
        ordered = sorted(rows.items(), key=lambda row: statistics.geometric_mean(mean for mean, _ in row[1]))
        cells = [(name, *(f"{mean:.2f}, {worst:.2f}" for mean, worst in values)) for name, values in ordered]
        yield from table((f"Form, the path of {title}", *WAITS), cells)


def unknown_barriers():
    columns = columns_of("barrier", path="sm90")
    rows = []
    for text, operation in BARRIER_OPERATIONS["with nothing else"].items():
        for what, words in (("unknown space", "unknown space"), ("not inlined", "not inlined")):
            common = {"operation": operation, "path": "sm90", "name": rf".*{words}"}
            ours = select("barrier", kind=OURS, **common)
            for other, kind in (("PTX for shared memory", REFERENCE), ("CCCL", PEER)):
                found = ratios(ours, select("barrier", kind=kind, **common))
                if found:
                    rows.append((text, what, other, *by_column(found, next(iter(found))[0], columns)))
    yield from table(("Operation", "What is unknown", "Against", *map(crossed, columns)), rows)


def device_barriers():
    columns = columns_of("device_barrier")
    rows = []
    for text, operation, against in (
        (
            "thread 0 of each block",
            "thread 0",
            {
                "a counter by hand that returns its ticket": r"raw counter, the phase from",
                "a counter by hand whose phase is known": "raw counter, the phase is",
                "CCCL": CCCL,
            },
        ),
        (
            "all threads",
            "all threads",
            {
                "a counter by hand whose phase is known": "raw counter, the phase is",
                "one `RED` per warp by hand, all warps poll": "one RED a warp, all poll",
                "one `ATOM` per warp by hand, all warps poll after a pause": "one ATOM a warp, all poll",
                "one `RED` per warp by hand, one warp per block polls": "one RED a warp, one warp",
                "CCCL": CCCL,
            },
        ),
    ):
        ours = select("device_barrier", operation=operation, kind=OURS)
        for other, name in against.items():
            found = ratios(ours, select("device_barrier", operation=operation, name=name))
            if found:
                rows.append((text if other == next(iter(against)) else "", other, *by_column(found, next(iter(found))[0], columns)))
    yield from table(("Threads that arrive", "Against", *map(crossed, columns)), rows)


def wake_up():
    yield from wake_up_of(("block scope, an mbarrier", "block scope", "sm90"), ("device scope", "device scope", "sm70"))


def wake_up_of_others():
    yield from wake_up_of(
        ("`atomic::wait`, block scope", "block scope", "native"),
        ("`atomic::wait`, device scope", "device scope", "native"),
        ("`latch::wait`", "latch, ", "native"),
        ("counting semaphore", "semaphore, ", "native"),
        ("binary semaphore", "semaphore, ", "native"),
    )


def wake_up_of(*barriers):
    waits = [column for column in columns_of("wakeup") if column.startswith("after")]
    rows = []
    for text, operation, path in barriers:
        narrowed = rf".*{text.split()[0]}$" if "semaphore" in text else ""
        spin = select("wakeup", operation=operation, path=path, kind=HAND)
        for library, kind, name in (("cudasync", OURS, narrowed), ("CCCL", PEER, narrowed)):
            found = ratios(select("wakeup", operation=operation, path=path, kind=kind, name=name), spin)
            cells = [spanned([value for (_, column), value in found.items() if column == wait]) for wait in waits]
            if any(cells):
                rows.append((text if kind == OURS else "", library, *cells))
    yield from table(("Barrier", "Library", *(wait.removeprefix("after ") for wait in waits)), rows)


def atomics():
    def newest(name):
        return name.startswith("CCCL") and "NDEBUG" not in name

    def released(name):
        return name.startswith("CCCL") and "NDEBUG" in name

    def known(pattern):
        return lambda text: re.match(pattern, text) and "unknown" not in text

    works = {
        "`int32`, `uint64`: add, max, or; `fetch_…` and `store_…`": ("numbers", known(r"u?int\d+ ")),
        "`float`, `double`: add": ("numbers", known("(float|double) add")),
        "`float`, `double`: max": ("numbers", known("(float|double) max")),
        "`float2`, `float4`: `store_add_elements`": ("vectors", "float"),
        "histogram, all bins and 16 of 256": ("histogram", ""),
        "numbers in shared memory: `fetch_add`, `store_add`": ("shared", ".*known space"),
        "add to an `atomic` of 8 or 16 bits": ("small", ".*objects"),
        "the same through `atomic_ref`, packed": ("small", ".*references"),
    }
    rows = []
    for text, (benchmark, operation) in works.items():
        ours = select(benchmark, operation=operation, kind=OURS)
        cells = [
            spanned(list(ratios(ours, select(benchmark, operation=operation, **others)).values()))
            for others in ({"kind": HAND}, {"kind": PEER, "name": newest}, {"kind": PEER, "name": released})
        ]
        rows.append((text, *cells))
    yield from table(("Work", "by hand", "CCCL", "CCCL with `NDEBUG`"), rows)


def chains():
    columns = columns_of("chain")
    rows = []
    for operation in dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == "chain"):
        exactly = re.escape(operation) + "$"
        ours = select("chain", operation=exactly, kind=OURS)
        for other, wanted in (("by hand", {"kind": HAND}), ("CCCL", {"kind": PEER})):
            found = ratios(ours, select("chain", operation=exactly, **wanted))
            if found:
                rows.append((operation if other == "by hand" else "", other, *by_column(found, operation, columns)))
    yield from table(("Operation", "Against", *columns), rows)


def shared_additions():
    rows = []
    for benchmark, where in (("shared", "shared memory"), ("numbers", "L2")):
        pattern = r"u?int\d+ add, (un)?known space" if benchmark == "shared" else r"u?int\d+ add, unknown space"
        for operation in dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == benchmark and re.match(pattern, row["operation"])):
            ours = select(benchmark, operation=re.escape(operation) + "$", kind=OURS)
            for other, wanted in (("by hand", {"kind": HAND}), ("CCCL", {"kind": PEER})):
                found = ratios(ours, select(benchmark, operation=re.escape(operation) + "$", **wanted))
                cells = by_column(found, operation, ("random", "consecutive"))
                rows.append((f"{operation}, {where}" if other == "by hand" else "", other, *cells))
    yield from table(("Addition", "Against", "random", "consecutive"), rows)


RINGS = {
    "`bulk_pipeline`": "cudasync, bulk_pipeline$",
    "a loop with `memcpy_async_tx`": "cudasync, memcpy_async_tx",
    "`cuda::pipeline`, one producer thread": "cudasync, pipeline, producer thread",
    "`cuda::pipeline`, a producer warp": "cudasync, pipeline, producer warp",
    "`cuda::pipeline`, unified": "cudasync, pipeline, unified",
    "CUTLASS, `PipelineTmaAsync`": r"CUTLASS [\d.]+, PipelineTmaAsync$",
    "CCCL, one producer thread": "CCCL .*producer thread",
    "CCCL, a producer warp": "CCCL .*producer warp",
    "CCCL, unified": "CCCL .*unified",
}
ONE_BLOCK = r"\d+ stages$"


def ring_cells(found):
    operations = dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == "ring")
    return [spanned([value for (each, _), value in found.items() if each == operation]) for operation in operations]


def rings():
    yield from ring_table(RINGS)


def ring_table(contestants):
    best = select("ring", kind=HAND, configuration=ONE_BLOCK)
    tiles = [operation.removeprefix("tiles of ") for operation in dict.fromkeys(operation for operation, _ in best)]
    rows = [(text, *ring_cells(ratios(select("ring", name=name, configuration=ONE_BLOCK), best))) for text, name in contestants.items()]
    yield from table(("Contestant", *tiles), rows)


def ring_variants():
    yield from ring_table(
        {
            "by hand, without the fence": "PTX, elected lane, asm wait, no fence",
            "by hand, a fence in each consumer": "PTX, elected lane, asm wait, consumers fence",
            "by hand, unified, with `cp.async`": "PTX, unified",
            "CUTLASS, `PipelineTmaAsync`, released by warp": "CUTLASS .*by warp",
        }
    )


def group_copies():
    rows = []
    for text, operation in (
        ("one block, from L2", "latency of a copy from L2"),
        ("one block, from memory", "latency of a copy from memory"),
        ("all multiprocessors, from L2", "time of copies"),
    ):
        best = select("group_copy", operation=operation, kind=HAND)
        for value in ("char", "int", "float4"):
            for size, words in (("size_t", "a plain size"), ("aligned_size_t", "`aligned_size_t<16>`")):
                name = rf"{value}\*, {size}$"
                ours = ratios(select("group_copy", operation=operation, kind=OURS, name=f"cudasync, {name}"), best)
                theirs = ratios(select("group_copy", operation=operation, kind=PEER, name=f"CCCL .*{name}"), best)
                rows.append((text, f"`{value}`, {words}", spanned(list(ours.values())), spanned(list(theirs.values()))))
    yield from table(("Copies", "Type and size", "cudasync", "CCCL"), rows)


def thread_rings():
    rows = []
    for operation in dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == "thread_ring"):
        exactly = re.escape(operation) + "$"
        best = select("thread_ring", operation=exactly, kind=HAND)
        cells = [spanned(list(ratios(select("thread_ring", operation=exactly, kind=kind), best).values())) for kind in (OURS, PEER)]
        rows.append((operation, *cells))
    yield from table(("Loop", "cudasync", "CCCL"), rows)


def groups():
    """Barriers of warps, blocks and clusters: cycles, and the ratio to the best by hand."""
    rows = []
    for text, benchmark, wanted in (
        ("`named_barrier`, `sync`", "named_barrier", {"operation": "id (and|given)"}),
        ("`dynamic_named_barrier`, `sync`", "named_barrier", {"operation": "id and number of threads known"}),
        ("`named_barrier`, a hand-off", "hand_off", {"path": "sm90", "name": ".*named_barrier"}),
        ("`named_channel`, a hand-off", "hand_off", {"path": "sm90", "name": ".*named_channel"}),
        ("two `cuda::barrier`, a hand-off", "hand_off", {"path": "sm90", "name": ".*two cuda::barrier"}),
        ("two `cuda::barrier` on the path of sm_80", "hand_off", {"path": "sm80", "name": ".*two cuda::barrier"}),
        ("`cluster_barrier`", "cluster", {"operation": "all threads"}),
        ("a round trip of `remote_barrier`", "cluster", {"operation": "two blocks"}),
    ):
        ours = select(benchmark, kind=OURS, **wanted)
        common = {key: value for key, value in wanted.items() if key != "name"}
        hand = ratios(ours, select(benchmark, kind=HAND, **common))
        peer = ratios(ours, select(benchmark, kind=PEER, **common))
        cycles = [min(values.values()) for values in ours.values()]
        rows.append((text, spanned(cycles, lambda value: f"{value:,.0f}"), spanned(list(hand.values())), spanned(list(peer.values()))))
    yield from table(("Barrier", "Cycles", "Against PTX by hand", "Against CCCL"), rows)


def grid_barriers():
    columns = columns_of("grid_barrier")
    rows = []
    for text, wanted in (
        ("`grid_barrier::arrive_and_wait`", {"kind": OURS}),
        ("`arrive`, then `wait`", {"name": "cudasync, arrive, then wait"}),
        ("by hand: one counter", {"name": "counter, a thread a block"}),
        ("by hand: a counter and a phase in two cache lines", {"name": "counter and phase in two lines"}),
    ):
        found = ratios(select("grid_barrier", **wanted), select("grid_barrier", kind=REFERENCE))
        if found:
            rows.append((text, *by_column(found, next(iter(found))[0], columns)))
    yield from table(("Barrier", *map(crossed, columns)), rows)


def latches():
    columns = columns_of("latch")
    rows = []
    for text, kind in (("cudasync", OURS), ("CCCL", PEER)):
        found = ratios(select("latch", kind=kind), select("latch", kind=HAND))
        if found:
            rows.append((text, *by_column(found, next(iter(found))[0], columns)))
    yield from table(("Latch", *map(crossed, columns)), rows)


def semaphores():
    columns = columns_of("semaphore", operation="1 permit,")
    rows = []
    for operation in dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == "semaphore"):
        exactly = re.escape(operation) + "$"
        hand = select("semaphore", operation=exactly, kind=HAND)
        for text, wanted in (
            ("counting", {"name": "cudasync, counting"}),
            ("CCCL, counting", {"name": "CCCL .*counting"}),
            ("binary", {"name": "cudasync, binary"}),
            ("CCCL, binary", {"name": "CCCL .*binary"}),
            ("ticket lock by hand", {"name": "ticket lock"}),
        ):
            found = ratios(select("semaphore", operation=exactly, **wanted), hand)
            if found:
                permits, hold = re.match(r"(\d+) permits?, held for (\d+) cycles", operation).groups()
                rows.append((text, permits, f"{int(hold):,}", *by_column(found, operation, columns)))
    yield from table(("Semaphore", "Permits", "Held for cycles", *(column.removesuffix(" x 1") for column in columns)), rows)


def programs():
    rows = []
    for operation in dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == "programs"):
        exactly = re.escape(operation) + "$"
        fastest = {
            kind: min(
                (
                    (value, name)
                    for values in select("programs", operation=exactly, kind=kind).values()
                    for name, value in values.items()
                ),
                default=None,
            )
            for kind in (OURS, HAND, REFERENCE, PEER)
        }
        own = fastest[OURS]
        cells = [number(own[0] / fastest[kind][0]) if fastest[kind] else "" for kind in (HAND, REFERENCE, PEER)]
        rows.append((operation, own[1].removeprefix("cudasync, "), f"{own[0]:,.0f} µs", *cells))
    yield from table(("Program", "With", "Time", "Against PTX by hand", "Against cooperative groups", "Against CCCL"), rows)


def host():
    columns = columns_of("host")
    rows = []
    for operation in dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == "host"):
        ours = select("host", operation=operation + "$", kind=OURS)
        for other, name in (("CCCL", "CCCL"), ("libstdc++", "libstdc")):
            found = ratios(ours, select("host", operation=operation + "$", name=name))
            rows.append((operation if other == "CCCL" else "", other, *by_column(found, operation, columns)))
    yield from table(("What", "Against", *columns), rows)


# Waits that are compared by their delay, which a hand-written loop makes as short as it can be with a processor of its own.
DELAYS = ("host waits", "host waits for kernel", "kernel waits for host")


def host_waits():
    """Delays and processor time of waits between processes, and between a host thread and a kernel."""
    for benchmark in DELAYS:
        found = [row for row in ROWS if row["benchmark"] == benchmark]
        columns = columns_of(benchmark)
        rows = []
        for row in found:
            cells = (number(row["medians"][each]) if each in row["medians"] else "" for each in columns)
            rows.append((row["operation"], row["name"], row["unit"].removesuffix(" of the time waited"), *cells))
        if rows:
            yield from table(("What", "With", "Unit", *columns), rows)


def gpus():
    """Each row is a contestant. The number of ranks is in the titles of the columns."""
    for benchmark, divisor, digits in (("meet", 1000, 2), ("all_reduce", 1, 1)):  # to microseconds
        for operation in dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == benchmark):
            found = [row for row in ROWS if row["benchmark"] == benchmark and row["operation"] == operation]
            columns = list(dict.fromkeys(column for row in found for column in row["medians"]))
            medians = {row["name"]: [row["medians"].get(column) for column in columns] for row in found}
            rows = [(name, *("" if time is None else f"{time / divisor:.{digits}f}" for time in each)) for name, each in medians.items()]
            yield from table((f"{operation[0].upper()}{operation[1:]}, µs", *map(crossed, columns)), rows)


def checked_compile():
    """For the page on hangs: what the checked build costs to compile."""
    rows = []
    for line in LINES:
        if "checked_compile" in line:
            cells = (f"{build['nvcc']:.1f} s, {build['bytes'] / 1024:,.0f} KB" for build in line["builds"].values())
            rows.append((line["checked_compile"], *cells))
    builds = next(line["builds"] for line in LINES if "checked_compile" in line)
    yield from table(("Kernels in the file", *(f"{build[0].upper()}{build[1:]}" for build in builds)), rows)


def hosts():
    """The model of a phase with 128 hosts of 8 GPUs."""
    rows = []
    for scheme, (rounds, signals) in text_figures.SCHEMES.items():
        rows.append((scheme, rounds, signals, *(f"{text_figures.phase_of_hosts(rounds, signals, gap):.0f} µs" for gap in text_figures.GAPS)))
    yield from table(("Scheme", "Rounds", "Signals of each GPU", *(f"*g* = {gap} µs" for gap in text_figures.GAPS)), rows)


def compile_time():
    seconds = {line["compile_time"]: line["rows"] for line in LINES if "compile_time" in line}
    rows = []
    for header, row in seconds.items():
        ours = row["cudasync"]
        toolkit = next((row[name] for name in row if "(toolkit)" in name), None)
        rows.append((f"`<{header}>`", f"{ours['nvcc']:.2f} s", f"{toolkit['nvcc']:.1f} s" if toolkit else ""))
    yield from table(("Header", "cudasync", "The toolkit"), rows)


def compile_time_more():
    rows = []
    for line in LINES:
        if "nvrtc" in line.get("rows", {}).get("cudasync", {}):
            ours = line["rows"]["cudasync"]
            newest = next((row["nvcc"] for name, row in line["rows"].items() if "(newest)" in name), None)
            cells = [f"{newest:.1f} s", f"{newest / ours['nvcc']:.0f}"] if newest else ["", ""]
            rows.append((f"`<{line['compile_time']}>`", *cells, f"{1000 * ours['nvrtc']:.0f} ms", f"{ours['cubin'] / 1024:.1f} KB", ours["headers"]))
    yield from table(("Header", "The newest CCCL", "Ratio", "cudasync with NVRTC", "in the cubin", "opened headers"), rows)


def compile_counts():
    """What compilers execute, for headers alone and for programs that use them: unlike seconds, it does not depend on other load."""
    found = {}
    for line in LINES:
        if "compile_count" in line:
            program, form, compiler = line["compile_count"].split(", ")
            found.setdefault((form, program), {})[compiler] = beside_others(line["instructions"])
    compilers = list(dict.fromkeys(compiler for row in found.values() for compiler in row))
    rows = []
    for (form, program), row in sorted(found.items(), key=lambda item: (item[0][0], item[0][1] == "all")):
        text = "all of them" if program == "all" else f"`{program}`"
        rows.append((f"{text}, {form}", *(row.get(compiler, "") for compiler in compilers)))
    yield from table(("Headers", *(f"{compiler}, millions" for compiler in compilers)), rows)


def beside_others(counts):
    """The count of cudasync, and in parentheses those of the toolkit's and the newest CCCL, relative to it."""
    own = counts["cudasync"]
    others = [next((f"{count / own:.1f}" for name, count in counts.items() if what in name), "") for what in ("(toolkit)", "(newest)")]
    return f"{own / 1e6:,.0f}" + (f" ({', '.join(others)})" if all(others) else "")


def tensor_cores():
    line = next(line for line in LINES if "tensor_core_product" in line)
    yield from table(
        ("Kernel", "TFLOP/s", "Relative to cuBLAS"),
        [(text, rate, number(rate / line["cublas"])) for text, rate in line["tensor_core_product"].items()],
    )


def uses():
    """For each group of uses and path: how many shapes are at most as slow as the best of the others, and the worst one."""
    found = {}
    for path in ("sm90", "sm80"):
        ours = select("uses", path=path, kind=OURS)
        for (operation, column), ratio in ratios(ours, select("uses", path=path, kind=f"{HAND}|{PEER}")).items():
            group, _, what = operation.partition(": ")
            found.setdefault((group, path), []).append((ratio, f"{what}, {crossed(column.replace('x', ' x '))}"))
    rows = []
    for (group, path), shapes in found.items():
        counts = (sum(ratio <= limit for ratio, _ in shapes) for limit in (1, 1.05))
        worst, where = max(shapes)
        above = sum(ratio > 1.05 for ratio, _ in shapes)
        rows.append((group, path.replace("sm", "sm_"), str(len(shapes)), *map(str, counts), str(above), number(worst), where))
    yield from table(("Group", "Path", "Shapes", "At most 1.00", "At most 1.05", "Above 1.05", "Worst", "Which"), rows)


def product_rings():
    """The same matrix product with other rings: the time, and its ratio to the fastest ring by hand."""
    columns = columns_of("product")
    best = {column: min(select("product", kind=HAND, configuration=re.escape(column) + "$").popitem()[1].values()) for column in columns}
    rows = []
    for row in ROWS:
        if row["benchmark"] == "product":
            cells = [f"{row['medians'][column]:,.0f} µs, {number(row['medians'][column] / best[column])}" for column in columns]
            rows.append((row["name"], *cells))
    yield from table(("Ring", *columns), rows)


def sass():
    """The operations that take more instructions than with the better CCCL: a table for each reason, folded."""
    by_reason = {}
    for line in LINES:
        if "sass" not in line:
            continue
        ours = line["instructions"]["cudasync"]
        theirs = min(((count, name) for name, count in line["instructions"].items() if name != "cudasync"), default=None)
        if theirs and ours > theirs[0]:
            by_reason.setdefault(line["operation"], []).append((line["sass"], ours, *theirs))
    for operation, rows in by_reason.items():
        summary = f"`{operation}`: {SASS_REASONS.get(operation, 'open')}"
        yield from pages.folded(summary, table(("Architecture", "cudasync", "The best", "of"), rows))


# Why an operation takes more instructions than with CCCL. An operation without a reason is a defect.
SASS_REASONS = {
    "add_int_anywhere": "local memory has no atomics, and in global memory, an addition whose result is unused becomes a `RED`",
    "max_float_unused": "one of two integer instructions, selected by the sign; CCCL has a loop, which is shorter and slower",
    "memcpy_async_vectors": "fences before the copy, which CCCL lacks; and the threads of a warp need not be converged",
    "binary_acquire": "after a millisecond, a thread enters a queue, so that no thread starves",
    "block_ring_of_2": "the number of threads decides at run time between one bulk copy and an unrolled loop of `cp.async`",
    "binary_release": "the word also has the queue, so that a release is a `RED`, which ptxas combines for the lanes of a warp",
}


# Why another contestant is faster, by benchmark and a pattern for the operation. A row without a reason is shown as open.
REASONS = (
    ("barrier", "unknown space|not inlined", "cudasync tests the memory space, which the compiler does not know"),
    ("barrier", "sm70", "by hand, the program knows the number of the phase, and nothing resets the counter"),
    ("barrier|hand_off", "", "no form of the wait is the fastest everywhere, and on average none is faster than this one (see the table of the forms)"),
    ("group_copy", "from L2", "a bulk copy, which takes as long by hand, and less time from 64 KiB on"),
    ("host", "spinlock", "the same instructions; with more threads than processors, times differ from run to run"),
    ("device_barrier", "all threads", "the barrier has no information about blocks and warps"),
    ("device_barrier", "thread 0", "by hand, the program knows the number of the phase"),
    ("numbers|shared", "unknown space", "cudasync tests the memory space, which the compiler does not know"),
    ("chain", "", "cudasync tests the memory space, which the compiler does not know"),
    ("small", "references", "cudasync does not write the bytes next to the object"),
    ("ring", "", "rings without the fence between reads and the next copy"),
    ("thread_ring", "conditional", "the number of groups to wait for is known only at run time"),
    ("latch", "all threads", "a pause before the first read, which saves time with one thread per block and with more blocks"),
    ("host", "semaphore", "a waiting thread yields its processor, and a release is sequentially consistent"),
    ("meet", "all blocks", "the blocks of a GPU meet before it tells the others, which takes another round trip to L2"),
    ("semaphore", "1 permit,", "a release also keeps the queue, so that it is a `RED` and not a store"),
    ("uses", "visit, u8", "cudasync does not access the bytes next to the object"),
    ("uses", "rows of 100|of each 8 threads", "parts of a warp wait for barriers of their own, and no form of the wait is the fastest everywhere"),
    ("uses", "^(copies|pipelines).*(bytes|tile|stencil|gather|rows|image|results)", "tests of alignment, size and memory, which code by hand knows"),
    ("uses", "insert pairs|(publish|all to all|turns of warps), loads|poll and work", "a loop of loads or tests in the program: a branch around each helps"),
    ("uses", "scatter|extremes", "beside assembly, the compiler does not take pointers that it loads to be in global memory"),
    ("uses", "behind a pointer", "cudasync tests the memory space, which the compiler does not know"),
    ("uses", "all to all, wait|turns of warps, wait", "fewer polls without a pause would be slower elsewhere"),
    ("uses", "locks, exchange, all threads|take items", "the same instructions, in a loop that ptxas arranges in another way"),
    ("uses", "permits", "a release also keeps the queue, so that it is a `RED` and not a store"),
    ("uses", "latches", "a pause before the first read, which saves time with one thread per block and with more blocks"),
    ("uses", "product", "any number of groups and any threads, which code by hand knows: one wait for all groups, and `__syncthreads`"),
)


# What the name of an operation lacks.
TITLES = {
    "barrier": "block scope: ",
    "device_barrier": "device scope: ",
    "numbers": "numbers in L2: ",
    "vectors": "vectors in L2: ",
    "small": "small numbers: ",
    "shared": "numbers in shared memory: ",
    "histogram": "histogram: ",
    "chain": "a chain: ",
    "ring": "rings: ",
    "thread_ring": "a thread's ring: ",
    "named_barrier": "named barrier: ",
    "latch": "latch: ",
    "semaphore": "semaphore: ",
    "host": "host: ",
    "hand-over": "host threads, hand-over: ",
    "meet": "several GPUs: ",
}


@functools.cache
def slower_rows():
    """(reason, row) for each operation at which another contestant is more than 5 % faster: the worst configuration."""
    rows = []
    for benchmark, path in dict.fromkeys((row["benchmark"], row["path"]) for row in ROWS):
        if benchmark in ("checked", "trace", "wakeup", "all_reduce", *DELAYS):
            continue
        for operation in dict.fromkeys(row["operation"] for row in ROWS if row["benchmark"] == benchmark and row["path"] == path):
            exactly = {"operation": re.escape(operation) + "$", "path": path + "$"}
            for what, name in (("", PLAIN), (", unknown space", ".*unknown space"), (", not inlined", ".*not inlined")):
                ours = select(benchmark, kind=OURS, name=name, **exactly)
                others = select(benchmark, kind=f"{HAND}|{PEER}", name=name, **exactly)
                found = ratios(ours, others)
                if found and max(found.values()) > 1.05:
                    key = max(found, key=found.get)
                    winner = min(others[key], key=others[key].get)
                    above = sum(value > 1.05 for value in found.values())
                    shown = TITLES.get(benchmark, "") + operation + what
                    shown += f", the path of {path.replace('sm', 'sm_')}" if path in ("sm80", "sm70") and benchmark != "device_barrier" else ""
                    row = (shown, crossed(key[1]), found[key], f"{above} of {len(found)}", winner)
                    rows.append((reason(benchmark, operation + what, path), row))
    return rows


text_figures.FIGURES["slower"] = lambda: str(len(slower_rows()))


def slower():
    """A table for each reason, folded."""
    by_reason = {}
    for why, row in slower_rows():
        by_reason.setdefault(why, []).append(row)
    for why, rows in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        summary = f"{sentence(why)}: {counted(rows)}, at most {number(max(row[2] for row in rows))} times the time"
        cells = [(*row[:2], number(row[2]), *row[3:]) for row in rows]
        yield from pages.folded(summary, table(("Operation", "Worst configuration", "Ratio", "Above 1.05", "The fastest there"), cells))


def sentence(words):
    return words if words.startswith("cudasync") else words[0].upper() + words[1:]


def counted(rows):
    return f"{len(rows)} {'operations' if len(rows) > 1 else 'operation'}"


def reason(benchmark, operation, path):
    return next((text for where, pattern, text in REASONS if re.fullmatch(where, benchmark) and re.search(pattern, f"{operation}, {path}")), "open")


CHECKED_OPERATIONS = {
    "`barrier::arrive_and_wait`, block scope, 32 to 1,024 threads": ("block arrive_and_wait", ""),
    "`arrive` and `wait_parity`": ("block arrive, wait_parity", ""),
    "`bulk_pipeline`, tiles of 8 KiB": ("bulk_pipeline 8 KiB", ""),
    "`bulk_pipeline`, tiles of 1 KiB": ("bulk_pipeline 1 KiB", ""),
    "`cuda::pipeline`, tiles of 4 KiB": ("cuda::pipeline 4 KiB", ""),
    "`named_barrier::sync`, 256 threads": ("named_barrier 256", ""),
    "`grid_barrier`": ("grid_barrier", ""),
    "`barrier::arrive_and_wait`, device scope": ("device barrier", ""),
    "`binary_semaphore`, one thread": ("binary_semaphore", "1 x 1"),
    "`binary_semaphore`, one thread on each multiprocessor": ("binary_semaphore", "all SMs"),
}


def checked():
    """For the page on hangs: the checked build, and the limits by hand, relative to the release build."""
    rows = []
    for title, (operation, configuration) in CHECKED_OPERATIONS.items():
        wanted = {"operation": f"{operation}$", "configuration": configuration}
        release = select("checked", kind=HAND, **wanted)
        limit = ratios(select("checked", name="by hand: (reads, vote, stores|polling)", **wanted), release)
        ours = ratios(select("checked", kind=OURS, **wanted), release)
        rows.append((title, *(spanned(list(found.values()), lambda value: f"{value:.2g}").replace("–", " to ") for found in (ours, limit))))
    yield from table(("What the kernel does", "Time, relative to the release build", "Limit by hand"), rows)


def explore():
    found = {key: number(min(medians.values())) for key, medians in select("explore").items()}
    kernels = dict.fromkeys(kernel for kernel, _ in found)
    yield from table(("Kernel", "With races", "Without"), [(kernel, found[kernel, "with races"], found[kernel, "without"]) for kernel in kernels])


def summary():
    """For the README."""
    here = "docs/design/measurements.md"

    def linked(name, anchor):
        return f"[{text_figures.FIGURES[name]()}]({here}#{anchor})"

    own, toolkit = (text_figures.compiled("cuda/barrier", "nvcc", name) for name in ("cudasync", "(toolkit)"))
    rows = [
        ("Barrier of a block, `arrive_and_wait`", "hand-written PTX", linked("barrier", "block-scope-barriers-in-shared-memory")),
        ("`bulk_pipeline`, tiles of 2 KiB or more", "hand-written PTX", linked("ring-bulk", "rings-in-shared-memory")),
        ("`grid_barrier`", "`grid.sync()` of cooperative groups", linked("grid", "blocks-clusters-and-grids")),
        ("Compile time that `<cuda/barrier>` adds", "the toolkit's header", f"[{number(own / toolkit)}]({here}#compile-time)"),
    ]
    yield from table(("What", "Relative to", f"Time, relative to it (less is better; {text_figures.FIGURES['gpu']()})"), rows)


PARTS = {
    "summary": summary,
    "explore": explore,
    "checked": checked,
    "machine": machine,
    "block-barriers": block_barriers,
    "block-barriers-with-work": block_barriers_with_work,
    "block-barriers-of-older-paths": block_barriers_of_older_paths,
    "wait-forms": wait_forms,
    "unknown-barriers": unknown_barriers,
    "device-barriers": device_barriers,
    "wake-up": wake_up,
    "wake-up-of-others": wake_up_of_others,
    "atomics": atomics,
    "chains": chains,
    "shared-additions": shared_additions,
    "rings": rings,
    "ring-variants": ring_variants,
    "group-copies": group_copies,
    "thread-rings": thread_rings,
    "groups": groups,
    "grid-barriers": grid_barriers,
    "latches": latches,
    "semaphores": semaphores,
    "programs": programs,
    "uses": uses,
    "host": host,
    "host-waits": host_waits,
    "gpus": gpus,
    "hosts": hosts,
    "checked-compile": checked_compile,
    "tensor-cores": tensor_cores,
    "product-rings": product_rings,
    "compile-time": compile_time,
    "compile-time-more": compile_time_more,
    "compile-counts": compile_counts,
    "sass": sass,
    "slower": slower,
}


# Long tables, which a click shows: a telephone shows the rest of the page on fewer screens.
FOLDED = {
    "block-barriers-with-work": "Table: a phase with work between the arrival and the wait",
    "block-barriers-of-older-paths": "Tables: the paths of sm_80 and sm_70",
    "wait-forms": "Tables: the forms of the wait",
    "unknown-barriers": "Table: barriers that the compiler does not know",
    "device-barriers": "Table: barriers of device scope",
    "wake-up-of-others": "Table: other waits",
    "chains": "Table: chains of dependent operations",
    "shared-additions": "Table: additions with an unknown memory space",
    "group-copies": "Table: copies by a group",
    "thread-rings": "Table: rings of one thread",
    "semaphores": "Table: semaphores",
    "ring-variants": "Table: variants of the rings by hand",
    "compile-time-more": "Table: the newest CCCL, and NVRTC",
    "product-rings": "Table: rings of the matrix product",
    "gpus": "Tables: phases and all-reduces of two GPUs",
}


def made(name):
    """The lines of a part. A table of rows that the published run does not have is a sentence."""

    def lines():
        found = list(PARTS[name]())
        if not any(re.match(r"\| (?!---)", line) for line in found[2:]) and name != "slower":
            found = ["Not measured in the published run.", ""]
        return pages.folded(FOLDED[name], found) if name in FOLDED and len(found) > 2 else found

    return lines


def written(text):
    """A page with each part and each number as this program makes it."""
    return text_figures.written(pages.written(PROGRAM, text, {name: made(name) for name in PARTS}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--import", dest="folder", type=Path, metavar="DIR", help="results of benchmarks/run.py to publish")
    folder = parser.parse_args().folder
    if folder:
        import_results(folder)
        return 0
    for path in pages.paths():
        text = path.read_text(encoding="utf-8")
        if written(text) != text:
            path.write_text(written(text), encoding="utf-8")
            print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
