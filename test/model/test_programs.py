"""Parts of PTX that programs need beside arithmetic: tables of branches, aliases, initial values, predicates, and what is refused."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import math
import struct

import pytest
from test_matrices import run
from test_values import interesting, run_all

from cudasync_tools import model


def module(body, before="", target="sm_90"):
    text = f""".version 9.0
.target {target}
.address_size 64
{before}
.visible .entry kernel(.param .u64 failures, .param .u64 zeros) {{
.reg .b64 %out, %d<8>;
.reg .b32 %lane, %r<16>;
.reg .b16 %h<8>;
.reg .f32 %f<8>;
.reg .pred %p, %q, %go;
mov.u32 %lane, %tid.x;
ld.param.u64 %out, [zeros];
mad.wide.u32 %out, %lane, 8, %out;
{body}
ret;
}}
"""
    return model.Module(text.encode(), 90)


def results(body, before="", threads=32):
    """What each lane stores at %out."""
    return run(module(body, before), threads, 64, threads)


def test_table_of_branches():
    body = """rem.u32 %r0, %lane, 3;
brx.idx %r0, targets;
targets: .branchtargets first, second, third;
first: mov.b32 %r1, 10; bra done;
second: mov.b32 %r1, 20; bra done;
third: mov.b32 %r1, 30;
done: st.global.u32 [%out], %r1;"""
    assert results(body) == [(10, 20, 30)[lane % 3] for lane in range(32)]


CALL = """{{ .param .b32 argument; .param .b32 result;
st.param.b32 [argument], %lane;
call (result), {callee}, (argument){prototype};
ld.param.b32 %r1, [result]; }}
st.global.u32 [%out], %r1;"""
SQUARE = """.func (.param .b32 result) square(.param .b32 argument) {
.reg .b32 %r<3>; ld.param.b32 %r0, [argument]; mul.lo.u32 %r1, %r0, %r0; st.param.b32 [result], %r1; ret; }
"""
FACTORIAL = """.func (.param .b32 result) factorial(.param .b32 argument) {
.reg .b32 %r<4>; .reg .pred %p; ld.param.b32 %r0, [argument]; mov.b32 %r1, 1; setp.lt.u32 %p, %r0, 2; @%p bra done;
{ .param .b32 smaller; .param .b32 made; sub.u32 %r2, %r0, 1; st.param.b32 [smaller], %r2;
call (made), factorial, (smaller); ld.param.b32 %r1, [made]; }
mul.lo.u32 %r1, %r1, %r0;
done: st.param.b32 [result], %r1; ret; }
"""


def test_calls():
    squares = [lane * lane for lane in range(32)]
    assert results(CALL.format(callee="square", prototype=""), SQUARE) == squares
    assert results(CALL.format(callee="other", prototype=""), SQUARE + ".alias other, square;") == squares
    indirect = "mov.u64 %d0, square;\nprototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    assert results(indirect + CALL.format(callee="%d0", prototype=", prototype"), SQUARE) == squares
    table = ".global .u64 table[2] = {square, factorial};\n"
    load = """mov.u64 %d1, table; and.b32 %r2, %lane, 1; mad.wide.u32 %d1, %r2, 8, %d1; ld.global.u64 %d0, [%d1];
prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
"""
    expected = [math.factorial(lane) & 0xFFFFFFFF if lane % 2 else lane * lane for lane in range(32)]
    assert results(load + CALL.format(callee="%d0", prototype=", prototype"), SQUARE + FACTORIAL + table) == expected


def test_addresses_of_shared_memory_have_the_rank():
    """Each block of a pair adds to a word of the first one, which it finds by clearing a bit, as kernels for pairs of blocks do."""
    body = """.shared .align 16 .b32 padding[4]; .shared .b32 word;
mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, word; mul.wide.u32 %d0, %r0, 32; add.u64 %out, %out, %d0;
st.shared.u32 [word], 0; barrier.cluster.arrive; barrier.cluster.wait;
and.b32 %r2, %r1, 0xfeffffff; add.u32 %r3, %r0, 5; red.relaxed.cluster.shared::cluster.add.u32 [%r2], %r3;
barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r4, [%r1]; st.global.u32 [%out], %r4;
getctarank.shared::cluster.u32 %r5, %r1; st.global.u32 [%out + 4], %r5;
mapa.shared::cluster.u32 %r6, %r1, 1; sub.u32 %r6, %r6, %r2; st.global.u32 [%out + 8], %r6;
cvta.shared.u64 %d1, %r1; isspacep.shared::cta %p, %d1; mapa.u64 %d2, %d1, 0; isspacep.shared::cta %q, %d2;
selp.b32 %r7, 1, 0, %p; st.global.u32 [%out + 12], %r7; selp.b32 %r7, 1, 0, %q; st.global.u32 [%out + 16], %r7;
barrier.cluster.arrive; barrier.cluster.wait;"""
    kernel = model.Kernel("kernel", grid=(2, 1, 1), cluster=(2, 1, 1))
    for seed in range(1, 9):
        end, _, said, memory = module(body).run(kernel, seed, reads=64)
        assert end == "finished", said
        words = [memory >> 32 * index & 0xFFFFFFFF for index in range(16)]
        assert (words[:5], words[8:13]) == ([11, 0, 1 << 24, 1, 1], [0, 1, 1 << 24, 1, 0])


def test_atomic_additions_of_subnormal_numbers():
    """In global memory, they count as zero; in shared memory, they do not."""
    body = """.shared .b32 words[32]; mov.u32 %r0, words; mad.lo.u32 %r0, %lane, 4, %r0; mov.b32 %r1, 3;
st.shared.u32 [%r0], %r1; st.global.u32 [%out], %r1; atom.shared.add.f32 %f0, [%r0], 0f00000002; red.global.add.f32 [%out], 0f00000002;
ld.shared.u32 %r2, [%r0]; st.global.u32 [%out + 4], %r2;"""
    assert results(body) == [5 << 32] * 32


def test_memory_of_the_stack():
    """Of two allocations, the second is given back and made again; the sum is what was stored in both."""
    body = """stacksave.u64 %d0; alloca.u64 %d1, 64, 16; st.local.u32 [%d1 + 60], 5; stacksave.u64 %d2; alloca.u64 %d3, 32, 32;
st.local.u32 [%d3], 7; ld.local.u32 %r0, [%d1 + 60]; ld.local.u32 %r1, [%d3]; add.u32 %r0, %r0, %r1; stackrestore.u64 %d2;
alloca.u64 %d4, 32, 32; sub.u64 %d4, %d4, %d3; cvt.u32.u64 %r2, %d4; and.b64 %d3, %d3, 31; cvt.u32.u64 %r3, %d3;
add.u32 %r0, %r0, %r2; add.u32 %r0, %r0, %r3; st.global.u32 [%out], %r0;"""
    assert results(body) == [12] * 32


def test_initial_values():
    before = """.global .align 8 .b32 numbers[4] = {1, -2, 0f3f800000, 4};
.const .align 8 .u64 places[2] = {generic(numbers), generic(numbers)+8};
.global .align 8 .b8 mixed[12] = {7, 0, 0, 0, 0xFF(generic(numbers)), 0xFF00(generic(numbers)), 0xFF0000(generic(numbers)),
  0xFF000000(generic(numbers)), 0xFF00000000(generic(numbers)), 0xFF0000000000(generic(numbers)),
  0xFF000000000000(generic(numbers)), 0xFF00000000000000(generic(numbers))};
"""
    body = """ld.const.u64 %d0, [places + 8]; ld.u32 %r0, [%d0]; mov.u64 %d1, mixed; ld.global.u32 %r1, [mixed + 4];
