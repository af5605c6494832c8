// Declarations for the parts of this program: the sizes of the kernels, and the function that records traces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_TRACE_LIBRARY_H
#define CUDASYNC_BENCHMARKS_TRACE_LIBRARY_H

#include "../harness.h"

namespace bench {

inline constexpr unsigned phases = 2000;
inline constexpr unsigned block_sizes[] = {32, 128, 256, 1024};
inline constexpr unsigned ring_tiles[] = {4096, 16384, 32768};
inline constexpr unsigned ring_stages = 4;
inline constexpr unsigned ring_consumers = 128;
inline constexpr std::size_t ring_bytes = std::size_t{256} << 20;

// Writes one_stage.json and four_stages.json to this folder. See record.cu.
int record_traces(const std::string& folder);

}  // namespace bench

#endif
