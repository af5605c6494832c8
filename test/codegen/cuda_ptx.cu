// Each signature of cuda::ptx has an address, and is one instruction, with the SASS of the same instruction by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 80 90a 100a 120a
// MATRIX: cuda_ptx
//
// The table is in tools/cudasync_tools/cuda_ptx_matrix.py.
#include <cuda/ptx>

struct __half {
  unsigned short bits;
};
struct __nv_bfloat16 {
  unsigned short bits;
};

using cuda::std::int32_t;
using cuda::std::int64_t;
using cuda::std::uint16_t;
using cuda::std::uint32_t;
using cuda::std::uint64_t;
