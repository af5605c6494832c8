"""Runs a kernel of one thread on the GPU of this machine, through the CUDA driver."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import ctypes
import functools

from cudasync_tools import toolchain

ERROR_LOG, ERROR_LOG_SIZE = 5, 6  # CU_JIT_ERROR_LOG_BUFFER and its size
pointer = ctypes.c_void_p


class Unsupported(Exception):
    """This GPU does not have an instruction of the kernel."""


@functools.cache
def library():
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise toolchain.ToolMissing(f"a GPU and its driver: {error}") from None
    device, context = ctypes.c_int(), pointer()
    check(cuda.cuInit(0), "cuInit")
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    return cuda


def check(status, what):
    if status != 0:
        raise RuntimeError(f"{what}: error {status} of the CUDA driver")


def load(ptx):
    log = ctypes.create_string_buffer(1 << 16)
    module = pointer()
    options = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_SIZE)
    values = (pointer * 2)(ctypes.cast(log, pointer), pointer(len(log)))
    status = library().cuModuleLoadDataEx(ctypes.byref(module), ctypes.c_char_p(ptx), 2, options, values)
    if status != 0:
        said = log.value.decode(errors="replace")
        raise Unsupported(said) if "target" in said else RuntimeError(f"{said} (error {status} of the CUDA driver)")
    return module


def run(ptx, name, given, size):
    """The kernel gets the addresses of a copy of the given bytes and of zeros; returns the zeros afterwards, as bytes."""
    cuda, module, function = library(), load(ptx), pointer()
    addresses = [ctypes.c_uint64(), ctypes.c_uint64()]
    found = (ctypes.c_char * size)()
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), name)
    for address, contents in zip(addresses, (given, bytes(size)), strict=True):
        check(cuda.cuMemAlloc_v2(ctypes.byref(address), max(len(contents), 1)), "cuMemAlloc")
        check(cuda.cuMemcpyHtoD_v2(address, contents, len(contents)), "cuMemcpyHtoD")
    parameters = (pointer * 2)(*(ctypes.cast(ctypes.byref(address), pointer) for address in addresses))
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, parameters, None), "cuLaunchKernel")
    check(cuda.cuMemcpyDtoH_v2(found, addresses[1], size), name)
    for address in addresses:
        check(cuda.cuMemFree_v2(address), "cuMemFree")
    check(cuda.cuModuleUnload(module), "cuModuleUnload")
    return bytes(found)
