"""What our lit formats share: one lit test for each variant (architecture, compiler) of a .cu file."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from pathlib import Path

import lit.formats
import lit.Test

from cudasync_tools.directives import DirectiveError
from cudasync_tools.toolchain import ToolMissing


class Failure(Exception):
    """The test fails; the text says why."""


class VariantFormat(lit.formats.FileBasedTest):
    """A subclass has variants(source) -> names, and run(source, variant) -> report or Failure or ToolMissing."""

    def getTestsForPath(self, testSuite, path_in_suite, litConfig, localConfig):
        if not path_in_suite[-1].endswith(".cu"):
            return
        try:
            names = self.variants(Path(testSuite.getSourcePath(path_in_suite)))
        except DirectiveError:
            names = ["directives"]  # execute() parses again and reports the error
        for name in names:
            yield lit.Test.Test(testSuite, (*path_in_suite, name), localConfig)

    def execute(self, test, litConfig):
        source = Path(test.suite.getSourcePath(test.path_in_suite[:-1]))
        try:
            self.variants(source)
            return lit.Test.PASS, self.run(source, test.path_in_suite[-1])
        except ToolMissing as missing:
            return lit.Test.UNSUPPORTED, str(missing)
        except (DirectiveError, Failure) as failure:
            return lit.Test.FAIL, f"{source}: {failure}"
