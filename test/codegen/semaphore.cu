// A permit is one addition, and giving it back one RED; a thread that finds none polls with relaxed loads and acquires at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: 80 90
// LIMIT: ours_acquire sm_90 35
// LIMIT: ours_acquire_binary sm_90 103
// The SASS of some kernels, in the order of their names:
// SASS-LABEL: ours_acquire:
// SASS: ATOM{{G?}}.E.ADD.64.STRONG.GPU
// SASS: CCTL.IVALL
// SASS-NOT: {{(ATOM|CCTL)}}
// SASS: LD{{G?}}.E.64.STRONG.GPU
// SASS: CCTL.IVALL
// SASS-LABEL: ours_acquire_binary:
// SASS: ATOM{{G?}}.E.CAS.STRONG.GPU
// SASS: ATOM{{G?}}.E.ADD.STRONG.GPU
// SASS: LD{{G?}}.E.STRONG.GPU
// SASS: ATOM{{G?}}.E.CAS.STRONG.GPU
// SASS-LABEL: ours_release:
// SASS: MEMBAR.{{(ALL|SC)}}.GPU
// SASS-NOT: {{(MEMBAR|ATOM|BRA)}}
// SASS: RED{{G?}}.E.ADD.64.STRONG.GPU
// SASS-NOT: {{(MEMBAR|ATOM|BRA)}}
// SASS-LABEL: ours_release_binary:
// SASS: MEMBAR.{{(ALL|SC)}}.GPU
// SASS-NOT: {{(MEMBAR|ATOM|BRA)}}
// SASS: RED{{G?}}.E.OR.STRONG.GPU
// SASS-NOT: {{(MEMBAR|ATOM|BRA)}}
// SASS-LABEL: ours_release_many:
// SASS-LABEL: ours_try_acquire:
// SASS: LD{{G?}}.E.STRONG.GPU
// SASS: ATOM{{G?}}.E.CAS.STRONG.GPU
#include <cuda/semaphore>

using permits = cuda::counting_semaphore<cuda::thread_scope_device>;
using permit = cuda::binary_semaphore<cuda::thread_scope_device>;
using word = unsigned long long;

__device__ void acquire() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.acquire.gpu;" ::: "memory");
#else
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}

// The permits released so far in the upper half; in the lower one those there are, less the threads that wait.
__device__ int available(word state) {
  return static_cast<int>(static_cast<unsigned>(state));
}
__device__ unsigned released(word state) {
  return static_cast<unsigned>(state >> 32) + (static_cast<unsigned>(state) >> 31);
}

__device__ word poll(const word* state) {
  word value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(state)) : "memory");
  return value;
}
__device__ unsigned poll(const unsigned* state) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(state)) : "memory");
  return value;
}

__device__ unsigned compare_exchange(unsigned* state, unsigned expected, unsigned desired) {
  unsigned before;
  asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(state)), "r"(expected), "r"(desired)
               : "memory");
  return before;
}

__device__ bool take_if_free(unsigned* one) {
  return compare_exchange(one, 1, 0) == 1;
}
__device__ unsigned long long global_time() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

// Takes the permit in its turn: from the lowest bit, the permit, whether a try has overtaken the queue, the threads that
// wait, and the next ticket.
__device__ bool take_turn(unsigned* one, unsigned ticket) {
  unsigned found = poll(one);
  while ((found & 1) != 0 && found >> 24 == ticket) {
    const unsigned after = (found & 0xfffffc) == 4 ? 0 : (found & ~2u) + (1u << 24) - 5;
    const unsigned seen = compare_exchange(one, found, after);
    if (seen == found) return true;
    found = seen;
  }
  __nanosleep((ticket - (found >> 24)) % 256 * 256);
  return false;
}

extern "C" {

__global__ void ours_acquire(permits* some) {
  some->acquire();
}
__global__ void hand_acquire(word* some) {
  word before;
  asm volatile("atom.acquire.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(before)
               : "l"(__cvta_generic_to_global(some)), "l"(~word{0})
               : "memory");
  if (available(before) > 0) return;
  const unsigned ticket = released(before) - static_cast<unsigned>(available(before));
  do
    __nanosleep(20);
  while (static_cast<int>(released(poll(some)) - ticket) <= 0);
  acquire();
}

__global__ void ours_try_acquire(permits* some, int* done) {
  *done = some->try_acquire();
}
__global__ void hand_try_acquire(word* some, int* done) {
  bool is_done = false;
  unsigned found = static_cast<unsigned>(poll(some));
  for (int attempts = 0; !is_done && static_cast<int>(found) > 0 && attempts < 1024; ++attempts) {
    const unsigned before = compare_exchange(reinterpret_cast<unsigned*>(some), found, found - 1);
    is_done = before == found;
    found = before;
  }
  *done = is_done;
}

// PTX-LABEL: .entry ours_release(
// PTX-NOT: {{(fence|atom)[.]}}
// PTX: red.release.gpu.global.add.u64
// PTX-NOT: {{(fence|atom)[.]}}
// PTX-LABEL: .entry hand_release(
__global__ void ours_release(permits* some) {
  some->release();
}
__global__ void hand_release(word* some) {
  asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(some)),
               "l"((word{1} << 32) + 1)
               : "memory");
}

__global__ void ours_release_many(permits* some, int number) {
  some->release(number);
}
__global__ void hand_release_many(word* some, int number) {
  const word many = static_cast<word>(static_cast<long long>(number));
  asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(some)), "l"(many << 32 | many)
               : "memory");
}

// Bit 0: the permit. Bits 23..1: how many wait. Bits 31..24: who is next, of those that wait.
__global__ void ours_acquire_binary(permit* one) {
  one->acquire();
}
__global__ void hand_acquire_binary(unsigned* one) {
  if (compare_exchange(one, 1, 0) == 1) return;
#pragma unroll 4
  for (unsigned attempts = 0; attempts < 16; ++attempts)
    if (take_if_free(one)) return;
  const unsigned long long start = global_time();
  do {
    __nanosleep(40);
    if (poll(one) == 1 && take_if_free(one)) return;
  } while (global_time() - start < 1000000);
  __nanosleep(0);
  unsigned before;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 4;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(one))
               : "memory");
  const unsigned ticket = ((before >> 24) + ((before & 0xfffffc) >> 2)) % 256;
  do
    __nanosleep(20);
  while (!take_turn(one, ticket));
}

__global__ void ours_try_acquire_binary(permit* one, int* done) {
  *done = one->try_acquire();
}
// Several lanes look first.
__global__ void hand_try_acquire_binary(unsigned* one, int* done) {
  const unsigned lanes = __activemask();
  bool is_done = false;
  if ((lanes & (lanes - 1)) == 0 || (poll(one) & 1) != 0) {
    const unsigned found = compare_exchange(one, 1, 0);
    is_done = found == 1;
    if (found > 1 && (found & 3) == 1) is_done = compare_exchange(one, found, found + 1) == found;
  }
  *done = is_done;
}

__global__ void ours_release_binary(permit* one) {
  one->release();
}
__global__ void hand_release_binary(unsigned* one) {
  one += threadIdx.x >= blockDim.x;  // 0 in each lane, but ptxas does not know it, and does not combine the lanes
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.release.gpu;" ::: "memory");
  asm volatile("red.relaxed.gpu.global.or.b32 [%0], 1;" ::"l"(__cvta_generic_to_global(one)) : "memory");
#else
  asm volatile("red.release.gpu.global.or.b32 [%0], 1;" ::"l"(__cvta_generic_to_global(one)) : "memory");
#endif
}

}  // extern "C"
