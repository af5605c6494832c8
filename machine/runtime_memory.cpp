// Memory of the device, which is memory of this process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime_memory.h"
#include "runtime_graph.h"

#include <atomic>
#include <cstdlib>

namespace model {
namespace {

struct allocation {
  uint64_t bytes;
  cudaMemoryType type;
  void* storage;             // nullptr: of memory that the program has registered
  bool is_of_graph = false;  // which allocates it again in its next launch
};

std::map<uint64_t, allocation>& allocations() {
  return lasting<std::map<uint64_t, allocation>>();
}

std::atomic<bool> is_shared_with_host{false};  // any that was ever allocated

uint64_t value_of(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

// Of zeros: what nothing touches costs no time. Behind it, a gap.
cudaError_t allocate(void** pointer, size_t bytes, cudaMemoryType type) {
  constexpr uint64_t alignment = 512;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  void* const storage = bytes <= device().totalGlobalMem ? std::calloc(bytes + 2 * alignment, 1) : nullptr;
  if (storage == nullptr) return result(cudaErrorMemoryAllocation);
  const uint64_t start = (value_of(storage) + alignment - 1) / alignment * alignment;
  *pointer = reinterpret_cast<void*>(start);
  const runtime_lock lock(runtime_mutex());
  allocations()[start] = {bytes, type, storage};
  is_shared_with_host = is_shared_with_host || type != cudaMemoryTypeDevice;
  allow(*pointer, bytes, "",
        type == cudaMemoryTypeHost      ? "host"
        : type == cudaMemoryTypeManaged ? "managed"
                                        : "global");
  return cudaSuccess;
}

bool release(void* pointer) {
  const runtime_lock lock(runtime_mutex());
  const auto at = allocations().find(value_of(pointer));
  if (at == allocations().end()) return false;
  if (at->second.is_of_graph) {
    const bool is_allocated = is_allowed(at->first, 1);
    forbid(pointer);
    return is_allocated;
  }
  forbid(pointer);
  std::free(at->second.storage);
  allocations().erase(at);
  return true;
}

cudaError_t release_and_wait(void* pointer, const char* call = __builtin_FUNCTION()) {
  work_queue::only().finish_all(call);
  if (pointer != nullptr && !release(pointer)) return result(cudaErrorInvalidValue);
  return result(sticky_error());
}

}  // namespace

uint64_t bytes_at(const void* pointer) {
  const runtime_lock lock(runtime_mutex());
  const auto at = allocations().find(value_of(pointer));
  return at != allocations().end() ? at->second.bytes : 0;
}

bool is_memory_of_host(uint64_t address) {
  const runtime_lock lock(runtime_mutex());
  const auto after = allocations().upper_bound(address);
  if (after == allocations().begin()) return false;
  const auto at = std::prev(after);
  return address < at->first + at->second.bytes && at->second.type != cudaMemoryTypeDevice;
}

void share_with_host() {
  is_shared_with_host = true;
}
bool shares_with_host() {
  return is_shared_with_host;
}

// A graph has the same memory in each launch, which kernels may access between the two.
action action_of_allocation(graph& by, void* pointer, size_t bytes) {
  const runtime_lock lock(runtime_mutex());
  allocations()[value_of(pointer)].is_of_graph = true;
  const auto allow_again = [=] {
    if (!is_allowed(value_of(pointer), bytes)) allow(pointer, bytes);
  };
  by.at_launch.push_back(allow_again);  // later calls of the host name it
  return [=] {
    allow_again();
    note_whole(pointer, bytes, "cudaMallocAsync", "allocate");
  };
}
action action_of_free(void* pointer) {
  return [=] {
    note_whole(pointer, bytes_at(pointer), "cudaFreeAsync", "free");
    forbid(pointer);
  };
}

namespace {

std::pair<const uint64_t, allocation>* allocation_at(const void* pointer) {
  const auto after = allocations().upper_bound(value_of(pointer));
  if (after == allocations().begin()) return nullptr;
  const auto at = std::prev(after);
  return value_of(pointer) < at->first + at->second.bytes ? &*at : nullptr;
}

}  // namespace
}  // namespace model

using namespace model;

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, cudaMemoryTypeDevice);
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, cudaMemoryTypeManaged);
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, cudaMemoryTypeHost);
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(pointer, *pitch * height);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* made, cudaExtent extent) {
  *made = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&made->ptr, &made->pitch, extent.width, extent.height * extent.depth);
}
cudaError_t cudaFree(void* pointer) {
  return release_and_wait(pointer);
}
cudaError_t cudaFreeHost(void* pointer) {
  return release_and_wait(pointer);
}
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  const runtime_lock lock(runtime_mutex());
  if (allocation_at(pointer) != nullptr) return result(cudaErrorHostMemoryAlreadyRegistered);
  allocations()[value_of(pointer)] = {bytes, cudaMemoryTypeHost, nullptr};
  is_shared_with_host = true;
  allow(pointer, bytes, "", "host");
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* pointer) {
  work_queue::only().finish_all();
  return release(pointer) ? cudaSuccess : result(cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void** pointer, void* host, unsigned) {
  *pointer = host;
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = cudaHostAllocMapped;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const runtime_lock lock(runtime_mutex());
  const auto* const at = allocation_at(pointer);
  *attributes = {};
  const bool is_variable = at == nullptr && is_allowed(value_of(pointer), 1);
  attributes->type = at != nullptr ? at->second.type : is_variable ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  if (attributes->type == cudaMemoryTypeUnregistered) {
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(pointer);
    return cudaSuccess;
  }
  attributes->devicePointer = const_cast<void*>(pointer);
  if (attributes->type != cudaMemoryTypeDevice) attributes->hostPointer = const_cast<void*>(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* left, size_t* total) {
  const runtime_lock lock(runtime_mutex());
  *total = *left = device().totalGlobalMem;
  for (const auto& each : allocations())
    if (each.second.type == cudaMemoryTypeDevice) *left -= std::min<size_t>(*left, each.second.bytes);
  return cudaSuccess;
}

// --- In the order of a stream: the address is valid at once, and until the stream gets to the free ---

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t on) {
  const cudaError_t status = cudaMalloc(pointer, bytes);
  if (status != cudaSuccess) return status;
  if (graph* const by = stream_of(on).captures_into)
    return issue(on, cudaGraphNodeTypeMemAlloc, action_of_allocation(*by, *pointer, bytes));
  return issue(on, cudaGraphNodeTypeMemAlloc,
               [start = *pointer, bytes] { note_whole(start, bytes, "cudaMallocAsync", "allocate"); });
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t, cudaStream_t on) {
  return cudaMallocAsync(pointer, bytes, on);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t on) {
  if (stream_of(on).captures_into != nullptr) return issue(on, cudaGraphNodeTypeMemFree, action_of_free(pointer));
  return issue(on, cudaGraphNodeTypeMemFree, [=] {
    const uint64_t bytes = bytes_at(pointer);
    note_whole(pointer, bytes, "cudaFreeAsync", "free");
    work_queue::only().forget_memory(value_of(pointer), bytes);  // others may get it
    release(pointer);
  });
}
static char pool_of_device;
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = reinterpret_cast<cudaMemPool_t>(&pool_of_device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int which) {
  return cudaDeviceGetDefaultMemPool(pool, which);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return cudaDeviceGetDefaultMemPool(pool, 0);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr which, void* value) {
  const bool is_flag = which == cudaMemPoolReuseFollowEventDependencies ||
                       which == cudaMemPoolReuseAllowOpportunistic ||
                       which == cudaMemPoolReuseAllowInternalDependencies;
  if (is_flag)
    *static_cast<int*>(value) = 1;
  else
    *static_cast<uint64_t*>(value) = 0;
  return cudaSuccess;
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

}  // extern "C"
