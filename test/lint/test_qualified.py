"""Functions with an order, a scope and a space: the statement with texts as operands and those written out are the same PTX."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import re
from collections import Counter

from cudasync_tools import nvrtc, order_audit

SEMS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("cta", "cluster", "gpu", "sys")
SPACES = {".global": "to_global_pointer", ".shared": "to_shared_pointer", "": "to_generic_pointer"}
INCLUDES = "".join(f"#include <cudasync/ptx/{name}.h>\n" for name in ("atom", "ld_st", "mbarrier_qualified", "multimem", "red"))
PARAMETERS = "({word}* at, {word} operand, {word} other, {word}* out)"


def call(function, sem, scope, arguments):
    return f"{function}(sem_{sem}_t{{}}, scope_{scope}_t{{}}, {arguments});"


def kernel(name, word, rows):
    """(text, instructions) for (instruction, call) of each row."""
    body = " ".join(call for _, call in rows)
    return f"__global__ void {name}{PARAMETERS.replace('{word}', word)} {{ {body} }}\n", {instruction for instruction, _ in rows}


def kernels():
    """Every function of the tables, with every order, scope and space, although not every instruction exists."""
    table, numbers = order_audit.table, itertools.count()
    everywhere = list(itertools.product(SEMS, SCOPES, SPACES.items()))
    for op, what, word, _ in table("ptx/atom.h", "CUDASYNC_ATOM(?:128)?"):
        rows = [(f"atom.{o}.{s}{p}{what}", call("*out = atom", o, s, f"{op}{{}}, {to}(at), operand")) for o, s, (p, to) in everywhere]
        yield kernel(f"atom_{next(numbers)}", word, rows)
    for what, word, _ in table("ptx/atom.h", "CUDASYNC_ATOM_CAS(?:128)?"):
        rows = [(f"atom.{o}.{s}{p}{what}", call("*out = atom", o, s, f"op_cas_t{{}}, {to}(at), operand, other")) for o, s, (p, to) in everywhere]
        yield kernel(f"cas_{next(numbers)}", word, rows)
    for what, word, _, _ in table("ptx/ld_st.h", "CUDASYNC_LD_ST(?:128)?"):
        rows = [(f"ld.{o}.{s}{p}{what}", call("*out = ld", o, s, f"{to}(at)")) for o, s, (p, to) in everywhere]
        rows += [(f"st.{o}.{s}{p}{what}", call("st", o, s, f"{to}(at), operand")) for o, s, (p, to) in everywhere]
        yield kernel(f"ld_st_{next(numbers)}", word, rows)
    for name, header in (("red", "ptx/red.h"), ("atom", "ptx/atom.h")):
        for op, what, word, _ in table(header, "CUDASYNC_RED" if name == "red" else "CUDASYNC_ADD_TWO"):
            begin = "red" if name == "red" else "*out = atom"
            rows = [
                (f"{name}.{o}.{s}.global{what}", call(begin, o, s, f"{op}{{}}, to_global_pointer(at), operand"))
                for o, s in itertools.product(SEMS, SCOPES)
            ]
            yield kernel(f"{name}_global_{next(numbers)}", word, rows)
    for size in (2, 4):
        name = f"red_v{size}_f32"
        rows = [(f"red.relaxed.{s}.global.add.v{size}.f32", call(name, "relaxed", s, "op_add_t{}, to_global_pointer(at), operand")) for s in SCOPES]
        yield kernel(name, f"float{size}", rows)
    for function, instruction in table("ptx/mbarrier_qualified.h", "CUDASYNC_ARRIVE   "):
        own = [
            (f"{instruction}.{o}.{s}.shared::cta.b64", call(f"out[0] = {function}", o, s, "to_shared(at), 1"))
            for o, s in itertools.product(("relaxed", "release"), SCOPES[:2])
        ]
        other = [
            (f"{instruction}.{o}.cluster.shared::cluster.b64", call(function, o, "cluster", "to_cluster(at), 1"))
            for o in ("relaxed", "release")
        ]
        yield kernel(f"arrive_{next(numbers)}", "uint64", own + other)
    for macro, rest in (("CUDASYNC_WAIT     ", ""), ("CUDASYNC_WAIT_HINT", ", 9")):
        for function, instruction, phase, _ in table("ptx/mbarrier_qualified.h", macro):
            rows = [
                (f"{instruction}.{o}.{s}.shared::cta.b64", call(f"out[0] = {function}", o, s, f"to_shared(at), {phase}(operand){rest}"))
                for o, s in itertools.product(("relaxed", "acquire"), SCOPES[:2])
            ]
            yield kernel(f"wait_{next(numbers)}", "uint64", rows)
    for macro, name, rest in (("CUDASYNC_LD_REDUCE", "ld_reduce", ""), ("CUDASYNC_RED      ", "red", ", operand")):
        for op, what, word, _ in table("ptx/multimem.h", macro):
            begin = f"*out = multimem_{name}" if name == "ld_reduce" else f"multimem_{name}"
            rows = [
                (f"multimem.{name}.{o}.{s}.global.{what}", call(begin, o, s, f"{op}{{}}, to_global_pointer(at){rest}"))
                for o, s in itertools.product(SEMS, SCOPES)
            ]
            yield kernel(f"multimem_{next(numbers)}", word, rows)
    for what, word, _ in table("ptx/multimem.h", "CUDASYNC_ST       "):
        rows = [
            (f"multimem.st.{o}.{s}.global.{what}", call("multimem_st", o, s, "to_global_pointer(at), operand"))
            for o, s in itertools.product(SEMS, SCOPES)
        ]
        yield kernel(f"multimem_{next(numbers)}", word, rows)


def compiled(text, has_texts):
    (ptx,), log = nvrtc.compile_to(("PTX",), text, "qualified.cu", "90", [f"-DCUDASYNC_HAS_TEXT_OPERANDS={has_texts}"])
    assert ptx and not log, log
    return [with_equal_registers(body) for body in ptx.decode().split(".entry")[1:]]


def with_equal_registers(kernel):
    """The lines of a kernel, with registers numbered by their first use. A text takes a register that nothing reads."""
    lines = [line.strip() for line in kernel.splitlines() if line.strip() and not re.match(r"\s*(?:\.reg|//)", line)]
    uses = Counter(re.findall(r"%\w+", "\n".join(lines)))
    lines = [line for line in lines if not ((zero := re.match(r"mov\.\w+\s+(%\w+), 0;", line)) and uses[zero[1]] == 1)]
    numbers = {}
    return [re.sub(r"%[a-z]+\d+", lambda found: f"%{numbers.setdefault(found[0], len(numbers))}", line) for line in lines]


def test_both_forms_are_the_same():
    found = list(kernels())
    text = INCLUDES + "using namespace cudasync;\nusing namespace cudasync::ptx;\n" + "".join(text for text, _ in found)
    with_texts, written_out = compiled(text, 1), compiled(text, 0)
    assert len(with_texts) == len(written_out) == len(found)
    for (_, expected), ours, other in zip(found, with_texts, written_out, strict=True):
        assert not expected - set(re.findall(r"\b(?:atom|ld|st|red|mbarrier|multimem)\.[\w.:]+", "\n".join(ours)))
        assert ours == other
