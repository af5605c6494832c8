"""The stand-in for the CUDA runtime has each function of the runtime's header, or ends the program with its name."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import subprocess
from pathlib import Path

from cudasync_tools import toolchain

MACHINE = toolchain.ROOT / "machine"


def defined():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(MACHINE.glob("runtime*.cpp")))
    offered = re.findall(r"^(?:\w+ )+\*?(cuda\w+)\(|^DOES_NOTHING\((cuda\w+)", text.replace("* ", " *"), re.MULTILINE)
    return ["".join(names) for names in offered], re.findall(r"^REFUSED\((\w+)", text, re.MULTILINE)


def test_no_function_is_absent():
    header = (toolchain.cuda_include() / "cuda_runtime_api.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"CUDARTAPI\s+(cuda\w+)\(", header))
    assert len(declared) > 250
    offered, refused = defined()
    assert not declared - set(offered) - set(refused)
    assert not set(offered) & set(refused)


def test_no_function_is_refused_for_nothing():
    header = (toolchain.cuda_include() / "cuda_runtime_api.h").read_text(encoding="utf-8")
    assert not [name for name in defined()[1] if name not in header]


def test_headers_of_cuda_12(tmp_path):
    """As one file, which takes a few seconds. The wheel has no crt/, which is a part of nvcc: of today's toolkit."""
    headers = Path(os.environ["CUDASYNC_NVRTC_12"]).parents[2] / "cuda_runtime/include"
    sources = [path for path in sorted(MACHINE.glob("runtime*.cpp")) if path.name != "runtime_refused.cpp"]  # which declares nothing
    unit = tmp_path / "all.cpp"
    unit.write_text("".join(f'#include "{path}"\n' for path in sources), encoding="utf-8")
    subprocess.run([toolchain.gxx(), "-std=c++17", "-fsyntax-only", "-w", "-isystem", headers, "-isystem", toolchain.cuda_include(), unit], check=True)
