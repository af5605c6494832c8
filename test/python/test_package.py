"""The Python package: options, header texts, reports of hangs over a driver of this test, and the example's kernels."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import all_reduce_with_torch
import cudasync
import rms_norm_with_jax
import smooth_with_numba
import smooth_with_warp
import sum_with_cupy
from cudasync import __main__ as program
from cudasync import doctor, hang_data, hang_report
from cudasync_tools import nvrtc, toolchain

ROOT = Path(__file__).resolve().parents[2]

# As in docs/guide/hangs.md.
REPORT = """\
cudasync: hang: no progress for 100 ms. In block (1,0,0) of 288 threads:
cudasync:   stage 1 (to be filled by its producers): phase of parity 1, 0 arrivals of 1
cudasync:     threads 0-255 wait at k.cu:34 for parity 1
cudasync:   stage 1 (to be released by its consumers): phase of parity 0, 7 arrivals of 8
cudasync:     thread 256 waits at k.cu:24 for parity 0
cudasync:   likely cause: warp 0 has not released stage 1.
cudasync:   remedy: let each consumer call consumer_release once per round.
cudasync:   If the kernel works for longer between two arrivals, set a longer time-out.
"""


def data_of(text):
    """What the kernel writes to the host for this report."""
    report = hang_data.HostReport(text=text.encode(), length=len(text))
    data = report.data
    data.version, data.milliseconds, data.threads, data.objects_used, data.waits_used = 1, 100, 288, 1, 1

    def mark(span, words):
        span.begin, span.length = text.index(words), len(words)

    mark(data.headline, "hang: no progress for 100 ms. In block (1,0,0) of 288 threads:")
    data.block[0] = 1
    data.objects[0] = hang_data._Object(address=0x408, kind=1, role=1, stage=1, has_phase=1, expected=8, arrived=7)
    mark(data.objects[0].name, "stage 1 (to be released by its consumers)")
    data.waits[0] = hang_data._Wait(parity=0, threads=1)
    data.waits[0].warps[8] = 1
    mark(data.waits[0].line, "thread 256 waits at k.cu:24 for parity 0")
    mark(data.waits[0].place, "k.cu:24")
    data.why.what = hang_data._CAUSES.index("stage_not_released")
    data.why.warps[0] = 0xFFFFFFFF
    mark(data.why.text, "warp 0 has not released stage 1.")
    mark(data.why.remedy, "let each consumer call consumer_release once per round.")
    return report


PARTS = {
    "version": 1,
    "incident": "hang",
    "headline": "hang: no progress for 100 ms. In block (1,0,0) of 288 threads:",
    "milliseconds": 100,
    "block": [1, 0, 0],
    "threads": 288,
    "objects": [
        {
            "kind": "barrier",
            "role": "producer",
            "stage": 1,
            "name": "stage 1 (to be released by its consumers)",
            "address": 0x408,
            "initialized_at": None,
            "phase": {"parity": 0, "arrived": 7, "expected": 8, "bytes": 0},
            "text": None,
            "waits": [
                {
                    "threads": [[256, 256]],
                    "other_blocks": 0,
                    "at": "k.cu:24",
                    "parity": 0,
                    "text": "thread 256 waits at k.cu:24 for parity 0",
                }
            ],
        }
    ],
    "left_out": 0,
    "likely_cause": {
        "cause": "stage_not_released",
        "object": 0,
        "threads": [[0, 31]],
        "numbers": {},
        "text": "warp 0 has not released stage 1.",
    },
    "remedy": "let each consumer call consumer_release once per round.",
    "other_causes": [],
    "other_remedy": None,
    "further_causes": [],
    "further_remedy": None,
    "unexplained": [],
}


class Driver:
    """A CUDA driver with one module, whose device memory is this process's."""

    def __init__(self, names):
        self.names = names
        self.controls = ctypes.create_string_buffer(32)
        self.memory = None

    def find(self, module, name):
        return ctypes.addressof(self.controls) if module == 7 and name in self.names else None

    def allocate(self, size):
        self.memory = ctypes.create_string_buffer(size)
        return ctypes.addressof(self.memory), ctypes.addressof(self.memory)

    def write(self, address, value, size):
        ctypes.memmove(address, value.to_bytes(size, "little"), size)

    def control(self, offset, size):
        return int.from_bytes(self.controls.raw[offset : offset + size], "little")

    def hang(self, text):
        """What the kernel does: to the memory that it was told."""
        place = self.control(24, 8)
        report = data_of(text)
        ctypes.memmove(place, ctypes.addressof(report), ctypes.sizeof(report))
        ctypes.c_uint32.from_address(place).value = 1


