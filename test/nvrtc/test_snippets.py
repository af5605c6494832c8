"""tools/cudasync.code-snippets: each snippet for editors compiles with the names that it proposes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import re

import pytest

from cudasync_tools import nvrtc, toolchain

SNIPPETS = json.loads((toolchain.ROOT / "tools/cudasync.code-snippets").read_text(encoding="utf-8"))
INCLUDES = "#include <cuda/barrier>\n#include <cuda/pipeline>\n#include <cuda/atomic>\n#include <cudasync/named_barrier.h>\n"
AROUND = """
namespace cooperative_groups { inline __device__ cudasync::thread_block this_thread_block() { return cudasync::this_thread_block(); } }
extern "C" __global__ void kernel(float* data, int* count_of, int count) {
"""
BAR = "__shared__ cuda::barrier<cuda::thread_scope_block> bar; alignas(16) __shared__ float tile[256]; init(&bar, 1);\n"


def text_of(snippet):
    body = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", "\n".join(snippet["body"])).replace("$0", "")
    return body.replace("*count", "*count_of")


def compiled(body):
    return nvrtc.compile(INCLUDES + AROUND + body + "\n}\n", "snippet.cu", "90")


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet(name):
    assert SNIPPETS[name]["prefix"].startswith("cudasync-") and SNIPPETS[name]["description"]
    body = text_of(SNIPPETS[name])
    code, log = compiled(body if "barrier<cuda::" in body or "bar" not in body else BAR + body)
    assert code, log


def test_a_wrong_snippet_is_found():
    assert compiled("cudasync::named_barrier<1, 100>::sync();")[0] is None
