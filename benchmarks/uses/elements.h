// Elements of several sizes and alignments, which kernels copy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_USES_ELEMENTS_H
#define CUDASYNC_BENCHMARKS_USES_ELEMENTS_H

#include "uses.h"

namespace bench {

template <class Value, int Count, int Alignment>
struct alignas(Alignment) element {
  Value values[Count];

  __device__ __forceinline__ u32 folded() const {
    u32 sum = 0;
    for (const Value value : values)
      sum = sum * 5 + value;
    return sum;
  }
};

template <int Count>
using halves_of = element<unsigned short, Count, 2>;
template <int Count>
using words_of = element<u32, Count, 4>;
template <int Alignment, int Count>
using aligned_words_of = element<u32, Count, Alignment>;

}  // namespace bench

#endif
