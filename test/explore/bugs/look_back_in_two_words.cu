// Scan with a decoupled look-back: a block's status and its sum are one vector, which is stored and loaded as two words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

using word = unsigned long long;
struct alignas(8) block_sum {
  unsigned status, value;  // status: 0 nothing, 1 of this block, 2 of all blocks up to it
};

__device__ inline void put(block_sum* to, unsigned status, unsigned value) {
  *reinterpret_cast<uint2*>(to) = make_uint2(status, value);  // wrong, reported
  // right: atomicExch(reinterpret_cast<word*>(to), word{value} << 32 | status);
}
__device__ inline block_sum get(block_sum* from) {
  asm volatile("" ::: "memory");
  const uint2 found = *reinterpret_cast<uint2*>(from);  // wrong, reported
  return {found.x, found.y};                            // wrong
  // right: const word found = atomicAdd(reinterpret_cast<word*>(from), word{0});
  // right: return {static_cast<unsigned>(found), static_cast<unsigned>(found >> 32)};
}

extern "C" __global__ void look_back_in_two_words(unsigned* data) {
  __shared__ unsigned before;
  block_sum* const sums = reinterpret_cast<block_sum*>(data);
  const unsigned total = __reduce_add_sync(~0u, threadIdx.x);
  if (threadIdx.x == 0) {
    const int block = static_cast<int>(blockIdx.x);
    unsigned sum = 0;
    put(sums + block, block == 0 ? 2 : 1, total);  // reported
    for (int other = block - 1; other >= 0;) {
      const block_sum found = get(sums + other);  // reported
      if (found.status == 0) continue;
      sum += found.value;
      other = found.status == 2 ? -1 : other - 1;
    }
    if (block > 0) put(sums + block, 2, sum + total);  // reported
    before = sum;
  }
  __syncwarp();
  data[64 + blockIdx.x * 32 + threadIdx.x] = before + threadIdx.x;
}

int main() {
  return launch(look_back_in_two_words, 5, 32);
}
