"""Each message of a static_assert in the headers is that of a test in test/compile_fail."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools.toolchain import INCLUDE, ROOT

# Part of a message: why no test has it.
EXCEPTIONS = {
    "needs PTX ISA": "the pairs are compiled by a toolkit that has it",
    "need PTX ISA": "the pairs are compiled by a toolkit that has it",
    "a value with a lock is not a number": "cuda::atomic has no arithmetic for such values",
    "say() takes at most 8 values": "no user calls it",
    "the word is too small for the value": "no user calls it",
    "the layout is known to host programs": "the headers' own layout",
    "a pipeline finds the members in front of the stages": "the headers' own layout",
    "an event must have 48 bytes": "the headers' own layout",
    "each action needs a description": "the headers' own table",
}

ASSERTION = re.compile(r"\bstatic_assert\s*\(")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def arguments(text, position):
    """The text between the parentheses of which the first ends here; parentheses in strings do not count."""
    depth, begin = 1, position
    while depth:
        string = STRING.match(text, position)
        position = string.end() if string else position + 1
        if not string:
            depth += {"(": 1, ")": -1}.get(text[position - 1], 0)
    return text[begin : position - 1]


def messages(text):
    """Those of static_assert: none for an assertion that has no text."""
    text = re.sub(r"(?m)^\s*//.*$", "", text)
    found = []
    for match in ASSERTION.finditer(text):
        parts = STRING.findall(arguments(text, match.end()))
        if parts:
            found.append("".join(part[1:-1] for part in parts).replace('\\"', '"'))
    return found


def expected_errors():
    """The texts of all // ERROR lines, as regular expressions."""
    lines = (line for path in ROOT.glob("test/compile_fail/*/*.cu") for line in path.read_text(encoding="utf-8").splitlines())
    return [re.compile(line.removeprefix("// ERROR: ")) for line in lines if line.startswith("// ERROR: ")]


def test_each_message_has_a_pair():
    errors = expected_errors()
    missing = []
    for path in sorted(INCLUDE.glob("**/*.h")):
        for message in messages(path.read_text(encoding="utf-8")):
            if not any(error.search(message) for error in errors) and not any(part in message for part in EXCEPTIONS):
                missing.append(f"{path.relative_to(INCLUDE)}: {message}")
    assert not missing, "add a pair to test/compile_fail for each of these:\n" + "\n".join(missing)


def test_no_exception_is_superfluous():
    errors = expected_errors()
    all_messages = [message for path in INCLUDE.glob("**/*.h") for message in messages(path.read_text(encoding="utf-8"))]
    for part in EXCEPTIONS:
        found = [message for message in all_messages if part in message]
        assert found, f"no message contains {part!r}"
        assert not all(any(error.search(message) for error in errors) for message in found), f"tested: {part!r}"


def test_messages_are_found():
    text = 'static_assert(f(")") > 1,\n  "one "\n  "two");\nstatic_assert(sizeof(int) == 4);\n// static_assert(false, "no");\n'
    assert messages(text) == [")one two"]
    assert messages('static_assert(a, "b (c) \\"d\\"");') == ['b (c) "d"']
