// Each atomic operation gets the operand that it was given, wherever its object lies: tools/cudasync_tools/operand_audit.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 80 90 100
// MATRIX: operand
#include <cudasync/core/bits.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/tags.h>

using namespace cudasync;
using namespace cudasync::ptx;

extern __shared__ __align__(16) unsigned char memory[];

template <class Value>
__device__ __forceinline__ void use(const Value& value, unsigned* seen) {
  seen[threadIdx.x] = static_cast<unsigned>(to_bits<uint128>(value).low);
}

// --- The kernels are generated ---
