"""What ptxas requires of calls: in kernels with setmaxnreg, the release build has none, and the checked build calls no function
both directly and below a pointer. And no function may seem to call itself through a pointer."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from pathlib import Path

import pytest

from cudasync_tools import nvrtc, ptxas, toolchain

MODEL = toolchain.ROOT / "test" / "model"
CODEGEN = toolchain.ROOT / "test" / "codegen"
BUILDS = toolchain.ROOT / "test" / "builds"
SOURCES = sorted(MODEL.glob("*.cu"))
OPTIONS = ["-DCUDASYNC_CHECKED=1", "-DCUDASYNC_CHECKED=1 -DCUDASYNC_SHAKE=1", "-DCUDASYNC_CHECKED=1 -DCUDASYNC_TRACE=1"]
RELEASE = [*sorted(BUILDS.glob("*.cu")), *SOURCES, *sorted(CODEGEN.glob("*.cu"))]
EACH_KIND = sorted(CODEGEN.glob("checked_*.cu"))  # kernels for each kind of object
if not toolchain.THOROUGH:
    # NVRTC and ptxas take longest for these two: a ring, a queue and their barriers; many calls.
    slow = toolchain.in_turn([MODEL / "launches.cu", BUILDS / "calls_at_two_places.cu"])
    RELEASE = [source for source in sorted(BUILDS.glob("*.cu")) if source.stem != "calls_at_two_places" or source in slow]
    SOURCES = [source for source in SOURCES if source in slow]
    OPTIONS = ["-DCUDASYNC_CHECKED=1 -DCUDASYNC_SHAKE=1"]

FUNCTION = re.compile(
    r"^(?:\.visible |\.weak )?\.(?P<kind>func|entry)\s+(?P<result>\([^()]*\)\s*)?(?P<name>\w+)\s*(?P<parameters>\([^()]*\))?"
    r"(?:\s*\.\w+(?: [\d, ]+)?)*\s*^\{\n(?P<body>.*?)^\}",
    re.M | re.S,
)
CALL = re.compile(r"\bcall(?:\.uni)?\s*(?:\([^()]*\),)?\s*([\w%]+)", re.S)
PROTOTYPE = re.compile(r"\.callprototype\s*(\([^()]*\))\s*_\s*(\([^()]*\))")


def layout(parameters):
    """(bytes, alignment) of each: ptxas takes a function for a possible target if these agree, also of a struct and a number."""
    found = re.findall(r"\.param\s+(?:\.align (\d+) \.b8 \w+\[(\d+)\]|\.[bufs](\d+))", parameters or "")
    return tuple((int(size), int(alignment)) if size else (int(bits) // 8, int(bits) // 8) for alignment, size, bits in found)


# ptxas 12.9 and 13.0 crash if a kernel calls a function directly, and also a function that is called through a pointer does.
class Calls:
    """The functions of a module of PTX, and which of them calls which."""

    def __init__(self, ptx):
        found = list(FUNCTION.finditer(ptx))
        self.kernels = [match["name"] for match in found if match["kind"] == "entry"]
        self.callees = {match["name"]: set(CALL.findall(match["body"])) for match in found}
        outside = FUNCTION.sub("", ptx)
        addresses = {name for line in re.findall(r"^\.global .* = (.*);", outside, re.M) for name in re.findall(r"\w+", line)}
        for match in found:
            addresses |= set(re.findall(r"\bmov\.[bu]64\s+%rd\d+, (\w+);", match["body"]))
        self.targets = [name for name in addresses if name in self.callees and name not in self.kernels]
        signatures = {match["name"]: (layout(match["result"]), layout(match["parameters"])) for match in found}
        self.possible = {}  # callees, those through pointers among them
        for match in found:
            called = {(layout(result), layout(parameters)) for result, parameters in PROTOTYPE.findall(match["body"])}
            self.possible[match["name"]] = self.callees[match["name"]] | {each for each in self.targets if signatures[each] in called}

    def below(self, roots, callees=None):
        """The functions that these call directly, and so on. callees: of each function, if others count, too."""
        found, unread = set(), list(roots)
        while unread:
            for callee in (callees or self.callees).get(unread.pop(), ()):
                if callee in self.callees and callee not in found:
                    found.add(callee)
                    unread.append(callee)
        return found

    def in_both_ways(self):
        return sorted(self.below(self.kernels) & (self.below(self.targets) | set(self.targets)))

    def in_a_circle(self):
        return sorted(name for name in self.targets if name in self.below([name], self.possible))


EXAMPLE = """
.func (.param .b32 result) shared(.param .b32 number)
{
	ret;
}
.func  (.param .b64 result) target(
	.param .b32 number
)
{
	call.uni (retval0),
	shared,
	(param0);
}
.func last()
.noreturn
{
	ret;
}
.global .align 8 .u64 pointer = target;
.visible .entry kernel(
	.param .u64 out
)
.maxntid 384, 1, 1
.minnctapersm 1
{
	call (retval0),
	%rd22,
	(param0), prototype_1;
	call.uni
	last,
	();
	CALLS
}
"""


@pytest.mark.parametrize(
    ("calls", "expected"),
    [("", []), ("call.uni (retval0), shared, (param0);", ["shared"]), ("call.uni target, ();", ["shared", "target"])],
)
def test_reads_calls(calls, expected):
    found = Calls(EXAMPLE.replace("CALLS", calls))
    assert (found.kernels, found.targets) == (["kernel"], ["target"])
    assert set(found.callees) == {"shared", "target", "last", "kernel"}
    assert found.in_both_ways() == expected


# ptxas then does not know how much stack a kernel needs, and a kernel with an array of its own may overflow it.
@pytest.mark.parametrize(("second", "expected"), [("align 8 .b8 value[8]", ["first"]), ("align 4 .b8 value[8]", []), ("b32 value", [])])
def test_finds_circles(second, expected):
    found = Calls(
        f""".func  first(
	.param .b64 place,
	.param .{second}
)
{{
	call %rd1, (param0, param1), prototype_0;
	prototype_0 : .callprototype ()_ (.param .b64 _, .param .b64 _);
}}
.global .align 8 .u64 pointer = first;
"""
    )
    assert found.in_a_circle() == expected


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("sources", [*([source] for source in SOURCES), EACH_KIND], ids=lambda paths: paths[0].stem)
def test_calls(sources, options):
    words = ["-default-device", f"-I{MODEL}", *options.split()]
    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    ptx, log = nvrtc.compile(text, sources[0].name, "100a", words)
    assert ptx is not None, log
    calls = Calls(ptx.decode() if isinstance(ptx, bytes) else ptx)
    assert calls.kernels
    assert calls.targets or b".callprototype" not in ptx, "functions are called through pointers that are not found"
    assert not calls.in_both_ways(), "call these through a pointer, as pointer_to in hang/registry_device.h"
    assert not calls.in_a_circle(), "give these other parameters than what they call through pointers: ptxas takes it for recursion"


def is_of_release_build(source):
    return not re.search(r"checked|trace|misuse\.h", source.stem + source.read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", filter(is_of_release_build, RELEASE), ids=lambda path: Path(path).stem)
def test_release_build_has_no_calls(source):
    words = ["-default-device", f"-I{MODEL}", f"-I{toolchain.ROOT / 'test' / 'support'}"]
    ptx, log = nvrtc.compile(source.read_text(encoding="utf-8"), source.name, "90a", words)
    if ptx is None and source.parent != BUILDS:
        pytest.skip(f"not for sm_90a: {log[:200]}")  # the tests in its folder compile it
    assert ptx is not None, log
    calls = Calls(ptx.decode())
    assert calls.kernels
    called = [name for name in calls.below(calls.kernels) if re.match("_ZNK?8cudasync", name)]
    assert not called, "make these CUDASYNC_DEVICE: docs/design/decisions/setmaxnreg_calls.md"
    if source.stem == "calls_at_two_places":
        assert ptxas.assemble(ptx, "90a")  # with --thorough test_combinations.py does this and more with nvcc
