// What the machine says about itself as a device: the figures of an H100, but for multiprocessors and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace model {
namespace {

cudaDeviceProp properties_of_device(uint32_t architecture) {
  cudaDeviceProp made = {};
  std::strcpy(made.name, "the machine, as an H100");
  made.totalGlobalMem = uint64_t{16} << 30;
  made.sharedMemPerBlock = 48 << 10;
  made.regsPerBlock = 65536;
  made.warpSize = 32;
  made.memPitch = 0x7fffffff;
  made.maxThreadsPerBlock = 1024;
  made.maxThreadsDim[0] = made.maxThreadsDim[1] = 1024;
  made.maxThreadsDim[2] = 64;
  made.maxGridSize[0] = 0x7fffffff;
  made.maxGridSize[1] = made.maxGridSize[2] = 65535;
  made.totalConstMem = 64 << 10;
  made.major = static_cast<int>(architecture / 10);
  made.minor = static_cast<int>(architecture % 10);
  made.textureAlignment = 512;
  made.texturePitchAlignment = 32;
  made.canMapHostMemory = 1;
  made.surfaceAlignment = 512;
  made.concurrentKernels = 1;
  made.ECCEnabled = 1;
  made.asyncEngineCount = 3;
  made.unifiedAddressing = 1;
  made.memoryBusWidth = 5120;
  made.l2CacheSize = 50 << 20;
  made.persistingL2CacheMaxSize = 32 << 20;
  made.accessPolicyMaxWindowSize = 128 << 20;
  made.maxThreadsPerMultiProcessor = 2048;
  made.streamPrioritiesSupported = 1;
  made.globalL1CacheSupported = made.localL1CacheSupported = 1;
  made.sharedMemPerMultiprocessor = 228 << 10;
  made.regsPerMultiprocessor = 65536;
  made.managedMemory = made.concurrentManagedAccess = 1;
  made.computePreemptionSupported = 1;
  made.canUseHostPointerForRegisteredMem = 1;
  made.cooperativeLaunch = 1;
  made.sharedMemPerBlockOptin = 227 << 10;
  made.maxBlocksPerMultiProcessor = 32;
  made.reservedSharedMemPerBlock = 1 << 10;
  made.hostRegisterSupported = made.memoryPoolsSupported = 1;
  made.clusterLaunch = architecture >= 90;
  made.unifiedFunctionPointers = 1;
  return made;
}

int attribute_of_device(const cudaDeviceProp& device, cudaDeviceAttr which) {
  const auto row = [](cudaDeviceAttr name, auto value) { return std::pair(name, static_cast<int>(value)); };
  const std::pair<cudaDeviceAttr, int> all[] = {
      row(cudaDevAttrMaxThreadsPerBlock, device.maxThreadsPerBlock),
      row(cudaDevAttrMaxBlockDimX, device.maxThreadsDim[0]),
      row(cudaDevAttrMaxBlockDimY, device.maxThreadsDim[1]),
      row(cudaDevAttrMaxBlockDimZ, device.maxThreadsDim[2]),
      row(cudaDevAttrMaxGridDimX, device.maxGridSize[0]),
      row(cudaDevAttrMaxGridDimY, device.maxGridSize[1]),
      row(cudaDevAttrMaxGridDimZ, device.maxGridSize[2]),
      row(cudaDevAttrMaxSharedMemoryPerBlock, device.sharedMemPerBlock),
      row(cudaDevAttrTotalConstantMemory, device.totalConstMem),
      row(cudaDevAttrWarpSize, device.warpSize),
      row(cudaDevAttrMaxPitch, device.memPitch),
      row(cudaDevAttrMaxRegistersPerBlock, device.regsPerBlock),
      row(cudaDevAttrClockRate, 1'980'000),  // kHz
      row(cudaDevAttrTextureAlignment, device.textureAlignment),
      row(cudaDevAttrTexturePitchAlignment, device.texturePitchAlignment),
      row(cudaDevAttrMultiProcessorCount, device.multiProcessorCount),
      row(cudaDevAttrCanMapHostMemory, device.canMapHostMemory),
      row(cudaDevAttrSurfaceAlignment, device.surfaceAlignment),
      row(cudaDevAttrConcurrentKernels, device.concurrentKernels),
      row(cudaDevAttrEccEnabled, device.ECCEnabled),
      row(cudaDevAttrMemoryClockRate, 2'619'000),
      row(cudaDevAttrGlobalMemoryBusWidth, device.memoryBusWidth),
      row(cudaDevAttrL2CacheSize, device.l2CacheSize),
      row(cudaDevAttrMaxPersistingL2CacheSize, device.persistingL2CacheMaxSize),
      row(cudaDevAttrMaxAccessPolicyWindowSize, device.accessPolicyMaxWindowSize),
      row(cudaDevAttrMaxThreadsPerMultiProcessor, device.maxThreadsPerMultiProcessor),
      row(cudaDevAttrAsyncEngineCount, device.asyncEngineCount),
      row(cudaDevAttrUnifiedAddressing, device.unifiedAddressing),
      row(cudaDevAttrComputeCapabilityMajor, device.major),
      row(cudaDevAttrComputeCapabilityMinor, device.minor),
      row(cudaDevAttrStreamPrioritiesSupported, device.streamPrioritiesSupported),
      row(cudaDevAttrGlobalL1CacheSupported, device.globalL1CacheSupported),
      row(cudaDevAttrLocalL1CacheSupported, device.localL1CacheSupported),
      row(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device.sharedMemPerMultiprocessor),
      row(cudaDevAttrMaxRegistersPerMultiprocessor, device.regsPerMultiprocessor),
      row(cudaDevAttrManagedMemory, device.managedMemory),
      row(cudaDevAttrPageableMemoryAccess, device.pageableMemoryAccess),
      row(cudaDevAttrConcurrentManagedAccess, device.concurrentManagedAccess),
      row(cudaDevAttrComputePreemptionSupported, device.computePreemptionSupported),
      row(cudaDevAttrCanUseHostPointerForRegisteredMem, device.canUseHostPointerForRegisteredMem),
      row(cudaDevAttrCooperativeLaunch, device.cooperativeLaunch),
      row(cudaDevAttrMaxSharedMemoryPerBlockOptin, device.sharedMemPerBlockOptin),
      row(cudaDevAttrMaxBlocksPerMultiprocessor, device.maxBlocksPerMultiProcessor),
      row(cudaDevAttrReservedSharedMemoryPerBlock, device.reservedSharedMemPerBlock),
      row(cudaDevAttrClusterLaunch, device.clusterLaunch),
      row(cudaDevAttrHostRegisterSupported, device.hostRegisterSupported),
      row(cudaDevAttrMemoryPoolsSupported, device.memoryPoolsSupported),
  };
  for (const auto& each : all)
    if (each.first == which) return each.second;
  return 0;
}

int blocks_on_multiprocessor(const cudaFuncAttributes& kernel, uint64_t threads, uint64_t dynamic_shared_bytes) {
  const uint64_t warps = (threads + 31) / 32;
  if (warps == 0 || threads > static_cast<uint64_t>(kernel.maxThreadsPerBlock)) return 0;
  const uint64_t shared_bytes =
      (kernel.sharedSizeBytes + dynamic_shared_bytes + 127) / 128 * 128 + device().reservedSharedMemPerBlock;
  const uint64_t by_threads = static_cast<uint64_t>(device().maxThreadsPerMultiProcessor) / (32 * warps),
                 by_registers = static_cast<uint64_t>(device().regsPerMultiprocessor / kernel.numRegs) / (32 * warps),
                 by_memory = device().sharedMemPerMultiprocessor / shared_bytes,
                 most = static_cast<uint64_t>(device().maxBlocksPerMultiProcessor);
  return static_cast<int>(std::min({by_threads, by_registers, by_memory, most}));
}

// Without the multiprocessors, whose number a process may set for its children.
const cudaDeviceProp& limits() {
  static const cudaDeviceProp all = properties_of_device(architecture_of_program());
  return all;
}

}  // namespace

