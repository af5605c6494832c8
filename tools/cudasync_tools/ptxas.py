"""Assembles PTX with the ptxas beside nvcc: one compilation serves every architecture of a target."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
import tempfile
from pathlib import Path

from cudasync_tools import nvrtc, sass, toolchain
from cudasync_tools.lit_format import Failure


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


def compile(texts, name, archs):
    """PTX of each text for the first of these architectures; (arch, {kernel: code}) for each, with what none before has."""
    modules = []
    for text in texts:
        (ptx,), log = nvrtc.compile_to(("PTX",), text, name, archs[0])
        if not ptx or log:
            raise Failure(f"NVRTC for sm_{archs[0]}: {log}")
        modules.append(ptx)
    return modules, _assembled(modules, archs)


def _assembled(modules, archs):
    known = {}
    for arch in archs:
        codes = {}
        for ptx in modules:
            codes |= sass.code(assemble(ptx, arch))
        new = {kernel: code for kernel, code in codes.items() if known.setdefault((kernel, code), arch) == arch}
        if new:
            yield arch, new
