// Measures rings of single threads, from L2; the hand-written loops use cp.async and wait_group with an immediate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_ring.h"

#include "hand.h"

namespace bench {
namespace {

constexpr int repetitions = 11;

template <class Element>
__device__ __forceinline__ void fetch(const thread_stages<Element>& stages, u32 stage, u32 number) {
  ptx::copy<sizeof(Element)>(ptx::shared(stages.place(stage)), stages.element(number));
}

struct steady {
  template <class Element, u32 Stages>
  static __device__ __forceinline__ u32 run(const thread_stages<Element>& stages, u32 count) {
    u32 sum = 0;
#pragma unroll
    for (u32 stage = 0; stage < Stages; ++stage) {
      fetch(stages, stage, stage);
      ptx::commit();
    }
    u32 stage = 0;
#pragma unroll 1
    for (u32 number = Stages; number < count; ++number) {
      ptx::wait_group<Stages - 1>();
      sum += sum_of(*stages.place(stage));
      fetch(stages, stage, number);
      ptx::commit();
      stage = stage + 1 == Stages ? 0 : stage + 1;
    }
    ptx::wait_all();
#pragma unroll
    for (u32 left = 0; left < Stages; ++left)
      sum += sum_of(*stages.place(left));
    return sum;
  }
};

// Commits one group in each round. The last groups are empty, so the number of later groups is always the same.
struct prefetch {
  template <class Element, u32 Stages>
  static __device__ __forceinline__ u32 run(const thread_stages<Element>& stages, u32 count) {
    u32 sum = 0;
#pragma unroll
    for (u32 stage = 0; stage < Stages - 1; ++stage) {
      if (stage < count) fetch(stages, stage, stage);
      ptx::commit();
    }
    u32 next = Stages - 1;
    u32 stage = 0;
#pragma unroll 1
    for (u32 number = 0; number < count; ++number) {
      if (number + Stages - 1 < count) fetch(stages, next, number + Stages - 1);
      ptx::commit();
      next = next + 1 == Stages ? 0 : next + 1;
      ptx::wait_group<Stages - 1>();
      sum += sum_of(*stages.place(stage));
      stage = stage + 1 == Stages ? 0 : stage + 1;
    }
    return sum;
  }
};

const bool is_enrolled = [] {
  enroll_thread_ring<steady>("cp.async, immediate wait_group", hand, steady_name);
  enroll_thread_ring<prefetch>("cp.async, immediate wait_group", hand, prefetch_name);
  return true;
}();

__global__ void fill(u32* words, u32 count) {
  for (u32 index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x)
    words[index] = index * 2654435761u >> 20;
}

}  // namespace

void run_thread_ring(report& results) {
  const int multiprocessors = gpu::current().multiprocessors;
  std::vector<std::string> names;
  for (const u32 stages : thread_ring_stages)
    names.push_back(std::to_string(stages));
  std::size_t most = 0;
  for (const thread_ring_shape& shape : thread_ring_shapes)
    most = std::max(most, static_cast<std::size_t>(shape.blocks * multiprocessors * shape.threads));
  const device_array<char> source(most * thread_ring_rows * sizeof(uint4));
  fill<<<1024, 256>>>(reinterpret_cast<u32*>(source.data()),
                      static_cast<u32>(most * thread_ring_rows * sizeof(uint4) / sizeof(u32)));
  check(cudaDeviceSynchronize(), "fill");
  const device_array<u64> total(1);

  for (const char* loop : {steady_name, prefetch_name})
    for (const std::size_t bytes : {sizeof(uint4), sizeof(u32)})
      for (const thread_ring_shape& shape : thread_ring_shapes) {
        const auto run = [&](const contestant& who, std::size_t index) {
          const char* in = source.data();
          u32 count = shape.count;
          u64* out = total.data();
          void* arguments[] = {&in, &count, &out};
          check(cudaMemset(out, 0, sizeof(u64)), who.name);
          const int stages = static_cast<int>(thread_ring_stages[index] * bytes) * shape.threads;
          const int shared_bytes = std::max(stages, bytes_that_limit_blocks_to(shape.blocks));
          return microseconds(who.kernels[index], shape.blocks * multiprocessors, shape.threads, arguments, who.name,
                              shared_bytes);
        };
        const std::vector<contestant> all = enrolled("thread_ring", thread_ring_name(loop, bytes, shape));
        run(first_by_hand(all), 0);
        const u64 expected = total.copy()[0];  // the same for any number of stages
        const auto sample = [&](const contestant& who, std::size_t index) {
          const double time = run(who, index);
          return checked(time, total.copy()[0], expected, who);
        };
        results.add(measure(all, names.size(), repetitions, sample), names,
                    "rings of a thread: " + thread_ring_name(loop, bytes, shape) + " on each multiprocessor, stages",
                    "us");
      }
}

}  // namespace bench