// A few multiprocessors: programs that start as many blocks as fit then start few.
const cudaDeviceProp& device() {
  static const cudaDeviceProp one = [] {
    cudaDeviceProp made = limits();
    made.multiProcessorCount = static_cast<int>(from_environment("CUDASYNC_MACHINE_MULTIPROCESSORS", 4));
    return made;
  }();
  return one;
}

// PTX does not say how many registers ptxas takes: as many as leave room for a block, at most 128.
cudaFuncAttributes attributes_of(const registered_kernel& what) {
  const facts kernel = what.from->facts_of(what.name);
  cudaFuncAttributes made = {};
  made.sharedSizeBytes = kernel.shared_bytes;
  made.localSizeBytes = kernel.local_bytes;
  made.maxThreadsPerBlock =
      kernel.most_threads != 0 ? static_cast<int>(kernel.most_threads) : limits().maxThreadsPerBlock;
  const int registers = std::min(128, limits().regsPerBlock / made.maxThreadsPerBlock / 8 * 8);
  made.numRegs = kernel.most_registers != 0 ? static_cast<int>(kernel.most_registers) : registers;
  made.ptxVersion = made.binaryVersion = limits().major * 10 + limits().minor;
  const size_t usual = limits().sharedMemPerBlock - std::min(limits().sharedMemPerBlock, made.sharedSizeBytes);
  made.maxDynamicSharedSizeBytes =
      what.most_dynamic_shared_bytes >= 0 ? what.most_dynamic_shared_bytes : static_cast<int>(usual);
  made.preferredShmemCarveout = -1;
  if (kernel.cluster.count() > 1) {
    made.requiredClusterWidth = static_cast<int>(kernel.cluster.x);
    made.requiredClusterHeight = static_cast<int>(kernel.cluster.y);
    made.requiredClusterDepth = static_cast<int>(kernel.cluster.z);
  }
  return made;
}