@pytest.fixture(params=["v0_2_checked", "v0_2_checked_traced"])
def driver(request, monkeypatch):
    build = request.param
    created = Driver([f"_ZN8cudasync{len(build)}{build}7checked8controlsE".encode()])
    monkeypatch.setattr(hang_report, "_Driver", lambda: created)
    return created


class RawModule:
    """As CuPy's: the handle is in a member of a member."""

    class Module:
        ptr = 7

    module = Module()


def test_report_of_a_module(driver):
    report = cudasync.HangReport(RawModule())
    assert report.text is None and report.json is None
    report.check()
    report.set_timeout(milliseconds=500)
    report.set_action("drain")
    assert driver.control(0, 8) == 500000000 and driver.control(8, 4) == 2
    driver.hang(REPORT)
    assert report.text == REPORT and report.json == PARTS
    with pytest.raises(cudasync.Hang) as caught:
        report.check()
    assert str(caught.value) == REPORT and caught.value.json == PARTS
    report.clear()
    report.check()


def test_wait_ends_with_the_kernel_or_its_hang(driver):
    report = cudasync.HangReport(7)
    answers = iter([False, False, True])
    report.wait(lambda: next(answers), interval=0)
    assert next(answers, None) is None

    calls = []

    def is_done():
        calls.append(1)
        if len(calls) == 3:
            driver.hang(REPORT)
        return False

    with pytest.raises(cudasync.Hang):
        report.wait(is_done, interval=0)
    assert len(calls) == 3


def test_hang_replaces_the_error_of_the_lost_context(driver):
    def lost():
        driver.hang(REPORT)
        raise OSError("unspecified launch failure")

    with pytest.raises(cudasync.Hang):
        cudasync.HangReport(7).wait(lost)
    with pytest.raises(cudasync.Hang), cudasync.HangReport(7):
        lost()
    with pytest.raises(OSError, match="another"), cudasync.HangReport(7):
        raise OSError("another")


@pytest.mark.parametrize(
    ("source", "text"),
    [(8, "compile it with cudasync.compile_options"), ("text/of/no/library.so", "library.so"), (object(), "is no module: give a")],
)
def test_wrong_sources(driver, source, text):
    with pytest.raises((ValueError, OSError), match=text):
        cudasync.HangReport(source)


def test_wrong_values(driver):
    report = cudasync.HangReport(7)
    with pytest.raises(ValueError, match="above 0"):
        report.set_timeout(milliseconds=0)
    with pytest.raises(ValueError, match="trap, go_on, drain"):
        report.set_action("stop")
    with pytest.raises(ValueError, match="checked=True"):
        cudasync.compile_options(hang_timeout_ms=100)
    with pytest.raises(ValueError, match="above 0"):
        cudasync.compile_options(checked=True, hang_timeout_ms=-1)
    with pytest.raises(ValueError, match=r"std is .17.; give c\+\+17 or newer"):
        cudasync.program_options(std="17")


