"""The cases of atomics: every operation, type, order, scope and memory."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools

from cases import MEMORIES, Case, Code

# Of each type: C++, bits, PTX type of arithmetic, register.
TYPES = {
    "u8": ("unsigned char", 8, "", "h"),
    "u16": ("unsigned short", 16, "", "h"),
    "i16": ("short", 16, "", "h"),
    "i32": ("int", 32, "s32", "r"),
    "u32": ("unsigned", 32, "u32", "r"),
    "i64": ("long long", 64, "s64", "l"),
    "u64": ("unsigned long long", 64, "u64", "l"),
    "float": ("float", 32, "f32", "f"),
    "double": ("double", 64, "f64", "d"),
    "b128": ("sixteen", 128, "", ""),
}
SMALL = ("u8", "u16", "i16")
FLOATS = ("float", "double")
UPDATES = ("fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max")
EXCHANGES = ("exchange", "compare_exchange_weak", "compare_exchange_strong")
LOAD_ORDERS = ("relaxed", "acquire", "seq_cst")
STORE_ORDERS = ("relaxed", "release", "seq_cst")
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("block", "device", "system")
PTX_SCOPES = {"block": "cta", "device": "gpu", "system": "sys"}
PTX_SPACES = {"shared": ".shared", "global": ".global", "unknown": "", "cluster": ""}


def operations(name):
    """Those of signed numbers are those of unsigned ones, except for the order of the numbers."""
    if name in ("i16", "i64"):
        return ("fetch_min", "fetch_max")
    if name == "b128":
        return ("load", "store", *EXCHANGES)
    bitwise = ("fetch_and", "fetch_or", "fetch_xor")
    return ("load", "store", *EXCHANGES, *(each for each in UPDATES if name not in FLOATS or each not in bitwise))


def library_code(operation, cpp, order, scope, form, is_used):
    kind = f"cuda::{form}<{cpp}, cuda::thread_scope_{scope}>"
    declare = f"auto& object = *reinterpret_cast<{kind}*>(at);" if form == "atomic" else f"{kind} object(*reinterpret_cast<{cpp}*>(at));"
    where = f"cuda::memory_order_{order}"
    prepare, first = f"*reinterpret_cast<{'unsigned' if form == 'atomic' else cpp}*>(at) = second;", ""  # also the bytes after a small value
    if operation == "store":
        return Code(f"object.store(value, {where});", declare, begin=prepare)
    if operation == "load":
        call, result = f"object.load({where})", cpp
    elif operation.startswith("compare"):
        call, result = f"object.{operation}(expected, value, {where})", "bool"
        first = f"{cpp} expected = second; "  # in each round: an expected value that the last round saw is another operation
    else:
        call, result = f"object.{operation}(value, {where})", cpp
    if not is_used:
        return Code(f"{first}{call};", declare, begin=prepare)
    return Code(f"{first}const {result} result = {call};", declare, begin=prepare, result=result)


def hand_code(operation, name, order, scope, memory, is_used):
    """The instruction in PTX, or None where there is none."""
    cpp, bits, arithmetic, register = TYPES[name]
    if bits < 32 and operation not in ("load", "store") or bits == 128:
        return None
    if name in FLOATS and operation in ("fetch_min", "fetch_max"):
        return None
    if operation in UPDATES and (bits == 64 or name in FLOATS) and (memory == "cluster" or memory == "shared" and order != "relaxed"):
        return None  # ptxas makes a loop of it, without the order, and in another block without the atomicity
    space = PTX_SPACES[memory]
    place = '"r"(shared_address(at))' if memory == "shared" else '"l"(__cvta_generic_to_global(at))' if memory == "global" else '"l"(at)'
    at_scope = PTX_SCOPES[scope]
    fence = f'asm volatile("fence.sc.{at_scope};" ::: "memory"); ' if order == "seq_cst" else ""
    prepare = f"*reinterpret_cast<{cpp}*>(at) = second;"
    if operation in ("load", "store"):
        held = "unsigned short" if bits < 32 else cpp
        word = f"u{bits}" if name not in FLOATS else arithmetic
        if operation == "store":
            sem = "release" if order == "release" else "relaxed"
            step = f'asm volatile("st.{sem}.{at_scope}{space}.{word} [%0], %1;" :: {place}, "{register}"(static_cast<{held}>(value)) : "memory");'
            return Code(fence + step, begin=prepare)
        sem = "relaxed" if order == "relaxed" else "acquire"
        step = f'{held} result; asm volatile("ld.{sem}.{at_scope}{space}.{word} %0, [%1];" : "={register}"(result) : {place} : "memory");'
        return Code(fence + step, begin=prepare, result=cpp if is_used else "")
    sem = "acquire" if order == "seq_cst" else order
    if operation.startswith("compare") and name not in FLOATS:
        step = (
            f'{cpp} seen; asm volatile("atom.{sem}.{at_scope}{space}.cas.b{bits} %0, [%1], %2, %3;" : "={register}"(seen)'
            f' : {place}, "{register}"(second), "{register}"(value) : "memory");'
        )
        return Code(fence + step + (" const bool result = seen == second;" if is_used else ""), begin=prepare, result="bool" if is_used else "")
    if operation.startswith("compare") or (operation == "exchange" and name in FLOATS):
        return None
    verb = {"exchange": "exch"}.get(operation, operation.removeprefix("fetch_").replace("sub", "add"))
    word = f"b{bits}" if verb in ("exch", "and", "or", "xor") else arithmetic.replace("s64", "u64") if verb == "add" else arithmetic
    operand = "-value" if operation == "fetch_sub" else "value"
    operand = f'"{register}"(static_cast<{cpp}>({operand}))'
    if not is_used and operation != "exchange" and order in ("relaxed", "release") and memory != "shared":
        return Code(fence + f'asm volatile("red.{sem}.{at_scope}{space}.{verb}.{word} [%0], %1;" :: {place}, {operand} : "memory");', begin=prepare)
    step = f'{cpp} result; asm volatile("atom.{sem}.{at_scope}{space}.{verb}.{word} %0, [%1], %2;" : "={register}"(result) : {place}, {operand} : "memory");'
    return Code(fence + step, begin=prepare, result=cpp if is_used else "")


def orders_of(operation):
    return LOAD_ORDERS if operation == "load" else STORE_ORDERS if operation == "store" else ORDERS


def uses_of(operation):
    """A load without a use measures nothing, and a store has no result."""
    return {"load": (True,), "store": (False,)}.get(operation, (True, False))


def is_usual(name, memory, order, scope):
    """System scope is like device scope with other fences, and other types have the fences of these."""
    if scope == "system":
        return order in ("relaxed", "seq_cst") and name in ("u8", "u32", "u64")
    return order in ("relaxed", "acq_rel", "seq_cst") or name in ("u8", "u32", "u64", "float") and memory != "cluster"


def is_timed(name, memory, order, scope, operation):
    """A few types, the usual scope, and one order of each strength: the others compile to the same instructions."""
    strong = {"load": "acquire", "store": "release"}.get(operation, "acq_rel")
    usual_scope = "block" if memory == "shared" else "device"
    types = ("u8", "u32", "u64", "float", "b128", *(("double", "i64") if operation in ("fetch_min", "fetch_max", "fetch_add") else ()))
    return name in types and scope == usual_scope and order in ("relaxed", strong, "seq_cst")


def cases():
    for name, memory in itertools.product(TYPES, MEMORIES):
        cpp, bits, _, _ = TYPES[name]
        forms = ("atomic_ref", "atomic") if name in SMALL else ("atomic_ref",)
        for form, operation in itertools.product(forms, operations(name)):
            for is_used, order, scope in itertools.product(uses_of(operation), orders_of(operation), SCOPES):
                if not is_usual(name, memory, order, scope):
                    continue
                kind = "" if form == "atomic_ref" or name not in SMALL else ", cuda::atomic"
                yield Case(
                    group="atomics",
                    row=f"{operation} {name}{kind}, {memory}, {'used' if is_used else 'unused'}",
                    column=f"{order} {scope}",
                    headers=("cuda/atomic",),
                    library=library_code(operation, cpp, order, scope, form, is_used),
                    hand=hand_code(operation, name, order, scope, memory, is_used),
                    value=cpp,
                    memory=memory,
                    object_bytes=4 if form == "atomic" else bits // 8,
                    least_arch=90 if memory == "cluster" or bits == 128 else 75,
                    is_timed=is_timed(name, memory, order, scope, operation),
                    arguments=(("", 1, 1), ("fails", 2, 1)) if operation.startswith("compare") else (("", 1, 1),),
                    without=("toolkit",) if bits == 128 else (),
                )
