"""The audit of progress: each loop in which a lane waits for another can let it run, and a look of no duration reads no clock."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import re

from cudasync_tools import ptxas, sass_flow
from cudasync_tools.lit_format import Failure

# A warp's lanes that have diverged take turns only where an instruction says so.
YIELDING = {"YIELD", "NANOSLEEP"}


def polls(i):
    """Reads what another thread may change: a loop without such a read ends by itself. A weak LD is of local memory."""
    return i.words[0] in ("LDG", "LDS", "ATOM", "ATOMG", "ATOMS", "SYNCS") or (i.words[0] == "LD" and "STRONG" in i.words)


def is_pause_counter(instructions, index):
    """Compares the number of polls with that from which on there is a pause between two."""
    if instructions[index].words[0] != "ISETP":
        return False
    branch = instructions[index].next
    while len(branch) == 1 and instructions[branch[0]].words[0] in ("BMOV", "BSSY"):  # saves a barrier of the warp
        branch = instructions[branch[0]].next
    return any(instructions[behind].words[0] == "NANOSLEEP" for other in branch for behind in instructions[other].next)


def leaves_after_a_count(instructions, loop, index):
    """Compares a register with a constant, and then leaves the loop, in which nothing but an addition of a constant changes the register."""
    compared = re.match(r"U?ISETP\S* (U?P\d+), U?PT, (U?R\d+)(?:\.reuse)?, 0x[0-9a-f]+,", instructions[index].text)
    if not compared:
        return False
    predicate, counter = compared.groups()
    leaves = re.compile(rf"(@!?{predicate} (BRA|EXIT)|BRA\.U !?{predicate},)")
    is_left = any(leaves.match(instructions[each].text) and not loop.issuperset(instructions[each].next) for each in loop)
    changes = [instructions[each].text for each in loop if re.match(rf"(@!?U?P\d+ )?[^,]* {counter},", instructions[each].text)]
    return is_left and len(changes) == 1 and bool(re.match(rf"(U?IADD3|U?VIADD|U?IADD) {counter}, (U?PT, U?PT, )?{counter}(\.reuse)?, 0x[0-9a-f]+", changes[0]))


def ends_starvation(instructions, index):
    """Something that yields, soon or later; or ptxas's own loop around a compare-exchange, in which nobody waits."""
    words = instructions[index].words
    return words[0] in YIELDING or words[:2] == ["ATOMS", "CAST"] or is_pause_counter(instructions, index)


def starving_loop(instructions):
    """The text of a loop in which a lane polls and nothing yields, or []."""
    broken = {index for index in range(len(instructions)) if ends_starvation(instructions, index)}
    while True:
        polling = [set(loop) for loop in sass_flow.loops(instructions, broken) if any(polls(instructions[index]) for index in loop)]
        limits = {index for loop in polling for index in loop if leaves_after_a_count(instructions, loop, index)}
        if not limits:
            return [instructions[index].text for index in sorted(polling[0])] if polling else []
        broken |= limits  # and once more: a loop that ends by itself may have others in it


def reads_clock(instructions):
    return any("SR_GLOBALTIMER" in each.text for each in instructions)


def run(text, name, archs):
    """Looks at the loops of the kernels in this source text; returns a report."""
    _, assembled = ptxas.compile([text], name, archs)
    wrong, clocks, count = {}, [], 0
    for arch, codes in assembled:
        for kernel, instructions in sass_flow.flows(codes, arch).items():
            count += 1
            if loop := starving_loop(instructions):
                wrong[f"sm_{arch} {kernel}"] = loop
            if re.search(r"_(for_0|try_wait|try_wait_parity|try_acquire)__", kernel) and reads_clock(instructions):
                clocks.append(f"sm_{arch} {kernel}")
    if wrong:
        lines = [f"{key}\n  " + "\n  ".join(loop[:12]) for key, loop in itertools.islice(wrong.items(), 20)]
        raise Failure("\n".join([f"{len(wrong)} of {count} kernels have a loop that starves other lanes", *lines]))
    if clocks:
        raise Failure("\n".join([f"{len(clocks)} kernels look once, and read the clock", *clocks[:20]]))
    return f"{count} kernels"
