"""The matrix of atomics: operations, orders, types, memories. Its rules are stated anew and share nothing with the headers."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import re
from collections import Counter
from dataclasses import dataclass

from cudasync_tools import nvrtc, ptx_text, ptxas, sass, toolchain
from cudasync_tools.lit_format import Failure

SCOPES = ("block", "cluster", "device", "system")
SPACES = ("global", "shared")
ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
LOAD_ORDERS = ("relaxed", "consume", "acquire", "seq_cst")
STORE_ORDERS = ("relaxed", "release", "seq_cst")  # also of store_add and its like
BASIC = ("load", "store", "exchange", "compare_exchange")
ARITHMETIC = ("add", "sub", "min", "max")
BITWISE = ("and", "or", "xor")


@dataclass(frozen=True)
class Type:
    name: str  # in the names of kernels; _ref: through an atomic_ref
    spelling: str
    size: int
    kind: str  # signed, unsigned, float, half, bfloat, pointer, bytes

    @property
    def is_ref(self):
        return self.name.endswith("_ref")

    @property
    def owned_bits(self):
        """From the object's first one: an atomic owns four bytes at least, an atomic_ref the object alone."""
        return 8 * (self.size if self.is_ref else max(self.size, 4))

    @property
    def exchanged_bits(self):
        """Of the word that a compare-exchange takes: PTX has none of 8."""
        return max(self.owned_bits, 16)


TYPES = (
    Type("int32", "int", 4, "signed"),
    Type("uint32", "unsigned", 4, "unsigned"),
    Type("int64", "long long", 8, "signed"),
    Type("uint64", "unsigned long long", 8, "unsigned"),
    Type("float", "float", 4, "float"),
    Type("double", "double", 8, "float"),
    Type("int16", "short", 2, "signed"),
    Type("int16_ref", "short", 2, "signed"),
    Type("uint8", "unsigned char", 1, "unsigned"),
    Type("uint8_ref", "unsigned char", 1, "unsigned"),
    Type("half", "__half", 2, "half"),
    Type("half_ref", "__half", 2, "half"),
    Type("bfloat", "__nv_bfloat16", 2, "bfloat"),
    Type("bfloat_ref", "__nv_bfloat16", 2, "bfloat"),
    Type("pointer", "int*", 8, "pointer"),
    Type("eight", "eight", 8, "bytes"),
    Type("sixteen", "sixteen", 16, "bytes"),
)


@dataclass(frozen=True)
class Case:
    operation: str
    type: Type
    order: str
    scope: str
    space: str
    is_used: bool = True  # the old value

    @property
    def name(self):
        words = [self.operation, self.type.name, self.order, self.scope, self.space, *["unused"] * (not self.is_used)]
        return "__".join(words)

    @property
    def verb(self):
        """add of fetch_add and of store_add."""
        return self.operation.rpartition("_")[2]

    @property
    def is_void(self):
        return self.operation.startswith("store_")

    @property
    def acquires(self):
        return self.order in ("consume", "acquire", "acq_rel", "seq_cst") and not self.is_void

    @property
    def releases(self):
        """By itself: with seq_cst the fence before it does."""
        return self.order in ("release", "acq_rel")

    def kernel(self):
        place = "memory" if self.space == "shared" else "place"
        kind = "ref" if self.type.is_ref else "atomic"
        atomic = f"{kind}_at<{self.type.spelling}, cuda::thread_scope_{self.scope}>({place})"
        order = f"cuda::memory_order_{self.order}"
        operand = "long" if self.type.kind == "pointer" and self.verb in ("add", "sub") else self.type.spelling
        if self.operation == "load":
            body = f"*out = {atomic}.load({order})"
        elif self.operation == "compare_exchange":
            body = f"*done = {atomic}.compare_exchange_strong(*out, operand, {order})"
        else:
            result = "*out = " if self.is_used and self.operation.startswith(("fetch", "exchange")) else ""
            body = f"{result}{atomic}.{self.operation}(operand, {order})"
        parameters = f"void* place, {operand} operand, {self.type.spelling}* out, bool* done"
        return f'extern "C" __global__ void {self.name}({parameters}) {{ {body}; }}\n'


