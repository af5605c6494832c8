"""The version of the tree is newer than what was released, and every place that names it agrees."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import shutil
import subprocess

import pytest

from cudasync_tools.toolchain import INCLUDE, ROOT

CONFIG = (INCLUDE / "cudasync/core/config.h").read_text(encoding="utf-8")
VERSION = tuple(int(re.search(rf"VERSION_{part} (\d+)", CONFIG)[1]) for part in ("MAJOR", "MINOR", "PATCH"))


def numbers(text):
    return tuple(int(part) for part in text.split("."))


def released(changelog):
    """(whether there are changes since the newest release, its version)"""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    changes = any(section.startswith("Unreleased") and "\n- " in section for section in sections)
    return changes, max(numbers(match[1]) for each in sections if (match := re.match(r"(\d+\.\d+\.\d+) \(", each)))


def is_version_new(version, changelog):
    changes, newest = released(changelog)
    return version > newest if changes else version == newest


def namespace_of(version):
    return f"v{version[0]}_{version[1]}"


def test_macros_agree():
    major, minor, patch = VERSION
    assert re.search(r"CUDASYNC_VERSION (\d+)", CONFIG)[1] == str(major * 10000 + minor * 100 + patch)
    namespaces = re.findall(r"#define CUDASYNC_ABI (\w+)", CONFIG)
    kinds = ("_checked_traced", "_traced", "_checked", "")
    assert namespaces == [namespace_of(VERSION) + kind for kind in kinds]


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("README.md", r"current version is (\d+\.\d+\.\d+)"),
        ("docs/guide/support.md", r"current version is (\d+\.\d+\.\d+)"),
        ("docs/guide/start.md", r"cudasync/(\d+\.\d+\.\d+)"),
        ("python/cudasync/hang_report.py", r'"v(\d+_\d+)_checked"'),
    ],
)
def test_other_places_agree(path, pattern):
    named = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"))[1]
    assert numbers(named.replace("_", ".")) == VERSION[: len(re.split("[._]", named))]


def test_version_is_newer_than_the_last_release():
    assert is_version_new(VERSION, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def test_rule():
    log = "## Unreleased\n\n- A change.\n\n## 0.2.0 (2027-01-01)\n\n- One.\n\n## 0.1.0 (2026-11-22)\n"
    assert is_version_new((0, 3, 0), log) and is_version_new((0, 2, 1), log)
    assert not is_version_new((0, 2, 0), log)
    assert is_version_new((0, 2, 0), log.replace("- A change.", ""))
    assert not is_version_new((0, 3, 0), log.replace("- A change.", ""))


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)


def test_headers_of_a_tag_are_unchanged():
    """Programs that were compiled with the headers of the tag would be linked with these without an error."""
    if not shutil.which("git") or git("rev-parse", "--git-dir").returncode != 0:
        pytest.skip("not a repository of git")
    tag = "v" + ".".join(map(str, VERSION))
    if git("rev-parse", "--verify", "--quiet", f"refs/tags/{tag}").returncode == 0:
        difference = git("diff", "--stat", tag, "--", "include").stdout
        assert not difference, f"{tag} has other headers with this version: set the next one\n{difference}"
