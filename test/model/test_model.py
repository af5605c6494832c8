"""The device code of the library on a model of the GPU: every interleaving that the seeds choose, with a copy engine that runs
late, and no access that a release, an acquire or a fence has failed to order."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
from pathlib import Path

import pytest

import model
import nvrtc

HERE = Path(__file__).resolve().parent
ARCHITECTURES = ("70", "80", "90")
NEWER = {"launches": ("100a",)}  # architectures that differ only there

CASES = [
    pytest.param(path, kernel, arch, build, id=f"{path.stem}.{kernel.name}.sm_{arch}.{build}")
    for path in sorted(HERE.glob("*.cu"))
    for kernel in model.kernels(path)
    for arch in (*ARCHITECTURES, *NEWER.get(path.stem, ()))
    for build in model.BUILDS
    if nvrtc.number(arch) >= kernel.needs
]


@functools.cache
def module(path, arch, build):
    return model.compile(path, arch, model.BUILDS[build])


@pytest.mark.parametrize(("path", "kernel", "arch", "build"), CASES)
def test_kernel(path, kernel, arch, build):
    failure = model.first_failure(module(path, arch, build), kernel)
    assert failure is None, failure