def operations(type, number):
    if type.name in ("int64", "int16"):  # the rest of them is that of uint64 and uint8
        return ["fetch_min", "fetch_max", "store_min", "store_max"]
    if type.size == 16 and number < 90:
        return ["load", "store"]
    verbs = {"bytes": (), "signed": ARITHMETIC + BITWISE, "unsigned": ARITHMETIC + BITWISE}.get(type.kind, ARITHMETIC)
    return [*BASIC, *(f"fetch_{verb}" for verb in verbs), *(f"store_{verb}" for verb in verbs)]


TURNS = {70: (0,), 75: (1,), 80: (2,), 90: (0,), 100: (1,)}


def cases(type, number):
    """Each case has one scope; they go round with the target. The audit of orders has every scope."""
    turns = TURNS[max(target for target in TURNS if target <= number)]
    for index, operation in enumerate(operations(type, number)):
        orders = {"load": LOAD_ORDERS}.get(operation, STORE_ORDERS if operation.startswith("store") else ORDERS)
        for (place, order), space, turn in itertools.product(enumerate(orders), SPACES, turns):
            if order == "consume" and type.name != "uint32":  # acquire under another name
                continue
            scope = SCOPES[(turn + TYPES.index(type) + index + place) % 4]
            yield Case(operation, type, order, scope, space)
            if operation.startswith("fetch") and order in ("relaxed", "release"):
                yield Case(operation, type, order, scope, space, is_used=False)


# --- PTX: the strings that must stand in the kernel, in this order ---


def instructions(verb, type, arch):
    """What stands behind the state space: nothing where a loop does it; for floats two, one for each sign of the operand."""
    bits = type.owned_bits
    if verb in ("exchange", *BITWISE):
        return [f"{verb[:4]}.b{bits}"] if bits >= 32 else []
    if verb in ("add", "sub"):
        if type.kind in ("half", "bfloat"):
            name = "add.noftz." + {"half": "f16", "bfloat": "bf16"}[type.kind] + ("" if type.is_ref else "x2")
            return [name] if type.kind == "half" or arch >= 90 else []
        return [f"add.{'f' if type.kind == 'float' else 'u'}{bits}"] if bits >= 32 else []
    if type.size < 4:
        return []
    if type.kind == "float":
        return [f"{verb}.s{bits}", f"{'min' if verb == 'max' else 'max'}.u{bits}"]
    return [f"{verb}.{'s' if type.kind == 'signed' else 'u'}{bits}"]


def is_loop_in_shared(instruction):
    """Whether ptxas makes a loop of it in shared memory."""
    verb, _, type = instruction.partition(".")
    return instruction == "cas.b16" or (verb not in ("cas", "exch") and type.endswith(("64", "f32", "f16")))


def loses_order(instruction):
    """Of those loops, in which ptxas for sm_90 and newer keeps no order (12.9 and 13.0), also of older PTX: fences have to."""
    return is_loop_in_shared(instruction) and not instruction.endswith("16")


def is_by_generic_address(instruction, space, arch):
    """Exchanges in global memory. From sm_90 on, the hardware adds 64 bits in shared memory only through a generic address."""
    if space == "shared":
        return arch >= 90 and instruction == "add.u64"
    return instruction in ("exch.b32", "exch.b64", "exch.b128", "cas.b32", "cas.b128")


def has_function(case, instruction, arch):
    """Functions of the compiler, which have no order."""
    return arch >= 90 and case.scope != "cluster" and instruction.endswith("32") and not instruction.startswith("exch")


def fenced(case, scope, arch, body, is_generic=False):
    """A relaxed access between one-sided fences. Before sm_90, the access acquires, and the fence behind it is for shared memory,
    which only the block reaches. So does one with a generic address, for which ptxas otherwise does not wait."""
    before, after = (f"fence.release.{scope}", f"fence.acquire.{scope}") if arch >= 90 else (f"fence.acq_rel.{scope}", "fence.acq_rel.cta")
    if (arch < 90 or is_generic) and case.acquires:
        body = [text.replace("atom.relaxed", "atom.acquire") for text in body]
    return [*[before] * case.releases, *body, *[after] * case.acquires]


