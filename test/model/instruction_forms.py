"""The forms of instructions in the machine's table, and operands with which ptxas can be asked about them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import itertools
import re

from cudasync_tools import model

REGISTERS = {
    "h": ("b8 u8 s8 b16 u16 s16 f16 bf16 e4m3x2 e5m2x2", ".b16"),
    "r": ("b32 u32 s32 f16x2 bf16x2 u16x2 s16x2 tf32", ".b32"),
    "f": ("f32", ".f32"),
    "d": ("b64 u64 s64 f32x2", ".b64"),
    "e": ("f64", ".f64"),
    "p": ("pred", ".pred"),
    "q": ("b128", ".b128"),
}
TYPES = " ".join(words for words, _ in REGISTERS.values()).split()
LETTER = {word: letter for letter, (words, _) in REGISTERS.items() for word in words.split()}
WIDE = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}
DECLARATIONS = [f".reg {kind} %{letter}<{1 + 256 * (letter in 'rf')}>, %{letter}x, %{letter}y, %{letter}z;"
                for letter, (_, kind) in REGISTERS.items()] + [".reg .b8 %bx;"]
BIG, NAMES = 1 << 20, "xyz"


def text_of(function, *arguments):
    text = ctypes.create_string_buffer(BIG)
    function(*arguments, text, ctypes.c_size_t(len(text)))
    return text.value.decode()


def unknown_word(instruction):
    """The word for which the machine refuses the instruction, or nothing."""
    return text_of(model.machine().model_unknown_word, ctypes.c_char_p(instruction.encode()))


def rows():
    """The table: of each row its names, and of each place the words that it takes; an empty one if it may stay empty."""
    for line in text_of(model.machine().model_forms).splitlines():
        names, *places = line.split(" ")
        yield names.split("|"), [([""] if place[0] == "?" else []) + place.lstrip("?").split("|") for place in places]


def forms(name, places, most):
    """All combinations of a row, or, where there are too many, each word once beside the first words."""
    count = 1
    for place in places:
        count *= len(place)
    chosen = [list(words) for words in itertools.product(*places)] if count <= most else []
    if count > most:
        first = [place[0] for place in places]
        full = [place[-1] for place in places]
        chosen = [[word if at == index else base[at] for at in range(len(places))]
                  for base in (first, full) for index, place in enumerate(places) for word in place]
    return {".".join([name, *filter(None, words)]) for words in chosen}


def register(kind, which=0):
    return f"%{LETTER[kind]}{NAMES[which]}"


def several(kind, count):
    letter = LETTER[kind]
    return "{" + ", ".join(f"%{letter}{index}" if letter in "rf" else f"%{letter}{NAMES[index % 3]}" for index in range(count)) + "}"


def vector_of(words, kind):
    for count in (2, 4, 8):
        if f"v{count}" in words:
            return several(kind, count)
    return register(kind)


def policy(words):
    return ", %dz" if "L2::cache_hint" in words else ""


COUNTS = {"x1": 1, "x2": 2, "x4": 4}


def fragment(words, which):
    """The registers of a fragment of wmma."""
    shape = next(re.fullmatch(r"m(\d+)n(\d+)k(\d+)", word) for word in words if re.fullmatch(r"m\d+n\d+k\d+", word))
    m, n, k = map(int, shape.groups())
    types = [word for word in words if word in ("f16", "f32", "f64", "bf16", "tf32", "s8", "u8", "s32")]
    if words[1] != "mma":
        kind = types[0]
    elif len(types) == 2:
        kind = {"d": types[0], "c": types[1]}.get(which, "f16")
    else:
        kind = {"d": types[0], "c": types[-1], "a": types[1], "b": types[2]}[which]
    rows_, columns = {"a": (m, k), "b": (k, n)}.get(which, (m, n))
    if kind == "f16" and which in "ab":
        return several("b32", 8)
    if kind == "f64":
        return several("f64", 1 if which in "ab" else 2)
    bits = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "s8": 8, "u8": 8}[kind]
    return several("f32" if kind == "f32" else "b32", rows_ * columns * bits // 1024)


def product(words):
    """The operands of mma.sync."""
    m, n, k = map(int, re.findall(r"\d+", next(word for word in words if re.fullmatch(r"m\d+n\d+k\d+", word))))
    bits = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "f64": 64, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4,
            "u4": 4, "b1": 1, "s32": 32}
    kinds = [word for word in words if word in bits]
    products = 4 if (m, kinds[1]) == (8, "f16") else 1

    def registers(kind, elements):
        if kind == "f64":
            return several("f64", elements // 32)
        return several("f32" if kind == "f32" else "b32", products * elements * bits[kind] // 1024)
    return ", ".join([registers(kinds[0], m * n), registers(kinds[1], m * k), registers(kinds[2], k * n),
                      registers(kinds[3], m * n)])


def warpgroup(words):
    n = int(re.search(r"m64n(\d+)k", ".".join(words))[1])
    kind, of = [word for word in words if word in ("f16", "f32", "s32", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8")][:2]
    sums = several("b32", n // 4) if kind == "f16" else several("f32" if kind == "f32" else "b32", n // 2)
    rest = {"f16": ", 1, 1, 0, 1", "bf16": ", 1, 1, 0, 1", "s8": "", "u8": ""}.get(of, ", 1, 1")
    return f"{sums}, %dx, %dy, %px{rest}"


def tensor(words):
    rank = next(int(word[0]) for word in words if re.fullmatch(r"\dd", word))
    box = f"[%dx, {several('b32', rank)}]"
    if "prefetch" in words:
        offsets = f", {several('b16', rank - 2)}" if "im2col" in words and rank > 2 else ""
        return box + offsets + policy(words)
    if "shared::cta" in words and "bulk_group" in words:
        return f"{box}, [%ry]" + policy(words)
    offsets = f", {several('b16', rank - 2)}" if "im2col" in words and rank > 2 else ""
    mask = ", %hx" if "multicast::cluster" in words else ""
    return f"[%rx], {box}, [%ry]" + offsets + mask + policy(words)


def bulk(words):
    if "prefetch" in words:
        return "[%dx], %rx" + policy(words)
    if "bulk_group" in words:
        return "[%dx], [%ry], %rx" + policy(words)
    mask = ", %hx" if "multicast::cluster" in words else ""
    source = "%dx" if words[words.index("bulk") + 2] == "global" else "%rz"
    return f"[%rx], [{source}], %ry, [%rz]" + mask + policy(words)


def address(words):
    is_shared = any(word in ("shared", "shared::cta", "shared::cluster", "local") for word in words)
    if any(word.startswith("param") for word in words):
        return "[argument]" if words[0] == "st" else "[parameter]"
    return "[variable]" if "const" in words else "[%rx]" if is_shared else "[%dx]"


def copies(words):
    if "bulk" in words:
        if "tensor" in words:
            return tensor(words)
        return "0" if "wait_group" in words else "" if "commit_group" in words else bulk(words)
    if "mbarrier" in words:
        return "[%rx]"
    if "commit_group" in words or "wait_all" in words:
        return ""
    return "0" if "wait_group" in words else "[%rx], [%dx], 16" + policy(words)


def mbarrier(words):
    is_remote = "shared::cluster" in words
    where = "[%rx]" if any(word.startswith("shared") for word in words) else "[%dx]"
    what = words[1]
    if what == "init":
        return f"{where}, 1"
    if what == "inval":
        return where
    if what in ("expect_tx", "complete_tx"):
        return f"{where}, %ry"
    if what == "pending_count":
        return "%rx, %dx"
    if what in ("test_wait", "try_wait"):
        return f"%px, {where}, " + ("%ry" if "parity" in words else "%dy")
    count = ", %ry" if "expect_tx" in words or "noComplete" in words or words[1] == "arrive_drop" else ""
    return ("_" if is_remote else "%dy") + f", {where}{count}"


def operands(instruction):
    """What ptxas needs behind the words."""
    words = instruction.split(".")
    name = words[0]
    kinds = [word for word in words[1:] if word in LETTER]
    kind = kinds[-1] if kinds else "b32"
    def list_of(*types):
        return ", ".join(register(each, index % 3) for index, each in enumerate(types))
    unary = (kind,) * 2
    binary = (kind,) * 3
    ternary = (kind,) * 4
    wide = WIDE.get(kind, kind) if "wide" in words else kind
    fixed = {
        "abs": unary, "neg": unary, "not": unary, "cnot": unary, "brev": unary, "rcp": unary, "sqrt": unary, "rsqrt": unary,
        "sin": unary, "cos": unary, "lg2": unary, "ex2": unary, "tanh": unary, "mov": unary,
        "add": binary, "sub": binary, "addc": binary, "subc": binary, "min": binary, "max": binary, "div": binary, "rem": binary,
        "and": binary, "or": binary, "xor": binary, "copysign": binary, "mul24": binary, "fma": ternary, "mad24": ternary,
        "madc": ternary, "mul": (wide, kind, kind), "mad": (wide, kind, kind, wide),
        "sad": (kind, kind, kind, kind.replace("s", "u") if kind[0] == "s" else kind),
        "popc": ("b32", kind), "clz": ("b32", kind), "bfind": ("b32", kind), "fns": ("b32", "b32", "b32", "s32"),
        "shl": (kind, kind, "b32"), "shr": (kind, kind, "b32"), "shf": (kind, kind, kind, "b32"),
        "bfe": (kind, kind, "b32", "b32"), "bfi": (kind, kind, kind, "b32", "b32"), "bmsk": (kind, kind, kind),
        "szext": (kind, kind, "b32"), "dp4a": ("b32", "b32", "b32", "b32"), "dp2a": ("b32", "b32", "b32", "b32"),
        "vabsdiff2": ("b32", "b32", "b32", "b32"), "vabsdiff4": ("b32", "b32", "b32", "b32"),
        "prmt": (kind, kind, kind, "b32"), "selp": (kind, kind, kind, "pred"), "testp": ("pred", kind),
        "setp": ("pred", kind, kind) + (("pred",) if {"and", "or", "xor"} & set(words) else ()),
        "set": (kinds[0] if kinds else kind, kind, kind) + (("pred",) if {"and", "or", "xor"} & set(words) else ()),
        "slct": (kinds[0] if kinds else kind, kinds[0] if kinds else kind, kinds[0] if kinds else kind, kind),
        "cvta": unary, "mapa": (kind, kind, "b32"), "getctarank": ("b32", kind), "activemask": ("b32",),
        "isspacep": ("pred", "b64"),
    }
    if name == "setp" and kind in ("f16x2", "bf16x2"):
        return "%px|%py, " + list_of(kind, kind, kind)[5:] + (", %pz" if {"and", "or", "xor"} & set(words) else "")
    if name == "cvt":
        if "pack" in words:
            return "%rx, %ry, %rz" + (", %rx" if kind == "b32" else "")
        to = kinds[0] if kinds else kind
        if "bf16" in kinds and {"u8", "s8"} & set(kinds):  # ptxas wants a register of eight bits
            return ", ".join("%bx" if each in ("u8", "s8") else register(each) for each in (to, kind))
        two = to in ("f16x2", "bf16x2", "e4m3x2", "e5m2x2") and kind == "f32"
        return list_of(to, kind, *([kind] if two else []))
    if name == "lop3":
        return "%rx|%px, %rx, %ry, %rz, 1, %py" if "and" in words or "or" in words else "%rx, %rx, %ry, %rz, 1"
    if name in fixed:
        return list_of(*fixed[name])
    if name in ("ld", "ldu"):
        return f"{vector_of(words, kind)}, {address(words)}" + policy(words)
    if name in ("tex", "suld", "sust"):
        geometry = next(word for word in words if word in ("1d", "a1d", "2d", "a2d", "3d"))
        place = register("f32") if name == "tex" and kind == "f32" else register("b32")
        layer = ["%rx"] * (geometry[0] == "a")
        count = {"1d": 1, "2d": 2, "3d": 4}[geometry[-2:]] + (geometry == "a2d")
        at = f"[%dx, {{{', '.join(layer + [place] * count)}}}]"
        if name == "tex":
            return f"{several(next(word for word in words if word in ('u32', 's32', 'f32')), 4)}, {at}" + (", %fx" if "level" in words else "")
        values = vector_of(words, kind)
        values = values if values[0] == "{" else f"{{{values}}}"
        return f"{values}, {at}" if name == "suld" else f"{at}, {values}"
    if name == "st" and "async" in words:
        return f"[%rx], {vector_of(words, kind)}, [%ry]"
    if name == "red" and "async" in words:
        return f"[%rx], {register(kind)}, [%ry]"
    if name in ("st", "multimem"):
        return f"{address(words)}, {vector_of(words, kind)}" + policy(words)
    if name == "atom":
        third = f", {register(kind, 2)}" if "cas" in words else ""
        return f"{vector_of(words, kind)}, {address(words)}, {vector_of(words, kind)}{third}" + policy(words)
    if name == "red":
        return f"{address(words)}, {vector_of(words, kind)}" + policy(words)
    if name in ("prefetch", "prefetchu"):
        return "[%rx]" if "local" in words else "[%dx]"
    if name in ("discard", "applypriority"):
        return "[%dx], 128"
    if name == "createpolicy":
        return {"fractional": "%dx, 0.5", "range": "%dx, [%dy], 128, 128"}.get(words[1], "%dx, %dy")
    if name == "fence":
        return "[%dx], 128" if "tensormap::generic" in words and "acquire" in words else ""
    if name == "bar" or name == "barrier":
        if "warp" in words:
            return "%rx"
        if "cluster" in words:
            return ""
        if "red" in words:
            return ("%rx" if "popc" in words else "%px") + ", 1, %py"
        return "1, 64" if "arrive" in words else "1"
    if name == "vote":
        return ("%rx" if "ballot" in words else "%px") + ", %py, %ry"
    if name == "match":
        return f"%rx, {register(kind)}, %ry"
    if name == "redux":
        return f"{register(kind)}, {register(kind, 1)}, %rz"
    if name == "shfl":
        return "%rx, %ry, %rz, 31, -1"
    if name == "elect":
        return "%rx|%px, %ry"
    if name == "mbarrier":
        return mbarrier(words)
    if name == "cp":
        return copies(words)
    if name in ("ldmatrix", "stmatrix"):
        count = next((COUNTS[word] for word in words if word in COUNTS), 1)
        where = "[%rx]" if any(word.startswith("shared") for word in words) else "[%dx]"
        return f"{several('b32', count)}, {where}" if name == "ldmatrix" else f"{where}, {several('b32', count)}"
    if name == "movmatrix":
        return "%rx, %ry"
    if name == "mma":
        return product(words)
    if name == "wmma":
        where = "[%rx]" if any(word.startswith("shared") for word in words) else "[%dx]"
        if words[1] == "load":
            return f"{fragment(words, words[2])}, {where}, %ry"
        if words[1] == "store":
            return f"{where}, {fragment(words, 'd')}, %ry"
        return ", ".join(fragment(words, which) for which in "dabc")
    if name == "wgmma":
        return warpgroup(words) if "mma_async" in words else "0" if "wait_group" in words else ""
    if name == "tensormap":
        if "replace" in words:
            where = "[%rx]" if "shared::cta" in words else "[%dx]"
            index = "0, " if {"global_stride", "box_dim", "global_dim", "element_stride"} & set(words) else ""
            fixed_value = {"elemtype", "interleave_layout", "swizzle_mode", "fill_mode"} & set(words)
            return f"{where}, {index}" + ("0" if fixed_value else "%dy" if kind == "b64" else "%ry")
        return "[%dx], [%ry], 128"
    if name == "tcgen05":
        registers, split = "", ", 32" if "16x32bx2" in words else ""
        if words[1] in ("ld", "st"):
            registers = several("b32", int(words[5][1:]) * {"16x128b": 2, "16x256b": 4}.get(words[4], 1))
        return {"commit": "[%rx]" + (", %hx" if "multicast::cluster" in words else ""), "ld": f"{registers}, [%rx]{split}", "st": f"[%rx]{split}, {registers}",
                "alloc": "[%rx], 32" if "shared::cta" in words else "[%dx], 32", "dealloc": "%rx, 32",
                "mma": "[%rx], %dx, %dy, %ry, %px"}.get(words[1], "")
    if name == "clusterlaunchcontrol":
        if "try_cancel" in words:
            return "[%rx], [%ry]"
        return {"pred": "%px, %qx", "v4": "{%r0, %r1, %r2, %r3}, %qx"}.get(words[3], "%rx, %qx")
    if name in ("alloca", "stacksave", "stackrestore"):
        return f"{register(kind)}, {register(kind, 1)}, 8" if name == "alloca" else register(kind)
    return {"bra": "label", "brx": "%rx, labels", "call": "callee", "nanosleep": "%rx", "pmevent": "1",
            "setmaxnreg": "64"}.get(name, "")


def text_for(instructions, target):
    """A module with each of the instructions on a line, and the number of the line of the first."""
    head = [".version 9.0", f".target {target}", ".address_size 64", ".const .align 16 .b8 variable[64];",
            ".func callee() { ret; }", ".visible .entry kernel(.param .align 16 .b8 parameter[64]) {", *DECLARATIONS,
            ".param .align 16 .b8 argument[64];",
            "label:", "labels: .branchtargets label;"]
    lines = [f"{each} {operands(each)};" for each in instructions]
    return "\n".join([*head, *lines, "}"]) + "\n", len(head) + 1
