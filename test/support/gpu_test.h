// A small framework for test programs that run on the GPU: nothing but the CUDA runtime is needed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_GPU_TEST_H
#define CUDASYNC_TEST_SUPPORT_GPU_TEST_H

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>
#include <string>
#include <vector>

// TEST(name) { ... } is a host function; a kernel is started by gpu_test::run, which waits for it.
#define TEST(NAME)                                                         \
  static void NAME();                                                      \
  static const gpu_test::registration registration_of_##NAME(#NAME, NAME); \
  static void NAME()

// CHECK on the host, DEVICE_CHECK in kernels: a failure is recorded and the test goes on.
#define CHECK(...) ((__VA_ARGS__) ? void() : gpu_test::host_failure(__FILE__, __LINE__, #__VA_ARGS__))
#define DEVICE_CHECK(...) ((__VA_ARGS__) ? void() : gpu_test::device_failure(__LINE__))

// Ends the test as skipped. Use it in the body of a TEST, with the reason.
#define SKIP_IF(CONDITION, REASON) \
  if (CONDITION) return gpu_test::skip(REASON)

namespace gpu_test {

// --- On the device ---

struct device_report {
  struct {
    int line;
    unsigned block;
    unsigned thread;
  } first[8];
  unsigned failures;
};
static __device__ device_report found;

static __device__ unsigned thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __device__ __noinline__ void device_failure(int line) {
  const unsigned index = atomicAdd(&found.failures, 1u);
  if (index < 8) {
    found.first[index].line = line;
    found.first[index].block = blockIdx.x;
    found.first[index].thread = thread_rank();
  }
}

static __device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

// The same after bar.sync, which the barrier of a cluster is in a launch without clusters. A warp reads a timer that
// follows bar.sync before it blocks there. It loads only after it has continued, and reads a timer only after the load.
static __device__ unsigned long long nanoseconds_after_barrier() {
  __shared__ volatile unsigned any;
  static_cast<void>(any);
  return nanoseconds();
}

static __device__ void pause(unsigned long long duration) {
  const unsigned long long start = nanoseconds();
  while (nanoseconds() - start < duration) {
  }
}

// --- On the host ---

struct registration {
  registration(const char* name, void (*body)()) { tests().push_back({name, body}); }

  struct test {
    const char* name;
    void (*body)();
  };
  static std::vector<test>& tests() {
    static std::vector<test> all;
    return all;
  }
};

// Lies in memory that the child process, which runs the tests, shares with its parent, which survives it.
struct progress {
  unsigned next, passed, failed, skipped;
};

inline bool current_failed = false;
inline std::string skip_reason;

inline void skip(const char* reason) {
  skip_reason = reason;
}

inline void host_failure(const char* file, int line, const char* text) {
  printf("%s:%d: %s\n", file, line, text);
  current_failed = true;
}

inline void (*before_giving_up)() = nullptr;

// Nothing more can be expected from this process: a new one goes on with the next test.
[[noreturn]] inline void give_up(const char* text) {
  printf("%s\n", text);
  if (before_giving_up != nullptr) before_giving_up();
  fflush(stdout);
  _exit(1);
}

inline void expect_success(cudaError_t status, const char* what) {
  if (status != cudaSuccess) give_up((std::string(what) + ": " + cudaGetErrorString(status)).c_str());
}

inline int attribute(cudaDeviceAttr which) {
  int value = 0;
  expect_success(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}

inline double seconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// GPU_TEST_SECONDS in the environment gives slow tools more time.
inline double kernel_limit() {
  const char* const limit = getenv("GPU_TEST_SECONDS");
  return limit != nullptr ? atof(limit) : 20;
}

// The watchdog: waits for everything started, but not forever.
inline void finish() {
  const double deadline = seconds() + kernel_limit();
  cudaError_t status;
  while ((status = cudaStreamQuery(nullptr)) == cudaErrorNotReady) {
    if (seconds() > deadline) give_up("watchdog: the kernel does not finish");
    usleep(200);
  }
  if (status != cudaSuccess) static_cast<void>(cudaDeviceSynchronize());  // brings what the kernel printed
  expect_success(status, "kernel");
}

struct shape {
  dim3 grid = 1, block = 1;
  size_t shared_bytes = 0;
  bool cooperative = false;  // all blocks run at the same time
  unsigned cluster = 1;      // blocks
};

template <class... Parameters, class... Arguments>
void start(void (*kernel)(Parameters...), const shape& how, Arguments... arguments) {
  if (how.shared_bytes > 0)
    expect_success(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(how.shared_bytes)),
        "cudaFuncSetAttribute");
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = how.grid;
  config.blockDim = how.block;
  config.dynamicSmemBytes = how.shared_bytes;
  config.attrs = attributes;
  if (how.cooperative) {
    attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[config.numAttrs++].val.cooperative = 1;
  }
  if (how.cluster > 1) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs].val.clusterDim.x = how.cluster;
    attributes[config.numAttrs].val.clusterDim.y = 1;
    attributes[config.numAttrs++].val.clusterDim.z = 1;
  }
  expect_success(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "launch");
}