def expected_ptx(case, arch):
    cluster = "cluster" if arch >= 90 else "gpu"
    scope = {"block": "cta", "cluster": cluster, "device": "gpu", "system": "sys"}[case.scope]
    at = f"{scope}.{case.space}"
    lead = [f"fence.sc.{scope}"] * (case.order == "seq_cst")
    sem = {"consume": "acquire", "seq_cst": "acquire"}.get(case.order, case.order)
    if case.is_void or case.operation == "store":
        sem = "release" if case.releases else "relaxed"
    if case.operation in ("load", "store"):
        word = "b128" if case.type.size == 16 else f"u{8 * case.type.size}"
        return [*lead, f"{case.operation[:2].replace('lo', 'ld')}.{sem}.{at}.{word}"]

    bits = case.type.exchanged_bits
    first = f"ld.relaxed.{at}.u{bits}"
    if case.operation == "compare_exchange":
        if bits > 8 * case.type.size:  # a part of a word: of its own, one attempt and a loop; otherwise a loop behind a load
            attempt = f"atom.{sem}.{at}.cas.b{bits}"
            return [*lead, first, attempt] if case.type.owned_bits < 32 else [*lead, attempt, attempt]
        return [*lead, f"atom.{sem}.{scope if is_by_generic_address(f'cas.b{bits}', case.space, arch) else at}.cas.b{bits}"]
    found = instructions(case.verb, case.type, arch)
    if not found:
        return lead + fenced(case, scope, arch, [first, f"atom.relaxed.{at}.cas.b{bits}"])
    if case.space == "shared" and found[0].endswith("x2"):  # of two halves: ptxas (13.0) generates wrong code
        return lead + fenced(case, scope, arch, [first, f"atom.relaxed.{at}.cas.b{bits}"])
    if case.space == "shared" and loses_order(found[0]):
        is_generic = is_by_generic_address(found[0], case.space, arch)
        at = scope if is_generic else at
        each = (fenced(case, scope, arch, [f"atom.relaxed.{at}.{name}"], is_generic) for name in found)
        return [*lead, *itertools.chain(*each)]
    if not case.is_void and has_function(case, found[0], arch):
        each = (fenced(case, scope, arch, [f"atom.relaxed.{at}.{name}"]) for name in found)
        return [*lead, *itertools.chain(*each)]
    if not case.is_void and arch >= 90 and case.verb in BITWISE:  # the order is a value, not a type: a fence releases
        lead += [f"fence.release.{scope}"] * case.releases
        sem = "acquire" if case.acquires else "relaxed"
    kind = "red" if case.is_void and case.space == "global" else "atom"
    if case.space == "global" and is_by_generic_address(found[0], case.space, arch):
        at = scope
    return lead + [f"{kind}.{sem}.{at}.{name}" for name in found]


SEM = r"\.(?:relaxed|acquire|release|acq_rel|sc)\b"
ORDERED = re.compile(rf"\b((?:ld|st|atom|red|fence){SEM}[\w.:]*|(?:isspacep|membar)[\w.:]*)")


def found_ptx(text):
    """{kernel: its accesses that have an order, its fences, and its questions for an address space}"""
    parts = re.split(r"^\.visible \.entry (\w+)\(", ptx_text.with_qualifiers(text), flags=re.MULTILINE)
    return {name: ORDERED.findall(body) for name, body in zip(parts[1::2], parts[2::2], strict=True)}


# --- SASS: how often each fence, and which accesses ---