ld.global.u32 %r2, [%d1 + 8]; mov.b64 %d2, {%r1, %r2}; ld.u32 %r3, [%d2 + 4]; mov.b64 %d3, {%r0, %r3}; st.global.u64 [%out], %d3;"""
    assert results(body, before, 1) == [0x3F800000 | 0xFFFFFFFE << 32]


def test_predicates():
    body = """.reg .b32 %a, %b; mov.b32 %a, 0x3c004000; mov.b32 %b, 0x40003c00;
setp.gt.f16x2 %p|%q, %a, %b; selp.b32 %r0, 1, 0, %p; selp.b32 %r1, 2, 0, %q;
set.gt.u32.f16x2 %r2, %a, %b; set.lt.f16x2.f16x2 %r3, %a, %b;
setp.ne.b32 %p, 0, 1; lop3.or.b32 %r4|%q, 12, 10, 15, 0x80, %q; selp.b32 %r4, %r4, 0, %q;
setp.ne.b32 %q, 0, 0; lop3.and.b32 %r5|%q, 12, 10, 15, 0x80, %q; selp.b32 %r5, 1, 0, %q;
mov.b32 %r6, 0; add.u32 %r6, %r0, %r1; shl.b32 %r7, %r4, 4; or.b32 %r6, %r6, %r7; or.b32 %r6, %r6, %r5;
xor.b32 %r8, %r2, %r3; mov.b64 %d0, {%r6, %r8}; st.global.u64 [%out], %d0;"""
    # Of the halves of a (2 and 1) and b (1 and 2), the low one of a is greater.
    assert results(body, "", 1) == [(1 | 8 << 4) | (0xFFFF ^ 0x3C000000) << 32]


def test_redux_of_floats():
    body = """cvt.rn.f32.u32 %f0, %lane; sub.f32 %f0, %f0, 0f41f80000; redux.sync.min.abs.f32 %f1, %f0, -1;
