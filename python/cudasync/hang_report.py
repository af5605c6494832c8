"""Reports of hangs by kernels of the checked build: read while the kernel runs, or after its context is lost."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from __future__ import annotations

import ctypes
import json
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from cudasync import hang_data

# The layout of checked::control (cudasync/hang/watch_device.h), which static_asserts in cudasync/hang_report.h keep.
_TIMEOUT, _ACTION, _HOST = 0, 8, 24

_ACTIONS = ("trap", "go_on", "drain")
_BUILDS = ("v0_2_checked", "v0_2_checked_traced")  # namespaces; CUDASYNC_ABI in cudasync/core/config.h


class Hang(RuntimeError):
    """A kernel has reported a hang or misuse. str() is the report, json the same as data."""

    def __init__(self, text: str, parts: dict[str, Any]) -> None:
        super().__init__(text)
        self.json = parts


def _controls(build: str) -> bytes:
    """The mangled name of cudasync::checked::controls in this build."""
    return f"_ZN8cudasync{len(build)}{build}7checked8controlsE".encode()


class _Driver:
    """The functions of the CUDA driver that a report needs. Each call raises RuntimeError if it fails."""

    def __init__(self) -> None:
        try:
            self._library = ctypes.CDLL("libcuda.so.1")
        except OSError as missing:
            raise RuntimeError(f"HangReport needs the CUDA driver, and there is none: {missing}") from None

    def call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} returned CUresult {status}")

    def find(self, module: int, name: bytes) -> int | None:
        """The address of a variable of the module."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        found = self._library.cuModuleGetGlobal_v2(
            ctypes.byref(address), ctypes.byref(size), ctypes.c_void_p(module), name
        )
        return address.value if found == 0 else None

    def allocate(self, size: int) -> tuple[int, int]:
        """Host memory that kernels can access: its address for the host, and for kernels."""
        host, device = ctypes.c_void_p(), ctypes.c_uint64()
        portable_and_mapped = 3
        self.call("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(size), portable_and_mapped)
        assert host.value is not None
        ctypes.memset(host.value, 0, size)
        self.call("cuMemHostGetDevicePointer_v2", ctypes.byref(device), host, 0)
        return host.value, device.value

    def write(self, address: int, value: int, size: int) -> None:
        data = value.to_bytes(size, "little")
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(size))


class _Module:
    """A module that the driver has loaded, whose kernels are compiled by NVRTC."""

    def __init__(self, module: int, driver: Any) -> None:
        found = [address for build in _BUILDS if (address := driver.find(module, _controls(build))) is not None]
        if not found:
            raise ValueError(
                "the module has no records of the checked build: compile it with "
                "cudasync.compile_options(checked=True), and use a barrier or another object of cudasync in it"
            )
        self._controls, self._driver = found[0], driver
        self._host, on_device = driver.allocate(ctypes.sizeof(hang_data.HostReport))
        driver.write(self._controls + _HOST, on_device, 8)

    def set_timeout(self, milliseconds: int) -> None:
        self._driver.write(self._controls + _TIMEOUT, milliseconds * 1000000, 8)

    def set_action(self, action: int) -> None:
        self._driver.write(self._controls + _ACTION, action, 4)

    def _report(self) -> hang_data.HostReport | None:
        report = hang_data.HostReport.from_address(self._host)
        return report if report.is_complete else None

    def text(self) -> str | None:
        report = self._report()
        return None if report is None else hang_data.text_of(report)

    def json(self) -> dict[str, Any] | None:
        report = self._report()
        return None if report is None else hang_data.json_of(report)

    def clear(self) -> None:
        ctypes.c_uint32.from_address(self._host).value = 0


class _Library:
    """A shared library with CUDASYNC_DEFINE_HANG_REPORT_C_API, such as an extension of PyTorch."""

    def __init__(self, library: Any) -> None:
        try:
            for function in (library.cudasync_hang_report_text, library.cudasync_hang_report_json):
                function.restype = ctypes.c_size_t
                function.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
            library.cudasync_hang_report_install()
        except AttributeError:
            raise ValueError(
                "the library has no hang reports: write CUDASYNC_DEFINE_HANG_REPORT_C_API() into the .cu file with the kernels"
            ) from None
        self._library = library

    def _read(self, function: Any) -> str | None:
        if not self._library.cudasync_hang_report_is_complete():
            return None
        size = function(None, 0) + 1
        out = ctypes.create_string_buffer(size)
        function(out, size)
        return out.value.decode(errors="replace")

    def text(self) -> str | None:
        return self._read(self._library.cudasync_hang_report_text)

    def json(self) -> dict[str, Any] | None:
        found = self._read(self._library.cudasync_hang_report_json)
        return None if found is None else dict(json.loads(found))


