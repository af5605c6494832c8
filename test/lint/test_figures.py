"""No number with a unit is typed: it follows from the measured times, or it is in a list of facts with its source."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

import pytest

import measurements
import tables
import text_figures
from cudasync_tools import pages
from cudasync_tools.toolchain import ROOT

# Records of runs and experiments name the GPU and the version next to their numbers. They are not claims about the library
# of today. Released sections of the changelog do not change either. docs/atlas.py writes the page of the atlas.
DATED = ("evidence.md", "litmus.md", "schedules.md", "axioms.md")
RECORDS = ("docs/design/atlas.md", "docs/design/decisions/", *(f"docs/design/{name}" for name in DATED))
PATHS = [path for path in pages.paths() if not path.relative_to(ROOT).as_posix().startswith(RECORDS)]
# A number, or a range, with a unit of time or memory or as a ratio; a number with two decimals is a ratio.
NUMBER = r"(?<![\w./])\d[\d,]*(?:\.\d+)?"
UNIT = r"(?:times|µs|ns|ms|s|seconds|minutes|hours?|cycles|%|KB|MB|GB|MiB|TFLOP/s)"
FIGURE = re.compile(rf"{NUMBER}(?:(?: to |–| and | or |/){NUMBER})? {UNIT}(?!\w)|{NUMBER}(?<=\.\d\d)(?![\w.])")


def typed(text):
    """The numbers of a page that are neither computed nor known facts."""
    for program in (measurements.PROGRAM, tables.PROGRAM):
        text = pages.parts(program).sub("\n", text)
    text = re.sub(r"^```.*?^```$|^## \d.*", "", text.split("\n## 0.")[0], flags=re.MULTILINE | re.DOTALL)
    text = text_figures.MARK.sub("", text)
    text = re.sub(r"<!--.*?-->|<img[^>]*>|`[^`]*`", "", text, flags=re.DOTALL)
    text = " ".join(text.split())
    for fact in sorted(text_figures.FACTS, key=len, reverse=True):
        text = text.replace(fact, "")
    return [match[0] for match in FIGURE.finditer(text)]


def test_no_figure_is_typed_by_hand():
    findings = {path.relative_to(ROOT).as_posix(): typed(path.read_text(encoding="utf-8")) for path in PATHS}
    report = "\n".join(f"{page}: {', '.join(found)}: write <!-- figure: NAME --><!-- -->, or add it to FACTS" for page, found in findings.items() if found)
    if report:
        pytest.fail(report, pytrace=False)


def test_a_typed_figure_is_found():
    assert typed("It takes 1.05 times as long, or 28 cycles.") == ["1.05 times", "28 cycles"]
    assert typed("0.79 to\n0.86 times, 7 % or 1.14") == ["0.79 to 0.86 times", "7 %", "1.14"]
    assert typed("On sm_90, `1.05` with 64 threads of CUDA 12.4, and <!-- figure: grid -->0.60<!-- --> times") == []


def test_figures_are_up_to_date():
    used = set()
    for path in pages.paths():
        text = path.read_text(encoding="utf-8")
        used |= {mark["name"] for mark in text_figures.MARK.finditer(text)}
        assert text_figures.written(text) == text, f"{path.name}: run python3 docs/measurements.py"
        assert text.count("<!-- figure") == len(text_figures.MARK.findall(text)), f"{path.name}: <!-- figure: NAME -->TEXT<!-- -->"
        assert not re.search(r"^\s*(?:- )?<!-- figure", text, re.MULTILINE), f"{path.name}: a line that begins with the comment is no paragraph"
    in_parts = {"barrier", "ring-bulk", "grid", "gpu"}  # the table in README.md
    assert used | in_parts >= set(text_figures.FIGURES), "a number that no page has"


def test_a_stale_figure_is_found():
    text = "It takes <!-- figure: grid -->9.99 to 9.99<!-- --> times as long."
    assert text_figures.written(text) != text and text_figures.written(text_figures.written(text)) == text_figures.written(text)


@pytest.mark.parametrize("fact", text_figures.FACTS)
def test_facts_of_the_project(fact):
    """A fact about the library names the file and the text that it follows from."""
    file, found, words = text_figures.FACTS[fact].partition(": ")
    if found and (ROOT / file).is_file():
        assert words in " ".join((ROOT / file).read_text(encoding="utf-8").split()), f"{file} does not have {words!r}"
    else:
        assert not file.startswith(("include/", "test/", "docs/", "tools/", "examples/")), f"{file}: no such file"


def test_facts_are_used():
    text = " ".join(" ".join(path.read_text(encoding="utf-8").split()) for path in PATHS)
    assert not [fact for fact in text_figures.FACTS if fact not in text]
