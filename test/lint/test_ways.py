"""The ways of calls in docs/design/decisions/layers.md are those in the headers, and short."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

import pytest

import checks
import ways
from cudasync_tools import cpp
from cudasync_tools.toolchain import INCLUDE

MOST_FILES = 5


def definitions(file, function):
    """The texts of all functions of this name, with the rows of tables as the functions that they declare."""
    text = (INCLUDE / "cudasync" / file).read_text(encoding="utf-8")
    code = cpp.without_comments_and_directives(cpp.expanded(text) if file.startswith("ptx/") else text)
    code = re.sub(r" = \{\}(?=[,)])", "", code)  # the default argument `Order order = {}` is no body
    found = [code[begin:end] for begin, end, name in cpp.bodies(code) if name == function]
    return [each[each.index("{") :] for each in found]


def findings(way):
    """What is wrong with a way."""
    for step, following in zip(way, [*way[1:], None], strict=True):
        bodies = definitions(step.file, step.function)
        if not bodies:
            yield f"{step.file} does not define {step.function}"
        elif following is None:
            if not any("asm" in body for body in bodies):
                yield f"{step.function} of {step.file} is no instruction"
        else:
            called = re.compile(rf"\b{re.escape(following.name_in_caller or following.function)}\b(?:<[^;{{}}]*?>)?\(")
            if not any(called.search(body) for body in bodies):
                yield f"{step.function} of {step.file} does not call {following.function}"
            if not following.name_in_caller and checks.is_above(f"cudasync/{following.file}", f"cudasync/{step.file}"):
                yield f"{following.file} is above {step.file}"
    if len({step.file for step in way}) > MOST_FILES:
        yield f"more than {MOST_FILES} files"


@pytest.mark.parametrize("name", ways.WAYS)
def test_way(name):
    assert not [*findings(ways.WAYS[name])]


def test_page_is_up_to_date():
    text = ways.PAGE.read_text(encoding="utf-8")
    assert "barrier::arrive_and_wait" in text and ways.written(text) == text, "run python3 docs/ways.py"


def test_a_wrong_way_is_found():
    one, two, three, four = ways.WAYS["barrier::arrive_and_wait"]
    assert [*findings([one, three, four])] == []  # both are named arrive_and_wait
    assert [*findings([one, two, four])] == ["arrive_and_wait of checked/phase.h does not call mbarrier_arrive"]
    assert [*findings([one._replace(file="latch.h", function="arrive"), two, three, four])]
    assert [*findings([one, two])] == ["arrive_and_wait of checked/phase.h is no instruction"]
    assert [*findings([two, one])][-2:] == ["barrier.h is above checked/phase.h", "arrive_and_wait of barrier.h is no instruction"]
