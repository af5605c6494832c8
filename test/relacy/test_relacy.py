"""relacy finds nothing in any scenario, and finds each fault of orders.py in one of them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import orders
import pytest

from cudasync_tools import toolchain

HERE = Path(__file__).resolve().parent
SCENARIOS = re.findall(r"^    SCENARIO\((\S+),", (HERE / "explore.cpp").read_text(encoding="utf-8"), re.MULTILINE)
MARKED = orders.Marked()
LONG = ["--times", "1000000", "--more-preemptions", "1"] if os.environ.get("CUDASYNC_RELACY_RUN") == "long" else []
# Each fault is a conditional expression, also of enumerators, about which -Wextra warns.
WARNINGS = ["-Wall", "-Wconversion", "-Wshadow", "-Werror"]

# Headers with orders that are not those of an algorithm.
ELSEWHERE = {
    "backend/atomic/atomic.h": "hands on the order that a user passes",
    "backend/atomic/atomic_box.h": "the lock of a large value, in test/mutants",
    "backend/atomic/atomic_host.h": "hands on the order that a user passes",
    "backend/atomic/await_value.h": "hands on the order that a user passes",
    "backend/grid/multicast_phase.h": "stores of sm_90, which no host thread makes, in test/model and test/mutants",
    "backend/grid/rail_phase.h": "signals of a network, in test/host and test/mutants",
}


# On the host, the fence of notify orders as much as these, so no scenario can fail. On the device, notify is empty: there, the
# order has a mutant of the device code, whose name in the list of sites is given. notify_after_change has no fence, but relacy
# executes sequentially consistent operations, which it has instead, in one order.
FENCED = {
    ("backend/grid/peer_phase.h", "memory_order_acq_rel_t{}); acq_rel -> release"): "arrive_at_peers memory_order_acq_rel_t",
    ("backend/phase/counter_phase.h", "static_cast<void>(load_acquire<Scope>(target::here{}, phase.word)); acquire -> relaxed"): "arrive_and_wait load_acquire",
    ("thread/time.h", "__atomic_fetch_add(&place.notices, 1, __ATOMIC_RELEASE); release -> relaxed"): None,
}


class Exploration(NamedTuple):
    outcome: str
    executions: int
    places: list


@pytest.fixture(scope="session")
def explore(tmp_path_factory):
    """A function that runs explore: explore(argument, ...)."""
    folder = tmp_path_factory.mktemp("explore")
    MARKED.write(folder)
    command = [toolchain.gxx(), "-std=c++17", "-O1", *WARNINGS, f"-I{folder}", f"-I{toolchain.INCLUDE}"]
    command += ["-isystem", toolchain.relacy(), HERE / "explore.cpp", "-o", folder / "explore"]
    compiled = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr

    def run(*arguments):
        words = [str(word) for word in (folder / "explore", *arguments)]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="session")
def explorations(explore):
    """{scenario: Exploration} without a fault."""
    found = {}
    for name in SCENARIOS:
        line = explore("--places", *LONG, name).stdout
        outcome, executions, places = re.fullmatch(r".*: ([\w /]+), (\d+) executions([ \d]*)\n", line).groups()
        found[name] = Exploration(outcome, int(executions), [int(place) for place in places.split()])
    return found


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(explore, explorations, name):
    if explorations[name].outcome != "SUCCESS":
        pytest.fail(explore("--history", *LONG, name).stdout, pytrace=False)


@pytest.mark.parametrize("fault", MARKED.faults, ids=[fault.name for fault in MARKED.faults])
def test_fault_is_found(explore, explorations, fault):
    reaching = [name for name in SCENARIOS if fault.place in explorations[name].places]
    assert reaching, "no scenario reaches this place"
    reaching.sort(key=lambda name: explorations[name].executions)
    result = explore("--fault", fault.place, fault.order, *reaching)
    assert result.returncode in (0, 1), result.stderr
    if any(fault.name.startswith(header) and fault.name.endswith(end) for header, end in FENCED):
        assert result.returncode == 0, "notify does not hide this fault any more: delete its line"
    else:
        assert result.returncode == 1, "add a scenario that fails, or weaken the order in the header with a proof"


def test_numbers_of_the_page():
    page = " ".join((toolchain.ROOT / "docs/design/schedules.md").read_text(encoding="utf-8").split())
    assert f"Each of the {len(SCENARIOS)} scenarios" in page
    assert f"also {len(orders.CHANGES)} faults of other kinds" in page
    assert f"for each of the {len(MARKED.faults)} faults" in page


def test_fenced_orders_have_mutants():
    sites = (toolchain.ROOT / "test/mutants/sites.txt").read_text(encoding="utf-8")
    for (header, _), site in FENCED.items():
        listed = re.search(rf"^{re.escape(header)}\n((?:  .*\n)+)", sites, re.MULTILINE)
        assert site is None or site in listed[1]


def test_no_order_is_forgotten():
    paths = [path for path in (toolchain.INCLUDE / "cudasync/backend").rglob("*.h") if not path.stem.endswith("_device")]
    headers = {str(path.relative_to(toolchain.INCLUDE / "cudasync")) for path in paths}
    unknown = headers - set(orders.HEADERS) - set(ELSEWHERE)
    assert not {header: words for header in unknown if (words := orders.unmarked(header) + orders.marks(header))}
    assert not {header: words for header in orders.HEADERS if (words := orders.unmarked(header))}
