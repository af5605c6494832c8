// As much of the CUDA runtime as test programs use, with the machine in place of a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs are compiled to PTX (-gencode arch=compute_90,code=compute_90 -no-compress -cudart none) and linked with this.
// CUDASYNC_MACHINE_SEED chooses the interleaving; CUDASYNC_MACHINE_RACES=0 turns the search for races off, and with
// CUDASYNC_MACHINE_RACES=all a kernel goes on after the first; CUDASYNC_MACHINE_MOST_THREADS is the largest grid in which races
// are looked for; with CUDASYNC_MACHINE_STRICT=1, findings of the strict level are reported, too; CUDASYNC_MACHINE_REPORT names
// a file for findings as lines of JSON; with CUDASYNC_MACHINE_VERBOSE each kernel's length is printed.
#include "machine.h"
#include "tensor_map.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using model::launch;
using model::module;
using model::outcome;
using model::settings;

constexpr int multiprocessors = 4, blocks_each = 2;

struct kernel {
  module* from;
  std::string name;
};
struct symbol {
  module* from;
  std::string name;
};

// A program's modules are registered before main.
struct registry {
  std::vector<std::unique_ptr<module>> modules;
  std::map<const void*, kernel> kernels;
  std::map<const void*, symbol> symbols;
};
registry& all() {
  static registry* const one = new registry;
  return *one;
}

// Kernels run in the order of their launches, in a thread of their own: the host goes on meanwhile.
class queue {
 public:
  static queue& only() {
    static queue* const one = new queue;  // the thread outlives main
    return *one;
  }
  void add(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!runs_) {
      runs_ = true;
      std::thread([this] { run(); }).detach();
    }
    waiting_.push_back(std::move(work));
    ++open_;
    changed_.notify_all();
  }
  void finish() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return open_ == 0; });
  }
  bool is_idle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return open_ == 0;
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> work;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return !waiting_.empty(); });
        work = std::move(waiting_.front());
        waiting_.pop_front();
      }
      work();
      const std::lock_guard<std::mutex> lock(mutex_);
      --open_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  int open_ = 0;
  bool runs_ = false;
};

cudaError_t sticky = cudaSuccess, last = cudaSuccess;

cudaError_t result(cudaError_t status) {
  if (status != cudaSuccess) last = status;
  return status;
}

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 0) : otherwise;
}

void run(const kernel& what, launch how) {
  if (sticky != cudaSuccess) return;
  settings with;
  with.resident_blocks = multiprocessors * blocks_each;
  static uint64_t launches = 0;
  with.seed = from_environment("CUDASYNC_MACHINE_SEED", 1) * 1000003 + launches++;
  const char* const races = std::getenv("CUDASYNC_MACHINE_RACES");
  with.goes_on_after_races = races != nullptr && std::strcmp(races, "all") == 0;
  with.finds_races = with.goes_on_after_races || from_environment("CUDASYNC_MACHINE_RACES", 1) != 0;
  with.most_threads = from_environment("CUDASYNC_MACHINE_MOST_THREADS", with.most_threads);
  with.is_strict = from_environment("CUDASYNC_MACHINE_STRICT", 0) != 0;
  with.on_finding = [](model::finding one) {
    one.seed = from_environment("CUDASYNC_MACHINE_SEED", 1);
    std::fprintf(stderr, "model: %s\n", model::text_of(one).c_str());
    model::append_to_report(model::json_of(one));
  };
  outcome done;
  try {
    done = what.from->run(what.name, how, with);
  } catch (const model::fault& wrong) {  // it cannot begin
    done.how = outcome::end::faulted;
    done.error = wrong.what();
    done.findings.emplace_back();
    model::finding& made = done.findings.back();
    made.kind = wrong.kind;
    made.rule = wrong.rule;
    made.kernel = model::demangled(what.name);
    made.message = wrong.what();
    with.on_finding(made);
  }
  std::string why_not = with.finds_races ? "" : "CUDASYNC_MACHINE_RACES=0";
  for (const model::finding& each : done.findings)
    if (each.kind == "limit") why_not = each.message;
  constexpr const char* ends[] = {"finished", "trapped", "faulted", "hung", "raced"};
  model::append_to_report(model::json_of_kernel(model::demangled(what.name),
                                                from_environment("CUDASYNC_MACHINE_SEED", 1), done.steps,
                                                ends[static_cast<size_t>(done.how)], why_not));
  if (std::getenv("CUDASYNC_MACHINE_VERBOSE") != nullptr)
    std::fprintf(stderr, "model: %s: %llu steps, %llu ns\n", what.name.c_str(),
                 static_cast<unsigned long long>(done.steps), static_cast<unsigned long long>(done.nanoseconds));
  std::fputs(done.printed.c_str(), stdout);
  std::fflush(stdout);
  switch (done.how) {
  case outcome::end::finished:
    sticky = done.has_bugs() ? cudaErrorUnknown : cudaSuccess;
    break;
  case outcome::end::raced:
    sticky = cudaErrorUnknown;
    break;
  case outcome::end::hung:
    sticky = cudaErrorLaunchTimeout;
    break;
  case outcome::end::faulted:
    sticky = done.error.find("illegal address") != std::string::npos ? cudaErrorIllegalAddress : cudaErrorLaunchFailure;
    break;
  default:
    sticky = cudaErrorLaunchFailure;
  }
}