template <class... Parameters, class... Arguments>
void run(void (*kernel)(Parameters...), const shape& how, Arguments... arguments) {
  start(kernel, how, arguments...);
  finish();
}

// How many blocks of this kernel run at the same time.
template <class Kernel>
unsigned resident_blocks(Kernel kernel, int threads) {
  int blocks = 0;
  expect_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0), "occupancy");
  return static_cast<unsigned>(blocks * attribute(cudaDevAttrMultiProcessorCount));
}

// Global memory, filled with a byte.
template <class Value>
class device_array {
 public:
  explicit device_array(size_t size, int byte = 0) : size_(size) {
    expect_success(cudaMalloc(&data_, size * sizeof(Value)), "cudaMalloc");
    expect_success(cudaMemset(data_, byte, size * sizeof(Value)), "cudaMemset");
  }
  explicit device_array(const std::vector<Value>& values) : device_array(values.size()) {
    expect_success(cudaMemcpy(data_, values.data(), size_ * sizeof(Value), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  Value* get() const { return data_; }
  std::vector<Value> values() const {
    std::vector<Value> result(size_);
    expect_success(cudaMemcpy(result.data(), data_, size_ * sizeof(Value), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return result;
  }

 private:
  size_t size_;
  Value* data_ = nullptr;
};

inline void collect_device_failures() {
  finish();
  device_report report;
  expect_success(cudaMemcpyFromSymbol(&report, found, sizeof report), "cudaMemcpyFromSymbol");
  if (report.failures == 0) return;
  current_failed = true;
  printf("%u failures on the device\n", report.failures);
  for (unsigned index = 0; index < report.failures && index < 8; ++index)
    printf("  line %d: block %u, thread %u\n", report.first[index].line, report.first[index].block,
           report.first[index].thread);
  report = {};
  expect_success(cudaMemcpyToSymbol(found, &report, sizeof report), "cudaMemcpyToSymbol");
}

// Runs the tests from progress.next on. A hang or a trap ends the process within.
inline void run_rest(progress& state) {
  const std::vector<registration::test>& tests = registration::tests();
  while (state.next < tests.size()) {
    const registration::test& test = tests[state.next++];
    current_failed = false;
    skip_reason.clear();
    const double start = seconds();
    test.body();
    collect_device_failures();
    ++(current_failed ? state.failed : !skip_reason.empty() ? state.skipped : state.passed);
    const char* const result = current_failed ? "FAILED" : !skip_reason.empty() ? "skipped" : "passed";
    printf("%-8s%s (%.2f s) %s\n", result, test.name, seconds() - start, skip_reason.c_str());
    fflush(stdout);
  }
}

inline bool has_gpu() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

// main of a test program: 0 passed, 1 failed, 77 no GPU or nothing but skipped tests. The tests run in a child process,
// so that a hang or a trap costs one test; --no-fork keeps them in this one, for debuggers and sanitizers, and after that
// --from N leaves out the first N tests.
inline int run_tests(int argc, char** argv) {
  progress alone = {};
  progress* state = &alone;
  const auto run_here = [&] {
    if (!has_gpu()) return 77;
    run_rest(*state);
    return 0;
  };
  if (argc > 1 && strcmp(argv[1], "--no-fork") == 0) {
    if (argc > 3 && strcmp(argv[2], "--from") == 0) alone.next = static_cast<unsigned>(atoi(argv[3]));
    if (run_here() == 77) return 77;
  } else {
    void* const shared = mmap(nullptr, sizeof alone, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    state = static_cast<progress*>(shared);
    for (;;) {
      const unsigned first = state->next;
      fflush(stdout);
      const pid_t child = fork();
      if (child == 0) {
        const int status = run_here();
        fflush(stdout);
        _exit(status);
      }
      int status = 0;
      if (child < 0 || waitpid(child, &status, 0) != child) return 1;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 77) return 77;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
      if (state->next == first) return 1;
      printf("FAILED  %s\n", registration::tests()[state->next - 1].name);
      ++state->failed;
    }
  }
  printf("%u passed, %u failed, %u skipped\n", state->passed, state->failed, state->skipped);
  if (state->failed != 0) return 1;
  return state->passed == 0 && state->skipped != 0 ? 77 : 0;
}

}  // namespace gpu_test

#endif
