"""The API pages: every public name is documented, with all that a user must know; what is made from the headers is up to date."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

import pytest

import tables
from cudasync_tools import api_names, cpp, pages


def test_tables_are_up_to_date():
    found = list(tables.own_pages())
    assert {name for _, text in found for name in pages.names(tables.PROGRAM, text)} == set(tables.PARTS)
    old = [path.name for path, text in found if tables.written(text) != text]
    if old:
        pytest.fail(f"run python3 docs/tables.py: {', '.join(old)}", pytrace=False)


def test_a_stale_table_is_found():
    _, text = next(iter(tables.own_pages()))
    changed = text.replace("PTX ISA 6.0", "PTX ISA 5.0")
    assert changed != text and tables.written(changed) == text


# What a page says about each function and class: in the section of the name, or in a section that encloses it.
FACTS = {
    "Preconditions": "its preconditions",
    "Memory ordering": "Memory ordering",
    "Errors": "what misuse gets",
    "Instructions?": "its instructions",
    "Cost": "its cost",
}
PARAMETER = re.compile(r"^- `\w+`(, `\w+`)*: ", re.MULTILINE)

SECTIONS = api_names.api_sections()
DECLARED = api_names.declared()
OUTSIDE = sorted((DECLARED[""] | {name for _, name in api_names.exported()}) - api_names.HELPERS)
CLASSES = sorted(
    name
    for name in DECLARED
    if name
    and DECLARED[name] - api_names.INTERNAL.get(name, set())
    and name not in api_names.HELPERS - set(api_names.DOCUMENTED_AS)
)
CODE = "\n".join(block.code for block in pages.blocks() if block.language == "cuda" or block.is_program())


def documented(name):
    return [section for section in SECTIONS if name in section.names]


def undocumented(name, found):
    """What the sections that declare a name lack."""
    if not found:
        return [f"{name}: no page of docs/api has its signature"]
    section = found[0]
    missing = [text for label, text in FACTS.items() if not any(says(each, label) for each in found)] if section.has_functions else []
    return [f"{name}: {section.page} does not say {text}" for text in missing]


def says(section, label):
    """Whether a section has a fact. A list of parameters, in the section itself, also states preconditions."""
    return section.states(label) or label == "Preconditions" and PARAMETER.search(section.text)


def is_in_an_example(name):
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", CODE)


def report(findings):
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)


def test_public_names():
    assert len(OUTSIDE) > 140
    report([finding for name in OUTSIDE for finding in undocumented(name, documented(name))])


def test_functions_of_the_trace():
    found = [section for section in SECTIONS if section.page == "trace.md"]
    report([finding for name in ("save", "clear") for finding in undocumented(name, [each for each in found if name in each.names])])


def test_members():
    findings = []
    for owner in CLASSES:
        chapters = [page.chapter() for word in api_names.DOCUMENTED_AS.get(owner, (owner,)) for page in documented(word)]
        within = [section for section in SECTIONS if section.chapter() in chapters]
        for name in sorted(DECLARED[owner] - api_names.INTERNAL.get(owner, set())):
            if name in api_names.DOCUMENTED_AS or name.startswith("~") or name == owner in api_names.DOCUMENTED_AS:
                continue
            found = [section for section in within if name in section.names]
            findings += [f"{owner}::{finding}" for finding in undocumented(name, found)]
    report(findings)


def test_every_name_is_in_a_compiled_example():
    names = {*OUTSIDE, *(name for owner in CLASSES for name in DECLARED[owner] - api_names.INTERNAL.get(owner, set()))}
    words = sorted(name for name in names if re.fullmatch(r"[a-z]\w*", name) and name not in ("conversion", "operator"))
    assert len(words) > 230
    report([f"{name} is in no code block that a test compiles" for name in words if name not in api_names.DOCUMENTED_AS and not is_in_an_example(name)])


def test_editors_have_a_text_to_show():
    findings = [f"{name}:{line}: {fault}" for name, line, fault in api_names.without_comment()]
    report(findings + [f"{name}: {word}: no comment above it" for name, word in api_names.exported_types_without_comment()])


def test_a_comment_without_a_description_is_found():
    def faults(comment):
        return [fault for _, _, fault in api_names.faulty_comment("x.h", f"{comment}\nvoid open();\n", comment.count("\n") + 2, "open")]

    assert not faults("// Opens the box.")
    assert not faults("// clang-format on\n\n// Opens the box. The same box may be opened twice.")
    for comment in ("// clang-format on", "// --- Boxes ---\n// Opens the box.", "// As above, for boxes.", "// The same for boxes.", "// Opens the box.\n"):
        assert len(faults(comment)) == 1, comment


def test_what_is_undocumented_is_found():
    text = "# Page\n**Errors.** None.\n## `one`\n```cpp\nvoid one();\n```\n**Cost.** Much.\n## `two`\n```cpp\nenum two { a, b };\n```\n"
    _, one, two = api_names.sections("page.md", text)
    assert one.names == {"one"} and two.names == {"two", "a", "b"}
    assert len(undocumented("one", [one])) == 3 and not undocumented("two", [two]) and len(undocumented("three", [])) == 1
    members = cpp.names_of("class box : public base {\n int inner_;\n public:\n CUDASYNC_API void open() {}\n private:\n void shut();\n};\n")
    assert members == {"": {"box"}, "box": {"open"}}
