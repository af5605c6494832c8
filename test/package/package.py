"""Builds and runs a consumer's project with one way to get at cudasync; checks how the include folder is passed. Or tries the preset."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def run(*command, output=False, **options):
    print("+", *command, flush=True)
    words = [str(word) for word in command]
    return subprocess.run(words, check=True, text=True, stdout=subprocess.PIPE if output else None, **options).stdout


def install(options):
    prefix = options.folder / "prefix"
    run(options.cmake, "--install", options.build_tree, "--prefix", prefix)
    return prefix


# Each way returns the include folder to be expected and the consumer's CMake variables that say where cudasync is.


def build_tree(options):
    return ROOT / "include", [f"-Dcudasync_DIR={options.build_tree}"]


def install_tree(options):
    prefix = install(options)
    return prefix / "include/cudasync", [f"-DCMAKE_PREFIX_PATH={prefix}"]


def moved_install_tree(options):
    prefix = install(options).rename(options.folder / "moved to")
    return prefix / "include/cudasync", [f"-DCMAKE_PREFIX_PATH={prefix}"]


def source_tree(options):
    return ROOT / "include", [f"-DCUDASYNC_SOURCE={ROOT}"]


def wheel(options):
    """Built from a copy of what a source distribution has, unpacked, and asked for its folders."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    folders = [options.cmake.parent, Path(sys.executable).parent]
    environment = {**os.environ, "PATH": os.pathsep.join([*map(str, folders), os.environ["PATH"]])}
    run(*pip, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", options.folder, ROOT, env=environment)
    (archive,) = options.folder.glob("cudasync-*-py3-none-any.whl")
    stated = re.search(r"figure: wheel -->([\d.]+)<!-- --> MB", (ROOT / "docs/guide/python.md").read_text(encoding="utf-8"))
    if archive.stat().st_size > float(stated[1]) * 1e6:
        sys.exit(f"the wheel has {archive.stat().st_size} bytes, and docs/guide/python.md says less than {stated[1]} MB")
    site = options.folder / "site"
    run(*pip, "install", "--no-index", "--no-deps", "--target", site, archive)
    ask = [sys.executable, "-m", "cudasync"]
    include, cmake = (Path(run(*ask, what, output=True, cwd=site).strip()) for what in ("--include", "--cmake"))
    report = subprocess.run([*ask, "doctor"], cwd=site, check=False, text=True, stdout=subprocess.PIPE).stdout  # 1 without nvcc
    if f"headers: {include}" not in report:
        sys.exit(f"the wheel's doctor does not find its headers:\n{report}")
    names = run(sys.executable, "-c", "import cudasync; print(*cudasync.header_texts())", output=True, cwd=site).split()
    if sorted(names) != sorted(path.relative_to(include).as_posix() for path in include.rglob("*") if path.is_file()):
        sys.exit("the wheel's header_texts() are not its headers")
    return include, [f"-Dcudasync_DIR={cmake}"]


def conan(options):
    """Created from the recipe into a cache of its own; the consumer gets it through Conan's toolchain file."""
    environment = {**os.environ, "CONAN_HOME": str(options.folder / "conan")}
    environment["PATH"] = os.pathsep.join([str(options.cmake.parent), str(options.ninja.parent), os.environ["PATH"]])
    ninja = ["--conf", "tools.cmake.cmaketoolchain:generator=Ninja"]  # without it Conan needs make
    program = Path(sys.executable).with_name("conan")
    run(program, "profile", "detect", env=environment)
    test = ["--conf", f"tools.cmake.cmake_layout:test_folder={options.folder / 'test'}"]
    run(program, "create", ROOT, "--no-remote", *ninja, *test, env=environment)
    files = options.folder / "files"
    require = ["--requires", "cudasync/[~0.2]", "--generator", "CMakeToolchain", "--generator", "CMakeDeps"]
    run(program, "install", *require, "--no-remote", *ninja, "--output-folder", files, env=environment)
    found = run(program, "list", "cudasync/*:*", "--format", "json", output=True, env=environment)
    (reference,) = json.loads(found)["Local Cache"]
    (package,) = json.loads(found)["Local Cache"][reference]["revisions"].popitem()[1]["packages"]
    folder = Path(run(program, "cache", "path", f"{reference}:{package}", output=True, env=environment).strip())
    return folder / "include/cudasync", [f"-DCMAKE_TOOLCHAIN_FILE={files}/conan_toolchain.cmake"]


WAYS = {
    "build_tree": build_tree,
    "install_tree": install_tree,
    "moved_install_tree": moved_install_tree,
    "add_subdirectory": source_tree,
    "fetch_content": source_tree,
    "wheel": wheel,
    "conan": conan,
}


def value_of(name, variables):
    """The value of a CMake variable in the words of a command line."""
    return next(word.partition("=")[2] for word in variables if word.startswith(f"-D{name}="))


def check_include_options(commands, include):
    """Every compilation has the folder as -I; passed as -isystem, the toolkit's headers would be found first."""
    for command in commands:
        words = shlex.split(command["command"])
        if f"-I{include}" not in words or str(include) in words:
            sys.exit(f"{command['file']}: {include} is not passed as -I alone: {command['command']}")


def consume_by_cmake(options, variables):
    include, where = WAYS[options.way](options)
    build = options.folder / "build"
    variables += [*where, f"-DWAY={options.way}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    run(options.cmake, "-S", HERE / "consumer", "-B", build, "-G", "Ninja", *variables)
    run(options.cmake, "--build", build)
    check_include_options(json.loads((build / "compile_commands.json").read_text(encoding="utf-8")), include)
    for program in sorted(build.glob("consumer_*")):
        run(program)
    if "CUDASYNC_MACHINE_LIBRARY" in os.environ and (build / "explored").exists():
        run(options.cmake.with_name("ctest"), "--test-dir", build, "--output-on-failure", "--no-tests=error")


def consume_by_pkg_config(options, variables):
    """A compiler's command line with pkg-config's flags, after the package has been moved."""
    prefix = install(options).rename(options.folder / "moved")
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}
    flags = run(Path(sys.executable).with_name("pkgconf"), "--cflags", "cudasync", output=True, env=environment).split()
    program = options.folder / "consumer"
    compiler = value_of("CMAKE_CXX_COMPILER", variables)
    run(compiler, "-std=c++17", *flags, HERE / "consumer/main.cpp", "-pthread", "-o", program)
    run(program)


def try_preset(options, variables):
    """`cmake --preset dev` configures, and writes the commands of tests and examples for editors."""
    build = options.folder / "build"
    run(options.cmake, "--preset", "dev", "-B", build, *variables, cwd=ROOT)
    files = {command["file"] for command in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))}
    for folder, pattern in (("test/host", "*.cpp"), ("test/gpu", "*.cu"), ("examples", "*.cu")):
        missing = {str(path) for path in (ROOT / folder).glob(pattern)} - files
        if missing:
            sys.exit(f"compile_commands.json lacks {', '.join(sorted(missing))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=[*WAYS, "pkg_config", "preset"])
    parser.add_argument("--cmake", type=Path, required=True)
    parser.add_argument("--build-tree", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options, variables = parser.parse_known_args()  # what is left, -DNAME=VALUE, is for the consumer's CMake

    options.ninja = Path(value_of("CMAKE_MAKE_PROGRAM", variables))

    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    if options.way == "preset":
        try_preset(options, variables)
    elif options.way == "pkg_config":
        consume_by_pkg_config(options, variables)
    else:
        consume_by_cmake(options, variables)


if __name__ == "__main__":
    main()
