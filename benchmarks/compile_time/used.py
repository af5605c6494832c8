#!/usr/bin/env python3
"""Counts the instructions of the compiler for a kernel that uses a header, over an empty kernel. Needs valgrind."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import peers
from compile_time import KERNEL, nvcc_instructions
from cudasync_tools import toolbox

EMPTY = "(empty kernel)"


def programs():
    """{name: source text}, and all of them in one source text."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "used").glob("*.cu"))}
    includes = dict.fromkeys(line for text in texts.values() for line in re.findall(r"#include.*", text))
    kernels = (re.sub(r"#include.*", "", text).replace("kernel(", f"kernel_{name}(") for name, text in texts.items())
    return texts | {"all": "\n".join([*includes, *kernels])}


@toolbox.reports_failure
def main():
    options = peers.parser(__doc__).parse_args()
    counts = json.loads(options.json.read_text(encoding="utf-8")) if options.json and options.json.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {EMPTY: KERNEL, **programs()}.items():
            row = counts.setdefault(name, {})
            for library in peers.libraries(options.cccl)[: 1 if name == EMPTY else None]:
                if library.name not in row:  # a run goes on where the last one ended
                    row[library.name] = nvcc_instructions(text, [] if name == EMPTY else library.nvcc_options(), Path(folder))
                    if options.json:
                        options.json.write_text(json.dumps(counts, indent=1), encoding="utf-8")
                print(f"{name:16}{library.name:24}{row[library.name] / 1e6:10,.0f} million instructions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
