"""The mapping from C++ orders and scopes to PTX: what the headers generate, read from the PTX of small kernels."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
from dataclasses import dataclass

import ptx_text
from litmus import Way

INCLUDES = """\
#include <cuda/atomic>
#include <cudasync/backend/atomic/word.h>
using namespace cudasync;
#define HERE target::here{}
#define MEMORY extern __shared__ __align__(16) unsigned char memory[]
"""
SCOPES = {"block": "cta", "cluster": "cluster", "device": "gpu", "system": "sys"}
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
LOADS, STORES = ("relaxed", "acquire", "seq_cst"), ("relaxed", "release", "seq_cst")
PLACES = {
    "global": "static_cast<Word*>(place)",
    "shared": "reinterpret_cast<Word*>(memory)",
    "other_block": "static_cast<Word*>(__cluster_map_shared_rank(memory, 1))",
}


@dataclass(frozen=True)
class Call:
    """A member function of atomic_ref, or a function of backend/atomic/word.h."""

    name: str
    code: str  # a statement about the object at {at}
    kind: str  # load, store, exchange, reduction: a read-modify-write without a result
    orders: tuple

    def text(self, order, scope, at):
        code = self.code.replace("REF", "atomic_ref<Word, thread_scope_{scope}>(*{at})")
        return code.replace("{at}", at).replace("{scope}", scope).replace("{order}", f"memory_order_{order}")


ATOMICS = [
    Call("load", "seen[0] = REF.load({order});", "load", LOADS),
    Call("store", "REF.store(value, {order});", "store", STORES),
    Call("exchange", "seen[0] = REF.exchange(value, {order});", "exchange", ORDERS),
    Call("fetch_add", "seen[0] = REF.fetch_add(value, {order});", "exchange", ORDERS),
    Call("fetch_max", "seen[0] = REF.fetch_max(value, {order});", "exchange", ORDERS),
    Call(
        "compare_exchange", "Word old = value; REF.compare_exchange_strong(old, 1, {order}); seen[0] = old;", "exchange", ORDERS
    ),
    Call("store_add", "REF.store_add(value, {order});", "reduction", STORES),
]
WORDS = [
    Call("load_relaxed", "seen[0] = backend::load_relaxed<thread_scope_{scope}>(HERE, *{at});", "load", ("relaxed",)),
    Call("load_acquire", "seen[0] = backend::load_acquire<thread_scope_{scope}>(HERE, *{at});", "load", ("acquire",)),
    Call("store_release", "backend::store_release<thread_scope_{scope}>(HERE, *{at}, value);", "store", ("release",)),
    Call(
        "fetch_add_relaxed",
        "seen[0] = backend::fetch_add_relaxed<thread_scope_{scope}>(HERE, *{at}, value);",
        "exchange",
        ("relaxed",),
    ),
    Call(
        "fetch_add_release",
        "seen[0] = backend::fetch_add_release<thread_scope_{scope}>(HERE, *{at}, value);",
        "exchange",
        ("release",),
    ),
    Call(
        "fetch_and_relaxed",
        "seen[0] = backend::fetch_and_relaxed<thread_scope_{scope}>(HERE, *{at}, value);",
        "exchange",
        ("relaxed",),
    ),
    Call(
        "fetch_or_relaxed",
        "seen[0] = backend::fetch_or_relaxed<thread_scope_{scope}>(HERE, *{at}, value);",
        "exchange",
        ("relaxed",),
    ),
]
TYPES = {"uint32": "unsigned", "uint64": "unsigned long long", "uint8": "unsigned char", "double": "double"}
WORD_TYPES = ("uint32", "uint64")


def calls(types):
    """(call, name of a type) of all that is compiled."""
    for type_name in types:
        yield from ((call, type_name) for call in ATOMICS)
        if type_name in WORD_TYPES:
            yield from ((call, type_name) for call in WORDS)


def kernel(name, type_name, code):
    parameters = f"{TYPES[type_name]}* place, {TYPES[type_name]}* seen, {TYPES[type_name]} value"
    return f'extern "C" __global__ void {name}({parameters}) {{ MEMORY; using Word = {TYPES[type_name]}; {code} }}\n'


def is_atomic(path):
    return any(step.is_strong and step.kind != "fence" for step in path)


ACCESSES = {"load": ("ld",), "store": ("st",), "exchange": ("atom",), "reduction": ("atom", "red")}


def way(path, kind, order, scope, wrapper):
    """A path through a kernel as fence, access and fence; loops around a compare-exchange turn once."""
    strong = [step for step in path if step.is_strong]
    accesses = [index for index, step in enumerate(strong) if step.kind in ACCESSES[kind]]
    assert accesses and len({strong[index] for index in accesses}) == 1, (
        f"{wrapper}: not one access in {[step.text for step in path]}"
    )
    before = [step for step in strong[: accesses[0]] if step.kind == "fence"]
    after = [step for step in strong[accesses[-1] + 1 :] if step.kind == "fence"]
    between = [step for step in strong[accesses[0] : accesses[-1]] if step.kind == "fence"]
    assert len(before) <= 1 and len(after) <= 1 and not between, (
        f"{wrapper}: more fences than expected in {[step.text for step in path]}"
    )
    return Way(order, SCOPES[scope], before[0] if before else None, strong[accesses[-1]], after[0] if after else None, wrapper)


def without_repetitions(ways):
    """One of each that differ in more than the wrapper and the qualifiers that say nothing of order."""

    def essence(found):
        parts = (found.before, found.access, found.after)
        return (found.order, found.scope, *((part.kind == "red", part.order, part.scope) if part else None for part in parts))

    kept = {}
    for found in ways:
        kept.setdefault(essence(found), found)
    return list(kept.values())


@dataclass(frozen=True)
class Part:
    """What is compiled for an architecture."""

    arch: str
    types: tuple
    places: tuple
    names: tuple = ()  # of calls; all if it is empty


# 32 bits, 64 bits where they are between fences, and what differs before sm_90.
USUAL = [
    Part("90", ("uint32",), ("global", "shared")),
    Part("90", ("uint64",), ("shared", "other_block")),
    Part("80", ("uint64",), ("shared",)),
]
ALL = [Part(arch, tuple(TYPES), tuple(PLACES)) for arch in ("90", "100")]
ALL += [Part(arch, tuple(TYPES), ("global", "shared")) for arch in ("80", "70")]


def source_of(part):
    """(source, {name of a kernel: kind, order and scope of its operation})"""
    texts, meant = [INCLUDES], {}
    for (call, type_name), scope, place in itertools.product(calls(part.types), SCOPES, part.places):
        if (scope == "cluster" and call in WORDS) or (part.names and call.name not in part.names):
            continue  # words have no cluster scope
        for order in call.orders:
            name = f"{call.name}__{order}__{scope}__{place}__{type_name}"
            texts.append(kernel(name, type_name, call.text(order, scope, PLACES[place])))
            meant[name] = (call.kind, order, scope)
    for order, scope in itertools.product(ORDERS[1:], SCOPES):
        name = f"atomic_thread_fence__{order}__{scope}"
        texts.append(kernel(name, "uint32", f"atomic_thread_fence(memory_order_{order}, thread_scope_{scope});"))
        meant[name] = ("fence", order, scope)
    return "".join(texts), meant


def is_relaxed_load(path):
    strong = [(step.kind, step.order) for step in path if step.is_strong]
    return set(strong) == {("ld", "relaxed")}


def ways_of(paths, kind, order, scope, wrapper):
    if "compare_exchange" in wrapper and order == "relaxed":  # the failure of a part of a word, in which C++ has a relaxed load
        paths = [path for path in paths if not is_relaxed_load(path)]
    if "other_block" in wrapper:  # the compiler does not know the place: there is a path for memory of this thread alone
        paths = [path for path in paths if is_atomic(path)]
    assert paths, f"{wrapper}: no access with an order"
    for path in sorted(paths, key=str):
        if kind == "fence":
            fences = [step for step in path if step.kind == "fence"]
            assert len(fences) == 1, f"{wrapper}: not one fence"
            yield Way(order, SCOPES[scope], access=fences[0], wrapper=wrapper)
        else:
            yield way(path, kind, order, scope, wrapper)


def generated(parts):
    """{load, store, exchange, reduction, fence: the ways in which the headers compile them}"""
    found = {kind: [] for kind in (*ACCESSES, "fence")}
    for part in parts:
        source, meant = source_of(part)
        compiled = ptx_text.kernels(source, part.arch)
        assert compiled.keys() == meant.keys()
        for name, paths in compiled.items():
            kind, order, scope = meant[name]
            found[kind] += ways_of(paths, kind, order, scope, f"sm_{part.arch} {name}")
    return {kind: without_repetitions(ways) for kind, ways in found.items()}


# Accesses that are not atomic.
PLAIN = {
    "load": Way("plain", None, access=ptx_text.instruction("ld.global.u32"), wrapper="an ordinary load"),
    "store": Way("plain", None, access=ptx_text.instruction("st.global.u32"), wrapper="an ordinary store"),
}
NO_FENCE = Way("none", None, wrapper="no fence")


def any_way(ways):
    """For litmus.Program: each operation with any order and scope, or ordinary; fences where the shape has a place for one."""

    def choice(operation, _):
        others = [PLAIN[operation.kind]] if operation.kind in PLAIN else [NO_FENCE] if operation.kind == "fence" else []
        return [*others, *ways[operation.kind]]

    return choice


def find(ways, kind, order, scope):
    """The first way, which is that of 32 bits in global memory for sm_90."""
    if order == "plain":
        return PLAIN[kind]
    if order == "none":
        return NO_FENCE
    return next(way for way in ways[kind] if (way.order, way.scope) == (order, scope))
