#!/usr/bin/env python3
"""Opens every page of the built site in headless Chromium, and fails if a page is wider than its window."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The widths are those of telephones, tablets and common screens; each page is opened in light and in dark mode. Without a
# Chromium the check is skipped: it ends with exit code 77. `CHROMIUM` may name the program.

import argparse
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

WIDTHS = (360, 768, 800, 1024, 1263, 1366, 1440, 1503, 1653, 1920)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SKIPPED = 77
TIME_LIMIT = 300  # seconds

# A page in a frame has the frame's width as its window. The slack is for rounding.
CHECKER = """<!doctype html><body style="margin:0"><iframe style="border:0;height:900px"></iframe><script>
const pages = PAGES, widths = WIDTHS, frame = document.querySelector("iframe"), findings = [];
async function check() {
  for (const page of pages) {
    frame.style.width = "1024px";
    await new Promise(done => { frame.onload = done; frame.src = "/" + page; });
    const inner = frame.contentDocument;
    for (const theme of ["light", "dark"]) {
      inner.body.dataset.theme = theme;
      for (const width of widths) {
        frame.style.width = width + "px";
        const root = inner.documentElement, content = inner.querySelector("article");
        if (root.scrollWidth > root.clientWidth + 1 || !content || content.clientWidth < 0.6 * Math.min(width, 900) - 40) {
          const wide = [...inner.querySelectorAll("article *")].filter(each => each.getBoundingClientRect().right > width + 1);
          findings.push({page, theme, width, is: root.scrollWidth, text: content && content.clientWidth,
                         what: wide.slice(0, 3).map(each => each.outerHTML.slice(0, 100))});
        }
      }
    }
  }
  await fetch("/report", {method: "POST", body: JSON.stringify(findings)});
}
check();
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site and the checker's page, and receives what it finds."""

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


def check(program, site, pages):
    """The findings of the checker's page, or None if it did not report in time."""
    handler = functools.partial(Handler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, tempfile.TemporaryDirectory() as profile:
        server.checker = CHECKER.replace("PAGES", json.dumps(pages)).replace("WIDTHS", json.dumps(WIDTHS))
        server.findings, server.is_done = None, threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={profile}"]
        options += ["--window-size=2000,1000", "--hide-scrollbars"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium's sandbox does not work for root; the pages are our own
        address = f"http://127.0.0.1:{server.server_port}/checker"
        browser = subprocess.Popen([program, *options, address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.is_done.wait(TIME_LIMIT)
        browser.terminate()
        browser.wait()
        server.shutdown()
        return server.findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="the folder of the built site")
    site = parser.parse_args().site
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if not program:
        print(f"skipped: no Chromium on PATH ({', '.join(NAMES)}); CHROMIUM can name one")
        return SKIPPED
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts)
    findings = check(program, site, pages)
    if findings is None:
        print(f"{program} reported nothing in {TIME_LIMIT} s")
        return 1
    for finding in findings:
        print(f"{finding['page']}, {finding['theme']}, window of {finding['width']} pixels: the page has {finding['is']}, "
              f"the text {finding['text']}: {' '.join(finding['what'])}")
    print(f"{len(pages)} pages, {len(WIDTHS)} widths, light and dark: {len(findings)} do not fit")
    return 1 if findings or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
