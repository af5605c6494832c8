"""What users do with a type besides calling it: each public header alone, each of its types, each way to declare, construct and
pass an object. A cell of the matrix is a few lines in a namespace of its own; all cells of a header are one translation unit."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import subprocess
from typing import NamedTuple

import pytest

from cudasync_tools import headers, nvrtc, toolchain


class Type(NamedTuple):
    header: str
    name: str
    arguments: str = "1"  # of the constructor
    size: int = 0  # as in libcu++; 0: it has no such type, or another size
    is_trivial: bool = True  # its default constructor, so that it can be __shared__
    is_constant: bool = False  # can be initialized at compile time, so that it can be __device__
    is_copyable: bool = False


SYSTEM, BLOCK = "cuda::thread_scope_system", "cuda::thread_scope_block"
TYPES = [
    Type("cuda/atomic", "cuda::atomic<int>", size=4, is_constant=True),
    Type("cuda/atomic", f"cuda::atomic<long long, {BLOCK}>", size=8, is_constant=True),
    Type("cuda/atomic", "cuda::atomic<float*>", "nullptr", size=8, is_constant=True),
    Type("cuda/atomic", "cuda::atomic_flag", "", is_constant=True),
    Type("cuda/atomic", "cuda::atomic_ref<int>", "global_integer", is_trivial=False, is_copyable=True),
    Type("cuda/std/atomic", "cuda::std::atomic<int>", size=4, is_trivial=False, is_constant=True),
    Type("cuda/semaphore", f"cuda::counting_semaphore<{SYSTEM}>", is_constant=True),
    Type("cuda/semaphore", f"cuda::binary_semaphore<{SYSTEM}>", is_constant=True),
    Type("cuda/std/semaphore", "cuda::std::counting_semaphore<>", is_constant=True),
    Type("cuda/latch", f"cuda::latch<{SYSTEM}>", is_constant=True),
    Type("cuda/std/latch", "cuda::std::latch", is_constant=True),
    Type("cuda/barrier", f"cuda::barrier<{SYSTEM}>"),
    Type("cuda/barrier", f"cuda::barrier<{BLOCK}>", size=8),
    Type("cuda/std/barrier", "cuda::std::barrier<>"),
    Type("cuda/pipeline", f"cuda::pipeline_shared_state<{BLOCK}, 2>", ""),
    Type("cudasync/grid_barrier.h", "cudasync::grid_barrier<>", "", is_constant=True),
]

# The cells. T is the type.
HOST = {
    "local": "void use() { T object(ARGUMENTS); static_cast<void>(object); }",
    "static": "void use() { static T object(ARGUMENTS); static_cast<void>(object); }",
    "member": "struct owner { T first; int second; owner() : first(ARGUMENTS), second(0) {} }; owner* use() { return new owner; }",
    "array": "struct list { T objects[2] = {T(ARGUMENTS), T(ARGUMENTS)}; }; list* use() { return new list; }",
    "union": "union either { T object; int other; either() : other(0) {} ~either() {} }; void use(either* at) { new (&at->object) T(ARGUMENTS); }",
    "placement_new": "T* use(void* memory) { return new (memory) T(ARGUMENTS); }",
    "destroy": "void use(T* object) { object->~T(); }",
    "reference": "void other_unit(T& object); void use(T& object) { other_unit(object); }",
    "address": "T* use(T& object) { return &object; }",
    "qualified": "const volatile T& use(T& object) { return object; }",
    "template_argument": "template <class Type> struct holder { Type object; }; using held = holder<T>; constexpr auto size = sizeof(held);",
    "traits": "static_assert(std::is_standard_layout_v<T>); static_assert(std::is_copy_constructible_v<T> == IS_COPYABLE); "
    "static_assert(std::is_trivially_destructible_v<T>); static_assert(std::is_trivially_default_constructible_v<T> == IS_TRIVIAL);",
    "std_array": "std::array<T, 1>* use(void* memory) { return new (memory) std::array<T, 1>{T(ARGUMENTS)}; }",
    "std_unique_ptr": "std::unique_ptr<T> use() { return std::make_unique<T>(ARGUMENTS); }",
    "std_deque": "void use(std::deque<T>& list) { list.emplace_back(ARGUMENTS); }",
    "std_list": "void use(std::list<T>& list) { list.emplace_front(ARGUMENTS); }",
    "std_optional": "void use(std::optional<T>& maybe) { maybe.emplace(ARGUMENTS); }",
}
DEVICE = {
    "shared": "__global__ void use(int* out) { __shared__ T object; out[0] = sizeof(object); }",
    "shared_bytes": "__global__ void use() { alignas(T) __shared__ char bytes[sizeof(T)]; if (threadIdx.x == 0) new (bytes) T(ARGUMENTS); }",
    "local": "__global__ void use(int* out) { T object(ARGUMENTS); out[0] = sizeof(object); }",
    "global": "__device__ T object(ARGUMENTS);",
    "global_array": "__device__ T objects[3];",
    "pointee": "__global__ void use(T* object, T** other) { *other = object; }",
    "placement_new": "__global__ void use(void* memory) { new (memory) T(ARGUMENTS); }",
    "member": "struct owner { T first; int second; }; __global__ void use(owner* at, int* out) { out[0] = at->second; }",
    "union": "union either { T object; int other; __device__ either() : other(0) {} }; __global__ void use(void* at) { new (at) either; }",
    "qualified": "__device__ const volatile T* use(T& object) { return &object; }",
    "reference": "__device__ __noinline__ T* other(T& object) { return &object; } __global__ void use(T* object, T** out) { *out = other(*object); }",
    "template_argument": "template <class Type> __global__ void use(Type* object, Type** out) { *out = object; } template __global__ void use<T>(T*, T**);",
}
CONTAINERS = "array deque list memory optional type_traits".split()

# Cells that are not compiled: a condition on the type, and why.
LEFT_OUT = [
    ("device", {"shared", "global_array"}, lambda of: not of.is_trivial, "it has no trivial default constructor; as in libcu++"),
    ("device", {"global"}, lambda of: not of.is_constant, "its constructor is not constexpr; as in libcu++"),
    ("device", {"global"}, lambda of: not of.arguments, "it has no constructor with arguments"),
]


def cells(kind, header):
    """(name, namespace, type, text) of each cell."""
    for number, of in enumerate(entry for entry in TYPES if entry.header == header):
        for cell, text in (HOST if kind == "host" else DEVICE).items():
            if not any(kind == where and cell in names and applies(of) for where, names, applies, _ in LEFT_OUT):
                yield f"{of.name}: {cell}", f"{kind}_{number}_{cell}", of, text


def unit(kind, header):
    """The translation unit; a message of a compiler shows the name of the cell in place of that of the file."""
    lines = [f"#include <{header}>"]
    if kind == "host":
        # Containers come later, so that a header that needs <new> does not get it from them.
        lines += ["static int global_integer;"]
        first = [each for each in cells(kind, header) if "std_" not in each[1] and "traits" not in each[1]]
        rest = [each for each in cells(kind, header) if each not in first]
        parts = [*first, None, *rest]
    else:
        lines += ["__device__ int global_integer;"]
        parts = list(cells(kind, header))
    for part in parts:
        if part is None:
            lines += [f"#include <{name}>" for name in CONTAINERS]
            continue
        name, space, of, text = part
        text = text.replace("ARGUMENTS", of.arguments).replace("(),", "{},").replace("object()", "object{}")
        text = text.replace("IS_TRIVIAL", str(of.is_trivial).lower()).replace("IS_COPYABLE", str(of.is_copyable).lower())
        if of.size and "traits" in space:
            text += f" static_assert(sizeof(T) == {of.size} && alignof(T) == {of.size});"
        lines += [f'#line 1 "cell {name}"', f"namespace {space} {{", f"using T = {of.name};", text, "}"]
    return "\n".join([*lines, ""])


def failed_cells(messages):
    return sorted(set(re.findall(r"cell ([^\"()\n]*?: \w+)", messages)))


HEADERS = sorted({of.header for of in TYPES})
COMPILERS = {
    "g++": ("host", lambda: [toolchain.gxx(), "-x", "c++"], "-fsyntax-only"),
    "clang": ("host", lambda: [toolchain.clang(), "-x", "c++"], "-fsyntax-only"),
    "nvcc": ("device", lambda: [toolchain.nvcc(), "-arch=sm_90", "-diag-suppress=177"], "-c"),
    "nvrtc": ("device", None, None),
}


def chosen():
    for compiler in COMPILERS:
        for header in HEADERS:
            if toolchain.THOROUGH or compiler == "nvrtc" or (compiler == "g++" and "std" not in header) or (compiler, header) == ("nvcc", "cuda/semaphore"):
                yield compiler, header


@pytest.mark.parametrize(("compiler", "header"), chosen())
def test_uses(compiler, header, tmp_path):
    kind, command, option = COMPILERS[compiler]
    text = unit(kind, header)
    if compiler == "nvrtc":
        ptx, log = nvrtc.compile(text, "uses.cu", "90")
        assert ptx is not None, f"{failed_cells(log)}\n{log}"
        return
    try:
        words = [*command(), "-std=c++17", f"-I{toolchain.INCLUDE}", option]
    except toolchain.ToolMissing as missing:
        pytest.skip(str(missing))
    source = tmp_path / "uses.cu"
    source.write_text(text, encoding="utf-8")
    if option == "-c":
        words += ["-o", str(tmp_path / "uses.o")]
    done = subprocess.run([*words, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{failed_cells(done.stderr)}\n{done.stderr[-6000:]}"


# Headers whose types are device code alone, or handles that users only construct and call.
WITHOUT = {"cudasync/cluster_barrier.h", "cuda/tma", "cuda/work_stealing"}


def test_every_header_with_types():
    """A header that declares a type has a row, or its types are for the device alone and have tests of their own."""
    without = {
        name
        for name in headers.public_headers()
        if name not in HEADERS and re.search(r"^using cudasync::", (toolchain.INCLUDE / name).read_text(encoding="utf-8"), re.M)
    }
    assert without <= WITHOUT, f"{sorted(without - WITHOUT)}: add rows to TYPES"
