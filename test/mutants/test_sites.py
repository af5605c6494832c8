"""The faults of sites.txt, put into the headers one at a time: the test that it names must fail, and passes without a fault."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import zlib

import pytest

import kinds
import sites
from cudasync_tools import toolchain

FAULTS = [(site, test) for header in sites.headers() for site, test in sites.listed(header)]
kinds.wanted.update(test for _, test in FAULTS)


def chosen():
    """One of each sixth header in a run that is not thorough: other ones when the headers have changed."""
    result = []
    for header in sites.headers()[toolchain.turn(6) :: 6]:
        faults = [fault for fault in FAULTS if fault[0].header == header]
        if faults:
            result.append(faults[zlib.crc32((sites.HEADERS / header).read_bytes()) % len(faults)])
    return result


@functools.cache
def passes_without_fault(test, folder):
    """Asked once a test. The tests on the model and of the generated code also run by themselves, without faults."""
    return test.startswith(("model ", "codegen ")) or kinds.passes([toolchain.INCLUDE], folder, test)[0]


@pytest.mark.parametrize(
    ("site", "test"),
    [pytest.param(site, test, id=f"{site.header}: {site.name}") for site, test in (FAULTS if toolchain.THOROUGH else chosen())],
)
def test_fault_is_seen(site, test, tmp_path, tmp_path_factory):
    assert passes_without_fault(test, tmp_path_factory.getbasetemp()), f"`{test}` fails without any fault"
    folder = kinds.overlay(tmp_path, site.header, sites.mutated(site))
    passed, output = kinds.passes([folder, toolchain.INCLUDE], tmp_path, test)
    assert not passed, f"`{test}` does not see {site.replacement!r} there:\n{output}"
