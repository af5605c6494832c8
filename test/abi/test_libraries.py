"""Host threads that wait in one shared library are woken by another one: both have the same places where threads sleep."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import subprocess

import pytest

from cudasync_tools import toolchain

SOURCE = """#include <cudasync/thread/time.h>
extern "C" __attribute__((visibility("default"))) const void* places() { return cudasync::backend::parking_lots; }
"""


@pytest.mark.parametrize("option", ["-fvisibility=default", "-fvisibility=hidden"])
def test_libraries_share_the_places(option, tmp_path):
    found = set()
    for name in ("one.so", "other.so"):
        command = [toolchain.gxx(), "-std=c++17", "-shared", "-fPIC", option, f"-I{toolchain.INCLUDE}", "-x", "c++", "-", "-o", tmp_path / name]
        subprocess.run([str(word) for word in command], input=SOURCE, text=True, check=True)
        places = ctypes.CDLL(str(tmp_path / name)).places
        places.restype = ctypes.c_void_p
        found.add(places())
    assert len(found) == 1
