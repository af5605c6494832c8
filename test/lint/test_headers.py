"""Every header of ours passes checks.py; and each check can fail."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import shutil
from pathlib import Path

import pytest

import checks
from cudasync_tools import headers, toolchain
from cudasync_tools.toolchain import INCLUDE, ROOT


@pytest.mark.parametrize("check", checks.HEADER_CHECKS, ids=lambda check: check.__name__)
def test_header(check):
    findings = []
    for name in headers.every_header():
        text = (INCLUDE / name).read_text(encoding="utf-8")
        findings += [f"include/{name}: {finding}" for finding in check(name, text)]
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)


def rows_of(listing, cells):
    lines = (ROOT / "cmake" / listing).read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line and not line.startswith("#")]
    assert all(len(row) == cells and all(row) for row in rows)
    return rows


def test_shims_are_listed():
    """cmake/shims.txt: `path | asked for by | CCCL versions that have it`."""
    assert {row[0] for row in rows_of("shims.txt", 3)} == {name for name in headers.every_header() if checks.is_shim(name)}


def test_folder_cuda_has_only_headers_of_libcudacxx():
    """cmake/libcudacxx.txt: `path | the first CCCL release that has it`. CCCL's headers hide no other of ours, and the reverse."""
    ours = {name for name in headers.every_header() if name.startswith("cuda/") and not checks.is_shim(name)}
    assert dict(rows_of("libcudacxx.txt", 2)).keys() == ours


def test_first_release_of_each_header():
    """The toolkit's CCCL has exactly those headers of cmake/libcudacxx.txt that its version should have."""
    toolkit = Path(shutil.which(toolchain.nvcc())).resolve().parents[1] / "include"
    folder = next((path for path in (toolkit / "cccl", toolkit) if (path / "cuda/std/__cccl/version.h").is_file()), None)
    if folder is None:
        pytest.skip("the toolkit's CCCL is older than 2.7")
    text = (folder / "cuda/std/__cccl/version.h").read_text(encoding="utf-8")
    version = int(re.search(r"define CCCL_VERSION (\d+)", text)[1]) // 1000  # 3000 of 3000001
    expected = set()
    for name, first in rows_of("libcudacxx.txt", 2):
        major, minor = map(int, first.split("."))
        expected |= {name} if version >= major * 1000 + minor else set()
    assert {name for name, _ in rows_of("libcudacxx.txt", 2) if (folder / name).is_file()} == expected


def cycles(includes):
    """The headers that include themselves by way of others; includes: {name: names}."""
    reached = {name: set(found) for name, found in includes.items()}
    for middle in includes:
        for found in reached.values():
            if middle in found:
                found.update(reached[middle])
    return sorted(name for name, found in reached.items() if name in found)


