"""A picture as SVG: its shapes, two themes, two font sizes, and how wide its text may become."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from xml.sax.saxutils import escape

WIDTH = 480  # units of the view box; a unit is 0.75 px in a column of 360 px
MARGIN = 12
SMALL, LARGE = 14, 17
SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace"

# After the palette of Okabe and Ito, which people with color vision deficiencies can tell apart. Each hue is a fill for
# text ("-fill") and a line. A shape's meaning never depends on its color alone.
THEMES = {
    "light": {
        "paper": "#ffffff", "panel": "#f3f5f7", "edge": "#8a929b", "ink": "#1b1f24", "quiet": "#57606a",
        "blue": "#0072b2", "blue-fill": "#dcebf7", "orange": "#b35900", "orange-fill": "#fdebcf",
        "green": "#007a5a", "green-fill": "#dff3ea", "green-deep": "#a9dcc6",
        "red": "#b3261e", "red-fill": "#fbe3dc", "purple": "#8f3f78",
    },
    "dark": {
        "paper": "#14181f", "panel": "#1f2630", "edge": "#66707c", "ink": "#e6edf3", "quiet": "#a3adb8",
        "blue": "#56b4e9", "blue-fill": "#15354c", "orange": "#e69f00", "orange-fill": "#45310c",
        "green": "#2fbf94", "green-fill": "#12372c", "green-deep": "#1f6650",
        "red": "#ff8a70", "red-fill": "#50231b", "purple": "#d88fc0",
    },
}  # fmt: skip

# The widths of DejaVu Sans, the widest of the fonts that browsers are likely to take, rounded up; in em.
_EM = {
    0.3: "'IJijl", 0.35: " ,./:;\\|·", 0.4: "()-[]ft", 0.45: "!r", 0.5: '"*_`–', 0.55: "?csz", 0.6: "FLkvxy",
    0.65: "$0123456789EPSTYabdeghnopqu{}µ", 0.7: "ABCKRVXZ", 0.75: "NU", 0.8: "&DGHOQ", 0.85: "#+<=>^w~×→−≤",
    0.9: "M", 0.95: "%", 1.0: "@Wm…",
}  # fmt: skip
_EM_OF = {character: em for em, characters in _EM.items() for character in characters}
_BOLD = 1.12
_MONO_EM = 0.61


def text_width(words, size, code=False, bold=False):
    """An upper bound of the width of a line of text."""
    em = _MONO_EM * len(words) if code else sum(_EM_OF.get(character, 1.0) for character in words)
    return em * size * (_BOLD if bold and not code else 1)


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Code(str):
    """A line of text in the font of code."""


class Quiet(str):
    """A line of text of less weight."""


class Picture:
    """Collects shapes. y grows downward; a text's y is that of its vertical center."""

    def __init__(self, theme, height, title, description):
        self.colors = THEMES[theme]
        self.height = height
        self.title = title
        self.description = description
        self.shapes = []
        self.codes = []  # the texts in the font of code

    def add(self, name, body=None, **attributes):
        words = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
        self.shapes.append(f"<{name}{words}/>" if body is None else f"<{name}{words}>{escape(body)}</{name}>")

    def rect(self, x, y, width, height, fill="panel", line=None, radius=4, dash=False):
        attributes = {"x": number(x), "y": number(y), "width": number(width), "height": number(height)}
        attributes |= {"rx": radius, "fill": self.colors[fill] if fill else "none"}
        if line:
            attributes |= {"stroke": self.colors[line], "stroke_width": "1.5"}
        if dash:
            attributes["stroke_dasharray"] = "4 3"
        self.add("rect", **attributes)

    def text(self, x, y, words, size=SMALL, anchor="start", color=None, bold=False):
        is_code = isinstance(words, Code)
        if is_code:
            self.codes.append(str(words))
        color = color or ("quiet" if isinstance(words, Quiet) else "ink")
        attributes = {"x": number(x), "y": number(y + 0.36 * size), "font_size": size}
        if anchor != "start":
            attributes["text_anchor"] = anchor
        if bold:
            attributes["font_weight"] = "bold"
        if is_code:
            attributes["font_family"] = MONO
        self.add("text", str(words), fill=self.colors[color], **attributes)

    def lines(self, x, y, texts, leading=18, **options):
        """Lines of text, the first centered at y."""
        for index, words in enumerate(texts):
            self.text(x, y + index * leading, words, **options)

    def heading(self, y, words):
        self.text(MARGIN, y, words, size=LARGE, bold=True)

    def box(self, x, y, width, height, texts=(), fill="panel", line="edge", dash=False, leading=18, bold=False):
        """A box with lines of text in its middle."""
        self.rect(x, y, width, height, fill, line, dash=dash)
        top = y + height / 2 - (len(texts) - 1) * leading / 2
        self.lines(x + width / 2, top, texts, leading, anchor="middle", bold=bold)

    def path(self, points, color="edge", width=1.5, dash=False, arrow=False):
        """Straight lines through the points, with an arrowhead at the last one."""
        *before, (x, y) = points
        attributes = {"points": " ".join(f"{number(px)},{number(py)}" for px, py in points), "fill": "none"}
        attributes |= {"stroke": self.colors[color], "stroke_width": number(width)}
        if dash:
            attributes["stroke_dasharray"] = "4 3"
        self.add("polyline", **attributes)
        if arrow:
            dx, dy = x - before[-1][0], y - before[-1][1]
            length = (dx * dx + dy * dy) ** 0.5
            dx, dy = dx / length, dy / length
            corners = [(x, y), (x - 8 * dx - 4 * dy, y - 8 * dy + 4 * dx), (x - 8 * dx + 4 * dy, y - 8 * dy - 4 * dx)]
            self.polygon(corners, color)

    def polygon(self, corners, color, line=None):
        attributes = {"points": " ".join(f"{number(x)},{number(y)}" for x, y in corners), "fill": self.colors[color]}
        if line:
            attributes |= {"stroke": self.colors[line], "stroke_width": "1.5"}
        self.add("polygon", **attributes)

    def dot(self, x, y, radius=5, fill="blue", line=None):
        attributes = {"cx": number(x), "cy": number(y), "r": number(radius), "fill": self.colors[fill]}
        if line:
            attributes |= {"stroke": self.colors[line], "stroke_width": "1.5"}
        self.add("circle", **attributes)

    def cross(self, x, y, color="red"):
        self.path([(x - 6, y - 6), (x + 6, y + 6)], color, 2.5)
        self.path([(x - 6, y + 6), (x + 6, y - 6)], color, 2.5)

    def svg(self):
        shown = 7 / 6  # as wide as a column of text
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(WIDTH * shown)}" height="{number(self.height * shown)}"'
            f' viewBox="0 0 {WIDTH} {number(self.height)}" font-family="{SANS}" role="img"'
            ' aria-labelledby="title description">',
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="description">{escape(self.description)}</desc>',
            f'<rect width="{WIDTH}" height="{number(self.height)}" rx="8" fill="{self.colors["paper"]}"/>',
        ]
        return "\n".join([*head, *self.shapes, "</svg>\n"])
