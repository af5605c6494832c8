// What the functions of the runtime do on the machine: each by its effect on memory, on the order of work, or on a later call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../support/gpu_test.h"

#include <cooperative_groups.h>
#include <cuda.h>

#include <atomic>
#include <chrono>
#include <thread>

using gpu_test::expect_success;

#define SUCCEEDS(...) CHECK((__VA_ARGS__) == cudaSuccess)
#define FAILS(STATUS, ...) CHECK((__VA_ARGS__) == (STATUS) && cudaGetLastError() == (STATUS))

__device__ int words_of_device[4] = {1, 2, 3, 4};
__constant__ int words_constant[4];
__managed__ int word_managed = 5;

__global__ void add(int* to, int value) {
  to[threadIdx.x] += value;
}
__global__ void double_it(int* to) {
  to[threadIdx.x] *= 2;
}
__global__ void add_atomically(int* to) {
  atomicAdd(to, 1);
}
__global__ void set_atomically(int* to) {
  atomicExch(to, 5);
}
__global__ void copy_constant(int* to) {
  to[threadIdx.x] = words_constant[threadIdx.x] + words_of_device[threadIdx.x] + word_managed;
}
__global__ void fill_dynamic(int* to, unsigned bytes) {
  extern __shared__ char memory[];
  for (unsigned at = threadIdx.x; at < bytes; at += blockDim.x)
    memory[at] = 1;
  __syncthreads();
  if (threadIdx.x == 0) *to = memory[bytes - 1];
}
__global__ void meet(int* arrived, int* seen) {
  if (threadIdx.x == 0) atomicAdd(arrived, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) seen[blockIdx.x] = atomicAdd(arrived, 0);
}
__global__ void wait_for_host(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void keep_in_shared(int* flag, int* to) {
  extern __shared__ int kept[];
  kept[threadIdx.x] = 10 + static_cast<int>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {
    }
  __syncthreads();
  to[threadIdx.x] = kept[31];
}
__global__ void set_from_shared(int* flag) {
  __shared__ int words[1000];
  words[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, words[blockDim.x - 1]);
}
__global__ void print_all(long long large) {
  char own[8];
  for (int index = 0; index < 3; ++index)
    own[index] = static_cast<char>('a' + static_cast<int>(threadIdx.x) + index);
  own[3] = '\0';
  printf("%s, %5.2f, %a, %lld, %*u%%\n", own, 1.5, 0.5, large, 4, 7u);
  printf("100%");
}
__global__ void use_heap(int* to) {
  int* const mine = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int index = 0; index < 4; ++index)
    mine[index] = static_cast<int>(threadIdx.x) + index;
  to[blockIdx.x * blockDim.x + threadIdx.x] = mine[0] + mine[3];
  free(mine);
}
__global__ void count_down(int* value, cudaGraphConditionalHandle goes_on) {
  cudaGraphSetConditional(goes_on, static_cast<unsigned>(--*value));
}
extern "C" __global__ void by_name(int* to, int value, long long more) {
  to[threadIdx.x] = value + static_cast<int>(more);
}

namespace {

// Memory of the device with ints of one value.
struct ints {
  int* at = nullptr;
  size_t count;
  explicit ints(size_t count, int value = 0) : count(count) {
    SUCCEEDS(cudaMalloc(&at, count * sizeof(int)));
    std::vector<int> all(count, value);
    SUCCEEDS(cudaMemcpy(at, all.data(), count * sizeof(int), cudaMemcpyHostToDevice));
  }
  ~ints() { cudaFree(at); }
  std::vector<int> now() const {
    std::vector<int> all(count);
    expect_success(cudaMemcpy(all.data(), at, count * sizeof(int), cudaMemcpyDeviceToHost), "copy");
    return all;
  }
};

TEST(copies) {
  ints one(16);
  const std::vector<int> given = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  SUCCEEDS(cudaMemcpy(one.at, given.data(), 64, cudaMemcpyHostToDevice));
  CHECK(one.now() == given);
  int back[16] = {};
  SUCCEEDS(cudaMemcpy2D(back, 8, one.at + 1, 16, 8, 4, cudaMemcpyDeviceToHost));  // two of each four
  CHECK(back[0] == 1 && back[1] == 2 && back[2] == 5 && back[7] == 14 && back[8] == 0);
  SUCCEEDS(cudaMemset2D(one.at, 16, 0xff, 8, 2));
  CHECK(one.now()[0] == -1 && one.now()[1] == -1 && one.now()[2] == 2 && one.now()[5] == -1 && one.now()[8] == 8);
  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(one.at, 8, 2, 2);  // 2 x 2 x 4 ints
  box.srcPos = make_cudaPos(4, 1, 2);
  box.dstPtr = make_cudaPitchedPtr(back, 4, 1, 1);
  box.extent = make_cudaExtent(4, 1, 2);
  box.kind = cudaMemcpyDeviceToHost;
  SUCCEEDS(cudaMemcpy3D(&box));
  CHECK(back[0] == 11 && back[1] == 15);
  FAILS(cudaErrorInvalidValue, cudaMemcpy(one.at + 1, given.data(), 64, cudaMemcpyHostToDevice));  // 4 bytes too many
  FAILS(cudaErrorInvalidValue, cudaMemcpy(back, given.data(), 4, cudaMemcpyDeviceToHost));         // not of the device
  FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(back, one.at, 4, static_cast<cudaMemcpyKind>(7)));
  cudaPitchedPtr rows;
  SUCCEEDS(cudaMalloc3D(&rows, make_cudaExtent(100, 3, 2)));
  CHECK(rows.pitch >= 100 && rows.pitch % 32 == 0);
  SUCCEEDS(cudaMemset3D(rows, 1, make_cudaExtent(100, 3, 2)));
  SUCCEEDS(cudaFree(rows.ptr));
}

