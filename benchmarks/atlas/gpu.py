"""A GPU through CUDA's driver API: modules, memory and launches."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import time

MULTIPROCESSORS = 16
DYNAMIC_SHARED_BYTES = 8  # of a function
TOO_LARGE = (701, 720)  # the errors of a launch with more registers or blocks than there are, after which others may follow
NOT_READY = 600
HANG = 3  # seconds after which a kernel hangs


class Gpu:
    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        if status := getattr(self.driver, name)(*arguments):
            raise OSError(status, f"{name} returned {status}")

    def name(self):
        text = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", text, len(text), self.device)
        return text.value.decode()

    def multiprocessors(self):
        count = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(count), MULTIPROCESSORS, self.device)
        return count.value

    def memory(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        self.call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        return address

    def write(self, address, data):
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))

    def finish(self):
        """Waits for the kernel, but not forever."""
        deadline = time.monotonic() + HANG
        while (status := self.driver.cuStreamQuery(None)) == NOT_READY:
            if time.monotonic() > deadline:
                raise TimeoutError(f"hangs: it ran for {HANG} s")
        if status:
            raise OSError(status, f"the kernel fails: cuStreamQuery returned {status}")

    def read(self, address, count):
        """64-bit integers."""
        values = (ctypes.c_longlong * count)()
        self.call("cuMemcpyDtoH_v2", values, address, ctypes.c_size_t(8 * count))
        return list(values)

    def module(self, cubin):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        return module

    def functions(self, module, names, shared_bytes):
        """{name: function}"""
        found = {}
        for name in names:
            found[name] = ctypes.c_void_p()
            self.call("cuModuleGetFunction", ctypes.byref(found[name]), module, name.encode())
            if shared_bytes:
                self.call("cuFuncSetAttribute", found[name], DYNAMIC_SHARED_BYTES, shared_bytes)
        return found

    def launch(self, function, blocks, threads, shared_bytes, arguments, is_cooperative=False):
        """arguments: ctypes objects."""
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(each) for each in arguments))
        common = (function, blocks, 1, 1, threads, 1, 1, shared_bytes, None, pointers)
        if is_cooperative:
            self.call("cuLaunchCooperativeKernel", *common)
        else:
            self.call("cuLaunchKernel", *common, None)
