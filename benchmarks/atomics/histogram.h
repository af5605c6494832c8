// The kernel that counts bytes in a histogram in shared memory, for any contestant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_ATOMICS_HISTOGRAM_H
#define CUDASYNC_BENCHMARKS_ATOMICS_HISTOGRAM_H

#include "../harness.h"

// The atomics of libcu++ have a constructor, which nvcc does not call for a __shared__ variable.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace bench {

inline constexpr const char* histogram_name = "256 bins in shared memory";
inline constexpr unsigned bins = 256;

// A contestant is a class with a type counter and static functions:
//   void clear(counter&)      void increment(counter&)      unsigned value(counter&)
template <class Way>
__global__ void __launch_bounds__(1024) histogram(const uint4* bytes, unsigned vectors, unsigned* totals) {
  __shared__ typename Way::counter counters[bins];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    Way::clear(counters[bin]);
  __syncthreads();
  for (unsigned index = blockIdx.x * blockDim.x + threadIdx.x; index < vectors; index += gridDim.x * blockDim.x) {
    const uint4 vector = bytes[index];
    const unsigned words[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
    for (int at = 0; at < 16; ++at)
      Way::increment(counters[words[at / 4] >> at % 4 * 8 & 255]);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    atomicAdd(totals + bin, Way::value(counters[bin]));
}

template <class Way>
void enroll_histogram(const std::string& name, const std::string& kind) {
  const void* const kernel = reinterpret_cast<const void*>(&histogram<Way>);
  contestants().push_back({"histogram", histogram_name, name, kind, "native", kernel, nullptr});
}

}  // namespace bench

#endif
