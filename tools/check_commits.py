#!/usr/bin/env python3
"""Checks the messages of commits: a subject of at most 72 characters, and a body that says why."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import re
import subprocess
import sys
from pathlib import Path

SUBJECT, BODY = 72, 80  # columns
UNCHECKED = re.compile(r"(?:Merge|Revert|Bump|fixup!|squash!) ")


def findings(message):
    """What is wrong with a message."""
    lines = [line for line in message.rstrip().splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if UNCHECKED.match(subject):
        return
    if not subject.strip():
        yield "no subject"
    if len(subject) > SUBJECT:
        yield f"the subject has {len(subject)} characters: at most {SUBJECT}; is it one topic?"
    if subject.endswith("."):
        yield "the subject ends with a period"
    if len(lines) > 1 and lines[1].strip():
        yield "no empty line after the subject"
    body = [line for line in lines[1:] if line.strip() and not re.match(r"[A-Z][\w-]+: ", line)]  # without trailers
    if not body:
        yield "no body: say why"
    for line in body:
        if len(line) > BODY and " " in line.strip():
            yield f"a line of the body has {len(line)} characters: at most {BODY}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--message", action="store_true", help="RANGE is a file with one message, as for the hook commit-msg")
    parser.add_argument("range", metavar="RANGE", help="origin/main..HEAD, for example")
    options = parser.parse_args()
    if options.message:
        messages = {"": Path(options.range).read_text(encoding="utf-8")}
    else:
        command = ["git", "log", "--no-merges", "--format=%h%n%B%x00", options.range, "--"]
        log = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        messages = dict(each.strip().split("\n", 1) for each in log.split("\0") if each.strip())
    found = [f"{commit} {finding}".strip() for commit, message in messages.items() for finding in findings(message)]
    print("\n".join([*found, f"{len(messages)} messages, {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
