// Measures a hardware barrier of a block: cycles per phase, for one block of 64 to 512 threads on every multiprocessor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "named_barrier.h"

namespace bench {
namespace {

constexpr unsigned warm_up = 64;
constexpr unsigned measured = 4000;
constexpr int repetitions = 9;

template <unsigned Threads>
struct immediates {
  __device__ __forceinline__ explicit immediates(unsigned) {}
  __device__ __forceinline__ void sync() const { asm volatile("bar.sync 1, %0;" ::"n"(Threads) : "memory"); }
};

template <unsigned>
struct immediate_id {
  __device__ __forceinline__ explicit immediate_id(unsigned) {}
  __device__ __forceinline__ void sync() const { asm volatile("bar.sync 1;" ::: "memory"); }
};

template <unsigned Threads>
struct registers {
  unsigned id;
  unsigned threads;

  __device__ __forceinline__ explicit registers(unsigned of) : id(of), threads(blockDim.x) {}
  __device__ __forceinline__ void sync() const { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }
};

template <unsigned>
struct syncthreads {
  __device__ __forceinline__ explicit syncthreads(unsigned) {}
  __device__ __forceinline__ void sync() const { __syncthreads(); }
};

const bool is_enrolled = [] {
  enroll_named_barrier<immediates>(id_and_threads_given, "bar.sync 1, threads", hand);
  enroll_named_barrier<syncthreads>(id_and_threads_given, "__syncthreads", "reference");
  enroll_named_barrier<immediate_id>(id_given, "bar.sync 1", hand);
  enroll_named_barrier<syncthreads>(id_given, "__syncthreads", "reference");
  enroll_named_barrier<registers>(nothing_given, "bar.sync register, register", hand);
  return true;
}();

}  // namespace

void run_named_barrier(report& results) {
  const int blocks = gpu::current().multiprocessors;
  std::vector<std::string> names;
  for (const int each : sync_threads)
    names.push_back(std::to_string(each));
  const device_array<long long> cycles(static_cast<std::size_t>(blocks));
  for (const char* operation : {id_and_threads_given, id_given, nothing_given}) {
    const auto sample = [&](const contestant& who, std::size_t index) {
      unsigned id = 1;
      unsigned before = warm_up;
      unsigned count = measured;
      long long* out = cycles.data();
      void* arguments[] = {&id, &before, &count, &out};
      launch(who.kernels[index], blocks, sync_threads[index], arguments, bytes_that_limit_blocks_to(1), false,
             who.operation + ", " + who.name);
      return median(cycles.copy()) / measured;
    };
    results.add(measure(enrolled("named_barrier", operation), names.size(), repetitions, sample), names,
                std::string("a block's hardware barrier: sync, ") + operation + ", threads per block",
                "cycles per phase");
  }
}

}  // namespace bench
