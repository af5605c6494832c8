// Work of several streams and graphs, each case with a bug, and corrected. test/python/test_explore_streams.py runs them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

extern "C" cudaError_t cudaLaunchKernel_ptsz(const void*, dim3, dim3, void**, size_t, cudaStream_t);

// reported: a line of a race, in the first of these kernels or the second.
__global__ void fill(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // reported
}
__global__ void sum(const int* data, int* to) {
  atomicAdd(to, data[blockIdx.x * blockDim.x + threadIdx.x]);  // reported
}
__global__ void sum_every_other(const int* data, int* to) {
  atomicAdd(to, data[2 * threadIdx.x + 1]);
}
__global__ void fill_every_other(int* data) {
  data[2 * threadIdx.x] = 2;
}
__global__ void count(int* to) {
  atomicAdd(to, 1);
}
__global__ void fill_and_signal(int* data, int* flag, bool is_right) {
  data[threadIdx.x] = 1;  // reported
  if (is_right) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(flag, 1);
}
__global__ void await_and_sum(const int* data, int* flag, int* to, bool is_right) {
  if (threadIdx.x == 0)
    while (atomicAdd(flag, 0) == 0) {
    }
  __syncthreads();
  if (is_right) __threadfence();
  atomicAdd(to, data[threadIdx.x]);  // reported
}
__global__ void signal_host(int* data, volatile int* flag) {
  data[threadIdx.x] = 1;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}
__global__ void fill_beside_the_next(int* data) {
  cudaTriggerProgrammaticLaunchCompletion();
  data[threadIdx.x] = 1;  // reported
}
// One thread waits for all. A prefetch is no wait.
__global__ void sum_after(const int* data, int* to, bool is_right) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(data + threadIdx.x));
  if (threadIdx.x == 0 && is_right) cudaGridDependencySynchronize();
  __syncthreads();
  atomicAdd(to, data[threadIdx.x]);  // reported
}
__global__ void sum_beside_the_next(const int* data, int* to) {
  cudaTriggerProgrammaticLaunchCompletion();
  atomicAdd(to, data[threadIdx.x]);  // reported
}
__global__ void fill_after(int* data, bool is_right) {
  if (is_right) cudaGridDependencySynchronize();
  data[threadIdx.x] = 2;  // reported
  cudaGridDependencySynchronize();
}
__global__ void pass_on(bool is_right) {
  if (is_right) cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
}

namespace {

constexpr size_t bytes = 1024;
int *data = nullptr, *to = nullptr;
cudaStream_t one = nullptr, two = nullptr, beside = nullptr;  // the last does not block
cudaEvent_t done = nullptr;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(status));
  std::exit(1);
}
void rest() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
// What comes next in the second stream comes after what is in the first one.
void order(cudaStream_t first, cudaStream_t second) {
  check(cudaEventRecord(done, first));
  check(cudaStreamWaitEvent(second, done, 0));
}

