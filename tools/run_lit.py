"""lit in the Python that runs this file, one test at a time, since CTest runs several files: `python tools/run_lit.py -v test/codegen`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

from lit.main import main

sys.argv[1:1] = ["-j1", "--skip-test-time-recording"]
if "LIT_FILTER" in os.environ:  # of run.py --quick: not every file has what it asks for
    sys.argv[1:1] = ["--allow-empty-runs"]
main()
