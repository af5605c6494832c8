// Automatic objects need no atomic instructions, and the compiler does not warn about them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75+
// SASS-NOT: {{ATOM|RED|QSPC|BPT}}
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

// Many operations on one object, of which the compiler duplicates and merges the tests.
struct account {
  int parts[3];
  int sum;
  double other;

  template <cuda::thread_scope Scope = cuda::thread_scope_block>
  __device__ cuda::atomic_ref<int, Scope> shared() {
    return cuda::atomic_ref<int, Scope>(sum);
  }
};
__device__ void add_to(account& all, int number) {
  all.shared().fetch_add(number, memory_order_relaxed);
}
__global__ void branches(int* out, int rounds, int steps) {
  account all{};
  all.parts[steps % 3] = 5;
  int seen = 0;
  if (threadIdx.x < 5) {
    add_to(all, 11);
    all.shared<cuda::thread_scope_system>().fetch_or(21, cuda::memory_order_acquire);
    if (steps & 4) {
      for (int round = 0; round < 3; ++round) {
        seen += all.shared<cuda::thread_scope_system>().fetch_add(31);
        add_to(all, 41);
      }
      add_to(all, 51);
    } else {
      all.shared<cuda::thread_scope_device>().fetch_add(61);
      seen += all.shared().fetch_xor(71);
      all.shared().fetch_max(81);
      if (steps & 2) {
        add_to(all, 91);
        seen += all.shared<cuda::thread_scope_device>().fetch_max(101, memory_order_relaxed);
      } else {
        add_to(all, 111);
      }
    }
  } else {
    if (rounds > 3) {
      for (int round = 0; round < steps; ++round)
        seen += all.shared<cuda::thread_scope_system>().fetch_add(121, memory_order_relaxed);
      seen += all.shared<cuda::thread_scope_device>().fetch_max(131, memory_order_relaxed);
      seen += all.shared<cuda::thread_scope_device>().fetch_add(141, memory_order_relaxed);
      add_to(all, 151);
    } else {
      for (int round = 0; round < rounds; ++round, steps += rounds)
        add_to(all, 161);
      for (int round = 0; round < 4; ++round, steps += rounds) {
        add_to(all, 171);
        seen += all.shared<cuda::thread_scope_device>().fetch_and(181, memory_order_relaxed);
      }
    }
    all.shared().fetch_min(191, memory_order_relaxed);
  }
  seen += all.shared<cuda::thread_scope_system>().fetch_and(201, memory_order_relaxed);
  all.shared().fetch_add(211, cuda::memory_order_acquire);
  all.shared<cuda::thread_scope_device>().fetch_and(221);
  out[threadIdx.x] = seen + all.sum + steps;
}
