"""Links in Markdown files lead to files of the project, and to headings that exist."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import re

from cudasync_tools.toolchain import ROOT
from test_project import project_files, report

LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)|(?:src|srcset|href)=\"([^\"]+)\"")
FENCED = re.compile(r"^(?:```.*?^```$|<!--.*?-->)", re.MULTILINE | re.DOTALL)


def anchors(text):
    """The anchors that code hosts give to headings: of equal ones, all but the first have a number."""
    found, times = set(), collections.Counter()
    for heading in re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.MULTILINE):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.add(anchor + (f"-{times[anchor]}" if times[anchor] else ""))
        times[anchor] += 1
    return found


def broken(path, text):
    """The links of a page that lead nowhere."""
    for link in ("".join(words) for words in LINK.findall(FENCED.sub("", text))):
        name, _, anchor = link.partition("#")
        if re.match(r"https?:|mailto:", link):
            continue
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            yield f"{link}: no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{link}: no such heading"


def test_links():
    pages = [path for path in project_files() if path.suffix == ".md"]
    assert len(pages) > 30
    report([f"{page.relative_to(ROOT)}: {finding}" for page in pages for finding in broken(page, page.read_text(encoding="utf-8"))])


def test_broken_links_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One `two`, three\n## Twice\n## Twice\n")
    good = "[a](page.md#one-two-three) [b](#twice-1) [c](https://example.org/x#y)"
    assert not list(broken(page, good + page.read_text()))
    assert len(list(broken(page, "[a](page.md#two) [b](other.md)"))) == 2


NAME = re.compile(r"`((?:[\w.*]|\{[\w,]+\})+/(?:[\w./*]|\{[\w,]+\})+\.(?:h|cu|cpp|py))`")
FOLDERS = ("test", "test/gpu", ".", "tools/cudasync_tools", "include/cudasync", "include/cudasync/backend", "include", "benchmarks")


def each_of_braces(name):
    """a/{b,c}.h names a/b.h and a/c.h."""
    if not (match := re.search(r"\{([\w,]+)\}", name)):
        return [name]
    return [each for word in match[1].split(",") for each in each_of_braces(name.replace(match[0], word))]


def test_files_of_design_pages_exist():
    """As tests that evidence names. A page may leave out the folder of all of them."""
    named = [(page, name) for page in sorted((ROOT / "docs/design").rglob("*.md")) for name in NAME.findall(page.read_text(encoding="utf-8"))]
    assert len(named) > 150
    absent = {
        f"{page.relative_to(ROOT)}: {each}"
        for page, name in named
        for each in each_of_braces(name)
        if not any(next((ROOT / folder).glob(each), None) for folder in FOLDERS)
    }
    report(sorted(absent))


def unlisted(index):
    """The pages that an index must list and does not: those of its folder and of folders below that have no index."""
    listed = {(index.parent / "".join(words).partition("#")[0]).resolve() for words in LINK.findall(index.read_text(encoding="utf-8"))}
    for page in sorted(index.parent.rglob("*.md")):
        nearest = next(folder for folder in page.parents if (folder / "index.md").exists())
        owner = nearest if page.name != "index.md" else nearest.parent
        if page != index and page not in listed and owner == index.parent:
            yield page


def test_each_page_is_listed():
    indexes = sorted((ROOT / "docs").rglob("index.md"))
    assert len(indexes) > 1
    report([f"{page.relative_to(ROOT)}: add a line to {index.relative_to(ROOT)}" for index in indexes for page in unlisted(index)])


def test_unlisted_pages_are_found(tmp_path):
    for name, text in (("index.md", "[a](a.md) [b](below/index.md)"), ("a.md", ""), ("c.md", ""), ("below/index.md", ""), ("below/d.md", "")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert [page.name for page in unlisted(tmp_path / "index.md")] == ["c.md"]
    assert [page.name for page in unlisted(tmp_path / "below/index.md")] == ["d.md"]


SPHINX_ONLY = re.compile(r"\{[\w:-]+\}`|^:::|^ *```\{|^\(\w[\w-]*\)=|^\.\. \w", re.MULTILINE)


def test_pages_read_well_without_sphinx():
    findings = []
    for page in (path for path in project_files() if path.suffix == ".md"):
        text = re.sub(r"^```\w.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        findings += [f"{page.relative_to(ROOT)}: {found}: only Sphinx understands this" for found in SPHINX_ONLY.findall(text)]
    report(findings)


def test_syntax_of_sphinx_is_found():
    assert all(SPHINX_ONLY.search(text) for text in ("{ref}`x`", "a\n```{toctree}\n", "(label)=\n", "::: note", ".. note::"))
    assert not any(SPHINX_ONLY.search(text) for text in ("barrier{}`x`", "```cuda\n", "(a) = b", "a ... b"))
