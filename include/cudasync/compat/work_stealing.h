// cuda::device::__for_each_canceled_block, which NVIDIA's tests call: the caller says which thread asks for blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_WORK_STEALING_H
#define CUDASYNC_COMPAT_WORK_STEALING_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/work_stealing.h>

namespace cuda::device { inline namespace __4 {

// All threads of the block call it, so that any thread can ask. It is always the first one.
template <int Rank = 3, class Function = void>
CUDASYNC_DEVICE void __for_each_canceled_block(bool /*is_leader*/, Function function) {
  cudasync::for_each_canceled_block<Rank>(function);
}

}}  // namespace cuda::device::__4

#endif  // CUDASYNC_CUDA

#endif
