"""What the tests of this folder share: the mapping that the headers generate, and headers with a fault."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.util
import os

import pytest

if not importlib.util.find_spec("z3"):
    raise pytest.UsageError("z3 is missing: python3 -m pip install --requirement tools/requirements/axioms.txt")

import mapping
from cudasync_tools import nvrtc, toolchain
from cudasync_tools.planted import planted

IS_LONG = os.environ.get("CUDASYNC_AXIOMS") == "all"


@pytest.fixture(scope="session")
def ways():
    return mapping.generated(mapping.ALL if IS_LONG else mapping.USUAL)


@pytest.fixture
def with_fault(tmp_path, request):
    """A function that puts a fault into a header for the rest of the test: with_fault(name, text, replacement)."""

    def change(name, text, replacement):
        before = (toolchain.INCLUDE / "cudasync" / name).read_text(encoding="utf-8")
        after = planted(before, name, "a weaker order", text, replacement, f"`{request.node.name}`")
        path = tmp_path / "cudasync" / name
        path.parent.mkdir(parents=True)
        path.write_text(after, encoding="utf-8")
        nvrtc.folders.insert(0, tmp_path)

    folders = [*nvrtc.folders]
    yield change
    nvrtc.folders[:] = folders
