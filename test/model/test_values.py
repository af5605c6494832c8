"""Results of arithmetic instructions for special values and random operands, against exact fractions and Python's integers."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import math
import os
import random
from fractions import Fraction

import pytest

from cudasync_tools import driver, model

# The GPU computes them, and not the machine.
ON_GPU = os.environ.get("CUDASYNC_VALUES_OF_GPU") == "1"
INFINITY, NAN = math.inf, math.nan


class Format:
    """Of floating-point numbers: bits of the exponent and of the mantissa, and how the greatest finite one is encoded."""

    def __init__(self, exponent, mantissa, nan, has_infinity=True, shift=0):
        self.exponent, self.mantissa, self.nan, self.has_infinity, self.shift = exponent, mantissa, nan, has_infinity, shift
        self.bits = 1 + exponent + mantissa
        self.bias = 2**(exponent - 1) - 1
        self.infinity = (2**exponent - 1) << mantissa
        self.greatest = self.infinity - 1 if has_infinity else (1 << (exponent + mantissa)) - 2

    def decode(self, raw):
        """A fraction, or an infinity or NaN as a float, and whether it is negative."""
        raw >>= self.shift
        negative = bool(raw >> (self.bits - 1))
        magnitude = raw & ((1 << (self.bits - 1)) - 1)
        if self.has_infinity and magnitude >= self.infinity:
            return (NAN if magnitude > self.infinity else -INFINITY if negative else INFINITY), negative
        if magnitude > self.greatest:
            return NAN, negative
        field, part = magnitude >> self.mantissa, magnitude & ((1 << self.mantissa) - 1)
        value = Fraction(part + (1 << self.mantissa if field else 0)) * Fraction(2)**(max(field, 1) - self.bias - self.mantissa)
        return (-value if negative else value), negative

    def encode(self, value, mode="rn", zero_is_negative=False, finite=False):
        """A fraction, an infinity or NaN, rounded once."""
        if isinstance(value, float):
            if math.isnan(value):
                return self.nan << self.shift
            if not finite:
                return (self.infinity | (value < 0) << (self.bits - 1)) << self.shift
            return (self.greatest | (value < 0) << (self.bits - 1)) << self.shift
        negative = value < 0 or (value == 0 and zero_is_negative)
        magnitude = abs(value)
        least = 1 - self.bias
        exponent = least
        if magnitude:
            exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
            if Fraction(2)**exponent > magnitude:
                exponent -= 1
            exponent = max(exponent, least)
        scaled = magnitude / Fraction(2)**(exponent - self.mantissa)
        whole = scaled.numerator // scaled.denominator
        rest = scaled - whole
        half = Fraction(1, 2)
        away = {"rn": rest > half or (rest == half and whole % 2), "rna": rest >= half, "rz": False,
                "rm": negative and rest > 0, "rp": not negative and rest > 0}[mode]
        raw = whole + bool(away) + ((exponent - least) << self.mantissa)
        if raw > self.greatest:
            stays = finite or mode == "rz" or (mode == "rm" and not negative) or (mode == "rp" and negative)
            raw = self.greatest if stays else self.infinity
        return (raw | negative << (self.bits - 1)) << self.shift


FORMATS = {
    "f16": Format(5, 10, 0x7FFF), "bf16": Format(8, 7, 0x7FFF), "f32": Format(8, 23, 0x7FFFFFFF),
    "f64": Format(11, 52, 0x7FF8000000000000), "tf32": Format(8, 10, 0x3FFFF, shift=13),
    "e4m3": Format(4, 3, 0x7F, has_infinity=False), "e5m2": Format(5, 2, 0x7F),
}
WIDTHS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "tf32": 32, "e4m3": 8, "e5m2": 8}


def interesting(name, count, seed):
    """Special values of a format and random ones, many of them close to each other."""
    of = FORMATS[name]
    chosen = random.Random(seed)
    sign = 1 << (of.bits - 1)
    one = of.bias << of.mantissa
    all_ = [0, 1, 2, (1 << of.mantissa) - 1, 1 << of.mantissa, of.greatest, of.greatest - 1, of.infinity if of.has_infinity else of.greatest,
            of.nan, one, one + 1, one - 1]
    all_ = [raw & (2 * sign - 1) for raw in all_]
    all_ += [raw ^ sign for raw in all_ if not isinstance(of.decode(raw << of.shift)[0], float) or raw == of.infinity]
    while len(all_) < count:
        raw = chosen.getrandbits(of.bits)
        if chosen.random() < 0.5:  # near 1
            raw = (raw & (sign | (1 << of.mantissa) - 1)) | (of.bias + chosen.randint(-3, 3)) << of.mantissa
        all_.append(raw)
    chosen.shuffle(all_)
    return [raw << of.shift for raw in all_[:count]]


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def flush(of, raw):
    value, negative = of.decode(raw)
    is_small = not isinstance(value, float) and abs(value) < Fraction(2)**(1 - of.bias)
    return negative << (of.bits - 1) if is_small else raw


def summed(terms, mode):
    """The exact sum of (value, is negative) and, of a zero, whether it is negative."""
    values = [value for value, _ in terms]
    if any(map(is_nan, values)) or {INFINITY, -INFINITY} <= {value for value in values if isinstance(value, float)}:
        return NAN, False
    for value in values:
        if isinstance(value, float):
            return value, value < 0
    total = sum(values, Fraction(0))
    signs = {negative for _, negative in terms}
    return total, (signs == {True} if len(signs) == 1 else mode == "rm")


def product(one, other):
    (a, a_negative), (b, b_negative) = one, other
    negative = a_negative != b_negative
    if is_nan(a) or is_nan(b) or (isinstance(a, float) and b == 0) or (isinstance(b, float) and a == 0):
        return NAN, False
    if isinstance(a, float) or isinstance(b, float):
        return (-INFINITY if negative else INFINITY), negative
    return a * b, negative


def quotient(one, other):
    (a, a_negative), (b, b_negative) = one, other
    negative = a_negative != b_negative
    if is_nan(a) or is_nan(b) or (isinstance(a, float) and isinstance(b, float)) or (a == 0 and b == 0):
        return NAN, False
    if isinstance(b, float):
        return Fraction(0), negative
    if isinstance(a, float) or b == 0:
        return (-INFINITY if negative else INFINITY), negative
    return a / b, negative


def square_root(one):
    value, negative = one
    if is_nan(value) or (negative and value != 0):
        return NAN, False
    if isinstance(value, float) or value == 0:
        return value, negative
    # Enough digits that what is cut off decides no rounding, except that it is not zero.
    scale = 1 << 200
    scaled = value.numerator * value.denominator * scale * scale
    root = math.isqrt(scaled)
    exact = Fraction(root, value.denominator * scale)
    return (exact if root * root == scaled else exact + Fraction(1, value.denominator * scale * 4)), False


def exact(name, terms, mode):
    if name in ("add", "sub"):
        first, second = terms
        if name == "sub":
            second = (second[0] if is_nan(second[0]) else -second[0]), not second[1]
        return summed([first, second], mode)
    if name == "mul":
        return product(*terms)
    if name in ("fma", "mad"):
        return summed([product(*terms[:2]), terms[2]], mode)
    if name == "div":
        return quotient(*terms)
    if name == "rcp":
        return quotient((Fraction(1), False), terms[0])
    return square_root(terms[0])


def reference(instruction, raws):
    """What the manual says of a floating-point instruction of one number."""
    words = instruction.split(".")
    name, of = words[0], FORMATS[words[-1]]
    mode = next((word for word in words if word in ("rz", "rm", "rp")), "rn")
    if "ftz" in words:
        raws = [flush(of, raw) for raw in raws]
    value, negative = exact(name, [of.decode(raw) for raw in raws], mode)
    if "sat" in words:
        value = Fraction(0) if is_nan(value) or value <= 0 else Fraction(1) if value > 1 else value
        negative = False
    if "relu" in words and not is_nan(value) and (value < 0 or negative):
        value, negative = Fraction(0), False
    result = of.encode(value, mode, negative)
    return flush(of, result) if "ftz" in words else result


COUNTS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "fma": 3, "mad": 3, "rcp": 1, "sqrt": 1}
MODES = ("rn", "rz", "rm", "rp")
FLOATS = [f"{name}.{mode}{ftz}{sat}.f32" for name in ("add", "sub", "mul", "fma", "mad") for mode in MODES
          for ftz in ("", ".ftz") for sat in ("", ".sat")]
FLOATS += [f"{name}.{mode}{ftz}.f32" for name in ("div", "rcp", "sqrt") for mode in MODES for ftz in ("", ".ftz")]
FLOATS += [f"{name}.{mode}.f64" for name in ("add", "sub", "mul", "fma", "div", "rcp", "sqrt") for mode in MODES]
FLOATS += [f"{name}.rn{ftz}{sat}.f16" for name in ("add", "sub", "mul", "fma") for ftz in ("", ".ftz") for sat in ("", ".sat")]
FLOATS += [f"fma.rn{ftz}.relu.f16" for ftz in ("", ".ftz")]
FLOATS += [f"{name}.rn.bf16" for name in ("add", "sub", "mul", "fma")] + ["fma.rn.relu.bf16"]


def run_all(rows):
    """Of (instruction, widths of the result and the operands, operands): the results, all from one kernel."""
    lines = [".version 9.0", f".target {'sm_90a' if ON_GPU else 'sm_100a'}", ".address_size 64",
             ".visible .entry row(.param .u64 given, .param .u64 zeros) {", ".reg .b64 %a, %g;", "ld.param.u64 %a, [zeros];",
             "ld.param.u64 %g, [given];"]
    given = []
    for index, (instruction, widths, values) in enumerate(rows):
        lines.append("{")
        lines += [f".reg .b{size} %r{place};" for place, size in enumerate(widths)]
        for place, (size, value) in enumerate(zip(widths[1:], values, strict=True), 1):  # ptxas computes with constants itself
            lines.append(f"ld.global.b{size} %r{place}, [%g + {8 * len(given)}];" if ON_GPU else f"mov.b{size} %r{place}, {value};")
            given.append(value)
        names = ", ".join(f"%r{place}" for place in range(len(widths)))
        if instruction.startswith("testp"):
            lines += [".reg .pred %p;", f"{instruction} %p, %r1;", "selp.b32 %r0, 1, 0, %p;"]
        else:
            lines.append(f"{instruction} {names};")
        lines += [f"st.global.b{widths[0]} [%a + {8 * index}], %r0;", "}"]
    lines += ["ret;", "}"]
    assert 8 * len(rows) <= model.SCRATCH
    text = "\n".join(lines).encode()
    if ON_GPU:
        memory = int.from_bytes(of_gpu(text, given, 8 * len(rows)), "little")
    else:
        end, _, said, memory = model.Module(text, 100).run(model.Kernel("row"), 1, finds_races=False, reads=8 * len(rows))
        assert end == "finished", said
    return [memory >> 64 * index & (1 << row[1][0]) - 1 for index, row in enumerate(rows)]


def of_gpu(text, given, size):
    try:
        return driver.run(text, "row", b"".join(value.to_bytes(8, "little") for value in given), size)
    except driver.Unsupported as error:
        pytest.skip(f"not on this GPU: {error}")


def different(rows, expected):
    found = run_all(rows)
    return [f"{row[0]} {' '.join(map(hex, row[2]))}: {hex(one)}, expected {hex(other)}"
            for row, one, other in zip(rows, found, expected, strict=True) if one != other][:10]


@pytest.mark.parametrize("instruction", FLOATS)
def test_float(instruction):
    name, kind = instruction.split(".")[0], instruction.split(".")[-1]
    count = 60
    columns = [interesting(kind, count, f"{instruction} {index}") for index in range(COUNTS[name])]
    if len(columns) > 1:  # the sum of a number and its negation, and the like
        columns[-1][:5] = [raw ^ 1 << (WIDTHS[kind] - 1) for raw in columns[0][:5]]
    width = WIDTHS[kind]
    rows = [(instruction, [width] * (1 + len(columns)), list(values)) for values in zip(*columns, strict=True)]
    expected = [reference(instruction, row[2]) for row in rows]
    if kind == "f64":  # which NaN it is, the manual does not say
        found = run_all(rows)
        for index, raw in enumerate(expected):
            if raw == FORMATS["f64"].nan:
                assert is_nan(FORMATS["f64"].decode(found[index])[0])
                rows[index] = ("mov.b64", [64, 64], [raw])
    assert different(rows, expected) == []


PAIRS = ["add.rn.f16x2", "sub.rn.f16x2", "mul.rn.f16x2", "fma.rn.f16x2", "fma.rn.relu.f16x2", "add.rn.sat.f16x2",
         "add.rn.bf16x2", "mul.rn.bf16x2", "fma.rn.bf16x2", "fma.rn.relu.bf16x2", "add.rn.f32x2", "mul.rz.f32x2",
         "fma.rp.f32x2", "fma.rn.ftz.f32x2"]


@pytest.mark.parametrize("instruction", PAIRS)
def test_pair(instruction):
    """Both halves are as if by the instruction of one number."""
    name, kind = instruction.split(".")[0], instruction.split(".")[-1][:-2]
    width = WIDTHS[kind]
    columns = [interesting(kind, 80, f"{instruction} {index}") for index in range(COUNTS[name])]
    rows, expected = [], []
    numbers = list(zip(*columns, strict=True))
    for low, high in zip(numbers[::2], numbers[1::2], strict=True):
        rows.append((instruction, [2 * width] * (1 + len(columns)), [a | b << width for a, b in zip(low, high, strict=True)]))
        expected.append(reference(instruction[:-2], list(low)) | reference(instruction[:-2], list(high)) << width)
    assert different(rows, expected) == []


def reference_conversion(instruction, raw):
    words = instruction.split(".")
    to, source = FORMATS[words[-2]], FORMATS[words[-1]]
    mode = next((word for word in words if word in ("rn", "rz", "rm", "rp", "rna")), "rn")
    if "ftz" in words and words[-1] == "f32":
        raw = flush(source, raw)
    value, negative = source.decode(raw)
    if "relu" in words and not is_nan(value) and (value < 0 or negative):
        value, negative = Fraction(0), False
    if "sat" in words:
        value = Fraction(0) if is_nan(value) or value <= 0 else Fraction(1) if value > 1 else value
        negative = False
    if is_nan(value) and words[-2] == "tf32":
        return 0x7FFFFFFF
    result = to.encode(value, mode, negative, "satfinite" in words)
    return flush(to, result) if "ftz" in words and words[-2] == "f32" else result


CONVERSIONS = [f"cvt.{mode}{sat}.{to}.{source}" for to, source in (("f16", "f32"), ("f16", "f64"), ("f32", "f64"))
               for mode in MODES for sat in ("", ".sat")]
CONVERSIONS += [f"cvt.{mode}.bf16.{source}" for source in ("f32", "f64", "f16") for mode in MODES]
CONVERSIONS += [f"cvt.{mode}{relu}{finite}.{to}.f32" for to in ("f16", "bf16") for mode in ("rn", "rz")
                for relu in ("", ".relu") for finite in ("", ".satfinite")]
CONVERSIONS += [f"cvt{rest}.{to}.{source}" for to, source in (("f32", "f16"), ("f64", "f16"), ("f64", "f32"))
                for rest in ("", ".sat")] + ["cvt.f32.bf16", "cvt.f64.bf16", "cvt.ftz.f64.f32", "cvt.rn.ftz.f32.f64"]
CONVERSIONS += [f"cvt.{mode}{finite}.tf32.f32" for mode in ("rna", "rn", "rz") for finite in ("", ".satfinite")]


@pytest.mark.parametrize("instruction", CONVERSIONS)
def test_conversion(instruction):
    to, source = instruction.split(".")[-2:]
    values = interesting(source, 200, instruction)
    # Close to the numbers of the other format, and between them.
    middle = FORMATS[to]
    for raw in interesting(to, 60, instruction + "to"):
        value, negative = middle.decode(raw)
        if not isinstance(value, float):
            near = FORMATS[source].encode(value, "rz", negative)
            values += [near, near ^ 1, near + 1 & (1 << WIDTHS[source]) - 1]
    if "f64" in (to, source) or to == "tf32" or source == "bf16":  # which NaN it becomes, the manual does not say
        is_zero = ".sat" in instruction and to != "tf32"  # a NaN becomes zero; an H100 keeps a part of it for .satfinite.tf32
        values = [raw for raw in values if not is_nan(FORMATS[source].decode(raw)[0]) or is_zero]
    rows = [(instruction, [WIDTHS[to], WIDTHS[source]], [raw]) for raw in values]
    assert different(rows, [reference_conversion(instruction, raw) for raw in values]) == []


@pytest.mark.parametrize("to", ["e4m3", "e5m2", "f16", "bf16"])
@pytest.mark.parametrize("relu", ["", ".relu"])
def test_conversion_of_two(to, relu):
    """The first operand becomes the upper half."""
    finite = ".satfinite" if to[0] == "e" else ""
    instruction = f"cvt.rn{finite}{relu}.{to}x2.f32"
    values = interesting("f32", 200, instruction)
    for raw in range(0, 256, 3):
        value, negative = FORMATS[to].decode(raw)
        values += [] if isinstance(value, float) else [FORMATS["f32"].encode(value, "rn", negative) ^ raw % 2]
    width = WIDTHS[to]
    rows = [(instruction, [2 * width, 32, 32], [a, b]) for a, b in zip(values, values[1:] + values[:1], strict=True)]
    single = instruction.replace("x2", "")
    expected = [reference_conversion(single, a) << width | reference_conversion(single, b) for _, _, (a, b) in rows]
    assert different(rows, expected) == []


@pytest.mark.parametrize("source", ["e4m3", "e5m2"])
def test_all_numbers_of_eight_bits(source):
    rows = [(f"cvt.rn.f16x2.{source}x2", [32, 16], [low | (255 - low) << 8]) for low in range(256)]
    single = f"cvt.rn.f16.{source}"
    expected = [reference_conversion(single, low) | reference_conversion(single, 255 - low) << 16 for low in range(256)]
    assert different(rows, expected) == []


def signed(value, width):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def clamp(value, width):
    return max(-(1 << width - 1), min(value, (1 << width - 1) - 1))


# Of integers as Python has them, with the sign that the type has.
INTEGERS: dict = {
    "add": lambda a, b, w: a + b, "sub": lambda a, b, w: a - b, "mul.lo": lambda a, b, w: a * b,
    "mul.hi": lambda a, b, w: a * b >> w, "mul.wide": lambda a, b, w: a * b, "min": lambda a, b, w: min(a, b),
    "max": lambda a, b, w: max(a, b), "mad.lo": lambda a, b, c, w: a * b + c, "mad.hi": lambda a, b, c, w: (a * b >> w) + c,
    "mad.wide": lambda a, b, c, w: a * b + c, "sad": lambda a, b, c, w: abs(a - b) + c,
    "div": lambda a, b, w: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "rem": lambda a, b, w: abs(a) % abs(b) * (-1 if a < 0 else 1),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_integer(name):
    chosen = random.Random(name)
    rows, expected = [], []
    for kind in ("u16", "s16", "u32", "s32", "u64", "s64"):
        width = int(kind[1:])
        if "wide" in name and width == 64:
            continue
        count = INTEGERS[name].__code__.co_argcount - 1
        for _ in range(60):
            values = [chosen.choice([0, 1, 2, (1 << width) - 1, 1 << width - 1, (1 << width - 1) - 1, chosen.getrandbits(width),
                                     chosen.getrandbits(width // 2)]) for _ in range(count)]
            if name in ("div", "rem") and values[1] in (0, (1 << width) - 1):
                values[1] = 3
            sizes = [width] * (count + 1)
            if "wide" in name:
                sizes[0] = 2 * width
                if count == 3:
                    sizes[3] = 2 * width
                    values[2] = chosen.getrandbits(2 * width)
            numbers = [signed(value, size) if kind[0] == "s" else value for value, size in zip(values, sizes[1:], strict=True)]
            rows.append((f"{name}.{kind}", sizes, values))
            expected.append(INTEGERS[name](*numbers, width) & (1 << sizes[0]) - 1)
    assert different(rows, expected) == []


PERMUTED = {
    "f4e": lambda b, c: [b[c], b[c + 1], b[c + 2], b[c + 3]], "b4e": lambda b, c: [b[c], b[c - 1 & 7], b[c - 2 & 7], b[c - 3 & 7]],
    "rc8": lambda b, c: [b[c]] * 4, "ecl": lambda b, c: [b[max(c, i)] for i in range(4)],
    "ecr": lambda b, c: [b[min(c, i)] for i in range(4)], "rc16": lambda b, c: [b[0], b[1]] * 2 if c % 2 == 0 else [b[2], b[3]] * 2,
}


@pytest.mark.parametrize("mode", PERMUTED)
def test_modes_of_prmt(mode):
    places = [0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE]
    low, high = (int.from_bytes(bytes(part), "little") for part in (places[:4], places[4:]))
    rows = [(f"prmt.b32.{mode}", [32] * 4, [low, high, control]) for control in range(4)]
    assert different(rows, [int.from_bytes(bytes(PERMUTED[mode](places, control)), "little") for control in range(4)]) == []


def nth_set(mask, base, offset):
    """fns, from the end of the list of set bits that begins at the base."""
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    after = [bit for bit in (range(base, 32) if offset > 0 else range(base, -1, -1)) if mask >> bit & 1]
    return after[abs(offset) - 1] if len(after) >= abs(offset) else 0xFFFFFFFF


def test_bits():
    chosen = random.Random(1)
    rows, expected = [], []
    for _ in range(150):
        mask, base, offset = chosen.getrandbits(32), chosen.randrange(32), chosen.randint(-6, 6)
        rows.append(("fns.b32", [32] * 4, [mask, base, offset & 0xFFFFFFFF]))
        expected.append(nth_set(mask, base, offset))
        for convert, wide in (("u16", 16), ("s8", 8), ("u8", 8), ("s4", 4), ("u2", 2)):
            a, b, c = (chosen.choice([chosen.getrandbits(32), chosen.getrandbits(wide + 1)]) for _ in range(3))
            low, high = (0, (1 << wide) - 1) if convert[0] == "u" else (-(1 << wide - 1), (1 << wide - 1) - 1)
            upper, lower = (max(low, min(signed(each, 32), high)) & (1 << wide) - 1 for each in (a, b))
            packed = upper << wide | lower
            if wide == 16:
                rows.append((f"cvt.pack.sat.{convert}.s32", [32] * 3, [a, b]))
            else:
                rows.append((f"cvt.pack.sat.{convert}.s32.b32", [32] * 4, [a, b, c]))
                packed |= c << 2 * wide & 0xFFFFFFFF
            expected.append(packed)
    assert different(rows, expected) == []


PROPERTIES = {"finite": lambda v, raw, of: not isinstance(v, float), "infinite": lambda v, raw, of: v in (INFINITY, -INFINITY),
              "number": lambda v, raw, of: not is_nan(v), "notanumber": lambda v, raw, of: is_nan(v),
              "normal": lambda v, raw, of: not isinstance(v, float) and flush(of, raw) == raw,  # zero is normal on an H100
              "subnormal": lambda v, raw, of: not isinstance(v, float) and flush(of, raw) != raw}


@pytest.mark.parametrize("name", PROPERTIES)
def test_property(name):
    rows, expected = [], []
    for kind in ("f32", "f64"):
        of = FORMATS[kind]
        for raw in interesting(kind, 60, name + kind):
            rows.append((f"testp.{name}.{kind}", [32, WIDTHS[kind]], [raw]))
            expected.append(int(PROPERTIES[name](of.decode(raw)[0], raw, of)))
    assert different(rows, expected) == []
