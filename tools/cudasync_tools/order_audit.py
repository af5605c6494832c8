"""The audit of memory orders: in the SASS of every operation that releases or acquires, something keeps the order."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A kernel stores data, calls the operation, and loads data. Where the operation releases, every path to its write goes through
# the store and a fence as wide as its scope; where it acquires, every path to the load has waited for what the operation read
# and, if other blocks take part, has invalidated the first-level cache. Nothing here is taken from the headers but names.

import itertools
import re
from dataclasses import dataclass, replace

from cudasync_tools import nvrtc, ptxas, sass_flow, toolchain
from cudasync_tools.lit_format import Failure

# The width of scopes and fences: what orders the threads of a block comes first.
BLOCK, DEVICE, SYSTEM = 1, 2, 3
WIDTHS = {"block": BLOCK, "cluster": DEVICE, "device": DEVICE, "system": SYSTEM}
FENCES = {"CTA": BLOCK, "SM": BLOCK, "GPU": DEVICE, "SYS": SYSTEM}

# Barriers of the hardware, which order a block's threads by themselves.
HARDWARE = {"SYNCS", "BAR", "B2R", "UCGABAR_ARV", "UCGABAR_WAIT", "ARRIVES"}
ATOMICS = {"ATOM", "ATOMG", "ATOMS", "RED", "REDG"}
LOADS = {"LD", "LDG", "LDS"}
STORES = {"ST", "STG", "STS"}


def is_data(i):
    """The kernel's own accesses to its data, the only ones of 16 bits that are weak."""
    return i.words[0] in ("LDG", "STG") and "U16" in i.words and "STRONG" not in i.words


def is_private(i):
    """Weak accesses through a generic address: of local memory, where nothing needs an order."""
    return i.words[0] in ("LDL", "STL") or (i.words[0] in ("LD", "ST") and "STRONG" not in i.words)


def is_operation(i):
    if i.words[0] in ATOMICS | HARDWARE | {"LDS", "STS"}:
        return True
    return i.words[0] in LOADS | STORES and "STRONG" in i.words


def reads(i):
    return i.words[0] not in STORES | {"UCGABAR_ARV"} and "ARRIVE" not in i.words and "ARV" not in i.words


def writes(i):
    return i.words[0] not in LOADS | {"UCGABAR_WAIT"} and "PHASECHK" not in i.words


def space_of(i):
    """The kind of memory that an operation is made for."""
    if i.words[0] in ("LDS", "STS", "ATOMS"):
        return "shared"
    return "any" if i.words[0] in HARDWARE else "generic" if i.words[0] in ("LD", "ST", "ATOM") else "global"


# --- Release: how wide a fence stands between the store and here ---


@dataclass(frozen=True)
class Released:
    is_stored: bool = False
    width: int = 0  # of the fence behind the store
    conditional: frozenset = frozenset()  # (predicate, width) of those that are executed under one
    finding: str = ""  # about the last write

    def join(self, other):
        return Released(
            self.is_stored and other.is_stored,
            min(self.width, other.width),
            self.conditional & other.conditional,
            self.finding or other.finding,
        )

    def checked(self, i, needed):
        """What is wrong with this write, if anything is."""
        width = max([self.width, *(found for predicate, found in self.conditional if predicate == i.predicate)])
        if not self.is_stored:
            return f"{i.text}: a path leads here before the store"
        if width >= needed or (needed == BLOCK and (i.words[0] in HARDWARE or "ARRIVE" in i.words)):
            return ""
        return f"{i.text}: no fence that is wide enough between the store and this"


