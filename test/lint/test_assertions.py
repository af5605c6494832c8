"""Failed assertions print what their conditions compare first: the number that is wrong, and then its limit."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools import cpp
from cudasync_tools.toolchain import INCLUDE

HEADERS = INCLUDE / "cudasync"
NAME = "CUDASYNC_ASSERT"
TEXT = re.compile(r'(?:"(?:[^"\\]|\\.)*"\s*)+$')
LIMIT = re.compile(r"\d|\w*most\w*\b|\(?\w*(?:->|\.)?max\)?\(\)|[A-Z]\w*\b")
COMBINED = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*[|+*][^()]*(?:\([^()]*\)[^()]*)*\) *(?:[%<>]|[=!]=)")


def conditions(text):
    """The condition of each assertion whose text is a literal."""
    for match in re.finditer(rf"(?<!define ){NAME}\(", text):
        call = text[match.end() : cpp.call_at(text, match.end() - 1) - 1]
        if literal := TEXT.search(call):
            yield " ".join(call[: literal.start()].rstrip(" ,\n").split())


def faults(text):
    for condition in conditions(text):
        if re.match(rf"(?:{LIMIT.pattern}) *(?:[<>]=?|[=!]=) ", condition):
            yield f"{condition}: begin with the number that is wrong, not with its limit"
        if COMBINED.match(condition):
            yield f"{condition}: a combination of numbers is none that a reader knows"


def test_conditions_begin_with_the_number():
    found = [f"{path.relative_to(HEADERS)}: {each}" for path in sorted(HEADERS.rglob("*.h")) for each in faults(path.read_text())]
    assert not found, "\n".join(found)


def test_faults_are_found():
    for condition in ("0 <= bytes && bytes <= most", "Blocks == 1 || rank() % 2 == 0", "(to | from) % Alignment == 0"):
        assert list(faults(f'{NAME}({condition}, "size: a multiple of 16; " "round it up");')), condition
    for condition in ("bytes <= most && bytes >= 0", "(before & ~parity) >= update", "is_shared(bar)"):
        assert not list(faults(f'{NAME}({condition}, "copy: the rule; the remedy");')), condition
