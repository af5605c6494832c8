"""lit's configuration: each .cu file here is a test in the format of tools/cudasync_tools/codegen_format.py."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import tempfile

from cudasync_tools.codegen_format import Codegen

config.name = "codegen"
config.test_format = Codegen()
config.test_exec_root = os.path.join(tempfile.gettempdir(), "cudasync-codegen")
os.makedirs(config.test_exec_root, exist_ok=True)
