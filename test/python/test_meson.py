"""The Meson project: a consumer's project with cudasync among its subprojects builds and runs."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cudasync_tools import toolchain

CONSUMER = """project('consumer', 'cpp', default_options: ['cpp_std=c++17'])
executable('consumer', 'main.cpp', dependencies: [dependency('cudasync', fallback: 'cudasync'), dependency('threads')])
"""


def test_version():
    """It cannot read the header, because Meson wants a literal here."""
    config = (toolchain.INCLUDE / "cudasync/core/config.h").read_text(encoding="utf-8")
    version = ".".join(re.search(rf"VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    assert f"version: '{version}'" in (toolchain.ROOT / "meson.build").read_text(encoding="utf-8")


def test_consumer(tmp_path):
    pytest.importorskip("mesonbuild")
    (tmp_path / "meson.build").write_text(CONSUMER, encoding="utf-8")
    source = toolchain.ROOT / "test/package/consumer/main.cpp"
    (tmp_path / "main.cpp").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    project = tmp_path / "subprojects/cudasync"
    project.mkdir(parents=True)
    for name in ("meson.build", "include"):
        (project / name).symlink_to(toolchain.ROOT / name)
    run = [sys.executable, "-m", "mesonbuild.mesonmain"]
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}  # Ninja's
    subprocess.run([*run, "setup", tmp_path / "build", tmp_path], check=True, env=environment)
    (command,) = json.loads((tmp_path / "build/compile_commands.json").read_text(encoding="utf-8"))
    assert re.search(r"-I\S*subprojects/cudasync/include ", command["command"]) and "-isystem" not in command["command"]
    subprocess.run([*run, "compile", "-C", tmp_path / "build"], check=True, env=environment)
    subprocess.run([tmp_path / "build/consumer"], check=True)
