#!/usr/bin/env python3
"""Measures what the checked build costs to compile: CPU time and bytes of the object, for files with 1, 3 and 10 kernels."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import compile_time
import peers
from cudasync_tools import toolbox

KERNELS = (1, 3, 10)
ROUNDS = 3
BUILDS = {"release": [], "checked": ["-DCUDASYNC_CHECKED=1"], "checked, -rdc=true": ["-DCUDASYNC_CHECKED=1", "-rdc=true"]}
KERNEL = """
__global__ void kernel_{number}(float* data) {{
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<256>(bar));
  data[threadIdx.x] += {number};
  bar.arrive_and_wait();
  data[threadIdx.x] += data[threadIdx.x ^ 1];
}}
"""


def source(kernels):
    return "#include <cuda/barrier>\n" + "".join(KERNEL.format(number=number) for number in range(kernels))


def measure(kernels, folder):
    """{build: CPU seconds and bytes}. The builds take turns, so that other load affects all of them."""
    seconds: dict = {build: [] for build in BUILDS}
    size = {}
    for _ in range(ROUNDS):
        for build, options in BUILDS.items():
            words = [f"-I{peers.ROOT / 'include'}", *options]
            seconds[build].append(compile_time.nvcc_seconds(source(kernels), words, folder))
            size[build] = (folder / "unit.o").stat().st_size
    return {build: {"nvcc": statistics.median(seconds[build]), "bytes": size[build]} for build in BUILDS}


@toolbox.reports_failure
def main():
    options = peers.parser(__doc__).parse_args()
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for kernels in KERNELS:
            rows[kernels] = measure(kernels, Path(folder))
            for build, row in rows[kernels].items():
                print(f"{kernels:2} kernels, {build:20}{row['nvcc']:8.2f} s{row['bytes'] / 1024:10,.0f} KB")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
