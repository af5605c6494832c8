// Arithmetic in registers: additions of two halves, bits of a word, and values of the lanes of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ARITHMETIC_H
#define CUDASYNC_PTX_ARITHMETIC_H

#include <cudasync/core/integers.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// Half precision and bfloat16 are passed as their bits.

// PTX 4.2, sm_70.
CUDASYNC_DEVICE uint32 add(op_add_f16x2_t, uint32 left, uint32 right) {
  uint32 sum;
  asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(left), "r"(right));
  return sum;
}

// PTX 7.8, sm_90.
CUDASYNC_DEVICE uint32 add(op_add_bf16x2_t, uint32 left, uint32 right) {
  uint32 sum;
  asm("add.bf16x2 %0, %1, %2;" : "=r"(sum) : "r"(left), "r"(right));
  return sum;
}

// PTX 2.0, sm_70. The number of set bits.
CUDASYNC_DEVICE uint32 popc(uint32 word) {
  uint32 count;
  asm("popc.b32 %0, %1;" : "=r"(count) : "r"(word));
  return count;
}

// PTX 2.0, sm_70. The index of the lowest set bit, 0 to 31. The word must not be 0.
CUDASYNC_DEVICE uint32 lowest_bit(uint32 word) {
  uint32 place;
  asm("{ .reg .b32 mirrored; brev.b32 mirrored, %1; bfind.shiftamt.u32 %0, mirrored; }" : "=r"(place) : "r"(word));
  return place;
}

// PTX 7.0, sm_80. The greatest value of the lanes in the member mask.
CUDASYNC_DEVICE uint32 redux_max(uint32 value, uint32 mask) {
  uint32 result;
  asm volatile("redux.sync.max.u32 %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask) : "memory");
  return result;
}

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
