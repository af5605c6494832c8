"""Builds and runs a host test, a codegen test and a Python test where the machine has more than these tests need."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = "host.atomic_padding"
TESTS = rf"^({TARGET.replace('.', '[.]')}|codegen[.]init_barriers|python)$"
FOREIGN = ["FileCheck", "lit", "llvm-lit", "not", "pytest", "clang", "clang++", "clang-format", "conda", "nvdisasm", "cuobjdump"]


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def in_front(folder, environment):
    environment["PATH"] = os.pathsep.join([str(folder), environment["PATH"]])


def foreign_header(folder, name):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#error "the foreign {name} is included"\n', encoding="utf-8")


# Each changes the environment, and returns further variables for CMake.


def plain(options, environment):
    return []


def catch2_in_system(options, environment):
    """Catch2 as Debian installs it: its folder of headers is /usr/include, which the compiler also searches by itself."""
    config = options.folder / "catch2/Catch2Config.cmake"
    config.parent.mkdir(parents=True)
    config.write_text(
        f"include({options.catch2}/Catch2Config.cmake)\n"
        "get_target_property(folders Catch2::Catch2 INTERFACE_INCLUDE_DIRECTORIES)\n"
        "set_target_properties(Catch2::Catch2 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \"/usr/include;${folders}\")\n",
        encoding="utf-8",
    )
    return [f"-DCatch2_DIR={config.parent}"]


def foreign_commands(options, environment):
    """Programs of the names of tools, which no test may take from PATH."""
    for name in FOREIGN:
        script(options.folder / "bin" / name, f"echo 'the foreign {name} is called' >&2; exit 3")
    in_front(options.folder / "bin", environment)
    return []


def cccl_on_cpath(options, environment):
    environment["CPATH"] = str(options.toolkit / "include/cccl")
    return []


def cudacxx(options, environment):
    environment["CUDACXX"] = str(options.toolkit / "bin/nvcc")
    return []


def cudacxx_missing(options, environment):
    environment["CUDACXX"] = "/no/such/nvcc"
    return []


def pythonpath(options, environment):
    """A user's modules with the names of those of the tests."""
    folder = options.folder / "modules"
    folder.mkdir(parents=True)
    for path in [*ROOT.glob("test/support/*.py"), *ROOT.glob("cmake/*.py"), *ROOT.glob("test/codegen/*.py")]:
        (folder / path.name).write_text(f"raise ImportError('the foreign module {path.stem}')\n", encoding="utf-8")
    environment["PYTHONPATH"] = str(folder)
    return []


def conda(options, environment):
    """Compilers of other names, flags, and headers of CCCL."""
    prefix = options.folder / "conda"
    for name, program in (("x86_64-conda-linux-gnu-cc", "gcc"), ("x86_64-conda-linux-gnu-c++", "g++")):
        script(prefix / "bin" / name, f'exec {shutil.which(program)} "$@"')
    for name in ("cuda/atomic", "cuda/barrier", "cuda/std/atomic"):
        foreign_header(prefix / "include", name)
    environment |= {
        "CONDA_PREFIX": str(prefix),
        "CC": str(prefix / "bin/x86_64-conda-linux-gnu-cc"),
        "CXX": str(prefix / "bin/x86_64-conda-linux-gnu-c++"),
        "CFLAGS": f"-O2 -ffunction-sections -isystem {prefix}/include",
        "CXXFLAGS": f"-O2 -ffunction-sections -fvisibility-inlines-hidden -isystem {prefix}/include",
        "LDFLAGS": "-Wl,-O2 -Wl,--as-needed",
        "CMAKE_PREFIX_PATH": str(prefix),
    }
    in_front(prefix / "bin", environment)
    return []


def other_cuda(options, environment):
    """Variables and a folder of another toolkit, whose headers must not be used."""
    other = options.folder / "cuda"
    for name in ("cuda_runtime.h", "cuda.h", "cuda/atomic"):
        foreign_header(other / "include", name)
    script(other / "bin/nvcc", "echo 'the foreign nvcc is called' >&2; exit 3")
    in_front(other / "bin", environment)
    environment |= {"CUDA_HOME": str(other), "CUDA_PATH": str(other), "CUDAToolkit_ROOT": str(other)}
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=SURROUNDINGS)
    for option in ("--cmake", "--catch2", "--toolkit", "--folder"):
        parser.add_argument(option, type=Path, required=True)
    options, variables = parser.parse_known_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    environment = {**os.environ, "CUDASYNC_THOROUGH": "0", "LIT_FILTER": "sm_90$"}
    build = options.folder / "build"
    more = SURROUNDINGS[options.name](options, environment)
    commands = [
        [options.cmake, "-S", ROOT, "-B", build, "-G", "Ninja", "-DCUDASYNC_BUILD_TESTS=ON", "-DCUDASYNC_RUN_GPU_TESTS=OFF",
         "-DCUDASYNC_TEST_KINDS=host;codegen;python", f"-DCatch2_DIR={options.catch2}", *variables, *more],
        [options.cmake, "--build", build, "--target", TARGET],
        [options.cmake.with_name("ctest"), "--test-dir", build, "-R", TESTS, "--output-on-failure", "--no-tests=error"],
    ]
    for command in commands:
        print("+", *command, flush=True)
        if subprocess.run([str(word) for word in command], env=environment, check=False).returncode != 0:
            return 1
    return 0


SURROUNDINGS = {
    each.__name__: each
    for each in (plain, catch2_in_system, foreign_commands, cccl_on_cpath, cudacxx, cudacxx_missing, pythonpath, conda, other_cuda)
}

if __name__ == "__main__":
    sys.exit(main())
