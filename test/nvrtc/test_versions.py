"""Every public header with every NVRTC: from the folder, from memory with the same PTX, and beside CCCL."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import functools
import os
import re
from pathlib import Path

import pytest

from cudasync_tools import headers, nvrtc, toolchain

LIBRARIES = [path for path in os.environ.get("CUDASYNC_NVRTCS", "").split(":") if path]
if not toolchain.THOROUGH:
    LIBRARIES = sorted({LIBRARIES[0], LIBRARIES[-1]}, key=LIBRARIES.index) if LIBRARIES else []  # the oldest and the newest
INCLUDES = [path for path in os.environ.get("CUDASYNC_TOOLKIT_INCLUDES", "").split(":") if path]
FOLDER = [f"-I{toolchain.INCLUDE}"]

# A kernel that uses what the header declares: an empty one would be the same with any header.
KERNELS = {
    "cuda/atomic": "kernel(int* data) { cuda::atomic_ref<int>(*data).fetch_add(1, cuda::memory_order_relaxed); }",
    "cuda/barrier": """kernel(int* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  alignas(16) __shared__ int tile[32];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 0) cuda::device::memcpy_async_tx(tile, data, cuda::aligned_size_t<16>(128), bar);
  auto token = cuda::device::barrier_arrive_tx(bar, 1, threadIdx.x == 0 ? 128 : 0);
  bar.wait(cuda::std::move(token));
  data[threadIdx.x] = tile[threadIdx.x];
}""",
    "cuda/pipeline": """kernel(int* data) {
  __shared__ int tile[32];
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&tile[threadIdx.x], &data[threadIdx.x], sizeof(int), pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  data[threadIdx.x] = tile[threadIdx.x] + 1;
}""",
    "cuda/ptx": """kernel(int* place, cuda::std::uint64_t* bar) {
  cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, place, place + 64, 64, bar);
}""",
    "cuda/latch": "kernel(cuda::latch<cuda::thread_scope_device>* latch) { latch->arrive_and_wait(); }",
    "cuda/semaphore": "kernel(cuda::binary_semaphore<cuda::thread_scope_device>* permit) { permit->acquire(); }",
    "cudasync/named_barrier.h": "kernel() { cudasync::named_barrier<1, 64>::sync(); }",
    "cudasync/cluster_barrier.h": "kernel() { cudasync::cluster_barrier::arrive_and_wait(); }",
    "cudasync/grid_barrier.h": "kernel(cudasync::grid_barrier<>* bar) { bar->arrive_and_wait(); }",
    "cudasync/peer_barrier.h": """kernel(cudasync::peer_part<>* const* parts) {
  cudasync::peer_barrier bar(parts, 0, 2);
  bar.arrive_and_wait();
}""",
}


def name_of(path):
    """"13.0.88" of the library, from the wheel beside it, or its file's name."""
    found = [match[1] for each in Path(path).parents[2:4] for entry in each.glob("nvidia_cuda_nvrtc*.dist-info")
             if (match := re.search(r"-([\d.]+)\.dist-info", entry.name))]
    return found[0] if found else Path(path).name


@functools.cache
def header_map():
    """(names, texts) of the generated file, as it would be compiled into a program."""
    library = ctypes.CDLL(os.environ["CUDASYNC_HEADER_MAP"])
    library.name.restype = library.text.restype = ctypes.c_char_p
    indices = range(library.count())
    return [library.name(index) for index in indices], [library.text(index) for index in indices]


def test_map_is_complete():
    names, texts = header_map()
    assert [name.decode() for name in names] == sorted([*headers.every_header(), *headers.SKIPPED])
    for name, text in zip(names, texts):
        assert text == (toolchain.INCLUDE / name.decode()).read_bytes()


def ptx(library, text, options, headers_in_memory=((), ())):
    (output,), log = nvrtc.compile_by(
        nvrtc.load(library), ("PTX",), text, "unit.cu", ["-arch=compute_90", *options], headers_in_memory
    )
    if output is None or log:
        pytest.fail(f"{text}\n{log}", pytrace=False)
    return re.sub(rb"(?<=_unit_cu_)[0-9a-f]{8}", b"", output)  # each compilation has a number of its own


by_library = pytest.mark.parametrize("library", LIBRARIES, ids=name_of)


# Each library with each standard; in a run that is not thorough, the oldest with the one and the newest with the other.
STANDARDS = ["c++17", "c++20"]
WITH_STANDARD = [(library, standard) for library in LIBRARIES for standard in STANDARDS]
if not toolchain.THOROUGH:
    WITH_STANDARD = list(zip(LIBRARIES, STANDARDS))


@pytest.mark.parametrize(
    ("library", "standard"), WITH_STANDARD, ids=[f"{name_of(library)}-{standard}" for library, standard in WITH_STANDARD]
)
@pytest.mark.parametrize("header", headers.public_headers())
def test_needs_our_folder_alone(header, standard, library):
    is_from_memory = standard == "c++17"
    options, in_memory = ([], header_map()) if is_from_memory else (FOLDER, ((), ()))
    ptx(library, headers.unit([header]), [f"-std={standard}", *options], in_memory)


# Each library with each header; in a run that is not thorough, the libraries take turns.
SAME_CODE = [(header, library) for number, header in enumerate(KERNELS) for place, library in enumerate(LIBRARIES)
             if toolchain.THOROUGH or (number + toolchain.turn(len(LIBRARIES))) % len(LIBRARIES) == place]


@pytest.mark.parametrize(("header", "library"), SAME_CODE, ids=[f"{header}-{name_of(library)}" for header, library in SAME_CODE])
def test_memory_gives_the_same_code(header, library):
    text = f'#include <{header}>\nextern "C" __global__ void {KERNELS[header]}\n'
    from_folder = ptx(library, text, FOLDER)
    assert b".entry kernel" in from_folder
    assert ptx(library, text, [], header_map()) == from_folder


