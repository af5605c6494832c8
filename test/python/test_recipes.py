"""The recipes of package managers that do not run here: what they say about the library is true."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

from cudasync_tools import toolchain

ROOT = toolchain.ROOT
SPACK = ROOT / "packages/spack/packages/cudasync/package.py"


def version():
    config = (toolchain.INCLUDE / "cudasync/core/config.h").read_text(encoding="utf-8")
    return ".".join(re.search(rf"VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def description():
    return re.search(r'DESCRIPTION "([^"]+)"', (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def called(path, *functions, **names):
    """{function: its calls, as (arguments, keywords)}, of a recipe in Starlark or Python that calls these functions."""
    calls = {function: [] for function in functions}
    record = {name: lambda *words, at=at, **keys: at.append((words, keys)) for name, at in calls.items()}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {**record, **names})
    return calls


def test_bazel():
    (module,) = called(ROOT / "MODULE.bazel", "module")["module"]
    assert module == ((), {"name": "cudasync", "version": version()})
    ((_, library),) = called(ROOT / "BUILD.bazel", "cc_library", glob=list)["cc_library"]
    headers = {path for pattern in library["hdrs"] for path in ROOT.glob(f"{pattern}/*") if path.is_file()}
    assert headers == {path for path in toolchain.INCLUDE.rglob("*") if path.is_file()}
    assert ROOT / library["strip_include_prefix"] == toolchain.INCLUDE and "includes" not in library


def test_vcpkg(tmp_path):
    manifest = json.loads((ROOT / "packages/vcpkg/vcpkg.json").read_text(encoding="utf-8"))
    assert (manifest["name"], manifest["version"], manifest["description"]) == ("cudasync", version(), description())
    functions = "vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_install_copyright".split()
    script = tmp_path / "port.cmake"
    script.write_text(
        "".join(f'function({name})\n  message("{name};${{ARGN}}")\nendfunction()\n' for name in functions)
        + f'set(CURRENT_PORT_DIR "{ROOT}/packages/vcpkg")\ninclude("${{CURRENT_PORT_DIR}}/portfile.cmake")\n',
        encoding="utf-8",
    )
    cmake = next((path for path in (Path(sys.executable).parent / "cmake", Path("/usr/bin/cmake")) if path.exists()), None)
    if not cmake:
        pytest.skip("no CMake")
    log = subprocess.run([cmake, "-P", script], capture_output=True, text=True, check=True).stderr
    calls = dict(line.split(";", 1) for line in log.splitlines())
    assert list(calls) == functions
    assert calls["vcpkg_cmake_configure"] == f"SOURCE_PATH;{ROOT}"
    assert calls["vcpkg_install_copyright"] == f"FILE_LIST;{ROOT}/LICENSE"
    folder = calls["vcpkg_cmake_config_fixup"].removeprefix("CONFIG_PATH;")
    assert f"DESTINATION {folder}\n" in (ROOT / "cmake/CudasyncPackage.cmake").read_text(encoding="utf-8")


def test_spack(monkeypatch):
    functions = ("version", "license", "depends_on")
    calls = {name: [] for name in functions}
    package, builtin = types.ModuleType("spack.package"), types.ModuleType("spack_repo.builtin.build_systems.cmake")
    for name in functions:
        setattr(package, name, lambda *words, at=calls[name], **keys: at.append(words[0]))
    builtin.__dict__["CMakePackage"] = object
    for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "spack.package", package)
    monkeypatch.setitem(sys.modules, builtin.__name__, builtin)
    scope = {"__name__": "package"}
    exec(compile(SPACK.read_text(encoding="utf-8"), str(SPACK), "exec"), scope)
    assert scope["Cudasync"].__doc__ == description() and calls["version"] == [version()]
    required = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    assert f"cmake@{required}:" in calls["depends_on"]
    assert f"cudasync@{version()}" in SPACK.read_text(encoding="utf-8").splitlines()[0]
