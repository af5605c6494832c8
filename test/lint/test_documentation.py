"""The API pages: what is made from the headers is up to date."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

import pytest

from toolchain import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import tables


def test_tables_are_up_to_date():
    found = list(tables.pages())
    assert {part[2] for _, text in found for part in tables.PART.finditer(text)} == set(tables.PARTS)
    old = [path.name for path, text in found if tables.written(text) != text]
    if old:
        pytest.fail(f"run python3 docs/tables.py: {', '.join(old)}", pytrace=False)


def test_a_stale_table_is_found():
    _, text = next(iter(tables.pages()))
    changed = text.replace("PTX ISA 6.0", "PTX ISA 5.0")
    assert changed != text and tables.written(changed) == text
