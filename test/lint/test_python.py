"""The Python of the project passes ruff and mypy, with the settings in pyproject.toml."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import tomllib

from cudasync_tools import toolbox
from cudasync_tools.toolchain import ROOT
from test_project import project_files, report

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
FOLDERS = [ROOT / folder for folder in SETTINGS["pytest"]["ini_options"]["pythonpath"]]


def findings(tool, *words, **environment):
    """The lines of a tool that say what is wrong."""
    pytest.importorskip(tool)
    command = [sys.executable, "-m", tool, *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout.splitlines() if done.returncode else []


def scripts():
    return [path for path in project_files() if path.suffix == ".py" and path.stem.isidentifier()]


def groups(paths, folders=()):
    """The files, so that no two files of a group have the same name: for mypy, the name of a file is that of its module. The first
    group has no file with the name of a file in another of these folders, from which it imports.
    """
    result, known = [[], []], {}
    for path in (path for folder in folders for path in paths if path.parent == folder):
        known.setdefault(path.name, path.parent)
    for folder in dict.fromkeys(path.parent for path in paths):
        files = [path for path in paths if path.parent == folder]
        names = {path.name for path in files}
        begin = 0 if all(known.get(name, folder) == folder for name in names) else 1
        group = next((group for group in result[begin:] if names.isdisjoint(path.name for path in group)), None)
        if group is None:
            result.append(files)
        else:
            group += files
    return [group for group in result if group]


def test_ruff():
    report(findings("ruff", "check", "--quiet", "--no-cache", "--output-format=concise", "."))


def test_mypy():
    cache = Path(tempfile.gettempdir()) / "cudasync-mypy"
    found = []
    for group in groups(scripts(), FOLDERS):
        folders = dict.fromkeys([*FOLDERS, *(path.parent for path in group if not (path.parent / "__init__.py").exists())])
        path = os.pathsep.join(map(str, folders))
        found += findings("mypy", f"--cache-dir={cache}", "--no-error-summary", "--follow-imports=silent", *group, MYPYPATH=path)
    report(found)


def test_files_of_one_name_are_in_different_groups():
    paths = [Path("a/one.py"), Path("a/two.py"), Path("b/two.py"), Path("c/one.py"), Path("d/three.py")]
    assert groups(paths) == [[paths[0], paths[1], paths[4]], [paths[2], paths[3]]]
    assert groups(paths, [Path("b"), Path("a")]) == [[paths[2], paths[4]], [paths[0], paths[1]], [paths[3]]]


def test_faults_are_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import os\n\n\ndef f():\n    return len(1)\n", encoding="utf-8")
    assert any("F401" in line for line in findings("ruff", "check", "--no-cache", "--output-format=concise", wrong))
    assert any("arg-type" in line for line in findings("mypy", f"--cache-dir={tmp_path}", wrong))


def test_an_environment_made_anew_has_what_was_installed(tmp_path, monkeypatch):
    """One that was copied to another path, say: --clear removes what all groups have installed."""
    folder = tmp_path / "python"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").touch()
    for name in (".created", ".installed-axioms", ".installed-dev", ".installed-of_another_version"):
        (folder / name).write_text("/elsewhere", encoding="utf-8")
    installed = []
    monkeypatch.setattr(toolbox, "TOOLS", tmp_path)
    monkeypatch.setattr(toolbox.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(toolbox, "step", lambda what, *command: None)
    monkeypatch.setattr(toolbox, "install", lambda groups, *rest: installed.extend(groups))
    toolbox.python("dev")
    assert sorted(installed) == ["axioms", "dev"]
