"""lit's configuration: each .cu file here has misuses in the format of tools/cudasync_tools/compile_fail_format.py."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import tempfile

from cudasync_tools.compile_fail_format import CompileFail

config.name = "compile_fail"
config.test_format = CompileFail()
config.test_exec_root = os.path.join(tempfile.gettempdir(), "cudasync-compile_fail")
os.makedirs(config.test_exec_root, exist_ok=True)
