"""The settings of Sphinx."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(__file__).resolve().parent / "extensions"))

config = (ROOT / "include/cudasync/core/config.h").read_text(encoding="utf-8")
project = "cudasync"
author = "The cudasync authors"
release = ".".join(re.search(rf"CUDASYNC_VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH"))

extensions = ["myst_parser", "sphinx_copybutton", "cudasync_sources"]
exclude_patterns = ["checks", "extensions", "style", "pictures"]
myst_heading_anchors = 5  # the anchors that code hosts make of headings, too
nitpicky = True

html_theme = "furo"
html_title = f"cudasync {release}"
pygments_dark_style = "github-dark"  # furo's own underlines the names of types, which then look like links
html_show_copyright = False
html_static_path = ["style"]
html_css_files = ["cudasync.css"]
copybutton_prompt_text = "$ "