def test_report_of_a_library(tmp_path):
    source = tmp_path / "library.cpp"
    source.write_text(
        """#include <stdio.h>
static const char* text;
static const char* json;
extern "C" void hang(const char* report, const char* data) { text = report, json = data; }
extern "C" void cudasync_hang_report_install(void) {}
extern "C" int cudasync_hang_report_is_complete(void) { return text != nullptr; }
extern "C" size_t cudasync_hang_report_text(char* out, size_t size) {
  return static_cast<size_t>(snprintf(out, size, "%s", text));
}
extern "C" size_t cudasync_hang_report_json(char* out, size_t size) {
  return static_cast<size_t>(snprintf(out, size, "%s", json));
}
""",
        encoding="utf-8",
    )
    program = tmp_path / "library.so"
    subprocess.run([toolchain.gxx(), "-shared", "-fPIC", "-o", program, source], check=True)
    library = ctypes.CDLL(str(program))
    report = cudasync.HangReport(library)
    report.check()
    kept = REPORT.encode(), json.dumps(PARTS).encode()
    library.hang(*kept)
    with pytest.raises(cudasync.Hang) as caught:
        report.check()
    assert str(caught.value) == REPORT and caught.value.json == PARTS
    with pytest.raises(TypeError, match="CUDASYNC_HANG_TIMEOUT_MS"):
        report.set_timeout(100)
    with pytest.raises(ValueError, match="CUDASYNC_DEFINE_HANG_REPORT_C_API"):
        cudasync.HangReport(ctypes.CDLL(None))


def test_include_dir_of_a_wheel_in_a_folder_of_the_root(monkeypatch):
    monkeypatch.setattr(cudasync, "_PREFIX", Path("/site/cudasync"))
    assert cudasync.include_dir() == Path("/site/cudasync/include/cudasync")


def test_options(monkeypatch):
    monkeypatch.setattr(cudasync, "include_dir", lambda: toolchain.INCLUDE)
    assert cudasync.compile_options() == ("-std=c++17", f"-I{toolchain.INCLUDE}")
    options = cudasync.compile_options(checked=True, trace=True, hang_timeout_ms=5, std="c++20")
    assert cudasync.compile_options(drop_in=True)[2:] == ("-DCUDASYNC_DROP_IN=1",)
    assert options[0] == "-std=c++20"
    assert set(options[2:]) == {"-DCUDASYNC_CHECKED=1", "-DCUDASYNC_TRACE=1", "-DCUDASYNC_HANG_TIMEOUT_MS=5"}
    assert cudasync.program_options(checked=True) == {
        "std": "c++17",
        "include_path": [str(toolchain.INCLUDE)],
        "define_macro": [("CUDASYNC_CHECKED", "1")],
    }
    texts = cudasync.header_texts()
    assert texts["cuda/barrier"] == (toolchain.INCLUDE / "cuda/barrier").read_text(encoding="utf-8")
    assert "cudasync/core/config.h" in texts


KERNEL = "#include <cuda/barrier>\nextern \"C\" __global__ void kernel() { static_assert(CUDASYNC_VERSION > 0); }\n"


def library_path_without_nvrtc(monkeypatch):
    load = ctypes.CDLL

    def loaded(name, *arguments):
        if name.startswith("libnvrtc"):
            raise OSError(name)
        return load(name, *arguments)

    monkeypatch.setattr(ctypes, "CDLL", loaded)


@pytest.mark.skipif("CUDASYNC_NVRTC" not in os.environ, reason="NVRTC is installed for the kind nvrtc")
def test_compile_with_the_nvrtc_of_a_wheel(monkeypatch, tmp_path):
    monkeypatch.setattr(cudasync, "include_dir", lambda: toolchain.INCLUDE)
    library_path_without_nvrtc(monkeypatch)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(OSError, match="pip install nvidia-cuda-nvrtc"):
        cudasync.compile_cubin(KERNEL, "sm_80")
    library = Path(os.environ["CUDASYNC_NVRTC"]).resolve()
    (tmp_path / "nvidia/cu").mkdir(parents=True)
    (tmp_path / "nvidia/cu/lib").symlink_to(library.parent)  # with libnvrtc-builtins, which the library loads
    assert cudasync.compile_cubin(KERNEL, "sm_80").startswith(b"\x7fELF")
    with pytest.raises(TypeError, match="pass \\['-G'\\]"):
        cudasync.compile_cubin(KERNEL, "sm_80", "-G")
    with pytest.raises(RuntimeError, match=r"begin options with \*cudasync.compile_options\(\)"):
        cudasync.compile_cubin(KERNEL, "sm_80", ["-lineinfo"])
    with pytest.raises(RuntimeError, match=r"NVRTC .* does not compile for sm_10"):
        cudasync.compile_cubin(KERNEL, "sm_10")


