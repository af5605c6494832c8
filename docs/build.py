#!/usr/bin/env python3
"""Builds the documentation site, and first installs the tools for it into build/tools. Only Python is required."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import functools
import http.server
import sys
import webbrowser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))
from cudasync_tools import toolbox

SITE = ROOT / "build/docs"


def serve(site, port):
    """Serves the site on this machine until it is interrupted."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        toolbox.say(f"http://127.0.0.1:{server.server_port}/ shows the site; press Ctrl-C to end")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            toolbox.say("ended")


@toolbox.reports_failure
def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=SITE, metavar="DIR", help="folder of the site (%(default)s)")
    parser.add_argument("--open", action="store_true", help="open the site in the web browser")
    parser.add_argument("--serve", nargs="?", type=int, const=8000, metavar="PORT", help="serve the site on this machine (port 8000)")
    options = parser.parse_args()
    site = options.output.resolve()
    sphinx = [toolbox.python("docs"), "-m", "sphinx", "-W", "--keep-going", "-n", "-q"]
    if toolbox.show("building the site", *sphinx, "-d", ROOT / "build/doctrees", ROOT / "docs", site):
        raise toolbox.Failure("the site has errors: see the messages above")
    toolbox.say(f"the site is {site / 'index.html'}")
    if options.open:
        webbrowser.open((site / "index.html").as_uri())
    if options.serve is not None:
        serve(site, options.serve)
    return 0


if __name__ == "__main__":
    sys.exit(main())
