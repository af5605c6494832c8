"""The `// NAME: value` comments of a test, and which architectures a value or a check prefix means."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

from cudasync_tools.nvrtc import ARCHITECTURES, number

TARGETS = (70, 80, 90, 100)  # the tags of cudasync/core/target.h; each covers the architectures up to the next
CHECK = re.compile(
    r"\s*//\s*((?:PTX|SASS)(?:-SM(\d+)(\+?))?)(?:-(?:DAG|COUNT-\d+|NOT|EMPTY|NEXT|SAME|LABEL))?(?:\{LITERAL\})?:"
)
DIRECTIVE = re.compile(r"\s*//\s*([A-Z][A-Z0-9+_-]*):\s*(.*?)\s*$")


class DirectiveError(Exception):
    """A comment that looks like a directive and is none: a test must never be silently weaker than it reads."""


def parse(text, known, checks=False):
    """Returns ({name: [values]}, the set of check prefixes). `checks`: are PTX and SASS lines allowed?"""
    values = {name: [] for name in known}
    prefixes = set()
    for line_number, line in enumerate(text.splitlines(), 1):
        check = CHECK.match(line)
        directive = DIRECTIVE.match(line)
        if checks and check:
            if check[2] and int(check[2]) not in TARGETS:
                raise DirectiveError(f"line {line_number}: {check[1]}: the targets are {TARGETS}")
            prefixes.add(check[1])
        elif directive and directive[1] in known:
            values[directive[1]].append(directive[2])
        elif directive and directive[1] != "TODO":
            raise DirectiveError(f"line {line_number}: unknown directive {directive[1]}: known are {', '.join(known)}")
    return values, prefixes


def covers(target, at_least, arch):
    """Does target 80 ("80+" if `at_least`) cover this architecture?"""
    if at_least:
        return number(arch) >= target
    return max(tag for tag in TARGETS if tag <= number(arch)) == target


def by_target(archs):
    """[(target, its architectures)]: 75 stands alone, since its PTX is compiled by another NVRTC than that of 70."""
    result = {}
    for arch in archs:
        target = max(tag for tag in (*TARGETS, 75) if tag <= number(arch))
        result.setdefault(target, []).append(arch)
    return list(result.items())


def prefix_covers(prefix, arch):
    """Does a check with the prefix "PTX", "PTX-SM80" or "SASS-SM90+" hold on this architecture?"""
    limited = re.fullmatch(r"\w+-SM(\d+)(\+?)", prefix)
    return not limited or covers(int(limited[1]), bool(limited[2]), arch)


def architectures(values, default=ARCHITECTURES):
    """The architectures that "75 80", "80+", "90 90a" or "100a 103f" name; with a suffix, also some that are no default."""
    named = " ".join(values).split()
    if not named:
        return list(default)
    result = []
    for word in named:
        if word.endswith("+") and word[:-1] in ARCHITECTURES:
            result += [arch for arch in ARCHITECTURES if number(arch) >= int(word[:-1])]
        elif word in ARCHITECTURES or (word[-1] in "af" and word[:-1] in ARCHITECTURES and number(word) >= 100):
            result.append(word)
        else:
            raise DirectiveError(f"unknown architecture {word}: known are {' '.join(ARCHITECTURES)}, or NN+")
    return result
