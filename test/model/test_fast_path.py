"""The machine's forms of usual instructions for all lanes at once do what its general code does, on random instructions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import random

import pytest

from cudasync_tools import model

WORDS, WIDE, SHORT, FLAGS = 10, 10, 6, 6  # registers
AREA = 64  # bytes of memory of each thread
SPECIAL = (0, 1, 2, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000,
           0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00001, 0x00000001, 0x3FF0000000000000, 0xBFF8000000000000,
           0x7FF0000000000000, 0x7FF8000000000000, 0x8000000000000000, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF)

# Operands, the result first: r of 32 bits, d of 64, h of 16, p predicates, n a number in the instruction.
BITS = {"16": "h", "32": "r", "64": "d"}
FORMS = [
    *(f"{name}.{kind}{size} {x}{x}{x}" for name in ("add", "sub") for size, x in BITS.items() for kind in "us"),
    *(f"{name}.b{size} {x}{x}{x}" for name in ("and", "or", "xor") for size, x in BITS.items()),
    *(f"{name}.pred ppp" for name in ("and", "or", "xor")),
    *(f"not.b{size} {x}{x}" for size, x in BITS.items()), "not.pred pp", "mov.pred pp",
    *(f"mov.b{size} {x}{x}" for size, x in BITS.items()),
    *(f"shl.b{size} {x}{x}r" for size, x in BITS.items()),
    *(f"shr.{kind}{size} {x}{x}r" for size, x in BITS.items() for kind in "us"),
    *(f"selp.b{size} {x}{x}{x}p" for size, x in BITS.items()),
    *(f"setp.{how}.{kind}{size} p{x}{x}" for how in ("eq", "ne", "lt", "le", "gt", "ge") for size, x in BITS.items()
      for kind in "us"),
    *(f"setp.{how}.f{size} p{x}{x}" for how in ("lt", "ge", "neu", "ltu", "num", "nan") for size, x in (("32", "r"), ("64", "d"))),
    *(f"{name}.{kind}32 rrr" for name in ("mul.lo", "mul.hi", "min", "max") for kind in "us"),
    *(f"mul.wide.{kind}{size}" for kind in "us" for size in ("16 rhh", "32 drr")),
    *(f"mad.{form}" for form in ("lo.u32 rrrr", "lo.s64 dddd", "wide.u32 drrd", "wide.s32 drrd")),
    "mul.lo.s64 ddd", "neg.s32 rr", "neg.s64 dd", "lop3.b32 rrrrn", "shf.l.wrap.b32 rrrr", "shf.r.wrap.b32 rrrr",
    "shf.l.clamp.b32 rrrr", "add.sat.s32 rrr",
    *(f"cvt.{a}{to}.{b}{of} {BITS[to]}{BITS[of]}" for to in BITS for of in BITS for a in "us" for b in "us"),
    *(f"cvt.{a}8.{b}32 rr" for a in "us" for b in "us"), "cvt.rn.f32.s32 rr", "cvt.rn.f32.u32 rr",
    *(f"{name}.f32 rrr" for name in ("add", "sub", "mul", "add.rz", "mul.ftz")), "fma.rn.f32 rrrr",
    *(f"{name}.f64 ddd" for name in ("sub", "mul")),
    *(f"{name}.{kind}" for name in ("ld", "st") for kind in ("u8 r", "s8 r", "u16 h", "s16 h", "u32 r", "s32 r", "b64 d")),
    *(f"{name}.v{count}.{kind}" for name in ("ld", "st") for count, kind in ((2, "u32 rr"), (4, "u32 rrrr"), (2, "u64 dd"))),
    "bra",
]  # fmt: skip
SPACES = {"global": "%mine", "shared": "%place", "": "%mine"}


def statement(choose, form, number):
    """One instruction, sometimes for some lanes only; number: of the label behind a branch."""
    guard = choose.choice(["", "", "", "@%p0 ", f"@!%p{choose.randrange(FLAGS)} "])
    name, _, kinds = form.partition(" ")
    if name == "bra":
        return f"@%p{choose.randrange(FLAGS)} bra L{number};\n add.u32 %r1, %r1, 77;\nL{number}:"

    def register(kind):
        return f"%{kind}{choose.randrange({'r': WORDS, 'd': WIDE, 'h': SHORT, 'p': FLAGS}[kind])}"

    def source(kind):
        if kind == "n":
            return str(choose.randrange(256))
        if kind == "p" or choose.random() < 0.7:
            return register(kind)
        return str(choose.choice(SPECIAL) & ((1 << {"h": 16, "r": 32, "d": 64}[kind]) - 1))

    if name[:2] in ("ld", "st"):
        space = choose.choice(list(SPACES))
        size = int("".join(filter(str.isdigit, name.split(".")[-1]))) // 8 * len(kinds)
        memory = f"[{SPACES[space]}+{choose.randrange(AREA // size) * size}]"
        parts = choose.sample([f"%{kinds[0]}{index}" for index in range(SHORT)], len(kinds))  # all of a load differ
        value = parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"
        name = name[:2] + (f".{space}" if space else "") + name[2:]
        return f"{guard}{name} " + (f"{value}, {memory};" if name[0] == "l" else f"{memory}, {value};")
    return f"{guard}{name} " + ", ".join([register(kinds[0]), *map(source, kinds[1:])]) + ";"


def program(seed):
    choose = random.Random(seed)
    lines = []
    for index in range(WORDS):
        lines.append(f"mad.lo.u32 %r{index}, %tid, {choose.choice((0, 1, 0x10001, 0x9E3779B9))}, {choose.choice(SPECIAL) & 0xFFFFFFFF};")
    for index in range(WIDE):
        lines.append(f"mov.b64 %d{index}, {choose.choice(SPECIAL)};")
        lines.append(f"mad.wide.u32 %d{index}, %tid, {choose.choice((0, 1, 0x9E3779B9))}, %d{index};")
    lines += [f"cvt.u16.u32 %h{index}, %r{index};" for index in range(SHORT)]
    lines += [f"setp.lt.u32 %p{index}, %tid, {choose.randrange(33)};" for index in range(FLAGS)]
    lines += [statement(choose, choose.choice(FORMS), number) for number in range(250)]
    for index in range(FLAGS):
        lines.append(f"selp.u32 %t, 1, 0, %p{index}; st.global.u32 [%out+{4 * index}], %t;")
    for index in range(SHORT):
        lines.append(f"st.global.u16 [%out+{24 + 2 * index}], %h{index};")
    for index in range(WORDS):
        lines.append(f"st.global.u32 [%out+{36 + 4 * index}], %r{index};")
    for index in range(WIDE):
        lines.append(f"st.global.u64 [%out+{80 + 8 * index}], %d{index};")
    body = "\n".join(lines)
    return f"""
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_0, .param .u64 k_1) {{
.reg .u32 %tid, %t, %place, %base; .reg .b64 %mine, %out, %offset;
.reg .b32 %r<{WORDS}>; .reg .b64 %d<{WIDE}>; .reg .b16 %h<{SHORT}>; .reg .pred %p<{FLAGS}>;
.shared .align 16 .b8 area[{64 * AREA}];
mov.u32 %tid, %tid.x;
ld.param.u64 %out, [k_1];
mul.wide.u32 %offset, %tid, {AREA};
add.u64 %mine, %out, %offset;
add.u64 %mine, %mine, {64 * 256};
mul.wide.u32 %offset, %tid, 256;
add.u64 %out, %out, %offset;
mov.u32 %base, area;
mad.lo.u32 %place, %tid, {AREA}, %base;
{"".join(f"st.shared.u64 [%place+{at}], {at};" for at in range(0, AREA, 8))}
{body}
ret;
}}"""


@pytest.mark.parametrize("seed", range(16))
def test_fast_forms_do_what_the_general_code_does(seed):
    text = program(seed)
    module = model.Module(text.encode(), 90)
    kernel = model.Kernel("k", block=(64, 1, 1))
    results = []
    for fast in (0, 1):
        model.machine().model_use_fast_path(fast)
        results.append(module.run(kernel, seed + 1, reads=64 * (256 + AREA)))
    assert results[0][0] == "finished", results[0][2]
    assert results[0] == results[1]
