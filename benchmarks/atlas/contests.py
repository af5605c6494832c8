"""The cases of threads that compete for locks, and of barriers at which parts of a block or a warp meet. They are only timed."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
from dataclasses import dataclass
from typing import Any

from cases import Code
from handovers import case
from synchronizers import TIMED_SCOPES

GROUP = "contests"
BYTES = "static_cast<bytes_t*>(static_cast<void*>(at))"

# --- Locks ---


@dataclass(frozen=True)
class Lock:
    cpp: str
    header: str
    start: str  # of a free lock
    attempt: str  # is true if the thread has the lock
    release: str
    acquire: str = ""
    attempt_for: str = ""


def semaphore(cpp):
    limit = "cuda::std::chrono::milliseconds(1)"
    return Lock(cpp, "cuda/semaphore", "1", "{}.try_acquire()", "{}.release();", "{}.acquire();", f"{{}}.try_acquire_for({limit})")


ATOMIC = "cuda::atomic<int, cuda::thread_scope_{scope}>"
UNLOCK = "{}.store(0, cuda::memory_order_release);"
LOCKS = {
    "binary_semaphore": semaphore("cuda::binary_semaphore<cuda::thread_scope_{scope}>"),
    "counting_semaphore<64>": semaphore("cuda::counting_semaphore<cuda::thread_scope_{scope}, 64>"),
    "atomic, exchange": Lock(ATOMIC, "cuda/atomic", "0", "({}.exchange(1, cuda::memory_order_acquire) == 0)", UNLOCK),
    "atomic, compare_exchange": Lock(
        ATOMIC,
        "cuda/atomic",
        "0",
        "[&] {{ int none = 0; return {}.compare_exchange_strong(none, 1, cuda::memory_order_acquire); }}()",
        UNLOCK,
    ),
    "atomic, fetch_or": Lock(
        ATOMIC,
        "cuda/atomic",
        "0",
        "({}.fetch_or(1, cuda::memory_order_acquire) == 0)",
        "(void){}.fetch_and(0, cuda::memory_order_release);",
    ),
}
UNDER = "++counts[number]; work(second);"
# If the lanes of a warp compete, the thread that has the lock must not wait for the others.
FORMS = {
    "acquire": "{acquire} {under} {release}",
    "spin": "while (!{attempt}) {{}} {under} {release}",
    "try until done": "for (bool is_done = false; !is_done;) if ({attempt}) {{ {under} {release} is_done = true; }}",
    "try for 1 ms": "for (bool is_done = false; !is_done;) if ({attempt_for}) {{ {under} {release} is_done = true; }}",
}
LANE_OF_WARP = "threadIdx.x % 32 == 0"
COMPETITORS = {
    # who: (the condition, the number of the lock)
    "a lane of each warp": (LANE_OF_WARP, "0"),
    "a lock per lane": ("", "threadIdx.x % 32"),
    "a lock per warp": ("", "threadIdx.x / 32"),
    "all lanes": ("", "0"),
}
LOCK_SHAPES = {"shared": ((64, 1), (256, 1), (1024, 1), (256, 132)), "global": ((1, 132), (64, 132), (256, 132))}
LOCK_BYTES = 8  # and behind 32 locks, what they protect
UNDER_LOCK = tuple((f"{second} of {first + second} cycles", first, second) for first, second in ((0, 0), (300, 100)))


def lock_cases():
    for (name, lock), (form, text), (who, (condition, number)), memory in itertools.product(
        LOCKS.items(), FORMS.items(), COMPETITORS.items(), LOCK_SHAPES
    ):
        is_missing = ("{acquire}" in text and not lock.acquire) or ("{attempt_for}" in text and not lock.attempt_for)
        if is_missing or (form == "spin" and not condition):
            continue
        calls = {each: getattr(lock, each).format("locks[number]") for each in ("acquire", "attempt", "attempt_for", "release")}
        step = f"work(value); {text.format(under=UNDER, **calls)}"
        declare = (
            f"using lock = {lock.cpp.format(scope=TIMED_SCOPES[memory])}; auto* const locks = reinterpret_cast<lock*>({BYTES});"
            f"auto* const counts = reinterpret_cast<volatile int*>({BYTES} + {32 * LOCK_BYTES}); const unsigned number = {number};"
        )
        make = f"for (unsigned each = 0; each < 32; ++each) new (locks + each) lock({lock.start});"
        start: dict[str, Any] = {"prepare": make} if memory == "shared" else {"setup": make}
        code = Code(f"if ({condition}) {{ {step} }} __syncwarp();" if condition else step, declare, **start)
        peer = code if lock.attempt_for else None  # with <cuda/std/chrono>
        common: dict[str, Any] = {"shapes": LOCK_SHAPES[memory], "arguments": UNDER_LOCK, "group": GROUP, "object_bytes": 32 * (LOCK_BYTES + 4)}
        yield case(f"{name}, {memory}", f"{form}, {who}", lock.header, code, None, peer, memory, **common)


# --- Barriers ---

ARRIVE_AND_WAIT = {
    "token": (
        "{{ auto token = {0}.arrive(); {work} {0}.wait(static_cast<decltype(token)&&>(token)); }}",
        "{{ const token_t token = hand::arrive({0}); {work} hand::wait({0}, token); }}",
    ),
    "parity": (
        "(void){0}.arrive(); {work} {0}.wait_parity(round & 1);",
        "hand::arrive_only({0}); {work} hand::wait_parity({0}, round & 1);",
    ),
}
BETWEEN = {
    "work": "work(second);",
    "16 FMA": "for (int step = 0; step < 16; ++step) chain = chain * factor + 1;",
    "a load": "chain += __ldcg(static_cast<const float*>(memory) + round % 1024);",
}
PHASES = {"arrive_and_wait": ("{0}.arrive_and_wait();", "hand::wait({0}, hand::arrive({0}));")} | {
    f"arrive, {between}, wait({which})": tuple(text.replace("{work}", work) for text in texts)
    for (which, texts), (between, work) in itertools.product(ARRIVE_AND_WAIT.items(), BETWEEN.items())
}
WAYS = {
    # who meets: (arrivals of a barrier, which barrier, the step around a phase, result)
    "all threads": ("blockDim.x", "0", "{phase}", ""),
    "a lane of each warp": ("blockDim.x / 32", "0", f"if ({LANE_OF_WARP}) {{{{ {{phase}} }}}} __syncwarp();", ""),
    "every other lane": ("blockDim.x / 2", "0", "if (threadIdx.x % 2 == 0) {{ {phase} }} __syncwarp();", ""),
    "64 threads each": ("64", "threadIdx.x / 64", "{phase}", ""),
    "an exchange": ("blockDim.x", "0", "tile[threadIdx.x] = round; {phase} chain += tile[threadIdx.x ^ 33]; {next}", "float"),
}
WAY_SHAPES = tuple(itertools.product((64, 256, 1024), (1, 132)))
WAY_WORK = (("", 0, 0), ("300 cycles", 0, 300))


def barrier_cases():
    """`chain` is a number that the work changes, or what a thread reads from another one."""
    for (phase, texts), (who, (count, index, around, exchanges)) in itertools.product(PHASES.items(), WAYS.items()):
        if exchanges and "parity" in phase:
            continue  # two phases in a round
        common = f"auto* const tile = reinterpret_cast<volatile int*>({BYTES} + 128); float chain = 1, factor = value + 0.5f;"
        result = "float" if exchanges or "FMA" in phase or "load" in phase else ""
        end = "const float result = chain;" if result else ""
        steps = [
            f"{around.format(phase=text.format(place), next=text.format(place))} {end}"
            for text, place in zip(texts, (f"bars[{index}]", f"(at + 8 * ({index}))"))
        ]
        declare = f"auto* const bars = reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(at); {common}"
        each = "for (unsigned each = 0; each < 16; ++each)"
        code = Code(steps[0], declare, f"{each} init(bars + each, {count});", result=result)
        hand = Code(steps[1], common, f"{each} hand::init(at + 8 * each, {count});", result=result, least_arch=90)
        more: dict[str, Any] = {"arguments": WAY_WORK if "work" in phase else WAY_WORK[:1], "group": GROUP, "object_bytes": 128 + 4 * 1024}
        yield case("barriers of parts of a block", f"{phase}, {who}", "cuda/barrier", code, hand, None, "shared", WAY_SHAPES, **more)


def cases():
    yield from lock_cases()
    yield from barrier_cases()
