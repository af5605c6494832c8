"""The cases of waits for atomics, fences, flags, barriers, latches and semaphores: every operation, scope and memory."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
from typing import Any

from atomics import LOAD_ORDERS, ORDERS, PTX_SCOPES, PTX_SPACES, SCOPES, TYPES
from cases import Case, Code

MEMORIES = ("shared", "global", "unknown")
TOKEN = "unsigned long long"
NOW = "cuda::std::chrono::nanoseconds(0)"
TIMED_SCOPES = {"shared": "block", "global": "device", "unknown": "device"}  # of objects in these memories, if the kernel runs


def place_of(memory):
    return '"r"(shared_address(at))' if memory == "shared" else '"l"(__cvta_generic_to_global(at))' if memory == "global" else '"l"(at)'


# --- Waits for a value, flags, fences ---


def hand_wait(name, order, scope, memory):
    """A spin."""
    cpp, bits, _, register = TYPES[name]
    if bits not in (32, 64) or order == "seq_cst":
        return None
    load = f'asm volatile("ld.{order}.{PTX_SCOPES[scope]}{PTX_SPACES[memory]}.u{bits} %0, [%1];" : "={register}"(now) : {place_of(memory)} : "memory");'
    return Code(f"{cpp} now; do {{ {load} }} while (now == value);")


def wait_cases():
    for name, memory, scope in itertools.product(("u8", "i32", "u64", "b128"), MEMORIES, SCOPES):
        cpp, bits, _, _ = TYPES[name]
        declare = f"cuda::atomic_ref<{cpp}, cuda::thread_scope_{scope}> object(*reinterpret_cast<{cpp}*>(at));"
        common: dict[str, Any] = {"group": "waits", "headers": ("cuda/atomic",), "value": cpp, "memory": memory, "is_timed": False}
        if bits == 128:
            common |= {"least_arch": 90, "without": ("toolkit",)}
        for order in LOAD_ORDERS:
            step = f"object.wait(value, cuda::memory_order_{order});"
            hand = hand_wait(name, order, scope, memory)
            yield Case(row=f"wait {name}, {memory}", column=f"{order} {scope}", library=Code(step, declare), hand=hand, **common)
        for verb in ("notify_one", "notify_all"):
            yield Case(row=f"{verb} {name}, {memory}", column=scope, library=Code(f"object.{verb}();", declare), **common)


FLAG = {"test_and_set": ORDERS, "clear": ("relaxed", "release", "seq_cst"), "test": LOAD_ORDERS}


def flag_cases():
    for memory, (operation, orders) in itertools.product(MEMORIES, FLAG.items()):
        for order in orders:
            call = f"object.{operation}(cuda::std::memory_order_{order})"
            result = "" if operation == "clear" else "bool"
            declare = "auto& object = *reinterpret_cast<cuda::std::atomic_flag*>(at);"
            library = Code(f"{'const bool result = ' if result else ''}{call};", declare, result=result)
            yield Case("flags and fences", f"atomic_flag {operation}, {memory}", order, ("cuda/std/atomic",), library, memory=memory, is_timed=False)


def fence_cases():
    for order, scope in itertools.product(ORDERS, SCOPES):
        sem = {"relaxed": "", "seq_cst": "sc"}.get(order, "acq_rel")
        hand = Code(f'asm volatile("fence.{sem}.{PTX_SCOPES[scope]};" ::: "memory");' if sem else "")
        library = Code(f"cuda::atomic_thread_fence(cuda::memory_order_{order}, cuda::thread_scope_{scope});")
        yield Case("flags and fences", "atomic_thread_fence", f"{order} {scope}", ("cuda/atomic",), library, hand, places=("same",))


# --- Barriers ---

HAND_TOKEN = "const bool result = hand::test(at, value);"
HAND_PARITY = "const bool result = hand::test_parity(at, value != 0);"
# operation: (step, result, by hand for a block's barrier in shared memory, its architecture, is it a whole phase?)
BARRIER = {
    "init": ("init(&bar, value);", "", "hand::init(at, static_cast<unsigned>(value));", 80, False),
    "arrive, used": ("const auto result = bar.arrive();", TOKEN, "const auto result = hand::arrive(at);", 80, False),
    "arrive, unused": ("(void)bar.arrive();", "", "hand::arrive_only(at);", 80, False),
    "arrive(n), unused": ("(void)bar.arrive(value);", "", "", 0, False),
    "arrive_and_wait": ("bar.arrive_and_wait();", "", "hand::wait(at, hand::arrive(at));", 90, True),
    "wait(arrive())": ("bar.wait(bar.arrive());", "", "hand::wait(at, hand::arrive(at));", 90, True),
    "arrive, wait_parity": (
        "(void)bar.arrive(); bar.wait_parity(round & 1);",
        "",
        "hand::arrive_only(at); hand::wait_parity(at, round & 1);",
        90,
        True,
    ),
    "wait(token)": ("bar.wait(token_type(value));", "", "hand::wait(at, value);", 90, False),
    "wait_parity": ("bar.wait_parity(value != 0);", "", "hand::wait_parity(at, value != 0);", 90, False),
    "try_wait_for(0)": (f"const bool result = bar.try_wait_for(token_type(value), {NOW});", "bool", HAND_TOKEN, 90, False),
    "try_wait_parity_for(0)": (f"const bool result = bar.try_wait_parity_for(value != 0, {NOW});", "bool", HAND_PARITY, 90, False),
    "try_wait": ("const bool result = bar.try_wait(token_type(value));", "bool", HAND_TOKEN, 90, False),
    "try_wait_parity": ("const bool result = bar.try_wait_parity(value != 0);", "bool", HAND_PARITY, 90, False),
    "arrive_and_drop": ("bar.arrive_and_drop();", "", "hand::arrive_and_drop(at);", 80, False),
}
SPELLED = {"try_wait": "try_wait_for(0)", "try_wait_parity": "try_wait_parity_for(0)"}  # libcu++ has only the timed ones
TRANSACTIONS = {
    "barrier_expect_tx": (
        "cuda::device::barrier_expect_tx(bar, value);",
        "",
        "hand::expect(at, static_cast<unsigned>(value));",
    ),
    "barrier_arrive_tx": (
        "const auto result = cuda::device::barrier_arrive_tx(bar, 1, value);",
        TOKEN,
        "const auto result = hand::arrive_and_expect(at, static_cast<unsigned>(value));",
    ),
}


def barrier_cases():
    for (operation, (step, result, hand, least, is_phase)), scope, memory in itertools.product(BARRIER.items(), SCOPES, MEMORIES):
        if "try_wait" in operation and scope != "block":  # only newer libraries have it
            continue
        types = f"using barrier = cuda::barrier<cuda::thread_scope_{scope}>; using token_type = barrier::arrival_token;"
        declare = f"{types} auto& bar = *reinterpret_cast<barrier*>(at);"
        of_block = scope == "block" and memory == "shared"
        start: dict[str, Any] = {"prepare": "init(&bar, blockDim.x);"} if memory == "shared" else {"setup": "init(&bar, expected);"}
        by_hand = Code(hand, result=result, prepare="hand::init(at, blockDim.x);", least_arch=least) if of_block and hand else None
        peer = Code(BARRIER[SPELLED[operation]][0], declare, result=result, **start) if operation in SPELLED else None
        yield Case(
            group="barriers",
            row=f"{operation}, {memory}",
            column=scope,
            headers=("cuda/barrier", *(["cuda/std/chrono"] if "try_wait" in operation else [])),
            library=Code(step, declare, result=result, **start),
            hand=by_hand,
            peer=peer,
            value=TOKEN,
            memory=memory,
            is_timed=is_phase and scope == TIMED_SCOPES[memory],
            places=("same",),
            shapes=tuple(itertools.product((32, 96, 256, 1000, 1024), (1, 132) if memory == "shared" else (1, 66, 132, 528))),
        )
    for (operation, (step, result, hand)), memory in itertools.product(TRANSACTIONS.items(), ("shared", "unknown")):
        declare = "auto& bar = *reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(at);"
        by_hand = Code(hand, result=result, least_arch=90) if memory == "shared" else None
        library = Code(step, declare, result=result)
        common: dict[str, Any] = {"value": TOKEN, "memory": memory, "least_arch": 90, "is_timed": False}
        yield Case("barriers", f"{operation}, {memory}", "block", ("cuda/barrier",), library, by_hand, **common)


# --- Latches and semaphores ---

LATCH = {
    "count_down": ("object.count_down();", ""),
    "count_down(n)": ("object.count_down(value);", ""),
    "try_wait": ("const bool result = object.try_wait();", "bool"),
    "wait": ("object.wait();", ""),
    "arrive_and_wait": ("object.arrive_and_wait();", ""),
}
SEMAPHORE = {
    "acquire": ("object.acquire();", "", False),
    "try_acquire": ("const bool result = object.try_acquire();", "bool", False),
    "try_acquire_for(0)": (f"const bool result = object.try_acquire_for({NOW});", "bool", False),
    "release": ("object.release();", "", False),
    "release(n)": ("object.release(value);", "", False),
    "acquire, release": ("object.acquire(); object.release();", "", True),
}
SEMAPHORES = {
    "counting_semaphore": "cuda::counting_semaphore<cuda::thread_scope_{scope}>",
    "counting_semaphore<64>": "cuda::counting_semaphore<cuda::thread_scope_{scope}, 64>",
    "binary_semaphore": "cuda::binary_semaphore<cuda::thread_scope_{scope}>",
}


def latch_cases():
    for (operation, (step, result)), scope, memory in itertools.product(LATCH.items(), SCOPES, MEMORIES):
        declare = f"auto& object = *reinterpret_cast<cuda::latch<cuda::thread_scope_{scope}>*>(at);"
        library = Code(step, declare, result=result)
        yield Case("latches", f"{operation}, {memory}", scope, ("cuda/latch",), library, memory=memory, is_timed=False)


def semaphore_cases():
    for (kind, cpp), (operation, (step, result, is_timed)), scope, memory in itertools.product(SEMAPHORES.items(), SEMAPHORE.items(), SCOPES, MEMORIES):
        if kind == "binary_semaphore" and operation == "release(n)":
            continue
        declare = f"using semaphore = {cpp.format(scope=scope)}; auto& object = *reinterpret_cast<semaphore*>(at);"
        first = f"new (at) semaphore({1 if kind == 'binary_semaphore' else 4});"
        headers = ("cuda/semaphore", *(["cuda/std/chrono"] if "for" in operation else []))
        start: dict[str, Any] = {"prepare": first} if memory == "shared" else {"setup": first}
        library = Code(step, declare, result=result, **start)
        yield Case(
            "semaphores", f"{kind} {operation}, {memory}", scope, headers, library, memory=memory,
            is_timed=is_timed and scope == TIMED_SCOPES[memory], places=("same",), shapes=((1, 1), (32, 1), (256, 1), (1, 132), (32, 132)),
        )  # fmt: skip


def cases():
    yield from wait_cases()
    yield from flag_cases()
    yield from fence_cases()
    yield from barrier_cases()
    yield from latch_cases()
    yield from semaphore_cases()
