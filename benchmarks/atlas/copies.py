"""The cases of memcpy_async and of pipelines: who copies, what tracks the copy, the type of the pointers and of the size."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
from typing import Any

from cases import Case, Code

TYPES = {"char": ("char", 1), "int": ("int", 4), "int2": ("int2", 8), "int4": ("int4", 16)}
PROMISES = {"size_t": 1, "aligned<4>": 4, "aligned<8>": 8, "aligned<16>": 16}
CONSTANTS = (4, 16, 64, 1024, 4096, 65536)
SIZES = (4, 8, 16, 64, 100, 256, 1024, 4096, 16384, 65536)
OFFSETS = ((0, 0), (1, 1), (2, 2), (4, 4), (8, 8), (0, 1), (1, 0), (0, 2), (0, 4), (4, 0), (0, 8), (8, 0), (4, 8), (4, 12))
GROUP_SHAPES = ((32, 1), (256, 1), (1024, 1), (96, 132), (256, 132), (1000, 132))
THREAD_SHAPES = ((1, 1), (1, 132))
TILE = 65536 + 16

RANKS = {"group": "threadIdx.x, blockDim.x", "thread": "0, 1"}

FROM = " const bytes_t* from = static_cast<const bytes_t*>(memory) + blockIdx.x * 65552ull + (second >> 8); "
TILE_AT = "extern __shared__ __align__(128) bytes_t tile[]; bytes_t* to = tile{};" + FROM
ENDS = {
    "to shared": TILE_AT.format(""),
    "to shared with an offset": TILE_AT.format(" + (second & 255)"),
    "unknown": "bytes_t* const to = static_cast<const ends*>(memory)->to; const bytes_t* const from = static_cast<const ends*>(memory)->from; ",
}
# At the place "fresh", each round copies other bytes, of 33 MB by 132 blocks: they come from the L2 cache. So do those
# at the place "own", where each thread alone copies bytes of its own. At the place "same", the L1 cache has them.
FRESH = "from = static_cast<const bytes_t*>(memory) + blockIdx.x * 262144ull + (second >> 8) + (round * {} & 262143)"
OWN = "to = tile + (second & 255) + threadIdx.x * {0}; " + FRESH.format("blockDim.x * {0}") + " + threadIdx.x * {0};"
OWN_SHAPES = ((32, 1), (256, 132))
OWN_LIMIT = 256
WORDS = "__shared__ __align__(8) bytes_t words[8]; "
BARRIER = WORDS + "auto& bar = *reinterpret_cast<cuda::barrier<cuda::thread_scope_block>*>(words);"
FENCE = ' asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");'  # between the init of a barrier and copies that complete on it
BY_HAND: dict[str, Any] = {"prepare": "hand::init(words, blockDim.x);" + FENCE, "after": "hand::wait(words, hand::arrive(words));", "least_arch": 90}


def hand_copy(who, alignment, size, memory="to shared"):
    """By the copy engine if everything is aligned to 16 bytes, by cp.async in units of 4 and 8, and none for bytes."""
    if alignment == 16:
        step = f"{'if (threadIdx.x == 0) ' if who == 'group' else ''}hand::copy_in_bulk(to, from, {size}, words);"
    elif alignment in (4, 8):
        step = f"hand::copy<{alignment}>(to, from, {size}, {RANKS[who]}); hand::arrive_after_copies(words);"
    else:
        return None
    return Code(step, ENDS[memory] + WORDS, **BY_HAND)


def copy_code(who, tracker, cpp, size, memory):
    group = "block_group{}, " if who == "group" else ""
    pointers = f"reinterpret_cast<{cpp}*>(to), reinterpret_cast<const {cpp}*>(from)"
    ends = ENDS[memory]
    if tracker == "barrier":
        return Code(f"cuda::memcpy_async({group}{pointers}, {size}, bar);", ends + BARRIER, prepare="init(&bar, blockDim.x);", after="bar.arrive_and_wait();")
    step = f"pipe.producer_acquire(); cuda::memcpy_async({group}{pointers}, {size}, pipe); pipe.producer_commit();"
    return Code(step, ends + "auto pipe = cuda::make_pipeline();", after="pipe.consumer_wait(); pipe.consumer_release(); __syncthreads();")


def spelled(kind):
    return "static_cast<size_t>(value)" if kind == "size_t" else f"cuda::aligned_size_t<{PROMISES[kind]}>(value)"


def source_of(who, size):
    """Where the bytes of these sizes come from, as arguments of a Case."""
    step = f"({size} > 512 ? {size} : 512)"
    texts = {"fresh": FRESH.format(step) + ";"}
    if who == "group" or (size.isdecimal() and int(size) > OWN_LIMIT):
        return {"places": ("same", "fresh"), "begin_round": texts}
    texts["own"] = OWN.format(size)
    return {"places": ("same", "fresh", "own"), "begin_round": texts, "own_shapes": OWN_SHAPES, "own_limit": OWN_LIMIT}


def memcpy_cases():
    trackers = {"barrier": "cuda/barrier", "thread pipeline": "cuda/pipeline"}
    for who, (tracker, header), memory, (name, (cpp, natural)) in itertools.product(RANKS, trackers.items(), ENDS, TYPES.items()):
        common: dict[str, Any] = {"group": "copies", "headers": (header,), "is_timed": memory != "unknown", "rounds": 16}
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
            yield Case(row=where, column=kind, library=code, hand=hand, arguments=arguments, **source_of(who, "value"), **common)
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
                code = copy_code(who, tracker, cpp, text, memory)
                yield Case(row=where, column=column, library=code, hand=hand, arguments=arguments, **source_of(who, str(size)), **common)


def transaction_cases():
    for kind, size in (("run time", "value"), *((str(size), str(size)) for size in CONSTANTS[1:])):
        copy = f"cuda::device::memcpy_async_tx(to, from, cuda::aligned_size_t<16>({size}), bar);"
        step = f"if (threadIdx.x == 0) {{ {copy} cuda::device::barrier_expect_tx(bar, {size}); }}"
        library = Code(step, ENDS["to shared"] + BARRIER, prepare="init(&bar, blockDim.x);" + FENCE, after="bar.arrive_and_wait();")
        sizes = [each for each in SIZES if each % 16 == 0] if kind == "run time" else [0]
        arguments = tuple((f"{each} B", each, 0) for each in sizes)
        yield Case(
            "copies", "memcpy_async_tx", kind, ("cuda/barrier",), library, hand_copy("group", 16, size),
            shapes=GROUP_SHAPES, rounds=16, arguments=arguments, least_arch=90, **source_of("group", size),
        )  # fmt: skip


def zero_filled_cases():
    """Only cudasync has them."""
    for who, unit in itertools.product(RANKS, (4, 8, 16)):
        for size in ("value", "16", "4096"):
            valid = f"const unsigned valid = round & 1 ? {size} : {size} / 2 & ~3u; "
            group = "block_group{}, " if who == "group" else ""
            step = f"{valid} cuda::memcpy_async({group}to, from, cudasync::zero_filled_size<{unit}>({size}, valid), bar);"
            library = Code(step, ENDS["to shared"] + BARRIER, prepare="init(&bar, blockDim.x);", after="bar.arrive_and_wait();")
            step = f"{valid} hand::copy_zero_filled<{unit}>(to, from, {size}, valid, {RANKS[who]}); hand::arrive_after_copies(words);"
            hand = Code(step, ENDS["to shared"] + WORDS, **BY_HAND)
            arguments = tuple((f"{each} B", each, 0) for each in (SIZES if size == "value" else (0,)) if each % unit == 0 and (who == "group" or each <= 4096))
            yield Case(
                "copies", f"zero_filled_size, {who}, barrier", f"<{unit}> {'run time' if size == 'value' else size}", ("cuda/barrier",), library, hand,
                shapes=GROUP_SHAPES if who == "group" else THREAD_SHAPES, rounds=16, arguments=arguments, without=("toolkit", "newest"),
                **source_of(who, size),
            )  # fmt: skip


# --- By parts of a block, of other types, and in other directions: only timed ---

OTHER_TYPES = {"float3": "float3", "double3": "double3", "long2": "longlong2", **{name: cpp for name, (cpp, _) in TYPES.items()}}
PARTS = {
    "group": ("block_group{}, ", "0", 1),
    "warp": ("warp_group{}, ", "threadIdx.x / 32", 32),
    "tile of 8": ("tile_group{}, ", "threadIdx.x / 8", 128),
    "thread": ("", "0", 1),
}
OURS = "static_cast<bytes_t*>(memory) + blockIdx.x * 393216ull + (round * step & 131071)"  # other bytes in each round
DIRECTIONS = {
    "to shared": f"to = tile; from = {OURS};",
    "to global": f"from = tile; to = {OURS};",
    "in global memory": f"from = {OURS}; to = {OURS} + 196608;",
    "in shared memory": "from = tile; to = tile + 32768;",
}
OTHER_SIZES = (48, 240, 960, 7680, 30720)
SIZES_WITH_TAILS = (132, 404, 1000, 3000, 12004)  # not whole units of 16 bytes, so that every other source is not aligned to 16
OTHER_SHAPES = ((32, 1), (256, 1), (96, 132), (256, 132), (1024, 132))


def other_copy_cases():
    forms = [(who, "to shared", name) for who in ("warp", "tile of 8") for name in ("char", "int", "float3", "int4")]
    forms += [("group", direction, name) for direction in DIRECTIONS if direction != "to shared" for name in ("char", "int", "int4")]
    forms += [(who, "to shared", name) for who in ("group", "thread") for name in ("float3", "double3", "long2")]
    kinds = [(form, each, f"other {each}", OTHER_SIZES) for form, each in itertools.product(forms, ("size_t", "240"))]
    forms = [(who, "to shared", name) for who in PARTS for name in ("char", "int")]
    kinds += [(form, each, f"tail {each}", SIZES_WITH_TAILS) for form, each in itertools.product(forms, ("size_t", "1000"))]
    for (who, direction, name), kind, column, all_sizes in kinds:
        cpp = OTHER_TYPES[name]
        group, part, most_parts = PARTS[who]
        size = "static_cast<size_t>(value)" if kind == "size_t" else kind
        ends = f"extern __shared__ __align__(128) bytes_t tile[]; bytes_t* to; const bytes_t* from; const unsigned part = {part}; "
        pointers = f"reinterpret_cast<{cpp}*>(to + part * {size}), reinterpret_cast<const {cpp}*>(from + part * {size})"
        alone = "if (threadIdx.x == 0) " if who == "thread" else ""
        step = f"const unsigned all = {size} * {most_parts}, step = all > 512 ? all : 512; {DIRECTIONS[direction]}"
        step += f" {alone}cuda::memcpy_async({group}{pointers}, {size}, bar);"
        fill = "for (unsigned each = threadIdx.x; each < 8192; each += blockDim.x) reinterpret_cast<unsigned*>(tile)[each] = each;"
        begin = fill if "from = tile" in DIRECTIONS[direction] else ""
        library = Code(step, ends + BARRIER, prepare="init(&bar, blockDim.x);", begin=begin, after="bar.arrive_and_wait();")
        arguments = tuple((f"{each} B", each, 0) for each in (all_sizes if kind == "size_t" else (int(kind),)) if each * most_parts <= 32768)
        if not arguments:  # too long for so many parts
            continue
        yield Case(
            "copies", f"{who}, barrier, {direction}, {name}*", column, ("cuda/barrier",), library, shapes=OTHER_SHAPES,
            rounds=16, arguments=arguments, places=("fresh",), is_counted=False,
        )  # fmt: skip


# --- Pipelines: a ring of tiles ---

STAGES = (1, 2, 3, 4, 8)
SPELLINGS = {"size_t": "static_cast<size_t>({})", "aligned<16>": "cuda::aligned_size_t<16>({})"}


RINGS: dict[str, Any] = {"group": "pipelines", "headers": ("cuda/pipeline",), "places": ("same",), "rounds": 1}


def thread_ring(value, stages, size, has_hand=True, **more):
    """A ring of elements for each thread."""
    declare = f"__shared__ {value} ring[{stages}][256]; const {value}* const from = static_cast<const {value}*>(memory) + threadIdx.x;"
    library = Code(f"const unsigned result = rings::thread_ring<{stages}>(ring, from, value, {size});", declare, result="unsigned")
    by_hand = Code(f"const unsigned result = hand::ring<{stages}>(ring, from, value);", declare, result="unsigned", least_arch=80)
    return Case(library=library, hand=by_hand if has_hand else None, arguments=(("64 elements", 64, 0),), **RINGS, **more)


def block_ring(ring, stages, size, tiles, distance=0, **more):
    """A ring of tiles for a block. distance: of the source from 16 bytes."""
    state = f"using state_t = cuda::pipeline_shared_state<cuda::thread_scope_block, {stages}>; __shared__ __align__(16) bytes_t words[sizeof(state_t)];"
    ends = f" extern __shared__ __align__(128) bytes_t tile[]; const bytes_t* const from = static_cast<const bytes_t*>(memory) + {distance};"
    step = f"const unsigned result = rings::{ring}(reinterpret_cast<state_t*>(words), tile, from, value, {size});"
    library = Code(step, state + ends, result="unsigned", after="__syncthreads();")  # the next round makes the pipeline anew
    arguments = tuple((f"64 tiles of {bytes} B", 64, bytes) for bytes in tiles if stages * bytes <= TILE)
    return Case(library=library, arguments=arguments, **RINGS, **more)


def rings():
    for stages, (kind, size) in itertools.product(STAGES, SPELLINGS.items()):
        yield thread_ring(
            "int4", stages, size.format("sizeof(int4)"), row="thread pipeline, a ring", column=f"{stages} stages, {kind}",
            shapes=tuple(itertools.product((32, 96, 256), (1, 132, 528))),
        )  # fmt: skip
    for name, stages, (kind, size) in itertools.product(("unified", "partitioned"), STAGES, SPELLINGS.items()):
        yield block_ring(
            f"{name}<{stages}>", stages, size.format("second"), (1024, 4096, 16384), row=f"{name} pipeline, a ring",
            column=f"{stages} stages, {kind}", shapes=tuple(itertools.product((64, 96, 256, 1024), (1, 132))),
        )  # fmt: skip


VALUES = ("int", "int2", "float3", "double3")  # the structs have 12 and 24 bytes
HOW = {"group": "together", "each thread": "each_by_its_thread", "each thread, aligned": "each_aligned_by_its_thread"}
# (who copies, the type of a value, the distance of the source from 16 bytes)
FORMS = (
    *(("group", *form) for form in (("char", 0), ("char", 1), ("int", 0), ("int", 4), ("float3", 0), ("int2", 8))),
    *(("each thread", *form) for form in (("int", 4), ("int2", 8), ("int4", 0), ("float3", 0))),
    *(("each thread, aligned", *form) for form in (("int", 4), ("int4", 0))),
)


def rings_of_other_types():
    """As most programs have them: of values, at any place that their type allows."""
    for stages, name in itertools.product((2, 4), VALUES):
        yield thread_ring(
            name, stages, f"sizeof({name})", name in ("int", "int2"), row=f"thread pipeline, a ring of {name}", column=f"{stages} stages",
            shapes=tuple(itertools.product((32, 256), (1, 132, 528))), is_counted=False,
        )  # fmt: skip
    for name, stages, (who, value, distance) in itertools.product(("unified", "partitioned"), (2, 4), FORMS):
        tails = SIZES_WITH_TAILS[1:4] if who == "group" and distance == 0 and value in ("char", "int") else ()
        yield block_ring(
            f"{name}<{stages}, rings::{HOW[who]}, {OTHER_TYPES[value]}>", stages, "static_cast<size_t>(second)", (1536, 6144, *tails), distance,
            row=f"{name} pipeline, a ring of {value} at {distance}", column=f"{stages} stages, {who}",
            shapes=tuple(itertools.product((64, 256, 1024), (1, 132))), is_counted=False,
        )  # fmt: skip


def cases():
    yield from memcpy_cases()
    yield from transaction_cases()
    yield from zero_filled_cases()
    yield from other_copy_cases()
    yield from rings()
    yield from rings_of_other_types()
