"""The prose of the pages: no sentence is too long to read at once, and words that native writers do not use do not return."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re

import measurements
import tables
from cudasync_tools import pages
from cudasync_tools.toolchain import ROOT
from test_project import report

MOST_WORDS = 36
UNIDIOMATIC = ("to and fro", "with its namesakes", "in an orderly way", "a way out", "shown here with the texts", "are counted down", "does not fit the role")


def prose(text):
    """The paragraphs and items of a page, without code, tables, pictures, headings and parts that a program writes."""
    for program in (measurements.PROGRAM, tables.PROGRAM, "docs/names.py", "docs/ways.py"):
        text = pages.parts(program).sub("\n\n", text)
    text = re.sub(r"^```.*?^```", "\n\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!-- figure: gpu -->.*?<!-- -->", "", text)
    text = re.sub(r"<!--.*?-->|<picture>.*?</picture>", "", text, flags=re.DOTALL)
    text = re.sub(r"^(?:#.*|\|.*|<.*)$", "\n", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
        yield re.sub(r"^(?:[-*] )?\*\*.*?\*\* ", "", re.sub(r"`[^`]*`", "x", words))


def long_sentences(text):
    for paragraph in prose(text):
        for sentence in re.split(r"(?<=[.!?:])\s+", paragraph):
            count = len(re.findall(r"[\w'’-]+", sentence))
            if count > MOST_WORDS:
                yield f"{count} words: {sentence[:100]} …"


def unidiomatic(text):
    joined = " ".join(prose(text))
    return [words for words in UNIDIOMATIC if words in joined]


def test_sentences_are_short():
    report([f"{path.relative_to(ROOT)}: {found}" for path in pages.paths() for found in long_sentences(path.read_text(encoding="utf-8"))])


def test_phrases():
    report([f"{path.relative_to(ROOT)}: {found}" for path in pages.paths() for found in unidiomatic(path.read_text(encoding="utf-8"))])


def test_a_long_sentence_is_found():
    long = " ".join(["word"] * (MOST_WORDS + 1))
    assert len(list(long_sentences(f"# {long}\n\n{long}.\n\n- item: {long}\n| {long} |\n```text\n{long}\n```\n"))) == 2
    assert not list(long_sentences(f"{' '.join(['word'] * MOST_WORDS)}. `{long}` another.\n"))
    assert unidiomatic("A value goes to\nand fro.") == ["to and fro"]
