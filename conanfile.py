"""The Conan 2 recipe of cudasync: `conan create .`"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake


class Cudasync(ConanFile):
    name = "cudasync"
    description = "Synchronization for CUDA C++"
    license = "Apache-2.0 WITH LLVM-exception"
    topics = ("cuda", "synchronization", "header-only")
    package_type = "header-library"
    test_package_folder = "test/package/by_conan"
    generators = ("CMakeToolchain",)
    exports_sources = ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "machine/*", "python/*")
    no_copy_source = True

    def set_version(self):
        text = Path(self.recipe_folder, "include/cudasync/core/config.h").read_text(encoding="utf-8")
        self.version = ".".join(re.search(rf"VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install()

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.includedirs = ["include/cudasync"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        # find_package(cudasync) finds our own package: Conan's would pass the folder as -isystem, behind the toolkit's.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/cudasync"]
