"""Sources in builds that nobody else compiles, through ptxas: release, checked and traced builds, with options for debugging, for
relocatable code, and for each architecture."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.util
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from cudasync_tools import toolchain

HERE = Path(__file__).resolve().parent
ROOT = toolchain.ROOT
BUILDS = {"release": (), "checked": ("-DCUDASYNC_CHECKED=1",), "traced": ("-DCUDASYNC_TRACE=1",)}
NEWEST = "90a"  # for the options
VARIANTS = {
    "G": (NEWEST, ("-G",)),
    "O0": (NEWEST, ("-Xptxas=-O0",)),
    "Ofc": (NEWEST, ("-Ofc=mid",)),  # no address spaces are inferred
    "Ofc_min": (NEWEST, ("-Ofc=min",)),
    "rdc": (NEWEST, ("-rdc=true",)),
    "few": (NEWEST, ("-maxrregcount=32",)),
    **{f"sm_{arch}": (arch, ()) for arch in ("80", "90a", "100a", "120a")},
}
# Warnings that say only that code is slow, and declarations that documentation does not use.
QUIET = ("-Xptxas=-w", "-diag-suppress=177,550,831,940")


def sources():
    for folder in ("examples", "test/gpu"):
        yield from sorted((ROOT / folder).glob("*.cu"))
    yield from sorted(HERE.glob("*.cu"))


def needs(text):
    """The architectures for which a source says that it compiles: (all those that it names, the lowest)."""
    found = re.search(r"^// needs: (.*)$", text, re.M)
    words = re.findall(r"sm_?(\d+a?)", found[1]) if found else []
    exact = [word for word in words if word.endswith("a")]
    return exact, min((int(word.rstrip("a")) for word in words), default=0)


def makes_sense(text, arch):
    exact, lowest = needs(text)
    if "register_budget" in text or "setmaxnreg" in text:
        return arch in (exact or ("90a", "100a", "120a")) and arch.endswith("a")
    return arch in exact if exact else int(arch.rstrip("a")) >= lowest


def combinations():
    for source in sources():
        text = source.read_text(encoding="utf-8")
        for build in BUILDS:
            if build == "release" and "checked_build.h" in text + "".join(re.findall(r"misuse\.h", text)):
                continue
            for variant, (arch, _) in VARIANTS.items():
                if makes_sense(text, arch):
                    yield source, build, variant


# ptxas takes as long for the first as for all others. It assembles calls_at_two_places.cu in test_calls.py.
SAMPLES = [
    [("warp_specialized.cu", "checked", "sm_90a")],
    [("warp_specialized.cu", "release", "sm_100a"), ("spaces.cu", "release", "Ofc"), ("bytes.cu", "release", "rdc")],
]


def is_in_sample(source, build, variant):
    return source.parent == HERE and any((source.name, build, variant) in sample for sample in toolchain.in_turn(SAMPLES))


def documentation(arch, folder):
    """The code blocks of the documentation for an architecture, as one file."""
    sys.path.insert(0, str(ROOT / "docs" / "checks"))
    specification = importlib.util.spec_from_file_location("code", ROOT / "docs" / "checks" / "code.py")
    code = importlib.util.module_from_spec(specification)
    sys.modules["code"] = code
    specification.loader.exec_module(code)
    found = [block for block in code.blocks() if block.language == "cuda" and not block.is_program() and not block.file]
    blocks = [block for block in found if arch in block.architectures]
    assert blocks
    path = folder / "documentation.cu"
    path.write_text(code.unit(blocks), encoding="utf-8")
    return path


def listed_failures():
    """(patterns of source, build and variant; the reason)"""
    for line in (HERE / "failures.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            what, _, reason = line.partition(": ")
            assert len(what.split()) == 3 and reason.strip(), line
            yield what.split(), reason


def reason_of(name, build, variant):
    for patterns, reason in listed_failures():
        if all(fnmatchcase(word, pattern) for word, pattern in zip((name, build, variant), patterns)):
            return reason
    return None


def check(source, name, build, variant, folder):
    arch, options = VARIANTS[variant]
    target = f"-gencode=arch=compute_{arch},code=sm_{arch}"
    words = ["-std=c++17", f"-I{toolchain.INCLUDE}", target, *options, *QUIET, *BUILDS[build], "-cubin", "-o", folder / "out.cubin"]
    command = [str(word) for word in (toolchain.nvcc(), *words, source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    reason = reason_of(name, build, variant)
    if reason:
        assert done.returncode, f"it compiles now: remove the line from {HERE.name}/failures.txt: {reason}"
    else:
        assert not done.returncode, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize(
    ("source", "build", "variant"),
    [
        pytest.param(*each, id=f"{each[0].stem}.{each[1]}.{each[2]}")
        for each in combinations()
        if toolchain.THOROUGH or is_in_sample(*each)
    ],
)
def test_source(source, build, variant, tmp_path):
    check(source, source.stem, build, variant, tmp_path)


@pytest.mark.skipif(not toolchain.THOROUGH, reason="not thorough: docs.code compiles the release build")
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("build", BUILDS)
def test_documentation(build, variant, tmp_path):
    arch = VARIANTS[variant][0]
    source = documentation({"80": "sm_80", "90a": "sm_90a", "100a": "sm_100a", "120a": "sm_90"}[arch], tmp_path)
    check(source, "documentation", build, variant, tmp_path)


def test_listed_failures_are_combinations():
    names = [(source.stem, build, variant) for source, build, variant in combinations()]
    names += [("documentation", build, variant) for build in BUILDS for variant in VARIANTS]
    for patterns, _ in listed_failures():
        assert any(all(map(fnmatchcase, name, patterns)) for name in names), f"no such combination: {patterns}"
