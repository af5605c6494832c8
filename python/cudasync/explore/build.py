"""Compiles the machine, once, into a cache folder, and programs that run on it in place of a GPU."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import concurrent.futures
import fcntl
import hashlib
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

_OPTIONS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility-inlines-hidden", "-w")
_LONG_HEADERS = (("grid", r"grid\.h"), ("runtime", r"runtime(_graph|_memory|_order|_versions|_work)?\.h"))
_PACKAGE = Path(__file__).resolve().parents[1]


class NotStarted(Exception):
    """Something is missing, or does not compile: the text says what to do."""


class NotSupported(Exception):
    """The program needs what the machine does not have."""


def sources() -> Path:
    """The folder with the machine's sources."""
    folders = (_PACKAGE / "share/cudasync/machine", _PACKAGE.parents[1] / "machine")  # of the wheel; of the repository, of an install tree
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def _output(command: list[str]) -> tuple[int, str]:
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    except OSError as missing:
        raise NotStarted(f"{command[0]} does not start: {missing.strerror}") from None
    return done.returncode, done.stdout


def _checked(command: list[str]) -> str:
    status, text = _output(command)
    if status != 0:
        raise NotStarted(f"{shlex.join(command)}\n{text.rstrip()}")
    return text


def _toolkit_include(nvcc: str) -> Path:
    """The folder of cuda_runtime_api.h that this nvcc uses."""
    found = re.search(r'INCLUDES="-I([^"]*)"', _checked([nvcc, "--dryrun", "-E", "-x", "cu", os.devnull]))
    folder = Path(found[1]) if found else Path(nvcc).resolve().parents[1] / "include"
    if not (folder / "cuda_runtime_api.h").exists():
        raise NotStarted(f"{nvcc} has no headers in {folder}: install the runtime's headers of the CUDA toolkit")
    return folder


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cudasync"


def _units(files: Iterable[Path], folder: Path) -> list[Path]:
    """What is compiled, the longest first. Some headers take longer than most files with them: these become one unit for each processor."""
    alone = sorted(files, key=lambda file: file.stat().st_size, reverse=True)
    units = []
    for name, header in _LONG_HEADERS:
        including = [file for file in alone if re.search(f'#include "{header}"', file.read_text(encoding="utf-8"))]
        alone = [file for file in alone if file not in including]
        for first in range(min(os.cpu_count() or 1, len(including))):
            unit = folder / f"{name}_{first}.cpp"
            unit.write_text("".join(f'#include "{file}"\n' for file in including[first :: os.cpu_count()]), encoding="utf-8")
            units.append(unit)
    return units + alone


def _compile(compiler: list[str], files: Iterable[Path], include: Path, library: Path, major: str) -> None:
    """A library of the same name and symbol versions as the runtime, for which programs take it."""
    objects = {file: library.parent / f"{file.stem}.o" for file in _units(files, library.parent)}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        commands = [[*compiler, *_OPTIONS, "-isystem", str(include), "-c", str(file), "-o", str(made)] for file, made in objects.items()]
        for _ in pool.map(_checked, commands):
            pass
    name = f"libcudart.so.{major}"
    exported = library.with_suffix(".map")
    exported.write_text(f"{name} {{ global: cu*; __cuda*; local: *; }};\n", encoding="utf-8")
    linked = ["-shared", f"-Wl,-soname,{name}", f"-Wl,--version-script={exported}", "-pthread"]
    _checked([*compiler, *linked, *map(str, objects.values()), "-ldl", "-o", str(library)])