def releasing(needed, is_counted):
    """The step of sass_flow.states: what is known of the store's order."""

    def step(state, i):
        if is_private(i):  # then the object is this thread's, and no other memory comes behind it
            return Released(is_stored=True, width=SYSTEM)
        if is_data(i) and i.words[0] == "STG":
            return Released(is_stored=True)
        if i.words[0] == "MEMBAR" and state.is_stored:
            found = FENCES[i.words[2]]
            if i.predicate:
                return replace(state, conditional=state.conditional | {(i.predicate, found)})
            return replace(state, width=max(state.width, found), finding="")  # what publishes comes behind it
        if is_operation(i) and writes(i) and is_counted(i):
            return replace(state, finding=state.checked(i, needed))
        return state

    return step


def release_findings(instructions, scope, is_counted, is_single):
    """is_single: the operation is one access; else it is several, of which the last publishes."""
    needed = WIDTHS[scope]
    before = sass_flow.states(instructions, Released(), releasing(needed, is_counted), Released.join)
    for i, state in zip(instructions, before, strict=True):
        if state is None:
            continue
        if is_single and is_operation(i) and writes(i) and is_counted(i) and (finding := state.checked(i, needed)):
            yield finding
        if not is_single and i.words[0] == "EXIT" and state.finding:
            yield state.finding


# --- Acquire: whether what was read has come, and old lines of the cache are gone ---

NOTHING, ISSUED, THERE, INVALIDATED = range(4)
NO_BOARD = -1  # of an operation that is on its way to other memory: nothing but a MEMBAR waits for it


@dataclass(frozen=True)
class Acquired:
    progress: int = NOTHING
    board: int | None = None  # the scoreboard that the last read clears
    then: int = THERE  # what it comes to when it has

    def join(self, other):
        return min(self, other, key=lambda state: (state.progress, state.then))

    def at(self, i):
        """The progress when this instruction is issued."""
        has_come = self.progress == ISSUED and (self.board is None or self.board in i.waits)
        return self.then if has_come else self.progress


def acquiring(arch, is_counted, is_single):
    """The step of sass_flow.states. In PTX for older targets than sm_90, no other block reaches shared memory: no line of the cache
    is old."""

    def step(state, i):
        progress = state.at(i)
        if is_private(i) or (not is_single and progress == INVALIDATED):
            return Acquired(INVALIDATED)
        if is_operation(i) and reads(i) and is_counted(i):
            is_in_block = nvrtc.number(arch) < 90 and (space_of(i) == "shared" or "CAST" in i.words)  # CAST: of a cluster
            is_sent = i.sets is None and i.words[0] in ATOMICS - {"ATOMS"}
            return Acquired(ISSUED, NO_BOARD if is_sent else i.sets, INVALIDATED if is_in_block else THERE)
        if i.words[0] == "MEMBAR" and progress == ISSUED and not i.predicate:
            progress = state.then
        if i.words[0] == "CCTL" and "IVALL" in i.words and progress == THERE:
            progress = INVALIDATED
        return replace(state, progress=progress)

    return step


def acquire_findings(instructions, scope, arch, is_counted, is_single):
    needed = THERE if WIDTHS[scope] == BLOCK else INVALIDATED
    step = acquiring(arch, is_counted, is_single)
    before = sass_flow.states(instructions, Acquired(), step, Acquired.join)
    for i, state in zip(instructions, before, strict=True):
        if state is None or not is_data(i) or i.words[0] != "LDG":
            continue
        progress = state.at(i)
        if progress < needed and (is_single or progress != NOTHING):
            what = ("no path of the operation", "no wait for what it read", "no CCTL.IVALL")[progress]
            yield f"{i.text}: {what} before this"


# --- The cases that are generated: name, kernel ---

PARAMETERS = "data_type* data, void* place, void** places, Operand operand, Operand other, unsigned* seen"
PLACES = {
    "global": "static_cast<Word*>(place) + threadIdx.x",
    "shared": "reinterpret_cast<Word*>(memory) + threadIdx.x",
    "unknown": "static_cast<Word*>(places[blockIdx.x]) + threadIdx.x",
    "other_block": "static_cast<Word*>(__cluster_map_shared_rank(memory, 1)) + threadIdx.x",
}
SIDES = {"acquire": ("acquire",), "release": ("release",), "acq_rel": ("acquire", "release"), "seq_cst": ("acquire", "release")}


