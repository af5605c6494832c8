// As much of the driver's interface as programs use that load modules: each function is that of the runtime, or a short form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"
#include "runtime_memory.h"
#include "runtime_unsupported.h"

#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>

namespace model { namespace {

// Both have the same numbers.
CUresult result_of(cudaError_t status) {
  return static_cast<CUresult>(status);
}
void* pointer_of(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}
CUcontext the_context() {
  static char one;
  return reinterpret_cast<CUcontext>(&one);
}

CUresult start(CUfunction function, const launch_shape& shape, void** arguments, void** extra, CUstream on) {
  return result_of(start(kernel_of(function), shape, arguments, extra, on));
}

// Of elements.
CUresult fill_elements(CUdeviceptr to, unsigned value, unsigned bytes, size_t count, CUstream on) {
  cudaMemsetParams what = {};
  what.dst = pointer_of(to);
  what.value = value;
  what.elementSize = bytes;
  what.width = count;
  what.height = 1;
  return result_of(issue(on, cudaGraphNodeTypeMemset, [=] { fill(what); }));
}

}}  // namespace model

using namespace model;

extern "C" {

CUresult cuDriverGetVersion(int* version) {
  return result_of(cudaDriverGetVersion(version));
}
CUresult cuGetErrorString(CUresult status, const char** text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(status));
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult status, const char** text) {
  *text = cudaGetErrorName(static_cast<cudaError_t>(status));
  return CUDA_SUCCESS;
}

// --- Devices and contexts: there is one ---

CUresult cuDeviceGetCount(int* count) {
  return result_of(cudaGetDeviceCount(count));
}
CUresult cuDeviceGet(CUdevice* which, int number) {
  *which = number;
  return number == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* text, int bytes, CUdevice) {
  std::snprintf(text, static_cast<size_t>(bytes), "%s", device().name);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  if (which == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) {
    *value = 1;
    return CUDA_SUCCESS;
  }
  return result_of(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(which), 0));
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  *can = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) {
  *bytes = device().totalGlobalMem;
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo(size_t* left, size_t* total) {
  return result_of(cudaMemGetInfo(left, total));
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = the_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = the_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (context != nullptr) *context = the_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* which) {
  *which = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return result_of(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxSynchronize() {
  return result_of(cudaDeviceSynchronize());
}

// --- Modules ---

CUresult cuModuleLoadData(CUmodule* made, const void* image) {
  *made = reinterpret_cast<CUmodule>(load_module(image));
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadDataEx(CUmodule* made, const void* image, unsigned, CUjit_option*, void**) {
  return cuModuleLoadData(made, image);
}
CUresult cuModuleLoadFatBinary(CUmodule* made, const void* image) {
  return cuModuleLoadData(made, image);
}
CUresult cuModuleLoad(CUmodule* made, const char* name) {
  *made = reinterpret_cast<CUmodule>(load_module_file(name));
  return *made != nullptr ? CUDA_SUCCESS : CUDA_ERROR_FILE_NOT_FOUND;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule from, const char* name) {
  *function = reinterpret_cast<CUfunction>(add_kernel(reinterpret_cast<module*>(from), name));
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule from, const char* name) {
  uint64_t found = 0;
  void* const start = reinterpret_cast<module*>(from)->address_of(name, &found);
  if (start == nullptr) return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(start);
  if (bytes != nullptr) *bytes = found;
  return CUDA_SUCCESS;
}
CUresult cuLibraryLoadData(CUlibrary* made, const void* image, CUjit_option*, void**, unsigned, CUlibraryOption*,
                           void**, unsigned) {
  *made = reinterpret_cast<CUlibrary>(load_module(image));
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary from, const char* name) {
  *kernel = reinterpret_cast<CUkernel>(add_kernel(reinterpret_cast<module*>(from), name));
  return *kernel != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel of) {
  *function = reinterpret_cast<CUfunction>(of);
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  return result_of(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(which), value));
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  cudaFuncAttributes all;
  const cudaError_t status = cudaFuncGetAttributes(&all, function);
  *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK           ? all.maxThreadsPerBlock
           : which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES             ? static_cast<int>(all.sharedSizeBytes)
           : which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES              ? static_cast<int>(all.localSizeBytes)
           : which == CU_FUNC_ATTRIBUTE_NUM_REGS                      ? all.numRegs
           : which == CU_FUNC_ATTRIBUTE_PTX_VERSION                   ? all.ptxVersion
           : which == CU_FUNC_ATTRIBUTE_BINARY_VERSION                ? all.binaryVersion
           : which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? all.maxDynamicSharedSizeBytes
                                                                      : 0;
  return result_of(status);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, size_t bytes) {
  return result_of(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, bytes));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              size_t bytes, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, bytes);
}
// The size with which most threads fit on a multiprocessor, the largest of those.
CUresult cuOccupancyMaxPotentialBlockSize(int* blocks, int* threads, CUfunction function, CUoccupancyB2DSize bytes_of,
                                          size_t bytes, int limit) {
  const int most = std::min(limit > 0 ? limit : 1024, 1024);
  int best = 0;
  for (int size = most / 32 * 32; size > 0; size -= 32) {
    int count = 0;
    const CUresult status = cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, size,
                                                                        bytes_of != nullptr ? bytes_of(size) : bytes);
    if (status != CUDA_SUCCESS) return status;
    if (count * size <= best) continue;
    best = count * size;
    *threads = size;
    *blocks = count * device().multiProcessorCount;
  }
  return CUDA_SUCCESS;
}