cudaError_t start(const kernel& what, dim3 grid, dim3 block, dim3 cluster, bool has_clusters, void** arguments,
                  size_t shared_bytes) {
  launch how;
  how.grid = {grid.x, grid.y, grid.z};
  how.block = {block.x, block.y, block.z};
  how.cluster = {cluster.x, cluster.y, cluster.z};
  how.has_clusters = has_clusters;
  how.dynamic_shared_bytes = shared_bytes;
  const std::vector<uint64_t> offsets = what.from->parameter_offsets(what.name);
  const uint64_t bytes = what.from->parameter_bytes(what.name);
  how.parameters.resize(bytes);
  for (size_t index = 0; index < offsets.size(); ++index) {
    const uint64_t end = index + 1 < offsets.size() ? offsets[index + 1] : bytes;
    // What lies behind a smaller parameter before the next is padding, which may lie behind the end of its object.
    const uint64_t size = what.from->parameter_size(what.name, index);
    std::memcpy(how.parameters.data() + offsets[index], arguments[index],
                size < end - offsets[index] ? size : end - offsets[index]);
  }
  if (block.x * block.y * block.z > 1024) return result(cudaErrorInvalidConfiguration);
  queue::only().add([what, how] { run(what, how); });
  return cudaSuccess;
}

// --- The container in which nvcc embeds PTX ---

struct wrapper {
  uint32_t magic, version;
  const unsigned char* data;
  void* more;
};

std::vector<std::string> texts_in(const unsigned char* data) {
  std::vector<std::string> found;
  uint16_t header_bytes;
  uint64_t total;
  std::memcpy(&header_bytes, data + 6, 2);
  std::memcpy(&total, data + 8, 8);
  const unsigned char* at = data + header_bytes;
  const unsigned char* const end = at + total;
  while (at < end) {
    uint16_t what;
    uint32_t header;
    uint64_t bytes;
    std::memcpy(&what, at, 2);
    std::memcpy(&header, at + 4, 4);
    std::memcpy(&bytes, at + 8, 8);
    if (what == 1) found.emplace_back(reinterpret_cast<const char*>(at + header), bytes);
    at += header + bytes;
  }
  return found;
}

// In place of the driver's function. Only tiles, without a swizzle.
CUresult encode_tiled(CUtensorMap* map, CUtensorMapDataType element, cuuint32_t rank, void* address,
                      const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box,
                      const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                      CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  model::tensor_map made = {};
  made.address = reinterpret_cast<uint64_t>(address);
  made.rank = rank - 1;
  for (cuuint32_t place = 0; place < rank; ++place) {
    made.extents[place] = static_cast<unsigned>(extents[place]);
    made.box[place] = box[place];
    made.steps[place] = steps[place];
    if (place != 0) made.strides[place - 1] = strides[place - 1];
  }
  constexpr unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};  // CUtensorMapDataType
  if (static_cast<size_t>(element) >= std::size(bytes)) return CUDA_ERROR_NOT_SUPPORTED;
  made.element_bytes = bytes[element];
  made.interleave = interleave;
  made.swizzle = swizzle;
  made.fill = fill;
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}
static_assert(std::is_same_v<decltype(&encode_tiled), decltype(&cuTensorMapEncodeTiled)>);

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  const bool is_known = std::strcmp(name, "cuTensorMapEncodeTiled") == 0;
  *function = is_known ? reinterpret_cast<void*>(&encode_tiled) : nullptr;
  *found = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* found) {
  return cudaGetDriverEntryPointByVersion(name, function, 0, flags, found);
}

void** __cudaRegisterFatBinary(void* image) {
  const wrapper* const outer = static_cast<const wrapper*>(image);
  // Of a program with the code of several architectures, the one that is wanted; otherwise the last one.
  const char* const architecture = std::getenv("CUDASYNC_MACHINE_ARCHITECTURE");
  const std::string wanted = std::string(".target ") + (architecture != nullptr ? architecture : "");
  try {
    for (const std::string& text : texts_in(outer->data))
      if (text.find(wanted) != std::string::npos) all().modules.emplace_back(new module(text));
  } catch (const model::fault& wrong) {
    std::fprintf(stderr, "model: %s\n", wrong.what());
    std::_Exit(1);
  }
  if (all().modules.empty()) {
    std::fprintf(stderr, "model: the program embeds no PTX, or not of this architecture\n");
    std::_Exit(1);
  }
  return reinterpret_cast<void**>(all().modules.back().get());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}
void __cudaRegisterFunction(void** from, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  all().kernels[host] = {reinterpret_cast<module*>(from), name};
}
void __cudaRegisterVar(void** from, char* host, char*, const char* name, int, size_t, int, int) {
  all().symbols[host] = {reinterpret_cast<module*>(from), name};
}
void __cudaRegisterManagedVar(void** from, void** host, char*, const char* name, int, size_t, int, int) {
  all().symbols[host] = {reinterpret_cast<module*>(from), name};
  *host = reinterpret_cast<module*>(from)->address_of(name, nullptr);
}

