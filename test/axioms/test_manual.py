"""The examples of the manual's chapter, and others whose answer is known: the axioms say of them what they must."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pytest

import placement
import ptx_text
from litmus import ALLOWED, FORBIDDEN, Program, Shape, Way, ptx_verdict
from relations import Relation

# name, program, outcome, the instructions in the order of the program, how near the threads are, verdict
EXAMPLES = [
    ("MP", "x=1 y=1 || r0=y r1=x", "r0=1 r1=0", "st st.release.gpu ld.acquire.gpu ld", "gpu", FORBIDDEN),
    ("MP, relaxed", "x=1 y=1 || r0=y r1=x", "r0=1 r1=0", "st st.relaxed.gpu ld.relaxed.gpu ld", "gpu", ALLOWED),
    ("MP, release alone", "x=1 y=1 || r0=y r1=x", "r0=1 r1=0", "st st.release.gpu ld.relaxed.gpu ld", "gpu", ALLOWED),
    ("MP, acquire alone", "x=1 y=1 || r0=y r1=x", "r0=1 r1=0", "st st.relaxed.gpu ld.acquire.gpu ld", "gpu", ALLOWED),
    ("MP, narrow release", "x=1 y=1 || r0=y r1=x", "r0=1 r1=0", "st st.release.cta ld.acquire.gpu ld", "gpu", ALLOWED),
    ("MP, narrow acquire", "x=1 y=1 || r0=y r1=x", "r0=1 r1=0", "st st.release.gpu ld.acquire.cta ld", "gpu", ALLOWED),
    ("MP, both in a block", "x=1 y=1 || r0=y r1=x", "r0=1 r1=0", "st st.release.cta ld.acquire.sys ld", "cta", FORBIDDEN),
    (
        "MP by fences",
        "x=1 | y=1 || r0=y | r1=x",
        "r0=1 r1=0",
        "st fence.acq_rel.gpu st.relaxed.gpu ld.relaxed.gpu fence.acq_rel.gpu ld",
        "gpu",
        FORBIDDEN,
    ),
    (
        "MP by fences, weak flag",
        "x=1 | y=1 || r0=y | r1=x",
        "r0=1 r1=0",
        "st fence.acq_rel.gpu st ld.relaxed.gpu fence.acq_rel.gpu ld",
        "gpu",
        ALLOWED,
    ),
    (
        "A release and a later write",
        "x=1 y=1 y=2 || r0=y r1=x",
        "r0=2 r1=0",
        "st st.release.gpu st.relaxed.gpu ld.acquire.gpu ld",
        "gpu",
        FORBIDDEN,
    ),
    (
        "A read and a later acquire",
        "x=1 y=1 || r0=y r2=y r1=x",
        "r0=1 r1=0",
        "st st.release.gpu ld.relaxed.gpu ld.acquire.gpu ld",
        "gpu",
        FORBIDDEN,
    ),
    (
        "An atom makes an acquire pattern",
        "x=1 y=1 || r0=y:2 | r1=x",
        "r0=1 r1=0",
        "st st.release.gpu atom.relaxed.gpu fence.acq_rel.gpu ld",
        "gpu",
        FORBIDDEN,
    ),
    (
        "A red makes none",
        "x=1 y=1 || y:2 | r1=x",
        "y=2 r1=0",
        "st st.release.gpu red.relaxed.gpu fence.acq_rel.gpu ld",
        "gpu",
        ALLOWED,
    ),
    (
        "SB",
        "x=1 | r0=y || y=1 | r1=x",
        "r0=0 r1=0",
        "st.relaxed.gpu fence.sc.gpu ld.relaxed.gpu st.relaxed.gpu fence.sc.gpu ld.relaxed.gpu",
        "gpu",
        FORBIDDEN,
    ),
    (
        "SB, acq_rel",
        "x=1 | r0=y || y=1 | r1=x",
        "r0=0 r1=0",
        "st.relaxed.gpu fence.acq_rel.gpu ld.relaxed.gpu st.relaxed.gpu fence.acq_rel.gpu ld.relaxed.gpu",
        "gpu",
        ALLOWED,
    ),
    (
        "SB, ordinary accesses",
        "x=1 | r0=y || y=1 | r1=x",
        "r0=0 r1=0",
        "st fence.sc.gpu ld st fence.sc.gpu ld",
        "gpu",
        FORBIDDEN,
    ),
    ("CoRR", "x=1 || r0=x r1=x", "r0=1 r1=0", "st.relaxed.sys ld.relaxed.sys ld.relaxed.sys", "sys", FORBIDDEN),
    ("CoRR, weak", "x=1 || r0=x r1=x", "r0=1 r1=0", "st ld ld", "sys", ALLOWED),
    ("Atomicity", "r0=x:1 || r1=x:2", "r0=0 r1=0", "atom.relaxed.sys atom.relaxed.sys", "sys", FORBIDDEN),
    ("Atomicity, other blocks", "r0=x:1 || r1=x:2", "r0=0 r1=0", "atom.relaxed.cta atom.relaxed.gpu", "gpu", ALLOWED),
    ("LB", "r0=x y=1 || r1=y x=1", "r0=1 r1=1", "ld.relaxed.gpu st.relaxed.gpu ld.relaxed.gpu st.relaxed.gpu", "gpu", ALLOWED),
]


def program(text, outcome, instructions, nearness):
    given = [ptx_text.instruction(word) for word in instructions.split()]
    shape = Shape("", text, outcome)
    return Program(shape, lambda _, number: [Way("", None, access=given[number])], placement.together(shape.threads, nearness))


@pytest.mark.parametrize(
    ("text", "outcome", "instructions", "nearness", "expected"), [row[1:] for row in EXAMPLES], ids=[row[0] for row in EXAMPLES]
)
def test_example(text, outcome, instructions, nearness, expected):
    assert ptx_verdict(program(text, outcome, instructions, nearness))[0] == expected


def test_no_value_out_of_thin_air():
    """As LB, where each thread stores what it has read."""
    shown = program("r0=x y=1 || r1=y x=1", "r0=1 r1=1", "ld.relaxed.gpu st.relaxed.gpu ld.relaxed.gpu st.relaxed.gpu", "gpu")
    accesses = [events["access"] for events in shown.ptx.values()]
    stored = Relation({(accesses[0], accesses[1]): True, (accesses[2], accesses[3]): True})
    assert ptx_verdict(shown, stored) == (FORBIDDEN, "No-Thin-Air")
