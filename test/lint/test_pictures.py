"""The pictures of the documentation: they are what the script draws, can be read, and name what the headers have."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import functools
import re

import pytest

import draw
import figures
import layout
import svg
from cudasync_tools.toolchain import INCLUDE, ROOT

PICTURES = ROOT / "docs" / "pictures"


def report(findings):
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)


@functools.cache
def drawn_once():
    return draw.drawn()


def test_pictures_are_what_the_script_draws():
    drawn = drawn_once()
    committed = {path.name: path.read_text(encoding="utf-8") for path in PICTURES.glob("*.svg")}
    names = sorted(name for name in drawn.keys() | committed.keys() if drawn.get(name) != committed.get(name))
    report([f"docs/pictures/{name}: run python3 docs/pictures/draw.py, and look at the picture" for name in names])


def test_pictures_can_be_read():
    report([f"{name}: {finding}" for name, text in drawn_once().items() for finding in layout.findings(text)])


def test_faults_of_a_picture_are_found():
    def faults(change):
        picture = svg.Picture("light", 100, "Title", "Description")
        picture.box(12, 12, 100, 24, ["fits"])
        change(picture)
        return "\n".join(layout.findings(picture.svg()))

    assert faults(lambda picture: None) == ""
    assert "overflows its box" in faults(lambda picture: picture.box(12, 60, 60, 24, ["much too long"]))
    assert "overflows the picture" in faults(lambda picture: picture.text(440, 60, "too long"))
    assert "overlaps" in faults(lambda picture: picture.text(60, 26, "and"))
    assert "drawn over" in faults(lambda picture: picture.rect(0, 20, 100, 40))
    assert "a line runs" in faults(lambda picture: picture.path([(0, 24), (200, 24)]))
    assert "third font size" in faults(lambda picture: picture.text(12, 60, "small", size=9))
    assert "contrast" in faults(lambda picture: picture.text(12, 60, "pale", color="green-deep"))
    assert "screen readers" in faults(lambda picture: setattr(picture, "description", ""))


def test_code_in_pictures_is_in_the_headers():
    headers = "\n".join(path.read_text("utf-8") for path in INCLUDE.rglob("*") if path.is_file())
    known = set(re.findall(r"\w+", headers)) | set(re.findall(r"\w+", " ".join(map(str, INCLUDE.rglob("*")))))
    unknown = []
    for name, picture in draw.PICTURES.items():
        for code in picture("light").codes:
            unknown += [
                f"{name}: {word} is in no header" for word in re.findall(r"\w+", code) if word not in known | {"1"}
            ]
    report(unknown)


def test_figures_of_a_changed_page():
    page = "# Page\n\n## Times\n\n| A | B |\n| --- | --- |\n| x | |\n| `y`, z | 1.5–2.5 |\n\nText.\n\n## Other\n"
    assert figures.table("Times", page) == [["A", "B"], ["x", ""], ["`y`, z", "1.5–2.5"]]
    assert (
        figures.span("1.5–2.5") == (1.5, 2.5) and figures.span("at most 1.29") == (None, 1.29) and not figures.span("")
    )
    with pytest.raises(ValueError, match="no section"):
        figures.table("Another", page)
    with pytest.raises(ValueError, match="no table"):
        figures.table("Other", page)
    with pytest.raises(ValueError, match="differ in length"):
        figures.table("Times", "## Times\n\n| A | B |\n| --- | --- |\n| x |\n")
    times = "## Compile time\n\n| Header | Ours | Theirs |\n| --- | --- | --- |\n"
    assert figures.compile_times(times + "| `<cuda/x>` | 1 s | |\n") == [("<cuda/x>", "1", "")]
    with pytest.raises(ValueError, match="compile times"):
        figures.compile_times(times + "| `<cuda/x>` | fast | |\n")
