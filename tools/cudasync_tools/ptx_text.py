"""The instructions of PTX that synchronize, or access memory for others, by kernel."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import re

ENTRY = re.compile(r"\.visible \.entry (\w+)\(")
FUNCTION = re.compile(r"(?:\.\w+ )*\.func\b")
SYNCHRONIZES = re.compile(
    r"[\s{]*(?:\w+: *)?(?:@!?%?\w+ +)?((?:atom|bar|barrier|clusterlaunchcontrol|cp|elect|fence|griddepcontrol|ld\.acquire|ld\.relaxed|mapa|mbarrier|membar"
    r"|multimem|red|setmaxnreg|shfl|st\.async|st\.bulk|st\.relaxed|st\.release|tcgen05|tensormap|trap|vote|wgmma)\b[\w.:]*)"
)
TYPE = re.compile(r"(?:\.v[24])?\.[busf](?:8|16|32|64|128)$")
REPEATED = re.compile(r"ld\.|mbarrier\.(?:test|try)_wait")  # the compiler copies the first iteration of a loop

BY_COMPILER = re.compile(r"\b(atom|red)(\.global|\.shared)?(\.cta|\.sys)?(?=\.(?:add|min|max|and|or|xor)\b)")


def with_qualifiers(ptx):
    """The compiler's own functions, such as atomicAdd, are relaxed, without saying so."""
    return BY_COMPILER.sub(lambda match: f"{match[1]}.relaxed{match[3] or '.gpu'}{match[2] or ''}", ptx)


def kind(instruction):
    """Without the type of its value. An atom whose result is not used becomes a red in the SASS."""
    return re.sub(r"^red\.", "atom.", TYPE.sub("", instruction)).replace("shared::cta", "shared")


def synchronizing(ptx):
    """{kernel: its instructions that synchronize, in their order}; without the functions that it calls out of line."""
    result = {}
    now = None
    for line in with_qualifiers(ptx).splitlines():
        if match := ENTRY.match(line):
            now = result.setdefault(match[1], [])
        elif FUNCTION.match(line):
            now = None
        elif now is not None:
            now += [kind(match[1]) for statement in line.split(";") if (match := SYNCHRONIZES.match(statement))]
    return result


def lacking(ours, hand):
    """The instructions of hand that ours has less often. Of a loop, only one needs to be there."""
    counts, wanted = collections.Counter(ours), collections.Counter(hand)
    for instruction in wanted:
        if REPEATED.match(instruction):
            wanted[instruction] = 1
    return sorted((wanted - counts).elements())


def has_order_of(ours, hand):
    """Whether ours has the instructions of hand in the same order, perhaps between others."""
    rest = iter(each for each in ours if not REPEATED.match(each))
    return all(each in rest for each in hand if not REPEATED.match(each))
