"""What was found, for people: repeats are merged, and shown with the user's lines."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any

Finding = dict[str, Any]
Place = tuple[str, int]


def name_of(file: str) -> str:
    """A path as the user wrote it: relative, if it is in the current folder."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative


def place_of(access: Finding) -> Place | None:
    """The user's line, where the access is in a library's function that was inlined."""
    at = access.get("user", access)
    return (name_of(at["file"]), at["line"]) if at.get("file") else None


def caller_of(access: Finding) -> Place | None:
    """The line of the kernel where the user's function was called that has the access, if it was inlined."""
    at = (access.get("inlined_at") or [{}])[-1]
    caller = (name_of(at["file"]), at["line"]) if at.get("file") else None
    return caller if caller != place_of(access) else None


def primary_place(finding: Finding) -> Place | None:
    """The line of the access that came last, if the compiler has not merged it with others, which then have line 0."""
    places = [place for access in reversed(finding["accesses"]) if (place := place_of(access))]
    return next((place for place in places if place[1] != 0), next(iter(places), None))


def merged(findings: list[Finding]) -> list[Finding]:
    """One for each pair of lines, with the seeds that found it."""
    known: dict[Any, Finding] = {}
    for each in findings:
        places = sorted(place for access in each["accesses"] if (place := place_of(access)))
        key = (each["kind"], each["rule"], *(places or [each["kernel"], each["message"]]))
        found = known.setdefault(key, {**each, "seeds": []})
        if each["seed"] not in found["seeds"]:
            found["seeds"].append(each["seed"])
    return list(known.values())


@lru_cache(maxsize=64)
def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def source_line(place: Place) -> str:
    """The text of a line, or nothing if the file is not there."""
    file, line = place
    lines = _lines(file)
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def _triple(numbers: list[int]) -> str:
    return f"({','.join(map(str, numbers))})"


def who(access: Finding) -> str:
    stream = f" in {access['stream']}" if "stream" in access else ""
    unit = access.get("unit", "thread")
    if unit == "copy":
        return str(access["instruction"]) + stream
    block = f"block {_triple(access['block'])}"
    who = f"thread {_triple(access['thread'])} of {block}" if "thread" in access else block
    launch = f" of {access['kernel']}{stream}" if "kernel" in access else ""
    return (who if unit == "thread" else f"{unit}, for {who}") + launch


def _memory(access: Finding) -> str:
    what = access.get("symbol") or (f"allocation {access['allocation']}" if "allocation" in access else "")
    what += f" (argument {access['argument']})" if "argument" in access else ""
    offset = access.get("offset", 0)
    where = f"{what} + {offset}" if what else f"address {offset:#x}"
    return f"{access['memory']} memory, {where}" + (f", {access['bytes']} bytes" if "bytes" in access else "")


def _access(access: Finding, is_verbose: bool) -> list[str]:
    place, caller = place_of(access), caller_of(access)
    where = "unknown line" if place is None else f"{place[0]}:{place[1]}" if place[1] else f"{place[0]}, statements that the compiler has merged"
    called = f" (called at {caller[0]}:{caller[1]})" if caller else ""
    at = "" if access.get("unit") == "copy" else f"{where}{called}, "
    lines = [f"{access.get('action', 'at')}: {at}{who(access)}"]
    if place and (text := source_line(place)):
        lines.append(f"    {text}")
    if is_verbose:
        frames = [access, *access.get("inlined_at", [])] if place else []
        lines.append(f"    {access['instruction']}" + "".join(f" < {name_of(each['file'])}:{each['line']}" for each in frames))
        if "memory" in access:
            lines.append(f"    {access.get('proxy', 'generic')} proxy, {_memory(access)}")
    return lines


def text_of(finding: Finding, is_verbose: bool) -> str:
    """A report. Its first line has the form of a compiler's message, which editors know."""
    place = primary_place(finding)
    level = "bug" if finding["level"] == "bug" else "strict"
    lines = [f"{':'.join(map(str, place)) + ': ' if place else ''}{level}: {finding['message']} [{finding['rule']}]"]
    for access in finding["accesses"]:
        lines += [f"  {line}" for line in _access(access, is_verbose)]
    memory = next((access for access in reversed(finding["accesses"]) if "memory" in access), None)
    if memory and not is_verbose:
        lines.append(f"  memory: {_memory(memory)}")
    if finding.get("kernel"):
        lines.append(f"  kernel: {finding['kernel']}")
    if finding.get("text"):
        lines += [f"  {line}" for line in finding["text"].rstrip().splitlines()]
    if finding.get("likely_cause"):
        lines.append(f"  likely cause: {finding['likely_cause']}")
    if finding.get("remedy"):
        lines.append(f"  remedy: {finding['remedy']}")
    lines.append(f"  again: {finding['command']}")
    return "\n".join(lines)
