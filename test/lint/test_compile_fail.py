"""Each message of a static_assert in the headers is that of a test in test/compile_fail."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools import compile_fail_format, cpp
from cudasync_tools.toolchain import INCLUDE, ROOT

# Part of a message: why no test has it.
EXCEPTIONS = {
    "needs PTX ISA": "the pairs are compiled by a toolkit that has it",
    "need PTX ISA": "the pairs are compiled by a toolkit that has it",
    "say() takes at most 8 values": "no user calls it",
    "the word is too small": "no user calls it",
    "the layout is known to host programs": "the headers' own layout",
    "a pipeline finds the members behind the stages": "the headers' own layout",
    "an event must have 48 bytes": "the headers' own layout",
    "each action needs a description": "the headers' own table",
}


FILES = sorted(ROOT.glob("test/compile_fail/*/*.cu"))


def expected_errors():
    """The texts of all // ERROR lines, as regular expressions."""
    lines = (line.strip() for path in FILES for line in path.read_text(encoding="utf-8").splitlines())
    return [re.compile(line.removeprefix("// ERROR: ")) for line in lines if line.startswith("// ERROR: ")]


def test_names_are_those_of_one_misuse():
    """Of a folder: the index by name, LIT_FILTER say, finds one."""
    for folder in sorted({path.parent for path in FILES}):
        names = compile_fail_format.names_in(folder)
        assert len(names) == len(set(names)), f"{folder.name}: {sorted({name for name in names if names.count(name) > 1})}"


def test_each_message_has_a_pair():
    errors = expected_errors()
    missing = []
    for path in sorted(INCLUDE.glob("**/*.h")):
        for message in cpp.messages(path.read_text(encoding="utf-8")):
            if not any(error.search(message) for error in errors) and not any(part in message for part in EXCEPTIONS):
                missing.append(f"{path.relative_to(INCLUDE)}: {message}")
    assert not missing, "add a pair to test/compile_fail for each of these:\n" + "\n".join(missing)


def test_no_exception_is_superfluous():
    errors = expected_errors()
    all_messages = [message for path in INCLUDE.glob("**/*.h") for message in cpp.messages(path.read_text(encoding="utf-8"))]
    for part in EXCEPTIONS:
        found = [message for message in all_messages if part in message]
        assert found, f"no message contains {part!r}"
        assert not all(any(error.search(message) for error in errors) for message in found), f"tested: {part!r}"


def test_messages_are_found():
    text = 'static_assert(f(")") > 1,\n  "one "\n  "two");\nstatic_assert(sizeof(int) == 4);\n// static_assert(false, "no");\n'
    assert cpp.messages(text) == [")one two"]
    assert cpp.messages('static_assert(a, "b (c) \\"d\\"");') == ['b (c) "d"']