class HangReport:
    """The report of the kernels of one module or library. Construct it before the first launch.

    As a context manager, it raises Hang at the end of the block if a kernel has reported one, in place of the error that
    the lost context causes there.
    """

    def __init__(self, source: Any) -> None:
        """source: what contains the kernels, compiled with CUDASYNC_CHECKED=1.

        - cupy.RawModule, or another object with a member module or handle that is a CUmodule: compiled by NVRTC
        - int: a CUmodule
        - ctypes.CDLL, str or Path: a shared library with CUDASYNC_DEFINE_HANG_REPORT_C_API

        Raises ValueError if the kernels are not those of the checked build, RuntimeError if there is no driver.
        """
        self._source: Any
        if isinstance(source, (str, Path)):
            source = ctypes.CDLL(str(source))
        if isinstance(source, ctypes.CDLL):
            self._source = _Library(source)
        else:
            self._source = _Module(_handle_of(source), _Driver())

    @property
    def text(self) -> str | None:
        """The report, or None if there is none. It makes no CUDA call, so it works while a kernel hangs."""
        found: str | None = self._source.text()
        return found

    @property
    def json(self) -> dict[str, Any] | None:
        """The report as data, whose members docs/api/hang_report.md describes, or None. It makes no CUDA call."""
        found: dict[str, Any] | None = self._source.json()
        return found

    def check(self) -> None:
        """Raises Hang if a kernel has reported a hang or misuse."""
        if (data := self.json) is not None:
            raise Hang(self.text or "", data)

    def wait(self, is_done: Callable[[], bool], interval: float = 0.01) -> None:
        """Calls is_done, such as cupy.cuda.Stream.done or torch.cuda.Event.query, until it is true.

        interval: seconds between two calls. Raises Hang as soon as a kernel has reported one.
        """
        while not self._call(is_done):
            self.check()
            time.sleep(interval)
        self.check()

    def _call(self, is_done: Callable[[], bool]) -> bool:
        """is_done(), or Hang in place of its error after the kernel has ended."""
        try:
            return is_done()
        except Exception:
            self.check()
            raise

    def set_timeout(self, milliseconds: int) -> None:
        """Sets the longest wait without progress. Only for a module; a library reads CUDASYNC_HANG_TIMEOUT_MS."""
        if milliseconds <= 0:
            raise ValueError(f"the time-out is {milliseconds}; give a number of milliseconds above 0")
        self._module("set_timeout", "CUDASYNC_HANG_TIMEOUT_MS").set_timeout(milliseconds)

    def set_action(self, action: str) -> None:
        """Sets what a kernel does after its report: trap, go_on or drain. Only for a module; a library reads
        CUDASYNC_HANG_ACTION."""
        if action not in _ACTIONS:
            raise ValueError(f"the action is {action!r}; give one of {', '.join(_ACTIONS)}")
        self._module("set_action", "CUDASYNC_HANG_ACTION").set_action(_ACTIONS.index(action))

    def clear(self) -> None:
        """Clears the report, so that the next one can be recorded. Only for a module, after go_on and drain."""
        self._module("clear", None).clear()

    def _module(self, what: str, variable: str | None) -> _Module:
        if not isinstance(self._source, _Module):
            remedy = f"; set the environment variable {variable} before the program starts" if variable else ""
            raise TypeError(f"{what} is only for modules{remedy}")
        return self._source

    def __enter__(self) -> HangReport:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.check()


def _handle_of(source: Any) -> int:
    """The CUmodule of a module of CuPy or another library."""
    for name in ("module", "ptr", "handle"):
        if isinstance(source, int):
            break
        source = getattr(source, name, source)
    try:
        return int(source)
    except (TypeError, ValueError):
        raise ValueError(f"{source!r} is no module: give a cupy.RawModule, a CUmodule or a shared library") from None
