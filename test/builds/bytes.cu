// Objects that are bytes of a class: cicc fails on a test of their memory, unless it is hidden what they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/bulk_pipeline.h>
#include <cudasync/thread_block.h>
#include <cudasync/turns.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

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

// An object of each kind in bytes: in shared memory with a name, in a member and of a size that the launch gives, in a
// parameter and in what it points to, in either of two memories, and for a function that is not inlined.
struct room {
  int numbers[4];
  alignas(16) char bytes[1024];
};

#define IN_BYTES(NAME, TYPE, ...)                                                             \
  using type_of_##NAME = TYPE;                                                                \
  __device__ __forceinline__ void use_##NAME(void* object, char* from, int number) {          \
    auto& it = *static_cast<type_of_##NAME*>(object);                                         \
    __VA_ARGS__;                                                                              \
  }                                                                                           \
  __global__ void NAME##_with_a_name(char* from, int number) {                                \
    __shared__ alignas(16) char own[1024];                                                    \
    use_##NAME(own, from, number);                                                            \
    use_##NAME(own + 256 * number, from, number);                                             \
  }                                                                                           \
  __global__ void NAME##_in_a_member(char* from, int number) {                                \
    __shared__ room own[2];                                                                   \
    use_##NAME(own[number].bytes, from, number);                                              \
    use_##NAME(own[0].bytes + 256, from, number);                                             \
  }                                                                                           \
  __global__ void NAME##_of_the_launch(char* from, int number) {                              \
    extern __shared__ char of_the_launch[];                                                   \
    use_##NAME(reinterpret_cast<room*>(of_the_launch)->bytes, from, number);                  \
    use_##NAME(of_the_launch + 2048, from, number);                                           \
  }                                                                                           \
  __global__ void NAME##_of_a_parameter(room* other, room** others, char* from, int number) { \
    use_##NAME(other->bytes, from, number);                                                   \
    use_##NAME(others[number]->bytes + 16, from, number);                                     \
  }                                                                                           \
  __global__ void NAME##_in_either(room* other, char* from, int number, bool where) {         \
    __shared__ room own;                                                                      \
    room& all = where ? own : *other;                                                         \
    use_##NAME(all.bytes, from, number);                                                      \
    use_##NAME(&all.bytes[256], from, number);                                                \
    use_##NAME(reinterpret_cast<char*>(&all) + 272, from, number);                            \
  }                                                                                           \
  __device__ __noinline__ void NAME##_of_a_function(room& all, char* from, int number) {      \
    use_##NAME(all.bytes, from, number);                                                      \
    use_##NAME(all.bytes + 16 * number, from, number);                                        \
  }                                                                                           \
  __global__ void NAME##_for_a_function(room* other, char* from, int number) {                \
    __shared__ room own;                                                                      \
    NAME##_of_a_function(own, from, number);                                                  \
    NAME##_of_a_function(*other, from, number);                                               \
  }

IN_BYTES(a_barrier, barrier, init(&it, number); it.arrive_and_wait(); it.arrive_and_drop())
IN_BYTES(a_latch, cuda::latch<cuda::thread_scope_block>, init(&it, number); it.arrive_and_wait())
IN_BYTES(a_semaphore, cuda::counting_semaphore<cuda::thread_scope_block>, it.acquire(); it.release())
IN_BYTES(an_atomic, cuda::atomic<int>, it.wait(number); it.fetch_add(number); it.store(it.load()))
IN_BYTES(a_small_atomic, cuda::atomic<short>, it.wait(number); it.fetch_add(number); it.store(it.load()))
IN_BYTES(numbers, int[128], __shared__ barrier bar; init(&bar, 1);
         cuda::memcpy_async(it, reinterpret_cast<int*>(from), number * 4, bar); bar.arrive_and_wait())
IN_BYTES(bytes, char[128], __shared__ barrier bar; init(&bar, 1);
         cuda::memcpy_async(cudasync::this_thread_block(), it, from, number, bar); bar.arrive_and_wait())
using pipeline_state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
IN_BYTES(a_pipeline, pipeline_state, auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &it);
         pipe.producer_acquire(); pipe.producer_commit(); pipe.consumer_wait(); pipe.consumer_release())
using some_turns = cudasync::turns<2, 1, 64>;
IN_BYTES(the_turns, some_turns, it.init(cudasync::this_thread_block()); some_turns::place mine(it, number); mine.wait();
         mine.pass())
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warps<2>>;
IN_BYTES(a_ring, ring, it.init(cudasync::this_thread_block()); ring::producer_state at; it.producer_acquire(at, 64);
         it.copy(at, reinterpret_cast<char*>(&it) + 512, from, cuda::aligned_size_t<16>(64)))
IN_BYTES(transactions, barrier, init(&it, number); cuda::device::barrier_expect_tx(it, 64);
         cuda::device::memcpy_async_tx(reinterpret_cast<char*>(&it) + 64, from, cuda::aligned_size_t<16>(64), it))
#endif