// The linker takes one text of PTX, and gives it back.
CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* made) {
  *made = reinterpret_cast<CUlinkState>(new std::string);
  return CUDA_SUCCESS;
}
CUresult cuLinkAddData(CUlinkState to, CUjitInputType type, void* data, size_t bytes, const char*, unsigned,
                       CUjit_option*, void**) {
  std::string& text = *reinterpret_cast<std::string*>(to);
  if (type != CU_JIT_INPUT_PTX || !text.empty()) report_unsupported("cuLinkAddData", "of anything but one text of PTX");
  text.assign(static_cast<const char*>(data), bytes);
  return CUDA_SUCCESS;
}
CUresult cuLinkComplete(CUlinkState which, void** image, size_t* bytes) {
  std::string& text = *reinterpret_cast<std::string*>(which);
  *image = text.data();
  *bytes = text.size();
  return CUDA_SUCCESS;
}
CUresult cuLinkDestroy(CUlinkState which) {
  delete reinterpret_cast<std::string*>(which);
  return CUDA_SUCCESS;
}

// --- Launches ---

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream on, void** arguments,
                        void** extra) {
  const dim3 grid(grid_x, grid_y, grid_z), block(block_x, block_y, block_z);
  return start(function, {grid, block, dim3(1), false, false, shared_bytes}, arguments, extra, on);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream on, void** arguments) {
  const dim3 grid(grid_x, grid_y, grid_z), block(block_x, block_y, block_z);
  return start(function, {grid, block, dim3(1), false, true, shared_bytes}, arguments, nullptr, on);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* how, CUfunction function, void** arguments, void** extra) {
  const dim3 grid(how->gridDimX, how->gridDimY, how->gridDimZ), block(how->blockDimX, how->blockDimY, how->blockDimZ);
  const auto attributes = reinterpret_cast<cudaLaunchAttribute*>(how->attrs);  // with the same numbers
  const cudaLaunchConfig_t same{grid, block, how->sharedMemBytes, how->hStream, attributes, how->numAttrs};
  return start(function, shape_of(same), arguments, extra, how->hStream);
}

// --- Memory ---

CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  return result_of(cudaMalloc(reinterpret_cast<void**>(address), bytes));
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags) {
  return result_of(cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags));
}
CUresult cuMemAllocHost(void** pointer, size_t bytes) {
  return result_of(cudaMallocHost(pointer, bytes));
}
CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return result_of(cudaHostAlloc(pointer, bytes, flags));
}
CUresult cuMemHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return result_of(cudaHostRegister(pointer, bytes, flags));
}
CUresult cuMemHostUnregister(void* pointer) {
  return result_of(cudaHostUnregister(pointer));
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* pointer, unsigned flags) {
  return result_of(cudaHostGetDevicePointer(reinterpret_cast<void**>(address), pointer, flags));
}
CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned) {
  return result_of(cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height));
}
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream on) {
  return result_of(cudaMallocAsync(reinterpret_cast<void**>(address), bytes, on));
}
CUresult cuMemFree(CUdeviceptr address) {
  return result_of(cudaFree(pointer_of(address)));
}
CUresult cuMemFreeHost(void* pointer) {
  return result_of(cudaFreeHost(pointer));
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream on) {
  return result_of(cudaFreeAsync(pointer_of(address), on));
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return result_of(cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream on) {
  return result_of(cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, on));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return result_of(cudaMemcpy(pointer_of(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return result_of(cudaMemcpy(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return result_of(cudaMemcpy(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream on) {
  return result_of(cudaMemcpyAsync(pointer_of(to), from, bytes, cudaMemcpyHostToDevice, on));
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream on) {
  return result_of(cudaMemcpyAsync(to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, on));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream on) {
  return result_of(cudaMemcpyAsync(pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice, on));
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill_elements(to, value, 1, count, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill_elements(to, value, 2, count, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill_elements(to, value, 4, count, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream on) {
  return fill_elements(to, value, 1, count, on);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream on) {
  return fill_elements(to, value, 4, count, on);
}

// --- Streams and events ---

CUresult cuStreamCreate(CUstream* made, unsigned flags) {
  return result_of(cudaStreamCreateWithFlags(made, flags));
}
CUresult cuStreamCreateWithPriority(CUstream* made, unsigned flags, int priority) {
  return result_of(cudaStreamCreateWithPriority(made, flags, priority));
}
CUresult cuLaunchHostFunc(CUstream on, CUhostFn what, void* data) {
  return result_of(cudaLaunchHostFunc(on, what, data));
}
CUresult cuStreamDestroy(CUstream which) {
  return result_of(cudaStreamDestroy(which));
}
CUresult cuStreamSynchronize(CUstream which) {
  return result_of(cudaStreamSynchronize(which));
}
CUresult cuStreamQuery(CUstream which) {
  return result_of(cudaStreamQuery(which));
}
CUresult cuStreamWaitEvent(CUstream which, CUevent event, unsigned flags) {
  return result_of(cudaStreamWaitEvent(which, event, flags));
}
CUresult cuEventCreate(CUevent* made, unsigned flags) {
  return result_of(cudaEventCreateWithFlags(made, flags));
}
CUresult cuEventDestroy(CUevent which) {
  return result_of(cudaEventDestroy(which));
}
CUresult cuEventRecord(CUevent which, CUstream on) {
  return result_of(cudaEventRecord(which, on));
}
CUresult cuEventSynchronize(CUevent which) {
  return result_of(cudaEventSynchronize(which));
}
CUresult cuEventQuery(CUevent which) {
  return result_of(cudaEventQuery(which));
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  return result_of(cudaEventElapsedTime(milliseconds, start, end));
}

CUresult cuGetProcAddress(const char* name, void** function, int, cuuint64_t, CUdriverProcAddressQueryResult* found) {
  *function = driver_function(name);
  if (found != nullptr)
    *found = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // extern "C"

namespace model {

// Of the versions that the header has had, this library has one.
void* driver_function(const char* name) {
  static void* const library = [] {
    Dl_info here;
    return dladdr(reinterpret_cast<void*>(&cuDriverGetVersion), &here) != 0
               ? dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  for (const char* const version : {"", "_v2", "_v3", "_v4"})
    if (void* const found = library != nullptr ? dlsym(library, (name + std::string(version)).c_str()) : nullptr)
      return found;
  return nullptr;
}

}  // namespace model
