// Objects that are bytes of a class: cicc fails on a test of their memory, unless it is hidden what they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/thread_block.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

using barrier = cuda::barrier<cuda::thread_scope_block>;

struct tiles {
  int numbers[4];
  char bytes[64];
};

// Each object is in shared memory, or in global memory.
#define EITHER(NAME, TYPE, ...)                         \
  __global__ void NAME(TYPE* other, const char* from) { \
    __shared__ TYPE own;                                \
    TYPE& it = from ? own : *other;                     \
    __VA_ARGS__;                                        \
  }

EITHER(byte_atomic, cuda::atomic<char>, it.wait(1); it.fetch_add(1); it.store(it.load()))
EITHER(bool_atomic, cuda::atomic<bool>, it.wait(true); it.exchange(false))
EITHER(flag, cuda::atomic_flag, it.wait(true); it.test_and_set())
EITHER(copy_of_thread, tiles, auto pipe = cuda::make_pipeline(); cuda::memcpy_async(it.bytes, from, 64, pipe);
       pipe.producer_commit(); pipe.consumer_wait())
EITHER(copy_of_block, tiles, __shared__ barrier bar; init(&bar, 1);
       cuda::memcpy_async(cudasync::this_thread_block(), it.bytes, from, 64, bar); bar.arrive_and_wait())

// A parameter of a function that is not inlined.
__device__ void copy(unsigned char (&tile)[512], const tiles& from, barrier& bar) {
  cuda::memcpy_async(tile, from.bytes, 64, bar);
}

// A class of one byte, and an atomic behind it: cicc takes the pointer to the atomic to be one to the class.
struct memory {
  char *from, *indices, *state, *to;
  size_t size;
};

__global__ void atomic_behind_a_byte(const memory* argument, int rounds) {
  const memory all = *argument;
  auto& value = *reinterpret_cast<cuda::atomic<unsigned char, cuda::thread_scope_device>*>(all.state);
  auto& answers = *reinterpret_cast<cuda::atomic<unsigned, cuda::thread_scope_device>*>(all.state + 256);
  for (int round = 0; round < rounds; ++round) {
    if (blockIdx.x != 0) {
      if (threadIdx.x == 0) answers.fetch_add(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
      value.store(static_cast<unsigned char>(round + 1), cuda::memory_order_release);
    }
  }
}