@pytest.mark.parametrize("arch", [90, "90", "sm90", "compute_90", "sm_90;sm_80"])  # of compute_90, NVRTC makes no machine code
def test_wrong_architectures(arch):
    with pytest.raises(ValueError, match="give one such as sm_90 or sm_90a"):
        cudasync.compile_cubin(KERNEL, arch)


def test_wrong_source():
    with pytest.raises(TypeError, match="source is of type bytes: pass its text"):
        cudasync.compile_cubin(KERNEL.encode(), "sm_90")  # type: ignore[arg-type]


def test_doctor_without_compilers(monkeypatch, capsys):
    monkeypatch.setattr(cudasync, "include_dir", lambda: toolchain.INCLUDE)
    library_path_without_nvrtc(monkeypatch)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(doctor, "find_nvcc", lambda: None)
    assert doctor.print_report() == 1
    assert "error: pip install nvidia-cuda-nvrtc" in capsys.readouterr().out


def test_version_and_help(monkeypatch, capsys):
    monkeypatch.setattr(cudasync, "include_dir", lambda: toolchain.INCLUDE)
    printed = cudasync.__version__
    major, minor, patch = map(int, printed.split("."))
    number = major * 10000 + minor * 100 + patch
    ptx, log = nvrtc.compile(f'#include <cuda/barrier>\nstatic_assert(CUDASYNC_VERSION == {number}, "");\n', "unit.cu", "90")
    assert ptx is not None, log
    monkeypatch.setattr(sys, "argv", ["cudasync"])
    assert program.main() == 0
    assert "--include" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["cudasync", "--version"])
    with pytest.raises(SystemExit) as end:
        program.main()
    assert end.value.code == 0 and capsys.readouterr().out.strip() == cudasync.__version__


