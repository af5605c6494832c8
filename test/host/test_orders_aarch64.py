"""The host backend's atomic operations compile to the aarch64 instructions of their memory orders."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# CUDASYNC_CXX is a g++ for aarch64. A run on qemu cannot replace this test: on x86 most accesses have a stronger order than
# on Arm, and an stlr followed by an ldar has a weaker one.

import re
import subprocess

import pytest

from cudasync_tools import headers, toolchain

# How g++ compiles read-modify-writes: to calls of libgcc, which look for LSE at run time, or to LSE instructions.
VARIANTS = {"calls": [], "lse": ["-march=armv8.1-a"]}

HEAD = """\
#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/phase/await_flip.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/backend/phase/counter_phase.h>
#include <cudasync/backend/phase/gate_phase.h>
#include <cudasync/backend/atomic/word.h>
#include <cudasync/core/memory_order_constants.h>
#include <cudasync/core/operation.h>
namespace ns = cudasync;
using namespace cudasync::backend;
using word = ns::WORD;
constexpr auto system = ns::thread_scope_system;
constexpr ns::target::host here{};
using phase = counter_phase<system>;
using gate = gate_phase<system, ns::uint32, empty_completion>;
struct is_positive {
  bool operator()(word value) const { return value > 0; }
};
"""

ORDERS = {"relaxed": "", "acquire": "A", "release": "R", "acq_rel": "AR", "seq_cst": "AR"}

# The functions of backend/atomic/word_host.h and their access, with A if it acquires and R if it releases.
WORDS = {
    "word word_load_relaxed_(const word& w) { return load_relaxed<system>(here, w); }": "load",
    "word word_load_acquire_(const word& w) { return load_acquire<system>(here, w); }": "load A",
    "void word_store_release_(word& w, word v) { store_release<system>(here, w, v); }": "store R",
    "word word_fetch_add_relaxed_(word& w, word v) { return fetch_add_relaxed<system>(here, w, v); }": "add AR",
    "word word_fetch_add_release_(word& w, word v) { return fetch_add_release<system>(here, w, v); }": "add R",
    "word word_fetch_and_relaxed_(word& w, word v) { return fetch_and_relaxed<system>(here, w, v); }": "clear",
    "word word_fetch_or_relaxed_(word& w, word v) { return fetch_or_relaxed<system>(here, w, v); }": "set",
}

# The functions of backend/atomic/atomic_host.h, for each ORDER and each OPERATION.
LOAD = "word load_ORDER_(const word& w) { return load<system>(here, w, ns::memory_order_ORDER); }"
STORE = "void store_ORDER_(word& w, word v) { store<system>(here, w, v, ns::memory_order_ORDER); }"
FETCH = """word OPERATION_ORDER_(word& w, word v) {
  return fetch<system, sizeof(w), ns::operation::OPERATION>(here, w, v, ns::memory_order_ORDER);
}"""
EXCHANGE = """bool compare_exchange_ORDER_(word& w, word e, word d) {
  return compare_exchange<system, sizeof(w)>(here, w, e, d, ns::memory_order_ORDER);
}"""
FENCE = "void fence_ORDER_() { fence<system>(here, ns::memory_order_ORDER); }"
SIGNAL_FENCE = "void signal_fence_ORDER_() { signal_fence(here, ns::memory_order_ORDER); }"
FENCES = {"relaxed": "", "acquire": "fence A", "release": "fence AR", "acq_rel": "fence AR", "seq_cst": "fence AR"}
OPERATIONS = {"add": "add", "exchange": "swap", "bit_and": "clear", "bit_or": "set", "bit_xor": "flip"}

# The functions that sleep or wake, and the set of their accesses. "add AR" announces a sleeper, "add R" wakes.
SLEEP = {"load A", "add AR", "fence AR", "add"}
WAKE = {"fence AR", "load A", "add R"}
WAITS = {
    "bool flip_(const phase& p, ns::uint64 w) { return await_flip<system>(here, p, w, forever); }": SLEEP,
    "void wake_(phase& p) { notify(here, &p); }": WAKE,
    "bool gate_flip_(const gate& p, ns::uint32 w) { return await_flip<system>(here, p, w, 9); }": SLEEP,
    "ns::uint64 gate_arrive_(gate& p) { return arrive(here, p, 1ull); }": {*WAKE, "load", "store R"},
    "void gate_drop_(gate& p) { arrive_and_drop(here, p); }": {*WAKE, "add AR", "load", "store R"},
    "void notify_(word& w) { notify(here, &w); }": WAKE,
    """bool value_relaxed_(const word& w, is_positive c) {
      return await_value<system>(here, w, c, ns::memory_order_relaxed, forever);
    }""": {*SLEEP, "load"},
    """bool value_acquire_(const word& w, is_positive c) {
      return await_value<system>(here, w, c, ns::memory_order_acquire, forever);
    }""": SLEEP,
    """bool value_seq_cst_(const word& w, is_positive c) {
      return await_value<system>(here, w, c, ns::memory_order_seq_cst, 9);
    }""": SLEEP,
}


def simple_functions():
    functions = dict(WORDS)
    for order, letters in ORDERS.items():
        if "R" not in letters or order == "seq_cst":
            functions[LOAD.replace("ORDER", order)] = f"load {letters.replace('R', '')}".strip()
        if "A" not in letters or order == "seq_cst":
            functions[STORE.replace("ORDER", order)] = f"store {letters.replace('A', '')}".strip()
        for operation, access in OPERATIONS.items():
            functions[FETCH.replace("OPERATION", operation).replace("ORDER", order)] = f"{access} {letters}".strip()
        functions[EXCHANGE.replace("ORDER", order)] = f"cas {letters}".strip()
        functions[FENCE.replace("ORDER", order)] = FENCES[order]
        functions[SIGNAL_FENCE.replace("ORDER", order)] = ""
    return functions


def name_of(function):
    return re.search(r"(\w+)_\(", function)[1]


ACCESSES = {"ldadd": "add", "ldset": "set", "ldclr": "clear", "ldeor": "flip", "swp": "swap", "cas": "cas"}
CALL = re.compile(r"bl?\s+__aarch64_(ldadd|ldset|ldclr|ldeor|swp|cas)\d+_(relax|acq|rel|acq_rel|sync)$")
LSE = re.compile(r"(ldadd|ldset|ldclr|ldeor|swp|cas)(a?)(l?)[bh]?\s")
STORED = re.compile(r"st(add|set|clr|eor)(l?)[bh]?\s")  # LSE whose result is not used
PLAIN_ACCESS = re.compile(r"(ld|lda|ldap|st|stl)u?rs?[bhw]*\s[wx]\w+, \[(?!sp|x29)")
PLAIN = {"ld": "load", "lda": "load A", "ldap": "load weak A", "st": "store", "stl": "store R"}


def access(line):
    """The access of an instruction, for example `add AR`, or "" if it has none."""
    if found := CALL.match(line):
        letters = {"relax": "", "acq": "A", "rel": "R", "acq_rel": "AR", "sync": "AR"}[found[2]]
        return f"{ACCESSES[found[1]]} {letters}".strip()
    if found := LSE.match(line):
        return f"{ACCESSES[found[1]]} {'A' if found[2] else ''}{'R' if found[3] else ''}".strip()
    if found := STORED.match(line):
        return f"{ACCESSES['ld' + found[1]]} {'R' if found[2] else ''}".strip()
    if line.startswith("dmb"):
        return {"ishld": "fence A", "ish": "fence AR"}[line.split()[1]]
    found = PLAIN_ACCESS.match(line)
    return PLAIN[found[1]] if found else ""


def accesses(lines):
    return [found for found in map(access, lines) if found]


def bodies(tmp_path, functions, word, options, compiler=None):
    """Compiles the functions. Returns {name: instructions}."""
    source = HEAD.replace("WORD", word) + "\n".join(f'extern "C" {function}' for function in functions) + "\n"
    (tmp_path / "orders.cpp").write_text(source, encoding="utf-8")
    command = [compiler or toolchain.gxx(), "-S", "-O2", "-std=c++17", "-fno-asynchronous-unwind-tables", *options]
    command += [f"-I{toolchain.INCLUDE}", str(tmp_path / "orders.cpp"), "-o", str(tmp_path / "orders.s")]
    headers.compiles(command)
    found = {}
    for line in (tmp_path / "orders.s").read_text(encoding="utf-8").splitlines():
        if label := re.match(r"(\w+)_:", line):
            body = found[label[1]] = []
        elif re.match(r"\t\.size", line):
            body = []
        elif re.match(r"\t[a-z]", line):
            body.append(" ".join(line.split()))
    return found


def differences(tmp_path, word, options):
    functions = simple_functions()
    texts = bodies(tmp_path, [*functions, *WAITS], word, options)
    found = []
    for function, wanted in functions.items():
        name = name_of(function)
        if accesses(texts[name]) != ([wanted] if wanted else []):
            found.append(f"{name}: {accesses(texts[name])} instead of {wanted!r}\n  " + "\n  ".join(texts[name]))
    for function, wanted in WAITS.items():
        name = name_of(function)
        if set(accesses(texts[name])) != wanted:
            found.append(f"{name}: {sorted(set(accesses(texts[name])))} instead of {sorted(wanted)}\n  " + "\n  ".join(texts[name]))
    return found


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("word", ["uint32", "uint64"])
def test_every_operation_has_its_order(tmp_path, word, variant):
    if found := differences(tmp_path, word, VARIANTS[variant]):
        pytest.fail("\n".join(found), pytrace=False)


@pytest.mark.parametrize("order, count", [("ACQUIRE", 8), ("RELEASE", 6)])
def test_weaker_orders_are_found(tmp_path, order, count):
    weaker = [f"-U__ATOMIC_{order}", f"-D__ATOMIC_{order}=__ATOMIC_RELAXED"]
    found = [differences(tmp_path, "uint32", [*options, *weaker]) for options in VARIANTS.values()]
    assert min(map(len, found)) >= count


def test_seq_cst_loads_are_not_ldapr(tmp_path):
    """Since armv8.3, acquire loads may be ldapr, which an earlier stlr does not order. g++ 12 never emits it, clang does."""
    try:
        clang = toolchain.clang()
    except toolchain.ToolMissing as missing:
        pytest.skip(str(missing))
    sysroot = subprocess.run([toolchain.gxx(), "-print-sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    options = ["--target=aarch64-linux-gnu", f"--sysroot={sysroot}", "-march=armv8.3-a"]
    functions = [LOAD.replace("ORDER", order) for order in ("acquire", "seq_cst")]
    texts = bodies(tmp_path, functions, "uint32", options, clang)
    assert accesses(texts["load_acquire"]) == ["load weak A"]
    assert accesses(texts["load_seq_cst"]) == ["load A"]
