"""The measured numbers in the text of the pages: each is computed from docs/design/measurements.jsonl."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# On a page, a number is written `<!-- figure: NAME -->1.06<!-- -->`, which code hosts and the site show as 1.06.
# `python3 docs/measurements.py` writes the numbers. A paragraph must not begin a line with the comment: Markdown would then
# take the line as HTML. test/lint/test_figures.py checks all this, and that no other number with a unit is on a page: what
# is no measurement is in FACTS.

import math
import re
import zlib
from pathlib import Path

from results import HAND, LINES, OURS, PEER, REFERENCE, number, ratios, select

ROOT = Path(__file__).resolve().parents[1]
MARK = re.compile(r"<!-- figure: (?P<name>[\w-]+) -->(?P<text>[^<]*)<!-- -->")

PLAIN = r"(?!.*(not inlined|unknown space))"
ONE_BLOCK = r"\d+ stages$"
LARGE = r"tiles of (2|4|8|16|32) KiB"


def span(values, shown=number):
    """The smallest and the largest value, or one of them if both look the same."""
    words = list(dict.fromkeys(shown(value) for value in (min(values), max(values))))
    return " to ".join(words)


def whole(value):
    return f"{value:,.0f}"


def tenths(value):
    return f"{value:.1f}"


def ratio(benchmark, ours, others, **common):
    """The times of ours, relative to the fastest of the others in each configuration."""
    return list(ratios(select(benchmark, **(common | ours)), select(benchmark, **(common | others))).values())


def least(benchmark, **wanted):
    """The shortest time in each configuration."""
    return [min(times.values()) for times in select(benchmark, **wanted).values()]


BY_US, BY_HAND, BY_CCCL = {"kind": OURS}, {"kind": HAND}, {"kind": PEER, "name": f"CCCL{PLAIN}"}
KNOWN = {"configuration": "(shared|global)$"}
PHASE = {"path": "sm90", "operation": "arrive_and_wait$"}
PARITY = {"path": "sm90", "operation": "arrive, wait_parity$"}
CUDASYNC = {"kind": OURS, "name": "cudasync$"}
COUNTER = {"name": "raw counter"}
ONE_THREAD = {"configuration": r"\d+ x 1$"}  # blocks of one thread


def ring(name, tiles=LARGE, others=None):
    return ratio("ring", {"name": f"cudasync, {name}$"}, others or BY_HAND, operation=tiles, configuration=ONE_BLOCK)


def cost_of_fence():
    """By how many percent the fence before each copy makes a ring by hand slower, at most."""
    fence = {"name": "PTX, elected lane, asm wait$"}, {"name": "PTX, elected lane, asm wait, no fence"}
    return f"{100 * (max(ratio('ring', *fence, configuration=ONE_BLOCK)) - 1):.0f}"


def group_copies(size, operation):
    """The largest ratio of a copy by a group, of any type of value."""
    values = ("char", "int", "float4")
    found = [ratio("group_copy", {"name": rf"cudasync, {value}\*, {size}$"}, BY_HAND, operation=operation) for value in values]
    return number(max(max(each) for each in found))


def compiled(header, what, name="cudasync"):
    row = next(line["rows"] for line in LINES if line.get("compile_time") == header)
    return next(values[what] for library, values in row.items() if name in library)


def microseconds(benchmark, **wanted):
    return span([time / 1000 for time in least(benchmark, **wanted)], tenths)


def device_arrivals():
    """How much faster a barrier of device scope is if one thread of each block arrives."""
    everybody = least("device_barrier", operation="all threads", kind=OURS, configuration="132 x 1024")
    return whole(everybody[0] / least("device_barrier", operation="thread 0", kind=OURS, configuration="132 x 1024")[0])


# --- A phase of several hosts, as guide/several_gpus.md models it: microseconds ---

RELEASE, SIGNAL, GAPS = 1.5, 8.35, (0.1, 0.5)
SCHEMES = {
    "rounds of 2": (7, 7),
    "rounds of 8 (`nvshmem_rail`)": (3, 15),
    "one round (`nccl_rail`)": (1, 127),
    "rounds of 2 over all 1,024 GPUs, without NVLink": (10, 10),
}


def phase_of_hosts(rounds, signals, gap):
    return least("meet", name="grid_barrier of system scope", configuration="2 x 132")[0] / 1000 + RELEASE + rounds * SIGNAL + signals * gap


def nvl72():
    """With 15 NVL72 systems."""
    return span([phase_of_hosts(2, 8, gap) for gap in GAPS], whole)


# --- The numbers ---

def wheel_size():
    """Of the files that a wheel has, compressed, and 300 bytes each for two headers, three names and a hash, in bytes."""
    files = [path for folder in ("include", "python/cudasync", "cmake", "machine") for path in (ROOT / folder).rglob("*") if path.is_file()]
    return sum(len(zlib.compress(path.read_bytes())) + 300 for path in files if path.parent.name != "__pycache__")


def machine(date):
    of = LINES[0]["machine"]
    return f"{of['gpu'].split()[1]}, CUDA {of['cuda']}, {date}"


FIGURES = {
    "wheel": lambda: tenths(math.ceil(wheel_size() / 1e5) / 10),
    # where and when
    "gpu": lambda: machine(LINES[0]["machine"]["date"]),
    "two-gpus": lambda: machine(LINES[0]["machine"]["dates"]["meet"]),
    "product-gpu": lambda: next(line["gpu"] for line in LINES if "tensor_core_product" in line),
    # atomics
    "store-add": lambda: span(ratio("numbers", {"name": "cudasync, store_"}, BY_HAND, operation=r"u?int\d+ \w+$")),
    "chain": lambda: span(ratio("chain", BY_US, BY_HAND, operation="(?!compare_exchange, 128)", **KNOWN)),
    "chain-load": lambda: span(ratio("chain", BY_US, BY_HAND, operation="load", **KNOWN)),
    "chain-exchange-128": lambda: span(ratio("chain", BY_US, BY_HAND, operation="compare_exchange, 128", **KNOWN)),
    "load-shared": lambda: whole(least("chain", **BY_US, operation="load, 32", configuration="shared")[0]),
    "load-global": lambda: whole(least("chain", **BY_US, operation="load, 32", configuration="global")[0]),
    "vectors": lambda: span(ratio("vectors", BY_US, BY_HAND)),
    "vectors-cccl": lambda: span(ratio("vectors", BY_US, BY_CCCL, operation="float")),
    "small-references": lambda: span(ratio("small", BY_US, BY_HAND, operation=".*references")),
    # barriers of blocks and of the device
    "barrier": lambda: span(ratio("barrier", CUDASYNC, BY_HAND, **PHASE)),
    "barrier-cccl": lambda: span(ratio("barrier", CUDASYNC, BY_CCCL, **PHASE)),
    "barrier-token": lambda: span(ratio("barrier", CUDASYNC, BY_HAND, path="sm90", operation=r"arrive, work, wait\(token\)$")),
    "barrier-parity": lambda: span(ratio("barrier", CUDASYNC, BY_HAND, **PARITY)),
    "barrier-cycles": lambda: whole(least("barrier", **CUDASYNC, **PHASE, configuration="32$")[0]),
    "barrier-by-reference": lambda: whole(least("barrier", kind=OURS, name=".*not inlined", **PHASE, configuration="32$")[0]),
    "device-barrier": lambda: span(ratio("device_barrier", BY_US, COUNTER, operation="thread 0")),
    "device-one-arrives": device_arrivals,
    "device-wake-up": lambda: number(max(ratio("wakeup", BY_US, BY_HAND, operation="device scope"))),
    # rings
    "ring-bulk": lambda: span(ring("bulk_pipeline")),
    "ring-tx": lambda: span(ring("memcpy_async_tx")),
    "ring-thread": lambda: span(ring("pipeline, producer thread")),
    "ring-4-bulk": lambda: span(ring("bulk_pipeline", "tiles of 4 KiB")),
    "ring-4-thread": lambda: span(ring("pipeline, producer thread", "tiles of 4 KiB")),
    "ring-4-warp": lambda: span(ring("pipeline, producer warp", "tiles of 4 KiB")),
    "ring-4-unified": lambda: span(ring("pipeline, unified", "tiles of 4 KiB")),
    "ring-unified-large": lambda: number(max(ring("pipeline, unified", r"tiles of (8|16|32) KiB"))),
    "ring-unified-small": lambda: number(max(ring("pipeline, unified", r"tiles of (1|2) KiB"))),
    "ring-read": lambda: number(
        ratio("ring", {"name": "cudasync, bulk_pipeline$"}, {"name": "read stream"}, operation="tiles of 16 KiB", configuration="4 stages$")[0]
    ),
    "fence": cost_of_fence,
    "group-copy": lambda: group_copies("aligned_size_t", "latency"),
    "group-copy-plain": lambda: group_copies("size_t", "latency"),
    "group-copy-all": lambda: group_copies("size_t", "time"),
    # groups of threads
    "named": lambda: span(least("named_barrier", kind=OURS, operation="id (and number of threads )?given"), whole),
    "named-dynamic": lambda: span(least("named_barrier", kind=OURS, operation=".*run time"), whole),
    "named-hand-off": lambda: whole(least("hand_off", path="sm90", name="cudasync, named_channel", configuration="2 x 128")[0]),
    "barrier-hand-off": lambda: whole(least("hand_off", path="sm90", name="cudasync, two cuda::barrier", configuration="2 x 128")[0]),
    "cluster": lambda: span(least("cluster", kind=OURS, operation="all threads"), whole),
    "remote": lambda: whole(least("cluster", kind=OURS, operation="two blocks")[0]),
    "grid": lambda: span(ratio("grid_barrier", BY_US, {"kind": REFERENCE})),
    "latch": lambda: span(ratio("latch", BY_US, BY_HAND)),
    "semaphore-counting": lambda: span(ratio("semaphore", {"name": "cudasync, counting"}, BY_HAND, **ONE_THREAD)),
    "semaphore-binary": lambda: span(ratio("semaphore", {"name": "cudasync, binary"}, BY_HAND, **ONE_THREAD)),
    # several GPUs
    "peer": lambda: microseconds("meet", name="peer_barrier"),
    "peer-counter-few": lambda: microseconds("meet", name="a counter on each GPU", configuration="2 x 8$"),
    "peer-counter-many": lambda: microseconds("meet", name="a counter on each GPU", configuration="2 x 132$"),
    "peer-block": lambda: microseconds("meet", name="peer_block_barrier"),
    "peer-nccl": lambda: microseconds("meet", name="NCCL"),
    "all-reduce-mailbox": lambda: span(least("all_reduce", name="peer_mailbox", configuration=".*KiB"), tenths),
    "all-reduce-others": lambda: span(least("all_reduce", kind=PEER, configuration=".*KiB"), tenths),
    "host-phase": lambda: tenths(phase_of_hosts(0, 0, 0) - RELEASE),
    "nvl72": nvl72,
}

# Words with numbers that are no measurement of a GPU, and where each comes from: a document, or `FILE: what it says`, which
# a test looks up.
POLL = "include/cudasync/backend/atomic/await_value_device.h: for (uint32 attempts = 0; attempts < 16; ++attempts)"
PAUSE = "include/cudasync/backend/atomic/await_value_device.h: __nanosleep(20);"
HOST_WAITS = "include/cudasync/thread/time.h: at most 5 % of the time that it has waited, and 10 us, later"
PROGRAMMING_GUIDE = "CUDA C++ Programming Guide, technical specifications for each compute capability"
TWO_CORES = "a run on a Debian 12 with two cores and no GPU"
CMAKE = "CMakeLists.txt: cmake_minimum_required(VERSION 3.25)"
GIN = "https://arxiv.org/abs/2511.15076"
FACTS = {
    # limits of GPUs
    "48 KB of shared memory": PROGRAMMING_GUIDE,
    "at most 48 KB": PROGRAMMING_GUIDE,
    "227 KB on an H200": PROGRAMMING_GUIDE,
    "32 ns on an H200, and up to 1 µs on older GPUs": "steps of %globaltimer, as traces report them (timer_step_ns)",
    # constants of the headers
    "polls 16 times without a pause": POLL,
    "pauses of 20 ns": PAUSE,
    "a wait with a limit: 40 ns": "include/cudasync/backend/atomic/await_value_device.h: Scope == thread_scope_block ? 20 : 40",
    "at most 5 % of the time that it has waited, and 10 µs": HOST_WAITS,
    "at most 5 % of the time that they have waited, and 10 µs": HOST_WAITS,
    "after 2 ms, on Linux": "include/cudasync/thread/time.h: shortest_slept_wait = 32 * timer_delay; // 2 ms",
    "During the first 2 ms": "include/cudasync/thread/time.h: shortest_slept_wait = 32 * timer_delay; // 2 ms",
    "at most 32 ms": "include/cudasync/thread/time.h: longest_sleep = 32000000",
    "The default time-out is 15 seconds": "include/cudasync/hang/report_data.h: CUDASYNC_HANG_TIMEOUT_MS 15000",
    "sleeps for up to 8 µs": "include/cudasync/hang/registry_device.h: __nanosleep(static_cast<uint32>(dice >> 40) % 8192)",
    "Meson (1.0.1 and 1.12)": "the versions of Meson that were tried",
    "68 MiB by default": "include/cudasync/hang/registry_device.h: CUDASYNC_CHECKED_OBJECTS 4096",
    "66 MiB by default": "include/cudasync/hang/registry_device.h: CUDASYNC_CHECKED_WARPS 16384",
    "at least 64 times the number of multiprocessors": "64 warps: " + PROGRAMMING_GUIDE,
    "about 140 MiB of device memory": "docs/api/hang_report.md: which is 68 MiB by default",
    "4 MB for the owners of the rings: 29 MB": "2,048 rings of 256 events of 48 bytes, and the owners",
    "29 MB of device memory": "docs/api/trace.md: 29 MB with the default values",
    "600000 (10 minutes)": "600,000 milliseconds",
    # the model of several hosts
    "1.5 µs | an assumption": "an assumption of the model",
    "8.35 µs | half of the round trip of 16.7 µs": GIN,
    "0.1 or 0.5 µs | an assumption": "an assumption of the model",
    # what benchmarks and commands do
    "8 KiB to 4 MiB": "benchmarks/gpus/all_reduce.cu: All-reduces of 8 KiB to 4 MiB of floats",
    # the tools
    "CMake 3.25": CMAKE,
    "| CMake | 3.25 and newer, for the CMake target | 3.25, 3.31, 4.4 |": CMAKE,
    "**Warp** (1.19 or newer)": "the version of Warp that was used",
    "Warp 1.19": "the version of Warp that was used",
    "JAX 0.11": "the version of JAX that was used",
    "numba-cuda up to 0.30 fail to import with NumPy 2.5, so use NumPy 2.4": "the versions that were tried",
    "about 0.75 MB": "the size of cudasync_header_map.h",
    "about 2 GB": "the toolkits and CCCLs that test/interop/matrix.py installs",
    "about 500 MB": "nvcc's packages on PyPI",
    "28.6 seconds": TWO_CORES,
    "at most 25 seconds of a busy processor": "the limit of each run",
    "Still running after 25 s": "the same",
    "10 to 15 minutes": TWO_CORES,
    "under 2 minutes": TWO_CORES,
    "about 5 minutes on one core": TWO_CORES,
    "about 30 minutes": TWO_CORES,
    "30 to 60 minutes": "the limits of test/soak_gpus.py",
    "until 500 seconds have passed": "CONTRIBUTING.md: --seconds 500",
    "a program has 30 seconds": "CONTRIBUTING.md: --limit 30",
    "takes more than 10 seconds": "the limit of a test in test/soak.py",
    "20 minutes, usually 2": "the limits of test/soak_gpus.py",
    "| 20 minutes |": "the limits of test/soak_gpus.py",
    "10 minutes, and 4": "the limits of test/soak_gpus.py",
    "40 minutes, usually 10": "the limits of test/soak_gpus.py",
    # an example of style
    "a phase takes 48 to 83 cycles": "docs/contributing/style.md: With an id that the run tells 48 to 83, by hand too.",
}


def written(text):
    """A page with each number as it follows from the measured times."""
    return MARK.sub(lambda mark: f"<!-- figure: {mark['name']} -->{FIGURES[mark['name']]()}<!-- -->", text)
