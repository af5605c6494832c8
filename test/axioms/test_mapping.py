"""What C++ with scopes forbids stays forbidden in the PTX that the headers generate."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

import pytest

import mapping
import placement
import table
from conftest import IS_LONG
from litmus import ALLOWED, FORBIDDEN, Program, difference
from relations import some
from shapes import BY_NAME, ROWS, SHAPES


def program(shape, ways):
    return Program(shape, mapping.any_way(ways), placement.anywhere(shape.threads))


def difference_without_known(shape, ways):
    """Not counting what test_known_difference finds."""
    shown = program(shape, ways)
    return difference(shown, some(shown.uses_one_instruction(), shown.has_inclusive_scopes()))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_all_orders_scopes_and_places(shape, ways):
    found = difference_without_known(shape, ways)
    assert not found, found


def test_known_difference(ways):
    """The difference that docs/design/axioms.md describes, for scopes that do not include each other. When it is gone, remove
    it there and in difference_without_known."""
    assert difference(program(BY_NAME["Release sequence"], ways))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.shape.name}, {row.orders}")
def test_row(row, ways):
    result = table.row_of(row, ways)
    expected = FORBIDDEN if row.is_forbidden else ALLOWED
    assert result.cpp == expected, "in C++"
    assert result.ptx == expected, "in PTX"
    assert result.twin in (ALLOWED, None), "PTX must allow it with the weaker orders, else it says nothing"
    if row.has_narrow_twin:
        assert result.narrow == ALLOWED, "PTX must allow it with scopes that do not include the other threads"


# What is found with a fault in a header: the fault and a shape that shows it.
FAULTS = [
    (
        "no fence before sequentially consistent operations",
        "backend/order/access_device.h",
        "    fence<Scope>(device_here{}, memory_order_seq_cst_t{});\n",
        "    ;\n",
        ("uint32", "global"),
        "SB",
    ),
    (
        "release operations are relaxed",
        "backend/order/access_device.h",
        ": order == memory_order::release ? ptx::dot_sem::release",
        ": order == memory_order::release ? ptx::dot_sem::relaxed",
        ("uint32", "global"),
        "MP of exchanges",
    ),
    (
        "no fence after an acquiring addition to a double in shared memory",
        "backend/order/order_device.h",
        "  if constexpr (acquires(Order)) fence<scope>(device_here{}, memory_order_acquire_t{});\n",
        "",
        ("double", "shared"),
        "MP of exchanges",
    ),
]


@pytest.mark.parametrize(
    ("header", "text", "replacement", "what", "shape"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_fault_is_found(header, text, replacement, what, shape, with_fault):
    with_fault(header, text, replacement)
    ways = mapping.generated([mapping.Part("90", what[:1], what[1:], ("load", "store", "exchange", "fetch_add"))])
    assert difference_without_known(BY_NAME[shape], ways)


def weaker_ways(ways):
    """(kind, way, what is weaker, the way then)"""
    for kind, found in ways.items():
        for way in found:
            for what, weaker in way.weaker():
                # Before sm_90, no fence is weaker than this one.
                if not re.fullmatch(r"fence\.acq_rel\.gpu: (acquire|release)", what) or (kind, way.order) == (
                    "fence",
                    "acq_rel",
                ):
                    yield kind, way, what, weaker


@pytest.mark.skipif(not IS_LONG, reason="takes minutes: set CUDASYNC_AXIOMS=all")
def test_every_order_of_the_mapping_is_needed(ways):
    """Of each operation at device scope: one step weaker, and some shape shows it."""
    narrow = {kind: [way for way in found if way.scope == "gpu"] for kind, found in ways.items()}
    superfluous = []
    for kind, way, what, weaker in weaker_ways(narrow):
        changed = {**narrow, kind: [other for other in narrow[kind] if other != way] + [weaker]}
        shapes = (shape for shape in SHAPES if any(operation.kind == kind for operation in shape.operations()))
        if not any(difference_without_known(shape, changed) for shape in shapes):
            superfluous.append(f"{kind} {way}: {what}")
    assert not superfluous, "\n".join(superfluous)


def test_tables_are_current(ways):
    assert table.is_current(ways), "docs/design/axioms.md is out of date: run test/axioms/table.py"