# In a run that is not thorough, the libraries take turns with the checked build, for which they take 8 s.
WITH_PLACES = [("CUDASYNC_CHECKED", library) for library in toolchain.in_turn(LIBRARIES)]
WITH_PLACES += [("CUDASYNC_TRACE", library) for library in LIBRARIES]


@pytest.mark.parametrize(("macro", "library"), WITH_PLACES, ids=[f"{macro}-{name_of(library)}" for macro, library in WITH_PLACES])
def test_builds_with_places(macro, library):
    """The checked and the traced build, which record the place of each call."""
    text = f'#include <cuda/barrier>\nextern "C" __global__ void {KERNELS["cuda/barrier"]}\n'
    assert b".entry kernel" in ptx(library, text, [*FOLDER, f"-D{macro}=1"])


@by_library
def test_atomics_of_16_bytes(library):
    """They need PTX ISA 8.4, that is CUDA 12.4: an older NVRTC says so."""
    text = """#include <cuda/atomic>
struct alignas(16) pair { long long first, second; };
extern "C" __global__ void kernel(pair* data) {
  cuda::atomic_ref<pair> object(data[0]);
  object.STATEMENT;
}
"""
    loaded = nvrtc.load(library)
    major, minor = ctypes.c_int(), ctypes.c_int()
    loaded.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    for statement in ("load()", "store(pair{})", "exchange(pair{})", "compare_exchange_strong(data[1], data[2])"):
        source = text.replace("object.STATEMENT", f"static_cast<void>(object.{statement})")
        _, log = nvrtc.compile_by(loaded, ("PTX",), source, "unit.cu", ["-arch=compute_90", *FOLDER])
        remedy = "16-byte atomics need PTX ISA 8.4: compile with CUDA 12.4 or newer"
        assert (remedy in log) == ((major.value, minor.value) < (12, 4)), log


@by_library
def test_instructions_of_newer_toolkits(library):
    """cuda::ptx names the toolkit that has the instruction."""
    loaded = nvrtc.load(library)
    major, minor = ctypes.c_int(), ctypes.c_int()
    loaded.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    calls = {
        (12, 1): ("8.1", "ptx::st_async(place, 1, bar)"),
        (12, 3): ("8.3", "ptx::fence_proxy_tensormap_generic(ptx::sem_release, ptx::scope_gpu)"),
        (12, 8): ("8.6", "ptx::fence_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster)"),
        (13, 2): ("9.2", "ptx::cp_async_bulk_ignore_oob(ptx::space_shared, ptx::space_global, place, place + 4, 16, 1, 2, bar)"),
    }
    for first, (version, call) in calls.items():
        text = f"""#include <cuda/ptx>
extern "C" __global__ void kernel(int* place, cuda::std::uint64_t* bar) {{
  namespace ptx = cuda::ptx;
  {call};
}}
"""
        (output,), log = nvrtc.compile_by(loaded, ("PTX",), text, "unit.cu", ["-arch=compute_90", *FOLDER])
        remedy = f"this function of cuda::ptx needs PTX ISA {version}: compile with CUDA {first[0]}.{first[1]} or newer"
        assert (remedy in log) == ((major.value, minor.value) < first), log
        assert (output is None) == bool(log), log


BESIDE = {
    "cooperative_groups": "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n",
    "cccl": "#include <cuda/std/span>\n#include <cuda/std/chrono>\n#include <cuda/ptx>\n#include <cub/block/block_reduce.cuh>\n",
}


@pytest.mark.parametrize("theirs_first", [False, True], ids=["ours_first", "theirs_first"])
@pytest.mark.parametrize("theirs", BESIDE)
def test_beside(theirs, theirs_first):
    """With the toolkit's own NVRTC: the headers of one release know the compiler of that release."""
    if not INCLUDES:
        pytest.skip("no toolkit's include folder is known")
    ours = "#include <cuda/barrier>\n#include <cuda/atomic>\n#include <cuda/pipeline>\n"
    text = BESIDE[theirs] + ours if theirs_first else ours + BESIDE[theirs]
    text += f'extern "C" __global__ void {KERNELS["cuda/barrier"]}\n'
    folders = [f"-I{folder}" for include in INCLUDES for folder in (include, f"{include}/cccl")]
    if toolchain.THOROUGH or not theirs_first:
        assert b".entry kernel" in ptx(toolchain.nvrtc(), text, [*FOLDER, *folders])
    if toolchain.THOROUGH or theirs_first:
        assert b".entry kernel" in ptx(toolchain.nvrtc(), text, folders, header_map())


@by_library
def test_beside_bundled_headers(library, tmp_path):
    """From 13.3 on NVRTC brings CCCL along. What both libraries define, such as feature macros of C++20, has one value."""
    if not hasattr(nvrtc.load(library), "nvrtcInstallBundledHeaders"):
        pytest.skip("this NVRTC bundles no headers")
    text = "#include <cuda/atomic>\n#include <cuda/std/version>\n"
    text += "#include <cuda/std/span>\n#include <cuda/ptx>\n#include <cuda/barrier>\n"
    text += '#if !defined(CUDASYNC_VERSION)\n#error "theirs"\n#endif\n'
    text += f'extern "C" __global__ void {KERNELS["cuda/barrier"]}\n'
    bundled = f"--use-bundled-headers={tmp_path / 'bundled'}"
    assert b".entry kernel" in ptx(library, text, ["-std=c++20", *FOLDER, bundled])
    assert b".entry kernel" in ptx(library, text, [bundled], header_map())