TEST(variables) {
  const int given[4] = {10, 20, 30, 40};
  SUCCEEDS(cudaMemcpyToSymbol(words_constant, given, sizeof given));
  SUCCEEDS(cudaMemcpyToSymbol(words_of_device, given, 4, 12));
  void* start = nullptr;
  size_t bytes = 0;
  SUCCEEDS(cudaGetSymbolAddress(&start, words_of_device));
  SUCCEEDS(cudaGetSymbolSize(&bytes, words_of_device));
  CHECK(start != nullptr && bytes == 16);
  word_managed = 100;
  ints one(4);
  copy_constant<<<1, 4>>>(one.at);
  CHECK(one.now() == (std::vector<int>{111, 122, 133, 150}));
  int back[2];
  SUCCEEDS(cudaMemcpyFromSymbol(back, words_of_device, 8, 8));
  CHECK(back[0] == 3 && back[1] == 10);
  FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(back, words_of_device, 8, 12));
}

TEST(kinds_of_memory) {
  int *pinned, *managed, *mapped, *of_device, local = 0;
  SUCCEEDS(cudaMallocHost(&pinned, 64));
  SUCCEEDS(cudaMallocManaged(&managed, 64));
  SUCCEEDS(cudaHostAlloc(&mapped, 64, cudaHostAllocMapped));
  SUCCEEDS(cudaMalloc(&of_device, 64));
  const auto kind = [](const void* pointer) {
    cudaPointerAttributes found;
    expect_success(cudaPointerGetAttributes(&found, pointer), "attributes");
    return found.type;
  };
  CHECK(kind(pinned + 15) == cudaMemoryTypeHost && kind(managed) == cudaMemoryTypeManaged);
  CHECK(kind(of_device + 15) == cudaMemoryTypeDevice && kind(&local) == cudaMemoryTypeUnregistered);
  *managed = 1;
  add<<<1, 1>>>(managed, 2);
  SUCCEEDS(cudaDeviceSynchronize());
  CHECK(*managed == 3);
  int* there = nullptr;
  SUCCEEDS(cudaHostGetDevicePointer(&there, mapped, 0));
  *mapped = 10;
  add<<<1, 1>>>(there, 2);
  SUCCEEDS(cudaDeviceSynchronize());
  CHECK(*mapped == 12);
  SUCCEEDS(cudaHostRegister(&local, sizeof local, 0));
  CHECK(kind(&local) == cudaMemoryTypeHost);
  add<<<1, 1>>>(&local, 7);
  SUCCEEDS(cudaDeviceSynchronize());
  CHECK(local == 7);
  SUCCEEDS(cudaHostUnregister(&local));
  FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(&local));
  size_t before, after, total;
  SUCCEEDS(cudaMemGetInfo(&before, &total));
  SUCCEEDS(cudaFree(of_device));
  SUCCEEDS(cudaMemGetInfo(&after, &total));
  CHECK(after == before + 64 && after <= total);
  FAILS(cudaErrorInvalidValue, cudaFree(of_device));
  FAILS(cudaErrorMemoryAllocation, cudaMalloc(&of_device, size_t{1} << 50));
  SUCCEEDS(cudaFreeHost(pinned));
  SUCCEEDS(cudaFreeHost(mapped));
  SUCCEEDS(cudaFree(managed));
}

// A kernel in each stream waits for what the host does after the launch: so all launches return at once.
TEST(order_of_streams) {
  ints one(1, 1);
  cudaStream_t first, second;
  SUCCEEDS(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  SUCCEEDS(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, -1));
  cudaEvent_t added, start, end;
  SUCCEEDS(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));
  SUCCEEDS(cudaEventCreate(&start));
  SUCCEEDS(cudaEventCreate(&end));
  volatile int* flag;
  SUCCEEDS(cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&flag)), 4));
  *flag = 0;
  SUCCEEDS(cudaEventRecord(start, first));
  wait_for_host<<<1, 1, 0, first>>>(flag);
  add<<<1, 1, 0, first>>>(one.at, 4);
  SUCCEEDS(cudaEventRecord(added, first));
  SUCCEEDS(cudaStreamWaitEvent(second, added, 0));
  double_it<<<1, 1, 0, second>>>(one.at);
  SUCCEEDS(cudaEventRecord(end, second));
  CHECK(cudaStreamQuery(second) == cudaErrorNotReady && cudaEventQuery(added) == cudaErrorNotReady);
  float milliseconds = -1;
  FAILS(cudaErrorNotReady, cudaEventElapsedTime(&milliseconds, start, end));
  *flag = 1;
  SUCCEEDS(cudaEventSynchronize(end));
  SUCCEEDS(cudaStreamQuery(second));
  SUCCEEDS(cudaEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds > 0 && milliseconds < 1000);
  FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, added));
  CHECK(one.now()[0] == 10);
  int priority = 0;
  SUCCEEDS(cudaStreamGetPriority(second, &priority));
  CHECK(priority == -1);
  SUCCEEDS(cudaStreamDestroy(first));
  SUCCEEDS(cudaStreamDestroy(second));
  SUCCEEDS(cudaFreeHost(const_cast<int*>(flag)));
}

// The legacy stream waits for the others, and they for it, but for those that do not block.
TEST(legacy_stream) {
  ints one(1, 1);
  cudaStream_t blocking;
  SUCCEEDS(cudaStreamCreate(&blocking));
  for (int round = 0; round < 8; ++round) {
    add<<<1, 1, 0, blocking>>>(one.at, 1);
    double_it<<<1, 1>>>(one.at);
    add<<<1, 1, 0, cudaStreamPerThread>>>(one.at, 1);
    double_it<<<1, 1>>>(one.at);
  }
  int expected = 1;
  for (int round = 0; round < 8; ++round)
    expected = ((expected + 1) * 2 + 1) * 2;
  CHECK(one.now()[0] == expected);
  SUCCEEDS(cudaStreamDestroy(blocking));
}

