"""tools/amalgamate.py: the single file is a release and a checked build, for NVRTC and on the host, and makes the same code."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.util
import os
import re
import subprocess

import pytest

from cudasync_tools import nvrtc, toolchain

SPEC = importlib.util.spec_from_file_location("amalgamate", toolchain.ROOT / "tools/amalgamate.py")
amalgamate = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(amalgamate)

HEADERS = ["cuda/barrier", "cuda/pipeline", "cuda/atomic"]
KERNEL = """
extern "C" __global__ void kernel(float* data, int* count) {
  __shared__ alignas(16) float tile[256];
  __shared__ cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>> ring;
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<64>(bar));
  ring.init(cudasync::this_thread_block());
  tile[threadIdx.x] = data[threadIdx.x];
  bar.arrive_and_wait();
  data[threadIdx.x] += tile[threadIdx.x ^ 1];
  cuda::atomic_ref<int>(*count).fetch_add(1);
}
"""
HOST = """
int main() {
  cuda::std::barrier<> bar(1);
  bar.arrive_and_wait();
  cuda::atomic<int> count(1);
  return count.fetch_add(1) - 1;
}
"""


def ptx(source, *options):
    code, log = nvrtc.compile(source, "unit.cu", "90", options)
    assert code, log
    return re.sub(rb"^//.*$|\.file.*|\.loc.*", b"", code, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def whole():
    return amalgamate.amalgamated(amalgamate.HEADERS)


@pytest.mark.parametrize("macro", ["CUDASYNC_CHECKED", "CUDASYNC_TRACE"])
def test_other_builds(whole, macro):
    assert ptx(whole + KERNEL, f"-D{macro}=1")


def test_same_code_as_the_headers(monkeypatch):
    expected = ptx("".join(f"#include <{header}>\n" for header in HEADERS) + KERNEL)
    monkeypatch.setattr(nvrtc, "folders", [])  # no include folder
    assert ptx(amalgamate.amalgamated(HEADERS) + KERNEL) == expected
    release = amalgamate.amalgamated(HEADERS, is_release=True)
    assert ptx(release + KERNEL) == expected
    code, log = nvrtc.compile(release + KERNEL, "unit.cu", "90", ["-DCUDASYNC_CHECKED=1"])
    assert code is None and "only the release build" in log


def test_on_the_host(whole, tmp_path):
    (tmp_path / "cudasync.h").write_text(whole, encoding="utf-8")
    (tmp_path / "unit.cpp").write_text('#include "cudasync.h"\n' + HOST, encoding="utf-8")
    compiler = os.environ.get("CUDASYNC_CXX", "g++")
    words = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", tmp_path / "unit", tmp_path / "unit.cpp"]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([tmp_path / "unit"], check=False).returncode == 0


def test_a_header_that_is_missing_is_found():
    assert not [header for header in amalgamate.HEADERS if not (toolchain.INCLUDE / header).is_file()]
