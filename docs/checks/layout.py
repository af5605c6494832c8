#!/usr/bin/env python3
"""Opens every page of the built site in headless Chromium, and fails if a page is wider than its window, or very long."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The widths are those of telephones, tablets and common screens; each page is opened in light and in dark mode. The check also
# counts the code blocks that scroll sideways. With `--screenshots DIR` it takes screenshots, for people to look at.
# Without Chromium the check is skipped: it ends with exit code 77. `CHROMIUM` can name the program.

import argparse
import functools
import http.server
import json
import sys
import threading
from pathlib import Path

import chromium

WIDTHS = (360, 768, 800, 1024, 1263, 1366, 1440, 1503, 1653, 1920)
TELEPHONE, MOST_PIXELS = 390, 15000  # no page is longer on a telephone
COUNTED = 1440 - 15  # the width at which scrolling code is counted: a window without its scroll bar
SKIPPED = 77
TIME_LIMIT = 300  # seconds

# The screenshots: pages with all parts of the design, at the widths and heights of common windows.
PAGES = {
    "front": "index.html",
    "guide": "guide/barrier.html",
    "wide_code": "api/cuda_ptx.html#bulk-copies",
    "signatures": "api/atomic_functions.html",
    "tables": "design/measurements.html",
    "wide_table": "api/ptx.html#cudasync-ptx-cp-async-bulk-tensor-h",
    "examples": "guide/examples.html",
}
WINDOWS = ((360, 800), (768, 1024), (1024, 768), (1366, 768), (1440, 900), (1920, 1080))

# A page in a frame has the frame's width as its window. The slack is for rounding.
CHECKER = """<!doctype html><body style="margin:0"><iframe style="border:0;height:900px"></iframe><script>
const pages = PAGES, widths = WIDTHS, frame = document.querySelector("iframe"), wide = [], scrolling = [], tall = [];
async function check() {
  for (const page of pages) {
    frame.style.width = "1024px";
    await new Promise(done => { frame.onload = done; frame.src = "/" + page; });
    const inner = frame.contentDocument, blocks = [...inner.querySelectorAll(".highlight pre")];
    frame.style.width = "TELEPHONEpx";
    if (inner.documentElement.scrollHeight > MOST_PIXELS) tall.push({page, is: inner.documentElement.scrollHeight});
    for (const each of inner.querySelectorAll("details")) each.open = true;
    for (const theme of ["light", "dark"]) {
      inner.body.dataset.theme = theme;
      for (const width of widths) {
        frame.style.width = width + "px";
        const root = inner.documentElement, content = inner.querySelector("article");
        if (root.scrollWidth > root.clientWidth + 1 || !content || content.clientWidth < 0.6 * Math.min(width, 900) - 40) {
          const parts = [...inner.querySelectorAll("article *")].filter(each => each.getBoundingClientRect().right > width + 1);
          wide.push({page, theme, width, is: root.scrollWidth, text: content && content.clientWidth,
                     what: parts.slice(0, 3).map(each => each.outerHTML.slice(0, 100))});
        }
      }
    }
    frame.style.width = "COUNTEDpx";
    scrolling.push({page, blocks: blocks.length, scroll: blocks.filter(each => each.scrollWidth > each.clientWidth + 1).length});
  }
  await fetch("/report", {method: "POST", body: JSON.stringify({wide, scrolling, tall})});
}
check();
</script>"""


class Server(http.server.ThreadingHTTPServer):
    """Has what the checker's page is, and gets what it finds."""

    checker = ""
    findings = None

    def __init__(self, site):
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=site))
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.is_done = threading.Event()


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site and the checker's page, and receives what it finds."""

    server: Server

    def do_GET(self):
        if self.path != "/checker":
            return super().do_GET()
        body = self.server.checker.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def do_POST(self):
        self.server.findings = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.is_done.set()

    def log_message(self, *_):
        pass


def served(site):
    """A server of the site on this machine, in a thread of its own."""
    server = Server(site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def check(program, server, pages):
    """The findings of the checker's page, or None if it did not report in time."""
    server.checker = CHECKER.replace("PAGES", json.dumps(pages)).replace("WIDTHS", json.dumps(WIDTHS))
    for name in ("COUNTED", "TELEPHONE", "MOST_PIXELS"):
        server.checker = server.checker.replace(name, str(globals()[name]))
    with chromium.started(program, f"{server.origin}/checker"):
        server.is_done.wait(TIME_LIMIT)
    return server.findings


def take_screenshots(program, server, folder):
    """Writes NAME-WIDTH-THEME.png of each page of the list; returns whether all were written."""
    folder.mkdir(parents=True, exist_ok=True)
    views = [
        (path, *window, theme, folder / f"{name}-{window[0]}-{theme}.png")
        for name, path in PAGES.items()
        for window in WINDOWS
        for theme in ("light", "dark")
    ]
    is_done = chromium.screenshots(program, server.origin, views, TIME_LIMIT)
    print(f"{len(views)} screenshots: {folder.resolve()}" if is_done else "not all screenshots were taken")
    return is_done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="the folder of the built site")
    parser.add_argument("--screenshots", type=Path, metavar="DIR", help="also write screenshots of some pages to this folder")
    options = parser.parse_args()
    program = chromium.find()
    if not program:
        print(f"skipped: no Chromium on PATH ({', '.join(chromium.NAMES)}); CHROMIUM can name one")
        return SKIPPED
    pages = sorted(
        path.relative_to(options.site).as_posix() for path in options.site.rglob("*.html") if "_static" not in path.parts
    )
    if not pages:
        print(f"{options.site} has no pages")
        return 1
    with served(options.site) as server:
        findings = check(program, server, pages)
        has_screenshots = not options.screenshots or take_screenshots(program, server, options.screenshots)
        server.shutdown()
    if findings is None:
        print(f"{program} reported nothing in {TIME_LIMIT} s")
        return 1
    for finding in findings["wide"]:
        print(f"{finding['page']}, {finding['theme']}, window of {finding['width']} pixels: the page has {finding['is']}, "
              f"the text {finding['text']}: {' '.join(finding['what'])}")
    for finding in findings["tall"]:
        print(f"{finding['page']}: {finding['is']} pixels at a width of {TELEPHONE}: fold a table or a program with <details>")
    scrolling = {each["page"]: each["scroll"] for each in findings["scrolling"] if each["scroll"]}
    print(f"{sum(scrolling.values())} of {sum(each['blocks'] for each in findings['scrolling'])} code blocks scroll sideways "
          f"at 1440 pixels" + "".join(f"; {page}: {count}" for page, count in scrolling.items()))
    print(f"{len(pages)} pages, {len(WIDTHS)} widths, light and dark: {len(findings['wide'])} do not fit")
    return 1 if findings["wide"] or findings["tall"] or not has_screenshots else 0


if __name__ == "__main__":
    sys.exit(main())