// Work of two streams runs in an order that the seed chooses.
TEST(orders_differ) {
  bool was_first[2] = {};
  cudaStream_t streams[2];
  for (cudaStream_t& each : streams)
    SUCCEEDS(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
  for (int round = 0; round < 32; ++round) {
    ints one(1, 1);
    add_atomically<<<1, 1, 0, streams[0]>>>(one.at);
    set_atomically<<<1, 1, 0, streams[1]>>>(one.at);
    SUCCEEDS(cudaDeviceSynchronize());
    const int value = one.now()[0];
    CHECK(value == 5 || value == 6);
    was_first[value == 6] = true;
  }
  CHECK(was_first[0] && was_first[1]);
}

// A kernel that waits keeps its dynamic shared memory while another one runs.
TEST(shared_memory_of_kernels_that_wait) {
  ints flag(1), to(32);
  cudaStream_t one, other;
  SUCCEEDS(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  SUCCEEDS(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  keep_in_shared<<<1, 32, 128, one>>>(flag.at, to.at);
  set_from_shared<<<1, 32, 0, other>>>(flag.at);
  SUCCEEDS(cudaDeviceSynchronize());
  CHECK(to.now()[0] == 41 && to.now()[31] == 41);
}

TEST(functions_of_the_host) {
  static std::atomic<int> called;
  called = 0;
  ints one(1, 1);
  cudaStream_t on;
  SUCCEEDS(cudaStreamCreate(&on));
  SUCCEEDS(cudaLaunchHostFunc(on, [](void* data) { called += *static_cast<int*>(data); }, one.at));
  add<<<1, 1, 0, on>>>(one.at, 9);
  SUCCEEDS(cudaStreamAddCallback(
      on,
      [](cudaStream_t, cudaError_t status, void* data) {
        called += status == cudaSuccess ? *static_cast<int*>(data) : 100;
      },
      one.at, 0));
  SUCCEEDS(cudaStreamSynchronize(on));
  CHECK(called == 1 + 10);
  SUCCEEDS(cudaStreamDestroy(on));
}

TEST(memory_of_streams) {
  cudaStream_t on;
  SUCCEEDS(cudaStreamCreate(&on));
  int *mine, back = 0;
  SUCCEEDS(cudaMallocAsync(&mine, 4, on));
  SUCCEEDS(cudaMemsetAsync(mine, 1, 4, on));
  add<<<1, 1, 0, on>>>(mine, 1);
  SUCCEEDS(cudaMemcpyAsync(&back, mine, 4, cudaMemcpyDeviceToHost, on));
  SUCCEEDS(cudaFreeAsync(mine, on));
  SUCCEEDS(cudaStreamSynchronize(on));
  CHECK(back == 0x01010102);
  FAILS(cudaErrorInvalidValue, cudaMemcpy(&back, mine, 4, cudaMemcpyDeviceToHost));  // freed
  int given = 3;
  ints one(1);
  SUCCEEDS(cudaMemcpyAsync(one.at, &given, 4, cudaMemcpyHostToDevice, on));  // not pinned: its value at the call
  given = 4;
  CHECK(one.now()[0] == 3);
  SUCCEEDS(cudaStreamDestroy(on));
}

TEST(captured_graph) {
  ints one(2, 1);
  cudaStream_t on, side;
  cudaEvent_t fork, join;
  SUCCEEDS(cudaStreamCreate(&on));
  SUCCEEDS(cudaStreamCreate(&side));
  SUCCEEDS(cudaEventCreate(&fork));
  SUCCEEDS(cudaEventCreate(&join));
  cudaGraph_t made;
  SUCCEEDS(cudaStreamBeginCapture(on, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, on>>>(one.at, 1);
  SUCCEEDS(cudaEventRecord(fork, on));
  SUCCEEDS(cudaStreamWaitEvent(side, fork, 0));
  add<<<1, 1, 0, side>>>(one.at + 1, 2);
  SUCCEEDS(cudaEventRecord(join, side));
  double_it<<<1, 1, 0, on>>>(one.at);
  SUCCEEDS(cudaStreamWaitEvent(on, join, 0));
  SUCCEEDS(cudaMemcpyAsync(one.at, one.at + 1, 4, cudaMemcpyDeviceToDevice, on));
  FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(on));
  cudaStreamCaptureStatus status;
  SUCCEEDS(cudaStreamIsCapturing(side, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  SUCCEEDS(cudaStreamEndCapture(on, &made));
  CHECK(one.now() == (std::vector<int>{1, 1}));  // nothing has run
  size_t nodes = 0;
  SUCCEEDS(cudaGraphGetNodes(made, nullptr, &nodes));
  CHECK(nodes == 4);
  cudaGraphExec_t runs;
  SUCCEEDS(cudaGraphInstantiate(&runs, made, 0));
  SUCCEEDS(cudaGraphDestroy(made));
  for (int round = 1; round <= 3; ++round) {
    SUCCEEDS(cudaGraphLaunch(runs, on));
    SUCCEEDS(cudaStreamSynchronize(on));
    CHECK(one.now() == (std::vector<int>{1 + 2 * round, 1 + 2 * round}));
  }
  SUCCEEDS(cudaGraphExecDestroy(runs));
}

TEST(memory_of_graphs) {
  cudaStream_t on;
  SUCCEEDS(cudaStreamCreate(&on));
  ints sum(1);
  int* mine = nullptr;
  cudaGraph_t made;
  SUCCEEDS(cudaStreamBeginCapture(on, cudaStreamCaptureModeGlobal));
  SUCCEEDS(cudaMallocAsync(&mine, 4, on));
  SUCCEEDS(cudaMemcpyAsync(mine, sum.at, 4, cudaMemcpyDeviceToDevice, on));
  add<<<1, 1, 0, on>>>(mine, 3);
  SUCCEEDS(cudaMemcpyAsync(sum.at, mine, 4, cudaMemcpyDeviceToDevice, on));
  SUCCEEDS(cudaFreeAsync(mine, on));
  SUCCEEDS(cudaStreamEndCapture(on, &made));
  cudaGraphExec_t runs;
  SUCCEEDS(cudaGraphInstantiate(&runs, made, 0));
  for (int round = 1; round <= 3; ++round) {
    SUCCEEDS(cudaGraphLaunch(runs, on));
    CHECK(sum.now()[0] == 3 * round);
  }
  FAILS(cudaErrorInvalidValue, cudaMemcpy(sum.at, mine, 4, cudaMemcpyDeviceToDevice));  // freed
}

// The program frees it, and the next launch allocates it again, in the same place.
TEST(memory_of_graphs_that_the_program_frees) {
  cudaGraph_t all;
  cudaGraphExec_t ready;
  cudaGraphNode_t first, second;
  SUCCEEDS(cudaGraphCreate(&all, 0));
  cudaMemAllocNodeParams memory = {};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.bytesize = 4 << 20;
  SUCCEEDS(cudaGraphAddMemAllocNode(&first, all, nullptr, 0, &memory));
  const cudaMemsetParams fill = {memory.dptr, 0, 7, 4, memory.bytesize / 4, 1};
  SUCCEEDS(cudaGraphAddMemsetNode(&second, all, &first, 1, &fill));
  SUCCEEDS(cudaGraphInstantiate(&ready, all, 0));
  cudaStream_t on;
  SUCCEEDS(cudaStreamCreate(&on));
  int back = 0;
  for (const bool waits : {true, false, true}) {
    SUCCEEDS(cudaGraphLaunch(ready, on));
    SUCCEEDS(cudaMemcpyAsync(&back, memory.dptr, 4, cudaMemcpyDeviceToHost, on));
    SUCCEEDS(cudaStreamSynchronize(on));
    CHECK(back == 7);
    SUCCEEDS(waits ? cudaFree(memory.dptr) : cudaFreeAsync(memory.dptr, on));
  }
  FAILS(cudaErrorInvalidValue, cudaFree(memory.dptr));
}

TEST(graph_of_nodes) {
  ints one(4);
  int value = 3, *target = one.at;
  void* arguments[] = {&target, &value};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.blockDim.x = 4;
  kernel.kernelParams = arguments;
  cudaMemsetParams zeros = {};
  zeros.dst = one.at;
  zeros.value = 0x01010101;
  zeros.elementSize = 4;
  zeros.width = 4;
  zeros.height = 1;
  std::vector<int> back(4);
  cudaGraph_t made;
  cudaGraphNode_t set, run, read;
  SUCCEEDS(cudaGraphCreate(&made, 0));
  SUCCEEDS(cudaGraphAddKernelNode(&run, made, nullptr, 0, &kernel));
  SUCCEEDS(cudaGraphAddMemsetNode(&set, made, nullptr, 0, &zeros));
  SUCCEEDS(cudaGraphAddMemcpyNode1D(&read, made, &run, 1, back.data(), one.at, 16, cudaMemcpyDeviceToHost));
  SUCCEEDS(cudaGraphAddDependencies(made, &set, &run, nullptr, 1));
  cudaGraphExec_t runs;
  SUCCEEDS(cudaGraphInstantiate(&runs, made, 0));
  SUCCEEDS(cudaGraphLaunch(runs, nullptr));
  SUCCEEDS(cudaDeviceSynchronize());
  CHECK(back == std::vector<int>(4, 0x01010104));
  value = 5;
  SUCCEEDS(cudaGraphExecKernelNodeSetParams(runs, run, &kernel));
  zeros.value = 0;
  SUCCEEDS(cudaGraphExecMemsetNodeSetParams(runs, set, &zeros));
  SUCCEEDS(cudaGraphLaunch(runs, nullptr));
  SUCCEEDS(cudaDeviceSynchronize());
  CHECK(back == std::vector<int>(4, 5));
  FAILS(cudaErrorInvalidValue, cudaGraphAddDependencies(made, &read, &set, nullptr, 1));  // a circle
}

TEST(launches_that_are_refused) {
  ints one(1);
  const unsigned most = 48 << 10;
  fill_dynamic<<<1, 32, most + 4>>>(one.at, most + 4);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  SUCCEEDS(cudaFuncSetAttribute(fill_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * most));
  fill_dynamic<<<1, 32, 2 * most>>>(one.at, 2 * most);
  SUCCEEDS(cudaGetLastError());
  CHECK(one.now()[0] == 1);
  FAILS(cudaErrorInvalidValue,
        cudaFuncSetAttribute(fill_dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10));
  add<<<0, 1>>>(one.at, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
  add<<<1, 1025>>>(one.at, 1);
  CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaErrorInvalidConfiguration);
  SUCCEEDS(cudaGetLastError());
  CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
}

TEST(cooperative_launches) {
  int each = 0;
  SUCCEEDS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, meet, 32, 0));
  const unsigned all = static_cast<unsigned>(each * gpu_test::attribute(cudaDevAttrMultiProcessorCount));
  ints arrived(1), seen(all);
  void* arguments[] = {&arrived.at, &seen.at};
  FAILS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel(meet, dim3(all + 1), dim3(32), arguments));
  cudaLaunchConfig_t how = {};
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  how.gridDim = dim3(6);
  how.blockDim = dim3(32);
  how.attrs = &attribute;
  how.numAttrs = 1;
  SUCCEEDS(cudaLaunchKernelExC(&how, reinterpret_cast<void*>(meet), arguments));
  const std::vector<int> now = seen.now();
  for (int block = 0; block < 6; ++block)
    CHECK(now[static_cast<size_t>(block)] == 6);
}

TEST(heap_of_the_device) {
  ints one(64);
  use_heap<<<2, 32>>>(one.at);
  CHECK(one.now()[5] == 13 && one.now()[63] == 65);
}

TEST(driver) {
  const char* const text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .u32 word = 7;\n"
      ".visible .entry set(.param .u64 to) {\n.reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
      "ld.param.u64 %rd1, [to];\nld.global.u32 %r1, [word];\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  SUCCEEDS(cudaGetDriverEntryPointByVersion("cuModuleLoadData", &entry, 12000, cudaEnableDefault, &found));
  CHECK(found == cudaDriverEntryPointSuccess && entry != nullptr);
  CUmodule from;
  CHECK(reinterpret_cast<decltype(&cuModuleLoadData)>(entry)(&from, text) == CUDA_SUCCESS);
  CUfunction set;
  CHECK(cuModuleGetFunction(&set, from, "set") == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&set, from, "absent") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleGetFunction(&set, from, "set") == CUDA_SUCCESS);
  CUdeviceptr word, to;
  size_t bytes = 0;
  CHECK(cuModuleGetGlobal(&word, &bytes, from, "word") == CUDA_SUCCESS && bytes == 4);
  CHECK(cuMemAlloc(&to, 4) == CUDA_SUCCESS);
  void* arguments[] = {&to};
  int back = 0;
  CHECK(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH(&back, to, 4) == CUDA_SUCCESS && back == 7);
  CHECK(cuMemsetD32(word, 9, 1) == CUDA_SUCCESS);
  size_t size = sizeof to;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &to, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(set, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra) == CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH(&back, to, 4) == CUDA_SUCCESS && back == 9);
  cudaLibrary_t library;
  cudaKernel_t kernel, same;
  unsigned kernels = 0;
  void* start = nullptr;
  SUCCEEDS(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  SUCCEEDS(cudaLibraryGetKernel(&kernel, library, "set"));
  FAILS(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&same, library, "absent"));
  SUCCEEDS(cudaLibraryGetKernelCount(&kernels, library));
  SUCCEEDS(cudaLibraryEnumerateKernels(&same, 1, library));
  SUCCEEDS(cudaLibraryGetGlobal(&start, &bytes, library, "word"));
  CHECK(kernels == 1 && bytes == 4 && start != reinterpret_cast<void*>(word));
  SUCCEEDS(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0));
  for (const cudaKernel_t each : {kernel, same}) {
    SUCCEEDS(cudaMemset(reinterpret_cast<void*>(to), 0, 4));
    SUCCEEDS(cudaLaunchKernel(reinterpret_cast<const void*>(each), dim3(1), dim3(1), arguments, 0, nullptr));
    CHECK(cuMemcpyDtoH(&back, to, 4) == CUDA_SUCCESS && back == 7);
  }
  CHECK(cuMemFree(to) == CUDA_SUCCESS);
}

