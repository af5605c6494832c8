"""Finds names that a project takes from libcu++'s synchronization headers by chance, and includes the headers that declare them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_SUFFIXES = {".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".impl", ".inl", ".inc", ".ipp", ".tpp", ".cc", ".cpp", ".cxx"}
_SYNCHRONIZATION = {f"cuda/{name}" for name in ("atomic", "barrier", "latch", "pipeline", "semaphore", "work_stealing", "tma")}
_SYNCHRONIZATION |= {f"cuda/std/{name}" for name in ("atomic", "barrier", "latch", "semaphore")}
_ATOMIC = {"cuda/atomic", "cuda/std/atomic"}

_TRAITS = r"""is_(?!same\b|same_v\b|trivially_copyable\b|trivially_copyable_v\b)\w+|remove_(?!cv_t\b|reference_t\b)\w+|add_\w+|conditional
|common_type(?:_t)?|common_reference(?:_t)?|decay(?:_t)?|underlying_type(?:_t)?|make_(?:un)?signed(?:_t)?|void_t|rank|extent
|invoke_result(?:_t)?|conjunction(?:_v)?|disjunction(?:_v)?|negation(?:_v)?|type_identity(?:_t)?|aligned_storage(?:_t)?
|alignment_of(?:_v)?|has_unique_object_representations(?:_v)?|has_virtual_destructor(?:_v)?"""
_UTILITY = r"""pair|make_pair|swap|exchange|declval|as_const|in_place\w*|piecewise_construct\w*|(?:make_)?(?:index|integer)_sequence
|index_sequence_for|to_underlying|forward_like|cmp_\w+|in_range|unreachable|get|tuple_size(?:_v)?|tuple_element(?:_t)?"""
_ATOMICS = r"atomic(?!_thread_fence_)\w*|memory_order_\w+|kill_dependency"
_PTX = r"""tcgen05_\w+|kind_\w+|dot_kind|clusterlaunchcontrol_\w+|cp_reduce_async_bulk\w*|cp_async_bulk_cp_mask
|cp_async_bulk_tensor_tile_\w+|st_bulk|st_async|red_async|cp_async_mbarrier_\w+|fence_proxy_alias|fence_proxy_tensormap_generic
|fence_proxy_async_generic_sync_restrict|fence_sync_restrict|tensormap_\w+|op_(?!t\b)(?!\w+_t\b)\w+|multimem_\w+|ld|ld_nc|st
|bfind\w*|bmsk_\w+|prmt\w*|shl|shr|shfl_sync_\w+|exit|trap"""
_CHRONO = r"""literals|years|months|weeks|days|floor|ceil|round|abs|time_point_cast|treat_as_floating_point\w*|duration_values
|file_clock|sys_(?:time|days|seconds)|year_month_day|local_\w+"""
_ERRORS = r"(?:runtime|logic|domain|length|range|overflow|underflow)_error|invalid_argument|out_of_range"

# What is in front of a name, the names, and the header that declares them. STD and CUDA also match aliases of the namespace.
_RULES = [
    (r"STD::", _TRAITS, "cuda/std/type_traits"),
    (r"STD::", _UTILITY, "cuda/std/utility"),
    (r"STD::", r"numeric_limits|float_round_style|float_denorm_style", "cuda/std/limits"),
    (r"STD::", r"mem(?:cmp|move|chr)|str\w+", "cuda/std/cstring"),
    (r"STD::", r"max_align_t", "cuda/std/cstddef"),
    (r"STD::", r"u?int(?:max|_fast\d+|_least\d+)_t", "cuda/std/cstdint"),
    (r"STD::", r"ratio\w*|nano|micro|milli|kilo|mega|giga", "cuda/std/ratio"),
    (r"STD::chrono::", _CHRONO, "cuda/std/chrono"),
    (r"STD::", r"chrono_literals|literals", "cuda/std/chrono"),
    (r"(?:STD|CUDA)::", _ATOMICS, "cuda/atomic"),
    (r"CUDA::ptx::", _PTX, "cuda/ptx"),
    (r"CUDA::", r"(?:is|next|prev)_power_of_two", "cuda/cmath"),  # this and the next two: in newer versions of CCCL
    (r"CUDA::", r"is_aligned|device::is_(?:address|object)_from|device::address_space", "cuda/memory"),
    (r"CUDA::", r"is_trivially_copyable(?:_v)?", "cuda/type_traits"),
    (r"", r"_CUDA_STD_VERSION|_CUDA_VSTD\w*|_CCCL_\w+|__cccl_lib_(?!barrier|atomic|latch|semaphore|local|experimental)\w+", "cuda/std/version"),
    (r"(?<!\w)(?<!::)(?:::)?std::", r"chrono", "chrono"),
    (r"(?<!\w)(?<!::)(?:::)?std::", _ERRORS, "stdexcept"),
    (r"(?<!\w)(?<!::)(?:::)?std::", r"string|to_string|sto(?:i|l|ll|ul|ull|f|d)|getline", "string"),
    (r"(?<!\w)(?<!::)(?:::)?std::", r"string_view", "string_view"),
    (r"(?<!\w)(?<!::)(?:::)?std::", r"exception|exception_ptr|current_exception|rethrow_exception|terminate", "exception"),
    (r"(?<!\w)(?<!::)(?:::)?std::", r"error_code|error_category|system_error|errc", "system_error"),
    (r"(?<!\w)(?<!::)(?:::)?std::", r"iterator_traits|back_inserter|distance|advance|next|prev|reverse_iterator", "iterator"),
    (r"(?<!\w)(?<!::)(?:::)?std::", r"ratio|nano|micro|milli|kilo|mega|giga", "ratio"),
    (r"(?<!\w)(?<!::)(?:::)?std::", r"type_info|bad_cast", "typeinfo"),
    (r"(?<![\w:.])(?:std::)?", r"(?:FLT|DBL|LDBL)_(?:MAX|MIN|EPSILON|DIG)", "cfloat"),
    (r"(?<![\w:.])", r"U?(?:CHAR|SHRT|INT|LONG|LLONG)_(?:MAX|MIN)|CHAR_BIT", "climits"),
    (r"(?<![\w:.])", r"errno", "cerrno"),
    (r"(?<![\w:.])", r"assert(?=\s*\()", "cassert"),
]
_SAME = {"cassert": "assert.h", "cerrno": "errno.h", "cfloat": "float.h", "climits": "limits.h", "cuda/atomic": "cuda/std/atomic"}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|endif)", re.MULTILINE)
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


class Missing(NamedTuple):
    """The names of a file that one header declares, which the file does not include."""

    file: Path
    header: str
    names: list[str]


def _without_comments(text: str) -> str:
    def blank(match: re.Match[str]) -> str:
        is_digit_separator = match[0].startswith("'") and match.start() and text[match.start() - 1].isalnum()
        return match[0] if is_digit_separator else re.sub(r"[^\n]", " ", match[0])

    return _NO_CODE.sub(blank, text)


def _names(code: str, rule: tuple[str, str, str]) -> list[str]:
    prefix, names, _ = rule
    aliases = {"CUDA": r"(?:::)?\bcuda", "STD": r"(?:::)?\bcuda::std|\b_CUDA_VSTD"}
    for alias, space in re.findall(r"\bnamespace\s+(\w+)\s*=\s*(?:::)?(cuda(?:::std)?)\s*;", code):
        aliases["STD"] += rf"|\b{alias}" if space == "cuda::std" else rf"|\b{alias}::std"
        aliases["CUDA"] += rf"|\b{alias}" if space == "cuda" else ""
    pattern = prefix
    for word, spaces in aliases.items():
        pattern = re.sub(rf"\b{word}\b", f"(?:{spaces})".replace("\\", r"\\"), pattern)
    names = names.replace("\n", "")
    return sorted({match[1] for match in re.finditer(rf"{pattern}({names})(?!\w)", code)})


class _Project:
    def __init__(self, root: Path) -> None:
        self.root = root
        files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
        self.texts = {path: _read(path) for path in files if ".git" not in path.relative_to(root).parts}
        self._by_name: dict[str, list[Path]] = {}
        for path in self.texts:
            self._by_name.setdefault(path.name, []).append(path)
        self.includes = {path: [match[2] for match in _INCLUDE.finditer(text)] for path, text in self.texts.items()}

    def included(self, path: Path) -> Iterator[Path]:
        """The files of the project that this file includes."""
        for name in self.includes[path]:
            near = path.parent / name
            if near in self.texts:
                yield near
                continue
            found = [each for each in self._by_name.get(Path(name).name, []) if each.as_posix().endswith(f"/{name}")]
            yield from found[:1]

    def order(self) -> list[Path]:
        """All files, each after those that it includes."""
        done: dict[Path, None] = {}
        begun: set[Path] = set()
        for first in self.texts:
            stack: list[tuple[Path, Iterator[Path]]] = [(first, self.included(first))] if first not in begun else []
            begun.add(first)
            while stack:
                path, rest = stack[-1]
                following = next((each for each in rest if each not in begun), None)
                if following is None:
                    done[path] = None
                    stack.pop()
                else:
                    begun.add(following)
                    stack.append((following, self.included(following)))
        return list(done)


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _see_synchronization(project: _Project, reached: dict[Path, set[str]]) -> set[Path]:
    """Files that include a header for synchronization, and those that such files include, maybe after that header."""
    seen = {path for path, headers in reached.items() if headers & _SYNCHRONIZATION}
    unread = list(seen)
    while unread:
        following = set(project.included(unread.pop())) - seen
        seen |= following
        unread += following
    return seen


def find(root: Path) -> list[Missing]:
    """What the files of a project use without including it, where a header for synchronization is included."""
    project = _Project(root)
    order = project.order()
    reached: dict[Path, set[str]] = {}
    for path in order:
        reached[path] = set(project.includes[path]).union(*(reached.get(each, set()) for each in project.included(path)))
    seen = _see_synchronization(project, reached)
    before: dict[Path, set[str]] = {}  # what every file that includes this one includes itself
    for path in seen:
        for each in project.included(path):
            own = set(project.includes[path])
            before[each] = before[each] & own if each in before else own
    missing = []
    provided: dict[Path, set[str]] = {}
    for path in order:
        headers = reached[path].union(*(provided.get(each, set()) for each in project.included(path)))
        if path in seen:
            code = _without_comments(project.texts[path])
            known = headers | (before.get(path, set()) if not reached[path] & _SYNCHRONIZATION else set())
            for rule in _RULES:
                header = rule[2]
                if not {header, _SAME.get(header, header)} & known and (names := _names(code, rule)):
                    missing.append(Missing(path, header, names))
                    headers.add(header)
        provided[path] = headers
    return missing


def _place(text: str) -> int:
    """The number of the line after which the includes go: the header for synchronization, or the first include."""
    lines = re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL).splitlines()
    depth, depths = 0, []
    for line in lines:
        condition = _CONDITION.match(line)
        depth -= bool(condition and condition[1] == "endif")
        depths.append(depth)
        depth += bool(condition and condition[1] == "if")
    found = [(number, match[2]) for number, line in enumerate(lines) if (match := _INCLUDE.match(line))]
    own = [number for number, name in found if name in _SYNCHRONIZATION] or [number for number, _ in found]
    if own:
        return min(own, key=lambda number: depths[number]) + 1
    pragma = [number for number, line in enumerate(lines) if line.strip() == "#pragma once"]
    return pragma[0] + 1 if pragma else 0


def _ported(text: str, headers: list[str]) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    place = _place(text)
    if place and not lines[place - 1].endswith("\n"):
        lines[place - 1] += end
    lines[place:place] = [f"#include <{header}>{end}" for header in headers]
    return "".join(lines)


def run(root: Path, write: bool) -> int:
    """Prints a patch, and to stderr what is missing. Returns 1 if there is a patch that is not written, otherwise 0."""
    if not root.exists():
        print(f"error: {root} does not exist", file=sys.stderr)
        return 2
    missing = find(root)
    files = list(dict.fromkeys(each.file for each in missing))
    base = root.parent if root.is_file() else root
    for path in files:
        text = _read(path)
        changed = _ported(text, sorted(each.header for each in missing if each.file == path))
        name = path.relative_to(base).as_posix()
        for each in (each for each in missing if each.file == path):
            print(f"{name}: <{each.header}> for {', '.join(each.names)}", file=sys.stderr)
        if write:
            path.write_bytes(changed.encode("utf-8", "surrogateescape"))
        else:
            diff = difflib.unified_diff(text.splitlines(True), changed.splitlines(True), f"a/{name}", f"b/{name}")
            for line in diff:
                whole = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
                sys.stdout.buffer.write(whole.encode("utf-8", "surrogateescape"))
    what = "changed" if write else "to change"
    print(f"{len(files)} files {what}, {sum(len(each.names) for each in missing)} names", file=sys.stderr)
    return int(bool(files) and not write)
