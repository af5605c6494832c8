"""Compares the results with the performance goals of cudasync: each goal is a ratio or a difference within one run."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import statistics
from dataclasses import dataclass

NOT_INLINED = "not inlined"
UNKNOWN_SPACE = "unknown space"
SECONDS = {"cuda/pipeline": 0.12}  # that a header may add; the limit for the other headers is 0.10


@dataclass(frozen=True)
class Goal:
    text: str
    limit: float
    value: float  # the worst of all configurations
    where: str

    def is_reached(self):
        return self.value <= self.limit

    def line(self):
        return f"{'reached' if self.is_reached() else 'above':8} {self.value:8.3f}  (at most {self.limit:g})  {self.text}; worst: {self.where}"


def _medians(results, **wanted):
    """{(operation, configuration): [medians of the contestants that match]}"""
    found = {}
    for each in results:
        if all(accepts(each[key]) if callable(accepts) else each[key] == accepts for key, accepts in wanted.items()):
            found.setdefault((each["operation"], each["configuration"]), []).append(each["median"])
    return found


def _worst(text, limit, ours, others):
    """The goal that min(ours) / min(others) is at most the limit in every configuration in which both were measured."""
    ratios = {key: min(ours[key]) / min(others[key]) for key in ours if key in others}
    if not ratios:
        return []
    operation, configuration = max(ratios, key=ratios.get)
    return [Goal(text, limit, ratios[operation, configuration], f"{operation}, {configuration}")]


def is_inlined(name):
    return NOT_INLINED not in name and UNKNOWN_SPACE not in name


def latency_goals(results):
    goals = []
    for path in ("sm90", "sm80", "sm70"):
        common: dict = {"benchmark": "barrier", "path": path}
        ours = _medians(results, **common, kind="ours", name=is_inlined)
        best = _medians(results, **common, kind="hand")
        newest = _medians(results, **common, kind="peer", name=lambda name: "(newest)" in name and is_inlined(name))
        far = _medians(results, **common, kind="ours", name=lambda name: NOT_INLINED in name)
        anywhere = _medians(results, **common, kind="ours", name=lambda name: UNKNOWN_SPACE in name)
        peers = _medians(results, **common, kind="peer", name=lambda name: UNKNOWN_SPACE in name)
        goals += _worst(f"block scope, {path}: cycles over the best hand-written", 1.02, ours, best)
        goals += _worst(f"block scope, {path}: cycles over the newest CCCL", 1.0, ours, newest)
        goals += _worst(f"block scope, {path}: unknown memory space: cycles over the better CCCL", 1.05, anywhere, peers)
        goals += _worst(f"block scope, {path}: not inlined over inlined", 1.25, far, ours)
    for words, limit, kind, size in (("all threads", 0.75, "peer", "x 1024"), ("thread 0", 1.02, "hand", "x")):
        common = {
            "benchmark": "device_barrier",
            "operation": lambda text, words=words: text.startswith(words),
            "configuration": lambda text, size=size: size in text,
        }
        ours = _medians(results, **common, kind="ours")
        other = "CCCL" if kind == "peer" else "the best hand-written"
        others = _medians(results, **common, kind=kind)
        goals += _worst(f"device scope, {words}: cycles over {other}", limit, ours, others)
    for path in ("sm90", "sm80", "sm70"):
        common = {"benchmark": "wakeup", "path": path}
        ours = _medians(results, **common, kind="ours")
        goals += _worst(f"wake-up, {path}: time over a spin", 2.0, ours, _medians(results, **common, kind="hand"))
    return goals


def fences_goals(results):
    """The goal that no word is wrong with fence_before_bulk_copy in the copying thread."""
    fenced = {each["accesses"]: each["wrong"] for each in results if each["copying"] == "fence_before_bulk_copy"}
    if not fenced:  # an interrupted run
        return []
    worst = max(fenced, key=fenced.get)
    return [Goal("wrong words with fence_before_bulk_copy in the copying thread", 0, fenced[worst], worst)]


def checked_goals(results):
    """The limits for the cost of the checked build."""
    goals = []
    for words, limit in (
        ("block", 3.0),
        ("bulk_pipeline", 4.0),
        ("cuda::pipeline", 4.0),
        ("named_barrier", 10.0),
        ("grid_barrier", 1.3),
        ("device barrier", 1.3),
    ):
        common = {"benchmark": "checked", "operation": lambda text, words=words: text.startswith(words)}
        ours, plain = _medians(results, **common, kind="ours"), _medians(results, **common, kind="hand")
        goals += _worst(f"{words}: time of the checked build over the release build", limit, ours, plain)
    return goals


def atomics_goals(results):
    def ratio(text, limit, benchmark, operation, others, name=lambda name: True):
        common: dict = {
            "benchmark": benchmark,
            "operation": lambda text: re.search(operation, text),
            "configuration": lambda text: "unknown" not in text,
        }
        ours = _medians(results, **common, kind="ours", name=name)
        return _worst(text, limit, ours, _medians(results, **common, **others))

    hand = {"kind": "hand"}
    newest = {"kind": "peer", "name": lambda name: "(newest)" in name}
    by_hand = "time over the best hand-written"
    goals = []
    for way, name in (("fetch", lambda name: "store" not in name), ("store", lambda name: "store" in name)):
        goals += ratio(f"counters in L2, {way}: {by_hand}", 1.02, "numbers", "add|or|int.* max", hand, name)
        goals += ratio(
            f"counters in L2, {way}, floating-point max: {by_hand}", 1.05, "numbers", "(float|double) max", hand, name
        )
        goals += ratio(f"histogram, {way}: {by_hand}", 1.005, "histogram", "", hand, name)
    goals += ratio("latency: cycles over raw PTX", 1.005, "chain", "", hand)
    goals += ratio("wait: time over an acquire spin", 2.0, "wakeup", "", hand)
    goals += ratio("8 and 16 bits: time over the newest CCCL", 1.02, "small", "", newest)
    goals += ratio(f"vectors: {by_hand}", 1.02, "vectors", "", hand)
    return goals


def bandwidth_goals(results):
    by_hand = {"kind": "hand"}
    newest = {"kind": "peer", "name": lambda name: "(newest)" in name}
    over_hand = "time over the best hand-written"
    goals = []

    rings = {"benchmark": "ring"}
    best = _medians(results, **rings, **by_hand)
    cutlass = _medians(results, **rings, kind="peer", name=lambda name: name.startswith("CUTLASS"))
    ours = {
        what: _medians(results, **rings, kind="ours", name=f"cudasync, {what}")
        for what in ("bulk_pipeline", "memcpy_async_tx")
    }
    for what, times in ours.items():
        goals += _worst(f"ring, {what}: {over_hand}", 1.01, times, best)
        goals += _worst(f"ring, {what}: time over CUTLASS, within the noise", 1.005, times, cutlass)
    stream = _medians(results, **rings, kind="reference", configuration="4 stages")
    tiles = {key: times for key, times in ours["bulk_pipeline"].items() if key[0] == "tiles of 16 KiB"}
    goals += _worst("ring of 4 x 16 KiB, bulk_pipeline: time over a read stream", 1 / 0.98, tiles, stream)
    for who in ("producer warp", "producer thread", "unified"):
        times = _medians(results, **rings, kind="ours", name=f"cudasync, pipeline, {who}")
        theirs = {**newest, "name": lambda name, who=who: "(newest)" in name and name.endswith(f"pipeline, {who}")}
        goals += _worst(f"ring, cuda::pipeline, {who}: {over_hand}", 1.03, times, best)
        goals += _worst(
            f"ring, cuda::pipeline, {who}: time over the newest CCCL, within the noise",
            1.005,
            times,
            _medians(results, **rings, **theirs),
        )

    for loop in ("steady loop", "conditional prefetch"):
        common = {"benchmark": "thread_ring", "operation": lambda text, loop=loop: text.startswith(loop)}
        times = _medians(results, **common, kind="ours")
        goals += _worst(f"rings of a thread, {loop}: {over_hand}", 1.01, times, _medians(results, **common, **by_hand))

    for what in ("latency", "time"):
        common = {"benchmark": "group_copy", "operation": lambda text, what=what: text.startswith(what)}
        best = _medians(results, **common, **by_hand)
        for size in ("size_t", "aligned_size_t"):
            for value in ("char", "int", "float4"):
                times = _medians(results, **common, kind="ours", name=f"cudasync, {value}*, {size}")
                goals += _worst(
                    f"copies of a block, {value}*, {size}: {what} over the best hand-written", 1.05, times, best
                )
    return goals


def groups_goals(results):
    def ratio(text, limit, benchmark, ours, others, operation=""):
        common = {"benchmark": benchmark, "operation": lambda text: re.search(operation, text)}
        return _worst(text, limit, _medians(results, **common, **ours), _medians(results, **common, **others))

    def named(kind, *words):
        return {"kind": kind, "name": lambda name: all(word in name for word in words)}

    ours, hand, reference = named("ours"), named("hand"), named("reference")
    goals = [
        *ratio("named_barrier: cycles over PTX, within the noise", 1.005, "named_barrier", ours, hand, "id .*given"),
        *ratio("dynamic_named_barrier: cycles over PTX, within the noise", 1.005, "named_barrier", ours, hand, "run time"),
        *ratio("named_barrier, full block: cycles over __syncthreads", 1.1, "named_barrier", ours, reference),
    ]
    for what in ("named_barrier", "named_channel"):
        goals += ratio(f"hand-off, {what}: cycles over PTX", 1.02, "hand_off", named("ours", what), hand)
    goals += [
        *ratio("cluster_barrier: cycles over PTX, within the noise", 1.005, "cluster", ours, hand, "all threads"),
        *ratio("remote_barrier: cycles over PTX, within the noise", 1.005, "cluster", ours, hand, "each other"),
        *ratio("grid_barrier: cycles over grid.sync()", 1.0, "grid_barrier", ours, reference),
        *ratio("grid_barrier: cycles over grid.sync(), the aim", 0.85, "grid_barrier", ours, reference),
        *ratio("latch: cycles over a raw counter", 1.05, "latch", ours, hand),
    ]
    theirs = named("peer", "(newest)", ", counting")
    for what in ("counting", "binary"):
        mine = named("ours", f", {what}")
        goals += ratio(f"{what} semaphore: cycles over a raw counter", 1.1, "semaphore", mine, hand)
        goals += ratio(f"{what} semaphore: cycles over the newest CCCL's counting one", 0.75, "semaphore", mine, theirs)
        goals += ratio(f"wake-up, {what} semaphore: time over a spin", 2.0, "wakeup", mine, hand, "^semaphore")
    goals += ratio("wake-up, latch: time over a spin", 2.0, "wakeup", ours, hand, "^latch")
    return goals


def programs_goals(results):
    ours = _medians(results, benchmark="programs", kind="ours")
    hand = _medians(results, benchmark="programs", kind=lambda kind: kind in ("hand", "reference"))
    peers = _medians(results, benchmark="programs", kind="peer")
    return [
        *_worst("whole programs: time over the best by hand or with cooperative groups", 1.02, ours, hand),
        *_worst("whole programs: time over the better CCCL", 1.0, ours, peers),
    ]


def host_goals(results):
    goals = []
    for words in ("semaphore with", "binary", "spinlock"):
        common = {"benchmark": "host", "operation": lambda text, words=words: text.startswith(words)}
        ours, peers = _medians(results, **common, kind="ours"), _medians(results, **common, kind="peer")
        goals += _worst(f"host, {words.split()[0]}: time over the best peer", 1.1, ours, peers)
    ours, peers = (_medians(results, benchmark="hand-over", kind=kind) for kind in ("ours", "peer"))
    goals += _worst("host, hand-over between threads: time over the best peer", 1.1, ours, peers)
    return goals + _late_goals(results, "host waits")


def explore_goals(results):
    """Millions of instructions of threads in a second, by the slowest of the kernels."""
    goals = []
    for form, wanted in (("with races", 20), ("without", 81)):
        speeds = _medians(results, benchmark="explore", configuration=form)
        where = min(speeds, key=speeds.get)
        goals.append(Goal(f"machine, {form}: {wanted} million instructions in a second over those measured", 1.0, wanted / speeds[where][0], where[0]))
    return goals


def _late_goals(results, benchmark):
    """The delay of each wait beyond that of a polling loop, as a part of 5 % of the time waited, and 10 us."""
    units = {"us": 1, "ms": 1000, "s": 1000000}
    late = {}
    polling = _medians(results, benchmark=benchmark, kind="hand", unit="us")
    for (operation, duration), medians in _medians(results, benchmark=benchmark, kind="ours", unit="us").items():
        number, unit = duration.split()
        late[operation, duration] = (min(medians) - min(polling[operation, duration])) / (int(number) * units[unit] / 20 + 10)
    if not late:
        return []
    where = max(late, key=late.get)
    return [Goal(f"{benchmark}: delay beyond that of a polling loop over 5 % of the time and 10 us", 1.0, late[where], ", ".join(where))]


def host_gpu_goals(results):
    return _late_goals(results, "host waits for kernel")


def gpus_goals(results, engines):
    """engines: the results of the programs with_nccl, with_nvshmem and with_torch, by the name of the library."""

    def ratio(text, limit, benchmark, operation, ours, others, among=results, theirs=None):
        common = {"benchmark": benchmark, "operation": operation}
        return _worst(text, limit, _medians(among, **common, **ours), _medians(among if theirs is None else theirs, **common, **others))

    ours, hand, peer = {"kind": "ours"}, {"kind": "hand"}, {"kind": "peer"}
    nccl, nvshmem, torch = (engines.get(name, []) for name in ("nccl", "nvshmem", "torch"))
    flat = {"kind": "hand", "name": "one counter for all blocks"}
    everybody, one = "all blocks of all ranks", "the blocks with the same index of all ranks"
    return [
        *ratio("peer_barrier: time over one counter for all blocks, the aim", 0.7, "meet", everybody, ours, flat),
        *ratio("peer_barrier: time over the best by hand", 1.0, "meet", everybody, ours, hand),
        *ratio("peer_block_barrier: time over flags by hand", 1.02, "meet", one, ours, hand),
        *ratio("all-reduce: time over flags by hand", 1.02, "all_reduce", "all-reduce", ours, hand),
        *ratio("peer_block_barrier: time over NCCL's barrier on the device", 1.0, "meet", one, ours, peer, nccl),
        *ratio("peer_barrier: time over NVSHMEM's barrier on the device", 1.0, "meet", everybody, {"name": "peer_barrier"}, peer, nvshmem),
        *ratio("peer_block_barrier: time over PyTorch's barrier, of another program", 1.0, "meet", one, ours, peer, results, torch),
        *ratio("all-reduce: time over the best of NCCL and PyTorch, of another program", 1.0, "all_reduce", "all-reduce", ours, peer, results, torch),
    ]


def trace_goals(results):
    goals = []
    for operation, limit in (("arrive_and_wait", 10), ("bulk_pipeline", 1.5)):
        common = {"benchmark": "trace", "operation": operation}
        traced, plain = (_medians(results, **common, kind=kind) for kind in ("ours", "hand"))
        goals += _worst(f"CUDASYNC_TRACE=1, {operation}: time over the release build", limit, traced, plain)
    return goals


def uses_goals(results):
    goals = []
    groups = dict.fromkeys((each["operation"].partition(":")[0], each["path"]) for each in results)
    for group, path in groups:
        common = {"path": path, "operation": lambda text, group=group: text.startswith(f"{group}: ")}
        ours, hand, peers = (_medians(results, **common, kind=kind) for kind in ("ours", "hand", "peer"))
        goals += _worst(f"uses of {group}, {path}: time over that by hand", 1.05, ours, hand)
        goals += _worst(f"uses of {group}, {path}: time over the better CCCL", 1.05, ours, peers)
    return goals


def tensor_cores_goals(results):
    common = {"benchmark": "product"}
    ours = _medians(results, **common, kind="ours")
    others = {kind: _medians(results, **common, kind=kind) for kind in ("hand", "peer", "reference")}
    return [
        *_worst("matrix product: time over the best hand-written ring, within the noise", 1.005, ours, others["hand"]),
        *_worst("matrix product: time over CUTLASS's pipeline, within the noise", 1.005, ours, others["peer"]),
        *_worst("matrix product: time over cuBLAS", 1 / 0.8, ours, others["reference"]),
    ]


def sass_goals(results):
    found = [("a relaxed load", 10, "load_relaxed"), ("a float add, result unused", 8, "add_float_unused")]
    return [
        Goal(f"instructions of {text}", limit, results["sm_90"][operation]["cudasync"]["instructions"], "sm_90")
        for text, limit, operation in found
    ]


def compile_time_goals(rows_of_headers):
    goals = []
    for header, rows in rows_of_headers.items():
        empty, ours = rows["(empty kernel)"], rows["cudasync"]
        if not header.startswith("cuda/"):  # a header of the toolkit, with our headers and with the toolkit's
            saved = statistics.median(next(row for name, row in rows.items() if "CCCL" in name)["nvcc"])
            saved -= statistics.median(ours["nvcc"])
            goals.append(Goal(f"<{header}>: CPU seconds of nvcc saved, less", -1.0, -saved, "sm_90"))
            continue
        nvcc, nvrtc = (statistics.median(ours[it]) - statistics.median(empty[it]) for it in ("nvcc", "nvrtc"))
        over = f"<{header}> over an empty kernel"
        goals += [
            Goal(f"{over}: CPU seconds of nvcc", SECONDS.get(header, 0.10), nvcc, "sm_90"),
            Goal(f"{over}: CPU seconds of NVRTC", 0.02, nvrtc, "sm_90"),
            Goal(f"{over}: bytes of the cubin", 1024, ours["cubin"] - empty["cubin"], "sm_90"),
        ]
    return goals