void two_streams(bool is_right) {
  fill<<<2, 128, 0, one>>>(data);
  if (is_right) order(one, two);
  sum<<<2, 128, 0, two>>>(data, to);
}
void event_is_too_early(bool is_right) {
  if (!is_right) check(cudaEventRecord(done, one));
  fill<<<2, 128, 0, one>>>(data);
  if (is_right) check(cudaEventRecord(done, one));
  check(cudaStreamWaitEvent(two, done, 0));
  sum<<<2, 128, 0, two>>>(data, to);
}
void default_stream(bool is_right) {
  fill<<<2, 128>>>(data);
  sum<<<2, 128, 0, is_right ? one : beside>>>(data, to);
}
void default_stream_behind(bool is_right) {
  fill<<<2, 128, 0, is_right ? one : beside>>>(data);
  sum<<<2, 128>>>(data, to);
}
void stream_of_the_thread(bool is_right) {
  fill<<<2, 128, 0, is_right ? nullptr : one>>>(data);
  sum<<<2, 128, 0, cudaStreamPerThread>>>(data, to);
}
// As nvcc --default-stream per-thread compiles a launch.
void start_in_stream_of_thread(const void* kernel) {
  void* arguments[] = {&data, &to};
  check(cudaLaunchKernel_ptsz(kernel, dim3(2), dim3(128), arguments, 0, nullptr));
}
void streams_of_two_threads(bool is_right) {
  std::thread([=] {
    start_in_stream_of_thread(reinterpret_cast<const void*>(fill));
    if (is_right) check(cudaStreamSynchronize(cudaStreamPerThread));
  }).join();
  start_in_stream_of_thread(reinterpret_cast<const void*>(sum));
}
void copy_of_a_result(bool is_right) {
  int* pinned;
  check(cudaMallocHost(&pinned, bytes));
  fill<<<2, 128, 0, one>>>(data);
  if (is_right) order(one, two);
  check(cudaMemcpyAsync(pinned, data, bytes, cudaMemcpyDeviceToHost, two));
}
void copy_of_an_input(bool is_right) {
  int host[bytes / 4] = {};
  check(cudaMemcpyAsync(data, host, bytes, cudaMemcpyHostToDevice, one));
  if (is_right) check(cudaStreamSynchronize(one));
  sum<<<2, 128, 0, two>>>(data, to);
}
void fill_of_memory(bool is_right) {
  check(cudaMemset2DAsync(data, 16, 0, 4, 8, one));
  if (is_right) order(one, two);
  sum<<<2, 128, 0, two>>>(data, to);
}
void freed_too_early(bool is_right) {
  int* mine;
  check(cudaMallocAsync(&mine, bytes, one));
  fill<<<2, 128, 0, one>>>(mine);
  if (is_right) order(one, two);
  check(cudaFreeAsync(mine, two));
}
void graph_of_nodes(bool is_right) {
  void* arguments[] = {&data, &to};
  cudaKernelNodeParams node = {};
  node.func = reinterpret_cast<void*>(fill);
  node.gridDim = dim3(2);
  node.blockDim = dim3(128);
  node.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  check(cudaGraphCreate(&graph, 0));
  check(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node));
  node.func = reinterpret_cast<void*>(sum);
  check(cudaGraphAddKernelNode(&second, graph, &first, is_right ? 1 : 0, &node));
  cudaGraphExec_t runs;
  check(cudaGraphInstantiate(&runs, graph, 0));
  check(cudaGraphLaunch(runs, one));
  check(cudaGraphLaunch(runs, two));  // after the first launch
}
void captured_graph(bool is_right) {
  cudaGraph_t graph;
  check(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  if (!is_right) order(one, two);
  fill<<<2, 128, 0, one>>>(data);
  if (is_right) order(one, two);
  sum<<<2, 128, 0, two>>>(data, to);
  order(two, one);
  check(cudaStreamEndCapture(one, &graph));
  cudaGraphExec_t runs;
  check(cudaGraphInstantiate(&runs, graph, 0));
  check(cudaGraphLaunch(runs, one));
}
// The kernel that waits may be the first to run.
void signal_between_kernels(bool is_right) {
  await_and_sum<<<1, 64, 0, one>>>(data, to + 1, to, is_right);
  fill_and_signal<<<1, 64, 0, two>>>(data, to + 1, is_right);
}

// What is no bug, if is_right is true; otherwise, the same without what orders it.

void host_waits(bool is_right) {
  fill<<<2, 128, 0, one>>>(data);
  check(cudaEventRecord(done, one));
  while (is_right && cudaEventQuery(done) == cudaErrorNotReady)
    rest();
  sum<<<2, 128, 0, two>>>(data, to);
}
void host_function_tells(bool is_right) {
  static std::atomic<bool> was_called;
  was_called = false;
  fill<<<2, 128, 0, one>>>(data);
  check(cudaLaunchHostFunc(one, [](void*) { was_called = true; }, nullptr));
  while (is_right && !was_called)
    rest();
  sum<<<2, 128, 0, two>>>(data, to);
}
void kernel_tells_the_host(bool) {
  volatile int* flag;
  check(cudaMallocHost(reinterpret_cast<void**>(const_cast<int**>(&flag)), 4));
  *flag = 0;
  signal_host<<<1, 64, 0, one>>>(data, flag);
  while (*flag == 0)
    rest();
  sum<<<1, 64, 0, two>>>(data, to);
}
void atomics(bool) {
  count<<<2, 64, 0, one>>>(to);
  count<<<2, 64, 0, two>>>(to);
}
void every_other_word(bool) {
  fill_every_other<<<1, 64, 0, one>>>(data);
  sum_every_other<<<1, 64, 0, two>>>(data, to);
}
void memory_used_again(bool) {
  for (int round = 0; round < 4; ++round) {
    int* mine;
    check(cudaMallocAsync(&mine, bytes, one));
    fill<<<2, 128, 0, one>>>(mine);
    check(cudaFreeAsync(mine, one));
    while (cudaStreamQuery(one) == cudaErrorNotReady)
      rest();
    std::swap(one, two);
  }
}
void same_value(bool is_right) {
  fill<<<2, 128, 0, one>>>(data);
  if (is_right) order(one, two);
  fill<<<2, 128, 0, two>>>(data);
}
// A hang: the second never begins before the first has ended.
void signal_in_one_stream(bool is_right) {
  await_and_sum<<<1, 64, 0, one>>>(data, to + 1, to, true);
  fill_and_signal<<<1, 64, 0, is_right ? two : one>>>(data, to + 1, true);
}

// A hang as soon as the host has not written for a second.
void signal_of_the_host(bool is_right) {
  int* flag;
  check(cudaMallocHost(&flag, 4));
  *static_cast<volatile int*>(flag) = 0;
  await_and_sum<<<1, 64, 0, one>>>(data, flag, to, true);
  for (int round = 0; round < 5; ++round)
    rest();
  if (is_right) *static_cast<volatile int*>(flag) = 1;
}

// Of a kernel that may begin before the one before it has ended.
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(1);
  how.blockDim = dim3(64);
  how.stream = one;
  how.attrs = &early;
  how.numAttrs = 1;
  check(cudaLaunchKernelEx(&how, kernel, static_cast<Parameters>(arguments)...));
}
void reads_before_the_wait(bool is_right) {
  fill_beside_the_next<<<1, 64, 0, one>>>(data);
  launch_early(sum_after, data, to, is_right);
}
void writes_before_the_wait(bool is_right) {
  sum_beside_the_next<<<1, 64, 0, one>>>(data, to);
  launch_early(fill_after, data, is_right);
}
// Each waits only for the one before it.
void chain_before_the_wait(bool is_right) {
  fill_beside_the_next<<<1, 64, 0, one>>>(data);
  launch_early(pass_on, is_right);
  launch_early(pass_on, true);
  launch_early(sum_after, data, to, true);
}
void captured_before_the_wait(bool is_right) {
  cudaGraph_t graph;
  check(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  fill_beside_the_next<<<1, 64, 0, one>>>(data);
  launch_early(sum_after, data, to, is_right);
  check(cudaStreamEndCapture(one, &graph));
  cudaGraphExec_t runs;
  check(cudaGraphInstantiate(&runs, graph, 0));
  check(cudaGraphLaunch(runs, one));
}
// Edges of the graph: the first kernel lets the next one begin, or each may begin as soon as the one before has.
template <class... Parameters, class... Arguments>
cudaGraphNode_t add_early(cudaGraph_t graph, const cudaGraphNode_t* after, unsigned char port,
                          void (*kernel)(Parameters...), Arguments... arguments) {
  cudaGraphNode_t made = nullptr;
#if CUDART_VERSION >= 13000
  void* all[] = {&arguments...};
  cudaGraphEdgeData edge = {};
  edge.from_port = port;
  edge.type = cudaGraphDependencyTypeProgrammatic;
  cudaGraphNodeParams what = {};
  what.type = cudaGraphNodeTypeKernel;
  what.kernel.func = reinterpret_cast<void*>(kernel);
  what.kernel.gridDim = dim3(1);
  what.kernel.blockDim = dim3(64);
  what.kernel.kernelParams = all;
  const bool is_added_later = port == cudaGraphKernelNodePortLaunchCompletion;
  check(cudaGraphAddNode(&made, graph, after, &edge, after == nullptr || is_added_later ? 0 : 1, &what));
  if (is_added_later) check(cudaGraphAddDependencies(graph, after, &made, &edge, 1));
#endif
  return made;
}
void run_early(bool is_right, void (*first)(int*), unsigned char port) {
  cudaGraph_t graph;
  check(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t before = add_early(graph, nullptr, 0, first, data);
  add_early(graph, &before, port, sum_after, static_cast<const int*>(data), to, is_right);
  cudaGraphExec_t runs;
  check(cudaGraphInstantiate(&runs, graph, 0));
  check(cudaGraphLaunch(runs, one));
}
void edge_before_the_wait(bool is_right) {
  if (CUDART_VERSION < 13000) return captured_before_the_wait(is_right);
  run_early(is_right, fill_beside_the_next, cudaGraphKernelNodePortProgrammatic);
}
void edge_of_launch_before_the_wait(bool is_right) {
  if (CUDART_VERSION < 13000) return captured_before_the_wait(is_right);
  run_early(is_right, fill, cudaGraphKernelNodePortLaunchCompletion);
}
void driver_before_the_wait(bool is_right) {
  fill_beside_the_next<<<1, 64, 0, one>>>(data);
  CUlaunchAttribute early = {};
  early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  early.value.programmaticStreamSerializationAllowed = 1;
  cudaFunction_t kernel;
  check(cudaGetFuncBySymbol(&kernel, reinterpret_cast<const void*>(sum_after)));
  void* arguments[] = {&data, &to, &is_right};
  const CUlaunchConfig how = {1, 1, 1, 64, 1, 1, 0, one, &early, 1};
  check(static_cast<cudaError_t>(cuLaunchKernelEx(&how, reinterpret_cast<CUfunction>(kernel), arguments, nullptr)));
}
// A kernel of another stream, which lets the next one begin as well, may run between the two.
void others_before_the_wait(bool is_right) {
  for (int round = 0; round < 3; ++round)
    fill_beside_the_next<<<1, 64, 0, beside>>>(data + 64);
  reads_before_the_wait(is_right);
  for (int round = 0; round < 3; ++round)
    fill_beside_the_next<<<1, 64, 0, beside>>>(data + 64);
}
// The body of a node has two kernels, and the race is that of the first.
void body_of_a_node(bool is_right) {
  if (CUDART_VERSION < 13000) return two_streams(is_right);
#if CUDART_VERSION >= 13000
  cudaGraph_t graph, first, second;
  check(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  fill<<<1, 64, 0, one>>>(data);
  check(cudaStreamEndCapture(one, &first));
  check(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  count<<<1, 1, 0, one>>>(to + 1);
  check(cudaStreamEndCapture(one, &second));
  check(cudaGraphCreate(&graph, 0));
  cudaGraphNodeParams what = {};
  what.type = cudaGraphNodeTypeConditional;
  check(cudaGraphConditionalHandleCreate(&what.conditional.handle, graph, 1, cudaGraphCondAssignDefault));
  what.conditional.type = cudaGraphCondTypeIf;
  what.conditional.size = 1;
  cudaGraphNode_t made, before;
  check(cudaGraphAddNode(&made, graph, nullptr, nullptr, 0, &what));
  check(cudaGraphAddChildGraphNode(&before, what.conditional.phGraph_out[0], nullptr, 0, first));
  check(cudaGraphAddChildGraphNode(&made, what.conditional.phGraph_out[0], &before, 1, second));
  cudaGraphExec_t runs;
  check(cudaGraphInstantiate(&runs, graph, 0));
  check(cudaGraphLaunch(runs, one));
  if (is_right) order(one, two);
  sum<<<1, 64, 0, two>>>(data, to);
#endif
}
// The one before does not let it begin early, or is not the last piece of work before it, or the host has waited for it.
void need_not_wait(bool) {
  fill<<<1, 64, 0, one>>>(data);
  launch_early(sum_after, data, to, false);
  fill_beside_the_next<<<1, 64, 0, one>>>(data);
  launch_early(pass_on, false);
  check(cudaMemsetAsync(to, 0, 4, one));
  launch_early(sum_after, data, to, false);
  fill_beside_the_next<<<1, 64, 0, one>>>(data);
  check(cudaStreamSynchronize(one));
  launch_early(sum_after, data, to, false);
}

#define CASE(NAME) {#NAME, NAME}
const struct {
  const char* name;
  void (*run)(bool);
} cases[] = {CASE(two_streams),
             CASE(event_is_too_early),
             CASE(default_stream),
             CASE(default_stream_behind),
             CASE(stream_of_the_thread),
             CASE(streams_of_two_threads),
             CASE(copy_of_a_result),
             CASE(copy_of_an_input),
             CASE(fill_of_memory),
             CASE(freed_too_early),
             CASE(graph_of_nodes),
             CASE(captured_graph),
             CASE(signal_between_kernels),
             CASE(host_waits),
             CASE(host_function_tells),
             CASE(kernel_tells_the_host),
             CASE(atomics),
             CASE(every_other_word),
             CASE(reads_before_the_wait),
             CASE(writes_before_the_wait),
             CASE(chain_before_the_wait),
             CASE(captured_before_the_wait),
             CASE(edge_before_the_wait),
             CASE(edge_of_launch_before_the_wait),
             CASE(driver_before_the_wait),
             CASE(others_before_the_wait),
             CASE(body_of_a_node),
             CASE(need_not_wait),
             CASE(memory_used_again),
             CASE(same_value),
             CASE(signal_in_one_stream),
             CASE(signal_of_the_host)};

}  // namespace

int main(int, char** argv) {
  check(cudaMalloc(&data, bytes));
  check(cudaMalloc(&to, 8));
  check(cudaMemset(data, 0, bytes));
  check(cudaMemset(to, 0, 8));
  check(cudaStreamCreate(&one));
  check(cudaStreamCreate(&two));
  check(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  check(cudaEventCreate(&done));
  for (const auto& each : cases)
    if (std::strcmp(each.name, argv[1]) == 0) each.run(std::strcmp(argv[2], "right") == 0);
  check(cudaDeviceSynchronize());
}
