"""Each header compiles alone with NVRTC; the public ones for an architecture of each target."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools

import pytest

from cudasync_tools import headers, nvrtc, toolchain

# (architecture, whether macros are hostile)
FOR_EVERY_HEADER = [("75", False), ("90", True)]
FOR_PUBLIC_HEADERS = [("80", False), ("90", False), ("100", False), ("75", True)]

# In a run that is not thorough the headers take turns: one of these for each, two for the public ones.
IN_TURN = [("75", True), ("90", True)]
PUBLIC_IN_TURN = [("90", False), ("80", False), ("100", False), ("75", False)]


def compilations():
    for index, name in enumerate(headers.every_header()):
        is_public = name in headers.public_headers()
        kinds = FOR_EVERY_HEADER + FOR_PUBLIC_HEADERS * is_public
        if not toolchain.THOROUGH:
            kinds = [IN_TURN[index % 2], *[PUBLIC_IN_TURN[index % 4]] * is_public]
        for arch, hostile in kinds:
            yield pytest.param(name, arch, hostile, id=f"{name}-{arch}-{'hostile' if hostile else 'plain'}")


@pytest.mark.parametrize(("name", "arch", "hostile"), compilations())
def test_alone(name, arch, hostile):
    text = headers.unit([name], hostile)
    output, log = nvrtc.compile(text, "alone.cu", arch)
    if output is None or log:
        pytest.fail(f"{text}\n{log}", pytrace=False)


# In a run that is not thorough, each option for one of these.
TOGETHER = list(itertools.product(["-std=c++20", "-default-device", "-DCUDASYNC_CHECKED=1"], ["75", "80", "90"]))


@pytest.mark.parametrize(("option", "arch"), TOGETHER if toolchain.THOROUGH else TOGETHER[::4])
def test_all_with(option, arch):
    output, log = nvrtc.compile(headers.unit(headers.every_header()), "all.cu", arch, [option])
    assert output is not None and not log, log


def test_macros_of_cccl_are_undefined_without_it():
    """A value of ours would make a program take the branch of a CCCL that is not there. NVRTC itself defines NV_IF_TARGET."""
    lines = [f"#include <{name}>" for name in headers.public_headers()]
    lines += ["#if defined(CCCL_VERSION) || defined(_LIBCUDACXX_CUDA_API_VERSION)", '#error "defined"', "#endif"]
    lines += ["#if !defined(CUDASYNC_CCCL_VERSION) || CUDASYNC_CCCL_VERSION != 0", '#error "not 0"', "#endif", ""]
    output, log = nvrtc.compile("\n".join(lines), "macros.cu", "90")
    assert output is not None and not log, log


def test_drop_in_needs_cccl():
    output, log = nvrtc.compile("#include <cuda/latch>\n", "drop_in.cu", "90", ["-DCUDASYNC_DROP_IN=1"])
    assert output is None
    assert "no CCCL is on the include path; add its folder behind cudasync's, or leave the macro out" in log
