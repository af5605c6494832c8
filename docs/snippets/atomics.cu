// Atomics: counting, publishing, waiting, orders, and additions to vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

#include <chrono>

// [count]
__global__ void count_negative(const float* values, int size, int* count) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> total(*count);
  if (index < size && values[index] < 0) total.store_add(1, cuda::memory_order_relaxed);
}
// [end count]

// [publish]
struct mailbox {
  float message;
  cuda::atomic<int, cuda::thread_scope_device> is_full;
};

__device__ void put(mailbox& box, float message) {
  box.message = message;
  box.is_full.store(1, cuda::memory_order_release);
}

__device__ float take(const mailbox& box) {
  box.is_full.wait(0, cuda::memory_order_acquire);
  return box.message;
}
// [end publish]

__device__ void orders(cuda::atomic<int>& number, cuda::memory_order order) {
  // [orders]
  number.store(1, cuda::memory_order_release);  // memory_order_acquire would be an error of the compiler
  number.store(1, order);                       // known at run time: the checked build tests it
  // [end orders]
}

// [compare-exchange]
__device__ float fetch_multiply(cuda::atomic<float, cuda::thread_scope_device>& value, float factor) {
  float old = value.load(cuda::memory_order_relaxed);
  while (!value.compare_exchange_weak(old, old * factor, cuda::memory_order_relaxed)) {
  }
  return old;
}
// [end compare-exchange]

__device__ void wait_for_half(const cuda::atomic<int, cuda::thread_scope_device>& count, int size) {
  // [predicate]
  count.wait([=](int value) { return value >= size / 2; }, cuda::memory_order_acquire);
  // [end predicate]
}

// [host]
__global__ void answer(cuda::atomic<int>* question, cuda::atomic<int>* reply) {
  question->wait(0, cuda::memory_order_acquire);
  reply->store(question->load(cuda::memory_order_relaxed) + 1, cuda::memory_order_release);
}

bool ask(cuda::atomic<int>& question, const cuda::atomic<int>& reply) {  // in memory that both can access at once
  question.store(41, cuda::memory_order_release);
  return reply.wait_for(0, std::chrono::seconds(1), cuda::memory_order_acquire);
}
// [end host]

__device__ void count_at(int* const* counters) {
  // [assume]
  int* const counter = *counters;
  __builtin_assume(__isGlobal(counter));
  cuda::atomic_ref<int, cuda::thread_scope_device>(*counter).store_add(1, cuda::memory_order_relaxed);
  // [end assume]
}

__device__ void scatter(float4* sums, int cell, float4 contribution) {
  // [vector]
  cuda::device::store_add_elements(&sums[cell], contribution);
  // [end vector]
}
