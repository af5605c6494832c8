"""Faults that are planted into a source: the text that a fault replaces must be there, or the message says what is lost."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


def planted(source, where, fault, text, replacement, seen_by):
    """The source with the fault. where: its name. fault: what goes wrong. seen_by: the test that fails with the fault."""
    count = source.count(text)
    assert count == 1, cannot_be_planted(where, fault, text, replacement, seen_by, count)
    return source.replace(text, replacement)


def cannot_be_planted(where, fault, text, replacement, seen_by, count):
    """Who changes the text alone may hide the fault itself: the change of the source may be this fault."""
    return (
        f"the fault {fault!r} cannot be planted into {where}: the text that it replaces is there {count} times, not once.\n"
        f"--- text\n{text}\n--- its replacement, with which {seen_by} must fail\n{replacement}\n---\n"
        f"1. Run {seen_by}. If it fails, the change of {where} is this fault: mend {where}.\n"
        "2. Otherwise plant the same fault in the new text, and see that the test fails with it.\n"
        "3. Remove the fault only if nothing can go wrong in this way any more, and say why in the commit."
    )
