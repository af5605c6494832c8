"""Assembles PTX with the ptxas beside nvcc: one compilation serves every architecture of a target."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
import tempfile
from pathlib import Path

import nvrtc
import sass
import toolchain
from lit_format import Failure


def assemble(ptx, arch):
    """The cubin of PTX, which may be for an older architecture."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder, "input.ptx"), Path(folder, "output.cubin")
        source.write_bytes(ptx)
        command = [toolchain.ptxas(), f"-arch=sm_{arch}", "-o", output, source]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"ptxas for sm_{arch}:\n{done.stderr}")
        return output.read_bytes()


def compile(text, name, archs):
    """PTX for the first of these architectures, and (arch, kernels, cubin) for each: those with code that none before has."""
    (ptx,), log = nvrtc.compile_to(("PTX",), text, name, archs[0])
    if not ptx or log:
        raise Failure(f"NVRTC for sm_{archs[0]}: {log}")
    return ptx, _assembled(ptx, archs)


def _assembled(ptx, archs):
    known = {}
    for arch in archs:
        cubin = assemble(ptx, arch)
        new = {kernel for kernel, code in sass.code(cubin).items() if known.setdefault((kernel, code), arch) == arch}
        if new:
            yield arch, new, cubin