// Two ranges of addresses have the same memory; one grows, and copies cross the border.
TEST(virtual_memory) {
  CUmemAllocationProp what = {};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access = {};
  access.location = what.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  size_t bytes = 0;
  CHECK(cuMemGetAllocationGranularity(&bytes, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS &&
        bytes >= 4096);
  CUdeviceptr one, other;
  CUmemGenericAllocationHandle first, second;
  CHECK(cuMemAddressReserve(&one, 2 * bytes, 0, 0, 0) == CUDA_SUCCESS);
  CHECK(cuMemAddressReserve(&other, bytes, 0, 0, 0) == CUDA_SUCCESS);
  CHECK(cuMemAddressReserve(&other, bytes + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemCreate(&first, bytes, &what, 0) == CUDA_SUCCESS && cuMemCreate(&second, bytes, &what, 0) == CUDA_SUCCESS);
  CHECK(cuMemMap(one, bytes, 0, first, 0) == CUDA_SUCCESS && cuMemMap(other, bytes, 0, first, 0) == CUDA_SUCCESS);
  CHECK(cuMemMap(one, bytes, 0, second, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemSetAccess(one, 2 * bytes, &access, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemSetAccess(one, bytes, &access, 1) == CUDA_SUCCESS);
  CHECK(cuMemSetAccess(other, bytes, &access, 1) == CUDA_SUCCESS);
  int back[8] = {};
  FAILS(cudaErrorInvalidValue, cudaMemcpy(back, reinterpret_cast<void*>(one + bytes - 16), 32, cudaMemcpyDefault));
  CHECK(cuMemMap(one + bytes, bytes, 0, second, 0) == CUDA_SUCCESS);
  CHECK(cuMemSetAccess(one + bytes, bytes, &access, 1) == CUDA_SUCCESS);
  add<<<1, 8>>>(reinterpret_cast<int*>(one + bytes - 16), 7);
  SUCCEEDS(cudaMemcpy(back, reinterpret_cast<void*>(one + bytes - 16), 32, cudaMemcpyDefault));
  CHECK(back[0] == 7 && back[7] == 7);
  CHECK(cuMemUnmap(one, 2 * bytes) == CUDA_SUCCESS && cuMemUnmap(one, bytes) == CUDA_ERROR_INVALID_VALUE);
  FAILS(cudaErrorInvalidValue, cudaMemcpy(back, reinterpret_cast<void*>(one), 4, cudaMemcpyDeviceToHost));
  SUCCEEDS(cudaMemcpy(back, reinterpret_cast<void*>(other + bytes - 16), 4, cudaMemcpyDeviceToHost));
  CHECK(back[0] == 7);
  CHECK(cuMemRelease(first) == CUDA_SUCCESS && cuMemRelease(second) == CUDA_SUCCESS);
  CHECK(cuMemRelease(first) == CUDA_ERROR_INVALID_VALUE && cuMemAddressFree(one, 2 * bytes) == CUDA_SUCCESS);
  CHECK(cuMemAddressFree(other, bytes) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemUnmap(other, bytes) == CUDA_SUCCESS && cuMemAddressFree(other, bytes) == CUDA_SUCCESS);
}

__global__ void read_texture(float* to, cudaTextureObject_t from, float x, float y) {
  *to = tex2D<float>(from, x, y);
}
__global__ void fetch(int* to, cudaTextureObject_t from, int at) {
  *to = tex1Dfetch<short2>(from, at).y;
}
__global__ void read_layer(float* to, cudaTextureObject_t from, float x, float y, int layer) {
  *to = tex2DLayered<float>(from, x, y, layer);
}
__global__ void write_surface(cudaSurfaceObject_t to, float by) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y), bytes = 4 * x;
  surf2Dwrite(surf2Dread<float>(to, bytes, y) + by, to, bytes, y);
  surf2Dwrite(99.f, to, bytes + 16, y, cudaBoundaryModeZero);  // behind the rows
}

// Four columns, three rows: the texel in column x and row y is 10 y + x, with its middle at x + 0.5 and y + 0.5.
TEST(textures_and_surfaces) {
  float texels[3][4];
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x)
      texels[y][x] = static_cast<float>(10 * y + x);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  SUCCEEDS(cudaMallocArray(&array, &format, 4, 3, cudaArraySurfaceLoadStore));
  SUCCEEDS(cudaMemcpy2DToArray(array, 0, 0, texels, 16, 16, 3, cudaMemcpyHostToDevice));
  float* found;
  SUCCEEDS(cudaMallocManaged(&found, 4));
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaTextureDesc how = {};
  const auto value = [&](float x, float y) {
    cudaTextureObject_t made;
    SUCCEEDS(cudaCreateTextureObject(&made, &what, &how, nullptr));
    read_texture<<<1, 1>>>(found, made, x, y);
    SUCCEEDS(cudaDeviceSynchronize());
    SUCCEEDS(cudaDestroyTextureObject(made));
    return *found;
  };
  const auto set_edges = [&](cudaTextureAddressMode mode) { how.addressMode[0] = how.addressMode[1] = mode; };
  set_edges(cudaAddressModeClamp);
  CHECK(value(2.9f, 1.1f) == 12 && value(-5, 7) == 20 && value(4.1f, 0) == 3);
  how.filterMode = cudaFilterModeLinear;
  CHECK(value(2.5f, 1.5f) == 12 && value(2, 1.5f) == 11.5f && value(2.75f, 1) == 7.25f && value(0, 0) == 0);
  set_edges(cudaAddressModeBorder);
  how.borderColor[0] = 100;
  CHECK(value(0, 1.5f) == 55 && value(-3, 1) == 100);
  how.filterMode = cudaFilterModePoint;
  how.normalizedCoords = 1;
  set_edges(cudaAddressModeWrap);
  CHECK(value(1.3f, -0.1f) == 21);
  set_edges(cudaAddressModeMirror);
  CHECK(value(-0.1f, 1.1f) == 20 && value(1.3f, 0.5f) == 12);

  cudaSurfaceObject_t surface;
  SUCCEEDS(cudaCreateSurfaceObject(&surface, &what));
  write_surface<<<1, dim3(4, 3)>>>(surface, 0.5f);
  SUCCEEDS(cudaMemcpy2DFromArray(texels, 16, array, 4, 1, 8, 2, cudaMemcpyDeviceToHost));
  CHECK(texels[0][0] == 11.5f && texels[0][1] == 12.5f && texels[1][0] == 21.5f && texels[0][2] == 2);
  SUCCEEDS(cudaDestroySurfaceObject(surface));
  SUCCEEDS(cudaFreeArray(array));

  SUCCEEDS(cudaMalloc3DArray(&array, &format, make_cudaExtent(2, 2, 3), cudaArrayLayered));
  float layers[3][2][2] = {{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}, {{8, 9}, {10, 11}}};
  cudaMemcpy3DParms all = {};
  all.srcPtr = make_cudaPitchedPtr(layers, 8, 2, 2);
  all.dstArray = what.res.array.array = array;
  all.extent = make_cudaExtent(2, 2, 3);
  all.kind = cudaMemcpyHostToDevice;
  SUCCEEDS(cudaMemcpy3D(&all));
  how = {};
  cudaTextureObject_t made;
  SUCCEEDS(cudaCreateTextureObject(&made, &what, &how, nullptr));
  read_layer<<<1, 1>>>(found, made, 1, 1, 1);
  SUCCEEDS(cudaDeviceSynchronize());
  CHECK(*found == 7);
  SUCCEEDS(cudaDestroyTextureObject(made) == cudaSuccess ? cudaFreeArray(array) : cudaErrorUnknown);

  short2* memory;
  const short2 pairs[3] = {{1, -2}, {3, -4}, {5, -6}};
  SUCCEEDS(cudaMalloc(&memory, sizeof pairs));
  SUCCEEDS(cudaMemcpy(memory, pairs, sizeof pairs, cudaMemcpyHostToDevice));
  what = {};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = memory;
  what.res.linear.desc = cudaCreateChannelDesc<short2>();
  what.res.linear.sizeInBytes = sizeof pairs;
  SUCCEEDS(cudaCreateTextureObject(&made, &what, &how, nullptr));
  ints one(1, 9);
  for (const int at : {2, 3, -1}) {
    fetch<<<1, 1>>>(one.at, made, at);
    CHECK(one.now()[0] == (at == 2 ? -6 : 0));
  }
  const auto rest = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  SUCCEEDS(cudaLaunchHostFunc(nullptr, rest, nullptr));
  fetch<<<1, 1>>>(one.at, made, 2);  // begins when the object has been destroyed
  SUCCEEDS(cudaDestroyTextureObject(made));
  CHECK(cudaDestroyTextureObject(made) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(one.now()[0] == -6);
}

// What a compiler makes of two launches in a kernel, the first one a tail launch, which comes last.
const char* const kernel_that_launches = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 made) __cudaCDP2GetParameterBufferV2(.param .b64 kernel, .param .align 4 .b8 grid[12],
                                                               .param .align 4 .b8 block[12], .param .b32 bytes);
.extern .func (.param .b32 status) __cudaCDP2LaunchDeviceV2(.param .b64 parameters, .param .b64 stream);
.visible .entry child(.param .u64 to, .param .u32 factor, .param .u32 more) {
  .reg .b64 %rd<4>; .reg .b32 %r<5>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [factor];
  ld.param.u32 %r2, [more];
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd2, %r3, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r4, [%rd3];
  mad.lo.u32 %r4, %r4, %r1, %r2;
  st.global.u32 [%rd3], %r4;
  ret;
}
.func launch(.param .b64 to, .param .b32 factor, .param .b32 more, .param .b64 stream) {
  .reg .b64 %rd<5>; .reg .b32 %r<3>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [factor];
  ld.param.u32 %r2, [more];
  ld.param.u64 %rd2, [stream];
  mov.u64 %rd3, child;
  {
    .param .b64 kernel; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 bytes; .param .b64 made;
    st.param.b64 [kernel], %rd3;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 4; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [bytes], 0;
    call.uni (made), __cudaCDP2GetParameterBufferV2, (kernel, grid, block, bytes);
    ld.param.b64 %rd4, [made];
  }
  st.u64 [%rd4], %rd1;
  st.u32 [%rd4+8], %r1;
  st.u32 [%rd4+12], %r2;
  {
    .param .b64 parameters; .param .b64 on; .param .b32 status;
    st.param.b64 [parameters], %rd4;
    st.param.b64 [on], %rd2;
    call.uni (status), __cudaCDP2LaunchDeviceV2, (parameters, on);
  }
  ret;
}
.visible .entry parent(.param .u64 to, .param .u32 late, .param .u64 stream) {
  .reg .b64 %rd<3>; .reg .b32 %r<3>; .reg .pred %p;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [stream];
  ld.param.u32 %r2, [late];
  setp.ne.u32 %p, %r2, 0;
  mov.u32 %r1, 1;
  @!%p st.global.u32 [%rd1+8], %r1;
  {
    .param .b64 a; .param .b32 b; .param .b32 c; .param .b64 d;
    st.param.b64 [a], %rd1; st.param.b32 [b], 2; st.param.b32 [c], 0; st.param.b64 [d], %rd2;
    call.uni launch, (a, b, c, d);
    st.param.b32 [b], 1; st.param.b32 [c], 5; st.param.b64 [d], 0;
    call.uni launch, (a, b, c, d);
  }
  @%p st.global.u32 [%rd1+8], %r1;
  ret;
})";

