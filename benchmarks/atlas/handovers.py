"""The cases of threads that wait for others which work first: late warps, rings, replies, queues, latches. They are only timed."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
from typing import Any

from cases import Case, Code
from synchronizers import NOW, SEMAPHORES, TIMED_SCOPES

GROUP = "hand-overs"
WORK = tuple((f"{first} and {second} cycles", first, second) for first, second in ((0, 0), (300, 0), (0, 300), (3000, 0), (20000, 0)))
LATE = tuple((f"{cycles} cycles", cycles, 0) for cycles in (0, 300, 3000, 20000, 200000))
MOST_ROUNDS = 256


def case(row, column, header, library, hand=None, peer=None, memory="shared", shapes=((64, 1),), arguments=WORK, group=GROUP, **more):
    chrono = ["cuda/std/chrono"] if peer else []
    common: dict[str, Any] = {"memory": memory, "object_bytes": 128, "places": ("same",), "shapes": shapes, "arguments": arguments, "is_counted": False}
    return Case(group, row, column, (header, *chrono), library, hand, peer, **common | more)


# --- Barriers ---

BY_HAND: dict[str, Any] = {"prepare": "hand::init(at, blockDim.x);", "least_arch": 90}
LATE_SHAPES = {"shared": tuple(itertools.product((64, 256, 1024), (1, 132))), "global": ((64, 1), (256, 132), (1024, 132), (256, 528))}


def late_cases():
    """A warp works before it arrives, or all threads between their arrivals and their waits."""
    forms = {
        "a late warp": ("if (threadIdx.x / 32 + blockIdx.x == 0) work(value);", "bar.arrive_and_wait();", "hand::wait(at, hand::arrive(at));"),
        "work after the arrival": (
            "",
            "auto token = bar.arrive(); work(value); bar.wait(static_cast<decltype(token)&&>(token));",
            "const token_t token = hand::arrive(at); work(value); hand::wait(at, token);",
        ),
    }
    for (form, (late, step, hand)), (memory, shapes) in itertools.product(forms.items(), LATE_SHAPES.items()):
        declare = f"auto& bar = *reinterpret_cast<cuda::barrier<cuda::thread_scope_{TIMED_SCOPES[memory]}>*>(at);"
        start: dict[str, Any] = {"prepare": "init(&bar, blockDim.x);"} if memory == "shared" else {"setup": "init(&bar, expected);"}
        of_block = late.replace(" + blockIdx.x", "") if memory == "shared" else late
        by_hand = Code(f"{of_block} {hand}", **BY_HAND) if memory == "shared" else None
        yield case(f"barrier, {memory}", form, "cuda/barrier", Code(f"{of_block} {step}", declare, **start), by_hand, None, memory, shapes, LATE)


RING = """const unsigned stage = round % 4, parity = round / 4 % 2;
  if (threadIdx.x < 32) {{ {empty} work(value); {fill} }} else {{ {full} work(second); {release} }}"""
RING_SHAPES = ((64, 1), (96, 132), (256, 132), (1024, 132))


def ring_cases():
    """A warp fills the stages of a ring, and the others read them: two barriers a stage."""
    waits = {
        "wait_parity": ("{}[stage].wait_parity({});", None, "hand::wait_parity({} + 8 * stage, {});"),
        "polling": (
            "while (!{}[stage].try_wait_parity({})) work(100);",
            f"while (!{{}}[stage].try_wait_parity_for({{}}, {NOW})) work(100);",
            "while (!hand::test_parity({} + 8 * stage, {})) work(100);",
        ),
    }
    arrivals = {"all lanes": "{};", "a lane of a warp": "__syncwarp(); if (threadIdx.x % 32 == 0) {};"}
    for (wait, texts), (who, arrive) in itertools.product(waits.items(), arrivals.items()):
        counts = ("32", "blockDim.x - 32") if who == "all lanes" else ("1", "blockDim.x / 32 - 1")

        def steps(text, call, arrive=arrive):
            ends = [text.format("empty", "parity == 0"), text.format("full", "parity != 0")]
            return RING.format(empty=ends[0], full=ends[1], fill=arrive.format(call.format("full")), release=arrive.format(call.format("empty")))

        def ready(init, counts=counts):
            return "for (unsigned each = 0; each < 4; ++each) {{ {} {} }}".format(*(init.format(*end) for end in zip(("full", "empty"), counts)))

        declare = "auto* const full = reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(at); auto* const empty = full + 4;"
        call = "(void){}[stage].arrive()"
        library = Code(steps(texts[0], call), declare, ready("init({} + each, {});"))
        peer = Code(steps(texts[1], call), declare, ready("init({} + each, {});")) if texts[1] else None
        by_hand = "auto* const full = at; auto* const empty = at + 32;"
        hand = Code(steps(texts[2], "hand::arrive_only({} + 8 * stage)"), by_hand, ready("hand::init({} + 8 * each, {});"), least_arch=90)
        yield case(f"full and empty barriers, {wait}", who, "cuda/barrier", library, hand, peer, shapes=RING_SHAPES)


# --- Two sides: two warps, which share memory, or two blocks ---

SIDES = {
    "shared": ("const bool is_first = threadIdx.x < 32;", "threadIdx.x % 32", "__syncwarp();", "at"),
    "global": ("const bool is_first = blockIdx.x % 2 == 0;", "threadIdx.x", "__syncthreads();", "(static_cast<bytes_t*>(at) + blockIdx.x / 2 * 128)"),
}
SIDES["unknown"] = SIDES["global"]
PAIR_SHAPES = {"shared": ((64, 1), (64, 132), (64, 528)), "global": ((32, 2), (256, 2), (32, 132), (256, 132), (1024, 132)), "unknown": ((32, 132), (256, 132))}


def started(memory, first):
    """The objects of each pair, of which there are at most 264."""
    if memory == "shared":
        return {"prepare": first.format("at")}
    return {"setup": f"for (unsigned pair = 0; pair < 264; ++pair) {{ {first.format('(static_cast<bytes_t*>(at) + pair * 128)')} }}"}


def reply_cases():
    """Each side waits for a value that the other one stores."""
    library = "object.store({0}, cuda::memory_order_release); object.notify_all();", "object.wait({0}, cuda::memory_order_acquire);"
    for (name, bits, register), memory, who in itertools.product(
        (("unsigned", 32, "r"), ("unsigned long long", 64, "l"), ("unsigned char", 8, "")), SIDES, ("one thread waits", "all threads wait")
    ):
        side, lane, sync, place = SIDES[memory]
        scope = TIMED_SCOPES[memory]
        address = f'"r"(shared_address({place}))' if memory == "shared" else f'"l"({place})'
        where = f"{'cta.shared' if memory == 'shared' else 'gpu'}.u{bits}"
        spin = (
            f'asm volatile("st.release.{where} [%0], %1;" :: {address}, "{register}"(static_cast<{name}>({{0}})) : "memory");',
            f'{name} now; do {{{{ asm volatile("ld.acquire.{where} %0, [%1];" : "={register}"(now) : {address} : "memory"); }}}} while (now == {{0}});',
        )

        def step(store, wait, who=who, lane=lane, sync=sync, name=name):
            odd, even, next_even = (f"static_cast<{name}>(2 * round + {number})" for number in (1, 0, 2))
            is_alone = who == "one thread waits"
            if not is_alone:
                store = f"{sync} if ({lane} == 0) {{{{ {store} }}}}"
            first = f"work(value); {store.format(odd)} {wait.format(odd)}"
            second = f"{wait.format(even)} work(second); {store.format(next_even)}"
            both = f"if (is_first) {{ {first} }} else {{ {second} }}"
            return f"if ({lane} == 0) {{ {both} }} {sync}" if is_alone else both

        declare = f"{side} cuda::atomic_ref<{name}, cuda::thread_scope_{scope}> object(*reinterpret_cast<{name}*>({place}));"
        start = started(memory, f"*reinterpret_cast<{name}*>({{}}) = 0;")
        by_hand = Code(step(*spin), side, **start) if bits > 8 else None
        shapes = PAIR_SHAPES[memory]
        yield case(f"wait for a reply, {name}, {memory}", who, "cuda/atomic", Code(step(*library), declare, **start), by_hand, None, memory, shapes)


def semaphore_cases():
    """Two semaphores: a reply, or a queue with room for four. One thread of each side, or all of them."""
    steps = {
        "reply": (0, "work(value); {0}.release(); {1}.acquire();", "{0}.acquire(); work(second); {1}.release();"),
        "queue of 4": (4, "{1}.acquire(); work(value); {0}.release();", "{0}.acquire(); work(second); {1}.release();"),
    }
    for (kind, cpp), (form, (room, first, second)), memory, who in itertools.product(SEMAPHORES.items(), steps.items(), SIDES, ("one thread", "a warp")):
        if kind == "binary_semaphore" and (room or who == "a warp"):
            continue
        side, lane, sync, place = SIDES[memory]
        declare = f"{side} using semaphore = {cpp.format(scope=TIMED_SCOPES[memory])}; auto* const both = reinterpret_cast<semaphore*>({place});"
        texts = [each.format("both[0]", "both[1]") for each in (first, second)]
        alone = f"{lane} < {1 if who == 'one thread' else 32}"
        step = f"if ({alone}) {{ if (is_first) {{ {texts[0]} }} else {{ {texts[1]} }} }} {sync}"
        start = started(memory, f"new ({{0}}) semaphore(0); new ({{0}} + sizeof(semaphore)) semaphore({room});")
        shapes = PAIR_SHAPES[memory] if who == "one thread" else tuple(shape for shape in PAIR_SHAPES[memory] if shape[0] <= 64)
        yield case(f"{kind}, {form}, {memory}", who, "cuda/semaphore", Code(step, declare, **start), None, None, memory, shapes)


def latch_cases():
    """A latch for each round. The block meets at its end, or the grid at the next latch."""
    for (form, step), memory in itertools.product(
        {"arrive_and_wait": "{0}.arrive_and_wait();", "count_down, wait": "{0}.count_down(); work(second); {0}.wait();"}.items(), TIMED_SCOPES
    ):
        latch = f"using latch = cuda::latch<cuda::thread_scope_{TIMED_SCOPES[memory]}>;"
        if memory == "shared":
            begin = {"same": "if (threadIdx.x == 0) new (at) latch(blockDim.x); __syncthreads();"}
            code = Code(f"if (threadIdx.x / 32 == 0) work(value); {step.format('reinterpret_cast<latch*>(at)[0]')}", latch, after="__syncthreads();")
        else:
            begin = {}
            setup = f"for (unsigned each = 0; each < {MOST_ROUNDS}; ++each) new (static_cast<bytes_t*>(at) + each * 128) latch(expected);"
            late = "if (threadIdx.x / 32 + blockIdx.x == 0) work(value);"
            code = Code(f"{late} {step.format('(*reinterpret_cast<latch*>(static_cast<bytes_t*>(at) + round * 128))')}", latch, setup=setup)
        shapes = LATE_SHAPES["shared" if memory == "shared" else "global"]
        yield case(f"latch, {memory}", form, "cuda/latch", code, None, None, memory, shapes, WORK, begin_round=begin)


def cases():
    yield from late_cases()
    yield from ring_cases()
    yield from reply_cases()
    yield from semaphore_cases()
    yield from latch_cases()