def test_long_description_has_no_relative_links():
    """A package index shows only this page."""
    (page,) = re.findall(r'^readme = "(.*)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [link for link in re.findall(r"\]\(([^)]*)\)|src=\"([^\"]*)", text) if not "".join(link).startswith("https://")] == []


@pytest.mark.parametrize("build", ["v0_2_checked", "v0_2_checked_traced"])
def test_name_of_the_records(build):
    """A report finds them by the name that NVRTC gives them."""
    assert build in hang_report._BUILDS
    macros = ["-DCUDASYNC_CHECKED=1", f"-DCUDASYNC_TRACE={int(build.endswith('traced'))}"]
    ptx, log = nvrtc.compile(sum_with_cupy.source(1), "any name.cu", "90", macros)
    assert ptx is not None, log
    (found,) = re.findall(rb"\.global \.align 8 \.b8 (\w+)\[32\];", ptx)
    assert found == hang_report._controls(build)


def test_example_compiles_for_release():
    ptx, log = nvrtc.compile(sum_with_cupy.source(-1), "unit.cu", "90")
    assert ptx is not None and not log, log


def test_example_of_several_gpus_compiles():
    ptx, log = nvrtc.compile(all_reduce_with_torch.macros() + all_reduce_with_torch.KERNEL, "unit.cu", "90")
    assert ptx is not None and not log, log
    assert b"st.release.sys" in ptx


def test_kernel_for_jax_compiles():
    ptx, log = nvrtc.compile(rms_norm_with_jax.KERNEL, "unit.cu", "90")
    assert ptx is not None and not log, log
    assert b"cp.async.bulk" in ptx


def test_snippet_for_warp_compiles():
    """As the body of a function, after the preamble."""
    function = "__device__ void smooth(float* data, int index) {" + smooth_with_warp.SNIPPET + "}"
    ptx, log = nvrtc.compile(smooth_with_warp.PREAMBLE + function, "unit.cu", "90", ("-rdc=true",))
    assert ptx is not None and not log, log
    assert b"mbarrier.try_wait" in ptx


def test_functions_for_numba_compile():
    ptx, log = nvrtc.compile(smooth_with_numba.SOURCE, "unit.cu", "90", ("-rdc=true",))
    assert ptx is not None and not log, log
    for name in (b"init_barrier", b"arrive_and_wait"):
        assert re.search(rb"\.visible \.func .*\b%s\(" % name, ptx)
    assert b"mbarrier.try_wait" in ptx


def test_kernel_of_numba_links(monkeypatch):
    """As its linker does it, which needs no GPU."""
    monkeypatch.setattr(cudasync, "include_dir", lambda: toolchain.INCLUDE)
    numba = pytest.importorskip("numba")
    cuda = pytest.importorskip("numba.cuda")
    cffi = pytest.importorskip("cffi")
    core = pytest.importorskip("cuda.core")
    ptx, _ = cuda.compile_ptx(smooth_with_numba.kernel(numba, cuda, cffi.FFI()), numba.void(numba.float32[::1]), cc=(9, 0))
    cubin = smooth_with_numba.functions("sm_90")
    parts = core.ObjectCode.from_ptx(ptx.encode()), core.ObjectCode.from_cubin(cubin)
    linked = core.Linker(*parts, options=core.LinkerOptions(arch="sm_90")).link("cubin").code
    assert len(linked) > len(cubin) and b"smooth" in linked


def test_doctor(monkeypatch, capsys):
    monkeypatch.setattr(cudasync, "include_dir", lambda: toolchain.INCLUDE)
    monkeypatch.setenv("PATH", str(Path(toolchain.nvcc()).parent), prepend=":")
    assert doctor.print_report() == 0
    assert "<cuda/barrier>: compiles" in capsys.readouterr().out
    monkeypatch.setattr(cudasync, "include_dir", lambda: ROOT / "test/package/consumer/decoy")
    monkeypatch.setenv("CPATH", "/opt/cccl/include")
    assert doctor.print_report() == 1
    printed = capsys.readouterr().out
    assert "<cuda/barrier>: does not compile" in printed and "error: " in printed
    assert "pass CCCL's with -isystem" in printed


class GpusOfADriver:
    """The CUDA driver of a host with three GPUs: the first two are connected by NVLink, the third has no peers and is old."""

    attributes = {75: (9, 9, 6), 76: (0, 0, 1), 16: (132, 132, 28), 86: (0, 0, 1), 95: (1, 1, 0), 132: (1, 1, 0)}

    def cuInit(self, flags):
        return 0

    def cuDeviceGetCount(self, number):
        number._obj.value = 3

    def cuDeviceGetName(self, text, size, device):
        text.value = b"GPU of a test"

    def cuDeviceGetAttribute(self, value, which, device):
        value._obj.value = self.attributes[which][device]

    def cuDeviceGetP2PAttribute(self, value, which, one, other):
        value._obj.value = {one, other} == {0, 1}


def test_doctor_knows_gpus_and_their_links(monkeypatch):
    monkeypatch.setattr(doctor.ctypes, "CDLL", lambda name: GpusOfADriver())
    found = [(each.what, each.found, bool(each.remedy), each.is_fatal) for each in doctor._gpus()]
    assert found == [
        ("GPU 0", "GPU of a test, sm_90, 132 multiprocessors, NVLink multicast", False, False),
        ("GPU 0 and host", "no native atomics", True, False),
        ("GPU 1", "GPU of a test, sm_90, 132 multiprocessors, NVLink multicast", False, False),
        ("GPU 1 and host", "no native atomics", True, False),
        ("GPU 2", "GPU of a test, sm_61, 28 multiprocessors", True, True),
        ("GPU 2", "no cooperative launch", True, False),
        ("GPUs 0 and 1", "peer access with native atomics", False, False),
        ("GPUs 0 and 2", "no peer access", True, False),
        ("GPUs 1 and 2", "no peer access", True, False),
    ]


def test_doctor_without_a_gpu(monkeypatch):
    """Kernels compile there: it is no error."""

    class Driver:
        def cuInit(self, flags):
            return 100

    monkeypatch.setattr(doctor.ctypes, "CDLL", lambda name: Driver())
    (found,) = doctor._gpus()
    assert found.what == "GPU" and "cuInit returned CUresult 100" in found.found and found.remedy and not found.is_fatal
