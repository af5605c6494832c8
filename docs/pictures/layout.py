"""Finds what is wrong with the layout of a picture, in the SVG itself: text that overflows or overlaps, or is hard to read."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import xml.etree.ElementTree as xml
from itertools import combinations

from svg import LARGE, MARGIN, SMALL, text_width

SVG = "{http://www.w3.org/2000/svg}"
CONTRAST = 4.5  # WCAG 2, level AA
SLACK = 1  # units that a line of text may come closer to a border than its box says


class Box:
    def __init__(self, left, top, right, bottom, fill=None):
        self.left, self.top, self.right, self.bottom, self.fill = left, top, right, bottom, fill

    def overlaps(self, other):
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def holds(self, other):
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.top <= other.top
            and other.bottom <= self.bottom
        )


def _text_box(element):
    size = float(element.get("font-size"))
    width = text_width(
        element.text, size, code=element.get("font-family") is not None, bold=element.get("font-weight") == "bold"
    )
    x, y = float(element.get("x")), float(element.get("y"))
    left = x - width * {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")]
    return Box(left, y - 0.75 * size + SLACK, left + width, y + 0.22 * size - SLACK)


def _rect_box(element):
    x, y, width, height = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
    return Box(x, y, x + width, y + height, element.get("fill"))


def _segments(element):
    points = [tuple(map(float, point.split(","))) for point in element.get("points").split()]
    return [Box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])) for a, b in zip(points, points[1:])]


def _luminance(color):
    parts = [int(color[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def findings(text):
    """A line for each fault of an SVG that draw.py has written."""
    root = xml.fromstring(text)
    if root.get("role") != "img" or any(not root.findtext(SVG + name) for name in ("title", "desc")):
        yield "no role, title or description for screen readers"
    _, _, width, height = map(float, root.get("viewBox").split())
    page = Box(MARGIN / 2, MARGIN / 2, width - MARGIN / 2, height - MARGIN / 2)
    texts, rects = [], []
    for element in root:  # in the order of drawing
        if element.tag == SVG + "rect":
            rects.append(_rect_box(element))
            for words, box, _ in texts:
                if rects[-1].overlaps(box) and rects[-1].fill != "none":
                    yield f"`{words}`: a shape is drawn over it"
        elif element.tag == SVG + "text":
            box, words = _text_box(element), element.text
            if float(element.get("font-size")) not in (SMALL, LARGE):
                yield f"`{words}`: a third font size"
            if not page.holds(box):
                yield f"`{words}` overflows the picture"
            under = [rect for rect in rects if rect.overlaps(box)]
            if any(not rect.holds(box) for rect in under):
                yield f"`{words}` overflows its box"
            paper = [rect.fill for rect in under if rect.fill != "none"][-1]
            if contrast(element.get("fill"), paper) < CONTRAST:
                yield f"`{words}`: too little contrast, {contrast(element.get('fill'), paper):.1f}"
            texts.append((words, box, len(rects)))
    for (words, box, _), (others, other, _) in combinations(texts, 2):
        if box.overlaps(other):
            yield f"`{words}` overlaps `{others}`"
    drawn = 0
    for element in root:
        drawn += element.tag == SVG + "rect"
        if element.tag == SVG + "polyline":
            for words, box, order in texts:
                covered = any(rect.holds(box) for rect in rects[drawn:order])
                if not covered and any(segment.overlaps(box) for segment in _segments(element)):
                    yield f"`{words}`: a line runs through it"
