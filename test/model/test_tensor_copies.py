"""Copies by tensor maps in the machine's form: swizzles, steps, stores, reductions and columns of pixels."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import struct

import pytest
from test_matrices import module_of

from cudasync_tools import model, nvrtc

ELEMENTS = {"u8": (0, 1), "u32": (2, 4), "u64": (4, 8), "f16": (6, 2), "f32": (7, 4)}  # as tensormap.replace numbers them
TENSOR_WORDS = 4096


def map_of(kind, extents, box, steps=(), swizzle=0, fill=0, is_im2col=0):
    """The words of a map, the innermost dimension first, for a dense tensor whose address is put in when the kernel runs."""
    number, size = ELEMENTS[kind]
    rank = len(extents)
    strides, step = [], size
    for extent in extents[:-1]:
        step *= extent
        strides.append(step)
    def padded(values, count, other):
        return [*values, *[other] * (count - len(values))]
    return struct.unpack("<32I", struct.pack(
        "<Q4Q5I5I5I7I", 0, *padded(strides, 4, 0), *padded(extents, 5, 0), *padded(box, 5, 0), *padded(steps or [1] * rank, 5, 0),
        rank - 1, size, 0, swizzle, fill, number, is_im2col))


def array(name, words):
    return {name: (32, len(words), "{" + ", ".join(map(str, words)) + "}")}


def run(words, tensor, body, count, shared, reported=""):
    """The body has the map in %d0, the tensor in %d1, the tile in %t0 and a barrier in %t1; a word of the result is at %out."""
    variables = array("descriptor", [*words, *[0] * 32]) | array("tensor", tensor)
    start = ["mov.u64 %d0, descriptor;", "add.u64 %d0, %d0, 127;", "and.b64 %d0, %d0, -128;", "mov.u64 %d1, tensor;"]
    # The map is moved to the next multiple of 128 bytes, which it may be at.
    start += [".reg .b32 %w<33>;", "mov.u64 %d2, descriptor;"]
    start += [f"ld.global.b32 %w{index}, [%d2 + {4 * index}];" for index in range(32)]
    start += [f"st.global.b32 [%d0 + {4 * index}], %w{index};" for index in range(32)]
    start += ["st.global.b64 [%d0], %d1;", "fence.proxy.tensormap::generic.release.gpu;"]
    start += ["fence.proxy.tensormap::generic.acquire.gpu [%d0], 128;"]
    start += ["mov.u32 %t0, tile;", f"add.u32 %t1, %t0, {shared};"]
    module = module_of("sm_90a", variables, [*start, *body], shared + 64)
    end, _, said, memory = module.run(model.Kernel("kernel"), 1, reads=4 * count)
    assert (end == "races" and reported in said) if reported else end == "finished", said
    return [memory >> 32 * index & 0xFFFFFFFF for index in range(count)]


def wait(size):
    return ["mbarrier.init.shared.b64 [%t1], 1;", "fence.mbarrier_init.release.cluster;",
            f"mbarrier.arrive.expect_tx.shared.b64 %d3, [%t1], {size};"], [
        "again:", "mbarrier.try_wait.parity.shared.b64 %go, [%t1], 0;", "@!%go bra again;"]


def read_tile(count):
    return ["mov.u32 %t2, 0;", "loop:", "add.u32 %t3, %t0, %t2;", "ld.shared.b32 %t4, [%t3];", "st.global.b32 [%out], %t4;",
            "add.u64 %out, %out, 4;", "add.u32 %t2, %t2, 4;", f"setp.lt.u32 %go, %t2, {4 * count};", "@%go bra loop;"]


def write_tile(count):
    """Word i of the tile becomes i + 1."""
    return ["mov.u32 %t2, 0;", "fill:", "add.u32 %t3, %t0, %t2;", "shr.u32 %t4, %t2, 2;", "add.u32 %t4, %t4, 1;",
            "st.shared.b32 [%t3], %t4;", "add.u32 %t2, %t2, 4;", f"setp.lt.u32 %go, %t2, {4 * count};", "@%go bra fill;",
            "fence.proxy.async;"]


def swizzled(index, width):
    """Where a word of a tile is with a swizzle: the pieces of 16 bytes of a row, exclusive or the row's number."""
    if width == 0:
        return index
    row, inside = divmod(4 * index, width)
    turn = (row * width // 128) % (width // 16)
    return (row * width + (inside // 16 ^ turn) * 16 + inside % 16) // 4


@pytest.mark.parametrize("mode", range(4))
@pytest.mark.parametrize("corner", [(0, 0), (-4, 3), (24, 60), (40, 70)])
def test_load(mode, corner):
    width = (0, 32, 64, 128)[mode]
    box = (width // 4 or 8, 16)
    extents = (36, 64)
    count = box[0] * box[1]
    tensor = list(range(1, extents[0] * extents[1] + 1))
    before, after = wait(4 * count)
    body = [*before, "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%t0], "
            f"[%d0, {{{corner[0]}, {corner[1]}}}], [%t1];", *after, *read_tile(count)]
    found = run(map_of("u32", extents, box, swizzle=mode), tensor, body, count, 4096)
    expected = [0] * count
    for row, column in itertools.product(range(box[1]), range(box[0])):
        x, y = corner[0] + column, corner[1] + row
        if 0 <= x < extents[0] and 0 <= y < extents[1]:
            expected[swizzled(row * box[0] + column, width)] = tensor[y * extents[0] + x]
    assert found == expected


def test_steps_and_fill():
    """With a step of 2 in the second dimension, every other row; outside the tensor, numbers that are NaN."""
    extents, box = (8, 12), (8, 9)
    tensor = list(range(1, 97))
    rows = (box[1] + 1) // 2
    before, after = wait(32 * rows)
    body = [*before, "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%t0], "
            "[%d0, {0, 5}], [%t1];", *after, *read_tile(8 * rows)]
    found = run(map_of("f32", extents, box, steps=(1, 2), fill=1), tensor, body, 8 * rows, 1024)
    assert found == [word for y in range(5, 14, 2)
                     for word in (tensor[8 * y:8 * y + 8] if y < 12 else [0x7FFFFFFF] * 8)]


LOAD_BOX = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%t0], [%d0, {0}], [%t1];"
STORE_BOX = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d0, {0}], [%t0];\ncp.async.bulk.commit_group;"


@pytest.mark.parametrize(("body", "end", "does"), [
    ([*wait(64)[0], LOAD_BOX], wait(64)[1], "write"),
    ([*write_tile(16), STORE_BOX], ["cp.async.bulk.wait_group.read 0;"], "read"),
])
def test_block_that_ends_before_its_box(body, end, does):
    words, tensor = map_of("u32", (16,), (16,)), range(16)
    run(words, tensor, [*body, *end], 1, 128)
    run(words, tensor, body, 1, 128, reported=f"ends while the copy engine may still {does} `tile`")


@pytest.mark.parametrize("mode", range(4))
@pytest.mark.parametrize("what", ["store", "add", "min", "xor"])
def test_store(mode, what):
    width = (0, 32, 64, 128)[mode]
    box, extents, corner = (width // 4 or 8, 16), (20, 20), (4, -2)
    count = box[0] * box[1]
    tensor = [1000 - index for index in range(400)]
    name = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group" if what == "store" else (
        f"cp.reduce.async.bulk.tensor.2d.global.shared::cta.{what}.tile.bulk_group")
    body = [*write_tile(count), f"{name} [%d0, {{{corner[0]}, {corner[1]}}}], [%t0];", "cp.async.bulk.commit_group;",
            "cp.async.bulk.wait_group 0;", "fence.proxy.async;", "mov.u32 %t2, 0;", "copy:", "ld.global.b32 %t4, [%d1];",
            "st.global.b32 [%out], %t4;", "add.u64 %d1, %d1, 4;", "add.u64 %out, %out, 4;", "add.u32 %t2, %t2, 1;",
            "setp.lt.u32 %go, %t2, 400;", "@%go bra copy;"]
    found = run(map_of("u32", extents, box, swizzle=mode), tensor, body, 400, 4096)
    combine: dict = {"store": lambda old, new: new, "add": lambda old, new: old + new, "min": min, "xor": lambda old, new: old ^ new}
    for row, column in itertools.product(range(box[1]), range(box[0])):
        x, y = corner[0] + column, corner[1] + row
        if 0 <= x < extents[0] and 0 <= y < extents[1]:
            at = y * extents[0] + x
            tensor[at] = combine[what](tensor[at], swizzled(row * box[0] + column, width) + 1)
    assert found == tensor


def test_columns_of_pixels():
    """The bounding box of pixels of two images of 6 rows of 7 pixels of 4 channels; the offsets move the pixels, not the box."""
    channels, columns, rows, images = 4, 7, 6, 2
    lower, upper = (-1, 1), (-3, -2)  # of columns and of rows
    pixels = 20
    corners = [(low & 0xFFFF) | (high & 0xFFFF) << 16 for low, high in zip(lower, upper, strict=True)]
    words = map_of("u32", (channels, columns, rows, images), (channels, pixels, *corners), is_im2col=1)
    tensor = list(range(1, channels * columns * rows * images + 1))
    before, after = wait(4 * channels * pixels)
    body = [*before, ".reg .b16 %h<3>;", "mov.b16 %h0, 2;", "mov.b16 %h1, 1;",
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%t0], "
            "[%d0, {0, 1, 2, 0}], [%t1], {%h0, %h1};", *after, *read_tile(channels * pixels)]
    found = run(words, tensor, body, channels * pixels, 1024)
    places = [(image, row, column) for image in range(images) for row in range(lower[1], rows + upper[1])
              for column in range(lower[0], columns + upper[0])]
    first = places.index((0, 2, 1))
    expected = []
    for image, row, column in places[first:first + pixels]:
        y, x = row + 1, column + 2
        inside = 0 <= y < rows and 0 <= x < columns
        expected += [tensor[((image * rows + y) * columns + x) * channels + channel] if inside else 0
                     for channel in range(channels)]
    assert found == expected


REDUCTIONS: dict = {"add.u32": lambda old, new: old + new & 0xFFFFFFFF, "add.s32": lambda old, new: old + new & 0xFFFFFFFF,
                    "min.u32": min, "max.s32": lambda old, new: old if (old ^ 1 << 31) > (new ^ 1 << 31) else new,
                    "inc.u32": lambda old, new: 0 if old >= new else old + 1, "dec.u32": lambda old, new: new if old in (0,) or old > new else old - 1,
                    "and.b32": lambda old, new: old & new, "xor.b32": lambda old, new: old ^ new,
                    "add.u64": lambda old, new: old + new & (1 << 64) - 1}


@pytest.mark.parametrize("what", REDUCTIONS)
def test_reduction_in_shared_memory(what):
    """cp.reduce.async.bulk combines; it is no copy."""
    count, size = 16, int(what[-2:]) // 32
    before, after = wait(4 * count)
    old = [(0x9E3779B9 * (index + 1)) & 0xFFFFFFFF for index in range(count)]
    fill = [f"st.shared.b32 [%t0 + {256 + 4 * index}], {word};" for index, word in enumerate(old)]
    body = [*before, *write_tile(count), *fill, "fence.proxy.async;", "add.u32 %t5, %t0, 256;",
            f"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{what} [%t5], [%t0], {4 * count}, [%t1];",
            *after, "add.u32 %t0, %t0, 256;", *read_tile(count)]
    found = run([0] * 32, [0], body, count, 1024)
    def elements(words):
        return [sum(words[at + part] << 32 * part for part in range(size)) for at in range(0, count, size)]
    expected = [REDUCTIONS[what](a, b) for a, b in zip(elements(old), elements(list(range(1, count + 1))), strict=True)]
    assert elements(found) == expected


# Block 0 makes a map and signals; block 1 copies by the map. The words of the scratch memory are zeros.
MAPS = """
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  __shared__ alignas(128) unsigned tile[8];
  __shared__ unsigned long long bar;
  const unsigned values[32] = {VALUES};
  unsigned *const map = words + 32, *const flag = words + 128;
  if (blockIdx.x == 0) {
    for (int each = 0; each < 32; ++each) map[each] = values[each];
    *reinterpret_cast<unsigned**>(map) = words + 256;
    RELEASE
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {}
    ACQUIRE
    const unsigned to = __cvta_generic_to_shared(tile), on = __cvta_generic_to_shared(&bar);
    LOAD
  }
}
"""
# Of a thread: loads the box, and compares its first number, 0.
LOAD = """
  asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;"
               "mbarrier.arrive.expect_tx.shared.b64 _, [%0], 32;" ::"r"(on) : "memory");
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0}], [%2];"
               ::"r"(to), "l"(map), "r"(on) : "memory");
  asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(on) : "memory");
  if (tile[0] != 0) atomicAdd(failures, 1);
"""
FENCE_FOR_MAPS = 'asm volatile("fence.proxy.tensormap::generic.%s;" ::"l"(map) : "memory");'
RELEASE, ACQUIRE = FENCE_FOR_MAPS % "release.gpu", FENCE_FOR_MAPS % "acquire.gpu [%0], 128"
FENCE = "__threadfence();"


def module_with_map(text, arch, **texts):
    """The program, with the words of a map of 8 numbers, and these texts in the place of their names."""
    for name, value in {"LOAD": LOAD, "VALUES": ", ".join(map(str, map_of("u32", (8,), (8,)))), **texts}.items():
        text = text.replace(name, value)
    ptx, log = nvrtc.compile(text, "rule.cu", arch, ("-lineinfo", "-default-device"))
    assert ptx is not None, log
    return model.Module(ptx, 90)


@pytest.mark.parametrize(("release", "acquire", "is_right"), [
    (RELEASE, ACQUIRE, True),
    (FENCE, FENCE + ACQUIRE, True),
    (RELEASE + FENCE, FENCE + ACQUIRE, True),
    (RELEASE, FENCE, False),
    ("", ACQUIRE, False),
    (FENCE, FENCE, False),
    (RELEASE.replace("gpu", "cta"), ACQUIRE, False),
], ids=["fences for maps", "other fences", "both", "no acquire for maps", "no release", "no fence for maps", "narrow release"])
def test_fences_for_a_map_of_another_block(release, acquire, is_right):
    module = module_with_map(MAPS, "90", RELEASE=release, ACQUIRE=acquire)
    for seed in range(1, 5):
        end, failures, said = module.run(model.Kernel("rule", grid=(2, 1, 1)), seed)
        assert (end, failures) == ("finished", 0) if is_right else end == "races", said


# A warp copies a map from shared memory, and one of its lanes goes on.
WARP = """
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  __shared__ alignas(128) unsigned copy[32], tile[8];
  __shared__ unsigned long long bar;
  const unsigned values[32] = {VALUES};
  unsigned* const map = words + 32;
  const unsigned from = __cvta_generic_to_shared(copy), to = __cvta_generic_to_shared(tile), on = __cvta_generic_to_shared(&bar);
  copy[threadIdx.x] = values[threadIdx.x];
  __syncwarp();
  if (threadIdx.x == 7) *reinterpret_cast<unsigned**>(copy) = words + 256;
  MEET
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
               ::"l"(map), "r"(from) : "memory");
  if (threadIdx.x != 3) return;
  ACQUIRE
  LOAD
}
"""


@pytest.mark.parametrize(("meet", "acquire", "lacks"), [
    ("__syncwarp();", ACQUIRE, ""),
    ("__syncwarp();", "", "tensormap::generic.acquire"),
    ("", ACQUIRE, "__syncwarp()"),
], ids=["right", "no acquire", "the warp has not met"])
def test_map_that_a_warp_copies(meet, acquire, lacks):
    module = module_with_map(WARP, "90a", MEET=meet, ACQUIRE=acquire)
    for seed in range(1, 9):
        end, failures, said = module.run(model.Kernel("rule", block=(32, 1, 1)), seed)
        assert (end, failures) == ("finished", 0) if not lacks else end == "races" and lacks in said, said


# The second block of a cluster of four loads a box for all of them, and counts its bytes in the first block of each pair.
PAIRS = """
extern "C" __global__ void rule(unsigned* failures, unsigned* words) {
  __shared__ alignas(128) unsigned tile[8];
  __shared__ unsigned long long bar;
  const unsigned values[32] = {VALUES};
  unsigned* const map = words + 32 + 32 * blockIdx.x;
  const unsigned to = __cvta_generic_to_shared(tile), on = __cvta_generic_to_shared(&bar);
  tile[0] = 1;
  if (blockIdx.x % 2 == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%0], 64;" ::"r"(on) : "memory");
  asm volatile("fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  if (blockIdx.x == 1) {
    for (int each = 0; each < 32; ++each) map[each] = values[each];
    *reinterpret_cast<unsigned**>(map) = words + 256;
    RELEASE ACQUIRE
    asm volatile("cp.async.bulk.tensor.1d.cta_group::2.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {0}], [%2], %3;" ::"r"(to), "l"(map), "r"(on & BAR), "h"(static_cast<unsigned short>(15)) : "memory");
  }
  if (blockIdx.x % 2 == 0)
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(on) : "memory");
  asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  if (tile[0] != 0) atomicAdd(failures, 1);
}
"""


def test_box_for_pairs_of_blocks():
    source = PAIRS.replace("VALUES", ", ".join(map(str, map_of("u32", (8,), (8,))))).replace("RELEASE", RELEASE).replace("ACQUIRE", ACQUIRE)
    for mask, is_right in (("0xfeffffff", True), ("0xffffffff", False)):
        ptx, log = nvrtc.compile(source.replace("BAR", mask), "rule.cu", "100a", ("-lineinfo", "-default-device"))
        assert ptx is not None, log
        module = model.Module(ptx, 100)
        for seed in range(1, 5):
            end, failures, said = module.run(model.Kernel("rule", grid=(4, 1, 1), cluster=(4, 1, 1)), seed)
            assert (end, failures) == ("finished", 0) if is_right else end != "finished", said
