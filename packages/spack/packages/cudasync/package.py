"""The Spack recipe: `spack repo add cudasync/packages/spack`, and in an environment `spack develop --path $PWD/cudasync cudasync@0.2.0`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from spack.package import depends_on, license, version
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Cudasync(CMakePackage):
    """Synchronization for CUDA C++"""

    license("Apache-2.0 WITH LLVM-exception")
    version("0.2.0")
    depends_on("cmake@3.25:", type="build")
    depends_on("cuda@12.0:", type="run")