@dataclass(frozen=True)
class Case:
    name: str
    kernel: str  # "" of those that stand in the file: operations of several accesses
    scope: str
    space: str
    sides: tuple[str, ...]


def case(what, word, order, scope, space, body, sides=None):
    name = "__".join((re.sub(r"\W", "_", what).strip("_"), order, scope, space))
    parameters = PARAMETERS.replace("Operand", word)
    body = body.replace("{at}", PLACES[space])
    text = f"using Word = {word}; store(data); {body}; load(data, seen);"
    kernel = f'extern "C" __global__ void {name}({parameters}) {{ {text} }}\n'
    return Case(name, kernel, scope, space, sides or SIDES[order])


def scopes(arch):
    return ("block", "cluster", "device", "system") if nvrtc.number(arch) >= 90 else ("block", "device", "system")


def spaces(arch):
    return tuple(PLACES) if nvrtc.number(arch) >= 90 else ("global", "shared", "unknown")


def ptx_scope(scope):
    return {"block": "cta", "device": "gpu", "system": "sys"}.get(scope, scope)


def exists(what, arch):
    return nvrtc.number(arch) >= 90 or not ("bf16" in what or "b128" in what)


def header(name):
    return (toolchain.INCLUDE / "cudasync" / name).read_text(encoding="utf-8")


def table(name, macro):
    """The rows of a table in a header of ours: the arguments of each. macro: a regular expression."""
    rows = re.findall(rf"^{macro} *\((.*)\)$", header(name), re.MULTILINE)
    assert rows, f"{name} has no rows {macro}"
    return [[cell.strip().strip('"') for cell in row.split(",")] for row in rows]


# Each of ptx/: the bare instruction, by the kind of its pointer. A generic one may be to shared memory.
POINTERS = {"global": "to_global_pointer", "shared": "to_shared_pointer", "unknown": "to_generic_pointer"}


def instructions(arch):
    """(case, whether it is expected to lose its order: a C++ expression) for each row of the tables of instructions."""
    only_global = [(op, what, word, "operand") for op, what, word, _ in table("ptx/atom.h", "CUDASYNC_ADD_TWO")]
    kinds = [(op, what, word, "operand") for op, what, word, _ in table("ptx/atom.h", "CUDASYNC_ATOM(?:128)?")]
    kinds += [("op_cas_t", what, word, "operand, other") for what, word, _ in table("ptx/atom.h", "CUDASYNC_ATOM_CAS(?:128)?")]
    kinds += only_global
    for kind, order, scope, space in itertools.product(kinds, ("acquire", "release", "acq_rel"), scopes(arch), POINTERS):
        op, what, word, arguments = kind
        if exists(what, arch) and (space == "global" or kind not in only_global):
            call = f"atom(sem_{order}, scope_{ptx_scope(scope)}, {op}{{}}, {POINTERS[space]}({{at}}), {arguments})"
            keeps = f"keeps_order<{op}, decltype({POINTERS[space]}(static_cast<{word}*>(nullptr)))>"
            yield case("atom" + what, word, order, scope, space, f"use({call}, seen)"), keeps
    for (_, what, word, _), scope in itertools.product(table("ptx/red.h", "CUDASYNC_RED"), scopes(arch)):
        op = next(op for op, other, _, _ in kinds if other == what)
        if exists(what, arch):
            call = f"red(sem_release, scope_{ptx_scope(scope)}, {op}{{}}, to_global_pointer({{at}}), operand)"
            yield case("red" + what, word, "release", scope, "global", call), "true"
    for (what, word, _, _), scope, space in itertools.product(
        table("ptx/ld_st.h", "CUDASYNC_LD_ST(?:128)?"), scopes(arch), POINTERS
    ):
        tags = f"scope_{ptx_scope(scope)}, {POINTERS[space]}({{at}})"
        yield case("ld" + what, word, "acquire", scope, space, f"use(ld(sem_acquire, {tags}), seen)"), "true"
        yield case("st" + what, word, "release", scope, space, f"st(sem_release, {tags}, operand)"), "true"


