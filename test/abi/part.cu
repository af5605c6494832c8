// Half a program, PART, compiled twice: the templates of shared_templates.h are in both, under the same names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include "parts.h"
#include "shared_templates.h"

#if defined(CUDASYNC_VERSION) != PART_IS_OURS
#error "compiled with the headers of the other half"
#endif

#include <new>

template <class Type>
layout layout_of(const char* name) {
  return {name, static_cast<long long>(sizeof(Type)), alignof(Type)};
}

struct alignas(16) aligned_words {
  int words[4];
};
enum class one_byte : char {};
template <unsigned Size>
struct bytes {
  char values[Size];
};
struct pair_of_words {
  alignas(16) long long first;
  unsigned second;
  alignas(16) unsigned third;
};
struct alignas(32) aligned_pair {
  long long values[2];
};

std::vector<layout> PART::layouts() {
#define TYPE(...) layout_of<__VA_ARGS__>(#__VA_ARGS__)
#define CONSTANT(...) layout{#__VA_ARGS__, static_cast<int>(__VA_ARGS__), 0}
  return {
      TYPE(cuda::atomic<bool>),
      TYPE(cuda::atomic<char>),
      TYPE(cuda::atomic<one_byte>),
      TYPE(cuda::atomic<short>),
      TYPE(cuda::atomic<int>),
      TYPE(cuda::atomic<float>),
      TYPE(cuda::atomic<long long>),
      TYPE(cuda::atomic<double>),
      TYPE(cuda::atomic<int*>),
      TYPE(cuda::atomic<bytes<3>>),
      TYPE(cuda::atomic<bytes<9>>),
      TYPE(cuda::atomic<bytes<12>>),
      TYPE(cuda::atomic<bytes<24>>),
      TYPE(cuda::atomic<bytes<33>>),
      TYPE(cuda::atomic<pair_of_words, cuda::thread_scope_device>),
      TYPE(cuda::atomic<aligned_pair>),
      TYPE(cuda::std::atomic<bytes<24>>),
      TYPE(cuda::atomic<char, cuda::thread_scope_block>),
      TYPE(cuda::atomic<long long, cuda::thread_scope_device>),
      TYPE(cuda::std::atomic<char>),
      TYPE(cuda::std::atomic<short>),
      TYPE(cuda::std::atomic<int>),
      TYPE(cuda::std::atomic<long long>),
      TYPE(cuda::std::atomic_flag),
      TYPE(cuda::atomic_ref<int>),
      TYPE(cuda::atomic_ref<double, cuda::thread_scope_device>),
      TYPE(cuda::atomic_ref<aligned_words>),
      TYPE(cuda::barrier<cuda::thread_scope_system>),
      TYPE(cuda::barrier<cuda::thread_scope_device>),
      TYPE(cuda::barrier<cuda::thread_scope_block>),
      TYPE(cuda::std::barrier<>),
      TYPE(cuda::barrier<cuda::thread_scope_block>::arrival_token),
      TYPE(cuda::latch<cuda::thread_scope_system>),
      TYPE(cuda::latch<cuda::thread_scope_block>),
      TYPE(cuda::std::latch),
      TYPE(cuda::counting_semaphore<cuda::thread_scope_system>),
      TYPE(cuda::counting_semaphore<cuda::thread_scope_device, 100>),
      TYPE(cuda::binary_semaphore<cuda::thread_scope_system>),
      TYPE(cuda::binary_semaphore<cuda::thread_scope_block>),
      TYPE(cuda::std::counting_semaphore<>),
      TYPE(cuda::std::binary_semaphore),
      TYPE(cuda::pipeline<cuda::thread_scope_block>),
      TYPE(cuda::pipeline<cuda::thread_scope_thread>),
      TYPE(cuda::pipeline_shared_state<cuda::thread_scope_block, 1>),
      TYPE(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>),
      TYPE(cuda::pipeline_shared_state<cuda::thread_scope_block, 5>),
      TYPE(cuda::aligned_size_t<16>),
      TYPE(cuda::thread_scope),
      TYPE(cuda::memory_order),
      TYPE(cuda::pipeline_role),
      CONSTANT(cuda::thread_scope_system),
      CONSTANT(cuda::thread_scope_device),
      CONSTANT(cuda::thread_scope_block),
      CONSTANT(cuda::thread_scope_thread),
      CONSTANT(cuda::memory_order_relaxed),
      CONSTANT(cuda::memory_order_consume),
      CONSTANT(cuda::memory_order_acquire),
      CONSTANT(cuda::memory_order_release),
      CONSTANT(cuda::memory_order_acq_rel),
      CONSTANT(cuda::memory_order_seq_cst),
      CONSTANT(cuda::pipeline_role::producer),
      CONSTANT(cuda::pipeline_role::consumer),
      CONSTANT(cuda::barrier<cuda::thread_scope_block>::max()),
  };
#undef TYPE
#undef CONSTANT
}

void PART::construct_atomic(void* object, int value) {
  new (object) cuda::atomic<int>(value);
}

int PART::add(void* object, int value) {
  return add_through_template<int>(object, value);
}

void PART::launch_rotation(const int* values, int* result) {
  rotate<threads_of_rotation><<<1, threads_of_rotation>>>(values, result);
}
