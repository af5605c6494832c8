"""The libraries that cudasync is compared with, and their folders: the toolkit's CCCL, another CCCL, and CUTLASS."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import toolbox

REQUIREMENTS = ROOT / "benchmarks/requirements.txt"
FETCHED = ROOT / "build/tools/benchmarks"


@dataclass(frozen=True)
class Library:
    """A library to measure, and the include folder for NVRTC. nvcc needs no -I for the headers of the toolkit."""

    name: str
    folder: Path
    is_toolkit: bool = False
    definitions: tuple = ()

    def nvcc_options(self):
        return [*([] if self.is_toolkit else [f"-I{self.folder}"]), *(f"-D{name}" for name in self.definitions)]

    def with_ndebug(self):
        return replace(self, name=f"{self.name}, NDEBUG", definitions=("NDEBUG",))


def fetch():
    """Installs the pinned wheels from PyPI without their dependencies, because only their headers are used."""
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-input", "--disable-pip-version-check", "--upgrade"]
    command = [toolbox.python(), *pip, "--target", FETCHED, "--requirement", REQUIREMENTS]
    toolbox.step("installing CCCL and CUTLASS from PyPI", *command)


def _folder_with(header, where):
    """The folder that contains the header: this folder or a folder below it, or None."""
    if where is None or not Path(where).is_dir():
        return None
    depth = len(Path(header).parts)
    found = sorted(path.parents[depth - 1] for path in Path(where).resolve().rglob(header) if path.is_file())
    return found[0] if found else None


def _folder(option, header, given):
    if given and not _folder_with(header, given):
        raise toolbox.Failure(f"{option}: {given} does not contain {header}")
    return _folder_with(header, given or FETCHED)


def cccl_folder(given=None):
    return _folder("--cccl", "cuda/barrier", given)


def cutlass_folder(given=None):
    return _folder("--cutlass", "cutlass/arch/barrier.h", given)


def _cccl_version(folder):
    text = (folder / "cuda/std/__cccl/version.h").read_text(encoding="utf-8")
    number = int(re.search(r"#\s*define CCCL_VERSION (\d+)", text)[1])
    return f"{number // 1000000}.{number // 1000 % 1000}.{number % 1000}"


def libraries(cccl=None):
    """cudasync, then the toolkit's CCCL, then the other CCCL if it is available."""
    found = [Library("cudasync", ROOT / "include")]
    include = Path(toolbox.nvcc()).resolve().parents[1] / "include"
    toolkit = include / "cccl" if (include / "cccl/cuda/barrier").exists() else include
    if (toolkit / "cuda/barrier").exists():
        found.append(Library(f"CCCL {_cccl_version(toolkit)} (toolkit)", toolkit, is_toolkit=True))
    if other := cccl_folder(cccl):
        found.append(Library(f"CCCL {_cccl_version(other)} (newest)", other))
    return found


def parser(description):
    """The options that all benchmark scripts have."""
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--cccl", metavar="DIR", help="folder of a CCCL to measure in addition to the toolkit's, for example its repository")
    result.add_argument("--json", metavar="FILE", type=Path, help="write the results to this file")
    return result