def words(arch):
    """The functions of backend/atomic/word.h that have an order."""
    for word, scope, space in itertools.product(("uint32", "uint64"), ("block", "device", "system"), spaces(arch)):
        tag = f"<cudasync::thread_scope_{scope}>(here, *({{at}})"
        for function, side, rest in (
            ("load_acquire", "acquire", ")"),
            ("store_release", "release", ", operand)"),
            ("fetch_add_release", "release", ", operand)"),
        ):
            call = f"backend::{function}{tag}{rest}"
            body = call if function == "store_release" else f"use({call}, seen)"
            yield case(f"word_{function}_{word}", word, side, scope, space, body)


ATOMIC_TYPES = ("unsigned char", "unsigned", "long long", "double", "half", "pair")
ATOMIC_CALLS = {
    "load": ("{ref}.load(order)", ("acquire", "seq_cst")),
    "store": ("{ref}.store(operand, order)", ("release", "seq_cst")),
    "exchange": ("{ref}.exchange(operand, order)", ("acquire", "release", "acq_rel", "seq_cst")),
    "compare_exchange": ("compare({ref}, operand, other, order)", ("acquire", "release", "acq_rel", "seq_cst")),
    "fetch_add": ("{ref}.fetch_add(operand, order)", ("acquire", "release", "acq_rel", "seq_cst")),
    "fetch_max": ("{ref}.fetch_max(operand, order)", ("acquire", "release", "acq_rel", "seq_cst")),
    "store_add": ("{ref}.store_add(operand, order)", ("release", "seq_cst")),
}


def atomics(arch):
    """atomic_ref on each kind of type, where the space is not known; atomic_matrix.py has the others. The scopes take turns.
    A read-modify-write is there with and without its result, and with a fence behind it. Additions of 64 bits in shared
    memory are here, too: what ptxas puts behind the instruction has several paths."""
    turn = itertools.cycle(scopes(arch))
    places = [space for space in spaces(arch) if space != "global"]
    for type, (name, (call, orders)), space in itertools.product(ATOMIC_TYPES, ATOMIC_CALLS.items(), places):
        if space == "shared" and (type, name) not in (("long long", "fetch_add"), ("long long", "store_add")):
            continue
        if type == "pair" and (name.startswith("fetch") or name == "store_add"):
            continue
        if type == "pair" and nvrtc.number(arch) < 90 and name not in ("load", "store"):
            continue
        for order in orders:
            scope = next(turn)
            ref = f"cudasync::atomic_ref<Word, cudasync::thread_scope_{scope}>(*({{at}}))"
            body = call.replace("{ref}", ref).replace("order)", f"cudasync::memory_order_{order})")
            is_void = name in ("store", "store_add")
            sides = ("release",) if is_void else ("acquire",) if name == "load" else SIDES[order]
            yield case(
                f"{name}_{type}", type, order, scope, space, body if is_void else f"use({body}, seen)", sides
            )
            if name.startswith("fetch") and "acquire" in sides:
                yield case(f"{name}_{type}_unused", type, order, scope, space, f"static_cast<void>({body})", sides)
                fence = f"cudasync::atomic_thread_fence(cudasync::memory_order_acquire, cudasync::thread_scope_{scope})"
                relaxed = f"static_cast<void>({body.replace(f'_{order})', '_relaxed)')}); {fence}"
                yield case(f"{name}_{type}_fence", type, order, scope, space, relaxed, ("acquire",))


# --- The test ---


