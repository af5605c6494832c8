"""The device code of the library on a model of the GPU: every interleaving that the seeds choose, with a copy engine that runs
late, and no access that a release, an acquire or a fence has failed to order."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
from pathlib import Path

import pytest

import model

HERE = Path(__file__).resolve().parent
ARCHITECTURES = ("70", "80", "90")

CASES = [
    pytest.param(path, kernel, arch, id=f"{path.stem}.{kernel.name}.sm_{arch}")
    for path in sorted(HERE.glob("*.cu"))
    for kernel in model.kernels(path)
    for arch in ARCHITECTURES
    if int(arch) >= kernel.needs
]


@functools.cache
def module(path, arch):
    return model.compile(path, arch)


@pytest.mark.parametrize(("path", "kernel", "arch"), CASES)
def test_kernel(path, kernel, arch):
    failure = model.first_failure(module(path, arch), kernel)
    assert failure is None, failure
