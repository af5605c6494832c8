"""Instructions that by themselves neither release nor acquire, outside of ptx/: each use has the fence, or the reason."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools import cpp
from cudasync_tools.toolchain import INCLUDE

HEADERS = INCLUDE / "cudasync"
UNORDERED = re.compile(
    r"\bptx::((?:mbarrier_(?:expect_tx|complete_tx)|cp_async_mbarrier_arrive|tcgen05_commit|st_async|red_async)\w*)(?=[(<])|\bptx::(sem_relaxed_t)\b"
)

BYTES = "bytes are counted; the arrival releases, and the wait acquires what the copy engine wrote"
COPIES = "it arrives when the thread's copies are complete, and publishes nothing else: the thread's own arrival does"
LOOK = "the first look of a loop, whose compare-exchange has the order"
RECORDS = "records of the checked build, which no other data depends on"
USERS = {  # header: {"function instruction": the reason, or "with CODE", which stands in the function, too}
    "backend/atomic/add_elements_device.h": {"add_elements sem_relaxed_t": "store_add_elements is relaxed"},
    "backend/atomic/atomic_device.h": {"operator() sem_relaxed_t": LOOK},
    "backend/atomic/word_device.h": {"operator() sem_relaxed_t": "with fence_before<Scope, Order>()"},
    "backend/copy/copy_device.h": {
        "copy_in_bulk mbarrier_expect_tx": BYTES,
        "copy_by_group cp_async_mbarrier_arrive": COPIES,
        "hold_for_copies cp_async_mbarrier_arrive": COPIES,
    },
    "backend/copy/ring_device.h": {
        "arrive_in_ring_after_reads sem_relaxed_t": "reads of tensor cores or of the copy engine are complete, and nothing is published",
        "arrive_in_leader sem_relaxed_t": "tcgen05.wait::ld and the fence before_thread_sync are in its caller, accumulator_pipeline",
    },
    "backend/grid/launch_device.h": {"expect_launch_in_block sem_relaxed_t": BYTES},
    "backend/order/order_device.h": {"fetch_in_loop sem_relaxed_t": LOOK},
    "backend/phase/block_phase_device.h": {
        "load_relaxed sem_relaxed_t": "its callers in counter_phase.h have the fences",
        "fetch_add_relaxed sem_relaxed_t": "its callers in counter_phase.h have the fences",
    },
    "barrier_tx.h": {
        "barrier_arrive_tx sem_relaxed_t": "with ptx::mbarrier_arrive(ptx::sem_release_t{}",
        "barrier_arrive_tx mbarrier_expect_tx": "with ptx::mbarrier_arrive(",
        "barrier_expect_tx sem_relaxed_t": BYTES,
        "barrier_expect_tx mbarrier_expect_tx": BYTES,
        "barrier_complete_tx mbarrier_complete_tx": BYTES,
    },
    "cluster/remote_barrier.h": {
        "expect_tx sem_relaxed_t": BYTES,
        "expect_tx mbarrier_expect_tx": BYTES,
        "store_async st_async": BYTES,
        "reduce red_async": BYTES,
    },
    "hang/registry_device.h": {
        "read_near sem_relaxed_t": RECORDS,
        "write_near sem_relaxed_t": RECORDS,
        "write_near_if sem_relaxed_t": RECORDS,
    },
    "tensor/accumulator_pipeline.h": {
        "producer_commit tcgen05_commit": "it has the fence before_thread_sync in it; who waits has the one after",
        "producer_commit tcgen05_commit_multicast": "it has the fence before_thread_sync in it; who waits has the one after",
    },
    "tensor/tensor_core_consumers.h": {
        "commit tcgen05_commit": "it arrives when the tensor cores have read the stage; the threads wrote nothing",
        "commit tcgen05_commit_multicast": "it arrives when the tensor cores have read the stage; the threads wrote nothing",
    },
}


def users(text):
    """{function and instruction: the code of the functions of this name that use it}"""
    code, found = cpp.without_comments_and_directives(text), {}
    bodies = cpp.bodies(code)
    for match in UNORDERED.finditer(code):
        begin, end, name = next((body for body in bodies if body[0] <= match.start() < body[1]), (0, 0, "-"))
        found.setdefault(f"{name} {match[1] or match[2]}", []).append(code[begin:end])
    return found


def wrong(header, text, listed):
    found = users(text)
    yield from (f"{header}: {name}: neither a fence nor a reason" for name in found.keys() - listed.keys())
    yield from (f"{header}: {name} is gone" for name in listed.keys() - found.keys())
    for name in found.keys() & listed.keys():
        kind, _, fence = listed[name].partition(" ")
        if kind == "with" and not all(fence in body for body in found[name]):
            yield f"{header}: {name}: without {fence}"


def test_each_use_has_a_fence_or_a_reason():
    folders = [path for path in HEADERS.rglob("*.h") if path.relative_to(HEADERS).parts[0] not in ("ptx", "compat")]
    texts = {str(path.relative_to(HEADERS)): path.read_text(encoding="utf-8") for path in folders}
    assert not USERS.keys() - texts.keys()
    found = [line for header, text in texts.items() for line in wrong(header, text, USERS.get(header, {}))]
    assert not found, "\n".join(found)


def test_a_use_is_found():
    text = "void commit(int bar) {\n  fence();\n  ptx::tcgen05_commit(a, bar);\n}\n"
    assert list(wrong("x.h", text, {})) == ["x.h: commit tcgen05_commit: neither a fence nor a reason"]
    assert not list(wrong("x.h", text, {"commit tcgen05_commit": "with fence()"}))
    assert list(wrong("x.h", text, {"commit tcgen05_commit": "with keep()"})) == ["x.h: commit tcgen05_commit: without keep()"]