def expected_sass(case, arch):
    """What ptxas makes of the PTX. Shared memory needs no invalidation of L1 unless other blocks reach it."""
    result = Counter()
    accesses = set()
    for kind, sem, scope, *rest in (instruction.split(".") for instruction in expected_ptx(case, arch)):
        space = rest.pop(0) if rest and rest[0] in SPACES else ""
        instruction = ".".join(rest)
        width = {"cta": "CTA", "sys": "SYS"}.get(scope, "GPU")
        if sem in ("release", "acq_rel", "sc"):
            result[f"MEMBAR.{'SC' if sem == 'sc' else 'ALL'}.{width}"] += 1
        invalidates = sem in ("acquire", "acq_rel") or (kind, sem) == ("fence", "sc")
        if invalidates and width != "CTA" and (space != "shared" or arch >= 90):
            result["CCTL.IVALL"] += 1
        if kind in ("ld", "st"):
            accesses.add(kind.upper() + space[0].upper())
        elif kind != "fence" and space == "shared":
            accesses |= {"ATOMS", "LDS"} if is_loop_in_shared(instruction) else {"ATOMS"}
        elif kind != "fence" and not space and instruction.startswith(("exch", "cas")):
            accesses |= {"ATOM"} | ({"LD", "ST"} if instruction.endswith("64") else set())
        elif kind != "fence" and not space:  # behind the instruction ptxas adds a loop, and accesses for local memory
            accesses |= {"ATOM", "QSPC", "ATOMS", "LDS", "LD", "ST"}
        elif kind != "fence":
            is_loop = instruction.startswith("cas") or instruction.endswith("f16")  # the latter one that ptxas makes
            is_red = (case.is_void or not case.is_used) and not is_loop
            accesses.add("RED" if is_red else "ATOMG")
    return result + Counter(accesses)


def found_sass(code):
    """Weak loads and stores of global memory are left out: they are the kernel's own."""
    result = Counter()
    accesses = set()
    for line in code:
        words = re.sub(r"^@!?U?P\w+ ", "", line).split()[0].split(".")
        if words[0] in ("MEMBAR", "CCTL"):
            result[".".join(words[:3])] += 1
        elif words[0] in ("LDG", "STG") and "STRONG" in words:
            accesses.add(words[0])
        elif words[0] in ("LDS", "STS", "ATOMS", "ATOMG", "RED", "REDG", "ATOM", "LD", "ST", "LDL", "STL", "QSPC"):
            accesses.add(words[0].replace("REDG", "RED"))
    return result + Counter(accesses)


# --- The test ---


def show(instructions):
    if isinstance(instructions, list):
        return "; ".join(instructions)
    return ", ".join(f"{count} {name}" for name, count in sorted(instructions.items()))


def usual_types(number):
    """In a run that is not thorough, each third before sm_90; of sm_100, whose PTX is that of sm_90, one of each size."""
    if toolchain.THOROUGH or 90 <= number < 100:
        return TYPES
    return TYPES[1::3] if number < 90 else TYPES[1::4]


def run(source, name, archs, types=None):
    """Checks the kernels of all types behind this source text; returns a report."""
    number = nvrtc.number(archs[0])
    found = [case for type in types or usual_types(number) for case in cases(type, number)]
    chosen = {case.name: case for case in (found if types else toolchain.half(found))}
    types = dict.fromkeys(case.type for case in chosen.values())
    texts = ["".join([source, *(case.kernel() for case in chosen.values() if case.type == type)]) for type in types]
    modules, assembled = ptxas.compile(texts, name, archs)
    found = found_ptx(b"".join(modules).decode())
    compared = [(case, "PTX", expected_ptx(case, number), found[name]) for name, case in chosen.items()]
    if number >= 75:  # neither ptxas 13 nor nvdisasm 13.1 knows sm_70
        for arch, codes in assembled:
            expected = {name: expected_sass(chosen[name], number) for name in codes}
            decoded = {name: [text for text, _ in kernel] for name, kernel in sass.decoded(codes, arch).items()}
            compared += [(chosen[name], f"sm_{arch}", expected[name], found_sass(decoded[name])) for name in sorted(codes)]
    wrong = {}
    for case, what, expected, there in compared:
        if expected != there:
            lines = f"  {what}: expected {show(expected)}\n  {what}: found    {show(there)}"
            wrong.setdefault(case.name, []).append(lines)
    if wrong:
        first = itertools.islice(wrong.items(), 20)
        listed = itertools.chain(*([name, *texts] for name, texts in first))
        raise Failure("\n".join([f"{len(wrong)} of {len(chosen)} kernels are not by the rules", *listed]))
    return f"{len(chosen)} kernels, {len(compared)} comparisons"
