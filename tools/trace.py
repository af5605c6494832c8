#!/usr/bin/env python3
"""Summarizes a trace that cudasync::trace::save has written: where warps wait, and for how long."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import json
import sys
from collections import defaultdict


class Failure(Exception):
    """Ends the program with one line."""


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Failure(f"{path} is not JSON: {error}") from error
    if not isinstance(trace, dict) or trace.get("otherData", {}).get("library") != "cudasync":
        raise Failure(f"{path} is not a trace of cudasync: write one with cudasync::trace::save")
    return trace


def lifetimes(events):
    """{(process, thread): microseconds from its first event to the end of its last one}"""
    first, last = {}, {}
    for event in events:
        key = event["pid"], event["tid"]
        first[key] = min(first.get(key, event["ts"]), event["ts"])
        last[key] = max(last.get(key, 0), event["ts"] + event.get("dur", 0))
    return {key: last[key] - first[key] for key in first}


def summary(trace, top):
    """The lines of the report."""
    events = [event for event in trace["traceEvents"] if event["ph"] != "M"]
    lost = trace["otherData"]["lost_events"]
    yield f"{len(events)} events of {len({event['pid'] for event in events})} blocks; {lost} events were lost"
    if lost:
        yield "  raise CUDASYNC_TRACE_EVENTS or CUDASYNC_TRACE_RINGS, or save earlier, to keep more"
    waits = [event for event in events if event["ph"] == "X"]
    if not waits:
        return
    lives = lifetimes(events)
    by_line = defaultdict(list)
    for event in waits:
        by_line[event["name"], event["args"].get("at", "")].append(event)

    def share(group):
        warps = {(event["pid"], event["tid"]) for event in group}
        return sum(event["dur"] for event in group) / max(sum(lives[warp] for warp in warps), 1e-9)

    yield ""
    yield "Waits, by operation. Share: of the time from first to last event of the warps that wait there."
    yield f"  {'share':>6} {'waits':>8} {'mean µs':>9} {'longest µs':>11}  what"
    for (name, at), group in sorted(by_line.items(), key=lambda item: -share(item[1])):
        times = [event["dur"] for event in group]
        mean = sum(times) / len(times)
        yield f"  {share(group):6.1%} {len(times):8} {mean:9.3f} {max(times):11.3f}  {name}{'  ' if at else ''}{at}"
    names = {
        (event["pid"], event["tid"] if event["name"] == "thread_name" else None): event["args"]["name"]
        for event in trace["traceEvents"]
        if event["name"] in ("thread_name", "process_name")
    }
    yield ""
    yield "Longest waits"
    for event in sorted(waits, key=lambda event: -event["dur"])[:top]:
        where = [event["name"], names[event["pid"], None], names[event["pid"], event["tid"]], event["args"].get("at")]
        yield f"  {event['dur']:9.3f} µs at {event['ts']:.3f} µs: {', '.join(filter(None, where))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="what cudasync::trace::save has written")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="longest waits to list (%(default)s)")
    options = parser.parse_args()
    try:
        for line in summary(load(options.file), options.top):
            print(line)
    except Failure as failure:
        print(f"trace.py: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
