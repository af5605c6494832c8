"""NCCL, NVSHMEM and PyTorch on several GPUs: finds those that this machine has, builds their programs and runs them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import importlib.util
import json
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

import peers
from cudasync_tools import toolbox

HERE = Path(__file__).resolve().parent / "gpus"
REQUIREMENTS = peers.ROOT / "benchmarks/requirements_gpus.txt"
LIMIT = "300"  # seconds of a program
SKIPPED = 77


class Engine(NamedTuple):
    header: str
    library: str
    options: tuple = ()  # of nvcc
    libraries: tuple = ()  # of the linker, in the folder of the library


ENGINES = {
    "nccl": Engine("nccl_device.h", "libnccl.so.2"),
    "nvshmem": Engine("nvshmemx.h", "libnvshmem_host.so.3", ("-rdc=true",), ("-lnvshmem_device",)),
}


def gpu_count():
    """The GPUs of this machine: not in this process, in which a forked program could then not use them."""
    if not toolbox.has_gpu():
        return 0
    count = ctypes.c_int(0)
    ctypes.CDLL("libcuda.so.1").cuDeviceGetCount(ctypes.byref(count))
    return count.value


def rank_counts(gpus):
    return [count for count in (2, 4, 8) if count <= gpus]


def fetch():
    """Installs the pinned wheels of NCCL and NVSHMEM, with their libraries, next to those of the other benchmarks."""
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-input", "--disable-pip-version-check", "--upgrade"]
    toolbox.step("installing NCCL and NVSHMEM from PyPI", toolbox.python(), *pip, "--target", peers.FETCHED, "--requirement", REQUIREMENTS)


def folders(name, given=None):
    """(include, lib) of an engine: in the given folder, among the fetched wheels, in Python's packages, or in the system."""
    engine = ENGINES[name]
    packages = [Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")]
    roots = [Path(given)] if given else [folder / "nvidia" / name for folder in (peers.FETCHED, *packages)]
    for root in roots if given else [*roots, Path("/usr/local"), Path("/usr")]:
        headers = [root / "include", root / "include" / name, *root.glob(f"include/{name}_*")]
        libraries = [root / "lib", root / "lib64", *root.glob("lib/*-linux-gnu")]
        include = next((folder for folder in headers if (folder / engine.header).exists()), None)
        library = next((folder for folder in libraries if (folder / engine.library).exists()), None)
        if include and library:
            return include, library
    if given:
        raise toolbox.Failure(f"--{name}: {given} does not contain include/{engine.header} and lib/{engine.library}")
    return None


def build(name, found, folder, arch):
    """Builds with_NAME; returns the program."""
    engine, (include, library) = ENGINES[name], found
    program = folder / f"with_{name}"
    command = [toolbox.nvcc(), "-std=c++17", "-O3", f"-arch={arch}", *engine.options, f"-I{peers.ROOT / 'include'}", f"-I{include}"]
    command += ["-o", program, HERE / f"with_{name}.cu", f"-L{library}", *engine.libraries]
    command += ["-Xlinker", library / engine.library, "-Xlinker", f"-rpath={library}"]
    folder.mkdir(parents=True, exist_ok=True)
    if toolbox.show(f"building {program.name}", *command):
        raise toolbox.Failure(f"{program.name} does not compile: see above")
    return program


def has_torch():
    return importlib.util.find_spec("torch") is not None


def runs(name, program, gpus):
    """[(command, the suffix of its results)]"""
    if name == "nccl":
        return [([program], "")]
    if name == "nvshmem":
        return [([program, count], f"_{count}") for count in rank_counts(gpus)]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    return [([*torchrun, count, HERE / "with_torch.py"], f"_{count}") for count in rank_counts(gpus)]


def measure(options, build_folder, gpus):
    """The results of each engine that is there, by its name. One that fails is left out, with a message."""
    found = {}
    for name in (*ENGINES, "torch"):
        where = None if name == "torch" else folders(name, getattr(options, name))
        if not (has_torch() if name == "torch" else where):
            toolbox.say(f"not measured: {name}, which is not installed")
            continue
        program = None if name == "torch" else build(name, where, build_folder, f"sm_{options.arch}" if options.arch else "native" if gpus else "sm_90")
        if gpus < 2:
            toolbox.say(f"not measured: {name}, which needs two GPUs")
            continue
        for command, suffix in runs(name, program, gpus):
            result = options.output / f"with_{name}{suffix}.json"
            result.unlink(missing_ok=True)
            code = toolbox.show(f"with_{name}{suffix}", "timeout", "--signal=KILL", LIMIT, *command, "--json", result)
            if code:
                toolbox.say("skipped" if code == SKIPPED else f"error: with_{name} failed: its results are not used")
            elif result.exists():
                found.setdefault(name, []).extend(json.loads(result.read_text(encoding="utf-8"))["results"])
    return found