def written_cases(text):
    """Kernels of the file itself: release__device__barrier_arrive__shared says what it is."""
    found = re.findall(r"^AUDIT(_REMOTE)?\((\w+), (\w+), (\w+),", text, re.MULTILINE)
    for remote, sides, scope, name in found:
        for space in ("global", "shared", "unknown", *(["other_block"] if remote else [])):
            yield Case(f"{sides}__{scope}__{name}__{space}", "", scope, space, SIDES[sides])


def findings_of(case, instructions, arch):
    """Of an operation of several accesses one memory is looked at after the other: no path mixes them."""
    is_single = bool(case.kernel)
    found = []
    for space in ("",) if is_single else ("shared", "global", "generic"):

        def is_counted(i, space=space):
            return not space or space_of(i) in (space, "any")

        if "release" in case.sides:
            found += release_findings(instructions, case.scope, is_counted, is_single)
        if "acquire" in case.sides:
            found += acquire_findings(instructions, case.scope, arch, is_counted, is_single)
    return found


UNIT = 250  # kernels that are compiled together: NVRTC takes longer for each one of many


def generated(arch):
    """(case, whether it keeps its order: a C++ expression). In a run that is not thorough, half of them for sm_90, each fourth for
    sm_75, and each seventh for sm_100, whose PTX is that of sm_90, so that only ptxas tells them apart. All functions,
    scopes and memories take turns."""
    found = [*instructions(arch), *((case, None) for case in [*words(arch), *atomics(arch)])]
    number = nvrtc.number(arch)
    if toolchain.THOROUGH or 90 <= number < 100:
        return toolchain.half(found)
    if number < 80:
        return found[::4]
    return found[::7]


def units(text, archs):
    """(source, cases, {name of a case: whether the instruction keeps its order, as C++}) of each compilation."""
    beginning = text[: text.index("// --- Operations of several accesses")]
    is_remote = nvrtc.number(archs[0]) >= 90
    yield text, [case for case in written_cases(text) if is_remote or case.space != "other_block"], {}
    found = generated(archs[0])
    for first in range(0, len(found), UNIT):
        part = found[first : first + UNIT]
        expressions = {case.name: keeps for case, keeps in part if keeps}
        constants = (f'extern "C" __device__ const bool keeps_{name} = {keeps};\n' for name, keeps in expressions.items())
        kernels = (case.kernel for case, _ in part)
        yield "".join([beginning, *constants, *kernels]), [case for case, _ in part], expressions


def lost_by_headers(names, modules):
    """The cases of which the headers say that ptxas loses their order: the constants of their names are zero."""
    values = dict(re.findall(r"\bkeeps_(\w+)(?: = (\d))?;", b"".join(modules).decode()))
    names = set(names)
    assert not names - set(values), "a constant is missing in the PTX"
    return {name for name in names if values[name] != "1"}


def run(text, name, archs):
    """Audits the kernels of this source text and those that are generated; returns a report."""
    if nvrtc.number(archs[0]) < 90:
        archs = [*archs, "90"]  # as a driver does with PTX for an older one
    sources, cases, expressions = zip(*units(text, archs), strict=True)
    modules, assembled = ptxas.compile(sources, name, archs)
    excused = lost_by_headers(itertools.chain(*expressions), modules)
    lost, wrong, count = set(), {}, 0
    for arch, codes in assembled:
        flows = sass_flow.flows(codes, arch)
        for case in itertools.chain(*cases):
            if case.name not in codes:
                continue
            count += 1
            found = findings_of(case, flows[case.name], archs[0])
            if found and case.name in excused:
                lost.add(case.name)
            elif found:
                wrong.setdefault(f"sm_{arch} {case.name}", found)
    if wrong:
        lines = [f"{key}\n  " + "\n  ".join(found[:3]) for key, found in itertools.islice(wrong.items(), 20)]
        raise Failure("\n".join([f"{len(wrong)} of {count} kernels lose their order", *lines]))
    return f"{count} kernels audited; of {len(excused)} cases that the headers fence, ptxas loses {len(lost)}"
