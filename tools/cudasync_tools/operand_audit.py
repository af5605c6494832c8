"""The audit of operands: to take one from a part of a wider value costs the same in every kind of memory."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# ptxas compiles some atomic operations in shared memory to a loop that computes the result. ptxas 13.0 gives the loop for two
# halves wrong bits of its operand, if the operand is a part of a 64-bit register. Nothing here knows which parts are right: the
# same operation in global memory, which is one instruction, shows what it takes to extract the part. A loop that extracts
# something else has other instructions.

import itertools
import re
from collections import Counter

from cudasync_tools import order_audit, ptxas, sass_flow
from cudasync_tools.lit_format import Failure

# What can extract or compute. Moves and additions of integers are left out: ptxas spells them in many ways.
COMPUTES = {"DADD", "DFMA", "FADD", "FFMA", "HADD2", "HFMA2", "LOP3", "PRMT", "SHF"}

# The operand: a value of its own, or a part of a 64-bit value that is used later. Operations on 16 bits also extract their word,
# in too many ways to compare; on a GPU, test/fuzz/instructions.cu executes them.
PARTS = {2: (), 4: ("", "v", "v >> 16", "v >> 32"), 8: ("", "v"), 16: ()}
SIZES = {"16": 2, "x2": 4, "32": 4, "64": 8, "28": 16}  # by the end of an instruction's name


def operations(arch):
    """(name, type, call, spaces) of each row of the tables."""
    for macro, arguments in (("CUDASYNC_ATOM(?:128)?", "operand"), ("CUDASYNC_ADD_TWO", "operand"), ("CUDASYNC_ATOM_CAS(?:128)?", "operand, operand")):
        for row in order_audit.table("ptx/atom.h", macro):
            what, word = row[-3:-1]
            tag = "op_cas_t" if "CAS" in macro else row[-4]
            if order_audit.exists(what, arch):
                places = ["global"] if macro == "CUDASYNC_ADD_TWO" else order_audit.POINTERS
                yield what, word, f"use(atom(sem_relaxed, scope_gpu, {tag}{{}}, {{pointer}}, {arguments}), seen)", places


def kernel(name, word, call, space, part, size):
    bits = {4: "unsigned", 8: "unsigned long long"}[size]
    value = f"static_cast<{bits}>({part})" if part else f"reinterpret_cast<{bits}*>(wide + 1024)[threadIdx.x]"
    place = order_audit.PLACES[space]
    return f"""extern "C" __global__ void {name}(unsigned long long* wide, void* place, void** places, unsigned* seen) {{
  using Word = {word};
  const unsigned long long v = wide[threadIdx.x] * 3;
  const auto operand = cudasync::from_bits<{word}>({value});
  {call.replace("{pointer}", f"{order_audit.POINTERS[space]}({place})")};
  wide[threadIdx.x + 2048] = v;
}}
"""


def computation(flow):
    """Without additions of zero to a product with zero, which load a constant."""
    return Counter(i.words[0] for i in flow if i.words[0] in COMPUTES and "RZ, RZ" not in i.text)


def run(text, name, archs):
    """Audits the operations in the table of ptx/atom.h; returns a report."""
    kernels, groups = [], {}
    for what, word, call, places in operations(archs[0]):
        size = SIZES[what[-2:]]
        for space, (index, part) in itertools.product(places, enumerate(PARTS[size])):
            each = f"{re.sub(chr(92) + 'W', '_', what).strip('_')}__{space}__{index}"
            kernels.append(kernel(each, word, call, space, part, size))
            groups.setdefault((what, word), {})[space, part] = each
    _, assembled = ptxas.compile([text + "".join(kernels)], name, archs)
    wrong, count = [], 0
    for arch, codes in assembled:
        flows = sass_flow.flows(codes, arch)
        for (what, _), members in groups.items():
            found = {key: computation(flows[each]) for key, each in members.items() if each in codes}
            for (space, part), computed in found.items():
                if space == "global" or not part:
                    continue
                count += 1
                whole, in_global = found[space, ""], found["global", part]
                extracts = Counter(in_global)
                extracts.subtract(found["global", ""])
                expected = Counter(whole)
                expected.update(extracts)
                if computed - +expected:
                    wrong.append(f"sm_{arch} atom{what} in {space} memory, operand {part}: {dict(computed)}, expected {dict(+expected)}")
    if wrong:
        raise Failure("\n".join([f"{len(wrong)} of {count} operands are not extracted as for global memory", *wrong[:20]]))
    return f"{count} operands audited"
