"""Headless Chromium: finds the program, starts it, and takes screenshots through its DevTools protocol."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import threading

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# The protocol's messages go through the files 3 and 4, which are the standard input and output that this process sees.
PIPED = ["sh", "-c", 'exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null', "sh"]
READY = "Promise.all([document.fonts.ready, ...Array.from(document.images, image => image.decode().catch(() => {}))]).then(() => true)"

# The pages scroll smoothly to the fragment of their address; a screenshot shows where they end.
SCROLL = "(document.getElementById(location.hash.slice(1)) ?? document.body).scrollIntoView({behavior: 'instant'})"


def find():
    """The program that `CHROMIUM` names, or the first on PATH, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def started(program, *words, before=(), **streams):
    """The process of a Chromium that opens the address in `words`; it ends with the scope."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless=new", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", f"--user-data-dir={profile}"]
        options += ["--window-size=2000,1000", "--hide-scrollbars"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium's sandbox does not work for root; the pages are our own
        process = subprocess.Popen([*before, program, *options, *words], stderr=subprocess.DEVNULL, **streams)
        try:
            yield process
        finally:
            process.terminate()
            process.wait()


class Page:
    """A page that is controlled through the DevTools protocol: JSON messages that end with a zero byte."""

    def __init__(self, process):
        self.input, self.output = process.stdin, process.stdout
        self.number, self.session, self.unread = 0, None, b""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method, **parameters):
        """The result of a command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        message |= {"sessionId": self.session} if self.session else {}
        self.input.write(json.dumps(message).encode() + b"\0")
        self.input.flush()
        answer = self.read(lambda each: each.get("id") == self.number)
        if "error" in answer:
            raise OSError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def read(self, is_wanted):
        """The next message that is wanted; others are dropped."""
        while True:
            parts = [self.unread]
            while b"\0" not in parts[-1]:
                parts.append(self.output.read1(2**20))
                if not parts[-1]:
                    raise OSError("Chromium ended before it answered")
            message, _, self.unread = b"".join(parts).partition(b"\0")
            if is_wanted(found := json.loads(message)):
                return found

    def evaluate(self, script):
        return self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)["result"].get("value")

    def open(self, address):
        self.call("Page.navigate", url="about:blank")  # else a change of the fragment alone does not load the page
        self.call("Page.navigate", url=address)
        self.read(lambda each: each.get("method") == "Page.loadEventFired")

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


def screenshots(program, origin, views, time_limit):
    """Writes screenshots: `views` are tuples (path of a page, width, height, theme, file). True unless it took too long."""
    streams = {"before": PIPED, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with started(program, "--remote-debugging-pipe", "about:blank", **streams) as process:
        watch = threading.Timer(time_limit, process.kill)
        watch.start()
        try:
            page = Page(process)
            opened = None
            for path, width, height, theme, file in views:
                page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
                if path != opened:
                    page.open(f"{origin}/{path}")
                opened = path
                page.evaluate(f"document.body.dataset.theme = '{theme}'")
                page.evaluate(READY)
                page.evaluate(SCROLL)
                file.write_bytes(page.picture())
        except OSError as error:
            print(f"{program}: {error}")
            return False
        finally:
            watch.cancel()
    return True