static thread_local struct {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
} configuration;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  configuration = {grid, block, shared_bytes, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared_bytes = configuration.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* found, const void* host) {
  const auto at = all().kernels.find(host);
  if (at == all().kernels.end()) return result(cudaErrorInvalidDeviceFunction);
  *found = reinterpret_cast<cudaKernel_t>(&at->second);
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t what, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t) {
  return start(*reinterpret_cast<kernel*>(what), grid, block, dim3(1), false, arguments, shared_bytes);
}
cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t) {
  const auto at = all().kernels.find(host);
  if (at == all().kernels.end()) return result(cudaErrorInvalidDeviceFunction);
  return start(at->second, grid, block, dim3(1), false, arguments, shared_bytes);
}
cudaError_t cudaLaunchCooperativeKernel(const void* host, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                                        cudaStream_t stream) {
  return cudaLaunchKernel(host, grid, block, arguments, shared_bytes, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* how, const void* host, void** arguments) {
  const auto at = all().kernels.find(host);
  if (at == all().kernels.end()) return result(cudaErrorInvalidDeviceFunction);
  dim3 cluster(1);
  bool has_clusters = false;
  for (unsigned index = 0; index < how->numAttrs; ++index)
    if (how->attrs[index].id == cudaLaunchAttributeClusterDimension) {
      cluster = dim3(how->attrs[index].val.clusterDim.x, how->attrs[index].val.clusterDim.y,
                     how->attrs[index].val.clusterDim.z);
      has_clusters = true;
    }
  return start(at->second, how->gridDim, how->blockDim, cluster, has_clusters, arguments, how->dynamicSmemBytes);
}

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  *pointer = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  model::allow(*pointer, bytes);
  return cudaSuccess;
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return cudaMalloc(pointer, bytes);
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaMalloc(pointer, bytes);
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return cudaMalloc(pointer, bytes);
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return cudaSuccess;
}
cudaError_t cudaFree(void* pointer) {
  queue::only().finish();
  model::forbid(pointer);
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* pointer) {
  return cudaFree(pointer);
}
cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  queue::only().finish();
  std::memset(pointer, value, bytes);
  return result(sticky);
}
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t) {
  return cudaMemset(pointer, value, bytes);
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  queue::only().finish();
  if (sticky == cudaSuccess) std::memcpy(to, from, bytes);
  return result(sticky);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
static uint8_t* address_of(const void* host) {
  const auto at = all().symbols.find(host);
  return at == all().symbols.end() ? nullptr
                                   : static_cast<uint8_t*>(at->second.from->address_of(at->second.name, nullptr));
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* host) {
  *pointer = address_of(host);
  return result(*pointer != nullptr ? cudaSuccess : cudaErrorInvalidSymbol);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* host, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return cudaMemcpy(to, address_of(host) + offset, bytes, kind);
}
cudaError_t cudaMemcpyToSymbol(const void* host, const void* from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return cudaMemcpy(address_of(host) + offset, from, bytes, kind);
}

cudaError_t cudaDeviceSynchronize() {
  queue::only().finish();
  return result(sticky);
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return queue::only().is_idle() ? result(sticky) : cudaErrorNotReady;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaDeviceSynchronize();
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  const cudaError_t status = last;
  last = sticky;
  return status;
}
cudaError_t cudaPeekAtLastError() {
  return last;
}
const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
  case cudaSuccess:
    return "no error";
  case cudaErrorLaunchFailure:
    return "unspecified launch failure";
  case cudaErrorIllegalAddress:
    return "an illegal memory access was encountered";
  case cudaErrorLaunchTimeout:
    return "the launch timed out and was terminated";
  case cudaErrorUnknown:
    return "the model found a race";
  default:
    return "an error";
  }
}
const char* cudaGetErrorName(cudaError_t status) {
  return cudaGetErrorString(status);
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can_access, int, int) {  // there is one device
  *can_access = 0;
  return cudaErrorInvalidDevice;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return cudaErrorInvalidDevice;
}
cudaError_t cudaDeviceReset() {
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  switch (which) {
  case cudaDevAttrComputeCapabilityMajor:
    *value = 9;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *value = 0;
    break;
  case cudaDevAttrMultiProcessorCount:
    *value = multiprocessors;
    break;
  case cudaDevAttrCooperativeLaunch:
  case cudaDevAttrClusterLaunch:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrPageableMemoryAccess:
    *value = 1;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = 227 << 10;
    break;
  default:
    *value = 0;
  }
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "model");
  properties->major = 9;
  properties->multiProcessorCount = multiprocessors;
  properties->warpSize = 32;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, size_t) {
  *blocks = blocks_each;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, size_t, unsigned) {
  *blocks = blocks_each;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*, const cudaLaunchConfig_t*) {
  *clusters = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  *value = 1 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return cudaSuccess;
}

}  // extern "C"
