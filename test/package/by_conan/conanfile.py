"""What `conan create` builds and runs with the new package: a program whose compiler finds the package's headers."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import subprocess
from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class CudasyncTest(ConanFile):
    settings = ("os", "arch", "compiler", "build_type")
    generators = ("CMakeDeps",)

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # no file between the sources
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            subprocess.run([Path(self.build_folder) / "use"], check=True)