uint32_t most_resident_blocks(const registered_kernel& what, uint64_t threads, uint64_t dynamic_shared_bytes) {
  return static_cast<uint32_t>(device().multiProcessorCount *
                               blocks_on_multiprocessor(attributes_of(what), threads, dynamic_shared_bytes));
}

}  // namespace model

using namespace model;

extern "C" {

// --- Devices: there is one ---

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* which) {
  *which = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int which) {
  return which == 0 ? cudaSuccess : result(cudaErrorInvalidDevice);
}
cudaError_t cudaInitDevice(int which, unsigned, unsigned) {
  return cudaSetDevice(which);
}
cudaError_t cudaChooseDevice(int* which, const cudaDeviceProp*) {
  return cudaGetDevice(which);
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = cudaDeviceMapHost;
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() {
  return cudaDeviceSynchronize();
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int) {
  std::snprintf(text, static_cast<size_t>(bytes), "0000:00:00.0");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* which, const char*) {
  return cudaGetDevice(which);
}
cudaError_t cudaDeviceCanAccessPeer(int* can_access, int one, int other) {
  *can_access = 0;
  return cudaSetDevice(one | other);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return result(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
  return result(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  *value = 0;
  return result(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  *value = attribute_of_device(device(), which);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int which) {
  *properties = device();
  return which == 0 ? cudaSuccess : result(cudaErrorInvalidDevice);
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  *value = 1 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* which) {
  *which = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* which) {
  *which = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

// --- Kernels ---

cudaError_t cudaFuncSetAttribute(const void* handle, cudaFuncAttribute which, int value) {
  registered_kernel* const kernel = kernel_of(handle);
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  if (which != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  const size_t bytes = kernel->from->facts_of(kernel->name).shared_bytes + static_cast<size_t>(value);
  if (value < 0 || bytes > device().sharedMemPerBlockOptin) return result(cudaErrorInvalidValue);
  kernel->most_dynamic_shared_bytes = value;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* handle) {
  const registered_kernel* const kernel = kernel_of(handle);
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  *attributes = attributes_of(*kernel);
  return cudaSuccess;
}
cudaError_t cudaFuncGetName(const char** name, const void* handle) {
  const registered_kernel* const kernel = kernel_of(handle);
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  *name = kernel->name.c_str();
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* handle, int threads,
                                                          size_t shared_bytes) {
  const registered_kernel* const kernel = kernel_of(handle);
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  *blocks = blocks_on_multiprocessor(attributes_of(*kernel), static_cast<uint64_t>(threads), shared_bytes);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* handle, int threads,
                                                                   size_t shared_bytes, unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, threads, shared_bytes);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* handle, int blocks, int) {
  cudaFuncAttributes attributes;
  const cudaError_t status = cudaFuncGetAttributes(&attributes, handle);
  if (status != cudaSuccess) return status;
  const size_t each = device().sharedMemPerMultiprocessor / static_cast<size_t>(std::max(1, blocks));
  const size_t taken = device().reservedSharedMemPerBlock + attributes.sharedSizeBytes;
  *bytes = std::min(device().sharedMemPerBlockOptin - attributes.sharedSizeBytes, each > taken ? each - taken : 0);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* handle, const cudaLaunchConfig_t* how) {
  const registered_kernel* const kernel = kernel_of(handle);
  if (kernel == nullptr) return result(cudaErrorInvalidDeviceFunction);
  const launch_shape shape = shape_of(*how);
  const uint64_t threads = uint64_t{shape.block.x} * shape.block.y * shape.block.z;
  *clusters = static_cast<int>(most_resident_blocks(*kernel, threads, shape.shared_bytes) /
                               (shape.cluster.x * shape.cluster.y * shape.cluster.z));
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void*, const cudaLaunchConfig_t*) {
  *blocks = 8;
  return cudaSuccess;
}

}  // extern "C"
