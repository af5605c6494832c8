"""Each header compiles alone with NVRTC, for an architecture of each target."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pytest

import headers
import nvrtc


@pytest.mark.parametrize(
    ("arch", "hostile"),
    [("75", False), ("80", False), ("90", False), ("100", False), ("75", True), ("90", True)],
    ids=lambda value: value if isinstance(value, str) else "hostile" if value else "plain",
)
@pytest.mark.parametrize("name", headers.every_header())
def test_alone(name, arch, hostile):
    text = headers.unit([name], hostile)
    output, log = nvrtc.compile(text, "alone.cu", arch)
    if output is None or log:
        pytest.fail(f"{text}\n{log}", pytrace=False)


@pytest.mark.parametrize("arch", ["75", "80", "90"])
@pytest.mark.parametrize("option", ["-std=c++20", "-default-device", "-DCUDASYNC_CHECKED=1"])
def test_all_with(option, arch):
    output, log = nvrtc.compile(headers.unit(headers.every_header()), "all.cu", arch, [option])
    assert output is not None and not log, log
