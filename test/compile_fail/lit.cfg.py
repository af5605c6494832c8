"""lit's configuration: each .cu file here is a pair in the format of test/support/compile_fail_format.py."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "support"))
from compile_fail_format import CompileFail

config.name = "compile_fail"
config.test_format = CompileFail()
config.test_exec_root = os.path.join(tempfile.gettempdir(), "cudasync-compile_fail")
os.makedirs(config.test_exec_root, exist_ok=True)
