"""The headers under include/, and translation units that include them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import re
import subprocess

from cudasync_tools.toolchain import INCLUDE, ROOT

HOSTILE = ROOT / "test" / "headers" / "hostile_macros.h"

# Headers that cannot be included alone, with the reason.
SKIPPED = {"cudasync/compat/drop_in.h": "without CCCL it is an #error; CUDASYNC_DROP_IN includes it"}


def is_shim(name):
    """`cuda/__barrier/x.h`: it stands in for an internal header of CCCL and includes one of ours."""
    return any(part.startswith("__") for part in name.split("/"))


def every_header():
    """Names as they are included: `cuda/barrier`, `cudasync/core/target.h`."""
    names = sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*") if path.is_file())
    return [name for name in names if name not in SKIPPED]


@functools.cache
def includes_of(name):
    """What one of our headers includes of ours, or of CCCL under cuda/."""
    path = INCLUDE / name
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return re.findall(r"^\s*#\s*include\s*<((?:cuda|cudasync)/[^>]+)>", text, re.MULTILINE)


@functools.cache
def only_ours():
    """`cudasync/turns.h`: those directly in cudasync/ that no header with a name of libcu++'s includes."""
    reached, unread = set(), [name for name in every_header() if name.startswith("cuda/")]
    while unread:
        name = unread.pop()
        if name not in reached:
            reached.add(name)
            unread += includes_of(name)
    return {name for name in every_header() if re.fullmatch(r"cudasync/\w+\.h", name) and name not in reached}


def public_headers():
    """What programs begin with: libcu++'s names, under cuda/, that are no shims, and those of cudasync/ that only we have."""
    return [name for name in every_header() if (name.startswith("cuda/") and not is_shim(name)) or name in only_ours()]


# Folders of cudasync/ with parts of the types.
FOLDERS_OF_TYPES = ("atomic", "cluster", "named", "peer", "pipeline", "tensor")


def of_types():
    """Those that define what users hold."""
    folders = ["", *(f"{folder}/" for folder in FOLDERS_OF_TYPES)]
    return [INCLUDE / name for name in every_header() if any(re.fullmatch(rf"cudasync/{folder}\w+\.h", name) for folder in folders)]


def host_headers():
    """All but ptx/: instructions of the GPU, which files for the host never include."""
    return [name for name in every_header() if not name.startswith("cudasync/ptx/")]


def system_headers(names):
    """What these headers, and ours that they include, include of the system: hostile macros are defined after these."""
    ours, found = set(), set()
    unread = list(names)
    while unread:
        name = unread.pop()
        if name in ours:
            continue
        ours.add(name)
        text = (INCLUDE / name).read_text(encoding="utf-8")
        for included in re.findall(r"^\s*#\s*include\s*<([^>]+)>", text, re.MULTILINE):
            if (INCLUDE / included).is_file():
                unread.append(included)
            else:
                found.add(included)
    return sorted(name for name in found if not name.startswith(("cuda/", "cudasync/")))


def unit(names, hostile=False):
    """A translation unit that includes the headers, each twice. hostile: after macros of common names."""
    if hostile and names == ["cuda/ptx"]:
        hostile = False  # it includes CCCL's, which does not bear such macros
    if hostile:
        names = [name for name in names if name != "cuda/ptx"]
    lines = [f"#include <{name}>" for name in names] * 2
    return (hostile_macros(names) if hostile else "") + "\n".join([*lines, ""])


def hostile_macros(names):
    """The beginning of a translation unit: the system's headers, and macros of common names."""
    lines = []
    for name in system_headers(names):
        lines += [f"#if __has_include(<{name}>)", f"#include <{name}>", "#endif"]
    return "\n".join([*lines, f'#include "{HOSTILE}"', ""])


def compiles(command, text=None):
    """Fails the test with the command and its output unless it succeeds in silence."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        import pytest  # which scripts of docs/ do not need

        pytest.fail(f"{' '.join(command)}\n{text or ''}\n{done.stdout}{done.stderr}", pytrace=False)