redux.sync.max.f32 %f2, %f0, -1; mov.b64 %d0, {%f1, %f2}; st.global.u64 [%out], %d0;"""
    found = run(module(body, target="sm_100a"), 32, 64)
    low, high = (struct.unpack("<I", struct.pack("<f", value))[0] for value in (0.0, 0.0))
    assert found == [low | high << 32] * 32


def unsupported(made):
    text = ctypes.create_string_buffer(4096)
    model.machine().model_unsupported(ctypes.c_void_p(made.loaded), b"kernel", text, ctypes.c_size_t(len(text)))
    return text.value.decode().splitlines()


TEXTURE = "tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d0, {%f4, %f5}];"


def test_refused_only_where_it_is_reached():
    made = module("setp.eq.u32 %p, %lane, 99;\n@%p vadd.s32.s32.s32 %r0, %r1, %r2;\n@%p bra never;\nst.global.u32 [%out], 7;\nret;\nnever:\n"
                  + TEXTURE)
    assert run(made, 1, 64) == [7]
    names = unsupported(made)
    assert [name.split(", PTX line ")[0] for name in names] == ["textures and surfaces: tex.cube.v4.f32.f32", "vadd.s32.s32.s32"]
    end, _, said, _ = module(TEXTURE).run(model.Kernel("kernel"), 1, reads=8)
    assert end == "faulted"
    assert "the machine does not implement textures and surfaces: tex.cube.v4.f32.f32, PTX line 14" in said


# (instruction, the function, the greatest error relative to the result, the greatest absolute error), as the manual states them.
APPROXIMATE = [
    ("ex2.approx.f32", lambda x: 2.0**x, 2**-22, 2**-149), ("ex2.approx.ftz.f32", lambda x: 2.0**x, 2**-22, 2**-126),
    ("lg2.approx.f32", math.log2, 2**-22, 2**-22), ("sin.approx.f32", math.sin, 0, 2**-20.5),
    ("cos.approx.f32", math.cos, 0, 2**-20.5), ("tanh.approx.f32", math.tanh, 2**-11, 0),
    ("rcp.approx.f32", lambda x: 1 / x, 2**-23, 0), ("rcp.approx.ftz.f32", lambda x: 1 / x, 2**-23, 2**-126),
    ("sqrt.approx.f32", math.sqrt, 2**-23, 0), ("rsqrt.approx.f32", lambda x: 1 / math.sqrt(x), 2**-22.4, 0),
    ("rcp.approx.ftz.f64", lambda x: 1 / x, 2**-20, 0), ("rsqrt.approx.f64", lambda x: 1 / math.sqrt(x), 2**-20, 0),
    ("ex2.approx.f16", lambda x: 2.0**x, 2**-9.9, 2**-24), ("tanh.approx.f16", math.tanh, 2**-10.987, 2**-24),
    ("tanh.approx.bf16", math.tanh, 2**-8, 0),
]
CODES = {"f32": "<f", "f64": "<d", "f16": "<e"}


def number(kind, raw):
    if kind == "bf16":
        kind, raw = "f32", raw << 16
    return struct.unpack(CODES[kind], raw.to_bytes(struct.calcsize(CODES[kind]), "little"))[0]


@pytest.mark.parametrize("row", APPROXIMATE, ids=lambda row: row[0])
def test_approximate(row):
    instruction, function, relative, absolute = row
    kind = instruction.split(".")[-1]
    width = {"f64": 64, "f32": 32}.get(kind, 16)
    values = [raw for raw in interesting(kind, 120, instruction) if 2**-100 < abs(number(kind, raw)) < 2**100]
    if kind in ("f32", "f64") and instruction.split(".")[0] in ("sin", "cos"):
        values = [raw for raw in values if abs(number(kind, raw)) <= math.pi]  # where the bound holds
    found = run_all([(instruction, [width, width], [raw]) for raw in values])
    for raw, result in zip(values, found, strict=True):
        value = number(kind, raw)
        try:
            expected = function(value)
        except (ValueError, OverflowError):
            continue
        if abs(expected) > 65504 and kind == "f16":
            continue
        if kind in ("f32", "bf16") and abs(expected) > 3.4e38:
            continue
        assert abs(number(kind, result) - expected) <= relative * abs(expected) + absolute, (value, expected, number(kind, result))


ONE, INFINITY, NEGATIVE, NAN = 0x3F800000, 0x7F800000, 0x80000000, 0x7FFFFFFF
# From the tables of special values in the manual.
SPECIAL = [
    ("ex2.approx.f32", INFINITY | NEGATIVE, 0), ("ex2.approx.f32", 0, ONE), ("ex2.approx.f32", INFINITY, INFINITY),
    ("ex2.approx.f32", NAN, NAN), ("lg2.approx.f32", 0, INFINITY | NEGATIVE), ("lg2.approx.f32", ONE | NEGATIVE, NAN),
    ("lg2.approx.f32", INFINITY, INFINITY), ("sin.approx.f32", INFINITY, NAN), ("sin.approx.f32", NEGATIVE, NEGATIVE),
    ("cos.approx.f32", 0, ONE), ("cos.approx.f32", INFINITY | NEGATIVE, NAN), ("rsqrt.approx.f32", 0, INFINITY),
    ("rsqrt.approx.f32", NEGATIVE, INFINITY | NEGATIVE), ("rsqrt.approx.f32", INFINITY, 0), ("rsqrt.approx.f32", ONE | NEGATIVE, NAN),
    ("rcp.approx.f32", NEGATIVE, INFINITY | NEGATIVE), ("rcp.approx.f32", INFINITY, 0), ("sqrt.approx.f32", NEGATIVE, NEGATIVE),
    ("sqrt.approx.f32", ONE | NEGATIVE, NAN), ("tanh.approx.f32", INFINITY | NEGATIVE, ONE | NEGATIVE), ("tanh.approx.f32", NAN, NAN),
]


def test_special_values():
    found = run_all([(instruction, [32, 32], [raw]) for instruction, raw, _ in SPECIAL])
    assert [(*row[:2], result) for row, result in zip(SPECIAL, found, strict=True)] == SPECIAL
