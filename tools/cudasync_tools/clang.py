"""clang as the compiler of CUDA C++."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What clang 19 needs with a toolkit newer than itself: it calls launches as before CUDA 9.2 unless told the newest version
# that it knows, and includes one header that the toolkit has no longer and one of a library that may not be installed.
NEWER_TOOLKIT = ["-Wno-unknown-cuda-version", "-Xclang", "-target-sdk-version=12.5"]
MISSING_HEADERS = ("texture_fetch_functions.h", "curand_mtgp32_kernel.h")


def command(program, toolkit, side, folder):
    """The words that compile for one side, "device" (to PTX) or "host"; folder: for the headers that may be missing."""
    for header in MISSING_HEADERS:
        (folder / header).touch()
    words = [program, "-xcuda", f"--cuda-path={toolkit}", f"--cuda-{side}-only", "-S", "-nocudalib", *NEWER_TOOLKIT]
    return [*words, f"-idirafter{folder}"]
