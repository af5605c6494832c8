// Automatic objects need no atomic instructions, and the compiler does not warn about them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75+
// SASS-NOT: {{ATOM|RED|QSPC}}
#include <cuda/atomic>

using cuda::memory_order_relaxed;

struct counters {
  int steps[3];
  cuda::atomic<int, cuda::thread_scope_block> sum{0};
  cuda::atomic<unsigned char> small{0};
};
__device__ void count(counters& all, int steps) {
  for (int step = 0; step < steps; ++step) {
    if (step & 2)
      all.sum.fetch_add(all.steps[step % 3], memory_order_relaxed);
    else
      all.sum.fetch_xor(7, memory_order_relaxed);
    all.small.fetch_add(1, memory_order_relaxed);
  }
}
__global__ void member(int* out, int steps) {
  counters all;
  for (int& step : all.steps)
    step = *out++;
  count(all, steps);
  count(all, *out);
  out[0] = all.sum.load(memory_order_relaxed);
  out[1] = all.small.load(memory_order_relaxed);
}
__global__ void array(int* out, int steps) {
  counters all[4];
  for (int step = 0; step < steps; ++step) {
    auto& sum = all[out[step] & 3].sum;
    sum.fetch_add(step, memory_order_relaxed);
    sum.fetch_and(out[step], memory_order_relaxed);
  }
  for (const counters& each : all)
    *out++ = each.sum.load(memory_order_relaxed);
}
__global__ void extremes_of_floats(float* out, float operand) {
  float value = operand;
  const cuda::atomic_ref<float, cuda::thread_scope_device> object(value);
  out[0] = object.fetch_add(3, memory_order_relaxed);
  out[1] = object.fetch_max(operand + 2, memory_order_relaxed);
  out[2] = object.fetch_min(operand - 3, memory_order_relaxed);
  out[3] = value;
}
