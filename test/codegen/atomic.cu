// An atomic operation is its instruction alone, in the memory where the compiler sees the object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: 80 90
// LIMIT: ours_load sm_70+ 10
// LIMIT: ours_add_float_unused sm_70+ 8
//
// SASS-LABEL: ours_add_float_unused:
// SASS-NOT: {{MEMBAR|CCTL|BRA|ATOM}}
// SASS: RED{{G?}}.E.ADD.F32
// SASS-NOT: {{MEMBAR|CCTL|BRA|ATOM}}
// SASS: EXIT
// SASS-LABEL: ours_add_in_shared:
// SASS-NOT: {{MEMBAR|CCTL|QSPC|ATOM.E|ATOMG}}
// SASS: ATOMS.ADD
// SASS-NOT: {{MEMBAR|CCTL}}
// SASS: EXIT
// SASS-LABEL: ours_load:
// SASS-NOT: {{MEMBAR|CCTL|BRA}}
// SASS: LDG.E.STRONG.GPU
// SASS-NOT: {{MEMBAR|CCTL|BRA}}
// SASS: EXIT
// SASS-LABEL: ours_local:
// SASS-NOT: {{ATOM|QSPC|BRA|LDL|STL|MEMBAR|CCTL}}
// SASS: EXIT
// SASS-LABEL: ours_store_add_release:
// SASS-NOT: {{CCTL|ATOM}}
// SASS: MEMBAR.ALL.GPU
// SASS-NOT: {{MEMBAR|CCTL|ATOM}}
// SASS: RED{{G?}}.E.ADD.STRONG.GPU
// SASS-NOT: {{MEMBAR|CCTL|ATOM}}
// SASS: EXIT
#include <cuda/atomic>

template <class Value>
using device_atomic = cuda::atomic<Value, cuda::thread_scope_device>;

__device__ unsigned shared_address(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}
__device__ unsigned long long global_address(const void* object) {
  return __cvta_generic_to_global(object);
}

__device__ unsigned load(const unsigned* word) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(global_address(word)) : "memory");
  return value;
}

__device__ unsigned add_in_shared(unsigned* word, unsigned operand) {
  unsigned before;
  asm volatile("atom.relaxed.gpu.shared.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "r"(shared_address(word)), "r"(operand)
               : "memory");
  return before;
}

extern "C" {

__global__ void ours_load(const device_atomic<unsigned>* counter, unsigned* out) {
  *out = counter->load(cuda::memory_order_relaxed);
}
__global__ void hand_load(const unsigned* counter, unsigned* out) {
  *out = load(counter);
}

// An order that is a variable, of which the compiler knows the value.
__global__ void ours_load_with_variable(const device_atomic<unsigned>* counter, unsigned* out) {
  const cuda::memory_order order = cuda::memory_order_relaxed;
  *out = counter->load(order);
}
__global__ void hand_load_with_variable(const unsigned* counter, unsigned* out) {
  *out = load(counter);
}

__global__ void ours_add_float_unused(device_atomic<float>* sum, float operand) {
  sum->fetch_add(operand, cuda::memory_order_relaxed);
}
__global__ void hand_add_float_unused(float* sum, float operand) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(global_address(sum)), "f"(operand) : "memory");
}

__global__ void ours_add_in_shared(unsigned operand, unsigned* out) {
  extern __shared__ device_atomic<unsigned> counters[];
  *out = counters[0].fetch_add(operand, cuda::memory_order_relaxed);
}
__global__ void hand_add_in_shared(unsigned operand, unsigned* out) {
  extern __shared__ unsigned words[];
  *out = add_in_shared(words, operand);
}

__global__ void ours_store_add_release(device_atomic<unsigned>* counter, unsigned operand) {
  counter->store_add(operand, cuda::memory_order_release);
}
__global__ void hand_store_add_release(unsigned* counter, unsigned operand) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(global_address(counter)), "r"(operand) : "memory");
}

// Floats are ordered as integers of their bits.
__global__ void ours_max_float(device_atomic<float>* most, float operand, float* out) {
  *out = most->fetch_max(operand, cuda::memory_order_relaxed);
}
__global__ void hand_max_float(float* most, float operand, float* out) {
  const int bits = __float_as_int(operand);
  int before;
  if (bits < 0)
    asm volatile("atom.relaxed.gpu.global.min.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(global_address(most)), "r"(bits)
                 : "memory");
  else
    asm volatile("atom.relaxed.gpu.global.max.s32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(global_address(most)), "r"(bits)
                 : "memory");
  *out = __int_as_float(before);
}

// The order of a compare-exchange serves success and failure.
//
// PTX-LABEL: .entry relaxed_then_acquire(
// PTX: atom.acquire.gpu.{{(global\.)?}}cas.b32
__global__ void relaxed_then_acquire(device_atomic<unsigned>* word, unsigned* expected, bool* done) {
  *done = word->compare_exchange_weak(*expected, 1, cuda::memory_order_relaxed, cuda::memory_order_acquire);
}

// PTX-LABEL: .entry release_then_acquire(
// PTX: atom.acq_rel.gpu.{{(global\.)?}}cas.b32
__global__ void release_then_acquire(device_atomic<unsigned>* word, unsigned* expected, bool* done) {
  *done = word->compare_exchange_strong(*expected, 1, cuda::memory_order_release, cuda::memory_order_acquire);
}

// PTX-LABEL: .entry release_then_relaxed(
// PTX: atom.release.gpu.{{(global\.)?}}cas.b32
__global__ void release_then_relaxed(device_atomic<unsigned>* word, unsigned* expected, bool* done) {
  *done = word->compare_exchange_strong(*expected, 1, cuda::memory_order_release, cuda::memory_order_relaxed);
}

// PTX-LABEL: .entry relaxed_then_seq_cst(
// PTX: fence.sc.gpu
// PTX: atom.acquire.gpu.{{(global\.)?}}cas.b32
__global__ void relaxed_then_seq_cst(device_atomic<unsigned>* word, unsigned* expected, bool* done) {
  *done = word->compare_exchange_strong(*expected, 1, cuda::memory_order_relaxed, cuda::memory_order_seq_cst);
}

// A thread's own atomics, by their scope or because the compiler sees where they are, are numbers in registers.
__global__ void ours_thread_scope(cuda::atomic<int, cuda::thread_scope_thread>* counter, int* out) {
  *out = counter->fetch_add(2);
}
__global__ void hand_thread_scope(int* counter, int* out) {
  const int before = *counter;
  *counter = before + 2;
  *out = before;
}

__global__ void ours_local(int operand, int* out) {
  device_atomic<int> counter(3);
  counter.fetch_add(operand, cuda::memory_order_relaxed);
  counter.store_max(7, cuda::memory_order_relaxed);
  int expected = 7;
  counter.compare_exchange_strong(expected, operand, cuda::memory_order_relaxed);
  *out = counter.load(cuda::memory_order_relaxed) + expected;
}
__global__ void hand_local(int operand, int* out) {
  int counter = 3 + operand;
  if (counter < 7) counter = 7;
  int expected = 7;
  if (counter == expected)
    counter = operand;
  else
    expected = counter;
  *out = counter + expected;
}

}  // extern "C"
