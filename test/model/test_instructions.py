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
    while left:
        # One that no target knows makes sure that ptxas stops before it generates code.
        text, first = forms.text_for([*left, "no_such_instruction"], target)
        source.write_text(text)
        done = subprocess.run([toolchain.ptxas(), f"-arch={target}", "-o", folder / "out.cubin", source],
                              capture_output=True, text=True, check=False)
        errors = [(int(line) - first, kind, reason)
                  for line, kind, reason in re.findall(r"line (\d+); (error|fatal)\s*: (.*)", done.stderr)]
        refused |= {left[index]: reason for index, _, reason in errors if index < len(left)}
        ends = [(index, reason) for index, kind, reason in errors if kind == "fatal"]
        if not ends:
            assert "no_such_instruction" in done.stderr, done.stderr[-2000:]
            break
        # At a syntax error, ptxas stops. Others with the same word beside the same name have the same error.
        (index, reason), = ends
        name = left[index].split(".")[0]
        word = re.search(r"near '\.(.*)'", reason)
        rest = left[index + 1:]
        same = {each for each in rest if word and each.split(".")[0] == name and word[1] in each.split(".")}
        refused |= dict.fromkeys(same, reason)
        left = [each for each in rest if each not in same]
    return refused


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


# What ptxas may accept beside the words of the table.
OTHER_WORDS = """oob rs rna relu satfinite sat ftz cc hi wide abs NaN xorsign approx wrap uni noftz shiftamt rz rni e4m3x2 ue8m0x2
f16x2 bf16x2 tf32 scaled::n2::relu and popc s4""".split()
ARITHMETIC = """abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt div dp2a dp4a ex2 fma fns lg2 lop3 mad mad24 madc
max min mov mul mul24 neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct sqrt sub subc szext tanh testp
xor""".split()


def mutated(places, name):
    """Forms of a row with a word more, or with another type."""
    least = [place[0] for place in places]
    for word in OTHER_WORDS:
        yield ".".join([name, *filter(None, least[:-1]), word, least[-1]])
    for index, place in enumerate(places):
        if place[-1] in forms.LETTER:
            for word in forms.TYPES:
                yield ".".join([name, *filter(None, [*least[:index], word, *least[index + 1:]])])


# With these the machine refuses what ptxas accepts. The message names the line, so that a program is not wrong in silence.
OMISSIONS = {"addc.s16", "addc.u16", "fma.rn.oob.bf16", "fma.rn.oob.f16", "madc.lo.s16", "madc.lo.u16", "rcp.rn.ftz.f64",
             "subc.s16", "subc.u16"}


def test_omissions(tmp_path):
    """ptxas accepts nothing else that differs from a row by a word or a type."""
    candidates = {each for names, places in forms.rows() for name in names if name in ARITHMETIC and places
                  for each in mutated(places, name)}
    refused = [each for each in sorted(candidates)
               if len(set(each.split("."))) == len(each.split(".")) and forms.unknown_word(each)]
    accepted, _ = accepted_by_ptxas(refused, tmp_path)
    assert accepted == OMISSIONS
