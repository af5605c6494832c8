"""lit in the Python that runs this file, two tests at a time: `python test/support/run_lit.py -v test/codegen`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import sys

from lit.main import main

sys.argv[1:1] = ["-j2", "--skip-test-time-recording"]
main()
