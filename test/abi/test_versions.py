"""Two versions of ours in one translation unit are an error that says so."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess

import newer_version
import pytest

from cudasync_tools import headers, toolchain

TEXT = "cudasync: two versions in one translation unit; leave one of the two on the include path"


@pytest.fixture(scope="module")
def newer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("newer") / "include"
    newer_version.copy(toolchain.INCLUDE, folder)
    return folder


def errors(folders, source):
    command = [toolchain.gxx(), "-std=c++17", "-fsyntax-only", *[f"-I{folder}" for folder in folders], "-x", "c++", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=False).stderr


# Those of cuda/std include their namesakes, of the first folder, and nothing else.
@pytest.mark.parametrize("name", [name for name in headers.public_headers() if not name.startswith("cuda/std/")])
def test_by_their_paths(name, newer):
    older_one, newer_one = (f'#include "{folder}/{name}"\n' for folder in (toolchain.INCLUDE, newer))
    assert errors([toolchain.INCLUDE, newer], older_one + older_one) == ""
    assert TEXT in errors([toolchain.INCLUDE, newer], older_one + newer_one)
    assert TEXT in errors([newer, toolchain.INCLUDE], newer_one + older_one)


def test_header_that_one_of_them_lacks(newer):
    text = (newer / "cuda/latch").read_text(encoding="utf-8")
    (newer / "cuda/turnstile").write_text(text.replace("CUDA_LATCH_H", "CUDA_TURNSTILE_H"), encoding="utf-8")
    assert errors([newer], "#include <cuda/turnstile>\n") == ""
    assert TEXT in errors([toolchain.INCLUDE, newer], "#include <cuda/turnstile>\n")
