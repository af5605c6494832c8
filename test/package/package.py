"""Builds and runs the consumer project with one way to get at cudasync; checks how the include folder is passed."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True)


def get_at_cudasync(options):
    """Returns the include folder to be expected and the consumer's CMake variable that says where cudasync is."""
    prefix = options.folder / "prefix"
    if options.way == "build_tree":
        return ROOT / "include", f"-Dcudasync_DIR={options.build_tree}"
    if options.way in ("add_subdirectory", "fetch_content"):
        return ROOT / "include", f"-DCUDASYNC_SOURCE={ROOT}"
    run(options.cmake, "--install", options.build_tree, "--prefix", prefix)
    if options.way == "moved_install_tree":
        prefix = prefix.rename(options.folder / "moved to")
    return prefix / "include", f"-DCMAKE_PREFIX_PATH={prefix}"


def check_include_options(commands, include):
    """Every compilation has the folder as -I; passed as -isystem, the toolkit's headers would be found first."""
    for command in commands:
        words = shlex.split(command["command"])
        if f"-I{include}" not in words or str(include) in words:
            sys.exit(f"{command['file']}: {include} is not passed as -I alone: {command['command']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way")
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build-tree", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options, variables = parser.parse_known_args()  # what is left, -DNAME=VALUE, is for the consumer's CMake

    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    include, variable = get_at_cudasync(options)
    build = options.folder / "build"
    variables += [variable, f"-DWAY={options.way}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    run(options.cmake, "-S", HERE / "consumer", "-B", build, "-G", "Ninja", *variables)
    run(options.cmake, "--build", build)
    check_include_options(json.loads((build / "compile_commands.json").read_text(encoding="utf-8")), include)
    for program in sorted(build.glob("consumer_*")):
        run(program)


if __name__ == "__main__":
    main()
