"""The cases of memcpy_async and of pipelines: who copies, what tracks the copy, the type of the pointers and of the size."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools

from cases import Case, Code

TYPES = {"char": ("char", 1), "int": ("int", 4), "int2": ("int2", 8), "int4": ("int4", 16)}
PROMISES = {"size_t": 1, "aligned<4>": 4, "aligned<8>": 8, "aligned<16>": 16}
CONSTANTS = (4, 16, 64, 1024, 4096, 65536)
SIZES = (4, 8, 16, 64, 100, 256, 1024, 4096, 16384, 65536)
OFFSETS = ((0, 0), (1, 1), (2, 2), (4, 4), (8, 8), (0, 1), (1, 0), (0, 2), (0, 4), (4, 0), (0, 8), (8, 0), (4, 8), (4, 12))
GROUP_SHAPES = ((32, 1), (256, 1), (1024, 1), (96, 132), (256, 132), (1000, 132))
THREAD_SHAPES = ((1, 1), (1, 132))
TILE = 65536 + 16

# The copies of a block by hand.
TO = '"r"(shared_address(to) + {at})'
FROM = '"l"(__cvta_generic_to_global(from) + {at})'
STEP = {16: "cg", 8: "ca", 4: "ca"}
BULK = (
    'if (threadIdx.x == 0) {{ asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(shared_address(&words)), "r"(static_cast<unsigned>({size})) : "memory");'
    ' asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(shared_address(to)),'
    ' "l"(__cvta_generic_to_global(from)), "r"(static_cast<unsigned>({size})), "r"(shared_address(&words)) : "memory"); }}'
)
LANES = {"group": ("threadIdx.x", "blockDim.x"), "thread": ("0", "1")}
HOLD = ' asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(shared_address(&words)) : "memory");'
MBARRIER = (
    ' unsigned long long token; asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(&words)) : "memory");'
    ' asm volatile("{ .reg .pred done; again: mbarrier.try_wait.shared.b64 done, [%0], %1; @done bra through; bra again; through: }" :: "r"(shared_address(&words)), "l"(token) : "memory");'
)


def by_cp_async(who, unit, size, zero_filled=False):
    first, step = LANES[who]
    size_of_source = ', "r"(at < valid ? static_cast<unsigned>(valid - at < {0} ? valid - at : {0}) : 0u)'.format(unit) if zero_filled else ""
    copy = f'asm volatile("cp.async.{STEP[unit]}.shared.global [%0], [%1], {unit}{", %2" if zero_filled else ""};" :: {TO.format(at="at")}, {FROM.format(at="at")}{size_of_source} : "memory");'
    return f"for (unsigned at = {first} * {unit}; at < {size}; at += {step} * {unit}) {copy}"


def hand_copy(who, alignment, size, memory="to shared"):
    """By the copy engine if everything is aligned to 16 bytes, by cp.async in units of 4 and 8, and none for bytes."""
    start = 'asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(shared_address(&words)), "r"(blockDim.x) : "memory");'
    common = {"declare": DECLARE[memory] + "__shared__ unsigned long long words;", "prepare": start, "least_arch": 90}
    if alignment == 16:
        step = BULK.format(size=size) if who == "group" else BULK.format(size=size).replace("if (threadIdx.x == 0) ", "")
        return Code(step, after=MBARRIER, **common)
    if alignment in (4, 8):
        joined = HOLD.replace(".noinc", "")
        return Code(by_cp_async(who, alignment, size) + joined, after=MBARRIER, **common)
    return None


DECLARE_FROM = " const bytes_t* const from = static_cast<const bytes_t*>(memory) + blockIdx.x * 65552ull + (second >> 8);"
DECLARE_TO = "extern __shared__ __align__(128) bytes_t tile[]; bytes_t* const to = tile;" + DECLARE_FROM
DECLARE_OFFSET = DECLARE_TO.replace("to = tile", "to = tile + (second & 255)")
DECLARE_UNKNOWN = "struct ends { bytes_t* to; const bytes_t* from; }; bytes_t* const to = static_cast<const ends*>(memory)->to; const bytes_t* const from = static_cast<const ends*>(memory)->from;"
DECLARE = {"to shared": DECLARE_TO, "to shared with an offset": DECLARE_OFFSET, "unknown": DECLARE_UNKNOWN}
BARRIER = "__shared__ __align__(8) bytes_t words[8]; auto& bar = *reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(words);"


def copy_code(who, tracker, cpp, size, memory):
    group = "block_group{}, " if who == "group" else ""
    pointers = f"reinterpret_cast<{cpp}*>(to), reinterpret_cast<const {cpp}*>(from)"
    ends = DECLARE[memory]
    if tracker == "barrier":
        return Code(
            f"cuda::memcpy_async({group}{pointers}, {size}, bar);", ends + BARRIER, prepare="init(&bar, blockDim.x);", after="bar.arrive_and_wait();"
        )
    step = f"pipe.producer_acquire(); cuda::memcpy_async({group}{pointers}, {size}, pipe); pipe.producer_commit();"
    return Code(step, ends + "auto pipe = cuda::make_pipeline();", after="pipe.consumer_wait(); pipe.consumer_release(); __syncthreads();")


def spelled(kind):
    return "static_cast<size_t>(value)" if kind == "size_t" else f"cuda::aligned_size_t<{PROMISES[kind]}>(value)"


def memcpy_cases():
    trackers = {"barrier": "cuda/barrier", "thread pipeline": "cuda/pipeline"}
    for who, (tracker, header), memory, (name, (cpp, natural)) in itertools.product(LANES, trackers.items(), DECLARE, TYPES.items()):
        common = {"group": "copies", "headers": (header,), "memory": "global", "places": ("same",), "is_timed": memory != "unknown", "rounds": 16}
        common["shapes"] = GROUP_SHAPES if who == "group" else THREAD_SHAPES
        where = f"{who}, {tracker}, {memory}, {name}*"
        ends = [each for each in OFFSETS if (each[0] == 0) == (memory == "to shared")]
        has_hand = tracker == "barrier" and memory != "unknown"
        for kind, promise in PROMISES.items():
            if 1 < promise < natural:  # libcu++ refuses it
                continue
            alignment = max(natural, promise)
            code = copy_code(who, tracker, cpp, spelled(kind), memory)
            hand = hand_copy(who, alignment, "value", memory) if has_hand and promise >= alignment else None
            limit = 4096 if who == "thread" else 65536
            fitting = [size for size in SIZES if size <= limit and size % alignment == 0]
            aligned = [each for each in ends if not any(end % alignment for end in each)]
            arguments = tuple((f"{size} B at {to}, {source}", size, to | source << 8) for size, (to, source) in itertools.product(fitting, aligned))
            yield Case(row=where, column=kind, library=code, hand=hand, arguments=arguments, **common)
        for size in CONSTANTS:
            if size < natural or (who == "thread" and size > 4096):
                continue
            for promise in sorted({1, 16} if size >= 16 else {1}):
                text = str(size) if promise == 1 else f"cuda::aligned_size_t<16>({size})"
                alignment = max(natural, promise)
                hand = hand_copy(who, alignment, str(size), memory) if has_hand and alignment >= 4 else None
                aligned = [each for each in ends if not any(end % alignment for end in each)]
                arguments = tuple((f"at {to}, {source}", 0, to | source << 8) for to, source in aligned)
                column = f"{size}" if promise == 1 else f"aligned<16>({size})"
                yield Case(row=where, column=column, library=copy_code(who, tracker, cpp, text, memory), hand=hand, arguments=arguments, **common)


def transaction_cases():
    for kind, size in (("run time", "value"), *((str(size), str(size)) for size in CONSTANTS[1:])):
        step = f"if (threadIdx.x == 0) {{ cuda::device::memcpy_async_tx(to, from, cuda::aligned_size_t<16>({size}), bar); cuda::device::barrier_expect_tx(bar, {size}); }}"
        library = Code(step, DECLARE_TO + BARRIER, prepare="init(&bar, blockDim.x);", after="bar.arrive_and_wait();")
        sizes = [each for each in SIZES if each % 16 == 0] if kind == "run time" else [0]
        arguments = tuple((f"{each} B", each, 0) for each in sizes)
        yield Case(
            "copies", "memcpy_async_tx", kind, ("cuda/barrier",), library, hand_copy("group", 16, size),
            places=("same",), shapes=GROUP_SHAPES, rounds=16, arguments=arguments, least_arch=90,
        )  # fmt: skip


def zero_filled_cases():
    """Only cudasync has them."""
    for who, unit in itertools.product(LANES, (4, 8, 16)):
        for size in ("value", "16", "4096"):
            valid = f"const unsigned valid = round & 1 ? {size} : {size} / 2 & ~3u; "
            group = "block_group{}, " if who == "group" else ""
            step = f"{valid} cuda::memcpy_async({group}to, from, cudasync::zero_filled_size<{unit}>({size}, valid), bar);"
            library = Code(step, DECLARE_TO + BARRIER, prepare="init(&bar, blockDim.x);", after="bar.arrive_and_wait();")
            base = hand_copy(who, 4, size)
            hand = Code(valid + by_cp_async(who, unit, size, True) + HOLD.replace(".noinc", ""), base.declare, base.prepare, after=MBARRIER, least_arch=90)
            arguments = tuple((f"{each} B", each, 0) for each in (SIZES if size == "value" else (0,)) if each % unit == 0 and (who == "group" or each <= 4096))
            yield Case(
                "copies", f"zero_filled_size, {who}, barrier", f"<{unit}> {'run time' if size == 'value' else size}", ("cuda/barrier",), library, hand,
                places=("same",), shapes=GROUP_SHAPES if who == "group" else THREAD_SHAPES, rounds=16, arguments=arguments, without=("toolkit", "newest"),
            )  # fmt: skip


# --- Pipelines: a ring of tiles ---

STAGES = (1, 2, 3, 4, 8)
THREAD_RING = """
constexpr unsigned stages = {stages}; __shared__ int4 ring[stages][{threads}]; const int4* const from = static_cast<const int4*>(memory) + threadIdx.x; unsigned fetched = 0; unsigned result = 0;
auto pipe = cuda::make_pipeline();
for (unsigned number = 0; number < value; ++number) {{
  for (; fetched < value && fetched < number + stages; ++fetched) {{
    pipe.producer_acquire(); cuda::memcpy_async(&ring[fetched % stages][threadIdx.x], from + fetched * blockDim.x, {size}, pipe); pipe.producer_commit();
  }}
  pipe.consumer_wait(); result += ring[number % stages][threadIdx.x].x; pipe.consumer_release();
}}
"""
THREAD_RING_BY_HAND = """
constexpr unsigned stages = {stages}; __shared__ int4 ring[stages][{threads}]; const int4* const from = static_cast<const int4*>(memory) + threadIdx.x; unsigned result = 0;
const auto fetch = [&](unsigned number) {{
  if (number < value) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(&ring[number % stages][threadIdx.x])), "l"(__cvta_generic_to_global(from + number * blockDim.x)) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
}};
for (unsigned number = 0; number < stages - 1; ++number) fetch(number);
for (unsigned number = 0; number < value; ++number) {{
  fetch(number + stages - 1); asm volatile("cp.async.wait_group %0;" :: "n"(stages - 1) : "memory"); result += ring[number % stages][threadIdx.x].x;
}}
"""
BLOCK_RING = """
constexpr unsigned stages = {stages}; extern __shared__ __align__(128) bytes_t tile[]; __shared__ __align__(16) bytes_t words[sizeof(cuda::pipeline_shared_state<cuda::thread_scope_block, stages>)];
auto& state = *reinterpret_cast<cuda::pipeline_shared_state<cuda::thread_scope_block, stages>*>(words);
const bytes_t* const from = static_cast<const bytes_t*>(memory); const unsigned size = second; const block_group block; unsigned result = 0;
"""
UNIFIED = """
auto pipe = cuda::make_pipeline(block, &state); unsigned fetched = 0;
for (unsigned number = 0; number < value; ++number) {{
  for (; fetched < value && fetched < number + stages; ++fetched) {{
    pipe.producer_acquire(); cuda::memcpy_async(block, reinterpret_cast<int4*>(tile + fetched % stages * size), reinterpret_cast<const int4*>(from + fetched * size), {kind}, pipe); pipe.producer_commit();
  }}
  pipe.consumer_wait(); result += tile[number % stages * size + threadIdx.x]; pipe.consumer_release();
}}
"""
PARTITIONED = """
const bool is_producer = threadIdx.x < 32; auto pipe = cuda::make_pipeline(block, &state, is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
if (is_producer) {{
  for (unsigned number = 0; number < value; ++number) {{
    pipe.producer_acquire(); cuda::memcpy_async(warp_group{{}}, reinterpret_cast<int4*>(tile + number % stages * size), reinterpret_cast<const int4*>(from + number * size), {kind}, pipe); pipe.producer_commit();
  }}
}} else {{
  for (unsigned number = 0; number < value; ++number) {{ pipe.consumer_wait(); result += tile[number % stages * size + threadIdx.x]; pipe.consumer_release(); }}
}}
"""


def pipeline_cases():
    for stages, (kind, size) in itertools.product(STAGES, {"size_t": "sizeof(int4)", "aligned<16>": "cuda::aligned_size_t<16>(sizeof(int4))"}.items()):
        words = {"stages": stages, "threads": 256, "size": size}
        library = Code(THREAD_RING.format(**words), result="unsigned")
        hand = Code(THREAD_RING_BY_HAND.format(**words), result="unsigned", least_arch=80)
        shapes = tuple(itertools.product((32, 96, 256), (1, 132, 528)))
        yield Case(
            "pipelines", "thread pipeline, a ring", f"{stages} stages, {kind}", ("cuda/pipeline",), library, hand,
            places=("same",), shapes=shapes, rounds=1, arguments=(("64 elements", 64, 0),),
        )  # fmt: skip
    for (name, body), stages, (kind, size) in itertools.product(
        {"unified": UNIFIED, "partitioned": PARTITIONED}.items(), STAGES, {"size_t": "size", "aligned<16>": "cuda::aligned_size_t<16>(size)"}.items()
    ):
        library = Code((BLOCK_RING + body).format(stages=stages, kind=size), result="unsigned")
        arguments = tuple((f"64 tiles of {each} B", 64, each) for each in (1024, 4096, 16384) if stages * each <= TILE)
        yield Case(
            "pipelines", f"{name} pipeline, a ring", f"{stages} stages, {kind}", ("cuda/pipeline",), library,
            places=("same",), shapes=tuple(itertools.product((64, 96, 256, 1024), (1, 132))), rounds=1, arguments=arguments,
        )  # fmt: skip


def cases():
    yield from memcpy_cases()
    yield from transaction_cases()
    yield from zero_filled_cases()
    yield from pipeline_cases()