// first: the stream of the first launch.
void launch_parent(int* to, unsigned is_late, uint64_t first) {
  CUmodule from;
  CUfunction parent;
  void* arguments[] = {&to, &is_late, &first};
  CHECK(cuModuleLoadData(&from, kernel_that_launches) == CUDA_SUCCESS);
  CHECK(cuModuleGetFunction(&parent, from, "parent") == CUDA_SUCCESS);
  CHECK(cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
}

constexpr uint64_t tail = 3, forgotten = 4;

TEST(kernels_that_kernels_launch) {
  for (const char* const mistake : {"late", "beside"}) {
    const pid_t child = fork();
    if (child == 0) {
      close(2);  // the message
      execl("/proc/self/exe", "effects", mistake, nullptr);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
  }
  ints one(4), other(4);
  launch_parent(one.at, 0, tail);
  CHECK(one.now()[0] == 10 && one.now()[2] == 12 && one.now()[3] == 10);
  launch_parent(other.at, 0, 0);
  CHECK(other.now()[0] == 5 && other.now()[2] == 7);
}

// cudaGraphAddNode, each type after the one before.
TEST(graph_of_nodes_of_any_type) {
  ints one(4, 9);
  int value = 3, *target = one.at, back[4] = {};
  void* arguments[] = {&target, &value};
  cudaGraph_t made;
  SUCCEEDS(cudaGraphCreate(&made, 0));
  cudaGraphNode_t last = nullptr;
  const auto add_node = [&](const cudaGraphNodeParams& what) {
    cudaGraphNodeParams params = what;
    const cudaGraphNode_t before = last;
    SUCCEEDS(cudaGraphAddNode(&last, made, &before, nullptr, before != nullptr ? 1 : 0, &params));
  };
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeMemset;
  node.memset.dst = one.at;
  node.memset.value = 5;
  node.memset.elementSize = node.memset.width = 4;
  node.memset.height = 1;
  add_node(node);
  node = {};
  node.type = cudaGraphNodeTypeKernel;
  node.kernel.func = reinterpret_cast<void*>(add);
  node.kernel.gridDim = node.kernel.blockDim = dim3(1);
  node.kernel.kernelParams = arguments;
  add_node(node);
  node = {};
  node.type = cudaGraphNodeTypeMemcpy;
  node.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(one.at, 16, 4, 1);
  node.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(back, 16, 4, 1);
  node.memcpy.copyParams.extent = make_cudaExtent(16, 1, 1);
  node.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  add_node(node);
  node = {};
  node.type = cudaGraphNodeTypeHost;
  node.host.fn = [](void* data) { *static_cast<int*>(data) *= 10; };
  node.host.userData = back;
  add_node(node);
  cudaGraphExec_t runs;
  SUCCEEDS(cudaGraphInstantiate(&runs, made, 0));
  SUCCEEDS(cudaGraphLaunch(runs, nullptr));
  SUCCEEDS(cudaDeviceSynchronize());
  CHECK(back[0] == 80 && back[3] == 5);
}

// A loop, which the kernel in it ends; and of two graphs the one behind the value that it leaves.
TEST(graphs_with_conditions) {
  ints value(1), taken(1);
  cudaGraph_t all;
  cudaGraphConditionalHandle goes_on;
  SUCCEEDS(cudaGraphCreate(&all, 0));
  SUCCEEDS(cudaGraphConditionalHandleCreate(&goes_on, all, 1, cudaGraphCondAssignDefault));
  void* arguments[] = {&value.at, &goes_on};
  int more = 3;
  void* other_arguments[] = {&taken.at, &more};
  cudaGraphNodeParams loop = {}, choice = {}, kernel = {};
  loop.type = choice.type = cudaGraphNodeTypeConditional;
  loop.conditional.handle = choice.conditional.handle = goes_on;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  choice.conditional.type = cudaGraphCondTypeIf;
  choice.conditional.size = 2;
  cudaGraphNode_t first, second, inner;
  SUCCEEDS(cudaGraphAddNode(&first, all, nullptr, nullptr, 0, &loop));
  SUCCEEDS(cudaGraphAddNode(&second, all, &first, nullptr, 1, &choice));
  kernel.type = cudaGraphNodeTypeKernel;
  kernel.kernel.func = reinterpret_cast<void*>(count_down);
  kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1);
  kernel.kernel.kernelParams = arguments;
  SUCCEEDS(cudaGraphAddNode(&inner, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &kernel));
  kernel.kernel.func = reinterpret_cast<void*>(add);
  kernel.kernel.kernelParams = other_arguments;
  SUCCEEDS(cudaGraphAddNode(&inner, choice.conditional.phGraph_out[1], nullptr, nullptr, 0, &kernel));
  cudaStream_t on;
  SUCCEEDS(cudaStreamCreate(&on));
  SUCCEEDS(cudaStreamBeginCaptureToGraph(on, choice.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                         cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, on>>>(taken.at, 100);
  SUCCEEDS(cudaStreamEndCapture(on, nullptr));
  cudaGraphExec_t ready;
  SUCCEEDS(cudaGraphInstantiate(&ready, all, 0));
  for (const int count : {4, 1}) {
    SUCCEEDS(cudaMemcpy(value.at, &count, sizeof count, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaGraphLaunch(ready, on));
    SUCCEEDS(cudaStreamSynchronize(on));
    CHECK(value.now()[0] == 0);
  }
  CHECK(taken.now()[0] == 6);
  size_t bytes = 1;
  SUCCEEDS(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
  SUCCEEDS(cudaDeviceGraphMemTrim(0));
  CHECK(bytes == 0);
}

TEST(what_kernels_print) {
  char name[] = "/tmp/cudasync_printed_XXXXXX";
  const int file = mkstemp(name), out = dup(1);
  fflush(stdout);
  dup2(file, 1);
  print_all<<<1, 1>>>(1ll << 40);
  const cudaError_t status = cudaDeviceSynchronize();
  fflush(stdout);
  dup2(out, 1);
  SUCCEEDS(status);
  char text[100] = {};
  CHECK(pread(file, text, sizeof text - 1, 0) > 0 &&
        strcmp(text, "abc,  1.50, 0x1p-1, 1099511627776,    7%\n100%") == 0);
  close(file);
  unlink(name);
}

// The program ends with status 2, and its report names the function.
TEST(what_is_absent) {
  int reaches = 1;
  SUCCEEDS(cudaDeviceCanAccessPeer(&reaches, 0, 0));
  CHECK(reaches == 0 && cudaDeviceCanAccessPeer(&reaches, 0, 1) == cudaErrorInvalidDevice);
  static_cast<void>(cudaGetLastError());
  const auto check = [](const char* what, const auto& uses) {
    char name[] = "/tmp/cudasync_report_XXXXXX";
    const int file = mkstemp(name);
    setenv("CUDASYNC_MACHINE_REPORT", name, 1);
    const pid_t child = fork();
    if (child == 0) {
      close(2);  // the message
      uses();
      _exit(0);
    }
    unsetenv("CUDASYNC_MACHINE_REPORT");
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 2);
    char text[400] = {};
    CHECK(read(file, text, sizeof text - 1) > 0);
    CHECK(strstr(text, R"("kind":"unsupported")") != nullptr && strstr(text, what) != nullptr);
    close(file);
    unlink(name);
  };
  check(R"(["cudaMallocMipmappedArray"])", [] {
    cudaMipmappedArray_t made;
    static_cast<void>(cudaMallocMipmappedArray(&made, nullptr, {}, 1));
  });
  for (const cudaLaunchAttributeID which :
       {cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributeLaunchCompletionEvent})
    check(R"(["a launch with an event that it triggers"])", [=] {
      cudaLaunchAttribute one = {};
      one.id = which;
      cudaLaunchConfig_t how = {};
      how.gridDim = how.blockDim = dim3(1);
      how.attrs = &one;
      how.numAttrs = 1;
      static_cast<void>(cudaLaunchKernelEx(&how, add, static_cast<int*>(nullptr), 1));
    });
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_late = argc == 2 && strcmp(argv[1], "late") == 0;  // a store after the launch, with which it races
  if (is_late || (argc == 2 && strcmp(argv[1], "beside") == 0)) {  // two launches that race
    ints one(4);
    launch_parent(one.at, is_late, is_late ? tail : forgotten);
    return cudaDeviceSynchronize() == cudaErrorUnknown ? 3 : 0;
  }
  return gpu_test::run_tests(argc, argv);
}
