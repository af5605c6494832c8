"""Products of matrices by warps and warpgroups: each lane gets and gives what the tables of the PTX manual say."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import random
import struct

import pytest

from cudasync_tools import model

CODES = {"f16": "<e", "f32": "<f", "f64": "<d", "tf32": "<f"}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
        "b1": 1, "s32": 32}
SMALL = [0, 1, 2, 3, -1, -2, -3, 0.5, 1.5, -0.5]  # all formats have them


def encoded(kind, value):
    if kind == "bf16":
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    if kind == "e5m2":
        return struct.unpack("<H", struct.pack("<e", value))[0] >> 8
    if kind == "e4m3":  # of small numbers: the exponent of f16 with another bias
        half = struct.unpack("<H", struct.pack("<e", value))[0]
        return 0 if value == 0 else (half >> 8 & 0x80) | ((half & 0x7FFF) >> 7) - (8 << 3)
    if kind in CODES:
        return int.from_bytes(struct.pack(CODES[kind], value), "little")
    return int(value) & (1 << BITS[kind]) - 1


def matrix_of(kind, rows, columns, seed):
    chosen = random.Random(seed)
    if kind == "b1":
        return [[chosen.randrange(2) for _ in range(columns)] for _ in range(rows)]
    if kind[0] in "us":
        bits = min(BITS[kind], 8)
        low, high = (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
        return [[chosen.randint(low, high) for _ in range(columns)] for _ in range(rows)]
    return [[chosen.choice(SMALL) for _ in range(columns)] for _ in range(rows)]


def product(a, b, c, bitwise=None):
    count = len(b)
    columns = list(zip(*b, strict=True))
    def cell(row, column):
        if bitwise:
            return sum((x ^ y) if bitwise == "xor" else (x & y) for x, y in zip(row, column, strict=True))
        return sum(x * y for x, y in zip(row, column, strict=True))
    assert all(len(row) == count for row in a)
    return [[c[row][column] + cell(a[row], columns[column]) for column in range(len(columns))] for row in range(len(a))]


# Where the element i of a lane is: (row, column), as the manual has it for each shape. g: lane / 4; t: lane % 4.
A = {
    ("m16n8k8", 16): lambda i, g, t: (g if i < 2 else g + 8, t * 2 + (i & 1)),
    ("m16n8k16", 16): lambda i, g, t: (g if i in (0, 1, 4, 5) else g + 8, t * 2 + (i & 1) + (8 if i >= 4 else 0)),
    ("m16n8k4", 32): lambda i, g, t: (g if i == 0 else g + 8, t),
    ("m16n8k8", 32): lambda i, g, t: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
    ("m16n8k16", 8): lambda i, g, t: (g if i < 4 else g + 8, t * 4 + (i & 3)),
    ("m16n8k32", 8): lambda i, g, t: (g if i < 4 or 8 <= i < 12 else g + 8, t * 4 + (i & 3) + (16 if i >= 8 else 0)),
    ("m8n8k16", 8): lambda i, g, t: (g, t * 4 + i),
    ("m8n8k32", 4): lambda i, g, t: (g, t * 8 + i),
    ("m16n8k32", 4): lambda i, g, t: (g if i < 8 else g + 8, t * 8 + (i & 7)),
    ("m16n8k64", 4): lambda i, g, t: (g if i < 8 or 16 <= i < 24 else g + 8, t * 8 + (i & 7) + (32 if i >= 16 else 0)),
    ("m8n8k128", 1): lambda i, g, t: (g, t * 32 + i),
    ("m16n8k128", 1): lambda i, g, t: (g if i < 32 else g + 8, t * 32 + (i & 31)),
    ("m16n8k256", 1): lambda i, g, t: (g if i < 32 or 64 <= i < 96 else g + 8, t * 32 + (i & 31) + (128 if i >= 64 else 0)),
    ("m8n8k4", 64): lambda i, g, t: (g, t),
    ("m16n8k4", 64): lambda i, g, t: (g if i == 0 else g + 8, t),
    ("m16n8k8", 64): lambda i, g, t: (g if i in (0, 2) else g + 8, t if i < 2 else t + 4),
    ("m16n8k16", 64): lambda i, g, t: (g if i % 2 == 0 else g + 8, t + i // 2 * 4),
}
B = {
    ("m16n8k8", 16): lambda i, g, t: (t * 2 + i, g),
    ("m16n8k16", 16): lambda i, g, t: (t * 2 + (i & 1) + (8 if i >= 2 else 0), g),
    ("m16n8k4", 32): lambda i, g, t: (t, g),
    ("m16n8k8", 32): lambda i, g, t: (t if i == 0 else t + 4, g),
    ("m16n8k16", 8): lambda i, g, t: (t * 4 + i, g),
    ("m16n8k32", 8): lambda i, g, t: (t * 4 + (i & 3) + (16 if i >= 4 else 0), g),
    ("m8n8k16", 8): lambda i, g, t: (t * 4 + i, g),
    ("m8n8k32", 4): lambda i, g, t: (t * 8 + i, g),
    ("m16n8k32", 4): lambda i, g, t: (t * 8 + i, g),
    ("m16n8k64", 4): lambda i, g, t: (t * 8 + (i & 7) + (32 if i >= 8 else 0), g),
    ("m8n8k128", 1): lambda i, g, t: (t * 32 + i, g),
    ("m16n8k128", 1): lambda i, g, t: (t * 32 + i, g),
    ("m16n8k256", 1): lambda i, g, t: (t * 32 + (i & 31) + (128 if i >= 32 else 0), g),
    ("m8n8k4", 64): lambda i, g, t: (t, g),
    ("m16n8k4", 64): lambda i, g, t: (t, g),
    ("m16n8k8", 64): lambda i, g, t: (t + i * 4, g),
    ("m16n8k16", 64): lambda i, g, t: (t + i * 4, g),
}


def in_sum(rows):
    if rows == 8:
        return lambda i, g, t: (g, t * 2 + i)
    return lambda i, g, t: (g if i < 2 else g + 8, t * 2 + (i & 1))


def registers(kind, made, place, lane):
    """Of a lane: its elements, the first in the lowest bits."""
    count = len(made) * len(made[0]) // 32
    each = max(1, 32 // BITS[kind])
    elements = [encoded(kind, made[row][column]) for row, column in (place(i, lane // 4, lane % 4) for i in range(count))]
    return [sum(raw << BITS[kind] * index for index, raw in enumerate(elements[first:first + each]))
            for first in range(0, count, each)]


def numbers(kind, values):
    """A variable in global memory."""
    wide = 64 if kind == "f64" else 32
    return wide, f"{{{', '.join(map(str, values))}}}"


def module_of(target, variables, body, shared=0):
    lines = [".version 9.0", f".target {target}", ".address_size 64"]
    for name, (wide, count, text) in variables.items():
        lines.append(f".global .align 16 .b{wide} {name}[{count}] = {text};")
    if shared:
        lines.append(f".shared .align 1024 .b8 tile[{shared}];")
    lines += [".visible .entry kernel(.param .u64 failures, .param .u64 zeros) {", ".reg .b64 %at, %out, %d<8>;",
              ".reg .b32 %lane, %t<8>;", ".reg .pred %go, %one;", "mov.u32 %lane, %tid.x;", "ld.param.u64 %out, [zeros];",
              "setp.eq.u32 %one, 1, 1;", *body, "ret;", "}"]
    return model.Module("\n".join(lines).encode(), int(target[3:].rstrip("a")))


def run(module, count, wide, threads=32):
    end, _, said, memory = module.run(model.Kernel("kernel", block=(threads, 1, 1)), 1, reads=count * wide // 8)
    assert end == "finished", said
    return [memory >> wide * index & (1 << wide) - 1 for index in range(count)]


def load(name, letter, count, wide):
    """Each lane its registers of a variable."""
    lines = [f".reg .b{wide} %{letter}<{count + 1}>;", f"mov.u64 %at, {name};",
             f"mad.wide.u32 %at, %lane, {count * wide // 8}, %at;"]
    return lines + [f"ld.global.b{wide} %{letter}{index}, [%at + {index * wide // 8}];" for index in range(count)]


def store(letter, count, wide):
    lines = [f"mad.wide.u32 %out, %lane, {count * wide // 8}, %out;"]
    return lines + [f"st.global.b{wide} [%out + {index * wide // 8}], %{letter}{index};" for index in range(count)]


def names(letter, count):
    return "{" + ", ".join(f"%{letter}{index}" for index in range(count)) + "}"


MULTIPLIES = [("m16n8k8", "f16", "f16", "f16"), ("m16n8k8", "f32", "f16", "f16"), ("m16n8k16", "f16", "f16", "f16"),
              ("m16n8k16", "f32", "f16", "f16"), ("m16n8k8", "f32", "bf16", "bf16"), ("m16n8k16", "f32", "bf16", "bf16"),
              ("m16n8k4", "f32", "tf32", "tf32"), ("m16n8k8", "f32", "tf32", "tf32"), ("m8n8k4", "f64", "f64", "f64"),
              ("m16n8k4", "f64", "f64", "f64"), ("m16n8k8", "f64", "f64", "f64"), ("m16n8k16", "f64", "f64", "f64"),
              ("m16n8k16", "s32", "u8", "s8"), ("m16n8k32", "s32", "s8", "u8"), ("m8n8k16", "s32", "s8", "s8"),
              ("m8n8k32", "s32", "s4", "u4"), ("m16n8k32", "s32", "u4", "s4"), ("m16n8k64", "s32", "s4", "s4"),
              ("m16n8k32", "f32", "e4m3", "e5m2"), ("m16n8k16", "f16", "e5m2", "e4m3"), ("m8n8k128", "s32", "b1", "b1"),
              ("m16n8k128", "s32", "b1", "b1"), ("m16n8k256", "s32", "b1", "b1")]


@pytest.mark.parametrize("row", MULTIPLIES, ids=".".join)
def test_mma(row):
    shape, to, left, right = row
    m, n, k = (int(part) for part in shape[1:].replace("n", " ").replace("k", " ").split())
    a, b, c = matrix_of(left, m, k, f"{row}a"), matrix_of(right, k, n, f"{row}b"), matrix_of(to, m, n, f"{row}c")
    bitwise = "xor" if left == "b1" else None
    placed = {"a": (left, a, A[shape, BITS[left]]), "b": (right, b, B[shape, BITS[right]]), "c": (to, c, in_sum(m))}
    variables, body, operands = {}, [], []
    for name, (kind, made, place) in placed.items():
        lanes = [registers(kind, made, place, lane) for lane in range(32)]
        wide = 64 if kind == "f64" else 32
        variables[f"in_{name}"] = (wide, 32 * len(lanes[0]), "{" + ", ".join(str(raw) for lane in lanes for raw in lane) + "}")
        body += load(f"in_{name}", name, len(lanes[0]), wide)
        operands.append(names(name, len(lanes[0])))
    wide, count = (64 if to == "f64" else 32), len(registers(to, c, in_sum(m), 0))
    kinds = f"{to}.{left}.{right}.{to}" + (".xor.popc" if bitwise else "")
    body += [f".reg .b{wide} %r<{count + 1}>;",
             f"mma.sync.aligned.{shape}.row.col.{kinds} {names('r', count)}, {', '.join(operands)};", *store("r", count, wide)]
    found = run(module_of("sm_90", variables, body), 32 * count, wide)
    expected = product(a, b, c, bitwise)
    assert found == [raw for lane in range(32) for raw in registers(to, expected, in_sum(m), lane)]


# As the manual has it for m8n8k4 with f16: four products, each by eight lanes; in the lanes from 16 on, the lower or right halves.
QUADS = [(to, of_c, a, b) for to, of_c in (("f16", "f16"), ("f32", "f16"), ("f32", "f32")) for a in ("row", "col") for b in ("row", "col")]


@pytest.mark.parametrize("row", QUADS, ids=".".join)
def test_mma_by_quads(row):
    to, of_c, a_layout, b_layout = row
    parts = [(matrix_of("f16", 8, 4, f"{row}a{i}"), matrix_of("f16", 4, 8, f"{row}b{i}"), matrix_of(of_c, 8, 8, f"{row}c{i}")) for i in range(4)]

    def of_sum(kind, lane, i):
        if kind == "f16":
            return lane % 4 + lane // 16 * 4, i
        return (lane & 1) + (i & 2) + lane // 16 * 4, (i & 4) + (lane & 2) + (i & 1)

    def in_registers(kind, values):
        raws, each = [encoded(kind, value) for value in values], 32 // BITS[kind]
        return [sum(raw << BITS[kind] * part for part, raw in enumerate(raws[at:at + each])) for at in range(0, len(raws), each)]

    def lane_of(lane):
        a, b, c = parts[lane // 4 % 4]
        along, half = lane % 4, lane // 16 * 4
        of_a = [a[along + half][i] if a_layout == "row" else a[i + half][along] for i in range(4)]
        of_b = [b[along][i + half] if b_layout == "row" else b[i][along + half] for i in range(4)]
        sums = [c[y][x] for y, x in (of_sum(of_c, lane, i) for i in range(8))]
        return in_registers("f16", of_a), in_registers("f16", of_b), in_registers(of_c, sums)

    lanes = [lane_of(lane) for lane in range(32)]
    variables, body = {}, []
    for index, name in enumerate("abc"):
        count = len(lanes[0][index])
        variables[f"in_{name}"] = (32, 32 * count, "{" + ", ".join(str(raw) for lane in lanes for raw in lane[index]) + "}")
        body += load(f"in_{name}", name, count, 32)
    count = 8 * BITS[to] // 32
    body += [f".reg .b32 %r<{count + 1}>;", f"mma.sync.aligned.m8n8k4.{a_layout}.{b_layout}.{to}.f16.f16.{of_c} {names('r', count)}, "
             f"{names('a', 2)}, {names('b', 2)}, {names('c', len(lanes[0][2]))};", *store("r", count, 32)]
    made = [product(*part) for part in parts]
    expected = [raw for lane in range(32) for raw in
                in_registers(to, [made[lane // 4 % 4][y][x] for y, x in (of_sum(to, lane, i) for i in range(8))])]
    assert run(module_of("sm_90", variables, body), 32 * count, 32) == expected


@pytest.mark.parametrize("transposes", ["", ".trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix_and_stmatrix(count, transposes):
    """Matrix i has its rows at the addresses of the lanes 8 i to 8 i + 7; a lane has two neighbors of row lane / 4."""
    words = [(matrix << 12 | row << 8 | column) for matrix in range(4) for row in range(8) for column in range(8)]
    text = "{" + ", ".join(str(words[index] | words[index + 1] << 16) for index in range(0, 256, 2)) + "}"
    # Rows in the order in which lane i has row 5 i modulo 32 of memory.
    body = [*load("rows", "w", 4, 32), "mov.u32 %t0, tile;", "mul.lo.u32 %t1, %lane, 5;", "and.b32 %t1, %t1, 31;",
            "mad.lo.u32 %t1, %t1, 16, %t0;", *(f"st.shared.b32 [%t1 + {4 * index}], %w{index};" for index in range(4)),
            "bar.warp.sync -1;", f".reg .b32 %r<{count + 1}>;",
            f"ldmatrix.sync.aligned.m8n8.x{count}{transposes}.shared.b16 {names('r', count)}, [%t1];", *store("r", count, 32)]
    found = run(module_of("sm_90", {"rows": (32, 128, text)}, body, 512), 32 * count, 32)
    expected = []
    for lane in range(32):
        for matrix in range(count):
            pair = [(lane // 4, lane % 4 * 2 + part) for part in range(2)]
            pair = [(column, row) for row, column in pair] if transposes else pair
            low, high = (matrix << 12 | row << 8 | column for row, column in pair)
            expected.append(low | high << 16)
    assert found == expected
    # stmatrix of what ldmatrix has read, without .trans, restores the memory.
    body[-count - 1:] = [*(f"st.shared.b32 [%t1 + {512 + 4 * index}], 0;" for index in range(4)), "bar.warp.sync -1;",
                         f"stmatrix.sync.aligned.m8n8.x{count}{transposes}.shared.b16 [%t1 + 512], {names('r', count)};",
                         "bar.warp.sync -1;", *(f"ld.shared.b32 %w{index}, [%t1 + {512 + 4 * index}];" for index in range(4)),
                         *store("w", 4, 32)]
    found = run(module_of("sm_90", {"rows": (32, 128, text)}, body, 1024), 32 * count // 4 * 4, 32)
    assert found[:8 * count * 4] == [words[2 * index] | words[2 * index + 1] << 16 for index in range(8 * count * 4)]


def test_movmatrix():
    values = [[row << 8 | column for column in range(8)] for row in range(8)]
    text = "{" + ", ".join(str(values[lane // 4][lane % 4 * 2] | values[lane // 4][lane % 4 * 2 + 1] << 16) for lane in range(32)) + "}"
    body = [*load("rows", "w", 1, 32), ".reg .b32 %r0;", "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %w0;", *store("r", 1, 32)]
    found = run(module_of("sm_90", {"rows": (32, 32, text)}, body), 32, 32)
    assert found == [values[lane % 4 * 2][lane // 4] | values[lane % 4 * 2 + 1][lane // 4] << 16 for lane in range(32)]


FRAGMENTS = [("m16n16k16", "f32", "f16"), ("m32n8k16", "f16", "f16"), ("m8n32k16", "f32", "bf16"), ("m16n16k8", "f32", "tf32"),
             ("m8n8k4", "f64", "f64"), ("m16n16k16", "s32", "s8"), ("m32n8k16", "s32", "u8")]
LOADED = {"f16": lambda count: 8, "f64": lambda count: 1, "bf16": lambda count: count // 64, "tf32": lambda count: count // 32,
          "s8": lambda count: count // 128, "u8": lambda count: count // 128}


@pytest.mark.parametrize("layouts", ["row.col", "col.row"])
@pytest.mark.parametrize("row", FRAGMENTS, ids=".".join)
def test_wmma(row, layouts):
    shape, to, kind = row
    m, n, k = (int(part) for part in shape[1:].replace("n", " ").replace("k", " ").split())
    a, b, c = matrix_of(kind, m, k, f"{row}a"), matrix_of(kind, k, n, f"{row}b"), matrix_of(to, m, n, f"{row}c")
    first, second = layouts.split(".")
    variables, body = {}, []
    for name, (of, made, layout) in {"a": (kind, a, first), "b": (kind, b, second), "c": (to, c, "row")}.items():
        lines = made if layout == "row" else list(zip(*made, strict=True))
        raws = [encoded(of, value) for line in lines for value in line]
        variables[f"in_{name}"] = (BITS[of], len(raws), "{" + ", ".join(map(str, raws)) + "}")
        count = LOADED[of](len(raws)) if name != "c" else len(raws) * BITS[of] // (2048 if of == "f64" else 1024)
        wide = 64 if of == "f64" else 32
        body += [f".reg .b{wide} %{name}<{count + 1}>;", f"mov.u64 %at, in_{name};",
                 f"wmma.load.{name}.sync.aligned.{layout}.{shape}.global.{of} {names(name, count)}, [%at], {len(lines[0])};"]
    counts = {name: sum(f"%{name}{index}," in line or f"%{name}{index}}}" in line for line in body for index in range(9))
              for name in "abc"}
    kinds = f"{to}.{to}" if kind == "f16" else f"{to}.{kind}.{kind}.{to}"
    wide = 64 if to == "f64" else 32
    body += [f".reg .b{wide} %r<{counts['c'] + 1}>;",
             f"wmma.mma.sync.aligned.{layouts}.{shape}.{kinds} " + ", ".join(
                 names(letter, counts[name]) for letter, name in zip("rabc", "cabc", strict=True)) + ";",
             f"wmma.store.d.sync.aligned.row.{shape}.global.{to} [%out], {names('r', counts['c'])}, {n};"]
    found = run(module_of("sm_90", variables, body), m * n, BITS[to])
    assert found == [encoded(to, value) for line in product(a, b, c) for value in line]


# --- wgmma ---

KINDS = [("f32", "f16", 16), ("f16", "f16", 16), ("f32", "bf16", 16), ("f32", "tf32", 8), ("f32", "e4m3", 32), ("s32", "u8", 32)]


def image(made, kind, width, is_depth_contiguous):
    """Shared memory of a matrix of rows and depths as a descriptor with a swizzle of this width reads it, and the strides of
    the descriptor: leading, then stride."""
    size = BITS[kind] // 8
    rows, depths = len(made), len(made[0])
    inner, outer = (depths, rows) if is_depth_contiguous else (rows, depths)
    if width == 0:  # groups of eight lines of 16 bytes, which come one after another along the lines, then across them
        along_step, across_step = 128, 128 * (inner * size // 16)
        total = across_step * (outer // 8)
        strides = (along_step, across_step) if is_depth_contiguous else (across_step, along_step)
    else:  # groups of eight lines of the width
        across_step = 8 * width
        along_step = across_step * max(1, outer // 8)
        total = along_step * max(1, inner * size // width)
        strides = (along_step, across_step)
    memory = bytearray(total)
    for row in range(rows):
        for depth in range(depths):
            along, across = (depth, row) if is_depth_contiguous else (row, depth)
            byte = along * size
            if width == 0:
                at = byte // 16 * along_step + across // 8 * across_step + across % 8 * 16 + byte % 16
            else:
                line = across % 8
                inside = byte % width
                turned = inside // 16 ^ line * width // 128 % (width // 16)
                at = byte // width * along_step + across // 8 * across_step + line * width + turned * 16 + inside % 16
            memory[at:at + size] = encoded(kind, made[row][depth]).to_bytes(size, "little")
    return bytes(memory), strides


def descriptor(start, strides, width):
    leading, stride = strides
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | {0: 0, 128: 1, 64: 2, 32: 3}[width] << 62


CASES = [(kind, width, True, True, False) for kind in KINDS for width in (0, 32, 64, 128)]
CASES += [(KINDS[0], width, *along, False) for width in (0, 32, 64, 128)
          for along in ((False, True), (True, False), (False, False))]
CASES += [(kind, 128, True, True, True) for kind in KINDS]


def name_of(case):
    kind, width, a_along, b_along, from_registers = case
    words = [*map(str, kind), f"swizzle{width}"]
    return ".".join(words + ["a_transposed"] * (not a_along) + ["b_transposed"] * (not b_along) + ["registers"] * from_registers)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_wgmma(case):
    (to, kind, k), width, a_along, b_along, from_registers = case
    n = 64
    a, b = matrix_of(kind, 64, k, f"{case}a"), matrix_of(kind, n, k, f"{case}b")
    c = matrix_of(to, 64, n, f"{case}c")
    # Behind the depth of the operation, the lines of a swizzle have what it must not read.
    padded = max(1, width // (k * BITS[kind] // 8))
    def laid(made, along):
        whole = [list(row) * padded for row in made] if along and width else made
        return image(whole, kind, width, along)
    (of_a, a_strides), (of_b, b_strides) = laid(a, a_along), laid(b, b_along)
    start = (len(of_a) + 1023) // 1024 * 1024
    memory = of_a + bytes(start - len(of_a)) + of_b
    memory += bytes(-len(memory) % 16)
    words = struct.unpack(f"<{len(memory) // 4}I", memory)
    def place(i, lane):
        return 16 * (lane // 32) + (lane % 32) // 4 + 8 * (i // 2 % 2), i // 4 * 8 + lane % 4 * 2 + i % 2
    each = 32 // BITS[to]
    def sums(made, lane):
        count = 64 * n // 128
        raws = [encoded(to, made[row][column]) for row, column in (place(i, lane) for i in range(count))]
        return [sum(raw << BITS[to] * part for part, raw in enumerate(raws[at:at + each])) for at in range(0, count, each)]
    count = len(sums(c, 0))
    in_c = [raw for lane in range(128) for raw in sums(c, lane)]
    variables = {"image": (32, len(words), "{" + ", ".join(map(str, words)) + "}"),
                 "in_c": (32, len(in_c), "{" + ", ".join(map(str, in_c)) + "}")}
    body = [*load("in_c", "c", count, 32), "mov.u64 %d0, image;", "mov.u32 %t0, tile;", "mov.u32 %t1, %lane;", "again:",
            "mad.wide.u32 %d1, %t1, 4, %d0;", "ld.global.b32 %t2, [%d1];", "mad.lo.u32 %t3, %t1, 4, %t0;",
            "st.shared.b32 [%t3], %t2;", "add.u32 %t1, %t1, 128;", f"setp.lt.u32 %go, %t1, {len(words)};", "@%go bra again;",
            "fence.proxy.async;", "bar.sync 0;"]
    left = "%d2"
    if from_registers:
        step = 32 // BITS[kind]
        a_at = A["m16n8k16" if k == 16 else f"m16n8k{k}", BITS[kind]]
        rows = []
        for lane in range(128):
            raws = []
            for i in range(4 * step):
                row, depth = a_at(i, lane % 32 // 4, lane % 4)
                raws.append(encoded(kind, a[row + 16 * (lane // 32)][depth]))
            rows += [sum(raw << BITS[kind] * part for part, raw in enumerate(raws[at:at + step])) for at in range(0, 4 * step, step)]
        variables["in_a"] = (32, len(rows), "{" + ", ".join(map(str, rows)) + "}")
        body += load("in_a", "a", 4, 32)
        left = names("a", 4)
    scales = {"f16": ", 1, 1", "bf16": ", 1, 1", "u8": ""}.get(kind, ", 1, 1")
    if BITS[kind] == 16:
        scales += ("" if from_registers else f", {int(not a_along)}") + f", {int(not b_along)}"
    body += [f"mov.u64 %d2, {descriptor(0, a_strides, width)};", f"mov.u64 %d3, {descriptor(start, b_strides, width)};",
             "wgmma.fence.sync.aligned;",
             f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{to}.{kind}.{kind} {names('c', count)}, {left}, %d3, %one{scales};",
             "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;", *store("c", count, 32)]
    found = run(module_of("sm_90a", variables, body, len(memory)), 128 * count, 32, 128)
    expected = product(a, [list(column) for column in zip(*b, strict=True)], c)
    assert found == [raw for lane in range(128) for raw in sums(expected, lane)]


# --- tcgen05.ld and tcgen05.st: registers of each lane for one column group; the row and the column of register r of lane t ---

CELLS = {
    "16x64b": (1, lambda t, r: (t // 4 + 8 * (t & 1), 2 * r + (t >> 1 & 1))),
    "16x128b": (2, lambda t, r: (t // 4 + 8 * (r & 1), 4 * (r >> 1) + (t & 3))),
    "16x256b": (4, lambda t, r: (t // 4 + 8 * (r >> 1 & 1), 8 * (r >> 2) + 2 * (t & 3) + (r & 1))),
    "16x32bx2": (1, lambda t, r: (t & 15, r + (24 if t >= 16 else 0))),
}


@pytest.mark.parametrize("shape", CELLS)
def test_cells_of_tensor_memory(shape):
    """A warp stores a number in each cell of 32 rows and 32 columns. It loads some of them, and stores them 64 columns further on."""
    each, place = CELLS[shape]
    count, split = 4 * each, ", 24" if shape == "16x32bx2" else ""
    wide = ", ".join(f"%w{column}" for column in range(32))
    stored = ["tcgen05.wait::st.sync.aligned;", "tcgen05.fence::before_thread_sync;", "bar.warp.sync -1;", "tcgen05.fence::after_thread_sync;"]
    body = [".reg .b32 %w<33>, %v<33>;", *(f"mad.lo.u32 %w{column}, %lane, 100, {column};" for column in range(32)),
            f"tcgen05.st.sync.aligned.32x32b.x32.b32 [4], {{{wide}}};", *stored,
            f"tcgen05.ld.sync.aligned.{shape}.x4.b32 {names('v', count)}, [4]{split};", "tcgen05.wait::ld.sync.aligned;",
            f"tcgen05.st.sync.aligned.{shape}.x4.b32 [68]{split}, {names('v', count)};", *stored,
            f"tcgen05.ld.sync.aligned.32x32b.x32.b32 {{{wide}}}, [68];", "tcgen05.wait::ld.sync.aligned;",
            *store("v", count, 32), f"mad.lo.u32 %t0, %lane, {128 - 4 * count}, {128 * count};", "cvt.u64.u32 %d0, %t0;", "add.u64 %out, %out, %d0;",
            *(f"st.global.b32 [%out + {4 * column}], %w{column};" for column in range(32))]
    words = run(module_of("sm_100a", {}, body), 32 * count + 32 * 32, 32)
    cells = [place(lane, register) for lane in range(32) for register in range(count)]
    assert words[:32 * count] == [100 * row + column for row, column in cells]
    assert len(set(cells)) == 32 * count
    moved = [words[32 * count + 32 * row + column] for row, column in cells]
    assert moved == words[:32 * count]
