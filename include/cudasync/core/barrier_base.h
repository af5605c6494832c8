// The base class through which the toolkit's <cuda_pipeline.h> accepts a block's barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_BARRIER_BASE_H
#define CUDASYNC_CORE_BARRIER_BASE_H

#include <cudasync/core/config.h>

namespace cuda { inline namespace __4 {
struct __block_scope_barrier_base {};
}}  // namespace cuda::__4

namespace cudasync { inline namespace CUDASYNC_ABI {

using block_barrier_base = cuda::__4::__block_scope_barrier_base;

}}  // namespace cudasync::CUDASYNC_ABI

#endif
