"""What the machine computes for each kind of arithmetic instruction, and which modifiers it refuses instead of ignoring them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import math
import struct

import pytest

from cudasync_tools import model


def bits(code, value):
    return int.from_bytes(struct.pack("<" + code, value), "little")


def f32(value):
    return bits("f", value)


def f64(value):
    return bits("d", value)


def f16(value):
    return bits("e", value)


def pair(low, high):
    return low | high << 16


NAN32, NAN16 = 0x7FFFFFFF, 0x7FFF
TINY, TINY_SUM = 0x00000001, 0x00000002  # subnormal numbers of f32
THIRD_UP, THIRD_DOWN = 0x3EAAAAAB, 0x3EAAAAAA
MOST = 0x7FFFFFFF

# (instruction, operands, result). The results are written from the PTX manual, or computed by Python.
ROWS = [
    # Pairs of halves: both halves, each by itself.
    ("add.rn.f16x2", [pair(f16(1), f16(2)), pair(f16(3), f16(5))], pair(f16(4), f16(7))),
    ("sub.rn.f16x2", [pair(f16(1), f16(2)), pair(f16(3), f16(5))], pair(f16(-2), f16(-3))),
    ("mul.rn.f16x2", [pair(f16(1.5), f16(2)), pair(f16(3), f16(5))], pair(f16(4.5), f16(10))),
    ("fma.rn.f16x2", [pair(f16(1.5), f16(2)), pair(f16(3), f16(5)), pair(f16(1), f16(-1))], pair(f16(5.5), f16(9))),
    ("fma.rn.relu.f16x2", [pair(f16(1), f16(1)), pair(f16(-3), f16(3)), pair(0, 0)], pair(0, f16(3))),
    ("neg.f16x2", [pair(f16(1), f16(-2))], pair(f16(-1), f16(2))),
    ("abs.f16x2", [pair(f16(-1), f16(-2))], pair(f16(1), f16(2))),
    ("min.f16x2", [pair(f16(1), f16(9)), pair(f16(3), f16(5))], pair(f16(1), f16(5))),
    ("max.f16x2", [pair(f16(1), f16(9)), pair(f16(3), f16(5))], pair(f16(3), f16(9))),
    ("mul.rn.bf16x2", [pair(0x3FC0, 0x4000), pair(0x4040, 0x40A0)], pair(0x4090, 0x4120)),
    ("add.u16x2", [pair(0xFFFF, 7), pair(2, 9)], pair(1, 16)),
    ("max.s16x2", [pair(0xFFFF, 7), pair(2, 9)], pair(2, 9)),
    # A half is rounded once: 2049 + 2**-24 is not the midpoint 2049.
    ("fma.rn.f16", [f16(1), f16(2048), f16(1)], f16(2048)),
    ("fma.rn.f16", [f16(683), f16(3), f16(2**-24)], f16(2050)),
    # Saturation: of floating-point numbers to [0, 1], of 32-bit integers to their range.
    ("add.sat.f32", [f32(0.75), f32(0.75)], f32(1)),
    ("sub.sat.f32", [f32(0.25), f32(0.75)], 0),
    ("mul.sat.f32", [f32(math.inf), 0], 0),
    ("fma.rn.sat.f32", [f32(2), f32(0.125), f32(0.25)], f32(0.5)),
    ("add.sat.f16x2", [pair(f16(0.5), f16(-1)), pair(f16(0.75), f16(0.5))], pair(f16(1), 0)),
    ("add.sat.s32", [MOST, 1], MOST),
    ("add.sat.s32", [0x80000000, 0xFFFFFFFF], 0x80000000),
    ("sub.sat.s32", [0x80000000, 1], 0x80000000),
    ("mad.hi.sat.s32", [0x40000000, 0x40000000, MOST], MOST),
    # Subnormal numbers are kept, or become zero.
    ("add.f32", [TINY, TINY], TINY_SUM),
    ("add.ftz.f32", [TINY, TINY], 0),
    ("mul.ftz.f32", [f32(-1), 0x00800001 >> 1], 0x80000000),
    ("neg.ftz.f32", [TINY], 0x80000000),
    ("max.ftz.f32", [TINY, 0x80000001], 0),
    # Rounding.
    ("div.rn.f32", [f32(1), f32(3)], THIRD_UP),
    ("div.rz.f32", [f32(1), f32(3)], THIRD_DOWN),
    ("div.rm.f32", [f32(1), f32(3)], THIRD_DOWN),
    ("div.rp.f32", [f32(1), f32(3)], THIRD_UP),
    ("div.rm.f32", [f32(-1), f32(3)], THIRD_UP | 1 << 31),
    ("rcp.rz.f32", [f32(3)], THIRD_DOWN),
    ("add.rz.f32", [f32(1), f32(2**-25)], f32(1)),
    ("add.rp.f32", [f32(1), f32(2**-25)], f32(1) + 1),
    ("fma.rp.f64", [f64(1), f64(1), f64(2**-60)], f64(1) + 1),
    ("sqrt.rn.f32", [f32(2)], f32(math.sqrt(2))),
    ("sqrt.rp.f32", [f32(2)], f32(math.sqrt(2)) + 1),
    # What is no number.
    ("add.f32", [f32(math.inf), f32(-math.inf)], NAN32),
    ("min.f32", [NAN32, f32(3)], f32(3)),
    ("min.NaN.f32", [NAN32, f32(3)], NAN32),
    ("max.f32", [0x80000000, 0], 0),
    ("min.f32", [0, 0x80000000], 0x80000000),
    ("mul.rn.f16", [f16(math.inf), 0], NAN16),
    # As an H100 computes them.
    ("abs.f16x2", [0x04007DDB], 0x04007FFF),
    ("neg.bf16", [0x7FC0], 0x7FFF),
    ("neg.f64", [0x7FF0000000000001], 0x7FF8000000000001),
    ("abs.f64", [0xFFF8000000000000], 0xFFF8000000000000),
    ("mul.ftz.f32", [0x3F7FFFFF, 0x80800000], 0x80000000),  # less than a normal number before it is rounded
    ("mul.f32", [0x3F7FFFFF, 0x80800000], 0x80800000),
    ("fma.rn.ftz.f32", [0x07D18FAD, 0x87D18FAC, 0x00800000], 0x00800000),
    ("fma.rn.ftz.f16x2", [0x3BFF0A9B, 0x04008001, 0x80003BFF], 0x00003BFF),
    ("rem.s16", [0x20, 0], 0xFFFF),
    ("div.approx.f32", [0x7F34B91E, 0xFF34B91E], 0x80000000),  # the manual says so, too
    ("rcp.approx.ftz.f64", [0x3FF8000000000000], 0x3FE5555500000000),
    ("rcp.approx.ftz.f64", [0x3FF0000000000001], 0x3FF0000000000000),
    ("rem.u64", [0xAAAA, 0], 2**64 - 1),
    ("cvt.f32.bf16", [0x7F81], 0x7F810000),
    ("cvt.f32.f32", [0xFFC00000], 0xFFC00000),
    ("cvt.ftz.f32.f32", [0xFFC00000], NAN32),
    ("cvt.f32.f16", [0x7C01], NAN32),
    ("cvt.f64.f64", [0xFFF0000000000001], 0xFFF0000000000001),
    ("cvt.f64.f16", [0x7FFF], 0x7FFFFC0000000000),
    ("cvt.f64.f16", [0xFE00], 0xFFF8000000000000),
    ("cvt.ftz.f64.f32", [0x7F800001], 0x7FFFFFFFE0000000),
    ("cvt.rn.f32.f64", [0xFFF8000000000000], 0xFFC00000),
    ("cvt.rz.f16.f64", [0x7FF0000000000001], 0x7E00),
    ("cvt.rp.bf16.f64", [0xFFF8000000000000], 0xFFC0),
    ("cvt.rp.ftz.f16.f32", [1], 1),
    ("cvt.rm.ftz.f16.f32", [0x807FFFFF], 0x8001),
    ("cvt.rpi.f64.f64", [0x7FF0000000000001], 0x7FF8000000000001),
    ("cvt.rzi.s8.f64", [0x7FF8000000000000], 0xFF80),
    ("cvt.rzi.s8.bf16", [0xC0E0], 0xFFF9),
    ("cvt.rni.u8.bf16", [0x4120], 10),
    ("cvt.rn.bf16.s8", [0xF9], 0xC0E0),
    ("cvt.rz.tf32.f32", [0x7FC00000], 0x7FFFE000),
    ("cvt.rna.tf32.f32", [0x7F800001], 0x7F800000),
    # Conversions.
    ("cvt.rzi.s32.f32", [f32(-2.75)], 0xFFFFFFFE),
    ("cvt.rni.s32.f32", [f32(2.5)], 2),
    ("cvt.rpi.u32.f32", [f32(2.25)], 3),
    ("cvt.rzi.s32.f32", [f32(3e9)], MOST),
    ("cvt.rzi.u32.f32", [f32(-1)], 0),
    ("cvt.rzi.s32.f32", [NAN32], 0),
    ("cvt.rzi.s64.f32", [NAN32], 1 << 63),
    ("cvt.sat.s8.s32", [300], 127),
    ("cvt.sat.u8.s32", [0xFFFFFFFF], 0),
    ("cvt.u32.u16", [0xFFFF], 0xFFFF),
    ("cvt.s32.s16", [0xFFFF], 0xFFFFFFFF),
    ("cvt.rz.f32.s32", [0x01000003], 0x4B800001),
    ("cvt.rp.f32.s32", [0x01000003], 0x4B800002),
    ("cvt.rz.f32.f64", [f64(1 / 3)], THIRD_DOWN),
    ("cvt.rn.sat.f16.f32", [f32(3)], f16(1)),
    ("cvt.rn.f16x2.f32", [f32(1), f32(2)], pair(f16(2), f16(1))),
    ("cvt.rn.relu.bf16x2.f32", [f32(-1), f32(2)], pair(0x4000, 0)),
    # With the sign of the product, and of the greater and smaller magnitude; and not below 0.
    ("min.xorsign.abs.f32", [f32(-3), f32(2)], f32(-2)),
    ("max.xorsign.abs.f32", [f32(-3), f32(-2)], f32(3)),
    ("max.NaN.xorsign.abs.f16x2", [pair(f16(-1), NAN16), pair(f16(2), f16(1))], pair(f16(-2), NAN16)),
    ("min.relu.s32", [0xFFFFFFFE, 5], 0),
    ("max.relu.s16x2", [pair(0xFFFF, 7), pair(0xFFFE, 9)], pair(0, 9)),
    # Selections by a sign.
    ("slct.b32.s32", [7, 9, 0], 7),
    ("slct.b32.s32", [7, 9, 0x80000000], 9),
    ("slct.u64.f32", [7, 9, 0x80000000], 7),  # -0 is not less than 0
    ("slct.f32.f32", [7, 9, NAN32], 9),
    ("set.eq.u32.s32", [5, 5], 0xFFFFFFFF),
    ("set.lt.f32.s32", [0xFFFFFFFF, 0], f32(1)),
    ("set.gt.u32.f32", [f32(1), NAN32], 0),
    ("set.gtu.u32.f32", [f32(1), NAN32], 0xFFFFFFFF),
    ("set.le.bf16.u32", [1, 2], 0x3F80),
    ("set.ge.u16.f16", [f16(2), f16(2)], 0xFFFF),
    ("set.ne.bf16x2.bf16x2", [pair(1, 2), pair(1, 3)], pair(0, 0x3F80)),
    # Bits.
    ("bfe.s32", [0xF0, 4, 4], 0xFFFFFFFF),
    ("bfe.s32", [0x80000000, 28, 8], 0xFFFFFFF8),
    ("bfe.u32", [0xABCD, 4, 8], 0xBC),
    ("bfi.b32", [0xF, 0, 8, 4], 0xF00),
    ("bfind.s32", [0xFFFFFFF0], 3),
    ("bfind.u32", [0], 0xFFFFFFFF),
    ("bfind.shiftamt.u32", [1], 31),
    ("bmsk.clamp.b32", [4, 8], 0xFF0),
    ("bmsk.wrap.b32", [36, 40], 0xFF0),
    ("szext.wrap.s32", [0xFF, 8], 0xFFFFFFFF),
    ("szext.clamp.u32", [0xABCD, 8], 0xCD),
    ("shf.l.wrap.b32", [0x80000000, 1, 1], 3),
    ("shf.r.clamp.b32", [0x80000000, 1, 40], 1),
    ("shr.s32", [0x80000000, 40], 0xFFFFFFFF),
    ("cnot.b32", [0], 1),
    ("copysign.f32", [f32(-1), f32(3)], f32(-3)),
    # Integers.
    ("mul.hi.u64", [2**64 - 1, 2**64 - 1], 2**64 - 2),
    ("mul.hi.s64", [2**64 - 1, 2**64 - 1], 0),
    ("mul.wide.s32", [0xFFFFFFFF, 3], 2**64 - 3),
    ("mad.wide.u16", [0xFFFF, 0xFFFF, 1], 0xFFFE0002),
    ("mul24.hi.u32", [0xFFFFFF, 0xFFFFFF], 0xFFFFFE000001 >> 16),
    ("mad24.hi.sat.s32", [0x7FFFFF, 0x7FFFFF, MOST], MOST),
    ("mad24.lo.s32", [0xFFFFFF, 5, 7], 2),
    ("sad.s32", [0xFFFFFFFF, 4, 10], 15),
    ("rem.s32", [0xFFFFFFF9, 3], 0xFFFFFFFF),
    ("dp4a.s32.s32", [0x01FF0203, 0x02020202, 5], 15),
    ("vabsdiff4.u32.u32.u32", [0x01FF0210, 0x02020802, 0], 0x01FD060E),
    ("vabsdiff4.add.u32.u32.u32", [0x01FF0210, 0x02020802, 5], 1 + 253 + 6 + 14 + 5),
    ("vabsdiff2.add.u32.u32.u32", [0x00108000, 0x0020FFFF, 0], 16 + 0x7FFF),
    ("dp4a.u32.u32", [0x01FF0203, 0x02020202, 5], 2 * (1 + 255 + 2 + 3) + 5),
    ("dp2a.hi.u32.u32", [pair(2, 3), 0x05070000, 1], 2 * 7 + 3 * 5 + 1),
]

# What the machine does not implement must be an error: these assemble.
REFUSED = [
    ("fma.rn.oob.f16", [1, 2, 3], ".oob of fma.rn.oob.f16"),
    ("add.sat.u16x2", [1, 2], ".u16x2 of add.sat.u16x2"),
    ("cvt.rs.f16x2.f32", [1, 2, 3], ".rs of cvt.rs.f16x2.f32"),
    ("vadd.s32.s32.s32", [1, 2], "vadd.s32.s32.s32"),
]
WIDTHS = {"8": 16, "16": 16, "32": 32, "64": 64, "16x2": 32, "32x2": 64, "m3x2": 16, "tf32": 32, "": 32}


def width(word):
    return WIDTHS[word.lstrip("busfe4")]  # no type at the end: prmt.b32.f4e


def operand_widths(instruction, count):
    """Of the result and of the operands, in bits of registers."""
    words = instruction.split(".")
    narrow = width(words[-1])
    widths = [narrow] * (count + 1)
    name = words[0]
    if name == "cvt":
        widths[0] = width(words[-2])
    if name == "set":
        widths[0] = width(words[-2])
    if name == "slct":
        widths = [width(words[-2])] * count + [narrow]
    if name in ("bfind", "popc", "clz"):
        widths[0] = 32
    if "wide" in words:
        widths[0] = 2 * narrow
        if count == 3:
            widths[3] = 2 * narrow
    return widths


def run(instruction, operands):
    widths = operand_widths(instruction, len(operands))
    lines = [".version 8.6", ".target sm_90", ".address_size 64"]
    lines += [".visible .entry row(.param .u64 failures, .param .u64 zeros) {", ".reg .b64 %a;"]
    lines += [f".reg .b{size} %r{index};" for index, size in enumerate(widths)]
    lines += ["ld.param.u64 %a, [zeros];"]
    lines += [f"mov.b{size} %r{index + 1}, {value & (1 << size) - 1};"
              for index, (size, value) in enumerate(zip(widths[1:], operands, strict=True))]
    lines += [f"{instruction} {', '.join(f'%r{index}' for index in range(len(widths)))};"]
    lines += [f"st.global.b{widths[0]} [%a], %r0;", "ret;", "}"]
    module = model.Module("\n".join(lines).encode(), 90)
    return module.run(model.Kernel("row"), 1, reads=widths[0] // 8)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {' '.join(map(hex, row[1]))}")
def test_result(row):
    instruction, operands, expected = row
    end, _, said, found = run(instruction, operands)
    assert end == "finished", said
    assert hex(found) == hex(expected)


# The flag behind a subtraction is set if it borrows nothing, as an H100 has it; and testp takes zero for a normal number.
FLAGS = [
    ("sub.cc.u32 %a, 7, 7; addc.u32 %a, 0, 0;", 1),
    ("sub.cc.u32 %a, 7, 8; addc.u32 %a, 0, 0;", 0),
    ("add.cc.u32 %a, 7, 8; subc.u32 %a, 9, 4;", 4),
    ("sub.cc.u32 %a, 7, 7; subc.u32 %a, 9, 4;", 5),
    ("testp.normal.f32 %p, 0f00000000; selp.u32 %a, 1, 0, %p;", 1),
    ("testp.normal.f32 %p, 0f00000001; selp.u32 %a, 1, 0, %p;", 0),
]


@pytest.mark.parametrize("row", FLAGS, ids=lambda row: row[0])
def test_flag(row):
    code, expected = row
    lines = [".version 8.6", ".target sm_90", ".address_size 64",
             ".visible .entry row(.param .u64 failures, .param .u64 zeros) {",
             ".reg .b64 %b; .reg .b32 %a; .reg .pred %p;", "ld.param.u64 %b, [zeros];", code, "st.global.b32 [%b], %a;", "ret;", "}"]
    end, _, said, found = model.Module("\n".join(lines).encode(), 90).run(model.Kernel("row"), 1, reads=4)
    assert (end, found) == ("finished", expected), said


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row[0])
def test_refused(row):
    instruction, operands, words = row
    end, _, said, _ = run(instruction, operands)
    assert end == "faulted"
    assert f"does not implement {words}, PTX line " in said
