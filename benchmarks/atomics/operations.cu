// One kernel per operation on an atomic in global memory, compiled with each library's header for sass_counts.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>

template <class Value>
using atomic = cuda::atomic<Value, cuda::thread_scope_device>;

using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;

extern "C" __global__ void op_load_relaxed(const atomic<int>* object, int* out) {
  *out = object->load(memory_order_relaxed);
}

extern "C" __global__ void op_load_acquire(const atomic<int>* object, int* out) {
  *out = object->load(memory_order_acquire);
}

extern "C" __global__ void op_store_release(atomic<int>* object, int value) {
  object->store(value, memory_order_release);
}

extern "C" __global__ void op_add_int_unused(atomic<int>* object, int value) {
  object->fetch_add(value, memory_order_relaxed);
}

extern "C" __global__ void op_add_float_unused(atomic<float>* object, float value) {
  object->fetch_add(value, memory_order_relaxed);
}

extern "C" __global__ void op_max_float_unused(atomic<float>* object, float value) {
  object->fetch_max(value, memory_order_relaxed);
}

extern "C" __global__ void op_add_uint8(atomic<unsigned char>* object, unsigned char value, unsigned char* out) {
  *out = object->fetch_add(value, memory_order_relaxed);
}

extern "C" __global__ void op_exchange_acq_rel(atomic<int>* object, int value, int* out) {
  *out = object->exchange(value, memory_order_acq_rel);
}

extern "C" __global__ void op_compare_exchange(atomic<int>* object, int expected, int desired, bool* out) {
  *out = object->compare_exchange_strong(expected, desired, memory_order_acq_rel, memory_order_relaxed);
}

extern "C" __global__ void op_atomic_wait(const atomic<int>* object, int old) {
  object->wait(old, memory_order_acquire);
}

// In shared memory, and in a memory space that is unknown to the compiler.
extern "C" __global__ void op_add_int_shared(int value, int* out) {
  __shared__ int word;
  *out = cuda::atomic_ref<int, cuda::thread_scope_block>(word).fetch_add(value, memory_order_relaxed);
}

extern "C" __global__ void op_add_int_anywhere(atomic<int>* object, int value, int* out) {
  asm volatile("" : "+l"(object));
  *out = object->fetch_add(value, memory_order_relaxed);
}