def machine(nvcc: str, say: Callable[[str], object] = lambda text: None) -> Path:
    """The machine as a library in place of the CUDA runtime of this nvcc, compiled if it is not in the cache folder."""
    given = os.environ.get("CUDASYNC_MACHINE_LIBRARY")
    if given:
        return Path(given)
    folder = sources()
    files = sorted(path for path in folder.glob("*.cpp") if path.name != "library.cpp")
    if not files:
        raise NotStarted(f"the sources of the machine are not in {folder}: install cudasync again")
    include = _toolkit_include(nvcc)
    compiler = shlex.split(os.environ.get("CXX") or "g++")
    key = hashlib.sha256(repr((compiler, _OPTIONS)).encode())
    for path in (*files, *sorted(folder.glob("*.h")), include / "cuda_runtime_api.h", include / "cuda.h"):
        key.update(path.name.encode() + b"\0" + path.read_bytes())
    version = re.search(r"#define CUDART_VERSION\s+(\d+)\d{3}", (include / "cuda_runtime_api.h").read_text(encoding="utf-8", errors="replace"))
    major = version[1] if version else "12"
    library = _cache() / f"machine-{key.hexdigest()[:16]}" / f"libcudart.so.{major}"
    if library.exists():
        return library
    library.parent.mkdir(parents=True, exist_ok=True)
    with open(library.parent / "lock", "w", encoding="utf-8") as lock:  # other processes wait, instead of compiling it, too
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists():
            say("compiling the machine that takes the place of the GPU (once; less than a minute) …")
            with tempfile.TemporaryDirectory(dir=library.parent) as made:
                _compile(compiler, files, include, Path(made) / library.name, major)
                (Path(made) / "libcuda.so.1").symlink_to(library.name)  # the driver's functions are in the same library
                os.replace(Path(made) / "libcuda.so.1", library.parent / "libcuda.so.1")
                os.replace(Path(made) / library.name, library)
    return library


def program(nvcc: str, library: Path, files: list[str], architecture: str, options: list[str], target: Path) -> str:
    """Compiles a program for the machine. Returns the compiler's warnings."""
    runtime = "shared" if any("-rdc" in option or "relocatable-device-code" in option for option in options) else "none"  # nvcc links units for it
    command = [nvcc, "-lineinfo", "-gencode", f"arch=compute_{architecture},code=compute_{architecture}", "-no-compress", "-cudart", runtime]
    options = [option for option in options if option not in ("-lcuda", "-lcudart", "-lcudart_static")]
    linked = ["-Xlinker", str(library), "-Xlinker", f"-rpath={library.parent}"]
    status, text = _output([*command, *options, *files, *linked, "-o", str(target)])
    if status == 0:
        return text
    missing = sorted(set(re.findall(r"undefined reference to [`'](_*cu[a-zA-Z]\w*)'", text)))
    if missing:
        raise NotSupported(f"the machine does not have {', '.join(missing)}")
    without = "cudasync" in text and not any(option.startswith("-I") and "cudasync" in option for option in options)
    hint = "\nnote: for the headers of cudasync, pass --cudasync" if without else ""
    if re.search(r"undefined reference to [`']main'", text):
        hint = "\nnote: the machine runs programs: add a main function that launches the kernel on small inputs"
    raise NotStarted(f"the program does not compile:\n{text.rstrip()}{hint}")


def is_program(path: str) -> bool:
    """Whether this is an executable, instead of a source."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def check_program(path: str, library: Path) -> None:
    """The machine takes the place of a runtime that the program loads when it starts."""
    names = {name.partition("@")[0] for name in _checked(["nm", "-D", "--undefined-only", "--format=just-symbols", path]).split()}
    used = {name for name in names if re.match(r"cu[A-Z]|cuda[A-Z]|__cuda[A-Z]", name)}
    if "__cudaRegisterFatBinary" not in used:
        raise NotStarted(f"{path} does not load the CUDA runtime as a library: link it with -cudart shared, or pass its sources")
    known = {name.partition("@")[0] for name in _checked(["nm", "-D", "--defined-only", "--format=just-symbols", str(library)]).split()}
    if used - known:
        raise NotSupported(f"the machine does not have {', '.join(sorted(used - known))}")


def libraries_without_ptx(path: str) -> list[str]:
    """Of the toolkit's libraries that the program loads, those whose kernels are compiled for a GPU: the machine cannot run them."""
    status, text = _output(["readelf", "-d", path])
    names = r"NEEDED.*\[lib((?:cublas|cudnn|cufft|curand|cusolver|cusparse|nccl|npp)\w*)\.so"
    return sorted(set(re.findall(names, text))) if status == 0 else []
