#!/usr/bin/env python3
"""Writes the headers as one file, for Compiler Explorer and for projects that keep a single file: python3 tools/amalgamate.py -o cudasync.h"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The file replaces the public headers that it has: a program includes it instead of <cuda/barrier> and others, before any
# header of CCCL. An include is replaced by the header's text, unless the text is already there under the same conditions.

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include"
# All public headers but <cuda/ptx>, which includes CCCL's header of the same name, and those that need other libraries.
HEADERS = ["cuda/atomic", "cuda/barrier", "cuda/latch", "cuda/pipeline", "cuda/semaphore", "cuda/work_stealing"]
HEADERS += [
    f"cudasync/{name}.h"
    for name in (
        "named_barrier", "cluster_barrier", "grid_barrier", "grid_dependency", "turns", "tensor_cores", "register_budget", "peer_barrier",
        "system_atomics", "hang_report", "trace",
    )
]
KEPT = {"cuda/ptx"}  # CUDASYNC_DROP_IN includes it
LICENSE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# There is no include folder whose place could be wrong.
WHO_IS_FIRST = re.compile(r"^// With this macro, cudasync's.*?^#undef CUDASYNC_IS_FIRST\n", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"#\s*(ifdef|ifndef|if|elif|else|endif|include)\b\s*(.*?)\s*(?://.*)?$")


OTHER_BUILDS = re.compile(r"CUDASYNC_(?:CHECKED|TRACE)(?: &&|$)")
ONLY_RELEASE = """#if CUDASYNC_CHECKED || CUDASYNC_TRACE
#error "cudasync: this file has only the release build; make another one without --release"
#endif"""


class Amalgamation:
    def __init__(self, is_release):
        self.is_release = is_release
        self.lines = [f"// cudasync {version()} as one file, made by tools/amalgamate.py.", LICENSE, *([ONLY_RELEASE] if is_release else [])]
        self.present = {}  # header: the sets of conditions under which its text is in the file
        self.conditions = []  # for each #if around this place: the conditions of its branches so far

    def here(self):
        """The conditions that hold at this place."""
        return frozenset(words for branches in self.conditions for words in (*(f"!({other})" for other in branches[:-1]), branches[-1]) if words)

    def is_dropped(self):
        return self.is_release and any(OTHER_BUILDS.match(branches[-1]) for branches in self.conditions)

    def add(self, header):
        if self.is_dropped() or any(there <= self.here() for there in self.present.get(header, ())):
            return
        self.present.setdefault(header, []).append(self.here())
        text = WHO_IS_FIRST.sub("", (INCLUDE / header).read_text(encoding="utf-8"))
        self.lines += ["", f"// --- {header} ---"]
        outside = len(self.conditions)
        for line in text.splitlines():
            found = DIRECTIVE.match(line)
            if not found and line.strip() != LICENSE and not self.is_dropped():
                self.lines.append(line)
            elif found:
                self.directive(line, *found.groups())
        if len(self.conditions) != outside:
            raise ValueError(f"{header}: an #if without an #endif")

    def directive(self, line, word, rest):
        if word == "include":
            name = rest.strip("<>\"")
            if (INCLUDE / name).is_file() and name not in KEPT:
                self.add(name)
                return
        elif word in ("if", "ifdef", "ifndef"):
            is_guard = word == "ifndef" and re.fullmatch(r"CUDASYNC_\w+_H", rest)
            self.conditions.append(["" if is_guard else {"if": rest, "ifdef": f"defined({rest})", "ifndef": f"!defined({rest})"}[word]])
        elif word in ("elif", "else"):
            self.conditions[-1].append(rest if word == "elif" else "")
        elif word == "endif":
            self.conditions.pop()
        self.lines.append(line)

    def text(self):
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines) + "\n")


def version():
    config = (INCLUDE / "cudasync/core/config.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"CUDASYNC_VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def amalgamated(headers, is_release=False):
    made = Amalgamation(is_release)
    for header in headers:
        made.add(header)
    return made.text()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("headers", nargs="*", default=HEADERS, metavar="HEADER", help="cuda/barrier, cudasync/turns.h … (all)")
    parser.add_argument("--release", action="store_true", help="without the checked and the traced build: about half as long")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="(standard output)")
    options = parser.parse_args()
    missing = [header for header in options.headers if not (INCLUDE / header).is_file()]
    if missing:
        print(f"no such header: {', '.join(missing)}", file=sys.stderr)
        return 1
    text = amalgamated(options.headers, options.release)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
