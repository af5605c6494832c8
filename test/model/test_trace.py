"""The files that model.trace writes: JSON in the trace-event format, with nothing missing; and their summary."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cudasync_tools.toolchain import ROOT

FOLDER = os.environ.get("CUDASYNC_TRACE_TEST_FOLDER")
SCRIPT = ROOT / "tools" / "trace.py"
MODES = {"X": {"ts", "dur", "cat", "args"}, "i": {"ts", "s", "cat", "args"}, "M": {"args"}}


def trace(name):
    if not FOLDER or not Path(FOLDER, name).exists():
        pytest.skip("no file: the test program model.trace writes it to CUDASYNC_TRACE_TEST_FOLDER")
    return json.loads(Path(FOLDER, name).read_text(encoding="utf-8"))


def summary(path):
    return subprocess.run([sys.executable, str(SCRIPT), str(path)], capture_output=True, text=True, check=False)


def check(found):
    """That the viewers accept it: their documentation calls these fields mandatory."""
    named = set()
    for event in found["traceEvents"]:
        assert event["ph"] in MODES
        assert {"name", "pid"} | MODES[event["ph"]] <= event.keys()
        if event["name"] == "thread_name":
            named.add((event["pid"], event["tid"]))
    ends = {}
    for event in found["traceEvents"]:
        if event["ph"] == "M":
            continue
        key = event["pid"], event["tid"]
        assert key in named
        assert event["ts"] >= ends.get(key, 0) - 1e-6  # events of a thread do not overlap
        ends[key] = event["ts"] + event.get("dur", 0)
        assert bin(int(event["args"]["lanes"], 16)).count("1") == event["args"]["threads"]
    return [event for event in found["traceEvents"] if event["ph"] != "M"]


def test_objects():
    found = trace("objects.json")
    events = check(found)
    assert found["otherData"]["events"] == len(events) and found["otherData"]["lost_events"] == 0
    places = {event["args"]["at"].split(":")[0] for event in events if "at" in event["args"]}
    assert places == {"trace.cu"}
    names = {event["args"]["object"].split(",")[0].split(" ")[0] for event in events}
    assert names == {"barrier", "named_barrier", "grid_barrier", "latch", "semaphore"}


def test_ring():
    events = check(trace("ring.json"))
    copied = [event["args"]["bytes"] for event in events if event["cat"] == "copy"]
    assert copied == [1024] * 12
    names = {event["name"] for event in events}
    assert {"producer_acquire empty[0]", "consumer_wait full[1]", "consumer_release empty[1]", "copy full[0]"} <= names


def test_overflow():
    found = trace("overflow.json")
    assert len(check(found)) == 64
    assert found["otherData"]["lost_events"] == found["otherData"]["overwritten_events"] == 150 - 64


def test_summary():
    trace("ring.json")
    done = summary(Path(FOLDER, "ring.json"))
    assert done.returncode == 0 and done.stderr == ""
    assert "of 2 blocks; 0 events were lost" in done.stdout
    assert "consumer_wait full[0]  trace.cu:" in done.stdout and "Longest waits" in done.stdout
    assert "86 events were lost" in summary(Path(FOLDER, "overflow.json")).stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [(None, "cannot read"), ("no JSON", "is not JSON"), ("[]", "not a trace of cudasync"), ("{}", "not a trace of cudasync")],
)
def test_summary_of_another_file(text, message, tmp_path):
    path = tmp_path / "trace.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    done = summary(path)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("trace.py: ") and message in done.stderr and done.stderr.count("\n") == 1
