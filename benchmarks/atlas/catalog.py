"""All cases of the atlas, and which of them are counted for each architecture."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import zlib

import atomics
import contests
import copies
import handovers
import synchronizers

ARCHITECTURES = ("75", "80", "90a", "100a")
SAMPLE = 40  # cells of a group that every run of the tests compiles


def all_cases():
    return [*atomics.cases(), *synchronizers.cases(), *copies.cases(), *handovers.cases(), *contests.cases()]


def is_counted(case, arch):
    """All cases for sm_90a; for the others one type of each width, and the usual orders."""
    if not case.is_counted or case.least_arch > int(arch.rstrip("af")):
        return False
    if arch == "90a" or case.group != "atomics":
        return True
    name = case.row.split(",")[0].split()[1]
    return name in ("u8", "u32", "u64", "float", "b128") and not case.column.endswith("system") and not re.match("acquire|release", case.column)


def sample(cases, count=SAMPLE):
    """The same cases of each group in every run: those whose names have the least checksums."""
    groups = {}
    for case in sorted(cases, key=lambda each: zlib.crc32(each.name.encode())):
        groups.setdefault(case.group, []).append(case)
    return [case for group in groups.values() for case in group[:count]]


def key_of(arch, case):
    """The cell in the results."""
    return (arch, *case.name.split(" | "))
