"""Where the headers and the CMake package of cudasync are."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from pathlib import Path

_PREFIX = Path(__file__).resolve().parent


def include():
    """The folder to pass first, with -I."""
    return _PREFIX / "include/cudasync"


def cmake():
    """The folder to pass as cudasync_DIR, or to add to CMAKE_PREFIX_PATH."""
    return _PREFIX / "share/cmake/cudasync"
