"""The index of names and the cheat sheet are up to date, and each name has the version that first had it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

import names
from cudasync_tools import api_names, headers
from cudasync_tools.toolchain import INCLUDE, ROOT


def test_pages_are_up_to_date():
    for page in (names.INDEX, names.SHEET):
        text = page.read_text(encoding="utf-8")
        assert names.written(text) == text, "run python3 docs/names.py"


def test_a_stale_index_is_found():
    text = names.INDEX.read_text(encoding="utf-8")
    changed = text.replace("| 0.1.0 |", "| 0.0.9 |", 1)
    assert changed != text and names.written(changed) == text


def test_each_name_has_a_version():
    known, found = names.since(), {each.name for each in names.names()}
    assert len(found) > 350
    assert not found - set(known), f"add to {names.SINCE.name}, below the version that will be released next"
    assert not set(known) - found, f"{names.SINCE.name} has names that no page describes"


def test_public_names_are_in_the_index():
    """Functions and classes outside of classes: the headings of the pages name them, or an enumeration that has them."""
    found = {each.name.rpartition("::")[2] for each in names.names()}
    sections = [section for section in api_names.api_sections() if names.words(section.title) or "numerations" in section.title]
    shown = {name for section in sections for name in section.names}
    missing = {name for _, name in api_names.exported()} - found - shown - api_names.HELPERS
    assert not missing, f"no heading has {sorted(missing)}"


def reached(header):
    """The words of a header and of all headers of ours that it includes."""
    seen, unread = set(), [header]
    while unread:
        name = unread.pop()
        if name not in seen and (INCLUDE / name).is_file():
            seen.add(name)
            unread += headers.includes_of(name)
    return {word for name in seen for word in re.findall(r"\w+", (INCLUDE / name).read_text(encoding="utf-8"))}


def test_headers_declare_the_names():
    words: dict = {}
    wrong = []
    for each in names.names():
        header = names.header(each.page, each.name).strip("<>")
        if header not in words:
            words[header] = reached(header)
        last = each.name.rpartition("::")[2]
        if last not in words[header] and not last.endswith("_"):
            wrong.append(f"{header} does not have {each.name}")
    assert not wrong, "\n".join(wrong)


def messages(text):
    """The texts of this library that a page quotes."""
    return [each for each in re.findall(r"`cudasync: ([^`]*)`", text) if "…" not in each]


def test_quoted_messages_exist():
    everything = " ".join(path.read_text(encoding="utf-8") for path in INCLUDE.rglob("*") if path.is_file())
    page = (ROOT / "docs/guide/troubleshooting.md").read_text(encoding="utf-8")
    assert len(messages(page)) >= 4
    assert not [each for each in messages(page) if each not in everything]
