"""The host backend's operations have the memory orders that they are given, as g++ sees them before it chooses instructions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# On x86, most of the instructions would be the same with weaker orders.

import re

import pytest
import test_orders_aarch64 as functions

from cudasync_tools import headers, toolchain

NUMBERS = {"relaxed": 0, "acquire": 2, "release": 3, "acq_rel": 4, "seq_cst": 5}
FAILURE = {"relaxed": 0, "acquire": 2, "release": 0, "acq_rel": 2, "seq_cst": 5}
OPERATIONS = {"add": "fetch_add", "exchange": "exchange", "bit_and": "fetch_and", "bit_or": "fetch_or", "bit_xor": "fetch_xor"}
CALL = re.compile(r"(?:__atomic_|\.ATOMIC_)(\w+?)(?:_\d+)? \(([^;]*)\);")


def expected():
    """{function: the operation and its orders}"""
    found: dict = {}
    for order, number in NUMBERS.items():
        if order in ("relaxed", "acquire", "seq_cst"):
            found[functions.LOAD.replace("ORDER", order)] = ("load", number)
        if order in ("relaxed", "release", "seq_cst"):
            found[functions.STORE.replace("ORDER", order)] = ("store", number)
        for operation, call in OPERATIONS.items():
            found[functions.FETCH.replace("OPERATION", operation).replace("ORDER", order)] = (call, number)
        # A loop of compare-exchanges.
        found[functions.FETCH.replace("OPERATION", "max").replace("ORDER", order)] = ("compare_exchange", number, FAILURE[order])
        found[functions.EXCHANGE.replace("ORDER", order)] = ("compare_exchange", number, FAILURE[order])
        found[functions.FENCE.replace("ORDER", order)] = ("thread_fence", number)
        found[functions.SIGNAL_FENCE.replace("ORDER", order)] = ("signal_fence", 5) if number else None
    for text, number in (("relaxed", 0), ("acquire", 2)):
        name = f"word word_load_{text}_(const word& w)"
        found[next(each for each in functions.WORDS if each.startswith(name))] = ("load", number)
    for text, call, number in (
        ("store_release", "store", 3),
        ("fetch_add_release", "fetch_add", 3),
        ("fetch_add_relaxed", "fetch_add", 5),
        ("fetch_and_relaxed", "fetch_and", 0),
        ("fetch_or_relaxed", "fetch_or", 0),
    ):
        found[next(each for each in functions.WORDS if f" word_{text}_" in each)] = (call, number)
    return found


def calls(text):
    """[(operation, its orders)] of a function in g++'s dump."""
    result = []
    for match in CALL.finditer(text):
        name = match[1].lower()
        numbers = [int(word) for word in match[2].split(", ") if word.isdecimal()]
        result.append((name, *numbers[-2 if name == "compare_exchange" else -1 :]))
    return result


def dump(tmp_path, texts, word):
    source = functions.HEAD.replace("WORD", word) + "\n".join(f'extern "C" {text}' for text in texts) + "\n"
    (tmp_path / "orders.cpp").write_text(source, encoding="utf-8")
    out = tmp_path / "orders.dump"
    command = [toolchain.gxx(), "-S", "-O1", "-std=c++17", f"-I{toolchain.INCLUDE}", f"-fdump-tree-optimized={out}"]
    headers.compiles([*command, str(tmp_path / "orders.cpp"), "-o", str(tmp_path / "orders.s")])
    parts = re.split(r"^;; Function (\w+)_ \(.*\n", out.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("word", ["uint32", "uint64"])
def test_every_operation_has_its_order(tmp_path, word):
    wanted = expected()
    assert functions.WORDS.keys() <= wanted.keys()
    texts = dump(tmp_path, wanted, word)
    wrong = []
    for function, call in wanted.items():
        name = functions.name_of(function)
        found = [each for each in calls(texts[name]) if each != ("load", 0) or "load" in name]
        if found != ([call] if call else []):
            wrong.append(f"{name}: {found} instead of {call}")
    assert not wrong, "\n".join(wrong)
