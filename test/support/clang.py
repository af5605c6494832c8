"""clang as the compiler of CUDA C++."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What clang 19 needs with a toolkit newer than itself: it calls launches as before CUDA 9.2 unless told the newest version
# that it knows, and includes a header that the toolkit has no longer.
NEWER_TOOLKIT = ["-Wno-unknown-cuda-version", "-Xclang", "-target-sdk-version=12.5"]
REMOVED_HEADER = "texture_fetch_functions.h"


def command(program, toolkit, side, folder):
    """The words that compile for one side, "device" (to PTX) or "host"; folder: for the header that is missing."""
    (folder / REMOVED_HEADER).touch()
    words = [program, "-xcuda", f"--cuda-path={toolkit}", f"--cuda-{side}-only", "-S", "-nocudalib", *NEWER_TOOLKIT]
    return [*words, f"-idirafter{folder}"]