def test_no_header_includes_itself():
    assert cycles({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c"]
    includes = {name: [*headers.includes_of(name)] for name in headers.every_header()}
    for name, found in includes.items():  # a contract ends with its implementations, which may begin with it
        stem = name.removesuffix(".h")
        includes[name] = [other for other in found if other not in (f"{stem}_device.h", f"{stem}_host.h")]
    includes["cudasync/compat/include_order.h"] = []  # asks <cuda/std/latch> who it is, which includes nothing then
    del includes["cuda/ptx"]  # with CCCL's header of this name
    assert not cycles(includes)


def test_each_folder_has_a_rank():
    folders = [name.split("/")[1:-1] for name in headers.every_header() if name.startswith("cudasync/")]
    assert {names[0] for names in folders if names} == {*checks.LAYERS, *headers.FOLDERS_OF_TYPES} - {"types", "public"}
    assert {names[1] for names in folders if names[1:]} == set(checks.BACKEND)


HEAD = f"// A file.\n// {checks.SPDX}\n"
BARRIER = "cudasync/barrier.h"
PTX = "cudasync/ptx/mbarrier.h"
FUNCTION = 'CUDASYNC_DEVICE void nop() {\n  asm volatile("nop;" ::: "memory");\n}\n'
FENCE_ROWS = '#define FENCE(TEXT, SEM, SCOPE) \\\n  asm volatile(TEXT);\nFENCE("fence.{1}.{0}", sem_acq_rel_t, scope_gpu_t)\n'
LOAD = 'CUDASYNC_DEVICE int ld_acquire(global_pointer<int> word) {{\n  asm volatile("{}.u32 %0, [%1];" ::: "memory");\n}}\n'


@pytest.mark.parametrize(
    "check, name, text, count",
    [
        (checks.opening, BARRIER, HEAD, 0),
        (checks.opening, BARRIER, "#ifndef X\n", 2),
        (checks.guard, PTX, "#ifndef CUDASYNC_PTX_MBARRIER_H\n#define CUDASYNC_PTX_MBARRIER_H\n", 0),
        (
            checks.guard,
            "cuda/std/barrier",
            "#ifndef CUDASYNC_CUDA_STD_BARRIER_H\n#define CUDASYNC_CUDA_STD_BARRIER_H\n",
            0,
        ),
        (checks.guard, PTX, "#pragma once\n", 2),
        (checks.version, "cuda/barrier", "#define X_H\n\n#include <cudasync/compat/include_order.h>\n#endif\n", 1),
        (checks.version, "cuda/barrier", "#endif\n\n#if CUDASYNC_VERSION != 1\n#error 1\n#endif\n", 2),
        (checks.version, "cudasync/turns.h", "", 2),
        (checks.version, BARRIER, "", 0),
        (checks.conditionals, BARRIER, "struct a {\n#if X\n  void b();\n#endif\n};\nvoid c() {\n}\n#if X\n#endif\n", 0),
        (checks.conditionals, BARRIER, "namespace a {\nvoid b(int c) const {\n  if (c) {\n  }\n#if X\n#endif\n}\n}\n", 1),
        (checks.includes, PTX, "#include <cudasync/core/target.h>\n#include <cudasync/ptx/scope.h>\n", 0),
        (checks.includes, PTX, "#include <cudasync/backend/copy/wait.h>\n", 1),
        (checks.includes, "cudasync/backend/copy/wait.h", "#include <cudasync/barrier.h>\n", 1),
        (checks.includes, "cudasync/backend/copy/wait.h", "#include <cudasync/backend/phase/phase.h>\n", 0),
        (checks.includes, "cudasync/backend/phase/wait.h", "#include <cudasync/backend/copy/copy.h>\n", 1),
        (checks.includes, "cudasync/hang/watch.h", "#include <cudasync/backend/phase/phase.h>\n", 1),
        (checks.includes, "cudasync/backend/phase/wait.h", "#include <cudasync/hang/watch.h>\n", 0),
        (checks.includes, "cudasync/backend/phase/wait.h", "#include <cudasync/checked/phase.h>\n", 1),
        (checks.includes, "cudasync/pipeline/ring_state.h", "#include <cudasync/turns.h>\n", 1),
        (checks.includes, BARRIER, "#include <cuda/barrier>\n#include <cudasync/compat/cccl.h>\n", 2),
        (checks.includes, "cudasync/compat/cccl.h", "#include <cudasync/barrier.h>\n", 0),
        (checks.includes, "cudasync/compat/cccl.h", "#include <cuda/barrier>\n", 1),
        (checks.includes, BARRIER, '#include "latch.h"\n', 1),
        (checks.includes, "cuda/barrier", "#include <cudasync/barrier.h>\n#include <cuda/std/barrier>\n", 0),
        (checks.inline_assembly, PTX, FUNCTION, 0),
        (checks.inline_assembly, PTX, 'asm("nop;" ::: "memory");', 1),
        (checks.inline_assembly, PTX, 'asm volatile("nop;");', 1),
        (checks.inline_assembly, PTX, "#define ROW(TEXT) asm volatile(TEXT);\n", 1),
        (checks.inline_assembly, "cudasync/ptx/special_registers.h", 'asm("mov;" : "=r"(clock));', 0),
        (checks.inline_assembly, "cudasync/backend/phase/wait_device.h", FUNCTION, 1),
        (checks.inline_assembly, BARRIER, "// no asm here\n", 0),
        (checks.out_of_line, BARRIER, "// __noinline__\nCUDASYNC_DEVICE void f();\n", 0),
        (checks.out_of_line, BARRIER, "inline __device__ __noinline__ void f();\n", 1),
        (checks.out_of_line, "cudasync/backend/copy/copy_device.h", "CUDASYNC_API_OUT_OF_LINE void f();\n", 1),
        (checks.out_of_line, "cudasync/hang/report_data.h", "CUDASYNC_API_OUT_OF_LINE void f();\n", 0),
        (checks.active_lanes, "cudasync/hang/watch_device.h", "CUDASYNC_LANES_HERE(lanes);  // not __activemask()\n", 0),
        (checks.active_lanes, "cudasync/trace/span.h", "record(event_, __activemask());\n", 1),
        (checks.asserted_spaces, PTX, 'CUDASYNC_ASSERT(ptx::is_shared_to_assert(bar),\n"not is_shared(bar)");\n', 0),
        (checks.asserted_spaces, PTX, 'CUDASYNC_ASSERT(is_aligned(bar) &&\nptx::is_shared(bar), "no");\n', 1),
        (checks.tests_of_addresses, PTX, "return __isShared(object.value) != 0;  // not __isLocal(object)\n", 0),
        (checks.tests_of_addresses, PTX, "return __isGlobal(object) != 0;\n", 1),
        (checks.instruction_version, PTX, "// PTX 7.0, sm_80.\n" + FUNCTION, 0),
        (checks.instruction_version, PTX, "// PTX 7.0, sm_80.\n" + FUNCTION + FUNCTION, 1),
        (checks.instruction_version, PTX, "// Nothing.\n" + FUNCTION, 1),
        (checks.instruction_version, PTX, "#define ROW(NAME) \\\n  asm;\n// PTX 7.0, sm_80.\nROW(one)\nROW (two)\n", 0),
        (checks.instruction_version, PTX, "#define ROW(NAME) \\\n  asm;\n\nROW(one)\n", 1),
        (checks.instruction_words, PTX, FENCE_ROWS.format("gpu", "acq_rel"), 0),
        (checks.instruction_words, PTX, FENCE_ROWS.format("cta", "acq_rel"), 2),
        (checks.instruction_words, PTX, FENCE_ROWS.format("gpu", "sc"), 2),
        (checks.instruction_words, PTX, LOAD.format("ld.acquire.global"), 0),
        (checks.instruction_words, PTX, LOAD.format("ld.relaxed.global"), 2),
        (checks.instruction_words, PTX, LOAD.format("ld.global"), 1),
        (checks.instruction_words, PTX, LOAD.format("ld.acquire.shared"), 2),
        (checks.instruction_words, BARRIER, LOAD.format("ld.global"), 0),
        (
            checks.names,
            BARRIER,
            "__device__ void wait(int parity_, double value = 1.0e3f, long mask = 0x1U); // T n",
            0,
        ),
        (checks.names, BARRIER, "template <class T> struct box;", 1),
        (checks.names, BARRIER, "void f(int n);", 2),
        (checks.names, BARRIER, "int __value; struct _Impl; int a__b;", 3),
        (checks.names, BARRIER, "#define RETRY 3\n", 1),
        (checks.names, BARRIER, "#if __CUDA_ARCH__ >= 900\n", 1),
        (checks.names, "cudasync/core/target.h", "#if __CUDA_ARCH__ >= 900\n", 0),
        (checks.shim_size, "cuda/__barrier/barrier.h", "//\n" * 7, 1),
        (checks.shim_size, "cuda/barrier", "//\n" * 7, 0),
    ],
)
def test_check(check, name, text, count):
    findings = list(check(name, text))
    assert len(findings) == count, findings
