// Additions of two halves in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_ADD_H
#define CUDASYNC_PTX_ADD_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

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

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
