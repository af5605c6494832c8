"""Words of a report."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

from collections.abc import Iterable

_MOST_RANGES = 8


def counted(number: int, what: str) -> str:
    """2 arrivals."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def has(number: int) -> str:
    """2 have arrived."""
    return "has" if number == 1 else "have"


def spans(ranks: Iterable[int]) -> list[list[int]]:
    """[[0, 36], [38, 255]]"""
    parts: list[list[int]] = []
    for rank in sorted(ranks):
        if parts and parts[-1][1] == rank - 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    return parts


def ranges(ranks: Iterable[int]) -> str:
    """threads 0-36, 38-255"""
    parts = spans(ranks)
    text = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in parts[:_MOST_RANGES])
    more = sum(last - first + 1 for first, last in parts[_MOST_RANGES:])
    is_one = len(parts) == 1 and parts[0][0] == parts[0][1]
    return f"thread{'' if is_one else 's'} {text}" + (f" and {more} more" if more else "")
