"""The workflows and actions of hosted CI: pinned actions, least rights, time limits, a schedule; and the check of commit messages."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import subprocess
from pathlib import Path

import pytest
import yaml

import check_commits
from cudasync_tools.toolchain import ROOT
from test_project import project_files, report

PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*")
# Who may write, and what: (workflow, job).
WRITES = {("ci.yml", "publish"): {"pages", "id-token"}, ("release.yml", "release"): {"contents"}}
WORKFLOWS = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}


def findings(name, text):
    """What a workflow must not have."""
    for used in re.findall(r"\buses: *(.*)", text):
        if not PINNED.fullmatch(used):
            yield f"{name}: {used}: not pinned by the hash of a commit, with its version as a comment"
    workflow = yaml.safe_load(text)
    if workflow.get("permissions") != {"contents": "read"}:
        yield f"{name}: the permissions of the workflow are not `contents: read`"
    for job, settings in workflow["jobs"].items():
        rights = settings.get("permissions", {})
        if rights != dict.fromkeys(WRITES.get((name, job), ()), "write"):
            yield f"{name}: {job}: may write, or reads more than the job needs: {rights}"
        if "timeout-minutes" not in settings:
            yield f"{name}: {job}: no time limit"
        if str(settings.get("runs-on")).endswith("latest"):
            yield f"{name}: {job}: runs on an image that changes"
        for step in settings["steps"]:
            if "actions/checkout@" in step.get("uses", "") and step.get("with", {}).get("persist-credentials") is not False:
                yield f"{name}: {job}: the checkout keeps the token for later steps"
            if "github.event." in step.get("run", ""):
                yield f"{name}: {job}: text of an event in a command: pass it in env"


def test_workflows():
    assert {"ci.yml", "nightly.yml", "release.yml"} <= set(WORKFLOWS)
    report([finding for name, text in WORKFLOWS.items() for finding in findings(name, text)])


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2", "@v4"),
        ("@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2", "@11bd71901bbe5b1630ceea73d27597364c9af683"),
        ("permissions:\n  contents: read\n", "permissions: write-all\n"),
        ("    permissions:\n      contents: write\n", "    permissions:\n      contents: write\n      packages: write\n"),
        ("    timeout-minutes: 10\n", ""),
        ("ubuntu-24.04", "ubuntu-latest"),
        ("          persist-credentials: false\n", "          fetch-depth: 0\n"),
        ('version="${GITHUB_REF_NAME#v}"', 'version="${{ github.event.ref }}"'),
    ],
)
def test_faults_are_found(good, bad):
    text = WORKFLOWS["release.yml"]
    assert good in text and not list(findings("release.yml", text))
    assert len(list(findings("release.yml", text.replace(good, bad, 1)))) == 1


def test_action():
    """A project that uses it gives texts, which are not part of a command."""
    text = (ROOT / ".github/actions/explore/action.yml").read_text(encoding="utf-8")
    action = yaml.safe_load(text)
    steps = action["runs"]["steps"]
    used = re.findall(r"\buses: *(.*)", text)
    assert len(used) == 1 and PINNED.fullmatch(used[0])
    assert not [step for step in steps if "${{" in step.get("run", "")]
    named = set(re.findall(r"\binputs\.(\w+)", text))
    assert named == set(action["inputs"]) and all("default" in each or each["required"] for each in action["inputs"].values())


@pytest.mark.parametrize(("script", "outputs"), [('touch "${@: -4:1}"; exit 1', "status=1\nsarif={sarif}\n"), ("exit 5", "status=5\n")])
def test_action_runs_the_command(script, outputs, tmp_path):
    folder = ROOT / ".github/actions/explore"
    step = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"][0]
    (tmp_path / "python3").write_text(f'#!/bin/bash\necho "$PYTHONPATH" "$@" > {tmp_path}/words\n{script}\n', encoding="utf-8")
    (tmp_path / "python3").chmod(0o755)
    inputs = {"FILES": "a.cu b.cu", "OPTIONS": "--seeds 2", "ARGUMENTS": "--small 3"}
    assert set(step["env"]) == set(inputs)
    places = {"GITHUB_ACTION_PATH": str(folder), "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "outputs")}
    environment = {**inputs, **places, "PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]], env=environment, check=True)
    path, *words = (tmp_path / "words").read_text(encoding="utf-8").split()
    sarif = f"{tmp_path}/cudasync-explore.sarif"
    assert (Path(path) / "cudasync/explore").is_dir()
    assert words == ["-m", "cudasync", "explore", "a.cu", "b.cu", "--seeds", "2", "--sarif", sarif, "--", "--small", "3"]
    assert (tmp_path / "outputs").read_text(encoding="utf-8") == outputs.format(sarif=sarif)


def test_nightly_runs_what_the_default_leaves_out():
    nightly = yaml.safe_load(WORKFLOWS["nightly.yml"])
    assert nightly[True]["schedule"]  # YAML reads the key `on` as true
    for command in ("test/run.py --thorough", "test/run.py --host aarch64", "test/interop/matrix.py", "CUDASYNC_FUZZ_SECONDS"):
        assert command in WORKFLOWS["nightly.yml"]


def test_commands_of_workflows_exist():
    for name, text in WORKFLOWS.items():
        for program in re.findall(r"\b(?:benchmarks|docs|examples|test|tools)/[\w/]+\.py\b", text):
            assert (ROOT / program).is_file(), f"{name}: {program}"


def test_dependabot_knows_every_folder_of_requirements():
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))["updates"]
    folders = {folder for update in updates for folder in update.get("directories", [update.get("directory")])}
    texts = [path for path in project_files() if path.suffix == ".txt" and path.parent.name in ("requirements", "benchmarks")]
    found = {f"/{path.parent.relative_to(ROOT)}" for path in texts if "==" in path.read_text(encoding="utf-8")}
    assert "/tools/requirements" in found and found <= folders and "/" in folders


def test_hooks_use_the_pinned_tools():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    pinned = (ROOT / "tools/requirements/dev.txt").read_text(encoding="utf-8").splitlines()
    used = [package for hook in hooks for package in hook.get("additional_dependencies", [])]
    assert used and set(used) <= set(pinned)


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ("Waits: one loop for both kinds\n\nThe two loops differed in nothing.\n", 0),
        ("Merge branch 'main'", 0),
        ("Waits: one loop for both kinds\n", 1),
        ("Waits: one loop for both kinds\n\nReviewed-by: A. Person\n", 1),
        ("Waits: one loop for both kinds.\n\nWhy.\n", 1),
        ("Waits\nWhy.\n", 1),
        ("x" * 73 + "\n\nWhy.\n", 1),
        ("Waits\n\n" + "word " * 17 + "\n", 1),
        ("# a comment of git\nWaits\n\nWhy.\n# " + "x" * 90, 0),
    ],
)
def test_commit_messages(message, count):
    assert len(list(check_commits.findings(message))) == count, list(check_commits.findings(message))
