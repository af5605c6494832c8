"""Findings as SARIF 2.1.0, which code hosts and editors show beside the lines."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from cudasync.explore import findings

Finding = dict[str, Any]


def _location(place: findings.Place, text: str = "") -> dict[str, Any]:
    file, line = place
    uri = Path(file).as_uri() if Path(file).is_absolute() else Path(file).as_posix()
    made: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}
    return {**made, "message": {"text": text}} if text else made


def _fingerprint(finding: Finding) -> str:
    """The same for the same lines, wherever they are in the file."""
    places = [place for access in finding["accesses"] if (place := findings.place_of(access))]
    words = [finding["rule"], *sorted(f"{file}:{findings.source_line((file, line))}" for file, line in places)]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:32]


def _result(finding: Finding) -> dict[str, Any]:
    kernel = f"Kernel: {finding['kernel']}" if finding.get("kernel") else ""
    remedy = finding.get("remedy") or ""
    sentences = [part for part in (finding["message"], remedy[:1].upper() + remedy[1:], kernel) if part]
    made: dict[str, Any] = {
        "ruleId": finding["rule"],
        "level": "error" if finding["level"] == "bug" else "warning",
        "message": {"text": ". ".join(part.rstrip(".") for part in sentences)},
        "partialFingerprints": {"linesOfCode/v1": _fingerprint(finding)},
        "properties": {"seeds": finding["seeds"]},
    }
    place = findings.primary_place(finding)
    if place:
        made["locations"] = [_location(place)]
    others = [(at, access) for access in finding["accesses"] if (at := findings.place_of(access))]
    made["relatedLocations"] = [
        {"id": number, **_location(at, f"{access.get('action', 'at')}: {findings.who(access)}")} for number, (at, access) in enumerate(others)
    ]
    return made


def _rule(finding: Finding) -> dict[str, Any]:
    made: dict[str, Any] = {"id": finding["rule"], "name": finding["kind"]}
    made["shortDescription"] = {"text": finding["rule"].replace("-", " ").capitalize()}
    return {**made, "help": {"text": finding["remedy"]}} if finding["remedy"] else made


def text_of(found: list[Finding], notes: list[str], exit_status: int, version: str) -> str:
    """The file. notes: what was not checked, and why."""
    rules = {each["rule"]: _rule(each) for each in found}
    notifications = [{"level": "warning", "message": {"text": note}} for note in notes]
    run = {
        "tool": {"driver": {"name": "cudasync explore", "version": version, "rules": list(rules.values())}},
        "invocations": [{"executionSuccessful": exit_status <= 1, "exitCode": exit_status, "toolExecutionNotifications": notifications}],
        "results": [_result(each) for each in found],
        "columnKind": "utf16CodeUnits",
    }
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"
