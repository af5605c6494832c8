"""The machine's table of instructions against what ptxas accepts."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import re
import subprocess

import instruction_forms as forms

from cudasync_tools import toolchain

TARGETS = ("sm_90a", "sm_100a", "sm_120a")


def refused_by_ptxas(instructions, target, folder):
    """Those of the instructions that ptxas refuses for the target, with its reason."""
    source = folder / f"{target}.ptx"
    refused = {}
    left = list(instructions)
    while True:
        # One that no target knows makes sure that ptxas stops before it generates code.
        text, first = forms.text_for([*left, "no_such_instruction"], target)
        source.write_text(text)
        done = subprocess.run([toolchain.ptxas(), f"-arch={target}", "-o", folder / "out.cubin", source],
                              capture_output=True, text=True, check=False)
        errors = [(left[int(line) - first], kind, reason)
                  for line, kind, reason in re.findall(r"line (\d+); (error|fatal)\s*: (.*)", done.stderr)
                  if int(line) - first < len(left)]
        refused |= {each: reason for each, _, reason in errors}
        if not any(kind == "fatal" for _, kind, _ in errors):  # at a syntax error, ptxas stops
            assert "no_such_instruction" in done.stderr, done.stderr[-2000:]
            return refused
        left = [each for each in left if each not in refused]


def accepted_by_ptxas(instructions, folder):
    left = list(instructions)
    reasons = {}
    for target in TARGETS:
        refused = refused_by_ptxas(left, target, folder) if left else {}
        for each, reason in refused.items():
            reasons.setdefault(each, reason)
        left = [each for each in left if each in refused]
    return set(instructions) - set(left), {each: reasons[each] for each in left}


@functools.cache
def table(most):
    found = set()
    for names, places in forms.rows():
        for name in names:
            found |= forms.forms(name, places, most)
    return sorted(found)


def test_machine_accepts_its_table():
    assert [each for each in table(64) if forms.unknown_word(each)] == []


# Rows of these need not be exact: ptxas knows which hints go with which space, types and vectors. A hint changes no value.
ARE_LOOSE = ("atom", "cp", "ld", "ldu", "red", "st")


def is_loose(instruction):
    # ptxas refuses a saturation that can have no effect.
    return instruction.split(".")[0] in ARE_LOOSE or re.fullmatch(r"cvt\.sat\.[us]\d+\.[us]\d+", instruction)


def test_ptxas_accepts_the_table(tmp_path):
    accepted, refused = accepted_by_ptxas(table(64), tmp_path)
    assert {each: reason for each, reason in refused.items() if not is_loose(each)} == {}
    words = {(each.split(".")[0], word) for each in accepted for word in each.split(".")}
    assert {(each.split(".")[0], word) for each in refused for word in each.split(".")} - words == set()
